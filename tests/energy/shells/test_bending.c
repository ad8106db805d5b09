// Hinges beside reference angles, finite differences, and the plate that they stand for.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/shells/bending.h"
#include "energy/custom/project.h"
#include "energy/sheet_fixture.h"

static const double PI = 3.14159265358979323846;

/// Properties of up to 48 hinges, of order one and all different.
struct properties {
    double rigidity[48], damping[48];
    double rest_angles[48];
};

static void make_properties(struct properties *p) {
    struct random random = random_seed(3);
    random_fill(&random, 0.5, 2.0, p->rigidity, 48);
    random_fill(&random, 0.0, 0.1, p->damping, 48);
    for (size_t h = 0; h < COUNT_OF(p->rest_angles); h++) {
        p->rest_angles[h] = NAN;
    }
}

static struct bending_input input_of(const struct sheet *sheet, const struct properties *p) {
    return (struct bending_input){.hinge_count = sheet->hinge_count,
                                  .hinges = sheet->hinges,
                                  .rest = sheet->rest,
                                  .rigidity = p->rigidity,
                                  .damping = p->damping,
                                  .rest_angles = p->rest_angles};
}

static struct bending *bind(struct sheet *sheet, const struct properties *p,
                            uint32_t domain_count) {
    const struct bending_input input = input_of(sheet, p);
    struct bending *bending = NULL;
    assert_ok(bending_create(&sheet->memory, &input, &bending));
    sheet_assemble(sheet, bending_term(bending), domain_count);
    assert_ok(bending_bind(bending, &sheet->memory, &sheet->assembly.terms[0]));
    return bending;
}

static void unbind(struct sheet *sheet, struct bending *bending) {
    bending_destroy(bending, &sheet->memory);
    sheet_free(sheet);
}

/// One hinge of rigidity 1 with these rest positions.
static struct bending *make_hinge(struct sheet *sheet, const double rest[12], bool is_flat) {
    const struct properties p = {.rigidity = {1.0}, .rest_angles = {is_flat ? 0.0 : NAN}};
    static const uint32_t nodes[4] = {0, 1, 2, 3};
    *sheet = (struct sheet){.node_count = 4, .hinge_count = 1};
    memory_init(&sheet->memory, NULL);
    sheet->rest = memory_allocate(&sheet->memory, 12, sizeof(double));
    sheet->hinges = memory_allocate(&sheet->memory, 4, sizeof(uint32_t));
    memcpy(sheet->rest, rest, 12 * sizeof *rest);
    memcpy(sheet->hinges, nodes, sizeof nodes);
    return bind(sheet, &p, 1);
}

/// Edge (0 0 0) (1 0 0), the left vertex at (1/2 1 0), the right one turned down by the angle.
static void fold(double angle, double x[12]) {
    const double folded[12] = {0.0, 0.0, 0.0, 1.0, 0.0,         0.0,
                               0.5, 1.0, 0.0, 0.5, -cos(angle), -sin(angle)};
    memcpy(x, folded, sizeof folded);
}

/// Angles and gradients computed with 60 digits, in the sense of the reference.
static const struct {
    const char *name;
    double x[12], theta, gradient[12];
} references[] = {
    {"flat",
     {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.5, -1.0, 0.0},
     0.0,
     {0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, -1.0}},
    {"fold90",
     {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.5, 0.0, -1.0},
     1.5707963267948966,
     {0.0, -0.5, 0.5, 0.0, -0.5, 0.5, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0}},
    {"fold90_other",
     {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.5, 0.0, 1.0},
     -1.5707963267948966,
     {0.0, 0.5, 0.5, 0.0, 0.5, 0.5, 0.0, 0.0, -1.0, 0.0, -1.0, 0.0}},
    {"generic",
     {0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 0.3, 1.0, 0.2, 0.6, -0.8, 0.4},
     -0.641581098181793,
     {-0.009270056904086067, 0.09270056904086066, 1.0652613446437311, -0.014853802236222326,
      0.14853802236222324, 0.887196171820341, -0.020482779213534884, 0.20482779213534885,
      -0.9934147918564418, 0.04460663835384328, -0.44606638353843275, -0.9590427246076304}},
    {"nearly_closed",
     {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.001},
     -3.1405926539231266,
     {0.0, 0.0004999995000005, 4.999995000005e-07, 0.0, 0.0004999995000005, 4.999995000005e-07, 0.0,
      0.0, -1.0, 0.0, -0.000999999000001, 0.999999000001}},
    {"obtuse",
     {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.5, 0.1, 2.0, -0.3, 0.05},
     -0.36254423726450763,
     {0.0, -1.30977130977131, 0.6029106029106028, 0.0, 1.465696465696466, 4.5634095634095635, 0.0,
      0.38461538461538464, -1.9230769230769231, 0.0, -0.5405405405405406, -3.2432432432432434}}};

