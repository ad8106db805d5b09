// Wind on triangles: its law, and the derivatives of its potential beside differences of the value.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/evaluate.h"
#include "energy/wind/wind.h"
#include "support/host/refusals.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"
#include "support/testing.h"

enum { NODES = 14, SIZE = 3 * NODES, SURFACES = 3, SHEETS = 6, AFFINE = 3, SETS = 2 };

/// Two sheets on nodes 0 to 8; nodes 9 to 12 carry three triangles, and node 13 nothing.
static const uint32_t sheets[3 * SHEETS] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 5, 6, 7, 6, 8, 7, 5, 7, 8};
static const uint32_t sheet_surface[SHEETS] = {0, 0, 0, 2, 2, 2};
static const uint32_t carriers[4 * AFFINE] = {9, 10, 11, 12, 9, 10, 11, 12, 9, 10, 11, 12};
static const uint32_t carried_surface[AFFINE] = {1, 1, 1};

static const struct wind_law laws[SURFACES] = {
    {.velocity = {3.0, -1.0, 2.0}, .normal = 0.7, .tangential = 0.2},
    {.velocity = {0.5, 4.0, -1.0}, .normal = 0.6, .tangential = 0.1, .is_one_sided = true},
    {.velocity = {0.0, 0.0, 0.0}, .normal = 0.9, .tangential = 0.4, .is_one_sided = true},
};

static struct memory memory;

struct fixture {
    double x[SIZE], origin[SIZE], v[SIZE], weights[12 * AFFINE];
    struct wind *wind;
    struct term terms[WIND_PARTS];
    struct assembly assembly;
    struct terms_scratch scratch;
    double *blocks, *gradient;
    struct stage_view stage;
};

/// Weights of a vertex: 1 of the first node, and coordinates.
static void weigh(struct random *random, double *weights) {
    for (size_t corner = 0; corner < 3 * (size_t)AFFINE; corner++) {
        weights[4 * corner] = 1.0;
        random_fill(random, -1.0, 1.0, weights + 4 * corner + 1, 3);
    }
}

static struct wind_input input_of(const struct fixture *f) {
    return (struct wind_input){
        .parts = {{.count = SHEETS, .nodes = sheets, .surface = sheet_surface},
                  {.count = AFFINE,
                   .nodes = carriers,
                   .weights = f->weights,
                   .surface = carried_surface}},
        .surface_count = SURFACES,
        .laws = laws};
}

static void setup(struct fixture *f, enum wind_mode mode) {
    struct random random = random_seed(11);
    struct stencils sets[SETS];
    *f = (struct fixture){.stage = {.length = 0.3}};
    f->stage.origin = f->origin;
    random_fill(&random, -1.0, 1.0, f->x, SIZE);
    random_fill(&random, -1.0, 1.0, f->v, SIZE);
    for (size_t k = 0; k < SIZE; k++) {
        f->origin[k] = f->x[k] + random_uniform(&random, -0.3, 0.3);
    }
    weigh(&random, f->weights);
    const struct wind_input input = input_of(f);
    assert_ok(wind_create(&memory, &input, &f->wind));
    assert_int_equal(wind_terms(f->wind, f->terms), SETS);
    assert_int_equal(wind_term_count(f->wind), SETS);
    for (size_t i = 0; i < SETS; i++) {
        sets[i] = f->terms[i].stencils;
    }
    assert_ok(assembly_build(&memory, NODES, 3, sets, SETS, &f->assembly));
    assert_ok(terms_reserve(&memory, &f->assembly, &f->scratch));
    f->blocks = memory_allocate(&memory, 9 * f->assembly.block_slot_count, sizeof(double));
    f->gradient = memory_allocate(&memory, 3 * f->assembly.vector_slot_count, sizeof(double));
    wind_begin(f->wind, NULL, mode, f->origin, f->v);
}

static void teardown(struct fixture *f) {
    memory_release(&memory, f->blocks);
    memory_release(&memory, f->gradient);
    terms_release(&memory, &f->scratch);
    assembly_free(&memory, &f->assembly);
    wind_destroy(f->wind, &memory);
}

static double evaluate(struct fixture *f, uint32_t what, const double *x, double *node_values) {
    const struct evaluation evaluation = {.what = what, .x = x, .stage = f->stage};
    struct terms_result result = {.gradient = f->gradient,
                                  .blocks = f->blocks,
                                  .node_values = node_values,
                                  .scratch = &f->scratch};
    assert_int_equal(terms_evaluate(NULL, &f->assembly, f->terms, SETS, &evaluation, &result),
                     EVALUATE_OK);
    return result.value;
}

static double value_at(void *context, const double *x) {
    return evaluate(context, EVALUATE_VALUE, x, NULL);
}

