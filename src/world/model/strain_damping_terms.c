// Elements of all damped bodies, gathered by the kind of their strain. The moduli are those of
// small strain, whatever the material does beyond, times volume and damping time.
#include "world/model/strain_damping_terms.h"

#include <string.h>

#include "energy/shells/membrane.h"
#include "energy/materials/solid.h"
#include "energy/damping/spring_damping.h"
#include "energy/damping/strain_damping.h"

enum { GRADIENT_LIMIT = 9 };

/// Arrays of elements of one kind, in the order of bodies.
struct damped {
    uint32_t width; ///< nodes of an element
    uint32_t *nodes;
    double *gradients;
    double *mu, *lambda; ///< J s; of springs mu is N s/m
    uint8_t *broken;
};

static size_t element_count(const struct body *body, enum body_kind kind) {
    if (body->kind != kind || !(body->damping > 0.0)) {
        return 0;
    }
    switch (kind) {
    case BODY_SOLID: return body->solid.tet_count;
    case BODY_SHELL: return body->triangle_count;
    case BODY_AFFINE: return 1;
    case BODY_SPRINGS: return body->springs.spring_count;
    case BODY_PERIDYNAMIC: return body->bonds.count;
    default: return 0;
    }
}

static void put_nodes(const struct body *body, const uint32_t *own, size_t at,
                      const struct damped *out) {
    for (size_t a = 0; a < out->width; a++) {
        out->nodes[out->width * at + a] = (uint32_t)body->node_start + own[a];
    }
}

static void gather_tet(const struct body *body, size_t t, size_t at, const struct damped *out) {
    const struct solid_body *solid = &body->solid;
    const double volume = solid_rest_gradients(solid->rest, solid->tets + 4 * t,
                                               out->gradients + 9 * at);
    put_nodes(body, solid->tets + 4 * t, at, out);
    material_lame(tet_value(&solid->young, t), tet_value(&solid->poisson, t), &out->mu[at],
                  &out->lambda[at]);
    out->mu[at] *= volume * body->damping;
    out->lambda[at] *= volume * body->damping;
}

static void gather_triangle(const struct body *body, size_t t, size_t at,
                            const struct damped *out) {
    const struct shell_body *shell = &body->shell;
    const double area = membrane_rest_gradients(shell->rest, body->triangles + 3 * t,
                                                out->gradients + 4 * at);
    put_nodes(body, body->triangles + 3 * t, at, out);
    membrane_moduli(shell->young, shell->poisson, &out->mu[at], &out->lambda[at]);
    out->mu[at] *= shell->thickness * area * body->damping;
    out->lambda[at] *= shell->thickness * area * body->damping;
}

/// k V |A^T A - 1|^2 is 4 k V |E|^2, E the strain of A.
static void gather_handles(const struct body *body, size_t at, const struct damped *out) {
    static const uint32_t handles[3] = {1, 2, 3};
    const struct affine_body *affine = &body->affine;
    put_nodes(body, handles, at, out);
    for (size_t k = 0; k < 9; k++) {
        out->gradients[9 * at + k] = k % 4 == 0 ? 1.0 / affine->radius : 0.0;
    }
    out->mu[at] = 4.0 * affine->stiffness * affine->volume * body->damping;
    out->lambda[at] = 0.0;
}

static void gather_spring(const struct body *body, size_t s, size_t at, const struct damped *out) {
    put_nodes(body, body->springs.springs + 2 * s, at, out);
    out->mu[at] = body->springs.stiffness[s] * body->damping;
}

static void gather_bond(const struct body *body, size_t b, size_t at, const struct damped *out) {
    put_nodes(body, body->bonds.pairs + 2 * b, at, out);
    out->mu[at] = body->peridynamic.stiffness[b] * body->damping;
    out->broken[at] = body->bonds.broken[b];
}

static void gather(const struct scene *scene, enum body_kind kind, const struct damped *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const size_t count = element_count(body, kind);
        for (size_t k = 0; k < count; k++, at++) {
            if (kind == BODY_SOLID) {
                gather_tet(body, k, at, out);
            } else if (kind == BODY_SHELL) {
                gather_triangle(body, k, at, out);
            } else if (kind == BODY_AFFINE) {
                gather_handles(body, at, out);
            } else if (kind == BODY_PERIDYNAMIC) {
                gather_bond(body, k, at, out);
            } else {
                gather_spring(body, k, at, out);
            }
        }
    }
}

static pbs_status make_term(struct memory *memory, enum body_kind kind, size_t count,
                            const struct damped *g, struct term *out,
                            struct spring_damping **bonds) {
    if (kind == BODY_SPRINGS || kind == BODY_PERIDYNAMIC) {
        const struct spring_damping_input input = {count, g->nodes, g->mu, g->broken};
        struct spring_damping *damping = NULL;
        RETURN_IF_FAILED(spring_damping_create(memory, &input, &damping));
        *out = spring_damping_term(damping);
        *bonds = kind == BODY_PERIDYNAMIC ? damping : *bonds;
        return PBS_OK;
    }
    const struct strain_damping_input input = {.shape = kind == BODY_SOLID   ? STRAIN_TETRAHEDRON
                                                        : kind == BODY_SHELL ? STRAIN_TRIANGLE
                                                                             : STRAIN_HANDLES,
                                               .count = count,
                                               .nodes = g->nodes,
                                               .gradients = g->gradients,
                                               .mu = g->mu,
                                               .lambda = g->lambda};
    struct strain_damping *damping = NULL;
    RETURN_IF_FAILED(strain_damping_create(memory, &input, &damping));
    *out = strain_damping_term(damping);
    return PBS_OK;
}

static pbs_status add_kind(const struct scene *scene, struct memory *memory, enum body_kind kind,
                           uint32_t width, struct term *terms, size_t *term_count,
                           struct spring_damping **bonds) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        count += element_count(scene_body(scene, i), kind);
    }
    if (count == 0) {
        return PBS_OK;
    }
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
        status = make_term(memory, kind, count, &g, &terms[*term_count], bonds);
        *term_count += status >= 0;
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.gradients);
    memory_release(memory, g.broken);
    memory_release(memory, g.mu);
    memory_release(memory, g.lambda);
    return status;
}

pbs_status add_strain_damping(const struct scene *scene, struct memory *memory, struct term *terms,
                              size_t *count, struct spring_damping **bonds) {
    static const struct {
        enum body_kind kind;
        uint32_t width;
    } kinds[] = {{BODY_SOLID, 4},
                 {BODY_SHELL, 3},
                 {BODY_AFFINE, 3},
                 {BODY_SPRINGS, 2},
                 {BODY_PERIDYNAMIC, 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        RETURN_IF_FAILED(
            add_kind(scene, memory, kinds[i].kind, kinds[i].width, terms, count, bonds));
    }
    return PBS_OK;
}
