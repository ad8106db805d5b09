// The nodes of all bodies, body by body in order of creation: their state and their other data.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_NODES_NODES_H
#define PBS_WORLD_NODES_NODES_H

#include "base/runtime/memory.h"
#include "base/node_kind.h"

/// A zero-initialised struct is empty and valid.
struct nodes {
    size_t count, capacity;
    size_t vacant;   ///< number of nodes of destroyed bodies, included in count until
                     ///< scene_compact_nodes
    double *x;       ///< count x 3, metres
    double *v;       ///< count x 3, m/s
    double *initial; ///< count x 3, metres: initial positions, where the energy of gravity is zero
    double *target;  ///< count x 3, metres: prescribed positions at the end of the next step; used
                     ///< on constrained axes
    double *force;   ///< count x 3, N: forces set by the host
    double *force_once;        ///< count x 3, N: forces set by the host for the next run alone
    double *mass;              ///< count, kg, > 0
    double *stiffness;         ///< count, N: scale of elastic forces: Young's modulus times nodal
                               ///< volume^(2/3) in solids; 0 in custom bodies
    double *contact_force;     ///< count x 3, N: forces of obstacles at the end of the last step
    uint8_t *constrained_axes; ///< count, PBS_AXIS_* bits
    uint8_t *colliding;        ///< count, 1: the node collides with colliders
    uint8_t *kind;             ///< count, NODE_*
};

/// Reserves memory for `more` nodes; nodes_append cannot fail afterwards.
pbs_status nodes_reserve(struct nodes *nodes, struct memory *memory, size_t more);

/// Appends nodes of zeros; returns the index of the first.
size_t nodes_append(struct nodes *nodes, size_t more);
/// Sets the positions, initial positions and targets of count nodes from start on to x (count x 3),
/// and their velocities to v (null: 0). The nodes collide with colliders.
void nodes_set(struct nodes *nodes, size_t start, size_t count, const double *x, const double *v);
/// Checks that the masses and stiffnesses of the nodes are positive and normal numbers: densities,
/// moduli and sizes that are each permitted may together overflow or underflow. PBS_ERROR_ARGUMENT.
/// stiffness: "modulus times area", for the message.
pbs_status nodes_check(const struct nodes *nodes, size_t start, size_t count,
                       const char *stiffness);
/// Counts the nodes that are positions (NODE_POSITION) among count nodes of a body from start on.
/// They are the body's first nodes. They follow a translation of the body, have its mass, and
/// define its extent.
size_t nodes_count_positions(const struct nodes *nodes, size_t start, size_t count);
/// Where a node is to be at the end of the next step as far as that is prescribed: its target on
/// constrained axes, its position on others.
void nodes_prescribed(const struct nodes *nodes, size_t node, double out[3]);
/// Whether the host's force on some node is not zero.
bool nodes_are_loaded(const struct nodes *nodes);
void nodes_remove(struct nodes *nodes, size_t start, size_t count);
/// Copies count nodes from start on to the lower index `to`.
void nodes_move(struct nodes *nodes, size_t start, size_t count, size_t to);
void nodes_free(struct nodes *nodes, struct memory *memory);

#endif
