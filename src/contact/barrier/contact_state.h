// The data of barrier contact: its surfaces, the active contacts, and the lagged friction. What is
// done with it is in barrier_contact.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_CONTACT_STATE_H
#define PBS_CONTACT_BARRIER_CONTACT_STATE_H

#include "contact/barrier/barrier.h"
#include "contact/contact_blocks.h"
#include "contact/contact_groups.h"
#include "contact/contact_table.h"
#include "contact/friction/friction_dual.h"
#include "contact/search/candidates.h"
#include "contact/surfaces/obstacle.h"
#include "geometry/exact/intersection.h"

struct contact_settings {
    struct barrier barrier; ///< stiffness 0: every pair uses that of its parts; reach: of the parts
                            ///< that have none of their own, and at least that of those that have
    bool lists_every_pair;  ///< pairs of edges are not tapered towards their ends, and pairs with
                            ///< the same nearest points are not one, as queries want it
    double slip_velocity;   ///< m/s: friction is smoothed below this slip velocity (eps_v in IPC)
    const struct friction_table *frictions; ///< null: none
};

/// A surface of an obstacle that bounds a convex space, which all points stay in.
struct contact_wall {
    struct contact_surface surface;
    uint32_t part;                      ///< the obstacle's part of the mesh
    struct obstacle target;             ///< the obstacle at the end of the stage's motion
    double origin[3];                   ///< m: current origin of the obstacle
    double translation[3], rotation[3]; ///< m, rad: its remaining motion; the rotation vector is
                                        ///< about its origin
    bool moves;
};

/// A pair of primitives, or a point and a wall, at a gap below the barrier's reach.
struct active_contact {
    enum pair_kind kind;
    int point_count;
    uint32_t feature; ///< of a point and a triangle, bit i: the nearest points depend on point i
    uint32_t wall;    ///< CONTACT_NO_WALL for a pair of the mesh
    uint32_t first, second; ///< as in struct candidate; for walls: wall index, point
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS]; ///< closest points, as in struct closest
    uint8_t support;               ///< as in struct closest; of a wall: none
    double normal[3];              ///< from the second side to the first
    double distance;               ///< m, without subtracting offsets
    double factor; ///< of the barrier: of edges at most 1 (edge_factor.h), else how many pairs this
                   ///< stands for that have the same nearest points
    double threshold;             ///< of edges' mollifier, m^4
    double taper_width;           ///< m: of edges' tapers; 0: none
    double stiffness;             ///< of the barrier, in its form's unit
    struct barrier_value barrier; ///< without the factor
};

/// Friction of one contact, with the normal force and the geometry of the state at which it was
/// lagged.
struct lagged_friction {
    enum pair_kind kind;
    int point_count;
    uint32_t first, second; ///< as in the contact
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS];
    double tangent[2][3];
    double force;     ///< N: Coulomb coefficient times normal force
    double anchor[3]; ///< m: the slip is sum weight_i x_i over the points, plus the contributions
                      ///< of rotations, minus this
    uint32_t wall;
    uint32_t rotation[2]; ///< of each side's sphere: its rotation in the mesh, or
                          ///< COLLISION_NO_ROTATION
    /// The cross product of a rotation's coordinates with this is its contribution to the slip. It
    /// is the arm from the sphere's centre to the contact over the rotation's length, negated for
    /// the second side.
    double lever[2][3];
    struct friction_dual dual; ///< of this stage
};

enum { LAGGED_ROLLING_ROWS = 3 };

/// Resistance of spheres to rolling and spinning, lagged as friction is. Its rows are the relative
/// angles of the two sides about two tangents and about the normal, each times a radius.
struct lagged_rolling {
    enum pair_kind kind;
    int point_count;
    uint32_t points[CONTACT_POINTS];
    uint32_t wall;
    uint32_t rotation[2]; ///< of each side's sphere: its rotation in the mesh, or
                          ///< COLLISION_NO_ROTATION
    double factor[2];     ///< factor of the rotations' coordinates in the rows
    double force[2];      ///< N: the coefficients of rolling and of spinning times the normal force
    double radius;        ///< m
    double direction[LAGGED_ROLLING_ROWS][3];
    double vector[LAGGED_ROLLING_ROWS][CONTACT_POINTS][3]; ///< derivatives of the rows with respect
                                                           ///< to a triangle's corners
    double anchor[LAGGED_ROLLING_ROWS];                    ///< m: values of the rows at zero slip
    struct friction_dual roll, spin;                       ///< of this stage; `spin` has one entry
};

