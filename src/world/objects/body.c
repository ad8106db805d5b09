// What all bodies have in common: creation and destruction, state, pins and targets.
#include "world/objects/body.h"

#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/bodies/bonded.h"
#include "world/interface/check.h"
#include "world/bodies/peridynamic.h"
#include "world/interface/settings.h"
#include "world/world.h"

bool body_has_spheres(const struct body *body) {
    return body->bonds.contact_radii != NULL;
}

void body_free(struct body *body, struct memory *memory) {
    if (body == NULL) {
        return;
    }
    memory_release(memory, body->solid.tets);
    memory_release(memory, body->solid.rest);
    memory_release(memory, body->solid.density.per_tet);
    memory_release(memory, body->solid.young.per_tet);
    memory_release(memory, body->solid.poisson.per_tet);
    memory_release(memory, body->shell.rest);
    memory_release(memory, body->shell.sides);
    memory_release(memory, body->shell.rest_angles);
    memory_release(memory, body->shell.clamp_sides);
    memory_release(memory, body->shell.clamps);
    memory_release(memory, body->springs.springs);
    memory_release(memory, body->springs.stiffness);
    memory_release(memory, body->springs.rest_lengths);
    memory_release(memory, body->affine.rest);
    fragments_free(&body->bonds.fragments, memory);
    fracture_surface_free(&body->bonded.surface, memory);
    memory_release(memory, body->bonds.rest);
    memory_release(memory, body->bonded.radii);
    memory_release(memory, body->bonds.contact_radii);
    memory_release(memory, body->bonds.pairs);
    memory_release(memory, body->bonded.bond_radii);
    memory_release(memory, body->bonded.young);
    memory_release(memory, body->bonded.shear_moduli);
    memory_release(memory, body->bonded.tensile);
    memory_release(memory, body->bonded.shearing);
    memory_release(memory, body->bonds.broken);
    memory_release(memory, body->bonds.release);
    memory_release(memory, body->bonds.volume_fractions);
    memory_release(memory, body->peridynamic.volumes);
    memory_release(memory, body->peridynamic.young);
    memory_release(memory, body->peridynamic.lengths);
    memory_release(memory, body->peridynamic.stiffness);
    memory_release(memory, body->peridynamic.critical);
    memory_release(memory, body->peridynamic.onset);
    memory_release(memory, body->peridynamic.remaining);
    memory_release(memory, body->bonded.orientations);
    memory_release(memory, body->bonded.angular_velocities);
    memory_release(memory, body->custom.stencils);
    memory_release(memory, body->triangles);
    vertices_free(&body->vertices, memory);
    memory_release(memory, body);
}

double body_mass(const struct nodes *nodes, const struct body *body) {
    const size_t count = nodes_count_places(nodes, body->node_start, body->node_count);
    double mass = 0.0;
    for (size_t i = body->node_start; i < body->node_start + count; i++) {
        mass += nodes->mass[i];
    }
    return mass;
}

double body_extent(size_t vertex_count, const double *positions) {
    double square = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY;
        double high = -INFINITY;
        for (size_t i = 0; i < vertex_count; i++) {
            low = fmin(low, positions[3 * i + k]);
            high = fmax(high, positions[3 * i + k]);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

// --- creation and destruction ---

/// Bodies changed: what was built for the old ones is of no use.
static void invalidate(pbs_world *w) {
    w->topology.is_current = false;
    query_index_forget_parts(w->query);
    w->scene.free_reference = 0.0;
    w->scene.barrier = (struct adaptive_barrier){0};
    w->scene.contact_reach = w->scene.bodies.count > 0 ? w->scene.contact_reach : 0.0;
    scene_forget_history(&w->scene);
}

static pbs_contact_desc default_contact(void) {
    return (pbs_contact_desc){.struct_size = sizeof(pbs_contact_desc),
                              .touches_itself = 1,
                              .group = 1,
                              .mask = UINT32_MAX};
}

static pbs_body add(pbs_world *w, struct body *body) {
    body->contact = default_contact();
    body->moved_by = "created";
    body->slot = handle_insert(&w->scene.bodies, body);
    invalidate(w);
    return (pbs_body){handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp)};
}

/// Room for a body that was refused in the end may have moved the nodes' arrays, which the topology
/// points into.
static pbs_status refuse(pbs_world *w, size_t capacity_before, pbs_status status) {
    if (status == PBS_ERROR_MEMORY || w->scene.nodes.capacity != capacity_before) {
        w->topology.is_current = false;
    }
    return status;
}

/// What every creation begins with; the room for the handle stays where the body is refused.
static pbs_status enter_creation(pbs_world *w, const pbs_body *out) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    return handle_reserve(&w->scene.bodies, &w->memory);
}

