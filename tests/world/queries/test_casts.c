// All hits of a ray, moving spheres and capsules, and the sign of distances, in a scene with known
// answers: a cube from 0 to 1 over a ground at -1, a sheet at 2, a ball beside them at x = 3, and a
// hollow box around everything.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

enum { ROWS = 32 };

struct scene {
    pbs_world *world;
    pbs_body cube, sheet;
    pbs_collider ground, ball, room;
};

static struct scene make_scene(struct test_allocator *allocator) {
    struct scene s = {.world = allocator != NULL ? new_world_with(allocator) : new_world()};
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.position[1] = -1.0;
    assert_ok(pbs_collider_create(s.world, &d, &s.ground));
    d.shape = PBS_SHAPE_SPHERE;
    d.size[0] = 0.5;
    copy3((double[3]){3.0, 0.5, 0.5}, d.position);
    assert_ok(pbs_collider_create(s.world, &d, &s.ball));
    d.shape = PBS_SHAPE_BOX;
    d.hollow = 1;
    copy3((double[3]){10.0, 10.0, 10.0}, d.size);
    assert_ok(pbs_collider_create(s.world, &d, &s.room));
    s.cube = add_cube(s.world, 2, 1.0, (double[3]){0.0, 0.0, 0.0}, NULL);
    s.sheet = add_sheet(s.world, 2, 1.0, (double[3]){0.0, 2.0, 0.0}, NULL);
    return s;
}

static pbs_ray_desc ray_from(double x, double y, double z, const double direction[3]) {
    pbs_ray_desc d;
    assert_ok(pbs_ray_desc_init(&d, sizeof d));
    copy3((double[3]){x, y, z}, d.origin);
    copy3(direction, d.direction);
    return d;
}

static const double down[3] = {0.0, -2.0, 0.0};
static const double right[3] = {1.0, 0.0, 0.0};

// --- all hits ---

/// From 3 m down: the sheet at 2, the cube's top at 1 and bottom at 0, the ground at -1, the room's
/// floor at -7 (its centre is at the ball's).
static void rays_list_all_hits_in_order(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    pbs_ray_desc d = ray_from(0.3, 3.0, 0.1, down);
    pbs_surface_point rows[ROWS];
    size_t count = ROWS;
    assert_ok(pbs_world_ray_hits(s.world, &d, rows, sizeof rows[0], &count));
    const double distances[] = {1.0, 2.0, 3.0, 4.0, 12.5};
    const uint64_t ids[] = {s.sheet.id, s.cube.id, s.cube.id, s.ground.id, s.room.id};
    assert_int_equal(count, COUNT_OF(distances));
    for (size_t i = 0; i < count; i++) {
        assert_near(rows[i].distance, distances[i], 1e-12, "distance, m");
        assert_true((rows[i].body.id != 0 ? rows[i].body.id : rows[i].collider.id) == ids[i]);
        assert_int_equal(rows[i].inside, 0);
        assert_int_equal(rows[i].struct_size, sizeof rows[0]);
        assert_near(rows[i].point[1], 3.0 - distances[i], 1e-12, "point, m");
    }
    assert_near(rows[2].normal[1], -1.0, 1e-12, "outward normal of the bottom");
    // The first one is what pbs_world_ray gives.
    pbs_surface_point first = {.struct_size = sizeof first};
    assert_ok(pbs_world_ray(s.world, &d, &first));
    assert_memory_equal(&first, &rows[0], sizeof first);
    d.distance = 2.5;
    d.mask = 1; // the sheet and the cube are of all groups as well
    assert_ok(pbs_world_ray_hits(s.world, &d, NULL, sizeof rows[0], &count));
    assert_int_equal(count, 2);
    pbs_world_destroy(s.world);
}

