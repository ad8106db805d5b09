// See solver.h.
// SPDX-License-Identifier: MIT
#include "world/model/solver.h"

static void list_parts(const struct scene *scene, uint32_t *part) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        for (size_t i = 0; i < body->node_count; i++) {
            part[body->node_start + i] = (uint32_t)b;
        }
    }
}

static pbs_status build(struct solver *t, const struct scene *scene,
                        const pbs_linear_solver *host_solver, struct memory *memory) {
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
    if (host_solver != NULL && expert->method != PBS_METHOD_PLAIN_NEWTON) {
        RETURN_IF_FAILED(newton_use_host_solver(t->newton, memory, host_solver));
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

pbs_status solver_build(struct solver *solver, const struct scene *scene,
                        const pbs_linear_solver *host_solver, struct memory *memory) {
    solver_free(solver, memory);
    const pbs_status status = build(solver, scene, host_solver, memory);
    if (status < 0) {
        solver_free(solver, memory);
        return status;
    }
    solver->coupling.memory = memory;
    solver->is_current = true;
    return PBS_OK;
}

void solver_free(struct solver *solver, struct memory *memory) {
    newton_destroy(solver->newton, memory);
    step_workspace_free(&solver->workspace, memory);
    terms_release(memory, &solver->scratch);
    rayleigh_release(memory, &solver->rayleigh);
    projection_free(memory, &solver->projection);
    memory_release(memory, solver->prescribed_targets);
    memory_release(memory, solver->prescribed_velocity);
    memory_release(memory, solver->obstacles);
    memory_release(memory, solver->obstacles_now);
    barrier_contact_free(&solver->contact);
    penetration_free(&solver->penetration);
    contact_matrix_free(memory, &solver->coupling.matrix);
    constraint_set_free(memory, &solver->constraints);
    joint_set_free(memory, &solver->joints);
    memory_release(memory, solver->constraint_stiffness);
    contact_report_free(memory, &solver->report);
    memory_release(memory, solver->node_parts);
    memory_release(memory, solver->nominal_force);
    memory_release(memory, solver->host_force);
    memory_release(memory, solver->balance);
    memory_release(memory, solver->loads);
    memory_release(memory, solver->part_motions);
    memory_release(memory, solver->saved_states);
    memory_release(memory, solver->step_loads);
    breaks_free(&solver->breaks, memory);
    memory_release(memory, solver->joint_breaks.rows);
    memory_release(memory, solver->joint_releases.rows);
    memory_release(memory, solver->joint_releases.points);
    model_free(&solver->model, memory);
    *solver = (struct solver){0};
}
