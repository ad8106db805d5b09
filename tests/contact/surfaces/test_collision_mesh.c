// What can touch, as lists: edges once, lone points and edges, places of points, who may touch
// whom.
// SPDX-License-Identifier: MIT
#include "contact/surfaces/collision_mesh.h"

#include "support/host/refusals.h"
#include "contact/touching_scene.h"

static struct memory memory;

static int setup(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(memory.bytes_in_use, 0);
    return 0;
}

/// Two triangles with a side in common, a chain, an edge named twice, and a point of nothing.
static const double rest[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0,
                              5, 0, 0, 5, 0, 3, 5, 4, 3, 9, 9, 9};
static const uint32_t triangles[] = {2, 0, 1, 3, 2, 1};
static const uint32_t edges[] = {5, 4, 5, 6, 4, 5};

static pbs_status add_both(struct memory *own, struct collision_mesh *mesh) {
    static const uint32_t nodes[] = {7, 6, 5, 4, 3, 2, 1, 0};
    const struct collision_part_input input = {.part = {.offset = 0.5},
                                               .point_count = 8,
                                               .nodes = nodes,
                                               .rest = rest,
                                               .triangle_count = 2,
                                               .triangles = triangles,
                                               .edge_count = 3,
                                               .edges = edges};
    RETURN_IF_FAILED(collision_mesh_add(own, &input, mesh));
    const struct collision_part_input again = {.part = {.is_obstacle = true, .obstacle = 3},
                                               .kind = POINT_OBSTACLE,
                                               .point_count = 8,
                                               .rest = rest,
                                               .triangle_count = 2,
                                               .triangles = triangles,
                                               .edge_count = 3,
                                               .edges = edges};
    return collision_mesh_add(own, &again, mesh);
}

/// Each part: five edges of the triangles, two others, the last point alone; the second part's
/// numbers come after the first one's. A cleared mesh takes the same again in the same memory.
static void edges_are_listed_once(void **state) {
    (void)state;
    struct collision_mesh mesh = {0};
    static const uint32_t expected[] = {0, 1, 0, 2, 1, 2, 1, 3, 2, 3, 4, 5, 5, 6};
    static const double squares[] = {1, 4, 5, 4, 1, 9, 16};
    static const uint8_t counts[] = {1, 1, 2, 1, 1, 0, 0};
    uint64_t calls = 0;
    for (int round = 0; round < 2; round++) {
        collision_mesh_clear(&mesh);
        assert_ok(add_both(&memory, &mesh));
        assert_int_equal(mesh.part_count, 2);
        assert_int_equal(mesh.point_count, 16);
        assert_int_equal(mesh.edge_count, 14);
        assert_int_equal(mesh.triangle_count, 4);
        for (uint32_t k = 0; k < 28; k++) {
            assert_int_equal(mesh.edges[k], expected[k % 14] + 8 * (k / 14));
            assert_true(mesh.edge_squares[k / 2] == squares[k / 2 % 7]);
            assert_int_equal(mesh.edge_triangles[k / 2], counts[k / 2 % 7]);
        }
        for (uint32_t k = 0; k < 12; k++) {
            assert_int_equal(mesh.triangles[k], triangles[k % 6] + 8 * (k / 6));
        }
        assert_int_equal(mesh.isolated_point_count, 2);
        assert_int_equal(mesh.isolated_points[0], 7);
        assert_int_equal(mesh.isolated_points[1], 15);
        assert_int_equal(mesh.isolated_edge_count, 4);
        for (uint32_t k = 0; k < 4; k++) {
            assert_int_equal(mesh.isolated_edges[k], 5 + k % 2 + 7 * (k / 2));
        }
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(mesh.part[i], i / 8);
            assert_int_equal(mesh.vertex[i], i % 8);
            assert_int_equal(mesh.kind[i], i < 8 ? POINT_NODE : POINT_OBSTACLE);
        }
        // The scratch for lone points comes and goes, and that for the obstacle's flat faces.
        assert_true(round == 0 || memory.call_count == calls + 6);
        calls = memory.call_count;
    }
    collision_mesh_free(&memory, &mesh);
}

