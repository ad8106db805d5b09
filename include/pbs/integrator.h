// libpbs: integrators, how time is discretised. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATOR_H
#define PBS_INTEGRATOR_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Time integration schemes. Orders are of accuracy. "Feasible" means that the end of a step is a
/// solution of the minimisation, so that constraints, barriers and logarithmic materials hold
/// there. Where a scheme ends elsewhere, nodes inside colliders are pushed out afterwards, and a
/// state of infinite energy fails the step. Parameters stand in brackets, in the order of
/// pbs_integrator_desc.parameters.
typedef enum pbs_scheme {
    PBS_SCHEME_IMPLICIT_EULER = 0,     ///< order 1, feasible; damps fast motion, never oscillates
    PBS_SCHEME_TRAPEZOIDAL = 1,        ///< order 2, feasible; no damping: stiff contact may blow up
    PBS_SCHEME_IMPLICIT_MIDPOINT = 2,  ///< order 2, not feasible; conserves quadratic invariants
    PBS_SCHEME_INNER_THETA = 3,        ///< [theta 0.5 .. 1] order 1 (2 at 0.5), not feasible
    PBS_SCHEME_OUTER_THETA = 4,        ///< [theta 0.5 .. 1] order 1 (2 at 0.5), feasible
    PBS_SCHEME_FIRST_ORDER_THETA = 5,  ///< [theta 0 .. 1] outer theta with 0.5 + theta / 50 (GAT)
    PBS_SCHEME_SECOND_ORDER_THETA = 6, ///< [theta 0 .. 1] order 2, feasible (GAT); two-step, from
                                       ///< trapezoidal at 0 to BDF2 at 1
    PBS_SCHEME_BDF2 = 7,               ///< order 2, feasible; two-step, damps fast motion
    PBS_SCHEME_NEWMARK = 8, ///< [beta 0.001 .. 1; gamma 0.5 .. 1] order 1 (2 at gamma 0.5),
                            ///< feasible
    PBS_SCHEME_GENERALIZED_ALPHA = 9, ///< [rho 0 .. 1: spectral radius at infinity] order 2, not
                                      ///< feasible
    PBS_SCHEME_SDIRK2 = 10,           ///< order 2 (1 for affine bodies that turn, which are stiff),
                                      ///< feasible, two solves a step; damps fast motion
    PBS_SCHEME_TR_BDF2 = 11, ///< order 2, for stiff bodies too, feasible, two solves a step; damps
                             ///< fast motion; impacts shorter than the step lose four fifths of
                             ///< the energy on average
    PBS_SCHEME_SYMPLECTIC_EULER = 12, ///< order 1, not feasible; explicit (variational left point):
                                      ///< steps must resolve the fastest motion
    PBS_SCHEME_VARIATIONAL_MIDPOINT = 13,    ///< order 2, not feasible; the midpoint rule as BDEM
                                             ///< derives it (eq. 22)
    PBS_SCHEME_VARIATIONAL_RIGHT_POINT = 14, ///< positions are those of implicit Euler (BDEM eq.
                                             ///< 27)
    PBS_SCHEME_A_1 = 15,                     ///< order 1, feasible; hardly any damping (ECI)
    PBS_SCHEME_A_SEARCH = 16, ///< order 1, feasible; the energy follows its target as far as the
                              ///< range of alpha allows (ECI)
    PBS_SCHEME_SPARSE_A_SEARCH = 17,  ///< A-1 that corrects persistent energy errors only
    PBS_SCHEME_DECOUPLED_SDIRK2 = 18, ///< order 2, feasible, three solves a step; energy control
                                      ///< over SDIRK2
    PBS_SCHEME_ENERGY_BLENDING = 19, ///< order 2, not feasible, two solves a step: midpoint blended
                                     ///< with implicit Euler until the energy is on its target
    /// [share 0.01 .. 1 of the stable step] order 2, not feasible; explicit, one gradient a step.
    /// Worlds divide a step, and each step of an advance without step control, into equal steps of
    /// at most that share of the longest stable one, and land all or nothing. Systems, and steps of
    /// a step control, are not divided. Where bonds break, shares of 0.5 and less are more
    /// accurate: the fastest vibrations overshoot by 1 / sqrt(1 - share^2). Not for worlds with
    /// PBS_CONTACT_BARRIER.
    PBS_SCHEME_VELOCITY_VERLET = 20,
    /// No inertia, damping or drag: a step ends at rest in equilibrium, with scripted vertices,
    /// colliders and gravity as they are at its end; time only drives scripts. Feasible. Where
    /// something can move that nothing constrains, the step fails (PBS_FAILURE_UNCONSTRAINED). Not
    /// for systems, nor for worlds with PBS_CONTACT_PENALTY. Friction acts with barriers alone
    /// (docs/integrators.md, Statics).
    PBS_SCHEME_QUASI_STATIC = 21
} pbs_scheme;

