// Hyperelastic materials, isotropic. A material is one file: a few inline functions over eight
// lanes (energy density, first Piola stress, second derivatives; see solid_kernel.h) of which the
// element kernels are made, and a row in the table.
// Theory: docs/theory/materials.md.
#ifndef PBS_ENERGY_MATERIAL_H
#define PBS_ENERGY_MATERIAL_H

#include "energy/term.h"
#include "pbs/body.h"

/// One lane-group after another; every array is [group][...][8]. Built by solid.c from the
/// assembly's groups.
struct solid_elements {
    const double *inverse_rest; ///< [g][9][8]: Dm^-1, row-major, of the element with its nodes in
                                ///< the assembly's order
    const double *volume;       ///< [g][8], m^3; 0 in padding lanes
    const double *mu;      ///< [g][8], Pa, the material's own parameters (after re-parametrisation)
    const double *lambda;  ///< [g][8], Pa
    const double *damping; ///< [g][8], s; Rayleigh time
};

struct material_table {
    int32_t id;                 ///< PBS_MATERIAL_*
    const char *name;           ///< "stable-neo-hookean"
    bool inversion_is_infinite; ///< the energy is infinite for det F <= 0
    /// Where the energy has no lower bound with a negative Poisson ratio, in words; null: nowhere.
    const char *unbounded;
    /// Small-strain Young modulus and Poisson ratio to the material's own parameters.
    void (*parameters)(double young, double poisson, double *mu, double *lambda);
    /// Element kernel over groups [begin, end). Same contract as term_table.evaluate.
    int (*evaluate)(const struct solid_elements *elements, const struct stencil_groups *groups,
                    size_t begin, size_t end, const struct evaluation *evaluation,
                    struct evaluation_sums *sums);
    /// psi(F), P(F) and dP/dF for one F, row-major (dP[9 * ij + kl] = dP_ij / dF_kl); outputs may
    /// be null. For tests and read-back.
    double (*point)(double mu, double lambda, const double f[9], bool project, double p[9],
                    double dp[81]);
};

extern const struct material_table material_fixed_corotated;
extern const struct material_table material_neo_hookean;
extern const struct material_table material_stable_neo_hookean;
extern const struct material_table material_st_venant_kirchhoff;

extern const struct material_table *const material_tables[]; ///< ended by null
const struct material_table *material_find(int32_t id);

/// Lame's parameters of linear elasticity.
void material_lame(double young, double poisson, double *mu, double *lambda);

#endif
