#!/usr/bin/env bash
# The library's binary interface, recorded and checked.
#   scripts/abi.sh record LIBRARY HEADERS RECORD    writes RECORD/libpbs.abi and RECORD/layout.txt
#   scripts/abi.sh check  LIBRARY HEADERS RECORD    fails if a host that was built for the record would break
# LIBRARY is a shared library with debug information, HEADERS the folder that holds pbs/.
#
# Two views, since each misses something. abidiff follows types from the exported functions, and so never sees
# constants that travel as int32_t; the layout table (abi_layout.pl, abi_compare.pl) holds every public struct and constant.
# SPDX-License-Identifier: MIT
set -eu
here=$(dirname "$0")
action=$1 library=$2 headers=$3 record=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

layout() {
    (cd "$headers" && printf '#include <%s>\n' pbs/*.h) >"$scratch/all.c"
    gcc -std=c11 -g -gdwarf-4 -fno-eliminate-unused-debug-types -I"$headers" -c "$scratch/all.c" -o "$scratch/all.o"
    perl "$here/abi_layout.pl" "$scratch/all.o"
}

# What the exported functions take and give, in XML: public_view FILE. What no public header defines is opaque to a host.
# (abidw can be given the headers, but then knows them by their last name only and takes src/world/objects/body.h for pbs/body.h.
# The label is the one under which it makes types opaque itself; with another, parameters of such types vanish.)
public_view() {
    cat >"$scratch/public.suppr" <<'END'
[suppress_type]
  label = Artificial private types suppression specification
  drop = yes
  source_location_not_regexp = (^|/)pbs/[a-z_]*[.]h$

[suppress_function]
  drop = yes
  name_not_regexp = ^pbs_
END
    abidw --exported-interfaces-only --suppressions "$scratch/public.suppr" --no-comp-dir-path --no-corpus-path \
        --no-elf-needed --no-show-locs --type-id-style hash --out-file "$1" "$library"
}

# A struct that states its own size may grow at its end, and one with reserved members may use these, which the layout
# table has looked at; all the rest that abidiff reports is a failure.
growing_structs() {
    awk '$1 == "struct" { name = $2; first = 1 }
         $1 == "member" && first { first = 0
             if ($3 == "struct_size")
                 printf "[suppress_type]\n  type_kind = struct\n  name = %s\n  has_data_member_inserted_at = end\n\n", name }
         $1 == "member" && $3 == "reserved" { printf "[suppress_type]\n  type_kind = struct\n  name = %s\n\n", name }' \
        "$record/layout.txt"
}

readelf --sections --wide "$library" | grep -q "[.]debug_info" || { echo "$library has no debug information: build it with -g"; exit 1; }

case $action in
record)
    mkdir -p "$record"
    layout >"$record/layout.txt"
    public_view "$record/libpbs.abi"
    ;;
check)
    status=0
    layout >"$scratch/layout.txt"
    perl "$here/abi_compare.pl" "$record/layout.txt" "$scratch/layout.txt" || status=1
    growing_structs >"$scratch/growing.suppr"
    public_view "$scratch/libpbs.abi"
    abidiff --no-added-syms --suppressions "$scratch/growing.suppr" "$record/libpbs.abi" "$scratch/libpbs.abi" || status=1
    if [ $status != 0 ]; then
        echo "The binary interface differs from $record. If that is meant, let ABI in mk/flags.mk grow where programs that"
        echo "use a release would break, say so in CHANGELOG.md under abi, and record it: make abi-record"
    fi
    exit $status
    ;;
*)
    echo "abi.sh: record or check, not $action" >&2
    exit 2
    ;;
esac
