// The scene: all that a saved world contains, which is settings, time, bodies with their nodes,
// colliders, and the scheme's history. What is computed from it (terms, matrices, buffers) is in
// solver.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_SCENE_H
#define PBS_WORLD_OBJECTS_SCENE_H

#include "contact/stiffness/adaptive_stiffness.h"
#include "integrate/stepping/step.h"
#include "integrate/step_control/step_control.h"
#include "linear/solver_selection.h"
#include "pbs/pbs.h"
#include "world/features/feature.h"
#include "world/interface/handle.h"
#include "world/objects/body.h"
#include "world/objects/collider.h"
#include "world/nodes/nodes.h"
#include "world/objects/pair_list.h"
#include "world/objects/vertices.h"

struct world_joint;

/// A scheme with its settings, which worlds copy from an integrator.
struct scheme_choice {
    const struct scheme_table *scheme;
    pbs_integrator_desc settings; ///< without the allocator
};

struct pbs_integrator {
    struct scheme_choice choice;
    struct memory memory; ///< the integrator itself is allocated from it
};

/// The history of the scheme. Arrays have node_count entries, and are null if the scheme does not
/// use them.
struct history {
    struct scheme_memory memory;
    double *x_before, *v_before, *acceleration;
    size_t node_count; ///< number of nodes for which the arrays were allocated; only the first
                       ///< ones are used once bodies were destroyed
    bool has_targets;  ///< the accounts of the bodies (struct body) are valid
    // Of two-step schemes, bodies also say whether contact struck them in the last step.
};

struct counters {
    uint64_t step_count, failed_step_count, newton_total, linear_total;
};

/// Two bodies, or a body and a collider, that the host has placed closer than their contact
/// distance (contact_scenes/close_pairs.h).
struct close_pair {
    uint64_t first, second; ///< public ids
    double reach;           ///< m: their barrier acts below this gap
};

struct close_pair_list {
    struct close_pair *pairs;
    size_t count, capacity;
};

/// After a hit that steps are to resolve (impact_steps), they stay short while waves go through the
/// body that was hit.
struct wave_limit {
    double until; ///< s, of the world's time
    double step;  ///< s, the longest; 0: none
};

/// How often a step that failed is halved at most, if the host leaves that to the library. Steps
/// that a sixty-fourth of them solves need it: thin shells under pressure, and particles that turn
/// more than once in a step.
enum { AUTOMATIC_DIVISIONS = 6 };

struct scene {
    pbs_world_desc settings; ///< without allocator, log, tasks and expert
    pbs_expert_desc expert;
    struct scheme_choice integrator;
    uint32_t stamp;
    double time;           ///< s
    double dissipated;     ///< J
    double free_reference; ///< N: reference force of a scene without weight and stiffness; 0: not
                           ///< computed yet
    struct counters counters;
    struct handle_table bodies, colliders, joints;
    void *features[FEATURE_COUNT]; ///< data of their rows, see features/feature.h
    struct nodes nodes;
    struct history history;
    struct wave_limit waves;
    struct step_memory step_memory;         ///< history of the integrator's step control
    struct selection_history solver_memory; ///< history of the automatic choice of the linear
                                            ///< solver
    struct friction_table frictions;
    struct adaptive_barrier barrier;
    double contact_time; ///< s: the step length that the stiffness of contact is chosen
                         ///< for (docs/theory/contact.md section 2.4); 0: none yet
    bool has_freed_pair; ///< since contact was checked last the host has let bodies touch that a
                         ///< joint kept apart
    struct close_pair_list close;
    struct pair_list touching; ///< bodies and colliders that touched in the last step
};

/// Return the body or collider with the given index in order of creation.
struct body *scene_body(const struct scene *scene, size_t index);
struct collider *scene_collider(const struct scene *scene, size_t index);
struct world_joint *scene_joint(const struct scene *scene, size_t index);

/// Return public ids; 0 if the index is too large.
pbs_body scene_body_id(const struct scene *scene, size_t index);
pbs_collider scene_collider_id(const struct scene *scene, size_t index);

/// Marks the nodes of a destroyed body as vacant. They are removed later by one call of
/// scene_compact_nodes, so that destroying many bodies is fast. Functions that use one body need
/// not call it; those that use all nodes call it first.
void scene_vacate_nodes(struct scene *scene, const struct body *body);
/// Removes vacant nodes.
void scene_compact_nodes(struct scene *scene);

/// Updates the vertices that are not nodes. To be called whenever the state of nodes has changed.
void scene_update_vertices(struct scene *scene, struct tasks *tasks);

/// Discards the scheme's history after bodies or the integrator have changed. Energy control takes
/// its targets from the energy at the start of the next step.
void scene_forget_history(struct scene *scene);

/// Discards earlier states and accelerations where the motion is not smooth. The history of energy
/// control stays.
void scene_forget_states(struct scene *scene);

/// Sets the constrained axes of a node. If they change, the motion is not smooth, so
/// scene_forget_states is called.
void scene_constrain_node(struct scene *scene, size_t node, uint32_t axes);
/// Discards the history after the host has set the state of a body. Energy targets of other islands
/// stay.
void scene_forget_body(struct scene *scene, struct body *body);

/// Whether bodies that do not touch have separate energy targets.
bool scene_has_islands(const struct scene *scene);

/// Discards what cannot hold for a new body: earlier states and accelerations, which a scheme needs
/// of all nodes. Energy targets of other bodies stay.
void scene_history_add_body(struct scene *scene);
/// A body was destroyed and its nodes are vacant. Earlier states and accelerations of other bodies
/// stay, and their energy targets if each island has its own.
void scene_history_remove_body(struct scene *scene);

/// Number of accounts of energy control; 0 for schemes without it.
uint32_t scene_account_count(const struct scene *scene);

/// Allocates the history arrays that the scheme needs for the current nodes.
pbs_status scene_reserve_history(struct scene *scene, struct memory *memory);

void scene_free(struct scene *scene, struct memory *memory);

#endif
