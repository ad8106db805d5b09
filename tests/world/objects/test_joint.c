// Joints through the public API: what may be joined, changes, breaking, saving and destruction.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include <math.h>

#include "base/matrix3/math3.h"

static const double sides[3] = {0.4, 0.2, 0.3};

static pbs_body add_brick(pbs_world *world, double x, double y) {
    struct box_surface surface;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&surface, sides);
    box_surface_describe(&surface, &d);
    d.position[0] = x;
    d.position[1] = y;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static pbs_world *barrier_world(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_BARRIER;
    return new_world_from(&d);
}

// --- what may be joined ---

struct scene {
    pbs_world *world;
    pbs_body brick, cube, sheet;
};

static void fill(struct scene *s) {
    static const double corner[3] = {3.0, 0.0, 0.0}, away[3] = {-3.0, 0.0, 0.0};
    s->brick = add_brick(s->world, 0.0, 0.0);
    s->cube = add_cube(s->world, 2, 0.5, corner, NULL);
    s->sheet = add_sheet(s->world, 3, 0.7, away, NULL);
}

static void setup(struct scene *s) {
    s->world = new_world();
    fill(s);
}

#define ROW(name, ...)                                                                             \
    static void name(const struct scene *s, pbs_joint_desc *d) {                                   \
        (void)s;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
ROW(unknown_kind, d->kind = 99)
ROW(two_places, d->b = in_space(1.0, 0.0, 0.0))
ROW(same_body, d->a = on_body(s->brick, 0.1, 0.0, 0.0))
ROW(same_vertex, d->kind = PBS_JOINT_BALL; d->a = d->b = at_vertex(s->sheet, 3))
ROW(no_axes, d->b = at_vertex(s->cube, 0))
ROW(no_axes_of_sheets, d->b = at_vertex(s->sheet, 0))
ROW(axis_of_nothing, d->axis[2] = 0.0)
ROW(axis_of_nan, d->axis[1] = NAN)
ROW(limits_across, d->lower = 1.0; d->upper = -1.0)
ROW(limit_of_nan, d->lower = NAN)
ROW(limit_never, d->lower = INFINITY)
ROW(ball_with_limits, d->kind = PBS_JOINT_BALL; d->upper = 1.0)
ROW(weld_with_motor, d->kind = PBS_JOINT_WELD; d->motor_force = 1.0)
ROW(negative_motor, d->motor_force = -1.0)
ROW(motor_of_nan, d->motor_velocity = NAN)
ROW(negative_spring, d->spring_stiffness = -1.0)
ROW(infinite_damping, d->spring_damping = INFINITY)
ROW(target_of_nan, d->spring_target = NAN)
ROW(no_strength, d->break_force = 0.0)
ROW(strength_of_nan, d->break_torque = NAN)
ROW(touching_twice, d->touching = 2)
ROW(negative_tolerance, d->tolerance = -1.0)
ROW(no_swing, d->kind = PBS_JOINT_BALL; d->swing_limit = 0.0)
ROW(swing_of_nan, d->kind = PBS_JOINT_BALL; d->swing_limit = NAN)
ROW(swing_beyond_pi, d->kind = PBS_JOINT_BALL; d->swing_limit = 3.1416)
ROW(swing_backwards, d->kind = PBS_JOINT_BALL; d->swing_limit = -INFINITY)
ROW(swing_of_hinges, d->swing_limit = 1.0)
ROW(swing_of_vertices, d->kind = PBS_JOINT_BALL; d->swing_limit = 1.0; d->b = at_vertex(s->cube, 0))
ROW(twist_across, d->kind = PBS_JOINT_BALL; d->twist_lower = 1.0; d->twist_upper = -1.0)
ROW(twist_of_nan, d->kind = PBS_JOINT_BALL; d->twist_upper = NAN)
ROW(twist_of_hinges, d->twist_lower = -1.0)
ROW(twist_of_vertices, d->kind = PBS_JOINT_BALL; d->twist_upper = 1.0; d->b = at_vertex(s->cube, 0))
ROW(foreign_body, d->b.body.id = 12345)
ROW(point_of_old_size, d->a.struct_size = 8)

static void wrong_joints_are_refused(void **state) {
    (void)state;
    const struct {
        void (*spoil)(const struct scene *s, pbs_joint_desc *d);
        pbs_status status;
        const char *words;
    } rows[] = {
        {unknown_kind, PBS_ERROR_ARGUMENT, "kind is 99"},
        {two_places, PBS_ERROR_ARGUMENT, "both points are in space"},
        {same_body, PBS_ERROR_ARGUMENT, "on one body"},
        {same_vertex, PBS_ERROR_ARGUMENT, "on one body"},
        {no_axes, PBS_ERROR_ARGUMENT, "point b has no orientation"},
        {no_axes_of_sheets, PBS_ERROR_ARGUMENT, "point b has no orientation"},
        {axis_of_nothing, PBS_ERROR_ARGUMENT, "its length must be positive"},
        {axis_of_nan, PBS_ERROR_ARGUMENT, "axis"},
        {limits_across, PBS_ERROR_ARGUMENT, "lower is 1"},
        {limit_of_nan, PBS_ERROR_ARGUMENT, "lower is nan"},
        {limit_never, PBS_ERROR_ARGUMENT, "lower is inf"},
        {ball_with_limits, PBS_ERROR_ARGUMENT, "a ball joint has no coordinate"},
        {weld_with_motor, PBS_ERROR_ARGUMENT, "a weld joint has no coordinate"},
        {negative_motor, PBS_ERROR_ARGUMENT, "motor_force"},
        {motor_of_nan, PBS_ERROR_ARGUMENT, "motor_velocity"},
        {negative_spring, PBS_ERROR_ARGUMENT, "spring_stiffness"},
        {infinite_damping, PBS_ERROR_ARGUMENT, "spring_damping"},
        {target_of_nan, PBS_ERROR_ARGUMENT, "spring_target"},
        {no_strength, PBS_ERROR_ARGUMENT, "break_force is 0"},
        {strength_of_nan, PBS_ERROR_ARGUMENT, "break_torque is nan"},
        {touching_twice, PBS_ERROR_ARGUMENT, "touching"},
        {negative_tolerance, PBS_ERROR_ARGUMENT, "tolerance"},
        {no_swing, PBS_ERROR_ARGUMENT, "swing_limit is 0"},
        {swing_of_nan, PBS_ERROR_ARGUMENT, "swing_limit is nan"},
        {swing_beyond_pi, PBS_ERROR_ARGUMENT, "at most pi"},
        {swing_backwards, PBS_ERROR_ARGUMENT, "swing_limit is -inf"},
        {swing_of_hinges, PBS_ERROR_ARGUMENT, "a hinge joint has no swing"},
        {swing_of_vertices, PBS_ERROR_ARGUMENT, "point b has no orientation"},
        {twist_across, PBS_ERROR_ARGUMENT, "twist_lower is 1 and twist_upper -1"},
        {twist_of_nan, PBS_ERROR_ARGUMENT, "twist_upper nan"},
        {twist_of_hinges, PBS_ERROR_ARGUMENT, "a hinge joint has no twist"},
        {twist_of_vertices, PBS_ERROR_ARGUMENT, "point b has no orientation"},
        {foreign_body, PBS_ERROR_HANDLE, "body"},
        {point_of_old_size, PBS_ERROR_STRUCT_SIZE, "pbs_point"},
    };
    struct scene s;
    setup(&s);
    const struct saved_world before = save_world(s.world);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, in_space(0.0, 0.0, 0.0),
                                          on_body(s.brick, 0.0, 0.0, 0.0));
        pbs_joint joint = {7};
        rows[i].spoil(&s, &d);
        assert_status(pbs_joint_create(s.world, &d, &joint), rows[i].status);
        assert_message(rows[i].words);
        assert_true(joint.id == 7);
    }
    const struct saved_world after = save_world(s.world);
    assert_true(before.size == after.size && memcmp(before.data, after.data, after.size) == 0);
    free(before.data);
    free(after.data);
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0),
                                      at_vertex(s.cube, 0));
    pbs_joint joint;
    assert_status(pbs_joint_create(s.world, NULL, &joint), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create(s.world, &d, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create(NULL, &d, &joint), PBS_ERROR_ARGUMENT);
    d.struct_size = 4;
    assert_status(pbs_joint_create(s.world, &d, &joint), PBS_ERROR_STRUCT_SIZE);
    assert_int_equal(pbs_world_joint_count(s.world), 0);
    pbs_world_destroy(s.world);
}

