// Forces on points and bodies, torques and impulses: their effect on motion and energy, how long
// they act, and refusals.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/scenes/bonded_bodies.h"

enum { CUBE_VERTICES = 27 };

static const double origin[3] = {0.0, 0.0, 0.0};

static pbs_world *weightless_world(int32_t scheme, double tolerance) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = tolerance;
    memset(settings.gravity, 0, sizeof settings.gravity);
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, scheme);
    return world;
}

static pbs_body add_small_cube(pbs_world *world) {
    return add_cube(world, 2, 0.2, origin, NULL);
}

static pbs_body add_brick(pbs_world *world, const double sides[3]) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static pbs_point in_tet(pbs_body body, uint32_t index) {
    return (pbs_point){.struct_size = sizeof(pbs_point),
                       .kind = PBS_POINT_TET,
                       .body = body,
                       .index = index,
                       .weights = {0.4, 0.3, 0.2, 0.1}};
}

static pbs_point at_place(pbs_body body, const double place[3]) {
    pbs_point point = {.struct_size = sizeof point, .kind = PBS_POINT_LOCAL, .body = body};
    copy3(place, point.place);
    return point;
}

// --- what is moved ---

static void momentum_of(const pbs_world *world, pbs_body body, double out[3]) {
    const double *v = pbs_body_velocities(world, body), *mass = pbs_body_masses(world, body);
    out[0] = out[1] = out[2] = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        add_scaled3(out, mass[i], v + 3 * i, out);
    }
}

/// About the origin; of a body whose vertices are its masses.
static void angular_momentum_of(const pbs_world *world, pbs_body body, double out[3]) {
    const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
    const double *mass = pbs_body_masses(world, body);
    out[0] = out[1] = out[2] = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        double product[3];
        cross3(x + 3 * i, v + 3 * i, product);
        add_scaled3(out, mass[i], product, out);
    }
}

/// Of a brick about its centre: sum_k J_k a_k x a_k' over the sides' directions a_k, with J_k = m
/// side_k^2 / 12. The vertices' differences along a side are side_k a_k.
static void brick_angular_momentum(const pbs_world *world, pbs_body body, double mass,
                                   double out[3]) {
    const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
    out[0] = out[1] = out[2] = 0.0;
    for (size_t k = 0; k < 3; k++) {
        // Corners differ from the first along one side where only that bit of their number does.
        const size_t corner = (size_t)1 << k;
        double side[3], rate[3], product[3];
        subtract3(x + 3 * corner, x, side);
        subtract3(v + 3 * corner, v, rate);
        cross3(side, rate, product);
        add_scaled3(out, mass / 12.0, product, out);
    }
}

// --- forces ---

/// A force times its time is the momentum, whether it lasts or is applied for each step anew, and
/// the momentum stays when it has ended. Two-step schemes give the last impulse over several steps,
/// so their end is not looked at.
static void forces_make_momentum(void **state) {
    (void)state;
    const double force[3] = {3.0, -1.0, 2.0}, h = 1e-3;
    for (int32_t scheme = 0; scheme <= PBS_SCHEME_VELOCITY_VERLET; scheme++) {
        for (int32_t duration = PBS_FORCE_ONCE; duration <= PBS_FORCE_LASTING; duration++) {
            pbs_world *world = weightless_world(scheme, 1e-12);
            const pbs_body cube = add_small_cube(world);
            const pbs_point point = in_tet(cube, 7);
            double momentum[3];
            for (int i = 0; i < 20; i++) {
                if (i == 0 || duration == PBS_FORCE_ONCE) {
                    assert_ok(pbs_body_apply_force(world, &point, force, duration));
                }
                assert_ok(pbs_world_step(world, h));
            }
            momentum_of(world, cube, momentum);
            for (int k = 0; k < 3; k++) {
                assert_near(momentum[k], 20.0 * h * force[k], 1e-10 * 20.0 * h, "momentum");
            }
            const bool two_steps = scheme == PBS_SCHEME_BDF2 ||
                                   scheme == PBS_SCHEME_SECOND_ORDER_THETA ||
                                   scheme == PBS_SCHEME_GENERALIZED_ALPHA;
            assert_ok(pbs_body_clear_forces(world, cube));
            assert_ok(pbs_world_step(world, h));
            momentum_of(world, cube, momentum);
            for (int k = 0; k < 3 && !two_steps; k++) {
                assert_near(momentum[k], 20.0 * h * force[k], 1e-10 * 20.0 * h, "what stays");
            }
            pbs_world_destroy(world);
        }
    }
}

