// Energies of affine bodies: the reference's reference numbers, derivatives, projection by
// singular values beside a full eigenproblem, rigid motions, reflections and the largest step.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "energy/affine/affine.h"
#include "energy/cube_fixture.h"
#include "energy/custom/project.h"
#include "support/host/refusals.h"

// contact_refs.json, row `abd`: rows of A, energy, gradient by A and eigenvalues of the Hessian,
// all over k V.
static const double reference_a[9] = {1.1, 0.05, -0.02, 0.03, 0.9, 0.04, -0.01, 0.06, 1.02};
static const double reference_energy = 0.11382077;
static const double reference_gradient[9] = {
    0.9471600000000006,   0.3136840000000001,  -0.12055200000000002,
    0.31340000000000007,  -0.6368799999999996, 0.34938400000000003,
    -0.11538400000000001, 0.34510399999999997, 0.1973200000000001};
static const double reference_eigenvalues[9] = {
    -0.2630054560944246, 0.09317555456649895, 0.6212546029607857,
    5.165246937831675,   6.995256596088867,   7.840737930660168,
    8.933129772159988,   9.824580771818091,   10.735623290008325};

enum { BODIES = 11 };

struct bodies {
    uint32_t nodes[3 * BODIES];
    double stiffness[BODIES], radius[BODIES], damping[BODIES], rest_strain[9 * BODIES];
    struct affine_input input;
    struct cube cube;
    struct term term;
};

/// Symmetric, of both signs.
static void random_rest_strain(struct random *random, double s[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            s[3 * i + j] = s[3 * j + i] = random_uniform(random, -0.3, 0.3);
        }
    }
}

/// `count` bodies with handles of their own; varied where there are several, of which every second
/// has a strain at rest.
static void make(struct bodies *b, size_t count, uint32_t domain_count) {
    struct random random = random_seed(count);
    struct affine *affine = NULL;
    for (size_t i = 0; i < count; i++) {
        b->stiffness[i] = count == 1 ? 1.0 : random_uniform(&random, 0.5, 2.0);
        b->radius[i] = count == 1 ? 1.0 : random_uniform(&random, 0.5, 2.0);
        b->damping[i] = random_uniform(&random, 0.0, 0.1);
        for (uint32_t k = 0; k < 3; k++) {
            b->nodes[3 * i + k] = 3 * (uint32_t)i + k;
        }
        memset(b->rest_strain + 9 * i, 0, 9 * sizeof *b->rest_strain);
        if (i % 2 == 1) {
            random_rest_strain(&random, b->rest_strain + 9 * i);
        }
    }
    b->input = (struct affine_input){.count = count,
                                     .nodes = b->nodes,
                                     .stiffness = b->stiffness,
                                     .radius = b->radius,
                                     .damping = b->damping,
                                     .rest_strain = b->rest_strain};
    cube_make_nodes(&b->cube, 3 * count);
    assert_ok(affine_create(&b->cube.memory, &b->input, &affine));
    b->term = affine_term(affine);
    cube_bind(&b->cube, &b->term, 1, domain_count);
}

static void done(struct bodies *b) {
    b->term.table->destroy(b->term.self, &b->cube.memory);
    cube_free(&b->cube);
}

static struct cube_function function_of(struct bodies *b, bool project) {
    return (struct cube_function){.cube = &b->cube, .term = &b->term, .project = project};
}

/// Handles of A: the k-th is R times its column k.
static void set_handles(const double a[9], double radius, double x[9]) {
    for (int i = 0; i < 9; i++) {
        x[i] = radius * a[3 * (i % 3) + i / 3];
    }
}

/// A with singular values of at least `least`, det A > 0.
static void random_deformation(struct random *random, double least, double a[9]) {
    double s[3];
    random_fill(random, least, 1.6, s, 3);
    random_stretched(random, s, a);
}

/// How many eigenvalues of h are below t: as many as pivots are negative (Sylvester).
static int eigenvalues_below(const double *h, size_t size, double t) {
    double m[81];
    int below = 0;
    memcpy(m, h, size * size * sizeof *m);
    for (size_t i = 0; i < size; i++) {
        m[size * i + i] -= t;
    }
    for (size_t k = 0; k < size; k++) {
        below += m[size * k + k] < 0.0;
        for (size_t i = k + 1; i < size; i++) {
            const double factor = m[size * i + k] / m[size * k + k];
            for (size_t j = k; j < size; j++) {
                m[size * i + j] -= factor * m[size * k + j];
            }
        }
    }
    return below;
}

