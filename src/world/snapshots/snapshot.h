// The format of snapshots: a header, then the data that snapshot.c and snapshot_restore.c (worlds)
// or system_snapshot.c (systems) write and read.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_SNAPSHOTS_SNAPSHOT_H
#define PBS_WORLD_SNAPSHOTS_SNAPSHOT_H

#include "world/interface/fields.h"

/// Incremented whenever the format of the data changes.
#define SNAPSHOT_VERSION UINT32_C(39)

/// Marks the byte order: a machine with the other one reads another number.
#define SNAPSHOT_ORDER UINT32_C(0x01020304)

struct snapshot_header {
    char magic[8]; ///< kind of snapshot
    uint32_t order;
    uint32_t version;
    uint64_t size;     ///< bytes in total, including this header
    uint64_t checksum; ///< of the bytes after the header
};

static const char SNAPSHOT_MAGIC[8] = {'P', 'B', 'S', 'W', 'O', 'R', 'L', 'D'};
static const char SNAPSHOT_SYSTEM_MAGIC[8] = {'P', 'B', 'S', 'S', 'Y', 'S', 'T', 'M'};

struct scene;

/// Writes what there is in a world, and how it was described: all that steps do not change.
void snapshot_write_descriptions(struct byte_writer *out, const struct scene *scene);

/// Calls `visit` with each list that saved worlds are written by.
typedef void snapshot_visit_fn(void *context, const struct field_list *list);
void snapshot_visit_lists(snapshot_visit_fn *visit, void *context);

/// Writes all data after the header. snapshot_save calls it twice, first to count the bytes; both
/// calls must write the same.
typedef void snapshot_write_fn(struct byte_writer *out, const void *saved);

/// Writes the header, and the data that `write` writes, to the buffer. *size: the buffer's capacity
/// on entry, the size needed on return. If buffer is null, only *size is set. PBS_ERROR_CAPACITY:
/// the buffer is too small. pbs_world_save has the same parameters.
pbs_status snapshot_save(snapshot_write_fn *write, const void *saved, const char magic[8],
                         void *buffer, size_t *size);

/// Returns PBS_ERROR_FORMAT unless the header has this magic, this machine's byte order and
/// SNAPSHOT_VERSION, and its size and checksum are those of the bytes.
/// @param what  what the bytes should be, for messages: "a saved world"
pbs_status snapshot_check(const void *bytes, size_t size, const char magic[8], const char *what);

#endif
