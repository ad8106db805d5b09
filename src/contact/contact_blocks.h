// Turns the Hessians of contacts into the stencils of the contact matrix C. The Hessian of one
// contact is a sum of terms c v v^T, where v has three entries for each point of the contact.
// Points are weighted sums of nodes, so the sum becomes one small dense block over those nodes.
// Theory: docs/theory/contact.md section 2.3.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_CONTACT_BLOCKS_H
#define PBS_CONTACT_CONTACT_BLOCKS_H

#include "contact/surfaces/collision_mesh.h"
#include "sparse/matrices/contact_matrix.h"

enum { CONTACT_POINTS = 4, CONTACT_RANK = 10 };

/// The Hessian of one contact, sum over k of coefficient_k vector_k vector_k^T.
struct contact_hessian {
    int count;
    double coefficient[CONTACT_RANK]; ///< N/m; >= 0 if the Hessian is positive semidefinite
    double vector[CONTACT_RANK][CONTACT_POINTS][3];
};

/// Appends the term whose vector the caller has already written to vector[count].
static inline void contact_hessian_add(struct contact_hessian *hessian, double coefficient) {
    hessian->coefficient[hessian->count++] = coefficient;
}

/// The nodes that a contact's points depend on, each listed once, and the weight of every node in
/// every point.
struct contact_nodes {
    uint32_t node_count;
    uint32_t node[CONTACT_STENCIL_LIMIT];
    double weight[CONTACT_STENCIL_LIMIT][CONTACT_POINTS];
};

/// The part of a contact's Hessian that belongs to rotation nodes, which are not nodes of its
/// points: the entries of every vector for up to two such nodes.
struct contact_rotations {
    int count;
    uint32_t node[2];
    double vector[CONTACT_RANK][2][3];
};

/// The mesh and the layout that the blocks belong to. constrained_axes: PBS_AXIS_* bits per node;
/// null if there are none.
struct contact_blocks_scene {
    const struct collision_mesh *mesh;
    const struct layout *layout;
    const uint8_t *constrained_axes;
};

/// Stencils grouped by width, the input of contact_matrix_build. A zero-initialised one is empty
/// and valid. Buffers grow and never shrink.
struct contact_blocks {
    struct contact_stencils sets[CONTACT_STENCIL_LIMIT];
    uint32_t *rows[CONTACT_STENCIL_LIMIT];
    double *blocks[CONTACT_STENCIL_LIMIT];
    size_t row_capacity[CONTACT_STENCIL_LIMIT], block_capacity[CONTACT_STENCIL_LIMIT];
};

/// The location of a contact's block: its width in nodes (0 if the contact has no free node) and
/// its index among the blocks of that width.
struct contact_block_index {
    uint32_t width;
    uint32_t index;
};

/// Lists the nodes of the points with their weights. Nodes with all axes constrained are omitted.
void contact_nodes_of_points(const struct contact_blocks_scene *scene, const uint32_t *points,
                             int point_count, struct contact_nodes *nodes);

/// Appends a rotation node. Must be called for every node of contact_rotations before
/// contact_blocks_write.
void contact_nodes_add(const struct contact_blocks_scene *scene, uint32_t node,
                       struct contact_nodes *nodes);

/// Puts the nodes in ascending order.
void contact_nodes_sort(struct contact_nodes *nodes);

void contact_blocks_clear(struct contact_blocks *blocks);
void contact_blocks_free(struct memory *memory, struct contact_blocks *blocks);

/// Counts one more stencil of that width. contact_blocks_reserve allocates its memory.
struct contact_block_index contact_blocks_count(struct contact_blocks *blocks, uint32_t width);
/// Allocates rows and blocks of all counted stencils, and at least of room[w - 1] of width w. room:
/// may be null.
pbs_status contact_blocks_reserve(struct memory *memory, const size_t room[CONTACT_STENCIL_LIMIT],
                                  struct contact_blocks *blocks);
/// Writes the rows of a counted stencil, and a block of zeros. This and what follows may be called
/// concurrently for different stencils.
void contact_blocks_open(const struct contact_blocks_scene *scene,
                         const struct contact_nodes *nodes, struct contact_block_index location,
                         struct contact_blocks *blocks);
/// Adds a Hessian to an open block. nodes: those of the block; rotations: null if there are none.
void contact_blocks_add(const struct contact_blocks_scene *scene, const struct contact_nodes *nodes,
                        const struct contact_hessian *hessian,
                        const struct contact_rotations *rotations,
                        struct contact_block_index location, struct contact_blocks *blocks);
/// Completes a block.
void contact_blocks_close(struct contact_block_index location, struct contact_blocks *blocks);
/// The three for a stencil of one Hessian.
void contact_blocks_write(const struct contact_blocks_scene *scene,
                          const struct contact_nodes *nodes, const struct contact_hessian *hessian,
                          const struct contact_rotations *rotations,
                          struct contact_block_index location, struct contact_blocks *blocks);

#endif
