// The solver that chooses among block Jacobi, a factor of H0 + C and two-level by
// solver_selection.h. If block Jacobi may be the cheapest it starts; conjugate gradients call
// automatic_switch when the budget is used up and continue from the current iterate with the solver
// chosen then.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "linear/exact/merged_factor.h"
#include "linear/preconditioner.h"
#include "pbs/stats.h"

// Systems of up to ROWS_ANALYZED rows have all solvers analysed with the pattern, so that no step
// has to. Up to ROWS_READY rows their numerical buffers are allocated too. Larger systems allocate
// a solver when it is first used.
enum { ROWS_ANALYZED = 32768, ROWS_READY = 4096 };

struct automatic {
    struct memory *allocator;
    const struct bsr *pattern;
    enum preconditioner_order order;
    struct preconditioner block_jacobi;
    struct preconditioner two_level; ///< table null: not created yet
    struct preconditioner factored;  ///< state: `factor`
    struct merged_factor *factor;    ///< null: not created yet
    const struct preconditioner *worker;
    const struct linear_problem *problem; ///< of the last matrix
    struct selection_system system;
    struct selection_plan initial, now;
    uint32_t jacobi_iterations, coarse_iterations; ///< before the last switch
    double work[SOLVER_KINDS];
    double expected;
    struct selection_history memory;
};

// --- the factor as a preconditioner ---

static void factored_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    // The solve uses buffers of the factor, hence the cast.
    merged_factor_solve((struct merged_factor *)state, tasks, r, z);
}

static double factored_contrast(const void *state) {
    (void)state;
    return 0.0;
}

static double unshifted(const void *state) {
    (void)state;
    return 0.0;
}

static void factored_report(const void *state, struct preconditioner_report *out) {
    out->used = merged_factor_precision(state) == SUPERNODAL_DOUBLE
                    ? PBS_PRECONDITIONER_CHOLESKY
                    : PBS_PRECONDITIONER_CHOLESKY_FLOAT;
}

static const struct preconditioner_table factored = {.id = PBS_PRECONDITIONER_CHOLESKY_FLOAT,
                                                     .name = "cholesky-float",
                                                     .contrast = factored_contrast,
                                                     .apply = factored_apply,
                                                     .shift = unshifted,
                                                     .report = factored_report};

// --- the solvers to choose from ---

static pbs_status create_factor(struct automatic *s) {
    if (s->factor == NULL) {
        const enum supernodal_precision precision = s->pattern->row_count <= SELECTION_DOUBLE_ROWS
                                                        ? SUPERNODAL_DOUBLE
                                                        : SUPERNODAL_FLOAT;
        RETURN_IF_FAILED(merged_factor_create(s->allocator, precision, s->pattern, &s->factor));
        s->factored = (struct preconditioner){&factored, s->factor};
    }
    return PBS_OK;
}

static pbs_status create_two_level(struct automatic *s) {
    return s->two_level.table != NULL
               ? PBS_OK
               : preconditioner_create_from(s->allocator, &two_level, s->pattern, s->order,
                                            &s->two_level);
}

static void count_mesh(struct automatic *s) {
    const double flops = merged_factor_mesh_flops(s->factor);
    const double entries = (double)merged_factor_mesh_entries(s->factor);
    selection_set_flops(&s->memory, flops, entries, flops, entries);
}

/// Stores the flops of the pattern that the factor was prepared for.
static void count_factor(struct automatic *s) {
    selection_set_flops(&s->memory, merged_factor_mesh_flops(s->factor),
                        (double)merged_factor_mesh_entries(s->factor),
                        merged_factor_flops(s->factor), (double)merged_factor_entries(s->factor));
}

static pbs_status make_two_level(struct automatic *s, struct tasks *tasks) {
    RETURN_IF_FAILED(create_two_level(s));
    return s->two_level.table->factor(s->two_level.state, tasks, s->problem);
}

