// The limit of stretch beside its formula, finite differences, a dense eigenvalue test and bisected
// steps.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/custom/project.h"
#include "energy/shells/membrane.h"
#include "energy/shells/stretch_limit.h"
#include "energy/sheet_fixture.h"

/// Properties of up to 32 triangles.
struct properties {
    double thickness[32], modulus[32], limit[32];
};

static struct stretch_limit_input input_of(const struct sheet *sheet, const struct properties *p) {
    return (struct stretch_limit_input){.triangle_count = sheet->triangle_count,
                                        .triangles = sheet->triangles,
                                        .rest = sheet->rest,
                                        .thickness = p->thickness,
                                        .modulus = p->modulus,
                                        .limit = p->limit};
}

static struct stretch_limit *bind(struct sheet *sheet, const struct properties *p,
                                  uint32_t domain_count) {
    const struct stretch_limit_input input = input_of(sheet, p);
    struct stretch_limit *limits = NULL;
    assert_ok(stretch_limit_create(&sheet->memory, &input, &limits));
    sheet_assemble(sheet, stretch_limit_term(limits), domain_count);
    assert_ok(stretch_limit_bind(limits, &sheet->memory, &sheet->assembly.terms[0]));
    return limits;
}

static void unbind(struct sheet *sheet, struct stretch_limit *limits) {
    stretch_limit_destroy(limits, &sheet->memory);
    sheet_free(sheet);
}

// --- one triangle ---

static const double LIMIT = 1.5, WIDTH = 0.25;

