// The loop of spring_pairs_kernel.h over one slab, compiled for vectors of four and of two doubles.
// It writes the slab's value, adds to the gradient if with_gradient is set, and, if with_limits is
// set, flags in `suspected` the slices in which a spring may be above its limit.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SPRING_PAIRS_WIDTHS_H
#define PBS_ENERGY_SPRINGS_SPRING_PAIRS_WIDTHS_H

#include "energy/springs/spring_pairs.h"

/// Requires AVX2 if PBS_HAS_CLONES is defined.
void spring_pairs_four(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                       bool with_limits);
void spring_pairs_two(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                      bool with_limits);

#endif
