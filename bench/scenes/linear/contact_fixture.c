// Builds random contacts. The triangle of a contact is found by a random walk over a few edges, so
// that contacts are local as in simulations.
// SPDX-License-Identifier: MIT
#include "scenes/linear/contact_fixture.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "scenes/random.h"

enum { WALK = 4, TRIES = 1000 };

/// The triangles around each row, and the state of the random numbers.
struct surface {
    const struct fixture *fixture;
    uint32_t *start;    ///< row_count + 1
    uint32_t *triangle; ///< 3 x surface_count
    uint64_t counter;
};

static double uniform(struct surface *surface) {
    return 0.5 * (noise(0x300000000u + surface->counter++) + 1.0);
}

static uint32_t choose(struct surface *surface, size_t count) {
    return (uint32_t)(uniform(surface) * (double)count);
}

static void list_triangles(struct surface *surface) {
    const struct fixture *f = surface->fixture;
    uint32_t *start = surface->start;
    for (size_t i = 0; i < 3 * f->surface_count; i++) {
        start[f->surface[i] + 1]++;
    }
    for (uint32_t row = 0; row < f->matrix.row_count; row++) {
        start[row + 1] += start[row];
    }
    for (size_t i = 3 * f->surface_count; i-- > 0;) {
        surface->triangle[--start[f->surface[i] + 1]] = (uint32_t)(i / 3);
    }
    // Filling from the back has left each start one entry too far to the right.
    memmove(start, start + 1, f->matrix.row_count * sizeof *start);
    start[f->matrix.row_count] = (uint32_t)(3 * f->surface_count);
}

static const uint32_t *triangle_around(struct surface *surface, uint32_t row) {
    const uint32_t first = surface->start[row];
    const uint32_t pick = first + choose(surface, surface->start[row + 1] - first);
    return surface->fixture->surface + 3 * (size_t)surface->triangle[pick];
}

static bool is_coupled(const struct bsr *a, uint32_t i, uint32_t j) {
    return bsr_find(a, i < j ? i : j, i < j ? j : i) != SIZE_MAX;
}

/// Draws one contact. Returns false if the walk ended at a constrained node or a neighbour of the
/// point.
static bool try_stencil(struct surface *surface, uint32_t row[4]) {
    const struct fixture *f = surface->fixture;
    row[0] = f->surface[choose(surface, 3 * f->surface_count)];
    uint32_t at = row[0];
    for (int i = 0; i < WALK; i++) {
        at = triangle_around(surface, at)[choose(surface, 3)];
    }
    memcpy(row + 1, triangle_around(surface, at), 3 * sizeof *row);
    for (int i = 0; i < 4; i++) {
        if (f->held[row[i]] || (i > 0 && is_coupled(&f->matrix, row[0], row[i]))) {
            return false;
        }
    }
    return true;
}

/// block = k v v^T with v = (n, -w1 n, -w2 n, -w3 n).
static void fill_block(struct surface *surface, double stiffness, double block[144]) {
    double weight[4] = {1.0, -uniform(surface), -uniform(surface), 0.0};
    if (weight[1] + weight[2] < -1.0) {
        weight[1] = -1.0 - weight[1];
        weight[2] = -1.0 - weight[2];
    }
    weight[3] = -1.0 - weight[1] - weight[2];
    double normal[3];
    double length = 0.0;
    while (!(length > 0.1 && length <= 1.0)) {
        for (int i = 0; i < 3; i++) {
            normal[i] = 2.0 * uniform(surface) - 1.0;
        }
        length = norm3(normal);
    }
    for (int i = 0; i < 144; i++) {
        const double row = weight[i / 36] * normal[i / 12 % 3] / length;
        const double column = weight[i % 12 / 3] * normal[i % 3] / length;
        block[i] = stiffness * (row * column); // this order of multiplication keeps the block
                                               // exactly symmetric
    }
}

static double mean_diagonal(const struct fixture *f) {
    double sum = 0.0;
    size_t count = 0;
    for (uint32_t row = 0; row < f->matrix.row_count; row++) {
        const double *block = f->matrix.values + 9 * (size_t)f->matrix.row_start[row];
        if (!f->held[row]) {
            sum += block[0] + block[4] + block[8];
            count += 3;
        }
    }
    return sum / (double)count;
}

static pbs_status place_stencils(struct surface *surface, const struct contact_fixture_desc *desc,
                                 struct contact_fixture *out) {
    const double unit = mean_diagonal(surface->fixture);
    for (size_t s = 0; s < out->count; s++) {
        int tries = 0;
        while (!try_stencil(surface, out->rows + 4 * s)) {
            if (++tries == TRIES) {
                return status_fail(PBS_ERROR_ARGUMENT, "no room on the surface for contact %zu", s);
            }
        }
        const double stiffness = desc->least * pow(desc->most / desc->least, uniform(surface));
        fill_block(surface, unit * stiffness, out->blocks + 144 * s);
    }
    return PBS_OK;
}

static pbs_status build_on(struct memory *memory, struct surface *surface,
                           const struct contact_fixture_desc *desc, struct contact_fixture *out) {
    const struct fixture *f = surface->fixture;
    surface->start = memory_allocate(memory, (size_t)f->matrix.row_count + 1, sizeof(uint32_t));
    surface->triangle = memory_allocate(memory, 3 * f->surface_count, sizeof(uint32_t));
    out->rows = memory_allocate(memory, 4 * out->count, sizeof *out->rows);
    out->blocks = memory_allocate(memory, 144 * out->count, sizeof *out->blocks);
    if (!surface->start || !surface->triangle || !out->rows || !out->blocks) {
        return PBS_ERROR_MEMORY;
    }
    list_triangles(surface);
    RETURN_IF_FAILED(place_stencils(surface, desc, out));
    out->set = (struct contact_stencils){out->count, 4, out->rows, out->blocks};
    return contact_matrix_build(memory, f->matrix.layout, &out->set, 1, &out->matrix);
}

pbs_status contact_fixture_build(struct memory *memory, const struct fixture *fixture,
                                 const struct contact_fixture_desc *desc,
                                 struct contact_fixture *out) {
    *out = (struct contact_fixture){
        .count = (size_t)round(desc->density * fixture->matrix.row_count)};
    struct surface surface = {.fixture = fixture};
    const pbs_status status = build_on(memory, &surface, desc, out);
    memory_release(memory, surface.start);
    memory_release(memory, surface.triangle);
    if (status != PBS_OK) {
        contact_fixture_free(memory, out);
    }
    return status;
}

void contact_fixture_free(struct memory *memory, struct contact_fixture *contacts) {
    memory_release(memory, contacts->rows);
    memory_release(memory, contacts->blocks);
    contact_matrix_free(memory, &contacts->matrix);
    *contacts = (struct contact_fixture){0};
}
