// Places the bodies of each of ECI's scenes; see eci_contact_build.h.
// SPDX-License-Identifier: MIT
#include "scenes/eci/eci_contact_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"

static const double BESSEL_ZERO = 5.13562230184068; // j21
static const double MEMBRANE_RADIUS = 0.1;          // m, stretched

/// Sets the ground energy to that of a rest state whose gravity potential is `rest` J relative to y
/// = 0.
static void set_ground_energy(struct eci_contact *scene, double rest) {
    scene->integrator.energy_control.ground = rest - scene->height_energy;
}
static pbs_status fill_ball(struct eci_contact *scene, enum eci_contact_kind kind,
                            const struct eci_contact_options *o) {
    const double young[] = {1e5, 1e6, 1e7};
    struct tet_mesh mesh = {0};
    if (!eci_load(o, scene, "sphere_7k", &mesh)) {
        return PBS_ERROR_MEMORY;
    }
    eci_fit(&mesh, 0.1, false);
    eci_stand(&mesh, 0.0, 1.0, 0.0);
    pbs_status status = PBS_OK;
    if (kind == ECI_BALL_AFFINE) {
        status = eci_add_affine(scene, &mesh, 1e7, false);
    } else {
        const pbs_solid_desc like = eci_neo_hookean(young[kind - ECI_BALL_SOFT]);
        status = eci_add_solid(scene, &mesh, &like, 0.0);
    }
    tet_mesh_free(&mesh);
    if (status >= 0) {
        set_ground_energy(scene, ECI_GRAVITY * eci_mass(scene->bodies) * 0.05);
    }
    scene->duration = o->full ? 10.0 : 1.0;
    return status >= 0 ? eci_add_ground(scene) : status;
}

static pbs_status fill_dice(struct eci_contact *scene, const struct eci_contact_options *o) {
    static const double x_axis[3] = {1.0, 0.0, 0.0}, z_axis[3] = {0.0, 0.0, 1.0};
    const size_t count = o->full ? 8 : 2;
    struct tet_mesh mesh = {0};
    if (!eci_load(o, scene, o->full ? "dice_4k" : "dice_1k", &mesh)) {
        return PBS_ERROR_MEMORY;
    }
    eci_fit(&mesh, 0.1, false);
    positions_rotate(mesh.positions, mesh.vertex_count, z_axis, 0.3);
    positions_rotate(mesh.positions, mesh.vertex_count, x_axis, 0.3);
    double *velocities = calloc(3 * mesh.vertex_count, sizeof *velocities);
    pbs_status status = velocities != NULL ? PBS_OK : PBS_ERROR_MEMORY;
    for (size_t v = 0; velocities != NULL && v < mesh.vertex_count; v++) {
        velocities[3 * v + 2] = 0.3;
    }
    double weight = 0.0;
    for (size_t i = 0; i < count && status >= 0; i++) {
        const double root = (double)i / (double)(count - 1);
        pbs_solid_desc like = eci_neo_hookean(3e5);
        like.initial_velocities = velocities;
        eci_stand(&mesh, 0.2 * (double)i, 0.3, 0.0);
        status = eci_add_solid(scene, &mesh, &like, root * root);
        weight += status >= 0 ? ECI_GRAVITY * eci_mass(scene->bodies + i) : 0.0;
    }
    free(velocities);
    tet_mesh_free(&mesh);
    set_ground_energy(scene, 0.05 * weight);
    scene->phases[0].decay = o->full ? 6.0 : 0.0;
    scene->phase_count = o->full ? 1 : 0;
    scene->duration = o->full ? 6.0 : 0.5;
    return status >= 0 ? eci_add_ground(scene) : status;
}

