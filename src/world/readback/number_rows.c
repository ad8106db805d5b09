// Rows of numbers in a host's buffer, and normals, which are summed there.
// SPDX-License-Identifier: MIT
#include "world/readback/number_rows.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

pbs_status number_rows_check(const struct number_rows *rows, size_t capacity, const char *things) {
    return capacity >= rows->count
               ? PBS_OK
               : status_fail(PBS_ERROR_CAPACITY, "capacity is %zu %s, but the body has %zu",
                             capacity, things, rows->count);
}

static void *row_at(const struct number_rows *rows, size_t index) {
    return (char *)rows->dst + index * rows->stride;
}

static inline void put_floats(const struct number_rows *rows, size_t width, size_t first,
                              size_t count, const double *values) {
    for (size_t i = 0; i < count; i++) {
        float *out = row_at(rows, first + i);
        for (size_t k = 0; k < width; k++) {
            out[k] = (float)values[width * i + k];
        }
    }
}

/// Most rows are vectors: their loop is unrolled.
static void put_rows(const struct number_rows *rows, size_t first, size_t count,
                     const double *values) {
    const size_t width = rows->width;
    if (!rows->doubles && width == 3) {
        put_floats(rows, 3, first, count, values);
    } else if (!rows->doubles) {
        put_floats(rows, width, first, count, values);
    } else {
        for (size_t i = 0; i < count; i++) {
            memcpy(row_at(rows, first + i), values + width * i, width * sizeof *values);
        }
    }
}

void number_rows_copy(const struct number_rows *rows, const double *values) {
    put_rows(rows, 0, rows->count, values);
}

void number_rows_write(const struct number_rows *rows, rows_function *compute,
                       const void *context) {
    for (size_t first = 0; first < rows->count; first += ROW_BATCH) {
        const size_t left = rows->count - first;
        const size_t some = left < ROW_BATCH ? left : ROW_BATCH;
        double values[ROW_BATCH * ROW_WIDTH];
        compute(context, first, some, values);
        put_rows(rows, first, some, values);
    }
}

// --- normals ---

/// Computes twice the area of a triangle, as a vector along its normal.
static void triangle_area(const struct drawn_surface *surface, size_t triangle, double area[3]) {
    const uint32_t *v = surface->triangles + 3 * triangle;
    double x[3][3], ab[3], ac[3];
    for (int i = 0; i < 3; i++) {
        surface->position(surface->context, v[i], x[i]);
    }
    subtract3(x[1], x[0], ab);
    subtract3(x[2], x[0], ac);
    cross3(ab, ac, area);
}

static double largest_area(const struct drawn_surface *surface) {
    double largest = 0.0;
    for (size_t t = 0; t < surface->triangle_count; t++) {
        double area[3];
        triangle_area(surface, t, area);
        largest = fmax(largest, norm3(area));
    }
    return largest;
}

static void add_to_row(const struct number_rows *rows, size_t index, const double summand[3]) {
    double *doubles = row_at(rows, index);
    float *floats = row_at(rows, index);
    for (int k = 0; k < 3; k++) {
        if (rows->doubles) {
            doubles[k] += summand[k];
        } else {
            floats[k] += (float)summand[k];
        }
    }
}

static void normalise_row(const struct number_rows *rows, size_t index) {
    double sum[3];
    if (rows->doubles) {
        memcpy(sum, row_at(rows, index), sizeof sum);
    } else {
        const float *floats = row_at(rows, index);
        for (int k = 0; k < 3; k++) {
            sum[k] = (double)floats[k];
        }
    }
    const double length = norm3(sum);
    if (length > 0.0) {
        const double unit[3] = {sum[0] / length, sum[1] / length, sum[2] / length};
        put_rows(rows, index, 1, unit);
    }
}

/// Normals are summed in the host's buffer, so nothing is allocated. Areas are relative to the
/// largest, so that they stay in the range of floats.
void number_rows_write_normals(const struct number_rows *rows,
                               const struct drawn_surface *surface) {
    const double none[ROW_WIDTH] = {0.0};
    for (size_t i = 0; i < rows->count; i++) {
        put_rows(rows, i, 1, none);
    }
    const double largest = largest_area(surface);
    for (size_t t = 0; t < surface->triangle_count && largest > 0.0; t++) {
        double area[3];
        triangle_area(surface, t, area);
        const double share[3] = {area[0] / largest, area[1] / largest, area[2] / largest};
        for (size_t a = 0; a < 3; a++) {
            add_to_row(rows, surface->triangles[3 * t + a], share);
        }
    }
    for (size_t i = 0; i < rows->count; i++) {
        normalise_row(rows, i);
    }
}
