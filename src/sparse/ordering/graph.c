// Edges are first listed with duplicates, then reduced to one each with marks, then transposed,
// which sorts them. There is no comparison sort, so the time is linear in the number of edges also
// for a node with very many neighbors.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/graph.h"

#include <string.h>

static pbs_status check_stencil(const struct stencils *set, size_t set_index, size_t index,
                                uint32_t node_count) {
    const uint32_t *nodes = set->nodes + index * set->width;
    for (uint32_t a = 0; a < set->width; a++) {
        if (nodes[a] >= node_count) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "stencil %zu of term %zu: node %u, must be below %u", index,
                               set_index, nodes[a], node_count);
        }
        for (uint32_t b = 0; b < a; b++) {
            if (nodes[a] == nodes[b]) {
                return status_fail(PBS_ERROR_ARGUMENT,
                                   "stencil %zu of term %zu: node %u twice, nodes must differ",
                                   index, set_index, nodes[a]);
            }
        }
    }
    return PBS_OK;
}

static pbs_status check_set(const struct stencils *set, size_t set_index, uint32_t node_count) {
    if (set->width < 1 || set->width > STENCIL_WIDTH_LIMIT) {
        return status_fail(PBS_ERROR_ARGUMENT, "term %zu: stencil width %u, must be 1 to %d",
                           set_index, set->width, STENCIL_WIDTH_LIMIT);
    }
    if (set->count > UINT32_MAX / 64) {
        return status_fail(PBS_ERROR_ARGUMENT, "term %zu: %zu stencils, at most %u", set_index,
                           set->count, UINT32_MAX / 64);
    }
    for (size_t i = 0; i < set->count; i++) {
        RETURN_IF_FAILED(check_stencil(set, set_index, i, node_count));
    }
    return PBS_OK;
}

/// Converts counts in start[n + 1] to starts.
static void accumulate(size_t *start, uint32_t count) {
    for (uint32_t n = 0; n < count; n++) {
        start[n + 1] += start[n];
    }
}

/// Lists every edge once per stencil that contains it. start: node_count + 2, so that it can be
/// filled in place.
static pbs_status list_edges(struct memory *memory, const struct stencils *sets, size_t set_count,
                             struct graph *edges) {
    size_t *fill = edges->start + 1;
    for (size_t s = 0; s < set_count; s++) {
        for (size_t i = 0; i < sets[s].count * sets[s].width; i++) {
            fill[sets[s].nodes[i] + 1] += sets[s].width - 1;
        }
    }
    accumulate(fill, edges->node_count);
    edges->neighbor = memory_allocate(memory, fill[edges->node_count], sizeof *edges->neighbor);
    if (!edges->neighbor) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t s = 0; s < set_count; s++) {
        const uint32_t width = sets[s].width;
        for (size_t i = 0; i < sets[s].count; i++) {
            const uint32_t *nodes = sets[s].nodes + i * width;
            for (uint32_t a = 0; a < width; a++) {
                for (uint32_t b = 0; b < width; b++) {
                    if (a != b) {
                        edges->neighbor[fill[nodes[a]]++] = nodes[b];
                    }
                }
            }
        }
    }
    return PBS_OK;
}

/// Removes duplicate edges. mark: node_count, zero.
static void drop_repetitions(struct graph *edges, uint32_t *mark) {
    size_t kept = 0;
    for (uint32_t n = 0; n < edges->node_count; n++) {
        const size_t first = edges->start[n];
        edges->start[n] = kept;
        for (size_t k = first; k < edges->start[n + 1]; k++) {
            const uint32_t other = edges->neighbor[k];
            if (mark[other] != n + 1) {
                mark[other] = n + 1;
                edges->neighbor[kept++] = other;
            }
        }
    }
    edges->start[edges->node_count] = kept;
}

pbs_status graph_reorder_neighbors(struct memory *memory, const struct graph *graph,
                                   const uint32_t *order, struct graph *out) {
    const uint32_t n = graph->node_count;
    const size_t edge_count = graph->start[n];
    *out = (struct graph){.node_count = n};
    out->start = memory_allocate(memory, (size_t)n + 1, sizeof *out->start);
    out->neighbor = memory_allocate(memory, edge_count, sizeof *out->neighbor);
    size_t *fill = memory_allocate(memory, (size_t)n + 1, sizeof *fill);
    if (!out->start || !out->neighbor || !fill) {
        graph_free(memory, out);
        memory_release(memory, fill);
        return PBS_ERROR_MEMORY;
    }
    memcpy(out->start, graph->start, ((size_t)n + 1) * sizeof *fill);
    memcpy(fill, graph->start, ((size_t)n + 1) * sizeof *fill);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t node = order ? order[i] : i;
        for (size_t k = graph->start[node]; k < graph->start[node + 1]; k++) {
            out->neighbor[fill[graph->neighbor[k]]++] = node;
        }
    }
    memory_release(memory, fill);
    return PBS_OK;
}

