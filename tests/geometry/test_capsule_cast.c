// Paths of spheres and capsules up to triangles and shapes: against closed forms, and against the
// gap sampled along random paths.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/capsule_cast.h"
#include "geometry/distances/distance.h"
#include "geometry/exact/intersection.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/testing.h"

static const double corners[3][3] = {{-1.0, 0.0, -1.0}, {2.0, 0.0, -1.0}, {-1.0, 0.0, 2.0}};
static const double *const triangle[3] = {corners[0], corners[1], corners[2]};
static const double down[3] = {0.0, -1.0, 0.0};
static const double nothing[3] = {0.0, 0.0, 0.0};

static struct capsule_cast cast_from(double x, double y, double z, const double axis[3],
                                     double radius, const double direction[3]) {
    struct capsule_cast cast;
    capsule_cast_make((double[3]){x, y, z}, axis, radius, direction, 5.0, &cast);
    return cast;
}

// --- closed forms ---

/// On a face by the height less the radius; beside the side x = -1 by e less sqrt(r^2 - e^2);
/// beside the corner (-1, 0, -1) by e on both axes less sqrt(r^2 - 2 e^2).
static void spheres_meet_faces_sides_and_corners(void **state) {
    (void)state;
    struct capsule_hit hit;
    double weights[3];
    struct capsule_cast cast = cast_from(0.0, 3.0, 0.0, nothing, 0.5, down);
    assert_true(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
    assert_near(hit.distance, 2.5, 1e-9, "path to a face, m");
    assert_near(hit.normal[1], 1.0, 1e-12, "normal");
    assert_near(weights[0] + weights[1] + weights[2], 1.0, 1e-12, "sum of weights");
    assert_small(testing_max_difference(hit.point, nothing, 3), 1e-12, "point, m");
    assert_false(capsule_hits_triangle(&cast, triangle, 2.49, &hit, weights));
    const double e = 0.3;
    cast = cast_from(-1.0 - e, 3.0, 0.0, nothing, 0.5, down);
    assert_true(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
    assert_near(hit.distance, 3.0 - sqrt(0.25 - e * e), 1e-9, "path to a side, m");
    assert_near(hit.normal[0], -e / 0.5, 1e-8, "normal");
    cast = cast_from(-1.0 - e, 3.0, -1.0 - e, nothing, 0.5, down);
    assert_true(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
    assert_near(hit.distance, 3.0 - sqrt(0.25 - 2.0 * e * e), 1e-9, "path to a corner, m");
    assert_near(weights[0], 1.0, 1e-12, "weight of the corner");
}

/// A path that passes a side at a distance just below or above the radius. At depth d below the
/// radius r the first touch is sqrt(2 r d) before the closest place.
static void grazing_paths_are_told_from_misses(void **state) {
    (void)state;
    struct capsule_hit hit;
    double weights[3];
    const double d = 1e-7;
    struct capsule_cast cast = cast_from(-1.5 + d, 3.0, 0.0, nothing, 0.5, down);
    assert_true(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
    assert_near(hit.distance, 3.0 - sqrt(d * (1.0 - d)), 1e-6, "path to a grazed side, m");
    cast = cast_from(-1.5 - d, 3.0, 0.0, nothing, 0.5, down);
    assert_false(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
}

static void what_touches_at_the_start_has_no_path(void **state) {
    (void)state;
    struct capsule_hit hit;
    double weights[3];
    const double upright[3] = {0.0, 0.7, 0.0};
    struct capsule_cast cast = cast_from(0.0, 0.1, 0.0, upright, 0.2, down);
    assert_true(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
    assert_true(hit.distance == 0.0);
    assert_near(hit.normal[1], 1.0, 1e-12, "normal of a triangle that the axis goes through");
    // Also where it moves away.
    cast = cast_from(0.0, 0.3, 0.0, nothing, 0.4, (double[3]){0.0, 1.0, 0.0});
    assert_true(capsule_hits_triangle(&cast, triangle, INFINITY, &hit, weights));
    assert_true(hit.distance == 0.0);
}

/// A room of half extents (1, 2, 3); the inside of a ball of radius 2; a wall at the end of a pipe.
static void capsules_meet_walls_from_inside(void **state) {
    (void)state;
    struct capsule_hit hit;
    const struct pose pose = {.rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    const struct shape room = {.kind = PBS_SHAPE_BOX, .hollow = true, .size = {1.0, 2.0, 3.0}};
    const struct shape bowl = {.kind = PBS_SHAPE_SPHERE, .hollow = true, .size = {2.0}};
    const struct shape pipe = {.kind = PBS_SHAPE_CYLINDER, .hollow = true, .size = {1.0, 4.0}};
    const double axis[3] = {0.0, 0.5, 0.0};
    struct capsule_cast cast = cast_from(0.0, 0.0, 0.0, axis, 0.25, down);
    assert_true(capsule_hits_shape(&cast, &room, &pose, INFINITY, &hit));
    assert_near(hit.distance, 2.0 - 0.75, 1e-9, "path in a room, m");
    assert_near(hit.normal[1], 1.0, 1e-9, "normal of a room");
    assert_true(capsule_hits_shape(&cast, &bowl, &pose, INFINITY, &hit));
    assert_near(hit.distance, 2.0 - 0.75, 1e-9, "path in a bowl, m");
    assert_true(capsule_hits_shape(&cast, &pipe, &pose, INFINITY, &hit));
    assert_near(hit.distance, 4.0 - 0.75, 1e-9, "path in a pipe, m");
    cast = cast_from(0.0, 0.0, 0.0, axis, 0.25, (double[3]){1.0, 0.0, 0.0});
    assert_true(capsule_hits_shape(&cast, &bowl, &pose, INFINITY, &hit));
    assert_near(hit.distance, sqrt(1.75 * 1.75 - 0.25), 1e-9, "path across a bowl, m");
    assert_true(capsule_hits_shape(&cast, &pipe, &pose, INFINITY, &hit));
    assert_near(hit.distance, 0.75, 1e-9, "path across a pipe, m");
}

// --- sampled paths ---

enum { SAMPLES = 400, PLACES = 64 };

static void axis_at(const struct capsule_cast *cast, double t, double ends[2][3]) {
    add_scaled3(cast->ends[0], t, cast->direction, ends[0]);
    add_scaled3(cast->ends[1], t, cast->direction, ends[1]);
}

static double triangle_distance(const double *const x[3], double ends[2][3]) {
    double squared = INFINITY;
    if (segment_intersects_triangle(ends[0], ends[1], x)) {
        return 0.0;
    }
    for (int e = 0; e < 2; e++) {
        const double *const nodes[PAIR_NODES] = {ends[e], x[0], x[1], x[2]};
        squared = fmin(squared, closest_squared(PAIR_POINT_TRIANGLE, nodes));
    }
    for (int i = 0; i < 3; i++) {
        const double *const nodes[PAIR_NODES] = {ends[0], ends[1], x[i], x[(i + 1) % 3]};
        squared = fmin(squared, closest_squared(PAIR_EDGE_EDGE, nodes));
    }
    return sqrt(squared);
}

static double least_on_axis(const struct shape *shape, const struct pose *pose, double ends[2][3]) {
    double least = INFINITY;
    for (int i = 0; i <= PLACES; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = ends[0][k] + (ends[1][k] - ends[0][k]) * i / PLACES;
        }
        least = fmin(least, shape_distance(shape, pose, at, NULL, NULL));
    }
    return least;
}

static struct capsule_cast random_cast(struct random *random, bool is_sphere) {
    double centre[3], axis[3], direction[3], towards[3];
    random_fill(random, -3.0, 3.0, centre, 3);
    random_fill(random, -0.6, 0.6, axis, 3);
    random_fill(random, -1.0, 1.0, towards, 3);
    subtract3(towards, centre, direction);
    scale3(1.0 / norm3(direction), direction, direction);
    scale3(is_sphere ? 0.0 : 1.0, axis, axis);
    return cast_from(centre[0], centre[1], centre[2], axis, random_uniform(random, 0.05, 0.45),
                     direction);
}

/// At the hit the gap is closed; before it, and where there is none, it is open.
static void triangles_are_met_where_the_gap_closes(void **state) {
    (void)state;
    struct random random = random_seed(5);
    int hits = 0;
    const int rounds = testing_rounds(2000);
    for (int n = 0; n < rounds; n++) {
        struct capsule_cast cast = random_cast(&random, n % 2 == 0);
        double x[9];
        random_fill(&random, -1.5, 1.5, x, 9);
        const double *const own[3] = {x, x + 3, x + 6};
        struct capsule_hit hit;
        double weights[3], ends[2][3];
        const bool found = capsule_hits_triangle(&cast, own, 6.0, &hit, weights);
        const double end = found ? hit.distance : 6.0;
        for (int s = 0; s < SAMPLES; s++) {
            axis_at(&cast, end * s / SAMPLES, ends);
            assert_true(found && end == 0.0
                            ? triangle_distance(own, ends) <= cast.radius * (1.0 + 1e-9)
                            : triangle_distance(own, ends) > cast.radius);
        }
        if (found && end > 0.0) {
            axis_at(&cast, end, ends);
            assert_near(triangle_distance(own, ends), cast.radius, 1e-9, "gap at the hit, m");
            hits++;
        }
    }
    assert_true(hits > rounds / 20);
}

/// Places on the axis are sampled, so that gaps are known to the square of half their distance over
/// twice a radius of curvature; of shapes with edges, to that distance.
static void shapes_are_met_where_the_gap_closes(void **state) {
    (void)state;
    static const struct shape shapes[] = {
        {.kind = PBS_SHAPE_HALF_SPACE},
        {.kind = PBS_SHAPE_SPHERE, .size = {0.7}},
        {.kind = PBS_SHAPE_BOX, .size = {0.5, 0.7, 0.4}},
        {.kind = PBS_SHAPE_CAPSULE, .size = {0.4, 0.5}},
        {.kind = PBS_SHAPE_CYLINDER, .size = {0.4, 0.6}},
        {.kind = PBS_SHAPE_TORUS, .size = {0.8, 0.2}},
        {.kind = PBS_SHAPE_BOX, .hollow = true, .size = {5.0, 6.0, 7.0}},
        {.kind = PBS_SHAPE_SPHERE, .hollow = true, .size = {8.0}},
        {.kind = PBS_SHAPE_CAPSULE, .hollow = true, .size = {6.0, 1.0}},
        {.kind = PBS_SHAPE_CYLINDER, .hollow = true, .size = {6.0, 7.0}},
        {.kind = PBS_SHAPE_TORUS, .hollow = true, .size = {3.0, 2.9}},
    };
    struct random random = random_seed(6);
    const int rounds = testing_rounds(100);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        int hits = 0;
        for (int n = 0; n < rounds; n++) {
            const bool is_sphere = n % 2 == 0;
            struct capsule_cast cast = random_cast(&random, is_sphere);
            struct pose pose;
            double ends[2][3];
            struct capsule_hit hit;
            random_rotation(&random, pose.rotation);
            random_fill(&random, -0.3, 0.3, pose.translation, 3);
            const bool found = capsule_hits_shape(&cast, &shapes[i], &pose, 20.0, &hit);
            const double end = found ? hit.distance : 20.0;
            const double unknown = is_sphere ? 1e-9 : norm3(cast.ends[1]) * 0.02;
            for (int s = 0; s < SAMPLES && end > 0.0; s++) {
                axis_at(&cast, end * s / SAMPLES, ends);
                assert_true(least_on_axis(&shapes[i], &pose, ends) > cast.radius);
            }
            axis_at(&cast, end, ends);
            const double gap = least_on_axis(&shapes[i], &pose, ends) - cast.radius;
            if (found && end > 0.0) {
                assert_near(gap, 0.0, unknown, "gap at the hit, m");
                // From the surface's point to the axis.
                assert_near(shape_distance(&shapes[i], &pose, hit.point, NULL, NULL), 0.0, 1e-6,
                            "distance of the point, m");
                hits++;
            } else if (found) {
                assert_true(gap <= 1e-9);
            }
        }
        assert_true(hits > rounds / 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_meet_faces_sides_and_corners),
        cmocka_unit_test(grazing_paths_are_told_from_misses),
        cmocka_unit_test(what_touches_at_the_start_has_no_path),
        cmocka_unit_test(capsules_meet_walls_from_inside),
        cmocka_unit_test(triangles_are_met_where_the_gap_closes),
        cmocka_unit_test(shapes_are_met_where_the_gap_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