/// And ends with.
static pbs_status finish_creation(pbs_world *w, size_t capacity_before, pbs_status status,
                                  struct body *body, pbs_body *out) {
    if (status < 0) {
        return refuse(w, capacity_before, status);
    }
    *out = add(w, body);
    return PBS_OK;
}

pbs_status pbs_body_create_solid(pbs_world *w, const pbs_solid_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_solid_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_solid, d, &settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = solid_body_create(&w->scene, &w->memory, &settings, &body);
    return finish_creation(w, capacity, status, body, out);
}

pbs_status pbs_body_create_shell(pbs_world *w, const pbs_shell_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_shell_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_shell, d, &settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = shell_body_create(&w->scene, &w->memory, &settings, &body);
    return finish_creation(w, capacity, status, body, out);
}

pbs_status pbs_body_create_springs(pbs_world *w, const pbs_springs_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_springs_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_springs, d, &settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = springs_body_create(&w->scene, &w->memory, &settings, &body);
    return finish_creation(w, capacity, status, body, out);
}

pbs_status pbs_body_create_affine(pbs_world *w, const pbs_affine_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_affine_desc settings = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    RETURN_IF_FAILED(settings_read(&settings_affine, d, &settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = affine_body_create(&w->scene, &w->memory, &settings, &body);
    return finish_creation(w, capacity, status, body, out);
}

pbs_status pbs_body_create_bonded(pbs_world *w, const pbs_bonded_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_bonded_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_bonded, d, &settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = bonded_body_create(&w->scene, &w->memory, &settings, &body);
    RETURN_IF_FAILED(finish_creation(w, capacity, status, body, out));
    return bonded_check_weight(&w->scene.nodes, body, w->scene.settings.gravity);
}

pbs_status pbs_body_create_peridynamic(pbs_world *w, const pbs_peridynamic_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_peridynamic_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_peridynamic, d, &settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = peridynamic_body_create(&w->scene, &w->memory, &settings, &body);
    RETURN_IF_FAILED(finish_creation(w, capacity, status, body, out));
    return peridynamic_check_weight(&w->scene.nodes, body, w->scene.settings.gravity);
}

pbs_status pbs_body_create_custom(pbs_world *w, const pbs_custom_desc *d, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(enter_creation(w, out));
    pbs_custom_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_custom, d, &settings));
    if (settings.evaluate == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "evaluate is null");
    }
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = custom_body_create(&w->scene, &w->memory, &settings, &body);
    return finish_creation(w, capacity, status, body, out);
}

pbs_status pbs_body_destroy(pbs_world *w, pbs_body b) {
    RETURN_IF_FAILED(world_enter(w));
    if (b.id == 0) {
        return PBS_OK;
    }
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct scene *scene = &w->scene;
    scene_vacate_nodes(scene, body);
    handle_remove(&scene->bodies, body->slot);
    body_free(body, &w->memory);
    invalidate(w);
    // So that room is never more than twice what is needed.
    if (2 * scene->nodes.vacant > scene->nodes.count) {
        scene_settle(scene);
    }
    return PBS_OK;
}

// --- reading ---

bool pbs_body_is_valid(const pbs_world *w, pbs_body b) {
    return world_body(w, b) != NULL;
}

size_t pbs_body_vertex_count(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->vertex_count : 0;
}

size_t pbs_body_tet_count(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->solid.tet_count : 0;
}

/// Null where the id names nothing. What follows must not move arrays that the host reads in.
static const struct body *enter_arrays(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    if (body != NULL) {
        world_settle(w);
    }
    return body;
}

const double *pbs_body_positions(const pbs_world *w, pbs_body b) {
    const struct body *body = enter_arrays(w, b);
    return body != NULL ? vertices_positions(&w->scene.nodes, body) : NULL;
}

const double *pbs_body_velocities(const pbs_world *w, pbs_body b) {
    const struct body *body = enter_arrays(w, b);
    return body != NULL ? vertices_velocities(&w->scene.nodes, body) : NULL;
}

const double *pbs_body_masses(const pbs_world *w, pbs_body b) {
    const struct body *body = enter_arrays(w, b);
    return body != NULL ? vertices_masses(&w->scene.nodes, body) : NULL;
}

