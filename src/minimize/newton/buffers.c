// Creation and destruction of the minimiser's buffers, matrix and preconditioner, and the setters
// of what the world passes to it.
// SPDX-License-Identifier: MIT
#include "minimize/newton/newton.h"

#include <math.h>

#include "minimize/newton/state.h"

static pbs_status allocate_vector(struct memory *memory, size_t count, double **out) {
    *out = memory_allocate(memory, count, sizeof **out);
    return *out == NULL ? PBS_ERROR_MEMORY : PBS_OK;
}

static pbs_status allocate_iterate(struct memory *memory, const struct assembly *assembly,
                                   struct iterate *out) {
    RETURN_IF_FAILED(allocate_vector(memory, 3 * (size_t)assembly->layout.node_count, &out->x));
    return allocate_vector(memory, 3 * assembly->vector_slot_count, &out->gradient);
}

static void free_iterate(struct memory *memory, struct iterate *iterate) {
    memory_release(memory, iterate->x);
    memory_release(memory, iterate->gradient);
}

static pbs_status allocate_buffers(struct memory *memory, struct newton *newton) {
    const size_t count = newton_coordinate_count(newton);
    RETURN_IF_FAILED(allocate_iterate(memory, newton->assembly, &newton->current));
    RETURN_IF_FAILED(allocate_iterate(memory, newton->assembly, &newton->trial));
    RETURN_IF_FAILED(allocate_iterate(memory, newton->assembly, &newton->accepted));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->gradient));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->gradient_rows));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->direction));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->direction_rows));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->position_rows));
    if (newton->assembly->layout.kind != NULL) {
        RETURN_IF_FAILED(allocate_vector(memory, count / 3, &newton->radius_rows));
        RETURN_IF_FAILED(allocate_vector(memory, 3 * count, &newton->rotation_mode_rows));
    }
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->prescribed_positions));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->tangent));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->chord));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->bend));
    RETURN_IF_FAILED(allocate_vector(memory, count, &newton->remaining_motion));
    newton->body_groups = memory_allocate(memory, newton->hessian.row_count,
                                          sizeof *newton->body_groups);
    newton->coupled = memory_allocate(memory, newton->assembly->block_slot_count,
                                      sizeof *newton->coupled);
    newton->restrictions = memory_allocate(memory, newton->hessian.row_count,
                                           sizeof *newton->restrictions);
    if (newton->body_groups == NULL || newton->coupled == NULL || newton->restrictions == NULL) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(
        allocate_vector(memory, 9 * newton->assembly->block_slot_count, &newton->hessian.values));
    RETURN_IF_FAILED(pcg_reserve(memory, &newton->pcg, newton->hessian.row_count));
    return block_columns_build(memory, &newton->assembly->pattern, &newton->columns);
}

pbs_status newton_create(struct memory *memory, const struct assembly *assembly,
                         const uint32_t *node_bodies, int32_t preconditioner,
                         enum preconditioner_order order, struct newton **out) {
    struct newton *newton = memory_allocate(memory, 1, sizeof *newton);
    if (newton == NULL) {
        return PBS_ERROR_MEMORY;
    }
    newton->assembly = assembly;
    newton->hessian = assembly->pattern;
    pbs_status status = allocate_buffers(memory, newton);
    newton->problem = (struct linear_problem){.a = &newton->hessian,
                                              .positions = newton->position_rows,
                                              .rotation_modes = newton->rotation_mode_rows,
                                              .restrictions = newton->restrictions};
    if (status == PBS_OK) {
        status = stop_rule_reserve(memory, node_bodies, newton);
    }
    if (status == PBS_OK) {
        status = screws_reserve(memory, newton);
    }
    if (status == PBS_OK) {
        status = preconditioner_create(memory, preconditioner, &newton->hessian, order,
                                       &newton->preconditioner);
    }
    if (status != PBS_OK) {
        newton_destroy(newton, memory);
        return status;
    }
    *out = newton;
    return PBS_OK;
}

void newton_set_radii(struct newton *newton, const uint32_t *nodes, const double *radii,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        newton->radius_rows[newton->assembly->layout.row[nodes[i]]] = radii[i];
    }
}

pbs_status newton_use_host_solver(struct newton *newton, struct memory *memory,
                                  const pbs_linear_solver *functions) {
    return host_solver_wrap(memory, functions, &newton->hessian, &newton->preconditioner);
}

struct host_solver_counts newton_drain_host_counts(struct newton *newton) {
    return host_solver_drain_counts(&newton->preconditioner);
}

void newton_set_solver_history(struct newton *newton, const struct selection_history *memory) {
    struct selection_history *own = preconditioner_history(&newton->preconditioner);
    if (own != NULL) {
        *own = *memory;
    }
}

void newton_get_solver_history(const struct newton *newton, struct selection_history *out) {
    const struct selection_history *own = preconditioner_history(&newton->preconditioner);
    if (own != NULL) {
        *out = *own;
    }
}

const double *newton_last_state(const struct newton *newton) {
    return newton->current.x;
}

double newton_last_force(const struct newton *newton, uint32_t body) {
    const struct body_forces *const forces = &newton->current.forces;
    if (body >= newton->rule.bodies.body_count) {
        return 0.0;
    }
    return newton->screws[body].is_joined ? INFINITY
                                          : sqrt(forces->inertia[body]) + sqrt(forces->terms[body]);
}

void newton_destroy(struct newton *newton, struct memory *memory) {
    if (newton == NULL) {
        return;
    }
    if (newton->preconditioner.table != NULL) {
        preconditioner_destroy(memory, &newton->preconditioner);
    }
    block_columns_free(memory, &newton->columns);
    pcg_free(memory, &newton->pcg);
    stop_rule_free(memory, newton);
    memory_release(memory, newton->hessian.values);
    memory_release(memory, newton->restrictions);
    memory_release(memory, newton->remaining_motion);
    memory_release(memory, newton->prescribed_positions);
    memory_release(memory, newton->screws);
    memory_release(memory, newton->tangent);
    memory_release(memory, newton->chord);
    memory_release(memory, newton->bend);
    memory_release(memory, newton->position_rows);
    memory_release(memory, newton->radius_rows);
    memory_release(memory, newton->rotation_mode_rows);
    memory_release(memory, newton->body_groups);
    memory_release(memory, newton->coupled);
    memory_release(memory, newton->direction_rows);
    memory_release(memory, newton->direction);
    memory_release(memory, newton->gradient_rows);
    memory_release(memory, newton->gradient);
    free_iterate(memory, &newton->accepted);
    free_iterate(memory, &newton->trial);
    free_iterate(memory, &newton->current);
    memory_release(memory, newton);
}
