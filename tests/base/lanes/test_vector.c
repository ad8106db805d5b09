// Sums are accurate and have the same bits for any number of threads.
// SPDX-License-Identifier: MIT
#include "base/lanes/vector.h"

#include "support/host/jobs.h"
#include "support/random.h"
#include "support/testing.h"

static const size_t counts[] = {0,    1,     7,     8,     9,     4095,   4096,
                                4097, 16384, 20000, 65537, 99999, 1000003};

enum { MAX_COUNT = 1000003, POOL_COUNT = 6 };

struct fixture {
    struct memory memory;
    struct tasks *pools[POOL_COUNT]; ///< 1, 2, 3, 8 threads; a host's shuffled pieces on 1 and on 3
                                     ///< threads
    struct test_jobs jobs[2];
    double *x;
    double *y;
    double *z;
};

static int set_up(void **state) {
    static const int32_t threads[] = {1, 2, 3, 8};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct random random = random_seed(7);
    memory_init(&fixture->memory, NULL);
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        assert_ok(tasks_create(&fixture->memory, NULL, threads[i], &fixture->pools[i]));
    }
    for (size_t i = 0; i < 2; i++) {
        const pbs_tasks hooks = test_jobs_hooks(&fixture->jobs[i], i, 1 + 2 * i);
        assert_ok(tasks_create(&fixture->memory, &hooks, 0, &fixture->pools[4 + i]));
    }
    fixture->x = malloc(MAX_COUNT * sizeof(double));
    fixture->y = malloc(MAX_COUNT * sizeof(double));
    fixture->z = malloc(MAX_COUNT * sizeof(double));
    random_fill(&random, -1.0, 1.0, fixture->x, MAX_COUNT);
    random_fill(&random, -1.0, 1.0, fixture->y, MAX_COUNT);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    for (size_t i = 0; i < POOL_COUNT; i++) {
        tasks_destroy(&fixture->memory, fixture->pools[i]);
    }
    free(fixture->x);
    free(fixture->y);
    free(fixture->z);
    const int leaks = fixture->memory.bytes_in_use != 0;
    free(fixture);
    return leaks;
}

/// Computes all reductions of x and y, for a comparison of bits.
static void reduce(struct tasks *tasks, const struct fixture *fixture, size_t n, double out[4]) {
    out[0] = vector_dot(tasks, n, fixture->x, fixture->y);
    out[1] = vector_norm(tasks, n, fixture->x);
    out[2] = vector_weighted_square(tasks, n / 3, fixture->y, fixture->x);
    out[3] = vector_is_finite(tasks, n, fixture->x) ? 1.0 : 0.0;
}

static void sums_are_the_same_to_the_bit(void **state) {
    const struct fixture *fixture = *state;
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        double serial[4];
        reduce(NULL, fixture, counts[k], serial);
        for (size_t p = 0; p < POOL_COUNT; p++) {
            for (int repeat = 0; repeat < 3; repeat++) {
                double parallel[4];
                reduce(fixture->pools[p], fixture, counts[k], parallel);
                assert_same_bits(parallel, serial, 4);
            }
        }
    }
}

static void sums_are_right(void **state) {
    const struct fixture *fixture = *state;
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        const size_t n = counts[k];
        long double product = 0.0L;
        long double square = 0.0L;
        long double weighted = 0.0L;
        for (size_t i = 0; i < n; i++) {
            product += (long double)fixture->x[i] * fixture->y[i];
            square += (long double)fixture->x[i] * fixture->x[i];
        }
        for (size_t i = 0; i < 3 * (n / 3); i++) {
            weighted += (long double)fixture->y[i / 3] * fixture->x[i] * fixture->x[i];
        }
        double sums[4];
        reduce(fixture->pools[1], fixture, n, sums);
        // Terms below 1, in partial sums of at most 600 terms and then 1024 chunks: the error is
        // far below n epsilon.
        const double tolerance = 2.3e-16 * (600.0 + 0.1 * (double)n);
        assert_near(sums[0], (double)product, tolerance, "dot");
        assert_near(sums[1], (double)sqrtl(square), tolerance, "norm");
        assert_near(sums[2], (double)weighted, 3.0 * tolerance, "weighted square");
    }
}

