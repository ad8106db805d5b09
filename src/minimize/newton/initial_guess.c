// The initial guess of the minimisation: OPT section 3.1, "Initial guess". The inertial guess is
// the predictor. The explicit guess adds the forces at the start of the step. OPT takes the better
// of the two. A third guess, with the constant forces only, is the exact solution in free fall. Two
// more start from the best of these: rigid motions, and bodies held back (held_back_guess.c). The
// last keeps bodies that hardly move at the start of the step. All are projected, and moved back
// towards the start of the step where E is infinite.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "base/lanes/vector.h"
#include "minimize/newton/state.h"
#include "pbs/world.h"

// A guess at which E is infinite is moved half the distance to the start of the step, at most this
// many times.
enum { PULL_BACK_LIMIT = 60 };

// Values of E that differ by less than this, relative to E's parts, count as equal when guesses are
// compared.
static const double EQUAL_ENERGIES = 1e-12;

// A rigid motion must reduce the sum of inertial and elastic energy of the best guess to this
// fraction.
static const double RIGID_GAIN = 0.1;

// A body is slow if inertia moves it by at most this many times what constant forces do.
static const double SLOW = 2.0;

// What a guess leaves of a gap within reach. As an iteration doubles a gap at most, guesses that
// leave much less than half make gaps shrink in worlds that take one iteration a step.
static const double KEPT_GAP = 0.4;

// Where all bodies are slow, and at most this share of constant forces is left, something carries
// them.
static const double SUPPORTED = 0.1;

// Where free fall leaves less than this share of what counts as solved, no other guess is tried.
static const double EXACT_SHARE = 0.01;

/// Constrained axes stay at x: they are at their targets already, and every evaluation puts them
/// there. A sweep in which they moved would miss contacts at their actual positions.
static void keep_constrained(const struct minimization *m, const double *x, double *guess) {
    const uint8_t *constrained = m->projection->scene.constrained_axes;
    for (size_t k = 0; constrained != NULL && k < newton_coordinate_count(m->newton); k++) {
        guess[k] = (constrained[k / 3] >> k % 3 & 1) != 0 ? x[k] : guess[k];
    }
}

/// Shortens the guess to the part of the path from x that is free of contact. Returns false if no
/// part is free.
static bool shorten(struct minimization *m, const double *x, double *guess) {
    const size_t count = newton_coordinate_count(m->newton);
    struct tasks *const tasks = m->objective->tasks;
    double *const offset = m->newton->direction;
    keep_constrained(m, x, guess);
    vector_combine(tasks, count, guess, -1.0, x, offset);
    if (vector_norm(tasks, count, offset) == 0.0) {
        return true;
    }
    const double bound = objective_max_step(m->objective, x, offset, 1.0);
    const double limit = bound < 1.0 ? 0.9 * bound : 1.0;
    contact_set_leave_gaps(&m->objective->contacts, KEPT_GAP);
    const double step = minimization_free_step(m, x, offset, limit);
    contact_set_leave_gaps(&m->objective->contacts, 0.0);
    if (step < 1.0) {
        vector_combine(tasks, count, x, step, offset, guess);
    }
    return step > 0.0;
}

/// Whether a term bounds steps within which its energy is finite.
static bool has_finite_bounds(const struct objective *o) {
    for (size_t k = 0; k < o->term_count; k++) {
        if (o->terms[k].table->bounds_finite_values) {
            return true;
        }
    }
    return false;
}

/// Shortens the guess to what terms allow, where nothing else would: a lower energy beyond that is
/// no better guess.
static void keep_within_bounds(struct minimization *m, const double *x, double *guess) {
    const size_t count = newton_coordinate_count(m->newton);
    struct tasks *const tasks = m->objective->tasks;
    double *const offset = m->newton->direction;
    vector_combine(tasks, count, guess, -1.0, x, offset);
    const double bound = objective_max_step(m->objective, x, offset, 1.0);
    if (bound < 1.0) {
        vector_combine(tasks, count, x, 0.9 * bound, offset, guess);
    }
}

