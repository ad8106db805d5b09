// Shapes with signed distance, its gradient and second derivatives: analytic ones, whose gradient
// is unit, and distances on a grid. phi < 0 inside a solid; a hollow shape is the solid's
// complement, so that a sphere is also a bowl and a box a room. Shapes live in a frame of their own
// and are placed by a pose.
#ifndef PBS_GEOMETRY_SHAPE_H
#define PBS_GEOMETRY_SHAPE_H

#include "geometry/grids/distance_grid.h"

struct shape {
    int32_t kind; ///< PBS_SHAPE_*, but of a mesh
    bool hollow;
    double size[3]; ///< half-space: none (z... see PBS_SHAPE_*); sphere: radius; box: half extents;
                    ///< capsule, cylinder: radius, half length; torus: radii of ring and tube
    const struct distance_grid *grid; ///< of PBS_SHAPE_GRID, checked, in the shape's frame; not
                                      ///< owned
};

/// Rigid placement: world = rotation * local + translation. rotation: row-major, proper.
struct pose {
    double rotation[9];
    double translation[3];
};

/// PBS_ERROR_ARGUMENT with a sentence when a size is not positive and finite or the kind is
/// unknown. Of a grid distance_grid_check says that.
pbs_status shape_check(const struct shape *shape);

/// Signed distance from world point x. gradient (3, unit but of a grid, whose interpolation has it)
/// and hessian (9, row-major, symmetric) may be null. On the medial axis, where the gradient is not
/// unique, one of the candidates is given, always the same.
double shape_distance(const struct shape *shape, const struct pose *pose, const double x[3],
                      double gradient[3], double hessian[9]);

/// The faces of a shape, gradient (3, unit) and hessian (9) of each, that the surface point x lies
/// on within `tolerance`: more than one at the edges and corners of a solid box or cylinder; at
/// least one, whose derivatives are shape_distance's when it is the only one. Returns their number.
int shape_faces(const struct shape *shape, const struct pose *pose, const double x[3],
                double tolerance, double gradients[3][3], double hessians[3][9]);

/// An axis-aligned bound of the set phi <= margin; infinite where the set is not bounded.
void shape_bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                  double high[3]);

#endif
