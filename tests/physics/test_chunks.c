// Pieces welded by what they share of their surfaces: beams and columns break at the load of beam
// theory, walls fall to pieces that lie on each other.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include <math.h>

#include "base/matrix3/math3.h"

static const double G = 9.81, DENSITY = 1000.0;
static const double SIDE = 0.1; // m, of a cube
// Pa: of beams, so that they do not swing, and of walls.
static const double STIFF = 1e11, SOFT = 1e8;
static const double WEIGHT = 9.81 * 1000.0 * 1e-3;

static pbs_world *new_chunk_world(int32_t contact, double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = contact;
    d.gravity[1] = -gravity;
    d.relative_tolerance = 1e-6;
    return new_world_from(&d);
}

static pbs_body add_chunk(pbs_world *world, double stiffness, double x, double y, double z) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    const double sides[3] = {SIDE, SIDE, SIDE};
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.density = DENSITY;
    d.stiffness = stiffness;
    d.position[0] = x;
    d.position[1] = y;
    d.position[2] = z;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// counts[0] x counts[1] x counts[2] cubes, x first; the centre of the first one is at `at`.
static size_t add_block(pbs_world *world, const int counts[3], const double at[3], double stiffness,
                        pbs_body *bodies) {
    size_t count = 0;
    for (int k = 0; k < counts[2]; k++) {
        for (int j = 0; j < counts[1]; j++) {
            for (int i = 0; i < counts[0]; i++) {
                bodies[count++] = add_chunk(world, stiffness, at[0] + SIDE * i, at[1] + SIDE * j,
                                            at[2] + SIDE * k);
            }
        }
    }
    return count;
}

static size_t weld(pbs_world *world, const pbs_body *bodies, size_t count, double tensile,
                   double shear) {
    pbs_weld_desc d;
    size_t made = 0;
    assert_ok(pbs_weld_desc_init(&d, sizeof d));
    d.bodies = bodies;
    d.body_count = count;
    d.tensile_strength = tensile;
    d.shear_strength = shear;
    assert_ok(pbs_joint_create_welds(world, &d, &made));
    return made;
}

static bool is_broken(const pbs_world *world, size_t index) {
    pbs_joint_state state = {.struct_size = sizeof state};
    assert_ok(pbs_joint_get_state(world, pbs_world_joint_at(world, index), &state));
    return state.broken != 0;
}

static size_t count_broken(const pbs_world *world) {
    size_t count = 0;
    for (size_t i = 0; i < pbs_world_joint_count(world); i++) {
        count += is_broken(world, i);
    }
    return count;
}

static void center_of(const pbs_world *world, pbs_body body, double out[3]) {
    const pbs_point center = {.struct_size = sizeof center, .kind = PBS_POINT_LOCAL, .body = body};
    assert_ok(pbs_world_point_position(world, &center, out));
}

// --- strength ---

