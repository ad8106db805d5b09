// Contact that allows penetration and penalises it with the cube of a point's depth: in an obstacle
// by its signed distance (OPT section 5.2, level_set_penalty.h), in a solid by the distance from
// the solid's surface (OPT section 5.3, inclusion_penalty.h; docs/theory/contact.md section 8). The
// penetrating points are found anew at every state, as the energy depends on them. Friction is
// applied to velocities after the solve.
//
// Points are all vertices of all bodies. The owner fills in mesh, solids, stiffness and obstacles.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_PENETRATION_PENETRATION_H
#define PBS_CONTACT_PENETRATION_PENETRATION_H

#include "contact/contact_blocks.h"
#include "contact/contact_table.h"
#include "contact/surfaces/friction_table.h"
#include "contact/friction/impulse_friction.h"
#include "contact/penetration/solid_inclusion.h"

/// An obstacle with penalty contact, which projections ignore.
struct penetration_obstacle {
    uint32_t obstacle; ///< its index in the world
    uint32_t part;     ///< its part in reports
    uint32_t group, mask;
    double stiffness; ///< Pa; 0: use the stiffness of the penetrating part
    struct surface surface;
    struct obstacle target; ///< the obstacle at the end of the stage
};

/// A point inside an obstacle or a solid.
struct penetration_contact {
    uint32_t obstacle; ///< CONTACT_NO_WALL: the point is in a solid
    enum pair_kind kind;
    int point_count; ///< 1 for obstacles
    uint32_t points[CONTACT_POINTS];
    struct closest closest; ///< for solids; for obstacles only weight[0] = 1
    double normal[3];       ///< unit: outward, direction of the force on the point
    double stiffness;       ///< Pa
    double energy;          ///< J
    double gradient[3];     ///< N: the derivative with respect to point i is weight_i times this
    double hessian[9];      ///< N/m: for obstacles, the exact Hessian
};

/// A contact of a stage's solution, on which friction after the solve acts.
struct friction_candidate {
    uint32_t obstacle;
    int point_count;
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS];
    double positions[CONTACT_POINTS][3]; ///< m
};

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct penetration {
    struct memory *memory;
    const struct friction_table *friction_table; ///< null: an empty table
    struct collision_mesh mesh;
    struct solid_inclusion solids; ///< uses the points and parts of the mesh
    bool has_solids;               ///< points inside solids are penalised too
    double *stiffness;             ///< per part, Pa
    size_t stiffness_capacity;
    size_t obstacle_count, obstacle_capacity;
    struct penetration_obstacle *obstacles;
    // Internal:
    bool is_found; ///< contacts are valid for the points `found`: obstacles have not moved since
    double *points, *found, *motion; ///< per point, 3
    double *energies;                ///< scratch, per point, J: for one obstacle
    size_t point_capacity, found_capacity, motion_capacity, energy_capacity;
    size_t contact_count, contact_capacity;
    struct penetration_contact *contacts; ///< those of solids first, then by obstacle; each sorted
                                          ///< by point
    /// Friction candidates of all stages of this step. Those behind committed_count belong to the
    /// stage reported last and are replaced if it is reported again.
    size_t friction_candidate_count, committed_count, friction_candidate_capacity,
        friction_capacity;
    struct friction_candidate *friction_candidates;
    struct friction_contact *frictions; ///< one per friction candidate
    struct contact_blocks blocks;
    struct contact_block_index *block_indices;
    size_t block_index_capacity;
    bool is_semidefinite; ///< of the last linearization
};

extern const struct contact_table penetration_table;

void penetration_free(struct penetration *p);

/// Removes points, solids and obstacles. Memory is not released.
void penetration_clear(struct penetration *p);

/// Allocates memory for parts and obstacles. Must be called after points were added.
pbs_status penetration_reserve(struct penetration *p, size_t parts, size_t obstacles);

/// contacts = all contacts at x (node order).
pbs_status penetration_find(struct penetration *p, struct tasks *tasks, const double *x);

/// Returns the depth of a contact of the state found last, m, > 0.
double penetration_depth(const struct penetration *p, const struct penetration_contact *contact);
/// Returns the largest depth, m; 0 without contacts.
double penetration_deepest(const struct penetration *p);

#endif
