// Volumes that are held: what an update does to the objective, what is projected out of
// accelerations, and the deflation of conjugate gradients.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/evaluate.h"
#include "energy/pressure/held_volumes.h"
#include "energy/pressure/pressure.h"
#include "linear/problem.h"
#include "support/random.h"
#include "support/testing.h"

enum { NODES = 16, SIZE = 3 * NODES, SURFACES = 2, TRIANGLES = 16 };

/// Two octahedra on nodes 1 to 6 and 9 to 14; the others are of no surface.
static const uint32_t triangles[3 * TRIANGLES] = {
    1, 3,  5,  3,  2,  5,  2,  4,  5,  4,  1, 5,  3,  1, 6,  2,  3,  6,  4,  2,  6,  1, 4,  6,
    9, 11, 13, 11, 10, 13, 10, 12, 13, 12, 9, 13, 11, 9, 14, 10, 11, 14, 12, 10, 14, 9, 12, 14};
static const size_t triangle_start[SURFACES + 1] = {0, 8, 16};

static struct memory memory;

struct fixture {
    double x[SIZE], mass[NODES], stiffness[NODES];
    uint8_t axes[NODES];
    struct stage_nodes nodes;
    struct pressure *pressure;
    struct term term;
    struct assembly assembly;
    struct terms_scratch scratch;
    double *gradient;
};

static void setup(struct fixture *f) {
    const struct pressure_law laws[SURFACES] = {
        {.kind = PRESSURE_HELD, .pressure = 3.0, .outside = 1.0, .volume = 1.1},
        {.kind = PRESSURE_HELD, .pressure = -2.0, .volume = 1.5}};
    const struct pressure_input input = {.node_count = NODES,
                                         .triangle_count = TRIANGLES,
                                         .triangles = triangles,
                                         .surface_count = SURFACES,
                                         .triangle_start = triangle_start,
                                         .laws = laws};
    struct random random = random_seed(11);
    *f = (struct fixture){.axes = {[3] = 1, [10] = 6}};
    random_fill(&random, -0.1, 0.1, f->x, SIZE);
    random_fill(&random, 0.5, 2.0, f->mass, NODES);
    random_fill(&random, 1.0, 9.0, f->stiffness, NODES);
    for (size_t i = 0; i < 6; i++) {
        f->x[3 * (1 + i) + i / 2] += i % 2 == 0 ? 1.0 : -1.0;
        f->x[3 * (9 + i) + i / 2] += i % 2 == 0 ? 1.0 : -1.0;
    }
    f->nodes = (struct stage_nodes){.mass = f->mass,
                                    .stiffness = f->stiffness,
                                    .weight = 0.01,
                                    .constrained_axes = f->axes,
                                    .x = f->x};
    assert_ok(pressure_create(&memory, &input, &f->pressure));
    f->term = pressure_term(f->pressure);
    assert_ok(assembly_build(&memory, NODES, 3, &f->term.stencils, 1, &f->assembly));
    assert_ok(f->term.table->bind(f->term.self, &memory, f->assembly.terms));
    assert_ok(terms_reserve(&memory, &f->assembly, &f->scratch));
    f->gradient = memory_allocate(&memory, 3 * f->assembly.vector_slot_count, sizeof(double));
    assert_non_null(f->gradient);
    held_volumes_begin_step(f->pressure, f->x, 1.0, 1.0);
    held_volumes_begin_stage(f->pressure, &f->nodes, 1.0);
}

static void teardown(struct fixture *f) {
    memory_release(&memory, f->gradient);
    terms_release(&memory, &f->scratch);
    assembly_free(&memory, &f->assembly);
    f->term.table->destroy(f->term.self, &memory);
}

static double volume_of(size_t surface, const double *x) {
    return pressure_volume(triangles + 3 * triangle_start[surface],
                           triangle_start[surface + 1] - triangle_start[surface], 0, x);
}

/// The objective and its gradient, node order.
static double evaluate(struct fixture *f, bool without, double gradient[SIZE]) {
    const struct evaluation evaluation = {
        .what = EVALUATE_VALUE | EVALUATE_GRADIENT, .x = f->x, .without_constraints = without};
    struct terms_result result = {.gradient = f->gradient, .scratch = &f->scratch};
    assert_int_equal(terms_evaluate(NULL, &f->assembly, &f->term, 1, &evaluation, &result),
                     EVALUATE_OK);
    memcpy(gradient, f->gradient, SIZE * sizeof *gradient);
    return result.value;
}

