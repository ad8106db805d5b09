// Conjugate gradients with every preconditioner and order: iterations to 1e-3 and 1e-6, and the
// costs of set-up and application in units of one product with the same matrix. One line per case:
// bench linear key=value ...
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "linear/pcg.h"
#include "pbs/world.h"
#include "scenes/matrix_fixture.h"

struct run {
    const char *label;
    struct tasks *tasks;
    int32_t threads;
    struct fixture *fixture;
    struct preconditioner preconditioner;
    struct pcg_workspace workspace;
    double *x;
    double product_seconds;
};

static double least(double a, double b) {
    return a < b ? a : b;
}

static double product_seconds(struct run *run) {
    double best = 1e30;
    for (int i = 0; i < 20; i++) {
        const double start = clock_seconds();
        bsr_multiply(run->tasks, &run->fixture->matrix, run->fixture->rhs, run->x);
        best = least(best, clock_seconds() - start);
    }
    return best;
}

static double apply_seconds(struct run *run) {
    const struct preconditioner *p = &run->preconditioner;
    double best = 1e30;
    for (int i = 0; i < 20; i++) {
        const double start = clock_seconds();
        p->table->apply(p->state, run->tasks, run->fixture->rhs, run->x);
        best = least(best, clock_seconds() - start);
    }
    return best;
}

static double factor_seconds(struct run *run) {
    const struct preconditioner *p = &run->preconditioner;
    double best = 1e30;
    for (int i = 0; i < 3; i++) {
        const double start = clock_seconds();
        if (p->table->factor(p->state, run->tasks, PROBLEM(&run->fixture->matrix)) != PBS_OK) {
            fprintf(stderr, "%s\n", pbs_last_error());
            exit(1);
        }
        best = least(best, clock_seconds() - start);
    }
    return best;
}

static struct pcg_result solve(struct run *run, double tolerance, double *seconds) {
    const struct pcg_options options = {tolerance, 5000};
    const double start = clock_seconds();
    const struct pcg_result result = pcg_solve(run->tasks, PROBLEM(&run->fixture->matrix),
                                               &run->preconditioner, run->fixture->rhs, &options,
                                               &run->workspace, run->x);
    *seconds = clock_seconds() - start;
    return result;
}

static void measure(struct run *run, struct memory *memory, int32_t id,
                    enum preconditioner_order order) {
    if (preconditioner_create(memory, id, &run->fixture->matrix, order, &run->preconditioner) !=
        PBS_OK) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    const double unit = run->product_seconds;
    const double factor = factor_seconds(run);
    const double apply = apply_seconds(run);
    double coarse_seconds = 0.0;
    double fine_seconds = 0.0;
    const struct pcg_result coarse = solve(run, 1e-3, &coarse_seconds);
    const struct pcg_result fine = solve(run, 1e-6, &fine_seconds);
    printf("bench linear case=%s dofs=%u domains=%u threads=%d preconditioner=%s order=%s "
           "iterations_1e-3=%u iterations_1e-6=%u shift=%g product_ms=%.3f factor_products=%.2f "
           "apply_products=%.2f iteration_products=%.2f solve_1e-6_s=%.4f converged=%d\n",
           run->label, 3 * run->fixture->matrix.row_count,
           run->fixture->assembly.layout.domain_count, run->threads,
           run->preconditioner.table->name,
           order == ORDER_NATURAL ? "natural" : "nested-dissection", coarse.iterations,
           fine.iterations, run->preconditioner.table->shift(run->preconditioner.state), 1e3 * unit,
           factor / unit, apply / unit, fine_seconds / unit / fine.iterations, fine_seconds,
           coarse.outcome == PCG_CONVERGED && fine.outcome == PCG_CONVERGED);
    fflush(stdout);
    preconditioner_destroy(memory, &run->preconditioner);
}

static void measure_case(struct memory *memory, const char *label, const struct fixture_desc *desc,
                         int32_t threads) {
    struct fixture fixture;
    struct run run = {.label = label, .threads = threads, .fixture = &fixture};
    if (fixture_build(memory, desc, &fixture) != PBS_OK ||
        tasks_create(memory, NULL, threads, &run.tasks) != PBS_OK ||
        pcg_reserve(memory, &run.workspace, fixture.matrix.row_count) != PBS_OK) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    run.x = memory_allocate(memory, 3 * (size_t)fixture.matrix.row_count, sizeof *run.x);
    if (!run.x) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    run.product_seconds = product_seconds(&run);
    measure(&run, memory, PBS_PRECONDITIONER_BLOCK_JACOBI, ORDER_NATURAL);
    measure(&run, memory, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, ORDER_NATURAL);
    measure(&run, memory, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, ORDER_NESTED_DISSECTION);
    memory_release(memory, run.x);
    pcg_free(memory, &run.workspace);
    tasks_destroy(memory, run.tasks);
    fixture_free(memory, &fixture);
}

/// Usage: linear [cells ...]; cells 14 is 9.5k free degrees of freedom, 32 is 105k.
int main(int argc, char **argv) {
    struct memory memory;
    memory_init(&memory, NULL);
    const uint32_t usual[] = {14, 32};
    const int count = argc > 1 ? argc - 1 : 2;
    for (int i = 0; i < count; i++) {
        const uint32_t cells = argc > 1 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : usual[i];
        struct fixture_desc desc = fixture_hard(cells);
        measure_case(&memory, "hard", &desc, 1);
        measure_case(&memory, "hard", &desc, 2);
        desc.domain_count = 1;
        measure_case(&memory, "hard-one-domain", &desc, 1);
        desc.domain_count = 0;
        desc.young = 1e5;
        desc.dt = 1.0 / 240.0;
        measure_case(&memory, "easy", &desc, 1);
    }
    return 0;
}
