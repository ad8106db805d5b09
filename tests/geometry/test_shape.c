// Compares signed distances of shapes with nearest points found by search, and their derivatives
// with finite differences. Tests hollow shapes against solid ones, poses, and bounds.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/shape.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/scenes/sample_shapes.h"
#include "support/testing.h"

static const struct pose at_origin = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static struct random random_numbers;

static double uniform(double low, double high) {
    return random_uniform(&random_numbers, low, high);
}

static void random_point(double reach, double x[3]) {
    random_fill(&random_numbers, -reach, reach, x, 3);
}

static struct pose random_pose(void) {
    struct pose pose;
    random_rotation(&random_numbers, pose.rotation);
    random_point(3.0, pose.translation);
    return pose;
}

// The shapes as sets, defined without distances.
static bool inside(const struct shape *s, const double p[3]) {
    const double rho = sqrt(p[0] * p[0] + p[2] * p[2]);
    const double y = fmax(fabs(p[1]) - s->size[1], 0.0);
    switch (s->kind) {
    case PBS_SHAPE_SPHERE: return norm3(p) <= s->size[0];
    case PBS_SHAPE_BOX:
        return fabs(p[0]) <= s->size[0] && fabs(p[1]) <= s->size[1] && fabs(p[2]) <= s->size[2];
    case PBS_SHAPE_CAPSULE: return rho * rho + y * y <= s->size[0] * s->size[0];
    case PBS_SHAPE_CYLINDER: return rho <= s->size[0] && y == 0.0;
    case PBS_SHAPE_TORUS:
        return (rho - s->size[0]) * (rho - s->size[0]) + p[1] * p[1] <= s->size[1] * s->size[1];
    default: return p[1] <= 0.0;
    }
}

// Finds where the segment from a to b, on different sides of the surface, crosses it.
static double crossing(const struct shape *s, const double a[3], const double b[3]) {
    double low = 0.0, high = 1.0;
    const bool first = inside(s, a);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        double p[3], ab[3];
        subtract3(b, a, ab);
        add_scaled3(a, middle, ab, p);
        if (inside(s, p) == first) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Whether the surface is within 1e-12 of the foot of p: behind it or, at a corner sharper than a
// right angle, in one of many directions from it.
static bool crosses_near(const struct shape *s, const double foot[3], const double p[3],
                         const double n[3], double phi) {
    double q[3], u[3];
    add_scaled3(foot, -copysign(1e-12, phi), n, q);
    for (int direction = 0; direction < 1000 && inside(s, q) == inside(s, p); direction++) {
        random_unit(&random_numbers, u);
        add_scaled3(foot, 1e-12, u, q);
    }
    return inside(s, q) != inside(s, p);
}

// phi| is the radius of the largest ball about p on p's side of the surface: no direction crosses
// the surface before it, and the gradient's direction crosses it there.
static void distance_is_to_the_nearest_point(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        const struct shape *shape = sample_shapes + s;
        for (int trial = 0; trial < 300; trial++) {
            double p[3], n[3], through[3];
            random_point(1.5, p);
            const double phi = shape_distance(shape, &at_origin, p, n, NULL);
            assert_int_equal(phi < 0.0, inside(shape, p));
            add_scaled3(p, -1.5 * phi, n, through);
            // No other part of the shape is within half the distance behind the nearest point,
            // unless the shape is thin.
            if (inside(shape, through) != inside(shape, p)) {
                assert_true(fabs(crossing(shape, p, through) * 1.5 * fabs(phi) - fabs(phi)) <
                            1e-14);
            }
            double foot[3], just_short[3];
            add_scaled3(p, -phi, n, foot);
            add_scaled3(foot, copysign(1e-12, phi), n, just_short);
            assert_int_equal(inside(shape, just_short), inside(shape, p));
            assert_true(crosses_near(shape, foot, p, n, phi));
            for (int direction = 0; direction < 200; direction++) {
                double u[3], q[3];
                random_unit(&random_numbers, u);
                add_scaled3(p, fabs(phi) * (1.0 - 1e-12), u, q);
                assert_int_equal(inside(shape, q), inside(shape, p));
            }
        }
    }
}

