// Shapes with signed distance, its gradient and second derivatives: analytic ones, whose gradient
// is unit, and distances on a grid. phi < 0 inside a solid; a hollow shape is the solid's
// complement, so that a sphere is also a bowl and a box a room. Shapes live in a frame of their own
// and are placed by a pose.
#ifndef PBS_GEOMETRY_SHAPE_H
#define PBS_GEOMETRY_SHAPE_H

#include "base/runtime/memory.h"
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

/// The boundary's point closest to x, its distance from x and the boundary's normal there (unit,
/// out of what is solid). False where none is found: of a grid, see grid_closest.
bool shape_closest(const struct shape *shape, const struct pose *pose, const double x[3],
                   double closest[3], double *distance, double normal[3]);

/// An axis-aligned bound of the set phi <= margin; infinite where the set is not bounded.
void shape_bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                  double high[3]);

/// Whether derivatives of the distance are the same everywhere.
bool shape_is_flat(const struct shape *shape);

// --- smooth pieces ---

enum { SHAPE_PIECES = 6 };

/// A shape on whose outside, with those of the other pieces, everything is admissible.
struct shape_piece {
    struct shape shape;
    struct pose pose;
};

/// Inner edges, as those of a hollow box or cylinder, cut the boundary into several smooth pieces;
/// other shapes are one. Returns how many.
size_t shape_pieces(const struct shape *shape, const struct pose *pose,
                    struct shape_piece pieces[SHAPE_PIECES]);

// --- what contact by barriers sees ---

enum shape_contact {
    SHAPE_UNSEEN,  ///< nothing
    SHAPE_WALLS,   ///< its pieces bound a convex space, so that points inside are enough
    SHAPE_SURFACE, ///< points, edges and triangles
};

enum shape_contact shape_contact_of(const struct shape *shape);

/// What is as far as `offset` inside of the boundary, in the shape's frame.
struct shape_surface {
    double offset;                                    ///< m
    uint32_t point_count, edge_count, triangle_count; ///< edges of triangles do not count
    double *points;                                   ///< point_count x 3
    uint32_t *edges, *triangles;                      ///< edge_count x 2, triangle_count x 3
};

/// Of a shape that is seen as a surface. On failure (PBS_ERROR_MEMORY) there is nothing to free.
pbs_status shape_surface_make(struct memory *memory, const struct shape *shape,
                              struct shape_surface *out);
void shape_surface_free(struct memory *memory, struct shape_surface *surface);

/// Whether that surface is made of triangles around what is solid.
bool shape_is_enclosed(const struct shape *shape);

#endif
