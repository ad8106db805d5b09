// From bodies to terms: one elastic term per material over all solids, membrane and bending over
// all shells, one term of all springs, one of all affine bodies, one per custom body, gravity,
// drag.
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/meshes/grid_order.h"
#include "geometry/meshes/sheet.h"
#include "world/particles/bonded.h"
#include "world/particles/near_bonds.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/particles/peridynamic.h"
#include "world/model/strain_damping_terms.h"
#include "world/model/topology.h"

static void add_term(struct model *model, struct term term) {
    model->terms[model->term_count] = term;
    model->term_count++;
    model->element_count += term.has_stencils ? term.stencils.count : 0;
}

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
        out->damping[start + t] = 0.0;
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
    add_term(model, solid_term(solid));
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

/// Rest positions of solids and shells in node order; other bodies have none.
static void gather_rest(const struct scene *scene, double *rest) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double *own = body->kind == BODY_SOLID ? body->solid.rest : body->shell.rest;
        if (own != NULL) {
            memcpy(rest + 3 * body->node_start, own, 3 * body->node_count * sizeof *rest);
        }
    }
}

// --- shells ---

/// Arrays of all triangles of the shells that are wanted, in the order of bodies.
struct gathered_triangles {
    uint32_t *nodes, *neighbours; ///< neighbours: by side
    double *thickness, *young, *poisson, *rigidity, *damping;
    double *rest_angles, *clamps; ///< by side, see plate_bending.h
};

/// And of all their hinges.
struct gathered_hinges {
    uint32_t *nodes;
    double *rigidity, *damping, *rest_angles;
};

static bool is_shell(const struct body *body, int32_t bending) {
    return body->kind == BODY_SHELL && body->shell.bending == bending;
}

/// Of what has no number of its own: NaN stands for that of the rest positions.
static double rest_angle(const struct shell_body *shell, uint32_t side) {
    if (shell->rest_angles != NULL) {
        return shell->rest_angles[side];
    }
    return shell->flat_rest ? 0.0 : NAN;
}

static void gather_triangles(const struct body *body, size_t start,
                             const struct gathered_triangles *out) {
    const struct shell_body *shell = &body->shell;
    for (size_t t = 0; t < body->triangle_count; t++) {
        for (size_t i = 0; i < 3; i++) {
            out->nodes[3 * (start + t) + i] = (uint32_t)body->node_start +
                                              body->triangles[3 * t + i];
        }
        out->thickness[start + t] = shell->thickness;
        out->young[start + t] = shell->young;
        out->poisson[start + t] = shell->poisson;
        out->damping[start + t] = 0.0;
    }
}

static void gather_edges(const struct body *body, size_t start,
                         const struct gathered_triangles *out) {
    const struct shell_body *shell = &body->shell;
    const uint32_t first = (uint32_t)(3 * start);
    for (uint32_t s = 0; s < 3 * body->triangle_count; s++) {
        out->neighbours[first + s] = UINT32_MAX;
        out->rest_angles[first + s] = rest_angle(shell, s);
    }
    for (size_t h = 0; h < shell->hinge_count; h++) {
        const uint32_t *sides = shell->sides + 2 * h;
        out->neighbours[first + sides[0]] = first + sides[1];
        out->neighbours[first + sides[1]] = first + sides[0];
    }
    for (size_t k = 0; k < shell->clamp_count; k++) {
        copy3(shell->clamps + 3 * k, out->clamps + 3 * (size_t)(first + shell->clamp_sides[k]));
    }
    for (size_t t = 0; t < body->triangle_count; t++) {
        out->rigidity[start + t] = shell_rigidity(shell);
        out->damping[start + t] = body->damping;
    }
}

static void gather_hinges(const struct body *body, size_t start,
                          const struct gathered_hinges *out) {
    const struct shell_body *shell = &body->shell;
    for (size_t h = 0; h < shell->hinge_count; h++) {
        uint32_t *nodes = out->nodes + 4 * (start + h);
        sheet_hinge(body->triangles, shell->sides + 2 * h, nodes);
        for (size_t a = 0; a < 4; a++) {
            nodes[a] += (uint32_t)body->node_start;
        }
        out->rigidity[start + h] = shell_rigidity(shell);
        out->damping[start + h] = body->damping;
        out->rest_angles[start + h] = rest_angle(shell, shell->sides[2 * h]);
    }
}

