// The functions and properties of shapes, one table per kind. A new shape is a file in
// src/geometry/shapes with its table, the table's name here and in the list in shape.c, and a
// constant in pbs/collider.h. Arrays of a shape (grids, meshes) are checked, copied and saved by
// src/world.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_SHAPE_TABLE_H
#define PBS_GEOMETRY_SHAPE_TABLE_H

#include "geometry/shape.h"

/// A point at which the distance is evaluated.
struct shape_point {
    const struct shape *shape;
    const struct pose *pose;
    const double *x; ///< in the world frame
    double p[3];     ///< in the shape's frame
};

/// The distance from the solid with its derivatives, in the shape's frame.
struct local_distance {
    double value;
    double gradient[3];
    double hessian[9];
};

/// The nearest intersection of a ray so far, in the shape's frame.
struct shape_hit {
    double limit; ///< m: intersections beyond this are ignored
    bool found;
    double distance;
    double normal[3]; ///< of any length
};

struct outline;

struct shape_table {
    const char *name; ///< in messages: "half-space"
    int size_count;   ///< number of sizes, which must be positive and finite
    /// Checks further conditions on the sizes; null: none.
    pbs_status (*check)(const struct shape *shape);

    // Distances: a table has either `local` or `distance`. local: out is zero on entry.
    void (*local)(const struct shape_point *at, struct local_distance *out);
    /// Same as shape_distance, times `side`, for shapes whose distance is cheaper to compute in the
    /// world frame.
    double (*distance)(const struct shape *shape, const struct pose *pose, double side,
                       const double x[3], double gradient[3], double hessian[9]);
    /// Computes the gradients and Hessians of the faces that contain p within `tolerance`, and
    /// returns their number. Null: never more than one.
    int (*faces)(const double size[3], const double p[3], double tolerance,
                 struct local_distance faces[3]);
    /// Computes the point of the boundary closest to p and a gradient there, of any length. Null:
    /// the point follows from the distance and its gradient.
    bool (*closest)(const struct shape *shape, const double p[3], double closest[3],
                    double gradient[3]);

    // Bounds: a table has either `half_extent` (of the solid along a world axis, given that axis's
    // row of the rotation) or `bounds` (as shape_bounds with margin >= 0).
    double (*half_extent)(const double size[3], const double row[3]);
    void (*bounds)(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                   double high[3]);

    /// Records each intersection of the ray o + t d (d unit, in the shape's frame) with the
    /// boundary.
    void (*ray)(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit);

    /// Draws the shape with the parts that shape_outline.h has.
    void (*outline)(const struct shape *shape, const struct outline *out);

    // --- contact ---
    bool is_flat;   ///< see shape_is_flat
    bool is_convex; ///< the solid is convex, and its signed distance a convex function
    /// The surface at a distance d inside is that of the shape whose size[0] is less by d. Where it
    /// is not, paths inside of the hollow shape are followed in steps (capsule_cast.c).
    bool has_radius;
    /// Same as shape_pieces for the hollow shape. Null: it is one piece.
    size_t (*hollow_pieces)(const struct shape *shape, const struct pose *pose,
                            struct shape_piece pieces[SHAPE_PIECES]);
    enum shape_contact contact[2];                    ///< for the solid and for the hollow shape
    uint32_t point_count, edge_count, triangle_count; ///< sizes of the surface's arrays
    /// Fills the arrays and the offset of the surface, which are zero on entry.
    void (*surface)(const double size[3], struct shape_surface *out);
};

extern const struct shape_table half_space_shape, sphere_shape, box_shape, capsule_shape,
    cylinder_shape, torus_shape, grid_shape;

/// Returns the table of a checked shape.
const struct shape_table *shape_table_of(const struct shape *shape);

/// Returns the table of a PBS_SHAPE_*; null: there is none, as of PBS_SHAPE_MESH.
const struct shape_table *shape_table_find(int32_t kind);

// --- helpers for tables ---

/// Transforms x to the frame of the pose: p.
void pose_to_frame(const struct pose *pose, const double x[3], double p[3]);

/// out = s R h R^T for symmetric h.
void rotate_hessian(const double rotation[9], double s, const double h[9], double out[9]);

/// Updates the hit if the distance is finite, not negative and at most that of the nearest hit so
/// far.
void shape_hit_record(struct shape_hit *hit, double distance, const double normal[3]);

#endif
