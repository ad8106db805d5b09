# Tests: what `make check` runs, and how a test runs under a sanitizer, valgrind or a fuzzer.
# Each item of a list reads "label: command"; scripts/run_tests.sh runs them, two at a time and in the order given, and counts.
# What runs in which check is told in docs/checks.md.
# SPDX-License-Identifier: MIT

ASAN  := $(BUILD)/asan
TSAN  := $(BUILD)/tsan
UBSAN := $(BUILD)/ubsan

CHECK        ?= full
FUZZ_SECONDS ?= $(if $(filter night,$(CHECK)),60,5)
TEST_JOBS    ?= 2

# The longest files of tests, longest first: they start first, so that none is left running alone at the end. The full check
# runs each once, the first four on smaller problems; the night's runs all at full size, and under AddressSanitizer as well.
NIGHT_TESTS := world/stepping/test_advance papers/test_eci_contact papers/test_opt_36dof papers/test_eci_crowds
LONG_TESTS  := $(NIGHT_TESTS) physics/test_engine_scenes physics/test_torture papers/test_opt_figures papers/test_eci_table2 papers/test_opt_cubes \
               papers/test_eci_point papers/test_eci_motion physics/test_soak
# Short ones that take more than ten seconds under AddressSanitizer even on smaller problems: there at night only, and not in
# the quick check.
LONG_UNDER_ASAN := examples/test_pictures physics/test_shells linear/krylov/test_solvers world/contact_scenes/test_barrier \
                   world/contact_scenes/test_barrier_motion physics/test_joint_schemes world/breaking/test_breaking_together \
                   contact/penetration/test_solid_inclusion world/model/test_matrix_free linear/two_level/test_two_level \
                   linear/two_level/test_bonded_systems physics/bonds/test_peridynamic_material integrate/states/test_strain_rates \
                   physics/bonds/test_crack_paths geometry/grids/test_distance_sampling

TEST_NAMES  := $(TESTS:$(BUILD)/tests/%=%)
SHORT_TESTS := $(filter-out $(LONG_TESTS),$(TEST_NAMES))

# Slow checkers, and the quick check, run the same tests on smaller problems.
SMALL := env PBS_TEST_SCALE=small

# Scripts that draw some dozens of pictures, run long examples, or build and install again, and what the fuzzers' seeds are
# run through, are left out of the quick check.
SLOW_SCRIPTS := tests/examples/test_drop.sh tests/examples/test_fracture.sh tests/examples/test_scenes.sh tests/examples/test_integrators.sh \
                tests/install/test_install.sh tests/install/test_release.sh
SHELL_TESTS  := $(filter-out tests/demo/% $(if $(filter quick,$(CHECK)),$(SLOW_SCRIPTS)),$(wildcard tests/*/test_*.sh tests/*/*/test_*.sh))
DEMO_TESTS  := $(wildcard tests/demo/test_*.sh)

# For ThreadSanitizer, which finds nothing on one thread: files with tests that say "thread" in their names, of which only
# these tests run by day, and files whose other tests run several threads too.
SAYS_THREAD := $(patsubst tests/%.c,%,$(shell grep -lE 'cmocka_unit_test.*thread' $(TEST_SOURCES)))
ALL_THREADS := base/runtime/test_tasks base/lanes/test_vector linear/dense/test_blas_threads linear/supernodal/test_fusing \
               sparse/ordering/test_metis_bridge world/stepping/test_determinism world/stepping/test_threads
TSAN_TESTS  ?= $(ALL_THREADS) $(filter-out $(ALL_THREADS) $(LONG_TESTS),$(SAYS_THREAD)) $(if $(filter night,$(CHECK)), \
               $(filter-out $(ALL_THREADS) $(SAYS_THREAD),$(filter base/% sparse/% linear/%,$(TEST_NAMES))))
TSAN_ONLY   ?= $(if $(filter night,$(CHECK)),*,*thread*)
# Tests worth valgrind's time; functions of nine numbers, without memory of their own, at night. Valgrind computes with
# denormal numbers whatever the processor is told, and so fails base/runtime/test_arithmetic.
NUMBERS_ONLY   := base/matrix3/test_polar3 base/matrix3/test_svd3
VALGRIND_TESTS ?= $(filter-out base/runtime/test_arithmetic $(if $(filter night,$(CHECK)),,$(NUMBERS_ONLY)),$(filter base/%,$(TEST_NAMES))) \
                  world/test_world world/objects/test_body world/snapshots/test_snapshot
