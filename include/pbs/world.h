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

/// The id of a body: slot, generation and world in 64 bits. All zero is the null id, which names no
/// body. Use after destroy, or in another world, is PBS_ERROR_HANDLE. Unlike all results, ids
/// differ from run to run.
typedef struct pbs_body {
    uint64_t id; ///< opaque
} pbs_body;

/// The id of a collider, made as that of a body is.
typedef struct pbs_collider {
    uint64_t id; ///< opaque
} pbs_collider;

/// The value of members that say so, where the library chooses by the scene: docs/numbers.md.
typedef enum pbs_automatic { PBS_AUTOMATIC = -1 } pbs_automatic;

/// How a world treats contact.
typedef enum pbs_contact_kind {
    /// Vertices are kept out of colliders as a constraint, by OPT's projection, which does not act
    /// on affine bodies. body_contact says whether bodies touch each other.
    PBS_CONTACT_PROJECTION = 0,
    /// The default: nothing goes through anything. A barrier acts between all surfaces: of bodies,
    /// of other parts of the same body, of colliders; continuous collision detection bounds each
    /// motion (ECI section 4.5; IPC, Li et al. 2020).
    PBS_CONTACT_BARRIER = 1,
    /// For explicit steps of bonded and peridynamic bodies: particles that no bond joins touch each
    /// other and colliders as elastic spheres. Other bodies touch nothing. The world starts with
    /// PBS_SCHEME_VELOCITY_VERLET, and no other scheme moves it (BDEM section 4.6;
    /// docs/theory/bonds.md section 6.5).
    PBS_CONTACT_PENALTY = 2
} pbs_contact_kind;

