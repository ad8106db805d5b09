// Long vectors of doubles: sums in an order fixed by the length alone (chunks, then chunk by
// chunk), so that every result is the same to the bit for any number of threads. No allocation.
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
/// sum_i m_i |x_i|^2 over nodes of three coordinates.
double vector_weighted_square(struct tasks *tasks, size_t node_count, const double *mass,
                              const double *x);
/// True when every entry is finite.
bool vector_is_finite(struct tasks *tasks, size_t count, const double *x);

#endif
