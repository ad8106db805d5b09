// From contacts to the second matrix C: a contact's Hessian is a sum of c v v^T with v over its few
// points; folded to the nodes that the points are sums of it becomes one small dense block.
// Theory: docs/theory/contact.md section 2.3.
#ifndef PBS_CONTACT_CONTACT_BLOCKS_H
#define PBS_CONTACT_CONTACT_BLOCKS_H

#include "contact/surfaces/collision_mesh.h"
#include "sparse/matrices/contact_matrix.h"

enum { CONTACT_POINTS = 4, CONTACT_RANK = 6 };

/// The Hessian of one contact: sum over k of coefficient_k vector_k vector_k^T.
struct contact_hessian {
    int count;
    double coefficient[CONTACT_RANK]; ///< N/m; of a semidefinite Hessian >= 0
    double vector[CONTACT_RANK][CONTACT_POINTS][3];
};

/// Takes in the next vector, already written.
static inline void contact_hessian_add(struct contact_hessian *hessian, double coefficient) {
    hessian->coefficient[hessian->count++] = coefficient;
}

/// The nodes of a contact's points, each once, and what every point takes of each.
struct contact_nodes {
    uint32_t node_count;
    uint32_t node[CONTACT_STENCIL_LIMIT];
    double weight[CONTACT_STENCIL_LIMIT][CONTACT_POINTS];
};

/// What a contact's Hessian has in rotations, which are no points: of each node, its part of every
/// vector.
struct contact_rotations {
    int count;
    uint32_t node[2];
    double vector[CONTACT_RANK][2][3];
};

/// What the blocks are made for. held: per node PBS_AXIS_* bits; null: none.
struct contact_blocks_scene {
    const struct collision_mesh *mesh;
    const struct layout *layout;
    const uint8_t *constrained_axes;
};

/// Stencils by width, for contact_matrix_build. All zero is a valid empty one; room grows, never
/// shrinks.
struct contact_blocks {
    struct contact_stencils sets[CONTACT_STENCIL_LIMIT];
    uint32_t *rows[CONTACT_STENCIL_LIMIT];
    double *blocks[CONTACT_STENCIL_LIMIT];
    size_t row_capacity[CONTACT_STENCIL_LIMIT], block_capacity[CONTACT_STENCIL_LIMIT];
};

/// Where a contact's block is: its width (0: it touches no node that can move) and its number among
/// those of that width.
struct contact_block_index {
    uint32_t width;
    uint32_t index;
};

/// Nodes all of whose axes are held are left out.
void contact_nodes_of_points(const struct contact_blocks_scene *scene, const uint32_t *points,
                             int point_count, struct contact_nodes *nodes);

/// Besides the points; to be called for all nodes of contact_rotations.
void contact_nodes_add(const struct contact_blocks_scene *scene, uint32_t node,
                       struct contact_nodes *nodes);

void contact_blocks_clear(struct contact_blocks *blocks);
void contact_blocks_free(struct memory *memory, struct contact_blocks *blocks);

/// One more stencil of that width. Room for it is made by contact_blocks_reserve.
struct contact_block_index contact_blocks_count(struct contact_blocks *blocks, uint32_t width);
/// Room for all that were counted.
pbs_status contact_blocks_reserve(struct memory *memory, struct contact_blocks *blocks);
/// Rows and block of a counted stencil; of different ones at the same time. turns: null: none.
void contact_blocks_write(const struct contact_blocks_scene *scene,
                          const struct contact_nodes *nodes, const struct contact_hessian *hessian,
                          const struct contact_rotations *rotations,
                          struct contact_block_index place, struct contact_blocks *blocks);

#endif
