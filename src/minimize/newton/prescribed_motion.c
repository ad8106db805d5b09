// Moves constrained nodes and obstacles to their targets when there is contact. They cannot jump,
// because bodies on their path must be pushed. This is Newton's method on the objective with the
// remaining motion prescribed: each direction moves the free nodes as the linearised forces
// require, and all nodes move together until something touches. The energy may rise, because the
// prescribed motion does work. If little of the path is free, the motion waits while the other
// nodes minimise their energy.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/clock.h"
#include "base/lanes/vector.h"
#include "minimize/search/direction.h"
#include "minimize/newton/state.h"
#include "pbs/body.h"
#include "pbs/stats.h"

// Maximum iterations, and maximum consecutive iterations with an advance below STALLED, before the
// motion counts as blocked.
enum { PRESCRIBED_ITERATION_LIMIT = 200, STALLED_LIMIT = 20 };
static const double STALLED = 1e-3;

// After an advance below this fraction the free nodes get RELAXATIONS iterations of minimisation.
static const double SHORT = 0.03;
enum { RELAXATIONS = 8 };

// Obstacles whose path is free of collisions move alone. Pushed bodies would otherwise move far,
// until they hit something else, and each iteration would advance by only a fifth of the remaining
// motion. Constrained nodes whose remaining motion is below this fraction of the contact distance
// move with them; over longer ways they would strain what they belong to.
static const double NEARLY_THERE = 0.1;

// Upper bounds of the linear solve's relative tolerance: pushed bodies must follow accurately.
// LOOSEST_HIDDEN applies to preconditioners that underestimate the error of joint motions, because
// no energy test follows here.
static const double LOOSEST = 1e-3;
static const double LOOSEST_HIDDEN = 1e-6;

// A step may use this fraction of the bound that keeps the energy finite.
static const double BOUND_MARGIN = 0.9;

/// Computes the remaining motion of constrained axes. Returns the largest component, m.
static double find_motion(struct minimization *m, const double *targets, const double *x) {
    const struct projection_scene *scene = &m->projection->scene;
    double *const motion = m->newton->remaining_motion;
    double longest = 0.0;
    for (size_t k = 0; k < newton_coordinate_count(m->newton); k++) {
        const bool constrained = scene->constrained_axes != NULL &&
                                 (scene->constrained_axes[k / 3] >> k % 3 & 1) != 0;
        motion[k] = constrained ? targets[k] - x[k] : 0.0;
        longest = fmax(longest, fabs(motion[k]));
    }
    return longest;
}

static bool start_motion(struct minimization *m, const double *x) {
    if (minimization_evaluate(m, x)) {
        iterate_swap(&m->newton->trial, &m->newton->current);
        return true;
    }
    if (m->stopped) {
        minimization_fail_stopped(m);
    } else {
        m->result.status = status_fail(PBS_ERROR_INADMISSIBLE,
                                       "the energy is infinite at the start of the step");
    }
    return false;
}

/// Computes direction: of free nodes by Newton's method, of constrained axes the remaining motion.
static bool find_direction(struct minimization *m) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    m->motion = newton->remaining_motion;
    newton->problem.tolerance = LOOSEST;
    const bool factored = minimization_linearize(m);
    m->motion = NULL;
    if (m->stopped) {
        minimization_fail_stopped(m);
        return false;
    }
    const double start = clock_seconds();
    const struct direction_options options = {.tolerance = m->options->least_residual,
                                              .forcing = m->options->forcing,
                                              .loosest = LOOSEST,
                                              .norm = PCG_PRECONDITIONED,
                                              .small = INFINITY,
                                              .small_gain = INFINITY,
                                              .small_tolerance = LOOSEST_HIDDEN,
                                              .length_limit = m->options->step_length_limit,
                                              .iteration_limit = m->options->linear_limit};
    const struct direction_result result = direction_compute(
        tasks, &newton->problem, factored ? &newton->preconditioner : NULL, newton->gradient_rows,
        &options, &newton->pcg, newton->direction_rows);
    minimization_finish_direction(m);
    vector_add_scaled(tasks, newton_coordinate_count(newton), 1.0, newton->remaining_motion,
                      newton->direction);
    contact_set_follow(&m->objective->contacts, newton->direction);
    m->result.time_solve += clock_seconds() - start;
    m->result.linear_solves++;
    m->result.linear_iterations += result.linear_iterations;
    m->result.indefinite_solves += result.indefinite;
    if (result.status != PBS_OK) {
        minimization_stop_solver(m, result.status);
        minimization_fail_stopped(m);
    }
    return result.status == PBS_OK;
}

/// Returns the largest free step along the direction, at most 1.
static double free_length(struct minimization *m) {
    struct newton *const newton = m->newton;
    const double bound = objective_max_step(m->objective, newton->current.x, newton->direction,
                                            INFINITY);
    return minimization_free_step(m, newton->current.x, newton->direction,
                                  fmin(1.0, BOUND_MARGIN * bound));
}

