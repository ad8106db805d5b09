// The sum of terms: the same bits for any number of threads and order of domains, energies by kind,
// refusals, no allocation.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/cube_fixture.h"
#include "energy/custom/custom.h"
#include "energy/node_terms/gravity.h"
#include "energy/node_terms/mass_drag.h"
#include "energy/damping/rayleigh_damping.h"
#include "support/numerics/hash.h"
#include "support/host/jobs.h"

/// A spring of stiffness 1 without length between the two nodes.
static int32_t spring(void *user, size_t stencil, const double *x, int32_t project, double *value,
                      double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = 0.0;
    }
    for (int i = 0; i < 3; i++) {
        const double d = x[i] - x[3 + i];
        if (value != NULL) {
            *value += 0.5 * d * d;
        }
        if (gradient != NULL) {
            gradient[i] = d;
            gradient[3 + i] = -d;
        }
    }
    for (int i = 0; hessian != NULL && i < 36; i++) {
        hessian[i] = i / 6 == i % 6 ? 1.0 : i / 6 % 3 == i % 6 % 3 ? -1.0 : 0.0;
    }
    return 0;
}

enum { TERM_COUNT = 6 };

/// Two materials that share the cube, springs in parallel and on the calling thread, gravity, drag.
struct scene {
    struct cube cube;
    struct solid *solids[2];
    struct custom *customs[2];
    struct gravity gravity;
    struct mass_drag drag;
    struct rayleigh rayleigh;
    struct term terms[TERM_COUNT];
    double *mass, *rate, *x, *origin;
};

static void make_solids(struct scene *s) {
    const struct material_table *materials[2] = {&material_stable_neo_hookean,
                                                 &material_neo_hookean};
    for (int k = 0; k < 2; k++) {
        struct solid_input input = cube_solid_input(&s->cube, materials[k]);
        const size_t half = s->cube.tet_count / 2;
        input.tet_count = half;
        input.tets += k ? 4 * half : 0;
        assert_ok(solid_create(&s->cube.memory, &input, &s->solids[k]));
        s->terms[2 * k] = solid_term(s->solids[k]);
    }
}

static void make_customs(struct scene *s) {
    for (int k = 0; k < 2; k++) {
        const struct custom_input input = {.width = 2,
                                           .stencil_count = s->cube.tet_count,
                                           .nodes = s->cube.tets + 2 * k,
                                           .evaluate = spring,
                                           .is_concurrent = k};
        assert_ok(custom_create(&s->cube.memory, &input, &s->customs[k]));
        s->terms[4 + k] = custom_term(s->customs[k]);
    }
}

static void scene_make(struct scene *s) {
    struct random random = random_seed(20);
    *s = (struct scene){0};
    cube_make(&s->cube, 6);
    const size_t nodes = s->cube.node_count;
    s->mass = calloc(nodes, sizeof(double));
    s->rate = calloc(nodes, sizeof(double));
    s->x = calloc(3 * nodes, sizeof(double));
    s->origin = calloc(3 * nodes, sizeof(double));
    random_fill(&random, 0.5, 1.5, s->mass, nodes);
    random_fill(&random, 0.0, 1.0, s->rate, nodes);
    cube_positions(&s->cube, &random, 0.02, s->x);
    cube_positions(&s->cube, &random, 0.02, s->origin);
    make_solids(s);
    make_customs(s);
    s->gravity = (struct gravity){
        .acceleration = {0.0, -9.81, 0.0}, .mass = s->mass, .reference = s->cube.rest};
    s->drag = (struct mass_drag){s->mass, s->rate};
    s->terms[1] = gravity_term(&s->gravity);
    s->terms[3] = mass_drag_term(&s->drag);
    cube_assemble(&s->cube, s->terms, TERM_COUNT, 16);
    for (size_t k = 0; k < 2; k++) {
        assert_ok(solid_bind(s->solids[k], &s->cube.memory, &s->cube.assembly.terms[k]));
    }
    assert_ok(rayleigh_reserve(&s->cube.memory, &s->cube.assembly, &s->rayleigh));
}

