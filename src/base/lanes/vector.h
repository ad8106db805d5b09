// Operations on long vectors of doubles. A sum is computed chunk by chunk, and the order of its
// additions depends on the length alone, so that every result has the same bits for any number of
// threads. Allocates no memory.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_LANES_VECTOR_H
#define PBS_BASE_LANES_VECTOR_H

#include "base/runtime/tasks.h"

double vector_dot(struct tasks *tasks, size_t count, const double *x, const double *y);
double vector_norm(struct tasks *tasks, size_t count, const double *x);
/// y += a x
void vector_add_scaled(struct tasks *tasks, size_t count, double a, const double *x, double *y);
/// out = x + a y
void vector_combine(struct tasks *tasks, size_t count, const double *x, double a, const double *y,
                    double *out);
void vector_copy(struct tasks *tasks, size_t count, const double *x, double *out);
void vector_scale(struct tasks *tasks, size_t count, double a, double *x);
void vector_zero(struct tasks *tasks, size_t count, double *x);
/// Returns sum_i m_i |x_i|^2 over nodes of three coordinates.
double vector_weighted_square(struct tasks *tasks, size_t node_count, const double *mass,
                              const double *x);
/// True if every entry is finite.
bool vector_is_finite(struct tasks *tasks, size_t count, const double *x);
/// True if no entry of x differs from that of y. 0 and -0 do not differ.
bool vector_equals(size_t count, const double *x, const double *y);

#endif
