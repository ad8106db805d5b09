// The triangles of all bodies and mesh colliders in one list, under a tree of boxes, for queries
// (pbs_world_ray, pbs_world_closest). It is updated at the first query after a change, and only
// read afterwards. Colliders of other shapes are not in it; queries test them one by one.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_MODEL_QUERY_INDEX_H
#define PBS_WORLD_MODEL_QUERY_INDEX_H

#include <pthread.h>
#include <stdatomic.h>

#include "broad_phase/bounding_tree.h"

struct scene;

/// The range of a body or a collider in the lists. Bodies come first, in order of creation.
struct query_part {
    size_t first_point, point_count, first_triangle, triangle_count;
    double low[3], high[3]; ///< m: bounding box of the points
};

struct query_index {
    struct memory memory;   ///< a separate account of the host's allocator
    pthread_mutex_t lock;   ///< held during an update, as any thread may query
    atomic_bool is_current; ///< if true, all members are only read
    bool parts_are_current; ///< false: bodies or colliders were created or destroyed
    size_t part_count, point_count, triangle_count;
    struct query_part *parts;
    double *x;           ///< point_count x 3, m
    uint32_t *triangles; ///< triangle_count x 3, points
    uint32_t *owners;    ///< per triangle: index of its part
    struct box *point_boxes, *boxes;
    struct bounding_tree tree;
    size_t part_capacity, x_capacity, triangle_capacity, owner_capacity, point_box_capacity,
        box_capacity;
};

/// Initialises an index that is all zero. It is empty.
void query_index_init(struct query_index *index, const pbs_allocator *allocator);
void query_index_free(struct query_index *index);

/// To be called when something may have moved, or when bodies or colliders were created or
/// destroyed. Not thread-safe: no query may run.
void query_index_invalidate_positions(struct query_index *index);
void query_index_invalidate_parts(struct query_index *index);

/// Returns the index's account of memory. Thread-safe.
struct memory query_index_memory(struct query_index *index);

/// Updates the index to the current scene. Thread-safe. On failure (PBS_ERROR_MEMORY;
/// PBS_ERROR_ARGUMENT for 2^31 triangles or more) the next call starts again.
pbs_status query_index_update(struct query_index *index, const struct scene *scene,
                              struct tasks *tasks);

#endif
