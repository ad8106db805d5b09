// Pinned vertices, targets and scripted colliders end exactly where the host has put them. Free
// fall is exactly that of the scheme.
// SPDX-License-Identifier: MIT
#include <float.h>

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/world_testing.h"
#include "world/objects/motion.h"

static pbs_world *dividing_world(uint32_t divisions) {
    pbs_world_desc d;
    scene_settings(&d);
    d.divisions = divisions;
    return new_world_from(&d);
}

static pbs_body add_cube_at(pbs_world *world, size_t cells, double height, int32_t material) {
    const double corner[3] = {-0.2, height, -0.2};
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.material = material;
    return add_cube(world, cells, 0.4, corner, &d);
}

/// Vertices 0 and 7 of a cube of one cell are opposite corners.
static void pinned_axes_stay_to_the_bit(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube_at(world, 1, 1.0, PBS_MATERIAL_STABLE_NEO_HOOKEAN);
    const uint32_t all[1] = {0}, some[1] = {7};
    assert_ok(pbs_body_pin(world, body, all, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin(world, body, some, 1, PBS_AXIS_X));
    assert_ok(pbs_body_pin(world, body, some, 1, PBS_AXIS_Z));
    double start[24];
    memcpy(start, pbs_body_positions(world, body), sizeof start);
    assert_ok(scene_step(world, 10));
    const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
    assert_same_bits(x, start, 3);
    assert_true(x[21] == start[21] && x[22] != start[22] && x[23] == start[23]);
    assert_true(v[0] == 0.0 && v[1] == 0.0 && v[21] == 0.0 && v[23] == 0.0 && v[22] != 0.0);
    assert_ok(pbs_body_unpin(world, body, some, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_unpin(world, body, all, 1, PBS_AXIS_Y));
    assert_ok(scene_step(world, 2));
    x = pbs_body_positions(world, body);
    assert_true(x[0] == start[0] && x[1] != start[1] && x[2] == start[2]);
    assert_true(x[21] != start[21]);
    pbs_world_destroy(world);
}

/// Positions that are set move what is held along, and with it targets that were pending; a pin of
/// another axis leaves the pending target of the first.
static void what_is_held_follows_the_last_word(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube_at(world, 1, 1.0, PBS_MATERIAL_STABLE_NEO_HOOKEAN);
    const uint32_t vertices[2] = {0, 7};
    assert_ok(pbs_body_pin(world, body, vertices, 2, PBS_AXIS_X));
    double x[24], targets[6];
    memcpy(x, pbs_body_positions(world, body), sizeof x);
    memcpy(targets, x, 3 * sizeof *x);
    memcpy(targets + 3, x + 21, 3 * sizeof *x);
    targets[0] += 0.01;
    targets[3] += 0.02;
    assert_ok(pbs_body_set_targets(world, body, vertices, 2, targets));
    assert_ok(pbs_body_pin(world, body, vertices, 2, PBS_AXIS_Y));
    assert_ok(pbs_world_step(world, 0.01));
    const double *now = pbs_body_positions(world, body);
    assert_true(now[0] == targets[0] && now[1] == x[1]);
    assert_true(now[21] == targets[3] && now[22] == x[22]);
    assert_ok(pbs_body_set_targets(world, body, vertices, 2, targets));
    for (int i = 0; i < 24; i++) {
        x[i] += 0.25;
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
    assert_ok(pbs_world_step(world, 0.01));
    now = pbs_body_positions(world, body);
    assert_true(now[0] == x[0] && now[1] == x[1] && now[21] == x[21] && now[22] == x[22]);
    pbs_world_destroy(world);
}

/// A cube held by one face in x only, x being down: it hangs. Balancing its momentum as that of a
/// free body would drop what is not held by g h^2 = 1 mm at the first step.
static void bodies_held_in_one_axis_hang(void **state) {
    (void)state;
    pbs_world_desc d;
    scene_settings(&d);
    d.gravity[0] = 10.0;
    pbs_world *world = new_world_from(&d);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 1e8;
    const double corner[3] = {0.0, 0.0, 0.0}, h = 0.01;
    const pbs_body body = add_cube(world, 1, 0.4, corner, &solid);
    double start[24];
    memcpy(start, pbs_body_positions(world, body), sizeof start);
    for (uint32_t i = 0; i < 8; i++) {
        if (start[3 * i] == 0.0) {
            assert_ok(pbs_body_pin(world, body, &i, 1, PBS_AXIS_X));
        }
    }
    assert_ok(pbs_world_step(world, h));
    const double *x = pbs_body_positions(world, body);
    for (size_t i = 0; i < 8; i++) {
        // The static elongation is rho g L^2 / (2 E) = 8e-6 m; mass lumped at the end at most
        // doubles it.
        assert_small(fabs(x[3 * i] - start[3 * i]), 2e-5, "hanging");
        assert_near(x[3 * i + 1] - start[3 * i + 1], -9.81 * h * h, 2e-5, "falling along y");
    }
    pbs_world_destroy(world);
}

static void targets_are_reached_to_the_bit(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube_at(world, 2, 1.0, PBS_MATERIAL_FIXED_COROTATED);
    const uint32_t vertices[2] = {0, 26};
    const double h = 1.0 / 60.0;
    for (int step = 1; step <= 10; step++) {
        double targets[6], before[6];
        for (int i = 0; i < 2; i++) {
            const double *x = pbs_body_positions(world, body) + 3 * vertices[i];
            memcpy(before + 3 * i, x, 3 * sizeof *x);
            targets[3 * i] = x[0] + (i == 0 ? -0.003 : 0.007);
            targets[3 * i + 1] = x[1] + 0.011 * step;
            targets[3 * i + 2] = x[2];
        }
        assert_ok(pbs_body_set_targets(world, body, vertices, 2, targets));
        assert_ok(pbs_world_step(world, h));
        for (int i = 0; i < 2; i++) {
            const double *x = pbs_body_positions(world, body) + 3 * vertices[i];
            const double *v = pbs_body_velocities(world, body) + 3 * vertices[i];
            assert_same_bits(x, targets + 3 * i, 3);
            for (int k = 0; k < 3; k++) {
                assert_near(v[k], (targets[3 * i + k] - before[3 * i + k]) / h, 1e-12, "speed");
            }
        }
    }
    // Without a new target they rest where they are.
    double last[3];
    memcpy(last, pbs_body_positions(world, body), sizeof last);
    assert_ok(pbs_world_step(world, h));
    assert_same_bits(pbs_body_positions(world, body), last, 3);
    assert_true(pbs_body_velocities(world, body)[1] == 0.0);
    pbs_world_destroy(world);
}

/// Targets beyond what one step can take: Neo-Hookean elements would invert, parts of the step do
/// not.
static void divided_steps_reach_their_targets_too(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_world *divided = dividing_world(12);
    const uint32_t vertices[4] = {4, 5, 6, 7};
    for (int i = 0; i < 2; i++) {
        pbs_world *w = i == 0 ? world : divided;
        const pbs_body body = add_cube_at(w, 1, 1.0, PBS_MATERIAL_NEO_HOOKEAN);
        const double *x = pbs_body_positions(w, body);
        double targets[12];
        for (int k = 0; k < 4; k++) {
            // Half a turn about x, and closer: the straight way passes through the opposite side.
            targets[3 * k] = x[12 + 3 * k] - 0.2;
            targets[3 * k + 1] = 2.4 - x[13 + 3 * k];
            targets[3 * k + 2] = -x[14 + 3 * k];
        }
        const uint64_t hash = pbs_world_hash(w);
        assert_ok(pbs_body_set_targets(w, body, vertices, 4, targets));
        const pbs_status status = pbs_world_step(w, 0.1);
        if (status < 0) {
            assert_true(pbs_world_hash(w) == hash);
        } else {
            assert_same_bits(pbs_body_positions(w, body) + 12, targets, 12);
        }
    }
    pbs_world_destroy(world);
    pbs_world_destroy(divided);
}

static void colliders_move_to_their_pose(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_BOX;
    d.size[0] = d.size[2] = 1.0;
    d.size[1] = 0.1;
    pbs_collider lift;
    assert_ok(pbs_collider_create(world, &d, &lift));
    const pbs_body body = add_cube_at(world, 2, 0.1, PBS_MATERIAL_STABLE_NEO_HOOKEAN);
    double position[3] = {0.0, 0.0, 0.0}, found[3], turned[4];
    for (int i = 1; i <= 30; i++) {
        position[1] = 0.01 * i;
        const double angle = 0.001 * i;
        const double orientation[4] = {0.0, sin(angle), 0.0, cos(angle)};
        assert_ok(pbs_collider_set_motion(world, lift, position, orientation));
        assert_ok(pbs_collider_pose(world, lift, found, NULL));
        assert_near(found[1], 0.01 * (i - 1), 0.0, "it has not moved yet");
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        assert_ok(pbs_collider_pose(world, lift, found, turned));
        assert_same_bits(found, position, 3);
        assert_near(turned[1], orientation[1], 1e-15, "orientation");
        // The body rides on the lift, and never below its face.
        const double *x = pbs_body_positions(world, body);
        for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
            assert_true(x[3 * v + 1] >= position[1] + 0.1 - 1e-12);
        }
    }
    assert_true(pbs_body_positions(world, body)[1] < position[1] + 0.1 + 0.1);
    assert_ok(pbs_world_step(world, 1.0 / 60.0));
    assert_ok(pbs_collider_pose(world, lift, found, NULL));
    assert_same_bits(found, position, 3);
    pbs_world_destroy(world);
}

/// "Vertices inside it are moved out at the start of the next step."
/// From R0 to exp(angle u) R0, whichever of its two quaternions names it: the pose at a fraction is
/// exp(fraction angle u) R0, it turns by angle u / h, and the end is the target's to the bit.
static void colliders_turn_the_shorter_way(void **state) {
    (void)state;
    struct random numbers = random_seed(4);
    for (int trial = 0; trial < 200; trial++) {
        const double angle = random_uniform(&numbers, 0.1, 3.0), h = 0.02;
        const double fraction = random_uniform(&numbers, 0.0, 1.0);
        double u[3], start[4], path[3], half[4], turn[9], first[9], expected[9], last[9];
        random_unit(&numbers, u);
        random_unit(&numbers, start);
        random_fill(&numbers, -1.0, 1.0, path, 3);
        start[3] = random_uniform(&numbers, -1.0, 1.0);
        const double norm = sqrt(1.0 + start[3] * start[3]), sine = sin(0.5 * angle);
        for (int i = 0; i < 4; i++) {
            start[i] /= norm;
            half[i] = i < 3 ? sine * u[i] : cos(0.5 * angle);
        }
        struct collider c = {.moving = true};
        memcpy(c.desc.orientation, start, sizeof start);
        memcpy(c.target_position, path, sizeof path);
        // The product of quaternions, half start, with either sign.
        const double sign = trial % 2 ? -1.0 : 1.0;
        double *const target = c.target_orientation;
        cross3(half, start, target);
        for (int i = 0; i < 3; i++) {
            target[i] = sign * (target[i] + half[3] * start[i] + start[3] * half[i]);
        }
        target[3] = sign * (half[3] * start[3] - dot3(half, start));
        for (int i = 0; i < 3; i++) {
            half[i] = sin(0.5 * fraction * angle) * u[i];
        }
        half[3] = cos(0.5 * fraction * angle);
        rotation_of(half, turn);
        rotation_of(start, first);
        multiply33(turn, first, expected);
        struct obstacle o;
        motion_obstacle_at(&c, fraction, h, &o);
        // The angle comes from an arc tangent that is well conditioned; some 1e-15 for the rest.
        assert_small(testing_max_difference(o.pose.rotation, expected, 9), 1e-14, "orientation");
        for (int i = 0; i < 3; i++) {
            assert_near(o.angular_velocity[i], angle * u[i] / h, 1e-12, "angular velocity");
            assert_near(o.pose.translation[i], fraction * path[i], 1e-15, "position");
            assert_near(o.velocity[i], path[i] / h, 1e-13, "velocity");
        }
        motion_obstacle_at(&c, 1.0, h, &o);
        rotation_of(target, last);
        assert_same_bits(o.pose.rotation, last, 9);
        assert_same_bits(o.pose.translation, path, 3);
        motion_end_step(&c);
        motion_obstacle_at(&c, 0.5, h, &o);
        assert_same_bits(o.pose.rotation, last, 9);
        assert_true(norm3(o.velocity) == 0.0 && norm3(o.angular_velocity) == 0.0);
    }
}

static void bodies_inside_a_collider_come_out(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube_at(world, 2, -0.1, PBS_MATERIAL_STABLE_NEO_HOOKEAN);
    add_ground(world);
    assert_ok(pbs_world_step(world, 1.0 / 60.0));
    for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
        assert_true(pbs_body_positions(world, body)[3 * v + 1] >= -1e-12);
    }
    pbs_world_destroy(world);
}

/// x_n = x_0 + h^2 g n (n + 1) / 2 and v_n = n h g, for every vertex: what a step rounds, a few
/// times the resolution of x, is part of the velocity of all later ones.
static void free_fall_is_exact(void **state) {
    (void)state;
    for (int32_t material = 0; material <= PBS_MATERIAL_ST_VENANT_KIRCHHOFF; material++) {
        pbs_world *world = new_world();
        const pbs_body body = add_cube_at(world, 3, 1.0, material);
        double start[192];
        memcpy(start, pbs_body_positions(world, body), sizeof start);
        const double h = 1.0 / 24.0, fall = h * h * 300;
        for (int n = 1; n <= 24; n++) {
            assert_ok(pbs_world_step(world, h));
        }
        const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
        const double *mass = pbs_body_masses(world, body);
        const double bound = 24 * 24 * 4.0 * DBL_EPSILON * 9.81 * fall;
        double total = 0.0, moved = 0.0, momentum = 0.0;
        for (size_t i = 0; i < 64; i++) {
            assert_near(v[3 * i + 1], -9.81 * 24 * h, bound / h, "speed");
            assert_near(x[3 * i + 1], start[3 * i + 1] - 9.81 * fall, bound, "fallen");
            assert_near(x[3 * i], start[3 * i], bound, "sideways");
            total += mass[i];
            moved += mass[i] * (x[3 * i + 1] - start[3 * i + 1]);
            momentum += mass[i] * v[3 * i + 1];
        }
        assert_near(moved / total, -9.81 * fall, 1e-13 * 9.81 * fall * 24, "centre of mass");
        assert_near(momentum / total, -9.81 * 24 * h, 1e-13 * 9.81 * 24, "its speed");
        pbs_world_destroy(world);
    }
}

/// A stretched cube 10 m from the origin, in steps of 1e-7 s: rounding of x is worth m eps |x| /
/// h^2, 2e-1 N for a vertex of 1 g, and no tolerance can ask for less. In 2 us nothing moves
/// visibly: a tenth of strain at 1e5 Pa accelerates 1000 kg/m^3 over 0.2 m by some 1e2 m/s^2.
static void very_short_steps_land(void **state) {
    (void)state;
    const double h = 1e-7;
    pbs_world *world = new_world();
    const double corner[3] = {10.0, 10.0, 10.0};
    const pbs_body body = add_cube(world, 2, 0.4, corner, NULL);
    const size_t count = pbs_body_vertex_count(world, body);
    double *x = malloc(3 * count * sizeof *x);
    memcpy(x, pbs_body_positions(world, body), 3 * count * sizeof *x);
    for (size_t i = 0; i < 3 * count; i += 3) {
        x[i] = 10.0 + 1.1 * (x[i] - 10.0);
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(world, h));
    }
    assert_true(stats_of(world).newton.roundoff_accepts > 0);
    for (size_t i = 0; i < 3 * count; i++) {
        assert_near(pbs_body_positions(world, body)[i], x[i], 1e-9, "moved");
    }
    free(x);
    pbs_world_destroy(world);
}

