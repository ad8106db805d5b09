// The guess that holds bodies back. Where fast bodies meet penalties, free fall ends deep inside of
// what they hit; beyond half its thickness they are pushed out on the far side, and what was
// pushed out stays entangled. docs/theory/minimization.md section 1, item 1.
#include <math.h>

#include "base/lanes/vector.h"
#include "minimize/newton/state.h"

// The ways of bodies are tried in this many equal parts.
enum { PARTS = 4 };

// Bodies are held back where the best guess has more than this many times the contact energy of
// the start. What rests or slides is left alone.
static const double PRESSED_HARDER = 2.0;

/// Indexed by body.
struct holding {
    const uint32_t *body; ///< of each node
    double *energy;       ///< J, at the current fraction of the way
    double *least;        ///< J, at the best fraction so far
    double *fraction;     ///< the best one so far
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

/// energy = what each body's contacts and deviation from free fall add to E if all bodies go this
/// fraction of the way from x to `end`. Returns false if the evaluation failed.
static bool measure(struct minimization *m, const double *x, const double *end,
                    const double *free_fall, double fraction, double *moved, struct holding *h) {
    const struct objective *const o = m->objective;
    const struct contact_visitor visitor = {add_to_bodies, h};
    const size_t count = newton_coordinate_count(m->newton);
    vector_zero(o->tasks, count / 3, h->energy);
    for (size_t k = 0; k < count; k++) {
        moved[k] = x[k] + fraction * (end[k] - x[k]);
        const double offset = moved[k] - free_fall[k];
        h->energy[h->body[k / 3]] += 0.5 * o->mass[k / 3] * offset * offset / o->weight;
    }
    (void)minimization_contact_energy(m, moved, NULL);
    contact_set_visit(&o->contacts, NULL, &visitor);
    return !m->stopped;
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
    const double energy = m->newton->accepted.objective.by_kind[ENERGY_CONTACT];
    return o->node_parts != NULL && isfinite(o->weight) && objective_searches_contact(o) &&
           energy > PRESSED_HARDER * m->pressing.energy;
}

bool minimization_hold_back(struct minimization *m, const double *x, double *guess) {
    struct newton *const newton = m->newton;
    const double *const end = newton->accepted.x;
    const size_t node_count = newton_coordinate_count(newton) / 3;
    double *const free_fall = newton->direction;
    double *const per_body = newton->position_rows;
    struct holding h = {.body = m->objective->node_parts,
                        .energy = per_body,
                        .least = per_body + node_count,
                        .fraction = per_body + 2 * node_count};
    if (!presses_harder(m)) {
        return false;
    }
    minimization_guess_free_fall(m, x, free_fall);
    for (size_t i = 0; i < node_count; i++) {
        h.least[i] = INFINITY;
    }
    bool any = false;
    for (int part = PARTS; part >= 0; part--) {
        const double fraction = (double)part / PARTS;
        if (!measure(m, x, end, free_fall, fraction, guess, &h)) {
            return false;
        }
        any = (keep_best(&h, node_count, fraction) && part < PARTS) || any;
    }
    for (size_t k = 0; k < 3 * node_count; k++) {
        guess[k] = x[k] + h.fraction[h.body[k / 3]] * (end[k] - x[k]);
    }
    return any;
}
