// Bodies turned as if rigid between iterations: springs between all corners of a cube, as they are
// after an iteration, with a predictor that asks for another orientation.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "minimize/fixture.h"
#include "minimize/springs.h"
#include "minimize/newton/state.h"
#include "support/random.h"

enum { CORNERS = 8, BODIES = 2, NODES = BODIES * CORNERS, PAIRS = CORNERS * (CORNERS - 1) / 2 };

struct scene {
    struct fixture f;
    struct springs springs;
    uint32_t stencils[2 * BODIES * PAIRS];
    double rests[BODIES * PAIRS], places[3 * CORNERS];
    struct rest_shape shapes[BODIES];
    double x[3 * NODES];
    uint8_t held[NODES];
    struct minimization m;
};

/// Two cubes side by side, of corners that lie anywhere, and where each of them is to go: somewhere
/// near in another shape, turned by anything.
static void place(struct scene *s, uint64_t seed) {
    struct random random = random_seed(seed);
    random_fill(&random, 0.1, 2.0, s->f.mass, NODES);
    for (size_t b = 0; b < BODIES; b++) {
        double rotation[9];
        random_rotation(&random, rotation);
        for (size_t i = 0; i < CORNERS; i++) {
            const size_t node = b * CORNERS + i;
            double *const x = s->x + 3 * node;
            for (size_t k = 0; k < 3; k++) {
                x[k] = s->places[3 * i + k] + random_uniform(&random, -0.3, 0.3);
            }
            multiply3(rotation, x, s->f.predictor + 3 * node);
            s->f.predictor[3 * node + 1] += random_uniform(&random, -0.1, 0.1);
            s->f.predictor[3 * node] += 5.0 * (double)b + 0.3;
            x[0] += 5.0 * (double)b;
        }
    }
}

/// Springs that are at rest where the corners are those of a cube.
static void connect(struct scene *s) {
    size_t count = 0;
    for (size_t k = 0; k < (size_t)3 * CORNERS; k++) {
        s->places[k] = (double)(k / 3 >> k % 3 & 1U);
    }
    for (size_t b = 0; b < BODIES; b++) {
        s->shapes[b] = (struct rest_shape){b * CORNERS, CORNERS, s->places, true};
        for (uint32_t i = 0; i < CORNERS; i++) {
            for (uint32_t k = 0; k < i; k++, count++) {
                s->stencils[2 * count] = (uint32_t)(b * CORNERS) + i;
                s->stencils[2 * count + 1] = (uint32_t)(b * CORNERS) + k;
                double side[3];
                subtract3(s->places + 3 * (size_t)i, s->places + 3 * (size_t)k, side);
                s->rests[count] = norm3(side);
            }
        }
    }
}

static void create(struct scene *s, uint64_t seed, int32_t threads) {
    *s = (struct scene){.springs = {.stiffness = 1e3}};
    s->springs.rests = s->rests;
    connect(s);
    fixture_create(&s->f, &(struct fixture_input){.node_count = NODES,
                                                  .width = 2,
                                                  .stencil_count = BODIES * PAIRS,
                                                  .stencils = s->stencils,
                                                  .evaluate = springs_evaluate,
                                                  .user = &s->springs,
                                                  .threads = threads,
                                                  .domains = 3});
    place(s, seed);
    s->f.objective.weight = 1e-2;
    s->f.objective.rest_shapes = s->shapes;
    s->f.objective.rest_shape_count = BODIES;
    s->f.objective.constrained_axes = s->held;
    s->f.scene.constrained_axes = s->held;
    s->f.options.aligns = true;
}

/// As after an iteration that gained nothing and ended at x.
static bool align(struct scene *s) {
    struct newton *const newton = s->f.newton;
    assert_ok(projection_begin(&s->f.memory, &s->f.scene, &s->f.projection));
    s->m = (struct minimization){.newton = newton,
                                 .objective = &s->f.objective,
                                 .projection = &s->f.projection,
                                 .options = &s->f.options,
                                 .result.newton_iterations = 1};
    assert_true(minimization_evaluate(&s->m, s->x));
    iterate_swap(&newton->trial, &newton->current);
    minimization_activate(&s->m);
    s->m.value_before = newton->current.objective.value;
    return minimization_align(&s->m);
}

static double inertia(const struct scene *s, size_t body, const double *x) {
    double sum = 0.0;
    for (size_t i = body * CORNERS; i < (body + 1) * CORNERS; i++) {
        double away[3];
        subtract3(x + 3 * i, s->f.predictor + 3 * i, away);
        sum += 0.5 * s->f.mass[i] * dot3(away, away) / s->f.objective.weight;
    }
    return sum;
}

static void assert_moved_as_if_rigid(const struct scene *s, size_t body, const double *x) {
    for (size_t i = body * CORNERS; i < (body + 1) * CORNERS; i++) {
        for (size_t k = body * CORNERS; k < i; k++) {
            double a[3], b[3];
            subtract3(x + 3 * i, x + 3 * k, a);
            subtract3(s->x + 3 * i, s->x + 3 * k, b);
            assert_near(norm3(a), norm3(b), 1e-13, "distance");
        }
    }
    double volumes[2];
    for (int end = 0; end < 2; end++) {
        const double *const at = (end ? x : s->x) + 3 * body * CORNERS;
        double sides[9];
        subtract3(at + 3, at, sides);
        subtract3(at + 6, at, sides + 3);
        subtract3(at + 12, at, sides + 6);
        volumes[end] = determinant3(sides);
    }
    assert_near(volumes[1], volumes[0], 1e-13, "volume");
}

