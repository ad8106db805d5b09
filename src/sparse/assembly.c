// Groups stencils by domain and assigns a slot to every contribution. A domain has one slot for
// each foreign node or block that any of its stencils touches. All its stencils share the slot,
// since one task processes a domain.
// SPDX-License-Identifier: MIT
#include "sparse/assembly.h"

#include <string.h>

#include "base/lanes/lanes.h"

#define NO_SLOT UINT32_MAX

/// Slots after an array proper, numbered in the order of their first use.
struct slot_list {
    uint32_t base;         ///< number of entries of the array proper
    uint32_t *map;         ///< array proper -> slot of the current domain, or NO_SLOT
    uint32_t *target;      ///< slot - base -> entry of the array proper; NO_SLOT: a dump slot
    uint32_t *owner;       ///< slot - base -> domain that owns the target
    uint32_t *domain_slot; ///< domain_count + 1; passed on to the assembly
    size_t count;
    size_t target_capacity;
    size_t owner_capacity;
};

static pbs_status slots_init(struct memory *memory, size_t entries, uint32_t domain_count,
                             struct slot_list *slots) {
    *slots = (struct slot_list){.base = (uint32_t)entries};
    slots->map = memory_allocate(memory, entries, sizeof *slots->map);
    slots->domain_slot = memory_allocate(memory, (size_t)domain_count + 1, sizeof(uint32_t));
    if (!slots->map || !slots->domain_slot) {
        return PBS_ERROR_MEMORY;
    }
    memset(slots->map, 0xff, entries * sizeof *slots->map);
    return PBS_OK;
}

static void slots_free(struct memory *memory, struct slot_list *slots) {
    memory_release(memory, slots->map);
    memory_release(memory, slots->target);
    memory_release(memory, slots->owner);
    memory_release(memory, slots->domain_slot);
}

static pbs_status slots_push(struct memory *memory, struct slot_list *slots, uint32_t target,
                             uint32_t owner) {
    if (slots->base + slots->count >= UINT32_MAX - 1) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the matrix needs %zu slots for its assembly, the limit is %u",
                           slots->base + slots->count, UINT32_MAX - 1);
    }
    const size_t wanted = slots->count + 1;
    RETURN_IF_FAILED(memory_reserve(memory, &slots->target, &slots->target_capacity, wanted,
                                    sizeof *slots->target));
    RETURN_IF_FAILED(memory_reserve(memory, &slots->owner, &slots->owner_capacity, wanted,
                                    sizeof *slots->owner));
    slots->target[slots->count] = target;
    slots->owner[slots->count] = owner;
    slots->count = wanted;
    return PBS_OK;
}

static pbs_status slots_open_domain(struct memory *memory, struct slot_list *slots,
                                    uint32_t domain) {
    slots->domain_slot[domain] = slots->base + (uint32_t)slots->count;
    return slots_push(memory, slots, NO_SLOT, domain);
}

static void slots_close_domain(struct slot_list *slots, uint32_t domain) {
    const size_t first = slots->domain_slot[domain] + 1 - slots->base;
    for (size_t s = first; s < slots->count; s++) {
        slots->map[slots->target[s]] = NO_SLOT;
    }
    slots->domain_slot[domain + 1] = slots->base + (uint32_t)slots->count;
}

/// Finds or creates the slot that domain `domain` uses for a target in row `row`.
static pbs_status slots_find(struct memory *memory, struct slot_list *slots,
                             const struct layout *layout, uint32_t domain, uint32_t row,
                             uint32_t target, uint32_t *slot) {
    if (row >= layout->domain_start[domain] && row < layout->domain_start[domain + 1]) {
        *slot = target;
        return PBS_OK;
    }
    if (slots->map[target] == NO_SLOT) {
        const uint32_t next = slots->base + (uint32_t)slots->count;
        RETURN_IF_FAILED(slots_push(memory, slots, target, layout_domain_of(layout, row)));
        slots->map[target] = next;
    }
    *slot = slots->map[target];
    return PBS_OK;
}

