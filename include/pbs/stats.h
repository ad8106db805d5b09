// libpbs: statistics, what a step did and what it cost. Part of <pbs/pbs.h>.
//
// The structs below are parts of pbs_stats, one for each theme. A part never changes its size, so
// that what follows it stays where it is. A new member of a part takes the place of some of
// `reserved` at its end. Where a part has none left, or a theme is new, a new part is appended to
// pbs_stats. So an old host finds all that it knows where it was, and a new host with an old
// library finds zero where that knows nothing.
//
// SPDX-License-Identifier: MIT
#ifndef PBS_STATS_H
#define PBS_STATS_H

#include "joint.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The last step.
typedef struct pbs_step_stats {
    double length;      ///< s; of an advance its duration
    double dissipated;  ///< J, taken out by damping, drag, friction and the air (force.h)
    double stable_step; ///< s: of explicit schemes the longest stable step, as estimated last
                        ///< (docs/integrators.md); 0 of others
    uint32_t divisions; ///< how often a part was halved because it failed
    uint32_t parts;     ///< equal parts that the step was taken in, because bodies move more than
                        ///< half the size of what they meet; of an advance: its last step
    uint32_t explicit_steps; ///< of explicit schemes: equal steps that it was divided into
    uint32_t unseen_impacts; ///< bodies that can break and were hit so that the stress of the
                             ///< impact, closing speed times impedance, exceeds their strength,
                             ///< in a step longer than the wave takes through them: what should
                             ///< break may not. The log warns of each hit (impact_steps)
    double impact_stress;    ///< Pa, of the hit that is farthest above its body's strength; 0: none
    double impact_strength;  ///< Pa, of that body: the mean over bonds of the lesser strength
    uint32_t reserved[4];    ///< 0
} pbs_step_stats;

/// The minimisations of the last step.
typedef struct pbs_newton_stats {
    uint32_t stages;              ///< minimisations, one for each stage of the scheme
    uint32_t iterations;          ///< of Newton's method
    uint32_t evaluations;         ///< of the energy, line searches included
    uint32_t gradient_directions; ///< directions of Newton that were replaced by steepest descent
    uint32_t shortened_steps;     ///< by step_length_limit of pbs_expert_desc
    uint32_t roundoff_accepts; ///< line searches that judged by the gradient alone, as the change
                               ///< of energy was below rounding; and stages that ended because
                               ///< nothing but rounding was left of the gradient
    double gradient_norm;      ///< N, at the end of the last stage
    double tolerance; ///< N: what gradient_norm was to be below: tolerance of pbs_world_desc, or
                      ///< the root of the sum of the squared limits of all bodies
    double velocity_tolerance; ///< m/s: or where a Newton step changes velocities by less; 0: the
                               ///< gradient alone decides
    /// N, what linear solves and the default of `forcing` go by: sqrt(sum over nodes of (modulus
    /// length^2 + weight + force)^2), of shells (rigidity / length + weight + force)^2, with the
    /// host's forces, and with the squares of what pressure and wind push added to that sum. Where
    /// it is 0 (custom bodies without weight) it is |M v / h - grad P| at the first step after
    /// bodies changed.
    double reference_force;
    uint32_t reserved[8]; ///< 0
} pbs_newton_stats;

/// Why PBS_PRECONDITIONER_AUTOMATIC has taken what it has. Block Jacobi begins wherever it may win,
/// and hands over after twice the work of the cheapest of the others.
typedef enum pbs_solver_reason {
    PBS_SOLVER_REQUESTED = 0,    ///< the host asked for it
    PBS_SOLVER_FIRST = 1,        ///< nothing is known yet: block Jacobi begins
    PBS_SOLVER_CHEAPEST = 2,     ///< the least work, by the running means of iterations
    PBS_SOLVER_RETRIED = 3,      ///< block Jacobi, after others had been cheaper for a while
    PBS_SOLVER_SWITCHED = 4,     ///< block Jacobi began and was given up
    PBS_SOLVER_INDEFINITE = 5,   ///< two levels, as the matrix has no factor
    PBS_SOLVER_FEW_NODES = 6,    ///< a factor, as the system is so small that it costs nothing
    PBS_SOLVER_STIFF_CONTACT = 7 ///< contact is more than 1e4 times as stiff as what it touches,
                                 ///< which is not for block Jacobi
} pbs_solver_reason;

