// Builds the pattern of a symmetric block matrix. Rows come out sorted because columns are visited
// in ascending order; no comparison sort is needed.
// SPDX-License-Identifier: MIT
#include "sparse/matrices/bsr.h"

static pbs_status allocate_pattern(struct memory *memory, const struct layout *layout,
                                   struct bsr *a) {
    const size_t n = a->row_count;
    a->layout = memory_allocate(memory, 1, sizeof *a->layout);
    if (!a->layout) {
        return PBS_ERROR_MEMORY;
    }
    *a->layout = *layout;
    a->row_start = memory_allocate(memory, n + 1, sizeof *a->row_start);
    a->outer_start = memory_allocate(memory, n, sizeof *a->outer_start);
    a->incoming_start = memory_allocate(memory, n + 1, sizeof *a->incoming_start);
    a->column = memory_allocate(memory, a->block_count, sizeof *a->column);
    return a->row_start && a->outer_start && a->incoming_start && a->column ? PBS_OK
                                                                            : PBS_ERROR_MEMORY;
}

/// Fills row_start and the columns of the upper triangle. outer_start temporarily counts the
/// entries of each row.
static void fill_columns(const struct graph *graph, struct bsr *a) {
    const struct layout *layout = a->layout;
    uint32_t block = 0;
    for (uint32_t row = 0; row < a->row_count; row++) {
        const uint32_t node = layout->node[row];
        a->row_start[row] = block;
        a->outer_start[row] = block + 1;
        a->column[block++] = row;
        for (size_t k = graph->start[node]; k < graph->start[node + 1]; k++) {
            block += layout->row[graph->neighbor[k]] > row;
        }
    }
    a->row_start[a->row_count] = block;
    for (uint32_t column = 0; column < a->row_count; column++) {
        const uint32_t node = layout->node[column];
        for (size_t k = graph->start[node]; k < graph->start[node + 1]; k++) {
            const uint32_t row = layout->row[graph->neighbor[k]];
            if (row < column) {
                a->column[a->outer_start[row]++] = column;
            }
        }
    }
}

/// Finds the first block of each row outside the row's domain, and counts the incoming blocks of
/// each row.
static void find_outer(struct bsr *a) {
    const struct layout *layout = a->layout;
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        const uint32_t end = layout->domain_start[d + 1];
        for (uint32_t row = layout->domain_start[d]; row < end; row++) {
            uint32_t k = a->row_start[row + 1];
            for (; a->column[k - 1] >= end; k--) {
                a->incoming_start[a->column[k - 1] + 1]++;
            }
            a->outer_start[row] = k;
        }
    }
    for (uint32_t row = 0; row < a->row_count; row++) {
        a->incoming_start[row + 1] += a->incoming_start[row];
    }
}

static pbs_status fill_incoming(struct memory *memory, struct bsr *a) {
    const size_t count = a->incoming_start[a->row_count];
    a->incoming_row = memory_allocate(memory, count, sizeof *a->incoming_row);
    a->incoming_block = memory_allocate(memory, count, sizeof *a->incoming_block);
    uint32_t *fill = memory_allocate(memory, a->row_count, sizeof *fill);
    if (!a->incoming_row || !a->incoming_block || !fill) {
        memory_release(memory, fill);
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t row = 0; row < a->row_count; row++) {
        for (uint32_t k = a->outer_start[row]; k < a->row_start[row + 1]; k++) {
            const uint32_t column = a->column[k];
            const uint32_t slot = a->incoming_start[column] + fill[column]++;
            a->incoming_row[slot] = row;
            a->incoming_block[slot] = k;
        }
    }
    memory_release(memory, fill);
    return PBS_OK;
}

pbs_status bsr_build_pattern(struct memory *memory, const struct graph *graph,
                             const struct layout *layout, struct bsr *out) {
    *out = (struct bsr){0};
    struct bsr a = {.row_count = graph->node_count};
    a.block_count = graph->node_count + graph->start[graph->node_count] / 2;
    if (a.block_count > UINT32_MAX / 2) {
        return status_fail(PBS_ERROR_ARGUMENT, "a matrix of %zu blocks, at most %u", a.block_count,
                           UINT32_MAX / 2);
    }
    pbs_status status = allocate_pattern(memory, layout, &a);
    if (status == PBS_OK) {
        fill_columns(graph, &a);
        find_outer(&a);
        status = fill_incoming(memory, &a);
    }
    if (status != PBS_OK) {
        bsr_free_pattern(memory, &a);
        return status;
    }
    *out = a;
    return PBS_OK;
}

void bsr_free_pattern(struct memory *memory, struct bsr *a) {
    memory_release(memory, a->layout);
    memory_release(memory, a->row_start);
    memory_release(memory, a->column);
    memory_release(memory, a->outer_start);
    memory_release(memory, a->incoming_start);
    memory_release(memory, a->incoming_row);
    memory_release(memory, a->incoming_block);
    *a = (struct bsr){0};
}

size_t bsr_find(const struct bsr *a, uint32_t row, uint32_t column) {
    uint32_t low = a->row_start[row];
    uint32_t high = a->row_start[row + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < a->row_start[row + 1] && a->column[low] == column ? low : SIZE_MAX;
}

/// Lists the neighbors of every row in the range, from both triangles. fill: a copy of start,
/// overwritten.
static void mirror(const struct bsr *pattern, uint32_t first, uint32_t end, size_t *fill,
                   struct graph *graph) {
    for (uint32_t row = first; row < end; row++) {
        for (uint32_t k = pattern->row_start[row] + 1; k < pattern->row_start[row + 1]; k++) {
            const uint32_t column = pattern->column[k];
            if (column < end) {
                graph->neighbor[fill[row - first]++] = column - first;
                graph->neighbor[fill[column - first]++] = row - first;
            }
        }
    }
}

static size_t count_neighbors(const struct bsr *pattern, uint32_t first, uint32_t end,
                              size_t *start) {
    for (uint32_t row = first; row < end; row++) {
        for (uint32_t k = pattern->row_start[row] + 1; k < pattern->row_start[row + 1]; k++) {
            if (pattern->column[k] < end) {
                start[row - first + 1]++;
                start[pattern->column[k] - first + 1]++;
            }
        }
    }
    for (uint32_t i = 0; i < end - first; i++) {
        start[i + 1] += start[i];
    }
    return start[end - first];
}

pbs_status bsr_row_graph(struct memory *memory, const struct bsr *pattern, uint32_t first,
                         uint32_t end, struct graph *out) {
    const size_t n = end - first;
    *out = (struct graph){0};
    struct graph graph = {.node_count = end - first};
    graph.start = memory_allocate(memory, n + 1, sizeof *graph.start);
    size_t *fill = memory_allocate(memory, n + 1, sizeof *fill);
    if (graph.start && fill) {
        const size_t count = count_neighbors(pattern, first, end, graph.start);
        graph.neighbor = memory_allocate(memory, count, sizeof *graph.neighbor);
    }
    if (!graph.neighbor) {
        memory_release(memory, fill);
        graph_free(memory, &graph);
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        fill[i] = graph.start[i];
    }
    mirror(pattern, first, end, fill, &graph);
    memory_release(memory, fill);
    *out = graph;
    return PBS_OK;
}
