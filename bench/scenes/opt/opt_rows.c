// The scenes of OPT's figures. The paper gives the fixed corotated material, backward Euler at 1/24
// s, the numbers of unknowns and what happens. Lengths, stiffnesses, speeds, the density of 1000
// kg/m^3, the friction coefficient 0.3 and gravity are chosen here.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"
#include "scenes/opt/opt_figures.h"

#define FRAME (1.0 / 24.0)
#define PI    3.14159265358979323846

static const double FRICTION = 0.3;

// --- bodies and obstacles ---

struct soft {
    double young, poisson;
    double position[3], velocity[3];
};

/// Adds a body and takes ownership of the mesh.
static void add_body(struct opt_scene *scene, struct tet_mesh *mesh, const struct soft *soft) {
    struct opt_body *bodies = realloc(scene->bodies,
                                      (scene->body_count + 1) * sizeof *scene->bodies);
    double *velocities = malloc(3 * mesh->vertex_count * sizeof *velocities);
    if (bodies == NULL || velocities == NULL || mesh->vertex_count == 0) {
        scene->status = PBS_ERROR_MEMORY;
    }
    scene->bodies = bodies != NULL ? bodies : scene->bodies;
    if (scene->status < 0) {
        free(velocities);
        tet_mesh_free(mesh);
        return;
    }
    struct opt_body *body = &scene->bodies[scene->body_count++];
    *body = (struct opt_body){.rest = *mesh, .young = soft->young};
    positions_translate(mesh->positions, mesh->vertex_count, soft->position[0], soft->position[1],
                        soft->position[2]);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
        velocities[i] = soft->velocity[i % 3];
    }
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d.material = PBS_MATERIAL_FIXED_COROTATED;
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.initial_velocities = velocities;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    d.young = soft->young;
    d.poisson = soft->poisson;
    d.density = 1000.0;
    scene->status = pbs_body_create_solid(scene->world, &d, &body->id);
    free(velocities);
    scene->unknowns += 3 * mesh->vertex_count;
    if (scene->status >= 0) {
        pbs_contact_desc contact;
        pbs_contact_desc_init(&contact, sizeof contact);
        contact.friction = FRICTION;
        scene->status = pbs_body_set_contact(scene->world, body->id, &contact);
    }
}

static void add_obstacle(struct opt_scene *scene, int32_t shape, const double size[3],
                         const double position[3], const double orientation[4]) {
    struct opt_obstacle *o = &scene->obstacles[scene->obstacle_count];
    if (scene->status < 0 || scene->options.post_step) {
        return;
    }
    pbs_collider_desc_init(&o->desc, sizeof o->desc);
    o->desc.shape = shape;
    o->desc.friction = FRICTION;
    o->desc.collision = scene->options.penalty ? PBS_COLLISION_PENALTY : PBS_COLLISION_CONSTRAINT;
    memcpy(o->desc.size, size, sizeof o->desc.size);
    memcpy(o->desc.position, position, sizeof o->desc.position);
    memcpy(o->desc.orientation, orientation, sizeof o->desc.orientation);
    memcpy(o->position, position, sizeof o->position);
    memcpy(o->orientation, orientation, sizeof o->orientation);
    scene->status = pbs_collider_create(scene->world, &o->desc, &o->id);
    scene->obstacle_count += scene->status >= 0;
}

static const double upright[4] = {0.0, 0.0, 0.0, 1.0};
static const double nothing[3] = {0.0, 0.0, 0.0};

static void add_floor(struct opt_scene *scene) {
    add_obstacle(scene, PBS_SHAPE_HALF_SPACE, nothing, nothing, upright);
}

/// Sets an obstacle's position at the end of the next step.
static void move_obstacle(struct opt_scene *scene, size_t index, const double position[3]) {
    struct opt_obstacle *o = &scene->obstacles[index];
    memcpy(o->position, position, sizeof o->position);
    if (scene->status >= 0) {
        scene->status = pbs_collider_set_motion(scene->world, o->id, position, o->orientation);
    }
}

