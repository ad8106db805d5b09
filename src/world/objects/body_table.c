// The list of all kinds of body; see body_table.h.
// SPDX-License-Identifier: MIT
#include "world/objects/body_table.h"

const struct body_table *const body_tables[] = {
    &body_table_solid,  &body_table_shell,  &body_table_springs, &body_table_peridynamic,
    &body_table_affine, &body_table_bonded, &body_table_custom,  NULL};

const struct body_table *body_table_find(uint32_t id) {
    const struct body_table *const *at = body_tables;
    while (*at != NULL && (*at)->id != id) {
        at++;
    }
    return *at;
}

struct body *body_allocate(const struct body_table *table, struct memory *memory, size_t node_count,
                           size_t vertex_count) {
    struct body *body = memory_allocate(memory, 1, sizeof *body);
    if (body != NULL) {
        body->table = table;
        body->node_count = node_count;
        body->vertex_count = vertex_count;
        body->gravity.scale = 1.0;
    }
    return body;
}

pbs_status body_finish(struct body *body, struct memory *memory, pbs_status status,
                       struct body **out) {
    if (status < 0) {
        body_free(body, memory);
    } else {
        *out = body;
    }
    return status;
}

void body_free(struct body *body, struct memory *memory) {
    if (body == NULL) {
        return;
    }
    if (body->table->free != NULL) {
        body->table->free(body, memory);
    }
    memory_release(memory, body->triangles);
    vertices_free(&body->vertices, memory);
    memory_release(memory, body);
}

// --- saving ---

void body_write_state(struct byte_writer *out, const struct body *body) {
    const struct body_table *const table = body->table;
    if (table->state != NULL) {
        fields_write(out, table->state, body);
    }
    if (table->write_more != NULL) {
        table->write_more(out, body);
    }
}

pbs_status body_read_state(struct byte_reader *in, struct memory *memory, struct body *body) {
    const struct body_table *const table = body->table;
    if (table->state != NULL) {
        RETURN_IF_FAILED(fields_read_in_place(in, table->state, body));
    }
    return table->resume != NULL ? table->resume(in, memory, body) : PBS_OK;
}

// --- values that change ---

bool body_find_damping(struct body *body, int32_t id, struct body_parameter *out) {
    *out = (struct body_parameter){
        .name = "damping", .range = RANGE_NOT_NEGATIVE, .count = 1, .value = &body->damping};
    return id == PBS_PARAMETER_DAMPING;
}

bool body_find_drag(struct body *body, int32_t id, struct body_parameter *out) {
    *out = (struct body_parameter){
        .name = "drag", .range = RANGE_NOT_NEGATIVE, .count = 1, .value = &body->drag};
    return id == PBS_PARAMETER_DRAG;
}

bool body_find_mass(const struct body *body, struct nodes *nodes, int32_t id,
                    struct body_parameter *out) {
    *out = (struct body_parameter){.name = "mass",
                                   .range = RANGE_NORMAL,
                                   .count = body->vertex_count,
                                   .values = nodes->mass + body->node_start};
    return id == PBS_PARAMETER_MASS;
}