static void angles_are_those_of_the_references(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT_OF(references); k++) {
        double gradient[12];
        const double theta = bending_angle(references[k].x, gradient);
        assert_near(theta, references[k].theta, 1e-12, references[k].name);
        assert_small(testing_max_difference(gradient, references[k].gradient, 12), 1e-12,
                     references[k].name);
    }
}

/// From closed on one side through flat to closed on the other the angle grows evenly, and its
/// gradient does not know where it wraps: nodes move on circles of radius one.
static void folding_goes_through_all_angles(void **state) {
    (void)state;
    for (int k = -1000; k <= 1000; k++) {
        const double angle = PI * k / 1000.0 * 1.2;
        double x[12];
        double gradient[12];
        fold(angle, x);
        const double theta = bending_angle(x, gradient);
        assert_small(fabs(remainder(theta - angle, 2.0 * PI)), 1e-14, "angle");
        assert_true(fabs(theta) <= PI);
        assert_near(gradient[10] * sin(angle) - gradient[11] * cos(angle), 1.0, 1e-13, "turning");
    }
}

/// k = 1/2 D l^2 / (A1 + A2) = 1/2 here, of the difference of angles, which never goes through the
/// closed hinge: it may be more than pi.
static void energy_is_that_of_the_difference(void **state) {
    (void)state;
    for (int rest = -9; rest <= 9; rest++) {
        double x[12];
        struct sheet sheet;
        fold(rest * PI / 10.0, x);
        struct bending *bending = make_hinge(&sheet, x, false);
        for (int k = -99; k <= 99; k++) {
            const double angle = k * PI / 100.0;
            fold(angle, x);
            const double difference = angle - rest * PI / 10.0;
            const double expected = 0.5 * difference * difference;
            assert_near(sheet_value(&sheet, x), expected, 5e-14, "energy");
        }
        unbind(&sheet, bending);
    }
}

/// Where a hinge that is bent at rest is closed, what the angle is beyond that on the other side
/// does not count: the energy falls to that of the other side within the last 0.03 rad, where it
/// was measured, and line searches stopped, at a jump.
static void energy_goes_on_where_the_hinge_closes(void **state) {
    (void)state;
    static const double rests[] = {0.0, 0.4, -0.4, 1.5, -2.5, 3.0};
    for (size_t r = 0; r < COUNT_OF(rests); r++) {
        double x[12];
        struct sheet sheet;
        fold(rests[r], x);
        struct bending *bending = make_hinge(&sheet, x, false);
        const struct derivatives_function function = sheet_function(&sheet);
        const double nearer = PI - fabs(rests[r]);
        for (int side = -1; side <= 1; side += 2) {
            fold(side * (PI - 1e-9), x);
            assert_near(sheet_value(&sheet, x), 0.5 * nearer * nearer, 1e-8, "energy");
            for (double left = 0.002; left < 0.04; left += 0.0037) {
                fold(side * (PI - left), x);
                assert_small(derivatives_gradient_error(&function, x, 1e-5), 1e-6, "gradient");
                assert_small(derivatives_hessian_error(&function, x, 1e-5), 1e-6, "Hessian");
            }
        }
        unbind(&sheet, bending);
    }
}

static void flat_rest_forgets_the_rest_angle(void **state) {
    (void)state;
    double x[12];
    struct sheet sheet;
    fold(0.7, x);
    struct bending *bending = make_hinge(&sheet, x, true);
    assert_near(sheet_value(&sheet, x), 0.5 * 0.7 * 0.7, 1e-15, "energy of a folded rest shape");
    fold(0.0, x);
    assert_small(sheet_value(&sheet, x), 1e-32, "energy when flat");
    unbind(&sheet, bending);
}

