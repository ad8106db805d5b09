// Converts bodies and colliders to the parts of barrier contact. The vertices on a body's surface
// become points, with its triangles and their edges. Particles, which have no surface, become
// points only, and those of bonded bodies become spheres. Colliders become walls, or points, edges
// and triangles, as their shape says (shape_contact_of).
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/contact_scene.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/meshes/inset_surface.h"
#include "world/particles/bonded.h"
#include "world/contact_scenes/close_pairs.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/joints/joint.h"
#include "world/objects/motion.h"
#include "world/objects/collider.h"

// --- bodies ---

/// Temporary arrays of one part.
struct part_buffers {
    struct memory *memory;
    uint32_t *number; ///< per vertex: its index among the points; UINT32_MAX: not a point
    uint32_t *vertices, *nodes, *triangles;
    double *rest, *local, *lengths;
};

static pbs_status allocate_buffers(struct part_buffers *b, const struct body *body) {
    b->number = memory_allocate(b->memory, body->vertex_count, sizeof *b->number);
    b->vertices = memory_allocate(b->memory, body->vertex_count, sizeof *b->vertices);
    b->nodes = memory_allocate(b->memory, body->vertex_count, sizeof *b->nodes);
    b->rest = memory_allocate(b->memory, 3 * body->vertex_count, sizeof *b->rest);
    b->local = memory_allocate(b->memory, 3 * body->vertex_count, sizeof *b->local);
    b->lengths = memory_allocate(b->memory, body->vertex_count, sizeof *b->lengths);
    b->triangles = memory_allocate(b->memory, 3 * body->triangle_count, sizeof *b->triangles);
    return b->number != NULL && b->vertices != NULL && b->nodes != NULL && b->rest != NULL &&
                   b->local != NULL && b->lengths != NULL && b->triangles != NULL
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

static void free_buffers(struct part_buffers *b) {
    memory_release(b->memory, b->number);
    memory_release(b->memory, b->vertices);
    memory_release(b->memory, b->nodes);
    memory_release(b->memory, b->rest);
    memory_release(b->memory, b->local);
    memory_release(b->memory, b->lengths);
    memory_release(b->memory, b->triangles);
}

/// Numbers the points: the vertices of the surface, or all vertices if there is no surface.
static size_t number_points(const struct body *body, uint32_t *number) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        number[i] = body->triangle_count > 0 ? UINT32_MAX : 0;
    }
    for (size_t k = 0; k < 3 * body->triangle_count; k++) {
        number[body->triangles[k]] = 0;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        number[i] = number[i] == 0 ? count++ : UINT32_MAX;
    }
    return count;
}

/// Adds the radii of spheres, and the bonds between them. All vertices of such bodies are points.
static void add_spheres(const struct body *body, struct collision_part_input *input) {
    if (body_has_spheres(body)) {
        input->radii = body->bonds.contact_radii;
        input->bond_count = body->bonds.count;
        input->bonds = body->bonds.pairs;
        input->broken = body->bonds.broken;
        input->release = body->bonds.release;
    }
}

struct surface contact_scene_surface(const pbs_contact_desc *d) {
    return (struct surface){d->friction, d->surface_material, d->rolling_friction,
                            d->spinning_friction};
}

/// Friction rotates particles with a contact radius; points without one do not rotate.
static void add_rotations(const struct body *body, struct part_buffers *b,
                          struct collision_part_input *input) {
    if (!body_has_orientations(body)) {
        return;
    }
    for (size_t i = 0; i < body->vertex_count; i++) {
        const bool rotates = body->bonds.contact_radii[i] + body->contact.offset > 0.0;
        b->lengths[i] = rotates ? bonded_radius_of_gyration(body->bonded.radii[i]) : 0.0;
    }
    input->first_rotation = (uint32_t)(body->node_start + body->vertex_count);
    input->rotation_lengths = b->lengths;
}

/// Own coordinates of the points of an affine body: those of its inset surface.
static pbs_status move_inside(const struct body *body, struct part_buffers *b, size_t count) {
    const double radius = body->affine.radius;
    double *from = memory_allocate(b->memory, 3 * count, sizeof *from);
    bool possible = false;
    if (from == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * count; i++) {
        from[i] = radius * b->local[i];
    }
    const struct surface_view surface = {count, from, body->triangle_count, b->triangles};
    const pbs_status status = inset_surface(b->memory, &surface, body->contact_inset, b->local,
                                            &possible);
    for (size_t i = 0; i < 3 * count; i++) {
        b->local[i] = possible ? b->local[i] / radius : from[i] / radius;
    }
    memory_release(b->memory, from);
    return status;
}

