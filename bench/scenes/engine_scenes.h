// The scenes of the comparison with other engines: unit cubes of n^3 cells with six tetrahedra
// each, as cantilevers (A1, A2) or dropped (B1, B2). Shared by tests, benches and examples; uses
// the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_ENGINE_SCENES_H
#define PBS_BENCH_ENGINE_SCENES_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

/// A cube. The node at (i, j, k) / n has index i + (n + 1) * (j + (n + 1) * k).
struct cube_scene {
    size_t cells;
    double young; ///< Pa; Poisson ratio 0.3, density 1000, stable Neo-Hookean
    bool clamped; ///< cantilever: nodes at x = 0 are fixed
    bool ground; ///< adds a half-space below y = 0 with friction 0.5; the cube then starts with its
                 ///< bottom at y = 1
};

/// Creates a world with gravity (0, -9.81, 0) and the cube; `settings` may be null. Returns the
/// rest mesh in *mesh, which the caller frees.
pbs_status cube_scene_create(const struct cube_scene *scene, const pbs_world_desc *settings,
                             pbs_world **world, pbs_body *body, struct tet_mesh *mesh);

/// Returns the mean displacement y - Y of the nodes with X = 1.
double cube_scene_tip(const pbs_world *world, pbs_body body, const struct tet_mesh *mesh);

/// Returns kinetic + elastic + gravity energy, relative to the start.
double cube_scene_energy(const pbs_world *world);

/// Return the smallest y of all vertices, and the mass-weighted mean of y.
double cube_scene_lowest(const pbs_world *world, pbs_body body);
double cube_scene_height(const pbs_world *world, pbs_body body);

/// Returns the smallest det F of all tetrahedra.
double cube_scene_smallest_jacobian(const pbs_world *world, pbs_body body,
                                    const struct tet_mesh *mesh);

#endif
