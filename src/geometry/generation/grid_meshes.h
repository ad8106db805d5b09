// Boxes, sheets and ropes: meshes whose vertices form a regular grid. Arguments have been checked
// by the caller; the mesh is empty if memory runs out.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GENERATION_GRID_MESHES_H
#define PBS_GEOMETRY_GENERATION_GRID_MESHES_H

#include "geometry/generation/generated_mesh.h"

/// Six tetrahedra in each cell, and their boundary.
pbs_status grid_mesh_box(struct memory *memory, const double size[3], const uint32_t cells[3],
                         pbs_mesh *out);

/// Two triangles in each cell, in the plane y = 0.
pbs_status grid_mesh_sheet(struct memory *memory, const double size[2], const uint32_t cells[2],
                           pbs_mesh *out);

/// Edges along x.
pbs_status grid_mesh_rope(struct memory *memory, double length, uint32_t cells, pbs_mesh *out);

#endif
