// What one step does to an oscillation (docs/theory/schemes.md section 4): the matrix that takes
// (x, h v, h^2 a, x_before, h v_before) of x'' = -x to the next, column by column, from steps of a
// world; its trace, determinant and spectral radius against formulas.
// SPDX-License-Identifier: MIT
#include <complex.h>

#include "integrate/oscillator.h"
#include "world/world.h"

enum { SIZE = 5, X = 0, V = 1, A = 2, X_BEFORE = 3, V_BEFORE = 4 };

struct matrix {
    int size; ///< leading rows and columns that the scheme uses
    double e[SIZE][SIZE];
};

/// first: the first parameter, or alpha where the scheme has energy control.
static pbs_integrator *integrator_of(int32_t scheme, double first, double second) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.parameters[0] = first;
    d.parameters[1] = second;
    if (scheme_find(scheme)->control != CONTROL_NONE) {
        d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
        d.energy_control.alpha = first;
    }
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

/// Puts a world that has taken a step into any state, history included.
static void put(pbs_world *world, double h, const double s[SIZE]) {
    struct history *history = &world->scene.history;
    world->scene.nodes.x[0] = s[X];
    world->scene.nodes.v[0] = s[V] / h;
    if (history->acceleration != NULL) {
        history->acceleration[0] = s[A] / (h * h);
    }
    if (history->x_before != NULL) {
        history->x_before[0] = s[X_BEFORE];
        history->v_before[0] = s[V_BEFORE] / h;
    }
}

static void get(const pbs_world *world, double h, const double before[SIZE], double s[SIZE]) {
    const struct history *history = &world->scene.history;
    s[X] = world->scene.nodes.x[0];
    s[V] = world->scene.nodes.v[0] * h;
    s[A] = history->acceleration != NULL ? history->acceleration[0] * h * h : 0.0;
    s[X_BEFORE] = history->x_before != NULL ? before[X] : 0.0;
    s[V_BEFORE] = history->x_before != NULL ? before[V] : 0.0;
}

/// With steps of hw on x'' = -x. Schemes without history but a_n = a(x_n) have a 2 x 2 matrix:
/// there the acceleration of a unit state is the force.
static struct matrix propagation(int32_t scheme, double first, double second, double hw) {
    pbs_integrator *integrator = integrator_of(scheme, first, second);
    struct oscillation o = oscillation_of(OSCILLATOR_LINEAR);
    // Of states of order one, with forces of order one and inertia up to 1 / (0.08 h^2).
    o.tolerance = 1e-13 * (1.0 + 1.0 / (0.08 * hw * hw));
    pbs_world *world = oscillator_world(integrator, &o);
    assert_ok(pbs_world_step(world, hw));
    const bool algorithmic = scheme == PBS_SCHEME_GENERALIZED_ALPHA;
    struct matrix m = {.size = world->scene.history.x_before != NULL ? 5 : algorithmic ? 3 : 2};
    for (int column = 0; column < m.size; column++) {
        double unit[SIZE] = {0.0}, next[SIZE];
        unit[column] = 1.0;
        unit[A] = algorithmic ? unit[A] : -hw * hw * unit[X];
        if (column == A && !algorithmic) {
            continue; // not a state of its own
        }
        put(world, hw, unit);
        assert_ok(pbs_world_step(world, hw));
        get(world, hw, unit, next);
        for (int row = 0; row < SIZE; row++) {
            m.e[row][column] = row == A && !algorithmic ? 0.0 : next[row];
        }
    }
    pbs_world_destroy(world);
    pbs_integrator_destroy(integrator);
    return m;
}

static double largest(const struct matrix *m) {
    double value = 0.0;
    for (int i = 0; i < m->size * m->size; i++) {
        value = fmax(value, fabs(m->e[i / m->size][i % m->size]));
    }
    return value;
}

static void square(struct matrix *m) {
    const struct matrix a = *m;
    for (int i = 0; i < a.size; i++) {
        for (int j = 0; j < a.size; j++) {
            m->e[i][j] = 0.0;
            for (int k = 0; k < a.size; k++) {
                m->e[i][j] += a.e[i][k] * a.e[k][j];
            }
        }
    }
}

/// lim |M^n|^(1/n), n = 2^50.
static double spectral_radius(struct matrix m) {
    double logarithm = 0.0, weight = 1.0;
    for (int i = 0; i < 50; i++) {
        const double size = largest(&m);
        if (size == 0.0) {
            return 0.0;
        }
        for (int k = 0; k < m.size * m.size; k++) {
            m.e[k / m.size][k % m.size] /= size;
        }
        logarithm += weight * log(size);
        weight *= 0.5;
        square(&m);
    }
    return exp(logarithm);
}

