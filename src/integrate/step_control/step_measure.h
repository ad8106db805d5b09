// Measurements of states that step controls compare with their tolerances. States are in node
// order, 3 per node. All results are maxima, so the order of evaluation does not matter. NaN is
// propagated.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEP_CONTROL_STEP_MEASURE_H
#define PBS_INTEGRATE_STEP_CONTROL_STEP_MEASURE_H

#include "base/node_kind.h"
#include "sparse/assembly.h"

/// Returns the longest vector: the speed of the fastest node, m/s.
double measure_longest(size_t node_count, const double *v);

/// Returns the largest distance between a node's positions in two states, m.
double measure_distance(size_t node_count, const double *x, const double *y);

/// Returns the largest change of the distance between two nodes of a common stencil, m. Rotation
/// nodes are not positions and are skipped. If no stencil joins two nodes, returns the largest
/// displacement of a node, as for springs tied to the ground.
/// @param kind  per node, NODE_*
double measure_stretch(const struct assembly *assembly, const uint8_t *kind, const double *x,
                       const double *y);

#endif