/// Adds stairs of 1.0 x 0.5 x 0.5 m with eight steps that descend from +x to -x.
static pbs_status add_stairs(struct eci_contact *scene) {
    static const double y_axis[3] = {0.0, 1.0, 0.0};
    struct surface_mesh *mesh = &scene->obstacle;
    if (!surface_stairs(8, 0.0625, 0.125, 0.5, mesh)) {
        return PBS_ERROR_MEMORY;
    }
    positions_rotate(mesh->positions, mesh->vertex_count, y_axis, ECI_PI);
    positions_translate(mesh->positions, mesh->vertex_count, 0.5, 0.0, 0.0);
    pbs_collider_desc d;
    pbs_collider id;
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = mesh->vertex_count;
    d.vertices = mesh->positions;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    return pbs_collider_create(scene->world, &d, &id);
}

static pbs_status fill_stairs(struct eci_contact *scene, const struct eci_contact_options *o) {
    struct tet_mesh mesh = {0};
    if (!eci_load(o, scene, o->full ? "bunny_19k" : "bunny_7k", &mesh)) {
        return PBS_ERROR_MEMORY;
    }
    eci_fit(&mesh, 0.25, false);
    positions_translate(mesh.positions, mesh.vertex_count, 0.35, 0.85, 0.0);
    const pbs_solid_desc like = eci_neo_hookean(2e5);
    pbs_status status = eci_add_solid(scene, &mesh, &like, 0.0);
    tet_mesh_free(&mesh);
    if (status >= 0) {
        // The rest state is at the foot of the stairs, in the initial pose.
        double center[3];
        eci_contact_center(scene, 0, center);
        set_ground_energy(scene, ECI_GRAVITY * eci_mass(scene->bodies) *
                                     (center[1] - eci_contact_lowest(scene, 0)));
        status = add_stairs(scene);
    }
    scene->duration = o->full ? 2.5 : 0.5;
    return status >= 0 ? eci_add_ground(scene) : status;
}

/// Creates a disc of concentric rings in the plane y = 0, with normals up. Ring i has 6 i vertices;
/// vertex 0 is the centre.
static bool concentric_disc(double radius, size_t rings, struct surface_mesh *out) {
    *out = (struct surface_mesh){.vertex_count = 1 + 3 * rings * (rings + 1),
                                 .triangle_count = 6 * rings * rings};
    out->positions = calloc(3 * out->vertex_count, sizeof *out->positions);
    out->triangles = calloc(3 * out->triangle_count, sizeof *out->triangles);
    if (out->positions == NULL || out->triangles == NULL) {
        surface_mesh_free(out);
        return false;
    }
    uint32_t *at = out->triangles;
    for (size_t i = 1; i <= rings; i++) {
        const size_t outer = 1 + 3 * i * (i - 1);
        const size_t inner = i > 1 ? 1 + 3 * (i - 1) * (i - 2) : 0;
        for (size_t k = 0; k < 6 * i; k++) {
            const double angle = 2.0 * ECI_PI * (double)k / (double)(6 * i);
            out->positions[3 * (outer + k)] = radius * (double)i / (double)rings * cos(angle);
            out->positions[3 * (outer + k) + 2] = -radius * (double)i / (double)rings * sin(angle);
            // In each sixth of ring i, every edge gives a triangle with a vertex of the inner ring.
            // All but the first also give a triangle with an edge of the inner ring.
            const size_t in_sixth = k % i;
            const size_t below = i > 1 ? (k - k / i) % (6 * (i - 1)) : 0;
            const uint32_t here = (uint32_t)(outer + k);
            const uint32_t next = (uint32_t)(outer + (k + 1) % (6 * i));
            const uint32_t foot = (uint32_t)(inner + below);
            if (in_sixth > 0) {
                const size_t before = (below + 6 * (i - 1) - 1) % (6 * (i - 1));
                *at++ = here;
                *at++ = foot;
                *at++ = (uint32_t)(inner + before);
            }
            *at++ = here;
            *at++ = next;
            *at++ = foot;
        }
    }
    return true;
}

static pbs_status keep_shell(struct eci_contact *scene, pbs_body id, const double *x) {
    struct eci_contact_body *body = eci_append(scene, pbs_body_vertex_count(scene->world, id), x);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    body->id = id;
    memcpy(body->masses, pbs_body_masses(scene->world, id),
           body->vertex_count * sizeof *body->masses);
    eci_weigh(scene, body);
    return PBS_OK;
}

