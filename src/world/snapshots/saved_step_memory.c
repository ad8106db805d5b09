// See saved_step_memory.h.
// SPDX-License-Identifier: MIT
#include "world/snapshots/saved_step_memory.h"

static const struct field FIELDS[] = {
    FIELD_VALUE(struct step_memory, next, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct step_memory, rejected, FIELD_ANY),
    FIELD_VALUE(struct step_memory, crack, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct step_memory, quiet, FIELD_ANY),
};
const struct field_list saved_step_memory_fields = FIELD_LIST(struct step_memory, FIELDS);

void saved_step_memory_write(struct byte_writer *out, const struct step_memory *memory) {
    fields_write(out, &saved_step_memory_fields, memory);
}

pbs_status saved_step_memory_read(struct byte_reader *in, struct step_memory *memory) {
    RETURN_IF_FAILED(fields_read_in_place(in, &saved_step_memory_fields, memory));
    return memory->crack > 0.0 || memory->quiet == 0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT,
                             "bonds broke %u steps ago, and no step while they break is known",
                             (unsigned)memory->quiet);
}
