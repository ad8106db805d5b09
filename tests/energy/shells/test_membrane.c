// The membrane beside finite differences, plane stress, a dense projection and sampled steps.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/shells/membrane.h"
#include "energy/custom/project.h"
#include "energy/sheet_fixture.h"

/// Properties of up to 32 triangles, of order one and all different.
struct properties {
    double thickness[32], young[32], poisson[32], damping[32];
};

static void make_properties(struct properties *p) {
    struct random random = random_seed(3);
    random_fill(&random, 0.5, 2.0, p->thickness, 32);
    random_fill(&random, 1.0, 3.0, p->young, 32);
    random_fill(&random, 0.0, 0.5, p->poisson, 32);
    random_fill(&random, 0.0, 0.1, p->damping, 32);
}

static struct membrane_input input_of(const struct sheet *sheet, const struct properties *p) {
    return (struct membrane_input){.triangle_count = sheet->triangle_count,
                                   .triangles = sheet->triangles,
                                   .rest = sheet->rest,
                                   .thickness = p->thickness,
                                   .young = p->young,
                                   .poisson = p->poisson,
                                   .damping = p->damping};
}

static struct membrane *bind(struct sheet *sheet, const struct properties *p,
                             uint32_t domain_count) {
    const struct membrane_input input = input_of(sheet, p);
    struct membrane *membrane = NULL;
    assert_ok(membrane_create(&sheet->memory, &input, &membrane));
    sheet_assemble(sheet, membrane_term(membrane), domain_count);
    assert_ok(membrane_bind(membrane, &sheet->memory, &sheet->assembly.terms[0]));
    return membrane;
}

static void unbind(struct sheet *sheet, struct membrane *membrane) {
    membrane_destroy(membrane, &sheet->memory);
    sheet_free(sheet);
}

/// The triangle (0 0), (1 0), (0 1) of unit thickness: Dm is the identity, so that the rows of
/// nodes 1 and 2 of its Hessian are dP/dF over two.
static void make_unit_triangle(struct sheet *sheet, double young, double poisson,
                               struct membrane **membrane) {
    struct properties p = {.thickness = {1.0}, .young = {young}, .poisson = {poisson}};
    static const double rest[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    static const uint32_t nodes[3] = {0, 1, 2};
    *sheet = (struct sheet){.node_count = 3, .triangle_count = 1};
    memory_init(&sheet->memory, NULL);
    sheet->rest = memory_allocate(&sheet->memory, 9, sizeof(double));
    sheet->triangles = memory_allocate(&sheet->memory, 3, sizeof(uint32_t));
    memcpy(sheet->rest, rest, sizeof rest);
    memcpy(sheet->triangles, nodes, sizeof nodes);
    *membrane = bind(sheet, &p, 1);
}

/// Triangle positions with these columns of F.
static void place(const double f[6], double x[9]) {
    for (int i = 0; i < 3; i++) {
        x[i] = 0.25;
        x[3 + i] = x[i] + f[2 * i];
        x[6 + i] = x[i] + f[2 * i + 1];
    }
}

/// Derivatives of order one to three grow to about 100 beside triangles with J of about 0.2, so
/// differences of step 1e-3 leave (1e-3 / 0.2)^4 = 6e-10 and more of the fifth derivative.
static void derivatives_are_those_of_the_value(void **state) {
    (void)state;
    struct random random = random_seed(4);
    struct properties p;
    double x[48];
    make_properties(&p);
    for (uint32_t domain_count = 1; domain_count <= 5; domain_count += 2) {
        struct sheet sheet;
        sheet_make(&sheet, 3, 0.1);
        struct membrane *membrane = bind(&sheet, &p, domain_count);
        const struct derivatives_function function = sheet_function(&sheet);
        for (int trial = 0; trial < 4; trial++) {
            sheet_positions(&sheet, &random, 0.2, x);
            assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-8, "gradient");
            assert_small(derivatives_hessian_error(&function, x, 1e-3), 1e-7, "Hessian");
        }
        unbind(&sheet, membrane);
    }
}

