// Block incomplete Cholesky without fill, separately in each domain. Shared by the pattern and the
// numerical file.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_INCOMPLETE_INCOMPLETE_CHOLESKY_H
#define PBS_LINEAR_INCOMPLETE_INCOMPLETE_CHOLESKY_H

#include "linear/preconditioner.h"

/// M = (I + V)^T D (I + V), one such factor per domain; couplings between domains are dropped. A
/// position is an index into the elimination order `row`. V holds the blocks of A between two rows
/// of a domain. A block is stored with its row that is eliminated first, ascending by the position
/// of its column.
struct ichol {
    const struct layout *layout;
    uint32_t *row;            ///< position -> row; each domain has the positions of its own rows
    uint32_t *start;          ///< row_count + 1: first block of the row at a position
    uint32_t *column;         ///< block -> row of A
    uint32_t *source;         ///< block -> 2 * block of A, plus 1 if transposed
    uint32_t *diagonal;       ///< position -> block of A
    uint32_t *above_start;    ///< row_count + 1: the list of blocks in the column of the row at a
                              ///< position
    uint32_t *above_block;    ///< block in that list
    uint32_t *above_position; ///< position of the row that stores it
    float *factor;            ///< V: 9 per block
    float *inverse;           ///< D^-1 in units of 2^-exponent of the domain: 9 per position
    int *exponent;            ///< per domain: binary exponent of its largest diagonal entry
    double *pivot;            ///< D: 9 per position, symmetric
    double first_shift;  ///< the first shift to try, relative: 0, or what a coarse space allows
    double compensation; ///< fraction of the dropped fill that is compensated on the diagonal: 0 to
                         ///< 1
    double *dropped;     ///< compensation: 9 per row; null: none
    uint32_t *slot; ///< scratch, row -> block of the current row; entries of older rows are stale
    double *sums;   ///< scratch, per domain: 12 per block of its longest row and diagonal
    uint32_t *sums_start; ///< domain_count + 1, in units of 12
    double *shift;        ///< per domain: of the last factor; infinite: block Jacobi
    uint32_t *bad_row;    ///< per domain: the row at which the factorisation failed, or UINT32_MAX
};

/// PBS_OK or PBS_ERROR_MEMORY; the state can be released in either case.
pbs_status ichol_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                         enum preconditioner_order order);
/// Allocates the buffers for `compensation`. Call after ichol_analyze.
pbs_status ichol_reserve_compensation(struct ichol *s, struct memory *memory);
void ichol_release(void *state, struct memory *memory);

#endif
