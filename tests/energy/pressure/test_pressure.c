// Pressure in closed surfaces: its laws, and its derivatives beside differences of the value.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/evaluate.h"
#include "energy/pressure/pressure.h"
#include "linear/problem.h"
#include "support/host/refusals.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"
#include "support/testing.h"

enum { NODES = 20, SIZE = 3 * NODES, SURFACES = 2, TRIANGLES = 20 };

/// A cube's surface on nodes 1 to 8 and an octahedron's on 10 to 15; the others are of no surface.
static const uint32_t triangles[3 * TRIANGLES] = {
    1,  3,  2,  2,  3,  4,  5,  6,  7,  6,  8,  7,  1,  2,  5,  2,  6,  5,  3,  7,
    4,  4,  7,  8,  1,  5,  3,  3,  5,  7,  2,  4,  6,  4,  8,  6,  10, 12, 14, 12,
    11, 14, 11, 13, 14, 13, 10, 14, 12, 10, 15, 11, 12, 15, 13, 11, 15, 10, 13, 15};
static const size_t triangle_start[SURFACES + 1] = {0, 12, 20};

static struct memory memory;

struct fixture {
    double x[SIZE];
    struct term term;
    struct assembly assembly;
    struct terms_scratch scratch;
    double *blocks, *gradient;
    bool project;
};

static void place(struct random *random, double *x) {
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < 3; k++) {
            x[3 * (1 + i) + k] = 0.5 * (double)(i >> k & 1) + 0.3;
        }
    }
    for (size_t i = 0; i < 6; i++) {
        x[3 * (10 + i) + i / 2] = i % 2 == 0 ? 1.0 : -1.0;
    }
    for (size_t k = 0; k < SIZE; k++) {
        x[k] += random_uniform(random, -0.1, 0.1);
    }
}

static void setup(struct fixture *f, const struct pressure_law *laws) {
    struct random random = random_seed(4);
    struct pressure *pressure = NULL;
    *f = (struct fixture){.project = false};
    const struct pressure_input input = {.node_count = NODES,
                                         .triangle_count = TRIANGLES,
                                         .triangles = triangles,
                                         .surface_count = SURFACES,
                                         .triangle_start = triangle_start,
                                         .laws = laws};
    place(&random, f->x);
    assert_ok(pressure_create(&memory, &input, &pressure));
    f->term = pressure_term(pressure);
    assert_ok(assembly_build(&memory, NODES, 3, &f->term.stencils, 1, &f->assembly));
    assert_ok(f->term.table->bind(f->term.self, &memory, f->assembly.terms));
    assert_ok(terms_reserve(&memory, &f->assembly, &f->scratch));
    f->blocks = memory_allocate(&memory, 9 * f->assembly.block_slot_count, sizeof(double));
    f->gradient = memory_allocate(&memory, 3 * f->assembly.vector_slot_count, sizeof(double));
}

static void teardown(struct fixture *f) {
    memory_release(&memory, f->blocks);
    memory_release(&memory, f->gradient);
    terms_release(&memory, &f->scratch);
    assembly_free(&memory, &f->assembly);
    f->term.table->destroy(f->term.self, &memory);
}

static struct evaluation evaluation_at(const struct fixture *f, uint32_t what, const double *x) {
    return (struct evaluation){.what = what, .x = x, .project = f->project};
}

static double value_at(void *context, const double *x) {
    struct fixture *f = context;
    const struct evaluation evaluation = evaluation_at(f, EVALUATE_VALUE, x);
    struct terms_result result = {.scratch = &f->scratch};
    assert_int_equal(terms_evaluate(NULL, &f->assembly, &f->term, 1, &evaluation, &result),
                     EVALUATE_OK);
    return result.value;
}

static void gradient_at(void *context, const double *x, double *gradient) {
    struct fixture *f = context;
    const struct evaluation evaluation = evaluation_at(f, EVALUATE_GRADIENT, x);
    struct terms_result result = {.gradient = f->gradient, .scratch = &f->scratch};
    assert_int_equal(terms_evaluate(NULL, &f->assembly, &f->term, 1, &evaluation, &result),
                     EVALUATE_OK);
    memcpy(gradient, f->gradient, SIZE * sizeof *gradient);
}

/// Blocks and products, column by column.
static void hessian_at(void *context, const double *x, double *hessian) {
    struct fixture *f = context;
    const struct evaluation evaluation = evaluation_at(f, EVALUATE_HESSIAN, x);
    struct terms_result result = {.blocks = f->blocks, .scratch = &f->scratch};
    assert_int_equal(terms_evaluate(NULL, &f->assembly, &f->term, 1, &evaluation, &result),
                     EVALUATE_OK);
    struct bsr matrix = f->assembly.pattern;
    matrix.values = f->blocks;
    const struct linear_problem problem = {.a = &matrix,
                                           .f = terms_products(NULL, &f->term, 1, &evaluation)};
    for (size_t k = 0; k < SIZE; k++) {
        double unit[SIZE] = {0.0}, rows[SIZE], product[SIZE], column[SIZE];
        unit[k] = 1.0;
        assembly_to_rows(NULL, &f->assembly, unit, rows);
        problem_multiply(NULL, &problem, rows, product);
        assembly_to_nodes(NULL, &f->assembly, product, column);
        for (size_t i = 0; i < SIZE; i++) {
            hessian[SIZE * i + k] = column[i];
        }
    }
}

