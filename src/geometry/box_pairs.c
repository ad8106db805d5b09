#include "geometry/box_pairs.h"

#include <string.h>

#include "geometry/tree_walk.h"

enum {
    PIECE = 256,      ///< queries of one piece of the loop
    FIRST_ROOM = 256, ///< for pairs, that a piece begins with
    FIRST_HITS = 128, ///< the same for primitives that one query meets
    RANKED_HITS = 64, ///< up to so many are sorted by counting
};

struct box_pair_piece {
    struct box_pair *pairs;
    int32_t *hits; ///< scratch: primitives that the query in hand is paired with
    size_t capacity, count, hit_capacity;
    size_t next;                      ///< the query to go on with
    size_t needed_pairs, needed_hits; ///< room wanted before that; none when the piece is done
    size_t start;                     ///< in the whole list
};

struct pair_loop {
    const struct box_pair_query *query;
    struct box_pair_list *list;
};

static size_t piece_count_of(const struct box_pair_query *query) {
    return (query->count + PIECE - 1) / PIECE;
}

static size_t piece_end(const struct box_pair_query *query, size_t piece) {
    const size_t end = (piece + 1) * PIECE;
    return end < query->count ? end : query->count;
}

/// What a query needs beside its box.
struct asker {
    uint32_t query;
    int32_t least; ///< primitives up to this one are not wanted
    uint32_t width;
    int32_t point[TREE_WIDTH_LIMIT];
};

ALWAYS_INLINE struct asker asker_of(const struct box_pair_query *query, size_t q) {
    struct asker asker = {(uint32_t)q, query->is_self ? (int32_t)q : -1, query->width, {0}};
    for (uint32_t k = 0; k < query->width; k++) {
        asker.point[k] = (int32_t)query->points[q * query->width + k];
    }
    return asker;
}

/// Lanes of a block of leaves whose primitive the query may be paired with: numbered high enough,
/// and without a point of the query's.
ALWAYS_INLINE struct lane_mask lanes_wanted(const struct bounding_tree *tree, uint32_t leaf,
                                            const struct asker *asker) {
    const int32_t *points = tree->points + 8 * (size_t)tree->width * leaf;
    struct lane_mask mask;
    for (size_t h = 0; h < 2; h++) {
        mask.half[h] = ints_load(tree->primitive + 8 * (size_t)leaf + 4 * h) >
                       ints_set(asker->least);
        for (uint32_t a = 0; a < asker->width; a++) {
            const ints4 point = ints_set(asker->point[a]);
            for (size_t b = 0; b < tree->width; b++) {
                mask.half[h] &= ints_load(points + 8 * b + 4 * h) != point;
            }
        }
    }
    return mask;
}

/// Adds the query's primitives in a block of leaves to hits; returns how many there are now, which
/// may be more than there is room for.
ALWAYS_INLINE size_t add_leaf(const struct bounding_tree *tree, uint32_t leaf,
                              const struct asker *asker, const float limit[6],
                              struct box_pair_piece *piece, size_t found) {
    const int32_t *primitive = tree->primitive + 8 * (size_t)leaf;
    const struct lane_mask met = block_meets(tree->blocks + leaf, limit);
    const uint32_t lanes = mask_bits(masks_both(met, lanes_wanted(tree, leaf, asker)));
    if (lanes == 0) {
        return found;
    }
    if (found + 8 > piece->hit_capacity) {
        return found + (uint32_t)__builtin_popcount(lanes);
    }
    for (uint32_t i = 0; i < 8; i++) {
        piece->hits[found] = primitive[i];
        found += lanes >> i & 1U;
    }
    return found;
}

/// Takes out what the caller does not want; returns how many are left.
static size_t filter_hits(const struct box_pair_query *query, uint32_t q, int32_t *hits,
                          size_t count) {
    size_t kept = 0;
    for (size_t h = 0; h < count; h++) {
        const int32_t hit = hits[h];
        if (query->keep(query->context, q, (uint32_t)hit)) {
            hits[kept++] = hit;
        }
    }
    return kept;
}

