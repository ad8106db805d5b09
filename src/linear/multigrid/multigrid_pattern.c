// The part of the multigrid that depends on the pattern only. Aggregates follow Vanek, Mandel and
// Brezina ("Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
// problems", Computing 56, 1996, section 5.1), on the unweighted graph: strengths of couplings
// would make the pattern of the coarse matrices depend on the values. Below the finest grid two
// aggregates are neighbours if they touch, not if their columns of the smoothed interpolation
// overlap, which would give too many neighbours.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "linear/multigrid/multigrid.h"

// A matrix with fewer unknowns is the coarsest one and is inverted densely.
#define DENSE_LIMIT 480
// Minimum nodes of a chunk, on all grids but the finest.
#define CHUNK_NODES 512
// If positions have fewer neighbours than this on average, as tetrahedra bonded at their faces do,
// aggregates of the finest grid include the neighbours of neighbours. They then have 17 nodes
// instead of 5, and the next grid has a third of the nodes.
#define FEW_NEIGHBORS 5
// A next grid is added only if it has at most this fraction of the nodes.
#define LEAST_COARSENING 0.7

/// Neighbours of each node; the node itself may be in its list.
struct adjacency {
    uint32_t *start;
    uint32_t *neighbor;
};

/// Scratch of the analysis.
struct scratch {
    uint32_t *mark;       ///< node or aggregate -> where it was last seen
    uint32_t *list_index; ///< aggregate -> index in a list
    uint32_t *list;       ///< aggregates
    uint32_t *cursor;     ///< aggregate -> progress in its column of P
    uint32_t *t_start;    ///< aggregate -> start of its column of P
    uint32_t *t_row;      ///< node, ascending
    uint32_t *t_block;
    uint32_t *row_start; ///< rows of A P
    uint32_t *row_column;
    size_t *offset;  ///< block of P -> its first pair
    uint64_t *found; ///< upper blocks of the chunks: J << 32 | sum, sorted by I
    uint32_t *found_start;
    uint32_t *found_row; ///< the same in the order found: I, J
    uint32_t *found_column;
    uint32_t *upper_start;
    uint32_t *upper_column;
};

static void free_adjacency(struct memory *memory, struct adjacency *graph) {
    memory_release(memory, graph->start);
    memory_release(memory, graph->neighbor);
    *graph = (struct adjacency){0};
}

static void sort_ascending(uint32_t *list, uint32_t count) {
    for (uint32_t gap = count / 2; gap > 0; gap = gap > 2 ? gap * 5 / 11 : gap / 2) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t value = list[i];
            uint32_t at = i;
            for (; at >= gap && list[at - gap] > value; at -= gap) {
                list[at] = list[at - gap];
            }
            list[at] = value;
        }
    }
}

static void sort_pairs_ascending(uint64_t *list, uint32_t count) {
    for (uint32_t gap = count / 2; gap > 0; gap = gap > 2 ? gap * 5 / 11 : gap / 2) {
        for (uint32_t i = gap; i < count; i++) {
            const uint64_t value = list[i];
            uint32_t at = i;
            for (; at >= gap && list[at - gap] > value; at -= gap) {
                list[at] = list[at - gap];
            }
            list[at] = value;
        }
    }
}

static void *take(struct memory *memory, size_t count, size_t size, bool *good) {
    void *block = memory_allocate(memory, count, size);
    *good = *good && block;
    return block;
}

#define ALLOCATE(pointer, count) ((pointer) = take(memory, (count), sizeof *(pointer), &good))

static void free_grid(struct memory *memory, struct grid *g) {
    void *const blocks[] = {g->chunk_start,
                            g->start,
                            g->column,
                            g->diagonal,
                            g->source,
                            g->values,
                            g->inverse,
                            g->aggregate,
                            g->member,
                            g->p_start,
                            g->aggregate_start,
                            g->member_start,
                            g->p_column,
                            g->p_slot,
                            g->tentative,
                            g->p,
                            g->outer_start,
                            g->outer_row,
                            g->outer_block,
                            g->ap_count,
                            g->ap_slot,
                            g->pair,
                            g->ap_start,
                            g->pair_start,
                            g->sum_start,
                            g->part_start,
                            g->part,
                            g->work,
                            g->b,
                            g->x,
                            g->t,
                            g->y,
                            g->center,
                            g->modes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        memory_release(memory, blocks[i]);
    }
}

// --- the matrix ---

