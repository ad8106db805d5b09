// Nodes of an elastic component keep their order, so vertex v of a body is node node_begin + v of
// the scene.
// SPDX-License-Identifier: MIT

#include "common/scenes/scene_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RETURN_IF_WRONG(call)                                                                      \
    do {                                                                                           \
        const pbs_status status_ = (call);                                                         \
        if (status_ < 0) {                                                                         \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

pbs_status scene_world_settings(const struct scene_file *scene, pbs_world_desc *d,
                                pbs_expert_desc *expert) {
    RETURN_IF_WRONG(pbs_world_desc_init(d, sizeof *d));
    RETURN_IF_WRONG(pbs_expert_desc_init(expert, sizeof *expert));
    d->expert = expert;
    memcpy(d->gravity, scene->gravity, sizeof d->gravity);
    expert->project_hessian = 1;
    d->contact = PBS_CONTACT_BARRIER;
    // What a file leaves out is the library's own.
    if (scene->contact_distance > 0.0) {
        d->contact_distance = scene->contact_distance;
    }
    if (scene->slip_velocity > 0.0) {
        d->slip_velocity = scene->slip_velocity;
    }
    if (scene->contact_stiffness > 0.0) {
        // What the file suggests is the least; the code that wrote it adapts it as we do.
        expert->barrier = PBS_BARRIER_SQUARED;
        d->contact_stiffness = scene->contact_stiffness / (scene->step * scene->step);
        expert->adaptive_stiffness = 1;
    }
    // 0: the file does not say. More than the library allows does not happen: it ends before.
    const size_t iterations = scene->friction_iterations;
    d->friction_iterations = iterations == 0 ? 1 : iterations > 100 ? 100 : (uint32_t)iterations;
    if (scene->newton_tolerance > 0.0) {
        // A file's tolerance is of a Newton step, and alone decides.
        d->velocity_tolerance = scene->newton_tolerance / scene->step;
        expert->velocity_rule = PBS_VELOCITY_STEP;
        d->relative_tolerance = 1e-10;
        d->divisions = 0;
    }
    return PBS_OK;
}

static pbs_status set_integrator(const struct scene_world *w) {
    if (w->scene->integrator == SCENE_IMPLICIT_EULER) {
        return PBS_OK;
    }
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    RETURN_IF_WRONG(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_NEWMARK));
    memcpy(d.parameters, w->scene->newmark, sizeof w->scene->newmark);
    RETURN_IF_WRONG(pbs_integrator_create(&d, &integrator));
    const pbs_status status = pbs_world_set_integrator(w->world, integrator);
    pbs_integrator_destroy(integrator);
    return status;
}

// --- colliders ---

/// The rotation that takes y to the normal.
static void stand_on(const double normal[3], double orientation[4]) {
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] +
                               normal[2] * normal[2]);
    const double w = 1.0 + normal[1] / length;
    const double q[4] = {normal[2] / length, 0.0, -normal[0] / length, w};
    const double size = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        orientation[k] = size > 1e-8 ? q[k] / size : (k == 0 ? 1.0 : 0.0);
    }
}

static pbs_status add_half_space(pbs_world *world, const struct scene_half_space *h) {
    pbs_collider_desc d;
    pbs_collider collider;
    RETURN_IF_WRONG(pbs_collider_desc_init(&d, sizeof d));
    memcpy(d.position, h->origin, sizeof d.position);
    stand_on(h->normal, d.orientation);
    d.friction = h->friction;
    return pbs_collider_create(world, &d, &collider);
}

static pbs_status add_mesh(pbs_world *world, const struct scene_mesh *mesh) {
    pbs_collider_desc d;
    pbs_collider collider;
    RETURN_IF_WRONG(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = mesh->vertex_count;
    d.vertices = mesh->vertices;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    d.friction = mesh->friction;
    return pbs_collider_create(world, &d, &collider);
}

static bool has_node(const struct scene_component *c, uint32_t node) {
    return node >= c->node_begin && node < c->node_end;
}

/// Elements all of whose nodes are the component's, renumbered from its first; how many.
static size_t elements_of(const struct scene_component *c, const uint32_t *elements, size_t count,
                          size_t width, uint32_t *out) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool own = true;
        for (size_t k = 0; k < width; k++) {
            own = own && has_node(c, elements[width * i + k]);
        }
        for (size_t k = 0; own && k < width; k++) {
            out[width * found + k] = elements[width * i + k] - (uint32_t)c->node_begin;
        }
        found += own;
    }
    return found;
}

