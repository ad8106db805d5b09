// Creates the parts of torture_parts.h.
// SPDX-License-Identifier: MIT
#include "scenes/torture/torture_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"

static const double LARGEST_TURN = 0.25; // largest rotation in a step, radians

void torture_note(struct torture *scene, pbs_status status) {
    if (scene->status >= 0 && status < 0) {
        scene->status = status;
    }
}

bool torture_made(struct torture *scene, bool made) {
    torture_note(scene, made ? PBS_OK : PBS_ERROR_MEMORY);
    return scene->status >= 0;
}

bool torture_load(const struct torture *scene, const char *name, struct tet_mesh *out) {
    char path[512];
    struct mesh_report report;
    *out = (struct tet_mesh){0};
    if (scene->options.meshes == NULL || !scene->options.full) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s.msh", scene->options.meshes, name);
    return mesh_read_tets(path, NULL, out, &report);
}

/// Grows the array by one zeroed entry. If memory is short, records the failure and returns null.
static void *grow(struct torture *scene, void *array, size_t count, size_t size) {
    void *const grown = realloc(array, (count + 1) * size);
    if (grown == NULL) {
        free(array);
        torture_note(scene, PBS_ERROR_MEMORY);
        return NULL;
    }
    memset((char *)grown + count * size, 0, size);
    return grown;
}

static struct torture_body *append_body(struct torture *scene, pbs_body id,
                                        enum torture_kind kind) {
    if (scene->status < 0) {
        return NULL;
    }
    scene->bodies = grow(scene, scene->bodies, scene->body_count, sizeof *scene->bodies);
    if (scene->bodies == NULL) {
        scene->body_count = 0;
        return NULL;
    }
    struct torture_body *const body = scene->bodies + scene->body_count++;
    body->id = id;
    body->kind = kind;
    return body;
}

static void set_contact(struct torture *scene, pbs_body id, double friction, double offset) {
    pbs_contact_desc contact;
    pbs_contact_desc_init(&contact, sizeof contact);
    contact.friction = friction;
    contact.offset = offset;
    torture_note(scene, pbs_body_set_contact(scene->world, id, &contact));
}

/// Returns vertex_count copies of the velocity; null if memory is short.
static double *same_for_all(const double velocity[3], size_t vertex_count) {
    double *const out = malloc(3 * vertex_count * sizeof *out);
    for (size_t k = 0; out != NULL && k < 3 * vertex_count; k++) {
        out[k] = velocity[k % 3];
    }
    return out;
}

