// The linear system of a bonded body of tetrahedra at rest: M / h^2 plus the Hessian of its bonds,
// some of which may be broken.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_BONDED_SYSTEM_H
#define PBS_BENCH_BONDED_SYSTEM_H

#include "linear/preconditioner.h"
#include "world/world.h"

struct bonded_system_desc {
    size_t cells[3]; ///< number of cells, of twelve tetrahedra each
    double side;     ///< of a cell, m
    double young;    ///< of the bonds, Pa
    double step;     ///< h, s
    bool is_cut;     ///< cut in two across the last axis
    double broken;   ///< fraction of the other bonds that is broken, at random places
};

struct bonded_system {
    pbs_world *world;
    pbs_body body;
    size_t particles;
    struct bsr a;
    double *x, *rotation_modes, *b; ///< in row order: positions, rotational modes, and a random
                                    ///< right-hand side in [-1, 1]
    uint8_t *coupled;               ///< one per block
    struct linear_problem problem;
};

pbs_status bonded_system_make(const struct bonded_system_desc *d, struct bonded_system *out);
void bonded_system_free(struct bonded_system *s);

#endif