/// How a two-step scheme takes its first step, and the first one after the state was set, vertices
/// were pinned or unpinned, or a body was created. Another step length needs no new start:
/// coefficients follow it.
typedef enum pbs_start {
    PBS_START_IMPLICIT_EULER = 0,
    PBS_START_TRAPEZOIDAL = 1,
    PBS_START_FIRST_ORDER_THETA = 2 ///< with a theta of 0.07 where the scheme has none of its own
} pbs_start;

/// How schemes with energy control choose alpha in v = w - alpha dv (ECI section 4).
typedef enum pbs_alpha {
    PBS_ALPHA_FIXED = 0,        ///< alpha itself
    PBS_ALPHA_SEARCH = 1,       ///< in each step such that the energy is on its target
    PBS_ALPHA_SPARSE_SEARCH = 2 ///< 1, unless the energy's error had the same sign in three steps
} pbs_alpha;

/// What chooses the steps of pbs_world_advance. Every control but FIXED needs a `max`
/// (pbs_step_control). A try that it rejects leaves no trace but the time it took. Whatever the
/// control, a try that fails (no admissible state, no convergence) is rejected.
typedef enum pbs_step_kind {
    PBS_STEP_FIXED = 0,         ///< equal steps no longer than `max`; max 0: one step
    PBS_STEP_FORCE_ERROR = 1,   ///< the forces that the linearisation missed, as the motion that
                                ///< they would have caused, metres (ATS eqs. 9 and 11); gaps of
                                ///< joints, and of held volumes over their surface, count as such
                                ///< motion; only with `linearized`
    PBS_STEP_SPEED_LIMIT = 2,   ///< how far the fastest vertex goes in a step at its present speed,
                                ///< metres (of affine bodies: the centre, or the farthest vertex
                                ///< about it); known before the step, so nothing is rejected, and
                                ///< `rule` and what belongs to it have no effect
    PBS_STEP_STRETCH_LIMIT = 3, ///< how much the distance between two vertices of an element
                                ///< changes in a step, metres; where none has two: how far they
                                ///< move
    PBS_STEP_DOUBLING = 4, ///< the distance between one step and two half ones, metres; three times
                           ///< the work of a step; the two half ones land
    PBS_STEP_ALPHA = 5     ///< how far the search of an energy control ended from alpha = 1:
                           ///< h |alpha - 1| |dv|, metres. (alpha alone says nothing: on a smooth
                           ///< oscillator it stays 0.14 from 1 on average, however short the steps)
} pbs_step_kind;

/// How the next step follows from what was measured.
typedef enum pbs_step_rule {
    PBS_STEP_RULE_DEFAULT = 0,      ///< halving for DOUBLING, else proportional
    PBS_STEP_RULE_PROPORTIONAL = 1, ///< h (safety tolerance / measured)^(1 / exponent)
    PBS_STEP_RULE_HALVING = 2       ///< h / 2 after a rejection, growth h otherwise
} pbs_step_rule;

/// How many parameters a scheme has at most.
typedef enum pbs_integrator_limit { PBS_INTEGRATOR_PARAMETERS = 4 } pbs_integrator_limit;

/// Energy control, of the schemes A_* and DECOUPLED_SDIRK2 (ECI section 4); ENERGY_BLENDING takes
/// the members from `fraction` on. Other schemes ignore all of it; systems, which have no energy,
/// all but alpha_choice and alpha.
///
/// What is controlled is the conservative energy: kinetic, elastic, gravity and the host's. Its
/// target starts at ground + fraction (energy - ground) with the energy before the first step. It
/// loses what damping, drag and friction take, and decays to the ground. It gains the work of
/// pinned and scripted vertices, of moving colliders, and of changes of gravity or of a host's
/// energy. Over implicit Euler it is a target of the energy with velocities half a step later, so
/// that a fall under gravity leaves all other motion alone (docs/theory/energy_control.md). It
/// starts anew where bodies are added or removed, where the integrator is set, and where the host
/// sets positions or velocities (of the islands of these bodies). With PBS_ALPHA_FIXED the members
/// from `fraction` on change nothing but the target that pbs_stats tells.
typedef struct pbs_energy_control {
    int32_t alpha_choice; ///< pbs_alpha
    int32_t by_island;    ///< 1: each group of bodies that touch each other in a step has its own
                          ///< target and alpha, and exchanges no energy with others; 0: one for
                          ///< the world
    double alpha;         ///< of PBS_ALPHA_FIXED, 0 to 4: 0 is implicit Euler (SDIRK2), 1 is A-1
    double alpha_min, alpha_max; ///< of the searches, 0 to 4; above 1 a step may grow by
                                 ///< sqrt(alpha_max)
    double fraction;             ///< of the first energy above the ground: where the target starts
    double ground;     ///< J, the energy of the state of rest, as pbs_world_energy measures it; by
                       ///< island: of each. It has no effect with a fraction of 1 and no decay
    double decay_time; ///< s, after which 1/e of the target's height above the ground is left; 0:
                       ///< no decay
    uint32_t reserved[8]; ///< 0
} pbs_energy_control;