/// Ascending (Shell 1959, gaps of Ciura 2001).
static void sort_hits(int32_t *hits, size_t count) {
    static const size_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        for (size_t i = gaps[g]; i < count; i++) {
            const int32_t moving = hits[i];
            size_t j = i;
            for (; j >= gaps[g] && hits[j - gaps[g]] > moving; j -= gaps[g]) {
                hits[j] = hits[j - gaps[g]];
            }
            hits[j] = moving;
        }
    }
}

/// Writes the pairs in ascending order. Few hits, the rule, are put where the number of lesser ones
/// says: more comparisons than sorting makes, but four at a time and without branches.
/// hits: room for three more than count
static void write_ranked(uint32_t q, int32_t *hits, size_t count, struct box_pair *pairs) {
    for (size_t i = count; i % 4 != 0; i++) {
        hits[i] = INT32_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        ints4 lesser = {0};
        for (size_t j = 0; j < count; j += 4) {
            lesser -= ints_load(hits + j) < ints_set(hits[i]);
        }
        const int32_t rank = (lesser[0] + lesser[1]) + (lesser[2] + lesser[3]);
        pairs[rank] = (struct box_pair){q, (uint32_t)hits[i]};
    }
}

static void write_sorted(uint32_t q, int32_t *hits, size_t count, struct box_pair *pairs) {
    sort_hits(hits, count);
    for (size_t i = 0; i < count; i++) {
        pairs[i] = (struct box_pair){q, (uint32_t)hits[i]};
    }
}

/// Adds pairs with the first `count` of hits for the piece's next query. False when there is no
/// room for them, or was none for hits.
static bool add_pairs(const struct box_pair_query *query, struct box_pair_piece *piece,
                      size_t count) {
    const uint32_t q = (uint32_t)piece->next;
    piece->needed_hits = count + 8 > piece->hit_capacity ? count + 8 : 0;
    if (piece->needed_hits > 0) {
        return false;
    }
    if (query->keep) {
        count = filter_hits(query, q, piece->hits, count);
    }
    piece->needed_pairs = piece->count + count > piece->capacity ? piece->count + count : 0;
    if (piece->needed_pairs > 0) {
        return false;
    }
    struct box_pair *pairs = piece->pairs + piece->count;
    if (count <= RANKED_HITS) {
        write_ranked(q, piece->hits, count, pairs);
    } else {
        write_sorted(q, piece->hits, count, pairs);
    }
    piece->count += count;
    piece->next++;
    return true;
}

/// The piece's next query, alone.
static bool find_alone(const struct box_pair_query *query, struct box_pair_piece *piece) {
    const struct bounding_tree *tree = query->tree;
    const struct asker asker = asker_of(query, piece->next);
    struct tree_walk walk;
    size_t found = 0;
    walk_start(tree, query->boxes + piece->next, &walk);
    for (; walk_next(tree, &walk); walk.leaf_count = 0) {
        for (size_t l = 0; l < walk.leaf_count; l++) {
            found = add_leaf(tree, walk.leaves[l], &asker, walk.limit, piece, found);
        }
    }
    return add_pairs(query, piece, found);
}

/// The piece's next queries, whose leaves are known.
static bool find_from_leaves(const struct box_pair_query *query, const struct tree_front *front,
                             uint32_t count, struct box_pair_piece *piece) {
    size_t l = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct asker asker = asker_of(query, piece->next);
        size_t found = 0;
        for (; l < front->count && front->leaves[l] >> WALK_PLACE_BITS == i; l++) {
            found = add_leaf(query->tree, place_of(front->leaves[l]), &asker, front->limit[i],
                             piece, found);
        }
        if (!add_pairs(query, piece, found)) {
            return false;
        }
    }
    return true;
}

static bool find_batch(const struct box_pair_query *query, uint32_t count,
                       struct box_pair_piece *piece) {
    struct tree_front front;
    if (front_reach_leaves(query->tree, query->boxes + piece->next, count, &front)) {
        return find_from_leaves(query, &front, count, piece);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!find_alone(query, piece)) {
            return false;
        }
    }
    return true;
}