static void gradient_at(void *context, const double *x, double *gradient) {
    struct fixture *f = context;
    (void)evaluate(f, EVALUATE_GRADIENT, x, NULL);
    memcpy(gradient, f->gradient, SIZE * sizeof *gradient);
}

static void hessian_at(void *context, const double *x, double *hessian) {
    struct fixture *f = context;
    (void)evaluate(f, EVALUATE_HESSIAN, x, NULL);
    struct bsr matrix = f->assembly.pattern;
    matrix.values = f->blocks;
    for (size_t k = 0; k < SIZE; k++) {
        double unit[SIZE] = {0.0}, rows[SIZE], product[SIZE], column[SIZE];
        unit[k] = 1.0;
        assembly_to_rows(NULL, &f->assembly, unit, rows);
        bsr_multiply(NULL, &matrix, rows, product);
        assembly_to_nodes(NULL, &f->assembly, product, column);
        for (size_t i = 0; i < SIZE; i++) {
            hessian[SIZE * i + k] = column[i];
        }
    }
}

static const enum wind_mode modes[] = {WIND_EXACT, WIND_LINEAR, WIND_AT_REST};

static void derivatives_are_those_of_the_value(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct fixture f;
        setup(&f, modes[i]);
        const struct derivatives_function function = {SIZE, value_at, gradient_at, hessian_at, &f};
        assert_small(derivatives_gradient_error(&function, f.x, 1e-3), 1e-9, "gradient");
        assert_small(derivatives_hessian_error(&function, f.x, 1e-3), 1e-8, "Hessian");
        assert_small(derivatives_asymmetry(&function, f.x), 1e-15, "asymmetry");
        teardown(&f);
    }
}

/// Nothing has to be projected, and where nothing moves the value is 0. Values by node are the
/// same sum.
static void the_potential_is_convex(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct fixture f;
        double hessian[SIZE * SIZE], most = 0.0, values[NODES], sum = 0.0;
        setup(&f, modes[i]);
        hessian_at(&f, f.x, hessian);
        for (int k = 0; k < 50; k++) {
            double y[SIZE], square = 0.0;
            random_fill(&random, -1.0, 1.0, y, SIZE);
            for (size_t e = 0; e < SIZE * (size_t)SIZE; e++) {
                square += y[e / SIZE] * hessian[e] * y[e % SIZE];
            }
            assert_true(square > -1e-12);
            most = fmax(most, square);
        }
        assert_true(modes[i] == WIND_AT_REST ? most == 0.0 : most > 1.0);
        assert_near(value_at(&f, f.origin), 0.0, 0.0, "value at rest");
        const double value = evaluate(&f, EVALUATE_VALUE, f.x, values);
        for (size_t n = 0; n < NODES; n++) {
            sum += values[n];
        }
        assert_near(sum, value, 1e-13, "values by node");
        teardown(&f);
    }
}

/// What the wind does to the body is what it supplies less what it dissipates, surface by surface,
/// and neither potential nor tangent lets relative motion gain.
static void powers_balance(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct fixture f;
        double gradient[SIZE], power = 0.0;
        setup(&f, modes[i]);
        gradient_at(&f, f.x, gradient);
        for (size_t k = 0; k < SIZE; k++) {
            power -= gradient[k] * (f.x[k] - f.origin[k]) / f.stage.length;
        }
        const struct wind_power *powers = wind_measure(f.wind, NULL, f.x, &f.stage);
        assert_int_equal(wind_surface_count(f.wind), SURFACES);
        for (size_t s = 0; s < SURFACES; s++) {
            power -= powers[s].supplied - powers[s].dissipated;
            assert_true(modes[i] != WIND_EXACT || powers[s].dissipated > 0.0);
            assert_true(s != 2 || powers[s].supplied == 0.0);
        }
        assert_small(fabs(power), 1e-12, "power");
        assert_int_equal(wind_surface_node(f.wind, 1), 9);
        teardown(&f);
    }
}

/// The tangent at the stage's own velocity is the law itself, and the force at rest does not know
/// the velocity.
static void modes_agree_where_they_meet(void **state) {
    (void)state;
    struct fixture f;
    double v[SIZE], exact[SIZE], other[SIZE];
    setup(&f, WIND_EXACT);
    gradient_at(&f, f.x, exact);
    for (size_t k = 0; k < SIZE; k++) {
        v[k] = (f.x[k] - f.origin[k]) / f.stage.length;
    }
    wind_begin(f.wind, NULL, WIND_LINEAR, f.origin, v);
    gradient_at(&f, f.x, other);
    assert_small(testing_max_difference(exact, other, SIZE), 1e-13, "tangent");
    wind_begin(f.wind, NULL, WIND_EXACT, f.origin, NULL);
    gradient_at(&f, f.origin, exact);
    wind_begin(f.wind, NULL, WIND_AT_REST, f.origin, NULL);
    gradient_at(&f, f.x, other);
    assert_small(testing_max_difference(exact, other, SIZE), 1e-13, "at rest");
    teardown(&f);
}

