// What the barrier of two edges is multiplied by. Its Hessian beside second differences of the
// energy along random directions, the gradient beside differences, and what happens beside ends.
// SPDX-License-Identifier: MIT
#include "contact/barrier/edge_factor.h"

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/numerics/derivatives.h"
#include "support/testing.h"

static const double REACH = 1e-2, THRESHOLD = 1e-3;

/// Two edges inside surfaces of two parts, of the mesh that edge_factor_set reads. The second one
/// is so short at rest that nothing is mollified.
static double squares[2] = {1.0, 1e-9};
static uint8_t triangles[2] = {2, 2};
static uint32_t ends[4] = {0, 1, 2, 3};
static uint32_t parts[4] = {0, 0, 1, 1};
static const struct collision_mesh tapering = {.edge_count = 2,
                                               .point_count = 4,
                                               .part_count = 2,
                                               .part = parts,
                                               .edges = ends,
                                               .edge_squares = squares,
                                               .edge_triangles = triangles};

static struct random numbers;

static int setup(void **state) {
    (void)state;
    numbers = random_seed(5);
    squares[1] = 1e-9;
    return 0;
}

struct edges {
    double x[PAIR_NODES][3];
};

/// Edges of about 1 m across one another at `sine`, some share of the reach apart.
static void make_edges(double sine, struct edges *out) {
    double r[9];
    const double gap = pow(10.0, random_uniform(&numbers, -1.7, -0.02)) * REACH;
    const double flat[PAIR_NODES][3] = {
        {-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}, {-0.4, -0.5 * sine, gap}, {0.6, 0.5 * sine, gap}};
    random_rotation(&numbers, r);
    for (int n = 0; n < PAIR_NODES; n++) {
        multiply3(r, flat[n], out->x[n]);
    }
}

static void go(const struct edges *from, const struct edges *way, double t, struct edges *out) {
    for (int n = 0; n < PAIR_NODES; n++) {
        add_scaled3(from->x[n], t, way->x[n], out->x[n]);
    }
}

static void name(const struct edges *e, const double *x[PAIR_NODES]) {
    for (int n = 0; n < PAIR_NODES; n++) {
        x[n] = e->x[n];
    }
}

static void crossing(const struct edges *e, double r[3]) {
    double u[3];
    double v[3];
    subtract3(e->x[1], e->x[0], u);
    subtract3(e->x[3], e->x[2], v);
    cross3(u, v, r);
}

static const struct barrier barrier = {BARRIER_DISTANCE, 1e5, 1e-2};

/// As contacts are made.
static void describe(const struct edges *e, struct active_contact *out) {
    const double *x[PAIR_NODES];
    name(e, x);
    const struct closest closest = closest_points(PAIR_EDGE_EDGE, x);
    *out = (struct active_contact){.kind = PAIR_EDGE_EDGE,
                                   .point_count = PAIR_NODES,
                                   .wall = CONTACT_NO_WALL,
                                   .distance = sqrt(closest.squared),
                                   .threshold = THRESHOLD};
    memcpy(out->weight, closest.weight, sizeof out->weight);
    scale3(1.0 / out->distance, closest.r, out->normal);
    out->barrier = barrier_evaluate(&barrier, out->distance, 0.0);
    out->factor = mollifier_evaluate(edges_cross_squared(x, NULL), THRESHOLD).value;
}

/// d and s a step behind, here and ahead.
struct samples {
    double d[3], s[3];
};

static void sample(const struct edges *e, const struct edges *way, double h, struct samples *out) {
    for (int i = 0; i < 3; i++) {
        struct edges at;
        struct active_contact contact;
        double r[3];
        go(e, way, (i - 1) * h, &at);
        describe(&at, &contact);
        crossing(&at, r);
        out->d[i] = contact.distance;
        out->s[i] = norm3(r);
    }
}

static double along(const struct contact_hessian *rank, const struct edges *way) {
    double sum = 0.0;
    for (int k = 0; k < rank->count; k++) {
        double dot = 0.0;
        for (int n = 0; n < PAIR_NODES; n++) {
            dot += dot3(rank->vector[k][n], way->x[n]);
        }
        sum += rank->coefficient[k] * dot * dot;
    }
    return sum;
}