/// How bodies touch each other and themselves with PBS_CONTACT_PROJECTION.
typedef enum pbs_body_contact {
    PBS_BODY_CONTACT_NONE = 0, ///< not at all
    /// Surface vertices inside a solid (pbs_solid_desc), another one or their own, are pushed out
    /// by the energy k r^3 of their distance r to its surface. So they do go in, by sqrt(F / (3 k))
    /// under a force F. A vertex that gets deeper than half of the solid in one step comes out on
    /// the other side (OPT section 5.3; docs/theory/contact.md section 8).
    PBS_BODY_CONTACT_PENALTY = 1
} pbs_body_contact;

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
    int32_t contact;      ///< pbs_contact_kind
    int32_t body_contact; ///< pbs_body_contact, with PBS_CONTACT_PROJECTION
    /// m: with PBS_CONTACT_BARRIER, surfaces closer than that repel each other (d hat). 0: for each
    /// body 5e-3 of its size, and at most a part of its mesh's edges (docs/numbers.md); a pair
    /// takes the lesser of two. What the host places closer stays where it is until it comes closer
    /// still.
    double contact_distance;
    /// With PBS_CONTACT_BARRIER N/m: kappa of the barrier -kappa (d - d hat)^2 ln(d / d hat); kappa
    /// d hat^2 is about the energy that one contact can store. 0: chosen for each body, by mass
    /// over h^2, by weight and by the contact forces of the steps before; a pair takes the lesser
    /// of two. It changes by a factor of 2 at most in each step, but where a step would press a gap
    /// to almost nothing, and follows h slowly, so that steps of another length move nothing that
    /// rests. Energy control counts what a change adds as work. With PBS_CONTACT_PENALTY N/m: of a
    /// sphere on a sphere or a collider. 0: 0.1 of the mean of young times length over a body's
    /// bonds; a pair takes the lesser of two.
    double contact_stiffness;
    /// m/s: with PBS_CONTACT_BARRIER, friction grows to its full force up to this speed
    /// (epsilon_v). 0: 3e-3 sqrt(g size) of the smallest body; with PBS_SCHEME_QUASI_STATIC 1e-4 of
    /// its size over the seconds of the call.
    double slip_velocity;
    /// With PBS_CONTACT_BARRIER, 1 to 100: how often a stage is solved at most. Each solve takes
    /// the normal forces, points and directions of friction from the solution before, until the
    /// solution stays. The first one takes them from the start of the step, and so knows no
    /// friction of contacts that begin in the step; with 1 a second one follows where that is more
    /// than a tenth of the force that acts on a body.
    uint32_t friction_iterations;
    // Solving:
    uint32_t newton_limit; ///< iterations of a stage, 1 to 1e6
    /// 0 to 20: a failed step is halved, and its halves again, up to this many times; 0: never.
    /// With barriers a step in which bodies move more than half the size of what they meet is taken
    /// in up to 8 equal parts, no more than 2^divisions. (uint32_t)PBS_AUTOMATIC: 6, halved after
    /// 150 Newton iterations where there are barriers or joints; 0 with allow_unconverged of
    /// pbs_expert_desc.
    uint32_t divisions;
    /// 1: no fused multiply-add, so that processors with and without it give the same bits. Exact
    /// factors then take up to twice the time. The C library may still differ between machines, in
    /// sines (of colliders and bodies that are turned, of cylinders, and of round meshes), in
    /// powers (step controls) and exponentials (decay of energy targets). 0: fused where the
    /// processor can.
    int32_t processor_independent;
    double tolerance; ///< N: a stage is solved when |gradient| over all bodies is below; 0: each
                      ///< body has a limit by the forces that act on it (docs/numbers.md)
    double relative_tolerance; ///< of a body's moduli times areas, weight and loads, or of the
                               ///< force that acts on it if that is more; 1e-3 of the latter is
                               ///< enough
    /// m/s: a stage is solved, too, when a full Newton step changes no component of velocity by
    /// that much, gains little energy and leaves each body its momentum. 0: the gradient alone
    /// decides. PBS_AUTOMATIC: with barriers 1e-2 sqrt(g size) of the smallest body, a hundredth of
    /// that for schemes with energy control; without barriers a hundredth of these where joints
    /// have limits or motors, otherwise 0.
    double velocity_tolerance;
    // Breaking:
    /// For implicit steps, 0 to 1000. Bonds and joints above their strengths at the end of a step
    /// (also of an advance, and of a part) break, and the same step is taken again without them, up
    /// to this many times, so that a crack grows within the step. Those above their strengths after
    /// the last pass break too. 0: they break when a step is over. With PBS_SCHEME_QUASI_STATIC,
    /// where 0 passes are no limit, a step goes on from its end until nothing more breaks.
    uint32_t fracture_passes;
    uint32_t fracture_limit; ///< most bonds that break at the end of a step, a part or a pass,
                             ///< those farthest above their strengths first; 0: all
    const pbs_expert_desc *expert; ///< null: in pbs_world_create the defaults, in
                                   ///< pbs_world_set_settings no change; read during the call only
    /// For implicit steps, 0 to 1000. A wave of stress starts where a body is hit, of the closing
    /// speed times the impedance, density times wave speed, of both in series. A step longer than
    /// it takes through the body does not see it: bodies that this stress should break stay whole,
    /// with a warning (unseen_impacts of pbs_stats). > 0: steps are halved around such hits until
    /// so many resolve the way of the wave through the least side of the body at rest, and stay as
    /// short until it has gone through four times; no shorter than 2^-14 of the call. 0: off
    /// (docs/theory/fracture.md section 8).
    uint32_t impact_steps;
    /// Newton iterations of one call of pbs_world_step or pbs_world_advance, of all its stages,
    /// parts and attempts together; 0: no limit. A call that has made as many divides nothing any
    /// more: it fails or, with allow_unconverged of pbs_expert_desc, lands as it is. Explicit and
    /// linearized steps make none. Not saved: a restored world has the limit of the one it is
    /// restored into.
    uint32_t call_limit;
} pbs_world_desc;

/// Fills *d: no gravity, one thread, contact by barriers whose distance, stiffness and slip
/// velocity follow the scene, one friction iteration, 500 Newton iterations, relative tolerance
/// 1e-6, a velocity tolerance that follows the scene, a failed step halved up to three times,
/// expert null (docs/numbers.md).
/// @param struct_size  sizeof(pbs_world_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE (larger than this library's)
PBS_API pbs_status pbs_world_desc_init(pbs_world_desc *d, size_t struct_size);

/// Makes an empty world that steps with implicit Euler; pbs_world_destroy frees it. The host's
/// allocator, log and tasks must outlive it.
/// @param out  written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// one of two allocator functions), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY, PBS_ERROR_THREAD
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

