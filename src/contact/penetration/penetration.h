// Contact that lets things go into each other and pushes them out again, by the third power of how
// deep a point is: in an obstacle by its signed distance (OPT section 5.2, level_set_penalty.h), in
// a solid by the distance from the solid's surface (OPT section 5.3, inclusion_penalty.h). What is
// in what is found anew at every state, as the energy depends on it; docs/theory/contact.md section
// 8. Friction comes after the solve, on velocities.
//
// Points are all vertices of all bodies. The owner fills in mesh, solids, stiffness and obstacles.
#ifndef PBS_CONTACT_PENETRATION_PENETRATION_H
#define PBS_CONTACT_PENETRATION_PENETRATION_H

#include "contact/contact_blocks.h"
#include "contact/contact_table.h"
#include "contact/surfaces/friction_table.h"
#include "contact/friction/impulse_friction.h"
#include "contact/penetration/solid_inclusion.h"

/// An obstacle that is none of a projection's.
struct penetration_obstacle {
    uint32_t obstacle; ///< its number in the world
    uint32_t part;     ///< of reports
    uint32_t group, mask;
    double stiffness; ///< Pa; 0: that of whatever is inside
    struct surface surface;
    struct obstacle target; ///< where the stage ends
};

/// A point inside an obstacle or a solid.
struct penetration_contact {
    uint32_t obstacle; ///< CONTACT_NO_WALL: it is a solid
    enum pair_kind kind;
    int point_count; ///< 1 of obstacles
    uint32_t points[CONTACT_POINTS];
    struct closest closest; ///< of solids; of obstacles a weight of 1
    double normal[3];       ///< unit: the way out
    double stiffness;       ///< Pa
    double energy;          ///< J
    double gradient[3];     ///< N: by where point i is, weight_i times this
    double hessian[9];      ///< N/m: of obstacles, exact
};

/// What friction after the solve is to act on: a contact of a stage's solution.
struct friction_candidate {
    uint32_t obstacle;
    int point_count;
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS];
    double positions[CONTACT_POINTS][3]; ///< m
};

/// All zero is a valid empty one. Buffers grow, never shrink.
struct penetration {
    struct memory *memory;
    const struct friction_table *friction_table; ///< null: an empty one
    struct collision_mesh mesh;
    struct solid_inclusion solids; ///< points are the mesh's, parts its parts
    bool has_solids;               ///< what is inside of them counts
    double *stiffness;             ///< per part, Pa
    size_t stiffness_capacity;
    size_t obstacle_count, obstacle_capacity;
    struct penetration_obstacle *obstacles;
    // Its own:
    bool is_found; ///< contacts are those at `found`, and obstacles have not been placed since
    double *points, *found, *motion; ///< per point, 3
    double *energies;                ///< scratch, per point: of one obstacle
    size_t point_capacity, found_capacity, motion_capacity, energy_capacity;
    size_t contact_count, contact_capacity;
    struct penetration_contact *contacts; ///< of solids, then obstacle by obstacle; by points
    /// Of the stages of this step; those of the last report may be replaced by another one.
    size_t friction_candidate_count, committed_count, friction_candidate_capacity,
        friction_capacity;
    struct friction_candidate *friction_candidates;
    struct friction_contact *frictions; ///< beside rubs
    struct contact_blocks blocks;
    struct contact_block_index *block_indices;
    size_t block_index_capacity;
    bool is_semidefinite; ///< the last linearization
    struct contact_matrix matrix;
};

extern const struct contact_table penetration_table;

void penetration_free(struct penetration *p);

/// No points, solids and obstacles; memory stays.
void penetration_clear(struct penetration *p);

/// Room for so many parts and obstacles, once points are known: nothing is found yet.
pbs_status penetration_reserve(struct penetration *p, size_t parts, size_t obstacles);

/// contacts = all at x, node order.
pbs_status penetration_find(struct penetration *p, struct tasks *tasks, const double *x);

/// m: how deep a contact of the state found last is, > 0.
double penetration_depth(const struct penetration *p, const struct penetration_contact *contact);
/// m: the deepest of them; 0: there is none.
double penetration_deepest(const struct penetration *p);

#endif
