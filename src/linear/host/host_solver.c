// See host_solver.h. The host works in node order, the iteration in row order. The host's results
// are checked here, so that later code can trust them.
// SPDX-License-Identifier: MIT
#include "linear/host/host_solver.h"

#include <math.h>
#include <string.h>

#include "linear/host/host_matrix.h"

enum mode {
    HOST_SOLVES,
    USES_SUBSTITUTE, ///< the substitute preconditioner solves, until the next matrix
    STOPPED
};

struct host_solver {
    pbs_linear_solver functions;
    struct memory *memory;
    const struct layout *layout;
    const struct linear_problem *problem; ///< of the last factor
    struct host_matrix matrix;
    struct preconditioner other;
    double *b, *x; ///< 3 per node
    enum mode mode;
    pbs_status stop;  ///< the status with which it was STOPPED
    bool is_analyzed; ///< the host has seen the current pattern
    bool is_refused;  ///< and refused it
    struct host_solver_counts counts;
};

static pbs_status stop(struct host_solver *s, const char *function, int32_t answer) {
    s->mode = STOPPED;
    s->stop = status_fail(PBS_ERROR_HOST, "the host's linear solver asked to stop: %s returned %d",
                          function, (int)answer);
    return s->stop;
}

/// Switches to the substitute preconditioner for the current matrix. Fails if that has no factor
/// either.
static pbs_status use_substitute(struct host_solver *s, struct tasks *tasks) {
    s->counts.refusals++;
    s->stop = s->other.table->factor(s->other.state, tasks, s->problem);
    s->mode = s->stop == PBS_OK ? USES_SUBSTITUTE : STOPPED;
    return s->stop;
}

/// Passes a new pattern to the host.
static pbs_status analyze(struct host_solver *s) {
    bool changed = false;
    RETURN_IF_FAILED(host_matrix_build(s->memory, s->problem, s->functions.form,
                                       s->functions.triangle, &s->matrix, &changed));
    s->is_analyzed = s->is_analyzed && !changed;
    if (s->is_analyzed) {
        return PBS_OK;
    }
    const int32_t answer = s->functions.analyze != NULL
                               ? s->functions.analyze(s->functions.user, &s->matrix.view)
                               : 0;
    s->is_analyzed = answer >= 0;
    s->is_refused = answer > 0;
    return answer < 0 ? stop(s, "analyze", answer) : PBS_OK;
}

static pbs_status host_factor(void *state, struct tasks *tasks,
                              const struct linear_problem *problem) {
    struct host_solver *s = state;
    s->problem = problem;
    s->mode = HOST_SOLVES;
    RETURN_IF_FAILED(analyze(s));
    if (s->is_refused) {
        return use_substitute(s, tasks);
    }
    RETURN_IF_FAILED(host_matrix_fill(&s->matrix, tasks, problem));
    const int32_t answer = s->functions.factor(s->functions.user, &s->matrix.view);
    if (answer < 0) {
        return stop(s, "factor", answer);
    }
    return answer > 0 ? use_substitute(s, tasks) : PBS_OK;
}

// --- application ---

static void to_nodes(const struct layout *layout, const double *by_row, double *by_node) {
    for (size_t i = 0; i < layout->node_count; i++) {
        memcpy(by_node + 3 * (size_t)layout->node[i], by_row + 3 * i, 3 * sizeof *by_node);
    }
}

static void to_rows(const struct layout *layout, const double *by_node, double *by_row) {
    for (size_t i = 0; i < layout->node_count; i++) {
        memcpy(by_row + 3 * i, by_node + 3 * (size_t)layout->node[i], 3 * sizeof *by_row);
    }
}

static pbs_status call_host_solver(struct host_solver *s, struct tasks *tasks, double tolerance) {
    const size_t count = 3 * (size_t)s->layout->node_count;
    for (size_t k = 0; k < count; k++) {
        s->x[k] = NAN;
    }
    const int32_t answer = s->functions.solve(s->functions.user, s->b, s->x, tolerance);
    if (answer < 0) {
        return stop(s, "solve", answer);
    }
    if (answer > 0) {
        use_substitute(s, tasks);
        return PBS_ERROR_CONVERGENCE; // the iteration restarts; host_solve then returns the status
                                      // of the substitute
    }
    s->counts.solves++;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(s->x[k])) {
            s->mode = STOPPED;
            s->stop = status_fail(PBS_ERROR_HOST,
                                  "the host's linear solver: solve returned 0, but entry %zu of x "
                                  "(of %zu) is %g or was not written",
                                  k, count, s->x[k]);
            return s->stop;
        }
    }
    return PBS_OK;
}

