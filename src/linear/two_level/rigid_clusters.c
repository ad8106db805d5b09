// See rigid_clusters.h. METIS cuts every domain into clusters. The entries of a cluster are found
// by visiting the blocks of its rows and columns, once to count and once to list them.
// SPDX-License-Identifier: MIT
#include "linear/two_level/rigid_clusters.h"

#include <string.h>

#include "sparse/ordering/known_orders.h"

/// Groups the rows of a domain by position: a position row starts a unit, which the rows that
/// follow it and are not positions belong to. Writes the unit of each row; returns the number of
/// units.
static uint32_t number_units(const struct layout *layout, uint32_t first, uint32_t rows,
                             uint32_t *unit) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        count += layout_is_position(layout, first + i);
        unit[i] = count - 1;
    }
    return count;
}

/// Partitions rows first, first + 1, ... into parts without separating a unit. part: per row.
static pbs_status partition_units(struct memory *memory, const struct layout *layout,
                                  struct known_orders *known, const struct graph *graph,
                                  uint32_t first, uint32_t parts, uint32_t *part) {
    const uint32_t rows = graph->node_count;
    uint32_t *unit = memory_allocate(memory, rows, sizeof *unit);
    uint32_t *of_unit = memory_allocate(memory, rows, sizeof *of_unit);
    struct graph units = {0};
    pbs_status status = PBS_ERROR_MEMORY;
    if (unit && of_unit) {
        const uint32_t count = number_units(layout, first, rows, unit);
        status = graph_of_parts(memory, graph, unit, count, &units);
    }
    if (status == PBS_OK) {
        status = known_orders_partition(memory, known, &units, parts, of_unit);
    }
    for (uint32_t i = 0; i < rows && status == PBS_OK; i++) {
        part[i] = of_unit[unit[i]];
    }
    graph_free(memory, &units);
    memory_release(memory, unit);
    memory_release(memory, of_unit);
    return status;
}

static pbs_status partition_domain(struct memory *memory, struct known_orders *known,
                                   const struct bsr *pattern, uint32_t domain, uint32_t parts,
                                   uint32_t *part) {
    const struct layout *layout = pattern->layout;
    const uint32_t first = layout->domain_start[domain];
    struct graph graph;
    RETURN_IF_FAILED(
        bsr_row_graph(memory, pattern, first, layout->domain_start[domain + 1], &graph));
    const pbs_status status = layout->kind
                                  ? partition_units(memory, layout, known, &graph, first, parts,
                                                    part)
                                  : known_orders_partition(memory, known, &graph, parts, part);
    graph_free(memory, &graph);
    return status;
}

static pbs_status partition_domains(struct memory *memory, struct known_orders *known,
                                    const struct bsr *pattern, uint32_t size,
                                    struct rigid_clusters *c) {
    const struct layout *layout = pattern->layout;
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        const uint32_t first = layout->domain_start[d];
        const uint32_t rows = layout->domain_start[d + 1] - first;
        const uint32_t parts = (rows + size - 1) / size;
        c->domain_start[d] = c->count;
        if (rows > 0) {
            RETURN_IF_FAILED(partition_domain(memory, known, pattern, d, parts, c->of_row + first));
        }
        for (uint32_t i = first; i < first + rows; i++) {
            c->of_row[i] += c->count;
        }
        c->count += parts;
    }
    c->domain_start[layout->domain_count] = c->count;
    return PBS_OK;
}

/// Listing the members advances member_start by one cluster; it is shifted back afterwards.
static void list_members(uint32_t row_count, struct rigid_clusters *c) {
    for (uint32_t i = 0; i < row_count; i++) {
        c->member_start[c->of_row[i] + 1]++;
    }
    for (uint32_t k = 0; k < c->count; k++) {
        c->member_start[k + 1] += c->member_start[k];
    }
    for (uint32_t i = 0; i < row_count; i++) {
        c->member[c->member_start[c->of_row[i]]++] = i;
    }
    memmove(c->member_start + 1, c->member_start, c->count * sizeof *c->member_start);
    c->member_start[0] = 0;
}

/// Scratch of the search for entries.
struct search {
    const struct bsr *pattern;
    uint32_t *row_of_block;
    uint32_t *row_mark;     ///< row -> 1 + the last cluster that it was an entry of
    uint32_t *row_slot;     ///< row -> its entry in that cluster
    uint32_t *cluster_mark; ///< the same for clusters
    uint32_t *cluster_slot;
};

static void release_search(struct memory *memory, struct search *s) {
    memory_release(memory, s->row_of_block);
    memory_release(memory, s->row_mark);
    memory_release(memory, s->row_slot);
    memory_release(memory, s->cluster_mark);
    memory_release(memory, s->cluster_slot);
}

