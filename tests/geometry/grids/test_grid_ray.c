// Rays and distances on grids: compared with short steps along the ray and with the formula of a
// ball, grazing and from all directions; and in the frame of a shape.
// SPDX-License-Identifier: MIT
#include "geometry/grids/grid_ray.h"

#include "base/matrix3/math3.h"
#include "geometry/ray.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/testing.h"

enum { SIDE = 24 };

static float samples[SIDE * SIDE * SIDE];

static double ball(const double x[3]) {
    return norm3(x) - 0.7;
}

/// Not a distance: its slope is between 0 and 5, and its zero set has many components.
static double waves(const double x[3]) {
    const double border = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) - 0.8;
    return fmax(border, 0.4 * sin(5.0 * x[0]) * sin(6.0 * x[1] + 0.5) * cos(5.0 * x[2]) - 0.05);
}

static struct distance_grid new_grid(double (*function)(const double x[3]), bool is_hollow,
                                     bool is_linear) {
    struct distance_grid grid = {.origin = {-1.3, -1.3, -1.3},
                                 .cell = 2.6 / (SIDE - 1),
                                 .counts = {SIDE, SIDE, SIDE},
                                 .samples = samples,
                                 .is_linear = is_linear};
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const double x[3] = {grid.origin[0] + grid.cell * (double)(i % SIDE),
                             grid.origin[1] + grid.cell * (double)(i / SIDE % SIDE),
                             grid.origin[2] + grid.cell * (double)(i / SIDE / SIDE)};
        samples[i] = (float)(is_hollow ? -function(x) : function(x));
    }
    assert_ok(distance_grid_check(&grid));
    return grid;
}

/// Steps of a five-hundredth of a cell. Returns the first change of sign, or -1.
static double walk(const struct distance_grid *grid, const double o[3], const double d[3],
                   double limit) {
    const double step = grid->cell / 500.0;
    double at[3];
    bool is_inside = distance_grid_value(grid, o, NULL, NULL) < 0.0;
    for (double t = 0.0; t <= limit; t += step) {
        add_scaled3(o, t, d, at);
        if ((distance_grid_value(grid, at, NULL, NULL) < 0.0) != is_inside) {
            return t;
        }
    }
    return -1.0;
}

/// Whatever the steps find is found, at the same distance or before. What is found before is a true
/// zero: the value there is zero to rounding and changes sign.
static void nothing_is_missed(void **state) {
    (void)state;
    struct random random = random_seed(31);
    int met = 0, missed = 0;
    for (int n = 0; n < (testing_is_small() ? 200 : 1000); n++) {
        if (n % 50 == 0) {
            random = random_seed((uint64_t)n);
        }
        const struct distance_grid grid = new_grid(n / 50 % 2 == 0 ? ball : waves, n / 100 % 2 == 1,
                                                   n % 2 == 1);
        double o[3], d[3], gradient[3], distance = 0.0, at[3];
        random_fill(&random, -1.6, 1.6, o, 3);
        random_unit(&random, d);
        if (n % 7 == 0) {
            d[0] = 0.0;
            scale3(1.0 / norm3(d), d, d);
        }
        const double limit = 4.0;
        const double walked = walk(&grid, o, d, limit);
        const bool found = grid_ray_hits(&grid, o, d, limit, &distance, gradient);
        assert_true(found || walked < 0.0);
        met += found;
        missed += !found;
        if (found) {
            // Steps of a five-hundredth of a cell may have missed an earlier zero.
            assert_true(walked < 0.0 || distance <= walked);
            assert_true(distance >= 0.0 && distance <= limit);
            add_scaled3(o, distance, d, at);
            assert_small(fabs(distance_grid_value(&grid, at, NULL, NULL)), 1e-14, "value, m");
            double before[3], after[3];
            add_scaled3(at, -1e-9, d, before);
            add_scaled3(at, 1e-9, d, after);
            assert_true(fabs(dot3(gradient, d)) < 1e-5 ||
                        distance_grid_value(&grid, before, NULL, NULL) *
                                distance_grid_value(&grid, after, NULL, NULL) <
                            0.0);
            assert_false(grid_ray_hits(&grid, o, d, 0.999 * distance, &distance, gradient));
        }
    }
    assert_true(met > 40 && missed > 20);
}

/// The surface of a cubic ball is within a two-thousandth of a cell of the exact one. A ray that
/// passes a thousandth outside misses it; one a thousandth inside meets it near the closest point
/// from the outside. Also from far away, and along the axes of the grid.
static void grazing_rays_are_sorted(void **state) {
    (void)state;
    const struct distance_grid grid = new_grid(ball, false, false);
    double worst = 0.0;
    struct random random = random_seed(33);
    for (int n = 0; n < 2000; n++) {
        double u[3];
        random_unit(&random, u);
        scale3(0.7, u, u);
        worst = fmax(worst, fabs(distance_grid_value(&grid, u, NULL, NULL)));
    }
    for (int n = 0; n < 400; n++) {
        double foot[3], d[3], o[3], gradient[3], distance = 0.0;
        random_unit(&random, foot);
        random_unit(&random, d);
        add_scaled3(d, -dot3(d, foot), foot, d);
        scale3(1.0 / norm3(d), d, d);
        const bool is_inside = n % 2 == 1;
        const double radius = 0.7 + (is_inside ? -3.0 : 3.0) * worst;
        scale3(radius, foot, o);
        add_scaled3(o, n % 4 < 2 ? -1.0 : -100.0, d, o);
        assert_int_equal(grid_ray_hits(&grid, o, d, INFINITY, &distance, gradient), is_inside);
    }
}

