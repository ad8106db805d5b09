// Checks that a state has no intersecting and no touching primitives, so that a step can start from
// it. Distances alone do not suffice (docs/theory/contact.md section 3.2): an edge that intersects
// a triangle has positive distances.
// SPDX-License-Identifier: MIT
#include "contact/barrier/contact_pair.h"

static bool is_forbidden(const void *context, uint32_t edge, uint32_t triangle) {
    const struct collision_mesh *mesh = context;
    return collision_mesh_may_touch(mesh, mesh->edges[2 * (size_t)edge],
                                    mesh->triangles[3 * (size_t)triangle]);
}

pbs_status barrier_contact_check(struct barrier_contact *c, struct tasks *tasks, const double *x,
                                 struct contact_pair *pair) {
    struct contact_energy energy;
    RETURN_IF_FAILED(barrier_contact_evaluate(c, tasks, x, false, NULL, &energy));
    for (size_t i = 0; i < c->contact_count; i++) {
        if (isinf(c->contacts[i].barrier.value)) {
            *pair = contact_pair_of(c, &c->contacts[i]);
            return PBS_ERROR_INADMISSIBLE;
        }
    }
    const struct edges_and_triangles surface = {.point_count = c->mesh.point_count,
                                                .x = c->points,
                                                .edge_count = c->mesh.edge_count,
                                                .edges = c->mesh.edges,
                                                .triangle_count = c->mesh.triangle_count,
                                                .triangles = c->mesh.triangles,
                                                .is_forbidden = is_forbidden,
                                                .context = &c->mesh};
    RETURN_IF_FAILED(intersection_search(c->memory, tasks, &surface, &c->intersections));
    if (c->intersections.found.count > 0) {
        *pair = contact_pair_of_intersection(&c->mesh, c->intersections.found.pairs[0]);
        return PBS_ERROR_INADMISSIBLE;
    }
    return PBS_OK;
}
