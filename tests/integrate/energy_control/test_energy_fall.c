// Energy control under constant forces (docs/theory/energy_control.md section 4): a fall leaves
// spin and vibration alone, bounces return to their height, losses are those of the mean velocity.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

static const double gravity_of_earth = 9.81;
static const int32_t over_euler[] = {PBS_SCHEME_A_1, PBS_SCHEME_A_SEARCH,
                                     PBS_SCHEME_SPARSE_A_SEARCH};

static pbs_integrator_desc describe(int32_t scheme) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    return d;
}

static pbs_world *world_with(const pbs_world_desc *settings, const pbs_integrator_desc *d) {
    pbs_world *world = new_world_from(settings);
    use_integrator(world, d);
    return world;
}

static pbs_world_desc settings_with(double gravity, double tolerance) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -gravity;
    d.relative_tolerance = tolerance;
    // Nothing is met, and stages are solved until forces balance.
    d.contact = PBS_CONTACT_PROJECTION;
    d.velocity_tolerance = 0.0;
    return d;
}

// --- what is measured ---

struct motion {
    double mass, center[3], velocity[3];
    double momentum[3]; ///< angular, about the centre
    double vibration;   ///< J: kinetic energy about the centre's
};

static struct motion motion_of(pbs_world *world, pbs_body body) {
    struct motion m = {0};
    const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
    const double *mass = pbs_body_masses(world, body);
    const size_t count = pbs_body_vertex_count(world, body);
    for (size_t i = 0; i < count; i++) {
        m.mass += mass[i];
        add_scaled3(m.center, mass[i], x + 3 * i, m.center);
        add_scaled3(m.velocity, mass[i], v + 3 * i, m.velocity);
    }
    scale3(1.0 / m.mass, m.center, m.center);
    scale3(1.0 / m.mass, m.velocity, m.velocity);
    for (size_t i = 0; i < count; i++) {
        double arm[3], own[3], moment[3];
        subtract3(x + 3 * i, m.center, arm);
        subtract3(v + 3 * i, m.velocity, own);
        cross3(arm, own, moment);
        add_scaled3(m.momentum, mass[i], moment, m.momentum);
        m.vibration += 0.5 * mass[i] * dot3(own, own);
    }
    return m;
}

/// J/kg: elastic and kinetic energy in the frame of the centre.
static double internal_energy(pbs_world *world, pbs_body body) {
    const struct motion m = motion_of(world, body);
    return (energy_of(world).elastic + m.vibration) / m.mass;
}

/// J: what is kept with the energy, h/2 m g.v of a body that falls.
static double shift_of(pbs_world *world, pbs_body body, double h) {
    const struct motion m = motion_of(world, body);
    return -0.5 * h * gravity_of_earth * m.mass * m.velocity[1];
}

// --- bodies that fall ---

