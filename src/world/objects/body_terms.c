// See body_terms.h.
// SPDX-License-Identifier: MIT
#include "world/objects/body_terms.h"

#include <string.h>

pbs_status body_terms_add(struct body_terms *out, struct term term) {
    const pbs_status status = memory_reserve(out->memory, &out->terms, &out->capacity,
                                             out->count + 1, sizeof *out->terms);
    if (status < 0) {
        if (term.table->destroy != NULL) {
            term.table->destroy(term.self, out->memory);
        }
        return status;
    }
    out->terms[out->count++] = term;
    out->element_count += term.has_stencils ? term.stencils.count : 0;
    return PBS_OK;
}

pbs_status body_terms_rest(const struct scene *scene, struct memory *memory, double **out) {
    double *rest = memory_allocate(memory, 3 * scene->nodes.count, sizeof *rest);
    if (rest == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->rest != NULL && vertices_are_nodes(body)) {
            memcpy(rest + 3 * body->node_start, body->rest, 3 * body->vertex_count * sizeof *rest);
        }
    }
    *out = rest;
    return PBS_OK;
}

void damped_put_nodes(const struct body *body, const uint32_t *own, size_t at,
                      const struct damped *out) {
    for (size_t a = 0; a < out->width; a++) {
        out->nodes[out->width * at + a] = (uint32_t)body->node_start + own[a];
    }
}
