#!/usr/bin/env bash
# The order of the library's folders, from the includes alone (scripts/rooms.pl): floors, circles among modules and rooms, the
# picture in docs/architecture.md and its table of rooms. And how many files a folder holds, anywhere in the tree.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

rooms=$PWD/scripts/rooms.pl

check "each file includes its own floor or lower ones" "$rooms" floors
check "no circle among modules or rooms that is not listed" "$rooms" circles

picture_is_current() {
    "$rooms" picture >"$scratch/rooms.svg" && cmp "$scratch/rooms.svg" docs/pictures/rooms.svg || { echo "make rooms draws it anew"; return 1; }
}
check "docs/pictures/rooms.svg is what the includes say" picture_is_current

rooms_are_described() {
    local room status=0
    for room in $(find src -mindepth 1 -type d); do
        grep -q "^|.*\`$room\` |" docs/architecture.md || { echo "docs/architecture.md has no row for $room"; status=1; }
    done
    return $status
}
check "every folder of src has a row in docs/architecture.md" rooms_are_described

# Folders of data may hold more: each file there is a case by itself, which nobody reads beside the others. So may the
# public headers, whose names are part of the interface: hosts include pbs/pbs.h, or one of them.
DATA="tests/data/reader_cases    meshes that readers accept or refuse
fuzz/corpus                seeds, as many as fuzzers have found
docs/pictures              what pages show
include/pbs                the public headers"

is_data() { # folder
    local data
    for data in $(echo "$DATA" | cut -d' ' -f1); do
        case $1/ in $data/*) return 0 ;; esac
    done
    return 1
}
rooms_are_small() { # folder, in which all folders are looked at
    local folder files status=0
    for folder in $(cd "$1" && find * \( -path "${BUILD:-build}" -o -path build -o -path demo -o -name node_modules \) -prune -o -type d -print); do
        files=$(find "$1/$folder" -maxdepth 1 -type f -not -name '*.so*' -not -name '*.a' | wc -l)
        [ "$files" -le 20 ] || is_data "$folder" || { echo "$folder holds $files files"; status=1; }
    done
    return $status
}
check "no folder holds more than twenty files, but for data and the public headers" rooms_are_small .
data_is_there() {
    local folder status=0
    for folder in $(echo "$DATA" | cut -d' ' -f1); do
        [ -d "$folder" ] || { echo "$folder is listed and not there"; status=1; }
    done
    return $status
}
check "the folders of data that are listed exist" data_is_there

# A tree in which everything is wrong, for the script to find.
make_tree() (
    mkdir -p "$scratch/src/base/low" "$scratch/src/base/high" "$scratch/src/world" &&
        cd "$scratch" &&
        touch src/base/low/x.c src/base/high/y.c src/world/world.h &&
        mkdir -p bench/full bench/crowded fuzz/corpus/many &&
        touch bench/full/{1..20}.c bench/crowded/{1..21}.c fuzz/corpus/many/{1..21} &&
        echo '#include "base/high/y.h"' >src/base/low/x.h &&
        echo '#include "base/low/x.h"' >src/base/high/y.h &&
        echo '#include "world/world.h"' >src/base/high/y_kernel.h
)
says() { # command of rooms.pl, line
    (cd "$scratch" && ! "$rooms" "$1" >said && grep -qxF "$2" said)
}
crowds() { # fails where anything but the one crowded folder is reported
    rooms_are_small "$scratch" >"$scratch/said"
    [ "$(cat "$scratch/said")" = "bench/crowded holds 21 files" ]
}
make_tree || exit 1
check "a circle of two modules is found" says circles "circle: base/high/y base/low/x"
check "a circle of two rooms is found" says circles "circle: base/high base/low"
check "an include of a higher floor is found" \
    says floors "src/base/high/y_kernel.h (floor 1) includes world/world.h (floor 7)"
check "a folder of twenty-one files is found, and neither one of twenty nor one of data" crowds
finish
