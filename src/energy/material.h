// Isotropic hyperelastic materials. A material is one file: inline functions over eight lanes
// (energy density, first Piola stress, second derivatives) from which materials/solid_kernel.h
// builds the element kernels, and a row in the table. Theory: docs/theory/materials.md.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_MATERIAL_H
#define PBS_ENERGY_MATERIAL_H

#include "energy/term.h"
#include "pbs/body.h"

/// Element data by groups of eight lanes; every array is [group][...][8]. solid.c builds it from
/// the assembly's groups.
struct solid_elements {
    const double *inverse_rest; ///< [g][9][8]: Dm^-1, row-major, for the assembly's order of the
                                ///< element's nodes
    const double *volume;       ///< [g][8], m^3; 0 in padding lanes
    const double *mu;     ///< [g][8], Pa, the material's parameters (see material_table.parameters)
    const double *lambda; ///< [g][8], Pa
    const double *damping; ///< [g][8], s, Rayleigh damping time
};

struct material_table {
    int32_t id;                 ///< PBS_MATERIAL_*
    const char *name;           ///< "stable-neo-hookean"
    bool inversion_is_infinite; ///< the energy is infinite for det F <= 0
    /// The deformation, in words, in which the energy has no lower bound if the Poisson ratio is
    /// negative; null: the energy is always bounded.
    const char *unbounded;
    /// Computes the material's parameters from Young's modulus and Poisson's ratio at small strain.
    void (*parameters)(double young, double poisson, double *mu, double *lambda);
    /// Evaluates the groups [begin, end); otherwise as term_table.evaluate.
    int (*evaluate)(const struct solid_elements *elements, const struct stencil_groups *groups,
                    size_t begin, size_t end, const struct evaluation *evaluation,
                    struct evaluation_sums *sums);
    /// Returns psi(F), and computes P(F) and dP/dF of one F, row-major (dP[9 * ij + kl] = dP_ij /
    /// dF_kl); these two outputs may be null. For tests and read-back.
    double (*point)(double mu, double lambda, const double f[9], bool project, double p[9],
                    double dp[81]);
};

extern const struct material_table material_fixed_corotated;
extern const struct material_table material_neo_hookean;
extern const struct material_table material_stable_neo_hookean;
extern const struct material_table material_st_venant_kirchhoff;

extern const struct material_table *const material_tables[]; ///< null-terminated
/// Returns null if there is no such material.
const struct material_table *material_find(int32_t id);

/// Computes the Lame parameters of linear elasticity.
void material_lame(double young, double poisson, double *mu, double *lambda);

#endif
