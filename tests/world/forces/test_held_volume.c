// Closed bodies whose volume is held constant: with every scheme, at which pressure, energy, and
// refusals.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"
#include "support/joint_testing.h"
#include "support/schemes/scheme_rows.h"
#include "world/forces/pressure_scene.h"

static const double origin[3] = {0.0, 0.0, 0.0};

// docs/theory/materials.md section 7.1.
static const double TOLERANCE = 1e-10;

static pbs_pressure_desc held(double volume) {
    pbs_pressure_desc d;
    assert_ok(pbs_pressure_desc_init(&d, sizeof d));
    d.kind = PBS_PRESSURE_VOLUME;
    d.volume = volume;
    return d;
}

static void hold(pbs_world *world, pbs_body body, double volume) {
    const pbs_pressure_desc d = held(volume);
    assert_ok(pbs_body_set_pressure(world, body, &d));
}

static double pressure_of(const pbs_world *world, pbs_body body) {
    double pressure = 0.0;
    assert_ok(pbs_body_pressure(world, body, &pressure, NULL));
    return pressure;
}

/// A shell of radius 1 about the origin.
static pbs_body add_balloon(pbs_world *world) {
    struct surface_mesh mesh;
    pbs_shell_desc d;
    pbs_body body;
    assert_true(surface_ball(1.0, 12, &mesh));
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.vertex_count = mesh.vertex_count;
    d.positions = mesh.positions;
    d.triangle_count = mesh.triangle_count;
    d.triangles = mesh.triangles;
    d.thickness = 1e-2;
    d.young = 1e6;
    d.poisson = 0.4;
    assert_ok(pbs_body_create_shell(world, &d, &body));
    surface_mesh_free(&mesh);
    return body;
}

/// A cube of rubber whose own bulk modulus is next to nothing.
static pbs_body add_soft_cube(pbs_world *world) {
    pbs_solid_desc like;
    assert_ok(pbs_solid_desc_init(&like, sizeof like));
    like.young = 1e5;
    like.poisson = 0.1;
    return add_cube(world, 3, 1.0, (double[]){-0.5, -0.5, -0.5}, &like);
}

/// Longer along x, and thinner along y by as much, at `rate` per second: keeps volumes.
static void draw_out(pbs_world *world, pbs_body body, double rate) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double *v = calloc(3 * count, sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < count; i++) {
        v[3 * i] = rate * x[3 * i];
        v[3 * i + 1] = -rate * x[3 * i + 1];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

// --- every scheme ---

/// The largest |V / V0 - 1| where steps end, during 0.12 s; negative: the scheme holds no volumes.
static double largest_miss(const struct scheme_row *row, pbs_body (*add)(pbs_world *world),
                           double h) {
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-8);
    pbs_integrator *integrator = scheme_row_integrator(row);
    const pbs_body body = add(world);
    const pbs_pressure_desc d = held(0.0);
    double most = -1.0;
    assert_ok(pbs_world_set_integrator(world, integrator));
    const pbs_status status = pbs_body_set_pressure(world, body, &d);
    if (status == PBS_OK) {
        const double before = volume_of(world, body);
        draw_out(world, body, 1.0);
        for (int i = 0; i < (int)lrint(0.12 / h); i++) {
            assert_ok(pbs_world_step(world, h));
            most = testing_greater(most, fabs(volume_of(world, body) / before - 1.0));
        }
    } else {
        assert_int_equal(status, PBS_ERROR_ARGUMENT);
        assert_message("does not support PBS_PRESSURE_VOLUME");
    }
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
    return most;
}

