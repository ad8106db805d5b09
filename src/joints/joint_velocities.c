// Velocities that joints allow: conjugate gradients on J M^-1 J^T, whose rows may be redundant as
// long as the right side is in its range, which J v always is.
#include <math.h>

#include "base/matrix3/math3.h"
#include "joints/joint_set.h"

// Rounding ends the iteration; chains of n joints take about n of them.
static const double REDUCTION = 1e-28;
// Of a joint's arm, by which its gradient is differentiated.
static const double DIFFERENCE = 1e-4;
enum { ITERATIONS_PER_ROW = 4 };

static bool is_active(const struct joint_row *row) {
    switch (row->use) {
    case JOINT_EQUAL: return true;
    case JOINT_AT_MOST: return row->multiplier > 0.0;
    case JOINT_LIMITED: return fabs(row->multiplier) < row->limit;
    default: return false;
    }
}

/// Fills the Jacobian of active rows, without constrained axes; other rows are 0.
static size_t fill_jacobian(const struct joint_set *set, const struct stage_nodes *stage) {
    size_t active = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values;
        joint_measure(joint, stage->x, &values);
        for (uint32_t r = 0; r < JOINT_ROWS; r++) {
            double *const to = set->jacobian + JOINT_COORDINATES * (JOINT_ROWS * i + r);
            const bool used = r < joint->row_count && is_active(&joint->rows[r]);
            for (uint32_t k = 0; k < JOINT_COORDINATES; k++) {
                to[k] = 0.0;
            }
            if (used) {
                joint_gradient(joint, &joint->rows[r], &values, to);
            }
            for (uint32_t k = 0; k < 3 * joint->node_count; k++) {
                to[k] = stage_nodes_hold(stage, joint->node[k / 3], k % 3) ? 0.0 : to[k];
            }
            active += used;
        }
    }
    return active;
}

/// out = J v.
static void multiply(const struct joint_set *set, const double *v, double *out) {
    for (size_t row = 0; row < JOINT_ROWS * set->count; row++) {
        const struct joint *const joint = &set->joints[row / JOINT_ROWS];
        const double *const jacobian = set->jacobian + JOINT_COORDINATES * row;
        out[row] = 0.0;
        for (uint32_t k = 0; k < joint->node_count; k++) {
            out[row] += dot3(jacobian + 3 * (size_t)k, v + 3 * (size_t)joint->node[k]);
        }
    }
}

/// v += factor M^-1 J^T y.
static void add_impulses(const struct joint_set *set, const double *mass, double factor,
                         const double *y, double *v) {
    for (size_t row = 0; row < JOINT_ROWS * set->count; row++) {
        const struct joint *const joint = &set->joints[row / JOINT_ROWS];
        const double *const jacobian = set->jacobian + JOINT_COORDINATES * row;
        for (uint32_t k = 0; k < joint->node_count; k++) {
            double *const to = v + 3 * (size_t)joint->node[k];
            add_scaled3(to, factor * y[row] / mass[joint->node[k]], jacobian + 3 * (size_t)k, to);
        }
    }
}

static void zero_nodes(const struct joint_set *set, double *v) {
    for (size_t i = 0; i < set->count; i++) {
        for (uint32_t k = 0; k < set->joints[i].node_count; k++) {
            double *const to = v + 3 * (size_t)set->joints[i].node[k];
            to[0] = to[1] = to[2] = 0.0;
        }
    }
}

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
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

/// out += dJ/dt v at x. Gradients of all rows but lengths and angles are linear in x, so that the
/// difference is exact.
static void add_turning(const struct joint_set *set, const double *v, const double *x,
                        double *out) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        double fastest = 0.0;
        for (uint32_t k = 0; k < joint->node_count; k++) {
            fastest = fmax(fastest, norm3(v + 3 * (size_t)joint->node[k]));
        }
        const double time = fastest > 0.0 ? DIFFERENCE * joint->arm / fastest : 0.0;
        for (uint32_t r = 0; r < joint->row_count && time > 0.0; r++) {
            if (is_active(&joint->rows[r])) {
                const double ahead = speed_at(joint, &joint->rows[r], x, v, time);
                const double behind = speed_at(joint, &joint->rows[r], x, v, -time);
                out[JOINT_ROWS * i + r] += (ahead - behind) / (2.0 * time);
            }
        }
    }
}

void joint_set_project(struct joint_set *set, const struct stage_nodes *stage, const double *v,
                       double *a) {
    const size_t rows = JOINT_ROWS * set->count;
    const size_t active = set->count > 0 ? fill_jacobian(set, stage) : 0;
    if (active == 0) {
        return;
    }
    multiply(set, a, set->residual);
    if (v != NULL) {
        add_turning(set, v, stage->x, set->residual);
    }
    for (size_t i = 0; i < rows; i++) {
        set->impulse[i] = 0.0;
        set->direction[i] = set->residual[i];
    }
    double square = dot(rows, set->residual, set->residual);
    const double end = REDUCTION * square;
    for (size_t i = 0; i < ITERATIONS_PER_ROW * active && square > end; i++) {
        zero_nodes(set, set->node_product);
        add_impulses(set, stage->mass, 1.0, set->direction, set->node_product);
        multiply(set, set->node_product, set->product);
        const double curvature = dot(rows, set->direction, set->product);
        if (!(curvature > 0.0)) {
            break;
        }
        const double step = square / curvature;
        for (size_t k = 0; k < rows; k++) {
            set->impulse[k] += step * set->direction[k];
            set->residual[k] -= step * set->product[k];
        }
        const double next = dot(rows, set->residual, set->residual);
        for (size_t k = 0; k < rows; k++) {
            set->direction[k] = set->residual[k] + next / square * set->direction[k];
        }
        square = next;
    }
    add_impulses(set, stage->mass, -1.0, set->impulse, a);
}
