// libpbs's supernodal Cholesky factors by themselves, seen as a peer of other libraries' solvers.
// It factors the matrix that peers get.
#ifndef PBS_BENCH_OWN_DIRECT_H
#define PBS_BENCH_OWN_DIRECT_H

#include "measure/own_solver.h"

/// Its `create` is null: own_direct_create takes its place.
extern const struct peer_table own_direct;

/// context: struct own_setting, which must outlive the state; its preconditioner does not matter.
void *own_direct_create(const void *context);

#endif
