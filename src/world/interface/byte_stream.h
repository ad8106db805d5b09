// Reads and writes the bytes of saved worlds and systems: numbers one after another in the
// machine's byte order, without padding. Writing past the end of the buffer only counts bytes.
// Reading past the end returns zeros and sets `ended`.
#ifndef PBS_WORLD_INTERFACE_BYTE_STREAM_H
#define PBS_WORLD_INTERFACE_BYTE_STREAM_H

#include "base/runtime/memory.h"

struct byte_writer {
    unsigned char *bytes; ///< null: only the size is counted
    size_t capacity;
    size_t size; ///< bytes written so far, including those that did not fit
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
/// Reads a word that is 0 or 1. PBS_ERROR_FORMAT if it is another.
pbs_status read_flag(struct byte_reader *reader, bool *out);
bool read_are_finite(const double *values, size_t count);

/// Reads a count of items of at least `size` bytes each. PBS_ERROR_FORMAT if the remaining bytes
/// cannot hold that many.
pbs_status read_count(struct byte_reader *reader, const char *name, size_t size, size_t *count);

/// Allocates a block and reads count * size bytes into it; the caller releases it. On failure *out
/// is null: PBS_ERROR_MEMORY, PBS_ERROR_FORMAT.
pbs_status read_block(struct byte_reader *reader, struct memory *memory, size_t count, size_t size,
                      void *out);

/// A 64-bit checksum of the bytes.
uint64_t checksum(const void *bytes, size_t size);

#endif
