// Small scenes for tests and fuzz targets of the world: cubes of tetrahedra, springs through a
// host's energy.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_WORLD_SCENES_H
#define PBS_SUPPORT_WORLD_SCENES_H

#include "pbs/pbs.h"

/// The tag of spring_energy in these scenes.
#define SPRING_TAG UINT64_C(77)

/// A cube of cells x cells x cells smaller ones, each cut into six tetrahedra.
struct cube_mesh {
    size_t vertex_count, tet_count;
    double *positions; ///< vertex_count x 3
    uint32_t *tets;    ///< tet_count x 4
};

/// False when out of memory.
bool cube_mesh_make(struct cube_mesh *mesh, size_t cells, double size, const double corner[3]);
void cube_mesh_free(struct cube_mesh *mesh);

/// A description that points into the mesh; the rest are the library's defaults.
void cube_mesh_describe(const struct cube_mesh *mesh, pbs_solid_desc *d);

/// Adds such a cube as a solid. What `like` says besides the mesh holds; null: the defaults.
pbs_status cube_create(pbs_world *world, size_t cells, double size, const double corner[3],
                       const pbs_solid_desc *like, pbs_body *body);

/// A square in the plane y = corner_y of cells x cells smaller ones, each cut along one diagonal,
/// neighbours along different ones. In front is +y.
struct sheet_mesh {
    size_t vertex_count, triangle_count;
    double *positions;   ///< vertex_count x 3
    uint32_t *triangles; ///< triangle_count x 3
};

/// False when out of memory.
bool sheet_mesh_make(struct sheet_mesh *mesh, size_t cells, double size, const double corner[3]);
void sheet_mesh_free(struct sheet_mesh *mesh);

/// A description that points into the mesh; the rest are the library's defaults.
void sheet_mesh_describe(const struct sheet_mesh *mesh, pbs_shell_desc *d);

/// Adds such a sheet as a shell. What `like` says besides the mesh holds; null: the defaults.
pbs_status sheet_create(pbs_world *world, size_t cells, double size, const double corner[3],
                        const pbs_shell_desc *like, pbs_body *body);

/// The surface of a box of these sides around the origin, triangles outward.
struct box_surface {
    double positions[24];
    uint32_t triangles[36];
};
void box_surface_make(struct box_surface *box, const double sides[3]);

/// A description of an affine body that points into the box; the rest are the library's defaults.
void box_surface_describe(const struct box_surface *box, pbs_affine_desc *d);

/// Springs of 400 N/m and 0.1 m between the two nodes of a stencil. user is not read.
int32_t spring_energy(void *user, size_t stencil, const double *x, int32_t project, double *value,
                      double *gradient, double *hessian);

/// A description of such springs that points to the arrays; the rest are the library's defaults.
void springs_describe(pbs_custom_desc *d, size_t vertex_count, const double *positions,
                      const double *masses, size_t stencil_count, const uint32_t *stencils);

/// A description of one particle of 1 kg at rest at the position it points to, with an energy.
void point_describe(pbs_custom_desc *d, const double position[3], pbs_custom_fn evaluate,
                    void *user);

/// Settings with gravity along -y.
void scene_settings(pbs_world_desc *d);

/// The default expert settings, which *d points to from now on.
void expert_settings(pbs_expert_desc *expert, pbs_world_desc *d);

/// Barriers that no scene changes: 1 mm, 1e5 N/m, slip up to 1 cm/s, stages solved by the gradient
/// alone, no step divided. For tests of barriers, where what is chosen automatically is not the
/// point.
void fixed_barrier(pbs_world_desc *d);

/// The scenes of the determinism tests: 0 a solid dropped on a floor, 1 springs of a host on a
/// ball, 2 two materials with damping, drag and friction in a bowl, 3 a damped sheet, held at one
/// corner, that falls on a ball, 4 springs of the library's over a ball and affine bodies that
/// tumble, one of them held. Answers the first failure.
enum { SCENE_COUNT = 5 };
pbs_status scene_fill(pbs_world *world, int index);

/// Steps of 1/60 s; the first failure ends them.
pbs_status scene_step(pbs_world *world, int count);

#endif
