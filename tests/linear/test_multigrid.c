// Multigrid: what its grids must be, and what conjugate gradients gain.
#include "linear/multigrid.h"
#include "linear_cases.h"

#include <float.h>

static struct memory memory;

static struct linear_problem problem_of(const struct fixture *f) {
    return (struct linear_problem){.a = &f->matrix, .positions = f->positions};
}

static struct preconditioner create(const struct linear_problem *problem) {
    struct preconditioner p;
    assert_int_equal(
        preconditioner_create(&memory, PBS_PRECONDITIONER_MULTIGRID, problem->a, ORDER_NATURAL, &p),
        PBS_OK);
    assert_int_equal(p.table->factor(p.state, NULL, problem), PBS_OK);
    return p;
}

/// The matrix of a grid, dense.
static double *dense_matrix(const struct grid *g) {
    const size_t n = (size_t)g->size * g->node_count;
    double *m = memory_allocate(&memory, n * n, sizeof *m);
    for (size_t i = 0; i < g->node_count; i++) {
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
            for (size_t c = 0; c < g->size; c++) {
                for (size_t r = 0; r < g->size; r++) {
                    m[n * (g->size * i + r) + g->size * g->column[k] +
                      c] = (double)g->values[g->size * (g->size * (size_t)k + c) + r];
                }
            }
        }
    }
    return m;
}

/// Its interpolation, dense.
static double *dense_interpolation(const struct grid *g) {
    const size_t width = 6 * (size_t)g->coarse_count;
    double *p = memory_allocate(&memory, g->size * g->node_count * width, sizeof *p);
    for (size_t i = 0; i < g->node_count; i++) {
        for (uint32_t k = g->p_start[i]; k < g->p_start[i + 1]; k++) {
            for (size_t r = 0; r < g->size; r++) {
                for (size_t c = 0; c < 6; c++) {
                    p[width * (g->size * i + r) + 6 * g->p_column[k] +
                      c] = (double)g->p[6 * (g->size * (size_t)k + r) + c];
                }
            }
        }
    }
    return p;
}

/// Every node is in one aggregate of its chunk, and the lists say the same.
static void check_aggregates(const struct grid *g) {
    uint32_t listed = 0;
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t a = g->aggregate_start[c]; a < g->aggregate_start[c + 1]; a++) {
            assert_true(g->member_start[a] < g->member_start[a + 1]);
            for (uint32_t m = g->member_start[a]; m < g->member_start[a + 1]; m++, listed++) {
                assert_int_equal(g->aggregate[g->member[m]], a);
                assert_in_range(g->member[m], g->chunk_start[c], g->chunk_start[c + 1] - 1);
                assert_true(m == g->member_start[a] || g->member[m] > g->member[m - 1]);
            }
        }
    }
    assert_int_equal(listed, g->node_count);
    assert_int_equal(g->aggregate_start[g->chunk_count], g->coarse_count);
}

/// |P^T A P - A_next| against |A|: a row of P^T A P is a sum of some 1e3 products in float.
static void check_product(const struct grid *g) {
    const size_t n = (size_t)g->size * g->node_count;
    const size_t width = 6 * (size_t)g->coarse_count;
    double *a = dense_matrix(g);
    double *p = dense_interpolation(g);
    double *next = dense_matrix(g + 1);
    double *ap = memory_allocate(&memory, n * width, sizeof *ap);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            for (size_t c = 0; c < width && a[n * i + k] != 0.0; c++) {
                ap[width * i + c] += a[n * i + k] * p[width * k + c];
            }
        }
    }
    double *product = memory_allocate(&memory, width * width, sizeof *product);
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < width; r++) {
            for (size_t c = 0; c < width && p[width * i + r] != 0.0; c++) {
                product[width * r + c] += p[width * i + r] * ap[width * i + c];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, a[n * i + i]);
    }
    double error = 0.0;
    for (size_t i = 0; i < width; i++) {
        for (size_t j = 0; j < width; j++) {
            // A motion that was left out stands for itself.
            const double expected = i == j && product[width * i + i] == 0.0
                                        ? 1.0
                                        : product[width * i + j];
            error = fmax(error, fabs(next[width * i + j] - expected));
            assert_true(next[width * i + j] == next[width * j + i]);
        }
    }
    assert_true(error < 100.0 * (double)FLT_EPSILON * largest);
    memory_release(&memory, a);
    memory_release(&memory, p);
    memory_release(&memory, ap);
    memory_release(&memory, next);
    memory_release(&memory, product);
}

static void next_matrix_is_the_galerkin_product(void **state) {
    (void)state;
    for (uint32_t domains = 1; domains <= 3; domains++) {
        struct fixture f = make_fixture(&memory, 7, domains);
        const struct linear_problem problem = problem_of(&f);
        struct preconditioner p = create(&problem);
        const struct multigrid *m = p.state;
        assert_int_equal(m->grid_count, 2);
        check_aggregates(m->grid);
        check_product(m->grid);
        preconditioner_destroy(&memory, &p);
        fixture_free(&memory, &f);
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_matrix_is_the_galerkin_product),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
