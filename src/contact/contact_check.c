// Whether a state is one to start from: nothing goes through anything, nothing touches. Distances
// alone cannot tell (docs/theory/contact.md section 3.2): an edge that sticks through a triangle
// has a positive one.
#include <stdio.h>

#include "base/math3.h"
#include "contact/barrier_contact.h"

static bool must_not(const void *context, uint32_t edge, uint32_t triangle) {
    const struct collision_mesh *mesh = context;
    return collision_mesh_may_touch(mesh, mesh->edges[2 * (size_t)edge],
                                    mesh->triangles[3 * (size_t)triangle]);
}

enum { NAME_SIZE = 80 };

static void name_part(const struct collision_mesh *mesh, uint32_t point, char name[NAME_SIZE]) {
    const struct collision_part *part = &mesh->parts[mesh->part[point]];
    snprintf(name, NAME_SIZE, "%s %u", part->is_obstacle ? "collider" : "body",
             part->is_obstacle ? part->obstacle : mesh->part[point]);
}

static pbs_status fail_intersecting(const struct collision_mesh *mesh, struct box_pair pair) {
    const uint32_t *edge = mesh->edges + 2 * (size_t)pair.query;
    const uint32_t *triangle = mesh->triangles + 3 * (size_t)pair.primitive;
    char a[NAME_SIZE];
    char b[NAME_SIZE];
    name_part(mesh, edge[0], a);
    name_part(mesh, triangle[0], b);
    return status_fail(PBS_ERROR_INADMISSIBLE,
                       "the scene begins with an intersection: edge %u %u of %s meets triangle %u "
                       "%u %u of %s (bodies and colliders in order of creation)",
                       mesh->vertex[edge[0]], mesh->vertex[edge[1]], a, mesh->vertex[triangle[0]],
                       mesh->vertex[triangle[1]], mesh->vertex[triangle[2]], b);
}

static pbs_status fail_touching(const struct barrier_contact *c,
                                const struct active_contact *contact) {
    const uint32_t first = contact->points[0];
    char a[NAME_SIZE];
    char b[NAME_SIZE];
    name_part(&c->mesh, first, a);
    if (contact->wall == CONTACT_NO_WALL) {
        name_part(&c->mesh, contact->points[pair_first_count(contact->kind)], b);
    } else {
        snprintf(b, sizeof b, "collider %u", c->mesh.parts[c->walls[contact->wall].part].obstacle);
    }
    const double *x = c->points + 3 * (size_t)first;
    return status_fail(
        PBS_ERROR_INADMISSIBLE,
        "the scene begins with a contact that has no gap: %s and %s at (%g, %g, %g), "
        "near vertex %u (bodies and colliders in order of creation)",
        a, b, x[0], x[1], x[2], c->mesh.vertex[first]);
}

pbs_status barrier_contact_check(struct barrier_contact *c, struct tasks *tasks, const double *x) {
    struct contact_energy energy;
    RETURN_IF_FAILED(barrier_contact_evaluate(c, tasks, x, false, NULL, &energy));
    for (size_t i = 0; i < c->contact_count; i++) {
        if (isinf(c->contacts[i].barrier.value)) {
            return fail_touching(c, &c->contacts[i]);
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
    return c->intersections.found.count > 0
               ? fail_intersecting(&c->mesh, c->intersections.found.pairs[0])
               : PBS_OK;
}
