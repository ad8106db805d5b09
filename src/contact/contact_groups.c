// See contact_groups.h.
// SPDX-License-Identifier: MIT
#include "contact/contact_groups.h"

#include <string.h>

static const uint32_t EMPTY = UINT32_MAX;

/// Returns a power of two, at least twice the number of items.
static size_t slots_for(size_t item_count) {
    size_t slots = 16;
    while (slots < 2 * item_count) {
        slots *= 2;
    }
    return slots;
}

pbs_status contact_groups_begin(struct memory *memory, size_t item_count,
                                struct contact_groups *g) {
    const size_t slots = slots_for(item_count);
    g->item_count = g->count = 0;
    RETURN_IF_FAILED(
        memory_reserve(memory, &g->start, &g->start_capacity, item_count + 1, sizeof *g->start));
    RETURN_IF_FAILED(
        memory_reserve(memory, &g->items, &g->item_capacity, item_count, sizeof *g->items));
    RETURN_IF_FAILED(
        memory_reserve(memory, &g->group, &g->group_capacity, item_count, sizeof *g->group));
    RETURN_IF_FAILED(
        memory_reserve(memory, &g->width, &g->width_capacity, item_count, sizeof *g->width));
    RETURN_IF_FAILED(memory_reserve(memory, &g->nodes, &g->node_capacity,
                                    CONTACT_STENCIL_LIMIT * item_count, sizeof *g->nodes));
    RETURN_IF_FAILED(memory_reserve(memory, &g->slots, &g->slot_capacity, slots, sizeof *g->slots));
    memset(g->slots, 0xff, slots * sizeof *g->slots);
    g->slot_count = slots;
    return PBS_OK;
}

static uint64_t hash_nodes(const struct contact_nodes *nodes) {
    uint64_t hash = 14695981039346656037ULL;
    for (uint32_t i = 0; i < nodes->node_count; i++) {
        hash = (hash ^ nodes->node[i]) * 1099511628211ULL;
    }
    return hash ^ hash >> 32;
}

static bool has_nodes(const struct contact_groups *g, uint32_t group,
                      const struct contact_nodes *nodes) {
    return g->width[group] == nodes->node_count &&
           memcmp(g->nodes + CONTACT_STENCIL_LIMIT * (size_t)group, nodes->node,
                  nodes->node_count * sizeof *nodes->node) == 0;
}

static uint32_t make_group(struct contact_groups *g, const struct contact_nodes *nodes) {
    const uint32_t group = (uint32_t)g->count++;
    g->width[group] = nodes->node_count;
    g->start[group] = 0;
    memcpy(g->nodes + CONTACT_STENCIL_LIMIT * (size_t)group, nodes->node,
           nodes->node_count * sizeof *nodes->node);
    return group;
}

void contact_groups_add(struct contact_groups *g, const struct contact_nodes *nodes) {
    size_t slot = hash_nodes(nodes) & (g->slot_count - 1);
    while (g->slots[slot] != EMPTY && !has_nodes(g, g->slots[slot], nodes)) {
        slot = (slot + 1) & (g->slot_count - 1);
    }
    if (g->slots[slot] == EMPTY) {
        g->slots[slot] = make_group(g, nodes);
    }
    g->group[g->item_count++] = g->slots[slot];
    g->start[g->slots[slot]]++;
}

void contact_groups_finish(struct contact_groups *g) {
    uint32_t sum = 0;
    for (size_t k = 0; k < g->count; k++) {
        sum += g->start[k];
        g->start[k] = sum;
    }
    g->start[g->count] = sum;
    for (size_t i = g->item_count; i-- > 0;) {
        g->items[--g->start[g->group[i]]] = (uint32_t)i;
    }
}

void contact_groups_free(struct memory *memory, struct contact_groups *g) {
    memory_release(memory, g->start);
    memory_release(memory, g->items);
    memory_release(memory, g->group);
    memory_release(memory, g->width);
    memory_release(memory, g->nodes);
    memory_release(memory, g->slots);
    *g = (struct contact_groups){0};
}
