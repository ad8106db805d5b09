// Block incomplete Cholesky without fill, domain by domain: what the two files of it share.
#ifndef PBS_LINEAR_INCOMPLETE_INCOMPLETE_CHOLESKY_H
#define PBS_LINEAR_INCOMPLETE_INCOMPLETE_CHOLESKY_H

#include "linear/preconditioner.h"

/// M = (I + V)^T D (I + V), one such factor per domain; couplings between domains are dropped. Rows
/// are eliminated in the order `row`; a position is a place in that order. V holds the blocks of A
/// between two rows of a domain, each in the row eliminated first, ascending by the position of its
/// column.
struct ichol {
    const struct layout *layout;
    uint32_t *row;            ///< position -> row; a domain's positions are its rows
    uint32_t *start;          ///< row_count + 1: first block of the row at a position
    uint32_t *column;         ///< block -> row of A
    uint32_t *source;         ///< block -> block of A, twice, plus 1 when it is to be transposed
    uint32_t *diagonal;       ///< position -> block of A
    uint32_t *above_start;    ///< row_count + 1: the blocks in the column of the row at a position
    uint32_t *above_block;    ///< such a block
    uint32_t *above_position; ///< and the position of the row that holds it
    float *factor;            ///< V: 9 per block
    float *inverse;           ///< D^-1 in units of 2^-exponent of the domain: 9 per position
    int *exponent;            ///< per domain: of its largest diagonal entry
    double *pivot;            ///< D: 9 per position, symmetric
    double first_shift;       ///< what to try first: 0, or what a coarse space wants
    double compensation;      ///< part of the fill without a place that is made up for: 0 to 1
    double *dropped;          ///< what that adds to the diagonal: 9 per row; null: never
    uint32_t *slot;           ///< scratch, row -> block of the row being computed, or an older one
    double *sums;             ///< scratch, per domain: 12 per block of its longest row and diagonal
    uint32_t *sums_start;     ///< domain_count + 1, in units of 12
    double *shift;            ///< per domain: of the last factor; infinite: block Jacobi
    uint32_t *bad_row;        ///< per domain: a row that could not be factored, or UINT32_MAX
};

/// PBS_OK or PBS_ERROR_MEMORY; the state can be released in either case.
pbs_status ichol_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                         enum preconditioner_order order);
/// Room for `compensation`, after analysis.
pbs_status ichol_reserve_compensation(struct ichol *s, struct memory *memory);
void ichol_release(void *state, struct memory *memory);

#endif
