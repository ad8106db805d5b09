// Triangulations of a rectangle on which energies of bending differ, or must not.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_PLATE_MESHES_H
#define PBS_SUPPORT_PLATE_MESHES_H

#include <stddef.h>
#include <stdint.h>

enum plate_mesh_kind {
    MESH_ONE_DIAGONAL,
    MESH_ALTERNATING,
    MESH_JITTERED,     ///< alternating, inner vertices moved by up to 0.3 of a cell
    MESH_UNSTRUCTURED, ///< Delaunay's, of vertices that were moved about and then smoothed
    MESH_EQUILATERAL,  ///< nearly: rows are shifted by half a cell, with half cells at their ends
    MESH_KIND_COUNT
};

extern const char *const plate_mesh_names[MESH_KIND_COUNT];

/// Vertices of the rectangle [0, a] x [0, b]; those of borders are on them, and of even numbers of
/// cells one is in the middle.
struct plate_mesh {
    size_t vertex_count, triangle_count, center;
    double *positions; ///< vertex_count x 3, z = 0
    uint32_t *triangles;
};

/// columns along a; rows along b, of which MESH_EQUILATERAL takes what makes its triangles regular.
void plate_mesh_make(struct plate_mesh *mesh, enum plate_mesh_kind kind, size_t columns,
                     size_t rows, double a, double b);
void plate_mesh_free(struct plate_mesh *mesh);

#endif
