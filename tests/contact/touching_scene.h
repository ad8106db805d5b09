// A small scene of everything that can touch: a solid, a sheet, an affine body, a chain with
// particles, three solid obstacles and one that makes walls.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_CONTACT_TOUCHING_SCENE_H
#define PBS_TESTS_CONTACT_TOUCHING_SCENE_H

#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "contact/barrier/barrier_contact.h"
#include "pbs/body.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/testing.h"

enum {
    SOLID_NODES = 6,
    SHEET_NODES = 9,
    AFFINE_FIRST = SOLID_NODES + SHEET_NODES,
    CHAIN_FIRST = AFFINE_FIRST + 4,
    CHAIN_NODES = 5,
    SCENE_NODES = CHAIN_FIRST + CHAIN_NODES,
    SCENE_COORDINATES = 3 * SCENE_NODES,
    SCENE_OBSTACLES = 4,
    WALL_OBSTACLE = 3
};

enum {
    PART_SOLID,
    PART_SHEET,
    PART_AFFINE,
    PART_CHAIN,
    PART_BOX,
    PART_SPHERE,
    PART_CAPSULE,
    PART_WALLS,
    SCENE_PARTS
};

static const uint32_t octahedron_triangles[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                                  2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const uint32_t sheet_triangles[24] = {0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4,
                                             3, 4, 6, 4, 7, 6, 4, 5, 7, 5, 8, 7};
static const uint32_t brick_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                             2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const uint32_t chain_edges[4] = {0, 1, 1, 2};
static const uint32_t capsule_axis[2] = {0, 1};

/// Half of the affine body's sides, m; its points are at +-1 in units of `AFFINE_UNIT`.
static const double AFFINE_UNIT = 0.2;
// How far walls are from the origin.
static const double WALL_SIZE = 2.2;
static const double BOX_HALF = 0.25, SPHERE_OFFSET = 0.08, CAPSULE_OFFSET = 0.05;

struct touching_scene {
    struct barrier_contact contact;
    double rest[3 * SCENE_NODES];
    double x[3 * SCENE_NODES];
    struct obstacle now[SCENE_OBSTACLES], target[SCENE_OBSTACLES];
};

static inline void brick_corners(double half, double corners[24]) {
    for (int i = 0; i < 24; i++) {
        corners[i] = (i / 3 >> i % 3 & 1) != 0 ? half : -half;
    }
}

/// Where each part is: bodies and obstacles a metre apart, so that nothing touches.
static inline void touching_scene_rest(struct touching_scene *s) {
    static const double octahedron[18] = {0.3, 0,    0, -0.3, 0, 0,   0, 0.3, 0,
                                          0,   -0.3, 0, 0,    0, 0.3, 0, 0,   -0.3};
    memcpy(s->rest, octahedron, sizeof octahedron);
    for (int i = 0; i < SHEET_NODES; i++) {
        double *x = s->rest + 3 * (size_t)(SOLID_NODES + i);
        x[0] = 1.0 + 0.3 * (i % 3 - 1);
        x[1] = 0.0;
        x[2] = 0.3 * (i / 3 - 1);
    }
    for (int i = 0; i < 4; i++) {
        double *x = s->rest + 3 * (size_t)(AFFINE_FIRST + i);
        x[0] = i == 0 ? 0.0 : i == 1 ? AFFINE_UNIT : 0.0;
        x[1] = i == 0 ? 1.0 : i == 2 ? AFFINE_UNIT : 0.0;
        x[2] = i == 3 ? AFFINE_UNIT : 0.0;
    }
    for (int i = 0; i < CHAIN_NODES; i++) {
        double *x = s->rest + 3 * (size_t)(CHAIN_FIRST + i);
        x[0] = 1.0 + 0.2 * (i % 3 - 1);
        x[1] = 1.0 + (i < 3 ? 0.0 : 0.25);
        x[2] = 0.1 * (i % 2);
    }
    memcpy(s->x, s->rest, sizeof s->x);
}

static inline struct pose pose_at(double x, double y, double z) {
    const struct pose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {x, y, z}};
    return pose;
}

static inline void turn_pose(struct pose *pose, const double r[9]) {
    double turned[9];
    multiply33(r, pose->rotation, turned);
    memcpy(pose->rotation, turned, sizeof turned);
}

/// Walls around the origin that leave a ball of WALL_SIZE free.
static inline struct shape wall_shape(int32_t kind) {
    const struct shape shape = {.kind = kind,
                                .hollow = kind != PBS_SHAPE_HALF_SPACE,
                                .size = {WALL_SIZE, WALL_SIZE, WALL_SIZE}};
    return shape;
}

static inline pbs_status add_part(struct memory *memory, struct touching_scene *s,
                                  const struct collision_part_input *input) {
    struct collision_part_input whole = *input;
    whole.part.group = whole.part.mask = UINT32_MAX;
    return collision_mesh_add(memory, &whole, &s->contact.mesh);
}

