// The bending of plates beside finite differences, quadratic surfaces, and itself on other meshes.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/shells/bending.h"
#include "energy/shells/plate_bending.h"
#include "energy/custom/project.h"
#include "energy/sheet_fixture.h"
#include "geometry/meshes/sheet.h"

static const double PI = 3.14159265358979323846;

/// Properties of up to 32 triangles, of order one and all different.
struct properties {
    double rigidity[32], poisson[32], damping[32];
    double rest_angles[96], clamps[288];
    uint32_t neighbours[96];
};

static void make_properties(const struct sheet *sheet, struct properties *p) {
    struct random random = random_seed(3);
    struct memory memory;
    uint32_t *sides = NULL;
    size_t count = 0;
    const struct surface_view view = {sheet->node_count, sheet->rest, sheet->triangle_count,
                                      sheet->triangles};
    *p = (struct properties){0};
    random_fill(&random, 0.5, 2.0, p->rigidity, 32);
    random_fill(&random, -0.5, 0.5, p->poisson, 32);
    random_fill(&random, 0.0, 0.1, p->damping, 32);
    for (size_t s = 0; s < 96; s++) {
        p->rest_angles[s] = NAN;
        p->neighbours[s] = UINT32_MAX;
    }
    memory_init(&memory, NULL);
    assert_ok(sheet_inner_edges(&view, &memory, &sides, &count));
    for (size_t k = 0; k < 2 * count; k++) {
        p->neighbours[sides[k]] = sides[k ^ 1];
    }
    memory_release(&memory, sides);
}

static struct plate_input input_of(const struct sheet *sheet, const struct properties *p) {
    return (struct plate_input){.triangle_count = sheet->triangle_count,
                                .triangles = sheet->triangles,
                                .neighbours = p->neighbours,
                                .rest = sheet->rest,
                                .rigidity = p->rigidity,
                                .poisson = p->poisson,
                                .damping = p->damping,
                                .rest_angles = p->rest_angles,
                                .clamps = p->clamps};
}

static void bind(struct sheet *sheet, const struct properties *p, uint32_t domain_count) {
    const struct plate_input input = input_of(sheet, p);
    sheet->term_count = 0;
    for (uint32_t width = PLATE_LEAST_WIDTH; width <= PLATE_NODES; width++) {
        struct plate_bending *plate = NULL;
        assert_ok(plate_bending_create(&sheet->memory, &input, width, &plate));
        if (plate != NULL) {
            sheet->terms[sheet->term_count] = plate_bending_term(plate);
            sheet->term_count++;
        }
    }
    sheet_assemble_terms(sheet, domain_count);
    for (size_t i = 0; i < sheet->term_count; i++) {
        assert_ok(
            plate_bending_bind(sheet->terms[i].self, &sheet->memory, &sheet->assembly.terms[i]));
    }
}

static void unbind(struct sheet *sheet) {
    for (size_t i = 0; i < sheet->term_count; i++) {
        plate_bending_destroy(sheet->terms[i].self, &sheet->memory);
    }
    sheet_free(sheet);
}

/// Three by three cells, some borders clamped in directions that lean out of the plane.
static void make_clamped(struct sheet *sheet, struct properties *p, uint32_t domain_count) {
    struct random random = random_seed(11);
    sheet_make(sheet, 3, 0.1);
    make_properties(sheet, p);
    for (size_t s = 0; s < 3 * sheet->triangle_count; s += 2) {
        if (p->neighbours[s] == UINT32_MAX) {
            random_fill(&random, -1.0, 1.0, p->clamps + 3 * s, 3);
        }
    }
    bind(sheet, p, domain_count);
}

static void make_plain(struct sheet *sheet, struct properties *p, uint32_t domain_count) {
    sheet_make(sheet, 3, 0.1);
    make_properties(sheet, p);
    bind(sheet, p, domain_count);
}