/// Heights of about 0.3 and more: derivatives of the angle grow as powers of their inverse, and
/// differences of step 1e-3 leave (1e-3 / 0.3)^4 = 1e-10 times some hundred.
static void derivatives_are_those_of_the_value(void **state) {
    (void)state;
    struct random random = random_seed(4);
    struct properties p;
    double x[48];
    make_properties(&p);
    for (uint32_t domain_count = 1; domain_count <= 5; domain_count += 2) {
        struct sheet sheet;
        sheet_make(&sheet, 3, 0.1);
        struct bending *bending = bind(&sheet, &p, domain_count);
        const struct derivatives_function function = sheet_function(&sheet);
        for (int trial = 0; trial < 4; trial++) {
            sheet_positions(&sheet, &random, 0.2, x);
            assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-8, "gradient");
            assert_small(derivatives_hessian_error(&function, x, 1e-3), 1e-7, "Hessian");
        }
        unbind(&sheet, bending);
    }
}

/// Also where the hinge is folded by more than a right angle, and obtuse: derivatives are larger
/// there than above, so steps are smaller; rounding leaves 1e-16 / 3e-4 of them.
static void derivatives_of_folded_hinges(void **state) {
    (void)state;
    struct random random = random_seed(5);
    for (int trial = 0; trial < 300; trial++) {
        double rest[12];
        double x[12];
        struct sheet sheet;
        fold(random_uniform(&random, -1.0, 1.0), rest);
        fold(random_uniform(&random, -2.0, 2.0), x);
        for (int k = 0; k < 12; k++) {
            x[k] += random_uniform(&random, -0.2, 0.2);
        }
        x[6] += random_uniform(&random, -2.0, 2.0);
        x[9] += random_uniform(&random, -2.0, 2.0);
        struct bending *bending = make_hinge(&sheet, rest, false);
        const struct derivatives_function function = sheet_function(&sheet);
        assert_small(derivatives_gradient_error(&function, x, 3e-4), 1e-8, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 3e-4), 1e-7, "Hessian");
        unbind(&sheet, bending);
    }
}

/// What is asked for alone has the bits of what is asked for together, and values by node add to
/// the value.
static void parts_agree(void **state) {
    (void)state;
    struct random random = random_seed(5);
    struct properties p;
    struct sheet sheet;
    double x[48];
    double gradient[48];
    double node_values[16];
    make_properties(&p);
    sheet_make(&sheet, 3, 0.1);
    struct bending *bending = bind(&sheet, &p, 4);
    sheet_positions(&sheet, &random, 0.1, x);
    const double value = sheet_value(&sheet, x);
    sheet_gradient(&sheet, x, gradient);
    sheet.evaluation.what = EVALUATE_VALUE | EVALUATE_GRADIENT;
    sheet.result.node_values = node_values;
    terms_evaluate(NULL, &sheet.assembly, sheet.terms, 1, &sheet.evaluation, &sheet.result);
    assert_true(value == sheet.result.value);
    assert_same_bits(gradient, sheet.result.gradient, 48);
    double sum = 0.0;
    for (int i = 0; i < 16; i++) {
        sum += node_values[i];
    }
    assert_near(sum, value, 1e-14 * value, "sum of values by node");
    sheet.result.node_values = NULL;
    unbind(&sheet, bending);
}

/// Rounding of about 30 terms of order one; forces have neither resultant nor moment.
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
    struct bending *bending = bind(&sheet, &p, 2);
    assert_small(sheet_value(&sheet, sheet.rest), 1e-29, "value at rest");
    for (int trial = 0; trial < 20; trial++) {
        double rotation[9];
        double force[3] = {0};
        double moment[3] = {0};
        const double shift[3] = {1.0, -2.0, 0.5};
        const double none[3] = {0};
        random_rotation(&random, rotation);
        sheet_positions(&sheet, &random, 0.1, x);
        sheet_move(&sheet, rotation, shift, x, moved);
        const double value = sheet_value(&sheet, x);
        assert_near(sheet_value(&sheet, moved), value, 1e-13 * value, "value");
        sheet_gradient(&sheet, x, gradient);
        for (size_t i = 0; i < 16; i++) {
            double turn[3];
            cross3(x + 3 * i, gradient + 3 * i, turn);
            add3(force, gradient + 3 * i, force);
            add3(moment, turn, moment);
        }
        assert_small(norm3(force), 1e-13, "resultant");
        assert_small(norm3(moment), 1e-13, "moment");
        sheet_move(&sheet, rotation, none, gradient, turned);
        sheet_gradient(&sheet, moved, gradient);
        assert_small(testing_max_difference(gradient, turned, 48), 1e-12, "gradient");
    }
    unbind(&sheet, bending);
}

