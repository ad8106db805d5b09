#!/usr/bin/env bash
# A tent that is drawn tight, and then stands in the wind: its ropes pull, are as long as they may be, and bear with the
# poles what weight and wind ask for.
. "$(dirname "$0")/../../scripts/checks.sh"
. tests/examples/facts.sh

tent=${BUILD:-build}/examples/tent
[ -x "$tent" ] || { echo "$tent is not built (make examples)"; exit 77; }

stands() { # how long the ridge is in the air
    check "the tent stands" fact "v[\"ridge\"] > $1"
    check "every rope is taut" fact 'v["rope_least"] > 1'
    check "a rope pulls along itself" fact 'v["rope_across"] < 1e-6 * v["rope_most"]'
    check "no rope is longer than it may be" fact 'v["rope_longer"] < 1e-7'
    check "ropes and poles bear the weight" fact '(v["ground_y"] / v["weight"] - 1)^2 < 0.01^2'
    check "and the wind" fact '(v["ground_x"] + v["wind"])^2 < (0.01 * v["weight"])^2'
    check "and nothing along the ridge" fact 'v["ground_z"]^2 < (0.01 * v["weight"])^2'
    check "forces balance" fact 'v["unbalanced"] < 1e-3'
    check "nothing goes through anything" fact 'v["overlaps"] == 0'
}
check "three seconds without wind" plays "$tent" --cells 12 --frames 180 --wind 0
check "all files" leaves_files tent
stands 1.1
check "three seconds with wind" plays "$tent" --cells 12 --frames 180 --wind 60
check "it blows on half of the sheet" fact 'v["wind"] > 180 && v["wind"] < 210'
stands 1.0
check "refuses an odd number of cells" says 'multiple of 4' "$tent" --cells 13
finish