/// Lists the slots that each domain gathers, in the order of the slots and thus of the domains that
/// wrote them.
static pbs_status slots_gather(struct memory *memory, const struct slot_list *slots,
                               uint32_t domain_count, uint32_t **start_out, uint32_t **target_out,
                               uint32_t **slot_out) {
    const size_t foreign = slots->count - domain_count;
    uint32_t *start = *start_out = memory_allocate(memory, (size_t)domain_count + 1, sizeof *start);
    uint32_t *target = *target_out = memory_allocate(memory, foreign, sizeof *target);
    uint32_t *slot = *slot_out = memory_allocate(memory, foreign, sizeof *slot);
    if (!start || !target || !slot) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t s = 0; s < slots->count; s++) {
        start[slots->owner[s] + 1] += slots->target[s] != NO_SLOT;
    }
    uint32_t fill[LAYOUT_DOMAIN_LIMIT];
    for (uint32_t d = 0; d < domain_count; d++) {
        start[d + 1] += start[d];
        fill[d] = start[d];
    }
    for (size_t s = 0; s < slots->count; s++) {
        if (slots->target[s] != NO_SLOT) {
            const uint32_t at = fill[slots->owner[s]]++;
            target[at] = slots->target[s];
            slot[at] = slots->base + (uint32_t)s;
        }
    }
    return PBS_OK;
}

static uint32_t lowest_row(const struct stencils *set, const struct layout *layout, size_t index) {
    uint32_t lowest = UINT32_MAX;
    for (uint32_t a = 0; a < set->width; a++) {
        const uint32_t row = layout->row[set->nodes[index * set->width + a]];
        lowest = row < lowest ? row : lowest;
    }
    return lowest;
}

/// Sorts the set's stencils by ascending lowest row, and thus by domain, into `order`. start:
/// row_count + 1, zero on entry.
static void sort_stencils(const struct stencils *set, const struct layout *layout, uint32_t *start,
                          uint32_t *order) {
    for (size_t i = 0; i < set->count; i++) {
        start[lowest_row(set, layout, i)]++;
    }
    uint32_t sum = 0;
    for (uint32_t row = 0; row <= layout->node_count; row++) {
        const uint32_t count = start[row];
        start[row] = sum;
        sum += count;
    }
    for (size_t i = 0; i < set->count; i++) {
        order[start[lowest_row(set, layout, i)]++] = (uint32_t)i;
    }
    // Every start has advanced to the start of the next row.
    memmove(start + 1, start, layout->node_count * sizeof *start);
    start[0] = 0;
}

static pbs_status allocate_groups(struct memory *memory, const struct stencils *set,
                                  size_t group_count, struct stencil_groups *groups) {
    const size_t lanes = group_count * LANES;
    const uint32_t width = set->width;
    groups->width = width;
    groups->pair_count = width * (width + 1) / 2;
    groups->group_count = group_count;
    groups->stencil = memory_allocate(memory, lanes, sizeof *groups->stencil);
    groups->lane = memory_allocate(memory, set->count, sizeof *groups->lane);
    groups->local = memory_allocate(memory, lanes * width, sizeof *groups->local);
    groups->node = memory_allocate(memory, lanes * width, sizeof *groups->node);
    groups->vector_slot = memory_allocate(memory, lanes * width, sizeof *groups->vector_slot);
    groups->block_slot = memory_allocate(memory, lanes * groups->pair_count,
                                         sizeof *groups->block_slot);
    return groups->stencil && groups->lane && groups->local && groups->node &&
                   groups->vector_slot && groups->block_slot
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

static void free_groups(struct memory *memory, struct stencil_groups *groups) {
    memory_release(memory, groups->domain_group);
    memory_release(memory, groups->stencil);
    memory_release(memory, groups->lane);
    memory_release(memory, groups->local);
    memory_release(memory, groups->node);
    memory_release(memory, groups->vector_slot);
    memory_release(memory, groups->block_slot);
}

/// Writes one stencil to one lane, its nodes ascending by row.
static void fill_lane(const struct stencils *set, const struct layout *layout, uint32_t index,
                      struct stencil_groups *groups, size_t group, uint32_t lane) {
    const uint32_t *nodes = set->nodes + (size_t)index * set->width;
    uint8_t *local = groups->local + group * set->width * LANES + lane;
    uint32_t *node = groups->node + group * set->width * LANES + lane;
    for (uint32_t a = 0; a < set->width; a++) {
        uint32_t at = a;
        for (; at > 0 && layout->row[node[(at - 1) * LANES]] > layout->row[nodes[a]]; at--) {
            local[at * LANES] = local[(at - 1) * LANES];
            node[at * LANES] = node[(at - 1) * LANES];
        }
        local[at * LANES] = (uint8_t)a;
        node[at * LANES] = nodes[a];
    }
}

/// order, start: the output of sort_stencils.
static void fill_groups(const struct stencils *set, const struct layout *layout,
                        const uint32_t *order, const uint32_t *start,
                        struct stencil_groups *groups) {
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        const uint32_t end = start[layout->domain_start[d + 1]];
        uint32_t next = start[layout->domain_start[d]];
        for (size_t g = groups->domain_group[d]; g < groups->domain_group[d + 1]; g++) {
            const uint32_t first = next;
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const bool valid = next < end;
                const uint32_t index = order[valid ? next : first];
                groups->stencil[g * LANES + lane] = valid ? index : UINT32_MAX;
                fill_lane(set, layout, index, groups, g, lane);
                groups->lane[index] = valid ? (uint32_t)(g * LANES + lane) : groups->lane[index];
                next += valid;
            }
        }
    }
}