/// p^T H p without the curvature of d and the second derivatives of u x v, by central differences
/// of d and s with steps of a thousandth of d, of 1e-5 at most: what differences leave out is (1e-5
/// / 6e-4)^2 of a sine that is no less, 3e-4. Never less than that, and the same wherever it is
/// positive in all directions of d and s, for small gaps between edges that are nearly parallel.
static void curvature_is_that_of_the_energy(void **state) {
    (void)state;
    size_t positive = 0;
    size_t negative = 0;
    for (int round = 0; round < 20000; round++) {
        struct edges e;
        struct edges way;
        struct active_contact contact;
        struct contact_hessian rank = {0};
        struct samples at;
        const double *x[PAIR_NODES];
        make_edges(pow(10.0, random_uniform(&numbers, -1.7, -0.05)) * sqrt(THRESHOLD), &e);
        random_fill(&numbers, -1.0, 1.0, way.x[0], 3 * (size_t)PAIR_NODES);
        describe(&e, &contact);
        const double h = 1e-3 * contact.distance;
        name(&e, x);
        edge_factor_hessian(&contact, x, &rank);
        assert_true(rank.count >= 3 && rank.count <= 4);
        sample(&e, &way, h, &at);
        const double d1 = (at.d[2] - at.d[0]) / (2.0 * h);
        const double s1 = (at.s[2] - at.s[0]) / (2.0 * h);
        double r[3];
        double du[3];
        double dv[3];
        double bend[3];
        crossing(&e, r);
        subtract3(way.x[1], way.x[0], du);
        subtract3(way.x[3], way.x[2], dv);
        cross3(du, dv, bend);
        // s'' = |the part of r' across r|^2 / s + r . r'' / s, and r'' = 2 du x dv.
        const double s2 = (at.s[2] - 2.0 * at.s[1] + at.s[0]) / (h * h) -
                          2.0 * dot3(r, bend) / at.s[1];
        const struct barrier_value b = contact.barrier;
        const double square = at.s[1] * at.s[1];
        const struct barrier_value m = mollifier_evaluate(square, THRESHOLD);
        const double slope = 2.0 * at.s[1] * m.first;
        const double bent = 2.0 * m.first + 4.0 * square * m.second;
        const double expected = m.value * b.second * d1 * d1 + 2.0 * slope * b.first * d1 * s1 +
                                bent * b.value * s1 * s1 + slope * b.value * s2;
        const double size = m.value * b.second * d1 * d1 + fabs(2.0 * slope * b.first * d1 * s1) +
                            fabs(bent) * b.value * s1 * s1 + slope * b.value * fabs(s2);
        const double found = along(&rank, &way);
        assert_true(found >= expected - 1e-3 * size);
        const double determinant = m.value * b.second * bent * b.value -
                                   slope * slope * b.first * b.first;
        if (determinant > 0.0 && bent > 0.0) {
            assert_small(fabs(found - expected), 1e-3 * size, "curvature");
            positive++;
        } else {
            negative++;
        }
    }
    assert_true(positive > 500 && negative > 500);
}

