// Energy balance of wind, saved worlds with wind, and refusals.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "world/forces/wind_scene.h"

// --- energy ---

static pbs_body add_box(pbs_world *world, const double place[3]) {
    static const double sides[3] = {0.3, 0.2, 0.1};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    for (size_t k = 0; k < 24; k++) {
        box.positions[k] += place[k % 3];
    }
    d.density = 50.0;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// A sheet, a solid and an affine body that spin and drift.
static void add_spinning(pbs_world *world, pbs_body bodies[3]) {
    static const double cube_corner[3] = {2.0, 0.0, 0.0}, box_place[3] = {-2.0, 0.0, 0.0};
    pbs_solid_desc soft;
    assert_ok(pbs_solid_desc_init(&soft, sizeof soft));
    soft.young = 1e4;
    soft.density = 20.0;
    bodies[0] = add_plate(world);
    bodies[1] = add_cube(world, 2, 0.4, cube_corner, &soft);
    bodies[2] = add_box(world, box_place);
    for (int b = 0; b < 3; b++) {
        const size_t count = pbs_body_vertex_count(world, bodies[b]);
        const pbs_motion motion = motion_of(world, bodies[b]);
        const double *x = pbs_body_positions(world, bodies[b]);
        const double spin[3] = {3.0, 2.0, -4.0}, drift[3] = {2.0, -3.0, 1.0};
        double *const v = malloc(3 * count * sizeof *v);
        assert_non_null(v);
        for (size_t i = 0; i < count; i++) {
            double arm[3];
            subtract3(x + 3 * i, motion.center, arm);
            cross3(spin, arm, v + 3 * i);
            add3(v + 3 * i, drift, v + 3 * i);
        }
        assert_ok(pbs_body_set_velocities(world, bodies[b], v, count));
        free(v);
    }
}

/// In air at rest nothing gains energy, and what is lost is dissipated but for what implicit Euler
/// loses besides.
static void air_at_rest_only_takes(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    pbs_body bodies[3];
    const pbs_wind_desc still = wind_of(0.0, 0.0, 0.0);
    add_spinning(world, bodies);
    for (int b = 0; b < 3; b++) {
        assert_ok(pbs_body_set_wind(world, bodies[b], &still));
    }
    const double begin = energy_of(world).total;
    double before = begin, dissipated = 0.0;
    for (int i = 0; i < 60; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        const pbs_energy energy = energy_of(world);
        assert_true(energy.total < before);
        assert_true(energy.dissipated > dissipated);
        before = energy.total;
        dissipated = energy.dissipated;
    }
    assert_true(dissipated > 0.1 * begin && dissipated < begin - before);
    pbs_world_destroy(world);
}

/// Of a scheme of order 2 all that is lost is dissipated: with steps half as long the difference is
/// at most a quarter. In wind what has come in is the momentum times the air's velocity.
static double unaccounted(double wind_speed, double h, int steps) {
    pbs_world *world = wind_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 0.0);
    pbs_body bodies[3];
    const pbs_wind_desc wind = wind_of(wind_speed, 0.0, 0.0);
    double sum = 0.0;
    add_spinning(world, bodies);
    for (int b = 0; b < 3; b++) {
        assert_ok(pbs_body_set_wind(world, bodies[b], &wind));
        sum += wind_speed * motion_of(world, bodies[b]).momentum[0];
    }
    sum -= energy_of(world).total;
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    for (int b = 0; b < 3; b++) {
        sum -= wind_speed * motion_of(world, bodies[b]).momentum[0];
    }
    const pbs_energy energy = energy_of(world);
    sum += energy.total + energy.dissipated;
    assert_true(energy.dissipated > 20.0 * fabs(sum));
    pbs_world_destroy(world);
    return sum;
}

static void what_is_lost_is_dissipated(void **state) {
    (void)state;
    const double speeds[] = {0.0, 5.0};
    for (size_t i = 0; i < COUNT_OF(speeds); i++) {
        const double error = unaccounted(speeds[i], 2e-3, 50);
        const double half = unaccounted(speeds[i], 1e-3, 100);
        assert_true(fabs(error) > 1e-9);
        assert_small(fabs(half / error), 0.3, "ratio of errors");
    }
}

/// Energy control: a rigid plate that is blown along gains h F.(v + v')/2 in a step, its target
/// gains as much, and the work is h F.u of the wind u.
static void the_account_balances(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_A_SEARCH, 0.0);
    const pbs_body plate = add_plate(world);
    const pbs_wind_desc wind = wind_of(0.0, 9.0, 0.0);
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    double before = 0.0, dissipated = 0.0, momentum = 0.0;
    for (int i = 0; i < 20; i++) {
        assert_ok(pbs_world_step(world, 0.02));
        const pbs_energy energy = energy_of(world);
        const pbs_energy_control_stats control = stats_of(world).energy_control;
        const double now = motion_of(world, plate).momentum[1];
        assert_near(control.work, 9.0 * (now - momentum), 1e-9, "work");
        assert_near(control.target - before, control.work - (energy.dissipated - dissipated), 1e-12,
                    "target");
        assert_near(energy.total, control.target, 1e-7, "energy");
        before = control.target;
        dissipated = energy.dissipated;
        momentum = now;
    }
    assert_true(dissipated > 0.5 && before > 0.5);
    pbs_world_destroy(world);
}

