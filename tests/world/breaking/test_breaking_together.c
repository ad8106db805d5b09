// Bodies that break among bodies that do not, in one world: a bonded plate falls on a soft cube
// that stands on the ground, a stiff ball is thrown through a bonded wall, and a cloth hangs where
// the debris comes down. Every step succeeds, nothing penetrates, and momentum is balanced. The
// number of threads changes no bit, nor does a restore during fracture.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"

static const double STEP = 0.005, NONE[3] = {0.0, 0.0, 0.0};

enum { BODIES = 5, STEPS = 28, MIDDLE = 14 };

struct together {
    pbs_world *world;
    pbs_body plate, wall, cube, ball, cloth;
};

static pbs_body add_bonded(pbs_world *world, const size_t cells[3], double cell,
                           const double corner[3], double strength) {
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_body body;
    assert_true(cubic_tets_make(&mesh, cells, cell, 0.1));
    for (size_t i = 0; i < 3 * mesh.vertex_count; i++) {
        mesh.vertices[i] += corner[i % 3];
    }
    bonded_describe_tets(&mesh, &d);
    d.tensile_strength = strength;
    d.shear_strength = strength;
    d.weibull_modulus = 10.0;
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    cubic_tets_free(&mesh);
    return body;
}

static pbs_body add_ball(pbs_world *world, double radius, const double at[3], double speed) {
    struct surface_mesh ball;
    pbs_affine_desc d;
    pbs_body body;
    assert_true(surface_ball(radius, 8, &ball));
    assert_ok(pbs_affine_desc_init(&d, sizeof d));
    d.vertex_count = ball.vertex_count;
    d.positions = ball.positions;
    d.triangle_count = ball.triangle_count;
    d.triangles = ball.triangles;
    d.density = 4000.0;
    memcpy(d.position, at, sizeof d.position);
    d.velocity[0] = speed;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    surface_mesh_free(&ball);
    return body;
}

static pbs_body hang_cloth(pbs_world *world, size_t cells, double size, const double corner[3]) {
    const uint32_t side = (uint32_t)cells;
    const uint32_t corners[4] = {0, side, side * (side + 1), side * (side + 2)};
    const pbs_body cloth = add_sheet(world, cells, size, corner, NULL);
    assert_ok(pbs_body_pin(world, cloth, corners, 4, PBS_AXIS_ALL));
    return cloth;
}

/// The plate 0.4 m square above a cube, the wall 0.4 m high beside it on a gap of the ground's, and
/// the cloth behind the wall.
static struct together stage(uint32_t threads) {
    static const double cube[3] = {-0.1, 0.01, -0.1}, plate[3] = {-0.2, 0.24, -0.2};
    static const double wall[3] = {1.0, 0.01, -0.2}, ball[3] = {0.8, 0.25, 0.02};
    static const double cloth[3] = {1.2, 0.15, -0.2};
    static const size_t flat[3] = {4, 1, 4}, upright[3] = {1, 4, 4};
    pbs_world_desc settings;
    struct together s;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.gravity[1] = -9.81;
    settings.threads = (int32_t)threads;
    s.world = new_world_from(&settings);
    add_ground(s.world);
    s.cube = add_cube(s.world, 2, 0.2, cube, NULL);
    s.plate = add_bonded(s.world, flat, 0.1, plate, 3e4);
    s.wall = add_bonded(s.world, upright, 0.1, wall, 3e4);
    s.ball = add_ball(s.world, 0.1, ball, 8.0);
    s.cloth = hang_cloth(s.world, 5, 0.4, cloth);
    double fall[3 * 192] = {0.0};
    for (size_t i = 0; i < 192; i++) {
        fall[3 * i + 1] = -4.0;
    }
    assert_ok(pbs_body_set_velocities(s.world, s.plate, fall, 192));
    return s;
}

/// What overlaps finds at no distance are edges through triangles and touching.
static void assert_apart(const pbs_world *world) {
    pbs_overlap_desc query;
    size_t count = 0;
    assert_ok(pbs_overlap_desc_init(&query, sizeof query));
    assert_ok(pbs_world_overlaps(world, &query, NULL, sizeof(pbs_overlap), &count));
    assert_int_equal(count, 0);
}

