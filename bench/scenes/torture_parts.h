// What scenes of torture are made of: bodies, obstacles, movers. Each does nothing once something
// failed; the scene keeps the first failure.
#ifndef PBS_BENCH_TORTURE_PARTS_H
#define PBS_BENCH_TORTURE_PARTS_H

#include "scenes/torture.h"

struct torture_matter {
    double young;    ///< Pa, of soft bodies and shells
    double friction; ///< Coulomb coefficient
    double velocity[3];
};

/// Keeps the first failure.
void torture_note(struct torture *scene, pbs_status status);

/// False, and noted, where memory ran out or a mesh could not be read.
bool torture_made(struct torture *scene, bool made);

/// A tetrahedral mesh of the folder, where there is one and the size is that of the bench.
bool torture_load(const struct torture *scene, const char *name, struct tet_mesh *out);

/// Soft or affine, where the mesh is.
pbs_body torture_add_solid(struct torture *scene, const struct tet_mesh *mesh,
                           enum torture_kind kind, const struct torture_matter *matter);
/// An affine body of a closed surface.
pbs_body torture_add_hull(struct torture *scene, const struct surface_mesh *surface,
                          const struct torture_matter *matter);
/// A sheet as thick as the options say.
pbs_body torture_add_shell(struct torture *scene, const struct surface_mesh *surface,
                           const struct torture_matter *matter);

/// A mesh collider; the scene keeps a copy of the surface. position: of its origin; null: 0.
pbs_collider torture_add_obstacle(struct torture *scene, const struct surface_mesh *surface,
                                  const double *position, double friction);
/// Solid below the plane through `origin` whose normal, a unit vector, points out of it.
void torture_add_plane(struct torture *scene, const double origin[3], const double normal[3],
                       double friction);

/// The boundary, without the vertices inside.
bool torture_boundary(const struct tet_mesh *mesh, struct surface_mesh *out);

/// Puts the middle of the box at (x, ., z), the lowest point at y.
void torture_stand(double *positions, size_t vertex_count, double x, double y, double z);
/// Scales to a largest extent, and puts the middle of the box at the origin.
void torture_fit(double *positions, size_t vertex_count, double extent);

/// Scripts a collider: along the velocity, as far as `travel` m, turning about its own axis with
/// `rate` (1/s). Turns of more than a quarter of a radian in a step are cut to that: a longer one
/// is a chord through what turns.
void torture_move_collider(struct torture *scene, pbs_collider collider, const double velocity[3],
                           double travel, const double axis[3], double rate);
/// Scripts an affine body along the velocity, as far as `travel` m.
void torture_move_affine(struct torture *scene, pbs_body body, const double velocity[3],
                         double travel);
/// Scripts the vertices of a body that lie within `depth` of its end along +x or -x: they turn
/// about the axis x, as above.
void torture_turn_end(struct torture *scene, pbs_body body, int side, double depth, double rate);

#endif
