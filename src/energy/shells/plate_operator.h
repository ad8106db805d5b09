// Computes the matrix R that maps the hinge angles of a triangle and its neighbours to the square
// root of the plate's energy (docs/theory/shells.md sections 2 and 3). R depends on the rest mesh
// only.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_PLATE_OPERATOR_H
#define PBS_ENERGY_SHELLS_PLATE_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

/// A patch is a triangle with its neighbours. Nodes 0, 1, 2 are the triangle's own; edge k runs
/// from node k to the next. Node 3 + k is the third node of neighbour k, across edge k. Nodes 6 +
/// 2k and 7 + 2k are opposite the outer edges of neighbour k: the one from node k to node 3 + k,
/// and the one from node 3 + k to node k + 1. Hinge k is at edge k; hinges 3 + 2k and 4 + 2k are at
/// these two outer edges.
enum { PLATE_NODES = 12, PLATE_HINGES = 9, PLATE_ROWS = 3 };

/// The nodes of each hinge in the order of bending.h: edge, left, right.
extern const uint8_t plate_hinge_nodes[PLATE_HINGES][4];

enum plate_hinge {
    PLATE_HINGE_ABSENT, ///< the edge is a free border or does not exist
    PLATE_HINGE_INNER,
    PLATE_HINGE_CLAMPED ///< only at edges 0, 1, 2: a border edge clamped in a given direction
};

struct plate_patch {
    double rest[PLATE_NODES][3];  ///< metres; absent nodes have any finite value
    uint8_t hinges[PLATE_HINGES]; ///< PLATE_HINGE_*
    double rigidity;              ///< D, N m
    double poisson;               ///< Poisson's ratio
};

/// Computes R (row-major, in square roots of joules) of the energy 1/2 |R delta|^2, where delta are
/// the hinge angles minus their rest angles. Columns of absent hinges are zero.
void plate_operator(const struct plate_patch *patch, double r[PLATE_ROWS * PLATE_HINGES]);

#endif
