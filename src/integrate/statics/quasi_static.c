// See quasi_static.h. Each pass minimises
//     |x - x_k|_M^2 / (2 c) + sum_k P_k(x)
// from x_k (the proximal point method, docs/theory/schemes.md section 7). For large c this is
// Newton's method on the potentials alone, but rigid motions without resistance and directions of
// negative curvature do not make it diverge.
// SPDX-License-Identifier: MIT
#include "integrate/statics/quasi_static.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"
#include "pbs/stats.h"

// The initial c is FIRST_WEIGHT times the square of the shortest time scale, so that motions softer
// than the stiffest one by that factor are solved at once. c changes by factors of GROWTH within
// the limits LARGEST_WEIGHT and LEAST_WEIGHT, in the same unit.
static const double FIRST_WEIGHT = 1e8;
static const double LARGEST_WEIGHT = 1e14;
static const double LEAST_WEIGHT = 10.0;
static const double GROWTH = 100.0;

// With wind c grows by SLOW_GROWTH, and shrinks by SETBACK after a pass that has left more force
// than the one before.
static const double SLOW_GROWTH = 1.25;
static const double SETBACK = 2.0;

// s^2, the initial c if there is no stiffness.
static const double WEIGHT_OF_NOTHING = 1.0;

// Gravity also limits the initial c: free fall may move by this fraction of the scene's extent.
static const double FIRST_FALL = 1.0;

// A pass whose steps rounding judged, and which leaves more than this of the residual, has stalled.
static const double STALLED = 0.5;

enum { PASS_LIMIT = 200, PASS_ITERATIONS = 50 };

// A node that has moved farther than FAR times the scene's extent since the prescribed motion ended
// counts as unsupported. With stops_when_unsupported the limit is FAR_ENOUGH, below FIRST_FALL, so
// that such a body moves no farther than in the first pass.
static const double FAR = 30.0;
static const double FAR_ENOUGH = 0.5;

// Minimum number of re-laggings of friction: a load step has no time in which lagged friction could
// catch up.
static const uint32_t FRICTION_ITERATIONS = 20;

struct solve {
    const struct static_problem *problem;
    struct objective *objective;
    struct tasks *tasks;
    size_t count; ///< 3 * nodes
    struct newton_options options;
    double weight, first_weight;
    struct static_result result;
};

// --- forces ---

/// Returns whether an evaluation with this answer can be used. Sets the status if it stopped.
static bool is_usable(struct solve *s, int answer, pbs_status status) {
    if (answer == EVALUATE_STOP) {
        s->result.newton.status = status < 0 ? status : terms_fail_stopped();
    }
    return answer == EVALUATE_OK;
}

static bool failed(const struct solve *s) {
    return s->result.newton.status < 0;
}

/// Computes the constant forces in problem->gradient.
static void constant_forces(struct solve *s, const double *x) {
    const struct objective *o = s->objective;
    const struct evaluation evaluation = {
        .what = EVALUATE_GRADIENT, .x = x, .stage = o->stage, .constant_forces = true};
    struct terms_result forces = {.gradient = s->problem->gradient, .scratch = o->scratch};
    const int answer = terms_evaluate(s->tasks, o->assembly, o->terms, o->term_count, &evaluation,
                                      &forces);
    if (!is_usable(s, answer, PBS_OK)) {
        vector_zero(s->tasks, s->count, s->problem->gradient);
    }
}

/// Returns the largest acceleration that the constant forces cause, m/s^2.
static double largest_fall(const struct solve *s) {
    double largest = 0.0;
    for (size_t k = 0; k < s->count; k++) {
        const double a = fabs(s->problem->gradient[k]) / s->objective->mass[k / 3];
        largest = fmax(largest, isfinite(a) ? a : 0.0);
    }
    return largest;
}

/// Loads that depend on x grow with it, as the pressure of a volume that is held: host_force of
/// each body becomes that at x, if it is more than at the start.
static void measure_loads(struct solve *s, const double *x) {
    const struct objective *o = s->objective;
    const double *const gradient = s->problem->gradient;
    double *const host_force = s->problem->host_force;
    bool any = false;
    for (size_t t = 0; t < o->term_count; t++) {
        any = any || o->terms[t].table->is_load;
    }
    if (!any || host_force == NULL || o->node_parts == NULL) {
        return;
    }
    const struct evaluation evaluation = {
        .what = EVALUATE_GRADIENT, .x = x, .stage = o->stage, .loads_only = true};
    struct terms_result forces = {.gradient = s->problem->gradient, .scratch = o->scratch};
    const int answer = terms_evaluate(s->tasks, o->assembly, o->terms, o->term_count, &evaluation,
                                      &forces);
    double sum = 0.0;
    for (size_t k = 0; is_usable(s, answer, PBS_OK) && k < s->count; k++) {
        const uint32_t body = o->node_parts[k / 3];
        sum += gradient[k] * gradient[k];
        if (k + 1 == s->count || o->node_parts[(k + 1) / 3] != body) {
            host_force[body] = fmax(host_force[body], sqrt(sum));
            sum = 0.0;
        }
    }
}