/// 20 x 10 x 6 cm, 1e7 Pa, turning at 5 rad/s about z.
static pbs_body add_brick(pbs_world *world) {
    const double sides[3] = {0.2, 0.1, 0.06};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.stiffness = 1e7;
    d.angular_velocity[2] = 5.0;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// How much of the angular momentum about z a brick keeps in a fall of two seconds. turning:
/// gravity turns by 90 degrees in each step.
static double spin_left(int32_t scheme, int steps_a_second, bool by_island, bool turning) {
    const pbs_world_desc settings = settings_with(gravity_of_earth, 1e-9);
    pbs_integrator_desc d = describe(scheme);
    d.energy_control.by_island = by_island;
    pbs_world *world = world_with(&settings, &d);
    const pbs_body brick = add_brick(world);
    const double first = motion_of(world, brick).momentum[2];
    for (int i = 0; i < 2 * steps_a_second; i++) {
        const double g = gravity_of_earth;
        const double turned[4][3] = {{0.0, -g, 0.0}, {g, 0.0, 0.0}, {0.0, g, 0.0}, {-g, 0.0, 0.0}};
        if (turning) {
            assert_ok(pbs_world_set_gravity(world, turned[i % 4]));
        }
        assert_ok(pbs_world_step(world, 1.0 / steps_a_second));
    }
    const double left = motion_of(world, brick).momentum[2] / first;
    pbs_world_destroy(world);
    return left;
}

/// Without gravity .994 and .999 are left; a target of the energy itself made 5.6 and 2.9 of it.
static void a_falling_brick_keeps_its_spin(void **state) {
    (void)state;
    for (size_t s = 1; s < COUNT_OF(over_euler); s++) {
        for (int by_island = 0; by_island < 2; by_island++) {
            for (int turning = 0; turning < 2; turning++) {
                assert_near(spin_left(over_euler[s], 60, by_island, turning), 1.0, 0.01, "1/60 s");
                assert_near(spin_left(over_euler[s], 240, by_island, turning), 1.0, 0.002,
                            "1/240 s");
            }
        }
    }
}

/// All schemes with energy control turn a brick that falls as one that floats; blending mixed the
/// fall of implicit Euler in and doubled the energy. What tolerances leave grows over 240 steps.
static void a_fall_is_as_floating(void **state) {
    (void)state;
    for (int32_t scheme = PBS_SCHEME_A_1; scheme <= PBS_SCHEME_ENERGY_BLENDING; scheme++) {
        double spin[2];
        for (int k = 0; k < 2; k++) {
            const pbs_world_desc settings = settings_with(k * gravity_of_earth, 1e-9);
            const pbs_integrator_desc d = describe(scheme);
            pbs_world *world = world_with(&settings, &d);
            const pbs_body brick = add_brick(world);
            for (int i = 0; i < 240; i++) {
                assert_ok(pbs_world_step(world, 1.0 / 60.0));
            }
            spin[k] = motion_of(world, brick).momentum[2];
            pbs_world_destroy(world);
        }
        assert_near(spin[1], spin[0], 1e-4 * fabs(spin[0]), "angular momentum");
    }
}

struct fall {
    double h, duration, vibration; ///< s, s, m/s
    double speed;                  ///< m/s, of the whole, along x and up
    double gravity, drag;
};

/// A cube of 27 smaller ones, 3e5 Pa, that stretches along x and shrinks along z; its vertices
/// become x, about its centre.
static void drop_cube(const struct fall *fall, double *x, double energies[2]) {
    enum { SIDE = 4, COUNT = SIDE * SIDE * SIDE };
    double corner[3] = {-0.15, -0.15, -0.15}, v[3 * COUNT] = {0.0};
    // Of a reference force of 2.4e4 N: 480 steps that end with as much put 1e-14 J/kg into it.
    const pbs_world_desc settings = settings_with(fall->gravity, 1e-10);
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_world *world = world_with(&settings, &d);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 3e5;
    solid.poisson = 0.3;
    solid.density = 500.0;
    solid.material = PBS_MATERIAL_STABLE_NEO_HOOKEAN;
    solid.drag = fall->drag;
    const pbs_body cube = add_cube(world, 3, 0.3, corner, &solid);
    const double *start = pbs_body_positions(world, cube);
    for (size_t i = 0; i < COUNT; i++) {
        v[3 * i] = fall->speed + fall->vibration * start[3 * i] / 0.15;
        v[3 * i + 1] = fall->speed;
        v[3 * i + 2] = -fall->vibration * start[3 * i + 2] / 0.15;
    }
    assert_ok(pbs_body_set_velocities(world, cube, v, COUNT));
    energies[0] = internal_energy(world, cube);
    for (int i = 0; i < (int)lround(fall->duration / fall->h); i++) {
        assert_ok(pbs_world_step(world, fall->h));
    }
    energies[1] = internal_energy(world, cube);
    const struct motion m = motion_of(world, cube);
    for (size_t i = 0; x != NULL && i < COUNT; i++) {
        subtract3(pbs_body_positions(world, cube) + 3 * i, m.center, x + 3 * i);
    }
    pbs_world_destroy(world);
}

/// The same where a host sets nothing but gravity: stages are solved far enough. At the tolerance
/// of schemes without energy control A-1 multiplied the energy by 7.5, and A-search lost .04 of the
/// momentum.
static void defaults_solve_a_fall_far_enough(void **state) {
    (void)state;
    for (int32_t scheme = PBS_SCHEME_A_1; scheme <= PBS_SCHEME_ENERGY_BLENDING; scheme++) {
        double spin[2];
        for (int k = 0; k < 2; k++) {
            pbs_world_desc settings;
            assert_ok(pbs_world_desc_init(&settings, sizeof settings));
            settings.gravity[1] = -k * gravity_of_earth;
            const pbs_integrator_desc d = describe(scheme);
            pbs_world *world = world_with(&settings, &d);
            const pbs_body brick = add_brick(world);
            for (int i = 0; i < 120; i++) {
                assert_ok(pbs_world_step(world, 1.0 / 60.0));
            }
            spin[k] = motion_of(world, brick).momentum[2];
            pbs_world_destroy(world);
        }
        assert_near(spin[1], spin[0], 1e-2 * fabs(spin[0]), "angular momentum");
    }
}

/// A target of the energy itself gave both 0.4 J/kg, g^2 h t / 2.
static void a_fall_does_not_heat(void **state) {
    (void)state;
    double energies[2];
    const struct fall still = {1.0 / 240.0, 2.0, 1e-6, 0.0, gravity_of_earth, 0.0};
    drop_cube(&still, NULL, energies);
    assert_small(energies[1], 1e-12, "internal energy, J/kg");
    const struct fall vibrating = {1.0 / 60.0, 2.0, 0.3, 0.0, gravity_of_earth, 0.0};
    drop_cube(&vibrating, NULL, energies);
    assert_near(energies[1], energies[0], 0.01 * energies[0], "internal energy, J/kg");
}

/// What happens inside does not depend on how fast the whole moves, nor on that it falls. The bound
/// is what the tolerance leaves of each step's positions, over 60 steps.
static void frames_agree_on_a_fall(void **state) {
    (void)state;
    enum { COUNT = 3 * 64 };
    double energies[2];
    double still[COUNT], moved[COUNT], falling[COUNT];
    struct fall fall = {1.0 / 60.0, 1.0, 0.3, 0.0, 0.0, 0.0};
    drop_cube(&fall, still, energies);
    fall.speed = 3.0;
    drop_cube(&fall, moved, energies);
    fall.gravity = gravity_of_earth;
    drop_cube(&fall, falling, energies);
    assert_small(testing_max_difference(still, moved, COUNT), 1e-9, "moved, m");
    assert_small(testing_max_difference(still, falling, COUNT), 1e-9, "falling, m");
}

/// Drag of all alike takes nothing from the inside but what it damps there. Counted by the velocity
/// at the end of each step it heated to 0.037 J/kg.
static void drag_does_not_heat(void **state) {
    (void)state;
    double energies[2];
    const struct fall fall = {1.0 / 60.0, 2.0, 0.03, 3.0, 0.0, 1.0};
    drop_cube(&fall, NULL, energies);
    assert_true(energies[0] > 1e-5);
    assert_small(energies[1], energies[0], "internal energy, J/kg");
}

// --- bodies that bounce ---

enum { HIT_LIMIT = 40 };

struct bounces {
    int count;
    double tops[HIT_LIMIT]; ///< over the height of the drop
    double alpha_low, alpha_high;
};

/// From the centre and its velocity of half a step later: the parabola that positions are on.
static double top_of(pbs_world *world, pbs_body body, double h) {
    const struct motion m = motion_of(world, body);
    const double speed = m.velocity[1] - 0.5 * h * gravity_of_earth;
    return m.center[1] + 0.5 * speed * speed / gravity_of_earth;
}

// Seconds, eight hits. A cube that lands flat tips over sooner or later: a spin of 1e-16 grows
// about tenfold with each hit, and to what is seen in a dozen.
static const double BOUNCING = 6.0;

static void follow_bounces(double flight, double contact, bool alternating, struct bounces *out) {
    const double drop = 0.5, sides[3] = {0.1, 0.1, 0.1};
    pbs_world_desc settings = settings_with(gravity_of_earth, 1e-8);
    settings.contact = PBS_CONTACT_BARRIER;
    settings.contact_distance = 1e-3;
    settings.contact_stiffness = 1e5;
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_world *world = world_with(&settings, &d);
    add_ground(world);
    struct box_surface box;
    pbs_affine_desc affine;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &affine);
    affine.stiffness = 1e7;
    affine.position[1] = 0.051 + drop;
    assert_ok(pbs_body_create_affine(world, &affine, &body));
    *out = (struct bounces){.alpha_low = 1.0, .alpha_high = 1.0};
    bool flies = false;
    int step = 0;
    while (pbs_world_time(world) < BOUNCING) {
        const bool near = motion_of(world, body).center[1] < 0.12;
        const double h = near ? contact : alternating && step++ % 2 == 0 ? 0.1 * flight : flight;
        assert_ok(pbs_world_step(world, h));
        const pbs_stats stats = stats_of(world);
        out->alpha_low = fmin(out->alpha_low, stats.energy_control.alpha_low);
        out->alpha_high = fmax(out->alpha_high, stats.energy_control.alpha_high);
        if (stats.contact.active == 0 && out->count < HIT_LIMIT) {
            out->count += !flies;
            out->tops[out->count - 1] = (top_of(world, body, h) - 0.051) / drop;
        }
        flies = stats.contact.active == 0;
    }
    pbs_world_destroy(world);
}

