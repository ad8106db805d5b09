// Orders of points: lattices that were shuffled and perturbed, clouds that are wide compared with
// their spacing, and coincident points.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/grid_order.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

enum { WIDE = 5, HIGH = 3, LONG = 9, POINTS = WIDE * HIGH * LONG };

/// Rows along y, the shortest extent; layers across z, the longest. Independent of the points'
/// numbering, and with every point displaced by up to 0.4 of the spacing.
static void a_lattice_comes_row_by_row(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (int round = 0; round < 20; round++) {
        struct memory memory;
        double x[3 * POINTS];
        uint32_t place[POINTS], order[POINTS];
        memory_init(&memory, NULL);
        for (uint32_t i = 0; i < POINTS; i++) {
            const size_t other = random_index(&random, i + 1);
            place[i] = place[other];
            place[other] = i;
        }
        // The lowest point of each axis is not displaced, since cells are measured from it.
        const double shake = round == 0 ? 0.0 : 0.2;
        for (size_t i = 0; i < POINTS; i++) {
            const uint32_t at[3] = {place[i] / HIGH % WIDE, place[i] % HIGH,
                                    place[i] / HIGH / WIDE};
            for (size_t k = 0; k < 3; k++) {
                x[3 * i + k] = -7.0 + 0.1 * (at[k] + shake * random_uniform(&random, -1.0, 1.0));
            }
        }
        assert_ok(grid_order(&memory, x, POINTS, 0.1, order));
        for (uint32_t i = 0; i < POINTS; i++) {
            assert_int_equal(place[order[i]], i);
        }
        assert_int_equal(memory.bytes_in_use, 0);
    }
}

/// More cells than a key can represent: every point is listed once, the far ones at the ends.
static void wide_clouds_are_ordered(void **state) {
    (void)state;
    struct memory memory;
    const double x[15] = {1e6, 0, 0, 0, 0, 0, 0, 1e-6, 0, 0, 0, 0, -1e6, 0, 0};
    uint32_t order[5];
    memory_init(&memory, NULL);
    assert_ok(grid_order(&memory, x, 5, 1e-6, order));
    const uint32_t wanted[5] = {4, 1, 3, 2, 0}; // coincident points by their index
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(order[i], wanted[i]);
    }
    assert_ok(grid_order(&memory, x, 1, 1.0, order));
    assert_int_equal(order[0], 0);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const double x[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (uint64_t k = 0; k < 2; k++) {
        struct test_allocator allocator;
        struct memory memory;
        uint32_t order[2];
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        assert_int_equal(grid_order(&memory, x, 2, 1.0, order), PBS_ERROR_MEMORY);
        assert_int_equal(memory.bytes_in_use, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lattice_comes_row_by_row),
        cmocka_unit_test(wide_clouds_are_ordered),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
