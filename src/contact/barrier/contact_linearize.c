// The Hessian of barrier contact: the blocks of each contact, friction and rolling resistance, made
// positive semidefinite one by one, and its product with a motion. What couples the same nodes
// shares a block. Blocks are computed in parallel pieces.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "contact/barrier/barrier_contact.h"
#include "contact/barrier/lagged_friction.h"
#include "contact/barrier/edge_factor.h"
#include "contact/barrier/rolling_resistance.h"

// SMALL_BLOCK: nodes of a block, as of a point and a triangle.
enum { GROUPS_PER_PIECE = 16, SMALL_BLOCK = 4 };

// Duals this near to those of the slip make a Hessian that is near to the energy's, so that a short
// Newton step means what it says.
static const double SETTLED = 0.1;

// --- one contact ---

static void hessian_of_pair(const struct barrier_contact *c, const struct active_contact *contact,
                            struct contact_hessian *hessian) {
    const double *x[PAIR_NODES] = {NULL};
    for (int k = 0; k < contact->point_count; k++) {
        x[k] = c->points + 3 * (size_t)contact->points[k];
    }
    if (contact->factor < 1.0) {
        edge_factor_hessian(contact, x, hessian);
    } else {
        for (int k = 0; k < contact->point_count; k++) {
            scale3(contact->weight[k], contact->normal, hessian->vector[0][k]);
        }
        contact_hessian_add(hessian, contact->factor * contact->barrier.second);
    }
    if (c->is_flat) {
        return;
    }
    struct closest_bending bending;
    struct closest closest = {.squared = contact->distance * contact->distance,
                              .support = contact->support};
    memcpy(closest.weight, contact->weight, sizeof closest.weight);
    scale3(contact->distance, contact->normal, closest.r);
    closest_bending(contact->kind, x, &closest, &bending);
    for (int k = 0; k < bending.count; k++) {
        memcpy(hessian->vector[hessian->count], bending.vector[k], sizeof bending.vector[k]);
        contact_hessian_add(hessian,
                            -contact->factor * contact->barrier.first * bending.coefficient[k]);
    }
}

/// Walls are convex towards the points, so minus the Hessian of their distance is positive
/// semidefinite.
static void hessian_of_wall(const struct barrier_contact *c, const struct active_contact *contact,
                            struct contact_hessian *hessian) {
    const struct contact_surface *surface = &c->walls[contact->wall].surface;
    double normal[3];
    double curvature[9];
    double lambda[3];
    double q[9];
    shape_distance(&surface->shape, &surface->pose, c->points + 3 * (size_t)contact->points[0],
                   normal, curvature);
    copy3(normal, hessian->vector[0][0]);
    contact_hessian_add(hessian, contact->barrier.second);
    eigen3(curvature, lambda, q);
    for (int k = 0; k < 2; k++) {
        if (lambda[k] < 0.0) {
            for (int i = 0; i < 3; i++) {
                hessian->vector[hessian->count][0][i] = q[3 * i + k];
            }
            contact_hessian_add(hessian, contact->barrier.first * lambda[k]);
        }
    }
}

/// Returns the rolling resistance of an index. Indices run over contacts, then frictions, then
/// rollings.
static const struct lagged_rolling *rolling_at(const struct barrier_contact *c, size_t index) {
    return &c->rollings[index - c->contact_count - c->linearized_frictions];
}

/// Points that are not there are read as zeros. Most contacts have all, and a Hessian is a
/// kilobyte.
static void hessian_clear(int point_count, struct contact_hessian *hessian) {
    if (point_count < CONTACT_POINTS) {
        *hessian = (struct contact_hessian){0};
    }
    hessian->count = 0;
}

/// Computes the Hessian of a contact, a friction or a rolling resistance. Returns how many points
/// it has.
static int hessian_of(const struct barrier_contact *c, size_t index, const uint32_t **points,
                      struct contact_hessian *hessian, struct contact_rotations *rotations) {
    rotations->count = 0;
    if (index >= c->contact_count + c->linearized_frictions) {
        const struct lagged_rolling *rolling = rolling_at(c, index);
        hessian_clear(0, hessian);
        rolling_resistance_hessian(c, rolling, hessian, rotations);
        *points = rolling->points;
        return rolling->point_count;
    }
    if (index >= c->contact_count) {
        const struct lagged_friction *friction = &c->frictions[index - c->contact_count];
        hessian_clear(friction->point_count, hessian);
        lagged_friction_hessian(c, friction, hessian, rotations);
        *points = friction->points;
        return friction->point_count;
    }
    const struct active_contact *contact = &c->contacts[index];
    hessian_clear(contact->point_count, hessian);
    if (contact->wall == CONTACT_NO_WALL) {
        hessian_of_pair(c, contact, hessian);
    } else {
        hessian_of_wall(c, contact, hessian);
    }
    *points = contact->points;
    return contact->point_count;
}