/// A lasting force on a vertex is that of pbs_body_set_forces; two forces on it are their sum.
static void forces_at_vertices_are_those_of_vertices(void **state) {
    (void)state;
    pbs_world *worlds[2];
    const double half[3] = {0.5, -0.25, 0.125};
    for (int i = 0; i < 2; i++) {
        worlds[i] = weightless_world(PBS_SCHEME_NEWMARK, 1e-9);
        const pbs_body cube = add_small_cube(worlds[i]);
        double forces[3 * CUBE_VERTICES] = {0.0};
        scale3(2.0, half, forces + 3 * 5);
        if (i == 0) {
            assert_ok(pbs_body_set_forces(worlds[i], cube, forces, CUBE_VERTICES));
        } else {
            const pbs_point point = {
                .struct_size = sizeof point, .kind = PBS_POINT_VERTEX, .body = cube, .index = 5};
            assert_ok(pbs_body_apply_force(worlds[i], &point, half, PBS_FORCE_LASTING));
            assert_ok(pbs_body_apply_force(worlds[i], &point, half, PBS_FORCE_LASTING));
        }
        for (int k = 0; k < 5; k++) {
            assert_ok(pbs_world_step(worlds[i], 0.01));
        }
    }
    assert_true(pbs_world_hash(worlds[0]) == pbs_world_hash(worlds[1]));
    assert_true(energy_of(worlds[1]).external < 0.0);
    assert_near(energy_of(worlds[1]).external, energy_of(worlds[0]).external, 0.0, "potential");
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// One that is applied once acts through the whole advance that takes it, and no further.
static void forces_once_act_through_an_advance(void **state) {
    (void)state;
    const double force[3] = {0.0, 4.0, 0.0};
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-12);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.step_control.max = 0.01;
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    const pbs_body cube = add_small_cube(world);
    assert_ok(pbs_body_apply_wrench(world, cube, force, NULL, PBS_FORCE_ONCE));
    assert_ok(pbs_world_advance(world, 0.05));
    assert_int_equal(stats_of(world).step_control.accepted, 5);
    assert_ok(pbs_world_advance(world, 0.05));
    double momentum[3];
    momentum_of(world, cube, momentum);
    assert_near(momentum[1], 0.05 * force[1], 1e-11, "momentum");
    pbs_world_destroy(world);
}

/// A force off the centre of a stiff body, through one short step from rest: momentum F h and
/// angular momentum h r x F.
static void forces_off_the_center_turn(void **state) {
    (void)state;
    const double sides[3] = {0.2, 0.1, 0.3}, place[3] = {0.1, 0.02, -0.15};
    const double force[3] = {1.0, 2.0, -3.0}, h = 1e-4;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-13);
    const pbs_body brick = add_brick(world, sides);
    const pbs_point point = at_place(brick, place);
    double torque[3], momentum[3], turned[3];
    assert_ok(pbs_body_apply_force(world, &point, force, PBS_FORCE_ONCE));
    assert_ok(pbs_world_step(world, h));
    const double mass = 1000.0 * sides[0] * sides[1] * sides[2];
    cross3(place, force, torque);
    const pbs_point center = at_place(brick, origin);
    assert_ok(pbs_world_point_velocity(world, &center, momentum));
    brick_angular_momentum(world, brick, mass, turned);
    for (int k = 0; k < 3; k++) {
        assert_near(mass * momentum[k], h * force[k], 1e-12, "momentum");
        // The arm is that at the end of the step; it has turned by h^2 alpha, 1e-6.
        assert_near(turned[k], h * torque[k], 1e-5 * h, "angular momentum");
    }
    pbs_world_destroy(world);
}

// --- torques ---