/// The momentum of two bodies without external forces, one with drag: to rounding, and as the drag
/// says.
static void momentum_is_balanced_exactly(void **state) {
    (void)state;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.relative_tolerance = 1e-3; // so loose that residuals alone would show
    pbs_world *world = new_world_from(&d);
    const double corner[3] = {0.0, 0.0, 0.0};
    double velocities[81];
    for (int i = 0; i < 81; i++) {
        velocities[i] = sin(7.0 * i) + 0.5;
    }
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.initial_velocities = velocities;
    solid.damping = 0.001;
    pbs_body bodies[2];
    bodies[0] = add_cube(world, 2, 0.4, corner, &solid);
    solid.drag = 2.0;
    bodies[1] = add_cube(world, 2, 0.4, corner, &solid);
    double before[2] = {0.0, 0.0}, after[2] = {0.0, 0.0};
    const double h = 1.0 / 60.0;
    for (int b = 0; b < 2; b++) {
        for (size_t i = 0; i < 27; i++) {
            before[b] += pbs_body_masses(world, bodies[b])[i] * velocities[3 * i];
        }
    }
    assert_ok(scene_step(world, 30));
    for (int b = 0; b < 2; b++) {
        for (size_t i = 0; i < 27; i++) {
            after[b] += pbs_body_masses(world, bodies[b])[i] *
                        pbs_body_velocities(world, bodies[b])[3 * i];
        }
    }
    assert_near(after[0], before[0], 1e-12 * 64.0, "momentum");
    assert_near(after[1], before[1] / pow(1.0 + 2.0 * h, 30), 1e-12 * 64.0, "momentum with drag");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_axes_stay_to_the_bit),
        cmocka_unit_test(what_is_held_follows_the_last_word),
        cmocka_unit_test(bodies_held_in_one_axis_hang),
        cmocka_unit_test(targets_are_reached_to_the_bit),
        cmocka_unit_test(divided_steps_reach_their_targets_too),
        cmocka_unit_test(colliders_move_to_their_pose),
        cmocka_unit_test(colliders_turn_the_shorter_way),
        cmocka_unit_test(bodies_inside_a_collider_come_out),
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(very_short_steps_land),
        cmocka_unit_test(momentum_is_balanced_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