/// The load of rolling resistance at the state evaluated last.
struct rolling_load {
    double along[LAGGED_ROLLING_ROWS]; ///< N
    double moment[3];      ///< N m: on the first side; the second side gets the opposite
    double obstacle_power; ///< W: power supplied by rotating obstacles
};

/// Counts and times since the owner last cleared them.
struct contact_counters {
    uint32_t searches, sweeps;
    double seconds_search, seconds_sweep;       ///< s
    double seconds_evaluate, seconds_linearize; ///< s, without the searches they cause
};

/// The result of one piece of a parallel loop.
struct contact_piece {
    size_t begin, count; ///< range in barrier_contact.near
    double step;         ///< of a sweep: the largest free step
};

/// The friction of before the last lag_friction, for restore_friction.
struct friction_before {
    struct lagged_friction *frictions;
    struct lagged_rolling *rollings;
    size_t friction_count, rolling_count, friction_capacity, rolling_capacity;
};

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct barrier_contact {
    struct memory *memory; ///< for all buffers
    struct contact_settings settings;
    struct collision_mesh mesh;
    struct candidates candidates;
    struct contact_wall *walls;
    size_t wall_count, wall_capacity;
    bool halted;         ///< sweeps leave obstacles at rest
    double gap_fraction; ///< of gaps, that sweeps leave; 0: COLLISION_GAP_FRACTION
    bool step_has_begun; ///< a step has begun since the last search
    double *points;      ///< point_count x 3, m: positions at the state evaluated last
    double *rotations;   ///< rotation_count x 3: coordinates of the mesh's rotations at that state
    double *obstacle_points; ///< point_count x 3, m: current positions of obstacles' points
    double *motion; ///< point_count x 3, m: motion of a sweep; for obstacles: the remaining motion
    double *velocity; ///< point_count x 3, m/s: velocities of obstacles' points in this step
    double *leg;      ///< scratch: the current leg of a sweep
    size_t point_capacity, rotation_capacity, obstacle_point_capacity, motion_capacity,
        obstacle_velocity_capacity, leg_capacity;
    struct active_contact *contacts;
    size_t contact_count, contact_capacity;
    double *found_points;         ///< point_count x 3, m: positions that the contacts belong to
    struct barrier found_barrier; ///< the barrier that they were evaluated with
    bool is_found; ///< the contacts are valid for found_points: no search and no motion of
                   ///< obstacles since
    size_t found_point_capacity;
    struct lagged_friction *frictions;
    size_t friction_count, friction_capacity;
    struct lagged_rolling *rollings;
    size_t rolling_count, rolling_capacity;
    struct friction_before before;
    size_t linearized_frictions, linearized_rollings; ///< counts at the last linearize
    bool is_flat;      ///< the Hessian leaves out how distances of pairs curve
    double dual_error; ///< the largest at the state that the last direction was found at
    double slip_width; ///< m: width of the smoothing of friction in this stage
    double mean_edge;  ///< m: mean rest length of the mesh's edges; infinity without edges
    uint32_t *near;    ///< scratch: indices of candidates within reach
    uint32_t *slots;   ///< scratch: contacts by their nearest features
    size_t near_capacity, slot_capacity;
    struct contact_piece *pieces; ///< scratch: results of a parallel loop
    size_t piece_capacity;
    struct contact_groups groups; ///< of contacts, frictions and rolling resistances by nodes
    struct contact_block_index *block_indices; ///< per group
    size_t block_index_capacity;
    struct contact_blocks blocks;
    struct intersection_search intersections;
    struct contact_counters counters;
};

/// The stiffness with which the start of the step was solved over the present one, of a pair of
/// parts whose stiffness follows from theirs (barrier_between of contact_search.c); otherwise 1.
double barrier_contact_solved_share(const struct barrier_contact *contact, uint32_t first,
                                    uint32_t second);

#endif
