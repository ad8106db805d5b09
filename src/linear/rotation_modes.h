// Rotational rigid modes of rows that are not positions (docs/theory/bonds.md section 2.6). A
// translation t and a rotation vector w about c move a position p by t + w x (p - c). Rows of other
// kinds, rotations of bonded particles and handles of affine bodies, move by M w.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_ROTATION_MODES_H
#define PBS_LINEAR_ROTATION_MODES_H

#include "base/runtime/tasks.h"
#include "sparse/ordering/layout.h"

/// Computes M for the rows that the layout does not mark as positions.
/// @param radius  per row, metres: r of rotation nodes
/// @param x       3 per row: current coordinates
/// @param modes   9 per row, M row-major; entries of position rows are left unchanged
void rotation_modes_build(struct tasks *tasks, const struct layout *layout, const double *radius,
                          const double *x, double *modes);

#endif
