// BDEM's figure 3 (bench/README.md): the constraint |q| = 1 by manifold, by penalty, by
// multipliers. Formulations of the same step must come to the same minimum; and the bond with
// quaternions of four unknowns, which the others stand on, must be the library's.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "energy/cube_fixture.h"
#include "scenes/bonds/quaternion_step.h"

// --- one bond with 14 coordinates ---

static void make_bond(struct random *random, struct quaternion_bond *bond, double *x) {
    random_unit(random, bond->direction);
    bond->length = random_uniform(random, 0.7, 1.3);
    bond->stiffness = (struct bond_stiffness){
        random_uniform(random, 0.5, 2.0), random_uniform(random, 0.5, 2.0),
        random_uniform(random, 0.5, 2.0), random_uniform(random, 0.5, 2.0)};
    for (size_t end = 0; end < 2; end++) {
        double *q = x + 7 * end + 3;
        random_fill(random, -0.3, 0.3, x + 7 * end, 3);
        random_fill(random, -0.4, 0.4, q, 3);
        q[3] = random_uniform(random, 0.8, 1.2);
    }
    add_scaled3(x + 7, bond->length, bond->direction, x + 7);
}

static double bond_value(void *context, const double *x) {
    double value = 0.0;
    assert_true(quaternion_bond_evaluate(context, x, &value, NULL, NULL));
    return value;
}

static void bond_gradient(void *context, const double *x, double *gradient) {
    assert_true(quaternion_bond_evaluate(context, x, NULL, gradient, NULL));
}

static void bond_hessian(void *context, const double *x, double *hessian) {
    assert_true(quaternion_bond_evaluate(context, x, NULL, NULL, hessian));
}

/// Quaternions of any length. Differences with a step of 1e-3 leave 1e-12 times sixth derivatives
/// of some hundreds, lengths being near 1.
static void derivatives_of_quaternions_agree_with_differences(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int k = 0; k < 10; k++) {
        struct quaternion_bond bond;
        double x[BOND_COORDINATES];
        make_bond(&random, &bond, x);
        const struct derivatives_function f = {BOND_COORDINATES, bond_value, bond_gradient,
                                               bond_hessian, &bond};
        assert_small(derivatives_gradient_error(&f, x, 1e-3), 1e-9, "gradient");
        assert_small(derivatives_hessian_error(&f, x, 1e-3), 1e-9, "Hessian");
        assert_small(derivatives_asymmetry(&f, x), 1e-15, "asymmetry");
    }
}

