// Debug lines of a world: their number for each kind of object, where they lie, and refusals.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

struct drawn {
    pbs_debug_point *points; ///< to be freed
    size_t count;
};

static struct drawn draw(const pbs_world *world, uint32_t flags) {
    pbs_debug_desc d;
    struct drawn out = {.count = 0};
    assert_ok(pbs_debug_desc_init(&d, sizeof d));
    assert_int_equal(d.flags, PBS_DEBUG_ALL);
    d.flags = flags;
    assert_ok(pbs_world_debug_lines(world, &d, NULL, sizeof(pbs_debug_point), &out.count));
    out.points = malloc((out.count + 1) * sizeof *out.points);
    assert_ok(pbs_world_debug_lines(world, &d, out.points, sizeof(pbs_debug_point), &out.count));
    assert_int_equal(out.count % 2, 0);
    return out;
}

static size_t count_of(const pbs_world *world, uint32_t flags) {
    const struct drawn drawn = draw(world, flags);
    free(drawn.points);
    return drawn.count;
}

static void assert_point(const pbs_debug_point *p, double x, double y, double z) {
    const double expected[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        assert_near((double)p->position[k], expected[k], 1e-6, "position, m");
    }
}

static void assert_color(const pbs_debug_point *p, int red, int green, int blue) {
    assert_true(p->rgba[0] == red && p->rgba[1] == green && p->rgba[2] == blue &&
                p->rgba[3] == 255);
}

/// A cube of one cell has 12 edges and 6 diagonals of its faces, each once; a sheet of two by two
/// cells 8 triangles with three sides each; a chain its springs.
static void surfaces_are_their_sides(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_int_equal(count_of(world, PBS_DEBUG_ALL), 0);
    add_cube(world, 1, 1.0, (double[3]){0.0, 0.0, 0.0}, NULL);
    struct drawn drawn = draw(world, PBS_DEBUG_SURFACES);
    assert_int_equal(drawn.count, 2 * 18);
    int edges = 0;
    for (size_t i = 0; i < drawn.count; i += 2) {
        double length = 0.0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)(drawn.points[i].position[k] -
                                      drawn.points[i + 1].position[k]);
            length += d * d;
        }
        assert_color(&drawn.points[i], 255, 255, 255);
        assert_true(length == 1.0 || length == 2.0);
        edges += length == 1.0;
    }
    assert_int_equal(edges, 12);
    free(drawn.points);
    add_sheet(world, 2, 1.0, (double[3]){0.0, 2.0, 0.0}, NULL);
    assert_int_equal(count_of(world, PBS_DEBUG_SURFACES), 2 * (18 + 24));
    assert_int_equal(count_of(world, PBS_DEBUG_NORMALS), 2 * (12 + 8));
    const double points[9] = {0.0, 0.0, 3.0, 0.0, 0.0, 4.0, 0.0, 0.0, 5.0};
    const double masses[3] = {1.0, 1.0, 1.0};
    const uint32_t springs[4] = {0, 1, 1, 2};
    pbs_springs_desc chain;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&chain, sizeof chain));
    chain.vertex_count = 3;
    chain.positions = points;
    chain.masses = masses;
    chain.spring_count = 2;
    chain.springs = springs;
    assert_ok(pbs_body_create_springs(world, &chain, &body));
    drawn = draw(world, PBS_DEBUG_SURFACES);
    assert_int_equal(drawn.count, 2 * (18 + 24 + 2));
    assert_point(&drawn.points[drawn.count - 4], 0.0, 0.0, 3.0);
    assert_point(&drawn.points[drawn.count - 1], 0.0, 0.0, 5.0);
    free(drawn.points);
    pbs_world_destroy(world);
}

static void normals_begin_on_their_triangles(void **state) {
    (void)state;
    pbs_world *world = new_world();
    add_sheet(world, 1, 3.0, (double[3]){0.0, 2.0, 0.0}, NULL);
    const struct drawn drawn = draw(world, PBS_DEBUG_NORMALS);
    assert_int_equal(drawn.count, 4);
    for (size_t i = 0; i < drawn.count; i += 2) {
        const float *p = drawn.points[i].position;
        assert_color(&drawn.points[i], 0, 255, 255);
        assert_near((double)p[1], 2.0, 1e-6, "start, m");
        assert_point(&drawn.points[i + 1], (double)p[0], 2.1, (double)p[2]);
    }
    free(drawn.points);
    pbs_world_destroy(world);
}

