// Allocates the arrays of a step that a scheme needs. See step.h.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step.h"

static bool reserve_array(struct memory *memory, double **array, size_t count) {
    memory_release(memory, *array);
    *array = memory_allocate(memory, count, sizeof(double));
    return *array != NULL;
}

static bool reserve_kinematics(struct memory *memory, struct kinematics *k, size_t count,
                               bool acceleration) {
    return reserve_array(memory, &k->x, count) && reserve_array(memory, &k->v, count) &&
           (!acceleration || reserve_array(memory, &k->a, count));
}

static void free_kinematics(struct memory *memory, struct kinematics *k) {
    memory_release(memory, k->x);
    memory_release(memory, k->v);
    memory_release(memory, k->a);
}

static bool reserve_all(struct step_workspace *w, struct memory *memory,
                        const struct scheme_table *scheme, const struct assembly *assembly,
                        uint32_t body_count) {
    const size_t count = 3 * (size_t)assembly->layout.node_count;
    const bool kept = scheme_stores_acceleration(scheme);
    bool done = reserve_kinematics(memory, &w->now, count, kept) &&
                reserve_kinematics(memory, &w->next, count, kept) &&
                reserve_array(memory, &w->position_history, count) &&
                reserve_array(memory, &w->velocity_history, count) &&
                reserve_array(memory, &w->predictor, count) &&
                reserve_array(memory, &w->contact_force, count);
    // The arrays of states are swapped, so all states have the same ones.
    if (scheme->history > 1) {
        done = done && reserve_kinematics(memory, &w->before, count, kept);
    }
    for (uint32_t i = 0; i < scheme->stage_limit; i++) {
        done = done && reserve_kinematics(memory, &w->stages[i], count, true);
    }
    const size_t slots = 3 * assembly->vector_slot_count;
    if (scheme->acceleration != ACCELERATION_UNUSED) {
        done = done && reserve_array(memory, &w->acceleration, count) &&
               reserve_array(memory, &w->gradient_now, slots);
    }
    if (scheme->forgets_impacts) {
        done = done &&
               struck_memory_reserve(&w->struck_memory, memory, assembly->layout.node_count) >= 0 &&
               reserve_array(memory, &w->contact_force_before, count) &&
               reserve_array(memory, &w->stage_force, count) &&
               reserve_array(memory, &w->gradient_next, slots);
    }
    if (scheme->forgets_impacts || scheme->keeps_impacts) {
        done = done && struck_bodies_reserve(&w->struck, memory, assembly->layout.node_count) >= 0;
    }
    if (scheme->is_static) {
        done = done && reserve_array(memory, &w->gradient_now, slots);
    }
    if (scheme->control != CONTROL_NONE) {
        done = done && reserve_array(memory, &w->gradient_now, slots) &&
               reserve_array(memory, &w->gradient_next, slots) &&
               reserve_array(memory, &w->correction, count) &&
               energy_control_reserve(&w->energy, memory, assembly, body_count,
                                      scheme->free_fall_defect != 0.0 ||
                                          scheme->control == CONTROL_STATE) >= 0;
    }
    if (scheme->control != CONTROL_NONE && scheme->forgets_impacts) {
        done = done && reserve_array(memory, &w->contact_change, count);
    }
    if (scheme->control == CONTROL_STATE) {
        done = done && reserve_array(memory, &w->position_correction, count);
    }
    return done;
}

pbs_status step_workspace_reserve(struct step_workspace *workspace, struct memory *memory,
                                  const struct scheme_table *scheme,
                                  const struct assembly *assembly, uint32_t body_count) {
    step_workspace_free(workspace, memory);
    if (!reserve_all(workspace, memory, scheme, assembly, body_count)) {
        step_workspace_free(workspace, memory);
        return PBS_ERROR_MEMORY;
    }
    workspace->node_count = assembly->layout.node_count;
    workspace->scheme = scheme;
    workspace->memory.known = 1;
    return PBS_OK;
}

void step_workspace_free(struct step_workspace *workspace, struct memory *memory) {
    free_kinematics(memory, &workspace->now);
    free_kinematics(memory, &workspace->before);
    free_kinematics(memory, &workspace->next);
    for (int i = 0; i < SCHEME_STAGE_LIMIT; i++) {
        free_kinematics(memory, &workspace->stages[i]);
    }
    memory_release(memory, workspace->position_history);
    memory_release(memory, workspace->velocity_history);
    memory_release(memory, workspace->predictor);
    memory_release(memory, workspace->contact_force);
    memory_release(memory, workspace->contact_force_before);
    memory_release(memory, workspace->stage_force);
    struck_bodies_free(&workspace->struck, memory);
    struck_memory_free(&workspace->struck_memory, memory);
    memory_release(memory, workspace->acceleration);
    memory_release(memory, workspace->correction);
    memory_release(memory, workspace->contact_change);
    memory_release(memory, workspace->position_correction);
    energy_control_free(&workspace->energy, memory);
    memory_release(memory, workspace->gradient_now);
    memory_release(memory, workspace->gradient_next);
    *workspace = (struct step_workspace){0};
}
