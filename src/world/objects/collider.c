// See collider.h.
// SPDX-License-Identifier: MIT
#include "world/objects/collider.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"

pbs_status pbs_collider_desc_init(pbs_collider_desc *d, size_t struct_size) {
    const pbs_collider_desc defaults = {.shape = PBS_SHAPE_HALF_SPACE,
                                        .orientation = {0.0, 0.0, 0.0, 1.0},
                                        .group = UINT32_MAX,
                                        .mask = UINT32_MAX};
    return settings_init(&settings_collider, d, struct_size, &defaults);
}

/// Checks the indices of one triangle or edge: within range, and all different.
static pbs_status check_elements(const uint32_t *indices, size_t count, size_t width,
                                 size_t vertex_count, const char *what) {
    if (count > 0) {
        RETURN_IF_FAILED(check_pointer(indices, what));
    }
    for (size_t k = 0; k < count * width; k++) {
        const size_t first = k / width * width;
        bool repeated = false;
        for (size_t other = first; other < k; other++) {
            repeated = repeated || indices[other] == indices[k];
        }
        if (indices[k] >= vertex_count || repeated) {
            return status_fail(PBS_ERROR_MESH, "%s[%zu] is %u%s; there are %zu vertices", what, k,
                               (unsigned)indices[k],
                               repeated ? " for the second time in a row" : "", vertex_count);
        }
    }
    return PBS_OK;
}

static pbs_status check_mesh(const pbs_collider_desc *d) {
    RETURN_IF_FAILED(check_choice(d->hollow, 0, 0, "hollow"));
    RETURN_IF_FAILED(check_size(d->vertex_count, 1, UINT32_MAX / 8, "vertex_count"));
    RETURN_IF_FAILED(check_size(d->triangle_count, 0, UINT32_MAX / 8, "triangle_count"));
    RETURN_IF_FAILED(check_size(d->edge_count, 0, UINT32_MAX / 8, "edge_count"));
    RETURN_IF_FAILED(check_pointer(d->vertices, "vertices"));
    RETURN_IF_FAILED(check_points(d->vertices, d->vertex_count, "vertices: position"));
    RETURN_IF_FAILED(
        check_elements(d->triangles, d->triangle_count, 3, d->vertex_count, "triangles"));
    return check_elements(d->edges, d->edge_count, 2, d->vertex_count, "edges");
}

struct shape collider_shape(const pbs_collider_desc *d) {
    struct shape shape = {.kind = d->shape, .hollow = d->hollow != 0};
    copy3(d->size, shape.size);
    return shape;
}

struct distance_grid collider_grid(const pbs_collider_desc *d) {
    struct distance_grid grid = {.cell = d->grid_cell,
                                 .samples = d->grid_samples,
                                 .is_linear = d->grid_interpolation == PBS_GRID_LINEAR};
    copy3(d->grid_origin, grid.origin);
    memcpy(grid.counts, d->grid_counts, sizeof grid.counts);
    // grid_samples may be null, and counts have not been checked here.
    grid.is_hollow = d->grid_samples != NULL && collider_sample_count(d) > 0 &&
                     d->grid_samples[0] < 0.0F;
    return grid;
}

static pbs_status check_grid(const pbs_collider_desc *d) {
    struct distance_grid grid = collider_grid(d);
    double count = 1.0;
    RETURN_IF_FAILED(
        check_choice(d->grid_interpolation, PBS_GRID_CUBIC, PBS_GRID_LINEAR, "grid_interpolation"));
    for (int k = 0; k < 3; k++) {
        count *= d->grid_counts[k];
    }
    if (!(count <= (double)CHECK_COUNT_LIMIT)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "grid_counts are %u x %u x %u samples, must be %zu in all at most",
                           (unsigned)d->grid_counts[0], (unsigned)d->grid_counts[1],
                           (unsigned)d->grid_counts[2], CHECK_COUNT_LIMIT);
    }
    RETURN_IF_FAILED(check_point(d->grid_origin, "grid_origin"));
    RETURN_IF_FAILED(check_pointer(d->grid_samples, "grid_samples"));
    return distance_grid_check(&grid);
}