static bool has_moved(const struct scene *s, size_t body) {
    return memcmp(s->f.newton->current.x + 3 * body * CORNERS, s->x + 3 * body * CORNERS,
                  (size_t)3 * CORNERS * sizeof(double)) != 0;
}

/// Elasticity does not feel it, and what the minimiser goes on with is what belongs to the new
/// place.
static void energy_falls_by_what_inertia_gains(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct scene s;
        create(&s, seed, 1);
        const struct newton *const newton = s.f.newton;
        assert_true(align(&s));
        const struct objective_result *const now = &newton->current.objective;
        double gain = 0.0;
        for (size_t b = 0; b < BODIES; b++) {
            assert_moved_as_if_rigid(&s, b, newton->current.x);
            gain += inertia(&s, b, s.x) - inertia(&s, b, newton->current.x);
        }
        assert_true(gain > 0.0);
        // Rounding of places, about 10 of them at 10 m with forces of 1e4 N, is some 1e-10 J.
        assert_near(s.m.value_before - now->value, gain, 1e-9, "energy");
        double gradient[3 * NODES * 4];
        assert_true(s.f.assembly.vector_slot_count <= (size_t)NODES * 4);
        const struct objective_result again = objective_evaluate(&s.f.objective, newton->current.x,
                                                                 true, gradient, NULL);
        assert_same_bits(&again.value, &now->value, 1);
        assert_same_bits(gradient, newton->current.gradient, (size_t)3 * NODES);
        // Where inertia wants no motion more there is none.
        memcpy(s.x, newton->current.x, sizeof s.x);
        assert_false(align(&s));
        assert_false(has_moved(&s, 0) || has_moved(&s, 1));
        fixture_destroy(&s.f);
    }
}

/// The minimiser ends where it ends without, in fewer iterations or as many.
static void minima_are_the_same(void **state) {
    (void)state;
    struct scene s;
    create(&s, 3, 1);
    s.springs.stiffness = 1e5;
    s.f.options.newton_limit = 10000;
    s.f.options.initial_guess = NEWTON_GUESS_GIVEN;
    s.f.options.tolerance = 1e-3;
    double value[2];
    for (int aligns = 0; aligns < 2; aligns++) {
        double x[3 * NODES];
        memcpy(x, s.x, sizeof x);
        s.f.options.aligns = aligns != 0;
        const struct newton_result result = fixture_minimize(&s.f, x);
        assert_ok(result.status);
        assert_true(aligns == 0 ? result.alignments == 0 : result.alignments > 0);
        value[aligns] = result.value;
    }
    // The gradient is 1e-3 N and the softest stiffness mass / weight = 10 N/m.
    assert_near(value[1], value[0], 1e-6, "energy");
    fixture_destroy(&s.f);
}

static void what_is_held_or_damped_stays(void **state) {
    (void)state;
    struct scene s;
    create(&s, 5, 1);
    s.held[3] = PBS_AXIS_Y;
    s.f.scene.targets = s.x;
    assert_true(align(&s));
    assert_false(has_moved(&s, 0));
    assert_true(has_moved(&s, 1));
    s.held[3] = 0;
    s.shapes[1].is_rotation_invariant = false;
    assert_true(align(&s));
    assert_true(has_moved(&s, 0));
    assert_false(has_moved(&s, 1));
    s.f.objective.weight = INFINITY;
    assert_false(align(&s));
    s.f.objective.weight = 1e-2;
    s.f.options.aligns = false;
    assert_false(align(&s));
    assert_false(has_moved(&s, 0) || has_moved(&s, 1));
    fixture_destroy(&s.f);
}

/// A wall between both bodies that the first one touches, or would have to go through.
static void what_touches_or_would_stays(void **state) {
    (void)state;
    uint8_t colliding[NODES];
    memset(colliding, 1, sizeof colliding);
    struct scene s;
    create(&s, 7, 1);
    // It faces -x, at x = d.
    struct obstacle wall = {.shape = {.kind = PBS_SHAPE_HALF_SPACE},
                            .pose = {.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}}};
    double rightmost = -INFINITY;
    for (size_t i = 0; i < CORNERS; i++) {
        rightmost = fmax(rightmost, s.x[3 * i]);
        s.f.predictor[3 * i] += 100.0;
    }
    s.f.scene.obstacles = &wall;
    s.f.scene.obstacle_count = 1;
    memset(colliding + CORNERS, 0, CORNERS);
    s.f.scene.colliding = colliding;
    for (int touches = 0; touches < 2; touches++) {
        wall.pose.translation[0] = touches ? rightmost : rightmost + 0.01;
        assert_true(align(&s));
        assert_int_equal(s.f.projection.active_count, touches);
        assert_false(has_moved(&s, 0));
        assert_true(has_moved(&s, 1));
    }
    // Away from it the body may go.
    wall.pose.translation[0] = 1e3;
    assert_true(align(&s));
    assert_true(has_moved(&s, 0));
    fixture_destroy(&s.f);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    static struct scene one, many;
    create(&one, 9, 1);
    create(&many, 9, 4);
    assert_true(align(&one));
    assert_true(align(&many));
    assert_same_bits(one.f.newton->current.x, many.f.newton->current.x, (size_t)3 * NODES);
    assert_same_bits(&one.f.newton->current.objective.value,
                     &many.f.newton->current.objective.value, 1);
    fixture_destroy(&one.f);
    fixture_destroy(&many.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_falls_by_what_inertia_gains),
        cmocka_unit_test(minima_are_the_same),
        cmocka_unit_test(what_is_held_or_damped_stays),
        cmocka_unit_test(what_touches_or_would_stays),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