/// The triangle (0 0), (1 0), (0 1) of unit thickness: F has its edges as columns.
static void make_unit_triangle(struct sheet *sheet, double modulus, struct stretch_limit **limits) {
    const struct properties p = {.thickness = {1.0}, .modulus = {modulus}, .limit = {LIMIT}};
    static const double rest[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    static const uint32_t nodes[3] = {0, 1, 2};
    *sheet = (struct sheet){.node_count = 3, .triangle_count = 1};
    memory_init(&sheet->memory, NULL);
    sheet->rest = memory_allocate(&sheet->memory, 9, sizeof(double));
    sheet->triangles = memory_allocate(&sheet->memory, 3, sizeof(uint32_t));
    memcpy(sheet->rest, rest, sizeof rest);
    memcpy(sheet->triangles, nodes, sizeof nodes);
    *limits = bind(sheet, &p, 1);
}

/// Positions of the unit triangle with these singular values, turned in its plane and in space.
static void stretch(struct random *random, double s0, double s1, double x[9]) {
    double u[9];
    const double angle = random_uniform(random, 0.0, 6.3);
    const double c = cos(angle), s = sin(angle);
    random_rotation(random, u);
    for (int i = 0; i < 3; i++) {
        x[i] = 0.25;
        x[3 + i] = x[i] + u[3 * i] * s0 * c - u[3 * i + 1] * s1 * s;
        x[6 + i] = x[i] + u[3 * i] * s0 * s + u[3 * i + 1] * s1 * c;
    }
}

/// The energy of one singular value per volume and modulus, as the header has it.
static double barrier(double s) {
    const double u = (s - LIMIT + WIDTH) / WIDTH;
    return u > 0.0 ? -WIDTH * u * u * log(1.0 - u) : 0.0;
}

static double barrier_slope(double s) {
    const double u = (s - LIMIT + WIDTH) / WIDTH;
    return u > 0.0 ? u * u / (1.0 - u) - 2.0 * u * log(1.0 - u) : 0.0;
}

static double barrier_curvature(double s) {
    const double u = (s - LIMIT + WIDTH) / WIDTH;
    const double ratio = u / (1.0 - u);
    return u > 0.0 ? (ratio * ratio + 4.0 * ratio - 2.0 * log(1.0 - u)) / WIDTH : 0.0;
}

/// The area of the triangle is 1/2. Positions are known to rounding, which the slope multiplies.
static void value_is_that_of_the_formula(void **state) {
    (void)state;
    struct random random = random_seed(1);
    struct sheet sheet;
    struct stretch_limit *limits = NULL;
    make_unit_triangle(&sheet, 3.0, &limits);
    for (int trial = 0; trial < 2000; trial++) {
        double x[9];
        const double s0 = random_uniform(&random, 0.5, LIMIT);
        const double s1 = random_uniform(&random, 0.01, s0);
        stretch(&random, s0, s1, x);
        assert_near(sheet_value(&sheet, x), 1.5 * (barrier(s0) + barrier(s1)),
                    1e-14 * (1.0 + barrier_slope(s0)), "value");
    }
    unbind(&sheet, limits);
}

/// Stretches beside each other, at the beginning of the barrier, and close to the limit. Steps of
/// the differences are a thousandth of the distance to where a derivative jumps or is infinite, and
/// moduli such that the larger derivative is of order one. What is left is rounding of positions,
/// 1e-16 over a step of 1e-7 or more, and the step's fourth power.
static void derivatives_of_near_and_extreme_stretches(void **state) {
    (void)state;
    static const double begin = 1.25;
    static const double cases[][2] = {{1.4, 1.3},
                                      {1.4, 0.9},
                                      {1.4, 1.4},
                                      {1.4, 1.4 - 1e-12},
                                      {1.4, 1.4 - 1e-9},
                                      {1.4, 1.4 - 1e-6},
                                      {1.4, 1.4 - 1e-3},
                                      {1.26, 1.0},
                                      {begin + 1e-3, 0.3},
                                      {begin + 1e-3, begin + 1e-3},
                                      {begin + 1e-3, begin - 1e-3},
                                      {LIMIT - 1e-3, 1.0},
                                      {LIMIT - 1e-3, LIMIT - 1e-3},
                                      {LIMIT - 1e-4, LIMIT - 1e-4 - 1e-10},
                                      {LIMIT - 1e-4, 1.3},
                                      {LIMIT - 1e-4, 0.1}};
    struct random random = random_seed(2);
    for (size_t k = 0; k < 4 * COUNT_OF(cases); k++) {
        struct sheet sheet;
        struct stretch_limit *limits = NULL;
        double x[9];
        const double *s = cases[k / 4];
        const double distance = fmin(fmin(s[0] - begin, fabs(s[1] - begin)),
                                     fmin(LIMIT - s[0], 0.1));
        stretch(&random, s[0], s[1], x);
        make_unit_triangle(&sheet, 1.0 / barrier_slope(s[0]), &limits);
        struct derivatives_function function = sheet_function(&sheet);
        assert_small(derivatives_gradient_error(&function, x, 1e-3 * distance), 1e-8, "gradient");
        unbind(&sheet, limits);
        make_unit_triangle(&sheet, 1.0 / barrier_curvature(s[0]), &limits);
        function = sheet_function(&sheet);
        assert_small(derivatives_hessian_error(&function, x, 1e-3 * distance), 1e-7, "Hessian");
        unbind(&sheet, limits);
    }
}

/// A function of a stretch that grows and is convex is convex in F, so that nothing is to be
/// projected, and nothing is.
static void hessians_are_semidefinite_as_they_are(void **state) {
    (void)state;
    struct random random = random_seed(3);
    struct sheet sheet;
    struct stretch_limit *limits = NULL;
    int begun = 0;
    make_unit_triangle(&sheet, 1.0, &limits);
    for (int trial = 0; trial < 4000; trial++) {
        double x[9];
        double exact[81];
        double projected[81];
        const double s0 = LIMIT - exp(random_uniform(&random, -16.0, 0.0));
        const double s1 = trial % 4 == 0 ? s0 - exp(random_uniform(&random, -30.0, -5.0))
                                         : random_uniform(&random, 1e-6, s0);
        stretch(&random, s0, s1, x);
        sheet.evaluation.project = false;
        sheet_hessian(&sheet, x, exact);
        assert_true(project_is_semidefinite(9, exact));
        sheet.evaluation.project = true;
        sheet_hessian(&sheet, x, projected);
        assert_same_bits(exact, projected, 81);
        begun += exact[0] + exact[4] + exact[8] > 0.0;
    }
    assert_true(begun > 2000);
    unbind(&sheet, limits);
}

static void what_has_reached_its_limit_is_not_admissible(void **state) {
    (void)state;
    static const double stretches[][2] = {{1.5, 1.0}, {1.6, 1.55}, {100.0, 0.01}, {1.500001, 0.0}};
    struct random random = random_seed(4);
    struct sheet sheet;
    struct stretch_limit *limits = NULL;
    make_unit_triangle(&sheet, 1.0, &limits);
    for (size_t k = 0; k < COUNT_OF(stretches); k++) {
        // Turned along with the axes, where 1.5 is not rounded below itself.
        double x[9] = {0.0, 0.0, 0.0, stretches[k][0], 0.0, 0.0, 0.0, stretches[k][1], 0.0};
        assert_true(sheet_value(&sheet, x) == INFINITY);
        if (stretches[k][0] > 1.5) {
            stretch(&random, stretches[k][0], stretches[k][1], x);
            assert_true(sheet_value(&sheet, x) == INFINITY);
        }
    }
    unbind(&sheet, limits);
}

/// A triangle drawn to a line below its limit has finite derivatives.
static void flat_triangles_have_finite_derivatives(void **state) {
    (void)state;
    static const double states[][9] = {{0, 0, 0, 1.4, 0, 0, 0, 0, 0},
                                       {0, 0, 0, 1.0, 0, 0, 0.9, 0, 0},
                                       {0, 0, 0, 0, 0, 0, 0, 0, 0}};
    struct sheet sheet;
    struct stretch_limit *limits = NULL;
    make_unit_triangle(&sheet, 1.0, &limits);
    for (size_t k = 0; k < COUNT_OF(states); k++) {
        double gradient[9], hessian[81];
        assert_true(isfinite(sheet_value(&sheet, states[k])));
        sheet_gradient(&sheet, states[k], gradient);
        sheet_hessian(&sheet, states[k], hessian);
        for (int i = 0; i < 81; i++) {
            assert_true(isfinite(hessian[i]) && isfinite(gradient[i / 9]));
        }
    }
    unbind(&sheet, limits);
}

/// What the world asks of one triangle: stretches, and the stress of each.
static void measures_agree_with_the_term(void **state) {
    (void)state;
    struct random random = random_seed(5);
    for (int trial = 0; trial < 1000; trial++) {
        double x[9], f[6], s[2], axis[2];
        const double s0 = random_uniform(&random, 0.5, 1.499);
        const double s1 = trial % 10 == 0 ? s0 : random_uniform(&random, 0.01, s0);
        stretch(&random, s0, s1, x);
        for (int i = 0; i < 6; i++) {
            f[i] = x[3 + i] - x[i % 3];
        }
        stretch_limit_measure(f, s, axis);
        assert_near(s[0], s0, 1e-14, "larger stretch");
        assert_near(s[1], s1, 1e-14, "smaller stretch");
        for (int k = 0; k < 2; k++) {
            const double v[2] = {k == 0 ? axis[0] : -axis[1], k == 0 ? axis[1] : axis[0]};
            double along[3];
            for (int i = 0; i < 3; i++) {
                along[i] = f[i] * v[0] + f[3 + i] * v[1];
            }
            assert_near(norm3(along), s[k], 1e-13, "stretch along its axis");
        }
        assert_near(stretch_limit_stress(2.0, LIMIT, s0), 2.0 * barrier_slope(s0),
                    1e-12 * (1.0 + barrier_slope(s0)), "stress");
    }
}

// --- sheets ---

/// Thickness and modulus of order one, limits from 1.5 to 1.8, all different.
static void make_properties(struct properties *p) {
    struct random random = random_seed(6);
    random_fill(&random, 0.5, 2.0, p->thickness, 32);
    random_fill(&random, 1.0, 3.0, p->modulus, 32);
    random_fill(&random, 1.5, 1.8, p->limit, 32);
}

/// Positions where some triangles are below their barriers and some in them.
static void stretched_positions(const struct sheet *sheet, struct random *random, double *x) {
    sheet_positions(sheet, random, 0.02, x);
    for (size_t i = 0; i < 3 * sheet->node_count; i++) {
        x[i] *= 1.35;
    }
}

static void derivatives_of_sheets(void **state) {
    (void)state;
    struct random random = random_seed(7);
    struct properties p;
    double x[48];
    make_properties(&p);
    for (uint32_t domain_count = 1; domain_count <= 5; domain_count += 2) {
        struct sheet sheet;
        sheet_make(&sheet, 3, 0.1);
        struct stretch_limit *limits = bind(&sheet, &p, domain_count);
        const struct derivatives_function function = sheet_function(&sheet);
        for (int trial = 0; trial < 4; trial++) {
            stretched_positions(&sheet, &random, x);
            const double value = sheet_value(&sheet, x);
            assert_true(value > 1e-3 && isfinite(value));
            // The third derivative jumps where a barrier begins, hence the small step.
            assert_small(derivatives_gradient_error(&function, x, 1e-4), 1e-8, "gradient");
            assert_small(derivatives_hessian_error(&function, x, 1e-5), 1e-7, "Hessian");
        }
        unbind(&sheet, limits);
    }
}

/// What is asked for alone has the bits of what is asked for together, and values by node add to
/// the value.
static void parts_agree(void **state) {
    (void)state;
    struct random random = random_seed(8);
    struct properties p;
    struct sheet sheet;
    double x[75], gradient[75], node_values[25];
    make_properties(&p);
    sheet_make(&sheet, 4, 0.1);
    struct stretch_limit *limits = bind(&sheet, &p, 4);
    stretched_positions(&sheet, &random, x);
    const double value = sheet_value(&sheet, x);
    sheet_gradient(&sheet, x, gradient);
    sheet.evaluation.what = EVALUATE_VALUE | EVALUATE_GRADIENT;
    sheet.result.node_values = node_values;
    terms_evaluate(NULL, &sheet.assembly, sheet.terms, 1, &sheet.evaluation, &sheet.result);
    assert_true(value > 0.0 && value == sheet.result.value);
    assert_same_bits(gradient, sheet.result.gradient, 75);
    double sum = 0.0;
    for (int i = 0; i < 25; i++) {
        sum += node_values[i];
    }
    assert_near(sum, value, 1e-14 * value, "sum of values by node");
    sheet.result.node_values = NULL;
    unbind(&sheet, limits);
}

/// Values that are set are those that a term is made with, to the bit.
static void values_that_are_set(void **state) {
    (void)state;
    struct random random = random_seed(9);
    struct properties p, other;
    struct sheet sheet, made;
    double x[48], gradient[48], expected[48];
    make_properties(&p);
    other = p;
    for (int t = 0; t < 18; t++) {
        other.thickness[t] *= 2.0;
        other.modulus[t] *= 3.0;
        other.limit[t] += 0.01;
    }
    sheet_make(&sheet, 3, 0.1);
    sheet_make(&made, 3, 0.1);
    struct stretch_limit *limits = bind(&sheet, &p, 2);
    struct stretch_limit *expected_limits = bind(&made, &other, 2);
    for (size_t t = 0; t < 18; t++) {
        double rows[4];
        const double area = membrane_rest_gradients(sheet.rest, sheet.triangles + 3 * t, rows);
        stretch_limit_set_values(limits, &sheet.assembly.terms[0], t, other.thickness[t] * area,
                                 other.modulus[t], other.limit[t]);
    }
    stretched_positions(&sheet, &random, x);
    assert_true(sheet_value(&sheet, x) == sheet_value(&made, x));
    sheet_gradient(&sheet, x, gradient);
    sheet_gradient(&made, x, expected);
    assert_same_bits(gradient, expected, 48);
    // Bound again, they stay.
    assert_ok(stretch_limit_bind(limits, &sheet.memory, &sheet.assembly.terms[0]));
    assert_true(sheet_value(&sheet, x) == sheet_value(&made, x));
    unbind(&sheet, limits);
    unbind(&made, expected_limits);
}

// --- steps ---

/// The largest ratio of a stretch to its limit, t along the direction.
static double worst(const struct sheet *sheet, const struct properties *p, const double *x,
                    const double *direction, double t) {
    double result = 0.0;
    for (size_t e = 0; e < sheet->triangle_count; e++) {
        const uint32_t *node = sheet->triangles + 3 * e;
        double rows[4], f[6], s[2], axis[2], edge[2][3];
        membrane_rest_gradients(sheet->rest, node, rows);
        for (size_t k = 0; k < 6; k++) {
            const size_t a = 3 * (size_t)node[k / 3 + 1] + k % 3, o = 3 * (size_t)node[0] + k % 3;
            edge[k / 3][k % 3] = x[a] + t * direction[a] - (x[o] + t * direction[o]);
        }
        for (int k = 0; k < 6; k++) {
            f[k] = edge[0][k % 3] * rows[k / 3] + edge[1][k % 3] * rows[2 + k / 3];
        }
        stretch_limit_measure(f, s, axis);
        result = fmax(result, s[0] / p->limit[e]);
    }
    return result;
}

/// Convexity makes bisection find the only crossing.
static double bound_by_bisection(const struct sheet *sheet, const struct properties *p,
                                 const double *x, const double *direction, double limit) {
    double low = 0.0, high = limit;
    if (worst(sheet, p, x, direction, high) < 1.0) {
        return limit;
    }
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        *(worst(sheet, p, x, direction, middle) < 1.0 ? &low : &high) = middle;
    }
    return low;
}

