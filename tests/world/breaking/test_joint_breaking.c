// Joints that break within a call. They break at the end of an accepted part of the call. They are
// intact again if the part is undone. If the host asks for passes, several break within one step.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include <math.h>

static const double G = 9.81, H = 0.01;
static const double WEIGHT = 9.81 * 1000.0 * 1e-3; // N, of a cube of 0.1 m

static pbs_world *new_hanging_world(uint32_t passes) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[1] = -G;
    d.relative_tolerance = 1e-8;
    d.fracture_passes = passes;
    return new_world_from(&d);
}

static void set_steps(pbs_world *world, const pbs_step_control *control) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.step_control = *control;
    use_integrator(world, &d);
}

static pbs_body add_brick(pbs_world *world) {
    static const double sides[3] = {0.1, 0.1, 0.1};
    struct box_surface surface;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&surface, sides);
    box_surface_describe(&surface, &d);
    d.density = 1000.0;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// A joint of the brick's origin to a place above it.
static pbs_joint hang(pbs_world *world, pbs_body brick, int32_t kind, double strength) {
    pbs_joint_desc d;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = kind;
    d.a.place[1] = kind == PBS_JOINT_DISTANCE ? 1.0 : 0.0;
    d.b.kind = PBS_POINT_LOCAL;
    d.b.body = brick;
    if (kind == PBS_JOINT_DISTANCE) {
        d.upper = 1.0;
    }
    d.break_force = strength;
    assert_ok(pbs_joint_create(world, &d, &joint));
    return joint;
}

static size_t broken_rows(const pbs_world *world, pbs_broken_joint rows[4]) {
    size_t count = 4;
    assert_ok(pbs_world_broken_joints(world, rows, sizeof *rows, &count));
    return count;
}

static bool is_broken(const pbs_world *world, pbs_joint joint) {
    pbs_joint_state state = {.struct_size = sizeof state};
    assert_ok(pbs_joint_get_state(world, joint, &state));
    return state.broken != 0;
}

static double height_of(const pbs_world *world, pbs_body brick) {
    const pbs_point centre = {.struct_size = sizeof centre, .kind = PBS_POINT_LOCAL, .body = brick};
    double x[3];
    assert_ok(pbs_world_point_position(world, &centre, x));
    return x[1];
}

/// The first of five steps breaks the weld; the brick falls in the other four.
static void a_joint_breaks_within_an_advance(void **state) {
    (void)state;
    pbs_world *world = new_hanging_world(0);
    pbs_broken_joint rows[4];
    set_steps(world, &(pbs_step_control){.kind = PBS_STEP_FIXED, .max = H});
    const pbs_body brick = add_brick(world);
    const pbs_joint weld = hang(world, brick, PBS_JOINT_WELD, 0.8 * WEIGHT);
    assert_ok(pbs_world_advance(world, 5.0 * H));
    assert_int_equal(broken_rows(world, rows), 1);
    assert_true(rows[0].joint.id == weld.id);
    assert_near(rows[0].time, H, 1e-15, "time");
    assert_near(rows[0].force / WEIGHT, 1.0, 1e-6, "force");
    assert_near(height_of(world, brick), -G * H * H * (1 + 2 + 3 + 4), 1e-9, "fall");
    pbs_world_destroy(world);
}

/// Three ropes bear a third each; what the first bore breaks the second one step later, and the
/// third holds.
static void ropes_break_one_after_the_other(void **state) {
    (void)state;
    pbs_world *world = new_hanging_world(0);
    pbs_broken_joint rows[4];
    set_steps(world, &(pbs_step_control){.kind = PBS_STEP_FIXED, .max = H});
    const pbs_body brick = add_brick(world);
    const double strengths[3] = {0.4, 2.0, 0.3};
    pbs_joint ropes[3];
    for (int i = 0; i < 3; i++) {
        ropes[i] = hang(world, brick, PBS_JOINT_DISTANCE, strengths[i] * WEIGHT);
    }
    assert_ok(pbs_world_advance(world, 5.0 * H));
    assert_int_equal(broken_rows(world, rows), 2);
    assert_true(rows[0].joint.id == ropes[2].id && rows[1].joint.id == ropes[0].id);
    assert_near(rows[0].time, H, 1e-15, "time of the first");
    assert_near(rows[1].time, 2.0 * H, 1e-15, "time of the second");
    assert_near(rows[0].force / WEIGHT, 1.0 / 3.0, 1e-6, "force of the first");
    assert_near(rows[1].force / WEIGHT, 1.0 / 2.0, 1e-6, "force of the second");
    assert_false(is_broken(world, ropes[1]));
    assert_near(height_of(world, brick), 0.0, 1e-8, "height");
    pbs_world_destroy(world);
}

