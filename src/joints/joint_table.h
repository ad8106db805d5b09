// Kinds of joints: each is one file in kinds/ with a table, a line in joint_table.c and a constant
// PBS_JOINT_*. A kind adds the rows that always hold and names the quantity that is left free, its
// coordinate: the angle of a hinge, the way of a slider, the length of a rope. Limits, motors and
// springs act on the coordinate, so that no kind has its own.
#ifndef PBS_JOINTS_JOINT_TABLE_H
#define PBS_JOINTS_JOINT_TABLE_H

#include "joints/joint.h"

struct joint_table {
    int32_t id; ///< PBS_JOINT_*
    const char *name;
    bool has_frames; ///< both sides must have axes
    bool closes; ///< the points of both sides come together; else their distance may be anything
    /// Appends the rows that always hold.
    void (*add_rows)(struct joint *joint);
    /// Fills form and vectors of the coordinate, with the scale that makes it metres. Null: nothing
    /// is left free that could be limited or driven.
    void (*coordinate)(const struct joint *joint, struct joint_row *out);
    /// Fills the row C <= 0 that keeps the angle between the main axes of both sides, which need
    /// axes for it only, within a limit between 0 and pi. Null: the kind has no such limit.
    void (*limit_swing)(const struct joint *joint, double limit, struct joint_row *out);
    /// Fills form and scale of the turn about the main axes, with which swing goes: either limit
    /// may be had without the other.
    void (*twist)(const struct joint *joint, struct joint_row *out);
};

extern const struct joint_table joint_table_ball, joint_table_weld, joint_table_hinge,
    joint_table_slider, joint_table_cylinder, joint_table_distance;

/// Null if there is none.
const struct joint_table *joint_table_find(int32_t id);

// Rows that several kinds share.
/// The three components of a vector are 0.
void joint_add_components(struct joint *joint, enum joint_vector_name vector);
/// The product of two vectors is 0; scale: 1 if one of them is a length, the arm if both are axes.
void joint_add_product(struct joint *joint, enum joint_vector_name first,
                       enum joint_vector_name second, double scale);
/// The main axes of both sides stay parallel.
void joint_add_parallel_axes(struct joint *joint);
/// The sides do not turn against each other.
void joint_add_orientation(struct joint *joint);
/// The gap stays on the main axis of a.
void joint_add_line(struct joint *joint);
/// The coordinate of joints that slide along the main axis.
void joint_slide(const struct joint *joint, struct joint_row *out);

#endif
