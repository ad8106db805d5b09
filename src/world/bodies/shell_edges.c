// Rest angles and clamped borders of shells; see shell_edges.h.
// SPDX-License-Identifier: MIT
#include "world/bodies/shell_edges.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/shells/bending.h"
#include "geometry/meshes/sheet.h"
#include "world/interface/check.h"

static uint32_t side_end(const uint32_t *triangles, uint32_t side) {
    return triangles[side / 3 * 3 + (side + 1) % 3];
}

void shell_side_vertices(const struct body *body, uint32_t side, uint32_t vertices[2]) {
    vertices[0] = body->triangles[side];
    vertices[1] = side_end(body->triangles, side);
}

// --- rest angles ---

pbs_status shell_check_rest_angles(const struct body *body, const double *rest_angles) {
    const struct shell_body *shell = &body->shell;
    RETURN_IF_FAILED(check_numbers(rest_angles, 3 * body->triangle_count, "rest_angles"));
    for (size_t h = 0; h < shell->hinge_count; h++) {
        const uint32_t left = shell->sides[2 * h];
        const uint32_t right = shell->sides[2 * h + 1];
        if (rest_angles[left] != rest_angles[right]) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "rest_angles[%u] is %g and rest_angles[%u] is %g, must be equal: "
                               "both are for the edge of vertices %u and %u",
                               (unsigned)left, rest_angles[left], (unsigned)right,
                               rest_angles[right], (unsigned)body->triangles[left],
                               (unsigned)side_end(body->triangles, left));
        }
    }
    return PBS_OK;
}

/// Writes the rest angles that stand for none; those of border edges are 0.
static void write_default_angles(const struct body *body, double *rest_angles) {
    const struct shell_body *shell = &body->shell;
    for (size_t h = 0; h < shell->hinge_count && !shell->flat_rest; h++) {
        uint32_t vertices[4];
        double x[12];
        sheet_hinge(body->triangles, shell->sides + 2 * h, vertices);
        for (size_t a = 0; a < 4; a++) {
            copy3(shell->rest + 3 * (size_t)vertices[a], x + 3 * a);
        }
        rest_angles[shell->sides[2 * h]] = bending_angle(x, NULL);
        rest_angles[shell->sides[2 * h + 1]] = rest_angles[shell->sides[2 * h]];
    }
}

pbs_status shell_set_rest_angles(struct body *body, struct memory *memory,
                                 const double *rest_angles) {
    struct shell_body *shell = &body->shell;
    double *copy = NULL;
    if (rest_angles != NULL) {
        RETURN_IF_FAILED(shell_check_rest_angles(body, rest_angles));
        copy = memory_copy(memory, rest_angles, body->triangle_count, 3 * sizeof *copy);
    } else if (shell->yield_curvature > 0.0) {
        copy = memory_allocate(memory, body->triangle_count, 3 * sizeof *copy);
        if (copy != NULL) {
            write_default_angles(body, copy);
        }
    }
    if (copy == NULL && (rest_angles != NULL || shell->yield_curvature > 0.0)) {
        return PBS_ERROR_MEMORY;
    }
    memory_release(memory, shell->rest_angles);
    shell->rest_angles = copy;
    shell->creases = shell->yield_curvature > 0.0 ? copy : NULL;
    return PBS_OK;
}

// --- clamped borders ---

/// Lists of border sides by their first vertex.
struct borders {
    uint32_t *first; ///< per vertex: its first side; UINT32_MAX: none
    uint32_t *next;  ///< per side: the next one in the list
};

static void list_borders(const struct body *body, struct borders *borders) {
    const size_t side_count = 3 * body->triangle_count;
    const uint32_t inner = UINT32_MAX - 1;
    for (size_t i = 0; i < body->vertex_count; i++) {
        borders->first[i] = UINT32_MAX;
    }
    for (size_t h = 0; h < 2 * body->shell.hinge_count; h++) {
        borders->next[body->shell.sides[h]] = inner;
    }
    for (size_t s = 0; s < side_count; s++) {
        if (borders->next[s] != inner) {
            borders->next[s] = borders->first[body->triangles[s]];
            borders->first[body->triangles[s]] = (uint32_t)s;
        }
    }
}

