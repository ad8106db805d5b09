// The element kernels beside the material at a point, balance of forces, and the largest step.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "energy/cube_fixture.h"
#include "support/host/allocator.h"

/// Shape gradients of the four nodes and the volume.
static double shape(const struct cube *cube, size_t t, double b[12]) {
    const uint32_t *node = cube->tets + 4 * t;
    double edges[9];
    for (size_t a = 0; a < 3; a++) {
        for (size_t i = 0; i < 3; i++) {
            edges[3 * i + a] = cube->rest[3 * node[a + 1] + i] - cube->rest[3 * node[0] + i];
        }
    }
    const double volume = invert33(edges, b + 3) / 6.0;
    for (int i = 0; i < 3; i++) {
        b[i] = -(b[3 + i] + b[6 + i] + b[9 + i]);
    }
    return volume;
}

static void deformation(const struct cube *cube, size_t t, const double *x, const double b[12],
                        double f[9]) {
    for (int ij = 0; ij < 9; ij++) {
        f[ij] = 0.0;
        for (int a = 0; a < 4; a++) {
            f[ij] += x[3 * cube->tets[4 * t + (size_t)a] + (uint32_t)(ij / 3)] * b[3 * a + ij % 3];
        }
    }
}

/// Value, gradient and dense Hessian of the whole cube from the material's point function.
static double reference(const struct cube *cube, const struct material_table *material,
                        const double *x, const struct evaluation *evaluation, double *gradient,
                        double *hessian) {
    const size_t size = 3 * cube->node_count;
    double value = 0.0;
    memset(gradient, 0, size * sizeof *gradient);
    memset(hessian, 0, size * size * sizeof *hessian);
    for (size_t t = 0; t < cube->tet_count; t++) {
        double b[12];
        double f[9];
        double p[9];
        double dp[81];
        double mu;
        double lambda;
        const double volume = shape(cube, t, b);
        const double weight = evaluation->damping_weights ? volume * cube->damping[t] : volume;
        deformation(cube, t, x, b, f);
        material->parameters(cube->young[t], cube->poisson[t], &mu, &lambda);
        value += volume * material->point(mu, lambda, f, evaluation->project, p, dp);
        for (size_t ai = 0; ai < 12; ai++) {
            const size_t row = 3 * cube->tets[4 * t + ai / 3] + ai % 3;
            gradient[row] += volume * dot3(p + 3 * (ai % 3), b + 3 * (ai / 3));
            for (size_t bk = 0; bk < 12; bk++) {
                const size_t column = 3 * cube->tets[4 * t + bk / 3] + bk % 3;
                for (size_t jl = 0; jl < 9; jl++) {
                    hessian[size * row + column] += weight * b[3 * (ai / 3) + jl / 3] *
                                                    b[3 * (bk / 3) + jl % 3] *
                                                    dp[9 * (3 * (ai % 3) + jl / 3) + 3 * (bk % 3) +
                                                       jl % 3];
                }
            }
        }
    }
    return value;
}

/// max |assembled - dense| over all entries, those outside the pattern included.
static double hessian_difference(const struct cube *cube, const double *dense) {
    const size_t size = 3 * cube->node_count;
    double worst = 0.0;
    for (size_t i = 0; i < cube->node_count; i++) {
        for (size_t j = 0; j < cube->node_count; j++) {
            const uint32_t row = cube->assembly.layout.row[i];
            const uint32_t column = cube->assembly.layout.row[j];
            const size_t block = row <= column ? bsr_find(&cube->assembly.pattern, row, column)
                                               : SIZE_MAX;
            for (size_t k = 0; k < 9 && row <= column; k++) {
                const double stored = block == SIZE_MAX ? 0.0 : cube->result.blocks[9 * block + k];
                const double expected = dense[size * (3 * i + k / 3) + 3 * j + k % 3];
                worst = fmax(worst, fabs(stored - expected));
            }
        }
    }
    return worst;
}