static double radius(int32_t scheme, double first, double second, double hw) {
    return spectral_radius(propagation(scheme, first, second, hw));
}

static const double steps[] = {0.25, 0.5, 1.0, 2.0, 5.0, 10.0};

// --- one-step schemes: trace and determinant ---

struct invariants {
    double trace, determinant;
};

static void assert_invariants(int32_t scheme, double first, double second, double hw,
                              struct invariants expected) {
    const struct matrix m = propagation(scheme, first, second, hw);
    char what[64];
    snprintf(what, sizeof what, "scheme %d at h w = %g", (int)scheme, hw);
    assert_int_equal(m.size, 2);
    assert_near(m.e[0][0] + m.e[1][1], expected.trace, 1e-12, what);
    assert_near(m.e[0][0] * m.e[1][1] - m.e[0][1] * m.e[1][0], expected.determinant, 1e-12, what);
}

/// Of a scheme whose eigenvalues are R(+-i w).
static struct invariants of_stability(double complex r) {
    return (struct invariants){2.0 * creal(r), creal(r) * creal(r) + cimag(r) * cimag(r)};
}

static double complex theta_stability(double theta, double hw) {
    const double complex z = hw * I;
    return (1.0 + (1.0 - theta) * z) / (1.0 - theta * z);
}

/// SDIRK2, and TR-BDF2 whose stages have the same length: of order 2 and zero at infinity.
static double complex diagonal_stability(double hw) {
    const double g = 1.0 - sqrt(0.5);
    const double complex z = hw * I;
    return (1.0 + (1.0 - 2.0 * g) * z) / ((1.0 - g * z) * (1.0 - g * z));
}

static struct invariants newmark_invariants(double beta, double gamma, double hw) {
    const double q = hw * hw / (1.0 + beta * hw * hw);
    return (struct invariants){2.0 - q * (gamma + 0.5), 1.0 - q * (gamma - 0.5)};
}

static void one_step_schemes_have_their_matrix(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const double hw = steps[i], hh = hw * hw;
        const struct invariants midpoint = {2.0 * (4.0 - hh) / (4.0 + hh), 1.0};
        const struct invariants euler = {2.0 / (1.0 + hh), 1.0 / (1.0 + hh)};
        assert_invariants(PBS_SCHEME_IMPLICIT_EULER, 0, 0, hw, euler);
        assert_invariants(PBS_SCHEME_VARIATIONAL_RIGHT_POINT, 0, 0, hw, euler);
        assert_invariants(PBS_SCHEME_TRAPEZOIDAL, 0, 0, hw, midpoint);
        assert_invariants(PBS_SCHEME_NEWMARK, 0.25, 0.5, hw, midpoint);
        assert_invariants(PBS_SCHEME_IMPLICIT_MIDPOINT, 0, 0, hw, midpoint);
        assert_invariants(PBS_SCHEME_VARIATIONAL_MIDPOINT, 0, 0, hw, midpoint);
        assert_invariants(PBS_SCHEME_INNER_THETA, 0.5, 0, hw, midpoint);
        assert_invariants(PBS_SCHEME_SYMPLECTIC_EULER, 0, 0, hw,
                          (struct invariants){2.0 - hh, 1.0});
        assert_invariants(PBS_SCHEME_NEWMARK, 0.3025, 0.6, hw, newmark_invariants(0.3025, 0.6, hw));
        assert_invariants(PBS_SCHEME_INNER_THETA, 0.7, 0, hw,
                          of_stability(theta_stability(0.7, hw)));
        assert_invariants(PBS_SCHEME_OUTER_THETA, 0.7, 0, hw,
                          of_stability(theta_stability(0.7, hw)));
        assert_invariants(PBS_SCHEME_FIRST_ORDER_THETA, 0.07, 0, hw,
                          of_stability(theta_stability(0.5014, hw)));
        assert_invariants(PBS_SCHEME_SDIRK2, 0, 0, hw, of_stability(diagonal_stability(hw)));
        assert_invariants(PBS_SCHEME_TR_BDF2, 0, 0, hw, of_stability(diagonal_stability(hw)));
    }
}

// Not exactly 1, with which a correction that gains energy is searched for
// (docs/theory/energy_control.md section 2): these matrices are those of the correction itself.
static const double ALPHA_1 = 1.0 + 1e-15;

