// Springs that soften before they break: derivatives beside differences on every branch of the law,
// the energy that one takes, unloading, and what is remembered.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/cube_fixture.h"
#include "energy/springs/springs.h"
#include "support/host/refusals.h"

enum { NODES = 11, SPRINGS = 30 };

/// A row of branches: pressed, elastic, unloaded, on the first and the second line, broken.
enum branch { PRESSED, ELASTIC, UNLOADED, FIRST, SECOND, BEYOND, BRANCHES };

struct network {
    uint32_t nodes[2 * SPRINGS];
    double stiffness[SPRINGS], rest[SPRINGS], damping[SPRINGS], x[3 * NODES];
    double remaining[SPRINGS];
    struct softening_law laws[SPRINGS];
    struct springs_input input;
};

static double distance(const struct network *n, size_t s) {
    double l[3];
    for (size_t k = 0; k < 3; k++) {
        l[k] = n->x[3 * n->nodes[2 * s + 1] + k] - n->x[3 * n->nodes[2 * s] + k];
    }
    return sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
}

/// Each spring in the middle of a branch, so that differences do not meet a corner: with the onset
/// at a tenth of its length the knee is at .28 and the end at .8 of it.
static void make_network(struct network *n, uint64_t seed) {
    static const double at[BRANCHES] = {-0.3, 0.05, 0.15, 0.2, 0.5, 0.9};
    const struct softening_shape shape = {0.25, 0.3};
    struct random random = random_seed(seed);
    random_fill(&random, -1.0, 1.0, n->x, 3 * NODES);
    random_fill(&random, 0.5, 2.0, n->stiffness, SPRINGS);
    for (uint32_t s = 0; s < SPRINGS; s++) {
        const enum branch branch = s % BRANCHES;
        n->nodes[2 * s] = s % NODES;
        n->nodes[2 * s + 1] = (s % NODES + 1 + s / NODES) % NODES;
        n->damping[s] = 0.0;
        n->rest[s] = distance(n, s) / (1.0 + at[branch]);
        n->laws[s] = softening_law_of(&shape, 0.1 * n->rest[s], 0.8 * n->rest[s]);
        n->remaining[s] = branch == UNLOADED ? 0.2 : s % 4 == 0 ? 0.9 : 1.0;
    }
    n->input = (struct springs_input){.count = SPRINGS,
                                      .nodes = n->nodes,
                                      .stiffness = n->stiffness,
                                      .rest_lengths = n->rest,
                                      .damping = n->damping,
                                      .laws = n->laws,
                                      .remaining = n->remaining};
}

static struct term make_term(struct cube *cube, const struct springs_input *input, size_t nodes,
                             uint32_t domain_count) {
    struct springs *springs = NULL;
    cube_make_nodes(cube, nodes);
    assert_ok(springs_create(&cube->memory, input, &springs));
    const struct term term = springs_term(springs);
    cube_bind(cube, &term, 1, domain_count);
    return term;
}

static void free_term(struct cube *cube, const struct term *term) {
    term->table->destroy(term->self, &cube->memory);
    cube_free(cube);
}

/// Forces are those of the law, one by one.
static void check_forces(const struct network *n, const double *gradient) {
    double expected[3 * NODES] = {0.0};
    for (size_t s = 0; s < SPRINGS; s++) {
        const double l = distance(n, s);
        const double pull = n->stiffness[s] *
                            softening_force(&n->laws[s], n->remaining[s], l - n->rest[s]);
        for (size_t k = 0; k < 3; k++) {
            const double way = n->x[3 * n->nodes[2 * s + 1] + k] - n->x[3 * n->nodes[2 * s] + k];
            expected[3 * n->nodes[2 * s] + k] -= pull * way / l;
            expected[3 * n->nodes[2 * s + 1] + k] += pull * way / l;
        }
    }
    for (size_t i = 0; i < 3 * NODES; i++) {
        assert_near(gradient[i], expected[i], 1e-14, "force");
    }
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    for (uint32_t domain_count = 1; domain_count <= 3; domain_count++) {
        struct network n;
        struct cube cube;
        double gradient[3 * NODES];
        make_network(&n, domain_count);
        const struct term term = make_term(&cube, &n.input, NODES, domain_count);
        struct cube_function f = {.cube = &cube, .term = &term};
        const struct derivatives_function d = cube_derivatives(&f);
        // Steps of 1e-3 of lengths from .2 on, as tests/energy/springs/test_springs.c has them.
        assert_small(derivatives_gradient_error(&d, n.x, 1e-3), 1e-8, "gradient");
        assert_small(derivatives_hessian_error(&d, n.x, 1e-3), 1e-7, "Hessian");
        assert_small(derivatives_asymmetry(&d, n.x), 1e-15, "asymmetry");
        d.gradient(&f, n.x, gradient);
        check_forces(&n, gradient);
        free_term(&cube, &term);
    }
}

// --- one spring ---

/// Along x, of stiffness 3 and length 2, which would break at a strain of .1 if it were brittle.
struct single {
    struct cube cube;
    struct term term;
    struct springs *springs;
    double critical; ///< m
};

