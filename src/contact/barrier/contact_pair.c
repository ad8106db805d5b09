// See contact_pair.h.
// SPDX-License-Identifier: MIT
#include "contact/barrier/contact_pair.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

struct contact_pair contact_pair_of(const struct barrier_contact *c,
                                    const struct active_contact *active) {
    const bool is_wall = active->wall != CONTACT_NO_WALL;
    const int first = is_wall ? 1 : pair_first_count(active->kind);
    const uint32_t part = c->mesh.part[active->points[0]];
    const uint32_t other = is_wall ? c->walls[active->wall].part
                                   : c->mesh.part[active->points[first]];
    struct contact_pair pair = {.is_known = true,
                                .part = {part, other},
                                .count = {first, active->point_count - first},
                                .gap = barrier_contact_gap(c, active),
                                .reach = barrier_contact_reach(c, part, other),
                                .stiffness = active->stiffness,
                                .force = -active->factor * active->barrier.first,
                                .one_force = -fmin(active->factor, 1.0) * active->barrier.first};
    memcpy(pair.points, active->points, sizeof active->points);
    return pair;
}

struct contact_pair contact_pair_of_intersection(const struct collision_mesh *mesh,
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

/// Returns the force of a contact on a node, N.
static double force_on_node(const struct barrier_contact *c, const struct active_contact *active,
                            uint32_t node) {
    double sum = 0.0;
    for (int k = 0; k < active->point_count; k++) {
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(&c->mesh, active->points[k], nodes, weights);
        for (int i = 0; i < count; i++) {
            sum += nodes[i] == node ? weights[i] * active->weight[k] : 0.0;
        }
    }
    return fabs(sum * active->factor * active->barrier.first);
}

static bool is_prescribed(const struct barrier_contact *c, const struct active_contact *active,
                          const uint8_t *constrained_axes) {
    bool scripted = active->wall != CONTACT_NO_WALL;
    for (int k = 0; k < active->point_count && !scripted; k++) {
        uint32_t nodes[4];
        double weights[4];
        const uint32_t point = active->points[k];
        scripted = c->mesh.kind[point] == POINT_OBSTACLE ||
                   (collision_mesh_nodes(&c->mesh, point, nodes, weights) > 0 &&
                    constrained_axes != NULL && constrained_axes[nodes[0]] != 0);
    }
    return scripted;
}

/// Returns the force of a contact on a part, N.
static double force_on_part(const struct barrier_contact *c, const struct active_contact *active,
                            uint32_t part) {
    const struct contact_pair pair = contact_pair_of(c, active);
    return pair.part[0] == part || pair.part[1] == part ? pair.force : 0.0;
}

struct contact_pair contact_pair_at_node(const struct barrier_contact *c, uint32_t node,
                                         const uint32_t *parts) {
    const struct active_contact *best = NULL;
    double most = 0.0;
    if (c->contacts == NULL) {
        return (struct contact_pair){0};
    }
    for (int pass = 0; pass < 2 && best == NULL && node != UINT32_MAX; pass++) {
        for (size_t i = 0; i < c->contact_count && (pass == 0 || parts != NULL); i++) {
            const struct active_contact *active = &c->contacts[i];
            const double push = pass == 0 ? force_on_node(c, active, node)
                                          : force_on_part(c, active, parts[node]);
            if (push > most) {
                best = active;
                most = push;
            }
        }
    }
    return best != NULL ? contact_pair_of(c, best) : (struct contact_pair){0};
}

struct contact_pair contact_pair_at_prescribed(const struct barrier_contact *c,
                                               const uint8_t *constrained_axes) {
    const struct active_contact *best = NULL;
    double most = 0.0;
    for (int pass = 0; pass < 2 && best == NULL; pass++) {
        for (size_t i = 0; i < c->contact_count; i++) {
            const struct active_contact *active = &c->contacts[i];
            const double push = -active->factor * active->barrier.first;
            if (push > most && (pass == 1 || is_prescribed(c, active, constrained_axes))) {
                best = active;
                most = push;
            }
        }
    }
    return best != NULL ? contact_pair_of(c, best) : (struct contact_pair){0};
}
