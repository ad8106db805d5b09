// Shapes with signed distance, gradient and second derivatives: analytic shapes, whose gradient has
// unit length, and distances on a grid. phi < 0 inside the solid. A hollow shape is the complement
// of the solid: a hollow sphere is a bowl, a hollow box a room. A pose places the shape's own frame
// in the world.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_SHAPE_H
#define PBS_GEOMETRY_SHAPE_H

#include "base/runtime/memory.h"
#include "geometry/grids/distance_grid.h"

struct shape {
    int32_t kind; ///< PBS_SHAPE_*, except that of a mesh
    bool hollow;
    double size[3]; ///< half-space: unused; sphere: radius; box: half extents; capsule, cylinder:
                    ///< radius, half length; torus: radii of ring and tube
    const struct distance_grid *grid; ///< for PBS_SHAPE_GRID: the checked grid, in the shape's
                                      ///< frame; not owned
};

/// A rigid pose: world = rotation * local + translation. rotation: row-major, proper.
struct pose {
    double rotation[9];
    double translation[3];
};

/// Checks the sizes of an analytic shape. Returns PBS_ERROR_ARGUMENT, with a message, for an
/// unknown kind or a size that is not positive and finite. Grids are checked by
/// distance_grid_check.
pbs_status shape_check(const struct shape *shape);

/// Returns the signed distance of world point x. gradient (3; of unit length except for a grid,
/// which returns that of its interpolation) and hessian (9, row-major, symmetric) may be null. On
/// the medial axis, where the gradient is not unique, always the same one of the candidates is
/// returned.
double shape_distance(const struct shape *shape, const struct pose *pose, const double x[3],
                      double gradient[3], double hessian[9]);

/// Lists the faces of a shape that contain the surface point x within `tolerance`, as the gradient
/// (3, unit) and hessian (9) of each. There are several at the edges and corners of a solid box or
/// cylinder. If there is only one, its derivatives are those of shape_distance. Returns their
/// number, at least 1.
int shape_faces(const struct shape *shape, const struct pose *pose, const double x[3],
                double tolerance, double gradients[3][3], double hessians[3][9]);

/// Computes the point of the boundary closest to x, its distance from x, and the unit normal there,
/// which points out of the solid. Returns false if none is found; for a grid, see grid_closest.
bool shape_closest(const struct shape *shape, const struct pose *pose, const double x[3],
                   double closest[3], double *distance, double normal[3]);

/// Computes an axis-aligned bounding box of the set phi <= margin, infinite where the set is
/// unbounded.
void shape_bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                  double high[3]);

/// Returns whether the derivatives of the distance are the same everywhere.
bool shape_is_flat(const struct shape *shape);

/// Returns whether the signed distance is a convex function: of solid half-spaces, spheres, boxes,
/// capsules and cylinders, and of flat shapes.
bool shape_is_convex(const struct shape *shape);

// --- smooth pieces ---

enum { SHAPE_PIECES = 6 };

/// A shape and its pose. The admissible region is the intersection of the exteriors of all pieces.
struct shape_piece {
    struct shape shape;
    struct pose pose;
};

/// Splits a shape whose boundary has inner edges (a hollow box or cylinder) into smooth pieces;
/// other shapes are one piece. Returns the number of pieces.
size_t shape_pieces(const struct shape *shape, const struct pose *pose,
                    struct shape_piece pieces[SHAPE_PIECES]);

// --- representation in barrier contact ---

enum shape_contact {
    SHAPE_UNSEEN,  ///< not represented
    SHAPE_WALLS,   ///< its pieces bound a convex region; testing points against them is sufficient
    SHAPE_SURFACE, ///< represented by points, edges and triangles
};

enum shape_contact shape_contact_of(const struct shape *shape);

/// The surface for barrier contact, in the shape's frame. It lies `offset` inside the boundary.
struct shape_surface {
    double offset;                                    ///< m
    uint32_t point_count, edge_count, triangle_count; ///< edges of triangles are not counted
    double *points;                                   ///< point_count x 3
    uint32_t *edges, *triangles;                      ///< edge_count x 2, triangle_count x 3
};

/// Builds the surface of a shape of kind SHAPE_SURFACE. On failure (PBS_ERROR_MEMORY) there is
/// nothing to free.
pbs_status shape_surface_make(struct memory *memory, const struct shape *shape,
                              struct shape_surface *out);
void shape_surface_free(struct memory *memory, struct shape_surface *surface);

/// Returns whether the surface consists of triangles that enclose the solid.
bool shape_is_enclosed(const struct shape *shape);

#endif