/// Through the cube's corner edges meet many triangles at one distance: by number.
static void hits_at_one_distance_are_in_order_of_creation(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    const pbs_ray_desc d = ray_from(0.5, 3.0, 0.5, down);
    pbs_surface_point rows[ROWS];
    size_t count = ROWS;
    assert_ok(pbs_world_ray_hits(s.world, &d, rows, sizeof rows[0], &count));
    assert_true(count > 6 && count <= ROWS);
    for (size_t i = 1; i < count; i++) {
        const pbs_surface_point *a = &rows[i - 1];
        const pbs_surface_point *b = &rows[i];
        assert_true(a->distance <= b->distance);
        if (a->distance == b->distance && a->body.id == b->body.id) {
            assert_true(a->triangle < b->triangle);
        }
    }
    pbs_world_destroy(s.world);
}

static void wide_rows_and_short_arrays(void **state) {
    (void)state;
    enum { WIDE = sizeof(pbs_surface_point) + 16 };
    struct scene s = make_scene(NULL);
    const pbs_ray_desc d = ray_from(0.3, 3.0, 0.1, down);
    pbs_surface_point rows[ROWS];
    unsigned char wide[ROWS * WIDE];
    size_t count = ROWS;
    assert_ok(pbs_world_ray_hits(s.world, &d, rows, sizeof rows[0], &count));
    memset(wide, 0xa5, sizeof wide);
    assert_ok(pbs_world_ray_hits(s.world, &d, (pbs_surface_point *)(void *)wide, WIDE, &count));
    for (size_t i = 0; i < count; i++) {
        pbs_surface_point row;
        memcpy(&row, wide + i * WIDE, sizeof row);
        assert_int_equal(row.struct_size, WIDE);
        row.struct_size = sizeof row;
        assert_memory_equal(&row, &rows[i], sizeof row);
        for (size_t k = sizeof row; k < WIDE; k++) {
            assert_int_equal(wide[i * WIDE + k], 0);
        }
    }
    size_t few = count - 1;
    assert_status(pbs_world_ray_hits(s.world, &d, rows, sizeof rows[0], &few), PBS_ERROR_CAPACITY);
    assert_message("hits");
    assert_int_equal(few, count);
    pbs_world_destroy(s.world);
}

// --- moving shapes ---

static pbs_cast_desc cast_from(double radius, double half_length, double x, double y, double z,
                               const double direction[3]) {
    pbs_cast_desc d;
    assert_ok(pbs_cast_desc_init(&d, sizeof d));
    d.radius = radius;
    d.half_length = half_length;
    copy3((double[3]){x, y, z}, d.origin);
    copy3(direction, d.direction);
    return d;
}

static pbs_surface_point cast(const pbs_world *world, const pbs_cast_desc *d) {
    pbs_surface_point out = {.struct_size = sizeof out};
    assert_ok(pbs_world_cast(world, d, &out));
    return out;
}

