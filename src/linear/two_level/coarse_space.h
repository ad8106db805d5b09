// The coarse space of the two-level preconditioner. The columns of Z are the six rigid motions of
// every cluster of rows and, for rows that contact touches, the identity. Z is not stored but
// computed from row positions. Of its products only H0 Z is stored, in float.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_TWO_LEVEL_COARSE_SPACE_H
#define PBS_LINEAR_TWO_LEVEL_COARSE_SPACE_H

#include "linear/two_level/coarse_matrix.h"

struct coarse_space {
    struct memory *memory;
    const struct bsr *pattern;
    const struct layout *layout;
    uint64_t coupling;              ///< problem.coupling for which the clusters were built
    struct rigid_clusters whole;    ///< clusters of the pattern
    struct rigid_clusters clusters; ///< clusters in use: `whole`, split where blocks do not couple
    struct coarse_matrix matrix;
    struct linear_problem problem; ///< the last problem that was factored
    double *offset; ///< 3 per row: offset from the centre of its cluster, in units of the cluster's
                    ///< size
    double *rotation_modes; ///< 9 per row that is not a position: problem.rotation_modes in the
                            ///< same units; null: all rows are positions
    float *product; ///< H0 Z: one 3 x 6 block per entry of `clusters`, divided by the cluster's
                    ///< `unit`
    double *unit;   ///< per cluster, a power of two: the scale of its blocks of `product`
    uint32_t *restricted; ///< row -> 1 + index of the problem's restriction, or 0
    uint32_t *contact;    ///< row -> 1 + index of the row of C, or 0
    uint32_t *marked;     ///< scratch: rows with a nonzero entry in restricted or contact
    size_t marked_count;
    double *coarse; ///< 3 per row of the coarse matrix: Z^T (r - H z), then the correction
    size_t coarse_capacity;
    double *scratch; ///< per domain: `scratch_size` doubles
    size_t scratch_size;
};

/// size: desired number of rows per cluster.
pbs_status coarse_space_create(struct memory *memory, const struct bsr *pattern, uint32_t size,
                               struct coarse_space *out);
void coarse_space_destroy(struct memory *memory, struct coarse_space *s);

/// PBS_ERROR_CONVERGENCE: the coarse matrix, and therefore H, is not positive definite.
pbs_status coarse_space_factor(struct coarse_space *s, struct tasks *tasks,
                               const struct linear_problem *problem);

/// x = Z E^-1 Z^T b
void coarse_space_solve(const struct coarse_space *s, struct tasks *tasks, const double *b,
                        double *x);
/// z += Z E^-1 Z^T (r - H z)
void coarse_space_correct(const struct coarse_space *s, struct tasks *tasks, const double *r,
                          double *z);

#endif
