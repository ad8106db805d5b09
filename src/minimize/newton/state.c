// The evaluations that all methods of the minimiser share.
// SPDX-License-Identifier: MIT
#include "minimize/newton/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "linear/rotation_modes.h"
#include "pbs/stats.h"

size_t newton_coordinate_count(const struct newton *newton) {
    return 3 * (size_t)newton->assembly->layout.node_count;
}

void iterate_swap(struct iterate *a, struct iterate *b) {
    const struct iterate old = *a;
    *a = *b;
    *b = old;
}

bool minimization_evaluate(struct minimization *m, const double *y) {
    return minimization_evaluate_below(m, y, INFINITY);
}

bool minimization_evaluate_below(struct minimization *m, const double *y, double ceiling) {
    struct iterate *const trial = &m->newton->trial;
    trial->objective = (struct objective_result){.value = INFINITY};
    m->result.evaluations++;
    m->projection_failed = projection_apply(m->objective->tasks, m->projection, y, trial->x) !=
                           PBS_OK;
    if (m->projection_failed) {
        return false;
    }
    const struct body_forces_output forces = {.ranges = &m->newton->rule.bodies,
                                              .forces = trial->forces,
                                              .before = m->newton->rule.before};
    trial->objective = objective_evaluate_below(m->objective, trial->x, ceiling, trial->gradient,
                                                &forces);
    m->stopped = trial->objective.answer == EVALUATE_STOP;
    m->solver_status = trial->objective.status;
    if (trial->objective.answer != EVALUATE_OK) {
        trial->objective.value = INFINITY;
    }
    return isfinite(trial->objective.value);
}

void minimization_activate(struct minimization *m) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    vector_copy(tasks, count, newton->current.gradient, newton->gradient);
    projection_activate(tasks, m->projection, newton->current.x, newton->gradient);
    m->result.gradient_norm = stop_rule_measure_residual(m);
    m->is_assembled = false;
    m->result.value = newton->current.objective.value;
}

/// FNV-1a hash; 0 if all blocks couple.
static uint64_t hash_coupling(const uint8_t *coupled, size_t count) {
    uint64_t hash = 14695981039346656037ULL;
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ coupled[i]) * 1099511628211ULL;
        sum += coupled[i];
    }
    return sum == count ? 0 : hash | 1;
}

/// Updates which blocks of the Hessian are nonzero. Solvers depend on these marks only, so that a
/// restored world continues with the same bits.
static void mark_coupling(struct minimization *m) {
    struct newton *const newton = m->newton;
    const struct objective *const o = m->objective;
    const uint64_t changes = terms_count_changes(o->terms, o->term_count);
    if (changes != newton->changes) {
        terms_mark_coupled(newton->assembly, o->terms, o->term_count, newton->coupled);
        newton->problem.coupling = hash_coupling(newton->coupled,
                                                 newton->assembly->pattern.block_count);
        newton->problem.coupled = newton->problem.coupling != 0 ? newton->coupled : NULL;
        newton->changes = changes;
    }
}

/// Fills the rest of the linear problem: node positions and constraints.
static void describe_problem(struct minimization *m) {
    struct newton *const newton = m->newton;
    const struct layout *const layout = &newton->assembly->layout;
    const struct projection *const projection = m->projection;
    assembly_to_rows(m->objective->tasks, newton->assembly, newton->current.x,
                     newton->position_rows);
    if (newton->rotation_mode_rows != NULL) {
        rotation_modes_build(m->objective->tasks, layout, newton->radius_rows,
                             newton->position_rows, newton->rotation_mode_rows);
    }
    for (size_t i = 0; i < projection->active_count; i++) {
        newton->restrictions[i].row = layout->row[projection->active[i].node];
        memcpy(newton->restrictions[i].tangent, projection->active[i].tangent,
               sizeof newton->restrictions[i].tangent);
    }
    newton->problem.restriction_count = projection->active_count;
    mark_coupling(m);
}

