// Reverse Cuthill-McKee orders the nodes of the whole graph,
// starting from a pseudo-peripheral node found by the method of George and Liu ("An implementation
// of a pseudoperipheral node finder", TOMS 5, 1979). Rows are assigned domain by domain, in that
// order within a domain.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/layout.h"

#include <string.h>

#include "sparse/ordering/metis_bridge.h"

// Two searches nearly always improve the start node; more than a few never pay.
#define PERIPHERAL_SEARCHES 6

/// State of breadth-first searches.
struct search {
    const struct graph *graph; ///< neighbors by ascending degree
    uint32_t *stamp; ///< node -> the last search that reached it; UINT32_MAX once it has been
                     ///< ordered
    uint32_t *depth; ///< node -> level in the last search
    uint32_t searches;
};

uint32_t layout_domain_of(const struct layout *layout, uint32_t row) {
    uint32_t low = 0;
    uint32_t high = layout->domain_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (layout->domain_start[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Lists the connected component of `from` in breadth-first order. Returns its size.
static uint32_t search_from(struct search *s, uint32_t from, uint32_t *queue) {
    const uint32_t stamp = s->searches++;
    uint32_t found = 1;
    queue[0] = from;
    s->stamp[from] = stamp;
    s->depth[from] = 0;
    for (uint32_t next = 0; next < found; next++) {
        const uint32_t node = queue[next];
        for (size_t k = s->graph->start[node]; k < s->graph->start[node + 1]; k++) {
            const uint32_t other = s->graph->neighbor[k];
            if (s->stamp[other] != stamp) {
                s->stamp[other] = stamp;
                s->depth[other] = s->depth[node] + 1;
                queue[found++] = other;
            }
        }
    }
    return found;
}

static size_t degree(const struct graph *graph, uint32_t node) {
    return graph->start[node + 1] - graph->start[node];
}

/// Returns the node of smallest degree in the last level of a search.
static uint32_t last_node(const struct search *s, const uint32_t *queue, uint32_t found) {
    const uint32_t depth = s->depth[queue[found - 1]];
    uint32_t best = queue[found - 1];
    for (uint32_t i = found; i-- > 0 && s->depth[queue[i]] == depth;) {
        if (degree(s->graph, queue[i]) <= degree(s->graph, best)) {
            best = queue[i];
        }
    }
    return best;
}

/// Writes the Cuthill-McKee order of a connected component to queue. Returns its size.
static uint32_t order_component(struct search *s, uint32_t from, uint32_t *queue) {
    uint32_t found = search_from(s, from, queue);
    uint32_t depth = s->depth[queue[found - 1]];
    uint32_t start = from;
    for (int i = 0; i < PERIPHERAL_SEARCHES; i++) {
        start = last_node(s, queue, found);
        found = search_from(s, start, queue);
        if (s->depth[queue[found - 1]] <= depth) {
            break;
        }
        depth = s->depth[queue[found - 1]];
    }
    for (uint32_t i = 0; i < found; i++) {
        s->stamp[queue[i]] = UINT32_MAX;
    }
    return found;
}

static void reverse(uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t other = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = other;
    }
}

/// Computes the reverse Cuthill-McKee order of all nodes.
static void order_nodes(struct search *s, uint32_t *numbered) {
    const uint32_t count = s->graph->node_count;
    uint32_t done = 0;
    for (uint32_t n = 0; n < count; n++) {
        if (s->stamp[n] != UINT32_MAX) {
            done += order_component(s, n, numbered + done);
        }
    }
    reverse(numbered, count);
}

/// Assigns rows domain by domain, and inside a domain in the sequence of `order`.
static void assign_rows(const uint32_t *domain, const uint32_t *order, struct layout *layout) {
    uint32_t *start = layout->domain_start;
    for (uint32_t n = 0; n < layout->node_count; n++) {
        start[domain[n] + 1]++;
    }
    uint32_t fill[LAYOUT_DOMAIN_LIMIT];
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        start[d + 1] += start[d];
        fill[d] = start[d];
    }
    for (uint32_t i = 0; i < layout->node_count; i++) {
        const uint32_t row = fill[domain[order[i]]]++;
        layout->node[row] = order[i];
        layout->row[order[i]] = row;
    }
}

/// Sorts the nodes by ascending degree, and by index for equal degrees.
static pbs_status sort_by_degree(struct memory *memory, const struct graph *graph,
                                 uint32_t *order) {
    size_t most = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        most = degree(graph, n) > most ? degree(graph, n) : most;
    }
    uint32_t *start = memory_allocate(memory, most + 2, sizeof *start);
    if (!start) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        start[degree(graph, n) + 1]++;
    }
    for (size_t d = 0; d <= most; d++) {
        start[d + 1] += start[d];
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        order[start[degree(graph, n)]++] = n;
    }
    memory_release(memory, start);
    return PBS_OK;
}