/// How a point is prevented from moving, or is not.
enum hold { IN_SPACE, PINNED, SCRIPTED, PINNED_AFFINE, SCRIPTED_AFFINE, HOLDS };

/// A point of its own body, or of space, held as it says.
static pbs_point held_point(pbs_world *world, enum hold hold, double x) {
    const double corner[3] = {x, 0.0, 0.0}, upright[4] = {0.0, 0.0, 0.0, 1.0};
    const uint32_t vertex = 0;
    if (hold == IN_SPACE) {
        return in_space(x, 0.0, 0.0);
    }
    if (hold == PINNED || hold == SCRIPTED) {
        const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
        if (hold == PINNED) {
            assert_ok(pbs_body_pin(world, cube, &vertex, 1, PBS_AXIS_ALL));
        } else {
            assert_ok(pbs_body_set_targets(world, cube, &vertex, 1, corner));
        }
        return at_vertex(cube, vertex);
    }
    const pbs_body brick = add_brick(world, x, 0.0);
    if (hold == PINNED_AFFINE) {
        assert_ok(pbs_body_pin_all(world, brick));
    } else {
        assert_ok(pbs_body_set_target_pose(world, brick, corner, upright));
    }
    return on_body(brick, 0.1, 0.0, 0.0);
}

/// A joint between points neither of which can move is refused, however each is held, and the world
/// is as before. One that is free on either side is enough, also one that is free along one axis.
static void joints_of_what_is_held_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < HOLDS * HOLDS; i++) {
        pbs_world *world = new_world();
        const pbs_point held = held_point(world, (enum hold)(i / HOLDS), 0.0);
        const pbs_point other = held_point(world, (enum hold)(i % HOLDS), 2.0);
        const pbs_body free_brick = add_brick(world, 4.0, 0.0);
        const pbs_body cube = add_cube(world, 1, 0.5, (const double[3]){6.0, 0.0, 0.0}, NULL);
        assert_ok(pbs_body_pin(world, cube, (const uint32_t[]){0}, 1, PBS_AXIS_X | PBS_AXIS_Y));
        const pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, held, other);
        const uint64_t hash = pbs_world_hash(world);
        const struct saved_world before = save_world(world);
        pbs_joint joint = {7};
        assert_status(pbs_joint_create(world, &d, &joint), PBS_ERROR_ARGUMENT);
        assert_message(i == 0 ? "both points are in space" : "one must be free");
        assert_true(joint.id == 7 && pbs_world_joint_count(world) == 0);
        const struct saved_world after = save_world(world);
        assert_true(pbs_world_hash(world) == hash && before.size == after.size &&
                    memcmp(before.data, after.data, after.size) == 0);
        free(before.data);
        free(after.data);
        join(world, PBS_JOINT_BALL, held, on_body(free_brick, 0.0, 0.0, 0.0));
        join(world, PBS_JOINT_BALL, at_vertex(cube, 0), other);
        join(world, PBS_JOINT_BALL, held, at_vertex(cube, 1));
        pbs_world_destroy(world);
    }
}

