// The linear system of a bonded body of tetrahedra at rest: M / h^2 and the Hessian of its bonds,
// of which some may be broken.
#ifndef PBS_BENCH_BONDED_SYSTEM_H
#define PBS_BENCH_BONDED_SYSTEM_H

#include "linear/preconditioner.h"
#include "world/world.h"

struct bonded_system_desc {
    size_t cells[3]; ///< twelve tetrahedra each
    double side;     ///< of a cell, m
    double young;    ///< of the bonds, Pa
    double step;     ///< h, s
    bool is_cut;     ///< in two, across the last axis
    double broken;   ///< share of the other bonds, anywhere
};

struct bonded_system {
    pbs_world *world;
    pbs_body body;
    size_t particles;
    struct bsr a;
    double *x, *turns, *b; ///< rows, and a right-hand side of numbers between -1 and 1
    uint8_t *coupled;      ///< per block
    struct linear_problem problem;
};

pbs_status bonded_system_make(const struct bonded_system_desc *d, struct bonded_system *out);
void bonded_system_free(struct bonded_system *s);

#endif