/// What is asked for alone has the bits of what is asked for together, and values by node add to
/// the value.
static void parts_agree(void **state) {
    (void)state;
    struct random random = random_seed(5);
    struct properties p;
    struct sheet sheet;
    double x[75];
    double gradient[75];
    double node_values[25];
    make_properties(&p);
    sheet_make(&sheet, 4, 0.1);
    struct membrane *membrane = bind(&sheet, &p, 4);
    sheet_positions(&sheet, &random, 0.1, x);
    const double value = sheet_value(&sheet, x);
    sheet_gradient(&sheet, x, gradient);
    sheet.evaluation.what = EVALUATE_VALUE | EVALUATE_GRADIENT;
    sheet.result.node_values = node_values;
    terms_evaluate(NULL, &sheet.assembly, sheet.terms, 1, &sheet.evaluation, &sheet.result);
    assert_true(value == sheet.result.value);
    assert_same_bits(gradient, sheet.result.gradient, 75);
    double sum = 0.0;
    for (int i = 0; i < 25; i++) {
        sum += node_values[i];
    }
    assert_near(sum, value, 1e-14 * value, "sum of values by node");
    sheet.result.node_values = NULL;
    unbind(&sheet, membrane);
}

/// Rounding of about 30 terms of order one.
static void rigid_motions_change_nothing(void **state) {
    (void)state;
    struct random random = random_seed(6);
    struct properties p;
    double x[48];
    double moved[48];
    double gradient[48];
    double turned[48];
    make_properties(&p);
    struct sheet sheet;
    sheet_make(&sheet, 3, 0.1);
    struct membrane *membrane = bind(&sheet, &p, 2);
    assert_small(sheet_value(&sheet, sheet.rest), 1e-28, "value at rest");
    for (int trial = 0; trial < 20; trial++) {
        double rotation[9];
        const double shift[3] = {1.0, -2.0, 0.5};
        const double none[3] = {0};
        random_rotation(&random, rotation);
        sheet_positions(&sheet, &random, 0.1, x);
        sheet_move(&sheet, rotation, shift, x, moved);
        const double value = sheet_value(&sheet, x);
        assert_near(sheet_value(&sheet, moved), value, 1e-13 * value, "value");
        sheet_gradient(&sheet, x, gradient);
        sheet_move(&sheet, rotation, none, gradient, turned);
        sheet_gradient(&sheet, moved, gradient);
        assert_small(testing_max_difference(gradient, turned, 48), 1e-12, "gradient");
    }
    unbind(&sheet, membrane);
}

/// Plane stress: E / (2 (1 - nu^2)) (e0^2 + e1^2 + 2 nu e0 e1) + 2 G e01^2 a volume, with an error
/// of the order of the strain.
static void small_strain_is_plane_stress(void **state) {
    (void)state;
    struct random random = random_seed(7);
    const double size = 1e-6;
    for (int trial = 0; trial < 50; trial++) {
        struct sheet sheet;
        struct membrane *membrane = NULL;
        double e[3];
        double x[9];
        const double young = random_uniform(&random, 1.0, 5.0);
        const double poisson = random_uniform(&random, 0.0, 0.5);
        random_fill(&random, -1.0, 1.0, e, 3);
        make_unit_triangle(&sheet, young, poisson, &membrane);
        const double f[6] = {1.0 + size * e[0], size * e[2], size * e[2], 1.0 + size * e[1], 0, 0};
        place(f, x);
        const double bulk = young / (2.0 * (1.0 - poisson * poisson)) *
                            (e[0] * e[0] + e[1] * e[1] + 2.0 * poisson * e[0] * e[1]);
        const double shear = young / (1.0 + poisson) * e[2] * e[2];
        const double expected = 0.5 * (bulk + shear);
        assert_near(sheet_value(&sheet, x) / (size * size), expected, 20.0 * size * young,
                    "energy of a small strain");
        unbind(&sheet, membrane);
    }
}

static void extract(const double hessian[81], double out[36]) {
    for (int k = 0; k < 36; k++) {
        out[k] = hessian[9 * (3 + k / 6) + 3 + k % 6];
    }
}

