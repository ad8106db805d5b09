// Rays: watertight on meshes that they hit at corners and along edges; compared with extended
// precision on single triangles; shapes compared with sphere tracing of the signed distance.
// SPDX-License-Identifier: MIT
#include "geometry/ray.h"

#include "base/matrix3/math3.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/testing.h"

// --- triangles ---

/// An icosahedron about the origin whose triangles are divided into four, `CUTS` times.
enum { CUTS = 3, TRIANGLES = 20 << 2 * CUTS };

struct ball {
    double x[TRIANGLES][3][3];
    size_t count;
};

static void make_ball(struct ball *ball) {
    static const double p = 0.5257311121191336;
    static const double q = 0.8506508083520399;
    static const double corners[12][3] = {{-p, 0, q}, {p, 0, q},  {-p, 0, -q}, {p, 0, -q},
                                          {0, q, p},  {0, q, -p}, {0, -q, p},  {0, -q, -p},
                                          {q, p, 0},  {-q, p, 0}, {q, -p, 0},  {-q, -p, 0}};
    static const int faces[20][3] = {{0, 4, 1},  {0, 9, 4},  {9, 5, 4},  {4, 5, 8},  {4, 8, 1},
                                     {8, 10, 1}, {8, 3, 10}, {5, 3, 8},  {5, 2, 3},  {2, 7, 3},
                                     {7, 10, 3}, {7, 6, 10}, {7, 11, 6}, {11, 0, 6}, {0, 1, 6},
                                     {6, 1, 10}, {9, 0, 11}, {9, 11, 2}, {9, 2, 5},  {7, 2, 11}};
    ball->count = 20;
    for (size_t i = 0; i < 20; i++) {
        for (size_t k = 0; k < 3; k++) {
            copy3(corners[faces[i][k]], ball->x[i][k]);
        }
    }
    for (int cut = 0; cut < CUTS; cut++) {
        for (size_t i = ball->count; i-- > 0;) {
            double corner[3][3];
            double middle[3][3];
            memcpy(corner, ball->x[i], sizeof corner);
            for (size_t k = 0; k < 3; k++) {
                // The sum of two does not depend on their order, so neighbours share their
                // midpoint.
                add3(corner[k], corner[(k + 1) % 3], middle[k]);
                scale3(1.0 / norm3(middle[k]), middle[k], middle[k]);
            }
            for (size_t k = 0; k < 3; k++) {
                copy3(corner[k], ball->x[4 * i + k][0]);
                copy3(middle[k], ball->x[4 * i + k][1]);
                copy3(middle[(k + 2) % 3], ball->x[4 * i + k][2]);
                copy3(middle[k], ball->x[4 * i + 3][k]);
            }
        }
        ball->count *= 4;
    }
}

static size_t hits_of(const struct ball *ball, const double origin[3], const double direction[3]) {
    struct ray ray;
    size_t hits = 0;
    ray_make(origin, direction, &ray);
    for (size_t i = 0; i < ball->count; i++) {
        const double *const corners[3] = {ball->x[i][0], ball->x[i][1], ball->x[i][2]};
        double distance = 0.0;
        double weight[3];
        if (ray_hits_triangle(&ray, corners, INFINITY, &distance, weight)) {
            hits++;
            for (int k = 0; k < 3; k++) {
                assert_true(weight[k] >= 0.0 && weight[k] <= 1.0);
                double at = origin[k] + distance * ray.direction[k];
                for (int c = 0; c < 3; c++) {
                    at -= weight[c] * corners[c][k];
                }
                assert_small(fabs(at), 1e-14, "place on the ray and in the triangle, m");
            }
        }
    }
    return hits;
}

