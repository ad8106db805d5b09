// The integrals are those of Tonon 2004, "Explicit exact formulas for the 3-D tetrahedron inertia
// tensor", summed over signed tetrahedra.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/mass_properties.h"

#include <math.h>

#include "base/matrix3/math3.h"

// Smallest volume relative to the extent cubed. Rounding of the coordinates of a flat surface gives
// about 1e-16.
static const double least_volume = 1e-14;

// --- checks ---

static pbs_status check_triangle(const struct surface_view *surface, size_t triangle) {
    const uint32_t *v = surface->triangles + 3 * triangle;
    for (int i = 0; i < 3; i++) {
        if (v[i] >= surface->vertex_count) {
            return status_fail(PBS_ERROR_MESH, "triangle %zu: vertex index %u, must be below %zu",
                               triangle, (unsigned)v[i], surface->vertex_count);
        }
        if (v[i] == v[(i + 1) % 3]) {
            return status_fail(PBS_ERROR_MESH,
                               "triangle %zu: vertex %u twice, must have three vertices", triangle,
                               (unsigned)v[i]);
        }
    }
    return PBS_OK;
}

static pbs_status check_positions(const struct surface_view *surface) {
    for (size_t i = 0; i < 3 * surface->vertex_count; i++) {
        if (!isfinite(surface->positions[i])) {
            return status_fail(PBS_ERROR_MESH, "vertex %zu: %c is %g, must be finite", i / 3,
                               "xyz"[i % 3], surface -> positions[i]);
        }
    }
    return PBS_OK;
}

/// Half edge h runs from corner h % 3 of triangle h / 3 to the next.
struct edge_table {
    size_t count;
    uint32_t *order, *other; ///< count: half edges in sorted order, and the buffer they are sorted
                             ///< into
    size_t *start;           ///< vertex_count + 1
};

static uint32_t edge_end(const struct surface_view *surface, size_t half_edge, size_t end) {
    return surface->triangles[half_edge / 3 * 3 + (half_edge + end) % 3];
}

static uint32_t lower_end(const struct surface_view *surface, size_t half_edge) {
    const uint32_t a = edge_end(surface, half_edge, 0);
    const uint32_t b = edge_end(surface, half_edge, 1);
    return a < b ? a : b;
}

static uint32_t upper_end(const struct surface_view *surface, size_t half_edge) {
    const uint32_t a = edge_end(surface, half_edge, 0);
    const uint32_t b = edge_end(surface, half_edge, 1);
    return a < b ? b : a;
}

/// Sorts by a key with one stable counting pass.
static void sort_by(const struct surface_view *surface, struct edge_table *table,
                    uint32_t (*key)(const struct surface_view *, size_t)) {
    size_t *start = table->start;
    for (size_t i = 0; i <= surface->vertex_count; i++) {
        start[i] = 0;
    }
    for (size_t h = 0; h < table->count; h++) {
        start[(size_t)key(surface, h) + 1]++;
    }
    for (size_t i = 0; i < surface->vertex_count; i++) {
        start[i + 1] += start[i];
    }
    for (size_t i = 0; i < table->count; i++) {
        const uint32_t half_edge = table->order[i];
        table->other[start[key(surface, half_edge)]++] = half_edge;
    }
    uint32_t *sorted = table->other;
    table->other = table->order;
    table->order = sorted;
}

/// Checks the half edges order[begin .. end), which connect the same two vertices.
static pbs_status check_edge(const struct surface_view *surface, const uint32_t *order,
                             size_t begin, size_t end) {
    const uint32_t first = order[begin];
    size_t forward = 0;
    for (size_t i = begin; i < end; i++) {
        forward += edge_end(surface, order[i], 0) == edge_end(surface, first, 0);
    }
    if (2 * forward == end - begin) {
        return PBS_OK;
    }
    if (end - begin == 1) {
        return status_fail(PBS_ERROR_MESH,
                           "triangle %u: its edge from vertex %u to %u has no other triangle; the "
                           "surface must be closed, with one vertex at each place",
                           (unsigned)(first / 3), (unsigned)edge_end(surface, first, 0),
                           (unsigned)edge_end(surface, first, 1));
    }
    return status_fail(PBS_ERROR_MESH,
                       "triangle %u: of the triangles at its edge from vertex %u to %u, %zu run "
                       "this way and %zu the other, must be as many; all triangles must be "
                       "counterclockwise seen from outside",
                       (unsigned)(first / 3), (unsigned)edge_end(surface, first, 0),
                       (unsigned)edge_end(surface, first, 1), forward, end - begin - forward);
}

