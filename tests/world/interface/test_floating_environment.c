// The host's floating-point environment: rounding mode, trapped exceptions, flush-to-zero and
// raised flags. It changes no result and makes no call fail. Every call restores it. The same holds
// on the host's own threads.
// SPDX-License-Identifier: MIT
#include <fenv.h>
#include <pthread.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "support/world_testing.h"

static const double origin[3] = {0.0, 0.0, 0.0};
static const double upright[4] = {0.0, 0.0, 0.0, 1.0};

enum { TRAPPED = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

/// What of these the processor can trap.
static int trapped;

/// What a host may have set.
enum environment { USUAL, TRAPS, UPWARD, FLUSHING, ENVIRONMENTS };

static void enter(enum environment environment) {
    feclearexcept(FE_ALL_EXCEPT);
    if (environment == TRAPS) {
        trapped = feenableexcept(TRAPPED) >= 0 ? TRAPPED : 0;
    } else if (environment == UPWARD) {
        fesetround(FE_UPWARD);
        feraiseexcept(FE_OVERFLOW);
    } else if (environment == FLUSHING) {
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    }
}

static void assert_is(enum environment environment) {
    assert_int_equal(fegetexcept(), environment == TRAPS ? trapped : 0);
    assert_int_equal(fegetround(), environment == UPWARD ? FE_UPWARD : FE_TONEAREST);
#if defined(__x86_64__)
    assert_int_equal(_mm_getcsr() & 0x8040, environment == FLUSHING ? 0x8040 : 0);
#endif
    const int raised = environment == UPWARD ? FE_OVERFLOW : 0;
    assert_int_equal(fetestexcept(TRAPPED | FE_UNDERFLOW), raised);
}

/// For what a test itself computes and prints.
static void leave(void) {
    fedisableexcept(FE_ALL_EXCEPT);
    fesetenv(FE_DFL_ENV);
}

// --- worlds ---

/// Threads of a host that have an environment of their own.
struct host_thread {
    pbs_work_fn work;
    void *context;
    size_t begin, end;
    enum environment environment;
    bool was_kept;
};

static void *run_pieces(void *argument) {
    struct host_thread *self = argument;
    enter(self->environment);
    const int mode = fegetround();
    const int traps = fegetexcept();
    for (size_t i = self->begin; i < self->end; i++) {
        self->work(self->context, i);
    }
    self->was_kept = fegetround() == mode && fegetexcept() == traps;
    leave();
    return NULL;
}

/// user: the environment of the threads.
static void run_on_host_threads(void *user, size_t count, pbs_work_fn work, void *context) {
    struct host_thread threads[2];
    pthread_t ids[2];
    for (size_t t = 0; t < 2; t++) {
        threads[t] = (struct host_thread){
            work, context, count * t / 2, count * (t + 1) / 2, *(const enum environment *)user,
            false};
        assert_int_equal(pthread_create(&ids[t], NULL, run_pieces, &threads[t]), 0);
    }
    for (size_t t = 0; t < 2; t++) {
        pthread_join(ids[t], NULL);
        assert_true(threads[t].was_kept);
    }
}

static pbs_status fill_barriers(pbs_world *world) {
    const double corner[3] = {0.0, 0.002, 0.0};
    pbs_body body;
    add_ground(world);
    return cube_create(world, 2, 0.3, corner, NULL, &body);
}

/// Every call that computes, in order, with the environment checked after each; the last hash.
static uint64_t run_scene(int scene, int32_t threads, bool host_threads,
                          enum environment environment) {
    enum environment of_threads = environment;
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = threads;
    d.contact = scene == SCENE_COUNT ? PBS_CONTACT_BARRIER : PBS_CONTACT_PROJECTION;
    d.tasks = host_threads ? (pbs_tasks){run_on_host_threads, &of_threads} : (pbs_tasks){0};
    pbs_world *world = NULL;
    enter(environment);
    assert_ok(pbs_world_create(&d, &world));
    assert_is(environment);
    leave();
    // The scene's own arithmetic is the test's.
    assert_ok(scene == SCENE_COUNT ? fill_barriers(world) : scene_fill(world, scene));
    enter(environment);
    for (int i = 0; i < 4; i++) {
        assert_true(pbs_world_step(world, 1.0 / 60.0) >= 0);
        assert_is(environment);
        assert_true(pbs_world_advance(world, 1.0 / 120.0) >= 0);
        assert_is(environment);
    }
    pbs_energy energy = {.struct_size = sizeof energy};
    assert_ok(pbs_world_energy(world, &energy));
    assert_is(environment);
    size_t size = 0;
    assert_ok(pbs_world_save(world, NULL, &size));
    void *bytes = malloc(size);
    assert_ok(pbs_world_save(world, bytes, &size));
    assert_ok(pbs_world_restore(world, bytes, size));
    assert_is(environment);
    free(bytes);
    const uint64_t hash = pbs_world_hash(world);
    assert_is(environment);
    pbs_world_destroy(world);
    assert_is(environment);
    leave();
    return hash;
}

static void worlds_compute_alike(void **state) {
    (void)state;
    for (int scene = 0; scene <= SCENE_COUNT; scene++) {
        const uint64_t usual = run_scene(scene, 1, false, USUAL);
        for (int environment = TRAPS; environment < ENVIRONMENTS; environment++) {
            assert_true(run_scene(scene, 1, false, (enum environment)environment) == usual);
            assert_true(run_scene(scene, 2, false, (enum environment)environment) == usual);
            assert_true(run_scene(scene, 0, true, (enum environment)environment) == usual);
        }
    }
}

// --- calls with odd numbers ---

/// Numbers on which comparing or computing raises an exception.
static void odd_numbers_trap_nothing(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY, 1e308, 1e-320};
    static const uint32_t vertex = 0;
    leave();
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, origin, NULL);
    const pbs_collider ground = add_ground(world);
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        const double x = odd[i];
        double all[24], unit[4] = {x, x, x, x};
        for (size_t k = 0; k < COUNT_OF(all); k++) {
            all[k] = x;
        }
        pbs_world_desc d;
        pbs_expert_desc expert;
        pbs_world *other = NULL;
        pbs_contact_desc contact;
        pbs_collider_desc shape;
        pbs_collider collider;
        pbs_solid_desc solid;
        pbs_ray_desc ray;
        pbs_closest_desc near;
        pbs_integrator_desc scheme;
        pbs_integrator *integrator = NULL;
        pbs_system_desc system_desc;
        pbs_system *system = NULL;
        pbs_surface_point point = {.struct_size = sizeof point};
        enter(TRAPS);
        pbs_body_set_velocities(world, cube, all, 8);
        pbs_body_set_positions(world, cube, all, 8);
        pbs_body_set_targets(world, cube, &vertex, 1, all);
        pbs_world_set_gravity(world, all);
        pbs_world_set_friction(world, 0, 0, x);
        pbs_collider_set_motion(world, ground, all, upright);
        pbs_collider_set_motion(world, ground, origin, unit);
        pbs_world_desc_init(&d, sizeof d);
        expert_settings(&expert, &d);
        d.tolerance = d.contact_distance = expert.forcing = x;
        pbs_world_set_settings(world, &d);
        pbs_world_create(&d, &other);
        pbs_contact_desc_init(&contact, sizeof contact);
        contact.friction = contact.offset = x;
        pbs_body_set_contact(world, cube, &contact);
        pbs_collider_desc_init(&shape, sizeof shape);
        shape.shape = PBS_SHAPE_SPHERE;
        shape.size[0] = shape.friction = x;
        pbs_collider_create(world, &shape, &collider);
        pbs_solid_desc_init(&solid, sizeof solid);
        solid.young = solid.density = x;
        pbs_body made;
        cube_create(world, 1, 1.0, origin, &solid, &made);
        pbs_ray_desc_init(&ray, sizeof ray);
        ray.distance = ray.direction[0] = x;
        pbs_world_ray(world, &ray, &point);
        pbs_closest_desc_init(&near, sizeof near);
        near.distance = x;
        pbs_world_closest(world, &near, &point);
        pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_GENERALIZED_ALPHA);
        scheme.step_control.tolerance = scheme.parameters[0] = x;
        pbs_integrator_create(&scheme, &integrator);
        pbs_system_desc_init(&system_desc, sizeof system_desc);
        system_desc.positions = system_desc.mass = &x;
        pbs_system_create(&system_desc, &system);
        pbs_world_step(world, x);
        pbs_world_advance(world, x);
        assert_is(TRAPS);
        leave();
        pbs_world_destroy(other);
        pbs_integrator_destroy(integrator);
        pbs_system_destroy(system);
    }
    pbs_world_destroy(world);
}