/// With a target of the energy itself 0.90 and 0.97 of the height were left after 17 hits.
static void bounces_return_to_their_height(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct bounces b;
        const double h = k == 0 ? 1.0 / 60.0 : 1.0 / 240.0;
        follow_bounces(h, h, false, &b);
        assert_true(b.count > 7);
        for (int i = 0; i < b.count; i++) {
            assert_near(b.tops[i], 1.0, 0.005, "height of the drop");
        }
        assert_true(b.alpha_low >= 0.0 && b.alpha_high <= 1.1 && b.alpha_high > b.alpha_low);
    }
}

/// Targets of the energy itself lost 0.1 m a bounce with short steps in contact and gained with
/// long ones; the last row changes the step in each step of the flight.
static void changes_of_the_step_keep_the_height(void **state) {
    (void)state;
    static const struct {
        double flight, contact;
        bool alternating;
    } rows[] = {{1.0 / 60.0, 1.0 / 600.0, false},
                {1.0 / 600.0, 1.0 / 60.0, false},
                {1.0 / 60.0, 1.0 / 60.0, true}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct bounces b;
        follow_bounces(rows[k].flight, rows[k].contact, rows[k].alternating, &b);
        assert_true(b.count > 7);
        for (int i = 0; i < b.count; i++) {
            assert_near(b.tops[i], 1.0, 0.05, "height of the drop");
        }
        assert_near(b.tops[b.count - 1], b.tops[1], 0.01, "trend");
    }
}