static void moving_spheres_and_capsules_touch_where_they_must(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    // A sphere on the sheet, and between the sheet and the cube on the cube.
    pbs_cast_desc d = cast_from(0.2, 0.0, 0.4, 5.0, 0.6, down);
    pbs_surface_point p = cast(s.world, &d);
    assert_true(p.body.id == s.sheet.id);
    assert_near(p.distance, 2.8, 1e-9, "path to the sheet, m");
    assert_small(testing_max_difference(p.point, (double[3]){0.4, 2.0, 0.6}, 3), 1e-9, "point, m");
    assert_near(p.normal[1], 1.0, 1e-9, "normal");
    d.origin[1] = 1.5;
    p = cast(s.world, &d);
    assert_true(p.body.id == s.cube.id);
    assert_near(p.distance, 0.3, 1e-9, "path to the cube, m");
    // A capsule that lies across the way to the ball, 0.3 above its centre: both touch where the
    // distance of the axis from the centre is 0.5 + 0.1.
    d = cast_from(0.1, 0.4, 1.5, 0.8, 0.5, right);
    d.orientation[0] = sqrt(0.5); // the axis along z
    d.orientation[3] = sqrt(0.5);
    p = cast(s.world, &d);
    assert_true(p.collider.id == s.ball.id && p.triangle == UINT32_MAX);
    assert_near(p.distance, 1.5 - sqrt(0.36 - 0.09), 1e-9, "path to the ball, m");
    assert_near(p.normal[1], 0.5, 1e-9, "normal: 0.3 / 0.6");
    // Upright it meets the cube's side with its lower end beside the upper edge: 0.1 deep in the
    // rounding of radius 0.2, so sqrt(0.04 - 0.01) before the edge.
    d = cast_from(0.2, 0.2, -2.0, 1.3, 0.5, right);
    p = cast(s.world, &d);
    assert_true(p.body.id == s.cube.id);
    assert_near(p.distance, 2.0 - sqrt(0.03), 1e-9, "path to the edge, m");
    assert_small(testing_max_difference(p.point, (double[3]){0.0, 1.0, 0.5}, 3), 1e-9, "point, m");
    // A touch at the start, and filters.
    d = cast_from(0.2, 0.0, 0.5, 1.1, 0.5, (double[3]){0.0, 1.0, 0.0});
    p = cast(s.world, &d);
    assert_true(p.body.id == s.cube.id && p.distance == 0.0);
    d.mask = 0;
    p = cast(s.world, &d);
    assert_true(p.body.id == 0 && p.collider.id == 0 && isinf(p.distance));
    d.mask = UINT32_MAX;
    d.origin[1] = 1.5;
    d.distance = 0.25;
    p = cast(s.world, &d);
    assert_true(isinf(p.distance));
    pbs_world_destroy(s.world);
}

/// A grid of distances to a ball of radius 0.6, met by a sphere of 0.2 from 2 m away; the
/// interpolation of samples 0.1 m apart errs by 0.1^2 / (8 * 0.6) at most.
static void moving_spheres_touch_grids(void **state) {
    (void)state;
    enum { SIDE = 24 };
    static float samples[SIDE * SIDE * SIDE];
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&settings);
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_GRID;
    d.grid_cell = 0.1;
    d.grid_samples = samples;
    for (int k = 0; k < 3; k++) {
        d.grid_counts[k] = SIDE;
        d.grid_origin[k] = -1.15;
    }
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const double x[3] = {-1.15 + 0.1 * (i % SIDE), -1.15 + 0.1 * (i / SIDE % SIDE),
                             -1.15 + 0.1 * (i / SIDE / SIDE)};
        samples[i] = (float)(norm3(x) - 0.6);
    }
    pbs_collider grid;
    assert_ok(pbs_collider_create(world, &d, &grid));
    const pbs_cast_desc path = cast_from(0.2, 0.0, -2.0, 0.1, 0.05, right);
    const pbs_surface_point p = cast(world, &path);
    assert_true(p.collider.id == grid.id);
    assert_near(p.distance, 2.0 - sqrt(0.64 - 0.01 - 0.0025), 0.01 / 4.8, "path to the grid, m");
    pbs_world_destroy(world);
}

// --- inside ---

static pbs_surface_point closest(const pbs_world *world, double x, double y, double z) {
    pbs_closest_desc d;
    pbs_surface_point out = {.struct_size = sizeof out};
    assert_ok(pbs_closest_desc_init(&d, sizeof d));
    copy3((double[3]){x, y, z}, d.point);
    assert_ok(pbs_world_closest(world, &d, &out));
    return out;
}

