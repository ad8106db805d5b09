// The coarse space of the two-level preconditioner: Z holds the six rigid motions of every cluster
// of rows and, for rows that contact touches, the identity. Neither Z nor its products are ever
// stored whole: Z follows from where the rows are, H Z is kept in float.
#ifndef PBS_LINEAR_TWO_LEVEL_COARSE_SPACE_H
#define PBS_LINEAR_TWO_LEVEL_COARSE_SPACE_H

#include "linear/two_level/coarse_matrix.h"

struct coarse_space {
    struct memory *memory;
    const struct bsr *pattern;
    const struct layout *layout;
    uint64_t coupling;              ///< that of the problem that the clusters are made for
    struct rigid_clusters whole;    ///< clusters of the pattern
    struct rigid_clusters clusters; ///< of what couples of it
    struct coarse_matrix matrix;
    struct linear_problem problem; ///< of the last factor
    double *offset;         ///< 3 per row: from the middle of its cluster, in units of its size
    double *rotation_modes; ///< 9 per row that is no place: the problem's turns in the same units;
                            ///< null: all are places
    float *product;       ///< H0 Z: 3 x 6 per entry of a cluster, in the cluster's unit
    double *unit;         ///< per cluster
    uint32_t *restricted; ///< row -> 1 + index of the problem's restriction, or 0
    uint32_t *contact;    ///< row -> 1 + index of the row of C, or 0
    uint32_t *marked;     ///< scratch: rows that have one of the two
    size_t marked_count;
    double *coarse; ///< 3 per row of the coarse matrix: Z^T (r - H z), then the correction
    size_t coarse_capacity;
    double *scratch; ///< per domain: `scratch_size` doubles
    size_t scratch_size;
};

/// size: about how many rows a cluster is to have.
pbs_status coarse_space_create(struct memory *memory, const struct bsr *pattern, uint32_t size,
                               struct coarse_space *out);
void coarse_space_destroy(struct memory *memory, struct coarse_space *s);

/// PBS_ERROR_CONVERGENCE where the coarse matrix is not positive definite, and so neither H.
pbs_status coarse_space_factor(struct coarse_space *s, struct tasks *tasks,
                               const struct linear_problem *problem);

/// x = Z E^-1 Z^T b
void coarse_space_solve(const struct coarse_space *s, struct tasks *tasks, const double *b,
                        double *x);
/// z += Z E^-1 Z^T (r - H z)
void coarse_space_correct(const struct coarse_space *s, struct tasks *tasks, const double *r,
                          double *z);

#endif