/// What a torque does over `steps` steps of the midpoint rule. The forces are those of the middle
/// as it is expected, whose arms are longer than the chord's by 1 / cos^2 of half the angle of a
/// step: a relative error of (h w)^2 / 4 at most.
static void assert_torque_turns(pbs_world *world, pbs_body body, const double torque[3], int steps,
                                double h, double tolerance,
                                void (*measure)(const pbs_world *world, pbs_body body,
                                                double out[3])) {
    double turned[3];
    assert_ok(pbs_body_apply_wrench(world, body, NULL, torque, PBS_FORCE_LASTING));
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    measure(world, body, turned);
    for (int k = 0; k < 3; k++) {
        assert_near(turned[k], h * steps * torque[k], tolerance * h * steps * norm3(torque),
                    "angular momentum");
    }
}

static const double brick_sides[3] = {0.2, 0.1, 0.3};

static void measure_brick(const pbs_world *world, pbs_body body, double out[3]) {
    brick_angular_momentum(world, body, 1000.0 * 0.2 * 0.1 * 0.3, out);
}

/// Small angles, to the last digits; then several turns about an axis that is none of the body's.
static void torques_make_angular_momentum(void **state) {
    (void)state;
    const double weak[3] = {1e-3, -2e-3, 0.5e-3}, strong[3] = {0.2, 0.1, -0.1};
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 1e-13);
    pbs_body brick = add_brick(world, brick_sides);
    // (h w)^2 / 4 with w = 0.02 / s after 0.5 s.
    assert_torque_turns(world, brick, weak, 50, 1e-2, 1e-8, measure_brick);
    pbs_world_destroy(world);

    world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 1e-11);
    brick = add_brick(world, brick_sides);
    // Up to 40 / s about the axis of the least moment, and a third of that square on average.
    assert_torque_turns(world, brick, strong, 1000, 4e-3, 2e-3, measure_brick);
    double orientation[4];
    assert_ok(pbs_body_pose(world, brick, NULL, orientation));
    assert_true(fabs(orientation[3]) < 0.99);
    pbs_world_destroy(world);
}

static void torques_turn_soft_bodies(void **state) {
    (void)state;
    const double torque[3] = {0.01, 0.02, -0.03};
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 1e-12);
    const pbs_body cube = add_cube(world, 2, 0.2, (const double[3]){-0.1, -0.1, -0.1}, NULL);
    double momentum[3];
    assert_torque_turns(world, cube, torque, 20, 1e-2, 1e-6, angular_momentum_of);
    momentum_of(world, cube, momentum);
    assert_small(norm3(momentum), 1e-12, "momentum");
    pbs_world_destroy(world);
}

/// Particles with orientations take their part, so that the whole turns as one.
static void torques_turn_particles_too(void **state) {
    (void)state;
    const double torque[3] = {0.3, -0.2, 0.1}, h = 1e-3;
    static struct bonded_parts parts;
    pbs_body body;
    double turned[3];
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-12);
    bonded_block(&parts, 3, 2, 2, origin);
    assert_ok(pbs_body_create_bonded(world, &parts.d, &body));
    assert_ok(pbs_body_apply_wrench(world, body, NULL, torque, PBS_FORCE_ONCE));
    assert_ok(pbs_world_step(world, h));
    bonded_angular_momentum(world, body, &parts, turned);
    const double *w = pbs_body_angular_velocities(world, body);
    for (int k = 0; k < 3; k++) {
        assert_near(turned[k], h * torque[k], 1e-8 * h, "angular momentum");
        for (size_t i = 1; i < parts.d.particle_count; i++) {
            assert_near(w[3 * i + (size_t)k], w[k], 1e-6 * norm3(w), "spin");
        }
    }
    pbs_world_destroy(world);
}

