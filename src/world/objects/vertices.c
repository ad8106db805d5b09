// See vertices.h.
// SPDX-License-Identifier: MIT
#include "world/objects/vertices.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"

bool vertices_are_nodes(const struct body *body) {
    return body->vertices.weights == NULL;
}

struct point vertices_at(const struct body *body, size_t index) {
    const uint32_t first = (uint32_t)body->node_start;
    if (vertices_are_nodes(body)) {
        return (struct point){.count = 1, .node = {first + (uint32_t)index}, .weight = {1.0}};
    }
    const double *w = body->vertices.weights + VERTEX_WIDTH * index;
    return (struct point){.count = VERTEX_WIDTH,
                          .node = {first, first + 1, first + 2, first + 3},
                          .weight = {w[0], w[1], w[2], w[3]}};
}

static void combine(size_t count, const double *weights, const double *nodes, double *out) {
    for (size_t i = 0; i < count; i++) {
        const double *w = weights + VERTEX_WIDTH * i;
        for (size_t k = 0; k < 3; k++) {
            out[3 * i + k] = w[0] * nodes[k] + w[1] * nodes[3 + k] + w[2] * nodes[6 + k] +
                             w[3] * nodes[9 + k];
        }
    }
}

void vertices_update(const struct nodes *nodes, const struct body *body) {
    if (vertices_are_nodes(body)) {
        return;
    }
    const struct vertices *own = &body->vertices;
    combine(body->vertex_count, own->weights, nodes->x + 3 * body->node_start, own->x);
    combine(body->vertex_count, own->weights, nodes->v + 3 * body->node_start, own->v);
}

void vertices_at_nodes(const struct body *body, const double *x, double *out) {
    combine(body->vertex_count, body->vertices.weights, x + 3 * body->node_start, out);
}

// --- from vertices to nodes ---

/// Computes means over the vertices: of the weights of nodes 1 to 3, and of the vectors.
static void means(const struct body *body, const double *xyz, double weight[3], double vector[3]) {
    const double share = 1.0 / (double)body->vertex_count;
    for (int k = 0; k < 3; k++) {
        weight[k] = 0.0;
        vector[k] = 0.0;
    }
    for (size_t i = 0; i < body->vertex_count; i++) {
        add_scaled3(weight, share, body->vertices.weights + VERTEX_WIDTH * i + 1, weight);
        add_scaled3(vector, share, xyz + 3 * i, vector);
    }
}

/// Fits the nodes to the vertices by least squares about the means. The 3 x 3 system is regular,
/// because the vertices enclose a volume.
static void fit(const struct body *body, const double *xyz, double nodes[12]) {
    double mean_weight[3];
    double mean[3];
    double square[9] = {0.0};  // sum of w w^T
    double product[9] = {0.0}; // sum of x w^T
    double inverse[9] = {0.0};
    double columns[9];
    means(body, xyz, mean_weight, mean);
    for (size_t i = 0; i < body->vertex_count; i++) {
        double w[3];
        double x[3];
        subtract3(body->vertices.weights + VERTEX_WIDTH * i + 1, mean_weight, w);
        subtract3(xyz + 3 * i, mean, x);
        for (int k = 0; k < 9; k++) {
            square[k] += w[k / 3] * w[k % 3];
            product[k] += x[k / 3] * w[k % 3];
        }
    }
    invert33(square, inverse);
    multiply33(product, inverse, columns);
    for (int k = 0; k < 3; k++) {
        nodes[k] = mean[k] - dot3(columns + 3 * k, mean_weight);
        for (int j = 0; j < 3; j++) {
            nodes[3 * (j + 1) + k] = columns[3 * k + j];
        }
    }
}

/// Returns PBS_ERROR_ARGUMENT if the fitted nodes miss a vertex by more than `tolerance`.
static pbs_status check_fit(const struct body *body, const double *xyz, const double nodes[12],
                            double tolerance, const char *name) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        double sum[3];
        double missed[3];
        combine(1, body->vertices.weights + VERTEX_WIDTH * i, nodes, sum);
        subtract3(sum, xyz + 3 * i, missed);
        if (!(norm3(missed) <= tolerance && isfinite(tolerance))) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of vertex %zu: %g from the nearest affine motion of the body, "
                               "can be %g at most",
                               name, i, norm3(missed), tolerance);
        }
    }
    return PBS_OK;
}