static void scene_free(struct scene *s) {
    for (int k = 0; k < 2; k++) {
        solid_destroy(s->solids[k], &s->cube.memory);
        custom_destroy(s->customs[k], &s->cube.memory);
    }
    rayleigh_release(&s->cube.memory, &s->rayleigh);
    free(s->mass);
    free(s->rate);
    free(s->x);
    free(s->origin);
    cube_free(&s->cube);
}

static struct evaluation scene_evaluation(const struct scene *s, uint32_t what) {
    return (struct evaluation){
        .what = what, .x = s->x, .stage = {.origin = s->origin, .length = 0.04}, .project = true};
}

/// Everything an evaluation gives, damping included, as one number.
static uint64_t scene_hash(struct scene *s, struct tasks *tasks) {
    const struct evaluation evaluation = scene_evaluation(s, EVALUATE_VALUE | EVALUATE_GRADIENT |
                                                                 EVALUATE_HESSIAN);
    const struct assembly *assembly = &s->cube.assembly;
    rayleigh_begin(&s->rayleigh, tasks, assembly, s->terms, TERM_COUNT, s->x, true,
                   &s->cube.scratch);
    assert_int_equal(
        terms_evaluate(tasks, assembly, s->terms, TERM_COUNT, &evaluation, &s->cube.result),
        EVALUATE_OK);
    rayleigh_add(&s->rayleigh, tasks, assembly, &evaluation, &s->cube.result);
    const double step = terms_max_step(tasks, assembly, s->terms, TERM_COUNT, s->x, s->origin,
                                       100.0, &s->cube.scratch);
    uint64_t hash = hash_doubles(HASH_EMPTY, &s->cube.result.value, 1);
    hash = hash_doubles(hash, s->cube.result.by_kind, ENERGY_KIND_COUNT);
    hash = hash_doubles(hash, s->cube.result.gradient, 3 * s->cube.node_count);
    hash = hash_doubles(hash, s->cube.result.blocks, 9 * (size_t)assembly->pattern.block_count);
    return hash_doubles(hash, &step, 1);
}

static void test_same_bits_for_any_threads(void **state) {
    static const int32_t threads[] = {1, 2, 3, 8};
    struct scene s;
    (void)state;
    scene_make(&s);
    const uint64_t expected = scene_hash(&s, NULL);
    for (size_t k = 0; k < COUNT_OF(threads); k++) {
        struct tasks *tasks = NULL;
        assert_ok(tasks_create(&s.cube.memory, NULL, threads[k], &tasks));
        for (int run = 0; run < 3; run++) {
            assert_true(scene_hash(&s, tasks) == expected);
        }
        tasks_destroy(&s.cube.memory, tasks);
    }
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct test_jobs jobs;
        struct tasks *tasks = NULL;
        const pbs_tasks hooks = test_jobs_hooks(&jobs, seed, 1 + seed % 3);
        assert_ok(tasks_create(&s.cube.memory, &hooks, 0, &tasks));
        assert_true(scene_hash(&s, tasks) == expected);
        tasks_destroy(&s.cube.memory, tasks);
    }
    scene_free(&s);
}

/// Each term alone gives its kind's share, and all shares make the value.
static void test_kinds(void **state) {
    struct scene s;
    (void)state;
    scene_make(&s);
    const struct evaluation evaluation = scene_evaluation(&s, EVALUATE_VALUE);
    assert_int_equal(cube_evaluate(&s.cube, s.terms, TERM_COUNT, &evaluation), EVALUATE_OK);
    const struct terms_result all = s.cube.result;
    double sum = 0.0;
    for (int kind = 0; kind < ENERGY_KIND_COUNT; kind++) {
        // What touches is no term, and neither host nor wind pulls here.
        const bool is_absent = kind == ENERGY_CONTACT || kind == ENERGY_FRICTION ||
                               kind == ENERGY_EXTERNAL || kind == ENERGY_WIND;
        assert_int_equal(all.by_kind[kind] != 0.0, !is_absent);
        sum += all.by_kind[kind];
    }
    assert_near(all.value, sum, 0.0, "sum of kinds");
    assert_int_equal(cube_evaluate(&s.cube, &s.terms[1], 1, &evaluation), EVALUATE_OK);
    assert_near(s.cube.result.value, all.by_kind[ENERGY_GRAVITY], 0.0, "gravity");
    assert_int_equal(cube_evaluate(&s.cube, &s.terms[3], 1, &evaluation), EVALUATE_OK);
    assert_near(s.cube.result.value, all.by_kind[ENERGY_DISSIPATED], 0.0, "drag");
    scene_free(&s);
}