static pbs_status add_and_free(struct memory *own, const void *context) {
    (void)context;
    struct collision_mesh mesh = {0};
    const pbs_status status = add_both(own, &mesh);
    assert_true(status >= 0 || mesh.point_count == 0);
    collision_mesh_free(own, &mesh);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    assert_refusals_are_statuses(add_and_free, NULL, 100);
}

/// Every point is the sum over its nodes that collision_mesh_nodes says; points of obstacles are
/// left where they were.
static void points_are_sums_of_nodes(void **state) {
    (void)state;
    struct touching_scene s;
    struct random numbers = random_seed(3);
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *mesh = &s.contact.mesh;
    double points[3 * 64];
    int affine = 0;
    assert_true(mesh->point_count <= 64);
    random_fill(&numbers, -1.0, 1.0, s.x, SCENE_COORDINATES);
    random_fill(&numbers, 5.0, 6.0, points, 3 * 64);
    collision_mesh_compute_points(NULL, mesh, s.x, points);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        uint32_t nodes[4];
        double weights[4];
        double sum[3] = {0.0, 0.0, 0.0};
        const int count = collision_mesh_nodes(mesh, i, nodes, weights);
        assert_int_equal(count, mesh->kind[i] == POINT_NODE     ? 1
                                : mesh->kind[i] == POINT_AFFINE ? 4
                                                                : 0);
        for (int k = 0; k < count; k++) {
            add_scaled3(sum, weights[k], s.x + 3 * (size_t)nodes[k], sum);
        }
        for (int k = 0; k < 3; k++) {
            const double found = points[3 * i + (uint32_t)k];
            assert_true(count > 0 ? fabs(found - sum[k]) <= 4.0 * 0x1p-52 : found >= 5.0);
        }
        affine += count == 4;
    }
    assert_int_equal(affine, 8);
    // Rest lengths of affine bodies are metres: sides of 0.4 m and their diagonals.
    int sides = 0;
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        if (mesh->kind[mesh->edges[2 * e]] == POINT_AFFINE) {
            const double side = mesh->edge_squares[e] / (4.0 * AFFINE_UNIT * AFFINE_UNIT);
            assert_true(fabs(side - 1.0) < 1e-14 || fabs(side - 2.0) < 1e-14);
            sides++;
        }
    }
    assert_int_equal(sides, 18);
    barrier_contact_free(&s.contact);
}

/// Both sides' masks must have the other's group; obstacles leave obstacles alone; a part touches
/// itself where it says so, whatever its mask.
static void filters_need_both_sides(void **state) {
    (void)state;
    const struct {
        struct collision_part a, b;
        bool touch;
    } rows[] = {
        {{.group = 1, .mask = 2}, {.group = 2, .mask = 1}, true},
        {{.group = 1, .mask = 2}, {.group = 2, .mask = 2}, false},
        {{.group = 1, .mask = 1}, {.group = 2, .mask = 1}, false},
        {{.group = 4, .mask = 8}, {.group = 12, .mask = 6}, true},
        {{.group = 0, .mask = 7}, {.group = 7, .mask = 7}, false},
        {{.group = 1, .mask = 1, .is_obstacle = true}, {.group = 1, .mask = 1}, true},
        {{.group = 1, .mask = 1, .is_obstacle = true},
         {.group = 1, .mask = 1, .is_obstacle = true},
         false},
    };
    uint32_t part[2] = {0, 1};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct collision_part parts[2] = {rows[i].a, rows[i].b};
        const struct collision_mesh mesh = {.parts = parts, .part = part};
        assert_true(collision_mesh_may_touch(&mesh, 0, 1) == rows[i].touch);
        assert_true(collision_mesh_may_touch(&mesh, 1, 0) == rows[i].touch);
        assert_false(collision_mesh_may_touch(&mesh, 0, 0));
        parts[0].touches_itself = true;
        assert_true(collision_mesh_may_touch(&mesh, 0, 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edges_are_listed_once, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_memory_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(points_are_sums_of_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(filters_need_both_sides, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