/// Parallel to the last digit, and without a length: nothing that is not a number, nothing
/// negative, and for the parallel ones the limit of small angles.
static void parallel_edges_have_a_curvature(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct edges e;
        struct active_contact contact;
        const double *x[PAIR_NODES];
        struct edges way;
        double curvature[2];
        name(&e, x);
        random_fill(&numbers, -1.0, 1.0, way.x[0], 3 * (size_t)PAIR_NODES);
        make_edges(0.0, &e);
        for (int i = 0; i < 2; i++) {
            struct contact_hessian rank = {0};
            if (i == 1) {
                double n[3];
                scale3(1e-10, contact.normal, n);
                double side[3];
                double u[3];
                subtract3(e.x[1], e.x[0], u);
                cross3(u, n, side);
                add3(e.x[3], side, e.x[3]);
            }
            describe(&e, &contact);
            edge_factor_hessian(&contact, x, &rank);
            for (int k = 0; k < rank.count; k++) {
                assert_true(rank.coefficient[k] >= 0.0);
            }
            curvature[i] = along(&rank, &way);
        }
        // At an angle of 1e-10 m_s b' is a millionth of m_ss b.
        assert_small(fabs(curvature[0] - curvature[1]), 1e-3 * curvature[0], "curvature");
        // One without a length: of u x v there is only what its own change makes, and nothing of m.
        const struct edges whole = e;
        for (int i = 0; i < 2; i++) {
            double change[3];
            double other[3];
            double bend[3];
            struct contact_hessian rank = {0};
            e = whole;
            copy3(e.x[2 * i], e.x[2 * i + 1]);
            subtract3(way.x[2 * i + 1], way.x[2 * i], change);
            subtract3(e.x[3 - 2 * i], e.x[2 - 2 * i], other);
            cross3(change, other, bend);
            describe(&e, &contact);
            edge_factor_hessian(&contact, x, &rank);
            const double expected = 2.0 * mollifier_evaluate(0.0, THRESHOLD).first *
                                    contact.barrier.value * dot3(bend, bend);
            assert_small(fabs(along(&rank, &way) - expected), 1e-12 * expected, "curvature");
        }
        copy3(e.x[0], e.x[1]);
        copy3(e.x[2], e.x[3]);
        struct contact_hessian rank = {0};
        edge_factor_hessian(&contact, x, &rank);
        assert_int_equal(rank.count, 0);
    }
}

// --- tapers ---

/// Edges that cross inside of both at a sine: from `inside` to the reach from the ends that random
/// ones of them are near, the others far away.
static void make_ends(double sine, double inside, struct edges *out) {
    double r[9];
    const double gap = pow(10.0, random_uniform(&numbers, -1.7, -0.02)) * REACH;
    const double cosine = sqrt(1.0 - sine * sine);
    const double far = 4.0 * REACH / sine;
    double from[PAIR_NODES];
    for (int end = 0; end < PAIR_NODES; end++) {
        const double near = random_uniform(&numbers, inside, 1.1) * REACH / sine;
        from[end] = random_index(&numbers, 2) == 0 ? near : far;
    }
    const double flat[PAIR_NODES][3] = {{-from[0], 0.0, 0.0},
                                        {from[1], 0.0, 0.0},
                                        {-from[2] * cosine, -from[2] * sine, gap},
                                        {from[3] * cosine, from[3] * sine, gap}};
    random_rotation(&numbers, r);
    for (int n = 0; n < PAIR_NODES; n++) {
        multiply3(r, flat[n], out->x[n]);
    }
}

/// As contacts are made. The length of the second edge at rest decides on the mollifier.
static void describe_tapered(const struct edges *e, struct active_contact *out) {
    const double *x[PAIR_NODES];
    describe(e, out);
    name(e, x);
    out->first = 0;
    out->second = 1;
    edge_factor_set(&tapering, REACH, x, out);
}

static bool is_left_out(const struct edges *e) {
    const double *x[PAIR_NODES];
    name(e, x);
    return edge_factor_is_negligible(&tapering, 0, 1, REACH, x);
}

static double tapered_value(void *context, const double *x) {
    struct edges e;
    struct active_contact contact;
    (void)context;
    memcpy(e.x, x, sizeof e.x);
    if (is_left_out(&e)) {
        return 0.0;
    }
    describe_tapered(&e, &contact);
    return contact.factor * contact.barrier.value;
}

static void tapered_gradient(void *context, const double *x, double *gradient) {
    struct edges e;
    struct active_contact contact;
    const double *nodes[PAIR_NODES];
    (void)context;
    memcpy(e.x, x, sizeof e.x);
    name(&e, nodes);
    if (is_left_out(&e)) {
        memset(gradient, 0, sizeof e.x);
        return;
    }
    describe_tapered(&e, &contact);
    double by_node[PAIR_NODES][3];
    for (int k = 0; k < PAIR_NODES; k++) {
        scale3(contact.factor * contact.barrier.first * contact.weight[k], contact.normal,
               by_node[k]);
    }
    edge_factor_add_gradient(&contact, nodes, by_node);
    memcpy(gradient, by_node, sizeof by_node);
}

