// Compares distances of pairs with references of 60 digits, and with the smallest of all candidates
// in long double on random and nearly degenerate pairs. Compares their derivatives with finite
// differences.
// SPDX-License-Identifier: MIT
#include <lapacke.h>

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/distance_references.h"
#include "geometry/random_pairs.h"
#include "support/testing.h"

#define EPSILON 0x1p-52

// Differences of nodes of random pairs are at most 4 sqrt 3; some 16 roundings of them.
static const double extent_roundings = 16.0 * 6.93 * EPSILON;

static void references_of_60_digits(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(distance_references); n++) {
        const struct distance_reference *reference = distance_references + n;
        const double *const nodes[4] = {reference->x[0], reference->x[1], reference->x[2],
                                        reference->x[3]};
        const struct closest c = closest_points(reference->kind, nodes);
        const double d = reference->distance;
        assert_small(fabs(sqrt(c.squared) - d), reference->distance_tolerance * d + 1e-16,
                     reference->name);
        if (reference->support != 0) {
            assert_int_equal(c.support, reference->support);
        }
        double largest = 0.0, error = 0.0;
        for (int i = 0; i < 12; i++) {
            const double expected = reference->gradient[i / 3][i % 3];
            largest = fmax(largest, fabs(expected));
            error = fmax(error, fabs(2.0 * c.weight[i / 3] * c.r[i % 3] - expected));
        }
        if (isfinite(reference->gradient_tolerance)) {
            assert_small(error, reference->gradient_tolerance * largest, reference->name);
        }
    }
}

// --- smallest of all candidates, in long double ---

typedef long double wide;

struct wide_closest {
    wide weight[4], r[3], squared;
    unsigned support;
};

