// Reference values for tolerances and lengths: the scale of the scene's forces, and its extent.
#ifndef PBS_WORLD_STEPPING_REFERENCE_H
#define PBS_WORLD_STEPPING_REFERENCE_H

#include "world/world.h"

/// The reference force: sqrt(sum over nodes of (E V^(2/3) + m |g| + |f|)^2), f the host's force; in
/// shells D / sqrt(A) replaces E V^(2/3), in custom bodies 0. If that is 0 (custom bodies without
/// weight), the result is *free_reference. If that is also 0, it is computed at the current state
/// of the world: the norm of M v / h - grad P, or, for a scene at rest without forces, the norm of
/// its masses times 1 m/s^2.
pbs_status reference_force(pbs_world *w, const struct objective *objective, double h,
                           double *free_reference, double *out);

/// Computes grad P - M v / h at the current state of the world, without contact: the gradient of
/// the objective of implicit Euler there. It is zero if the potential is infinite.
/// gradient: as for objective_evaluate.
pbs_status reference_gradient(const pbs_world *w, const struct objective *objective, double h,
                              double *gradient);

struct reference_lengths {
    double diagonal; ///< diagonal of the bounding box of all vertices, or of the largest body at
                     ///< rest if that is larger (a crumpled body may unfold); 1 m if all vertices
                     ///< coincide
    double scale;    ///< the larger of the diagonal and the largest coordinate of vertices and
                     ///< colliders, which bounds rounding errors of distances
};

/// Computes the lengths, m, for the current state of the scene.
struct reference_lengths reference_lengths(const struct scene *scene);

#endif
