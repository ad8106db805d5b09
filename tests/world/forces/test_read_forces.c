// What a host has set of forces, torques and pressure of a body is what it reads: by vertex, as one
// force and torque, before and after steps, of a restored world, and refusals.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "support/joint_testing.h"
#include "support/scenes/bonded_bodies.h"

static const double origin[3] = {0.0, 0.0, 0.0};

static pbs_world *weightless_world(void) {
    pbs_world_desc d;
    scene_settings(&d);
    memset(d.gravity, 0, sizeof d.gravity);
    return new_world_from(&d);
}

static void assert_vector(const double x[3], double a, double b, double c, double tolerance) {
    const double expected[3] = {a, b, c};
    assert_small(testing_max_difference(x, expected, 3), tolerance, "vector");
}

// --- forces ---

enum { CUBE = 8 };

/// Forces that last stay, those of one step are gone after it.
static void forces_of_vertices_are_read(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body body = add_cube(world, 1, 0.2, origin, NULL);
    double set[3 * CUBE], read[3 * CUBE];
    for (int i = 0; i < 3 * CUBE; i++) {
        set[i] = 0.01 * i - 0.1;
    }
    assert_ok(pbs_body_set_forces(world, body, set, CUBE));
    assert_ok(pbs_body_forces(world, body, PBS_FORCE_LASTING, read, CUBE));
    assert_same_bits(read, set, 3 * CUBE);
    const pbs_point corner = at_vertex(body, 5);
    assert_ok(
        pbs_body_apply_force(world, &corner, (const double[3]){1.0, 2.0, 3.0}, PBS_FORCE_ONCE));
    assert_ok(pbs_body_forces(world, body, PBS_FORCE_ONCE, read, CUBE));
    assert_vector(read + 3 * 5, 1.0, 2.0, 3.0, 0.0);
    assert_vector(read + 3 * 4, 0.0, 0.0, 0.0, 0.0);
    assert_ok(
        pbs_body_apply_force(world, &corner, (const double[3]){0.5, 0.0, 0.0}, PBS_FORCE_LASTING));
    set[15] += 0.5;
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_forces(world, body, PBS_FORCE_ONCE, read, CUBE));
    assert_vector(read + 3 * 5, 0.0, 0.0, 0.0, 0.0);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_ok(pbs_body_forces(world, body, PBS_FORCE_LASTING, read, CUBE));
    assert_same_bits(read, set, 3 * CUBE);
    // What is read can be set again.
    assert_ok(pbs_body_clear_forces(world, body));
    assert_ok(pbs_body_set_forces(world, body, read, CUBE));
    assert_ok(pbs_body_forces(world, body, PBS_FORCE_LASTING, read, CUBE));
    assert_same_bits(read, set, 3 * CUBE);
    free(saved.data);
    pbs_world_destroy(world);
}

/// A torque, and forces on corners of a solid and of an affine box, whose moments add to it.
static void wrenches_are_sums(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body cube = add_cube(world, 1, 0.2, origin, NULL);
    const pbs_body box = add_box(world, (const double[3]){0.4, 0.2, 0.6}, 3.0,
                                 (const double[3]){1.0, 0.0, 0.0}, 1e7);
    const pbs_body bodies[2] = {cube, box};
    const pbs_point points[2] = {at_vertex(cube, 0), on_body(box, 0.2, 0.1, 0.3)};
    // From the centres: (-0.1, -0.1, -0.1) and (0.2, 0.1, 0.3).
    const double moments[2][3] = {{-0.3 + 0.2, 0.3 - 0.1, -0.2 + 0.1},
                                  {0.3 - 0.6, 0.3 - 0.6, 0.4 - 0.1}};
    for (int i = 0; i < 2; i++) {
        double force[3], torque[3];
        assert_ok(pbs_body_wrench(world, bodies[i], PBS_FORCE_LASTING, force, torque));
        assert_vector(force, 0.0, 0.0, 0.0, 0.0);
        assert_vector(torque, 0.0, 0.0, 0.0, 0.0);
        assert_ok(pbs_body_apply_wrench(world, bodies[i], (const double[3]){0.0, 0.0, 5.0},
                                        (const double[3]){0.5, 0.0, 0.0}, PBS_FORCE_LASTING));
        assert_ok(pbs_body_wrench(world, bodies[i], PBS_FORCE_LASTING, force, torque));
        assert_vector(force, 0.0, 0.0, 5.0, 1e-14);
        assert_vector(torque, 0.5, 0.0, 0.0, 1e-14);
        assert_ok(pbs_body_apply_force(world, &points[i], (const double[3]){1.0, 2.0, 3.0},
                                       PBS_FORCE_LASTING));
        assert_ok(pbs_body_wrench(world, bodies[i], PBS_FORCE_LASTING, force, torque));
        assert_vector(force, 1.0, 2.0, 8.0, 1e-13);
        assert_vector(torque, 0.5 + moments[i][0], moments[i][1], moments[i][2], 1e-13);
        assert_ok(pbs_body_wrench(world, bodies[i], PBS_FORCE_ONCE, force, torque));
        assert_vector(force, 0.0, 0.0, 0.0, 0.0);
        assert_vector(torque, 0.0, 0.0, 0.0, 0.0);
        assert_ok(pbs_body_wrench(world, bodies[i], PBS_FORCE_LASTING, NULL, NULL));
    }
    pbs_world_destroy(world);
}

