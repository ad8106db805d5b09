// Incomplete Cholesky: complete where there is no fill, local to its domains, shifted where it
// breaks down. And what block Jacobi makes of blocks that are not positive definite.
// SPDX-License-Identifier: MIT
#include "linear/jacobi/diagonal_block.h"
#include "linear/incomplete/incomplete_cholesky.h"
#include "linear/linear_cases.h"

#include <float.h>

static struct memory memory;

static struct preconditioner create(int32_t id, const struct bsr *a,
                                    enum preconditioner_order order) {
    struct preconditioner p;
    assert_int_equal(preconditioner_create(&memory, id, a, order, &p), PBS_OK);
    assert_int_equal(p.table->factor(p.state, NULL, PROBLEM(a)), PBS_OK);
    return p;
}

/// A chain of full blocks, diagonally dominant: its Cholesky factor has no fill when eliminated
/// from an end.
static struct small_matrix make_chain(uint32_t n) {
    uint32_t *pairs = memory_allocate(&memory, 2 * (size_t)n, sizeof *pairs);
    for (uint32_t i = 0; i + 1 < n; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    struct small_matrix m = small_create(&memory, n, 1, pairs, n - 1);
    memory_release(&memory, pairs);
    double *entries = random_vector(&memory, 18 * (size_t)n, 7);
    for (uint32_t i = 0; i < n; i++) {
        double block[9];
        for (int e = 0; e < 9; e++) {
            const size_t other = (size_t)(3 * (e % 3) + e / 3);
            block[e] = entries[18 * i + (size_t)e] + entries[18 * i + other] +
                       (e % 4 == 0 ? 10.0 : 0.0);
        }
        small_set(&m, i, i, block);
        if (i + 1 < n) {
            small_set(&m, i, i + 1, entries + 18 * (size_t)i + 9);
        }
    }
    memory_release(&memory, entries);
    return m;
}

static void complete_on_a_chain(void **state) {
    (void)state;
    struct small_matrix m = make_chain(40);
    double *r = random_vector(&memory, 120, 1);
    double *z = random_vector(&memory, 120, 2);
    double *expected = random_vector(&memory, 120, 3);
    struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &m.a, ORDER_NATURAL);
    assert_true(p.table->shift(p.state) == 0.0);
    p.table->apply(p.state, NULL, r, z);
    dense_solve(&memory, &m.a, r, expected);
    double error = 0.0;
    for (size_t i = 0; i < 120; i++) {
        error = fmax(error, fabs(z[i] - expected[i]));
    }
    // The factor is rounded to float; the matrix is dominated by its diagonal of 10 +- 2 against
    // rows of at most 8, so its condition is below 10, and a solution entry is below 1.
    assert_true(error < 10.0 * (double)FLT_EPSILON);
    assert_true(error > 0.0);
    // Conjugate gradients therefore gain six digits an iteration.
    struct pcg_workspace w = {0};
    assert_int_equal(pcg_reserve(&memory, &w, 40), PBS_OK);
    const struct pcg_options options = {1e-12, 10, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&m.a), &p, r, &options, &w, z);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    assert_in_range(result.iterations, 1, 3);
    preconditioner_destroy(&memory, &p);
    pcg_free(&memory, &w);
    memory_release(&memory, r);
    memory_release(&memory, z);
    memory_release(&memory, expected);
    small_free(&memory, &m);
}

/// Kershaw's matrix (J. Comp. Phys. 26, 1978): positive definite, but IC(0) meets the pivot 3 -
/// 24/5 < 0.
static struct small_matrix make_kershaw(void) {
    const uint32_t ring[] = {0, 1, 1, 2, 2, 3, 3, 0};
    struct small_matrix m = small_create(&memory, 4, 1, ring, 4);
    for (uint32_t i = 0; i < 4; i++) {
        small_set_scalar(&m, i, i, 3.0);
        small_set_scalar(&m, i, (i + 1) % 4, i == 3 ? 2.0 : -2.0);
    }
    return m;
}