/// Builds both triangles from the upper one, whose rows ascend from the diagonal.
static pbs_status build_matrix(struct memory *memory, struct grid *g, const uint32_t *upper_start,
                               const uint32_t *upper_column) {
    const uint32_t n = g->node_count;
    const size_t count = 2 * (size_t)upper_start[n] - n;
    const size_t area = (size_t)g->size * g->size;
    bool good = true;
    ALLOCATE(g->start, (size_t)n + 1);
    ALLOCATE(g->diagonal, n);
    ALLOCATE(g->column, count);
    ALLOCATE(g->source, count);
    ALLOCATE(g->values, area * count + GRID_PADDING);
    ALLOCATE(g->inverse, area * n + GRID_PADDING);
    ALLOCATE(g->b, (size_t)g->size * n + GRID_PADDING);
    ALLOCATE(g->x, (size_t)g->size * n + GRID_PADDING);
    ALLOCATE(g->t, (size_t)g->size * n + GRID_PADDING);
    ALLOCATE(g->y, (size_t)g->size * n + GRID_PADDING);
    ALLOCATE(g->center, 3 * (size_t)n);
    if (g->size == MODES) {
        ALLOCATE(g->modes, (size_t)MODES * MODES * n);
    }
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        g->start[i + 1] += upper_start[i + 1] - upper_start[i];
        for (uint32_t k = upper_start[i] + 1; k < upper_start[i + 1]; k++) {
            g->start[upper_column[k] + 1]++;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        g->start[i + 1] += g->start[i];
        g->diagonal[i] = g->start[i];
    }
    // When row i is reached its lower part is complete, and diagonal[i] is the end of that part.
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = g->diagonal[i];
        for (uint32_t k = upper_start[i]; k < upper_start[i + 1]; k++, at++) {
            const uint32_t j = upper_column[k];
            g->column[at] = j;
            g->source[at] = 2 * k;
            if (j != i) {
                g->column[g->diagonal[j]] = i;
                g->source[g->diagonal[j]++] = 2 * k + 1;
            }
        }
    }
    return PBS_OK;
}

// --- aggregates ---

/// Returns whether a node may start an aggregate: it has neighbours, and none of them in its chunk
/// belongs to an aggregate.
static bool may_begin(const struct grid *g, const struct adjacency *graph, uint32_t node,
                      uint32_t first, uint32_t end) {
    bool coupled = false;
    for (uint32_t k = graph->start[node]; k < graph->start[node + 1]; k++) {
        const uint32_t j = graph->neighbor[k];
        coupled = coupled || j != node;
        if (j >= first && j < end && g->aggregate[j] != NO_AGGREGATE) {
            return false;
        }
    }
    return coupled;
}

/// Returns the aggregate with the most neighbours of a node; ties go to the first.
static uint32_t closest_aggregate(const struct grid *g, const struct adjacency *graph,
                                  uint32_t node, uint32_t first, uint32_t end, uint32_t *touches) {
    uint32_t best = NO_AGGREGATE;
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t k = graph->start[node]; k < graph->start[node + 1]; k++) {
            const uint32_t j = graph->neighbor[k];
            const uint32_t a = j >= first && j < end ? g->aggregate[j] : NO_AGGREGATE;
            if (a == NO_AGGREGATE) {
                continue;
            }
            if (pass != 1) {
                touches[a] = pass == 0 ? touches[a] + 1 : 0;
            } else if (best == NO_AGGREGATE || touches[a] > touches[best] ||
                       (touches[a] == touches[best] && a < best)) {
                best = a;
            }
        }
    }
    return best;
}

/// Forms the aggregates of a chunk. joined: node_count, scratch; touches: node_count, zero.
static void aggregate_chunk(struct grid *g, const struct adjacency *graph, uint32_t chunk,
                            uint32_t *joined, uint32_t *touches) {
    const uint32_t first = g->chunk_start[chunk];
    const uint32_t end = g->chunk_start[chunk + 1];
    for (uint32_t i = first; i < end; i++) {
        if (g->aggregate[i] != NO_AGGREGATE || !may_begin(g, graph, i, first, end)) {
            continue;
        }
        const uint32_t id = g->coarse_count++;
        g->aggregate[i] = id;
        for (uint32_t k = graph->start[i]; k < graph->start[i + 1]; k++) {
            const uint32_t j = graph->neighbor[k];
            if (j >= first && j < end) {
                g->aggregate[j] = id;
            }
        }
    }
    // Nodes that are left join a neighbouring aggregate. These new members do not count as
    // neighbours in this pass.
    for (uint32_t i = first; i < end; i++) {
        joined[i] = g->aggregate[i] == NO_AGGREGATE
                        ? closest_aggregate(g, graph, i, first, end, touches)
                        : g->aggregate[i];
    }
    memcpy(g->aggregate + first, joined + first, (end - first) * sizeof *joined);
    g->aggregate_start[chunk + 1] = g->coarse_count;
}

