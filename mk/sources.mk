# What is in the tree. A new source, test, example, bench or fuzz target needs no line here.
# SPDX-License-Identifier: MIT

object = $(patsubst %,$(BUILD)/obj/%.o,$(basename $(1)))

# A floor's own files lie in src/FLOOR, the others in its rooms, src/FLOOR/ROOM.
LIBRARY_SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c))
LIBRARY_OBJECTS := $(call object,$(LIBRARY_SOURCES))
LARGE_OBJECTS   := $(LARGE_KERNELS:%=$(BUILD)/obj/src/%.o)
COMMON_OBJECTS  := $(call object,$(wildcard examples/common/*/*.c))
SCENE_OBJECTS   := $(call object,$(wildcard bench/scenes/*.c bench/scenes/*/*.c bench/measure/*.c))
HASH_OBJECTS    := $(call object,$(wildcard bench/hashes/*.c))
SUPPORT_OBJECTS := $(call object,$(wildcard tests/support/*.c tests/support/*/*.c))

INTERNAL_LIB := $(BUILD)/libpbs_internal.a# every object, nothing hidden: what tests link
COMMON_LIB   := $(BUILD)/libcommon.a
SCENES_LIB   := $(BUILD)/libscenes.a
SUPPORT_LIB  := $(BUILD)/libtestsupport.a

# The tests of a folder and of its rooms are one program, tests/FOLDER/all, and each file a link to it (tests/all.c).
TEST_SOURCES  := $(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c))
TEST_FOLDERS  := $(sort $(foreach f,$(TEST_SOURCES),$(word 2,$(subst /, ,$f))))
TEST_PROGRAMS := $(TEST_FOLDERS:%=$(BUILD)/tests/%/all)
TEST_LISTS    := $(TEST_FOLDERS:%=$(BUILD)/obj/tests/%/all.list)
TEST_OBJECTS  := $(call object,$(TEST_SOURCES))
test_files     = $(filter tests/$(1)/%,$(TEST_SOURCES))

TESTS    := $(patsubst %.c,$(BUILD)/%,$(TEST_SOURCES))
EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/*.c) $(call usable,$(wildcard examples/hosts/*.c)))
# A bench lies in a room, bench/ROOM, and its program does not: bench/solvers/linear.c becomes $(BUILD)/bench/linear.
PARTS_OF_BENCHES := $(wildcard $(foreach room,scenes measure hashes peers,bench/$(room)/*))
C_BENCH_SOURCES  := $(filter-out $(PARTS_OF_BENCHES),$(wildcard bench/*.c bench/*/*.c))
BENCH_SOURCES    := $(C_BENCH_SOURCES) $(call usable,$(filter-out $(PARTS_OF_BENCHES),$(wildcard bench/*/*.cpp)))
bench_program     = $(BUILD)/bench/$(notdir $(basename $(1)))
C_BENCHES := $(foreach source,$(C_BENCH_SOURCES),$(call bench_program,$(source)))
BENCHES   := $(foreach source,$(BENCH_SOURCES),$(call bench_program,$(source)))
PEERS    := $(patsubst %,$(BUILD)/%.so,$(basename $(call usable,$(wildcard bench/peers/*.c bench/peers/*.cpp))))
FUZZERS  := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))

# Built into lib/, unless BUILD is a folder of one's own.
LIB_OUT    := $(if $(filter build,$(BUILD)),lib,$(BUILD)/lib)
STATIC_LIB := $(LIB_OUT)/libpbs.a
SHARED_LIB := $(LIB_OUT)/libpbs.so
SONAME     := libpbs.so.$(ABI)
REAL_LIB   := $(LIB_OUT)/libpbs.so.$(VERSION)
