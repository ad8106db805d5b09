// What a world owes its host whatever the scheme: bits, snapshots, refusals, transactions. Runs
// over the table, so that a scheme added to it is held to the same.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"
#include "support/host/jobs.h"
#include "world/objects/scene.h"

static double step_length(const struct scheme_table *scheme) {
    return scheme->stage_limit == 0 ? 1e-3 : 1.0 / 60.0;
}

// --- a scene with everything that a step looks at ---

static pbs_world *new_scene(const struct scheme_table *scheme, int32_t threads,
                            const pbs_tasks *tasks, struct test_allocator *allocator) {
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = threads;
    d.tasks = tasks != NULL ? *tasks : d.tasks;
    d.allocator = allocator != NULL ? test_allocator_hooks(allocator) : d.allocator;
    pbs_world *world = new_world_from(&d);
    pbs_integrator *integrator = scheme_integrator(scheme->id);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    return world;
}

/// A cube with damping and drag just above rough ground that moves, and a damped chain of springs
/// held at one end.
static void fill_scene(pbs_world *world) {
    const double corner[3] = {0.0, 0.001, 0.0};
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.damping = 0.002;
    solid.drag = 0.5;
    add_cube(world, 2, 0.3, corner, &solid);

    const double positions[9] = {2.0, 1.0, 0.0, 2.1, 1.0, 0.0, 2.2, 1.01, 0.0};
    const double masses[3] = {0.1, 0.2, 0.1};
    const uint32_t stencils[4] = {0, 1, 1, 2}, pinned = 0;
    pbs_custom_desc springs;
    springs_describe(&springs, 3, positions, masses, 2, stencils);
    springs.damping = 0.001;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &springs, &body));
    assert_ok(pbs_body_pin(world, body, &pinned, 1, PBS_AXIS_ALL));

    pbs_collider_desc d;
    pbs_collider ground;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.friction = 0.3;
    assert_ok(pbs_collider_create(world, &d, &ground));
}

/// The n-th step; the held end and the ground move.
static pbs_status take_step(pbs_world *world, const struct scheme_table *scheme, int n) {
    const uint32_t pinned = 0;
    const double s = 0.002 * (n + 1);
    const double target[3] = {2.0 + s, 1.0, s}, position[3] = {s, 0.3 * s, 0.0},
                 orientation[4] = {0.0, 0.0, 0.0, 1.0};
    assert_ok(pbs_body_set_targets(world, pbs_world_body_at(world, 1), &pinned, 1, target));
    assert_ok(
        pbs_collider_set_motion(world, pbs_world_collider_at(world, 0), position, orientation));
    return pbs_world_step(world, step_length(scheme) * (n % 3 == 2 ? 0.5 : 1.0));
}

static void take_steps(pbs_world *world, const struct scheme_table *scheme, int begin, int end) {
    for (int n = begin; n < end; n++) {
        assert_ok(take_step(world, scheme, n));
    }
}

enum { STEPS = 8 };

static uint64_t hash_after(const struct scheme_table *scheme, int32_t threads,
                           const pbs_tasks *tasks) {
    pbs_world *world = new_scene(scheme, threads, tasks, NULL);
    fill_scene(world);
    take_steps(world, scheme, 0, STEPS);
    const uint64_t hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    return hash;
}

// --- bits ---

static void threads_and_order_of_pieces_change_no_bit(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        const uint64_t expected = hash_after(scheme, 1, NULL);
        static const int32_t threads[] = {2, 3, 8};
        for (size_t k = 0; k < COUNT_OF(threads); k++) {
            assert_true(hash_after(scheme, threads[k], NULL) == expected);
        }
        struct test_jobs jobs;
        const pbs_tasks shuffled = test_jobs_hooks(&jobs, 5 + i, 1);
        assert_true(hash_after(scheme, 0, &shuffled) == expected);
    }
}

/// Saved after any number of steps, history included, and restored into another world.
static void restored_worlds_go_on_with_the_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        const uint64_t expected = hash_after(scheme, 1, NULL);
        for (int n = 0; n < 5; n++) {
            pbs_world *world = new_scene(scheme, 1, NULL, NULL);
            fill_scene(world);
            take_steps(world, scheme, 0, n);
            const struct saved_world saved = save_world(world);
            pbs_world *other = new_scene(scheme_tables[0], 2, NULL, NULL);
            assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
            assert_ok(pbs_world_restore(other, saved.data, saved.size));
            take_steps(other, scheme, n, STEPS);
            assert_true(pbs_world_hash(other) == expected);
            // Saving has not changed the one that was saved, nor what its energies add up to.
            take_steps(world, scheme, n, STEPS);
            assert_true(pbs_world_hash(world) == expected);
            const pbs_energy a = energy_of(world), b = energy_of(other);
            assert_memory_equal(&a, &b, sizeof a);
            free(saved.data);
            pbs_world_destroy(other);
            pbs_world_destroy(world);
        }
    }
}

// --- memory ---

static pbs_status third_step(pbs_world *world, void *context) {
    return take_step(world, context, 2);
}