/// Gauss-Newton: semidefinite everywhere, and the whole Hessian at the rest angle.
static void projected_hessians_are_semidefinite(void **state) {
    (void)state;
    struct random random = random_seed(7);
    int indefinite = 0;
    for (int trial = 0; trial < 4000; trial++) {
        double rest[12];
        double x[12];
        double exact[144];
        double projected[144];
        struct sheet sheet;
        fold(random_uniform(&random, -2.0, 2.0), rest);
        fold(random_uniform(&random, -3.1, 3.1), x);
        for (int k = 0; k < 12; k++) {
            x[k] += random_uniform(&random, -0.3, 0.3);
        }
        struct bending *bending = make_hinge(&sheet, rest, false);
        sheet_hessian(&sheet, x, exact);
        indefinite += !project_is_semidefinite(12, exact);
        sheet.evaluation.project = true;
        sheet_hessian(&sheet, x, projected);
        assert_true(project_is_semidefinite(12, projected));
        sheet_hessian(&sheet, rest, projected);
        sheet.evaluation.project = false;
        sheet_hessian(&sheet, rest, exact);
        assert_small(testing_max_difference(exact, projected, 144), 1e-13, "Hessian at rest");
        unbind(&sheet, bending);
    }
    assert_true(indefinite > 3000);
}

/// The blocks of hinges reach their places in any order of nodes and any number of domains.
static void domains_change_nothing(void **state) {
    (void)state;
    struct random random = random_seed(8);
    struct properties p;
    double x[48];
    static double first[2304];
    static double other[2304];
    make_properties(&p);
    for (int project = 0; project < 2; project++) {
        for (uint32_t domain_count = 1; domain_count <= 6; domain_count++) {
            struct sheet sheet;
            sheet_make(&sheet, 3, 0.1);
            struct bending *bending = bind(&sheet, &p, domain_count);
            sheet.evaluation.project = project != 0;
            if (domain_count == 1) {
                sheet_positions(&sheet, &random, 0.2, x);
            }
            sheet_hessian(&sheet, x, domain_count == 1 ? first : other);
            if (domain_count > 1) {
                assert_small(testing_max_difference(first, other, 2304), 1e-12, "Hessian");
            }
            unbind(&sheet, bending);
        }
    }
}

static void damping_weighs_each_hinge(void **state) {
    (void)state;
    struct random random = random_seed(9);
    struct properties p;
    double x[27];
    static double hessian[729];
    static double sum[729];
    make_properties(&p);
    const size_t count = 8;
    memset(sum, 0, sizeof sum);
    for (size_t h = 0; h <= count; h++) {
        struct sheet sheet;
        struct properties one = p;
        for (size_t k = 0; k < count && h < count; k++) {
            one.damping[k] = k == h ? p.damping[k] : 0.0;
        }
        sheet_make(&sheet, 2, 0.1);
        assert_int_equal(sheet.hinge_count, count);
        struct bending *bending = bind(&sheet, &one, 2);
        sheet.evaluation = (struct evaluation){.project = true, .damping_weights = true};
        if (h == 0) {
            sheet_positions(&sheet, &random, 0.1, x);
        }
        sheet_hessian(&sheet, x, hessian);
        for (size_t k = 0; k < 729 && h < count; k++) {
            sum[k] += hessian[k];
        }
        unbind(&sheet, bending);
    }
    assert_small(testing_max_difference(hessian, sum, 729), 1e-14, "sum of damped hinges");
    assert_true(fabs(hessian[0]) > 1e-3);
}

