// The penalty of a point inside a solid: derivatives beside differences for all types of closest
// primitives and from both sides, the semidefinite Hessian beside dense eigenvectors, and what is
// left at distance 0.
// SPDX-License-Identifier: MIT
#include "contact/penetration/inclusion_penalty.h"

#include <lapacke.h>

#include "base/matrix3/math3.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 0x1p-52

/// A penalty of a point and a triangle, of 12 coordinates.
struct scene {
    double stiffness;
    bool semidefinite;
};

static struct closest closest_at(const double *x) {
    const double *const nodes[4] = {x, x + 3, x + 6, x + 9};
    return closest_points(PAIR_POINT_TRIANGLE, nodes);
}

static double value(void *context, const double *x) {
    const struct scene *scene = context;
    const struct closest c = closest_at(x);
    return inclusion_penalty_energy(scene->stiffness, &c);
}

static void gradient(void *context, const double *x, double *out) {
    const struct scene *scene = context;
    const struct closest c = closest_at(x);
    double by_r[3];
    inclusion_penalty_gradient(scene->stiffness, &c, by_r);
    for (int i = 0; i < 12; i++) {
        out[i] = c.weight[i / 3] * by_r[i % 3];
    }
}

/// Of the pair without what has no part in it, as contacts are listed.
static void hessian(void *context, const double *x, double *out) {
    const struct scene *scene = context;
    const struct closest c = closest_at(x);
    struct closest reduced;
    int node[PAIR_NODES];
    const double *nodes[PAIR_NODES] = {NULL};
    struct contact_hessian rank;
    const enum pair_kind kind = closest_reduce(PAIR_POINT_TRIANGLE, &c, &reduced, node);
    const int count = pair_node_count(kind);
    for (int i = 0; i < count; i++) {
        nodes[i] = x + 3 * (size_t)node[i];
    }
    inclusion_penalty_hessian(scene->stiffness, kind, nodes, &reduced, scene->semidefinite, &rank);
    memset(out, 0, 144 * sizeof *out);
    for (int k = 0; k < rank.count; k++) {
        for (int a = 0; a < 3 * count; a++) {
            for (int b = 0; b < 3 * count; b++) {
                out[12 * (3 * node[a / 3] + a % 3) + 3 * node[b / 3] +
                    b % 3] += rank.coefficient[k] * rank.vector[k][a / 3][a % 3] *
                              rank.vector[k][b / 3][b % 3];
            }
        }
    }
}

/// A triangle of edges of about 1 m, and a point at a distance r from the inside of its face (3
/// nodes), an edge (2) or a vertex (1), on either side of the plane.
static void place(struct random *random, int nodes, double r, double *x) {
    static const double corners[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.3, 0.9, 0.0}};
    double rotation[9], weight[3], centroid[3] = {0.0, 0.0, 0.0}, foot[3] = {0.0, 0.0, 0.0};
    double sum = 0.0, away[3];
    const int first = (int)random_index(random, 3);
    for (int i = 0; i < 3; i++) {
        weight[i] = i < nodes ? random_uniform(random, 0.2, 1.0) : 0.0;
        sum += weight[i];
    }
    double local[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            local[i][k] = corners[i][k] + (k < 2 ? random_uniform(random, -0.1, 0.1) : 0.0);
            centroid[k] += local[i][k] / 3.0;
        }
    }
    for (int i = 0; i < 3; i++) {
        add_scaled3(foot, weight[i] / sum, local[(first + i) % 3], foot);
    }
    // Across the face, or away from the middle of the triangle within its edge's normals.
    double out[3] = {0.0, 0.0, random_index(random, 2) == 0 ? 1.0 : -1.0};
    if (nodes < 3) {
        subtract3(foot, centroid, away);
        if (nodes == 2) {
            double along[3];
            subtract3(local[(first + 1) % 3], local[first], along);
            add_scaled3(away, -dot3(away, along) / dot3(along, along), along, away);
        }
        scale3(1.0 / norm3(away), away, away);
        scale3(random_uniform(random, -1.0, 1.0), out, out);
        add3(out, away, out);
        scale3(1.0 / norm3(out), out, out);
    }
    random_rotation(random, rotation);
    add_scaled3(foot, r, out, foot);
    multiply3(rotation, foot, x);
    for (int i = 0; i < 3; i++) {
        multiply3(rotation, local[i], x + 3 + 3 * (size_t)i);
    }
}

static int type_of(const struct closest *c) {
    return closest_parameter_count(c) + 1;
}

