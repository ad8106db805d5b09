// From the angles of a triangle's hinges and of its neighbours' to the energy of a plate: the
// linear operator of docs/theory/shells.md sections 2 and 3, made once from the rest mesh.
#ifndef PBS_ENERGY_SHELLS_PLATE_OPERATOR_H
#define PBS_ENERGY_SHELLS_PLATE_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

/// A triangle with its neighbours. Nodes 0 1 2: its own; 3 + k: opposite edge k, which runs from
/// node k to the next; 6 + 2k and 7 + 2k: across the edges of neighbour k from node k to 3 + k and
/// from there to node k + 1. Hinge k is edge k; hinges 3 + 2k and 4 + 2k are those two edges.
enum { PLATE_NODES = 12, PLATE_HINGES = 9, PLATE_ROWS = 3 };

/// Each hinge's nodes: edge, left, right, as bending.h has them.
extern const uint8_t plate_hinge_nodes[PLATE_HINGES][4];

enum plate_hinge {
    PLATE_HINGE_ABSENT, ///< the sheet ends there
    PLATE_HINGE_INNER,
    PLATE_HINGE_CLAMPED ///< of edges 0, 1, 2: the sheet ends there in a prescribed direction
};

struct plate_patch {
    double rest[PLATE_NODES][3];  ///< metres; of absent nodes anything finite
    uint8_t hinges[PLATE_HINGES]; ///< PLATE_HINGE_*
    double rigidity;              ///< D, N m
    double poisson;               ///< of bending
};

/// R of the energy 1/2 |R delta|^2, row by row, delta the angles of the hinges less their rest
/// angles; columns of absent hinges are zero. Square roots of joules.
void plate_operator(const struct plate_patch *patch, double r[PLATE_ROWS * PLATE_HINGES]);

#endif
