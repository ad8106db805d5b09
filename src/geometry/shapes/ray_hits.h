// Intersections of a ray o + t d, in a shape's own frame, with pieces of boundaries that several
// shapes share.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_SHAPES_RAY_HITS_H
#define PBS_GEOMETRY_SHAPES_RAY_HITS_H

#include "geometry/shape_table.h"

// Relative overlap of adjacent pieces of a boundary, so that no ray passes between them.
static const double RAY_SEAM = 1e-12;

/// Solves |o + t d| = radius over the selected axes (bits) for t. Returns whether there are two
/// roots.
bool ray_roots(const double o[3], const double d[3], unsigned axes, double radius, double out[2]);

/// Records the hits of a sphere about (0, y, 0), of which only the part beyond |y| in the direction
/// of y counts; the whole sphere for y = 0.
void ray_hit_sphere(const double o[3], const double d[3], double y, double radius,
                    struct shape_hit *hit);

/// Records the hits of the side of a cylinder about the y axis, of radius size[0] and half length
/// size[1].
void ray_hit_side(const double o[3], const double d[3], const double size[3],
                  struct shape_hit *hit);

#endif
