#!/usr/bin/env bash
# The program that drops a body: every obstacle and material, the fields of its .vtu files, and what it refuses.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

drop=${BUILD:-build}/examples/drop
mesh=tests/data/reader_cases/gmsh22_plain.msh
[ -x "$drop" ] || { echo "$drop is not built (make examples)"; exit 77; }

falls() { "$drop" --mesh $mesh --frames 2 --out "$scratch/out" "$@"; }
for obstacle in ground sphere bowl box capsule cylinder wedge; do
    check "onto $obstacle" falls --obstacle $obstacle
done
for material in fixed-corotated neo-hookean stable-neo-hookean st-venant-kirchhoff; do
    check "made of $material" falls --material $material --name $material
    check "$material: all files" test -s "$scratch/out/$material.html" -a -s "$scratch/out/$material.png" \
        -a -s "$scratch/out/${material}_sheet.png" -a -s "$scratch/out/$material.glb" -a -s "$scratch/out/${material}_energy.csv"
done

check "--vtu" falls --vtu --name fields
for field in 'Name="velocity" NumberOfComponents="3"' 'Name="contact_force" NumberOfComponents="3"' \
    'Name="stress" NumberOfComponents="9"'; do
    check "each .vtu has $field" test "$(grep -la "$field" "$scratch"/out/fields_000[012].vtu | wc -l)" = 3
done
check "the series lists them" test "$(grep -c 'fields_000[012].vtu' "$scratch/out/fields.pvd")" = 3

says() { # words, options...: fails, and the words are in what it says
    local words=$1
    shift
    falls "$@" >"$scratch/said" 2>&1 && return 1
    grep -q -- "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}
check "refuses an obstacle that is none" says '"cone"' --obstacle cone
check "refuses a material that is none" says '"jelly"' --material jelly
check "refuses a step of no length" says '--dt' --dt 0
check "refuses a negative modulus" says 'young is -1' --young -1
check "refuses a Poisson ratio of 0.5" says 'poisson is 0.5' --poisson 0.5
check "refuses a mesh that is not there" says 'nowhere.msh' --mesh nowhere.msh
check "refuses an inverted mesh" says 'inverted' --mesh tests/data/reader_cases/gmsh22_inverted.msh
finish
