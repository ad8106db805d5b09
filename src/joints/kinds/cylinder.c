// The sides slide along the main axis and turn about it.
// SPDX-License-Identifier: MIT
#include "joints/joint_table.h"
#include "pbs/joint.h"

static void add_rows(struct joint *joint) {
    joint_add_line(joint);
    joint_add_parallel_axes(joint);
}

const struct joint_table joint_table_cylinder = {.id = PBS_JOINT_CYLINDER,
                                                 .name = "cylinder",
                                                 .has_frames = true,
                                                 .add_rows = add_rows,
                                                 .coordinate = joint_slide};
