// The surface of a bonded body of tetrahedra, including the faces of broken bonds
// (docs/theory/bonds.md section 5.2). Tetrahedra share vertices across intact bonds only, so every
// fragment has a closed surface and separates from others along its cracks.
// SPDX-License-Identifier: MIT
#ifndef PBS_FRACTURE_FRACTURE_SURFACE_H
#define PBS_FRACTURE_FRACTURE_SURFACE_H

#include "fracture/fragments.h"
#include "geometry/meshes/tet_mesh.h"

/// A zero-initialised one is empty: the surface of a body without tetrahedra. Corner 4 tet + i is
/// vertex i of a tetrahedron.
struct fracture_surface {
    struct tet_mesh_view mesh; ///< a copy owned by this struct
    size_t triangle_count, vertex_count;
    uint32_t *triangles;     ///< triangle_count x 3 surface vertices; the normals point outward
    uint32_t *origins;       ///< triangle_count x 3: the same vertices in the mesh
    uint32_t *tets;          ///< triangle_count: the tetrahedron of each
    uint8_t *cracked;        ///< triangle_count: 1 if the bond across it is broken
    uint32_t *first;         ///< vertex_count + 1: offset of each vertex's corners
    uint32_t *corners;       ///< sorted within a vertex
    uint32_t *root, *number; ///< 4 tet_count; scratch of fracture_surface_update
    uint8_t *faces;          ///< mesh.tet_count; scratch, bits of face_bit
};

/// The motion of the tetrahedra's particles. All arrays are per particle.
struct particle_frames {
    const double *rest, *positions; ///< x 3, m
    const double *orientations;     ///< x 4, unit quaternions
};

/// Copies the mesh. bonds->pairs are pairs of tetrahedra that share a face. PBS_ERROR_MESH for a
/// bond between two that share none.
pbs_status fracture_surface_begin(struct fracture_surface *surface, struct memory *memory,
                                  const struct tet_mesh_view *mesh, const struct bond_list *bonds);
void fracture_surface_free(struct fracture_surface *surface, struct memory *memory);

/// Rebuilds the surface; must be called after bonds have broken. Triangles are ordered by
/// tetrahedron and face, vertices by their first triangle.
void fracture_surface_update(struct fracture_surface *surface, const struct bond_list *bonds);

/// x = the position of a surface vertex: the mean over its tetrahedra, each moved as a rigid body.
void fracture_surface_position(const struct fracture_surface *surface,
                               const struct particle_frames *frames, size_t vertex, double x[3]);

/// v = the velocity of a surface vertex, from velocities and angular velocities (spins) of the
/// particles, x 3.
void fracture_surface_velocity(const struct fracture_surface *surface,
                               const struct particle_frames *frames, const double *velocities,
                               const double *spins, size_t vertex, double v[3]);

#endif