static void normalise(double *q) {
    const double length = sqrt(dot3(q, q) + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

/// The library's bond at the origins of both charts, r = 1 m: value, gradient, Hessian.
static void evaluate_library(const struct quaternion_bond *bond, const double *x, double *value,
                             double *gradient, double *hessian) {
    static const uint32_t nodes[4] = {0, 1, 2, 3};
    static const uint32_t rotations[2] = {0, 1};
    static const double radii[2] = {1.0, 1.0};
    const double damping = 0.0;
    double rest[3];
    double orientations[8];
    double at[12] = {0.0};
    struct bonds *bonds = NULL;
    struct cube cube;
    scale3(bond->length, bond->direction, rest);
    for (size_t end = 0; end < 2; end++) {
        copy3(x + 7 * end, at + 6 * end);
        memcpy(orientations + 4 * end, x + 7 * end + 3, 4 * sizeof *orientations);
    }
    const struct bonds_input input = {.count = 1,
                                      .nodes = nodes,
                                      .rotations = rotations,
                                      .radii = radii,
                                      .rest = rest,
                                      .stiffness = &bond->stiffness,
                                      .damping = &damping,
                                      .orientations = orientations};
    cube_make_nodes(&cube, 4);
    assert_ok(bonds_create(&cube.memory, &input, &bonds));
    const struct term term = bonds_term(bonds);
    cube_bind(&cube, &term, 1, 1);
    struct cube_function f = {.cube = &cube, .term = &term};
    *value = cube_function_value(&f, at);
    cube_function_gradient(&f, at, gradient);
    cube_function_hessian(&f, at, hessian);
    term.table->destroy(term.self, &cube.memory);
    cube_free(&cube);
}

/// Two ways to write the same derivatives, of a bond whose stiffnesses and lengths are near 1: what
/// is left is rounding of some dozens of operations.
static void reduced_derivatives_are_those_of_the_library(void **state) {
    (void)state;
    struct random random = random_seed(2);
    for (int k = 0; k < 20; k++) {
        struct quaternion_bond bond;
        double x[BOND_COORDINATES];
        double value[2];
        double gradient[BOND_COORDINATES];
        double hessian[BOND_COORDINATES * BOND_COORDINATES];
        double reduced[BOND_TURNS];
        double matrix[BOND_TURNS * BOND_TURNS];
        double own[BOND_TURNS];
        double own_matrix[BOND_TURNS * BOND_TURNS];
        make_bond(&random, &bond, x);
        normalise(x + 3);
        normalise(x + 10);
        assert_true(quaternion_bond_evaluate(&bond, x, &value[0], gradient, hessian));
        quaternion_bond_reduce(x, gradient, hessian, reduced, matrix);
        evaluate_library(&bond, x, &value[1], own, own_matrix);
        assert_near(value[0], value[1], 1e-14, "value");
        assert_small(testing_max_difference(reduced, own, BOND_TURNS), 2e-14, "gradient");
        assert_small(testing_max_difference(matrix, own_matrix, BOND_TURNS * BOND_TURNS), 1e-13,
                     "Hessian");
    }
}

// --- a step ---

static void solve(const struct quaternion_step *step, struct quaternion_method method, double *x,
                  struct quaternion_result *result) {
    assert_true(quaternion_step_minimize(step, &method, x, result));
    assert_true(result->is_converged);
}

/// max |p - p'| over the cell of 62.5 mm.
static double apart(const struct quaternion_step *step, const double *a, const double *b) {
    double most = 0.0;
    for (size_t i = 0; i < 7 * step->particle_count; i++) {
        most = i % 7 < 3 ? fmax(most, fabs(a[i] - b[i]) / 0.0625) : most;
    }
    return most;
}

enum { MOST_PARTICLES = 144 };

static void make_step(struct quaternion_step *step, double twist) {
    static const size_t cells[3] = {2, 2, 3};
    assert_true(quaternion_step_make(cells, twist, step));
    assert_int_equal(step->particle_count, MOST_PARTICLES);
}

/// Forces of 1e-8 of the first ones leave about as much of the displacements, which are less than
/// a cell; steepest descent ends at 1e-4.
static void all_formulations_have_the_same_minimum(void **state) {
    static const struct {
        struct quaternion_method method;
        double tolerance;
    } rows[] = {
        {{QUATERNION_MANIFOLD, true, 0.0, 1e-8}, 1e-7},
        {{QUATERNION_LAGRANGE, false, 0.0, 1e-8}, 1e-7},
        {{QUATERNION_LAGRANGE, true, 0.0, 1e-8}, 1e-7},
        {{QUATERNION_AUGMENTED, true, 10.0, 1e-8}, 1e-7},
        {{QUATERNION_AUGMENTED, false, 1000.0, 1e-8}, 1e-7},
        {{QUATERNION_PENALTY, false, 1e6, 1e-8}, 1e-7},
        {{QUATERNION_FIRST_ORDER, false, 0.0, 1e-4}, 1e-3},
    };
    (void)state;
    struct quaternion_step step;
    struct quaternion_result best;
    double x[7 * MOST_PARTICLES];
    make_step(&step, 0.5);
    solve(&step, (struct quaternion_method){QUATERNION_MANIFOLD, false, 0.0, 1e-8}, x, &best);
    assert_small(best.drift, 1e-14, "drift on the manifold");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct quaternion_result result;
        double other[7 * MOST_PARTICLES];
        solve(&step, rows[i].method, other, &result);
        assert_small(apart(&step, x, other), rows[i].tolerance, "positions");
        assert_near(result.value, best.value, rows[i].tolerance * best.value, "energy");
    }
    quaternion_step_free(&step);
}

/// C is the multiplier over kappa, so kappa C is the same to first order in 1 / kappa.
static void drift_of_a_penalty_is_inverse_to_it(void **state) {
    (void)state;
    struct quaternion_step step;
    double x[7 * MOST_PARTICLES];
    double drift[3];
    make_step(&step, 0.5);
    for (int k = 0; k < 3; k++) {
        struct quaternion_result result;
        solve(&step,
              (struct quaternion_method){QUATERNION_PENALTY, false, pow(10.0, 2.0 * k + 1.0), 1e-8},
              x, &result);
        drift[k] = result.drift;
    }
    // Of order |C| itself, 1e-4 with kappa 10.
    assert_near(drift[1] / drift[0], 1e-2, 1e-2 * 1e-3, "kappa of 1000 over one of 10");
    assert_near(drift[2] / drift[1], 1e-2, 1e-2 * 1e-4, "kappa of 1e5 over one of 1000");
    quaternion_step_free(&step);
}

/// What the figure is about.
static void a_stiff_penalty_takes_more_steps_than_the_manifold(void **state) {
    static const double twists[3] = {0.05, 0.5, 1.5};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct quaternion_step step;
        struct quaternion_result manifold;
        struct quaternion_result penalty;
        double x[7 * MOST_PARTICLES];
        make_step(&step, twists[k]);
        solve(&step, (struct quaternion_method){QUATERNION_MANIFOLD, false, 0.0, 1e-8}, x,
              &manifold);
        solve(&step, (struct quaternion_method){QUATERNION_PENALTY, false, 1e6, 1e-8}, x, &penalty);
        print_message("twist %g: %d and %d\n", twists[k], manifold.iterations, penalty.iterations);
        assert_true(manifold.iterations <= penalty.iterations);
        quaternion_step_free(&step);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_quaternions_agree_with_differences),
        cmocka_unit_test(reduced_derivatives_are_those_of_the_library),
        cmocka_unit_test(all_formulations_have_the_same_minimum),
        cmocka_unit_test(drift_of_a_penalty_is_inverse_to_it),
        cmocka_unit_test(a_stiff_penalty_takes_more_steps_than_the_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
