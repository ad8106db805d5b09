// What pbs_world_region lists in a scene with known answers: a cube from 0 to 1, a sheet at 2, a
// ground at -1, a ball, a mesh, two particles.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

enum { ROWS = 64 };

struct scene {
    pbs_world *world;
    pbs_body cube, sheet, chain;
    pbs_collider ground, ball, mesh;
};

static const double mesh_vertices[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
static const uint32_t mesh_triangle[3] = {0, 1, 2};

static pbs_body add_chain(pbs_world *world) {
    const double points[6] = {-3.0, 0.0, 0.0, -3.0, 1.0, 0.0};
    const double masses[2] = {1.0, 1.0};
    const uint32_t springs[2] = {0, 1};
    pbs_springs_desc d;
    pbs_body out;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 2;
    d.positions = points;
    d.masses = masses;
    d.spring_count = 1;
    d.springs = springs;
    assert_ok(pbs_body_create_springs(world, &d, &out));
    return out;
}

static struct scene make_scene(struct test_allocator *allocator) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    if (allocator != NULL) {
        settings.allocator = test_allocator_hooks(allocator);
    }
    struct scene s = {.world = new_world_from(&settings)};
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.position[1] = -1.0;
    assert_ok(pbs_collider_create(s.world, &d, &s.ground));
    d.shape = PBS_SHAPE_SPHERE;
    d.size[0] = 0.5;
    copy3((double[3]){3.0, 0.5, 0.5}, d.position);
    assert_ok(pbs_collider_create(s.world, &d, &s.ball));
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = 3;
    d.vertices = mesh_vertices;
    d.triangle_count = 1;
    d.triangles = mesh_triangle;
    copy3((double[3]){6.0, 0.0, 0.0}, d.position);
    assert_ok(pbs_collider_create(s.world, &d, &s.mesh));
    s.cube = add_cube(s.world, 4, 1.0, (double[3]){0.0, 0.0, 0.0}, NULL);
    s.sheet = add_sheet(s.world, 2, 1.0, (double[3]){0.0, 2.0, 0.0}, NULL);
    s.chain = add_chain(s.world);
    return s;
}

struct listed {
    pbs_region_row rows[ROWS];
    size_t count;
};

static struct listed list(const pbs_world *world, const pbs_region_desc *d, int32_t what) {
    struct listed out = {.count = ROWS};
    assert_ok(pbs_world_region(world, d, what, out.rows, sizeof out.rows[0], &out.count));
    return out;
}

static pbs_region_desc box_at(double half, double x, double y, double z) {
    pbs_region_desc d;
    assert_ok(pbs_region_desc_init(&d, sizeof d));
    copy3((double[3]){half, half, half}, d.size);
    copy3((double[3]){x, y, z}, d.position);
    return d;
}

static uint64_t id_of(const pbs_region_row *row) {
    return row->body.id != 0 ? row->body.id : row->collider.id;
}

static void assert_lists(const pbs_world *world, const pbs_region_desc *d, const uint64_t *ids,
                         size_t count) {
    const struct listed found = list(world, d, PBS_REGION_OBJECTS);
    assert_int_equal(found.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(id_of(&found.rows[i]) == ids[i]);
        assert_int_equal(found.rows[i].triangle, UINT32_MAX);
        assert_int_equal(found.rows[i].reserved, 0);
    }
}

static void objects_are_listed_in_order(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    // All of them; bodies come first.
    pbs_region_desc d = box_at(10.0, 0.0, 0.0, 0.0);
    assert_lists(s.world, &d,
                 (uint64_t[]){s.cube.id, s.sheet.id, s.chain.id, s.ground.id, s.ball.id, s.mesh.id},
                 6);
    // Between the cube's top and the sheet: nothing; a little larger: both.
    d = box_at(0.49, 0.5, 1.5, 0.5);
    assert_lists(s.world, &d, NULL, 0);
    d = box_at(0.51, 0.5, 1.5, 0.5);
    assert_lists(s.world, &d, (uint64_t[]){s.cube.id, s.sheet.id}, 2);
    // Turned by 45 degrees about z it reaches 0.49 sqrt(2) up and down.
    d = box_at(0.49, 0.5, 1.5, 0.5);
    d.orientation[2] = sin(0.39269908169872414);
    d.orientation[3] = cos(0.39269908169872414);
    assert_lists(s.world, &d, (uint64_t[]){s.cube.id, s.sheet.id}, 2);
    // Inside the cube, touching no triangle.
    d = box_at(0.1, 0.5, 0.5, 0.5);
    assert_lists(s.world, &d, (uint64_t[]){s.cube.id}, 1);
    // A point as good as any: what contains it.
    d.shape = PBS_SHAPE_SPHERE;
    d.size[0] = 1e-9;
    assert_lists(s.world, &d, (uint64_t[]){s.cube.id}, 1);
    copy3((double[3]){3.2, 0.5, 0.5}, d.position);
    assert_lists(s.world, &d, (uint64_t[]){s.ball.id}, 1);
    // A particle, and the ball from the side of a capsule: 0.2 to its left.
    d.shape = PBS_SHAPE_CAPSULE;
    copy3((double[3]){0.2, 3.0, 0.0}, d.size);
    copy3((double[3]){-3.1, 2.5, 0.0}, d.position);
    assert_lists(s.world, &d, (uint64_t[]){s.chain.id}, 1);
    copy3((double[3]){2.31, 3.0, 0.5}, d.position);
    assert_lists(s.world, &d, (uint64_t[]){s.ball.id}, 1);
    copy3((double[3]){2.29, 3.0, 0.5}, d.position);
    assert_lists(s.world, &d, NULL, 0);
    pbs_world_destroy(s.world);
}