/// A line of particles has no inertia about itself: a torque turns it about the other axes alone.
static void torques_about_a_line_do_nothing(void **state) {
    (void)state;
    const double torque[3] = {5.0, 0.0, 0.02}, h = 1e-3;
    const double positions[9] = {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    const double masses[3] = {1.0, 1.0, 1.0};
    const uint32_t springs[4] = {0, 1, 1, 2};
    pbs_springs_desc d;
    pbs_body body;
    double turned[3];
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 1e-12);
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 3;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = 2;
    d.springs = springs;
    d.stiffness = 1e3;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    assert_ok(pbs_body_apply_wrench(world, body, NULL, torque, PBS_FORCE_ONCE));
    assert_ok(pbs_world_step(world, h));
    angular_momentum_of(world, body, turned);
    assert_near(turned[2], h * torque[2], 1e-9 * h, "across the line");
    assert_near(turned[0], 0.0, 0.0, "about the line");
    pbs_world_destroy(world);
}

// --- energy ---

/// What forces that end with the step have done is work of that step, and the energy that is
/// reported is the world's.
static void work_is_accounted(void **state) {
    (void)state;
    const double force[3] = {0.0, 0.0, 30.0}, torque[3] = {0.02, 0.0, 0.0}, h = 0.01;
    const int32_t schemes[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_DECOUPLED_SDIRK2,
                               PBS_SCHEME_ENERGY_BLENDING};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world *world = weightless_world(schemes[s], 1e-11);
        const pbs_body brick = add_brick(world, brick_sides);
        double work = 0.0;
        for (int i = 0; i < 20; i++) {
            assert_ok(pbs_body_apply_wrench(world, brick, force, torque, PBS_FORCE_ONCE));
            assert_ok(pbs_world_step(world, h));
            const pbs_energy_control_stats control = stats_of(world).energy_control;
            const pbs_energy energy = energy_of(world);
            work += control.work;
            assert_near(control.reached, energy.total, 1e-11 * energy.total, "energy");
            assert_near(control.target, work, 1e-9 * work, "sum of work");
            assert_near(energy.external, 0.0, 0.0, "potential");
        }
        // F^2 t^2 / 2 m and torque^2 t^2 / 2 I.
        const double time = 20.0 * h, mass = 6.0, moment = mass / 12.0 * (0.01 + 0.09);
        const double expected = 0.5 * time * time * (900.0 / mass + 4e-4 / moment);
        assert_near(work, expected, 1e-3 * expected, "work");
        assert_near(energy_of(world).total, expected, 1e-3 * expected, "total energy");
        // Nothing acts any more, and nothing is left to be accounted for.
        assert_ok(pbs_world_step(world, h));
        assert_near(stats_of(world).energy_control.work, 0.0, 1e-12 * work, "later work");
        pbs_world_destroy(world);
    }
}

// --- impulses ---

static void impulses_change_momentum(void **state) {
    (void)state;
    const double impulse[3] = {0.3, -0.2, 0.1}, place[3] = {0.1, 0.05, 0.15};
    pbs_world *world = weightless_world(PBS_SCHEME_BDF2, 1e-9);
    const pbs_body cube = add_small_cube(world), brick = add_brick(world, brick_sides);
    const pbs_point point = in_tet(cube, 3), corner = at_place(brick, place);
    double momentum[3], turned[3], torque[3];
    assert_ok(pbs_body_apply_impulse(world, &point, impulse));
    momentum_of(world, cube, momentum);
    assert_small(testing_max_difference(momentum, impulse, 3), 1e-15, "momentum");
    assert_ok(pbs_body_apply_impulse(world, &corner, impulse));
    cross3(place, impulse, torque);
    measure_brick(world, brick, turned);
    assert_small(testing_max_difference(turned, torque, 3), 1e-15, "angular momentum");
    // What is held stays.
    const uint32_t *surface = NULL;
    size_t count = 0;
    assert_ok(pbs_body_surface(world, cube, &surface, &count));
    const pbs_point vertex = {
        .struct_size = sizeof vertex, .kind = PBS_POINT_VERTEX, .body = cube, .index = surface[0]};
    double before[3], after[3];
    assert_ok(pbs_body_pin(world, cube, surface, 1, PBS_AXIS_X));
    assert_ok(pbs_world_point_velocity(world, &vertex, before));
    assert_ok(pbs_body_apply_impulse(world, &vertex, impulse));
    assert_ok(pbs_world_point_velocity(world, &vertex, after));
    assert_near(after[0], before[0], 0.0, "held axis");
    assert_true(after[1] < before[1] && after[2] > before[2]);
    pbs_world_destroy(world);
}