// --- blocks ---

static size_t linearized_count(const struct barrier_contact *c) {
    return c->contact_count + c->linearized_frictions + c->linearized_rollings;
}

struct block_pass {
    struct barrier_contact *contact;
    const struct contact_blocks_scene *scene;
};

/// Lists the nodes that an index couples, ascending.
static void list_nodes(const struct contact_blocks_scene *scene, const struct barrier_contact *c,
                       size_t index, struct contact_nodes *stencil) {
    uint32_t rotation[2];
    int rotations = 0;
    if (index < c->contact_count) {
        const struct active_contact *contact = &c->contacts[index];
        contact_nodes_of_points(scene, contact->points, contact->point_count, stencil);
    } else if (index < c->contact_count + c->linearized_frictions) {
        const struct lagged_friction *friction = &c->frictions[index - c->contact_count];
        contact_nodes_of_points(scene, friction->points, friction->point_count, stencil);
        rotations = lagged_friction_rotation_nodes(c, friction, rotation);
    } else {
        const struct lagged_rolling *rolling = rolling_at(c, index);
        contact_nodes_of_points(scene, rolling->points, rolling->point_count, stencil);
        rotations = rolling_resistance_rotation_nodes(c, rolling, rotation);
    }
    for (int t = 0; t < rotations; t++) {
        contact_nodes_add(scene, rotation[t], stencil);
    }
    contact_nodes_sort(stencil);
}

static void add_to_block(const struct block_pass *pass, size_t index,
                         struct contact_block_index location) {
    struct barrier_contact *c = pass->contact;
    struct contact_hessian hessian;
    struct contact_rotations rotations;
    struct contact_nodes stencil;
    const uint32_t *points = NULL;
    hessian_of(c, index, &points, &hessian, &rotations);
    list_nodes(pass->scene, c, index, &stencil);
    contact_blocks_add(pass->scene, &stencil, &hessian, rotations.count > 0 ? &rotations : NULL,
                       location, &c->blocks);
}

/// Writes one block with all that couples its nodes.
static void write_group(const struct block_pass *pass, size_t group) {
    struct barrier_contact *c = pass->contact;
    const struct contact_groups *const groups = &c->groups;
    const struct contact_block_index location = c->block_indices[group];
    struct contact_nodes nodes = {.node_count = groups->width[group]};
    memcpy(nodes.node, groups->nodes + CONTACT_STENCIL_LIMIT * group, sizeof nodes.node);
    contact_blocks_open(pass->scene, &nodes, location, &c->blocks);
    for (uint32_t i = groups->start[group]; i < groups->start[group + 1]; i++) {
        add_to_block(pass, groups->items[i], location);
    }
    contact_blocks_close(location, &c->blocks);
}

static void write_groups_piece(void *context, size_t piece) {
    const struct block_pass *pass = context;
    const size_t begin = piece * GROUPS_PER_PIECE;
    for (size_t k = begin; k < begin + GROUPS_PER_PIECE && k < pass->contact->groups.count; k++) {
        write_group(pass, k);
    }
}

/// Groups what is linearized by its nodes and counts a block for each group. How much of it shares
/// nodes changes from one step to the next, so that where blocks are small there is room for one
/// each. Large ones are those of pairs of bodies, which share theirs as long as they touch.
static pbs_status count_blocks(const struct contact_blocks_scene *scene,
                               struct barrier_contact *c) {
    const size_t count = linearized_count(c);
    size_t room[CONTACT_STENCIL_LIMIT] = {0};
    RETURN_IF_FAILED(contact_groups_begin(c->memory, count, &c->groups));
    for (size_t i = 0; i < count; i++) {
        struct contact_nodes stencil;
        list_nodes(scene, c, i, &stencil);
        contact_groups_add(&c->groups, &stencil);
        if (stencil.node_count > 0 && stencil.node_count <= SMALL_BLOCK) {
            room[stencil.node_count - 1]++;
        }
    }
    contact_groups_finish(&c->groups);
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->block_indices, &c->block_index_capacity, count,
                                    sizeof *c->block_indices));
    contact_blocks_clear(&c->blocks);
    for (size_t k = 0; k < c->groups.count; k++) {
        c->block_indices[k] = contact_blocks_count(&c->blocks, c->groups.width[k]);
    }
    return contact_blocks_reserve(c->memory, room, &c->blocks);
}

pbs_status barrier_contact_linearize(struct barrier_contact *c, struct tasks *tasks,
                                     const struct layout *layout, const uint8_t *constrained_axes,
                                     const double *x, bool with_friction) {
    const double start = clock_seconds() - c->counters.seconds_search;
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    c->linearized_frictions = with_friction ? c->friction_count : 0;
    c->linearized_rollings = with_friction ? c->rolling_count : 0;
    const struct contact_blocks_scene scene = {
        .mesh = &c->mesh, .layout = layout, .constrained_axes = constrained_axes};
    RETURN_IF_FAILED(count_blocks(&scene, c));
    struct block_pass pass = {.contact = c, .scene = &scene};
    tasks_for(tasks, (c->groups.count + GROUPS_PER_PIECE - 1) / GROUPS_PER_PIECE,
              write_groups_piece, &pass);
    c->counters.seconds_linearize += clock_seconds() - c->counters.seconds_search - start;
    return PBS_OK;
}

