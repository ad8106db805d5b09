# For tests of examples that print facts, a name and a number a line: `. scripts/checks.sh`, then this file.
# plays PROGRAM OPTIONS... plays briefly on one thread into $scratch/out; fact CONDITION judges what it printed, as a
# condition of awk in v["name"]; says WORDS PROGRAM OPTIONS... expects it to fail with these words.
# SPDX-License-Identifier: MIT

plays() {
    "$@" --threads 1 --out "$scratch/out" >"$scratch/said" 2>&1 || { tail -3 "$scratch/said"; return 1; }
}

fact() {
    awk "NF == 2 { v[\$1] = \$2 } END { exit !($1) }" "$scratch/said" || { awk 'NF == 2' "$scratch/said"; return 1; }
}

says() {
    local words=$1
    shift
    plays "$@" && return 1
    grep -q -- "$words" "$scratch/said" || { cat "$scratch/said"; return 1; }
}

leaves_files() { # name
    local file
    for file in .html .png _sheet.png .glb _energy.csv; do
        test -s "$scratch/out/$1$file" || { echo "no $1$file"; return 1; }
    done
}