static void list_members(struct grid *g) {
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (g->aggregate[i] != NO_AGGREGATE) {
            g->member_start[g->aggregate[i] + 1]++;
        }
    }
    for (uint32_t a = 0; a < g->coarse_count; a++) {
        g->member_start[a + 1] += g->member_start[a];
    }
    for (uint32_t i = g->node_count; i-- > 0;) {
        if (g->aggregate[i] != NO_AGGREGATE) {
            // Filled from the end: each start moves to the end of the one before, and is shifted
            // back below.
            g->member[--g->member_start[g->aggregate[i] + 1]] = i;
        }
    }
    for (uint32_t a = 0; a < g->coarse_count; a++) {
        g->member_start[a] = g->member_start[a + 1];
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        total += g->aggregate[i] != NO_AGGREGATE;
    }
    g->member_start[g->coarse_count] = total;
}

/// Requires s->mark, s->list_index and s->list with one entry per node.
static pbs_status build_aggregates(struct memory *memory, struct grid *g,
                                   const struct adjacency *graph, struct scratch *s) {
    const uint32_t n = g->node_count;
    bool good = true;
    ALLOCATE(g->aggregate, n);
    ALLOCATE(g->aggregate_start, (size_t)g->chunk_count + 1);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    memset(g->aggregate, 0xff, n * sizeof *g->aggregate);
    memset(s->list_index, 0, n * sizeof *s->list_index);
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        aggregate_chunk(g, graph, c, s->list, s->list_index);
    }
    ALLOCATE(g->member_start, (size_t)g->coarse_count + 1);
    ALLOCATE(g->member, n);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    list_members(g);
    return PBS_OK;
}

/// Builds the graph of the aggregates.
static pbs_status quotient(struct memory *memory, const struct grid *g,
                           const struct adjacency *graph, struct scratch *s,
                           struct adjacency *out) {
    bool good = true;
    ALLOCATE(out->start, (size_t)g->coarse_count + 1);
    ALLOCATE(out->neighbor, graph->start[g->node_count]);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    memset(s->mark, 0xff, g->node_count * sizeof *s->mark);
    uint32_t count = 0;
    for (uint32_t a = 0; a < g->coarse_count; a++) {
        out->start[a] = count;
        for (uint32_t m = g->member_start[a]; m < g->member_start[a + 1]; m++) {
            const uint32_t i = g->member[m];
            for (uint32_t k = graph->start[i]; k < graph->start[i + 1]; k++) {
                const uint32_t other = g->aggregate[graph->neighbor[k]];
                if (other != NO_AGGREGATE && s->mark[other] != a) {
                    s->mark[other] = a;
                    out->neighbor[count++] = other;
                }
            }
        }
        sort_ascending(out->neighbor + out->start[a], count - out->start[a]);
    }
    out->start[g->coarse_count] = count;
    return PBS_OK;
}

// --- aggregates of the finest grid ---

/// Groups the nodes of the finest grid into units: a position with the rows that belong to it.
/// Returns them as the aggregates of a grid.
static pbs_status build_units(struct memory *memory, const struct grid *g,
                              const struct layout *layout, struct grid *units) {
    const uint32_t n = g->node_count;
    bool good = true;
    *units = (struct grid){.node_count = n, .chunk_count = g->chunk_count};
    ALLOCATE(units->aggregate, n);
    ALLOCATE(units->aggregate_start, (size_t)g->chunk_count + 1);
    ALLOCATE(units->member_start, (size_t)n + 1);
    ALLOCATE(units->member, n);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t i = g->chunk_start[c]; i < g->chunk_start[c + 1]; i++) {
            if (layout_is_position(layout, i)) {
                units->member_start[units->coarse_count++] = i;
            }
            units->aggregate[i] = units->coarse_count - 1;
            units->member[i] = i;
        }
        units->aggregate_start[c + 1] = units->coarse_count;
    }
    units->member_start[units->coarse_count] = n;
    return PBS_OK;
}

/// Adds the neighbours of neighbours to the graph.
static pbs_status square(struct memory *memory, uint32_t count, struct scratch *s,
                         struct adjacency *graph) {
    struct adjacency out = {0};
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = graph->start[i]; k < graph->start[i + 1]; k++) {
            most += graph->start[graph->neighbor[k] + 1] - graph->start[graph->neighbor[k]];
        }
    }
    bool good = true;
    ALLOCATE(out.start, (size_t)count + 1);
    ALLOCATE(out.neighbor, most);
    if (!good) {
        free_adjacency(memory, &out);
        return PBS_ERROR_MEMORY;
    }
    memset(s->mark, 0xff, count * sizeof *s->mark);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = graph->start[i]; k < graph->start[i + 1]; k++) {
            const uint32_t j = graph->neighbor[k];
            for (uint32_t q = graph->start[j]; q < graph->start[j + 1]; q++) {
                if (s->mark[graph->neighbor[q]] != i) {
                    s->mark[graph->neighbor[q]] = i;
                    out.neighbor[found++] = graph->neighbor[q];
                }
            }
        }
        sort_ascending(out.neighbor + out.start[i], found - out.start[i]);
        out.start[i + 1] = found;
    }
    free_adjacency(memory, graph);
    *graph = out;
    return PBS_OK;
}

