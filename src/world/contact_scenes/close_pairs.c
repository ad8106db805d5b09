// See close_pairs.h.
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/close_pairs.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "contact/barrier/contact_pair.h"

// The reach of a close pair, relative to its gap, and at least relative to what it would be.
static const double REACH_OVER_GAP = 0.9;
static const double LEAST_SHARE = 1e-4;

// --- parts and ids ---

/// Parts are the bodies, then the colliders, in order of creation.
static uint64_t id_of_part(const struct scene *scene, uint32_t part) {
    const size_t bodies = scene->bodies.count;
    return part < bodies ? scene_body_id(scene, part).id
                         : scene_collider_id(scene, part - bodies).id;
}

/// Returns UINT32_MAX if the object no longer exists.
static uint32_t part_of_id(const struct scene *scene, uint64_t id) {
    if (handle_kind_of(id) == HANDLE_BODY) {
        const struct body *body = handle_peek(&scene->bodies, id, HANDLE_BODY, scene->stamp);
        return body != NULL ? (uint32_t)handle_index_of(&scene->bodies, body->slot) : UINT32_MAX;
    }
    const struct collider *collider = handle_peek(&scene->colliders, id, HANDLE_COLLIDER,
                                                  scene->stamp);
    return collider != NULL ? (uint32_t)(scene->bodies.count +
                                         handle_index_of(&scene->colliders, collider->slot))
                            : UINT32_MAX;
}

static bool was_moved(const struct scene *scene, uint32_t part) {
    const size_t bodies = scene->bodies.count;
    return part < bodies ? scene_body(scene, part)->moved_by != NULL
                         : scene_collider(scene, part - bodies)->moved_by != NULL;
}

// --- changes ---

pbs_status close_pairs_load(const struct scene *scene, struct memory *memory,
                            struct collision_mesh *mesh) {
    for (size_t i = 0; i < scene->close.count; i++) {
        const struct close_pair *pair = &scene->close.pairs[i];
        const uint32_t a = part_of_id(scene, pair->first), b = part_of_id(scene, pair->second);
        if (a != UINT32_MAX && b != UINT32_MAX) {
            RETURN_IF_FAILED(collision_mesh_add_close(memory, mesh, a, b, pair->reach));
        }
    }
    collision_mesh_sort_close(mesh);
    return PBS_OK;
}

void close_pairs_forget_moved(const struct scene *scene, struct barrier_contact *contact) {
    struct collision_mesh *mesh = &contact->mesh;
    for (size_t i = 0; i < mesh->close_count; i++) {
        struct close_parts *close = &mesh->close[i];
        if (was_moved(scene, close_part(close, 0)) || was_moved(scene, close_part(close, 1))) {
            close->reach = 0.0;
        }
    }
    barrier_contact_forget_reaches(contact);
}

pbs_status close_pairs_form(const struct scene *scene, struct barrier_contact *contact,
                            size_t *count) {
    const size_t before = contact->mesh.close_count;
    // A host that says how stiff its barrier is may place things where that carries them.
    const bool finds = scene->settings.contact_stiffness == 0.0;
    for (size_t i = 0; i < contact->contact_count && finds; i++) {
        const struct contact_pair pair = contact_pair_of(contact, &contact->contacts[i]);
        const uint32_t a = pair.part[0], b = pair.part[1];
        if (a != b && (was_moved(scene, a) || was_moved(scene, b))) {
            const double reach = fmax(REACH_OVER_GAP * pair.gap, LEAST_SHARE * pair.reach);
            RETURN_IF_FAILED(
                collision_mesh_add_close(contact->memory, &contact->mesh, a, b, reach));
        }
    }
    if (contact->mesh.close_count > before) {
        barrier_contact_forget_reaches(contact);
    }
    *count = contact->mesh.close_count - before;
    return PBS_OK;
}

pbs_status close_pairs_renew(const struct scene *scene, struct barrier_contact *contact) {
    size_t count = 0;
    close_pairs_forget_moved(scene, contact);
    RETURN_IF_FAILED(barrier_contact_find(contact, NULL, scene->nodes.x));
    return close_pairs_form(scene, contact, &count);
}

