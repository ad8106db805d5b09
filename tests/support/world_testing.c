// Calls on worlds that must succeed.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include <string.h>

pbs_world *new_world_from(const pbs_world_desc *d) {
    pbs_world *world = NULL;
    assert_ok(pbs_world_create(d, &world));
    return world;
}

pbs_world *new_world(void) {
    pbs_world_desc d;
    scene_settings(&d);
    return new_world_from(&d);
}

pbs_world *new_world_with(struct test_allocator *allocator) {
    pbs_world_desc d;
    scene_settings(&d);
    d.allocator = test_allocator_hooks(allocator);
    return new_world_from(&d);
}

static void count_builds(void *user, int32_t level, const char *message) {
    (void)level;
    *(int *)user += strstr(message, "solver built") != NULL;
}

pbs_world *new_counting_world(int32_t contact, int *built) {
    pbs_world_desc d;
    *built = 0;
    scene_settings(&d);
    d.contact = contact;
    d.log = (pbs_log){.write = count_builds, .user = built};
    return new_world_from(&d);
}

void use_integrator(pbs_world *world, const pbs_integrator_desc *d) {
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
}

void use_scheme(pbs_world *world, int32_t scheme) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    use_integrator(world, &d);
}

pbs_body add_cube(pbs_world *world, size_t cells, double size, const double corner[3],
                  const pbs_solid_desc *like) {
    pbs_body body = {0};
    assert_ok(cube_create(world, cells, size, corner, like, &body));
    return body;
}

pbs_body add_sheet(pbs_world *world, size_t cells, double size, const double corner[3],
                   const pbs_shell_desc *like) {
    pbs_body body = {0};
    assert_ok(sheet_create(world, cells, size, corner, like, &body));
    return body;
}

pbs_body add_free_particle(pbs_world *world, double mass, const double x[3], const double v[3]) {
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 1;
    d.positions = x;
    d.velocities = v;
    d.masses = &mass;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    return body;
}

pbs_collider add_ground(pbs_world *world) {
    pbs_collider_desc d;
    pbs_collider ground = {0};
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    assert_ok(pbs_collider_create(world, &d, &ground));
    return ground;
}

pbs_world_desc settings_of(const pbs_world *world) {
    pbs_world_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_world_settings(world, &d));
    return d;
}

pbs_expert_desc expert_settings_of(const pbs_world *world) {
    pbs_expert_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_world_expert_settings(world, &d));
    return d;
}

pbs_contact_force contact_force_on(const pbs_world *world, pbs_collider collider) {
    pbs_contact_force force = {.struct_size = sizeof force};
    assert_ok(pbs_collider_contact_force(world, collider, NULL, &force));
    return force;
}

pbs_stats stats_of(const pbs_world *world) {
    pbs_stats stats = {.struct_size = sizeof stats};
    assert_ok(pbs_world_stats(world, &stats));
    return stats;
}

pbs_energy energy_of(const pbs_world *world) {
    pbs_energy energy = {.struct_size = sizeof energy};
    assert_ok(pbs_world_energy(world, &energy));
    return energy;
}

struct saved_world save_world(const pbs_world *world) {
    struct saved_world saved = {0};
    assert_ok(pbs_world_save(world, NULL, &saved.size));
    saved.data = malloc(saved.size);
    assert_non_null(saved.data);
    size_t size = saved.size;
    assert_ok(pbs_world_save(world, saved.data, &size));
    assert_int_equal(size, saved.size);
    return saved;
}

pbs_status refuse_until_success(struct test_allocator *allocator, pbs_world *world,
                                pbs_status (*call)(pbs_world *world, void *context), void *context,
                                uint64_t *refused) {
    const uint64_t hash = pbs_world_hash(world);
    const size_t bodies = pbs_world_body_count(world);
    const size_t colliders = pbs_world_collider_count(world);
    for (uint64_t k = 0;; k++) {
        test_allocator_fail_after(allocator, k);
        const pbs_status status = call(world, context);
        const bool failed = test_allocator_has_failed(allocator);
        test_allocator_fail_after(allocator, ALLOCATOR_NEVER);
        if (!failed) {
            if (refused != NULL) {
                *refused = k;
            }
            return status;
        }
        assert_status(status, PBS_ERROR_MEMORY);
        assert_message("memory");
        assert_true(pbs_world_hash(world) == hash);
        assert_int_equal(pbs_world_body_count(world), bodies);
        assert_int_equal(pbs_world_collider_count(world), colliders);
        assert_true(k < 10000);
    }
}

static int32_t count_down(void *user, size_t stencil, const double *x, int32_t project,
                          double *value, double *gradient, double *hessian) {
    int *left = user;
    (void)stencil;
    (void)x;
    (void)project;
    for (int i = 0; i < 9; i++) {
        if (i == 0 && value != NULL) {
            *value = 0.0;
        }
        if (i < 3 && gradient != NULL) {
            gradient[i] = 0.0;
        }
        if (hessian != NULL) {
            hessian[i] = 0.0;
        }
    }
    return --*left > 0 ? 0 : -1;
}

void add_stopping_particle(pbs_world *world, int *evaluations) {
    static const double position[3] = {5.0, 50.0, 0.0};
    static const double mass = 1.0;
    static const uint32_t stencil = 0;
    pbs_custom_desc d;
    pbs_body particle;
    assert_ok(pbs_custom_desc_init(&d, sizeof d));
    d.width = 1;
    d.vertex_count = 1;
    d.positions = position;
    d.masses = &mass;
    d.stencil_count = 1;
    d.stencils = &stencil;
    d.evaluate = count_down;
    d.user = evaluations;
    d.tag = 1;
    assert_ok(pbs_body_create_custom(world, &d, &particle));
}