pbs_status pbs_body_surface(const pbs_world *w, pbs_body b, const uint32_t **indices,
                            size_t *triangle_count) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(indices, "indices"));
    RETURN_IF_FAILED(check_pointer(triangle_count, "triangle_count"));
    *indices = body->triangles;
    *triangle_count = body->triangle_count;
    return PBS_OK;
}

// --- setting the state ---

static pbs_status enter_with_count(pbs_world *w, pbs_body b, size_t vertex_count,
                                   struct body **out) {
    pbs_status status = PBS_OK;
    *out = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (vertex_count != (*out)->vertex_count) {
        return status_fail(PBS_ERROR_ARGUMENT, "vertex_count is %zu, but the body has %zu vertices",
                           vertex_count, (*out)->vertex_count);
    }
    return PBS_OK;
}

/// Bodies in a plane, and bars, stay in it: one vector, of a vertex, on the axes that this holds.
static pbs_status check_plane(const struct body *body, const double vector[3],
                              const double plane[3], size_t vertex, const char *name) {
    for (int k = 0; body->flat != 0 && k < 3; k++) {
        if ((body->flat >> k & 1) != 0 && vector[k] != plane[k]) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of vertex %zu: %c is %g, but the body is in a plane where it "
                               "is %g",
                               name, vertex, "xyz"[k], vector[k], plane[k]);
        }
    }
    return PBS_OK;
}

pbs_status pbs_body_set_positions(pbs_world *w, pbs_body b, const double *xyz,
                                  size_t vertex_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, vertex_count, &body));
    RETURN_IF_FAILED(check_places(xyz, vertex_count, "positions"));
    struct nodes *nodes = &w->scene.nodes;
    const size_t bytes = 3 * body->node_count * sizeof(double);
    for (size_t i = 0; i < vertex_count; i++) {
        const double *x = nodes->x + 3 * (body->node_start + i);
        RETURN_IF_FAILED(check_plane(body, xyz + 3 * i, x, i, "positions"));
    }
    RETURN_IF_FAILED(vertices_set_positions(nodes, body, xyz));
    // Held vertices are held at their new places; targets that were pending are dropped.
    memcpy(nodes->target + 3 * body->node_start, nodes->x + 3 * body->node_start, bytes);
    world_moved_body(w, body, "placed by pbs_body_set_positions");
    return PBS_OK;
}

pbs_status pbs_body_set_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                   size_t vertex_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, vertex_count, &body));
    RETURN_IF_FAILED(check_vectors(xyz, vertex_count, "velocities"));
    for (size_t i = 0; i < vertex_count; i++) {
        const double still[3] = {0.0, 0.0, 0.0};
        RETURN_IF_FAILED(check_plane(body, xyz + 3 * i, still, i, "velocities"));
    }
    RETURN_IF_FAILED(vertices_set_velocities(&w->scene.nodes, body, xyz));
    scene_forget_body(&w->scene, body);
    return PBS_OK;
}

// N: sums of squares over all vertices stay finite.
static const double FORCE_LIMIT = 1e140;

pbs_status pbs_body_set_forces(pbs_world *w, pbs_body b, const double *xyz, size_t vertex_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, vertex_count, &body));
    RETURN_IF_FAILED(check_vectors(xyz, vertex_count, "forces"));
    for (size_t k = 0; k < 3 * vertex_count; k++) {
        if (fabs(xyz[k]) > FORCE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "forces of vertex %zu: %c is %g N, must be between %g and %g", k / 3,
                               "xyz"[k % 3], xyz[k], -FORCE_LIMIT, FORCE_LIMIT);
        }
    }
    if (vertices_set_forces(&w->scene.nodes, body, xyz)) {
        w->topology.model.loads.any = nodes_are_loaded(&w->scene.nodes);
        w->scene.history.memory.has_acceleration = false;
    }
    return PBS_OK;
}

// --- pins and targets ---

static pbs_status enter_with_vertices(pbs_world *w, pbs_body b, const uint32_t *vertices,
                                      size_t count, struct body **out) {
    pbs_status status = PBS_OK;
    *out = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (!vertices_are_nodes(*out)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "vertices of an affine body cannot be held one by one; pbs_body_pin_all "
                           "and pbs_body_set_target_pose hold the body");
    }
    return check_indices(vertices, count, (*out)->vertex_count, "vertices", "vertices");
}

static pbs_status check_axes(uint32_t axes) {
    return axes != 0 && (axes & ~(uint32_t)PBS_AXIS_ALL) == 0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "axes is %#x, must be bits of PBS_AXIS_ALL",
                             (unsigned)axes);
}

