// Callbacks that return 0 but leave a result unwritten, for instance because an exception was
// caught on the way to C. The call into the library fails, and nothing moves.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

enum { NOTHING_IS_MISSING = -1, ALL_IS_MISSING = -2 };

/// Springs. One call of their callback leaves one number unwritten, or all. Numbers are counted
/// over value, gradient and Hessian.
struct careless {
    int call;    ///< number of calls before that one; counted down
    int missing; ///< index of the number among those requested
    bool left_out;
};

static int32_t careless_spring(void *user, size_t stencil, const double *x, int32_t project,
                               double *value, double *gradient, double *hessian) {
    struct careless *careless = user;
    double own[1 + 6 + 36];
    spring_energy(NULL, stencil, x, project, own, own + 1, own + 7);
    const bool now = careless->call-- == 0;
    double *const to[] = {value, gradient, hessian};
    static const int sizes[] = {1, 6, 36};
    int number = 0, at = 0;
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < sizes[part]; i++, at++) {
            if (to[part] == NULL) {
                continue;
            }
            if (now && (careless->missing == number || careless->missing == ALL_IS_MISSING)) {
                careless->left_out = true;
            } else {
                to[part][i] = own[at];
            }
            number++;
        }
    }
    return 0;
}

static pbs_world *spring_world(struct careless *careless, int32_t concurrent) {
    static const double positions[6] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0};
    static const double masses[2] = {1.0, 1.0};
    static const uint32_t stencil[2] = {0, 1};
    pbs_world *world = new_world();
    pbs_custom_desc d;
    pbs_body body;
    springs_describe(&d, 2, positions, masses, 1, stencil);
    d.evaluate = careless_spring;
    d.user = careless;
    d.concurrent = concurrent;
    assert_ok(pbs_body_create_custom(world, &d, &body));
    return world;
}

/// Each call of a step, each number.
static void steps_want_every_number(void **state) {
    (void)state;
    int failures = 0;
    for (int missing = ALL_IS_MISSING; missing < 43; missing += missing < 7 ? 1 : 5) {
        bool reached = true;
        for (int call = 0; reached; call++) {
            struct careless careless = {.call = call, .missing = missing};
            pbs_world *world = spring_world(&careless, call % 2);
            const uint64_t before = pbs_world_hash(world);
            const pbs_status status = pbs_world_step(world, 0.1);
            reached = careless.call < 0;
            assert_status(status, careless.left_out ? PBS_ERROR_HOST : PBS_OK);
            assert_true((pbs_world_hash(world) == before) == careless.left_out);
            if (careless.left_out) {
                assert_message("left a result unwritten");
                failures++;
            }
            pbs_world_destroy(world);
        }
    }
    assert_true(failures > 50);
}

static void energies_want_the_value(void **state) {
    (void)state;
    struct careless careless = {.call = 0, .missing = ALL_IS_MISSING};
    pbs_world *world = spring_world(&careless, 0);
    pbs_energy energy = {.struct_size = sizeof energy, .host = 5.0};
    assert_status(pbs_world_energy(world, &energy), PBS_ERROR_HOST);
    assert_message("left a result unwritten");
    assert_true(energy.host == 5.0);
    assert_ok(pbs_world_energy(world, &energy));
    assert_true(energy.host > 0.0);
    pbs_world_destroy(world);
}

static int32_t not_a_number(void *user, size_t stencil, const double *x, int32_t project,
                            double *value, double *gradient, double *hessian) {
    spring_energy(NULL, stencil, x, project, value, gradient, hessian);
    if (value != NULL) {
        *value = *(const double *)user;
    }
    return 0;
}

/// What the host has written is no excuse, also where it is not a number.
static void written_nan_is_not_admissible(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        struct careless careless = {.missing = NOTHING_IS_MISSING};
        double value = odd[i];
        pbs_world *world = spring_world(&careless, 0);
        assert_ok(pbs_world_register_callback(world, SPRING_TAG, not_a_number, &value));
        assert_status(pbs_world_step(world, 0.1), PBS_ERROR_INADMISSIBLE);
        pbs_world_destroy(world);
    }
}

// --- systems ---

static int32_t careless_force(void *user, double time, const double *x, const double *v,
                              double *force) {
    struct careless *careless = user;
    (void)time;
    (void)v;
    const bool now = careless->call-- == 0;
    for (int i = 0; i < 2; i++) {
        if (now && (careless->missing == i || careless->missing == ALL_IS_MISSING)) {
            careless->left_out = true;
        } else {
            force[i] = -10.0 * x[i];
        }
    }
    return 0;
}

static void systems_want_every_force(void **state) {
    (void)state;
    static const double start[2] = {1.0, 2.0};
    for (int missing = ALL_IS_MISSING; missing < 2; missing++) {
        bool reached = true;
        for (int call = 0; reached; call++) {
            struct careless careless = {.call = call, .missing = missing};
            pbs_system_desc d;
            pbs_integrator_desc scheme;
            pbs_system *system;
            pbs_integrator *integrator;
            assert_ok(pbs_system_desc_init(&d, sizeof d));
            d.size = 2;
            d.positions = start;
            d.force = careless_force;
            d.user = &careless;
            assert_ok(pbs_system_create(&d, &system));
            assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_IMPLICIT_EULER));
            assert_ok(pbs_integrator_create(&scheme, &integrator));
            const pbs_status status = pbs_system_step(system, integrator, 0.01);
            reached = careless.call < 0;
            assert_status(status, careless.left_out ? PBS_ERROR_HOST : PBS_OK);
            if (careless.left_out) {
                assert_message("without writing force");
                assert_same_bits(pbs_system_positions(system), start, 2);
            }
            pbs_system_destroy(system);
            pbs_integrator_destroy(integrator);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_want_every_number),
        cmocka_unit_test(energies_want_the_value),
        cmocka_unit_test(written_nan_is_not_admissible),
        cmocka_unit_test(systems_want_every_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
