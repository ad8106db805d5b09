// The stabilised minimisation of OPT section 3 (docs/theory/minimization.md section 1): truncated
// Newton directions, a line search along the projected path, an active set that is fixed in each
// iteration.
// SPDX-License-Identifier: MIT
#include "minimize/newton/newton.h"

#include <math.h>

#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "minimize/search/direction.h"
#include "minimize/search/line_search.h"
#include "minimize/newton/state.h"
#include "pbs/stats.h"

// Parameters of the strong Wolfe conditions. Nocedal and Wright propose a curvature of 0.9 for
// Newton directions. With 0.5 the cubic penalties of OPT take up to a tenth fewer iterations
// (figures 10 and 14), and the other figures and cubes as many.
static const double DECREASE = 1e-4;
static const double CURVATURE = 0.5;
// Curvature condition with contact. Friction reverses within micrometres. If two iterates lie on
// either side of such a reversal, neither Hessian contains it, and searches that may stop with 0.9
// of the slope oscillate for hundreds of iterations.
static const double CURVATURE_WITH_CONTACT = 0.3;
enum { TRIAL_LIMIT = 64 };

// With contact the first trial goes as far as contact pairs are known. If that is the full step and
// the slope at its end is still more than STEEP of the initial slope, the step was too short:
// projecting the Hessian to semidefinite has removed negative curvature. Newton's method would then
// hardly progress for a hundred iterations. So the search continues, up to FURTHER times as far.
// Contacts that open leave a quarter of the slope (their potential is cubic near the contact
// distance) and are not followed, because beyond that distance the next Hessian does not contain
// them. Following them doubles the iterations of IPC's masonry arch (Li et al. 2020).
static const double STEEP = 0.4;
static const double FURTHER = 8.0;

// After LONG_STEPS steps in a row that the search has stretched to LONG_STEP or more the Hessian is
// too stiff; contact's then leaves out how distances curve, until a step is shortened.
static const double LONG_STEP = 1.5;
static const uint32_t LONG_STEPS = 3;

// The noise rule. If the predicted decrease is below NOISE_SLOPE, rounding hides the change of the
// energy, which may then rise by NOISE_RISE; both are relative to the energy's parts.
static const double NOISE_SLOPE = 1e-10;
static const double NOISE_RISE = 1e-12;
// Energies of nearly rigid bodies are squares of strains, and strains are differences: a strain of
// 1e-5 is known to 11 digits. If a step leaves at most NOISE_SHARE of the gradient, the energy may
// rise by NOISE_STIFF_RISE.
static const double NOISE_STIFF_RISE = 1e-10;
static const double NOISE_SHARE = 0.1;
// If the predicted decrease is below NOISE_VALUES rounding errors of the energy, differences of
// values are too inaccurate for the conditions of the line search, which then takes them from
// slopes. A crumb that lies beside what falls is found by its own forces so, which have all their
// digits; its energy is below the last one of the world's.
static const double NOISE_VALUES = 1e4;
// The minimisation has also converged after this many consecutive steps with such a small predicted
// decrease.
static const uint32_t NOISE_STEPS = 8;

// An iteration that leaves more than this of the least |grad E| so far has stalled.
static const double STALLED = 0.5;

// Below the energy's resolution, a step that ends with more than TAIL of the slope is extended to
// where the slope is expected to vanish, at most FARTHEST_TAIL times as far.
static const double TAIL = 0.25;
static const double FARTHEST_TAIL = 32.0;

// Friction's duals follow whole directions. After a step below SHORT they may be those of a place
// that the search will never reach, and too stiff: a box in a bowl that is thrown at it went two
// thousandths of its directions, 500 times.
static const double SHORT = 0.01;

// How often a direction is computed again with joints that it meets.
enum { FORESEEN = 3 };