static pbs_status add_body(const struct scene *scene, const struct body *body,
                           struct part_buffers *b, struct collision_mesh *mesh) {
    RETURN_IF_FAILED(allocate_buffers(b, body));
    const size_t count = number_points(body, b->number);
    for (size_t i = 0; i < body->vertex_count; i++) {
        if (b->number[i] != UINT32_MAX) {
            b->vertices[b->number[i]] = (uint32_t)i;
            b->nodes[b->number[i]] = vertices_at(body, i).node[0];
            vertices_rest(&scene->nodes, body, i, b->rest + 3 * (size_t)b->number[i]);
            if (body->vertices.weights != NULL) {
                copy3(body->vertices.weights + VERTEX_WIDTH * i + 1,
                      b->local + 3 * (size_t)b->number[i]);
            }
        }
    }
    for (size_t k = 0; k < 3 * body->triangle_count; k++) {
        b->triangles[k] = b->number[body->triangles[k]];
    }
    if (body->contact_inset > 0.0) {
        RETURN_IF_FAILED(move_inside(body, b, count));
    }
    // An affine map that does not invert the body cannot make it intersect itself.
    const bool is_affine = body->vertices.weights != NULL;
    struct collision_part_input input = {
        .part = {.surface = contact_scene_surface(&body->contact),
                 .offset = body->contact.offset,
                 .stiffness = body->barrier.stiffness,
                 .load = body->barrier.load,
                 .reach = contact_scale_distance(scene, body),
                 .group = body->contact.group,
                 .mask = body->contact.mask,
                 .touches_itself = body->contact.touches_itself != 0 && !is_affine},
        .kind = is_affine ? POINT_AFFINE : POINT_NODE,
        .point_count = count,
        .vertices = b->vertices,
        .nodes = b->nodes,
        .rest = b->rest,
        .local = b->local,
        .triangle_count = body->triangle_count,
        .triangles = b->triangles,
    };
    add_spheres(body, &input);
    add_rotations(body, b, &input);
    return collision_mesh_add(b->memory, &input, mesh);
}

/// Adds the surface of a placement, whose vertices are separate nodes. Of `surface` only vertices
/// and triangles are used.
static pbs_status add_placed_surface(const struct contact_placement *p, const struct body *surface,
                                     struct part_buffers *b, struct collision_mesh *mesh) {
    RETURN_IF_FAILED(allocate_buffers(b, surface));
    const size_t count = number_points(surface, b->number);
    for (size_t i = 0; i < surface->vertex_count; i++) {
        if (b->number[i] != UINT32_MAX) {
            b->vertices[b->number[i]] = (uint32_t)i;
            b->nodes[b->number[i]] = p->nodes[i];
            copy3(p->rest + 3 * i, b->rest + 3 * (size_t)b->number[i]);
        }
    }
    for (size_t k = 0; k < 3 * surface->triangle_count; k++) {
        b->triangles[k] = b->number[surface->triangles[k]];
    }
    const bool is_affine = p->body != NULL && !vertices_are_nodes(p->body);
    struct collision_part_input input = {
        .part = {.offset = p->contact->offset,
                 .group = p->contact->group,
                 .mask = p->contact->mask,
                 .touches_itself = p->contact->touches_itself != 0 && !is_affine},
        .kind = POINT_NODE,
        .point_count = count,
        .vertices = b->vertices,
        .nodes = b->nodes,
        .rest = b->rest,
        .triangle_count = surface->triangle_count,
        .triangles = b->triangles,
    };
    if (p->body != NULL) {
        add_spheres(p->body, &input);
    }
    return collision_mesh_add(b->memory, &input, mesh);
}

static pbs_status add_placement(const struct contact_placement *p, struct memory *memory,
                                struct collision_mesh *mesh) {
    struct part_buffers buffers = {.memory = memory};
    struct body own = {.vertex_count = p->vertex_count, .triangle_count = p->triangle_count};
    // memcpy, as the member is not const; the triangles are only read.
    memcpy(&own.triangles, &p->triangles, sizeof own.triangles);
    const pbs_status status = add_placed_surface(p, p->body != NULL ? p->body : &own, &buffers,
                                                 mesh);
    free_buffers(&buffers);
    return status;
}

