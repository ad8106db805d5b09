// An axis-aligned box in single precision, as the broad phase stores and compares it.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOX_H
#define PBS_BROAD_PHASE_BOX_H

/// Lower x, y, z, then the negated upper x, y, z, then two unused entries. With negated upper
/// bounds the smallest box around two boxes is the minimum of each entry, and all six comparisons
/// of an overlap test have the same form.
struct box {
    _Alignas(32) float bound[8];
};

#endif
