// The rigid motion of a body's shape that fits target positions of its nodes best. rigid_fit moves
// the rest shape: the motion of a nearly rigid body, however far its nodes are from there.
// rigid_align moves the current shape, which changes the inertial energy only.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_OBJECTIVE_RIGID_FIT_H
#define PBS_MINIMIZE_OBJECTIVE_RIGID_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A body whose own energy is minimal in this shape at any position and orientation.
struct rest_shape {
    size_t node_start, node_count;
    const double *positions;    ///< node_count x 3, m
    bool is_rotation_invariant; ///< only inertia and constant forces in E depend on its orientation
};

/// Finds the rotation R and translation t that minimise sum m |R X + t - target|^2 and writes the
/// moved shape to `out`. Arrays other than the shape's are indexed by the nodes of the world.
/// Returns false without writing if a node is constrained or numbers overflow. constrained_axes may
/// be null.
bool rigid_fit(const struct rest_shape *shape, const double *mass, const uint8_t *constrained_axes,
               const double *target, double *out);

/// The same with the shape that the body has at x instead of its rest shape. Returns false also if
/// the best rotation is not unique or nearly so.
bool rigid_align(const struct rest_shape *shape, const double *mass,
                 const uint8_t *constrained_axes, const double *target, const double *x,
                 double *out);

#endif
