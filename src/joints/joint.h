// A joint between two points of bodies, as scalar equations C(x) = 0 over its nodes, called rows.
// Each of its two sides, a and b, is a frame: a point and three axes. A frame is linear in at most
// four nodes, whatever kind of body these belong to. The kind of the joint decides which rows it
// has (joint_table.h). Theory: docs/theory/joints.md.
// SPDX-License-Identifier: MIT
#ifndef PBS_JOINTS_JOINT_H
#define PBS_JOINTS_JOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOINT_NODES = 8, JOINT_COORDINATES = 3 * JOINT_NODES, JOINT_ROWS = 10 };

/// A vector that is linear in the nodes: constant + sum_k weight[k] x_k.
struct joint_vector {
    double weight[JOINT_NODES];
    double constant[3];
};

/// The vectors of a joint between sides a and b. Axes have unit length when the joint is made.
enum joint_vector_name {
    JOINT_GAP,        ///< x_b - x_a, m
    JOINT_OFFSET_GAP, ///< x_b - x_a minus its initial value, which is constant in the axes of a
    JOINT_A_U,        ///< two axes of a across its main axis
    JOINT_A_V,
    JOINT_A_T, ///< the main axis of a, such as the axis of a hinge or a slider
    JOINT_B_U, ///< the same three axes of b
    JOINT_B_V,
    JOINT_B_T,
    JOINT_VECTORS
};

/// The quantity q of a row.
enum joint_form {
    JOINT_COMPONENT, ///< a component of the first vector
    JOINT_PRODUCT,   ///< the dot product of the first and the second vector
    JOINT_LENGTH,    ///< the length of the first vector
    JOINT_CHORD,     ///< the length of (first - second): of unit vectors 2 sin(angle / 2)
    JOINT_SUM,       ///< the length of (first + second): of unit vectors 2 cos(angle / 2)
    JOINT_ANGLE,     ///< rad: rotation of b relative to a about the main axis, full turns included
    JOINT_TWIST ///< rad: the same without the shortest rotation that takes the main axis of a to
                ///< that of b
};

/// What is required of C = scale (q - target).
enum joint_use {
    JOINT_EQUAL,   ///< C = 0
    JOINT_AT_MOST, ///< C <= 0
    JOINT_LIMITED, ///< C = 0, as far as a force of magnitude `limit` achieves it: a motor
    JOINT_SPRING   ///< nothing: the potential stiffness C^2 / 2 pulls C to 0, with a damper
};

struct joint_row {
    enum joint_form form;
    enum joint_use use;
    enum joint_vector_name first, second;
    int axis;      ///< of JOINT_COMPONENT: which component, 0 .. 2
    double scale;  ///< converts q to metres: 1 for lengths, the joint's arm for angles. Negative
                   ///< where C <= 0 bounds q from below
    double target; ///< desired value of q at the start of the step
    double rate;   ///< change of the target per second during the step
    double limit;  ///< N, of JOINT_LIMITED: largest force
    double stiffness, damping; ///< N/m and N s/m, of JOINT_SPRING
    double multiplier;         ///< lambda, N
    double resistance; ///< N/m: stiffness of the free nodes against a change of C; 0: no free node
                       ///< changes C
    double penalty;    ///< rho of the augmented Lagrangian, N/m
    double start;      ///< m: C at the start of the step, of JOINT_SPRING
    bool is_taut;      ///< of JOINT_AT_MOST, see joint_set_foresee
};

struct joint {
    uint32_t node_count;
    uint32_t node[JOINT_NODES];
    uint32_t number; ///< the caller's number of the joint, for messages
    struct joint_vector vectors[JOINT_VECTORS];
    double gap_velocity[3]; ///< m/s: of x_b - x_a where the sides are points in space that move
    uint32_t row_count;
    struct joint_row rows[JOINT_ROWS];
    double arm;              ///< m: converts angles to lengths
    double tolerance;        ///< m: largest gap that counts as closed, for every row
    double stiffening;       ///< factor of all penalties, >= 1; kept for the next step
    double angle_start;      ///< rad: the angle at the start of the step, full turns included
    enum joint_form counted; ///< JOINT_ANGLE or JOINT_TWIST: the form of the angle whose full turns
                             ///< are counted. Any other form: the joint has no such angle
    uint32_t whole_row_count; ///< row_count before joint_set_break set it to 0
};

/// The vectors of a joint at some state.
struct joint_values {
    double vector[JOINT_VECTORS][3];
};

/// Computes the vectors with the nodes at x.
void joint_measure(const struct joint *joint, const double *x, struct joint_values *out);

/// Returns the quantity q of a row.
double joint_quantity(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values);

/// Returns C of a row, m. time: s since the start of the step.
double joint_constraint(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values, double time);

/// Whether the joint has an angle whose full turns are counted.
bool joint_has_angle(const struct joint *joint);

/// Computes the derivatives of C with respect to the vectors. Returns how many vectors C depends
/// on.
enum { JOINT_DERIVATIVES = 4 };
struct joint_derivative {
    enum joint_vector_name name;
    double by[3];
};
int joint_differentiate(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values,
                        struct joint_derivative out[JOINT_DERIVATIVES]);

/// Computes the gradient of C with respect to the joint's nodes.
void joint_gradient(const struct joint *joint, const struct joint_row *row,
                    const struct joint_values *values, double out[JOINT_COORDINATES]);

/// Adds factor times the second derivatives of C to the upper triangle of block, which has
/// JOINT_COORDINATES^2 entries. Second derivatives of angles are left out. Those of lengths are
/// left out where factor times scale is negative, since they would make the block indefinite.
void joint_add_curvature(const struct joint *joint, const struct joint_row *row,
                         const struct joint_values *values, double factor, double *block);

/// The force on side b, N, and the torque on it about the point of side a, N m.
struct joint_wrench {
    double force[3], torque[3];
};
/// Adds what one row exerts. force: of the row, N, along the gradient of C.
void joint_add_wrench(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values, double force, struct joint_wrench *sum);

#endif