static pbs_status make_factor(struct automatic *s, struct tasks *tasks) {
    RETURN_IF_FAILED(create_factor(s));
    const pbs_status status = merged_factor_make(s->factor, tasks, s->problem);
    if (status == PBS_OK || status == PBS_ERROR_CONVERGENCE) {
        count_factor(s);
    }
    return status;
}

static const struct preconditioner *solver_of(const struct automatic *s, enum solver_kind which) {
    return which == SOLVER_KIND_FACTOR      ? &s->factored
           : which == SOLVER_KIND_TWO_LEVEL ? &s->two_level
                                            : &s->block_jacobi;
}

/// Sets up the solver of s->now and makes it the worker. If H is not positive definite, two-level
/// replaces the factor: its incomplete factorisation shifts the diagonal as needed.
static pbs_status apply_plan(struct automatic *s, struct tasks *tasks) {
    pbs_status status = PBS_OK;
    if (s->now.kind == SOLVER_KIND_FACTOR) {
        status = make_factor(s, tasks);
        if (status == PBS_ERROR_CONVERGENCE) {
            selection_record_indefinite(&s->memory, &s->system);
            s->now = (struct selection_plan){SOLVER_KIND_TWO_LEVEL, UINT32_MAX,
                                             PBS_SOLVER_INDEFINITE};
        }
    }
    if (s->now.kind == SOLVER_KIND_TWO_LEVEL) {
        status = make_two_level(s, tasks);
    }
    s->worker = solver_of(s, s->now.kind);
    return status;
}

// --- the table ---

static pbs_status automatic_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                                    enum preconditioner_order order) {
    struct automatic *s = state;
    s->allocator = memory;
    s->pattern = pattern;
    s->order = order;
    s->worker = &s->block_jacobi;
    RETURN_IF_FAILED(
        preconditioner_create_from(memory, &block_jacobi, pattern, order, &s->block_jacobi));
    if (pattern->row_count > ROWS_ANALYZED) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(create_two_level(s));
    RETURN_IF_FAILED(create_factor(s));
    return pattern->row_count <= ROWS_READY ? merged_factor_reserve(s->factor) : PBS_OK;
}

static void automatic_release(void *state, struct memory *memory) {
    struct automatic *s = state;
    preconditioner_destroy(memory, &s->block_jacobi);
    preconditioner_destroy(memory, &s->two_level);
    merged_factor_destroy(s->factor);
}

/// Describes the system. Block Jacobi must have been factored, for its contrast.
static struct selection_system describe(const struct automatic *s) {
    const struct linear_problem *problem = s->problem;
    struct selection_system system = {.rows = problem->a->row_count,
                                      .own_blocks = (double)problem->a->block_count,
                                      .product_blocks = problem_product_blocks(problem),
                                      .tolerance = problem->tolerance};
    const struct contact_matrix *c = problem->c;
    if (c && c->row_count > 0) {
        // C stores both triangles.
        system.contact_blocks = 0.5 * ((double)c->start[c->row_count] + c->row_count);
        system.contact_unknowns = 3.0 * c->row_count;
        system.contact_pattern = contact_matrix_pattern_hash(c);
        system.contrast = s->block_jacobi.table->contrast(s->block_jacobi.state);
    }
    return system;
}

static void update_expectations(struct automatic *s) {
    s->expected = selection_expected_iterations(&s->memory, &s->system, SOLVER_KIND_BLOCK_JACOBI);
    for (int i = 0; i < SOLVER_KINDS; i++) {
        s->work[i] = selection_work(&s->memory, &s->system, (enum solver_kind)i);
    }
}