// Upper bounds of the linear solve's relative tolerance. LOOSEST is OPT's. With contact a tighter
// one is needed, in the preconditioned norm: contact forces are a large part of the gradient but
// say little about how the rest should move. A few iterations that move nothing else already reduce
// the residual to a tenth.
static const double LOOSEST = 0.5;
static const double LOOSEST_WITH_CONTACT = 0.1;
// With contact and equations that hold exactly. Their multipliers become what the linear solve says
// of them, times penalties that are ten thousand times what the nodes resist. Without contact a
// truncated direction is better than the negative curvature that is found beyond it.
static const double LOOSEST_WITH_CONSTRAINTS = 1e-4;
// The bound with projected Hessians after negative curvature. The mode that unfolds a stiff body is
// as wide as the body; conjugate gradients find it last, and nothing unfolds before it moves.
static const double LOOSEST_SEMIDEFINITE = 0.03;
// If conjugate gradients find negative curvature after more than this many products, their
// direction so far is better than one with a projected Hessian: with that, an elastic body about to
// buckle takes half as many iterations again. In a tangle they stop at the first or second product.
// Where penalties press, negative curvature is that of elements squeezed by single vertices, and
// the direction so far is worse.
enum { TANGLED = 3 };
// Such directions may hardly move the body that is not solved. After this many in a row, none of
// which halved the least |grad E| so far, the next is computed with a projected Hessian as well.
static const uint32_t TRUNCATED_STEPS = 8;
// The bound in the last iterations before the iteration limit: no later iteration corrects their
// error.
static const double LOOSEST_AT_LIMIT = 1e-3;
enum { LAST_ITERATIONS = 2 };
// The iteration limit from bodies held back; OPT's figure 1 takes 24 at most with 138,000 unknowns.
enum { HELD_BACK_LIMIT = 100 };
// The bound for a direction that is small enough to end the minimisation.
static const double LOOSEST_AT_END = 1e-4;

// The first trial may use this fraction of the bound that keeps the energy finite.
static const double BOUND_MARGIN = 0.9;

/// Returns the value of E above which no trial is accepted, not even as noise.
static double highest_accepted(const struct newton *newton) {
    const struct objective_result *const current = &newton->current.objective;
    return current->value + NOISE_STIFF_RISE * objective_magnitude(current);
}

/// Returns phi(a) - phi(0) as the sum of slopes, from that at the start to that of the trial:
/// exact on a parabola, too much where barriers steepen. Infinite where E has risen by more than
/// noise.
static double rise_by_slopes(const struct minimization *m, double step, double slope) {
    return m->newton->trial.objective.value <= highest_accepted(m->newton)
               ? 0.5 * step * (m->path.slope + slope)
               : INFINITY;
}

/// Returns the value of E above which a trial needs no contact. Where contact bounds steps, its
/// pairs are known, and the slope is worth what it costs.
static double ceiling_of_trials(const struct minimization *m) {
    return objective_searches_contact(m->objective) ? highest_accepted(m->newton) : INFINITY;
}

/// phi(a) = E(P(x(a))) with slope grad E . x'(a), where grad E includes the projection's Jacobian.
/// Where phi is too high, or something is in the way, its slope may be missing.
static bool evaluate_path(void *context, struct line_sample *out) {
    struct minimization *const m = context;
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    double *const y = newton->gradient;
    search_path_place(m, out->step, y);
    out->value = INFINITY;
    out->slope = NAN;
    if (!search_path_is_free(m, out->step, y) ||
        !minimization_evaluate_below(m, y, ceiling_of_trials(m))) {
        return !m->stopped;
    }
    if (newton->trial.objective.is_partial) {
        out->value = newton->trial.objective.value;
    } else {
        vector_copy(tasks, count, newton->trial.gradient, newton->gradient);
        projection_pull_back(tasks, m->projection, newton->gradient);
        out->slope = vector_dot(tasks, count, newton->gradient, search_path_tangent(m));
        // A gradient that overflowed is useless for the next iteration.
        out->value = isfinite(out->slope) ? newton->trial.objective.value : INFINITY;
        if (m->path.values_are_hidden && isfinite(out->value)) {
            out->value = rise_by_slopes(m, out->step, out->slope);
        }
    }
    return true;
}

