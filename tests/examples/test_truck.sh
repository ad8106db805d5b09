#!/usr/bin/env bash
# A truck on soft tyres: it rolls as far as its motors turn the wheels, the ground carries its weight, its tyres
# flatten, and the motors exert no more than they may.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

truck=${BUILD:-build}/examples/truck
[ -x "$truck" ] || { echo "$truck is not built (make examples)"; exit 77; }

drives() {
    check "tyres are attached at their hubs" fact 'v["attached"] > 100'
    # The last steps are solved until the gradient is below 0.14 N, a millionth of the forces inside. The sum of it over
    # 1448 nodes is below sqrt(1448) times as much.
    check "the ground carries the weight, and what makes it bounce" fact 'v["unbalanced"]^2 < 1448 * 0.14^2'
    check "joints hold to a part in 1e8 of the truck" fact 'v["largest_gap"] < 3e-8'
    check "nothing goes through anything" fact 'v["overlaps"] == 0'
    check "no step was divided, all converged" fact 'v["divided"] == 0 && v["unconverged"] == 0'
}

check "96 frames on flat ground" plays "$truck" --flat --frames 96
check "all files" leaves_files truck
# 5 rad/s for the last 21 frames, in each of which they may miss by 1e-8 of the larger body over half of the smaller,
# here 3 m over 0.23 m.
check "the motors turn the wheels at their speed" fact '(v["turned"] - 5 * 21 / 60)^2 < (21 * 3e-8 / 0.23)^2'
# A wheel that does not slip rolls by more than the height of its hub and less than the radius of the tyre.
check "the truck has gone as far as its wheels have turned" \
    fact 'v["rolling_radius"] > v["hub_height"] && v["rolling_radius"] < 0.38'
# Hertz: a torus of the radii 0.38 and 0.12 m and the modulus 1e6 / (1 - 0.3^2) Pa, infinitely thick, is pressed flat by
# (3 F / (4 E sqrt(R)))^(2/3) = 18 mm by a quarter of 6750 N, R^2 = 0.38 * 0.12. The hub in it leaves less, but not
# half.
check "the tyres are pressed flat a little" fact 'v["hub_height"] < 0.38 - 0.009 && v["hub_height"] > 0.38 - 0.018'
# Torques are about axles of the strained arms.
check "motors exert no more than 400 N m" fact 'v["motor_torque"] > 100 && v["motor_torque"] < 404'
drives

check "40 frames with weak motors" plays "$truck" --flat --frames 40 --torque 50
check "which exert all that they may, 50 N m" fact '(v["motor_torque"] / 50 - 1)^2 < 0.01^2'
drives
check "refuses tyres that are too coarse" says '--spacing must be' "$truck" --spacing 0.2
finish
