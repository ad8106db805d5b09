// Plain meshes for examples, tests and benches: tetrahedra and triangles over a flat array of
// points. Nothing here knows the library; hand `positions`, `tets` and `triangles` to it as they
// are.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_MESH_H
#define PBS_COMMON_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Tetrahedra. A tet (a, b, c, d) is right-handed where det(b-a, c-a, d-a) > 0.
struct tet_mesh {
    size_t vertex_count;
    double *positions; ///< [vertex_count * 3]
    size_t tet_count;
    uint32_t *tets; ///< [tet_count * 4]
};

/// Triangles, counter-clockwise seen from outside, and line segments where a file held any.
struct surface_mesh {
    size_t vertex_count;
    double *positions; ///< [vertex_count * 3]
    size_t triangle_count;
    uint32_t *triangles; ///< [triangle_count * 3]
    size_t segment_count;
    uint32_t *segments; ///< [segment_count * 2], null in most meshes
};

/// Free the arrays and zero the struct; a zeroed struct is a valid empty mesh.
void tet_mesh_free(struct tet_mesh *mesh);
void surface_mesh_free(struct surface_mesh *mesh);

/// The smallest box around the points; both corners zero where there is no point.
void positions_bounds(const double *positions, size_t vertex_count, double lower[3],
                      double upper[3]);
/// Length of the diagonal of that box.
double positions_diagonal(const double *positions, size_t vertex_count);

void positions_translate(double *positions, size_t vertex_count, double x, double y, double z);
void positions_scale(double *positions, size_t vertex_count, double factor);
/// Turns about an axis through the origin (any length but 0), by the right-hand rule, in radians.
void positions_rotate(double *positions, size_t vertex_count, const double axis[3], double angle);

/// Signed volume of one tetrahedron, and of all together.
double tet_volume(const struct tet_mesh *mesh, size_t tet);
double tet_mesh_volume(const struct tet_mesh *mesh);

/// The triangles that belong to exactly one tetrahedron, facing outward, as indices into the mesh's
/// own vertices. `*triangles` is allocated with malloc. False when memory ran out.
bool tet_mesh_boundary(const struct tet_mesh *mesh, uint32_t **triangles, size_t *triangle_count);

/// Add the second surface to the first (an empty one is fine). False when memory ran out.
bool surface_mesh_append(struct surface_mesh *mesh, const struct surface_mesh *more);
/// Add the second tetrahedra to the first, as a part of its own. False when memory ran out.
bool tet_mesh_append(struct tet_mesh *mesh, const struct tet_mesh *more);

#endif