/// order, stamp: node_count, overwritten; stamp is zero on entry.
static pbs_status order_rows(struct memory *memory, const struct graph *graph,
                             const uint32_t *domain, uint32_t *order, uint32_t *stamp,
                             struct layout *layout) {
    struct graph sorted = {0};
    RETURN_IF_FAILED(sort_by_degree(memory, graph, order));
    RETURN_IF_FAILED(graph_reorder_neighbors(memory, graph, order, &sorted));
    struct search s = {.graph = &sorted, .stamp = stamp, .depth = layout->row, .searches = 1};
    order_nodes(&s, order);
    assign_rows(domain, order, layout);
    graph_free(memory, &sorted);
    return PBS_OK;
}

static pbs_status allocate_layout(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                                  struct layout *out) {
    *out = (struct layout){.node_count = node_count, .domain_count = domain_count};
    out->row = memory_allocate(memory, node_count, sizeof *out->row);
    out->node = memory_allocate(memory, node_count, sizeof *out->node);
    out->domain_start = memory_allocate(memory, (size_t)domain_count + 1,
                                        sizeof *out->domain_start);
    return out->row && out->node && out->domain_start ? PBS_OK : PBS_ERROR_MEMORY;
}

/// *domain_count, in: 0, or what it has to be.
static pbs_status divide_nodes(struct memory *memory, const struct graph *graph,
                               const uint32_t *weight, uint32_t *domain_count, uint32_t *domain) {
    return *domain_count != 0 ? metis_partition(memory, graph, *domain_count, domain)
                              : domains_divide(memory, graph, weight, domain, domain_count);
}

/// weight: as in domains_divide.
static pbs_status make_layout(struct memory *memory, const struct graph *graph,
                              const uint32_t *weight, uint32_t domain_count,
                              struct layout *layout) {
    const size_t n = graph->node_count;
    uint32_t *domain = memory_allocate(memory, n, sizeof *domain);
    uint32_t *order = memory_allocate(memory, n, sizeof *order);
    uint32_t *stamp = memory_allocate(memory, n, sizeof *stamp);
    pbs_status status = domain && order && stamp ? PBS_OK : PBS_ERROR_MEMORY;
    if (status == PBS_OK) {
        status = divide_nodes(memory, graph, weight, &domain_count, domain);
    }
    if (status == PBS_OK) {
        status = allocate_layout(memory, graph->node_count, domain_count, layout);
    }
    if (status == PBS_OK) {
        status = order_rows(memory, graph, domain, order, stamp, layout);
    }
    memory_release(memory, domain);
    memory_release(memory, order);
    memory_release(memory, stamp);
    return status;
}

// --- nodes that belong to positions ---

/// Units: a position together with all nodes that belong to it.
struct units {
    uint32_t count;
    uint32_t *of;    ///< node -> unit
    uint32_t *start; ///< count + 2
    uint32_t *node;  ///< nodes of each unit, the position first
    uint32_t *size;  ///< how many these are
};

static void list_units(const struct node_kinds *kinds, uint32_t node_count, struct units *u) {
    for (uint32_t n = 0; n < node_count; n++) {
        if (kinds->kind[n] == NODE_POSITION) {
            u->of[n] = u->count++;
        }
    }
    for (uint32_t n = 0; n < node_count; n++) {
        u->of[n] = u->of[kinds->owner[n]];
        u->start[u->of[n] + 2]++;
    }
    for (uint32_t k = 0; k < u->count; k++) {
        u->size[k] = u->start[k + 2];
        u->start[k + 2] += u->start[k + 1];
    }
    for (int others = 0; others < 2; others++) {
        for (uint32_t n = 0; n < node_count; n++) {
            if ((kinds->kind[n] != NODE_POSITION) == others) {
                u->node[u->start[u->of[n] + 1]++] = n;
            }
        }
    }
}

