// See saved_handles.h.
// SPDX-License-Identifier: MIT
#include "world/interface/saved_handles.h"

void saved_handles_write(struct byte_writer *out, const struct handle_table *table) {
    write_u64(out, table->slot_count);
    for (size_t i = 0; i < table->slot_count; i++) {
        write_u32(out, table->slots[i].generation);
    }
    write_u64(out, table->count);
}

pbs_status saved_handles_read(struct byte_reader *in, struct memory *memory,
                              struct handle_table *table, const char *name, size_t *count) {
    size_t slot_count = 0;
    RETURN_IF_FAILED(read_count(in, name, sizeof(uint32_t), &slot_count));
    RETURN_IF_FAILED(handle_reserve_slots(table, memory, slot_count));
    for (size_t i = 0; i < slot_count; i++) {
        const uint32_t generation = read_u32(in);
        if (generation == 0 || generation > HANDLE_GENERATION_LAST) {
            return status_fail(PBS_ERROR_FORMAT, "%s %zu: generation %u, must be 1 to %d", name, i,
                               (unsigned)generation, HANDLE_GENERATION_LAST);
        }
        table->slots[i].generation = generation;
    }
    RETURN_IF_FAILED(read_count(in, name, sizeof(uint32_t), count));
    if (*count > slot_count) {
        return status_fail(PBS_ERROR_FORMAT, "%zu objects, but only %zu %s", *count, slot_count,
                           name);
    }
    return PBS_OK;
}

pbs_status saved_handles_read_slot(struct byte_reader *in, const struct handle_table *table,
                                   uint32_t *slot) {
    *slot = read_u32(in);
    if (in->ended || *slot >= table->slot_count || table->slots[*slot].object != NULL) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: slot %u is taken or beyond %zu",
                           in->position, (unsigned)*slot, table->slot_count);
    }
    return PBS_OK;
}