/// At right angles and at shallow ones, mollified or not. Everything changes over gaps, distances
/// from ends and heights across, of no less than a fiftieth of the reach: of differences of the
/// fourth order at a thousandth of that 1e-12 is left, and rounding of 1e-16 over 1e-3. Where a
/// piece of a taper or the mollifier ends between the points second derivatives jump: a quarter of
/// the step keeps to one side.
static void tapered_forces_are_those_of_the_energy(void **state) {
    (void)state;
    const struct derivatives_function function = {
        .count = 3 * (size_t)PAIR_NODES, .value = tapered_value, .gradient = tapered_gradient};
    size_t tapered = 0;
    for (int round = 0; round < 4000; round++) {
        struct edges e;
        struct active_contact contact;
        make_ends(pow(10.0, random_uniform(&numbers, -1.5, -0.01)), 0.05, &e);
        squares[1] = pow(10.0, random_uniform(&numbers, -9.0, 0.0));
        describe_tapered(&e, &contact);
        tapered += contact.factor > 1e-6 && contact.factor < 0.99;
        const double step = 2e-5 * REACH;
        const double errors[2] = {derivatives_gradient_error(&function, e.x[0], step),
                                  derivatives_gradient_error(&function, e.x[0], 0.25 * step)};
        assert_small(fmin(errors[0], errors[1]), 1e-8, "gradient");
    }
    assert_true(tapered > 2000);
}

/// q of an end: what of its distance from the line of the other edge is not d.
static double across(const struct edges *e, int end, double d) {
    double v[3];
    double arm[3];
    double r[3];
    subtract3(e->x[end < 2 ? 3 : 1], e->x[end < 2 ? 2 : 0], v);
    subtract3(e->x[end], e->x[end < 2 ? 2 : 0], arm);
    cross3(arm, v, r);
    return sqrt(fmax(dot3(r, r) / dot3(v, v) - d * d, 0.0));
}

/// As eigenvectors are: no less than what it replaces would be true of any others, too.
static void assert_orthonormal(const struct contact_hessian *rank) {
    for (int i = 0; i < rank->count; i++) {
        for (int j = 0; j <= i; j++) {
            double dot = 0.0;
            for (int n = 0; n < PAIR_NODES; n++) {
                dot += dot3(rank->vector[i][n], rank->vector[j][n]);
            }
            assert_near(dot, i == j ? 1.0 : 0.0, 1e-12, "eigenvectors");
        }
    }
}

/// p^T H p of b(d) phi(q) beside one end, without the curvatures of d and q: never less, and the
/// same where it is positive in both. By central differences of d and q, as above.
static void beside_an_end_curvature_is_that_of_the_energy(void **state) {
    (void)state;
    size_t positive = 0;
    size_t negative = 0;
    for (int round = 0; round < 4000; round++) {
        struct edges e;
        struct edges way;
        struct active_contact contact;
        struct contact_hessian rank = {0};
        const double *x[PAIR_NODES];
        const int end = round % PAIR_NODES;
        make_ends(random_uniform(&numbers, 0.5, 1.0), 2.0, &e);
        // The end is brought near; all others are far.
        double foot[3] = {0.0, 0.0, 0.0};
        describe_tapered(&e, &contact);
        const int edge = end / 2 * 2;
        for (int k = edge; k < edge + 2; k++) {
            add_scaled3(foot, fabs(contact.weight[k]), e.x[k], foot);
        }
        double way_out[3];
        subtract3(e.x[end], foot, way_out);
        const double q = random_uniform(&numbers, 0.05, 0.95) * REACH;
        add_scaled3(foot, q / across(&e, end, contact.distance), way_out, e.x[end]);
        random_fill(&numbers, -1.0, 1.0, way.x[0], 3 * (size_t)PAIR_NODES);
        describe_tapered(&e, &contact);
        name(&e, x);
        edge_factor_hessian(&contact, x, &rank);
        assert_true(rank.count >= 1 && rank.count <= 2);
        assert_orthonormal(&rank);
        const double h = 1e-3 * fmin(contact.distance, q);
        double d[2];
        double apart[2];
        for (int i = 0; i < 2; i++) {
            struct edges at;
            struct active_contact there;
            go(&e, &way, (2 * i - 1) * h, &at);
            describe_tapered(&at, &there);
            d[i] = there.distance;
            apart[i] = across(&at, end, there.distance);
        }
        const double d1 = (d[1] - d[0]) / (2.0 * h);
        const double q1 = (apart[1] - apart[0]) / (2.0 * h);
        const struct barrier_value b = contact.barrier;
        const struct barrier_value phi = taper_evaluate(q, REACH);
        const double dd = phi.value * b.second;
        const double dq = phi.first * b.first;
        const double qq = phi.second * b.value;
        const double expected = dd * d1 * d1 + 2.0 * dq * d1 * q1 + qq * q1 * q1;
        const double size = dd * d1 * d1 + fabs(2.0 * dq * d1 * q1) + fabs(qq) * q1 * q1;
        const double found = along(&rank, &way);
        assert_true(found >= expected - 1e-3 * size);
        // The gradients of d and q are not orthogonal, so the whole is positive where this is.
        if (dd * qq > dq * dq && qq > 0.0) {
            assert_small(fabs(found - expected), 1e-3 * size, "curvature");
            positive++;
        } else {
            negative++;
        }
    }
    assert_true(positive > 100 && negative > 100);
}

