# Everything that is not building, testing or installing.

benches: $(BENCHES)

demo: $(BUILD)/examples/drop                     ## drop a body; leaves demo/drop.html, .png, .glb and .csv
	$< --out demo

bench: benches                                   ## run every benchmark; machine-readable lines
	@for program in $(BENCHES); do $$program || exit 1; done

FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cpp')
format:                                          ## clang-format over our files
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)

tidy:                                            ## clang-tidy over library and examples
	clang-tidy --quiet $(wildcard src/*/*.c) -- -std=c11 -D_GNU_SOURCE -DPBS_BUILD $(LIBRARY_INCLUDES)
	$(if $(EXAMPLES),clang-tidy --quiet $(wildcard examples/*.c examples/common/*.c) -- -std=c11 -D_GNU_SOURCE $(EXAMPLE_INCLUDES))

docs:                                            ## the API reference in build/docs/html
	doxygen mk/Doxyfile

deps:                                            ## install what a bare Debian 12 lacks
	scripts/install_deps.sh

clean:                                           ## remove everything that was built
	rm -rf $(BUILD) build demo lib/*.a lib/*.so lib/*.so.*

.PHONY: benches demo bench format format-check tidy docs deps clean
