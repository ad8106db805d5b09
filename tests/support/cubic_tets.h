// A box of tetrahedra on a body-centred cubic lattice: every two centres of neighbouring cells and
// an edge of the square between them, four to a square; at the surface a centre and half a square.
#ifndef PBS_SUPPORT_CUBIC_TETS_H
#define PBS_SUPPORT_CUBIC_TETS_H

#include <stdlib.h>

#include "support/random.h"
#include "support/testing.h"

struct cubic_tets {
    size_t vertex_count, tet_count;
    double *vertices; ///< vertex_count x 3
    uint32_t *tets;   ///< tet_count x 4
};

static inline void cubic_tets_free(struct cubic_tets *mesh) {
    free(mesh->vertices);
    free(mesh->tets);
}

static inline uint32_t cubic_corner(const size_t n[3], size_t x, size_t y, size_t z) {
    return (uint32_t)((z * (n[1] + 1) + y) * (n[0] + 1) + x);
}

static inline void cubic_add(struct cubic_tets *mesh, const uint32_t v[4]) {
    double e[9];
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            e[3 * i + k] = mesh->vertices[3 * (size_t)v[i + 1] + k] -
                           mesh->vertices[3 * (size_t)v[0] + k];
        }
    }
    const double volume = e[0] * (e[4] * e[8] - e[5] * e[7]) - e[1] * (e[3] * e[8] - e[5] * e[6]) +
                          e[2] * (e[3] * e[7] - e[4] * e[6]);
    uint32_t *out = mesh->tets + 4 * mesh->tet_count++;
    out[0] = v[0];
    out[1] = v[1];
    out[2] = v[volume > 0.0 ? 2 : 3];
    out[3] = v[volume > 0.0 ? 3 : 2];
}

/// Those about the square of cell `at` across an axis, on its lower or upper side.
static inline void cubic_add_square(struct cubic_tets *mesh, const size_t n[3], const size_t at[3],
                                    size_t axis, size_t side, uint32_t first, uint32_t second) {
    const size_t a = (axis + 1) % 3;
    const size_t b = (axis + 2) % 3;
    uint32_t corner[4];
    static const size_t around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (size_t i = 0; i < 4; i++) {
        size_t p[3] = {at[0], at[1], at[2]};
        p[axis] += side;
        p[a] += around[i][0];
        p[b] += around[i][1];
        corner[i] = cubic_corner(n, p[0], p[1], p[2]);
    }
    for (size_t i = 0; i < 4 && second != UINT32_MAX; i++) {
        const uint32_t v[4] = {first, second, corner[i], corner[(i + 1) % 4]};
        cubic_add(mesh, v);
    }
    for (size_t i = 0; i < 4 && second == UINT32_MAX; i += 2) {
        const uint32_t v[4] = {first, corner[i], corner[i + 1], corner[(i + 2) % 4]};
        cubic_add(mesh, v);
    }
}

/// nx x ny x nz cells of side h, twelve tetrahedra each; jitter: of each vertex inside in each
/// direction, in parts of h.
static inline void cubic_tets_make(struct cubic_tets *mesh, size_t nx, size_t ny, size_t nz,
                                   double h, double jitter) {
    const size_t n[3] = {nx, ny, nz};
    const size_t stride[3] = {1, nx, nx * ny};
    const size_t corners = (nx + 1) * (ny + 1) * (nz + 1);
    struct random random = random_seed(11);
    *mesh = (struct cubic_tets){.vertex_count = corners + nx * ny * nz};
    mesh->vertices = calloc(3 * mesh->vertex_count, sizeof(double));
    mesh->tets = calloc(4 * 12 * nx * ny * nz, sizeof(uint32_t));
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const bool centre = i >= corners;
        const size_t at = centre ? i - corners : i;
        const size_t wide = centre ? 0 : 1;
        const size_t p[3] = {at % (nx + wide), at / (nx + wide) % (ny + wide),
                             at / ((nx + wide) * (ny + wide))};
        bool inside = true;
        for (size_t k = 0; k < 3; k++) {
            inside = inside && (centre || (p[k] > 0 && p[k] < n[k]));
        }
        for (size_t k = 0; k < 3; k++) {
            const double off = random_uniform(&random, -jitter, jitter);
            mesh->vertices[3 * i + k] = h * ((double)p[k] + (centre ? 0.5 : 0.0) +
                                             (inside ? off : 0.0));
        }
    }
    for (size_t i = 0; i < nx * ny * nz; i++) {
        const size_t at[3] = {i % nx, i / nx % ny, i / (nx * ny)};
        const uint32_t own = (uint32_t)(corners + i);
        for (size_t axis = 0; axis < 3; axis++) {
            const bool last = at[axis] + 1 == n[axis];
            cubic_add_square(mesh, n, at, axis, 1, own,
                             last ? UINT32_MAX : own + (uint32_t)stride[axis]);
            if (at[axis] == 0) {
                cubic_add_square(mesh, n, at, axis, 0, own, UINT32_MAX);
            }
        }
    }
}

#endif
