// What the generic step owes to every scheme of the table.
// SPDX-License-Identifier: MIT
#include "integrate/states/combination.h"
#include "integrate/scheme.h"
#include "support/world_testing.h"

static const double origin[3] = {0.0, 0.0, 0.0};

/// |v(1) - exp(-drag)| of a cube that drag alone acts on, after n equal steps.
static double drag_error(const struct scheme_table *scheme, int n) {
    const double drag = 2.0;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = 1e-8;
    pbs_world *world = new_world_from(&d);
    use_scheme(world, scheme->id);
    double velocities[24] = {0.0};
    for (int i = 0; i < 8; i++) {
        velocities[3 * i] = 1.0;
    }
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 1e3;
    solid.initial_velocities = velocities;
    solid.drag = drag;
    const pbs_body body = add_cube(world, 1, 1.0, origin, &solid);
    for (int i = 0; i < n; i++) {
        assert_ok(pbs_world_step(world, 1.0 / n));
    }
    const double v = pbs_body_velocities(world, body)[0], lost = 500.0 * (1.0 - v * v);
    // The integral of drag m v^2 is the scheme's own, so wrong by drag h or its square at most.
    assert_near(energy_of(world).dissipated, lost, pow(drag / n, scheme->order) * lost,
                scheme->name);
    pbs_world_destroy(world);
    return fabs(v - exp(-drag));
}

/// Drag sees the velocity of each stage, and of the state where accelerations begin: otherwise the
/// order is lost. (The first-order theta method, so close to 1/2, has more.)
static void drag_keeps_the_order(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // knows no drag
        }
        const double slope = log2(drag_error(scheme, 40) / drag_error(scheme, 80));
        assert_small(scheme->order - slope, 0.15, scheme->name);
    }
}

/// A state off the last stage's time has its held vertices where they were sent all the same.
static void every_scheme_reaches_its_targets(void **state) {
    (void)state;
    const double target[3] = {0.01, -0.02, 0.03}, h = 0.02;
    const uint32_t vertex = 0;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        pbs_world *world = new_world();
        use_scheme(world, scheme_tables[i]->id);
        const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
        for (int n = 1; n <= 3; n++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = n * target[k];
            }
            assert_ok(pbs_body_set_targets(world, body, &vertex, 1, x));
            assert_ok(pbs_world_step(world, h));
            assert_same_bits(pbs_body_positions(world, body), x, 3);
            for (int k = 0; k < 3; k++) {
                const double speed = scheme_tables[i]->is_static ? 0.0 : target[k] / h;
                assert_near(pbs_body_velocities(world, body)[k], speed, 1e-14, "speed");
            }
        }
        pbs_world_destroy(world);
    }
}

static void nothing_combined_is_zero(void **state) {
    (void)state;
    const struct combination nothing = {{0.0}, {0.0}, {0.0}};
    const struct kinematics states[STATE_COUNT] = {{NULL, NULL, NULL}};
    double out[3] = {1.0, 2.0, 3.0};
    combination_evaluate(NULL, &nothing, states, 3, out);
    assert_true(out[0] == 0.0 && out[1] == 0.0 && out[2] == 0.0);
}

/// Of what a two-step scheme remembers nothing survives a change by the host: a world whose
/// integrator, positions, velocities or bodies were set goes on as a new one in the same state.
static void changes_by_the_host_start_anew(void **state) {
    (void)state;
    const double positions[6] = {0.0, 0.0, 0.0, 0.2, 0.1, 0.0}, masses[2] = {1.0, 2.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc springs;
    springs_describe(&springs, 2, positions, masses, 1, stencil);
    for (int change = 0; change < 4; change++) {
        pbs_world *worlds[2];
        pbs_body bodies[2], other;
        for (int i = 0; i < 2; i++) {
            pbs_world *const w = worlds[i] = new_world();
            use_scheme(w, PBS_SCHEME_BDF2);
            assert_ok(pbs_body_create_custom(w, &springs, &bodies[i]));
            assert_ok(i == 0 ? scene_step(w, 3) : PBS_OK);
        }
        const double *x = pbs_body_positions(worlds[0], bodies[0]);
        const double *v = pbs_body_velocities(worlds[0], bodies[0]);
        assert_ok(pbs_body_set_positions(worlds[1], bodies[1], x, 2));
        assert_ok(pbs_body_set_velocities(worlds[1], bodies[1], v, 2));
        switch (change) {
        case 0: use_scheme(worlds[0], PBS_SCHEME_BDF2); break;
        case 1: assert_ok(pbs_body_set_positions(worlds[0], bodies[0], x, 2)); break;
        case 2: assert_ok(pbs_body_set_velocities(worlds[0], bodies[0], v, 2)); break;
        default:
            assert_ok(pbs_body_create_custom(worlds[0], &springs, &other));
            assert_ok(pbs_body_destroy(worlds[0], other));
        }
        assert_ok(scene_step(worlds[0], 1));
        assert_ok(scene_step(worlds[1], 1));
        assert_same_bits(pbs_body_positions(worlds[0], bodies[0]),
                         pbs_body_positions(worlds[1], bodies[1]), 6);
        pbs_world_destroy(worlds[0]);
        pbs_world_destroy(worlds[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_keeps_the_order),
        cmocka_unit_test(every_scheme_reaches_its_targets),
        cmocka_unit_test(nothing_combined_is_zero),
        cmocka_unit_test(changes_by_the_host_start_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