// Returns false near a kink, where the gradient changes by more than curvature explains.
static bool is_smooth(const struct shape *shape, const struct pose *pose, const double x[3],
                      double h) {
    double g[3], other[3], change[3], q[3];
    shape_distance(shape, pose, x, g, NULL);
    for (int i = 0; i < 3; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            copy3(x, q);
            q[i] += sign * h;
            shape_distance(shape, pose, q, other, NULL);
            subtract3(other, g, change);
            if (norm3(change) > 50.0 * h) {
                return false;
            }
        }
    }
    return true;
}

// Second derivatives jump where the nearest feature changes from a face to an edge.
static bool is_twice_smooth(const struct shape *shape, const struct pose *pose, const double x[3],
                            double h) {
    double a[9], b[9], q[3];
    shape_distance(shape, pose, x, NULL, a);
    for (int i = 0; i < 6; i++) {
        copy3(x, q);
        q[i / 2] += i % 2 ? h : -h;
        shape_distance(shape, pose, q, NULL, b);
        for (int e = 0; e < 9; e++) {
            if (fabs(a[e] - b[e]) > 1e4 * h) {
                return false;
            }
        }
    }
    return true;
}

// Central differences with step 1e-5: rounding 1e-16 * 10 / 1e-5 = 1e-10, plus a third of h^2 times
// derivatives, which the two tests above bound.
static void derivatives_match_finite_differences(void **state) {
    (void)state;
    const double h = 1e-5;
    for (int s = 0; s < 2 * sample_shape_count; s++) {
        struct shape shape = sample_shapes[s / 2];
        shape.hollow = s % 2;
        int smooth_count = 0;
        for (int trial = 0; trial < 1000; trial++) {
            const struct pose pose = random_pose();
            double x[3], g[3], hessian[9];
            random_point(1.5, x);
            add3(x, pose.translation, x);
            shape_distance(&shape, &pose, x, g, hessian);
            assert_true(fabs(norm3(g) - 1.0) < 1e-14);
            if (!is_smooth(&shape, &pose, x, h) || !is_twice_smooth(&shape, &pose, x, h)) {
                continue;
            }
            smooth_count++;
            for (int i = 0; i < 3; i++) {
                double plus[3], minus[3], g_plus[3], g_minus[3];
                copy3(x, plus);
                copy3(x, minus);
                plus[i] += h;
                minus[i] -= h;
                const double rise = shape_distance(&shape, &pose, plus, g_plus, NULL) -
                                    shape_distance(&shape, &pose, minus, g_minus, NULL);
                assert_true(fabs(rise / (2.0 * h) - g[i]) < 1e-7);
                for (int j = 0; j < 3; j++) {
                    assert_true(fabs((g_plus[j] - g_minus[j]) / (2.0 * h) - hessian[3 * i + j]) <
                                1e-6 * (1.0 + fabs(hessian[3 * i + j])));
                }
            }
        }
        // Most samples must be away from kinks; otherwise the test would be empty.
        assert_true(smooth_count > 900);
    }
}

// grad phi| = 1 everywhere, so the gradient is in the null space of the Hessian, which is symmetric
// to the bit. The value does not depend on which derivatives are requested.
static void hessian_is_symmetric_and_kills_the_gradient(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        for (int trial = 0; trial < 1000; trial++) {
            const struct pose pose = random_pose();
            double x[3], g[3], hessian[9], product[3];
            random_point(2.0, x);
            add3(x, pose.translation, x);
            const double phi = shape_distance(sample_shapes + s, &pose, x, g, hessian);
            assert_true(phi == shape_distance(sample_shapes + s, &pose, x, NULL, NULL));
            multiply3(hessian, g, product);
            double size = 1.0;
            for (int e = 0; e < 9; e++) {
                size = fmax(size, fabs(hessian[e]));
                assert_true(hessian[e] == hessian[e % 3 * 3 + e / 3]);
            }
            assert_true(norm3(product) < 1e-14 * size);
        }
    }
}

