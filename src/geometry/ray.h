// Intersection of a ray with a triangle, or with the boundary of a shape. Has no state.
//
// The triangle test is watertight (Woop, Benthin and Wald 2013, "Watertight ray/triangle
// intersection"): a ray through an edge or corner that several triangles share hits at least one of
// them. Edge functions are computed to full relative accuracy here, so that this holds without
// exception.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_RAY_H
#define PBS_GEOMETRY_RAY_H

#include "geometry/shape.h"

struct ray {
    double origin[3];
    double direction[3]; ///< unit
    int axis[3];         ///< axis[2]: axis of the direction's largest component
    double shear[3];     ///< shear that maps the direction to axis[2]
};

/// Initialises a ray. direction: finite, not zero, of any length.
void ray_make(const double origin[3], const double direction[3], struct ray *out);

/// Returns whether the ray hits the triangle at a distance from 0 to limit, m. Both sides and the
/// boundary count. A triangle of zero area, or seen exactly from its edge, is not hit. weight:
/// barycentric coordinates, >= 0, sum 1.
bool ray_hits_triangle(const struct ray *ray, const double *const corners[3], double limit,
                       double *distance, double weight[3]);

/// Returns whether the ray hits the shape's boundary, from either side, at a distance from 0 to
/// limit, m. Writes the smallest distance, and the unit normal there, which points out of the
/// solid.
bool ray_hits_shape(const struct ray *ray, const struct shape *shape, const struct pose *pose,
                    double limit, double *distance, double normal[3]);

#endif
