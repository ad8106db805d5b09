// Changes properties of bodies: contact settings, rest angles, strengths.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/particles/peridynamic.h"
#include "world/bodies/shell_edges.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/world.h"
#include "world/objects/body_table.h"

/// Both are copies of one struct, bytes between members too.
static bool is_same_but_for_surface(const pbs_contact_desc *now, const pbs_contact_desc *next) {
    pbs_contact_desc changed = *now;
    changed.friction = next->friction;
    changed.rolling_friction = next->rolling_friction;
    changed.spinning_friction = next->spinning_friction;
    changed.surface_material = next->surface_material;
    const void *const with_surface = &changed, *const wanted = next;
    return memcmp(with_surface, wanted, sizeof changed) == 0;
}

pbs_status pbs_body_set_contact(pbs_world *w, pbs_body b, const pbs_contact_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    pbs_contact_desc contact = body_default_contact();
    RETURN_IF_FAILED(settings_read(&settings_contact, d, &contact));
    RETURN_IF_FAILED(body_check_contact(&contact));
    const bool is_surface = is_same_but_for_surface(&body->contact, &contact);
    body->contact = contact;
    if (is_surface) {
        const struct surface surface = contact_scene_surface(&contact);
        world_changed_surface(w, handle_index_of(&w->scene.bodies, body->slot), &surface);
        return PBS_OK;
    }
    body->moved_by = body->moved_by != NULL ? body->moved_by : "changed by pbs_body_set_contact";
    w->solver.contact_is_current = false;
    return PBS_OK;
}

pbs_status pbs_body_contact_settings(const pbs_world *w, pbs_body b, pbs_contact_desc *out) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    return results_write(&settings_contact, &body->contact, out);
}

pbs_status pbs_body_set_user_data(pbs_world *w, pbs_body b, uint64_t user_data) {
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    body->user_data = user_data;
    return PBS_OK;
}

uint64_t pbs_body_user_data(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->user_data : 0;
}

const double *pbs_body_rest_angles(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->table == &body_table_shell ? body->shell.rest_angles : NULL;
}

pbs_status pbs_body_set_rest_angles(pbs_world *w, pbs_body b, const double *rest_angles,
                                    size_t triangle_count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (body->table != &body_table_shell) {
        return status_fail(PBS_ERROR_ARGUMENT, "the body is no shell, only these have rest angles");
    }
    if (triangle_count != body->triangle_count) {
        return status_fail(PBS_ERROR_ARGUMENT, "triangle_count is %zu, the body has %zu",
                           triangle_count, body->triangle_count);
    }
    RETURN_IF_FAILED(shell_set_rest_angles(body, &w->memory, rest_angles));
    w->solver.is_current = false;
    return PBS_OK;
}

const double *pbs_body_critical_stretches(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->peridynamic.critical : NULL;
}

pbs_status pbs_body_set_critical_stretches(pbs_world *w, pbs_body b, const double *stretches,
                                           size_t bond_count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (body->table != &body_table_peridynamic) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is not peridynamic: its bonds have no critical stretches");
    }
    if (bond_count != body->bonds.count) {
        return status_fail(PBS_ERROR_ARGUMENT, "bond_count is %zu, but the body has %zu bonds",
                           bond_count, body->bonds.count);
    }
    if (bond_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(stretches, "stretches"));
    RETURN_IF_FAILED(peridynamic_check_stretches(body, stretches));
    peridynamic_set_stretches(body, stretches);
    w->solver.is_current = false;
    return PBS_OK;
}
