// See vertex_arrays.h.
// SPDX-License-Identifier: MIT
#include "world/nodes/vertex_arrays.h"

pbs_status vertices_allocate(struct vertices *vertices, struct memory *memory, size_t count) {
    *vertices = (struct vertices){
        .weights = memory_allocate(memory, count, VERTEX_WIDTH * sizeof(double)),
        .x = memory_allocate(memory, count, 3 * sizeof(double)),
        .v = memory_allocate(memory, count, 3 * sizeof(double)),
        .mass = memory_allocate(memory, count, sizeof(double)),
        .contact_force = memory_allocate(memory, count, 3 * sizeof(double))};
    return vertices->weights != NULL && vertices->x != NULL && vertices->v != NULL &&
                   vertices->mass != NULL && vertices->contact_force != NULL
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

void vertices_free(struct vertices *vertices, struct memory *memory) {
    memory_release(memory, vertices->weights);
    memory_release(memory, vertices->x);
    memory_release(memory, vertices->v);
    memory_release(memory, vertices->mass);
    memory_release(memory, vertices->contact_force);
    *vertices = (struct vertices){0};
}
