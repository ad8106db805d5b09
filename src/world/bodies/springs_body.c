// Particles and springs: checks of the description, rest lengths, and the force scale of each node.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/objects/scene.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "energy/springs/springs.h"

pbs_status pbs_springs_desc_init(pbs_springs_desc *d, size_t struct_size) {
    const pbs_springs_desc defaults = {.stiffness = 1000.0};
    return settings_init(&settings_springs, d, struct_size, &defaults);
}

// --- checks ---

static pbs_status check_spring(const pbs_springs_desc *d, size_t spring) {
    const uint32_t *end = d->springs + 2 * spring;
    for (int i = 0; i < 2; i++) {
        if (end[i] >= d->vertex_count) {
            return status_fail(PBS_ERROR_MESH,
                               "spring %zu: vertex %u, but there are only %zu vertices", spring,
                               (unsigned)end[i], d->vertex_count);
        }
    }
    if (end[0] == end[1]) {
        return status_fail(PBS_ERROR_MESH, "spring %zu: vertex %u twice, must be distinct", spring,
                           (unsigned)end[0]);
    }
    if (d->spring_stiffness != NULL &&
        !(d->spring_stiffness[spring] > 0.0 && d->spring_stiffness[spring] <= VALUE_LIMIT)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "spring_stiffness of spring %zu is %g, must be positive and finite, at "
                           "most %g",
                           spring, d->spring_stiffness[spring], VALUE_LIMIT);
    }
    if (d->rest_lengths != NULL &&
        !(d->rest_lengths[spring] >= 0.0 && d->rest_lengths[spring] <= VALUE_LIMIT)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "rest_lengths of spring %zu is %g, must be zero or positive, and "
                           "finite, at most %g",
                           spring, d->rest_lengths[spring], VALUE_LIMIT);
    }
    return PBS_OK;
}

struct springs_body {
    size_t spring_count;
    uint32_t *springs;                ///< spring_count x 2, vertex indices within the body
    double *stiffness, *rest_lengths; ///< spring_count, N/m and metres
};

static const struct springs_body *own_of(const struct body *body) {
    return body->own;
}

static pbs_status check_springs(const pbs_springs_desc *d) {
    RETURN_IF_FAILED(check_value(d->stiffness, "stiffness"));
    if (d->spring_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_count(d->spring_count, "spring_count"));
    RETURN_IF_FAILED(check_pointer(d->springs, "springs"));
    for (size_t i = 0; i < d->spring_count; i++) {
        RETURN_IF_FAILED(check_spring(d, i));
    }
    return PBS_OK;
}

static pbs_status check_description(const pbs_springs_desc *d) {
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    if (d->velocities != NULL) {
        RETURN_IF_FAILED(check_vectors(d->velocities, d->vertex_count, "velocities"));
    }
    RETURN_IF_FAILED(check_masses(d->masses, d->vertex_count));
    RETURN_IF_FAILED(check_choice(d->no_gravity, 0, 1, "no_gravity"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    RETURN_IF_FAILED(check_value_or_zero(d->drag, "drag"));
    return check_springs(d);
}

// --- creation ---

static double length_of(const pbs_springs_desc *d, size_t spring) {
    double l[3];
    subtract3(d->positions + 3 * (size_t)d->springs[2 * spring + 1],
              d->positions + 3 * (size_t)d->springs[2 * spring], l);
    return norm3(l);
}

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_springs_desc *d) {
    struct springs_body *own = memory_allocate(memory, 1, sizeof *own);
    if (own == NULL) {
        return PBS_ERROR_MEMORY;
    }
    body->own = own;
    body->gravity.scale = d->no_gravity != 0 ? 0.0 : 1.0;
    body->damping = d->damping;
    body->drag = d->drag;
    own->spring_count = d->spring_count;
    own->springs = memory_copy(memory, d->springs, d->spring_count, 2 * sizeof *own->springs);
    own->stiffness = memory_allocate(memory, d->spring_count, sizeof *own->stiffness);
    own->rest_lengths = memory_allocate(memory, d->spring_count, sizeof *own->rest_lengths);
    if (own->springs == NULL || own->stiffness == NULL || own->rest_lengths == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < d->spring_count; i++) {
        own->stiffness[i] = d->spring_stiffness != NULL ? d->spring_stiffness[i] : d->stiffness;
        own->rest_lengths[i] = d->rest_lengths != NULL ? d->rest_lengths[i] : length_of(d, i);
    }
    return PBS_OK;
}

static pbs_status check_strength(const struct springs_body *own) {
    for (size_t i = 0; i < own->spring_count; i++) {
        const double strength = own->stiffness[i] * own->rest_lengths[i];
        if (!isfinite(strength)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "spring %zu: stiffness times rest length is %g N, must be finite", i,
                               strength);
        }
    }
    return PBS_OK;
}