/// What an update says of the objective is what the objective says of the update; then -dP/dV is
/// the new pressure where the volume is right, as it is at the end of a step that the update
/// reckoned with. Without constraints nothing is left.
static void updates_are_those_of_the_objective(void **state) {
    (void)state;
    struct fixture f;
    double before[SIZE], after[SIZE], direction[SIZE], from[SIZE];
    struct random random = random_seed(5);
    setup(&f);
    random_fill(&random, -0.01, 0.01, direction, SIZE);
    for (size_t k = 0; k < SIZE; k++) {
        from[k] = 0.8 * f.x[k]; // of half the volume, so that the way to x has not missed it
    }
    for (int i = 0; i < 2; i++) {
        const double value = evaluate(&f, false, before);
        const double *step = i == 1 ? direction : NULL;
        const double change = held_volumes_update(f.pressure, from, step, f.x, before);
        const double now = evaluate(&f, false, after);
        assert_near(now - value, change, 1e-12 * fabs(value), "value");
        assert_small(testing_max_difference(before, after, SIZE),
                     1e-12 * fabs(pressure_law_of(f.pressure, 0).pressure), "gradient");
    }
    assert_near(evaluate(&f, true, after), 0.0, 0.0, "value without constraints");
    for (size_t k = 0; k < SIZE; k++) {
        assert_near(after[k], 0.0, 0.0, "gradient without constraints");
    }
    held_volumes_restore(f.pressure);
    assert_near(pressure_law_of(f.pressure, 0).pressure, 3.0, 0.0, "pressure");
    assert_near(pressure_law_of(f.pressure, 1).volume, 1.5, 0.0, "target");
    teardown(&f);
}

/// Where a step has not come nearer to a volume, the pressure that it reckoned with is not taken:
/// where that pressure is what makes a surface too stiff to move, it would grow with every step. A
/// balloon under a rod that carried tonnes came to 1e12 Pa so, and no step landed (seed 78 of
/// bench/league).
static void steps_that_miss_a_volume_change_nothing(void **state) {
    (void)state;
    struct fixture f;
    double gradient[SIZE] = {0.0};
    const double none[SIZE] = {0.0};
    setup(&f);
    assert_near(held_volumes_update(f.pressure, f.x, none, f.x, gradient), 0.0, 0.0, "change, J");
    assert_near(pressure_law_of(f.pressure, 0).pressure, 3.0, 0.0, "pressure");
    assert_near(pressure_law_of(f.pressure, 1).pressure, -2.0, 0.0, "pressure");
    // At a solution it is what closes the gap.
    assert_true(held_volumes_update(f.pressure, f.x, NULL, f.x, gradient) != 0.0);
    assert_true(pressure_law_of(f.pressure, 0).pressure != 3.0);
    teardown(&f);
}

/// In a step the target moves evenly from the volume at its start, in a step that is half of what
/// is left of a call half of the way. Where no node is free nothing moves, and no work is done.
static void targets_move_evenly(void **state) {
    (void)state;
    struct fixture f;
    setup(&f);
    const double start = volume_of(0, f.x), shares[] = {0.25, 0.5, 1.0};
    held_volumes_begin_step(f.pressure, f.x, 0.1, 1.0);
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        held_volumes_begin_stage(f.pressure, &f.nodes, 0.1 * shares[i]);
        const double gaps[] = {fabs(shares[i] * (1.1 - start)) / (1e-10 * 1.1),
                               fabs(shares[i] * (1.5 - volume_of(1, f.x))) / (1e-10 * 1.5)};
        const double most = fmax(gaps[0], gaps[1]);
        assert_near(held_volumes_gap(f.pressure, f.x), most, 1e-12 * most, "gap");
    }
    const struct held_volume_power power = held_volumes_power(f.pressure, 0);
    assert_near(power.supplied, (3.0 - 1.0) * (1.1 - start) / 0.1, 1e-12, "power");
    held_volumes_begin_step(f.pressure, f.x, 0.1, 0.5);
    held_volumes_begin_stage(f.pressure, &f.nodes, 0.1);
    const double first = 0.5 * fabs(1.1 - start) / (1e-10 * 1.1);
    const double second = 0.5 * fabs(1.5 - volume_of(1, f.x)) / (1e-10 * 1.5);
    const double most = fmax(first, second);
    assert_near(held_volumes_gap(f.pressure, f.x), most, 1e-12 * most, "half of the way");
    memset(f.axes, 7, sizeof f.axes);
    held_volumes_begin_stage(f.pressure, &f.nodes, 0.1);
    assert_near(held_volumes_gap(f.pressure, f.x), 0.0, 0.0, "gap that nothing can close");
    assert_near(held_volumes_power(f.pressure, 0).supplied, 0.0, 0.0, "power without motion");
    teardown(&f);
}

