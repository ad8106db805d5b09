// Energy, gradient and forces of barrier contact, and the memory of its lists; see
// barrier_contact.h. Contacts are summed serially, in their order, so no bit of a result depends on
// threads.
// SPDX-License-Identifier: MIT
#include "contact/barrier/barrier_contact.h"

#include <math.h>

#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "contact/barrier/lagged_friction.h"
#include "contact/barrier/edge_factor.h"
#include "contact/barrier/rolling_resistance.h"

// --- memory ---

pbs_status barrier_contact_reset(struct barrier_contact *c) {
    const size_t count = 3 * (size_t)c->mesh.point_count;
    c->mean_edge = collision_mesh_mean_edge(&c->mesh);
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->obstacle_points, &c->obstacle_point_capacity,
                                    count, sizeof *c->obstacle_points));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->points, &c->point_capacity, count, sizeof *c->points));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->rotations, &c->rotation_capacity,
                                    3 * (size_t)c->mesh.rotation_count, sizeof *c->rotations));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->motion, &c->motion_capacity, count, sizeof *c->motion));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->velocity, &c->obstacle_velocity_capacity, count,
                                    sizeof *c->velocity));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->leg, &c->leg_capacity, count, sizeof *c->leg));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->found_points, &c->found_point_capacity, count,
                                    sizeof *c->found_points));
    c->is_found = false;
    c->contact_count = 0;
    c->friction_count = c->rolling_count = 0;
    return candidates_begin(c->memory, &c->mesh, &c->candidates);
}

void barrier_contact_free(struct barrier_contact *c) {
    struct memory *memory = c->memory;
    if (memory == NULL) {
        return;
    }
    collision_mesh_free(memory, &c->mesh);
    candidates_free(memory, &c->candidates);
    contact_blocks_free(memory, &c->blocks);
    intersection_search_free(memory, &c->intersections);
    memory_release(memory, c->walls);
    memory_release(memory, c->points);
    memory_release(memory, c->rotations);
    memory_release(memory, c->obstacle_points);
    memory_release(memory, c->motion);
    memory_release(memory, c->velocity);
    memory_release(memory, c->leg);
    memory_release(memory, c->found_points);
    memory_release(memory, c->contacts);
    memory_release(memory, c->frictions);
    memory_release(memory, c->rollings);
    memory_release(memory, c->before.frictions);
    memory_release(memory, c->before.rollings);
    memory_release(memory, c->near);
    memory_release(memory, c->slots);
    memory_release(memory, c->pieces);
    contact_groups_free(memory, &c->groups);
    memory_release(memory, c->block_indices);
    *c = (struct barrier_contact){0};
}

// --- energy and gradient ---

/// gradient = the gradient of a contact's potential with respect to each of its points.
static void gradient_of(const struct barrier_contact *c, const struct active_contact *contact,
                        double gradient[CONTACT_POINTS][3]) {
    for (int k = 0; k < contact->point_count; k++) {
        scale3(contact->factor * contact->barrier.first * contact->weight[k], contact->normal,
               gradient[k]);
    }
    if (contact->factor >= 1.0) {
        return;
    }
    const double *x[PAIR_NODES];
    for (int k = 0; k < PAIR_NODES; k++) {
        x[k] = c->points + 3 * (size_t)contact->points[k];
    }
    edge_factor_add_gradient(contact, x, gradient);
}

static void add_barrier_gradient(const struct barrier_contact *c,
                                 const struct active_contact *contact, double *gradient) {
    double by_point[CONTACT_POINTS][3];
    gradient_of(c, contact, by_point);
    for (int k = 0; k < contact->point_count; k++) {
        collision_mesh_add_to_nodes(&c->mesh, contact->points[k], 1.0, by_point[k], gradient);
    }
}

/// The energy of edges that touch is infinite even where the mollifier is zero.
double barrier_contact_energy(const struct active_contact *contact) {
    const double value = contact->barrier.value;
    return isinf(value) ? value : contact->factor * value;
}