static bool factor(struct minimization *m) {
    const struct preconditioner *const p = &m->newton->preconditioner;
    const pbs_status status = p->table->factor(p->state, m->objective->tasks, &m->newton->problem);
    if (status < 0 && status != PBS_ERROR_CONVERGENCE) {
        minimization_stop_solver(m, status);
    }
    return status == PBS_OK;
}

/// Adds the effect of the prescribed motion on the free nodes: gradient += Q H motion, with H
/// unconstrained.
static void add_motion(struct minimization *m) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    double *const by_row = newton->direction_rows;
    double *const product = newton->position_rows;
    double *const by_node = newton->trial.x;
    assembly_to_rows(tasks, newton->assembly, m->motion, by_row);
    const struct linear_problem unrestricted = {.a = &newton->hessian, .f = newton->problem.f};
    problem_multiply(tasks, &unrestricted, by_row, product);
    assembly_to_nodes(tasks, newton->assembly, product, by_node);
    contact_set_add_motion(&m->objective->contacts, tasks, m->motion, by_node);
    const struct constraint_set *const constraints = m->objective->constraints;
    if (constraints != NULL && constraints->joints != NULL) {
        joint_set_add_motion(constraints->joints, newton->current.x, m->motion, by_node);
    }
    for (size_t i = 0; i < m->projection->active_count; i++) {
        const struct projection_active *active = &m->projection->active[i];
        double kept[3];
        multiply3(active->tangent, by_node + 3 * (size_t)active->node, kept);
        copy3(kept, by_node + 3 * (size_t)active->node);
    }
    vector_add_scaled(tasks, count, 1.0, by_node, newton->gradient);
}

double minimization_free_step(struct minimization *m, const double *x, const double *direction,
                              double limit) {
    double step = 0.0;
    const pbs_status status = objective_sweep(m->objective, x, direction, limit, &step);
    if (status < 0) {
        minimization_stop_solver(m, status);
        return 0.0;
    }
    return step;
}

/// gradient_rows = newton->gradient, and what closes joints that are taut.
static void write_gradient_rows(struct minimization *m) {
    struct newton *const newton = m->newton;
    const struct constraint_set *const constraints = m->objective->constraints;
    const double *gradient = newton->gradient;
    m->has_taut = false;
    if (constraints != NULL && constraints->joints != NULL) {
        double *const closing = newton->trial.gradient;
        vector_copy(m->objective->tasks, newton_coordinate_count(newton), gradient, closing);
        m->has_taut = joint_set_add_taut(constraints->joints, newton->current.x, closing);
        gradient = m->has_taut ? closing : gradient;
    }
    assembly_to_rows(m->objective->tasks, newton->assembly, gradient, newton->gradient_rows);
}

void minimization_assemble(struct minimization *m) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const double start = clock_seconds();
    struct objective objective = m->semidefinite ? objective_on_demand(m->objective)
                                                 : *m->objective;
    objective.flat_contact = m->contact_is_flat;
    const struct objective_result answer = objective_evaluate(&objective, newton->current.x, false,
                                                              NULL, newton->hessian.values);
    // A refused Hessian is incomplete, so no step may use it.
    m->refused = answer.answer == EVALUATE_RECOVERABLE;
    m->stopped = answer.answer != EVALUATE_OK;
    m->solver_status = answer.status;
    newton->problem.f = m->stopped ? NULL : objective_products(&objective, newton->current.x);
    newton->problem.c = answer.matrix;
    if (m->motion != NULL && !m->stopped) {
        add_motion(m);
    }
    if (!m->stopped) {
        stop_rule_measure_rounding(m);
    }
    constrain_hessian(tasks, &newton->assembly->layout, &newton->columns, m->projection->active,
                      m->projection->active_count, &newton->hessian);
    write_gradient_rows(m);
    describe_problem(m);
    m->is_assembled = !m->stopped;
    m->result.time_hessian += clock_seconds() - start;
}