static void updates_are_exact(void **state) {
    const struct fixture *fixture = *state;
    double *z = fixture->z;
    const double a = 0.3;
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        const size_t n = counts[k];
        for (size_t p = 0; p < POOL_COUNT; p++) {
            struct tasks *tasks = fixture->pools[p];
            vector_copy(tasks, n, fixture->y, z);
            vector_add_scaled(tasks, n, a, fixture->x, z);
            vector_scale(tasks, n, 1.7, z);
            vector_combine(tasks, n, z, a, fixture->y, z);
            for (size_t i = 0; i < n; i++) {
                const double x = fixture->x[i];
                const double y = fixture->y[i];
                const double expected = (y + a * x) * 1.7 + a * y;
                assert_true(z[i] == expected);
            }
            vector_zero(tasks, n, z);
            for (size_t i = 0; i < n; i++) {
                assert_true(z[i] == 0.0);
            }
        }
    }
}

static void nothing_beyond_the_end_is_touched(void **state) {
    const struct fixture *fixture = *state;
    double *z = fixture->z;
    for (size_t n = 0; n < 40; n++) {
        for (size_t i = 0; i < 48; i++) {
            z[i] = 5.0;
        }
        vector_combine(NULL, n, fixture->x, 2.0, fixture->y, z);
        vector_scale(NULL, n, 2.0, z);
        vector_copy(NULL, n, fixture->x, z);
        vector_zero(NULL, n, z);
        for (size_t i = n; i < 48; i++) {
            assert_true(z[i] == 5.0);
        }
    }
}

static void one_bad_entry_anywhere_is_found(void **state) {
    struct fixture *fixture = *state;
    const size_t n = 20003;
    const size_t places[] = {0, 1, 7, 4096, 8191, 12345, 20000, 20002};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    assert_true(vector_is_finite(fixture->pools[1], n, fixture->x));
    for (size_t p = 0; p < COUNT_OF(places); p++) {
        for (size_t b = 0; b < COUNT_OF(bad); b++) {
            const double kept = fixture->x[places[p]];
            fixture->x[places[p]] = bad[b];
            assert_false(vector_is_finite(fixture->pools[1], n, fixture->x));
            fixture->x[places[p]] = kept;
        }
    }
}

static void one_entry_anywhere_that_differs_is_found(void **state) {
    const struct fixture *fixture = *state;
    const size_t n = 41;
    double *const z = fixture->z;
    vector_copy(NULL, n, fixture->x, z);
    z[3] = -0.0;
    z[4] = 0.0;
    double other[41];
    vector_copy(NULL, n, z, other);
    other[3] = 0.0;
    other[4] = -0.0;
    assert_true(vector_equals(n, z, other) && vector_equals(0, z, fixture->y));
    for (size_t i = 0; i < n; i++) {
        const double kept = other[i];
        other[i] = nextafter(kept, INFINITY);
        assert_false(vector_equals(n, z, other));
        assert_true(vector_equals(i, z, other));
        other[i] = kept;
    }
}

static void the_largest_numbers_are_finite(void **state) {
    (void)state;
    double x[20];
    for (size_t i = 0; i < COUNT_OF(x); i++) {
        x[i] = 1.7e308;
    }
    assert_true(vector_is_finite(NULL, COUNT_OF(x), x));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_same_to_the_bit),
        cmocka_unit_test(one_entry_anywhere_that_differs_is_found),
        cmocka_unit_test(sums_are_right),
        cmocka_unit_test(updates_are_exact),
        cmocka_unit_test(nothing_beyond_the_end_is_touched),
        cmocka_unit_test(one_bad_entry_anywhere_is_found),
        cmocka_unit_test(the_largest_numbers_are_finite),
    };
    return cmocka_run_group_tests_name("base/vector", tests, set_up, tear_down);
}
