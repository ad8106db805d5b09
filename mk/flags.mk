# Compilers, flags, the number of the binary interface, and the version, which lives in include/pbs/base.h only.
# SPDX-License-Identifier: MIT

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

BUILD  ?= build
ifneq ($(words $(BUILD)),1)
$(error BUILD is "$(BUILD)", and make cannot build in a folder with a space in its name)
endif
CFLAGS ?= -O3 -g

WARNINGS   := -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Wno-psabi
# The results are promised to the bit, so no contraction of a * b + c; no -march, so that the library
# runs on any processor (base/config.h picks wider instructions when it runs).
ARITHMETIC := -ffp-contract=off -fno-math-errno -fno-trapping-math
# gcc copies a vector that is wider than a processor's registers by general registers unless it is told to use whole ones;
# which ones, it knows from each function's target. Other compilers and gcc before 12 have no such option.
COPIES     := -mmove-max=512 -mstore-max=512
COPIES     := $(if $(shell $(CC) $(COPIES) -E -x c /dev/null >/dev/null 2>&1 && echo y),$(COPIES))
# Debug information names files from here on, so that a build elsewhere has the same bytes.
PATHS      := '-ffile-prefix-map=$(CURDIR)=.'
CFLAGS_ALL := -std=c11 $(CFLAGS) -fPIC -fvisibility=hidden $(ARITHMETIC) $(COPIES) $(WARNINGS) -D_GNU_SOURCE $(PATHS)

# One of: address (with clang: tests, and fuzz targets of the same objects), thread, undefined; set by the targets asan,
# fuzz, tsan and ubsan together with BUILD.
# UBSan's check of pointers' sums doubles what clang needs beside AddressSanitizer, which looks at every access anyway (and
# for a loop over vectors it takes 34 s instead of 3), so it is left to undefined.
SANITIZE_address   := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow
SANITIZE_thread    := -fsanitize=thread
SANITIZE_undefined := -fsanitize=undefined
ifdef SANITIZE
SANITIZE_FLAGS := $(SANITIZE_$(SANITIZE)) -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_ALL     += $(SANITIZE_FLAGS)
endif

# Hardening where it costs nothing: the C library's checked calls (they want an optimiser), a stack protector in the folders
# whose functions run once a step and that read what a host or a saved world says, and in the shared library tables that are
# bound when it is loaded and then write-protected.
ifndef SANITIZE
CFLAGS_ALL       += $(if $(filter -O1 -O2 -O3,$(CFLAGS)),-D_FORTIFY_SOURCE=2)
PROTECTED        := world integrate minimize
PROTECTION       := -fstack-protector-strong
endif
LIBRARY_LDFLAGS  := -Wl,-z,relro,-z,now

# Threads of hosts may have small stacks (docs/linking.md), so arrays beyond this are not local. The floors of kernels are
# left out: what these take eight elements at a time of is to stay in the first cache, 40 kB at most.
ifndef SANITIZE
KERNEL_FLOORS := base broad_phase energy linear
FRAME_LIMIT   := $(if $(filter -O2 -O3,$(CFLAGS)),-Wframe-larger-than=16384)
endif

# Tests are compiled with less effort than what they test, and with lines but no variables for debuggers; under a sanitizer
# with none. CFLAGS="-O0 -g3" leaves them as it says.
TEST_OPTIMISATION := $(if $(SANITIZE),-O0,$(if $(filter -O2 -O3,$(CFLAGS)),-O1 -g1))

# gcc spends a third of its time on the largest kernels to follow variables for debuggers, and another third on the two of
# linear/ to look for loads that it could save after registers are assigned; it finds a few in eighty thousand instructions.
LARGE_KERNELS := $(addprefix energy/,affine/affine bonds/bonds damping/strain_damping shells/bending shells/membrane shells/plate_bending \
                                    materials/fixed_corotated materials/neo_hookean materials/st_venant_kirchhoff \
                                    materials/stable_neo_hookean) \
                 $(addprefix linear/supernodal/,supernodal_double supernodal_float)
LARGE_OPTIONS := $(if $(findstring clang,$(CC)),,-fno-var-tracking-assignments -fno-gcse-after-reload)

LIBS_PRIVATE := -lmetis -llapacke -lopenblas -lm -lpthread
TEST_LIBS    := -lcmocka

version = $(shell sed -n 's/^\#define PBS_VERSION_$(1) *\([0-9]*\).*/\1/p' include/pbs/base.h 2>/dev/null)
MAJOR   := $(call version,MAJOR)
MINOR   := $(call version,MINOR)
VERSION := $(MAJOR).$(MINOR).$(call version,PATCH)

# The number in the SONAME and in lib/libpbs.map. It grows with a change that breaks programs that are already built, whatever
# the version says.
ABI := 0

# So that a `make install` inside a test sees what this make was given, and rebuilds nothing.
export CC CXX BUILD CFLAGS