static pbs_status add_bodies(const struct scene *scene, struct memory *memory,
                             const struct contact_placement *placement,
                             struct collision_mesh *mesh) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        if (placement != NULL && placement->body == scene_body(scene, i)) {
            RETURN_IF_FAILED(add_placement(placement, memory, mesh));
            continue;
        }
        struct part_buffers buffers = {.memory = memory};
        const pbs_status status = add_body(scene, scene_body(scene, i), &buffers, mesh);
        free_buffers(&buffers);
        RETURN_IF_FAILED(status);
    }
    return PBS_OK;
}

// --- colliders ---

/// Adds the collider's surface of triangles; it lies inside the boundary by surface.offset.
static pbs_status add_surface(struct memory *memory, const struct shape *shape,
                              struct collision_part_input *input, struct collision_mesh *mesh) {
    struct shape_surface surface;
    RETURN_IF_FAILED(shape_surface_make(memory, shape, &surface));
    input->part.offset = surface.offset;
    input->point_count = surface.point_count;
    input->rest = surface.points;
    input->edge_count = surface.edge_count;
    input->edges = surface.edges;
    input->triangle_count = surface.triangle_count;
    input->triangles = surface.triangles;
    const pbs_status status = collision_mesh_add(memory, input, mesh);
    shape_surface_free(memory, &surface);
    return status;
}

static pbs_status add_mesh(struct memory *memory, const pbs_collider_desc *d,
                           struct collision_part_input *input, struct collision_mesh *mesh) {
    input->point_count = d->vertex_count;
    input->rest = d->vertices;
    input->triangle_count = d->triangle_count;
    input->triangles = d->triangles;
    input->edge_count = d->edge_count;
    input->edges = d->edges;
    return collision_mesh_add(memory, input, mesh);
}

/// Adds a part that has only walls.
static pbs_status add_walls(struct memory *memory, const struct shape *shape,
                            const struct collision_part_input *input,
                            struct barrier_contact *contact) {
    struct shape_piece pieces[SHAPE_PIECES];
    const struct pose own = {.rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    const size_t count = shape_pieces(shape, &own, pieces);
    RETURN_IF_FAILED(collision_mesh_add(memory, input, &contact->mesh));
    RETURN_IF_FAILED(memory_reserve(memory, &contact->walls, &contact->wall_capacity,
                                    contact->wall_count + count, sizeof *contact->walls));
    for (size_t i = 0; i < count; i++) {
        contact->walls[contact->wall_count++] = (struct contact_wall){
            .part = contact->mesh.part_count - 1};
    }
    return PBS_OK;
}

static pbs_status add_collider(struct memory *memory, const struct collider *collider,
                               uint32_t index, struct barrier_contact *contact) {
    const pbs_collider_desc *d = &collider->desc;
    struct collision_part_input input = {
        .part = {.surface = {.friction = d->friction, .material = d->surface_material},
                 .group = d->group,
                 .mask = d->mask,
                 .stiffness = INFINITY,
                 .load = INFINITY,
                 .is_obstacle = true,
                 .obstacle = index},
        .kind = POINT_OBSTACLE};
    if (d->shape == PBS_SHAPE_MESH) {
        return add_mesh(memory, d, &input, &contact->mesh);
    }
    const struct shape shape = collider_shape(d);
    switch (shape_contact_of(&shape)) {
    case SHAPE_WALLS: return add_walls(memory, &shape, &input, contact);
    case SHAPE_SURFACE: return add_surface(memory, &shape, &input, &contact->mesh);
    default: return collision_mesh_add(memory, &input, &contact->mesh); // a part of nothing
    }
}

// --- joints ---

/// Parts are the bodies in order of creation.
static pbs_status join_parts(const struct scene *scene, struct memory *memory,
                             struct collision_mesh *mesh) {
    if (scene->joints.count == 0) {
        return PBS_OK;
    }
    uint32_t *part_of_slot = memory_allocate(memory, scene->bodies.slot_count,
                                             sizeof *part_of_slot);
    if (part_of_slot == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        part_of_slot[scene_body(scene, i)->slot] = (uint32_t)i;
    }
    pbs_status status = PBS_OK;
    for (size_t i = 0; i < scene->joints.count && status >= 0; i++) {
        const struct world_joint *joint = scene_joint(scene, i);
        if (world_joint_is_apart(joint)) {
            status = collision_mesh_join(memory, mesh, part_of_slot[joint->sides[0].body->slot],
                                         part_of_slot[joint->sides[1].body->slot], joint->broken,
                                         joint->contact_distance);
        }
    }
    memory_release(memory, part_of_slot);
    collision_mesh_sort_joined(mesh);
    return status;
}

// --- the scene ---

double contact_scene_stiffness(const struct scene *scene) {
    return scene->barrier.stiffness > 0.0 && scene->settings.contact_stiffness > 0.0
               ? scene->barrier.stiffness
               : scene->settings.contact_stiffness;
}

static double longest_distance(const struct scene *scene, double distance) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        distance = fmax(distance, contact_scale_distance(scene, scene_body(scene, i)));
    }
    return distance;
}

