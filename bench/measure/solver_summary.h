// The measurements of all solvers on all systems of one run, compared with targets.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_SOLVER_SUMMARY_H
#define PBS_BENCH_SOLVER_SUMMARY_H

#include "measure/solver_run.h"
#include "scenes/linear/linear_scene.h"

struct solver_summary {
    const struct linear_case *what;
    uint32_t cells;
    int threads;
    double dofs;
    const char *solver; ///< a peer's name, or that of libpbs's preconditioner
    bool is_default, is_own;
    double bytes_per_dof; ///< of libpbs's solvers including the matrix
    struct solver_run run;
};

struct solver_summaries {
    size_t count, capacity;
    struct solver_summary *list;
    bool by_cpu; ///< times are processor seconds, which say nothing of two threads
};

/// The summary's place in the list, good until the next one; null: no memory.
struct solver_summary *solver_summaries_add(struct memory *memory, struct solver_summaries *all,
                                            const struct solver_summary *summary);
void solver_summaries_free(struct memory *memory, struct solver_summaries *all);

/// libpbs's default beside the cheapest peer on one system, one thread each: set-up of a matrix
/// and a solve to 1e-6, without and with what a pattern costs.
void solver_summaries_print_ratio(const struct solver_summaries *all,
                                  const struct linear_case *what, uint32_t cells);

void solver_summaries_print_aims(const struct solver_summaries *all);

#endif
