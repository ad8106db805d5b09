#!/usr/bin/env bash
# A tent that is drawn tight, and then stands in the wind: its ropes pull, are as long as they may be, and bear with the
# poles what weight and wind ask for.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

tent=${BUILD:-build}/examples/tent
[ -x "$tent" ] || { echo "$tent is not built (make examples)"; exit 77; }

stands() { # how high the ridge is, and how well forces balance
    check "the tent stands" fact "v[\"ridge\"] > $1"
    check "every rope is taut" fact 'v["rope_least"] > 1'
    check "a rope pulls along itself" fact 'v["rope_across"] < 1e-6 * v["rope_most"]'
    check "no rope is longer than it may be" fact 'v["rope_longer"] < 1e-7'
    check "ropes and poles bear the weight" fact '(v["ground_y"] + v["wind_y"] - v["weight"])^2 < (v["weight"] / 100)^2'
    check "and the wind" fact '(v["ground_x"] + v["wind_x"])^2 < (0.01 * v["weight"])^2'
    check "and along the ridge" fact '(v["ground_z"] + v["wind_z"])^2 < (0.01 * v["weight"])^2'
    check "forces balance" fact "v[\"unbalanced\"] < $2"
    check "nothing goes through anything" fact 'v["overlaps"] == 0'
}
check "three seconds without wind" plays "$tent" --cells 12 --frames 180 --wind 0
check "all files" leaves_files tent
stands 1.1 1e-3
check "three seconds with wind" plays "$tent" --cells 12 --frames 180 --wind 8
# 6.72 m^2 at 35 degrees: 1/2 1.2 1.2 6.72 sin^3 35 64 m^2/s^2 = 58 N, and the sheet bends.
check "it pushes as on two plates" fact 'v["wind_x"] > 45 && v["wind_x"] < 75'
stands 1.0 1e-2
check "refuses an odd number of cells" says 'multiple of 4' "$tent" --cells 13
finish
