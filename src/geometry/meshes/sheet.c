// Edges are found by a radix sort on their vertices, in time linear in the size of the mesh for any
// connectivity.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/sheet.h"

#include "base/matrix3/math3.h"

// Smallest area relative to the triangle's longest edge squared; below it a triangle counts as
// degenerate. Rounding of coordinates gives 1e-16, usable slivers have at least 1e-4.
static const double degenerate_area = 1e-8;

static void triangle_edges(const struct surface_view *sheet, size_t triangle, double edge[3][3]) {
    const uint32_t *v = sheet->triangles + 3 * triangle;
    for (int i = 0; i < 3; i++) {
        subtract3(sheet->positions + 3 * (size_t)v[(i + 1) % 3],
                  sheet->positions + 3 * (size_t)v[i], edge[i]);
    }
}

double sheet_triangle_area(const struct surface_view *sheet, size_t triangle) {
    double edge[3][3];
    double normal[3];
    triangle_edges(sheet, triangle, edge);
    cross3(edge[0], edge[1], normal);
    return 0.5 * norm3(normal);
}

// --- checks ---

static pbs_status check_sizes(const struct surface_view *sheet) {
    if (sheet->vertex_count == 0 || sheet->triangle_count == 0) {
        return status_fail(PBS_ERROR_MESH, "mesh of %zu vertices and %zu triangles is empty",
                           sheet->vertex_count, sheet->triangle_count);
    }
    // Sides have 32-bit indices.
    if (sheet->vertex_count > UINT32_MAX || sheet->triangle_count > UINT32_MAX / 3) {
        return status_fail(
            PBS_ERROR_MESH, "mesh of %zu vertices and %zu triangles, must be at most %zu and %zu",
            sheet->vertex_count, sheet->triangle_count, (size_t)UINT32_MAX, (size_t)UINT32_MAX / 3);
    }
    return PBS_OK;
}

static pbs_status check_positions(const struct surface_view *sheet) {
    for (size_t i = 0; i < sheet->vertex_count; i++) {
        const double *x = sheet->positions + 3 * i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            return status_fail(PBS_ERROR_MESH, "vertex %zu: position (%g, %g, %g), must be finite",
                               i, x[0], x[1], x[2]);
        }
    }
    return PBS_OK;
}

static pbs_status check_indices(const struct surface_view *sheet, size_t triangle) {
    const uint32_t *v = sheet->triangles + 3 * triangle;
    for (int i = 0; i < 3; i++) {
        if (v[i] >= sheet->vertex_count) {
            return status_fail(PBS_ERROR_MESH, "triangle %zu: vertex index %u, must be below %zu",
                               triangle, (unsigned)v[i], sheet->vertex_count);
        }
        for (int j = 0; j < i; j++) {
            if (v[i] == v[j]) {
                return status_fail(PBS_ERROR_MESH,
                                   "triangle %zu: vertex %u twice, must have three vertices",
                                   triangle, (unsigned)v[i]);
            }
        }
    }
    return PBS_OK;
}

static pbs_status check_area(const struct surface_view *sheet, size_t triangle) {
    double edge[3][3];
    triangle_edges(sheet, triangle, edge);
    const double longest = fmax(norm3(edge[0]), fmax(norm3(edge[1]), norm3(edge[2])));
    const double area = sheet_triangle_area(sheet, triangle);
    const double least = degenerate_area * longest * longest;
    // Also rejects NaN.
    if (!(area > least)) {
        return status_fail(PBS_ERROR_MESH,
                           "triangle %zu: rest area %g m^2 is degenerate, must be above %g m^2 (%g "
                           "of its longest edge squared)",
                           triangle, area, least, degenerate_area);
    }
    return PBS_OK;
}

static pbs_status check_triangles(const struct surface_view *sheet, uint8_t *used) {
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        RETURN_IF_FAILED(check_indices(sheet, t));
        RETURN_IF_FAILED(check_area(sheet, t));
        for (size_t i = 0; i < 3; i++) {
            used[sheet->triangles[3 * t + i]] = 1;
        }
    }
    for (size_t i = 0; i < sheet->vertex_count; i++) {
        if (!used[i]) {
            return status_fail(PBS_ERROR_MESH,
                               "vertex %zu: in no triangle, every vertex must be used", i);
        }
    }
    return PBS_OK;
}

