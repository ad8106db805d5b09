// Explicit steps: how long they may be, how a world divides its own, and what free vibration keeps.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "scenes/bonds/cubic_tets.h"
#include "support/scenes/bonded_bodies.h"

static pbs_world *explicit_world(double share, int32_t threads) {
    pbs_world_desc d;
    pbs_integrator_desc i;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    memset(d.gravity, 0, sizeof d.gravity);
    d.contact = PBS_CONTACT_PROJECTION;
    d.threads = threads;
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_integrator_desc_init(&i, sizeof i, PBS_SCHEME_VELOCITY_VERLET));
    i.parameters[0] = share;
    assert_ok(pbs_integrator_create(&i, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    return world;
}

/// A box of body-centred cubic cells of side h, E = 1e7, G = 0.4 E, rho = 1000, thrown and turning
/// with 3 u rad/s, and bent by the shear of a velocity u l sin(x / l) across, l the box's width.
static pbs_body add_tets(pbs_world *world, size_t n, double h, double u) {
    const size_t cells[3] = {n, n, 2 * n};
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_body body;
    assert_true(cubic_tets_make(&mesh, cells, h, 0.1));
    assert_ok(pbs_bonded_desc_init(&d, sizeof d));
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.young = 1e7;
    d.shear_modulus = 4e6;
    d.density = 1000.0;
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    const double l = h * (double)n;
    double *v = malloc(6 * count * sizeof *v);
    double *w = v + 3 * count;
    for (size_t k = 0; k < 3 * count; k += 3) {
        const double p = x[k + 2] / l;
        v[k] = u * (l * sin(p) - 3.0 * x[k + 1] + 0.2);
        v[k + 1] = u * 3.0 * x[k];
        v[k + 2] = 0.1 * u;
        // Half the curl.
        w[k] = 0.0;
        w[k + 1] = 0.5 * u * cos(p);
        w[k + 2] = 3.0 * u;
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    assert_ok(pbs_body_set_angular_velocities(world, body, w, count));
    free(v);
    cubic_tets_free(&mesh);
    return body;
}

/// Of a spring: 2 / w, w^2 = k (1 / m1 + 1 / m2). Twenty power iterations from any vector find the
/// only frequency to rounding.
static void a_spring_has_its_stable_step(void **state) {
    (void)state;
    const double k = 500.0, masses[2] = {0.2, 0.3}, length = 1.0;
    const double positions[6] = {0.0, 0.0, 0.0, length, 0.0, 0.0};
    const uint32_t pairs[2] = {0, 1};
    pbs_world *world = explicit_world(0.5, 1);
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 2;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = 1;
    d.springs = pairs;
    d.stiffness = k;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    const double stable = 2.0 / sqrt(k * (1.0 / masses[0] + 1.0 / masses[1]));
    assert_ok(pbs_world_step(world, 7.3 * 0.5 * stable));
    assert_near(stats_of(world).step.stable_step, stable, 1e-12, "stable step");
    assert_int_equal(stats_of(world).step.explicit_steps, 8);
    assert_ok(pbs_world_step(world, 0.49 * stable));
    assert_int_equal(stats_of(world).step.explicit_steps, 1);
    assert_near(pbs_world_time(world), (3.65 + 0.49) * stable, 1e-15, "time");
    // One that has no forces has any step.
    assert_ok(pbs_body_destroy(world, body));
    pbs_world_destroy(world);
}

/// dt_c = 0.194 h sqrt(rho / E) of body-centred cubic cells (measured by Lanczos iterations to
/// convergence on 4800 tetrahedra), of which 20 power iterations find up to 1.06: the estimate is
/// from above. Jitter makes smaller tetrahedra, on which the fastest mode sits: 0.9 is left of it.
static void tetrahedra_have_the_stable_step_of_their_cells(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double h = i == 0 ? 0.0625 : 0.001;
        pbs_world *world = explicit_world(0.8, 1);
        add_tets(world, 3, h, 0.0);
        assert_ok(pbs_world_step(world, 1e-3 * h));
        const double stable = stats_of(world).step.stable_step;
        assert_near(stable / (h * sqrt(1000.0 / 1e7)), 0.194, 0.02, "stable step in cells");
        pbs_world_destroy(world);
    }
}

struct motion {
    double energy, linear[3], angular[3];
};

/// About the origin, spins of spheres included.
static struct motion measure(const pbs_world *world, pbs_body body) {
    struct motion m = {0};
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    const double *w = pbs_body_angular_velocities(world, body);
    const double *mass = pbs_body_masses(world, body);
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        // The sphere of the particle's volume, rho = 1000.
        const double radius = cbrt(3.0 * mass[i] / (4.0 * 3.14159265358979323846 * 1000.0));
        double moment[3];
        cross3(x + 3 * i, v + 3 * i, moment);
        add_scaled3(m.linear, mass[i], v + 3 * i, m.linear);
        add_scaled3(m.angular, mass[i], moment, m.angular);
        add_scaled3(m.angular, 0.4 * mass[i] * radius * radius, w + 3 * i, m.angular);
    }
    m.energy = energy_of(world).total;
    return m;
}

