// Small scenes; see world_scenes.h.
// SPDX-License-Identifier: MIT
#include "support/scenes/world_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- cubes ---

static const uint32_t corners_of_tets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                               {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

static uint32_t grid_vertex(size_t cells, size_t i, size_t j, size_t k) {
    return (uint32_t)((i * (cells + 1) + j) * (cells + 1) + k);
}

static void fill_positions(struct cube_mesh *mesh, size_t cells, double size,
                           const double corner[3]) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const size_t n = cells + 1;
        const size_t index[3] = {v / (n * n), v / n % n, v % n};
        for (int k = 0; k < 3; k++) {
            mesh->positions[3 * v + (size_t)k] = corner[k] +
                                                 size * (double)index[k] / (double)cells;
        }
    }
}

static void fill_tets(struct cube_mesh *mesh, size_t cells) {
    uint32_t *tet = mesh->tets;
    for (size_t c = 0; c < cells * cells * cells; c++) {
        const size_t at[3] = {c / (cells * cells), c / cells % cells, c % cells};
        for (int t = 0; t < 6; t++) {
            for (int a = 0; a < 4; a++, tet++) {
                const uint32_t corner = corners_of_tets[t][a];
                *tet = grid_vertex(cells, at[0] + (corner & 1), at[1] + (corner >> 1 & 1),
                                   at[2] + (corner >> 2 & 1));
            }
        }
    }
}

bool cube_mesh_make(struct cube_mesh *mesh, size_t cells, double size, const double corner[3]) {
    mesh->vertex_count = (cells + 1) * (cells + 1) * (cells + 1);
    mesh->tet_count = 6 * cells * cells * cells;
    mesh->positions = malloc(3 * mesh->vertex_count * sizeof *mesh->positions);
    mesh->tets = malloc(4 * mesh->tet_count * sizeof *mesh->tets);
    if (mesh->positions == NULL || mesh->tets == NULL) {
        cube_mesh_free(mesh);
        return false;
    }
    fill_positions(mesh, cells, size, corner);
    fill_tets(mesh, cells);
    return true;
}

void cube_mesh_free(struct cube_mesh *mesh) {
    free(mesh->positions);
    free(mesh->tets);
    *mesh = (struct cube_mesh){0};
}

static void point_into(const struct cube_mesh *mesh, pbs_solid_desc *d) {
    d->vertex_count = mesh->vertex_count;
    d->positions = mesh->positions;
    d->tet_count = mesh->tet_count;
    d->tets = mesh->tets;
}

void cube_mesh_describe(const struct cube_mesh *mesh, pbs_solid_desc *d) {
    pbs_solid_desc_init(d, sizeof *d);
    point_into(mesh, d);
}

pbs_status cube_create(pbs_world *world, size_t cells, double size, const double corner[3],
                       const pbs_solid_desc *like, pbs_body *body) {
    struct cube_mesh mesh;
    if (!cube_mesh_make(&mesh, cells, size, corner)) {
        return PBS_ERROR_MEMORY;
    }
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d = like != NULL ? *like : d;
    point_into(&mesh, &d);
    const pbs_status status = pbs_body_create_solid(world, &d, body);
    cube_mesh_free(&mesh);
    return status;
}

// --- springs ---

int32_t spring_energy(void *user, size_t stencil, const double *x, int32_t project, double *value,
                      double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    const double stiffness = 400.0, rest = 0.1;
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = x[k] - x[3 + k];
    }
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(length > 1e-9)) {
        return 1;
    }
    const double stretch = length - rest;
    if (value != NULL) {
        *value = 0.5 * stiffness * stretch * stretch;
    }
    for (int k = 0; k < 3 && gradient != NULL; k++) {
        gradient[k] = stiffness * stretch * d[k] / length;
        gradient[3 + k] = -gradient[k];
    }
    // k (n n^T + (1 - L / l) (I - n n^T)); the second part is negative under compression.
    double across = 1.0 - rest / length;
    across = project != 0 && across < 0.0 ? 0.0 : across;
    for (int i = 0; i < 36 && hessian != NULL; i++) {
        const int r = i / 6, c = i % 6;
        const double n = d[r % 3] * d[c % 3] / (length * length);
        const double block = stiffness * (n + across * ((r % 3 == c % 3 ? 1.0 : 0.0) - n));
        hessian[i] = r / 3 == c / 3 ? block : -block;
    }
    return 0;
}

