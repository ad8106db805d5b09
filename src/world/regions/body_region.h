// Whether a body's surface touches a region.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_REGIONS_BODY_REGION_H
#define PBS_WORLD_REGIONS_BODY_REGION_H

#include "geometry/region.h"
#include "world/objects/body.h"

/// Returns the first triangle at or after `from` that touches the region, or triangle_count.
/// @param x  points, 3 each
/// @param triangles  triangle_count x 3
size_t region_next_triangle(const struct region *region, const double *x, const uint32_t *triangles,
                            size_t triangle_count, size_t from);

/// Whether the surface of triangles touches the region or encloses its centre.
bool region_touches_surface(const struct region *region, const double *x, const uint32_t *triangles,
                            size_t triangle_count);

/// Whether a body with its vertices at x touches the region. The bounding boxes are the caller's to
/// compare.
bool region_touches_body(const struct region *region, const struct body *body, const double *x);

/// The bounding box of a body with its vertices at x, spheres included.
void body_box(const struct body *body, const double *x, double low[3], double high[3]);

#endif