/// A cube that stands on the ground goes on standing.
static void what_rests_stays(void **state) {
    (void)state;
    pbs_world_desc settings = settings_with(gravity_of_earth, 1e-9);
    settings.contact = PBS_CONTACT_BARRIER;
    settings.contact_distance = 1e-3;
    settings.contact_stiffness = 1e5;
    const pbs_integrator_desc euler = describe(PBS_SCHEME_IMPLICIT_EULER);
    pbs_world *world = world_with(&settings, &euler);
    add_ground(world);
    const double corner[3] = {0.0, 1e-3, 0.0};
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 1e5;
    const pbs_body cube = add_cube(world, 1, 0.1, corner, &solid);
    for (int i = 0; i < 300; i++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    use_integrator(world, &d);
    for (int i = 0; i < 240; i++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    const double *v = pbs_body_velocities(world, cube);
    for (int i = 0; i < 24; i++) {
        assert_small(fabs(v[i]), 1e-7, "speed, m/s");
    }
    pbs_world_destroy(world);
}

// --- targets ---

/// With a convex potential the shifted energy never exceeds its target; springs of no length at
/// rest are convex.
static int32_t pull_together(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian) {
    double between[3];
    (void)user;
    (void)stencil;
    (void)project;
    subtract3(x, x + 3, between);
    if (value != NULL) {
        *value = 0.5 * 400.0 * dot3(between, between);
    }
    for (int i = 0; gradient != NULL && i < 3; i++) {
        gradient[i] = 400.0 * between[i];
        gradient[3 + i] = -gradient[i];
    }
    for (int i = 0; hessian != NULL && i < 36; i++) {
        const int row = i / 6, column = i % 6;
        hessian[i] = row % 3 != column % 3 ? 0.0 : row == column ? 400.0 : -400.0;
    }
    return 0;
}

static void the_target_is_a_bound(void **state) {
    (void)state;
    const double positions[9] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.4, 0.1};
    const double masses[3] = {1.0, 0.5, 2.0};
    const uint32_t stencils[6] = {0, 1, 1, 2, 2, 0};
    const pbs_world_desc settings = settings_with(gravity_of_earth, 1e-10);
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_world *world = world_with(&settings, &d);
    pbs_custom_desc c;
    springs_describe(&c, 3, positions, masses, 3, stencils);
    c.evaluate = pull_together;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    const double first = energy_of(world).total;
    for (int i = 0; i < 300; i++) {
        assert_ok(pbs_world_step(world, 0.02));
        const double shift = shift_of(world, body, 0.02);
        const pbs_stats stats = stats_of(world);
        assert_near(stats.energy_control.target + shift, first,
                    1e-12 * fabs(stats.energy_control.target) + 1e-11, "target");
        assert_small(stats.energy_control.reached - stats.energy_control.target,
                     1e-10 * (fabs(first) + fabs(stats.energy_control.target)), "above the target");
    }
    pbs_world_destroy(world);
}

/// A corner that is held and let go again: what is kept is H while it is held, H and the shift
/// while it falls, and the change from the one to the other is work.
static void holding_changes_what_is_kept(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0}, h = 0.01;
    const uint32_t held = 0;
    const pbs_world_desc settings = settings_with(gravity_of_earth, 1e-9);
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_world *world = world_with(&settings, &d);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 1e5;
    const pbs_body cube = add_cube(world, 1, 0.1, corner, &solid);
    double kept = energy_of(world).total;
    for (int i = 0; i < 60; i++) {
        const bool falls = i / 20 % 2 == 0;
        const double before = shift_of(world, cube, h),
                     target = stats_of(world).energy_control.target;
        if (i == 20) {
            assert_ok(pbs_body_pin(world, cube, &held, 1, PBS_AXIS_ALL));
        } else if (i == 40) {
            assert_ok(pbs_body_unpin(world, cube, &held, 1, PBS_AXIS_ALL));
        }
        assert_ok(pbs_world_step(world, h));
        const pbs_stats stats = stats_of(world);
        kept += stats.energy_control.work;
        const double shift = falls ? shift_of(world, cube, h) : 0.0;
        assert_near(stats.energy_control.target + shift, kept, 1e-11, "target");
        if (i == 40) {
            // Nothing does work, so the target of H moves by what the shift does in the step.
            assert_near(stats.energy_control.target - target, before - shift, 1e-11, "target of H");
        }
    }
    pbs_world_destroy(world);
}

