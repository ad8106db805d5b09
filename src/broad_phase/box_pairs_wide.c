// The traversal of box_pairs.c compiled for AVX2. It is chosen at run time on processors that have
// AVX2.
// SPDX-License-Identifier: MIT
#include "base/config.h"

#if defined(PBS_HAS_CLONES)
#pragma GCC target("avx2")
// A separate preprocessor run does not see __AVX2__.
#define BOX_LANES_WIDE

#include "broad_phase/box_pairs_walk.h"

void box_pairs_find_piece_wide(void *context, size_t index) {
    find_piece(context, index);
}
#endif
