// libpbs: worlds, stepping, energies, statistics, save and restore. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_H
#define PBS_WORLD_H

#include "base.h"
#include "expert.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene with everything in it. One thread at a time may use a world; different worlds are
/// independent.
typedef struct pbs_world pbs_world;
/// How time is discretised; see integrator.h.
typedef struct pbs_integrator pbs_integrator;

/// Names a body: slot, generation and world in 64 bits. All zero names nothing. Use after destroy,
/// or in another world, is PBS_ERROR_HANDLE. Unlike everything else, ids differ from run to run.
typedef struct pbs_body {
    uint64_t id; ///< opaque
} pbs_body;

/// Names a collider, as pbs_body names a body.
typedef struct pbs_collider {
    uint64_t id; ///< opaque
} pbs_collider;

/// Of members that say so: the library chooses, by the scene. docs/numbers.md says how.
enum { PBS_AUTOMATIC = -1 };

/// How contact is kept.
enum {
    PBS_CONTACT_PROJECTION = 0, ///< vertices are kept out of colliders as a constraint, by OPT's
                                ///< projection, which affine bodies do not feel; whether bodies
                                ///< feel each other is body_contact's to say
    PBS_CONTACT_BARRIER = 1, ///< the default: nothing goes through anything: a barrier between all
                             ///< surfaces of bodies, their own other parts and colliders, with
                             ///< continuous collision detection (ECI section 4.5; IPC, Li et al.
                             ///< 2020)
    PBS_CONTACT_PENALTY = 2 ///< for explicit steps of bonded and peridynamic bodies: particles that
                            ///< no bond joins are springy spheres to each other and to
                            ///< colliders. The world starts with PBS_SCHEME_VELOCITY_VERLET,
                            ///< which alone moves it; other bodies touch nothing (BDEM section
                            ///< 4.6; docs/theory/bonds.md section 6.5)
};

/// How bodies feel each other and themselves with PBS_CONTACT_PROJECTION.
enum {
    PBS_BODY_CONTACT_NONE = 0,   ///< not at all
    PBS_BODY_CONTACT_PENALTY = 1 ///< vertices of surfaces that are inside solids (pbs_solid_desc),
                                 ///< other ones or their own, are pushed out by k r^3 of the
                                 ///< distance r to the surface: they do go in, by sqrt(F / (3 k))
                                 ///< under a force F, and what goes in deeper than half of what is
                                 ///< there in one step comes out on the other side (OPT section
                                 ///< 5.3; docs/theory/contact.md section 8)
};