/// trial = the state at `guess`, or the admissible state closest to it on the path from x; partial
/// if E is above the ceiling. Uses newton->direction as scratch.
static bool evaluate_towards(struct minimization *m, const double *x, double *guess, bool pull_back,
                             double ceiling) {
    const size_t count = newton_coordinate_count(m->newton);
    struct tasks *const tasks = m->objective->tasks;
    double *const offset = m->newton->direction;
    if (contact_set_bounds(&m->objective->contacts)) {
        if (!shorten(m, x, guess)) {
            return false;
        }
    } else if (has_finite_bounds(m->objective)) {
        keep_within_bounds(m, x, guess);
    }
    bool admissible = minimization_evaluate_below(m, guess, ceiling);
    if (admissible || m->stopped || !pull_back) {
        return admissible;
    }
    vector_combine(tasks, count, guess, -1.0, x, offset);
    double step = 0.9 * objective_max_step(m->objective, x, offset, 1.0);
    for (int i = 0; i < PULL_BACK_LIMIT && !admissible && !m->stopped; i++) {
        vector_combine(tasks, count, x, step, offset, guess);
        admissible = minimization_evaluate_below(m, guess, ceiling);
        step *= 0.5;
    }
    return admissible;
}

/// guess = predictor - c M^-1 gradient. Returns false if that is not finite.
static bool add_forces(const struct objective *o, const double *gradient, size_t count,
                       double *guess) {
    for (size_t k = 0; k < count; k++) {
        guess[k] = o->predictor[k] - o->weight / o->mass[k / 3] * gradient[k];
    }
    return vector_is_finite(o->tasks, count, guess);
}

static bool fill_inertial(struct minimization *m, const double *x, double *guess) {
    (void)x;
    vector_copy(m->objective->tasks, newton_coordinate_count(m->newton), m->objective->predictor,
                guess);
    return true;
}

/// The explicit guess: all forces at x, the start of the step.
static bool fill_explicit(struct minimization *m, const double *x, double *guess) {
    double *const gradient = m->newton->trial.gradient;
    struct objective forces = *m->objective;
    forces.weight = INFINITY;
    const struct objective_result result = objective_evaluate(&forces, x, false, gradient, NULL);
    m->result.evaluations++;
    m->stopped = result.answer == EVALUATE_STOP;
    return result.answer == EVALUATE_OK &&
           add_forces(m->objective, gradient, newton_coordinate_count(m->newton), guess);
}

/// The free-fall guess: constant forces only. Returns false if there are none.
static bool fill_free_fall(struct minimization *m, const double *x, double *guess) {
    const struct objective *const o = m->objective;
    const struct evaluation evaluation = {
        .what = EVALUATE_GRADIENT, .x = x, .stage = o->stage, .constant_forces = true};
    struct terms_result forces = {.gradient = m->newton->trial.gradient, .scratch = o->scratch};
    const size_t count = newton_coordinate_count(m->newton);
    return terms_evaluate(o->tasks, o->assembly, o->terms, o->term_count, &evaluation, &forces) ==
               EVALUATE_OK &&
           vector_norm(o->tasks, count, forces.gradient) > 0.0 &&
           add_forces(o, forces.gradient, count, guess);
}

void minimization_guess_free_fall(struct minimization *m, const double *x, double *guess) {
    if (!fill_free_fall(m, x, guess)) {
        fill_inertial(m, x, guess);
    }
}

/// Returns, in J, how much higher inertia and constant forces make E at x than at the free-fall
/// state `free_fall`. Rigid motions trade elastic energy for this.
static double deviation(const struct minimization *m, const double *x, const double *free_fall) {
    const struct objective *const o = m->objective;
    double sum = 0.0;
    for (size_t k = 0; k < newton_coordinate_count(m->newton); k++) {
        sum += o->mass[k / 3] * (x[k] - free_fall[k]) * (x[k] - free_fall[k]);
    }
    return 0.5 * sum / o->weight;
}

