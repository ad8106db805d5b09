#!/usr/bin/env bash
# Nothing in tests/ is left out of every check: each file is run by the full check, whatever it moves to the night, and
# under AddressSanitizer by the night's.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

for check in quick full night; do
    make -s check-list CHECK=$check | sort >"$scratch/$check"
done
files() { find tests -name node_modules -prune -o -name "test_*.$1" -print | sed "s|^$2||; s|\.$1\$||" | sort; }
lacks() { comm -13 "$scratch/$1" - | sed "s/^/not in the $1 check: /"; }

check "the full check runs every file of tests" test -z "$(files c tests/ | lacks full)"
check "the full check runs every script" test -z "$(files sh "" | lacks full)"
check "the night's check runs every file of tests" test -z "$(files c tests/ | lacks night)"
check "and each under AddressSanitizer" test -z "$(files c tests/ | sed 's|^|asan/|' | lacks night)"
check "the night's check runs all that the full one runs" test -z "$(lacks night <"$scratch/full")"
check "the full check runs all that the quick one runs" test -z "$(lacks full <"$scratch/quick")"
for check in quick full night; do
    check "the $check check runs nothing twice" test -z "$(uniq -d "$scratch/$check")"
done

linked() { # a program that was not asked for is not there; a file is listed without its room
    local program folder
    for program in "${BUILD:-build}"/tests/*/all; do
        folder=$(basename "$(dirname "$program")")
        "$program" --list | sed "s|^|$folder/|"
    done | sort | diff - <(files c tests/ | sed "s|/.*/|/|" | sort)
}
check "each program holds the files of its folder and of its rooms" linked
finish