static bool fail(const char **reason, const char *why) {
    *reason = why;
    return false;
}

/// Returns whether the mean number of solves is within the row's limit at full size.
static bool is_cheap(const struct opt_scene *scene) {
    const struct opt_measures *m = &scene->measures;
    return !scene->options.full || scene->row->most_solves == 0.0 ||
           m->solves <= scene->row->most_solves * m->steps;
}

static bool judge_cost(const struct opt_scene *scene, const char **reason) {
    if (scene->status < 0) {
        return fail(reason, "a step failed");
    }
    return is_cheap(scene) || fail(reason, "more than twice the paper's solves");
}

/// Returns whether penetration is small. The large elements of a small scene have heavy vertices,
/// which penetrate deeper.
static bool is_shallow(const struct opt_scene *scene) {
    return scene->measures.deepest < (scene->options.full ? 0.05 : 0.1);
}

static bool keeps_out(const struct opt_scene *scene) {
    return scene->measures.least_distance >= -1e-11;
}

/// Knuth's 64-bit linear congruential generator; returns the upper bits as a number in [0, 1).
static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/// Draws a uniformly distributed rotation (Shoemake).
static void random_rotation(uint64_t *state, double q[4]) {
    const double u = next_random(state);
    const double a = 2.0 * PI * next_random(state), b = 2.0 * PI * next_random(state);
    q[0] = sqrt(1.0 - u) * sin(a);
    q[1] = sqrt(1.0 - u) * cos(a);
    q[2] = sqrt(u) * sin(b);
    q[3] = sqrt(u) * cos(b);
}

// --- figure 1: tori fall into a bowl, onto each other and onto the ground beside it ---

static const double BOWL_RADIUS = 2.6, BOWL_WALL = 0.2, TUBE = 0.09; // m

/// Adds the bowl as a signed-distance grid, so stiff that bodies hardly penetrate its wall.
static void add_bowl(struct opt_scene *scene) {
    struct opt_obstacle *o = &scene->obstacles[scene->obstacle_count];
    struct surface_mesh *surface = &o->surface;
    float *samples = NULL;
    pbs_grid grid = {.struct_size = sizeof grid};
    pbs_grid_desc d;
    if (!surface_bowl(BOWL_RADIUS, BOWL_WALL, 0.0, 80, surface)) {
        scene->status = PBS_ERROR_MEMORY;
        return;
    }
    pbs_grid_desc_init(&d, sizeof d);
    d.vertex_count = surface->vertex_count;
    d.vertices = surface->positions;
    d.triangle_count = surface->triangle_count;
    d.triangles = surface->triangles;
    d.cell = scene->options.full ? 0.025 : 0.05;
    d.threads = scene->options.threads;
    scene->status = pbs_grid_from_mesh(&d, NULL, 0, &grid);
    if (scene->status >= 0) {
        samples = malloc(grid.sample_count * sizeof *samples);
        scene->status = samples == NULL ? PBS_ERROR_MEMORY
                                        : pbs_grid_from_mesh(&d, samples, grid.sample_count, &grid);
    }
    if (scene->status >= 0 && grid.thin_count > 0) {
        scene->status = PBS_ERROR_MESH; // parts of the wall push nothing out
    }
    if (scene->status >= 0) {
        pbs_collider_desc_init(&o->desc, sizeof o->desc);
        o->desc.shape = PBS_SHAPE_GRID;
        o->desc.friction = FRICTION;
        o->desc.penalty_stiffness = 4e6;
        memcpy(o->desc.grid_origin, grid.origin, sizeof grid.origin);
        memcpy(o->desc.grid_counts, grid.counts, sizeof grid.counts);
        o->desc.grid_cell = grid.cell;
        o->desc.grid_samples = samples;
        scene->status = pbs_collider_create(scene->world, &o->desc, &o->id);
        o->desc.grid_samples = NULL;
        o->orientation[3] = 1.0;
        scene->obstacle_count += scene->status >= 0;
    }
    free(samples);
}

