// Colliders: creation, scripted motion, forces.
#include <string.h>

#include "base/math3.h"
#include "world/check.h"
#include "world/collider.h"
#include "world/settings.h"

pbs_status pbs_collider_desc_init(pbs_collider_desc *d, size_t struct_size) {
    status_clear();
    const pbs_collider_desc defaults = {.shape = PBS_SHAPE_HALF_SPACE,
                                        .orientation = {0.0, 0.0, 0.0, 1.0}};
    return settings_init(&settings_collider, d, struct_size, &defaults);
}

pbs_status collider_check(const pbs_collider_desc *d, double unit[4]) {
    struct shape shape = {.kind = d->shape, .hollow = d->hollow != 0};
    copy3(d->size, shape.size);
    RETURN_IF_FAILED(shape_check(&shape));
    RETURN_IF_FAILED(check_choice(d->hollow, 0, 1, "hollow"));
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_vector(d->position, "position"));
    RETURN_IF_FAILED(check_not_negative(d->friction, "friction"));
    return check_quaternion(d->orientation, "orientation", unit);
}

pbs_status pbs_collider_create(pbs_world *w, const pbs_collider_desc *d, pbs_collider *out) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_collider_desc settings = {0};
    double unit[4];
    RETURN_IF_FAILED(settings_read(&settings_collider, d, &settings));
    RETURN_IF_FAILED(collider_check(&settings, unit));
    RETURN_IF_FAILED(handle_reserve(&w->scene.colliders, &w->memory));
    struct collider *collider = memory_allocate(&w->memory, 1, sizeof *collider);
    if (collider == NULL) {
        return PBS_ERROR_MEMORY;
    }
    collider->desc = settings;
    memcpy(collider->desc.orientation, unit, sizeof unit);
    collider->slot = handle_insert(&w->scene.colliders, collider);
    *out = pbs_world_collider_at(w, w->scene.colliders.count - 1);
    return PBS_OK;
}

static struct collider *enter(const pbs_world *w, pbs_collider c, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    struct collider *collider = handle_find(&w->scene.colliders, c.id, HANDLE_COLLIDER,
                                            w->scene.stamp);
    *status = collider != NULL ? PBS_OK : PBS_ERROR_HANDLE;
    return collider;
}

pbs_status pbs_collider_destroy(pbs_world *w, pbs_collider c) {
    RETURN_IF_FAILED(world_enter(w));
    if (c.id == 0) {
        return PBS_OK;
    }
    pbs_status status = PBS_OK;
    struct collider *collider = enter(w, c, &status);
    RETURN_IF_FAILED(status);
    handle_remove(&w->scene.colliders, collider->slot);
    memory_release(&w->memory, collider);
    return PBS_OK;
}

bool pbs_collider_is_valid(const pbs_world *w, pbs_collider c) {
    return w != NULL &&
           handle_peek(&w->scene.colliders, c.id, HANDLE_COLLIDER, w->scene.stamp) != NULL;
}

pbs_status pbs_collider_set_motion(pbs_world *w, pbs_collider c, const double position[3],
                                   const double orientation[4]) {
    pbs_status status = PBS_OK;
    struct collider *collider = enter(w, c, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(position, "position"));
    RETURN_IF_FAILED(check_pointer(orientation, "orientation"));
    RETURN_IF_FAILED(check_vector(position, "position"));
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
    const struct collider *collider = enter(w, c, &status);
    RETURN_IF_FAILED(status);
    if (position != NULL) {
        copy3(collider->desc.position, position);
    }
    if (orientation != NULL) {
        memcpy(orientation, collider->desc.orientation, sizeof collider->desc.orientation);
    }
    return PBS_OK;
}

pbs_status pbs_collider_force(const pbs_world *w, pbs_collider c, double force[3]) {
    pbs_status status = PBS_OK;
    const struct collider *collider = enter(w, c, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(force, "force"));
    copy3(collider->force, force);
    return PBS_OK;
}
