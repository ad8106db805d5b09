// The rigid motion of a body's shape that comes nearest to where its nodes are to be: of its rest
// shape what a body that is as good as rigid does, however far its nodes are from there; of the
// shape that it has, what changes its inertia alone.
#ifndef PBS_MINIMIZE_OBJECTIVE_RIGID_FIT_H
#define PBS_MINIMIZE_OBJECTIVE_RIGID_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A body whose own energy is lowest in this shape, wherever that lies and however it is turned.
struct rest_shape {
    size_t node_start, node_count;
    const double *positions;    ///< node_count x 3, m
    bool is_rotation_invariant; ///< nothing of E but inertia and constant forces feels how it is
                                ///< turned
};

/// Moves the shape to where sum m |R X + t - target|^2 is least, R a rotation, and writes its nodes
/// to `out`. Arrays but the shape's own are by node, all of the world's. False, and nothing is
/// written, where a node is held or numbers overflow. held may be null.
bool rigid_fit(const struct rest_shape *shape, const double *mass, const uint8_t *constrained_axes,
               const double *target, double *out);

/// The same of the shape that the body has at x in place of its rest shape. False also where
/// rotations about some axis come as near, or nearly so.
bool rigid_align(const struct rest_shape *shape, const double *mass,
                 const uint8_t *constrained_axes, const double *target, const double *x,
                 double *out);

#endif
