#!/usr/bin/env bash
# What the pages say is so: their programs build and run against an installed library, what they link to and name exists,
# their make targets and options are known, indices have all pages, paragraphs end at 120 columns. What is cited is
# test_citations.sh's.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

pages=$(find . -name '*.md' -not -path './.*' -not -path './build/*' -not -path '*/node_modules/*' | sed 's,^\./,,' | sort)
prefix=$scratch/prefix
CC=${CC:-gcc}

block() { # language: the README's first fenced block in it
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } inside && $0 == "```" { exit } inside' README.md
}

# --- the README's program and its CMake lines, against the installed library ---

host=$scratch/host
mkdir "$host"
block c >"$host/host.c"
check "make install" make -s install PREFIX="$prefix" LIBDIR="$prefix/lib"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

# The README's own line, "cc host.c $(pkg-config ...)", with warnings.
compile() { (cd "$host" && "$1" -std=c11 -Wall -Wextra -Werror host.c $(pkg-config --cflags --libs pbs) -o host); }
lands() { # 48 lines: the body falls, and never below the ground
    "$host/host" | awk '$1 < -1e-12 || (NR > 1 && NR < 8 && $1 > last) { bad = 1 } { last = $1 } END { exit bad || NR != 48 }'
}
check "the README's program is about twenty lines" test "$(grep -c . "$host/host.c")" -le 20
# Each but the loop's ends with one semicolon, and the loop has two more.
check "and at most fifteen statements" test "$(tr -cd ';' <"$host/host.c" | wc -c)" -le 17
check "it compiles without a warning, gcc" compile gcc
check "and with clang" compile clang
check "it runs, and its body lands" lands

# The program of docs/integrators.md, Statics, whose names are the host's.
statics() {
    { printf '#include <pbs/pbs.h>\n#include <stdio.h>\nvoid host(pbs_world *world, pbs_body bar, const uint32_t *foot, size_t foot_count,\n'
      printf 'const uint32_t *top, size_t top_count, const double *rest, double *targets, double *forces, size_t vertex_count) {\n'
      awk '/^## Statics/ { here = 1 } here && $0 == "```c" { inside = 1; next } inside && $0 == "```" { exit } inside' docs/integrators.md
      printf '}\n'; } >"$host/statics.c"
    grep -q pbs_body_constraint_forces "$host/statics.c" &&
        (cd "$host" && "$CC" -std=c11 -Wall -Wextra -Werror -c statics.c $(pkg-config --cflags pbs) -o statics.o)
}
check "the machine of docs/integrators.md compiles" statics

cmake_lines() {
    { printf 'cmake_minimum_required(VERSION 3.16)\nproject(host C)\nadd_executable(host host.c)\n' && block cmake; } >"$host/CMakeLists.txt"
    grep -q find_package "$host/CMakeLists.txt" &&
        cmake -S "$host" -B "$host/cmake" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$host/cmake" && "$host/cmake/host"
}
check "the README's CMake lines build it too" cmake_lines

# --- links, files, functions, targets, options ---

links_work() {
    local page link bad=0
    for page in $pages; do
        for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^https?://'); do
            [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link"; bad=1; }
        done
    done
    return $bad
}
check "links lead somewhere" links_work

# Words in `code` that look like a path, without placeholders; what is built may not be there yet.
paths_exist() {
    local page path bad=0
    for page in $pages; do
        for path in $(grep -oE '`[^`]+`' "$page" | tr -d '`' | tr ' ' '\n' |
            grep -E '^\.?[a-z][A-Za-z0-9_.*-]*(/[A-Za-z0-9_.*-]+)+/?$' | grep -vE '^build/|^lib/libpbs\.(a|so)$|^demo/' | sort -u); do
            # A label of make test (linear/krylov/test_pcg) or a program is named without its source's folder or ending,
            # a bench without its room.
            compgen -G "$path" >/dev/null || [ -e "$path.c" ] || [ -e "tests/$path.c" ] ||
                compgen -G "bench/*/${path#bench/}.c" >/dev/null || { echo "$page: $path"; bad=1; }
        done
    done
    return $bad
}
check "files that are named exist" paths_exist

# Words with an underscore that stand before " (src/..." or in `code`, or begin a line of an indented block.
functions_exist() {
    local name bad=0
    for name in $({ grep -oE '`[a-z]+_[a-z_0-9]+`' $pages -h | tr -d '`'; grep -hE '^    ' docs/architecture.md |
        grep -oE '^ +[a-z]+_[a-z_]+' | tr -d ' '; } | sort -u); do
        grep -rqw -- "$name" src include tests bench examples || { echo "$name"; bad=1; }
    done
    return $bad
}
check "functions that are named exist" functions_exist

targets_exist() {
    local target bad=0
    for target in $(grep -ohE '(^    |`|&& |sudo )make [a-z][a-z -]*' $pages | sed 's/.*make //' | tr ' ' '\n' |
        grep -E '^[a-z][a-z-]+$' | sort -u); do
        make -pRrqn : 2>/dev/null | grep -qE "^$target:" || { echo "make $target"; bad=1; }
    done
    return $bad
}
check "make targets that are named exist" targets_exist

options_exist() { # example
    local option bad=0
    "${BUILD:-build}/examples/$1" --help >"$scratch/help" || return 1
    for option in $(grep -hE "examples/$1 " README.md examples/README.md | grep -oE -- '--[a-z]+' | sort -u); do
        grep -q -- "$option" "$scratch/help" || { echo "$option"; bad=1; }
    done
    return $bad
}
for example in drop scenes fracture cracks; do
    check "options of $example that are named exist" options_exist $example
done

# Code and tables may be wider, and a line that holds one word alone.
narrow() {
    awk '/^ *```/ { code = !code }
        length($0) > 120 && !code && !/^(    |\|)/ && / .* / { print FILENAME ":" FNR ": " length($0) " columns"; bad = 1 }
        END { exit bad }' $pages
}
check "paragraphs end at 120 columns" narrow

in_index() {
    local page name bad=0
    for page in docs/*.md docs/*/*.md; do
        name=$(basename "$page")
        [ "$name" = README.md ] || grep -qF "]($name)" "$(dirname "$page")/README.md" || { echo "$page"; bad=1; }
    done
    return $bad
}
check "the README of a folder of pages has all of them" in_index

# The version is the headers'.
check "find_package asks for this version" \
    grep -q "find_package(pbs $(sed -n 's/^#define PBS_VERSION_[A-Z]* *\([0-9]*\).*/\1/p' include/pbs/base.h | head -n 2 | paste -sd.)" README.md
finish
