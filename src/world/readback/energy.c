// Energies of the current state. The world is only read: terms are summed here one after another,
// without the scratch memory of steps. If bodies have changed since the last step, temporary terms
// are built.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/lanes/vector.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/interface/settings.h"
#include "world/model/joint_scene.h"
#include "world/world.h"

/// Sums one term over all domains in order.
static pbs_status evaluate_term(const struct model *model, const struct term *term,
                                const struct stencil_groups *groups, const double *x,
                                double *value) {
    const struct evaluation evaluation = {
        .what = EVALUATE_VALUE, .x = x, .stage = {.origin = x, .length = 1.0}};
    if (term->table->value != NULL) {
        *value += term->table->value(term->self, x);
        return PBS_OK;
    }
    for (uint32_t d = 0; d < model->assembly.layout.domain_count; d++) {
        struct evaluation_sums sums = {0};
        const int answer = term->table->evaluate(term->self, &model->assembly, groups, d,
                                                 &evaluation, &sums);
        if (answer < 0) {
            return terms_fail_stopped();
        }
        // A sum that overflowed may be NaN, which is also inadmissible.
        *value += answer == EVALUATE_OK && !isnan(sums.value) ? sums.value : INFINITY;
    }
    return PBS_OK;
}

static pbs_status sum_terms(const struct model *model, const double *x,
                            double by_kind[ENERGY_KIND_COUNT]) {
    const struct stencil_groups *groups = model->assembly.terms;
    for (size_t i = 0; i < model->conservative_count; i++) {
        const struct term *term = &model->terms[i];
        const struct stencil_groups *own = term->has_stencils ? groups++ : NULL;
        RETURN_IF_FAILED(evaluate_term(model, term, own, x, &by_kind[term->table->kind]));
    }
    return PBS_OK;
}

static pbs_status sum_scene(const pbs_world *w, double by_kind[ENERGY_KIND_COUNT]) {
    const struct scene *scene = &w->scene;
    if (scene->nodes.count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(world_check_callbacks(w));
    if (w->solver.is_current) {
        return sum_terms(&w->solver.model, scene->nodes.x, by_kind);
    }
    // A copy of the account, because the world is const; all memory is released again.
    struct memory memory = w->memory;
    struct model model;
    RETURN_IF_FAILED(model_build(scene, &memory, &model));
    const pbs_status status = sum_terms(&model, scene->nodes.x, by_kind);
    model_free(&model, &memory);
    return status;
}

/// Returns the contact potential. If the state has changed since the last step, a temporary contact
/// object is built.
static pbs_status contact_energy(const pbs_world *w, double *out) {
    const struct solver *t = &w->solver;
    if (t->is_current && t->contact_is_current && t->contact_is_checked &&
        !isnan(t->contact_energy)) {
        *out = t->contact_energy;
        return PBS_OK;
    }
    struct memory memory = w->memory;
    struct contact_energy energy;
    const pbs_status status = contact_kind_evaluate(&w->scene, &memory, NULL, &energy);
    *out = energy.potential;
    return status;
}

pbs_status pbs_world_energy(const pbs_world *w, pbs_energy *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_energy energy = {.struct_size = sizeof energy};
    // The caller's struct is checked before the computation.
    RETURN_IF_FAILED(results_check(&settings_energy, out));
    world_compact_nodes(w);
    double by_kind[ENERGY_KIND_COUNT] = {0.0};
    RETURN_IF_FAILED(sum_scene(w, by_kind));
    const struct nodes *const nodes = &w->scene.nodes;
    energy.kinetic = 0.5 * vector_weighted_square(NULL, nodes->count, nodes->mass, nodes->v);
    energy.elastic = by_kind[ENERGY_ELASTIC] + joint_scene_spring_energy(&w->scene);
    energy.gravity = by_kind[ENERGY_GRAVITY];
    energy.external = by_kind[ENERGY_EXTERNAL];
    energy.host = by_kind[ENERGY_HOST];
    struct memory memory = w->memory;
    double term = 0.0;
    RETURN_IF_FAILED(contact_energy(w, &energy.contact));
    RETURN_IF_FAILED(contact_kind_evaluate_term(&w->scene, &memory, &term));
    energy.contact += term;
    energy.dissipated = w->scene.dissipated;
    energy.total = energy.kinetic + energy.elastic + energy.gravity + energy.external +
                   energy.contact + energy.host;
    return results_write(&settings_energy, &energy, out);
}
