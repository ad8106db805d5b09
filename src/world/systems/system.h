// A system behind the public API.
#ifndef PBS_WORLD_SYSTEMS_SYSTEM_H
#define PBS_WORLD_SYSTEMS_SYSTEM_H

#include "integrate/stepping/dense_step.h"
#include "world/objects/scene.h"

struct pbs_system {
    struct memory memory; ///< this block is its own
    size_t size;
    double *mass, *damping, *stiffness; ///< null where the host gave none
    struct dense_lu mass_factors;       ///< empty without mass
    pbs_system_force_fn force;
    pbs_system_jacobian_fn jacobian;
    void *user;
    struct dense_options options;
    struct dense_newton newton;
    struct dense_state state; ///< as the host sees it
    struct dense_state saved; ///< before a try that the step control may reject
    double *whole;            ///< where a whole step ends that halves are compared with
    struct step_memory step_memory;
    struct scheme_choice choice; ///< of the last step: whose memory the state has
    struct dense_workspace workspace;
    pbs_dense_stats stats; ///< of the last step
};

/// PBS_ERROR_ARGUMENT where s is null; forgets the last message.
pbs_status system_enter(const pbs_system *s);

/// States before now are of no use any more.
void system_forget_history(struct dense_state *state);

#endif
