// The small second matrix C of H = H0 + C: stencils that come and go from one Newton iteration to
// the next, contacts above all, which never touch the pattern of H0. Both triangles are stored over
// the rows that have any, so that every domain computes its own rows of C x.
#ifndef PBS_SPARSE_MATRICES_CONTACT_MATRIX_H
#define PBS_SPARSE_MATRICES_CONTACT_MATRIX_H

#include "sparse/ordering/layout.h"
#include "sparse/matrices/pairs.h"

#define CONTACT_STENCIL_LIMIT 8

/// Stencils of one width. Every block is symmetric; what is below its diagonal 3x3 blocks is not
/// read.
struct contact_stencils {
    size_t count;
    uint32_t width;       ///< rows each couples, 1 to CONTACT_STENCIL_LIMIT
    const uint32_t *rows; ///< count x width, row order; those of a stencil all different
    const double *blocks; ///< count x (3 width)^2: the stencil's Hessian
};

struct contact_matrix {
    uint32_t row_count;     ///< rows that any stencil names
    uint32_t *row;          ///< ascending
    uint32_t *domain_start; ///< domain_count + 1: indices into `row`
    uint32_t *start;        ///< row_count + 1: first block of each
    uint32_t *column;       ///< rows of H0, ascending within a row
    double *values;         ///< 9 per block, row-major, padded as BSR_VALUE_PADDING says
    size_t row_capacity, domain_capacity, start_capacity, block_capacity, value_capacity;
    uint32_t *index_of; ///< scratch: row of H0 -> index in `row`
    uint32_t *next;     ///< scratch, by row: its next block
    struct pairs pairs; ///< scratch: of every stencil, row <= column
    size_t index_capacity, next_capacity;
};

/// All zero is an empty matrix that may be multiplied and freed. Buffers grow, never shrink.
/// Blocks that fall on one another are added in the order of the sets and of their stencils.
/// PBS_ERROR_MEMORY leaves the matrix empty.
pbs_status contact_matrix_build(struct memory *memory, const struct layout *layout,
                                const struct contact_stencils *sets, size_t set_count,
                                struct contact_matrix *c);
void contact_matrix_free(struct memory *memory, struct contact_matrix *c);

/// Whether two of the same layout couple the same rows; null: an empty one.
bool contact_matrix_same_pattern(const struct contact_matrix *c,
                                 const struct contact_matrix *other);
/// A number by which to tell patterns of the same layout apart; null: 0.
uint64_t contact_matrix_pattern_hash(const struct contact_matrix *c);
/// Makes `copy` a matrix with that pattern, to compare with: it has neither values nor domains.
/// PBS_ERROR_MEMORY leaves it empty.
pbs_status contact_matrix_copy_pattern(struct memory *memory, const struct contact_matrix *c,
                                       struct contact_matrix *copy);

/// y += C x on the rows of one domain; x, y as for bsr_multiply_domain.
void contact_matrix_add_domain(const struct contact_matrix *c, uint32_t domain, const double *x,
                               double *y);

/// The diagonal block of the index-th row of C.
const double *contact_matrix_diagonal(const struct contact_matrix *c, uint32_t index);

#endif
