// Positions and velocities of points of bodies.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/objects/points.h"
#include "world/world.h"

static pbs_status resolve(const pbs_world *w, const pbs_point *point, const double *out,
                          struct anchor *anchor) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    return anchor_resolve(&w->scene, point, "the point", anchor);
}

pbs_status pbs_world_point_position(const pbs_world *w, const pbs_point *point, double *out) {
    ARITHMETIC_SCOPE();
    struct anchor anchor;
    RETURN_IF_FAILED(resolve(w, point, out, &anchor));
    anchor_position(&anchor, w->scene.nodes.x, out);
    return PBS_OK;
}

pbs_status pbs_world_point_velocity(const pbs_world *w, const pbs_point *point, double *out) {
    ARITHMETIC_SCOPE();
    struct anchor anchor;
    RETURN_IF_FAILED(resolve(w, point, out, &anchor));
    point_combine(&anchor.point, w->scene.nodes.v, out);
    return PBS_OK;
}
