// Bytes of a saved world: numbers one after another in the machine's own order, without padding.
// Writing past the end only counts; reading past the end gives zeros and is remembered.
#ifndef PBS_WORLD_INTERFACE_BYTE_STREAM_H
#define PBS_WORLD_INTERFACE_BYTE_STREAM_H

#include "base/runtime/memory.h"

struct byte_writer {
    unsigned char *bytes; ///< may be null: only the size is wanted
    size_t capacity;
    size_t size; ///< bytes written, or that would have been
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
    bool ended; ///< more was asked for than there is
};

void read_bytes(struct byte_reader *reader, void *out, size_t size);
uint32_t read_u32(struct byte_reader *reader);
uint64_t read_u64(struct byte_reader *reader);
double read_f64(struct byte_reader *reader);
void read_doubles(struct byte_reader *reader, double *out, size_t count);
bool read_are_finite(const double *values, size_t count);

/// A count of things that take `size` bytes each: PBS_ERROR_FORMAT when so many cannot be in what
/// is left.
pbs_status read_count(struct byte_reader *reader, const char *name, size_t size, size_t *count);

/// A block with count * size bytes, to be released. *out is null on failure: PBS_ERROR_MEMORY,
/// PBS_ERROR_FORMAT.
pbs_status read_block(struct byte_reader *reader, struct memory *memory, size_t count, size_t size,
                      void *out);

/// 64 bits that change when the bytes do.
uint64_t checksum(const void *bytes, size_t size);

#endif
