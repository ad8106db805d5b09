// See struck_bodies.h.
// SPDX-License-Identifier: MIT
#include "integrate/impacts/struck_bodies.h"

#include <math.h>
#include <string.h>

#include "base/disjoint_sets.h"
#include "base/matrix3/math3.h"

// A body is struck if its contact forces change by more than this fraction of themselves. Those of
// bodies that rest, slide or vibrate change by less in a step that resolves it.
static const double SUDDEN = 0.5;

pbs_status struck_bodies_reserve(struct struck_bodies *struck, struct memory *memory,
                                 size_t node_count) {
    struck_bodies_free(struck, memory);
    struck->is_struck = memory_allocate(memory, node_count, sizeof *struck->is_struck);
    struck->forgets = memory_allocate(memory, node_count, sizeof *struck->forgets);
    struck->before = memory_allocate(memory, node_count, sizeof *struck->before);
    struck->saved = memory_allocate(memory, node_count, sizeof *struck->saved);
    struck->island = memory_allocate(memory, node_count, sizeof *struck->island);
    struck->changes = memory_allocate(memory, node_count, sizeof *struck->changes);
    struck->mass = memory_allocate(memory, node_count, sizeof *struck->mass);
    struck->fraction = memory_allocate(memory, node_count, sizeof *struck->fraction);
    if (struck->is_struck == NULL || struck->forgets == NULL || struck->before == NULL ||
        struck->saved == NULL || struck->island == NULL || struck->changes == NULL ||
        struck->mass == NULL || struck->fraction == NULL) {
        struck_bodies_free(struck, memory);
        return PBS_ERROR_MEMORY;
    }
    struck->node_count = node_count;
    return PBS_OK;
}

void struck_bodies_free(struct struck_bodies *struck, struct memory *memory) {
    memory_release(memory, struck->is_struck);
    memory_release(memory, struck->forgets);
    memory_release(memory, struck->before);
    memory_release(memory, struck->saved);
    memory_release(memory, struck->island);
    memory_release(memory, struck->changes);
    memory_release(memory, struck->mass);
    memory_release(memory, struck->fraction);
    *struck = (struct struck_bodies){0};
}

static void set_struck(struct struck_bodies *struck, bool value) {
    memset(struck->is_struck, value, struck->node_count * sizeof *struck->is_struck);
    struck->any_struck = value;
}

void struck_bodies_begin_step(struct struck_bodies *struck) {
    set_struck(struck, false);
    struck->any_forgets = false;
}

void struck_bodies_begin_stage(struct struck_bodies *struck) {
    struck->any_forgets = struck->any_struck;
    if (struck->any_struck) {
        memcpy(struck->forgets, struck->is_struck, struck->node_count * sizeof *struck->forgets);
        set_struck(struck, false);
    }
}

// --- who is struck ---

uint32_t struck_bodies_body_of(const struct objective *objective, size_t node) {
    return objective->node_parts != NULL ? objective->node_parts[node] : 0;
}

static void measure_changes(struct struck_bodies *struck, const struct objective *objective,
                            const double *before, const double *after) {
    memset(struck->changes, 0, struck->node_count * sizeof *struck->changes);
    for (size_t i = 0; i < struck->node_count; i++) {
        struct force_change *const change = &struck->changes[struck_bodies_body_of(objective, i)];
        for (uint32_t k = 0; k < 3; k++) {
            if (struck_bodies_axis_is_free(objective, i, k)) {
                const double first = before != NULL ? before[3 * i + k] : 0.0;
                const double second = after[3 * i + k];
                change->before += first * first / objective->mass[i];
                change->after += second * second / objective->mass[i];
                change->square += (second - first) * (second - first) / objective->mass[i];
                change->moves = true;
            }
        }
    }
}

static bool is_sudden(const struct force_change *change) {
    return change->square > SUDDEN * SUDDEN * fmax(change->before, change->after);
}

