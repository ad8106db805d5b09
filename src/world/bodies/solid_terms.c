// See solid_terms.h.
// SPDX-License-Identifier: MIT
#include "world/bodies/solid_terms.h"

#include <math.h>
#include <string.h>

#include "energy/materials/solid.h"
#include "world/objects/body_table.h"

/// Arrays of all tetrahedra of one material, in the order of bodies.
struct gathered {
    uint32_t *tets;
    double *young, *poisson, *damping;
    struct plastic_law *laws; ///< null: no body flows
    double *history;          ///< likewise
};

static bool is_of(const struct body *body, int32_t material) {
    return body->table == &body_table_solid && body->solid.material == material;
}

static size_t count_tets(const struct scene *scene, int32_t material) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_of(body, material)) {
            count += body->solid.tet_count;
        }
    }
    return count;
}

static bool any_flows(const struct scene *scene, int32_t material) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        any = any || (is_of(body, material) && body->solid.plastic != NULL);
    }
    return any;
}

/// The law of a tetrahedron of a body that flows.
static struct plastic_law law_of(const struct solid_body *solid, size_t tet) {
    const struct solid_yield *yield = &solid->yield;
    struct plastic_law law = {.yield_stress = yield->stress,
                              .hardening = yield->hardening,
                              .viscosity = yield->viscosity,
                              .limit = yield->limit > 0.0 ? yield->limit : INFINITY};
    double lambda;
    material_lame(tet_value(&solid->young, tet), tet_value(&solid->poisson, tet),
                  &law.shear_modulus, &lambda);
    return law;
}

static void gather_plasticity(const struct solid_body *solid, size_t start,
                              const struct gathered *out) {
    for (size_t t = 0; t < solid->tet_count; t++) {
        const double *history = solid->plastic != NULL ? solid->plastic + PLASTIC_VALUES * t
                                                       : plastic_undeformed;
        out->laws[start + t] = solid->plastic != NULL ? law_of(solid, t) : plastic_law_none;
        memcpy(out->history + PLASTIC_VALUES * (start + t), history,
               PLASTIC_VALUES * sizeof *history);
    }
}

static void gather_body(const struct body *body, size_t start, struct gathered *out) {
    const struct solid_body *solid = &body->solid;
    for (size_t t = 0; t < solid->tet_count; t++) {
        for (size_t a = 0; a < 4; a++) {
            out->tets[4 * (start + t) + a] = (uint32_t)body->node_start + solid->tets[4 * t + a];
        }
        out->young[start + t] = tet_value(&solid->young, t);
        out->poisson[start + t] = tet_value(&solid->poisson, t);
        out->damping[start + t] = 0.0;
    }
    if (out->laws != NULL) {
        gather_plasticity(solid, start, out);
    }
}

// --- plastic histories ---

static size_t count_histories(const void *self, const struct body *body) {
    return is_of(body, solid_material(self)->id) ? body->solid.tet_count : 0;
}

static double flow(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                   double h) {
    return solid_flow(self, tasks, domain_count, x, h);
}

static void read_histories(const void *self, size_t first, struct body *body) {
    if (body->solid.plastic != NULL) {
        solid_plasticity_read(solid_plasticity_of(self), first, body->solid.tet_count,
                              body->solid.plastic);
    }
}

static void write_histories(void *self, size_t first, const struct body *body) {
    if (body->solid.plastic != NULL) {
        solid_plasticity_write(solid_plasticity_of(self), first, body->solid.tet_count,
                               body->solid.plastic);
    }
}

static void save_histories(void *self) {
    solid_plasticity_save(solid_plasticity_of(self));
}

static void restore_histories(void *self) {
    solid_plasticity_restore(solid_plasticity_of(self));
}

static const struct history_table PLASTICITY = {
    .count = count_histories,
    .update = flow,
    .read = read_histories,
    .write = write_histories,
    .save = save_histories,
    .restore = restore_histories,
    .changes_forces = true,
};

