# How each kind of file is made. Headers are tracked by the compiler (-MMD), flags by $(BUILD)/flags.
# SPDX-License-Identifier: MIT

# One short line per command; V=1 shows the commands themselves.
say = $(if $(V),,@printf "  %-3s %s\n" $(1) $@;)

flags = $(subst ','\'',$(CC) $(CFLAGS_ALL) $(TEST_OPTIMISATION) $(LARGE_KERNELS) $(LARGE_OPTIONS) $(PROTECTED) $(PROTECTION) $(FRAME_LIMIT))
$(BUILD)/flags: force
	@mkdir -p $(BUILD)
	@echo '$(flags)' | cmp -s - $@ || echo '$(flags)' > $@

# The library that a host links never ends its process, so asserts are for the sanitized builds.
# Examples see what a host sees; the library sees itself; tests and benches see everything.
LIBRARY_INCLUDES := -Isrc -Iinclude
EXAMPLE_INCLUDES := -Iinclude -Iexamples -Ibench
ALL_INCLUDES     := -Isrc -Iinclude -Iexamples -Ibench -Itests

floor = $(firstword $(subst /, ,$(@:$(BUILD)/obj/src/%=%)))
$(BUILD)/obj/src/%:      OPTIONS  = $(LIBRARY_INCLUDES) $(if $(SANITIZE),,-DNDEBUG) \
                                     $(if $(filter $(LARGE_OBJECTS),$@),$(LARGE_OPTIONS)) \
                                     $(if $(filter $(PROTECTED),$(floor)),$(PROTECTION)) \
                                     $(if $(filter $(KERNEL_FLOORS),$(floor)),,$(FRAME_LIMIT))
$(BUILD)/obj/examples/%: OPTIONS  = $(EXAMPLE_INCLUDES) $(call package_headers,$@)
$(BUILD)/obj/bench/%:    OPTIONS  = $(ALL_INCLUDES) $(call package_headers,$@)
$(BUILD)/obj/tests/%:    OPTIONS := $(ALL_INCLUDES)
$(TEST_OBJECTS):         OPTIONS  = $(ALL_INCLUDES) $(TEST_OPTIMISATION) -Dmain=$(notdir $(@:.o=))_main
$(BUILD)/obj/fuzz/%:     OPTIONS := $(ALL_INCLUDES)

# What the compiler says is shown, and kept for tests/header/test_sources.sh to judge.
heard = 2> $(@:.o=.warnings); status=$$?; cat $(@:.o=.warnings) >&2; exit $$status

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CFLAGS_ALL) $(OPTIONS) -MMD -MP -c $< -o $@ $(heard)

$(BUILD)/obj/%.o: %.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) -std=c++17 $(CFLAGS) -fPIC $(ARITHMETIC) -Wall -Wextra $(SANITIZE_FLAGS) $(OPTIONS) \
	    -MMD -MP -c $< -o $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# --- the library ---

# Archives are made anew, so that a removed source leaves no object behind.
archive = $(call say,AR)rm -f $@; ar rcs $@ $(filter %.o,$^)

$(INTERNAL_LIB): $(LIBRARY_OBJECTS) ; $(archive)
$(COMMON_LIB):   $(COMMON_OBJECTS)  ; $(archive)
$(SCENES_LIB):   $(SCENE_OBJECTS)   ; $(archive)
$(SUPPORT_LIB):  $(SUPPORT_OBJECTS) ; $(archive)

$(BUILD)/exports.txt: lib/libpbs.map
	@mkdir -p $(@D)
	@sed -n 's/^ *\(pbs_[a-z0-9_]*\);.*/\1/p' $< > $@

# All objects become one, in which only the exported names stay visible.
$(STATIC_LIB): $(LIBRARY_OBJECTS) $(BUILD)/exports.txt
	@mkdir -p $(@D)
	$(call say,AR)ld -r --force-group-allocation $(filter %.o,$^) -o $(BUILD)/pbs.o
	@objcopy --keep-global-symbols=$(BUILD)/exports.txt $(BUILD)/pbs.o
	@rm -f $@
	@ar rcs $@ $(BUILD)/pbs.o

