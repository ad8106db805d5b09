// Distances on a grid: what the interpolation reproduces, its derivatives, its continuation
// outside, and invalid grids.
// SPDX-License-Identifier: MIT
#include "geometry/grids/distance_grid.h"

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

enum { SIDE = 12, MOST = 64 };

static float samples[MOST * MOST * MOST];

static struct distance_grid new_grid(uint32_t side, double cell, bool is_linear) {
    struct distance_grid grid = {.origin = {-1.0, 2.0, 0.5},
                                 .cell = cell,
                                 .counts = {side, side, side},
                                 .samples = samples,
                                 .is_linear = is_linear};
    return grid;
}

static void sample(const struct distance_grid *grid, double (*function)(const double x[3])) {
    size_t at = 0;
    for (uint32_t k = 0; k < grid->counts[2]; k++) {
        for (uint32_t j = 0; j < grid->counts[1]; j++) {
            for (uint32_t i = 0; i < grid->counts[0]; i++) {
                const double x[3] = {grid->origin[0] + grid->cell * i,
                                     grid->origin[1] + grid->cell * j,
                                     grid->origin[2] + grid->cell * k};
                samples[at++] = (float)function(x);
            }
        }
    }
}

static void random_place(struct random *random, const struct distance_grid *grid, double low,
                         double high, double x[3]) {
    for (int k = 0; k < 3; k++) {
        x[k] = grid->origin[k] + grid->cell * random_uniform(random, low, high);
    }
}

// --- the interpolation ---

/// Multiples of 1/4, which floats represent exactly.
static double plane(const double x[3]) {
    return 0.25 * x[0] - 0.5 * x[1] + 2.0 * x[2] + 0.75;
}

static double quadric(const double x[3]) {
    return 0.25 * x[0] * x[0] - 0.5 * x[1] * x[2] + x[2] * x[2] - x[0] * x[1] + x[1];
}

/// Both interpolate the samples and reproduce planes. Cubics reproduce quadrics with both
/// derivatives. Cells of 1/8, so that all sums are exact in floats.
static void polynomials_are_reproduced(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int linear = 0; linear < 2; linear++) {
        const struct distance_grid grid = new_grid(SIDE, 0.125, linear != 0);
        for (int i = 0; i < 200; i++) {
            double x[3], gradient[3], hessian[9];
            random_place(&random, &grid, linear ? 0.0 : 1.0, SIDE - (linear ? 1.0 : 2.0), x);
            sample(&grid, plane);
            assert_near(distance_grid_value(&grid, x, gradient, hessian), plane(x), 1e-14, "plane");
            assert_near(gradient[0], 0.25, 1e-13, "slope");
            assert_near(gradient[1], -0.5, 1e-13, "slope");
            assert_near(gradient[2], 2.0, 1e-13, "slope");
            if (!linear) {
                sample(&grid, quadric);
                assert_near(distance_grid_value(&grid, x, gradient, hessian), quadric(x), 1e-13,
                            "quadric");
                assert_near(gradient[0], 0.5 * x[0] - x[1], 1e-12, "slope of the quadric");
                assert_near(hessian[0], 0.5, 1e-11, "second derivative");
                assert_near(hessian[1], -1.0, 1e-11, "second derivative");
                assert_near(hessian[5], -0.5, 1e-11, "second derivative");
                assert_near(hessian[8], 2.0, 1e-11, "second derivative");
            }
        }
    }
}

/// At samples and on faces between cells, second derivatives are those of one of the adjacent
/// cells, and so those of the quadric.
static void samples_have_second_derivatives(void **state) {
    (void)state;
    const struct distance_grid grid = new_grid(SIDE, 0.125, false);
    sample(&grid, quadric);
    for (int i = 0; i < 27; i++) {
        static const double places[3] = {1.0, 5.0, SIDE - 2.0};
        const double x[3] = {grid.origin[0] + 0.125 * places[i % 3],
                             grid.origin[1] + 0.125 * (places[i / 3 % 3]),
                             grid.origin[2] + 0.125 * (i < 9 ? 4.5 : places[i / 9])};
        double hessian[9];
        distance_grid_value(&grid, x, NULL, hessian);
        assert_near(hessian[0], 0.5, 1e-11, "second derivative");
        assert_near(hessian[1], -1.0, 1e-11, "second derivative");
        assert_near(hessian[4], 0.0, 1e-11, "second derivative");
        assert_near(hessian[5], -0.5, 1e-11, "second derivative");
        assert_near(hessian[8], 2.0, 1e-11, "second derivative");
    }
}

