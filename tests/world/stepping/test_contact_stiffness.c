// Barriers that choose their stiffness: the rule and its effects, and its part in energies,
// restored worlds, threads and failed steps.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/joint_testing.h"
#include "support/numerics/hash.h"
#include "support/world_testing.h"
#include "world/world.h"

static const double GRAVITY = 9.8;

static pbs_expert_desc expert; ///< of the settings made last

static pbs_world_desc settings(int32_t adaptive) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    fixed_barrier(&d);
    expert_settings(&expert, &d);
    expert.adaptive_stiffness = adaptive;
    return d;
}

static pbs_solid_desc elastic(double density, double young) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.material = PBS_MATERIAL_NEO_HOOKEAN;
    d.density = density;
    d.young = young;
    return d;
}

static pbs_body add_block(pbs_world *world, double size, double height, double density,
                          double young) {
    const pbs_solid_desc solid = elastic(density, young);
    return add_cube(world, 1, size, (double[]){0.0, height, 0.0}, &solid);
}

/// 2cubesFall of the IPC reference code, two cubes of 1 m and 1000 kg/m^3 within 1 x 3 x 1 m: the
/// stiffness that it suggests, which its energies have times h^2.
static void the_reference_code_suggests_the_same(void **state) {
    (void)state;
    const double h = 0.025;
    pbs_world_desc d = settings(1);
    expert.barrier = PBS_BARRIER_SQUARED;
    d.contact_distance = 0.0033166247903553998;
    d.contact_stiffness = 1.0;
    pbs_world *world = new_world_from(&d);
    add_block(world, 1.0, 1.0, 1000.0, 1e5);
    add_block(world, 1.0, 3.0, 1000.0, 1e5);
    assert_ok(pbs_world_step(world, h));
    assert_near(stats_of(world).contact.stiffness * h * h, 28409090.903409086, 1e-12 * 3e7,
                "stiffness, J s^2 / m^4");
    // An advance looks as far ahead as one of its steps.
    assert_ok(pbs_world_advance(world, h));
    assert_near(stats_of(world).contact.stiffness * h * h, 28409090.903409086, 1e-12 * 3e7,
                "stiffness, J s^2 / m^4");
    pbs_world_destroy(world);
}

static double first_stiffness(pbs_world *world, double h) {
    assert_ok(pbs_world_step(world, h));
    return stats_of(world).contact.stiffness;
}

static void move_far_away(pbs_world *world, pbs_body body) {
    double x[3 * 8];
    memcpy(x, pbs_body_positions(world, body), sizeof x);
    for (size_t i = 0; i < 8; i++) {
        x[3 * i] += 1e3;
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
}

/// The world is as large as where it first chose, however far things fly, until bodies change.
static void what_flies_away_does_not_count(void **state) {
    (void)state;
    pbs_world_desc d = settings(1);
    d.contact_stiffness = 1.0;
    pbs_world *world = new_world_from(&d);
    add_block(world, 1.0, 1.0, 1000.0, 1e5);
    const pbs_body second = add_block(world, 1.0, 3.0, 1000.0, 1e5);
    const double before = first_stiffness(world, 0.01);
    move_far_away(world, second);
    assert_true(first_stiffness(world, 0.01) == before);
    add_block(world, 1.0, 5.0, 1000.0, 1e5);
    assert_true(first_stiffness(world, 0.01) > 1e4 * before);
    pbs_world_destroy(world);
}

/// An affine cube has the mean mass of an elastic one with the same eight vertices.
static void affine_bodies_have_vertices_too(void **state) {
    (void)state;
    pbs_world_desc d = settings(1);
    d.contact_stiffness = 1.0;
    pbs_world *elastic_world = new_world_from(&d);
    pbs_world *affine_world = new_world_from(&d);
    struct box_surface box;
    pbs_affine_desc affine;
    pbs_body body;
    add_block(elastic_world, 1.0, 1.0, 1000.0, 1e5);
    box_surface_make(&box, (double[3]){1.0, 1.0, 1.0});
    box_surface_describe(&box, &affine);
    assert_ok(pbs_body_create_affine(affine_world, &affine, &body));
    const double expected = first_stiffness(elastic_world, 0.01);
    assert_near(first_stiffness(affine_world, 0.01), expected, 1e-12 * expected, "stiffness, N/m");
    pbs_world_destroy(elastic_world);
    pbs_world_destroy(affine_world);
}

/// Half the contact distance above the ground, at rest: of all stiffnesses, the one at which the
/// barriers of its four lowest vertices carry, on average over them, their own weight; over those
/// that are free to fall, where some are held: a vertex that is held sideways alone is.
static void weight_is_balanced(void **state) {
    (void)state;
    static const uint32_t axes[] = {PBS_AXIS_ALL, PBS_AXIS_Y, PBS_AXIS_X | PBS_AXIS_Z};
    for (uint32_t k = 0; k < 3 * COUNT_OF(axes); k++) {
        const uint32_t held = k % 3, axis = axes[k / 3];
        const bool falls = (axis & PBS_AXIS_Y) == 0;
        pbs_world_desc d = settings(1);
        d.contact_stiffness = 1.0;
        pbs_world *world = new_world_from(&d);
        add_ground(world);
        const pbs_body body = add_block(world, 1.0, 0.5 * d.contact_distance, 10.0, 1e6);
        const double *m = pbs_body_masses(world, body);
        const double *x = pbs_body_positions(world, body);
        double weight = 0.0;
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 8; i++) {
            if (x[3 * (size_t)i + 1] > 0.1) {
                continue;
            }
            const bool is_held = seen++ < held;
            if (is_held) {
                assert_ok(pbs_body_pin(world, body, &i, 1, axis));
            }
            weight += is_held && !falls ? 0.0 : GRAVITY * m[i];
        }
        const double force = d.contact_distance * 0.5 * (2.0 * log(2.0) + 1.0);
        const double expected = weight / (falls ? 4.0 : 4.0 - held) / force;
        assert_near(first_stiffness(world, 0.1), expected, 1e-11 * expected, "stiffness, N/m");
        pbs_world_destroy(world);
    }
}

