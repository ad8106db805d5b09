// See torture_check.h.
#include "scenes/torture_check.h"

#include <math.h>
#include <string.h>

static pbs_status add_surface(struct torture_check *c, size_t point_count, const double *x,
                              size_t triangle_count, const uint32_t *triangles) {
    const size_t points = c->point_count + point_count;
    const size_t count = c->triangle_count + triangle_count;
    RETURN_IF_FAILED(memory_reserve(&c->memory, &c->x, &c->x_capacity, 3 * points, sizeof *c->x));
    RETURN_IF_FAILED(memory_reserve(&c->memory, &c->triangles, &c->triangle_capacity, 3 * count,
                                    sizeof *c->triangles));
    RETURN_IF_FAILED(
        memory_reserve(&c->memory, &c->edges, &c->edge_capacity, 6 * count, sizeof *c->edges));
    memcpy(c->x + 3 * c->point_count, x, 3 * point_count * sizeof *x);
    for (size_t i = 0; i < 3 * triangle_count; i++) {
        const size_t at = 3 * c->triangle_count + i;
        c->triangles[at] = triangles[i] + (uint32_t)c->point_count;
        c->edges[2 * at] = c->triangles[at];
        c->edges[2 * at + 1] = triangles[i % 3 == 2 ? i - 2 : i + 1] + (uint32_t)c->point_count;
    }
    c->point_count = points;
    c->triangle_count = count;
    return PBS_OK;
}

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

static pbs_status add_obstacle(struct torture_check *c, const struct torture *scene,
                               const struct torture_obstacle *obstacle) {
    const struct surface_mesh *const mesh = &obstacle->surface;
    const size_t first = c->point_count;
    RETURN_IF_FAILED(
        add_surface(c, mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles));
    const struct placement p = placement_of(scene, obstacle->id);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *const own = mesh->positions + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            const double *const row = p.rotation + 3 * k;
            c->x[3 * (first + v) + k] = row[0] * own[0] + row[1] * own[1] + row[2] * own[2] +
                                        p.position[k];
        }
    }
    return PBS_OK;
}

static bool belongs_to_a_body(const void *context, uint32_t edge, uint32_t triangle) {
    const struct torture_check *const c = context;
    return edge < c->free_edge_count || triangle < c->free_triangle_count;
}

static pbs_status count_intersections(struct torture_check *c, const struct torture *scene,
                                      size_t *count) {
    c->point_count = 0;
    c->triangle_count = 0;
    for (size_t b = 0; b < scene->body_count; b++) {
        const pbs_body id = scene->bodies[b].id;
        const uint32_t *triangles = NULL;
        size_t triangle_count = 0;
        RETURN_IF_FAILED(pbs_body_surface(scene->world, id, &triangles, &triangle_count));
        RETURN_IF_FAILED(add_surface(c, pbs_body_vertex_count(scene->world, id),
                                     pbs_body_positions(scene->world, id), triangle_count,
                                     triangles));
    }
    c->free_triangle_count = c->triangle_count;
    c->free_edge_count = 3 * c->triangle_count;
    for (size_t o = 0; o < scene->obstacle_count; o++) {
        if (scene->obstacles[o].surface.triangle_count > 0) {
            RETURN_IF_FAILED(add_obstacle(c, scene, &scene->obstacles[o]));
        }
    }
    const struct edges_and_triangles all = {.point_count = c->point_count,
                                            .x = c->x,
                                            .edge_count = 3 * c->triangle_count,
                                            .edges = c->edges,
                                            .triangle_count = c->triangle_count,
                                            .triangles = c->triangles,
                                            .must_not = belongs_to_a_body,
                                            .context = c};
    RETURN_IF_FAILED(intersection_search(&c->memory, NULL, &all, &c->search));
    *count = c->search.found.count;
    return PBS_OK;
}

static double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/// Of a tetrahedron.
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

void torture_check_init(struct torture_check *check) {
    *check = (struct torture_check){0};
    memory_init(&check->memory, NULL);
}

pbs_status torture_check_run(struct torture_check *check, const struct torture *scene,
                             struct torture_findings *out) {
    out->least_jacobian = least_jacobian(scene);
    out->least_height = least_height(scene);
    return count_intersections(check, scene, &out->intersections);
}

void torture_check_free(struct torture_check *check) {
    intersection_search_free(&check->memory, &check->search);
    memory_release(&check->memory, check->x);
    memory_release(&check->memory, check->triangles);
    memory_release(&check->memory, check->edges);
    torture_check_init(check);
}

bool torture_findings_are_clean(const struct torture_findings *findings) {
    return findings->intersections == 0 && findings->least_jacobian > 0.0 &&
           findings->least_height > 0.0;
}