static void store_accepted_trial(void *context) {
    struct newton *const newton = ((struct minimization *)context)->newton;
    iterate_swap(&newton->trial, &newton->accepted);
}

/// Decides by the gradient if the energy's change is below its resolution. newton->gradient holds
/// grad E of the trial.
static bool accept_noise(struct minimization *m, struct line_sample origin) {
    const struct newton *const newton = m->newton;
    const double magnitude = objective_magnitude(&newton->current.objective);
    const double change = newton->trial.objective.value - newton->current.objective.value;
    const double rise = change / magnitude;
    if (!(fabs(origin.slope) < NOISE_SLOPE * magnitude && rise < NOISE_STIFF_RISE)) {
        return false;
    }
    const double norm = vector_norm(m->objective->tasks, newton_coordinate_count(newton),
                                    newton->gradient);
    const double share = rise < NOISE_RISE ? 1.0 : NOISE_SHARE;
    if (!(norm < share * m->result.gradient_norm)) {
        return false;
    }
    m->result.roundoff_accepts += change < 0.0 ? 0U : 1U;
    return true;
}

/// Returns the step at which the linear interpolation of both slopes is zero; FARTHEST_TAIL if it
/// never is. left: ratio of the slopes.
static double level_step(double left) {
    return left < 1.0 ? fmin(1.0 / (1.0 - left), FARTHEST_TAIL) : FARTHEST_TAIL;
}

/// With contact, extends an accepted full step below the energy's resolution that left much of the
/// slope, as reach_further does above it. The projected Hessian makes the end of a minimisation
/// converge only linearly. Values are useless here; the state with the smaller gradient wins.
static void follow_tail(struct minimization *m, struct line_sample origin,
                        struct line_sample first) {
    const struct newton *const newton = m->newton;
    const double left = first.slope / origin.slope;
    if (!contact_set_bounds(&m->objective->contacts) || first.step < 1.0 || !(left > TAIL)) {
        return;
    }
    const size_t count = newton_coordinate_count(newton);
    const double reached = vector_norm(m->objective->tasks, count, newton->gradient);
    const double bound = objective_max_step(m->objective, newton->current.x, newton->direction,
                                            INFINITY);
    struct line_sample next = {.step = fmin(level_step(left), BOUND_MARGIN * bound)};
    next.step = search_path_extend(m, first.step, next.step);
    if (!m->stopped && next.step > first.step && evaluate_path(m, &next) && isfinite(next.value) &&
        vector_norm(m->objective->tasks, count, newton->gradient) < reached) {
        store_accepted_trial(m);
    }
}

/// If a first trial at 1 ends too steeply, searches contact pairs up to twice the step at which the
/// interpolated slope is zero, so that the line search can go beyond 1.
static void reach_further(struct minimization *m, struct line_sample origin,
                          struct line_sample first, struct line_search_options *options) {
    const double left = first.slope / origin.slope;
    if (!contact_set_bounds(&m->objective->contacts) || m->path.all_turn ||
        m->options->line_search != PBS_LINE_SEARCH_WOLFE || first.step < 1.0 || !(left > STEEP) ||
        !(first.value < origin.value)) {
        return;
    }
    const struct newton *const newton = m->newton;
    const double bound = objective_max_step(m->objective, newton->current.x, newton->direction,
                                            INFINITY);
    const double wanted = left < 1.0 ? fmin(2.0 / (1.0 - left), FURTHER) : FURTHER;
    options->limit = search_path_extend(m, first.step, fmin(wanted, BOUND_MARGIN * bound));
    options->curvature = STEEP;
}

