// How far points are from straight ways, beside distances worked out point by point.
// SPDX-License-Identifier: MIT
#include "contact/search/point_paths.h"

#include <math.h>

#include "contact/touching_scene.h"

static struct memory memory;
static struct random numbers;
static struct touching_scene scene;
static struct point_paths paths;

static int setup(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    numbers = random_seed(12);
    touching_scene_make(&memory, &scene, PBS_SHAPE_BOX, 0.1);
    paths = (struct point_paths){0};
    return point_paths_reserve(&memory, &scene.contact.mesh, &paths) == PBS_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    point_paths_free(&memory, &paths);
    barrier_contact_free(&scene.contact);
    assert_int_equal(memory.bytes_in_use, 0);
    return 0;
}

enum { COORDINATES = 3 * 64 };

static size_t coordinate_count(void) {
    return 3 * (size_t)scene.contact.mesh.point_count;
}

static double distance(const double *x, const double *motion) {
    return point_paths_deviation(NULL, &paths, &scene.contact.mesh, x, motion);
}

/// Two points that are moved in opposite directions, so that the mean of all stays where it was.
static void pick_two(size_t two[2]) {
    int count = 0;
    for (uint32_t p = 0; p < scene.contact.mesh.point_count && count < 2; p++) {
        if (scene.contact.mesh.kind[p] != POINT_OBSTACLE) {
            two[count++] = 3 * (size_t)p;
        }
    }
    assert_int_equal(count, 2);
}

/// Of a state on the ways, moved together with all of it, with one point and its counterpart beside
/// theirs: how far that is, whichever time it is. Rounding: places of some 10 m, and 1e-12 of how
/// far all were moved.
static void distances_are_from_the_ways(void **state) {
    (void)state;
    size_t two[2];
    pick_two(two);
    for (int round = 0; round < 500; round++) {
        double x[COORDINATES], motion[COORDINATES], y[COORDINATES], way[COORDINATES];
        random_fill(&numbers, -1.0, 1.0, x, coordinate_count());
        random_fill(&numbers, -1.0, 1.0, motion, coordinate_count());
        const bool stands = round % 4 == 0;
        point_paths_set(&scene.contact.mesh, x, stands ? NULL : motion, 0.5, 1.0, &paths);
        assert_true(isinf(distance(x, NULL)));
        paths.is_valid = true;
        const double begin = random_uniform(&numbers, 0.0, 1.0);
        const double end = random_uniform(&numbers, 0.0, 1.0);
        const double together[2] = {random_uniform(&numbers, -9.0, 9.0),
                                    random_uniform(&numbers, -9.0, 9.0)};
        for (size_t k = 0; k < coordinate_count(); k++) {
            const double step = stands ? 0.0 : motion[k];
            y[k] = x[k] + begin * step + together[0];
            way[k] = x[k] + end * step + together[1] - y[k];
        }
        assert_near(distance(y, NULL), 0.0, 1e-10, "on the way");
        assert_near(distance(y, way), 0.0, 1e-10, "along the way");
        // Across both their ways, so that no other time is better.
        double across[3];
        double both[3];
        double relative[2][3];
        for (int i = 0; i < 2; i++) {
            for (size_t k = 0; k < 3; k++) {
                relative[i][k] = stands ? 0.0 : paths.motion[two[i] + k];
            }
        }
        subtract3(relative[0], relative[1], both);
        const double any[3] = {0.3, -0.5, 0.8};
        cross3(both, any, across);
        if (stands) {
            copy3(any, across);
        }
        const double off = random_uniform(&numbers, 0.01, 0.4);
        scale3(off / norm3(across), across, across);
        for (size_t k = 0; k < 3; k++) {
            y[two[0] + k] += across[k];
            y[two[1] + k] -= across[k];
            way[two[0] + k] -= across[k];
            way[two[1] + k] += across[k];
        }
        assert_near(distance(y, NULL), off, 1e-10, "beside the way");
        assert_near(distance(y, way), off, 1e-10, "back to the way");
        for (size_t k = 0; k < 3; k++) {
            way[two[0] + k] += 1.2 * across[k];
            way[two[1] + k] -= 1.2 * across[k];
        }
        assert_near(distance(y, way), 1.2 * off, 1e-10, "farther at the end");
        assert_true(point_paths_within_margin(&paths, 0.5) &&
                    !point_paths_within_margin(&paths, 0.5 + 1e-9));
    }
}

/// Numbers that are none are infinitely far, wherever they are.
static void what_is_no_number_is_infinitely_far(void **state) {
    (void)state;
    double x[COORDINATES], motion[COORDINATES] = {0.0};
    random_fill(&numbers, -1.0, 1.0, x, coordinate_count());
    point_paths_set(&scene.contact.mesh, x, NULL, 0.5, 1.0, &paths);
    paths.is_valid = true;
    for (size_t k = 0; k < coordinate_count(); k++) {
        const double kept = x[k];
        x[k] = NAN;
        assert_false(point_paths_within_margin(&paths, distance(x, NULL)));
        x[k] = kept;
        motion[k] = k % 2 == 0 ? NAN : INFINITY;
        assert_false(point_paths_within_margin(&paths, distance(x, motion)));
        motion[k] = 0.0;
    }
    assert_true(point_paths_within_margin(&paths, distance(x, motion)));
}

/// All moved together by a hundred thousand kilometres lose what their places round by there, for
/// which 1e-12 of it is taken, far more than the 1e-8 m of a last digit.
static void far_away_digits_are_lost(void **state) {
    (void)state;
    double x[COORDINATES], y[COORDINATES];
    random_fill(&numbers, -1.0, 1.0, x, coordinate_count());
    point_paths_set(&scene.contact.mesh, x, NULL, 0.5, 1.0, &paths);
    paths.is_valid = true;
    for (size_t k = 0; k < coordinate_count(); k++) {
        y[k] = x[k] + (k % 3 == 1 ? 1e8 : 0.0);
    }
    assert_near(distance(y, NULL), 1e-4, 1e-7, "what rounding takes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(distances_are_from_the_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_number_is_infinitely_far, setup, teardown),
        cmocka_unit_test_setup_teardown(far_away_digits_are_lost, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
