// A run: one call of pbs_world_step or pbs_world_advance. It is a transaction: steps compute with
// copies in the workspace, and the scene changes only when the run is committed.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_RUN_H
#define PBS_WORLD_STEPPING_RUN_H

#include "world/breaking/breaking.h"
#include "world/stepping/reference.h"

/// Why the last attempt at a step failed, in public ids.
struct failure {
    int32_t kind;    ///< PBS_FAILURE_*
    uint32_t vertex; ///< UINT32_MAX: none
    pbs_body body;
    double residual; ///< N
    pbs_contact_side sides[2];
    double gap, stiffness, force;
    pbs_joint joint;  ///< the joint that is farthest from closed; null: none is open
    double joint_gap; ///< m
};

struct run {
    pbs_world *w;
    double h;               ///< s, duration of the call
    double linear_accuracy; ///< m, see struct step_problem
    /// Advances the workspace from the start to the end of the call. The run is committed if it
    /// returns no error.
    pbs_status (*steps)(struct run *run);
    struct reference_lengths lengths; ///< of the scene at the start
    double elapsed, saved_elapsed;    ///< s, accepted so far; its value at the last saved state
    struct step_problem problem;
    struct failure failure;
    struct status_message unconverged; ///< message of the last attempt with PBS_NOT_CONVERGED
    struct step_result sum; ///< sum over steps and their parts; counts of work include rejected
                            ///< attempts
    uint32_t divisions;
    double free_reference;
    double first_step; ///< s, length of the first step, as far as it is known before
    struct adaptive_barrier barrier;
    double contact_time;      ///< s: what contact_time of the scene is for the current step
    uint32_t iterations_left; ///< until call_limit, if the host has set one
    uint32_t division_limit;  ///< the host's, or the default of the kind of contact
    uint32_t explicit_steps;  ///< number of steps of explicit schemes
    bool forces_at_end_known; ///< the part was a step of explicit.h, which has evaluated the forces
                              ///< at its end
    uint32_t motion_parts;    ///< number of parts of the last step that was divided before it was
                              ///< solved, or 1
    struct wave_limit waves;  ///< of the scene, and of hits in this run
    // Step control:
    struct step_control control;
    struct step_memory step_memory;
    struct step_counts counts;
};

/// Prepares the world, runs the steps, commits, and writes statistics. w, h, steps, control and
/// step_memory are set.
pbs_status run_world(struct run *run);

/// Solves one step from the workspace's current state to its next state, which must lie within the
/// bounds of coordinates. If bonds break, the step is repeated up to fracture_passes times.
struct step_result run_step(struct run *run, const struct step_span *span);
/// The same, again with stiffer contact where contact has been pressed so hard that it should have
/// been stiffer, and with stiffer bodies where these have yielded that should look rigid.
struct step_result run_relieved(struct run *run, const struct step_span *span);
/// Makes bodies stiffer that the step which has just been solved has strained too much, whether it
/// landed or not. Returns whether there are any: the step is to be taken again.
bool strain_relief_raise(struct run *run, bool has_landed);
/// When the run ends. has_failed: bodies are as stiff as before it.
void strain_relief_end(pbs_world *w, bool has_failed);

/// Solves a part of the run from the workspace's current state and accepts the result in the
/// workspace. A part that fails is halved, and its halves again.
pbs_status run_part(struct run *run, const struct step_span *span, uint32_t depth);
/// Runs a whole step: as one part, or as several if bodies move so far that they could pass through
/// each other.
pbs_status run_whole(struct run *run, const struct step_span *span);
/// Runs the two halves of a part that has failed, with the thread's message set, and that may be
/// divided.
pbs_status run_halves(struct run *run, const struct step_span *span, uint32_t depth);
bool run_may_divide(const struct run *run, pbs_status status);
/// Whether the call has made the iterations that the host allows it (call_limit).
bool run_is_spent(const struct run *run);
/// Puts back what a step that is not accepted has changed. memory, broken: as they were before.
void run_undo_step(struct run *run, const struct scheme_memory *memory,
                   const struct break_mark *broken);
/// Whether a step of h seconds is longer than waves let it be that go through a body that was hit
/// (impact_steps).
bool run_is_beyond_waves(const struct run *run, double h);
/// Whether the step that was solved, of h seconds, has a hit that the host wants resolved and that
/// it does not resolve.
bool run_missed_impact(struct run *run, double h);
/// Runs the two halves of a part that is longer than a hit lets it be.
pbs_status run_shorter(struct run *run, const struct step_span *span, uint32_t depth);

/// Add the work of a part to run->sum; add its results and accept it in the workspace.
void run_add_work(struct run *run, const struct step_result *part);
void run_commit_part(struct run *run, const struct step_result *part, double h);
/// Makes the workspace's next state, h seconds later, the current one, and breaks bonds there.
void run_accept(struct run *run, double h);

#endif