static pbs_status prepare_search(struct memory *memory, const struct bsr *pattern,
                                 uint32_t cluster_count, struct search *s) {
    const size_t n = pattern->row_count;
    *s = (struct search){.pattern = pattern};
    s->row_of_block = memory_allocate(memory, pattern->block_count, sizeof *s->row_of_block);
    s->row_mark = memory_allocate(memory, n, sizeof *s->row_mark);
    s->row_slot = memory_allocate(memory, n, sizeof *s->row_slot);
    s->cluster_mark = memory_allocate(memory, cluster_count, sizeof *s->cluster_mark);
    s->cluster_slot = memory_allocate(memory, cluster_count, sizeof *s->cluster_slot);
    if (!s->row_of_block || !s->row_mark || !s->row_slot || !s->cluster_mark || !s->cluster_slot) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            s->row_of_block[k] = i;
        }
    }
    return PBS_OK;
}

static uint32_t own_blocks(const struct bsr *pattern, uint32_t row) {
    return pattern->row_start[row + 1] - pattern->row_start[row];
}

/// Returns the other row of the b-th block of a row, counting the blocks of the row, then of the
/// column.
static uint32_t other_row(const struct search *s, const struct rigid_clusters *c, uint32_t row,
                          uint32_t b) {
    const uint32_t own = own_blocks(s->pattern, row);
    return b < own ? s->pattern->column[s->pattern->row_start[row] + b]
                   : s->row_of_block[c->columns.block[c->columns.start[row] + b - own]];
}

/// Fills the slots and, if entry_row is allocated, the entries of cluster k. Returns the number of
/// entries.
static uint32_t find_entries(struct search *s, struct rigid_clusters *c, uint32_t k) {
    uint32_t found = 0;
    for (uint32_t m = c->member_start[k]; m < c->member_start[k + 1]; m++) {
        const uint32_t row = c->member[m];
        for (uint32_t b = 0; c->slot_start[row] + b < c->slot_start[row + 1]; b++) {
            const uint32_t other = other_row(s, c, row, b);
            if (s->row_mark[other] != k + 1) {
                s->row_mark[other] = k + 1;
                s->row_slot[other] = found++;
            }
            c->slot[c->slot_start[row] + b] = s->row_slot[other];
            if (c->entry_row) {
                c->entry_row[c->entry_start[k] + s->row_slot[other]] = other;
            }
        }
    }
    return found;
}

/// Does the same for the clusters that the entries of cluster k belong to.
static uint32_t find_neighbors(struct search *s, struct rigid_clusters *c, uint32_t k) {
    uint32_t found = 0;
    for (uint32_t e = c->entry_start[k]; e < c->entry_start[k + 1]; e++) {
        const uint32_t cluster = c->of_row[c->entry_row[e]];
        if (s->cluster_mark[cluster] != k + 1) {
            s->cluster_mark[cluster] = k + 1;
            s->cluster_slot[cluster] = found++;
        }
        c->entry_neighbor[e] = s->cluster_slot[cluster];
        if (c->neighbor) {
            c->neighbor[c->neighbor_start[k] + c->entry_neighbor[e]] = cluster;
        }
    }
    return found;
}

/// Counts entries or neighbours of all clusters into start. Returns the maximum of one cluster.
static uint32_t count_found(struct search *s, struct rigid_clusters *c, uint32_t *start,
                            uint32_t (*find)(struct search *, struct rigid_clusters *, uint32_t)) {
    uint32_t most = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const uint32_t found = find(s, c, k);
        start[k + 1] = start[k] + found;
        most = found > most ? found : most;
    }
    return most;
}

static void fill_found(struct search *s, struct rigid_clusters *c, uint32_t *mark,
                       size_t mark_count,
                       uint32_t (*find)(struct search *, struct rigid_clusters *, uint32_t)) {
    memset(mark, 0, mark_count * sizeof *mark);
    for (uint32_t k = 0; k < c->count; k++) {
        find(s, c, k);
    }
}

static pbs_status list_entries(struct memory *memory, struct search *s, struct rigid_clusters *c) {
    const uint32_t rows = s->pattern->row_count;
    for (uint32_t i = 0; i < rows; i++) {
        c->slot_start[i + 1] = c->slot_start[i] + own_blocks(s->pattern, i) +
                               c->columns.start[i + 1] - c->columns.start[i];
    }
    c->slot = memory_allocate(memory, c->slot_start[rows], sizeof *c->slot);
    if (!c->slot) {
        return PBS_ERROR_MEMORY;
    }
    c->most_entries = count_found(s, c, c->entry_start, find_entries);
    const size_t entries = c->entry_start[c->count];
    c->entry_row = memory_allocate(memory, entries, sizeof *c->entry_row);
    c->entry_neighbor = memory_allocate(memory, entries, sizeof *c->entry_neighbor);
    if (!c->entry_row || !c->entry_neighbor) {
        return PBS_ERROR_MEMORY;
    }
    fill_found(s, c, s->row_mark, rows, find_entries);
    c->most_neighbors = count_found(s, c, c->neighbor_start, find_neighbors);
    c->neighbor = memory_allocate(memory, c->neighbor_start[c->count], sizeof *c->neighbor);
    if (!c->neighbor) {
        return PBS_ERROR_MEMORY;
    }
    fill_found(s, c, s->cluster_mark, c->count, find_neighbors);
    return PBS_OK;
}