static pbs_status make_membrane(const struct scene *scene, struct memory *memory,
                                const double *rest, size_t count,
                                const struct gathered_triangles *g, struct model *model) {
    size_t start = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_SHELL) {
            gather_triangles(body, start, g);
            start += body->triangle_count;
        }
    }
    const struct membrane_input input = {.triangle_count = count,
                                         .triangles = g->nodes,
                                         .rest = rest,
                                         .thickness = g->thickness,
                                         .young = g->young,
                                         .poisson = g->poisson,
                                         .damping = g->damping};
    struct membrane *membrane = NULL;
    RETURN_IF_FAILED(membrane_create(memory, &input, &membrane));
    add_term(model, membrane_term(membrane));
    return PBS_OK;
}

static pbs_status make_plates(const struct scene *scene, struct memory *memory, const double *rest,
                              const struct gathered_triangles *g, struct model *model) {
    size_t start = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_shell(body, PBS_BENDING_PLATE)) {
            gather_triangles(body, start, g);
            gather_edges(body, start, g);
            start += body->triangle_count;
        }
    }
    const struct plate_input input = {.triangle_count = start,
                                      .triangles = g->nodes,
                                      .neighbours = g->neighbours,
                                      .rest = rest,
                                      .rigidity = g->rigidity,
                                      .poisson = g->poisson,
                                      .damping = g->damping,
                                      .rest_angles = g->rest_angles,
                                      .clamps = g->clamps};
    for (uint32_t width = PLATE_LEAST_WIDTH; width <= PLATE_NODES; width++) {
        struct plate_bending *plate = NULL;
        RETURN_IF_FAILED(plate_bending_create(memory, &input, width, &plate));
        if (plate != NULL) {
            add_term(model, plate_bending_term(plate));
        }
    }
    return PBS_OK;
}

static pbs_status make_triangles(const struct scene *scene, struct memory *memory,
                                 const double *rest, size_t count,
                                 const struct gathered_triangles *g, struct model *model) {
    if (!g->nodes || !g->neighbours || !g->thickness || !g->young || !g->poisson || !g->rigidity ||
        !g->damping || !g->rest_angles || !g->clamps) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(make_membrane(scene, memory, rest, count, g, model));
    return make_plates(scene, memory, rest, g, model);
}

/// The membrane and the plates of all shells.
static pbs_status add_triangles(const struct scene *scene, struct memory *memory,
                                const double *rest, struct model *model) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->kind == BODY_SHELL ? body->triangle_count : 0;
    }
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_triangles g = {
        .nodes = memory_allocate(memory, count, 3 * sizeof(uint32_t)),
        .neighbours = memory_allocate(memory, count, 3 * sizeof(uint32_t)),
        .thickness = memory_allocate(memory, count, sizeof(double)),
        .young = memory_allocate(memory, count, sizeof(double)),
        .poisson = memory_allocate(memory, count, sizeof(double)),
        .rigidity = memory_allocate(memory, count, sizeof(double)),
        .damping = memory_allocate(memory, count, sizeof(double)),
        .rest_angles = memory_allocate(memory, count, 3 * sizeof(double)),
        .clamps = memory_allocate(memory, count, 9 * sizeof(double))};
    const pbs_status status = make_triangles(scene, memory, rest, count, &g, model);
    memory_release(memory, g.nodes);
    memory_release(memory, g.neighbours);
    memory_release(memory, g.thickness);
    memory_release(memory, g.young);
    memory_release(memory, g.poisson);
    memory_release(memory, g.rigidity);
    memory_release(memory, g.damping);
    memory_release(memory, g.rest_angles);
    memory_release(memory, g.clamps);
    return status;
}