// Regions of a box with known values: a face, an edge, a corner and the inside.
static void box_has_the_curvature_of_what_is_nearest(void **state) {
    (void)state;
    const struct shape box = {.kind = PBS_SHAPE_BOX, .size = {1.0, 1.0, 1.0}};
    double g[3], h[9];
    assert_true(shape_distance(&box, &at_origin, (const double[3]){0.2, 1.5, 0.3}, g, h) == 0.5);
    for (int e = 0; e < 9; e++) {
        assert_true(h[e] == 0.0);
    }
    // Edge along z: distance 5, direction (3, 4) / 5, curvature 1/5 across it in the plane.
    assert_true(shape_distance(&box, &at_origin, (const double[3]){4.0, 5.0, 0.3}, g, h) == 5.0);
    assert_true(fabs(g[0] - 0.6) < 1e-15 && fabs(g[1] - 0.8) < 1e-15 && g[2] == 0.0);
    assert_true(fabs(h[0] - 0.64 / 5.0) < 1e-15 && fabs(h[1] + 0.48 / 5.0) < 1e-15 && h[8] == 0.0);
    // Corner: distance 3, direction (1, -2, 2) / 3, trace of the Hessian 2 / 3.
    assert_true(shape_distance(&box, &at_origin, (const double[3]){2.0, -3.0, 3.0}, g, h) == 3.0);
    assert_true(fabs(g[1] + 2.0 / 3.0) < 1e-15);
    assert_true(fabs(h[0] + h[4] + h[8] - 2.0 / 3.0) < 1e-15);
    // Inside: the nearest face, flat.
    assert_true(shape_distance(&box, &at_origin, (const double[3]){0.1, 0.2, -0.75}, g, h) ==
                -0.25);
    assert_true(g[2] == -1.0 && h[0] == 0.0 && h[4] == 0.0);
}

static void hollow_is_minus_solid(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        struct shape hollow = sample_shapes[s];
        hollow.hollow = true;
        for (int trial = 0; trial < 100; trial++) {
            const struct pose pose = random_pose();
            double x[3], g[2][3], h[2][9];
            random_point(4.0, x);
            assert_true(shape_distance(sample_shapes + s, &pose, x, g[0], h[0]) ==
                        -shape_distance(&hollow, &pose, x, g[1], h[1]));
            for (int e = 0; e < 9; e++) {
                assert_true(h[0][e] == -h[1][e] && g[0][e % 3] == -g[1][e % 3]);
            }
        }
    }
}

// phi(R p + t) in the pose is phi(p) in the shape's own frame.
static void a_pose_moves_the_shape(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        for (int trial = 0; trial < 100; trial++) {
            const struct pose pose = random_pose();
            double p[3], x[3], g[3], moved[3], rotated[3];
            random_point(2.0, p);
            multiply3(pose.rotation, p, x);
            add3(x, pose.translation, x);
            const double local = shape_distance(sample_shapes + s, &at_origin, p, g, NULL);
            assert_true(fabs(shape_distance(sample_shapes + s, &pose, x, moved, NULL) - local) <
                        1e-14);
            multiply3(pose.rotation, g, rotated);
            subtract3(rotated, moved, rotated);
            assert_true(norm3(rotated) < 1e-13 || fabs(local) < 1e-6 || local < 0.0);
        }
    }
}

// Every point of a medial axis gives a finite unit gradient and a finite Hessian, the same each
// time.
static void medial_axes_are_harmless(void **state) {
    (void)state;
    static const double points[][3] = {{0, 0, 0},      {0, 0.1, 0},     {0, -0.6, 0},
                                       {0, 2, 0},      {0.1, 0.1, 0.1}, {0.5, 0.3, 0.8},
                                       {-0.5, 0.3, 0}, {0.5, 0.4, 0}};
    for (int s = 0; s < sample_shape_count; s++) {
        for (size_t i = 0; i < COUNT_OF(points); i++) {
            double g[2][3], h[9];
            const double phi = shape_distance(sample_shapes + s, &at_origin, points[i], g[0], h);
            assert_true(phi ==
                        shape_distance(sample_shapes + s, &at_origin, points[i], g[1], NULL));
            assert_memory_equal(g[0], g[1], sizeof g[0]);
            assert_true(fabs(norm3(g[0]) - 1.0) < 1e-15);
            for (int e = 0; e < 9; e++) {
                assert_true(fabs(h[e]) < 1e3);
            }
        }
    }
}

