// What step controls measure: every node counts, and every two that a stencil joins.
// SPDX-License-Identifier: MIT
#include "integrate/step_control/step_measure.h"

#include "base/matrix3/math3.h"
#include "support/testing.h"

enum { CORNERS = 4, NODES = 9 };

static const uint8_t places[NODES] = {NODE_POSITION};

/// Two regular tetrahedra of side 1, far apart, and a node between them that nothing joins.
static void make(struct memory *memory, struct assembly *assembly, double *x) {
    static const uint32_t tets[2 * CORNERS] = {0, 1, 2, 3, 8, 6, 5, 7};
    // Corners of a cube, of which every two are a diagonal of a face apart.
    static const double corners[CORNERS][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
    const struct stencils set = {2, CORNERS, tets};
    memory_init(memory, NULL);
    assert_ok(assembly_build(memory, NODES, 1, &set, 1, assembly));
    for (size_t i = 0; i < (size_t)3 * NODES; i++) {
        x[i] = 5.0;
    }
    for (size_t i = 0; i < 2 * CORNERS; i++) {
        for (size_t k = 0; k < 3; k++) {
            x[3 * tets[i] + k] = sqrt(0.5) * corners[i % CORNERS][k] + (i < CORNERS ? 0.0 : 10.0);
        }
    }
}

static void turn_about(const double *a, const double *b, double angle, double *x) {
    double axis[3], from[3], across[3], on[3];
    subtract3(b, a, axis);
    scale3(1.0 / norm3(axis), axis, axis);
    subtract3(x, a, from);
    add_scaled3(a, dot3(from, axis), axis, on);
    subtract3(x, on, from);
    cross3(axis, from, across);
    add_scaled3(on, cos(angle), from, x);
    add_scaled3(x, sin(angle), across, x);
}

/// A corner that turns about the edge between two others changes its distance from the fourth one
/// alone: each of the six is seen, in both tetrahedra. Both are on a circle about that edge, of a
/// face's height sqrt(3) / 2, as far apart as faces, arccos 1/3: what is between them is a chord.
static void every_two_joined_nodes_count(void **state) {
    (void)state;
    struct memory memory;
    struct assembly assembly;
    double x[3 * NODES], y[3 * NODES];
    make(&memory, &assembly, x);
    const double before = 2.0 * sqrt(0.75) * sin(0.5 * acos(1.0 / 3.0));
    assert_near(before, 1.0, 1e-15, "side");
    for (size_t tet = 0; tet < 2; tet++) {
        static const uint32_t tets[2][CORNERS] = {{0, 1, 2, 3}, {8, 6, 5, 7}};
        for (size_t e = 0; e < CORNERS * CORNERS; e++) {
            const size_t a = e / CORNERS, b = e % CORNERS;
            size_t axis[CORNERS], count = 0;
            if (a == b) {
                continue;
            }
            for (size_t k = 0; k < CORNERS; k++) {
                axis[count] = tets[tet][k];
                count += k != a && k != b;
            }
            memcpy(y, x, sizeof y);
            turn_about(x + 3 * axis[0], x + 3 * axis[1], 0.1, y + 3 * (size_t)tets[tet][b]);
            // Towards a or away from it, as the axis points.
            double between[3];
            subtract3(y + 3 * (size_t)tets[tet][b], x + 3 * (size_t)tets[tet][a], between);
            const double sign = norm3(between) < 1.0 ? -1.0 : 1.0;
            const double after = 2.0 * sqrt(0.75) * sin(0.5 * (acos(1.0 / 3.0) + sign * 0.1));
            // Coordinates of 10 m are rounded to 2e-15.
            assert_near(measure_stretch(&assembly, places, x, y), fabs(after - before), 1e-14,
                        "stretch, m");
        }
    }
    assembly_free(&memory, &assembly);
}

/// Who moves on the whole, is joined to nothing, or is a rotation, stretches nothing; but each has
/// gone a way.
static void ways_are_no_stretch(void **state) {
    (void)state;
    struct memory memory;
    struct assembly assembly;
    double x[3 * NODES], y[3 * NODES];
    make(&memory, &assembly, x);
    memcpy(y, x, sizeof y);
    y[3 * 4 + 1] += 3.0;
    assert_true(measure_stretch(&assembly, places, x, y) == 0.0);
    for (size_t i = 0; i < CORNERS; i++) {
        y[3 * i] += 0.25;
    }
    assert_small(measure_stretch(&assembly, places, x, y), 1e-15, "stretch, m");
    for (size_t i = 0; i < NODES; i++) {
        memcpy(y, x, sizeof y);
        y[3 * i + i % 3] -= 2.0;
        assert_near(measure_distance(NODES, x, y), 2.0, 1e-14, "way, m");
        uint8_t kind[NODES] = {NODE_POSITION};
        kind[i] = NODE_ROTATION;
        assert_true(measure_stretch(&assembly, kind, x, y) == 0.0);
        double v[3 * NODES] = {0.0};
        v[3 * i] = 3.0;
        v[3 * i + 2] = -4.0;
        assert_true(measure_longest(NODES, v) == 5.0);
    }
    assembly_free(&memory, &assembly);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_two_joined_nodes_count),
        cmocka_unit_test(ways_are_no_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
