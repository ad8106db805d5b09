// Bodies that penetrate each other and are pushed out by penalties (OPT section 5.3;
// docs/theory/contact.md section 8), in worlds whose colliders are constraints.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "support/world_testing.h"

static const double STEP = 1.0 / 24.0;

static pbs_world_desc penalty_settings(void) {
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.body_contact = PBS_BODY_CONTACT_PENALTY;
    return d;
}

static pbs_solid_desc rubber(void) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.young = 1e5;
    d.density = 1000.0;
    return d;
}

static void set_velocity(pbs_world *world, pbs_body body, const double v[3]) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *all = malloc(3 * count * sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < count; i++) {
        copy3(v, all + 3 * i);
    }
    assert_ok(pbs_body_set_velocities(world, body, all, count));
    free(all);
}

enum { SIDE_POINTS = 4 };

/// On vertical lines: without friction nothing else keeps a stack together.
static void guide(pbs_world *world, pbs_body body) {
    uint32_t all[SIDE_POINTS * SIDE_POINTS * SIDE_POINTS];
    for (uint32_t i = 0; i < COUNT_OF(all); i++) {
        all[i] = i;
    }
    assert_ok(pbs_body_pin(world, body, all, COUNT_OF(all), PBS_AXIS_X | PBS_AXIS_Z));
}

/// Two cubes of 1 m, the second above the first on the ground and a little aside.
static void add_stack(pbs_world *world, double gap) {
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.13, 1.0 + gap, 0.07};
    const pbs_solid_desc d = rubber();
    add_ground(world);
    guide(world, add_cube(world, SIDE_POINTS - 1, 1.0, low, &d));
    guide(world, add_cube(world, SIDE_POINTS - 1, 1.0, high, &d));
}

/// Two cubes that fly at each other in empty space.
static void add_collision(pbs_world *world, pbs_body bodies[2]) {
    const double left[3] = {0.0, 0.0, 0.0}, right[3] = {1.2, 0.17, 0.11};
    const double v[2][3] = {{2.0, 0.0, 0.1}, {-1.0, 0.3, 0.0}}, weightless[3] = {0.0};
    const pbs_solid_desc d = rubber();
    bodies[0] = add_cube(world, 2, 1.0, left, &d);
    bodies[1] = add_cube(world, 2, 1.0, right, &d);
    set_velocity(world, bodies[0], v[0]);
    set_velocity(world, bodies[1], v[1]);
    assert_ok(pbs_world_set_gravity(world, weightless));
}

/// Of cubes of 2 x 2 x 2 cells: each tetrahedron is a sixth of a cell, and a quarter of its mass is
/// each corner's.
static void momentum_of(const pbs_world *world, const pbs_body *bodies, int count, double size,
                        double p[3]) {
    const double corner[3] = {0.0};
    const double share = 1000.0 * size * size * size / 8.0 / 24.0;
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, 2, 1.0, corner));
    p[0] = p[1] = p[2] = 0.0;
    for (int b = 0; b < count; b++) {
        const double *v = pbs_body_velocities(world, bodies[b]);
        for (size_t k = 0; k < 4 * mesh.tet_count; k++) {
            add_scaled3(p, share, v + 3 * (size_t)mesh.tets[k], p);
        }
    }
    cube_mesh_free(&mesh);
}

