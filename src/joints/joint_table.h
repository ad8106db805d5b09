// Kinds of joints. Each is one file in kinds/ with a table, a line in joint_table.c and a constant
// PBS_JOINT_*. A kind adds the rows that always hold. It also names the one quantity that limits,
// motors and springs act on, its coordinate: the angle of a hinge, the travel of a slider, the
// length of a rope. So no kind implements limits, motors and springs by itself.
// SPDX-License-Identifier: MIT
#ifndef PBS_JOINTS_JOINT_TABLE_H
#define PBS_JOINTS_JOINT_TABLE_H

#include "joints/joint.h"

struct joint_table {
    int32_t id; ///< PBS_JOINT_*
    const char *name;
    bool has_frames; ///< both sides must have axes
    bool closes;     ///< the points of both sides coincide; otherwise they may be apart
    /// Appends the rows that always hold.
    void (*add_rows)(struct joint *joint);
    /// Fills form and vectors of the coordinate, and the scale that converts it to metres. Null:
    /// the kind has no coordinate.
    void (*coordinate)(const struct joint *joint, struct joint_row *out);
    /// Fills the row C <= 0 that bounds the angle between the main axes of both sides by `limit`,
    /// between 0 and pi. It is the only row of the kind that needs axes on both sides, besides a
    /// twist. Null: the kind has no such limit.
    void (*limit_swing)(const struct joint *joint, double limit, struct joint_row *out);
    /// Fills form and scale of the twist, the rotation about the main axis. Null exactly where
    /// limit_swing is; a joint may limit one of both without the other.
    void (*twist)(const struct joint *joint, struct joint_row *out);
};

extern const struct joint_table joint_table_ball, joint_table_weld, joint_table_hinge,
    joint_table_slider, joint_table_cylinder, joint_table_distance;

/// Returns null if there is no such kind.
const struct joint_table *joint_table_find(int32_t id);

// Rows that several kinds share. Each keeps a quantity at its target, which is 0 unless the caller
// sets another one.

/// Adds the three components of a vector.
void joint_add_components(struct joint *joint, enum joint_vector_name vector);
/// Adds the dot product of two vectors. scale: 1 if one of them is a length, the arm if both are
/// axes.
void joint_add_product(struct joint *joint, enum joint_vector_name first,
                       enum joint_vector_name second, double scale);
/// Adds rows that keep the main axes of both sides parallel.
void joint_add_parallel_axes(struct joint *joint);
/// Adds rows that keep the sides from rotating relative to each other.
void joint_add_orientation(struct joint *joint);
/// Adds the two components of the gap across the main axis of a.
void joint_add_line(struct joint *joint);
/// Fills the coordinate of joints that slide along the main axis.
void joint_slide(const struct joint *joint, struct joint_row *out);

#endif