/// From inside, towards corners, points on edges and elsewhere, a ray always hits.
static void nothing_leaves_a_ball(void **state) {
    (void)state;
    static struct ball ball;
    struct random random = random_seed(3);
    make_ball(&ball);
    assert_int_equal(ball.count, TRIANGLES);
    size_t several = 0;
    const size_t count = testing_is_small() ? 500 : 6000;
    for (size_t n = 0; n < count; n++) {
        const size_t i = random_index(&random, ball.count);
        const double share = n % 3 == 0 ? 0.0 : random_uniform(&random, 0.0, 1.0);
        double origin[3];
        double target[3];
        double direction[3];
        random_fill(&random, -0.5, 0.5, origin, 3);
        if (n % 7 == 0) {
            scale3(0.0, origin, origin);
        }
        scale3(1.0 - share, ball.x[i][0], target);
        add_scaled3(target, share, ball.x[i][1], target);
        subtract3(target, origin, direction);
        if (n % 5 == 4) {
            random_unit(&random, direction);
        }
        // The length of the direction does not matter.
        scale3(n % 2 == 0 ? 1e-200 : 1e200, direction, direction);
        const size_t hits = hits_of(&ball, origin, direction);
        assert_true(hits >= 1);
        several += hits > 1;
    }
    assert_true(several > count / 20); // corners and edges were in fact hit
}

/// Along axes and diagonals through the corners of a grid of squares, each divided into two
/// triangles.
static void nothing_falls_through_a_grid(void **state) {
    (void)state;
    static const double directions[4][3] = {
        {0.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {-1.0, -3.0, 1.0}, {0.3, -0.7, 0.1}};
    for (int n = 0; n < 4 * 81; n++) {
        const double *d = directions[n % 4];
        const double target[3] = {0.5 * (n / 4 % 9) + 1.0, 0.0, 0.5 * (n / 36) + 1.0};
        double origin[3];
        size_t hits = 0;
        add_scaled3(target, -4.0, d, origin);
        struct ray ray;
        ray_make(origin, d, &ray);
        for (int t = 0; t < 72; t++) {
            const double a = t / 2 % 6;
            const double b = t / 12;
            const double corner[4][3] = {
                {a, 0, b}, {a + 1, 0, b}, {a + 1, 0, b + 1}, {a, 0, b + 1}};
            const double *const corners[3] = {corner[0], corner[t % 2 + 1], corner[t % 2 + 2]};
            double distance = 0.0;
            double weight[3];
            hits += ray_hits_triangle(&ray, corners, INFINITY, &distance, weight);
        }
        assert_true(hits >= 1);
    }
}

/// Random triangles and rays: the answer of extended precision, unless it is within rounding of
/// changing. Also tests limits and triangles behind the origin.
static void triangles_are_met_where_they_are(void **state) {
    (void)state;
    struct random random = random_seed(4);
    size_t met = 0;
    for (int n = 0; n < 20000; n++) {
        double x[3][3];
        double origin[3];
        double direction[3];
        random_fill(&random, -1.0, 1.0, x[0], 9);
        random_fill(&random, -1.0, 1.0, origin, 3);
        random_unit(&random, direction);
        // Moller and Trumbore: o + t d = a + u (b - a) + v (c - a).
        long double e[3];
        long double f[3];
        long double s[3];
        long double p[3];
        long double q[3];
        for (int k = 0; k < 3; k++) {
            e[k] = (long double)x[1][k] - x[0][k];
            f[k] = (long double)x[2][k] - x[0][k];
            s[k] = (long double)origin[k] - x[0][k];
        }
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3;
            const int b = (k + 2) % 3;
            p[k] = direction[a] * f[b] - direction[b] * f[a];
            q[k] = s[a] * e[b] - s[b] * e[a];
        }
        const long double det = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
        const long double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det;
        const long double v = (q[0] * direction[0] + q[1] * direction[1] + q[2] * direction[2]) /
                              det;
        const long double t = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / det;
        const double inside = (double)fminl(fminl(u, v), fminl(1.0L - u - v, t));
        const double *const corners[3] = {x[0], x[1], x[2]};
        struct ray ray;
        double distance = 0.0;
        double weight[3];
        ray_make(origin, direction, &ray);
        const bool hit = ray_hits_triangle(&ray, corners, INFINITY, &distance, weight);
        // Coordinates and their products are rounded to 1e-16; det divides that error.
        const double rounding = 1e-14 / fabs((double)det);
        if (fabs(inside) > rounding) {
            assert_true(hit == (inside > 0.0));
        }
        if (hit && fabs(inside) > rounding) {
            met++;
            assert_near(distance, (double)t, rounding, "distance, m");
            assert_near(weight[1], (double)u, rounding, "weight");
            assert_near(weight[2], (double)v, rounding, "weight");
            double same = 0.0;
            assert_true(ray_hits_triangle(&ray, corners, distance, &same, weight));
            assert_false(ray_hits_triangle(&ray, corners, 0.999999 * distance, &same, weight));
        }
    }
    assert_true(met > 400);
}