static pbs_status automatic_factor(void *state, struct tasks *tasks,
                                   const struct linear_problem *problem) {
    struct automatic *s = state;
    s->problem = problem;
    s->jacobi_iterations = 0;
    s->coarse_iterations = 0;
    // Block Jacobi is always factored: the others fall back to it, and it reports a matrix that is
    // not finite.
    RETURN_IF_FAILED(s->block_jacobi.table->factor(s->block_jacobi.state, tasks, problem));
    s->system = describe(s);
    selection_set_system(&s->memory, &s->system);
    if (s->factor != NULL && selection_needs_flops(&s->memory, &s->system)) {
        count_mesh(s);
    }
    update_expectations(s);
    s->now = selection_choose(&s->memory, &s->system);
    RETURN_IF_FAILED(apply_plan(s, tasks));
    s->initial = s->now;
    return PBS_OK;
}

static const struct preconditioner *automatic_worker(const void *state) {
    return ((const struct automatic *)state)->worker;
}

static uint32_t automatic_iteration_budget(const void *state) {
    return ((const struct automatic *)state)->now.iteration_budget;
}

static pbs_status automatic_switch(void *state, struct tasks *tasks, bool *changed) {
    struct automatic *s = state;
    const enum solver_kind worker = s->now.kind;
    uint32_t *count = worker == SOLVER_KIND_TWO_LEVEL ? &s->coarse_iterations
                                                      : &s->jacobi_iterations;
    *count += s->now.iteration_budget;
    if (selection_needs_flops(&s->memory, &s->system)) {
        RETURN_IF_FAILED(create_factor(s));
        RETURN_IF_FAILED(merged_factor_prepare(s->factor, s->problem));
        count_factor(s);
        update_expectations(s);
    }
    s->now = selection_update(&s->memory, &s->system, &s->initial, worker, *count);
    RETURN_IF_FAILED(apply_plan(s, tasks));
    *changed = s->now.kind != worker;
    return PBS_OK;
}

static void automatic_record_outcome(void *state, const struct solve_outcome *outcome) {
    struct automatic *s = state;
    const bool is_jacobi = s->now.kind == SOLVER_KIND_BLOCK_JACOBI;
    const struct selection_result result = {.initial = s->initial,
                                            .is_complete = outcome->is_complete,
                                            .jacobi_iterations = is_jacobi ? outcome->iterations
                                                                           : s->jacobi_iterations,
                                            .coarse_iterations = s->coarse_iterations,
                                            .finisher = s->now.kind,
                                            .iterations = outcome->iterations};
    selection_record(&s->memory, &s->system, &result);
}

static struct selection_history *automatic_history(void *state) {
    return &((struct automatic *)state)->memory;
}

static void automatic_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct preconditioner *worker = ((const struct automatic *)state)->worker;
    worker->table->apply(worker->state, tasks, r, z);
}

static bool automatic_start(const void *state, struct tasks *tasks, const double *b, double *x) {
    return preconditioner_start(((const struct automatic *)state)->worker, tasks, b, x);
}

static double automatic_shift(const void *state) {
    const struct preconditioner *worker = ((const struct automatic *)state)->worker;
    return worker->table->shift(worker->state);
}

static void automatic_report(const void *state, struct preconditioner_report *out) {
    const struct automatic *s = state;
    *out = preconditioner_describe(s->worker);
    out->reason = s->now.reason;
    out->expected_iterations = s->expected;
    for (int i = 0; i < SOLVER_KINDS; i++) {
        out->work[i] = s->work[i];
    }
}

const struct preconditioner_table automatic = {
    .id = PBS_PRECONDITIONER_AUTOMATIC,
    .name = "automatic",
    .state_size = sizeof(struct automatic),
    .analyze = automatic_analyze,
    .factor = automatic_factor,
    .apply = automatic_apply,
    .start = automatic_start,
    .worker = automatic_worker,
    .iteration_budget = automatic_iteration_budget,
    .switch_solver = automatic_switch,
    .record_outcome = automatic_record_outcome,
    .history = automatic_history,
    .release = automatic_release,
    .shift = automatic_shift,
    .report = automatic_report,
};
