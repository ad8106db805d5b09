// Bodies in one call: a mesh, a description, and friction.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "pbs/mesh.h"
#include "world/interface/check.h"
#include "world/simple_objects/simple_objects.h"
#include "world/world.h"

static const double PI = 3.14159265358979323846;

// How many cells soft bodies have. Each of these is documented in body.h.
static const double BOX_CELLS = 4.0, BOX_MOST = 32.0;
static const double CLOTH_CELLS = 16.0, CLOTH_MOST = 64.0;
static const double LAYERS_MOST = 32.0;
enum { SOFT_RINGS = 3, RIGID_RINGS = 4, ROPE_CELLS = 32 };

/// What all of these calls are given.
struct simple_body {
    pbs_world *w;
    const double *position;
    double density, young;
    double offset; ///< m, of contact
};

// --- what all share ---

static pbs_status check_body(const struct simple_body *body, const pbs_body *out) {
    RETURN_IF_FAILED(world_enter(body->w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    RETURN_IF_FAILED(check_pointer(body->position, "position"));
    RETURN_IF_FAILED(check_point(body->position, "position"));
    RETURN_IF_FAILED(check_value(body->density, "density"));
    return check_value_or_zero(body->young, "young");
}

static uint32_t nearest_count(double value, double most) {
    return (uint32_t)fmin(fmax(round(value), 1.0), most);
}

/// Gives a new body its friction. A body that cannot have it goes.
static pbs_status add_friction(const struct simple_body *body, pbs_body made, pbs_body *out) {
    pbs_contact_desc contact;
    RETURN_IF_FAILED(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = SIMPLE_FRICTION;
    contact.offset = body->offset;
    const pbs_status status = pbs_body_set_contact(body->w, made, &contact);
    if (status < 0) {
        pbs_body_destroy(body->w, made);
        return status;
    }
    *out = made;
    return PBS_OK;
}

// --- solid and nearly rigid bodies ---

static pbs_status create_affine(const struct simple_body *body, const pbs_mesh *mesh,
                                pbs_body *made) {
    pbs_affine_desc d;
    RETURN_IF_FAILED(pbs_affine_desc_init(&d, sizeof d));
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    d.density = body->density;
    copy3(body->position, d.position);
    return pbs_body_create_affine(body->w, &d, made);
}

static pbs_status create_solid(const struct simple_body *body, pbs_mesh *mesh, pbs_body *made) {
    pbs_solid_desc d;
    RETURN_IF_FAILED(pbs_mesh_transform(mesh, NULL, NULL, body->position));
    RETURN_IF_FAILED(pbs_solid_desc_init(&d, sizeof d));
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    d.density = body->density;
    d.young = body->young;
    return pbs_body_create_solid(body->w, &d, made);
}

/// Makes a body of a mesh that making has answered with `status`, and frees the mesh.
static pbs_status create_of_mesh(const struct simple_body *body, pbs_status status, pbs_mesh *mesh,
                                 pbs_body *out) {
    pbs_body made = {0};
    if (status >= 0) {
        status = body->young > 0.0 ? create_solid(body, mesh, &made)
                                   : create_affine(body, mesh, &made);
    }
    pbs_mesh_free(mesh);
    return status < 0 ? status : add_friction(body, made, out);
}

static void choose_box_cells(const double size[3], double young, uint32_t cells[3]) {
    const double cell = cbrt(size[0]) * cbrt(size[1]) * cbrt(size[2]) / BOX_CELLS;
    for (int k = 0; k < 3; k++) {
        cells[k] = young > 0.0 ? nearest_count(size[k] / cell, BOX_MOST) : 1;
    }
}

pbs_status pbs_body_create_box(pbs_world *w, const double size[3], const double position[3],
                               double density, double young, pbs_body *out) {
    ARITHMETIC_SCOPE();
    const struct simple_body body = {w, position, density, young, 0.0};
    pbs_mesh mesh;
    uint32_t cells[3];
    RETURN_IF_FAILED(check_body(&body, out));
    RETURN_IF_FAILED(check_pointer(size, "size"));
    RETURN_IF_FAILED(pbs_mesh_init(&mesh, sizeof mesh));
    choose_box_cells(size, young, cells);
    const pbs_status status = pbs_mesh_box(&w->memory.allocator, size, cells, &mesh);
    return create_of_mesh(&body, status, &mesh, out);
}

pbs_status pbs_body_create_ball(pbs_world *w, double radius, const double position[3],
                                double density, double young, pbs_body *out) {
    ARITHMETIC_SCOPE();
    const struct simple_body body = {w, position, density, young, 0.0};
    pbs_mesh mesh;
    RETURN_IF_FAILED(check_body(&body, out));
    RETURN_IF_FAILED(pbs_mesh_init(&mesh, sizeof mesh));
    const bool is_soft = young > 0.0;
    const pbs_status status = pbs_mesh_ball(&w->memory.allocator, radius,
                                            is_soft ? SOFT_RINGS : RIGID_RINGS, is_soft, &mesh);
    return create_of_mesh(&body, status, &mesh, out);
}

typedef pbs_status make_long_mesh(const pbs_allocator *allocator, double radius, double height,
                                  const uint32_t cells[2], int32_t filled, pbs_mesh *out);

/// A capsule or a cylinder.
static pbs_status create_long(const struct simple_body *body, make_long_mesh *make, double radius,
                              double height, pbs_body *out) {
    pbs_mesh mesh;
    RETURN_IF_FAILED(check_body(body, out));
    RETURN_IF_FAILED(pbs_mesh_init(&mesh, sizeof mesh));
    const bool is_soft = body->young > 0.0;
    const uint32_t layers = nearest_count(SOFT_RINGS * height / radius, LAYERS_MOST);
    const uint32_t cells[2] = {is_soft ? SOFT_RINGS : RIGID_RINGS, is_soft ? layers : 1};
    const pbs_status status = make(&body->w->memory.allocator, radius, height, cells, is_soft,
                                   &mesh);
    return create_of_mesh(body, status, &mesh, out);
}

pbs_status pbs_body_create_capsule(pbs_world *w, double radius, double height,
                                   const double position[3], double density, double young,
                                   pbs_body *out) {
    ARITHMETIC_SCOPE();
    const struct simple_body body = {w, position, density, young, 0.0};
    return create_long(&body, pbs_mesh_capsule, radius, height, out);
}

pbs_status pbs_body_create_cylinder(pbs_world *w, double radius, double height,
                                    const double position[3], double density, double young,
                                    pbs_body *out) {
    ARITHMETIC_SCOPE();
    const struct simple_body body = {w, position, density, young, 0.0};
    return create_long(&body, pbs_mesh_cylinder, radius, height, out);
}

// --- cloth ---

static pbs_status create_shell(const struct simple_body *body, pbs_mesh *mesh, double thickness,
                               pbs_body *made) {
    pbs_shell_desc d;
    RETURN_IF_FAILED(pbs_mesh_transform(mesh, NULL, NULL, body->position));
    RETURN_IF_FAILED(pbs_shell_desc_init(&d, sizeof d));
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    d.thickness = thickness;
    d.density = body->density;
    d.young = body->young;
    d.bending = PBS_BENDING_HINGE;
    return pbs_body_create_shell(body->w, &d, made);
}

pbs_status pbs_body_create_cloth(pbs_world *w, const double size[2], const double position[3],
                                 double density, double thickness, double young, pbs_body *out) {
    ARITHMETIC_SCOPE();
    const struct simple_body body = {w, position, density, young, 0.0};
    pbs_mesh mesh;
    pbs_body made = {0};
    RETURN_IF_FAILED(check_body(&body, out));
    RETURN_IF_FAILED(check_value(young, "young"));
    RETURN_IF_FAILED(check_pointer(size, "size"));
    RETURN_IF_FAILED(pbs_mesh_init(&mesh, sizeof mesh));
    const double cell = sqrt(size[0]) * sqrt(size[1]) / CLOTH_CELLS;
    const uint32_t cells[2] = {nearest_count(size[0] / cell, CLOTH_MOST),
                               nearest_count(size[1] / cell, CLOTH_MOST)};
    pbs_status status = pbs_mesh_sheet(&w->memory.allocator, size, cells, &mesh);
    if (status >= 0) {
        status = create_shell(&body, &mesh, thickness, &made);
    }
    pbs_mesh_free(&mesh);
    return status < 0 ? status : add_friction(&body, made, out);
}

// --- ropes ---

/// Half of a spring's mass goes to each of its ends.
static pbs_status create_springs(const struct simple_body *body, const double to[3], double radius,
                                 double length, pbs_body *made) {
    double positions[3 * (ROPE_CELLS + 1)], masses[ROPE_CELLS + 1];
    uint32_t springs[2 * ROPE_CELLS];
    const double section = PI * radius * radius, spring = length / ROPE_CELLS;
    pbs_springs_desc d;
    RETURN_IF_FAILED(pbs_springs_desc_init(&d, sizeof d));
    for (size_t i = 0; i <= ROPE_CELLS; i++) {
        const double part = (double)i / ROPE_CELLS;
        scale3(1.0 - part, body->position, positions + 3 * i);
        add_scaled3(positions + 3 * i, part, to, positions + 3 * i);
        masses[i] = (i == 0 || i == ROPE_CELLS ? 0.5 : 1.0) * body->density * section * spring;
    }
    for (uint32_t i = 0; i < ROPE_CELLS; i++) {
        springs[2 * i] = i;
        springs[2 * i + 1] = i + 1;
    }
    d.vertex_count = ROPE_CELLS + 1;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = ROPE_CELLS;
    d.springs = springs;
    d.stiffness = body->young * section / spring;
    return pbs_body_create_springs(body->w, &d, made);
}

pbs_status pbs_body_create_rope(pbs_world *w, const double from[3], const double to[3],
                                double radius, double density, double young, pbs_body *out) {
    ARITHMETIC_SCOPE();
    const struct simple_body body = {w, from, density, young, radius};
    pbs_body made = {0};
    double arm[3];
    RETURN_IF_FAILED(check_body(&body, out));
    RETURN_IF_FAILED(check_value(young, "young"));
    RETURN_IF_FAILED(check_pointer(to, "to"));
    RETURN_IF_FAILED(check_point(to, "to"));
    RETURN_IF_FAILED(check_length(radius, "radius"));
    subtract3(to, from, arm);
    RETURN_IF_FAILED(check_length(norm3(arm), "the distance of the ends"));
    RETURN_IF_FAILED(create_springs(&body, to, radius, norm3(arm), &made));
    return add_friction(&body, made, out);
}
