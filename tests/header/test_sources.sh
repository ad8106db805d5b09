#!/usr/bin/env bash
# What grep can say of our sources, and what the compilers that built them said: no warning from the one that built the
# library (gcc unless told otherwise), nor from clang where CLANG_BUILD names a folder that it built (make warnings has the
# rest); each file of the library includes what it asks the preprocessor for; each file says its licence.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

# The build keeps what the compiler said beside each object. Objects of files that are gone are not looked at.
said_nothing() { # folder of a build, folder of sources
    local log source silent=0
    for log in $(find "$1/obj/$2" -name '*.warnings' -size +0 2>/dev/null); do
        source=${log#"$1/obj/"}
        source=${source%.warnings}.c
        if [ -e "$source" ]; then
            cat "$log"
            silent=1
        fi
    done
    return $silent
}
for folder in src examples bench tests fuzz; do
    check "$folder: built without a warning" said_nothing "${BUILD:-build}" $folder
    [ -z "${CLANG_BUILD:-}" ] || check "$folder: built by clang without a warning" said_nothing "$CLANG_BUILD" $folder
done

# Where a macro is not known yet, what depends on it is left out without a word.
knows_clones() { # file
    awk '/^#include "base\/config.h"/ { known = 1 } /^#if.*PBS_HAS_CLONES/ && !known { bad = 1 } END { exit bad }' "$1"
}
clones_are_known() {
    local file status=0
    for file in $(grep -rl PBS_HAS_CLONES src); do
        knows_clones "$file" || { echo "$file asks for PBS_HAS_CLONES before it includes base/config.h"; status=1; }
    done
    return $status
}
check "what asks for clones has included what knows of them" clones_are_known

no_forbidden_call() {
    ! grep -nE '(^|[^a-z_.>])(printf|puts|abort|exit|setlocale|malloc|calloc|realloc|free)[ ]*\(' "$1" | grep -vE '^[0-9]+: *//'
}
calls_nothing_forbidden() {
    local file status=0
    for file in $(find src -name "*.c"); do
        # The one place that knows the C library's allocator is base/runtime/memory.c.
        [ "$file" = src/base/runtime/memory.c ] || no_forbidden_call "$file" || { echo "in $file"; status=1; }
    done
    return $status
}
check "no printing, exiting or allocating of its own" calls_nothing_forbidden

# --- licences ---

# Files of a folder that do not say their licence, at the end of their first comment. Pages and data cannot, nor can what is
# generated, and what the demo's checks install is not ours.
unlicensed() { # folder
    (cd "$1" && find . \( -path ./.git -o -path "./${BUILD:-build}" -o -path ./build -o -path ./demo -o -path ./docs -o -path ./lib \
        -o -path ./fuzz/corpus -o -path ./tests/data/reader_cases -o -name node_modules \) -prune -o -type f \
        -not -name '*.md' -not -name '*.csv' -not -name '*.json' -not -path './tests/world/snapshots/*.txt' -not -name LICENSE -not -name .gitignore -not -name .npmrc \
        -not -name '*~' -not -name '*.o' -print0 | xargs -0 grep -LE '^[^[:alnum:]]+ SPDX-License-Identifier: MIT$')
}
all_licensed() {
    unlicensed . >"$scratch/unlicensed"
    ! grep . "$scratch/unlicensed"
}
check "each file says its licence" all_licensed

bare_ones() { # a source without the line and a script with another, beside one that has it
    local copy=$scratch/licences
    mkdir -p "$copy/src" && cp src/base/config.h "$copy/src" && sed '/SPDX/d' src/base/config.h >"$copy/src/bare.h" &&
        sed 's/ MIT$/ BSD-3-Clause/' scripts/checks.sh >"$copy/other.sh" &&
        diff <(unlicensed "$copy" | sort) <(printf '%s\n' ./other.sh ./src/bare.h)
}
check "one that does not, or says another, is found" bare_ones
finish
