// SPDX-License-Identifier: MIT
#include "geometry/exact/expansion.h"

#include <math.h>

/// sum + error = a + b exactly (Knuth's TwoSum).
static double two_sum(double a, double b, double *error) {
    const double sum = a + b;
    const double b_part = sum - a;
    const double a_part = sum - b_part;
    *error = (a - a_part) + (b - b_part);
    return sum;
}

/// product + error = a b exactly.
static double two_product(double a, double b, double *error) {
    const double product = a * b;
    *error = fma(a, b, -product);
    return product;
}

static size_t append(double term, size_t count, double *out) {
    out[count] = term;
    return count + (term != 0.0);
}

size_t expansion_difference(double a, double b, double *out) {
    double error;
    const double difference = two_sum(a, -b, &error);
    const size_t count = append(error, 0, out);
    return append(difference, count, out);
}

/// Fast-Expansion-Sum (Shewchuk, figure 8): merges the terms by size and adds them up.
size_t expansion_add(const double *a, size_t a_count, const double *b, size_t b_count,
                     double *out) {
    size_t i = 0;
    size_t j = 0;
    size_t count = 0;
    double sum = 0.0;
    while (i < a_count || j < b_count) {
        const int use_a = j == b_count || (i < a_count && fabs(a[i]) < fabs(b[j]));
        double error;
        sum = two_sum(sum, use_a ? a[i++] : b[j++], &error);
        count = append(error, count, out);
    }
    return sum == 0.0 ? count : append(sum, count, out);
}

size_t expansion_subtract(const double *a, size_t a_count, double *b, size_t b_count, double *out) {
    for (size_t i = 0; i < b_count; i++) {
        b[i] = -b[i];
    }
    return expansion_add(a, a_count, b, b_count, out);
}

/// Scale-Expansion (Shewchuk, figure 13).
size_t expansion_scale(const double *a, size_t a_count, double s, double *out) {
    size_t count = 0;
    double sum = 0.0;
    for (size_t i = 0; i < a_count; i++) {
        double low;
        double error;
        const double high = two_product(a[i], s, &low);
        sum = two_sum(sum, low, &error);
        count = append(error, count, out);
        sum = two_sum(high, sum, &error);
        count = append(error, count, out);
    }
    return sum == 0.0 ? count : append(sum, count, out);
}

size_t expansion_multiply(const double *a, size_t a_count, const double *b, size_t b_count,
                          double *scratch, double *out) {
    if (b_count == 0) {
        return 0;
    }
    if (b_count == 1) {
        return expansion_scale(a, a_count, b[0], out);
    }
    double *second = scratch + 2 * a_count;
    const size_t first_count = expansion_scale(a, a_count, b[0], scratch);
    const size_t second_count = expansion_scale(a, a_count, b[1], second);
    return expansion_add(scratch, first_count, second, second_count, out);
}

int expansion_sign(const double *a, size_t a_count) {
    if (a_count == 0) {
        return 0;
    }
    return a[a_count - 1] > 0.0 ? 1 : -1;
}