static wide wide_dot(const wide *a, const wide *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void wide_subtract(const wide *a, const wide *b, wide *out) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

// Accepts the candidate with these weights if it is closer than the best so far.
static void consider(wide (*x)[3], const wide weight[4], struct wide_closest *best) {
    struct wide_closest c = {.squared = 0.0L};
    for (int i = 0; i < 4; i++) {
        c.weight[i] = weight[i];
        c.support |= (weight[i] != 0.0L ? 1u : 0u) << i;
        for (int k = 0; k < 3; k++) {
            // Relative to the first node, as the weights sum to 0.
            c.r[k] += weight[i] * (x[i][k] - x[0][k]);
        }
    }
    c.squared = wide_dot(c.r, c.r);
    if (best->squared < 0.0L || c.squared < best->squared) {
        *best = c;
    }
}

static void consider_edge(wide (*x)[3], int p, int a, int b, wide sign, struct wide_closest *best) {
    wide edge[3], to[3], weight[4] = {0.0L};
    wide_subtract(x[b], x[a], edge);
    wide_subtract(x[p], x[a], to);
    const wide length = wide_dot(edge, edge);
    const wide t = length > 0.0L ? wide_dot(to, edge) / length : 0.0L;
    const wide inside = t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : t;
    weight[p] = sign;
    weight[a] = -sign * (1.0L - inside);
    weight[b] = -sign * inside;
    consider(x, weight, best);
}

// Finds the point of the plane through `origin` along u and v that is closest to p, by
// orthogonalisation: p ~ origin + s u + t v. Returns false if u and v are parallel.
static bool in_plane(const wide *u, const wide *v, const wide *to, wide *s, wide *t) {
    wide across[3];
    const wide uu = wide_dot(u, u), uv = wide_dot(u, v);
    if (!(uu > 0.0L)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        across[k] = v[k] - uv / uu * u[k];
    }
    // Repeated, so that v is orthogonal to u to its own last digit.
    const wide along = wide_dot(across, u) / uu;
    for (int k = 0; k < 3; k++) {
        across[k] -= along * u[k];
    }
    const wide square = wide_dot(across, across);
    // Beyond that the closest point is on the boundary to 1e-15 of the extent.
    if (!(square > 1e-30L * wide_dot(v, v))) {
        return false;
    }
    *t = wide_dot(to, across) / square;
    *s = (wide_dot(to, u) - *t * uv) / uu;
    return true;
}

static struct wide_closest wide_closest_points(enum pair_kind kind, wide (*x)[3]) {
    struct wide_closest best = {.squared = -1.0L};
    const bool edges = kind == PAIR_EDGE_EDGE;
    wide u[3], v[3], to[3], s, t;
    wide_subtract(x[edges ? 1 : 2], x[edges ? 0 : 1], u);
    wide_subtract(x[3], x[edges ? 2 : 1], v);
    if (edges) {
        for (int i = 0; i < 4; i++) {
            consider_edge(x, i, i < 2 ? 2 : 0, i < 2 ? 3 : 1, i < 2 ? 1.0L : -1.0L, &best);
        }
        wide_subtract(x[2], x[0], to);
        if (in_plane(u, v, to, &s, &t) && s > 0.0L && s < 1.0L && t < 0.0L && t > -1.0L) {
            consider(x, (wide[4]){1.0L - s, s, -1.0L - t, t}, &best);
        }
    } else {
        for (int i = 0; i < 3; i++) {
            consider_edge(x, 0, 1 + i, 1 + (i + 1) % 3, 1.0L, &best);
        }
        wide_subtract(x[0], x[1], to);
        if (in_plane(u, v, to, &s, &t) && s > 0.0L && t > 0.0L && s + t < 1.0L) {
            consider(x, (wide[4]){1.0L, s + t - 1.0L, -s, -t}, &best);
        }
    }
    return best;
}

// --- values ---

// The error of a distance is at most the rounding of differences of nodes, however degenerate the
// pair.
static void distances_are_the_least_of_all_candidates(void **state) {
    (void)state;
    struct random random = random_seed(3);
    double worst = 0.0;
    for (int n = 0; n < (testing_is_small() ? 10000 : 200000); n++) {
        const enum pair_kind kind = n % 2 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
        double x[4][3];
        wide w[4][3];
        random_pair(&random, kind, 1e-16, x);
        for (int i = 0; i < 12; i++) {
            w[i / 3][i % 3] = x[i / 3][i % 3];
        }
        const double *const nodes[4] = {x[0], x[1], x[2], x[3]};
        const struct closest c = closest_points(kind, nodes);
        const double d = (double)sqrtl(wide_closest_points(kind, w).squared);
        worst = fmax(worst, fabs(sqrt(c.squared) - d));
        assert_true(c.squared == closest_squared(kind, nodes));
        // r is the weighted sum of the nodes, so that forces weight_i r have no torque. The weights
        // of each side are those of a point of it.
        double rest = 0.0;
        for (int k = 0; k < 3; k++) {
            double r = 0.0;
            for (int i = 1; i < 4; i++) {
                r += c.weight[i] * (x[i][k] - x[0][k]);
            }
            rest = fmax(rest, fabs(r - c.r[k]));
        }
        assert_small(rest, extent_roundings, "r and its weights");
        const double second = kind == PAIR_EDGE_EDGE ? 0.0 : c.weight[1];
        assert_small(fabs(c.weight[0] + (kind == PAIR_EDGE_EDGE ? c.weight[1] : 0.0) - 1.0),
                     2.0 * EPSILON, "weights of the first side");
        assert_small(fabs(c.weight[2] + c.weight[3] + second + 1.0), 4.0 * EPSILON,
                     "weights of the second side");
        for (int i = 0; i < 4; i++) {
            assert_true((c.support >> i & 1) != 0 || c.weight[i] == 0.0);
            assert_true(c.weight[i] * (i <= (kind == PAIR_EDGE_EDGE) ? 1.0 : -1.0) >= 0.0);
        }
    }
    assert_small(worst, extent_roundings, "distance");
}

// --- derivatives ---

// Returns how far nodes may move before the pair degenerates: the smaller height of two adjacent
// edges, or of a triangle.
static double smallest_height(enum pair_kind kind, double (*x)[3]) {
    const bool edges = kind == PAIR_EDGE_EDGE;
    double u[3], v[3], w[3], n[3];
    subtract3(x[edges ? 1 : 2], x[edges ? 0 : 1], u);
    subtract3(x[3], x[edges ? 2 : 1], v);
    subtract3(u, v, w);
    cross3(u, v, n);
    const double longest = fmax(fmax(norm3(u), norm3(v)), edges ? 0.0 : norm3(w));
    return norm3(n) / longest;
}

struct difference {
    double gradient[12], hessian[144];
    bool smooth;
};

// Central differences of the long double distance and of its gradient 2 w_i r.
static struct difference differences(enum pair_kind kind, double (*x)[3], double step) {
    struct difference out = {.smooth = true};
    wide w[4][3];
    for (int i = 0; i < 12; i++) {
        w[i / 3][i % 3] = x[i / 3][i % 3];
    }
    const unsigned support = wide_closest_points(kind, w).support;
    for (int i = 0; i < 12; i++) {
        struct wide_closest at[2];
        for (int side = 0; side < 2; side++) {
            w[i / 3][i % 3] = (wide)x[i / 3][i % 3] + (side == 0 ? -step : step);
            at[side] = wide_closest_points(kind, w);
            out.smooth = out.smooth && at[side].support == support;
        }
        w[i / 3][i % 3] = x[i / 3][i % 3];
        out.gradient[i] = (double)((at[1].squared - at[0].squared) / (2.0L * step));
        for (int j = 0; j < 12; j++) {
            const wide high = at[1].weight[j / 3] * at[1].r[j % 3];
            const wide low = at[0].weight[j / 3] * at[0].r[j % 3];
            out.hessian[12 * i + j] = (double)((high - low) / step);
        }
    }
    return out;
}

// Random and nearly degenerate pairs. With height s and distance d, a k-th derivative of d^2 is of
// order s^(2-k) (1 + d / s)^(k-1). Steps of 1e-4 s / (1 + d / s) make differences accurate to 1e-8
// times that, times some hundred terms. The rounding of long double, 1e-19 E d divided by the step
// for extents E, is smaller for s > 1e-3.
static void derivatives_are_differences(void **state) {
    (void)state;
    struct random random = random_seed(4);
    const int wanted = testing_is_small() ? 5000 : 100000;
    int smooth = 0, tried = 0, types[16] = {0};
    double worst_gradient = 0.0, worst_hessian = 0.0;
    for (int n = 0; smooth < wanted && n < 3 * wanted; n++) {
        const enum pair_kind kind = n % 2 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
        double x[4][3];
        random_pair(&random, kind, 1e-3, x);
        const double height = smallest_height(kind, x);
        if (!(height > 1e-3)) {
            continue;
        }
        tried++;
        const double *const nodes[4] = {x[0], x[1], x[2], x[3]};
        const struct closest c = closest_points(kind, nodes);
        const double slope = 1.0 + sqrt(c.squared) / height;
        const struct difference expected = differences(kind, x, 1e-4 * height / slope);
        // If the type changes within the step, the Hessian jumps.
        if (!expected.smooth) {
            continue;
        }
        smooth++;
        types[c.support]++;
        double hessian[144], of_gradient = 0.0;
        closest_hessian(kind, nodes, &c, hessian);
        for (int i = 0; i < 12; i++) {
            of_gradient = testing_greater(
                of_gradient, fabs(2.0 * c.weight[i / 3] * c.r[i % 3] - expected.gradient[i]));
        }
        worst_gradient = testing_greater(worst_gradient, of_gradient / (height + sqrt(c.squared)));
        worst_hessian = testing_greater(worst_hessian,
                                        testing_max_difference(hessian, expected.hessian, 144) /
                                            (slope * slope));
    }
    assert_small(worst_gradient, 1e-6, "gradient");
    assert_small(worst_hessian, 1e-6, "Hessian");
    assert_true(smooth == wanted && tried < 1.02 * wanted);
    // All supports occur in both kinds of pairs: 15, 13, 11 and 7 in both, vertices in one.
    const int all[] = {15, 14, 13, 11, 10, 9, 7, 6, 5, 3};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        assert_true(types[all[i]] > wanted / 1000);
    }
}

