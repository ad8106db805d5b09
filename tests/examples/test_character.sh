#!/usr/bin/env bash
# A fine mesh in a coarse soft body: it goes along exactly where the body moves as a whole, is between two steps
# halfway, and is no farther from the body than that has been stretched.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

character=${BUILD:-build}/examples/character
[ -x "$character" ] || { echo "$character is not built (make examples)"; exit 77; }

check "it falls down from the ledge" plays "$character"
check "all files" leaves_files character
check "the mesh is finer than the body" fact 'v["tets"] > 100 && v["triangles"] > 10 * v["tets"]'
# Sums of four products of numbers below 2, each rounded to 1e-16 of it.
check "a rigid motion carries it exactly" fact 'v["rest_error"] < 4e-15'
check "a frame between two steps is halfway" fact 'v["halfway"] < 4e-15'
check "single precision is that of the last place" fact 'v["rounding"] > 0 && v["rounding"] <= 1'
# F o of an offset o is no longer than the largest stretch of F times o, and F a mean of those of tetrahedra.
check "parts that stick out stay as far out as the body is stretched" \
    fact 'v["offset"] > 0.05 && v["stretched"] >= 1 && v["stretched"] <= v["stretch"]'
# The body does not go through the ground.
check "nothing but these is ever below the ground" fact 'v["through"] < v["longest"]'
# Belly and head are balls of a diameter of 0.34 and 0.32 m.
check "it lies on the ground" fact 'v["top"] < 0.34'
check "nothing goes through anything" fact 'v["overlaps"] == 0'
check "no step was divided, all converged" fact 'v["divided"] == 0 && v["unconverged"] == 0'
check "refuses a mesh without triangles" says '--segments 8 to 400' "$character" --segments 2
finish