/// Does the line search along newton->direction; newton->accepted is the result.
static enum line_outcome search(struct minimization *m, double slope) {
    const struct newton *const newton = m->newton;
    const struct line_function function = {m, evaluate_path, store_accepted_trial};
    double bound = objective_max_step(m->objective, newton->current.x, newton->direction,
                                      search_path_begin(m));
    double length = fmin(1.0, BOUND_MARGIN * bound);
    const bool has_bound = contact_set_bounds(&m->objective->contacts);
    if (has_bound) {
        // Contact pairs are known only up to this length.
        length = search_path_free_step(m, length);
        bound = length;
        if (length == 0.0) {
            return m->stopped ? LINE_STOPPED : LINE_NONE;
        }
    }
    struct line_search_options options = {.decrease = DECREASE,
                                          .curvature = has_bound ? CURVATURE_WITH_CONTACT
                                                                 : CURVATURE,
                                          .limit = bound,
                                          .trial_limit = TRIAL_LIMIT};
    m->path.slope = slope;
    m->path.values_are_hidden = -slope < NOISE_VALUES * stop_rule_energy_error(m);
    const struct line_sample origin = {
        0.0, m->path.values_are_hidden ? 0.0 : newton->current.objective.value, slope};
    struct line_sample first = {.step = length};
    if (!evaluate_path(m, &first)) {
        return LINE_STOPPED;
    }
    m->step = length;
    if (!newton->trial.objective.is_partial && accept_noise(m, origin)) {
        store_accepted_trial(m);
        follow_tail(m, origin, first);
        return m->stopped ? LINE_STOPPED : LINE_ACCEPTED;
    }
    if (!search_path_curve(m, evaluate_path, origin, &first)) {
        return LINE_STOPPED;
    }
    if (m->path.all_turn) {
        options.limit = m->step = first.step;
    }
    reach_further(m, origin, first, &options);
    if (m->stopped) {
        return LINE_STOPPED;
    }
    const struct line_result result = line_search_find(m->options->line_search)
                                          ->search(&function, &options, origin, first);
    m->step = result.sample.step;
    return result.outcome;
}

/// Returns the displacement in m of a node in the stage at velocity_tolerance.
static double small_length(const struct minimization *m) {
    return m->options->velocity_tolerance * m->objective->stage.length;
}

/// Returns the energy in J, as part of E, of a mean node at velocity_tolerance; infinite if the
/// rule tests the step only.
static double small_gain(const struct minimization *m) {
    const struct objective *const o = m->objective;
    const size_t count = newton_coordinate_count(m->newton);
    const double length = small_length(m);
    if (m->options->velocity_rule == PBS_VELOCITY_STEP) {
        return INFINITY;
    }
    double mass = 0.0;
    for (size_t k = 0; k < count; k++) {
        mass += o->mass[k / 3];
    }
    return length * length * mass / ((double)count * o->weight);
}

/// Barriers of contact, or of other limits.
static bool has_barriers(const struct minimization *m) {
    return contact_set_bounds(&m->objective->contacts) || objective_has_limits(m->objective);
}

static double loosest_tolerance(const struct minimization *m) {
    const bool has_bound = has_barriers(m);
    double loosest = has_bound ? LOOSEST_WITH_CONTACT : LOOSEST;
    if (m->semidefinite && objective_projects_on_demand(m->objective)) {
        loosest = LOOSEST_SEMIDEFINITE;
    }
    if (has_bound && !constraint_set_is_empty(m->objective->constraints)) {
        loosest = LOOSEST_WITH_CONSTRAINTS;
    }
    const bool is_last = m->result.newton_iterations + LAST_ITERATIONS >= m->options->newton_limit;
    return has_bound && is_last ? fmin(LOOSEST_AT_LIMIT, loosest) : loosest;
}

