// Reads and writes the bytes of saved worlds and systems: numbers one after another in the
// machine's byte order, without padding. A write that does not fit in the buffer only counts its
// bytes. A read past the end returns zeros and sets `ended`.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTERFACE_BYTE_STREAM_H
#define PBS_WORLD_INTERFACE_BYTE_STREAM_H

#include "base/runtime/memory.h"

struct byte_writer {
    unsigned char *bytes; ///< null: only the size is counted
    size_t capacity;
    size_t size;                   ///< bytes written so far, including those that did not fit
    const unsigned char *compared; ///< null, or capacity bytes: what would be written is compared
                                   ///< with these
    bool differs;                  ///< it is not what they are
};

void write_bytes(struct byte_writer *writer, const void *source, size_t size);
void write_u32(struct byte_writer *writer, uint32_t value);
void write_u64(struct byte_writer *writer, uint64_t value);
void write_f64(struct byte_writer *writer, double value);
void write_doubles(struct byte_writer *writer, const double *values, size_t count);

struct byte_reader {
    const unsigned char *bytes;
    size_t size;
    size_t position;
    bool ended; ///< a read went past the end
};

void read_bytes(struct byte_reader *reader, void *out, size_t size);
uint32_t read_u32(struct byte_reader *reader);
uint64_t read_u64(struct byte_reader *reader);
double read_f64(struct byte_reader *reader);
void read_doubles(struct byte_reader *reader, double *out, size_t count);
/// Reads a 32-bit word as a flag. PBS_ERROR_FORMAT unless the word is 0 or 1.
pbs_status read_flag(struct byte_reader *reader, bool *out);
/// Whether all of these values, which have been read already, are finite.
bool read_are_finite(const double *values, size_t count);

/// Reads a count of items that take at least `size` bytes each (not 0). PBS_ERROR_FORMAT if the
/// remaining bytes cannot hold that many. name: of the count, for the message.
pbs_status read_count(struct byte_reader *reader, const char *name, size_t size, size_t *count);

/// Allocates a block and reads count * size bytes into it. The caller releases it. out: the address
/// of a pointer variable, which is set to the block, or to null on failure. PBS_ERROR_MEMORY,
/// PBS_ERROR_FORMAT.
pbs_status read_block(struct byte_reader *reader, struct memory *memory, size_t count, size_t size,
                      void *out);

/// Errors in restored values become PBS_ERROR_FORMAT, with what they are of in front of the
/// message; PBS_ERROR_MEMORY stays.
pbs_status saved_as_format(pbs_status status, const char *what, size_t index);

/// Returns a 64-bit checksum of the bytes.
uint64_t checksum(const void *bytes, size_t size);

#endif
