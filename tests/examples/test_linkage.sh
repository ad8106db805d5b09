#!/usr/bin/env bash
# A motor-driven linkage in clay: it closes, the crank turns as the motor says, the clay keeps a dent where it flows and
# none where it does not, and a motor that is too weak stalls at its torque.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

linkage=${BUILD:-build}/examples/linkage
[ -x "$linkage" ] || { echo "$linkage is not built (make examples)"; exit 77; }

holds() {
    check "hinges hold to the 1e-9 m that they are told" fact 'v["hinge_gap"] < 1e-9'
    # Affine bodies have the energy k V |A^T A - 1|^2 with k = 1e7 Pa by default, so a bar of the section S = (3 cm)^2
    # that bears F along itself is strained by F / (8 k S). Its hinges bear F and more.
    check "bars stretch no more than they must" fact 'v["stretch"] < v["bearing"] / (8e7 * 0.03^2)'
    check "nothing goes through anything" fact 'v["overlaps"] == 0'
    check "all steps converged, none was divided" fact 'v["unconverged"] == 0 && v["divided"] == 0'
}
turns() {
    # 4 rad/s for 1.6 s. Each of 96 steps may miss by the tolerance over the arm, half of the crank's extent of 9 cm.
    check "the crank turns as the motor says" \
        fact '(v["angle"] - 6.4)^2 < (96 * 1e-9 / 0.045)^2 && v["lag"]^2 < (96 * 1e-9 / 0.045)^2'
    check "by less torque than the motor has" fact "v[\"torque_most\"] > 10 && v[\"torque_most\"] < 0.9 * $1"
    check "the motor's work is dissipated, or stored, or lost by the scheme" \
        fact 'v["dissipated"] > 1 && v["work"] > v["dissipated"] + v["stored"]'
    check "the paddle was in the clay by centimetres, and has left it" \
        fact 'v["deepest"] > 0.03 && v["pressed"] > 100 && v["felt"] == 0'
}

check "a turn of the crank" plays "$linkage" --cells 10 --frames 96
check "all files" leaves_files linkage
turns 80
holds
check "the clay keeps most of the dent" fact 'v["dent"] > 0.5 * v["deepest"] && v["dent"] <= v["deepest"]'

check "a turn in clay that does not flow" plays "$linkage" --cells 10 --frames 96 --yield 0 --torque 300
turns 300
holds
# Friction at the ground can hold no more of a strain than the clay's weight causes. That has shortened it by density g
# height^2 / 2 over the modulus of a layer, 1.35 of Young's for Poisson's 0.3.
check "it comes back" fact 'v["dent"] < 1700 * 9.81 * 0.15^2 / (2 * 1.35 * 1e5)'

check "a motor of 5 N m" plays "$linkage" --cells 10 --frames 96 --torque 5
check "stalls" fact 'v["lag"] > 1'
check "at its torque" fact '(v["torque_most"] - 5)^2 < 1e-6^2 && v["torque_least"] > -5 - 1e-6'
holds
check "refuses clay without cells" says '--cells must be' "$linkage" --cells 2
finish
