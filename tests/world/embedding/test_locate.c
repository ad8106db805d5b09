// Points of bodies that are nearest to given positions (pbs_world_locate).
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"
#include "support/world_testing.h"

#include "base/matrix3/math3.h"

enum { PLACES = 200 };

static pbs_status locate(const pbs_world *world, pbs_body body, const double *places, size_t count,
                         pbs_point *points, double *distances) {
    return pbs_world_locate(world, body, places, count, points, sizeof *points, distances);
}

/// Returns the distance of a point from a place, m, by pbs_world_point_position.
static double missed(const pbs_world *world, const pbs_point *point, const double place[3]) {
    double x[3];
    assert_ok(pbs_world_point_position(world, point, x));
    subtract3(x, place, x);
    return norm3(x);
}

/// A bent cube: places of its tetrahedra are found again, in whatever state the body is.
static void places_inside_are_found_again(void **state) {
    (void)state;
    static const double corner[3] = {0.3, -0.2, 0.1};
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 3, 0.5, corner, NULL);
    struct random random = random_seed(3);
    double *x = calloc(3 * pbs_body_vertex_count(world, cube), sizeof *x);
    double places[3 * PLACES], distances[PLACES];
    pbs_point points[PLACES];
    assert_non_null(x);
    memcpy(x, pbs_body_positions(world, cube), 3 * pbs_body_vertex_count(world, cube) * sizeof *x);
    for (size_t i = 0; i < pbs_body_vertex_count(world, cube); i++) {
        x[3 * i] += 0.4 * x[3 * i + 1] * x[3 * i + 1];
        x[3 * i + 2] += 0.5 * x[3 * i];
    }
    assert_ok(pbs_body_set_positions(world, cube, x, pbs_body_vertex_count(world, cube)));
    free(x);
    for (size_t i = 0; i < PLACES; i++) {
        pbs_point p = {.struct_size = sizeof p, .kind = PBS_POINT_TET, .body = cube};
        double rest = 1.0;
        p.index = (uint32_t)random_index(&random, pbs_body_tet_count(world, cube));
        for (int k = 0; k < 3; k++) {
            p.weights[k] = rest * random_uniform(&random, 0.0, 1.0);
            rest -= p.weights[k];
        }
        p.weights[3] = rest;
        assert_ok(pbs_world_point_position(world, &p, places + 3 * i));
    }
    assert_ok(locate(world, cube, places, PLACES, points, distances));
    for (size_t i = 0; i < PLACES; i++) {
        assert_int_equal(points[i].struct_size, sizeof *points);
        assert_int_equal(points[i].kind, PBS_POINT_TET);
        assert_near(distances[i], 0.0, 1e-14, "distance");
        assert_small(missed(world, &points[i], places + 3 * i), 1e-14, "place");
    }
    pbs_world_destroy(world);
}

static void places_outside_lead_to_the_nearest_face(void **state) {
    (void)state;
    static const double corner[3] = {0.0, 0.0, 0.0}, away[3] = {3.0, 0.0, 0.0};
    static const double places[6] = {0.1, 0.2, -0.3, 0.9, 0.8, 0.25};
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 0.5, corner, NULL);
    const pbs_body sheet = add_sheet(world, 2, 0.5, away, NULL);
    double distances[2];
    pbs_point points[2];
    assert_ok(locate(world, cube, places, 2, points, distances));
    assert_near(distances[0], 0.3, 1e-15, "distance to the face");
    assert_near(distances[1], 0.5, 1e-15, "distance to the edge"); // 0.4 and 0.3
    assert_near(missed(world, &points[0], places), 0.3, 1e-15, "the place on the face");
    assert_near(missed(world, &points[1], places + 3), 0.5, 1e-15, "the place on the edge");
    const double above[3] = {3.2, 0.7, 0.1};
    assert_ok(locate(world, sheet, above, 1, points, distances));
    assert_int_equal(points[0].kind, PBS_POINT_TRIANGLE);
    assert_near(distances[0], 0.7, 1e-15, "distance to the sheet");
    assert_near(missed(world, &points[0], above), 0.7, 1e-15, "the place on the sheet");
    pbs_world_destroy(world);
}

