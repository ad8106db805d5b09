// See loads.h.
// SPDX-License-Identifier: MIT
#include "world/forces/loads.h"

#include <string.h>

#include "base/lanes/vector.h"
#include "world/features/feature.h"

// --- the loads of a run ---

static void place(pbs_world *w, const double *x, const double *v, double ahead) {
    const struct nodes *nodes = &w->scene.nodes;
    const struct load_state at = {x, v, ahead};
    double *const force = w->solver.step_loads;
    vector_combine(w->tasks, 3 * nodes->count, nodes->force, 1.0, nodes->force_once, force);
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->add_loads != NULL) {
            features[i]->add_loads(&w->scene, &at, force);
        }
    }
}

static bool follow_places(const struct scene *scene) {
    bool any = false;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        any = any || (features[i]->has_loads != NULL && features[i]->has_loads(scene));
    }
    return any;
}

static bool has_once(const struct scene *scene) {
    bool any = false;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        any = any || scene_body(scene, b)->has_forces_once;
    }
    return any;
}

static pbs_status prepare(pbs_world *w) {
    struct solver *t = &w->solver;
    if (!has_once(&w->scene) && !follow_places(&w->scene)) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->step_loads, &t->step_load_capacity,
                                    3 * w->scene.nodes.count, sizeof *t->step_loads));
    t->has_step_loads = true;
    t->model.loads.force = t->step_loads;
    t->model.loads.any = true;
    place(w, w->scene.nodes.x, w->scene.nodes.v, 0.0);
    return PBS_OK;
}

void loads_place(pbs_world *w, const struct scheme_table *scheme, double h) {
    struct step_workspace *workspace = &w->solver.workspace;
    if (!w->solver.has_step_loads || !follow_places(&w->scene)) {
        return;
    }
    place(w, workspace->now.x, workspace->now.v, 0.5 * h);
    if (!scheme->kicks) {
        // The acceleration that is kept is that of the last step's forces. The mean of both would
        // act half a step late.
        workspace->memory.has_acceleration = false;
    }
}

/// Energy control has counted the potential of forces that are gone now.
static void withdraw(pbs_world *w, const struct scheme_table *scheme,
                     struct energy_report *report) {
    const struct nodes *nodes = &w->scene.nodes;
    struct step_workspace *workspace = &w->solver.workspace;
    double *const gone = w->solver.step_loads;
    if (scene_account_count(&w->scene) == 0) {
        return;
    }
    vector_combine(w->tasks, 3 * nodes->count, gone, -1.0, nodes->force, gone);
    const struct energy_withdrawal withdrawal = {.force = gone,
                                                 .reference = nodes->initial,
                                                 .x = workspace->now.x,
                                                 .v = workspace->now.v,
                                                 .node_count = nodes->count,
                                                 .free_fall_defect = scheme->free_fall_defect};
    energy_withdraw(&workspace->energy, &withdrawal, report);
}

static void clear_once(struct scene *scene, struct body *body) {
    const size_t bytes = 3 * body->node_count * sizeof(double);
    memset(scene->nodes.force_once + 3 * body->node_start, 0, bytes);
    body->has_forces_once = false;
}

void loads_land(pbs_world *w, const struct scheme_table *scheme, struct energy_report *report) {
    if (!w->solver.has_step_loads) {
        return;
    }
    withdraw(w, scheme, report);
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        struct body *body = scene_body(&w->scene, b);
        if (body->has_forces_once) {
            clear_once(&w->scene, body);
            w->solver.workspace.memory.has_acceleration = false;
        }
    }
}

/// The term of dead loads reads the nodes' own forces again.
static void reload(pbs_world *w) {
    struct solver *t = &w->solver;
    t->has_step_loads = false;
    t->model.loads.force = w->scene.nodes.force;
    t->model.loads.any = nodes_are_loaded(&w->scene.nodes);
}

static const struct field FIELDS[] = {
    FIELD_VALUE(struct body, has_forces_once, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(struct body, FIELDS);

const struct feature feature_loads = {.body_state = &fields, .prepare = prepare, .reload = reload};
