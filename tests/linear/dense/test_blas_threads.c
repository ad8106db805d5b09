// OpenBLAS's number of threads is the host's: what it was before a factorisation it is afterwards,
// whatever came of it, and the bits do not depend on it. With the serial OpenBLAS, where there is
// but one number, this holds as well.
// SPDX-License-Identifier: MIT
#include "linear/dense/blas_threads.h"

#include <cblas.h>
#include <pthread.h>

#include "linear/linear_cases.h"

static struct memory memory;

static void limits_nest(void **state) {
    (void)state;
    const int before = openblas_get_num_threads();
    for (int wanted = 1; wanted <= 3; wanted++) {
        openblas_set_num_threads(wanted);
        const int host = openblas_get_num_threads();
        blas_threads_limit();
        assert_int_equal(openblas_get_num_threads(), 1);
        blas_threads_limit();
        blas_threads_restore();
        assert_int_equal(openblas_get_num_threads(), 1);
        blas_threads_restore();
        assert_int_equal(openblas_get_num_threads(), host);
    }
    openblas_set_num_threads(before);
}

static void *come_and_go(void *argument) {
    int *const worst = argument;
    for (int i = 0; i < 1000; i++) {
        blas_threads_limit();
        const int inside = openblas_get_num_threads();
        *worst = inside > *worst ? inside : *worst;
        blas_threads_restore();
    }
    return NULL;
}

/// Worlds on several threads of the host's.
static void limits_at_the_same_time(void **state) {
    (void)state;
    const int before = openblas_get_num_threads();
    openblas_set_num_threads(3);
    const int host = openblas_get_num_threads();
    pthread_t threads[4];
    int worst[4] = {0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &worst[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(worst[i], 1);
    }
    assert_int_equal(openblas_get_num_threads(), host);
    openblas_set_num_threads(before);
}

/// Every preconditioner, for a matrix it likes and one that it does not, under one, two and three
/// threads of the host's.
static void preconditioners_leave_the_setting_alone(void **state) {
    (void)state;
    const int before = openblas_get_num_threads();
    struct fixture f = make_fixture(&memory, 8, 2), bad = make_fixture(&memory, 8, 2);
    shift_diagonal(&bad.matrix, -10.0 * mean_diagonal(&bad.matrix));
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *first = random_vector(&memory, n, 1);
    double *z = random_vector(&memory, n, 2);
    for (size_t k = 0; preconditioner_tables[k]; k++) {
        for (int wanted = 1; wanted <= 3; wanted++) {
            openblas_set_num_threads(wanted);
            const int host = openblas_get_num_threads();
            struct preconditioner m = {0};
            assert_int_equal(preconditioner_create(&memory, preconditioner_tables[k]->id, &f.matrix,
                                                   ORDER_NATURAL, &m),
                             PBS_OK);
            const struct linear_problem problem = {.a = &f.matrix, .positions = f.positions};
            const struct linear_problem indefinite = {.a = &bad.matrix, .positions = f.positions};
            m.table->factor(m.state, NULL, &indefinite);
            assert_int_equal(openblas_get_num_threads(), host);
            assert_int_equal(m.table->factor(m.state, NULL, &problem), PBS_OK);
            assert_int_equal(openblas_get_num_threads(), host);
            m.table->apply(m.state, NULL, f.rhs, z);
            assert_int_equal(openblas_get_num_threads(), host);
            if (wanted == 1) {
                memcpy(first, z, n * sizeof *z);
            }
            assert_memory_equal(first, z, n * sizeof *z);
            preconditioner_destroy(&memory, &m);
        }
    }
    memory_release(&memory, first);
    memory_release(&memory, z);
    fixture_free(&memory, &f);
    fixture_free(&memory, &bad);
    openblas_set_num_threads(before);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_nest),
        cmocka_unit_test(limits_at_the_same_time),
        cmocka_unit_test(preconditioners_leave_the_setting_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