/// A tetrahedron that is pinned at three of its corners can move a point inside of it, but not one
/// at a pinned corner.
static void one_free_vertex_of_a_point_is_enough(void **state) {
    (void)state;
    static const double corner[3] = {0.0, 0.0, 0.0};
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
    pbs_point point = {.struct_size = sizeof point,
                       .kind = PBS_POINT_TET,
                       .body = cube,
                       .weights = {0.25, 0.25, 0.25, 0.25}};
    uint32_t corners[4];
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, 1, 0.5, corner));
    memcpy(corners, mesh.tets, sizeof corners);
    cube_mesh_free(&mesh);
    assert_ok(pbs_body_pin(world, cube, corners, 3, PBS_AXIS_ALL));
    join(world, PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0), point);
    memcpy(point.weights, (const double[4]){1.0, 0.0, 0.0, 0.0}, sizeof point.weights);
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0), point);
    pbs_joint joint;
    assert_status(pbs_joint_create(world, &d, &joint), PBS_ERROR_ARGUMENT);
    // The free corner can turn the axes of a weld.
    d.kind = PBS_JOINT_WELD;
    assert_ok(pbs_joint_create(world, &d, &joint));
    pbs_world_destroy(world);
}

/// Both ends of a joint may be pinned later: steps, changes of its settings and restored worlds
/// then leave its equations out, and once an end is free again they hold.
static void joined_bodies_may_be_pinned(void **state) {
    (void)state;
    pbs_world *world = new_world(), *other = new_world();
    const pbs_body brick = add_brick(world, 0.0, 0.0);
    pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, in_space(0.0, 0.3, 0.0),
                                      on_body(brick, 0.0, 0.1, 0.0));
    pbs_joint joint;
    assert_ok(pbs_joint_create(world, &d, &joint));
    assert_ok(pbs_body_pin_all(world, brick));
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(joint_state_of(world, joint).gap, 0.2, 1e-12, "gap of what is pinned");
    d.upper = 0.5;
    assert_ok(pbs_joint_set_settings(world, joint, &d));
    assert_ok(pbs_joint_set_target(world, joint, (const double[3]){0.0, 0.2, 0.0}));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_ok(pbs_world_step(other, 0.01));
    free(saved.data);
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_unpin_all(world, brick));
    assert_ok(pbs_world_step(world, 0.01));
    assert_small(joint_state_of(world, joint).gap, 1e-8, "gap of what is free again");
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static void try_scheme(pbs_world *world, int32_t scheme, pbs_status expected) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_status(pbs_world_set_integrator(world, integrator), expected);
    pbs_integrator_destroy(integrator);
}

