// Descriptions of bodies that exist, as they would make them again.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/world.h"

/// own: a struct of the kind. Vacant nodes are removed now, so that later calls that only read do
/// not move the arrays that the host reads.
static pbs_status describe(const pbs_world *w, pbs_body b, const struct body_table *table,
                           const char *kind, void *own) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (body->table != table) {
        return status_fail(PBS_ERROR_ARGUMENT, "the body was not made by pbs_body_create_%s", kind);
    }
    world_compact_nodes(w);
    table->describe(body, &w->scene.nodes, own);
    return PBS_OK;
}

pbs_status pbs_body_solid_settings(const pbs_world *w, pbs_body b, pbs_solid_desc *out) {
    pbs_solid_desc own;
    RETURN_IF_FAILED(describe(w, b, &body_table_solid, "solid", &own));
    return results_write(&settings_solid, &own, out);
}

pbs_status pbs_body_shell_settings(const pbs_world *w, pbs_body b, pbs_shell_desc *out) {
    pbs_shell_desc own;
    RETURN_IF_FAILED(describe(w, b, &body_table_shell, "shell", &own));
    own.rest_angles = world_body(w, b)->shell.rest_angles;
    return results_write(&settings_shell, &own, out);
}

pbs_status pbs_body_springs_settings(const pbs_world *w, pbs_body b, pbs_springs_desc *out) {
    pbs_springs_desc own;
    RETURN_IF_FAILED(describe(w, b, &body_table_springs, "springs", &own));
    return results_write(&settings_springs, &own, out);
}

pbs_status pbs_body_affine_settings(const pbs_world *w, pbs_body b, pbs_affine_desc *out) {
    pbs_affine_desc own;
    pbs_motion motion = {.struct_size = sizeof motion};
    RETURN_IF_FAILED(describe(w, b, &body_table_affine, "affine", &own));
    RETURN_IF_FAILED(pbs_body_pose(w, b, own.position, own.orientation));
    RETURN_IF_FAILED(pbs_body_motion(w, b, &motion));
    copy3(motion.velocity, own.velocity);
    copy3(motion.angular_velocity, own.angular_velocity);
    return results_write(&settings_affine, &own, out);
}

pbs_status pbs_body_custom_settings(const pbs_world *w, pbs_body b, pbs_custom_desc *out) {
    pbs_custom_desc own;
    RETURN_IF_FAILED(describe(w, b, &body_table_custom, "custom", &own));
    return results_write(&settings_custom, &own, out);
}