/// A dropped cube comes to rest on another one, less deep in it than a tenth of an element, and
/// stays there. Its weight of 9810 N on some 16 vertices of a bottom and a top, k = 1e5 Pa, makes
/// sqrt(F / (3 k)) some 4 cm of an element's 33.
static void a_stack_comes_to_rest(void **state) {
    (void)state;
    const pbs_world_desc d = penalty_settings();
    pbs_world *world = new_world_from(&d);
    add_stack(world, 0.1);
    for (int i = 0; i < 240; i++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    const pbs_stats stats = stats_of(world);
    assert_true(stats.contact.active > 16);
    assert_true(stats.contact.deepest_penetration > 0.0 && stats.contact.deepest_penetration < 0.1);
    const pbs_energy rest = energy_of(world);
    assert_true(rest.contact > 0.0);
    for (int i = 0; i < 120; i++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    // Implicit Euler takes what moves at the stack's slowest frequency of some Hz to nothing.
    assert_small(energy_of(world).kinetic, 1e-9 * 9810.0, "kinetic energy at rest");
    assert_near(stats_of(world).contact.deepest_penetration, stats.contact.deepest_penetration,
                1e-5, "depth five seconds later");
    pbs_world_destroy(world);
}

/// Cubes of 0.2 m that meet at 18 m/s with 1/120 s come 15 cm closer in a step, three quarters of
/// their size. They push each other back, whoever looks on. Deeper than half their size penalties
/// push out on the far side: from the paper's guesses all of these fly through each other.
static void fast_bodies_push_each_other_back(void **state) {
    (void)state;
    const double size = 0.2, weightless[3] = {0.0}, common[3] = {0.0, 9.0, 40.0};
    for (int i = 0; i < 24; i++) {
        const double along = common[i / 8];
        const double v[2][3] = {{along + 9.0, 0.0, 0.0}, {along - 9.0, 0.0, 0.0}};
        const double low[2][3] = {{0.0, 0.0, 0.0}, {size + 1e-3 + 0.02 * (i % 8), 0.031, 0.017}};
        const pbs_world_desc settings = penalty_settings();
        pbs_world *world = new_world_from(&settings);
        pbs_solid_desc d = rubber();
        pbs_body bodies[2];
        pbs_motion motions[2] = {{.struct_size = sizeof motions[0]},
                                 {.struct_size = sizeof motions[0]}};
        double deepest = 0.0;
        d.young = 1e6;
        assert_ok(pbs_world_set_gravity(world, weightless));
        for (int k = 0; k < 2; k++) {
            bodies[k] = add_cube(world, 4, size, low[k], &d);
            set_velocity(world, bodies[k], v[k]);
        }
        for (int step = 0; step < 24; step++) {
            assert_ok(pbs_world_step(world, 1.0 / 120.0));
            deepest = fmax(deepest, stats_of(world).contact.deepest_penetration);
        }
        for (int k = 0; k < 2; k++) {
            assert_ok(pbs_body_motion(world, bodies[k], &motions[k]));
        }
        assert_true(motions[0].center[0] < motions[1].center[0]);
        assert_true(motions[0].momentum[0] < motions[1].momentum[0]);
        assert_true(deepest > 0.0 && deepest < 0.25 * size);
        pbs_world_destroy(world);
    }
}

/// A stack without body_contact: what the first test sees is not the ground's doing.
static void without_it_bodies_pass_through_each_other(void **state) {
    (void)state;
    pbs_world_desc d = penalty_settings();
    d.body_contact = PBS_BODY_CONTACT_NONE;
    pbs_world *world = new_world_from(&d);
    add_stack(world, 0.1);
    for (int i = 0; i < 48; i++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    assert_true(stats_of(world).contact.deepest_penetration == 0.0);
    assert_true(energy_of(world).contact == 0.0);
    pbs_world_destroy(world);
}

/// What pushes one pushes the other back: momentum stays to the solver's tolerance, a millionth of
/// the reference force in each of 48 steps.
static void momentum_is_exchanged(void **state) {
    (void)state;
    pbs_world_desc d = penalty_settings();
    d.relative_tolerance = 1e-10;
    pbs_world *world = new_world_from(&d);
    pbs_body bodies[2];
    add_collision(world, bodies);
    double before[3], after[3];
    momentum_of(world, bodies, 2, 1.0, before);
    uint32_t most = 0;
    for (int i = 0; i < 48; i++) {
        assert_ok(pbs_world_step(world, STEP));
        const pbs_stats stats = stats_of(world);
        most = stats.contact.active > most ? stats.contact.active : most;
        assert_true(stats.newton.tolerance > 0.0);
    }
    assert_true(most > 4);
    momentum_of(world, bodies, 2, 1.0, after);
    // |gradient| below tolerance bounds the sum over nodes by sqrt(nodes) times it.
    const double bound = 48.0 * STEP * sqrt(54.0) * stats_of(world).newton.tolerance;
    for (int k = 0; k < 3; k++) {
        assert_near(after[k], before[k], bound + 1e-12 * 3000.0, "momentum");
    }
    // They have been turned back.
    assert_true(pbs_body_velocities(world, bodies[0])[0] < 1.0);
    pbs_world_destroy(world);
}

/// Contacts are told with both sides, and what they sum to on the bodies is equal and opposite.
static void contacts_are_read_back(void **state) {
    (void)state;
    const pbs_world_desc d = penalty_settings();
    pbs_world *world = new_world_from(&d);
    pbs_body bodies[2];
    add_collision(world, bodies);
    pbs_contact contacts[64];
    size_t count = 0;
    for (int i = 0; i < 24 && count == 0; i++) {
        assert_ok(pbs_world_step(world, STEP));
        count = COUNT_OF(contacts);
        assert_ok(pbs_world_contacts(world, contacts, sizeof *contacts, &count));
    }
    assert_true(count > 0);
    double sum[3] = {0.0};
    for (size_t i = 0; i < count; i++) {
        const pbs_contact *c = &contacts[i];
        const bool is_first = c->first.body.id == bodies[0].id;
        assert_true(is_first || c->first.body.id == bodies[1].id);
        assert_true(c->second.body.id == bodies[is_first].id);
        assert_int_equal(c->first.vertex_count, 1);
        assert_in_range(c->second.vertex_count, 1, 3);
        double weights = 0.0, place[3] = {0.0};
        for (uint32_t k = 0; k < c->second.vertex_count; k++) {
            weights += c->second.weights[k];
            add_scaled3(place, c->second.weights[k],
                        pbs_body_positions(world, c->second.body) +
                            3 * (size_t)c->second.vertices[k],
                        place);
        }
        assert_near(weights, 1.0, 1e-14, "weights");
        for (int k = 0; k < 3; k++) {
            assert_near(c->second.point[k], place[k], 1e-12, "the surface's point");
            sum[k] += is_first ? c->force[k] : -c->force[k];
        }
        assert_true(c->gap < 0.0);
        assert_near(norm3(c->normal), 1.0, 1e-12, "normal");
        assert_true(c->normal_force > 0.0);
    }
    for (int b = 0; b < 2; b++) {
        pbs_contact_force load = {.struct_size = sizeof load};
        assert_ok(pbs_body_contact_force(world, bodies[b], NULL, &load));
        for (int k = 0; k < 3; k++) {
            assert_near(load.force[k], b == 0 ? sum[k] : -sum[k], 1e-12 * (1.0 + norm3(sum)),
                        "force on a body");
        }
    }
    pbs_world_destroy(world);
}

/// What penalties hold is part of the energy that a scheme with energy control keeps. Its target is
/// met to the rounding of sums of some 1000 J.
static void energy_control_counts_what_penalties_hold(void **state) {
    (void)state;
    const pbs_world_desc d = penalty_settings();
    pbs_world *world = new_world_from(&d);
    pbs_integrator_desc scheme;
    assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_A_SEARCH));
    use_integrator(world, &scheme);
    pbs_body bodies[2];
    add_collision(world, bodies);
    const double before = energy_of(world).total;
    double most = 0.0;
    int met = 0;
    for (int i = 0; i < 200; i++) {
        assert_ok(pbs_world_step(world, STEP / 4.0));
        const pbs_energy energy = energy_of(world);
        most = testing_greater(most, energy.contact);
        // Beyond the range of alpha the target is not met.
        if (stats_of(world).energy_control.alpha_high < scheme.energy_control.alpha_max) {
            assert_near(energy.total, before, 1e-9 * before, "energy");
            met += energy.contact > 0.0;
        }
    }
    assert_true(most > 0.1 * before && met > 10);
    pbs_world_destroy(world);
}

/// A cube that slides over one that is held, on which it has come to rest: while all of its bottom
/// slides, friction is mu times what presses, to a thousandth for what surfaces tilt, and is what
/// changes the momentum along, to the solver's tolerance of a millionth of the stiffness times the
/// size; it stops in the end.
static void friction_stops_what_slides(void **state) {
    (void)state;
    const double h = 1.0 / 240.0, mu = 0.5;
    const pbs_world_desc d = penalty_settings();
    pbs_world *world = new_world_from(&d);
    pbs_solid_desc solid = rubber();
    solid.young = 1e7;
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.13, 0.996, 0.27}, v[3] = {1.0, 0.0, 0.0};
    assert_ok(pbs_body_pin_all(world, add_cube(world, 2, 1.0, low, &solid)));
    const pbs_body body = add_cube(world, 2, 0.5, high, &solid);
    for (int i = 0; i < 120; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    set_velocity(world, body, v);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = mu;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    double before[3], after[3];
    momentum_of(world, &body, 1, 0.5, before);
    for (int i = 0; i < 24; i++) {
        pbs_contact_force load = {.struct_size = sizeof load};
        const double dissipated = energy_of(world).dissipated;
        assert_ok(pbs_world_step(world, h));
        assert_ok(pbs_body_contact_force(world, body, NULL, &load));
        const double pressed = load.force[1] - load.friction[1];
        assert_true(pressed > 0.5 * 125.0 * 9.81 && pressed < 2.0 * 125.0 * 9.81);
        assert_near(-load.friction[0], mu * pressed, 1e-3 * pressed, "friction over what presses");
        momentum_of(world, &body, 1, 0.5, after);
        assert_near(after[0] - before[0], h * load.friction[0],
                    h * sqrt(27.0) * stats_of(world).newton.tolerance, "momentum");
        // At some .5 to 1 m/s.
        const double taken = energy_of(world).dissipated - dissipated;
        assert_true(taken > 0.4 * h * mu * pressed && taken < h * mu * pressed);
        copy3(after, before);
    }
    for (int i = 0; i < 240; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    momentum_of(world, &body, 1, 0.5, after);
    assert_small(fabs(after[0]), 1e-2 * 125.0, "momentum at rest");
    pbs_world_destroy(world);
}

static uint64_t hash_after(int32_t threads, bool restores) {
    pbs_world_desc d = penalty_settings();
    d.threads = threads;
    pbs_world *world = new_world_from(&d);
    add_stack(world, 0.02);
    for (int i = 0; i < 20; i++) {
        assert_ok(pbs_world_step(world, STEP));
        if (restores && i == 10) {
            const struct saved_world saved = save_world(world);
            pbs_world_destroy(world);
            world = new_world_from(&d);
            assert_ok(pbs_world_restore(world, saved.data, saved.size));
            free(saved.data);
        }
    }
    assert_true(stats_of(world).contact.deepest_penetration > 0.0);
    const uint64_t hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    return hash;
}

static void bits_do_not_depend_on_threads_nor_on_restoring(void **state) {
    (void)state;
    const uint64_t hash = hash_after(1, false);
    assert_true(hash_after(4, false) == hash);
    assert_true(hash_after(1, true) == hash);
}

static void steady_steps_allocate_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world_desc d = penalty_settings();
    d.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = new_world_from(&d);
    add_stack(world, 0.0);
    for (int i = 0; i < 48; i++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    const uint64_t before = allocator.allocate_count;
    for (int i = 0; i < 24; i++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    assert_true(stats_of(world).contact.active > 0);
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

static pbs_status one_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, STEP);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world_desc d = penalty_settings();
    d.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = new_world_from(&d);
    add_stack(world, -0.01);
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, one_step, NULL, &refused));
    assert_true(refused > 20);
    assert_true(stats_of(world).contact.active > 0);
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

/// Groups and masks, and bodies without a stiffness, keep out of it.
static void filters_are_heeded(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const pbs_world_desc d = penalty_settings();
        pbs_world *world = new_world_from(&d);
        const double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.13, 0.95, 0.07};
        const pbs_solid_desc solid = rubber();
        add_cube(world, 2, 1.0, low, &solid);
        const pbs_body second = add_cube(world, 2, 1.0, high, &solid);
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.mask = i == 0 ? 2 : 1;
        assert_ok(pbs_body_set_contact(world, second, &contact));
        assert_ok(pbs_world_step(world, 1e-3));
        assert_true((stats_of(world).contact.active > 0) == (i == 1));
        pbs_world_destroy(world);
    }
}

