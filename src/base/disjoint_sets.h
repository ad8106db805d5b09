// Sets of indices that are joined pair by pair (union-find). The least member stands for its set,
// so that what comes out does not depend on the order of the pairs.
#ifndef PBS_BASE_DISJOINT_SETS_H
#define PBS_BASE_DISJOINT_SETS_H

#include <stddef.h>
#include <stdint.h>

/// Every index by itself.
static inline void disjoint_sets_begin(uint32_t *parent, size_t count) {
    for (size_t i = 0; i < count; i++) {
        parent[i] = (uint32_t)i;
    }
}

/// The least member of an index's set. Halves the path on its way.
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

/// Every index's parent becomes the least member of its set.
static inline void disjoint_sets_flatten(uint32_t *parent, size_t count) {
    // A parent is never above its child, so it is flat already.
    for (size_t i = 0; i < count; i++) {
        parent[i] = parent[parent[i]];
    }
}

#endif
