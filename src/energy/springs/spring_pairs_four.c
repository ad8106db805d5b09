// The loop over springs for vectors of four doubles (AVX2).
// SPDX-License-Identifier: MIT
#define LANES 4

#include "base/config.h"
#include "energy/springs/spring_pairs_widths.h"

#if defined(PBS_HAS_CLONES)
#pragma GCC target("avx2")
#endif

#include "energy/springs/spring_pairs_kernel.h"

void spring_pairs_four(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                       bool with_limits) {
    run_specialised(springs, slab, with_gradient, with_limits);
}
