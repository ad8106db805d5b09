# Everything that is not building, testing or installing.
# SPDX-License-Identifier: MIT

demo:                                             ## leaves demo/drop.html, demo/together.html, .png, .glb and .csv
	@$(parallel) demo-files $(BUILD)/examples/together
	$(BUILD)/examples/together --out demo
demo-files: $(BUILD)/examples/drop
	$< --out demo

benches: $(BENCHES) $(PEERS)
bench:                                           ## run every benchmark; machine-readable lines
	@$(parallel) benches
	@for program in $(BENCHES); do $$program || exit 1; done

# SIZES="14 32 51 69" takes hours; CASES="hard hard-contact-2" and SOLVERS="libpbs cholmod" choose (bench/linear --help).
bench-linear: $(BUILD)/bench/linear $(PEERS)     ## our linear solvers beside those of CHOLMOD, Eigen, hypre, MUMPS
	@$< $(if $(SIZES),--sizes "$(SIZES)") $(if $(CASES),--cases "$(CASES)") $(if $(SOLVERS),--solvers "$(SOLVERS)")

counts: $(BUILD)/bench/counts                    ## record anew how much work some scenes take, in bench/counts.csv
	OPENBLAS_NUM_THREADS=1 $< > $<.csv && mv $<.csv bench/counts.csv

hashes: $(BUILD)/bench/hashes                    ## hash what every scene is led to, in build/hashes.txt, to compare builds
	$< > $(BUILD)/hashes.txt

rooms:                                           ## draw docs/pictures/rooms.svg anew, after includes have changed
	scripts/rooms.pl picture > docs/pictures/rooms.svg

bench-ipc: $(BUILD)/bench/ipc_scenes             ## the IPC reference code's scenes, with its barrier and with ours
	@$< && $< --own

plots: $(BUILD)/bench/integrators $(BUILD)/bench/integrator_motion ## the pictures of docs/integrators.md; takes minutes
	$(BUILD)/bench/integrators $(BUILD)/bench
	$(BUILD)/bench/integrator_motion $(BUILD)/bench 01
	$(BUILD)/bench/integrator_motion $(BUILD)/bench 2 4
	gnuplot -e "from='$(BUILD)/bench'; to='docs/pictures'" bench/plots/integrators.gp

plots-fracture: $(BUILD)/bench/fracture ## implicit and explicit seconds over stiffness and size of bonded bodies; minutes
	$(BUILD)/bench/fracture --figures $(BUILD)/bench
	gnuplot -e "from='$(BUILD)/bench'; to='docs/pictures'" bench/plots/fracture.gp

plots-fracture-steps: $(BUILD)/bench/fracture_steps ## what step control saves where a plate breaks; half an hour
	for s in 0.01 0.0075 0.005; do $< --case plate --spacing $$s; done | grep _gain | sed 's/ [a-z_]*=/,/g' > $<.csv
	gnuplot -e "from='$(BUILD)/bench'; to='docs/pictures'" bench/plots/fracture_steps.gp

plots-cracks: $(BUILD)/bench/crack_paths ## the pictures of docs/theory/peridynamics.md
	$< --case glass --until 90 --picture docs/pictures/crack_branching.png
	$< --case steel --spacing 0.5 --until 90 --picture docs/pictures/kalthoff_winkler.png

plots-concrete: $(BUILD)/bench/concrete_beams ## load over opening of two concrete beams; half a minute
	$(BUILD)/bench/concrete_beams --figures $(BUILD)/bench
	gnuplot -e "from='$(BUILD)/bench'; to='docs/pictures'" bench/plots/concrete_beams.gp

# Everything in C and C++ that is ours, in the tree or about to be.
OUR_CODE = $(shell find include src examples tests bench fuzz -name node_modules -prune -o -name '*.[ch]' -print \
                   -o -name '*.cpp' -print 2>/dev/null | sort)

format:                                          ## clang-format over all our code
	clang-format -i $(OUR_CODE)

format-check:                                    ## fails where format would change something
	clang-format --dry-run -Werror $(OUR_CODE)