/// How a world computes, and the host's hooks.
typedef struct pbs_world_desc {
    uint32_t struct_size;    ///< set by pbs_world_desc_init
    int32_t threads;         ///< of the library, the calling one included; 0: one per processor;
                             ///< ignored with `tasks`
    double gravity[3];       ///< m/s^2
    pbs_allocator allocator; ///< all zero: the C library's
    pbs_log log;             ///< all zero: none
    pbs_tasks tasks;         ///< all zero: the library's own threads
    // Contact. Both kinds are fixed for the life of a world:
    int32_t contact;      ///< PBS_CONTACT_*
    int32_t body_contact; ///< PBS_BODY_CONTACT_*, with PBS_CONTACT_PROJECTION
    /// m: with PBS_CONTACT_BARRIER, surfaces closer than that repel each other (d hat). 0: a share
    /// of the smallest body's size and of the finest mesh's edges, which shrinks as smaller ones
    /// come and never grows.
    double contact_distance;
    /// With PBS_CONTACT_BARRIER N/m: kappa of the barrier -kappa (d - d hat)^2 ln(d / d hat); kappa
    /// d hat^2 is about the energy that one contact can store. 0: chosen for each body where a step
    /// or an advance begins, by mass over h^2, by weight and by the contact forces of the step
    /// before; a pair takes the lesser of two. It rises at once, and falls by a factor of 2 at most
    /// each time. Energy control counts what a change adds to the energy as work.
    /// With PBS_CONTACT_PENALTY N/m: of a sphere on a sphere or a collider. 0: 0.1 of the mean of
    /// young times length over a body's bonds; a pair takes the lesser of two.
    double contact_stiffness;
    /// m/s: with PBS_CONTACT_BARRIER, friction grows to its full force up to this speed
    /// (epsilon_v). 0: a share of the speed that the smallest body falls with, without inertia of
    /// its size over the seconds of the call.
    double slip_velocity;
    /// With PBS_CONTACT_BARRIER, 1 to 100: how often a stage is solved at most. Each solve takes
    /// normal forces, places and directions of friction from the solution before, until they change
    /// it no more. The first takes them from the start of the step, where what is hit in the step
    /// does not touch yet.
    uint32_t friction_iterations;
    // Solving:
    uint32_t newton_limit; ///< iterations of a stage, 1 to 1e6
    /// 0 to 20: a failed step is halved, and its halves again, up to this many times; 0: never.
    /// With barriers a step in which bodies move more than half the size of what they meet is taken
    /// in up to 8 equal parts, no more than 2^divisions. (uint32_t)PBS_AUTOMATIC: 3 with barriers,
    /// halved after 60 Newton iterations; 0 without, and with allow_unconverged of pbs_expert_desc.
    uint32_t divisions;
    /// 1: no fused multiply-add, so that processors with and without it give the same bits. Exact
    /// factors then take up to twice the time. The C library may still differ between machines, in
    /// sines (of colliders and bodies that are turned, and of cylinders), in powers (step controls)
    /// and exponentials (decay of energy targets). 0: fused where the processor can.
    int32_t processor_independent;
    double tolerance; ///< N: a stage is solved when |gradient| is below; 0: relative_tolerance
                      ///< times the scene's reference force
    double relative_tolerance; ///< of the reference force, see reference_force of pbs_stats
    /// m/s: a stage is solved, too, when a full Newton step changes no component of velocity by
    /// that much. 0: the gradient alone decides. PBS_AUTOMATIC: a share of the speed that the
    /// smallest body falls with; 0 without barriers.
    double velocity_tolerance;
    // Breaking:
    /// Of implicit steps, 0 to 1000. Bonds above their strengths at a step's end (of an advance, or
    /// of a part) break, and the same step is taken again without them, up to this many times: a
    /// crack goes on within the step. Bonds above their strengths after the last pass break too. 0:
    /// bonds break when a step is over. Without inertia (PBS_SCHEME_QUASI_STATIC), where a step
    /// goes on from its end, there are always passes until nothing more breaks.
    uint32_t fracture_passes;
    uint32_t fracture_limit; ///< most bonds that break at the end of a step, a part or a pass,
                             ///< those farthest above their strengths first; 0: all
    const pbs_expert_desc *expert; ///< null: in pbs_world_create the defaults, in
                                   ///< pbs_world_set_settings no change; read during the call only
} pbs_world_desc;

/// Fills *d: no gravity, one thread, contact by barriers whose distance, stiffness and slip
/// velocity follow the scene, one friction iteration, 500 Newton iterations, relative tolerance
/// 1e-6, a velocity tolerance that follows the scene, a failed step halved up to three times,
/// expert null (docs/numbers.md).
/// @param struct_size  sizeof(pbs_world_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE (larger than this library's)
PBS_API pbs_status pbs_world_desc_init(pbs_world_desc *d, size_t struct_size);

/// Makes an empty world with implicit Euler, to be given back with pbs_world_destroy. The host's
/// allocator, log and tasks must outlive it.
/// @param out  written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// half an allocator), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY, PBS_ERROR_THREAD
PBS_API pbs_status pbs_world_create(const pbs_world_desc *d, pbs_world **out);

/// The world's present settings: those it was created with, or was given since, or that came with a
/// restored world.
/// @param out  struct_size set by the caller, as pbs_world_desc_init does; allocator, log, tasks
/// and expert become zero
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_world_settings(const pbs_world *w, pbs_world_desc *out);

/// The world's present expert settings, likewise.
/// @param out  struct_size set by the caller, as pbs_expert_desc_init does
/// @return as pbs_world_settings
PBS_API pbs_status pbs_world_expert_settings(const pbs_world *w, pbs_expert_desc *out);

/// Changes settings from the next step on: limits, tolerances, how a step is solved and where it
/// starts, gravity, numbers of contact. A host changes what pbs_world_settings gave, and hands it
/// back; for expert settings it changes what pbs_world_expert_settings gave, and points `expert` to
/// that. Threads, allocator, log and tasks stay, whatever d says of them. A step that failed can be
/// tried again with other limits. Another preconditioner or order, or another
/// processor_independent, makes the next step prepare its matrices anew.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// another contact or body_contact), PBS_ERROR_STRUCT_SIZE; nothing is changed then
PBS_API pbs_status pbs_world_set_settings(pbs_world *w, const pbs_world_desc *d);