/// A strip of equilateral triangles (edge 1, rows along x) rolled about the y axis: vertices of a
/// row lie on a circle of curvature kappa. The energy is D kappa^2 / 2 of an area, apart from the
/// strip's rim and terms of order (kappa edge)^2 / 12, as of chords for arcs.
static double rolled_energy_ratio(double kappa) {
    enum { COLUMNS = 60, ROWS = 40 };
    static double rest[3 * COLUMNS * ROWS];
    static double x[3 * COLUMNS * ROWS];
    double energy = 0.0;
    double area = 0.0;
    for (size_t i = 0; i < COLUMNS * ROWS; i++) {
        const size_t row = i / COLUMNS;
        const double s = (double)(i % COLUMNS) + 0.5 * (double)(row % 2);
        const double y = 0.5 * sqrt(3.0) * (double)row;
        const double flat[3] = {s, y, 0.0};
        const double rolled[3] = {sin(kappa * s) / kappa, y, (1.0 - cos(kappa * s)) / kappa};
        memcpy(rest + 3 * i, flat, sizeof flat);
        memcpy(x + 3 * i, rolled, sizeof rolled);
    }
    // Of each inner vertex: the three edges that start there, each an inner hinge.
    for (size_t i = 0; i < COLUMNS * ROWS; i++) {
        const size_t row = i / COLUMNS;
        const size_t column = i % COLUMNS;
        if (row < 4 || row + 4 >= ROWS || column < 4 || column + 4 >= COLUMNS) {
            continue;
        }
        const size_t odd = row % 2;
        const size_t ring[6] = {i + 1, i + COLUMNS + odd,     i + COLUMNS + odd - 1,
                                i - 1, i - COLUMNS + odd - 1, i - COLUMNS + odd};
        for (size_t k = 0; k < 3; k++) {
            const size_t nodes[4] = {i, ring[k], ring[(k + 1) % 6], ring[(k + 5) % 6]};
            double hinge[12];
            for (size_t a = 0; a < 4; a++) {
                copy3(x + 3 * nodes[a], hinge + 3 * a);
            }
            const double theta = bending_angle(hinge, NULL);
            // l = 1, A1 + A2 = sqrt(3) / 2, D = 1.
            energy += theta * theta / sqrt(3.0);
        }
        area += 0.5 * sqrt(3.0);
    }
    return energy / (0.5 * kappa * kappa * area);
}

static void rolled_strip_has_the_energy_of_a_plate(void **state) {
    (void)state;
    assert_near(rolled_energy_ratio(0.01), 1.0, 1e-4 / 12.0, "energy of a cylinder");
    assert_near(rolled_energy_ratio(0.05), 1.0, 2.5e-3 / 12.0, "energy of a cylinder");
}

static void degenerate_hinges_are_not_admissible(void **state) {
    (void)state;
    double rest[12];
    double x[12];
    fold(0.0, rest);
    static const struct {
        size_t node;
        double at[3];
    } cases[] = {{1, {0, 0, 0}}, {2, {0.3, 0, 0}}, {3, {2, 0, 0}}, {3, {0, 0, 0}}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct sheet sheet;
        struct bending *bending = make_hinge(&sheet, rest, false);
        memcpy(x, rest, sizeof x);
        copy3(cases[k].at, x + 3 * cases[k].node);
        assert_true(sheet_value(&sheet, x) == INFINITY);
        unbind(&sheet, bending);
    }
}

static void refuses_a_rest_hinge_without_area(void **state) {
    (void)state;
    struct properties p;
    struct sheet sheet;
    struct bending *bending = NULL;
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    sheet.hinges[4 * 3 + 2] = sheet.hinges[4 * 3];
    const struct bending_input input = input_of(&sheet, &p);
    assert_status(bending_create(&sheet.memory, &input, &bending), PBS_ERROR_MESH);
    assert_message("hinge 3");
    assert_null(bending);
    sheet_free(&sheet);
}

static pbs_status create_any(struct memory *memory, const void *input, void **out) {
    struct bending *bending = NULL;
    const pbs_status status = bending_create(memory, input, &bending);
    *out = bending;
    return status;
}

static pbs_status bind_any(void *term, struct memory *memory, const struct stencil_groups *groups) {
    return bending_bind(term, memory, groups);
}

static void destroy_any(void *term, struct memory *memory) {
    bending_destroy(term, memory);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const struct sheet_maker maker = {create_any, bind_any, destroy_any};
    struct properties p;
    struct sheet sheet;
    make_properties(&p);
    sheet_make(&sheet, 2, 0.0);
    struct bending *bound = bind(&sheet, &p, 1);
    const struct bending_input input = input_of(&sheet, &p);
    sheet_assert_allocations_may_fail(&sheet, &maker, &input, 8);
    unbind(&sheet, bound);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_those_of_the_references),
        cmocka_unit_test(folding_goes_through_all_angles),
        cmocka_unit_test(energy_is_that_of_the_difference),
        cmocka_unit_test(energy_goes_on_where_the_hinge_closes),
        cmocka_unit_test(flat_rest_forgets_the_rest_angle),
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(derivatives_of_folded_hinges),
        cmocka_unit_test(parts_agree),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(projected_hessians_are_semidefinite),
        cmocka_unit_test(domains_change_nothing),
        cmocka_unit_test(damping_weighs_each_hinge),
        cmocka_unit_test(rolled_strip_has_the_energy_of_a_plate),
        cmocka_unit_test(degenerate_hinges_are_not_admissible),
        cmocka_unit_test(refuses_a_rest_hinge_without_area),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