static void fill_bowl(struct opt_scene *scene) {
    const double ground[3] = {0.0, -BOWL_RADIUS - BOWL_WALL - 0.3, 0.0};
    const int side = scene->options.full ? 5 : 2;
    uint64_t state = 1;
    add_obstacle(scene, PBS_SHAPE_HALF_SPACE, nothing, ground, upright);
    add_bowl(scene);
    for (int k = 0; k < side * side * side && scene->status >= 0; k++) {
        const int at[3] = {k % side, k / (side * side), k / side % side};
        const struct soft soft = {.young = 1e6,
                                  .poisson = 0.3,
                                  .position = {0.75 * (at[0] - 0.5 * (side - 1)), 0.5 + 0.7 * at[1],
                                               0.75 * (at[2] - 0.5 * (side - 1))}};
        struct tet_mesh mesh;
        double q[4];
        if (!shape_torus(0.25, TUBE, scene->options.full ? 0.0347 : 0.075, &mesh)) {
            scene->status = PBS_ERROR_MEMORY;
            return;
        }
        random_rotation(&state, q);
        const double angle = 2.0 * atan2(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), q[3]);
        positions_rotate(mesh.positions, mesh.vertex_count, q, angle);
        add_body(scene, &mesh, &soft);
    }
}

/// Whether a torus is where only those are that went through the wall.
static bool is_any_below_bowl(const struct opt_scene *scene) {
    for (size_t b = 0; b < scene->body_count; b++) {
        pbs_motion motion = {.struct_size = sizeof motion};
        pbs_body_motion(scene->world, scene->bodies[b].id, &motion);
        const double *at = motion.center;
        if (hypot(at[0], at[2]) < 0.5 * BOWL_RADIUS && at[1] < -BOWL_RADIUS - 0.5 * BOWL_WALL) {
            return true;
        }
    }
    return false;
}

static bool judge_bowl(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    if (!keeps_out(scene)) {
        return fail(reason, "below the ground");
    }
    if (is_any_below_bowl(scene)) {
        return fail(reason, "through the bowl");
    }
    if (scene->measures.inverted > 0) {
        return fail(reason, "inverted elements at the end");
    }
    // At the tests' size vertices are ten times as heavy.
    if (!(scene->measures.deepest_in_collider < (scene->options.full ? 0.1 : 0.2) * TUBE)) {
        return fail(reason, "too deep in the bowl");
    }
    if (!(scene->measures.kinetic < 0.01 * scene->measures.most_kinetic)) {
        return fail(reason, "not at rest");
    }
    return scene->measures.deepest < 0.5 * TUBE || fail(reason, "deeper than half a tube");
}

// --- figures 3 and 4: a cube whose faces x = 0 and x = 1 have prescribed motion ---

static void fill_pulled(struct opt_scene *scene) {
    struct tet_mesh mesh;
    const struct soft soft = {.young = 1e5,
                              .poisson = strcmp(scene->row->name, "3") == 0 ? 0.45 : 0.3};
    if (!shape_cube_grid(scene->options.full ? 18 : 8, &mesh)) {
        scene->status = PBS_ERROR_MEMORY;
        return;
    }
    const double weightless[3] = {0.0, 0.0, 0.0};
    scene->status = pbs_world_set_gravity(scene->world, weightless);
    scene->held = malloc(mesh.vertex_count * sizeof *scene->held);
    scene->targets = malloc(3 * mesh.vertex_count * sizeof *scene->targets);
    if (scene->held == NULL || scene->targets == NULL) {
        scene->status = PBS_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < mesh.vertex_count && scene->status >= 0; i++) {
        if (fabs(mesh.positions[3 * (size_t)i] - 0.5) > 0.499) {
            scene->held[scene->held_count++] = i;
        }
    }
    add_body(scene, &mesh, &soft);
    scene->unknowns -= 3 * scene->held_count;
}

