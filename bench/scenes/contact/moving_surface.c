// SPDX-License-Identifier: MIT
#include "scenes/contact/moving_surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "common/mesh_files/mesh_reader.h"
#include "scenes/random.h"

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    if (!block) {
        fprintf(stderr, "out of memory for %zu elements of a surface\n", count);
        exit(1);
    }
    return block;
}

/// Assigns new indices to the points of triangles; returns their number.
static size_t number_points(const struct surface_mesh *mesh, uint32_t *number) {
    size_t count = 0;
    memset(number, 0xff, mesh->vertex_count * sizeof *number);
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        number[mesh->triangles[i]] = 0;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (number[v] == 0) {
            number[v] = (uint32_t)count++;
        }
    }
    return count;
}

static int compare_edges(const void *a, const void *b) {
    const uint32_t *p = a;
    const uint32_t *q = b;
    const int first = (p[0] > q[0]) - (p[0] < q[0]);
    return first ? first : (p[1] > q[1]) - (p[1] < q[1]);
}

static void make_edges(struct moving_surface *s) {
    uint32_t *edges = allocate(3 * s->triangle_count, 2 * sizeof *edges);
    for (size_t i = 0; i < 3 * s->triangle_count; i++) {
        const uint32_t a = s->triangles[i];
        const uint32_t b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[2 * i] = a < b ? a : b;
        edges[2 * i + 1] = a < b ? b : a;
    }
    qsort(edges, 3 * s->triangle_count, 2 * sizeof *edges, compare_edges);
    for (size_t i = 0; i < 3 * s->triangle_count; i++) {
        const uint32_t *edge = edges + 2 * i;
        if (i == 0 || compare_edges(edge, edges + 2 * s->edge_count - 2) != 0) {
            memmove(edges + 2 * s->edge_count++, edge, 2 * sizeof *edges);
        }
    }
    s->edges = edges;
}

static double mean_edge(const struct moving_surface *s) {
    double sum = 0.0;
    for (size_t e = 0; e < s->edge_count; e++) {
        double d[3];
        subtract3(s->x + 3 * s->edges[2 * e], s->x + 3 * s->edges[2 * e + 1], d);
        sum += norm3(d);
    }
    return s->edge_count > 0 ? sum / (double)s->edge_count : 0.0;
}

void moving_surface_make(const struct surface_mesh *mesh, struct moving_surface *out) {
    uint32_t *number = allocate(mesh->vertex_count, sizeof *number);
    *out = (struct moving_surface){.point_count = number_points(mesh, number),
                                   .triangle_count = mesh->triangle_count};
    out->x = allocate(out->point_count, 3 * sizeof(double));
    out->step = allocate(out->point_count, 3 * sizeof(double));
    out->triangles = allocate(out->triangle_count, 3 * sizeof(uint32_t));
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (number[v] != UINT32_MAX) {
            copy3(mesh->positions + 3 * v, out->x + 3 * (size_t)number[v]);
        }
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        out->triangles[i] = number[mesh->triangles[i]];
    }
    free(number);
    make_edges(out);
    out->mean_edge = mean_edge(out);
}

void moving_surface_free(struct moving_surface *surface) {
    free(surface->x);
    free(surface->step);
    free(surface->edges);
    free(surface->triangles);
    *surface = (struct moving_surface){0};
}

bool moving_surface_read(const char *path, struct moving_surface *out) {
    struct surface_mesh mesh;
    struct mesh_report report;
    const struct mesh_read_options reading = {.drop_unused = true};
    if (!mesh_read_surface(path, &reading, &mesh, &report)) {
        return false;
    }
    moving_surface_make(&mesh, out);
    surface_mesh_free(&mesh);
    return true;
}

/// Draws a uniformly distributed direction, by rejection from the cube.
static void random_direction(uint64_t seed, size_t point, double u[3]) {
    double length = 0.0;
    for (uint64_t trial = 0; !(length > 0.1 && length <= 1.0); trial++) {
        for (size_t k = 0; k < 3; k++) {
            u[k] = noise((seed << 40) + 3 * (64 * (uint64_t)point + trial) + k);
        }
        length = norm3(u);
    }
    scale3(1.0 / length, u, u);
}

void moving_surface_shake(struct moving_surface *surface, double mean_edges, uint64_t seed) {
    for (size_t v = 0; v < surface->point_count; v++) {
        double u[3];
        random_direction(seed, v, u);
        scale3(mean_edges * surface->mean_edge, u, surface->step + 3 * v);
    }
}