static pbs_status fill_trampoline(struct eci_contact *scene, const struct eci_contact_options *o) {
    const size_t rings = o->full ? 40 : 12;
    struct tet_mesh mesh = {0};
    struct surface_mesh disc = {0};
    if (!concentric_disc(0.5, rings, &disc) ||
        !eci_load(o, scene, o->full ? "armadillo_121k" : "armadillo_4k", &mesh)) {
        surface_mesh_free(&disc);
        return PBS_ERROR_MEMORY;
    }
    eci_fit(&mesh, 0.5, true);
    eci_stand(&mesh, 0.0, 0.3, 0.0);
    const pbs_solid_desc like = eci_neo_hookean(1e5);
    pbs_status status = eci_add_solid(scene, &mesh, &like, 0.0);
    tet_mesh_free(&mesh);
    pbs_shell_desc d;
    pbs_body id;
    pbs_shell_desc_init(&d, sizeof d);
    d.vertex_count = disc.vertex_count;
    d.positions = disc.positions;
    d.triangle_count = disc.triangle_count;
    d.triangles = disc.triangles;
    d.thickness = 0.4e-3;
    d.young = 5e6;
    uint32_t held[8];
    for (size_t k = 0; k < 8; k++) {
        held[k] = (uint32_t)(1 + 3 * rings * (rings - 1) + 6 * rings * k / 8);
    }
    status = status >= 0 ? pbs_body_create_shell(scene->world, &d, &id) : status;
    status = status >= 0 ? keep_shell(scene, id, disc.positions) : status;
    status = status >= 0 ? pbs_body_pin(scene->world, id, held, 8, PBS_AXIS_ALL) : status;
    surface_mesh_free(&disc);
    if (status >= 0) {
        // The rest state is not known; assume the body's centre at the height of the rim.
        set_ground_energy(scene, 0.0);
    }
    scene->duration = o->full ? 3.0 : 0.5;
    return status;
}

/// Adds a ring of 7 cm. Its axis is z, as in the file, or the given axis.
static pbs_status add_ring(struct eci_contact *scene, const struct tet_mesh *mesh,
                           const double center[3], const double *axis, bool held) {
    struct tet_mesh ring = {0};
    if (!tet_mesh_append(&ring, mesh)) {
        return PBS_ERROR_MEMORY;
    }
    if (axis != NULL) {
        positions_rotate(ring.positions, ring.vertex_count, axis, 0.5 * ECI_PI);
    }
    positions_translate(ring.positions, ring.vertex_count, center[0], center[1], center[2]);
    const pbs_status status = eci_add_affine(scene, &ring, 1e8, held);
    tet_mesh_free(&ring);
    return status;
}

/// Adds the net: first horizontal rings on a grid of pitch 2 q, row by row; then a vertical ring
/// between each two neighbours along x, then along z. The outermost horizontal rings are fixed.
static pbs_status add_net(struct eci_contact *scene, const struct tet_mesh *ring, size_t nx,
                          size_t nz) {
    static const double x_axis[3] = {1.0, 0.0, 0.0}, y_axis[3] = {0.0, 1.0, 0.0};
    const double q = 0.579 * 0.07;
    pbs_status status = PBS_OK;
    for (int kind = 0; kind < 3; kind++) {
        const size_t columns = kind == 1 ? nx - 1 : nx;
        const size_t rows = kind == 2 ? nz - 1 : nz;
        for (size_t i = 0; i < columns * rows && status >= 0; i++) {
            const size_t column = i % columns;
            const size_t row = i / columns;
            const double center[3] = {
                q * (2.0 * (double)column - (double)(nx - 1) + (kind == 1 ? 1.0 : 0.0)), 0.0,
                q * (2.0 * (double)row - (double)(nz - 1) + (kind == 2 ? 1.0 : 0.0))};
            const bool rim = column == 0 || column + 1 == nx || row == 0 || row + 1 == nz;
            status = add_ring(scene, ring, center,
                              kind == 0   ? x_axis
                              : kind == 2 ? y_axis
                                          : NULL,
                              kind == 0 && rim);
        }
    }
    return status;
}

