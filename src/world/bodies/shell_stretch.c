// See shell_stretch.h.
// SPDX-License-Identifier: MIT
#include "world/bodies/shell_stretch.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/shells/membrane.h"
#include "energy/shells/stretch_limit.h"
#include "world/interface/check.h"
#include "world/objects/body_table.h"

// --- what is refused ---

pbs_status shell_check_stretch_limit(double limit) {
    return limit == 0.0 || (limit > 1.0 && limit <= VALUE_LIMIT)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "stretch_limit is %g, must be 0 for none, or above 1 and finite, at "
                             "most %g: it is a length over the length at rest",
                             limit, VALUE_LIMIT);
}

/// Returns the largest stretch of a triangle. x: the body's.
static double largest_stretch(const struct body *body, size_t triangle, const double *x) {
    const uint32_t *v = body->triangles + 3 * triangle;
    double rows[4], edge[2][3], f[6], stretches[2], axis[2];
    membrane_rest_gradients(body->shell.rest, v, rows);
    subtract3(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], edge[0]);
    subtract3(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], edge[1]);
    for (int k = 0; k < 6; k++) {
        f[k] = edge[0][k % 3] * rows[k / 3] + edge[1][k % 3] * rows[2 + k / 3];
    }
    stretch_limit_measure(f, stretches, axis);
    return stretches[0];
}

pbs_status shell_check_stretch(const struct body *body, const double *x) {
    const double limit = body->shell.stretch_limit;
    for (size_t t = 0; t < body->triangle_count && limit > 0.0; t++) {
        const double stretch = largest_stretch(body, t, x);
        if (!(stretch < limit)) {
            return status_fail(PBS_ERROR_INADMISSIBLE,
                               "triangle %zu is stretched to %.9g times its length at rest, must "
                               "be below the stretch_limit of %.9g",
                               t, stretch, limit);
        }
    }
    return PBS_OK;
}

// --- the term ---

static bool is_limited(const struct body *body) {
    return body->table == &body_table_shell && body->shell.stretch_limit > 0.0;
}

static double modulus_of(const struct shell_body *shell) {
    return stretch_limit_modulus(shell->young, shell->poisson);
}

/// Arrays of all triangles with a limit, in the order of bodies.
struct gathered {
    uint32_t *nodes;
    double *thickness, *modulus, *limit;
};

static void gather(const struct body *body, size_t start, const struct gathered *out) {
    const struct shell_body *shell = &body->shell;
    for (size_t t = 0; t < body->triangle_count; t++) {
        for (size_t i = 0; i < 3; i++) {
            out->nodes[3 * (start + t) + i] = (uint32_t)body->node_start +
                                              body->triangles[3 * t + i];
        }
        out->thickness[start + t] = shell->thickness;
        out->modulus[start + t] = modulus_of(shell);
        out->limit[start + t] = shell->stretch_limit;
    }
}

static pbs_status make_term(const struct scene *scene, struct memory *memory, const double *rest,
                            const struct gathered *g, struct body_terms *out) {
    size_t start = 0;
    if (!g->nodes || !g->thickness || !g->modulus || !g->limit) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_limited(body)) {
            gather(body, start, g);
            start += body->triangle_count;
        }
    }
    const struct stretch_limit_input input = {.triangle_count = start,
                                              .triangles = g->nodes,
                                              .rest = rest,
                                              .thickness = g->thickness,
                                              .modulus = g->modulus,
                                              .limit = g->limit};
    struct stretch_limit *limits = NULL;
    RETURN_IF_FAILED(stretch_limit_create(memory, &input, &limits));
    return body_terms_add(out, stretch_limit_term(limits));
}

pbs_status shell_add_stretch_limits(const struct scene *scene, struct memory *memory,
                                    const double *rest, struct body_terms *out) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += is_limited(body) ? body->triangle_count : 0;
    }
    if (count == 0) {
        return PBS_OK;
    }
    const struct gathered g = {.nodes = memory_allocate(memory, count, 3 * sizeof(uint32_t)),
                               .thickness = memory_allocate(memory, count, sizeof(double)),
                               .modulus = memory_allocate(memory, count, sizeof(double)),
                               .limit = memory_allocate(memory, count, sizeof(double))};
    const pbs_status status = make_term(scene, memory, rest, &g, out);
    memory_release(memory, g.nodes);
    memory_release(memory, g.thickness);
    memory_release(memory, g.modulus);
    memory_release(memory, g.limit);
    return status;
}

bool shell_write_stretch_limits(const struct body *body, const struct term_part *part) {
    const struct shell_body *shell = &body->shell;
    struct stretch_limit *limits = stretch_limit_of(part->term);
    if (limits == NULL) {
        return false;
    }
    for (size_t t = 0; t < part->count; t++) {
        double rows[4];
        const double area = membrane_rest_gradients(shell->rest, body->triangles + 3 * t, rows);
        stretch_limit_set_values(limits, part->groups, part->first + t, shell->thickness * area,
                                 modulus_of(shell), shell->stretch_limit);
    }
    return true;
}