/// Of held volumes the Hessian takes the pressure alone for the curvature, without the penalty: it
/// is that of the value where nothing is missing from the volume, or no penalty adds to it.
static const struct pressure_law laws[4][SURFACES] = {
    {{.pressure = 3.0, .outside = 1.0, .volume = 0.2}, {.outside = 2.0, .volume = 0.2}},
    {{.kind = PRESSURE_GAS, .pressure = 3.0, .outside = 1.0, .exponent = 1.0, .volume = 0.2},
     {.kind = PRESSURE_GAS, .pressure = 1.0, .outside = 2.0, .exponent = 1.4, .volume = 1.2}},
    {{.pressure = 3.0, .outside = 1.0, .volume = 0.2},
     {.kind = PRESSURE_GAS, .pressure = 1.0, .outside = 0.0, .exponent = 5.0 / 3.0, .volume = 1.2}},
    {{.kind = PRESSURE_HELD, .pressure = 3.0, .outside = 1.0, .volume = 0.2},
     {.kind = PRESSURE_HELD, .pressure = -2.0, .volume = 1.2}},
};

static void derivatives_are_those_of_the_value(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(laws); i++) {
        struct fixture f;
        setup(&f, laws[i]);
        const struct derivatives_function function = {SIZE, value_at, gradient_at, hessian_at, &f};
        assert_small(derivatives_gradient_error(&function, f.x, 1e-3), 1e-10, "gradient");
        assert_small(derivatives_hessian_error(&function, f.x, 1e-3), 1e-9, "Hessian");
        assert_small(derivatives_asymmetry(&function, f.x), 1e-15, "asymmetry");
        teardown(&f);
    }
}

/// y -> y^T H y of the projected Hessian.
static double curvature_along(const double *hessian, const double *y) {
    double sum = 0.0;
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        sum += y[i / SIZE] * hessian[i] * y[i % SIZE];
    }
    return sum;
}

/// Projected Hessians are semidefinite, and leave surfaces free to move and turn as a whole: of
/// gases what resists a change of volume is left, of constant pressures nothing.
static void projected_hessians_leave_rigid_motions_free(void **state) {
    (void)state;
    static double hessian[SIZE * SIZE];
    struct random random = random_seed(8);
    for (size_t i = 0; i < COUNT_OF(laws); i++) {
        struct fixture f;
        double y[SIZE], turn[SIZE], largest = 0.0;
        setup(&f, laws[i]);
        f.project = true;
        hessian_at(&f, f.x, hessian);
        for (int trial = 0; trial < 50; trial++) {
            random_fill(&random, -1.0, 1.0, y, SIZE);
            const double curvature = curvature_along(hessian, y);
            largest = fmax(largest, curvature);
            assert_true(curvature > -1e-12);
        }
        assert_true((largest > 1e-3) == (i == 1 || i == 2));
        const double about[3] = {0.3, -0.7, 0.5};
        for (size_t k = 0; k < SIZE; k++) {
            y[k] = about[k % 3];
        }
        for (size_t n = 0; n < NODES; n++) {
            cross3(about, f.x + 3 * n, turn + 3 * n);
        }
        assert_small(curvature_along(hessian, y), 1e-12, "translation");
        assert_small(curvature_along(hessian, turn), 1e-12, "turn");
        teardown(&f);
    }
}

/// Values in closed form, and that of gamma = 1 as the limit of others.
static void gases_follow_their_law(void **state) {
    (void)state;
    struct pressure_law law = {
        .kind = PRESSURE_GAS, .pressure = 2e5, .outside = 1e5, .exponent = 1.0, .volume = 0.5};
    const struct pressure_state isothermal = pressure_law_at(&law, 0.25);
    assert_near(isothermal.value, 2e5 * 0.5 * log(2.0) - 1e5 * 0.25, 1e-9, "energy");
    assert_near(isothermal.excess, 3e5, 1e-9, "excess");
    assert_near(isothermal.stiffness, 4e5 / 0.25, 1e-8, "stiffness");
    law.exponent = 1.0 + 1e-9;
    assert_near(pressure_law_at(&law, 0.25).value, isothermal.value, 1e-4, "limit");
    law.exponent = 1.4;
    const struct pressure_state adiabatic = pressure_law_at(&law, 0.25);
    assert_near(adiabatic.value, 2e5 * 0.5 * (pow(2.0, 0.4) - 1.0) / 0.4 - 1e5 * 0.25, 1e-9,
                "energy");
    assert_near(adiabatic.excess, 2e5 * pow(2.0, 1.4) - 1e5, 1e-9, "excess");
    assert_true(pressure_law_at(&law, 0.0).value == INFINITY);
    assert_true(pressure_law_at(&law, -1.0).value == INFINITY);
    law.kind = PRESSURE_CONSTANT;
    assert_near(pressure_law_at(&law, -1.0).value, 1e5 * 1.5, 1e-9, "constant pressure");
}

