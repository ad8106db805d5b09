// Custom bodies, whose energy is a callback of the host: checks of the description, and callbacks
// that are registered again after a restore.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "world/interface/check.h"
#include "world/objects/scene.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "energy/custom/custom.h"

enum { WIDTH_LIMIT = 8 };

pbs_status pbs_custom_desc_init(pbs_custom_desc *d, size_t struct_size) {
    const pbs_custom_desc defaults = {.width = 2};
    return settings_init(&settings_custom, d, struct_size, &defaults);
}

static pbs_status check_stencil(const pbs_custom_desc *d, size_t stencil) {
    const uint32_t *nodes = d->stencils + stencil * d->width;
    for (uint32_t a = 0; a < d->width; a++) {
        if (nodes[a] >= d->vertex_count) {
            return status_fail(PBS_ERROR_MESH,
                               "stencil %zu: vertex %u, but there are only %zu vertices", stencil,
                               (unsigned)nodes[a], d->vertex_count);
        }
        for (uint32_t b = 0; b < a; b++) {
            if (nodes[a] == nodes[b]) {
                return status_fail(PBS_ERROR_MESH, "stencil %zu: vertex %u twice, must be distinct",
                                   stencil, (unsigned)nodes[a]);
            }
        }
    }
    return PBS_OK;
}

static pbs_status check_stencils(const pbs_custom_desc *d) {
    RETURN_IF_FAILED(check_choice(d->width, 1, WIDTH_LIMIT, "width"));
    if (d->stencil_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_count(d->stencil_count, "stencil_count"));
    RETURN_IF_FAILED(check_pointer(d->stencils, "stencils"));
    for (size_t i = 0; i < d->stencil_count; i++) {
        RETURN_IF_FAILED(check_stencil(d, i));
    }
    return PBS_OK;
}

static pbs_status check_description(const pbs_custom_desc *d) {
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    if (d->velocities != NULL) {
        RETURN_IF_FAILED(check_vectors(d->velocities, d->vertex_count, "velocities"));
    }
    RETURN_IF_FAILED(check_masses(d->masses, d->vertex_count));
    RETURN_IF_FAILED(check_choice(d->concurrent, 0, 1, "concurrent"));
    RETURN_IF_FAILED(check_choice(d->no_gravity, 0, 1, "no_gravity"));
    RETURN_IF_FAILED(check_choice(d->is_linear, 0, 1, "is_linear"));
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    if (d->tag == 0) {
        return status_fail(PBS_ERROR_ARGUMENT, "tag is 0, which names no callback");
    }
    return check_stencils(d);
}

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_custom_desc *d) {
    struct custom_body *custom = &body->custom;
    const size_t size = d->width * sizeof *custom->stencils;
    custom->stencils = memory_allocate(memory, d->stencil_count, size);
    if (custom->stencils == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (d->stencil_count > 0) {
        memcpy(custom->stencils, d->stencils, d->stencil_count * size);
    }
    custom->width = d->width;
    custom->stencil_count = d->stencil_count;
    custom->evaluate = d->evaluate;
    custom->user = d->user;
    custom->concurrent = d->concurrent != 0;
    custom->is_linear = d->is_linear != 0;
    body->gravity.scale = d->no_gravity != 0 ? 0.0 : 1.0;
    body->damping = d->damping;
    custom->tag = d->tag;
    return PBS_OK;
}

static void fill_nodes(const struct body *body, const pbs_custom_desc *d, struct nodes *nodes) {
    const size_t start = body->node_start;
    nodes_set(nodes, start, body->node_count, d->positions, d->velocities);
    memcpy(nodes->mass + start, d->masses, body->node_count * sizeof *d->masses);
}

/// `create` of struct body_table. The callback may be null, because a restore does not know it yet.
static pbs_status create(struct scene *scene, struct memory *memory, const void *description,
                         struct body **out) {
    const pbs_custom_desc *d = description;
    RETURN_IF_FAILED(check_description(d));
    struct body *body = body_allocate(&body_table_custom, memory, d->vertex_count, d->vertex_count);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_status status = copy_description(body, memory, d);
    if (status >= 0) {
        status = nodes_reserve(&scene->nodes, memory, body->node_count);
    }
    if (status >= 0) {
        body->node_start = nodes_append(&scene->nodes, body->node_count);
        fill_nodes(body, d, &scene->nodes);
    }
    return body_finish(body, memory, status, out);
}

static pbs_status create_with_callback(struct scene *scene, struct memory *memory, const void *d,
                                       struct body **out) {
    const pbs_custom_desc *own = d;
    return own->evaluate != NULL ? create(scene, memory, own, out)
                                 : status_fail(PBS_ERROR_ARGUMENT, "evaluate is null");
}

static void free_own(struct body *body, struct memory *memory) {
    memory_release(memory, body->custom.stencils);
}

// --- terms ---

static pbs_status add_term(const struct body *body, struct memory *memory, struct body_terms *out) {
    const struct custom_body *own = &body->custom;
    const size_t index_count = own->stencil_count * own->width;
    uint32_t *nodes = memory_allocate(memory, index_count, sizeof *nodes);
    if (nodes == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < index_count; i++) {
        nodes[i] = (uint32_t)body->node_start + own->stencils[i];
    }
    const struct custom_input input = {.width = own->width,
                                       .stencil_count = own->stencil_count,
                                       .nodes = nodes,
                                       .evaluate = own->evaluate,
                                       .user = own->user,
                                       .is_concurrent = own->concurrent,
                                       .is_linear = own->is_linear,
                                       .damping = body->damping};
    struct custom *custom = NULL;
    const pbs_status status = custom_create(memory, &input, &custom);
    memory_release(memory, nodes);
    RETURN_IF_FAILED(status);
    return body_terms_add(out, custom_term(custom));
}

static pbs_status add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *out) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->custom.stencil_count > 0) {
            RETURN_IF_FAILED(add_term(body, memory, out));
        }
    }
    return PBS_OK;
}

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    return body_find_mass(body, nodes, id, out) || body_find_damping(body, id, out);
}