static pbs_status make_hinges(const struct scene *scene, struct memory *memory, const double *rest,
                              size_t count, const struct gathered_hinges *g, struct model *model) {
    if (!g->nodes || !g->rigidity || !g->damping || !g->rest_angles) {
        return PBS_ERROR_MEMORY;
    }
    size_t start = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_shell(body, PBS_BENDING_HINGE)) {
            gather_hinges(body, start, g);
            start += body->shell.hinge_count;
        }
    }
    const struct bending_input input = {.hinge_count = count,
                                        .hinges = g->nodes,
                                        .rest = rest,
                                        .rigidity = g->rigidity,
                                        .damping = g->damping,
                                        .rest_angles = g->rest_angles};
    struct bending *bending = NULL;
    RETURN_IF_FAILED(bending_create(memory, &input, &bending));
    add_term(model, bending_term(bending));
    return PBS_OK;
}

static pbs_status add_hinges(const struct scene *scene, struct memory *memory, const double *rest,
                             struct model *model) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += is_shell(body, PBS_BENDING_HINGE) ? body->shell.hinge_count : 0;
    }
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_hinges g = {.nodes = memory_allocate(memory, count, 4 * sizeof(uint32_t)),
                                .rigidity = memory_allocate(memory, count, sizeof(double)),
                                .damping = memory_allocate(memory, count, sizeof(double)),
                                .rest_angles = memory_allocate(memory, count, sizeof(double))};
    const pbs_status status = make_hinges(scene, memory, rest, count, &g, model);
    memory_release(memory, g.nodes);
    memory_release(memory, g.rigidity);
    memory_release(memory, g.damping);
    memory_release(memory, g.rest_angles);
    return status;
}

static pbs_status add_elastic(const struct scene *scene, struct memory *memory,
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
    if (status >= 0) {
        status = add_triangles(scene, memory, rest, model);
    }
    if (status >= 0) {
        status = add_hinges(scene, memory, rest, model);
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
                                       .is_linear = own->is_linear,
                                       .damping = body->damping};
    struct custom *custom = NULL;
    const pbs_status status = custom_create(memory, &input, &custom);
    memory_release(memory, nodes);
    RETURN_IF_FAILED(status);
    add_term(model, custom_term(custom));
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

// --- springs ---

/// Springs, and the bonds of peridynamic bodies, which are springs that break, some of which soften
/// before: a term each.
struct springs_kind {
    enum body_kind kind;
    bool softens;
};

static bool is_of(const struct body *body, const struct springs_kind *kind) {
    return body->kind == kind->kind && peridynamic_softens(body) == kind->softens;
}

static size_t count_springs(const struct scene *scene, const struct springs_kind *kind) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_of(body, kind)) {
            count += body->kind == BODY_SPRINGS ? body->springs.spring_count : body->bonds.count;
        }
    }
    return count;
}

/// Arrays of all springs, in the order of bodies.
struct gathered_springs {
    uint32_t *nodes;
    double *stiffness, *rest_lengths, *damping;
    double *limits; ///< of bonds
    uint8_t *broken;
    struct softening_law *laws; ///< of bonds that soften
    double *remaining;          ///< likewise
    bool breaks;                ///< some bond may
};

static void gather_springs_of(const struct body *body, size_t at,
                              const struct gathered_springs *out) {
    const struct springs_body *own = &body->springs;
    for (size_t s = 0; s < own->spring_count; s++, at++) {
        out->nodes[2 * at] = (uint32_t)body->node_start + own->springs[2 * s];
        out->nodes[2 * at + 1] = (uint32_t)body->node_start + own->springs[2 * s + 1];
        out->stiffness[at] = own->stiffness[s];
        out->rest_lengths[at] = own->rest_lengths[s];
    }
}

static void gather_peridynamic_of(const struct body *body, size_t at,
                                  const struct gathered_springs *out) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t b = 0; b < body->bonds.count; b++, at++) {
        out->nodes[2 * at] = (uint32_t)body->node_start + body->bonds.pairs[2 * b];
        out->nodes[2 * at + 1] = (uint32_t)body->node_start + body->bonds.pairs[2 * b + 1];
        out->stiffness[at] = own->stiffness[b];
        out->rest_lengths[at] = own->lengths[b];
        out->limits[at] = own->critical[b];
        out->broken[at] = body->bonds.broken[b];
        if (peridynamic_softens(body)) {
            out->laws[at] = peridynamic_law(body, b);
            out->remaining[at] = own->remaining[b];
        }
    }
}