void springs_describe(pbs_custom_desc *d, size_t vertex_count, const double *positions,
                      const double *masses, size_t stencil_count, const uint32_t *stencils) {
    pbs_custom_desc_init(d, sizeof *d);
    d->vertex_count = vertex_count;
    d->positions = positions;
    d->masses = masses;
    d->stencil_count = stencil_count;
    d->stencils = stencils;
    d->evaluate = spring_energy;
    d->tag = SPRING_TAG;
}

void point_describe(pbs_custom_desc *d, const double position[3], pbs_custom_fn evaluate,
                    void *user) {
    static const double mass = 1.0;
    static const uint32_t stencil = 0;
    springs_describe(d, 1, position, &mass, 1, &stencil);
    d->width = 1;
    d->evaluate = evaluate;
    d->user = user;
}

// --- boxes ---

void box_surface_make(struct box_surface *box, const double sides[3]) {
    static const uint32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    for (size_t v = 0; v < 8; v++) {
        for (size_t k = 0; k < 3; k++) {
            box->positions[3 * v + k] = ((v >> k & 1) != 0 ? 0.5 : -0.5) * sides[k];
        }
    }
    memcpy(box->triangles, triangles, sizeof triangles);
}

void box_surface_describe(const struct box_surface *box, pbs_affine_desc *d) {
    pbs_affine_desc_init(d, sizeof *d);
    d->vertex_count = 8;
    d->positions = box->positions;
    d->triangle_count = 12;
    d->triangles = box->triangles;
}

// --- scenes ---

void scene_settings(pbs_world_desc *d) {
    pbs_world_desc_init(d, sizeof *d);
    d->gravity[1] = -9.81;
    d->contact = PBS_CONTACT_PROJECTION;
}

void expert_settings(pbs_expert_desc *expert, pbs_world_desc *d) {
    pbs_expert_desc_init(expert, sizeof *expert);
    d->expert = expert;
}

void fixed_barrier(pbs_world_desc *d) {
    d->contact = PBS_CONTACT_BARRIER;
    d->contact_distance = 1e-3;
    d->contact_stiffness = 1e5;
    d->slip_velocity = 1e-2;
    d->velocity_tolerance = 0.0;
    d->divisions = 0;
}

static pbs_status fill_drop(pbs_world *world) {
    const double corner[3] = {0.0, 0.3, 0.0};
    pbs_body body;
    const pbs_status status = cube_create(world, 4, 0.4, corner, NULL, &body);
    pbs_collider_desc ground;
    pbs_collider collider;
    pbs_collider_desc_init(&ground, sizeof ground);
    ground.orientation[2] = sin(0.05); // a slope, so that nothing falls along an axis
    ground.orientation[3] = cos(0.05);
    ground.friction = 0.3;
    return status < 0 ? status : pbs_collider_create(world, &ground, &collider);
}

enum { SPRING_SIDE = 6 };

static pbs_status fill_springs(pbs_world *world) {
    enum { COUNT = SPRING_SIDE * SPRING_SIDE };
    double positions[3 * COUNT], masses[COUNT];
    uint32_t stencils[4 * COUNT];
    size_t stencil_count = 0;
    for (uint32_t v = 0; v < COUNT; v++) {
        const uint32_t i = v / SPRING_SIDE, j = v % SPRING_SIDE;
        positions[3 * v] = 0.1 * i - 0.23;
        positions[3 * v + 1] = 0.35;
        positions[3 * v + 2] = 0.1 * j - 0.26;
        masses[v] = 0.02 + 0.001 * j;
        if (i > 0) {
            stencils[2 * stencil_count] = v - SPRING_SIDE;
            stencils[2 * stencil_count++ + 1] = v;
        }
        if (j > 0) {
            stencils[2 * stencil_count] = v - 1;
            stencils[2 * stencil_count++ + 1] = v;
        }
    }
    pbs_custom_desc d;
    springs_describe(&d, COUNT, positions, masses, stencil_count, stencils);
    d.concurrent = 1;
    d.damping = 0.001;
    pbs_body body;
    pbs_status status = pbs_body_create_custom(world, &d, &body);
    const uint32_t pinned[1] = {0};
    status = status < 0 ? status : pbs_body_pin(world, body, pinned, 1, PBS_AXIS_ALL);
    pbs_collider_desc ball;
    pbs_collider collider;
    pbs_collider_desc_init(&ball, sizeof ball);
    ball.shape = PBS_SHAPE_SPHERE;
    ball.size[0] = 0.2;
    return status < 0 ? status : pbs_collider_create(world, &ball, &collider);
}

