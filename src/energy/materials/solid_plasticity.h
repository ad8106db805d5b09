// Plastic flow of tetrahedra: F = F_e F_p, where the elastic energy depends on F_e alone. A
// tetrahedron's F_p changes only when a state is accepted, by a radial return of the logarithmic
// principal strains to the yield surface of von Mises, so the force has a potential during a step.
// The shape gradients that the material's kernels use are those of F_e: Dm^-1 F_p^-1.
// Theory: docs/theory/plasticity.md.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_MATERIALS_SOLID_PLASTICITY_H
#define PBS_ENERGY_MATERIALS_SOLID_PLASTICITY_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "energy/material.h"

struct plastic_law {
    double shear_modulus; ///< Pa, at small strain
    double yield_stress;  ///< Pa; infinite: elastic
    double hardening;     ///< Pa, rise of the yield stress per plastic strain
    double viscosity;     ///< Pa s; 0: the stress returns to the yield surface at once
    double limit;         ///< largest accumulated plastic strain; infinite: none
};

/// The history of a tetrahedron: F_p^-1 (row-major), then the accumulated plastic strain.
enum { PLASTIC_STRAIN = 9, PLASTIC_VALUES };

extern const double plastic_undeformed[PLASTIC_VALUES];
extern const struct plastic_law plastic_law_none; ///< of elastic tetrahedra

struct solid_plasticity;

/// Copies laws (count) and history (count x PLASTIC_VALUES). Returns null if memory is short.
struct solid_plasticity *solid_plasticity_create(struct memory *memory, size_t count,
                                                 const struct plastic_law *laws,
                                                 const double *history);
void solid_plasticity_destroy(struct solid_plasticity *plasticity, struct memory *memory);

/// Arranges laws and histories in the groups. gradients: of the elements, which hold Dm^-1; from
/// then on they hold Dm^-1 F_p^-1, and change with the history.
pbs_status solid_plasticity_bind(struct solid_plasticity *plasticity, struct memory *memory,
                                 const struct stencil_groups *groups, double *gradients);

/// Sets the shear modulus by which a tetrahedron flows.
void solid_plasticity_set_shear_modulus(struct solid_plasticity *plasticity, size_t tet,
                                        double shear_modulus);

/// Returns all tetrahedra to the yield surface at the accepted state x, at the end of a step of h
/// seconds. Returns the decrease of the elastic energy, J.
double solid_plasticity_update(struct solid_plasticity *plasticity,
                               const struct material_table *material,
                               const struct solid_elements *elements, struct tasks *tasks,
                               size_t domain_count, const double *x, double h);

/// Read, or write, the histories of `count` tetrahedra from `first` on.
void solid_plasticity_read(const struct solid_plasticity *plasticity, size_t first, size_t count,
                           double *history);
void solid_plasticity_write(struct solid_plasticity *plasticity, size_t first, size_t count,
                            const double *history);
/// Save a copy of all histories; return to it.
void solid_plasticity_save(struct solid_plasticity *plasticity);
void solid_plasticity_restore(struct solid_plasticity *plasticity);

#endif
