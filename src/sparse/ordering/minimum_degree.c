// Approximate minimum degree: Amestoy, Davis and Duff, "An approximate minimum degree ordering
// algorithm", SIAM J. Matrix Anal. Appl. 17, 1996 (ADD below).
//
// The graph of the remaining vertices (the quotient graph) is stored implicitly. An eliminated
// vertex p becomes an element: the list L_p of its neighbours, which are all connected to each
// other through it. A vertex i stores its elements E_i, and the edges A_i that no element covers.
// Vertices with the same neighbours are merged into one variable.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/minimum_degree.h"

#include <string.h>

#define NONE UINT32_MAX

/// State of one run. The lists of a vertex are in the pool: E_i followed by A_i; for an element,
/// L_p. The pool contains first the lists of all vertices, then those of the elements, in order of
/// creation.
struct elimination {
    uint32_t count;
    uint32_t remaining;   ///< total weight that is not eliminated yet
    uint32_t least;       ///< lower bound of the degrees of all variables
    uint32_t pivot_count; ///< number of elements created so far
    uint32_t pivot_rows;  ///< weight of the latest element
    uint32_t *pool;
    size_t pool_used, pool_size;
    uint64_t stamp;          ///< the largest mark
    uint64_t *mark;          ///< marks of vertices and elements
    uint64_t *first;         ///< start of each list in the pool
    uint32_t *length;        ///< length of each list
    uint32_t *element_count; ///< length of E_i, the front part of the list
    uint32_t *weight;        ///< weight of a variable; 0: merged into another one, or eliminated
    uint32_t *degree; ///< variable: upper bound of the weight of its neighbours; element: weight of
                      ///< L_p
    uint32_t *is_element; ///< 1 until the element is absorbed by another
    uint32_t *next;       ///< next in the linked list of a degree or of a hash value
    uint32_t *previous;   ///< previous in the list of a degree; otherwise the hash value
    uint32_t *by_hash;    ///< first variable of each hash value
    uint32_t *member; ///< next vertex of the same variable, or of those eliminated together with p
    uint32_t *last_member;
    uint32_t *pivot;     ///< the elements in order of creation
    uint32_t *by_degree; ///< first variable of each degree
};

void minimum_degree_free(struct memory *memory, struct minimum_degree *m) {
    memory_release(memory, m->words);
    memory_release(memory, m->wide);
    memory_release(memory, m->pool);
    *m = (struct minimum_degree){0};
}

static pbs_status reserve(struct memory *memory, uint32_t count, size_t edges, uint32_t rows,
                          struct minimum_degree *m, struct elimination *e) {
    const size_t n = count;
    // Every edge is stored at both ends. Half as much again makes compaction rare. The list that is
    // being built has up to n entries.
    const size_t pool_size = 3 * edges + n;
    RETURN_IF_FAILED(memory_reserve(memory, &m->words, &m->word_capacity, 11 * n + (size_t)rows + 1,
                                    sizeof *m->words));
    RETURN_IF_FAILED(memory_reserve(memory, &m->wide, &m->wide_capacity, 2 * n, sizeof *m->wide));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->pool, &m->pool_capacity, pool_size, sizeof *m->pool));
    uint32_t **const arrays[] = {&e->length,     &e->element_count, &e->weight,   &e->degree,
                                 &e->is_element, &e->next,          &e->previous, &e->by_hash,
                                 &e->member,     &e->last_member,   &e->pivot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = m->words + i * n;
    }
    e->by_degree = m->words + 11 * n;
    e->mark = m->wide;
    e->first = m->wide + n;
    e->pool = m->pool;
    e->pool_size = pool_size;
    memset(e->mark, 0, n * sizeof *e->mark);
    memset(e->is_element, 0, n * sizeof *e->is_element);
    memset(e->element_count, 0, n * sizeof *e->element_count);
    memset(e->length, 0, n * sizeof *e->length);
    memset(e->by_hash, 0xff, n * sizeof *e->by_hash);
    memset(e->by_degree, 0xff, ((size_t)rows + 1) * sizeof *e->by_degree);
    return PBS_OK;
}

