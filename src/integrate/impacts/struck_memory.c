// See struck_memory.h.
// SPDX-License-Identifier: MIT
#include "integrate/impacts/struck_memory.h"

#include <string.h>

#include "base/matrix3/math3.h"

pbs_status struck_memory_reserve(struct struck_memory *memory, struct memory *allocator,
                                 size_t node_count) {
    const size_t count = 3 * node_count;
    memory->gains = memory_allocate(allocator, node_count, sizeof *memory->gains);
    memory->momentums = memory_allocate(allocator, node_count, sizeof *memory->momentums);
    memory->promised = memory_allocate(allocator, count, sizeof(double));
    memory->promised_now = memory_allocate(allocator, count, sizeof(double));
    memory->past = (struct kinematics){memory_allocate(allocator, count, sizeof(double)),
                                       memory_allocate(allocator, count, sizeof(double)),
                                       memory_allocate(allocator, count, sizeof(double))};
    return memory->gains != NULL && memory->momentums != NULL && memory->promised != NULL &&
                   memory->promised_now != NULL && memory->past.x != NULL &&
                   memory->past.v != NULL && memory->past.a != NULL
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

void struck_memory_free(struct struck_memory *memory, struct memory *allocator) {
    memory_release(allocator, memory->gains);
    memory_release(allocator, memory->momentums);
    memory_release(allocator, memory->promised);
    memory_release(allocator, memory->promised_now);
    memory_release(allocator, memory->past.x);
    memory_release(allocator, memory->past.v);
    memory_release(allocator, memory->past.a);
    *memory = (struct struck_memory){0};
}

static uint32_t island_of(const struct struck_bodies *struck, const struct objective *objective,
                          size_t node) {
    return struck->island[struck_bodies_body_of(objective, node)];
}

/// A translation moves positions, not rotations and handles.
static bool is_position(const struct objective *objective, size_t node) {
    const struct layout *const layout = &objective->assembly->layout;
    return layout_is_position(layout, layout->row[node]);
}

static bool translates(const struct struck_bodies *struck, const struct objective *objective,
                       size_t node, uint32_t axis) {
    return struck->is_struck[node] && struck_bodies_axis_is_free(objective, node, axis) &&
           is_position(objective, node);
}

// --- obstacles that move ---

struct supply {
    struct struck_gain *gains;
    const struct struck_bodies *struck;
    const struct objective *objective;
};

static void add_supply(void *context, const struct contact_power *power) {
    const struct supply *supply = context;
    const uint32_t node = power->nodes[0] != CONTACT_NO_NODE ? power->nodes[0] : power->nodes[1];
    // Friction has no potential.
    if (node != CONTACT_NO_NODE && power->potential > 0.0) {
        supply->gains[island_of(supply->struck, supply->objective, node)]
            .power += power->obstacle_power;
    }
}

/// Forces within an island are not in its sum.
static void add_forces(const struct struck_bodies *struck, const struct objective *objective,
                       const double *contact_force, struct struck_gain *gains) {
    for (size_t i = 0; i < struck->node_count; i++) {
        struct struck_gain *const gain = &gains[island_of(struck, objective, i)];
        for (uint32_t k = 0; k < 3; k++) {
            gain->force[k] += translates(struck, objective, i, k) ? contact_force[3 * i + k] : 0.0;
        }
    }
}

static void find_velocities(const struct struck_bodies *struck, const struct objective *objective,
                            const struct struck_motion *motion, struct struck_gain *gains) {
    struct supply supply = {gains, struck, objective};
    const struct contact_visitor visitor = {add_supply, &supply};
    const struct contact_motion at = {.x = motion->next->x, .v = motion->next->v};
    contact_set_visit(&objective->contacts, &at, &visitor);
    add_forces(struck, objective, motion->contact_force, gains);
    for (size_t b = 0; b < struck->node_count; b++) {
        const double square = dot3(gains[b].force, gains[b].force);
        if (gains[b].power != 0.0 && square > 0.0) {
            scale3(gains[b].power / square, gains[b].force, gains[b].velocity);
        }
    }
}

// --- who need not forget ---

/// Of one axis of a node: F = M a - f, all forces but those of barriers, at z_n and at its
/// solution.
struct other_forces {
    double now, next;
};

static struct other_forces other_forces_of(const struct struck_bodies *struck,
                                           const struct struck_motion *motion, double mass,
                                           size_t node, size_t at) {
    const double next = mass * motion->next->a[at] - motion->contact_force[at];
    // What was stored of those that forgot is a part of the force.
    const bool is_known = motion->contact_force_now != NULL && !struck->before[node];
    const double now = is_known ? mass * motion->now->a[at] - motion->contact_force_now[at] : next;
    return (struct other_forces){now, next};
}

/// Of one axis of a node, seen from what moves with u. -(F + F') / 2 . way: what potentials have
/// gained, exactly where they are quadratic.
static void add_gain(const struct struck_motion *motion, double mass, double u,
                     const struct other_forces *forces, size_t at, struct struck_gain *gain) {
    const double x_now = motion->now->x[at];
    const double way = motion->next->x[at] - x_now - motion->since * u;
    const double w = motion->promised[at] - u, w_now = motion->promised_now[at] - u;
    const double stored = -0.5 * (forces->now + forces->next) * way;
    gain->since_now += 0.5 * mass * (w * w - w_now * w_now) + stored;
    if (motion->before != NULL) {
        const double v = motion->before->v[at] - u;
        const double way_before = x_now - motion->before->x[at] - motion->since_before * u;
        gain->since_before += 0.5 * mass * (w * w - v * v) + stored - forces->now * way_before;
    }
}

static void sum_gains(const struct struck_memory *memory, const struct struck_bodies *struck,
                      const struct objective *objective, const struct struck_motion *motion) {
    struct struck_gain *const gains = memory->gains;
    memset(gains, 0, struck->node_count * sizeof *gains);
    find_velocities(struck, objective, motion, gains);
    for (size_t i = 0; i < struck->node_count; i++) {
        struct struck_gain *const gain = &gains[island_of(struck, objective, i)];
        const double mass = objective->mass[i];
        for (uint32_t k = 0; struck->is_struck[i] && k < 3; k++) {
            if (struck_bodies_axis_is_free(objective, i, k)) {
                const struct other_forces forces = other_forces_of(struck, motion, mass, i,
                                                                   3 * i + k);
                const double u = is_position(objective, i) ? gain->velocity[k] : 0.0;
                add_gain(motion, mass, u, &forces, 3 * i + k, gain);
            }
        }
    }
}

void struck_memory_spare(struct struck_memory *memory, struct struck_bodies *struck,
                         const struct objective *objective, const struct struck_motion *motion) {
    if (!struck->any_struck) {
        return;
    }
    sum_gains(memory, struck, objective, motion);
    struck->any_struck = false;
    for (size_t i = 0; i < struck->node_count; i++) {
        const struct struck_gain *const gain = &memory->gains[island_of(struck, objective, i)];
        struck->is_struck[i] = struck->is_struck[i] && gain->since_now > 0.0 &&
                               (motion->before == NULL || gain->since_before > 0.0);
        struck->any_struck = struck->any_struck || struck->is_struck[i];
    }
}

// --- what they take for their past ---

static void sum_momentums(const struct struck_memory *memory, const struct struck_bodies *struck,
                          const struct objective *objective, const struct struck_motion *motion) {
    struct struck_momentum *const momentums = memory->momentums;
    memset(momentums, 0, struck->node_count * sizeof *momentums);
    for (size_t i = 0; i < struck->node_count; i++) {
        struct struck_momentum *const momentum = &momentums[island_of(struck, objective, i)];
        for (uint32_t k = 0; k < 3; k++) {
            const size_t at = 3 * i + k;
            if (translates(struck, objective, i, k)) {
                momentum->mass[k] += objective->mass[i];
                momentum->sum[k] += objective->mass[i] *
                                        (motion->next->v[at] - motion->now->v[at]) -
                                    motion->length * motion->contact_force[at];
            }
        }
    }
}

void struck_memory_replace(struct struck_memory *memory, const struct struck_bodies *struck,
                           const struct objective *objective, const struct struck_motion *motion) {
    const struct kinematics *const past = &memory->past;
    const double s = motion->since;
    sum_momentums(memory, struck, objective, motion);
    for (size_t i = 0; i < struck->node_count; i++) {
        const struct struck_momentum
            *const momentum = &memory->momentums[island_of(struck, objective, i)];
        for (uint32_t k = 0; k < 3; k++) {
            const size_t at = 3 * i + k;
            const double x = motion->next->x[at], v = motion->next->v[at];
            const double d = translates(struck, objective, i, k)
                                 ? momentum->sum[k] / momentum->mass[k]
                                 : 0.0;
            const bool is_struck = struck->is_struck[i];
            past->x[at] = is_struck ? x - s * v + 0.5 * s * d : motion->now->x[at];
            past->v[at] = is_struck ? v - d : motion->now->v[at];
            past->a[at] = is_struck ? d / s : motion->next->a[at];
        }
    }
}

void struck_memory_accept(const struct struck_memory *memory, const struct struck_bodies *struck,
                          const struct rotations *rotations, const struct kinematics *now, double h,
                          const struct kinematics *before) {
    for (size_t i = 0; struck->any_struck && i < struck->node_count; i++) {
        if (struck->is_struck[i]) {
            copy3(memory->past.x + 3 * i, before->x + 3 * i);
            copy3(memory->past.v + 3 * i, before->v + 3 * i);
        }
    }
    for (size_t k = 0; struck->any_struck && rotations != NULL && k < rotations->count; k++) {
        const size_t i = rotations->node[k];
        if (struck->is_struck[i]) {
            add_scaled3(now->x + 3 * i, -h, now->v + 3 * i, before->x + 3 * i);
            copy3(now->v + 3 * i, before->v + 3 * i);
        }
    }
}
