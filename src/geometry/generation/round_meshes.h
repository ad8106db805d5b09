// Balls, capsules and cylinders about the y axis: surfaces, and solids of tetrahedra. Arguments
// have been checked by the caller; the mesh is empty if memory runs out.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GENERATION_ROUND_MESHES_H
#define PBS_GEOMETRY_GENERATION_ROUND_MESHES_H

#include "geometry/generation/generated_mesh.h"

/// What is round about the y axis.
struct round_shape {
    double radius, height; ///< m; height of the cylinder, without caps
    size_t rings;          ///< along the radius, >= 1
    size_t layers;         ///< along the cylinder; 0 of balls, whose height is 0
    bool has_caps;         ///< half-balls at both ends
};

/// Numbers of vertices, and of triangles of the surface alone.
size_t round_surface_vertex_count(const struct round_shape *shape);
size_t round_surface_triangle_count(const struct round_shape *shape);
pbs_status round_surface(struct memory *memory, const struct round_shape *shape, pbs_mesh *out);

/// Numbers of vertices and tetrahedra of the solid.
size_t round_solid_vertex_count(const struct round_shape *shape);
size_t round_solid_tet_count(const struct round_shape *shape);
pbs_status round_solid(struct memory *memory, const struct round_shape *shape, pbs_mesh *out);

#endif
