// A bounded convex region of space, and what touches it: points with a radius, triangles, shapes.
// Has no state. Touching counts, within rounding.
//
// The least value of a convex function over a triangle or a box is found by branch and bound: the
// tangent plane at the centre bounds the function from below.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_REGION_H
#define PBS_GEOMETRY_REGION_H

#include "geometry/shape.h"

struct region {
    struct shape shape; ///< solid, of a kind that region_takes
    struct pose pose;
    double low[3], high[3]; ///< m: bounding box
};

/// Returns whether solids of a PBS_SHAPE_* are regions: those of a table (shape_table.h) that says
/// convex and bounded, such as spheres and boxes.
bool region_takes(int32_t kind);

void region_make(const struct shape *shape, const struct pose *pose, struct region *out);

/// Returns whether the boxes overlap or touch.
bool region_meets_box(const struct region *region, const double low[3], const double high[3]);

/// Returns whether the ball touches the region.
bool region_touches_ball(const struct region *region, const double centre[3], double radius);

/// Returns whether the triangle touches the region. Gaps below 1e-9 of its size count as touching.
bool region_touches_triangle(const struct region *region, const double *const corners[3]);

/// Returns whether the solid of a shape touches the region: convex shapes within 1e-9 of the
/// region's size, other ones within a 256th of it.
bool region_touches_shape(const struct region *region, const struct shape *shape,
                          const struct pose *pose);

#endif