static struct direction_options direction_options(const struct minimization *m) {
    const bool has_bound = has_barriers(m);
    return (struct direction_options){.tolerance = m->options->least_residual,
                                      .forcing = m->options->forcing,
                                      .loosest = loosest_tolerance(m),
                                      .norm = has_bound ? PCG_PRECONDITIONED : PCG_EUCLIDEAN,
                                      .small = has_bound ? small_length(m) : 0.0,
                                      .small_gain = small_gain(m),
                                      .small_tolerance = LOOSEST_AT_END,
                                      .length_limit = m->options->step_length_limit,
                                      .iteration_limit = m->options->linear_limit};
}

/// Computes direction_rows by conjugate gradients, with the Hessian that m->semidefinite selects.
static struct direction_result solve(struct minimization *m) {
    struct newton *const newton = m->newton;
    const struct direction_options options = direction_options(m);
    newton->problem.tolerance = direction_forcing(&options, m->result.gradient_norm);
    const bool factored = minimization_linearize(m);
    if (m->stopped) {
        return (struct direction_result){0};
    }
    const double start = clock_seconds();
    const struct direction_result out = direction_compute(
        m->objective->tasks, &newton->problem, factored ? &newton->preconditioner : NULL,
        newton->gradient_rows, &options, &newton->pcg, newton->direction_rows);
    m->result.time_solve += clock_seconds() - start;
    if (out.status != PBS_OK) {
        minimization_stop_solver(m, out.status);
    }
    if (factored) {
        minimization_read_solver_report(m);
    }
    m->result.linear_iterations += out.linear_iterations;
    m->is_indefinite = out.indefinite ||
                       (factored && m->result.preconditioner.reason == PBS_SOLVER_INDEFINITE);
    return out;
}

/// Whether penalties press at the current state.
static bool has_penalties(const struct minimization *m) {
    return objective_searches_contact(m->objective) && m->newton->current.objective.contact > 0.0;
}

/// Returns whether the iteration should be repeated with projected Hessians. Not during prescribed
/// motion, because the gradient already contains the motion and would get it twice.
static bool is_tangled(const struct minimization *m, const struct direction_result *direction) {
    return !m->stopped && m->is_indefinite && !m->semidefinite && m->motion == NULL &&
           (direction->linear_iterations <= TANGLED || has_penalties(m) ||
            m->truncated_steps >= TRUNCATED_STEPS) &&
           objective_projects_on_demand(m->objective);
}

/// Computes the direction again with the one-sided joints that it would meet in no time. Without
/// them a search ends where they begin to act, and a rope that curves away while it is taut would
/// do that to every other.
static void reckon_with_joints(struct minimization *m, struct direction_result *out) {
    struct constraint_set *const constraints = m->objective->constraints;
    const struct joint_step step = {m->newton->current.x, m->newton->direction};
    for (int i = 0; i < FORESEEN && !m->stopped && m->motion == NULL &&
                    constraint_set_foresee(constraints, &step, SHORT);
         i++) {
        *out = solve(m);
        minimization_finish_direction(m);
        m->result.linear_solves++;
    }
    if (m->has_taut && !m->stopped) {
        // From here on the gradient is that of the objective again.
        assembly_to_rows(m->objective->tasks, m->newton->assembly, m->newton->gradient,
                         m->newton->gradient_rows);
        out->slope = vector_dot(m->objective->tasks, newton_coordinate_count(m->newton),
                                m->newton->gradient, m->newton->direction);
    }
}

/// Computes direction by conjugate gradients at the current state. Returns its slope, or 0 if there
/// is none.
static double find_direction(struct minimization *m, struct direction_result *out) {
    constraint_set_forget_taut(m->objective->constraints);
    *out = solve(m);
    bool indefinite = out->indefinite;
    if (is_tangled(m, out)) {
        m->semidefinite = true;
        *out = solve(m);
        indefinite = true;
    }
    if (m->stopped) {
        return 0.0;
    }
    minimization_finish_direction(m);
    reckon_with_joints(m, out);
    if (m->stopped) {
        return 0.0;
    }
    contact_set_follow(&m->objective->contacts, m->newton->direction);
    m->result.linear_solves++;
    m->result.indefinite_solves += indefinite;
    m->result.gradient_directions += out->kind == DIRECTION_GRADIENT;
    m->result.clamped_steps += out->clamped;
    return out->slope;
}