static void gather_springs(const struct scene *scene, const struct springs_kind *kind,
                           struct gathered_springs *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_of(body, kind) && body->kind == BODY_SPRINGS) {
            gather_springs_of(body, at, out);
            at += body->springs.spring_count;
        } else if (is_of(body, kind)) {
            gather_peridynamic_of(body, at, out);
            at += body->bonds.count;
            out->breaks |= body->bonds.breaks;
        }
    }
}

static pbs_status make_springs_of(struct memory *memory, const struct springs_kind *kind,
                                  size_t count, const struct gathered_springs *g,
                                  const struct springs_near *near, const struct pair_order *order,
                                  struct model *model) {
    const struct springs_input input = {.count = count,
                                        .nodes = g->nodes,
                                        .stiffness = g->stiffness,
                                        .rest_lengths = g->rest_lengths,
                                        .damping = g->damping,
                                        .broken = g->broken,
                                        .limits = g->breaks ? g->limits : NULL,
                                        .near = near,
                                        .order = order,
                                        .laws = kind->softens ? g->laws : NULL,
                                        .remaining = g->remaining};
    struct springs *springs = NULL;
    RETURN_IF_FAILED(springs_create(memory, &input, &springs));
    if (kind->kind == BODY_PERIDYNAMIC) {
        model->peridynamic[kind->softens] = springs;
    }
    add_term(model, springs_term(springs));
    return PBS_OK;
}

/// The particles of all bodies of a kind by where they are at rest, which no step changes: a
/// restored world has the same order.
static pbs_status order_particles(const struct scene *scene, struct memory *memory,
                                  const struct springs_kind *kind, uint32_t *nodes, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (!is_of(body, kind)) {
            continue;
        }
        uint32_t *own = nodes + *count;
        RETURN_IF_FAILED(
            grid_order(memory, body->bonds.rest, body->node_count, body->peridynamic.spacing, own));
        for (size_t k = 0; k < body->node_count; k++) {
            own[k] += (uint32_t)body->node_start;
        }
        *count += body->node_count;
    }
    return PBS_OK;
}

static pbs_status make_brittle(const struct scene *scene, struct memory *memory,
                               const struct springs_kind *kind, size_t count,
                               const struct gathered_springs *g, struct model *model) {
    uint32_t *nodes = memory_allocate(memory, scene->nodes.count, sizeof *nodes);
    double *numbers = memory_allocate(memory, 2 * scene->nodes.count, sizeof *numbers);
    const struct springs_near near = {numbers, numbers + scene->nodes.count};
    struct pair_order order = {.nodes = nodes};
    pbs_status status = nodes != NULL && numbers != NULL ? PBS_OK : PBS_ERROR_MEMORY;
    if (status >= 0) {
        status = order_particles(scene, memory, kind, nodes, &order.count);
    }
    if (status >= 0) {
        const bool is_assembled = !near_bonds_are_wanted(scene);
        if (!is_assembled) {
            near_bonds_measure(scene, numbers, numbers + scene->nodes.count);
        }
        status = make_springs_of(memory, kind, count, g, is_assembled ? NULL : &near, &order,
                                 model);
    }
    memory_release(memory, nodes);
    memory_release(memory, numbers);
    return status;
}

static pbs_status make_springs(const struct scene *scene, struct memory *memory,
                               const struct springs_kind *kind, size_t count,
                               struct gathered_springs *g, struct model *model) {
    gather_springs(scene, kind, g);
    const bool is_ordered = kind->kind == BODY_PERIDYNAMIC && !kind->softens;
    return is_ordered ? make_brittle(scene, memory, kind, count, g, model)
                      : make_springs_of(memory, kind, count, g, NULL, NULL, model);
}

