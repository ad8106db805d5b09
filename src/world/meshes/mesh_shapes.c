// Meshes of simple shapes: the checks in front of the generators.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "geometry/generation/grid_meshes.h"
#include "geometry/generation/round_meshes.h"
#include "world/interface/check.h"
#include "world/meshes/mesh.h"

// Cells along one direction. The products of three of these, and of the elements of a cell, do not
// overflow.
enum { CELL_LIMIT = 65536 };

static pbs_status check_lengths(const double *size, int count) {
    RETURN_IF_FAILED(check_pointer(size, "size"));
    for (int k = 0; k < count; k++) {
        RETURN_IF_FAILED(check_length(size[k], "size"));
    }
    return PBS_OK;
}

static pbs_status check_cells(const uint32_t *cells, int count) {
    RETURN_IF_FAILED(check_pointer(cells, "cells"));
    for (int k = 0; k < count; k++) {
        RETURN_IF_FAILED(check_choice(cells[k], 1, CELL_LIMIT, "cells"));
    }
    return PBS_OK;
}

/// The numbers of what these cells come to.
static pbs_status check_counts(size_t vertex_count, size_t element_count) {
    RETURN_IF_FAILED(check_count(vertex_count, "the mesh's number of vertices"));
    return check_count(element_count, "the mesh's number of elements");
}

pbs_status pbs_mesh_box(const pbs_allocator *allocator, const double size[3],
                        const uint32_t cells[3], pbs_mesh *out) {
    ARITHMETIC_SCOPE();
    struct memory memory;
    pbs_mesh made;
    RETURN_IF_FAILED(mesh_begin(allocator, out, &memory));
    RETURN_IF_FAILED(check_lengths(size, 3));
    RETURN_IF_FAILED(check_cells(cells, 3));
    const size_t n[3] = {cells[0], cells[1], cells[2]};
    RETURN_IF_FAILED(check_counts((n[0] + 1) * (n[1] + 1) * (n[2] + 1), 6 * n[0] * n[1] * n[2]));
    RETURN_IF_FAILED(grid_mesh_box(&memory, size, cells, &made));
    return mesh_replace(&made, allocator, out);
}

pbs_status pbs_mesh_sheet(const pbs_allocator *allocator, const double size[2],
                          const uint32_t cells[2], pbs_mesh *out) {
    ARITHMETIC_SCOPE();
    struct memory memory;
    pbs_mesh made;
    RETURN_IF_FAILED(mesh_begin(allocator, out, &memory));
    RETURN_IF_FAILED(check_lengths(size, 2));
    RETURN_IF_FAILED(check_cells(cells, 2));
    const size_t n[2] = {cells[0], cells[1]};
    RETURN_IF_FAILED(check_counts((n[0] + 1) * (n[1] + 1), 2 * n[0] * n[1]));
    RETURN_IF_FAILED(grid_mesh_sheet(&memory, size, cells, &made));
    return mesh_replace(&made, allocator, out);
}

pbs_status pbs_mesh_rope(const pbs_allocator *allocator, double length, uint32_t cells,
                         pbs_mesh *out) {
    ARITHMETIC_SCOPE();
    struct memory memory;
    pbs_mesh made;
    RETURN_IF_FAILED(mesh_begin(allocator, out, &memory));
    RETURN_IF_FAILED(check_length(length, "length"));
    RETURN_IF_FAILED(check_size(cells, 1, CHECK_COUNT_LIMIT - 1, "cells"));
    RETURN_IF_FAILED(grid_mesh_rope(&memory, length, cells, &made));
    return mesh_replace(&made, allocator, out);
}

// --- round shapes ---

static pbs_status make_round(struct memory *memory, const struct round_shape *shape, int32_t filled,
                             pbs_mesh *made) {
    RETURN_IF_FAILED(check_choice(filled, 0, 1, "filled"));
    if (filled != 0) {
        RETURN_IF_FAILED(
            check_counts(round_solid_vertex_count(shape), round_solid_tet_count(shape)));
        return round_solid(memory, shape, made);
    }
    RETURN_IF_FAILED(
        check_counts(round_surface_vertex_count(shape), round_surface_triangle_count(shape)));
    return round_surface(memory, shape, made);
}

pbs_status pbs_mesh_ball(const pbs_allocator *allocator, double radius, uint32_t cells,
                         int32_t filled, pbs_mesh *out) {
    ARITHMETIC_SCOPE();
    struct memory memory;
    pbs_mesh made;
    RETURN_IF_FAILED(mesh_begin(allocator, out, &memory));
    RETURN_IF_FAILED(check_length(radius, "radius"));
    RETURN_IF_FAILED(check_cells(&cells, 1));
    const struct round_shape shape = {.radius = radius, .rings = cells, .has_caps = true};
    RETURN_IF_FAILED(make_round(&memory, &shape, filled, &made));
    return mesh_replace(&made, allocator, out);
}

/// A capsule or a cylinder.
static pbs_status make_long(const pbs_allocator *allocator, const struct round_shape *size,
                            const uint32_t cells[2], int32_t filled, pbs_mesh *out) {
    ARITHMETIC_SCOPE();
    struct memory memory;
    pbs_mesh made;
    RETURN_IF_FAILED(mesh_begin(allocator, out, &memory));
    RETURN_IF_FAILED(check_length(size->radius, "radius"));
    RETURN_IF_FAILED(check_length(size->height, "height"));
    RETURN_IF_FAILED(check_length(size->radius + 0.5 * size->height, "radius + height / 2"));
    RETURN_IF_FAILED(check_cells(cells, 2));
    struct round_shape shape = *size;
    shape.rings = cells[0];
    shape.layers = cells[1];
    RETURN_IF_FAILED(make_round(&memory, &shape, filled, &made));
    return mesh_replace(&made, allocator, out);
}

pbs_status pbs_mesh_capsule(const pbs_allocator *allocator, double radius, double height,
                            const uint32_t cells[2], int32_t filled, pbs_mesh *out) {
    const struct round_shape size = {.radius = radius, .height = height, .has_caps = true};
    return make_long(allocator, &size, cells, filled, out);
}

pbs_status pbs_mesh_cylinder(const pbs_allocator *allocator, double radius, double height,
                             const uint32_t cells[2], int32_t filled, pbs_mesh *out) {
    const struct round_shape size = {.radius = radius, .height = height};
    return make_long(allocator, &size, cells, filled, out);
}
