// libpbs: meshes of simple shapes, made by the library. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_MESH_H
#define PBS_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A mesh, as the descriptions of bodies and colliders take it. The host may change positions and
/// indices in place, and frees the arrays by pbs_mesh_free.
typedef struct pbs_mesh {
    uint32_t struct_size; ///< set by pbs_mesh_init
    uint32_t reserved;    ///< 0
    size_t vertex_count;
    double *positions; ///< vertex_count x 3, metres
    size_t triangle_count;
    uint32_t *triangles; ///< triangle_count x 3 vertex indices: the surface, counterclockwise seen
                         ///< from outside
    size_t tet_count;
    uint32_t *tets; ///< tet_count x 4 vertex indices, det(b - a, c - a, d - a) > 0
    size_t edge_count;
    uint32_t *edges;         ///< edge_count x 2 vertex indices, of ropes
    pbs_allocator allocator; ///< that the arrays come from, and that pbs_mesh_join takes for what
                             ///< it adds; all zero: the C library's. It must outlive the arrays
} pbs_mesh;

// Each call that makes a mesh puts it in the place of the one that `out` held, which is freed. If
// the call fails, `out` is as it was. Shapes are around the origin. Closed shapes have a surface
// without holes; those that are filled have tetrahedra too, which share its vertices.

/// Fills *mesh: no vertices. Needed before any other call on it.
/// @param struct_size  sizeof(pbs_mesh) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (mesh is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_mesh_init(pbs_mesh *mesh, size_t struct_size);

/// Frees the arrays; the mesh is empty then, and keeps its allocator. Null and an empty mesh are
/// fine.
PBS_API void pbs_mesh_free(pbs_mesh *mesh);

/// A box of cells, each cut into six tetrahedra (Kuhn). Vertex (i, j, k) has the index i +
/// (cells[0] + 1) (j + (cells[1] + 1) k). With one cell along each axis it is the surface of eight
/// vertices that affine bodies want.
/// @param allocator  null, or all zero: the C library's
/// @param size  3, m, > 0: the lengths of the edges along x, y and z
/// @param cells  3, each 1 to 65536
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// more than 2^28 vertices or elements, one of two allocator functions), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_MEMORY
PBS_API pbs_status pbs_mesh_box(const pbs_allocator *allocator, const double size[3],
                                const uint32_t cells[3], pbs_mesh *out);

/// A ball: 6 `cells` edges around the equator in the plane y = 0, a quarter as many from there to
/// each pole. Its vertices are on the sphere, so that it is convex, and its volume is less than
/// that of the sphere, by a part that falls as 1 / cells^2.
/// @param radius  m, > 0
/// @param cells  along the radius, 1 to 65536
/// @param filled  1: with tetrahedra, 12 cells^3; 0: the surface alone
/// @return as pbs_mesh_box
PBS_API pbs_status pbs_mesh_ball(const pbs_allocator *allocator, double radius, uint32_t cells,
                                 int32_t filled, pbs_mesh *out);

/// A capsule along y: a cylinder between two half-balls, which are those of pbs_mesh_ball.
/// @param radius  m, > 0
/// @param height  m, > 0: of the cylinder, without the caps
/// @param cells  2, each 1 to 65536: along the radius, and along the cylinder
/// @param filled  1: with tetrahedra; 0: the surface alone
/// @return as pbs_mesh_box
PBS_API pbs_status pbs_mesh_capsule(const pbs_allocator *allocator, double radius, double height,
                                    const uint32_t cells[2], int32_t filled, pbs_mesh *out);

/// A cylinder along y, with 6 cells[0] edges around it. The lids of one that is not filled are fans
/// of triangles around their centres.
/// @param radius  m, > 0
/// @param height  m, > 0
/// @param cells  2, each 1 to 65536: along the radius, and along the axis
/// @param filled  1: with tetrahedra; 0: the surface alone
/// @return as pbs_mesh_box
PBS_API pbs_status pbs_mesh_cylinder(const pbs_allocator *allocator, double radius, double height,
                                     const uint32_t cells[2], int32_t filled, pbs_mesh *out);

/// A sheet in the plane y = 0 whose front is up, of triangles alone. Vertex (i, j) has the index i
/// + (cells[0] + 1) j. The diagonals of neighbouring cells run in different directions.
/// @param size  2, m, > 0: the lengths along x and z
/// @param cells  2, each 1 to 65536
/// @return as pbs_mesh_box
PBS_API pbs_status pbs_mesh_sheet(const pbs_allocator *allocator, const double size[2],
                                  const uint32_t cells[2], pbs_mesh *out);

/// A straight line along x, of edges alone, as pbs_springs_desc takes them for springs. Vertices
/// are in order of x.
/// @param length  m, > 0
/// @param cells  how many edges, 1 to 2^28 - 1
/// @return as pbs_mesh_box
PBS_API pbs_status pbs_mesh_rope(const pbs_allocator *allocator, double length, uint32_t cells,
                                 pbs_mesh *out);

/// Scales a mesh along x, y and z, then turns it, then moves it. Where a mirror image is asked for
/// (one or three negative factors) triangles and tetrahedra are turned over, so that they keep
/// their orientation.
/// @param scale  null (1, 1, 1), or 3 factors other than 0
/// @param orientation  null (not turned), or a quaternion x, y, z, w; of norm 1 within 1e-6
/// @param translation  null (not moved), or 3, m
/// @return PBS_ERROR_ARGUMENT (mesh is null or a count has no array, a number that is not finite or
/// out of its range, a place beyond 1e30 m), PBS_ERROR_STRUCT_SIZE; the mesh is as it was then
PBS_API pbs_status pbs_mesh_transform(pbs_mesh *mesh, const double scale[3],
                                      const double orientation[4], const double translation[3]);

/// Appends the vertices and elements of one mesh to another, as a part of its own: no vertices are
/// merged.
/// @param more  may be the mesh itself, which it doubles
/// @return PBS_ERROR_ARGUMENT (a null pointer, a count without array, an index out of range, more
/// than 2^28 vertices or elements), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY; the mesh is as it was
/// then
PBS_API pbs_status pbs_mesh_join(pbs_mesh *mesh, const pbs_mesh *more);

#ifdef __cplusplus
}
#endif

#endif
