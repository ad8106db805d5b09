// What a linear solver of another library looks like to bench/linear: one shared object a library,
// built where its Debian package is, opened when the bench runs. So the bench needs none of them,
// and libraries that cannot live in one program (two kinds of MPI) do.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_PEER_H
#define PBS_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A symmetric positive definite matrix in scalar compressed rows, both triangles, columns
/// ascending. Unknowns 3 n, 3 n + 1, 3 n + 2 are the displacement of node n. Everything outlives
/// the solvers that are given it.
struct peer_matrix {
    int32_t size;
    int32_t entry_count;
    const int32_t *row_start; ///< size + 1
    const int32_t *column;
    const double *value;
    const double *positions; ///< size
};

struct peer_result {
    uint32_t iterations; ///< 1 from a direct solver
    bool has_converged;  ///< as the solver itself sees it
};

struct peer_table {
    const char *name;
    bool is_direct;           ///< the tolerance does not matter
    int32_t size_limit;       ///< beyond it, memory or patience end; INT32_MAX: no limit
    uint32_t iteration_limit; ///< the solver gives up there
    /// The matrix in the library's own form: not timed. Null when that fails.
    void *(*create)(const struct peer_matrix *a);
    /// What depends on the pattern alone; null: nothing.
    bool (*analyze)(void *state);
    bool (*factor)(void *state);
    /// Until |b - A x| <= tolerance |b|, from x = 0.
    struct peer_result (*solve)(void *state, const double *b, double tolerance, double *x);
    /// Numbers in the factors, and the multiplications and additions that made them; may be null.
    double (*entries)(const void *state);
    double (*flops)(const void *state);
    void (*release)(void *state);
};

#ifdef __cplusplus
#define PEER_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PEER_EXPORT __attribute__((visibility("default")))
#endif

/// The one symbol of a peer's shared object: its solvers, ended by null.
typedef const struct peer_table *const *peer_tables_fn(void);
PEER_EXPORT const struct peer_table *const *peer_tables(void);

#endif