// A box's corner has three faces, a cylinder's rim has two with their own curvature; elsewhere
// there is one.
static void edges_list_their_faces(void **state) {
    (void)state;
    double g[3][3], h[3][9], other[3], hessian[9];
    const struct pose pose = random_pose();
    static const double corner[3] = {0.5, -0.3, 0.8}, edge[3] = {0.5, 0.3, 0.1};
    static const double rim[3] = {0.3, -0.4, 0.4}, wall[3] = {0.3, 0.1, 0.4};
    static const struct {
        int shape, count;
        const double *point;
    } cases[] = {{2, 3, corner}, {2, 2, edge}, {4, 2, rim}, {4, 1, wall}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct shape *shape = sample_shapes + cases[i].shape;
        double x[3];
        multiply3(pose.rotation, cases[i].point, x);
        add3(x, pose.translation, x);
        assert_int_equal(shape_faces(shape, &pose, x, 1e-12, g, h), cases[i].count);
        // Slightly outside along each face's normal, that face alone is nearest.
        for (int f = 0; f < cases[i].count; f++) {
            double away[3];
            copy3(x, away);
            for (int k = 0; k < cases[i].count; k++) {
                add_scaled3(away, k == f ? 1e-3 : -1e-3, g[k], away);
            }
            assert_near(shape_distance(shape, &pose, away, other, hessian), 1e-3, 1e-12, "face");
            assert_small(testing_max_difference(other, g[f], 3), 1e-12, "face normal");
            // The radius changes by at most 1e-3 of 0.5.
            assert_small(testing_max_difference(hessian, h[f], 9), 5e-3, "face curvature");
        }
    }
}

static void bounds_hold_the_shape(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        for (int trial = 0; trial < 2000; trial++) {
            const struct pose pose = trial % 2 ? random_pose() : at_origin;
            const double margin = uniform(0.0, 0.5);
            double x[3], low[3], high[3];
            random_point(1.8, x);
            add3(x, pose.translation, x);
            shape_bounds(sample_shapes + s, &pose, margin, low, high);
            if (shape_distance(sample_shapes + s, &pose, x, NULL, NULL) <= margin) {
                for (int i = 0; i < 3; i++) {
                    assert_true(x[i] >= low[i] - 1e-14 && x[i] <= high[i] + 1e-14);
                }
            }
        }
    }
    // The bounds are tight for a box in its own frame and for the ground.
    double low[3], high[3];
    shape_bounds(sample_shapes + 2, &at_origin, 0.1, low, high);
    assert_true(fabs(high[2] - 0.9) < 1e-15 && fabs(low[0] + 0.6) < 1e-15);
    shape_bounds(sample_shapes + 0, &at_origin, 0.1, low, high);
    assert_true(high[1] == 0.1 && isinf(low[1]) && isinf(high[0]));
}