static const double STIFFNESS = 3.0, REST = 2.0, BRITTLE = 0.1;

static void make_single(struct single *one, double onset, double stress, double initial) {
    static const uint32_t nodes[2] = {0, 1};
    static const double none = 0.0, whole = 1.0;
    const struct softening_shape shape = softening_shape_of(stress, initial);
    const double critical = softening_critical(&shape, onset, BRITTLE);
    assert_true(softening_is_gradual(&shape, onset, critical));
    one->critical = REST * critical;
    const struct softening_law law = softening_law_of(&shape, REST * onset, one->critical);
    const struct springs_input input = {.count = 1,
                                        .nodes = nodes,
                                        .stiffness = &STIFFNESS,
                                        .rest_lengths = &REST,
                                        .damping = &none,
                                        .laws = &law,
                                        .remaining = &whole};
    one->term = make_term(&one->cube, &input, 2, 1);
    one->springs = one->term.self;
}

static void pull(double extension, double x[6]) {
    const double ends[6] = {0.5, 0.0, 0.0, 0.5 + REST + extension, 0.0, 0.0};
    memcpy(x, ends, sizeof ends);
}

static double force_at(struct single *one, double extension) {
    struct cube_function f = {.cube = &one->cube, .term = &one->term};
    double x[6], gradient[6];
    pull(extension, x);
    cube_function_gradient(&f, x, gradient);
    return gradient[3];
}

static double energy_at(struct single *one, double extension) {
    struct cube_function f = {.cube = &one->cube, .term = &one->term};
    double x[6];
    pull(extension, x);
    return cube_function_value(&f, x);
}

static double remember(struct single *one, double extension) {
    double x[6];
    pull(extension, x);
    return springs_update_history(one->springs, NULL, 1, x);
}

/// Pulled apart in however many steps it takes the energy of the brittle one; what was done to it
/// is stored or dissipated at any time.
static void a_spring_pulled_apart_takes_the_energy_of_a_brittle_one(void **state) {
    (void)state;
    static const double laws[4][3] = {
        {0.03, 0.25, 0.4}, {0.01, 1.0 / 3.0, 0.6}, {0.05, 0.5, 1.0}, {0.09, 0.9, 1.0}};
    const double brittle = 0.5 * STIFFNESS * REST * BRITTLE * REST * BRITTLE;
    for (int i = 0; i < 4; i++) {
        for (int steps = 1; steps <= 1000; steps *= 10) {
            struct single one;
            double dissipated = 0.0, work = 0.0;
            make_single(&one, laws[i][0], laws[i][1], laws[i][2]);
            assert_near(force_at(&one, REST * laws[i][0]) / (STIFFNESS * REST * laws[i][0]), 1.0,
                        1e-13, "strength");
            for (int k = 1; k <= steps; k++) {
                const double before = one.critical * (k - 1) / steps;
                const double after = one.critical * k / steps;
                work += energy_at(&one, after) - energy_at(&one, before);
                const double potential = energy_at(&one, after);
                const double lost = remember(&one, after);
                assert_true(lost >= 0.0);
                assert_near(energy_at(&one, after) + lost, potential, 1e-14 * brittle, "balance");
                dissipated += lost;
            }
            assert_near(dissipated / brittle, 1.0, 1e-12, "energy");
            assert_near(work / brittle, 1.0, 1e-12, "work");
            assert_near(force_at(&one, one.critical), 0.0, 1e-14, "force at the end");
            assert_near(force_at(&one, 2.0 * one.critical), 0.0, 0.0, "beyond");
            free_term(&one.cube, &one.term);
        }
    }
}

/// It goes back along the secant, closes, is pressed as if it were whole, and comes back to where
/// it was, from which on it goes on as if it had never left.
static void unloading_is_along_the_secant(void **state) {
    (void)state;
    struct single one;
    make_single(&one, 0.03, 0.25, 0.4);
    const double far = 0.3 * one.critical, force = force_at(&one, far);
    const double further = force_at(&one, 1.2 * far);
    assert_true(force > 0.0 && force < STIFFNESS * REST * 0.03);
    remember(&one, far);
    for (double e = 0.1; e < 1.0; e += 0.1) {
        assert_near(force_at(&one, e * far), e * force, 1e-14, "unloaded");
        assert_near(energy_at(&one, e * far), 0.5 * e * e * force * far, 1e-14, "stored");
        assert_near(remember(&one, e * far), 0.0, 0.0, "dissipated");
        assert_near(force_at(&one, -e * far), -e * STIFFNESS * far, 1e-14, "pressed");
    }
    assert_near(force_at(&one, far), force, 1e-14, "loaded again");
    assert_near(force_at(&one, 1.2 * far), further, 1e-14, "beyond");
    // As it was before.
    double remaining = 0.0;
    springs_save_history(one.springs);
    remember(&one, 1.2 * far);
    springs_restore_history(one.springs);
    assert_near(force_at(&one, far), force, 1e-14, "taken back");
    springs_read_remaining(one.springs, 0, 1, &remaining);
    assert_near(remaining, force / (STIFFNESS * far), 1e-14, "remaining");
    remaining = 1.0;
    springs_write_remaining(one.springs, 0, 1, &remaining);
    assert_near(force_at(&one, 0.01 * REST), 0.01 * REST * STIFFNESS, 1e-14, "whole again");
    free_term(&one.cube, &one.term);
}