/// Schemes whose states are no solutions of stages say so, whichever comes first.
static void explicit_schemes_refuse_joints(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_SYMPLECTIC_EULER, PBS_SCHEME_VELOCITY_VERLET,
                               PBS_SCHEME_ENERGY_BLENDING};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        struct scene s;
        pbs_joint joint;
        setup(&s);
        const pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0),
                                                on_body(s.brick, 0.0, 0.0, 0.0));
        assert_ok(pbs_joint_create(s.world, &d, &joint));
        try_scheme(s.world, schemes[i], PBS_ERROR_ARGUMENT);
        assert_message("does not support joints");
        assert_ok(pbs_joint_destroy(s.world, joint));
        if (schemes[i] == PBS_SCHEME_ENERGY_BLENDING) {
            try_scheme(s.world, schemes[i], PBS_OK);
            assert_status(pbs_joint_create(s.world, &d, &joint), PBS_ERROR_ARGUMENT);
        }
        pbs_world_destroy(s.world);
    }
}

// --- what a host does with them ---

/// A brick hangs by a vertex from a point of space, which then moves: the vertex is where the point
/// is.
static void points_of_space_take_bodies_along(void **state) {
    (void)state;
    struct scene s;
    pbs_joint joint;
    setup(&s);
    const double *x = pbs_body_positions(s.world, s.cube);
    const double from[3] = {x[0], x[1], x[2]};
    const pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(from[0], from[1], from[2]),
                                            at_vertex(s.cube, 0));
    assert_ok(pbs_joint_create(s.world, &d, &joint));
    for (int i = 1; i <= 10; i++) {
        const double to[3] = {from[0] + 0.02 * i, from[1], from[2] - 0.01 * i};
        assert_ok(pbs_joint_set_target(s.world, joint, to));
        assert_ok(pbs_world_step(s.world, 0.01));
        assert_small(testing_max_difference(pbs_body_positions(s.world, s.cube), to, 3), 1e-8,
                     "the vertex");
        assert_small(joint_state_of(s.world, joint).gap, 1e-8, "gap");
    }
    const double nowhere[3] = {NAN, 0.0, 0.0};
    assert_status(pbs_joint_set_target(s.world, joint, nowhere), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_set_target(s.world, joint, NULL), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(s.world);
}

