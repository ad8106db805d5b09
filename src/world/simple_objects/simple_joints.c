// Joints in one call: the points of the bodies are found where the anchor is.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/objects/points.h"
#include "world/world.h"

/// Weights of a place in a tetrahedron, outside of it too. A flat one, and one that is so far away
/// that its weights are beyond what points may have, keeps the point that it has.
static void extend_tet(const pbs_world *w, const double place[3], pbs_point *point) {
    const struct body *body = world_body(w, point->body);
    const double *x = pbs_body_positions(w, point->body);
    const uint32_t *v = body->solid.tets + 4 * (size_t)point->index;
    double edges[9], inverse[9], arm[3], weights[3];
    for (size_t i = 0; i < 9; i++) {
        edges[i] = x[3 * (size_t)v[1 + i % 3] + i / 3] - x[3 * (size_t)v[0] + i / 3];
    }
    if (invert33(edges, inverse) == 0.0) {
        return;
    }
    subtract3(place, x + 3 * (size_t)v[0], arm);
    multiply3(inverse, arm, weights);
    if (fabs(weights[0]) + fabs(weights[1]) + fabs(weights[2]) < ANCHOR_WEIGHT_LIMIT) {
        copy3(weights, point->weights + 1);
        point->weights[0] = 1.0 - weights[0] - weights[1] - weights[2];
    }
}

/// The point of a body at a place; null: of space.
static pbs_status find_point(const pbs_world *w, pbs_body body, const double place[3],
                             pbs_point *point) {
    *point = (pbs_point){.struct_size = sizeof *point, .kind = PBS_POINT_WORLD};
    if (body.id == 0) {
        copy3(place, point->place);
        return PBS_OK;
    }
    double distance = 0.0;
    RETURN_IF_FAILED(pbs_world_locate(w, body, place, 1, point, sizeof *point, &distance));
    if (point->kind == PBS_POINT_TET && distance > 0.0) {
        extend_tet(w, place, point);
    }
    return PBS_OK;
}

/// The two bodies of a joint.
struct joint_bodies {
    pbs_world *w;
    pbs_body a, b;
};

static pbs_status describe(const struct joint_bodies *bodies, int32_t kind,
                           const double anchor_a[3], const double anchor_b[3], pbs_joint_desc *d) {
    RETURN_IF_FAILED(world_enter(bodies->w));
    RETURN_IF_FAILED(check_point(anchor_a, "anchor"));
    RETURN_IF_FAILED(check_point(anchor_b, "anchor"));
    RETURN_IF_FAILED(pbs_joint_desc_init(d, sizeof *d));
    d->kind = kind;
    pbs_status status = PBS_OK;
    if (world_enter_body(bodies->w, bodies->a, &status) == NULL) {
        return status;
    }
    RETURN_IF_FAILED(find_point(bodies->w, bodies->a, anchor_a, &d->a));
    return find_point(bodies->w, bodies->b, anchor_b, &d->b);
}

static pbs_status create_without_axis(const struct joint_bodies *bodies, int32_t kind,
                                      const double anchor[3], pbs_joint *out) {
    ARITHMETIC_SCOPE();
    pbs_joint_desc d;
    RETURN_IF_FAILED(describe(bodies, kind, anchor, anchor, &d));
    return pbs_joint_create(bodies->w, &d, out);
}

static pbs_status create_with_axis(const struct joint_bodies *bodies, int32_t kind,
                                   const double anchor[3], const double axis[3], pbs_joint *out) {
    ARITHMETIC_SCOPE();
    pbs_joint_desc d;
    RETURN_IF_FAILED(describe(bodies, kind, anchor, anchor, &d));
    RETURN_IF_FAILED(check_pointer(axis, "axis"));
    copy3(axis, d.axis);
    return pbs_joint_create(bodies->w, &d, out);
}

pbs_status pbs_joint_create_ball(pbs_world *w, pbs_body a, pbs_body b, const double anchor[3],
                                 pbs_joint *out) {
    return create_without_axis(&(struct joint_bodies){w, a, b}, PBS_JOINT_BALL, anchor, out);
}

pbs_status pbs_joint_create_weld(pbs_world *w, pbs_body a, pbs_body b, const double anchor[3],
                                 pbs_joint *out) {
    return create_without_axis(&(struct joint_bodies){w, a, b}, PBS_JOINT_WELD, anchor, out);
}

pbs_status pbs_joint_create_hinge(pbs_world *w, pbs_body a, pbs_body b, const double anchor[3],
                                  const double axis[3], pbs_joint *out) {
    return create_with_axis(&(struct joint_bodies){w, a, b}, PBS_JOINT_HINGE, anchor, axis, out);
}

pbs_status pbs_joint_create_slider(pbs_world *w, pbs_body a, pbs_body b, const double anchor[3],
                                   const double axis[3], pbs_joint *out) {
    return create_with_axis(&(struct joint_bodies){w, a, b}, PBS_JOINT_SLIDER, anchor, axis, out);
}

pbs_status pbs_joint_create_rope(pbs_world *w, pbs_body a, pbs_body b, const double anchor_a[3],
                                 const double anchor_b[3], pbs_joint *out) {
    ARITHMETIC_SCOPE();
    const struct joint_bodies bodies = {w, a, b};
    pbs_joint_desc d;
    double x[2][3], arm[3];
    RETURN_IF_FAILED(describe(&bodies, PBS_JOINT_DISTANCE, anchor_a, anchor_b, &d));
    RETURN_IF_FAILED(pbs_world_point_position(w, &d.a, x[0]));
    RETURN_IF_FAILED(pbs_world_point_position(w, &d.b, x[1]));
    subtract3(x[1], x[0], arm);
    d.upper = norm3(arm);
    RETURN_IF_FAILED(check_positive(d.upper, "the distance of the points"));
    return pbs_joint_create(w, &d, out);
}
