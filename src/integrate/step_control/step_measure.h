// What step controls compare with their tolerances, of states in node order, 3 per node. Largest
// values, so that no order of summation matters. What is not a number is not hidden.
#ifndef PBS_INTEGRATE_STEP_CONTROL_STEP_MEASURE_H
#define PBS_INTEGRATE_STEP_CONTROL_STEP_MEASURE_H

#include "base/node_kind.h"
#include "sparse/assembly.h"

/// The longest vector: m/s of the fastest node.
double measure_longest(size_t node_count, const double *v);

/// The largest distance between the places of a node in two states, m.
double measure_distance(size_t node_count, const double *x, const double *y);

/// The largest change of the distance between two nodes that a stencil joins, m; rotations are no
/// places and are left out. Where none joins any two, how far nodes move, as if springs tied them
/// to the ground.
/// @param kind  per node, NODE_*
double measure_stretch(const struct assembly *assembly, const uint8_t *kind, const double *x,
                       const double *y);

#endif
