// Everything that a saved world holds: settings, time, bodies with their nodes, colliders, the
// scheme's history. What can be made again from it (terms, matrices, buffers) is topology.h.
#ifndef PBS_WORLD_OBJECTS_SCENE_H
#define PBS_WORLD_OBJECTS_SCENE_H

#include "contact/stiffness/adaptive_stiffness.h"
#include "integrate/stepping/step.h"
#include "integrate/step_control/step_control.h"
#include "linear/solver_selection.h"
#include "pbs/pbs.h"
#include "world/interface/handle.h"
#include "world/objects/body.h"
#include "world/objects/collider.h"
#include "world/objects/nodes.h"
#include "world/objects/vertices.h"

struct world_joint;

/// A scheme with its settings: what worlds copy of an integrator.
struct scheme_choice {
    const struct scheme_table *scheme;
    pbs_integrator_desc settings; ///< allocator left out
};

struct pbs_integrator {
    struct scheme_choice choice;
    struct memory memory; ///< this block is its own
};

/// What the scheme remembers; arrays of the scene's node count, null where the scheme has no use
/// for them.
struct history {
    struct scheme_memory memory;
    double *x_before, *v_before, *acceleration;
    size_t node_count;               ///< for which the arrays were made
    struct energy_account *accounts; ///< of schemes with energy control: one for each body
    uint32_t account_count;
};

struct counters {
    uint64_t step_count, failed_step_count, newton_total, linear_total;
};

struct scene {
    pbs_world_desc settings; ///< allocator, log, tasks and expert left out
    pbs_expert_desc expert;
    struct scheme_choice integrator;
    uint32_t stamp;
    double time;           ///< s
    double dissipated;     ///< J
    double free_reference; ///< N: reference force of a scene without weight and stiffness; 0: not
                           ///< measured yet
    struct counters counters;
    struct handle_table bodies, colliders, joints;
    struct nodes nodes;
    struct history history;
    struct step_memory step_memory;         ///< of the integrator's step control
    struct selection_history solver_memory; ///< of the automatic choice of the linear solver
    struct friction_table frictions;
    struct adaptive_barrier barrier;
    double last_contact_distance; ///< m: the automatic contact distance of the steps before; 0:
                                  ///< none yet
};

/// The index-th in order of creation.
struct body *scene_body(const struct scene *scene, size_t index);
struct collider *scene_collider(const struct scene *scene, size_t index);
struct world_joint *scene_joint(const struct scene *scene, size_t index);

/// What hosts call them; 0 of an index that is too large.
pbs_body scene_body_id(const struct scene *scene, size_t index);
pbs_collider scene_collider_id(const struct scene *scene, size_t index);

/// A destroyed body leaves its nodes behind, so that destroying many takes no longer than settling
/// once. Calls on one body need not know; those on all nodes settle first.
void scene_vacate_nodes(struct scene *scene, const struct body *body);
/// Afterwards nodes are those of the bodies, one after another.
void scene_compact_nodes(struct scene *scene);

/// Vertices that are not nodes follow theirs: to be called whenever nodes were given a new state.
void scene_update_vertices(struct scene *scene, struct tasks *tasks);

/// States before now are of no use any more: bodies or the integrator changed. Targets of energy
/// control start from the energy that the next step finds.
void scene_forget_history(struct scene *scene);

/// States before now and accelerations are of no use any more, for motion is not smooth here; what
/// an energy control remembers is.
void scene_forget_states(struct scene *scene);

/// Which axes of a node are held. Where that changes, what moved freely stops or the other way
/// round: earlier states say nothing about what follows.
void scene_constrain_node(struct scene *scene, size_t node, uint32_t axes);
/// Likewise, where the host set the state of one body; targets of other islands stay.
void scene_forget_body(struct scene *scene, const struct body *body);

/// Whether bodies that do not touch have energy targets of their own.
bool scene_has_islands(const struct scene *scene);

/// Accounts of energy control; 0 for schemes without.
uint32_t scene_account_count(const struct scene *scene);

/// Arrays for the history that the scheme wants, for the present nodes.
pbs_status scene_reserve_history(struct scene *scene, struct memory *memory);

void scene_free(struct scene *scene, struct memory *memory);

#endif
