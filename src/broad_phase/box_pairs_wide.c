// The walk of box_pairs.c for processors with AVX2, chosen where the library runs on one.
#include "base/config.h"

#if defined(PBS_HAS_CLONES)
#pragma GCC target("avx2")
// __AVX2__ is not seen where the preprocessor runs by itself.
#define BOX_LANES_WIDE

#include "broad_phase/box_pairs_walk.h"

void box_pairs_find_piece_wide(void *context, size_t index) {
    find_piece(context, index);
}
#endif