/// A beam of eight cubes, the first of which is held: at its face the seven others exert the moment
/// 7^2 / 2 weight side, and the stress is that over side^3 / 6.
static void a_beam_breaks_at_its_bending_stress(void **state) {
    (void)state;
    const double stress = WEIGHT * SIDE * 49.0 / 2.0 / (SIDE * SIDE * SIDE / 6.0);
    for (int strong = 0; strong < 2; strong++) {
        pbs_world *world = new_chunk_world(PBS_CONTACT_PROJECTION, G);
        pbs_body beam[8];
        add_block(world, (const int[3]){8, 1, 1}, (const double[3]){0.0, 0.0, 0.0}, STIFF, beam);
        assert_ok(pbs_body_pin_all(world, beam[0]));
        assert_int_equal(weld(world, beam, 8, stress * (strong != 0 ? 1.001 : 0.999), INFINITY), 7);
        for (int i = 0; i < 5; i++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        // Only the first weld is overloaded; beyond it the beam falls as a whole.
        assert_int_equal(is_broken(world, 0), strong == 0);
        assert_int_equal(count_broken(world), strong == 0 ? 1 : 0);
        pbs_world_destroy(world);
    }
}

/// A column that hangs at its upper end breaks where the weight below is the strength of the
/// section, in tension; one that stands bears any weight.
static void columns_break_in_tension_alone(void **state) {
    (void)state;
    const double stress = 3.0 * WEIGHT / (SIDE * SIDE);
    for (int hangs = 0; hangs < 2; hangs++) {
        for (int strong = 0; strong < 2; strong++) {
            pbs_world *world = new_chunk_world(PBS_CONTACT_PROJECTION, G);
            pbs_body column[4];
            add_block(world, (const int[3]){1, 4, 1}, (const double[3]){0.0, 0.0, 0.0}, STIFF,
                      column);
            assert_ok(pbs_body_pin_all(world, column[hangs != 0 ? 3 : 0]));
            assert_int_equal(
                weld(world, column, 4, stress * (strong != 0 ? 1.001 : 0.999), INFINITY), 3);
            assert_ok(pbs_world_step(world, 0.01));
            assert_int_equal(count_broken(world), hangs != 0 && strong == 0 ? 1 : 0);
            assert_int_equal(is_broken(world, 2), hangs != 0 && strong == 0);
            pbs_world_destroy(world);
        }
    }
}

/// A cube at the side of a wall bears its weight in shear, with the moment that comes of its arm.
static void a_console_breaks_in_shear(void **state) {
    (void)state;
    const double stress = WEIGHT / (SIDE * SIDE);
    for (int strong = 0; strong < 2; strong++) {
        pbs_world *world = new_chunk_world(PBS_CONTACT_PROJECTION, G);
        pbs_body cubes[2];
        add_block(world, (const int[3]){2, 1, 1}, (const double[3]){0.0, 0.0, 0.0}, STIFF, cubes);
        assert_ok(pbs_body_pin_all(world, cubes[0]));
        assert_int_equal(weld(world, cubes, 2, INFINITY, stress * (strong != 0 ? 1.001 : 0.999)),
                         1);
        assert_ok(pbs_world_step(world, 0.01));
        assert_int_equal(count_broken(world), strong == 0);
        pbs_world_destroy(world);
    }
}

// --- walls ---

/// The sum of momenta, kg m/s.
static void momentum_of(const pbs_world *world, const pbs_body *bodies, size_t count,
                        double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0.0;
    for (size_t i = 0; i < count; i++) {
        const pbs_point center = {
            .struct_size = sizeof center, .kind = PBS_POINT_LOCAL, .body = bodies[i]};
        double v[3];
        assert_ok(pbs_world_point_velocity(world, &center, v));
        add_scaled3(sum, DENSITY * SIDE * SIDE * SIDE, v, sum);
    }
}

static void throw(pbs_world * world, pbs_body body, double x, double y, double z) {
    double v[24];
    for (int i = 0; i < 8; i++) {
        v[3 * i] = x;
        v[3 * i + 1] = y;
        v[3 * i + 2] = z;
    }
    assert_ok(pbs_body_set_velocities(world, body, v, 8));
}

/// A cube hits a wall in free space: pieces come off, and momentum is what it was.
static void a_wall_breaks_under_an_impact(void **state) {
    (void)state;
    pbs_world *world = new_chunk_world(PBS_CONTACT_BARRIER, 0.0);
    pbs_body bodies[13];
    const size_t wall = add_block(world, (const int[3]){4, 3, 1}, (const double[3]){0.0, 0.0, 0.0},
                                  SOFT, bodies);
    assert_int_equal(weld(world, bodies, wall, 1e4, 1e4), 3 * 3 + 4 * 2);
    bodies[wall] = add_chunk(world, SOFT, 1.5 * SIDE, SIDE, -1.2 * SIDE);
    throw(world, bodies[wall], 0.0, 0.0, 10.0);
    double before[3], after[3];
    momentum_of(world, bodies, wall + 1, before);
    double allowed = 0.0;
    for (int i = 0; i < 20; i++) {
        assert_true(pbs_world_step(world, 0.005) >= 0);
        allowed += 0.005 * stats_of(world).newton.tolerance * 4.0 * (double)(wall + 1);
    }
    assert_true(count_broken(world) >= 4);
    // What was hit is far from what was not.
    double hit[3], corner[3];
    center_of(world, bodies[5], hit);
    center_of(world, bodies[0], corner);
    assert_true(hit[2] - corner[2] > SIDE);
    momentum_of(world, bodies, wall + 1, after);
    assert_small(testing_max_difference(before, after, 3), allowed, "momentum");
    pbs_world_destroy(world);
}

/// The largest of the distances of two cubes' centers along the axes of space, for any two the
/// least.
static double closest_centers(const pbs_world *world, const pbs_body *bodies, size_t count) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            double a[3], b[3];
            center_of(world, bodies[i], a);
            center_of(world, bodies[j], b);
            subtract3(a, b, a);
            least = fmin(least, norm3(a));
        }
    }
    return least;
}

/// A wall whose welds bear nothing is struck: its pieces, which were face to face, neither pass
/// through each other nor through the ground.
static void pieces_of_a_wall_pile_up(void **state) {
    (void)state;
    pbs_world *world = new_chunk_world(PBS_CONTACT_BARRIER, G);
    pbs_body bodies[13];
    add_ground(world);
    const size_t wall = add_block(world, (const int[3]){4, 3, 1},
                                  (const double[3]){0.0, 0.5 * SIDE + 0.002, 0.0}, SOFT, bodies);
    assert_int_equal(weld(world, bodies, wall, 1e3, 1e3), 3 * 3 + 4 * 2);
    bodies[wall] = add_chunk(world, SOFT, 1.5 * SIDE, 1.5 * SIDE, -1.3 * SIDE);
    throw(world, bodies[wall], 0.0, 0.0, 4.0);
    for (int i = 0; i < 100; i++) {
        assert_true(pbs_world_step(world, 0.01) >= 0);
    }
    assert_true(count_broken(world) >= 4);
    for (size_t i = 0; i <= wall; i++) {
        double x[3];
        center_of(world, bodies[i], x);
        assert_true(x[1] > 0.49 * SIDE);
    }
    // Centers of cubes that do not overlap are a side apart, less what their insets overlap.
    assert_true(closest_centers(world, bodies, wall + 1) > 0.97 * SIDE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_breaks_at_its_bending_stress),
        cmocka_unit_test(columns_break_in_tension_alone),
        cmocka_unit_test(a_console_breaks_in_shear),
        cmocka_unit_test(a_wall_breaks_under_an_impact),
        cmocka_unit_test(pieces_of_a_wall_pile_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
