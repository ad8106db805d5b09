// The layout of what is saved: a header, then what snapshot.c and snapshot_restore.c (worlds) or
// system_snapshot.c (systems) agree on.
#ifndef PBS_WORLD_SNAPSHOTS_SNAPSHOT_H
#define PBS_WORLD_SNAPSHOTS_SNAPSHOT_H

#include "integrate/step_control/step_control.h"
#include "world/interface/byte_stream.h"

/// Grows whenever the bytes that follow mean something else.
#define SNAPSHOT_VERSION UINT32_C(27)

/// Reads as another number on a machine of the other byte order.
#define SNAPSHOT_ORDER UINT32_C(0x01020304)

struct snapshot_header {
    char magic[8]; ///< says what was saved
    uint32_t order;
    uint32_t version;
    uint64_t size;     ///< of everything, this header included
    uint64_t checksum; ///< of what follows the header
};

static const char SNAPSHOT_MAGIC[8] = {'P', 'B', 'S', 'W', 'O', 'R', 'L', 'D'};
static const char SNAPSHOT_SYSTEM_MAGIC[8] = {'P', 'B', 'S', 'S', 'Y', 'S', 'T', 'M'};

/// Writes all of what is saved but the header, the same bytes each time.
typedef void snapshot_write_fn(struct byte_writer *out, const void *saved);

/// The header and what `write` writes, as pbs_world_save has it: *size becomes what is needed, also
/// where buffer is null or too small.
pbs_status snapshot_save(snapshot_write_fn *write, const void *saved, const char magic[8],
                         void *buffer, size_t *size);

/// PBS_ERROR_FORMAT unless the header is one of these, and the bytes are what it says.
/// @param what  "a saved world", for messages
pbs_status snapshot_check(const void *bytes, size_t size, const char magic[8], const char *what);

/// What a step control remembers; PBS_ERROR_FORMAT where that is impossible.
void snapshot_write_step_memory(struct byte_writer *out, const struct step_memory *memory);
pbs_status snapshot_read_step_memory(struct byte_reader *in, struct step_memory *memory);

#endif