static void pull(struct opt_scene *scene, double offset) {
    const double *rest = scene->bodies[0].rest.positions;
    for (size_t i = 0; i < scene->held_count; i++) {
        const double *x = rest + 3 * (size_t)scene->held[i];
        scene->targets[3 * i] = x[0] + (x[0] > 0.5 ? offset : -offset);
        scene->targets[3 * i + 1] = x[1];
        scene->targets[3 * i + 2] = x[2];
    }
    if (scene->status >= 0) {
        scene->status = pbs_body_set_targets(scene->world, scene->bodies[0].id, scene->held,
                                             scene->held_count, scene->targets);
    }
}

/// Pulls the faces apart at 4 m/s until 0.4 s, then holds them.
static void stretch(struct opt_scene *scene, double time) {
    pull(scene, 4.0 * fmin(time, 0.4));
}

/// Pulls the faces apart at 0.5 m/s until 1 s, moves them back by 0.5 m within a frame, then holds
/// them.
static void stretch_and_press(struct opt_scene *scene, double time) {
    const double back = fmin(fmax(time - 1.0, 0.0), FRAME) / FRAME;
    pull(scene, 0.5 * fmin(time, 1.0) - 0.5 * back);
}

static bool judge_pulled(const struct opt_scene *scene, const char **reason) {
    return judge_cost(scene, reason);
}

// --- figure 6: a torus that touches itself ---

static void fill_torus(struct opt_scene *scene) {
    struct tet_mesh mesh;
    const struct soft soft = {
        .young = 2e4, .poisson = 0.3, .position = {0.0, 1.2, 0.0}, .velocity = {0.0, -5.0, 0.0}};
    const double axis[3] = {1.0, 0.0, 0.0};
    if (!shape_torus(0.5, 0.2, scene->options.full ? 0.0775 : 0.14, &mesh)) {
        scene->status = PBS_ERROR_MEMORY;
        return;
    }
    // Tilt the torus's axis, y, to 20 degrees from horizontal.
    positions_rotate(mesh.positions, mesh.vertex_count, axis, PI * (0.5 - 20.0 / 180.0));
    add_floor(scene);
    add_body(scene, &mesh, &soft);
}

static bool judge_torus(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    if (!keeps_out(scene)) {
        return fail(reason, "below the floor");
    }
    return is_shallow(scene) || fail(reason, "deeper in itself than 5 cm");
}

// --- figure 7: two balls ---

static void fill_balls(struct opt_scene *scene) {
    const struct soft soft[2] = {
        {.young = 1e5, .poisson = 0.3, .position = {0.0, 0.5, 0.0}},
        {.young = 1e5, .poisson = 0.3, .position = {0.1, 2.7, 0.0}, .velocity = {0.0, -4.0, 0.0}}};
    add_floor(scene);
    for (int i = 0; i < 2; i++) {
        struct tet_mesh mesh;
        if (!shape_ball(0.5, scene->options.full ? 0.065 : 0.15, &mesh)) {
            scene->status = PBS_ERROR_MEMORY;
            return;
        }
        add_body(scene, &mesh, &soft[i]);
    }
}

static bool judge_balls(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    if (scene->measures.inverted > 0) {
        return fail(reason, "inverted elements at the end");
    }
    return scene->measures.deepest < 0.1 || fail(reason, "deeper in each other than 10 cm");
}

// --- figure 10: a soft ball hits the ground ---

static void fill_ball(struct opt_scene *scene) {
    struct tet_mesh mesh;
    const struct soft soft = {
        .young = 1e5, .poisson = 0.4, .position = {0.0, 0.8, 0.0}, .velocity = {0.0, -10.0, 0.0}};
    if (!shape_ball(0.5, scene->options.full ? 0.065 : 0.15, &mesh)) {
        scene->status = PBS_ERROR_MEMORY;
        return;
    }
    add_floor(scene);
    add_body(scene, &mesh, &soft);
}

