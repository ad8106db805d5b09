// The number of threads that a host gives OpenBLAS is unchanged after steps of worlds and systems,
// also after steps that fail. It changes no bit of their results.
// SPDX-License-Identifier: MIT
#include <cblas.h>

#include "support/world_testing.h"

enum { SIZE = 150 }; // a matrix that OpenBLAS would divide among threads

/// A chain of masses on stiffening springs. After `stop_at` calls its callback asks to stop.
struct chain {
    int calls, stop_at;
};

static int32_t chain_force(void *user, double time, const double *x, const double *v,
                           double *force) {
    struct chain *chain = user;
    (void)time;
    for (int i = 0; i < SIZE; i++) {
        const double left = x[i] - (i > 0 ? x[i - 1] : 0.0);
        const double right = (i + 1 < SIZE ? x[i + 1] : 0.0) - x[i];
        force[i] = 100.0 * (right - left) + 10.0 * (right * right * right - left * left * left) -
                   0.1 * v[i];
    }
    return chain->calls++ >= chain->stop_at ? -1 : 0;
}

static uint64_t run_system(int stop_at, pbs_status expected) {
    double x[SIZE];
    struct chain chain = {.stop_at = stop_at};
    for (int i = 0; i < SIZE; i++) {
        x[i] = 0.5 * sin(0.3 * i);
    }
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.size = SIZE;
    d.positions = x;
    d.force = chain_force;
    d.user = &chain;
    pbs_integrator_desc choice;
    assert_ok(pbs_integrator_desc_init(&choice, sizeof choice, PBS_SCHEME_IMPLICIT_EULER));
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&choice, &integrator));
    pbs_system *system = NULL;
    assert_ok(pbs_system_create(&d, &system));
    for (int i = 0; i < 3; i++) {
        assert_status(pbs_system_step(system, integrator, 0.05), expected);
    }
    uint64_t hash = 0;
    const double *const end = pbs_system_positions(system);
    for (int i = 0; i < SIZE; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &end[i], sizeof bits);
        hash = 31 * hash + bits;
    }
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
    return hash;
}

static uint64_t run_world(int32_t preconditioner) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    expert.preconditioner = preconditioner;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, 0));
    assert_ok(scene_step(world, 5));
    const uint64_t hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    return hash;
}

static void the_setting_is_the_hosts(void **state) {
    (void)state;
    const int before = openblas_get_num_threads();
    enum { PRECONDITIONERS = PBS_PRECONDITIONER_CHOLESKY_FLOAT + 1 };
    uint64_t first[2 + PRECONDITIONERS] = {0};
    for (int wanted = 1; wanted <= 3; wanted++) {
        openblas_set_num_threads(wanted);
        const int host = openblas_get_num_threads();
        for (int k = 0; k < 2 + PRECONDITIONERS; k++) {
            const uint64_t hash = k == 0   ? run_system(1000000, PBS_OK)
                                  : k == 1 ? run_system(5, PBS_ERROR_HOST)
                                           : run_world(k - 2);
            assert_int_equal(openblas_get_num_threads(), host);
            first[k] = wanted == 1 ? hash : first[k];
            assert_true(hash == first[k]);
        }
    }
    openblas_set_num_threads(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_setting_is_the_hosts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