/// Assigns rows to the nodes unit by unit. by_unit: the layout of the units' graph.
static void assign_unit_rows(const struct units *u, const struct layout *by_unit,
                             const struct node_kinds *kinds, struct layout *layout) {
    uint32_t row = 0;
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        for (uint32_t k = by_unit->domain_start[d]; k < by_unit->domain_start[d + 1]; k++) {
            const uint32_t unit = by_unit->node[k];
            for (uint32_t i = u->start[unit]; i < u->start[unit + 1]; i++, row++) {
                layout->node[row] = u->node[i];
                layout->row[u->node[i]] = row;
                layout->kind[row] = kinds->kind[u->node[i]];
            }
        }
        layout->domain_start[d + 1] = row;
    }
}

static pbs_status order_units(struct memory *memory, const struct graph *graph,
                              const struct node_kinds *kinds, uint32_t domain_count,
                              struct units *u, struct layout *layout) {
    const size_t n = graph->node_count;
    u->of = memory_allocate(memory, n, sizeof *u->of);
    u->start = memory_allocate(memory, n + 2, sizeof *u->start);
    u->node = memory_allocate(memory, n, sizeof *u->node);
    u->size = memory_allocate(memory, n, sizeof *u->size);
    if (!u->of || !u->start || !u->node || !u->size) {
        return PBS_ERROR_MEMORY;
    }
    list_units(kinds, graph->node_count, u);
    struct graph by_unit = {0};
    struct layout order = {0};
    pbs_status status = graph_of_parts(memory, graph, u->of, u->count, &by_unit);
    if (status == PBS_OK) {
        status = make_layout(memory, &by_unit, u->size, domain_count, &order);
    }
    if (status == PBS_OK) {
        status = allocate_layout(memory, graph->node_count, order.domain_count, layout);
    }
    layout->kind = status == PBS_OK ? memory_allocate(memory, n, sizeof *layout->kind) : NULL;
    if (layout->kind != NULL) {
        assign_unit_rows(u, &order, kinds, layout);
    }
    layout_free(memory, &order);
    graph_free(memory, &by_unit);
    return status == PBS_OK && layout->kind == NULL ? PBS_ERROR_MEMORY : status;
}

static bool has_others(const struct node_kinds *kinds, uint32_t node_count) {
    for (uint32_t n = 0; kinds && n < node_count; n++) {
        if (kinds->kind[n] != NODE_POSITION) {
            return true;
        }
    }
    return false;
}

static pbs_status make_layout_of(struct memory *memory, const struct graph *graph,
                                 const struct node_kinds *kinds, uint32_t domain_count,
                                 struct layout *layout) {
    if (!has_others(kinds, graph->node_count)) {
        return make_layout(memory, graph, NULL, domain_count, layout);
    }
    struct units units = {0};
    const pbs_status status = order_units(memory, graph, kinds, domain_count, &units, layout);
    memory_release(memory, units.of);
    memory_release(memory, units.start);
    memory_release(memory, units.node);
    memory_release(memory, units.size);
    return status;
}

pbs_status layout_from_graph(struct memory *memory, const struct graph *graph,
                             const struct node_kinds *kinds, uint32_t domain_count,
                             struct layout *out) {
    *out = (struct layout){0};
    if (domain_count > LAYOUT_DOMAIN_LIMIT) {
        return status_fail(PBS_ERROR_ARGUMENT, "%u domains, at most %d", domain_count,
                           LAYOUT_DOMAIN_LIMIT);
    }
    struct layout layout = {0};
    const pbs_status status = make_layout_of(memory, graph, kinds, domain_count, &layout);
    if (status != PBS_OK) {
        layout_free(memory, &layout);
        return status;
    }
    *out = layout;
    return PBS_OK;
}

pbs_status layout_build(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                        const struct stencils *sets, size_t set_count, struct layout *out) {
    *out = (struct layout){0};
    struct graph graph;
    RETURN_IF_FAILED(graph_build(memory, node_count, sets, set_count, &graph));
    const pbs_status status = layout_from_graph(memory, &graph, NULL, domain_count, out);
    graph_free(memory, &graph);
    return status;
}

void layout_free(struct memory *memory, struct layout *layout) {
    memory_release(memory, layout->row);
    memory_release(memory, layout->node);
    memory_release(memory, layout->domain_start);
    memory_release(memory, layout->kind);
    *layout = (struct layout){0};
}