/// Returns whether the projection leaves the guess unchanged: it is free of obstacles.
static bool is_clear(struct minimization *m, const double *guess) {
    double *const projected = m->newton->trial.x;
    bool clear = projection_apply(m->objective->tasks, m->projection, guess, projected) == PBS_OK;
    for (size_t k = 0; k < newton_coordinate_count(m->newton) && clear; k++) {
        clear = projected[k] == guess[k];
    }
    return clear;
}

/// The rigid guess: bodies without constraints move, in their rest shapes, to where free fall takes
/// them; other bodies stay as in the best guess so far. Returns false if the gain is too small for
/// an evaluation, or if there is contact, which rigid motion would violate.
static bool fill_rigid(struct minimization *m, const double *x, double *guess) {
    const struct objective *const o = m->objective;
    const struct objective_result *const best = &m->newton->accepted.objective;
    const double *const known = m->newton->accepted.x;
    const double elastic = best->by_kind[ENERGY_ELASTIC];
    double *const free_fall = m->newton->direction;
    bool any = false;
    if (!isfinite(o->weight) || !(elastic > 0.0) || best->by_kind[ENERGY_CONTACT] != 0.0) {
        return false;
    }
    minimization_guess_free_fall(m, x, free_fall);
    vector_copy(o->tasks, newton_coordinate_count(m->newton), known, guess);
    for (size_t i = 0; i < o->rest_shape_count; i++) {
        any = rigid_fit(&o->rest_shapes[i], o->mass, o->constrained_axes, free_fall, guess) || any;
    }
    const double before = deviation(m, known, free_fall) + elastic;
    return any && before > EQUAL_ENERGIES * objective_magnitude(best) &&
           deviation(m, guess, free_fall) < RIGID_GAIN * before && is_clear(m, guess);
}

/// Marks the bodies that are slow, as what rests is, in newton->rule.gain: 1 or 0. Returns how many
/// are. None are where the host has set one tolerance for all bodies: there the weight of a light
/// one may count as solved, and it would stay in the air. Uses newton->direction.
static uint32_t mark_slow(struct minimization *m, const double *x) {
    const struct objective *const o = m->objective;
    const struct body_ranges *const bodies = &m->newton->rule.bodies;
    double *const free_fall = m->newton->direction;
    double *const slow = m->newton->rule.gain;
    double *const fallen = m->newton->rule.kinetic;
    uint32_t count = 0;
    const bool any = m->options->tolerance == 0.0 && fill_free_fall(m, x, free_fall);
    if (any) {
        body_distance_squared(o->tasks, bodies, x, o->predictor, slow);
        body_distance_squared(o->tasks, bodies, free_fall, o->predictor, fallen);
    }
    for (uint32_t b = 0; b < bodies->body_count; b++) {
        // What is held does neither.
        const bool is_slow = any && slow[b] <= SLOW * SLOW * fallen[b];
        slow[b] = is_slow ? 1.0 : 0.0;
        count += is_slow;
    }
    return count;
}

/// Returns how many bodies mark_slow has marked.
static uint32_t count_slow(const struct minimization *m) {
    const struct stop_rule *const rule = &m->newton->rule;
    uint32_t count = 0;
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        count += rule->gain[b] > 0.0;
    }
    return count;
}

static bool all_are_slow(const struct minimization *m) {
    return count_slow(m) == m->newton->rule.bodies.body_count;
}

static bool fill_given(struct minimization *m, const double *x, double *guess) {
    vector_copy(m->objective->tasks, newton_coordinate_count(m->newton), x, guess);
    return true;
}

/// Where all bodies are slow, all stay where they are. What lies under its weight is there already;
/// other guesses let it fall.
static bool fill_all_at_rest(struct minimization *m, const double *x, double *guess) {
    return mark_slow(m, x) == m->newton->rule.bodies.body_count && fill_given(m, x, guess);
}