/// The reference's energy is exact to its last digit; the rest was computed in double precision.
static void reference_numbers_are_met(void **state) {
    (void)state;
    struct bodies b;
    double x[9], expected[9], gradient[9], h[81];
    make(&b, 1, 1);
    struct cube_function f = function_of(&b, false);
    set_handles(reference_a, 1.0, x);
    assert_near(cube_function_value(&f, x), reference_energy, 1e-15, "energy");
    set_handles(reference_gradient, 1.0, expected);
    cube_function_gradient(&f, x, gradient);
    assert_small(testing_max_difference(gradient, expected, 9), 2e-15, "gradient");
    cube_function_hessian(&f, x, h);
    for (int k = 0; k < 9; k++) {
        assert_int_equal(eigenvalues_below(h, 9, reference_eigenvalues[k] - 1e-12), k);
        assert_int_equal(eigenvalues_below(h, 9, reference_eigenvalues[k] + 1e-12), k + 1);
    }
    done(&b);
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (uint32_t domain_count = 1; domain_count <= 3; domain_count++) {
        struct bodies b;
        double x[9 * BODIES];
        make(&b, BODIES, domain_count);
        for (size_t i = 0; i < BODIES; i++) {
            double a[9];
            random_deformation(&random, 0.4, a);
            set_handles(a, b.radius[i], x + 9 * i);
        }
        struct cube_function f = function_of(&b, false);
        const struct derivatives_function d = cube_derivatives(&f);
        // The energy is a polynomial of degree four: differences of fourth order are exact.
        assert_small(derivatives_gradient_error(&d, x, 1e-2), 1e-12, "gradient");
        assert_small(derivatives_hessian_error(&d, x, 1e-2), 1e-12, "Hessian");
        done(&b);
    }
}

/// |A^T A - 1 - S|^2 of handles x of radius R.
static double strain_square(const double *x, double radius, const double s[9]) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double c = dot3(x + 3 * i, x + 3 * j) / (radius * radius) - (i == j ? 1.0 : 0.0) -
                             s[3 * i + j];
            sum += c * c;
        }
    }
    return sum;
}

/// Whatever order the assembly gives the handles, S belongs to those of the body; also where it is
/// set later. 11 bodies of numbers below 10.
static void strains_at_rest_have_no_energy(void **state) {
    (void)state;
    struct random random = random_seed(6);
    for (uint32_t domain_count = 1; domain_count <= 3; domain_count++) {
        struct bodies b;
        double x[9 * BODIES], expected[2] = {0.0, 0.0}, s[9];
        make(&b, BODIES, domain_count);
        random_rest_strain(&random, s);
        for (size_t i = 0; i < BODIES; i++) {
            double a[9];
            random_deformation(&random, 0.4, a);
            set_handles(a, b.radius[i], x + 9 * i);
            const double square = strain_square(x + 9 * i, b.radius[i], b.rest_strain + 9 * i);
            expected[0] += b.stiffness[i] * square;
            expected[1] += i == 4 ? 3.0 * strain_square(x + 9 * i, b.radius[i], s)
                                  : b.stiffness[i] * square;
        }
        struct cube_function f = function_of(&b, false);
        assert_near(cube_function_value(&f, x), expected[0], 1e-13 * expected[0], "energy");
        affine_set_stiffness(b.term.self, b.cube.assembly.terms, 4, 3.0, s);
        assert_near(cube_function_value(&f, x), expected[1], 1e-13 * expected[1], "energy");
        done(&b);
    }
}

/// With S the projection leaves C out: it has no eigenvalue below 0, and is exact where C = 0.
static void projections_with_strain_at_rest_are_convex(void **state) {
    (void)state;
    struct random random = random_seed(7);
    for (int sample = 0; sample < 100; sample++) {
        struct bodies b;
        double a[9], x[9], exact[81], projected[81], s[9];
        make(&b, 1, 1);
        random_deformation(&random, 0.4, a);
        set_handles(a, 1.0, x);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                s[3 * i + j] = dot3(x + 3 * i, x + 3 * j) - (i == j ? 1.0 : 0.0);
            }
        }
        affine_set_stiffness(b.term.self, b.cube.assembly.terms, 0, 1.0, s);
        struct cube_function f = function_of(&b, false);
        cube_function_hessian(&f, x, exact);
        f.project = true;
        cube_function_hessian(&f, x, projected);
        assert_small(testing_max_difference(exact, projected, 81), 1e-12, "projection at rest");
        random_rest_strain(&random, s);
        affine_set_stiffness(b.term.self, b.cube.assembly.terms, 0, 1.0, s);
        cube_function_hessian(&f, x, projected);
        assert_int_equal(eigenvalues_below(projected, 9, -1e-12), 0);
        done(&b);
    }
}

