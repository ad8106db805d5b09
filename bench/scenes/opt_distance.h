// Signed distances of the obstacles that OPT's figures have, by their formulas: what a run is
// judged by does not come from the library.
#ifndef PBS_BENCH_OPT_DISTANCE_H
#define PBS_BENCH_OPT_DISTANCE_H

#include "scenes/opt_figures.h"

/// m: of a point from the surface, negative inside of what is solid; infinite for shapes that have
/// no formula.
double opt_distance(const struct opt_obstacle *obstacle, const double x[3]);

#endif