struct joining {
    struct struck_bodies *struck;
    const struct objective *objective;
};

static void join_nodes(const struct joining *joining, size_t first, size_t second) {
    const struct force_change *const changes = joining->struck->changes;
    const uint32_t bodies[2] = {struck_bodies_body_of(joining->objective, first),
                                struck_bodies_body_of(joining->objective, second)};
    if (changes[bodies[0]].moves && changes[bodies[1]].moves) {
        disjoint_sets_join(joining->struck->island, bodies[0], bodies[1]);
    }
}

static void join_contact(void *context, const struct contact_power *power) {
    if (power->nodes[0] != CONTACT_NO_NODE && power->nodes[1] != CONTACT_NO_NODE) {
        join_nodes(context, power->nodes[0], power->nodes[1]);
    }
}

static void find_islands(struct struck_bodies *struck, const struct objective *objective) {
    struct joining joining = {struck, objective};
    const struct contact_visitor visitor = {join_contact, &joining};
    const struct constraint_set *const constraints = objective->constraints;
    const struct joint_set *const joints = constraints != NULL ? constraints->joints : NULL;
    disjoint_sets_begin(struck->island, struck->node_count);
    contact_set_visit(&objective->contacts, NULL, &visitor);
    for (size_t i = 0; joints != NULL && i < joints->count; i++) {
        const struct joint *const joint = &joints->joints[i];
        for (uint32_t k = 1; k < joint->node_count && joint->row_count > 0; k++) {
            join_nodes(&joining, joint->node[0], joint->node[k]);
        }
    }
    disjoint_sets_flatten(struck->island, struck->node_count);
}

void struck_bodies_spread(struct struck_bodies *struck, const struct objective *objective) {
    find_islands(struck, objective);
    // The first body of an island stands for all of it.
    for (size_t i = 0; i < struck->node_count; i++) {
        const uint32_t body = struck_bodies_body_of(objective, i);
        struct force_change *const first = &struck->changes[struck->island[body]];
        first->is_of_struck = first->is_of_struck || struck->is_struck[i];
    }
    for (size_t i = 0; i < struck->node_count; i++) {
        const uint32_t body = struck_bodies_body_of(objective, i);
        struck->is_struck[i] = struck->changes[struck->island[body]].is_of_struck;
    }
}

void struck_bodies_find(struct struck_bodies *struck, const struct objective *objective,
                        const double *before, const double *after) {
    set_struck(struck, false);
    measure_changes(struck, objective, before, after);
    for (size_t i = 0; i < struck->node_count; i++) {
        const uint32_t body = struck_bodies_body_of(objective, i);
        struck->is_struck[i] = is_sudden(&struck->changes[body]);
        struck->any_struck = struck->any_struck || struck->is_struck[i];
    }
    if (struck->any_struck) {
        struck_bodies_spread(struck, objective);
    }
}

// --- from step to step ---

void struck_bodies_accept(struct struck_bodies *struck) {
    memcpy(struck->before, struck->is_struck, struck->node_count * sizeof *struck->before);
}

void struck_bodies_save(struct struck_bodies *struck) {
    if (struck->node_count > 0) {
        memcpy(struck->saved, struck->before, struck->node_count * sizeof *struck->saved);
    }
}

void struck_bodies_restore(struct struck_bodies *struck) {
    if (struck->node_count > 0) {
        memcpy(struck->before, struck->saved, struck->node_count * sizeof *struck->before);
    }
}

const double *struck_bodies_fractions(const struct struck_bodies *struck,
                                      const struct objective *objective, double others,
                                      double struck_fraction) {
    for (size_t i = 0; struck->any_struck && i < struck->node_count; i++) {
        struck->fraction[i] = !struck->changes[struck_bodies_body_of(objective, i)].moves ? -1.0
                              : struck->is_struck[i] ? struck_fraction
                                                     : others;
    }
    return struck->any_struck ? struck->fraction : NULL;
}
