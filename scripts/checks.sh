# For tests written in shell: `. scripts/checks.sh`, then `check NAME COMMAND...` for each fact, `finish` at the end.
# check prints "ok - NAME", or "not ok - NAME" with the command's output; refuse expects the command to fail.
# Each test gets an empty folder, $scratch, which is removed when it ends.
# SPDX-License-Identifier: MIT

set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

judge() { # expected (0 or 1), name, command...
    local expected=$1 name=$2 status=0
    shift 2
    "$@" >"$scratch/.output" 2>&1 || status=1
    if [ "$status" = "$expected" ]; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/#   /' "$scratch/.output"
        failures=$((failures + 1))
    fi
}

check() { judge 0 "$@"; }
refuse() { judge 1 "$@"; }

finish() {
    [ "$failures" = 0 ]
    exit
}
