// What is saved of a collider, and of what presses colliders and bodies.
#ifndef PBS_WORLD_SNAPSHOTS_SAVED_COLLIDER_H
#define PBS_WORLD_SNAPSHOTS_SAVED_COLLIDER_H

#include "world/interface/byte_stream.h"
#include "world/objects/collider.h"

/// Its slot first, which is read before the collider is made.
void saved_collider_write(struct byte_writer *out, const struct collider *collider);
/// What was read so far is the collider's, and freed with it, also on failure. settings: the
/// world's.
pbs_status saved_collider_read(struct byte_reader *in, struct memory *memory,
                               const pbs_world_desc *settings, struct collider *collider);

void saved_load_write(struct byte_writer *out, const struct contact_load *load);
pbs_status saved_load_read(struct byte_reader *in, struct contact_load *load);

#endif
