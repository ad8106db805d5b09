// Each material at one deformation gradient: derivatives, invariance, rest state, small-strain
// moduli, projection.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/svd3.h"
#include "energy/material.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"

/// LAPACK's symmetric eigenvalues, as Fortran calls it.
void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *leading,
            double *values, double *work, const int *work_count, int *info, size_t job_length,
            size_t triangle_length);
/// OpenBLAS otherwise wakes threads for every matrix of nine rows.
void openblas_set_num_threads(int count);

static const double poissons[] = {-0.5, 0.0, 0.3, 0.45};

enum kind {
    REGULAR,
    GAUSSIAN,
    INVERTED,
    FLAT,
    LINE,
    ZERO,
    EQUAL,
    OPPOSITE,
    HUGE_STRETCH,
    KIND_COUNT
};

/// Signed singular values of a state of that kind.
static void stretches(struct random *random, enum kind kind, double s[3]) {
    random_fill(random, 0.4, 2.0, s, 3);
    switch (kind) {
    case GAUSSIAN: random_fill(random, -2.0, 2.0, s, 3); break;
    case INVERTED: s[2] = -s[2]; break;
    case FLAT: s[2] = 0.0; break;
    case LINE: s[1] = s[2] = 0.0; break;
    case ZERO: s[0] = s[1] = s[2] = 0.0; break;
    case EQUAL: s[1] = s[2] = s[0]; break;
    case OPPOSITE: s[2] = -s[1]; break;
    case HUGE_STRETCH:
        s[0] *= 30.0;
        s[2] /= 30.0;
        break;
    default: break;
    }
}

/// The sign of an inverted F goes to its smallest stretch, so the fixed corotated energy has a kink
/// where the two smallest meet.
static bool near_kink(const double s[3]) {
    const double a = fabs(s[0]), b = fabs(s[1]), c = fabs(s[2]);
    const double largest = fmax(a, fmax(b, c));
    const double smallest = fmin(a, fmin(b, c));
    return s[0] * s[1] * s[2] < 0.0 && (a + b + c - largest - smallest) - smallest < 0.2;
}

struct context {
    const struct material_table *material;
    double mu, lambda;
};

static double value_of(void *context, const double *f) {
    const struct context *c = context;
    return c->material->point(c->mu, c->lambda, f, false, NULL, NULL);
}

static void gradient_of(void *context, const double *f, double *p) {
    const struct context *c = context;
    c->material->point(c->mu, c->lambda, f, false, p, NULL);
}

static void hessian_of(void *context, const double *f, double *dp) {
    const struct context *c = context;
    c->material->point(c->mu, c->lambda, f, false, NULL, dp);
}

static bool may_invert(const struct context *c) {
    return !c->material->inversion_is_infinite;
}

/// Differences with step 5e-4 have an error of step^4 / 30 times a sixth derivative of psi, at most
/// 120 * 10 / s^6 = 3e5 at s = 0.4 for the logarithm: 1e-9; and 1e-15 * 100 / step = 2e-10 of
/// rounding.
static void test_derivatives(void **state) {
    struct random random = random_seed(1);
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        for (size_t n = 0; n < COUNT_OF(poissons); n++) {
            struct context context = {.material = material_tables[m]};
            context.material->parameters(2.0, poissons[n], &context.mu, &context.lambda);
            const struct derivatives_function function = {9, value_of, gradient_of, hessian_of,
                                                          &context};
            for (int trial = 0; trial < 100; trial++) {
                double s[3];
                double f[9];
                stretches(&random, trial % 2 && may_invert(&context) ? INVERTED : REGULAR, s);
                if (near_kink(s)) {
                    continue;
                }
                random_stretched(&random, s, f);
                assert_small(derivatives_gradient_error(&function, f, 5e-4), 1e-8, "stress");
                assert_small(derivatives_hessian_error(&function, f, 5e-4), 1e-8, "dP/dF");
                assert_small(derivatives_asymmetry(&function, f), 1e-13, "symmetry of dP/dF");
            }
        }
    }
}

