// Checks surfaces; see surface_check.h.
// SPDX-License-Identifier: MIT
#include "scenes/contact/surface_check.h"

#include <string.h>

void surface_check_init(struct surface_check *check) {
    *check = (struct surface_check){0};
    memory_init(&check->memory, NULL);
}

void surface_check_begin(struct surface_check *check) {
    check->point_count = 0;
    check->triangle_count = 0;
    check->free_triangle_count = 0;
    check->surface_count = 0;
}

static pbs_status add_surface(struct surface_check *c, size_t point_count, const double *x,
                              size_t triangle_count, const uint32_t *triangles) {
    const size_t points = c->point_count + point_count;
    const size_t count = c->triangle_count + triangle_count;
    RETURN_IF_FAILED(memory_reserve(&c->memory, &c->x, &c->x_capacity, 3 * points, sizeof *c->x));
    RETURN_IF_FAILED(memory_reserve(&c->memory, &c->triangles, &c->triangle_capacity, 3 * count,
                                    sizeof *c->triangles));
    RETURN_IF_FAILED(
        memory_reserve(&c->memory, &c->edges, &c->edge_capacity, 6 * count, sizeof *c->edges));
    RETURN_IF_FAILED(
        memory_reserve(&c->memory, &c->owners, &c->owner_capacity, count, sizeof *c->owners));
    for (size_t t = c->triangle_count; t < count; t++) {
        c->owners[t] = c->surface_count;
    }
    c->surface_count++;
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

pbs_status surface_check_add_body(struct surface_check *check, const pbs_world *world,
                                  pbs_body body) {
    const uint32_t *triangles = NULL;
    size_t triangle_count = 0;
    RETURN_IF_FAILED(pbs_body_surface(world, body, &triangles, &triangle_count));
    RETURN_IF_FAILED(add_surface(check, pbs_body_vertex_count(world, body),
                                 pbs_body_positions(world, body), triangle_count, triangles));
    check->free_triangle_count = check->triangle_count;
    return PBS_OK;
}

pbs_status surface_check_add_obstacle(struct surface_check *check, const struct surface_mesh *mesh,
                                      const double rotation[9], const double position[3]) {
    const size_t first = check->point_count;
    RETURN_IF_FAILED(add_surface(check, mesh->vertex_count, mesh->positions, mesh->triangle_count,
                                 mesh->triangles));
    for (size_t i = 0; rotation != NULL && i < 3 * mesh->vertex_count; i++) {
        const double *const own = mesh->positions + i - i % 3;
        const double *const row = rotation + 3 * (i % 3);
        check->x[3 * first + i] = row[0] * own[0] + row[1] * own[1] + row[2] * own[2] +
                                  position[i % 3];
    }
    return PBS_OK;
}

/// Of a body and something that it may not overlap.
static bool is_forbidden(const void *context, uint32_t edge, uint32_t triangle) {
    const struct surface_check *const c = context;
    const bool of_a_body = edge < 3 * c->free_triangle_count || triangle < c->free_triangle_count;
    return of_a_body && (c->may_overlap == NULL ||
                         !c->may_overlap(c->context, c->owners[edge / 3], c->owners[triangle]));
}

pbs_status surface_check_count(struct surface_check *check, size_t *count) {
    const struct edges_and_triangles all = {.point_count = check->point_count,
                                            .x = check->x,
                                            .edge_count = 3 * check->triangle_count,
                                            .edges = check->edges,
                                            .triangle_count = check->triangle_count,
                                            .triangles = check->triangles,
                                            .is_forbidden = is_forbidden,
                                            .context = check};
    RETURN_IF_FAILED(intersection_search(&check->memory, NULL, &all, &check->search));
    *count = check->search.found.count;
    return PBS_OK;
}

void surface_check_free(struct surface_check *check) {
    intersection_search_free(&check->memory, &check->search);
    memory_release(&check->memory, check->x);
    memory_release(&check->memory, check->triangles);
    memory_release(&check->memory, check->edges);
    memory_release(&check->memory, check->owners);
    surface_check_init(check);
}
