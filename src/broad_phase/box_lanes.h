// Operations on eight boxes at a time: in one register if the compiler may use AVX2, otherwise in
// two halves of four lanes, which every supported processor has.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOX_LANES_H
#define PBS_BROAD_PHASE_BOX_LANES_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "broad_phase/box.h"

typedef float floats4 __attribute__((vector_size(16)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef float floats8 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));

/// Eight boxes in structure-of-arrays layout: bound[k][i] is bound k of box i.
struct box_block {
    _Alignas(CACHE_LINE) float bound[6][8];
};

ALWAYS_INLINE floats4 floats_load(const float *p) {
    floats4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void floats_store(float *p, floats4 v) {
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE floats4 floats_set(float a) {
    return (floats4){a, a, a, a};
}

/// Returns the smaller of each pair of entries; a where b is NaN.
ALWAYS_INLINE floats4 floats_min(floats4 a, floats4 b) {
    const ints4 less = b < a;
    return (floats4)((less & (ints4)b) | (~less & (ints4)a));
}

ALWAYS_INLINE ints4 ints_load(const int32_t *p) {
    ints4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE ints4 ints_set(int32_t a) {
    return (ints4){a, a, a, a};
}

/// Returns an empty box. It overlaps no box with finite bounds, and uniting with it changes
/// nothing.
ALWAYS_INLINE struct box box_empty(void) {
    struct box box;
    for (int k = 0; k < 8; k++) {
        box.bound[k] = k < 6 ? FLT_MAX : 0.0F;
    }
    return box;
}

/// Sets a to the smallest box around a and b.
ALWAYS_INLINE void box_unite(struct box *a, const struct box *b) {
    for (int k = 0; k < 8; k += 4) {
        floats_store(a->bound + k,
                     floats_min(floats_load(a->bound + k), floats_load(b->bound + k)));
    }
}

/// Transposes a 4 x 4 matrix of floats.
ALWAYS_INLINE void transpose_four(const float *const row[4], floats4 out[4]) {
    const floats4 a = floats_load(row[0]), b = floats_load(row[1]);
    const floats4 c = floats_load(row[2]), d = floats_load(row[3]);
    const floats4 low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const floats4 low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const floats4 high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const floats4 high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
}

/// Fills a block from eight boxes. all: the smallest box around them.
ALWAYS_INLINE void block_fill(const struct box *const boxes[8], struct box_block *block,
                              struct box *all) {
    *all = box_empty();
    for (int i = 0; i < 8; i++) {
        box_unite(all, boxes[i]);
    }
    for (int h = 0; h < 8; h += 4) {
        for (int half = 0; half < 8; half += 4) {
            const float *rows[4];
            floats4 by_number[4];
            for (int i = 0; i < 4; i++) {
                rows[i] = boxes[h + i]->bound + half;
            }
            transpose_four(rows, by_number);
            for (int k = half; k < 6 && k < half + 4; k++) {
                floats_store(block->bound[k] + h, by_number[k - half]);
            }
        }
    }
}

/// Returns the limits that block_overlaps compares bounds with: the negated bounds of a box. They
/// are clamped below FLT_MAX, the bound of an empty lane, so that an unbounded box never overlaps
/// an empty lane.
ALWAYS_INLINE floats4 negated_limits(floats4 bounds) {
    return floats_min(-bounds, floats_set(0.5F * FLT_MAX));
}

/// Computes the limits of one box: the upper corner, then the negated lower corner. The last two
/// entries of limit are padding.
ALWAYS_INLINE void box_limits(const struct box *box, float limit[8]) {
    const floats4 a = floats_load(box->bound);
    const floats4 b = floats_load(box->bound + 4);
    floats_store(limit, negated_limits(__builtin_shufflevector(a, b, 3, 4, 5, 0)));
    floats_store(limit + 4, negated_limits(__builtin_shufflevector(a, b, 1, 2, 6, 7)));
}

/// Computes the limits of eight boxes in structure-of-arrays layout: limit[8 * k + i] is limit k of
/// box i.
ALWAYS_INLINE void block_limits(const struct box_block *block, float limit[48]) {
    for (int k = 0; k < 6; k++) {
        for (int h = 0; h < 8; h += 4) {
            floats_store(limit + 8 * k + h,
                         negated_limits(floats_load(block->bound[(k + 3) % 6] + h)));
        }
    }
}

#if defined(__AVX2__) || defined(BOX_LANES_WIDE)
/// A mask over eight lanes: all ones in the selected lanes, zero in the others.
struct lane_mask {
    ints8 lanes;
};

/// Returns bit i set for each selected lane i.
ALWAYS_INLINE uint32_t mask_bits(struct lane_mask mask) {
    return (uint32_t)__builtin_ia32_movmskps256((floats8)mask.lanes);
}

/// Removes the lanes whose number is `a`.
ALWAYS_INLINE struct lane_mask mask_without(struct lane_mask mask, const int32_t numbers[8],
                                            int32_t a) {
    ints8 lanes;
    memcpy(&lanes, numbers, sizeof lanes);
    return (struct lane_mask){mask.lanes & (lanes != a - (ints8){0})};
}

/// Returns the lanes whose box overlaps or touches the box with limits limit[k * stride], k < 6.
ALWAYS_INLINE struct lane_mask block_overlaps_strided(const struct box_block *block,
                                                      const float *limit, size_t stride) {
    struct lane_mask mask = {{-1, -1, -1, -1, -1, -1, -1, -1}};
    for (size_t k = 0; k < 6; k++) {
        floats8 bound;
        memcpy(&bound, block->bound[k], sizeof bound);
        mask.lanes &= bound <= limit[k * stride] - (floats8){0.0F};
    }
    return mask;
}
#else
struct lane_mask {
    ints4 half[2];
};

ALWAYS_INLINE uint32_t mask_bits(struct lane_mask mask) {
    const ints4 bits = (mask.half[0] & (ints4){1, 2, 4, 8}) |
                       (mask.half[1] & (ints4){16, 32, 64, 128});
    const ints4 pairs = bits | __builtin_shufflevector(bits, bits, 2, 3, 0, 1);
    return (uint32_t)(pairs[0] | pairs[1]);
}

ALWAYS_INLINE struct lane_mask mask_without(struct lane_mask mask, const int32_t numbers[8],
                                            int32_t a) {
    for (int h = 0; h < 2; h++) {
        mask.half[h] &= ints_load(numbers + 4 * h) != ints_set(a);
    }
    return mask;
}

ALWAYS_INLINE struct lane_mask block_overlaps_strided(const struct box_block *block,
                                                      const float *limit, size_t stride) {
    struct lane_mask mask;
    for (int h = 0; h < 2; h++) {
        mask.half[h] = floats_load(block->bound[0] + 4 * h) <= floats_set(limit[0]);
        for (size_t k = 1; k < 6; k++) {
            mask.half[h] &= floats_load(block->bound[k] + 4 * h) <= floats_set(limit[k * stride]);
        }
    }
    return mask;
}
#endif

ALWAYS_INLINE struct lane_mask block_overlaps(const struct box_block *block, const float limit[6]) {
    return block_overlaps_strided(block, limit, 1);
}

#endif