/// Frees the world and all its bodies and colliders. Null is fine.
PBS_API void pbs_world_destroy(pbs_world *w);

/// The world steps with (a copy of) this integrator from now on; its history starts afresh.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a scheme that cannot move this world's bodies or
/// with its contact)
PBS_API pbs_status pbs_world_set_integrator(pbs_world *w, pbs_integrator *i);

/// One step of h seconds, whatever the integrator's step_* are. It lands whole or leaves the world
/// as it was; pbs_world_stats says why.
/// @return PBS_OK, PBS_DIVIDED, PBS_NOT_CONVERGED (where allowed), PBS_ERROR_ARGUMENT (w is null, h
/// not positive and finite, or the time after it not finite, a scene too large for 32-bit indices),
/// PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE, PBS_ERROR_HOST, PBS_ERROR_MEMORY,
/// PBS_ERROR_MISSING_CALLBACK
/// @see OPT section 3; docs/architecture.md
PBS_API pbs_status pbs_world_step(pbs_world *w, double h);

/// As many steps as the integrator's step control wants, landing exactly `duration` seconds later;
/// without step control one step (see PBS_STEP_FIXED). Targets and moving colliders take the whole
/// duration to get where they go. The whole advance lands or leaves the world as it was, as a step
/// does; pbs_world_stats has the sums over its steps. The last step is shortened to meet the end;
/// the control goes on afterwards where it was, until pbs_world_set_integrator.
/// @return as pbs_world_step; PBS_ERROR_ARGUMENT also where it would take more than 1e9 steps of
/// step_max
/// @see ATS section 3; PBS_STEP_FIXED and the step_* members of pbs_integrator_desc
PBS_API pbs_status pbs_world_advance(pbs_world *w, double duration);

/// Seconds since creation; 0 for null.
PBS_API double pbs_world_time(const pbs_world *w);

/// Changes gravity from the next step on.
/// @param gravity  3, m/s^2; copied
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite)
PBS_API pbs_status pbs_world_set_gravity(pbs_world *w, const double gravity[3]);

/// Kinds of surfaces that pbs_world_set_friction tells apart.
enum { PBS_SURFACE_MATERIALS = 32 };

/// Sets the Coulomb coefficient between surfaces of two materials (or of one and the same) from the
/// next step on, whatever the bodies and colliders themselves say. Without this call the larger of
/// theirs counts. Of PBS_CONTACT_BARRIER; with projection a collider's own counts.
/// @param a, b  below PBS_SURFACE_MATERIALS: the surface_material of pbs_contact_desc and
/// pbs_collider_desc, in any order
/// @param friction  >= 0
/// @return PBS_ERROR_ARGUMENT (w is null, a material that is none, a number that is negative or not
/// finite)
PBS_API pbs_status pbs_world_set_friction(pbs_world *w, uint32_t a, uint32_t b, double friction);

/// Energies, in joules. Results structs grow like settings structs, but have no _init: the caller
/// sets struct_size = sizeof(pbs_energy) and nothing else.
typedef struct pbs_energy {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t reserved;    ///< becomes 0
    double kinetic;
    double elastic;
    double gravity;    ///< 0 where every body is at its initial place
    double contact;    ///< potential of contact; 0 of constraints
    double host;       ///< custom bodies
    double dissipated; ///< taken out by damping, drag and friction so far (integrators lose or gain
                       ///< besides)
    double total;      ///< kinetic + elastic + gravity + contact + host + external
    double external;   ///< potential of pbs_body_set_forces; 0 where every body is at its initial
                       ///< place
} pbs_energy;

/// The energies of the present state; a term that is not admissible there is infinite.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a scene too large for 32-bit indices),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HOST, PBS_ERROR_MEMORY, PBS_ERROR_MISSING_CALLBACK
PBS_API pbs_status pbs_world_energy(const pbs_world *w, pbs_energy *out);

/// What kept the last step from landing, or from its tolerance: pbs_stats.failure.
enum {
    PBS_FAILURE_NONE = 0,       ///< nothing
    PBS_FAILURE_RESIDUAL = 1,   ///< newton_limit was reached
    PBS_FAILURE_NO_DESCENT = 2, ///< no lower energy was found along a search direction
    PBS_FAILURE_BLOCKED = 3,    ///< scripted vertices or colliders cannot go where they are to go
    PBS_FAILURE_OVERLAP = 4,    ///< surfaces touch or go through each other where the step begins
    PBS_FAILURE_ELEMENT = 5,    ///< an element of infinite energy where the step begins
    PBS_FAILURE_HOST = 6,  ///< the callback of a custom body asked to stop or refused the state
    PBS_FAILURE_OTHER = 7, ///< what pbs_last_error says
    PBS_FAILURE_UNHELD = 8 ///< of PBS_SCHEME_QUASI_STATIC: no equilibrium, as something moves that
                           ///< nothing holds
};

