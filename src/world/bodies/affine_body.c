// Affine bodies: checks of the description, mass properties and principal frame, handles and
// vertices. In the principal frame the mass matrix of docs/theory/affine_bodies.md section 2 is
// diagonal: m for the centre, the three principal second moments S_k for the axes.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "geometry/meshes/mass_properties.h"
#include "geometry/meshes/tet_mesh.h"
#include "world/bodies/affine_strain.h"
#include "world/interface/check.h"
#include "world/objects/motion.h"
#include "world/objects/scene.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "energy/affine/affine.h"

pbs_status pbs_affine_desc_init(pbs_affine_desc *d, size_t struct_size) {
    const pbs_affine_desc defaults = {.density = 1000.0, .orientation = {0.0, 0.0, 0.0, 1.0}};
    return settings_init(&settings_affine, d, struct_size, &defaults);
}

// --- checks ---

static pbs_status check_mesh(const pbs_affine_desc *d, struct memory *memory) {
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    if ((d->triangles != NULL) == (d->tets != NULL)) {
        return status_fail(PBS_ERROR_ARGUMENT, "triangles and tets are both %s, one must be given",
                           d->tets != NULL ? "given" : "null");
    }
    if (d->tets != NULL) {
        RETURN_IF_FAILED(check_count(d->tet_count, "tet_count"));
        const struct tet_mesh_view mesh = {d->vertex_count, d->positions, d->tet_count, d->tets};
        return tet_mesh_check(&mesh, memory);
    }
    RETURN_IF_FAILED(check_count(d->triangle_count, "triangle_count"));
    const struct surface_view surface = {d->vertex_count, d->positions, d->triangle_count,
                                         d->triangles};
    return surface_check_closed(&surface, memory);
}