/// Corners in a plane with the ray, up to rounding. If such a triangle is met, the point given by
/// the weights is on the ray, although all edge functions are differences of nearly equal numbers.
static void triangles_seen_from_their_edge_are_met_on_the_ray(void **state) {
    (void)state;
    struct random random = random_seed(6);
    size_t met = 0;
    for (int n = 0; n < 20000; n++) {
        double x[3][3];
        double origin[3];
        double direction[3];
        double across[3];
        random_fill(&random, -1.0, 1.0, origin, 3);
        random_unit(&random, direction);
        random_unit(&random, across);
        const double off = exp2(random_uniform(&random, -60.0, -30.0));
        for (int k = 0; k < 3; k++) {
            add_scaled3(origin, random_uniform(&random, -1.0, 1.0), direction, x[k]);
            add_scaled3(x[k], random_uniform(&random, -1.0, 1.0), across, x[k]);
            for (int i = 0; i < 3; i++) {
                x[k][i] += random_uniform(&random, -off, off);
            }
        }
        const double *const corners[3] = {x[0], x[1], x[2]};
        struct ray ray;
        double distance = 0.0;
        double weight[3];
        ray_make(origin, direction, &ray);
        if (ray_hits_triangle(&ray, corners, INFINITY, &distance, weight)) {
            double at[3];
            met++;
            add_scaled3(origin, distance, ray.direction, at);
            for (int k = 0; k < 3; k++) {
                add_scaled3(at, -weight[k], x[k], at);
            }
            // Edge functions are accurate to 8 roundings, coordinates (below 3) to one.
            assert_small(norm3(at), 3.0 * 3.0 * 9.0 * 0x1p-52,
                         "place on the ray and in the triangle, m");
        }
    }
    assert_true(met > 1000);
}

