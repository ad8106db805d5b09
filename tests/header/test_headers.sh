#!/usr/bin/env bash
# Each public header compiles alone, as C99, C11 and C++17, with gcc and clang, without a warning.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

flags="-Iinclude -pedantic -Wall -Wextra -Werror -fsyntax-only"

alone() { # compiler, language, standard, header
    printf '#include <pbs/%s>\n#include <pbs/%s>\ntypedef int not_empty;\n' "$4" "$4" |
        $1 -x "$2" -std="$3" $flags -
}

for header in include/pbs/*.h; do
    name=$(basename "$header")
    for compiler in gcc clang; do
        check "$name, $compiler, C99" alone "$compiler" c c99 "$name"
        check "$name, $compiler, C11" alone "$compiler" c c11 "$name"
        check "$name, $compiler, C++17" alone "$compiler" c++ c++17 "$name"
    done
done

includes_all() {
    local header
    for header in include/pbs/*.h; do
        case $(basename "$header") in
        pbs.h | experimental.h) ;;
        *) grep -q "#include [<\"].*$(basename "$header")[>\"]" include/pbs/pbs.h || { echo "$header"; return 1; } ;;
        esac
    done
}
# Padding would hide an appended member from struct_size (scripts/abi_compare.pl).
no_padding() { echo "#include <pbs/pbs.h>" | gcc -x c -std=c11 $flags -Wpadded -; }
check "no public struct has padding" no_padding

check "pbs.h includes every other header" includes_all
documented() { # each on its own: the reference shows a comment with one function only
    awk '/^PBS_API/ && before !~ /^\/\/\// { print FILENAME ": " $0; bad = 1 } { before = $0 } END { exit bad }' include/pbs/*.h
}
check "every public function has a comment" documented
refuse "every enum has a name" grep -nE '^(typedef )?enum *\{' include/pbs/*.h
finish