// -hess d = (g g^T - hess(d^2) / 2) / d, g = w x n.
static void minus_hessian_of_distance(enum pair_kind kind, const double *const *nodes,
                                      const struct closest *c, double *out) {
    const double d = sqrt(c->squared);
    closest_hessian(kind, nodes, c, out);
    for (int a = 0; a < 12; a++) {
        for (int b = 0; b < 12; b++) {
            const double g = c->weight[a / 3] * c->r[a % 3] * c->weight[b / 3] * c->r[b % 3];
            out[12 * a + b] = (g / c->squared - 0.5 * out[12 * a + b]) / d;
        }
    }
}

static void positive_part(const double *matrix, double *part, double *largest) {
    double vectors[144], values[12];
    memcpy(vectors, matrix, sizeof vectors);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', 12, vectors, 12, values), 0);
    *largest = fmax(fabs(values[0]), fabs(values[11]));
    for (int a = 0; a < 144; a++) {
        part[a] = 0.0;
        for (int k = 0; k < 12; k++) {
            part[a] += fmax(values[k], 0.0) * vectors[12 * (a / 12) + k] *
                       vectors[12 * (a % 12) + k];
        }
    }
}

static double least_eigenvalue(const double *matrix) {
    double copy[144], values[12];
    memcpy(copy, matrix, sizeof copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 12, copy, 12, values), 0);
    return values[0];
}

