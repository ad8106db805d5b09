// Bodies and colliders that the host has placed closer than their contact distance touch from where
// they are, at no energy (docs/theory/contact.md section 2.5): the barriers of such a pair act
// below a gap of its own.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_CLOSE_PAIRS_H
#define PBS_WORLD_CONTACT_SCENES_CLOSE_PAIRS_H

#include "contact/barrier/barrier_contact.h"
#include "world/objects/scene.h"

/// Adds the scene's pairs to the mesh that was made of it. Those of what was destroyed are left
/// out.
pbs_status close_pairs_load(const struct scene *scene, struct memory *memory,
                            struct collision_mesh *mesh);

/// Drops the pairs of all that the host has moved since the last committed step.
void close_pairs_forget_moved(const struct scene *scene, struct barrier_contact *contact);

/// Adds the pairs that are close where the contacts were found last and of which the host has moved
/// a side. *count: how many there are.
pbs_status close_pairs_form(const struct scene *scene, struct barrier_contact *contact,
                            size_t *count);

/// Both, where nothing but the energy is asked for.
pbs_status close_pairs_renew(const struct scene *scene, struct barrier_contact *contact);

/// Whether any pair that close_pairs_form has just added would meet in a step, if all nodes moved
/// as `motion` says (node order, m) and obstacles rested.
bool close_pairs_meet(const struct scene *scene, const struct barrier_contact *contact,
                      const double *motion);

/// Pairs that carry nothing at x get back as much of their distance as they are apart.
pbs_status close_pairs_grow(struct barrier_contact *contact, struct tasks *tasks, const double *x);

/// Reserves memory for, and copies, the mesh's pairs to the scene. The latter cannot fail, and
/// forgets what the host has moved.
pbs_status close_pairs_reserve(const struct collision_mesh *mesh, struct memory *memory,
                               struct scene *scene);
void close_pairs_commit(const struct collision_mesh *mesh, struct scene *scene);

#endif