/// Changes settings from the next step on. A host changes what pbs_world_settings gave, and hands
/// it back; for expert settings it changes what pbs_world_expert_settings gave, and points `expert`
/// to that. Threads (see pbs_world_set_threads), allocator, log and tasks stay, whatever d says of
/// them, and the kinds of contact must stay. A step that failed can be tried again with other
/// limits. Another preconditioner or order, or another processor_independent, makes the next step
/// prepare its matrices anew.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// another contact or body_contact), PBS_ERROR_STRUCT_SIZE; nothing is changed then
PBS_API pbs_status pbs_world_set_settings(pbs_world *w, const pbs_world_desc *d);

/// Frees the world and all its bodies and colliders. Null is fine.
PBS_API void pbs_world_destroy(pbs_world *w);

/// The world steps with a copy of this integrator from now on, without memory of earlier steps.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a scheme that cannot move this world's bodies or
/// with its contact)
PBS_API pbs_status pbs_world_set_integrator(pbs_world *w, pbs_integrator *i);

/// The world steps with this scheme and its defaults from now on, as with an integrator of
/// pbs_integrator_desc_init.
/// @param scheme  pbs_scheme (integrator.h)
/// @return PBS_ERROR_ARGUMENT (w is null, an unknown scheme, one that cannot move this world's
/// bodies or with its contact)
PBS_API pbs_status pbs_world_set_scheme(pbs_world *w, int32_t scheme);

/// The scheme that the world steps with, pbs_scheme; -1 where w is null.
PBS_API int32_t pbs_world_scheme(const pbs_world *w);

/// One step of h seconds, whatever the integrator's step control is. It lands whole or leaves the
/// world as it was; pbs_world_stats says why.
/// @return PBS_OK, PBS_DIVIDED, PBS_NOT_CONVERGED (where allowed), PBS_ERROR_ARGUMENT (w is null, h
/// not positive and finite, or the time after it not finite, a scene too large for 32-bit indices),
/// PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE, PBS_ERROR_HOST, PBS_ERROR_MEMORY,
/// PBS_ERROR_MISSING_CALLBACK
/// @see OPT section 3; docs/architecture.md
PBS_API pbs_status pbs_world_step(pbs_world *w, double h);

/// Builds what the next step needs of the bodies that are there: matrices and their orders, the
/// solver, buffers. The next step then has that behind it, as when a level has been loaded and the
/// first frame is still to come. Changes no result: steps build by themselves what is missing, at
/// the first step and after bodies changed.
/// @return PBS_ERROR_ARGUMENT (w is null, a scene too large for 32-bit indices), PBS_ERROR_MEMORY,
/// PBS_ERROR_MISSING_CALLBACK
PBS_API pbs_status pbs_world_prepare(pbs_world *w);

/// As many steps as the integrator's step control wants, which end exactly `duration` seconds
/// later; without step control one step (see PBS_STEP_FIXED). Targets and moving colliders take the
/// whole duration to get where they go. The whole advance lands or leaves the world as it was, as a
/// step does; pbs_world_stats has the sums over its steps. The last step is shortened to meet the
/// end. The next advance goes on with the step length before that, until pbs_world_set_integrator.
/// @return as pbs_world_step; PBS_ERROR_ARGUMENT also where it would take more than 1e9 of the
/// longest steps
/// @see ATS section 3; PBS_STEP_FIXED and pbs_step_control
PBS_API pbs_status pbs_world_advance(pbs_world *w, double duration);

/// Seconds since creation; 0 for null.
PBS_API double pbs_world_time(const pbs_world *w);

/// Changes gravity of all bodies from the next step on (of one: pbs_body_set_gravity), as
/// pbs_world_set_settings does with all settings.
/// @param gravity  3, m/s^2; copied
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite)
PBS_API pbs_status pbs_world_set_gravity(pbs_world *w, const double gravity[3]);

/// The gravity of the world.
/// @param gravity  becomes 3 numbers, m/s^2
/// @return PBS_ERROR_ARGUMENT (a null pointer)
PBS_API pbs_status pbs_world_gravity(const pbs_world *w, double gravity[3]);