static void refused_allocations_change_nothing(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        struct scheme_table scheme = *scheme_tables[i];
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        // The integrator arrives after two steps of another one, so that its arrays are made now.
        pbs_world *world = new_scene(scheme_tables[(i + 1) % 2], 1, NULL, &allocator);
        fill_scene(world);
        take_steps(world, &scheme, 0, 2);
        pbs_integrator *integrator = scheme_integrator(scheme.id);
        assert_ok(pbs_world_set_integrator(world, integrator));
        pbs_integrator_destroy(integrator);
        uint64_t refused = 0;
        assert_ok(refuse_until_success(&allocator, world, third_step, &scheme, &refused));
        assert_true(refused > 0);
        const uint64_t calls = allocator.allocate_count + allocator.release_count;
        take_steps(world, &scheme, 3, STEPS);
        assert_true(allocator.allocate_count + allocator.release_count == calls);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

// --- transactions ---

/// Springs that answer as told.
static int32_t obedient_spring(void *user, size_t stencil, const double *x, int32_t project,
                               double *value, double *gradient, double *hessian) {
    const int32_t reply = *(const int32_t *)user;
    return reply != 0 ? reply : spring_energy(NULL, stencil, x, project, value, gradient, hessian);
}

static void add_obedient(pbs_world *world, int32_t *reply) {
    const double positions[6] = {5.0, 0.5, 0.0, 5.13, 0.5, 0.0}, masses[2] = {0.1, 0.2};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc d;
    springs_describe(&d, 2, positions, masses, 1, stencil);
    d.evaluate = obedient_spring;
    d.user = reply;
    d.damping = 0.001;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &d, &body));
}

/// Whether a step fails first or not makes no difference to those that follow.
static void failed_steps_leave_no_trace(void **state) {
    (void)state;
    static const int32_t replies[] = {0, -1, 1};
    static const pbs_status statuses[] = {PBS_OK, PBS_ERROR_HOST, PBS_ERROR_INADMISSIBLE};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        uint64_t expected = 0;
        for (size_t k = 0; k < COUNT_OF(replies); k++) {
            int32_t reply = 0;
            pbs_world *world = new_scene(scheme, 1, NULL, NULL);
            fill_scene(world);
            add_obedient(world, &reply);
            for (int n = 0; n < STEPS; n++) {
                if (replies[k] != 0) {
                    const uint64_t hash = pbs_world_hash(world);
                    const double time = pbs_world_time(world);
                    reply = replies[k];
                    assert_status(take_step(world, scheme, n), statuses[k]);
                    reply = 0;
                    assert_true(pbs_world_hash(world) == hash && pbs_world_time(world) == time);
                }
                assert_ok(take_step(world, scheme, n));
            }
            expected = k == 0 ? pbs_world_hash(world) : expected;
            assert_true(pbs_world_hash(world) == expected);
            pbs_world_destroy(world);
        }
    }
}

struct countdown {
    enum oscillator problem;
    int left;      ///< calls until one is answered otherwise; negative: none
    int32_t reply; ///< that answer
};

static int32_t counted_oscillator(void *user, size_t stencil, const double *x, int32_t project,
                                  double *value, double *gradient, double *hessian) {
    struct countdown *c = user;
    if (c->left == 0) {
        c->left = -1;
        return c->reply;
    }
    c->left -= c->left > 0;
    return oscillator_evaluate(&c->problem, stencil, x, project, value, gradient, hessian);
}

/// Stop is heard at whichever call it is said, by every scheme, the last evaluation of a step
/// included.
static void every_stop_is_heard(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        pbs_integrator *integrator = scheme_integrator(scheme_tables[i]->id);
        bool stopped = true;
        for (int calls = 0; stopped; calls++) {
            struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
            o.damping = 0.1;
            pbs_world *world = oscillator_world(integrator, &o);
            struct countdown c = {.problem = OSCILLATOR_CUBIC, .left = -1, .reply = -1};
            assert_ok(pbs_world_register_callback(world, SPRING_TAG, counted_oscillator, &c));
            assert_ok(pbs_world_step(world, 0.1));
            const uint64_t hash = pbs_world_hash(world);
            c.left = calls;
            const pbs_status status = pbs_world_step(world, 0.05);
            stopped = c.left < 0;
            assert_status(status, stopped ? PBS_ERROR_HOST : PBS_OK);
            assert_true((pbs_world_hash(world) == hash) == stopped);
            assert_true(calls < 1000);
            pbs_world_destroy(world);
        }
        pbs_integrator_destroy(integrator);
    }
}