/// A limit before the grid, a ray past it, one away from it, one that starts on the surface, and
/// one in a plane of samples.
static void ends_count(void **state) {
    (void)state;
    const struct distance_grid grid = new_grid(ball, false, false);
    double distance = 0.0, gradient[3];
    const double far[3] = {-10.0, 0.0, 0.0}, x[3] = {1, 0, 0}, back[3] = {-1, 0, 0};
    assert_true(grid_ray_hits(&grid, far, x, INFINITY, &distance, gradient));
    assert_near(distance, 9.3, 1e-3, "m");
    assert_near(gradient[0], -1.0, 1e-2, "gradient");
    assert_false(grid_ray_hits(&grid, far, x, 9.29, &distance, gradient));
    assert_false(grid_ray_hits(&grid, far, x, 1.0, &distance, gradient));
    assert_false(grid_ray_hits(&grid, far, back, INFINITY, &distance, gradient));
    assert_false(
        grid_ray_hits(&grid, (double[3]){-10.0, 1.5, 0.0}, x, INFINITY, &distance, gradient));
    const double plane[3] = {-10.0, grid.origin[1] + 12.0 * grid.cell,
                             grid.origin[2] + 9.0 * grid.cell};
    assert_true(grid_ray_hits(&grid, plane, x, INFINITY, &distance, gradient));
    double at[3];
    add_scaled3(plane, distance, x, at);
    assert_near(norm3(at), 0.7, 1e-3, "m");
    // From the surface inwards, either the near or the far side is a valid answer; outwards, the
    // near one or none.
    if (grid_ray_hits(&grid, at, back, INFINITY, &distance, gradient)) {
        assert_small(distance, 1e-12, "m");
    }
}

static void shapes_of_grids_are_met_in_their_frame(void **state) {
    (void)state;
    struct random random = random_seed(34);
    const struct distance_grid grid = new_grid(ball, false, false);
    for (int n = 0; n < 200; n++) {
        const struct shape shape = {.kind = PBS_SHAPE_GRID, .hollow = n % 2 == 1, .grid = &grid};
        struct pose pose;
        double origin[3], direction[3], distance = 0.0, normal[3], at[3], away[3];
        struct ray ray;
        random_rotation(&random, pose.rotation);
        random_fill(&random, -5.0, 5.0, pose.translation, 3);
        random_unit(&random, direction);
        add_scaled3(pose.translation, -3.0, direction, origin);
        ray_make(origin, direction, &ray);
        assert_true(ray_hits_shape(&ray, &shape, &pose, 10.0, &distance, normal));
        assert_near(distance, 2.3, 1e-3, "m");
        add_scaled3(origin, distance, direction, at);
        subtract3(at, pose.translation, away);
        assert_near(norm3(normal), 1.0, 1e-14, "normal");
        assert_near(dot3(normal, away) / norm3(away), shape.hollow ? -1.0 : 1.0, 1e-3, "normal");
    }
}

/// Rays from far away that graze a ball as closely as numbers can tell: the search of a cell once
/// halved an interval until it had no length, and then for ever went on with it.
static void grazing_rays_from_far_away_end(void **state) {
    (void)state;
    static const double d[3] = {1.0, 0.0, 0.0};
    double far = 1e6;
    for (int n = 0; n < 20; n++, far *= sqrt(10.0)) {
        const struct distance_grid grid = new_grid(ball, false, n % 2 == 1);
        for (int side = 0; side < 8; side++) {
            double low = 0.0, high = 1.0;
            for (int k = 0; k < 60; k++) {
                const double o[3] = {-far, 0.5 * (low + high), 0.05 * side - 0.2};
                double distance, gradient[3];
                if (grid_ray_hits(&grid, o, d, INFINITY, &distance, gradient)) {
                    assert_true(fabs(distance - far) <= 1.0 + 0x1p-50 * far);
                    low = o[1];
                } else {
                    high = o[1];
                }
            }
            // Where the distance between numbers is below a cell, the ball is where it is.
            assert_true(far > 1e14 || (low > 0.6 && high < 0.75));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missed),
        cmocka_unit_test(grazing_rays_are_sorted),
        cmocka_unit_test(grazing_rays_from_far_away_end),
        cmocka_unit_test(ends_count),
        cmocka_unit_test(shapes_of_grids_are_met_in_their_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
