// Forces that the host sets: their effect on bodies, their energy, and refusals.
// SPDX-License-Identifier: MIT
#include "support/random.h"
#include "support/world_testing.h"

static pbs_world *weightless_world(int32_t scheme) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-12;
    pbs_world *world = new_world_from(&settings);
    use_scheme(world, scheme);
    return world;
}

enum { CUBE_VERTICES = 27 };

static const double origin[3] = {0.0, 0.0, 0.0};

static pbs_body add_small_cube(pbs_world *world) {
    return add_cube(world, 2, 0.2, origin, NULL);
}

static void random_forces(struct random *random, size_t count, double size, double *forces) {
    for (size_t i = 0; i < 3 * count; i++) {
        forces[i] = random_uniform(random, -size, size);
    }
}

/// The sum of all forces times the time is the momentum, in every scheme: their sums of forces are
/// means over steps, and those of a constant are that constant.
static void forces_make_momentum(void **state) {
    (void)state;
    for (int32_t scheme = 0; scheme <= PBS_SCHEME_VELOCITY_VERLET; scheme++) {
        struct random random = random_seed(3);
        pbs_world *world = weightless_world(scheme);
        const pbs_body cube = add_small_cube(world);
        double forces[3 * CUBE_VERTICES], sum[3] = {0.0}, momentum[3] = {0.0};
        random_forces(&random, CUBE_VERTICES, 1.0, forces);
        assert_ok(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES));
        const double h = 1e-3;
        for (int i = 0; i < 20; i++) {
            assert_ok(pbs_world_step(world, h));
        }
        const double *v = pbs_body_velocities(world, cube), *mass = pbs_body_masses(world, cube);
        for (int k = 0; k < 3 * CUBE_VERTICES; k++) {
            sum[k % 3] += forces[k];
            momentum[k % 3] += mass[k / 3] * v[k];
        }
        for (int k = 0; k < 3; k++) {
            assert_near(momentum[k], 20.0 * h * sum[k], 1e-10 * 20.0 * h * CUBE_VERTICES,
                        "momentum");
        }
        pbs_world_destroy(world);
    }
}

/// Weight as a force of the host is weight: the same motion, the same energy.
static void weight_is_a_force(void **state) {
    (void)state;
    const double gravity[3] = {1.0, -9.0, 2.0};
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_GENERALIZED_ALPHA,
                               PBS_SCHEME_A_SEARCH, PBS_SCHEME_VELOCITY_VERLET};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world *heavy = weightless_world(schemes[s]), *pulled = weightless_world(schemes[s]);
        const pbs_body a = add_small_cube(heavy), b = add_small_cube(pulled);
        const double *mass = pbs_body_masses(pulled, b);
        const uint32_t held = 4;
        double forces[3 * CUBE_VERTICES];
        for (int k = 0; k < 3 * CUBE_VERTICES; k++) {
            forces[k] = mass[k / 3] * gravity[k % 3];
        }
        assert_ok(pbs_world_set_gravity(heavy, gravity));
        assert_ok(pbs_world_set_gravity(pulled, origin));
        assert_ok(pbs_body_set_forces(pulled, b, forces, CUBE_VERTICES));
        assert_ok(pbs_body_pin(heavy, a, &held, 1, PBS_AXIS_ALL));
        assert_ok(pbs_body_pin(pulled, b, &held, 1, PBS_AXIS_ALL));
        for (int i = 0; i < 10; i++) {
            assert_ok(pbs_world_step(heavy, 5e-3));
            assert_ok(pbs_world_step(pulled, 5e-3));
        }
        const double *x = pbs_body_positions(heavy, a), *y = pbs_body_positions(pulled, b);
        for (int k = 0; k < 3 * CUBE_VERTICES; k++) {
            assert_near(y[k], x[k], 1e-9, "place");
        }
        const pbs_energy by_gravity = energy_of(heavy), by_force = energy_of(pulled);
        assert_true(by_gravity.gravity < -1e-4);
        assert_true(by_gravity.external == 0.0 && by_force.gravity == 0.0);
        assert_near(by_force.external, by_gravity.gravity, 1e-9, "potential");
        assert_near(by_force.total, by_gravity.total, 1e-8, "total energy");
        pbs_world_destroy(heavy);
        pbs_world_destroy(pulled);
    }
}