/// Turns aggregates of units into aggregates of nodes.
static pbs_status expand_aggregates(struct memory *memory, const struct grid *units,
                                    const struct grid *coarse, struct grid *g) {
    bool good = true;
    ALLOCATE(g->aggregate, g->node_count);
    ALLOCATE(g->aggregate_start, (size_t)g->chunk_count + 1);
    ALLOCATE(g->member_start, (size_t)coarse->coarse_count + 1);
    ALLOCATE(g->member, g->node_count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    g->coarse_count = coarse->coarse_count;
    memcpy(g->aggregate_start, coarse->aggregate_start,
           ((size_t)g->chunk_count + 1) * sizeof *g->aggregate_start);
    for (uint32_t i = 0; i < g->node_count; i++) {
        g->aggregate[i] = coarse->aggregate[units->aggregate[i]];
    }
    list_members(g);
    return PBS_OK;
}

/// Forms aggregates of units, so that a position and the rows that belong to it are never
/// separated.
static pbs_status aggregate_units(struct memory *memory, struct grid *g,
                                  const struct layout *layout, const struct adjacency *graph,
                                  struct scratch *s) {
    struct grid units = {0};
    struct grid coarse = {0};
    struct adjacency touching = {0};
    pbs_status status = build_units(memory, g, layout, &units);
    if (status == PBS_OK) {
        status = quotient(memory, &units, graph, s, &touching);
    }
    const uint32_t count = units.coarse_count;
    // Every unit with neighbours is also in its own list, hence the + 1.
    if (status == PBS_OK && touching.start[count] < (FEW_NEIGHBORS + 1) * (size_t)count) {
        status = square(memory, count, s, &touching);
    }
    if (status == PBS_OK) {
        coarse = (struct grid){.node_count = count,
                               .chunk_count = g->chunk_count,
                               .chunk_start = units.aggregate_start};
        status = build_aggregates(memory, &coarse, &touching, s);
    }
    if (status == PBS_OK) {
        status = expand_aggregates(memory, &units, &coarse, g);
    }
    coarse.chunk_start = NULL;
    free_grid(memory, &coarse);
    free_grid(memory, &units);
    free_adjacency(memory, &touching);
    return status;
}

// --- interpolation ---

/// Lists the aggregates in row i of the smoothed interpolation in s->list. Returns their number.
static uint32_t list_row(const struct grid *g, struct scratch *s, uint32_t i) {
    uint32_t count = 0;
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        const uint32_t a = g->aggregate[g->column[k]];
        if (a != NO_AGGREGATE && s->mark[a] != i) {
            s->mark[a] = i;
            s->list[count++] = a;
        }
    }
    return count;
}

static void fill_interpolation(struct grid *g, struct scratch *s) {
    memset(s->mark, 0xff, g->node_count * sizeof *s->mark);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const uint32_t count = list_row(g, s, i);
        const uint32_t first = g->p_start[i];
        sort_ascending(s->list, count);
        for (uint32_t k = 0; k < count; k++) {
            g->p_column[first + k] = s->list[k];
            s->list_index[s->list[k]] = k;
            s->t_start[s->list[k] + 1]++;
        }
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
            const uint32_t a = g->aggregate[g->column[k]];
            g->p_slot[k] = a == NO_AGGREGATE ? UINT32_MAX : s->list_index[a];
        }
    }
    for (uint32_t a = 0; a < g->coarse_count; a++) {
        s->t_start[a + 1] += s->t_start[a];
        s->cursor[a] = s->t_start[a];
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        for (uint32_t k = g->p_start[i]; k < g->p_start[i + 1]; k++) {
            const uint32_t at = s->cursor[g->p_column[k]]++;
            s->t_row[at] = i;
            s->t_block[at] = k;
        }
    }
}

