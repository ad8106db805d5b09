// The upper triangle of a range of rows is mirrored into a graph, which METIS orders.
#include "sparse/nested_dissection.h"

#include "sparse/metis_bridge.h"

/// Neighbors of row `first + i` in the range, both triangles. fill: as start, overwritten.
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

pbs_status nested_dissection_order(struct memory *memory, const struct bsr *pattern, uint32_t first,
                                   uint32_t end, uint32_t *order) {
    const size_t n = end - first;
    struct graph graph = {.node_count = end - first};
    graph.start = memory_allocate(memory, n + 1, sizeof *graph.start);
    size_t *fill = memory_allocate(memory, n + 1, sizeof *fill);
    pbs_status status = PBS_ERROR_MEMORY;
    if (graph.start && fill) {
        const size_t count = count_neighbors(pattern, first, end, graph.start);
        graph.neighbor = memory_allocate(memory, count, sizeof *graph.neighbor);
    }
    if (graph.neighbor) {
        for (size_t i = 0; i < n; i++) {
            fill[i] = graph.start[i];
        }
        mirror(pattern, first, end, fill, &graph);
        status = metis_dissect(memory, &graph, order);
    }
    for (size_t i = 0; i < n && status == PBS_OK; i++) {
        order[i] += first;
    }
    memory_release(memory, fill);
    graph_free(memory, &graph);
    return status;
}
