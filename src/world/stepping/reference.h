// Reference values for tolerances and lengths: the scale of the scene's forces, and its extent.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_REFERENCE_H
#define PBS_WORLD_STEPPING_REFERENCE_H

#include "world/world.h"

/// Computes the reference force of the scene, N:
///     sqrt(sum over nodes of (s + m |g| + |w| + |f|)^2 + p^2 + q^2).
/// s is the node's scale of elastic forces: E V^(2/3) in solids, D / sqrt(A) in shells, 0 in custom
/// bodies. m |g| and w are the weights of struct gravity, f is the host's force, p is
/// pressure_reference and q is wind_reference. If the result is 0 (custom bodies without weight),
/// *free_reference takes its place. If that is 0 too, it is first set to the norm of M v / h -
/// grad P in the current state of the world. In a scene at rest without forces it is set to the
/// norm of the masses times 1 m/s^2.
pbs_status reference_force(pbs_world *w, const struct objective *objective, double h,
                           double *free_reference, double *out);

/// The same without wind for each body, and host_force: that of weight, loads and excess pressure
/// alone. N, one per body.
void reference_body_forces(const struct scene *scene, const struct solver *solver,
                           double *nominal_force, double *host_force);

/// Computes grad P - M v / h at the current state of the world, without contact. That is the
/// gradient of the objective of implicit Euler, and zero if the potential P is infinite. gradient:
/// as for objective_evaluate.
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