/// All points of an outline lie on the shape: at the radius, on an edge, on the plane.
static void outlines_lie_on_their_shapes(void **state) {
    (void)state;
    static const struct {
        int32_t shape;
        double size[3];
        size_t lines;
    } cases[] = {{PBS_SHAPE_HALF_SPACE, {0.0, 0.0, 0.0}, 22},
                 {PBS_SHAPE_SPHERE, {0.5, 0.0, 0.0}, 96},
                 {PBS_SHAPE_BOX, {0.3, 0.4, 0.5}, 12},
                 {PBS_SHAPE_CAPSULE, {0.3, 0.4, 0.0}, 4 * 16 + 68},
                 {PBS_SHAPE_CYLINDER, {0.3, 0.4, 0.0}, 68},
                 {PBS_SHAPE_TORUS, {0.5, 0.2, 0.0}, 6 * 32}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pbs_world *world = new_world();
        pbs_collider_desc d;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        d.shape = cases[i].shape;
        copy3(cases[i].size, d.size);
        copy3((double[3]){1.0, 2.0, 3.0}, d.position);
        d.orientation[0] = 0.6;
        d.orientation[3] = 0.8;
        assert_ok(pbs_collider_create(world, &d, &collider));
        const struct drawn drawn = draw(world, PBS_DEBUG_COLLIDERS);
        assert_int_equal(drawn.count, 2 * cases[i].lines);
        for (size_t k = 0; k < drawn.count; k++) {
            pbs_closest_desc near;
            pbs_surface_point out = {.struct_size = sizeof out};
            assert_ok(pbs_closest_desc_init(&near, sizeof near));
            for (int j = 0; j < 3; j++) {
                near.point[j] = (double)drawn.points[k].position[j];
            }
            assert_ok(pbs_world_closest(world, &near, &out));
            assert_small(out.distance, 1e-6, "distance from the shape, m");
            assert_color(&drawn.points[k], 128, 128, 128);
        }
        free(drawn.points);
        pbs_world_destroy(world);
    }
}

static void meshes_and_sensors_are_drawn(void **state) {
    (void)state;
    static const double vertices[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    static const uint32_t triangle[3] = {0, 1, 2};
    static const uint32_t edge[2] = {1, 2};
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    pbs_world *world = new_world_from(&settings);
    pbs_collider_desc d;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = 3;
    d.vertices = vertices;
    d.triangle_count = 1;
    d.triangles = triangle;
    d.edge_count = 1;
    d.edges = edge;
    d.position[1] = 2.0;
    assert_ok(pbs_collider_create(world, &d, &collider));
    struct drawn drawn = draw(world, PBS_DEBUG_COLLIDERS);
    assert_int_equal(drawn.count, 2 * 4);
    assert_point(&drawn.points[2], 1.0, 2.0, 0.0);
    assert_point(&drawn.points[3], 0.0, 2.0, 1.0);
    assert_point(&drawn.points[7], 0.0, 2.0, 1.0);
    free(drawn.points);
    pbs_region_desc region;
    pbs_sensor sensor;
    assert_ok(pbs_region_desc_init(&region, sizeof region));
    assert_ok(pbs_sensor_create(world, &region, &sensor));
    drawn = draw(world, PBS_DEBUG_SENSORS);
    assert_int_equal(drawn.count, 2 * 12);
    assert_color(&drawn.points[0], 0, 255, 0);
    free(drawn.points);
    pbs_world_destroy(world);
}

/// A pinned vertex in two axes, a hinge between two bricks, and what lies on the ground.
static void pins_joints_and_contacts_are_drawn(void **state) {
    (void)state;
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.gravity[1] = -9.8;
    fixed_barrier(&settings);
    pbs_world *world = new_world_from(&settings);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.material = PBS_MATERIAL_NEO_HOOKEAN;
    const pbs_body cube = add_cube(world, 1, 0.1, (double[3]){0.0, 0.0005, 0.0}, &solid);
    add_ground(world);
    assert_int_equal(count_of(world, PBS_DEBUG_CONTACTS | PBS_DEBUG_PINS | PBS_DEBUG_JOINTS), 0);
    assert_ok(pbs_world_step(world, 0.01));
    size_t contacts = 0;
    assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &contacts));
    assert_true(contacts >= 4);
    struct drawn drawn = draw(world, PBS_DEBUG_CONTACTS);
    assert_int_equal(drawn.count, 4 * contacts);
    // From the ground's point to the cube's, and 0.1 m up.
    assert_point(&drawn.points[2], (double)drawn.points[0].position[0], 0.0,
                 (double)drawn.points[0].position[2]);
    assert_near((double)drawn.points[3].position[1], 0.1, 1e-6, "height of a normal's end, m");
    assert_color(&drawn.points[3], 255, 255, 0);
    free(drawn.points);
    const uint32_t vertex = 7;
    assert_ok(pbs_body_pin(world, cube, &vertex, 1, PBS_AXIS_X | PBS_AXIS_Z));
    drawn = draw(world, PBS_DEBUG_PINS);
    const double *x = pbs_body_positions(world, cube) + 3 * (size_t)vertex;
    assert_int_equal(drawn.count, 4);
    assert_point(&drawn.points[0], x[0] - 0.025, x[1], x[2]);
    assert_point(&drawn.points[3], x[0], x[1], x[2] + 0.025);
    assert_color(&drawn.points[0], 255, 128, 0);
    free(drawn.points);
    pbs_world_destroy(world);
}