/// Returns the potential in J, including the lagged potential of friction, which dissipates its
/// increase.
static double potential_at(struct solve *s, const double *x) {
    struct objective potential = *s->objective;
    potential.predictor = x;
    potential.weight = INFINITY;
    potential.without_constraints = true;
    const struct objective_result result = objective_evaluate(&potential, x, true, NULL, NULL);
    return is_usable(s, result.answer, result.status) ? result.value : NAN;
}

// --- passes ---

/// Returns the largest distance of a position node between `from` and x, and that node.
static double farthest(const struct solve *s, const double *x, const double *from, uint32_t *node) {
    const struct layout *layout = &s->objective->assembly->layout;
    double largest = 0.0;
    *node = UINT32_MAX;
    for (uint32_t i = 0; i < layout->node_count; i++) {
        double path[3];
        if (layout->kind != NULL && layout->kind[layout->row[i]] == NODE_ROTATION) {
            continue;
        }
        subtract3(x + 3 * (size_t)i, from + 3 * (size_t)i, path);
        if (norm3(path) > largest) {
            largest = norm3(path);
            *node = i;
        }
    }
    return largest;
}

/// Returns the force residual of a node after the pass that ended at x: it equals the force of the
/// proximal term.
static double residual_at(const struct solve *s, const double *x, uint32_t node) {
    const struct objective *o = s->objective;
    double path[3];
    subtract3(x + 3 * (size_t)node, o->predictor + 3 * (size_t)node, path);
    return o->mass[node] / o->weight * norm3(path);
}

static double residual_of_all(const struct solve *s, const double *x) {
    const struct objective *o = s->objective;
    double sum = 0.0;
    for (size_t k = 0; k < s->count; k++) {
        const double force = o->mass[k / 3] / o->weight * (x[k] - o->predictor[k]);
        sum += force * force;
    }
    return sqrt(sum);
}

static void fail_unsupported(struct solve *s, const double *x, uint32_t node, double path) {
    struct newton_failure *failure = &s->result.newton.failure;
    *failure = (struct newton_failure){
        .kind = PBS_FAILURE_UNCONSTRAINED, .node = node, .residual = residual_at(s, x, node)};
    s->result.is_unsupported = true;
    s->result.newton.gradient_norm = residual_of_all(s, x);
    s->result.newton.status = status_fail(
        PBS_ERROR_CONVERGENCE,
        "no equilibrium: a vertex has moved by %.3g m, and the residual is still %.3g N", path,
        s->result.newton.gradient_norm);
}

/// Lags friction at x, unless the number of re-laggings is used up.
static bool lag_friction(struct solve *s, const double *x, uint32_t pass) {
    const struct objective *o = s->objective;
    const uint32_t wanted = s->problem->friction_iterations;
    const uint32_t limit = wanted > FRICTION_ITERATIONS ? wanted : FRICTION_ITERATIONS;
    if (!contact_set_has_potential(&o->contacts) || pass == 0 || pass >= limit) {
        return true;
    }
    size_t count = 0;
    s->result.newton.status = contact_set_lag_friction(&o->contacts, s->tasks, x, false, &count);
    contact_set_begin_stage(&o->contacts, o->stage.origin, o->stage.length);
    return !failed(s);
}

/// Takes the wind on the surfaces as they are at x. In equilibrium they stay so.
static void lag_wind(struct solve *s, const double *x) {
    if (s->problem->wind != NULL) {
        wind_begin(s->problem->wind, s->tasks, WIND_AT_REST, x, NULL);
    }
}

/// Does one minimisation from x. Counts and times are added up.
static struct newton_result run_pass(struct solve *s, double *x) {
    const struct static_problem *p = s->problem;
    vector_copy(s->tasks, s->count, x, p->predictor);
    s->objective->predictor = p->predictor;
    s->objective->weight = s->weight;
    measure_loads(s, x);
    if (failed(s)) {
        return s->result.newton;
    }
    const uint32_t left = p->options->newton_limit - s->result.newton.newton_iterations;
    s->options.newton_limit = left < PASS_ITERATIONS ? left : PASS_ITERATIONS;
    const struct newton_result pass = newton_minimize(p->newton, s->objective, p->projection,
                                                      &s->options, x);
    newton_result_add(&s->result.newton, &pass);
    return pass;
}

/// Reduces the weight after a failed pass. Returns whether another pass may succeed.
static bool try_shorter(struct solve *s, const struct newton_result *pass) {
    const bool may = pass->status == PBS_ERROR_CONVERGENCE && !pass->blocked &&
                     s->weight > LEAST_WEIGHT / FIRST_WEIGHT * s->first_weight &&
                     s->result.newton.newton_iterations < s->problem->options->newton_limit;
    s->weight /= GROWTH;
    return may;
}