static void flat_triangles_are_not_met(void **state) {
    (void)state;
    static const double x[3][3] = {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
    static const double upright[3][3] = {{0, 0, 1}, {0, 0, 2}, {0, 1, 1}};
    const double *const line[3] = {x[0], x[1], x[2]};
    const double *const edge_on[3] = {upright[0], upright[1], upright[2]};
    const double origin[3] = {0.0, 0.0, 0.0};
    double distance = 0.0;
    double weight[3];
    struct ray ray;
    ray_make(origin, (double[3]){0.5, 0.0, 1.0}, &ray);
    assert_false(ray_hits_triangle(&ray, line, INFINITY, &distance, weight));
    ray_make(origin, (double[3]){0.0, 0.2, 1.0}, &ray);
    assert_false(ray_hits_triangle(&ray, edge_on, INFINITY, &distance, weight));
}

// --- shapes ---

/// Sphere tracing along the ray, which cannot step over the boundary.
static bool walk(const struct ray *ray, const struct shape *shape, const struct pose *pose,
                 double limit, double *distance) {
    double t = 0.0;
    for (int n = 0; n < 100000 && t <= limit; n++) {
        double at[3];
        add_scaled3(ray->origin, t, ray->direction, at);
        const double left = fabs(shape_distance(shape, pose, at, NULL, NULL));
        if (left < 1e-9) {
            *distance = t;
            return true;
        }
        t += left;
    }
    return false;
}

/// Rays from inside and outside, for solid and hollow shapes at any pose. Grazing rays are left
/// out: sphere tracing stops 1e-9 m before the boundary, which at an angle of a is 1e-9 / sin a
/// along the ray.
static void shapes_are_met_where_their_distance_is_zero(void **state) {
    (void)state;
    static const int32_t kinds[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_SPHERE,   PBS_SHAPE_BOX,
                                    PBS_SHAPE_CAPSULE,    PBS_SHAPE_CYLINDER, PBS_SHAPE_TORUS};
    struct random random = random_seed(8);
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        size_t met = 0;
        size_t missed = 0;
        const size_t count = testing_is_small() ? 200 : 2000;
        for (size_t n = 0; n < count; n++) {
            struct shape shape = {.kind = kinds[kind],
                                  .hollow = n % 2 == 1,
                                  .size = {random_uniform(&random, 0.2, 1.0),
                                           random_uniform(&random, 0.2, 1.0),
                                           random_uniform(&random, 0.2, 1.0)}};
            struct pose pose;
            if (shape.kind == PBS_SHAPE_TORUS) {
                shape.size[1] *= 0.9 * shape.size[0];
            }
            random_rotation(&random, pose.rotation);
            random_fill(&random, -0.5, 0.5, pose.translation, 3);
            double origin[3];
            double direction[3];
            random_fill(&random, -1.5, 1.5, origin, 3);
            random_unit(&random, direction);
            struct ray ray;
            double walked = 0.0;
            double distance = 0.0;
            double normal[3];
            ray_make(origin, direction, &ray);
            const bool expected = walk(&ray, &shape, &pose, 10.0, &walked);
            const bool hit = ray_hits_shape(&ray, &shape, &pose, 10.0, &distance, normal);
            if (!hit) {
                // Sphere tracing has stopped near a boundary that the ray passes.
                double gradient[3];
                double at[3];
                add_scaled3(origin, walked, direction, at);
                shape_distance(&shape, &pose, at, gradient, NULL);
                assert_true(!expected || fabs(dot3(gradient, direction)) < 1e-3);
                missed++;
                continue;
            }
            met++;
            double at[3];
            double gradient[3];
            add_scaled3(origin, distance, direction, at);
            const double off = shape_distance(&shape, &pose, at, gradient, NULL);
            assert_small(fabs(off), 1e-11, "distance of the place met, m");
            assert_near(norm3(normal), 1.0, 1e-14, "a normal's length");
            if (fabs(dot3(normal, direction)) > 1e-3) {
                assert_true(expected);
                assert_near(distance, walked, 2e-6, "distance, m");
                // The normal points out of the solid: a step along it leads to the outside.
                add_scaled3(at, 1e-6, normal, at);
                assert_true(shape_distance(&shape, &pose, at, NULL, NULL) > 0.0);
                double none = 0.0;
                assert_false(ray_hits_shape(&ray, &shape, &pose, 0.999 * distance, &none, normal));
            }
        }
        assert_true(met > count / 20 && missed > 0);
    }
}

/// From inside a solid of any kind a ray always meets the boundary, also where faces join.
static void nothing_leaves_a_solid(void **state) {
    (void)state;
    static const int32_t kinds[] = {PBS_SHAPE_SPHERE, PBS_SHAPE_BOX, PBS_SHAPE_CAPSULE,
                                    PBS_SHAPE_CYLINDER};
    struct random random = random_seed(9);
    for (int n = 0; n < 4000; n++) {
        const struct shape shape = {.kind = kinds[n % 4], .size = {0.5, 0.25, 0.75}};
        struct pose pose = {.translation = {0.0}};
        random_rotation(&random, pose.rotation);
        // Towards corners of the box, the rim of the cylinder, and the seam between a capsule's
        // side and cap.
        const double angle = random_uniform(&random, 0.0, 6.3);
        const double corner[3] = {n % 8 < 4 ? 0.5 : 0.5 * cos(angle), 0.25,
                                  n % 4 == 1 ? 0.75 : 0.5 * sin(angle)};
        double direction[3];
        multiply3(pose.rotation, corner, direction);
        struct ray ray;
        double distance = 0.0;
        double normal[3];
        ray_make(pose.translation, direction, &ray);
        assert_true(ray_hits_shape(&ray, &shape, &pose, 2.0, &distance, normal));
    }
}