/// psi(R F) = psi(F) = psi(F R), P(R F) = R P(F), to rounding of products of order one.
static void test_rotation(void **state) {
    struct random random = random_seed(2);
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        for (int trial = 0; trial < 200; trial++) {
            double s[3];
            double f[9];
            double r[9];
            double rf[9];
            double fr[9];
            double p[9];
            double rp[9];
            double p_of_rf[9];
            const struct context c = {material_tables[m], 1.0, 2.0};
            stretches(&random, may_invert(&c) && trial % 2 ? INVERTED : REGULAR, s);
            if (near_kink(s)) {
                continue;
            }
            random_stretched(&random, s, f);
            random_rotation(&random, r);
            multiply33(r, f, rf);
            multiply33(f, r, fr);
            const double psi = c.material->point(1.0, 2.0, f, false, p, NULL);
            assert_near(c.material->point(1.0, 2.0, rf, false, p_of_rf, NULL), psi,
                        1e-12 * (1.0 + psi), "psi(R F)");
            assert_near(c.material->point(1.0, 2.0, fr, false, NULL, NULL), psi,
                        1e-12 * (1.0 + psi), "psi(F R)");
            multiply33(r, p, rp);
            assert_small(testing_max_difference(rp, p_of_rf, 9), 1e-11, "P(R F)");
        }
    }
}

/// At rest: no stress, no energy, and for a rotation as little as its own rounding makes, squared.
static void test_rest(void **state) {
    struct random random = random_seed(3);
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        double r[9];
        double p[9];
        double zero[9] = {0};
        identity33(r);
        assert_true(material_tables[m]->point(1.0, 50.0, r, false, p, NULL) == 0.0);
        assert_small(testing_max_difference(p, zero, 9), 0.0, "P(1)");
        random_rotation(&random, r);
        assert_small(material_tables[m]->point(1.0, 50.0, r, false, p, NULL), 1e-28, "psi(R)");
        assert_small(testing_max_difference(p, zero, 9), 1e-13, "P(R)");
    }
}

/// Linear elasticity's stiffness: mu (d_ik d_jl + d_il d_jk) + lambda d_ij d_kl.
static void linear_stiffness(double mu, double lambda, double dp[81]) {
    for (int ij = 0; ij < 9; ij++) {
        for (int kl = 0; kl < 9; kl++) {
            const int i = ij / 3, j = ij % 3, k = kl / 3, l = kl % 3;
            dp[9 * ij + kl] = mu * ((i == k && j == l) + (i == l && j == k)) +
                              lambda * (i == j && k == l);
        }
    }
}

static void test_small_strain_moduli(void **state) {
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        for (size_t n = 0; n < COUNT_OF(poissons); n++) {
            const double young = 3.0;
            double identity[9];
            double mu;
            double lambda;
            double dp[81];
            double expected[81];
            identity33(identity);
            material_tables[m]->parameters(young, poissons[n], &mu, &lambda);
            material_tables[m]->point(mu, lambda, identity, false, NULL, dp);
            linear_stiffness(
                young / (2.0 * (1.0 + poissons[n])),
                young * poissons[n] / ((1.0 + poissons[n]) * (1.0 - 2.0 * poissons[n])), expected);
            assert_small(testing_max_difference(dp, expected, 81), 1e-13 * young / 0.05, "moduli");
        }
    }
}

/// At strain e = 1e-7 the energy is e^2 / 2 times a quadratic form, up to e; a density written with
/// cancellation (of terms of order one) would be off by 1e-16 / e^2 = 1e-2 of it. The entries of F
/// are exact: multiples of 2^-44.
static void test_energy_does_not_cancel_near_rest(void **state) {
    struct random random = random_seed(4);
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        for (int trial = 0; trial < 50; trial++) {
            double identity[9];
            double f[9];
            double h[9];
            double dp[81];
            double quadratic = 0.0;
            identity33(identity);
            for (int i = 0; i < 9; i++) {
                h[i] = round(ldexp(random_uniform(&random, -1e-7, 1e-7), 44)) * ldexp(1.0, -44);
                f[i] = identity[i] + h[i];
            }
            material_tables[m]->point(1.0, 3.0, identity, false, NULL, dp);
            for (int i = 0; i < 81; i++) {
                quadratic += 0.5 * h[i / 9] * dp[i] * h[i % 9];
            }
            const double psi = material_tables[m]->point(1.0, 3.0, f, false, NULL, NULL);
            assert_near(psi / quadratic, 1.0, 1e-5, "psi / quadratic form");
        }
    }
}