/// Computes the extent, and the force scale of each node: the force at a strain of 1 of its
/// stiffest spring.
static pbs_status measure(struct body *body, struct nodes *nodes, double *scratch) {
    const struct springs_body *own = own_of(body);
    double *stiffness = nodes->stiffness + body->node_start;
    (void)scratch;
    body->extent = 0.0;
    memset(stiffness, 0, body->node_count * sizeof *stiffness);
    for (size_t i = 0; i < 2 * own->spring_count; i++) {
        double *at = stiffness + own->springs[i];
        *at = fmax(*at, own->stiffness[i / 2] * own->rest_lengths[i / 2]);
        body->extent = fmax(body->extent, own->rest_lengths[i / 2]);
    }
    return check_strength(own);
}

static pbs_status add_nodes(struct body *body, const pbs_springs_desc *d, struct nodes *nodes,
                            struct memory *memory) {
    RETURN_IF_FAILED(nodes_reserve(nodes, memory, body->node_count));
    const size_t start = body->node_start = nodes_append(nodes, body->node_count);
    nodes_set(nodes, start, body->node_count, d->positions, d->velocities);
    memcpy(nodes->mass + start, d->masses, body->node_count * sizeof *d->masses);
    const pbs_status status = measure(body, nodes, NULL);
    if (status < 0) {
        nodes_remove(nodes, start, body->node_count);
    }
    return status;
}

static pbs_status create(struct scene *scene, struct memory *memory, const void *description,
                         struct body **out) {
    const pbs_springs_desc *d = description;
    RETURN_IF_FAILED(check_description(d));
    struct body *body = body_allocate(&body_table_springs, memory, d->vertex_count,
                                      d->vertex_count);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_status status = copy_description(body, memory, d);
    if (status >= 0) {
        status = add_nodes(body, d, &scene->nodes, memory);
    }
    return body_finish(body, memory, status, out);
}

static void free_own(struct body *body, struct memory *memory) {
    struct springs_body *own = body->own;
    if (own != NULL) {
        memory_release(memory, own->springs);
        memory_release(memory, own->stiffness);
        memory_release(memory, own->rest_lengths);
        memory_release(memory, own);
    }
}

// --- terms ---

/// Arrays of all springs, in the order of bodies.
struct gathered {
    uint32_t *nodes;
    double *stiffness, *rest_lengths, *damping;
    uint8_t *broken;
};

static void gather_body(const struct body *body, size_t at, const struct gathered *out) {
    const struct springs_body *own = own_of(body);
    for (size_t s = 0; s < own->spring_count; s++, at++) {
        out->nodes[2 * at] = (uint32_t)body->node_start + own->springs[2 * s];
        out->nodes[2 * at + 1] = (uint32_t)body->node_start + own->springs[2 * s + 1];
        out->stiffness[at] = own->stiffness[s];
        out->rest_lengths[at] = own->rest_lengths[s];
    }
}

static pbs_status make_term(const struct scene *scene, struct memory *memory, size_t count,
                            const struct gathered *g, struct body_terms *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->table == &body_table_springs) {
            gather_body(body, at, g);
            at += own_of(body)->spring_count;
        }
    }
    const struct springs_input input = {.count = count,
                                        .nodes = g->nodes,
                                        .stiffness = g->stiffness,
                                        .rest_lengths = g->rest_lengths,
                                        .damping = g->damping,
                                        .broken = g->broken};
    struct springs *springs = NULL;
    RETURN_IF_FAILED(springs_create(memory, &input, &springs));
    return body_terms_add(out, springs_term(springs));
}

static pbs_status add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *out) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->table == &body_table_springs ? own_of(body)->spring_count : 0;
    }
    if (count == 0) {
        return PBS_OK;
    }
    const struct gathered g = {.nodes = memory_allocate(memory, count, 2 * sizeof(uint32_t)),
                               .stiffness = memory_allocate(memory, count, sizeof(double)),
                               .rest_lengths = memory_allocate(memory, count, sizeof(double)),
                               .damping = memory_allocate(memory, count, sizeof(double)),
                               .broken = memory_allocate(memory, count, sizeof(uint8_t))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.nodes != NULL && g.stiffness != NULL && g.rest_lengths != NULL && g.damping != NULL &&
        g.broken != NULL) {
        status = make_term(scene, memory, count, &g, out);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.rest_lengths);
    memory_release(memory, g.damping);
    memory_release(memory, g.broken);
    return status;
}

static void gather_spring(const struct body *body, size_t s, size_t at, const struct damped *out) {
    damped_put_nodes(body, own_of(body)->springs + 2 * s, at, out);
    out->mu[at] = own_of(body)->stiffness[s] * body->damping;
}