static pbs_status check_collision(const pbs_collider_desc *d) {
    RETURN_IF_FAILED(
        check_choice(d->collision, PBS_COLLISION_CONSTRAINT, PBS_COLLISION_PENALTY, "collision"));
    RETURN_IF_FAILED(check_not_negative(d->penalty_stiffness, "penalty_stiffness"));
    return check_choice(d->reserved, 0, 0, "reserved");
}

static pbs_status check_shape(const pbs_collider_desc *d) {
    if (d->shape == PBS_SHAPE_MESH) {
        return check_mesh(d);
    }
    if (d->shape == PBS_SHAPE_GRID) {
        return check_grid(d);
    }
    const struct shape shape = collider_shape(d);
    return shape_check(&shape);
}

static pbs_status copy_array(struct memory *memory, const void *from, size_t count, size_t size,
                             void **out) {
    *out = NULL;
    if (count > 0) {
        *out = memory_allocate(memory, count, size);
        if (*out == NULL) {
            return PBS_ERROR_MEMORY;
        }
        memcpy(*out, from, count * size);
    }
    return PBS_OK;
}

pbs_status collider_copy_arrays(struct memory *memory, pbs_collider_desc *d) {
    const bool is_mesh = d->shape == PBS_SHAPE_MESH;
    const pbs_collider_desc given = *d;
    void *vertices = NULL;
    void *triangles = NULL;
    void *edges = NULL;
    void *samples = NULL;
    pbs_status status = PBS_OK;
    if (is_mesh) {
        status = copy_array(memory, given.vertices, given.vertex_count, 3 * sizeof(double),
                            &vertices);
    }
    if (is_mesh && status >= 0) {
        status = copy_array(memory, given.triangles, given.triangle_count, 3 * sizeof(uint32_t),
                            &triangles);
    }
    if (is_mesh && status >= 0) {
        status = copy_array(memory, given.edges, given.edge_count, 2 * sizeof(uint32_t), &edges);
    }
    if (d->shape == PBS_SHAPE_GRID) {
        status = copy_array(memory, given.grid_samples, collider_sample_count(d),
                            sizeof *given.grid_samples, &samples);
    }
    d->vertex_count = is_mesh ? given.vertex_count : 0;
    d->triangle_count = is_mesh ? given.triangle_count : 0;
    d->edge_count = is_mesh ? given.edge_count : 0;
    d->vertices = vertices;
    d->triangles = triangles;
    d->edges = edges;
    d->grid_samples = samples;
    if (status < 0) {
        collider_free_arrays(memory, d);
    }
    return status;
}

static void free_array(struct memory *memory, const void *array) {
    void *own;
    memcpy(&own, &array, sizeof own);
    memory_release(memory, own);
}

void collider_free_arrays(struct memory *memory, pbs_collider_desc *d) {
    free_array(memory, d->vertices);
    free_array(memory, d->triangles);
    free_array(memory, d->edges);
    free_array(memory, d->grid_samples);
    d->vertices = NULL;
    d->triangles = NULL;
    d->edges = NULL;
    d->grid_samples = NULL;
}

pbs_status collider_check(const pbs_collider_desc *d, double unit[4]) {
    RETURN_IF_FAILED(check_collision(d));
    RETURN_IF_FAILED(check_shape(d));
    RETURN_IF_FAILED(check_choice(d->hollow, 0, 1, "hollow"));
    RETURN_IF_FAILED(
        check_choice(d->surface_material, 0, PBS_SURFACE_MATERIALS - 1, "surface_material"));
    RETURN_IF_FAILED(check_point(d->position, "position"));
    RETURN_IF_FAILED(check_not_negative(d->friction, "friction"));
    return check_quaternion(d->orientation, "orientation", unit);
}