static double max_step(struct sheet *sheet, const double *x, const double *direction,
                       double limit) {
    return terms_max_step(NULL, &sheet->assembly, sheet->terms, 1, x, direction, limit,
                          &sheet->scratch);
}

/// A bound is at most the step at which a limit is reached, and less than that by 2e-9 of it at
/// most, at any speed of the motion and however close to its limit it starts.
static void steps_end_where_a_limit_is_reached(void **state) {
    (void)state;
    struct random random = random_seed(10);
    struct properties p;
    int bounded = 0;
    make_properties(&p);
    for (int trial = 0; trial < 600; trial++) {
        struct sheet sheet;
        double x[27], direction[27], rest[27] = {0.0};
        const double limit = trial % 3 == 0 ? 0.05 : trial % 3 == 1 ? 2.0 : 1e9;
        const double speed = exp(random_uniform(&random, -8.0, 8.0));
        sheet_make(&sheet, 2, 0.1);
        struct stretch_limit *limits = bind(&sheet, &p, 1 + (uint32_t)trial % 2);
        sheet_positions(&sheet, &random, 0.2, x);
        // Scaled to any distance from the nearest limit.
        const double closeness = 1.0 - exp(random_uniform(&random, -10.0, -0.5));
        const double now = worst(&sheet, &p, x, rest, 0.0);
        for (int i = 0; i < 27; i++) {
            x[i] *= closeness / now;
            direction[i] = speed * (trial % 5 == 0 ? -x[i] : random_uniform(&random, -1.0, 1.0));
        }
        const double expected = bound_by_bisection(&sheet, &p, x, direction, limit);
        const double step = max_step(&sheet, x, direction, limit);
        // How close it starts magnifies rounding.
        assert_true(step > 0.0 && step <= expected * (1.0 + 1e-10));
        assert_near(step, expected, 2e-9 * expected, "largest step");
        for (int i = 0; i < 27; i++) {
            x[i] += (1.0 - 1e-9) * step * direction[i];
        }
        assert_true(isfinite(sheet_value(&sheet, x)));
        bounded += step < limit;
        unbind(&sheet, limits);
    }
    assert_true(bounded > 300);
}

