// Checks states; see torture_check.h.
// SPDX-License-Identifier: MIT
#include "scenes/torture/torture_check.h"

#include <math.h>
#include <string.h>

struct placement {
    double position[3];
    double rotation[9];
};

static struct placement placement_of(const struct torture *scene, pbs_collider id) {
    struct placement p;
    double q[4];
    pbs_collider_pose(scene->world, id, p.position, q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(p.rotation, rotation, sizeof rotation);
    return p;
}

static pbs_status count_intersections(struct surface_check *check, const struct torture *scene,
                                      size_t *count) {
    surface_check_begin(check);
    for (size_t b = 0; b < scene->body_count; b++) {
        RETURN_IF_FAILED(surface_check_add_body(check, scene->world, scene->bodies[b].id));
    }
    for (size_t o = 0; o < scene->obstacle_count; o++) {
        const struct torture_obstacle *const obstacle = &scene->obstacles[o];
        if (obstacle->surface.triangle_count > 0) {
            const struct placement p = placement_of(scene, obstacle->id);
            RETURN_IF_FAILED(
                surface_check_add_obstacle(check, &obstacle->surface, p.rotation, p.position));
        }
    }
    return surface_check_count(check, count);
}

static double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/// Returns six times the volume of a tetrahedron.
static double six_volumes(const double *x, const uint32_t corners[4]) {
    double sides[9];
    for (size_t i = 0; i < 9; i++) {
        sides[i] = x[3 * (size_t)corners[1 + i / 3] + i % 3] - x[3 * (size_t)corners[0] + i % 3];
    }
    return determinant(sides);
}

static double least_jacobian(const struct torture *scene) {
    double least = INFINITY;
    for (size_t b = 0; b < scene->body_count; b++) {
        const struct torture_body *const body = &scene->bodies[b];
        double matrix[9];
        if (body->kind == TORTURE_AFFINE) {
            pbs_body_transform(scene->world, body->id, NULL, matrix);
            least = fmin(least, determinant(matrix));
        }
        const double *const x = pbs_body_positions(scene->world, body->id);
        for (size_t t = 0; t < body->rest.tet_count; t++) {
            const uint32_t *const corners = body->rest.tets + 4 * t;
            least = fmin(least, six_volumes(x, corners) / (6.0 * tet_volume(&body->rest, t)));
        }
    }
    return least;
}

static double least_height(const struct torture *scene) {
    double least = INFINITY;
    for (size_t o = 0; o < scene->obstacle_count; o++) {
        if (scene->obstacles[o].surface.triangle_count > 0) {
            continue;
        }
        const struct placement p = placement_of(scene, scene->obstacles[o].id);
        for (size_t b = 0; b < scene->body_count; b++) {
            const pbs_body id = scene->bodies[b].id;
            const double *const x = pbs_body_positions(scene->world, id);
            for (size_t v = 0; v < pbs_body_vertex_count(scene->world, id); v++) {
                double height = 0.0;
                for (size_t k = 0; k < 3; k++) {
                    height += p.rotation[3 * k + 1] * (x[3 * v + k] - p.position[k]);
                }
                least = fmin(least, height);
            }
        }
    }
    return least;
}

pbs_status torture_check_run(struct surface_check *check, const struct torture *scene,
                             struct torture_findings *out) {
    out->least_jacobian = least_jacobian(scene);
    out->least_height = least_height(scene);
    return count_intersections(check, scene, &out->intersections);
}

bool torture_findings_are_clean(const struct torture_findings *findings) {
    return findings->intersections == 0 && findings->least_jacobian > 0.0 &&
           findings->least_height > 0.0;
}
