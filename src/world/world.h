// The world behind the public API: the scene, the machinery that steps it, and the host's hooks.
#ifndef PBS_WORLD_WORLD_H
#define PBS_WORLD_WORLD_H

#include "pbs/joint.h"
#include "pbs/readback.h"
#include "world/model/query_index.h"
#include "world/model/topology.h"
#include "world/objects/scene.h"

/// A host's callback under its tag; stays when the scene is replaced.
struct callback {
    uint64_t tag;
    pbs_custom_fn evaluate;
    void *user;
};

/// The contacts of the last step that landed, and room for those of the next one.
struct readback {
    pbs_contact *contacts, *next;
    size_t count, next_count;
    size_t capacity, next_capacity;
};

/// The bonds that broke in the last call that landed.
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
    struct topology topology;
    struct readback readback;
    struct broken_bonds broken;
    struct broken_joints broken_joints;
    struct query_index *query; ///< brought up to date by queries, whose world is constant
    struct callback *callbacks;
    size_t callback_count, callback_capacity;
    pbs_linear_solver solver; ///< the host's; stays when the scene is replaced. No solve: none
    pbs_stats stats;          ///< of the last step
};

/// PBS_ERROR_ARGUMENT where w is null. Every entry point begins with one of these.
pbs_status world_enter(const pbs_world *w);
/// Null with PBS_ERROR_ARGUMENT or PBS_ERROR_HANDLE in *status.
struct body *world_enter_body(const pbs_world *w, pbs_body b, pbs_status *status);

struct collider *world_enter_collider(const pbs_world *w, pbs_collider c, pbs_status *status);

/// Null where the id names nothing; sets no message.
struct body *world_body(const pbs_world *w, pbs_body b);

/// Removes joints: one, or all of a body.
void world_destroy_joint(pbs_world *w, struct world_joint *joint);
void world_destroy_joints_of(pbs_world *w, const struct body *body);

/// Before a constant call reads all nodes: where bodies were destroyed they lie apart.
void world_compact_nodes(const pbs_world *w);

/// The host has put a body elsewhere; by what, in words for messages that live as long as it does.
void world_moved_body(pbs_world *w, struct body *body, const char *by);

/// The defaults and checks of a world's settings, hooks included.
void world_default_settings(pbs_world_desc *d, pbs_expert_desc *expert);
pbs_status world_check_settings(const pbs_world_desc *d, const pbs_expert_desc *expert);

void world_log(const pbs_world *w, int32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Gives each custom body without a callback the one registered under its tag, if there is one.
void world_attach_callbacks(pbs_world *w);
/// PBS_ERROR_MISSING_CALLBACK where a custom body has none.
pbs_status world_check_callbacks(const pbs_world *w);

#endif
