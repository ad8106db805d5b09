// The pass of spring_pairs_kernel.h over one slab, compiled for vectors of four and of two doubles.
// Writes the slab's value, adds to the gradient where that is wanted, and leaves in `suspected`,
// where limits are to be looked at, the slices in which something may be above its own.
#ifndef PBS_ENERGY_SPRINGS_SPRING_PAIRS_WIDTHS_H
#define PBS_ENERGY_SPRINGS_SPRING_PAIRS_WIDTHS_H

#include "energy/springs/spring_pairs.h"

/// Needs AVX2 where clones are made (PBS_HAS_CLONES).
void spring_pairs_four(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                       bool with_limits);
void spring_pairs_two(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                      bool with_limits);

#endif
