#include "sparse/matrices/nested_dissection.h"

#include "sparse/ordering/metis_bridge.h"

pbs_status nested_dissection_order(struct memory *memory, const struct bsr *pattern, uint32_t first,
                                   uint32_t end, uint32_t *order) {
    struct graph graph;
    RETURN_IF_FAILED(bsr_row_graph(memory, pattern, first, end, &graph));
    const pbs_status status = metis_dissect(memory, &graph, order);
    for (size_t i = 0; i < end - first && status == PBS_OK; i++) {
        order[i] += first;
    }
    graph_free(memory, &graph);
    return status;
}
