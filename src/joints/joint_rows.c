// Quantities of rows and their derivatives; see joint.h. Theory: docs/theory/joints.md section 2.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "joints/joint.h"

static const double TURN = 6.283185307179586;
// A component of the unit vector that no axis is at right angles to.
static const double SLANTED = 0.5773502691896258;

void joint_measure(const struct joint *joint, const double *x, struct joint_values *out) {
    for (int v = 0; v < JOINT_VECTORS; v++) {
        copy3(joint->vectors[v].constant, out->vector[v]);
        for (uint32_t k = 0; k < joint->node_count; k++) {
            add_scaled3(out->vector[v], joint->vectors[v].weight[k], x + 3 * (size_t)joint->node[k],
                        out->vector[v]);
        }
    }
}

/// Sine and cosine of the angle, times a common factor: of u_b against u_a and v_a, and of a twist
/// of v_b also, which sums to 1 + n_a . n_b times those of the turn that is left.
static void angle_parts(enum joint_form form, const struct joint_values *values, double *s,
                        double *c) {
    const double *a_u = values->vector[JOINT_A_U], *a_v = values->vector[JOINT_A_V];
    const double *b_u = values->vector[JOINT_B_U], *b_v = values->vector[JOINT_B_V];
    *s = dot3(b_u, a_v) - (form == JOINT_TWIST ? dot3(b_v, a_u) : 0.0);
    *c = dot3(b_u, a_u) + (form == JOINT_TWIST ? dot3(b_v, a_v) : 0.0);
}

static double angle(const struct joint *joint, enum joint_form form,
                    const struct joint_values *values) {
    double s, c;
    angle_parts(form, values, &s, &c);
    const double turned = atan2(s, c);
    return joint->angle_start + remainder(turned - joint->angle_start, TURN);
}

bool joint_has_angle(const struct joint *joint) {
    return joint->counted == JOINT_ANGLE || joint->counted == JOINT_TWIST;
}

static bool is_length(const struct joint_row *row) {
    return row->form == JOINT_LENGTH || row->form == JOINT_CHORD || row->form == JOINT_SUM;
}

/// The vector whose length the quantity is: the first of the row and this times the second.
static double second_factor(const struct joint_row *row) {
    return row->form == JOINT_CHORD ? -1.0 : row->form == JOINT_SUM ? 1.0 : 0.0;
}

static void length_vector(const struct joint_row *row, const struct joint_values *values,
                          double out[3]) {
    add_scaled3(values->vector[row->first], second_factor(row), values->vector[row->second], out);
}

double joint_quantity(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values) {
    const double *first = values->vector[row->first];
    switch (row->form) {
    case JOINT_COMPONENT: return first[row->axis];
    case JOINT_PRODUCT: return dot3(first, values->vector[row->second]);
    case JOINT_LENGTH:
    case JOINT_CHORD:
    case JOINT_SUM: {
        double vector[3];
        length_vector(row, values, vector);
        return norm3(vector);
    }
    default: return angle(joint, row->form, values);
    }
}

double joint_constraint(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values, double time) {
    return row->scale * (joint_quantity(joint, row, values) - row->target - row->rate * time);
}

/// out = factor (p a + q b), of the vector `name`.
static void write_derivative(enum joint_vector_name name, double factor, double p, const double *a,
                             double q, const double *b, struct joint_derivative *out) {
    out->name = name;
    scale3(factor * p, a, out->by);
    add_scaled3(out->by, factor * q, b, out->by);
}

/// theta = atan2(s, c): dtheta = (c ds - s dc) / (s^2 + c^2), with s = u_b . v_a and c = u_b . u_a
/// of an angle, s = u_b . v_a - v_b . u_a and c = u_b . u_a + v_b . v_a of a twist. The twist of
/// opposite axes can be any.
static int differentiate_angle(const struct joint_row *row, const struct joint_values *values,
                               struct joint_derivative out[JOINT_DERIVATIVES]) {
    const double *a_u = values->vector[JOINT_A_U], *a_v = values->vector[JOINT_A_V];
    const double *b_u = values->vector[JOINT_B_U], *b_v = values->vector[JOINT_B_V];
    double s, c;
    angle_parts(row->form, values, &s, &c);
    const double square = s * s + c * c;
    const double share = square > 0.0 ? row->scale / square : 0.0;
    const double both = row->form == JOINT_TWIST ? 1.0 : 0.0;
    write_derivative(JOINT_B_U, share, c, a_v, -s, a_u, &out[0]);
    write_derivative(JOINT_A_V, share, c, b_u, -both * s, b_v, &out[1]);
    write_derivative(JOINT_A_U, share, -s, b_u, -both * c, b_v, &out[2]);
    write_derivative(JOINT_B_V, share, -c, a_u, -s, a_v, &out[3]);
    return row->form == JOINT_TWIST ? 4 : 3;
}

