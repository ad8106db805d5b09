// Shapes made in code, so that no scene needs a file: tetrahedra of solids and triangles to draw
// obstacles with. Every function returns false only when memory ran out or an argument makes no
// shape; `out` is then empty. Lengths are the caller's units, y is up, and shapes stand around the
// origin unless said otherwise.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_SHAPES_H
#define PBS_COMMON_SHAPES_H

#include "common/meshes/mesh.h"

// --- Solids ---

/// A box from the origin to (size_x, size_y, size_z) of nx * ny * nz cells, each cut into the six
/// tetrahedra of Kuhn. Vertex (i, j, k) has the index i + (nx+1) * (j + (ny+1) * k).
bool shape_box_grid(size_t nx, size_t ny, size_t nz, double size_x, double size_y, double size_z,
                    struct tet_mesh *out);
/// The unit cube of n^3 cells: n = 10 gives 1331 vertices and 6000 tetrahedra.
bool shape_cube_grid(size_t n, struct tet_mesh *out);

/// A box from the origin of cells[0] x cells[1] x cells[2] cells of side `spacing` on a
/// body-centred cubic lattice, twelve tetrahedra each, all alike where `jitter` is 0: how far each
/// vertex inside may be from its place in each direction, in parts of the spacing (0.25 at most).
/// The same seed gives the same mesh.
bool shape_box_lattice(const size_t cells[3], double spacing, double jitter, uint64_t seed,
                       struct tet_mesh *out);

/// Moves the vertices inside a mesh at random, in each direction by up to `fraction` (0.25 at most)
/// of their shortest edge; where a tetrahedron would lose most of its volume a vertex stays. False
/// when memory ran out.
bool tet_mesh_jitter(struct tet_mesh *mesh, double fraction, uint64_t seed);

/// Signed distance (or anything of its sign: negative inside) at a point.
typedef double (*shape_distance_fn)(const void *user, const double point[3]);

/// Good tetrahedra of the inside of `distance` within the box, about `spacing` apart: isosurface
/// stuffing on a body-centred cubic lattice (Labelle and Shewchuk 2007); dihedral angles of smooth
/// shapes lie between about 10 and 165 degrees. Parts thinner than `spacing` are lost.
bool shape_stuff(shape_distance_fn distance, const void *user, const double lower[3],
                 const double upper[3], double spacing, struct tet_mesh *out);

/// The same of the inside of a closed surface, its triangles facing outward; parts of it may
/// overlap. Parts thinner than the spacing are lost.
bool shape_fill(const struct surface_mesh *surface, double spacing, struct tet_mesh *out);

bool shape_ball(double radius, double spacing, struct tet_mesh *out);
/// Around the y axis; `radius` to the middle of a tube of `tube` radius. Also a ring.
bool shape_torus(double radius, double tube, double spacing, struct tet_mesh *out);
/// A stadium in the x-y plane: two half rings, `straight` apart along x. Links of a chain alternate
/// planes.
bool shape_chain_link(double radius, double straight, double tube, double spacing,
                      struct tet_mesh *out);
/// Along y, from -height/2 to height/2.
bool shape_cylinder(double radius, double height, double spacing, struct tet_mesh *out);

// --- Surfaces ---

/// A flat sheet in the x-z plane, facing up, of nx * nz cells with two triangles each.
bool surface_sheet(size_t nx, size_t nz, double size_x, double size_z, struct surface_mesh *out);
/// A flat disc in the x-z plane, facing up, of rings of triangles.
bool surface_disc(double radius, size_t rings, struct surface_mesh *out);
bool surface_box(double size_x, double size_y, double size_z, struct surface_mesh *out);
bool surface_ball(double radius, size_t segments, struct surface_mesh *out);
/// Along y; half-balls at both ends of a cylinder `height` long.
bool surface_capsule(double radius, double height, size_t segments, struct surface_mesh *out);
/// Along y, from -height/2 to height/2, with lids.
bool surface_cylinder(double radius, double height, size_t segments, struct surface_mesh *out);
/// Around the y axis; `radius` to the middle of a tube of `tube` radius.
bool surface_torus(double radius, double tube, size_t segments, struct surface_mesh *out);
/// The lower part of a hollow ball, open above `rim_height` (measured from the centre, between
/// -radius and radius), with a wall `thickness` thick outside of `radius`.
bool surface_bowl(double radius, double thickness, double rim_height, size_t segments,
                  struct surface_mesh *out);
/// Closed stairs that go down along +x from height steps * rise at x = 0, `width` wide in z,
/// standing on y = 0.
bool surface_stairs(size_t steps, double rise, double run, double width, struct surface_mesh *out);

#endif