/// Translations and contraction to a point, beyond which the sheet turns inside out and reaches its
/// limits on the other side: at 1 + the limits over the stretch. A rotation's velocity stretches to
/// second order.
static void steps_of_special_directions(void **state) {
    (void)state;
    struct properties p;
    struct sheet sheet;
    double direction[27];
    make_properties(&p);
    for (int t = 0; t < 32; t++) {
        p.limit[t] = 1.25;
    }
    sheet_make(&sheet, 2, 0.0);
    struct stretch_limit *limits = bind(&sheet, &p, 1);
    for (int i = 0; i < 27; i++) {
        direction[i] = 1.0;
    }
    assert_true(max_step(&sheet, sheet.rest, direction, INFINITY) == INFINITY);
    assert_true(max_step(&sheet, sheet.rest, direction, 3.0) == 3.0);
    for (int i = 0; i < 27; i++) {
        direction[i] = -sheet.rest[i];
    }
    assert_true(max_step(&sheet, sheet.rest, direction, 2.0) == 2.0);
    assert_near(max_step(&sheet, sheet.rest, direction, INFINITY), 2.25, 3e-9, "turned inside out");
    for (int i = 0; i < 27; i += 3) {
        direction[i] = -sheet.rest[i + 1];
        direction[i + 1] = sheet.rest[i];
        direction[i + 2] = 0.0;
    }
    assert_near(max_step(&sheet, sheet.rest, direction, INFINITY), 0.75, 1e-9, "turned");
    unbind(&sheet, limits);
}

