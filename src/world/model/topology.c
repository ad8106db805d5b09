// See topology.h.
// SPDX-License-Identifier: MIT
#include "world/model/topology.h"

static void list_parts(const struct scene *scene, uint32_t *part) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        for (size_t i = 0; i < body->node_count; i++) {
            part[body->node_start + i] = (uint32_t)b;
        }
    }
}

static pbs_status build(struct topology *t, const struct scene *scene,
                        const pbs_linear_solver *solver, struct memory *memory) {
    const pbs_expert_desc *expert = &scene->expert;
    RETURN_IF_FAILED(model_build(scene, memory, &t->model));
    const struct assembly *assembly = &t->model.assembly;
    t->node_parts = memory_allocate(memory, scene->nodes.count, sizeof *t->node_parts);
    if (t->node_parts == NULL) {
        return PBS_ERROR_MEMORY;
    }
    list_parts(scene, t->node_parts);
    RETURN_IF_FAILED(newton_create(
        memory, assembly, t->node_parts, expert->preconditioner,
        expert->preconditioner_order == PBS_ORDER_NATURAL ? ORDER_NATURAL : ORDER_NESTED_DISSECTION,
        &t->newton));
    newton_set_radii(t->newton, t->model.rotations.node, t->model.rotations.radius,
                     t->model.rotations.count);
    if (solver != NULL && expert->method != PBS_METHOD_PLAIN_NEWTON) {
        RETURN_IF_FAILED(newton_use_host_solver(t->newton, memory, solver));
    }
    RETURN_IF_FAILED(step_workspace_reserve(&t->workspace, memory, scene->integrator.scheme,
                                            assembly, scene_account_count(scene)));
    t->workspace.rotations = t->model.rotations.count > 0 ? &t->model.rotations : NULL;
    if (scene_account_count(scene) > 0) {
        list_parts(scene, t->workspace.energy.body);
        t->workspace.energy.by_body = scene_has_islands(scene);
        RETURN_IF_FAILED(energy_find_whole(&t->workspace.energy, memory, assembly));
    }
    RETURN_IF_FAILED(terms_reserve(memory, assembly, &t->scratch));
    if (t->model.has_damping) {
        RETURN_IF_FAILED(rayleigh_reserve(memory, assembly, &t->rayleigh));
    }
    RETURN_IF_FAILED(breaks_reserve(&t->breaks, memory, scene));
    t->nominal_force = memory_allocate(memory, scene->bodies.count, sizeof(double));
    t->host_force = memory_allocate(memory, scene->bodies.count, sizeof(double));
    t->prescribed_targets = memory_allocate(memory, 3 * scene->nodes.count, sizeof(double));
    t->prescribed_velocity = memory_allocate(memory, 3 * scene->nodes.count, sizeof(double));
    const bool has_all = t->nominal_force != NULL && t->host_force != NULL &&
                         t->prescribed_targets != NULL && t->prescribed_velocity != NULL;
    return has_all ? PBS_OK : PBS_ERROR_MEMORY;
}

pbs_status topology_build(struct topology *topology, const struct scene *scene,
                          const pbs_linear_solver *solver, struct memory *memory) {
    topology_free(topology, memory);
    const pbs_status status = build(topology, scene, solver, memory);
    if (status < 0) {
        topology_free(topology, memory);
        return status;
    }
    topology->coupling.memory = memory;
    topology->is_current = true;
    return PBS_OK;
}

void topology_free(struct topology *topology, struct memory *memory) {
    newton_destroy(topology->newton, memory);
    step_workspace_free(&topology->workspace, memory);
    terms_release(memory, &topology->scratch);
    rayleigh_release(memory, &topology->rayleigh);
    projection_free(memory, &topology->projection);
    memory_release(memory, topology->prescribed_targets);
    memory_release(memory, topology->prescribed_velocity);
    memory_release(memory, topology->obstacles);
    memory_release(memory, topology->obstacles_now);
    barrier_contact_free(&topology->contact);
    penetration_free(&topology->penetration);
    contact_matrix_free(memory, &topology->coupling.matrix);
    constraint_set_free(memory, &topology->constraints);
    joint_set_free(memory, &topology->joints);
    memory_release(memory, topology->constraint_stiffness);
    contact_report_free(memory, &topology->report);
    memory_release(memory, topology->node_parts);
    memory_release(memory, topology->nominal_force);
    memory_release(memory, topology->host_force);
    memory_release(memory, topology->balance);
    memory_release(memory, topology->loads);
    memory_release(memory, topology->part_motions);
    memory_release(memory, topology->saved_states);
    memory_release(memory, topology->step_loads);
    breaks_free(&topology->breaks, memory);
    memory_release(memory, topology->joint_breaks.rows);
    memory_release(memory, topology->joint_releases.rows);
    memory_release(memory, topology->joint_releases.points);
    model_free(&topology->model, memory);
    *topology = (struct topology){0};
}
