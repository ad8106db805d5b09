// Writes rows of numbers to a host's buffer, in single or double precision, at the host's stride.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_READBACK_NUMBER_ROWS_H
#define PBS_WORLD_READBACK_NUMBER_ROWS_H

#include "base/runtime/status.h"

enum {
    ROW_WIDTH = 9, ///< the largest width
    ROW_BATCH = 64
};

struct number_rows {
    void *dst;
    size_t stride; ///< bytes from row to row
    size_t width;  ///< numbers in a row, up to ROW_WIDTH
    size_t count;  ///< number of rows
    bool doubles;  ///< else floats
};

/// PBS_ERROR_CAPACITY. things: the word for rows in the message.
pbs_status number_rows_check(const struct number_rows *rows, size_t capacity, const char *things);

/// Computes up to ROW_BATCH rows from `first` on. values: count x width.
typedef void rows_function(const void *context, size_t first, size_t count, double *values);
void number_rows_write(const struct number_rows *rows, rows_function *compute, const void *context);

/// Copies count x width values.
void number_rows_copy(const struct number_rows *rows, const double *values);

/// A surface of triangles whose vertices are the rows.
struct drawn_surface {
    size_t triangle_count;
    const uint32_t *triangles;
    void (*position)(const void *context, size_t vertex, double out[3]);
    const void *context;
};

/// Writes area-weighted unit normals of the vertices; zero for vertices without a triangle.
void number_rows_write_normals(const struct number_rows *rows, const struct drawn_surface *surface);

#endif
