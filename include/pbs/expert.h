// libpbs: expert settings, how the minimisation of a step works inside. Part of <pbs/pbs.h>.
//
// No host needs them: the defaults follow the scene. They serve comparisons with the papers,
// experiments, and scenes whose structure the host knows better than the library.
//
// SPDX-License-Identifier: MIT
#ifndef PBS_EXPERT_H
#define PBS_EXPERT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The method that minimises a stage of a step.
typedef enum pbs_method {
    PBS_METHOD_STABILIZED_NEWTON = 0, ///< OPT section 3: converges at any step size
    PBS_METHOD_PLAIN_NEWTON = 1       ///< full Newton steps without a safeguard, the baseline that
                                      ///< OPT compares with; not with PBS_CONTACT_BARRIER
} pbs_method;

/// How far a Newton iteration goes along its direction.
typedef enum pbs_line_search {
    PBS_LINE_SEARCH_WOLFE = 0,       ///< strong Wolfe conditions with zoom; steps beyond 1 are
                                     ///< allowed (Nocedal and Wright, 3.5 and 3.6)
    PBS_LINE_SEARCH_BACKTRACKING = 1 ///< sufficient decrease only, by halving
} pbs_line_search;

/// What is done to the Hessians of single elements, which are indefinite where something is
/// compressed.
typedef enum pbs_hessian {
    PBS_HESSIAN_EXACT = 0,        ///< nothing: OPT's choice
    PBS_HESSIAN_SEMIDEFINITE = 1, ///< all are projected to positive semidefinite matrices
    /// With barriers all are projected. Without barriers those of shells are, and those of bonds
    /// after an indefinite matrix. Where all solids are stiff, h^2 young / (density length^2) >= 10
    /// for the length of cubes of six tetrahedra, all are projected in an iteration whose exact
    /// Hessian makes no progress or, where penalties press, is found to be indefinite, and in those
    /// after it until one makes progress (Longva et al. 2023). With PBS_METHOD_PLAIN_NEWTON and
    /// with linearized steps none is, as their accuracy is that of the Hessian.
    PBS_HESSIAN_AUTOMATIC = 2
} pbs_hessian;

/// Where the minimisation of a step starts.
typedef enum pbs_guess {
    PBS_GUESS_BEST = 0,     ///< the best of PBS_GUESS_OPT, of a rigid motion of each body from its
                            ///< rest shape, with penalties of a motion that stops bodies where
                            ///< they meet, and of one in which bodies at rest do not move
    PBS_GUESS_INERTIAL = 1, ///< the predictor x + h v, as far as it is admissible
    PBS_GUESS_EXPLICIT = 2, ///< the predictor plus h^2 M^-1 f(x)
    PBS_GUESS_OPT = 3       ///< the best of these two and, with gravity, of free fall
} pbs_guess;

/// What the iterations of a step do besides Newton's method.
typedef enum pbs_alignment {
    /// Bodies are moved and turned as if rigid between iterations: the centre goes to where inertia
    /// and forces take it, and the body turns as far as inertia takes it. Only solids, shells and
    /// peridynamic bodies without constrained axes, damping and drag are, while they touch nothing
    /// (with barriers and penalties: while nothing in the world touches), and only where that gains
    /// a tenth or more of what an iteration did. Stiff bodies that turn far in a step take fewer
    /// iterations.
    PBS_ALIGNMENT_FREE_BODIES = 0,
    PBS_ALIGNMENT_NEVER = 1 ///< nothing: OPT's iterations
} pbs_alignment;

/// The preconditioner of the conjugate gradients.
typedef enum pbs_preconditioner {
    PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY = 0, ///< 3x3 block IC(0) in float; block Jacobi for
                                                ///< Hessians that are too indefinite for it
    PBS_PRECONDITIONER_BLOCK_JACOBI = 1,        ///< the inverse 3x3 blocks of the diagonal
    PBS_PRECONDITIONER_NONE = 2,                ///< the identity
    PBS_PRECONDITIONER_TWO_LEVEL = 3, ///< incomplete Cholesky, a coarse space of the rigid motions
                                      ///< of clusters of nodes, and contact solved exactly
    PBS_PRECONDITIONER_MULTIGRID = 4, ///< smoothed aggregation with rigid motions
    PBS_PRECONDITIONER_CHOLESKY = 5,  ///< an exact sparse factor, contact included; block Jacobi
                                      ///< for Hessians that are not positive definite
    PBS_PRECONDITIONER_AUTOMATIC = 6, ///< block Jacobi, a factor or two levels: the least
                                      ///< work, by the iterations that earlier solves to about this
                                      ///< tolerance took. An exact factor with up to 512 nodes.
                                      ///< pbs_stats says which and why
    PBS_PRECONDITIONER_CHOLESKY_FLOAT = 7 ///< the factor of PBS_PRECONDITIONER_CHOLESKY in float:
                                          ///< half the memory and time, a few more iterations; in
                                          ///< double where float has too few digits
} pbs_preconditioner;

