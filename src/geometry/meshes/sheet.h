// Checks and hinges of open or closed sheets of triangles, which need not bound anything. Keeps
// nothing.
#ifndef PBS_GEOMETRY_MESHES_SHEET_H
#define PBS_GEOMETRY_MESHES_SHEET_H

#include "geometry/meshes/mass_properties.h"

double sheet_triangle_area(const struct surface_view *sheet, size_t triangle);

/// Refuses (PBS_ERROR_MESH, with index and value in the message): empty meshes, indices out of
/// range or repeated in a triangle, positions that are not finite, areas not above a bound relative
/// to the triangle's own longest edge squared, vertices of no triangle.
pbs_status sheet_check(const struct surface_view *sheet, struct memory *memory);

/// The inner edges of a sheet that has passed sheet_check, in an order that depends on the mesh
/// alone: both sides of each, where side 3 t + i goes from vertex i of triangle t to the next. To
/// be released by the caller. Refuses (PBS_ERROR_MESH, with the edge and triangles in the message):
/// edges of more than two triangles, neighbours of opposite orientation, two triangles of the same
/// vertices.
pbs_status sheet_inner_edges(const struct surface_view *sheet, struct memory *memory,
                             uint32_t **sides, size_t *edge_count);

/// The vertices of a hinge by its two sides: the edge, the vertex to its left, the one to its
/// right, so that (0 1 2) and (1 0 3) are triangles in their own orientation.
void sheet_hinge(const uint32_t *triangles, const uint32_t sides[2], uint32_t hinge[4]);

#endif
