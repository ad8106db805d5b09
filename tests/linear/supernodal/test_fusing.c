// Factors that fuse nothing: the same bits as on a processor that cannot fuse. What such a
// processor does is compiled here from the same kernels, for plain x86-64 and one width of vectors.
// SPDX-License-Identifier: MIT
#define PBS_SINGLE_VERSION

#include <float.h>
#include <math.h>

#include "linear/supernodal/supernodal_parts.h"

bool supernodal_factor_baseline(struct supernodal *s, struct tasks *tasks, const double *values,
                                double shift);
double supernodal_pivot_baseline(const struct supernodal *s, uint32_t k);

#define REAL         double
#define REAL_MAX     DBL_MAX
#define REAL_EPSILON DBL_EPSILON
#define REAL_FLUSHES false
#define SQUARE_ROOT  sqrt
#define NAME(x)      x##_baseline
#include "linear/supernodal/supernodal_numeric.h"

#include "linear/linear_cases.h"
#include "support/testing.h"

static struct memory memory;

/// Whether the library's kernels have a version that fuses, and this processor takes it: gcc alone
/// makes several, and not where a sanitizer is built in (base/config.h).
static bool can_fuse(void) {
#if defined(__x86_64__) && !defined(__clang__) && !defined(PBS_SANITIZED)
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static struct tasks *new_tasks(int32_t threads, bool may_fuse) {
    struct tasks *tasks;
    assert_ok(tasks_create(&memory, NULL, threads, &tasks));
    assert_true(tasks_may_fuse(tasks));
    tasks_set_fusing(tasks, may_fuse);
    return tasks;
}

/// What the present factor gives for the right-hand side; to be released.
static double *solve(struct supernodal *s, const struct fixture *f) {
    double *x = memory_allocate(&memory, 3 * (size_t)f->matrix.row_count, sizeof *x);
    supernodal_solve(s, NULL, f->rhs, x);
    return x;
}

static void plain_factors_are_those_of_plain_processors(void **state) {
    (void)state;
    const struct fixture_desc desc = fixture_hard(testing_is_small() ? 6 : 12);
    struct fixture f;
    struct supernodal *s;
    assert_ok(fixture_build(&memory, &desc, &f));
    assert_ok(supernodal_create(&memory, SUPERNODAL_DOUBLE, &s));
    assert_ok(supernodal_analyze(s, &f.matrix, NULL));
    struct tasks *fusing = new_tasks(1, true);
    struct tasks *one = new_tasks(1, false);
    struct tasks *three = new_tasks(3, false);
    const size_t count = 3 * (size_t)f.matrix.row_count;
    double *x[4];
    assert_ok(supernodal_factor(s, fusing, &f.matrix, 0.0));
    x[0] = solve(s, &f);
    assert_true(supernodal_factor_baseline(s, one, f.values, 0.0));
    x[1] = solve(s, &f);
    assert_ok(supernodal_factor(s, one, &f.matrix, 0.0));
    x[2] = solve(s, &f);
    assert_ok(supernodal_factor(s, three, &f.matrix, 0.0));
    x[3] = solve(s, &f);
    assert_same_bits(x[1], x[2], count);
    assert_same_bits(x[3], x[2], count);
    // Fusing is felt in the last bits, and in no others.
    if (can_fuse()) {
        assert_memory_not_equal(x[0], x[2], count * sizeof *x[0]);
    }
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[2][i]));
    }
    // Rounding of 1e-16 by a condition of 1e6.
    assert_small(testing_max_difference(x[0], x[2], count), 1e-10 * largest, "x");
    for (size_t i = 0; i < COUNT_OF(x); i++) {
        memory_release(&memory, x[i]);
    }
    tasks_destroy(&memory, fusing);
    tasks_destroy(&memory, one);
    tasks_destroy(&memory, three);
    supernodal_destroy(s);
    fixture_free(&memory, &f);
}

/// Multigrid's coarsest matrix is inverted without LAPACK then: the same map but for rounding.
static void plain_multigrid_is_the_same_map(void **state) {
    (void)state;
    const struct fixture_desc desc = fixture_hard(8);
    struct fixture f;
    struct preconditioner p;
    assert_ok(fixture_build(&memory, &desc, &f));
    const struct linear_problem problem = {.a = &f.matrix, .positions = f.positions};
    assert_ok(
        preconditioner_create(&memory, PBS_PRECONDITIONER_MULTIGRID, &f.matrix, ORDER_NATURAL, &p));
    const size_t count = 3 * (size_t)f.matrix.row_count;
    double *z[2];
    double largest = 0.0;
    for (int i = 0; i < 2; i++) {
        struct tasks *tasks = new_tasks(1, i == 0);
        z[i] = memory_allocate(&memory, count, sizeof *z[i]);
        assert_ok(p.table->factor(p.state, tasks, &problem));
        p.table->apply(p.state, tasks, f.rhs, z[i]);
        tasks_destroy(&memory, tasks);
    }
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(z[0][i]));
    }
    // Grids are in single precision; the inverse is in double.
    assert_small(testing_max_difference(z[0], z[1], count), 1e-5 * largest, "z");
    assert_memory_not_equal(z[0], z[1], count * sizeof *z[0]);
    memory_release(&memory, z[0]);
    memory_release(&memory, z[1]);
    preconditioner_destroy(&memory, &p);
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_factors_are_those_of_plain_processors),
        cmocka_unit_test(plain_multigrid_is_the_same_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
