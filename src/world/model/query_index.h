// What queries search: the triangles of all bodies and mesh colliders, in one list, under a tree of
// boxes. Made at the first query after something changed; then only read. Other colliders are asked
// one by one.
#ifndef PBS_WORLD_MODEL_QUERY_INDEX_H
#define PBS_WORLD_MODEL_QUERY_INDEX_H

#include <pthread.h>
#include <stdatomic.h>

#include "broad_phase/bounding_tree.h"

struct scene;

/// A body or a collider in the lists; bodies first, in order of creation.
struct query_part {
    size_t first_point, first_triangle, triangle_count;
};

struct query_index {
    struct memory memory;   ///< its own account of the host's
    pthread_mutex_t lock;   ///< of whoever brings it up to date, as any thread may ask
    atomic_bool is_current; ///< all else is only read
    bool parts_are_current; ///< false: bodies or colliders came or went
    size_t part_count, point_count, triangle_count;
    struct query_part *parts;
    double *x;           ///< point_count x 3, m
    uint32_t *triangles; ///< triangle_count x 3, points
    uint32_t *owners;    ///< per triangle: its part
    struct box *point_boxes, *boxes;
    struct bounding_tree tree;
    size_t part_capacity, x_capacity, triangle_capacity, owner_capacity, point_box_capacity,
        box_capacity;
};

/// In memory of zeros: knows nothing yet.
void query_index_init(struct query_index *index, const pbs_allocator *allocator);
void query_index_free(struct query_index *index);

/// Something may have moved; bodies or colliders came or went. Not while anybody asks.
void query_index_invalidate_positions(struct query_index *index);
void query_index_invalidate_parts(struct query_index *index);

/// What it has taken of the host's memory so far, for any thread.
struct memory query_index_memory(struct query_index *index);

/// The scene as it is now, for any thread. On failure (PBS_ERROR_MEMORY, PBS_ERROR_ARGUMENT for
/// 2^31 triangles and more) the next call begins anew.
pbs_status query_index_update(struct query_index *index, const struct scene *scene,
                              struct tasks *tasks);

#endif
