// A box with sides along the axes, in single precision, as the broad phase stores and compares it.
#ifndef PBS_BROAD_PHASE_BOX_H
#define PBS_BROAD_PHASE_BOX_H

/// Lower x, y, z, then the upper x, y, z with their signs turned, then two unused numbers. So the
/// smallest box around two has the lesser of each number, and all six comparisons of an overlap
/// have one form.
struct box {
    _Alignas(32) float bound[8];
};

#endif
