// Where the minimisation starts: OPT section 3.1, "Initial guess". The inertial guess is the
// predictor; the explicit one adds the forces at the start of the step, and is the solution in free
// fall. Both are projected, and pulled back where E is infinite.
#include <math.h>

#include "base/clock.h"
#include "base/vector.h"
#include "minimize/state.h"
#include "pbs/world.h"

// A guess at which E is infinite is moved half the way towards the start of the step, this many
// times at most.
enum { PULL_BACK_LIMIT = 60 };

// Values of E that differ by less (relative to its parts) are equal for the choice between the
// guesses.
static const double EQUAL_ENERGIES = 1e-12;

/// trial = the state at `guess`, or as far towards it from x as is admissible. Uses
/// newton->direction as scratch.
static bool evaluate_towards(struct minimization *m, const double *x, double *guess,
                             bool pull_back) {
    const size_t count = newton_coordinate_count(m->newton);
    struct tasks *const tasks = m->objective->tasks;
    double *const offset = m->newton->direction;
    bool admissible = minimization_evaluate(m, guess);
    if (admissible || m->stopped || !pull_back) {
        return admissible;
    }
    vector_combine(tasks, count, guess, -1.0, x, offset);
    double step = 0.9 * objective_max_step(m->objective, x, offset, 1.0);
    for (int i = 0; i < PULL_BACK_LIMIT && !admissible && !m->stopped; i++) {
        vector_combine(tasks, count, x, step, offset, guess);
        admissible = minimization_evaluate(m, guess);
        step *= 0.5;
    }
    return admissible;
}

/// guess = predictor + c M^-1 f, f the forces at x, the start of the step. False when they are not
/// finite there.
static bool fill_explicit(struct minimization *m, const double *x, double *guess) {
    const struct objective *const o = m->objective;
    double *const gradient = m->newton->trial.gradient;
    struct objective forces = *o;
    forces.weight = INFINITY;
    const struct objective_result result = objective_evaluate(&forces, x, false, gradient, NULL);
    m->result.evaluations++;
    m->stopped = result.answer == EVALUATE_STOP;
    if (result.answer != EVALUATE_OK) {
        return false;
    }
    const size_t count = newton_coordinate_count(m->newton);
    for (size_t k = 0; k < count; k++) {
        guess[k] = o->predictor[k] - o->weight / o->mass[k / 3] * gradient[k];
    }
    return vector_is_finite(o->tasks, count, guess);
}

static bool try_explicit(struct minimization *m, const double *x, bool pull_back) {
    double *const guess = m->newton->gradient;
    return fill_explicit(m, x, guess) && evaluate_towards(m, x, guess, pull_back);
}

static bool try_inertial(struct minimization *m, const double *x) {
    double *const guess = m->newton->gradient;
    vector_copy(m->objective->tasks, newton_coordinate_count(m->newton), m->objective->predictor,
                guess);
    return evaluate_towards(m, x, guess, true);
}

/// Evaluates the guesses that the options ask for; the better one is left in newton->trial.
static bool choose(struct minimization *m, const double *x) {
    struct newton *const newton = m->newton;
    const int32_t kind = m->options->initial_guess;
    const bool have_explicit = kind != PBS_GUESS_INERTIAL &&
                               try_explicit(m, x, kind == PBS_GUESS_EXPLICIT);
    if (kind == PBS_GUESS_EXPLICIT || m->stopped) {
        return have_explicit;
    }
    if (have_explicit) {
        iterate_swap(&newton->trial, &newton->kept);
    }
    m->naive = try_inertial(m, x);
    if (!have_explicit || m->stopped) {
        return m->naive;
    }
    const struct objective_result *const e = &newton->kept.objective;
    if (!m->naive ||
        e->value <= newton->trial.objective.value + EQUAL_ENERGIES * objective_magnitude(e)) {
        iterate_swap(&newton->trial, &newton->kept);
        m->naive = false;
    }
    return true;
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
            m->displaced ? pbs_last_error()
                         : "the energy is infinite or not a number at the initial guess and on the "
                           "way there from the start of the step");
        return false;
    }
    iterate_swap(&m->newton->trial, &m->newton->current);
    return true;
}