/// The linear solves of the last step.
typedef struct pbs_linear_stats {
    uint32_t solves;     ///< one for each direction. Where the exact Hessian was found indefinite
                         ///< and the solve began again with a projected one
                         ///< (PBS_HESSIAN_AUTOMATIC), both together are one
    uint32_t iterations; ///< of conjugate gradients: products with the Hessian, of all solves
    uint32_t indefinite_solves; ///< ended by negative curvature (OPT: expected far from the
                                ///< solution)
    uint32_t switched_solves;   ///< that block Jacobi began and another preconditioner finished
    uint32_t shifted_factors;   ///< incomplete factorisations that needed a diagonal shift
    uint32_t coarse_unknowns;   ///< of the coarse space of the last matrix; 0: none
    double largest_shift; ///< relative to the diagonal; infinite where a factor would have needed
                          ///< so much that block Jacobi took over
    // Of the last matrix:
    int32_t preconditioner;      ///< pbs_preconditioner; -1: the host's linear solver
    int32_t reason;              ///< pbs_solver_reason
    double predicted_iterations; ///< of block Jacobi, by the running mean of those before; 0:
                                 ///< nothing was known, or nothing to choose
    // The work that each was expected to take, set-up and iterations. It is counted in nanoseconds
    // of the machine that the model was fitted on, so that it is the same everywhere. 0: not known,
    // or not an option.
    double block_jacobi_work;
    double factor_work;
    double two_level_work;
    // Of a host's linear solver (solver.h); 0 where there is none:
    uint32_t host_solves;    ///< right-hand sides that it has solved for
    uint32_t host_fallbacks; ///< matrices for which the world's own preconditioner took over,
                             ///< because the host's solver refused them or a right-hand side
    uint32_t reserved[8];    ///< 0
} pbs_linear_stats;

/// Contact in the last step.
typedef struct pbs_contact_stats {
    uint32_t active;             ///< pairs of vertex and collider that carry force at the end
    uint32_t searches;           ///< for pairs that could touch
    uint32_t sweeps;             ///< continuous collision detection along a search direction
    uint32_t constrained_inside; ///< vertices that their pins or targets put inside a collider that
                                 ///< is a constraint, where contact cannot move them
    uint64_t candidates;         ///< pairs that the last search found
    double least_gap; ///< m: with barriers, the smallest gap below `distance` at the end; infinite
                      ///< without any
    double deepest_penetration; ///< m: at the end, of what penalties on depth push out
                                ///< (PBS_BODY_CONTACT_PENALTY, PBS_COLLISION_PENALTY); 0: nothing
    // What pbs_world_desc said, or the library chose:
    double distance;        ///< m
    double stiffness;       ///< of the barriers, in the unit of contact_stiffness; the largest, in
                            ///< N/m, where it is chosen for each body
    double least_stiffness; ///< likewise, the least
    double slip_velocity;   ///< m/s
    uint32_t reserved[8];   ///< 0
} pbs_contact_stats;

