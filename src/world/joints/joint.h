// A joint of the world: its description, its sides in the nodes of bodies, and what it remembers
// from step to step. The mathematics is in src/joints; joint_scene.h makes its input of these.
#ifndef PBS_WORLD_JOINTS_JOINT_H
#define PBS_WORLD_JOINTS_JOINT_H

#include "joints/joint_table.h"
#include "pbs/joint.h"
#include "world/objects/points.h"

enum { JOINT_AXES = 3 };

/// One side: a point and three axes, linear in the nodes of a body. Of a side in space both are
/// constant.
struct joint_side {
    struct body *body; ///< null: in space
    uint32_t count;
    uint32_t node[POINT_NODES]; ///< of the body
    double weight[POINT_NODES];
    double axis_weight[JOINT_AXES][POINT_NODES]; ///< 0 of a side without axes
    double place[3], target[3]; ///< m, of a side in space: now, and at the end of the next step
    double axis[JOINT_AXES][3]; ///< of a side in space
};

struct world_joint {
    uint32_t slot;
    const struct joint_table *table; ///< of its kind
    pbs_joint_desc desc;
    struct joint_side sides[2];
    double offset[3];           ///< m, in the axes of side a: x_b - x_a when the joint was made
    double targets[JOINT_ROWS]; ///< of the rows that always hold
    double arm, tolerance;      ///< m
    // From step to step:
    double multiplier[JOINT_ROWS]; ///< N
    double angle;                  ///< rad, turns counted; 0 without one
    double stiffening;             ///< of penalties, >= 1
    bool broken;
    double broke_time, broke_force, broke_torque; ///< s, N, N m: of a broken one
    double contact_distance; ///< m: of a broken one, see struct joined_parts; negative: its bodies
                             ///< do not collide yet
};

/// The ids in pbs_joint_desc are valid, everything else is checked here: PBS_ERROR_ARGUMENT,
/// PBS_ERROR_HANDLE. Fills *out but for its slot, from the bodies as they are now.
pbs_status world_joint_make(const struct scene *scene, const pbs_joint_desc *d,
                            struct world_joint *out);

/// PBS_ERROR_ARGUMENT if nothing can move the joint: each side is in space, or all its nodes are
/// constrained along all axes.
pbs_status world_joint_check_free(const struct scene *scene, const struct world_joint *joint);

/// Whether a strength refers to the axis.
bool world_joint_has_directed_strengths(const pbs_joint_desc *d);

/// Checks what may change of a joint's description.
pbs_status world_joint_check(const struct joint_table *table, const pbs_joint_desc *d);

/// PBS_ERROR_ARGUMENT if the description asks for axes that a side of the joint doesn't have.
pbs_status world_joint_check_axes(const struct world_joint *joint, const pbs_joint_desc *d);

/// Whether rows of the joint refer to its axes.
bool world_joint_uses_axes(const struct world_joint *joint);

/// PBS_ERROR_ARGUMENT with the reason if a scheme moves no joints.
pbs_status world_joint_check_scheme(const struct scheme_table *scheme);

/// The arm and the tolerance, of the description and the extents of the bodies.
void world_joint_measure(struct world_joint *joint);

/// Takes over a description that has been checked and has the joint's kind, points and axis.
void world_joint_change(struct world_joint *joint, const pbs_joint_desc *d);

/// All rows of the joint as it is, without nodes.
struct joint world_joint_rows(const struct world_joint *joint);

/// Whether it keeps two bodies from colliding.
bool world_joint_is_apart(const struct world_joint *joint);

/// Whether one of its sides is the body.
bool world_joint_has(const struct world_joint *joint, const struct body *body);

#endif