static pbs_status fill_bowl(pbs_world *world) {
    pbs_solid_desc solid;
    pbs_solid_desc_init(&solid, sizeof solid);
    solid.material = PBS_MATERIAL_FIXED_COROTATED;
    solid.young = 4e4;
    solid.damping = 0.01;
    const double left[3] = {-0.5, 0.1, -0.2}, right[3] = {0.15, 0.0, -0.15};
    pbs_body body;
    pbs_status status = cube_create(world, 3, 0.4, left, &solid, &body);
    solid.material = PBS_MATERIAL_NEO_HOOKEAN;
    solid.young = 2e5;
    solid.damping = 0.0;
    solid.drag = 0.5;
    status = status < 0 ? status : cube_create(world, 2, 0.4, right, &solid, &body);
    pbs_collider_desc bowl;
    pbs_collider collider;
    pbs_collider_desc_init(&bowl, sizeof bowl);
    bowl.shape = PBS_SHAPE_SPHERE;
    bowl.hollow = 1;
    bowl.size[0] = 1.0;
    bowl.position[1] = 0.5;
    bowl.friction = 0.4;
    return status < 0 ? status : pbs_collider_create(world, &bowl, &collider);
}

bool sheet_mesh_make(struct sheet_mesh *mesh, size_t cells, double size, const double corner[3]) {
    const size_t side = cells + 1;
    *mesh = (struct sheet_mesh){.vertex_count = side * side, .triangle_count = 2 * cells * cells};
    mesh->positions = malloc(3 * mesh->vertex_count * sizeof *mesh->positions);
    mesh->triangles = malloc(3 * mesh->triangle_count * sizeof *mesh->triangles);
    if (mesh->positions == NULL || mesh->triangles == NULL) {
        sheet_mesh_free(mesh);
        return false;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        mesh->positions[3 * i] = corner[0] + size * (double)(i % side) / (double)cells;
        mesh->positions[3 * i + 1] = corner[1];
        mesh->positions[3 * i + 2] = corner[2] + size * (double)(i / side) / (double)cells;
    }
    for (size_t cell = 0; cell < cells * cells; cell++) {
        const size_t i = cell / cells * side + cell % cells;
        const size_t around[4] = {i, i + side, i + side + 1, i + 1};
        static const size_t cuts[6] = {0, 1, 2, 0, 2, 3};
        for (size_t k = 0; k < 6; k++) {
            const size_t turn = (cell / cells + cell % cells) % 2;
            mesh->triangles[6 * cell + k] = (uint32_t)around[(cuts[k] + turn) % 4];
        }
    }
    return true;
}

void sheet_mesh_free(struct sheet_mesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
    *mesh = (struct sheet_mesh){0};
}

void sheet_mesh_describe(const struct sheet_mesh *mesh, pbs_shell_desc *d) {
    pbs_shell_desc_init(d, sizeof *d);
    d->vertex_count = mesh->vertex_count;
    d->positions = mesh->positions;
    d->triangle_count = mesh->triangle_count;
    d->triangles = mesh->triangles;
}

