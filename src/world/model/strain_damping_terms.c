// Gathers the elements of all damped bodies by their shape. The moduli are those of small strain,
// for every material, times volume and damping time.
// SPDX-License-Identifier: MIT
#include "world/model/strain_damping_terms.h"

#include "world/objects/body_table.h"

enum { GRADIENT_LIMIT = 9 };

static size_t element_count(const struct body *body, const struct body_table *kind) {
    return body->table == kind && body->damping > 0.0 ? kind->damped->count(body) : 0;
}

static void gather(const struct scene *scene, const struct body_table *kind,
                   const struct damped *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const size_t count = element_count(body, kind);
        for (size_t k = 0; k < count; k++, at++) {
            kind->damped->gather(body, k, at, out);
        }
    }
}

static pbs_status add_lines(struct memory *memory, const struct body_table *kind, size_t count,
                            const struct damped *g, struct body_terms *out) {
    const struct spring_damping_input input = {count, g->nodes, g->mu, g->broken};
    struct spring_damping *damping = NULL;
    RETURN_IF_FAILED(spring_damping_create(memory, &input, &damping));
    RETURN_IF_FAILED(body_terms_add(out, spring_damping_term(damping)));
    if (kind->read_loads != NULL) {
        out->bond_damping[out->bond_damping_count++] = (struct bond_damping){kind, damping};
    }
    return PBS_OK;
}

static pbs_status add_term(struct memory *memory, const struct body_table *kind, size_t count,
                           const struct damped *g, struct body_terms *out) {
    if (kind->damped->shape == STRAIN_LINE) {
        return add_lines(memory, kind, count, g, out);
    }
    const struct strain_damping_input input = {.shape = (enum strain_shape)kind->damped->shape,
                                               .count = count,
                                               .nodes = g->nodes,
                                               .gradients = g->gradients,
                                               .mu = g->mu,
                                               .lambda = g->lambda};
    struct strain_damping *damping = NULL;
    RETURN_IF_FAILED(strain_damping_create(memory, &input, &damping));
    return body_terms_add(out, strain_damping_term(damping));
}

static pbs_status add_kind(const struct scene *scene, struct memory *memory,
                           const struct body_table *kind, struct body_terms *out) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        count += element_count(scene_body(scene, i), kind);
    }
    if (count == 0) {
        return PBS_OK;
    }
    const uint32_t width = kind->damped->width;
    const struct damped g = {.width = width,
                             .nodes = memory_allocate(memory, count, width * sizeof(uint32_t)),
                             .gradients = memory_allocate(memory, width > 2 ? count : 0,
                                                          GRADIENT_LIMIT * sizeof(double)),
                             .broken = memory_allocate(memory, count, sizeof(uint8_t)),
                             .mu = memory_allocate(memory, count, sizeof(double)),
                             .lambda = memory_allocate(memory, count, sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.nodes != NULL && g.gradients != NULL && g.mu != NULL && g.lambda != NULL &&
        g.broken != NULL) {
        gather(scene, kind, &g);
        status = add_term(memory, kind, count, &g, out);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.gradients);
    memory_release(memory, g.broken);
    memory_release(memory, g.mu);
    memory_release(memory, g.lambda);
    return status;
}

pbs_status add_strain_damping(const struct scene *scene, struct memory *memory,
                              struct body_terms *out) {
    for (int32_t shape = 0; shape < STRAIN_SHAPES; shape++) {
        for (const struct body_table *const *kind = body_tables; *kind != NULL; kind++) {
            if ((*kind)->damped != NULL && (*kind)->damped->shape == shape) {
                RETURN_IF_FAILED(add_kind(scene, memory, *kind, out));
            }
        }
    }
    return PBS_OK;
}
