// Pairs are found in the order of the trees and sorted afterwards, since callers filter out most of
// the pairs.
// SPDX-License-Identifier: MIT
#include "broad_phase/box_pairs.h"

#include "base/config.h"
#include "broad_phase/box_pairs_walk.h"

enum {
    INITIAL_CAPACITY = HIT_CAPACITY, ///< pairs that a piece has capacity for at first
    RANK_LIMIT = 64,                 ///< pairs of one query up to which they are sorted by counting
    SORT_CHUNK = 1024,               ///< queries whose pairs one piece of the sorting loop sorts
};

static size_t piece_count_of(const struct box_pair_query *query) {
    return (group_count_of(query) + PIECE - 1) / PIECE;
}

/// Sorts by ascending primitive (Shell 1959, gaps of Ciura 2001).
static void sort_pairs(struct box_pair *pairs, size_t count) {
    static const size_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        for (size_t i = gaps[g]; i < count; i++) {
            const struct box_pair moving = pairs[i];
            size_t j = i;
            for (; j >= gaps[g] && pairs[j - gaps[g]].primitive > moving.primitive; j -= gaps[g]) {
                pairs[j] = pairs[j - gaps[g]];
            }
            pairs[j] = moving;
        }
    }
}

/// Sorts the usual short lists: each pair's index is the number of smaller ones. This makes more
/// comparisons than sorting, but four at a time and without branches.
static void rank_pairs(struct box_pair *pairs, size_t count) {
    int32_t primitive[RANK_LIMIT + 3];
    for (size_t i = 0; i < count + 3; i++) {
        primitive[i] = i < count ? (int32_t)pairs[i].primitive : INT32_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        ints4 lesser = {0};
        for (size_t k = 0; k < count; k += 4) {
            lesser -= ints_load(primitive + k) < ints_set(primitive[i]);
        }
        pairs[(lesser[0] + lesser[1]) + (lesser[2] + lesser[3])].primitive = (uint32_t)primitive[i];
    }
}

static void sort_piece(void *context, size_t index) {
    const struct pair_loop *loop = context;
    const size_t *start = loop->list->start;
    const size_t end = (index + 1) * SORT_CHUNK < loop->query->count ? (index + 1) * SORT_CHUNK
                                                                     : loop->query->count;
    for (size_t q = index * SORT_CHUNK; q < end; q++) {
        const size_t count = start[q + 1] - start[q];
        if (count > RANK_LIMIT) {
            sort_pairs(loop->list->pairs + start[q], count);
        } else if (count > 1) {
            rank_pairs(loop->list->pairs + start[q], count);
        }
    }
}

/// Sets list->start[q + 1] to the index of the first pair of query q.
static void count_pairs(const struct box_pair_query *query, struct box_pair_list *list) {
    memset(list->start, 0, (query->count + 2) * sizeof *list->start);
    for (size_t p = 0; p < piece_count_of(query); p++) {
        const struct box_pair_piece *piece = list->pieces + p;
        for (size_t i = 0; i < piece->count; i++) {
            list->start[piece->pairs[i].query + 2]++;
        }
    }
    for (size_t q = 0; q < query->count; q++) {
        list->start[q + 2] += list->start[q + 1];
    }
}

/// Copies all pairs into the list by query. Afterwards list->start[q + 1] is the end of the pairs
/// of query q.
static void order_pairs(const struct box_pair_query *query, struct box_pair_list *list) {
    for (size_t p = 0; p < piece_count_of(query); p++) {
        const struct box_pair_piece *piece = list->pieces + p;
        for (size_t i = 0; i < piece->count; i++) {
            list->pairs[list->start[piece->pairs[i].query + 1]++] = piece->pairs[i];
        }
    }
}

static pbs_status start_pieces(struct memory *memory, const struct box_pair_query *query,
                               struct box_pair_list *list) {
    const size_t count = piece_count_of(query);
    RETURN_IF_FAILED(
        memory_reserve(memory, &list->pieces, &list->piece_capacity, count, sizeof *list->pieces));
    RETURN_IF_FAILED(memory_reserve(memory, &list->start, &list->start_capacity, query->count + 2,
                                    sizeof *list->start));
    for (size_t p = 0; p < count; p++) {
        struct box_pair_piece *piece = list->pieces + p;
        piece->count = 0;
        piece->is_full = false;
        piece->next = p * PIECE;
        RETURN_IF_FAILED(memory_reserve(memory, &piece->pairs, &piece->capacity, INITIAL_CAPACITY,
                                        sizeof *piece->pairs));
    }
    return PBS_OK;
}

/// Enlarges the buffers of pieces that ran full. *is_done: no piece did.
static pbs_status grow_pieces(struct memory *memory, size_t count, struct box_pair_list *list,
                              bool *is_done) {
    *is_done = true;
    for (size_t p = 0; p < count; p++) {
        struct box_pair_piece *piece = list->pieces + p;
        if (piece->is_full) {
            *is_done = piece->is_full = false;
            RETURN_IF_FAILED(memory_reserve(memory, &piece->pairs, &piece->capacity,
                                            2 * piece->capacity, sizeof *piece->pairs));
        }
    }
    return PBS_OK;
}

static pbs_work_fn best_find_piece(void) {
#if defined(PBS_HAS_CLONES)
    if (__builtin_cpu_supports("avx2")) {
        return box_pairs_find_piece_wide;
    }
#endif
    return find_piece;
}

pbs_status box_pairs_find(struct memory *memory, struct tasks *tasks,
                          const struct box_pair_query *query, struct box_pair_list *list) {
    struct pair_loop loop = {query, list};
    const pbs_work_fn find = best_find_piece();
    const size_t count = piece_count_of(query);
    list->count = 0;
    RETURN_IF_FAILED(start_pieces(memory, query, list));
    for (bool is_done = false; !is_done;) {
        tasks_for(tasks, count, find, &loop);
        RETURN_IF_FAILED(grow_pieces(memory, count, list, &is_done));
    }
    count_pairs(query, list);
    const size_t total = list->start[query->count + 1];
    RETURN_IF_FAILED(
        memory_reserve(memory, &list->pairs, &list->capacity, total, sizeof *list->pairs));
    order_pairs(query, list);
    tasks_for(tasks, (query->count + SORT_CHUNK - 1) / SORT_CHUNK, sort_piece, &loop);
    list->count = total;
    return PBS_OK;
}

void box_pairs_free(struct memory *memory, struct box_pair_list *list) {
    for (size_t p = 0; p < list->piece_capacity; p++) {
        memory_release(memory, list->pieces[p].pairs);
    }
    memory_release(memory, list->pieces);
    memory_release(memory, list->start);
    memory_release(memory, list->pairs);
    *list = (struct box_pair_list){0};
}
