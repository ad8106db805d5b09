// How many iterations a matrix will want, from what it is made of.
#ifndef PBS_LINEAR_ITERATION_FORECAST_H
#define PBS_LINEAR_ITERATION_FORECAST_H

#include "sparse/block_columns.h"

/// Iterations of conjugate gradients with incomplete Cholesky to 1e-6, for solids that are not much
/// longer than wide: within a factor of two for Poisson's ratios from 0.3 to 0.45, and to 0.49 as
/// long as no shift is needed. columns: of the pattern of a. 0 for a matrix without rows.
double iteration_forecast(const struct bsr *a, const struct block_columns *columns);

#endif
