// Times one solver on one matrix: set-up, and solves to two tolerances. Times are medians over
// repetitions.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_SOLVER_RUN_H
#define PBS_BENCH_SOLVER_RUN_H

#include "measure/scalar_csr.h"

enum { RUN_COARSE, RUN_FINE, RUN_TOLERANCES };
extern const double run_tolerance[RUN_TOLERANCES]; ///< 1e-3, 1e-6

/// A solver and how it is created.
struct solver_source {
    const struct peer_table *table;
    void *(*create)(const void *context); ///< replaces the table's `create`; null: that is used
    const void *context;
};

struct solver_limits {
    int repetitions; ///< 0: by size
    double seconds;  ///< no further repetition once they are over
    bool by_cpu;     ///< times are processor seconds of all threads, not the wall's
};

struct solver_run {
    int repetitions;
    const char *failed; ///< null, or the step that failed
    double symbolic_seconds;
    double numeric_seconds;
    double solve_seconds[RUN_TOLERANCES];
    double residual[RUN_TOLERANCES]; ///< true and relative
    uint32_t iterations[RUN_TOLERANCES];
    double rounding[RUN_TOLERANCES];    ///< see scalar_csr_residual
    bool has_converged[RUN_TOLERANCES]; ///< whatever the solver says: the residual is within twice
                                        ///< the tolerance, or what rounding leaves
    double bytes;   ///< taken from the heap by set-up and first solves, and kept
    double entries; ///< numbers in the factors; 0: not known
    double flops;   ///< of a factorisation; 0: not known
};

/// The state is kept in *state for further questions, and is the caller's to release; null where
/// there is none.
struct solver_run solver_run(const struct solver_source *source, const struct scalar_csr *csr,
                             const struct solver_limits *limits, double *x, void **state);

#endif