/// Orders the clusters by METIS. The first neighbour of each cluster is itself.
static pbs_status order_clusters(struct memory *memory, struct known_orders *known,
                                 struct rigid_clusters *c) {
    struct graph graph = {.node_count = c->count};
    graph.start = memory_allocate(memory, (size_t)c->count + 1, sizeof *graph.start);
    graph.neighbor = memory_allocate(memory, c->neighbor_start[c->count], sizeof *graph.neighbor);
    pbs_status status = PBS_ERROR_MEMORY;
    if (graph.start && graph.neighbor) {
        size_t filled = 0;
        for (uint32_t k = 0; k < c->count; k++) {
            for (uint32_t n = c->neighbor_start[k]; n < c->neighbor_start[k + 1]; n++) {
                if (c->neighbor[n] != k) {
                    graph.neighbor[filled++] = c->neighbor[n];
                }
            }
            graph.start[k + 1] = filled;
        }
        status = known_orders_dissect(memory, known, &graph, c->order);
    }
    graph_free(memory, &graph);
    return status;
}

static pbs_status allocate_clusters(struct memory *memory, uint32_t rows,
                                    struct rigid_clusters *c) {
    const size_t count = (size_t)c->count + 1;
    c->member_start = memory_allocate(memory, count, sizeof *c->member_start);
    c->member = memory_allocate(memory, rows, sizeof *c->member);
    c->entry_start = memory_allocate(memory, count, sizeof *c->entry_start);
    c->neighbor_start = memory_allocate(memory, count, sizeof *c->neighbor_start);
    c->order = memory_allocate(memory, count, sizeof *c->order);
    c->slot_start = memory_allocate(memory, (size_t)rows + 1, sizeof *c->slot_start);
    return c->member_start && c->member && c->entry_start && c->neighbor_start && c->order &&
                   c->slot_start
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

/// Fills everything but the order, given of_row.
static pbs_status list_clusters(struct memory *memory, const struct bsr *pattern,
                                struct rigid_clusters *c) {
    RETURN_IF_FAILED(allocate_clusters(memory, pattern->row_count, c));
    RETURN_IF_FAILED(block_columns_build(memory, pattern, &c->columns));
    list_members(pattern->row_count, c);
    struct search search;
    pbs_status status = prepare_search(memory, pattern, c->count, &search);
    if (status == PBS_OK) {
        status = list_entries(memory, &search, c);
    }
    release_search(memory, &search);
    return status;
}

static pbs_status allocate_rows(struct memory *memory, const struct bsr *pattern,
                                struct rigid_clusters *c) {
    c->of_row = memory_allocate(memory, pattern->row_count, sizeof *c->of_row);
    c->domain_start = memory_allocate(memory, (size_t)pattern->layout->domain_count + 1,
                                      sizeof *c->domain_start);
    return c->of_row && c->domain_start ? PBS_OK : PBS_ERROR_MEMORY;
}

static pbs_status fill_clusters(struct memory *memory, const struct bsr *pattern, uint32_t size,
                                struct rigid_clusters *c) {
    struct known_orders known = {0};
    pbs_status status = allocate_rows(memory, pattern, c);
    if (status == PBS_OK) {
        status = partition_domains(memory, &known, pattern, size, c);
    }
    if (status == PBS_OK) {
        status = list_clusters(memory, pattern, c);
    }
    if (status == PBS_OK) {
        status = order_clusters(memory, &known, c);
    }
    known_orders_free(memory, &known);
    return status;
}

// --- connected pieces ---

/// Disjoint sets of rows, each represented by its first row.
struct pieces {
    uint32_t *parent;
    uint32_t *places; ///< number of positions in the set
};

static uint32_t find_piece(const struct pieces *p, uint32_t row) {
    while (p->parent[row] != row) {
        p->parent[row] = p->parent[p->parent[row]];
        row = p->parent[row];
    }
    return row;
}

static void join_pieces(const struct pieces *p, uint32_t a, uint32_t b) {
    const uint32_t i = find_piece(p, a);
    const uint32_t j = find_piece(p, b);
    if (i != j) {
        const uint32_t first = i < j ? i : j;
        p->parent[i < j ? j : i] = first;
        p->places[first] = p->places[i] + p->places[j];
    }
}

/// Unites rows that couple and belong to the same cluster.
static void join_clusters(const struct bsr *pattern, const struct rigid_clusters *whole,
                          const uint8_t *coupled, const struct pieces *p) {
    for (uint32_t i = 0; i < pattern->row_count; i++) {
        p->parent[i] = i;
        p->places[i] = layout_is_position(pattern->layout, i);
        if (p->places[i] == 0) {
            join_pieces(p, i - 1, i);
        }
    }
    for (uint32_t i = 0; i < pattern->row_count; i++) {
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const uint32_t j = pattern->column[k];
            if (coupled[k] != 0 && whole->of_row[i] == whole->of_row[j]) {
                join_pieces(p, i, j);
            }
        }
    }
}

