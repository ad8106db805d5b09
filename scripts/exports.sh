#!/usr/bin/env bash
# The names that the public headers declare with PBS_API, sorted, one per line: scripts/exports.sh [FOLDER]
# With --map NUMBER: as the version script lib/libpbs.map of the binary interface of that number.
# SPDX-License-Identifier: MIT
set -eu
map=
if [ "${1:-}" = --map ]; then map=$2; shift 2; fi
folder=${1:-include/pbs}

# Comments and preprocessor lines go first, so that prose is not taken for a declaration.
names=$(cat "$folder"/*.h |
    perl -0777 -pe 's{/\*.*?\*/}{}gs; s{//[^\n]*}{}g; s{^[ \t]*#(?:[^\n\\]|\\\n|\\.)*}{}gm' |
    perl -0777 -ne 'print "$1\n" while /\bPBS_API\b[^;{]*?\b(pbs_\w+)\s*\(/g' | LC_ALL=C sort -u)

if [ -z "$map" ]; then
    echo "$names"
else
    echo "LIBPBS_$map {"
    echo "    global:"
    echo "$names" | sed 's/.*/        &;/'
    echo "    local:"
    echo "        *;"
    echo "};"
fi