/// Why PBS_PRECONDITIONER_AUTOMATIC has taken what it has. Block Jacobi begins wherever it may win,
/// and hands over after twice the work of what is cheapest of the others.
enum {
    PBS_SOLVER_ASKED_FOR = 0,    ///< there was nothing to choose
    PBS_SOLVER_FIRST = 1,        ///< nothing is known yet: block Jacobi begins
    PBS_SOLVER_CHEAPEST = 2,     ///< the least work, by the running means of iterations
    PBS_SOLVER_TRIED_AGAIN = 3,  ///< block Jacobi, after others had been cheaper for a while
    PBS_SOLVER_TURNED = 4,       ///< block Jacobi began and was given up
    PBS_SOLVER_INDEFINITE = 5,   ///< two levels, as the matrix has no factor
    PBS_SOLVER_FEW_NODES = 6,    ///< a factor, as the system is so small that it costs nothing
    PBS_SOLVER_STIFF_CONTACT = 7 ///< contact is more than 1e4 times as stiff as what it touches:
                                 ///< not for block Jacobi
};

/// What the last step did (sums over its stages and divisions), what all did, and the scene's size.
/// As with pbs_energy, the caller sets struct_size = sizeof(pbs_stats) and nothing else.
typedef struct pbs_stats {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    int32_t status;       ///< what the last step answered
    // The last step:
    uint32_t stages;    ///< minimisations, one for each stage of the scheme
    uint32_t divisions; ///< halvings made
    uint32_t newton_iterations;
    uint32_t linear_solves;
    uint32_t linear_iterations;   ///< products with the Hessian
    uint32_t evaluations;         ///< of the objective, line searches included
    uint32_t indefinite_solves;   ///< ended by negative curvature (OPT: expected far from the
                                  ///< solution)
    uint32_t gradient_directions; ///< Newton directions replaced by steepest descent
    uint32_t clamped_steps;       ///< shortened by step_length_limit
    uint32_t noise_accepts;   ///< steps taken on the gradient alone because the energy's change was
                              ///< below rounding, and stages ended because all that is left of the
                              ///< gradient is
    uint32_t shifted_factors; ///< incomplete factorisations that needed a diagonal shift
    uint32_t active_contacts; ///< vertex-collider pairs that carry force at the end
    double gradient_norm;     ///< N, at the end of the last stage
    double tolerance;         ///< N, asked for
    double reference_force;   ///< N: sqrt(sum over nodes of (modulus * length^2 + weight)^2), of
                              ///< shells (rigidity / length + weight)^2, what
    ///< tolerances are relative to; where that is 0 (custom bodies without
    ///< weight): |M v / h - grad P| at the first step after bodies changed
    double preconditioner_shift; ///< the largest shift, relative to the diagonal; infinite where a
                                 ///< factor would have needed so much that block Jacobi took over
    double step;                 ///< s, of the last step; of an advance: its duration
    // Seconds of the last step by phase:
    double time_total;
    double time_prepare;  ///< terms and matrix pattern where bodies changed, and copying
    double time_evaluate; ///< the initial guesses
    double time_hessian;  ///< the Hessian and what constraints make of it
    double time_factor;   ///< the preconditioner's setup
    double time_solve;    ///< conjugate gradients
    double time_search;   ///< line searches, with their evaluations
    double time_finish;   ///< copying back, forces
    // Since creation; a restore brings the saved world's:
    uint64_t step_count;        ///< steps that landed
    uint64_t failed_step_count; ///< steps that did not
    uint64_t newton_total;      ///< Newton iterations
    uint64_t linear_total;      ///< products with the Hessian
    // Of this world and the host's allocator:
    uint64_t allocator_calls; ///< allocations and releases made so far
    size_t bytes_in_use;
    // The scene:
    size_t node_count;    ///< of all bodies: their vertices, and four for an affine body
    size_t element_count; ///< tetrahedra, triangles and hinges of shells, springs, affine bodies,
                          ///< stencils: of all bodies
    size_t block_count; ///< 3x3 blocks of the Hessian's upper triangle; 0 until the next step where
                        ///< bodies changed
    // The last step again:
    size_t held_inside; ///< pinned or scripted vertices that their pins or targets put inside a
                        ///< collider, where contact cannot move them
    // The last advance (a step is an advance of one step); sums above include rejected tries:
    uint32_t accepted_steps;
    uint32_t rejected_steps; ///< tries that the step control did not take
    uint32_t forced_steps;   ///< of the accepted ones: taken at step_min above the tolerance
    uint32_t reserved;       ///< 0
    double shortest_step, longest_step; ///< s, of the accepted ones; 0 where there are none
    double step_error; ///< what the step control measured at the last accepted step, see PBS_STEP_*
    double step_next;  ///< s, what the step control begins with next time; 0: step_initial
    double energy_loss; ///< J, taken out by damping, drag and friction
    // Energy control in the last step; 0 for schemes without. Sums over islands, see
    // pbs_integrator_desc.energy_by_island.
    double alpha_low, alpha_high; ///< of the islands' alphas, the least and the largest
    double energy_target;  ///< J, what the energy was to be at the end. What is kept, decays and
                           ///< gains is target + h / 2 sum f.v, f the constant forces (gravity, a
                           ///< host's linear energy) on bodies without held axes, v their
                           ///< velocities, for schemes over implicit Euler: A_1, A_SEARCH,
                           ///< SPARSE_A_SEARCH. For others it is the target
    double energy_reached; ///< J, what it is: kinetic, elastic, gravity, barriers and the host's
    double energy_work;    ///< J, put into target + h / 2 sum f.v by scripted vertices and moving
                           ///< colliders, and by changes of gravity, of a host's energy and of what
                           ///< is held since the step before
    // A host's linear solver in the last step; 0 where there is none, see solver.h:
    uint32_t host_solves;   ///< right-hand sides that it has solved for
    uint32_t host_refusals; ///< matrices that it has refused, or a right-hand side of theirs, so
                            ///< that the world's own preconditioner took over
    // The last matrix of the last step, for PBS_PRECONDITIONER_AUTOMATIC above all:
    int32_t preconditioner_used; ///< PBS_PRECONDITIONER_*; -1: the host's linear solver
    uint32_t coarse_unknowns;    ///< of its coarse space; 0: none
    double predicted_iterations; ///< of block Jacobi, by the running mean of those before it; 0:
                                 ///< nothing was known, or nothing to choose
    // Of PBS_CONTACT_BARRIER, in the last step:
    uint32_t contact_searches;   ///< for pairs that could touch
    uint32_t contact_sweeps;     ///< of everything along a search direction
    uint64_t contact_candidates; ///< pairs that the last search found
    double least_gap; ///< m: the smallest at the end, among gaps below contact_distance; infinite
                      ///< without any
    double time_contact_search; ///< s, part of the phases above
    double time_contact_sweep;  ///< s, part of the phases above
    double time_contact;        ///< s, part of the phases above: distances, forces, Hessians
    double contact_stiffness; ///< of the barriers, in the unit of pbs_world_desc's; the largest, in
                              ///< N/m, where it is chosen for each body
    // Why the last step failed, was divided or did not reach its tolerance (of several reasons the
    // last), for hosts that react; pbs_last_error says it in words. Of a step that answered PBS_OK
    // PBS_FAILURE_NONE, null ids and zeros:
    int32_t failure;         ///< PBS_FAILURE_*
    uint32_t failure_vertex; ///< of failure_body; UINT32_MAX: none, or none of an affine body's
    pbs_body failure_body; ///< where the residual is largest, or whose element or callback it was;
                           ///< null: none
    double failure_residual; ///< N, of the gradient there; of an affine body of its centre or of
                             ///< the stretch of its farthest vertex
    // The contact that pushes most there; of PBS_FAILURE_BLOCKED the one that pushes most against
    // what is scripted, of PBS_FAILURE_OVERLAP the pair that overlaps. By side; null ids: none.
    pbs_body failure_pair_bodies[2];
    pbs_collider failure_pair_colliders[2];
    uint32_t failure_pair_counts[2];   ///< 1: a vertex, 2: an edge, 3: a triangle; 0: of a collider
                                       ///< that was given no vertices
    uint32_t failure_pair_vertices[6]; ///< three places for each side
    double failure_gap;                ///< m; 0 or less where it overlaps
    double failure_stiffness;          ///< of its barrier, in the unit of pbs_world_desc's
    double failure_force;              ///< N
    // Affine bodies resist strain, but what scripts and colliders press on them is not bounded. The
    // log warns where a step takes this above 0.1:
    double affine_strain;        ///< at present, |A^T A - 1| / 2 (Frobenius) of the most strained
                                 ///< affine body, A its deformation; 0 without any
    pbs_body affine_strain_body; ///< that body; null: none
    double contact_stiffness_least; ///< likewise, the least
    double contact_distance;        ///< m, of pbs_world_desc or chosen by the library
    double slip_velocity;           ///< m/s, likewise
    double velocity_tolerance;      ///< m/s, likewise; 0: the gradient alone decides
    uint32_t flight_parts; ///< equal parts that the step was taken in, as bodies moved more than
                           ///< half the size of what they meet; of an advance: its last step
    uint32_t untouchable_bodies; ///< affine ones in a world with PBS_CONTACT_PROJECTION (with
                                 ///< PBS_CONTACT_PENALTY all without particles that bonds join),
                                 ///< which go through colliders; where there are any the log says
                                 ///< so too
    uint32_t turned_solves; ///< in the last step: linear solves that block Jacobi began and another
                            ///< finished
    // Of PBS_PRECONDITIONER_AUTOMATIC, the last matrix of the last step:
    int32_t preconditioner_reason; ///< PBS_SOLVER_*
    // Work that was expected of each, set-up and iterations, in nanoseconds of the machine that the
    // model of it was fitted on: the same numbers everywhere. 0: not known, or not an option.
    double block_jacobi_work, factor_work, two_level_work;
    // Of explicit schemes (PBS_SCHEME_VELOCITY_VERLET), the last step; 0 for others:
    uint32_t explicit_steps;    ///< equal steps that it was divided into
    uint32_t explicit_reserved; ///< 0
    double stable_step; ///< s: the longest stable step, as estimated last (docs/integrators.md)
    // Of the last advance with a step control, where bonds broke (fracture_step of
    // pbs_integrator_desc); 0 otherwise:
    uint32_t fracture_steps;    ///< accepted steps that were kept to it
    uint32_t fracture_reserved; ///< 0
    double fracture_step;       ///< s: the longest step while bonds broke, the shortest where that
                                ///< changed
    double deepest_penetration; ///< m: at the end of the last step, of what penalties on depth push
                                ///< out (PBS_BODY_CONTACT_PENALTY, PBS_COLLIDE_PENALTY); 0: nothing
} pbs_stats;

