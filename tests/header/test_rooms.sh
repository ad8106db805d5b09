#!/usr/bin/env bash
# The order of the library's folders, from the includes alone (scripts/rooms.pl): floors, circles among modules and rooms, the
# picture in docs/architecture.md and its table of rooms, and how many files a room holds.
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

rooms_are_small() {
    local folder files status=0
    for folder in $(find src tests -name node_modules -prune -o -name support -prune -o -path tests/data -prune -o -type d -print); do
        files=$(find "$folder" -maxdepth 1 -type f | wc -l)
        [ "$files" -le 20 ] || { echo "$folder holds $files files"; status=1; }
    done
    return $status
}
check "no folder of the library or of its tests holds more than twenty files" rooms_are_small

# A tree in which everything is wrong, for the script to find.
make_tree() (
    mkdir -p "$scratch/src/base/low" "$scratch/src/base/high" "$scratch/src/world" &&
        cd "$scratch" &&
        touch src/base/low/x.c src/base/high/y.c src/world/world.h &&
        echo '#include "base/high/y.h"' >src/base/low/x.h &&
        echo '#include "base/low/x.h"' >src/base/high/y.h &&
        echo '#include "world/world.h"' >src/base/high/y_kernel.h
)
says() { # command of rooms.pl, line
    (cd "$scratch" && ! "$rooms" "$1" >said && grep -qxF "$2" said)
}
make_tree || exit 1
check "a circle of two modules is found" says circles "circle: base/high/y base/low/x"
check "a circle of two rooms is found" says circles "circle: base/high base/low"
check "an include of a higher floor is found" \
    says floors "src/base/high/y_kernel.h (floor 1) includes world/world.h (floor 7)"
finish
