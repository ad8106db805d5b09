# Everything that is not building, testing or installing.

demo:                                             ## drop a body; leaves demo/drop.html, .png, .glb and .csv
	@$(parallel) demo-files
demo-files: $(BUILD)/examples/drop
	$< --out demo

benches: $(BENCHES) $(PEERS)
bench:                                           ## run every benchmark; machine-readable lines
	@$(parallel) benches
	@for program in $(BENCHES); do $$program || exit 1; done

# SIZES="14 32 51 69" takes hours; CASES="hard hard-contact-2" and SOLVERS="libpbs cholmod" choose (bench/linear --help).
bench-linear: $(BUILD)/bench/linear $(PEERS)     ## our linear solvers beside those of CHOLMOD, Eigen, hypre, MUMPS
	@$< $(if $(SIZES),--sizes "$(SIZES)") $(if $(CASES),--cases "$(CASES)") $(if $(SOLVERS),--solvers "$(SOLVERS)")

bench-ipc: $(BUILD)/bench/ipc_scenes             ## the IPC reference code's scenes, with its barrier and with ours
	@$< && $< --own

plots: $(BUILD)/bench/integrators $(BUILD)/bench/integrator_motion ## the pictures of docs/integrators.md; takes minutes
	$(BUILD)/bench/integrators $(BUILD)/bench
	$(BUILD)/bench/integrator_motion $(BUILD)/bench 01
	$(BUILD)/bench/integrator_motion $(BUILD)/bench 2 4
	gnuplot -e "from='$(BUILD)/bench'; to='docs'" bench/plots/integrators.gp

# Everything in C and C++ that is ours, in the tree or about to be.
OUR_CODE = $(shell find include src examples tests bench fuzz -name node_modules -prune -o -name '*.[ch]' -print \
                   -o -name '*.cpp' -print 2>/dev/null | sort)

format:                                          ## clang-format over all our code
	clang-format -i $(OUR_CODE)

format-check:                                    ## fails where format would change something
	clang-format --dry-run -Werror $(OUR_CODE)

tidy:                                            ## clang-tidy over library and examples
	$(call tidy,$(wildcard src/*/*.c),$(LIBRARY_INCLUDES))
	$(call tidy,$(wildcard examples/*.c examples/common/*.c),$(EXAMPLE_INCLUDES))
	$(foreach host,$(call usable,$(wildcard examples/hosts/*.c)),$(call tidy,$(host),$(EXAMPLE_INCLUDES) $(call package_headers,$(host))) &&) true
tidy = $(if $(1),clang-tidy --quiet $(1) -- -std=c11 -D_GNU_SOURCE $(2))

docs:                                            ## the API reference, in build/docs/html
	@mkdir -p $(BUILD)/docs
	(cat mk/Doxyfile; echo 'PROJECT_NUMBER = $(VERSION)'; echo 'OUTPUT_DIRECTORY = $(BUILD)/docs') | doxygen -

deps:                                            ## install what a bare Debian 12 lacks
	scripts/install_deps.sh

clean:                                           ## remove everything that was built
	rm -rf $(BUILD) build demo lib/*.a lib/*.so lib/*.so.*

.PHONY: demo demo-files benches bench bench-linear bench-ipc plots format format-check tidy docs deps clean