static pbs_body add_brick(pbs_world *world, double x) {
    struct box_surface surface;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&surface, (double[3]){0.4, 0.2, 0.3});
    box_surface_describe(&surface, &d);
    d.position[0] = x;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// A hinge between two bricks at (0.25, 0, 0) about z: its points are one, and the main axis is z.
static void joints_are_drawn_with_their_axes(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body a = add_brick(world, 0.0);
    const pbs_body b = add_brick(world, 0.5);
    pbs_joint_desc d;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_HINGE;
    d.a.kind = d.b.kind = PBS_POINT_LOCAL;
    d.a.body = a;
    d.b.body = b;
    d.a.place[0] = 0.25;
    d.b.place[0] = -0.25;
    assert_ok(pbs_joint_create(world, &d, &joint));
    const struct drawn drawn = draw(world, PBS_DEBUG_JOINTS);
    assert_int_equal(drawn.count, 2 * 4);
    assert_point(&drawn.points[0], 0.25, 0.0, 0.0);
    assert_point(&drawn.points[1], 0.25, 0.0, 0.0);
    assert_color(&drawn.points[0], 255, 0, 255);
    assert_point(&drawn.points[6], 0.25, 0.0, 0.0);
    assert_point(&drawn.points[7], 0.25, 0.0, 0.1);
    assert_color(&drawn.points[7], 0, 0, 255);
    free(drawn.points);
    assert_ok(pbs_joint_destroy(world, joint));
    assert_int_equal(count_of(world, PBS_DEBUG_JOINTS), 0);
    // Of a ball axes matter where its swing has a limit.
    d.kind = PBS_JOINT_BALL;
    assert_ok(pbs_joint_create(world, &d, &joint));
    assert_int_equal(count_of(world, PBS_DEBUG_JOINTS), 2);
    d.swing_limit = 1.0;
    assert_ok(pbs_joint_set_settings(world, joint, &d));
    assert_int_equal(count_of(world, PBS_DEBUG_JOINTS), 2 * 4);
    // A body pinned as a whole is drawn by its centre.
    assert_ok(pbs_body_pin_all(world, a));
    assert_int_equal(count_of(world, PBS_DEBUG_PINS), 6);
    pbs_world_destroy(world);
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    add_cube(world, 1, 1.0, (double[3]){0.0, 0.0, 0.0}, NULL);
    const uint64_t before = allocator.allocate_count;
    pbs_debug_desc d;
    pbs_debug_point points[200];
    size_t count = 200;
    assert_ok(pbs_debug_desc_init(&d, sizeof d));
    assert_status(pbs_world_debug_lines(NULL, &d, points, 16, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_debug_lines(world, &d, points, 16, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_debug_lines(world, &d, points, 12, &count), PBS_ERROR_STRUCT_SIZE);
    for (int i = 0; i < 3; i++) {
        pbs_debug_desc wrong = d;
        wrong.flags = i == 0 ? 256 : wrong.flags;
        wrong.length = i == 1 ? 0.0 : i == 2 ? NAN : wrong.length;
        assert_status(pbs_world_debug_lines(world, &wrong, points, 16, &count), PBS_ERROR_ARGUMENT);
    }
    assert_status(pbs_debug_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    count = 59;
    assert_status(pbs_world_debug_lines(world, NULL, points, 16, &count), PBS_ERROR_CAPACITY);
    assert_int_equal(count, 60);
    assert_ok(pbs_world_debug_lines(world, NULL, points, 16, &count));
    // Wider rows of a host's own vertices.
    unsigned char wide[60 * 32];
    memset(wide, 0xa5, sizeof wide);
    assert_ok(pbs_world_debug_lines(world, NULL, (pbs_debug_point *)(void *)wide, 32, &count));
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(wide + 32 * i, &points[i], 16);
        assert_int_equal(wide[32 * i + 16], 0);
    }
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_their_sides),
        cmocka_unit_test(normals_begin_on_their_triangles),
        cmocka_unit_test(outlines_lie_on_their_shapes),
        cmocka_unit_test(meshes_and_sensors_are_drawn),
        cmocka_unit_test(pins_joints_and_contacts_are_drawn),
        cmocka_unit_test(joints_are_drawn_with_their_axes),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
