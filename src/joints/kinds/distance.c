// Two points at a distance, which limits bound: a rope from above, a rod from both sides.
// SPDX-License-Identifier: MIT
#include "joints/joint_table.h"
#include "pbs/joint.h"

static void add_rows(struct joint *joint) {
    (void)joint;
}

static void coordinate(const struct joint *joint, struct joint_row *out) {
    (void)joint;
    out->form = JOINT_LENGTH;
    out->first = JOINT_GAP;
    out->scale = 1.0;
}

const struct joint_table joint_table_distance = {
    .id = PBS_JOINT_DISTANCE, .name = "distance", .add_rows = add_rows, .coordinate = coordinate};