/// Of a bonded body the rotations of particles are no points.
static void bonded_bodies_have_wrenches(void **state) {
    (void)state;
    static struct bonded_parts parts;
    pbs_world *world = weightless_world();
    pbs_body body;
    double force[3], torque[3], forces[3 * 5];
    bonded_beam(&parts, 4, (const double[3]){1.0, 0.0, 0.0});
    assert_true(pbs_body_create_bonded(world, &parts.d, &body) >= 0);
    const pbs_point end = at_vertex(body, 4);
    assert_ok(pbs_body_apply_force(world, &end, (const double[3]){0.0, 2.0, 0.0}, PBS_FORCE_ONCE));
    assert_ok(
        pbs_body_apply_wrench(world, body, NULL, (const double[3]){0.0, 1.0, 0.0}, PBS_FORCE_ONCE));
    assert_ok(pbs_body_forces(world, body, PBS_FORCE_ONCE, forces, 5));
    assert_vector(forces + 12, 0.0, 2.0, 0.0, 0.0);
    assert_ok(pbs_body_wrench(world, body, PBS_FORCE_ONCE, force, torque));
    assert_vector(force, 0.0, 2.0, 0.0, 1e-14);
    assert_vector(torque, 0.0, 1.0, 1.0, 1e-14); // half a metre from the middle
    pbs_world_destroy(world);
}

static void forces_are_not_read_wrongly(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body cube = add_cube(world, 1, 0.2, origin, NULL);
    const pbs_body box = add_box(world, (const double[3]){0.4, 0.2, 0.6}, 3.0,
                                 (const double[3]){1.0, 0.0, 0.0}, 1e7);
    const pbs_body none = {0};
    double dst[3 * CUBE] = {7.0}, force[3];
    const int32_t lasting = PBS_FORCE_LASTING;
    assert_status(pbs_body_forces(NULL, cube, lasting, dst, CUBE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_forces(world, none, lasting, dst, CUBE), PBS_ERROR_HANDLE);
    assert_status(pbs_body_forces(world, cube, 2, dst, CUBE), PBS_ERROR_ARGUMENT);
    assert_message("duration is 2");
    assert_status(pbs_body_forces(world, cube, lasting, NULL, CUBE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_forces(world, cube, lasting, dst, CUBE - 1), PBS_ERROR_CAPACITY);
    assert_message("capacity is 7 vertices, but the body has 8");
    assert_status(pbs_body_forces(world, box, lasting, dst, CUBE), PBS_ERROR_ARGUMENT);
    assert_message("the body is affine");
    assert_true(dst[0] == 7.0);
    assert_status(pbs_body_wrench(NULL, cube, lasting, force, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_wrench(world, none, lasting, force, NULL), PBS_ERROR_HANDLE);
    assert_status(pbs_body_wrench(world, cube, -1, force, NULL), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

// --- pressure ---

/// A gas, a constant pressure, and a volume, whose pressure is a result and no setting.
static void pressures_are_read(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body body = add_cube(world, 1, 0.2, origin, NULL);
    for (int32_t kind = PBS_PRESSURE_CONSTANT; kind <= PBS_PRESSURE_VOLUME; kind++) {
        pbs_pressure_desc d, out = {.struct_size = sizeof out};
        assert_ok(pbs_pressure_desc_init(&d, sizeof d));
        d.kind = kind;
        d.pressure = kind == PBS_PRESSURE_VOLUME ? 0.0 : 2e3;
        d.outside = 1e3;
        d.exponent = 1.3;
        d.volume = 0.0081;
        assert_ok(pbs_body_set_pressure(world, body, &d));
        assert_ok(pbs_body_pressure_settings(world, body, &out));
        assert_memory_equal(&out, &d, sizeof d);
        assert_ok(pbs_world_step(world, 0.001));
        assert_ok(pbs_body_pressure_settings(world, body, &out));
        assert_memory_equal(&out, &d, sizeof d);
        d.volume = 0.0; // that of the cube
        assert_ok(pbs_body_set_pressure(world, body, &d));
        assert_ok(pbs_body_pressure_settings(world, body, &out));
        assert_near(out.volume, 0.008, 2e-4, "volume, m^3");
        assert_ok(pbs_body_set_pressure(world, body, &out));
    }
    pbs_world_destroy(world);
}

static void pressures_are_not_read_wrongly(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body body = add_cube(world, 1, 0.2, origin, NULL), none = {0};
    pbs_pressure_desc d, out = {.struct_size = sizeof out, .kind = 77};
    assert_status(pbs_body_pressure_settings(world, body, &out), PBS_ERROR_ARGUMENT);
    assert_message("the body has no pressure");
    assert_ok(pbs_pressure_desc_init(&d, sizeof d));
    assert_ok(pbs_body_set_pressure(world, body, &d));
    assert_status(pbs_body_pressure_settings(NULL, body, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pressure_settings(world, none, &out), PBS_ERROR_HANDLE);
    assert_status(pbs_body_pressure_settings(world, body, NULL), PBS_ERROR_ARGUMENT);
    out.struct_size = 4;
    assert_status(pbs_body_pressure_settings(world, body, &out), PBS_ERROR_STRUCT_SIZE);
    assert_int_equal(out.kind, 77);
    assert_ok(pbs_body_set_pressure(world, body, NULL));
    out.struct_size = sizeof out;
    assert_status(pbs_body_pressure_settings(world, body, &out), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_vertices_are_read),
        cmocka_unit_test(wrenches_are_sums),
        cmocka_unit_test(bonded_bodies_have_wrenches),
        cmocka_unit_test(forces_are_not_read_wrongly),
        cmocka_unit_test(pressures_are_read),
        cmocka_unit_test(pressures_are_not_read_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
