// Central differences of fourth order: (-f(2h) + 8 f(h) - 8 f(-h) + f(-2h)) / 12 h.
// SPDX-License-Identifier: MIT
#include "support/numerics/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double offsets[4] = {-2.0, -1.0, 1.0, 2.0};
static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};

static double *numbers(size_t count) {
    return calloc(count == 0 ? 1 : count, sizeof(double));
}

/// Not a number stays.
static double greater(double a, double b) {
    return b <= a || isnan(a) ? a : b;
}

static double relative_difference(const double *a, const double *b, size_t count) {
    double difference = 0.0;
    double size = 1.0;
    for (size_t i = 0; i < count; i++) {
        difference = greater(difference, fabs(a[i] - b[i]));
        size = greater(size, fabs(a[i]));
    }
    return difference / size;
}

double derivatives_gradient_error(const struct derivatives_function *function, const double *x,
                                  double step) {
    const size_t n = function->count;
    double *moved = numbers(n);
    double *exact = numbers(n);
    double *estimate = numbers(n);
    memcpy(moved, x, n * sizeof *x);
    function->gradient(function->context, x, exact);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            moved[i] = x[i] + offsets[k] * step;
            estimate[i] += weights[k] / step * function->value(function->context, moved);
        }
        moved[i] = x[i];
    }
    const double error = relative_difference(exact, estimate, n);
    free(moved);
    free(exact);
    free(estimate);
    return error;
}

double derivatives_hessian_error(const struct derivatives_function *function, const double *x,
                                 double step) {
    const size_t n = function->count;
    double *moved = numbers(n);
    double *gradient = numbers(n);
    double *exact = numbers(n * n);
    double *estimate = numbers(n * n);
    memcpy(moved, x, n * sizeof *x);
    function->hessian(function->context, x, exact);
    for (size_t j = 0; j < n; j++) {
        for (int k = 0; k < 4; k++) {
            moved[j] = x[j] + offsets[k] * step;
            function->gradient(function->context, moved, gradient);
            for (size_t i = 0; i < n; i++) {
                estimate[i * n + j] += weights[k] / step * gradient[i];
            }
        }
        moved[j] = x[j];
    }
    const double error = relative_difference(exact, estimate, n * n);
    free(moved);
    free(gradient);
    free(exact);
    free(estimate);
    return error;
}

double derivatives_asymmetry(const struct derivatives_function *function, const double *x) {
    const size_t n = function->count;
    double *hessian = numbers(n * n);
    double *transposed = numbers(n * n);
    function->hessian(function->context, x, hessian);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            transposed[j * n + i] = hessian[i * n + j];
        }
    }
    const double error = relative_difference(hessian, transposed, n * n);
    free(hessian);
    free(transposed);
    return error;
}
