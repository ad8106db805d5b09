// Walks over the rows of the table of shapes: each has what is called without asking, and what it
// says by distances, bounds, outline, surface, rays and paths is one and the same solid.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/capsule_cast.h"
#include "geometry/ray.h"
#include "geometry/region.h"
#include "geometry/shape_outline.h"
#include "geometry/shape_table.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/scenes/sample_shapes.h"
#include "support/testing.h"

enum { KINDS = 64 }; ///< more than there will be

static const struct pose at_origin = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

/// The sample of a kind; null where there is no such row, and for grids, which have no sizes.
static const struct shape *sample_of_row(int32_t kind) {
    if (shape_table_find(kind) == NULL || kind == PBS_SHAPE_GRID) {
        return NULL;
    }
    const struct shape *sample = sample_shape_of(kind);
    assert_non_null(sample); // a new row needs a line in sample_shapes.c
    assert_ok(shape_check(sample));
    return sample;
}

static bool is_bounded(const struct shape *shape) {
    double low[3], high[3];
    shape_bounds(shape, &at_origin, 0.0, low, high);
    return isfinite(norm3(low)) && isfinite(norm3(high));
}

static struct pose random_pose(struct random *random) {
    struct pose pose;
    random_rotation(random, pose.rotation);
    random_fill(random, -2.0, 2.0, pose.translation, 3);
    return pose;
}

/// A row that lacks one of these would crash or be left out elsewhere: debug lines once took every
/// shape that they did not know for a grid. Only grids are not seen by barriers.
static void every_row_is_whole(void **state) {
    (void)state;
    int rows = 0;
    for (int32_t kind = -1; kind < KINDS; kind++) {
        const struct shape_table *table = shape_table_find(kind);
        if (table == NULL) {
            assert_false(region_takes(kind));
            continue;
        }
        rows++;
        assert_non_null(table->name);
        assert_true(table->size_count >= 0 && table->size_count <= 3);
        assert_true((table->local != NULL) != (table->distance != NULL));
        assert_true((table->half_extent != NULL) != (table->bounds != NULL));
        assert_non_null(table->ray);
        assert_non_null(table->outline);
        for (int hollow = 0; hollow < 2; hollow++) {
            assert_int_equal(table->contact[hollow] == SHAPE_UNSEEN, kind == PBS_SHAPE_GRID);
            assert_true(table->contact[hollow] != SHAPE_SURFACE ||
                        (table->surface != NULL && table->point_count > 0));
        }
        // The free space next to walls is convex: beside a plane, or inside of a convex solid.
        assert_true(table->contact[0] != SHAPE_WALLS || table->is_flat);
        assert_true(table->contact[1] != SHAPE_WALLS || table->is_flat || table->is_convex);
        assert_true(!table->has_radius || (table->is_convex && table->size_count > 0));
    }
    assert_true(rows >= 7);
    assert_null(shape_table_find(PBS_SHAPE_MESH));
}

static void convex_and_bounded_rows_are_regions(void **state) {
    (void)state;
    static const int32_t no_regions[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_TORUS, PBS_SHAPE_GRID};
    static const int32_t regions[] = {PBS_SHAPE_SPHERE, PBS_SHAPE_BOX, PBS_SHAPE_CAPSULE,
                                      PBS_SHAPE_CYLINDER};
    for (size_t i = 0; i < COUNT_OF(no_regions); i++) {
        assert_false(region_takes(no_regions[i]));
    }
    for (size_t i = 0; i < COUNT_OF(regions); i++) {
        assert_true(region_takes(regions[i]));
    }
    for (int32_t kind = 0; kind < KINDS; kind++) {
        const struct shape *shape = sample_of_row(kind);
        if (shape == NULL || !region_takes(kind)) {
            continue;
        }
        const struct shape ball = {.kind = PBS_SHAPE_SPHERE, .size = {0.5}};
        struct pose beside = at_origin;
        struct region region;
        assert_true(is_bounded(shape));
        region_make(shape, &at_origin, &region);
        assert_true(region_touches_ball(&region, at_origin.translation, 0.0)); // its centre
        beside.translation[1] = region.high[1] + 0.51;
        assert_false(region_touches_shape(&region, &ball, &beside));
        assert_true(region_touches_shape(&region, &ball, &at_origin));
    }
}

// --- outlines ---

struct drawing {
    const struct shape *shape;
    const struct pose *pose;
    size_t lines;
    double low[3], high[3]; ///< m: of all ends
};

static void add_line(void *self, const double a[3], const double b[3]) {
    struct drawing *drawing = self;
    const double *const ends[2] = {a, b};
    drawing->lines++;
    for (int e = 0; e < 2; e++) {
        assert_small(fabs(shape_distance(drawing->shape, drawing->pose, ends[e], NULL, NULL)),
                     1e-14, "distance of an outline's end, m");
        for (int k = 0; k < 3; k++) {
            drawing->low[k] = fmin(drawing->low[k], ends[e][k]);
            drawing->high[k] = fmax(drawing->high[k], ends[e][k]);
        }
    }
}

/// Lines end on the surface, and reach the bounds of what has some.
static void outlines_lie_on_surfaces_and_fill_bounds(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int32_t kind = 0; kind < 2 * KINDS; kind++) {
        const struct shape *shape = sample_of_row(kind / 2);
        if (shape == NULL) {
            continue;
        }
        const struct pose pose = kind % 2 == 0 ? at_origin : random_pose(&random);
        struct drawing drawing = {.shape = shape,
                                  .pose = &pose,
                                  .low = {INFINITY, INFINITY, INFINITY},
                                  .high = {-INFINITY, -INFINITY, -INFINITY}};
        double low[3], high[3];
        shape_outline(shape, &pose, 1.0, add_line, &drawing);
        assert_true(drawing.lines >= 4);
        shape_bounds(shape, &pose, 0.0, low, high);
        for (int k = 0; k < 3 && kind % 2 == 0 && is_bounded(shape); k++) {
            assert_near(drawing.low[k], low[k], 1e-14, "lower end of an outline, m");
            assert_near(drawing.high[k], high[k], 1e-14, "upper end of an outline, m");
        }
    }
}

