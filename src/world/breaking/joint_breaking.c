// See joint_breaking.h.
// SPDX-License-Identifier: MIT
#include "world/breaking/joint_breaking.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/breaking/joint_contact.h"
#include "world/joints/joint.h"

static bool may_break(const struct world_joint *joint) {
    return isfinite(joint->desc.break_force) || isfinite(joint->desc.break_torque) ||
           world_joint_has_directed_strengths(&joint->desc);
}

static void break_joint(pbs_world *w, size_t index, size_t at, struct joint_break *row) {
    struct joint_set *const joints = &w->solver.joints;
    row->joint = scene_joint(&w->scene, at);
    row->index = index;
    row->row.joint = pbs_world_joint_at(w, at);
    joint_set_break(joints, index);
    joint_contact_loosen(w, row->joint);
}

/// Splits a vector into its part along the axis of side a and the length of the rest.
static void split(const double vector[3], const double axis[3], double *along, double *across) {
    double rest[3];
    *along = dot3(vector, axis);
    add_scaled3(vector, -*along, axis, rest);
    *across = norm3(rest);
}

/// The largest tension and shear of a section, over its strengths (docs/theory/joints.md section
/// 6.1).
static bool is_torn(const struct joint *joint, const struct joint_wrench *wrench, const double *x,
                    const pbs_joint_desc *d) {
    struct joint_values values;
    double axis[3], tension, shear, torsion, bending;
    joint_measure(joint, x, &values);
    scale3(1.0 / norm3(values.vector[JOINT_A_T]), values.vector[JOINT_A_T], axis);
    split(wrench->force, axis, &tension, &shear);
    split(wrench->torque, axis, &torsion, &bending);
    // The joint pulls side b back.
    return -tension / d->break_tension + bending / d->break_bending > 1.0 ||
           shear / d->break_shear + fabs(torsion) / d->break_torsion > 1.0;
}

/// Compares a joint with its strengths. Returns true if it bears more, with what it bears.
static bool is_overloaded(const pbs_world *w, size_t index, const struct world_joint *joint,
                          const double *x, struct joint_break *out) {
    const struct joint_set *const joints = &w->solver.joints;
    const struct joint_wrench wrench = joint_set_wrench(joints, index, x);
    out->row.force = norm3(wrench.force);
    out->row.torque = norm3(wrench.torque);
    return out->row.force > joint->desc.break_force || out->row.torque > joint->desc.break_torque ||
           (world_joint_has_directed_strengths(&joint->desc) &&
            is_torn(&joints->joints[index], &wrench, x, &joint->desc));
}

bool joint_breaks_update(pbs_world *w, const double *x, const double *released, double time) {
    const struct joint_set *const joints = &w->solver.joints;
    struct joint_breaks *const breaks = &w->solver.joint_breaks;
    const size_t before = breaks->count;
    size_t next = 0;
    for (size_t i = 0; i < w->scene.joints.count && joints->count > 0; i++) {
        const struct world_joint *const joint = scene_joint(&w->scene, i);
        const size_t index = next;
        next += !joint->broken;
        if (joint->broken || joints->joints[index].row_count == 0 || !may_break(joint)) {
            continue;
        }
        struct joint_break row = {.row.time = time};
        if (is_overloaded(w, index, joint, x, &row)) {
            row.energy = joint_set_evaluate_joint(joints, index, released, true, NULL).elastic;
            break_joint(w, index, i, &row);
            breaks->rows[breaks->count++] = row;
        }
    }
    return breaks->count > before;
}

void joint_breaks_undo(pbs_world *w, size_t count) {
    struct joint_breaks *const breaks = &w->solver.joint_breaks;
    while (breaks->count > count) {
        const struct joint_break *const row = &breaks->rows[--breaks->count];
        joint_set_mend(&w->solver.joints, row->index);
        joint_contact_tighten(w, row->joint);
    }
}

void joint_breaks_save(pbs_world *w) {
    w->solver.joint_breaks.kept_count = w->solver.joint_breaks.count;
    w->solver.joint_releases.kept_count = w->solver.joint_releases.count;
    constraint_set_keep(&w->solver.constraints);
}

void joint_breaks_restore_saved(pbs_world *w) {
    joint_contact_hold(w, w->solver.joint_releases.kept_count);
    joint_breaks_undo(w, w->solver.joint_breaks.kept_count);
    constraint_set_bring_back(&w->solver.constraints);
}

double joint_breaks_commit(pbs_world *w) {
    struct joint_breaks *const breaks = &w->solver.joint_breaks;
    double energy = 0.0;
    for (size_t i = 0; i < breaks->count; i++) {
        w->broken_joints.rows[i] = breaks->rows[i].row;
        energy += breaks->rows[i].energy;
    }
    w->broken_joints.count = breaks->count;
    breaks->count = 0;
    joint_contact_commit(w);
    return energy;
}
