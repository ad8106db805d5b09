#!/usr/bin/env bash
# The program that cracks peridynamic plates: every plate, its files, and what it refuses.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

cracks=${BUILD:-build}/examples/cracks
[ -x "$cracks" ] || { echo "$cracks is not built (make examples)"; exit 77; }

runs() { "$cracks" "$@" --threads 1 --out "$scratch/out" >"$scratch/said" 2>&1 || { cat "$scratch/said"; return 1; }; }
check "glass" runs --spacing 1 --until 60 --frames 4
check "its crack has left the notch" awk '/^frame   4/ { found = $7 > 52 } END { exit !found }' "$scratch/said"
for file in glass.png glass_sheet.png glass.csv; do
    check "$file" test -s "$scratch/out/$file"
done
check "a line a frame" awk 'END { exit NR != 5 }' "$scratch/out/glass.csv"
check "soda-lime glass" runs --plate soda-lime --spacing 1 --until 2 --frames 1
check "steel" runs --plate steel --spacing 2 --until 80 --frames 2 --name struck
check "its crack has an angle" grep -q 'degrees to the notch' "$scratch/said"
check "by the name that it is given" test -s "$scratch/out/struck.png"

says() { # words, options...: fails, and the words are in what it says
    local words=$1
    shift
    "$cracks" "$@" --out "$scratch/out" >"$scratch/said" 2>&1 && return 1
    grep -q -- "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}
check "a plate that is none" says 'there is no "wood"' --plate wood
check "no spacing" says 'must be positive' --spacing 0
check "no frames" says 'must be positive' --frames 0
check "no horizon" says 'horizon' --horizon 0.5
check "too many frames" says 'no sheet holds' --frames 100000 --spacing 2
finish