/// Where steps end at the solution of a stage, the volume is held to the tolerance. The midpoint
/// rule and its kin end beyond it, where the volume, which is not linear in x, is held to their
/// order, 2: half of the step leaves a fourth.
static void every_scheme_holds_them(void **state) {
    (void)state;
    static pbs_body (*const kinds[])(pbs_world * world) = {add_balloon, add_soft_cube};
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        size_t exact = 0, beyond = 0, none = 0;
        for (size_t i = 0; i < scheme_row_count; i++) {
            const double miss = largest_miss(&scheme_rows[i], kinds[k], 0.01);
            if (miss < 0.0) {
                none++;
            } else if (miss <= TOLERANCE) {
                exact++;
            } else {
                const double half = largest_miss(&scheme_rows[i], kinds[k], 0.005);
                assert_small(half / miss, 0.3, "half of the step");
                beyond++;
            }
        }
        assert_int_equal(none, 3); // symplectic Euler, velocity Verlet and blending
        assert_int_equal(exact + beyond + none, scheme_row_count);
        assert_true(exact > 2 * beyond);
    }
}

// --- pressures ---

/// Of a foil, which has no force where the height stays.
static pbs_body add_foil_piston(pbs_world *world) {
    return add_piston(world, 1e8);
}

static void press(pbs_world *world, pbs_body piston, double force) {
    const pbs_point apex = at_vertex(piston, APEX);
    assert_ok(
        pbs_body_apply_force(world, &apex, (const double[3]){0.0, 0.0, -force}, PBS_FORCE_LASTING));
}

/// p = p_e + F / A, and the piston stays, at rest and in motion, at any force.
static void liquids_bear_pistons(void **state) {
    (void)state;
    const double area = BASE / 3.0, forces[] = {1.0, 1e4, 1e7, -1e4};
    const int32_t schemes[] = {PBS_SCHEME_QUASI_STATIC, PBS_SCHEME_IMPLICIT_EULER};
    for (size_t i = 0; i < 2 * COUNT_OF(forces); i++) {
        pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-7);
        use_scheme(world, schemes[i % 2]);
        const pbs_body piston = add_foil_piston(world);
        pbs_pressure_desc water = held(0.0);
        water.outside = AIR;
        assert_ok(pbs_body_set_pressure(world, piston, &water));
        assert_near(pressure_of(world, piston), AIR, 0.0, "pressure before");
        press(world, piston, forces[i / 2]);
        assert_ok(pbs_world_step(world, 0.01));
        const double height = pbs_body_positions(world, piston)[3 * APEX + 2];
        assert_near(height, HEIGHT, TOLERANCE * HEIGHT, "height");
        // A height within the tolerance leaves that of inertia, 0.9 kg / h^2, and foil, 1e5 N/m;
        // and the gradient may be 1e-7 of the force and of the reference force, below 10 N.
        const double left = (9e3 + 1e5) * TOLERANCE + 1e-7 * (fabs(forces[i / 2]) + 10.0);
        assert_near(pressure_of(world, piston), AIR + forces[i / 2] / area, left / area,
                    "pressure");
        pbs_world_destroy(world);
    }
}

/// What holds a balloon at one and a half of its volume is the constant pressure at which it rests
/// there.
static void they_are_held_by_the_pressure_of_equilibrium(void **state) {
    (void)state;
    static pbs_body (*const kinds[])(pbs_world * world) = {add_balloon, add_soft_cube};
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-9);
        use_scheme(world, PBS_SCHEME_QUASI_STATIC);
        const pbs_body body = kinds[k](world);
        const uint32_t corners[3] = {0, 1, 2};
        assert_ok(pbs_body_pin(world, body, corners, 1, PBS_AXIS_ALL));
        hold(world, body, 0.0);
        const double grown = 1.5 * volume_of(world, body);
        hold(world, body, grown);
        assert_ok(pbs_world_step(world, 1.0));
        assert_near(volume_of(world, body), grown, TOLERANCE * grown, "held");
        pbs_pressure_desc same = held(0.0);
        same.kind = PBS_PRESSURE_CONSTANT;
        same.pressure = pressure_of(world, body);
        assert_true(same.pressure > 1e3);
        assert_ok(pbs_body_set_pressure(world, body, &same));
        assert_ok(pbs_world_step(world, 1.0));
        assert_near(volume_of(world, body), grown, 1e-6 * grown, "pressed");
        pbs_world_destroy(world);
    }
}

