// Two points stay together; the sides turn freely.
#include "joints/joint_table.h"
#include "pbs/joint.h"

static void add_rows(struct joint *joint) {
    joint_add_components(joint, JOINT_GAP);
}

const struct joint_table joint_table_ball = {
    .id = PBS_JOINT_BALL, .name = "ball", .closes = true, .add_rows = add_rows};
