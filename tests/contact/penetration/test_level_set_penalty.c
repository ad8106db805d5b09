// Obstacles as penalties: derivatives beside differences for every shape and for grids, what is
// continuous at the surface, semidefinite matrices, how deep a load and an impact go, and that
// Newton's method finds its way on cubic grids.
// SPDX-License-Identifier: MIT
#include "contact/penetration/level_set_penalty.h"

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "pbs/collider.h"
#include "scenes/contact/particle_in_bowl.h"
#include "support/random.h"
#include "support/testing.h"

static const double K = 2e4; // Pa

// --- obstacles ---

enum { SIDE = 24, ANALYTIC = 11, GRIDS = 4, OBSTACLES = ANALYTIC + GRIDS };

static float samples[2][SIDE * SIDE * SIDE];
static struct distance_grid grids[GRIDS];

/// A ball with bumps, or the room that it is cut out of; not quite a distance.
static double bumpy(const double x[3]) {
    return norm3(x) - 0.7 - 0.05 * sin(4.0 * x[0] + 1.0) * sin(3.0 * x[1]) * cos(3.5 * x[2]);
}

static void make_grids(void) {
    for (int g = 0; g < GRIDS; g++) {
        const double cell = 2.6 / (SIDE - 1);
        const bool is_room = g / 2 == 1;
        grids[g] = (struct distance_grid){.origin = {-1.3, -1.3, -1.3},
                                          .cell = cell,
                                          .counts = {SIDE, SIDE, SIDE},
                                          .samples = samples[g / 2],
                                          .is_linear = g % 2 == 1};
        for (size_t i = 0; i < COUNT_OF(samples[0]); i++) {
            const size_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            double x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = grids[g].origin[k] + cell * (double)at[k];
            }
            samples[g / 2][i] = (float)(is_room ? -bumpy(x) : bumpy(x));
        }
        assert_ok(distance_grid_check(&grids[g]));
    }
}

/// Solid and hollow by turns, anywhere; then grids: cubic and linear, a solid and a room.
static struct obstacle make_obstacle(struct random *random, int which) {
    static const struct shape shapes[] = {
        {.kind = PBS_SHAPE_SPHERE, .size = {0.7}},
        {.kind = PBS_SHAPE_BOX, .size = {0.5, 0.3, 0.8}},
        {.kind = PBS_SHAPE_CAPSULE, .size = {0.4, 0.6}},
        {.kind = PBS_SHAPE_CYLINDER, .size = {0.5, 0.4}},
        {.kind = PBS_SHAPE_TORUS, .size = {0.6, 0.25}},
        {.kind = PBS_SHAPE_HALF_SPACE},
    };
    struct obstacle out = {.shape = {.kind = PBS_SHAPE_GRID}};
    if (which < ANALYTIC) {
        out.shape = shapes[which / 2];
        out.shape.hollow = which % 2 == 1;
    } else {
        out.shape.grid = &grids[which - ANALYTIC];
    }
    random_rotation(random, out.pose.rotation);
    random_fill(random, -1.0, 1.0, out.pose.translation, 3);
    return out;
}

static double depth_at(const struct obstacle *o, const double x[3]) {
    return -shape_distance(&o->shape, &o->pose, x, NULL, NULL);
}

static void random_place(struct random *random, const struct obstacle *o, double x[3]) {
    random_fill(random, -1.4, 1.4, x, 3);
    add3(x, o->pose.translation, x);
}

// --- derivatives ---

/// Whether the gradient of the distance has no jump within `step`, and its second derivatives
/// change along each axis alike on both sides: else there is an edge, a medial axis or a face of a
/// cell.
static bool is_smooth(const struct obstacle *o, const double x[3], double step) {
    double n[3], h[9], other[3], bend[2][9], q[3];
    shape_distance(&o->shape, &o->pose, x, n, h);
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) {
            copy3(x, q);
            q[axis] += side == 0 ? step : -step;
            shape_distance(&o->shape, &o->pose, q, other, bend[side]);
            if (testing_max_difference(n, other, 3) > 100.0 * step) {
                return false;
            }
        }
        for (int e = 0; e < 9; e++) {
            if (fabs(bend[0][e] - 2.0 * h[e] + bend[1][e]) > 1e-5) {
                return false;
            }
        }
    }
    return true;
}