/// Goes on with a piece until it is done or out of room.
static void find_piece(void *context, size_t index) {
    const struct pair_loop *loop = context;
    struct box_pair_piece *piece = loop->list->pieces + index;
    const size_t end = piece_end(loop->query, index);
    bool has_room = true;
    while (piece->next < end && has_room) {
        const size_t left = end - piece->next;
        const uint32_t count = left < FRONT_BOXES ? (uint32_t)left : FRONT_BOXES;
        has_room = find_batch(loop->query, count, piece);
    }
}

static void copy_piece(void *context, size_t index) {
    const struct pair_loop *loop = context;
    const struct box_pair_piece *piece = loop->list->pieces + index;
    if (piece->count > 0) {
        memcpy(loop->list->pairs + piece->start, piece->pairs, piece->count * sizeof *piece->pairs);
    }
}

static pbs_status start_pieces(struct memory *memory, const struct box_pair_query *query,
                               struct box_pair_list *list) {
    const size_t count = piece_count_of(query);
    RETURN_IF_FAILED(
        memory_reserve(memory, &list->pieces, &list->piece_capacity, count, sizeof *list->pieces));
    for (size_t p = 0; p < count; p++) {
        struct box_pair_piece *piece = list->pieces + p;
        piece->count = 0;
        piece->needed_pairs = piece->needed_hits = 0;
        piece->next = p * PIECE;
        RETURN_IF_FAILED(memory_reserve(memory, &piece->pairs, &piece->capacity, FIRST_ROOM,
                                        sizeof *piece->pairs));
        RETURN_IF_FAILED(memory_reserve(memory, &piece->hits, &piece->hit_capacity, FIRST_HITS,
                                        sizeof *piece->hits));
    }
    return PBS_OK;
}

/// Makes room where a piece ran out of it. *is_done: none did.
static pbs_status grow_pieces(struct memory *memory, size_t count, struct box_pair_list *list,
                              bool *is_done) {
    *is_done = true;
    for (size_t p = 0; p < count; p++) {
        struct box_pair_piece *piece = list->pieces + p;
        if (piece->needed_pairs == 0 && piece->needed_hits == 0) {
            continue;
        }
        *is_done = false;
        RETURN_IF_FAILED(memory_reserve(memory, &piece->pairs, &piece->capacity,
                                        2 * piece->needed_pairs, sizeof *piece->pairs));
        RETURN_IF_FAILED(memory_reserve(memory, &piece->hits, &piece->hit_capacity,
                                        2 * piece->needed_hits, sizeof *piece->hits));
    }
    return PBS_OK;
}

static pbs_status find_in_pieces(struct memory *memory, struct tasks *tasks,
                                 struct pair_loop *loop) {
    const size_t count = piece_count_of(loop->query);
    RETURN_IF_FAILED(start_pieces(memory, loop->query, loop->list));
    for (bool is_done = false; !is_done;) {
        tasks_for(tasks, count, find_piece, loop);
        RETURN_IF_FAILED(grow_pieces(memory, count, loop->list, &is_done));
    }
    size_t total = 0;
    for (size_t p = 0; p < count; p++) {
        loop->list->pieces[p].start = total;
        total += loop->list->pieces[p].count;
    }
    RETURN_IF_FAILED(memory_reserve(memory, &loop->list->pairs, &loop->list->capacity, total,
                                    sizeof *loop->list->pairs));
    tasks_for(tasks, count, copy_piece, loop);
    loop->list->count = total;
    return PBS_OK;
}

pbs_status box_pairs_find(struct memory *memory, struct tasks *tasks,
                          const struct box_pair_query *query, struct box_pair_list *list) {
    struct pair_loop loop = {query, list};
    list->count = 0;
    return find_in_pieces(memory, tasks, &loop);
}

void box_pairs_free(struct memory *memory, struct box_pair_list *list) {
    for (size_t p = 0; p < list->piece_capacity; p++) {
        memory_release(memory, list->pieces[p].pairs);
        memory_release(memory, list->pieces[p].hits);
    }
    memory_release(memory, list->pieces);
    memory_release(memory, list->pairs);
    *list = (struct box_pair_list){0};
}
