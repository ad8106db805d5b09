// See elimination.h. Time is nearly linear in the number of blocks of the matrix, not of its
// factor.
// SPDX-License-Identifier: MIT
#include "linear/supernodal/elimination.h"

#include <string.h>

void elimination_couplings(const struct bsr *pattern, const uint32_t *position, bool earlier,
                           struct couplings *out) {
    const uint32_t n = pattern->row_count;
    memset(out->start, 0, ((size_t)n + 1) * sizeof *out->start);
    // Two passes: first start[i + 1] counts; then start[i] advances from the first entry of i to
    // its end, which is the start of i + 1.
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t row = 0; row < n; row++) {
            for (uint32_t k = pattern->row_start[row]; k < pattern->row_start[row + 1]; k++) {
                const uint32_t p = position[row];
                const uint32_t q = position[pattern->column[k]];
                if (p == q) {
                    continue;
                }
                const uint32_t own = (p > q) == earlier ? p : q;
                if (pass == 0) {
                    out->start[own + 1]++;
                } else {
                    out->other[out->start[own]++] = own == p ? q : p;
                }
            }
        }
        if (pass == 0) {
            for (uint32_t i = 0; i < n; i++) {
                out->start[i + 1] += out->start[i];
            }
        }
    }
    for (uint32_t i = n; i > 0; i--) {
        out->start[i] = out->start[i - 1];
    }
    out->start[0] = 0;
}

void elimination_tree(uint32_t count, const struct couplings *earlier, uint32_t *parent,
                      uint32_t *scratch) {
    uint32_t *ancestor = scratch;
    for (uint32_t i = 0; i < count; i++) {
        parent[i] = NO_INDEX;
        ancestor[i] = NO_INDEX;
        for (uint32_t k = earlier->start[i]; k < earlier->start[i + 1]; k++) {
            // Walks from j to the root of its current subtree. Path compression: every node on the
            // way then points to i.
            for (uint32_t j = earlier->other[k]; j != i;) {
                const uint32_t up = ancestor[j];
                ancestor[j] = i;
                if (up == NO_INDEX) {
                    parent[j] = i;
                    break;
                }
                j = up;
            }
        }
    }
}

void elimination_postorder(uint32_t count, const uint32_t *parent, uint32_t *label,
                           uint32_t *scratch) {
    // Subtree sizes give every label directly: a child's range starts where that of its previous
    // sibling ends.
    uint32_t *size = scratch;
    uint32_t *next = scratch + count;
    uint32_t *begin = scratch + 2 * (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        size[i] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (parent[i] != NO_INDEX) {
            size[parent[i]] += size[i];
        }
    }
    uint32_t roots = count;
    for (uint32_t i = count; i-- > 0;) {
        // The children in ascending order fill their parent's range; this loop fills it from the
        // end.
        uint32_t *end = parent[i] == NO_INDEX ? &roots : &next[parent[i]];
        begin[i] = *end - size[i];
        *end = begin[i];
        label[i] = begin[i] + size[i] - 1;
        next[i] = label[i];
    }
}

/// Returns the root of the set of j; halves the path to it.
static uint32_t find(uint32_t *set, uint32_t j) {
    while (set[j] != j) {
        set[j] = set[set[j]];
        j = set[j];
    }
    return j;
}

void elimination_counts(uint32_t count, const uint32_t *parent, const struct couplings *later,
                        uint32_t *entries, uint32_t *scratch) {
    uint32_t *first = scratch;                    // first descendant in the postorder
    uint32_t *neighbor = scratch + (size_t)count; // 1 + the last position found coupled to it
    uint32_t *leaf = scratch + 2 * (size_t)count; // the last leaf found in its row's subtree
    uint32_t *set = scratch + 3 * (size_t)count;
    for (uint32_t j = 0; j < count; j++) {
        first[j] = j;
        neighbor[j] = 0;
        leaf[j] = NO_INDEX;
        set[j] = j;
        entries[j] = 1;
    }
    for (uint32_t j = 0; j < count; j++) {
        if (parent[j] != NO_INDEX) {
            entries[parent[j]] = 0;
            first[parent[j]] = first[j] < first[parent[j]] ? first[j] : first[parent[j]];
        }
    }
    // Weights may be negative until they are summed up the tree. The unsigned arithmetic wraps and
    // wraps back.
    for (uint32_t j = 0; j < count; j++) {
        if (parent[j] != NO_INDEX) {
            entries[parent[j]]--;
        }
        for (uint32_t k = later->start[j]; k < later->start[j + 1]; k++) {
            const uint32_t u = later->other[k];
            if (first[j] + 1 > neighbor[u]) {
                // j is a leaf of the row subtree of u. Where its path meets that of the previous
                // leaf, both paths are counted, hence the subtraction.
                entries[j]++;
                if (leaf[u] != NO_INDEX) {
                    entries[find(set, leaf[u])]--;
                }
                leaf[u] = j;
            }
            neighbor[u] = j + 1;
        }
        if (parent[j] != NO_INDEX) {
            set[j] = parent[j];
        }
    }
    for (uint32_t j = 0; j < count; j++) {
        if (parent[j] != NO_INDEX) {
            entries[parent[j]] += entries[j];
        }
    }
}