/// The host's is the least, and the only one where nothing adapts.
static void the_host_says_the_least(void **state) {
    (void)state;
    for (int32_t adaptive = 0; adaptive < 2; adaptive++) {
        pbs_world_desc d = settings(adaptive);
        d.contact_stiffness = 3e9;
        pbs_world *world = new_world_from(&d);
        add_block(world, 0.1, 1.0, 1000.0, 1e5);
        assert_ok(pbs_world_step(world, 0.01));
        assert_true(stats_of(world).contact.stiffness == 3e9);
        pbs_world_destroy(world);
    }
}

/// The gap, over the contact distance, at which 50 t come to rest.
static double gap_below_a_weight(int32_t adaptive) {
    const pbs_world_desc d = settings(adaptive);
    pbs_world *world = new_world_from(&d);
    add_ground(world);
    add_block(world, 1.0, 0.9e-3, 5e4, 1e9);
    for (int s = 0; s < 40; s++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    const double gap = stats_of(world).contact.least_gap / d.contact_distance;
    pbs_world_destroy(world);
    return gap;
}

/// 1.2e5 N on each vertex are 1220 reach stiffnesses where that is 1e5 N/m, which the barrier has
/// at a gap of 1 / 1220 of its reach, near enough.
static void a_weight_keeps_its_distance(void **state) {
    (void)state;
    assert_true(gap_below_a_weight(0) < 1.5e-3);
    assert_true(gap_below_a_weight(1) > 0.5);
}

static pbs_world *make_bounce(const pbs_world_desc *d, int32_t scheme) {
    pbs_world *world = new_world_from(d);
    use_scheme(world, scheme);
    add_ground(world);
    const pbs_solid_desc solid = elastic(1000.0, 2e4);
    const pbs_body body = add_cube(world, 3, 0.1, (double[]){0.0, 0.02, 0.0}, &solid);
    double v[3 * 64] = {0.0};
    for (size_t i = 0; i < 64; i++) {
        v[3 * i + 1] = -1.0;
    }
    assert_ok(pbs_body_set_velocities(world, body, v, 64));
    return world;
}

/// What a change of stiffness adds to the barriers' energy is work, by which the target changes:
/// to the rounding of the energies.
/// J: h/2 m g.v, which is kept with the energy (docs/theory/energy_control.md section 4).
static double falling_shift(pbs_world *world, double h) {
    const pbs_body body = pbs_world_body_at(world, 0);
    const double *v = pbs_body_velocities(world, body), *mass = pbs_body_masses(world, body);
    double momentum[3] = {0.0};
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        add_scaled3(momentum, mass[i], v + 3 * i, momentum);
    }
    return 0.5 * h * dot3(world->scene.settings.gravity, momentum);
}

