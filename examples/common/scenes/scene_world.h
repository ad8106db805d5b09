// A world from a scene file, through the public calls alone: a solid for each elastic component,
// colliders for half-spaces, meshes and kinematic components, and the scene's motions.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_SCENE_WORLD_H
#define PBS_COMMON_SCENE_WORLD_H

#include <pbs/pbs.h>

#include "common/scenes/scene_file.h"

struct scene_world {
    const struct scene_file *scene;
    pbs_world *world;
    pbs_body *bodies;        ///< one per component; null for obstacles
    pbs_collider *obstacles; ///< one per component; null for elastic components
    double *scripted;        ///< node_count x 3: positions of nodes with prescribed motion
    uint32_t *chosen;        ///< capacity of node_count indices
    double *targets;         ///< capacity of node_count positions
    size_t step_count;       ///< number of started steps
};

/// Fills *d, and *expert, which it points to, with what the scene says of gravity, contact, step
/// and tolerance: contact by the barrier of the squared distance, whose stiffness is the scene's
/// over the step squared; semidefinite Hessians. `scene` must outlive the world. Other settings can
/// be changed before scene_world_create.
pbs_status scene_world_settings(const struct scene_file *scene, pbs_world_desc *d,
                                pbs_expert_desc *expert);
/// On failure `out` is empty and pbs_last_error says why.
pbs_status scene_world_create(const struct scene_file *scene, const pbs_world_desc *d,
                              struct scene_world *out);
void scene_world_destroy(struct scene_world *world);
/// Sets the prescribed motions and takes one step of the scene.
pbs_status scene_world_step(struct scene_world *world);

#endif
