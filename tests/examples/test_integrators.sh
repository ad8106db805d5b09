#!/usr/bin/env bash
# The program that shows integrators side by side: every scene, its files, and what it refuses.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

integrators=${BUILD:-build}/examples/integrators
[ -x "$integrators" ] || { echo "$integrators is not built (make examples)"; exit 77; }

moves() { "$integrators" --frames 6 --cells 2 --out "$scratch/out" "$@"; }
for scene in soft-cube stiff-cube twisted-bar; do
    check "$scene" moves --scene $scene --name $scene
    check "$scene: all files" test -s "$scratch/out/$scene.html" -a -s "$scratch/out/$scene.png" \
        -a -s "$scratch/out/${scene}_sheet.png" -a -s "$scratch/out/$scene.glb" -a -s "$scratch/out/${scene}_energy.csv"
done
check "an energy for each frame, a column for each integrator" test \
    "$(awk -F, 'NF == 8' "$scratch/out/soft-cube_energy.csv" | wc -l)" = 8

says() { # words, options...: fails, and the words are in what it says
    local words=$1
    shift
    moves "$@" >"$scratch/said" 2>&1 && return 1
    grep -q -- "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}
check "refuses a scene that is none" says '"lamp"' --scene lamp
check "refuses a step of no length" says '--dt' --dt 0
finish