/// Searches along steepest descent, after the Newton direction found nothing lower.
static enum line_outcome search_steepest(struct minimization *m) {
    struct newton *const newton = m->newton;
    direction_steepest(m->objective->tasks, &newton->problem, newton->gradient_rows, newton->pcg.ap,
                       newton->direction_rows);
    minimization_finish_direction(m);
    m->result.gradient_directions++;
    const size_t count = newton_coordinate_count(newton);
    return search(
        m, vector_dot(m->objective->tasks, count, newton->gradient_rows, newton->direction_rows));
}

/// Where a body slides between two that press it, the positive semidefinite part of how distances
/// curve resists the slide, which nothing resists: each step goes as far as it holds, and the
/// search finds that the slope has not changed.
static void watch_long_steps(struct minimization *m) {
    m->long_steps = m->step >= LONG_STEP ? m->long_steps + 1 : 0;
    if (m->long_steps >= LONG_STEPS) {
        m->contact_is_flat = true;
    } else if (m->step < 1.0) {
        m->contact_is_flat = false;
    }
}

/// Returns whether the latest full step was as small as velocity_tolerance: no component moved
/// faster and, depending on the rule, the predicted decrease was small for each body, too, and what
/// it left leaves each body its momentum (IPC, Li et al. 2020, section 4; ECI section 4.5).
static bool was_small(const struct minimization *m) {
    const struct newton *const newton = m->newton;
    const double length = small_length(m);
    if (length == 0.0 || !contact_set_is_settled(&m->objective->contacts)) {
        return false;
    }
    for (size_t k = 0; k < newton_coordinate_count(newton); k++) {
        if (!(fabs(newton->direction[k]) < length)) {
            return false;
        }
    }
    return m->options->velocity_rule == PBS_VELOCITY_STEP ||
           (stop_rule_gain_is_small(m, length) && stop_rule_resultants_are_small(m));
}

bool minimization_iterate(struct minimization *m) {
    struct direction_result direction = {0};
    m->has_moved = false;
    m->value_before = m->newton->current.objective.value;
    const double slope = find_direction(m, &direction);
    const double start = clock_seconds();
    const struct stop_noise noise = stop_rule_noise(m, slope);
    enum line_outcome outcome = slope < 0.0 ? search(m, slope) : LINE_NONE;
    m->hidden_steps = noise.is_hidden ? m->hidden_steps + 1 : 0;
    const bool arrived = outcome == LINE_NONE && noise.has_arrived;
    if (outcome == LINE_NONE && !arrived && !m->stopped && direction.kind != DIRECTION_GRADIENT) {
        outcome = search_steepest(m);
    }
    m->result.time_search += clock_seconds() - start;
    m->result.newton_iterations++;
    m->has_iterated = true;
    if (m->stopped) {
        minimization_fail_stopped(m);
        return false;
    }
    if (outcome == LINE_NONE) {
        m->result.roundoff_accepts += arrived;
        if (!arrived) {
            minimization_fail_unconverged(m, PBS_FAILURE_NO_DESCENT,
                                          "no lower energy found along the search direction");
        }
        return false;
    }
    iterate_swap(&m->newton->accepted, &m->newton->current);
    m->has_moved = true;
    watch_long_steps(m);
    if (m->step < SHORT && !contact_set_is_settled(&m->objective->contacts)) {
        contact_set_follow(&m->objective->contacts, NULL);
    }
    if (m->hidden_steps >= NOISE_STEPS) {
        m->result.roundoff_accepts++;
        minimization_activate(m);
        return false;
    }
    if (m->step < 1.0 || direction.kind != DIRECTION_NEWTON || !was_small(m)) {
        return true;
    }
    minimization_activate(m);
    return false;
}

