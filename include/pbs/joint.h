// libpbs: joints between points of bodies. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_JOINT_H
#define PBS_JOINT_H

#include "point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Id of a joint; 0 is null. Ids of destroyed joints are never valid again.
typedef struct pbs_joint {
    uint64_t id; ///< opaque
} pbs_joint;

/// Values of pbs_joint_desc.kind. Of the motions that a joint leaves free one is its coordinate:
/// limits, a motor and a spring act on that.
typedef enum pbs_joint_kind {
    /// Two points stay together; no coordinate. Any two points; limits of swing and twist need
    /// sides that have an orientation.
    PBS_JOINT_BALL = 0,
    /// The sides stay as they are to each other; no coordinate.
    PBS_JOINT_WELD = 1,
    /// Two points stay together, the sides turn about the axis; coordinate: the angle, rad, turns
    /// counted, 0 where the joint was made.
    PBS_JOINT_HINGE = 2,
    /// The sides slide along the axis and do not turn; coordinate: how far, m, 0 where the points
    /// are together.
    PBS_JOINT_SLIDER = 3,
    /// The sides slide along the axis and turn about it; coordinate: how far, m.
    PBS_JOINT_CYLINDER = 4,
    /// Two points at a distance, the coordinate, m. A rope has an upper limit, a rod has equal
    /// limits, a spring has a stiffness. Any two points.
    PBS_JOINT_DISTANCE = 5
} pbs_joint_kind;

/// A joint. All but ball and distance need sides that have an orientation: points of
/// affine bodies, points in tetrahedra, or points of space.
typedef struct pbs_joint_desc {
    uint32_t struct_size; ///< set by pbs_joint_desc_init
    int32_t kind;         ///< PBS_JOINT_*
    pbs_point a, b; ///< the points that are joined, at least one of a body, not both of one vertex.
                    ///< The body's place when the joint is made is where the joint is at rest
    double axis[3]; ///< in space, of any length but 0: the main axis of hinge, slider, cylinder,
                    ///< and of a ball with limits of swing or twist; of a weld it does not matter
    double lower, upper; ///< limits of the coordinate, rad or m, lower <= upper; equal ones hold it
                         ///< there; -infinity, infinity: none
    double motor_velocity;   ///< rad/s or m/s: of the coordinate, that the motor keeps up
    double motor_force;      ///< N m or N, >= 0: the most that the motor exerts; 0: no motor. With
                             ///< motor_velocity 0 it is dry friction
    double spring_stiffness; ///< N m/rad or N/m, >= 0: pulls the coordinate to spring_target; 0: no
                             ///< spring. Of a ball it takes the place of the exact joint
    double spring_damping;   ///< N m s/rad or N s/m, >= 0: against motion of the coordinate
    double spring_target;    ///< rad or m
    double break_force;  ///< N, > 0: the joint breaks when a step ends with more (also a step of an
                         ///< advance, and a part of a divided one); infinity: never
    double break_torque; ///< N m, likewise
    int32_t touching;    ///< 1: contact between the joined bodies acts; 0, the default: it does not
                         ///< until the last joint between them has broken and they are as far apart
                         ///< as contact reaches; then from the distance that they have
    int32_t reserved;    ///< must be 0
    double tolerance;    ///< m, > 0: how far points may be apart where a step ends; 0: 1e-8 of the
                         ///< larger body's extent
    // Strengths by direction, > 0, of kinds with an axis, which points from side a to side b. The
    // joint also breaks where tension / break_tension + bending / break_bending, or shear /
    // break_shear + torsion / break_torsion, is above 1; infinity: never.
    double break_tension; ///< N, of what pulls side b off along the axis; pressure is less than 0
    double break_shear;   ///< N, across the axis
    double break_bending; ///< N m, about axes across it
    double break_torsion; ///< N m, about it
    double swing_limit;   ///< rad, above 0, at most pi: of a ball, the angle between the main axes
                          ///< of both sides, which are both `axis` when the joint is made, is at
                          ///< most this; turning about them is free. Infinity or pi: any angle
    double twist_lower, twist_upper; ///< rad, as lower and upper: of a ball, how far side b has
                                     ///< turned about its main axis, besides the shortest turn that
                                     ///< takes the main axis of a to that of b. Equal ones hold it
                                     ///< there. Where both axes are opposite, twist is undefined
} pbs_joint_desc;

/// Fills *d: a ball joint of the origin of space and nothing, axis (0, 0, 1), without limits, motor
/// and spring, that never breaks and turns freely.
/// @param struct_size  sizeof(pbs_joint_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_joint_desc_init(pbs_joint_desc *d, size_t struct_size);