// k is 1 / (6 r), so that the largest entries of the Hessian are about 1. Fourth order with steps
// of 1e-3 r errs by some 1e-12 of that, and the rounding of places, 1e-16 m, by as much as the step
// divides it by: 1e-10 at r = 1 mm.
static void derivatives_are_differences(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int n = 0; n < testing_rounds(3000); n++) {
        const double r = pow(10.0, random_uniform(&random, -3.0, -0.3));
        double x[12];
        place(&random, 1 + n % 3, r, x);
        const struct closest c = closest_at(x);
        assert_int_equal(type_of(&c), 1 + n % 3);
        assert_near(sqrt(c.squared), r, 16.0 * EPSILON, "distance");
        struct scene scene = {.stiffness = 1.0 / (6.0 * r)};
        const struct derivatives_function function = {12, value, gradient, hessian, &scene};
        assert_small(derivatives_gradient_error(&function, x, 1e-3 * r), 1e-9, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 1e-3 * r), 1e-9, "Hessian");
        assert_small(derivatives_asymmetry(&function, x), 1e-15, "symmetry");
    }
}

// Forces that add up to nothing, and have no torque.
static void forces_balance(void **state) {
    (void)state;
    struct random random = random_seed(2);
    for (int n = 0; n < testing_rounds(3000); n++) {
        double x[12], g[12], sum[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0};
        place(&random, 1 + n % 3, random_uniform(&random, 0.01, 1.0), x);
        struct scene scene = {.stiffness = 1.0};
        gradient(&scene, x, g);
        for (size_t i = 0; i < 4; i++) {
            double moment[3];
            add3(sum, g + 3 * i, sum);
            cross3(x + 3 * i, g + 3 * i, moment);
            add3(torque, moment, torque);
        }
        const struct closest c = closest_at(x);
        const double size = inclusion_penalty_force(1.0, &c);
        assert_near(norm3(g), size, 4.0 * EPSILON * size, "force on the point");
        assert_small(norm3(sum), 8.0 * EPSILON * size, "sum of forces");
        assert_small(norm3(torque), 32.0 * EPSILON * size, "torque");
    }
}

static void eigenvalues(const double *matrix, char vectors, double *copy, double values[12]) {
    memcpy(copy, matrix, 144 * sizeof *copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, vectors, 'U', 12, copy, 12, values), 0);
}

/// 6 k r G G^T + 3 k r^2 (hess r)^+ by all eigenvectors of the dense hess r.
static void dense_semidefinite(double stiffness, const double *x, double *out) {
    const double *const nodes[4] = {x, x + 3, x + 6, x + 9};
    const struct closest c = closest_at(x);
    const double r = sqrt(c.squared);
    double matrix[144], vectors[144], values[12];
    closest_hessian(PAIR_POINT_TRIANGLE, nodes, &c, matrix);
    for (int a = 0; a < 144; a++) {
        const double g = c.weight[a / 36] * c.r[a / 12 % 3] / r * c.weight[a % 12 / 3] *
                         c.r[a % 3] / r;
        out[a] = 6.0 * stiffness * r * g;
        matrix[a] = (0.5 * matrix[a] - g) / r;
    }
    eigenvalues(matrix, 'V', vectors, values);
    for (int a = 0; a < 144; a++) {
        for (int k = 0; k < 12; k++) {
            out[a] += 3.0 * stiffness * c.squared * fmax(values[k], 0.0) *
                      vectors[12 * (a / 12) + k] * vectors[12 * (a % 12) + k];
        }
    }
}

// The closed form beside the dense one, to roundings of the largest entry, divided by r twice in
// the dense one's difference of two matrices; it is the exact Hessian and something semidefinite
// added; and that one has eigenvalues far below zero where r is as large as the triangle.
static void semidefinite_is_the_positive_part(void **state) {
    (void)state;
    struct random random = random_seed(3);
    double most_negative = 0.0;
    for (int n = 0; n < testing_rounds(3000); n++) {
        const double r = pow(10.0, random_uniform(&random, -3.0, 0.0));
        double x[12], exact[144], positive[144], dense[144], copy[144], values[12];
        place(&random, 1 + n % 3, r, x);
        struct scene scene = {.stiffness = 1.0 / (6.0 * r)};
        hessian(&scene, x, exact);
        scene.semidefinite = true;
        hessian(&scene, x, positive);
        dense_semidefinite(scene.stiffness, x, dense);
        const double none[144] = {0.0};
        const double largest = testing_max_difference(exact, none, 144);
        assert_small(testing_max_difference(positive, dense, 144),
                     16.0 * EPSILON * fmax(1.0, largest) / fmin(1.0, r), "positive part");
        eigenvalues(positive, 'N', copy, values);
        assert_small(-values[0], 64.0 * EPSILON * largest, "semidefinite");
        eigenvalues(exact, 'N', copy, values);
        most_negative = fmin(most_negative, values[0] / largest);
        for (int a = 0; a < 144; a++) {
            positive[a] -= exact[a];
        }
        eigenvalues(positive, 'N', copy, values);
        assert_small(-values[0], 64.0 * EPSILON * largest, "what is added");
    }
    assert_true(most_negative < -0.1);
}

