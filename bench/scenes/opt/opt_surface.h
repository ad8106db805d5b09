// Surface meshes of the obstacles of OPT's scenes, for pictures.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OPT_SURFACE_H
#define PBS_BENCH_OPT_SURFACE_H

#include "scenes/opt/opt_figures.h"

/// Builds the surface in the obstacle's frame; empty for a half-space. Returns false if memory is
/// short.
bool opt_surface(const struct opt_obstacle *obstacle, struct surface_mesh *out);

/// Writes the present vertex positions of the surface, 3 per vertex.
void opt_surface_place(const struct opt_obstacle *obstacle, const struct surface_mesh *surface,
                       double *positions);

#endif
