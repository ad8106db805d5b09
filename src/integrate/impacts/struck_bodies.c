// See struck_bodies.h.
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
    struck->forgets = memory_allocate(memory, node_count, sizeof *struck->forgets);
    struck->is_struck = memory_allocate(memory, node_count, sizeof *struck->is_struck);
    struck->before = memory_allocate(memory, node_count, sizeof *struck->before);
    struck->saved = memory_allocate(memory, node_count, sizeof *struck->saved);
    struck->island = memory_allocate(memory, node_count, sizeof *struck->island);
    struck->changes = memory_allocate(memory, node_count, sizeof *struck->changes);
    struck->gains = memory_allocate(memory, node_count, sizeof *struck->gains);
    struck->mass = memory_allocate(memory, node_count, sizeof *struck->mass);
    struck->fraction = memory_allocate(memory, node_count, sizeof *struck->fraction);
    if (struck->forgets == NULL || struck->is_struck == NULL || struck->before == NULL ||
        struck->saved == NULL || struck->island == NULL || struck->changes == NULL ||
        struck->gains == NULL || struck->mass == NULL || struck->fraction == NULL) {
        struck_bodies_free(struck, memory);
        return PBS_ERROR_MEMORY;
    }
    struck->node_count = node_count;
    return PBS_OK;
}

void struck_bodies_free(struct struck_bodies *struck, struct memory *memory) {
    memory_release(memory, struck->forgets);
    memory_release(memory, struck->is_struck);
    memory_release(memory, struck->before);
    memory_release(memory, struck->saved);
    memory_release(memory, struck->island);
    memory_release(memory, struck->changes);
    memory_release(memory, struck->gains);
    memory_release(memory, struck->mass);
    memory_release(memory, struck->fraction);
    *struck = (struct struck_bodies){0};
}

static void set_struck(struct struck_bodies *struck, bool value) {
    memset(struck->is_struck, value, struck->node_count * sizeof *struck->is_struck);
    struck->any_struck = value;
}

void struck_bodies_begin_step(struct struck_bodies *struck, bool goes_back) {
    set_struck(struck, false);
    struck->any_forgets = false;
    for (size_t i = 0; i < struck->node_count; i++) {
        struck->forgets[i] = goes_back && struck->before[i];
        struck->any_forgets = struck->any_forgets || struck->forgets[i];
    }
}

void struck_bodies_begin_stage(struct struck_bodies *struck) {
    if (!struck->any_struck) {
        return;
    }
    for (size_t i = 0; i < struck->node_count; i++) {
        struck->forgets[i] = struck->forgets[i] || struck->is_struck[i];
    }
    struck->any_forgets = true;
    set_struck(struck, false);
}

// --- who is struck ---

/// Where bodies are not told apart there is one. There are never more bodies than nodes.
static uint32_t body_of(const struct objective *objective, size_t node) {
    return objective->node_parts != NULL ? objective->node_parts[node] : 0;
}

