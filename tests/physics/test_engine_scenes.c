// Scenes A1, A2 (cantilever cubes), B1, B2 (dropped cubes) of the engine comparison. The reference
// numbers come from an exact Newton with a direct solver, run independently; Bullet 3.24 agrees
// with it to 1e-5 where it does not blow up.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include <pbs/pbs.h>

#include "scenes/engine_scenes.h"

/// What the reference says of one cantilever run; NAN where it says nothing.
struct cantilever_reference {
    const char *name;
    size_t cells;
    double young, rate, duration; ///< Pa, steps per second, seconds
    double lowest_tip;
    double tip_half, tip_one, tip_two;          ///< at 0.5, 1 and 2 s
    double energy_half, energy_one, energy_two; ///< J
};

#define NOT_GIVEN ((double)NAN)

static const struct cantilever_reference references[] = {
    {"A1 n=10 1/60", 10, 1e5, 60, 2.0, -0.50607, NOT_GIVEN, NOT_GIVEN, -0.17452, -246.13, -399.65,
     -568.04},
    {"A1 n=10 1/30", 10, 1e5, 30, 2.0, -0.47159, NOT_GIVEN, NOT_GIVEN, -0.22059, NOT_GIVEN,
     NOT_GIVEN, NOT_GIVEN},
    {"A1 n=20 1/30", 20, 1e5, 30, 1.0, -0.48473, NOT_GIVEN, -0.14282, NOT_GIVEN, NOT_GIVEN,
     NOT_GIVEN, NOT_GIVEN},
    {"A2 n=10 1/60", 10, 5e5, 60, 1.0, -0.09343, -0.045796, -0.060654, NOT_GIVEN, -120.976,
     -138.637, NOT_GIVEN},
    {"A2 n=10 1/30", 10, 5e5, 30, 1.0, -0.08184, -0.047183, -0.054522, NOT_GIVEN, -137.483,
     -141.720, NOT_GIVEN},
    {"A2 n=20 1/30", 20, 5e5, 30, 1.0, -0.08429, NOT_GIVEN, -0.05576, NOT_GIVEN, NOT_GIVEN,
     NOT_GIVEN, NOT_GIVEN},
};

/// Relative 1e-4, and half a unit of the last digit that the reference prints.
static void check_number(const char *scene, const char *what, double found, double reference,
                         double last_digit) {
    if (isnan(reference)) {
        return;
    }
    char words[80];
    snprintf(words, sizeof words, "%s, %s", scene, what);
    assert_near(found, reference, 1e-4 * fabs(reference) + 0.5 * last_digit, words);
}

/// The unit of the last printed digit of a tip: five decimals, or six where the number needs them.
static double last_digit_of_tip(double value) {
    const double scaled = value * 1e5;
    return fabs(scaled - nearbyint(scaled)) < 1e-6 ? 1e-5 : 1e-6;
}

static void run_cantilever(const struct cantilever_reference *r) {
    const struct cube_scene scene = {.cells = r->cells, .young = r->young, .clamped = true};
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    assert_ok(cube_scene_create(&scene, NULL, &world, &body, &mesh));
    double lowest = 0.0;
    const int steps = (int)lround(r->rate * r->duration);
    for (int step = 1; step <= steps; step++) {
        assert_ok(pbs_world_step(world, 1.0 / r->rate));
        const double tip = cube_scene_tip(world, body, &mesh);
        const double energy = cube_scene_energy(world);
        const double halves = 2.0 * step / r->rate;
        lowest = fmin(lowest, tip);
        if (halves == 1.0) {
            check_number(r->name, "tip(0.5 s)", tip, r->tip_half, last_digit_of_tip(r->tip_half));
            check_number(r->name, "energy(0.5 s)", energy, r->energy_half, 0.01);
        } else if (halves == 2.0) {
            check_number(r->name, "tip(1 s)", tip, r->tip_one, last_digit_of_tip(r->tip_one));
            check_number(r->name, "energy(1 s)", energy, r->energy_one, 0.01);
        } else if (halves == 4.0) {
            check_number(r->name, "tip(2 s)", tip, r->tip_two, last_digit_of_tip(r->tip_two));
            check_number(r->name, "energy(2 s)", energy, r->energy_two, 0.01);
        }
    }
    check_number(r->name, "lowest tip", lowest, r->lowest_tip, last_digit_of_tip(r->lowest_tip));
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

static void cantilevers_of_ten_cells(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(references); i++) {
        if (references[i].cells == 10) {
            run_cantilever(&references[i]);
        }
    }
}

