// Analytic signed distances of the obstacles of OPT's figures, so that results are checked
// independently of the library.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OPT_DISTANCE_H
#define PBS_BENCH_OPT_DISTANCE_H

#include "scenes/opt/opt_figures.h"

/// Returns the distance of a point from the surface, m, negative inside the solid; infinite for
/// shapes without a formula.
double opt_distance(const struct opt_obstacle *obstacle, const double x[3]);

#endif
