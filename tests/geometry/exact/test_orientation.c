// Compares signs of determinants with 128-bit integers: points on lattices, nearly or exactly in
// one plane, with coordinates whose differences are not doubles.
// SPDX-License-Identifier: MIT
#include "geometry/exact/orientation.h"

#include "geometry/exact/expansion.h"
#include "support/random.h"
#include "support/testing.h"

__extension__ typedef __int128 wide;

static struct random numbers;

static int sign_of_wide(wide a) {
    return (a > 0) - (a < 0);
}

static int exact_of_four(int64_t p[4][3]) {
    wide m[3][3];
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) {
            m[r][k] = (wide)p[r + 1][k] - p[0][k];
        }
    }
    return sign_of_wide(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                        m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                        m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]));
}

static int exact_of_three(int64_t p[3][3], int dropped) {
    const int i = (dropped + 1) % 3;
    const int j = (dropped + 2) % 3;
    return sign_of_wide(((wide)p[1][i] - p[0][i]) * ((wide)p[2][j] - p[0][j]) -
                        ((wide)p[1][j] - p[0][j]) * ((wide)p[2][i] - p[0][i]));
}

/// A random integer of up to that many bits, of either sign.
static int64_t any_of_bits(int bits) {
    const int64_t size = (int64_t)(random_bits(&numbers) >> (64 - bits));
    return random_index(&numbers, 2) == 0 ? size : -size;
}

/// The nearest integer that is a double.
static int64_t in_double(int64_t a) {
    return (int64_t)(double)a;
}

static int compare_four(int64_t p[4][3], double scale) {
    double x[4][3];
    for (int r = 0; r < 4; r++) {
        for (int k = 0; k < 3; k++) {
            x[r][k] = (double)p[r][k] * scale;
        }
    }
    const int expected = exact_of_four(p);
    assert_int_equal(orientation_of_four(x[0], x[1], x[2], x[3]), expected);
    assert_int_equal(orientation_of_four(x[1], x[0], x[2], x[3]), -expected);
    assert_int_equal(orientation_of_four(x[2], x[3], x[0], x[1]), expected);
    for (int dropped = 0; dropped < 3; dropped++) {
        assert_int_equal(orientation_of_three(x[0], x[1], x[2], dropped),
                         exact_of_three(p, dropped));
    }
    return expected;
}

/// Scales at the ends of the documented range: sizes 1e-90 and 1e100.
static double any_scale(void) {
    static const double scales[] = {1.0, 0x1p-40, 0x1p-298, 0x1p270};
    return scales[random_index(&numbers, COUNT_OF(scales))];
}

static void test_small_whole_numbers(void **state) {
    (void)state;
    int flat = 0;
    for (int trial = 0; trial < 100000; trial++) {
        int64_t p[4][3];
        for (int i = 0; i < 12; i++) {
            p[i / 3][i % 3] = any_of_bits(1 + trial % 4);
        }
        flat += compare_four(p, any_scale()) == 0;
    }
    // With one bit, half of all cases are flat.
    assert_true(flat > 10000 && flat < 90000);
}

/// d is in the plane of a, b, c or one lattice step away from it.
static void test_nearly_coplanar(void **state) {
    (void)state;
    int signs[3] = {0, 0, 0};
    for (int trial = 0; trial < 100000; trial++) {
        int64_t p[4][3];
        for (int i = 0; i < 9; i++) {
            p[i / 3][i % 3] = any_of_bits(1 + trial % 32);
        }
        const int64_t s = any_of_bits(4);
        const int64_t t = any_of_bits(4);
        for (int k = 0; k < 3; k++) {
            p[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
        }
        p[3][random_index(&numbers, 3)] += (int64_t)random_index(&numbers, 3) - 1;
        signs[1 + compare_four(p, any_scale())]++;
    }
    assert_true(signs[0] > 20000 && signs[1] > 20000 && signs[2] > 20000);
}

/// On one axis coordinates have 58 bits and small ones are among them, so that differences have a
/// second term.
static void test_differences_that_no_double_holds(void **state) {
    (void)state;
    int signs[3] = {0, 0, 0};
    for (int trial = 0; trial < 100000; trial++) {
        int64_t p[4][3];
        const size_t wide_axis = random_index(&numbers, 3);
        for (size_t i = 0; i < 12; i++) {
            const bool is_wide = i % 3 == wide_axis && random_index(&numbers, 2) == 0;
            p[i / 3][i % 3] = in_double(any_of_bits(is_wide ? 58 : 1 + trial % 8));
        }
        // Integer multiples of one edge, so that the sign depends on the last bit.
        for (size_t k = 0; k < 3 && trial % 2 == 0; k++) {
            p[2][k] = p[0][k];
            p[3][k] = p[1][k];
        }
        p[3][random_index(&numbers, 3)] += trial % 4 == 0;
        p[2][random_index(&numbers, 3)] += trial % 8 == 0;
        for (int i = 0; i < 12; i++) {
            p[i / 3][i % 3] = in_double(p[i / 3][i % 3]);
        }
        signs[1 + compare_four(p, 1.0)]++;
    }
    assert_true(signs[0] > 10000 && signs[1] > 10000 && signs[2] > 10000);
}

/// Points of a plane across an axis, and of a line along one, have orientation 0; one whose
/// coordinate is the next double has not.
static void test_planes_across_axes(void **state) {
    (void)state;
    for (size_t axis = 0; axis < 3; axis++) {
        double p[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.3, 0.7, 0.0}};
        for (size_t i = 0; i < 4; i++) {
            const double x = p[i][0], y = p[i][1];
            p[i][axis] = 0.1;
            p[i][(axis + 1) % 3] = x;
            p[i][(axis + 2) % 3] = y;
        }
        assert_int_equal(orientation_of_four(p[0], p[1], p[2], p[3]), 0);
        assert_int_equal(orientation_of_three(p[0], p[1], p[3], (int)(axis + 1) % 3), 0);
        assert_int_equal(orientation_of_three(p[0], p[1], p[3], (int)(axis + 2) % 3), 0);
        assert_int_equal(orientation_of_three(p[0], p[1], p[3], (int)axis), 1);
        p[3][axis] = nextafter(0.1, 1.0);
        assert_int_equal(orientation_of_four(p[0], p[1], p[2], p[3]), 1);
        assert_true(orientation_of_three(p[0], p[1], p[3], (int)(axis + 2) % 3) != 0);
    }
}