static pbs_status fill_chain(struct eci_contact *scene, const struct eci_contact_options *o) {
    struct tet_mesh mesh = {0};
    if (!eci_load(o, scene, "ring_1k", &mesh)) {
        return PBS_ERROR_MEMORY;
    }
    eci_fit(&mesh, 0.07, false);
    pbs_status status = add_net(scene, &mesh, o->full ? 6 : 3, o->full ? 7 : 3);
    tet_mesh_free(&mesh);
    if (status >= 0 && !eci_load(o, scene, "sphere_7k", &mesh)) {
        status = PBS_ERROR_MEMORY;
    }
    if (status >= 0) {
        eci_fit(&mesh, 0.15, false);
        // Above the vertical rings, which reach up to 3.5 cm.
        eci_stand(&mesh, 0.0, 0.035 + 0.2, 0.0);
        status = eci_add_affine(scene, &mesh, 1e8, false);
        tet_mesh_free(&mesh);
    }
    if (status >= 0) {
        // The rest state is assumed to have the ball at a depth of half the net's width.
        set_ground_energy(scene,
                          -ECI_GRAVITY * eci_mass(scene->bodies + scene->body_count - 1) * 0.1);
    }
    scene->integrator.energy_control.fraction = 0.95;
    scene->phases[0].begin = 1.0;
    scene->phases[0].decay = 1.0;
    scene->phase_count = 1;
    scene->duration = o->full ? 3.0 : 0.35;
    return status;
}

static pbs_status add_cubes(struct eci_contact *scene, size_t side) {
    struct tet_mesh cube = {0};
    if (!shape_cube_grid(2, &cube)) {
        return PBS_ERROR_MEMORY;
    }
    positions_scale(cube.positions, cube.vertex_count, 0.03);
    pbs_solid_desc like = eci_neo_hookean(5e4);
    like.poisson = 0.45;
    pbs_status status = PBS_OK;
    for (size_t i = 0; i < side * side * side && status >= 0; i++) {
        const double middle = 0.5 * (double)(side - 1);
        eci_stand(&cube, 0.033 * ((double)(i % side) - middle),
                  0.003 + 0.033 * (double)(i / side % side),
                  0.033 * ((double)(i / (side * side)) - middle));
        status = eci_add_solid(scene, &cube, &like, 0.25);
    }
    tet_mesh_free(&cube);
    return status;
}

static pbs_status fill_splash(struct eci_contact *scene, const struct eci_contact_options *o) {
    const size_t side = o->full ? 8 : 3;
    struct tet_mesh mesh = {0};
    pbs_status status = add_cubes(scene, side);
    // The rest state has each cube on the ground, because the pile spreads.
    double rest = 0.0;
    for (size_t b = 0; b < scene->body_count; b++) {
        rest += 0.015 * ECI_GRAVITY * eci_mass(scene->bodies + b);
    }
    if (status >= 0 && !eci_load(o, scene, o->full ? "bunny_19k" : "bunny_7k", &mesh)) {
        status = PBS_ERROR_MEMORY;
    }
    if (status >= 0) {
        pbs_solid_desc like = eci_neo_hookean(1e5);
        like.density = 3000.0;
        eci_fit(&mesh, 0.25, false);
        eci_stand(&mesh, 0.0, 0.033 * (double)side + 0.3, 0.0);
        status = eci_add_solid(scene, &mesh, &like, 0.25);
        tet_mesh_free(&mesh);
    }
    if (status >= 0) {
        double center[3];
        const size_t last = scene->body_count - 1;
        eci_contact_center(scene, last, center);
        rest += ECI_GRAVITY * eci_mass(scene->bodies + last) *
                (center[1] - eci_contact_lowest(scene, last));
        set_ground_energy(scene, rest);
    }
    scene->integrator.energy_control.fraction = 0.95;
    scene->phases[0].begin = 1.0;
    scene->phases[0].decay = 1.0;
    scene->phases[1].begin = 1.5;
    scene->phases[1].decay = 0.5;
    scene->phase_count = 2;
    scene->duration = o->full ? 3.0 : 0.4;
    return status >= 0 ? eci_add_ground(scene) : status;
}