/// A stretched and turned brick whose own coordinates are not around its centre.
static void affine_bodies_reach_everywhere(void **state) {
    (void)state;
    static const double sides[3] = {0.4, 0.2, 0.3};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body brick;
    pbs_world *world = new_world();
    struct random random = random_seed(5);
    double x[24], places[30], distances[10];
    pbs_point points[10];
    box_surface_make(&box, sides);
    for (int i = 0; i < 24; i++) {
        box.positions[i] += i % 3;
    }
    box_surface_describe(&box, &d);
    d.orientation[0] = 0.6;
    d.orientation[3] = 0.8;
    assert_ok(pbs_body_create_affine(world, &d, &brick));
    for (int i = 0; i < 8; i++) {
        const double *from = pbs_body_positions(world, brick) + 3 * (size_t)i;
        x[3 * i] = 1.1 * from[0] + 0.2 * from[1];
        x[3 * i + 1] = from[1];
        x[3 * i + 2] = from[2] - 0.1 * from[0];
    }
    assert_ok(pbs_body_set_positions(world, brick, x, 8));
    random_fill(&random, -3.0, 3.0, places, 30);
    assert_ok(locate(world, brick, places, 10, points, distances));
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(points[i].kind, PBS_POINT_LOCAL);
        assert_near(distances[i], 0.0, 0.0, "distance");
        assert_small(missed(world, &points[i], places + 3 * i), 2e-14, "place");
    }
    assert_ok(locate(world, brick, x, 1, points, NULL));
    assert_small(testing_max_difference(points[0].place, box.positions, 3), 1e-14, "first vertex");
    pbs_world_destroy(world);
}

static void particles_are_the_nearest(void **state) {
    (void)state;
    static const double spin[3] = {0.0};
    static const double place[3] = {0.06, 0.11, -0.3};
    struct bonded_parts parts;
    pbs_world *world = new_world();
    pbs_body block;
    pbs_point point;
    double distance = 0.0;
    bonded_block(&parts, 3, 3, 3, spin);
    assert_true(pbs_body_create_bonded(world, &parts.d, &block) >= 0);
    assert_ok(locate(world, block, place, 1, &point, &distance));
    assert_int_equal(point.kind, PBS_POINT_VERTEX);
    assert_int_equal(point.index, 8); // at (0.1, 0.1, -0.1)
    assert_near(distance, sqrt(0.04 * 0.04 + 0.01 * 0.01 + 0.2 * 0.2), 1e-15, "distance");
    pbs_world_destroy(world);
}

static void refusals_write_nothing(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    static const double place[3] = {0.1, 0.1, 0.1}, bad[3] = {0.0, NAN, 0.0};
    const pbs_body none = {0};
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
    pbs_point point = {.index = 99};
    assert_status(locate(NULL, cube, place, 1, &point, NULL), PBS_ERROR_ARGUMENT);
    assert_status(locate(world, none, place, 1, &point, NULL), PBS_ERROR_HANDLE);
    assert_status(locate(world, cube, NULL, 1, &point, NULL), PBS_ERROR_ARGUMENT);
    assert_status(locate(world, cube, bad, 1, &point, NULL), PBS_ERROR_ARGUMENT);
    assert_message("places");
    assert_status(locate(world, cube, place, 1, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_locate(world, cube, place, 1, &point, 8, NULL), PBS_ERROR_STRUCT_SIZE);
    assert_int_equal(point.index, 99);
    assert_ok(locate(world, cube, NULL, 0, NULL, NULL));
    pbs_world_destroy(world);
}

static pbs_status locate_one(pbs_world *world, void *context) {
    static const double place[3] = {0.1, 0.1, 0.1};
    const pbs_body *body = context;
    pbs_point point;
    return locate(world, *body, place, 1, &point, NULL);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    struct test_allocator allocator;
    uint64_t refused = 0;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_body cube = add_cube(world, 2, 0.5, corner, NULL);
    assert_ok(refuse_until_success(&allocator, world, locate_one, &cube, &refused));
    assert_true(refused > 1);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_inside_are_found_again),
        cmocka_unit_test(places_outside_lead_to_the_nearest_face),
        cmocka_unit_test(affine_bodies_reach_everywhere),
        cmocka_unit_test(particles_are_the_nearest),
        cmocka_unit_test(refusals_write_nothing),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
