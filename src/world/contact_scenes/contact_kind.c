// The table of kinds of contact; see contact_kind.h.
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/contact_kind.h"

enum { KIND_COUNT = 3 };

static const struct contact_kind *const KINDS[KIND_COUNT] = {
    &contact_kind_projection, &contact_kind_barrier, &contact_kind_penalty};

const struct contact_kind *contact_kind_find(int32_t id) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (KINDS[i]->id == id) {
            return KINDS[i];
        }
    }
    return NULL;
}

const struct contact_kind *contact_kind_of(const struct scene *scene) {
    return contact_kind_find(scene->settings.contact);
}

// --- checks ---

pbs_status contact_kind_check_settings(const pbs_world_desc *d) {
    const struct contact_kind *kind = contact_kind_find(d->contact);
    if (kind == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "contact is %d, which is no PBS_CONTACT_*",
                           (int)d->contact);
    }
    if (d->body_contact != PBS_BODY_CONTACT_NONE && !kind->takes_penalties) {
        return status_fail(
            PBS_ERROR_ARGUMENT,
            "body_contact must be PBS_BODY_CONTACT_NONE without PBS_CONTACT_PROJECTION: with other "
            "kinds of contact bodies touch each other anyway");
    }
    return PBS_OK;
}

pbs_status contact_kind_check_method(const pbs_world_desc *d, int32_t method) {
    return !contact_kind_find(d->contact)->needs_line_search || method != PBS_METHOD_PLAIN_NEWTON
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "PBS_METHOD_PLAIN_NEWTON does not support PBS_CONTACT_BARRIER, "
                             "because it takes full steps, which may lead through surfaces");
}

pbs_status contact_kind_check_collider(const pbs_world_desc *world, const pbs_collider_desc *d) {
    const struct contact_kind *kind = contact_kind_find(world->contact);
    if (collider_is_penalty(d) && !kind->takes_penalties) {
        return status_fail(PBS_ERROR_ARGUMENT, "%s are for worlds with PBS_CONTACT_PROJECTION",
                           d->shape == PBS_SHAPE_GRID ? "grids" : "penalties of colliders");
    }
    return d->shape != PBS_SHAPE_MESH || kind->takes_meshes
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "PBS_SHAPE_MESH is for worlds with PBS_CONTACT_BARRIER");
}

pbs_status contact_kind_check_scheme(const struct scene *scene, const struct scheme_table *scheme) {
    return contact_kind_of(scene)->check_scheme(scene, scheme);
}

// --- bodies ---

uint32_t contact_kind_count_untouchable(const struct scene *scene) {
    const struct contact_kind *kind = contact_kind_of(scene);
    uint32_t count = 0;
    for (size_t i = 0; i < scene->bodies.count && kind->touches != NULL; i++) {
        count += !kind->touches(scene, scene_body(scene, i));
    }
    return count;
}

// --- between steps ---

pbs_status contact_kind_evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                                 struct contact_energy *out) {
    const struct contact_kind *kind = contact_kind_of(scene);
    *out = (struct contact_energy){0.0, 0.0};
    return scene->nodes.count > 0 && kind->evaluate != NULL
               ? kind->evaluate(scene, memory, gradient, out)
               : PBS_OK;
}

pbs_status contact_kind_evaluate_term(const struct scene *scene, struct memory *memory,
                                      double *out) {
    const struct contact_kind *kind = contact_kind_of(scene);
    *out = 0.0;
    return scene->nodes.count > 0 && kind->evaluate_term != NULL
               ? kind->evaluate_term(scene, memory, out)
               : PBS_OK;
}
