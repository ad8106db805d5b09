// Joints come, change and go.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/joints/joint.h"
#include "world/world.h"

pbs_status pbs_joint_desc_init(pbs_joint_desc *d, size_t struct_size) {
    const pbs_joint_desc defaults = {
        .kind = PBS_JOINT_BALL,
        .a = {.struct_size = sizeof(pbs_point)},
        .b = {.struct_size = sizeof(pbs_point)},
        .axis = {0.0, 0.0, 1.0},
        .lower = -INFINITY,
        .upper = INFINITY,
        .break_force = INFINITY,
        .break_torque = INFINITY,
        .break_tension = INFINITY,
        .break_shear = INFINITY,
        .break_bending = INFINITY,
        .break_torsion = INFINITY,
        .swing_limit = INFINITY,
        .twist_lower = -INFINITY,
        .twist_upper = INFINITY,
    };
    return settings_init(&settings_joint, d, struct_size, &defaults);
}

/// What is built of joints, and what schemes remember of motion without the change, is of no use.
static void change(pbs_world *w) {
    w->solver.joints_are_current = false;
    scene_forget_states(&w->scene);
}

pbs_status world_make_joint(pbs_world *w, const pbs_joint_desc *d, struct world_joint **out) {
    struct world_joint made;
    RETURN_IF_FAILED(world_joint_make(&w->scene, d, &made));
    *out = memory_allocate(&w->memory, 1, sizeof **out);
    if (*out == NULL) {
        return PBS_ERROR_MEMORY;
    }
    **out = made;
    return PBS_OK;
}

void world_add_joint(pbs_world *w, struct world_joint *joint) {
    joint->slot = handle_insert(&w->scene.joints, joint);
    for (int s = 0; s < 2; s++) {
        if (joint->sides[s].body != NULL) {
            joint->sides[s].body->joint_count++;
        }
    }
    w->solver.contact_is_current = w->solver.contact_is_current && joint->desc.touching != 0;
    change(w);
}

pbs_status pbs_joint_create(pbs_world *w, const pbs_joint_desc *d, pbs_joint *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_joint_desc settings = {0};
    struct world_joint *joint = NULL;
    RETURN_IF_FAILED(settings_read(&settings_joint, d, &settings));
    RETURN_IF_FAILED(world_joint_check_scheme(w->scene.integrator.scheme));
    RETURN_IF_FAILED(handle_reserve(&w->scene.joints, &w->memory, 1));
    RETURN_IF_FAILED(world_make_joint(w, &settings, &joint));
    const pbs_status status = world_joint_check_free(&w->scene, joint);
    if (status < 0) {
        memory_release(&w->memory, joint);
        return status;
    }
    world_add_joint(w, joint);
    *out = pbs_world_joint_at(w, w->scene.joints.count - 1);
    return PBS_OK;
}

static struct world_joint *enter_joint(const pbs_world *w, pbs_joint j, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    struct world_joint *joint = handle_find(&w->scene.joints, j.id, HANDLE_JOINT, w->scene.stamp);
    *status = joint != NULL ? PBS_OK : PBS_ERROR_HANDLE;
    return joint;
}

void world_destroy_joint(pbs_world *w, struct world_joint *joint) {
    for (int s = 0; s < 2; s++) {
        if (joint->sides[s].body != NULL) {
            joint->sides[s].body->joint_count--;
        }
    }
    w->solver.contact_is_current = w->solver.contact_is_current && joint->desc.touching != 0;
    w->scene.has_freed_pair = w->scene.has_freed_pair || joint->desc.touching == 0;
    handle_remove(&w->scene.joints, joint->slot);
    memory_release(&w->memory, joint);
    change(w);
}

pbs_status pbs_joint_destroy(pbs_world *w, pbs_joint j) {
    RETURN_IF_FAILED(world_enter(w));
    if (j.id == 0) {
        return PBS_OK;
    }
    pbs_status status = PBS_OK;
    struct world_joint *joint = enter_joint(w, j, &status);
    RETURN_IF_FAILED(status);
    world_destroy_joint(w, joint);
    return PBS_OK;
}

bool pbs_joint_is_valid(const pbs_world *w, pbs_joint j) {
    return w != NULL && handle_peek(&w->scene.joints, j.id, HANDLE_JOINT, w->scene.stamp) != NULL;
}

// --- changes ---

static bool are_equal(const double *a, const double *b, int count) {
    int k = 0;
    while (k < count && a[k] == b[k]) {
        k++;
    }
    return k == count;
}

static bool is_same_point(const pbs_point *a, const pbs_point *b) {
    return a->kind == b->kind && a->body.id == b->body.id && a->index == b->index &&
           are_equal(a->weights, b->weights, 4) && are_equal(a->place, b->place, 3);
}

static pbs_status check_same_place(const pbs_joint_desc *now, const pbs_joint_desc *next) {
    const bool same = now->kind == next->kind && is_same_point(&now->a, &next->a) &&
                      is_same_point(&now->b, &next->b) && are_equal(now->axis, next->axis, 3);
    return same ? PBS_OK
                : status_fail(PBS_ERROR_ARGUMENT, "kind, points or axis differ from those of the "
                                                  "joint and cannot change: create another joint");
}

pbs_status pbs_joint_set_settings(pbs_world *w, pbs_joint j, const pbs_joint_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct world_joint *joint = enter_joint(w, j, &status);
    RETURN_IF_FAILED(status);
    pbs_joint_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_joint, d, &settings));
    RETURN_IF_FAILED(check_same_place(&joint->desc, &settings));
    RETURN_IF_FAILED(world_joint_check(joint->table, &settings));
    RETURN_IF_FAILED(world_joint_check_axes(joint, &settings));
    if (settings.touching != joint->desc.touching) {
        w->solver.contact_is_current = false;
        w->scene.has_freed_pair = true;
    }
    world_joint_change(joint, &settings);
    w->solver.joints_are_current = false;
    return PBS_OK;
}

/// Returns the side in space. Where both are on bodies, *status is PBS_ERROR_ARGUMENT.
static struct joint_side *side_in_space(struct world_joint *joint, pbs_status *status) {
    struct joint_side *side = &joint->sides[joint->sides[0].body == NULL ? 0 : 1];
    if (side->body != NULL) {
        *status = status_fail(PBS_ERROR_ARGUMENT, "both points of the joint are on bodies: only a "
                                                  "point in space (PBS_POINT_WORLD) has a target");
    }
    return side;
}

pbs_status pbs_joint_set_target(pbs_world *w, pbs_joint j, const double place[3]) {
    pbs_status status = PBS_OK;
    struct world_joint *joint = enter_joint(w, j, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(place, "place"));
    RETURN_IF_FAILED(check_point(place, "place"));
    struct joint_side *side = side_in_space(joint, &status);
    RETURN_IF_FAILED(status);
    copy3(place, side->target);
    return PBS_OK;
}

pbs_status pbs_joint_target(const pbs_world *w, pbs_joint j, double place[3]) {
    pbs_status status = PBS_OK;
    struct world_joint *joint = enter_joint(w, j, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(place, "place"));
    const struct joint_side *side = side_in_space(joint, &status);
    RETURN_IF_FAILED(status);
    copy3(side->target, place);
    return PBS_OK;
}
