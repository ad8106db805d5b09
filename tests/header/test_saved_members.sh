#!/usr/bin/env bash
# What is saved of a world: no member of a saved struct is forgotten, and all lists are known to the record.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

members=$PWD/scripts/saved_members.pl

check "each member of a saved struct is saved, or has a reason why not" "$members"

lists_are_recorded() {
    local lists records
    lists=$(grep -rhoE '= *FIELD_LIST\(|^    FIELD_LIST\(' src/world | wc -l)
    records=$(grep -cE '^(struct |pbs_)' tests/world/snapshots/saved_fields.txt)
    [ "$lists" = "$records" ] || { echo "src has $lists lists, saved_fields.txt $records"; return 1; }
}
check "each list of members is in saved_fields.txt" lists_are_recorded

a_forgotten_member_is_found() {
    mkdir -p "$scratch/tests/world" && cp -r include src "$scratch" && cp -r tests/world/snapshots "$scratch/tests/world"
    sed -i 's/^struct counters {/&\n    uint64_t forgotten;/' "$scratch/src/world/objects/scene.h"
    (cd "$scratch" && ! "$members" >said && grep -q '^struct counters.forgotten is neither saved' said)
}
check "a member that is not saved is found" a_forgotten_member_is_found
finish