static int differentiate_length(const struct joint_row *row, const struct joint_values *values,
                                struct joint_derivative out[JOINT_DERIVATIVES]) {
    double vector[3];
    length_vector(row, values, vector);
    // Of a vector of length 0 any direction is the derivative. None would tell that no node moves
    // the row, which then was left out of the whole stage.
    const double length = norm3(vector);
    for (int k = 0; k < 3; k++) {
        out[0].by[k] = row->scale * (length > 0.0 ? vector[k] / length : SLANTED);
    }
    out[1].name = row->second;
    scale3(second_factor(row), out[0].by, out[1].by);
    return row->form == JOINT_LENGTH ? 1 : 2;
}

int joint_differentiate(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values,
                        struct joint_derivative out[JOINT_DERIVATIVES]) {
    (void)joint;
    const double *first = values->vector[row->first];
    out[0].name = row->first;
    switch (row->form) {
    case JOINT_COMPONENT:
        out[0].by[0] = out[0].by[1] = out[0].by[2] = 0.0;
        out[0].by[row->axis] = row->scale;
        return 1;
    case JOINT_PRODUCT:
        scale3(row->scale, values->vector[row->second], out[0].by);
        out[1].name = row->second;
        scale3(row->scale, first, out[1].by);
        return 2;
    case JOINT_LENGTH:
    case JOINT_CHORD:
    case JOINT_SUM: return differentiate_length(row, values, out);
    default: return differentiate_angle(row, values, out);
    }
}

void joint_gradient(const struct joint *joint, const struct joint_row *row,
                    const struct joint_values *values, double out[JOINT_COORDINATES]) {
    struct joint_derivative parts[JOINT_DERIVATIVES];
    const int count = joint_differentiate(joint, row, values, parts);
    for (uint32_t k = 0; k < joint->node_count; k++) {
        double *const to = out + 3 * (size_t)k;
        to[0] = to[1] = to[2] = 0.0;
        for (int i = 0; i < count; i++) {
            add_scaled3(to, joint->vectors[parts[i].name].weight[k], parts[i].by, to);
        }
    }
}

/// The upper triangle of block += sum over nodes i, j of (a_i b_j + b_i a_j) m / 2, m symmetric.
static void add_pairs(const struct joint *joint, const double *a, const double *b,
                      const double m[9], double *block) {
    for (uint32_t i = 0; i < joint->node_count; i++) {
        for (uint32_t j = i; j < joint->node_count; j++) {
            const double weight = 0.5 * (a[i] * b[j] + b[i] * a[j]);
            for (uint32_t k = 0; weight != 0.0 && k < 9; k++) {
                block[(3 * i + k / 3) * JOINT_COORDINATES + 3 * j + k % 3] += weight * m[k];
            }
        }
    }
}

/// (1 - n n^T) / length, with the weights of the vector whose length it is.
static void add_length_curvature(const struct joint *joint, const struct joint_row *row,
                                 const struct joint_values *values, double scaled, double *block) {
    double v[3], weights[JOINT_NODES], m[9];
    length_vector(row, values, v);
    const double length = norm3(v);
    if (length == 0.0) {
        return;
    }
    for (int k = 0; k < 9; k++) {
        m[k] = scaled / length *
               ((k % 4 == 0 ? 1.0 : 0.0) - v[k / 3] / length * (v[k % 3] / length));
    }
    for (int k = 0; k < JOINT_NODES; k++) {
        weights[k] = joint->vectors[row->first].weight[k] +
                     second_factor(row) * joint->vectors[row->second].weight[k];
    }
    add_pairs(joint, weights, weights, m, block);
}

void joint_add_curvature(const struct joint *joint, const struct joint_row *row,
                         const struct joint_values *values, double factor, double *block) {
    const double *first = joint->vectors[row->first].weight;
    const double scaled = factor * row->scale;
    if (row->form == JOINT_PRODUCT) {
        const double m[9] = {2.0 * scaled, 0.0, 0.0, 0.0,         2.0 * scaled,
                             0.0,          0.0, 0.0, 2.0 * scaled};
        add_pairs(joint, first, joint->vectors[row->second].weight, m, block);
    } else if (is_length(row) && scaled > 0.0) {
        add_length_curvature(joint, row, values, scaled, block);
    }
}

void joint_add_wrench(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values, double force, struct joint_wrench *sum) {
    struct joint_derivative parts[JOINT_DERIVATIVES];
    const int count = joint_differentiate(joint, row, values, parts);
    for (int i = 0; i < count; i++) {
        double on_b[3], torque[3];
        scale3(-force, parts[i].by, on_b);
        const bool is_gap = parts[i].name == JOINT_GAP || parts[i].name == JOINT_OFFSET_GAP;
        if (is_gap) {
            add3(sum->force, on_b, sum->force);
            cross3(values->vector[JOINT_GAP], on_b, torque);
            add3(sum->torque, torque, sum->torque);
        } else if (parts[i].name >= JOINT_B_U) {
            cross3(values->vector[parts[i].name], on_b, torque);
            add3(sum->torque, torque, sum->torque);
        }
    }
}