static pbs_status check_description(const pbs_affine_desc *d, struct memory *memory) {
    double unit[4];
    RETURN_IF_FAILED(check_choice(d->no_gravity, 0, 1, "no_gravity"));
    RETURN_IF_FAILED(check_value(d->density, "density"));
    RETURN_IF_FAILED(check_value_or_zero(d->stiffness, "stiffness"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    RETURN_IF_FAILED(check_value_or_zero(d->drag, "drag"));
    RETURN_IF_FAILED(check_point(d->position, "position"));
    RETURN_IF_FAILED(check_quaternion(d->orientation, "orientation", unit));
    RETURN_IF_FAILED(check_vector(d->velocity, "velocity"));
    RETURN_IF_FAILED(check_vector(d->angular_velocity, "angular_velocity"));
    return check_mesh(d, memory);
}

// --- creation ---

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_affine_desc *d) {
    body->gravity.scale = d->no_gravity != 0 ? 0.0 : 1.0;
    body->damping = d->damping;
    body->drag = d->drag;
    body->extent = body_extent(d->vertex_count, d->positions);
    body->affine.density = d->density;
    body->affine.given_stiffness = d->stiffness;
    body->affine.rest = memory_copy(memory, d->positions, d->vertex_count, 3 * sizeof(double));
    body->rest = body->affine.rest;
    if (body->affine.rest == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (d->tets != NULL) {
        const struct tet_mesh_view mesh = {d->vertex_count, d->positions, d->tet_count, d->tets};
        return tet_boundary(&mesh, memory, &body->triangles, &body->triangle_count);
    }
    body->triangle_count = d->triangle_count;
    body->triangles = memory_copy(memory, d->triangles, d->triangle_count, 3 * sizeof(uint32_t));
    return body->triangles != NULL ? PBS_OK : PBS_ERROR_MEMORY;
}

/// Computes the coordinates of a vertex in the principal frame.
static void principal_coordinates(const struct affine_body *affine, size_t vertex, double out[3]) {
    double from_center[3];
    subtract3(affine->rest + 3 * vertex, affine->center, from_center);
    multiply_transposed3(affine->axes, from_center, out);
}

/// Computes the principal frame and the radius. mass: of the four nodes, kg.
static pbs_status measure_frame(struct body *body, double mass[AFFINE_NODES]) {
    struct affine_body *affine = &body->affine;
    const struct surface_view surface = {body->vertex_count, affine->rest, body->triangle_count,
                                         body->triangles};
    struct mass_properties properties;
    double moments[3];
    RETURN_IF_FAILED(mass_properties_compute(&surface, &properties));
    eigen3(properties.moments, moments, affine->axes);
    copy3(properties.center, affine->center);
    affine->volume = properties.volume;
    for (size_t i = 0; i < body->vertex_count; i++) {
        double x[3];
        principal_coordinates(affine, i, x);
        affine->radius = fmax(affine->radius, norm3(x));
    }
    mass[0] = affine->density * affine->volume;
    for (int k = 0; k < 3; k++) {
        mass[k + 1] = affine->density * moments[k] / (affine->radius * affine->radius);
    }
    for (int k = 0; k < AFFINE_NODES; k++) {
        if (!(isnormal(mass[k]) && mass[k] > 0.0)) {
            return status_fail(
                PBS_ERROR_ARGUMENT,
                "the body's mass or its second moments, %g kg over the square of its "
                "radius, must be positive and finite",
                mass[k]);
        }
    }
    return PBS_OK;
}

/// The host's stiffness, at once; one that follows gravity stays as it is.
static pbs_status use_stiffness(struct affine_body *affine) {
    const double stiffness = affine->given_stiffness > 0.0 ? affine->given_stiffness
                                                           : affine->stiffness;
    const double energy = stiffness * affine->volume;
    if (!isnormal(energy)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "stiffness times volume is %g J, must be positive and finite", energy);
    }
    affine->stiffness = stiffness;
    return PBS_OK;
}

/// Distributes the mass over the vertices in proportion to a third of the area of the triangles
/// around them.
static void share_mass(struct body *body, double mass) {
    double total = 0.0;
    memset(body->vertices.mass, 0, body->vertex_count * sizeof *body->vertices.mass);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < body->triangle_count; t++) {
            const uint32_t *v = body->triangles + 3 * t;
            const double *x = body->affine.rest;
            double ab[3], ac[3], normal[3];
            subtract3(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], ab);
            subtract3(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], ac);
            cross3(ab, ac, normal);
            const double area = norm3(normal);
            total += pass == 0 ? area : 0.0;
            for (int i = 0; i < 3 && pass == 1; i++) {
                body->vertices.mass[v[i]] += mass * (area / total) / 3.0;
            }
        }
    }
}

static void fill_vertices(struct body *body, double mass) {
    const struct affine_body *affine = &body->affine;
    for (size_t i = 0; i < body->vertex_count; i++) {
        double x[3];
        double *weight = body->vertices.weights + VERTEX_WIDTH * i;
        principal_coordinates(affine, i, x);
        weight[0] = 1.0;
        scale3(1.0 / affine->radius, x, weight + 1);
    }
    share_mass(body, mass);
}

void affine_body_nodes_at(const struct affine_body *affine, const double position[3],
                          const double rotation[9], double nodes[12]) {
    double rotated[9];
    multiply3(rotation, affine->center, nodes);
    add3(nodes, position, nodes);
    multiply33(rotation, affine->axes, rotated);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            nodes[3 * (k + 1) + i] = affine->radius * rotated[3 * i + k];
        }
    }
}

