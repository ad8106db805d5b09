// Two points stay together; the sides turn freely, or swing and twist within limits.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "joints/joint_table.h"
#include "pbs/joint.h"

// Up to here, rad, the chord between the axes is limited, beyond the chord to the opposite axis:
// each measures small angles well, and changes by little with those near pi.
static const double HALF_SPHERE = 1.5707963267948966;

static void add_rows(struct joint *joint) {
    joint_add_components(joint, JOINT_GAP);
}

/// |n_b - n_a| <= 2 sin(limit / 2), or |n_b + n_a| >= 2 cos(limit / 2), over the derivative by the
/// angle at the limit, so that C is the arm times the excess of the angle there.
static void limit_swing(const struct joint *joint, double limit, struct joint_row *out) {
    const bool is_narrow = limit <= HALF_SPHERE;
    const double half = 0.5 * limit;
    out->form = is_narrow ? JOINT_CHORD : JOINT_SUM;
    out->use = JOINT_AT_MOST;
    out->first = JOINT_B_T;
    out->second = JOINT_A_T;
    out->scale = is_narrow ? joint->arm / cos(half) : -joint->arm / sin(half);
    out->target = is_narrow ? 2.0 * sin(half) : 2.0 * cos(half);
}

static void twist(const struct joint *joint, struct joint_row *out) {
    out->form = JOINT_TWIST;
    out->first = JOINT_B_U;
    out->scale = joint->arm;
}

const struct joint_table joint_table_ball = {.id = PBS_JOINT_BALL,
                                             .name = "ball",
                                             .closes = true,
                                             .add_rows = add_rows,
                                             .limit_swing = limit_swing,
                                             .twist = twist};
