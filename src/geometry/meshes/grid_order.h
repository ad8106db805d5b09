// Points in the order of the cells of a grid that they lie in: layer by layer across their longest
// extent, in a layer row by row. Neighbours are then near each other in the order, and points of a
// lattice along the grid follow each other as its rows do.
#ifndef PBS_GEOMETRY_MESHES_GRID_ORDER_H
#define PBS_GEOMETRY_MESHES_GRID_ORDER_H

#include "base/runtime/memory.h"

/// positions: count x 3, finite; spacing: the cells' edge, positive, coarser where an extent has
/// very many. The lowest cell begins half an edge before the lowest point. order: count, becomes
/// the points in their order, those of one cell by ascending number. PBS_ERROR_MEMORY
pbs_status grid_order(struct memory *memory, const double *positions, size_t count, double spacing,
                      uint32_t *order);

#endif