bool minimization_linearize(struct minimization *m) {
    if (!m->is_assembled) {
        minimization_assemble(m);
    }
    const double start = clock_seconds();
    const bool factored = !m->stopped && factor(m);
    m->is_assembled = false;
    m->result.time_factor += clock_seconds() - start;
    return factored;
}

void minimization_read_solver_report(struct minimization *m) {
    const struct preconditioner *const p = &m->newton->preconditioner;
    const double shift = p->table->shift(p->state);
    m->result.shifted_factors += shift > 0.0;
    m->result.preconditioner_shift = fmax(m->result.preconditioner_shift, shift);
    m->result.preconditioner = preconditioner_describe(p);
    m->result.switched_solves += m->result.preconditioner.reason == PBS_SOLVER_SWITCHED;
}

void minimization_finish_direction(struct minimization *m) {
    struct newton *const newton = m->newton;
    constrain_direction(&newton->assembly->layout, m->projection->active,
                        m->projection->active_count, newton->direction_rows);
    assembly_to_nodes(m->objective->tasks, newton->assembly, newton->direction_rows,
                      newton->direction);
}

void minimization_stop_solver(struct minimization *m, pbs_status status) {
    m->solver_status = status;
    m->stopped = true;
}

void minimization_fail_stopped(struct minimization *m) {
    if (m->solver_status != PBS_OK) {
        m->result.status = status_fail(m->solver_status, "Newton iteration %u: %s",
                                       m->result.newton_iterations, pbs_last_error());
        return;
    }
    if (m->refused) {
        m->result.status = status_fail(PBS_ERROR_INADMISSIBLE,
                                       "the Hessian was refused by a callback or is not finite in "
                                       "Newton iteration %u, at a state whose energy is finite",
                                       m->result.newton_iterations);
        return;
    }
    m->result.status = status_fail(
        PBS_ERROR_HOST,
        "a callback of the host asked to stop, or left a result unwritten, in Newton iteration %u",
        m->result.newton_iterations);
}

void minimization_locate_failure(struct minimization *m, int32_t kind) {
    struct newton *const newton = m->newton;
    struct newton_failure *const failure = &m->result.failure;
    *failure = (struct newton_failure){.kind = kind, .node = UINT32_MAX};
    // The line search has left the gradient of its last trial.
    minimization_activate(m);
    const uint32_t body = stop_rule_measure(m).body;
    const uint32_t *const bodies = body != UINT32_MAX ? m->objective->node_parts : NULL;
    for (uint32_t i = 0; i < newton->assembly->layout.node_count; i++) {
        const double residual = norm3(newton->gradient + 3 * (size_t)i);
        if (residual > failure->residual && (bodies == NULL || bodies[i] == body)) {
            failure->node = i;
            failure->residual = residual;
        }
    }
    const struct contact_pair_query question = {.node = failure->node,
                                                .parts = m->objective->node_parts,
                                                .constrained_axes = m->objective->constrained_axes,
                                                .is_blocked = kind == PBS_FAILURE_BLOCKED};
    contact_set_find_failed_pair(&m->objective->contacts, m->objective->tasks, newton->current.x,
                                 &question, &failure->pair);
    failure->joint = constraint_set_widest_joint(m->objective->constraints, newton->current.x);
}

void minimization_fail_unconverged(struct minimization *m, int32_t kind, const char *reason) {
    minimization_locate_failure(m, kind);
    stop_rule_report(m);
    const struct stop_measure worst = stop_rule_measure(m);
    char whose[32] = "";
    if (worst.body != UINT32_MAX) {
        snprintf(whose, sizeof whose, " of body %u", (unsigned)worst.body);
    }
    m->result.status = status_fail(
        PBS_ERROR_CONVERGENCE,
        "%s after %u Newton iterations: |gradient|%s = %g N, must be below %g N", reason,
        m->result.newton_iterations, whose, worst.residual, worst.limit);
}
