// Beams of bonds beside beam theory (docs/theory/bonds.md section 1.2), and what schemes leave of
// the spin of bonded blocks. Statics is implicit Euler with steps so long that inertia vanishes.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"

static const double PI = 3.14159265358979323846, YOUNG = 1e7, SHEAR = 4e6, STILL = 1e6;

static pbs_world *static_world(const double gravity[3]) {
    pbs_world_desc settings;
    pbs_expert_desc expert;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    expert_settings(&expert, &settings);
    memcpy(settings.gravity, gravity, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-13;
    expert.preconditioner = PBS_PRECONDITIONER_CHOLESKY;
    return new_world_from(&settings);
}

/// A clamped beam whose last particle has all of the mass, so that gravity is a load at its tip.
static pbs_body clamped_beam(pbs_world *world, struct bonded_parts *p, double load_mass) {
    const uint32_t clamp = 0;
    pbs_body body;
    for (size_t i = 0; i < p->d.particle_count; i++) {
        p->masses[i] = load_mass * 1e-12;
    }
    p->masses[p->d.particle_count - 1] = load_mass;
    p->d.masses = p->masses;
    p->d.young = YOUNG;
    p->d.shear_modulus = SHEAR;
    assert_ok(pbs_body_create_bonded(world, &p->d, &body));
    assert_ok(pbs_body_pin(world, body, &clamp, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin_orientations(world, body, &clamp, 1));
    return body;
}

/// Displacement of the tip along the load over the load, of a beam of 1 m that the load would bend
/// by some 0.4 bend.
static double compliance(size_t bonds, double section, const double direction[3],
                         const double load[3], double bend, int32_t shear) {
    static struct bonded_parts p;
    bonded_beam(&p, bonds, direction);
    p.d.bond_radius = section;
    p.d.shear = shear;
    pbs_world *world = static_world(load);
    const double mass = bend * section * section * section * section * YOUNG;
    const pbs_body body = clamped_beam(world, &p, mass);
    assert_ok(pbs_world_step(world, STILL));
    double moved[3];
    subtract3(pbs_body_positions(world, body) + 3 * bonds, p.positions + 3 * bonds, moved);
    const double result = dot3(moved, load) / (mass * dot3(load, load));
    pbs_world_destroy(world);
    return result;
}

/// P L^3 / 3 E I (1 - 1 / 4 n^2) + P L / G A, whatever the direction and the form of shear: one
/// point of integration in each bond. The load bends by 1e-5, of which the square is left out.
static void cantilevers_bend_as_timoshenko_says(void **state) {
    (void)state;
    const double directions[2][3] = {{1.0, 0.0, 0.0}, {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0}};
    const double loads[2][3] = {{0.0, 0.0, 1.0}, {1.0 / 3.0, -2.0 / 3.0, -2.0 / 3.0}};
    const double sections[2] = {0.02, 0.1};
    for (int i = 0; i < 4; i++) {
        const double r = sections[i % 2];
        const double area = PI * r * r;
        const double moment = 0.25 * area * r * r;
        const double bending = 1.0 / (3.0 * YOUNG * moment);
        const double shear = 1.0 / (SHEAR * area);
        const double found = compliance(20, r, directions[i / 2], loads[i / 2], 1e-5,
                                        i == 3 ? PBS_BOND_SHEAR_ANGLE : PBS_BOND_SHEAR_CHORD);
        const double expected = bending * (1.0 - 1.0 / 1600.0) + shear;
        assert_near(found / expected, 1.0, 1e-8, "deflection");
        assert_near(found / (bending + shear), 1.0, 6.3e-4, "Timoshenko's");
    }
}

/// Each bond of a cantilever bears the load and, at its middle, its moment; stresses are those of a
/// beam of 2 cm. What bends by 1e-5 bears 1e-5 of the load along itself.
static void bonds_of_a_cantilever_bear_what_they_must(void **state) {
    (void)state;
    enum { COUNT = 20 };
    static struct bonded_parts p;
    pbs_bond_load loads[COUNT];
    const double along[3] = {1.0, 0.0, 0.0};
    const double down[3] = {0.0, -1.0, 0.0};
    const double r = 0.02;
    bonded_beam(&p, COUNT, along);
    pbs_world *world = static_world(down);
    const double load = 1e-5 * YOUNG * r * r * r * r;
    const pbs_body body = clamped_beam(world, &p, load);
    assert_ok(pbs_world_step(world, STILL));
    size_t count = COUNT;
    assert_ok(pbs_body_bond_loads(world, body, loads, sizeof *loads, &count));
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const double moment = load * (1.0 - (i + 0.5) / COUNT);
        assert_near(loads[i].bending / moment, 1.0, 1e-8, "moment");
        assert_near(loads[i].shear / load, 1.0, 1e-8, "shear");
        assert_small(fabs(loads[i].normal) / load, 2e-5, "tension");
        assert_small(fabs(loads[i].torsion) / load, 1e-10, "torsion");
        const double normal = loads[i].normal / (PI * r * r);
        assert_near(loads[i].normal_stress / (normal + 4.0 * moment / (PI * r * r * r)), 1.0, 1e-8,
                    "normal stress");
        assert_near(loads[i].shear_stress / (load / (PI * r * r)), 1.0, 1e-8, "shear stress");
    }
    pbs_world_destroy(world);
}

/// F L / E A.
static void beams_stretch_as_rods(void **state) {
    (void)state;
    const double along[3] = {1.0, 0.0, 0.0};
    const double found = compliance(20, 0.02, along, along, 1.0, PBS_BOND_SHEAR_CHORD);
    assert_near(found * YOUNG * PI * 0.0004, 1.0, 1e-10, "elongation");
}

/// Energy of a beam whose tip is turned by `turn` and free to move.
static double energy_of_turn(size_t bonds, const double turn[3], double tip[3],
                             pbs_bond_load *load) {
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    const double along[3] = {1.0, 0.0, 0.0};
    const double start[4] = {0.0, 0.0, 0.0, 1.0};
    const uint32_t last = (uint32_t)bonds;
    double end[4];
    bonded_beam(&p, bonds, along);
    pbs_world *world = static_world(none);
    const pbs_body body = clamped_beam(world, &p, 1.0);
    rotate_by(turn, 1.0, start, end);
    assert_ok(pbs_body_set_target_orientations(world, body, &last, 1, end));
    assert_ok(pbs_world_step(world, STILL));
    copy3(pbs_body_positions(world, body) + 3 * bonds, tip);
    const double *q = pbs_body_orientations(world, body) + 4 * bonds;
    assert_small(testing_max_difference(q, end, 4), 1e-15, "the tip's orientation");
    pbs_bond_load loads[32];
    size_t count = COUNT_OF(loads);
    assert_ok(pbs_body_bond_loads(world, body, loads, sizeof *loads, &count));
    *load = loads[bonds / 2];
    const double result = energy_of(world).elastic;
    pbs_world_destroy(world);
    return result;
}

/// Every bond is turned by the same: 2 n k sin^2(theta / 2 n), k = G J / l, without stretch or
/// shear; of theta^2 G J / 2 L that is a part of 1 - (theta / n)^2 / 12.
static void torsion_is_shared_by_all_bonds(void **state) {
    (void)state;
    const double angles[3] = {0.01, 1.0, 3.0};
    const double stiffness = SHEAR * 0.5 * PI * 1.6e-7;
    for (int i = 0; i < 3; i++) {
        double tip[3];
        const double turn[3] = {angles[i], 0.0, 0.0};
        pbs_bond_load load;
        const double found = energy_of_turn(20, turn, tip, &load);
        const double half = sin(angles[i] / 40.0);
        assert_near(found / (2.0 * 20.0 * 20.0 * stiffness * half * half), 1.0, 1e-10, "energy");
        const double moment = 20.0 * stiffness * sin(angles[i] / 20.0);
        assert_near(load.torsion / moment, 1.0, 1e-10, "moment");
        assert_near(load.shear_stress / (2.0 * moment / (PI * 8e-6)), 1.0, 1e-9, "shear stress");
        const double straight = 0.5 * stiffness * angles[i] * angles[i];
        assert_near(found / straight, 1.0, angles[i] * angles[i] / 4800.0 + 1e-10, "G J / L");
    }
}

/// A moment bends into an arc: bond k points along (k + 1/2) theta / n.
static void moments_bend_into_arcs(void **state) {
    (void)state;
    const double angles[3] = {0.01, 1.0, 2.5};
    const double stiffness = YOUNG * 0.25 * PI * 1.6e-7;
    for (int i = 0; i < 3; i++) {
        double tip[3];
        double expected[3] = {0.0, 0.0, 0.0};
        const double turn[3] = {0.0, 0.0, angles[i]};
        pbs_bond_load load;
        const double found = energy_of_turn(20, turn, tip, &load);
        const double half = sin(angles[i] / 40.0);
        assert_near(found / (2.0 * 20.0 * 20.0 * stiffness * half * half), 1.0, 1e-10, "energy");
        assert_near(load.bending / (20.0 * stiffness * sin(angles[i] / 20.0)), 1.0, 1e-8, "moment");
        for (int k = 0; k < 20; k++) {
            expected[0] += 0.05 * cos((k + 0.5) * angles[i] / 20.0);
            expected[1] += 0.05 * sin((k + 0.5) * angles[i] / 20.0);
        }
        assert_small(testing_max_difference(tip, expected, 3), 1e-9, "tip");
    }
}

/// Mattiasson 1981, "Numerical results from large deflection beam and frame problems": w / L of an
/// inextensible cantilever. With 80 bonds 2e-4 of it are the bonds', 1e-4 those of stretch and
/// shear at r / L = 0.005.
static void cantilevers_bend_far_as_the_elastica(void **state) {
    (void)state;
    const double loads[3] = {1.0, 4.0, 10.0};
    const double deflections[3] = {0.30172, 0.66996, 0.81061};
    const double along[3] = {1.0, 0.0, 0.0};
    const double r = 0.005;
    static struct bonded_parts p;
    for (int i = 0; i < 3; i++) {
        const double down[3] = {0.0, -1.0, 0.0};
        bonded_beam(&p, 80, along);
        p.d.bond_radius = r;
        pbs_world *world = static_world(down);
        const double mass = loads[i] * YOUNG * 0.25 * PI * r * r * r * r;
        const pbs_body body = clamped_beam(world, &p, mass);
        assert_ok(pbs_world_step(world, STILL));
        const double w = -pbs_body_positions(world, body)[3 * 80 + 1];
        assert_near(w / deflections[i], 1.0, 3e-4, "deflection");
        pbs_world_destroy(world);
    }
}

// --- spin ---

static double spin_left(const struct bonded_parts *p, int32_t scheme, double h) {
    pbs_world_desc settings;
    double before[3];
    double after[3];
    pbs_body body;
    const double none[3] = {0.0, 0.0, 0.0};
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memcpy(settings.gravity, none, sizeof none);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-11;
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, scheme);
    assert_ok(pbs_body_create_bonded(world, &p->d, &body));
    bonded_angular_momentum(world, body, p, before);
    for (double t = 0.0; t < 0.64 - 0.5 * h; t += h) {
        assert_ok(pbs_world_step(world, h));
    }
    bonded_angular_momentum(world, body, p, after);
    pbs_world_destroy(world);
    return norm3(after) / norm3(before);
}