static size_t count_damped(const struct body *body) {
    return own_of(body)->spring_count;
}

static const struct damped_elements DAMPED = {
    .shape = STRAIN_LINE, .width = 2, .count = count_damped, .gather = gather_spring};

// --- values that change ---

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    const struct springs_body *own = own_of(body);
    switch (id) {
    case PBS_PARAMETER_STIFFNESS:
        *out = (struct body_parameter){.name = "stiffness",
                                       .range = RANGE_POSITIVE,
                                       .count = own->spring_count,
                                       .values = own->stiffness};
        return own->spring_count > 0;
    case PBS_PARAMETER_REST_LENGTH:
        *out = (struct body_parameter){.name = "rest length",
                                       .range = RANGE_NOT_NEGATIVE,
                                       .count = own->spring_count,
                                       .values = own->rest_lengths};
        return own->spring_count > 0;
    default:
        return body_find_mass(body, nodes, id, out) || body_find_damping(body, id, out) ||
               body_find_drag(body, id, out);
    }
}

static void write_values(const struct body *body, const struct term_part *part) {
    const struct springs_body *own = own_of(body);
    springs_set_values(part->term->self, part->first, part->count, own->stiffness,
                       own->rest_lengths);
}

// --- properties ---

/// Returns the largest modulus of springs, each taken as a bar with a section of its length
/// squared. Springs without a length have none.
static double stiffest(const struct body *body) {
    const struct springs_body *springs = own_of(body);
    double most = 0.0;
    for (size_t i = 0; i < springs->spring_count; i++) {
        const double modulus = springs->stiffness[i] / springs->rest_lengths[i];
        most = isfinite(modulus) ? fmax(most, modulus) : most;
    }
    return most;
}

static struct body_springs list_springs(const struct body *body) {
    const struct springs_body *own = own_of(body);
    return (struct body_springs){own->spring_count, own->springs, own->rest_lengths};
}

// --- saving ---

static const struct field FIELDS[] = {
    FIELD_VALUE(pbs_springs_desc, damping, FIELD_ANY),
    FIELD_VALUE(pbs_springs_desc, drag, FIELD_ANY),
    FIELD_COUNT(pbs_springs_desc, vertex_count),
    FIELD_ARRAY(pbs_springs_desc, masses, vertex_count, 1, FIELD_ANY),
    // The positions are saved with the nodes of all bodies.
    FIELD_ZEROS(pbs_springs_desc, positions, vertex_count, 3),
    FIELD_COUNT(pbs_springs_desc, spring_count),
    FIELD_ARRAY(pbs_springs_desc, springs, spring_count, 2, FIELD_ANY),
    FIELD_ARRAY(pbs_springs_desc, spring_stiffness, spring_count, 1, FIELD_ANY),
    FIELD_ARRAY(pbs_springs_desc, rest_lengths, spring_count, 1, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(pbs_springs_desc, FIELDS);

static void describe(const struct body *body, const struct nodes *nodes, void *out) {
    const struct springs_body *const springs = own_of(body);
    *(pbs_springs_desc *)out = (pbs_springs_desc){.struct_size = sizeof(pbs_springs_desc),
                                                  .no_gravity = body->gravity.scale == 0.0,
                                                  .damping = body->damping,
                                                  .drag = body->drag,
                                                  .vertex_count = body->node_count,
                                                  .masses = nodes->mass + body->node_start,
                                                  .spring_count = springs->spring_count,
                                                  .springs = springs->springs,
                                                  .spring_stiffness = springs->stiffness,
                                                  .rest_lengths = springs->rest_lengths,
                                                  .stiffness = 1.0, // of no spring, as each has its
                                                                    // own
                                                  .positions = nodes->x + 3 * body->node_start,
                                                  .velocities = nodes->v + 3 * body->node_start};
}

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    pbs_springs_desc d;
    describe(body, nodes, &d);
    fields_write(out, &fields, &d);
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    // Its scale of gravity is with what all bodies have.
    pbs_springs_desc d = {.struct_size = sizeof d, .no_gravity = 1, .stiffness = 1.0};
    pbs_status status = fields_read(in, memory, &fields, &d);
    status = status < 0 ? status : create(scene, memory, &d, out);
    fields_release(memory, &fields, &d);
    return status;
}

const struct body_table body_table_springs = {
    .id = BODY_SPRINGS,
    .kind = PBS_BODY_SPRINGS,
    .settings = &settings_springs,
    .create = create,
    .free = free_own,
    .describe = describe,
    .write = write,
    .read = read,
    .description = &fields,
    .add_terms = add_terms,
    .damped = &DAMPED,
    .find_parameter = find_parameter,
    .measure = measure,
    .write_values = write_values,
    .stiffest = stiffest,
    .list_springs = list_springs,
};
