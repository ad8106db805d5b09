// Data of bodies that the host reads without a copy: counts, positions, velocities, masses and the
// surface.
// SPDX-License-Identifier: MIT
#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/world.h"

bool pbs_body_is_valid(const pbs_world *w, pbs_body b) {
    return world_body(w, b) != NULL;
}

size_t pbs_body_vertex_count(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->vertex_count : 0;
}

size_t pbs_body_tet_count(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->solid.tet_count : 0;
}

/// Returns null if the id is not valid. Removes vacant nodes now, so that later read-only calls do
/// not move the arrays that the host reads.
static const struct body *enter_arrays(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    if (body != NULL) {
        world_compact_nodes(w);
    }
    return body;
}

const double *pbs_body_positions(const pbs_world *w, pbs_body b) {
    const struct body *body = enter_arrays(w, b);
    return body != NULL ? vertices_positions(&w->scene.nodes, body) : NULL;
}

const double *pbs_body_velocities(const pbs_world *w, pbs_body b) {
    const struct body *body = enter_arrays(w, b);
    return body != NULL ? vertices_velocities(&w->scene.nodes, body) : NULL;
}

const double *pbs_body_masses(const pbs_world *w, pbs_body b) {
    const struct body *body = enter_arrays(w, b);
    return body != NULL ? vertices_masses(&w->scene.nodes, body) : NULL;
}

int32_t pbs_body_kind_of(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->table->kind : PBS_BODY_NONE;
}

const double *pbs_body_rest_positions(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->rest : NULL;
}

pbs_status pbs_body_tets(const pbs_world *w, pbs_body b, const uint32_t **indices,
                         size_t *tet_count) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(indices, "indices"));
    RETURN_IF_FAILED(check_pointer(tet_count, "tet_count"));
    const bool has_tets = body->table->list_tets != NULL;
    const struct body_simplices tets = has_tets ? body->table->list_tets(body)
                                                : (struct body_simplices){.width = 4};
    *indices = tets.corners;
    *tet_count = tets.count;
    return PBS_OK;
}

pbs_status pbs_body_springs(const pbs_world *w, pbs_body b, const uint32_t **indices,
                            size_t *spring_count) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(indices, "indices"));
    RETURN_IF_FAILED(check_pointer(spring_count, "spring_count"));
    const bool has_springs = body->table->list_springs != NULL;
    const struct body_springs springs = has_springs ? body->table->list_springs(body)
                                                    : (struct body_springs){.count = 0};
    *indices = springs.ends;
    *spring_count = springs.count;
    return PBS_OK;
}

pbs_status pbs_body_surface(const pbs_world *w, pbs_body b, const uint32_t **indices,
                            size_t *triangle_count) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(indices, "indices"));
    RETURN_IF_FAILED(check_pointer(triangle_count, "triangle_count"));
    *indices = body->triangles;
    *triangle_count = body->triangle_count;
    return PBS_OK;
}
