// The system behind the public interface.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_SYSTEMS_SYSTEM_H
#define PBS_WORLD_SYSTEMS_SYSTEM_H

#include "integrate/stepping/dense_step.h"
#include "world/objects/scene.h"

struct pbs_system {
    struct memory memory; ///< the system itself is allocated from it
    size_t size;
    double *mass, *damping, *stiffness; ///< null: the host gave none
    struct dense_lu mass_factors;       ///< empty if mass is null
    pbs_system_force_fn force;
    pbs_system_jacobian_fn jacobian;
    void *user;
    struct dense_options options;
    struct dense_newton newton;
    struct dense_state state; ///< the state that the host reads
    struct dense_state saved; ///< the state before an attempt that the step control may reject
    double *whole;            ///< end of a whole step, with which two half steps are compared
    struct step_memory step_memory;
    struct scheme_choice choice; ///< the scheme of the last step, to which the state's history
                                 ///< belongs
    struct dense_workspace workspace;
    pbs_dense_stats stats; ///< of the last step
};

/// Returns PBS_ERROR_ARGUMENT if s is null; clears the thread's message.
pbs_status system_enter(const pbs_system *s);

/// Discards the scheme's history.
void system_forget_history(struct dense_state *state);

#endif