// --- a host's constant force ---

static int32_t pull_along_z(void *user, size_t stencil, const double *x, int32_t project,
                            double *value, double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = -5.0 * x[2];
    }
    if (gradient != NULL) {
        gradient[0] = gradient[1] = 0.0;
        gradient[2] = -5.0;
    }
    if (hessian != NULL) {
        memset(hessian, 0, 9 * sizeof *hessian);
    }
    return 0;
}

/// A particle that a host pulls, beside a cube that vibrates: one alpha for both, and neither takes
/// from the other. Not marked as linear, the pull heats the cube.
static void a_constant_force_leaves_others_alone(void **state) {
    (void)state;
    for (int is_linear = 0; is_linear < 2; is_linear++) {
        const double corner[3] = {0.0, 0.0, 0.0}, position[3] = {1.0, 0.0, 0.0}, h = 0.02;
        const pbs_world_desc settings = settings_with(0.0, 1e-9);
        const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
        pbs_world *world = world_with(&settings, &d);
        double velocities[24] = {0.0};
        velocities[0] = 0.1;
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.young = 1e5;
        solid.initial_velocities = velocities;
        const pbs_body cube = add_cube(world, 1, 0.1, corner, &solid);
        pbs_custom_desc c;
        point_describe(&c, position, pull_along_z, NULL);
        c.is_linear = is_linear;
        pbs_body point;
        assert_ok(pbs_body_create_custom(world, &c, &point));
        const double inside = internal_energy(world, cube);
        const double first = energy_of(world).total;
        for (int i = 0; i < 100; i++) {
            assert_ok(pbs_world_step(world, h));
            const double shift = 0.5 * h * 5.0 * pbs_body_velocities(world, point)[2];
            if (is_linear) {
                assert_near(stats_of(world).energy_control.target + shift, first, 1e-9, "target");
            }
        }
        const double after = internal_energy(world, cube);
        assert_true(is_linear ? after < 1.001 * inside : after > 2.0 * inside);
        pbs_world_destroy(world);
    }
}