/// Energy control in the last step; 0 for schemes without. Energies are sums over islands, see
/// by_island of pbs_energy_control.
typedef struct pbs_energy_control_stats {
    double alpha_low, alpha_high; ///< of the islands' alphas, the least and the largest
    /// J, what the energy was to be at the end. For schemes over implicit Euler (A_1, A_SEARCH,
    /// SPARSE_A_SEARCH) what is kept, decays and gains is target + h / 2 sum f.v, with the constant
    /// forces f (gravity, a host's linear energy) on bodies without constrained axes and their
    /// velocities v. For others it is the target.
    double target;
    double reached; ///< J, what it is: kinetic, elastic, gravity, barriers and the host's
    double work;    ///< J, put into what is kept, by scripted vertices and moving colliders, by
                    ///< wind, forces of PBS_FORCE_ONCE and torques, and by changes of gravity, of
                    ///< lasting forces, of a host's energy and of constraints since the step
                    ///< before
    uint32_t reserved[8]; ///< 0
} pbs_energy_control_stats;

/// The steps of the last advance; a step is an advance of one step. Other parts of pbs_stats sum
/// rejected tries as well.
typedef struct pbs_step_control_stats {
    uint32_t accepted;
    uint32_t rejected;         ///< tries that the step control did not take
    uint32_t above_tolerance;  ///< accepted steps that were taken at the least step above the
                               ///< tolerance
    uint32_t fracture_limited; ///< accepted steps that were kept to fracture_step because bonds
                               ///< broke
    double shortest, longest;  ///< s, of the accepted steps; 0 where there are none
    double error; ///< what the step control measured at the last accepted step, see pbs_step_kind;
                  ///< for a linearized one of a system the force error, with or without control
    double next;  ///< s, what the step control begins with next time; 0: `initial` of
                  ///< pbs_step_control
    double fracture_step; ///< s: the longest step while bonds broke, the shortest where that
                          ///< changed
    uint32_t reserved[8]; ///< 0
} pbs_step_control_stats;

/// Seconds of the last step by phase.
typedef struct pbs_time_stats {
    double total;
    double prepare; ///< terms and matrix pattern where bodies changed, and copying
    double guess;   ///< initial guesses
    double hessian; ///< the Hessian and what constraints make of it
    double factor;  ///< the preconditioner's set-up
    double solve;   ///< conjugate gradients
    double search;  ///< line searches, with their evaluations
    double finish;  ///< copying back, forces
    // Parts of the phases above:
    double contact_search; ///< for pairs that could touch
    double contact_sweep;  ///< continuous collision detection
    double contact;        ///< distances, forces and Hessians of contacts
    uint32_t reserved[8];  ///< 0
} pbs_time_stats;

/// Since creation. A restored world goes on from the saved one's.
typedef struct pbs_total_stats {
    uint64_t steps;             ///< that landed
    uint64_t failed_steps;      ///< that did not
    uint64_t newton_iterations; ///< of all steps, failed ones included
    uint64_t linear_iterations; ///< products with the Hessian; 0 of systems
    uint32_t reserved[4];       ///< 0
} pbs_total_stats;

/// Memory of this world and its host's allocator.
typedef struct pbs_memory_stats {
    uint64_t allocator_calls; ///< allocations and releases so far: constant in a steady state
    uint64_t bytes_in_use;
    uint32_t reserved[4]; ///< 0
} pbs_memory_stats;

/// The scene at present.
typedef struct pbs_scene_stats {
    uint64_t nodes;    ///< of all bodies: their vertices, and four for an affine body
    uint64_t elements; ///< of all bodies: tetrahedra, triangles and hinges of shells, springs,
                       ///< affine bodies, stencils
    uint64_t blocks;   ///< 3x3 blocks of the Hessian's upper triangle; 0 until the next step where
                       ///< bodies changed
    double affine_strain; ///< |A^T A - 1| / 2 (Frobenius) of the most strained affine body, A its
                          ///< deformation; 0 without any. Affine bodies resist strain, but scripts
                          ///< and colliders press as hard as they must: the log warns where a step
                          ///< takes it above 0.1
    pbs_body affine_strain_body;     ///< that body; null: none
    uint32_t bodies_without_contact; ///< affine ones in a world with PBS_CONTACT_PROJECTION, and
                                     ///< those without a penalty_stiffness where colliders are
                                     ///< penalties without one; with PBS_CONTACT_PENALTY all
                                     ///< without particles that bonds join: they go through
                                     ///< colliders. The log warns of them
    uint32_t reserved[9];            ///< 0
} pbs_scene_stats;