static double largest(const double *values, size_t count) {
    double result = 0.0;
    for (size_t i = 0; i < count; i++) {
        result = fmax(result, fabs(values[i]));
    }
    return result;
}

// Relative; rounding to single precision gives errors of 6e-8.
static const double fit_tolerance = 1e-6;

pbs_status vertices_set_positions(struct nodes *nodes, const struct body *body, const double *xyz) {
    double *x = nodes->x + 3 * body->node_start;
    if (vertices_are_nodes(body)) {
        memmove(x, xyz, 3 * body->vertex_count * sizeof *x);
        return PBS_OK;
    }
    double fitted[3 * VERTEX_WIDTH];
    fit(body, xyz, fitted);
    const double size = body->extent + largest(xyz, 3 * body->vertex_count);
    RETURN_IF_FAILED(check_fit(body, xyz, fitted, fit_tolerance * size, "positions"));
    if (!(determinant3(fitted + 3) > 0.0)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "positions are a flat or reflected image of the body");
    }
    RETURN_IF_FAILED(check_coordinates(fitted, 3 * VERTEX_WIDTH, "centre and handles of the body"));
    memcpy(x, fitted, sizeof fitted);
    vertices_update(nodes, body);
    return PBS_OK;
}

pbs_status vertices_set_velocities(struct nodes *nodes, const struct body *body,
                                   const double *xyz) {
    double *v = nodes->v + 3 * body->node_start;
    if (vertices_are_nodes(body)) {
        memmove(v, xyz, 3 * body->vertex_count * sizeof *v);
        return PBS_OK;
    }
    double fitted[3 * VERTEX_WIDTH];
    fit(body, xyz, fitted);
    const double size = largest(xyz, 3 * body->vertex_count);
    RETURN_IF_FAILED(check_fit(body, xyz, fitted, fit_tolerance * size, "velocities"));
    memcpy(v, fitted, sizeof fitted);
    vertices_update(nodes, body);
    return PBS_OK;
}

static bool replace(const double *values, size_t count, double *out) {
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        changed = changed || out[i] != values[i];
        out[i] = values[i];
    }
    return changed;
}

bool vertices_set_forces(struct nodes *nodes, const struct body *body, const double *xyz) {
    double *force = nodes->force + 3 * body->node_start;
    if (vertices_are_nodes(body)) {
        return replace(xyz, 3 * body->vertex_count, force);
    }
    double sums[3 * VERTEX_WIDTH] = {0.0};
    for (size_t i = 0; i < body->vertex_count; i++) {
        for (size_t k = 0; k < VERTEX_WIDTH; k++) {
            add_scaled3(sums + 3 * k, body->vertices.weights[VERTEX_WIDTH * i + k], xyz + 3 * i,
                        sums + 3 * k);
        }
    }
    return replace(sums, 3 * VERTEX_WIDTH, force);
}

// --- reading ---

void vertices_rest(const struct nodes *nodes, const struct body *body, size_t vertex,
                   double out[3]) {
    copy3(body->rest != NULL ? body->rest + 3 * vertex
                             : nodes->initial + 3 * (body->node_start + vertex),
          out);
}

const double *vertices_positions(const struct nodes *nodes, const struct body *body) {
    return vertices_are_nodes(body) ? nodes->x + 3 * body->node_start : body->vertices.x;
}

const double *vertices_velocities(const struct nodes *nodes, const struct body *body) {
    return vertices_are_nodes(body) ? nodes->v + 3 * body->node_start : body->vertices.v;
}

const double *vertices_masses(const struct nodes *nodes, const struct body *body) {
    return vertices_are_nodes(body) ? nodes->mass + body->node_start : body->vertices.mass;
}

const double *vertices_contact_forces(const struct nodes *nodes, const struct body *body) {
    return vertices_are_nodes(body) ? nodes->contact_force + 3 * body->node_start
                                    : body->vertices.contact_force;
}
