// A box of tetrahedra on a body-centred cubic lattice: every two centres of neighbouring cells and
// an edge of the square between them, four to a square; at the surface a centre and half a square.
#ifndef PBS_BENCH_CUBIC_TETS_H
#define PBS_BENCH_CUBIC_TETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubic_tets {
    size_t vertex_count, tet_count;
    double *vertices; ///< vertex_count x 3
    uint32_t *tets;   ///< tet_count x 4, positive
};

/// cells[0] x cells[1] x cells[2] cells of side h, twelve tetrahedra each, from the origin on;
/// jitter: how far each vertex inside may be from its place in each direction, in parts of h. False
/// without memory.
bool cubic_tets_make(struct cubic_tets *mesh, const size_t cells[3], double h, double jitter);
void cubic_tets_free(struct cubic_tets *mesh);

#endif
