// Points and joints as tests want them, and boxes to join.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_JOINT_TESTING_H
#define PBS_SUPPORT_JOINT_TESTING_H

#include "support/world_testing.h"

pbs_point in_space(double x, double y, double z);
/// A place in an affine body's own coordinates.
pbs_point on_body(pbs_body body, double x, double y, double z);
pbs_point at_vertex(pbs_body body, uint32_t vertex);

/// An affine box around its own origin; sides are whole lengths.
pbs_body add_box(pbs_world *world, const double sides[3], double mass, const double at[3],
                 double stiffness);

pbs_joint_desc describe_joint(int32_t kind, pbs_point a, pbs_point b);
pbs_joint join(pbs_world *world, int32_t kind, pbs_point a, pbs_point b);
/// A rod of that length, with side a the origin of space.
pbs_joint hang_on_rod(pbs_world *world, pbs_point b, double length);
pbs_joint_state joint_state_of(const pbs_world *world, pbs_joint joint);

#endif
