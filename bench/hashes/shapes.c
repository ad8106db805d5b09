// See shapes.h.
// SPDX-License-Identifier: MIT
#include "hashes/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"
#include "support/scenes/world_scenes.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/// How the collider keeps bodies out.
enum mode { MODE_CONSTRAINT, MODE_PENALTY, MODE_BARRIER, MODE_COUNT };

static const char *const mode_names[MODE_COUNT] = {"constraint", "penalty", "barrier"};

/// Its surface passes through the origin, and what is solid lies below.
static const struct row {
    const char *name;
    int32_t shape, hollow;
    double size[3], position[3];
    int32_t interpolation;
} rows[] = {
    {"half-space", PBS_SHAPE_HALF_SPACE, 0, {0.0}, {0.0, 0.0, 0.0}, 0},
    {"sphere", PBS_SHAPE_SPHERE, 0, {0.5}, {0.0, -0.5, 0.0}, 0},
    {"hollow-sphere", PBS_SHAPE_SPHERE, 1, {0.5}, {0.0, 0.5, 0.0}, 0},
    {"box", PBS_SHAPE_BOX, 0, {0.5, 0.3, 0.4}, {0.1, -0.3, 0.1}, 0},
    {"room", PBS_SHAPE_BOX, 1, {0.5, 0.3, 0.4}, {0.1, 0.3, 0.1}, 0},
    {"capsule", PBS_SHAPE_CAPSULE, 0, {0.2, 0.3}, {0.0, -0.5, 0.0}, 0},
    {"cylinder", PBS_SHAPE_CYLINDER, 0, {0.2, 0.3}, {0.0, -0.3, 0.0}, 0},
    {"torus", PBS_SHAPE_TORUS, 0, {0.5, 0.2}, {-0.5, -0.2, 0.0}, 0},
    {"hollow-torus", PBS_SHAPE_TORUS, 1, {0.5, 0.25}, {-0.5, 0.25, 0.0}, 0},
    {"mesh", PBS_SHAPE_MESH, 0, {0.0}, {0.0, -0.2, 0.0}, 0},
    {"grid-cubic", PBS_SHAPE_GRID, 0, {0.0}, {0.0, -0.2, 0.0}, PBS_GRID_CUBIC},
    {"grid-linear", PBS_SHAPE_GRID, 0, {0.0}, {0.0, -0.2, 0.0}, PBS_GRID_LINEAR},
};

/// Meshes are for barriers, and grids are penalties.
static bool exists(const struct row *row, enum mode mode) {
    return (row->shape != PBS_SHAPE_MESH || mode == MODE_BARRIER) &&
           (row->shape != PBS_SHAPE_GRID || mode == MODE_PENALTY);
}

/// The distances of a mesh, to be freed. Null without memory, or where the mesh has none.
static float *sample(const struct surface_mesh *mesh, int32_t interpolation, pbs_collider_desc *c) {
    pbs_grid_desc d;
    pbs_grid grid = {.struct_size = sizeof grid};
    pbs_status status = pbs_grid_desc_init(&d, sizeof d);
    d.interpolation = interpolation;
    d.vertex_count = mesh->vertex_count;
    d.vertices = mesh->positions;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    d.resolution = 12;
    status = status < 0 ? status : pbs_grid_from_mesh(&d, NULL, 0, &grid);
    float *samples = status < 0 ? NULL : malloc(grid.sample_count * sizeof *samples);
    if (samples == NULL || pbs_grid_from_mesh(&d, samples, grid.sample_count, &grid) < 0) {
        free(samples);
        return NULL;
    }
    memcpy(c->grid_origin, grid.origin, sizeof c->grid_origin);
    memcpy(c->grid_counts, grid.counts, sizeof c->grid_counts);
    c->grid_cell = grid.cell;
    c->grid_samples = samples;
    c->grid_interpolation = interpolation;
    return samples;
}

/// A slab, 1 m square and 0.4 m high, where the shape is made of triangles.
static pbs_status create(pbs_world *world, const struct row *row, pbs_collider_desc *d,
                         pbs_collider *collider) {
    struct surface_mesh slab = {0};
    float *samples = NULL;
    pbs_status status = surface_box(1.0, 0.4, 1.0, &slab) ? PBS_OK : PBS_ERROR_MEMORY;
    if (status >= 0 && row->shape == PBS_SHAPE_MESH) {
        d->vertex_count = slab.vertex_count;
        d->vertices = slab.positions;
        d->triangle_count = slab.triangle_count;
        d->triangles = slab.triangles;
    } else if (status >= 0 && row->shape == PBS_SHAPE_GRID) {
        samples = sample(&slab, row->interpolation, d);
        status = samples == NULL ? PBS_ERROR_MEMORY : PBS_OK;
    }
    status = status < 0 ? status : pbs_collider_create(world, d, collider);
    free(samples);
    surface_mesh_free(&slab);
    return status;
}

static pbs_status add_collider(pbs_world *world, const struct row *row, enum mode mode) {
    pbs_collider_desc d;
    pbs_collider collider;
    pbs_status status = pbs_collider_desc_init(&d, sizeof d);
    d.shape = row->shape;
    d.hollow = row->hollow;
    memcpy(d.size, row->size, sizeof d.size);
    memcpy(d.position, row->position, sizeof d.position);
    d.friction = 0.3;
    d.collision = mode == MODE_PENALTY ? PBS_COLLISION_PENALTY : PBS_COLLISION_CONSTRAINT;
    status = status < 0 ? status : create(world, row, &d, &collider);
    // To where it is in the first step, turned about y by 0.1.
    const double place[3] = {row->position[0] + 0.002, row->position[1], row->position[2]};
    static const double orientation[4] = {0.0, 0.05, 0.0, 0.99874921777190884};
    return status < 0 ? status : pbs_collider_set_motion(world, collider, place, orientation);
}

static pbs_status add_solid(pbs_world *world) {
    static const double corner[3] = {-0.03, 0.012, -0.04};
    static double velocities[81];
    for (int i = 0; i < 81; i += 3) {
        velocities[i] = 0.2;
        velocities[i + 1] = -1.0;
    }
    pbs_solid_desc d;
    pbs_body body;
    const pbs_status status = pbs_solid_desc_init(&d, sizeof d);
    d.material = PBS_MATERIAL_FIXED_COROTATED;
    d.initial_velocities = velocities;
    return status < 0 ? status : cube_create(world, 2, 0.08, corner, &d, &body);
}

static pbs_status make(const struct row *row, enum mode mode, pbs_world **world) {
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = mode == MODE_BARRIER ? PBS_CONTACT_BARRIER : PBS_CONTACT_PROJECTION;
    pbs_status status = pbs_world_create(&d, world);
    status = status < 0 ? status : add_collider(*world, row, mode);
    return status < 0 ? status : add_solid(*world);
}

void hash_shapes(struct hash_lines *lines) {
    for (size_t i = 0; i < COUNT_OF(rows) * MODE_COUNT; i++) {
        const struct row *row = &rows[i / MODE_COUNT];
        const enum mode mode = (enum mode)(i % MODE_COUNT);
        if (exists(row, mode) && hash_begin(lines, "shape/%s/%s", row->name, mode_names[mode])) {
            pbs_world *world = NULL;
            const pbs_status made = make(row, mode, &world);
            hash_steps(lines, made, world, 1.0 / 60.0, 10);
            pbs_world_destroy(world);
        }
    }
}
