// The assembled matrix H0 + C in the form that solvers of other libraries take: scalar compressed
// rows, both triangles, nodes in the host's order. Constrained nodes are left out.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_SCALAR_CSR_H
#define PBS_BENCH_SCALAR_CSR_H

#include "peers/peer.h"
#include "scenes/linear/matrix_fixture.h"

struct scalar_csr {
    struct peer_matrix matrix; ///< its arrays are the ones below
    uint32_t node_count;
    uint32_t *row; ///< node_count: the row of H0 of each node
    int32_t *row_start;
    int32_t *column;
    double *value;
    double *positions;
    double *rhs; ///< 3 node_count
};

/// contacts may be null.
pbs_status scalar_csr_build(struct memory *memory, const struct fixture *fixture,
                            const struct contact_matrix *contacts, struct scalar_csr *out);
void scalar_csr_free(struct memory *memory, struct scalar_csr *csr);

/// |b - A x| / |b|, from scratch. rounding: what is left of it when every component of x and of A
/// is off by its last bit, 2^-53 | |A| |x| + |b| | / |b|: stiff contacts put it above 1e-6.
double scalar_csr_residual(const struct scalar_csr *csr, const double *x, double *rounding);

/// To the rows of H0, zero where held, and back.
void scalar_csr_to_rows(const struct scalar_csr *csr, uint32_t row_count, const double *x,
                        double *rows);
void scalar_csr_from_rows(const struct scalar_csr *csr, const double *rows, double *x);

#endif