/// A cube of rubber on a pinned corner edge, under its weight: statics end at any tolerance, and
/// what holds the volume counts as nothing that was lost.
static void statics_end_under_loads(void **state) {
    (void)state;
    const double tolerances[] = {1e-4, 1e-6};
    for (size_t i = 0; i < COUNT_OF(tolerances); i++) {
        pbs_world_desc settings;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.contact = PBS_CONTACT_PROJECTION;
        settings.relative_tolerance = tolerances[i];
        settings.gravity[1] = -9.81;
        pbs_world *world = new_world_from(&settings);
        use_scheme(world, PBS_SCHEME_QUASI_STATIC);
        const pbs_body cube = add_soft_cube(world);
        const uint32_t held_vertices[5] = {0, 1, 2, 3, 4};
        assert_ok(pbs_body_pin(world, cube, held_vertices, 5, PBS_AXIS_ALL));
        hold(world, cube, 0.0);
        assert_ok(pbs_world_step(world, 1.0));
        hold(world, cube, 1.1);
        assert_ok(pbs_world_step(world, 1.0));
        assert_near(volume_of(world, cube), 1.1, TOLERANCE * 1.1, "volume");
        // No more than the weight of 1000 kg does over the cube's height.
        const double dissipated = energy_of(world).dissipated;
        assert_true(dissipated >= 0.0);
        assert_small(dissipated, 1000.0 * 9.81, "dissipated");
        pbs_world_destroy(world);
    }
}

// --- energy and momentum ---

/// Nothing that holds a volume does work: energy control keeps the target, and what pumps do is
/// work, the integral of p dV.
static void energy_is_accounted(void **state) {
    (void)state;
    const double h = 1e-3;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-9);
    use_scheme(world, PBS_SCHEME_A_SEARCH);
    const pbs_body balloon = add_balloon(world);
    hold(world, balloon, 0.0);
    draw_out(world, balloon, 1.0);
    assert_ok(pbs_world_step(world, h));
    const double begin = stats_of(world).energy_control.target;
    for (int i = 0; i < 40; i++) {
        assert_ok(pbs_world_step(world, h));
        assert_near(stats_of(world).energy_control.target, begin, 1e-9 * begin, "target");
    }
    assert_near(energy_of(world).total, begin, 0.02 * begin, "total energy");
    assert_near(energy_of(world).external, 0.0, 0.0, "potential of what holds the volume");
    const double volume = volume_of(world, balloon);
    double work = 0.0, done = 0.0;
    for (int i = 1; i <= 20; i++) {
        hold(world, balloon, volume * (1.0 + 1e-3 * i));
        assert_ok(pbs_world_step(world, h));
        work += stats_of(world).energy_control.work;
        done += pressure_of(world, balloon) * 1e-3 * volume;
    }
    assert_true(work > 0.1 * begin);
    assert_near(work, done, 1e-9 * work, "work of the pump");
    assert_near(stats_of(world).energy_control.target, begin + work, 1e-9 * work, "target");
    double momentum[3] = {0.0};
    const double *v = pbs_body_velocities(world, balloon), *m = pbs_body_masses(world, balloon);
    for (size_t i = 0; i < pbs_body_vertex_count(world, balloon); i++) {
        add_scaled3(momentum, m[i], v + 3 * i, momentum);
    }
    assert_small(norm3(momentum), 1e-9, "momentum");
    pbs_world_destroy(world);
}

/// A balloon that hangs at a vertex, on a joint: both hold, also where energy control projects
/// velocities on what they allow together.
static void joints_hold_beside_them(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_TR_BDF2, PBS_SCHEME_A_SEARCH};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        pbs_world_desc settings;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.gravity[1] = -9.81;
        pbs_world *world = new_world_from(&settings);
        use_scheme(world, schemes[i]);
        const pbs_body balloon = add_balloon(world);
        const double *top = pbs_body_positions(world, balloon);
        const pbs_joint joint = join(world, PBS_JOINT_BALL, in_space(top[0], top[1], top[2]),
                                     at_vertex(balloon, 0));
        hold(world, balloon, 0.0);
        const double volume = volume_of(world, balloon);
        for (int k = 0; k < 10; k++) {
            assert_ok(pbs_world_step(world, 0.01));
            assert_small(joint_state_of(world, joint).gap, 2e-8, "gap");
            assert_near(volume_of(world, balloon), volume, TOLERANCE * volume, "volume");
        }
        pbs_world_destroy(world);
    }
}