enum { SMALL_PIECE = 2 };

/// Unites each small piece with the first piece of its domain that it couples to.
static void join_small(const struct bsr *pattern, const uint8_t *coupled, const struct pieces *p) {
    for (uint32_t d = 0; d < pattern->layout->domain_count; d++) {
        const uint32_t end = pattern->layout->domain_start[d + 1];
        for (uint32_t i = pattern->layout->domain_start[d]; i < end; i++) {
            for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
                const uint32_t j = pattern->column[k];
                if (coupled[k] != 0 && j < end &&
                    (p->places[find_piece(p, i)] <= SMALL_PIECE ||
                     p->places[find_piece(p, j)] <= SMALL_PIECE)) {
                    join_pieces(p, i, j);
                }
            }
        }
    }
}

static void number_pieces(const struct layout *layout, const struct pieces *p,
                          struct rigid_clusters *c) {
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        c->domain_start[d] = c->count;
        for (uint32_t i = layout->domain_start[d]; i < layout->domain_start[d + 1]; i++) {
            const uint32_t first = find_piece(p, i);
            c->of_row[i] = first == i ? c->count++ : c->of_row[first];
        }
    }
    c->domain_start[layout->domain_count] = c->count;
}

/// Orders the clusters by minimum degree, because METIS is too slow for patterns that change often.
static pbs_status order_pieces(struct memory *memory, struct rigid_clusters *c) {
    struct minimum_degree ordering = {0};
    const pbs_status status = minimum_degree_order(memory, c->count, c->neighbor_start, c->neighbor,
                                                   NULL, &ordering, c->order);
    minimum_degree_free(memory, &ordering);
    return status;
}

static pbs_status split_clusters(struct memory *memory, const struct bsr *pattern,
                                 const struct rigid_clusters *whole, const uint8_t *coupled,
                                 struct rigid_clusters *c) {
    RETURN_IF_FAILED(allocate_rows(memory, pattern, c));
    struct pieces p = {memory_allocate(memory, pattern->row_count, sizeof *p.parent),
                       memory_allocate(memory, pattern->row_count, sizeof *p.places)};
    const bool good = p.parent && p.places;
    if (good) {
        join_clusters(pattern, whole, coupled, &p);
        join_small(pattern, coupled, &p);
        number_pieces(pattern->layout, &p, c);
    }
    memory_release(memory, p.parent);
    memory_release(memory, p.places);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(list_clusters(memory, pattern, c));
    return order_pieces(memory, c);
}

pbs_status rigid_clusters_split(struct memory *memory, const struct bsr *pattern,
                                const struct rigid_clusters *whole, const uint8_t *coupled,
                                struct rigid_clusters *out) {
    *out = (struct rigid_clusters){0};
    struct rigid_clusters c = {0};
    const pbs_status status = split_clusters(memory, pattern, whole, coupled, &c);
    if (status != PBS_OK) {
        rigid_clusters_free(memory, &c);
        return status;
    }
    *out = c;
    return PBS_OK;
}

pbs_status rigid_clusters_build(struct memory *memory, const struct bsr *pattern, uint32_t size,
                                struct rigid_clusters *out) {
    *out = (struct rigid_clusters){0};
    struct rigid_clusters c = {0};
    const pbs_status status = fill_clusters(memory, pattern, size, &c);
    if (status != PBS_OK) {
        rigid_clusters_free(memory, &c);
        return status;
    }
    *out = c;
    return PBS_OK;
}

void rigid_clusters_free(struct memory *memory, struct rigid_clusters *c) {
    memory_release(memory, c->of_row);
    memory_release(memory, c->domain_start);
    memory_release(memory, c->member_start);
    memory_release(memory, c->member);
    memory_release(memory, c->entry_start);
    memory_release(memory, c->entry_row);
    memory_release(memory, c->entry_neighbor);
    memory_release(memory, c->neighbor_start);
    memory_release(memory, c->neighbor);
    memory_release(memory, c->order);
    block_columns_free(memory, &c->columns);
    memory_release(memory, c->slot_start);
    memory_release(memory, c->slot);
    *c = (struct rigid_clusters){0};
}