// --- continuation ---

/// A world saved in flight goes on with the same bits, through a change of the step too; and halves
/// of a step that is divided stay on the parabola.
static void a_saved_fall_goes_on(void **state) {
    (void)state;
    const pbs_world_desc settings = settings_with(gravity_of_earth, 1e-9);
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_world *world = world_with(&settings, &d);
    pbs_body brick = add_brick(world);
    for (int i = 0; i < 7; i++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    struct saved_world saved = save_world(world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    free(saved.data);
    const double top = top_of(world, brick, 1.0 / 60.0);
    for (int i = 0; i < 5; i++) {
        const double h = i % 2 == 0 ? 1.0 / 240.0 : 1.0 / 30.0;
        assert_ok(pbs_world_step(world, h));
        assert_ok(pbs_world_step(other, h));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        assert_near(top_of(world, brick, h), top, 1e-12, "top of the parabola");
        // A target that does not follow the change of the step is off by 2.4e-3 J and more.
        const pbs_stats stats = stats_of(world);
        assert_near(stats.energy_control.reached, stats.energy_control.target, 5e-4,
                    "energy beside its target");
    }
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// A pinned cube in its rest shape without any force, in a turned place where rounding leaves
/// forces: none of the searches makes motion of that. With sparse search alone, whose corrections
/// once came every third step, it had 28 kJ after 800 steps in some place: cycles of alpha = 1, 1,
/// 0 are unstable for stiff modes.
static void rounding_stays_rounding(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(over_euler); i++) {
        const pbs_world_desc settings = settings_with(0.0, 1e-8);
        const pbs_integrator_desc d = describe(over_euler[i]);
        pbs_world *world = world_with(&settings, &d);
        const double corner[3] = {0.1, 0.7, -0.3};
        const uint32_t pinned[2] = {0, 1};
        pbs_solid_desc like;
        assert_ok(pbs_solid_desc_init(&like, sizeof like));
        like.young = 1e6;
        const pbs_body body = add_cube(world, 2, 0.3, corner, &like);
        double *x = malloc(3 * pbs_body_vertex_count(world, body) * sizeof *x);
        assert_non_null(x);
        memcpy(x, pbs_body_positions(world, body),
               3 * pbs_body_vertex_count(world, body) * sizeof *x);
        for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
            const double turned[2] = {0.6 * x[3 * v] - 0.8 * x[3 * v + 1],
                                      0.8 * x[3 * v] + 0.6 * x[3 * v + 1]};
            memcpy(x + 3 * v, turned, sizeof turned);
        }
        assert_ok(pbs_body_set_positions(world, body, x, pbs_body_vertex_count(world, body)));
        assert_ok(pbs_body_pin(world, body, pinned, 2, PBS_AXIS_ALL));
        for (int k = 0; k < 800; k++) {
            assert_ok(pbs_world_step(world, 2.5e-3));
        }
        // A-1 lets what rounding leaves at first vibrate on, and add up.
        assert_small(energy_of(world).total, 1e-9, "energy");
        free(x);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_brick_keeps_its_spin),
        cmocka_unit_test(a_fall_is_as_floating),
        cmocka_unit_test(defaults_solve_a_fall_far_enough),
        cmocka_unit_test(a_fall_does_not_heat),
        cmocka_unit_test(frames_agree_on_a_fall),
        cmocka_unit_test(drag_does_not_heat),
        cmocka_unit_test(bounces_return_to_their_height),
        cmocka_unit_test(changes_of_the_step_keep_the_height),
        cmocka_unit_test(what_rests_stays),
        cmocka_unit_test(rounding_stays_rounding),
        cmocka_unit_test(the_target_is_a_bound),
        cmocka_unit_test(holding_changes_what_is_kept),
        cmocka_unit_test(a_constant_force_leaves_others_alone),
        cmocka_unit_test(a_saved_fall_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