/// docs/theory/bonds.md section 2.4: a cube of 27 spheres at 5 rad/s for 0.64 s.
static void schemes_keep_what_they_promise_of_spin(void **state) {
    (void)state;
    static const struct {
        int32_t scheme;
        double h, left;
    } rows[] = {
        {PBS_SCHEME_IMPLICIT_EULER, 0.016, 0.8246},
        {PBS_SCHEME_IMPLICIT_EULER, 0.004, 0.9455},
        {PBS_SCHEME_BDF2, 0.016, 0.9949},
        {PBS_SCHEME_TRAPEZOIDAL, 0.016, 0.9987},
        {PBS_SCHEME_SDIRK2, 0.016, 0.9224},
        {PBS_SCHEME_TR_BDF2, 0.016, 0.9989},
        {PBS_SCHEME_GENERALIZED_ALPHA, 0.016, 0.9994},
        {PBS_SCHEME_SECOND_ORDER_THETA, 0.016, 0.9984},
        {PBS_SCHEME_IMPLICIT_MIDPOINT, 0.016, 1.0},
        {PBS_SCHEME_A_1, 0.016, 0.9932},
        {PBS_SCHEME_A_SEARCH, 0.016, 1.0},
        {PBS_SCHEME_DECOUPLED_SDIRK2, 0.016, 1.0},
    };
    static struct bonded_parts p;
    const double spin[3] = {0.0, 0.0, 5.0};
    bonded_block(&p, 3, 3, 3, spin);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double left = spin_left(&p, rows[i].scheme, rows[i].h);
        // To the four digits of the table.
        assert_near(left, rows[i].left, 1e-4, "spin");
    }
}