static const struct scene_motion *motion_of(const struct scene_file *scene,
                                            const struct scene_component *c) {
    for (size_t i = 0; i < scene->motion_count; i++) {
        const struct scene_motion *const motion = &scene->motions[i];
        if (motion->node_count > 0 && has_node(c, motion->nodes[0])) {
            return motion;
        }
    }
    return NULL;
}

/// The frame of an obstacle at rest is that of the world, moved to the centre of its rotation.
static void pose_of(const struct scene_motion *motion, double time, double position[3],
                    double orientation[4]) {
    const double at_rest[4] = {0.0, 0.0, 0.0, 1.0};
    memcpy(orientation, at_rest, sizeof at_rest);
    memset(position, 0, 3 * sizeof *position);
    if (motion == NULL) {
        return;
    }
    const double *const v = motion->vector;
    if (motion->kind == SCENE_TRANSLATE) {
        for (int k = 0; k < 3; k++) {
            position[k] = time * v[k];
        }
    } else if (motion->kind == SCENE_ROTATE) {
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double half = 0.5 * motion->omega * time;
        for (int k = 0; k < 3; k++) {
            orientation[k] = sin(half) * v[k] / length;
            position[k] = motion->centre[k];
        }
        orientation[3] = cos(half);
    }
}

static pbs_status create_obstacle(const struct scene_world *w, const struct scene_component *c,
                                  double *vertices, uint32_t *triangles, uint32_t *edges,
                                  pbs_collider *out) {
    const struct scene_file *const scene = w->scene;
    pbs_collider_desc d;
    RETURN_IF_WRONG(pbs_collider_desc_init(&d, sizeof d));
    pose_of(motion_of(scene, c), 0.0, d.position, d.orientation);
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = c->node_end - c->node_begin;
    for (size_t i = 0; i < 3 * d.vertex_count; i++) {
        vertices[i] = scene->initial[3 * c->node_begin + i] - d.position[i % 3];
    }
    d.vertices = vertices;
    d.triangle_count = elements_of(c, scene->triangles, scene->triangle_count, 3, triangles);
    d.triangles = triangles;
    d.edge_count = elements_of(c, scene->segments, scene->segment_count, 2, edges);
    d.edges = edges;
    d.friction = scene->friction;
    return pbs_collider_create(w->world, &d, out);
}

static pbs_status add_obstacle(const struct scene_world *w, const struct scene_component *c,
                               pbs_collider *out) {
    double *vertices = malloc(3 * (c->node_end - c->node_begin + 1) * sizeof *vertices);
    uint32_t *triangles = malloc(3 * (w->scene->triangle_count + 1) * sizeof *triangles);
    uint32_t *edges = malloc(2 * (w->scene->segment_count + 1) * sizeof *edges);
    pbs_status status = PBS_ERROR_MEMORY;
    if (vertices != NULL && triangles != NULL && edges != NULL) {
        status = create_obstacle(w, c, vertices, triangles, edges, out);
    }
    free(vertices);
    free(triangles);
    free(edges);
    return status;
}

// --- bodies ---

static pbs_status add_solid(const struct scene_world *w, const struct scene_component *c,
                            pbs_body *out) {
    const struct scene_file *const scene = w->scene;
    const size_t tets = 4 * (c->tet_end - c->tet_begin);
    pbs_solid_desc d;
    RETURN_IF_WRONG(pbs_solid_desc_init(&d, sizeof d));
    uint32_t *corners = malloc((tets + 1) * sizeof *corners);
    if (corners == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t k = 0; k < tets; k++) {
        corners[k] = scene->tets[4 * c->tet_begin + k] - (uint32_t)c->node_begin;
    }
    d.material = scene->material == SCENE_NEO_HOOKEAN ? PBS_MATERIAL_NEO_HOOKEAN
                                                      : PBS_MATERIAL_FIXED_COROTATED;
    d.vertex_count = c->node_end - c->node_begin;
    d.positions = scene->rest + 3 * c->node_begin;
    d.initial_positions = scene->initial + 3 * c->node_begin;
    d.initial_velocities = scene->velocities != NULL ? scene->velocities + 3 * c->node_begin : NULL;
    d.tet_count = tets / 4;
    d.tets = corners;
    d.density = c->density;
    d.young = c->young;
    d.poisson = c->poisson;
    const pbs_status status = pbs_body_create_solid(w->world, &d, out);
    free(corners);
    return status;
}

static pbs_status set_friction(const struct scene_world *w, pbs_body body) {
    pbs_contact_desc d;
    RETURN_IF_WRONG(pbs_contact_desc_init(&d, sizeof d));
    d.friction = w->scene->friction;
    return pbs_body_set_contact(w->world, body, &d);
}