/// Notes whether |grad E| has stopped falling.
static void watch_progress(struct minimization *m) {
    const double norm = m->result.gradient_norm;
    m->is_stalled = m->options->is_stalled || norm > STALLED * m->least_norm;
    const bool was_truncated = m->is_indefinite && !m->semidefinite;
    m->truncated_steps = was_truncated && m->is_stalled ? m->truncated_steps + 1 : 0;
    m->least_norm = fmin(m->least_norm, norm);
}

/// Returns whether rounding explains what is left of the gradient at the guess. The Hessian that
/// tells is that of the first iteration.
static bool guess_is_rounded(struct minimization *m) {
    if (m->has_iterated || m->options->tolerance > 0.0) {
        return false;
    }
    minimization_assemble(m);
    return !m->stopped && minimization_is_solved(m);
}

/// Chooses the next Hessian, after an iteration from a state with gradient norm `before`. After
/// projection on demand, or an indefinite exact Hessian of bonds, projected Hessians are used until
/// a full step with one of them has reduced the gradient.
static void choose_hessian(struct minimization *m, double before) {
    if (m->is_indefinite && !objective_projects_on_demand(m->objective)) {
        m->semidefinite = true;
    } else if (m->step >= 1.0 && m->result.gradient_norm < before) {
        m->semidefinite = false;
    }
}

/// Where bodies were held back, what does not converge early is stuck, and begins again.
static uint32_t iteration_limit(const struct minimization *m) {
    const uint32_t limit = m->options->newton_limit;
    return m->is_held_back && limit > HELD_BACK_LIMIT ? HELD_BACK_LIMIT : limit;
}

static void stabilized_run(struct minimization *m) {
    bool has_updated = false;
    for (;;) {
        const double before = m->result.gradient_norm;
        minimization_activate(m);
        choose_hessian(m, before);
        watch_progress(m);
        if (minimization_align(m)) {
            minimization_activate(m);
        }
        if (m->stopped) {
            minimization_fail_stopped(m);
            return;
        }
        // After an update an iteration follows if a gap is left, even if the gradient is still
        // below the tolerance: a second update at the same state doubles the change of forces, and
        // gaps that the next iteration should close change their sign instead.
        const bool may_close = !has_updated || m->result.constraint_gap <= 1.0;
        if (may_close && (minimization_is_solved(m) || guess_is_rounded(m))) {
            if (!minimization_close_constraints(m, NULL)) {
                has_updated = true;
                continue;
            }
            m->result.roundoff_accepts += stop_rule_is_rounded(m);
            return;
        }
        if (m->stopped) {
            minimization_fail_stopped(m);
            return;
        }
        if (m->result.newton_iterations >= iteration_limit(m)) {
            minimization_fail_unconverged(m, PBS_FAILURE_RESIDUAL, "not converged");
            return;
        }
        has_updated = false;
        const bool goes_on = minimization_iterate(m);
        const struct joint_step step = {m->newton->accepted.x, m->newton->direction};
        if (!goes_on) {
            if (m->result.status < 0 ||
                minimization_close_constraints(m, m->has_moved ? &step : NULL)) {
                return;
            }
            has_updated = true;
        } else if (m->step >= 1.0) {
            has_updated = !minimization_update_multipliers(m, &step);
        }
    }
}

static void add_counts(struct newton_result *sum, const struct newton_result *part) {
    sum->newton_iterations += part->newton_iterations;
    sum->linear_solves += part->linear_solves;
    sum->linear_iterations += part->linear_iterations;
    sum->evaluations += part->evaluations;
    sum->indefinite_solves += part->indefinite_solves;
    sum->gradient_directions += part->gradient_directions;
    sum->clamped_steps += part->clamped_steps;
    sum->roundoff_accepts += part->roundoff_accepts;
    sum->shifted_factors += part->shifted_factors;
    sum->switched_solves += part->switched_solves;
    sum->preconditioner_shift = fmax(sum->preconditioner_shift, part->preconditioner_shift);
    sum->alignments += part->alignments;
    sum->time_evaluate += part->time_evaluate;
    sum->time_hessian += part->time_hessian;
    sum->time_factor += part->time_factor;
    sum->time_solve += part->time_solve;
    sum->time_search += part->time_search;
}

