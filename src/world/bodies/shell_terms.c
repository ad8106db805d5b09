// See shell_terms.h.
// SPDX-License-Identifier: MIT
#include "world/bodies/shell_terms.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/shells/bending.h"
#include "energy/shells/membrane.h"
#include "energy/shells/plate_bending.h"
#include "geometry/meshes/sheet.h"
#include "world/bodies/shell_stretch.h"
#include "world/objects/body_table.h"

/// Arrays of all triangles of the selected shells, in the order of bodies.
struct gathered_triangles {
    uint32_t *nodes, *neighbours; ///< neighbours: per side
    double *thickness, *young, *poisson, *rigidity, *damping;
    double *rest_angles, *clamps; ///< per side, see plate_bending.h
};

/// Arrays of all hinges of these shells.
struct gathered_hinges {
    uint32_t *nodes;
    double *rigidity, *damping, *rest_angles;
    double *yield_curvatures; ///< null: no shell creases
};

static bool is_shell(const struct body *body, int32_t bending) {
    return body->table == &body_table_shell && body->shell.bending == bending;
}

/// Returns the rest angle of a side; NaN: that of the rest positions.
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
        if (out->yield_curvatures != NULL) {
            out->yield_curvatures[start + h] = shell->yield_curvature > 0.0 ? shell->yield_curvature
                                                                            : INFINITY;
        }
    }
}

static pbs_status make_membrane(const struct scene *scene, struct memory *memory,
                                const double *rest, size_t count,
                                const struct gathered_triangles *g, struct body_terms *out) {
    size_t start = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->table == &body_table_shell) {
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
    return body_terms_add(out, membrane_term(membrane));
}

static pbs_status make_plates(const struct scene *scene, struct memory *memory, const double *rest,
                              const struct gathered_triangles *g, struct body_terms *out) {
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
            RETURN_IF_FAILED(body_terms_add(out, plate_bending_term(plate)));
        }
    }
    return PBS_OK;
}

static pbs_status make_triangles(const struct scene *scene, struct memory *memory,
                                 const double *rest, size_t count,
                                 const struct gathered_triangles *g, struct body_terms *out) {
    if (!g->nodes || !g->neighbours || !g->thickness || !g->young || !g->poisson || !g->rigidity ||
        !g->damping || !g->rest_angles || !g->clamps) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(make_membrane(scene, memory, rest, count, g, out));
    return make_plates(scene, memory, rest, g, out);
}

/// Adds the membrane and the plate bending of all shells.
static pbs_status add_triangles(const struct scene *scene, struct memory *memory,
                                const double *rest, struct body_terms *out) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->table == &body_table_shell ? body->triangle_count : 0;
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
    const pbs_status status = make_triangles(scene, memory, rest, count, &g, out);
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

// --- creases ---

static size_t count_creases(const void *self, const struct body *body) {
    (void)self;
    return is_shell(body, PBS_BENDING_HINGE) ? body->shell.hinge_count : 0;
}

static double crease(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                     double h) {
    (void)h;
    return hinge_creases_update(bending_creases(self), tasks, domain_count, x);
}

static void read_creases(const void *self, size_t first, struct body *body) {
    const struct shell_body *shell = &body->shell;
    for (size_t h = 0; h < shell->hinge_count && shell->yield_curvature > 0.0; h++) {
        double angle;
        hinge_creases_read(bending_creases(self), first + h, 1, &angle);
        shell->rest_angles[shell->sides[2 * h]] = angle;
        shell->rest_angles[shell->sides[2 * h + 1]] = angle;
    }
}

static void write_creases(void *self, size_t first, const struct body *body) {
    const struct shell_body *shell = &body->shell;
    for (size_t h = 0; h < shell->hinge_count && shell->yield_curvature > 0.0; h++) {
        hinge_creases_write(bending_creases(self), first + h, 1,
                            shell->rest_angles + shell->sides[2 * h]);
    }
}

static void save_creases(void *self) {
    hinge_creases_save(bending_creases(self));
}

static void restore_creases(void *self) {
    hinge_creases_restore(bending_creases(self));
}

static const struct history_table CREASES = {
    .count = count_creases,
    .update = crease,
    .read = read_creases,
    .write = write_creases,
    .save = save_creases,
    .restore = restore_creases,
    .changes_forces = true,
};

// --- hinges ---

