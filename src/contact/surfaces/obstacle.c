// See obstacle.h.
// SPDX-License-Identifier: MIT
#include "contact/surfaces/obstacle.h"

#include "base/matrix3/math3.h"

size_t obstacle_surfaces(const struct obstacle *obstacle, struct contact_surface *out) {
    struct shape_piece pieces[SHAPE_PIECES];
    const size_t count = obstacle->is_penalty
                             ? 0
                             : shape_pieces(&obstacle->shape, &obstacle->pose, pieces);
    for (size_t i = 0; out != NULL && i < count; i++) {
        out[i].shape = pieces[i].shape;
        out[i].pose = pieces[i].pose;
    }
    return count;
}

size_t obstacle_surface_count(const struct obstacle *obstacle) {
    return obstacle_surfaces(obstacle, NULL);
}

static void velocity_at(const struct obstacle *obstacle, const double velocity[3],
                        const double angular_velocity[3], const double x[3], double v[3]) {
    double arm[3], rotational[3];
    subtract3(x, obstacle->pose.translation, arm);
    cross3(angular_velocity, arm, rotational);
    add3(velocity, rotational, v);
}

void obstacle_velocity(const struct obstacle *obstacle, const double x[3], double v[3]) {
    velocity_at(obstacle, obstacle->velocity, obstacle->angular_velocity, x, v);
}

void obstacle_mean_velocity(const struct obstacle *obstacle, bool steady, const double x[3],
                            double v[3]) {
    obstacle_velocity(obstacle, x, v);
    if (!steady) {
        double before[3];
        velocity_at(obstacle, obstacle->velocity_before, obstacle->angular_velocity_before, x,
                    before);
        add3(v, before, v);
        scale3(0.5, v, v);
    }
}