/// Turned inside out a gas has no state, and another law is one from the next evaluation on.
static void laws_change(void **state) {
    (void)state;
    struct fixture f;
    setup(&f, laws[1]);
    double turned[SIZE];
    for (size_t k = 0; k < SIZE; k++) {
        turned[k] = -f.x[k];
    }
    const struct evaluation evaluation = evaluation_at(&f, EVALUATE_VALUE, turned);
    struct terms_result result = {.scratch = &f.scratch};
    assert_int_equal(terms_evaluate(NULL, &f.assembly, &f.term, 1, &evaluation, &result),
                     EVALUATE_RECOVERABLE);
    const struct pressure_law none = {.pressure = 1.0, .outside = 1.0};
    pressure_set_law(f.term.self, 0, &none);
    pressure_set_law(f.term.self, 1, &none);
    assert_near(value_at(&f, turned), 0.0, 0.0, "value without excess");
    teardown(&f);
}

/// Of the volume of a ball with the surface's area, how much of it the volume changes in a step.
static double change_of(const struct fixture *f, size_t surface, const double *direction,
                        double step) {
    const size_t first = triangle_start[surface];
    const size_t count = triangle_start[surface + 1] - first;
    double moved[SIZE], area = 0.0;
    for (size_t k = 0; k < SIZE; k++) {
        moved[k] = f->x[k] + step * direction[k];
    }
    for (size_t t = first; t < first + count; t++) {
        double sides[2][3], normal[3];
        for (size_t a = 0; a < 2; a++) {
            subtract3(f->x + 3 * (size_t)triangles[3 * t + a + 1],
                      f->x + 3 * (size_t)triangles[3 * t], sides[a]);
        }
        cross3(sides[0], sides[1], normal);
        area += 0.5 * norm3(normal);
    }
    const double ball = area * sqrt(area / 3.14159265358979323846) / 6.0;
    return fabs(pressure_volume(triangles + 3 * first, count, 0, moved) -
                pressure_volume(triangles + 3 * first, count, 0, f->x)) /
           ball;
}

/// Under constant pressures a step ends before the volume has changed by that of a ball, and goes
/// more than half as far; a gas, which has a lowest energy, bounds nothing.
static void steps_keep_volumes_from_running_away(void **state) {
    (void)state;
    struct fixture f;
    struct random random = random_seed(8);
    double direction[SIZE];
    setup(&f, laws[0]);
    for (int trial = 0; trial < 50; trial++) {
        for (size_t k = 0; k < SIZE; k++) {
            // Some grow or shrink as a whole, others go anywhere.
            direction[k] = trial < 10 ? (trial % 2 == 0 ? 1.0 : -1.0) * f.x[k]
                                      : random_uniform(&random, -3.0, 3.0);
        }
        const double step = terms_max_step(NULL, &f.assembly, &f.term, 1, f.x, direction, 1e3,
                                           &f.scratch);
        double most = 0.0;
        for (size_t s = 0; s < SURFACES; s++) {
            for (int i = 1; i <= 20; i++) {
                assert_true(change_of(&f, s, direction, step * i / 20.0) < 1.0);
            }
            most = fmax(most, change_of(&f, s, direction, step));
        }
        assert_true(most > 0.5);
        assert_near(
            terms_max_step(NULL, &f.assembly, &f.term, 1, f.x, direction, 0.1 * step, &f.scratch),
            0.1 * step, 0.0, "short step");
    }
    teardown(&f);
    setup(&f, laws[1]);
    assert_near(terms_max_step(NULL, &f.assembly, &f.term, 1, f.x, direction, 1e3, &f.scratch), 1e3,
                0.0, "step of gases");
    teardown(&f);
}

static pbs_status create(struct memory *fresh, const void *context) {
    struct pressure *pressure = NULL;
    const pbs_status status = pressure_create(fresh, context, &pressure);
    pressure_destroy(pressure, fresh);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    const struct pressure_input input = {.node_count = NODES,
                                         .triangle_count = TRIANGLES,
                                         .triangles = triangles,
                                         .surface_count = SURFACES,
                                         .triangle_start = triangle_start,
                                         .laws = laws[0]};
    assert_refusals_are_statuses(create, &input, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(projected_hessians_leave_rigid_motions_free),
        cmocka_unit_test(gases_follow_their_law),
        cmocka_unit_test(laws_change),
        cmocka_unit_test(steps_keep_volumes_from_running_away),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    memory_init(&memory, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
