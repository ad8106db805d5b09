// What the obstacles of OPT's scenes look like.
#ifndef PBS_BENCH_OPT_SURFACE_H
#define PBS_BENCH_OPT_SURFACE_H

#include "scenes/opt_figures.h"

/// The surface in the obstacle's own frame; empty of a half-space. False when memory ran out.
bool opt_surface(const struct opt_obstacle *obstacle, struct surface_mesh *out);

/// Where that surface is now: to `positions`, 3 a vertex.
void opt_surface_place(const struct opt_obstacle *obstacle, const struct surface_mesh *surface,
                       double *positions);

#endif
