// Compares closest points on surfaces of grids with those of a ball and a torus, from inside,
// outside and beyond the grid.
// SPDX-License-Identifier: MIT
#include "geometry/grids/grid_closest.h"

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

enum { SIDE = 40 };

static float samples[SIDE * SIDE * SIDE];

static double ball(const double x[3]) {
    return norm3(x) - 0.7;
}

static double torus(const double x[3]) {
    const double off = sqrt(x[0] * x[0] + x[2] * x[2]) - 0.6;
    return sqrt(off * off + x[1] * x[1]) - 0.25;
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

/// The point is on the surface, and its distance is that of the shape. The error of cubics is a
/// hundredth of a cell. That of linear interpolation is s^2 / 8 times the sum of the curvatures, 4
/// and 1 / 0.35 for a tube on the side of the hole: 3.9e-3 m. But the descent may end at a kink
/// between cells, whose error is larger near the ring, where all points are nearly as close. Near
/// the axis the whole inner rim is as close.
static void distances_are_those_of_the_shape(void **state) {
    (void)state;
    struct random random = random_seed(41);
    for (int n = 0; n < 2000; n++) {
        double (*const function)(const double *) = n / 100 % 2 == 0 ? ball : torus;
        static struct distance_grid grid;
        if (n % 100 == 0) {
            grid = new_grid(function, n / 200 % 2 == 1, n / 400 % 2 == 1);
        }
        double x[3], closest[3], gradient[3], way[3];
        random_fill(&random, n % 5 == 0 ? -5.0 : -1.2, n % 5 == 0 ? 5.0 : 1.2, x, 3);
        if (function == torus && x[0] * x[0] + x[2] * x[2] < 0.01) {
            continue;
        }
        assert_true(grid_closest(&grid, x, closest, gradient));
        assert_small(fabs(distance_grid_value(&grid, closest, NULL, NULL)), 1e-10, "m");
        subtract3(closest, x, way);
        assert_near(norm3(way), fabs(function(x)), (grid.is_linear ? 0.25 : 0.01) * grid.cell,
                    "distance, m");
        assert_true(norm3(gradient) > 0.5);
    }
}

/// A grid without a surface gives no point.
static double far_away(const double x[3]) {
    return 2.0 + 0.1 * x[0];
}

static void what_is_not_there_is_not_found(void **state) {
    (void)state;
    const struct distance_grid grid = new_grid(far_away, false, false);
    const double x[3] = {0.1, 0.2, 0.3};
    double closest[3], gradient[3];
    assert_false(grid_closest(&grid, x, closest, gradient));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_the_shape),
        cmocka_unit_test(what_is_not_there_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