/// A ball on a grid, off the origin. Its distance does not depend on which derivatives are
/// requested, and it is within its bounds, also rotated and translated. Its complement, like a room
/// on a grid, is unbounded; the complement of a room is the ball again.
static void grids_are_shapes(void **state) {
    (void)state;
    enum { SIDE = 20 };
    static float samples[2][SIDE * SIDE * SIDE];
    struct distance_grid grids[2];
    const double centre[3] = {0.4, -0.2, 0.1};
    for (int g = 0; g < 2; g++) {
        grids[g] = (struct distance_grid){
            .origin = {centre[0] - 0.95, centre[1] - 0.95, centre[2] - 0.95},
            .cell = 0.1,
            .counts = {SIDE, SIDE, SIDE},
            .samples = samples[g]};
        for (size_t i = 0; i < COUNT_OF(samples[0]); i++) {
            const double x[3] = {0.1 * (double)(i % SIDE) - 0.95,
                                 0.1 * (double)(i / SIDE % SIDE) - 0.95,
                                 0.1 * (double)(i / SIDE / SIDE) - 0.95};
            samples[g][i] = (float)(g == 0 ? norm3(x) - 0.6 : 0.6 - norm3(x));
        }
        assert_ok(distance_grid_check(&grids[g]));
    }
    for (int trial = 0; trial < 2000; trial++) {
        const struct shape shape = {
            .kind = PBS_SHAPE_GRID, .hollow = trial % 2 == 1, .grid = &grids[trial / 2 % 2]};
        const bool is_ball = shape.hollow == shape.grid->is_hollow;
        const struct pose pose = random_pose();
        const double margin = uniform(0.0, 0.5);
        double p[3], x[3], low[3], high[3], gradient[3], away[3];
        random_point(1.2, p);
        multiply3(pose.rotation, p, x);
        add3(x, pose.translation, x);
        double same[3], hessian[9];
        const double phi = shape_distance(&shape, &pose, x, gradient, NULL);
        assert_true(phi == shape_distance(&shape, &pose, x, NULL, NULL));
        assert_true(phi == shape_distance(&shape, &pose, x, same, hessian));
        assert_memory_equal(gradient, same, sizeof same);
        shape_bounds(&shape, &pose, margin, low, high);
        subtract3(p, centre, away);
        const double exact = is_ball ? norm3(away) - 0.6 : 0.6 - norm3(away);
        // The error of cubics is a thousandth of the cell if the radius is some cells.
        if (fabs(exact) < 0.15) {
            assert_near(phi, exact, 2e-4, "distance, m");
            multiply3(pose.rotation, away, p);
            assert_near(dot3(gradient, p) / norm3(p), is_ball ? 1.0 : -1.0, 1e-2, "slope outwards");
        }
        for (int i = 0; i < 3; i++) {
            assert_true(is_ball || (isinf(low[i]) && isinf(high[i])));
            assert_true(phi > margin || (x[i] >= low[i] - 1e-12 && x[i] <= high[i] + 1e-12));
        }
    }
}

static void refuses_impossible_shapes(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        assert_int_equal(shape_check(sample_shapes + s), PBS_OK);
    }
    const struct shape bad[] = {
        {.kind = 5, .size = {1, 1, 1}},
        {.kind = -1, .size = {1, 1, 1}},
        {.kind = PBS_SHAPE_SPHERE, .size = {0, 1, 1}},
        {.kind = PBS_SHAPE_BOX, .size = {1, 1, -1}},
        {.kind = PBS_SHAPE_CAPSULE, .size = {1, NAN, 1}},
        {.kind = PBS_SHAPE_CYLINDER, .hollow = true, .size = {1, INFINITY, 1}},
        {.kind = PBS_SHAPE_TORUS, .size = {0.5, 0.5, 1}},
        {.kind = PBS_SHAPE_TORUS, .size = {0.5, 0, 1}}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(shape_check(bad + i), PBS_ERROR_ARGUMENT);
    }
    shape_check(bad + 6);
    assert_message("torus: size[1], the radius of the tube, is 0.5 m, must be less than size[0], "
                   "the radius of the ring, 0.5 m");
    shape_check(bad + 3);
    assert_message("box: size[2] is -1 m, must be positive and finite");
}

// --- what contact sees ---

/// Triangles that have the edge of corner `at` of triangle `of`, of either orientation.
static int count_sharing(const struct shape_surface *surface, uint32_t of, uint32_t at) {
    const uint32_t *own = surface->triangles + 3 * (size_t)of;
    int count = 0;
    for (uint32_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *other = surface->triangles + 3 * (size_t)t;
        int shared = 0;
        for (int k = 0; k < 3; k++) {
            shared += other[k] == own[at] || other[k] == own[(at + 1) % 3];
        }
        count += shared == 2;
    }
    return count;
}

