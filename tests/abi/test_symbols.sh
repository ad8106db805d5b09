#!/usr/bin/env bash
# No external name is defined twice among the objects of the library and what tests, benches and examples share. A linker
# takes the first archive that has a name and does not say that another one has it too.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

build=${BUILD:-build}
archives="$build/libpbs_internal.a $build/libcommon.a $build/libscenes.a $build/libtestsupport.a"

definitions() { # archives: lines "NAME ARCHIVE:MEMBER" of external names, weak ones apart
    nm -A -g --defined-only "$@" | awk '$2 !~ /^[WV]$/ && NF == 3 { sub(/:[^:]*$/, "", $1); print $3, $1 }' | LC_ALL=C sort
}
defined_once() { # archives
    definitions "$@" >"$scratch/definitions"
    awk '{ where[$1] = where[$1] " " $2; count[$1]++ }
        END { for (name in count) if (count[name] > 1) { print name " is defined by" where[name]; bad = 1 } exit bad }' "$scratch/definitions"
}
check "no external name is defined twice" defined_once $archives
for archive in $archives; do
    check "$(basename "$archive") defines names" grep -q " $archive:" "$scratch/definitions"
done

# Two archives that both define a function, as once happened with shape_torus.
make_clash() {
    local name
    for name in library helpers; do
        echo "int shape_torus(void); int only_in_$name(void); int shape_torus(void) { return 0; } int only_in_$name(void) { return 1; }" |
            ${CC:-gcc} -x c -c - -o "$scratch/$name.o" && ar rcs "$scratch/lib$name.a" "$scratch/$name.o" || return 1
    done
}
check "two archives with a name in common are made" make_clash
clash_is_found() {
    defined_once "$scratch/liblibrary.a" "$scratch/libhelpers.a" >"$scratch/said" && return 1
    cat "$scratch/said"
    [ "$(cut -d' ' -f1 "$scratch/said")" = shape_torus ]
}
check "the name that both define is found, and no other" clash_is_found
finish
