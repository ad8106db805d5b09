// The header of what is saved: who wrote it, how long it is, whether it was changed.
#include <math.h>
#include <string.h>

#include "world/byte_stream.h"
#include "world/snapshot.h"

void snapshot_seal(void *bytes, size_t size, const char magic[8]) {
    struct snapshot_header header = {
        .order = SNAPSHOT_ORDER, .version = SNAPSHOT_VERSION, .size = size};
    memcpy(header.magic, magic, sizeof header.magic);
    header.checksum = checksum((const unsigned char *)bytes + sizeof header, size - sizeof header);
    memcpy(bytes, &header, sizeof header);
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

void snapshot_write_step_memory(struct byte_writer *out, const struct step_memory *memory) {
    write_f64(out, memory->next);
    write_u32(out, memory->rejected);
}

pbs_status snapshot_read_step_memory(struct byte_reader *in, struct step_memory *memory) {
    memory->next = read_f64(in);
    const uint32_t rejected = read_u32(in);
    memory->rejected = rejected != 0;
    return isfinite(memory->next) && memory->next >= 0.0 && rejected <= 1
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "the step control's next step is %g s",
                             memory->next);
}
