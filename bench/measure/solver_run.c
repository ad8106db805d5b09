// See solver_run.h. Each repetition of the symbolic set-up creates a new solver. Repetitions of
// numeric set-up and of solves reuse the last one, as the Newton iterations of a step do.
// SPDX-License-Identifier: MIT
#include "measure/solver_run.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/runtime/clock.h"

enum { MOST_REPETITIONS = 9, ROUNDING_FACTOR = 16 };

const double run_tolerance[RUN_TOLERANCES] = {1e-3, 1e-6};

struct samples {
    double symbolic[MOST_REPETITIONS];
    double numeric[MOST_REPETITIONS];
    double solve[RUN_TOLERANCES][MOST_REPETITIONS];
};

static double heap_bytes(void) {
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static double now(const struct solver_limits *limits) {
    struct timespec t;
    clock_gettime(limits->by_cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count == 0 ? 0.0 : 0.5 * (values[count / 2] + values[(count - 1) / 2]);
}

static void *create(const struct solver_source *source, const struct scalar_csr *csr) {
    return source->create ? source->create(source->context) : source->table->create(&csr->matrix);
}

/// Leaves a state that was analysed, or null.
static void *analyze(const struct solver_source *source, const struct scalar_csr *csr,
                     const struct solver_limits *limits, struct samples *samples,
                     struct solver_run *run) {
    const struct peer_table *table = source->table;
    const double begin = clock_seconds();
    double heap = 0.0;
    void *state = NULL;
    int count = 0;
    while (count < limits->repetitions &&
           (count == 0 || clock_seconds() - begin < limits->seconds)) {
        if (state) {
            table->release(state);
        }
        state = create(source, csr);
        if (!state) {
            run->failed = "create";
            return NULL;
        }
        heap = heap_bytes();
        const double start = now(limits);
        if (table->analyze && !table->analyze(state)) {
            run->failed = "analyze";
            table->release(state);
            return NULL;
        }
        samples->symbolic[count++] = now(limits) - start;
    }
    run->symbolic_seconds = median(samples->symbolic, count);
    run->bytes = -heap;
    return state;
}

static bool is_accurate(const struct solver_run *run, int tolerance) {
    return run->residual[tolerance] <=
           fmax(2.0 * run_tolerance[tolerance], ROUNDING_FACTOR * run->rounding[tolerance]);
}

/// A solve to one tolerance; a failure costs no second try.
static void solve(const struct peer_table *table, void *state, const struct scalar_csr *csr,
                  const struct solver_limits *limits, int tolerance, int repetition, double *x,
                  struct samples *samples, struct solver_run *run) {
    if (table->is_direct && tolerance == RUN_FINE) {
        samples->solve[RUN_FINE][repetition] = samples->solve[RUN_COARSE][repetition];
        run->iterations[RUN_FINE] = run->iterations[RUN_COARSE];
        run->residual[RUN_FINE] = run->residual[RUN_COARSE];
        run->rounding[RUN_FINE] = run->rounding[RUN_COARSE];
        run->has_converged[RUN_FINE] = is_accurate(run, RUN_FINE);
        return;
    }
    const double start = now(limits);
    const struct peer_result result = table->solve(state, csr->rhs, run_tolerance[tolerance], x);
    samples->solve[tolerance][repetition] = now(limits) - start;
    run->iterations[tolerance] = result.iterations;
    run->residual[tolerance] = scalar_csr_residual(csr, x, run->rounding + tolerance);
    run->has_converged[tolerance] = is_accurate(run, tolerance);
}

static bool repeat(const struct solver_source *source, void *state, const struct scalar_csr *csr,
                   const struct solver_limits *limits, int repetition, double *x,
                   struct samples *samples, struct solver_run *run) {
    const double start = now(limits);
    if (!source->table->factor(state)) {
        run->failed = "factor";
        return false;
    }
    samples->numeric[repetition] = now(limits) - start;
    for (int t = 0; t < RUN_TOLERANCES; t++) {
        solve(source->table, state, csr, limits, t, repetition, x, samples, run);
        if (!run->has_converged[t]) {
            run->failed = t == RUN_COARSE ? "solve-1e-3" : "solve-1e-6";
            return false;
        }
    }
    return true;
}

static int repetitions_for(int32_t size) {
    return size < 20000 ? 5 : size < 200000 ? 3 : 1;
}

struct solver_run solver_run(const struct solver_source *source, const struct scalar_csr *csr,
                             const struct solver_limits *limits, double *x, void **state) {
    struct solver_run run = {.residual = {NAN, NAN}};
    struct samples samples = {.symbolic = {0.0}};
    struct solver_limits own = *limits;
    own.repetitions = own.repetitions ? own.repetitions : repetitions_for(csr->matrix.size);
    own.repetitions = own.repetitions < MOST_REPETITIONS ? own.repetitions : MOST_REPETITIONS;
    *state = analyze(source, csr, &own, &samples, &run);
    if (!*state) {
        return run;
    }
    const double begin = clock_seconds();
    bool is_fine = true;
    int count = 0;
    while (is_fine && count < own.repetitions &&
           (count == 0 || clock_seconds() - begin < own.seconds)) {
        is_fine = repeat(source, *state, csr, &own, count, x, &samples, &run);
        if (count++ == 0) {
            run.bytes += heap_bytes();
        }
    }
    run.repetitions = count;
    run.numeric_seconds = median(samples.numeric, count);
    for (int t = 0; t < RUN_TOLERANCES; t++) {
        run.solve_seconds[t] = median(samples.solve[t], count);
    }
    run.entries = source->table->entries ? source->table->entries(*state) : 0.0;
    run.flops = source->table->flops ? source->table->flops(*state) : 0.0;
    return run;
}
