// Lagged Rayleigh damping: a quadratic form that takes energy out, gives rigid translations
// nothing, and whose derivatives agree.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "energy/cube_fixture.h"
#include "energy/damping/rayleigh_damping.h"

struct setting {
    struct cube cube;
    struct solid *solid;
    struct term term;
    struct rayleigh rayleigh;
    size_t size;
    double *start, *x, *origin;
};

static void setting_make(struct setting *s, const struct material_table *material) {
    struct random random = random_seed(18);
    *s = (struct setting){0};
    cube_make(&s->cube, 3);
    const struct solid_input input = cube_solid_input(&s->cube, material);
    assert_ok(solid_create(&s->cube.memory, &input, &s->solid));
    s->term = solid_term(s->solid);
    cube_assemble(&s->cube, &s->term, 1, 4);
    assert_ok(solid_bind(s->solid, &s->cube.memory, &s->cube.assembly.terms[0]));
    assert_ok(rayleigh_reserve(&s->cube.memory, &s->cube.assembly, &s->rayleigh));
    s->size = 3 * s->cube.node_count;
    s->start = calloc(s->size, sizeof(double));
    s->x = calloc(s->size, sizeof(double));
    s->origin = calloc(s->size, sizeof(double));
    cube_positions(&s->cube, &random, 0.05, s->start);
    cube_positions(&s->cube, &random, 0.05, s->x);
    cube_positions(&s->cube, &random, 0.05, s->origin);
}

static void setting_free(struct setting *s) {
    free(s->start);
    free(s->x);
    free(s->origin);
    rayleigh_release(&s->cube.memory, &s->rayleigh);
    solid_destroy(s->solid, &s->cube.memory);
    cube_free(&s->cube);
}

static void begin(struct setting *s, bool is_needed) {
    assert_int_equal(rayleigh_begin(&s->rayleigh, NULL, &s->cube.assembly, &s->term, 1, s->start,
                                    is_needed, &s->cube.scratch),
                     EVALUATE_OK);
}

/// R alone: what rayleigh_add adds to nothing.
static void add_alone(struct setting *s, const double *x, double length) {
    const struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT |
                                                  EVALUATE_HESSIAN,
                                          .x = x,
                                          .stage = {.origin = s->origin, .length = length}};
    assert_int_equal(cube_evaluate(&s->cube, NULL, 0, &evaluation), EVALUATE_OK);
    rayleigh_add(&s->rayleigh, NULL, &s->cube.assembly, &evaluation, &s->cube.result);
}

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// The power -f . v of the damping force f at the velocity v = (x - origin) / b is 2 R / b >= 0,
/// whatever the state.
static void test_dissipates(void **state) {
    (void)state;
    for (size_t m = 0; material_tables[m] != NULL; m++) {
        struct setting s;
        struct random random = random_seed(19);
        setting_make(&s, material_tables[m]);
        // An inverted, indefinite start where the material has one.
        cube_positions(&s.cube, &random, material_tables[m]->inversion_is_infinite ? 0.06 : 0.6,
                       s.start);
        begin(&s, true);
        for (int trial = 0; trial < 20; trial++) {
            double *v = calloc(s.size, sizeof *v);
            cube_positions(&s.cube, &random, 0.3, s.x);
            add_alone(&s, s.x, 0.5);
            for (size_t i = 0; i < s.size; i++) {
                v[i] = (s.x[i] - s.origin[i]) / 0.5;
            }
            const double power = dot(s.size, s.cube.result.gradient, v);
            assert_true(s.cube.result.value > 0.0);
            assert_near(power / (2.0 * s.cube.result.value / 0.5), 1.0, 1e-13, "power");
            assert_true(s.cube.result.by_kind[ENERGY_DISSIPATED] == s.cube.result.value);
            free(v);
        }
        setting_free(&s);
    }
}

/// The gradient is the Hessian times (x - origin): R is quadratic around the origin.
static void test_hessian(void **state) {
    struct setting s;
    (void)state;
    setting_make(&s, &material_stable_neo_hookean);
    begin(&s, true);
    add_alone(&s, s.x, 0.1);
    double *moved = calloc(s.size, sizeof *moved);
    double *by_row = calloc(s.size, sizeof *by_row);
    double *product = calloc(s.size, sizeof *product);
    struct bsr matrix = s.cube.assembly.pattern;
    matrix.values = s.cube.result.blocks;
    for (size_t i = 0; i < s.size; i++) {
        moved[i] = s.x[i] - s.origin[i];
    }
    assembly_to_rows(NULL, &s.cube.assembly, moved, by_row);
    bsr_multiply(NULL, &matrix, by_row, product);
    assembly_to_nodes(NULL, &s.cube.assembly, product, by_row);
    assert_small(testing_max_difference(by_row, s.cube.result.gradient, s.size), 1e-13,
                 "H (x - origin)");
    free(moved);
    free(by_row);
    free(product);
    setting_free(&s);
}

static void test_translation_is_free(void **state) {
    struct setting s;
    (void)state;
    setting_make(&s, &material_fixed_corotated);
    begin(&s, true);
    for (size_t i = 0; i < s.size; i++) {
        s.x[i] = s.origin[i] + (double)(i % 3 + 1);
    }
    add_alone(&s, s.x, 1.0);
    for (size_t i = 0; i < s.size; i++) {
        assert_small(fabs(s.cube.result.gradient[i]), 1e-13, "force on a translation");
    }
    setting_free(&s);
}

/// D is the projected Hessian with each element's weight times its damping time, at the start, and
/// nothing else is changed by it.
static void test_weights(void **state) {
    struct setting s;
    (void)state;
    setting_make(&s, &material_stable_neo_hookean);
    for (size_t t = 0; t < s.cube.tet_count; t++) {
        s.cube.damping[t] = 0.25;
    }
    solid_destroy(s.solid, &s.cube.memory);
    const struct solid_input input = cube_solid_input(&s.cube, &material_stable_neo_hookean);
    assert_ok(solid_create(&s.cube.memory, &input, &s.solid));
    assert_ok(solid_bind(s.solid, &s.cube.memory, &s.cube.assembly.terms[0]));
    s.term = solid_term(s.solid);
    begin(&s, true);
    const struct evaluation evaluation = {.what = EVALUATE_HESSIAN, .x = s.start, .project = true};
    assert_int_equal(cube_evaluate(&s.cube, &s.term, 1, &evaluation), EVALUATE_OK);
    for (size_t i = 0; i < 9 * s.cube.assembly.pattern.block_count; i++) {
        assert_near(s.rayleigh.blocks[i], 0.25 * s.cube.result.blocks[i], 1e-13, "D");
    }
    setting_free(&s);
}

static void test_inactive_adds_nothing(void **state) {
    struct setting s;
    (void)state;
    setting_make(&s, &material_stable_neo_hookean);
    begin(&s, false);
    add_alone(&s, s.x, 0.1);
    assert_true(s.cube.result.value == 0.0);
    assert_true(dot(s.size, s.cube.result.gradient, s.cube.result.gradient) == 0.0);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dissipates),
        cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_translation_is_free),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_inactive_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
