// Penalty contact of spheres, for explicit steps (BDEM section 4.6; docs/theory/bonds.md section
// 6.5). Two spheres that no bond joins repel each other with k max(0, d - |p_i - p_j|), and
// surfaces of obstacles repel them with k max(0, r - phi(p)). Friction, rolling and spinning
// resistance are impulses after the step.
//
// The broad phase searches with a margin and is repeated once spheres have moved by that margin.
// Touches are sorted, so that no bit of a result depends on when the searches were made or on the
// number of threads.
//
// Call order: penalty_contact_find_touches at each state, then the forces are read;
// penalty_contact_apply_friction after the step. Steps use the module through
// penalty_contact_table.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_PENALTY_PENALTY_CONTACT_H
#define PBS_CONTACT_PENALTY_PENALTY_CONTACT_H

#include "broad_phase/box_pairs.h"
#include "contact/contact_report.h"
#include "contact/surfaces/friction_table.h"
#include "contact/friction/impulse_friction.h"
#include "contact/surfaces/obstacle.h"

/// One body. Bodies without spheres have an entry too.
struct penalty_part {
    struct surface surface;
    uint32_t group, mask;
    bool touches_itself;
    double stiffness;    ///< N/m; a pair uses the smaller of its two
    const double *rest;  ///< per sphere, 3, m: rest positions, owned by the caller; null without
                         ///< spheres
    size_t first_sphere; ///< the body's other spheres follow it
    size_t first_bond;
};

/// An obstacle. Its smooth surfaces are in penalty_contact.walls.
struct penalty_obstacle {
    struct obstacle obstacle;
    struct surface surface;
    uint32_t group, mask;
};

/// A pair from the broad phase: two spheres, or a sphere and a wall.
struct penalty_candidate {
    uint32_t first, second;
    double reach; ///< m: largest distance at which they touch; between centres, or from a centre to
                  ///< the wall
};

/// Two touching spheres, or a sphere that touches a wall.
struct penalty_touch {
    uint32_t first, second; ///< spheres; if is_wall, the second is an index into walls
    bool is_wall;
    double normal[3];           ///< unit, from the second to the first
    double depth;               ///< m
    double force;               ///< N, along the normal on the first
    double arm[2];              ///< m: from each centre to the point where friction acts
    double radius;              ///< m: of rolling, r_i r_j / (r_i + r_j)
    double friction_impulse[3]; ///< N s, on the first, by the last penalty_contact_apply_friction
    double rolling_impulse[3];  ///< N m s: likewise
};

struct penalty_chunk;

/// Value of a rotation index: the sphere has no rotation.
#define PENALTY_NO_ROTATION UINT32_MAX

/// A zero-initialised one is empty and valid.
struct penalty_contact {
    struct memory *memory;
    const struct friction_table *frictions;
    // Filled in by the owner, except for the counts, which penalty_contact_create and
    // penalty_contact_reserve_obstacles set:
    size_t sphere_count, part_count, bond_count, obstacle_count;
    uint32_t *node, *rotation; ///< per sphere: its position node; its rotation node or
                               ///< PENALTY_NO_ROTATION
    uint32_t *part;            ///< per sphere
    double *radius;            ///< per sphere, m
    double *length; ///< per sphere, m: length that scales its rotation vector to a coordinate
    struct penalty_part *parts;
    uint32_t *bonds; ///< bond_count x 2, spheres
    double *release; ///< bond_count, m: for broken bonds, distance of the two spheres at first
                     ///< touch; < 0: the bond is intact
    struct penalty_obstacle *obstacles;
    // Internal:
    uint32_t *joined_start, *joined; ///< per sphere: its bonds
    bool is_listed;                  ///< false: the searches must be repeated
    bool releases_are_listed;
    double margin;              ///< m
    double *points, *listed[2]; ///< per sphere, 3, m: positions; positions at the last search for
                                ///< pairs, for walls
    struct box *boxes;
    struct bounding_tree tree;
    struct box_pair_list found;
    struct penalty_candidate *candidates; ///< pairs, then spheres of broken bonds, then walls
    size_t pair_count, release_count, wall_candidate_count, candidate_capacity;
    struct penalty_candidate *near_walls; ///< result of the last search for walls
    size_t near_wall_count, near_wall_capacity, obstacle_capacity, wall_capacity, hit_capacity;
    size_t touch_capacity, chunk_capacity, pose_capacity;
    struct contact_surface *walls; ///< smooth surfaces, in the order of the obstacles
    size_t wall_count;
    struct pose *listed_poses; ///< per obstacle: its pose at the last search for walls
    uint32_t *hits;
    struct penalty_chunk *chunks;
    size_t touch_count;
    struct penalty_touch *touches;
    size_t node_count;
    double *force;        ///< per node, 3, N: nonzero at spheres that touch only
    double value;         ///< J
    double friction_time; ///< s: step of the last penalty_contact_apply_friction
};

/// The dimensions of a penalty_contact.
struct penalty_size {
    size_t nodes, spheres, parts, bonds;
};

extern const struct contact_table penalty_contact_table;

/// Allocates all arrays. The owner's arrays are left for the caller to fill.
pbs_status penalty_contact_create(struct memory *memory, const struct penalty_size *size,
                                  struct penalty_contact *contact);
void penalty_contact_free(struct penalty_contact *contact);

/// Builds the lists of each sphere's bonds. Must be called after parts, spheres and bonds were
/// filled in.
void penalty_contact_join(struct penalty_contact *contact);

/// Allocates memory for `count` obstacles.
pbs_status penalty_contact_reserve_obstacles(struct penalty_contact *contact, size_t count);
/// Updates the walls. Must be called after obstacles were filled in or moved.
void penalty_contact_update_obstacles(struct penalty_contact *contact);

/// Marks a bond as broken, with the distance at first touch, or as intact again (distance < 0).
void penalty_contact_release(struct penalty_contact *contact, size_t bond, double distance);

/// Finds touches, forces and energy at x (node order). PBS_ERROR_MEMORY.
pbs_status penalty_contact_find_touches(struct penalty_contact *contact, struct tasks *tasks,
                                        const double *x);

/// Applies friction, rolling and spinning resistance of the touches found last, in a step of h
/// seconds: impulses in the order of the touches, each at most as large as what stops the motion it
/// opposes. Returns the dissipated energy, J, relative to obstacles.
double penalty_contact_apply_friction(struct penalty_contact *contact,
                                      const struct friction_motion *motion);

/// Adds the forces of the touches found last and the impulses of the last
/// penalty_contact_apply_friction to the loads of the parts, which are bodies, then obstacles.
void penalty_contact_report(const struct penalty_contact *contact, double h,
                            struct contact_report *report);

/// Returns a bound of what contact adds to the square of the highest frequency, 1/s^2. It assumes
/// six neighbours of a sphere, of which each adds at most twice the sphere's k / m.
double penalty_contact_squared_frequency(const struct penalty_contact *contact, const double *mass);

#endif
