#!/usr/bin/env bash
# A host in another language: Python's ctypes against the shared library, with nothing but the headers to go by.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

python3 -c 'import ctypes' 2>/dev/null || { echo "there is no python3 with ctypes"; exit 77; }
lib=$([ "${BUILD:-build}" = build ] && echo lib || echo "$BUILD/lib")
host() { python3 tests/ffi/host.py "$lib/libpbs.so" lib/abi/layout.txt "$1"; }

check "structs are laid out as recorded" host sizes
check "the README's first program" host first
check "a tetrahedron falls on the ground and rests there" host drop
check "an energy written in Python" host energy
check "a system whose forces are written in Python" host system
check "a linear solver written in Python" host solver
check "a mesh becomes a grid of distances" host grid
check "refusals are statuses and sentences" host errors

# What the parsers of binding generators read: no macros but PBS_API and the version, nothing inline.
only_these() {
    ! grep -hE '^ *# *define' include/pbs/*.h |
        grep -vE '#define (PBS_[A-Z]+_H|PBS_API( .*)?|PBS_VERSION_(MAJOR|MINOR|PATCH) [0-9]+)$'
}
check "no macros but PBS_API and the version" only_these
refuse "nothing inline" grep -nwE 'inline|static' <(sed 's|//.*||' include/pbs/*.h)

# One declaration after another, each complete once the macros are gone.
parses() {
    echo '#include <pbs/pbs.h>' | gcc -E -P -Iinclude -D'__attribute__(x)=' - |
        perl -0777 -ne 's/.*?(?=typedef int32_t pbs_status)//s; s/^#.*$//mg;
            1 while s/\{[^{}]*\}/ /;
            for (split /;/) { s/\s+/ /g; s/^ | $//g; next if $_ eq "" || /^typedef enum \w+ \w+$/ || /^typedef struct \w+ \w+$/;
                next if /^typedef (?:int32_t|void) \(?\*?\w+\)?(?:\([^()]*\))?$/;
                next if /^(?:const )?\w+ \*?pbs_\w+\([^()]*\)$/;
                print "not understood: $_\n"; $bad = 1 }
            exit $bad'
}
check "a few regular expressions understand every declaration" parses
finish
