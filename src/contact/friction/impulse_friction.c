// See impulse_friction.h.
// SPDX-License-Identifier: MIT
#include "contact/friction/impulse_friction.h"

#include "base/matrix3/math3.h"

void friction_contact_set_nodes(const struct collision_mesh *mesh, const uint32_t *points,
                                const double *weights, int point_count,
                                struct friction_contact *out) {
    const struct contact_blocks_scene scene = {.mesh = mesh};
    struct contact_nodes stencil;
    contact_nodes_of_points(&scene, points, point_count, &stencil);
    out->count = (int)stencil.node_count;
    for (int i = 0; i < out->count; i++) {
        out->node[i] = stencil.node[i];
        out->weight[i] = 0.0;
        for (int p = 0; p < point_count; p++) {
            out->weight[i] += weights[p] * stencil.weight[i][p];
        }
    }
}

/// Computes the tangential velocity of the first side relative to the second.
static void slip_of(const struct friction_motion *m, const struct friction_contact *c,
                    double slip[3]) {
    scale3(-1.0, c->moving, slip);
    for (int i = 0; i < c->count; i++) {
        add_scaled3(slip, c->weight[i], m->velocity + 3 * (size_t)c->node[i], slip);
    }
    add_scaled3(slip, -dot3(slip, c->normal), c->normal, slip);
}

/// Returns the inverse mass, 1/kg; 0 for a constrained axis.
static double inverse_mass(const struct friction_motion *m, uint32_t node, int axis) {
    return ((uint32_t)m->constrained_axes[node] >> axis & 1u) != 0 ? 0.0 : 1.0 / m->mass[node];
}

static double mobility_of(const struct friction_motion *m, const struct friction_contact *c,
                          const double direction[3]) {
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < 3; k++) {
            sum += c->weight[i] * c->weight[i] * direction[k] * direction[k] *
                   inverse_mass(m, c->node[i], k);
        }
    }
    return sum;
}

static double rub(const struct friction_motion *m, struct friction_contact *c) {
    double slip[3], direction[3];
    double heat = 0.0;
    scale3(0.0, c->normal, c->impulse);
    slip_of(m, c, slip);
    const double speed = norm3(slip);
    if (!(speed > 0.0)) {
        return 0.0;
    }
    scale3(1.0 / speed, slip, direction);
    const double mobility = mobility_of(m, c, direction);
    if (!(mobility > 0.0)) {
        return 0.0;
    }
    const double size = friction_impulse(speed, c->friction * c->force * m->h, mobility, &heat);
    scale3(-size, direction, c->impulse);
    for (int i = 0; i < c->count; i++) {
        double *v = m->velocity + 3 * (size_t)c->node[i];
        for (int k = 0; k < 3; k++) {
            v[k] += c->weight[i] * c->impulse[k] * inverse_mass(m, c->node[i], k);
        }
    }
    return heat;
}

double impulse_friction(const struct friction_motion *motion, struct friction_contact *contacts,
                        size_t count) {
    double heat = 0.0;
    for (size_t i = 0; i < count; i++) {
        heat += rub(motion, &contacts[i]);
    }
    return heat;
}
