// See momentum.h.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/momentum.h"

#include "base/matrix3/math3.h"

/// Solves sum_i m_i ((x_i + d - predictor_i) / c - g + drag (x_i + d - origin_i) / b) - F_i = 0 for
/// the shift d.
static void find_shift(const struct momentum_stage *s, const struct free_body *body,
                       const double *x, double shift[3]) {
    const double resistance = body->drag / s->length;
    double gravity[3];
    add_scaled3(body->gravity, body->gravity_scale, s->gravity, gravity);
    double force[3] = {0.0, 0.0, 0.0};
    double mass = 0.0;
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        for (size_t k = 0; k < 3; k++) {
            const size_t at = 3 * i + k;
            force[k] += s->mass[i] * ((x[at] - s->predictor[at]) / s->weight - gravity[k] +
                                      resistance * (x[at] - s->origin[at])) -
                        s->force[at];
        }
        mass += s->mass[i];
    }
    scale3(-1.0 / (mass * (1.0 / s->weight + resistance)), force, shift);
}

/// Returns whether a node is free to be shifted by `length`. Distances change by at most that
/// length, so an obstacle that is farther away cannot be hit.
static bool is_clear(const struct projection_scene *scene, size_t node, const double *x,
                     double length) {
    if (scene->constrained_axes != NULL && scene->constrained_axes[node] != 0) {
        return false;
    }
    if (scene->colliding == NULL || scene->colliding[node] == 0) {
        return true;
    }
    for (size_t b = 0; b < scene->obstacle_count; b++) {
        const struct obstacle *obstacle = &scene->obstacles[b];
        if (!(shape_distance(&obstacle->shape, &obstacle->pose, x + 3 * node, NULL, NULL) >
              2.0 * length)) {
            return false;
        }
    }
    return true;
}

void momentum_balance(const struct momentum_stage *stage, const struct free_body *bodies,
                      size_t body_count, double *x) {
    for (size_t b = 0; b < body_count; b++) {
        const struct free_body *body = &bodies[b];
        const size_t end = body->node_start + body->node_count;
        double shift[3];
        if (body->is_joined) {
            continue;
        }
        find_shift(stage, body, x, shift);
        const double length = norm3(shift);
        bool clear = isfinite(length) && length > 0.0;
        for (size_t i = body->node_start; i < end && clear; i++) {
            clear = is_clear(stage->scene, i, x, length);
        }
        for (size_t i = body->node_start; i < end && clear; i++) {
            add3(x + 3 * i, shift, x + 3 * i);
        }
    }
}