/// With triangles of any connectivity in place of a grid's.
static void make_mesh(struct sheet *sheet, struct properties *p, const double *rest,
                      size_t node_count, const uint32_t *triangles, size_t triangle_count) {
    *sheet = (struct sheet){.node_count = node_count, .triangle_count = triangle_count};
    memory_init(&sheet->memory, NULL);
    sheet->rest = memory_copy(&sheet->memory, rest, node_count, 3 * sizeof *rest);
    sheet->triangles = memory_copy(&sheet->memory, triangles, triangle_count,
                                   3 * sizeof *triangles);
    make_properties(sheet, p);
    bind(sheet, p, 1);
}

// --- derivatives ---

/// Heights of about 0.3 and more: differences of step 1e-3 leave (1e-3 / 0.3)^4 = 1e-10 times some
/// hundred.
static void derivatives_are_those_of_the_value(void **state) {
    (void)state;
    struct random random = random_seed(4);
    struct properties p;
    double x[48];
    for (uint32_t trial = 0; trial < 6; trial++) {
        struct sheet sheet;
        if (trial % 2 == 0) {
            make_plain(&sheet, &p, 1 + trial);
        } else {
            make_clamped(&sheet, &p, 1 + trial);
        }
        const struct derivatives_function function = sheet_function(&sheet);
        sheet_positions(&sheet, &random, 0.15, x);
        assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-8, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 1e-3), 1e-7, "Hessian");
        unbind(&sheet);
    }
}

