// Meshes: what is done to one that is there.
// SPDX-License-Identifier: MIT
#include "world/meshes/mesh.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "base/runtime/arithmetic.h"
#include "geometry/generation/generated_mesh.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"

pbs_status pbs_mesh_init(pbs_mesh *mesh, size_t struct_size) {
    const pbs_mesh empty = {.vertex_count = 0};
    return settings_init(&settings_mesh, mesh, struct_size, &empty);
}

/// Frees the arrays of a mesh that has been read.
static void free_arrays(pbs_mesh *mesh) {
    struct memory memory;
    memory_init(&memory, &mesh->allocator);
    generated_mesh_free(&memory, mesh);
}

void pbs_mesh_free(pbs_mesh *mesh) {
    pbs_mesh own = {0};
    struct status_message message;
    status_save(&message);
    if (mesh != NULL && settings_read(&settings_mesh, mesh, &own) >= 0) {
        const pbs_allocator allocator = own.allocator;
        free_arrays(&own);
        own.allocator = allocator;
        results_write(&settings_mesh, &own, mesh);
    }
    status_restore(&message);
}

pbs_status mesh_begin(const pbs_allocator *allocator, const pbs_mesh *out, struct memory *memory) {
    pbs_mesh own = {0};
    RETURN_IF_FAILED(settings_read(&settings_mesh, out, &own));
    RETURN_IF_FAILED(check_allocator(&own.allocator));
    if (allocator != NULL) {
        RETURN_IF_FAILED(check_allocator(allocator));
    }
    memory_init(memory, allocator);
    return PBS_OK;
}

pbs_status mesh_replace(const pbs_mesh *made, const pbs_allocator *allocator, pbs_mesh *out) {
    pbs_mesh own = *made;
    own.allocator = allocator != NULL ? *allocator : (pbs_allocator){0};
    pbs_mesh_free(out);
    return results_write(&settings_mesh, &own, out);
}

// --- checks ---

static pbs_status check_elements(const uint32_t *indices, size_t count, size_t width,
                                 size_t vertex_count, const char *name) {
    RETURN_IF_FAILED(check_size(count, 0, CHECK_COUNT_LIMIT, name));
    return check_indices(indices, width * count, vertex_count, name, "vertices");
}

/// Reads a host's mesh, and checks that its arrays are there and their indices in range.
static pbs_status read_mesh(const pbs_mesh *host, pbs_mesh *own) {
    *own = (pbs_mesh){0};
    RETURN_IF_FAILED(settings_read(&settings_mesh, host, own));
    RETURN_IF_FAILED(check_allocator(&own->allocator));
    RETURN_IF_FAILED(check_size(own->vertex_count, 0, CHECK_COUNT_LIMIT, "vertex_count"));
    RETURN_IF_FAILED(check_points(own->positions, own->vertex_count, "positions"));
    const size_t vertices = own->vertex_count;
    RETURN_IF_FAILED(check_elements(own->triangles, own->triangle_count, 3, vertices, "triangles"));
    RETURN_IF_FAILED(check_elements(own->tets, own->tet_count, 4, vertices, "tets"));
    return check_elements(own->edges, own->edge_count, 2, vertices, "edges");
}

// --- transforms ---

static pbs_status check_scale(const double scale[3]) {
    RETURN_IF_FAILED(check_vector(scale, "scale"));
    for (int k = 0; k < 3; k++) {
        if (scale[k] == 0.0) {
            return status_fail(PBS_ERROR_ARGUMENT, "scale[%d] is 0, which would flatten the mesh",
                               k);
        }
    }
    return PBS_OK;
}

/// x = matrix X + translation.
struct affine_map {
    double matrix[9], translation[3];
    bool is_mirror;
};

static pbs_status make_map(const double scale[3], const double orientation[4],
                           const double translation[3], struct affine_map *map) {
    double unit[4];
    *map = (struct affine_map){.is_mirror = false};
    identity33(map->matrix);
    if (orientation != NULL) {
        RETURN_IF_FAILED(check_quaternion(orientation, "orientation", unit));
        rotation_of(unit, map->matrix);
    }
    if (scale != NULL) {
        RETURN_IF_FAILED(check_scale(scale));
        for (int k = 0; k < 9; k++) {
            map->matrix[k] *= scale[k % 3];
        }
        map->is_mirror = (scale[0] < 0.0) ^ (scale[1] < 0.0) ^ (scale[2] < 0.0);
    }
    if (translation != NULL) {
        RETURN_IF_FAILED(check_point(translation, "translation"));
        copy3(translation, map->translation);
    }
    return PBS_OK;
}