pbs_status barrier_contact_evaluate(struct barrier_contact *c, struct tasks *tasks, const double *x,
                                    bool with_friction, double *gradient,
                                    struct contact_energy *out) {
    const double start = clock_seconds() - c->counters.seconds_search;
    *out = (struct contact_energy){0.0, 0.0};
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    for (size_t i = 0; i < c->contact_count; i++) {
        out->potential += barrier_contact_energy(&c->contacts[i]);
    }
    for (size_t i = 0; gradient != NULL && isfinite(out->potential) && i < c->contact_count; i++) {
        add_barrier_gradient(c, &c->contacts[i], gradient);
    }
    for (size_t i = 0; with_friction && i < c->friction_count; i++) {
        out->friction += lagged_friction_evaluate(c, &c->frictions[i], gradient);
    }
    for (size_t i = 0; with_friction && i < c->rolling_count; i++) {
        out->friction += rolling_resistance_evaluate(c, &c->rollings[i], gradient);
    }
    c->counters.seconds_evaluate += clock_seconds() - c->counters.seconds_search - start;
    return PBS_OK;
}

double barrier_contact_gap(const struct barrier_contact *c, const struct active_contact *contact) {
    const uint32_t *points = contact->points;
    return contact->distance -
           (contact->wall == CONTACT_NO_WALL
                ? collision_mesh_pair_offset(&c->mesh, points[0],
                                             points[pair_first_count(contact->kind)])
                : collision_mesh_offset(&c->mesh, points[0]));
}

double barrier_contact_least_gap(const struct barrier_contact *c) {
    double least = INFINITY;
    for (size_t i = 0; i < c->contact_count; i++) {
        least = fmin(least, barrier_contact_gap(c, &c->contacts[i]));
    }
    return least;
}

void barrier_contact_set_stiffness(struct barrier_contact *c, uint32_t part, double stiffness,
                                   double load) {
    struct collision_part *p = &c->mesh.parts[part];
    c->is_found = c->is_found && p->stiffness == stiffness && p->load == load;
    p->stiffness = stiffness;
    p->load = load;
}

void barrier_contact_set_solved(struct barrier_contact *c, uint32_t part, double stiffness,
                                double load) {
    c->mesh.parts[part].solved_stiffness = stiffness;
    c->mesh.parts[part].solved_load = load;
}

double barrier_contact_reach(const struct barrier_contact *c, uint32_t a, uint32_t b) {
    const struct collision_part *first = &c->mesh.parts[a], *second = &c->mesh.parts[b];
    const double own = collision_part_reach(first, c->settings.barrier.reach);
    const double other = collision_part_reach(second, c->settings.barrier.reach);
    const double reach = own < other ? own : other;
    const struct close_parts *close = first->is_close && second->is_close
                                          ? collision_mesh_close(&c->mesh, a, b)
                                          : NULL;
    return close != NULL ? fmin(reach, close->reach) : reach;
}

static double stiffness_of(const struct collision_part *a, const struct collision_part *b,
                           double reach) {
    return fmax(fmin(a->stiffness, b->stiffness), fmin(a->load, b->load) / reach);
}

/// The part with the stiffness that the start of the step was solved with, as far as is known.
static struct collision_part solved_part(const struct collision_part *part) {
    struct collision_part solved = *part;
    if (!part->is_obstacle && part->solved_stiffness > 0.0) {
        solved.stiffness = part->solved_stiffness;
        solved.load = part->solved_load;
    }
    return solved;
}

double barrier_contact_solved_share(const struct barrier_contact *c, uint32_t first,
                                    uint32_t second) {
    if (c->settings.barrier.stiffness != 0.0) {
        return 1.0;
    }
    const double reach = barrier_contact_reach(c, first, second);
    const struct collision_part *const a = &c->mesh.parts[first], *const b = &c->mesh.parts[second];
    const struct collision_part before[2] = {solved_part(a), solved_part(b)};
    return stiffness_of(&before[0], &before[1], reach) / stiffness_of(a, b, reach);
}

