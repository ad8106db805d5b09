// A joint between two points of bodies, as equations C(x) = 0 over its nodes. A joint sees frames:
// a point and three axes on each side, all linear in at most four nodes, whatever the body is. What
// its kind adds are rows, one scalar equation each (joint_table.h). Theory: docs/theory/joints.md.
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

/// The vectors of a joint between sides a and b. Axes are unit when the joint is made.
enum joint_vector_name {
    JOINT_GAP,        ///< x_b - x_a, m
    JOINT_OFFSET_GAP, ///< the same less what it was when the joint was made, in the frame of a
    JOINT_A_U,
    JOINT_A_V,
    JOINT_A_T, ///< the main axis: of a hinge, of a slider
    JOINT_B_U,
    JOINT_B_V,
    JOINT_B_T,
    JOINT_VECTORS
};

/// The quantity q of a row.
enum joint_form {
    JOINT_COMPONENT, ///< a component of the first vector
    JOINT_PRODUCT,   ///< the product of the first and the second vector
    JOINT_LENGTH,    ///< the length of the first vector
    JOINT_CHORD,     ///< that of the first less the second: of unit vectors 2 sin(angle / 2)
    JOINT_SUM,       ///< that of the first and the second: of unit vectors 2 cos(angle / 2)
    JOINT_ANGLE,     ///< rad: how far b has turned against a about the main axis, turns counted
    JOINT_TWIST ///< rad: likewise, less the shortest turn that takes one main axis to the other
};

/// What the equation C = scale (q - target) asks for.
enum joint_use {
    JOINT_EQUAL,   ///< C = 0
    JOINT_AT_MOST, ///< C <= 0
    JOINT_LIMITED, ///< C = 0 as far as a force of magnitude `limit` achieves it
    JOINT_SPRING   ///< nothing: a potential stiffness C^2 / 2 pulls C to 0, with damping
};

struct joint_row {
    enum joint_form form;
    enum joint_use use;
    enum joint_vector_name first, second;
    int axis;      ///< of JOINT_COMPONENT: 0 .. 2
    double scale;  ///< makes C metres: 1 for lengths, the joint's arm for angles; its sign chooses
                   ///< the side
    double target; ///< of q, at the start of the step
    double rate;   ///< of q, per second: the target moves during the step
    double limit;  ///< N, of JOINT_LIMITED
    double stiffness, damping; ///< N/m and N s/m, of JOINT_SPRING
    double multiplier;         ///< lambda, N
    double resistance;         ///< N/m: of the nodes against the row; 0: no free node moves it
    double penalty;            ///< rho, N/m
    double start;              ///< m: C at the start of the step, of JOINT_SPRING
};

struct joint {
    uint32_t node_count;
    uint32_t node[JOINT_NODES];
    uint32_t number; ///< the caller's, for messages
    struct joint_vector vectors[JOINT_VECTORS];
    uint32_t row_count;
    struct joint_row rows[JOINT_ROWS];
    double arm;               ///< m: what turns angles into lengths
    double tolerance;         ///< m, of every row
    double stiffening;        ///< factor of all penalties, >= 1; kept from step to step
    double angle_start;       ///< rad: the angle at the start of the step, turns counted
    enum joint_form counted;  ///< JOINT_ANGLE or JOINT_TWIST: the angle; else there is none
    uint32_t whole_row_count; ///< of a joint that joint_set_break broke: row_count before
};

/// The vectors of a joint at some state.
struct joint_values {
    double vector[JOINT_VECTORS][3];
};

void joint_measure(const struct joint *joint, const double *x, struct joint_values *out);

/// The quantity q of a row.
double joint_quantity(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values);

/// C of a row, m. time: s since the start of the step.
double joint_constraint(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values, double time);

/// Whether the joint has an angle whose turns are counted.
bool joint_has_angle(const struct joint *joint);

/// The derivatives of C by the vectors. Returns how many vectors C depends on.
enum { JOINT_DERIVATIVES = 4 };
struct joint_derivative {
    enum joint_vector_name name;
    double by[3];
};
int joint_differentiate(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values,
                        struct joint_derivative out[JOINT_DERIVATIVES]);

/// The gradient of C over the joint's nodes.
void joint_gradient(const struct joint *joint, const struct joint_row *row,
                    const struct joint_values *values, double out[JOINT_COORDINATES]);

/// The upper triangle of block += factor times the second derivatives of C, JOINT_COORDINATES
/// squared entries. Second derivatives of angles are left out, and those of lengths where factor
/// times scale is negative, where they make the block indefinite.
void joint_add_curvature(const struct joint *joint, const struct joint_row *row,
                         const struct joint_values *values, double factor, double *block);

/// Force on side b, N, and torque on it about the point of side a, N m, for the rows' forces.
struct joint_wrench {
    double force[3], torque[3];
};
void joint_add_wrench(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values, double force, struct joint_wrench *sum);

#endif