static void map_place(const struct affine_map *map, const double from[3], double to[3]) {
    multiply3(map->matrix, from, to);
    add3(to, map->translation, to);
}

static pbs_status check_mapped(const struct affine_map *map, const pbs_mesh *mesh) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        double x[3];
        map_place(map, mesh->positions + 3 * i, x);
        for (int k = 0; k < 3; k++) {
            if (!(fabs(x[k]) <= COORDINATE_LIMIT)) {
                return status_fail(PBS_ERROR_ARGUMENT,
                                   "vertex %zu: %c would become %g m, must be between %g and %g", i,
                                   "xyz"[k], x[k], -COORDINATE_LIMIT, COORDINATE_LIMIT);
            }
        }
    }
    return PBS_OK;
}

/// Exchanges the last two vertices of each element.
static void turn_over(uint32_t *elements, size_t count, size_t width) {
    for (size_t i = 0; i < count; i++) {
        uint32_t *const last = elements + width * (i + 1) - 1;
        const uint32_t other = last[-1];
        last[-1] = last[0];
        last[0] = other;
    }
}

pbs_status pbs_mesh_transform(pbs_mesh *mesh, const double scale[3], const double orientation[4],
                              const double translation[3]) {
    ARITHMETIC_SCOPE();
    pbs_mesh own;
    struct affine_map map;
    RETURN_IF_FAILED(read_mesh(mesh, &own));
    RETURN_IF_FAILED(make_map(scale, orientation, translation, &map));
    RETURN_IF_FAILED(check_mapped(&map, &own));
    for (size_t i = 0; i < own.vertex_count; i++) {
        double x[3];
        map_place(&map, own.positions + 3 * i, x);
        copy3(x, own.positions + 3 * i);
    }
    if (map.is_mirror) {
        turn_over(own.triangles, own.triangle_count, 3);
        turn_over(own.tets, own.tet_count, 4);
    }
    return PBS_OK;
}

// --- joining ---

static void join_indices(const uint32_t *first, size_t first_count, const uint32_t *second,
                         size_t second_count, size_t shift, uint32_t *out) {
    for (size_t i = 0; i < first_count; i++) {
        out[i] = first[i];
    }
    for (size_t i = 0; i < second_count; i++) {
        out[first_count + i] = second[i] + (uint32_t)shift;
    }
}

static void join_arrays(const pbs_mesh *a, const pbs_mesh *b, pbs_mesh *out) {
    for (size_t i = 0; i < 3 * out->vertex_count; i++) {
        const size_t first = 3 * a->vertex_count;
        out->positions[i] = i < first ? a->positions[i] : b->positions[i - first];
    }
    const size_t shift = a->vertex_count;
    join_indices(a->triangles, 3 * a->triangle_count, b->triangles, 3 * b->triangle_count, shift,
                 out->triangles);
    join_indices(a->tets, 4 * a->tet_count, b->tets, 4 * b->tet_count, shift, out->tets);
    join_indices(a->edges, 2 * a->edge_count, b->edges, 2 * b->edge_count, shift, out->edges);
}

static pbs_status check_sums(const pbs_mesh *a, const pbs_mesh *b) {
    const size_t limit = CHECK_COUNT_LIMIT;
    RETURN_IF_FAILED(
        check_size(a->vertex_count + b->vertex_count, 0, limit, "the sum of vertex_count"));
    RETURN_IF_FAILED(
        check_size(a->triangle_count + b->triangle_count, 0, limit, "the sum of triangle_count"));
    RETURN_IF_FAILED(check_size(a->tet_count + b->tet_count, 0, limit, "the sum of tet_count"));
    return check_size(a->edge_count + b->edge_count, 0, limit, "the sum of edge_count");
}

pbs_status pbs_mesh_join(pbs_mesh *mesh, const pbs_mesh *more) {
    pbs_mesh own, other, joined;
    struct memory memory;
    RETURN_IF_FAILED(read_mesh(mesh, &own));
    RETURN_IF_FAILED(read_mesh(more, &other));
    RETURN_IF_FAILED(check_sums(&own, &other));
    memory_init(&memory, &own.allocator);
    RETURN_IF_FAILED(generated_mesh_allocate(
        &memory, own.vertex_count + other.vertex_count, own.triangle_count + other.triangle_count,
        own.tet_count + other.tet_count, own.edge_count + other.edge_count, &joined));
    join_arrays(&own, &other, &joined);
    return mesh_replace(&joined, &own.allocator, mesh);
}