// --- systems ---

static int32_t pull(void *user, double time, const double *x, const double *v, double *force) {
    (void)time;
    (void)v;
    *(int *)user += fegetround() != FE_TONEAREST || fegetexcept() != 0;
    force[0] = -100.0 * x[0] * x[0] * x[0];
    return 0;
}

static double run_system(enum environment environment) {
    static const double start = 1.0 / 3.0;
    int wrong = 0;
    pbs_system_desc d;
    pbs_integrator_desc scheme;
    pbs_system *system;
    pbs_integrator *integrator;
    double condition = 0.0;
    enter(environment);
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.positions = &start;
    d.force = pull;
    d.user = &wrong;
    assert_ok(pbs_system_create(&d, &system));
    assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_GENERALIZED_ALPHA));
    assert_ok(pbs_integrator_create(&scheme, &integrator));
    for (int i = 0; i < 10; i++) {
        assert_ok(pbs_system_step(system, integrator, 0.01));
        assert_is(environment);
    }
    assert_ok(pbs_system_advance(system, integrator, 0.01));
    assert_ok(pbs_system_condition_number(system, &condition));
    assert_is(environment);
    // The host's callback runs in the library's environment.
    assert_int_equal(wrong, 0);
    const double end = pbs_system_positions(system)[0];
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
    leave();
    return end;
}