static void points_are_inside_what_is_closed(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    pbs_surface_point p = closest(s.world, 0.5, 0.9, 0.5);
    assert_true(p.body.id == s.cube.id && p.inside == 1);
    assert_near(p.distance, 0.1, 1e-12, "depth, m");
    p = closest(s.world, 0.5, 1.1, 0.5);
    assert_true(p.body.id == s.cube.id && p.inside == 0);
    // A sheet has no inside on either side.
    p = closest(s.world, 0.5, 1.99, 0.5);
    assert_true(p.body.id == s.sheet.id && p.inside == 0);
    p = closest(s.world, 0.5, 2.01, 0.5);
    assert_true(p.body.id == s.sheet.id && p.inside == 0);
    p = closest(s.world, 3.0, 0.5, 0.9);
    assert_true(p.collider.id == s.ball.id && p.inside == 1);
    p = closest(s.world, -2.0, -1.1, 0.0);
    assert_true(p.collider.id == s.ground.id && p.inside == 1);
    // Outside of a room is what is solid.
    p = closest(s.world, 12.9, 5.0, 0.0);
    assert_true(p.collider.id == s.room.id && p.inside == 0);
    p = closest(s.world, 13.1, 5.0, 0.0);
    assert_true(p.collider.id == s.room.id && p.inside == 1);
    pbs_world_destroy(s.world);
}

// --- refusals ---

static void wrong_casts_are_refused(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    pbs_surface_point out = {.struct_size = sizeof out};
    const pbs_cast_desc good = cast_from(0.2, 0.1, 0.0, 5.0, 0.0, down);
    for (int i = 0; i < 9; i++) {
        pbs_cast_desc d = good;
        d.radius = i == 0 ? 0.0 : i == 1 ? NAN : d.radius;
        d.half_length = i == 2 ? -0.1 : i == 3 ? INFINITY : d.half_length;
        d.origin[2] = i == 4 ? NAN : d.origin[2];
        d.orientation[3] = i == 5 ? 0.5 : d.orientation[3];
        d.direction[1] = i == 6 ? 0.0 : d.direction[1];
        d.distance = i == 7 ? -1.0 : d.distance;
        d.reserved = i == 8;
        assert_status(pbs_world_cast(s.world, &d, &out), PBS_ERROR_ARGUMENT);
    }
    pbs_cast_desc d = good;
    assert_status(pbs_world_cast(NULL, &d, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_cast(s.world, NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_cast(s.world, &d, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_cast_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_cast_desc_init(&d, 4), PBS_ERROR_STRUCT_SIZE);
    out.struct_size = 4;
    assert_status(pbs_world_cast(s.world, &good, &out), PBS_ERROR_STRUCT_SIZE);
    pbs_ray_desc ray = ray_from(0.0, 5.0, 0.0, down);
    size_t count = 1;
    assert_status(pbs_world_ray_hits(NULL, &ray, &out, sizeof out, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_ray_hits(s.world, NULL, &out, sizeof out, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_ray_hits(s.world, &ray, &out, sizeof out, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_ray_hits(s.world, &ray, &out, 8, &count), PBS_ERROR_STRUCT_SIZE);
    ray.distance = NAN;
    assert_status(pbs_world_ray_hits(s.world, &ray, &out, sizeof out, &count), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(s.world);
}

/// Only the first query takes memory, for the index that all share.
static void casts_take_no_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    struct scene s = make_scene(&allocator);
    pbs_surface_point rows[ROWS];
    const pbs_ray_desc ray = ray_from(0.3, 3.0, 0.1, down);
    const pbs_cast_desc path = cast_from(0.2, 0.1, 0.0, 5.0, 0.0, down);
    cast(s.world, &path);
    const uint64_t before = allocator.allocate_count;
    size_t count = ROWS;
    assert_ok(pbs_world_ray_hits(s.world, &ray, rows, sizeof rows[0], &count));
    cast(s.world, &path);
    closest(s.world, 0.5, 0.5, 0.5);
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(s.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_list_all_hits_in_order),
        cmocka_unit_test(hits_at_one_distance_are_in_order_of_creation),
        cmocka_unit_test(wide_rows_and_short_arrays),
        cmocka_unit_test(moving_spheres_and_capsules_touch_where_they_must),
        cmocka_unit_test(moving_spheres_touch_grids),
        cmocka_unit_test(points_are_inside_what_is_closed),
        cmocka_unit_test(wrong_casts_are_refused),
        cmocka_unit_test(casts_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
