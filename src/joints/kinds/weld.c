// The sides stay as they are to each other, also where their points are apart.
// SPDX-License-Identifier: MIT
#include "joints/joint_table.h"
#include "pbs/joint.h"

static void add_rows(struct joint *joint) {
    joint_add_components(joint, JOINT_OFFSET_GAP);
    joint_add_orientation(joint);
}

const struct joint_table joint_table_weld = {
    .id = PBS_JOINT_WELD, .name = "weld", .has_frames = true, .add_rows = add_rows};