static pbs_status group_sorted(struct memory *memory, const struct stencils *set,
                               const struct layout *layout, uint32_t *order, uint32_t *start,
                               struct stencil_groups *groups) {
    groups->domain_group = memory_allocate(memory, (size_t)layout->domain_count + 1,
                                           sizeof *groups->domain_group);
    if (!order || !start || !groups->domain_group) {
        return PBS_ERROR_MEMORY;
    }
    sort_stencils(set, layout, start, order);
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        const uint32_t count = start[layout->domain_start[d + 1]] - start[layout->domain_start[d]];
        groups->domain_group[d + 1] = groups->domain_group[d] + (count + LANES - 1) / LANES;
    }
    RETURN_IF_FAILED(
        allocate_groups(memory, set, groups->domain_group[layout->domain_count], groups));
    fill_groups(set, layout, order, start, groups);
    return PBS_OK;
}

static pbs_status build_groups(struct memory *memory, const struct stencils *set,
                               const struct layout *layout, struct stencil_groups *groups) {
    groups->layout = layout;
    uint32_t *order = memory_allocate(memory, set->count, sizeof *order);
    uint32_t *start = memory_allocate(memory, (size_t)layout->node_count + 1, sizeof *start);
    const pbs_status status = group_sorted(memory, set, layout, order, start, groups);
    memory_release(memory, order);
    memory_release(memory, start);
    return status;
}

/// Assigns the slots of one lane. Padding lanes get the domain's dump slots.
static pbs_status assign_lane_slots(struct memory *memory, const struct assembly *a,
                                    struct stencil_groups *groups, uint32_t domain, size_t group,
                                    uint32_t lane, struct slot_list *vector,
                                    struct slot_list *block) {
    const uint32_t width = groups->width;
    const uint32_t *node = groups->node + group * width * LANES + lane;
    uint32_t *vector_slot = groups->vector_slot + group * width * LANES + lane;
    uint32_t *block_slot = groups->block_slot + group * groups->pair_count * LANES + lane;
    const bool valid = groups->stencil[group * LANES + lane] != UINT32_MAX;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t row = a->layout.row[node[i * LANES]];
        vector_slot[i * LANES] = vector->domain_slot[domain];
        if (valid) {
            RETURN_IF_FAILED(slots_find(memory, vector, &a->layout, domain, row, node[i * LANES],
                                        &vector_slot[i * LANES]));
        }
        for (uint32_t j = i; j < width; j++) {
            *block_slot = block->domain_slot[domain];
            if (valid) {
                const size_t index = bsr_find(&a->pattern, row, a->layout.row[node[j * LANES]]);
                RETURN_IF_FAILED(slots_find(memory, block, &a->layout, domain, row, (uint32_t)index,
                                            block_slot));
            }
            block_slot += LANES;
        }
    }
    return PBS_OK;
}