static pbs_status check_edges(const struct surface_view *surface, struct edge_table *table) {
    for (size_t h = 0; h < table->count; h++) {
        table->order[h] = (uint32_t)h;
    }
    sort_by(surface, table, upper_end);
    sort_by(surface, table, lower_end);
    for (size_t i = 0, end; i < table->count; i = end) {
        const uint32_t first = table->order[i];
        for (end = i + 1; end < table->count; end++) {
            if (lower_end(surface, table->order[end]) != lower_end(surface, first) ||
                upper_end(surface, table->order[end]) != upper_end(surface, first)) {
                break;
            }
        }
        RETURN_IF_FAILED(check_edge(surface, table->order, i, end));
    }
    return PBS_OK;
}

pbs_status surface_check_closed(const struct surface_view *surface, struct memory *memory) {
    if (surface->triangle_count > UINT32_MAX / 3) {
        return status_fail(PBS_ERROR_MESH, "%zu triangles, can be %u at most",
                           surface->triangle_count, (unsigned)(UINT32_MAX / 3));
    }
    RETURN_IF_FAILED(check_positions(surface));
    for (size_t t = 0; t < surface->triangle_count; t++) {
        RETURN_IF_FAILED(check_triangle(surface, t));
    }
    struct edge_table table = {.count = 3 * surface->triangle_count};
    table.order = memory_allocate(memory, table.count, sizeof *table.order);
    table.other = memory_allocate(memory, table.count, sizeof *table.other);
    table.start = memory_allocate(memory, surface->vertex_count + 1, sizeof *table.start);
    pbs_status status = PBS_ERROR_MEMORY;
    if (table.order != NULL && table.other != NULL && table.start != NULL) {
        status = check_edges(surface, &table);
    }
    memory_release(memory, table.order);
    memory_release(memory, table.other);
    memory_release(memory, table.start);
    return status;
}

// --- integrals ---

/// Computes the corners of a triangle relative to a point. Returns the signed volume of the
/// tetrahedron that they span with it.
static double corners_from(const struct surface_view *surface, size_t triangle,
                           const double point[3], double corner[3][3]) {
    const uint32_t *v = surface->triangles + 3 * triangle;
    double normal[3];
    for (int i = 0; i < 3; i++) {
        subtract3(surface->positions + 3 * (size_t)v[i], point, corner[i]);
    }
    cross3(corner[1], corner[2], normal);
    return dot3(corner[0], normal) / 6.0;
}

/// Computes the centre of the surface's bounding box, relative to which there is little
/// cancellation. Returns its diagonal.
static double middle(const struct surface_view *surface, double out[3]) {
    double extent[3];
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY;
        double high = -INFINITY;
        for (size_t i = 0; i < 3 * surface->triangle_count; i++) {
            const double x = surface->positions[3 * (size_t)surface->triangles[i] + k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        out[k] = 0.5 * low + 0.5 * high;
        extent[k] = high - low;
    }
    return norm3(extent);
}

static pbs_status check_volume(double volume, double extent) {
    const double least = least_volume * extent * extent * extent;
    if (volume < -least) {
        return status_fail(PBS_ERROR_MESH,
                           "the surface encloses %g m^3, must be positive: its triangles run "
                           "clockwise seen from outside",
                           volume);
    }
    if (!(volume > least) || !isnormal(volume)) {
        return status_fail(PBS_ERROR_MESH, "the surface encloses %g m^3, must be above %g m^3",
                           volume, least);
    }
    return PBS_OK;
}

/// Adds the integral of y over a tetrahedron with one corner at zero: V/4 (a + b + c).
static void add_first_moment(double volume, double corner[3][3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] += 0.25 * volume * (corner[0][k] + corner[1][k] + corner[2][k]);
    }
}

/// Adds the integral of y y^T: V/20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c.
static void add_second_moment(double volume, double corner[3][3], double out[9]) {
    for (int i = 0; i < 3; i++) {
        const double sum_i = corner[0][i] + corner[1][i] + corner[2][i];
        for (int j = 0; j < 3; j++) {
            double sum = sum_i * (corner[0][j] + corner[1][j] + corner[2][j]);
            for (int a = 0; a < 3; a++) {
                sum += corner[a][i] * corner[a][j];
            }
            out[3 * i + j] += 0.05 * volume * sum;
        }
    }
}

pbs_status mass_properties_compute(const struct surface_view *surface,
                                   struct mass_properties *out) {
    double point[3];
    double corner[3][3];
    double first[3] = {0.0, 0.0, 0.0};
    const double extent = middle(surface, point);
    *out = (struct mass_properties){0};
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const double volume = corners_from(surface, t, point, corner);
        out->volume += volume;
        add_first_moment(volume, corner, first);
    }
    RETURN_IF_FAILED(check_volume(out->volume, extent));
    add_scaled3(point, 1.0 / out->volume, first, out->center);
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const double volume = corners_from(surface, t, out->center, corner);
        add_second_moment(volume, corner, out->moments);
    }
    return PBS_OK;
}
