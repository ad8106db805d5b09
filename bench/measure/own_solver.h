// libpbs's conjugate gradients with one of its preconditioners, with the interface of peers
// (solvers of other libraries).
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OWN_SOLVER_H
#define PBS_BENCH_OWN_SOLVER_H

#include "linear/krylov/pcg.h"
#include "measure/scalar_csr.h"
#include "peers/peer.h"

struct own_setting {
    struct memory *memory;
    struct tasks *tasks;
    const struct linear_problem *problem;
    const struct scalar_csr *csr; ///< right-hand sides and solutions are in its order
    int32_t preconditioner;       ///< PBS_PRECONDITIONER_*
    enum preconditioner_order order;
};

/// `create` is null here; call own_solver_create instead.
extern const struct peer_table own_solver;

/// context: struct own_setting, which must outlive the state.
void *own_solver_create(const void *context);
double own_solver_shift(const void *state);
const char *own_solver_outcome(const void *state); ///< of the last solve: "stagnated"

#endif
