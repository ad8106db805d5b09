// Lists all pairs of points whose distance is at most a given one. Uses a hash grid of cells of
// that size: time and memory are linear in the numbers of points and pairs, also for widely
// scattered points. The list depends on the points alone.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_POINT_PAIRS_H
#define PBS_BROAD_PHASE_POINT_PAIRS_H

#include "base/runtime/memory.h"

struct point_pairs {
    size_t count;
    uint32_t *pairs; ///< count x 2, the lower index first; sorted by the first, then by the second
};

/// Finds the pairs. Returns PBS_ERROR_MEMORY, or PBS_ERROR_ARGUMENT for more than max_count pairs,
/// which is detected before memory is allocated for them. After an error *out is zero.
/// @param positions count x 3, finite; count fits in 32 bits
/// @param distance  positive and finite; pairs at exactly this distance are included
/// @param max_count below UINT32_MAX
pbs_status point_pairs_find(struct memory *memory, const double *positions, size_t count,
                            double distance, size_t max_count, struct point_pairs *out);
void point_pairs_free(struct point_pairs *pairs, struct memory *memory);

#endif
