// One-sided joints in Newton's steps: which a step will meet, and what it reckons with then. One
// rope of 1 m between two particles.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "joints/joint_set.h"
#include "joints/joint_table.h"
#include "pbs/joint.h"
#include "sparse/ordering/layout.h"

struct rope {
    struct memory memory;
    struct layout layout;
    struct joint_set set;
};

static const double mass[2] = {1.0, 1.0}, stiffness[2] = {0.0, 0.0};
enum { WIDTH = 2, SIZE = 6 };

/// The particles are at (0, 0, 0) and (x, 0, 0).
static void hang(struct rope *rope, double x) {
    const uint32_t pair[2] = {0, 1};
    const struct stencils stencils = {1, 2, pair};
    const double place[6] = {0.0, 0.0, 0.0, x, 0.0, 0.0};
    const struct stage_nodes nodes = {
        .mass = mass, .stiffness = stiffness, .weight = 1.0, .x = place};
    memory_init(&rope->memory, NULL);
    assert_ok(layout_build(&rope->memory, 2, 0, &stencils, 1, &rope->layout));
    struct joint *const joint = memory_allocate(&rope->memory, 1, sizeof *joint);
    assert_non_null(joint);
    *joint = (struct joint){.arm = 1.0, .tolerance = 1e-9, .stiffening = 1.0, .node_count = 2};
    joint->node[1] = 1;
    joint->vectors[JOINT_GAP].weight[0] = -1.0;
    joint->vectors[JOINT_GAP].weight[1] = 1.0;
    joint_table_find(PBS_JOINT_DISTANCE)->coordinate(joint, &joint->rows[joint->row_count++]);
    joint->rows[0].use = JOINT_AT_MOST;
    joint->rows[0].target = 1.0;
    assert_ok(joint_set_build(&rope->memory, &rope->layout, joint, 1, &rope->set));
    joint_set_begin_step(&rope->set, place);
    joint_set_begin_stage(&rope->set, &nodes, 1.0);
}

static void drop(struct rope *rope) {
    joint_set_free(&rope->memory, &rope->set);
    layout_free(&rope->memory, &rope->layout);
    assert_int_equal(rope->memory.bytes_in_use, 0);
}

/// The Hessian over both particles, in their order.
static void linearize(struct rope *rope, double x, double out[SIZE * SIZE]) {
    const double place[6] = {0.0, 0.0, 0.0, x, 0.0, 0.0};
    struct contact_stencils stencils[JOINT_NODES];
    joint_set_linearize(&rope->set, place, NULL, false, stencils);
    assert_int_equal(stencils[WIDTH - 1].count, 1);
    const bool swapped = stencils[WIDTH - 1].rows[0] != rope->layout.row[0];
    for (uint32_t i = 0; i < SIZE; i++) {
        for (uint32_t j = 0; j < SIZE; j++) {
            const uint32_t a = swapped ? (i + 3) % SIZE : i, b = swapped ? (j + 3) % SIZE : j;
            out[i * SIZE + j] = stencils[WIDTH - 1].blocks[a * SIZE + b];
        }
    }
}

static void slack_rows_that_a_step_meets_are_foreseen(void **state) {
    (void)state;
    const double from[6] = {0.0, 0.0, 0.0, 0.9, 0.0, 0.0};
    const double out[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    const double in[6] = {0.0, 0.0, 0.0, -1.0, 0.0, 0.0};
    const double across[6] = {0.0, 0.0, 0.0, 0.0, 9.0, 0.0};
    struct rope rope;
    hang(&rope, 0.9);
    // A tenth of a metre is missing: the row acts from a tenth of the step on.
    assert_false(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 0.09));
    assert_false(joint_set_foresee(&rope.set, &(struct joint_step){from, in}, 1.0));
    assert_false(joint_set_foresee(&rope.set, &(struct joint_step){from, across}, 1.0));
    assert_false(joint_set_agrees(&rope.set, &(struct joint_step){from, out}));
    assert_true(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 0.11));
    assert_false(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 0.11));
    assert_true(joint_set_agrees(&rope.set, &(struct joint_step){from, out}));
    assert_false(joint_set_agrees(&rope.set, &(struct joint_step){from, in}));
    joint_set_forget_taut(&rope.set);
    assert_true(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 0.11));
    drop(&rope);
}

/// With its force, a force acts from where the rope is 0.05 m too short.
static void rows_act_from_where_their_force_does(void **state) {
    (void)state;
    const double from[6] = {0.0, 0.0, 0.0, 0.9, 0.0, 0.0};
    const double out[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    struct rope rope;
    hang(&rope, 0.9);
    struct joint_row *const row = &rope.set.joints[0].rows[0];
    row->multiplier = 0.05 * row->penalty;
    assert_false(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 0.04));
    assert_true(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 0.06));
    row->multiplier = 0.2 * row->penalty;
    joint_set_forget_taut(&rope.set);
    assert_false(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 1.0)); // acts
                                                                                      // already
    drop(&rope);
}

/// A Newton step reckons with a taut row as with an equality: gradient (lambda + rho C) J, Hessian
/// rho J J^T. Those of a slack one are zero.
static void taut_rows_count_as_equalities(void **state) {
    (void)state;
    const double from[6] = {0.0, 0.0, 0.0, 0.9, 0.0, 0.0};
    const double out[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    struct rope rope;
    double hessian[SIZE * SIZE], gradient[6] = {0.0};
    hang(&rope, 0.9);
    const struct joint_row *const row = &rope.set.joints[0].rows[0];
    linearize(&rope, 0.9, hessian);
    for (int k = 0; k < SIZE * SIZE; k++) {
        assert_true(hessian[k] == 0.0);
    }
    assert_false(joint_set_add_taut(&rope.set, from, gradient));
    assert_true(joint_set_foresee(&rope.set, &(struct joint_step){from, out}, 1.0));
    assert_true(joint_set_add_taut(&rope.set, from, gradient));
    linearize(&rope, 0.9, hessian);
    for (int i = 0; i < SIZE; i++) {
        const double first = i == 0 ? -1.0 : i == 3 ? 1.0 : 0.0;
        assert_near(gradient[i], -0.1 * row->penalty * first, 1e-14 * row->penalty, "gradient");
        for (int j = 0; j < SIZE; j++) {
            const double second = j == 0 ? -1.0 : j == 3 ? 1.0 : 0.0;
            assert_near(hessian[i * SIZE + j], row->penalty * first * second, 1e-14 * row->penalty,
                        "Hessian");
        }
    }
    drop(&rope);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slack_rows_that_a_step_meets_are_foreseen),
        cmocka_unit_test(rows_act_from_where_their_force_does),
        cmocka_unit_test(taut_rows_count_as_equalities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