pbs_status sheet_create(pbs_world *world, size_t cells, double size, const double corner[3],
                        const pbs_shell_desc *like, pbs_body *body) {
    struct sheet_mesh mesh;
    if (!sheet_mesh_make(&mesh, cells, size, corner)) {
        return PBS_ERROR_MEMORY;
    }
    pbs_shell_desc d;
    sheet_mesh_describe(&mesh, &d);
    if (like != NULL) {
        pbs_shell_desc own = *like;
        own.vertex_count = d.vertex_count;
        own.positions = d.positions;
        own.triangle_count = d.triangle_count;
        own.triangles = d.triangles;
        d = own;
    }
    const pbs_status status = pbs_body_create_shell(world, &d, body);
    sheet_mesh_free(&mesh);
    return status;
}

static pbs_status fill_sheet(pbs_world *world) {
    pbs_collider_desc ball;
    pbs_status status = pbs_collider_desc_init(&ball, sizeof ball);
    if (status < 0) {
        return status;
    }
    ball.shape = PBS_SHAPE_SPHERE;
    ball.size[0] = 0.2;
    ball.friction = 0.3;
    pbs_collider collider;
    status = pbs_collider_create(world, &ball, &collider);
    pbs_shell_desc d;
    if (status >= 0) {
        status = pbs_shell_desc_init(&d, sizeof d);
    }
    if (status < 0) {
        return status;
    }
    d.thickness = 2e-3;
    d.young = 1e6;
    d.damping = 1e-3;
    d.drag = 0.2;
    const double corner[3] = {-0.25, 0.22, -0.25};
    const uint32_t held[1] = {0};
    pbs_body body;
    status = sheet_create(world, 6, 0.5, corner, &d, &body);
    return status < 0 ? status : pbs_body_pin(world, body, held, 1, PBS_AXIS_ALL);
}

/// A chain of springs that falls over the ball; boxes that spin about axes near an unstable one.
static pbs_status fill_stiff(pbs_world *world) {
    enum { COUNT = 12 };
    double positions[3 * COUNT] = {0.0}, masses[COUNT];
    uint32_t springs[2 * COUNT];
    for (uint32_t v = 0; v < COUNT; v++) {
        positions[3 * v] = 0.05 * v - 0.2;
        positions[3 * v + 1] = 0.3 + 0.01 * v;
        masses[v] = 0.02 + 0.001 * v;
        springs[2 * v] = v;
        springs[2 * v + 1] = (v + 1) % COUNT;
    }
    pbs_springs_desc chain;
    pbs_springs_desc_init(&chain, sizeof chain);
    chain.vertex_count = COUNT;
    chain.positions = positions;
    chain.masses = masses;
    chain.spring_count = COUNT - 1;
    chain.springs = springs;
    chain.damping = 0.002;
    chain.drag = 0.1;
    pbs_body body;
    pbs_status status = pbs_body_create_springs(world, &chain, &body);
    const double sides[3] = {0.1, 0.06, 0.03};
    struct box_surface box;
    pbs_affine_desc d;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    for (int i = 0; i < 3 && status >= 0; i++) {
        d.position[0] = 0.3 * i;
        d.position[1] = 1.0;
        d.orientation[0] = 0.6;
        d.orientation[3] = 0.8;
        d.velocity[2] = 0.5 * i;
        d.angular_velocity[0] = 1.0;
        d.angular_velocity[1] = 12.0 - i;
        d.angular_velocity[2] = 2.0;
        d.damping = 0.001 * i;
        d.no_gravity = i == 1;
        status = pbs_body_create_affine(world, &d, &body);
    }
    status = status < 0 ? status : pbs_body_pin_all(world, body);
    pbs_collider_desc ball;
    pbs_collider collider;
    pbs_collider_desc_init(&ball, sizeof ball);
    ball.shape = PBS_SHAPE_SPHERE;
    ball.size[0] = 0.2;
    ball.friction = 0.2;
    return status < 0 ? status : pbs_collider_create(world, &ball, &collider);
}

pbs_status scene_fill(pbs_world *world, int index) {
    static pbs_status (*const fill[SCENE_COUNT])(pbs_world *) = {fill_drop, fill_springs, fill_bowl,
                                                                 fill_sheet, fill_stiff};
    return fill[index](world);
}

pbs_status scene_step(pbs_world *world, int count) {
    pbs_status status = PBS_OK;
    for (int i = 0; i < count && status >= 0; i++) {
        status = pbs_world_step(world, 1.0 / 60.0);
    }
    return status;
}