static void stiffening_is_work(void **state) {
    (void)state;
    pbs_world_desc d = settings(1);
    d.contact_stiffness = 10.0;
    pbs_world *world = make_bounce(&d, PBS_SCHEME_A_SEARCH);
    const double scale = energy_of(world).kinetic;
    int changes = 0;
    assert_ok(pbs_world_step(world, 1.0 / 120.0));
    pbs_stats before = stats_of(world);
    double kept = before.energy_control.target + falling_shift(world, 1.0 / 120.0);
    for (int s = 0; s < 30; s++) {
        const double barriers = energy_of(world).contact;
        assert_ok(pbs_world_step(world, 1.0 / 120.0));
        const pbs_stats now = stats_of(world);
        const double work = (now.contact.stiffness / before.contact.stiffness - 1.0) * barriers;
        assert_near(now.energy_control.work, work, 1e-12 * scale, "work, J");
        kept += work;
        assert_near(now.energy_control.target + falling_shift(world, 1.0 / 120.0), kept,
                    1e-12 * scale, "target, J");
        changes += fabs(work) > 1e-6 * scale;
        before = now;
    }
    print_message("%d changes\n", changes);
    assert_true(changes >= 3);
    pbs_world_destroy(world);
}

/// One with velocities whose energy overflows.
static void fail_a_step(pbs_world *world) {
    const pbs_body body = pbs_world_body_at(world, 0);
    double v[3 * 64];
    double wild[3 * 64];
    memcpy(v, pbs_body_velocities(world, body), sizeof v);
    for (size_t k = 0; k < COUNT_OF(wild); k++) {
        wild[k] = k % 3 == 1 ? -1e200 : 0.0;
    }
    assert_ok(pbs_body_set_velocities(world, body, wild, 64));
    assert_true(pbs_world_step(world, 0.01) < 0);
    assert_ok(pbs_body_set_velocities(world, body, v, 64));
}

/// At every step of a bounce a restored world has the same energy, goes on alike and chooses the
/// same; also after a step that failed, which changed nothing. With two threads as with one.
static void restored_worlds_choose_alike(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int32_t threads = 1; threads <= 2; threads++) {
        pbs_world_desc d = settings(1);
        d.contact_stiffness = 10.0;
        d.threads = threads;
        pbs_world *world = make_bounce(&d, PBS_SCHEME_IMPLICIT_EULER);
        for (int s = 0; s < 20; s++) {
            const struct saved_world saved = save_world(world);
            pbs_world *other = new_world();
            assert_ok(pbs_world_restore(other, saved.data, saved.size));
            free(saved.data);
            assert_true(energy_of(world).contact == energy_of(other).contact);
            fail_a_step(world);
            assert_ok(pbs_world_step(world, 1.0 / 120.0));
            assert_ok(pbs_world_step(other, 1.0 / 120.0));
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
            assert_true(stats_of(world).contact.stiffness == stats_of(other).contact.stiffness);
            pbs_world_destroy(other);
        }
        hash[threads - 1] = pbs_world_hash(world);
        pbs_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/// Once things have touched, choosing allocates nothing.
static void choosing_allocates_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world_desc d = settings(1);
    d.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = make_bounce(&d, PBS_SCHEME_IMPLICIT_EULER);
    for (int s = 0; s < 40; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 120.0));
    }
    const uint64_t calls = stats_of(world).memory.allocator_calls;
    for (int s = 0; s < 20; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 120.0));
    }
    assert_true(stats_of(world).memory.allocator_calls == calls);
    assert_true(stats_of(world).contact.active > 0);
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