/// det = 1 + (alpha - 1) q, trace = (2 + alpha hh) / (1 + hh), q = hh / (1 + hh).
static void alpha_methods_have_their_matrix(void **state) {
    (void)state;
    const double alphas[] = {0.0, 0.5, ALPHA_1, 1.1, 2.0};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const double hh = steps[i] * steps[i];
        for (size_t k = 0; k < COUNT_OF(alphas); k++) {
            const double a = alphas[k];
            assert_invariants(PBS_SCHEME_A_1, a, 0, steps[i],
                              (struct invariants){(2.0 + a * hh) / (1.0 + hh),
                                                  1.0 + (a - 1.0) * hh / (1.0 + hh)});
        }
    }
}

/// With alpha = 1 areas are kept; the trace has the values that the reference found.
static void decoupled_sdirk2_has_its_trace(void **state) {
    (void)state;
    // (h w)^2, the trace there, digits.
    static const double rows[][3] = {
        {44.28, -2.1634, 5e-5}, {19.496, -2.0, 1e-4}, {280.34, -2.0, 1e-5}, {1e12, -1.91421, 5e-6}};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const struct matrix m = propagation(PBS_SCHEME_DECOUPLED_SDIRK2, ALPHA_1, 0, steps[i]);
        assert_near(m.e[0][0] * m.e[1][1] - m.e[0][1] * m.e[1][0], 1.0, 1e-12 * largest(&m),
                    "determinant");
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct matrix m = propagation(PBS_SCHEME_DECOUPLED_SDIRK2, ALPHA_1, 0,
                                            sqrt(rows[i][0]));
        assert_near(m.e[0][0] + m.e[1][1], rows[i][1], rows[i][2], "trace");
    }
}

// --- schemes with more memory: spectral radius ---

/// Of r^2 (1 - b z) - r (1 + q + (1 - theta) z / 2) + q = 0, q = theta / 3, b = (3 + theta) / 6.
static double two_step_radius(double theta, double hw) {
    const double complex z = hw * I;
    const double complex a = 1.0 - (3.0 + theta) / 6.0 * z;
    const double complex b = -(1.0 + theta / 3.0 + 0.5 * (1.0 - theta) * z);
    const double complex root = csqrt(b * b - 4.0 * a * theta / 3.0);
    return fmax(cabs((-b + root) / (2.0 * a)), cabs((-b - root) / (2.0 * a)));
}

static void two_step_schemes_have_their_radius(void **state) {
    (void)state;
    static const double thetas[] = {0.0, 0.07, 0.15, 0.45, 1.0};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        assert_near(radius(PBS_SCHEME_BDF2, 0, 0, steps[i]), two_step_radius(1.0, steps[i]), 1e-12,
                    "BDF2");
        for (size_t k = 0; k < COUNT_OF(thetas); k++) {
            assert_near(radius(PBS_SCHEME_SECOND_ORDER_THETA, thetas[k], 0, steps[i]),
                        two_step_radius(thetas[k], steps[i]), 1e-12, "theta2");
        }
    }
}

static void radii_are_those_of_the_specification(void **state) {
    (void)state;
    static const double alpha[] = {.999970, .999565, .994879, .964967, .858025, .772388};
    static const double theta[] = {.999976, .999660, .996214, .977452, .933298, .916152};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        assert_near(radius(PBS_SCHEME_GENERALIZED_ALPHA, 0.6, 0, steps[i]), alpha[i], 5.1e-7,
                    "generalised-alpha 0.6");
        assert_near(radius(PBS_SCHEME_SECOND_ORDER_THETA, 0.07, 0, steps[i]), theta[i], 5.1e-7,
                    "theta2 0.07");
    }
}

/// At h w = 1e6, where what is left of finite stiffness is of order 1e-6.
static void radii_at_infinity(void **state) {
    (void)state;
    const double hw = 1e6;
    for (int i = 0; i <= 10; i++) {
        const double p = 0.1 * i;
        // The three eigenvalues meet there, so that 1e-6 may count with its cubic root.
        assert_near(radius(PBS_SCHEME_GENERALIZED_ALPHA, p, 0, hw), p, 2e-2, "generalised-alpha");
        assert_near(radius(PBS_SCHEME_SECOND_ORDER_THETA, p, 0, hw), 3.0 * (1.0 - p) / (3.0 + p),
                    2e-3, "theta2");
    }
    static const int32_t zero[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_SDIRK2, PBS_SCHEME_TR_BDF2,
                                   PBS_SCHEME_BDF2};
    for (size_t i = 0; i < COUNT_OF(zero); i++) {
        assert_small(radius(zero[i], 0, 0, hw), 2e-3, "L-stable");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_schemes_have_their_matrix),
        cmocka_unit_test(alpha_methods_have_their_matrix),
        cmocka_unit_test(decoupled_sdirk2_has_its_trace),
        cmocka_unit_test(two_step_schemes_have_their_radius),
        cmocka_unit_test(radii_are_those_of_the_specification),
        cmocka_unit_test(radii_at_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
