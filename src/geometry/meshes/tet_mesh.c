// Faces are found by a radix sort on their vertices, in time linear in the size of the mesh for any
// connectivity.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/tet_mesh.h"

#include "base/matrix3/math3.h"

// Smallest volume relative to the tetrahedron's longest edge cubed; below it a tetrahedron counts
// as flat. Rounding of coordinates gives 1e-16, usable slivers have at least 1e-6.
static const double flat_volume = 1e-10;

const uint8_t tet_face_vertices[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

double tet_signed_volume(const struct tet_mesh_view *mesh, size_t tet) {
    const uint32_t *v = mesh->tets + 4 * tet;
    double edges[9];
    for (size_t i = 0; i < 3; i++) {
        subtract3(mesh->positions + 3 * (size_t)v[i + 1], mesh->positions + 3 * (size_t)v[0],
                  edges + 3 * i);
    }
    return determinant3(edges) / 6.0;
}

static double longest_edge(const struct tet_mesh_view *mesh, size_t tet) {
    const uint32_t *v = mesh->tets + 4 * tet;
    double longest = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            double edge[3];
            subtract3(mesh->positions + 3 * (size_t)v[i], mesh->positions + 3 * (size_t)v[j], edge);
            longest = fmax(longest, norm3(edge));
        }
    }
    return longest;
}

static pbs_status check_sizes(const struct tet_mesh_view *mesh) {
    if (mesh->vertex_count == 0 || mesh->tet_count == 0) {
        return status_fail(PBS_ERROR_MESH, "mesh of %zu vertices and %zu tetrahedra is empty",
                           mesh->vertex_count, mesh->tet_count);
    }
    // Faces have 32-bit indices.
    if (mesh->vertex_count > UINT32_MAX || mesh->tet_count > UINT32_MAX / 4) {
        return status_fail(
            PBS_ERROR_MESH, "mesh of %zu vertices and %zu tetrahedra, must be at most %zu and %zu",
            mesh->vertex_count, mesh->tet_count, (size_t)UINT32_MAX, (size_t)UINT32_MAX / 4);
    }
    return PBS_OK;
}

static pbs_status check_positions(const struct tet_mesh_view *mesh) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const double *x = mesh->positions + 3 * i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            return status_fail(PBS_ERROR_MESH, "vertex %zu: position (%g, %g, %g), must be finite",
                               i, x[0], x[1], x[2]);
        }
    }
    return PBS_OK;
}

static pbs_status check_indices(const struct tet_mesh_view *mesh, size_t tet) {
    const uint32_t *v = mesh->tets + 4 * tet;
    for (int i = 0; i < 4; i++) {
        if (v[i] >= mesh->vertex_count) {
            return status_fail(PBS_ERROR_MESH,
                               "tetrahedron %zu: vertex index %u, must be below %zu", tet, v[i],
                               mesh->vertex_count);
        }
        for (int j = 0; j < i; j++) {
            if (v[i] == v[j]) {
                return status_fail(PBS_ERROR_MESH,
                                   "tetrahedron %zu: vertex %u twice, must have four vertices", tet,
                                   v[i]);
            }
        }
    }
    return PBS_OK;
}

static pbs_status check_volume(const struct tet_mesh_view *mesh, size_t tet) {
    const double volume = tet_signed_volume(mesh, tet);
    const double edge = longest_edge(mesh, tet);
    const double least = flat_volume * edge * edge * edge;
    if (!(volume > 0.0)) {
        return status_fail(PBS_ERROR_MESH, "tetrahedron %zu: rest volume %g m^3, must be positive",
                           tet, volume);
    }
    // Also rejects NaN.
    if (!(volume > least)) {
        return status_fail(PBS_ERROR_MESH,
                           "tetrahedron %zu: rest volume %g m^3 is flat, must be above %g m^3 (%g "
                           "of its longest edge cubed)",
                           tet, volume, least, flat_volume);
    }
    return PBS_OK;
}

