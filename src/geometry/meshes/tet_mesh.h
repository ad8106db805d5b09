// Checks and derived quantities of tetrahedral meshes: volumes, lumped masses, boundary triangles,
// faces between tetrahedra. Has no state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_TET_MESH_H
#define PBS_GEOMETRY_MESHES_TET_MESH_H

#include "base/runtime/memory.h"

struct tet_mesh_view {
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3
    size_t tet_count;
    const uint32_t *tets; ///< tet_count x 4
};

/// The faces of a tetrahedron of positive volume, oriented outward.
extern const uint8_t tet_face_vertices[4][3];

/// Returns the index of the face opposite to a vertex.
static inline int tet_face_opposite(uint32_t vertex) {
    return 3 - (int)vertex;
}

/// Returns the signed volume of a tetrahedron, positive if det(b - a, c - a, d - a) > 0.
double tet_signed_volume(const struct tet_mesh_view *mesh, size_t tet);

/// Checks a mesh. Returns PBS_ERROR_MESH, with index and value in the message, for empty meshes,
/// indices out of range or repeated in a tetrahedron, positions that are not finite, tetrahedra
/// whose volume is not above a bound relative to their longest edge cubed, and unused vertices.
pbs_status tet_mesh_check(const struct tet_mesh_view *mesh, struct memory *memory);

/// mass[v] += density[t] * volume / 4 over the tetrahedra of v. density: one value, or one per
/// tetrahedron.
void tet_mesh_add_lumped_mass(const struct tet_mesh_view *mesh, const double *density,
                              bool density_per_tet, double *mass);

/// Lists the boundary triangles, which belong to one tetrahedron only, oriented outward, in an
/// order that depends on the mesh alone. *triangles: 3 indices each; released by the caller.
pbs_status tet_boundary(const struct tet_mesh_view *mesh, struct memory *memory,
                        uint32_t **triangles, size_t *triangle_count);

/// A face that two tetrahedra share.
struct tet_inner_face {
    uint32_t tets[2];     ///< the lower one first
    uint32_t vertices[3]; ///< oriented outward of the first
};

/// Lists the faces between tetrahedra, ordered by their first tetrahedron and its faces. *faces:
/// released by the caller. Returns PBS_ERROR_MESH if more than two tetrahedra share a face.
pbs_status tet_inner_faces(const struct tet_mesh_view *mesh, struct memory *memory,
                           struct tet_inner_face **faces, size_t *face_count);

#endif
