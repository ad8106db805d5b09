// What rigid motions make of rows that are no places (docs/theory/bonds.md section 2.6). A place p
// moves by t + w x (p - c) under a translation t and a turn w about c; the other rows, rotations of
// bonded particles and handles of affine bodies, by M w alone.
#ifndef PBS_LINEAR_ROTATION_MODES_H
#define PBS_LINEAR_ROTATION_MODES_H

#include "base/runtime/tasks.h"
#include "sparse/ordering/layout.h"

/// turns: 9 per row, M row after row, of the rows that the layout says are no places; others are
/// left as they are. radius: per row, metres, r of rotations; x: 3 per row, where they are.
void rotation_modes_build(struct tasks *tasks, const struct layout *layout, const double *radius,
                          const double *x, double *modes);

#endif
