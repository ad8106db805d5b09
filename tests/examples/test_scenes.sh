#!/usr/bin/env bash
# The program that plays scenes in which bodies touch: by name and from a file, its files, and what it refuses.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

scenes=${BUILD:-build}/examples/scenes
[ -x "$scenes" ] || { echo "$scenes is not built (make examples)"; exit 77; }

plays() { "$scenes" "$@" --out "$scratch/out" --threads 1; }
has_files() {
    test -s "$scratch/out/$1.html" -a -s "$scratch/out/$1.png" -a -s "$scratch/out/${1}_sheet.png" \
        -a -s "$scratch/out/$1.glb" -a -s "$scratch/out/${1}_energy.csv"
}
lines() { [ "$(wc -l <"$scratch/out/$1_energy.csv")" = "$2" ]; }

for scene in ball_soft ball_affine dice stairs trampoline chain splash membrane; do
    check "$scene" plays $scene --frames 1
    check "$scene: all files" has_files $scene
done
# Obstacles that move, stand still and are the ground; and none.
for scene in opt_1_bowl opt_10_moved_out opt_12_hole opt_14_stack; do
    check "$scene" plays $scene --frames 1
    check "$scene: all files" has_files $scene
done
check "the first argument or an option" plays --scene ball_stiff --frames 4 --scheme bdf2 --name bdf2
check "a line for each frame, the start and the head" lines bdf2 6
# A frame is a sixtieth of a second, or a step that is longer.
check "many steps a frame" plays ball_medium --step 0.001 --frames 2 --name fine
check "2 frames of 17 steps" grep -q '^0.034' "$scratch/out/fine_energy.csv"

# One tetrahedron falls on the ground, beside a plate of one triangle that is pushed sideways.
cat >"$scratch/tet.txt" <<END
name tet
energy NH
integrator BE
dt 0.02
steps_total 5
gravity 0 -9.8 0
bbox_diag 1.7
dhat 0.01
eps_v 0.01
self_friction 0.1
friction_iterations 1
newton_tol 1e-4
kappa_suggested 1e5
halfspace 0 0 0  0 1 0  friction 0.1
halfspace 0 -9 0  1 1 0  friction 0.1
components 2
0 4 0 1 3 1000 1e5 0.4
4 7 1 1 2 1000 1e5 0.4
nodes 7
0 0.05 0  0 0.05 0
1 0.05 0  1 0.05 0
0 1.05 0  0 1.05 0
0 0.05 1  0 0.05 1
3 0.5 0  3 0.5 0
4 0.5 0  4 0.5 0
3 0.5 1  3 0.5 1
tets 1
0 1 2 3
surface_tris 5
0 2 1
0 3 2
0 1 3
1 2 3
4 5 6
segments 0
dirichlet 3
4 5 6
motions 1
translate 0.1 0 0 0 0 0 0 3 4 5 6
END
check "a scene of one text file" plays "$scratch/tet.txt"
check "a file: all files" has_files tet
check "a file: as many steps as it says" lines tet 7
check "a file by an option" plays --file "$scratch/tet.txt" --frames 2 --name two
check "a file: as many frames as are asked for" lines two 4

# An interrupted run writes what it has: all files, a line for each frame so far. It ends as soon as
# its first frame is told of, long before all are.
interrupted() {
    "$scenes" ball_soft --frames 100000 --threads 1 --name half --out "$scratch/out" >"$scratch/told" &
    local run=$! waited=0
    while [ ! -s "$scratch/told" ] && [ $waited -lt 600 ]; do sleep 0.1; waited=$((waited + 1)); done
    kill -TERM $run && wait $run && has_files half && [ "$(wc -l <"$scratch/out/half_energy.csv")" -ge 3 ]
}
check "a run that is stopped leaves what there is" interrupted

# What a file may leave out: nearly everything.
{
    printf 'components 1\n0 4 0 1 3 1000 1e5 0.4\n'
    sed -n '/^dt\|^steps_total/p; /^nodes/,/^0 0.05 1/p; /^tets/,/^0 1 2 3/p' "$scratch/tet.txt" | sed 's/^nodes 7/nodes 4/'
} >"$scratch/least.txt"
check "a file that says no more than it must" plays "$scratch/least.txt" --name least
check "it goes on as long as it says" lines least 7
sed '/^steps_total/d' "$scratch/least.txt" >"$scratch/endless.txt"

says() { # words, arguments...: fails, and the words are in what it says
    local words=$1
    shift
    plays "$@" >"$scratch/said" 2>&1 && return 1
    grep -q -- "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}
check "refuses a scene that is none" says '"lamp"' --scene lamp
check "and lists those that are" says 'trampoline' lamp
check "refuses a folder without the mesh" says 'opt_13_squeezed cannot be made' opt_13_squeezed --meshes "$scratch/none"
check "as it does with schemes" says 'tr-bdf2' ball_soft --scheme guess
check "refuses a file that is not there" says 'cannot be opened' "$scratch/none.txt"
check "asks how long to go on where a file does not say" says 'steps_total' "$scratch/endless.txt"
check "refuses a scheme that is none" says '"guess"' ball_soft --scheme guess
check "refuses a step backwards" says '--step' ball_soft --step -1
sed 's/^0 1 2 3$/0 1 2 9/' "$scratch/tet.txt" >"$scratch/wrong.txt"
check "refuses a node that is none, with its line" says 'line 28' "$scratch/wrong.txt"
# The tetrahedron stands in the ground.
sed 's/0\.05 \([01]\)$/-0.05 \1/' "$scratch/tet.txt" >"$scratch/deep.txt"
check "refuses a scene that begins with an intersection" says 'no gap' "$scratch/deep.txt"
finish
