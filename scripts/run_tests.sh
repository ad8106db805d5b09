#!/usr/bin/env bash
# Runs tests, TEST_JOBS at a time, and counts their cases.
#   scripts/run_tests.sh "label: command" ...
# One line per test with its result, its time and its processor time; the output of failing ones only, and the end of it
# once more after all, where whoever sees but the end of a long log finds it. A command fails by its exit status;
# 77 means that it was skipped, for the reason its last line gives. Cases are counted from cmocka's summary
# lines or from lines "ok - ...", "not ok - ..." and "skip - ..."; a test that prints neither is one case. Lines
# "note - ..." are shown and change nothing.
# A test that takes longer than TEST_TIMEOUT seconds (900) fails. Ends with "N passed, M failed" (and ", K skipped").
# SPDX-License-Identifier: MIT
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
# Idle threads of OpenBLAS wait by yielding, which costs the tests beside them most of their time.
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"

jobs=${TEST_JOBS:-2}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
passed=0 failed=0 skipped=0 processor=0 failures=()

# sum PATTERN FILE: adds up the first number in each line that matches.
sum() {
    grep -aE "$1" "$2" | sed -E 's/[^0-9]*([0-9]+).*/\1/' | awk '{ s += $1 } END { print s + 0 }'
}

run_one() { # number, command
    local TIMEFORMAT='%R %U %S' status
    {
        time timeout "${TEST_TIMEOUT:-900}" bash -c "$2" >"$logs/$1.out" 2>&1 </dev/null
        status=$?
    } 2>"$logs/$1.time"
    echo "$status $(tail -n 1 "$logs/$1.time")" >"$logs/$1.tmp"
    mv "$logs/$1.tmp" "$logs/$1.done"
}

output_of() { # number, lines at most
    grep -av '^ok - ' "$logs/$1.out" | sed 's/^/    | /' | tail -n "$2"
}

report() { # number, label
    local log=$logs/$1.out status wall user system p f s word
    read -r status wall user system <"$logs/$1.done"
    p=$(($(sum '^\[  PASSED  \] [0-9]+ test' "$log") + $(grep -acE '^ok - ' "$log")))
    f=$(($(sum '^\[  FAILED  \] .*[0-9]+ test\(s\), listed' "$log") + $(grep -acE '^not ok - ' "$log")))
    s=$(($(sum '^\[  SKIPPED \] .*[0-9]+ test\(s\), listed' "$log") + $(grep -acE '^skip - ' "$log")))
    # A skip without a reason is a failure.
    if [ "$status" = 77 ] && [ "$f" = 0 ] && [ -s "$log" ]; then
        p=0 f=0 s=1
    elif [ "$status" != 0 ] && [ "$f" = 0 ]; then
        f=1
    elif [ "$status" = 0 ] && [ $((p + f + s)) = 0 ]; then
        p=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))

    word=ok
    [ "$s" = 0 ] || word="ok, $s skipped"
    [ "$s" = 0 ] || [ "$status" != 77 ] || word="skipped: $(tail -n 1 "$log")"
    [ "$f" = 0 ] || word="FAILED ($f of $((p + f)), exit status $status)"
    processor=$(awk "BEGIN { print $processor + $user + $system }")
    printf '%-52s %4d cases %7.1f s %7.1f s  %s\n' "$2" $((p + f + s)) "$wall" \
        "$(awk "BEGIN { print $user + $system }")" "$word"
    if [ "$f" != 0 ]; then
        failures+=("$1")
        output_of "$1" 100
        return
    fi
    grep -a '^note - ' "$log" | sed 's/^/    | /'
    if [ "$status" != 77 ] && [ "$s" != 0 ]; then
        grep -aE '^(skip - |\[  SKIPPED \] )' "$log" | grep -av 'test(s)' | sort -u | sed 's/^/    | /'
    fi
}

# Tests start in the order given and are reported as they end.
next=1 running=()
labels=() commands=()
for item in "$@"; do
    labels+=("${item%%: *}") commands+=("${item#*: }")
done
while [ "$next" -le $# ] || [ ${#running[@]} -gt 0 ]; do
    while [ "$next" -le $# ] && [ ${#running[@]} -lt "$jobs" ]; do
        run_one "$next" "${commands[$((next - 1))]}" &
        running+=("$next")
        next=$((next + 1))
    done
    wait -n 2>/dev/null
    still=()
    for i in ${running[@]+"${running[@]}"}; do
        if [ -e "$logs/$i.done" ]; then report "$i" "${labels[$((i - 1))]}"; else still+=("$i"); fi
    done
    running=(${still[@]+"${still[@]}"})
done

for i in ${failures[@]+"${failures[@]}"}; do
    echo "FAILED: ${labels[$((i - 1))]}"
    output_of "$i" 20
done
printf 'processor time: %.0f s\n' "$processor"
line="$passed passed, $failed failed"
[ "$skipped" = 0 ] || line="$line, $skipped skipped"
echo "$line"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
