// A fill-reducing elimination order of block rows: METIS nested dissection on the graph of the
// blocks.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_MATRICES_NESTED_DISSECTION_H
#define PBS_SPARSE_MATRICES_NESTED_DISSECTION_H

#include "sparse/matrices/bsr.h"
#include "sparse/ordering/known_orders.h"

/// Orders rows first .. end - 1; couplings to other rows are ignored. order: end - first rows;
/// order[k] is the row to eliminate k-th. known: by earlier calls.
pbs_status nested_dissection_order(struct memory *memory, const struct bsr *pattern, uint32_t first,
                                   uint32_t end, struct known_orders *known, uint32_t *order);
/// The same of all rows.
pbs_status nested_dissection_order_all(struct memory *memory, const struct bsr *pattern,
                                       uint32_t *order);

#endif