// --- rays and paths ---

/// Rays from where the distance is positive: no hit is nearer than that distance, and where there
/// is one the distance is 0 and its gradient the normal. What the ray passes before is outside.
static void rays_end_where_the_distance_is_zero(void **state) {
    (void)state;
    struct random random = random_seed(2);
    for (int32_t kind = 0; kind < 2 * KINDS; kind++) {
        const struct shape *sample = sample_of_row(kind / 2);
        if (sample == NULL) {
            continue;
        }
        int hits = 0;
        struct shape shape = *sample;
        shape.hollow = kind % 2 == 1;
        for (int n = 0; n < 2000; n++) {
            const struct pose pose = random_pose(&random);
            double origin[3], direction[3], normal[3], gradient[3], at[3];
            double distance = 0.0;
            struct ray ray;
            random_fill(&random, -1.0, 1.0, origin, 3);
            add3(origin, pose.translation, origin);
            random_unit(&random, direction);
            const double phi = shape_distance(&shape, &pose, origin, NULL, NULL);
            ray_make(origin, direction, &ray);
            if (phi < 0.0 || !ray_hits_shape(&ray, &shape, &pose, INFINITY, &distance, normal)) {
                continue;
            }
            hits++;
            assert_true(distance >= phi * (1.0 - 1e-12));
            for (int i = 0; i < 50; i++) {
                add_scaled3(origin, distance * (1.0 - 1e-9) * i / 50.0, ray.direction, at);
                assert_true(shape_distance(&shape, &pose, at, NULL, NULL) > -1e-12);
            }
            add_scaled3(origin, distance, ray.direction, at);
            assert_small(fabs(shape_distance(&shape, &pose, at, gradient, NULL)), 1e-12,
                         "distance of the hit, m");
            add_scaled3(at, 1e-7, normal, at);
            assert_near(shape_distance(&shape, &pose, at, gradient, NULL), 1e-7, 1e-12,
                        "distance along the normal, m");
        }
        assert_true(hits > 20);
    }
}

/// Spheres of a tenth touch where the distance of their centre is their radius, coming from outside
/// of the solid, or from the middle of the hollow one.
static void spheres_touch_where_the_distance_is_their_radius(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (int32_t kind = 0; kind < 2 * KINDS; kind++) {
        const struct shape *sample = sample_of_row(kind / 2);
        if (sample == NULL) {
            continue;
        }
        int hits = 0;
        struct shape shape = *sample;
        shape.hollow = kind % 2 == 1;
        for (int n = 0; n < 2000; n++) {
            const struct pose pose = random_pose(&random);
            struct capsule_cast cast;
            struct capsule_hit hit;
            double centre[3], direction[3], at[3];
            random_fill(&random, -1.0, 1.0, centre, 3);
            add3(centre, pose.translation, centre);
            random_unit(&random, direction);
            capsule_cast_make(centre, (double[3]){0.0, 0.0, 0.0}, 0.1, direction, 5.0, &cast);
            if (shape_distance(&shape, &pose, centre, NULL, NULL) <= 0.1 ||
                !capsule_hits_shape(&cast, &shape, &pose, 10.0, &hit)) {
                continue;
            }
            hits++;
            for (int i = 0; i < 50; i++) {
                add_scaled3(centre, hit.distance * (1.0 - 1e-6) * i / 50.0, direction, at);
                assert_true(shape_distance(&shape, &pose, at, NULL, NULL) > 0.1 - 1e-9);
            }
            add_scaled3(centre, hit.distance, direction, at);
            assert_near(shape_distance(&shape, &pose, at, NULL, NULL), 0.1, 1e-9, "distance, m");
        }
        assert_true(hits > 5);
    }
}

/// Of a shape that has a radius, the first of its hollow pieces with that radius less by d.
static void smaller_radii_are_parallel_surfaces(void **state) {
    (void)state;
    struct random random = random_seed(4);
    int rows = 0;
    for (int32_t kind = 0; kind < KINDS; kind++) {
        const struct shape *sample = sample_of_row(kind);
        if (sample == NULL || !shape_table_of(sample)->has_radius) {
            continue;
        }
        rows++;
        for (int n = 0; n < 300; n++) {
            const struct pose pose = random_pose(&random);
            struct shape_piece pieces[SHAPE_PIECES];
            struct shape hollow = *sample;
            double x[3];
            hollow.hollow = true;
            (void)shape_pieces(&hollow, &pose, pieces);
            random_fill(&random, -1.0, 1.0, x, 3);
            add3(x, pose.translation, x);
            struct shape *piece = &pieces[0].shape;
            const double d = shape_distance(piece, &pieces[0].pose, x, NULL, NULL);
            if (d > 0.0 && d < 0.99 * piece->size[0]) {
                piece->size[0] -= d;
                assert_small(fabs(shape_distance(piece, &pieces[0].pose, x, NULL, NULL)), 1e-14,
                             "distance from the parallel surface, m");
            }
        }
    }
    assert_true(rows >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(convex_and_bounded_rows_are_regions),
        cmocka_unit_test(outlines_lie_on_surfaces_and_fill_bounds),
        cmocka_unit_test(rays_end_where_the_distance_is_zero),
        cmocka_unit_test(spheres_touch_where_the_distance_is_their_radius),
        cmocka_unit_test(smaller_radii_are_parallel_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
