// libpbs's supernodal Cholesky factorisation as a direct solver, with the interface of peers
// (solvers of other libraries). It factors the matrix that peers get.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OWN_DIRECT_H
#define PBS_BENCH_OWN_DIRECT_H

#include "measure/own_solver.h"

/// `create` is null here; call own_direct_create instead.
extern const struct peer_table own_direct;

/// Creates a solver. context: struct own_setting, which must outlive the solver; its preconditioner
/// is not used.
void *own_direct_create(const void *context);

#endif
