// Paths that are bent along constraints: what a constraint is on them differs from what the
// direction says by the third power of the step; on straight paths, and on those on which bodies
// turn, by the second.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "joints/joint_table.h"
#include "minimize/newton/path_scene.h"
#include "pbs/joint.h"

enum { NODES = PATH_NODES, COUNT = PATH_COUNT };

/// With a joint.
struct scene {
    struct path_scene path;
    struct joint_set joints;
    struct constraint_set constraints;
};

/// A distance between two random sums of nodes.
static void add_distance(struct scene *s, struct random *random) {
    struct joint *const joint = memory_allocate(&s->path.f.memory, 1, sizeof *joint);
    assert_non_null(joint);
    *joint = (struct joint){.arm = 1.0, .tolerance = 1e-9, .node_count = NODES};
    for (uint32_t k = 0; k < NODES; k++) {
        joint->node[k] = k;
        joint->vectors[JOINT_GAP].weight[k] = random_uniform(random, -1.0, 1.0);
    }
    joint_table_find(PBS_JOINT_DISTANCE)->coordinate(joint, &joint->rows[joint->row_count++]);
    assert_ok(joint_set_build(&s->path.f.memory, &s->path.f.assembly.layout, joint, 1, &s->joints));
    assert_ok(constraint_set_build(&s->path.f.memory, NODES, &s->joints, NULL, &s->constraints));
    const struct stage_nodes nodes = {
        .mass = s->path.f.mass, .weight = 1.0, .x = s->path.f.newton->current.x};
    joint_set_begin_step(&s->joints, nodes.x);
    s->path.f.objective.constraints = &s->constraints;
}

static void begin(struct scene *s, uint64_t seed) {
    struct random random = random_seed(seed);
    *s = (struct scene){.joints = {0}};
    path_scene_make(&s->path, &random);
    add_distance(s, &random);
}

static void end(struct scene *s) {
    constraint_set_free(&s->path.f.memory, &s->constraints);
    joint_set_free(&s->path.f.memory, &s->joints);
    fixture_destroy(&s->path.f);
}

static double constraint_at(const struct scene *s, const double *x) {
    struct joint_values values;
    joint_measure(&s->joints.joints[0], x, &values);
    return joint_constraint(&s->joints.joints[0], &s->joints.joints[0].rows[0], &values, 0.0);
}

/// What C at a step differs by from C + a J d.
static double deviation(struct scene *s, double step) {
    const struct joint *const joint = &s->joints.joints[0];
    const double *const x = s->path.f.newton->current.x;
    struct joint_values values;
    double gradient[JOINT_COORDINATES];
    joint_measure(joint, x, &values);
    joint_gradient(joint, &joint->rows[0], &values, gradient);
    double expected = constraint_at(s, x);
    for (size_t k = 0; k < COUNT; k++) {
        expected += step * gradient[k] * s->path.f.newton->direction[k];
    }
    search_path_place(&s->path.m, step, s->path.place);
    return constraint_at(s, s->path.place) - expected;
}

/// By which power of the step the constraint differs.
static double order_of(struct scene *s) {
    return log2(fabs(deviation(s, 2e-3) / deviation(s, 1e-3)));
}

/// With terms of the next order, a hundred times the step here, the logarithm of the ratio is off
/// by a tenth. The curvature of the path is measured over a hundredth of the step.
static void constraints_deviate_by_the_third_power(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        for (int turns = 0; turns < 2; turns++) {
            struct scene s;
            begin(&s, seed);
            s.path.m.path.is_curved = true;
            s.path.f.newton->screws[0].turns = false;
            assert_true(turns == 0 || screws_fit(&s.path.m) > 0.0);
            assert_near(order_of(&s), 2.0, 0.02, "order without a bend");
            search_path_bend(&s.path.m, 1e-5);
            assert_near(order_of(&s), 3.0, 0.1, "order");
            end(&s);
        }
    }
}