enum { ROWS = 3 * PAIR_NODES };

/// out = G (hess E) G^T of b(d) and the tapers at all ends, G by central differences of d and q.
static void differentiate(const struct edges *e, double out[ROWS][ROWS]) {
    struct active_contact contact;
    struct barrier_value f[1 + PAIR_NODES];
    double g[1 + PAIR_NODES][ROWS];
    describe_tapered(e, &contact);
    f[0] = contact.barrier;
    double least = contact.distance;
    for (int i = 0; i < PAIR_NODES; i++) {
        const double q = across(e, i, contact.distance);
        f[1 + i] = taper_evaluate(q, REACH);
        least = fmin(least, q);
    }
    const double h = 1e-4 * least;
    for (int k = 0; k < ROWS; k++) {
        struct edges at = *e;
        double value[2][1 + PAIR_NODES];
        for (int side = 0; side < 2; side++) {
            at.x[k / 3][k % 3] = e->x[k / 3][k % 3] + (2 * side - 1) * h;
            describe_tapered(&at, &contact);
            value[side][0] = contact.distance;
            for (int i = 0; i < PAIR_NODES; i++) {
                value[side][1 + i] = across(&at, i, contact.distance);
            }
        }
        for (int i = 0; i <= PAIR_NODES; i++) {
            g[i][k] = (value[1][i] - value[0][i]) / (2.0 * h);
        }
    }
    memset(out, 0, sizeof(double[ROWS][ROWS]));
    for (int i = 0; i <= PAIR_NODES; i++) {
        for (int j = 0; j <= PAIR_NODES; j++) {
            double second = i == j ? f[i].second : f[i].first * f[j].first;
            for (int k = 0; k <= PAIR_NODES; k++) {
                second *= k == i || k == j ? 1.0 : f[k].value;
            }
            for (int k = 0; k < ROWS * ROWS; k++) {
                out[k / ROWS][k % ROWS] += second * g[i][k / ROWS] * g[j][k % ROWS];
            }
        }
    }
}

/// Beside any number of ends at once. The positive part H of a symmetric A is the one matrix with H
/// and H - A semidefinite and H (H - A) = 0. The first is true of any sum of squares. Differences
/// with steps of 1e-4 of the least distance leave 1e-7 of the largest second derivatives, and the
/// rounding of q, the root of a difference, as much.
static void beside_several_ends_the_positive_part_is_taken(void **state) {
    (void)state;
    for (int round = 0; round < 1000; round++) {
        struct edges e;
        struct active_contact contact;
        struct contact_hessian rank = {0};
        const double *x[PAIR_NODES];
        double a[ROWS][ROWS];
        double h[ROWS][ROWS] = {{0.0}};
        make_ends(random_uniform(&numbers, 0.3, 1.0), 0.2, &e);
        describe_tapered(&e, &contact);
        name(&e, x);
        differentiate(&e, a);
        edge_factor_hessian(&contact, x, &rank);
        double size = 0.0;
        for (int k = 0; k < ROWS * ROWS; k++) {
            for (int i = 0; i < rank.count; i++) {
                const double *const v = rank.vector[i][0];
                h[k / ROWS][k % ROWS] += rank.coefficient[i] * v[k / ROWS] * v[k % ROWS];
            }
            size = fmax(size, fabs(a[k / ROWS][k % ROWS]));
        }
        double way[ROWS];
        random_fill(&numbers, -1.0, 1.0, way, ROWS);
        double above = 0.0;
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < ROWS; j++) {
                double product = 0.0;
                for (int k = 0; k < ROWS; k++) {
                    product += h[i][k] * (h[k][j] - a[k][j]);
                }
                assert_small(fabs(product), 1e-4 * size * size, "H (H - A)");
                above += way[i] * (h[i][j] - a[i][j]) * way[j];
            }
        }
        assert_true(above >= -1e-4 * size);
    }
}