/// Joins two points. The joint is exact: no stiffness is chosen, and where a step ends its
/// equations hold to desc.tolerance, whatever the masses. Points of hinges and balls that are apart
/// come together in the next step. The joint is destroyed with either body.
/// At least one point must be free to move: not of space, and not of vertices that are all pinned
/// or scripted. If they are pinned or scripted later, the joint's equations are left out, whatever
/// its gap is, until one is free again.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number out of its range, a point of
/// pbs_world_point_position, a side without axes where the kind or a limit needs them, no point
/// that is free, limits or a motor for a kind without coordinate, a scheme that moves no joints),
/// PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY; then nothing has changed
/// @see docs/theory/joints.md
PBS_API pbs_status pbs_joint_create(pbs_world *w, const pbs_joint_desc *d, pbs_joint *out);

// Joints in one call, at places in space. `anchor` becomes a point of each body, which the body
// takes along from where it is now: of an affine body and of a solid, also where the anchor is
// outside; of other bodies the nearest point of the surface, or the nearest vertex
// (pbs_world_locate), which the joint draws to the other side if it is apart. All else is as
// pbs_joint_desc_init has it, and pbs_joint_set_settings changes limits, motors, springs and
// strengths.

/// Two points stay together: PBS_JOINT_BALL.
/// @param b  null: body a is joined to space
/// @param anchor  3, m
/// @param out  its id; written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite, a body joined to
/// itself, no side that is free, a scheme that moves no joints), PBS_ERROR_HANDLE,
/// PBS_ERROR_MEMORY; then nothing has changed
PBS_API pbs_status pbs_joint_create_ball(pbs_world *w, pbs_body a, pbs_body b,
                                         const double anchor[3], pbs_joint *out);

/// The bodies stay as they are to each other: PBS_JOINT_WELD. Both must be affine or solids, whose
/// points have an orientation, or space.
/// @return as pbs_joint_create_ball; PBS_ERROR_ARGUMENT too where a body has no orientation there
PBS_API pbs_status pbs_joint_create_weld(pbs_world *w, pbs_body a, pbs_body b,
                                         const double anchor[3], pbs_joint *out);

/// The bodies turn about an axis through the anchor: PBS_JOINT_HINGE. Which bodies: as
/// pbs_joint_create_weld.
/// @param axis  3, in space, of any length but 0
/// @return as pbs_joint_create_weld
PBS_API pbs_status pbs_joint_create_hinge(pbs_world *w, pbs_body a, pbs_body b,
                                          const double anchor[3], const double axis[3],
                                          pbs_joint *out);

/// The bodies slide along an axis and do not turn: PBS_JOINT_SLIDER; otherwise as
/// pbs_joint_create_hinge.
PBS_API pbs_status pbs_joint_create_slider(pbs_world *w, pbs_body a, pbs_body b,
                                           const double anchor[3], const double axis[3],
                                           pbs_joint *out);

/// The points at two anchors, one of each body, are never farther apart than they are now: a
/// PBS_JOINT_DISTANCE with an upper limit. Any bodies.
/// @param anchor_a, anchor_b  3, m, not at one place
/// @return as pbs_joint_create_ball; PBS_ERROR_ARGUMENT too where the points are at one place
PBS_API pbs_status pbs_joint_create_rope(pbs_world *w, pbs_body a, pbs_body b,
                                         const double anchor_a[3], const double anchor_b[3],
                                         pbs_joint *out);

/// Welds where bodies touch, as the pieces of a wall do.
typedef struct pbs_weld_desc {
    uint32_t struct_size;   ///< set by pbs_weld_desc_init
    uint32_t reserved;      ///< must be 0
    size_t body_count;      ///< any number
    const pbs_body *bodies; ///< body_count, different ones, affine or solids. Read during the call
                            ///< only
    double distance;   ///< m, > 0: how far apart surfaces may be; 0: a thousandth of the smaller
                       ///< body's extent, for each two
    double least_area; ///< m^2, > 0: smaller patches are left out; 0: 1e-4 of the square of the
                       ///< smaller body's extent
    double tensile_strength; ///< Pa, > 0; infinity: never
    double shear_strength;   ///< Pa, > 0, likewise
    double weibull_modulus;  ///< 0 (no scatter), or 1 to 1e6: strengths have Weibull's distribution
                             ///< with this modulus about the same means, one factor a weld
    uint64_t seed;           ///< of the scatter
    double inset; ///< m, >= 0: with barriers, surfaces of affine bodies that are welded lie so far
                  ///< inside for contact, so that pieces that are face to face touch when a weld
                  ///< breaks; PBS_AUTOMATIC: 0.55 of the distance at which contact begins, and the
                  ///< body's offset. A body that is too thin, or has an inset already, is left as
                  ///< it is
    double tolerance; ///< m, >= 0: that of the welds
} pbs_weld_desc;

