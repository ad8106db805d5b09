#!/usr/bin/env bash
# The ABI check itself: it must fail on each kind of break and pass what is promised to be harmless.
# A small library (sample/) is recorded; each case edits a copy of it and checks that against the record.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

build() { # folder
    (cd "$1" && gcc -std=c11 -g -fPIC -shared -Wl,-soname,libsample.so.0 -I. sample.c -o libsample.so)
}

original=$scratch/original
cp -r tests/abi/sample "$original"
build "$original"
check "a record is written" scripts/abi.sh record "$original/libsample.so" "$original" "$scratch/record"
check "the record holds no path of this machine" sh -c "! grep -rE '$scratch|/usr/|$PWD' '$scratch/record'"

edited() { # sed scripts for the header, the source and the private header
    rm -rf "$scratch/copy"
    cp -r tests/abi/sample "$scratch/copy"
    sed -i "$1" "$scratch/copy/pbs/sample.h"
    sed -i "${2:-}" "$scratch/copy/sample.c"
    sed -i "${3:-}" "$scratch/copy/inside/sample.h"
    ! diff -r tests/abi/sample "$scratch/copy" >/dev/null || { echo "the edit changed nothing"; return 3; }
    build "$scratch/copy" || return 3
}
against_record() {
    scripts/abi.sh check "$scratch/copy/libsample.so" "$scratch/copy" "$scratch/record" >"$scratch/.verdict" 2>&1 && return 0
    cat "$scratch/.verdict"
    return 1
}

breaks() { # name, what the check must say of it, edits...
    local name=$1 says=$2
    shift 2
    check "can be built: $name" edited "$@"
    refuse "fails: $name" against_record
    check "says so: $name" grep -E "$says" "$scratch/.verdict"
}
harmless() {
    local name=$1
    shift
    check "can be built: $name" edited "$@"
    check "passes: $name" against_record
}

harmless "a comment" 's|^// Does not, so it may not.|// Not this one.|'
harmless "a member appended to a struct with struct_size" 's|^} pbs_sample_desc;|    double appended;\n&|'
harmless "a symbol added" 's|^#endif|int32_t pbs_sample_more(void);\n&|' '$a int32_t pbs_sample_more(void) { return 1; }'
harmless "a constant appended with a new value" 's|^    PBS_SAMPLE_LAST|&,\n    PBS_SAMPLE_NEW = 17|'
harmless "a struct added" 's|^#endif|typedef struct pbs_new { double x; } pbs_new;\n&|'
harmless "a member in place of reserved ones" 's|^    uint32_t reserved.4.;|    uint32_t taken;\n    uint32_t reserved[3];|'
harmless "the last reserved members taken" 's|^    uint32_t reserved.4.;|    double taken[2];|'
harmless "a private struct grown" '' '' 's|int32_t private_member;|&\n    double more;|'

breaks "a member inserted in a struct with struct_size" "new member inserted at offset 8" \
    's|^    double density;|    double inserted;\n&|'
breaks "a member put into old padding, where struct_size cannot tell" "new member hidden at offset 44" \
    's|^    uint32_t count;|&\n    uint32_t hidden;|'
breaks "a part grown" "struct pbs_sample_part: size was 24, is 32" 's|^    uint32_t reserved.4.;|    uint32_t reserved[6];|'
breaks "more taken than was reserved" "struct pbs_sample_part: size was 24, is 32" 's|^    uint32_t reserved.4.;|    double taken[3];|'
breaks "reserved members that moved without need" "reserved was .* is" \
    's|^    double length;|&\n    double taken;|;s|^    uint32_t reserved.4.;|    uint16_t reserved[4];|'
breaks "a struct without struct_size grown" "struct pbs_sample_id: size was 8, is 16" \
    's|^    uint64_t id;|&\n    uint64_t grown;|'
breaks "a member removed" "count was .* is \(gone\)" '/^    uint32_t count;/d'
breaks "a member of another type" "count was .* is .*float" 's|uint32_t count;|float count;|'
breaks "a member renamed" "count was .* is \(gone\)" 's|uint32_t count;|uint32_t counted;|'
breaks "members swapped" "density was .* is \(40 8 double\)" \
    '/^    double density;/d;s|^    uint32_t count;|&\n    double density;|'
breaks "a symbol removed" "1 Removed" '/pbs_sample_name/d' '/^pbs_sample_id pbs_sample_name/,$d'
breaks "an enum value inserted that shifts others" "PBS_SAMPLE_SHELL was \(2\), is \(3\)" \
    's|^    PBS_SAMPLE_SHELL|    PBS_SAMPLE_INSERTED,\n&|'
breaks "an enum value inserted that shifts none" "PBS_SAMPLE_INSERTED was inserted" \
    's|^    PBS_SAMPLE_SHELL|    PBS_SAMPLE_INSERTED = 50,\n    PBS_SAMPLE_SHELL = 2|'
breaks "an enum value used twice" "PBS_SAMPLE_AGAIN has the value 1" 's|^    PBS_SAMPLE_LAST|&,\n    PBS_SAMPLE_AGAIN = 1|'
breaks "an enum value changed" "PBS_SAMPLE_SOLID was \(1\), is \(5\)" 's|PBS_SAMPLE_SOLID = 1|PBS_SAMPLE_SOLID = 5|'
breaks "an enum value removed" "PBS_SAMPLE_LAST was .* is \(gone\)" '/PBS_SAMPLE_LAST/d'
size='s|(pbs_sample_desc \*desc, size_t|(pbs_sample_desc *desc, uint32_t|'
breaks "a parameter of another type" "parameter 2 of type 'typedef size_t' changed" "$size" "$size"
breaks "a callback of another type" "'double' to 'float'|double.*changed|pbs_sample_fn" \
    's|(void \*user, const double \*x)|(void *user, const float *x)|' 's|fn(NULL, &desc->density)|fn(NULL, 0)|'

stripped() {
    strip -o "$scratch/stripped.so" "$original/libsample.so"
    scripts/abi.sh check "$scratch/stripped.so" "$original" "$scratch/record"
}
refuse "fails: no debug information to judge by" stripped
finish
