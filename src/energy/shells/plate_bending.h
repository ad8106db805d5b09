// The bending energy of thin sheets as plates. The energy of a triangle is 1/2 |R delta|^2, where
// delta are the angles minus the rest angles of its hinges and of its neighbours' hinges, and R is
// the matrix of plate_operator.h. It converges to Kirchhoff's plate on any mesh
// (docs/theory/shells.md). Hinges that are folded by more than a right angle are coupled less
// (section 3.2 there). The energy is infinite if one of these triangles is degenerate. This term
// does not bound the step; the membrane of the same triangles does.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_PLATE_BENDING_H
#define PBS_ENERGY_SHELLS_PLATE_BENDING_H

#include "base/runtime/memory.h"
#include "energy/shells/plate_operator.h"
#include "energy/term.h"

/// Input of plate_bending_create, which copies it. Side 3 t + i is the edge of triangle t from its
/// vertex i to the next one.
struct plate_input {
    size_t triangle_count;
    const uint32_t *triangles;  ///< triangle_count x 3 node indices
    const uint32_t *neighbours; ///< by side: the same edge as a side of the neighbour
                                ///< (sheet_neighbours)
    const double *rest;         ///< rest positions, 3 per node
    const double *rigidity;     ///< triangle_count, D, N m
    const double *poisson;      ///< triangle_count
    const double *damping;      ///< triangle_count, s
    const double *rest_angles;  ///< by side, rad; NaN: the angle of the rest positions
    const double *clamps; ///< null, or by side, 3 each: the direction in which a border edge is
                          ///< clamped; zero: the edge is free
};

/// There is one term for each number of distinct nodes of a triangle with its neighbours. A single
/// hinge has 4 nodes.
enum { PLATE_LEAST_WIDTH = 3, PLATE_TERMS = PLATE_NODES - PLATE_LEAST_WIDTH + 1 };

struct plate_bending; ///< self of a term

/// Creates the term of the triangles with `width` distinct nodes; *out is null if there are none.
/// Its element arrays are built by plate_bending_bind, after the assembly has been built from
/// term.stencils.
/// @return PBS_ERROR_MESH (index in the message) for a degenerate rest triangle or clamp;
/// PBS_ERROR_MEMORY
pbs_status plate_bending_create(struct memory *memory, const struct plate_input *input,
                                uint32_t width, struct plate_bending **out);
pbs_status plate_bending_bind(struct plate_bending *plate, struct memory *memory,
                              const struct stencil_groups *groups);
struct term plate_bending_term(struct plate_bending *plate);
/// Sets rigidity, Poisson's ratio and damping time of an element. rest: the rest positions of the
/// nodes from first_node on. groups: those that the term is bound to.
void plate_bending_set_values(struct plate_bending *plate, const struct stencil_groups *groups,
                              size_t element, const double *rest, uint32_t first_node,
                              double rigidity, double poisson, double damping);
void plate_bending_destroy(struct plate_bending *plate, struct memory *memory);

#endif