static const double octahedron[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
static const uint32_t octahedron_triangles[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                                  2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const double tetrahedron[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};

/// Where vertices have three or four triangles, places of a patch are the same nodes and hinges the
/// same edges: in a tetrahedron, an octahedron, and a fan of three.
static void derivatives_where_patches_close(void **state) {
    (void)state;
    struct random random = random_seed(5);
    struct properties p;
    double x[18];
    static const double fan[12] = {0, 0, 0.3, 1, 0, 0, -0.5, 0.9, 0, -0.5, -0.9, 0};
    static const uint32_t four[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    static const struct {
        const double *rest;
        size_t node_count;
        const uint32_t *triangles;
        size_t triangle_count;
    } meshes[] = {
        {tetrahedron, 4, four, 4}, {octahedron, 6, octahedron_triangles, 8}, {fan, 4, four, 3}};
    for (size_t k = 0; k < COUNT_OF(meshes); k++) {
        struct sheet sheet;
        make_mesh(&sheet, &p, meshes[k].rest, meshes[k].node_count, meshes[k].triangles,
                  meshes[k].triangle_count);
        const struct derivatives_function function = sheet_function(&sheet);
        assert_true(sheet_value(&sheet, sheet.rest) < 1e-28);
        sheet_positions(&sheet, &random, 0.1, x);
        assert_true(sheet_value(&sheet, x) > 1e-3);
        assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-8, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 1e-3), 1e-7, "Hessian");
        unbind(&sheet);
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
    make_plain(&sheet, &p, 4);
    sheet_positions(&sheet, &random, 0.1, x);
    const double value = sheet_value(&sheet, x);
    sheet_gradient(&sheet, x, gradient);
    sheet.evaluation.what = EVALUATE_VALUE | EVALUATE_GRADIENT;
    sheet.result.node_values = node_values;
    terms_evaluate(NULL, &sheet.assembly, sheet.terms, sheet.term_count, &sheet.evaluation,
                   &sheet.result);
    assert_true(value == sheet.result.value);
    assert_same_bits(gradient, sheet.result.gradient, 48);
    double sum = 0.0;
    for (int i = 0; i < 16; i++) {
        sum += node_values[i];
    }
    assert_near(sum, value, 1e-14 * value, "sum of values by node");
    sheet.result.node_values = NULL;
    unbind(&sheet);
}

static void rigid_motions_change_nothing(void **state) {
    (void)state;
    struct random random = random_seed(6);
    struct properties p;
    struct sheet sheet;
    double x[48];
    double moved[48];
    double gradient[48];
    double turned[48];
    make_plain(&sheet, &p, 2);
    assert_small(sheet_value(&sheet, sheet.rest), 1e-28, "value at rest");
    sheet_gradient(&sheet, sheet.rest, gradient);
    memset(turned, 0, sizeof turned);
    assert_small(testing_max_difference(gradient, turned, 48), 1e-12, "force at rest");
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
        assert_near(sheet_value(&sheet, moved), value, 1e-12 * value, "value");
        sheet_gradient(&sheet, x, gradient);
        for (size_t i = 0; i < 16; i++) {
            double turn[3];
            cross3(x + 3 * i, gradient + 3 * i, turn);
            add3(force, gradient + 3 * i, force);
            add3(moment, turn, moment);
        }
        assert_small(norm3(force), 1e-12, "resultant");
        assert_small(norm3(moment), 1e-12, "moment");
        sheet_move(&sheet, rotation, none, gradient, turned);
        sheet_gradient(&sheet, moved, gradient);
        assert_small(testing_max_difference(gradient, turned, 48), 1e-11, "gradient");
    }
    unbind(&sheet);
}

/// J^T J: semidefinite everywhere, and the whole Hessian at rest. Also where a step asks that of
/// shells alone.
static void projected_hessians_are_semidefinite(void **state) {
    (void)state;
    enum { SIZE = 18 };
    struct random random = random_seed(7);
    struct properties p;
    struct sheet sheet;
    double x[SIZE];
    double exact[SIZE * SIZE];
    double projected[SIZE * SIZE];
    int indefinite = 0;
    make_mesh(&sheet, &p, octahedron, 6, octahedron_triangles, 8);
    for (int trial = 0; trial < 200; trial++) {
        sheet_positions(&sheet, &random, 0.4, x);
        sheet.evaluation = (struct evaluation){.project = false};
        sheet_hessian(&sheet, x, exact);
        indefinite += !project_is_semidefinite(SIZE, exact);
        sheet.evaluation.project = true;
        sheet_hessian(&sheet, x, projected);
        assert_true(project_is_semidefinite(SIZE, projected));
        sheet.evaluation = (struct evaluation){.project_shells = true};
        sheet_hessian(&sheet, x, exact);
        assert_same_bits(exact, projected, SIZE * SIZE);
    }
    assert_true(indefinite > 190);
    sheet_hessian(&sheet, sheet.rest, projected);
    sheet.evaluation.project_shells = false;
    sheet_hessian(&sheet, sheet.rest, exact);
    assert_small(testing_max_difference(exact, projected, SIZE * SIZE), 1e-12, "Hessian at rest");
    unbind(&sheet);
}

static void domains_change_nothing(void **state) {
    (void)state;
    struct random random = random_seed(8);
    struct properties p;
    double x[48];
    static double first[2304];
    static double other[2304];
    for (int project = 0; project < 2; project++) {
        for (uint32_t domain_count = 1; domain_count <= 6; domain_count++) {
            struct sheet sheet;
            make_clamped(&sheet, &p, domain_count);
            sheet.evaluation.project = project != 0;
            if (domain_count == 1) {
                sheet_positions(&sheet, &random, 0.2, x);
            }
            sheet_hessian(&sheet, x, domain_count == 1 ? first : other);
            if (domain_count > 1) {
                assert_small(testing_max_difference(first, other, 2304), 1e-11, "Hessian");
            }
            unbind(&sheet);
        }
    }
}

static void damping_weighs_each_triangle(void **state) {
    (void)state;
    struct random random = random_seed(9);
    struct properties p;
    struct sheet sheet;
    double x[27];
    static double hessian[729];
    static double sum[729];
    memset(sum, 0, sizeof sum);
    for (size_t t = 0; t <= 8; t++) {
        sheet_make(&sheet, 2, 0.1);
        make_properties(&sheet, &p);
        for (size_t k = 0; k < 8 && t < 8; k++) {
            p.damping[k] = k == t ? p.damping[k] : 0.0;
        }
        bind(&sheet, &p, 2);
        // Damping is of J^T J, whatever else is asked for.
        sheet.evaluation = (struct evaluation){.project = t % 2 == 0, .damping_weights = true};
        if (t == 0) {
            sheet_positions(&sheet, &random, 0.1, x);
        }
        sheet_hessian(&sheet, x, hessian);
        for (size_t k = 0; k < 729 && t < 8; k++) {
            sum[k] += hessian[k];
        }
        unbind(&sheet);
    }
    assert_small(testing_max_difference(hessian, sum, 729), 1e-13, "sum of damped triangles");
    assert_true(hessian[2 * 27 + 2] > 1e-3);
}

// --- the plate ---

/// The middle triangle of this patch of irregular triangles has all its neighbours and theirs.
static void patch_of_quadratic(const double curvature[3], double height, struct plate_patch *patch,
                               double x[PLATE_NODES][3]) {
    static const double plane[PLATE_NODES][2] = {
        {0.0, 0.0},   {1.0, 0.1},  {0.3, 0.9}, {0.7, -0.6}, {1.2, 1.0},  {-0.6, 0.7},
        {-0.1, -0.9}, {1.5, -0.5}, {1.9, 0.4}, {0.9, 1.7},  {-0.3, 1.6}, {-0.9, 0.1}};
    *patch = (struct plate_patch){.rigidity = 1.7, .poisson = 0.3};
    memset(patch->hinges, PLATE_HINGE_INNER, sizeof patch->hinges);
    for (int p = 0; p < PLATE_NODES; p++) {
        const double *at = plane[p];
        const double rest[3] = {at[0], at[1], 0.0};
        copy3(rest, patch->rest[p]);
        copy3(rest, x[p]);
        x[p][2] = 0.5 * height *
                  (curvature[0] * at[0] * at[0] + curvature[1] * at[1] * at[1] +
                   2.0 * curvature[2] * at[0] * at[1]);
    }
}

static double patch_energy(const struct plate_patch *patch, double x[PLATE_NODES][3]) {
    double r[PLATE_ROWS * PLATE_HINGES];
    double energy = 0.0;
    plate_operator(patch, r);
    for (int row = 0; row < PLATE_ROWS; row++) {
        double moment = 0.0;
        for (int h = 0; h < PLATE_HINGES; h++) {
            double hinge[12];
            for (int a = 0; a < 4; a++) {
                copy3(x[plate_hinge_nodes[h][a]], hinge + 3 * a);
            }
            moment += r[row * PLATE_HINGES + h] * bending_angle(hinge, NULL);
        }
        energy += 0.5 * moment * moment;
    }
    return energy;
}

/// D A / 2 (k11^2 + k22^2 + 2 nu k11 k22 + 2 (1 - nu) k12^2) on any triangles, at heights that keep
/// angles equal to slopes to 1e-8.
static void quadratic_surfaces_have_the_energy_of_a_plate(void **state) {
    (void)state;
    struct random random = random_seed(12);
    const double height = 1e-4;
    for (int trial = 0; trial < 50; trial++) {
        struct plate_patch patch;
        double k[3];
        double x[PLATE_NODES][3];
        random_fill(&random, -1.0, 1.0, k, 3);
        patch_of_quadratic(k, height, &patch, x);
        const double area = 0.5 * (1.0 * 0.9 - 0.1 * 0.3);
        const double form = k[0] * k[0] + k[1] * k[1] + 0.6 * k[0] * k[1] + 1.4 * k[2] * k[2];
        const double expected = 0.5 * 1.7 * area * form * height * height;
        assert_near(patch_energy(&patch, x), expected, 1e-6 * expected, "energy");
    }
}

/// The curvature across a free edge is the one at which the moment about it vanishes. Edge 0 runs
/// along t = (1, 0.1): a surface t t - nu n n, which has no such moment, keeps its whole energy, D
/// A (1 - nu^2) / 2; one that is bent about the edge alone keeps none.
static void free_edges_carry_no_moment(void **state) {
    (void)state;
    const double along[2] = {1.0 / sqrt(1.01), 0.1 / sqrt(1.01)};
    const double nu = 0.3;
    const double k[3] = {along[0] * along[0] - nu * along[1] * along[1],
                         along[1] * along[1] - nu * along[0] * along[0],
                         (1.0 + nu) * along[0] * along[1]};
    const double height = 1e-4;
    struct plate_patch patch;
    double x[PLATE_NODES][3];
    patch_of_quadratic(k, height, &patch, x);
    patch.hinges[0] = patch.hinges[3] = patch.hinges[4] = PLATE_HINGE_ABSENT;
    const double area = 0.5 * (1.0 * 0.9 - 0.1 * 0.3);
    const double expected = 0.5 * 1.7 * area * (1.0 - nu * nu) * height * height;
    assert_near(patch_energy(&patch, x), expected, 1e-6 * expected, "energy");
    const double across[3] = {along[1] * along[1], along[0] * along[0], -along[0] * along[1]};
    patch_of_quadratic(across, height, &patch, x);
    patch.hinges[0] = patch.hinges[3] = patch.hinges[4] = PLATE_HINGE_ABSENT;
    assert_small(patch_energy(&patch, x), 1e-6 * expected, "energy");
}

/// A hinge folded nearly flat keeps a finite energy and force.
static void folds_are_finite(void **state) {
    (void)state;
    static const double rest[12] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    struct properties p;
    struct sheet sheet;
    double x[12];
    double gradient[12];
    make_mesh(&sheet, &p, rest, 4, triangles, 2);
    double before = 0.0;
    for (int k = 1; k <= 31; k++) {
        const double angle = 0.1 * k;
        memcpy(x, rest, sizeof x);
        x[10] = -cos(angle);
        x[11] = -sin(angle);
        const double value = sheet_value(&sheet, x);
        sheet_gradient(&sheet, x, gradient);
        assert_true(isfinite(value) && value > before);
        for (int i = 0; i < 12; i++) {
            assert_true(isfinite(gradient[i]));
        }
        before = value;
    }
    // Two triangles see their common edge alone, so energies are as the squares of its angle.
    x[10] = 0.0;
    x[11] = -1.0;
    const double right = sheet_value(&sheet, x);
    assert_near(before / right, 3.1 * 3.1 / (0.25 * 3.14159265358979 * 3.14159265358979), 1e-12,
                "energy of 3.1 rad beside a right angle");
    unbind(&sheet);
}

static void degenerate_triangles_are_not_admissible(void **state) {
    (void)state;
    struct properties p;
    struct sheet sheet;
    double x[48];
    make_plain(&sheet, &p, 2);
    for (size_t i = 0; i < 16; i++) {
        // Each vertex on the next one, or the last one on the one before: no area is left there.
        const size_t other = i % 4 == 3 ? i - 1 : i + 1;
        memcpy(x, sheet.rest, sizeof x);
        copy3(x + 3 * other, x + 3 * i);
        assert_true(sheet_value(&sheet, x) == INFINITY);
    }
    unbind(&sheet);
}

static void rest_angles_are_as_given(void **state) {
    (void)state;
    static const double rest[12] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    struct properties p;
    struct sheet sheet;
    double x[12];
    make_mesh(&sheet, &p, rest, 4, triangles, 2);
    const double flat = sheet_value(&sheet, rest);
    unbind(&sheet);
    sheet = (struct sheet){.node_count = 4, .triangle_count = 2};
    memory_init(&sheet.memory, NULL);
    sheet.rest = memory_copy(&sheet.memory, rest, 12, sizeof *rest);
    sheet.triangles = memory_copy(&sheet.memory, triangles, 6, sizeof *triangles);
    make_properties(&sheet, &p);
    p.rest_angles[0] = p.rest_angles[3] = 0.8;
    bind(&sheet, &p, 1);
    memcpy(x, rest, sizeof x);
    x[10] = -cos(0.8);
    x[11] = -sin(0.8);
    assert_small(flat, 1e-30, "flat at rest");
    assert_small(sheet_value(&sheet, x), 1e-28, "at the rest angle");
    assert_true(sheet_value(&sheet, rest) > 0.1);
    unbind(&sheet);
}

// --- hinges that are folded nearly shut ---

/// A triangle whose sides are one with a neighbour on each, which has a height of one and is turned
/// by the angle of that hinge.
static void turn_neighbours(const double angles[3], double x[18]) {
    static const double corners[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.86602540378443865, 0.0};
    memcpy(x, corners, sizeof corners);
    for (size_t k = 0; k < 3; k++) {
        const double *from = corners + 3 * k;
        const double *to = corners + 3 * ((k + 1) % 3);
        const double out[3] = {to[1] - from[1], from[0] - to[0], 0.0};
        for (size_t i = 0; i < 3; i++) {
            x[9 + 3 * k + i] = 0.5 * (from[i] + to[i]) + cos(angles[k]) * out[i];
        }
        x[9 + 3 * k + 2] = -sin(angles[k]);
    }
}

static void make_turned(struct sheet *sheet, struct properties *p, const double rest_angles[3]) {
    static const uint32_t triangles[12] = {0, 1, 2, 1, 0, 3, 2, 1, 4, 0, 2, 5};
    double rest[18];
    turn_neighbours(rest_angles, rest);
    make_mesh(sheet, p, rest, 6, triangles, 4);
}

/// Turns hinge k until it is closed, on one side or on the other, while the other two stay bent.
static void shut(size_t k, double side, double x[18]) {
    double angles[3] = {1.0, -0.7, 0.4};
    angles[k] = side * (PI - 1e-9);
    turn_neighbours(angles, x);
}

/// A hinge whose triangles go through each other goes on from 180 to -180 degrees. So do the
/// energy, whatever the rest angle, and the moments of the other hinges. Line searches stopped
/// where it jumped.
static void energies_go_on_where_hinges_close(void **state) {
    (void)state;
    static const double rests[3][3] = {{0.0, 0.0, 0.0}, {0.5, -1.2, 2.0}, {-2.8, 1.6, -0.2}};
    for (size_t rk = 0; rk < 9; rk++) {
        const size_t k = rk % 3;
        struct properties p;
        struct sheet sheet;
        double x[18], there[18], here[18];
        make_turned(&sheet, &p, rests[rk / 3]);
        shut(k, 1.0, x);
        const double value = sheet_value(&sheet, x);
        sheet_gradient(&sheet, x, there);
        shut(k, -1.0, x);
        assert_true(value > 0.5);
        assert_near(sheet_value(&sheet, x), value, 1e-7 * value, "energy");
        sheet_gradient(&sheet, x, here);
        for (size_t i = 0; i < 3; i++) {
            const size_t other = 9 + 3 * ((k + 1) % 3) + i;
            assert_near(here[other], there[other], 1e-6, "force on another neighbour");
        }
        unbind(&sheet);
    }
}

/// Also of hinges that are bent at rest, up to one that is closed.
static void derivatives_where_hinges_are_folded(void **state) {
    (void)state;
    struct random random = random_seed(21);
    const double rests[5][3] = {
        {0.0, 0.0, 0.0}, {0.6, -0.3, 0.0}, {1.5, 2.5, -2.0}, {-3.0, 0.2, 1.0}, {PI, 0.0, -0.5}};
    for (size_t r = 0; r < COUNT_OF(rests); r++) {
        struct properties p;
        struct sheet sheet;
        make_turned(&sheet, &p, rests[r]);
        const struct derivatives_function function = sheet_function(&sheet);
        for (int trial = 0; trial < 20; trial++) {
            double angles[3], x[18];
            random_fill(&random, 1.7, 3.1, angles, 3);
            for (int k = 0; k < 3; k++) {
                angles[k] = random_uniform(&random, -1.0, 1.0) < 0.0 ? -angles[k] : angles[k];
            }
            turn_neighbours(angles, x);
            assert_small(derivatives_gradient_error(&function, x, 1e-4), 1e-7, "gradient");
            assert_small(derivatives_hessian_error(&function, x, 1e-4), 1e-6, "Hessian");
        }
        unbind(&sheet);
    }
}

/// Folding by more costs more up to where hinges are closed, and a projected Hessian is that of the
/// angle there.
static void folded_hinges_resist(void **state) {
    (void)state;
    static const double flat[3] = {0.0, 0.0, 0.0};
    enum { SIZE = 18 };
    struct random random = random_seed(22);
    struct properties p;
    struct sheet sheet;
    double x[SIZE];
    double hessian[SIZE * SIZE];
    make_turned(&sheet, &p, flat);
    double before = 0.0;
    for (int k = 1; k <= 314; k++) {
        const double angles[3] = {0.01 * k, 0.0, 0.0};
        turn_neighbours(angles, x);
        const double value = sheet_value(&sheet, x);
        assert_true(value > before);
        before = value;
    }
    sheet.evaluation.project = true;
    for (int trial = 0; trial < 100; trial++) {
        double angles[3];
        random_fill(&random, -PI, PI, angles, 3);
        turn_neighbours(angles, x);
        sheet_hessian(&sheet, x, hessian);
        assert_true(project_is_semidefinite(SIZE, hessian));
    }
    unbind(&sheet);
}

/// A hinge that is bent by 1.5 rad at rest may be bent the other way until it is closed, at -pi: by
/// up to 4.6 rad. Of a hinge alone the energy is proportional to the square of that.
static void bent_hinges_may_be_bent_the_other_way(void **state) {
    (void)state;
    static const double flat[12] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    static const double angles[] = {3.1, 1.0, 0.0, -1.0, -1.6, -1.7, -2.5, -3.1};
    for (int side = -1; side <= 1; side += 2) {
        struct properties p;
        struct sheet sheet;
        double x[12], unit = 0.0;
        memcpy(x, flat, sizeof x);
        x[10] = -cos(1.5);
        x[11] = -side * sin(1.5);
        make_mesh(&sheet, &p, x, 4, triangles, 2);
        const struct derivatives_function function = sheet_function(&sheet);
        for (size_t i = 0; i < COUNT_OF(angles); i++) {
            const double bent = angles[i] - 1.5;
            x[10] = -cos(angles[i]);
            x[11] = -side * sin(angles[i]);
            unit = i == 0 ? sheet_value(&sheet, x) / (bent * bent) : unit;
            assert_near(sheet_value(&sheet, x), bent * bent * unit, 1e-12 * unit, "energy");
            assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-8, "gradient");
            assert_small(derivatives_hessian_error(&function, x, 1e-3), 1e-7, "Hessian");
        }
        unbind(&sheet);
    }
}