/// Values by node add up to those by kind, with the gradient or without, on any number of threads.
static void test_values_by_node(void **state) {
    struct scene s;
    (void)state;
    scene_make(&s);
    const size_t count = s.cube.assembly.layout.node_count;
    double *const alone = malloc(count * sizeof *alone), *const both = malloc(count * sizeof *both);
    struct evaluation evaluation = scene_evaluation(&s, EVALUATE_VALUE);
    s.cube.result.node_values = alone;
    assert_int_equal(cube_evaluate(&s.cube, s.terms, TERM_COUNT, &evaluation), EVALUATE_OK);
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += alone[i];
        size += fabs(alone[i]);
    }
    assert_near(sum, s.cube.result.value, 1e-13 * size, "sum over the nodes");
    evaluation.what |= EVALUATE_GRADIENT;
    s.cube.result.node_values = both;
    struct tasks *tasks = NULL;
    const pbs_tasks none = {0};
    assert_ok(tasks_create(&s.cube.memory, &none, 4, &tasks));
    assert_int_equal(
        terms_evaluate(tasks, &s.cube.assembly, s.terms, TERM_COUNT, &evaluation, &s.cube.result),
        EVALUATE_OK);
    assert_same_bits(alone, both, count);
    tasks_destroy(&s.cube.memory, tasks);
    free(alone);
    free(both);
    scene_free(&s);
}

/// An inverted tetrahedron of the logarithm, a position that is not a number: not admissible, not a
/// crash; and the next admissible state is evaluated as ever.
static void test_inadmissible(void **state) {
    const uint32_t all = EVALUATE_VALUE | EVALUATE_GRADIENT | EVALUATE_HESSIAN;
    static const double bad[] = {50.0, (double)NAN, (double)INFINITY, 1e200};
    struct scene s;
    (void)state;
    scene_make(&s);
    const uint64_t expected = scene_hash(&s, NULL);
    const uint32_t node = s.cube.tets[4 * s.cube.tet_count - 1];
    const double good = s.x[3 * node];
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        const struct evaluation evaluation = scene_evaluation(&s, all);
        s.x[3 * node] = bad[k];
        assert_int_equal(cube_evaluate(&s.cube, s.terms, TERM_COUNT, &evaluation),
                         EVALUATE_RECOVERABLE);
        assert_true(s.cube.result.value == (double)INFINITY);
    }
    s.x[3 * node] = good;
    assert_true(scene_hash(&s, NULL) == expected);
    scene_free(&s);
}

static void test_allocates_nothing(void **state) {
    struct scene s;
    (void)state;
    scene_make(&s);
    const uint64_t calls = s.cube.memory.call_count;
    scene_hash(&s, NULL);
    assert_int_equal(s.cube.memory.call_count, calls);
    scene_free(&s);
}

/// What is not asked for is not touched.
static void test_leaves_the_rest_alone(void **state) {
    struct scene s;
    (void)state;
    scene_make(&s);
    scene_hash(&s, NULL);
    s.cube.result.gradient[7] = 123.0;
    s.cube.result.blocks[7] = 456.0;
    const struct evaluation evaluation = scene_evaluation(&s, EVALUATE_VALUE);
    assert_int_equal(cube_evaluate(&s.cube, s.terms, TERM_COUNT, &evaluation), EVALUATE_OK);
    assert_true(s.cube.result.gradient[7] == 123.0 && s.cube.result.blocks[7] == 456.0);
    scene_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_values_by_node),
        cmocka_unit_test(test_inadmissible),
        cmocka_unit_test(test_allocates_nothing),
        cmocka_unit_test(test_leaves_the_rest_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