/// Lists the blocks of P in rows of another chunk than their aggregate's.
static pbs_status list_outer(struct memory *memory, struct grid *g, const struct scratch *s) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t k = g->p_start[g->chunk_start[c]]; k < g->p_start[g->chunk_start[c + 1]];
             k++) {
            count += g->p_column[k] < g->aggregate_start[c] ||
                     g->p_column[k] >= g->aggregate_start[c + 1];
        }
    }
    bool good = true;
    ALLOCATE(g->outer_start, (size_t)g->coarse_count + 1);
    ALLOCATE(g->outer_row, count);
    ALLOCATE(g->outer_block, count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    uint32_t at = 0;
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t a = g->aggregate_start[c]; a < g->aggregate_start[c + 1]; a++) {
            for (uint32_t k = s->t_start[a]; k < s->t_start[a + 1]; k++) {
                if (s->t_row[k] < g->chunk_start[c] || s->t_row[k] >= g->chunk_start[c + 1]) {
                    g->outer_row[at] = s->t_row[k];
                    g->outer_block[at++] = s->t_block[k];
                }
            }
            g->outer_start[a + 1] = at;
        }
    }
    return PBS_OK;
}

static pbs_status build_interpolation(struct memory *memory, struct grid *g, struct scratch *s) {
    const uint32_t n = g->node_count;
    bool good = true;
    ALLOCATE(g->p_start, (size_t)n + 1);
    ALLOCATE(g->p_slot, g->start[n]);
    ALLOCATE(g->tentative, (size_t)g->size * MODES * n + GRID_PADDING);
    ALLOCATE(s->t_start, (size_t)g->coarse_count + 1);
    ALLOCATE(s->cursor, g->coarse_count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    memset(s->mark, 0xff, n * sizeof *s->mark);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t count = list_row(g, s, i);
        g->p_start[i + 1] = g->p_start[i] + count;
        g->p_width = count > g->p_width ? count : g->p_width;
    }
    const size_t count = g->p_start[n];
    ALLOCATE(g->p_column, count);
    ALLOCATE(g->p, (size_t)g->size * MODES * count + GRID_PADDING);
    ALLOCATE(s->t_row, count);
    ALLOCATE(s->t_block, count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    fill_interpolation(g, s);
    return list_outer(memory, g, s);
}

// --- the Galerkin product ---

/// Lists the aggregates in row i of A P in s->list. Adds the number of entries of ap_slot to
/// *slots.
static uint32_t list_product_row(const struct grid *g, struct scratch *s, uint32_t i,
                                 size_t *slots) {
    uint32_t count = 0;
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        const uint32_t j = g->column[k];
        *slots += g->p_start[j + 1] - g->p_start[j];
        for (uint32_t q = g->p_start[j]; q < g->p_start[j + 1]; q++) {
            if (s->mark[g->p_column[q]] != i) {
                s->mark[g->p_column[q]] = i;
                s->list[count++] = g->p_column[q];
            }
        }
    }
    return count;
}

static pbs_status build_product_rows(struct memory *memory, struct grid *g, struct scratch *s) {
    const uint32_t n = g->node_count;
    bool good = true;
    ALLOCATE(g->ap_count, n);
    ALLOCATE(g->ap_start, (size_t)g->chunk_count + 1);
    ALLOCATE(s->row_start, (size_t)n + 1);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    memset(s->mark, 0xff, n * sizeof *s->mark);
    size_t slots = 0;
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t i = g->chunk_start[c]; i < g->chunk_start[c + 1]; i++) {
            g->ap_count[i] = list_product_row(g, s, i, &slots);
            g->ap_width = g->ap_count[i] > g->ap_width ? g->ap_count[i] : g->ap_width;
            s->row_start[i + 1] = s->row_start[i] + g->ap_count[i];
        }
        g->ap_start[c + 1] = slots;
    }
    ALLOCATE(g->ap_slot, slots);
    ALLOCATE(s->row_column, s->row_start[n]);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    memset(s->mark, 0xff, n * sizeof *s->mark);
    slots = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t ignored = 0;
        const uint32_t count = list_product_row(g, s, i, &ignored);
        sort_ascending(s->list, count);
        for (uint32_t k = 0; k < count; k++) {
            s->row_column[s->row_start[i] + k] = s->list[k];
            s->list_index[s->list[k]] = k;
        }
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
            const uint32_t j = g->column[k];
            for (uint32_t q = g->p_start[j]; q < g->p_start[j + 1]; q++) {
                g->ap_slot[slots++] = s->list_index[g->p_column[q]];
            }
        }
    }
    return PBS_OK;
}