/// Post-step collision handling for comparison: after a step without collisions, vertices below the
/// floor are moved onto it, and their downward velocity is set to zero.
static void move_out(struct opt_scene *scene) {
    const pbs_body body = scene->bodies[0].id;
    const size_t count = scene->bodies[0].rest.vertex_count;
    double *x = malloc(3 * count * sizeof *x);
    double *v = malloc(3 * count * sizeof *v);
    if (!scene->options.post_step || x == NULL || v == NULL) {
        free(x);
        free(v);
        return;
    }
    memcpy(x, pbs_body_positions(scene->world, body), 3 * count * sizeof *x);
    memcpy(v, pbs_body_velocities(scene->world, body), 3 * count * sizeof *v);
    for (size_t i = 0; i < count; i++) {
        if (x[3 * i + 1] < 0.0) {
            x[3 * i + 1] = 0.0;
            v[3 * i + 1] = fmax(v[3 * i + 1], 0.0);
        }
    }
    scene->status = pbs_body_set_positions(scene->world, body, x, count);
    if (scene->status >= 0) {
        scene->status = pbs_body_set_velocities(scene->world, body, v, count);
    }
    free(x);
    free(v);
}

static bool judge_ball(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    if (scene->options.post_step) {
        return scene->measures.most_inverted > 0 || fail(reason, "nothing was inverted");
    }
    if (scene->measures.inverted > 0 ||
        (scene->measures.most_inverted > 0 && !scene->options.penalty)) {
        return fail(reason, "inverted elements at the end of a frame");
    }
    if (scene->options.penalty) {
        return is_shallow(scene) || fail(reason, "deeper in the floor than 5 cm");
    }
    return keeps_out(scene) || fail(reason, "below the floor");
}

// --- figure 12: a torus is pushed through a hole ---

static const double HOLE_END = 3.0; // s: the pusher stops then

/// Builds the hole of tori one above the other, with ring radius 0.6 m and an opening of 0.3 m,
/// whose inner surfaces have curvatures of both signs.
static void fill_hole(struct opt_scene *scene) {
    struct tet_mesh mesh;
    const struct soft soft = {.young = 1e5, .poisson = 0.3, .position = {0.0, 0.35, 0.0}};
    const double ring[3] = {0.45, 0.15, 0.0}, pusher[3] = {0.27, 0.0, 0.0};
    const double above[3] = {0.0, 0.75, 0.0};
    if (!shape_torus(0.26, 0.14, scene->options.full ? 0.0495 : 0.085, &mesh)) {
        scene->status = PBS_ERROR_MEMORY;
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double at[3] = {0.0, -0.2 * i, 0.0};
        add_obstacle(scene, PBS_SHAPE_TORUS, ring, at, upright);
    }
    add_obstacle(scene, PBS_SHAPE_SPHERE, pusher, above, upright);
    add_body(scene, &mesh, &soft);
}

static void push(struct opt_scene *scene, double time) {
    const double at[3] = {0.0, 0.75 - 0.5 * fmin(time, HOLE_END), 0.0};
    move_obstacle(scene, 3, at);
}

static bool judge_hole(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    const double *x = pbs_body_positions(scene->world, scene->bodies[0].id);
    for (size_t i = 0; i < scene->bodies[0].rest.vertex_count; i++) {
        if (x[3 * i + 1] > -0.55) {
            return fail(reason, "not through the hole");
        }
    }
    if (!keeps_out(scene)) {
        return fail(reason, "inside an obstacle");
    }
    return scene->measures.edge_strain < 0.05 || fail(reason, "not back in shape");
}

// --- figure 13: squeezed by cubes ---

enum { CUBES = 32, FEW_CUBES = 12 };
static const double FAR = 1.2, NEAR = 0.55; // m: distances of the cubes' centres from the middle

static void cube_direction(size_t index, size_t count, double out[3]) {
    const double y = 1.0 - (2.0 * (double)index + 1.0) / (double)count;
    const double angle = (double)index * PI * (3.0 - sqrt(5.0));
    out[0] = sqrt(1.0 - y * y) * cos(angle);
    out[1] = y;
    out[2] = sqrt(1.0 - y * y) * sin(angle);
}