// --- how long they act ---

/// A step that fails takes no forces; a saved world has those that wait, and goes on to the bit.
static void pending_forces_are_state(void **state) {
    (void)state;
    const double force[3] = {1.0, 2.0, 3.0}, torque[3] = {0.1, 0.2, -0.1};
    pbs_world *world = weightless_world(PBS_SCHEME_GENERALIZED_ALPHA, 1e-10), *copy = new_world();
    const pbs_body first = add_small_cube(world), cube = add_small_cube(world);
    const pbs_point point = in_tet(cube, 11);
    assert_ok(pbs_body_apply_wrench(world, cube, NULL, torque, PBS_FORCE_LASTING));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_apply_force(world, &point, force, PBS_FORCE_ONCE));
    assert_ok(pbs_body_apply_wrench(world, cube, force, torque, PBS_FORCE_ONCE));
    assert_ok(pbs_body_destroy(world, first));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(copy, saved.data, saved.size));
    for (int i = 0; i < 4; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_world_step(copy, 0.01));
        assert_true(pbs_world_hash(world) == pbs_world_hash(copy));
    }
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(copy);
}

static void failed_steps_take_no_forces(void **state) {
    (void)state;
    const double force[3] = {1.0, 2.0, 3.0};
    int evaluations = 1;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-10);
    const pbs_body cube = add_small_cube(world);
    add_stopping_particle(world, &evaluations);
    assert_ok(pbs_body_apply_wrench(world, cube, force, NULL, PBS_FORCE_ONCE));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_HOST);
    evaluations = 1000;
    assert_near(energy_of(world).external, 0.0, 0.0, "potential");
    assert_ok(pbs_world_step(world, 0.01));
    double momentum[3];
    momentum_of(world, cube, momentum);
    assert_near(momentum[2], 0.03, 1e-9, "momentum");
    pbs_world_destroy(world);
}

static pbs_status step_once(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static void refused_memory_takes_no_forces(void **state) {
    (void)state;
    const double force[3] = {1.0, 2.0, 3.0}, torque[3] = {0.1, 0.0, 0.0};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    const pbs_body cube = add_small_cube(world);
    assert_ok(pbs_world_set_gravity(world, origin));
    assert_ok(pbs_world_step(world, 0.01));
    uint64_t refused = 0;
    assert_ok(pbs_body_apply_wrench(world, cube, force, torque, PBS_FORCE_ONCE));
    assert_ok(refuse_until_success(&allocator, world, step_once, NULL, &refused));
    assert_true(refused > 0);
    double momentum[3];
    momentum_of(world, cube, momentum);
    assert_near(momentum[2], 0.03, 1e-6, "momentum");
    // Once they have been there, forces take no more memory.
    const uint64_t calls = allocator.allocate_count;
    assert_ok(pbs_body_apply_wrench(world, cube, force, torque, PBS_FORCE_ONCE));
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(allocator.allocate_count == calls);
    pbs_world_destroy(world);
}

static void clearing_ends_all_forces(void **state) {
    (void)state;
    const double force[3] = {1.0, 2.0, 3.0};
    pbs_world *world = weightless_world(PBS_SCHEME_NEWMARK, 1e-10);
    const pbs_body cube = add_small_cube(world);
    const uint64_t hash = pbs_world_hash(world);
    double forces[3 * CUBE_VERTICES] = {1.0};
    assert_ok(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES));
    assert_ok(pbs_body_apply_wrench(world, cube, force, force, PBS_FORCE_LASTING));
    assert_ok(pbs_body_apply_wrench(world, cube, force, force, PBS_FORCE_ONCE));
    assert_ok(pbs_body_clear_forces(world, cube));
    assert_ok(pbs_world_step(world, 0.01));
    const double *v = pbs_body_velocities(world, cube);
    for (int k = 0; k < 3 * CUBE_VERTICES; k++) {
        assert_near(v[k], 0.0, 0.0, "velocity");
    }
    assert_true(pbs_world_hash(world) != hash); // of the time alone
    pbs_world_destroy(world);
}

