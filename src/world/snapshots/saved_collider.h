// Saves and restores colliders.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_SNAPSHOTS_SAVED_COLLIDER_H
#define PBS_WORLD_SNAPSHOTS_SAVED_COLLIDER_H

#include "world/interface/fields.h"
#include "world/objects/collider.h"

/// All that are written of a collider; the last entry is null.
extern const struct field_list *const saved_collider_lists[];

/// Write and read the description. Writes the slot first, which is read before the collider is
/// made.
void saved_collider_write(struct byte_writer *out, const struct collider *collider);
/// The collider owns the arrays that have been read, also on failure. settings: the world's.
pbs_status saved_collider_read(struct byte_reader *in, struct memory *memory,
                               const pbs_world_desc *settings, struct collider *collider);

/// Pose, prescribed motion, and what the last step has found.
void saved_collider_write_state(struct byte_writer *out, const struct collider *collider);
pbs_status saved_collider_read_state(struct byte_reader *in, struct collider *collider);

/// Whether the host has moved a body or collider since the last step: its `moved_by`.
void saved_move_write(struct byte_writer *out, const char *moved_by);
pbs_status saved_move_read(struct byte_reader *in, const char **moved_by);

#endif