static double ball(const double x[3]) {
    const double away[3] = {x[0] + 0.5, x[1] - 2.5, x[2] - 1.0};
    return norm3(away) - 0.25;
}

/// The error near the surface of a ball is of third order in the cell for cubics and of second
/// order for linear interpolation.
static void errors_fall_as_the_order_says(void **state) {
    (void)state;
    const double orders[2] = {3.0, 2.0};
    for (int linear = 0; linear < 2; linear++) {
        double worst[2] = {0.0, 0.0};
        for (int fine = 0; fine < 2; fine++) {
            struct random random = random_seed(7);
            const struct distance_grid grid = new_grid(fine ? 41 : 21, fine ? 0.025 : 0.05,
                                                       linear != 0);
            sample(&grid, ball);
            for (int i = 0; i < 2000; i++) {
                double x[3] = {random_uniform(&random, -1.0, 1.0),
                               random_uniform(&random, -1.0, 1.0),
                               random_uniform(&random, -1.0, 1.0)};
                scale3(0.25 / norm3(x), x, x);
                x[0] -= 0.5;
                x[1] += 2.5;
                x[2] += 1.0;
                worst[fine] = fmax(worst[fine], fabs(distance_grid_value(&grid, x, NULL, NULL)));
            }
        }
        const double order = log2(worst[0] / worst[1]);
        assert_true(order > orders[linear] - 0.4 && order < orders[linear] + 1.0);
    }
}

static double noise(const double x[3]) {
    return sin(7.0 * x[0] + 3.0 * x[1]) + cos(5.0 * x[2] - 4.0 * x[0] * x[1]);
}

static void compare_with_differences(const struct distance_grid *grid, const double x[3]) {
    const double step = 1e-5 * grid->cell;
    double gradient[3], hessian[9];
    distance_grid_value(grid, x, gradient, hessian);
    for (int k = 0; k < 3; k++) {
        double low[3], high[3], before[3], after[3];
        copy3(x, low);
        copy3(x, high);
        low[k] -= step;
        high[k] += step;
        const double difference = distance_grid_value(grid, high, after, NULL) -
                                  distance_grid_value(grid, low, before, NULL);
        assert_near(gradient[k], difference / (2.0 * step), 1e-5, "gradient");
        for (int j = 0; j < 3; j++) {
            assert_near(hessian[3 * k + j], (after[j] - before[j]) / (2.0 * step), 3e-3,
                        "second derivatives");
        }
    }
}

/// Finite differences with steps of 1e-5 cells, inside and outside, for both kinds. Points next to
/// a face of a cell, where second derivatives jump, are left out.
static void derivatives_are_those_of_the_value(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (int kind = 0; kind < 4; kind++) {
        struct distance_grid grid = new_grid(SIDE, 0.1, kind % 2 != 0);
        grid.is_hollow = kind / 2 != 0;
        sample(&grid, noise);
        for (int i = 0; i < 300;) {
            double x[3];
            bool clear = true;
            random_place(&random, &grid, -4.0, SIDE + 3.0, x);
            for (int k = 0; k < 3; k++) {
                const double at = (x[k] - grid.origin[k]) / grid.cell;
                clear = clear && fabs(at - round(at)) > 0.01;
            }
            if (clear) {
                compare_with_differences(&grid, x);
                i++;
            }
        }
    }
}