static double smallest_eigenvalue(const double dp[81], double clamped[81], double *largest) {
    double vectors[81];
    double values[9];
    memcpy(vectors, dp, sizeof vectors);
    double work[128];
    const int size = 9;
    const int work_count = 128;
    int info = 0;
    dsyev_("V", "U", &size, vectors, &size, values, work, &work_count, &info, 1, 1);
    assert_int_equal(info, 0);
    for (int ij = 0; ij < 81; ij++) {
        clamped[ij] = 0.0;
        for (int k = 0; k < 9; k++) {
            clamped[ij] += vectors[9 * k + ij / 9] * fmax(values[k], 0.0) * vectors[9 * k + ij % 9];
        }
    }
    *largest = fmax(fabs(values[0]), fabs(values[8]));
    return values[0];
}

/// The projected dP/dF has no negative eigenvalue, and is what a 9x9 eigensolver makes of the exact
/// one; so it is the exact one where that is already semidefinite. Closed form and singular values
/// differ by rounding times s_0 / s_2, up to 5e3.
static void check_projection(const struct material_table *material, const double f[9]) {
    double exact[81];
    double projected[81];
    double clamped[81];
    double unused[81];
    double largest;
    double largest_projected;
    material->point(1.0, 2.0, f, false, NULL, exact);
    material->point(1.0, 2.0, f, true, NULL, projected);
    smallest_eigenvalue(exact, clamped, &largest);
    const double smallest = smallest_eigenvalue(projected, unused, &largest_projected);
    assert_small(-smallest, 1e-12 * largest, "negative eigenvalue after projection");
    assert_small(testing_max_difference(projected, clamped, 81), 1e-11 * largest, "projection");
}

static void test_projection(void **state) {
    struct random random = random_seed(5);
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        for (int trial = 0; trial < 10000; trial++) {
            double s[3];
            double f[9];
            stretches(&random, (enum kind)(trial % KIND_COUNT), s);
            if (material_tables[m]->inversion_is_infinite && !(s[0] * s[1] * s[2] > 1e-3)) {
                random_fill(&random, 0.1, 3.0, s, 3);
            }
            random_stretched(&random, s, f);
            check_projection(material_tables[m], f);
        }
    }
}

static void test_inversion_of_the_logarithm(void **state) {
    struct random random = random_seed(6);
    const struct material_table *material = material_find(PBS_MATERIAL_NEO_HOOKEAN);
    static const enum kind kinds[] = {INVERTED, FLAT, LINE, ZERO, OPPOSITE};
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        double s[3];
        double f[9];
        double p[9];
        double dp[81];
        const enum kind kind = kinds[(size_t)trial % COUNT_OF(kinds)];
        stretches(&random, kind, s);
        if (kind != INVERTED && kind != OPPOSITE) {
            for (int i = 0; i < 9; i++) {
                f[i] = i % 4 == 0 ? s[i / 4] : 0.0; // flat to the last bit
            }
        } else {
            random_stretched(&random, s, f);
        }
        assert_true(material->point(1.0, 2.0, f, trial % 2, p, dp) == (double)INFINITY);
        for (int i = 0; i < 81; i++) {
            assert_true(isfinite(p[i % 9]) && isfinite(dp[i]));
        }
    }
}

/// psi of nearly collapsed states is what its definition says, in which nothing cancels there.
static void test_logarithm_of_small_volumes(void **state) {
    const struct material_table *material = material_find(PBS_MATERIAL_NEO_HOOKEAN);
    static const double sizes[] = {1e-3, 1e-5, 1e-6, 1e-7, 1e-20, 1e-100};
    (void)state;
    for (size_t n = 0; n < COUNT_OF(sizes); n++) {
        const double f[9] = {sizes[n], 0.0, 0.0, 0.0, sizes[n], 0.0, 0.0, 0.0, 1.0};
        const double log_j = 2.0 * log(sizes[n]);
        const double psi = sizes[n] * sizes[n] - 1.0 - log_j + log_j * log_j;
        double p[9];
        assert_near(material->point(1.0, 2.0, f, false, p, NULL), psi, 1e-14 * psi, "psi");
        const double stress = sizes[n] + (2.0 * log_j - 1.0) / sizes[n];
        assert_near(p[0], stress, 1e-14 * fabs(stress), "P");
    }
}

