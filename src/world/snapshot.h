// The layout of saved worlds: a header, then what snapshot.c and snapshot_restore.c agree on.
#ifndef PBS_WORLD_SNAPSHOT_H
#define PBS_WORLD_SNAPSHOT_H

#include <stdint.h>

/// Grows whenever the bytes that follow mean something else.
#define SNAPSHOT_VERSION UINT32_C(4)

/// Reads as another number on a machine of the other byte order.
#define SNAPSHOT_ORDER UINT32_C(0x01020304)

struct snapshot_header {
    char magic[8]; ///< SNAPSHOT_MAGIC
    uint32_t order;
    uint32_t version;
    uint64_t size;     ///< of everything, this header included
    uint64_t checksum; ///< of what follows the header
};

static const char SNAPSHOT_MAGIC[8] = {'P', 'B', 'S', 'W', 'O', 'R', 'L', 'D'};

#endif
