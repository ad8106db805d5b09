#!/usr/bin/env bash
# Fuzzes one target from its corpus: scripts/run_fuzzer.sh PROGRAM CORPUS SECONDS
# Inputs come in the same order each time, so that a check that passed passes again: a longer run goes further down
# the same list. FUZZ_SEED=0 takes another list each time, for who hunts.
# libFuzzer ends with 77 where it finds something, which is "skipped" to who runs tests: hence another status.
# What it finds along the way stays beside the program; a failing input is kept there too, and shown.
# SPDX-License-Identifier: MIT
set -eu
found=$(mktemp -d "$1.found.XXXXXX")
status=0
"$1" "$found" "$2" -seed="${FUZZ_SEED:-1}" -max_total_time="$3" -timeout=60 -rss_limit_mb=2048 \
    -error_exitcode=1 -artifact_prefix="$1." -print_final_stats=1 || status=$?
if [ "$status" != 0 ]; then
    for input in "$1".crash-* "$1".timeout-* "$1".oom-* "$1".leak-*; do
        if [ -e "$input" ]; then echo "$input:" && base64 "$input"; fi
    done
fi
exit "$status"