# Under AddressSanitizer: every test at night.
ASAN_TESTS     ?= $(if $(filter night,$(CHECK)),$(TEST_NAMES),$(filter-out $(LONG_UNDER_ASAN),$(SHORT_TESTS)))
# Under UBSan alone, at night, with what mk/flags.mk leaves out beside AddressSanitizer; gcc fuses nothing then.
UBSAN_TESTS    ?= $(filter-out linear/supernodal/test_fusing,$(SHORT_TESTS))

# Address space randomisation beyond what gcc 12's ThreadSanitizer can map is switched off where allowed.
NO_RANDOM := $(shell setarch -R true 2>/dev/null && echo setarch -R)
UBSAN_ENV := UBSAN_OPTIONS=print_stacktrace=1
ASAN_ENV  := ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 $(UBSAN_ENV)
TSAN_ENV  := TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=scripts/thread_sanitizer.txt
VALGRIND  := valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=9

RUN_ABI      := "abi/check: scripts/abi.sh check $(REAL_LIB) include lib/abi"
RUN_STYLE    := "format: make -s format-check" "docs: make -s docs"
RUN_TIDY     := "tidy: make -s tidy CHECK=$(CHECK)"
RUN_WARNINGS := "warnings: make -s warnings"
RUN_SHORT    := $(foreach t,$(SHORT_TESTS),"$(t): $(BUILD)/tests/$(t)")
RUN_SMALL    := $(foreach t,$(filter-out $(LONG_UNDER_ASAN),$(SHORT_TESTS)),"$(t): $(SMALL) $(BUILD)/tests/$(t)")
RUN_LONG     := $(foreach t,$(LONG_TESTS),"$(t): $(if $(filter night,$(CHECK)),,$(if $(filter $(NIGHT_TESTS),$(t)),$(SMALL))) $(BUILD)/tests/$(t)")
RUN_SHELL    := $(foreach t,$(SHELL_TESTS),"$(t:.sh=): $(if $(filter quick,$(CHECK)),,CLANG_BUILD=$(ASAN)) bash $(t)")
# Each example as it is (hypre, which takes seconds to load, not in the quick check), except the long ones, which have tests of their own; those briefly under AddressSanitizer.
# Steps that resolve hits are many.
BRIEF_fracture := --detail 0.01
LONG_EXAMPLES := drop integrators scenes together fracture wall tent linkage truck ragdoll character
RUN_EXAMPLES := $(foreach e,$(filter-out $(LONG_EXAMPLES:%=$(BUILD)/examples/%) $(if $(filter quick,$(CHECK)),%/hypre),$(EXAMPLES)),"$(e:$(BUILD)/%=%): $($(call package,$e)_START) $(e)")
RUN_CORPUS   := $(foreach f,$(FUZZERS),"fuzz/corpus/$(f): scripts/run_corpus.sh $(BUILD)/corpus/$(f) fuzz/corpus/$(f)")
RUN_ASAN     := $(foreach t,$(ASAN_TESTS),"asan/$(t): $(SMALL) $(ASAN_ENV) $(ASAN)/tests/$(t)") \
                $(foreach e,$(LONG_EXAMPLES),"asan/examples/$e: $(ASAN_ENV) $(ASAN)/examples/$e --frames 3 $(BRIEF_$e) --out $(ASAN)/demo")
RUN_UBSAN    := $(foreach t,$(UBSAN_TESTS),"ubsan/$(t): $(SMALL) $(UBSAN_ENV) $(UBSAN)/tests/$(t)")
RUN_TSAN     := $(foreach t,$(TSAN_TESTS),"tsan/$(t): $(SMALL) $(TSAN_ENV) $(NO_RANDOM) $(TSAN)/tests/$(t) \
                $(if $(filter $(ALL_THREADS),$(t)),,'$(TSAN_ONLY)')")
RUN_VALGRIND := $(foreach t,$(VALGRIND_TESTS),"valgrind/$(t): $(SMALL) $(VALGRIND) $(BUILD)/tests/$(t)")
RUN_SEEDS    := "fuzz/seeds: $(BUILD)/make_seeds --check fuzz/corpus"
RUN_FUZZ     := $(foreach f,$(FUZZERS),"fuzz/$(f): scripts/run_fuzzer.sh $(ASAN)/fuzz_$(f) fuzz/corpus/$(f) $(FUZZ_SECONDS)")
# Prints what is another count than the recorded one, and passes.
RUN_COUNTS   := "bench/counts: $(BUILD)/bench/counts --check bench/counts.csv"
# Random worlds, other ones each day: the line of one that fails has its seed.
LEAGUE_SEED  ?= $(shell date +%Y%m%d)00
RUN_LEAGUE    = "bench/league: $(BUILD)/bench/league $(LEAGUE_SEED) 60"
RUN_DEMO     := $(foreach t,$(DEMO_TESTS),"$(t:.sh=): bash $(t)")

