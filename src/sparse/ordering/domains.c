// See domains.h. A component that is large enough gets domains of its own. Smaller ones, in the
// order of their first nodes, are collected until together they are.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/domains.h"

#include "sparse/ordering/metis_bridge.h"

// A domain of LEAST_NODES costs little more than its nodes do. In larger problems one has at least
// one of LEAST_PART parts of all nodes, which limits the number of domains.
enum { LEAST_NODES = 64, LEAST_PART = 100 };

uint32_t layout_domain_count(uint32_t node_count) {
    if (node_count < 1024) {
        return 1;
    }
    if (node_count < 4096) {
        return 2;
    }
    if (node_count < 16384) {
        return 4;
    }
    return node_count < 131072 ? 8 : 16;
}

struct division {
    struct memory *memory;
    const struct graph *graph;
    const uint32_t *weight;
    uint32_t *domain;
    uint32_t *component; ///< the nodes of one component, breadth first
    uint32_t *local;     ///< node -> its index in `component`
    uint32_t total;      ///< weight of all nodes
    uint32_t least;      ///< weight of a component with domains of its own
    uint32_t count;      ///< domains so far
    uint32_t collected;  ///< weight of the domain that collects small components; 0: none does
    uint32_t collecting; ///< that domain
};

static const uint32_t NOT_REACHED = UINT32_MAX;

static uint32_t weight_of(const struct division *d, uint32_t node) {
    return d->weight != NULL ? d->weight[node] : 1;
}

/// Lists the component of a node. Returns its weight.
static uint32_t list_component(struct division *d, uint32_t from, uint32_t *size) {
    uint32_t found = 1;
    uint32_t weight = weight_of(d, from);
    d->component[0] = from;
    d->local[from] = 0;
    for (uint32_t next = 0; next < found; next++) {
        const uint32_t node = d->component[next];
        for (size_t k = d->graph->start[node]; k < d->graph->start[node + 1]; k++) {
            const uint32_t other = d->graph->neighbor[k];
            if (d->local[other] == NOT_REACHED) {
                d->local[other] = found;
                d->component[found++] = other;
                weight += weight_of(d, other);
            }
        }
    }
    *size = found;
    return weight;
}

/// Returns how many domains a component of this weight is divided into.
static uint32_t piece_count(const struct division *d, uint32_t weight) {
    const double share = (double)layout_domain_count(d->total) * weight / d->total;
    return share > 1.5 ? (uint32_t)(share + 0.5) : 1;
}

static pbs_status divide_component(struct division *d, uint32_t size, uint32_t pieces) {
    struct graph own;
    RETURN_IF_FAILED(graph_of_nodes(d->memory, d->graph, d->component, size, d->local, &own));
    uint32_t *const piece = memory_allocate(d->memory, size, sizeof *piece);
    const pbs_status status = piece != NULL ? metis_partition(d->memory, &own, pieces, piece)
                                            : PBS_ERROR_MEMORY;
    for (uint32_t i = 0; i < size && status == PBS_OK; i++) {
        d->domain[d->component[i]] = d->count + piece[i];
    }
    d->count += pieces;
    memory_release(d->memory, piece);
    graph_free(d->memory, &own);
    return status;
}

/// Puts a component into a new domain or, if it is small, into the one that collects.
static void place_component(struct division *d, uint32_t size, uint32_t weight) {
    const bool is_large = weight >= d->least;
    const bool begins = is_large || d->collected == 0;
    const uint32_t domain = begins ? d->count++ : d->collecting;
    for (uint32_t i = 0; i < size; i++) {
        d->domain[d->component[i]] = domain;
    }
    if (!is_large) {
        const uint32_t collected = d->collected + weight;
        d->collecting = domain;
        d->collected = collected < d->least ? collected : 0;
    }
}

static pbs_status divide(struct division *d) {
    for (uint32_t n = 0; n < d->graph->node_count; n++) {
        d->total += weight_of(d, n);
        d->local[n] = NOT_REACHED;
    }
    const uint32_t share = d->total / LEAST_PART;
    d->least = share > LEAST_NODES ? share : LEAST_NODES;
    for (uint32_t n = 0; n < d->graph->node_count; n++) {
        if (d->local[n] != NOT_REACHED) {
            continue;
        }
        uint32_t size = 0;
        const uint32_t weight = list_component(d, n, &size);
        const uint32_t pieces = piece_count(d, weight);
        if (pieces > 1 && size == d->graph->node_count) {
            d->count = pieces;
            return metis_partition(d->memory, d->graph, pieces, d->domain);
        }
        if (pieces > 1) {
            RETURN_IF_FAILED(divide_component(d, size, pieces));
        } else {
            place_component(d, size, weight);
        }
    }
    return PBS_OK;
}

pbs_status domains_divide(struct memory *memory, const struct graph *graph, const uint32_t *weight,
                          uint32_t *domain, uint32_t *count) {
    struct division d = {.memory = memory, .graph = graph, .weight = weight, .domain = domain};
    d.component = memory_allocate(memory, graph->node_count, sizeof *d.component);
    d.local = memory_allocate(memory, graph->node_count, sizeof *d.local);
    const pbs_status status = d.component != NULL && d.local != NULL ? divide(&d)
                                                                     : PBS_ERROR_MEMORY;
    memory_release(memory, d.component);
    memory_release(memory, d.local);
    *count = d.count > 0 ? d.count : 1;
    return status;
}