/// Where all bodies are slow, as the row above has marked them, what creeps goes on doing so.
static bool fill_inertial_of_slow(struct minimization *m, const double *x, double *guess) {
    return all_are_slow(m) && fill_inertial(m, x, guess);
}

/// Where some bodies are slow, as the first row has marked them, they stay where they are. The
/// others are as in the best guess so far.
static bool fill_some_at_rest(struct minimization *m, const double *x, double *guess) {
    const struct stop_rule *const rule = &m->newton->rule;
    if (count_slow(m) == 0 || all_are_slow(m)) {
        return false;
    }
    fill_given(m, m->newton->accepted.x, guess);
    for (size_t i = 0; i < rule->bodies.count; i++) {
        const struct body_range *const r = &rule->bodies.ranges[i];
        if (rule->gain[r->body] > 0.0) {
            memcpy(guess + 3 * r->begin, x + 3 * r->begin, 3 * (r->end - r->begin) * sizeof *x);
        }
    }
    return true;
}

// --- penalties, through which a guess may pass ---

double minimization_contact_energy(struct minimization *m, const double *x, double *gradient) {
    const struct objective *const o = m->objective;
    struct contact_energy energy = {0.0, 0.0};
    const pbs_status status = contact_set_evaluate(&o->contacts, o->tasks, x, false, gradient,
                                                   &energy);
    m->stopped = m->stopped || status < 0;
    m->solver_status = status < 0 ? status : m->solver_status;
    return energy.potential;
}

static void measure_pressing(struct minimization *m, const double *x) {
    struct pressing *const out = &m->pressing;
    double *const gradient = m->newton->gradient_rows;
    *out = (struct pressing){.gradient = NULL};
    if (objective_searches_contact(m->objective)) {
        vector_zero(m->objective->tasks, newton_coordinate_count(m->newton), gradient);
        out->energy = minimization_contact_energy(m, x, gradient);
        out->gradient = out->energy > 0.0 ? gradient : NULL;
    }
}

/// Whether the guess in newton->trial has gone into what pressed at x and out on its other side.
/// Penalties are convex on the way in: their energy rises by the slope along the way or more.
/// Free fall takes what lies on a plate thinner than g h^2 to below it, where E is lowest. A motion
/// of all that presses together has no slope but its rounding errors.
static bool has_gone_through(struct minimization *m, const double *x) {
    const struct pressing *const pressing = &m->pressing;
    const double *const to = m->newton->trial.x;
    double rise = 0.0;
    double magnitude = pressing->energy;
    if (pressing->gradient == NULL) {
        return false;
    }
    for (size_t k = 0; k < newton_coordinate_count(m->newton); k++) {
        const double part = pressing->gradient[k] * (to[k] - x[k]);
        rise += part;
        magnitude += fabs(part);
    }
    return rise > EQUAL_ENERGIES * magnitude &&
           minimization_contact_energy(m, to, NULL) < pressing->energy + 0.5 * rise;
}

/// One kind of guess.
struct guess {
    /// Fills guess; false if this guess does not apply. The best guess so far is in
    /// newton->accepted.
    bool (*fill)(struct minimization *m, const double *x, double *guess);
    int32_t kind; ///< PBS_GUESS_* that requests only this one; PBS_GUESS_BEST: used only with that
    bool always;  ///< moved back to an admissible state even if there are other guesses
    bool follows; ///< starts from the best guess so far, and is left out where there is none
    bool is_inertial_guess; ///< ignores the forces
};

