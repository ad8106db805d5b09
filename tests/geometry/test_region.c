// What touches a sphere, a box, a capsule or a cylinder: places where the gap is known, and
// samples.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/region.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/testing.h"

static const struct pose here = {.rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};

static struct region region_of(int32_t kind, double a, double b, double c,
                               const struct pose *pose) {
    const struct shape shape = {.kind = kind, .size = {a, b, c}};
    struct region out;
    region_make(&shape, pose, &out);
    return out;
}

static struct pose random_pose(struct random *random, double spread) {
    struct pose pose;
    random_rotation(random, pose.rotation);
    random_fill(random, -spread, spread, pose.translation, 3);
    return pose;
}

// --- triangles ---

/// A sphere touches a triangle if the centre's distance is below the radius, and a capsule if the
/// axis's is: both are computed by other code.
static void spheres_and_capsules_touch_by_distance(void **state) {
    (void)state;
    struct random random = random_seed(3);
    int touched = 0;
    const int rounds = testing_rounds(5000);
    for (int n = 0; n < rounds; n++) {
        const struct pose pose = random_pose(&random, 1.0);
        double x[9], ends[2][3];
        random_fill(&random, -1.5, 1.5, x, 9);
        const double *const corners[3] = {x, x + 3, x + 6};
        const double half = n % 2 == 0 ? 0.0 : 0.4;
        for (int k = 0; k < 3; k++) {
            ends[0][k] = pose.translation[k] - half * pose.rotation[3 * k + 1];
            ends[1][k] = pose.translation[k] + half * pose.rotation[3 * k + 1];
        }
        double squared = INFINITY;
        for (int e = 0; e < 2; e++) {
            const double *const nodes[PAIR_NODES] = {ends[e], x, x + 3, x + 6};
            squared = fmin(squared, closest_squared(PAIR_POINT_TRIANGLE, nodes));
        }
        for (int i = 0; i < 3; i++) {
            const double *const nodes[PAIR_NODES] = {ends[0], ends[1], corners[i],
                                                     corners[(i + 1) % 3]};
            squared = fmin(squared, closest_squared(PAIR_EDGE_EDGE, nodes));
        }
        // Axes that go through the triangle touch anyway, whatever these say.
        const double gap = sqrt(squared);
        const struct region below = region_of(half == 0.0 ? PBS_SHAPE_SPHERE : PBS_SHAPE_CAPSULE,
                                              gap * (1.0 - 1e-6), half, 0.0, &pose);
        const struct region above = region_of(half == 0.0 ? PBS_SHAPE_SPHERE : PBS_SHAPE_CAPSULE,
                                              gap * (1.0 + 1e-6), half, 0.0, &pose);
        assert_true(region_touches_triangle(&above, corners));
        touched += region_touches_triangle(&below, corners);
    }
    assert_true(touched < rounds / 8);
}

/// A triangle that cuts off a corner of a box: x + y + z = s touches the box of half extents 1
/// where s is at most 3. One flat over a face touches at no height.
static void boxes_touch_at_corners_and_faces(void **state) {
    (void)state;
    const struct region box = region_of(PBS_SHAPE_BOX, 1.0, 1.0, 1.0, &here);
    for (int i = 0; i < 8; i++) {
        const double s = 3.0 + (i < 4 ? -1.0 : 1.0) * pow(10.0, -2.0 * (i % 4) - 1.0);
        const double x[9] = {s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s};
        assert_true(region_touches_triangle(&box, (const double *[3]){x, x + 3, x + 6}) == (i < 4));
        const double y = s - 2.0;
        const double flat[9] = {-9.0, y, -9.0, 9.0, y, -9.0, 0.0, y, 9.0};
        assert_true(region_touches_triangle(&box, (const double *[3]){flat, flat + 3, flat + 6}) ==
                    (i < 4));
    }
    // Inside, and through from side to side without a corner in it.
    const double inside[9] = {0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1};
    assert_true(region_touches_triangle(&box, (const double *[3]){inside, inside + 3, inside + 6}));
    const double through[9] = {-9.0, 0.9, 0.9, 9.0, 0.9, 0.9, 9.0, 0.9, 0.91};
    assert_true(
        region_touches_triangle(&box, (const double *[3]){through, through + 3, through + 6}));
}

// --- shapes ---