static pbs_status add_springs(const struct scene *scene, struct memory *memory,
                              const struct springs_kind *kind, struct model *model) {
    const size_t count = count_springs(scene, kind);
    if (count == 0) {
        return PBS_OK;
    }
    const size_t bonds = kind->kind == BODY_PERIDYNAMIC ? count : 0;
    const size_t softening = kind->softens ? count : 0;
    struct gathered_springs g = {
        .nodes = memory_allocate(memory, count, 2 * sizeof(uint32_t)),
        .stiffness = memory_allocate(memory, count, sizeof(double)),
        .rest_lengths = memory_allocate(memory, count, sizeof(double)),
        .damping = memory_allocate(memory, count, sizeof(double)),
        .limits = memory_allocate(memory, bonds, sizeof(double)),
        .broken = memory_allocate(memory, count, sizeof(uint8_t)),
        .laws = memory_allocate(memory, softening, sizeof(struct softening_law)),
        .remaining = memory_allocate(memory, softening, sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.nodes != NULL && g.stiffness != NULL && g.rest_lengths != NULL && g.damping != NULL &&
        g.limits != NULL && g.broken != NULL && g.laws != NULL && g.remaining != NULL) {
        status = make_springs(scene, memory, kind, count, &g, model);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.rest_lengths);
    memory_release(memory, g.damping);
    memory_release(memory, g.limits);
    memory_release(memory, g.broken);
    memory_release(memory, g.laws);
    memory_release(memory, g.remaining);
    return status;
}

static pbs_status add_all_springs(const struct scene *scene, struct memory *memory,
                                  struct model *model) {
    static const struct springs_kind kinds[] = {
        {BODY_SPRINGS, false}, {BODY_PERIDYNAMIC, false}, {BODY_PERIDYNAMIC, true}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        RETURN_IF_FAILED(add_springs(scene, memory, &kinds[i], model));
    }
    return PBS_OK;
}

// --- affine bodies ---

static size_t count_affine(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        count += scene_body(scene, i)->kind == BODY_AFFINE;
    }
    return count;
}

/// Arrays of all affine bodies, in their order.
struct gathered_affine {
    uint32_t *nodes;
    double *stiffness, *radius, *damping;
};

static void gather_affine(const struct scene *scene, struct gathered_affine *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind == BODY_AFFINE) {
            for (uint32_t k = 0; k < 3; k++) {
                out->nodes[3 * at + k] = (uint32_t)body->node_start + 1 + k;
            }
            out->stiffness[at] = body->affine.stiffness * body->affine.volume;
            out->radius[at] = body->affine.radius;
            out->damping[at] = 0.0;
            at++;
        }
    }
}

static pbs_status add_affine(const struct scene *scene, struct memory *memory,
                             struct model *model) {
    const size_t count = count_affine(scene);
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_affine g = {.nodes = memory_allocate(memory, count, 3 * sizeof(uint32_t)),
                                .stiffness = memory_allocate(memory, count, sizeof(double)),
                                .radius = memory_allocate(memory, count, sizeof(double)),
                                .damping = memory_allocate(memory, count, sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.nodes != NULL && g.stiffness != NULL && g.radius != NULL && g.damping != NULL) {
        gather_affine(scene, &g);
        const struct affine_input input = {count, g.nodes, g.stiffness, g.radius, g.damping};
        struct affine *affine = NULL;
        status = affine_create(memory, &input, &affine);
        if (status >= 0) {
            add_term(model, affine_term(affine));
        }
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.radius);
    memory_release(memory, g.damping);
    return status;
}

// --- bonds ---

static size_t count_bonds(const struct scene *scene, int32_t shear) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->kind == BODY_BONDED && body->bonded.shear == shear ? body->bonds.count : 0;
    }
    return count;
}

/// Arrays of all bonds of one form of shear, in the order of bodies.
struct gathered_bonds {
    uint32_t *nodes, *rotations;
    double *radii, *rest, *damping;
    uint8_t *broken;
    struct bond_stiffness *stiffness;
    struct bond_limit *limits;
    bool breaks; ///< some bond may
};

/// first: of the body's rotations among those of all.
static void gather_bonds_of(const struct body *body, uint32_t first, size_t at,
                            const struct gathered_bonds *out) {
    const struct bonded_body *own = &body->bonded;
    for (size_t b = 0; b < body->bonds.count; b++, at++) {
        for (size_t end = 0; end < 2; end++) {
            const uint32_t particle = body->bonds.pairs[2 * b + end];
            const uint32_t node = (uint32_t)body->node_start + particle;
            out->nodes[4 * at + 2 * end] = node;
            out->nodes[4 * at + 2 * end + 1] = node + (uint32_t)body->vertex_count;
            out->rotations[2 * at + end] = first + particle;
            out->radii[2 * at + end] = bonded_radius_of_gyration(own->radii[particle]);
        }
        out->stiffness[at] = bonded_stiffness(body, b, out->rest + 3 * at);
        out->broken[at] = body->bonds.broken[b];
        out->damping[at] = 0.0;
        out->limits[at] = bond_limit_of(own->tensile[b], own->shearing[b], own->bond_radii[b]);
    }
}