static void systems_compute_alike(void **state) {
    (void)state;
    const double usual = run_system(USUAL);
    for (int environment = TRAPS; environment < ENVIRONMENTS; environment++) {
        const double other = run_system((enum environment)environment);
        assert_same_bits(&other, &usual, 1);
    }
}

/// The same for what is computed in long double, which has registers and flags of its own.
static void flags_of_either_kind_stay(void **state) {
    (void)state;
    for (int flag = FE_INVALID; flag <= FE_INEXACT; flag <<= 1) {
        if ((flag & FE_ALL_EXCEPT) == 0) {
            continue;
        }
        enter(USUAL);
        feraiseexcept(flag);
        const int before = fetestexcept(FE_ALL_EXCEPT);
        pbs_world_hash(NULL);
        pbs_world *world = new_world();
        pbs_world_step(world, 0.01);
        pbs_world_destroy(world);
        assert_int_equal(fetestexcept(FE_ALL_EXCEPT), before);
        leave();
    }
}

/// Numbers that flush-to-zero would take for zero count in a hash.
static void hashes_see_denormal_numbers(void **state) {
    (void)state;
    leave();
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, origin, NULL);
    double v[24] = {0.0};
    const uint64_t still = pbs_world_hash(world);
    v[5] = 1e-320;
    assert_ok(pbs_body_set_velocities(world, cube, v, 8));
    const uint64_t usual = pbs_world_hash(world);
    assert_true(usual != still);
    enter(FLUSHING);
    const uint64_t flushing = pbs_world_hash(world);
    leave();
    assert_true(flushing == usual);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_compute_alike),        cmocka_unit_test(odd_numbers_trap_nothing),
        cmocka_unit_test(systems_compute_alike),       cmocka_unit_test(flags_of_either_kind_stay),
        cmocka_unit_test(hashes_see_denormal_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