/// Returns the index of an aggregate in a row of A P.
static uint32_t find_slot(const struct scratch *s, uint32_t row, uint32_t aggregate) {
    uint32_t low = s->row_start[row];
    uint32_t high = s->row_start[row + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->row_column[middle] <= aggregate) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Counts the pairs of each block of P: the blocks in its row of A P from its own column on.
static pbs_status build_offsets(struct memory *memory, struct grid *g, struct scratch *s) {
    bool good = true;
    ALLOCATE(s->offset, (size_t)g->p_start[g->node_count] + 1);
    ALLOCATE(g->pair_start, (size_t)g->chunk_count + 1);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    size_t total = 0;
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t i = g->chunk_start[c]; i < g->chunk_start[c + 1]; i++) {
            for (uint32_t q = g->p_start[i]; q < g->p_start[i + 1]; q++) {
                s->offset[q] = total;
                total += s->row_start[i + 1] - find_slot(s, i, g->p_column[q]);
            }
        }
        g->pair_start[c + 1] = total;
    }
    ALLOCATE(g->pair, total);
    ALLOCATE(g->sum_start, (size_t)g->chunk_count + 1);
    return good ? PBS_OK : PBS_ERROR_MEMORY;
}

/// Assigns sums to the blocks (aggregate, J) of rows before `end`, starting at *next. found_row
/// null: only counts.
static void assign_sums(struct grid *g, struct scratch *s, uint32_t aggregate, uint32_t end,
                        uint32_t *next) {
    const uint32_t first = s->cursor[aggregate];
    uint32_t last = first;
    uint32_t count = 0;
    for (; last < s->t_start[aggregate + 1] && s->t_row[last] < end; last++) {
        const uint32_t i = s->t_row[last];
        for (uint32_t k = find_slot(s, i, aggregate); k < s->row_start[i + 1]; k++) {
            if (s->mark[s->row_column[k]] != *next) {
                s->mark[s->row_column[k]] = *next;
                s->list[count++] = s->row_column[k];
            }
        }
    }
    sort_ascending(s->list, count);
    for (uint32_t k = 0; k < count && s->found_row; k++) {
        s->list_index[s->list[k]] = *next + k;
        s->found_row[*next + k] = aggregate;
        s->found_column[*next + k] = s->list[k];
    }
    for (uint32_t at = first; at < last && s->found_row; at++) {
        const uint32_t i = s->t_row[at];
        uint32_t *pair = g->pair + s->offset[s->t_block[at]];
        for (uint32_t k = find_slot(s, i, aggregate); k < s->row_start[i + 1]; k++) {
            *pair++ = s->list_index[s->row_column[k]];
        }
    }
    s->cursor[aggregate] = last;
    *next += count;
}

/// Visits all chunks and aggregates once. Returns the number of sums.
static uint32_t walk_sums(struct grid *g, struct scratch *s) {
    uint32_t next = 0;
    memset(s->mark, 0xff, g->node_count * sizeof *s->mark);
    memcpy(s->cursor, s->t_start, g->coarse_count * sizeof *s->cursor);
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        for (uint32_t a = 0; a < g->coarse_count; a++) {
            assign_sums(g, s, a, g->chunk_start[c + 1], &next);
        }
        g->sum_start[c + 1] = next;
    }
    return next;
}

/// Groups the sums by the block that they belong to.
static pbs_status join_sums(struct memory *memory, struct grid *g, struct scratch *s,
                            uint32_t count) {
    bool good = true;
    ALLOCATE(s->found, count);
    ALLOCATE(s->found_start, (size_t)g->coarse_count + 1);
    ALLOCATE(s->upper_start, (size_t)g->coarse_count + 1);
    ALLOCATE(s->upper_column, count);
    ALLOCATE(g->part, count);
    ALLOCATE(g->part_start, (size_t)count + 1);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        s->found_start[s->found_row[k] + 1]++;
    }
    for (uint32_t a = 0; a < g->coarse_count; a++) {
        s->found_start[a + 1] += s->found_start[a];
        s->cursor[a] = s->found_start[a];
    }
    for (uint32_t k = 0; k < count; k++) {
        s->found[s->cursor[s->found_row[k]]++] = (uint64_t)s->found_column[k] << 32 | k;
    }
    uint32_t upper = 0;
    for (uint32_t a = 0; a < g->coarse_count; a++) {
        const uint32_t first = s->found_start[a];
        const uint32_t end = s->found_start[a + 1];
        sort_pairs_ascending(s->found + first, end - first);
        for (uint32_t k = first; k < end; k++) {
            const uint32_t column = (uint32_t)(s->found[k] >> 32);
            if (k == first || column != s->upper_column[upper - 1]) {
                g->part_start[upper] = k;
                s->upper_column[upper++] = column;
            }
            g->part[k] = (uint32_t)s->found[k];
        }
        s->upper_start[a + 1] = upper;
    }
    g->part_start[upper] = count;
    g->upper = upper;
    return PBS_OK;
}

