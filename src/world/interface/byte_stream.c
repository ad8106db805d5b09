// See byte_stream.h.
// SPDX-License-Identifier: MIT
#include "world/interface/byte_stream.h"

#include <math.h>
#include <string.h>

// --- writing ---

void write_bytes(struct byte_writer *writer, const void *source, size_t size) {
    const size_t end = writer->size + size;
    if (writer->bytes != NULL && end <= writer->capacity && size > 0) {
        memcpy(writer->bytes + writer->size, source, size);
    }
    if (writer->compared != NULL && size > 0) {
        writer->differs = writer->differs || end > writer->capacity ||
                          memcmp(writer->compared + writer->size, source, size) != 0;
    }
    writer->size = end;
}

void write_u32(struct byte_writer *writer, uint32_t value) {
    write_bytes(writer, &value, sizeof value);
}

void write_u64(struct byte_writer *writer, uint64_t value) {
    write_bytes(writer, &value, sizeof value);
}

void write_f64(struct byte_writer *writer, double value) {
    write_bytes(writer, &value, sizeof value);
}

void write_doubles(struct byte_writer *writer, const double *values, size_t count) {
    write_bytes(writer, values, count * sizeof *values);
}

// --- reading ---

void read_bytes(struct byte_reader *reader, void *out, size_t size) {
    if (reader->ended || size > reader->size - reader->position) {
        reader->ended = true;
        memset(out, 0, size);
        return;
    }
    if (size > 0) {
        memcpy(out, reader->bytes + reader->position, size);
    }
    reader->position += size;
}

uint32_t read_u32(struct byte_reader *reader) {
    uint32_t value;
    read_bytes(reader, &value, sizeof value);
    return value;
}

uint64_t read_u64(struct byte_reader *reader) {
    uint64_t value;
    read_bytes(reader, &value, sizeof value);
    return value;
}

double read_f64(struct byte_reader *reader) {
    double value;
    read_bytes(reader, &value, sizeof value);
    return value;
}

void read_doubles(struct byte_reader *reader, double *out, size_t count) {
    read_bytes(reader, out, count * sizeof *out);
}

pbs_status read_flag(struct byte_reader *reader, bool *out) {
    const size_t place = reader->position;
    const uint32_t value = read_u32(reader);
    *out = value == 1;
    return value <= 1 ? PBS_OK
                      : status_fail(PBS_ERROR_FORMAT, "byte %zu: a flag is %u, must be 0 or 1",
                                    place, (unsigned)value);
}

bool read_are_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

pbs_status read_count(struct byte_reader *reader, const char *name, size_t size, size_t *count) {
    const size_t place = reader->position;
    const uint64_t value = read_u64(reader);
    const size_t left = reader->size - reader->position;
    if (reader->ended || value > left / size) {
        return status_fail(PBS_ERROR_FORMAT,
                           "byte %zu: %s is %llu, but only %zu bytes of %zu each can follow", place,
                           name, (unsigned long long)value, left, size);
    }
    *count = (size_t)value;
    return PBS_OK;
}

pbs_status read_block(struct byte_reader *reader, struct memory *memory, size_t count, size_t size,
                      void *out) {
    void *block = NULL;
    memcpy(out, &block, sizeof block);
    if (reader->ended || (size != 0 && count > (reader->size - reader->position) / size)) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: the bytes end within an array of %zu",
                           reader->position, count);
    }
    block = memory_allocate(memory, count, size);
    if (block == NULL) {
        return PBS_ERROR_MEMORY;
    }
    read_bytes(reader, block, count * size);
    memcpy(out, &block, sizeof block);
    return PBS_OK;
}

pbs_status saved_as_format(pbs_status status, const char *what, size_t index) {
    if (status >= 0 || status == PBS_ERROR_MEMORY) {
        return status;
    }
    return status_fail(PBS_ERROR_FORMAT, "%s %zu: %s", what, index, pbs_last_error());
}

uint64_t checksum(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t sum = UINT64_C(0x9e3779b97f4a7c15) ^ size;
    while (size > 0) {
        uint64_t word = 0;
        const size_t part = size < sizeof word ? size : sizeof word;
        memcpy(&word, at, part);
        sum = (sum ^ word) * UINT64_C(0x94d049bb133111eb);
        sum ^= sum >> 31;
        at += part;
        size -= part;
    }
    return sum;
}