/// The same in one step, which is taken again without the ropes that broke.
static void passes_go_through_a_cascade(void **state) {
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        pbs_world *world = new_hanging_world(5);
        pbs_broken_joint rows[4];
        const pbs_body brick = add_brick(world);
        const double strengths[3] = {0.4, strong != 0 ? 2.0 : 0.9, 0.3};
        for (int i = 0; i < 3; i++) {
            hang(world, brick, PBS_JOINT_DISTANCE, strengths[i] * WEIGHT);
        }
        assert_ok(pbs_world_step(world, H));
        assert_int_equal(broken_rows(world, rows), strong != 0 ? 2 : 3);
        for (int i = 0; i < 3 - strong; i++) {
            assert_near(rows[i].time, H, 0.0, "time");
            assert_near(rows[i].force / WEIGHT, 1.0 / (3 - i), 1e-6, "force");
        }
        // With no rope left the brick falls already in this step.
        assert_near(height_of(world, brick), strong != 0 ? 0.0 : -G * H * H, 1e-8, "height");
        pbs_world_destroy(world);
    }
}

/// A try that the control rejects breaks nothing; the one that lands breaks the weld once.
static void what_a_control_rejects_breaks_nothing(void **state) {
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        pbs_world *world = new_hanging_world(0);
        pbs_broken_joint rows[4];
        set_steps(world,
                  &(pbs_step_control){
                      .kind = PBS_STEP_DOUBLING, .tolerance = 1e-5, .initial = 0.05, .max = 0.05});
        // Free, it makes the first tries fail.
        const pbs_body other = add_brick(world);
        const pbs_body brick = add_brick(world);
        const pbs_joint weld = hang(world, brick, PBS_JOINT_WELD,
                                    (strong != 0 ? 1.2 : 0.8) * WEIGHT);
        assert_ok(pbs_world_advance(world, 0.1));
        assert_true(stats_of(world).step_control.rejected > 0);
        assert_int_equal(broken_rows(world, rows), strong != 0 ? 0 : 1);
        assert_int_equal(is_broken(world, weld), strong == 0);
        if (strong == 0) {
            // After the first half of the first step that landed, as long as half a step at least.
            assert_true(rows[0].time > 0.0 && rows[0].time < 0.0125);
            assert_true(height_of(world, brick) < 0.0);
            assert_true(height_of(world, brick) > height_of(world, other));
        } else {
            assert_small(height_of(world, brick), 1e-8, "height");
        }
        pbs_world_destroy(world);
    }
}

struct hanging {
    pbs_world *world;
    pbs_body brick;
    pbs_joint weld;
};

static struct hanging hang_weakly(int *evaluations) {
    struct hanging out = {.world = new_hanging_world(0)};
    set_steps(out.world, &(pbs_step_control){.kind = PBS_STEP_FIXED, .max = H});
    out.brick = add_brick(out.world);
    out.weld = hang(out.world, out.brick, PBS_JOINT_WELD, 0.8 * WEIGHT);
    add_stopping_particle(out.world, evaluations);
    return out;
}

/// The weld breaks in the first of two steps; the second one fails, and the call with it.
static void a_failed_call_leaves_joints_whole(void **state) {
    (void)state;
    pbs_broken_joint rows[4];
    int evaluations = 1000;
    struct hanging s = hang_weakly(&evaluations);
    assert_ok(pbs_world_step(s.world, H));
    assert_true(is_broken(s.world, s.weld));
    const int taken = 1000 - evaluations;
    pbs_world_destroy(s.world);

    s = hang_weakly(&evaluations);
    const uint64_t before = pbs_world_hash(s.world);
    evaluations = taken + 1;
    assert_status(pbs_world_advance(s.world, 2.0 * H), PBS_ERROR_HOST);
    assert_false(is_broken(s.world, s.weld));
    assert_true(pbs_world_hash(s.world) == before);
    evaluations = 1000;
    assert_ok(pbs_world_advance(s.world, 2.0 * H));
    assert_int_equal(broken_rows(s.world, rows), 1);
    assert_near(rows[0].time, H, 1e-15, "time");
    assert_near(height_of(s.world, s.brick), -G * H * H, 1e-9, "fall");
    pbs_world_destroy(s.world);
}

// --- contact of what was joined ---

static const double REACH = 0.002; // m

