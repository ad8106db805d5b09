// From bodies to terms: one elastic term per material over all solids, one term per custom body,
// gravity, drag.
#include <string.h>

#include "world/topology.h"

// --- elastic terms ---

/// Arrays of all tetrahedra of one material, in the order of bodies.
struct gathered {
    uint32_t *tets;
    double *young, *poisson, *damping;
};

static size_t count_tets(const struct scene *scene, int32_t material) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_SOLID && body->solid.material == material) {
            count += body->solid.tet_count;
        }
    }
    return count;
}

static void gather_body(const struct body *body, size_t start, struct gathered *out) {
    const struct solid_body *solid = &body->solid;
    for (size_t t = 0; t < solid->tet_count; t++) {
        for (size_t a = 0; a < 4; a++) {
            out->tets[4 * (start + t) + a] = (uint32_t)body->node_start + solid->tets[4 * t + a];
        }
        out->young[start + t] = tet_value(&solid->young, t);
        out->poisson[start + t] = tet_value(&solid->poisson, t);
        out->damping[start + t] = solid->damping;
    }
}

static pbs_status make_solid(const struct scene *scene, struct memory *memory,
                             const struct material_table *material, const double *rest,
                             size_t tet_count, struct gathered *g, struct model *model) {
    size_t start = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_SOLID && body->solid.material == material->id) {
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
                                      .damping = g->damping};
    struct solid *solid = NULL;
    RETURN_IF_FAILED(solid_create(memory, &input, &solid));
    model->solids[model->solid_count] = solid;
    model->solid_count++;
    model->terms[model->term_count] = solid_term(solid);
    model->term_count++;
    model->element_count += tet_count;
    return PBS_OK;
}

static pbs_status add_material(const struct scene *scene, struct memory *memory,
                               const struct material_table *material, const double *rest,
                               struct model *model) {
    const size_t count = count_tets(scene, material->id);
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered g = {.tets = memory_allocate(memory, count, 4 * sizeof(uint32_t)),
                         .young = memory_allocate(memory, count, sizeof(double)),
                         .poisson = memory_allocate(memory, count, sizeof(double)),
                         .damping = memory_allocate(memory, count, sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.tets != NULL && g.young != NULL && g.poisson != NULL && g.damping != NULL) {
        status = make_solid(scene, memory, material, rest, count, &g, model);
    }
    memory_release(memory, g.tets);
    memory_release(memory, g.young);
    memory_release(memory, g.poisson);
    memory_release(memory, g.damping);
    return status;
}

/// Rest positions of all bodies in node order; those of custom bodies are read by nobody.
static void gather_rest(const struct scene *scene, double *rest) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_SOLID) {
            memcpy(rest + 3 * body->node_start, body->solid.rest,
                   3 * body->node_count * sizeof *rest);
        }
    }
}

static pbs_status add_solids(const struct scene *scene, struct memory *memory,
                             struct model *model) {
    double *rest = memory_allocate(memory, 3 * scene->nodes.count, sizeof *rest);
    if (rest == NULL) {
        return PBS_ERROR_MEMORY;
    }
    gather_rest(scene, rest);
    pbs_status status = PBS_OK;
    for (const struct material_table *const *m = material_tables; *m != NULL && status >= 0; m++) {
        status = add_material(scene, memory, *m, rest, model);
    }
    memory_release(memory, rest);
    return status;
}

// --- custom terms ---

static pbs_status add_custom(const struct body *body, struct memory *memory, struct model *model) {
    const struct custom_body *own = &body->custom;
    const size_t index_count = own->stencil_count * own->width;
    uint32_t *nodes = memory_allocate(memory, index_count, sizeof *nodes);
    if (nodes == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < index_count; i++) {
        nodes[i] = (uint32_t)body->node_start + own->stencils[i];
    }
    const struct custom_input input = {.width = own->width,
                                       .stencil_count = own->stencil_count,
                                       .nodes = nodes,
                                       .evaluate = own->evaluate,
                                       .user = own->user,
                                       .is_concurrent = own->concurrent,
                                       .damping = own->damping};
    struct custom *custom = NULL;
    const pbs_status status = custom_create(memory, &input, &custom);
    memory_release(memory, nodes);
    RETURN_IF_FAILED(status);
    model->customs[model->custom_count] = custom;
    model->custom_count++;
    model->terms[model->term_count] = custom_term(custom);
    model->term_count++;
    model->element_count += own->stencil_count;
    return PBS_OK;
}

static pbs_status add_customs(const struct scene *scene, struct memory *memory,
                              struct model *model) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_CUSTOM && body->custom.stencil_count > 0) {
            RETURN_IF_FAILED(add_custom(body, memory, model));
        }
    }
    return PBS_OK;
}

// --- node terms ---

static bool opts_out(const struct body *body) {
    return body->kind == BODY_CUSTOM && body->custom.no_gravity;
}

