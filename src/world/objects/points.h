// Points that hosts name (pbs_point), as weighted sums of the world's nodes. Whoever takes a
// pbs_point resolves it here; nobody else knows its kinds.
#ifndef PBS_WORLD_OBJECTS_POINTS_H
#define PBS_WORLD_OBJECTS_POINTS_H

#include "pbs/point.h"
#include "world/objects/scene.h"

/// A resolved point: a sum of nodes, or a place in space.
struct anchor {
    struct point point; ///< no nodes if the point is in space
    double place[3];    ///< m, in space; 0 if the point has nodes
    struct body *body;  ///< null: in space
};

/// name: of the point, for messages. PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE as
/// pbs_world_point_position.
pbs_status anchor_resolve(const struct scene *scene, const pbs_point *point, const char *name,
                          struct anchor *out);

/// Where the point is for nodes at x.
void anchor_position(const struct anchor *anchor, const double *x, double out[3]);

#endif