/// How many surface materials pbs_world_set_friction tells apart.
typedef enum pbs_surface_limit { PBS_SURFACE_MATERIALS = 32 } pbs_surface_limit;

/// Sets the Coulomb coefficient between surfaces of two materials (or of one and the same) from the
/// next step on, in place of the larger of what the two bodies or colliders say. With
/// PBS_CONTACT_BARRIER, and between bodies that push each other out
/// (PBS_BODY_CONTACT_PENALTY); with projection a collider's own coefficient counts.
/// @param a, b  below PBS_SURFACE_MATERIALS: the surface_material of pbs_contact_desc and
/// pbs_collider_desc, in any order
/// @param friction  >= 0
/// @return PBS_ERROR_ARGUMENT (w is null, an unknown material, a number that is negative or not
/// finite)
PBS_API pbs_status pbs_world_set_friction(pbs_world *w, uint32_t a, uint32_t b, double friction);

/// What pbs_world_set_friction has set for two materials.
/// @param friction  becomes the coefficient; -1 where none was set, and the larger of what the two
/// sides say counts
/// @return PBS_ERROR_ARGUMENT (a null pointer, an unknown material)
PBS_API pbs_status pbs_world_friction(const pbs_world *w, uint32_t a, uint32_t b, double *friction);

/// Changes the number of the library's threads, which changes no bit of any result. Worlds with
/// `tasks` of the host take note of it only.
/// @param threads  as in pbs_world_desc
/// @return PBS_ERROR_ARGUMENT (w is null, threads is not 0 to 1024), PBS_ERROR_MEMORY,
/// PBS_ERROR_THREAD; the threads stay as they are then
PBS_API pbs_status pbs_world_set_threads(pbs_world *w, int32_t threads);

/// How many threads the world computes with, the calling one included, also where 0 was set (what
/// was set is in pbs_world_settings); 1 with `tasks` of the host, which knows its own threads, and
/// 0 for null.
PBS_API int32_t pbs_world_threads(const pbs_world *w);

/// Energies, in joules. Results structs grow like settings structs, but have no _init: the caller
/// sets struct_size = sizeof(pbs_energy) and nothing else.
typedef struct pbs_energy {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t reserved;    ///< becomes 0
    double kinetic;
    double elastic;
    double gravity;    ///< 0 where every body is at its initial place
    double contact;    ///< of barriers and penalties
    double host;       ///< of custom bodies
    double dissipated; ///< taken out by damping, drag, friction and the air (force.h) so far; what
                       ///< a scheme loses or gains by itself is not in it
    double total;      ///< kinetic + elastic + gravity + contact + host + external
    double external;   ///< potential of the host's lasting forces, 0 where every body is at its
                       ///< initial place, and of pressure (force.h)
} pbs_energy;

/// The energies of the present state; infinite where the state is not admissible.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a scene too large for 32-bit indices),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HOST, PBS_ERROR_MEMORY, PBS_ERROR_MISSING_CALLBACK
PBS_API pbs_status pbs_world_energy(const pbs_world *w, pbs_energy *out);

/// Writes scene and state as bytes. A restored world goes on to the same bits. Callbacks are not
/// saved, only their tags.
/// @param buffer  at any address; null: only *size is set
/// @param size  the buffer's capacity on entry, the number of bytes written or needed on return
/// @return PBS_ERROR_ARGUMENT (w or size is null), PBS_ERROR_CAPACITY (*size is what is needed)
PBS_API pbs_status pbs_world_save(const pbs_world *w, void *buffer, size_t *size);

/// Replaces everything in the world but its allocator, log, tasks, threads and linear solver.
/// newton_limit, linear_limit and divisions become the saved world's only where these are lower, so
/// that no saved world can make a step longer than the host allows; pbs_world_set_settings may
/// change them afterwards. Ids that were valid when it was saved are valid again in this world (see
/// pbs_world_body_at); ids of what the world held before are not. Custom bodies need their
/// callbacks (pbs_world_register_callback, before or after; once registered they stay). Where the
/// saved world has the same bodies, colliders, joints and settings as this one, only the state is
/// read, and what the last steps have built is kept: going back by some frames takes less than a
/// step. On failure the world is as it was.
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