static struct solid *make_solid(struct cube *cube, const struct material_table *material,
                                uint32_t domain_count, struct term *term) {
    const struct solid_input input = cube_solid_input(cube, material);
    struct solid *solid = NULL;
    assert_ok(solid_create(&cube->memory, &input, &solid));
    *term = solid_term(solid);
    cube_assemble(cube, term, 1, domain_count);
    assert_ok(solid_bind(solid, &cube->memory, &cube->assembly.terms[0]));
    return solid;
}

/// 27 nodes, 48 tetrahedra in domains that leave lanes empty. Moduli times (1 / cell)^2 times
/// volume are of order one, and each sum has at most 24 elements: 1e-13 is rounding.
static void check_kernels(const struct material_table *material, uint32_t domain_count,
                          double amount) {
    struct cube cube;
    struct term term;
    struct random random = random_seed(7);
    cube_make(&cube, 2);
    struct solid *solid = make_solid(&cube, material, domain_count, &term);
    const size_t size = 3 * cube.node_count;
    double *x = calloc(size, sizeof *x);
    double *gradient = calloc(size, sizeof *gradient);
    double *hessian = calloc(size * size, sizeof *hessian);
    cube_positions(&cube, &random, amount, x);
    for (int variant = 0; variant < 4; variant++) {
        const struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT |
                                                      EVALUATE_HESSIAN,
                                              .x = x,
                                              .project = variant % 2,
                                              .damping_weights = variant / 2};
        const double value = reference(&cube, material, x, &evaluation, gradient, hessian);
        assert_int_equal(cube_evaluate(&cube, &term, 1, &evaluation), EVALUATE_OK);
        assert_near(cube.result.value, value, 1e-13 * (1.0 + value), "value");
        assert_small(testing_max_difference(cube.result.gradient, gradient, size), 1e-12,
                     "gradient");
        assert_small(hessian_difference(&cube, hessian), 1e-11, "Hessian");
    }
    free(x);
    free(gradient);
    free(hessian);
    solid_destroy(solid, &cube.memory);
    cube_free(&cube);
}

static void test_kernels(void **state) {
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        const bool bounded = material_tables[m]->inversion_is_infinite;
        for (uint32_t domain_count = 1; domain_count <= 5; domain_count += 2) {
            check_kernels(material_tables[m], domain_count, 0.05);
            check_kernels(material_tables[m], domain_count, bounded ? 0.08 : 0.6);
        }
    }
}

/// What is asked for alone has the bits of what is asked for together.
static void test_parts_agree(void **state) {
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        struct cube cube;
        struct term term;
        struct random random = random_seed(8);
        cube_make(&cube, 3);
        struct solid *solid = make_solid(&cube, material_tables[m], 4, &term);
        const size_t size = 3 * cube.node_count;
        double *x = calloc(size, sizeof *x);
        double *gradient = calloc(size, sizeof *gradient);
        cube_positions(&cube, &random, 0.03, x);
        struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT, .x = x};
        cube_evaluate(&cube, &term, 1, &evaluation);
        const double value = cube.result.value;
        memcpy(gradient, cube.result.gradient, size * sizeof *gradient);
        evaluation.what = EVALUATE_VALUE;
        cube_evaluate(&cube, &term, 1, &evaluation);
        assert_true(value == cube.result.value);
        evaluation.what = EVALUATE_GRADIENT;
        cube_evaluate(&cube, &term, 1, &evaluation);
        assert_same_bits(gradient, cube.result.gradient, size);
        free(x);
        free(gradient);
        solid_destroy(solid, &cube.memory);
        cube_free(&cube);
    }
}