/// The order in which incomplete Cholesky eliminates.
typedef enum pbs_order {
    PBS_ORDER_NATURAL = 0, ///< the library's own order: METIS domains, reverse Cuthill-McKee inside
    PBS_ORDER_NESTED_DISSECTION = 1 ///< METIS nested dissection inside each domain
} pbs_order;

/// Which bonds of peridynamic bodies the matrix of an implicit step holds. Steps are the same, to
/// their tolerances.
typedef enum pbs_assembly {
    PBS_ASSEMBLY_AUTOMATIC = 0, ///< matrix-free where bodies without damping have 300,000 bonds
    PBS_ASSEMBLY_FULL = 1,      ///< all of them: 122 neighbours of a particle at a horizon of three
                                ///< spacings
    PBS_ASSEMBLY_MATRIX_FREE = 2 ///< near bonds alone, 26 of the 122, in a fifth of the memory.
                                 ///< Preconditioners and a host's linear solver see these; products
                                 ///< with vectors use all bonds
} pbs_assembly;

/// The barrier as a function of the distance d below the contact distance d hat.
typedef enum pbs_barrier {
    PBS_BARRIER_DISTANCE = 0, ///< -kappa (d - d hat)^2 ln(d / d hat) (ECI, appendix A)
    PBS_BARRIER_SQUARED = 1   ///< the same of d^2 and d hat^2 (IPC, eq. 6); contact_stiffness is
                              ///< then in J/m^4
} pbs_barrier;

/// When velocity_tolerance of pbs_world_desc ends a stage.
typedef enum pbs_velocity_rule {
    PBS_VELOCITY_STEP_AND_GAIN = 0, ///< the full Newton step is that short, and gains no more than
                                    ///< the kinetic energy of a mean node at that speed: deep
                                    ///< inside a barrier steps are short long before the state is
                                    ///< right
    PBS_VELOCITY_STEP = 1           ///< the step is that short, as in IPC and ECI
} pbs_velocity_rule;

/// How a world's steps are minimised. It grows at its end, as all settings do.
typedef struct pbs_expert_desc {
    uint32_t struct_size;         ///< set by pbs_expert_desc_init
    int32_t method;               ///< pbs_method
    int32_t line_search;          ///< pbs_line_search
    int32_t project_hessian;      ///< pbs_hessian
    int32_t initial_guess;        ///< pbs_guess
    int32_t alignment;            ///< pbs_alignment
    int32_t preconditioner;       ///< pbs_preconditioner
    int32_t preconditioner_order; ///< pbs_order
    int32_t assembly;             ///< pbs_assembly
    uint32_t linear_limit;        ///< conjugate gradient iterations of one solve, 1 to 1e8
    double forcing;               ///< sigma of OPT section 3.1, N^(-1/2); 0: 1 / sqrt(reference
                                  ///< force), see reference_force of pbs_stats
    double step_length_limit;     ///< m: longer Newton steps (2-norm over all nodes) are shortened;
                                  ///< 0: 1e3 times the scene's diagonal
    int32_t allow_unconverged;    ///< 1: a stage that reaches newton_limit lands as it is, and the
                                  ///< step answers PBS_NOT_CONVERGED
    int32_t barrier;              ///< pbs_barrier
    int32_t velocity_rule;        ///< pbs_velocity_rule
    int32_t adaptive_stiffness; ///< 1: with a contact_stiffness that is not 0, each step or advance
                                ///< begins by choosing a stiffness from the masses and from the
                                ///< forces that push into contacts (IPC, Li et al. 2020, section
                                ///< 4.3), contact_stiffness at least. Energy control counts what a
                                ///< change adds to the energy as work. 0: contact_stiffness itself
} pbs_expert_desc;

/// Fills *d: stabilised Newton with strong Wolfe search, the best guess, the automatic
/// preconditioner, 10000 conjugate gradient iterations, and what its enums call automatic.
/// @param struct_size  sizeof(pbs_expert_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE (larger than this library's)
PBS_API pbs_status pbs_expert_desc_init(pbs_expert_desc *d, size_t struct_size);

#ifdef __cplusplus
}
#endif
#endif
