// Boxes of tetrahedra on a body-centred cubic lattice, and jitter, for meshes whose faces are to
// show no planes along which they could break. See shapes.h.
// SPDX-License-Identifier: MIT

#include "common/meshes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/// Uniform in [-1, 1), from a seed and a counter (SplitMix64).
static double noise(uint64_t seed, uint64_t counter) {
    uint64_t z = seed * 0xda942042e4dd58b5u + (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

// --- Boxes ---

static uint32_t corner_at(const size_t n[3], const size_t p[3]) {
    return (uint32_t)((p[2] * (n[1] + 1) + p[1]) * (n[0] + 1) + p[0]);
}

static void add(struct tet_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const size_t tet = mesh->tet_count++;
    uint32_t *v = mesh->tets + 4 * tet;
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
    if (tet_volume(mesh, tet) < 0.0) {
        v[2] = d;
        v[3] = c;
    }
}

/// Those about the square of cell `at` across an axis, on its lower or upper side, between two
/// centres; other: NONE at the surface.
static void add_square(struct tet_mesh *mesh, const size_t n[3], const size_t at[3], size_t axis,
                       size_t side, uint32_t own, uint32_t other) {
    static const size_t around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    uint32_t corner[4];
    for (size_t i = 0; i < 4; i++) {
        size_t p[3] = {at[0], at[1], at[2]};
        p[axis] += side;
        p[(axis + 1) % 3] += around[i][0];
        p[(axis + 2) % 3] += around[i][1];
        corner[i] = corner_at(n, p);
    }
    for (size_t i = 0; i < 4 && other != NONE; i++) {
        add(mesh, own, other, corner[i], corner[(i + 1) % 4]);
    }
    for (size_t i = 0; i < 4 && other == NONE; i += 2) {
        add(mesh, own, corner[i], corner[i + 1], corner[(i + 2) % 4]);
    }
}

static void place(struct tet_mesh *mesh, const size_t n[3], size_t corners, double spacing,
                  double jitter, uint64_t seed) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const bool centre = i >= corners;
        const size_t at = centre ? i - corners : i;
        const size_t wide = centre ? 0 : 1;
        const size_t p[3] = {at % (n[0] + wide), at / (n[0] + wide) % (n[1] + wide),
                             at / ((n[0] + wide) * (n[1] + wide))};
        bool inside = true;
        for (size_t k = 0; k < 3; k++) {
            inside = inside && (centre || (p[k] > 0 && p[k] < n[k]));
        }
        for (size_t k = 0; k < 3; k++) {
            const double off = (centre ? 0.5 : 0.0) +
                               (inside ? jitter * noise(seed, 3 * i + k) : 0.0);
            mesh->positions[3 * i + k] = spacing * ((double)p[k] + off);
        }
    }
}

bool shape_box_lattice(const size_t cells[3], double spacing, double jitter, uint64_t seed,
                       struct tet_mesh *out) {
    const size_t *n = cells;
    const size_t stride[3] = {1, n[0], n[0] * n[1]};
    const size_t count = n[0] * n[1] * n[2];
    const size_t corners = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    *out = (struct tet_mesh){.vertex_count = corners + count,
                             .positions = calloc(3 * (corners + count), sizeof(double)),
                             .tets = calloc(4 * 12 * count + 1, sizeof(uint32_t))};
    if (out->positions == NULL || out->tets == NULL || count == 0) {
        tet_mesh_free(out);
        return false;
    }
    place(out, n, corners, spacing, jitter, seed);
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % n[0], i / n[0] % n[1], i / stride[2]};
        const uint32_t own = (uint32_t)(corners + i);
        for (size_t axis = 0; axis < 3; axis++) {
            const bool last = at[axis] + 1 == n[axis];
            add_square(out, n, at, axis, 1, own, last ? NONE : own + (uint32_t)stride[axis]);
            if (at[axis] == 0) {
                add_square(out, n, at, axis, 0, own, NONE);
            }
        }
    }
    return true;
}