/// Lists every edge at both ends. Duplicates remain.
static void list_edges(const uint32_t *start, const uint32_t *neighbor, struct elimination *e) {
    for (uint32_t a = 0; a < e->count; a++) {
        for (uint32_t k = start[a]; k < start[a + 1]; k++) {
            e->length[a] += neighbor[k] != a;
            e->length[neighbor[k]] += neighbor[k] != a;
        }
    }
    for (uint32_t a = 0; a < e->count; a++) {
        e->first[a] = e->pool_used;
        e->pool_used += e->length[a];
        e->length[a] = 0;
    }
    for (uint32_t a = 0; a < e->count; a++) {
        for (uint32_t k = start[a]; k < start[a + 1]; k++) {
            const uint32_t b = neighbor[k];
            if (b != a) {
                e->pool[e->first[a] + e->length[a]++] = b;
                e->pool[e->first[b] + e->length[b]++] = a;
            }
        }
    }
}

static void insert_by_degree(struct elimination *e, uint32_t i) {
    const uint32_t old = e->by_degree[e->degree[i]];
    e->next[i] = old;
    e->previous[i] = NONE;
    if (old != NONE) {
        e->previous[old] = i;
    }
    e->by_degree[e->degree[i]] = i;
    e->least = e->degree[i] < e->least ? e->degree[i] : e->least;
}

static void remove_by_degree(struct elimination *e, uint32_t i) {
    if (e->previous[i] == NONE) {
        e->by_degree[e->degree[i]] = e->next[i];
    } else {
        e->next[e->previous[i]] = e->next[i];
    }
    if (e->next[i] != NONE) {
        e->previous[e->next[i]] = e->previous[i];
    }
}

/// Removes duplicate edges and computes the degrees, which are exact at first.
static void init_variables(struct elimination *e) {
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t *list = e->pool + e->first[i];
        uint32_t kept = 0;
        e->stamp++;
        e->degree[i] = 0;
        for (uint32_t k = 0; k < e->length[i]; k++) {
            const uint32_t j = list[k];
            if (e->mark[j] < e->stamp) {
                e->mark[j] = e->stamp;
                e->degree[i] += e->weight[j];
                list[kept++] = j;
            }
        }
        e->length[i] = kept;
        e->member[i] = NONE;
        e->last_member[i] = i;
    }
    for (uint32_t i = e->count; i-- > 0;) {
        insert_by_degree(e, i);
    }
}

static void move_list(struct elimination *e, uint32_t a) {
    memmove(e->pool + e->pool_used, e->pool + e->first[a], e->length[a] * sizeof *e->pool);
    e->first[a] = e->pool_used;
    e->pool_used += e->length[a];
}

/// Compacts the pool. The remaining lists never need more space than the edges did, since an
/// element is no longer than the lists it was built from.
static void close_gaps(struct elimination *e) {
    e->pool_used = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->weight[i] > 0) {
            move_list(e, i);
        }
    }
    for (uint32_t k = 0; k < e->pivot_count; k++) {
        if (e->is_element[e->pivot[k]]) {
            move_list(e, e->pivot[k]);
        }
    }
}

static uint32_t pop_least(struct elimination *e) {
    while (e->by_degree[e->least] == NONE) {
        e->least++;
    }
    const uint32_t p = e->by_degree[e->least];
    remove_by_degree(e, p);
    return p;
}

/// Appends the members of a list that are not yet in L_p. Returns their weight.
static uint32_t join(struct elimination *e, const uint32_t *list, uint32_t length) {
    uint32_t rows = 0;
    for (uint32_t k = 0; k < length; k++) {
        const uint32_t i = list[k];
        if (e->weight[i] > 0 && e->mark[i] < e->stamp) {
            e->mark[i] = e->stamp;
            e->pool[e->pool_used++] = i;
            rows += e->weight[i];
            remove_by_degree(e, i);
        }
    }
    return rows;
}

/// Returns an upper bound of the length of L_p.
static size_t greatest_length(const struct elimination *e, uint32_t p) {
    const uint32_t *list = e->pool + e->first[p];
    size_t length = e->length[p] - e->element_count[p];
    for (uint32_t k = 0; k < e->element_count[p]; k++) {
        length += e->is_element[list[k]] ? e->length[list[k]] : 0;
    }
    return length < e->count ? length : e->count;
}