static pbs_status assign_domain_slots(struct memory *memory, const struct assembly *a,
                                      uint32_t domain, struct slot_list *vector,
                                      struct slot_list *block) {
    RETURN_IF_FAILED(slots_open_domain(memory, vector, domain));
    RETURN_IF_FAILED(slots_open_domain(memory, block, domain));
    for (size_t t = 0; t < a->term_count; t++) {
        struct stencil_groups *groups = &a->terms[t];
        for (size_t g = groups->domain_group[domain]; g < groups->domain_group[domain + 1]; g++) {
            for (uint32_t lane = 0; lane < LANES; lane++) {
                RETURN_IF_FAILED(
                    assign_lane_slots(memory, a, groups, domain, g, lane, vector, block));
            }
        }
    }
    slots_close_domain(vector, domain);
    slots_close_domain(block, domain);
    return PBS_OK;
}

static pbs_status assign_slots(struct memory *memory, struct assembly *a, struct slot_list *vector,
                               struct slot_list *block) {
    const uint32_t domain_count = a->layout.domain_count;
    RETURN_IF_FAILED(slots_init(memory, a->layout.node_count, domain_count, vector));
    RETURN_IF_FAILED(slots_init(memory, a->pattern.block_count, domain_count, block));
    for (uint32_t d = 0; d < domain_count; d++) {
        RETURN_IF_FAILED(assign_domain_slots(memory, a, d, vector, block));
    }
    RETURN_IF_FAILED(slots_gather(memory, vector, domain_count, &a->vector_gather_start,
                                  &a->vector_gather_target, &a->vector_gather_slot));
    RETURN_IF_FAILED(slots_gather(memory, block, domain_count, &a->block_gather_start,
                                  &a->block_gather_target, &a->block_gather_slot));
    a->vector_slot_count = vector->base + vector->count;
    a->block_slot_count = block->base + block->count;
    a->domain_vector_slot = vector->domain_slot;
    a->domain_block_slot = block->domain_slot;
    vector->domain_slot = NULL;
    block->domain_slot = NULL;
    return PBS_OK;
}

static pbs_status build_slots(struct memory *memory, struct assembly *a) {
    struct slot_list vector = {0};
    struct slot_list block = {0};
    const pbs_status status = assign_slots(memory, a, &vector, &block);
    slots_free(memory, &vector);
    slots_free(memory, &block);
    return status;
}

static pbs_status build_all(struct memory *memory, const struct graph *graph,
                            const struct node_kinds *kinds, uint32_t domain_count,
                            const struct stencils *sets, size_t set_count, struct assembly *out) {
    RETURN_IF_FAILED(layout_from_graph(memory, graph, kinds, domain_count, &out->layout));
    RETURN_IF_FAILED(bsr_build_pattern(memory, graph, &out->layout, &out->pattern));
    out->terms = memory_allocate(memory, set_count, sizeof *out->terms);
    if (!out->terms) {
        return PBS_ERROR_MEMORY;
    }
    out->term_count = set_count;
    for (size_t t = 0; t < set_count; t++) {
        RETURN_IF_FAILED(build_groups(memory, &sets[t], out->pattern.layout, &out->terms[t]));
    }
    return build_slots(memory, out);
}

pbs_status assembly_build(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                          const struct stencils *sets, size_t set_count, struct assembly *out) {
    return assembly_build_of(memory, node_count, NULL, domain_count, sets, set_count, out);
}

pbs_status assembly_build_of(struct memory *memory, uint32_t node_count,
                             const struct node_kinds *kinds, uint32_t domain_count,
                             const struct stencils *sets, size_t set_count, struct assembly *out) {
    *out = (struct assembly){0};
    struct graph graph;
    RETURN_IF_FAILED(graph_build(memory, node_count, sets, set_count, &graph));
    const pbs_status status = build_all(memory, &graph, kinds, domain_count, sets, set_count, out);
    graph_free(memory, &graph);
    if (status != PBS_OK) {
        assembly_free(memory, out);
    }
    return status;
}

