// The surface of a bonded body of tetrahedra, with the faces where bonds are broken
// (docs/theory/bonds.md section 5.2). Where faces hang together their tetrahedra share vertices, so
// a fragment is closed and moves apart from others along its cracks.
#ifndef PBS_FRACTURE_FRACTURE_SURFACE_H
#define PBS_FRACTURE_FRACTURE_SURFACE_H

#include "fracture/fragments.h"
#include "geometry/meshes/tet_mesh.h"

/// All zero is empty: of a body that is not made of tetrahedra. A corner is 4 tet + i, vertex i of
/// a tetrahedron.
struct fracture_surface {
    struct tet_mesh_view mesh; ///< its own copy
    size_t triangle_count, vertex_count;
    uint32_t *triangles;     ///< triangle_count x 3 vertices, outward
    uint32_t *origins;       ///< triangle_count x 3: their vertices of the mesh
    uint32_t *tets;          ///< triangle_count: whose face each is
    uint8_t *cracked;        ///< triangle_count: 1 where a bond is broken there
    uint32_t *first;         ///< vertex_count + 1: where the corners of each vertex begin
    uint32_t *corners;       ///< ascending within a vertex
    uint32_t *root, *number; ///< 4 tet_count, of an update; no meaning in between
    uint8_t *faces;          ///< mesh.tet_count, of an update
};

/// Where the tetrahedra's particles are. All arrays by particle.
struct particle_frames {
    const double *rest, *positions; ///< x 3
    const double *orientations;     ///< x 4, unit
};

/// Copies the mesh, of which each inner face is a bond: bonds->pairs are tetrahedra.
/// PBS_ERROR_MESH for a bond of two that share no face.
pbs_status fracture_surface_begin(struct fracture_surface *surface, struct memory *memory,
                                  const struct tet_mesh_view *mesh, const struct bond_list *bonds);
void fracture_surface_free(struct fracture_surface *surface, struct memory *memory);

/// After bonds have broken. Triangles are in the order of tetrahedra and their faces, vertices in
/// that of triangles.
void fracture_surface_update(struct fracture_surface *surface, const struct bond_list *bonds);

/// A vertex is the mean of where its tetrahedra, each moved as a rigid body, have it.
void fracture_surface_position(const struct fracture_surface *surface,
                               const struct particle_frames *frames, size_t vertex, double x[3]);

/// Its velocity, from those of the particles and their angular velocities, x 3.
void fracture_surface_velocity(const struct fracture_surface *surface,
                               const struct particle_frames *frames, const double *velocities,
                               const double *spins, size_t vertex, double v[3]);

#endif
