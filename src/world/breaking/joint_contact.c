// See joint_contact.h.
// SPDX-License-Identifier: MIT
#include "world/breaking/joint_contact.h"

#include <math.h>

#include "contact/search/part_distance.h"
#include "world/joints/joint.h"

pbs_status joint_contact_reserve(pbs_world *w) {
    const struct collision_mesh *const mesh = &w->solver.contact.mesh;
    struct joint_releases *const releases = &w->solver.joint_releases;
    const size_t points = mesh->joined_count > 0 ? 3 * (size_t)mesh->point_count : 0;
    RETURN_IF_FAILED(memory_reserve(&w->memory, &releases->points, &releases->point_capacity,
                                    points, sizeof *releases->points));
    return memory_reserve(&w->memory, &releases->rows, &releases->capacity, mesh->joined_count,
                          sizeof *releases->rows);
}

// --- which may collide ---

/// The entry of the joint's bodies in contact. Null if it keeps none apart, or contact has no
/// bodies.
static struct joined_parts *entry_of(const pbs_world *w, const struct world_joint *joint) {
    const struct solver *const t = &w->solver;
    if (t->contact.mesh.joined_count == 0 || !world_joint_is_apart(joint)) {
        return NULL;
    }
    return collision_mesh_joined(&t->contact.mesh, t->node_parts[joint->sides[0].body->node_start],
                                 t->node_parts[joint->sides[1].body->node_start]);
}

void joint_contact_loosen(pbs_world *w, const struct world_joint *joint) {
    struct joined_parts *const entry = entry_of(w, joint);
    if (entry != NULL) {
        entry->joints--;
    }
}

void joint_contact_tighten(pbs_world *w, const struct world_joint *joint) {
    struct joined_parts *const entry = entry_of(w, joint);
    if (entry != NULL) {
        entry->joints++;
    }
}

// --- distances ---

static double largest_radius(const struct collision_mesh *mesh, uint32_t part) {
    double most = 0.0;
    for (uint32_t p = mesh->parts[part].first_point; p < mesh->point_count && mesh->part[p] == part;
         p++) {
        most = fmax(most, collision_mesh_offset(mesh, p));
    }
    return most;
}

/// Lets them collide if they are far enough apart: then contact has no energy where it begins.
static bool let_collide(pbs_world *w, struct joined_parts *entry) {
    struct barrier_contact *const contact = &w->solver.contact;
    const uint32_t a = joined_part(entry, 0), b = joined_part(entry, 1);
    const double reach = barrier_contact_reach(contact, a, b);
    const double radii = largest_radius(&contact->mesh, a) + largest_radius(&contact->mesh, b);
    const double distance = part_distance(&contact->mesh, w->solver.joint_releases.points, a, b,
                                          reach, reach + radii);
    if (!(distance >= reach)) {
        return false;
    }
    entry->distance = distance - reach;
    barrier_contact_forget_pairs(contact);
    return true;
}

void joint_contact_release(pbs_world *w, const double *x) {
    const struct collision_mesh *const mesh = &w->solver.contact.mesh;
    struct joint_releases *const releases = &w->solver.joint_releases;
    bool located = false;
    for (size_t i = 0; i < mesh->joined_count; i++) {
        struct joined_parts *const entry = &mesh->joined[i];
        if (entry->joints > 0 || entry->distance >= 0.0) {
            continue;
        }
        if (!located) {
            collision_mesh_compute_points(w->tasks, mesh, x, releases->points);
            located = true;
        }
        if (let_collide(w, entry)) {
            releases->rows[releases->count++] = (uint32_t)i;
        }
    }
}

void joint_contact_hold(pbs_world *w, size_t count) {
    struct joint_releases *const releases = &w->solver.joint_releases;
    if (releases->count > count) {
        barrier_contact_forget_pairs(&w->solver.contact);
    }
    while (releases->count > count) {
        w->solver.contact.mesh.joined[releases->rows[--releases->count]].distance = -1.0;
    }
}

void joint_contact_commit(pbs_world *w) {
    for (size_t i = 0; i < w->scene.joints.count && w->solver.joint_releases.count > 0; i++) {
        struct world_joint *const joint = scene_joint(&w->scene, i);
        const struct joined_parts *const entry = entry_of(w, joint);
        if (entry != NULL) {
            joint->contact_distance = entry->distance;
        }
    }
    w->solver.joint_releases.count = 0;
}
