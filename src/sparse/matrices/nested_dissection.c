// SPDX-License-Identifier: MIT
#include "sparse/matrices/nested_dissection.h"

pbs_status nested_dissection_order(struct memory *memory, const struct bsr *pattern, uint32_t first,
                                   uint32_t end, struct known_orders *known, uint32_t *order) {
    struct graph graph;
    RETURN_IF_FAILED(bsr_row_graph(memory, pattern, first, end, &graph));
    const pbs_status status = known_orders_dissect(memory, known, &graph, order);
    for (size_t i = 0; i < end - first && status == PBS_OK; i++) {
        order[i] += first;
    }
    graph_free(memory, &graph);
    return status;
}

pbs_status nested_dissection_order_all(struct memory *memory, const struct bsr *pattern,
                                       uint32_t *order) {
    struct known_orders known = {0};
    const pbs_status status = nested_dissection_order(memory, pattern, 0, pattern->row_count,
                                                      &known, order);
    known_orders_free(memory, &known);
    return status;
}
