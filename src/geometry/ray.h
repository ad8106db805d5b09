// Where a ray meets a triangle, or the boundary of a shape. Keeps nothing.
//
// Triangles are met watertightly (Woop, Benthin and Wald 2013, "Watertight ray/triangle
// intersection"): a ray through an edge or a corner that several triangles share meets at least one
// of them. Edge functions are to full accuracy here, so that this holds in all cases, and not only
// where rounding is kind.
#ifndef PBS_GEOMETRY_RAY_H
#define PBS_GEOMETRY_RAY_H

#include "geometry/shape.h"

struct ray {
    double origin[3];
    double direction[3]; ///< unit
    int axis[3];         ///< the last is the one along which the direction is longest
    double shear[3];     ///< takes the direction to the last axis
};

/// direction: finite and not zero, of any length.
void ray_make(const double origin[3], const double direction[3], struct ray *out);

/// Whether the ray meets the triangle (from either side, its boundary included) at a distance of 0
/// to limit, m; a triangle seen from its edge alone, or of no area, is not met. weight: of the
/// corners, >= 0, sum 1.
bool ray_meets_triangle(const struct ray *ray, const double *const corners[3], double limit,
                        double *distance, double weight[3]);

/// Whether the ray meets the shape's boundary, from either side, at a distance of 0 to limit, m:
/// the nearest such place. normal: unit, out of what is solid.
bool ray_meets_shape(const struct ray *ray, const struct shape *shape, const struct pose *pose,
                     double limit, double *distance, double normal[3]);

#endif