// --- state ---

static void saved_worlds_hold_them(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-8), *copy = new_world();
    use_scheme(world, PBS_SCHEME_BDF2);
    const pbs_body first = add_balloon(world), second = add_soft_cube(world);
    hold(world, first, 0.0);
    hold(world, second, 1.2);
    draw_out(world, first, 1.0);
    assert_ok(pbs_world_step(world, 1e-2));
    // The one that goes to another volume keeps the pressure that holds it.
    const double before = pressure_of(world, second);
    hold(world, second, 1.3);
    assert_near(pressure_of(world, second), before, 0.0, "pressure");
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(copy, saved.data, saved.size));
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_world_step(world, 1e-2));
        assert_ok(pbs_world_step(copy, 1e-2));
        assert_true(pbs_world_hash(world) == pbs_world_hash(copy));
    }
    assert_near(volume_of(copy, second), 1.3, TOLERANCE * 1.3, "volume");
    // Of the penalty of the latest stage nothing is left in the forces that hold vertices.
    const uint32_t corners[3] = {0, 1, 2};
    assert_ok(pbs_body_pin(world, second, corners, 3, PBS_AXIS_ALL));
    use_scheme(world, PBS_SCHEME_IMPLICIT_MIDPOINT);
    assert_ok(pbs_world_step(world, 1e-2));
    const struct saved_world again = save_world(world);
    assert_ok(pbs_world_restore(copy, again.data, again.size));
    const size_t count = 3 * pbs_body_vertex_count(world, second);
    double *forces = calloc(2 * count, sizeof *forces);
    assert_non_null(forces);
    assert_ok(pbs_body_constraint_forces(world, second, forces, NULL, count));
    assert_ok(
        pbs_body_constraint_forces(copy, pbs_world_body_at(copy, 1), forces + count, NULL, count));
    assert_same_bits(forces, forces + count, count);
    free(forces);
    free(again.data);
    // What is in a body may become another thing, and nothing.
    pbs_pressure_desc air = held(0.0);
    air.kind = PBS_PRESSURE_GAS;
    air.pressure = 1e3;
    assert_ok(pbs_body_set_pressure(world, second, &air));
    assert_ok(pbs_world_step(world, 1e-2));
    hold(world, second, 0.0);
    assert_near(pressure_of(world, second), 0.0, 0.0, "pressure of a new one");
    assert_ok(pbs_world_step(world, 1e-2));
    assert_ok(pbs_body_set_pressure(world, second, NULL));
    assert_ok(pbs_body_destroy(world, first));
    assert_ok(pbs_world_step(world, 1e-2));
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(copy);
}