static void sum_of_squares(const struct closest_bending *bending, double *out) {
    memset(out, 0, 144 * sizeof *out);
    for (int k = 0; k < bending->count; k++) {
        const double *v = &bending->vector[k][0][0];
        for (int a = 0; a < 144; a++) {
            out[a] += bending->coefficient[k] * v[a / 12] * v[a % 12];
        }
    }
}

static double dot12(const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < 12; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Compares the closed form with all eigenvectors of the dense matrix, down to distances where the
// dense matrix loses its digits. Below that the closed form is still larger than the matrix.
static void bending_is_the_positive_part(void **state) {
    (void)state;
    struct random random = random_seed(5);
    int compared[3] = {0};
    for (int n = 0; n < (testing_is_small() ? 2000 : 40000); n++) {
        const enum pair_kind kind = n % 2 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
        double x[4][3], matrix[144], part[144], closed[144], largest;
        random_pair(&random, kind, 1e-9, x);
        const double *const nodes[4] = {x[0], x[1], x[2], x[3]};
        const struct closest c = closest_points(kind, nodes);
        const double d = sqrt(c.squared), height = smallest_height(kind, x);
        struct closest_bending bending;
        closest_bending(kind, nodes, &c, &bending);
        for (int k = 0; k < bending.count; k++) {
            const double *v = &bending.vector[k][0][0];
            assert_true(bending.coefficient[k] > 0.0 && isfinite(bending.coefficient[k]));
            // r is orthogonal to the directions q up to rounding of the extent divided by d.
            assert_near(dot12(v, v), 1.0, 1e-12 + extent_roundings / d / fmin(height, 1.0),
                        "unit vector");
        }
        if (!(height > 0.02) || d > 2.0) {
            continue;
        }
        minus_hessian_of_distance(kind, nodes, &c, matrix);
        sum_of_squares(&bending, closed);
        if (d > 1e-3) {
            positive_part(matrix, part, &largest);
            assert_small(testing_max_difference(closed, part, 144), 1e-10 * fmax(largest, 1.0),
                         "positive part");
            compared[bending.count]++;
        } else if (d > 1e-6) {
            for (int a = 0; a < 144; a++) {
                closed[a] -= matrix[a];
            }
            // The dense matrix assumes that r / d is orthogonal to the directions q. The error is
            // rounding of the extent divided by d, divided by d once more.
            assert_small(-least_eigenvalue(closed), extent_roundings / (d * d * height),
                         "what the positive part leaves out");
        }
    }
    for (int k = 0; k < 3; k++) {
        assert_true(compared[k] > 100);
    }
}

// Compares all eigenvectors with the dense matrix, and the negative ones with closest_bending, bit
// by bit.
static void curvature_is_the_hessian(void **state) {
    (void)state;
    struct random random = random_seed(7);
    int compared[3] = {0};
    for (int n = 0; n < (testing_is_small() ? 2000 : 40000); n++) {
        const enum pair_kind kind = n % 2 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
        double x[4][3], matrix[144], closed[144] = {0.0};
        random_pair(&random, kind, 1e-9, x);
        const double *const nodes[4] = {x[0], x[1], x[2], x[3]};
        const struct closest c = closest_points(kind, nodes);
        const double d = sqrt(c.squared), height = smallest_height(kind, x);
        struct closest_bending bending;
        struct closest_curvature curvature;
        closest_bending(kind, nodes, &c, &bending);
        closest_curvature(kind, nodes, &c, &curvature);
        assert_int_equal(curvature.positive_count + bending.count, curvature.count);
        for (int k = 0; k < curvature.count; k++) {
            assert_true(isfinite(curvature.coefficient[k]));
            assert_true((curvature.coefficient[k] >= 0.0) == (k < curvature.positive_count));
        }
        for (int k = 0; k < bending.count; k++) {
            const int i = curvature.positive_count + k;
            assert_true(curvature.coefficient[i] == -bending.coefficient[k]);
            assert_same_bits(&curvature.vector[i][0][0], &bending.vector[k][0][0], 12);
        }
        if (!(height > 0.02) || d > 2.0 || d < 1e-3) {
            continue;
        }
        // r is orthogonal to the directions q up to rounding of the extent divided by d. The dense
        // matrix assumes exact orthogonality and is divided by d once more.
        const double tolerance = extent_roundings / d / height;
        double largest = 1.0;
        minus_hessian_of_distance(kind, nodes, &c, matrix);
        for (int k = 0; k < curvature.count; k++) {
            const double *v = &curvature.vector[k][0][0];
            for (int other = 0; other <= k; other++) {
                assert_near(dot12(v, &curvature.vector[other][0][0]), other == k ? 1.0 : 0.0,
                            tolerance, "orthonormal vectors");
            }
            largest = fmax(largest, fabs(curvature.coefficient[k]));
            for (int a = 0; a < 144; a++) {
                closed[a] += curvature.coefficient[k] * v[a / 12] * v[a % 12];
            }
        }
        for (int a = 0; a < 144; a++) {
            closed[a] += matrix[a];
        }
        const double none[144] = {0.0};
        assert_small(testing_max_difference(closed, none, 144), tolerance / fmin(d, 1.0) * largest,
                     "Hessian of the distance");
        compared[bending.count]++;
    }
    for (int k = 0; k < 3; k++) {
        assert_true(compared[k] > 100);
    }
}

// A triangle whose closest point is on an edge or a vertex: the reduced pair has the same weights
// and the same closest points as that edge or vertex alone.
static void reduced_pairs_are_the_same(void **state) {
    (void)state;
    struct random random = random_seed(8);
    int kinds[4] = {0};
    for (int n = 0; n < 2000; n++) {
        double x[4][3];
        random_fill(&random, -1.0, 1.0, x[0], 12);
        const double *const nodes[4] = {x[0], x[1], x[2], x[3]};
        const struct closest c = closest_points(PAIR_POINT_TRIANGLE, nodes);
        struct closest reduced;
        int node[PAIR_NODES];
        const enum pair_kind kind = closest_reduce(PAIR_POINT_TRIANGLE, &c, &reduced, node);
        const double *left[4] = {NULL};
        double sum = 0.0;
        for (int i = 0; i < pair_node_count(kind); i++) {
            left[i] = nodes[node[i]];
            assert_true(reduced.weight[i] == c.weight[node[i]]);
            sum += fabs(reduced.weight[i]);
        }
        assert_near(sum, 2.0, 4.0 * EPSILON, "weights");
        assert_same_bits(reduced.r, c.r, 3);
        const struct closest alone = closest_points(kind, left);
        assert_int_equal(alone.support, reduced.support);
        assert_near(sqrt(alone.squared), sqrt(reduced.squared), extent_roundings, "distance");
        kinds[kind]++;
    }
    assert_true(kinds[PAIR_POINT_TRIANGLE] > 100 && kinds[PAIR_POINT_EDGE] > 100 &&
                kinds[PAIR_POINT_POINT] > 100);
}

// Coincident nodes, in every combination: no division by zero.
static void coincident_nodes_are_finite(void **state) {
    (void)state;
    const double places[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 0.2, 0.1}};
    for (int combination = 0; combination < 81; combination++) {
        for (int kind = PAIR_POINT_TRIANGLE; kind <= PAIR_POINT_POINT; kind++) {
            const double *const x[4] = {places[combination % 3], places[combination / 3 % 3],
                                        places[combination / 9 % 3], places[combination / 27]};
            const struct closest c = closest_points((enum pair_kind)kind, x);
            struct closest_bending bending;
            struct closest_curvature curvature;
            double hessian[144];
            closest_bending((enum pair_kind)kind, x, &c, &bending);
            closest_curvature((enum pair_kind)kind, x, &c, &curvature);
            closest_hessian((enum pair_kind)kind, x, &c, hessian);
            assert_true(isfinite(c.squared) && closest_parameter_count(&c) >= 0);
            const int rows = 3 * pair_node_count((enum pair_kind)kind);
            for (int i = 0; i < rows * rows; i++) {
                assert_true(isfinite(hessian[i]));
            }
            for (int k = 0; k < bending.count; k++) {
                assert_true(isfinite(bending.coefficient[k]) && isfinite(bending.vector[k][3][2]));
            }
            for (int k = 0; k < curvature.count; k++) {
                assert_true(isfinite(curvature.coefficient[k]));
                assert_true(isfinite(dot12(curvature.vector[k][0], curvature.vector[k][0])));
            }
        }
    }
}