// What is held back stops what follows it: it is tried so often that the third in a row stops too.
// In the order of preference between equal values. In free fall the explicit guess differs from the
// first one only by the rounding errors of forces that should be zero.
static const struct guess guesses[] = {
    {fill_all_at_rest, PBS_GUESS_BEST, false, false, false},
    {fill_inertial_of_slow, PBS_GUESS_BEST, false, false, true},
    {fill_free_fall, PBS_GUESS_OPT, true, false, false},
    {fill_explicit, PBS_GUESS_EXPLICIT, false, false, false},
    {fill_inertial, PBS_GUESS_INERTIAL, true, false, true},
    {fill_rigid, PBS_GUESS_BEST, false, true, false},
    {minimization_hold_back, PBS_GUESS_BEST, false, true, false},
    {minimization_hold_back, PBS_GUESS_BEST, false, true, false},
    {minimization_hold_back, PBS_GUESS_BEST, false, true, false},
    {fill_some_at_rest, PBS_GUESS_BEST, false, true, false},
    {fill_given, NEWTON_GUESS_GIVEN, false, false, false},
};

static bool is_lower(const struct objective_result *a, const struct objective_result *b) {
    return a->value < b->value - EQUAL_ENERGIES * objective_magnitude(b);
}

static bool is_requested(const struct guess *guess, int32_t requested) {
    return guess->kind == requested ||
           (requested == PBS_GUESS_BEST && guess->kind != NEWTON_GUESS_GIVEN) ||
           (requested == PBS_GUESS_OPT && guess->kind != NEWTON_GUESS_GIVEN &&
            guess->kind != PBS_GUESS_BEST);
}

/// Returns the largest share that is left of the forces on a body. Uses newton->current and
/// gradient.
static double share_left(struct minimization *m, struct iterate *at) {
    struct newton *const newton = m->newton;
    iterate_swap(at, &newton->current);
    minimization_activate(m);
    const double share = stop_rule_measure(m).share;
    iterate_swap(at, &newton->current);
    return share;
}

/// Whether nothing moves at the start of the step: what is left of the forces on what lies has
/// counted as solved in the step before.
static bool nothing_moves(const struct minimization *m, const double *x) {
    return vector_equals(newton_coordinate_count(m->newton), x, m->objective->predictor);
}

/// Whether what is left of the forces on each body at the guess in newton->accepted would move it
/// by no more than SUPPORTED of what constant forces do in free fall. Uses newton->current and
/// gradient.
static bool is_supported(struct minimization *m, const double *x) {
    struct newton *const newton = m->newton;
    const struct objective *const o = m->objective;
    const struct body_ranges *const bodies = &newton->rule.bodies;
    const size_t count = newton_coordinate_count(newton);
    double *const moved = newton->direction;
    double *const left = newton->rule.residual, *const fallen = newton->rule.kinetic;
    iterate_swap(&newton->accepted, &newton->current);
    minimization_activate(m);
    iterate_swap(&newton->accepted, &newton->current);
    for (size_t k = 0; k < count; k++) {
        moved[k] = o->predictor[k] + o->weight / o->mass[k / 3] * newton->gradient[k];
    }
    body_distance_squared(o->tasks, bodies, moved, o->predictor, left);
    if (!fill_free_fall(m, x, moved)) {
        return false;
    }
    body_distance_squared(o->tasks, bodies, moved, o->predictor, fallen);
    bool is_supported = true;
    for (uint32_t b = 0; b < bodies->body_count; b++) {
        is_supported = is_supported && left[b] <= SUPPORTED * SUPPORTED * fallen[b];
    }
    return is_supported;
}

/// Whether no other guess is tried: the one in newton->accepted is the solution, or hardly anything
/// is left of the forces on each body, or other guesses would only fall into what carries it.
static bool is_enough(struct minimization *m, const struct guess *guess, const double *x) {
    if (guess->fill == fill_inertial_of_slow) {
        return is_supported(m, x);
    }
    if (guess->fill != fill_free_fall && guess->fill != fill_all_at_rest) {
        return false;
    }
    const bool is_at_rest = guess->fill == fill_all_at_rest && nothing_moves(m, x);
    return share_left(m, &m->newton->accepted) <= (is_at_rest ? 1.0 : EXACT_SHARE);
}