pbs_status sheet_check(const struct surface_view *sheet, struct memory *memory) {
    RETURN_IF_FAILED(check_sizes(sheet));
    RETURN_IF_FAILED(check_positions(sheet));
    uint8_t *used = memory_allocate(memory, sheet->vertex_count, sizeof *used);
    if (used == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = check_triangles(sheet, used);
    memory_release(memory, used);
    return status;
}

// --- hinges ---

/// The sides of all triangles: side 3 t + i goes from vertex i of triangle t to the next.
struct side_table {
    const struct surface_view *sheet;
    size_t count;
    uint32_t *order, *other; ///< count: sides in sorted order, and the buffer they are sorted into
    size_t *start;           ///< vertex_count + 1
};

static uint32_t side_from(const struct side_table *table, uint32_t side) {
    return table->sheet->triangles[side];
}

static uint32_t side_to(const struct side_table *table, uint32_t side) {
    return table->sheet->triangles[side / 3 * 3 + (side + 1) % 3];
}

static uint32_t side_opposite(const struct side_table *table, uint32_t side) {
    return table->sheet->triangles[side / 3 * 3 + (side + 2) % 3];
}

/// Returns the lower or the higher of a side's vertices.
static uint32_t side_vertex(const struct side_table *table, uint32_t side, bool higher) {
    const uint32_t a = side_from(table, side);
    const uint32_t b = side_to(table, side);
    return (a > b) == higher ? a : b;
}

/// Sorts the sides by one of their vertices with a stable counting pass.
static void sort_by_vertex(struct side_table *table, bool higher) {
    const size_t vertex_count = table->sheet->vertex_count;
    size_t *start = table->start;
    for (size_t i = 0; i <= vertex_count; i++) {
        start[i] = 0;
    }
    for (uint32_t s = 0; s < table->count; s++) {
        start[(size_t)side_vertex(table, s, higher) + 1]++;
    }
    for (size_t i = 0; i < vertex_count; i++) {
        start[i + 1] += start[i];
    }
    for (size_t k = 0; k < table->count; k++) {
        const uint32_t side = table->order[k];
        table->other[start[side_vertex(table, side, higher)]++] = side;
    }
    uint32_t *sorted = table->other;
    table->other = table->order;
    table->order = sorted;
}

static bool same_edge(const struct side_table *table, uint32_t a, uint32_t b) {
    return side_vertex(table, a, false) == side_vertex(table, b, false) &&
           side_vertex(table, a, true) == side_vertex(table, b, true);
}

/// Checks the sides of one edge that has at least two.
static pbs_status check_edge(const struct side_table *table, const uint32_t *sides, size_t count) {
    const unsigned from = side_from(table, sides[0]);
    const unsigned to = side_to(table, sides[0]);
    const size_t first = sides[0] / 3;
    const size_t second = sides[1] / 3;
    if (count > 2) {
        return status_fail(
            PBS_ERROR_MESH,
            "edge of vertices %u and %u: in triangles %zu, %zu and %zu, must be in at "
            "most two",
            from, to, first, second, (size_t)(sides[2] / 3));
    }
    if (side_from(table, sides[1]) == from) {
        return status_fail(PBS_ERROR_MESH,
                           "triangles %zu and %zu both have the edge from vertex %u to %u, "
                           "neighbours must have it in opposite senses",
                           first, second, from, to);
    }
    if (side_opposite(table, sides[0]) == side_opposite(table, sides[1])) {
        return status_fail(PBS_ERROR_MESH,
                           "triangles %zu and %zu have the same vertices %u, %u and %u", first,
                           second, from, to, (unsigned)side_opposite(table, sides[0]));
    }
    return PBS_OK;
}

/// Writes both sides of every inner edge to `other`, pair by pair.
static pbs_status pair_sides(struct side_table *table, size_t *pair_count) {
    size_t pairs = 0;
    for (size_t i = 0, end; i < table->count; i = end) {
        for (end = i + 1;
             end < table->count && same_edge(table, table->order[i], table->order[end]); end++) {
        }
        if (end - i > 1) {
            RETURN_IF_FAILED(check_edge(table, table->order + i, end - i));
            table->other[2 * pairs] = table->order[i];
            table->other[2 * pairs + 1] = table->order[i + 1];
            pairs++;
        }
    }
    *pair_count = pairs;
    return PBS_OK;
}

static pbs_status list_inner_edges(struct side_table *table, struct memory *memory,
                                   uint32_t **sides, size_t *edge_count) {
    for (uint32_t s = 0; s < table->count; s++) {
        table->order[s] = s;
    }
    sort_by_vertex(table, true);
    sort_by_vertex(table, false);
    size_t count = 0;
    RETURN_IF_FAILED(pair_sides(table, &count));
    uint32_t *out = memory_copy(memory, table->other, count, 2 * sizeof *out);
    if (out == NULL) {
        return PBS_ERROR_MEMORY;
    }
    *sides = out;
    *edge_count = count;
    return PBS_OK;
}

pbs_status sheet_inner_edges(const struct surface_view *sheet, struct memory *memory,
                             uint32_t **sides, size_t *edge_count) {
    struct side_table table = {.sheet = sheet, .count = 3 * sheet->triangle_count};
    table.order = memory_allocate(memory, table.count, sizeof *table.order);
    table.other = memory_allocate(memory, table.count, sizeof *table.other);
    table.start = memory_allocate(memory, sheet->vertex_count + 1, sizeof *table.start);
    pbs_status status = PBS_ERROR_MEMORY;
    if (table.order != NULL && table.other != NULL && table.start != NULL) {
        status = list_inner_edges(&table, memory, sides, edge_count);
    }
    memory_release(memory, table.order);
    memory_release(memory, table.other);
    memory_release(memory, table.start);
    return status;
}

void sheet_hinge(const uint32_t *triangles, const uint32_t sides[2], uint32_t hinge[4]) {
    const uint32_t left = sides[0];
    const uint32_t right = sides[1];
    hinge[0] = triangles[left];
    hinge[1] = triangles[left / 3 * 3 + (left + 1) % 3];
    hinge[2] = triangles[left / 3 * 3 + (left + 2) % 3];
    hinge[3] = triangles[right / 3 * 3 + (right + 2) % 3];
}
