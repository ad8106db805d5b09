// The path of a line search: straight, or one on which bodies turn and which is bent along
// constraints (docs/theory/minimization.md section 1.1). What is swept of a curved path is the
// chord from the current state to a trial: if it is free, nothing has crossed.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/lanes/vector.h"
#include "base/matrix3/math3.h"
#include "minimize/newton/state.h"

// Below this angle, rad, of all affine bodies a straight path needs no sweep more, and strains
// little.
static const double STRAIGHT = 0.01;
// Affine bodies that a direction turns by more than this, rad, go straight at first. Where much
// flies about, directions are far from what will be, and the bricks of walls that are hit take a
// fifth more iterations with a limit of a half.
static const double FARTHEST_TURN = 0.1;
// No search leads an affine body farther round, rad.
static const double LARGEST_TURN = 3.0;
// No search turns a bonded particle by more than this, rad. Rotations that differ by 2 pi are the
// same to bonds: behind a search that goes on to the other side of the turn lies another minimum,
// beyond what a rotation vector may be.
static const double LARGEST_SPIN = 0.5;
// How often a path that is not free is shortened, by what its chord's sweep leaves and then by at
// least a tenth, before the search goes straight.
enum { SHORTENINGS = 12, SWEPT_SHORTENINGS = 2 };
static const double SHORTENED = 0.9;

// A path on which all bodies turn is tried if a first trial gains less than CURVED_SHARE of what
// the quadratic model expects, and turns a body by LEAST_TURN, rad; one that is bent along
// constraints if the first trial raises E. That is taken if it raises E by less than CURVED_SHARE
// of what the first does. A first trial of either turns no body by more than MOST_TURN, and is
// shortened up to CURVE_TRIALS times.
static const double CURVED_SHARE = 0.5;
static const double LEAST_TURN = 1e-5;
static const double MOST_TURN = 1.0;
// The acceleration at the start of a path is that over a step that turns bodies by this, rad.
static const double FIRST_TURN = 1e-4;
static const double BOUND_MARGIN = 0.9;
enum { CURVE_TRIALS = 3 };

/// Returns the step that turns a rotation node by LARGEST_SPIN; infinite if none turns.
static double spin_bound(const struct newton *newton) {
    const struct layout *const layout = &newton->assembly->layout;
    double fastest = 0.0;
    for (uint32_t row = 0; layout->kind != NULL && row < layout->node_count; row++) {
        if (layout->kind[row] == NODE_ROTATION) {
            const double *const rate = newton->direction + 3 * (size_t)layout->node[row];
            fastest = fmax(fastest, norm3(rate) / newton->radius_rows[row]);
        }
    }
    return fastest > 0.0 ? LARGEST_SPIN / fastest : INFINITY;
}

double search_path_begin(struct minimization *m) {
    struct search_path *const path = &m->path;
    path->turn = screws_fit_affine(m, FARTHEST_TURN);
    path->is_curved = path->turn >= STRAIGHT;
    path->all_turn = path->is_bent = false;
    path->swept = 0.0;
    path->free = 1.0;
    return fmin(spin_bound(m->newton), path->is_curved ? LARGEST_TURN / path->turn : INFINITY);
}

void search_path_place(const struct minimization *m, double step, double *y) {
    const struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    if (!m->path.is_curved) {
        vector_combine(tasks, count, newton->current.x, step, newton->direction, y);
        return;
    }
    screws_place(m, step, y, newton->tangent);
    if (m->path.is_bent) {
        vector_combine(tasks, count, y, 0.5 * step * step, newton->bend, y);
        vector_combine(tasks, count, newton->tangent, step, newton->bend, newton->tangent);
    }
}

const double *search_path_tangent(const struct minimization *m) {
    return m->path.is_curved ? m->newton->tangent : m->newton->direction;
}

bool search_path_is_free(struct minimization *m, double step, const double *y) {
    struct newton *const newton = m->newton;
    struct search_path *const path = &m->path;
    if (!path->is_curved || !contact_set_bounds(&m->objective->contacts)) {
        return true;
    }
    if (path->swept != step) {
        vector_combine(m->objective->tasks, newton_coordinate_count(newton), y, -1.0,
                       newton->current.x, newton->chord);
        path->free = minimization_free_step(m, newton->current.x, newton->chord, 1.0);
        path->swept = step;
    }
    return path->free >= 1.0;
}

/// The same for a step whose state is not known yet. Uses newton->gradient as scratch.
static bool is_free_until(struct minimization *m, double step) {
    search_path_place(m, step, m->newton->gradient);
    return search_path_is_free(m, step, m->newton->gradient);
}