/// Lists the edges between parts, with duplicates. edges->start: count + 2, zero.
static pbs_status list_part_edges(struct memory *memory, const struct graph *graph,
                                  const uint32_t *part, struct graph *edges) {
    size_t *fill = edges->start + 1;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        for (size_t k = graph->start[n]; k < graph->start[n + 1]; k++) {
            fill[part[n] + 1] += part[graph->neighbor[k]] != part[n];
        }
    }
    accumulate(fill, edges->node_count);
    edges->neighbor = memory_allocate(memory, fill[edges->node_count], sizeof *edges->neighbor);
    if (!edges->neighbor) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        for (size_t k = graph->start[n]; k < graph->start[n + 1]; k++) {
            const uint32_t other = part[graph->neighbor[k]];
            if (other != part[n]) {
                edges->neighbor[fill[part[n]]++] = other;
            }
        }
    }
    return PBS_OK;
}

pbs_status graph_of_nodes(struct memory *memory, const struct graph *graph, const uint32_t *nodes,
                          uint32_t count, const uint32_t *local, struct graph *out) {
    *out = (struct graph){.node_count = count};
    size_t edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        edges += graph->start[nodes[i] + 1] - graph->start[nodes[i]];
    }
    out->start = memory_allocate(memory, (size_t)count + 1, sizeof *out->start);
    out->neighbor = memory_allocate(memory, edges, sizeof *out->neighbor);
    if (out->start == NULL || out->neighbor == NULL) {
        graph_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = graph->start[nodes[i]]; k < graph->start[nodes[i] + 1]; k++) {
            out->neighbor[edges++] = local[graph->neighbor[k]];
        }
        out->start[i + 1] = edges;
    }
    return PBS_OK;
}

pbs_status graph_of_parts(struct memory *memory, const struct graph *graph, const uint32_t *part,
                          uint32_t count, struct graph *out) {
    *out = (struct graph){0};
    struct graph edges = {.node_count = count};
    edges.start = memory_allocate(memory, (size_t)count + 2, sizeof *edges.start);
    uint32_t *mark = memory_allocate(memory, count, sizeof *mark);
    pbs_status status = edges.start && mark ? list_part_edges(memory, graph, part, &edges)
                                            : PBS_ERROR_MEMORY;
    if (status == PBS_OK) {
        drop_repetitions(&edges, mark);
        status = graph_reorder_neighbors(memory, &edges, NULL, out);
    }
    memory_release(memory, mark);
    graph_free(memory, &edges);
    return status;
}

static pbs_status collect(struct memory *memory, const struct stencils *sets, size_t set_count,
                          uint32_t *mark, struct graph *edges, struct graph *out) {
    if (!mark || !edges->start) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(list_edges(memory, sets, set_count, edges));
    drop_repetitions(edges, mark);
    return graph_reorder_neighbors(memory, edges, NULL, out);
}

pbs_status graph_build(struct memory *memory, uint32_t node_count, const struct stencils *sets,
                       size_t set_count, struct graph *out) {
    *out = (struct graph){0};
    if (node_count > UINT32_MAX / 4) {
        return status_fail(PBS_ERROR_ARGUMENT, "%u nodes, at most %u", node_count, UINT32_MAX / 4);
    }
    for (size_t s = 0; s < set_count; s++) {
        RETURN_IF_FAILED(check_set(&sets[s], s, node_count));
    }
    struct graph edges = {.node_count = node_count};
    edges.start = memory_allocate(memory, (size_t)node_count + 2, sizeof *edges.start);
    uint32_t *mark = memory_allocate(memory, node_count, sizeof *mark);
    const pbs_status status = collect(memory, sets, set_count, mark, &edges, out);
    memory_release(memory, mark);
    graph_free(memory, &edges);
    return status;
}

void graph_free(struct memory *memory, struct graph *graph) {
    memory_release(memory, graph->start);
    memory_release(memory, graph->neighbor);
    *graph = (struct graph){0};
}
