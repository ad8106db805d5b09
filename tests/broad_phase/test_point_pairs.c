// Compares the pairs of points within a distance with a search of all pairs: random clouds,
// lattices whose neighbours are at exactly the distance, clusters that are far apart, and
// coincident points.
// SPDX-License-Identifier: MIT
#include "broad_phase/point_pairs.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

static bool are_close(const double *x, size_t i, size_t j, double distance) {
    double sum = 0.0;
    for (size_t k = 0; k < 3; k++) {
        sum += (x[3 * i + k] - x[3 * j + k]) * (x[3 * i + k] - x[3 * j + k]);
    }
    return sum <= distance * distance;
}

enum { POINTS = 400 };

/// Asserts that exactly these pairs are listed, in the documented order.
static size_t assert_as_by_hand(const double *x, size_t count, double distance) {
    struct memory memory;
    struct point_pairs found;
    size_t next = 0;
    memory_init(&memory, NULL);
    assert_ok(point_pairs_find(&memory, x, count, distance, POINTS * POINTS, &found));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (are_close(x, i, j, distance)) {
                assert_true(next < found.count);
                assert_int_equal(found.pairs[2 * next], i);
                assert_int_equal(found.pairs[2 * next + 1], j);
                next++;
            }
        }
    }
    assert_int_equal(found.count, next);
    point_pairs_free(&found, &memory);
    assert_int_equal(memory.bytes_in_use, 0);
    return next;
}

static void random_clouds(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int round = 0; round < testing_rounds(40); round++) {
        double x[3 * POINTS];
        const size_t count = 1 + random_index(&random, POINTS);
        random_fill(&random, -1.0, 1.0, x, 3 * count);
        for (size_t i = 0; i < count && round % 3 != 0; i++) {
            x[3 * i + 2] = 0.25;                                 // in a plane
            x[3 * i + 1] = round % 3 == 1 ? x[3 * i + 1] : -3.0; // on a line
        }
        (void)assert_as_by_hand(x, count, random_uniform(&random, 0.05, 0.8));
    }
}

/// 7 x 7 x 7 points, spaced a third of the distance and exact in binary, so that pairs at exactly
/// the distance count: 122 around the middle point.
static void a_lattice_with_neighbours_at_the_distance(void **state) {
    (void)state;
    double x[3 * 343];
    size_t around = 0;
    for (int i = 0; i < 343; i++) {
        x[3 * i] = 0.5 * (i % 7) - 7e3;
        x[3 * i + 1] = 0.5 * (i / 7 % 7);
        x[3 * i + 2] = 0.5 * (i / 49) + 1e6;
    }
    (void)assert_as_by_hand(x, 343, 1.5);
    for (size_t i = 0; i < 343; i++) {
        around += are_close(x, i, 171, 1.5);
    }
    assert_int_equal(around - 1, 122);
}

/// Cells 2^21 apart have the same key, others the same bucket, and some coordinates exceed any
/// integer.
static void clusters_that_are_far_apart(void **state) {
    (void)state;
    struct random random = random_seed(2);
    const double far[] = {0.0, 2097152.0, 4194304.0, -1e12, 1e30, -1e300};
    double x[3 * POINTS];
    random_fill(&random, 0.0, 2.0, x, COUNT_OF(x));
    for (size_t i = 0; i < COUNT_OF(x); i++) {
        x[i] += i % 3 == 1 ? 0.0 : far[random_index(&random, i % 3 == 0 ? COUNT_OF(far) : 3)];
    }
    assert_true(assert_as_by_hand(x, POINTS, 1.0) > POINTS);
}

static void points_at_one_place(void **state) {
    (void)state;
    const double x[] = {1.0, 2.0, 3.0, 5.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0};
    assert_int_equal(assert_as_by_hand(x, 4, 1e-3), 3);
    assert_int_equal(assert_as_by_hand(x, 1, 1.0), 0);
    assert_int_equal(assert_as_by_hand(x, 0, 1.0), 0);
}

/// Four coincident points have six pairs: three start at the first point and two at the next.
static void more_pairs_than_are_wanted(void **state) {
    (void)state;
    struct memory memory;
    struct point_pairs found;
    const double x[12] = {0.0};
    memory_init(&memory, NULL);
    assert_status(point_pairs_find(&memory, x, 4, 1.0, 4, &found), PBS_ERROR_ARGUMENT);
    assert_message("more than 4 pairs of points, counting those of the first 2 of 4 points alone");
    assert_null(found.pairs);
    assert_ok(point_pairs_find(&memory, x, 4, 1.0, 6, &found));
    point_pairs_free(&found, &memory);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct random random = random_seed(3);
    double x[3 * POINTS];
    random_fill(&random, 0.0, 1.0, x, COUNT_OF(x));
    for (uint64_t k = 0;; k++) {
        struct test_allocator allocator;
        struct memory memory;
        struct point_pairs found;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        const pbs_status status = point_pairs_find(&memory, x, POINTS, 0.2, POINTS * POINTS,
                                                   &found);
        const bool has_failed = test_allocator_has_failed(&allocator);
        assert_int_equal(status, has_failed ? PBS_ERROR_MEMORY : PBS_OK);
        assert_true(has_failed == (found.pairs == NULL));
        point_pairs_free(&found, &memory);
        assert_int_equal(memory.bytes_in_use, 0);
        if (!has_failed) {
            assert_int_equal(k, 6);
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds),
        cmocka_unit_test(a_lattice_with_neighbours_at_the_distance),
        cmocka_unit_test(clusters_that_are_far_apart),
        cmocka_unit_test(points_at_one_place),
        cmocka_unit_test(more_pairs_than_are_wanted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
