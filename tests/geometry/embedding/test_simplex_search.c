// The nearest point, triangle and tetrahedron, beside a search through all of them.
// SPDX-License-Identifier: MIT
#include "support/random.h"
#include "support/host/refusals.h"
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/embedding/simplex_search.h"
#include "geometry/meshes/tet_mesh.h"
#include "scenes/bonds/cubic_tets.h"

static double distance_to_triangle(const double *x, const uint32_t v[3], const double place[3]) {
    const double *const nodes[PAIR_NODES] = {place, x + 3 * (size_t)v[0], x + 3 * (size_t)v[1],
                                             x + 3 * (size_t)v[2]};
    return closest_squared(PAIR_POINT_TRIANGLE, nodes);
}

/// 0 where all four volumes with the place in place of a corner are positive.
static double distance_to_tet(const double *x, const uint32_t v[4], const double place[3]) {
    double least = INFINITY;
    bool is_inside = true;
    for (int f = 0; f < 4; f++) {
        const uint8_t *face = tet_face_vertices[f];
        const uint32_t corners[3] = {v[face[0]], v[face[1]], v[face[2]]};
        double sides[3][3];
        double normal[3];
        for (int k = 0; k < 3; k++) {
            subtract3(x + 3 * (size_t)corners[k], place, sides[k]);
        }
        cross3(sides[0], sides[1], normal);
        is_inside = is_inside && dot3(normal, sides[2]) > 0.0;
        least = fmin(least, distance_to_triangle(x, corners, place));
    }
    return is_inside ? 0.0 : least;
}

static double distance_to(const struct simplex_mesh *mesh, uint32_t index, const double place[3]) {
    uint32_t v[SIMPLEX_CORNERS];
    double arm[3];
    simplex_corners(mesh, index, v);
    subtract3(place, mesh->x + 3 * (size_t)v[0], arm);
    return mesh->width == 1   ? dot3(arm, arm)
           : mesh->width == 3 ? distance_to_triangle(mesh->x, v, place)
                              : distance_to_tet(mesh->x, v, place);
}

/// The answer is a place on the simplex, as far away as it says, and nothing is nearer.
static void assert_nearest(const struct simplex_search *search, const double place[3]) {
    const struct simplex_mesh *mesh = &search->mesh;
    struct simplex_hit hit;
    uint32_t v[SIMPLEX_CORNERS];
    double sum = 0.0;
    double gap[3];
    simplex_search_nearest(search, place, &hit);
    assert_true(hit.index < mesh->count);
    simplex_corners(mesh, hit.index, v);
    copy3(place, gap);
    for (int k = 0; k < mesh->width; k++) {
        assert_true(hit.weight[k] >= 0.0);
        sum += hit.weight[k];
        add_scaled3(gap, -hit.weight[k], mesh->x + 3 * (size_t)v[k], gap);
    }
    assert_near(sum, 1.0, 1e-14, "sum of the weights");
    assert_near(norm3(gap), sqrt(hit.squared), 1e-14, "distance");
    for (uint32_t i = 0; i < mesh->count; i++) {
        const double other = distance_to(mesh, i, place);
        assert_true(other >= hit.squared * (1.0 - 1e-14) - 1e-30);
    }
}

static void nothing_is_nearer(void **state) {
    (void)state;
    static const size_t cells[3] = {3, 2, 2};
    struct cubic_tets tets;
    struct memory memory;
    struct random random = random_seed(7);
    memory_init(&memory, NULL);
    assert_true(cubic_tets_make(&tets, cells, 0.4, 0.2));
    for (int width = 1; width <= 4; width += width == 1 ? 2 : 1) {
        struct simplex_search search;
        // Corners of tetrahedra, three at a time, are a soup of triangles.
        const struct simplex_mesh mesh = {.vertex_count = tets.vertex_count,
                                          .x = tets.vertices,
                                          .width = width,
                                          .count = width == 1 ? tets.vertex_count : tets.tet_count,
                                          .corners = width == 1 ? NULL : tets.tets};
        assert_ok(simplex_search_build(&memory, &mesh, &search));
        for (int i = 0; i < testing_rounds(500); i++) {
            double place[3];
            random_fill(&random, -0.5, 1.7, place, 3);
            assert_nearest(&search, place);
        }
        for (size_t i = 0; i < tets.vertex_count; i++) {
            assert_nearest(&search, tets.vertices + 3 * i);
        }
        simplex_search_free(&memory, &search);
    }
    cubic_tets_free(&tets);
    assert_int_equal(memory.bytes_in_use, 0);
}

/// Both triangles are as near; the order of the tree must not matter.
static void the_lowest_of_equals_is_found(void **state) {
    (void)state;
    enum { COPIES = 40 };
    static const double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    static const double place[3] = {0.25, 0.25, 2.0};
    uint32_t corners[3 * COPIES];
    struct memory memory;
    struct simplex_search search;
    struct simplex_hit hit;
    memory_init(&memory, NULL);
    for (uint32_t i = 0; i < 3 * COPIES; i++) {
        corners[i] = i % 3;
    }
    const struct simplex_mesh mesh = {3, x, 3, COPIES, corners};
    assert_ok(simplex_search_build(&memory, &mesh, &search));
    simplex_search_nearest(&search, place, &hit);
    assert_int_equal(hit.index, 0);
    assert_near(hit.squared, 4.0, 1e-15, "squared distance");
    simplex_search_free(&memory, &search);
}

/// An inverted tetrahedron has no inside: the place is nearest to a face of it.
static void inverted_tetrahedra_have_faces(void **state) {
    (void)state;
    static const double x[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const uint32_t corners[4] = {0, 2, 1, 3};
    static const double place[3] = {0.1, 0.2, 0.3};
    struct memory memory;
    struct simplex_search search;
    struct simplex_hit hit;
    memory_init(&memory, NULL);
    const struct simplex_mesh mesh = {4, x, 4, 1, corners};
    assert_ok(simplex_search_build(&memory, &mesh, &search));
    simplex_search_nearest(&search, place, &hit);
    assert_int_equal(hit.index, 0);
    assert_near(hit.squared, 0.01, 1e-16, "squared distance to the face at x = 0");
    simplex_search_free(&memory, &search);
}

static pbs_status build_and_free(struct memory *memory, const void *context) {
    struct simplex_search search;
    RETURN_IF_FAILED(simplex_search_build(memory, context, &search));
    simplex_search_free(memory, &search);
    return PBS_OK;
}

static void refused_memory_leaves_nothing(void **state) {
    (void)state;
    static const size_t cells[3] = {1, 1, 1};
    struct cubic_tets tets;
    assert_true(cubic_tets_make(&tets, cells, 1.0, 0.0));
    const struct simplex_mesh mesh = {tets.vertex_count, tets.vertices, 4, tets.tet_count,
                                      tets.tets};
    assert_refusals_are_statuses(build_and_free, &mesh, 50);
    cubic_tets_free(&tets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_nearer),
        cmocka_unit_test(the_lowest_of_equals_is_found),
        cmocka_unit_test(inverted_tetrahedra_have_faces),
        cmocka_unit_test(refused_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