void barrier_contact_forget_reaches(struct barrier_contact *c) {
    collision_mesh_sort_close(&c->mesh);
    c->is_found = false;
}

double barrier_contact_least_reach(const struct barrier_contact *c) {
    double least = c->settings.barrier.reach;
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        least = fmin(least, collision_part_reach(&c->mesh.parts[i], least));
    }
    return least;
}

// --- friction ---

void barrier_contact_restore_friction(struct barrier_contact *c) {
    const struct friction_before now = {c->frictions,         c->rollings,
                                        c->friction_count,    c->rolling_count,
                                        c->friction_capacity, c->rolling_capacity};
    const struct friction_before *before = &c->before;
    c->frictions = before->frictions;
    c->rollings = before->rollings;
    c->friction_count = before->friction_count;
    c->rolling_count = before->rolling_count;
    c->friction_capacity = before->friction_capacity;
    c->rolling_capacity = before->rolling_capacity;
    c->before = now;
}

pbs_status barrier_contact_lag_friction(struct barrier_contact *c, struct tasks *tasks,
                                        const double *x, bool is_start) {
    // What was before takes the place of what was before that.
    barrier_contact_restore_friction(c);
    c->friction_count = c->rolling_count = 0;
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    RETURN_IF_FAILED(lagged_friction_lag(c, is_start));
    return rolling_resistance_lag(c, is_start);
}

void barrier_contact_begin_stage(struct barrier_contact *c, const double *origin, double length) {
    c->slip_width = c->settings.slip_velocity * length;
    lagged_friction_begin_stage(c, origin, length);
    rolling_resistance_begin_stage(c, origin, length);
}

double barrier_contact_friction_power(struct barrier_contact *c, struct tasks *tasks,
                                      const double *x, double length) {
    barrier_contact_locate(c, tasks, x);
    double power = 0.0;
    for (size_t i = 0; i < c->friction_count; i++) {
        power += lagged_friction_power(c, &c->frictions[i], length);
    }
    for (size_t i = 0; i < c->rolling_count; i++) {
        power += rolling_resistance_power(c, &c->rollings[i], length);
    }
    return power;
}

// --- forces ---

void barrier_contact_forces(const struct barrier_contact *c, const struct active_contact *active,
                            double forces[CONTACT_POINTS][3]) {
    gradient_of(c, active, forces);
    for (int k = 0; k < active->point_count; k++) {
        scale3(-1.0, forces[k], forces[k]);
    }
}

double barrier_contact_obstacle_power(const struct barrier_contact *c,
                                      const struct active_contact *contact) {
    double power = 0.0;
    double gradient[CONTACT_POINTS][3] = {{0.0}};
    gradient_of(c, contact, gradient);
    if (contact->wall != CONTACT_NO_WALL) {
        double v[3];
        obstacle_velocity(&c->walls[contact->wall].target,
                          c->points + 3 * (size_t)contact->points[0], v);
        power -= dot3(gradient[0], v);
    }
    for (int k = 0; k < contact->point_count; k++) {
        const uint32_t point = contact->points[k];
        if (c->mesh.kind[point] == POINT_OBSTACLE) {
            power += dot3(gradient[k], c->velocity + 3 * (size_t)point);
        }
    }
    return power;
}

static uint32_t node_of(const struct barrier_contact *c, uint32_t point) {
    return c->mesh.kind[point] == POINT_OBSTACLE ? CONTACT_NO_NODE : c->mesh.node[point];
}

void barrier_contact_nodes(const struct barrier_contact *c, uint32_t wall, enum pair_kind kind,
                           const uint32_t *points, uint32_t nodes[2]) {
    nodes[0] = node_of(c, points[0]);
    nodes[1] = wall != CONTACT_NO_WALL ? CONTACT_NO_NODE
                                       : node_of(c, points[pair_first_count(kind)]);
}