/// Elastic forces have neither resultant nor moment: sums of about 100 forces of order one.
static void test_forces_balance(void **state) {
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        struct cube cube;
        struct term term;
        struct random random = random_seed(9);
        cube_make(&cube, 3);
        struct solid *solid = make_solid(&cube, material_tables[m], 2, &term);
        double *x = calloc(3 * cube.node_count, sizeof *x);
        double force[3] = {0};
        double moment[3] = {0};
        cube_positions(&cube, &random, 0.05, x);
        const struct evaluation evaluation = {.what = EVALUATE_GRADIENT, .x = x};
        cube_evaluate(&cube, &term, 1, &evaluation);
        for (size_t i = 0; i < cube.node_count; i++) {
            double turn[3];
            cross3(x + 3 * i, cube.result.gradient + 3 * i, turn);
            add3(force, cube.result.gradient + 3 * i, force);
            add3(moment, turn, moment);
        }
        assert_small(norm3(force), 1e-13, "resultant");
        assert_small(norm3(moment), 1e-13, "moment");
        free(x);
        solid_destroy(solid, &cube.memory);
        cube_free(&cube);
    }
}

static double smallest_determinant(const struct cube *cube, const double *x,
                                   const double *direction, double t) {
    double smallest = INFINITY;
    double *moved = calloc(3 * cube->node_count, sizeof *moved);
    for (size_t i = 0; i < 3 * cube->node_count; i++) {
        moved[i] = x[i] + t * direction[i];
    }
    for (size_t e = 0; e < cube->tet_count; e++) {
        double b[12];
        double f[9];
        shape(cube, e, b);
        deformation(cube, e, moved, b, f);
        smallest = fmin(smallest, determinant3(f));
    }
    free(moved);
    return smallest;
}

/// The first t at which some determinant is not positive, from 1000 samples and bisection; limit if
/// there is none.
static double bound_by_samples(const struct cube *cube, const double *x, const double *direction,
                               double limit) {
    for (int k = 1; k <= 1000; k++) {
        double high = limit * k / 1000.0;
        double low = limit * (k - 1) / 1000.0;
        if (smallest_determinant(cube, x, direction, high) > 0.0) {
            continue;
        }
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            *(smallest_determinant(cube, x, direction, middle) > 0.0 ? &low : &high) = middle;
        }
        return low;
    }
    return limit;
}

/// Determinants are of order one and change as fast, so the bound is known to rounding.
static void test_max_step(void **state) {
    struct cube cube;
    struct term term;
    struct random random = random_seed(10);
    (void)state;
    cube_make(&cube, 1);
    struct solid *solid = make_solid(&cube, &material_neo_hookean, 2, &term);
    double *x = calloc(3 * cube.node_count, sizeof *x);
    double *direction = calloc(3 * cube.node_count, sizeof *direction);
    int bounded = 0;
    for (int trial = 0; trial < 60; trial++) {
        const double limit = trial % 3 == 0 ? 0.2 : 2.0;
        cube_positions(&cube, &random, 0.1, x);
        random_fill(&random, -1.0, 1.0, direction, 3 * cube.node_count);
        const double step = terms_max_step(NULL, &cube.assembly, &term, 1, x, direction, limit,
                                           &cube.scratch);
        const double expected = bound_by_samples(&cube, x, direction, limit);
        assert_near(step, expected, 1e-12, "largest step");
        bounded += step < limit;
    }
    assert_true(bounded > 20);
    free(x);
    free(direction);
    solid_destroy(solid, &cube.memory);
    cube_free(&cube);
}

