// Parts of the scenes of torture.h: bodies, obstacles and prescribed motions. After a failure,
// which the scene records, all functions do nothing.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_TORTURE_PARTS_H
#define PBS_BENCH_TORTURE_PARTS_H

#include "scenes/torture/torture.h"

struct torture_matter {
    double young;    ///< Pa, of soft bodies and shells
    double friction; ///< Coulomb coefficient
    double velocity[3];
};

/// Records the first failure.
void torture_note(struct torture *scene, pbs_status status);

/// Returns `made`; if it is false (memory short, or a mesh not readable), records the failure.
bool torture_made(struct torture *scene, bool made);

/// Loads a tetrahedral mesh, if there is a mesh folder and the size is that of the bench.
bool torture_load(const struct torture *scene, const char *name, struct tet_mesh *out);

/// Adds a soft or affine body at the mesh's position.
pbs_body torture_add_solid(struct torture *scene, const struct tet_mesh *mesh,
                           enum torture_kind kind, const struct torture_matter *matter);
/// Adds an affine body bounded by a closed surface.
pbs_body torture_add_hull(struct torture *scene, const struct surface_mesh *surface,
                          const struct torture_matter *matter);
/// Adds a shell with the thickness of the options.
pbs_body torture_add_shell(struct torture *scene, const struct surface_mesh *surface,
                           const struct torture_matter *matter);

/// Adds a mesh collider; the scene keeps a copy of the surface. position: of its origin; null:
/// zero.
pbs_collider torture_add_obstacle(struct torture *scene, const struct surface_mesh *surface,
                                  const double *position, double friction);
/// Adds the half-space below the plane through `origin`, whose unit normal points outwards.
void torture_add_plane(struct torture *scene, const double origin[3], const double normal[3],
                       double friction);

/// Extracts the boundary, without inner vertices.
bool torture_boundary(const struct tet_mesh *mesh, struct surface_mesh *out);

/// Moves the centre of the bounding box to (x, ., z) and the lowest point to y.
void torture_stand(double *positions, size_t vertex_count, double x, double y, double z);
/// Scales to a largest extent, and moves the centre of the bounding box to the origin.
void torture_fit(double *positions, size_t vertex_count, double extent);

/// Prescribes a collider's motion: translation along the velocity by `travel` m, and rotation about
/// its own axis at `rate` (1/s). Rotation is limited to a quarter of a radian per step, because
/// vertices move along chords, which would cut through the collider.
void torture_move_collider(struct torture *scene, pbs_collider collider, const double velocity[3],
                           double travel, const double axis[3], double rate);
/// Prescribes the motion of an affine body: translation along the velocity by `travel` m.
void torture_move_affine(struct torture *scene, pbs_body body, const double velocity[3],
                         double travel);
/// Prescribes the motion of a body's vertices within `depth` of its end along +x or -x: rotation
/// about the x axis, limited as above.
void torture_turn_end(struct torture *scene, pbs_body body, int side, double depth, double rate);

#endif