// --- refusals ---

/// A triangle by itself has nothing to bend; clamped at an edge it has.
static void single_triangles_have_no_term(void **state) {
    (void)state;
    static const double rest[9] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    struct properties p;
    struct sheet sheet = {.node_count = 3, .triangle_count = 1};
    memory_init(&sheet.memory, NULL);
    sheet.rest = memory_copy(&sheet.memory, rest, 9, sizeof *rest);
    sheet.triangles = memory_copy(&sheet.memory, triangle, 3, sizeof *triangle);
    make_properties(&sheet, &p);
    bind(&sheet, &p, 1);
    assert_int_equal(sheet.term_count, 0);
    sheet_free(&sheet);
    sheet = (struct sheet){.node_count = 3, .triangle_count = 1};
    memory_init(&sheet.memory, NULL);
    sheet.rest = memory_copy(&sheet.memory, rest, 9, sizeof *rest);
    sheet.triangles = memory_copy(&sheet.memory, triangle, 3, sizeof *triangle);
    p.clamps[1] = -1.0;
    bind(&sheet, &p, 1);
    assert_int_equal(sheet.term_count, 1);
    double x[9];
    memcpy(x, rest, sizeof x);
    assert_small(sheet_value(&sheet, x), 1e-30, "straight on");
    x[8] = 0.3;
    assert_true(sheet_value(&sheet, x) > 1e-3);
    unbind(&sheet);
}

