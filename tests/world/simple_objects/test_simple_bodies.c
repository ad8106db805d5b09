// Bodies and the ground in one call: what they are, that they come to rest at all sizes, and their
// friction.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"
#include "world/meshes/mesh_testing.h"

static const double PI = 3.14159265358979323846, GRAVITY = 9.81, FRICTION = 0.5;

enum shape { BOX, BALL, CAPSULE, CYLINDER, SHAPES };

/// A body of about that size, upright; of a box, the other edges are shorter.
static pbs_status create(pbs_world *world, enum shape shape, double size, const double position[3],
                         double density, double young, pbs_body *out) {
    const double sides[3] = {0.8 * size, size, 0.6 * size};
    switch (shape) {
    case BOX: return pbs_body_create_box(world, sides, position, density, young, out);
    case BALL: return pbs_body_create_ball(world, 0.5 * size, position, density, young, out);
    case CAPSULE:
        return pbs_body_create_capsule(world, 0.25 * size, 0.5 * size, position, density, young,
                                       out);
    default:
        return pbs_body_create_cylinder(world, 0.5 * size, size, position, density, young, out);
    }
}

/// Of a body of size 2, by its mesh, whose cells are documented.
static double volume_of(enum shape shape, bool is_soft) {
    const uint32_t rings = is_soft ? 3 : 4, capsule[2] = {rings, is_soft ? 6 : 1};
    const uint32_t cylinder[2] = {rings, is_soft ? 6 : 1};
    pbs_mesh mesh = empty_mesh();
    switch (shape) {
    case BOX: return 0.48 * 8.0;
    case BALL: assert_ok(pbs_mesh_ball(NULL, 1.0, rings, 0, &mesh)); break;
    case CAPSULE: assert_ok(pbs_mesh_capsule(NULL, 0.5, 1.0, capsule, 0, &mesh)); break;
    default: assert_ok(pbs_mesh_cylinder(NULL, 1.0, 2.0, cylinder, 0, &mesh)); break;
    }
    const double volume = mesh_volume(&mesh);
    pbs_mesh_free(&mesh);
    return volume;
}

static pbs_motion motion_of(const pbs_world *world, pbs_body body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    return motion;
}

static double lowest(const pbs_world *world, pbs_body body) {
    double least = INFINITY;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        least = fmin(least, pbs_body_positions(world, body)[3 * i + 1]);
    }
    return least;
}

static pbs_world *falling_world(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    return new_world_from(&d);
}

static void step_often(pbs_world *world, int count, double h) {
    for (int i = 0; i < count; i++) {
        assert_true(pbs_world_step(world, h) >= 0);
    }
}

static double friction_of(const pbs_world *world, pbs_body body) {
    pbs_contact_desc contact = {.struct_size = sizeof contact};
    assert_ok(pbs_body_contact_settings(world, body, &contact));
    return contact.friction;
}

// --- what they are ---

static void bodies_are_what_was_asked_for(void **state) {
    (void)state;
    static const double position[3] = {3.0, -2.0, 7.0};
    pbs_world *world = new_world();
    for (int i = 0; i < 2 * SHAPES; i++) {
        const enum shape shape = (enum shape)(i / 2);
        const double young = i % 2 == 0 ? 0.0 : 1e5;
        pbs_body body;
        assert_ok(create(world, shape, 2.0, position, 300.0, young, &body));
        const pbs_motion motion = motion_of(world, body);
        assert_near(motion.mass / (300.0 * volume_of(shape, young > 0.0)), 1.0, 1e-13, "mass");
        for (int k = 0; k < 3; k++) {
            assert_near(motion.center[k], position[k], 1e-13, "centre");
        }
        assert_near(friction_of(world, body), FRICTION, 0.0, "friction");
        if (young == 0.0) {
            double origin[3];
            assert_ok(pbs_body_pose(world, body, origin, NULL));
            assert_near(origin[0], position[0], 1e-14, "origin");
        }
        assert_true((pbs_body_tet_count(world, body) > 0) == (young > 0.0));
    }
    pbs_world_destroy(world);
}