static void refuses_a_rest_triangle_without_area(void **state) {
    (void)state;
    struct properties p;
    struct sheet sheet;
    struct stretch_limit *limits = NULL;
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    sheet.triangles[3 * 5 + 1] = sheet.triangles[3 * 5];
    const struct stretch_limit_input input = input_of(&sheet, &p);
    assert_status(stretch_limit_create(&sheet.memory, &input, &limits), PBS_ERROR_MESH);
    assert_message("triangle 5");
    assert_null(limits);
    sheet_free(&sheet);
}

static pbs_status create_any(struct memory *memory, const void *input, void **out) {
    struct stretch_limit *limits = NULL;
    const pbs_status status = stretch_limit_create(memory, input, &limits);
    *out = limits;
    return status;
}

static pbs_status bind_any(void *term, struct memory *memory, const struct stencil_groups *groups) {
    return stretch_limit_bind(term, memory, groups);
}

static void destroy_any(void *term, struct memory *memory) {
    stretch_limit_destroy(term, memory);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const struct sheet_maker maker = {create_any, bind_any, destroy_any};
    struct properties p;
    struct sheet sheet;
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    struct stretch_limit *bound = bind(&sheet, &p, 1);
    const struct stretch_limit_input input = input_of(&sheet, &p);
    sheet_assert_allocations_may_fail(&sheet, &maker, &input, 7);
    unbind(&sheet, bound);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_is_that_of_the_formula),
        cmocka_unit_test(derivatives_of_near_and_extreme_stretches),
        cmocka_unit_test(hessians_are_semidefinite_as_they_are),
        cmocka_unit_test(what_has_reached_its_limit_is_not_admissible),
        cmocka_unit_test(flat_triangles_have_finite_derivatives),
        cmocka_unit_test(measures_agree_with_the_term),
        cmocka_unit_test(derivatives_of_sheets),
        cmocka_unit_test(parts_agree),
        cmocka_unit_test(values_that_are_set),
        cmocka_unit_test(steps_end_where_a_limit_is_reached),
        cmocka_unit_test(steps_of_special_directions),
        cmocka_unit_test(refuses_a_rest_triangle_without_area),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
