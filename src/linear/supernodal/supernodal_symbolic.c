// Symbolic analysis: columns of each supernode, its rows, and the storage layout. Fundamental
// supernodes follow Ng and Peyton (SIAM J. Sci. Comput. 14, 1993). Merging a supernode with its
// parent where that adds few zeros follows Ashcraft and Grimes (ACM Trans. Math. Softw. 15, 1989).
// SPDX-License-Identifier: MIT
#include "linear/supernodal/supernodal_parts.h"

#include <string.h>

/// Supernodes before and during merging, numbered children first.
struct draft {
    uint32_t count;
    uint32_t *first;   ///< count + 1: first column, in the postorder of the elimination tree
    uint32_t *columns; ///< of the merged supernode
    uint32_t *rows;    ///< of its front, including its columns
    uint32_t *parent;
    uint32_t *into;    ///< the supernode that it was merged into, or itself
    uint32_t *child;   ///< first in the list of children, or NO_INDEX
    uint32_t *last;    ///< last in the list of children
    uint32_t *sibling; ///< next in the list
    double *zeros;     ///< stored blocks that are known to be zero
};

/// Arrays of one analysis, all in s->scratch.
struct analysis {
    struct supernodal *s;
    const struct bsr *pattern;
    struct couplings couplings;
    uint32_t *tree;    ///< row_count: parent of each column
    uint32_t *entries; ///< row_count: of each column
    uint32_t *label;   ///< row_count
    uint32_t *owner;   ///< row_count: supernode of each position
    uint32_t *fill;    ///< row_count
    uint32_t *work;    ///< 4 * row_count
    struct draft draft;
};

static uint32_t *take(uint32_t **next, size_t count) {
    uint32_t *taken = *next;
    *next += (count + 15) / 16 * 16;
    return taken;
}

static size_t off_diagonal_count(const struct bsr *pattern) {
    return pattern->row_start[pattern->row_count] - (size_t)pattern->row_count;
}

/// Allocates everything whose size follows from the pattern.
static pbs_status reserve_for_pattern(struct analysis *a) {
    struct supernodal *s = a->s;
    const size_t n = a->pattern->row_count;
    const size_t blocks = a->pattern->row_start[n];
    const size_t rounding = 16;
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->words, &s->word_capacity,
                                    14 * (n + 1 + rounding) + 2 * (blocks + rounding),
                                    sizeof *s->words));
    RETURN_IF_FAILED(
        memory_reserve(s->memory, &s->sizes, &s->size_capacity, 3 * (n + 1), sizeof *s->sizes));
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->scratch, &s->scratch_capacity,
                                    20 * (n + 1 + rounding) + blocks + rounding,
                                    sizeof *s->scratch));
    uint32_t *next = s->words;
    s->order = take(&next, n);
    s->position = take(&next, n);
    s->first = take(&next, n + 1);
    s->parent = take(&next, n);
    s->child_start = take(&next, n + 1);
    s->child = take(&next, n);
    s->bad = take(&next, n);
    s->is_shared = take(&next, n);
    s->piece_begin = take(&next, n);
    s->piece_end = take(&next, n);
    s->top = take(&next, n);
    s->batch_piece_end = take(&next, n);
    s->batch_top_end = take(&next, n);
    s->source_start = take(&next, n + 1);
    s->source = take(&next, blocks);
    s->target = take(&next, blocks);
    s->row_start = s->sizes;
    s->factor_start = s->sizes + (n + 1);
    s->update_start = s->sizes + 2 * (n + 1);
    next = s->scratch;
    a->couplings.start = take(&next, n + 1);
    a->couplings.other = take(&next, off_diagonal_count(a->pattern));
    a->tree = take(&next, n);
    a->entries = take(&next, n);
    a->label = take(&next, n);
    a->owner = take(&next, n);
    a->fill = take(&next, n);
    a->work = take(&next, 4 * n);
    a->draft.first = take(&next, n + 1);
    a->draft.columns = take(&next, n);
    a->draft.rows = take(&next, n);
    a->draft.parent = take(&next, n);
    a->draft.into = take(&next, n);
    a->draft.child = take(&next, n);
    a->draft.last = take(&next, n);
    a->draft.sibling = take(&next, n);
    a->draft.zeros = (double *)(void *)take(&next, 2 * n);
    return PBS_OK;
}

static pbs_status load_order(struct analysis *a, const uint32_t *order) {
    struct supernodal *s = a->s;
    const uint32_t n = s->row_count;
    for (uint32_t i = 0; i < n; i++) {
        s->position[i] = NO_INDEX;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (order[k] >= n || s->position[order[k]] != NO_INDEX) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "elimination order: entry %u is row %u, which must be below %u and "
                               "occur once",
                               k, order[k], n);
        }
        s->position[order[k]] = k;
    }
    return PBS_OK;
}

