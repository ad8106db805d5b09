// Sparse symmetric matrices of random values.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_RANDOM_MATRIX_H
#define PBS_SUPPORT_RANDOM_MATRIX_H

#include "sparse/assembly.h"
#include "support/random.h"

struct random_matrix {
    struct memory memory; ///< the library's own, for whatever else the matrix needs
    struct assembly assembly;
    struct bsr a;
};

/// Couples the nodes of each stencil; entries are between -1 and 1.
void random_matrix_create(struct random_matrix *m, struct random *random, uint32_t node_count,
                          uint32_t domain_count, const struct stencils *set);

/// Fails the test where something of the memory is still in use.
void random_matrix_destroy(struct random_matrix *m);

#endif
