// Plastic flow of tetrahedra by itself: derivatives with a plastic part, volume, energy, the yield
// surface, and histories that are read, written, saved and restored.
// SPDX-License-Identifier: MIT
#include "energy/materials/solid_plasticity.h"

#include "base/matrix3/math3.h"
#include "energy/cube_fixture.h"

struct fixture {
    struct cube cube;
    struct term term;
    struct solid *solid;
    struct solid_plasticity *plasticity;
    struct plastic_law *laws;
    double *history, *x;
};

/// 48 tetrahedra, of which every third is elastic, in domains that leave lanes empty.
static void make(struct fixture *f, const struct material_table *material) {
    *f = (struct fixture){0};
    cube_make(&f->cube, 2);
    const size_t count = f->cube.tet_count;
    f->laws = calloc(count, sizeof *f->laws);
    f->history = calloc(count, PLASTIC_VALUES * sizeof *f->history);
    f->x = calloc(f->cube.node_count, 3 * sizeof *f->x);
    assert_true(f->laws != NULL && f->history != NULL && f->x != NULL);
    for (size_t t = 0; t < count; t++) {
        double lambda;
        f->laws[t] = (struct plastic_law){0.0, 0.05, 0.3, 0.0, INFINITY};
        material_lame(f->cube.young[t], f->cube.poisson[t], &f->laws[t].shear_modulus, &lambda);
        f->laws[t] = t % 3 == 0 ? plastic_law_none : f->laws[t];
        memcpy(f->history + PLASTIC_VALUES * t, plastic_undeformed, sizeof plastic_undeformed);
    }
    struct solid_input input = cube_solid_input(&f->cube, material);
    input.laws = f->laws;
    input.history = f->history;
    assert_ok(solid_create(&f->cube.memory, &input, &f->solid));
    f->plasticity = solid_plasticity_of(f->solid);
    f->term = solid_term(f->solid);
    cube_bind(&f->cube, &f->term, 1, 3);
}

static void release(struct fixture *f) {
    solid_destroy(f->solid, &f->cube.memory);
    cube_free(&f->cube);
    free(f->laws);
    free(f->history);
    free(f->x);
}

static double flow(struct fixture *f) {
    return solid_flow(f->solid, NULL, f->cube.assembly.layout.domain_count, f->x, 1.0);
}

static void read(struct fixture *f) {
    solid_plasticity_read(f->plasticity, 0, f->cube.tet_count, f->history);
}

static double energy(struct fixture *f) {
    struct cube_function function = {.cube = &f->cube, .term = &f->term};
    return cube_function_value(&function, f->x);
}

/// 2000 times to another state, each of which flows: det F_p stays 1 to 1e-12 (1e-15 in each step
/// would be enough to lose that by drift), elastic tetrahedra keep the identity, and what is
/// returned is the decrease of the energy. That is no loss in every state of St. Venant-Kirchhoff
/// solids, whose energy falls with strain under strong compression.
static void flow_keeps_the_volume(void **state) {
    (void)state;
    for (const struct material_table *const *m = material_tables; *m != NULL; m++) {
        struct fixture f;
        struct random random = random_seed(3);
        double worst = 0.0, least = INFINITY;
        make(&f, *m);
        for (int n = 0; n < 2000; n++) {
            cube_positions(&f.cube, &random, 0.05, f.x);
            const double before = energy(&f), dissipated = flow(&f);
            assert_true(dissipated >= 0.0 || *m == &material_st_venant_kirchhoff);
            assert_near(before - dissipated, energy(&f), 1e-12 * before, "energy");
        }
        read(&f);
        for (size_t t = 0; t < f.cube.tet_count; t++) {
            const double *own = f.history + PLASTIC_VALUES * t;
            if (t % 3 == 0) {
                assert_memory_equal(own, plastic_undeformed, sizeof plastic_undeformed);
            } else {
                worst = fmax(worst, fabs(determinant3(own) - 1.0));
                least = fmin(least, own[PLASTIC_STRAIN]);
            }
        }
        assert_small(worst, 1e-12, "det F_p");
        assert_true(least > 0.1);
        release(&f);
    }
}