static void gather_bonds(const struct scene *scene, int32_t shear, struct gathered_bonds *out) {
    size_t at = 0;
    size_t first = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind != BODY_BONDED) {
            continue;
        }
        if (body->bonded.shear == shear) {
            gather_bonds_of(body, (uint32_t)first, at, out);
            out->breaks |= body->bonds.breaks;
            at += body->bonds.count;
        }
        first += body->vertex_count;
    }
}

static pbs_status make_bonds(const struct scene *scene, struct memory *memory, size_t count,
                             int32_t shear, struct gathered_bonds *g, struct model *model) {
    gather_bonds(scene, shear, g);
    const struct bonds_input input = {.count = count,
                                      .nodes = g->nodes,
                                      .rotations = g->rotations,
                                      .radii = g->radii,
                                      .rest = g->rest,
                                      .stiffness = g->stiffness,
                                      .damping = g->damping,
                                      .broken = g->broken,
                                      .limits = g->breaks ? g->limits : NULL,
                                      .shear = shear == PBS_BOND_SHEAR_ANGLE ? BOND_SHEAR_ANGLE
                                                                             : BOND_SHEAR_CHORD,
                                      .orientations = model->rotations.orientation};
    struct bonds *bonds = NULL;
    RETURN_IF_FAILED(bonds_create(memory, &input, &bonds));
    model->bonds[shear] = bonds;
    add_term(model, bonds_term(bonds));
    return PBS_OK;
}

static pbs_status add_bonds_of(const struct scene *scene, struct memory *memory, int32_t shear,
                               struct model *model) {
    const size_t count = count_bonds(scene, shear);
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_bonds g = {.nodes = memory_allocate(memory, count, 4 * sizeof(uint32_t)),
                               .rotations = memory_allocate(memory, count, 2 * sizeof(uint32_t)),
                               .radii = memory_allocate(memory, count, 2 * sizeof(double)),
                               .rest = memory_allocate(memory, count, 3 * sizeof(double)),
                               .damping = memory_allocate(memory, count, sizeof(double)),
                               .broken = memory_allocate(memory, count, sizeof *g.broken),
                               .stiffness = memory_allocate(memory, count, sizeof *g.stiffness),
                               .limits = memory_allocate(memory, count, sizeof *g.limits)};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.limits != NULL && g.nodes != NULL && g.rotations != NULL && g.radii != NULL &&
        g.rest != NULL && g.damping != NULL && g.broken != NULL && g.stiffness != NULL) {
        status = make_bonds(scene, memory, count, shear, &g, model);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.rotations);
    memory_release(memory, g.radii);
    memory_release(memory, g.rest);
    memory_release(memory, g.broken);
    memory_release(memory, g.damping);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.limits);
    return status;
}

static pbs_status add_bonds(const struct scene *scene, struct memory *memory, struct model *model) {
    RETURN_IF_FAILED(
        bonded_list_rotations(scene, memory, &model->rotation_arrays, &model->rotations));
    RETURN_IF_FAILED(add_bonds_of(scene, memory, PBS_BOND_SHEAR_CHORD, model));
    return add_bonds_of(scene, memory, PBS_BOND_SHEAR_ANGLE, model);
}

// --- node terms ---

static size_t count_places(const struct scene *scene, const struct body *body) {
    return nodes_count_places(&scene->nodes, body->node_start, body->node_count);
}

static pbs_status add_gravity(const struct scene *scene, struct memory *memory,
                              struct model *model) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        any = any || body->no_gravity || count_places(scene, body) < body->node_count;
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
            const size_t places = body->no_gravity ? 0 : count_places(scene, body);
            for (size_t k = 0; k < places; k++) {
                model->gravity_mass[body->node_start + k] = nodes->mass[body->node_start + k];
            }
        }
        model->gravity.mass = model->gravity_mass;
    }
    memcpy(model->gravity.acceleration, scene->settings.gravity,
           sizeof model->gravity.acceleration);
    add_term(model, gravity_term(&model->gravity));
    return PBS_OK;
}

