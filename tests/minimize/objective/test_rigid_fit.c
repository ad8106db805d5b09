// The rigid motion of a rest shape that comes nearest to where nodes are to be.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "minimize/objective/rigid_fit.h"
#include "support/random.h"
#include "support/testing.h"

enum { FIRST = 3, NODES = 20, ALL = FIRST + NODES + 2 };

static double places[3 * NODES], target[3 * ALL], out[3 * ALL], mass[ALL];
static uint8_t held[ALL];
static struct rest_shape shape = {FIRST, NODES, places, true};

static void begin(struct random *random) {
    random_fill(random, -1.0, 1.0, places, 3 * NODES);
    random_fill(random, -5.0, 5.0, target, (size_t)3 * ALL);
    random_fill(random, 0.1, 2.0, mass, ALL);
    memset(held, 0, sizeof held);
    memset(out, 0, sizeof out);
}

/// sum m |out - target|^2 over the shape's nodes.
static double misfit(const double *x) {
    double sum = 0.0;
    for (size_t i = FIRST; i < FIRST + NODES; i++) {
        double away[3];
        subtract3(x + 3 * i, target + 3 * i, away);
        sum += mass[i] * dot3(away, away);
    }
    return sum;
}

/// A shape that was turned and moved is found where it is; nodes of others are not touched.
static void moved_shapes_are_found(void **state) {
    (void)state;
    struct random random = random_seed(4);
    for (int i = 0; i < 50; i++) {
        double rotation[9];
        begin(&random);
        random_rotation(&random, rotation);
        for (size_t k = 0; k < NODES; k++) {
            multiply3(rotation, places + 3 * k, target + 3 * (FIRST + k));
            target[3 * (FIRST + k)] += 100.0;
        }
        assert_true(rigid_fit(&shape, mass, held, target, out));
        for (size_t k = 0; k < (size_t)3 * ALL; k++) {
            const bool own = k / 3 >= FIRST && k / 3 < FIRST + NODES;
            assert_near(out[k], own ? target[k] : 0.0, 1e-12, "place");
        }
    }
}

/// Of targets that are no image of the shape, also of its mirror image, the fit is the best rigid
/// one: distances are kept, and no small turn or shift comes nearer. The centres of mass agree.
static void fits_are_the_nearest_rigid_ones(void **state) {
    (void)state;
    struct random random = random_seed(8);
    for (int i = 0; i < 50; i++) {
        begin(&random);
        for (size_t k = 0; k < NODES && i % 2 == 0; k++) {
            copy3(places + 3 * k, target + 3 * (FIRST + k));
            target[3 * (FIRST + k)] *= -1.0;
        }
        assert_true(rigid_fit(&shape, mass, NULL, target, out));
        const double least = misfit(out);
        double balance[3] = {0.0, 0.0, 0.0}, volume[2];
        for (int end = 0; end < 2; end++) {
            const double *x = end ? out + 3 * FIRST : places;
            double sides[9];
            for (size_t k = 0; k < 3; k++) {
                subtract3(x + 3 * (k + 1), x, sides + 3 * k);
            }
            volume[end] = determinant3(sides);
        }
        assert_near(volume[1], volume[0], 1e-12, "volume of four nodes");
        for (size_t k = FIRST; k < FIRST + NODES; k++) {
            double away[3];
            subtract3(out + 3 * k, target + 3 * k, away);
            add_scaled3(balance, mass[k], away, balance);
        }
        assert_near(norm3(balance), 0.0, 1e-11, "centre of mass");
        for (int trial = 0; trial < 20; trial++) {
            static double other[3 * ALL];
            double turn[3], shift[3];
            random_fill(&random, -0.02, 0.02, turn, 3);
            random_fill(&random, -0.02, 0.02, shift, 3);
            const double length = norm3(turn);
            for (size_t k = FIRST; k < FIRST + NODES; k++) {
                // Rodrigues' formula.
                double across[3], twice[3];
                cross3(turn, out + 3 * k, across);
                cross3(turn, across, twice);
                copy3(out + 3 * k, other + 3 * k);
                add_scaled3(other + 3 * k, sin(length) / length, across, other + 3 * k);
                add_scaled3(other + 3 * k, (1.0 - cos(length)) / (length * length), twice,
                            other + 3 * k);
                add3(other + 3 * k, shift, other + 3 * k);
            }
            assert_true(misfit(other) >= least * (1.0 - 1e-12));
        }
    }
}

static void what_is_held_or_no_number_is_left_alone(void **state) {
    (void)state;
    struct random random = random_seed(6);
    begin(&random);
    held[FIRST + 7] = 2;
    assert_false(rigid_fit(&shape, mass, held, target, out));
    held[FIRST + 7] = 0;
    held[FIRST - 1] = 7;
    assert_true(rigid_fit(&shape, mass, held, target, out));
    memset(out, 0, sizeof out);
    target[3 * FIRST + 4] = INFINITY;
    assert_false(rigid_fit(&shape, mass, held, target, out));
    for (size_t k = 0; k < (size_t)3 * ALL; k++) {
        assert_true(out[k] == 0.0);
    }
    // All at one place: any rotation is as good.
    for (size_t k = 0; k < (size_t)3 * ALL; k++) {
        target[k] = 1.0;
    }
    assert_true(rigid_fit(&shape, mass, held, target, out));
    double sum = 0.0;
    for (size_t k = 0; k < NODES; k++) {
        sum += fabs(out[3 * (FIRST + k)]);
    }
    assert_true(isfinite(sum));
}

/// Of the shape that the nodes have, not that of rest, which is the same for a shape at rest.
static void present_shapes_are_moved_likewise(void **state) {
    (void)state;
    static double x[3 * ALL], other[3 * ALL];
    struct random random = random_seed(12);
    begin(&random);
    random_fill(&random, -1.0, 1.0, x, (size_t)3 * ALL);
    memcpy(x + 3 * FIRST, places, sizeof places);
    assert_true(rigid_fit(&shape, mass, held, target, out));
    assert_true(rigid_align(&shape, mass, held, target, x, other));
    assert_same_bits(out, other, (size_t)3 * ALL);
    held[FIRST] = 1;
    assert_false(rigid_align(&shape, mass, held, target, x, other));
    held[FIRST] = 0;
    // On a line: any turn about it is as good. All at one place: any turn at all.
    for (int spread = 1; spread >= 0; spread--) {
        for (size_t k = 0; k < (size_t)3 * NODES; k++) {
            x[3 * FIRST + k] = 1.0 + 0.25 * spread * (double)(k / 3) * (double)(k % 3);
        }
        assert_false(rigid_align(&shape, mass, held, target, x, other));
    }
    assert_same_bits(out, other, (size_t)3 * ALL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_shapes_are_found),
        cmocka_unit_test(fits_are_the_nearest_rigid_ones),
        cmocka_unit_test(what_is_held_or_no_number_is_left_alone),
        cmocka_unit_test(present_shapes_are_moved_likewise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
