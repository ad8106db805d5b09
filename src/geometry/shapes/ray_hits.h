// Where a ray o + t d, in a shape's own frame, meets pieces of boundaries that several shapes have.
#ifndef PBS_GEOMETRY_SHAPES_RAY_HITS_H
#define PBS_GEOMETRY_SHAPES_RAY_HITS_H

#include "geometry/shape_table.h"

// Pieces of a boundary end where others begin; so little of each other they cover, relative to
// their size, that no ray slips through between them.
static const double RAY_SEAM = 1e-12;

/// Where |o + t d - centre| over these axes (bits) is `radius`, the centre being 0: two distances,
/// or none.
bool ray_roots(const double o[3], const double d[3], unsigned axes, double radius, double out[2]);

/// The part of a sphere about (0, y, 0) that lies beyond |y| in the sense of y; all of it for 0.
void ray_hit_sphere(const double o[3], const double d[3], double y, double radius,
                    struct shape_hit *hit);

/// The side of a cylinder about the y axis, of radius size[0] and half length size[1].
void ray_hit_side(const double o[3], const double d[3], const double size[3],
                  struct shape_hit *hit);

#endif