/// Along a falling force the Hessian is the slope of the line, and projected the secant.
static void projection_takes_the_secant(void **state) {
    (void)state;
    struct single one;
    make_single(&one, 0.03, 0.25, 0.4);
    double x[6], h[36];
    for (double e = 0.1; e < 1.0; e += 0.2) {
        const double far = e * one.critical;
        struct cube_function f = {.cube = &one.cube, .term = &one.term};
        pull(far, x);
        cube_function_hessian(&f, x, h);
        const double slope = (force_at(&one, far + 1e-4) - force_at(&one, far - 1e-4)) / 2e-4;
        const double force = force_at(&one, far);
        assert_near(h[0], slope, 1e-9, "exact");
        assert_near(h[7], force / (REST + far), 1e-14, "across");
        f.project = true;
        cube_function_hessian(&f, x, h);
        assert_near(h[0], force / far, 1e-14, "projected");
        assert_near(h[7], force / (REST + far), 1e-14, "across, projected");
    }
    free_term(&one.cube, &one.term);
}

/// What never softens is a spring like others, in lanes beside those that do.
static void an_infinite_strength_is_elastic(void **state) {
    (void)state;
    struct network n;
    struct cube cubes[2];
    make_network(&n, 7);
    for (size_t s = 0; s < SPRINGS; s++) {
        n.laws[s] = softening_law_of(&(struct softening_shape){0.25, 0.3}, 0.1, INFINITY);
        n.remaining[s] = 1.0;
    }
    const struct term soft = make_term(&cubes[0], &n.input, NODES, 1);
    struct springs_input plain = n.input;
    plain.laws = NULL;
    const struct term elastic = make_term(&cubes[1], &plain, NODES, 1);
    struct cube_function f[2] = {{.cube = &cubes[0], .term = &soft},
                                 {.cube = &cubes[1], .term = &elastic}};
    double gradients[2][3 * NODES], hessians[2][9 * NODES * NODES];
    assert_near(springs_update_history(soft.self, NULL, 1, n.x), 0.0, 0.0, "dissipated");
    for (int i = 0; i < 2; i++) {
        cube_function_gradient(&f[i], n.x, gradients[i]);
        cube_function_hessian(&f[i], n.x, hessians[i]);
    }
    const double value = cube_function_value(&f[1], n.x);
    assert_near(cube_function_value(&f[0], n.x), value, 1e-14 * value, "value");
    assert_small(testing_max_difference(gradients[0], gradients[1], 3 * NODES), 1e-14, "force");
    assert_small(testing_max_difference(hessians[0], hessians[1], 9 * NODES * NODES), 1e-13,
                 "Hessian");
    free_term(&cubes[0], &soft);
    free_term(&cubes[1], &elastic);
}

/// Petersson's bilinear law has its knee at a third of the strength and 2 / 9 of the opening, and
/// .6 of the energy under its first line.
static void shapes_are_those_of_the_literature(void **state) {
    (void)state;
    const struct softening_shape petersson = softening_shape_of(1.0 / 3.0, 0.6);
    assert_near(petersson.opening, 2.0 / 9.0, 1e-15, "Petersson");
    // One line has every point on it.
    assert_near(softening_shape_of(0.25, 1.0).opening, 0.75, 1e-15, "one line");
    // Beyond the limit a bond would snap back.
    const double limit = softening_onset_limit(&petersson, BRITTLE);
    assert_near(limit, sqrt(0.6) * BRITTLE, 1e-15, "limit");
    for (int k = 0; k < 2; k++) {
        const double onset = (k == 0 ? 0.999 : 1.001) * limit;
        const double critical = softening_critical(&petersson, onset, BRITTLE);
        assert_int_equal(softening_is_gradual(&petersson, onset, critical), k == 0);
    }
}

static pbs_status create_and_bind(struct memory *memory, const void *context) {
    struct springs *springs = NULL;
    RETURN_IF_FAILED(springs_create(memory, context, &springs));
    const struct term term = springs_term(springs);
    const struct stencils stencils = term.stencils;
    struct assembly assembly;
    pbs_status status = assembly_build(memory, NODES, 1, &stencils, 1, &assembly);
    if (status >= 0) {
        status = term.table->bind(term.self, memory, &assembly.terms[0]);
        assembly_free(memory, &assembly);
    }
    term.table->destroy(term.self, memory);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct network n;
    make_network(&n, 5);
    assert_refusals_are_statuses(create_and_bind, &n.input, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(a_spring_pulled_apart_takes_the_energy_of_a_brittle_one),
        cmocka_unit_test(unloading_is_along_the_secant),
        cmocka_unit_test(projection_takes_the_secant),
        cmocka_unit_test(an_infinite_strength_is_elastic),
        cmocka_unit_test(shapes_are_those_of_the_literature),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