static void soft_boxes_have_cells_near_cubes(void **state) {
    (void)state;
    static const struct {
        double size[3];
        size_t tets;
    } rows[] = {{{2.0, 2.0, 2.0}, 6 * 4 * 4 * 4},
                {{1e-3, 1e-3, 1e-3}, 6 * 4 * 4 * 4},
                {{8.0, 1.0, 1.0}, 6 * 16 * 2 * 2},
                {{100.0, 1e-3, 1e-3}, 6 * 32 * 1 * 1},
                {{1.0, 1e-4, 1.0}, 6 * 32 * 1 * 32}};
    static const double position[3] = {0.0, 0.0, 0.0};
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_body body;
        assert_ok(pbs_body_create_box(world, rows[i].size, position, 1000.0, 1e5, &body));
        assert_int_equal(pbs_body_tet_count(world, body), rows[i].tets);
    }
    pbs_world_destroy(world);
}

// --- rest ---

/// From a gap of a hundredth of the size. The strain under gravity is the same at all sizes.
static void bodies_come_to_rest_at_all_sizes(void **state) {
    (void)state;
    static const double sizes[] = {1e-3, 1.0, 100.0};
    for (int i = 0; i < 2 * 3 * SHAPES; i++) {
        const enum shape shape = (enum shape)(i / 6);
        const double size = sizes[i % 6 / 2], young = i % 2 == 0 ? 0.0 : 1e6 * size;
        const double position[3] = {0.3 * size, 0.51 * size, 0.0};
        pbs_world *world = falling_world();
        pbs_collider ground;
        pbs_body body;
        assert_ok(pbs_collider_create_ground(world, 0.0, &ground));
        assert_ok(create(world, shape, size, position, 1000.0, young, &body));
        step_often(world, 150, fmax(sqrt(size), 1.0) / 60.0);
        const pbs_motion motion = motion_of(world, body);
        assert_true(lowest(world, body) > 0.0);
        assert_small(lowest(world, body), 0.005 * size, "lowest vertex");
        if (shape != CAPSULE) { // which falls over
            assert_small(norm3(motion.velocity), 1e-2 * sqrt(GRAVITY * size), "speed");
            assert_near(motion.center[1], 0.5 * size, 0.02 * size, "height");
            assert_near(motion.center[0], position[0], 0.01 * size, "sideways");
        }
        pbs_world_destroy(world);
    }
}

// --- friction ---

/// How far a box slides that has v at first, m.
static double slide(int32_t scheme, double v, double h, double young) {
    static const double size[3] = {1.0, 0.4, 1.0}, position[3] = {0.0, 0.21, 0.0};
    const double velocity[3] = {v, 0.0, 0.0}, still[3] = {0.0, 0.0, 0.0};
    pbs_world *world = falling_world();
    pbs_collider ground;
    pbs_body box;
    use_scheme(world, scheme);
    assert_ok(pbs_collider_create_ground(world, 0.0, &ground));
    assert_ok(pbs_body_create_box(world, size, position, 1000.0, young, &box));
    step_often(world, (int)(2.0 / h), h);
    const double before = motion_of(world, box).center[0];
    assert_ok(pbs_body_set_motion(world, box, velocity, still));
    step_often(world, (int)(2.0 / h), h);
    const pbs_motion motion = motion_of(world, box);
    assert_small(norm3(motion.velocity), 1e-2 * v, "speed in the end");
    pbs_world_destroy(world);
    return motion.center[0] - before;
}

/// v^2 / (2 mu g) = 0.92 m. Implicit Euler takes velocities at the ends of steps and so lacks v h /
/// 2 of it.
static void pushed_boxes_stop(void **state) {
    (void)state;
    const double v = 3.0, way = v * v / (2.0 * FRICTION * GRAVITY);
    for (int i = 0; i < 3; i++) {
        const double h = 1.0 / (30.0 * (1 << i));
        const double slid = slide(PBS_SCHEME_IMPLICIT_EULER, v, h, 0.0);
        assert_near(slid, way - 0.5 * v * h, 0.02 * v * h, "way of a nearly rigid box");
    }
    const double slid = slide(PBS_SCHEME_IMPLICIT_EULER, v, 1.0 / 60.0, 1e6);
    assert_near(slid, way - 0.5 * v / 60.0, 0.02 * v / 60.0, "way of a soft box");
}

// --- cloth and ropes ---

