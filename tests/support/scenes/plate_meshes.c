// Triangulations of a rectangle; see plate_meshes.h.
// SPDX-License-Identifier: MIT
#include "support/scenes/plate_meshes.h"

#include "geometry/meshes/sheet.h"
#include "support/random.h"
#include "support/testing.h"

const char *const plate_mesh_names[MESH_KIND_COUNT] = {"one diagonal", "alternating", "jittered",
                                                       "unstructured", "equilateral"};

static void allocate(struct plate_mesh *mesh, size_t vertex_limit, size_t triangle_limit) {
    *mesh = (struct plate_mesh){.positions = calloc(vertex_limit, 3 * sizeof(double)),
                                .triangles = calloc(triangle_limit, 3 * sizeof(uint32_t))};
    assert_true(mesh->positions != NULL && mesh->triangles != NULL);
}

void plate_mesh_free(struct plate_mesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
}

static void add_triangle(struct plate_mesh *mesh, size_t p, size_t q, size_t r) {
    uint32_t *t = mesh->triangles + 3 * mesh->triangle_count;
    t[0] = (uint32_t)p;
    t[1] = (uint32_t)q;
    t[2] = (uint32_t)r;
    mesh->triangle_count++;
}

static void add_vertex(struct plate_mesh *mesh, double x, double y) {
    mesh->positions[3 * mesh->vertex_count] = x;
    mesh->positions[3 * mesh->vertex_count + 1] = y;
    mesh->vertex_count++;
}

static void make_grid(struct plate_mesh *mesh, bool alternating, size_t columns, size_t rows,
                      double a, double b) {
    allocate(mesh, (columns + 1) * (rows + 1), 2 * columns * rows);
    for (size_t i = 0; i < (columns + 1) * (rows + 1); i++) {
        add_vertex(mesh, a * (double)(i % (columns + 1)) / (double)columns,
                   b * (double)(i / (columns + 1)) / (double)rows);
    }
    for (size_t cell = 0; cell < columns * rows; cell++) {
        const size_t p = cell / columns * (columns + 1) + cell % columns;
        const size_t q = p + columns + 1;
        if (alternating && (cell / columns + cell % columns) % 2 == 1) {
            add_triangle(mesh, p, p + 1, q);
            add_triangle(mesh, p + 1, q + 1, q);
        } else {
            add_triangle(mesh, p, p + 1, q + 1);
            add_triangle(mesh, p, q + 1, q);
        }
    }
    mesh->center = rows / 2 * (columns + 1) + columns / 2;
}

/// Whether a vertex may move: not that in the middle, which results are read at.
static bool is_inner(const struct plate_mesh *mesh, size_t i, double a, double b) {
    const double *x = mesh->positions + 3 * i;
    return i != mesh->center && x[0] > 1e-9 * a && x[0] < a * (1.0 - 1e-9) && x[1] > 1e-9 * b &&
           x[1] < b * (1.0 - 1e-9);
}

static void jitter(struct plate_mesh *mesh, double amount, const double cell[2],
                   const double size[2], uint64_t seed) {
    struct random random = random_seed(seed);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        for (size_t k = 0; k < 2 && is_inner(mesh, i, size[0], size[1]); k++) {
            mesh->positions[3 * i + k] += amount * cell[k] * random_uniform(&random, -1.0, 1.0);
        }
    }
}

/// The cotangent of the angle at r over the edge from p to q.
static double cotangent(const struct plate_mesh *mesh, uint32_t r, uint32_t p, uint32_t q) {
    const double *x = mesh->positions + 3 * (size_t)r;
    const double *y = mesh->positions + 3 * (size_t)p;
    const double *z = mesh->positions + 3 * (size_t)q;
    const double u[2] = {y[0] - x[0], y[1] - x[1]};
    const double v[2] = {z[0] - x[0], z[1] - x[1]};
    return (u[0] * v[0] + u[1] * v[1]) / fabs(u[0] * v[1] - u[1] * v[0]);
}