// A degenerate triangle or edge gives the same result as a point and an edge, or two points.
static void smaller_kinds_are_degenerate_ones(void **state) {
    (void)state;
    struct random random = random_seed(6);
    for (int n = 0; n < 1000; n++) {
        double x[4][3];
        random_fill(&random, -1.0, 1.0, x[0], 12);
        const double *const edge[4] = {x[0], x[1], x[2], x[2]};
        const double *const point[4] = {x[0], x[1], x[1], x[1]};
        const struct closest e = closest_points(PAIR_POINT_EDGE, edge);
        const struct closest p = closest_points(PAIR_POINT_POINT, point);
        assert_near(e.squared, closest_squared(PAIR_POINT_TRIANGLE, edge), 1e-15, "edge");
        assert_near(p.squared, closest_squared(PAIR_POINT_TRIANGLE, point), 1e-15, "point");
        assert_int_equal(closest_parameter_count(&p), 0);
        double hessian[81], full[144];
        closest_hessian(PAIR_POINT_EDGE, edge, &e, hessian);
        struct closest as_triangle = e;
        closest_hessian(PAIR_POINT_TRIANGLE, edge, &as_triangle, full);
        for (int i = 0; i < 9; i++) {
            assert_same_bits(hessian + 9 * i, full + 12 * i, 9);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_of_60_digits),
        cmocka_unit_test(distances_are_the_least_of_all_candidates),
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(bending_is_the_positive_part),
        cmocka_unit_test(curvature_is_the_hessian),
        cmocka_unit_test(reduced_pairs_are_the_same),
        cmocka_unit_test(coincident_nodes_are_finite),
        cmocka_unit_test(smaller_kinds_are_degenerate_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