/// The cube's top has 4 x 4 cells of two triangles; a box over one cell's middle of half the cell's
/// size meets the two of that cell only.
static void triangles_are_listed_one_by_one(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    pbs_region_desc d = box_at(0.06, 0.375, 1.0, 0.625);
    struct listed found = list(s.world, &d, PBS_REGION_TRIANGLES);
    assert_int_equal(found.count, 2);
    const uint32_t *triangles = NULL;
    size_t count = 0;
    assert_ok(pbs_body_surface(s.world, s.cube, &triangles, &count));
    const double *x = pbs_body_positions(s.world, s.cube);
    for (size_t i = 0; i < found.count; i++) {
        assert_true(found.rows[i].body.id == s.cube.id);
        for (size_t k = 0; k < 3; k++) {
            const double *p = x + 3 * (size_t)triangles[3 * (size_t)found.rows[i].triangle + k];
            assert_true(fabs(p[0] - 0.375) < 0.126 && fabs(p[2] - 0.625) < 0.126 && p[1] == 1.0);
        }
    }
    assert_true(found.rows[0].triangle < found.rows[1].triangle);
    // All 8 of the sheet and the one of the mesh; shapes and particles have none.
    d = box_at(0.2, 6.1, 0.0, 0.1);
    found = list(s.world, &d, PBS_REGION_TRIANGLES);
    assert_int_equal(found.count, 1);
    assert_true(found.rows[0].collider.id == s.mesh.id && found.rows[0].triangle == 0);
    d = box_at(0.9, 0.5, 2.8, 0.5);
    found = list(s.world, &d, PBS_REGION_TRIANGLES);
    assert_int_equal(found.count, 8);
    // Deep inside the cube there is no triangle.
    d = box_at(0.1, 0.5, 0.5, 0.5);
    assert_int_equal(list(s.world, &d, PBS_REGION_TRIANGLES).count, 0);
    pbs_world_destroy(s.world);
}

static void groups_and_the_present_count(void **state) {
    (void)state;
    struct scene s = make_scene(NULL);
    pbs_contact_desc contact;
    pbs_region_desc d = box_at(0.1, 0.5, 2.0, 0.5);
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.group = 2;
    contact.mask = 4;
    assert_ok(pbs_body_set_contact(s.world, s.sheet, &contact));
    assert_lists(s.world, &d, (uint64_t[]){s.sheet.id}, 1);
    d.mask = 1;
    assert_lists(s.world, &d, NULL, 0);
    d.mask = UINT32_MAX;
    d.group = 3;
    assert_lists(s.world, &d, NULL, 0);
    d.group = 4;
    assert_lists(s.world, &d, (uint64_t[]){s.sheet.id}, 1);
    assert_ok(pbs_body_destroy(s.world, s.sheet));
    assert_lists(s.world, &d, NULL, 0);
    pbs_world_destroy(s.world);
}

static void wrong_questions_are_refused(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    struct scene s = make_scene(&allocator);
    pbs_region_desc d = box_at(10.0, 0.0, 0.0, 0.0);
    pbs_region_row rows[ROWS];
    size_t count = ROWS;
    assert_status(pbs_world_region(NULL, &d, 0, rows, sizeof rows[0], &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_region(s.world, NULL, 0, rows, sizeof rows[0], &count),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_region(s.world, &d, 2, rows, sizeof rows[0], &count),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_region(s.world, &d, 0, rows, sizeof rows[0], NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_region(s.world, &d, 0, rows, 8, &count), PBS_ERROR_STRUCT_SIZE);
    count = 5;
    assert_status(pbs_world_region(s.world, &d, 0, rows, sizeof rows[0], &count),
                  PBS_ERROR_CAPACITY);
    assert_int_equal(count, 6);
    count = 0;
    assert_ok(pbs_world_region(s.world, &d, 0, NULL, sizeof rows[0], &count));
    assert_int_equal(count, 6);
    d.shape = PBS_SHAPE_MESH;
    assert_status(pbs_world_region(s.world, &d, 0, rows, sizeof rows[0], &count),
                  PBS_ERROR_ARGUMENT);
    // Further questions take no memory.
    const uint64_t before = allocator.allocate_count;
    d = box_at(10.0, 0.0, 0.0, 0.0);
    list(s.world, &d, PBS_REGION_OBJECTS);
    d = box_at(0.3, 0.5, 1.0, 0.5);
    list(s.world, &d, PBS_REGION_TRIANGLES);
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(s.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_listed_in_order),
        cmocka_unit_test(triangles_are_listed_one_by_one),
        cmocka_unit_test(groups_and_the_present_count),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