static pbs_status create_soft(struct torture *scene, const struct tet_mesh *mesh,
                              const struct torture_matter *matter, pbs_body *id) {
    double *const velocities = same_for_all(matter->velocity, mesh->vertex_count);
    if (velocities == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d.material = PBS_MATERIAL_NEO_HOOKEAN;
    d.young = matter->young;
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    d.initial_velocities = velocities;
    const pbs_status status = pbs_body_create_solid(scene->world, &d, id);
    free(velocities);
    return status;
}

pbs_body torture_add_solid(struct torture *scene, const struct tet_mesh *mesh,
                           enum torture_kind kind, const struct torture_matter *matter) {
    pbs_body id = {0};
    if (scene->status < 0) {
        return id;
    }
    if (kind == TORTURE_SOFT) {
        torture_note(scene, create_soft(scene, mesh, matter, &id));
        struct torture_body *const body = append_body(scene, id, kind);
        torture_made(scene, body != NULL && tet_mesh_append(&body->rest, mesh));
    } else {
        pbs_affine_desc d;
        pbs_affine_desc_init(&d, sizeof d);
        d.vertex_count = mesh->vertex_count;
        d.positions = mesh->positions;
        d.tet_count = mesh->tet_count;
        d.tets = mesh->tets;
        memcpy(d.velocity, matter->velocity, sizeof d.velocity);
        torture_note(scene, pbs_body_create_affine(scene->world, &d, &id));
        append_body(scene, id, kind);
    }
    set_contact(scene, id, matter->friction, 0.0);
    return id;
}

pbs_body torture_add_hull(struct torture *scene, const struct surface_mesh *surface,
                          const struct torture_matter *matter) {
    pbs_body id = {0};
    if (scene->status < 0) {
        return id;
    }
    pbs_affine_desc d;
    pbs_affine_desc_init(&d, sizeof d);
    d.vertex_count = surface->vertex_count;
    d.positions = surface->positions;
    d.triangle_count = surface->triangle_count;
    d.triangles = surface->triangles;
    memcpy(d.velocity, matter->velocity, sizeof d.velocity);
    torture_note(scene, pbs_body_create_affine(scene->world, &d, &id));
    append_body(scene, id, TORTURE_AFFINE);
    set_contact(scene, id, matter->friction, 0.0);
    return id;
}

pbs_body torture_add_shell(struct torture *scene, const struct surface_mesh *surface,
                           const struct torture_matter *matter) {
    pbs_body id = {0};
    if (scene->status < 0) {
        return id;
    }
    double *const velocities = same_for_all(matter->velocity, surface->vertex_count);
    if (!torture_made(scene, velocities != NULL)) {
        return id;
    }
    pbs_shell_desc d;
    pbs_shell_desc_init(&d, sizeof d);
    d.vertex_count = surface->vertex_count;
    d.positions = surface->positions;
    d.triangle_count = surface->triangle_count;
    d.triangles = surface->triangles;
    d.thickness = scene->options.thickness;
    d.young = matter->young;
    d.initial_velocities = velocities;
    torture_note(scene, pbs_body_create_shell(scene->world, &d, &id));
    free(velocities);
    append_body(scene, id, TORTURE_SHELL);
    set_contact(scene, id, matter->friction, 0.5 * scene->options.thickness);
    return id;
}

static pbs_collider add_collider(struct torture *scene, const pbs_collider_desc *d,
                                 const struct surface_mesh *surface) {
    pbs_collider id = {0};
    if (scene->status < 0) {
        return id;
    }
    torture_note(scene, pbs_collider_create(scene->world, d, &id));
    scene->obstacles = grow(scene, scene->obstacles, scene->obstacle_count,
                            sizeof *scene->obstacles);
    if (scene->obstacles == NULL) {
        scene->obstacle_count = 0;
        return id;
    }
    struct torture_obstacle *const obstacle = scene->obstacles + scene->obstacle_count++;
    obstacle->id = id;
    torture_made(scene, surface == NULL || surface_mesh_append(&obstacle->surface, surface));
    return id;
}

pbs_collider torture_add_obstacle(struct torture *scene, const struct surface_mesh *surface,
                                  const double *position, double friction) {
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = PBS_SHAPE_MESH;
    d.friction = friction;
    d.vertex_count = surface->vertex_count;
    d.vertices = surface->positions;
    d.triangle_count = surface->triangle_count;
    d.triangles = surface->triangles;
    if (position != NULL) {
        memcpy(d.position, position, sizeof d.position);
    }
    return add_collider(scene, &d, surface);
}

void torture_add_plane(struct torture *scene, const double origin[3], const double normal[3],
                       double friction) {
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    d.friction = friction;
    memcpy(d.position, origin, sizeof d.position);
    // Rotation from the y axis to the normal.
    const double w = sqrt(0.5 * (1.0 + normal[1]));
    d.orientation[0] = 0.5 * normal[2] / w;
    d.orientation[2] = -0.5 * normal[0] / w;
    d.orientation[3] = w;
    add_collider(scene, &d, NULL);
}

bool torture_boundary(const struct tet_mesh *mesh, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    uint32_t *const places = malloc(mesh->vertex_count * sizeof *places);
    out->positions = malloc(3 * mesh->vertex_count * sizeof *out->positions);
    if (places == NULL || out->positions == NULL ||
        !tet_mesh_boundary(mesh, &out->triangles, &out->triangle_count)) {
        free(places);
        surface_mesh_free(out);
        return false;
    }
    memset(places, 0xff, mesh->vertex_count * sizeof *places);
    for (size_t i = 0; i < 3 * out->triangle_count; i++) {
        const uint32_t v = out->triangles[i];
        if (places[v] == UINT32_MAX) {
            places[v] = (uint32_t)out->vertex_count;
            memcpy(out->positions + 3 * out->vertex_count++, mesh->positions + 3 * (size_t)v,
                   3 * sizeof *out->positions);
        }
        out->triangles[i] = places[v];
    }
    free(places);
    return true;
}

void torture_stand(double *positions, size_t vertex_count, double x, double y, double z) {
    double lower[3], upper[3];
    positions_bounds(positions, vertex_count, lower, upper);
    positions_translate(positions, vertex_count, x - 0.5 * (lower[0] + upper[0]), y - lower[1],
                        z - 0.5 * (lower[2] + upper[2]));
}

void torture_fit(double *positions, size_t vertex_count, double extent) {
    double lower[3], upper[3];
    positions_bounds(positions, vertex_count, lower, upper);
    const double largest = fmax(upper[0] - lower[0],
                                fmax(upper[1] - lower[1], upper[2] - lower[2]));
    positions_translate(positions, vertex_count, -0.5 * (lower[0] + upper[0]),
                        -0.5 * (lower[1] + upper[1]), -0.5 * (lower[2] + upper[2]));
    positions_scale(positions, vertex_count, extent / largest);
}

// --- prescribed motions ---

static struct torture_mover *append_mover(struct torture *scene) {
    if (scene->status < 0) {
        return NULL;
    }
    scene->movers = grow(scene, scene->movers, scene->mover_count, sizeof *scene->movers);
    if (scene->movers == NULL) {
        scene->mover_count = 0;
        return NULL;
    }
    struct torture_mover *const mover = scene->movers + scene->mover_count++;
    mover->end = INFINITY;
    mover->axis[0] = 1.0;
    return mover;
}

static double limited(const struct torture *scene, double rate) {
    const double most = LARGEST_TURN / scene->options.step;
    return fmin(fmax(rate, -most), most);
}

static double time_for(const double velocity[3], double travel) {
    const double speed = sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] +
                              velocity[2] * velocity[2]);
    return speed > 0.0 ? travel / speed : INFINITY;
}