/// Control of the steps of pbs_world_advance and pbs_system_advance; pbs_world_step and
/// pbs_system_step ignore it. PBS_STEP_FIXED looks at `max` alone, PBS_STEP_SPEED_LIMIT at
/// tolerance, initial, min and max.
typedef struct pbs_step_control {
    int32_t kind;     ///< pbs_step_kind
    int32_t rule;     ///< pbs_step_rule
    double tolerance; ///< of what pbs_step_kind says, > 0 with any kind but FIXED
    double initial;   ///< s, the first step; 0: max / 100
    double min;       ///< s: a step so short lands however large what was measured; 0: 1e-6 max
    double max;       ///< s, > 0 with any kind but FIXED
    double exponent;  ///< 0: 3 for FORCE_ERROR, as ATS prints it (its error grows as h^4, so 4 is
                     ///< closer) and ALPHA; 1 for STRETCH_LIMIT; 2 for DOUBLING. Ignored by HALVING
    double safety; ///< in (0, 1]; 0: 0.5, as ATS prints it; 0.8 for STRETCH_LIMIT. Ignored by
                   ///< HALVING
    double growth; ///< longest step over the one before, >= 1, at most 2 for two-step schemes; 0:
                   ///< 2, or 1.2 where STRETCH_LIMIT and ALPHA halve. The step after a rejection
                   ///< does not grow. infinity: no limit, not even after a rejection, as ATS
                   ///< prints it
    // While bonds break, of every kind but FIXED:
    double fracture_step; ///< s, the longest step after one that broke bonds, until
                          ///< fracture_quiet_steps in a row have broken none; never below min. 0:
                          ///< the least time in which a crack goes from one bond to the next, in
                          ///< the bodies whose bonds break (docs/theory/step_control.md section 4).
                          ///< infinity: no limit but max
    uint32_t fracture_quiet_steps; ///< accepted steps; 0: 10
    uint32_t reserved[9];          ///< 0
} pbs_step_control;

/// A scheme and its settings. All are checked, also those that the scheme ignores. The two parts
/// keep their size, as those of pbs_stats do: a new member takes the place of some of `reserved`,
/// where zero means as before.
typedef struct pbs_integrator_desc {
    uint32_t struct_size;    ///< set by pbs_integrator_desc_init
    int32_t scheme;          ///< pbs_scheme
    pbs_allocator allocator; ///< all zero: the C library's; must outlive the integrator
    double parameters[PBS_INTEGRATOR_PARAMETERS]; ///< as listed at pbs_scheme; others are ignored
    int32_t start;                                ///< pbs_start, of two-step schemes
    int32_t linearized; ///< 1: one Newton step from the state at the start of the step, without
                        ///< line search (ATS; Baraff and Witkin 1998): IMPLICIT_EULER, TRAPEZOIDAL
                        ///< and NEWMARK only. A step that it would lead into a forbidden state
                        ///< fails
    pbs_energy_control energy_control;
    pbs_step_control step_control;
} pbs_integrator_desc;

/// Fills *d with the scheme's defaults: theta 0.6, of GAT's schemes 0.07; beta 0.25, gamma 0.5; rho
/// 0.6; share 0.8; BDF2 starts with implicit Euler, second-order theta with the first-order one;
/// alpha 1, of searches 0 .. 1.1; the target stays at the first energy; no step control.
/// @param struct_size  sizeof(pbs_integrator_desc) as the caller was compiled
/// @param scheme  pbs_scheme
/// @return PBS_ERROR_ARGUMENT (d is null, unknown scheme), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_integrator_desc_init(pbs_integrator_desc *d, size_t struct_size,
                                            int32_t scheme);

/// Makes an integrator, which belongs to no world; pbs_integrator_destroy frees it.
/// @param out  written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, unknown scheme, a number that is not finite or out
/// of its range, a step control that has nothing to measure with this scheme and its other
/// settings, one of two allocator functions), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_integrator_create(const pbs_integrator_desc *d, pbs_integrator **out);

/// The settings that an integrator was made with.
/// @param out  struct_size set by the caller, as pbs_integrator_desc_init does; allocator becomes
/// zero
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_integrator_settings(const pbs_integrator *i, pbs_integrator_desc *out);

/// Frees an integrator; worlds that step with it have copies. Null is fine.
PBS_API void pbs_integrator_destroy(pbs_integrator *i);

/// The scheme and the settings that a world steps with: those it was given last, or that came with
/// a restored world, or the defaults of the scheme that it began with.
/// @param out  struct_size set by the caller, as pbs_integrator_desc_init does; allocator becomes
/// zero
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_world_integrator_settings(const pbs_world *w, pbs_integrator_desc *out);

#ifdef __cplusplus
}
#endif
#endif
