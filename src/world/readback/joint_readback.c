// What joints are, and what they did in the last step.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/model/joint_scene.h"
#include "world/joints/joint.h"
#include "world/world.h"

size_t pbs_world_joint_count(const pbs_world *w) {
    return w != NULL ? w->scene.joints.count : 0;
}

pbs_joint pbs_world_joint_at(const pbs_world *w, size_t index) {
    if (w == NULL || index >= w->scene.joints.count) {
        return (pbs_joint){0};
    }
    return (pbs_joint){handle_id(&w->scene.joints, handle_slot_at(&w->scene.joints, index),
                                 HANDLE_JOINT, w->scene.stamp)};
}

static const struct world_joint *enter_joint(const pbs_world *w, pbs_joint j, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    const struct world_joint *joint = handle_find(&w->scene.joints, j.id, HANDLE_JOINT,
                                                  w->scene.stamp);
    *status = joint != NULL ? PBS_OK : PBS_ERROR_HANDLE;
    return joint;
}

pbs_status pbs_joint_settings(const pbs_world *w, pbs_joint j, pbs_joint_desc *out) {
    pbs_status status = PBS_OK;
    const struct world_joint *joint = enter_joint(w, j, &status);
    RETURN_IF_FAILED(status);
    return results_write(&settings_joint, &joint->desc, out);
}

static void measure_coordinate(const struct scene *scene, const struct world_joint *own,
                               const struct joint *joint, const struct joint_values *values,
                               pbs_joint_state *out) {
    struct joint_row row = {.scale = 1.0};
    if (own->table->coordinate != NULL) {
        own->table->coordinate(joint, &row);
        out->coordinate = joint_quantity(joint, &row, values);
        row.scale = 1.0;
        out->velocity = joint_scene_rate(joint, &row, values, scene->nodes.v);
    }
}

/// The largest error of what is a constraint.
static double gap_of(const struct joint *joint, const struct joint_values *values) {
    double most = 0.0;
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *row = &joint->rows[r];
        if (row->use == JOINT_EQUAL || row->use == JOINT_AT_MOST) {
            const double c = joint_constraint(joint, row, values, 0.0);
            most = fmax(most, row->use == JOINT_EQUAL ? fabs(c) : c);
        }
    }
    return most;
}

static void add_forces(const struct joint *joint, const struct joint_values *values,
                       const double *v, pbs_joint_state *out) {
    struct joint_wrench wrench = {{0.0}, {0.0}};
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *row = &joint->rows[r];
        joint_add_wrench(joint, row, values, joint_scene_force(joint, row, values, v), &wrench);
    }
    copy3(wrench.force, out->force);
    copy3(wrench.torque, out->torque);
}

pbs_status pbs_joint_get_state(const pbs_world *w, pbs_joint j, pbs_joint_state *out) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct world_joint *own = enter_joint(w, j, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(results_check(&settings_joint_state, out));
    world_compact_nodes(w);
    pbs_joint_state state = {.broken = own->broken};
    const struct joint joint = joint_scene_make(own);
    struct joint_values values;
    joint_measure(&joint, w->scene.nodes.x, &values);
    measure_coordinate(&w->scene, own, &joint, &values, &state);
    if (!own->broken) {
        state.gap = gap_of(&joint, &values);
        add_forces(&joint, &values, w->scene.nodes.v, &state);
    }
    return results_write(&settings_joint_state, &state, out);
}

pbs_status pbs_world_broken_joints(const pbs_world *w, pbs_broken_joint *dst, size_t struct_size,
                                   size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(rows_begin(&settings_broken_joint, struct_size, dst, count,
                                w->broken_joints.count, "joints"));
    for (size_t i = 0; i < *count && dst != NULL; i++) {
        row_write(&settings_broken_joint, &w->broken_joints.rows[i], struct_size,
                  (unsigned char *)dst + i * struct_size);
    }
    return PBS_OK;
}
