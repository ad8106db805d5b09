// Creates the meshes and bodies of ECI's scenes; see eci_contact_build.h.
// SPDX-License-Identifier: MIT
#include "scenes/eci/eci_contact_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"

// --- meshes ---

/// Generates the replacement of a mesh file, with about the same size and pose.
static bool generate(const char *file, struct tet_mesh *out) {
    static const double x_axis[3] = {1.0, 0.0, 0.0};
    bool made = false;
    if (strncmp(file, "sphere", 6) == 0) {
        made = shape_ball(0.5, 0.14, out);
    } else if (strncmp(file, "dice", 4) == 0) {
        made = shape_cube_grid(4, out);
        positions_translate(out->positions, out->vertex_count, -0.5, -0.5, -0.5);
    } else if (strncmp(file, "ring", 4) == 0) {
        made = shape_torus(0.5, 0.12, 0.09, out);
        positions_rotate(out->positions, out->vertex_count, x_axis, 0.5 * ECI_PI);
    } else {
        made = shape_torus(0.34, 0.16, 0.08, out);
        positions_rotate(out->positions, out->vertex_count, x_axis, 0.3 * ECI_PI);
    }
    return made;
}

bool eci_load(const struct eci_contact_options *o, struct eci_contact *scene, const char *file,
              struct tet_mesh *out) {
    char path[512];
    struct mesh_report report;
    const struct mesh_read_options strict = {0};
    snprintf(path, sizeof path, "%s/%s.msh", o->meshes != NULL ? o->meshes : "", file);
    if (o->meshes != NULL && mesh_read_tets(path, &strict, out, &report)) {
        return true;
    }
    scene->generated = true;
    return generate(file, out);
}

void eci_fit(struct tet_mesh *mesh, double extent, bool height) {
    double lower[3], upper[3];
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    positions_translate(mesh->positions, mesh->vertex_count, -0.5 * (lower[0] + upper[0]),
                        -0.5 * (lower[1] + upper[1]), -0.5 * (lower[2] + upper[2]));
    const double largest = fmax(upper[0] - lower[0],
                                fmax(upper[1] - lower[1], upper[2] - lower[2]));
    positions_scale(mesh->positions, mesh->vertex_count,
                    extent / (height ? upper[1] - lower[1] : largest));
}

void eci_stand(struct tet_mesh *mesh, double x, double y, double z) {
    double lower[3], upper[3];
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    positions_translate(mesh->positions, mesh->vertex_count, x - 0.5 * (lower[0] + upper[0]),
                        y - lower[1], z - 0.5 * (lower[2] + upper[2]));
}

// --- bodies ---

struct eci_contact_body *eci_append(struct eci_contact *scene, size_t vertex_count,
                                    const double *x) {
    struct eci_contact_body *bodies = realloc(scene->bodies,
                                              (scene->body_count + 1) * sizeof *bodies);
    if (bodies == NULL) {
        return NULL;
    }
    scene->bodies = bodies;
    struct eci_contact_body *body = bodies + scene->body_count;
    *body = (struct eci_contact_body){.vertex_count = vertex_count,
                                      .masses = calloc(vertex_count, sizeof(double)),
                                      .initial = malloc(3 * vertex_count * sizeof(double))};
    scene->body_count++;
    if (body->masses == NULL || body->initial == NULL) {
        return NULL;
    }
    memcpy(body->initial, x, 3 * vertex_count * sizeof *x);
    return body;
}

void eci_weigh(struct eci_contact *scene, const struct eci_contact_body *body) {
    for (size_t v = 0; v < body->vertex_count; v++) {
        scene->height_energy += ECI_GRAVITY * body->masses[v] * body->initial[3 * v + 1];
    }
}

static pbs_status keep_solid(struct eci_contact *scene, pbs_body id, const struct tet_mesh *mesh,
                             double density) {
    struct eci_contact_body *body = eci_append(scene, mesh->vertex_count, mesh->positions);
    if (body == NULL || !tet_mesh_append(&body->rest, mesh)) {
        return PBS_ERROR_MEMORY;
    }
    body->id = id;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        for (size_t k = 0; k < 4; k++) {
            body->masses[mesh->tets[4 * t + k]] += 0.25 * density * tet_volume(mesh, t);
        }
    }
    eci_weigh(scene, body);
    return PBS_OK;
}

pbs_solid_desc eci_neo_hookean(double young) {
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d.material = PBS_MATERIAL_NEO_HOOKEAN;
    d.young = young;
    return d;
}

static pbs_status set_friction(struct eci_contact *scene, pbs_body id, double friction) {
    pbs_contact_desc contact;
    pbs_contact_desc_init(&contact, sizeof contact);
    contact.friction = friction;
    return pbs_body_set_contact(scene->world, id, &contact);
}

pbs_status eci_add_solid(struct eci_contact *scene, const struct tet_mesh *mesh,
                         const pbs_solid_desc *like, double friction) {
    pbs_solid_desc d = *like;
    pbs_body id;
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    pbs_status status = pbs_body_create_solid(scene->world, &d, &id);
    if (status >= 0) {
        status = keep_solid(scene, id, mesh, d.density);
    }
    return status >= 0 ? set_friction(scene, id, friction) : status;
}

pbs_status eci_add_affine(struct eci_contact *scene, const struct tet_mesh *mesh, double stiffness,
                          bool held) {
    pbs_affine_desc d;
    pbs_body id;
    pbs_affine_desc_init(&d, sizeof d);
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    d.stiffness = stiffness;
    pbs_status status = pbs_body_create_affine(scene->world, &d, &id);
    if (status >= 0) {
        status = keep_solid(scene, id, mesh, d.density);
    }
    return status >= 0 && held ? pbs_body_pin_all(scene->world, id) : status;
}

pbs_status eci_add_ground(struct eci_contact *scene) {
    pbs_collider_desc d;
    pbs_collider id;
    pbs_collider_desc_init(&d, sizeof d);
    scene->ground = true;
    return pbs_collider_create(scene->world, &d, &id);
}

double eci_mass(const struct eci_contact_body *body) {
    double mass = 0.0;
    for (size_t v = 0; v < body->vertex_count; v++) {
        mass += body->masses[v];
    }
    return mass;
}