static void add_loads(const struct scene *scene, struct model *model) {
    const struct nodes *nodes = &scene->nodes;
    model->loads = (struct dead_loads){
        .force = nodes->force, .reference = nodes->initial, .any = nodes_are_loaded(nodes)};
    add_term(model, dead_loads_term(&model->loads));
}

static pbs_status add_drag(const struct scene *scene, struct memory *memory, struct model *model) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        any = any || body->drag > 0.0;
        model->has_damping |= (body->kind == BODY_CUSTOM || body->kind == BODY_SHELL) &&
                              body->damping > 0.0;
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
        for (size_t k = 0; k < body->node_count; k++) {
            model->drag_rate[body->node_start + k] = body->drag;
        }
    }
    model->drag = (struct mass_drag){.mass = scene->nodes.mass, .rate = model->drag_rate};
    add_term(model, mass_drag_term(&model->drag));
    return PBS_OK;
}

// --- contact by penalties ---

static pbs_status add_penalties(const struct scene *scene, struct memory *memory,
                                struct model *model) {
    const struct contact_kind *kind = contact_kind_of(scene);
    if (kind->build_term == NULL) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(kind->build_term(scene, memory, &model->penalty));
    model->penalty_forces = (struct precomputed_forces){model->penalty.force,
                                                        &model->penalty.value};
    add_term(model, precomputed_forces_term(&model->penalty_forces));
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
        if (body->kind != BODY_CUSTOM) {
            model->free_bodies[model->free_body_count] = (struct free_body){
                body->node_start, count_places(scene, body), body->drag, body->no_gravity};
            model->free_body_count++;
        }
    }
    return PBS_OK;
}

/// Null for bodies whose nodes have no rest shape, or are not all places.
static const double *rest_places(const struct body *body) {
    switch (body->kind) {
    case BODY_SOLID: return body->solid.rest;
    case BODY_SHELL: return body->shell.rest;
    case BODY_PERIDYNAMIC: return body->bonds.rest;
    default: return NULL;
    }
}

/// What damping takes out depends on how a body turns, and clamped edges stay as they point.
static bool is_rotation_invariant(const struct body *body) {
    return body->damping == 0.0 && body->drag == 0.0 &&
           (body->kind != BODY_SHELL || body->shell.clamp_count == 0);
}

static pbs_status list_rest_shapes(const struct scene *scene, struct memory *memory,
                                   struct model *model) {
    model->rest_shapes = memory_allocate(memory, scene->bodies.count, sizeof *model->rest_shapes);
    if (model->rest_shapes == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double *places = rest_places(body);
        if (places != NULL) {
            model->rest_shapes[model->rest_shape_count] = (struct rest_shape){
                body->node_start, body->node_count, places, is_rotation_invariant(body)};
            model->rest_shape_count++;
        }
    }
    return PBS_OK;
}

// --- how stiff solids are ---

/// Length is that of a cube that six such tetrahedra fill.
static double tet_stiffness(const struct solid_body *solid, const struct tet_mesh_view *mesh,
                            size_t tet) {
    const double length = cbrt(6.0 * tet_signed_volume(mesh, tet));
    return tet_value(&solid->young, tet) / (tet_value(&solid->density, tet) * length * length);
}

static void measure_least_stiffness(const struct scene *scene, struct model *model) {
    double least = INFINITY;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->kind != BODY_SOLID) {
            continue;
        }
        const struct solid_body *solid = &body->solid;
        const struct tet_mesh_view mesh = {body->node_count, solid->rest, solid->tet_count,
                                           solid->tets};
        for (size_t t = 0; t < solid->tet_count; t++) {
            least = fmin(least, tet_stiffness(solid, &mesh, t));
        }
    }
    model->least_stiffness = isfinite(least) ? least : 0.0;
}

// --- all together ---

// membrane, hinges, springs of three kinds, affine bodies, bonds of two forms, gravity, dead loads,
// contact by penalties, drag
enum { OTHER_TERMS = 12 + PLATE_TERMS };