static void shifts_where_it_breaks_down(void **state) {
    (void)state;
    struct small_matrix m = make_kershaw();
    const enum preconditioner_order orders[] = {ORDER_NATURAL, ORDER_NESTED_DISSECTION};
    for (int o = 0; o < 2; o++) {
        struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &m.a, orders[o]);
        // Eliminated along the ring from a node to the opposite one: with the shift s, twice 4 / (t
        // - 4 / t) must be below t = 3 + 3 s, so t > sqrt(12) and s > 0.155. The first of 1e-3 4^k
        // above that is 0.256.
        assert_true(o == 1 || fabs(p.table->shift(p.state) - 0.256) < 1e-12);
        double r[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        double x[12];
        struct pcg_workspace w = {0};
        assert_int_equal(pcg_reserve(&memory, &w, 4), PBS_OK);
        const struct pcg_options options = {1e-12, 50, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
        assert_int_equal(pcg_solve(NULL, PROBLEM(&m.a), &p, r, &options, &w, x).outcome,
                         PCG_CONVERGED);
        pcg_free(&memory, &w);
        preconditioner_destroy(&memory, &p);
    }
    small_free(&memory, &m);
}

/// Whichever domain needs a shift, all have it and it is told. The diagonals of that domain are
/// lowered step by step.
static void shifts_of_any_domain_are_told(void **state) {
    (void)state;
    for (uint32_t domain = 0; domain < 3; domain++) {
        struct fixture f = make_fixture(&memory, 4, 3);
        const struct layout *layout = &f.assembly.layout;
        struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &f.matrix,
                                         ORDER_NATURAL);
        double shift = 0.0;
        for (int i = 0; i < 99 && shift == 0.0; i++) {
            for (uint32_t row = layout->domain_start[domain];
                 row < layout->domain_start[domain + 1]; row++) {
                for (size_t e = 0; e < 9; e += 4) {
                    f.values[9 * (size_t)f.matrix.row_start[row] + e] *= 0.98;
                }
            }
            assert_int_equal(p.table->factor(p.state, NULL, PROBLEM(&f.matrix)), PBS_OK);
            shift = p.table->shift(p.state);
        }
        assert_true(shift >= 1e-3 && shift < 0.3);
        for (uint32_t d = 0; d < 3; d++) {
            assert_true(((struct ichol *)p.state)->shift[d] == shift);
        }
        preconditioner_destroy(&memory, &p);
        fixture_free(&memory, &f);
    }
}

static void negate_diagonal(struct fixture *f, uint32_t domain) {
    const struct layout *layout = &f->assembly.layout;
    for (uint32_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1];
         row++) {
        for (size_t e = 0; e < 9; e++) {
            f->values[9 * (size_t)f->matrix.row_start[row] + e] *= -1.0;
        }
    }
}

/// One domain that is not positive definite at any useful shift makes block Jacobi of them all.
static void becomes_block_jacobi_where_shifts_are_of_no_use(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 3);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    // A shift below 1 does not turn it back.
    negate_diagonal(&f, 1);
    double *r = random_vector(&memory, n, 1);
    double *z = random_vector(&memory, n, 2);
    double *expected = random_vector(&memory, n, 3);
    struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &f.matrix,
                                     ORDER_NESTED_DISSECTION);
    struct preconditioner jacobi = create(PBS_PRECONDITIONER_BLOCK_JACOBI, &f.matrix,
                                          ORDER_NATURAL);
    assert_true(isinf(p.table->shift(p.state)));
    p.table->apply(p.state, NULL, r, z);
    jacobi.table->apply(jacobi.state, NULL, r, expected);
    for (size_t i = 0; i < n; i += 3) {
        // The inverse block and r are rounded to float; the condition of a block is below 10.
        const double largest = fmax(fabs(expected[i]),
                                    fmax(fabs(expected[i + 1]), fabs(expected[i + 2])));
        for (size_t c = 0; c < 3; c++) {
            assert_true(fabs(z[i + c] - expected[i + c]) < 100.0 * (double)FLT_EPSILON * largest);
        }
    }
    // It takes the next matrix as if nothing had been.
    negate_diagonal(&f, 1);
    assert_int_equal(p.table->factor(p.state, NULL, PROBLEM(&f.matrix)), PBS_OK);
    assert_true(p.table->shift(p.state) == 0.0);
    preconditioner_destroy(&memory, &p);
    preconditioner_destroy(&memory, &jacobi);
    memory_release(&memory, r);
    memory_release(&memory, z);
    memory_release(&memory, expected);
    fixture_free(&memory, &f);
}

/// What goes into one domain comes out of that domain alone.
static void domains_do_not_talk(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 6, 4);
    const struct layout *layout = &f.assembly.layout;
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *r = random_vector(&memory, n, 1);
    double *z = random_vector(&memory, n, 2);
    struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &f.matrix,
                                     ORDER_NATURAL);
    for (uint32_t d = 0; d < 4; d++) {
        const size_t first = 3 * (size_t)layout->domain_start[d];
        const size_t end = 3 * (size_t)layout->domain_start[d + 1];
        for (size_t i = 0; i < n; i++) {
            r[i] = i >= first && i < end ? 1.0 : 0.0;
        }
        p.table->apply(p.state, NULL, r, z);
        for (size_t i = 0; i < n; i++) {
            assert_true(i >= first && i < end ? z[i] != 0.0 || f.rhs[i] == 0.0 : z[i] == 0.0);
        }
    }
    preconditioner_destroy(&memory, &p);
    memory_release(&memory, r);
    memory_release(&memory, z);
    fixture_free(&memory, &f);
}