static pbs_status build(const struct scene *scene, struct memory *memory,
                        const struct contact_placement *placement,
                        struct barrier_contact *contact) {
    RETURN_IF_FAILED(add_bodies(scene, memory, placement, &contact->mesh));
    RETURN_IF_FAILED(join_parts(scene, memory, &contact->mesh));
    for (size_t i = 0; i < scene->colliders.count; i++) {
        RETURN_IF_FAILED(add_collider(memory, scene_collider(scene, i), (uint32_t)i, contact));
    }
    if (placement != NULL && placement->body == NULL) {
        RETURN_IF_FAILED(add_placement(placement, memory, &contact->mesh));
    }
    RETURN_IF_FAILED(close_pairs_load(scene, memory, &contact->mesh));
    return barrier_contact_reset(contact);
}

pbs_status contact_scene_build(const struct scene *scene, struct memory *memory,
                               struct barrier_contact *contact) {
    return contact_scene_build_with(scene, memory, NULL, contact);
}

pbs_status contact_scene_build_with(const struct scene *scene, struct memory *memory,
                                    const struct contact_placement *placement,
                                    struct barrier_contact *contact) {
    const struct contact_scale scale = contact_scale_of(scene);
    contact->memory = memory;
    contact->wall_count = 0;
    collision_mesh_clear(&contact->mesh);
    contact->settings = (struct contact_settings){
        .barrier = {.form = scene->expert.barrier == PBS_BARRIER_SQUARED ? BARRIER_SQUARED
                                                                         : BARRIER_DISTANCE,
                    .stiffness = contact_scene_stiffness(scene),
                    .reach = longest_distance(scene, scale.distance)},
        .slip_velocity = contact_scale_slip_velocity(scene, &scale, 1.0),
        .frictions = &scene->frictions};
    const pbs_status status = build(scene, memory, placement, contact);
    if (status < 0) {
        barrier_contact_free(contact);
    }
    return status;
}

pbs_status contact_scene_update_obstacles(const struct scene *scene, struct memory *memory,
                                          struct barrier_contact *contact) {
    const size_t count = scene->colliders.count;
    struct obstacle *obstacles = memory_allocate(memory, count, sizeof *obstacles);
    if (obstacles == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        motion_obstacle_at(scene_collider(scene, i), 0.0, 1.0, &obstacles[i]);
    }
    barrier_contact_begin_motion(contact, obstacles, obstacles);
    memory_release(memory, obstacles);
    return PBS_OK;
}

// --- struct contact_kind ---

static pbs_status check_scheme(const struct scene *scene, const struct scheme_table *scheme) {
    (void)scene;
    return scheme->kicks
               ? status_fail(PBS_ERROR_ARGUMENT,
                             "%s does not support PBS_CONTACT_BARRIER, whose forces have no bound: "
                             "create the world with PBS_CONTACT_PENALTY or PBS_CONTACT_PROJECTION",
                             scheme->name)
               : PBS_OK;
}

static pbs_status evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                           struct contact_energy *out) {
    struct barrier_contact contact = {.memory = memory};
    RETURN_IF_FAILED(contact_scene_build(scene, memory, &contact));
    pbs_status status = contact_scene_update_obstacles(scene, memory, &contact);
    if (status >= 0) {
        status = close_pairs_renew(scene, &contact);
    }
    if (status >= 0) {
        status = barrier_contact_evaluate(&contact, NULL, scene->nodes.x, false, gradient, out);
    }
    barrier_contact_free(&contact);
    return status;
}

static void set_surface(struct barrier_contact *contact, size_t part,
                        const struct surface *surface) {
    contact->mesh.parts[part].surface = *surface;
}

const struct contact_kind contact_kind_barrier = {
    .id = PBS_CONTACT_BARRIER,
    .run = &contact_run_barrier,
    .scheme = PBS_SCHEME_IMPLICIT_EULER,
    .divides_early = true,
    .semidefinite = true,
    .needs_line_search = true,
    .has_distance = true,
    .has_bodies = true,
    .takes_meshes = true,
    .check_scheme = check_scheme,
    .evaluate = evaluate,
    .set_surface = set_surface,
};
