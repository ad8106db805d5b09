// Checks, inner edges and hinges of open or closed triangle sheets, which need not enclose a
// volume. Has no state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_SHEET_H
#define PBS_GEOMETRY_MESHES_SHEET_H

#include "geometry/meshes/mass_properties.h"

double sheet_triangle_area(const struct surface_view *sheet, size_t triangle);

/// Checks a sheet. Returns PBS_ERROR_MESH, with index and value in the message, for empty meshes,
/// indices out of range or repeated in a triangle, positions that are not finite, triangles whose
/// area is not above a bound relative to their longest edge squared, and unused vertices.
pbs_status sheet_check(const struct surface_view *sheet, struct memory *memory);

/// Lists the inner edges of a sheet that has passed sheet_check, in an order that depends on the
/// mesh alone. *sides: both sides of each edge, where side 3 t + i runs from vertex i of triangle t
/// to the next one; released by the caller. Returns PBS_ERROR_MESH, with the edge and triangles in
/// the message, for edges of more than two triangles, neighbours of opposite orientation, and two
/// triangles with the same vertices.
pbs_status sheet_inner_edges(const struct surface_view *sheet, struct memory *memory,
                             uint32_t **sides, size_t *edge_count);

/// Computes the vertices of a hinge from its two sides: the two of the edge, the opposite vertex on
/// the left and the one on the right. (0 1 2) and (1 0 3) are the triangles in their own
/// orientation.
void sheet_hinge(const uint32_t *triangles, const uint32_t sides[2], uint32_t hinge[4]);

#endif