// --- the law ---

static void forces_are_those_of_plates(void **state) {
    (void)state;
    struct wind_law law = {.velocity = {0.0}, .normal = 0.6, .tangential = 0.2};
    const double area[3] = {0.0, 0.0, 2.0};
    const struct {
        double u[3], force[3];
        bool one_sided;
    } rows[] = {
        {{0.0, 0.0, -5.0}, {0.0, 0.0, -30.0}, false}, {{0.0, 0.0, 5.0}, {0.0, 0.0, 30.0}, false},
        {{0.0, 0.0, -5.0}, {0.0, 0.0, -30.0}, true},  {{0.0, 0.0, 5.0}, {0.0, 0.0, 0.0}, true},
        {{3.0, 4.0, 0.0}, {6.0, 8.0, 0.0}, true},     {{3.0, 4.0, 5.0}, {6.0, 8.0, 30.0}, false},
        {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double force[3];
        law.is_one_sided = rows[i].one_sided;
        wind_law_force(&law, area, rows[i].u, force, NULL);
        assert_small(testing_max_difference(force, rows[i].force, 3), 1e-14, "force");
    }
    // Without area there is no normal, and nothing that is not a number.
    const double none[3] = {0.0, 0.0, 0.0};
    double force[3], stiffness[9];
    wind_law_force(&law, none, rows[0].u, force, stiffness);
    assert_near(norm3(force), 0.0, 0.0, "force without area");
    assert_near(wind_law_potential(&law, none, rows[0].u, rows[1].u), 0.0, 0.0, "no potential");
    for (size_t k = 0; k < 9; k++) {
        assert_near(stiffness[k], 0.0, 0.0, "stiffness without area");
    }
}

/// In a storm a creeping surface's potential is -force times velocity to all digits but what the
/// next order adds, though psi itself is 1e13 times larger.
static void potentials_do_not_cancel(void **state) {
    (void)state;
    const struct wind_law law = {.velocity = {10.0, 20.0, 40.0}, .normal = 0.6, .tangential = 0.2};
    const double area[3] = {0.0, 0.0, 2.0}, creep[3] = {3e-10, 1e-10, -2e-10};
    double relative[3], force[3];
    subtract3(law.velocity, creep, relative);
    wind_law_force(&law, area, law.velocity, force, NULL);
    const double value = wind_law_potential(&law, area, relative, creep);
    assert_near(value, -dot3(force, creep), 1e-10 * fabs(dot3(force, creep)), "potential");
    // A surface that outruns the wind on its outer side has left all of psi behind.
    struct wind_law outer = law;
    outer.is_one_sided = true;
    outer.velocity[2] = -40.0;
    const double fast[3] = {0.0, 0.0, -50.0};
    subtract3(outer.velocity, fast, relative);
    assert_near(wind_law_potential(&outer, area, relative, fast), -2.0 * 0.6 * 64000.0 / 3.0, 1e-9,
                "potential left behind");
}

static void laws_change(void **state) {
    (void)state;
    struct fixture f;
    const struct wind_law none = {.velocity = {1.0, 2.0, 3.0}};
    setup(&f, WIND_EXACT);
    assert_true(value_at(&f, f.x) != 0.0);
    assert_true(wind_reference(f.wind, f.x, f.v) > 0.0);
    for (size_t s = 0; s < SURFACES; s++) {
        wind_set_law(f.wind, s, &none);
    }
    assert_near(value_at(&f, f.x), 0.0, 0.0, "value without coefficients");
    assert_near(wind_reference(f.wind, f.x, f.v), 0.0, 0.0, "reference");
    teardown(&f);
}

static pbs_status create(struct memory *fresh, const void *context) {
    struct wind *wind = NULL;
    const pbs_status status = wind_create(fresh, context, &wind);
    wind_destroy(wind, fresh);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct fixture f;
    setup(&f, WIND_EXACT);
    const struct wind_input input = input_of(&f);
    assert_refusals_are_statuses(create, &input, 30);
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(the_potential_is_convex),
        cmocka_unit_test(powers_balance),
        cmocka_unit_test(modes_agree_where_they_meet),
        cmocka_unit_test(forces_are_those_of_plates),
        cmocka_unit_test(potentials_do_not_cancel),
        cmocka_unit_test(laws_change),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    memory_init(&memory, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
