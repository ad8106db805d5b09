// See obstacle.h.
#include "contact/surfaces/obstacle.h"

#include "base/matrix3/math3.h"
#include "pbs/collider.h"

// Makes the half-space of a flat wall of a hollow shape: normal to the local axis times `sign`, at
// `distance` from the centre. The solid side is y < 0, so y points inwards.
static void make_wall(const struct obstacle *obstacle, int axis, double sign, double distance,
                      struct contact_surface *out) {
    const double *r = obstacle->pose.rotation;
    out->shape = (struct shape){.kind = PBS_SHAPE_HALF_SPACE};
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        x[i] = r[3 * i + (axis + 1) % 3];
        y[i] = -sign * r[3 * i + axis];
    }
    cross3(x, y, z);
    for (int i = 0; i < 3; i++) {
        out->pose.rotation[3 * i] = x[i];
        out->pose.rotation[3 * i + 1] = y[i];
        out->pose.rotation[3 * i + 2] = z[i];
    }
    add_scaled3(obstacle->pose.translation, -distance, y, out->pose.translation);
}

size_t obstacle_surface_count(const struct obstacle *obstacle) {
    if (obstacle->is_penalty) {
        return 0;
    }
    if (!obstacle->shape.hollow) {
        return 1;
    }
    return obstacle->shape.kind == PBS_SHAPE_BOX        ? 6
           : obstacle->shape.kind == PBS_SHAPE_CYLINDER ? 3
                                                        : 1;
}

size_t obstacle_surfaces(const struct obstacle *obstacle, struct contact_surface *out) {
    const struct shape *shape = &obstacle->shape;
    if (obstacle->is_penalty) {
        return 0;
    }
    out->shape = *shape;
    out->pose = obstacle->pose;
    if (shape->hollow && shape->kind == PBS_SHAPE_BOX) {
        for (int i = 0; i < 6; i++) {
            make_wall(obstacle, i / 2, i % 2 ? -1.0 : 1.0, shape->size[i / 2], out + i);
        }
    } else if (shape->hollow && shape->kind == PBS_SHAPE_CYLINDER) {
        out->shape.size[1] = INFINITY;
        make_wall(obstacle, 1, 1.0, shape->size[1], out + 1);
        make_wall(obstacle, 1, -1.0, shape->size[1], out + 2);
    }
    return obstacle_surface_count(obstacle);
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
