// See saved_step_memory.h.
#include "world/snapshots/saved_step_memory.h"

#include <math.h>

void saved_step_memory_write(struct byte_writer *out, const struct step_memory *memory) {
    write_f64(out, memory->next);
    write_u32(out, memory->rejected);
    write_f64(out, memory->crack);
    write_u32(out, memory->quiet);
}

pbs_status saved_step_memory_read(struct byte_reader *in, struct step_memory *memory) {
    memory->next = read_f64(in);
    RETURN_IF_FAILED(read_flag(in, &memory->rejected));
    memory->crack = read_f64(in);
    memory->quiet = read_u32(in);
    return isfinite(memory->next) && memory->next >= 0.0 && isfinite(memory->crack) &&
                   memory->crack >= 0.0 && (memory->crack > 0.0 || memory->quiet == 0)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT,
                             "the step control's next step of %g s, or its step of %g s while "
                             "bonds break (last %u steps ago), is not valid",
                             memory->next, memory->crack, (unsigned)memory->quiet);
}