# A stamp for each file that clang-tidy was silent about; made anew when the file, a header of it or .clang-tidy changes.
# Nearly all of its time goes into the paths that clang's analyzer follows through large functions. By day it gives up on a
# function after this many of its nodes; at night after clang's own 225000.
ANALYZER_NODES := $(if $(filter night,$(CHECK)),225000,40000)
TIDY           := $(BUILD)/tidy/$(ANALYZER_NODES)
TIDY_LIBRARY  := $(LIBRARY_SOURCES)
TIDY_EXAMPLES := $(wildcard examples/*.c examples/common/*/*.c) $(call usable,$(wildcard examples/hosts/*.c))
TIDY_STAMPS   := $(patsubst %.c,$(TIDY)/%.silent,$(TIDY_LIBRARY) $(TIDY_EXAMPLES))

tidy:                                            ## clang-tidy over library and examples, what changed since it was silent
	+@$(parallel) --keep-going tidy-files
tidy-files: $(TIDY_STAMPS)
$(TIDY)/src/%:      OPTIONS := $(LIBRARY_INCLUDES)
$(TIDY)/examples/%: OPTIONS  = $(EXAMPLE_INCLUDES) $(call package_headers,$@)
$(TIDY_STAMPS): $(TIDY)/%.silent: %.c .clang-tidy
	@mkdir -p $(@D)
	@clang -std=c11 -D_GNU_SOURCE $(OPTIONS) -M -MP -MT $@ -MF $@.d $<
	@clang-tidy --quiet $< -- -std=c11 -D_GNU_SOURCE $(OPTIONS) -Xclang -analyzer-config -Xclang max-nodes=$(ANALYZER_NODES) && touch $@
-include $(shell find $(TIDY) -name '*.d' 2>/dev/null)

# What clang warns of in programs that the AddressSanitizer build leaves out, and in the library for another processor,
# against its C library's headers.
ARM_HEADERS    := /usr/aarch64-linux-gnu/include
CLANG_STAMPS   := $(patsubst %.c,$(BUILD)/clang/%.silent,$(C_BENCH_SOURCES) $(wildcard bench/hashes/*.c))
AARCH64_STAMPS := $(if $(wildcard $(ARM_HEADERS)),$(patsubst %.c,$(BUILD)/aarch64/%.silent,$(LIBRARY_SOURCES)))
$(CLANG_STAMPS):   $(BUILD)/clang/%.silent:   %.c ; $(syntax_only)
$(AARCH64_STAMPS): $(BUILD)/aarch64/%.silent: %.c ; $(syntax_only)
$(BUILD)/aarch64/%: TARGET := --target=aarch64-linux-gnu -isystem $(ARM_HEADERS)
syntax_only = @mkdir -p $(@D); clang $(TARGET) -std=c11 -D_GNU_SOURCE $(ALL_INCLUDES) $(ARITHMETIC) $(WARNINGS) -Werror -fsyntax-only \
    -MMD -MP -MT $@ -MF $@.d $< && touch $@
-include $(shell find $(BUILD)/clang $(BUILD)/aarch64 -name '*.d' 2>/dev/null)

warnings:                                        ## clang's warnings in benches, and in the library for aarch64
	+@$(parallel) --keep-going $(CLANG_STAMPS) $(AARCH64_STAMPS)
	@$(if $(AARCH64_STAMPS),,echo "skip - $(ARM_HEADERS) is missing (make deps), so nothing was compiled for aarch64")

docs:                                            ## the API reference, in build/docs/html
	@mkdir -p $(BUILD)/docs
	(cat mk/Doxyfile; echo 'PROJECT_NUMBER = $(VERSION)'; echo 'OUTPUT_DIRECTORY = $(BUILD)/docs') | doxygen -

deps:                                            ## install what a bare Debian 12 lacks
	scripts/install_deps.sh

clean:                                           ## remove everything that was built
	rm -rf $(BUILD) build demo lib/*.a lib/*.so lib/*.so.*

.PHONY: demo demo-files benches bench bench-linear counts hashes rooms bench-ipc plots plots-fracture plots-fracture-steps plots-cracks plots-concrete format format-check tidy tidy-files warnings docs deps clean