/// A free body that vibrates and tumbles, at 0.66 of its stable step: what velocity Verlet keeps
/// oscillates with the square of the step times the frequencies that move, far below the highest; P
/// and L lose rounding alone, as forces and moments of a bond balance.
static void free_vibration_keeps_energy_and_momentum(void **state) {
    (void)state;
    pbs_world *world = explicit_world(0.66, 1);
    const pbs_body body = add_tets(world, 3, 0.03125, 1.0);
    const struct motion start = measure(world, body);
    double spread = 0.0;
    for (int i = 0; i < 20; i++) {
        // A hundred steps each, give or take one.
        const double h = i == 0 ? 1e-9 : 100.0 * 0.66 * stats_of(world).step.stable_step;
        assert_ok(pbs_world_step(world, h));
        spread = fmax(spread, fabs(measure(world, body).energy / start.energy - 1.0));
    }
    const struct motion end = measure(world, body);
    assert_small(spread, 3e-5, "energy");
    const double p = norm3(start.linear);
    const double l = norm3(start.angular);
    for (int k = 0; k < 3; k++) {
        assert_near(end.linear[k], start.linear[k], 1e-12 * p, "P");
        assert_near(end.angular[k], start.angular[k], 1e-12 * l, "L");
    }
    pbs_world_destroy(world);
}

/// Whatever the threads, and whether it went on or was saved in between.
static void the_bits_are_the_same(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (uint32_t run = 0; run < 3; run++) {
        pbs_world *world = explicit_world(0.8, run == 1 ? 3 : 1);
        const pbs_body body = add_tets(world, 2, 0.05, 3.0);
        assert_ok(pbs_body_pin(world, body, (const uint32_t[]){0, 5}, 2, PBS_AXIS_ALL));
        assert_ok(pbs_world_step(world, 0.01));
        assert_true(stats_of(world).step.explicit_steps > 50);
        if (run == 2) {
            size_t size = 0;
            assert_ok(pbs_world_save(world, NULL, &size));
            unsigned char *bytes = malloc(size);
            assert_ok(pbs_world_save(world, bytes, &size));
            pbs_world *other = explicit_world(0.3, 2);
            assert_ok(pbs_world_restore(other, bytes, size));
            pbs_world_destroy(world);
            world = other;
            free(bytes);
        }
        // Beyond the life of an estimate.
        assert_ok(pbs_world_step(world, 0.05));
        hashes[run] = pbs_world_hash(world);
        pbs_world_destroy(world);
    }
    assert_true(hashes[1] == hashes[0]);
    assert_true(hashes[2] == hashes[0]);
}

