// Two points stay together, and the sides turn about the main axis only.
// SPDX-License-Identifier: MIT
#include "joints/joint_table.h"
#include "pbs/joint.h"

static void add_rows(struct joint *joint) {
    joint_add_components(joint, JOINT_GAP);
    joint_add_parallel_axes(joint);
}

static void coordinate(const struct joint *joint, struct joint_row *out) {
    out->form = JOINT_ANGLE;
    out->first = JOINT_B_U;
    out->scale = joint->arm;
}

const struct joint_table joint_table_hinge = {.id = PBS_JOINT_HINGE,
                                              .name = "hinge",
                                              .has_frames = true,
                                              .closes = true,
                                              .add_rows = add_rows,
                                              .coordinate = coordinate};
