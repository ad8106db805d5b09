// Tables of ids in saved worlds: the generations of all slots, then the number of objects. Each
// object is written with its slot after that.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTERFACE_SAVED_HANDLES_H
#define PBS_WORLD_INTERFACE_SAVED_HANDLES_H

#include "world/interface/byte_stream.h"
#include "world/interface/handle.h"

void saved_handles_write(struct byte_writer *out, const struct handle_table *table);

/// Makes a table of free slots with the saved generations. name: "body slots", for messages.
/// *count: the number of objects that follow. PBS_ERROR_FORMAT, PBS_ERROR_MEMORY.
pbs_status saved_handles_read(struct byte_reader *in, struct memory *memory,
                              struct handle_table *table, const char *name, size_t *count);

/// Reads the slot of an object, which must be free: PBS_ERROR_FORMAT.
pbs_status saved_handles_read_slot(struct byte_reader *in, const struct handle_table *table,
                                   uint32_t *slot);

#endif