always      := $(RUN_SHELL) $(RUN_STYLE) $(RUN_ABI) $(RUN_EXAMPLES)
quick_items := $(always) $(RUN_SMALL)
full_items  := $(RUN_SEEDS) $(RUN_CORPUS) $(RUN_TIDY) $(RUN_LONG) $(RUN_DEMO) $(RUN_FUZZ) $(RUN_VALGRIND) $(RUN_TSAN) $(RUN_ASAN) $(RUN_WARNINGS) \
               $(RUN_COUNTS) $(always) $(RUN_SHORT)
night_items  = $(RUN_UBSAN) $(RUN_LEAGUE) $(full_items)

# A make that was not told how many jobs to run takes as many as the tests do.
parallel = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(TEST_JOBS))
# A file of them: the night's are more than a shell takes in a command.
check_items = $(shell mkdir -p $(BUILD))$(file >$(BUILD)/check_items,$($(CHECK)_items))$(BUILD)/check_items
run = TEST_JOBS=$(TEST_JOBS) scripts/run_tests.sh

check:                                    ## everything CI runs; CHECK=quick leaves out the slow checkers, CHECK=night adds the longest
	+@$(parallel) check-files
	@TEST_JOBS=$(TEST_JOBS) xargs -x -s 1000000 scripts/run_tests.sh <$(check_items)
check-list:                               ## what `make check` would run, one label a line
	@xargs -x -s 1000000 printf '%s\n' <$(check_items) | sed 's/: .*//'

# What the check runs. The sanitized builds follow one another, each with all jobs.
check-files: check-files-$(CHECK)
check-files-quick: lib tests examples
check-files-full: check-files-quick corpus $(C_BENCHES) demo-files
	+@$(parallel) asan-build
	+@$(parallel) tsan-build
check-files-night: check-files-full benches
	+@$(parallel) ubsan-build

test: $(T:%=$(BUILD)/tests/%)                    ## one file of tests with its output: make test T=linear/krylov/test_pcg; of those N='limit_*'
	@$< $(if $(N),'$(N)')

corpus: $(FUZZERS:%=$(BUILD)/corpus/%) $(BUILD)/make_seeds
seeds: $(BUILD)/make_seeds                       ## seeds in the present format of saved worlds and systems
	@$< fuzz/corpus
asan: asan-build                                 ## the tests, but for the longest, under AddressSanitizer and UBSan
	@$(run) $(RUN_ASAN)
ubsan: ubsan-build                               ## the short tests under UBSan with nothing left out
	@$(run) $(RUN_UBSAN)
tsan: tsan-build                                 ## the tests of threads under ThreadSanitizer
	@$(run) $(RUN_TSAN)
valgrind: tests                                  ## selected tests under valgrind
	@$(run) $(RUN_VALGRIND)
fuzz: asan-build                                 ## every fuzz target for FUZZ_SECONDS
	@$(run) $(RUN_FUZZ)

# One build for AddressSanitizer, UBSan and libFuzzer, by clang; so these are also where clang's warnings come from.
asan-build:
	+@$(parallel) BUILD=$(ASAN) SANITIZE=address CC=clang CFLAGS='-O1 -gline-tables-only' tests examples $(FUZZERS:%=$(ASAN)/fuzz_%)
ubsan-build:
	+@$(parallel) BUILD=$(UBSAN) SANITIZE=undefined CFLAGS='-O1 -g1' $(UBSAN_TESTS:%=$(UBSAN)/tests/%)
tsan-build:
	+@$(if $(TSAN_TESTS),$(parallel) BUILD=$(TSAN) SANITIZE=thread CFLAGS='-O1 -g1' $(TSAN_TESTS:%=$(TSAN)/tests/%))

.PHONY: check check-list check-files check-files-quick check-files-full check-files-night test corpus seeds asan ubsan tsan valgrind \
        fuzz asan-build ubsan-build tsan-build
