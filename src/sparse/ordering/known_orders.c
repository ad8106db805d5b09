// See known_orders.h. Components are numbered by their first nodes, and the nodes of each stay in
// their order: bodies of the same mesh, whose nodes are numbered alike, then have equal graphs.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/known_orders.h"

#include <string.h>

#include "sparse/ordering/metis_bridge.h"

/// A graph and what METIS answered.
struct known_order {
    uint64_t hash;
    struct graph graph;
    uint32_t parts; ///< that it was divided into; 0: it was dissected
    uint32_t *result;
};

// --- what is known ---

/// FNV-1a over numbers; equal hashes are compared in full.
static uint64_t hash_graph(const struct graph *graph, uint32_t parts) {
    uint64_t hash = (14695981039346656037ULL ^ parts) * 1099511628211ULL;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        hash = (hash ^ graph->start[n + 1]) * 1099511628211ULL;
    }
    for (size_t k = 0; k < graph->start[graph->node_count]; k++) {
        hash = (hash ^ graph->neighbor[k]) * 1099511628211ULL;
    }
    return hash;
}

static bool is_same(const struct graph *a, const struct graph *b) {
    const size_t edges = a->start[a->node_count];
    return a->node_count == b->node_count &&
           memcmp(a->start, b->start, ((size_t)a->node_count + 1) * sizeof *a->start) == 0 &&
           memcmp(a->neighbor, b->neighbor, edges * sizeof *a->neighbor) == 0;
}

static const struct known_order *find(const struct known_orders *known, const struct graph *graph,
                                      uint32_t parts, uint64_t hash) {
    for (size_t i = 0; i < known->count; i++) {
        const struct known_order *const row = &known->rows[i];
        if (row->hash == hash && row->parts == parts && is_same(&row->graph, graph)) {
            return row;
        }
    }
    return NULL;
}

static void free_row(struct memory *memory, struct known_order *row) {
    graph_free(memory, &row->graph);
    memory_release(memory, row->result);
}

static pbs_status add(struct memory *memory, struct known_orders *known, const struct graph *graph,
                      struct known_order row, const uint32_t *result) {
    const size_t n = graph->node_count, edges = graph->start[n];
    RETURN_IF_FAILED(memory_reserve(memory, &known->rows, &known->capacity, known->count + 1,
                                    sizeof *known->rows));
    row.graph = (struct graph){
        .node_count = graph->node_count,
        .start = memory_allocate(memory, n + 1, sizeof *graph->start),
        .neighbor = memory_allocate(memory, edges, sizeof *graph->neighbor),
    };
    row.result = memory_allocate(memory, n, sizeof *row.result);
    if (row.graph.start == NULL || row.graph.neighbor == NULL || row.result == NULL) {
        free_row(memory, &row);
        return PBS_ERROR_MEMORY;
    }
    memcpy(row.graph.start, graph->start, (n + 1) * sizeof *graph->start);
    memcpy(row.graph.neighbor, graph->neighbor, edges * sizeof *graph->neighbor);
    memcpy(row.result, result, n * sizeof *result);
    known->rows[known->count++] = row;
    return PBS_OK;
}

void known_orders_free(struct memory *memory, struct known_orders *known) {
    for (size_t i = 0; i < known->count; i++) {
        free_row(memory, &known->rows[i]);
    }
    memory_release(memory, known->rows);
    *known = (struct known_orders){0};
}

/// parts 0: dissects.
static pbs_status ask(struct memory *memory, struct known_orders *known, const struct graph *graph,
                      uint32_t parts, uint32_t *result) {
    const uint64_t hash = hash_graph(graph, parts);
    const struct known_order *const row = find(known, graph, parts, hash);
    if (row != NULL) {
        memcpy(result, row->result, graph->node_count * sizeof *result);
        return PBS_OK;
    }
    RETURN_IF_FAILED(parts > 0 ? metis_partition(memory, graph, parts, result)
                               : metis_dissect(memory, graph, result));
    return add(memory, known, graph, (struct known_order){.hash = hash, .parts = parts}, result);
}

pbs_status known_orders_partition(struct memory *memory, struct known_orders *known,
                                  const struct graph *graph, uint32_t count, uint32_t *part) {
    return ask(memory, known, graph, count, part);
}

// --- components ---

/// The nodes of a graph by connected component.
struct components {
    uint32_t count;
    uint32_t *of;    ///< node -> component
    uint32_t *node;  ///< component after component, ascending in each
    uint32_t *start; ///< node_count + 1 allocated, count + 1 used
    uint32_t *local; ///< node -> its place among those of its component
    uint32_t *order; ///< scratch: node_count
};

static void free_components(struct memory *memory, struct components *c) {
    memory_release(memory, c->of);
    memory_release(memory, c->node);
    memory_release(memory, c->start);
    memory_release(memory, c->local);
    memory_release(memory, c->order);
}

/// Marks the component of a node, which is not marked yet. queue: node_count.
static void mark_component(const struct graph *graph, uint32_t from, uint32_t component,
                           uint32_t *of, uint32_t *queue) {
    uint32_t found = 1;
    queue[0] = from;
    of[from] = component;
    for (uint32_t next = 0; next < found; next++) {
        const uint32_t node = queue[next];
        for (size_t k = graph->start[node]; k < graph->start[node + 1]; k++) {
            if (of[graph->neighbor[k]] == UINT32_MAX) {
                of[graph->neighbor[k]] = component;
                queue[found++] = graph->neighbor[k];
            }
        }
    }
}

static pbs_status list_components(struct memory *memory, const struct graph *graph,
                                  struct components *c) {
    const size_t n = graph->node_count;
    c->of = memory_allocate(memory, n, sizeof *c->of);
    c->node = memory_allocate(memory, n, sizeof *c->node);
    c->start = memory_allocate(memory, n + 1, sizeof *c->start);
    c->local = memory_allocate(memory, n, sizeof *c->local);
    c->order = memory_allocate(memory, n, sizeof *c->order);
    if (c->of == NULL || c->node == NULL || c->start == NULL || c->local == NULL ||
        c->order == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        c->of[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (c->of[i] == UINT32_MAX) {
            mark_component(graph, i, c->count++, c->of, c->order);
        }
        c->local[i] = c->start[c->of[i] + 1]++;
    }
    for (uint32_t k = 0; k < c->count; k++) {
        c->start[k + 1] += c->start[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        c->node[c->start[c->of[i]] + c->local[i]] = i;
    }
    return PBS_OK;
}

static pbs_status dissect_component(struct memory *memory, struct known_orders *known,
                                    const struct graph *graph, const struct components *c,
                                    uint32_t component, uint32_t *order) {
    const uint32_t first = c->start[component], size = c->start[component + 1] - first;
    struct graph own;
    RETURN_IF_FAILED(graph_of_nodes(memory, graph, c->node + first, size, c->local, &own));
    const pbs_status status = ask(memory, known, &own, 0, c->order);
    for (uint32_t i = 0; i < size && status == PBS_OK; i++) {
        order[first + i] = c->node[first + c->order[i]];
    }
    graph_free(memory, &own);
    return status;
}

pbs_status known_orders_dissect(struct memory *memory, struct known_orders *known,
                                const struct graph *graph, uint32_t *order) {
    struct components c = {0};
    pbs_status status = list_components(memory, graph, &c);
    for (uint32_t k = 0; k < c.count && status == PBS_OK; k++) {
        status = dissect_component(memory, known, graph, &c, k, order);
    }
    free_components(memory, &c);
    return status;
}