/// Builds L_p, the union of A_p and the lists L_e of all e in E_p, without p. The elements e are
/// absorbed (ADD algorithm 1).
static void make_element(struct elimination *e, uint32_t p) {
    if (e->pool_size - e->pool_used < greatest_length(e, p)) {
        close_gaps(e);
    }
    const uint64_t begin = e->pool_used;
    const uint32_t *list = e->pool + e->first[p];
    const uint32_t elements = e->element_count[p];
    e->mark[p] = ++e->stamp;
    uint32_t rows = join(e, list + elements, e->length[p] - elements);
    for (uint32_t k = 0; k < elements; k++) {
        const uint32_t other = list[k];
        if (e->is_element[other]) {
            rows += join(e, e->pool + e->first[other], e->length[other]);
            e->is_element[other] = 0;
        }
    }
    e->pivot[e->pivot_count++] = p;
    e->pivot_rows = e->weight[p];
    e->is_element[p] = 1;
    e->weight[p] = 0;
    e->degree[p] = rows;
    e->first[p] = begin;
    e->length[p] = (uint32_t)(e->pool_used - begin);
}

/// Computes the weight of L_e without L_p, for every element e other than p that a variable of L_p
/// has, as mark[e] - stamp (ADD algorithm 2).
static void measure_elements(struct elimination *e, uint32_t p) {
    const uint32_t *list = e->pool + e->first[p];
    e->stamp++;
    for (uint32_t k = 0; k < e->length[p]; k++) {
        const uint32_t i = list[k];
        const uint32_t *element = e->pool + e->first[i];
        for (uint32_t m = 0; m < e->element_count[i]; m++) {
            const uint32_t other = element[m];
            if (e->is_element[other]) {
                if (e->mark[other] < e->stamp) {
                    e->mark[other] = e->stamp + e->degree[other];
                }
                e->mark[other] -= e->weight[i];
            }
        }
    }
}

static void append_members(struct elimination *e, uint32_t to, uint32_t i) {
    e->member[e->last_member[to]] = i;
    e->last_member[to] = e->last_member[i];
    e->weight[i] = 0;
}

/// Rewrites the lists of i: E_i becomes p followed by the elements that are not absorbed, A_i loses
/// the edges that p covers. Returns the weight of all of them except p, with multiplicity. The
/// lists fit in place, since i was p's neighbour by an entry that is removed.
static uint32_t shorten_lists(struct elimination *e, uint32_t p, uint32_t i, uint64_t joined) {
    uint32_t *list = e->pool + e->first[i];
    uint32_t rows = 0;
    uint32_t hash = p;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < e->element_count[i]; k++) {
        const uint32_t other = list[k];
        if (!e->is_element[other]) {
            continue;
        }
        const uint32_t outside = (uint32_t)(e->mark[other] - e->stamp);
        // If L_e is a subset of L_p, p covers everything that e does, and e is absorbed (ADD
        // section 4).
        e->is_element[other] = outside > 0;
        if (outside > 0) {
            list[kept++] = other;
            rows += outside;
            hash += other;
        }
    }
    const uint32_t elements = kept;
    for (uint32_t k = e->element_count[i]; k < e->length[i]; k++) {
        const uint32_t j = list[k];
        if (e->weight[j] > 0 && e->mark[j] != joined) {
            list[kept++] = j;
            rows += e->weight[j];
            hash += j;
        }
    }
    list[kept] = list[elements];
    list[elements] = list[0];
    list[0] = p;
    e->element_count[i] = elements + 1;
    e->length[i] = kept + 1;
    e->previous[i] = hash % e->count;
    return rows;
}

/// Updates the lists and the degrees of L_p's members, without the contribution of L_p itself (ADD
/// eq. 4). A variable with no other neighbours is eliminated together with p.
static void update_lists(struct elimination *e, uint32_t p, uint64_t joined) {
    const uint32_t *list = e->pool + e->first[p];
    for (uint32_t k = 0; k < e->length[p]; k++) {
        const uint32_t i = list[k];
        const uint32_t rows = shorten_lists(e, p, i, joined);
        if (e->length[i] == 1) {
            e->degree[p] -= e->weight[i];
            e->pivot_rows += e->weight[i];
            append_members(e, p, i);
        } else {
            e->degree[i] = rows < e->degree[i] ? rows : e->degree[i];
            e->next[i] = e->by_hash[e->previous[i]];
            e->by_hash[e->previous[i]] = i;
        }
    }
    e->stamp += e->remaining;
}