/// Rows are the volumes' gradients, of unit length and without constrained axes. V is a cubic
/// along v, so that its second derivative is the difference of three values.
static void rows_and_turning_are_derivatives(void **state) {
    (void)state;
    struct fixture f;
    struct node_row rows[SURFACES];
    double v[SIZE], ahead[SIZE], behind[SIZE], turning[SURFACES] = {0.0}, rates[SURFACES];
    struct random random = random_seed(3);
    setup(&f);
    random_fill(&random, -1.0, 1.0, v, SIZE);
    v[3 * 3] = v[3 * 10 + 1] = v[3 * 10 + 2] = 0.0; // constrained
    assert_int_equal(held_volumes_write_rows(f.pressure, &f.nodes, rows), SURFACES);
    held_volumes_add_velocity_terms(f.pressure, v, f.x, turning);
    node_rows_multiply(rows, SURFACES, v, rates);
    for (size_t k = 0; k < SIZE; k++) {
        ahead[k] = f.x[k] + 0.5 * v[k];
        behind[k] = f.x[k] - 0.5 * v[k];
    }
    for (size_t s = 0; s < SURFACES; s++) {
        double square = 0.0, small[SIZE], less[SIZE];
        for (size_t k = 0; k < 3 * rows[s].count; k++) {
            square += rows[s].entries[k] * rows[s].entries[k];
        }
        assert_near(square, 1.0, 1e-14, "length");
        const double second = (volume_of(s, ahead) - 2.0 * volume_of(s, f.x) +
                               volume_of(s, behind)) /
                              0.25;
        // A central difference of a cubic errs by the cube of its step, and two cancel that.
        for (size_t k = 0; k < SIZE; k++) {
            small[k] = f.x[k] + 0.25 * v[k];
            less[k] = f.x[k] - 0.25 * v[k];
        }
        const double wide = volume_of(s, ahead) - volume_of(s, behind);
        const double narrow = 2.0 * (volume_of(s, small) - volume_of(s, less));
        const double first = (4.0 * narrow - wide) / 3.0;
        assert_near(turning[s] * first, second * rates[s], 1e-12, "second derivative");
        assert_true(fabs(second) > 0.01 && fabs(first) > 0.01);
    }
    teardown(&f);
}

/// Deflated, a preconditioner that is the inverse of H0 = D is the inverse of D + sum rho u u^T
/// (Sherman and Morrison).
static void deflation_is_exact_over_diagonals(void **state) {
    (void)state;
    struct fixture f;
    struct random random = random_seed(6);
    double r[SIZE], kept[SIZE], z[SIZE], product[SIZE], d[NODES];
    setup(&f);
    struct bsr matrix = f.assembly.pattern;
    double *values = memory_allocate(&memory, 9 * f.assembly.block_slot_count, sizeof *values);
    assert_non_null(values);
    memset(values, 0, 9 * f.assembly.block_slot_count * sizeof *values);
    matrix.values = values;
    for (size_t row = 0; row < NODES; row++) {
        d[row] = random_uniform(&random, 1.0, 5.0);
        for (size_t k = 0; k < 3; k++) {
            values[9 * (size_t)matrix.row_start[row] + 4 * k] = d[row];
        }
    }
    const struct evaluation evaluation = {.what = EVALUATE_HESSIAN, .x = f.x};
    const struct product_operator *operator= terms_products(NULL, &f.term, 1, &evaluation);
    const struct linear_problem problem = {.a = &matrix, .f = operator};
    assert_non_null(operator);
    assert_non_null(operator->deflation);
    random_fill(&random, -1.0, 1.0, r, SIZE);
    memcpy(kept, r, sizeof r);
    operator->deflation->begin(operator->self, &problem);
    operator->deflation->deflate(operator->self, r);
    for (size_t k = 0; k < SIZE; k++) {
        z[k] = r[k] / d[k / 3];
    }
    operator->deflation->correct(operator->self, z);
    operator->deflation->inflate(operator->self, r);
    assert_small(testing_max_difference(r, kept, SIZE), 1e-15, "residual");
    problem_multiply(NULL, &problem, z, product);
    // rho u.u / D is about 1e6 here, and rounding of z comes times that.
    assert_small(testing_max_difference(product, kept, SIZE), 1e-9, "inverse");
    memory_release(&memory, values);
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_those_of_the_objective),
        cmocka_unit_test(steps_that_miss_a_volume_change_nothing),
        cmocka_unit_test(targets_move_evenly),
        cmocka_unit_test(rows_and_turning_are_derivatives),
        cmocka_unit_test(deflation_is_exact_over_diagonals),
    };
    memory_init(&memory, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