/// Statistics of the last step and of the world.
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_world_stats(const pbs_world *w, pbs_stats *out);

/// Writes scene and state as bytes. The same bits come out of a restored world's future. Callbacks
/// are not saved, only their tags.
/// @param buffer  at any address; null: only *size is set
/// @param size  the buffer's capacity on entry, the number of bytes written or needed on return
/// @return PBS_ERROR_ARGUMENT (w or size is null), PBS_ERROR_CAPACITY (*size is what is needed)
PBS_API pbs_status pbs_world_save(const pbs_world *w, void *buffer, size_t *size);

/// Replaces everything in the world but its allocator, log, tasks, threads and linear solver.
/// newton_limit, linear_limit and divisions become the saved world's only where these are lower, so
/// that no saved world can make a step longer than the host allows; pbs_world_set_settings may
/// change them afterwards. Ids
/// that were valid when it was saved are valid again in this world (see pbs_world_body_at), which
/// takes over the saved world's stamp; ids of what the world held before are not. Custom bodies
/// need their callbacks (pbs_world_register_callback, before or after; registered once they stay).
/// On failure the world is as it was.
/// @param buffer  at any address; read during the call only
/// @param size  exactly what was saved
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_FORMAT (damaged, foreign version or
/// endianness), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_restore(pbs_world *w, const void *buffer, size_t size);

/// How many bodies there are; 0 for null.
PBS_API size_t pbs_world_body_count(const pbs_world *w);

/// The id of the index-th body in order of creation; a null id beyond the end, or where w is null.
PBS_API pbs_body pbs_world_body_at(const pbs_world *w, size_t index);

/// How many colliders there are; 0 for null.
PBS_API size_t pbs_world_collider_count(const pbs_world *w);

/// The id of the index-th collider in order of creation; a null id beyond the end, or where w is
/// null.
PBS_API pbs_collider pbs_world_collider_at(const pbs_world *w, size_t index);

/// 64-bit hash of positions, velocities and time: equal states have equal hashes. 0 for null.
PBS_API uint64_t pbs_world_hash(const pbs_world *w);

#ifdef __cplusplus
}
#endif
#endif