// --- duals of friction ---

/// The duals are those of the slip again.
static void forget_duals(struct barrier_contact *c) {
    const struct friction_dual unknown = {.is_known = false};
    for (size_t i = 0; i < c->friction_count; i++) {
        c->frictions[i].dual = unknown;
    }
    for (size_t i = 0; i < c->rolling_count; i++) {
        c->rollings[i].roll = c->rollings[i].spin = unknown;
    }
}

void barrier_contact_follow(struct barrier_contact *c, const double *direction) {
    if (direction == NULL) {
        forget_duals(c);
        return;
    }
    c->dual_error = 0.0;
    for (size_t i = 0; i < c->linearized_frictions; i++) {
        c->dual_error = fmax(c->dual_error, lagged_friction_follow(c, &c->frictions[i], direction));
    }
    for (size_t i = 0; i < c->linearized_rollings; i++) {
        c->dual_error = fmax(c->dual_error,
                             rolling_resistance_follow(c, &c->rollings[i], direction));
    }
}

bool barrier_contact_is_settled(const struct barrier_contact *c) {
    return c->dual_error <= SETTLED;
}

// --- product with a motion ---

/// Subtracts the remaining motion of a wall at x from a point's motion.
static void subtract_wall_motion(const struct contact_wall *wall, const double x[3],
                                 double motion[3]) {
    double arm[3];
    double rotated[3];
    subtract3(x, wall->origin, arm);
    cross3(wall->rotation, arm, rotated);
    subtract3(motion, wall->translation, motion);
    subtract3(motion, rotated, motion);
}

/// Adds the change of the force that is due to the rotation of the wall and its normal.
static void add_rotated_force(const struct barrier_contact *c, const struct active_contact *contact,
                              double *gradient) {
    double rotated[3];
    cross3(c->walls[contact->wall].rotation, contact->normal, rotated);
    collision_mesh_add_to_nodes(&c->mesh, contact->points[0], contact->barrier.first, rotated,
                                gradient);
}

/// Whether the remaining motion of a point changes the gradient of this contact. Friction depends
/// on the whole motion of obstacles in the stage, so their remaining motion does not change it.
static bool moves_in_stage(const struct barrier_contact *c, size_t index, uint32_t point) {
    return index < c->contact_count || c->mesh.kind[point] != POINT_OBSTACLE;
}

static void add_motion_of(struct barrier_contact *c, size_t index, const double *node_motion,
                          double *gradient) {
    struct contact_hessian hessian;
    struct contact_rotations rotations;
    const uint32_t *points = NULL;
    const int count = hessian_of(c, index, &points, &hessian, &rotations);
    // Friction does not depend on the remaining motion of walls either.
    const uint32_t wall = index < c->contact_count ? c->contacts[index].wall : CONTACT_NO_WALL;
    for (int k = 0; k < hessian.count; k++) {
        double along = 0.0;
        for (int p = 0; p < count; p++) {
            double motion[3];
            if (!moves_in_stage(c, index, points[p])) {
                continue;
            }
            copy3(c->motion + 3 * (size_t)points[p], motion);
            if (wall != CONTACT_NO_WALL) {
                subtract_wall_motion(&c->walls[wall], c->points + 3 * (size_t)points[p], motion);
            }
            along += dot3(hessian.vector[k][p], motion);
        }
        for (int t = 0; t < rotations.count; t++) {
            along += dot3(rotations.vector[k][t], node_motion + 3 * (size_t)rotations.node[t]);
        }
        for (int p = 0; p < count && along != 0.0; p++) {
            collision_mesh_add_to_nodes(&c->mesh, points[p], hessian.coefficient[k] * along,
                                        hessian.vector[k][p], gradient);
        }
        for (int t = 0; t < rotations.count && along != 0.0; t++) {
            double *to = gradient + 3 * (size_t)rotations.node[t];
            add_scaled3(to, hessian.coefficient[k] * along, rotations.vector[k][t], to);
        }
    }
    if (wall != CONTACT_NO_WALL) {
        add_rotated_force(c, &c->contacts[index], gradient);
    }
}

void barrier_contact_add_motion(struct barrier_contact *c, struct tasks *tasks,
                                const double *motion, double *gradient) {
    collision_mesh_compute_points(tasks, &c->mesh, motion, c->motion);
    for (size_t i = 0; i < linearized_count(c); i++) {
        add_motion_of(c, i, motion, gradient);
    }
}
