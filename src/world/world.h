// The world behind the public interface: the scene, the data that steps compute with, and the
// host's callbacks.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_WORLD_H
#define PBS_WORLD_WORLD_H

#include "pbs/joint.h"
#include "pbs/readback.h"
#include "world/interface/fields.h"
#include "world/model/query_index.h"
#include "world/model/solver.h"
#include "world/objects/scene.h"

/// A host's callback, registered under a tag. It stays when a scene is restored.
struct callback {
    uint64_t tag;
    pbs_custom_fn evaluate;
    void *user;
};

/// The contacts of the last successful step, and a buffer for those of the next one.
struct readback {
    pbs_contact *contacts, *next;
    size_t count, next_count;
    size_t capacity, next_capacity;
};

/// The bonds that broke in the last successful call.
struct broken_bonds {
    pbs_broken_bond *rows;
    size_t count, capacity;
};

/// The joints that broke in the last call that landed.
struct broken_joints {
    pbs_broken_joint *rows;
    size_t count, capacity;
};

struct pbs_world {
    struct memory memory;
    struct tasks *tasks;
    pbs_log log;
    struct scene scene;
    struct solver solver;
    struct readback readback;
    struct broken_bonds broken;
    struct broken_joints broken_joints;
    struct pair_events contact_events;
    struct query_index *query; ///< updated by queries, although they take a const world
    struct callback *callbacks;
    size_t callback_count, callback_capacity;
    double *scratch; ///< of calls that change a body's values
    size_t scratch_capacity;
    pbs_linear_solver host_solver; ///< the host's; stays when a scene is restored. solve is null:
                                   ///< none
    pbs_stats stats;               ///< of the last step
};

/// Returns PBS_ERROR_ARGUMENT if w is null. Every public function begins with a world_enter
/// function.
pbs_status world_enter(const pbs_world *w);
/// On failure the result is null and *status is PBS_ERROR_ARGUMENT or PBS_ERROR_HANDLE.
struct body *world_enter_body(const pbs_world *w, pbs_body b, pbs_status *status);

struct collider *world_enter_collider(const pbs_world *w, pbs_collider c, pbs_status *status);

/// Returns null, without a message, if the id is not valid.
struct body *world_body(const pbs_world *w, pbs_body b);

/// Makes a joint of a description that has been read; adds it, after handle_reserve. The scheme is
/// one that moves joints.
pbs_status world_make_joint(pbs_world *w, const pbs_joint_desc *d, struct world_joint **out);
void world_add_joint(pbs_world *w, struct world_joint *joint);
/// Removes a joint.
void world_destroy_joint(pbs_world *w, struct world_joint *joint);

/// PBS_ERROR_ARGUMENT where a host's array is not of all vertices of the body.
pbs_status world_check_vertex_count(const struct body *body, size_t vertex_count);

/// Removes vacant nodes (scene_compact_nodes) for functions that take a const world and read all
/// nodes.
void world_compact_nodes(const pbs_world *w);

/// To be called after the host has moved a body. by: how, for messages; the string must outlive the
/// body.
void world_moved_body(pbs_world *w, struct body *body, const char *by);

/// To be called after friction or material of a part of contact (bodies, then colliders) has
/// changed. Updates the contact data, or marks them as out of date if they cannot be updated.
void world_changed_surface(pbs_world *w, size_t part, const struct surface *surface);

/// To be called after gravity or a parameter of the body has changed, and when a run lands that
/// took `seconds`: what the body leaves to gravity and loads follows them. Returns whether anything
/// changed.
bool world_follow_forces(pbs_world *w, struct body *body, double seconds);
/// To be called after what a body leaves to forces has changed.
void world_followed_forces(pbs_world *w, const struct body *body);

/// What worlds save of their settings, and what may change from step to step. call_limit is neither
/// saved nor built into anything.
extern const struct field_list world_fields, expert_fields;

/// Defaults and checks of a world's settings, including callbacks.
void world_default_settings(pbs_world_desc *d, pbs_expert_desc *expert);
pbs_status world_check_settings(const pbs_world_desc *d, const pbs_expert_desc *expert);

void world_log(const pbs_world *w, int32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Gives each custom body without a callback the one that is registered under its tag, if any.
void world_attach_callbacks(pbs_world *w);
/// Returns PBS_ERROR_MISSING_CALLBACK if a custom body has no callback.
pbs_status world_check_callbacks(const pbs_world *w);

#endif
