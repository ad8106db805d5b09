// The engine comparison's scenes: unit cubes of n^3 cells, six tetrahedra each, as a cantilever
// (A1, A2) or dropped (B1, B2). One definition for tests, benches and examples; uses the public API
// alone.
#ifndef PBS_BENCH_ENGINE_SCENES_H
#define PBS_BENCH_ENGINE_SCENES_H

#include <pbs/pbs.h>

#include "mesh.h"

/// Node id i + (n + 1) * (j + (n + 1) * k) at (i, j, k) / n.
struct cube_scene {
    size_t cells;
    double young; ///< Pa; Poisson ratio 0.3, density 1000, stable Neo-Hookean
    bool clamped; ///< cantilever: nodes at x = 0 are fixed
    bool ground; ///< half-space below y = 0, friction 0.5; the cube starts with its bottom at y = 1
};

/// A world with gravity (0, -9.81, 0) and that cube; `settings` may be null. The rest mesh is left
/// in *mesh, to be freed by the caller.
pbs_status cube_scene_create(const struct cube_scene *scene, const pbs_world_desc *settings,
                             pbs_world **world, pbs_body *body, struct tet_mesh *mesh);

/// Mean of y - Y over the nodes X = 1.
double cube_scene_tip(const pbs_world *world, pbs_body body, const struct tet_mesh *mesh);

/// kinetic + elastic + gravity, 0 at the start.
double cube_scene_energy(const pbs_world *world);

/// Smallest y of all vertices, and the mass-weighted mean of y.
double cube_scene_lowest(const pbs_world *world, pbs_body body);
double cube_scene_height(const pbs_world *world, pbs_body body);

/// Smallest det F over all tetrahedra.
double cube_scene_smallest_jacobian(const pbs_world *world, pbs_body body,
                                    const struct tet_mesh *mesh);

#endif
