#!/usr/bin/env bash
# The headers, lib/libpbs.map and both libraries name the same functions, and nothing else is visible.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

lib=$([ "${BUILD:-build}" = build ] && echo lib || echo "$BUILD/lib")
abi=$(sed -n 's/^ABI *:= *//p' mk/flags.mk)

scripts/exports.sh >"$scratch/headers"
sed -n 's/^ *\(pbs_[a-z0-9_]*\);.*/\1/p' lib/libpbs.map | LC_ALL=C sort >"$scratch/map"
nm --defined-only -g "$lib/libpbs.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >"$scratch/archive"
nm --defined-only -D "$lib/libpbs.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$scratch/shared"
nm --undefined-only "$lib/libpbs.a" | awk 'NF == 2 { print $2 }' >"$scratch/undefined"

check "the headers declare something" test -s "$scratch/headers"
check "the map is what the headers declare" diff "$scratch/headers" "$scratch/map"
check "libpbs.a exports the map" diff "$scratch/map" "$scratch/archive"
check "libpbs.so exports the map" diff "$scratch/map" "$scratch/shared"
refuse "no exported name is without pbs_" grep -v '^pbs_' "$scratch/archive" "$scratch/shared"
refuse "no pbs_ name is left undefined" grep '^pbs_' "$scratch/undefined"
refuse "the library neither prints nor ends the process" \
    grep -xE 'printf|puts|putchar|perror|abort|__assert_fail|exit|_exit|setlocale|signal|raise' "$scratch/undefined"
check "the SONAME is libpbs.so.$abi" sh -c "readelf -d $lib/libpbs.so | grep -q 'SONAME.*\[libpbs.so.$abi\]'"
check "the map is of the same interface" diff <(scripts/exports.sh --map "$abi") lib/libpbs.map
check "the shared library runs any processor's code only where it has it" sh -c "! readelf -n $lib/libpbs.so | grep -qE 'x86 ISA needed:.*v[234]'"

# --- hardening ---

check "tables are bound when the library is loaded" sh -c "readelf -dW $lib/libpbs.so | grep -q 'FLAGS.*NOW'"
check "and write-protected then" sh -c "readelf -lW $lib/libpbs.so | grep -q GNU_RELRO"
refuse "no segment is both written and executed" sh -c "readelf -lW $lib/libpbs.so | grep -E '^ *LOAD.* RWE '"
check "functions that read what a host gives have a stack protector" grep -qx __stack_chk_fail "$scratch/undefined"
refuse "debug information names no folder of this machine" grep -laF "$PWD" "$lib/libpbs.so" "$lib/libpbs.a"
finish
