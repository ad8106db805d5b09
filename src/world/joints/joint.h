// A joint of the world: its description, its two sides in terms of the nodes of bodies, and its
// state from step to step. The equations are in src/joints; joint_scene.h makes a struct joint from
// this.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_JOINTS_JOINT_H
#define PBS_WORLD_JOINTS_JOINT_H

#include "joints/joint_table.h"
#include "pbs/joint.h"
#include "world/objects/points.h"

enum { JOINT_AXES = 3 };

/// One side: a point and three axes, linear in the nodes of a body. The point and axes of a side in
/// space are constant.
struct joint_side {
    struct body *body; ///< null: in space
    uint32_t count;
    uint32_t node[POINT_NODES];                  ///< indices within the body
    double weight[POINT_NODES];                  ///< of the point
    double axis_weight[JOINT_AXES][POINT_NODES]; ///< all 0 if the side has no axes
    double place[3], target[3]; ///< m, of a side in space: now, and at the end of the next step
    double axis[JOINT_AXES][3]; ///< of a side in space
};

struct world_joint {
    uint32_t slot;
    const struct joint_table *table; ///< of its kind
    pbs_joint_desc desc;
    struct joint_side sides[2];
    double offset[3];           ///< m, in the axes of side a: x_b - x_a when the joint was made
    double targets[JOINT_ROWS]; ///< targets of the rows that always hold
    double arm, tolerance;      ///< m
    // From step to step:
    double multiplier[JOINT_ROWS]; ///< N
    double angle;                  ///< rad, full turns included; 0 without an angle
    double stiffening;             ///< of penalties, >= 1
    bool broken;
    double broke_time, broke_force, broke_torque; ///< s, N, N m: when it broke, and under which
                                                  ///< force and torque
    double contact_distance; ///< m: of a broken joint, `distance` of struct joined_parts; negative:
                             ///< its bodies do not collide yet
};

/// Makes *out, except for its slot, from a description and the bodies as they are now. The
/// description has been read by settings_read; everything else is checked here, ids included:
/// PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE.
pbs_status world_joint_make(const struct scene *scene, const pbs_joint_desc *d,
                            struct world_joint *out);

/// Returns PBS_ERROR_ARGUMENT if nothing can move the joint: each side is in space, or all its
/// nodes are constrained along all axes.
pbs_status world_joint_check_free(const struct scene *scene, const struct world_joint *joint);

/// Whether the joint has a strength by direction: in tension, shear, bending or torsion.
bool world_joint_has_directed_strengths(const pbs_joint_desc *d);

/// Checks the members of a description that may change after the joint was made.
pbs_status world_joint_check(const struct joint_table *table, const pbs_joint_desc *d);

/// Returns PBS_ERROR_ARGUMENT if the description needs axes that a side of the joint does not have.
pbs_status world_joint_check_axes(const struct world_joint *joint, const pbs_joint_desc *d);

/// Whether rows of the joint refer to its axes.
bool world_joint_uses_axes(const struct world_joint *joint);

/// Returns PBS_ERROR_ARGUMENT, with the reason, if joints do not work with the scheme.
pbs_status world_joint_check_scheme(const struct scheme_table *scheme);

/// Computes the arm and the tolerance from the description and the extents of the bodies.
void world_joint_measure(struct world_joint *joint);

/// Replaces the description by a checked one of the same kind, points and axis. Multipliers of rows
/// that stay the same are kept.
void world_joint_change(struct world_joint *joint, const pbs_joint_desc *d);

/// Returns a struct joint with all rows of the joint in its present state, but without nodes.
struct joint world_joint_rows(const struct world_joint *joint);

/// Whether contact between two different bodies is off because of this joint.
bool world_joint_is_apart(const struct world_joint *joint);

/// Whether one of the sides is on the body.
bool world_joint_has(const struct world_joint *joint, const struct body *body);

#endif
