// What eliminating the rows of a symmetric matrix in a given order does to its pattern: who is
// coupled to whom, the elimination tree (Liu, SIAM J. Matrix Anal. Appl. 11, 1990), and how long
// the columns of the factor are (Gilbert, Ng, Peyton, SIAM J. Matrix Anal. Appl. 15, 1994). A
// position is a place in that order. Allocates nothing.
#ifndef PBS_LINEAR_SUPERNODAL_ELIMINATION_H
#define PBS_LINEAR_SUPERNODAL_ELIMINATION_H

#include "sparse/matrices/bsr.h"

/// Has no parent, is in no list.
#define NO_INDEX UINT32_MAX

/// The positions that each position is coupled to, of one side.
struct couplings {
    uint32_t *start; ///< count + 1
    uint32_t *other; ///< as many as the pattern has blocks off the diagonal, in no order
};

/// Those that are eliminated earlier (or later) than the position itself.
/// position: of each row of the pattern
void elimination_couplings(const struct bsr *pattern, const uint32_t *position, bool earlier,
                           struct couplings *out);

/// earlier: couplings to earlier positions; parent: count; scratch: count
void elimination_tree(uint32_t count, const struct couplings *earlier, uint32_t *parent,
                      uint32_t *scratch);

/// label[i]: the place of i when every subtree is numbered in one piece, children in ascending
/// order before their parent. parent[i] > i; scratch: 3 * count
void elimination_postorder(uint32_t count, const uint32_t *parent, uint32_t *label,
                           uint32_t *scratch);

/// Entries in each column of the factor, the diagonal included. Positions must be a postorder.
/// later: couplings to later positions; scratch: 4 * count
void elimination_counts(uint32_t count, const uint32_t *parent, const struct couplings *later,
                        uint32_t *entries, uint32_t *scratch);

#endif
