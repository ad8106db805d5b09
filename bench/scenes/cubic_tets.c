// See cubic_tets.h. Corners of cells are numbered first, then their centres.
#include "scenes/cubic_tets.h"

#include <stdlib.h>

#include "scenes/random.h"

#define NONE UINT32_MAX

static uint32_t corner_at(const size_t n[3], const size_t p[3]) {
    return (uint32_t)((p[2] * (n[1] + 1) + p[1]) * (n[0] + 1) + p[0]);
}

static double volume_of(const double *vertices, const uint32_t v[4]) {
    double e[9];
    for (size_t i = 0; i < 9; i++) {
        e[i] = vertices[3 * (size_t)v[i / 3 + 1] + i % 3] - vertices[3 * (size_t)v[0] + i % 3];
    }
    return e[0] * (e[4] * e[8] - e[5] * e[7]) - e[1] * (e[3] * e[8] - e[5] * e[6]) +
           e[2] * (e[3] * e[7] - e[4] * e[6]);
}

static void add(struct cubic_tets *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t v[4] = {a, b, c, d};
    const bool positive = volume_of(mesh->vertices, v) > 0.0;
    uint32_t *out = mesh->tets + 4 * mesh->tet_count++;
    out[0] = a;
    out[1] = b;
    out[2] = positive ? c : d;
    out[3] = positive ? d : c;
}

/// Those about the square of cell `at` across an axis, on its lower or upper side, between two
/// centres; other: NONE at the surface.
static void add_square(struct cubic_tets *mesh, const size_t n[3], const size_t at[3], size_t axis,
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

static void place(struct cubic_tets *mesh, const size_t n[3], size_t corners, double h,
                  double jitter) {
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
            const double off = (centre ? 0.5 : 0.0) + (inside ? jitter * noise(3 * i + k) : 0.0);
            mesh->vertices[3 * i + k] = h * ((double)p[k] + off);
        }
    }
}

bool cubic_tets_make(struct cubic_tets *mesh, const size_t cells[3], double h, double jitter) {
    const size_t *n = cells;
    const size_t stride[3] = {1, n[0], n[0] * n[1]};
    const size_t count = n[0] * n[1] * n[2];
    const size_t corners = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    *mesh = (struct cubic_tets){.vertex_count = corners + count};
    mesh->vertices = calloc(3 * mesh->vertex_count, sizeof(double));
    mesh->tets = calloc(4 * 12 * count, sizeof(uint32_t));
    if (mesh->vertices == NULL || mesh->tets == NULL) {
        cubic_tets_free(mesh);
        return false;
    }
    place(mesh, n, corners, h, jitter);
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % n[0], i / n[0] % n[1], i / stride[2]};
        const uint32_t own = (uint32_t)(corners + i);
        for (size_t axis = 0; axis < 3; axis++) {
            const bool last = at[axis] + 1 == n[axis];
            add_square(mesh, n, at, axis, 1, own, last ? NONE : own + (uint32_t)stride[axis]);
            if (at[axis] == 0) {
                add_square(mesh, n, at, axis, 0, own, NONE);
            }
        }
    }
    return true;
}

void cubic_tets_free(struct cubic_tets *mesh) {
    free(mesh->vertices);
    free(mesh->tets);
    *mesh = (struct cubic_tets){0};
}
