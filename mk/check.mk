# Tests: what `make check` runs, and how a test runs under a sanitizer, valgrind or a fuzzer.
# Each item of a list reads "label: command"; scripts/run_tests.sh runs them and counts.

ASAN := $(BUILD)/asan
TSAN := $(BUILD)/tsan
FUZZ := $(BUILD)/fuzz

FUZZ_SECONDS ?= 60
TEST_JOBS    ?= 2

TEST_NAMES := $(TESTS:$(BUILD)/tests/%=%)

# Slow checkers run the same tests on smaller problems.
SMALL := env PBS_TEST_SCALE=small

SHELL_TESTS := $(filter-out tests/demo/%,$(wildcard tests/*/test_*.sh))
DEMO_TESTS  := $(wildcard tests/demo/test_*.sh)

# Tests that run threads, for ThreadSanitizer; tests worth valgrind's time.
TSAN_TESTS     ?= $(filter base/% sparse/% linear/%,$(TEST_NAMES)) \
                  $(foreach t,$(TEST_NAMES),$(if $(findstring determinism,$(t))$(findstring thread,$(t)),$(t)))
VALGRIND_TESTS ?= $(filter base/% world/test_world world/test_body world/test_snapshot,$(TEST_NAMES))

# Address space randomisation beyond what gcc 12's ThreadSanitizer can map is switched off where allowed.
NO_RANDOM := $(shell setarch -R true 2>/dev/null && echo setarch -R)
ASAN_ENV  := ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
TSAN_ENV  := TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=scripts/thread_sanitizer.txt
VALGRIND  := valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=9

RUN_ABI      := "abi/check: scripts/abi.sh check $(REAL_LIB) include lib/abi"
RUN_STYLE    := "format: make -s format-check" "docs: make -s docs"
RUN_TIDY     := "tidy: make -s tidy"
RUN_UNIT     := $(foreach t,$(TEST_NAMES),"$(t): $(BUILD)/tests/$(t)")
RUN_SHELL    := $(foreach t,$(SHELL_TESTS),"$(t:.sh=): bash $(t)")
# Each example as it is, except the long ones, which have tests of their own; those briefly under AddressSanitizer.
LONG_EXAMPLES := drop integrators scenes
RUN_EXAMPLES := $(foreach e,$(filter-out $(LONG_EXAMPLES:%=$(BUILD)/examples/%),$(EXAMPLES)),"$(e:$(BUILD)/%=%): $($(call package,$e)_START) $(e)")
RUN_CORPUS   := $(foreach f,$(FUZZERS),"fuzz/corpus/$(f): scripts/run_corpus.sh $(BUILD)/corpus/$(f) fuzz/corpus/$(f)")
RUN_ASAN     := $(foreach t,$(TEST_NAMES),"asan/$(t): $(SMALL) $(ASAN_ENV) $(ASAN)/tests/$(t)") \
                $(foreach e,$(LONG_EXAMPLES),"asan/examples/$e: $(ASAN_ENV) $(ASAN)/examples/$e --frames 3 --out $(ASAN)/demo")
RUN_TSAN     := $(foreach t,$(TSAN_TESTS),"tsan/$(t): $(SMALL) $(TSAN_ENV) $(NO_RANDOM) $(TSAN)/tests/$(t)")
RUN_VALGRIND := $(foreach t,$(VALGRIND_TESTS),"valgrind/$(t): $(SMALL) $(VALGRIND) $(BUILD)/tests/$(t)")
RUN_SEEDS    := "fuzz/seeds: $(BUILD)/make_seeds --check fuzz/corpus"
RUN_FUZZ     := $(foreach f,$(FUZZERS),"fuzz/$(f): scripts/run_fuzzer.sh $(FUZZ)/fuzz_$(f) fuzz/corpus/$(f) $(FUZZ_SECONDS)")
RUN_DEMO     := $(foreach t,$(DEMO_TESTS),"$(t:.sh=): bash $(t)")

# A make that was not told how many jobs to run takes as many as the tests do.
parallel = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(TEST_JOBS))
run = TEST_JOBS=$(TEST_JOBS) scripts/run_tests.sh
quick_tests = $(RUN_STYLE) $(RUN_SHELL) $(RUN_ABI) $(RUN_EXAMPLES) $(RUN_UNIT) $(RUN_SEEDS) $(RUN_CORPUS)

CHECK ?= full
check:                                    ## everything CI runs; CHECK=quick leaves out the slow checkers
	@$(parallel) check-$(CHECK)

check-quick: lib tests examples corpus
	@$(run) $(quick_tests)

check-full: lib tests examples benches corpus asan-build tsan-build fuzz-build demo-files
	@$(run) $(RUN_DEMO) $(RUN_TIDY) $(RUN_FUZZ) $(RUN_VALGRIND) $(RUN_TSAN) $(RUN_ASAN) $(quick_tests)

test: $(T:%=$(BUILD)/tests/%)                    ## one file of tests with its output: make test T=linear/test_pcg; of those N='limit_*'
	@$< $(if $(N),'$(N)')

corpus: $(FUZZERS:%=$(BUILD)/corpus/%) $(BUILD)/make_seeds
seeds: $(BUILD)/make_seeds                       ## seeds in the present format of saved worlds and systems
	@$< fuzz/corpus
asan: asan-build                                 ## every test under AddressSanitizer and UBSan
	@$(run) $(RUN_ASAN)
tsan: tsan-build                                 ## the threaded tests under ThreadSanitizer
	@$(run) $(RUN_TSAN)
valgrind: tests                                  ## selected tests under valgrind
	@$(run) $(RUN_VALGRIND)
fuzz: fuzz-build                                 ## every fuzz target for FUZZ_SECONDS
	@$(run) $(RUN_FUZZ)

asan-build:
	@$(parallel) BUILD=$(ASAN) SANITIZE=address CFLAGS='-O1 -g' tests examples
tsan-build:
	@$(if $(TSAN_TESTS),$(parallel) BUILD=$(TSAN) SANITIZE=thread CFLAGS='-O2 -g' $(TSAN_TESTS:%=$(TSAN)/tests/%))
fuzz-build:
	@$(if $(FUZZERS),$(parallel) BUILD=$(FUZZ) SANITIZE=fuzzer CC=clang CFLAGS='-O1 -g' $(FUZZERS:%=$(FUZZ)/fuzz_%))

.PHONY: check test check-quick check-full corpus seeds asan tsan valgrind fuzz asan-build tsan-build fuzz-build
