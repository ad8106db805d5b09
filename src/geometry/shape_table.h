// What every shape is asked, one row each. A new shape is a file in src/geometry/shapes with its
// row, the row's name here and its place in shape.c, and a constant of pbs/collider.h. What shapes
// are given by arrays (grids, meshes) is checked, copied and saved by src/world besides.
#ifndef PBS_GEOMETRY_SHAPE_TABLE_H
#define PBS_GEOMETRY_SHAPE_TABLE_H

#include "geometry/shape.h"

/// A point that a distance is asked for.
struct shape_point {
    const struct shape *shape;
    const struct pose *pose;
    const double *x; ///< in the world
    double p[3];     ///< in the shape's frame
};

/// The distance from the solid and its derivatives, in the shape's frame.
struct local_distance {
    double value;
    double gradient[3];
    double hessian[9];
};

/// The nearest place of a ray so far, in the shape's frame.
struct shape_hit {
    double limit; ///< m: what is farther does not count
    bool found;
    double distance;
    double normal[3]; ///< of any length
};

struct shape_table {
    const char *name; ///< in messages: "half-space"
    int size_count;   ///< sizes that must be positive and finite
    /// What sizes must satisfy besides; null: nothing.
    pbs_status (*check)(const struct shape *shape);

    // Distances. Either of the first two; out is zero before.
    void (*local)(const struct shape_point *at, struct local_distance *out);
    /// As shape_distance, times `side`: where it costs less than a distance in the shape's frame.
    double (*distance)(const struct shape *shape, const struct pose *pose, double side,
                       const double x[3], double gradient[3], double hessian[9]);
    /// Gradients and Hessians of the faces that p lies on within `tolerance`; how many. Null: never
    /// more than one.
    int (*faces)(const double size[3], const double p[3], double tolerance,
                 struct local_distance faces[3]);
    /// The place of the boundary closest to p, and a gradient there, of any length. Null: the
    /// distance and its gradient lead there.
    bool (*closest)(const struct shape *shape, const double p[3], double closest[3],
                    double gradient[3]);

    // Bounds. Either: how far the solid reaches from its origin along a world axis, whose row of
    // the rotation is given; or as shape_bounds with a margin that is not negative.
    double (*half_extent)(const double size[3], const double row[3]);
    void (*bounds)(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                   double high[3]);

    /// Offers each place where the ray o + t d (d unit, in the shape's frame) meets the boundary.
    void (*ray)(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit);

    // Contact.
    bool is_flat; ///< see shape_is_flat
    /// As shape_pieces, of the hollow shape. Null: it is one piece.
    size_t (*hollow_pieces)(const struct shape *shape, const struct pose *pose,
                            struct shape_piece pieces[SHAPE_PIECES]);
    enum shape_contact contact[2];                    ///< of the solid and of the hollow shape
    uint32_t point_count, edge_count, triangle_count; ///< of its surface
    /// Fills the arrays and the offset of the surface; everything is zero before.
    void (*surface)(const double size[3], struct shape_surface *out);
};

extern const struct shape_table half_space_shape, sphere_shape, box_shape, capsule_shape,
    cylinder_shape, torus_shape, grid_shape;

/// Of a shape that was checked.
const struct shape_table *shape_table_of(const struct shape *shape);

// --- for rows ---

/// p = x in the frame of the pose.
void pose_to_frame(const struct pose *pose, const double x[3], double p[3]);

/// out = s R h R^T, of symmetric h.
void rotate_hessian(const double rotation[9], double s, const double h[9], double out[9]);

/// The hit becomes this place, if it lies ahead and is no farther than what was found before.
void shape_hit_record(struct shape_hit *hit, double distance, const double normal[3]);

#endif
