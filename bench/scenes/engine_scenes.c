// Creates the scenes of engine_scenes.h.
// SPDX-License-Identifier: MIT
#include "scenes/engine_scenes.h"

#include <math.h>
#include <stdlib.h>

#include "common/meshes/shapes.h"

static pbs_status clamp_left_face(pbs_world *world, pbs_body body, const struct tet_mesh *mesh) {
    uint32_t *clamped = malloc(mesh->vertex_count * sizeof *clamped);
    if (clamped == NULL) {
        return PBS_ERROR_MEMORY;
    }
    size_t count = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (mesh->positions[3 * i] == 0.0) {
            clamped[count++] = (uint32_t)i;
        }
    }
    const pbs_status status = pbs_body_pin(world, body, clamped, count, PBS_AXIS_ALL);
    free(clamped);
    return status;
}

static pbs_status add_ground(pbs_world *world) {
    pbs_collider_desc desc;
    pbs_collider ground;
    pbs_collider_desc_init(&desc, sizeof desc);
    desc.friction = 0.5;
    return pbs_collider_create(world, &desc, &ground);
}

static pbs_status fill_world(const struct cube_scene *scene, pbs_world *world, pbs_body *body,
                             const struct tet_mesh *mesh) {
    pbs_solid_desc desc;
    pbs_solid_desc_init(&desc, sizeof desc);
    desc.vertex_count = mesh->vertex_count;
    desc.positions = mesh->positions;
    desc.tet_count = mesh->tet_count;
    desc.tets = mesh->tets;
    desc.young = scene->young;
    desc.poisson = 0.3;
    pbs_status status = pbs_body_create_solid(world, &desc, body);
    if (status == PBS_OK && scene->clamped) {
        status = clamp_left_face(world, *body, mesh);
    }
    if (status == PBS_OK && scene->ground) {
        status = add_ground(world);
    }
    return status;
}

pbs_status cube_scene_create(const struct cube_scene *scene, const pbs_world_desc *settings,
                             pbs_world **world, pbs_body *body, struct tet_mesh *mesh) {
    pbs_world_desc desc;
    pbs_world_desc_init(&desc, sizeof desc);
    desc.contact = PBS_CONTACT_PROJECTION;
    if (settings != NULL) {
        desc = *settings;
    }
    desc.gravity[1] = -9.81;
    if (!shape_cube_grid(scene->cells, mesh)) {
        return PBS_ERROR_MEMORY;
    }
    if (scene->ground) {
        positions_translate(mesh->positions, mesh->vertex_count, 0.0, 1.0, 0.0);
    }
    pbs_status status = pbs_world_create(&desc, world);
    if (status == PBS_OK) {
        status = fill_world(scene, *world, body, mesh);
    }
    return status;
}

double cube_scene_tip(const pbs_world *world, pbs_body body, const struct tet_mesh *mesh) {
    const double *positions = pbs_body_positions(world, body);
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (mesh->positions[3 * i] == 1.0) {
            sum += positions[3 * i + 1] - mesh->positions[3 * i + 1];
            count++;
        }
    }
    return sum / (double)count;
}

double cube_scene_energy(const pbs_world *world) {
    pbs_energy energy = {.struct_size = sizeof energy};
    return pbs_world_energy(world, &energy) < 0 ? NAN : energy.total;
}

double cube_scene_lowest(const pbs_world *world, pbs_body body) {
    const double *positions = pbs_body_positions(world, body);
    double lowest = INFINITY;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        lowest = fmin(lowest, positions[3 * i + 1]);
    }
    return lowest;
}

double cube_scene_height(const pbs_world *world, pbs_body body) {
    const double *positions = pbs_body_positions(world, body);
    const double *masses = pbs_body_masses(world, body);
    double sum = 0.0, mass = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        sum += masses[i] * positions[3 * i + 1];
        mass += masses[i];
    }
    return sum / mass;
}

static double signed_volume(const double *positions, const uint32_t *tet) {
    double e[3][3];
    for (size_t a = 0; a < 3; a++) {
        for (size_t i = 0; i < 3; i++) {
            e[a][i] = positions[3 * tet[a + 1] + i] - positions[3 * tet[0] + i];
        }
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

double cube_scene_smallest_jacobian(const pbs_world *world, pbs_body body,
                                    const struct tet_mesh *mesh) {
    const double *positions = pbs_body_positions(world, body);
    double smallest = INFINITY;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const uint32_t *tet = mesh->tets + 4 * t;
        smallest = fmin(smallest,
                        signed_volume(positions, tet) / signed_volume(mesh->positions, tet));
    }
    return smallest;
}