/// Analytic projection beside the eigenproblem of each body's 9 x 9 Hessian; damping weights both.
static void projection_is_that_of_all_eigenvalues(void **state) {
    (void)state;
    struct random random = random_seed(4);
    for (int sample = 0; sample < 200; sample++) {
        struct bodies b;
        double a[9], x[9], exact[81], projected[81];
        make(&b, 1, 1);
        random_deformation(&random, 0.05, a);
        set_handles(a, 1.0, x);
        struct cube_function f = function_of(&b, false);
        cube_function_hessian(&f, x, exact);
        project_symmetric(9, exact);
        f.project = true;
        cube_function_hessian(&f, x, projected);
        assert_small(testing_max_difference(exact, projected, 81), 1e-12, "projection");
        f.damping_weights = true;
        cube_function_hessian(&f, x, projected);
        for (int i = 0; i < 81; i++) {
            exact[i] *= b.damping[0];
        }
        assert_small(testing_max_difference(exact, projected, 81), 1e-13, "weighted");
        done(&b);
    }
}

static void rotations_cost_nothing_and_reflections_everything(void **state) {
    (void)state;
    struct random random = random_seed(5);
    struct bodies b;
    double x[9], gradient[9];
    make(&b, 1, 1);
    struct cube_function f = function_of(&b, false);
    for (int sample = 0; sample < 20; sample++) {
        double r[9];
        random_rotation(&random, r);
        set_handles(r, 1.0, x);
        assert_small(cube_function_value(&f, x), 1e-29, "energy of a rotation");
        cube_function_gradient(&f, x, gradient);
        assert_small(norm3(gradient) + norm3(gradient + 3) + norm3(gradient + 6), 1e-14, "force");
        for (int i = 0; i < 9; i++) {
            x[i] = -x[i];
        }
        const struct evaluation reflected = {.what = EVALUATE_VALUE, .x = x};
        assert_int_equal(cube_evaluate(&b.cube, &b.term, 1, &reflected), EVALUATE_RECOVERABLE);
    }
    done(&b);
}

/// The step ends where det A reaches zero, and no other body's end is passed.
static void steps_end_before_the_first_inversion(void **state) {
    (void)state;
    struct random random = random_seed(6);
    struct bodies b;
    double x[9 * BODIES], direction[9 * BODIES];
    make(&b, BODIES, 2);
    for (int sample = 0; sample < 100; sample++) {
        for (size_t i = 0; i < BODIES; i++) {
            double a[9];
            random_deformation(&random, 0.3, a);
            set_handles(a, b.radius[i], x + 9 * i);
        }
        random_fill(&random, -1.0, 1.0, direction, 9 * BODIES);
        const double step = terms_max_step(NULL, &b.cube.assembly, &b.term, 1, x, direction,
                                           INFINITY, &b.cube.scratch);
        assert_true(step > 0.0);
        double least = INFINITY;
        for (size_t i = 0; i < BODIES; i++) {
            for (int k = 0; k < 400; k++) {
                double at[9];
                for (size_t j = 0; j < 9; j++) {
                    at[j] = x[9 * i + j] + fmin(step, 10.0) * (k / 400.0) * direction[9 * i + j];
                }
                assert_true(determinant3(at) > 0.0);
            }
            double end[9];
            for (size_t j = 0; j < 9; j++) {
                end[j] = (x[9 * i + j] + step * direction[9 * i + j]) / b.radius[i];
            }
            least = fmin(least, determinant3(end));
        }
        assert_true(isinf(step) || fabs(least) < 1e-9);
    }
    done(&b);
}

static pbs_status create_and_bind(struct memory *memory, const void *context) {
    struct affine *affine = NULL;
    RETURN_IF_FAILED(affine_create(memory, context, &affine));
    const struct term term = affine_term(affine);
    struct assembly assembly;
    pbs_status status = assembly_build(memory, 3 * BODIES, 1, &term.stencils, 1, &assembly);
    if (status >= 0) {
        status = term.table->bind(term.self, memory, &assembly.terms[0]);
        assembly_free(memory, &assembly);
    }
    term.table->destroy(term.self, memory);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct bodies b;
    make(&b, BODIES, 1);
    assert_refusals_are_statuses(create_and_bind, &b.input, 200);
    done(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_numbers_are_met),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(strains_at_rest_have_no_energy),
        cmocka_unit_test(projections_with_strain_at_rest_are_convex),
        cmocka_unit_test(projection_is_that_of_all_eigenvalues),
        cmocka_unit_test(rotations_cost_nothing_and_reflections_everything),
        cmocka_unit_test(steps_end_before_the_first_inversion),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