static bool has_marked_lists(const struct elimination *e, uint32_t i) {
    const uint32_t *list = e->pool + e->first[i];
    for (uint32_t k = 0; k < e->length[i]; k++) {
        if (e->mark[list[k]] != e->stamp) {
            return false;
        }
    }
    return true;
}

/// Merges into i all variables after it in the list of its hash value that have the same lists.
static void merge_same(struct elimination *e, uint32_t i) {
    const uint32_t *list = e->pool + e->first[i];
    e->stamp++;
    for (uint32_t k = 0; k < e->length[i]; k++) {
        e->mark[list[k]] = e->stamp;
    }
    uint32_t before = i;
    for (uint32_t j = e->next[i]; j != NONE; j = e->next[j]) {
        if (e->length[j] == e->length[i] && e->element_count[j] == e->element_count[i] &&
            has_marked_lists(e, j)) {
            e->weight[i] += e->weight[j];
            append_members(e, i, j);
            e->next[before] = e->next[j];
        } else {
            before = j;
        }
    }
}

static void merge_variables(struct elimination *e, uint32_t p) {
    const uint32_t *list = e->pool + e->first[p];
    for (uint32_t k = 0; k < e->length[p]; k++) {
        if (e->weight[list[k]] > 0) {
            uint32_t *head = e->by_hash + e->previous[list[k]];
            for (uint32_t i = *head; i != NONE && e->next[i] != NONE; i = e->next[i]) {
                merge_same(e, i);
            }
            *head = NONE;
        }
    }
}

/// Removes merged and eliminated variables from L_p and sets the degrees of the others (ADD eq. 4;
/// at most the total remaining weight).
static void finish_element(struct elimination *e, uint32_t p) {
    uint32_t *list = e->pool + e->first[p];
    uint32_t kept = 0;
    e->remaining -= e->pivot_rows;
    for (uint32_t k = 0; k < e->length[p]; k++) {
        const uint32_t i = list[k];
        if (e->weight[i] > 0) {
            const uint32_t others = e->remaining - e->weight[i];
            const uint32_t bound = e->degree[i] + e->degree[p] - e->weight[i];
            e->degree[i] = bound < others ? bound : others;
            insert_by_degree(e, i);
            list[kept++] = i;
        }
    }
    e->length[p] = kept;
    e->is_element[p] = kept > 0;
    e->pool_used = e->first[p] + kept;
}

static void eliminate(struct elimination *e) {
    const uint32_t p = pop_least(e);
    make_element(e, p);
    const uint64_t joined = e->stamp;
    measure_elements(e, p);
    update_lists(e, p, joined);
    merge_variables(e, p);
    finish_element(e, p);
}

static void write_order(const struct elimination *e, uint32_t *order) {
    for (uint32_t k = 0; k < e->pivot_count; k++) {
        for (uint32_t i = e->pivot[k]; i != NONE; i = e->member[i]) {
            *order++ = i;
        }
    }
}

pbs_status minimum_degree_order(struct memory *memory, uint32_t vertex_count, const uint32_t *start,
                                const uint32_t *neighbor, const uint32_t *weight,
                                struct minimum_degree *m, uint32_t *order) {
    if (vertex_count == 0) {
        return PBS_OK;
    }
    uint32_t rows = weight ? 0 : vertex_count;
    for (uint32_t i = 0; i < vertex_count && weight; i++) {
        rows += weight[i];
    }
    struct elimination e = {.count = vertex_count, .remaining = rows, .least = rows};
    RETURN_IF_FAILED(reserve(memory, vertex_count, start[vertex_count] - start[0], rows, m, &e));
    for (uint32_t i = 0; i < vertex_count; i++) {
        e.weight[i] = weight ? weight[i] : 1;
    }
    list_edges(start, neighbor, &e);
    init_variables(&e);
    while (e.remaining > 0) {
        eliminate(&e);
    }
    write_order(&e, order);
    return PBS_OK;
}
