// Creates, moves and destroys colliders, and reads their poses.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/world.h"

static pbs_status check_scheme(const pbs_world *w, const pbs_collider_desc *d) {
    const struct scheme_table *scheme = w->scene.integrator.scheme;
    return collider_is_penalty(d) && scheme->kicks
               ? status_fail(PBS_ERROR_ARGUMENT,
                             "%s does not support penalties and grids, whose stiffness has no "
                             "bound from which a stable step could follow",
                             scheme->name)
               : PBS_OK;
}

pbs_status pbs_collider_create(pbs_world *w, const pbs_collider_desc *d, pbs_collider *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_collider_desc settings = {0};
    double unit[4];
    RETURN_IF_FAILED(settings_read(&settings_collider, d, &settings));
    RETURN_IF_FAILED(contact_kind_check_collider(&w->scene.settings, &settings));
    RETURN_IF_FAILED(collider_check(&settings, unit));
    RETURN_IF_FAILED(check_scheme(w, &settings));
    RETURN_IF_FAILED(handle_reserve(&w->scene.colliders, &w->memory, 1));
    struct collider *collider = memory_allocate(&w->memory, 1, sizeof *collider);
    if (collider == NULL) {
        return PBS_ERROR_MEMORY;
    }
    collider->desc = settings;
    const pbs_status copied = collider_copy_arrays(&w->memory, &collider->desc);
    if (copied < 0) {
        memory_release(&w->memory, collider);
        return copied;
    }
    collider->grid = collider_grid(&collider->desc);
    memcpy(collider->desc.orientation, unit, sizeof unit);
    collider->moved_by = "created";
    collider->slot = handle_insert(&w->scene.colliders, collider);
    w->solver.contact_is_current = false;
    query_index_invalidate_parts(w->query);
    *out = pbs_world_collider_at(w, w->scene.colliders.count - 1);
    return PBS_OK;
}

pbs_status pbs_collider_destroy(pbs_world *w, pbs_collider c) {
    RETURN_IF_FAILED(world_enter(w));
    if (c.id == 0) {
        return PBS_OK;
    }
    pbs_status status = PBS_OK;
    struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    handle_remove(&w->scene.colliders, collider->slot);
    collider_free_arrays(&w->memory, &collider->desc);
    w->solver.contact_is_current = false;
    query_index_invalidate_parts(w->query);
    memory_release(&w->memory, collider);
    return PBS_OK;
}

bool pbs_collider_is_valid(const pbs_world *w, pbs_collider c) {
    return w != NULL &&
           handle_peek(&w->scene.colliders, c.id, HANDLE_COLLIDER, w->scene.stamp) != NULL;
}

pbs_status pbs_collider_set_motion(pbs_world *w, pbs_collider c, const double position[3],
                                   const double orientation[4]) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(position, "position"));
    RETURN_IF_FAILED(check_pointer(orientation, "orientation"));
    RETURN_IF_FAILED(check_point(position, "position"));
    double unit[4];
    RETURN_IF_FAILED(check_quaternion(orientation, "orientation", unit));
    copy3(position, collider->target_position);
    memcpy(collider->target_orientation, unit, sizeof unit);
    collider->moving = true;
    return PBS_OK;
}

/// Both outputs may be null.
static void copy_pose(const double from_position[3], const double from_orientation[4],
                      double position[3], double orientation[4]) {
    if (position != NULL) {
        copy3(from_position, position);
    }
    if (orientation != NULL) {
        memcpy(orientation, from_orientation, 4 * sizeof *orientation);
    }
}

pbs_status pbs_collider_motion(const pbs_world *w, pbs_collider c, double position[3],
                               double orientation[4]) {
    pbs_status status = PBS_OK;
    const struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    if (collider->moving) {
        copy_pose(collider->target_position, collider->target_orientation, position, orientation);
        return PBS_OK;
    }
    return pbs_collider_pose(w, c, position, orientation);
}

pbs_status pbs_collider_pose(const pbs_world *w, pbs_collider c, double position[3],
                             double orientation[4]) {
    pbs_status status = PBS_OK;
    const struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    copy_pose(collider->desc.position, collider->desc.orientation, position, orientation);
    return PBS_OK;
}

// --- descriptions ---

pbs_status pbs_collider_description(const pbs_world *w, pbs_collider c, pbs_collider_desc *out) {
    pbs_status status = PBS_OK;
    const struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    return results_write(&settings_collider, &collider->desc, out);
}

/// What may change of a collider that exists.
static void copy_surface(const pbs_collider_desc *from, pbs_collider_desc *to) {
    to->friction = from->friction;
    to->surface_material = from->surface_material;
    to->group = from->group;
    to->mask = from->mask;
    to->penalty_stiffness = from->penalty_stiffness;
}

/// Both are copies of one struct, bytes between members too.
static bool is_same_but_for_surface(const pbs_collider_desc *now, const pbs_collider_desc *next) {
    pbs_collider_desc changed = *now;
    copy_surface(next, &changed);
    const void *const with_surface = &changed, *const wanted = next;
    return memcmp(with_surface, wanted, sizeof changed) == 0;
}

pbs_status pbs_collider_set_description(pbs_world *w, pbs_collider c, const pbs_collider_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    pbs_collider_desc next = collider->desc;
    double unit[4];
    RETURN_IF_FAILED(settings_read(&settings_collider, d, &next));
    if (!is_same_but_for_surface(&collider->desc, &next)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "friction, surface_material, group, mask and penalty_stiffness can "
                           "change, the rest must be as pbs_collider_description gave it");
    }
    RETURN_IF_FAILED(collider_check(&next, unit));
    const bool touches_alike = collider->desc.group == next.group &&
                               collider->desc.mask == next.mask &&
                               collider->desc.penalty_stiffness == next.penalty_stiffness;
    collider->desc = next;
    if (touches_alike) {
        const struct surface surface = {.friction = next.friction,
                                        .material = next.surface_material};
        const size_t index = handle_index_of(&w->scene.colliders, collider->slot);
        world_changed_surface(w, w->scene.bodies.count + index, &surface);
        return PBS_OK;
    }
    collider->moved_by = collider->moved_by != NULL ? collider->moved_by
                                                    : "changed by pbs_collider_set_description";
    w->solver.contact_is_current = false;
    return PBS_OK;
}

pbs_status pbs_collider_set_user_data(pbs_world *w, pbs_collider c, uint64_t user_data) {
    pbs_status status = PBS_OK;
    struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    collider->user_data = user_data;
    return PBS_OK;
}

uint64_t pbs_collider_user_data(const pbs_world *w, pbs_collider c) {
    const struct collider *collider = w == NULL ? NULL
                                                : handle_peek(&w->scene.colliders, c.id,
                                                              HANDLE_COLLIDER, w->scene.stamp);
    return collider != NULL ? collider->user_data : 0;
}
