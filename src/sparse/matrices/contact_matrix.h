// The second matrix C of H = H0 + C, for stencils that change from one Newton iteration to the
// next, mainly contacts. They never change the pattern of H0. Both triangles are stored, for the
// nonzero rows only, so that every domain can compute its own rows of C x.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_MATRICES_CONTACT_MATRIX_H
#define PBS_SPARSE_MATRICES_CONTACT_MATRIX_H

#include "sparse/ordering/layout.h"
#include "sparse/matrices/pairs.h"

#define CONTACT_STENCIL_LIMIT 8

/// Stencils of one width. Every stencil's matrix is symmetric; entries below its diagonal 3x3
/// blocks are not read.
struct contact_stencils {
    size_t count;
    uint32_t width;       ///< number of rows that each couples, 1 to CONTACT_STENCIL_LIMIT
    const uint32_t *rows; ///< count x width, in row order; the rows of a stencil are distinct
    const double *blocks; ///< count x (3 width)^2: the stencil's Hessian
};

struct contact_matrix {
    uint32_t row_count;     ///< number of rows with a stencil
    uint32_t *row;          ///< ascending
    uint32_t *domain_start; ///< domain_count + 1: indices into `row`
    uint32_t *start;        ///< row_count + 1: first block of each row
    uint32_t *column;       ///< rows of H0, ascending within a row
    double *values;         ///< 9 per block, row-major, with BSR_VALUE_PADDING
    size_t row_capacity, domain_capacity, start_capacity, block_capacity, value_capacity;
    uint32_t *index_of; ///< scratch: row of H0 -> index in `row`
    uint32_t *next;     ///< scratch, by row: next block to write
    struct pairs pairs; ///< scratch: pairs of all stencils, row <= column
    size_t index_capacity, next_capacity;
};

/// Builds C from stencils. A zero-initialised contact_matrix is a valid empty matrix. Buffers grow
/// and never shrink. Blocks at the same position are added in the order of the sets and of their
/// stencils. After PBS_ERROR_MEMORY the matrix is empty.
pbs_status contact_matrix_build(struct memory *memory, const struct layout *layout,
                                const struct contact_stencils *sets, size_t set_count,
                                struct contact_matrix *c);
void contact_matrix_free(struct memory *memory, struct contact_matrix *c);

/// True if two matrices of the same layout have the same pattern; null: an empty matrix.
bool contact_matrix_same_pattern(const struct contact_matrix *c,
                                 const struct contact_matrix *other);
/// Returns a hash of the pattern; null: 0. Patterns of the same layout with different hashes
/// differ.
uint64_t contact_matrix_pattern_hash(const struct contact_matrix *c);
/// Copies the pattern, for later comparison. `copy` has neither values nor domains. After
/// PBS_ERROR_MEMORY it is empty.
pbs_status contact_matrix_copy_pattern(struct memory *memory, const struct contact_matrix *c,
                                       struct contact_matrix *copy);

/// y += C x on the rows of one domain; x and y as in bsr_multiply_domain.
void contact_matrix_add_domain(const struct contact_matrix *c, uint32_t domain, const double *x,
                               double *y);

/// Returns the diagonal block of the index-th row of C.
const double *contact_matrix_diagonal(const struct contact_matrix *c, uint32_t index);

#endif