/// The doubles around (1/2, 1/2) against the line y = x (Kettner et al. 2008).
static void test_the_diagonal(void **state) {
    (void)state;
    const double unit = 0x1p-53;
    const double one = 0x1p53;
    int zero = 0;
    for (int64_t i = 0; i < 256; i++) {
        for (int64_t j = 0; j < 256; j++) {
            int64_t p[4][3] = {{((int64_t)1 << 52) + i, ((int64_t)1 << 52) + j, 0},
                               {12 * (int64_t)one, 12 * (int64_t)one, 0},
                               {24 * (int64_t)one, 24 * (int64_t)one, 0},
                               {0, 0, 5}};
            double x[4][3];
            for (int k = 0; k < 12; k++) {
                x[k / 3][k % 3] = (double)p[k / 3][k % 3] * unit;
            }
            const int expected = exact_of_three(p, 2);
            assert_int_equal(expected, i == j ? 0 : (i < j) - (i > j));
            assert_int_equal(orientation_of_three(x[0], x[1], x[2], 2), expected);
            assert_int_equal(orientation_of_four(x[0], x[1], x[2], x[3]), exact_of_four(p));
            zero += expected == 0;
        }
    }
    assert_int_equal(zero, 256);
}

/// Sums and products of expansions stay exact, sorted and without overlap.
static void test_expansions(void **state) {
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        const int64_t n[4] = {any_of_bits(60), any_of_bits(60), any_of_bits(30), any_of_bits(30)};
        double a[2];
        double b[2];
        double sum[4];
        double scratch[16];
        double product[16];
        const double low = (double)n[2];
        const size_t a_count = expansion_difference((double)n[0], low, a);
        const size_t b_count = expansion_difference((double)n[1], (double)n[3], b);
        const size_t sum_count = expansion_add(a, a_count, b, b_count, sum);
        wide value = 0;
        for (size_t i = 0; i < sum_count; i++) {
            value += (wide)sum[i];
            assert_true(i == 0 || fmod(sum[i], exp2(1 + ilogb(sum[i - 1]))) == 0.0);
        }
        const wide left = (wide)(double)n[0] - n[2];
        const wide right = (wide)(double)n[1] - n[3];
        assert_true(value == left + right);
        assert_int_equal(expansion_sign(sum, sum_count), sign_of_wide(value));
        const size_t count = expansion_multiply(a, a_count, b, b_count, scratch, product);
        value = 0;
        for (size_t i = 0; i < count; i++) {
            value += (wide)product[i];
            assert_true(product[i] != 0.0);
        }
        assert_true(value == left * right);
        // a - (a + b) + b
        double rest[6];
        double nothing[8];
        const size_t rest_count = expansion_subtract(a, a_count, sum, sum_count, rest);
        assert_int_equal(expansion_add(rest, rest_count, b, b_count, nothing), 0);
    }
}

/// Products that overflow and coordinates that are not finite must not overrun the expansions,
/// which NaN would fill without end.
static void test_beyond_the_promise(void **state) {
    (void)state;
    static const double sizes[] = {1e102, 1e103,   1e150, 1e160,   1e170,
                                   1e300, 1.7e308, NAN,   INFINITY};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        for (int trial = 0; trial < 2000; trial++) {
            double x[4][3];
            for (int i = 0; i < 12; i++) {
                const double part = random_uniform(&numbers, -1.0, 1.0);
                x[i / 3][i % 3] = random_index(&numbers, 3) == 0 ? part : sizes[s] * part;
            }
            const int four = orientation_of_four(x[0], x[1], x[2], x[3]);
            const int three = orientation_of_three(x[0], x[1], x[2], trial % 3);
            assert_true(four >= -1 && four <= 1 && three >= -1 && three <= 1);
        }
    }
}

int main(void) {
    numbers = random_seed(11);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_whole_numbers),
        cmocka_unit_test(test_nearly_coplanar),
        cmocka_unit_test(test_differences_that_no_double_holds),
        cmocka_unit_test(test_planes_across_axes),
        cmocka_unit_test(test_the_diagonal),
        cmocka_unit_test(test_expansions),
        cmocka_unit_test(test_beyond_the_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