static pbs_status host_solve(void *state, struct tasks *tasks, const double *r, double tolerance,
                             double *z) {
    struct host_solver *s = state;
    if (s->mode == STOPPED) {
        return s->stop;
    }
    if (s->mode == USES_SUBSTITUTE) {
        s->other.table->apply(s->other.state, tasks, r, z);
        return PBS_OK;
    }
    to_nodes(s->layout, r, s->b);
    RETURN_IF_FAILED(call_host_solver(s, tasks, tolerance));
    to_rows(s->layout, s->x, z);
    return PBS_OK;
}

static bool host_start(const void *state, struct tasks *tasks, const double *b, double *x) {
    const struct host_solver *s = state;
    return s->mode == USES_SUBSTITUTE && preconditioner_start(&s->other, tasks, b, x);
}

// Budget, switch and outcome go to the substitute while it solves.

static uint32_t host_iteration_budget(const void *state) {
    const struct host_solver *s = state;
    return s->mode == USES_SUBSTITUTE && s->other.table->iteration_budget
               ? s->other.table->iteration_budget(s->other.state)
               : UINT32_MAX;
}

static pbs_status host_switch(void *state, struct tasks *tasks, bool *changed) {
    struct host_solver *s = state;
    return s->other.table->switch_solver(s->other.state, tasks, changed);
}

static void host_record_outcome(void *state, const struct solve_outcome *outcome) {
    struct host_solver *s = state;
    if (s->mode == USES_SUBSTITUTE && s->other.table->record_outcome) {
        s->other.table->record_outcome(s->other.state, outcome);
    }
}

static struct selection_history *host_history(void *state) {
    return preconditioner_history(&((struct host_solver *)state)->other);
}

static double host_shift(const void *state) {
    const struct host_solver *s = state;
    return s->mode == USES_SUBSTITUTE ? s->other.table->shift(s->other.state) : 0.0;
}

/// Describes the substitute. Nothing is known about the host's solver.
static void host_report(const void *state, struct preconditioner_report *out) {
    const struct host_solver *s = state;
    if (s->mode == USES_SUBSTITUTE) {
        *out = preconditioner_describe(&s->other);
    }
}

static void host_release(void *state, struct memory *memory) {
    struct host_solver *s = state;
    preconditioner_destroy(memory, &s->other);
    host_matrix_free(memory, &s->matrix);
    memory_release(memory, s->b);
    memory_release(memory, s->x);
}

// Not in preconditioner_tables: created by host_solver_wrap.
static const struct preconditioner_table host_solver = {
    .id = -1,
    .name = "host",
    .state_size = sizeof(struct host_solver),
    .factor = host_factor,
    .solve = host_solve,
    .start = host_start,
    .iteration_budget = host_iteration_budget,
    .switch_solver = host_switch,
    .record_outcome = host_record_outcome,
    .history = host_history,
    .release = host_release,
    .shift = host_shift,
    .report = host_report,
};

pbs_status host_solver_wrap(struct memory *memory, const pbs_linear_solver *functions,
                            const struct bsr *pattern, struct preconditioner *p) {
    struct host_solver *s = memory_allocate(memory, 1, sizeof *s);
    if (s == NULL) {
        return PBS_ERROR_MEMORY;
    }
    s->functions = *functions;
    s->memory = memory;
    s->layout = pattern->layout;
    // Builds the pattern without contact now, so that a step does not allocate.
    const struct linear_problem alone = {.a = pattern};
    bool changed = false;
    const pbs_status status = host_matrix_build(memory, &alone, functions->form,
                                                functions->triangle, &s->matrix, &changed);
    s->b = memory_allocate(memory, 3 * (size_t)pattern->row_count, sizeof *s->b);
    s->x = memory_allocate(memory, 3 * (size_t)pattern->row_count, sizeof *s->x);
    if (status < 0 || s->b == NULL || s->x == NULL) {
        host_release(s, memory);
        memory_release(memory, s);
        return status < 0 ? status : PBS_ERROR_MEMORY;
    }
    s->other = *p;
    *p = (struct preconditioner){&host_solver, s};
    return PBS_OK;
}

struct host_solver_counts host_solver_drain_counts(const struct preconditioner *p) {
    if (p->table != &host_solver) {
        return (struct host_solver_counts){0};
    }
    struct host_solver *s = p->state;
    const struct host_solver_counts counts = s->counts;
    s->counts = (struct host_solver_counts){0};
    return counts;
}
