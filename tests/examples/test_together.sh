#!/usr/bin/env bash
# Stiff, soft and thin bodies in one world, with nothing set but gravity: the program plays and leaves its files.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

together=${BUILD:-build}/examples/together
[ -x "$together" ] || { echo "$together is not built (make examples)"; exit 77; }

check "twelve frames" "$together" --frames 12 --threads 1 --out "$scratch/out"
for file in together.html together.png together_sheet.png together.glb together_energy.csv; do
    check "$file" test -s "$scratch/out/$file"
done
check "a line for each frame, the start and the head" test "$(wc -l <"$scratch/out/together_energy.csv")" = 14
finish