double search_path_free_step(struct minimization *m, double limit) {
    const struct newton *const newton = m->newton;
    double step = limit;
    for (int i = 0; m->path.is_curved && i < SHORTENINGS && !m->stopped; i++) {
        if (is_free_until(m, step)) {
            return step;
        }
        step *= i < SWEPT_SHORTENINGS ? m->path.free : fmin(m->path.free, SHORTENED);
        if (step * m->path.turn < STRAIGHT) {
            break;
        }
    }
    m->path.is_curved = false;
    return m->stopped ? 0.0
                      : minimization_free_step(m, newton->current.x, newton->direction, limit);
}

double search_path_extend(struct minimization *m, double known, double limit) {
    if (!m->path.is_curved) {
        return search_path_free_step(m, limit);
    }
    double step = limit;
    for (int i = 0; i < SHORTENINGS && step > known && !m->stopped; i++) {
        // The place of a trial is in newton->gradient, which the next one overwrites.
        if (is_free_until(m, step)) {
            return step;
        }
        step *= fmin(m->path.free, SHORTENED);
    }
    return known;
}

static bool has_constraints(const struct minimization *m) {
    return !constraint_set_is_empty(m->objective->constraints);
}

/// Writes the acceleration of the path over a step along it.
static void measure_acceleration(const struct minimization *m, double step, double *out) {
    const struct newton *const newton = m->newton;
    search_path_place(m, step, newton->gradient);
    for (size_t k = 0; k < newton_coordinate_count(newton); k++) {
        const double straight = newton->current.x[k] + step * newton->direction[k];
        out[k] = 2.0 * (newton->gradient[k] - straight) / (step * step);
    }
}

/// With the path's velocity d and acceleration a the rows J then have J a + dJ/dt d = 0.
void search_path_bend(struct minimization *m, double step) {
    const struct objective *const o = m->objective;
    const struct newton *const newton = m->newton;
    const struct path_acceleration acceleration = {newton->tangent, newton->chord};
    measure_acceleration(m, step, newton->chord);
    measure_acceleration(m, fmin(step, FIRST_TURN / m->path.turn), newton->tangent);
    const struct stage_nodes nodes = {.mass = o->mass,
                                      .weight = o->weight,
                                      .constrained_axes = o->constrained_axes,
                                      .x = newton->current.x};
    vector_zero(o->tasks, newton_coordinate_count(newton), newton->bend);
    constraint_set_bend(o->constraints, &nodes, newton->direction, &acceleration, newton->bend);
    m->path.is_bent = true;
}

/// Evaluates the path at the step of `out`, or closer where something touches on the way.
static bool evaluate_curve(struct minimization *m, path_evaluation *evaluate,
                           struct line_sample *out) {
    out->step = fmin(out->step, MOST_TURN / m->path.turn);
    for (int i = 0; i < CURVE_TRIALS; i++) {
        if (!evaluate(m, out)) {
            return false;
        }
        if (m->path.free >= 1.0) {
            break;
        }
        out->step *= BOUND_MARGIN * m->path.free;
    }
    return true;
}

/// Goes back to the path of before.
static void return_to(struct minimization *m, const struct search_path *before) {
    screws_fit_affine(m, FARTHEST_TURN);
    m->path = *before;
    m->path.swept = 0.0;
}

bool search_path_curve(struct minimization *m, path_evaluation *evaluate, struct line_sample origin,
                       struct line_sample *first) {
    const double expected = origin.slope * first->step * (1.0 - 0.5 * first->step);
    const bool has_bounds = contact_set_bounds(&m->objective->contacts);
    const bool leaves_constraints = has_constraints(m) && first->value > origin.value;
    if (!(has_bounds || leaves_constraints) || m->motion != NULL ||
        first->value - origin.value <= CURVED_SHARE * expected) {
        return true;
    }
    const struct search_path before = m->path;
    m->path.turn = screws_fit(m);
    if (!(m->path.turn * first->step > LEAST_TURN) && !leaves_constraints) {
        return_to(m, &before);
        return true;
    }
    struct line_sample curved = *first;
    m->path.is_curved = m->path.all_turn = true;
    m->path.swept = 0.0;
    if (has_constraints(m)) {
        search_path_bend(m, fmin(curved.step, MOST_TURN / m->path.turn));
    }
    if (!evaluate_curve(m, evaluate, &curved)) {
        return false;
    }
    const double rise = m->path.is_bent ? fmax(first->value - origin.value, 0.0) : 0.0;
    const double highest = origin.value + CURVED_SHARE * rise;
    if (!(curved.value < first->value && curved.value < highest)) {
        return_to(m, &before);
        first->step = search_path_free_step(m, first->step);
        return !m->stopped && evaluate(m, first);
    }
    *first = curved;
    return true;
}
