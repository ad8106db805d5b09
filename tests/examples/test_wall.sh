#!/usr/bin/env bash
# A wall of welded bricks: what the foundation bears, which welds break, and that nothing goes through anything.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

wall=${BUILD:-build}/examples/wall
[ -x "$wall" ] || { echo "$wall is not built (make examples)"; exit 77; }

check "16 frames" plays "$wall" --courses 5 --bricks 4 --frames 16
check "all files" leaves_files wall
check "every brick is welded" fact 'v["bricks"] == 22 && v["welds"] == 53'
check "the foundation bears the weight" fact '(v["foundation"] / v["weight"] - 1)^2 < 1e-6^2'
check "the ball comes to the wall after 0.15 s, and welds break" \
    fact 'v["broken"] > 0 && v["first_broken"] > 0.14 && v["first_broken"] < 0.16'
check "none breaks below its strength" fact 'v["broken_too_early"] == 0'
check "none holds beyond it" fact 'v["held_too_long"] == 0'
check "joints hold to a part in 1e8 of the wall" fact 'v["largest_gap"] < 1e-8'
check "nothing goes through anything" fact 'v["overlaps"] == 0'
check "no step was divided, all converged" fact 'v["divided"] == 0 && v["unconverged"] == 0'

check "a wall that is too strong to break" plays "$wall" --courses 3 --bricks 2 --strength 1e9 --frames 12
check "stands" fact 'v["broken"] == 0'
check "refuses a wall that is too high" says '--courses is 20 at most' "$wall" --courses 21
check "refuses no steps" says '--steps must be positive' "$wall" --steps 0
finish