/// A collider far away takes the general way, which turns rotations in their chart and projects.
static void what_touches_nothing_moves_alike(void **state) {
    (void)state;
    double ends[2][3];
    for (int far = 0; far < 2; far++) {
        pbs_world *world = explicit_world(0.8, 1);
        const double gravity[3] = {0.0, -9.81, 1.0};
        const pbs_body body = add_tets(world, 2, 0.05, 3.0);
        const size_t count = pbs_body_vertex_count(world, body);
        pbs_collider_desc d;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        d.position[1] = -100.0;
        if (far == 1) {
            assert_ok(pbs_collider_create(world, &d, &collider));
        }
        assert_ok(pbs_world_set_gravity(world, gravity));
        assert_ok(pbs_body_pin(world, body, (const uint32_t[]){0, 5}, 2, PBS_AXIS_ALL));
        assert_ok(pbs_body_set_targets(world, body, (const uint32_t[]){0}, 1,
                                       (const double[]){0.01, 0.02, 0.03}));
        assert_ok(pbs_body_pin_orientations(world, body, (const uint32_t[]){7}, 1));
        assert_ok(pbs_body_set_target_orientations(world, body, (const uint32_t[]){9}, 1,
                                                   (const double[]){0.0, sin(0.1), 0.0, cos(0.1)}));
        assert_ok(pbs_world_step(world, 0.01));
        memcpy(ends[far], pbs_body_positions(world, body) + 3 * (count - 1), sizeof ends[far]);
        assert_near(pbs_body_positions(world, body)[1], 0.02, 0.0, "target");
        assert_near(pbs_body_orientations(world, body)[4 * 9 + 1], sin(0.1), 1e-14, "turn");
        pbs_world_destroy(world);
    }
    // A hundred steps of rounding, which a body that is only stiff does not multiply.
    assert_small(testing_max_difference(ends[0], ends[1], 3), 1e-13, "end");
}

/// Two particles that turn against each other by more than half a turn in a step: the orientations,
/// which have turned by then, come back.
static void a_step_that_fails_changes_nothing(void **state) {
    (void)state;
    struct bonded_parts p;
    pbs_body body;
    const double along[3] = {1.0, 0.0, 0.0};
    double before[8];
    pbs_world *world = explicit_world(0.8, 1);
    bonded_beam(&p, 1, along);
    p.spins[0] = 1.0;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_world_step(world, 0.01));
    // 4 radians in one of the steps, whose cosine of half is negative.
    const double rate = 4.0 * stats_of(world).step.explicit_steps / 0.01;
    const double spins[6] = {0.0, 0.0, 0.0, 0.0, rate, 0.0};
    assert_ok(pbs_body_set_angular_velocities(world, body, spins, 2));
    memcpy(before, pbs_body_orientations(world, body), sizeof before);
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_memory_equal(pbs_body_orientations(world, body), before, sizeof before);
    assert_true(pbs_world_hash(world) == hash);
    pbs_world_destroy(world);
}

/// Bonds are looked at after each of the steps that a step is divided into.
static void bonds_break_within_a_step(void **state) {
    (void)state;
    struct bonded_parts p;
    pbs_body body;
    pbs_broken_bond broken[8];
    size_t count = 8;
    const double along[3] = {1.0, 0.0, 0.0};
    pbs_world *world = explicit_world(0.8, 1);
    bonded_beam(&p, 8, along);
    for (int i = 0; i < 8; i++) {
        p.velocities[3 * (i + 1)] = 0.5 * (i + 1);
    }
    p.d.young = 1e6;
    p.d.tensile_strength = 1e4;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_world_step(world, 0.05));
    assert_ok(pbs_world_broken_bonds(world, broken, sizeof *broken, &count));
    assert_true(count > 0);
    assert_true(stats_of(world).step.explicit_steps > 4);
    // Bonds of l0 = 1/8 m are stretched at 4 / s: 1e4 Pa are there after 2.5 ms.
    const double step = 0.05 / stats_of(world).step.explicit_steps;
    assert_near(broken[0].time, 0.0025, 2.0 * step, "the first break");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_has_its_stable_step),
        cmocka_unit_test(tetrahedra_have_the_stable_step_of_their_cells),
        cmocka_unit_test(free_vibration_keeps_energy_and_momentum),
        cmocka_unit_test(the_bits_are_the_same),
        cmocka_unit_test(what_touches_nothing_moves_alike),
        cmocka_unit_test(a_step_that_fails_changes_nothing),
        cmocka_unit_test(bonds_break_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