static void cloth_lies_down(void **state) {
    (void)state;
    static const double sizes[] = {1e-2, 1.0, 100.0};
    for (int i = 0; i < (testing_is_small() ? 1 : 3); i++) {
        const double size[2] = {sizes[i], 0.5 * sizes[i]}, h = 1.0 / 60.0;
        const double position[3] = {0.0, 0.01 * sizes[i], 2.0 * sizes[i]};
        pbs_world *world = falling_world();
        pbs_collider ground;
        pbs_body cloth;
        assert_ok(pbs_collider_create_ground(world, 0.0, &ground));
        assert_ok(pbs_body_create_cloth(world, size, position, 400.0, 1e-3 * sizes[i],
                                        1e6 * sizes[i], &cloth));
        assert_int_equal(pbs_body_vertex_count(world, cloth), 24 * 12);
        assert_near(motion_of(world, cloth).mass / (0.2 * pow(sizes[i], 3.0)), 1.0, 1e-13, "mass");
        assert_near(friction_of(world, cloth), FRICTION, 0.0, "friction");
        step_often(world, testing_is_small() ? 20 : 60, h);
        assert_true(lowest(world, cloth) > 0.0);
        assert_small(motion_of(world, cloth).center[1], 0.005 * sizes[i], "height");
        pbs_world_destroy(world);
    }
}

/// Hung at one end, it is longer by rho g L^2 / (2 E), exactly that of the continuum, as the lower
/// half of each spring's mass hangs on the spring.
static void ropes_stretch_under_their_weight(void **state) {
    (void)state;
    static const double from[3] = {1.0, 5.0, -2.0}, to[3] = {1.0, 2.0, -2.0};
    static const uint32_t first = 0;
    const double radius = 0.01, density = 1200.0, young = 1e6;
    pbs_world *world = falling_world();
    pbs_body rope;
    use_scheme(world, PBS_SCHEME_QUASI_STATIC);
    assert_ok(pbs_body_create_rope(world, from, to, radius, density, young, &rope));
    assert_near(motion_of(world, rope).mass, density * PI * radius * radius * 3.0, 1e-14, "mass");
    assert_near(friction_of(world, rope), FRICTION, 0.0, "friction");
    assert_ok(pbs_body_pin(world, rope, &first, 1, PBS_AXIS_ALL));
    assert_true(pbs_world_step(world, 1.0) >= 0);
    const double longer = density * GRAVITY * 9.0 / (2.0 * young);
    assert_near(lowest(world, rope), 2.0 - longer, 1e-6, "the lower end");
    pbs_world_destroy(world);
}

static void ropes_land(void **state) {
    (void)state;
    static const double from[3] = {-1.0, 0.1, 0.0}, to[3] = {1.0, 0.2, 0.3};
    pbs_world *world = falling_world();
    pbs_collider ground;
    pbs_body rope;
    assert_ok(pbs_collider_create_ground(world, 0.0, &ground));
    assert_ok(pbs_body_create_rope(world, from, to, 0.02, 1000.0, 1e7, &rope));
    step_often(world, 60, 1.0 / 60.0);
    assert_true(lowest(world, rope) >= 0.02);
    assert_small(motion_of(world, rope).center[1], 0.025, "height of the axis");
    pbs_world_destroy(world);
}

// --- the ground ---