void assembly_free(struct memory *memory, struct assembly *assembly) {
    for (size_t t = 0; t < assembly->term_count; t++) {
        free_groups(memory, &assembly->terms[t]);
    }
    memory_release(memory, assembly->terms);
    memory_release(memory, assembly->domain_vector_slot);
    memory_release(memory, assembly->domain_block_slot);
    memory_release(memory, assembly->vector_gather_start);
    memory_release(memory, assembly->vector_gather_target);
    memory_release(memory, assembly->vector_gather_slot);
    memory_release(memory, assembly->block_gather_start);
    memory_release(memory, assembly->block_gather_target);
    memory_release(memory, assembly->block_gather_slot);
    bsr_free_pattern(memory, &assembly->pattern);
    layout_free(memory, &assembly->layout);
    *assembly = (struct assembly){0};
}

void assembly_clear_vector(const struct assembly *assembly, uint32_t domain, double *gradient) {
    const struct layout *layout = &assembly->layout;
    for (uint32_t i = layout->domain_start[domain]; i < layout->domain_start[domain + 1]; i++) {
        memset(gradient + 3 * (size_t)layout->node[i], 0, 3 * sizeof *gradient);
    }
    const size_t first = assembly->domain_vector_slot[domain];
    const size_t end = assembly->domain_vector_slot[domain + 1];
    memset(gradient + 3 * first, 0, 3 * (end - first) * sizeof *gradient);
}

void assembly_clear_blocks(const struct assembly *assembly, uint32_t domain, double *blocks) {
    const struct layout *layout = &assembly->layout;
    const uint32_t *start = assembly->pattern.row_start;
    const size_t own = start[layout->domain_start[domain]];
    const size_t own_end = start[layout->domain_start[domain + 1]];
    memset(blocks + 9 * own, 0, 9 * (own_end - own) * sizeof *blocks);
    const size_t first = assembly->domain_block_slot[domain];
    const size_t end = assembly->domain_block_slot[domain + 1];
    memset(blocks + 9 * first, 0, 9 * (end - first) * sizeof *blocks);
}

void assembly_gather_vector(const struct assembly *assembly, uint32_t domain, double *gradient) {
    const uint32_t *start = assembly->vector_gather_start;
    for (uint32_t s = start[domain]; s < start[domain + 1]; s++) {
        const double *from = gradient + 3 * (size_t)assembly->vector_gather_slot[s];
        double *to = gradient + 3 * (size_t)assembly->vector_gather_target[s];
        for (int i = 0; i < 3; i++) {
            to[i] += from[i];
        }
    }
}

void assembly_gather_blocks(const struct assembly *assembly, uint32_t domain, double *blocks) {
    const uint32_t *start = assembly->block_gather_start;
    for (uint32_t s = start[domain]; s < start[domain + 1]; s++) {
        const double *from = blocks + 9 * (size_t)assembly->block_gather_slot[s];
        double *to = blocks + 9 * (size_t)assembly->block_gather_target[s];
        for (int i = 0; i < 9; i++) {
            to[i] += from[i];
        }
    }
}

struct reorder {
    const struct layout *layout;
    const double *from;
    double *to;
};

static void rows_piece(void *context, size_t domain) {
    const struct reorder *r = context;
    const struct layout *layout = r->layout;
    for (uint32_t i = layout->domain_start[domain]; i < layout->domain_start[domain + 1]; i++) {
        memcpy(r->to + 3 * (size_t)i, r->from + 3 * (size_t)layout->node[i], 3 * sizeof *r->to);
    }
}

static void nodes_piece(void *context, size_t domain) {
    const struct reorder *r = context;
    const struct layout *layout = r->layout;
    for (uint32_t i = layout->domain_start[domain]; i < layout->domain_start[domain + 1]; i++) {
        memcpy(r->to + 3 * (size_t)layout->node[i], r->from + 3 * (size_t)i, 3 * sizeof *r->to);
    }
}

void assembly_to_rows(struct tasks *tasks, const struct assembly *assembly, const double *by_node,
                      double *by_row) {
    struct reorder r = {&assembly->layout, by_node, by_row};
    tasks_for(tasks, assembly->layout.domain_count, rows_piece, &r);
}

void assembly_to_nodes(struct tasks *tasks, const struct assembly *assembly, const double *by_row,
                       double *by_node) {
    struct reorder r = {&assembly->layout, by_row, by_node};
    tasks_for(tasks, assembly->layout.domain_count, nodes_piece, &r);
}
