// Approximate minimum degree: Amestoy, Davis and Duff, "An approximate minimum degree ordering
// algorithm", SIAM J. Matrix Anal. Appl. 17, 1996 (ADD below). The graph of what is left is never
// formed: an eliminated vertex p becomes an element, the list L_p of its neighbours, which are all
// joined by it. A vertex i keeps its elements E_i and, of its edges, those no element covers (A_i).
// Vertices that have the same neighbours are one variable from then on.
#include "sparse/ordering/minimum_degree.h"

#include <string.h>

#define NONE UINT32_MAX

/// What one run works with. The lists of a vertex lie in the pool: E_i, then A_i; of an element
/// L_p. First all vertices' in their order, then the elements' in theirs.
struct elimination {
    uint32_t count;
    uint32_t remaining;   ///< weight that is not eliminated yet
    uint32_t least;       ///< no variable has a lower degree
    uint32_t pivot_count; ///< elements so far
    uint32_t pivot_rows;  ///< weight of the latest one
    uint32_t *pool;
    size_t pool_used, pool_size;
    uint64_t stamp;          ///< no mark is greater
    uint64_t *mark;          ///< of vertices and elements
    uint64_t *first;         ///< of the list in the pool
    uint32_t *length;        ///< of the list
    uint32_t *element_count; ///< of its front part
    uint32_t *weight;        ///< of a variable; 0: merged into another, or eliminated
    uint32_t *degree;     ///< of a variable: a bound of its neighbours' weight; of an element: the
                          ///< weight of L_p
    uint32_t *is_element; ///< 1 until it is absorbed by another
    uint32_t *next;       ///< in the list of a degree, or of a hash
    uint32_t *previous;   ///< in the list of a degree; elsewhere the hash
    uint32_t *by_hash;    ///< first of the list
    uint32_t *member;     ///< next of the vertices that make a variable, or that p takes with it
    uint32_t *last_member;
    uint32_t *pivot;     ///< the elements in their order
    uint32_t *by_degree; ///< first of the list
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
    // Every edge at both ends and beside them the list that is being made; half as much again, or
    // gaps would be closed too often.
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

/// Both ends of every edge; what is named twice is there twice.
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

/// Keeps each edge once and finds the degrees, which are exact at first.
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

/// The lists that are left never take more than the edges did: an element is no longer than what it
/// was made of.
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

/// Adds to L_p those of a list that are not in it yet; returns their weight.
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

/// That L_p can have.
static size_t greatest_length(const struct elimination *e, uint32_t p) {
    const uint32_t *list = e->pool + e->first[p];
    size_t length = e->length[p] - e->element_count[p];
    for (uint32_t k = 0; k < e->element_count[p]; k++) {
        length += e->is_element[list[k]] ? e->length[list[k]] : 0;
    }
    return length < e->count ? length : e->count;
}

/// L_p = A_p and the L_e of all e in E_p, without p; they are absorbed (ADD algorithm 1).
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

/// Afterwards mark[e] - stamp is the weight of L_e without L_p, for every e beside p that a
/// variable of L_p has (ADD algorithm 2).
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

/// Writes p and what is left of E_i, then what p does not join of A_i; returns the weight of all
/// that but p, counted as often as it is named. There is room: i was p's neighbour by an entry that
/// goes.
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
        // Nothing of L_e is outside L_p: p covers all that e does (ADD section 4).
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

/// The degrees without what L_p adds to them (ADD eq. 4); a variable that has no other neighbours
/// is eliminated together with p.
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

/// Merges into i all that follow it in the list of its hash and have its lists.
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

/// What is left of L_p gets its degrees (ADD eq. 4: never more than all that is left).
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