/// Directions with known roots: a simple one at 1/2, a cubic one at 1 (all shrinks to a point), a
/// double one at 1 (two axes shrink), and none (translation, growth, zero).
static void test_max_step_special(void **state) {
    static const struct {
        double scale[3], shift, expected, tolerance;
    } cases[] = {{{-2.0, 0.0, 0.0}, 0.0, 0.5, 1e-15}, {{-1.0, -1.0, -1.0}, 0.0, 1.0, 1e-5},
                 {{-1.0, -1.0, 0.0}, 0.0, 1.0, 1e-7}, {{0.0, 0.0, 0.0}, 1.0, 3.0, 0.0},
                 {{1.0, 2.0, 0.5}, 0.0, 3.0, 0.0},    {{0.0, 0.0, 0.0}, 0.0, 3.0, 0.0},
                 {{-0.25, 0.0, 0.0}, 0.0, 3.0, 0.0}};
    struct cube cube;
    struct term term;
    (void)state;
    cube_make(&cube, 1);
    struct solid *solid = make_solid(&cube, &material_neo_hookean, 1, &term);
    double *direction = calloc(3 * cube.node_count, sizeof *direction);
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        for (size_t i = 0; i < 3 * cube.node_count; i++) {
            direction[i] = cases[k].scale[i % 3] * cube.rest[i] + cases[k].shift;
        }
        const double step = terms_max_step(NULL, &cube.assembly, &term, 1, cube.rest, direction,
                                           3.0, &cube.scratch);
        assert_near(step, cases[k].expected, cases[k].tolerance, "largest step");
        assert_true(step <= 3.0 && step > 0.0);
    }
    free(direction);
    solid_destroy(solid, &cube.memory);
    cube_free(&cube);
}

static void test_finite_materials_do_not_bound_the_step(void **state) {
    struct cube cube;
    (void)state;
    cube_make(&cube, 1);
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        const struct solid_input input = cube_solid_input(&cube, material_tables[m]);
        struct solid *solid = NULL;
        assert_ok(solid_create(&cube.memory, &input, &solid));
        const bool has_bound = solid_term(solid).table->max_step != NULL;
        assert_true(has_bound == material_tables[m]->inversion_is_infinite);
        solid_destroy(solid, &cube.memory);
    }
    cube_free(&cube);
}

static void test_refuses_flat_and_inverted_rest(void **state) {
    struct cube cube;
    struct solid *solid = NULL;
    (void)state;
    cube_make(&cube, 1);
    const struct solid_input input = cube_solid_input(&cube, material_tables[0]);
    const uint32_t swap = cube.tets[4 * 3];
    cube.tets[4 * 3] = cube.tets[4 * 3 + 1];
    cube.tets[4 * 3 + 1] = swap;
    assert_status(solid_create(&cube.memory, &input, &solid), PBS_ERROR_MESH);
    assert_message("tetrahedron 3");
    cube.tets[4 * 3] = cube.tets[4 * 3 + 1];
    assert_status(solid_create(&cube.memory, &input, &solid), PBS_ERROR_MESH);
    assert_null(solid);
    cube_free(&cube);
}

static void test_every_allocation_may_fail(void **state) {
    struct cube cube;
    struct test_allocator allocator;
    struct memory memory;
    struct term term;
    (void)state;
    cube_make(&cube, 1);
    struct solid *bound = make_solid(&cube, material_tables[0], 1, &term);
    const struct solid_input input = cube_solid_input(&cube, material_tables[0]);
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    memory_init(&memory, &hooks);
    for (uint64_t k = 0;; k++) {
        struct solid *solid = NULL;
        test_allocator_fail_after(&allocator, k);
        pbs_status status = solid_create(&memory, &input, &solid);
        if (status == PBS_OK) {
            status = solid_bind(solid, &memory, &cube.assembly.terms[0]);
        }
        const bool failed = test_allocator_has_failed(&allocator);
        assert_status(status, failed ? PBS_ERROR_MEMORY : PBS_OK);
        solid_destroy(solid, &memory);
        assert_int_equal(memory.bytes_in_use, 0);
        if (!failed) {
            assert_true(k >= 8);
            break;
        }
    }
    solid_destroy(bound, &cube.memory);
    cube_free(&cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_parts_agree),
        cmocka_unit_test(test_forces_balance),
        cmocka_unit_test(test_max_step),
        cmocka_unit_test(test_max_step_special),
        cmocka_unit_test(test_finite_materials_do_not_bound_the_step),
        cmocka_unit_test(test_refuses_flat_and_inverted_rest),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
