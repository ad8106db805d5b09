// The history of step control, in saved worlds and systems.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_SNAPSHOTS_SAVED_STEP_MEMORY_H
#define PBS_WORLD_SNAPSHOTS_SAVED_STEP_MEMORY_H

#include "integrate/step_control/step_control.h"
#include "world/interface/fields.h"

extern const struct field_list saved_step_memory_fields;

void saved_step_memory_write(struct byte_writer *out, const struct step_memory *memory);
/// PBS_ERROR_FORMAT if its values are impossible.
pbs_status saved_step_memory_read(struct byte_reader *in, struct step_memory *memory);

#endif
