// The energy of thin sheets against bending as plates, triangle by triangle: 1/2 |R delta|^2, delta
// the angles of the hinges of a triangle and of its neighbours less their rest angles, R of
// plate_operator.h. Converges to Kirchhoff's plate on any mesh (docs/theory/shells.md). Infinite
// where one of these triangles is degenerate; it gives no largest step, as the membrane of the same
// triangles does.
#ifndef PBS_ENERGY_SHELLS_PLATE_BENDING_H
#define PBS_ENERGY_SHELLS_PLATE_BENDING_H

#include "base/runtime/memory.h"
#include "energy/shells/plate_operator.h"
#include "energy/term.h"

/// What plate_bending_create copies and arranges in lanes. Side 3 t + i is the edge of triangle t
/// from vertex i to the next.
struct plate_input {
    size_t triangle_count;
    const uint32_t *triangles;  ///< triangle_count x 3 node indices
    const uint32_t *neighbours; ///< by side: that of the neighbour (sheet_neighbours)
    const double *rest;         ///< rest positions by node, 3 each
    const double *rigidity;     ///< triangle_count, D, N m
    const double *poisson;      ///< triangle_count
    const double *damping;      ///< triangle_count, s
    const double *rest_angles;  ///< by side, rad; NaN: that of the rest positions
    const double *clamps;       ///< null, or by side, 3 each: the direction in which a border is
                                ///< clamped; null vectors: it is free
};

/// Terms are one for each number of distinct nodes that a triangle and its neighbours have: a
/// single hinge has 4.
enum { PLATE_LEAST_WIDTH = 3, PLATE_TERMS = PLATE_NODES - PLATE_LEAST_WIDTH + 1 };

struct plate_bending; ///< self of a term

/// The triangles of `width` distinct nodes; *out is null where there are none. Its element arrays
/// are made by plate_bending_bind once the assembly (built from term.stencils) is there.
pbs_status plate_bending_create(struct memory *memory, const struct plate_input *input,
                                uint32_t width, struct plate_bending **out);
pbs_status plate_bending_bind(struct plate_bending *plate, struct memory *memory,
                              const struct stencil_groups *groups);
struct term plate_bending_term(struct plate_bending *plate);
void plate_bending_destroy(struct plate_bending *plate, struct memory *memory);

#endif
