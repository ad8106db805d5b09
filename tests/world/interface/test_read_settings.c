// What a host has set of a world and of an integrator is what it reads: round trips, what a new and
// a restored world have, and refusals.
// SPDX-License-Identifier: MIT
#include "support/host/jobs.h"
#include "support/world_testing.h"

static void gravity_is_read(void **state) {
    (void)state;
    pbs_world *world = new_world();
    double gravity[3] = {0.0, 0.0, 0.0};
    assert_ok(pbs_world_set_gravity(world, (const double[3]){1.0, -2.0, 3.5}));
    assert_ok(pbs_world_gravity(world, gravity));
    assert_true(gravity[0] == 1.0 && gravity[1] == -2.0 && gravity[2] == 3.5);
    assert_status(pbs_world_gravity(NULL, gravity), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_gravity(world, NULL), PBS_ERROR_ARGUMENT);
    assert_message("gravity is null");
    pbs_world_destroy(world);
}

/// What was set stays in the settings, also where it is 0 and the threads are as many as there are
/// processors. A host's own loop knows its threads.
static void threads_are_counted(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_int_equal(pbs_world_threads(world), 1);
    assert_ok(pbs_world_set_threads(world, 3));
    assert_int_equal(pbs_world_threads(world), 3);
    assert_int_equal(settings_of(world).threads, 3);
    assert_ok(pbs_world_set_threads(world, 0));
    assert_true(pbs_world_threads(world) >= 1);
    assert_int_equal(settings_of(world).threads, 0);
    assert_int_equal(pbs_world_threads(NULL), 0);
    pbs_world_destroy(world);
    struct test_jobs jobs;
    pbs_world_desc d;
    scene_settings(&d);
    d.tasks = test_jobs_hooks(&jobs, 1, 2);
    d.threads = 3;
    world = new_world_from(&d);
    assert_int_equal(pbs_world_threads(world), 1);
    pbs_world_destroy(world);
}

/// Descriptions of an integrator of a scheme, with settings that are no defaults.
static pbs_integrator_desc wanted_integrator(void) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_NEWMARK));
    d.parameters[0] = 0.3;
    d.step_control.kind = PBS_STEP_DOUBLING;
    d.step_control.max = 0.02;
    d.step_control.tolerance = 1e-4;
    return d;
}

static void integrators_are_read(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_integrator_desc d = wanted_integrator();
    d.allocator = test_allocator_hooks(&allocator);
    pbs_integrator_desc out = {.struct_size = sizeof out};
    pbs_integrator *integrator = NULL;
    pbs_world *world = new_world();
    assert_ok(pbs_world_integrator_settings(world, &out));
    assert_int_equal(out.scheme, PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_integrator_create(&d, &integrator));
    d.allocator = (pbs_allocator){0};
    assert_ok(pbs_integrator_settings(integrator, &out));
    assert_memory_equal(&out, &d, sizeof d);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    memset(&out, 0, sizeof out);
    out.struct_size = sizeof out;
    assert_ok(pbs_world_integrator_settings(world, &out));
    assert_memory_equal(&out, &d, sizeof d);
    // A restored world has that of the saved one.
    const struct saved_world saved = save_world(world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_ok(pbs_world_integrator_settings(other, &out));
    assert_memory_equal(&out, &d, sizeof d);
    // What is read makes another integrator.
    assert_ok(pbs_integrator_create(&out, &integrator));
    pbs_integrator_destroy(integrator);
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

static void integrators_are_not_read_wrongly(void **state) {
    (void)state;
    const pbs_integrator_desc d = wanted_integrator();
    pbs_integrator_desc out = {.struct_size = sizeof out};
    pbs_integrator *integrator = NULL;
    pbs_world *world = new_world();
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_status(pbs_integrator_settings(NULL, &out), PBS_ERROR_ARGUMENT);
    assert_message("the integrator is null");
    assert_status(pbs_integrator_settings(integrator, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_integrator_settings(NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_integrator_settings(world, NULL), PBS_ERROR_ARGUMENT);
    out.struct_size = 12;
    assert_status(pbs_world_integrator_settings(world, &out), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_integrator_settings(integrator, &out), PBS_ERROR_STRUCT_SIZE);
    assert_int_equal(out.scheme, 0);
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
}

static int32_t refuse_matrix(void *user, const pbs_matrix *matrix) {
    (void)user;
    (void)matrix;
    return 1;
}

static int32_t refuse_vector(void *user, const double *b, double *x, double relative_tolerance) {
    (void)user;
    (void)b;
    (void)x;
    (void)relative_tolerance;
    return 1;
}

static void linear_solvers_are_read(void **state) {
    (void)state;
    int own = 0;
    pbs_linear_solver s, out = {.struct_size = sizeof out};
    pbs_world *world = new_world();
    assert_ok(pbs_linear_solver_init(&s, sizeof s));
    s.form = PBS_MATRIX_BLOCK_CSR;
    s.user = &own;
    s.factor = refuse_matrix;
    s.solve = refuse_vector;
    assert_ok(pbs_world_set_linear_solver(world, &s));
    assert_ok(pbs_world_linear_solver(world, &out));
    assert_memory_equal(&out, &s, sizeof s);
    assert_ok(pbs_world_set_linear_solver(world, NULL));
    assert_ok(pbs_world_linear_solver(world, &out));
    assert_true(out.factor == NULL && out.solve == NULL && out.user == NULL);
    assert_status(pbs_world_linear_solver(NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_linear_solver(world, NULL), PBS_ERROR_ARGUMENT);
    out.struct_size = 3;
    assert_status(pbs_world_linear_solver(world, &out), PBS_ERROR_STRUCT_SIZE);
    pbs_world_destroy(world);
}

static void callbacks_are_read(void **state) {
    (void)state;
    int own = 0;
    pbs_custom_fn evaluate = NULL;
    void *user = NULL;
    pbs_world *world = new_world();
    assert_status(pbs_world_callback(world, 5, &evaluate, &user), PBS_ERROR_MISSING_CALLBACK);
    assert_message("no callback is registered under tag 5");
    assert_true(evaluate == NULL && user == NULL);
    assert_ok(pbs_world_register_callback(world, 5, spring_energy, &own));
    assert_ok(pbs_world_callback(world, 5, &evaluate, &user));
    assert_true(evaluate == spring_energy && user == &own);
    assert_ok(pbs_world_callback(world, 5, NULL, NULL));
    assert_status(pbs_world_callback(world, 6, &evaluate, &user), PBS_ERROR_MISSING_CALLBACK);
    assert_status(pbs_world_callback(NULL, 5, &evaluate, &user), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_is_read),
        cmocka_unit_test(threads_are_counted),
        cmocka_unit_test(integrators_are_read),
        cmocka_unit_test(integrators_are_not_read_wrongly),
        cmocka_unit_test(linear_solvers_are_read),
        cmocka_unit_test(callbacks_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