/// A cube that comes closer to a sheet by half of its size in a step, `place` to the side. The
/// sheet's vertices alone meet penalties.
static pbs_world *shot_at_a_sheet(double place, uint32_t newton_limit) {
    pbs_world_desc d = penalty_settings();
    d.newton_limit = newton_limit > 0 ? newton_limit : d.newton_limit;
    d.divisions = 0;
    d.gravity[1] = 0.0;
    pbs_world *world = new_world_from(&d);
    pbs_solid_desc solid = rubber();
    solid.young = 1e8;
    pbs_shell_desc shell;
    assert_ok(pbs_shell_desc_init(&shell, sizeof shell));
    shell.young = 1e9;
    shell.density = 1000.0;
    shell.thickness = 0.02;
    const double sheet[3] = {-1.0, 0.0, -1.0}, velocity[3] = {0.0, -60.0, 0.0};
    const double low[3] = {-0.4 + 0.02 * place, 0.05 + 0.01 * place, 0.3 - 0.015 * place};
    add_sheet(world, 6, 3.0, sheet, &shell);
    set_velocity(world, add_cube(world, 3, 1.0, low, &solid), velocity);
    return world;
}

/// In these places the sheet is held back from what it would pass through, and hangs on single
/// vertices of the cube: no state near is lower, and no minimum either. The minimisation begins
/// again from the paper's guesses, within the same limit.
static void what_hangs_on_single_vertices_goes_on(void **state) {
    (void)state;
    static const double places[] = {4.0, 17.0, 18.0, 24.0};
    enum { SHORT = 20 };
    bool has_ended_early = false;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        pbs_world *const world = shot_at_a_sheet(places[i], 0);
        pbs_world *const hurried = shot_at_a_sheet(places[i], SHORT);
        bool lands = true;
        for (int step = 0; step < 24; step++) {
            assert_ok(pbs_world_step(world, 1.0 / 120.0));
            lands = lands && pbs_world_step(hurried, 1.0 / 120.0) >= 0;
            assert_true(stats_of(hurried).newton.iterations <= SHORT);
        }
        has_ended_early = has_ended_early || !lands;
        pbs_world_destroy(world);
        pbs_world_destroy(hurried);
    }
    assert_true(has_ended_early);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    pbs_world *world = NULL;
    pbs_world_desc d = penalty_settings();
    d.body_contact = 2;
    assert_status(pbs_world_create(&d, &world), PBS_ERROR_ARGUMENT);
    assert_message("body_contact is 2");
    d = penalty_settings();
    d.contact = PBS_CONTACT_BARRIER;
    assert_status(pbs_world_create(&d, &world), PBS_ERROR_ARGUMENT);
    assert_message("without PBS_CONTACT_PROJECTION");
    assert_null(world);
    d = penalty_settings();
    world = new_world_from(&d);
    d.body_contact = PBS_BODY_CONTACT_NONE;
    assert_status(pbs_world_set_settings(world, &d), PBS_ERROR_ARGUMENT);
    assert_message("another world");
    pbs_integrator_desc scheme;
    assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_VELOCITY_VERLET));
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&scheme, &integrator));
    assert_status(pbs_world_set_integrator(world, integrator), PBS_ERROR_ARGUMENT);
    assert_message("PBS_BODY_CONTACT_PENALTY");
    pbs_integrator_destroy(integrator);
    const double corner[3] = {0.0};
    const pbs_body body = add_cube(world, 1, 1.0, corner, NULL);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    const double wrong[3] = {-1.0, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        contact.penalty_stiffness = wrong[i];
        assert_status(pbs_body_set_contact(world, body, &contact), PBS_ERROR_ARGUMENT);
        assert_message("penalty_stiffness");
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_comes_to_rest),
        cmocka_unit_test(fast_bodies_push_each_other_back),
        cmocka_unit_test(without_it_bodies_pass_through_each_other),
        cmocka_unit_test(momentum_is_exchanged),
        cmocka_unit_test(contacts_are_read_back),
        cmocka_unit_test(energy_control_counts_what_penalties_hold),
        cmocka_unit_test(friction_stops_what_slides),
        cmocka_unit_test(bits_do_not_depend_on_threads_nor_on_restoring),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(filters_are_heeded),
        cmocka_unit_test(what_hangs_on_single_vertices_goes_on),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