static pbs_status take_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world_desc d = settings(1);
    d.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = make_bounce(&d, PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(refuse_until_success(&allocator, world, take_step, NULL, NULL));
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

/// A world so large that a hundred millionth of it is beyond the contact distance has no such rule.
static void worlds_without_a_rule_are_refused(void **state) {
    (void)state;
    pbs_world_desc d = settings(1);
    d.contact_distance = 1e-9;
    pbs_world *world = new_world_from(&d);
    add_block(world, 1.0, 1.0, 1000.0, 1e5);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("adaptive contact stiffness");
    pbs_world_destroy(world);
}

// --- body by body ---

/// A box of those sides, m, with its centre at the height `middle`.
static pbs_body add_plate(pbs_world *world, const double sides[3], double middle, double mass) {
    const pbs_body body = add_box(world, sides, mass, (double[]){0.0, middle, 0.0}, 0.0);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.3; // without it the light plate is squeezed out
    assert_ok(pbs_body_set_contact(world, body, &contact));
    return body;
}

/// A block that falls on a plate of a millionth of its mass, on a plate as heavy as itself. The
/// light one has barriers that are far too soft for the others and are made stiffer as they are
/// pressed. That may not add to the energy: at 100 m and 1/60 s it added .0006 M g L. Where a part
/// of a step is taken again with stiffer barriers it still does: .0019 at 1 m and 1/240 s.
static void check_between(double length, double h) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    pbs_world *world = new_world_from(&d);
    const double mass = 100.0 * length * length * length;
    add_ground(world);
    (void)add_plate(world, (double[]){length, 0.1 * length, length}, 0.055 * length, mass);
    (void)add_plate(world, (double[]){0.5 * length, 0.05 * length, 0.5 * length}, 0.135 * length,
                    1e-6 * mass);
    (void)add_plate(world, (double[]){0.3 * length, 0.3 * length, 0.3 * length}, 0.3125 * length,
                    mass);
    const double start = energy_of(world).total;
    double most = -INFINITY;
    for (int n = 0; n * h < 3.0; n++) {
        assert_ok(pbs_world_step(world, h));
        most = fmax(most, energy_of(world).total - start);
    }
    assert_true(most < 3e-4 * mass * GRAVITY * length);
    pbs_world_destroy(world);
}

static void light_plates_between_heavy_blocks_gain_no_energy(void **state) {
    (void)state;
    check_between(100.0, 1.0 / 60.0);
    check_between(1.0, 1.0 / 60.0);
}

static void make_rough(pbs_world *world, pbs_body body) {
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.5;
    assert_ok(pbs_body_set_contact(world, body, &contact));
}

/// A motor presses a plate of 125 kg down on a crumb that is not below its middle, until the ground
/// bears both.
static void check_press(double press) {
    const double mass = 124.8, crumb = 2e-3, crumb_mass = 1.6e-5;
    pbs_world_desc d;
    pbs_joint_desc slider;
    pbs_joint joint;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    pbs_world *world = new_world_from(&d);
    const pbs_collider ground = add_ground(world);
    const pbs_body plate = add_box(world, (double[]){0.4, 0.1, 0.4}, mass,
                                   (double[]){0.0, 0.05 + 1.5 * crumb, 0.0}, 0.0);
    make_rough(world, plate);
    make_rough(world, add_box(world, (double[]){crumb, crumb, crumb}, crumb_mass,
                              (double[]){0.01, 0.55 * crumb, 0.02}, 0.0));
    assert_ok(pbs_joint_desc_init(&slider, sizeof slider));
    slider.kind = PBS_JOINT_SLIDER;
    slider.b.kind = PBS_POINT_LOCAL;
    slider.b.body = plate;
    slider.axis[1] = 1.0;
    slider.axis[2] = 0.0;
    slider.motor_velocity = -0.5;
    slider.motor_force = press;
    assert_ok(pbs_joint_create(world, &slider, &joint));
    for (int n = 0; n < 60; n++) {
        assert_true(pbs_world_step(world, 1.0 / 60.0) >= 0);
    }
    const double borne = fabs(contact_force_on(world, ground).force[1]);
    const double expected = press + (mass + crumb_mass) * GRAVITY;
    // A step may leave a thousandth of what contacts do to a body.
    assert_near(borne, expected, 1e-3 * expected, "force on the ground, N");
    pbs_world_destroy(world);
}

/// At the first touch a search had left 5e6 N, which the barriers were then made to carry, and the
/// crumb's slide to where it stays took hundreds of iterations: no step landed any more.
static void a_motor_presses_crumbs(void **state) {
    (void)state;
    check_press(300.0);
    check_press(1e3);
    check_press(3e4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_code_suggests_the_same),
        cmocka_unit_test(what_flies_away_does_not_count),
        cmocka_unit_test(affine_bodies_have_vertices_too),
        cmocka_unit_test(weight_is_balanced),
        cmocka_unit_test(the_host_says_the_least),
        cmocka_unit_test(a_weight_keeps_its_distance),
        cmocka_unit_test(stiffening_is_work),
        cmocka_unit_test(restored_worlds_choose_alike),
        cmocka_unit_test(choosing_allocates_nothing),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(light_plates_between_heavy_blocks_gain_no_energy),
        cmocka_unit_test(a_motor_presses_crumbs),
        cmocka_unit_test(worlds_without_a_rule_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