static pbs_status check_tetrahedra(const struct tet_mesh_view *mesh, uint8_t *used) {
    for (size_t t = 0; t < mesh->tet_count; t++) {
        RETURN_IF_FAILED(check_indices(mesh, t));
        RETURN_IF_FAILED(check_volume(mesh, t));
        for (size_t i = 0; i < 4; i++) {
            used[mesh->tets[4 * t + i]] = 1;
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (!used[i]) {
            return status_fail(PBS_ERROR_MESH,
                               "vertex %zu: in no tetrahedron, every vertex must be used", i);
        }
    }
    return PBS_OK;
}

pbs_status tet_mesh_check(const struct tet_mesh_view *mesh, struct memory *memory) {
    RETURN_IF_FAILED(check_sizes(mesh));
    RETURN_IF_FAILED(check_positions(mesh));
    uint8_t *used = memory_allocate(memory, mesh->vertex_count, sizeof *used);
    if (!used) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = check_tetrahedra(mesh, used);
    memory_release(memory, used);
    return status;
}

void tet_mesh_add_lumped_mass(const struct tet_mesh_view *mesh, const double *density,
                              bool density_per_tet, double *mass) {
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const double share = density[density_per_tet ? t : 0] * tet_signed_volume(mesh, t) / 4.0;
        for (size_t i = 0; i < 4; i++) {
            mass[mesh->tets[4 * t + i]] += share;
        }
    }
}

// --- faces ---

struct face_table {
    size_t count;
    uint32_t (*vertices)[3]; ///< count: ascending
    uint32_t *order, *other; ///< count: faces in sorted order, and the buffer they are sorted into
    size_t *start;           ///< vertex_count + 1
};