/// A beam pressed together by a fifth, a little crooked.
static pbs_stats pressed(int32_t hessian) {
    const double up[3] = {0.0, 0.0, 1.0};
    struct random random = random_seed(3);
    struct bonded_parts p;
    pbs_world_desc settings;
    pbs_expert_desc expert;
    pbs_body body;
    bonded_beam(&p, 40, up);
    p.d.young = 1e7;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    expert_settings(&expert, &settings);
    settings.contact = PBS_CONTACT_PROJECTION;
    expert.project_hessian = hessian;
    expert.preconditioner = PBS_PRECONDITIONER_BLOCK_JACOBI;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    for (size_t i = 0; i <= 40; i++) {
        p.positions[3 * i + 2] *= 0.8;
        p.positions[3 * i] += random_uniform(&random, -1e-4, 1e-4);
    }
    assert_ok(pbs_body_set_positions(world, body, p.positions, 41));
    assert_ok(pbs_world_step(world, 0.02));
    const pbs_stats stats = stats_of(world);
    pbs_world_destroy(world);
    return stats;
}

/// So of two in a row no more than one is: here the first of 8, where 5 of 12 are if all are exact.
static void an_indefinite_hessian_is_followed_by_a_semidefinite_one(void **state) {
    (void)state;
    const pbs_stats exact = pressed(PBS_HESSIAN_EXACT);
    const pbs_stats on_demand = pressed(PBS_HESSIAN_AUTOMATIC);
    const pbs_stats semidefinite = pressed(PBS_HESSIAN_SEMIDEFINITE);
    assert_true(exact.linear.indefinite_solves > on_demand.linear.indefinite_solves);
    assert_true(on_demand.linear.indefinite_solves > 0);
    assert_true(2 * on_demand.linear.indefinite_solves <= on_demand.newton.iterations + 1);
    assert_int_equal(semidefinite.linear.indefinite_solves, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_indefinite_hessian_is_followed_by_a_semidefinite_one),
        cmocka_unit_test(cantilevers_bend_as_timoshenko_says),
        cmocka_unit_test(bonds_of_a_cantilever_bear_what_they_must),
        cmocka_unit_test(beams_stretch_as_rods),
        cmocka_unit_test(torsion_is_shared_by_all_bonds),
        cmocka_unit_test(moments_bend_into_arcs),
        cmocka_unit_test(cantilevers_bend_far_as_the_elastica),
        cmocka_unit_test(schemes_keep_what_they_promise_of_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
