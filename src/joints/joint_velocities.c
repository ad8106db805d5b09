// What joints ask of velocities and accelerations: rows of J v = 0 and J a + dJ/dt v = 0.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "joints/joint_set.h"

// Of a joint's arm, by which its gradient is differentiated.
static const double DIFFERENCE = 1e-4;

/// Whether a row of joint `index` acts, with the joint at `values`.
static bool is_active(const struct joint_set *set, size_t index, uint32_t r,
                      const struct joint_values *values, enum joint_acting acting) {
    const struct joint_row *const row = &set->joints[index].rows[r];
    switch (row->use) {
    case JOINT_EQUAL: return true;
    case JOINT_AT_MOST:
        return row->multiplier > 0.0 ||
               (acting == JOINT_IS_MET && joint_set_row_is_met(set, index, r, values));
    case JOINT_LIMITED: return fabs(row->multiplier) < row->limit;
    default: return false;
    }
}

/// Writes a row's gradient at `values` to the Jacobian, or zeros if it is not used. Returns whether
/// a free node moves the row.
static bool write_row(const struct joint_set *set, const struct stage_nodes *stage, size_t index,
                      uint32_t r, const struct joint_values *values, bool used,
                      struct node_row *rows) {
    const struct joint *const joint = &set->joints[index];
    double *const to = set->jacobian + JOINT_COORDINATES * (JOINT_ROWS * index + r);
    bool moves = false;
    for (uint32_t k = 0; k < JOINT_COORDINATES; k++) {
        to[k] = 0.0;
    }
    if (used) {
        joint_gradient(joint, &joint->rows[r], values, to);
    }
    for (uint32_t k = 0; k < 3 * joint->node_count; k++) {
        to[k] = stage_nodes_hold(stage, joint->node[k / 3], k % 3) ? 0.0 : to[k];
        moves = moves || to[k] != 0.0;
    }
    rows[JOINT_ROWS * index + r] = (struct node_row){joint->node_count, joint->node, to};
    return moves;
}

size_t joint_set_write_rows(const struct joint_set *set, const struct stage_nodes *stage,
                            enum joint_acting acting, struct node_row *rows) {
    size_t active = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values;
        joint_measure(joint, stage->x, &values);
        for (uint32_t r = 0; r < JOINT_ROWS; r++) {
            const bool used = r < joint->row_count && is_active(set, i, r, &values, acting);
            write_row(set, stage, i, r, &values, used, rows);
            active += used;
        }
    }
    return active;
}

size_t joint_set_write_gaps(const struct joint_set *set, const struct stage_nodes *stage,
                            const double *x, double time, struct node_row *rows, double *out,
                            double *widest) {
    size_t active = 0;
    *widest = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values, directions;
        joint_measure(joint, x, &values);
        joint_measure(joint, stage->x, &directions);
        for (uint32_t r = 0; r < JOINT_ROWS; r++) {
            const struct joint_row *const row = &joint->rows[r];
            double c = 0.0;
            if (r < joint->row_count && (row->use == JOINT_EQUAL || row->use == JOINT_AT_MOST)) {
                c = joint_constraint(joint, row, &values, time);
                c = row->use == JOINT_AT_MOST ? fmax(c, 0.0) : c;
            }
            const bool used = write_row(set, stage, i, r, &directions, c != 0.0, rows);
            out[JOINT_ROWS * i + r] = used ? c : 0.0;
            *widest = fmax(*widest, used ? fabs(c) / joint->tolerance : 0.0);
            active += used;
        }
    }
    return active;
}

/// The rate of C, m/s: of the nodes, the target, and the points of space.
static double rate_of(const struct joint *joint, const struct joint_row *row,
                      const struct joint_values *values, const double *v) {
    struct joint_derivative derivatives[JOINT_DERIVATIVES];
    double gradient[JOINT_COORDINATES];
    double rate = -row->scale * row->rate;
    joint_gradient(joint, row, values, gradient);
    for (uint32_t k = 0; k < joint->node_count; k++) {
        rate += dot3(gradient + 3 * (size_t)k, v + 3 * (size_t)joint->node[k]);
    }
    const int count = joint_differentiate(joint, row, values, derivatives);
    for (int d = 0; d < count; d++) {
        if (derivatives[d].name == JOINT_GAP || derivatives[d].name == JOINT_OFFSET_GAP) {
            rate += dot3(derivatives[d].by, joint->gap_velocity);
        }
    }
    return rate;
}

size_t joint_set_write_rates(const struct joint_set *set, const struct stage_nodes *stage,
                             double time, const double *v, struct node_row *rows, double *out) {
    size_t active = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values;
        joint_measure(joint, stage->x, &values);
        for (uint32_t r = 0; r < JOINT_ROWS; r++) {
            const struct joint_row *const row = &joint->rows[r];
            double rate = 0.0;
            bool used = false;
            if (r < joint->row_count) {
                rate = rate_of(joint, row, &values, v);
                used = row->use == JOINT_EQUAL ||
                       (row->use == JOINT_AT_MOST && rate > 0.0 &&
                        joint_constraint(joint, row, &values, time) > -2.0 * joint->tolerance);
            }
            used = write_row(set, stage, i, r, &values, used, rows);
            out[JOINT_ROWS * i + r] = used ? rate : 0.0;
            active += used;
        }
    }
    return active;
}

/// The rate of C of a row at x + time v.
static double speed_at(const struct joint *joint, const struct joint_row *row, const double *x,
                       const double *v, double time) {
    struct joint_values values, rates;
    double gradient[JOINT_COORDINATES];
    double sum = 0.0;
    joint_measure(joint, x, &values);
    joint_measure(joint, v, &rates);
    for (int k = 0; k < JOINT_VECTORS; k++) {
        subtract3(rates.vector[k], joint->vectors[k].constant, rates.vector[k]);
        add_scaled3(values.vector[k], time, rates.vector[k], values.vector[k]);
    }
    joint_gradient(joint, row, &values, gradient);
    for (uint32_t k = 0; k < joint->node_count; k++) {
        sum += dot3(gradient + 3 * (size_t)k, v + 3 * (size_t)joint->node[k]);
    }
    return sum;
}

// Gradients of all rows but lengths and angles are linear in x, so that the difference is exact.
void joint_set_add_velocity_terms(const struct joint_set *set, const double *v, const double *x,
                                  enum joint_acting acting, double *out) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values;
        double fastest = 0.0;
        joint_measure(joint, x, &values);
        for (uint32_t k = 0; k < joint->node_count; k++) {
            fastest = fmax(fastest, norm3(v + 3 * (size_t)joint->node[k]));
        }
        const double time = fastest > 0.0 ? DIFFERENCE * joint->arm / fastest : 0.0;
        for (uint32_t r = 0; r < joint->row_count && time > 0.0; r++) {
            if (is_active(set, i, r, &values, acting)) {
                const double ahead = speed_at(joint, &joint->rows[r], x, v, time);
                const double behind = speed_at(joint, &joint->rows[r], x, v, -time);
                out[JOINT_ROWS * i + r] += (ahead - behind) / (2.0 * time);
            }
        }
    }
}