static size_t count_materials(void) {
    size_t count = 0;
    while (material_tables[count] != NULL) {
        count++;
    }
    return count;
}

/// A body's places are its first nodes; the others belong to them in turn.
static void list_places(const struct scene *scene, uint32_t *place) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        const size_t places = count_places(scene, body);
        for (size_t i = 0; i < body->node_count; i++) {
            place[body->node_start + i] = (uint32_t)(body->node_start + i % places);
        }
    }
}

static pbs_status build_assembly(const struct scene *scene, struct memory *memory,
                                 struct model *model) {
    struct stencils *sets = memory_allocate(memory, model->term_count, sizeof *sets);
    uint32_t *place = memory_allocate(memory, scene->nodes.count, sizeof *place);
    if (sets == NULL || place == NULL) {
        memory_release(memory, sets);
        memory_release(memory, place);
        return PBS_ERROR_MEMORY;
    }
    list_places(scene, place);
    const struct node_kinds kinds = {scene->nodes.kind, place};
    size_t set_count = 0;
    for (size_t i = 0; i < model->term_count; i++) {
        if (model->terms[i].has_stencils) {
            sets[set_count] = model->terms[i].stencils;
            set_count++;
        }
    }
    const pbs_status status = assembly_build_of(memory, (uint32_t)scene->nodes.count, &kinds, 0,
                                                sets, set_count, &model->assembly);
    memory_release(memory, sets);
    memory_release(memory, place);
    model->has_assembly = status >= 0;
    return status;
}

static pbs_status bind_terms(struct memory *memory, struct model *model) {
    const struct stencil_groups *groups = model->assembly.terms;
    for (size_t i = 0; i < model->term_count; i++) {
        const struct term *term = &model->terms[i];
        const struct stencil_groups *own = term->has_stencils ? groups++ : NULL;
        if (term->table->bind != NULL) {
            RETURN_IF_FAILED(term->table->bind(term->self, memory, own));
        }
    }
    return PBS_OK;
}

static pbs_status build(const struct scene *scene, struct memory *memory, struct model *model) {
    const size_t materials = count_materials();
    const size_t bodies = scene->bodies.count;
    model->terms = memory_allocate(memory, materials + bodies + OTHER_TERMS + STRAIN_DAMPING_TERMS,
                                   sizeof *model->terms);
    if (model->terms == NULL) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(add_elastic(scene, memory, model));
    RETURN_IF_FAILED(add_all_springs(scene, memory, model));
    RETURN_IF_FAILED(add_affine(scene, memory, model));
    RETURN_IF_FAILED(add_bonds(scene, memory, model));
    RETURN_IF_FAILED(add_customs(scene, memory, model));
    RETURN_IF_FAILED(add_gravity(scene, memory, model));
    add_loads(scene, model);
    RETURN_IF_FAILED(add_penalties(scene, memory, model));
    model->conservative_count = model->term_count;
    RETURN_IF_FAILED(add_drag(scene, memory, model));
    RETURN_IF_FAILED(add_strain_damping(scene, memory, model->terms, &model->term_count,
                                        &model->peridynamic_damping));
    RETURN_IF_FAILED(list_free_bodies(scene, memory, model));
    RETURN_IF_FAILED(list_rest_shapes(scene, memory, model));
    measure_least_stiffness(scene, model);
    RETURN_IF_FAILED(build_assembly(scene, memory, model));
    return bind_terms(memory, model);
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
    for (size_t i = 0; i < model->term_count; i++) {
        if (model->terms[i].table->destroy != NULL) {
            model->terms[i].table->destroy(model->terms[i].self, memory);
        }
    }
    if (model->has_assembly) {
        assembly_free(memory, &model->assembly);
    }
    penalty_contact_free(&model->penalty);
    memory_release(memory, model->gravity_mass);
    memory_release(memory, model->drag_rate);
    memory_release(memory, model->free_bodies);
    memory_release(memory, model->rest_shapes);
    memory_release(memory, model->rotation_arrays.node);
    memory_release(memory, model->rotation_arrays.radius);
    memory_release(memory, model->rotation_arrays.orientation);
    memory_release(memory, model->terms);
    *model = (struct model){0};
}