static void take_steps(pbs_world *world, int first, int last, uint64_t *hashes) {
    for (int n = first; n < last; n++) {
        const pbs_status status = pbs_world_step(world, STEP);
        assert_true(status == PBS_OK || status == PBS_DIVIDED);
        hashes[n] = pbs_world_hash(world);
    }
}

static void all_of_it_lands_and_keeps_apart(void **state) {
    (void)state;
    const struct together s = stage(1);
    size_t before = 0;
    for (int n = 0; n < STEPS; n++) {
        uint64_t hashes[STEPS];
        take_steps(s.world, n, n + 1, hashes);
        assert_apart(s.world);
        before = n + 1 == MIDDLE ? bonded_count_broken(s.world, s.wall) : before;
    }
    // The middle, where others save and restore, is in the middle of the cracks.
    assert_true(before > 0 && bonded_count_broken(s.world, s.wall) > before);
    assert_true(bonded_count_broken(s.world, s.plate) > 0);
    pbs_world_destroy(s.world);
}

static void threads_change_nothing(void **state) {
    (void)state;
    uint64_t hashes[2][STEPS];
    for (uint32_t i = 0; i < (testing_is_small() ? 2U : 4U); i++) {
        const struct together s = stage(i == 0 ? 1 : i + 1);
        take_steps(s.world, 0, STEPS, hashes[i > 0]);
        assert_memory_equal(hashes[i > 0], hashes[0], sizeof hashes[0]);
        pbs_world_destroy(s.world);
    }
}

static void a_restore_in_the_middle_of_the_cracks_changes_nothing(void **state) {
    (void)state;
    uint64_t hashes[2][STEPS];
    const struct together s = stage(1);
    take_steps(s.world, 0, MIDDLE, hashes[0]);
    const struct saved_world saved = save_world(s.world);
    take_steps(s.world, MIDDLE, STEPS, hashes[0]);
    const size_t broken = bonded_count_broken(s.world, s.wall);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    take_steps(other, MIDDLE, STEPS, hashes[1]);
    assert_memory_equal(hashes[1] + MIDDLE, hashes[0] + MIDDLE,
                        (STEPS - MIDDLE) * sizeof hashes[0][0]);
    assert_int_equal(bonded_count_broken(other, s.wall), broken);
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(s.world);
}

// --- balance ---

static void add_momentum(const pbs_world *world, pbs_body body, double sum[3]) {
    const double *v = pbs_body_velocities(world, body);
    const double *m = pbs_body_masses(world, body);
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        add_scaled3(sum, m[i], v + 3 * i, sum);
    }
}

/// Without gravity and ground: the ball, through the wall, gives it what it loses, down to what the
/// minimisation leaves, forces of the tolerance on each node for the time of a step.
static void what_the_ball_loses_the_wall_gains(void **state) {
    (void)state;
    static const double wall[3] = {0.2, -0.2, -0.2}, ball[3] = {0.0, 0.03, 0.02};
    static const size_t upright[3] = {1, 4, 4};
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memcpy(settings.gravity, NONE, sizeof NONE);
    settings.velocity_tolerance = 0.0;
    settings.relative_tolerance = 1e-10;
    pbs_world *world = new_world_from(&settings);
    const pbs_body broken = add_bonded(world, upright, 0.1, wall, 3e4);
    const pbs_body thrown = add_ball(world, 0.1, ball, 8.0);
    double before[3] = {0.0, 0.0, 0.0};
    double after[3] = {0.0, 0.0, 0.0};
    add_momentum(world, broken, before);
    add_momentum(world, thrown, before);
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    assert_true(bonded_count_broken(world, broken) > 10);
    add_momentum(world, broken, after);
    add_momentum(world, thrown, after);
    for (int k = 0; k < 3; k++) {
        assert_near(after[k], before[k], 1e-9 * before[0], "momentum");
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_lands_and_keeps_apart),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_restore_in_the_middle_of_the_cracks_changes_nothing),
        cmocka_unit_test(what_the_ball_loses_the_wall_gains),
    };
    return cmocka_run_group_tests_name("world/breaking_together", tests, NULL, NULL);
}
