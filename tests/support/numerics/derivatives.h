// Gradients and Hessians beside finite differences, through function pointers.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_DERIVATIVES_H
#define PBS_SUPPORT_DERIVATIVES_H

#include <stddef.h>

/// A function of `count` variables with its derivatives.
struct derivatives_function {
    size_t count;
    double (*value)(void *context, const double *x);
    void (*gradient)(void *context, const double *x, double *gradient);
    void (*hessian)(void *context, const double *x, double *hessian); ///< count x count, row-major;
                                                                      ///< may be null
    void *context;
};

/// max |gradient - differences of value| / max(1, max |gradient|), by central differences of fourth
/// order with steps of `step` in each variable: the error is of the order of step^4 and of epsilon
/// |value| / step.
double derivatives_gradient_error(const struct derivatives_function *function, const double *x,
                                  double step);

/// The same for the Hessian beside differences of the gradient, relative to max(1, max |Hessian|).
double derivatives_hessian_error(const struct derivatives_function *function, const double *x,
                                 double step);

/// max |H - H^T| / max(1, max |H|).
double derivatives_asymmetry(const struct derivatives_function *function, const double *x);

#endif