// --- what a host may say ---

static void bad_calls_are_refused(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-9);
    const pbs_body cube = add_small_cube(world);
    const double force[3] = {1.0, 0.0, 0.0}, wrong[3] = {0.0, NAN, 0.0};
    const double huge[3] = {0.0, 0.0, 9e139};
    const pbs_point point = in_tet(cube, 0), space = {.struct_size = sizeof space};
    const pbs_point vertex = {.struct_size = sizeof vertex, .kind = PBS_POINT_VERTEX, .body = cube};
    assert_ok(pbs_body_apply_force(world, &vertex, huge, PBS_FORCE_ONCE));
    assert_ok(pbs_body_apply_wrench(world, cube, NULL, huge, PBS_FORCE_LASTING));
    const struct saved_world before = save_world(world);
    const pbs_status argument = PBS_ERROR_ARGUMENT;
    assert_status(pbs_body_apply_force(NULL, &point, force, 0), argument);
    assert_status(pbs_body_apply_force(world, NULL, force, 0), argument);
    assert_status(pbs_body_apply_force(world, &point, NULL, 0), argument);
    assert_status(pbs_body_apply_force(world, &point, wrong, 0), argument);
    assert_message("force");
    assert_status(pbs_body_apply_force(world, &point, force, 2), argument);
    assert_message("duration is 2");
    assert_status(pbs_body_apply_force(world, &space, force, 0), argument);
    assert_message("in space");
    assert_status(pbs_body_apply_force(world, &vertex, huge, PBS_FORCE_ONCE), argument);
    assert_message("the z component 1.8e+140");
    assert_status(pbs_body_apply_wrench(NULL, cube, force, NULL, 0), argument);
    assert_status(pbs_body_apply_wrench(world, cube, wrong, NULL, 0), argument);
    assert_status(pbs_body_apply_wrench(world, cube, NULL, wrong, 0), argument);
    assert_message("torque");
    assert_status(pbs_body_apply_wrench(world, cube, NULL, huge, PBS_FORCE_LASTING), argument);
    assert_message("the z component 1.8e+140");
    assert_status(pbs_body_apply_wrench(world, cube, force, NULL, -1), argument);
    assert_status(pbs_body_apply_impulse(NULL, &point, force), argument);
    assert_status(pbs_body_apply_impulse(world, &space, force), argument);
    assert_status(pbs_body_apply_impulse(world, &point, wrong), argument);
    assert_status(pbs_body_apply_impulse(world, &vertex, (const double[3]){1e308, 0.0, 0.0}),
                  argument);
    assert_message("velocity");
    assert_status(pbs_body_clear_forces(NULL, cube), argument);
    const struct saved_world after = save_world(world);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, after.size);
    free(before.data);
    free(after.data);
    assert_ok(pbs_body_destroy(world, cube));
    assert_status(pbs_body_apply_force(world, &point, force, 0), PBS_ERROR_HANDLE);
    assert_status(pbs_body_apply_wrench(world, cube, force, NULL, 0), PBS_ERROR_HANDLE);
    assert_status(pbs_body_apply_impulse(world, &point, force), PBS_ERROR_HANDLE);
    assert_status(pbs_body_clear_forces(world, cube), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_make_momentum),
        cmocka_unit_test(forces_at_vertices_are_those_of_vertices),
        cmocka_unit_test(forces_once_act_through_an_advance),
        cmocka_unit_test(forces_off_the_center_turn),
        cmocka_unit_test(torques_make_angular_momentum),
        cmocka_unit_test(torques_turn_soft_bodies),
        cmocka_unit_test(torques_turn_particles_too),
        cmocka_unit_test(torques_about_a_line_do_nothing),
        cmocka_unit_test(work_is_accounted),
        cmocka_unit_test(impulses_change_momentum),
        cmocka_unit_test(pending_forces_are_state),
        cmocka_unit_test(failed_steps_take_no_forces),
        cmocka_unit_test(refused_memory_takes_no_forces),
        cmocka_unit_test(clearing_ends_all_forces),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