static void measure_changes(struct struck_bodies *struck, const struct objective *objective,
                            const double *before, const double *after) {
    memset(struck->changes, 0, struck->node_count * sizeof *struck->changes);
    for (size_t i = 0; i < struck->node_count; i++) {
        const double none[3] = {0.0, 0.0, 0.0};
        const double *const first = before != NULL ? before + 3 * i : none;
        const double *const second = after + 3 * i;
        struct force_change *const change = &struck->changes[body_of(objective, i)];
        double difference[3];
        if (objective->constrained_axes[i] == 0) {
            subtract3(second, first, difference);
            change->before += dot3(first, first) / objective->mass[i];
            change->after += dot3(second, second) / objective->mass[i];
            change->square += dot3(difference, difference) / objective->mass[i];
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
    disjoint_sets_join(joining->struck->island, body_of(joining->objective, first),
                       body_of(joining->objective, second));
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

/// The first body of an island stands for all of it.
static void spread_over_islands(struct struck_bodies *struck) {
    for (size_t b = 0; b < struck->node_count; b++) {
        if (is_sudden(&struck->changes[b])) {
            struck->changes[struck->island[b]] = struck->changes[b];
        }
    }
}

void struck_bodies_find(struct struck_bodies *struck, const struct objective *objective,
                        const double *before, const double *after) {
    set_struck(struck, false);
    measure_changes(struck, objective, before, after);
    for (size_t b = 0; b < struck->node_count && !struck->any_struck; b++) {
        struck->any_struck = is_sudden(&struck->changes[b]);
    }
    if (!struck->any_struck) {
        return;
    }
    find_islands(struck, objective);
    spread_over_islands(struck);
    for (size_t i = 0; i < struck->node_count; i++) {
        const uint32_t first = struck->island[body_of(objective, i)];
        struck->is_struck[i] = is_sudden(&struck->changes[first]);
    }
}

// --- who need not forget ---

/// Of a node: the velocity that a two-step scheme comes to in uniform motion, as each step adds a
/// third of the change in the one before, half of it in all.
static void lead_on(const double v[3], const double change[3], double out[3]) {
    copy3(v, out);
    add_scaled3(out, 0.5, change, out);
}

/// F = M a - f: all forces on a node but those of barriers.
static void force_of(const double a[3], const double contact[3], double mass, double out[3]) {
    scale3(mass, a, out);
    subtract3(out, contact, out);
}

/// -F . (to - from), F the mean of the forces at both: what potentials have gained, exactly where
/// they are quadratic.
static double stored_on_way(const double from[3], const double to[3], const double first[3],
                            const double last[3]) {
    double way[3];
    subtract3(to, from, way);
    return -0.5 * (dot3(first, way) + dot3(last, way));
}

static void add_gain(const struct struck_bodies *struck, const struct struck_memory *memory,
                     double mass, size_t node, struct struck_gain *gain) {
    const struct kinematics *const next = memory->next, *const now = memory->now;
    const size_t at = 3 * node;
    double change[3], promised[3], promised_now[3], force[3], force_now[3];
    subtract3(next->v + at, now->v + at, change);
    lead_on(next->v + at, change, promised);
    subtract3(memory->velocity_history + at, now->v + at, change);
    // p_v has the first third already.
    scale3(3.0, change, change);
    lead_on(now->v + at, change, promised_now);
    force_of(next->a + at, memory->contact_force + at, mass, force);
    copy3(force, force_now);
    // What was stored of those that forget is a part of the force.
    if (memory->contact_force_now != NULL && !struck->before[node]) {
        force_of(now->a + at, memory->contact_force_now + at, mass, force_now);
    }
    const double kinetic = 0.5 * mass * dot3(promised, promised);
    const double stored = stored_on_way(now->x + at, next->x + at, force_now, force);
    gain->since_now += kinetic - 0.5 * mass * dot3(promised_now, promised_now) + stored;
    if (memory->before != NULL) {
        const double *const v = memory->before->v + at;
        gain->since_before += kinetic - 0.5 * mass * dot3(v, v) + stored +
                              stored_on_way(memory->before->x + at, now->x + at, force_now,
                                            force_now);
    }
}

void struck_bodies_spare(struct struck_bodies *struck, const struct objective *objective,
                         const struct struck_memory *memory) {
    if (!struck->any_struck) {
        return;
    }
    memset(struck->gains, 0, struck->node_count * sizeof *struck->gains);
    for (size_t i = 0; i < struck->node_count; i++) {
        if (struck->is_struck[i] && objective->constrained_axes[i] == 0) {
            add_gain(struck, memory, objective->mass[i], i,
                     &struck->gains[struck->island[body_of(objective, i)]]);
        }
    }
    struck->any_struck = false;
    for (size_t i = 0; i < struck->node_count; i++) {
        const struct struck_gain *const gain = &struck
                                                    ->gains[struck->island[body_of(objective, i)]];
        struck->is_struck[i] = struck->is_struck[i] && gain->since_now > 0.0 &&
                               (memory->before == NULL || gain->since_before > 0.0);
        struck->any_struck = struck->any_struck || struck->is_struck[i];
    }
}

bool struck_bodies_are_new(const struct struck_bodies *struck) {
    bool any = false;
    for (size_t i = 0; struck->any_struck && i < struck->node_count && !any; i++) {
        any = struck->is_struck[i] && !struck->forgets[i];
    }
    return any;
}

// --- what they forget ---

void struck_bodies_accept(struct struck_bodies *struck, const struct kinematics *now, double h,
                          const struct kinematics *before) {
    memcpy(struck->before, struck->is_struck, struck->node_count * sizeof *struck->before);
    for (size_t i = 0; struck->any_struck && i < struck->node_count; i++) {
        if (struck->is_struck[i]) {
            add_scaled3(now->x + 3 * i, -h, now->v + 3 * i, before->x + 3 * i);
            copy3(now->v + 3 * i, before->v + 3 * i);
        }
    }
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
                                      const struct impulse_fractions *fractions) {
    for (size_t i = 0; i < struck->node_count; i++) {
        struck->fraction[i] = struck->forgets[i]     ? fractions->forgets
                              : struck->is_struck[i] ? fractions->struck
                                                     : fractions->others;
    }
    return struck->any_forgets || struck->any_struck ? struck->fraction : NULL;
}