static pbs_status make_hinges(const struct scene *scene, struct memory *memory, const double *rest,
                              size_t count, const struct gathered_hinges *g,
                              struct body_terms *out) {
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
                                        .rest_angles = g->rest_angles,
                                        .yield_curvatures = g->yield_curvatures};
    struct bending *bending = NULL;
    RETURN_IF_FAILED(bending_create(memory, &input, &bending));
    RETURN_IF_FAILED(body_terms_add(out, bending_term(bending)));
    if (g->yield_curvatures != NULL) {
        out->histories[out->history_count++] = (struct history_term){&CREASES, bending};
    }
    return PBS_OK;
}

static pbs_status add_hinges(const struct scene *scene, struct memory *memory, const double *rest,
                             struct body_terms *out) {
    size_t count = 0;
    bool creases = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += is_shell(body, PBS_BENDING_HINGE) ? body->shell.hinge_count : 0;
        creases = creases || body->shell.yield_curvature > 0.0;
    }
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_hinges g = {.nodes = memory_allocate(memory, count, 4 * sizeof(uint32_t)),
                                .rigidity = memory_allocate(memory, count, sizeof(double)),
                                .damping = memory_allocate(memory, count, sizeof(double)),
                                .rest_angles = memory_allocate(memory, count, sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (creases) {
        g.yield_curvatures = memory_allocate(memory, count, sizeof(double));
    }
    if (!creases || g.yield_curvatures != NULL) {
        status = make_hinges(scene, memory, rest, count, &g, out);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.rigidity);
    memory_release(memory, g.damping);
    memory_release(memory, g.rest_angles);
    memory_release(memory, g.yield_curvatures);
    return status;
}

pbs_status shell_add_terms(const struct scene *scene, struct memory *memory,
                           struct body_terms *out) {
    double *rest = NULL;
    RETURN_IF_FAILED(body_terms_rest(scene, memory, &rest));
    pbs_status status = add_triangles(scene, memory, rest, out);
    if (status >= 0) {
        status = shell_add_stretch_limits(scene, memory, rest, out);
    }
    if (status >= 0) {
        status = add_hinges(scene, memory, rest, out);
    }
    memory_release(memory, rest);
    return status;
}

// --- values that change ---

static void write_membrane(const struct body *body, const struct term_part *part) {
    const struct shell_body *shell = &body->shell;
    for (size_t t = 0; t < part->count; t++) {
        double gradients[4];
        const double area = membrane_rest_gradients(shell->rest, body->triangles + 3 * t,
                                                    gradients);
        membrane_set_values(part->term->self, part->groups, part->first + t,
                            shell->thickness * area, shell->young, shell->poisson);
    }
}

static void write_hinges(const struct body *body, const struct term_part *part) {
    const struct shell_body *shell = &body->shell;
    for (size_t h = 0; h < part->count; h++) {
        uint32_t nodes[4];
        double rest[12];
        sheet_hinge(body->triangles, shell->sides + 2 * h, nodes);
        for (size_t a = 0; a < 4; a++) {
            copy3(shell->rest + 3 * (size_t)nodes[a], rest + 3 * a);
        }
        bending_set_values(part->term->self, part->groups, part->first + h, rest,
                           shell_rigidity(shell), body->damping);
    }
}

static void write_plates(const struct body *body, const struct term_part *part) {
    const struct shell_body *shell = &body->shell;
    for (size_t k = 0; k < part->count; k++) {
        plate_bending_set_values(part->term->self, part->groups, part->first + k, shell->rest,
                                 (uint32_t)body->node_start, shell_rigidity(shell), shell->poisson,
                                 body->damping);
    }
}

void shell_write_values(const struct body *body, const struct term_part *part) {
    if (membrane_of(part->term) != NULL) {
        write_membrane(body, part);
    } else if (shell_write_stretch_limits(body, part)) {
        return;
    } else if (bending_of(part->term) != NULL) {
        write_hinges(body, part);
    } else {
        write_plates(body, part);
    }
}

// --- damping ---

static void gather_triangle(const struct body *body, size_t t, size_t at,
                            const struct damped *out) {
    const struct shell_body *shell = &body->shell;
    const double area = membrane_rest_gradients(shell->rest, body->triangles + 3 * t,
                                                out->gradients + 4 * at);
    damped_put_nodes(body, body->triangles + 3 * t, at, out);
    membrane_moduli(shell->young, shell->poisson, &out->mu[at], &out->lambda[at]);
    out->mu[at] *= shell->thickness * area * body->damping;
    out->lambda[at] *= shell->thickness * area * body->damping;
}

static size_t count_damped(const struct body *body) {
    return body->triangle_count;
}

const struct damped_elements shell_damped = {
    .shape = STRAIN_TRIANGLE, .width = 3, .count = count_damped, .gather = gather_triangle};