static bool keeps_start(const struct guess *guess) {
    return guess->fill == fill_all_at_rest || guess->fill == fill_some_at_rest;
}

/// Whether the guess in newton->trial is better than the best one, in newton->accepted. What rests
/// changes E by less than its rounding errors: then what is left of the forces decides.
static bool is_better(struct minimization *m, const struct guess *guess, const struct guess *best) {
    struct iterate *const trial = &m->newton->trial;
    struct iterate *const accepted = &m->newton->accepted;
    if (trial->objective.is_partial) {
        return false;
    }
    return is_lower(&trial->objective, &accepted->objective) ||
           ((keeps_start(guess) || keeps_start(best)) &&
            !is_lower(&accepted->objective, &trial->objective) &&
            share_left(m, trial) < share_left(m, accepted));
}

/// Returns the value of E above which no guess is better than the best one, if there is one.
static double ceiling_of_guesses(const struct minimization *m, const struct guess *best) {
    const struct objective_result *const lowest = &m->newton->accepted.objective;
    return best != NULL ? lowest->value + EQUAL_ENERGIES * objective_magnitude(lowest) : INFINITY;
}

/// Evaluates the requested guesses; the best one of those that do not go through what presses is
/// left in newton->trial. Returns false if there is none.
static bool choose_among(struct minimization *m, const double *x) {
    struct newton *const newton = m->newton;
    const int32_t requested = m->options->initial_guess;
    const struct guess *best = NULL;
    bool knows_inertial = false;
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses && !m->stopped; i++) {
        const struct guess *const g = &guesses[i];
        if (!is_requested(g, requested) || (g->follows && best == NULL) ||
            (g->is_inertial_guess && knows_inertial) || !g->fill(m, x, newton->gradient) ||
            !evaluate_towards(m, x, newton->gradient, g->always || requested == g->kind,
                              ceiling_of_guesses(m, best))) {
            continue;
        }
        knows_inertial = knows_inertial || g->is_inertial_guess;
        if ((best == NULL || is_better(m, g, best)) && !has_gone_through(m, x)) {
            iterate_swap(&newton->trial, &newton->accepted);
            best = g;
        }
        if (best != NULL && is_enough(m, g, x)) {
            break;
        }
    }
    if (best != NULL) {
        m->is_inertial_guess = best->is_inertial_guess;
        m->is_held_back = best->fill == minimization_hold_back;
        iterate_swap(&newton->trial, &newton->accepted);
    }
    return best != NULL && !m->stopped;
}

/// Where several guesses are requested, those that go through something do not count. If that is
/// all of them, x is left, or the best of them if x is not admissible.
static bool choose(struct minimization *m, const double *x) {
    const int32_t requested = m->options->initial_guess;
    m->pressing = (struct pressing){0};
    if (requested == PBS_GUESS_OPT || requested == PBS_GUESS_BEST) {
        measure_pressing(m, x);
    }
    if (m->stopped || choose_among(m, x)) {
        return !m->stopped;
    }
    if (m->pressing.gradient == NULL || m->stopped) {
        return false;
    }
    m->pressing = (struct pressing){0};
    return minimization_evaluate(m, x) || (!m->stopped && choose_among(m, x));
}

bool minimization_guess(struct minimization *m, const double *x) {
    const double start = clock_seconds();
    const bool found = choose(m, x);
    m->result.time_evaluate += clock_seconds() - start;
    if (m->stopped) {
        minimization_fail_stopped(m);
        return false;
    }
    if (!found) {
        m->result.status = status_fail(
            PBS_ERROR_INADMISSIBLE, "no admissible state to start from: %s",
            m->projection_failed
                ? pbs_last_error()
                : "the energy is infinite or not a number at the initial guess and on the "
                  "way there from the start of the step");
        return false;
    }
    iterate_swap(&m->newton->trial, &m->newton->current);
    return true;
}
