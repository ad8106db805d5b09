#!/usr/bin/env bash
# The program that breaks bonded bodies: every scene, a mesh of one's own, its files, and what it refuses.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

fracture=${BUILD:-build}/examples/fracture
mesh=tests/data/reader_cases/gmsh22_plain.msh
[ -x "$fracture" ] || { echo "$fracture is not built (make examples)"; exit 77; }

breaks() { "$fracture" "$@" --threads 1 --out "$scratch/out" >"$scratch/said" 2>&1 || { cat "$scratch/said"; return 1; }; }
for scene in stretch twist drape soft-drape plate wall; do
    check "$scene" breaks $scene --detail 0.002 --frames 2
done
check "chocolate" breaks chocolate --detail 0.01 --frames 3 --seed 2
check "some of it is broken" awk '/^frame   3/ { found = $13 > 0 } END { exit !found }' "$scratch/said"
for file in chocolate.html chocolate.png chocolate_sheet.png chocolate.glb chocolate_energy.csv; do
    check "$file" test -s "$scratch/out/$file"
done
check "broken bonds over time" grep -q 'broken bonds,fragments' "$scratch/out/chocolate_energy.csv"
check "explicit steps" breaks drape --detail 0.001 --frames 1 --dt 0.001 --scheme explicit
check "a mesh of one's own" breaks --mesh $mesh --frames 2 --size 0.5 --name own
check "all its files" test -s "$scratch/out/own.html" -a -s "$scratch/out/own_energy.csv"

says() { # words, options...: fails, and the words are in what it says
    local words=$1
    shift
    "$fracture" "$@" >"$scratch/said" 2>&1 && return 1
    grep -q -- "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}
check "a scene that is none" says 'there is no scene "glass"' glass
check "a scheme that is none" says 'there is no "verlet"' twist --scheme verlet
lists() { "$fracture" --help | grep -q 'chocolate  '; }
check "help lists the scenes" lists
check "a negative step" says 'must not be negative' twist --dt -1
check "a mesh that is not there" says 'no mesh to drop' --mesh "$scratch/none.msh"
finish