/// Central differences over 1e-5 m: rounding is 1e-16 times the energy, 2e4 at most, over the step,
/// 2e-7 N; their error is step^2 times third derivatives of 1e4 to 1e8, so 1e-6 and 1e-2. Of linear
/// grids there is the first part of the Hessian alone.
static void derivatives_are_those_of_the_energy(void **state) {
    (void)state;
    const double step = 1e-5;
    struct random random = random_seed(11);
    for (int which = 0; which < OBSTACLES; which++) {
        int count = 0;
        for (int trial = 0; trial < 2000; trial++) {
            const struct obstacle o = make_obstacle(&random, which);
            double x[3], gradient[3], hessian[9], n[3];
            random_place(&random, &o, x);
            const double depth = depth_at(&o, x);
            if (depth < 1e-3 || !is_smooth(&o, x, step)) {
                continue;
            }
            count++;
            const double value = level_set_penalty(&o, K, false, x, gradient, hessian);
            assert_near(value, K * depth * depth * depth, 1e-12 * value, "energy, J");
            shape_distance(&o.shape, &o.pose, x, n, NULL);
            for (int i = 0; i < 3; i++) {
                double high[3], low[3], after[3], before[3];
                copy3(x, high);
                copy3(x, low);
                high[i] += step;
                low[i] -= step;
                const double rise = level_set_penalty(&o, K, false, high, after, NULL) -
                                    level_set_penalty(&o, K, false, low, before, NULL);
                const double size = K * (1.0 + depth * depth);
                assert_near(gradient[i], rise / (2.0 * step), 5e-8 * (size + fabs(gradient[i])),
                            "gradient, N");
                for (int j = 0; j < 3; j++) {
                    const double exact = (after[j] - before[j]) / (2.0 * step);
                    const double first_part = 6.0 * K * depth * n[i] * n[j];
                    const bool is_flat = which >= ANALYTIC && which % 2 == 0;
                    assert_near(hessian[3 * i + j], is_flat ? first_part : exact,
                                2e-6 * (size + fabs(exact)), "second derivatives, N/m");
                }
            }
        }
        assert_true(count > 40);
    }
}