/// Moves along the direction. Returns the fraction of the remaining motion that was done; NaN if
/// the energy is infinite there.
static double move(struct minimization *m, double step) {
    struct newton *const newton = m->newton;
    const size_t count = newton_coordinate_count(newton);
    if (step == 0.0 || m->stopped) {
        return 0.0;
    }
    vector_combine(m->objective->tasks, count, newton->current.x, step, newton->direction,
                   newton->gradient);
    vector_add_scaled(m->objective->tasks, count, step, newton->remaining_motion,
                      newton->prescribed_positions);
    contact_set_advance_motion(&m->objective->contacts, step);
    if (!minimization_evaluate(m, newton->gradient)) {
        return NAN;
    }
    iterate_swap(&newton->trial, &newton->current);
    return step;
}

static bool fail_blocked(struct minimization *m, double remaining) {
    if (m->stopped) {
        minimization_fail_stopped(m);
    } else {
        m->result.blocked = true;
        minimization_locate_failure(m, PBS_FAILURE_BLOCKED);
        m->result.status = status_fail(
            PBS_ERROR_CONVERGENCE,
            "scripted vertices or colliders are blocked: the fraction %g of the way to their "
            "targets is left after %u Newton iterations",
            remaining, m->result.newton_iterations);
    }
    return false;
}

/// Moves obstacles and constrained nodes to their targets alone. by_nodes: m, the largest motion
/// that is left to a node along an axis. Returns as `move`; 0 if that is too far or the way is not
/// free.
static double move_alone(struct minimization *m, double by_nodes) {
    if (by_nodes > NEARLY_THERE * contact_set_reach(&m->objective->contacts)) {
        return 0.0;
    }
    vector_copy(m->objective->tasks, newton_coordinate_count(m->newton),
                m->newton->remaining_motion, m->newton->direction);
    return free_length(m) == 1.0 ? move(m, 1.0) : 0.0;
}

/// Minimises with the prescribed motion halted, so that pushed bodies move away. Returns false only
/// if the step must be given up.
static bool relax(struct minimization *m) {
    contact_set_halt_motion(&m->objective->contacts, true);
    for (int i = 0; i < RELAXATIONS && m->result.status == PBS_OK && !m->stopped; i++) {
        minimization_activate(m);
        if (minimization_is_solved(m)) {
            break;
        }
        minimization_iterate(m);
    }
    contact_set_halt_motion(&m->objective->contacts, false);
    if (m->stopped) {
        return false;
    }
    // Finding nothing lower is not a failure here.
    m->result.status = PBS_OK;
    return true;
}

/// longest: the largest motion of a node along an axis, m.
static bool move_to_targets(struct minimization *m, double longest) {
    double remaining = 1.0;
    int stalled = 0;
    for (int i = 0; i < PRESCRIBED_ITERATION_LIMIT && stalled < STALLED_LIMIT; i++) {
        const double last = move_alone(m, remaining * longest);
        if (last == 1.0) {
            return true;
        }
        if (m->stopped || isnan(last)) {
            break;
        }
        minimization_activate(m);
        if (!find_direction(m)) {
            return false;
        }
        const double advanced = move(m, free_length(m));
        m->result.newton_iterations++;
        if (advanced == 1.0) {
            return true;
        }
        if (m->stopped || isnan(advanced)) {
            break;
        }
        remaining *= 1.0 - advanced;
        stalled = advanced < STALLED ? stalled + 1 : 0;
        if (advanced < SHORT && !relax(m)) {
            return false;
        }
        vector_scale(m->objective->tasks, newton_coordinate_count(m->newton), 1.0 - advanced,
                     m->newton->remaining_motion);
    }
    return fail_blocked(m, remaining);
}

/// Without contact constrained nodes jump to their targets, unless a term's bound stops them on the
/// way.
static bool jumps(struct minimization *m, const double *x) {
    const struct objective *objective = m->objective;
    if (contact_set_bounds(&objective->contacts) || m->moves_prescribed) {
        return false;
    }
    return !objective_has_limits(objective) ||
           find_motion(m, m->projection->scene.targets, x) == 0.0 ||
           objective_max_step(objective, x, m->newton->remaining_motion, 1.0) >= 1.0;
}

bool minimization_move_prescribed(struct minimization *m, double *x, bool *moved) {
    *moved = false;
    if (jumps(m, x)) {
        return true;
    }
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    const double *const targets = m->projection->scene.targets;
    const double longest = find_motion(m, targets, x);
    if (longest == 0.0 && !contact_set_has_motion(&m->objective->contacts)) {
        return true;
    }
    // The targets are the current positions until `move` advances them.
    vector_copy(tasks, count, x, newton->prescribed_positions);
    m->projection->scene.targets = newton->prescribed_positions;
    struct objective projected = *m->objective;
    projected.project_hessian = true;
    const struct objective *const own = m->objective;
    m->objective = &projected;
    *moved = start_motion(m, x) && move_to_targets(m, longest);
    m->objective = own;
    m->projection->scene.targets = targets;
    if (*moved) {
        vector_copy(tasks, count, newton->current.x, x);
    }
    return m->result.status >= 0;
}