/// One edge slides over the end of the other one, or turns until they are parallel and on: the
/// energy changes by no more than the largest force times the way, and so does the force by no more
/// than the largest stiffness: neither jumps. What is left out pushes with less than 1e-9 of b over
/// the reach.
static void nothing_jumps_at_ends(void **state) {
    (void)state;
    const double step = 1e-10 * REACH;
    for (int round = 0; round < 4000; round++) {
        struct edges e;
        struct edges at;
        double energy[3];
        double force[3][3 * PAIR_NODES];
        make_ends(pow(10.0, random_uniform(&numbers, -1.5, -0.01)), 0.05, &e);
        struct edges way = {{{0.0}}};
        struct active_contact contact;
        describe_tapered(&e, &contact);
        if (round % 2 == 0) {
            // The whole first edge moves along itself, until its end is where the lines cross.
            double u[3];
            subtract3(e.x[1], e.x[0], u);
            for (int n = 0; n < 2; n++) {
                add_scaled3(e.x[n], fabs(contact.weight[1]), u, e.x[n]);
                scale3(1.0 / norm3(u), u, way.x[n]);
            }
        } else {
            // The second edge becomes parallel to the first one about the point where they cross.
            double u[3];
            double foot[3] = {0.0, 0.0, 0.0};
            subtract3(e.x[1], e.x[0], u);
            scale3(1.0 / norm3(u), u, u);
            for (int k = 2; k < 4; k++) {
                add_scaled3(foot, fabs(contact.weight[k]), e.x[k], foot);
            }
            for (int k = 2; k < 4; k++) {
                double arm[3];
                subtract3(e.x[k], foot, arm);
                add_scaled3(foot, copysign(norm3(arm), dot3(arm, u)), u, e.x[k]);
                cross3(contact.normal, arm, way.x[k]);
                scale3(1.0 / norm3(arm), way.x[k], way.x[k]);
                scale3(k == 2 ? 1.0 : -1.0, way.x[k], way.x[k]);
            }
            cross3(contact.normal, u, way.x[2]);
            scale3(-1.0, way.x[2], way.x[3]);
        }
        for (int i = 0; i < 3; i++) {
            go(&e, &way, (i - 1) * step, &at);
            energy[i] = tapered_value(NULL, at.x[0]);
            tapered_gradient(NULL, at.x[0], force[i]);
        }
        const double most = contact.barrier.value + 1e-300;
        for (int i = 1; i < 3; i++) {
            assert_small(fabs(energy[i] - energy[i - 1]), 1e-7 * most, "energy");
            for (int k = 0; k < 3 * PAIR_NODES; k++) {
                assert_small(fabs(force[i][k] - force[i - 1][k]),
                             1e-7 * (most / REACH - contact.barrier.first), "force");
            }
        }
    }
}

/// Where edges nearly touch and are tapered at all, an end is within the reach of the other edge,
/// so that it touches the triangle of that; and what is negligible is: by the factor where the
/// lines cross inside of both edges, and always where they do not.
static void ends_take_over(void **state) {
    (void)state;
    size_t covered = 0;
    size_t negligible = 0;
    for (int round = 0; round < 20000; round++) {
        struct edges e;
        struct active_contact contact;
        const double *x[PAIR_NODES];
        make_ends(pow(10.0, random_uniform(&numbers, -3.0, -0.01)), round % 2 == 0 ? 0.0 : -0.5,
                  &e);
        describe_tapered(&e, &contact);
        name(&e, x);
        negligible += is_left_out(&e);
        assert_true(is_left_out(&e) || contact.factor > 0.0);
        assert_true(!is_left_out(&e) || contact.factor < 1e-20);
        if (contact.distance > 0.1 * REACH || contact.factor > 0.95) {
            continue;
        }
        double least = INFINITY;
        for (int end = 0; end < PAIR_NODES; end++) {
            const double *const pair[PAIR_NODES] = {x[end], x[end < 2 ? 2 : 0], x[end < 2 ? 3 : 1]};
            least = fmin(least, sqrt(closest_squared(PAIR_POINT_EDGE, pair)));
        }
        assert_true(least < REACH);
        covered++;
    }
    assert_true(covered > 2000 && negligible > 2000);
}