static pbs_status build_product(struct memory *memory, struct grid *g, struct scratch *s) {
    RETURN_IF_FAILED(build_product_rows(memory, g, s));
    RETURN_IF_FAILED(build_offsets(memory, g, s));
    const uint32_t count = walk_sums(g, s);
    bool good = true;
    ALLOCATE(s->found_row, (size_t)count + 1);
    ALLOCATE(s->found_column, (size_t)count + 1);
    const size_t width = g->p_width > g->ap_width ? g->p_width : g->ap_width;
    ALLOCATE(g->work, 8 * g->size * width * g->chunk_count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    walk_sums(g, s);
    return join_sums(memory, g, s, count);
}

// --- grids ---

/// Joins consecutive chunks of the finer grid until they have enough nodes.
static pbs_status join_chunks(struct memory *memory, const struct grid *fine, struct grid *g) {
    bool good = true;
    ALLOCATE(g->chunk_start, (size_t)fine->chunk_count + 1);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t c = 0; c < fine->chunk_count; c++) {
        const uint32_t end = fine->aggregate_start[c + 1];
        const uint32_t rest = g->node_count - end;
        if (c + 1 == fine->chunk_count ||
            (end - g->chunk_start[g->chunk_count] >= CHUNK_NODES && rest >= CHUNK_NODES)) {
            g->chunk_start[++g->chunk_count] = end;
        }
    }
    return PBS_OK;
}

static pbs_status build_next(struct memory *memory, struct grid *g, struct grid *next,
                             struct scratch *s) {
    RETURN_IF_FAILED(build_interpolation(memory, g, s));
    RETURN_IF_FAILED(build_product(memory, g, s));
    next->node_count = g->coarse_count;
    next->size = MODES;
    RETURN_IF_FAILED(join_chunks(memory, g, next));
    return build_matrix(memory, next, s->upper_start, s->upper_column);
}

static void free_scratch(struct memory *memory, struct scratch *s) {
    memory_release(memory, s->mark);
    memory_release(memory, s->list_index);
    memory_release(memory, s->list);
    memory_release(memory, s->cursor);
    memory_release(memory, s->t_start);
    memory_release(memory, s->t_row);
    memory_release(memory, s->t_block);
    memory_release(memory, s->row_start);
    memory_release(memory, s->row_column);
    memory_release(memory, s->offset);
    memory_release(memory, s->found);
    memory_release(memory, s->found_start);
    memory_release(memory, s->found_row);
    memory_release(memory, s->found_column);
    memory_release(memory, s->upper_start);
    memory_release(memory, s->upper_column);
    *s = (struct scratch){0};
}

/// Adds the next grid and replaces the graph by that grid's graph. *added: whether there was one to
/// add.
static pbs_status add_grid(struct multigrid *m, struct memory *memory, struct adjacency *graph,
                           bool own_graph, struct scratch *s, bool *added) {
    struct grid *g = m->grid + m->grid_count - 1;
    const bool is_finest = m->grid_count == 1;
    bool good = true;
    ALLOCATE(s->mark, g->node_count);
    ALLOCATE(s->list_index, g->node_count);
    ALLOCATE(s->list, g->node_count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(is_finest ? aggregate_units(memory, g, m->layout, graph, s)
                               : build_aggregates(memory, g, graph, s));
    *added = g->coarse_count > 0 && g->coarse_count <= LEAST_COARSENING * g->node_count;
    if (!*added) {
        return PBS_OK;
    }
    struct adjacency next = {0};
    pbs_status status = quotient(memory, g, graph, s, &next);
    if (own_graph) {
        free_adjacency(memory, graph);
    }
    *graph = next;
    if (status == PBS_OK) {
        status = build_next(memory, g, g + 1, s);
    }
    m->grid_count++;
    return status;
}

static pbs_status add_grids(struct multigrid *m, struct memory *memory, struct adjacency *graph) {
    bool added = true;
    while (added && m->grid_count < GRID_LIMIT &&
           (m->grid_count == 1 || MODES * m->grid[m->grid_count - 1].node_count > DENSE_LIMIT)) {
        struct scratch s = {0};
        const pbs_status status = add_grid(m, memory, graph, m->grid_count > 1, &s, &added);
        free_scratch(memory, &s);
        RETURN_IF_FAILED(status);
    }
    return PBS_OK;
}

/// The blocks of an upper triangle that couple, and their indices in it.
struct coupled_rows {
    uint32_t *start, *column, *block;
};

static pbs_status list_coupled(struct memory *memory, const struct bsr *pattern,
                               const uint8_t *coupled, struct coupled_rows *out) {
    bool good = true;
    ALLOCATE(out->start, (size_t)pattern->row_count + 1);
    ALLOCATE(out->column, pattern->block_count);
    ALLOCATE(out->block, pattern->block_count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < pattern->row_count; i++) {
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            if (coupled == NULL || coupled[k] != 0) {
                out->column[count] = pattern->column[k];
                out->block[count++] = k;
            }
        }
        out->start[i + 1] = count;
    }
    return PBS_OK;
}

