#!/usr/bin/env bash
# Fuzzes one target from its corpus: scripts/run_fuzzer.sh PROGRAM CORPUS SECONDS
# What it finds along the way stays beside the program; a failing input is kept there too.
set -eu
found=$1.found
mkdir -p "$found"
"$1" "$found" "$2" -max_total_time="$3" -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$1." -print_final_stats=1
