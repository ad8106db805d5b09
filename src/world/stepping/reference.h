// What tolerances, lengths and touching are relative to: the scene's own forces and extent.
#ifndef PBS_WORLD_STEPPING_REFERENCE_H
#define PBS_WORLD_STEPPING_REFERENCE_H

#include "world/world.h"

/// sqrt(sum over nodes of (E V^(2/3) + m |g|)^2), with D / sqrt(A) in shells instead of E V^(2/3)
/// and 0 in custom bodies. Where that is 0 (custom bodies without weight), *free_reference serves;
/// where it too is 0 it is measured now, at the state in the world: the norm of M v / h - grad P;
/// or, of a scene at rest without forces, of its masses at 1 m/s^2.
pbs_status reference_force(pbs_world *w, const struct objective *objective, double h,
                           double *free_reference, double *out);

/// grad P - M v / h at the state in the world, which is the gradient of implicit Euler's objective
/// there, contact left out; zero where the potential is infinite.
/// gradient: as of objective_evaluate.
pbs_status reference_gradient(const pbs_world *w, const struct objective *objective, double h,
                              double *gradient);

struct reference_lengths {
    double diagonal; ///< of the nodes' bounding box, or of the largest solid's at rest, which a
                     ///< crumpled one will want; 1 m for particles that all are at one place
    double scale;    ///< the larger of diagonal and largest coordinate, nodes and colliders: what
                     ///< rounding errors of distances are relative to
};

/// Metres, of the scene as it is.
struct reference_lengths reference_lengths(const struct scene *scene);

#endif