static void cantilevers_of_twenty_cells(void **state) {
    (void)state;
    if (testing_is_small()) {
        print_message("skipped: the same code as ten cells, too slow under a sanitizer\n");
        skip();
    }
    for (size_t i = 0; i < COUNT_OF(references); i++) {
        if (references[i].cells == 20) {
            run_cantilever(&references[i]);
        }
    }
}

/// A1 at n = 30: elements invert near the clamp from 0.4 s on and Bullet's energy rises without
/// bound from 0.70 s on. Every step must land with a finite state, its energy must never exceed
/// that of the start (implicit Euler only loses), or say why not and leave the state alone.
static void severe_cantilever_stays_finite(void **state) {
    (void)state;
    const size_t cells = testing_is_small() ? 8 : 30;
    const struct cube_scene scene = {.cells = cells, .young = 1e5, .clamped = true};
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    assert_ok(cube_scene_create(&scene, NULL, &world, &body, &mesh));
    for (int step = 1; step <= 27; step++) { // 0.9 s
        const pbs_status status = pbs_world_step(world, 1.0 / 30.0);
        const pbs_stats stats = stats_of(world);
        assert_int_equal(stats.status, status);
        assert_true(status == PBS_OK || pbs_last_error()[0] != '\0');
        const double energy = cube_scene_energy(world);
        assert_true(isfinite(energy) && energy <= 1e-6);
        assert_true(isfinite(cube_scene_tip(world, body, &mesh)));
        if (status < 0) {
            break;
        }
    }
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

/// Height of the centre of mass of the cube at rest on the ground: steps of 100 s of implicit Euler
/// are Newton's method for the static problem.
static double static_height(double young) {
    const struct cube_scene scene = {.cells = 10, .young = young, .ground = true};
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    assert_ok(cube_scene_create(&scene, NULL, &world, &body, &mesh));
    double *start = malloc(3 * mesh.vertex_count * sizeof *start);
    assert_non_null(start);
    memcpy(start, mesh.positions, 3 * mesh.vertex_count * sizeof *start);
    positions_translate(start, mesh.vertex_count, 0.0, -1.0, 0.0);
    assert_ok(pbs_body_set_positions(world, body, start, mesh.vertex_count));
    free(start);
    double *still = calloc(3 * mesh.vertex_count, sizeof *still);
    assert_non_null(still);
    for (int step = 0; step < 40; step++) {
        assert_ok(pbs_world_step(world, 0.5));
        assert_ok(pbs_body_set_velocities(world, body, still, mesh.vertex_count));
    }
    free(still);
    const double height = cube_scene_height(world, body);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
    return height;
}

/// No penetration at any step (1e-12 of the diagonal), no inversion at rest, no energy gained, and
/// after 3 s the static height within 1 %.
static void run_dropped_cube(double young) {
    const struct cube_scene scene = {.cells = 10, .young = young, .ground = true};
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    assert_ok(cube_scene_create(&scene, NULL, &world, &body, &mesh));
    const int steps = testing_is_small() ? 40 : 180;
    for (int step = 0; step < steps; step++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        assert_true(cube_scene_lowest(world, body) >= -1e-12 * sqrt(3.0));
        assert_true(cube_scene_energy(world) <= 1e-6 * 9810.0); // of the energy that the fall sets
                                                                // free
    }
    if (!testing_is_small()) {
        assert_true(cube_scene_smallest_jacobian(world, body, &mesh) > 0.0);
        assert_near(cube_scene_height(world, body) / static_height(young), 1.0, 0.01,
                    "settled height over the static one");
    }
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

static void dropped_stiff_cube_settles(void **state) {
    (void)state;
    run_dropped_cube(1e6);
}

static void dropped_soft_cube_settles(void **state) {
    (void)state;
    run_dropped_cube(1e5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_of_ten_cells),
        cmocka_unit_test(cantilevers_of_twenty_cells),
        cmocka_unit_test(severe_cantilever_stays_finite),
        cmocka_unit_test(dropped_stiff_cube_settles),
        cmocka_unit_test(dropped_soft_cube_settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
