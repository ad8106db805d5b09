// Rows of joints against differences: their gradients and second derivatives are what Newton's
// method stands on.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "joints/joint_table.h"
#include "pbs/joint.h"
#include "support/random.h"

enum { NODES = JOINT_NODES, COORDINATES = JOINT_COORDINATES };

static void random_vector(struct random *random, struct joint_vector *out) {
    for (int k = 0; k < NODES; k++) {
        out->weight[k] = random_uniform(random, -1.0, 1.0);
    }
    for (int k = 0; k < 3; k++) {
        out->constant[k] = random_uniform(random, -1.0, 1.0);
    }
}

/// A joint of a kind, all of whose vectors are random sums of eight nodes, with its coordinate, a
/// narrow and a wide limit of its swing, and its twist as more rows.
static struct joint random_joint(struct random *random, const struct joint_table *table,
                                 double *x) {
    struct joint joint = {.arm = 0.7, .node_count = NODES};
    for (uint32_t k = 0; k < NODES; k++) {
        joint.node[k] = NODES - 1 - k;
    }
    for (int v = 0; v < JOINT_VECTORS; v++) {
        random_vector(random, &joint.vectors[v]);
    }
    for (int k = 0; k < COORDINATES; k++) {
        x[k] = random_uniform(random, -1.0, 1.0);
    }
    table->add_rows(&joint);
    if (table->coordinate != NULL) {
        struct joint_row row = {.scale = 1.0};
        table->coordinate(&joint, &row);
        joint.rows[joint.row_count++] = row;
    }
    if (table->limit_swing != NULL) {
        table->limit_swing(&joint, 0.4, &joint.rows[joint.row_count++]);
        table->limit_swing(&joint, 2.8, &joint.rows[joint.row_count++]);
        table->twist(&joint, &joint.rows[joint.row_count++]);
    }
    return joint;
}

static double value_at(const struct joint *joint, const struct joint_row *row, const double *x) {
    struct joint_values values;
    joint_measure(joint, x, &values);
    return joint_constraint(joint, row, &values, 0.0);
}

/// By the joint's own order of nodes.
static void gradient_at(const struct joint *joint, const struct joint_row *row, const double *x,
                        double out[COORDINATES]) {
    struct joint_values values;
    joint_measure(joint, x, &values);
    joint_gradient(joint, row, &values, out);
}

static size_t coordinate_of(const struct joint *joint, int k) {
    return 3 * (size_t)joint->node[k / 3] + (size_t)k % 3;
}

// Central differences of functions whose third derivatives are of the order of 1 to 100 here.
static const double STEP = 1e-5;

static void gradients_are_derivatives(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int32_t kind = PBS_JOINT_BALL; kind <= PBS_JOINT_DISTANCE; kind++) {
        for (int trial = 0; trial < 20; trial++) {
            double x[COORDINATES];
            const struct joint joint = random_joint(&random, joint_table_find(kind), x);
            for (uint32_t r = 0; r < joint.row_count; r++) {
                double gradient[COORDINATES];
                gradient_at(&joint, &joint.rows[r], x, gradient);
                for (int k = 0; k < COORDINATES; k++) {
                    double *const moved = &x[coordinate_of(&joint, k)];
                    const double start = *moved;
                    *moved = start + STEP;
                    const double up = value_at(&joint, &joint.rows[r], x);
                    *moved = start - STEP;
                    const double down = value_at(&joint, &joint.rows[r], x);
                    *moved = start;
                    assert_near((up - down) / (2.0 * STEP), gradient[k],
                                1e-7 * (1.0 + fabs(gradient[k])), "gradient");
                }
            }
        }
    }
}