/// A soft cube hangs by a point inside of it: the joint bears its weight. What is left of the
/// gradient is below the tolerance of 1e-5 N, so the sum over 27 vertices below 5.2e-5 N.
static void a_point_inside_bears_the_body(void **state) {
    (void)state;
    static const double corner[3] = {0.0, 0.0, 0.0};
    pbs_world_desc settings;
    pbs_solid_desc like;
    pbs_joint joint;
    scene_settings(&settings);
    settings.tolerance = 1e-5;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_solid_desc_init(&like, sizeof like));
    like.young = 1e6;
    like.drag = 5.0;
    const pbs_body cube = add_cube(world, 2, 0.5, corner, &like);
    pbs_point inside = {.struct_size = sizeof inside,
                        .kind = PBS_POINT_TET,
                        .body = cube,
                        .index = 20,
                        .weights = {0.25, 0.25, 0.25, 0.25}};
    double at[3], mass = 0.0;
    assert_ok(pbs_world_point_position(world, &inside, at));
    const pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(at[0], at[1], at[2]), inside);
    assert_ok(pbs_joint_create(world, &d, &joint));
    for (size_t i = 0; i < pbs_body_vertex_count(world, cube); i++) {
        mass += pbs_body_masses(world, cube)[i];
    }
    for (int i = 0; i < 400; i++) {
        assert_ok(pbs_world_step(world, 0.02));
    }
    const pbs_joint_state now = joint_state_of(world, joint);
    assert_near(now.force[1], -mass * settings.gravity[1], 5.2e-5, "force");
    double x[3];
    assert_ok(pbs_world_point_position(world, &inside, x));
    assert_small(testing_max_difference(x, at, 3), 1e-8, "the point");
    pbs_world_destroy(world);
}

/// A weld that bears more than it can goes, and says when and under what; the brick falls then.
static void overloaded_joints_break(void **state) {
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        struct scene s;
        pbs_joint joint;
        setup(&s);
        const double weight = 9.81 * 1000.0 * sides[0] * sides[1] * sides[2];
        pbs_joint_desc d = describe_joint(PBS_JOINT_WELD, in_space(0.0, 0.0, 0.0),
                                          on_body(s.brick, 0.0, 0.0, 0.0));
        d.break_force = weight * (strong != 0 ? 1.2 : 0.8);
        assert_ok(pbs_joint_create(s.world, &d, &joint));
        for (int i = 0; i < 5; i++) {
            assert_ok(pbs_world_step(s.world, 0.01));
            size_t count = 0;
            assert_ok(pbs_world_broken_joints(s.world, NULL, sizeof(pbs_broken_joint), &count));
            assert_int_equal(count, strong == 0 && i == 0 ? 1 : 0);
            if (count == 1) {
                pbs_broken_joint row;
                assert_ok(pbs_world_broken_joints(s.world, &row, sizeof row, &count));
                assert_true(row.joint.id == joint.id);
                assert_near(row.time, 0.01, 1e-15, "time");
                assert_near(row.force, weight, 1e-3 * weight, "force");
                count = 0;
                assert_status(pbs_world_broken_joints(s.world, &row, sizeof row, &count),
                              PBS_ERROR_CAPACITY);
            }
        }
        const pbs_joint_state now = joint_state_of(s.world, joint);
        assert_int_equal(now.broken, strong == 0);
        assert_true(pbs_joint_is_valid(s.world, joint));
        // The step in which it broke did not move it yet.
        const double fallen = pbs_body_positions(s.world, s.brick)[1];
        const double start = -0.5 * sides[1];
        assert_near(start - fallen, strong == 0 ? 9.81 * 1e-4 * (1 + 2 + 3 + 4) : 0.0, 1e-5,
                    "fall");
        pbs_world_destroy(s.world);
    }
}

