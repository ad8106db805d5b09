// See own_solver.h. The timed solve includes two permutations: of the right-hand side from the
// host's order to that of the rows, and of the solution back.
// SPDX-License-Identifier: MIT
#include "measure/own_solver.h"

#include <stdlib.h>

enum { ITERATION_LIMIT = 3000 };

struct state {
    const struct own_setting *setting;
    struct preconditioner preconditioner;
    struct pcg_workspace workspace;
    double *b, *x;
    enum pcg_outcome outcome;
};

void *own_solver_create(const void *context) {
    struct state *s = calloc(1, sizeof *s);
    if (s) {
        s->setting = context;
    }
    return s;
}

static bool analyze(void *state) {
    struct state *s = state;
    const struct own_setting *setting = s->setting;
    const size_t row_count = setting->problem->a->row_count;
    s->b = memory_allocate(setting->memory, 3 * row_count, sizeof *s->b);
    s->x = memory_allocate(setting->memory, 3 * row_count, sizeof *s->x);
    return s->b && s->x && pcg_reserve(setting->memory, &s->workspace, row_count) == PBS_OK &&
           preconditioner_create(setting->memory, setting->preconditioner, setting->problem->a,
                                 setting->order, &s->preconditioner) == PBS_OK;
}

static bool factor(void *state) {
    struct state *s = state;
    const struct preconditioner *p = &s->preconditioner;
    return p->table->factor(p->state, s->setting->tasks, s->setting->problem) == PBS_OK;
}

static struct peer_result solve(void *state, const double *b, double tolerance, double *x) {
    struct state *s = state;
    const struct own_setting *setting = s->setting;
    const struct pcg_options options = {tolerance, ITERATION_LIMIT, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    scalar_csr_to_rows(setting->csr, setting->problem->a->row_count, b, s->b);
    const struct pcg_result result = pcg_solve(setting->tasks, setting->problem, &s->preconditioner,
                                               s->b, &options, &s->workspace, s->x);
    scalar_csr_from_rows(setting->csr, s->x, x);
    s->outcome = result.outcome;
    return (struct peer_result){result.iterations, result.outcome == PCG_CONVERGED};
}

static void release(void *state) {
    struct state *s = state;
    struct memory *memory = s->setting->memory;
    preconditioner_destroy(memory, &s->preconditioner);
    pcg_free(memory, &s->workspace);
    memory_release(memory, s->b);
    memory_release(memory, s->x);
    free(s);
}

double own_solver_shift(const void *state) {
    const struct preconditioner *p = &((const struct state *)state)->preconditioner;
    return p->table->shift(p->state);
}

const char *own_solver_outcome(const void *state) {
    static const char *const outcomes[] = {[PCG_CONVERGED] = "none",
                                           [PCG_INDEFINITE] = "indefinite",
                                           [PCG_ITERATION_LIMIT] = "iteration-limit",
                                           [PCG_STAGNATED] = "stagnated",
                                           [PCG_GIVEN_UP] = "given-up"};
    return outcomes[((const struct state *)state)->outcome];
}

const struct peer_table own_solver = {.name = "libpbs",
                                      .size_limit = INT32_MAX,
                                      .iteration_limit = ITERATION_LIMIT,
                                      .analyze = analyze,
                                      .factor = factor,
                                      .solve = solve,
                                      .release = release};