/// The six clamped eigenpairs give the nearest semidefinite matrix to dP/dF, from strong
/// compression to strong stretch; rounding grows with the square of the ratio of the stretches.
static void projection_is_that_of_the_whole_matrix(void **state) {
    (void)state;
    struct random random = random_seed(8);
    int indefinite = 0;
    for (int trial = 0; trial < 4000; trial++) {
        struct sheet sheet;
        struct membrane *membrane = NULL;
        double f[9];
        double x[9];
        double hessian[81];
        double exact[36];
        double clamped[36];
        const double stretch[3] = {exp(random_uniform(&random, -2.0, 2.0)),
                                   exp(random_uniform(&random, -2.0, 2.0)), 1.0};
        random_stretched(&random, stretch, f);
        if (trial % 4 == 0) {
            for (int k = 0; k < 9; k++) {
                f[k] = random_uniform(&random, -1.0, 1.0);
            }
        }
        const double columns[6] = {f[0], f[1], f[3], f[4], f[6], f[7]};
        make_unit_triangle(&sheet, 1.0, random_uniform(&random, 0.0, 0.5), &membrane);
        place(columns, x);
        sheet_hessian(&sheet, x, hessian);
        extract(hessian, exact);
        indefinite += !project_is_semidefinite(6, exact);
        project_symmetric(6, exact);
        sheet.evaluation.project = true;
        sheet_hessian(&sheet, x, hessian);
        extract(hessian, clamped);
        assert_true(project_is_semidefinite(9, hessian));
        double size = 0.0;
        for (int k = 0; k < 36; k++) {
            size = fmax(size, fabs(exact[k]));
        }
        assert_small(testing_max_difference(exact, clamped, 36) / size, 1e-10, "projection");
        unbind(&sheet, membrane);
    }
    assert_true(indefinite > 1000);
}

/// Equal stretches (any axes will do), uniaxial ones along the axes, and hardly any area left.
static void projection_of_special_states(void **state) {
    (void)state;
    static const double states[][6] = {{1, 0, 0, 1, 0, 0},       {0.5, 0, 0, 0.5, 0, 0},
                                       {3, 0, 0, 3, 0, 0},       {0, 0, 2, 0, 0, 2},
                                       {0.2, 0, 0, 1, 0, 0},     {1, 0, 0, 0.2, 0, 0},
                                       {1, 1, 0, 1e-6, 0, 0},    {1, 1, 0, 0, 0, 1e-9},
                                       {1e-8, 0, 0, 1e-8, 0, 0}, {1, 1, 0, 0, 0, 0}};
    for (size_t k = 0; k < COUNT_OF(states); k++) {
        struct sheet sheet;
        struct membrane *membrane = NULL;
        double x[9];
        double hessian[81];
        make_unit_triangle(&sheet, 1.0, 0.3, &membrane);
        place(states[k], x);
        sheet.evaluation.project = true;
        sheet_hessian(&sheet, x, hessian);
        assert_true(project_is_semidefinite(9, hessian));
        unbind(&sheet, membrane);
    }
}

/// The Hessian of triangles each times its damping time: of one time for all it is that time times
/// the Hessian, and triangles without damping add nothing.
static void damping_weighs_each_triangle(void **state) {
    (void)state;
    struct random random = random_seed(9);
    struct properties p;
    double x[27];
    double all[729];
    double sum[729] = {0};
    double hessian[729];
    make_properties(&p);
    for (size_t t = 0; t <= 8; t++) {
        struct sheet sheet;
        struct properties one = p;
        for (size_t k = 0; k < 8 && t < 8; k++) {
            one.damping[k] = k == t ? p.damping[k] : 0.0;
        }
        sheet_make(&sheet, 2, 0.1);
        struct membrane *membrane = bind(&sheet, &one, 2);
        sheet.evaluation = (struct evaluation){.project = true, .damping_weights = true};
        if (t == 0) {
            sheet_positions(&sheet, &random, 0.1, x);
        }
        sheet_hessian(&sheet, x, hessian);
        for (size_t k = 0; k < 729; k++) {
            sum[k] += t < 8 ? hessian[k] : 0.0;
            all[k] = hessian[k];
        }
        unbind(&sheet, membrane);
    }
    assert_small(testing_max_difference(all, sum, 729), 1e-14, "sum of damped triangles");
    assert_true(fabs(all[0]) > 1e-3);
}