// --- the terms ---

static pbs_status make_solid(const struct scene *scene, struct memory *memory,
                             const struct material_table *material, const double *rest,
                             size_t tet_count, struct gathered *g, struct body_terms *out) {
    size_t start = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_of(body, material->id)) {
            gather_body(body, start, g);
            start += body->solid.tet_count;
        }
    }
    const struct solid_input input = {.material = material,
                                      .tet_count = tet_count,
                                      .tets = g->tets,
                                      .rest = rest,
                                      .young = g->young,
                                      .poisson = g->poisson,
                                      .damping = g->damping,
                                      .laws = g->laws,
                                      .history = g->history};
    struct solid *solid = NULL;
    RETURN_IF_FAILED(solid_create(memory, &input, &solid));
    RETURN_IF_FAILED(body_terms_add(out, solid_term(solid)));
    if (g->laws != NULL) {
        out->histories[out->history_count++] = (struct history_term){&PLASTICITY, solid};
    }
    return PBS_OK;
}

static pbs_status add_material(const struct scene *scene, struct memory *memory,
                               const struct material_table *material, const double *rest,
                               struct body_terms *out) {
    const size_t count = count_tets(scene, material->id);
    const size_t flowing = any_flows(scene, material->id) ? count : 0;
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered g = {.tets = memory_allocate(memory, count, 4 * sizeof(uint32_t)),
                         .young = memory_allocate(memory, count, sizeof(double)),
                         .poisson = memory_allocate(memory, count, sizeof(double)),
                         .damping = memory_allocate(memory, count, sizeof(double))};
    if (flowing > 0) {
        g.laws = memory_allocate(memory, flowing, sizeof *g.laws);
        g.history = memory_allocate(memory, flowing, PLASTIC_VALUES * sizeof(double));
    }
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.tets != NULL && g.young != NULL && g.poisson != NULL && g.damping != NULL &&
        (flowing == 0 || (g.laws != NULL && g.history != NULL))) {
        status = make_solid(scene, memory, material, rest, count, &g, out);
    }
    memory_release(memory, g.tets);
    memory_release(memory, g.young);
    memory_release(memory, g.poisson);
    memory_release(memory, g.damping);
    memory_release(memory, g.laws);
    memory_release(memory, g.history);
    return status;
}

pbs_status solid_add_terms(const struct scene *scene, struct memory *memory,
                           struct body_terms *out) {
    double *rest = NULL;
    RETURN_IF_FAILED(body_terms_rest(scene, memory, &rest));
    pbs_status status = PBS_OK;
    for (const struct material_table *const *m = material_tables; *m != NULL && status >= 0; m++) {
        status = add_material(scene, memory, *m, rest, out);
    }
    memory_release(memory, rest);
    return status;
}

void solid_write_values(const struct body *body, const struct term_part *part) {
    for (size_t t = 0; t < part->count; t++) {
        solid_set_moduli(part->term->self, part->groups, part->first + t,
                         tet_value(&body->solid.young, t), tet_value(&body->solid.poisson, t));
    }
}

static void gather_tet(const struct body *body, size_t t, size_t at, const struct damped *out) {
    const struct solid_body *solid = &body->solid;
    const double volume = solid_rest_gradients(solid->rest, solid->tets + 4 * t,
                                               out->gradients + 9 * at);
    damped_put_nodes(body, solid->tets + 4 * t, at, out);
    material_lame(tet_value(&solid->young, t), tet_value(&solid->poisson, t), &out->mu[at],
                  &out->lambda[at]);
    out->mu[at] *= volume * body->damping;
    out->lambda[at] *= volume * body->damping;
}

static size_t count_damped(const struct body *body) {
    return body->solid.tet_count;
}

const struct damped_elements solid_damped = {
    .shape = STRAIN_TETRAHEDRON, .width = 4, .count = count_damped, .gather = gather_tet};
