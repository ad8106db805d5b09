// The state of a world in its saved bytes: what steps change, after the descriptions of what there
// is.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_SNAPSHOTS_SAVED_STATE_H
#define PBS_WORLD_SNAPSHOTS_SAVED_STATE_H

#include "world/interface/fields.h"
#include "world/objects/scene.h"

/// All that are written of the world as a whole; the last entry is null.
extern const struct field_list *const saved_state_lists[];

void saved_state_write(struct byte_writer *out, const struct scene *scene);

/// Reads the state into a scene that was just made from its descriptions, to the end of the bytes.
/// On failure (PBS_ERROR_FORMAT, PBS_ERROR_MEMORY) the scene is only to be freed.
pbs_status saved_state_read(struct byte_reader *in, struct memory *memory, struct scene *scene);

/// Whether the scene has the arrays of its history that would be saved, and no others.
bool saved_state_has_history(const struct scene *scene);

/// The same into a scene with these descriptions that has taken steps. Fails where elements would
/// have to be built anew, as for other broken bonds. On failure the scene's state is undefined;
/// what saved_state_write wrote before can be read.
pbs_status saved_state_read_in_place(struct byte_reader *in, struct memory *memory,
                                     struct scene *scene);

#endif