/// Those of `nodes` that the component has, as vertices of its body, into w->chosen.
static size_t choose(const struct scene_world *w, const struct scene_component *c,
                     const uint32_t *nodes, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_node(c, nodes[i]) && found < w->scene->node_count) {
            memcpy(w->targets + 3 * found, w->scripted + 3 * (size_t)nodes[i], 3 * sizeof(double));
            w->chosen[found++] = nodes[i] - (uint32_t)c->node_begin;
        }
    }
    return found;
}

static pbs_status add_component(const struct scene_world *w, size_t index) {
    const struct scene_component *const c = &w->scene->components[index];
    if (c->codimension < 3) {
        return add_obstacle(w, c, &w->obstacles[index]);
    }
    RETURN_IF_WRONG(add_solid(w, c, &w->bodies[index]));
    RETURN_IF_WRONG(set_friction(w, w->bodies[index]));
    const size_t held = choose(w, c, w->scene->dirichlet, w->scene->dirichlet_count);
    return pbs_body_pin(w->world, w->bodies[index], w->chosen, held, PBS_AXIS_ALL);
}

// --- the whole ---

static bool take_memory(struct scene_world *w) {
    const size_t nodes = w->scene->node_count, components = w->scene->component_count;
    w->bodies = calloc(components, sizeof *w->bodies);
    w->obstacles = calloc(components, sizeof *w->obstacles);
    w->scripted = calloc(3 * nodes, sizeof *w->scripted);
    w->targets = calloc(3 * nodes, sizeof *w->targets);
    w->chosen = calloc(nodes, sizeof *w->chosen);
    return w->bodies != NULL && w->obstacles != NULL && w->scripted != NULL && w->targets != NULL &&
           w->chosen != NULL;
}

static pbs_status fill(struct scene_world *w, const pbs_world_desc *d) {
    const struct scene_file *const scene = w->scene;
    if (!take_memory(w)) {
        return PBS_ERROR_MEMORY;
    }
    memcpy(w->scripted, scene->initial, 3 * scene->node_count * sizeof *w->scripted);
    RETURN_IF_WRONG(pbs_world_create(d, &w->world));
    RETURN_IF_WRONG(set_integrator(w));
    for (size_t i = 0; i < scene->half_space_count; i++) {
        RETURN_IF_WRONG(add_half_space(w->world, &scene->half_spaces[i]));
    }
    for (size_t i = 0; i < scene->mesh_count; i++) {
        RETURN_IF_WRONG(add_mesh(w->world, &scene->meshes[i]));
    }
    for (size_t i = 0; i < scene->component_count; i++) {
        RETURN_IF_WRONG(add_component(w, i));
    }
    return PBS_OK;
}

pbs_status scene_world_create(const struct scene_file *scene, const pbs_world_desc *d,
                              struct scene_world *out) {
    *out = (struct scene_world){.scene = scene};
    const pbs_status status = fill(out, d);
    if (status < 0) {
        scene_world_destroy(out);
    }
    return status;
}

void scene_world_destroy(struct scene_world *w) {
    pbs_world_destroy(w->world);
    free(w->bodies);
    free(w->obstacles);
    free(w->scripted);
    free(w->targets);
    free(w->chosen);
    *w = (struct scene_world){0};
}

static pbs_status move_component(struct scene_world *w, size_t index) {
    const struct scene_file *const scene = w->scene;
    const struct scene_component *const c = &scene->components[index];
    if (c->codimension < 3) {
        double position[3], orientation[4];
        pose_of(motion_of(scene, c), (double)w->step_count * scene->step, position, orientation);
        return pbs_collider_set_motion(w->world, w->obstacles[index], position, orientation);
    }
    for (size_t i = 0; i < scene->motion_count; i++) {
        const struct scene_motion *const motion = &scene->motions[i];
        const size_t count = choose(w, c, motion->nodes, motion->node_count);
        RETURN_IF_WRONG(
            pbs_body_set_targets(w->world, w->bodies[index], w->chosen, count, w->targets));
    }
    return PBS_OK;
}

pbs_status scene_world_step(struct scene_world *w) {
    w->step_count++;
    for (size_t i = 0; i < w->scene->motion_count; i++) {
        scene_motion_apply(&w->scene->motions[i], w->scene->step, w->scripted);
    }
    for (size_t i = 0; i < w->scene->component_count; i++) {
        RETURN_IF_WRONG(move_component(w, i));
    }
    return pbs_world_step(w->world, w->scene->step);
}
