#!/usr/bin/env bash
# The table "Names that changed" of CHANGELOG.md and scripts/migrate.pl: hosts that were written for the interface before,
# whose headers are in previous/pbs, compile against it, do not compile against the present one, and do once migrated. Hosts
# are examples as they were then, and one that uses every name of the table.
. "$(dirname "$0")/../../scripts/checks.sh"

previous=tests/abi/previous
flags="-std=c11 -Wall -Wextra -Werror -fsyntax-only -fmax-errors=5"
then_compiles() { gcc $flags -I$previous "$1"; }
now_compiles() { gcc $flags -Iinclude "$1"; }

# One pass for members and names, one for what a compiler says only then, one that changes nothing.
migrated() { # compiler, file
    local pass
    for pass in 1 2 3 4; do
        $1 -std=c11 -Wall -Iinclude -fsyntax-only "$2" 2>&1 | perl scripts/migrate.pl CHANGELOG.md >"$scratch/said" || return 1
        grep -q '^changed' "$scratch/said" || return 0
    done
    cat "$scratch/said"
    return 1
}

# --- examples ---

for host in hello rigid glass grid; do
    cp $previous/$host.c "$scratch/$host.c"
    check "$host.c compiled then" then_compiles "$scratch/$host.c"
    check "$host.c is migrated" migrated gcc "$scratch/$host.c"
    check "$host.c compiles now" now_compiles "$scratch/$host.c"
done
refuse "grid.c did not before" now_compiles $previous/grid.c

# --- every name of the table ---

rows() { sed -n 's/^| `\([A-Za-z0-9_.]*\)` | `\([A-Za-z0-9_.]*\)` |$/\1/p' CHANGELOG.md; }
# Members in every place that they may stand in: after a point and an arrow, twice in a line, in a macro's argument.
write_host() {
    echo '#include <pbs/pbs.h>'
    echo '#include <string.h>'
    echo '#define SAME(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0)'
    echo 'int settings(pbs_world **world);'
    echo 'int settings(pbs_world **world) {'
    echo '    pbs_world_desc d;'
    echo '    pbs_world_desc_init(&d, sizeof d);'
    rows | sed -n 's/^pbs_world_desc\.\(.*\)/    d.\1 = 0;/p'
    echo '    return pbs_world_create(&d, world);'
    echo '}'
    local struct
    for struct in $(rows | sed -n 's/\..*//p' | grep -v '^pbs_world_desc$' | sort -u); do
        echo "int use_$struct($struct s, const $struct *t);"
        echo "int use_$struct($struct s, const $struct *t) {"
        echo '    int same = 0;'
        rows | sed -n "s/^$struct\.\(.*\)/    same += SAME(s.\1, t->\1) || SAME(t->\1, s.\1);/p"
        echo '    return same;'
        echo '}'
    done
    echo 'void constants(int *out);'
    echo 'void constants(int *out) {'
    rows | grep '^PBS_' | sed 's/.*/    *out++ = &;/'
    echo '}'
    rows | grep -E '^pbs_[a-z0-9_]+$' | sed 's/.*/const void *address_of_&(void);\nconst void *address_of_&(void) { return (const void *)(size_t)\&&; }/'
}
write_host >"$scratch/every.c"
cp "$scratch/every.c" "$scratch/clang.c"
uses_all() { [ "$(rows | wc -l)" -gt 100 ] && [ "$(rows | sort | uniq -d)" = "" ]; }
check "the table has its rows, each name once" uses_all
check "every name was one" then_compiles "$scratch/every.c"
refuse "and is none now" now_compiles "$scratch/every.c"
check "what uses them is migrated, by gcc's messages" migrated gcc "$scratch/every.c"
check "and compiles now" now_compiles "$scratch/every.c"
check "by clang's too" migrated "clang -ferror-limit=0" "$scratch/clang.c"
check "and compiles" now_compiles "$scratch/clang.c"

# --- members that have become structs ---

cat >"$scratch/structs.c" <<'END'
#include <pbs/pbs.h>
double next_step(const pbs_stats *s, pbs_integrator_desc *d);
double next_step(const pbs_stats *s, pbs_integrator_desc *d) {
    d->step_control = PBS_STEP_FIXED;
    if (s->failure != PBS_FAILURE_NONE && s->failure_vertex != UINT32_MAX) {
        return 0.5 * s->step;
    }
    return d->step_max;
}
END
check "numbers that are structs now: compiled then" then_compiles "$scratch/structs.c"
refuse "not now" now_compiles "$scratch/structs.c"
check "migrated" migrated gcc "$scratch/structs.c"
check "compiled now" now_compiles "$scratch/structs.c"

# --- what a table of names cannot say ---

cat >"$scratch/force.c" <<'END'
#include <pbs/pbs.h>
double weight(const pbs_world *w, pbs_collider c);
double weight(const pbs_world *w, pbs_collider c) {
    double force[3];
    pbs_collider_force(w, c, force);
    return force[1];
}
END
check "a call with other parameters compiled then" then_compiles "$scratch/force.c"
refuse "and is left to the host" migrated gcc "$scratch/force.c"
check "which is told what to do" grep -q 'by hand: .*force.c:5: pbs_collider_force is .pbs_collider_contact_force' "$scratch/said"

# --- nothing is missing ---

layout() { # folder that holds pbs/
    printf '#include <pbs/pbs.h>\n' | gcc -x c -std=c11 -g -gdwarf-4 -fno-eliminate-unused-debug-types -I"$1" -c - -o "$scratch/layout.o"
    perl scripts/abi_layout.pl "$scratch/layout.o" | awk '$1 == "member" { print $2 "." $3 } $1 == "value" { print $3 }'
    sed 's|//.*||' "$1"/pbs/*.h | tr '\n' ' ' | grep -oE '\bpbs_[a-z0-9_]+\(' | tr -d '('
}
gone() {
    layout $previous | sort -u >"$scratch/then"
    layout include | sort -u >"$scratch/now"
    comm -23 "$scratch/then" "$scratch/now" | grep -vE '\.([a-z]+_)?reserved$'
}
told() { { rows; sed -n 's/^| `\([a-z0-9_]*\)(.*/\1/p' CHANGELOG.md; } | sort -u; }
all_told() { gone >"$scratch/gone"; ! comm -23 <(sort -u "$scratch/gone") <(told) | grep .; }
check "every member, constant and call that is gone is in the table" all_told
# A member that has become a struct has the same name still.
nothing_else() { ! comm -13 <(sort -u "$scratch/gone") <(told) | grep -vxE 'pbs_stats\.(failure|step)|pbs_integrator_desc\.step_control'; }
check "and nothing else is" nothing_else
finish