static void write_values(const struct body *body, const struct term_part *part) {
    custom_set_damping(part->term->self, body->damping);
}

static size_t count_elements(const struct body *body) {
    return body->custom.stencil_count;
}

// --- saving ---

/// A description whose stencils are counted by their indices.
struct saved_custom {
    pbs_custom_desc desc;
    size_t index_count;
};

static const struct field FIELDS[] = {
    FIELD_VALUE(struct saved_custom, desc.tag, FIELD_ANY),
    FIELD_VALUE(struct saved_custom, desc.concurrent, FIELD_ANY),
    FIELD_VALUE(struct saved_custom, desc.is_linear, FIELD_ANY),
    FIELD_VALUE(struct saved_custom, desc.damping, FIELD_ANY),
    FIELD_VALUE(struct saved_custom, desc.width, FIELD_ANY),
    FIELD_COUNT(struct saved_custom, desc.vertex_count),
    FIELD_ARRAY(struct saved_custom, desc.masses, desc.vertex_count, 1, FIELD_ANY),
    // The positions are saved with the nodes of all bodies.
    FIELD_ZEROS(struct saved_custom, desc.positions, desc.vertex_count, 3),
    FIELD_COUNT(struct saved_custom, desc.stencil_count),
    FIELD_COUNT(struct saved_custom, index_count),
    FIELD_ARRAY(struct saved_custom, desc.stencils, index_count, 1, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(struct saved_custom, FIELDS);

static void describe(const struct body *body, const struct nodes *nodes, void *out) {
    const struct custom_body *const custom = &body->custom;
    *(pbs_custom_desc *)out = (pbs_custom_desc){.struct_size = sizeof(pbs_custom_desc),
                                                .width = custom->width,
                                                .vertex_count = body->node_count,
                                                .positions = nodes->x + 3 * body->node_start,
                                                .velocities = nodes->v + 3 * body->node_start,
                                                .masses = nodes->mass + body->node_start,
                                                .stencil_count = custom->stencil_count,
                                                .stencils = custom->stencils,
                                                .evaluate = custom->evaluate,
                                                .user = custom->user,
                                                .concurrent = custom->concurrent,
                                                .no_gravity = body->gravity.scale == 0.0,
                                                .tag = custom->tag,
                                                .damping = body->damping,
                                                .is_linear = custom->is_linear};
}

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    struct saved_custom saved = {.index_count = body->custom.stencil_count * body->custom.width};
    describe(body, nodes, &saved.desc);
    fields_write(out, &fields, &saved);
}

static pbs_status create_saved(struct scene *scene, struct memory *memory,
                               const struct saved_custom *saved, struct body **out) {
    const size_t width = saved->desc.width;
    RETURN_IF_FAILED(check_choice((int64_t)width, 1, 8, "width"));
    return saved->index_count / width == saved->desc.stencil_count &&
                   saved->index_count % width == 0
               ? create(scene, memory, &saved->desc, out)
               : status_fail(PBS_ERROR_FORMAT, "%zu indices of %zu stencils, %zu each",
                             saved->index_count, saved->desc.stencil_count, width);
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    // Its scale of gravity is with what all bodies have.
    struct saved_custom saved = {.desc = {.struct_size = sizeof saved.desc, .no_gravity = 1}};
    pbs_status status = fields_read(in, memory, &fields, &saved);
    status = status < 0 ? status : create_saved(scene, memory, &saved, out);
    fields_release(memory, &fields, &saved);
    return status;
}

const struct body_table body_table_custom = {
    .id = BODY_CUSTOM,
    .kind = PBS_BODY_CUSTOM,
    .settings = &settings_custom,
    .create = create_with_callback,
    .free = free_own,
    .describe = describe,
    .write = write,
    .read = read,
    .description = &fields,
    .add_terms = add_terms,
    .find_parameter = find_parameter,
    .write_values = write_values,
    .has_rayleigh_damping = true,
    .calls_host = true,
    .count_elements = count_elements,
};
