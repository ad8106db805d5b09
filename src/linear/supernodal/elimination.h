// Symbolic elimination of a symmetric matrix in a given order: couplings, the elimination tree
// (Liu, SIAM J. Matrix Anal. Appl. 11, 1990), and the column counts of the factor (Gilbert, Ng,
// Peyton, SIAM J. Matrix Anal. Appl. 15, 1994). A position is an index into the elimination order.
// Allocates nothing.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_SUPERNODAL_ELIMINATION_H
#define PBS_LINEAR_SUPERNODAL_ELIMINATION_H

#include "sparse/matrices/bsr.h"

/// No parent; end of a list.
#define NO_INDEX UINT32_MAX

/// For each position, the positions on one side that it is coupled to.
struct couplings {
    uint32_t *start; ///< count + 1
    uint32_t *other; ///< one entry per off-diagonal block of the pattern; unsorted within a
                     ///< position
};

/// Lists the couplings to positions eliminated earlier (or later) than the position itself.
/// position: row of the pattern -> position
void elimination_couplings(const struct bsr *pattern, const uint32_t *position, bool earlier,
                           struct couplings *out);

/// Computes the elimination tree.
/// earlier: couplings to earlier positions; parent: count; scratch: count
void elimination_tree(uint32_t count, const struct couplings *earlier, uint32_t *parent,
                      uint32_t *scratch);

/// Numbers the tree in postorder: every subtree is contiguous, and children precede their parent in
/// ascending order. label[i]: number of i; parent[i] > i; scratch: 3 * count
void elimination_postorder(uint32_t count, const uint32_t *parent, uint32_t *label,
                           uint32_t *scratch);

/// Counts the entries in each column of the factor, including the diagonal. Positions must be in
/// postorder. later: couplings to later positions; scratch: 4 * count
void elimination_counts(uint32_t count, const uint32_t *parent, const struct couplings *later,
                        uint32_t *entries, uint32_t *scratch);

#endif
