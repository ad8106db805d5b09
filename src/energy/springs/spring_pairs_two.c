// The loop over springs for vectors of two doubles, which every supported processor has.
// SPDX-License-Identifier: MIT
#define LANES 2

#include "energy/springs/spring_pairs_widths.h"

#include "energy/springs/spring_pairs_kernel.h"

void spring_pairs_two(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                      bool with_limits) {
    run_specialised(springs, slab, with_gradient, with_limits);
}