/// Returns the Bessel function J2(s) by its series, for s up to about 5.
static double bessel2(double s) {
    double term = s * s / 8.0;
    double sum = term;
    for (int k = 1; k < 40; k++) {
        term *= -s * s / (4.0 * (double)k * (double)(k + 2));
        sum += term;
    }
    return sum;
}

double eci_mode_at(const double *x) {
    static const double highest = 0.486498885; // maximum of J2, at 3.054
    const double radius = sqrt(x[0] * x[0] + x[2] * x[2]);
    if (radius == 0.0) {
        return 0.0;
    }
    const double cosine = (x[0] * x[0] - x[2] * x[2]) / (radius * radius); // cos 2 phi
    return bessel2(BESSEL_ZERO * radius / MEMBRANE_RADIUS) / highest * cosine;
}

/// Disables self-contact. The edges are little longer than the contact distance, so every step
/// would otherwise process all second neighbours.
static pbs_status let_pass_through_itself(pbs_world *world, pbs_body id) {
    pbs_contact_desc contact;
    pbs_contact_desc_init(&contact, sizeof contact);
    contact.touches_itself = 0;
    return pbs_body_set_contact(world, id, &contact);
}

static pbs_status fill_membrane(struct eci_contact *scene, const struct eci_contact_options *o) {
    const size_t rings = o->full ? 72 : 16;
    const double stretch = 1.01;
    struct surface_mesh disc = {0};
    if (!concentric_disc(MEMBRANE_RADIUS / stretch, rings, &disc)) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = disc.vertex_count;
    double *places = malloc(3 * count * sizeof *places);
    double *velocities = calloc(3 * count, sizeof *velocities);
    uint32_t *rim = malloc(6 * rings * sizeof *rim);
    pbs_status status = places && velocities && rim ? PBS_OK : PBS_ERROR_MEMORY;
    for (size_t i = 0; status >= 0 && i < 3 * count; i++) {
        places[i] = stretch * disc.positions[i];
    }
    for (size_t v = 0; status >= 0 && v < count - 6 * rings; v++) {
        velocities[3 * v + 1] = eci_mode_at(places + 3 * v);
    }
    for (size_t k = 0; status >= 0 && k < 6 * rings; k++) {
        rim[k] = (uint32_t)(count - 6 * rings + k);
    }
    if (status >= 0) {
        pbs_shell_desc d;
        pbs_body id;
        pbs_shell_desc_init(&d, sizeof d);
        d.vertex_count = count;
        d.positions = disc.positions;
        d.triangle_count = disc.triangle_count;
        d.triangles = disc.triangles;
        d.thickness = 0.4e-3;
        d.young = 1e5;
        d.initial_positions = places;
        d.initial_velocities = velocities;
        status = pbs_body_create_shell(scene->world, &d, &id);
        status = status >= 0 ? keep_shell(scene, id, places) : status;
        status = status >= 0 ? let_pass_through_itself(scene->world, id) : status;
        status = status >= 0 ? pbs_body_pin(scene->world, id, rim, 6 * rings, PBS_AXIS_ALL)
                             : status;
    }
    scene->duration = o->full ? 2.0 : 0.25;
    free(places);
    free(velocities);
    free(rim);
    surface_mesh_free(&disc);
    return status;
}

pbs_status eci_fill(struct eci_contact *scene, enum eci_contact_kind kind,
                    const struct eci_contact_options *o) {
    switch (kind) {
    case ECI_DICE: return fill_dice(scene, o);
    case ECI_STAIRS: return fill_stairs(scene, o);
    case ECI_TRAMPOLINE: return fill_trampoline(scene, o);
    case ECI_CHAIN: return fill_chain(scene, o);
    case ECI_SPLASH: return fill_splash(scene, o);
    case ECI_MEMBRANE: return fill_membrane(scene, o);
    default: return fill_ball(scene, kind, o);
    }
}
