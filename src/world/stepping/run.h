// One call that moves a world in time, as a transaction: what pbs_world_step and pbs_world_advance
// share.
#ifndef PBS_WORLD_STEPPING_RUN_H
#define PBS_WORLD_STEPPING_RUN_H

#include "world/stepping/reference.h"

/// Why the last try of a step failed, in the hosts' names.
struct failure {
    int32_t kind;    ///< PBS_FAILURE_*
    uint32_t vertex; ///< UINT32_MAX: none
    pbs_body body;
    double residual; ///< N
    pbs_contact_side sides[2];
    double gap, stiffness, force;
};

struct run {
    pbs_world *w;
    double h;               ///< s, all of it
    double linear_accuracy; ///< m, see struct step_problem
    /// Takes the workspace from 0 to 1; the world is changed only when it answers no failure.
    pbs_status (*steps)(struct run *run);
    struct reference_lengths lengths; ///< of the scene at the start
    double elapsed, saved_elapsed; ///< s, accepted so far; likewise, where a step may be taken back
    struct step_problem problem;
    struct failure failure;
    struct status_message unconverged; ///< the words of the last try that answered
                                       ///< PBS_NOT_CONVERGED
    struct step_result sum; ///< over the steps, their divisions and, for the work, rejected tries
    uint32_t divisions;
    double free_reference;
    double first_step; ///< s, as far as it is known beforehand
    struct adaptive_barrier barrier;
    uint32_t division_limit; ///< of the host, or what is right where it leaves that to the library
    uint32_t explicit_steps; ///< of schemes that kick, in all parts
    bool is_free;            ///< the part was a step of explicit.h, which evaluated at its end
    uint32_t motion_parts;   ///< of the last step that was divided beforehand, or 1
    // Step control:
    struct step_control control;
    struct step_memory step_memory;
    struct step_counts counts;
};

/// w, h, steps, control and step_memory are set: prepares, steps, lands, writes statistics.
pbs_status run_world(struct run *run);

/// One step from the workspace's state into its next one, which must lie within the bounds.
struct step_result run_step(struct run *run, const struct step_span *span);

/// A part of the run from the workspace's state, divided where it fails, and its halves again;
/// accepted in the workspace.
pbs_status run_part(struct run *run, const struct step_span *span, uint32_t depth);
/// A whole step: as one part, or as several where bodies would fly through each other.
pbs_status run_whole(struct run *run, const struct step_span *span);
/// The same as run_part for one that has failed, with the thread's message set, and may be divided.
pbs_status run_halves(struct run *run, const struct step_span *span, uint32_t depth);
bool run_may_divide(pbs_status status);

/// Adds what a part cost; and what it did, accepting it in the workspace.
void run_add_work(struct run *run, const struct step_result *part);
void run_commit_part(struct run *run, const struct step_result *part, double h);
/// The workspace's next state, h seconds later, becomes the present one.
void run_accept(struct run *run, double h);

#endif
