// Decides the elimination order of supernodes, what runs concurrently, and where update matrices
// are stored. The decision depends on the amount of work only, so that result and memory do not
// depend on the number of threads.
// SPDX-License-Identifier: MIT
#include "linear/supernodal/supernodal_parts.h"

#include <math.h>

// Work of a piece. A piece for one thread should take at least a few hundred microseconds. For
// small factors a piece is a larger fraction of the work, because their upper fronts are too small
// to be divided well. SMALL_PIECE_FLOPS bounds this rule: larger fronts can be divided.
#define PIECE_FLOPS          4e6
#define PIECE_FRACTION       (1.0 / 1024)
#define SMALL_PIECE_FRACTION (1.0 / 16)
#define SMALL_PIECE_FLOPS    1e8

// Update matrices that wait for their parents may occupy this fraction of the factor, or the size
// of the last-level cache.
#define WAITING_FRACTION (1.0 / 16)
#define WAITING_ENTRIES  4e6

// Number of update matrices between which a gap is searched before memory is appended.
enum { GAP_COUNT = 256 };

/// The shared part of `updates`: a list of the matrices in use, by address.
struct space {
    struct supernodal *s;
    uint32_t first, last;
    uint32_t *next;
    uint32_t *previous;
};

static size_t update_size(const struct supernodal *s, uint32_t k) {
    return (update_entries(front_rows(s, k)) + 15) / 16 * 16;
}

static void occupy(struct space *space, uint32_t k) {
    struct supernodal *s = space->s;
    const size_t size = update_size(s, k);
    s->update_start[k] = 0;
    if (size == 0) {
        return;
    }
    uint32_t before = NO_INDEX;
    uint32_t after = space->first;
    size_t at = 0;
    for (int i = 0; after != NO_INDEX && s->update_start[after] - at < size; i++) {
        before = i < GAP_COUNT ? after : space->last;
        after = space->next[before];
        at = s->update_start[before] + update_size(s, before);
    }
    s->update_start[k] = at;
    space->next[k] = after;
    space->previous[k] = before;
    *(before == NO_INDEX ? &space->first : &space->next[before]) = k;
    *(after == NO_INDEX ? &space->last : &space->previous[after]) = k;
    s->shared_size = at + size > s->shared_size ? at + size : s->shared_size;
}

static void vacate(struct space *space, uint32_t k) {
    const uint32_t before = space->previous[k];
    const uint32_t after = space->next[k];
    *(before == NO_INDEX ? &space->first : &space->next[before]) = after;
    *(after == NO_INDEX ? &space->last : &space->previous[after]) = before;
}

/// work: flops of each supernode's subtree
static void measure_subtrees(struct supernodal *s, double *work) {
    s->flops = 0.0;
    s->entries = 0;
    s->factor_start[0] = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        const size_t columns = 3 * (size_t)front_columns(s, k);
        const size_t rows = 3 * (size_t)front_rows(s, k) + columns;
        // Sum of the squares of the column lengths.
        const double m = (double)rows;
        const double below = m - (double)columns;
        const double flops = (m * (m + 1.0) * (2.0 * m + 1.0) -
                              below * (below + 1.0) * (2.0 * below + 1.0)) /
                             6.0;
        s->factor_start[k + 1] = s->factor_start[k] + columns * column_stride(rows / 3);
        s->entries += columns * rows - columns * (columns - 1) / 2;
        s->flops += flops;
        work[k] = flops;
        for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
            work[k] += work[s->child[c]];
        }
    }
}

static bool is_piece_root(const struct supernodal *s, uint32_t k, const double *work,
                          double limit) {
    return work[k] <= limit && (s->parent[k] == NO_INDEX || work[s->parent[k]] > limit);
}