/// Two spheres, a sphere and a box's corner, parallel faces of boxes, a box's corner on a plane.
static void shapes_touch_at_known_gaps(void **state) {
    (void)state;
    const struct region ball = region_of(PBS_SHAPE_SPHERE, 1.0, 0.0, 0.0, &here);
    const struct region cube = region_of(PBS_SHAPE_BOX, 1.0, 1.0, 1.0, &here);
    const struct shape sphere = {.kind = PBS_SHAPE_SPHERE, .size = {0.5}};
    const struct shape brick = {.kind = PBS_SHAPE_BOX, .size = {0.3, 0.4, 0.5}};
    const struct shape ground = {.kind = PBS_SHAPE_HALF_SPACE};
    const struct shape room = {.kind = PBS_SHAPE_BOX, .hollow = true, .size = {2.0, 2.0, 2.0}};
    for (int i = 0; i < 8; i++) {
        const double gap = (i < 4 ? -1.0 : 1.0) * pow(10.0, -2.0 * (i % 4) - 1.0);
        struct pose pose = here;
        copy3((double[3]){0.6 * (1.5 + gap), 0.8 * (1.5 + gap), 0.0}, pose.translation);
        assert_true(region_touches_shape(&ball, &sphere, &pose) == (i < 4));
        const double out = 1.0 + (0.5 + gap) / sqrt(3.0);
        copy3((double[3]){out, out, out}, pose.translation);
        assert_true(region_touches_shape(&cube, &sphere, &pose) == (i < 4));
        copy3((double[3]){1.3 + gap, 0.2, -0.1}, pose.translation);
        assert_true(region_touches_shape(&cube, &brick, &pose) == (i < 4));
        // A half-space whose plane is at the distance of the cube's corner (1, 1, 1): the frame's y
        // axis points to the cube.
        const double c = 1.0 / sqrt(3.0), d = 1.0 / sqrt(2.0), e = 1.0 / sqrt(6.0);
        const double rotation[9] = {d, -c, -e, -d, -c, -e, 0.0, -c, 2.0 * e};
        for (int k = 0; k < 9; k++) {
            pose.rotation[k] = rotation[k];
        }
        const double far = c * (sqrt(3.0) + gap);
        copy3((double[3]){far, far, far}, pose.translation);
        assert_true(region_touches_shape(&cube, &ground, &pose) == (i < 4));
        pose = here;
        pose.translation[2] = 1.0 + gap;
        assert_true(region_touches_shape(&cube, &room, &pose) == (i >= 4));
        pose.translation[2] = 1.0 - fabs(gap);
        assert_false(region_touches_shape(&cube, &room, &pose));
    }
    // One inside the other.
    const struct shape large = {.kind = PBS_SHAPE_CYLINDER, .size = {9.0, 9.0}};
    const struct shape small = {.kind = PBS_SHAPE_CAPSULE, .size = {0.01, 0.02}};
    assert_true(region_touches_shape(&ball, &large, &here));
    assert_true(region_touches_shape(&ball, &small, &here));
}

/// A common point, where samples find one, must be found; and where the region is moved off along
/// an axis by more than both sizes none is.
static void common_points_are_found(void **state) {
    (void)state;
    static const struct shape shapes[] = {
        {.kind = PBS_SHAPE_SPHERE, .size = {0.4}},
        {.kind = PBS_SHAPE_BOX, .size = {0.3, 0.5, 0.2}},
        {.kind = PBS_SHAPE_CAPSULE, .size = {0.2, 0.4}},
        {.kind = PBS_SHAPE_CYLINDER, .size = {0.3, 0.4}},
        {.kind = PBS_SHAPE_TORUS, .size = {0.5, 0.2}},
        {.kind = PBS_SHAPE_TORUS, .hollow = true, .size = {2.0, 1.9}},
    };
    struct random random = random_seed(4);
    int found = 0;
    const int rounds = testing_rounds(1000);
    for (int n = 0; n < rounds; n++) {
        const struct shape *shape = &shapes[random_index(&random, COUNT_OF(shapes))];
        struct region region;
        const struct pose mine = random_pose(&random, 0.5);
        const struct pose theirs = random_pose(&random, 0.5);
        region_make(&shapes[random_index(&random, 4)], &mine, &region);
        bool is_common = false;
        for (int s = 0; s < 300 && !is_common; s++) {
            double at[3];
            for (int k = 0; k < 3; k++) {
                at[k] = random_uniform(&random, region.low[k], region.high[k]);
            }
            is_common = shape_distance(&region.shape, &mine, at, NULL, NULL) <= 0.0 &&
                        shape_distance(shape, &theirs, at, NULL, NULL) <= 0.0;
        }
        found += is_common;
        assert_true(!is_common || region_touches_shape(&region, shape, &theirs));
        if (!shape->hollow) {
            struct pose far = theirs;
            far.translation[n % 3] += n % 2 == 0 ? 3.5 : -3.5;
            assert_false(region_touches_shape(&region, shape, &far));
        }
    }
    assert_true(found > rounds / 10 && found < rounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_and_capsules_touch_by_distance),
        cmocka_unit_test(boxes_touch_at_corners_and_faces),
        cmocka_unit_test(shapes_touch_at_known_gaps),
        cmocka_unit_test(common_points_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