// Along straight ways past a triangle the type changes; neither the energy nor the gradient jumps.
// With r up to 3 m and k = 1, what the Hessian takes a step of 1e-6 m to is below 1e-6 (6 r + 3 r)
// times |w|^2 <= 2 and what the sliding adds, 3 r^2 over the least height of 0.6 m.
static void types_join_without_jumps(void **state) {
    (void)state;
    struct random random = random_seed(4);
    int changes = 0;
    for (int n = 0; n < testing_rounds(200); n++) {
        double x[12], from[3], to[3], g[12], after[12];
        struct scene scene = {.stiffness = 1.0};
        place(&random, 3, 0.5, x);
        random_fill(&random, -2.0, 2.0, from, 3);
        random_fill(&random, -2.0, 2.0, to, 3);
        int before = -1;
        double at = 0.0;
        for (int i = 0; i <= 200; i++) {
            const double s = i / 200.0;
            double way[3];
            subtract3(to, from, way);
            add_scaled3(from, s, way, x);
            struct closest c = closest_at(x);
            if (before >= 0 && c.support != before) {
                // Bisect to where it changes.
                double low = at, high = s;
                for (int k = 0; k < 60 && high - low > 1e-7; k++) {
                    const double middle = 0.5 * (low + high);
                    add_scaled3(from, middle, way, x);
                    c = closest_at(x);
                    *(c.support == before ? &low : &high) = middle;
                }
                const double step = (high - low) * norm3(way);
                add_scaled3(from, low, way, x);
                gradient(&scene, x, g);
                add_scaled3(from, high, way, x);
                gradient(&scene, x, after);
                assert_small(testing_max_difference(g, after, 12), 150.0 * step, "gradient");
                changes++;
                add_scaled3(from, s, way, x);
                c = closest_at(x);
            }
            before = c.support;
            at = s;
        }
    }
    assert_true(changes > 20);
}

// On the primitive, and so near to it that squares underflow, everything is 0 or finite.
static void nothing_is_left_at_distance_zero(void **state) {
    (void)state;
    const double corners[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const double feet[3][3] = {{0.25, 0.25, 0.0}, {0.5, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const double heights[] = {0.0, 1e-300, 1e-170, 1e-160, 1e-150, 1e-100};
    for (size_t f = 0; f < 3; f++) {
        for (size_t h = 0; h < COUNT_OF(heights); h++) {
            double x[12], g[12], matrix[144];
            copy3(feet[f], x);
            x[2] = heights[h];
            memcpy(x + 3, corners, sizeof corners);
            for (int semidefinite = 0; semidefinite < 2; semidefinite++) {
                struct scene scene = {.stiffness = 1e9, .semidefinite = semidefinite == 1};
                gradient(&scene, x, g);
                hessian(&scene, x, matrix);
                assert_true(value(&scene, x) >= 0.0 && value(&scene, x) <= 1e-200);
                for (int i = 0; i < 144; i++) {
                    assert_true(fabs(matrix[i]) <= 1e11 * heights[h]);
                    assert_true(fabs(g[i % 12]) <= 1e-150);
                }
            }
        }
    }
}

static void stiffness_is_the_harmonic_mean(void **state) {
    (void)state;
    assert_near(inclusion_penalty_stiffness(3.0, 6.0), 4.0, 4.0 * EPSILON, "mean");
    assert_near(inclusion_penalty_stiffness(1e300, 1e300), 1e300, 4.0 * EPSILON * 1e300, "large");
    assert_true(inclusion_penalty_stiffness(0.0, 1e6) == 0.0);
    assert_true(inclusion_penalty_stiffness(1e6, 0.0) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(forces_balance),
        cmocka_unit_test(semidefinite_is_the_positive_part),
        cmocka_unit_test(types_join_without_jumps),
        cmocka_unit_test(nothing_is_left_at_distance_zero),
        cmocka_unit_test(stiffness_is_the_harmonic_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
