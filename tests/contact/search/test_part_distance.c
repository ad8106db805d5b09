// The distance of two parts: of faces, edges and vertices, of parts through and inside each other.
// SPDX-License-Identifier: MIT
#include "contact/search/part_distance.h"

#include "support/scenes/world_scenes.h"
#include "support/testing.h"

/// Two boxes as parts of a mesh, with their points where they are.
struct two_boxes {
    struct memory memory;
    struct collision_mesh mesh;
    double points[48];
};

static void add_box(struct two_boxes *s, int index, const double sides[3], const double at[3]) {
    struct box_surface box;
    uint32_t nodes[8];
    box_surface_make(&box, sides);
    for (int i = 0; i < 24; i++) {
        s->points[24 * index + i] = box.positions[i] + at[i % 3];
    }
    for (uint32_t i = 0; i < 8; i++) {
        nodes[i] = 8 * (uint32_t)index + i;
    }
    const struct collision_part_input input = {.kind = POINT_NODE,
                                               .point_count = 8,
                                               .nodes = nodes,
                                               .rest = s->points + 24 * index,
                                               .triangle_count = 12,
                                               .triangles = box.triangles};
    assert_ok(collision_mesh_add(&s->memory, &input, &s->mesh));
}

static double distance(const double a[3], const double b[3], const double at[3], double least,
                       double most) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    struct two_boxes s = {.mesh = {0}};
    memory_init(&s.memory, NULL);
    add_box(&s, 0, a, origin);
    add_box(&s, 1, b, at);
    const double forth = part_distance(&s.mesh, s.points, 0, 1, least, most);
    const double back = part_distance(&s.mesh, s.points, 1, 0, least, most);
    if (forth >= least) {
        assert_near(forth, back, 1e-15, "the other way");
    }
    collision_mesh_free(&s.memory, &s.mesh);
    assert_int_equal(s.memory.bytes_in_use, 0);
    return forth;
}

static const double CUBE[3] = {1.0, 1.0, 1.0};

static void boxes_are_as_far_as_their_nearest_points(void **state) {
    (void)state;
    // Across faces, between edges, between corners.
    assert_near(distance(CUBE, CUBE, (const double[3]){1.3, 0.1, 0.2}, 0.0, 9.0), 0.3, 1e-15,
                "faces");
    assert_near(distance(CUBE, CUBE, (const double[3]){1.3, 1.4, 0.2}, 0.0, 9.0), 0.5, 1e-15,
                "edges");
    assert_near(distance(CUBE, CUBE, (const double[3]){1.1, 1.2, 1.2}, 0.0, 9.0), 0.3, 1e-15,
                "corners");
    assert_near(distance(CUBE, CUBE, (const double[3]){1.0, 0.1, 0.2}, 0.0, 9.0), 0.0, 0.0,
                "faces together");
}

static void limits_save_work(void **state) {
    (void)state;
    const double at[3] = {1.3, 0.1, 0.2};
    assert_near(distance(CUBE, CUBE, at, 0.0, 0.2), 0.2, 1e-15, "most");
    assert_true(distance(CUBE, CUBE, at, 0.4, 0.5) < 0.4);
    assert_near(distance(CUBE, CUBE, at, 0.2, 0.5), 0.3, 1e-15, "above least");
}

/// A rod through a plate, and a box inside another.
static void what_intersects_or_contains_has_no_distance(void **state) {
    (void)state;
    const double plate[3] = {1.0, 1.0, 0.01}, rod[3] = {0.1, 0.1, 5.0}, small[3] = {0.1, 0.1, 0.1};
    static const double centre[3] = {0.02, 0.01, 0.0};
    assert_near(distance(plate, rod, centre, 0.0, 9.0), 0.0, 0.0, "through");
    assert_near(distance(CUBE, small, centre, 0.1, 9.0), 0.0, 0.0, "inside");
    assert_near(distance(small, CUBE, centre, 0.1, 9.0), 0.0, 0.0, "around");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_as_far_as_their_nearest_points),
        cmocka_unit_test(limits_save_work),
        cmocka_unit_test(what_intersects_or_contains_has_no_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
