// Whether a state is one to start from: nothing goes through anything, nothing touches. Distances
// alone cannot tell (docs/theory/contact.md section 3.2): an edge that sticks through a triangle
// has a positive one.
#include "contact/contact_pair.h"

static bool must_not(const void *context, uint32_t edge, uint32_t triangle) {
    const struct collision_mesh *mesh = context;
    return collision_mesh_may_touch(mesh, mesh->edges[2 * (size_t)edge],
                                    mesh->triangles[3 * (size_t)triangle]);
}

static struct contact_pair intersecting_pair(const struct collision_mesh *mesh,
                                             struct box_pair pair) {
    const uint32_t *edge = mesh->edges + 2 * (size_t)pair.query;
    const uint32_t *triangle = mesh->triangles + 3 * (size_t)pair.primitive;
    return (struct contact_pair){
        .is_known = true,
        .intersects = true,
        .part = {mesh->part[edge[0]], mesh->part[triangle[0]]},
        .count = {2, 3},
        .points = {edge[0], edge[1], triangle[0], triangle[1], triangle[2]}};
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
                                                .must_not = must_not,
                                                .context = &c->mesh};
    RETURN_IF_FAILED(intersection_search(c->memory, tasks, &surface, &c->intersections));
    if (c->intersections.found.count > 0) {
        *pair = intersecting_pair(&c->mesh, c->intersections.found.pairs[0]);
        return PBS_ERROR_INADMISSIBLE;
    }
    return PBS_OK;
}
