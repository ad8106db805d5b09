// Orders points by the cells of a grid: in layers perpendicular to their longest extent, and within
// a layer in rows. Neighbouring points are then close in the order. The points of a lattice that is
// aligned with the grid are ordered by its rows.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_GRID_ORDER_H
#define PBS_GEOMETRY_MESHES_GRID_ORDER_H

#include "base/runtime/memory.h"

/// Computes the order of points. positions: count x 3, finite. spacing: edge of the cells, m,
/// positive; larger cells are used along very long extents. The first cell starts half an edge
/// before the lowest point. order: count; receives the point indices in order, ascending within a
/// cell. Returns PBS_ERROR_MEMORY on failure.
pbs_status grid_order(struct memory *memory, const double *positions, size_t count, double spacing,
                      uint32_t *order);

#endif