/// Points lie inside by the offset; triangles close around what is solid.
static void surfaces_lie_at_their_offsets(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, &(pbs_allocator){0});
    for (int s = 0; s < sample_shape_count; s++) {
        const struct shape *shape = sample_shapes + s;
        struct shape_surface surface;
        if (shape_contact_of(shape) != SHAPE_SURFACE) {
            continue;
        }
        assert_int_equal(shape_surface_make(&memory, shape, &surface), PBS_OK);
        assert_true(surface.point_count > 0);
        assert_int_equal(shape_is_enclosed(shape), surface.triangle_count > 0);
        double low[3], high[3], most[3] = {0.0, 0.0, 0.0};
        shape_bounds(shape, &at_origin, 0.0, low, high);
        for (uint32_t i = 0; i < surface.point_count; i++) {
            const double *x = surface.points + 3 * (size_t)i;
            for (int k = 0; k < 3; k++) {
                most[k] = fmax(most[k], x[k] + surface.offset);
            }
            assert_near(shape_distance(shape, &at_origin, x, NULL, NULL), -surface.offset, 1e-15,
                        "distance");
        }
        for (int k = 0; k < 3; k++) {
            assert_near(most[k], high[k], 1e-15, "extent");
        }
        for (uint32_t i = 0; i < 2 * surface.edge_count; i++) {
            assert_true(surface.edges[i] < surface.point_count);
        }
        for (uint32_t i = 0; i < 3 * surface.triangle_count; i++) {
            assert_true(surface.triangles[i] < surface.point_count);
            assert_int_equal(count_sharing(&surface, i / 3, i % 3), 2);
        }
        shape_surface_free(&memory, &surface);
    }
    assert_int_equal(memory.bytes_in_use, 0);
}

/// Of a hollow shape the least of its pieces' distances is its own, inside.
static void pieces_make_up_the_boundary(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        for (int trial = 0; trial < 300; trial++) {
            struct shape shape = sample_shapes[s];
            const struct pose pose = random_pose();
            struct shape_piece pieces[SHAPE_PIECES];
            double own[3], x[3];
            shape.hollow = trial % 2 == 1;
            random_point(1.5, own);
            multiply3(pose.rotation, own, x);
            add3(x, pose.translation, x);
            const size_t count = shape_pieces(&shape, &pose, pieces);
            double least = INFINITY;
            for (size_t i = 0; i < count; i++) {
                least = fmin(least,
                             shape_distance(&pieces[i].shape, &pieces[i].pose, x, NULL, NULL));
            }
            const double phi = shape_distance(&shape, &pose, x, NULL, NULL);
            assert_int_equal(least < 0.0, phi < 0.0);
            if (phi > 0.0 || !shape.hollow) {
                assert_near(least, phi, 1e-14, "distance");
            }
        }
    }
}

static void closest_points_lie_on_the_boundary(void **state) {
    (void)state;
    for (int s = 0; s < sample_shape_count; s++) {
        for (int trial = 0; trial < 300; trial++) {
            struct shape shape = sample_shapes[s];
            const struct pose pose = random_pose();
            double x[3], closest[3], normal[3], way[3], distance;
            shape.hollow = trial % 2 == 1;
            random_point(3.0, x);
            assert_true(shape_closest(&shape, &pose, x, closest, &distance, normal));
            subtract3(x, closest, way);
            const double phi = shape_distance(&shape, &pose, x, NULL, NULL);
            assert_near(distance, fabs(phi), 0.0, "distance");
            assert_near(norm3(way), distance, 1e-14, "way");
            assert_near(dot3(way, normal), phi, 1e-14, "normal");
            assert_near(shape_distance(&shape, &pose, closest, NULL, NULL), 0.0, 1e-14, "place");
        }
    }
}

int main(void) {
    random_numbers = random_seed(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_to_the_nearest_point),
        cmocka_unit_test(derivatives_match_finite_differences),
        cmocka_unit_test(hessian_is_symmetric_and_kills_the_gradient),
        cmocka_unit_test(box_has_the_curvature_of_what_is_nearest),
        cmocka_unit_test(hollow_is_minus_solid),
        cmocka_unit_test(a_pose_moves_the_shape),
        cmocka_unit_test(medial_axes_are_harmless),
        cmocka_unit_test(edges_list_their_faces),
        cmocka_unit_test(bounds_hold_the_shape),
        cmocka_unit_test(grids_are_shapes),
        cmocka_unit_test(refuses_impossible_shapes),
        cmocka_unit_test(surfaces_lie_at_their_offsets),
        cmocka_unit_test(pieces_make_up_the_boundary),
        cmocka_unit_test(closest_points_lie_on_the_boundary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
