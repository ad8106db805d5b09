// See nodes.h. A table lists the arrays, so that each operation is one loop over it.
// SPDX-License-Identifier: MIT
#include "world/nodes/nodes.h"

#include <math.h>
#include <string.h>

#include "world/interface/check.h"

struct column {
    void *variable; ///< address of the pointer to the array
    size_t size;    ///< bytes per node
};

enum { COLUMN_COUNT = 12 };

static void list_columns(struct nodes *n, struct column columns[COLUMN_COUNT]) {
    const struct column list[COLUMN_COUNT] = {
        {&n->x, 3 * sizeof(double)},
        {&n->v, 3 * sizeof(double)},
        {&n->initial, 3 * sizeof(double)},
        {&n->target, 3 * sizeof(double)},
        {&n->force, 3 * sizeof(double)},
        {&n->force_once, 3 * sizeof(double)},
        {&n->mass, sizeof(double)},
        {&n->stiffness, sizeof(double)},
        {&n->contact_force, 3 * sizeof(double)},
        {&n->constrained_axes, sizeof(uint8_t)},
        {&n->colliding, sizeof(uint8_t)},
        {&n->kind, sizeof(uint8_t)},
    };
    memcpy(columns, list, sizeof list);
}

static char *address(const struct column *column) {
    char *array;
    memcpy(&array, column->variable, sizeof array);
    return array;
}

pbs_status nodes_reserve(struct nodes *nodes, struct memory *memory, size_t more) {
    if (more > CHECK_COUNT_LIMIT - nodes->count) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the world has %zu vertices and cannot take %zu more; the limit is %zu",
                           nodes->count, more, CHECK_COUNT_LIMIT);
    }
    struct column columns[COLUMN_COUNT];
    list_columns(nodes, columns);
    size_t capacity = nodes->capacity;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        // After a failure some arrays may be larger than the common capacity; they are reallocated.
        capacity = nodes->capacity;
        RETURN_IF_FAILED(memory_reserve(memory, columns[i].variable, &capacity, nodes->count + more,
                                        columns[i].size));
    }
    nodes->capacity = capacity;
    return PBS_OK;
}

size_t nodes_append(struct nodes *nodes, size_t more) {
    const size_t start = nodes->count;
    struct column columns[COLUMN_COUNT];
    list_columns(nodes, columns);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        memset(address(&columns[i]) + start * columns[i].size, 0, more * columns[i].size);
    }
    nodes->count += more;
    return start;
}

void nodes_set(struct nodes *nodes, size_t start, size_t count, const double *x, const double *v) {
    const size_t bytes = 3 * count * sizeof(double);
    memcpy(nodes->x + 3 * start, x, bytes);
    memcpy(nodes->initial + 3 * start, x, bytes);
    memcpy(nodes->target + 3 * start, x, bytes);
    if (v != NULL) {
        memcpy(nodes->v + 3 * start, v, bytes);
    }
    memset(nodes->colliding + start, 1, count);
}

pbs_status nodes_check(const struct nodes *nodes, size_t start, size_t count,
                       const char *stiffness) {
    for (size_t i = 0; i < count; i++) {
        const double mass = nodes->mass[start + i];
        const double force = nodes->stiffness[start + i];
        if (!(isnormal(mass) && mass > 0.0)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "vertex %zu: mass %g kg, must be positive and finite", i, mass);
        }
        if (!(isnormal(force) && force > 0.0)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "vertex %zu: %s %g N, must be positive and finite", i, stiffness,
                               force);
        }
    }
    return PBS_OK;
}

size_t nodes_count_positions(const struct nodes *nodes, size_t start, size_t count) {
    size_t places = 0;
    while (places < count && nodes->kind[start + places] == NODE_POSITION) {
        places++;
    }
    return places;
}

void nodes_prescribed(const struct nodes *nodes, size_t node, double out[3]) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        const bool is_constrained = ((uint32_t)nodes->constrained_axes[node] >> axis & 1U) != 0;
        out[axis] = (is_constrained ? nodes->target : nodes->x)[3 * node + axis];
    }
}

bool nodes_are_loaded(const struct nodes *nodes) {
    for (size_t i = 0; i < 3 * nodes->count; i++) {
        if (nodes->force[i] != 0.0) {
            return true;
        }
    }
    return false;
}

void nodes_remove(struct nodes *nodes, size_t start, size_t count) {
    nodes_move(nodes, start + count, nodes->count - start - count, start);
    nodes->count -= count;
}

void nodes_move(struct nodes *nodes, size_t start, size_t count, size_t to) {
    struct column columns[COLUMN_COUNT];
    list_columns(nodes, columns);
    for (int i = 0; i < COLUMN_COUNT && start != to; i++) {
        char *array = address(&columns[i]);
        const size_t size = columns[i].size;
        memmove(array + to * size, array + start * size, count * size);
    }
}

void nodes_free(struct nodes *nodes, struct memory *memory) {
    struct column columns[COLUMN_COUNT];
    list_columns(nodes, columns);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        memory_release(memory, address(&columns[i]));
    }
    *nodes = (struct nodes){0};
}