/// At a face between cells the gradient of cubics is continuous; that of linear interpolation jumps
/// by about cell / radius.
static void gradients_are_continuous(void **state) {
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        const struct distance_grid grid = new_grid(21, 0.05, linear != 0);
        double jump = 0.0;
        sample(&grid, ball);
        for (int i = 0; i < 100; i++) {
            double before[3], after[3];
            const double x = grid.origin[0] + grid.cell * 15.0;
            const double low[3] = {x - 1e-9, 2.5 + 0.003 * i, 1.07};
            const double high[3] = {x + 1e-9, 2.5 + 0.003 * i, 1.07};
            distance_grid_value(&grid, low, before, NULL);
            distance_grid_value(&grid, high, after, NULL);
            subtract3(after, before, after);
            jump = fmax(jump, norm3(after));
        }
        if (linear) {
            assert_true(jump > 0.05 && jump < 0.4);
        } else {
            assert_near(jump, 0.0, 1e-5, "jump of the gradient");
        }
    }
}

// --- outside ---

/// A ball in the middle is at least as far as the border. Outside, the distance is continuous and
/// grows by one metre per metre along the outward direction. For a room it decreases.
static void distances_go_on_outside(void **state) {
    (void)state;
    for (int hollow = 0; hollow < 2; hollow++) {
        struct distance_grid grid = new_grid(41, 0.025, false);
        sample(&grid, ball);
        for (size_t i = 0; hollow && i < 41 * 41 * 41; i++) {
            samples[i] = -samples[i];
        }
        assert_ok(distance_grid_check(&grid));
        assert_true(grid.is_hollow == (hollow != 0));
        const double side = hollow ? -1.0 : 1.0;
        const double end = grid.origin[0] + grid.cell * 39.0;
        const double x[3] = {end + 0.3, 2.5, 1.0};
        const double inner[3] = {end - 1e-9, 2.5, 1.0};
        const double outer[3] = {end + 1e-9, 2.5, 1.0};
        const double corner[3] = {end + 3.0, 7.0, 9.0};
        double gradient[3];
        assert_near(distance_grid_value(&grid, x, gradient, NULL), side * ball(x), 1e-5, "beyond");
        assert_near(gradient[0], side, 1e-12, "slope");
        assert_near(distance_grid_value(&grid, inner, NULL, NULL),
                    distance_grid_value(&grid, outer, NULL, NULL), 1e-8, "at the border");
        // Beyond a corner of the range the distance is that of the corner plus the distance from
        // it.
        assert_true(side * distance_grid_value(&grid, corner, NULL, NULL) > norm3(corner) - 4.0);
    }
}

// --- invalid grids ---

static void bad_grids_are_refused(void **state) {
    (void)state;
    struct distance_grid grid = new_grid(21, 0.05, false);
    sample(&grid, ball);
    assert_ok(distance_grid_check(&grid));
    samples[4000] = NAN;
    assert_status(distance_grid_check(&grid), PBS_ERROR_ARGUMENT);
    assert_message("must be finite");
    sample(&grid, ball);
    // A border of two samples suffices for linear interpolation, not for cubics.
    samples[2 + 21 * (10 + 21 * 10)] = -0.1F;
    assert_status(distance_grid_check(&grid), PBS_ERROR_MESH);
    assert_message("sample (2, 10, 10) is -0.1 m");
    grid.is_linear = true;
    assert_ok(distance_grid_check(&grid));
    const double cells[] = {0.0, -1.0, NAN, INFINITY, 1e30};
    for (size_t i = 0; i < COUNT_OF(cells); i++) {
        grid.cell = cells[i];
        assert_status(distance_grid_check(&grid), PBS_ERROR_ARGUMENT);
    }
    grid.cell = 0.05;
    grid.counts[1] = 3;
    assert_status(distance_grid_check(&grid), PBS_ERROR_ARGUMENT);
    assert_message("counts[1] is 3, must be 4 at least");
    grid.counts[1] = 21;
    grid.origin[2] = -INFINITY;
    assert_status(distance_grid_check(&grid), PBS_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_reproduced),
        cmocka_unit_test(samples_have_second_derivatives),
        cmocka_unit_test(errors_fall_as_the_order_says),
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(gradients_are_continuous),
        cmocka_unit_test(distances_go_on_outside),
        cmocka_unit_test(bad_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