pbs_status pbs_body_pin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                        uint32_t axes) {
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_vertices(w, b, vertices, count, &body));
    RETURN_IF_FAILED(check_axes(axes));
    struct nodes *nodes = &w->scene.nodes;
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + vertices[i];
        scene_hold_node(&w->scene, node, nodes->held[node] | axes);
        for (uint32_t axis = 0; axis < 3; axis++) {
            if ((axes >> axis & 1u) != 0) {
                nodes->target[3 * node + axis] = nodes->x[3 * node + axis];
            }
        }
    }
    return PBS_OK;
}

pbs_status pbs_body_unpin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                          uint32_t axes) {
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_vertices(w, b, vertices, count, &body));
    RETURN_IF_FAILED(check_axes(axes));
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + vertices[i];
        scene_hold_node(&w->scene, node, (w->scene.nodes.held[node] & ~axes) | body->flat);
    }
    return PBS_OK;
}

pbs_status pbs_body_pin_all(pbs_world *w, pbs_body b) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct nodes *nodes = &w->scene.nodes;
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        scene_hold_node(&w->scene, i, PBS_AXIS_ALL);
        memcpy(nodes->target + 3 * i, nodes->x + 3 * i, 3 * sizeof *nodes->x);
    }
    return PBS_OK;
}

pbs_status pbs_body_unpin_all(pbs_world *w, pbs_body b) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        scene_hold_node(&w->scene, i, body->flat);
    }
    return PBS_OK;
}

static pbs_status check_targets(const uint32_t *vertices, const double *targets, size_t count) {
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(targets, "targets"));
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(targets[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "targets[%zu], of vertex %u: %c is %g, must be finite", i / 3,
                               (unsigned)vertices[i / 3], "xyz"[i % 3], targets[i]);
        }
        if (fabs(targets[i]) > COORDINATE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "targets[%zu], of vertex %u: %c is %g m, must be between %g and %g",
                               i / 3, (unsigned)vertices[i / 3], "xyz"[i % 3], targets[i],
                               -COORDINATE_LIMIT, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

pbs_status pbs_body_set_targets(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                const double *targets) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_vertices(w, b, vertices, count, &body));
    RETURN_IF_FAILED(check_targets(vertices, targets, count));
    struct nodes *nodes = &w->scene.nodes;
    for (size_t i = 0; i < count; i++) {
        const double *x = nodes->x + 3 * (body->node_start + vertices[i]);
        RETURN_IF_FAILED(check_plane(body, targets + 3 * i, x, vertices[i], "targets"));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + vertices[i];
        if (nodes->held[node] == body->flat) {
            scene_hold_node(&w->scene, node, PBS_AXIS_ALL);
        }
        memcpy(nodes->target + 3 * node, targets + 3 * i, 3 * sizeof *targets);
    }
    return PBS_OK;
}

// --- contact ---

pbs_status pbs_contact_desc_init(pbs_contact_desc *d, size_t struct_size) {
    const pbs_contact_desc defaults = default_contact();
    return settings_init(&settings_contact, d, struct_size, &defaults);
}

pbs_status body_check_contact(const pbs_contact_desc *d) {
    RETURN_IF_FAILED(check_choice(d->touches_itself, 0, 1, "touches_itself"));
    RETURN_IF_FAILED(check_not_negative(d->friction, "friction"));
    RETURN_IF_FAILED(check_not_negative(d->penalty_stiffness, "penalty_stiffness"));
    RETURN_IF_FAILED(check_not_negative(d->rolling_friction, "rolling_friction"));
    RETURN_IF_FAILED(check_not_negative(d->spinning_friction, "spinning_friction"));
    RETURN_IF_FAILED(
        check_choice(d->surface_material, 0, PBS_SURFACE_MATERIALS - 1, "surface_material"));
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_not_negative(d->offset, "offset"));
    return d->offset == 0.0 ? PBS_OK : check_length(d->offset, "offset");
}

pbs_status pbs_body_set_contact(pbs_world *w, pbs_body b, const pbs_contact_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    pbs_contact_desc contact = default_contact();
    RETURN_IF_FAILED(settings_read(&settings_contact, d, &contact));
    RETURN_IF_FAILED(body_check_contact(&contact));
    body->contact = contact;
    body->moved_by = body->moved_by != NULL ? body->moved_by : "changed by pbs_body_set_contact";
    w->topology.contact_is_current = false;
    return PBS_OK;
}
