#!/usr/bin/env bash
# Runs a fuzz target's plain driver over its corpus: scripts/run_corpus.sh PROGRAM CORPUS
# SPDX-License-Identifier: MIT
set -u
files=$(find "$2" -type f 2>/dev/null | sort)
if [ -z "$files" ]; then
    echo "no files in $2"
    exit 1
fi
while read -r file; do
    if "$1" "$file"; then echo "ok - $file"; else echo "not ok - $file"; fi
done <<<"$files" | tee /dev/stderr | grep -q '^not ok' && exit 1
exit 0