static void nothing_acts_outside(void **state) {
    (void)state;
    struct random random = random_seed(12);
    for (int trial = 0; trial < 1000; trial++) {
        const struct obstacle o = make_obstacle(&random, trial % OBSTACLES);
        double x[3], gradient[3] = {1, 1, 1}, hessian[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, normal[3];
        random_place(&random, &o, x);
        if (depth_at(&o, x) > 0.0) {
            assert_true(level_set_penalty(&o, K, false, x, NULL, NULL) > 0.0);
            continue;
        }
        assert_true(level_set_penalty(&o, K, trial % 2 == 0, x, gradient, hessian) == 0.0);
        assert_true(level_set_penalty_force(&o, K, x, normal) == 0.0);
        assert_true(norm3(gradient) == 0.0);
        for (int i = 0; i < 9; i++) {
            assert_true(hessian[i] == 0.0);
        }
    }
}

/// At a depth of d value, gradient and Hessian are k d^3, 3 k d^2 and 6 k d times 1, |n| and |n|^2,
/// but for curvature: so all go to nothing at the surface, the Hessian as the depth does.
static void the_surface_is_crossed_twice_smoothly(void **state) {
    (void)state;
    struct random random = random_seed(13);
    for (int which = 0; which < OBSTACLES; which++) {
        for (int trial = 0; trial < 50; trial++) {
            const struct obstacle o = make_obstacle(&random, which);
            double x[3], n[3], gradient[3], hessian[9];
            random_place(&random, &o, x);
            // Onto the surface, by Newton's method along the gradient.
            for (int i = 0; i < 30; i++) {
                const double phi = shape_distance(&o.shape, &o.pose, x, n, NULL);
                add_scaled3(x, -phi / dot3(n, n), n, x);
            }
            shape_distance(&o.shape, &o.pose, x, n, NULL);
            // Along a linear grid's own steps that may not settle.
            if (fabs(depth_at(&o, x)) > 1e-12) {
                continue;
            }
            for (double depth = 1e-4; depth > 1e-9; depth *= 0.1) {
                double inside[3], outside[3];
                add_scaled3(x, -depth / norm3(n), n, inside);
                add_scaled3(x, 1e-11, n, outside);
                const double real = fmax(0.0, depth_at(&o, inside));
                const double value = level_set_penalty(&o, K, false, inside, gradient, hessian);
                assert_true(value <= 1.001 * K * real * real * real);
                assert_true(norm3(gradient) <= 3.3 * K * real * real * fmax(1.0, norm3(n)));
                for (int i = 0; i < 9; i++) {
                    assert_true(fabs(hessian[i]) <= 6.6 * K * real * fmax(1.0, dot3(n, n)));
                }
                // Out of one wall of a room and, on an edge of it, still on another.
                assert_true(level_set_penalty(&o, K, false, outside, NULL, NULL) <= K * 1e-33);
            }
        }
    }
}

/// No eigenvalue is negative, and where none was, nothing changes; what is added is orthogonal to
/// what stays: the nearest such matrix.
static void definite_matrices_are_the_nearest(void **state) {
    (void)state;
    struct random random = random_seed(14);
    int changed = 0;
    for (int trial = 0; trial < 8000; trial++) {
        const struct obstacle o = make_obstacle(&random, trial % OBSTACLES);
        double x[3], exact[9], definite[9], gradient[2][3], difference[9], product[9];
        double lambda[3], q[9];
        random_place(&random, &o, x);
        const double value = level_set_penalty(&o, K, false, x, gradient[0], exact);
        assert_true(level_set_penalty(&o, K, true, x, gradient[1], definite) == value);
        assert_memory_equal(gradient[0], gradient[1], sizeof gradient[0]);
        eigen3(definite, lambda, q);
        const double size = K + fabs(lambda[2]);
        assert_true(lambda[0] >= -1e-14 * size);
        double most = 0.0;
        for (int i = 0; i < 9; i++) {
            difference[i] = definite[i] - exact[i];
            most = fmax(most, fabs(difference[i]));
        }
        changed += most > 1e-9 * size;
        multiply33(difference, definite, product);
        for (int i = 0; i < 9; i++) {
            assert_small(fabs(product[i]) / (size * size), 1e-13, "orthogonality");
        }
        eigen3(exact, lambda, q);
        assert_true(most <= 1e-13 * size || lambda[0] < 0.0);
    }
    assert_true(changed > 100);
}

// --- statics and an impact ---

/// A load F on a half-space goes sqrt(F / (3 k)) deep, a mass m at speed v cbrt(m v^2 / (2 k)); the
/// force's normal is unit where a gradient is not.
static void depths_are_those_of_the_cube(void **state) {
    (void)state;
    const struct obstacle ground = {.shape = {.kind = PBS_SHAPE_HALF_SPACE},
                                    .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    double normal[3];
    const double load = 7.0, mass = 0.2, speed = 3.0;
    const double rest[3] = {0.3, -sqrt(load / (3.0 * K)), -0.2};
    assert_near(level_set_penalty_force(&ground, K, rest, normal), load, 1e-14 * load, "N");
    assert_near(normal[1], 1.0, 1e-15, "normal");
    const double deepest[3] = {0.0, -cbrt(mass * speed * speed / (2.0 * K)), 0.0};
    const double kinetic = 0.5 * mass * speed * speed;
    assert_near(level_set_penalty(&ground, K, false, deepest, NULL, NULL), kinetic, 1e-14 * kinetic,
                "J");
    struct random random = random_seed(15);
    for (int trial = 0; trial < 200; trial++) {
        const struct obstacle o = make_obstacle(&random, ANALYTIC + trial % GRIDS);
        double x[3], gradient[3];
        random_place(&random, &o, x);
        const double force = level_set_penalty_force(&o, K, x, normal);
        level_set_penalty(&o, K, false, x, gradient, NULL);
        assert_near(force, norm3(gradient), 1e-14 * force, "N");
        if (force > 0.0) {
            assert_near(norm3(normal), 1.0, 1e-15, "normal");
            assert_near(dot3(normal, gradient), -force, 1e-14 * force, "N");
        }
    }
}

/// Cubic grids lead Newton's method to the minimum from everywhere, in balls and bowls, coarse and
/// fine; linear ones in balls.
static void newton_finds_its_way(void **state) {
    (void)state;
    static const double sizes[] = {2.7, 5.3, 10.7};
    for (int i = 0; i < 9; i++) {
        struct bowl_result result;
        const struct bowl_trial trial = {.is_bowl = i / 3 == 1,
                                         .is_linear = i / 3 == 2,
                                         .radius_cells = sizes[i % 3],
                                         .targets = testing_is_small() ? 60 : 500};
        assert_true(particle_in_bowl(&trial, &result));
        assert_int_equal(result.failures, 0);
        assert_true(result.most_iterations < BOWL_ITERATIONS);
    }
}

int main(void) {
    make_grids();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_energy),
        cmocka_unit_test(nothing_acts_outside),
        cmocka_unit_test(the_surface_is_crossed_twice_smoothly),
        cmocka_unit_test(definite_matrices_are_the_nearest),
        cmocka_unit_test(depths_are_those_of_the_cube),
        cmocka_unit_test(newton_finds_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