static uint32_t find_border(const struct body *body, const struct borders *borders, uint32_t from,
                            uint32_t to) {
    uint32_t side = borders->first[from];
    while (side != UINT32_MAX && side_end(body->triangles, side) != to) {
        side = borders->next[side];
    }
    return side;
}

static pbs_status set_clamp(struct body *body, const struct borders *borders,
                            const pbs_shell_desc *d, size_t k) {
    const uint32_t a = d->clamped_edges[2 * k];
    const uint32_t b = d->clamped_edges[2 * k + 1];
    uint32_t side = UINT32_MAX;
    if (a < body->vertex_count && b < body->vertex_count) {
        const uint32_t forward = find_border(body, borders, a, b);
        side = forward != UINT32_MAX ? forward : find_border(body, borders, b, a);
    }
    if (side == UINT32_MAX) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "clamped edge %zu: vertices %u and %u, must be those of a border edge",
                           k, (unsigned)a, (unsigned)b);
    }
    const double *p = body->shell.rest + 3 * (size_t)body->triangles[side];
    const double *q = body->shell.rest + 3 * (size_t)side_end(body->triangles, side);
    double edge[3];
    double unit[3];
    double across[3];
    const double length = norm3(d->clamped_directions + 3 * k);
    subtract3(q, p, edge);
    scale3(1.0 / length, d->clamped_directions + 3 * k, unit);
    cross3(edge, unit, across);
    // A direction along the edge does not define the slope across it.
    if (!(norm3(across) > 1e-6 * norm3(edge))) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "clamped edge %zu: direction (%g, %g, %g), must point across the edge",
                           k, d->clamped_directions[3 * k], d->clamped_directions[3 * k + 1],
                           d->clamped_directions[3 * k + 2]);
    }
    body->shell.clamp_sides[k] = side;
    copy3(unit, body->shell.clamps + 3 * k);
    return PBS_OK;
}

static pbs_status set_clamps(struct body *body, struct borders *borders, const pbs_shell_desc *d) {
    list_borders(body, borders);
    for (size_t k = 0; k < d->clamped_edge_count; k++) {
        RETURN_IF_FAILED(set_clamp(body, borders, d, k));
    }
    // `next` is no longer needed, and is used to mark the clamped sides.
    memset(borders->next, 0, 3 * body->triangle_count * sizeof *borders->next);
    for (size_t k = 0; k < d->clamped_edge_count; k++) {
        if (borders->next[body->shell.clamp_sides[k]]++ != 0) {
            return status_fail(PBS_ERROR_ARGUMENT, "clamped edge %zu: is clamped twice", k);
        }
    }
    return PBS_OK;
}

static pbs_status check_clamps(const pbs_shell_desc *d) {
    if (d->bending == PBS_BENDING_HINGE) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "clamped_edge_count is %zu, must be 0 with PBS_BENDING_HINGE",
                           d->clamped_edge_count);
    }
    RETURN_IF_FAILED(check_count(d->clamped_edge_count, "clamped_edge_count"));
    RETURN_IF_FAILED(check_pointer(d->clamped_edges, "clamped_edges"));
    return check_vectors(d->clamped_directions, d->clamped_edge_count, "clamped_directions");
}

pbs_status shell_set_clamps(struct body *body, struct memory *memory, const pbs_shell_desc *d) {
    struct shell_body *shell = &body->shell;
    const size_t count = d->clamped_edge_count;
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_clamps(d));
    struct borders borders = {
        memory_allocate(memory, body->vertex_count, sizeof *borders.first),
        memory_allocate(memory, 3 * body->triangle_count, sizeof *borders.next)};
    shell->clamp_sides = memory_allocate(memory, count, sizeof *shell->clamp_sides);
    shell->clamp_edges = memory_copy(memory, d->clamped_edges, count,
                                     2 * sizeof *shell->clamp_edges);
    shell->clamps = memory_allocate(memory, count, 3 * sizeof *shell->clamps);
    pbs_status status = PBS_ERROR_MEMORY;
    if (borders.first != NULL && borders.next != NULL && shell->clamp_sides != NULL &&
        shell->clamp_edges != NULL && shell->clamps != NULL) {
        shell->clamp_count = count;
        status = set_clamps(body, &borders, d);
    }
    memory_release(memory, borders.first);
    memory_release(memory, borders.next);
    return status;
}