/// Minimises from x. Returns false if there is no state to start from.
static bool run(struct minimization *m, double *x) {
    bool moved = false;
    stop_rule_begin(m, x);
    screws_mark_joined(m);
    constraint_set_forget_taut(m->objective->constraints);
    if (!minimization_move_prescribed(m, x, &moved) || (!moved && !minimization_guess(m, x))) {
        return false;
    }
    m->result.start = m->newton->current.objective.value;
    m->has_iterated = false;
    if (m->options->method == PBS_METHOD_PLAIN_NEWTON) {
        plain_newton_run(m);
    } else {
        stabilized_run(m);
    }
    if (m->result.status == PBS_OK) {
        stop_rule_report(m);
    }
    return true;
}

/// Repeats a minimisation that failed from bodies held back. A sheet, for example, hangs on single
/// vertices of what it is stopped by. From the paper's guesses it is through them, but goes on.
/// Both together make at most newton_limit iterations: a host that allows few gets no more.
static bool run_again(struct minimization *m, double *x) {
    struct newton_options options = *m->options;
    options.initial_guess = PBS_GUESS_OPT;
    options.newton_limit -= m->result.newton_iterations;
    struct minimization again = {.newton = m->newton,
                                 .objective = m->objective,
                                 .projection = m->projection,
                                 .options = &options};
    const bool has_started = run(&again, x);
    add_counts(&again.result, &m->result);
    m->result = again.result;
    return has_started;
}

/// The options with what is left for this minimisation.
static struct newton_options limited(const struct newton_options *options) {
    struct newton_options own = *options;
    if (own.iterations_left != NULL && *own.iterations_left < own.newton_limit) {
        own.newton_limit = *own.iterations_left;
    }
    return own;
}

struct newton_result newton_minimize(struct newton *newton, const struct objective *objective,
                                     struct projection *projection,
                                     const struct newton_options *options, double *x) {
    const struct newton_options own = limited(options);
    struct minimization m = {
        .newton = newton, .objective = objective, .projection = projection, .options = &own};
    bool has_started = run(&m, x);
    if (has_started && m.result.status == PBS_ERROR_CONVERGENCE && m.is_held_back &&
        m.result.newton_iterations < own.newton_limit) {
        has_started = run_again(&m, x);
    }
    if (own.iterations_left != NULL) {
        *own.iterations_left -= m.result.newton_iterations;
    }
    if (has_started) {
        vector_copy(objective->tasks, newton_coordinate_count(newton), newton->current.x, x);
    }
    return m.result;
}

struct newton_result newton_move_prescribed(struct newton *newton,
                                            const struct objective *objective,
                                            struct projection *projection,
                                            const struct newton_options *options, double *x) {
    struct minimization m = {.newton = newton,
                             .objective = objective,
                             .projection = projection,
                             .options = options,
                             .moves_prescribed = true};
    bool moved = false;
    stop_rule_begin(&m, x);
    screws_mark_joined(&m);
    minimization_move_prescribed(&m, x, &moved);
    return m.result;
}

void newton_result_add(struct newton_result *sum, const struct newton_result *part) {
    add_counts(sum, part);
    sum->gradient_norm = part->gradient_norm;
    sum->preconditioner = part->linear_solves > 0 ? part->preconditioner : sum->preconditioner;
    sum->value = part->value;
    sum->tolerance = part->tolerance;
    sum->constraint_gap = part->constraint_gap;
    sum->failure = part->failure.kind != PBS_FAILURE_NONE ? part->failure : sum->failure;
    sum->force_error = fmax(sum->force_error, part->force_error);
}