/// Second derivatives of products and lengths, with the sign that those of lengths have where they
/// are used; those of angles are left out.
static void curvatures_are_second_derivatives(void **state) {
    (void)state;
    struct random random = random_seed(2);
    const int32_t kinds[] = {PBS_JOINT_SLIDER, PBS_JOINT_DISTANCE, PBS_JOINT_BALL};
    for (int trial = 0; trial < 60; trial++) {
        double x[COORDINATES];
        const struct joint joint = random_joint(&random, joint_table_find(kinds[trial % 3]), x);
        for (uint32_t r = 0; r < joint.row_count; r++) {
            if (joint.rows[r].form == JOINT_TWIST) {
                continue;
            }
            const double factor = joint.rows[r].scale < 0.0 ? -3.0 : 3.0;
            double block[COORDINATES * COORDINATES] = {0.0};
            struct joint_values values;
            joint_measure(&joint, x, &values);
            joint_add_curvature(&joint, &joint.rows[r], &values, factor, block);
            for (int k = 0; k < COORDINATES; k++) {
                double up[COORDINATES], down[COORDINATES];
                double *const moved = &x[coordinate_of(&joint, k)];
                const double start = *moved;
                *moved = start + STEP;
                gradient_at(&joint, &joint.rows[r], x, up);
                *moved = start - STEP;
                gradient_at(&joint, &joint.rows[r], x, down);
                *moved = start;
                for (int j = 0; j <= k; j++) {
                    const double expected = factor * (up[j] - down[j]) / (2.0 * STEP);
                    assert_near(block[j * COORDINATES + k], expected, 1e-6 * (1.0 + fabs(expected)),
                                "second derivative");
                }
            }
        }
    }
}

/// Angles count turns from where they started.
static void angles_go_on_beyond_a_turn(void **state) {
    (void)state;
    struct joint joint = {.node_count = 1};
    joint.vectors[JOINT_A_U].constant[0] = 1.0;
    joint.vectors[JOINT_A_V].constant[1] = 1.0;
    const struct joint_row row = {.form = JOINT_ANGLE, .first = JOINT_B_U, .scale = 1.0};
    const double x[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 100; i++) {
        const double angle = 0.3 * i;
        struct joint_values values;
        joint.vectors[JOINT_B_U].constant[0] = cos(angle);
        joint.vectors[JOINT_B_U].constant[1] = sin(angle);
        joint_measure(&joint, x, &values);
        joint.angle_start = joint_quantity(&joint, &row, &values);
        assert_near(joint.angle_start, angle, 1e-12, "angle");
    }
}

/// out = in, turned about a unit axis.
static void turn_about(const double axis[3], double angle, const double in[3], double out[3]) {
    double across[3];
    cross3(axis, in, across);
    scale3(cos(angle), in, out);
    add_scaled3(out, sin(angle), across, out);
    add_scaled3(out, (1.0 - cos(angle)) * dot3(axis, in), axis, out);
}

/// Axes that are turned about the main axis and then swung, about any axis across it, have the
/// twist of the first turn, and the length of the chord that of the second.
static void twist_is_what_swing_leaves(void **state) {
    (void)state;
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const struct joint joint = {.node_count = 0};
    const struct joint_row row = {.form = JOINT_TWIST},
                           chord = {.form = JOINT_CHORD, .first = JOINT_B_T, .second = JOINT_A_T};
    struct random random = random_seed(3);
    for (int trial = 0; trial < 100; trial++) {
        const double twist = random_uniform(&random, -3.0, 3.0);
        const double swing = random_uniform(&random, 0.0, 3.0);
        const double toward = random_uniform(&random, -3.0, 3.0);
        const double across[3] = {cos(toward), sin(toward), 0.0};
        struct joint_values values = {.vector = {{0.0}}};
        for (int k = 0; k < 3; k++) {
            double turned[3];
            copy3(unit[k], values.vector[JOINT_A_U + k]);
            turn_about(unit[2], twist, unit[k], turned);
            turn_about(across, swing, turned, values.vector[JOINT_B_U + k]);
        }
        // Both parts of the angle are as small as 1 + cos(3), which multiplies rounding by 100.
        assert_near(joint_quantity(&joint, &row, &values), twist, 1e-13, "twist");
        assert_near(joint_quantity(&joint, &chord, &values), 2.0 * sin(0.5 * swing), 1e-15,
                    "chord");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_derivatives),
        cmocka_unit_test(curvatures_are_second_derivatives),
        cmocka_unit_test(angles_go_on_beyond_a_turn),
        cmocka_unit_test(twist_is_what_swing_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