/// A ray through a ring meets it at four points, each the nearest for a ray that starts behind the
/// one before. Along a line over its middle they are at -0.8, -0.4, 0.4 and 0.8. From the hole
/// along the axis it is missed.
static void a_ring_is_met_four_times(void **state) {
    (void)state;
    static const double places[4] = {-0.8, -0.4, 0.4, 0.8};
    const struct shape ring = {.kind = PBS_SHAPE_TORUS, .size = {0.6, 0.2}};
    const struct pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double distance = 0.0;
    double normal[3];
    struct ray ray;
    for (int i = 0; i < 4; i++) {
        const double from = i == 0 ? -100.0 : places[i - 1] + 1e-3;
        ray_make((double[3]){from, 0.0, 0.0}, (double[3]){2.0, 0.0, 0.0}, &ray);
        assert_true(ray_hits_shape(&ray, &ring, &pose, INFINITY, &distance, normal));
        // Rounding of 100 m.
        assert_near(from + distance, places[i], 1e-13, "m");
        assert_near(normal[0], i % 2 == 0 ? -1.0 : 1.0, 1e-14, "normal");
    }
    ray_make((double[3]){0.81, 0.0, 0.0}, (double[3]){1.0, 0.0, 0.0}, &ray);
    assert_false(ray_hits_shape(&ray, &ring, &pose, INFINITY, &distance, normal));
    ray_make((double[3]){0.0, 5.0, 0.1}, (double[3]){0.0, -1.0, 0.0}, &ray);
    assert_false(ray_hits_shape(&ray, &ring, &pose, INFINITY, &distance, normal));
    // Onto its top from above, with a limit before it, and just beyond its rim.
    ray_make((double[3]){0.0, 5.0, 0.6}, (double[3]){0.0, -1.0, 0.0}, &ray);
    assert_true(ray_hits_shape(&ray, &ring, &pose, INFINITY, &distance, normal));
    assert_near(distance, 4.8, 1e-14, "m");
    assert_false(ray_hits_shape(&ray, &ring, &pose, 4.79, &distance, normal));
}

/// A ray that is parallel to a plane but for rounding would meet it at infinity: that once was a
/// hit, at a place that is not a number.
static void nothing_is_met_at_infinity(void **state) {
    (void)state;
    static const struct pose here = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    static const double corners[3][3] = {{-1e30, 0.0, -1e30}, {1e30, 0.0, -1e30}, {0.0, 0.0, 1e30}};
    const double *const triangle[3] = {corners[0], corners[1], corners[2]};
    static const int32_t kinds[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_SPHERE,   PBS_SHAPE_BOX,
                                    PBS_SHAPE_CAPSULE,    PBS_SHAPE_CYLINDER, PBS_SHAPE_TORUS};
    static const double slopes[] = {-1e-308, -1e-310, -1e-320, -5e-324, 1e-310};
    for (size_t i = 0; i < COUNT_OF(slopes); i++) {
        struct ray ray;
        double distance, normal[3], weight[3];
        ray_make((const double[3]){0.0, 9.0, 0.0}, (const double[3]){1.0, slopes[i], 0.0}, &ray);
        for (size_t k = 0; k < 2 * COUNT_OF(kinds); k++) {
            const struct shape shape = {
                .kind = kinds[k / 2], .hollow = k % 2, .size = {3.0, 1.0, 1.0}};
            if (ray_hits_shape(&ray, &shape, &here, INFINITY, &distance, normal)) {
                assert_true(isfinite(distance));
                // Only planes are as far away as 1e308 m.
                assert_true(kinds[k / 2] == PBS_SHAPE_HALF_SPACE && slopes[i] == -1e-308);
            }
        }
        assert_true(!ray_hits_triangle(&ray, triangle, INFINITY, &distance, weight) ||
                    isfinite(distance));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_leaves_a_ball),
        cmocka_unit_test(nothing_falls_through_a_grid),
        cmocka_unit_test(triangles_are_met_where_they_are),
        cmocka_unit_test(triangles_seen_from_their_edge_are_met_on_the_ray),
        cmocka_unit_test(flat_triangles_are_not_met),
        cmocka_unit_test(shapes_are_met_where_their_distance_is_zero),
        cmocka_unit_test(nothing_leaves_a_solid),
        cmocka_unit_test(nothing_is_met_at_infinity),
        cmocka_unit_test(a_ring_is_met_four_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
