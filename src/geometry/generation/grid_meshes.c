// Boxes, sheets and ropes. H. W. Kuhn, "Some combinatorial lemmas in topology", 1960, divides a
// cube into six tetrahedra; see grid_meshes.h.
// SPDX-License-Identifier: MIT
#include "geometry/generation/grid_meshes.h"

/// Coordinate of the i-th of cells + 1 points, symmetric to the last bit.
static double grid_coordinate(size_t i, uint32_t cells, double size) {
    return (2.0 * (double)i - (double)cells) / (2.0 * (double)cells) * size;
}

// --- boxes ---

static void place_box(const double size[3], const uint32_t cells[3], double *positions) {
    for (size_t k = 0; k <= cells[2]; k++) {
        for (size_t j = 0; j <= cells[1]; j++) {
            for (size_t i = 0; i <= cells[0]; i++) {
                *positions++ = grid_coordinate(i, cells[0], size[0]);
                *positions++ = grid_coordinate(j, cells[1], size[1]);
                *positions++ = grid_coordinate(k, cells[2], size[2]);
            }
        }
    }
}

/// Each of the six tetrahedra of a cell goes from its lowest to its highest corner along the three
/// axes in one of their orders. In odd orders its middle corners are exchanged, so that the volume
/// is positive.
static uint32_t *divide_cell(size_t lowest, const size_t stride[3], uint32_t *tets) {
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const bool is_odd[6] = {false, true, true, false, false, true};
    for (int p = 0; p < 6; p++) {
        const size_t first = lowest + stride[orders[p][0]];
        const size_t second = first + stride[orders[p][1]];
        *tets++ = (uint32_t)lowest;
        *tets++ = (uint32_t)first;
        *tets++ = (uint32_t)(is_odd[p] ? second + stride[orders[p][2]] : second);
        *tets++ = (uint32_t)(is_odd[p] ? second : second + stride[orders[p][2]]);
    }
    return tets;
}

pbs_status grid_mesh_box(struct memory *memory, const double size[3], const uint32_t cells[3],
                         pbs_mesh *out) {
    const size_t n[3] = {cells[0], cells[1], cells[2]};
    const size_t stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
    RETURN_IF_FAILED(
        generated_mesh_allocate(memory, stride[2] * (n[2] + 1), 0, 6 * n[0] * n[1] * n[2], 0, out));
    place_box(size, cells, out->positions);
    uint32_t *tets = out->tets;
    for (size_t k = 0; k < n[2]; k++) {
        for (size_t j = 0; j < n[1]; j++) {
            for (size_t i = 0; i < n[0]; i++) {
                tets = divide_cell(i + j * stride[1] + k * stride[2], stride, tets);
            }
        }
    }
    return generated_mesh_add_boundary(memory, out);
}

// --- sheets ---

/// Seen from above, x to the right and z down, the cell has the corners a b over c d.
static uint32_t *divide_square(size_t lowest, size_t stride, bool is_odd, uint32_t *triangles) {
    const uint32_t a = (uint32_t)lowest, b = a + 1, c = (uint32_t)(lowest + stride), d = c + 1;
    const uint32_t falling[6] = {a, c, d, a, d, b}, rising[6] = {a, c, b, b, c, d};
    for (int i = 0; i < 6; i++) {
        *triangles++ = is_odd ? rising[i] : falling[i];
    }
    return triangles;
}

pbs_status grid_mesh_sheet(struct memory *memory, const double size[2], const uint32_t cells[2],
                           pbs_mesh *out) {
    const size_t n[2] = {cells[0], cells[1]};
    RETURN_IF_FAILED(
        generated_mesh_allocate(memory, (n[0] + 1) * (n[1] + 1), 2 * n[0] * n[1], 0, 0, out));
    for (size_t v = 0; v < out->vertex_count; v++) {
        out->positions[3 * v] = grid_coordinate(v % (n[0] + 1), cells[0], size[0]);
        out->positions[3 * v + 2] = grid_coordinate(v / (n[0] + 1), cells[1], size[1]);
    }
    uint32_t *triangles = out->triangles;
    for (size_t j = 0; j < n[1]; j++) {
        for (size_t i = 0; i < n[0]; i++) {
            triangles = divide_square(i + j * (n[0] + 1), n[0] + 1, (i + j) % 2 != 0, triangles);
        }
    }
    return PBS_OK;
}

// --- ropes ---

pbs_status grid_mesh_rope(struct memory *memory, double length, uint32_t cells, pbs_mesh *out) {
    RETURN_IF_FAILED(generated_mesh_allocate(memory, (size_t)cells + 1, 0, 0, cells, out));
    for (size_t i = 0; i <= cells; i++) {
        out->positions[3 * i] = grid_coordinate(i, cells, length);
    }
    for (size_t i = 0; i < cells; i++) {
        out->edges[2 * i] = (uint32_t)i;
        out->edges[2 * i + 1] = (uint32_t)i + 1;
    }
    return PBS_OK;
}
