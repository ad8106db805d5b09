// Contact of spheres by penalties, for explicit steps (BDEM section 4.6; docs/theory/bonds.md
// section 6.5): spheres that no bond joins push each other with k max(0, d - |p_i - p_j|), surfaces
// of obstacles with k max(0, r - phi(p)), and friction, rolling and spinning resistance are
// impulses after the step.
//
// What may touch is searched with a margin and kept until spheres have moved by that much. Touches
// are listed in an order of their own, so that no bit depends on when searches were made, nor on
// threads.
//
// For each state: penalty_contact_find_touches, then the forces are read; after the step
// penalty_contact_apply_friction. Steps do so through penalty_contact_table.
#ifndef PBS_CONTACT_PENALTY_PENALTY_CONTACT_H
#define PBS_CONTACT_PENALTY_PENALTY_CONTACT_H

#include "broad_phase/box_pairs.h"
#include "contact/contact_report.h"
#include "contact/surfaces/friction_table.h"
#include "contact/friction/impulse_friction.h"
#include "contact/surfaces/obstacle.h"

/// A body, whether it has spheres or not.
struct penalty_part {
    struct surface surface;
    uint32_t group, mask;
    bool touches_itself;
    double stiffness;    ///< N/m; of a pair the lesser one counts
    const double *rest;  ///< per sphere of it, 3, m: the owner's; null without spheres
    size_t first_sphere; ///< and its others behind
    size_t first_bond;
};

/// An obstacle; those of surfaces that it consists of are penalty_wall.
struct penalty_obstacle {
    struct obstacle obstacle;
    struct surface surface;
    uint32_t group, mask;
};

/// What may touch: two spheres, or a sphere and a wall.
struct penalty_candidate {
    uint32_t first, second;
    double reach; ///< m: they touch where their centres are closer
};

/// Two spheres that touch, or a sphere and a surface.
struct penalty_touch {
    uint32_t first, second; ///< spheres; with a wall the second is an index into walls
    bool is_wall;
    double normal[3];           ///< unit, from the second to the first
    double depth;               ///< m
    double force;               ///< N, along the normal on the first
    double arm[2];              ///< m: from each centre to the point where friction acts
    double radius;              ///< m: of rolling, r_i r_j / (r_i + r_j)
    double friction_impulse[3]; ///< N s: of the last penalty_contact_apply_friction, on the first
    double rolling_impulse[3];  ///< N m s: likewise
};

struct penalty_chunk;

/// In place of the rotation of a sphere that nothing turns.
#define PENALTY_NO_ROTATION UINT32_MAX

/// All zero is a valid empty one.
struct penalty_contact {
    struct memory *memory;
    const struct friction_table *frictions;
    // Filled in by the owner; counts as penalty_contact_reserve was told.
    size_t sphere_count, part_count, bond_count, obstacle_count;
    uint32_t *node, *rotation; ///< per sphere: its place and its rotation, or PENALTY_NO_ROTATION
    uint32_t *part;            ///< per sphere
    double *radius;            ///< per sphere, m
    double *length;            ///< per sphere, m: what makes its rotation a coordinate
    struct penalty_part *parts;
    uint32_t *bonds; ///< bond_count x 2, spheres
    double *release; ///< bond_count, m: from here on what it joined touches; < 0: it holds
    struct penalty_obstacle *obstacles;
    // Its own:
    uint32_t *joined_start, *joined; ///< per sphere: the bonds of it
    bool is_listed;                  ///< false: search again, whatever has moved
    bool releases_are_listed;
    double margin;              ///< m
    double *points, *listed[2]; ///< per sphere, 3: where they are; where pairs and walls were
                                ///< searched
    struct box *boxes;
    struct bounding_tree tree;
    struct box_pair_list found;
    struct penalty_candidate *candidates; ///< pairs, then released bonds, then walls
    size_t pair_count, release_count, wall_candidate_count, candidate_capacity;
    struct penalty_candidate *near_walls; ///< what the last search for walls found
    size_t near_wall_count, near_wall_capacity, obstacle_capacity, wall_capacity, hit_capacity;
    size_t touch_capacity, chunk_capacity, pose_capacity;
    struct contact_surface *walls; ///< of obstacles, in order
    size_t wall_count;
    struct pose *listed_poses; ///< of obstacles, at the search
    uint32_t *hits;
    struct penalty_chunk *chunks;
    size_t touch_count;
    struct penalty_touch *touches;
    size_t node_count;
    double *force;        ///< per node, 3, N: on what has touched last
    double value;         ///< J
    double friction_time; ///< s: of the last penalty_contact_apply_friction
};

/// How large one is to be.
struct penalty_size {
    size_t nodes, spheres, parts, bonds;
};

extern const struct contact_table penalty_contact_table;

/// Room, once; what the owner fills in is not filled.
pbs_status penalty_contact_create(struct memory *memory, const struct penalty_size *size,
                                  struct penalty_contact *contact);
void penalty_contact_free(struct penalty_contact *contact);

/// After parts, spheres and bonds are filled in: who is joined to whom.
void penalty_contact_join(struct penalty_contact *contact);

/// Room for so many obstacles.
pbs_status penalty_contact_reserve_obstacles(struct penalty_contact *contact, size_t count);
/// After obstacles were filled in or moved.
void penalty_contact_update_obstacles(struct penalty_contact *contact);

/// What joined two spheres is no more, or is again (a distance below zero).
void penalty_contact_release(struct penalty_contact *contact, size_t bond, double distance);

/// Touches, forces and energy at x, node order. PBS_ERROR_MEMORY.
pbs_status penalty_contact_find_touches(struct penalty_contact *contact, struct tasks *tasks,
                                        const double *x);

/// Friction of the touches found last in a step of h seconds, and what resists rolling and
/// spinning: impulses, each at most what ends the motion that it opposes, one after another.
/// Returns what they take out, J, relative to obstacles.
double penalty_contact_apply_friction(struct penalty_contact *contact,
                                      const struct friction_motion *motion);

/// Forces on parts of the state found last and of the last penalty_contact_apply_friction; parts
/// are bodies, then obstacles.
void penalty_contact_report(const struct penalty_contact *contact, double h,
                            struct contact_report *report);

/// 1/s^2: how much touches may add to the square of the highest frequency: six neighbours of a
/// sphere, each of twice its k / m at most.
double penalty_contact_squared_frequency(const struct penalty_contact *contact, const double *mass);

#endif