/// What is pinned takes no energy, though the wind goes on: all that it supplies is dissipated.
static void pinned_sheets_dissipate_all(void **state) {
    (void)state;
    const double h = 0.01, u = 9.0;
    pbs_world *world = wind_world(PBS_SCHEME_A_SEARCH, 9.81);
    const pbs_body plate = add_plate(world);
    const pbs_wind_desc wind = wind_of(0.0, u, 0.0);
    const double power = drag_of(&wind, plate_area()) * u * u * u;
    assert_ok(pbs_body_pin_all(world, plate));
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    const double begin = energy_of(world).total;
    for (int i = 1; i <= 5; i++) {
        assert_ok(pbs_world_step(world, h));
        assert_near(energy_of(world).dissipated, i * h * power, 1e-12, "dissipated");
        assert_near(stats_of(world).energy_control.work, h * power, 1e-12, "work");
        assert_near(stats_of(world).energy_control.target, begin, 1e-12, "target");
    }
    pbs_world_destroy(world);
}

/// A flag with all its waves follows its target, whatever the wind does.
static void flags_stay_on_their_target(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_A_SEARCH, 9.81);
    const pbs_body flag = add_plate(world);
    const uint32_t held[2] = {0, 3};
    assert_ok(pbs_body_pin(world, flag, held, 2, PBS_AXIS_ALL));
    for (int i = 0; i < 100; i++) {
        const pbs_wind_desc wind = wind_of(3.0, 2.0 * sin(0.2 * i), cos(0.3 * i));
        assert_ok(pbs_body_set_wind(world, flag, &wind));
        assert_ok(pbs_world_step(world, 0.01));
        const pbs_energy energy = energy_of(world);
        const pbs_energy_control_stats control = stats_of(world).energy_control;
        assert_near(energy.total, control.reached, 1e-10, "energy");
        assert_near(control.reached, control.target, 5e-3, "target");
    }
    pbs_world_destroy(world);
}

// --- state ---

static pbs_world *new_scene(int32_t scheme, pbs_body bodies[3]) {
    pbs_world *world = wind_world(scheme, 9.81);
    const pbs_wind_desc wind = wind_of(4.0, 1.0, -2.0);
    add_spinning(world, bodies);
    for (int b = 0; b < 3; b++) {
        assert_ok(pbs_body_set_wind(world, bodies[b], &wind));
    }
    return world;
}

static void saved_worlds_have_wind(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_NEWMARK, PBS_SCHEME_A_SEARCH};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_body bodies[3];
        pbs_world *world = new_scene(schemes[s], bodies), *copy = new_world();
        pbs_wind_desc gust = wind_of(9.0, 0.0, 1.0), read = {.struct_size = sizeof read};
        gust.sides = PBS_WIND_SIDES_OUTER;
        gust.density = 1.1;
        assert_ok(pbs_world_step(world, 0.01));
        // Another wind needs no new matrices, and a restored world makes them anew.
        assert_ok(pbs_body_set_wind(world, bodies[0], &gust));
        const struct saved_world saved = save_world(world);
        assert_ok(pbs_world_restore(copy, saved.data, saved.size));
        assert_ok(pbs_body_wind(copy, bodies[0], &read, NULL));
        assert_memory_equal(&read, &gust, sizeof read);
        for (int i = 0; i < 3; i++) {
            assert_ok(pbs_world_step(world, 0.01));
            assert_ok(pbs_world_step(copy, 0.01));
            assert_true(pbs_world_hash(world) == pbs_world_hash(copy));
        }
        assert_ok(pbs_body_destroy(world, bodies[0]));
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_body_set_wind(world, bodies[2], NULL));
        assert_status(pbs_body_wind(world, bodies[2], NULL, NULL), PBS_ERROR_ARGUMENT);
        assert_ok(pbs_world_step(world, 0.01));
        free(saved.data);
        pbs_world_destroy(world);
        pbs_world_destroy(copy);
    }
}

/// 1152 triangles are several pieces of work and domains.
static uint64_t hash_with(int32_t threads) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    pbs_world *world = wind_world(PBS_SCHEME_A_SEARCH, 9.81);
    pbs_shell_desc like;
    assert_ok(pbs_world_set_threads(world, threads));
    assert_ok(pbs_shell_desc_init(&like, sizeof like));
    like.young = 1e5;
    const pbs_body sheet = add_sheet(world, 24, 1.0, origin, &like);
    const pbs_wind_desc wind = wind_of(1.0, 6.0, 2.0);
    const uint32_t corner = 0;
    assert_ok(pbs_body_pin(world, sheet, &corner, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_set_wind(world, sheet, &wind));
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    const uint64_t hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    return hash;
}