/// What kept the last step from landing, or from its tolerance.
typedef enum pbs_failure {
    PBS_FAILURE_NONE = 0,       ///< nothing
    PBS_FAILURE_RESIDUAL = 1,   ///< newton_limit was reached
    PBS_FAILURE_NO_DESCENT = 2, ///< no lower energy was found along a search direction
    PBS_FAILURE_BLOCKED = 3,    ///< scripted vertices or colliders cannot go where they are to go
    PBS_FAILURE_OVERLAP = 4,    ///< surfaces touch or go through each other where the step begins
    PBS_FAILURE_ELEMENT = 5,    ///< an element of infinite energy where the step begins
    PBS_FAILURE_HOST = 6,  ///< the callback of a custom body asked to stop or refused the state
    PBS_FAILURE_OTHER = 7, ///< what pbs_last_error says
    PBS_FAILURE_UNCONSTRAINED = 8 ///< of PBS_SCHEME_QUASI_STATIC: no equilibrium, as something
                                  ///< moves that nothing constrains
} pbs_failure;

/// Why the last step failed, was divided or did not reach its tolerance, for hosts that react;
/// pbs_last_error says it in words. Of several reasons it is the last. Of a step that answered
/// PBS_OK it is PBS_FAILURE_NONE, null ids and zeros.
typedef struct pbs_failure_stats {
    int32_t kind;    ///< pbs_failure
    uint32_t vertex; ///< of body; UINT32_MAX: none, or none of an affine body's
    pbs_body body;   ///< where the residual is largest, or whose element or callback it was; null:
                     ///< none
    double residual; ///< N, of the gradient there; of an affine body of its centre or of the
                     ///< stretch of its farthest vertex
    // The contact with the largest force there; of PBS_FAILURE_BLOCKED the one with the largest
    // force against what is scripted, of PBS_FAILURE_OVERLAP the pair that overlaps. By side; null
    // ids: none.
    pbs_body pair_bodies[2];
    pbs_collider pair_colliders[2];
    uint32_t pair_vertex_counts[2]; ///< 1: a vertex, 2: an edge, 3: a triangle; 0: of a collider
                                    ///< that was given no vertices
    uint32_t pair_vertices[6];      ///< three places for each side
    double pair_gap;                ///< m; 0 or less where it overlaps
    double pair_stiffness;          ///< of its barrier, in the unit of contact_stiffness
    double pair_force;              ///< N
    pbs_joint joint;                ///< the joint with the largest gap relative to its tolerance;
                                    ///< null: none was open by more than that
    double joint_gap;               ///< m, of its row with the largest gap (pbs_joint_state.gap is
                                    ///< that of the last accepted state)
    uint32_t reserved[4];           ///< 0
} pbs_failure_stats;

/// What the last step did, in sums over its stages and divisions; what all steps did; and the
/// scene's size. As with pbs_energy, the caller sets struct_size = sizeof(pbs_stats) and nothing
/// else.
typedef struct pbs_stats {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    int32_t status;       ///< what the last step answered
    pbs_step_stats step;
    pbs_newton_stats newton;
    pbs_linear_stats linear;
    pbs_contact_stats contact;
    pbs_energy_control_stats energy_control;
    pbs_step_control_stats step_control;
    pbs_time_stats time;
    pbs_total_stats total;
    pbs_memory_stats memory;
    pbs_scene_stats scene;
    pbs_failure_stats failure;
} pbs_stats;

/// Statistics of the last step and of the world.
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_world_stats(const pbs_world *w, pbs_stats *out);

#ifdef __cplusplus
}
#endif
#endif
