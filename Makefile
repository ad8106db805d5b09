# libpbs: build, test, install. `make help` lists the targets; CONTRIBUTING.md explains them.
#
#   make CC=clang             another compiler (gcc is the default)
#   make BUILD=/tmp/mine      another folder for objects, programs and lib/ (several people, one tree)
#   make CFLAGS="-O0 -g3"     other optimisation; the flags in mk/flags.mk always apply
#   make check CHECK=quick    without the sanitizers, valgrind, fuzzing and the demo
#   make V=1                  show the commands
# SPDX-License-Identifier: MIT

.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

include mk/flags.mk
include mk/packages.mk
include mk/sources.mk

all: lib
lib: $(STATIC_LIB) $(SHARED_LIB)
tests: $(TESTS)
examples: $(EXAMPLES)

include mk/rules.mk
include mk/check.mk
include mk/abi.mk
include mk/install.mk
include mk/tools.mk
include mk/release.mk

help:
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16 | sort

.PHONY: all lib tests examples help

all:        ## lib/libpbs.a and lib/libpbs.so
tests:      ## every test program
examples:   ## build/examples/hello, build/examples/drop, ...
