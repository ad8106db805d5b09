// The elastic energy of all tetrahedra of one material in a world: the sum of volume * psi(F) over
// the elements, F = Ds Dm^-1.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_MATERIALS_SOLID_H
#define PBS_ENERGY_MATERIALS_SOLID_H

#include "base/runtime/memory.h"
#include "energy/materials/solid_plasticity.h"

/// Input of solid_create, which copies it.
struct solid_input {
    const struct material_table *material;
    size_t tet_count;
    const uint32_t *tets;           ///< tet_count x 4 node indices
    const double *rest;             ///< rest positions, 3 per node
    const double *young;            ///< tet_count, Pa
    const double *poisson;          ///< tet_count
    const double *damping;          ///< tet_count, s
    const struct plastic_law *laws; ///< tet_count; null: no tetrahedron flows
    const double *history;          ///< with laws: tet_count x PLASTIC_VALUES
};

struct solid; ///< self of the term

/// Creates the term of these tetrahedra. Its element arrays are built by solid_bind, after the
/// assembly has been built from term.stencils.
/// @return PBS_ERROR_MESH (index in the message) if a rest volume is not positive; PBS_ERROR_MEMORY
pbs_status solid_create(struct memory *memory, const struct solid_input *input, struct solid **out);
pbs_status solid_bind(struct solid *solid, struct memory *memory,
                      const struct stencil_groups *groups);
struct term solid_term(struct solid *solid);
/// Sets the moduli of a tetrahedron. groups: those that the term is bound to.
void solid_set_moduli(struct solid *solid, const struct stencil_groups *groups, size_t tet,
                      double young, double poisson);
void solid_destroy(struct solid *solid, struct memory *memory);

const struct material_table *solid_material(const struct solid *solid);
/// Returns null if no tetrahedron flows.
struct solid_plasticity *solid_plasticity_of(const struct solid *solid);
/// See solid_plasticity_update.
double solid_flow(struct solid *solid, struct tasks *tasks, size_t domain_count, const double *x,
                  double h);

/// Computes the shape gradients of a tetrahedron's nodes 1, 2, 3 as rows (1/m). Returns the rest
/// volume (m^3).
double solid_rest_gradients(const double *rest, const uint32_t node[4], double rows[9]);

#endif