/// With all the fill made up for, M is above A, whatever A that is definite: no eigenvalue of
/// M^-1 A exceeds 1 but by rounding in float. The power method finds none. Nearly incompressible,
/// where the factor without it breaks down.
static void compensated_factors_are_above_the_matrix(void **state) {
    (void)state;
    struct fixture_desc desc = fixture_hard(12);
    desc.poisson = 0.49;
    desc.domain_count = 1;
    struct fixture f;
    assert_int_equal(fixture_build(&memory, &desc, &f), PBS_OK);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *x = random_vector(&memory, n, 1);
    double *y = random_vector(&memory, n, 2);
    for (int order = 0; order < 2; order++) {
        struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &f.matrix,
                                         order ? ORDER_NESTED_DISSECTION : ORDER_NATURAL);
        assert_true(p.table->shift(p.state) > 0.0);
        struct ichol *s = p.state;
        assert_int_equal(ichol_reserve_compensation(s, &memory), PBS_OK);
        s->compensation = 1.0;
        assert_int_equal(p.table->factor(s, NULL, PROBLEM(&f.matrix)), PBS_OK);
        assert_true(p.table->shift(s) == 0.0);
        for (int step = 0; step < 200; step++) {
            fixture_multiply(&f.matrix, x, y);
            p.table->apply(s, NULL, y, x);
            const double above = sqrt(dot(n, x, y));
            fixture_multiply(&f.matrix, x, y);
            const double norm = sqrt(dot(n, x, y));
            // x . A x and x . M x.
            assert_true(norm < above * (1.0 + 1e-4));
            for (size_t i = 0; i < n; i++) {
                x[i] /= norm;
            }
        }
        preconditioner_destroy(&memory, &p);
    }
    memory_release(&memory, x);
    memory_release(&memory, y);
    fixture_free(&memory, &f);
}

/// A stiff contact puts k n n^T on a diagonal block; that is no reason to shift, however large k.
static void stiff_directions_need_no_shift(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 5, 1);
    const double n[3] = {2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0};
    const double stiffness = 1e8 * mean_diagonal(&f.matrix);
    for (uint32_t row = 0; row < f.matrix.row_count; row += 5) {
        double *block = f.values + 9 * (size_t)f.matrix.row_start[row];
        for (int e = 0; e < 9; e++) {
            block[e] += stiffness * n[e / 3] * n[e % 3];
        }
    }
    struct preconditioner p = create(PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, &f.matrix,
                                     ORDER_NATURAL);
    assert_true(p.table->shift(p.state) == 0.0);
    preconditioner_destroy(&memory, &p);
    fixture_free(&memory, &f);
}

static void block_jacobi_inverts_blocks(void **state) {
    (void)state;
    struct small_matrix m = small_create(&memory, 2, 1, NULL, 0);
    const double definite[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2};
    // Eigenvalues 2, -1 and 3: its absolute value has 2, 1 and 3.
    const double indefinite[9] = {0.5, 1.5, 0, 1.5, 0.5, 0, 0, 0, 3};
    const double absolute[9] = {1.5, 0.5, 0, 0.5, 1.5, 0, 0, 0, 3};
    small_set(&m, 0, 0, definite);
    small_set(&m, 1, 1, indefinite);
    struct preconditioner p = create(PBS_PRECONDITIONER_BLOCK_JACOBI, &m.a, ORDER_NATURAL);
    const double x[3] = {1.0, -2.0, 0.5};
    double r[6];
    double z[6];
    for (uint32_t node = 0; node < 2; node++) {
        const double *block = node == 0 ? definite : absolute;
        for (size_t i = 0; i < 3; i++) {
            r[3 * m.assembly.layout.row[node] + i] = block[3 * i] * x[0] + block[3 * i + 1] * x[1] +
                                                     block[3 * i + 2] * x[2];
        }
    }
    p.table->apply(p.state, NULL, r, z);
    for (size_t i = 0; i < 6; i++) {
        // Condition numbers of the blocks are below 5.
        assert_true(fabs(z[i] - x[i % 3]) < 50.0 * DBL_EPSILON);
    }
    preconditioner_destroy(&memory, &p);
    small_free(&memory, &m);
}

/// |m|^-1, where an eigenvalue counts as no less than 1e-6 of the largest, whatever the signs.
static void blocks_are_inverted_by_magnitude(void **state) {
    (void)state;
    static const double cases[][2][3] = {{{-4.0, 0.0, 0.0}, {0.25, 2.5e5, 2.5e5}},
                                         {{-4.0, 0.0, 2.0}, {0.25, 2.5e5, 0.5}},
                                         {{8.0, -1e-9, 2.0}, {0.125, 1.25e5, 0.5}},
                                         {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double m[9] = {0.0}, inverse[9];
        for (int i = 0; i < 3; i++) {
            m[4 * i] = cases[k][0][i];
        }
        assert_true(diagonal_block_invert(m, inverse));
        for (int i = 0; i < 9; i++) {
            const double expected = i % 4 == 0 ? cases[k][1][i / 4] : 0.0;
            assert_true(fabs(inverse[i] - expected) <= 1e-12 * expected);
        }
        m[4] = NAN;
        assert_false(diagonal_block_invert(m, inverse));
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_on_a_chain),
        cmocka_unit_test(shifts_where_it_breaks_down),
        cmocka_unit_test(shifts_of_any_domain_are_told),
        cmocka_unit_test(becomes_block_jacobi_where_shifts_are_of_no_use),
        cmocka_unit_test(domains_do_not_talk),
        cmocka_unit_test(compensated_factors_are_above_the_matrix),
        cmocka_unit_test(stiff_directions_need_no_shift),
        cmocka_unit_test(blocks_are_inverted_by_magnitude),
        cmocka_unit_test(block_jacobi_inverts_blocks),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