static void relabel_positions(struct analysis *a) {
    for (uint32_t row = 0; row < a->s->row_count; row++) {
        a->s->position[row] = a->label[a->s->position[row]];
    }
}

/// Renumbers the positions in a postorder of the elimination tree, and counts the columns.
static void count_columns(struct analysis *a) {
    const uint32_t n = a->s->row_count;
    elimination_couplings(a->pattern, a->s->position, true, &a->couplings);
    elimination_tree(n, &a->couplings, a->fill, a->work);
    elimination_postorder(n, a->fill, a->label, a->work);
    for (uint32_t j = 0; j < n; j++) {
        a->tree[a->label[j]] = a->fill[j] == NO_INDEX ? NO_INDEX : a->label[a->fill[j]];
    }
    relabel_positions(a);
    elimination_couplings(a->pattern, a->s->position, false, &a->couplings);
    elimination_counts(n, a->tree, &a->couplings, a->entries, a->work);
}

/// Finds the fundamental supernodes. A column continues the supernode before it if that is its only
/// child and has the same rows.
static void find_fundamental(struct analysis *a) {
    const uint32_t n = a->s->row_count;
    struct draft *d = &a->draft;
    uint32_t *children = a->fill;
    memset(children, 0, n * sizeof *children);
    for (uint32_t j = 0; j < n; j++) {
        if (a->tree[j] != NO_INDEX) {
            children[a->tree[j]]++;
        }
    }
    d->count = 0;
    for (uint32_t j = 0; j < n; j++) {
        const bool goes_on = j > 0 && a->tree[j - 1] == j && children[j] == 1 &&
                             a->entries[j - 1] == a->entries[j] + 1;
        if (!goes_on) {
            d->first[d->count++] = j;
        }
        a->owner[j] = d->count - 1;
    }
    d->first[d->count] = n;
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t up = a->tree[d->first[i + 1] - 1];
        d->columns[i] = d->first[i + 1] - d->first[i];
        d->rows[i] = a->entries[d->first[i]];
        d->parent[i] = up == NO_INDEX ? NO_INDEX : a->owner[up];
        d->into[i] = i;
        d->zeros[i] = 0.0;
        d->child[i] = NO_INDEX;
        d->last[i] = NO_INDEX;
    }
}

static void append_child(struct draft *d, uint32_t parent, uint32_t child) {
    if (d->child[parent] == NO_INDEX) {
        d->child[parent] = child;
    } else {
        d->sibling[d->last[parent]] = child;
    }
    d->last[parent] = child;
    d->sibling[child] = NO_INDEX;
}

/// Returns the zero blocks that are added when every column of the child gets all rows of the
/// parent.
static double added_zeros(const struct draft *d, uint32_t child, uint32_t parent) {
    const double below = (double)d->rows[child] - d->columns[child];
    return d->columns[child] * (d->rows[parent] - below);
}

static double stored_blocks(double columns, double rows) {
    return columns * (rows - 0.5 * (columns - 1.0));
}

/// Returns whether merging pays. Small supernodes may add more zeros, because each supernode has a
/// fixed cost.
static bool worth_merging(const struct draft *d, uint32_t child, uint32_t parent) {
    const double columns = (double)d->columns[child] + d->columns[parent];
    const double zeros = d->zeros[child] + d->zeros[parent] + added_zeros(d, child, parent);
    const double stored = stored_blocks(columns, (double)d->rows[parent] + d->columns[child]);
    const double part = zeros / stored;
    return part < 0.03 || (columns <= 16 && part < 0.1) || (columns <= 5 && part < 0.3) ||
           columns <= 2;
}

static void merge(struct draft *d, uint32_t child, uint32_t parent) {
    d->zeros[parent] += d->zeros[child] + added_zeros(d, child, parent);
    d->columns[parent] += d->columns[child];
    d->rows[parent] += d->columns[child];
    d->into[child] = parent;
    // The parent gets the child's children, which were not worth merging with the smaller front.
    if (d->child[child] != NO_INDEX) {
        if (d->child[parent] == NO_INDEX) {
            d->child[parent] = d->child[child];
        } else {
            d->sibling[d->last[parent]] = d->child[child];
        }
        d->last[parent] = d->last[child];
    }
}

