// The Hessian of nearly parallel edges beside second differences of their energy m(s^2) b(d) along
// random directions.
#include "contact/barrier/mollified_edges.h"

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

static const double REACH = 1e-2, THRESHOLD = 1e-3;

static struct random numbers;

static int setup(void **state) {
    (void)state;
    numbers = random_seed(5);
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
    out->mollifier = mollifier_evaluate(edges_cross_squared(x, NULL), THRESHOLD).value;
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
        mollified_edges_hessian(&contact, x, &rank);
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
            mollified_edges_hessian(&contact, x, &rank);
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
            mollified_edges_hessian(&contact, x, &rank);
            const double expected = 2.0 * mollifier_evaluate(0.0, THRESHOLD).first *
                                    contact.barrier.value * dot3(bend, bend);
            assert_small(fabs(along(&rank, &way) - expected), 1e-12 * expected, "curvature");
        }
        copy3(e.x[0], e.x[1]);
        copy3(e.x[2], e.x[3]);
        struct contact_hessian rank = {0};
        mollified_edges_hessian(&contact, x, &rank);
        assert_int_equal(rank.count, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(curvature_is_that_of_the_energy, setup),
        cmocka_unit_test_setup(parallel_edges_have_a_curvature, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
