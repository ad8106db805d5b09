// The sides slide along the main axis and do not turn.
// SPDX-License-Identifier: MIT
#include "joints/joint_table.h"
#include "pbs/joint.h"

static void add_rows(struct joint *joint) {
    joint_add_line(joint);
    joint_add_orientation(joint);
}

const struct joint_table joint_table_slider = {.id = PBS_JOINT_SLIDER,
                                               .name = "slider",
                                               .has_frames = true,
                                               .add_rows = add_rows,
                                               .coordinate = joint_slide};