static pbs_status add_gravity(const struct scene *scene, struct memory *memory,
                              struct model *model) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        any = any || opts_out(scene_body(scene, i));
    }
    const struct nodes *nodes = &scene->nodes;
    model->gravity.mass = nodes->mass;
    model->gravity.reference = nodes->initial;
    if (any) {
        model->gravity_mass = memory_allocate(memory, nodes->count, sizeof(double));
        if (model->gravity_mass == NULL) {
            return PBS_ERROR_MEMORY;
        }
        for (size_t i = 0; i < scene->bodies.count; i++) {
            const struct body *body = scene_body(scene, i);
            for (size_t k = 0; k < body->node_count && !opts_out(body); k++) {
                model->gravity_mass[body->node_start + k] = nodes->mass[body->node_start + k];
            }
        }
        model->gravity.mass = model->gravity_mass;
    }
    memcpy(model->gravity.acceleration, scene->settings.gravity,
           sizeof model->gravity.acceleration);
    model->terms[model->term_count] = gravity_term(&model->gravity);
    model->term_count++;
    return PBS_OK;
}

static pbs_status add_drag(const struct scene *scene, struct memory *memory, struct model *model) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        any = any || (body->kind == BODY_SOLID && body->solid.drag > 0.0);
        model->has_damping |= (body->kind == BODY_SOLID ? body->solid.damping
                                                        : body->custom.damping) > 0.0;
    }
    if (!any) {
        return PBS_OK;
    }
    model->drag_rate = memory_allocate(memory, scene->nodes.count, sizeof(double));
    if (model->drag_rate == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        for (size_t k = 0; k < body->node_count && body->kind == BODY_SOLID; k++) {
            model->drag_rate[body->node_start + k] = body->solid.drag;
        }
    }
    model->drag = (struct mass_drag){.mass = scene->nodes.mass, .rate = model->drag_rate};
    model->terms[model->term_count] = mass_drag_term(&model->drag);
    model->term_count++;
    return PBS_OK;
}

// --- bodies whose momentum is known ---

static pbs_status list_free_bodies(const struct scene *scene, struct memory *memory,
                                   struct model *model) {
    model->free_bodies = memory_allocate(memory, scene->bodies.count, sizeof *model->free_bodies);
    if (model->free_bodies == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_SOLID) {
            model->free_bodies[model->free_body_count] = (struct free_body){
                body->node_start, body->node_count, body->solid.drag};
            model->free_body_count++;
        }
    }
    return PBS_OK;
}

// --- all together ---

enum { NODE_TERMS = 2 };

static size_t count_materials(void) {
    size_t count = 0;
    while (material_tables[count] != NULL) {
        count++;
    }
    return count;
}

static pbs_status build_assembly(const struct scene *scene, struct memory *memory,
                                 struct model *model) {
    struct stencils *sets = memory_allocate(memory, model->term_count, sizeof *sets);
    if (sets == NULL) {
        return PBS_ERROR_MEMORY;
    }
    size_t set_count = 0;
    for (size_t i = 0; i < model->term_count; i++) {
        if (model->terms[i].has_stencils) {
            sets[set_count] = model->terms[i].stencils;
            set_count++;
        }
    }
    const pbs_status status = assembly_build(memory, (uint32_t)scene->nodes.count, 0, sets,
                                             set_count, &model->assembly);
    memory_release(memory, sets);
    model->has_assembly = status >= 0;
    return status;
}

static pbs_status build(const struct scene *scene, struct memory *memory, struct model *model) {
    const size_t materials = count_materials();
    const size_t bodies = scene->bodies.count;
    model->solids = memory_allocate(memory, materials, sizeof(struct solid *));
    model->customs = memory_allocate(memory, bodies, sizeof(struct custom *));
    model->terms = memory_allocate(memory, materials + bodies + NODE_TERMS, sizeof *model->terms);
    if (model->solids == NULL || model->customs == NULL || model->terms == NULL) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(add_solids(scene, memory, model));
    RETURN_IF_FAILED(add_customs(scene, memory, model));
    RETURN_IF_FAILED(add_gravity(scene, memory, model));
    model->conservative_count = model->term_count;
    RETURN_IF_FAILED(add_drag(scene, memory, model));
    RETURN_IF_FAILED(list_free_bodies(scene, memory, model));
    RETURN_IF_FAILED(build_assembly(scene, memory, model));
    // Solids come first among the terms, so they are the first sets of stencils.
    for (size_t i = 0; i < model->solid_count; i++) {
        RETURN_IF_FAILED(solid_bind(model->solids[i], memory, &model->assembly.terms[i]));
    }
    return PBS_OK;
}

pbs_status model_build(const struct scene *scene, struct memory *memory, struct model *model) {
    *model = (struct model){0};
    const pbs_status status = build(scene, memory, model);
    if (status < 0) {
        model_free(model, memory);
    }
    return status;
}

void model_free(struct model *model, struct memory *memory) {
    for (size_t i = 0; i < model->solid_count; i++) {
        solid_destroy(model->solids[i], memory);
    }
    for (size_t i = 0; i < model->custom_count; i++) {
        custom_destroy(model->customs[i], memory);
    }
    if (model->has_assembly) {
        assembly_free(memory, &model->assembly);
    }
    memory_release(memory, model->solids);
    memory_release(memory, model->customs);
    memory_release(memory, model->gravity_mass);
    memory_release(memory, model->drag_rate);
    memory_release(memory, model->free_bodies);
    memory_release(memory, model->terms);
    *model = (struct model){0};
}