/// Merges children into their parent, beginning with the one that has the most rows below its
/// columns, because it adds the fewest zeros.
static void merge_children(struct draft *d, uint32_t parent) {
    uint32_t best = NO_INDEX;
    for (uint32_t c = d->child[parent]; c != NO_INDEX; c = d->sibling[c]) {
        if (best == NO_INDEX || d->rows[c] - d->columns[c] > d->rows[best] - d->columns[best]) {
            best = c;
        }
    }
    const uint32_t list = d->child[parent];
    d->child[parent] = NO_INDEX;
    d->last[parent] = NO_INDEX;
    const bool merged_best = best != NO_INDEX && worth_merging(d, best, parent);
    if (merged_best) {
        merge(d, best, parent);
    }
    for (uint32_t c = list; c != NO_INDEX;) {
        const uint32_t next = d->sibling[c];
        if (c == best) {
            if (!merged_best) {
                append_child(d, parent, c);
            }
        } else if (worth_merging(d, c, parent)) {
            merge(d, c, parent);
        } else {
            append_child(d, parent, c);
        }
        c = next;
    }
}

static void merge_supernodes(struct draft *d) {
    for (uint32_t i = 0; i < d->count; i++) {
        // All children precede i, so the list of i is complete, and the supernode that i is merged
        // into follows.
        merge_children(d, i);
        if (d->parent[i] != NO_INDEX) {
            append_child(d, d->parent[i], i);
        }
    }
    for (uint32_t i = d->count; i-- > 0;) {
        d->into[i] = d->into[i] == i ? i : d->into[d->into[i]];
    }
}

/// Numbers the remaining supernodes in postorder, and assigns positions to their columns.
static void number_supernodes(struct analysis *a) {
    struct supernodal *s = a->s;
    struct draft *d = &a->draft;
    uint32_t *kept = a->fill;      // draft -> index among the remaining ones
    uint32_t *up = a->work;        // parent of a remaining one
    uint32_t *number = a->entries; // its number in the postorder
    s->count = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        kept[i] = d->into[i] == i ? s->count++ : NO_INDEX;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        if (kept[i] != NO_INDEX) {
            up[kept[i]] = d->parent[i] == NO_INDEX ? NO_INDEX : kept[d->into[d->parent[i]]];
        }
    }
    elimination_postorder(s->count, up, number, a->work + s->row_count);
    memset(s->first, 0, ((size_t)s->count + 1) * sizeof *s->first);
    for (uint32_t i = 0; i < d->count; i++) {
        if (kept[i] != NO_INDEX) {
            const uint32_t k = number[kept[i]];
            s->first[k + 1] = d->columns[i];
            s->row_start[k + 1] = d->rows[i] - d->columns[i];
            s->parent[k] = up[kept[i]] == NO_INDEX ? NO_INDEX : number[up[kept[i]]];
        }
    }
    s->row_start[0] = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        s->first[k + 1] += s->first[k];
        s->row_start[k + 1] += s->row_start[k];
    }
    uint32_t *next = a->work;
    for (uint32_t k = 0; k < s->count; k++) {
        next[k] = s->first[k];
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t k = number[kept[d->into[i]]];
        for (uint32_t j = d->first[i]; j < d->first[i + 1]; j++) {
            a->label[j] = next[k]++;
        }
    }
    relabel_positions(a);
    for (uint32_t row = 0; row < s->row_count; row++) {
        s->order[s->position[row]] = row;
    }
}

static void list_children(struct supernodal *s) {
    memset(s->child_start, 0, ((size_t)s->count + 1) * sizeof *s->child_start);
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->parent[k] != NO_INDEX) {
            s->child_start[s->parent[k] + 1]++;
        }
    }
    for (uint32_t k = 0; k < s->count; k++) {
        s->child_start[k + 1] += s->child_start[k];
    }
    for (uint32_t k = s->count; k-- > 0;) {
        if (s->parent[k] != NO_INDEX) {
            s->child[--s->child_start[s->parent[k] + 1]] = k;
        }
    }
    // Each start was advanced to its end, which is the start of the next: shift back by one.
    for (uint32_t k = 0; k < s->count; k++) {
        s->child_start[k] = s->child_start[k + 1];
    }
    s->child_start[s->count] = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        s->child_start[s->count] += s->parent[k] != NO_INDEX;
    }
}

