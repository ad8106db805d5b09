// Checks and derived quantities of tetrahedral meshes: volumes, lumped masses, boundary triangles,
// faces between tetrahedra. Keeps nothing.
#ifndef PBS_GEOMETRY_MESHES_TET_MESH_H
#define PBS_GEOMETRY_MESHES_TET_MESH_H

#include "base/runtime/memory.h"

struct tet_mesh_view {
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3
    size_t tet_count;
    const uint32_t *tets; ///< tet_count x 4
};

/// The faces of a positive tetrahedron, outward.
extern const uint8_t tet_face_vertices[4][3];

/// Which of them is opposite to a vertex.
static inline int tet_face_opposite(uint32_t vertex) {
    return 3 - (int)vertex;
}

/// Signed volume of tetrahedron t; positive when det(b - a, c - a, d - a) > 0.
double tet_signed_volume(const struct tet_mesh_view *mesh, size_t tet);

/// Refuses (PBS_ERROR_MESH, with index and value in the message): empty meshes, indices out of
/// range or repeated in a tetrahedron, positions that are not finite, volumes not above a bound
/// relative to the tetrahedron's own longest edge cubed, vertices of no tetrahedron.
pbs_status tet_mesh_check(const struct tet_mesh_view *mesh, struct memory *memory);

/// mass[v] += density[t] * volume / 4 over the tetrahedra of v. density: one value, or one per
/// tetrahedron.
void tet_mesh_add_lumped_mass(const struct tet_mesh_view *mesh, const double *density,
                              bool density_per_tet, double *mass);

/// Triangles of one tetrahedron only, outward, in an order that depends on the mesh alone.
/// *triangles: 3 indices each, to be released by the caller.
pbs_status tet_boundary(const struct tet_mesh_view *mesh, struct memory *memory,
                        uint32_t **triangles, size_t *triangle_count);

/// A face that two tetrahedra have in common.
struct tet_inner_face {
    uint32_t tets[2];     ///< the lower one first
    uint32_t vertices[3]; ///< outward of the first
};

/// In the order of the first tetrahedra and their faces. *faces: to be released by the caller.
/// PBS_ERROR_MESH where more than two tetrahedra share a face.
pbs_status tet_inner_faces(const struct tet_mesh_view *mesh, struct memory *memory,
                           struct tet_inner_face **faces, size_t *face_count);

#endif