/// Three steps of h, the second of which is refused once, at a call counted from its begin, or
/// taken by the host as two halves (refused < 0).
static pbs_status refused_once(const struct scheme_table *scheme, int refused, double state[2]) {
    pbs_integrator *integrator = scheme_integrator(scheme->id);
    struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
    o.divisions = 1;
    pbs_world *world = oscillator_world(integrator, &o);
    struct countdown c = {.problem = OSCILLATOR_CUBIC, .left = -1, .reply = 1};
    assert_ok(pbs_world_register_callback(world, SPRING_TAG, counted_oscillator, &c));
    const double h = 0.1;
    assert_ok(pbs_world_step(world, h));
    c.left = refused;
    const pbs_status status = pbs_world_step(world, refused < 0 ? 0.5 * h : h);
    c.left = -1;
    if (status >= 0 && refused < 0) {
        assert_ok(pbs_world_step(world, 0.5 * h));
    }
    if (status >= 0) {
        assert_ok(pbs_world_step(world, h));
    }
    oscillator_state(world, state);
    pbs_world_destroy(world);
    pbs_integrator_destroy(integrator);
    return status;
}

/// Halving a step by itself leads where the host's halving does, to what is remembered for the
/// next.
static void divided_steps_are_steps(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        double divided[2], halves[2];
        assert_ok(refused_once(scheme_tables[i], -1, halves));
        int division_count = 0;
        for (int refused = 0; refused < 12; refused++) {
            if (refused_once(scheme_tables[i], refused, divided) == PBS_DIVIDED) {
                // As far as the tolerance of 1e-9 N in each stage lets them differ.
                assert_small(testing_max_difference(divided, halves, 2), 2e-9,
                             scheme_tables[i]->name);
                division_count++;
            }
        }
        // Where a minimisation is refused statics tries from elsewhere.
        assert_true(division_count > 0 || scheme_tables[i]->is_static);
    }
}

// --- descriptions ---

static void refuse(const pbs_integrator_desc *d, const char *name, double low, double high) {
    pbs_integrator *integrator = NULL;
    char range[64];
    snprintf(range, sizeof range, "%g to %g", low, high);
    assert_status(pbs_integrator_create(d, &integrator), PBS_ERROR_ARGUMENT);
    assert_message(name);
    assert_message(range);
    assert_null(integrator);
}

static void parameters_are_checked(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        for (int k = 0; k < SCHEME_PARAMETERS; k++) {
            const struct scheme_parameter *p = &scheme->parameters[k];
            const double bad[] = {NAN, INFINITY, -INFINITY, p->low - 1e-6, p->high + 1e-6};
            const double good[] = {p->low, p->high, p->value};
            pbs_integrator_desc d;
            assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme->id));
            assert_true(d.parameters[k] == p->value && d.start == scheme->start);
            for (size_t b = 0; b < COUNT_OF(bad); b++) {
                d.parameters[k] = bad[b];
                if (p->name != NULL) {
                    refuse(&d, p->name, p->low, p->high);
                }
            }
            for (size_t g = 0; g < COUNT_OF(good); g++) {
                d.parameters[k] = good[g];
                pbs_integrator *integrator = NULL;
                assert_ok(pbs_integrator_create(&d, &integrator));
                pbs_integrator_destroy(integrator);
            }
        }
        static const int32_t starts[] = {-1, 3, INT32_MAX, INT32_MIN};
        for (size_t k = 0; k < COUNT_OF(starts); k++) {
            pbs_integrator_desc d;
            pbs_integrator *integrator = NULL;
            assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme->id));
            d.start = starts[k];
            assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
            assert_message("start is");
        }
        pbs_integrator_desc d;
        for (size_t size = 0; size < sizeof d; size++) {
            assert_status(pbs_integrator_desc_init(&d, size, scheme->id), PBS_ERROR_STRUCT_SIZE);
        }
    }
    pbs_integrator_desc d;
    assert_status(pbs_integrator_desc_init(&d, sizeof d, 1000), PBS_ERROR_ARGUMENT);
    assert_message("scheme is 1000");
}

/// Extreme parameters work too: the ends of each range, through a few steps.
static void ends_of_ranges_work(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        for (int k = 0; k < 2 * SCHEME_PARAMETERS; k++) {
            const struct scheme_parameter *p = &scheme->parameters[k / 2];
            if (p->name == NULL) {
                continue;
            }
            pbs_integrator_desc d;
            pbs_integrator *integrator = NULL;
            assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme->id));
            d.parameters[k / 2] = k % 2 == 0 ? p->low : p->high;
            assert_ok(pbs_integrator_create(&d, &integrator));
            struct oscillation o = oscillation_of(OSCILLATOR_PENDULUM);
            pbs_world *world = oscillator_world(integrator, &o);
            for (int n = 0; n < 20; n++) {
                assert_ok(pbs_world_step(world, n % 2 == 0 ? 0.02 : 0.05));
            }
            double end[2];
            oscillator_state(world, end);
            assert_small(hypot(end[0], end[1]), 1.5, scheme->name);
            pbs_world_destroy(world);
            pbs_integrator_destroy(integrator);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_order_of_pieces_change_no_bit),
        cmocka_unit_test(restored_worlds_go_on_with_the_same_bits),
        cmocka_unit_test(refused_allocations_change_nothing),
        cmocka_unit_test(failed_steps_leave_no_trace),
        cmocka_unit_test(every_stop_is_heard),
        cmocka_unit_test(divided_steps_are_steps),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(ends_of_ranges_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
