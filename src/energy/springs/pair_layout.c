// Builds each slice by merging the sorted partner lists of its four nodes: lanes whose partners
// have the same distance in layout index form a run, if there are at least RUN_MIN_LANES. Among two
// node orders and several divisions into slabs, the one with the lowest estimated time is chosen.
// SPDX-License-Identifier: MIT
#include "energy/springs/pair_layout.h"

#include <string.h>

#include "base/config.h"

enum {
    RUN_MIN_LANES = 2,     ///< minimum of occupied lanes of a run; with fewer a run is slower than
                           ///< scattered lanes
    SLAB_MIN_SLICES = 128, ///< minimum of slices of a slab: 512 nodes
    RUN_STRIDE = 7,        ///< see spread_runs
    SCATTERED_COST = 4,    ///< measured cost of a group that is not a run, relative to a run
    MAX_THREADS = 4        ///< largest number of threads for which slabs are balanced
};
#define NONE UINT32_MAX // an invalid index; too large for an enumerator

/// The pairs of each lower node, sorted by partner, in compressed row form.
struct sorted_pairs {
    uint32_t *start;   ///< node count + 1
    uint32_t *partner; ///< pair_count: the higher node of each pair
    uint32_t *pair;    ///< pair_count: the index of each pair
};

// --- sorting ---

static void free_sorted(struct sorted_pairs *s, struct memory *memory) {
    memory_release(memory, s->start);
    memory_release(memory, s->partner);
    memory_release(memory, s->pair);
}

/// Sets local[node] to 1 for each node of a pair, 0 for the others. *most: the highest node.
static pbs_status mark_nodes(struct memory *memory, const uint32_t *pairs, size_t count,
                             uint32_t *most, uint32_t **local) {
    *most = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        *most = pairs[i] > *most ? pairs[i] : *most;
    }
    *local = memory_allocate(memory, (size_t)*most + 1, sizeof **local);
    if (*local == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 2 * count; i++) {
        (*local)[pairs[i]] = 1;
    }
    return PBS_OK;
}

