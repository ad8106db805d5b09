// Functions shared by the snapshots of worlds and systems: the header with magic, version, size and
// checksum; writing to a buffer; the history of step control.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "world/interface/byte_stream.h"
#include "world/interface/check.h"
#include "world/snapshots/snapshot.h"

/// Writes the header before the size - sizeof(struct snapshot_header) bytes that have been written.
static void seal(void *bytes, size_t size, const char magic[8]) {
    struct snapshot_header header = {
        .order = SNAPSHOT_ORDER, .version = SNAPSHOT_VERSION, .size = size};
    memcpy(header.magic, magic, sizeof header.magic);
    header.checksum = checksum((const unsigned char *)bytes + sizeof header, size - sizeof header);
    memcpy(bytes, &header, sizeof header);
}

pbs_status snapshot_save(snapshot_write_fn *write, const void *saved, const char magic[8],
                         void *buffer, size_t *size) {
    RETURN_IF_FAILED(check_pointer(size, "size"));
    struct byte_writer counted = {.size = sizeof(struct snapshot_header)};
    write(&counted, saved);
    const size_t capacity = *size;
    *size = counted.size;
    if (buffer == NULL) {
        return PBS_OK;
    }
    if (capacity < counted.size) {
        return status_fail(PBS_ERROR_CAPACITY, "the buffer has %zu bytes, %zu are needed", capacity,
                           counted.size);
    }
    struct byte_writer out = {
        .bytes = buffer, .capacity = counted.size, .size = sizeof(struct snapshot_header)};
    write(&out, saved);
    seal(buffer, counted.size, magic);
    return PBS_OK;
}

pbs_status snapshot_check(const void *bytes, size_t size, const char magic[8], const char *what) {
    struct snapshot_header header;
    if (size < sizeof header) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bytes are too few for %s", size, what);
    }
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof header.magic) != 0) {
        return status_fail(PBS_ERROR_FORMAT, "the bytes do not begin as %s does", what);
    }
    if (header.order != SNAPSHOT_ORDER) {
        return status_fail(PBS_ERROR_FORMAT, "byte order %#x, this machine's is %#x",
                           (unsigned)header.order, (unsigned)SNAPSHOT_ORDER);
    }
    if (header.version != SNAPSHOT_VERSION) {
        return status_fail(PBS_ERROR_FORMAT, "format version %u, this library knows %u",
                           (unsigned)header.version, (unsigned)SNAPSHOT_VERSION);
    }
    if (header.size != size) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bytes were given, the header says %llu", size,
                           (unsigned long long)header.size);
    }
    const uint64_t sum = checksum((const unsigned char *)bytes + sizeof header,
                                  size - sizeof header);
    if (sum != header.checksum) {
        return status_fail(PBS_ERROR_FORMAT, "checksum %#llx, must be %#llx: bytes were changed",
                           (unsigned long long)sum, (unsigned long long)header.checksum);
    }
    return PBS_OK;
}
