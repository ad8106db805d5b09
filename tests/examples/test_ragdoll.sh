#!/usr/bin/env bash
# A ragdoll of soft limbs falls: its joints hold, and stay within their limits, energy never rises, and it comes to rest
# on the ground.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

ragdoll=${BUILD:-build}/examples/ragdoll
[ -x "$ragdoll" ] || { echo "$ragdoll is not built (make examples)"; exit 77; }

check "it falls on level ground" plays "$ragdoll" --stairs 0 --frames 80 --spacing 0.055
check "all files" leaves_files ragdoll
# Ten joints of limbs.
check "flesh is attached to bones" fact 'v["attached"] > 50 && v["joints"] == v["attached"] + 10'
# Joints hold to 1e-8 of the larger body, at most 0.6 m with its flesh, 0.43 m without.
check "joints hold" fact 'v["largest_gap"] < 6e-9'
# Angles are held to that length over half of the smaller bone, at least 0.08 m.
check "hinges stay within their limits" fact 'v["beyond_limits"] < 6e-9 / 0.08'
check "so do limbs on balls" fact 'v["beyond_swing"] < 6e-9 / 0.08'
# Implicit Euler takes energy out, and joints do work along their gaps only, 6e-9 m with forces of 1e4 N.
check "energy never rises" fact 'v["lost"] > 100 && v["energy_rise"] < 1e-4'
# The hip's bone is inside of its own flesh, and no higher than the thickest with the contact distance of that, 5e-3 of 0.4 m.
check "it lies on the ground" fact 'v["fell"] > 0.7 && v["hip"] > 0.015 && v["hip"] < 0.142'
check "at rest: a thousandth of the kinetic energy is left" fact 'v["kinetic"] < 1e-3 * v["kinetic_most"]'
check "nothing goes through anything" fact 'v["overlaps"] == 0'
check "all steps converged" fact 'v["unconverged"] == 0'
check "refuses flesh without vertices" says '--spacing must be' "$ragdoll" --spacing 1
finish