/// Assigns layout indices to the nodes of pairs, in the given order or by ascending node. local:
/// node -> layout index.
static pbs_status number_nodes(struct memory *memory, const uint32_t *pairs, size_t count,
                               const struct pair_order *order, struct pair_layout *out,
                               uint32_t **local) {
    uint32_t most = 0;
    RETURN_IF_FAILED(mark_nodes(memory, pairs, count, &most, local));
    for (size_t i = 0; i <= most; i++) {
        out->node_count += (*local)[i];
    }
    out->node = memory_allocate(memory, out->node_count, sizeof *out->node);
    if (out->node == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t listed = order != NULL ? order->count : (size_t)most + 1;
    uint32_t next = 0;
    for (size_t i = 0; i < listed; i++) {
        const uint32_t node = order != NULL ? order->nodes[i] : (uint32_t)i;
        if (node <= most && (*local)[node] != 0) {
            out->node[next] = node;
            (*local)[node] = next++;
        }
    }
    return PBS_OK;
}

static uint32_t low_of(const uint32_t *local, const uint32_t *pair) {
    const uint32_t a = local[pair[0]];
    const uint32_t b = local[pair[1]];
    return a < b ? a : b;
}

static uint32_t high_of(const uint32_t *local, const uint32_t *pair) {
    const uint32_t a = local[pair[0]];
    const uint32_t b = local[pair[1]];
    return a < b ? b : a;
}

/// Turns counts, stored at i + 1, into the starts of ranges.
static void accumulate(uint32_t *start, size_t count) {
    for (size_t i = 0; i < count; i++) {
        start[i + 1] += start[i];
    }
}

/// Restores the starts of ranges after each start has been advanced to the end of its range.
static void restore_starts(uint32_t *start, size_t count) {
    memmove(start + 1, start, count * sizeof *start);
    start[0] = 0;
}

/// Sorts pairs by two stable counting sorts: first by the higher, then by the lower node.
static pbs_status sort_pairs(struct memory *memory, const uint32_t *local, const uint32_t *pairs,
                             size_t count, size_t node_count, struct sorted_pairs *out) {
    uint32_t *by_high = memory_allocate(memory, count, sizeof *by_high);
    uint32_t *high_start = memory_allocate(memory, node_count + 1, sizeof *high_start);
    out->start = memory_allocate(memory, node_count + 1, sizeof *out->start);
    out->partner = memory_allocate(memory, count, sizeof *out->partner);
    out->pair = memory_allocate(memory, count, sizeof *out->pair);
    const bool has_memory = by_high != NULL && high_start != NULL && out->start != NULL &&
                            out->partner != NULL && out->pair != NULL;
    if (has_memory) {
        for (size_t p = 0; p < count; p++) {
            high_start[high_of(local, pairs + 2 * p) + 1]++;
            out->start[low_of(local, pairs + 2 * p) + 1]++;
        }
        accumulate(high_start, node_count);
        accumulate(out->start, node_count);
        for (size_t p = 0; p < count; p++) {
            by_high[high_start[high_of(local, pairs + 2 * p)]++] = (uint32_t)p;
        }
        for (size_t k = 0; k < count; k++) {
            const uint32_t p = by_high[k];
            const size_t next = out->start[low_of(local, pairs + 2 * (size_t)p)]++;
            out->partner[next] = high_of(local, pairs + 2 * (size_t)p);
            out->pair[next] = p;
        }
        restore_starts(out->start, node_count);
    }
    memory_release(memory, by_high);
    memory_release(memory, high_start);
    return has_memory ? PBS_OK : PBS_ERROR_MEMORY;
}

// --- slices ---

/// State of the merge of a slice's four partner lists.
struct merge {
    const struct sorted_pairs *sorted;
    uint32_t first;                             ///< node of lane 0
    uint32_t next[PAIR_LANES], end[PAIR_LANES]; ///< remaining range of each lane's list
    uint32_t distance[PAIR_LANES]; ///< from the lane's node to its next partner; NONE at the end of
                                   ///< the list
};

static void update_distance(struct merge *m, uint32_t l) {
    m->distance[l] = m->next[l] < m->end[l] ? m->sorted->partner[m->next[l]] - m->first - l : NONE;
}

static void begin_slice(const struct sorted_pairs *sorted, uint32_t slice, uint32_t node_count,
                        struct merge *m) {
    *m = (struct merge){.sorted = sorted, .first = slice * PAIR_LANES};
    for (uint32_t l = 0; l < PAIR_LANES; l++) {
        if (m->first + l < node_count) {
            m->next[l] = sorted->start[m->first + l];
            m->end[l] = sorted->start[m->first + l + 1];
        }
        update_distance(m, l);
    }
}

/// Returns the least distance of all lanes, and the number of lanes that have it. Duplicate pairs
/// are returned one at a time.
static uint32_t next_distance(const struct merge *m, uint32_t *lanes) {
    uint32_t least = NONE;
    *lanes = 0;
    for (int l = 0; l < PAIR_LANES; l++) {
        least = m->distance[l] < least ? m->distance[l] : least;
    }
    for (int l = 0; l < PAIR_LANES; l++) {
        *lanes += m->distance[l] == least;
    }
    return least;
}

/// Sizes of a slice.
struct slice_counts {
    uint32_t runs, scattered; ///< number of groups
    uint32_t last_node;       ///< the highest layout index that the slice writes to
};

static struct slice_counts count_slice(const struct sorted_pairs *sorted, uint32_t slice,
                                       uint32_t node_count) {
    struct merge m;
    struct slice_counts counts = {.last_node = slice * PAIR_LANES + PAIR_LANES - 1};
    uint32_t scattered_lanes[PAIR_LANES] = {0};
    uint32_t lanes;
    begin_slice(sorted, slice, node_count, &m);
    for (uint32_t d = next_distance(&m, &lanes); d != NONE; d = next_distance(&m, &lanes)) {
        const uint32_t last_node = m.first + d + PAIR_LANES - 1;
        counts.runs += lanes >= RUN_MIN_LANES;
        counts.last_node = last_node > counts.last_node ? last_node : counts.last_node;
        for (uint32_t l = 0; l < PAIR_LANES; l++) {
            if (m.distance[l] == d) {
                scattered_lanes[l] += lanes < RUN_MIN_LANES;
                m.next[l]++;
                update_distance(&m, l);
            }
        }
    }
    for (int l = 0; l < PAIR_LANES; l++) {
        counts.scattered = scattered_lanes[l] > counts.scattered ? scattered_lanes[l]
                                                                 : counts.scattered;
    }
    return counts;
}

/// Assigns the next pair of lane l to a group.
static void assign_pair(struct merge *m, uint32_t l, uint32_t group, struct pair_layout *out) {
    const uint32_t lane = group * PAIR_LANES + l;
    out->pair[lane] = m->sorted->pair[m->next[l]];
    out->lane[out->pair[lane]] = lane;
    m->next[l]++;
    update_distance(m, l);
}

/// Returns the position of the k-th of `count` runs. The partners of runs with adjacent distances
/// overlap in three lanes, so processing them in succession would stall on the preceding store;
/// hence they are spread.
static uint32_t spread_runs(uint32_t k, uint32_t count) {
    const uint32_t whole = count / RUN_STRIDE;
    return k < whole * RUN_STRIDE ? k % whole * RUN_STRIDE + k / whole : k;
}

static void fill_slice(const struct sorted_pairs *sorted, uint32_t slice, struct pair_layout *out) {
    const uint32_t begin = out->slice_group[slice];
    const uint32_t scattered = out->slice_scattered[slice];
    uint32_t scattered_lanes[PAIR_LANES] = {0};
    uint32_t run = 0;
    uint32_t lanes;
    struct merge m;
    begin_slice(sorted, slice, out->node_count, &m);
    for (uint32_t d = next_distance(&m, &lanes); d != NONE; d = next_distance(&m, &lanes)) {
        const bool is_run = lanes >= RUN_MIN_LANES;
        const uint32_t group = begin + spread_runs(run, scattered - begin);
        if (is_run) {
            out->first[group] = m.first + d;
            run++;
        }
        for (uint32_t l = 0; l < PAIR_LANES; l++) {
            if (m.distance[l] == d && is_run) {
                assign_pair(&m, l, group, out);
            } else if (m.distance[l] == d) {
                const uint32_t own_group = scattered + scattered_lanes[l]++;
                out->partner[out->first[own_group] + l] = m.first + l + d;
                assign_pair(&m, l, own_group, out);
            }
        }
    }
}

/// Initialises all lanes as empty; scattered lanes get their own node as partner.
static void clear_groups(struct pair_layout *out) {
    uint32_t next = 0;
    memset(out->pair, 0xff, out->group_count * PAIR_LANES * sizeof *out->pair);
    for (uint32_t s = 0; s < out->slice_count; s++) {
        for (uint32_t g = out->slice_scattered[s]; g < out->slice_group[s + 1]; g++) {
            out->first[g] = next;
            for (uint32_t l = 0; l < PAIR_LANES; l++) {
                out->partner[next++] = s * PAIR_LANES + l;
            }
        }
    }
}

// --- slabs ---

/// Divides the slices into `requested` slabs of about equal work, or fewer (0: as many as
/// possible). Each slab ends at or after the last node to which the previous slab writes.
/// last_node: by slice, see slice_counts.
static void cut_into(const uint32_t *last_node, uint32_t requested, struct pair_layout *out) {
    uint32_t least_end = 0;
    out->slab_count = 0;
    for (uint32_t s = 0; s < out->slice_count;) {
        const uint64_t share = (uint64_t)out->group_count * (out->slab_count + 1);
        uint32_t end = s + SLAB_MIN_SLICES > least_end ? s + SLAB_MIN_SLICES : least_end;
        while (end < out->slice_count && (uint64_t)out->slice_group[end] * requested < share &&
               requested > 0) {
            end++;
        }
        end = end < out->slice_count ? end : out->slice_count;
        for (least_end = end; s < end; s++) {
            const uint32_t slice_end = last_node[s] / PAIR_LANES + 1;
            least_end = slice_end > least_end ? slice_end : least_end;
        }
        out->slab_slice[++out->slab_count] = end;
    }
}

/// Returns the cost of a slab in units of a run.
static uint64_t work_of_slab(const struct pair_layout *layout, uint32_t slab) {
    uint64_t work = 0;
    for (uint32_t s = layout->slab_slice[slab]; s < layout->slab_slice[slab + 1]; s++) {
        const uint64_t scattered = layout->slice_group[s + 1] - layout->slice_scattered[s];
        work += layout->slice_group[s + 1] - layout->slice_group[s] +
                (SCATTERED_COST - 1) * scattered;
    }
    return work;
}

/// Estimates the time of the slabs of one parity, if each thread takes the next slab when it has
/// finished one.
static uint64_t time_of_parity(const struct pair_layout *layout, uint32_t parity, int threads) {
    uint64_t busy[MAX_THREADS] = {0};
    uint64_t longest = 0;
    for (uint32_t slab = parity; slab < layout->slab_count; slab += 2) {
        int first = 0;
        for (int i = 1; i < threads; i++) {
            first = busy[i] < busy[first] ? i : first;
        }
        busy[first] += work_of_slab(layout, slab);
        longest = busy[first] > longest ? busy[first] : longest;
    }
    return longest;
}

/// Returns the sum of the estimated times with two and with four threads.
static uint64_t estimate_time(const struct pair_layout *layout) {
    uint64_t time = 0;
    for (int threads = 2; threads <= MAX_THREADS; threads *= 2) {
        time += time_of_parity(layout, 0, threads) + time_of_parity(layout, 1, threads);
    }
    return time;
}

/// Chooses the number of slabs: the largest possible one, or the largest multiple of 8, 4 or 2
/// below it, whichever has the lowest estimated time.
static pbs_status cut_into_slabs(struct memory *memory, const uint32_t *last_node,
                                 struct pair_layout *out) {
    out->slab_slice = memory_allocate(memory, (size_t)out->slice_count / SLAB_MIN_SLICES + 2,
                                      sizeof *out->slab_slice);
    if (out->slab_slice == NULL) {
        return PBS_ERROR_MEMORY;
    }
    cut_into(last_node, 0, out);
    const uint32_t most = out->slab_count;
    uint64_t least_time = estimate_time(out);
    uint32_t best = 0;
    for (uint32_t multiple = 2 * MAX_THREADS; multiple > 1; multiple /= 2) {
        cut_into(last_node, most / multiple * multiple, out);
        const uint64_t time = estimate_time(out);
        best = time < least_time ? most / multiple * multiple : best;
        least_time = time < least_time ? time : least_time;
    }
    cut_into(last_node, best, out);
    return PBS_OK;
}

// --- building ---

void pair_layout_free(struct pair_layout *layout, struct memory *memory) {
    memory_release(memory, layout->node);
    memory_release(memory, layout->slice_group);
    memory_release(memory, layout->slice_scattered);
    memory_release(memory, layout->first);
    memory_release(memory, layout->partner);
    memory_release(memory, layout->pair);
    memory_release(memory, layout->lane);
    memory_release(memory, layout->slab_slice);
    *layout = (struct pair_layout){0};
}

/// Computes the ranges of groups of all slices, last_node (see slice_counts), and the total number
/// of scattered groups.
static pbs_status count_groups(const struct sorted_pairs *sorted, struct pair_layout *out,
                               uint32_t *last_node, size_t *scattered) {
    uint64_t groups = 0;
    *scattered = 0;
    for (uint32_t s = 0; s < out->slice_count; s++) {
        const struct slice_counts counts = count_slice(sorted, s, out->node_count);
        out->slice_group[s] = (uint32_t)groups;
        out->slice_scattered[s] = (uint32_t)(groups + counts.runs);
        groups += counts.runs + counts.scattered;
        *scattered += counts.scattered;
        last_node[s] = counts.last_node;
        if (groups * PAIR_LANES >= NONE) {
            return status_fail(PBS_ERROR_ARGUMENT, "%zu pairs of %u nodes need more than %u lanes",
                               out->pair_count, out->node_count, NONE);
        }
    }
    out->slice_group[out->slice_count] = (uint32_t)groups;
    out->group_count = (size_t)groups;
    return PBS_OK;
}

static pbs_status arrange(struct memory *memory, const struct sorted_pairs *sorted,
                          uint32_t *last_node, struct pair_layout *out) {
    size_t scattered = 0;
    RETURN_IF_FAILED(count_groups(sorted, out, last_node, &scattered));
    RETURN_IF_FAILED(cut_into_slabs(memory, last_node, out));
    out->first = memory_allocate(memory, out->group_count, sizeof *out->first);
    out->partner = memory_allocate(memory, scattered, PAIR_LANES * sizeof *out->partner);
    out->pair = memory_allocate(memory, out->group_count, PAIR_LANES * sizeof *out->pair);
    out->lane = memory_allocate(memory, out->pair_count, sizeof *out->lane);
    if (out->first == NULL || out->partner == NULL || out->pair == NULL || out->lane == NULL) {
        return PBS_ERROR_MEMORY;
    }
    clear_groups(out);
    for (uint32_t s = 0; s < out->slice_count; s++) {
        fill_slice(sorted, s, out);
    }
    return PBS_OK;
}

static pbs_status make_slices(struct memory *memory, const struct sorted_pairs *sorted,
                              struct pair_layout *out) {
    out->slice_count = (out->node_count + PAIR_LANES - 1) / PAIR_LANES;
    // A run that starts at the last node extends into one more slice. The stride is a whole number
    // of cache lines.
    const size_t line = CACHE_LINE / sizeof(double);
    out->stride = ((size_t)(out->slice_count + 1) * PAIR_LANES + line - 1) / line * line;
    out->slice_group = memory_allocate(memory, (size_t)out->slice_count + 1,
                                       sizeof *out->slice_group);
    out->slice_scattered = memory_allocate(memory, out->slice_count, sizeof *out->slice_scattered);
    uint32_t *last_node = memory_allocate(memory, out->slice_count, sizeof *last_node);
    pbs_status status = PBS_ERROR_MEMORY;
    if (out->slice_group != NULL && out->slice_scattered != NULL && last_node != NULL) {
        status = arrange(memory, sorted, last_node, out);
    }
    memory_release(memory, last_node);
    return status;
}

static pbs_status build_in_order(struct memory *memory, const uint32_t *pairs, size_t count,
                                 const struct pair_order *order, struct pair_layout *out) {
    struct sorted_pairs sorted = {0};
    uint32_t *local = NULL;
    *out = (struct pair_layout){.pair_count = count};
    pbs_status status = number_nodes(memory, pairs, count, order, out, &local);
    if (status >= 0) {
        status = sort_pairs(memory, local, pairs, count, out->node_count, &sorted);
    }
    memory_release(memory, local);
    if (status >= 0) {
        status = make_slices(memory, &sorted, out);
    }
    free_sorted(&sorted, memory);
    if (status < 0) {
        pair_layout_free(out, memory);
    }
    return status;
}

static bool is_ascending(const struct pair_order *order) {
    bool ascends = true;
    for (size_t i = 1; i < order->count; i++) {
        ascends = ascends && order->nodes[i - 1] < order->nodes[i];
    }
    return ascends;
}

pbs_status pair_layout_build(struct memory *memory, const uint32_t *pairs, size_t count,
                             const struct pair_order *order, struct pair_layout *out) {
    struct pair_layout other;
    RETURN_IF_FAILED(build_in_order(memory, pairs, count, NULL, out));
    if (order == NULL || is_ascending(order)) {
        return PBS_OK;
    }
    const pbs_status status = build_in_order(memory, pairs, count, order, &other);
    if (status >= 0 && estimate_time(&other) < estimate_time(out)) {
        const struct pair_layout worse = *out;
        *out = other;
        other = worse;
    }
    pair_layout_free(status >= 0 ? &other : out, memory);
    return status;
}

// --- passes ---

struct pass {
    const struct pair_layout *layout;
    pbs_work_fn work;
    void *context;
    size_t parity;
    const double *from;
    double *to;
};

static void run_slab(void *context, size_t index) {
    const struct pass *pass = context;
    pass->work(pass->context, 2 * index + pass->parity);
}

void pair_layout_run(struct tasks *tasks, const struct pair_layout *layout, pbs_work_fn work,
                     void *context) {
    struct pass pass = {.work = work, .context = context};
    tasks_for(tasks, (layout->slab_count + 1) / 2, run_slab, &pass);
    pass.parity = 1;
    tasks_for(tasks, layout->slab_count / 2, run_slab, &pass);
}

static uint32_t end_of_slab(const struct pair_layout *layout, size_t slab) {
    const uint32_t end = layout->slab_slice[slab + 1] * PAIR_LANES;
    return end < layout->node_count ? end : layout->node_count;
}

static void gather_slab(void *context, size_t slab) {
    const struct pass *pass = context;
    const struct pair_layout *layout = pass->layout;
    for (size_t axis = 0; axis < 3; axis++) {
        double *local = pass->to + axis * layout->stride;
        for (uint32_t i = layout->slab_slice[slab] * PAIR_LANES; i < end_of_slab(layout, slab);
             i++) {
            local[i] = pass->from != NULL ? pass->from[3 * (size_t)layout->node[i] + axis] : 0.0;
        }
    }
}

void pair_layout_gather(struct tasks *tasks, const struct pair_layout *layout,
                        const double *by_node, double *local) {
    struct pass pass = {.layout = layout, .from = by_node, .to = local};
    tasks_for(tasks, layout->slab_count, gather_slab, &pass);
}

static void add_slab(void *context, size_t slab) {
    const struct pass *pass = context;
    const struct pair_layout *layout = pass->layout;
    for (uint32_t i = layout->slab_slice[slab] * PAIR_LANES; i < end_of_slab(layout, slab); i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            pass->to[3 * (size_t)layout->node[i] + axis] += pass->from[axis * layout->stride + i];
        }
    }
}

void pair_layout_add(struct tasks *tasks, const struct pair_layout *layout, const double *local,
                     double *by_node) {
    struct pass pass = {.layout = layout, .from = local, .to = by_node};
    tasks_for(tasks, layout->slab_count, add_slab, &pass);
}