static void joints_go_with_their_bodies(void **state) {
    (void)state;
    struct scene s;
    pbs_joint joints[3];
    setup(&s);
    const pbs_joint_desc a = describe_joint(PBS_JOINT_BALL, in_space(3.0, 0.0, 0.0),
                                            at_vertex(s.cube, 0));
    const pbs_joint_desc b = describe_joint(PBS_JOINT_DISTANCE, on_body(s.brick, 0.0, 0.0, 0.0),
                                            at_vertex(s.cube, 1));
    const pbs_joint_desc c = describe_joint(PBS_JOINT_DISTANCE, on_body(s.brick, 0.0, 0.0, 0.0),
                                            at_vertex(s.sheet, 1));
    assert_ok(pbs_joint_create(s.world, &a, &joints[0]));
    assert_ok(pbs_joint_create(s.world, &b, &joints[1]));
    assert_ok(pbs_joint_create(s.world, &c, &joints[2]));
    assert_int_equal(pbs_world_joint_count(s.world), 3);
    assert_true(pbs_world_joint_at(s.world, 1).id == joints[1].id);
    assert_true(pbs_world_joint_at(s.world, 3).id == 0);
    assert_ok(pbs_world_step(s.world, 0.01));
    assert_ok(pbs_body_destroy(s.world, s.cube));
    assert_false(pbs_joint_is_valid(s.world, joints[0]));
    assert_false(pbs_joint_is_valid(s.world, joints[1]));
    assert_true(pbs_joint_is_valid(s.world, joints[2]));
    assert_status(pbs_joint_destroy(s.world, joints[0]), PBS_ERROR_HANDLE);
    assert_message("was destroyed");
    assert_ok(pbs_world_step(s.world, 0.01));
    assert_ok(pbs_joint_destroy(s.world, joints[2]));
    assert_ok(pbs_joint_destroy(s.world, (pbs_joint){0}));
    assert_int_equal(pbs_world_joint_count(s.world), 0);
    pbs_body_destroy(s.world, (pbs_body){joints[2].id});
    assert_message("names a joint");
    pbs_world_destroy(s.world);
}

static void settings_change_what_may_change(void **state) {
    (void)state;
    struct scene s;
    pbs_joint joint;
    setup(&s);
    pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, in_space(0.0, 0.0, 0.0),
                                      on_body(s.brick, 0.0, 0.0, 0.0));
    assert_ok(pbs_joint_create(s.world, &d, &joint));
    d.lower = -0.1;
    d.upper = 0.1;
    d.motor_velocity = 5.0;
    d.motor_force = 1e4;
    assert_ok(pbs_joint_set_settings(s.world, joint, &d));
    pbs_joint_desc read = {.struct_size = sizeof read};
    assert_ok(pbs_joint_settings(s.world, joint, &read));
    assert_true(memcmp(&read, &d, sizeof d) == 0);
    for (int i = 0; i < 20; i++) {
        assert_ok(pbs_world_step(s.world, 0.01));
    }
    assert_near(joint_state_of(s.world, joint).coordinate, 0.1, 1e-7, "angle at its limit");
    assert_near(joint_state_of(s.world, joint).velocity, 0.0, 1e-5, "velocity at the limit");
    d.kind = PBS_JOINT_WELD;
    assert_status(pbs_joint_set_settings(s.world, joint, &d), PBS_ERROR_ARGUMENT);
    assert_message("create another joint");
    d.kind = PBS_JOINT_HINGE;
    d.motor_force = NAN;
    assert_status(pbs_joint_set_settings(s.world, joint, &d), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_joint_settings(s.world, joint, &read));
    assert_near(read.motor_force, 1e4, 0.0, "what a refused call leaves");
    pbs_world_destroy(s.world);
}

/// rad: how far a brick's own y axis is from that of the world.
static double lean_of(const pbs_world *world, pbs_body brick) {
    double matrix[9];
    assert_ok(pbs_body_transform(world, brick, NULL, matrix));
    return atan2(hypot(matrix[1], matrix[7]), matrix[4]);
}

/// rad: how far the swing of a brick may be off its limit: by 2e-8, the tolerance of joints over
/// their arm, and by the strain of its axis, in its direction and by its length.
static double swing_error(const pbs_world *world, pbs_joint joint) {
    pbs_affine_desc like;
    assert_ok(pbs_affine_desc_init(&like, sizeof like));
    const double volume = sides[0] * sides[1] * sides[2];
    return 2e-8 + 2.0 * norm3(joint_state_of(world, joint).torque) / (like.stiffness * volume);
}