static void order_pair(uint32_t *a, uint32_t *b) {
    if (*a > *b) {
        const uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

static uint32_t face_vertex(const struct tet_mesh_view *mesh, size_t face, size_t i) {
    return mesh->tets[face / 4 * 4 + tet_face_vertices[face % 4][i]];
}

static void list_faces(const struct tet_mesh_view *mesh, struct face_table *table) {
    for (size_t f = 0; f < table->count; f++) {
        uint32_t *v = table->vertices[f];
        for (size_t i = 0; i < 3; i++) {
            v[i] = face_vertex(mesh, f, i);
        }
        order_pair(v + 0, v + 1);
        order_pair(v + 1, v + 2);
        order_pair(v + 0, v + 1);
        table->order[f] = (uint32_t)f;
    }
}

// Sorts the faces by vertex `digit` with one stable counting pass.
static void sort_by_vertex(struct face_table *table, size_t vertex_count, size_t digit) {
    size_t *start = table->start;
    for (size_t i = 0; i <= vertex_count; i++) {
        start[i] = 0;
    }
    for (size_t f = 0; f < table->count; f++) {
        start[(size_t)table->vertices[f][digit] + 1]++;
    }
    for (size_t i = 0; i < vertex_count; i++) {
        start[i + 1] += start[i];
    }
    for (size_t f = 0; f < table->count; f++) {
        const uint32_t face = table->order[f];
        table->other[start[table->vertices[face][digit]]++] = face;
    }
    uint32_t *sorted = table->other;
    table->other = table->order;
    table->order = sorted;
}

static bool same_face(const struct face_table *table, size_t i, size_t j) {
    const uint32_t *a = table->vertices[table->order[i]];
    const uint32_t *b = table->vertices[table->order[j]];
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Sets other[face] to 1 for the faces of one tetrahedron only, to 0 for the others. Returns their
// number.
static size_t mark_single_faces(struct face_table *table) {
    size_t single_count = 0;
    for (size_t i = 0, end; i < table->count; i = end) {
        for (end = i + 1; end < table->count && same_face(table, i, end); end++) {
        }
        for (size_t j = i; j < end; j++) {
            table->other[table->order[j]] = end - i == 1;
        }
        single_count += end - i == 1;
    }
    return single_count;
}

/// A task on the sorted faces, in which faces with the same vertices are adjacent.
struct face_work {
    pbs_status (*write)(const struct tet_mesh_view *mesh, struct memory *memory,
                        struct face_table *table, struct face_work *work);
    uint32_t *triangles;
    struct tet_inner_face *faces;
    size_t count;
};

static pbs_status sort_faces(const struct tet_mesh_view *mesh, struct memory *memory,
                             struct face_work *work) {
    RETURN_IF_FAILED(check_sizes(mesh));
    struct face_table table = {.count = 4 * mesh->tet_count};
    table.vertices = memory_allocate(memory, table.count, sizeof *table.vertices);
    table.order = memory_allocate(memory, table.count, sizeof *table.order);
    table.other = memory_allocate(memory, table.count, sizeof *table.other);
    table.start = memory_allocate(memory, mesh->vertex_count + 1, sizeof *table.start);
    pbs_status status = PBS_ERROR_MEMORY;
    if (table.vertices && table.order && table.other && table.start) {
        list_faces(mesh, &table);
        for (size_t digit = 3; digit-- > 0;) {
            sort_by_vertex(&table, mesh->vertex_count, digit);
        }
        status = work->write(mesh, memory, &table, work);
    }
    memory_release(memory, table.vertices);
    memory_release(memory, table.order);
    memory_release(memory, table.other);
    memory_release(memory, table.start);
    return status;
}

static pbs_status write_boundary(const struct tet_mesh_view *mesh, struct memory *memory,
                                 struct face_table *table, struct face_work *work) {
    const size_t count = mark_single_faces(table);
    uint32_t *out = memory_allocate(memory, count, 3 * sizeof *out);
    if (!out) {
        return PBS_ERROR_MEMORY;
    }
    size_t written = 0;
    for (size_t f = 0; f < table->count; f++) {
        for (size_t i = 0; i < 3 && table->other[f]; i++) {
            out[written++] = face_vertex(mesh, f, i);
        }
    }
    work->triangles = out;
    work->count = count;
    return PBS_OK;
}

pbs_status tet_boundary(const struct tet_mesh_view *mesh, struct memory *memory,
                        uint32_t **triangles, size_t *triangle_count) {
    struct face_work work = {.write = write_boundary};
    RETURN_IF_FAILED(sort_faces(mesh, memory, &work));
    *triangles = work.triangles;
    *triangle_count = work.count;
    return PBS_OK;
}

/// Sets other[face] of the first of two paired faces to the second face's index plus 1, and of all
/// other faces to 0.
static pbs_status pair_faces(struct face_table *table, size_t *pair_count) {
    for (size_t i = 0, end; i < table->count; i = end) {
        for (end = i + 1; end < table->count && same_face(table, i, end); end++) {
        }
        if (end - i > 2) {
            return status_fail(
                PBS_ERROR_MESH, "tetrahedra %u, %u and %u share a face, which only two can",
                table->order[i] / 4, table->order[i + 1] / 4, table->order[i + 2] / 4);
        }
        // The sort is stable, so the face of the lower tetrahedron comes first.
        table->other[table->order[i]] = end - i == 2 ? table->order[i + 1] + 1 : 0;
        if (end - i == 2) {
            table->other[table->order[i + 1]] = 0;
            (*pair_count)++;
        }
    }
    return PBS_OK;
}

static pbs_status write_inner(const struct tet_mesh_view *mesh, struct memory *memory,
                              struct face_table *table, struct face_work *work) {
    size_t count = 0;
    RETURN_IF_FAILED(pair_faces(table, &count));
    work->faces = memory_allocate(memory, count, sizeof *work->faces);
    if (!work->faces) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t f = 0; f < table->count; f++) {
        if (table->other[f] != 0) {
            struct tet_inner_face *face = &work->faces[work->count++];
            face->tets[0] = (uint32_t)(f / 4);
            face->tets[1] = (table->other[f] - 1) / 4;
            for (size_t i = 0; i < 3; i++) {
                face->vertices[i] = face_vertex(mesh, f, i);
            }
        }
    }
    return PBS_OK;
}

pbs_status tet_inner_faces(const struct tet_mesh_view *mesh, struct memory *memory,
                           struct tet_inner_face **faces, size_t *face_count) {
    struct face_work work = {.write = write_inner};
    RETURN_IF_FAILED(sort_faces(mesh, memory, &work));
    *faces = work.faces;
    *face_count = work.count;
    return PBS_OK;
}