static void the_ground_is_where_gravity_points(void **state) {
    (void)state;
    static const double gravities[][3] = {{0, -9.81, 0},   {0, 0, 0},  {0, 9.81, 0}, {-2, 0, 0},
                                          {0, 0, -1e-200}, {3, -4, 5}, {1e-9, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(gravities); i++) {
        const double *g = gravities[i], norm = hypot(hypot(g[0], g[1]), g[2]);
        double up[3] = {0.0, 1.0, 0.0};
        pbs_world_desc d;
        pbs_closest_desc query;
        pbs_surface_point hit = {.struct_size = sizeof hit};
        pbs_collider ground;
        for (int k = 0; k < 3 && norm > 0.0; k++) {
            up[k] = -g[k] / norm;
        }
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        copy3(g, d.gravity);
        pbs_world *world = new_world_from(&d);
        assert_ok(pbs_collider_create_ground(world, -1.5, &ground));
        assert_ok(pbs_closest_desc_init(&query, sizeof query));
        scale3(3.0, up, query.point);
        assert_ok(pbs_world_closest(world, &query, &hit));
        assert_near(hit.distance, 4.5, 1e-14, "distance");
        for (int k = 0; k < 3; k++) {
            assert_near(hit.normal[k], up[k], 1e-8, "normal");
        }
        pbs_collider_desc made = {.struct_size = sizeof made};
        assert_ok(pbs_collider_description(world, ground, &made));
        assert_near(made.friction, FRICTION, 0.0, "friction");
        pbs_world_destroy(world);
    }
}

// --- refusals ---

static void wrong_bodies_are_refused(void **state) {
    (void)state;
    static const double here[3] = {0, 0, 0}, far[3] = {0, 0, 2e30}, nowhere[3] = {0, NAN, 0};
    static const double size[3] = {1, 1, 1}, flat[3] = {1, 0, 1};
    pbs_world *world = new_world();
    pbs_body body = {7};
    pbs_collider ground = {7};
    for (int i = 0; i < SHAPES; i++) {
        const enum shape s = (enum shape)i;
        assert_status(create(NULL, s, 1.0, here, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
        assert_status(create(world, s, 1.0, NULL, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
        assert_message("position is null");
        assert_status(create(world, s, 1.0, here, 1.0, 0.0, NULL), PBS_ERROR_ARGUMENT);
        assert_status(create(world, s, 0.0, here, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
        assert_message(" is 0, must be positive");
        assert_status(create(world, s, NAN, here, 1.0, 1.0, &body), PBS_ERROR_ARGUMENT);
        assert_status(create(world, s, INFINITY, here, 1.0, 1.0, &body), PBS_ERROR_ARGUMENT);
        assert_status(create(world, s, 1.0, far, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
        assert_status(create(world, s, 1.0, nowhere, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
        assert_message("position");
        assert_status(create(world, s, 1.0, here, 0.0, 0.0, &body), PBS_ERROR_ARGUMENT);
        assert_message("density is 0");
        assert_status(create(world, s, 1.0, here, 1.0, -1.0, &body), PBS_ERROR_ARGUMENT);
        assert_message("young is -1");
        assert_status(create(world, s, 1.0, here, 1.0, NAN, &body), PBS_ERROR_ARGUMENT);
    }
    assert_status(pbs_body_create_box(world, NULL, here, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_create_box(world, flat, here, 1.0, 0.0, &body), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_create_cloth(world, NULL, here, 1.0, 1.0, 1.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_create_cloth(world, flat, here, 1.0, 1.0, 1.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_create_cloth(world, size, here, 1.0, 0.0, 1.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_message("thickness is 0");
    assert_status(pbs_body_create_cloth(world, size, here, 1.0, 1.0, 0.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_message("young is 0");
    assert_status(pbs_body_create_rope(world, here, here, 1.0, 1.0, 1.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_message("the distance of the ends is 0");
    assert_status(pbs_body_create_rope(world, here, NULL, 1.0, 1.0, 1.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_create_rope(world, here, size, -1.0, 1.0, 1.0, &body),
                  PBS_ERROR_ARGUMENT);
    assert_message("radius is -1");
    assert_status(pbs_collider_create_ground(NULL, 0.0, &ground), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_create_ground(world, NAN, &ground), PBS_ERROR_ARGUMENT);
    assert_message("height is nan");
    assert_status(pbs_collider_create_ground(world, 0.0, NULL), PBS_ERROR_ARGUMENT);
    assert_true(body.id == 7 && ground.id == 7);
    assert_int_equal(pbs_world_body_count(world), 0);
    assert_int_equal(pbs_world_collider_count(world), 0);
    pbs_world_destroy(world);
}

/// context: which one.
static pbs_status create_any(pbs_world *world, void *context) {
    static const double here[3] = {0, 0, 0}, there[3] = {1, 1, 1};
    const int which = *(const int *)context;
    pbs_collider ground;
    pbs_body body;
    switch (which) {
    case 2 * SHAPES: return pbs_body_create_cloth(world, there, here, 1.0, 0.1, 1.0, &body);
    case 2 * SHAPES + 1: return pbs_body_create_rope(world, here, there, 0.1, 1.0, 1.0, &body);
    case 2 * SHAPES + 2: return pbs_collider_create_ground(world, 0.0, &ground);
    default: return create(world, (enum shape)(which / 2), 1.0, here, 1.0, which % 2, &body);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int which = 0; which < 2 * SHAPES + 3; which++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        pbs_world *world = new_world_with(&allocator);
        uint64_t refused = 0;
        assert_ok(refuse_until_success(&allocator, world, create_any, &which, &refused));
        assert_true(refused > 0);
        assert_int_equal(pbs_world_body_count(world) + pbs_world_collider_count(world), 1);
        pbs_world_destroy(world);
        assert_int_equal(allocator.bytes_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_what_was_asked_for),
        cmocka_unit_test(soft_boxes_have_cells_near_cubes),
        cmocka_unit_test(bodies_come_to_rest_at_all_sizes),
        cmocka_unit_test(pushed_boxes_stop),
        cmocka_unit_test(cloth_lies_down),
        cmocka_unit_test(ropes_stretch_under_their_weight),
        cmocka_unit_test(ropes_land),
        cmocka_unit_test(the_ground_is_where_gravity_points),
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