/// Loads the armadillo, one metre high and centred at the origin, if there is a mesh folder.
static bool squeezed_mesh(const struct opt_scene *scene, struct tet_mesh *mesh) {
    if (scene->options.meshes == NULL) {
        return shape_torus(0.35, 0.15, scene->options.full ? 0.03 : 0.09, mesh);
    }
    char path[1024];
    struct mesh_report report;
    snprintf(path, sizeof path, "%s/%s", scene->options.meshes,
             scene->options.full ? "armadillo_121k.msh" : "armadillo_4k.msh");
    if (!mesh_read_tets(path, NULL, mesh, &report)) {
        fprintf(stderr, "%s: %s\n", path, report.error);
        return false;
    }
    double low[3], high[3];
    positions_bounds(mesh->positions, mesh->vertex_count, low, high);
    positions_translate(mesh->positions, mesh->vertex_count, -0.5 * (low[0] + high[0]),
                        -0.5 * (low[1] + high[1]), -0.5 * (low[2] + high[2]));
    positions_scale(mesh->positions, mesh->vertex_count, 1.0 / (high[1] - low[1]));
    return true;
}

static void fill_squeezed(struct opt_scene *scene) {
    struct tet_mesh mesh;
    const struct soft soft = {.young = 1e5, .poisson = 0.4};
    const double half[3] = {0.175, 0.175, 0.175};
    const size_t count = scene->options.full ? CUBES : FEW_CUBES;
    uint64_t state = 13;
    if (!squeezed_mesh(scene, &mesh)) {
        scene->status = PBS_ERROR_MESH;
        return;
    }
    scene->status = pbs_world_set_gravity(scene->world, nothing);
    for (size_t i = 0; i < count; i++) {
        double at[3], q[4];
        cube_direction(i, count, at);
        positions_scale(at, 1, FAR);
        random_rotation(&state, q);
        add_obstacle(scene, PBS_SHAPE_BOX, half, at, q);
    }
    add_body(scene, &mesh, &soft);
}

/// Moves the cubes inwards for 2 s, holds them for 0.5 s, and moves them outwards for 1 s.
static void squeeze(struct opt_scene *scene, double time) {
    const double in = fmin(time / 2.0, 1.0), out = fmin(fmax(time - 2.5, 0.0), 1.0);
    for (size_t i = 0; i < scene->obstacle_count; i++) {
        double at[3];
        cube_direction(i, scene->obstacle_count, at);
        positions_scale(at, 1, FAR - (FAR - NEAR) * (in - out));
        move_obstacle(scene, i, at);
    }
}

static bool judge_squeezed(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    if (!keeps_out(scene)) {
        return fail(reason, "inside a cube");
    }
    if (scene->measures.inverted > 0) {
        return fail(reason, "inverted elements at the end");
    }
    return scene->measures.edge_strain < 0.05 || fail(reason, "not back in shape");
}

// --- figure 14: a stack of boxes is struck ---

static const double BOX = 0.25, GAP = 1e-3, STRUCK = 1.0; // m, m, s
// m/s. In a step of 1/24 s a box must not go deeper than half of another one (3 m/s), as penalties
// would push it out on the far side then.
static const double SPEED = 2.0;

static void fill_stack(struct opt_scene *scene) {
    const size_t layers = scene->options.full ? 4 : 2;
    const double half[3] = {0.2, 0.2, 0.2};
    size_t index = 0;
    add_floor(scene);
    for (size_t layer = 0; layer < layers; layer++) {
        const size_t side = layers - layer;
        for (size_t k = 0; k < side * side; k++, index++) {
            const size_t n = scene->options.full ? 11 : 3;
            const double pitch = BOX + GAP;
            const struct soft soft = {
                .young = index % 2 == 0 ? 1e5 : 1e6,
                .poisson = 0.3,
                .position = {pitch * ((double)(k % side) - 0.5 * (double)side),
                             pitch * (double)layer,
                             pitch * ((double)(k / side) - 0.5 * (double)side)}};
            struct tet_mesh mesh;
            if (!shape_box_grid(n, n, n > 3 ? n - 1 : n, BOX, BOX, BOX, &mesh)) {
                scene->status = PBS_ERROR_MEMORY;
                return;
            }
            add_body(scene, &mesh, &soft);
        }
    }
    const double at[3] = {-4.0, 0.5 * BOX * (double)layers, 0.0};
    add_obstacle(scene, PBS_SHAPE_BOX, half, at, upright);
}

