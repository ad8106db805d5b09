// The forces that act on each body at a state, and sums over the nodes of each body. What counts as
// solved is decided for each body by these (docs/theory/minimization.md section 2).
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_OBJECTIVE_BODY_FORCES_H
#define PBS_MINIMIZE_OBJECTIVE_BODY_FORCES_H

#include "base/runtime/tasks.h"

/// Consecutive nodes of one body. Sums are cut into ranges by the problem's size alone, so that
/// they have the same bits for any number of threads.
struct body_range {
    uint32_t body;
    size_t begin, end;
};

/// All nodes, body by body. A zero-initialised struct is empty and valid.
struct body_ranges {
    uint32_t body_count;
    size_t count;
    struct body_range *ranges;
    double *partial; ///< scratch, one per range
};

/// node_bodies: per node, ascending: the index of its body; null: one body has all nodes.
pbs_status body_ranges_build(struct memory *memory, const uint32_t *node_bodies, size_t node_count,
                             struct body_ranges *out);
void body_ranges_free(struct memory *memory, struct body_ranges *ranges);

/// sums[b] = sum over the coordinates of body b of x y. x and y: 3 per node.
void body_dot(struct tasks *tasks, const struct body_ranges *ranges, const double *x,
              const double *y, double *sums);
/// sums[b] = sum over the coordinates of body b of (x - y)^2.
void body_distance_squared(struct tasks *tasks, const struct body_ranges *ranges, const double *x,
                           const double *y, double *sums);

/// Squared norms over the coordinates of each body, N^2.
struct body_forces {
    double *terms;    ///< of the terms and damping, with the reactions of constrained axes
    double *inertia;  ///< of m (x - x~) / c
    double *coupling; ///< of contact and joints
};

/// What the sums are made with, and where they go.
struct body_forces_output {
    const struct body_ranges *ranges;
    struct body_forces forces;
    double *before; ///< scratch: 3 per node
};

/// Returns the norm in N of the largest of the forces that act on a body.
double body_forces_acting(const struct body_forces *forces, uint32_t body);

#endif