$(REAL_LIB): $(LIBRARY_OBJECTS) lib/libpbs.map
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS_ALL) $(LIBRARY_LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,lib/libpbs.map -Wl,-z,defs \
	    $(filter %.o,$^) -Wl,--as-needed $(LIBS_PRIVATE) -o $@

$(SHARED_LIB): $(REAL_LIB)
	@ln -sf $(notdir $(REAL_LIB)) $(LIB_OUT)/$(SONAME)
	@ln -sf $(SONAME) $@

# --- programs ---

HELPERS := $(SCENES_LIB) $(COMMON_LIB)
group = -Wl,--start-group $(filter %.a,$^) -Wl,--end-group
link = $(call say,LD)mkdir -p $(@D); $(CC) $(CFLAGS_ALL) $(filter %.o,$^) $(group) $(LIBS_PRIVATE) -o $@

$(TEST_PROGRAMS): $(BUILD)/tests/%/all: $(BUILD)/obj/tests/%/all.o $(SUPPORT_LIB) $(HELPERS) $(INTERNAL_LIB)
	$(link) $(TEST_LIBS)

# The list of files is kept, so that a program is made anew when a file has come or gone.
$(TEST_LISTS): $(BUILD)/obj/tests/%/all.list: force
	@mkdir -p $(@D)
	@echo '$(call test_files,$*)' | cmp -s - $@ || echo '$(call test_files,$*)' > $@

$(TEST_LISTS:.list=.o): $(BUILD)/obj/tests/%/all.o: tests/all.c $(BUILD)/obj/tests/%/all.list $(BUILD)/flags
	$(call say,CC)$(CC) $(CFLAGS_ALL) $(ALL_INCLUDES) \
	    -DTEST_FILES='$(foreach f,$(call test_files,$*),X($(notdir $(basename $f))))' -MMD -MP -c $< -o $@ $(heard)

define folder_of_tests
$(BUILD)/tests/$(1)/all: $(call object,$(call test_files,$(1)))
$(patsubst %.c,$(BUILD)/%,$(call test_files,$(1))): $(BUILD)/tests/$(1)/all
endef
$(foreach folder,$(TEST_FOLDERS),$(eval $(call folder_of_tests,$(folder))))

$(TESTS):
	@mkdir -p $(@D)
	@ln -sfr $< $@

# A sanitized build is made of objects of its own, never of lib/.
EXAMPLE_LIBRARY := $(if $(SANITIZE),$(INTERNAL_LIB),$(STATIC_LIB))
$(EXAMPLES): $(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(HELPERS) $(EXAMPLE_LIBRARY)
	$(link) $(call package_libraries,$@)

$(foreach source,$(BENCH_SOURCES),$(eval $(call bench_program,$(source)): $(call object,$(source))))
$(BENCHES): $(HELPERS) $(INTERNAL_LIB)
	$(link) $(call package_libraries,$@)

# The scenes of tests are among those that it steps.
$(BUILD)/bench/hashes: $(HASH_OBJECTS) $(SUPPORT_LIB)

# Solvers of other libraries that bench/linear opens: nothing of ours is in them.
$(PEERS): $(BUILD)/bench/%.so: $(BUILD)/obj/bench/%.o
	$(call say,LD)mkdir -p $(@D); $(CC) $(CFLAGS_ALL) -shared $< $(call package_libraries,$@) -o $@

# Each fuzz target twice: with libFuzzer (clang), and with a plain driver that runs files once.
FUZZ_LIBS := $(SUPPORT_LIB) $(HELPERS) $(INTERNAL_LIB)
$(FUZZERS:%=$(BUILD)/fuzz_%): $(BUILD)/fuzz_%: $(BUILD)/obj/fuzz/fuzz_%.o $(FUZZ_LIBS)
	$(link) -fsanitize=fuzzer

$(FUZZERS:%=$(BUILD)/corpus/%): $(BUILD)/corpus/%: $(BUILD)/obj/fuzz/fuzz_%.o $(BUILD)/obj/fuzz/driver.o $(FUZZ_LIBS)
	$(link)

$(BUILD)/make_seeds: $(BUILD)/obj/fuzz/make_seeds.o $(FUZZ_LIBS)
	$(link)

.PHONY: force