static void refuses_a_rest_triangle_without_area(void **state) {
    (void)state;
    struct properties p;
    struct sheet sheet;
    struct plate_bending *plate = NULL;
    pbs_status status = PBS_OK;
    sheet_make(&sheet, 2, 0.0);
    make_properties(&sheet, &p);
    copy3(sheet.rest, sheet.rest + 3);
    const struct plate_input input = input_of(&sheet, &p);
    for (uint32_t width = PLATE_LEAST_WIDTH; width <= PLATE_NODES && status == PBS_OK; width++) {
        status = plate_bending_create(&sheet.memory, &input, width, &plate);
        if (status == PBS_OK) {
            plate_bending_destroy(plate, &sheet.memory);
        }
    }
    assert_int_equal(status, PBS_ERROR_MESH);
    assert_message("no area");
    sheet_free(&sheet);
}

/// The wide ones of two sheets, which every call makes.
static pbs_status create_any(struct memory *memory, const void *input, void **out) {
    struct plate_bending *plate = NULL;
    const pbs_status status = plate_bending_create(memory, input, 6, &plate);
    *out = plate;
    return status;
}

static pbs_status bind_any(void *term, struct memory *memory, const struct stencil_groups *groups) {
    return plate_bending_bind(term, memory, groups);
}

static void destroy_any(void *term, struct memory *memory) {
    plate_bending_destroy(term, memory);
}