static void degenerate_triangles_are_not_admissible(void **state) {
    (void)state;
    static const double states[][6] = {{1, 2, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0}};
    for (size_t k = 0; k < COUNT_OF(states); k++) {
        struct sheet sheet;
        struct membrane *membrane = NULL;
        double x[9];
        make_unit_triangle(&sheet, 1.0, 0.3, &membrane);
        place(states[k], x);
        assert_true(sheet_value(&sheet, x) == INFINITY);
        unbind(&sheet, membrane);
    }
}

static double smallest_area(const struct sheet *sheet, const double *x, const double *direction,
                            double t) {
    double smallest = INFINITY;
    for (size_t e = 0; e < sheet->triangle_count; e++) {
        double edge[2][3];
        double normal[3];
        for (size_t k = 0; k < 6; k++) {
            const size_t a = 3 * (size_t)sheet->triangles[3 * e + k / 3 + 1] + k % 3;
            const size_t o = 3 * (size_t)sheet->triangles[3 * e] + k % 3;
            edge[k / 3][k % 3] = x[a] + t * direction[a] - (x[o] + t * direction[o]);
        }
        cross3(edge[0], edge[1], normal);
        smallest = fmin(smallest, 0.5 * norm3(normal));
    }
    return smallest;
}

/// Area with the sign that the triangle's side has at t = 0, of motions in the plane z = 0.
static double smallest_signed_area(const struct sheet *sheet, const double *x,
                                   const double *direction, double t) {
    double smallest = INFINITY;
    for (size_t e = 0; e < sheet->triangle_count; e++) {
        double c[3][2];
        for (size_t k = 0; k < 6; k++) {
            const size_t a = 3 * (size_t)sheet->triangles[3 * e + k / 2] + k % 2;
            c[k / 2][k % 2] = x[a] + t * direction[a];
        }
        smallest = fmin(smallest, (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) -
                                      (c[1][1] - c[0][1]) * (c[2][0] - c[0][0]));
    }
    return smallest;
}

static double bound_by_samples(const struct sheet *sheet, const double *x, const double *direction,
                               double limit) {
    for (int k = 1; k <= 1000; k++) {
        double high = limit * k / 1000.0;
        double low = limit * (k - 1) / 1000.0;
        if (smallest_signed_area(sheet, x, direction, high) > 0.0) {
            continue;
        }
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            *(smallest_signed_area(sheet, x, direction, middle) > 0.0 ? &low : &high) = middle;
        }
        return low;
    }
    return limit;
}

/// Motions in a plane, which is then turned in space: areas change sign, so that sampling finds the
/// bound. The minimum of the squared area is known to rounding of its derivative.
static void steps_end_where_an_area_vanishes(void **state) {
    (void)state;
    struct random random = random_seed(10);
    struct properties p;
    int bounded = 0;
    make_properties(&p);
    for (int trial = 0; trial < 100; trial++) {
        struct sheet sheet;
        double x[27];
        double direction[27];
        double rotation[9];
        double turned[54];
        const double none[3] = {0};
        const double limit = trial % 3 == 0 ? 0.2 : 2.0;
        sheet_make(&sheet, 2, 0.0);
        struct membrane *membrane = bind(&sheet, &p, 2);
        sheet_positions(&sheet, &random, 0.2, x);
        random_fill(&random, -1.0, 1.0, direction, 27);
        for (size_t i = 2; i < 27; i += 3) {
            x[i] = 0.0;
            direction[i] = 0.0;
        }
        const double expected = bound_by_samples(&sheet, x, direction, limit);
        random_rotation(&random, rotation);
        sheet_move(&sheet, rotation, none, x, turned);
        sheet_move(&sheet, rotation, none, direction, turned + 27);
        const double step = terms_max_step(NULL, &sheet.assembly, sheet.terms, 1, turned,
                                           turned + 27, limit, &sheet.scratch);
        assert_near(step, expected, 1e-10, "largest step");
        bounded += step < limit;
        unbind(&sheet, membrane);
    }
    assert_true(bounded > 40);
}

