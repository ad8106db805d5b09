// How far a sphere or a capsule moves in a straight line until it touches a triangle or a shape.
// Has no state.
//
// The distance between two convex sets is a convex function of the path. So Newton's iteration for
// its zero approaches the time of impact from below, and converges quadratically unless the paths
// graze each other (conservative advancement, Mirtich 1996, with the separating plane as the bound
// of the closing speed).
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_CAPSULE_CAST_H
#define PBS_GEOMETRY_CAPSULE_CAST_H

#include "geometry/shape.h"

struct capsule_cast {
    double ends[2][3];   ///< m: of the axis at the start; equal for a sphere
    double radius;       ///< m
    double direction[3]; ///< unit
    double resolution;   ///< m: gaps below this count as touching
};

struct capsule_hit {
    double distance;  ///< m: path until the capsule touches; 0: it touches at the start
    double point[3];  ///< m: of the obstacle, closest to the capsule's axis
    double normal[3]; ///< unit: from the obstacle to the capsule
};

/// centre, axis: the centre of the capsule and half of its axis, m; the axis is 0 for a sphere.
/// extent: the largest coordinate that occurs, which limits the resolution.
void capsule_cast_make(const double centre[3], const double axis[3], double radius,
                       const double direction[3], double extent, struct capsule_cast *out);

/// Returns whether the capsule touches the triangle before it has moved by `limit`, m (may be
/// infinite). weights: barycentric weights of the point.
bool capsule_hits_triangle(const struct capsule_cast *cast, const double *const corners[3],
                           double limit, struct capsule_hit *hit, double weights[3]);

/// The same for the boundary of a shape; a capsule that starts inside touches at the start. Hits of
/// tori and grids are found if the capsule's axis goes deeper than about 1e-6 of its radius.
bool capsule_hits_shape(const struct capsule_cast *cast, const struct shape *shape,
                        const struct pose *pose, double limit, struct capsule_hit *hit);

#endif