// --- Jitter ---

/// The tetrahedra of each vertex.
struct vertex_tets {
    size_t *first; ///< vertex_count + 1
    uint32_t *tets;
};

static bool list_tets(const struct tet_mesh *mesh, struct vertex_tets *out) {
    out->first = calloc(mesh->vertex_count + 2, sizeof *out->first);
    out->tets = malloc((4 * mesh->tet_count + 1) * sizeof *out->tets);
    if (out->first == NULL || out->tets == NULL) {
        return false;
    }
    for (size_t i = 0; i < 4 * mesh->tet_count; i++) {
        out->first[mesh->tets[i] + 2]++;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        out->first[v + 2] += out->first[v + 1];
    }
    for (size_t i = 0; i < 4 * mesh->tet_count; i++) {
        out->tets[out->first[mesh->tets[i] + 1]++] = (uint32_t)(i / 4);
    }
    return true;
}

/// The shortest edge at a vertex, and the least volume of its tetrahedra.
static double shortest_edge(const struct tet_mesh *mesh, const struct vertex_tets *around,
                            size_t vertex) {
    double shortest = INFINITY;
    for (size_t i = around->first[vertex]; i < around->first[vertex + 1]; i++) {
        for (size_t k = 0; k < 4; k++) {
            const size_t other = mesh->tets[4 * (size_t)around->tets[i] + k];
            const double *a = mesh->positions + 3 * vertex, *b = mesh->positions + 3 * other;
            const double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            shortest = other != vertex ? fmin(shortest, length) : shortest;
        }
    }
    return shortest;
}

/// The least volume over what it was before, of a vertex's tetrahedra.
static double least_share(const struct tet_mesh *mesh, const struct vertex_tets *around,
                          size_t vertex, const double *volumes) {
    double least = INFINITY;
    for (size_t i = around->first[vertex]; i < around->first[vertex + 1]; i++) {
        const size_t tet = around->tets[i];
        least = fmin(least, tet_volume(mesh, tet) / volumes[tet]);
    }
    return least;
}

static void move_vertex(struct tet_mesh *mesh, const struct vertex_tets *around, size_t vertex,
                        double fraction, uint64_t seed, const double *volumes) {
    double *x = mesh->positions + 3 * vertex;
    const double before[3] = {x[0], x[1], x[2]};
    const double reach = fraction * shortest_edge(mesh, around, vertex);
    for (size_t k = 0; k < 3; k++) {
        x[k] += reach * noise(seed, 3 * vertex + k);
    }
    // Slivers would be stiff, and break at once.
    if (least_share(mesh, around, vertex, volumes) < 0.3) {
        memcpy(x, before, sizeof before);
    }
}

bool tet_mesh_jitter(struct tet_mesh *mesh, double fraction, uint64_t seed) {
    struct vertex_tets around = {0};
    uint32_t *boundary = NULL;
    size_t boundary_count = 0;
    bool *outside = calloc(mesh->vertex_count + 1, sizeof *outside);
    double *volumes = malloc((mesh->tet_count + 1) * sizeof *volumes);
    const bool made = outside != NULL && volumes != NULL && list_tets(mesh, &around) &&
                      tet_mesh_boundary(mesh, &boundary, &boundary_count);
    for (size_t i = 0; made && i < 3 * boundary_count; i++) {
        outside[boundary[i]] = true;
    }
    for (size_t t = 0; made && t < mesh->tet_count; t++) {
        volumes[t] = tet_volume(mesh, t);
    }
    for (size_t v = 0; made && v < mesh->vertex_count; v++) {
        if (!outside[v] && around.first[v] < around.first[v + 1]) {
            move_vertex(mesh, &around, v, fraction, seed, volumes);
        }
    }
    free(around.first);
    free(around.tets);
    free(boundary);
    free(outside);
    free(volumes);
    return made;
}
