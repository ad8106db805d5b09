// See deformation_gradients.h.
// SPDX-License-Identifier: MIT
#include "geometry/embedding/deformation_gradients.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// --- the rest shape ---

/// A unit normal; zero of a triangle without area.
static void unit_normal(const double ab[3], const double ac[3], double out[3]) {
    cross3(ab, ac, out);
    const double area = norm3(out);
    scale3(area > 0.0 ? 1.0 / area : 0.0, out, out);
}

/// Of the edges of element e from its first corner; six times its volume, or twice its area.
static double invert_rest(const struct simplex_mesh *rest, uint32_t e, double inverse[9]) {
    uint32_t v[SIMPLEX_CORNERS];
    double edge[3][3] = {{0.0}};
    double matrix[9];
    simplex_corners(rest, e, v);
    for (int k = 1; k < rest->width; k++) {
        subtract3(rest->x + 3 * (size_t)v[k], rest->x + 3 * (size_t)v[0], edge[k - 1]);
    }
    if (rest->width == 3) {
        unit_normal(edge[0], edge[1], edge[2]);
    }
    for (int k = 0; k < 9; k++) {
        matrix[k] = edge[k % 3][k / 3];
        inverse[k] = 0.0;
    }
    return fabs(invert33(matrix, inverse));
}

static void count_elements(struct deformation_gradients *g) {
    const size_t corner_count = g->element_count * (size_t)g->width;
    for (size_t i = 0; i < corner_count; i++) {
        g->start[g->corners[i] + 1]++;
    }
    for (size_t v = 0; v < g->vertex_count; v++) {
        g->start[v + 1] += g->start[v];
    }
}

/// Fills the lists, whose starts are then one list too far, and puts the starts back.
static void list_elements(struct deformation_gradients *g, const double *sizes) {
    const size_t width = (size_t)g->width;
    for (size_t i = 0; i < g->element_count * width; i++) {
        const uint32_t at = g->start[g->corners[i]]++;
        g->around[at] = (uint32_t)(i / width);
        g->shares[at] = sizes[i / width];
    }
    memmove(g->start + 1, g->start, g->vertex_count * sizeof *g->start);
    g->start[0] = 0;
}

static void normalise_shares(struct deformation_gradients *g) {
    for (size_t v = 0; v < g->vertex_count; v++) {
        double sum = 0.0;
        for (uint32_t i = g->start[v]; i < g->start[v + 1]; i++) {
            sum += g->shares[i];
        }
        for (uint32_t i = g->start[v]; i < g->start[v + 1] && sum > 0.0; i++) {
            g->shares[i] /= sum;
        }
    }
}

static pbs_status fill(struct memory *memory, const struct simplex_mesh *rest,
                       struct deformation_gradients *g) {
    const size_t corner_count = g->element_count * (size_t)g->width;
    double *sizes = memory_allocate(memory, g->element_count, sizeof *sizes);
    g->corners = memory_copy(memory, rest->corners, corner_count, sizeof *g->corners);
    g->inverse = memory_allocate(memory, g->element_count, 9 * sizeof *g->inverse);
    g->elements = memory_allocate(memory, g->element_count, GRADIENT_ROW * sizeof *g->elements);
    g->start = memory_allocate(memory, g->vertex_count + 1, sizeof *g->start);
    g->around = memory_allocate(memory, corner_count, sizeof *g->around);
    g->shares = memory_allocate(memory, corner_count, sizeof *g->shares);
    const bool is_whole = sizes != NULL && g->corners != NULL && g->inverse != NULL &&
                          g->elements != NULL && g->start != NULL && g->around != NULL &&
                          g->shares != NULL;
    for (size_t e = 0; is_whole && e < g->element_count; e++) {
        sizes[e] = invert_rest(rest, (uint32_t)e, g->inverse + 9 * e);
    }
    if (is_whole) {
        count_elements(g);
        list_elements(g, sizes);
        normalise_shares(g);
    }
    memory_release(memory, sizes);
    return is_whole ? PBS_OK : PBS_ERROR_MEMORY;
}

pbs_status deformation_gradients_begin(struct memory *memory, const struct simplex_mesh *rest,
                                       struct deformation_gradients *out) {
    *out = (struct deformation_gradients){
        .width = rest->width, .element_count = rest->count, .vertex_count = rest->vertex_count};
    const pbs_status status = fill(memory, rest, out);
    if (status < 0) {
        deformation_gradients_free(memory, out);
    }
    return status;
}

void deformation_gradients_free(struct memory *memory, struct deformation_gradients *gradients) {
    memory_release(memory, gradients->corners);
    memory_release(memory, gradients->inverse);
    memory_release(memory, gradients->elements);
    memory_release(memory, gradients->start);
    memory_release(memory, gradients->around);
    memory_release(memory, gradients->shares);
    *gradients = (struct deformation_gradients){0};
}

// --- the present one ---

/// F = [edges] [rest edges]^-1, column by column.
PBS_MULTIVERSION
static void update_elements(struct deformation_gradients *g, const double *places) {
    for (size_t e = 0; e < g->element_count; e++) {
        const uint32_t *v = g->corners + (size_t)g->width * e;
        const double *first = places + PLACE_ROW * (size_t)v[0];
        const double *inverse = g->inverse + 9 * e;
        double edge[3][PLACE_ROW] = {{0.0}};
        for (int k = 1; k < g->width; k++) {
            const double *other = places + PLACE_ROW * (size_t)v[k];
            for (int i = 0; i < PLACE_ROW; i++) {
                edge[k - 1][i] = other[i] - first[i];
            }
        }
        if (g->width == 3) {
            unit_normal(edge[0], edge[1], edge[2]);
        }
        double *out = g->elements + GRADIENT_ROW * e;
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < PLACE_ROW; i++) {
                out[PLACE_ROW * j + i] = edge[0][i] * inverse[j] + edge[1][i] * inverse[3 + j] +
                                         edge[2][i] * inverse[6 + j];
            }
        }
    }
}

PBS_MULTIVERSION
static void average_elements(const struct deformation_gradients *g, double *out) {
    for (size_t v = 0; v < g->vertex_count; v++) {
        double sum[GRADIENT_ROW] = {0.0};
        for (uint32_t i = g->start[v]; i < g->start[v + 1]; i++) {
            const double *element = g->elements + GRADIENT_ROW * (size_t)g->around[i];
            for (int k = 0; k < GRADIENT_ROW; k++) {
                sum[k] += g->shares[i] * element[k];
            }
        }
        memcpy(out + GRADIENT_ROW * v, sum, sizeof sum);
    }
}

void deformation_gradients_update(struct deformation_gradients *gradients, const double *places,
                                  double *out) {
    update_elements(gradients, places);
    average_elements(gradients, out);
}
