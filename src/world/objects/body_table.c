// The rows; see body_table.h.
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