static void fill_nodes(const struct body *body, const pbs_affine_desc *d, const double *mass,
                       struct nodes *nodes) {
    const size_t start = body->node_start;
    const size_t bytes = 3 * body->node_count * sizeof(double);
    double *x = nodes->x + 3 * start;
    double *v = nodes->v + 3 * start;
    double unit[4];
    double rotation[9];
    check_quaternion(d->orientation, "orientation", unit);
    rotation_of(unit, rotation);
    affine_body_nodes_at(&body->affine, d->position, rotation, x);
    memcpy(nodes->initial + 3 * start, x, bytes);
    memcpy(nodes->target + 3 * start, x, bytes);
    copy3(d->velocity, v);
    for (int k = 1; k < AFFINE_NODES; k++) {
        cross3(d->angular_velocity, x + 3 * k, v + 3 * k);
    }
    memcpy(nodes->mass + start, mass, body->node_count * sizeof *mass);
    memset(nodes->kind + start + 1, NODE_HANDLE, body->node_count - 1);
    // `colliding` stays 0, because obstacles act on points, not on handles. `stiffness` stays 0,
    // because the stiffness of a nearly rigid body is unrelated to the forces that act.
}

/// Checks the nodes: coordinates, poses and velocities that are each permitted may together
/// overflow.
static pbs_status check_state(const struct body *body, const struct nodes *nodes) {
    const double *x = nodes->x + 3 * body->node_start;
    const double *v = nodes->v + 3 * body->node_start;
    RETURN_IF_FAILED(check_coordinates(x, 3 * body->node_count, "centre and handles of the body"));
    return check_numbers(v, 3 * body->node_count, "velocities of centre and handles");
}

static pbs_status fill(struct body *body, struct scene *scene, struct memory *memory,
                       const pbs_affine_desc *d) {
    struct nodes *nodes = &scene->nodes;
    double mass[AFFINE_NODES];
    RETURN_IF_FAILED(copy_description(body, memory, d));
    RETURN_IF_FAILED(measure_frame(body, mass));
    body->affine.stiffness = affine_strain_stiffness(body, scene->settings.gravity);
    RETURN_IF_FAILED(use_stiffness(&body->affine));
    RETURN_IF_FAILED(vertices_allocate(&body->vertices, memory, body->vertex_count));
    RETURN_IF_FAILED(nodes_reserve(nodes, memory, body->node_count));
    body->node_start = nodes_append(nodes, body->node_count);
    fill_nodes(body, d, mass, nodes);
    fill_vertices(body, mass[0]);
    vertices_update(nodes, body);
    const pbs_status status = check_state(body, nodes);
    if (status < 0) {
        nodes_remove(nodes, body->node_start, body->node_count);
    }
    return status;
}

static pbs_status create(struct scene *scene, struct memory *memory, const void *description,
                         struct body **out) {
    const pbs_affine_desc *d = description;
    RETURN_IF_FAILED(check_description(d, memory));
    struct body *body = body_allocate(&body_table_affine, memory, AFFINE_NODES, d->vertex_count);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = fill(body, scene, memory, d);
    return body_finish(body, memory, status, out);
}

static void free_own(struct body *body, struct memory *memory) {
    memory_release(memory, body->affine.rest);
}

// --- values that change ---

static pbs_status measure(struct body *body, struct nodes *nodes, double *scratch) {
    double mass[AFFINE_NODES];
    (void)scratch;
    RETURN_IF_FAILED(measure_frame(body, mass));
    RETURN_IF_FAILED(use_stiffness(&body->affine));
    memcpy(nodes->mass + body->node_start, mass, sizeof mass);
    share_mass(body, mass[0]);
    return PBS_OK;
}

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    (void)nodes;
    *out = (struct body_parameter){.range = RANGE_POSITIVE, .count = 1};
    switch (id) {
    case PBS_PARAMETER_DENSITY:
        out->name = "density";
        out->value = &body->affine.density;
        return true;
    case PBS_PARAMETER_STIFFNESS:
        out->name = "stiffness";
        out->range = RANGE_NOT_NEGATIVE;
        out->value = &body->affine.given_stiffness;
        out->in_use = &body->affine.stiffness;
        return true;
    default: return body_find_damping(body, id, out) || body_find_drag(body, id, out);
    }
}