static pbs_world *new_barrier_world(double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_BARRIER;
    d.contact_distance = REACH;
    d.gravity[1] = -gravity;
    return new_world_from(&d);
}

static void place(pbs_world *world, pbs_body brick, double x, double y) {
    static const double upright[4] = {0.0, 0.0, 0.0, 1.0};
    assert_ok(pbs_body_set_pose(world, brick, (const double[3]){x, y, 0.0}, upright));
}

static void throw(pbs_world * world, pbs_body brick, double speed) {
    double v[24] = {0.0};
    for (int i = 0; i < 8; i++) {
        v[3 * i] = speed;
    }
    assert_ok(pbs_body_set_velocities(world, brick, v, 8));
}

static pbs_joint weld_at_origins(pbs_world *world, pbs_body a, pbs_body b, double strength) {
    pbs_joint_desc d;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_WELD;
    d.a.kind = d.b.kind = PBS_POINT_LOCAL;
    d.a.body = a;
    d.b.body = b;
    d.break_force = strength;
    assert_ok(pbs_joint_create(world, &d, &joint));
    return joint;
}

/// A brick that its weld can't hold above another falls on that one, and stays there, no closer
/// than the distance at which they touch from then on.
static void broken_pieces_lie_on_each_other(void **state) {
    (void)state;
    for (int advance = 0; advance < 2; advance++) {
        pbs_world *world = new_barrier_world(G);
        if (advance != 0) {
            set_steps(world, &(pbs_step_control){.kind = PBS_STEP_DOUBLING,
                                                 .tolerance = 1e-5,
                                                 .initial = 0.02,
                                                 .max = 0.02});
        }
        const pbs_body below = add_brick(world), above = add_brick(world);
        const double gap = 1.5 * REACH;
        place(world, above, 0.0, 0.1 + gap);
        assert_ok(pbs_body_pin_all(world, below));
        const pbs_joint weld = weld_at_origins(world, below, above, 0.5 * WEIGHT);
        for (int i = 0; i < 30; i++) {
            assert_true(
                (advance != 0 ? pbs_world_advance(world, 0.02) : pbs_world_step(world, 0.02)) >= 0);
            const double now = height_of(world, above) - 0.1;
            assert_true(now > gap - REACH && now < gap);
        }
        assert_true(is_broken(world, weld));
        assert_true(height_of(world, above) - 0.1 < gap - 0.01 * REACH);
        // A restored world knows from where they touch.
        const struct saved_world saved = save_world(world);
        pbs_world *other = new_world();
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        free(saved.data);
        for (int i = 0; i < 3; i++) {
            assert_true(pbs_world_step(world, 0.02) >= 0 && pbs_world_step(other, 0.02) >= 0);
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        }
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

/// Bricks that overlap where their weld breaks pass through each other until they are apart; then
/// they touch as any two.
static void pieces_that_overlap_touch_once_they_are_apart(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world(0.0);
    const pbs_body a = add_brick(world), b = add_brick(world);
    place(world, b, 0.09, 0.0);
    const pbs_joint weld = weld_at_origins(world, a, b, 1.0);
    throw(world, b, 1.0);
    assert_ok(pbs_world_step(world, 0.001));
    assert_true(is_broken(world, weld));
    throw(world, a, 0.0);
    for (int pass = 0; pass < 2; pass++) {
        throw(world, b, pass == 0 ? 1.0 : -1.0);
        for (int i = 0; i < 20; i++) {
            assert_true(pbs_world_step(world, 0.001) >= 0);
        }
        const pbs_point centres[2] = {
            {.struct_size = sizeof(pbs_point), .kind = PBS_POINT_LOCAL, .body = a},
            {.struct_size = sizeof(pbs_point), .kind = PBS_POINT_LOCAL, .body = b}};
        double x[2][3];
        assert_ok(pbs_world_point_position(world, &centres[0], x[0]));
        assert_ok(pbs_world_point_position(world, &centres[1], x[1]));
        assert_true(x[1][0] - x[0][0] > 0.1);
        // On the way apart nothing pushes; on the way back the other one is pushed.
        assert_int_equal(fabs(x[0][0]) > 0.001, pass == 1);
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_breaks_within_an_advance),
        cmocka_unit_test(ropes_break_one_after_the_other),
        cmocka_unit_test(passes_go_through_a_cascade),
        cmocka_unit_test(what_a_control_rejects_breaks_nothing),
        cmocka_unit_test(a_failed_call_leaves_joints_whole),
        cmocka_unit_test(broken_pieces_lie_on_each_other),
        cmocka_unit_test(pieces_that_overlap_touch_once_they_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