/// Turns edges whose opposite angles add to more than pi, each triangle once at most. Returns how
/// many.
static size_t turn_edges(struct plate_mesh *mesh) {
    struct memory memory;
    uint32_t *sides = NULL;
    size_t count = 0;
    size_t turned = 0;
    const struct surface_view view = {mesh->vertex_count, mesh->positions, mesh->triangle_count,
                                      mesh->triangles};
    uint8_t *touched = calloc(mesh->triangle_count, 1);
    memory_init(&memory, NULL);
    assert_non_null(touched);
    assert_ok(sheet_inner_edges(&view, &memory, &sides, &count));
    for (size_t k = 0; k < count; k++) {
        const size_t left = sides[2 * k] / 3;
        const size_t right = sides[2 * k + 1] / 3;
        uint32_t v[4];
        if (touched[left] != 0 || touched[right] != 0) {
            continue;
        }
        sheet_hinge(mesh->triangles, sides + 2 * k, v);
        if (cotangent(mesh, v[2], v[0], v[1]) + cotangent(mesh, v[3], v[0], v[1]) < -1e-9) {
            const uint32_t pair[2][3] = {{v[0], v[3], v[2]}, {v[1], v[2], v[3]}};
            memcpy(mesh->triangles + 3 * left, pair[0], sizeof pair[0]);
            memcpy(mesh->triangles + 3 * right, pair[1], sizeof pair[1]);
            touched[left] = touched[right] = 1;
            turned++;
        }
    }
    memory_release(&memory, sides);
    free(touched);
    return turned;
}

/// Moves inner vertices to the mean of their neighbours.
static void smooth(struct plate_mesh *mesh, double a, double b) {
    double *sum = calloc(mesh->vertex_count, 3 * sizeof *sum);
    assert_non_null(sum);
    for (size_t s = 0; s < 3 * mesh->triangle_count; s++) {
        const size_t from = mesh->triangles[s];
        const size_t to = mesh->triangles[s / 3 * 3 + (s + 1) % 3];
        sum[3 * from] += mesh->positions[3 * to];
        sum[3 * from + 1] += mesh->positions[3 * to + 1];
        sum[3 * from + 2] += 1.0;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (is_inner(mesh, i, a, b)) {
            mesh->positions[3 * i] = sum[3 * i] / sum[3 * i + 2];
            mesh->positions[3 * i + 1] = sum[3 * i + 1] / sum[3 * i + 2];
        }
    }
    free(sum);
}

/// By moves so small that no triangle turns over.
static void make_unstructured(struct plate_mesh *mesh, const double cell[2], const double size[2]) {
    for (int round = 0; round < 5; round++) {
        if (round < 3) {
            jitter(mesh, 0.2, cell, size, 31 + (uint64_t)round);
        } else {
            smooth(mesh, size[0], size[1]);
        }
        while (turn_edges(mesh) > 0) {
        }
    }
}

/// Two rows of vertices, counted from left to right, become a strip of triangles: the shorter
/// diagonal each time.
static void join_rows(struct plate_mesh *mesh, size_t low, size_t low_end, size_t high,
                      size_t high_end) {
    const double *x = mesh->positions;
    while (low + 1 < low_end || high + 1 < high_end) {
        const bool along_low = high + 1 == high_end ||
                               (low + 1 < low_end && fabs(x[3 * (low + 1)] - x[3 * high]) <=
                                                         fabs(x[3 * (high + 1)] - x[3 * low]));
        if (along_low) {
            add_triangle(mesh, low, low + 1, high);
            low++;
        } else {
            add_triangle(mesh, low, high + 1, high);
            high++;
        }
    }
}

static void make_equilateral(struct plate_mesh *mesh, size_t columns, double a, double b) {
    // A multiple of four, so that the row in the middle is none of the shifted ones.
    const double wanted = b / a * (double)columns / (0.5 * sqrt(3.0));
    const size_t rows = 4 * (size_t)fmax(1.0, round(0.25 * wanted));
    allocate(mesh, (columns + 2) * (rows + 1), 2 * (columns + 2) * rows);
    size_t before = 0;
    for (size_t row = 0; row <= rows; row++) {
        const size_t start = mesh->vertex_count;
        const size_t count = columns + 1 + row % 2;
        for (size_t i = 0; i < count; i++) {
            const double shift = row % 2 == 1 && i > 0 ? (i == columns + 1 ? 1.0 : 0.5) : 0.0;
            add_vertex(mesh, a * ((double)i - shift) / (double)columns,
                       b * (double)row / (double)rows);
        }
        if (row > 0) {
            join_rows(mesh, before, start, start, mesh->vertex_count);
        }
        if (row == rows / 2) {
            mesh->center = start + columns / 2;
        }
        before = start;
    }
}

void plate_mesh_make(struct plate_mesh *mesh, enum plate_mesh_kind kind, size_t columns,
                     size_t rows, double a, double b) {
    const double cell[2] = {a / (double)columns, b / (double)rows};
    const double size[2] = {a, b};
    if (kind == MESH_EQUILATERAL) {
        make_equilateral(mesh, columns, a, b);
        return;
    }
    make_grid(mesh, kind != MESH_ONE_DIAGONAL, columns, rows, a, b);
    if (kind == MESH_JITTERED) {
        jitter(mesh, 0.3, cell, size, 31);
    } else if (kind == MESH_UNSTRUCTURED) {
        make_unstructured(mesh, cell, size);
    }
}