static void write_values(const struct body *body, const struct term_part *part) {
    affine_set_stiffness(part->term->self, part->groups, part->first,
                         body->affine.stiffness * body->affine.volume, body->affine.rest_strain);
}

// --- terms ---

static size_t count_affine(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        count += scene_body(scene, i)->table == &body_table_affine;
    }
    return count;
}

/// Arrays of all affine bodies, in order.
struct gathered_affine {
    uint32_t *nodes;
    double *stiffness, *radius, *damping, *rest_strain;
};

static void gather_affine(const struct scene *scene, const struct gathered_affine *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->table == &body_table_affine) {
            for (uint32_t k = 0; k < 3; k++) {
                out->nodes[3 * at + k] = (uint32_t)body->node_start + 1 + k;
            }
            out->stiffness[at] = body->affine.stiffness * body->affine.volume;
            out->radius[at] = body->affine.radius;
            out->damping[at] = 0.0;
            memcpy(out->rest_strain + 9 * at, body->affine.rest_strain,
                   sizeof body->affine.rest_strain);
            at++;
        }
    }
}

static pbs_status add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *out) {
    const size_t count = count_affine(scene);
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_affine g = {.nodes = memory_allocate(memory, count, 3 * sizeof(uint32_t)),
                                .stiffness = memory_allocate(memory, count, sizeof(double)),
                                .radius = memory_allocate(memory, count, sizeof(double)),
                                .damping = memory_allocate(memory, count, sizeof(double)),
                                .rest_strain = memory_allocate(memory, count, 9 * sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.nodes != NULL && g.stiffness != NULL && g.radius != NULL && g.damping != NULL &&
        g.rest_strain != NULL) {
        gather_affine(scene, &g);
        const struct affine_input input = {count,    g.nodes,   g.stiffness,
                                           g.radius, g.damping, g.rest_strain};
        struct affine *affine = NULL;
        status = affine_create(memory, &input, &affine);
        if (status >= 0) {
            status = body_terms_add(out, affine_term(affine));
        }
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.radius);
    memory_release(memory, g.damping);
    memory_release(memory, g.rest_strain);
    return status;
}

/// The energy k V |A^T A - 1|^2 is 4 k V |E|^2, E being the strain of A.
static void gather_handles(const struct body *body, size_t element, size_t at,
                           const struct damped *out) {
    (void)element;
    static const uint32_t handles[3] = {1, 2, 3};
    const struct affine_body *affine = &body->affine;
    damped_put_nodes(body, handles, at, out);
    for (size_t k = 0; k < 9; k++) {
        out->gradients[9 * at + k] = k % 4 == 0 ? 1.0 / affine->radius : 0.0;
    }
    out->mu[at] = 4.0 * affine->stiffness * affine->volume * body->damping;
    out->lambda[at] = 0.0;
}

static size_t count_damped(const struct body *body) {
    return body->vertex_count > 0;
}

static const struct damped_elements DAMPED = {
    .shape = STRAIN_HANDLES, .width = 3, .count = count_damped, .gather = gather_handles};

static struct point locate(const struct body *body, const double place[3]) {
    const struct affine_body *affine = &body->affine;
    const uint32_t first = (uint32_t)body->node_start;
    struct point point = {
        .count = AFFINE_NODES, .node = {first, first + 1, first + 2, first + 3}, .weight = {1.0}};
    double arm[3];
    subtract3(place, affine->center, arm);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {affine->axes[k], affine->axes[3 + k], affine->axes[6 + k]};
        point.weight[k + 1] = dot3(axis, arm) / affine->radius;
    }
    return point;
}

static double stiffest(const struct body *body) {
    return body->affine.stiffness;
}