/// A ball that was made without a limit gets one and loses it again: a brick that has fallen beyond
/// it is within it at the end of the next step, and rests there. A ball of a vertex says why it
/// can't have one, and keeps its settings.
static void swings_are_limited_as_settings_say(void **state) {
    (void)state;
    struct scene s;
    setup(&s);
    const double limits[] = {0.6, 0.2, M_PI, INFINITY}, aside[3] = {0.0, 0.0, 1.0};
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(0.0, -0.1, 0.0),
                                      on_body(s.brick, 0.0, -0.1, 0.0));
    memcpy(d.axis, (const double[3]){0.0, 2.0, 0.0}, sizeof d.axis);
    pbs_joint joint, other;
    assert_ok(pbs_joint_create(s.world, &d, &joint));
    assert_ok(pbs_body_set_motion(s.world, s.brick, NULL, aside));
    for (int i = 0; i < 80; i++) {
        assert_ok(pbs_world_step(s.world, 0.01));
    }
    assert_true(lean_of(s.world, s.brick) > 1.0);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        d.swing_limit = limits[i];
        assert_ok(pbs_joint_set_settings(s.world, joint, &d));
        pbs_joint_desc read = {.struct_size = sizeof read};
        assert_ok(pbs_joint_settings(s.world, joint, &read));
        assert_true(read.swing_limit == limits[i]);
        for (int k = 0; k < 40; k++) {
            assert_ok(pbs_world_step(s.world, 0.01));
            assert_true(lean_of(s.world, s.brick) < limits[i] + swing_error(s.world, joint));
        }
        const double lean = lean_of(s.world, s.brick);
        const double error = swing_error(s.world, joint);
        assert_true(i < 2 ? fabs(lean - limits[i]) < error : lean > 1.0);
    }
    d.swing_limit = NAN;
    assert_status(pbs_joint_set_settings(s.world, joint, &d), PBS_ERROR_ARGUMENT);
    d = describe_joint(PBS_JOINT_BALL, in_space(3.0, 0.0, 0.0), at_vertex(s.cube, 0));
    assert_ok(pbs_joint_create(s.world, &d, &other));
    d.swing_limit = 1.0;
    assert_status(pbs_joint_set_settings(s.world, other, &d), PBS_ERROR_ARGUMENT);
    assert_message("a point of the joint has no orientation");
    pbs_joint_desc read = {.struct_size = sizeof read};
    assert_ok(pbs_joint_settings(s.world, other, &read));
    assert_true(read.swing_limit == INFINITY);
    // A limit that allows every angle needs no axes.
    d.swing_limit = M_PI;
    assert_ok(pbs_joint_set_settings(s.world, other, &d));
    pbs_world_destroy(s.world);
}

/// Bricks that overlap at their hinge: barriers would be infinite between them.
static void joined_bodies_do_not_touch(void **state) {
    (void)state;
    for (int touching = 0; touching < 2; touching++) {
        pbs_world *world = barrier_world();
        const pbs_body a = add_brick(world, 0.0, 0.0), b = add_brick(world, 0.35, 0.0);
        pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, on_body(a, 0.175, 0.0, 0.0),
                                          on_body(b, -0.175, 0.0, 0.0));
        pbs_joint joint;
        d.touching = touching;
        assert_ok(pbs_joint_create(world, &d, &joint));
        const pbs_status status = pbs_world_step(world, 0.01);
        assert_true(touching == 0 ? status == PBS_OK : status < 0);
        pbs_world_destroy(world);
    }
}

// --- saved worlds, memory ---

enum { BUSY_JOINTS = 4 };

/// A door, a rope, a weld that breaks, and a ball whose brick is thrown against its limits.
static pbs_world *busy_world(int32_t threads, pbs_joint joints[BUSY_JOINTS]) {
    struct scene s;
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.gravity[1] = -9.81;
    settings.threads = threads;
    s.world = new_world_from(&settings);
    fill(&s);
    const pbs_body other = add_brick(s.world, 0.5, 0.0);
    pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, in_space(-0.2, 0.0, 0.0),
                                      on_body(s.brick, -0.2, 0.0, 0.0));
    d.axis[0] = 0.3;
    d.motor_velocity = 1.0;
    d.motor_force = 20.0;
    assert_ok(pbs_joint_create(s.world, &d, &joints[0]));
    d = describe_joint(PBS_JOINT_DISTANCE, on_body(s.brick, 0.2, 0.0, 0.0), at_vertex(s.cube, 4));
    d.upper = 3.3;
    d.spring_stiffness = 10.0;
    d.spring_damping = 1.0;
    assert_ok(pbs_joint_create(s.world, &d, &joints[1]));
    d = describe_joint(PBS_JOINT_WELD, on_body(s.brick, 0.2, 0.0, 0.0),
                       on_body(other, -0.2, 0.0, 0.0));
    d.break_force = 100.0;
    assert_ok(pbs_joint_create(s.world, &d, &joints[2]));
    const pbs_body thrown = add_brick(s.world, 0.0, 2.0);
    d = describe_joint(PBS_JOINT_BALL, in_space(0.0, 1.9, 0.0), on_body(thrown, 0.0, -0.1, 0.0));
    d.swing_limit = 0.3;
    d.twist_lower = -0.2;
    d.twist_upper = 0.1;
    assert_ok(pbs_joint_create(s.world, &d, &joints[3]));
    assert_ok(pbs_body_set_motion(s.world, thrown, NULL, (const double[3]){4.0, 3.0, 1.0}));
    return s.world;
}

