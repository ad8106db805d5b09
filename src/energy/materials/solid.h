// The elastic energy of all tetrahedra of one material in a world: sum over elements of volume *
// psi(F), F = Ds Dm^-1.
#ifndef PBS_ENERGY_MATERIALS_SOLID_H
#define PBS_ENERGY_MATERIALS_SOLID_H

#include "base/runtime/memory.h"
#include "energy/material.h"

/// What solid_create copies and arranges in lanes.
struct solid_input {
    const struct material_table *material;
    size_t tet_count;
    const uint32_t *tets;  ///< tet_count x 4 node indices
    const double *rest;    ///< rest positions by node, 3 each
    const double *young;   ///< tet_count, Pa
    const double *poisson; ///< tet_count
    const double *damping; ///< tet_count, s
};

struct solid; ///< self of the term

/// The term of these tetrahedra; its element arrays are made by solid_bind once the assembly (built
/// from term.stencils) is there.
pbs_status solid_create(struct memory *memory, const struct solid_input *input, struct solid **out);
pbs_status solid_bind(struct solid *solid, struct memory *memory,
                      const struct stencil_groups *groups);
struct term solid_term(struct solid *solid);
void solid_destroy(struct solid *solid, struct memory *memory);

/// The shape gradients of a tetrahedron's nodes 1, 2, 3 as rows (1/m), and its rest volume (m^3).
double solid_rest_gradients(const double *rest, const uint32_t node[4], double rows[9]);

#endif