// --- saving ---

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(pbs_affine_desc, damping, FIELD_ANY),
    FIELD_VALUE(pbs_affine_desc, drag, FIELD_ANY),
    FIELD_VALUE(pbs_affine_desc, density, FIELD_ANY),
    FIELD_VALUE(pbs_affine_desc, stiffness, FIELD_ANY),
    FIELD_COUNT(pbs_affine_desc, vertex_count),
    FIELD_ARRAY(pbs_affine_desc, positions, vertex_count, 3, FIELD_ANY),
    FIELD_COUNT(pbs_affine_desc, triangle_count),
    FIELD_ARRAY(pbs_affine_desc, triangles, triangle_count, 3, FIELD_ANY),
};
static const struct field_list description_fields = FIELD_LIST(pbs_affine_desc, DESCRIPTION_FIELDS);

/// The contact forces of vertices, too, which are not nodes; those of nodes are saved with the
/// nodes.
static const struct field STATE_FIELDS[] = {
    FIELD_VALUE(struct body, affine.stiffness, FIELD_POSITIVE),
    FIELD_VALUES(struct body, affine.rest_strain, FIELD_FINITE),
    FIELD_ARRAY(struct body, vertices.contact_force, vertex_count, 3, FIELD_ANY),
};
static const struct field_list state_fields = FIELD_LIST(struct body, STATE_FIELDS);

/// At rest at the origin.
static void describe(const struct body *body, const struct nodes *nodes, void *out) {
    (void)nodes;
    *(pbs_affine_desc *)out = (pbs_affine_desc){.struct_size = sizeof(pbs_affine_desc),
                                                .no_gravity = body->gravity.scale == 0.0,
                                                .damping = body->damping,
                                                .drag = body->drag,
                                                .density = body->affine.density,
                                                .stiffness = body->affine.given_stiffness,
                                                .vertex_count = body->vertex_count,
                                                .positions = body->affine.rest,
                                                .triangle_count = body->triangle_count,
                                                .triangles = body->triangles,
                                                .orientation = {0.0, 0.0, 0.0, 1.0}};
}

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    pbs_affine_desc d;
    describe(body, nodes, &d);
    fields_write(out, &description_fields, &d);
}

static pbs_status check_rest_strain(const double strain[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            if (strain[3 * i + j] != strain[3 * j + i]) {
                return status_fail(PBS_ERROR_FORMAT,
                                   "the strain at rest of an affine body is not symmetric");
            }
        }
    }
    return PBS_OK;
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    // Its scale of gravity is with what all bodies have.
    pbs_affine_desc d = {
        .struct_size = sizeof d, .no_gravity = 1, .orientation = {0.0, 0.0, 0.0, 1.0}};
    pbs_status status = fields_read(in, memory, &description_fields, &d);
    status = status < 0 ? status : create(scene, memory, &d, out);
    fields_release(memory, &description_fields, &d);
    return status;
}

static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    const struct affine_body *const affine = &body->affine;
    (void)in;
    (void)memory;
    if (!isnormal(affine->stiffness * affine->volume)) {
        return status_fail(PBS_ERROR_FORMAT, "stiffness is %g Pa, times the volume not a number",
                           affine->stiffness);
    }
    RETURN_IF_FAILED(check_rest_strain(affine->rest_strain));
    return check_vectors(body->vertices.contact_force, body->vertex_count, "contact force");
}

const struct body_table body_table_affine = {
    .id = BODY_AFFINE,
    .kind = PBS_BODY_AFFINE,
    .settings = &settings_affine,
    .create = create,
    .free = free_own,
    .describe = describe,
    .write = write,
    .read = read,
    .description = &description_fields,
    .state = &state_fields,
    .resumes_in_place = true,
    .resume = resume,
    .add_terms = add_terms,
    .damped = &DAMPED,
    .find_parameter = find_parameter,
    .measure = measure,
    .write_values = write_values,
    .follow_forces = affine_strain_follow,
    .relieve = affine_strain_relieve,
    .end_relief = affine_strain_end_relief,
    .encloses_volume = true,
    .stiffest = stiffest,
    .locate = locate,
};