/// Fills the rows. Row i belongs to every supernode on the path from those with a coupling of i up
/// to its own. Ascending i gives sorted lists.
static void fill_rows(struct analysis *a) {
    struct supernodal *s = a->s;
    uint32_t *mark = a->fill;
    uint32_t *filled = a->work;
    for (uint32_t k = 0; k < s->count; k++) {
        mark[k] = NO_INDEX;
        filled[k] = 0;
        for (uint32_t j = s->first[k]; j < s->first[k + 1]; j++) {
            a->owner[j] = k;
        }
    }
    elimination_couplings(a->pattern, s->position, true, &a->couplings);
    for (uint32_t i = 0; i < s->row_count; i++) {
        for (uint32_t c = a->couplings.start[i]; c < a->couplings.start[i + 1]; c++) {
            for (uint32_t k = a->owner[a->couplings.other[c]]; k != a->owner[i] && mark[k] != i;
                 k = s->parent[k]) {
                mark[k] = i;
                s->rows[s->row_start[k] + filled[k]++] = i;
            }
        }
    }
}

/// Looks up each row in the parent's front. Both lists are sorted, and the parent's front contains
/// every row.
static void assign_rows(struct supernodal *s, uint32_t k) {
    const uint32_t up = s->parent[k];
    if (up == NO_INDEX) {
        return;
    }
    size_t at = s->row_start[up];
    for (size_t i = s->row_start[k]; i < s->row_start[k + 1]; i++) {
        const uint32_t row = s->rows[i];
        if (row < s->first[up + 1]) {
            s->parent_row[i] = row - s->first[up];
            continue;
        }
        while (s->rows[at] != row) {
            at++;
        }
        s->parent_row[i] = front_columns(s, up) + (uint32_t)(at - s->row_start[up]);
    }
    for (size_t i = s->row_start[k + 1]; i-- > s->row_start[k];) {
        const bool goes_on = i + 1 < s->row_start[k + 1] &&
                             s->parent_row[i + 1] == s->parent_row[i] + 1;
        s->run[i] = goes_on ? s->run[i + 1] + 1 : 1;
    }
}

/// Groups the blocks of the matrix by factor column. A table of the supernode's rows gives the row
/// in the front.
static void assign_blocks(struct analysis *a) {
    struct supernodal *s = a->s;
    const struct bsr *m = a->pattern;
    uint32_t *index = a->fill;
    for (uint32_t j = 0; j <= s->row_count; j++) {
        s->source_start[j] = 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t row = 0; row < s->row_count; row++) {
            for (uint32_t b = m->row_start[row]; b < m->row_start[row + 1]; b++) {
                const uint32_t p = s->position[row];
                const uint32_t q = s->position[m->column[b]];
                const uint32_t column = p < q ? p : q;
                if (pass == 0) {
                    s->source_start[column + 1]++;
                } else {
                    const uint32_t at = s->source_start[column]++;
                    s->source[at] = b;
                    s->target[at] = 2 * (p < q ? q : p) + (p > q);
                }
            }
        }
        for (uint32_t j = 0; j < s->row_count && pass == 0; j++) {
            s->source_start[j + 1] += s->source_start[j];
        }
    }
    for (uint32_t j = s->row_count; j > 0; j--) {
        s->source_start[j] = s->source_start[j - 1];
    }
    s->source_start[0] = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        for (size_t i = s->row_start[k]; i < s->row_start[k + 1]; i++) {
            index[s->rows[i]] = front_columns(s, k) + (uint32_t)(i - s->row_start[k]);
        }
        for (uint32_t j = s->first[k]; j < s->first[k + 1]; j++) {
            index[j] = j - s->first[k];
        }
        for (uint32_t b = s->source_start[s->first[k]]; b < s->source_start[s->first[k + 1]]; b++) {
            s->target[b] = 2 * index[s->target[b] / 2] + s->target[b] % 2;
        }
    }
}

pbs_status supernodal_symbolic(struct supernodal *s, const struct bsr *pattern,
                               const uint32_t *order) {
    struct analysis a = {.s = s, .pattern = pattern};
    s->row_count = pattern->row_count;
    RETURN_IF_FAILED(reserve_for_pattern(&a));
    RETURN_IF_FAILED(load_order(&a, order));
    count_columns(&a);
    find_fundamental(&a);
    merge_supernodes(&a.draft);
    number_supernodes(&a);
    list_children(s);
    const size_t rows = (s->row_start[s->count] + 15) / 16 * 16;
    // The pattern changes with contact. With twice the needed capacity, a pile at rest does not
    // allocate again although its fill fluctuates.
    const size_t needed = 3 * rows;
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->structure, &s->structure_capacity,
                                    needed > s->structure_capacity ? 2 * needed : needed,
                                    sizeof *s->structure));
    s->rows = s->structure;
    s->parent_row = s->structure + rows;
    s->run = s->structure + 2 * rows;
    fill_rows(&a);
    for (uint32_t k = 0; k < s->count; k++) {
        assign_rows(s, k);
    }
    assign_blocks(&a);
    supernodal_schedule(s, a.draft.zeros, a.work);
    return PBS_OK;
}
