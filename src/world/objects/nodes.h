// The nodes of all bodies, one after another in order of creation: state and what belongs to a node
// alone.
#ifndef PBS_WORLD_OBJECTS_NODES_H
#define PBS_WORLD_OBJECTS_NODES_H

#include "base/runtime/memory.h"
#include "base/node_kind.h"

/// All zero is a valid empty one.
struct nodes {
    size_t count, capacity;
    size_t vacant;         ///< of count: those of destroyed bodies, until scene_compact_nodes
    double *x;             ///< count x 3, metres
    double *v;             ///< count x 3, m/s
    double *initial;       ///< count x 3, metres: where gravity's energy is zero
    double *target;        ///< count x 3, metres: where held axes are at the end of the next step
    double *force;         ///< count x 3, N: the host's, until it sets others
    double *mass;          ///< count, kg, > 0
    double *stiffness;     ///< count, N: what forces are relative to, Young modulus times nodal
                           ///< volume^(2/3) in solids; 0 in custom bodies
    double *contact_force; ///< count x 3, N: of obstacles on the node, at the end of the last step
    uint8_t *constrained_axes; ///< count, PBS_AXIS_* bits
    uint8_t *colliding;        ///< count, 1 where colliders act
    uint8_t *kind;             ///< count, NODE_*
};

/// Makes room for `more` nodes; nodes_append cannot fail afterwards.
pbs_status nodes_reserve(struct nodes *nodes, struct memory *memory, size_t more);

/// Adds zeroed nodes; returns the first.
size_t nodes_append(struct nodes *nodes, size_t more);
/// Puts count nodes from start on at x (count x 3), their initial place and target too, with
/// velocities v (null: at rest); colliders act on them.
void nodes_set(struct nodes *nodes, size_t start, size_t count, const double *x, const double *v);
/// Extreme densities, moduli and sizes are fine one by one and not together: PBS_ERROR_ARGUMENT
/// where a mass or a stiffness ("modulus times area") is not positive and normal.
pbs_status nodes_check(const struct nodes *nodes, size_t start, size_t count,
                       const char *stiffness);
/// How many of count nodes from start on are places; a body's places are its first nodes. They move
/// where it moves, weigh what it weighs, and are its extent.
size_t nodes_count_positions(const struct nodes *nodes, size_t start, size_t count);
/// Whether the host's forces act on some node.
bool nodes_are_loaded(const struct nodes *nodes);
void nodes_remove(struct nodes *nodes, size_t start, size_t count);
/// Copies nodes down to where others were.
void nodes_move(struct nodes *nodes, size_t start, size_t count, size_t to);
void nodes_free(struct nodes *nodes, struct memory *memory);

#endif
