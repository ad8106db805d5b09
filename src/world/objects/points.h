// Resolves points that hosts give (pbs_point) to weighted sums of the world's nodes. Functions that
// take a pbs_point call this; no other code depends on its kinds.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_POINTS_H
#define PBS_WORLD_OBJECTS_POINTS_H

#include "pbs/point.h"
#include "world/objects/scene.h"

/// Magnitudes of weights are at most this.
#define ANCHOR_WEIGHT_LIMIT 1000.0

/// A resolved point: a weighted sum of nodes, or a position in space.
struct anchor {
    struct point point; ///< no nodes if the point is in space
    double place[3];    ///< m, position in space; 0 if the point has nodes
    struct body *body;  ///< null: in space
};

/// name: name of the point, for messages. PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE, as pbs_world_point_position.
pbs_status anchor_resolve(const struct scene *scene, const pbs_point *point, const char *name,
                          struct anchor *out);

/// Computes the position of the point for nodes at x.
void anchor_position(const struct anchor *anchor, const double *x, double out[3]);

#endif