/// A spring of 30 N/m stretches by F / k, and takes half of what the force gives.
static void springs_stretch_by_the_force(void **state) {
    (void)state;
    const double positions[6] = {0.0, 0.0, 0.0, 0.5, 0.0, 0.0}, masses[2] = {1.0, 1.0};
    const double forces[6] = {0.0, 7.0, 0.0, 6.0, 0.0, 0.0};
    const uint32_t spring[2] = {0, 1}, held = 0;
    pbs_springs_desc d;
    pbs_body body;
    pbs_world *world = weightless_world(PBS_SCHEME_QUASI_STATIC);
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 2;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = 1;
    d.springs = spring;
    d.stiffness = 30.0;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    assert_ok(pbs_world_set_gravity(world, origin));
    assert_ok(pbs_body_pin(world, body, &held, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_set_forces(world, body, forces, 2));
    assert_ok(pbs_world_step(world, 1.0));
    assert_near(pbs_body_positions(world, body)[3], 0.7, 1e-9, "length");
    const pbs_energy energy = energy_of(world);
    assert_near(energy.elastic, 0.5 * 30.0 * 0.04, 1e-8, "elastic energy");
    assert_near(energy.external, -6.0 * 0.2, 1e-8, "external energy");
    // What holds the first vertex bears its own force and the spring's.
    double hold[6];
    assert_ok(pbs_body_constraint_forces(world, body, hold, NULL, 2));
    assert_near(hold[0], -6.0, 1e-7, "force of the pin along the spring");
    assert_near(hold[1], -7.0, 1e-12, "force of the pin across");
    pbs_world_destroy(world);
}

/// Forces on vertices of a stiff body do work by the vertices' ways, and give it its momentum:
/// eight corners have the body's centre as theirs. The midpoint rule keeps the sum of energies up
/// to what it makes of fourth powers in the body's energy.
static void stiff_bodies_take_forces_at_vertices(void **state) {
    (void)state;
    const double sides[3] = {0.2, 0.1, 0.3}, h = 1e-3;
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT);
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    assert_ok(pbs_world_set_gravity(world, origin));
    assert_ok(pbs_body_create_affine(world, &d, &body));
    double forces[3 * 8], from[3 * 8], sum[3] = {0.0}, moved[3] = {0.0}, mass = 0.0, work = 0.0;
    struct random random = random_seed(5);
    random_forces(&random, 8, 20.0, forces);
    memcpy(from, pbs_body_positions(world, body), sizeof from);
    assert_ok(pbs_body_set_forces(world, body, forces, 8));
    for (int i = 0; i < 100; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    const double *x = pbs_body_positions(world, body);
    for (int k = 0; k < 3 * 8; k++) {
        sum[k % 3] += forces[k];
        moved[k % 3] += (x[k] - from[k]) / 8.0;
        work += forces[k] * (x[k] - from[k]);
        mass += k % 3 == 0 ? pbs_body_masses(world, body)[k / 3] : 0.0;
    }
    const double time = 100.0 * h;
    for (int k = 0; k < 3; k++) {
        assert_near(moved[k], 0.5 * sum[k] / mass * time * time, 1e-9, "way of the centre");
    }
    const pbs_energy energy = energy_of(world);
    assert_true(work > 0.1);
    assert_near(energy.external, -work, 1e-9 * work, "work");
    assert_near(energy.total, 0.0, 1e-3 * work, "total energy");
    pbs_world_destroy(world);
}

/// An energy scheme keeps the sum with the forces' potential as it keeps one with gravity's. Where
/// alpha is at a bound of its range a step's error stays for some steps: a few thousandths of what
/// the force gave.
static void energy_schemes_account_for_forces(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_A_SEARCH);
    const pbs_body cube = add_small_cube(world);
    const uint32_t held[] = {0, 1, 2};
    double forces[3 * CUBE_VERTICES] = {0.0}, given = 0.0, missed = 0.0;
    forces[3 * 26 + 1] = 3.0;
    assert_ok(pbs_world_set_gravity(world, origin));
    assert_ok(pbs_body_pin(world, cube, held, 3, PBS_AXIS_ALL));
    assert_ok(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES));
    for (int i = 0; i < 60; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        const pbs_energy energy = energy_of(world);
        given = fmax(given, -energy.external);
        missed = fmax(missed, fabs(energy.total));
    }
    assert_true(given > 0.1);
    assert_near(missed, 0.0, 0.01 * given, "total energy");
    pbs_world_destroy(world);
}

// --- what a host may say ---

static void bad_forces_are_refused(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_NEWMARK);
    const pbs_body cube = add_small_cube(world);
    double forces[3 * CUBE_VERTICES] = {1.0};
    assert_ok(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES));
    assert_ok(pbs_world_step(world, 0.01));
    const struct saved_world before = save_world(world);
    assert_status(pbs_body_set_forces(NULL, cube, forces, CUBE_VERTICES), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_forces(world, cube, NULL, CUBE_VERTICES), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_forces(world, cube, forces, 26), PBS_ERROR_ARGUMENT);
    assert_message("vertex_count is 26, but the body has 27 vertices");
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1.1e140};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        forces[3 * 7 + 2] = wrong[i];
        assert_status(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES), PBS_ERROR_ARGUMENT);
        assert_message("forces");
    }
    const struct saved_world after = save_world(world);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, after.size);
    free(before.data);
    free(after.data);
    assert_ok(pbs_body_destroy(world, cube));
    assert_status(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

/// Forces stay with their bodies when others go, are saved, and restored worlds go on to the bit;
/// zeros end them.
static void forces_stay_until_changed(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_NEWMARK), *copy = new_world();
    const pbs_body first = add_small_cube(world), cube = add_small_cube(world);
    struct random random = random_seed(9);
    double forces[3 * CUBE_VERTICES];
    random_forces(&random, CUBE_VERTICES, 1.0, forces);
    assert_ok(pbs_world_set_gravity(world, origin));
    assert_ok(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES));
    assert_ok(pbs_body_destroy(world, first));
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(energy_of(world).kinetic > 0.0);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(copy, saved.data, saved.size));
    free(saved.data);
    for (int i = 0; i < 5; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_world_step(copy, 0.01));
    }
    assert_true(pbs_world_hash(world) == pbs_world_hash(copy));
    assert_true(energy_of(copy).external < 0.0);
    memset(forces, 0, sizeof forces);
    assert_ok(pbs_body_set_forces(world, cube, forces, CUBE_VERTICES));
    assert_true(energy_of(world).external == 0.0);
    pbs_world_destroy(world);
    pbs_world_destroy(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_make_momentum),
        cmocka_unit_test(weight_is_a_force),
        cmocka_unit_test(springs_stretch_by_the_force),
        cmocka_unit_test(stiff_bodies_take_forces_at_vertices),
        cmocka_unit_test(energy_schemes_account_for_forces),
        cmocka_unit_test(bad_forces_are_refused),
        cmocka_unit_test(forces_stay_until_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