static void threads_change_nothing(void **state) {
    (void)state;
    const uint64_t hash = hash_with(1);
    assert_true(hash_with(2) == hash);
    assert_true(hash_with(5) == hash);
}

static pbs_status blow(pbs_world *world, void *context) {
    const pbs_wind_desc wind = wind_of(1.0, 2.0, 3.0);
    for (int b = 0; b < 3; b++) {
        const pbs_status status = pbs_body_set_wind(world, ((pbs_body *)context)[b], &wind);
        if (status < 0) {
            return status;
        }
    }
    return pbs_world_step(world, 1e-3);
}

/// Nor does a wind that changes allocate.
static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_body bodies[3];
    uint64_t refused = 0;
    add_spinning(world, bodies);
    assert_ok(refuse_until_success(&allocator, world, blow, bodies, &refused));
    assert_true(refused > 20);
    const uint64_t calls = allocator.allocate_count;
    assert_ok(blow(world, bodies));
    assert_true(allocator.allocate_count == calls);
    pbs_world_destroy(world);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    static const double point[3] = {0.0, 0.0, 0.0};
    pbs_world *world = wind_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    const pbs_body plate = add_plate(world);
    pbs_body particle;
    pbs_custom_desc particle_desc;
    pbs_wind_desc d = wind_of(1.0, 0.0, 0.0);
    double force[3] = {7.0, 7.0, 7.0};
    assert_status(pbs_wind_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_wind_desc_init(&d, 3), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_body_set_wind(NULL, plate, &d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_wind(world, plate, NULL, force), PBS_ERROR_ARGUMENT);
    assert_message("no wind acts");
    point_describe(&particle_desc, point, spring_energy, NULL);
    assert_ok(pbs_body_create_custom(world, &particle_desc, &particle));
    assert_status(pbs_body_set_wind(world, particle, &d), PBS_ERROR_ARGUMENT);
    assert_message("only these have wind");
    const struct {
        double velocity, density, normal, tangential;
        int32_t sides;
        const char *words;
    } rows[] = {
        {NAN, 1.2, 1.0, 0.0, 0, "velocity is nan"},
        {-1e11, 1.2, 1.0, 0.0, 0, "velocity is -1e+11"},
        {1.0, -1.0, 1.0, 0.0, 0, "density is -1"},
        {1.0, INFINITY, 1.0, 0.0, 0, "density is inf"},
        {1.0, 1.2, -0.5, 0.0, 0, "normal_coefficient is -0.5"},
        {1.0, 1.2, 1.0, -0.1, 0, "tangential_coefficient is -0.1"},
        {1.0, 1.2, 1.0, NAN, 0, "tangential_coefficient is nan"},
        {1.0, 1.2, 1.0, 0.0, 3, "sides is 3"},
        {1.0, 1.2, 1.0, 0.0, -1, "sides is -1"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        d = wind_of(0.0, 0.0, rows[i].velocity);
        d.density = rows[i].density;
        d.normal_coefficient = rows[i].normal;
        d.tangential_coefficient = rows[i].tangential;
        d.sides = rows[i].sides;
        assert_status(pbs_body_set_wind(world, plate, &d), PBS_ERROR_ARGUMENT);
        assert_message(rows[i].words);
    }
    d = wind_of(1.0, 0.0, 0.0);
    d.struct_size = 8;
    assert_status(pbs_body_set_wind(world, plate, &d), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_body_wind(world, plate, NULL, force), PBS_ERROR_ARGUMENT);
    d = wind_of(1.0, 0.0, 0.0);
    assert_ok(pbs_body_set_wind(world, plate, &d));
    d.struct_size = 8;
    assert_status(pbs_body_wind(world, plate, &d, force), PBS_ERROR_STRUCT_SIZE);
    assert_near(force[0], 7.0, 0.0, "what the calls must not touch");
    d.struct_size = sizeof d;
    assert_ok(pbs_body_destroy(world, plate));
    assert_status(pbs_body_set_wind(world, plate, &d), PBS_ERROR_HANDLE);
    assert_status(pbs_body_wind(world, plate, NULL, force), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(air_at_rest_only_takes),     cmocka_unit_test(what_is_lost_is_dissipated),
        cmocka_unit_test(the_account_balances),       cmocka_unit_test(pinned_sheets_dissipate_all),
        cmocka_unit_test(flags_stay_on_their_target), cmocka_unit_test(saved_worlds_have_wind),
        cmocka_unit_test(threads_change_nothing),     cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
