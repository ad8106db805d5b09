// A body as if it were rigid: mass, centre, momentum, inertia, and the rigid motion of its momenta.
// What a node adds depends on its kind (base/node_kind.h).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/particles/bonded.h"
#include "world/world.h"

/// Inertia about less than this part of the largest is none: a bar does not turn about itself.
static const double LEAST_INERTIA = 1e-12;

/// sum of m y y^T and m y x v.
struct moments {
    double second[9], angular[3];
};

static void add_moments(double mass, const double y[3], const double v[3], struct moments *out) {
    double turn[3];
    cross3(y, v, turn);
    add_scaled3(out->angular, mass, turn, out->angular);
    for (int k = 0; k < 9; k++) {
        out->second[k] += mass * y[k / 3] * y[k % 3];
    }
}

/// Places are summed relative to the first one, so that the centre is as accurate far from the
/// origin.
static void measure_center(const struct nodes *nodes, const struct body *body, pbs_motion *out) {
    const double *first = nodes->x + 3 * body->node_start;
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        if (nodes->kind[i] == NODE_POSITION) {
            double from_first[3];
            subtract3(nodes->x + 3 * i, first, from_first);
            out->mass += nodes->mass[i];
            add_scaled3(out->center, nodes->mass[i], from_first, out->center);
            add_scaled3(out->momentum, nodes->mass[i], nodes->v + 3 * i, out->momentum);
        }
    }
    scale3(1.0 / out->mass, out->center, out->center);
    add3(out->center, first, out->center);
    scale3(1.0 / out->mass, out->momentum, out->velocity);
}

static void measure_moments(const struct nodes *nodes, const struct body *body,
                            const pbs_motion *motion, struct moments *out) {
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        double y[3], v[3];
        if (nodes->kind[i] == NODE_POSITION) {
            subtract3(nodes->x + 3 * i, motion->center, y);
            subtract3(nodes->v + 3 * i, motion->velocity, v);
            add_moments(nodes->mass[i], y, v, out);
        } else if (nodes->kind[i] == NODE_HANDLE) {
            add_moments(nodes->mass[i], nodes->x + 3 * i, nodes->v + 3 * i, out);
        }
    }
}

/// inertia = tr S 1 - S.
static void inertia_of(const double second[9], double inertia[9]) {
    const double trace = second[0] + second[4] + second[8];
    for (int k = 0; k < 9; k++) {
        inertia[k] = (k % 4 == 0 ? trace : 0.0) - second[k];
    }
}

/// Particles that turn: spheres of inertia m r^2, whose velocities are r times those of turning.
static void add_spins(const struct nodes *nodes, const struct body *body, pbs_motion *motion) {
    const size_t start = body->node_start + body->vertex_count;
    for (size_t i = 0; body_has_orientations(body) && i < body->vertex_count; i++) {
        const double r = bonded_radius_of_gyration(body->bonded.radii[i]);
        const double mass = nodes->mass[start + i];
        add_scaled3(motion->angular_momentum, mass * r, nodes->v + 3 * (start + i),
                    motion->angular_momentum);
        for (int k = 0; k < 3; k++) {
            motion->inertia[4 * k] += mass * r * r;
        }
    }
}

/// The angular velocity of a rigid body of that inertia and angular momentum; none about axes
/// without inertia.
static void spin_of(const double inertia[9], const double angular_momentum[3], double spin[3]) {
    double moments[3], axes[9], along[3];
    eigen3(inertia, moments, axes);
    multiply_transposed3(axes, angular_momentum, along);
    const double least = LEAST_INERTIA * fmax(moments[0], fmax(moments[1], moments[2]));
    for (int k = 0; k < 3; k++) {
        along[k] = moments[k] > least ? along[k] / moments[k] : 0.0;
    }
    multiply3(axes, along, spin);
}

pbs_status pbs_body_motion(const pbs_world *w, pbs_body b, pbs_motion *out) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(results_check(&settings_motion, out));
    const struct nodes *nodes = &w->scene.nodes;
    pbs_motion motion = {.struct_size = sizeof motion};
    struct moments moments = {{0.0}, {0.0}};
    measure_center(nodes, body, &motion);
    measure_moments(nodes, body, &motion, &moments);
    copy3(moments.angular, motion.angular_momentum);
    inertia_of(moments.second, motion.inertia);
    add_spins(nodes, body, &motion);
    spin_of(motion.inertia, motion.angular_momentum, motion.angular_velocity);
    return results_write(&settings_motion, &motion, out);
}