/// Returns by how much a contact closes, m.
static double closing(const struct barrier_contact *contact, const struct active_contact *active,
                      const double *motion) {
    double sum = 0.0;
    for (int k = 0; k < active->point_count; k++) {
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(&contact->mesh, active->points[k], nodes, weights);
        for (int i = 0; i < count; i++) {
            sum -= active->weight[k] * weights[i] *
                   dot3(active->normal, motion + 3 * (size_t)nodes[i]);
        }
    }
    return sum;
}

bool close_pairs_meet(const struct scene *scene, const struct barrier_contact *contact,
                      const double *motion) {
    for (size_t i = 0; i < contact->contact_count; i++) {
        const struct active_contact *active = &contact->contacts[i];
        const struct contact_pair pair = contact_pair_of(contact, active);
        const bool moved = was_moved(scene, pair.part[0]) || was_moved(scene, pair.part[1]);
        if (moved && pair.part[0] != pair.part[1] &&
            closing(contact, active, motion) > pair.gap - pair.reach) {
            return true;
        }
    }
    return false;
}

/// Marks the pairs that carry a load in the contacts found last. Returns how many do not.
static size_t count_idle(const struct barrier_contact *contact) {
    const struct collision_mesh *mesh = &contact->mesh;
    size_t idle = mesh->close_count;
    for (size_t i = 0; i < mesh->close_count; i++) {
        mesh->close[i].carries_load = false;
    }
    for (size_t i = 0; i < contact->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(contact, &contact->contacts[i]);
        struct close_parts *close = collision_mesh_close(mesh, pair.part[0], pair.part[1]);
        if (close != NULL && !close->carries_load) {
            close->carries_load = true;
            idle--;
        }
    }
    return idle;
}

/// Finds the least gaps of all idle pairs that are closer than their whole distance.
static pbs_status measure_idle(struct barrier_contact *contact, struct tasks *tasks,
                               const double *x) {
    const struct collision_mesh *mesh = &contact->mesh;
    for (size_t i = 0; i < mesh->close_count; i++) {
        struct close_parts *close = &mesh->close[i];
        close->least = close->reach;
        close->reach = close->carries_load ? close->reach : INFINITY;
    }
    contact->is_found = false;
    const pbs_status status = barrier_contact_find(contact, tasks, x);
    for (size_t i = 0; i < mesh->close_count; i++) {
        struct close_parts *close = &mesh->close[i];
        const double before = close->least;
        close->least = INFINITY;
        close->reach = before;
    }
    for (size_t i = 0; i < contact->contact_count && status >= 0; i++) {
        const struct contact_pair pair = contact_pair_of(contact, &contact->contacts[i]);
        struct close_parts *close = collision_mesh_close(mesh, pair.part[0], pair.part[1]);
        if (close != NULL) {
            close->least = fmin(close->least, pair.gap);
        }
    }
    return status;
}

pbs_status close_pairs_grow(struct barrier_contact *contact, struct tasks *tasks, const double *x) {
    const struct collision_mesh *mesh = &contact->mesh;
    if (mesh->close_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(barrier_contact_find(contact, tasks, x));
    if (count_idle(contact) == 0) {
        return PBS_OK;
    }
    const pbs_status status = measure_idle(contact, tasks, x);
    for (size_t i = 0; i < mesh->close_count && status >= 0; i++) {
        struct close_parts *close = &mesh->close[i];
        if (!close->carries_load) {
            const double grown = fmax(close->reach, REACH_OVER_GAP * close->least);
            close->reach = isfinite(grown) ? grown : 0.0;
        }
    }
    barrier_contact_forget_reaches(contact);
    return status;
}

// --- the scene's ---

pbs_status close_pairs_reserve(const struct collision_mesh *mesh, struct memory *memory,
                               struct scene *scene) {
    return memory_reserve(memory, &scene->close.pairs, &scene->close.capacity, mesh->close_count,
                          sizeof *scene->close.pairs);
}

void close_pairs_commit(const struct collision_mesh *mesh, struct scene *scene) {
    scene->close.count = mesh->close_count;
    for (size_t i = 0; i < mesh->close_count; i++) {
        const struct close_parts *close = &mesh->close[i];
        scene->close.pairs[i] = (struct close_pair){
            .first = id_of_part(scene, close_part(close, 0)),
            .second = id_of_part(scene, close_part(close, 1)),
            .reach = close->reach};
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        scene_body(scene, i)->moved_by = NULL;
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        scene_collider(scene, i)->moved_by = NULL;
    }
}