static pbs_status build_finest_matrix(struct memory *memory, struct grid *g,
                                      const struct bsr *pattern, const uint8_t *coupled) {
    struct coupled_rows rows = {0};
    pbs_status status = list_coupled(memory, pattern, coupled, &rows);
    if (status == PBS_OK) {
        status = build_matrix(memory, g, rows.start, rows.column);
    }
    for (uint32_t k = 0; status == PBS_OK && k < g->start[g->node_count]; k++) {
        g->source[k] = 2 * rows.block[g->source[k] / 2] + g->source[k] % 2;
    }
    memory_release(memory, rows.start);
    memory_release(memory, rows.column);
    memory_release(memory, rows.block);
    return status;
}

static pbs_status build_finest(struct multigrid *m, struct memory *memory,
                               const struct bsr *pattern, const uint8_t *coupled) {
    struct grid *g = m->grid;
    m->grid_count = 1;
    g->node_count = pattern->row_count;
    g->size = 3;
    g->chunk_count = m->layout->domain_count;
    bool good = true;
    ALLOCATE(g->chunk_start, (size_t)g->chunk_count + 1);
    ALLOCATE(m->restriction, pattern->row_count);
    ALLOCATE(m->bad_row, m->layout->domain_count);
    if (!good) {
        return PBS_ERROR_MEMORY;
    }
    memcpy(g->chunk_start, m->layout->domain_start,
           ((size_t)g->chunk_count + 1) * sizeof *g->chunk_start);
    return build_finest_matrix(memory, g, pattern, coupled);
}

static pbs_status reserve_values(struct multigrid *m, struct memory *memory) {
    size_t sums = 0;
    for (uint32_t l = 0; l + 1 < m->grid_count; l++) {
        const struct grid *g = m->grid + l;
        sums = g->sum_start[g->chunk_count] > sums ? g->sum_start[g->chunk_count] : sums;
    }
    bool good = true;
    ALLOCATE(m->sums, 48 * sums);
    const struct grid *last = m->grid + m->grid_count - 1;
    if (m->grid_count > 1 && MODES * last->node_count <= DENSE_LIMIT) {
        m->dense_size = MODES * last->node_count;
        ALLOCATE(m->dense, (size_t)m->dense_size * m->dense_size);
    }
    return good ? PBS_OK : PBS_ERROR_MEMORY;
}

/// Builds everything but the smoother, for m's pattern.
static pbs_status build_all(struct multigrid *m, const uint8_t *coupled) {
    struct memory *memory = m->memory;
    RETURN_IF_FAILED(build_finest(m, memory, m->pattern, coupled));
    struct adjacency graph = {m->grid[0].start, m->grid[0].column};
    const pbs_status status = add_grids(m, memory, &graph);
    if (graph.start != m->grid[0].start) {
        free_adjacency(memory, &graph);
    }
    RETURN_IF_FAILED(status);
    return reserve_values(m, memory);
}

static void release_grids(struct multigrid *m) {
    for (uint32_t l = 0; l < GRID_LIMIT; l++) {
        free_grid(m->memory, m->grid + l);
    }
    memory_release(m->memory, m->sums);
    memory_release(m->memory, m->dense);
    memory_release(m->memory, m->restriction);
    memory_release(m->memory, m->bad_row);
}

pbs_status multigrid_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                             enum preconditioner_order order) {
    struct multigrid *m = state;
    m->memory = memory;
    m->pattern = pattern;
    m->layout = pattern->layout;
    RETURN_IF_FAILED(ichol_analyze(&m->smoother, memory, pattern, order));
    RETURN_IF_FAILED(ichol_reserve_compensation(&m->smoother, memory));
    return build_all(m, NULL);
}

pbs_status multigrid_couple(struct multigrid *m, const struct linear_problem *problem) {
    if (problem->coupling == m->coupling) {
        return PBS_OK;
    }
    struct multigrid fresh = {.memory = m->memory,
                              .pattern = m->pattern,
                              .layout = m->layout,
                              .coupling = problem->coupling};
    const pbs_status status = build_all(&fresh, problem->coupled);
    if (status != PBS_OK) {
        release_grids(&fresh);
        return status;
    }
    release_grids(m);
    fresh.smoother = m->smoother;
    *m = fresh;
    return PBS_OK;
}

void multigrid_release(void *state, struct memory *memory) {
    struct multigrid *m = state;
    m->memory = memory;
    ichol_release(&m->smoother, memory);
    release_grids(m);
}