/// In whichever way R was had, psi is that of the signed stretches: mu |F - R|^2 moves with the
/// rounding of R, below 1e-13, times 2 |F - R| (tested with base/matrix3/polar3.h).
static void test_fixed_corotated_is_in_signed_stretches(void **state) {
    struct random random = random_seed(7);
    const struct material_table *material = material_find(PBS_MATERIAL_FIXED_COROTATED);
    (void)state;
    for (int trial = 0; trial < 10000; trial++) {
        double s[3];
        double f[9];
        double u[9];
        double v[9];
        stretches(&random, (enum kind)(trial % KIND_COUNT), s);
        random_stretched(&random, s, f);
        svd3(f, u, s, v);
        const double j = s[0] * s[1] * s[2] - 1.0;
        const double square = (s[0] - 1.0) * (s[0] - 1.0) + (s[1] - 1.0) * (s[1] - 1.0) +
                              (s[2] - 1.0) * (s[2] - 1.0);
        assert_near(material->point(1.0, 2.0, f, false, NULL, NULL), square + j * j,
                    1e-12 * (1.0 + square + j * j), "psi");
    }
}

static void test_lookup(void **state) {
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        assert_ptr_equal(material_find(material_tables[m]->id), material_tables[m]);
    }
    assert_ptr_equal(material_find(PBS_MATERIAL_ST_VENANT_KIRCHHOFF),
                     &material_st_venant_kirchhoff);
    assert_null(material_find(-1));
}

/// psi of F = diag(s).
static double density_at(const struct material_table *material, double poisson, const double s[3]) {
    double mu, lambda;
    const double f[9] = {s[0], 0.0, 0.0, 0.0, s[1], 0.0, 0.0, 0.0, s[2]};
    material->parameters(1.0, poisson, &mu, &lambda);
    return material->point(mu, lambda, f, false, NULL, NULL);
}

/// Over stretches from 1e-3 to 1e3, and reflections where these are finite, no energy with a ratio
/// that its material takes is below the one at rest by more than rounding of its parts.
static void energies_that_are_taken_are_bounded(void **state) {
    static const double ratios[] = {-0.999, -0.9, -0.5, -0.1, 0.0, 0.3, 0.499};
    struct random random = random_seed(71);
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        const struct material_table *material = material_tables[m];
        for (size_t n = 0; n < COUNT_OF(ratios); n++) {
            for (int trial = 0; trial < 2000 && (ratios[n] >= 0.0 || !material->unbounded);
                 trial++) {
                double s[3];
                for (int i = 0; i < 3; i++) {
                    s[i] = exp(random_uniform(&random, -7.0, 7.0));
                }
                s[2] *= trial % 2 && !material->inversion_is_infinite ? -1.0 : 1.0;
                const double psi = density_at(material, ratios[n], s);
                assert_true(psi > -1e-12);
            }
        }
    }
}

/// And those that are refused are not, however little the ratio is below zero.
static void energies_that_are_refused_have_no_bound(void **state) {
    (void)state;
    const double wide[3] = {1e4, 1e4, 1e4}, flat[3] = {1.0, 1.0, 1e-300};
    assert_true(density_at(&material_fixed_corotated, -0.01, wide) < -1e9);
    assert_true(density_at(&material_neo_hookean, -0.01, flat) < -1e3);
    assert_non_null(material_fixed_corotated.unbounded);
    assert_non_null(material_neo_hookean.unbounded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_that_are_taken_are_bounded),
        cmocka_unit_test(energies_that_are_refused_have_no_bound),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_small_strain_moduli),
        cmocka_unit_test(test_energy_does_not_cancel_near_rest),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_inversion_of_the_logarithm),
        cmocka_unit_test(test_logarithm_of_small_volumes),
        cmocka_unit_test(test_fixed_corotated_is_in_signed_stretches),
        cmocka_unit_test(test_lookup),
    };
    openblas_set_num_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