static void restored_joints_go_on_to_the_same_bits(void **state) {
    (void)state;
    pbs_joint joints[BUSY_JOINTS];
    pbs_world *world = busy_world(1, joints), *other = new_world();
    for (int i = 0; i < 15; i++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    assert_int_equal(joint_state_of(world, joints[2]).broken, 1);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_int_equal(pbs_world_joint_count(other), BUSY_JOINTS);
    assert_int_equal(joint_state_of(other, joints[2]).broken, 1);
    assert_true(norm3(joint_state_of(other, joints[3]).torque) > 0.0);
    for (int i = 0; i < 15; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_world_step(other, 0.01));
        for (int k = 0; k < BUSY_JOINTS; k++) {
            const pbs_joint_state a = joint_state_of(world, joints[k]),
                                  b = joint_state_of(other, joints[k]);
            assert_true(memcmp(&a, &b, sizeof a) == 0);
        }
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    }
    // No byte of what is saved may lead beyond its arrays.
    for (size_t i = 0; i < saved.size; i += 7) {
        unsigned char kept = saved.data[i];
        saved.data[i] = (unsigned char)~kept;
        assert_true(pbs_world_restore(other, saved.data, saved.size) < 0);
        saved.data[i] = kept;
    }
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// Threads change no bit, and steps with joints allocate nothing once some have been taken.
static void threads_and_memory_are_those_of_other_worlds(void **state) {
    (void)state;
    pbs_joint joints[BUSY_JOINTS], others[BUSY_JOINTS];
    pbs_world *world = busy_world(1, joints), *other = busy_world(4, others);
    uint64_t calls = 0;
    for (int i = 0; i < 30; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_world_step(other, 0.01));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        const uint64_t now = stats_of(world).memory.allocator_calls;
        assert_true(i < 20 || now == calls);
        calls = now;
    }
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static pbs_status create_joint(pbs_world *world, void *context) {
    pbs_joint joint;
    return pbs_joint_create(world, context, &joint);
}

static pbs_status take_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static void refused_memory_leaves_the_world_as_it_was(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    const pbs_body brick = add_brick(world, 0.0, 0.0);
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0),
                                      on_body(brick, 0.1, 0.0, 0.0));
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, create_joint, &d, &refused));
    assert_true(refused > 0);
    assert_ok(refuse_until_success(&allocator, world, take_step, NULL, &refused));
    assert_true(refused > 0);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_joints_are_refused),
        cmocka_unit_test(joints_of_what_is_held_are_refused),
        cmocka_unit_test(one_free_vertex_of_a_point_is_enough),
        cmocka_unit_test(joined_bodies_may_be_pinned),
        cmocka_unit_test(explicit_schemes_refuse_joints),
        cmocka_unit_test(points_of_space_take_bodies_along),
        cmocka_unit_test(a_point_inside_bears_the_body),
        cmocka_unit_test(overloaded_joints_break),
        cmocka_unit_test(joints_go_with_their_bodies),
        cmocka_unit_test(settings_change_what_may_change),
        cmocka_unit_test(swings_are_limited_as_settings_say),
        cmocka_unit_test(joined_bodies_do_not_touch),
        cmocka_unit_test(restored_joints_go_on_to_the_same_bits),
        cmocka_unit_test(threads_and_memory_are_those_of_other_worlds),
        cmocka_unit_test(refused_memory_leaves_the_world_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