/// Fills *d: no bodies, strengths infinite, no scatter, inset PBS_AUTOMATIC, all else 0.
/// @param struct_size  sizeof(pbs_weld_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_weld_desc_init(pbs_weld_desc *d, size_t struct_size);

/// Welds each two of the bodies wherever their surfaces face each other at no distance or nearly
/// so, as they are now. All that lies in one plane is one weld, at its centroid, with the plane's
/// normal as axis: of an area A with the smaller section modulus W and the polar one W_p it bears
/// the tension tensile_strength A, the bending moment tensile_strength W, the shear
/// shear_strength A and the torque shear_strength W_p. They are joints as any other, the last
/// *count of pbs_world_joint_at, in the order of bodies and of the first one's triangles. Two
/// bodies that are pinned are welded too: the weld acts once one of them is free.
/// @param count  how many; may be null
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number out of its range, a body named twice or
/// without tetrahedra or a frame, a scheme that moves no joints), PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY; then nothing has changed
/// @see docs/theory/joints.md section 6
PBS_API pbs_status pbs_joint_create_welds(pbs_world *w, const pbs_weld_desc *d, size_t *count);

/// Bodies that were joined go on with the velocities that they have, and touch from the next step
/// on, in which they must not overlap: a joint that broke, and whose bodies may still, is better
/// left. A null id is no error.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_joint_destroy(pbs_world *w, pbs_joint j);

/// Whether the id names a joint of this world, broken or not.
PBS_API bool pbs_joint_is_valid(const pbs_world *w, pbs_joint j);

/// How many joints there are, broken ones included; 0 for null.
PBS_API size_t pbs_world_joint_count(const pbs_world *w);

/// The id of the index-th joint in order of creation; a null id beyond the end, or where w is null.
PBS_API pbs_joint pbs_world_joint_at(const pbs_world *w, size_t index);

/// What a joint does where the last step ended. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_joint_state) and nothing else.
typedef struct pbs_joint_state {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    int32_t broken;       ///< 1: it broke, and acts no more
    double coordinate;    ///< rad or m; 0 of kinds without
    double velocity;      ///< rad/s or m/s, of the coordinate
    double gap;           ///< m: the largest error of its equations, angles times the joint's arm
    double force[3];      ///< N, on side b, in the axes of space; of springs with their dampers
    double torque[3];     ///< N m, on side b about the point of side a
} pbs_joint_state;

/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_joint_get_state(const pbs_world *w, pbs_joint j, pbs_joint_state *out);

/// Changes limits, motor, spring, strengths, tolerance and `touching` of a joint; kind, points and
/// axis must be those that it has. Takes effect in the next step and costs no more than that.
/// @param d  as pbs_joint_create takes it; pbs_joint_settings gives the present one
/// @return as pbs_joint_create; PBS_ERROR_ARGUMENT too where kind, points or axis differ
PBS_API pbs_status pbs_joint_set_settings(pbs_world *w, pbs_joint j, const pbs_joint_desc *d);

/// The description that the joint was made or last changed with.
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_joint_settings(const pbs_world *w, pbs_joint j, pbs_joint_desc *out);

/// Moves the point of space of a joint to `place` during the next step, at constant velocity; it
/// stays there afterwards.
/// @param place  3, m
/// @return PBS_ERROR_ARGUMENT (a null pointer, no side is a point of space, a number that is not
/// finite), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_joint_set_target(pbs_world *w, pbs_joint j, const double place[3]);

/// Where the point of space of a joint is at the end of the next step: what pbs_joint_set_target
/// has set, otherwise the place that the joint was made with.
/// @param place  becomes 3 numbers, m
/// @return PBS_ERROR_ARGUMENT (a null pointer, no side is a point of space), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_joint_target(const pbs_world *w, pbs_joint j, double place[3]);

/// A joint that broke.
typedef struct pbs_broken_joint {
    pbs_joint joint;
    double time;   ///< s: when
    double force;  ///< N
    double torque; ///< N m
} pbs_broken_joint;

/// The joints that broke in the last step or advance that landed, in the order in which they broke:
/// of time, then of creation; with fracture_passes those of each pass before those of the next.
/// @param struct_size  sizeof(pbs_broken_joint) as the caller was compiled
/// @param dst  rows; null: only *count is set
/// @param count  the capacity on entry, how many there are on return
/// @return PBS_ERROR_ARGUMENT (w or count is null), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_CAPACITY
PBS_API pbs_status pbs_world_broken_joints(const pbs_world *w, pbs_broken_joint *dst,
                                           size_t struct_size, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
