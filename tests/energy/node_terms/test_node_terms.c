// Gravity and mass drag: values and derivatives are known in closed form.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/cube_fixture.h"
#include "energy/node_terms/gravity.h"
#include "energy/node_terms/mass_drag.h"

struct particles {
    struct cube cube;
    size_t size;
    double *x, *origin, *mass, *rate;
};

static void particles_make(struct particles *p) {
    struct random random = random_seed(11);
    cube_make(&p->cube, 3);
    const struct term term = {
        .has_stencils = true,
        .stencils = {.count = p->cube.tet_count, .width = 4, .nodes = p->cube.tets}};
    cube_assemble(&p->cube, &term, 1, 3);
    p->size = 3 * p->cube.node_count;
    p->x = calloc(p->size, sizeof(double));
    p->origin = calloc(p->size, sizeof(double));
    p->mass = calloc(p->size, sizeof(double));
    p->rate = calloc(p->size, sizeof(double));
    random_fill(&random, -1.0, 1.0, p->x, p->size);
    random_fill(&random, -1.0, 1.0, p->origin, p->size);
    random_fill(&random, 0.5, 1.5, p->mass, p->cube.node_count);
    random_fill(&random, 0.0, 2.0, p->rate, p->cube.node_count);
    p->mass[5] = 0.0; // a node that opts out
}

static void particles_free(struct particles *p) {
    free(p->x);
    free(p->origin);
    free(p->mass);
    free(p->rate);
    cube_free(&p->cube);
}

static const uint32_t everything = EVALUATE_VALUE | EVALUATE_GRADIENT | EVALUATE_HESSIAN;

static void test_gravity(void **state) {
    struct particles p;
    (void)state;
    particles_make(&p);
    struct gravity gravity = {
        .acceleration = {0.5, -9.81, 1.0}, .mass = p.mass, .reference = p.origin};
    const struct term term = gravity_term(&gravity);
    const struct evaluation evaluation = {.what = everything, .x = p.x};
    double work = 0.0;
    assert_int_equal(cube_evaluate(&p.cube, &term, 1, &evaluation), EVALUATE_OK);
    for (size_t i = 0; i < p.size; i++) {
        const double weight = p.mass[i / 3] * gravity.acceleration[i % 3];
        work += weight * (p.x[i] - p.origin[i]);
        assert_true(p.cube.result.gradient[i] == -weight);
    }
    assert_near(p.cube.result.value, -work, 1e-12, "gravity");
    assert_true(p.cube.result.by_kind[ENERGY_GRAVITY] == p.cube.result.value);
    for (size_t i = 0; i < 9 * p.cube.assembly.pattern.block_count; i++) {
        assert_true(p.cube.result.blocks[i] == 0.0);
    }
    particles_free(&p);
}

/// A body far away and displaced by little has no less accurate an energy: the reference takes its
/// place out.
static void test_gravity_does_not_cancel(void **state) {
    struct particles p;
    (void)state;
    particles_make(&p);
    struct gravity gravity = {
        .acceleration = {0.0, -1.0, 0.0}, .mass = p.mass, .reference = p.origin};
    const struct term term = gravity_term(&gravity);
    const struct evaluation evaluation = {.what = EVALUATE_VALUE, .x = p.x};
    const double step = ldexp(1.0, -30);
    double mass = 0.0;
    for (size_t i = 0; i < p.size; i++) {
        p.origin[i] = 4096.0;
        p.x[i] = 4096.0 + step;
        mass += i % 3 == 1 ? p.mass[i / 3] : 0.0;
    }
    cube_evaluate(&p.cube, &term, 1, &evaluation);
    assert_near(p.cube.result.value / (mass * step), 1.0, 1e-14, "gravity far away");
    particles_free(&p);
}

static void test_mass_drag(void **state) {
    struct particles p;
    (void)state;
    particles_make(&p);
    struct mass_drag drag = {.mass = p.mass, .rate = p.rate};
    const struct term term = mass_drag_term(&drag);
    const double length = 0.25;
    const struct evaluation evaluation = {
        .what = everything, .x = p.x, .stage = {.origin = p.origin, .length = length}};
    double value = 0.0;
    assert_int_equal(cube_evaluate(&p.cube, &term, 1, &evaluation), EVALUATE_OK);
    for (size_t i = 0; i < p.size; i++) {
        const size_t node = i / 3;
        const double moved = p.x[i] - p.origin[i];
        const double stiffness = p.rate[node] * p.mass[node] / length;
        const uint32_t row = p.cube.assembly.layout.row[node];
        const double *block = p.cube.result.blocks +
                              9 * bsr_find(&p.cube.assembly.pattern, row, row);
        value += 0.5 * stiffness * moved * moved;
        assert_near(p.cube.result.gradient[i], stiffness * moved, 1e-14, "drag force");
        for (size_t j = 0; j < 3; j++) {
            const double expected = j == i % 3 ? stiffness : 0.0;
            assert_near(block[3 * (i % 3) + j], expected, 1e-14, "drag stiffness");
        }
    }
    assert_near(p.cube.result.value, value, 1e-12, "drag potential");
    assert_true(p.cube.result.by_kind[ENERGY_DISSIPATED] == p.cube.result.value);
    particles_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_gravity_does_not_cancel),
        cmocka_unit_test(test_mass_drag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
