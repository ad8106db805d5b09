// Arrays of meshes that are generated: what all generators share. Counts have been checked by the
// caller: none is above 2^28.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GENERATION_GENERATED_MESH_H
#define PBS_GEOMETRY_GENERATION_GENERATED_MESH_H

#include "base/runtime/memory.h"
#include "pbs/mesh.h"

/// Allocates the arrays of the counts that are not 0. On failure everything is released and the
/// mesh is empty. PBS_ERROR_MEMORY.
pbs_status generated_mesh_allocate(struct memory *memory, size_t vertex_count,
                                   size_t triangle_count, size_t tet_count, size_t edge_count,
                                   pbs_mesh *out);

/// Releases the arrays and zeroes the counts.
void generated_mesh_free(struct memory *memory, pbs_mesh *mesh);

/// Adds the boundary of the tetrahedra as triangles. On failure everything is released.
pbs_status generated_mesh_add_boundary(struct memory *memory, pbs_mesh *mesh);

#endif