/// Cuts the tree into pieces of consecutive subtrees with little work, and the top above them.
static void cut_pieces(struct supernodal *s, const double *work) {
    const double small = fmin(SMALL_PIECE_FRACTION * s->flops, SMALL_PIECE_FLOPS);
    const double limit = fmax(PIECE_FRACTION * s->flops, fmax(small, PIECE_FLOPS));
    double taken = 0.0;
    bool is_open = false;
    s->piece_count = 0;
    s->top_count = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        if (work[k] > limit) {
            s->top[s->top_count++] = k;
            is_open = false;
            continue;
        }
        if (!is_open) {
            s->piece_begin[s->piece_count++] = k;
            is_open = true;
            taken = 0.0;
        }
        s->piece_end[s->piece_count - 1] = k + 1;
        s->is_shared[k] = is_piece_root(s, k, work, limit);
        if (s->is_shared[k]) {
            taken += work[k];
            is_open = taken < 0.5 * limit;
        }
    }
    for (uint32_t t = 0; t < s->top_count; t++) {
        s->is_shared[s->top[t]] = 1;
    }
}

/// Inside a piece the update matrices of even and odd depths form two stacks that grow from both
/// ends. When a front is done, its children's matrices are on top of one stack, and its own is
/// pushed on the other. odd: scratch
static void assign_local(struct supernodal *s, uint32_t *odd) {
    for (uint32_t k = s->count; k-- > 0;) {
        odd[k] = s->parent[k] == NO_INDEX ? 0 : 1 - odd[s->parent[k]];
    }
    s->local_size = 0;
    size_t top[2] = {0, 0};
    for (uint32_t k = 0; k < s->count; k++) {
        if (!s->is_shared[k]) {
            s->update_start[k] = top[odd[k]];
            top[odd[k]] += update_size(s, k);
            const size_t sum = top[0] + top[1];
            s->local_size = sum > s->local_size ? sum : s->local_size;
        }
        for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
            const uint32_t child = s->child[c];
            top[odd[child]] -= s->is_shared[child] ? 0 : update_size(s, child);
        }
    }
    for (uint32_t k = 0; k < s->count; k++) {
        if (!s->is_shared[k] && odd[k]) {
            s->update_start[k] = s->local_size - s->update_start[k] - update_size(s, k);
        }
    }
}

static size_t shared_size_of(const struct supernodal *s, uint32_t piece) {
    size_t size = 0;
    for (uint32_t k = s->piece_begin[piece]; k < s->piece_end[piece]; k++) {
        size += s->is_shared[k] ? update_size(s, k) : 0;
    }
    return size;
}

/// Forms batches of pieces that may run concurrently. After each batch the top supernodes follow
/// whose children are complete.
static void make_batches(struct supernodal *s, uint32_t *scratch) {
    struct space space = {s, NO_INDEX, NO_INDEX, scratch, scratch + s->count};
    const double part = WAITING_FRACTION * (double)s->entries;
    const double limit = part > WAITING_ENTRIES ? part : WAITING_ENTRIES;
    uint32_t piece = 0;
    uint32_t top = 0;
    s->shared_size = 0;
    s->batch_count = 0;
    while (piece < s->piece_count || top < s->top_count) {
        double waiting = 0.0;
        const uint32_t begin = piece;
        while (piece < s->piece_count &&
               (piece == begin || waiting + (double)shared_size_of(s, piece) <= limit)) {
            waiting += (double)shared_size_of(s, piece);
            for (uint32_t k = s->piece_begin[piece]; k < s->piece_end[piece]; k++) {
                if (s->is_shared[k]) {
                    occupy(&space, k);
                }
            }
            piece++;
        }
        const uint32_t end = piece < s->piece_count ? s->piece_begin[piece] : s->count;
        for (; top < s->top_count && s->top[top] < end; top++) {
            const uint32_t k = s->top[top];
            occupy(&space, k);
            for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
                vacate(&space, s->child[c]);
            }
        }
        s->batch_piece_end[s->batch_count] = piece;
        s->batch_top_end[s->batch_count++] = top;
    }
}

void supernodal_schedule(struct supernodal *s, double *work, uint32_t *scratch) {
    measure_subtrees(s, work);
    cut_pieces(s, work);
    assign_local(s, scratch);
    make_batches(s, scratch);
    s->worker_count = s->piece_count < WORKER_COUNT ? s->piece_count : WORKER_COUNT;
}
