// Points of bodies: their positions and velocities, and points that are refused.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include "base/matrix3/math3.h"

static const double sides[3] = {0.4, 0.2, 0.3};

struct bodies {
    pbs_world *world;
    pbs_body cube, brick, sheet;
    struct box_surface surface;
};

/// A cube of tetrahedra, a turned affine brick and a sheet, all in affine motion: x and v of every
/// vertex are affine functions of its rest position, so those of points are known.
static void setup(struct bodies *b) {
    static const double corner[3] = {1.0, 0.0, 0.0}, away[3] = {-3.0, 0.0, 0.0};
    pbs_affine_desc d;
    b->world = new_world();
    b->cube = add_cube(b->world, 2, 0.5, corner, NULL);
    b->sheet = add_sheet(b->world, 3, 0.7, away, NULL);
    box_surface_make(&b->surface, sides);
    for (int i = 0; i < 24; i++) {
        b->surface.positions[i] += i % 3; // its own coordinates are not around its centre
    }
    box_surface_describe(&b->surface, &d);
    d.orientation[1] = 0.6;
    d.orientation[3] = 0.8;
    assert_ok(pbs_body_create_affine(b->world, &d, &b->brick));
}

static void set_linear_velocities(pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double *v = calloc(3 * count, sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < count; i++) {
        v[3 * i] = 2.0 * x[3 * i + 1] - 1.0;
        v[3 * i + 1] = 3.0 * x[3 * i + 2];
        v[3 * i + 2] = x[3 * i] + 4.0 * x[3 * i + 1];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

/// The velocity of set_linear_velocities at a place.
static void assert_moves_linearly(const pbs_world *world, const pbs_point *point) {
    double x[3], v[3];
    assert_ok(pbs_world_point_position(world, point, x));
    assert_ok(pbs_world_point_velocity(world, point, v));
    assert_near(v[0], 2.0 * x[1] - 1.0, 1e-13, "velocity along x");
    assert_near(v[1], 3.0 * x[2], 1e-13, "velocity along y");
    assert_near(v[2], x[0] + 4.0 * x[1], 1e-13, "velocity along z");
}

static void points_are_sums_of_vertices(void **state) {
    (void)state;
    struct bodies b;
    setup(&b);
    const pbs_body all[3] = {b.cube, b.brick, b.sheet};
    for (int i = 0; i < 3; i++) {
        set_linear_velocities(b.world, all[i]);
        const double *x = pbs_body_positions(b.world, all[i]);
        const uint32_t *triangles = NULL;
        size_t count = 0;
        assert_ok(pbs_body_surface(b.world, all[i], &triangles, &count));
        pbs_point p = {.struct_size = sizeof p, .body = all[i]};
        double out[3];
        p.kind = PBS_POINT_VERTEX;
        p.index = 3;
        assert_ok(pbs_world_point_position(b.world, &p, out));
        assert_small(testing_max_difference(out, x + 9, 3), 1e-15, "vertex");
        assert_moves_linearly(b.world, &p);
        p.kind = PBS_POINT_TRIANGLE;
        p.index = 2;
        p.weights[0] = 0.5;
        p.weights[1] = -0.25;
        p.weights[2] = 0.75;
        double expected[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            add_scaled3(expected, p.weights[k], x + 3 * (size_t)triangles[6 + k], expected);
        }
        assert_ok(pbs_world_point_position(b.world, &p, out));
        assert_small(testing_max_difference(out, expected, 3), 1e-15, "triangle");
        assert_moves_linearly(b.world, &p);
    }
    pbs_point inside = {.struct_size = sizeof inside,
                        .kind = PBS_POINT_TET,
                        .body = b.cube,
                        .index = 5,
                        .weights = {0.1, 0.2, 0.3, 0.4}};
    assert_moves_linearly(b.world, &inside);
    pbs_world_destroy(b.world);
}

/// Own coordinates of an affine body go through its pose: those of a vertex lead to the vertex.
static void local_points_go_through_the_pose(void **state) {
    (void)state;
    struct bodies b;
    setup(&b);
    set_linear_velocities(b.world, b.brick);
    pbs_point p = {.struct_size = sizeof p, .kind = PBS_POINT_LOCAL, .body = b.brick};
    for (size_t i = 0; i < 8; i++) {
        double out[3];
        memcpy(p.place, b.surface.positions + 3 * i, sizeof p.place);
        assert_ok(pbs_world_point_position(b.world, &p, out));
        assert_small(testing_max_difference(out, pbs_body_positions(b.world, b.brick) + 3 * i, 3),
                     1e-14, "vertex");
    }
    double position[3], origin[3];
    memset(p.place, 0, sizeof p.place);
    assert_ok(pbs_body_pose(b.world, b.brick, position, NULL));
    assert_ok(pbs_world_point_position(b.world, &p, origin));
    assert_small(testing_max_difference(origin, position, 3), 1e-14, "origin");
    assert_moves_linearly(b.world, &p);
    pbs_world_destroy(b.world);
}

static void points_of_space_rest(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_point p = {.struct_size = sizeof p, .place = {1.0, -2.0, 3.0}};
    double x[3], v[3] = {1.0, 1.0, 1.0};
    assert_ok(pbs_world_point_position(world, &p, x));
    assert_same_bits(x, p.place, 3);
    assert_ok(pbs_world_point_velocity(world, &p, v));
    assert_small(norm3(v), 0.0, "velocity");
    pbs_world_destroy(world);
}

static void foreign_points_are_refused(void **state) {
    (void)state;
    struct bodies b;
    setup(&b);
    const struct {
        pbs_point point;
        pbs_status status;
        const char *words;
    } rows[] = {
        {{.kind = 5}, PBS_ERROR_ARGUMENT, "the point is 5"},
        {{.kind = PBS_POINT_WORLD, .place = {NAN}}, PBS_ERROR_ARGUMENT, "finite"},
        {{.kind = PBS_POINT_VERTEX}, PBS_ERROR_HANDLE, "body"},
        {{.kind = PBS_POINT_VERTEX, .body = b.cube, .index = 27},
         PBS_ERROR_ARGUMENT,
         "27 vertices"},
        {{.kind = PBS_POINT_TET, .body = b.sheet, .weights = {1.0}},
         PBS_ERROR_ARGUMENT,
         "no tetrahedra"},
        {{.kind = PBS_POINT_TET, .body = b.brick, .weights = {1.0}},
         PBS_ERROR_ARGUMENT,
         "no tetrahedra"},
        {{.kind = PBS_POINT_TET, .body = b.cube, .index = 1u << 20, .weights = {1.0}},
         PBS_ERROR_ARGUMENT,
         "tetrahedra"},
        {{.kind = PBS_POINT_TRIANGLE, .body = b.cube, .index = UINT32_MAX, .weights = {1.0}},
         PBS_ERROR_ARGUMENT,
         "triangles"},
        {{.kind = PBS_POINT_TRIANGLE, .body = b.cube, .weights = {0.5, 0.4, 0.2}},
         PBS_ERROR_ARGUMENT,
         "must be 1"},
        {{.kind = PBS_POINT_TET, .body = b.cube, .weights = {2000.0, -1999.0}},
         PBS_ERROR_ARGUMENT,
         "weights[0] is 2000"},
        {{.kind = PBS_POINT_TET, .body = b.cube, .weights = {1.0, NAN}},
         PBS_ERROR_ARGUMENT,
         "weights[1]"},
        {{.kind = PBS_POINT_LOCAL, .body = b.cube}, PBS_ERROR_ARGUMENT, "coordinates of its own"},
        {{.kind = PBS_POINT_LOCAL, .body = b.brick, .place = {INFINITY}},
         PBS_ERROR_ARGUMENT,
         "must be finite"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_point p = rows[i].point;
        double out[3] = {7.0, 7.0, 7.0};
        p.struct_size = sizeof p;
        assert_status(pbs_world_point_position(b.world, &p, out), rows[i].status);
        assert_message(rows[i].words);
        assert_status(pbs_world_point_velocity(b.world, &p, out), rows[i].status);
        assert_near(out[0], 7.0, 0.0, "what the call must not touch");
    }
    pbs_point p = {.struct_size = 4};
    double out[3];
    assert_status(pbs_world_point_position(b.world, &p, out), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_point_position(b.world, NULL, out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_point_position(NULL, &p, out), PBS_ERROR_ARGUMENT);
    p.struct_size = sizeof p;
    assert_status(pbs_world_point_position(b.world, &p, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_point_velocity(b.world, &p, NULL), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(b.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_sums_of_vertices),
        cmocka_unit_test(local_points_go_through_the_pose),
        cmocka_unit_test(points_of_space_rest),
        cmocka_unit_test(foreign_points_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