/// Moves the striking box, which is far away until it hits the stack's side shortly after STRUCK.
static void strike(struct opt_scene *scene, double time) {
    const double start = -2.0 * BOX - 0.45;
    const double y = scene->obstacles[scene->obstacle_count - 1].position[1];
    const double at[3] = {time < STRUCK ? -4.0 : start + SPEED * (time - STRUCK), y, 0.0};
    if (scene->obstacle_count > 1) {
        move_obstacle(scene, scene->obstacle_count - 1, at);
    }
}

static bool judge_stack(const struct opt_scene *scene, const char **reason) {
    if (!judge_cost(scene, reason)) {
        return false;
    }
    if (!keeps_out(scene)) {
        return fail(reason, "inside an obstacle");
    }
    const double element = BOX / (scene->options.full ? 11.0 : 3.0);
    return scene->measures.deepest < element ||
           fail(reason, "deeper in each other than an element");
}

// --- the table ---

const struct opt_row opt_rows[] = {
    {.name = "1",
     .published = {200.0, 984000, 2.2},
     .steps_per_frame = 5,
     .frames = 120,
     .small_frames = 48,
     .most_solves = 6.0,
     .fill = fill_bowl,
     .judge = judge_bowl,
     .touches = true},
    {.name = "3",
     .published = {0.51, 18500, 2.8},
     .steps_per_frame = 1,
     .frames = 72,
     .small_frames = 24,
     .most_solves = 5.6,
     .fill = fill_pulled,
     .script = stretch,
     .judge = judge_pulled},
    {.name = "4",
     .published = {0.52, 18500, 2.9},
     .steps_per_frame = 1,
     .frames = 72,
     .small_frames = 36,
     .most_solves = 5.8,
     .fill = fill_pulled,
     .script = stretch_and_press,
     .judge = judge_pulled},
    {.name = "6",
     .published = {1.13, 7900, 2.1},
     .steps_per_frame = 5,
     .frames = 48,
     .small_frames = 24,
     .most_solves = 4.2,
     .fill = fill_torus,
     .judge = judge_torus,
     .touches = true},
    {.name = "7",
     .published = {4.25, 28000, 8.1},
     .steps_per_frame = 1,
     .frames = 48,
     .small_frames = 24,
     .most_solves = 16.2,
     .fill = fill_balls,
     .judge = judge_balls,
     .touches = true},
    {.name = "10",
     .published = {0.42, 14000, 3.8},
     .steps_per_frame = 1,
     .frames = 48,
     .small_frames = 24,
     .most_solves = 7.6,
     .fill = fill_ball,
     .after = move_out,
     .judge = judge_ball},
    {.name = "12",
     .published = {0.45, 7900, 8.6},
     .steps_per_frame = 1,
     .frames = 120,
     .small_frames = 120,
     .most_solves = 17.2,
     .fill = fill_hole,
     .script = push,
     .judge = judge_hole},
    {.name = "13",
     .published = {46.1, 73800, 34.7},
     .steps_per_frame = 1,
     .frames = 120,
     .small_frames = 108,
     .most_solves = 69.4,
     .fill = fill_squeezed,
     .script = squeeze,
     .judge = judge_squeezed,
     .has_mesh = true},
    {.name = "14",
     .published = {17.1, 138000, 6.9},
     .steps_per_frame = 1,
     .frames = 72,
     .small_frames = 48,
     .most_solves = 13.8,
     .fill = fill_stack,
     .script = strike,
     .judge = judge_stack,
     .touches = true},
};

const size_t opt_row_count = sizeof opt_rows / sizeof *opt_rows;
