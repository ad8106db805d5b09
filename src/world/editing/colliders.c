// Creates, moves and destroys colliders, and reads their poses.
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
               ? status_fail(
                     PBS_ERROR_ARGUMENT,
                     "%s moves no world with penalties or grids, whose forces have no bound "
                     "for a stable step",
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
    RETURN_IF_FAILED(handle_reserve(&w->scene.colliders, &w->memory));
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
    w->topology.contact_is_current = false;
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
    w->topology.contact_is_current = false;
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

pbs_status pbs_collider_pose(const pbs_world *w, pbs_collider c, double position[3],
                             double orientation[4]) {
    pbs_status status = PBS_OK;
    const struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    if (position != NULL) {
        copy3(collider->desc.position, position);
    }
    if (orientation != NULL) {
        memcpy(orientation, collider->desc.orientation, sizeof collider->desc.orientation);
    }
    return PBS_OK;
}