/// The order on the bent path of a body that turns, which a rope without a force holds that is too
/// long by `excess`, m.
static double order_with_rope(double excess, bool is_taut) {
    struct scene s;
    begin(&s, 4);
    struct joint_row *const row = &s.joints.joints[0].rows[0];
    *row = (struct joint_row){
        .form = row->form, .scale = 1.0, .use = JOINT_AT_MOST, .penalty = 1.0, .is_taut = is_taut};
    row->first = JOINT_GAP;
    row->target = constraint_at(&s, s.path.f.newton->current.x) - excess;
    s.path.m.path.is_curved = true;
    assert_true(screws_fit(&s.path.m) > 0.0);
    search_path_bend(&s.path.m, 1e-5);
    const double order = order_of(&s);
    end(&s);
    return order;
}

/// A rope that has just become taut resists by its penalty, its force is known only when the
/// iteration is over. The path goes along it, too, and along ropes that the direction meets. Those
/// that are slack bend nothing. The tolerances are those of the test before.
static void ropes_without_a_force_bend_paths_where_they_resist(void **state) {
    (void)state;
    assert_near(order_with_rope(0.01, false), 3.0, 0.1, "taut");
    assert_near(order_with_rope(-0.01, false), 2.0, 0.02, "slack");
    assert_near(order_with_rope(-0.01, true), 3.0, 0.1, "met by the direction");
}

/// Central differences of a path with third derivatives below 100: 1e-4^2 * 100 / 6.
static void the_derivative_is_that_of_the_places(void **state) {
    (void)state;
    struct scene s;
    double before[COUNT], difference[COUNT];
    begin(&s, 6);
    s.path.m.path.is_curved = true;
    assert_true(screws_fit(&s.path.m) > 0.0);
    search_path_bend(&s.path.m, 0.5);
    search_path_place(&s.path.m, 0.6 - 1e-4, before);
    search_path_place(&s.path.m, 0.6 + 1e-4, s.path.place);
    for (size_t k = 0; k < COUNT; k++) {
        difference[k] = (s.path.place[k] - before[k]) / 2e-4;
    }
    search_path_place(&s.path.m, 0.6, s.path.place);
    assert_small(testing_max_difference(difference, search_path_tangent(&s.path.m), COUNT), 2e-7,
                 "derivative, m");
    search_path_place(&s.path.m, 0.0, s.path.place);
    assert_small(testing_max_difference(s.path.place, s.path.f.newton->current.x, COUNT), 1e-15,
                 "start, m");
    assert_small(
        testing_max_difference(search_path_tangent(&s.path.m), s.path.f.newton->direction, COUNT),
        1e-14, "derivative at the start, m");
    end(&s);
}

/// Beyond half a turn lies another minimum. What moves on a line is not bounded, however fast.
static void bonded_particles_turn_by_half_a_radian_at_most(void **state) {
    (void)state;
    struct random random = random_seed(5);
    struct path_scene s;
    path_scene_make(&s, &random);
    struct layout *const layout = &s.f.assembly.layout;
    struct newton *const newton = s.f.newton;
    uint8_t kinds[PATH_NODES] = {0};
    double radii[PATH_NODES] = {0.0};
    const uint32_t row = layout->row[4];
    kinds[row] = NODE_ROTATION;
    radii[row] = 0.02;
    layout->kind = kinds;
    newton->radius_rows = radii;
    const double rate[3] = {0.0, 0.3, 0.4};
    copy3(rate, newton->direction + 3 * 4);
    assert_near(search_path_begin(&s.m), 0.5 * 0.02 / 0.5, 1e-15, "step");
    kinds[row] = NODE_POSITION;
    assert_true(search_path_begin(&s.m) == INFINITY);
    layout->kind = NULL;
    newton->radius_rows = NULL;
    fixture_destroy(&s.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_deviate_by_the_third_power),
        cmocka_unit_test(ropes_without_a_force_bend_paths_where_they_resist),
        cmocka_unit_test(the_derivative_is_that_of_the_places),
        cmocka_unit_test(bonded_particles_turn_by_half_a_radian_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