/// A host's energy stops an advance in one of its later steps. The world is as it was, and the next
/// call is that of a world that has never failed.
static void failed_calls_change_nothing(void **state) {
    (void)state;
    enum { ENOUGH = 1000000 };
    int evaluations[2] = {ENOUGH, ENOUGH};
    pbs_world *worlds[2];
    pbs_body cubes[2];
    pbs_integrator_desc fine;
    assert_ok(pbs_integrator_desc_init(&fine, sizeof fine, PBS_SCHEME_IMPLICIT_EULER));
    fine.step_control.kind = PBS_STEP_STRETCH_LIMIT;
    fine.step_control.tolerance = 1.0;
    fine.step_control.max = 2e-3;
    for (size_t i = 0; i < 2; i++) {
        worlds[i] = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-6);
        use_integrator(worlds[i], &fine);
        cubes[i] = add_soft_cube(worlds[i]);
        add_stopping_particle(worlds[i], &evaluations[i]);
        hold(worlds[i], cubes[i], 1.2);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_ok(pbs_world_advance(worlds[i], 1e-2));
        hold(worlds[i], cubes[i], 1.3);
    }
    assert_true(stats_of(worlds[0]).step_control.accepted > 4);
    const uint64_t before = pbs_world_hash(worlds[0]);
    const double pressure = pressure_of(worlds[0], cubes[0]);
    evaluations[1] = ENOUGH;
    assert_ok(pbs_world_advance(worlds[1], 1e-2));
    evaluations[0] = (ENOUGH - evaluations[1]) / 2;
    assert_status(pbs_world_advance(worlds[0], 1e-2), PBS_ERROR_HOST);
    assert_true(pbs_world_hash(worlds[0]) == before);
    assert_near(pressure_of(worlds[0], cubes[0]), pressure, 0.0, "pressure");
    evaluations[0] = ENOUGH;
    assert_ok(pbs_world_advance(worlds[0], 1e-2));
    assert_near(volume_of(worlds[0], cubes[0]), 1.3, TOLERANCE * 1.3, "volume");
    assert_true(pbs_world_hash(worlds[0]) == pbs_world_hash(worlds[1]));
    assert_near(stats_of(worlds[0]).newton.tolerance, stats_of(worlds[1]).newton.tolerance, 0.0,
                "tolerance");
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

static pbs_status fill(pbs_world *world, void *context) {
    const pbs_pressure_desc water = held(0.0);
    const pbs_status status = pbs_body_set_pressure(world, *(pbs_body *)context, &water);
    return status < 0 ? status : pbs_world_step(world, 1e-3);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_body piston = add_foil_piston(world);
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, fill, &piston, &refused));
    assert_true(refused > 10);
    hold(world, piston, 0.2);
    const uint64_t calls = allocator.allocate_count;
    assert_ok(pbs_world_step(world, 1e-3));
    assert_true(allocator.allocate_count == calls);
    pbs_world_destroy(world);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1e-9);
    const pbs_body piston = add_foil_piston(world);
    const pbs_body sheet = add_sheet(world, 2, 1.0, origin, NULL);
    pbs_pressure_desc d = held(0.0);
    assert_status(pbs_body_set_pressure(world, sheet, &d), PBS_ERROR_MESH);
    d.pressure = 1.0;
    assert_status(pbs_body_set_pressure(world, piston, &d), PBS_ERROR_ARGUMENT);
    assert_message("must be 0 with PBS_PRESSURE_VOLUME");
    const double volumes[] = {-1.0, NAN, INFINITY, 1e21};
    for (size_t i = 0; i < COUNT_OF(volumes); i++) {
        d = held(volumes[i]);
        assert_status(pbs_body_set_pressure(world, piston, &d), PBS_ERROR_ARGUMENT);
        assert_message("prescribed volume");
    }
    d = held(0.0);
    d.outside = NAN;
    assert_status(pbs_body_set_pressure(world, piston, &d), PBS_ERROR_ARGUMENT);
    assert_message("outside is nan");
    hold(world, piston, 0.0);
    pbs_integrator_desc explicit;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&explicit, sizeof explicit, PBS_SCHEME_SYMPLECTIC_EULER));
    assert_ok(pbs_integrator_create(&explicit, &integrator));
    assert_status(pbs_world_set_integrator(world, integrator), PBS_ERROR_ARGUMENT);
    assert_message("does not support PBS_PRESSURE_VOLUME");
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_holds_them),
        cmocka_unit_test(liquids_bear_pistons),
        cmocka_unit_test(they_are_held_by_the_pressure_of_equilibrium),
        cmocka_unit_test(energy_is_accounted),
        cmocka_unit_test(joints_hold_beside_them),
        cmocka_unit_test(saved_worlds_hold_them),
        cmocka_unit_test(failed_calls_change_nothing),
        cmocka_unit_test(statics_end_under_loads),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