/// A strip of four triangles: the inner two see all six vertices.
static void every_allocation_may_fail(void **state) {
    (void)state;
    static const double rest[18] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0, 2, 1, 0};
    static const uint32_t triangles[12] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5};
    static const struct sheet_maker maker = {create_any, bind_any, destroy_any};
    struct properties p;
    struct sheet sheet;
    make_mesh(&sheet, &p, rest, 6, triangles, 4);
    const struct plate_input input = input_of(&sheet, &p);
    size_t term = 0;
    while (sheet.terms[term].stencils.width != 6) {
        term++;
    }
    struct stencil_groups groups = sheet.assembly.terms[0];
    sheet.assembly.terms[0] = sheet.assembly.terms[term];
    sheet_assert_allocations_may_fail(&sheet, &maker, &input, 6);
    sheet.assembly.terms[0] = groups;
    unbind(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(derivatives_where_patches_close),
        cmocka_unit_test(parts_agree),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(projected_hessians_are_semidefinite),
        cmocka_unit_test(domains_change_nothing),
        cmocka_unit_test(damping_weighs_each_triangle),
        cmocka_unit_test(quadratic_surfaces_have_the_energy_of_a_plate),
        cmocka_unit_test(free_edges_carry_no_moment),
        cmocka_unit_test(folds_are_finite),
        cmocka_unit_test(degenerate_triangles_are_not_admissible),
        cmocka_unit_test(rest_angles_are_as_given),
        cmocka_unit_test(energies_go_on_where_hinges_close),
        cmocka_unit_test(derivatives_where_hinges_are_folded),
        cmocka_unit_test(folded_hinges_resist),
        cmocka_unit_test(bent_hinges_may_be_bent_the_other_way),
        cmocka_unit_test(single_triangles_have_no_term),
        cmocka_unit_test(refuses_a_rest_triangle_without_area),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