static double norm_square_of_cross(const struct edges *e) {
    double r[3];
    crossing(e, r);
    return dot3(r, r);
}

/// The ends of an edge touch nothing beside one that has no triangle. Nor does the corner of a
/// border's triangle beside that border, so of one part neither may be a border. Those have IPC's
/// mollifier alone: at a millionth of its threshold, a thousandth of the squares of both lengths at
/// rest, 2e-6 - 1e-12.
static void edges_are_tapered_where_ends_touch(void **state) {
    (void)state;
    for (int i = 0; i < 18; i++) {
        struct edges e;
        struct active_contact contact;
        const double *x[PAIR_NODES];
        triangles[0] = (uint8_t)(i % 3);
        triangles[1] = (uint8_t)(i / 3 % 3);
        parts[2] = parts[3] = i < 9 ? 1 : 0;
        const bool expected = parts[2] == 0 ? triangles[0] == 2 && triangles[1] == 2
                                            : triangles[0] > 0 && triangles[1] > 0;
        make_ends(0.9, 0.05, &e);
        double foot[3];
        copy3(e.x[0], foot);
        describe_tapered(&e, &contact);
        assert_int_equal(contact.taper_width == REACH, expected);
        if (!expected) {
            assert_true(contact.factor == 1.0 && contact.taper_width == 0.0);
            squares[1] = 1e9 * norm_square_of_cross(&e);
            describe_tapered(&e, &contact);
            assert_near(contact.factor, 2e-6 - 1e-12, 1e-18, "mollifier");
            squares[1] = 1e-9;
        }
        // The first edge now begins where the lines cross.
        for (int k = 0; k < 3; k++) {
            e.x[0][k] = fabs(contact.weight[0]) * foot[k] + fabs(contact.weight[1]) * e.x[1][k];
        }
        name(&e, x);
        assert_int_equal(edge_factor_is_negligible(&tapering, 0, 1, REACH, x), expected);
    }
    triangles[0] = triangles[1] = 2;
    parts[2] = parts[3] = 1;
}

/// Parallel edges and ones without a length are no contact; what is not finite is one, so that it
/// is seen.
static void degenerate_edges_are_left_out(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct edges e;
        const double *x[PAIR_NODES];
        make_edges(0.0, &e);
        name(&e, x);
        assert_true(edge_factor_is_negligible(&tapering, 0, 1, REACH, x));
        make_ends(0.9, 0.05, &e);
        assert_false(edge_factor_is_negligible(&tapering, 0, 1, REACH, x));
        const double kept = e.x[i % PAIR_NODES][i % 3];
        e.x[i % PAIR_NODES][i % 3] = NAN;
        assert_false(edge_factor_is_negligible(&tapering, 0, 1, REACH, x));
        e.x[i % PAIR_NODES][i % 3] = kept;
        copy3(e.x[i % 2 * 2], e.x[i % 2 * 2 + 1]);
        assert_true(edge_factor_is_negligible(&tapering, 0, 1, REACH, x));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tapered_forces_are_those_of_the_energy, setup),
        cmocka_unit_test_setup(beside_an_end_curvature_is_that_of_the_energy, setup),
        cmocka_unit_test_setup(nothing_jumps_at_ends, setup),
        cmocka_unit_test_setup(ends_take_over, setup),
        cmocka_unit_test_setup(edges_are_tapered_where_ends_touch, setup),
        cmocka_unit_test_setup(degenerate_edges_are_left_out, setup),
        cmocka_unit_test_setup(beside_several_ends_the_positive_part_is_taken, setup),
        cmocka_unit_test_setup(curvature_is_that_of_the_energy, setup),
        cmocka_unit_test_setup(parallel_edges_have_a_curvature, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
