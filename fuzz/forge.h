// A header that fits any bytes, so that the checksum does not keep a fuzzer from what lies behind
// it.
// SPDX-License-Identifier: MIT
#ifndef PBS_FUZZ_FORGE_H
#define PBS_FUZZ_FORGE_H

#include <string.h>

#include "world/snapshots/snapshot.h"

/// Over the first bytes, of which there are enough for it.
static inline void forge_header(uint8_t *bytes, size_t size, const char magic[8]) {
    struct snapshot_header header = {
        .order = SNAPSHOT_ORDER, .version = SNAPSHOT_VERSION, .size = size};
    memcpy(header.magic, magic, sizeof header.magic);
    header.checksum = checksum(bytes + sizeof header, size - sizeof header);
    memcpy(bytes, &header, sizeof header);
}

#endif