/// Directions with known answers: collapse along one axis at 1/2, to a point at 1 (where all
/// derivatives vanish), and none.
static void steps_of_special_directions(void **state) {
    (void)state;
    static const struct {
        double scale[3], shift, expected, tolerance;
    } cases[] = {{{-2.0, 0.0, 0.0}, 0.0, 0.5, 1e-15}, {{-1.0, -1.0, 0.0}, 0.0, 1.0, 2e-5},
                 {{0.0, 0.0, 0.0}, 1.0, 3.0, 0.0},    {{1.0, 2.0, 0.0}, 0.0, 3.0, 0.0},
                 {{0.0, 0.0, 0.0}, 0.0, 3.0, 0.0},    {{-0.25, 0.0, 0.0}, 0.0, 3.0, 0.0},
                 {{-1.0, -0.5, 0.0}, 2.0, 1.0, 1e-15}};
    struct properties p;
    struct sheet sheet;
    double direction[27];
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    struct membrane *membrane = bind(&sheet, &p, 1);
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        for (size_t i = 0; i < 27; i++) {
            direction[i] = cases[k].scale[i % 3] * sheet.rest[i] + cases[k].shift;
        }
        const double step = terms_max_step(NULL, &sheet.assembly, sheet.terms, 1, sheet.rest,
                                           direction, 3.0, &sheet.scratch);
        assert_near(step, cases[k].expected, cases[k].tolerance, "largest step");
        assert_true(step <= 3.0 && step > 0.0);
    }
    unbind(&sheet, membrane);
}

/// In space two conditions more would have to hold: nothing bounds the step, and no area vanishes.
static void motions_in_space_have_no_bound(void **state) {
    (void)state;
    struct random random = random_seed(11);
    struct properties p;
    struct sheet sheet;
    double x[27];
    double direction[27];
    make_properties(&p);
    sheet_make(&sheet, 2, 0.1);
    struct membrane *membrane = bind(&sheet, &p, 1);
    for (int trial = 0; trial < 300; trial++) {
        sheet_positions(&sheet, &random, 0.2, x);
        random_fill(&random, -1.0, 1.0, direction, 27);
        const double step = terms_max_step(NULL, &sheet.assembly, sheet.terms, 1, x, direction,
                                           INFINITY, &sheet.scratch);
        assert_true(step == INFINITY);
        for (int k = 0; k <= 1000; k++) {
            assert_true(smallest_area(&sheet, x, direction, 0.003 * k) > 1e-9);
        }
    }
    unbind(&sheet, membrane);
}

static void refuses_a_rest_triangle_without_area(void **state) {
    (void)state;
    struct properties p;
    struct sheet sheet;
    struct membrane *membrane = NULL;
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    sheet.triangles[3 * 5 + 1] = sheet.triangles[3 * 5];
    const struct membrane_input input = input_of(&sheet, &p);
    assert_status(membrane_create(&sheet.memory, &input, &membrane), PBS_ERROR_MESH);
    assert_message("triangle 5");
    assert_null(membrane);
    sheet_free(&sheet);
}

static pbs_status create_any(struct memory *memory, const void *input, void **out) {
    struct membrane *membrane = NULL;
    const pbs_status status = membrane_create(memory, input, &membrane);
    *out = membrane;
    return status;
}

static pbs_status bind_any(void *term, struct memory *memory, const struct stencil_groups *groups) {
    return membrane_bind(term, memory, groups);
}

static void destroy_any(void *term, struct memory *memory) {
    membrane_destroy(term, memory);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const struct sheet_maker maker = {create_any, bind_any, destroy_any};
    struct properties p;
    struct sheet sheet;
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    struct membrane *bound = bind(&sheet, &p, 1);
    const struct membrane_input input = input_of(&sheet, &p);
    sheet_assert_allocations_may_fail(&sheet, &maker, &input, 8);
    unbind(&sheet, bound);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(parts_agree),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(small_strain_is_plane_stress),
        cmocka_unit_test(projection_is_that_of_the_whole_matrix),
        cmocka_unit_test(projection_of_special_states),
        cmocka_unit_test(damping_weighs_each_triangle),
        cmocka_unit_test(degenerate_triangles_are_not_admissible),
        cmocka_unit_test(steps_end_where_an_area_vanishes),
        cmocka_unit_test(steps_of_special_directions),
        cmocka_unit_test(motions_in_space_have_no_bound),
        cmocka_unit_test(refuses_a_rest_triangle_without_area),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
