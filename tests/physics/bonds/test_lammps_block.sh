#!/usr/bin/env bash
# What tests/data/lammps_block says that LAMMPS does is what it does, where it is installed.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../../scripts/checks.sh"

if ! command -v lmp >/dev/null; then
    echo "skip - LAMMPS is not installed: its block of peridynamics is as it was recorded"
    finish
fi
data=$PWD/tests/data/lammps_block
runs() { (cd "$scratch" && OMP_NUM_THREADS=1 lmp -log none -in "$data/block.in" >lammps.out); }
check "LAMMPS runs the block" runs
awk -f "$data/table.awk" "$scratch/begin.txt" "$scratch/end.txt" >"$scratch/block.csv"

# To 1e-16 m, a few times what rounding makes of coordinates of 1e-2 m; sums of 19683 of them to 1e-12 of themselves.
agrees() {
    paste -d, "$data/block.csv" "$scratch/block.csv" | awk -F, '
        function distant(a, b) { return a > b ? a - b : b - a }
        /^sum|^squares/ { for (k = 2; k <= 4; k++) bad += distant($k, $(4 + k)) > 1e-12 * $k }
        /^[0-9]/ { rows++; bad += $1 != $5; for (k = 2; k <= 4; k++) bad += distant($k, $(4 + k)) > 1e-16 }
        END { exit !(rows == 210 && bad == 0) }'
}
check "and moves its particles as is recorded" agrees
finish
