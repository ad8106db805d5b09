// Writes rows of three floats to a host's buffer, at the host's stride.
#ifndef PBS_WORLD_READBACK_READBACK_H
#define PBS_WORLD_READBACK_READBACK_H

#include "base/runtime/status.h"

struct float_rows {
    float *dst;
    size_t stride; ///< bytes from row to row
    size_t count;  ///< number of rows
};

/// PBS_ERROR_ARGUMENT, PBS_ERROR_CAPACITY. things: the word for rows in the message.
pbs_status float_rows_check(const struct float_rows *rows, size_t capacity, const char *things);

typedef void vector_of_row(const void *context, size_t row, double out[3]);
void float_rows_write(const struct float_rows *rows, vector_of_row *vector, const void *context);

/// A surface of triangles whose vertices are the rows.
struct drawn_surface {
    size_t triangle_count;
    const uint32_t *triangles;
    vector_of_row *position;
    const void *context;
};

/// Writes area-weighted unit normals of the vertices; zero for vertices without a triangle.
void float_rows_write_normals(const struct float_rows *rows, const struct drawn_surface *surface);

#endif