static inline pbs_status add_bodies(struct memory *memory, struct touching_scene *s,
                                    double corners[24]) {
    uint32_t nodes[SCENE_NODES];
    uint32_t affine[8];
    double lengths[24];
    for (uint32_t i = 0; i < SCENE_NODES; i++) {
        nodes[i] = i;
        affine[i % 8] = AFFINE_FIRST;
    }
    for (int i = 0; i < 24; i++) {
        lengths[i] = AFFINE_UNIT * corners[i];
    }
    RETURN_IF_FAILED(add_part(memory, s,
                              &(struct collision_part_input){.part = {.surface.friction = 0.3},
                                                             .point_count = SOLID_NODES,
                                                             .nodes = nodes,
                                                             .rest = s->rest,
                                                             .triangle_count = 8,
                                                             .triangles = octahedron_triangles}));
    RETURN_IF_FAILED(
        add_part(memory, s,
                 &(struct collision_part_input){
                     .part = {.surface.friction = 0.1, .offset = 0.02, .touches_itself = true},
                     .point_count = SHEET_NODES,
                     .nodes = nodes + SOLID_NODES,
                     .rest = s->rest + 3 * SOLID_NODES,
                     .triangle_count = 8,
                     .triangles = sheet_triangles}));
    RETURN_IF_FAILED(add_part(memory, s,
                              &(struct collision_part_input){.part = {.surface.friction = 0.2},
                                                             .kind = POINT_AFFINE,
                                                             .point_count = 8,
                                                             .nodes = affine,
                                                             .rest = lengths,
                                                             .local = corners,
                                                             .triangle_count = 12,
                                                             .triangles = brick_triangles}));
    return add_part(memory, s,
                    &(struct collision_part_input){.part = {.touches_itself = true},
                                                   .point_count = CHAIN_NODES,
                                                   .nodes = nodes + CHAIN_FIRST,
                                                   .rest = s->rest + 3 * CHAIN_FIRST,
                                                   .edge_count = 2,
                                                   .edges = chain_edges});
}

static inline pbs_status add_obstacles(struct memory *memory, struct touching_scene *s) {
    double corners[24];
    static const double centre[3], ends[6] = {0, -0.2, 0, 0, 0.2, 0};
    brick_corners(BOX_HALF, corners);
    RETURN_IF_FAILED(add_part(
        memory, s,
        &(struct collision_part_input){.part = {.surface.friction = 0.25, .is_obstacle = true},
                                       .kind = POINT_OBSTACLE,
                                       .point_count = 8,
                                       .rest = corners,
                                       .triangle_count = 12,
                                       .triangles = brick_triangles}));
    RETURN_IF_FAILED(
        add_part(memory, s,
                 &(struct collision_part_input){
                     .part = {.offset = SPHERE_OFFSET, .is_obstacle = true, .obstacle = 1},
                     .kind = POINT_OBSTACLE,
                     .point_count = 1,
                     .rest = centre}));
    RETURN_IF_FAILED(
        add_part(memory, s,
                 &(struct collision_part_input){
                     .part = {.offset = CAPSULE_OFFSET, .is_obstacle = true, .obstacle = 2},
                     .kind = POINT_OBSTACLE,
                     .point_count = 2,
                     .rest = ends,
                     .edge_count = 1,
                     .edges = capsule_axis}));
    return add_part(
        memory, s,
        &(struct collision_part_input){
            .part = {.surface.friction = 0.4, .is_obstacle = true, .obstacle = WALL_OBSTACLE},
            .kind = POINT_OBSTACLE});
}

static inline void place_scene(struct touching_scene *s) {
    barrier_contact_begin_motion(&s->contact, s->now, s->target);
}

/// Everything at rest, nothing within reach unless that is as far as the parts are apart.
static inline pbs_status touching_scene_try(struct memory *memory, struct touching_scene *s,
                                            int32_t wall, double reach) {
    *s = (struct touching_scene){0};
    struct barrier_contact *c = &s->contact;
    c->memory = memory;
    c->settings.barrier = (struct barrier){.stiffness = 1.0, .reach = reach};
    c->settings.slip_velocity = 0.1;
    touching_scene_rest(s);
    s->now[0].pose = pose_at(0.0, 0.0, 1.0);
    s->now[1].pose = pose_at(1.0, 0.0, 1.0);
    s->now[2].pose = pose_at(0.0, 1.0, 1.0);
    s->now[3].shape = wall_shape(wall);
    s->now[3].pose = pose_at(0.0, wall == PBS_SHAPE_HALF_SPACE ? -WALL_SIZE : 0.0, 0.0);
    memcpy(s->target, s->now, sizeof s->target);
    double corners[24];
    brick_corners(1.0, corners);
    RETURN_IF_FAILED(add_bodies(memory, s, corners));
    RETURN_IF_FAILED(add_obstacles(memory, s));
    const size_t walls = obstacle_surface_count(&s->now[WALL_OBSTACLE]);
    RETURN_IF_FAILED(memory_reserve(memory, &c->walls, &c->wall_capacity, walls, sizeof *c->walls));
    c->wall_count = walls;
    for (size_t w = 0; w < walls; w++) {
        c->walls[w] = (struct contact_wall){.part = PART_WALLS};
    }
    RETURN_IF_FAILED(barrier_contact_reset(c));
    place_scene(s);
    return PBS_OK;
}

static inline void touching_scene_make(struct memory *memory, struct touching_scene *s,
                                       int32_t wall, double reach) {
    assert_ok(touching_scene_try(memory, s, wall, reach));
}

static inline double scene_energy(struct touching_scene *s, const double *x, bool with_friction,
                                  double *gradient) {
    struct contact_energy energy;
    assert_ok(barrier_contact_evaluate(&s->contact, NULL, x, with_friction, gradient, &energy));
    return energy.potential + energy.friction;
}

#endif