/// Sets the weight for the next pass, the present one having left `left` newtons, the pass before
/// `before`. The wind of a pass is that on the surfaces at its start. So passes without inertia
/// swing to and fro where it changes more along their way than what holds the surfaces, and need a
/// smaller weight.
static void choose_weight(struct solve *s, double before, double left) {
    const double least = LEAST_WEIGHT / FIRST_WEIGHT * s->first_weight;
    double growth = GROWTH;
    if (s->problem->wind != NULL) {
        growth = before > 0.0 && left > before ? 1.0 / SETBACK : SLOW_GROWTH;
    }
    s->weight = fmin(fmax(growth * s->weight, least),
                     LARGEST_WEIGHT / FIRST_WEIGHT * s->first_weight);
}

static void run_passes(struct solve *s, double *x, const double *start) {
    // N, the force of inertia and the norm of all forces at the end of the latest pass.
    double left = 0.0, unsolved = INFINITY;
    const double far = (s->problem->stops_when_unsupported ? FAR_ENOUGH : FAR) * s->problem->extent;
    for (uint32_t i = 0; i < PASS_LIMIT; i++) {
        if (!lag_friction(s, x, i)) {
            return;
        }
        lag_wind(s, x);
        const struct newton_result pass = run_pass(s, x);
        s->result.newton.status = pass.status;
        if (pass.status < 0) {
            if (try_shorter(s, &pass)) {
                // Cleared, because the next pass would not start otherwise.
                s->result.newton.status = PBS_OK;
                continue;
            }
            return;
        }
        if (pass.newton_iterations == 0) {
            s->result.newton.failure.kind = PBS_FAILURE_NONE;
            return;
        }
        uint32_t node = UINT32_MAX;
        const double path = farthest(s, x, start, &node);
        if (path > far) {
            fail_unsupported(s, x, node, path);
            return;
        }
        const double before = left;
        left = residual_of_all(s, x);
        s->options.is_stalled = pass.roundoff_accepts > 0 &&
                                pass.gradient_norm > STALLED * unsolved;
        unsolved = pass.gradient_norm;
        choose_weight(s, before, left);
    }
    s->result.newton.status = status_fail(PBS_ERROR_CONVERGENCE,
                                          "no equilibrium after %d minimisations", PASS_LIMIT);
}

static double first_weight(struct solve *s) {
    const struct static_problem *p = s->problem;
    const double fall = largest_fall(s);
    const double time = 0.5 * p->critical_step;
    double weight = isfinite(time) ? FIRST_WEIGHT * time * time : WEIGHT_OF_NOTHING;
    if (fall > 0.0) {
        weight = fmin(weight, FIRST_FALL * p->extent / fall);
    }
    return isnormal(weight) ? weight : WEIGHT_OF_NOTHING;
}

/// Computes the decrease of the potentials since the prescribed motion ended.
static void measure_fall(struct solve *s, const double *x) {
    const double above = potential_at(s, s->problem->start);
    const double potential_drop = above - potential_at(s, x);
    s->result.potential_drop = potential_drop > 0.0 ? potential_drop : 0.0;
}

struct static_result quasi_static_solve(const struct static_problem *problem, double *x) {
    struct solve s = {.problem = problem,
                      .objective = problem->objective,
                      .tasks = problem->objective->tasks,
                      .count = 3 * (size_t)problem->objective->assembly->layout.node_count,
                      .options = *problem->options};
    s.options.initial_guess = NEWTON_GUESS_GIVEN;
    s.options.velocity_tolerance = 0.0;
    lag_wind(&s, x);
    constant_forces(&s, x);
    s.first_weight = s.weight = first_weight(&s);
    vector_copy(s.tasks, s.count, x, problem->predictor);
    s.objective->predictor = problem->predictor;
    s.objective->weight = s.weight;
    if (!failed(&s)) {
        s.result.newton = newton_move_prescribed(problem->newton, s.objective, problem->projection,
                                                 &s.options, x);
    }
    if (!failed(&s)) {
        vector_copy(s.tasks, s.count, x, problem->start);
        run_passes(&s, x, problem->start);
    }
    if (!failed(&s) || s.result.newton.status == PBS_ERROR_CONVERGENCE) {
        measure_fall(&s, x);
    }
    return s.result;
}

// --- the scheme ---

/// A stage at the end of the step. The solve fills in slip and weight.
static void stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    recipe_length(out, step->h, 1.0);
    out->position_history.x[STATE_NOW] = 1.0;
}

/// The state is at rest.
static void finish(const struct step_view *step, struct state_recipe *out) {
    (void)step;
    out->position.x[STATE_STAGE_1] = 1.0;
}

const struct scheme_table scheme_quasi_static = {
    .id = PBS_SCHEME_QUASI_STATIC,
    .name = "quasi-static",
    .history = 1,
    .order = 1,
    .is_static = true,
    .stage_limit = 1,
    .stage_count = recipe_one_stage,
    .stage = stage,
    .finish = finish,
};
