// All pairs of points that are no further apart than a distance, through cells of that size: in
// time and memory linear in points and pairs, also where points lie far apart. The list depends on
// the points alone.
#ifndef PBS_BROAD_PHASE_POINT_PAIRS_H
#define PBS_BROAD_PHASE_POINT_PAIRS_H

#include "base/runtime/memory.h"

struct point_pairs {
    size_t count;
    uint32_t *pairs; ///< count x 2, the lower index first; sorted by it, then by the other
};

/// All zero after an error: PBS_ERROR_ARGUMENT with more pairs than `max_count`, which is found
/// before there is memory for them; PBS_ERROR_MEMORY.
/// @param positions count x 3, finite; count fits in 32 bits
/// @param distance  positive and finite; pairs just as far apart as this belong to the list
/// @param max_count below UINT32_MAX
pbs_status point_pairs_find(struct memory *memory, const double *positions, size_t count,
                            double distance, size_t max_count, struct point_pairs *out);
void point_pairs_free(struct point_pairs *pairs, struct memory *memory);

#endif
