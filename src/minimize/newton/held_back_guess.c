// The guess that holds bodies back. Where fast bodies meet penalties, the best other guess is deep
// inside of what they hit; beyond half its thickness they are pushed out on the far side, and what
// was pushed out stays entangled. docs/theory/minimization.md section 1.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/disjoint_sets.h"
#include "base/lanes/vector.h"
#include "base/matrix3/math3.h"
#include "minimize/newton/state.h"

// The motion of a body is tried in this many equal parts.
enum { PARTS = 4 };

// Bodies are held back where the best guess has more than this many times the contact energy of
// the start. What rests or slides is left alone.
static const double PRESSED_HARDER = 2.0;

/// Bodies that meet form a group. Arrays are indexed by body; those of a group by its first body.
struct holding {
    const uint32_t *body; ///< of each node
    double *energy;       ///< J, at the current fraction of the motion
    double *least;        ///< J, the lowest of the fractions that were tried
    double *fraction;     ///< the one that has it
    uint32_t *group;      ///< disjoint sets of bodies, see disjoint_sets.h
    double *mass;         ///< kg, of a group; infinite where it meets what is held
    double *common;       ///< 3: mean displacement of a group, m
};

/// Contact with an obstacle counts for its body alone; two bodies share theirs.
static void add_to_bodies(void *context, const struct contact_power *contact) {
    const struct holding *const h = context;
    const bool is_shared = contact->nodes[1] != CONTACT_NO_NODE;
    const double share = is_shared ? 0.5 * contact->potential : contact->potential;
    h->energy[h->body[contact->nodes[0]]] += share;
    if (is_shared) {
        h->energy[h->body[contact->nodes[1]]] += share;
    }
}

static void add_to_groups(void *context, const struct contact_power *contact) {
    struct holding *const h = context;
    const uint32_t first = h->body[contact->nodes[0]];
    if (contact->nodes[1] != CONTACT_NO_NODE) {
        disjoint_sets_join(h->group, first, h->body[contact->nodes[1]]);
    } else {
        h->mass[first] = INFINITY;
    }
}

/// energy = what each body's contacts and deviation from free fall add to E if all bodies make this
/// fraction of their motion relative to their group. Returns false if the evaluation failed.
static bool measure(struct minimization *m, const double *x, const double *end,
                    const double *free_fall, double fraction, double *moved, struct holding *h) {
    const struct objective *const o = m->objective;
    const struct contact_visitor visitor = {add_to_bodies, h};
    const size_t count = newton_coordinate_count(m->newton);
    vector_zero(o->tasks, count / 3, h->energy);
    for (size_t k = 0; k < count; k++) {
        const double common = h->common[3 * h->body[k / 3] + k % 3];
        moved[k] = end[k] - (1.0 - fraction) * (end[k] - x[k] - common);
        const double offset = moved[k] - free_fall[k];
        h->energy[h->body[k / 3]] += 0.5 * o->mass[k / 3] * offset * offset / o->weight;
    }
    (void)minimization_contact_energy(m, moved, NULL);
    contact_set_visit(&o->contacts, NULL, &visitor);
    return !m->stopped;
}

/// Finds the groups of bodies that meet at `end`, where contact was evaluated last, and their mean
/// displacements. A group that meets an obstacle or has a held node has none.
static void find_groups(const struct minimization *m, const double *x, const double *end,
                        struct holding *h) {
    const struct objective *const o = m->objective;
    const struct contact_visitor visitor = {add_to_groups, h};
    const size_t count = newton_coordinate_count(m->newton) / 3;
    disjoint_sets_begin(h->group, count);
    vector_zero(o->tasks, count, h->mass);
    contact_set_visit(&o->contacts, NULL, &visitor);
    disjoint_sets_flatten(h->group, count);
    for (size_t i = 0; i < count; i++) {
        h->mass[h->group[i]] += h->group[i] != i ? h->mass[i] : 0.0;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t group = h->group[h->body[i]];
        const bool is_held = o->constrained_axes != NULL && o->constrained_axes[i] != 0;
        h->mass[group] += is_held ? INFINITY : o->mass[i];
        for (size_t k = 0; k < 3; k++) {
            h->common[3 * (size_t)group + k] += o->mass[i] * (end[3 * i + k] - x[3 * i + k]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = h->group[i];
        double *const common = h->common + 3 * (size_t)i;
        if (group != i) {
            copy3(h->common + 3 * (size_t)group, common);
        } else if (h->mass[i] > 0.0) {
            scale3(1.0 / h->mass[i], common, common);
        }
    }
}

/// Returns whether any body is best at this fraction, which is then its best one.
static bool keep_best(struct holding *h, size_t count, double fraction) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (h->energy[i] < h->least[i]) {
            h->least[i] = h->energy[i];
            h->fraction[i] = fraction;
            any = true;
        }
    }
    return any;
}

static bool presses_harder(const struct minimization *m) {
    const struct objective *const o = m->objective;
    return o->node_parts != NULL && isfinite(o->weight) && objective_searches_contact(o) &&
           m->newton->accepted.objective.contact > PRESSED_HARDER * m->pressing.energy;
}

bool minimization_hold_back(struct minimization *m, const double *x, double *guess) {
    struct newton *const newton = m->newton;
    const double *const end = newton->accepted.x;
    const size_t count = newton_coordinate_count(newton) / 3;
    double *const free_fall = newton->direction;
    double *const scratch = newton->position_rows;
    struct holding h = {.body = m->objective->node_parts,
                        .energy = scratch,
                        .least = scratch + count,
                        .fraction = scratch + 2 * count,
                        .group = newton->body_groups,
                        .mass = newton->trial.x,
                        .common = newton->direction_rows};
    if (!presses_harder(m)) {
        return false;
    }
    minimization_guess_free_fall(m, x, free_fall);
    vector_zero(m->objective->tasks, 3 * count, h.common);
    for (size_t i = 0; i < count; i++) {
        h.least[i] = INFINITY;
        h.fraction[i] = 1.0;
    }
    bool any = false;
    for (int part = PARTS; part >= 0; part--) {
        const double fraction = (double)part / PARTS;
        if (!measure(m, x, end, free_fall, fraction, guess, &h)) {
            return false;
        }
        if (part == PARTS) {
            find_groups(m, x, end, &h);
        }
        any = (keep_best(&h, count, fraction) && part < PARTS) || any;
    }
    for (size_t k = 0; k < 3 * count; k++) {
        const size_t body = h.body[k / 3];
        guess[k] = end[k] - (1.0 - h.fraction[body]) * (end[k] - x[k] - h.common[3 * body + k % 3]);
    }
    return any;
}
