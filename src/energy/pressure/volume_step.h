// Bounds how far a step may change the volume in a closed surface. Under a constant pressure the
// potential has no lower bound: it falls with the cube of the size, and what a shell resists grows
// with the square. A long step would end in a state of lower energy that nothing leads back from.
// Theory: docs/theory/materials.md section 7.1. Has no state.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_PRESSURE_VOLUME_STEP_H
#define PBS_ENERGY_PRESSURE_VOLUME_STEP_H

#include <stddef.h>
#include <stdint.h>

/// Returns a step in (0, limit], along direction from x, up to which the volume of a surface
/// changes by less than that of a ball of this area; more than half of that where the step is below
/// the limit.
/// @param triangles  count x 3 points
/// @param area  m^2, of the surface at x
double volume_step(const uint32_t *triangles, size_t count, double area, const double *x,
                   const double *direction, double limit);

#endif
