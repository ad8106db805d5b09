// Sets positions and velocities of bodies.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/world.h"

static pbs_status enter_with_count(pbs_world *w, pbs_body b, size_t vertex_count,
                                   struct body **out) {
    pbs_status status = PBS_OK;
    *out = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    return world_check_vertex_count(*out, vertex_count);
}

pbs_status pbs_body_set_positions(pbs_world *w, pbs_body b, const double *xyz,
                                  size_t vertex_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, vertex_count, &body));
    RETURN_IF_FAILED(check_points(xyz, vertex_count, "positions"));
    struct nodes *nodes = &w->scene.nodes;
    const size_t bytes = 3 * body->node_count * sizeof(double);
    for (size_t i = 0; i < vertex_count; i++) {
        const double *x = nodes->x + 3 * (body->node_start + i);
        RETURN_IF_FAILED(body_check_plane(body, xyz + 3 * i, x, i, "positions"));
    }
    if (body->table->check_positions != NULL) {
        RETURN_IF_FAILED(body->table->check_positions(body, xyz));
    }
    RETURN_IF_FAILED(vertices_set_positions(nodes, body, xyz));
    // Constrained vertices stay at their new positions; pending targets are discarded.
    memcpy(nodes->target + 3 * body->node_start, nodes->x + 3 * body->node_start, bytes);
    world_moved_body(w, body, "placed by pbs_body_set_positions");
    return PBS_OK;
}

pbs_status pbs_body_set_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                   size_t vertex_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, vertex_count, &body));
    RETURN_IF_FAILED(check_vectors(xyz, vertex_count, "velocities"));
    for (size_t i = 0; i < vertex_count; i++) {
        const double still[3] = {0.0, 0.0, 0.0};
        RETURN_IF_FAILED(body_check_plane(body, xyz + 3 * i, still, i, "velocities"));
    }
    RETURN_IF_FAILED(vertices_set_velocities(&w->scene.nodes, body, xyz));
    scene_forget_body(&w->scene, body);
    return PBS_OK;
}
