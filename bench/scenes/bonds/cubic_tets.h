// A box of tetrahedra on a body-centred cubic lattice. Each inner cell face gives four tetrahedra:
// the centres of both cells and one edge of the face. Each face at the surface gives two: the
// cell's centre and half of the face.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_CUBIC_TETS_H
#define PBS_BENCH_CUBIC_TETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubic_tets {
    size_t vertex_count, tet_count;
    double *vertices; ///< vertex_count x 3
    uint32_t *tets;   ///< tet_count x 4, positively oriented
};

/// Builds a box of cells[0] x cells[1] x cells[2] cells of side h, with twelve tetrahedra each,
/// whose lowest corner is the origin. jitter: largest random offset of inner vertices in each
/// direction, as a fraction of h. Returns false if memory is short.
bool cubic_tets_make(struct cubic_tets *mesh, const size_t cells[3], double h, double jitter);
void cubic_tets_free(struct cubic_tets *mesh);

#endif