void torture_move_collider(struct torture *scene, pbs_collider collider, const double velocity[3],
                           double travel, const double axis[3], double rate) {
    struct torture_mover *const mover = append_mover(scene);
    if (mover == NULL) {
        return;
    }
    mover->collider = collider;
    mover->rate = limited(scene, rate);
    mover->end = time_for(velocity, travel);
    memcpy(mover->velocity, velocity, sizeof mover->velocity);
    memcpy(mover->axis, axis, sizeof mover->axis);
    torture_note(scene, pbs_collider_pose(scene->world, collider, mover->place, NULL));
}

void torture_move_affine(struct torture *scene, pbs_body body, const double velocity[3],
                         double travel) {
    struct torture_mover *const mover = append_mover(scene);
    if (mover == NULL) {
        return;
    }
    mover->body = body;
    mover->end = time_for(velocity, travel);
    memcpy(mover->velocity, velocity, sizeof mover->velocity);
    torture_note(scene, pbs_body_pose(scene->world, body, mover->place, NULL));
}

void torture_turn_end(struct torture *scene, pbs_body body, int side, double depth, double rate) {
    struct torture_mover *const mover = append_mover(scene);
    if (mover == NULL) {
        return;
    }
    const size_t vertex_count = pbs_body_vertex_count(scene->world, body);
    const double *const x = pbs_body_positions(scene->world, body);
    double lower[3], upper[3];
    positions_bounds(x, vertex_count, lower, upper);
    mover->body = body;
    mover->rate = limited(scene, rate);
    for (int k = 1; k < 3; k++) {
        mover->centre[k] = 0.5 * (lower[k] + upper[k]);
    }
    mover->vertices = malloc(vertex_count * sizeof *mover->vertices);
    mover->start = malloc(3 * vertex_count * sizeof *mover->start);
    mover->targets = malloc(3 * vertex_count * sizeof *mover->targets);
    if (!torture_made(scene, mover->vertices && mover->start && mover->targets)) {
        return;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        const double from_end = side > 0 ? upper[0] - x[3 * v] : x[3 * v] - lower[0];
        if (from_end <= depth) {
            memcpy(mover->start + 3 * mover->count, x + 3 * v, 3 * sizeof *x);
            mover->vertices[mover->count++] = (uint32_t)v;
        }
    }
}