/// A second return at the same state finds every tetrahedron on its yield surface.
static void a_return_ends_on_the_yield_surface(void **state) {
    (void)state;
    struct fixture f;
    struct random random = random_seed(4);
    make(&f, &material_neo_hookean);
    for (int n = 0; n < 50; n++) {
        cube_positions(&f.cube, &random, 0.05, f.x);
        assert_true(flow(&f) > 0.0);
        assert_true(flow(&f) == 0.0);
    }
    release(&f);
}

/// Inverted tetrahedra have no logarithmic strain, and keep their history until they are upright.
static void inverted_tetrahedra_do_not_flow(void **state) {
    (void)state;
    struct fixture f;
    make(&f, &material_stable_neo_hookean);
    for (size_t i = 0; i < 3 * f.cube.node_count; i++) {
        f.x[i] = i % 3 == 0 ? -1.5 * f.cube.rest[i] : f.cube.rest[i];
    }
    assert_true(flow(&f) == 0.0);
    for (size_t i = 0; i < 3 * f.cube.node_count; i++) {
        f.x[i] = i % 3 == 0 ? 0.0 : f.cube.rest[i];
    }
    assert_true(flow(&f) == 0.0);
    release(&f);
}

/// With plastic parts of their deformations, forces and Hessians are derivatives of the energy.
static void derivatives_see_the_elastic_part(void **state) {
    (void)state;
    for (const struct material_table *const *m = material_tables; *m != NULL; m++) {
        struct fixture f;
        struct random random = random_seed(5);
        make(&f, *m);
        for (int n = 0; n < 5; n++) {
            cube_positions(&f.cube, &random, 0.05, f.x);
            flow(&f);
        }
        struct cube_function function = {.cube = &f.cube, .term = &f.term};
        struct derivatives_function derivatives = cube_derivatives(&function);
        assert_small(derivatives_gradient_error(&derivatives, f.x, 1e-6), 1e-7, "gradient");
        assert_small(derivatives_hessian_error(&derivatives, f.x, 1e-6), 1e-7, "Hessian");
        release(&f);
    }
}

/// Histories that are written or restored have the bits of those that were read or saved, in the
/// energy too.
static void histories_come_back_to_the_bit(void **state) {
    (void)state;
    struct fixture f;
    struct random random = random_seed(6);
    make(&f, &material_fixed_corotated);
    cube_positions(&f.cube, &random, 0.05, f.x);
    flow(&f);
    read(&f);
    solid_plasticity_save(f.plasticity);
    const double before = energy(&f);
    double *x = calloc(f.cube.node_count, 3 * sizeof *x);
    assert_non_null(x);
    memcpy(x, f.x, 3 * f.cube.node_count * sizeof *x);
    for (int restores = 0; restores < 2; restores++) {
        cube_positions(&f.cube, &random, 0.05, f.x);
        assert_true(flow(&f) > 0.0);
        memcpy(f.x, x, 3 * f.cube.node_count * sizeof *x);
        assert_true(energy(&f) != before);
        if (restores) {
            solid_plasticity_restore(f.plasticity);
        } else {
            solid_plasticity_write(f.plasticity, 0, f.cube.tet_count, f.history);
        }
        assert_true(energy(&f) == before);
    }
    free(x);
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_keeps_the_volume),
        cmocka_unit_test(a_return_ends_on_the_yield_surface),
        cmocka_unit_test(inverted_tetrahedra_do_not_flow),
        cmocka_unit_test(derivatives_see_the_elastic_part),
        cmocka_unit_test(histories_come_back_to_the_bit),
    };
    return cmocka_run_group_tests_name("energy/solid_plasticity", tests, NULL, NULL);
}
