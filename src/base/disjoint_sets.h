// Disjoint sets of indices (union-find). The smallest member of a set is its root, so that the
// result does not depend on the order in which pairs are joined.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_DISJOINT_SETS_H
#define PBS_BASE_DISJOINT_SETS_H

#include <stddef.h>
#include <stdint.h>

/// Makes every index a set of its own.
static inline void disjoint_sets_begin(uint32_t *parent, size_t count) {
    for (size_t i = 0; i < count; i++) {
        parent[i] = (uint32_t)i;
    }
}

/// Returns the smallest member of an index's set. Halves the path to the root as it goes.
static inline uint32_t disjoint_sets_find(uint32_t *parent, uint32_t index) {
    while (parent[index] != index) {
        parent[index] = parent[parent[index]];
        index = parent[index];
    }
    return index;
}

static inline void disjoint_sets_join(uint32_t *parent, uint32_t a, uint32_t b) {
    const uint32_t first = disjoint_sets_find(parent, a);
    const uint32_t second = disjoint_sets_find(parent, b);
    if (first < second) {
        parent[second] = first;
    } else {
        parent[first] = second;
    }
}

/// Sets every index's parent to the smallest member of its set.
static inline void disjoint_sets_flatten(uint32_t *parent, size_t count) {
    // A parent is never larger than its child, so parent[parent[i]] is already the root.
    for (size_t i = 0; i < count; i++) {
        parent[i] = parent[parent[i]];
    }
}

#endif
