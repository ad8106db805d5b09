// See embedded_points.h. A row of four doubles is one AVX register, so that a point costs a load
// and a multiplication for each control point.
// SPDX-License-Identifier: MIT
#include "geometry/embedding/embedded_points.h"

#include <math.h>
#include <string.h>

#include "base/config.h"
#include "base/matrix3/math3.h"
#include "geometry/embedding/deformation_gradients.h"

pbs_status embedded_points_allocate(struct memory *memory, size_t count, bool offsets, bool normals,
                                    struct embedded_points *out) {
    *out = (struct embedded_points){.count = count};
    out->bindings = memory_allocate(memory, count, sizeof *out->bindings);
    out->offsets = offsets ? memory_allocate(memory, count, 3 * sizeof *out->offsets) : NULL;
    out->normals = normals ? memory_allocate(memory, count, 3 * sizeof *out->normals) : NULL;
    if (out->bindings != NULL && (!offsets || out->offsets != NULL) &&
        (!normals || out->normals != NULL)) {
        return PBS_OK;
    }
    embedded_points_free(memory, out);
    return PBS_ERROR_MEMORY;
}

void embedded_points_free(struct memory *memory, struct embedded_points *points) {
    memory_release(memory, points->bindings);
    memory_release(memory, points->offsets);
    memory_release(memory, points->normals);
    *points = (struct embedded_points){0};
}

typedef double row4 __attribute__((vector_size(32)));

ALWAYS_INLINE row4 load_row(const double *from) {
    row4 row;
    memcpy(&row, from, sizeof row);
    return row;
}

/// The weighted sum of rows of one state; a row of control point k begins width * k after `rows`.
ALWAYS_INLINE row4 sum_rows(const struct binding *binding, const double *rows, size_t width) {
    row4 sum = binding->weight[0] * load_row(rows + width * binding->control[0]);
    for (int k = 1; k < CONTROL_POINTS; k++) {
        sum += binding->weight[k] * load_row(rows + width * binding->control[k]);
    }
    return sum;
}

ALWAYS_INLINE row4 sum_places(const struct binding *binding, const struct control_state *states,
                              int state_count) {
    row4 sum = states[0].share * sum_rows(binding, states[0].places, PLACE_ROW);
    if (state_count > 1) {
        sum += states[1].share * sum_rows(binding, states[1].places, PLACE_ROW);
    }
    return sum;
}

/// Column j of the gradient.
ALWAYS_INLINE row4 sum_gradients(const struct binding *binding, const struct control_state *states,
                                 int state_count, int j) {
    const size_t at = PLACE_ROW * (size_t)j;
    row4 sum = states[0].share * sum_rows(binding, states[0].gradients + at, GRADIENT_ROW);
    if (state_count > 1) {
        sum += states[1].share * sum_rows(binding, states[1].gradients + at, GRADIENT_ROW);
    }
    return sum;
}

ALWAYS_INLINE void write_row(const struct point_rows *rows, size_t index, const double value[3]) {
    char *const to = (char *)rows->dst + index * rows->stride;
    if (rows->doubles) {
        memcpy(to, value, 3 * sizeof *value);
    } else {
        const float single[3] = {(float)value[0], (float)value[1], (float)value[2]};
        memcpy(to, single, sizeof single);
    }
}

PBS_MULTIVERSION
void embedded_points_combine(const struct embedded_points *points,
                             const struct control_state *states, int state_count, size_t first,
                             size_t count, const struct point_rows *out) {
    for (size_t i = 0; i < count; i++) {
        const struct binding *binding = points->bindings + first + i;
        row4 x = sum_places(binding, states, state_count);
        const double *offset = points->offsets == NULL ? NULL : points->offsets + 3 * (first + i);
        if (offset != NULL && (offset[0] != 0.0 || offset[1] != 0.0 || offset[2] != 0.0)) {
            for (int j = 0; j < 3; j++) {
                x += offset[j] * sum_gradients(binding, states, state_count, j);
            }
        }
        write_row(out, i, (double[3]){x[0], x[1], x[2]});
    }
}

/// (y, z, x) of a row.
ALWAYS_INLINE row4 turn_axes(row4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

ALWAYS_INLINE row4 cross_rows(row4 a, row4 b) {
    return turn_axes(a * turn_axes(b) - turn_axes(a) * b);
}

/// cof(F) n = (f1 x f2) n_0 + (f2 x f0) n_1 + (f0 x f1) n_2, f_j the columns of F.
ALWAYS_INLINE void carry_normal(const row4 f[3], const float rest[3], double out[3]) {
    const row4 sum = (double)rest[0] * cross_rows(f[1], f[2]) +
                     (double)rest[1] * cross_rows(f[2], f[0]) +
                     (double)rest[2] * cross_rows(f[0], f[1]);
    const double normal[3] = {sum[0], sum[1], sum[2]};
    const double length = norm3(normal);
    scale3(length > 0.0 ? 1.0 / length : 0.0, normal, out);
}

PBS_MULTIVERSION
void embedded_points_normals(const struct embedded_points *points,
                             const struct control_state *states, int state_count, size_t first,
                             size_t count, const struct point_rows *out) {
    for (size_t i = 0; i < count; i++) {
        const struct binding *binding = points->bindings + first + i;
        row4 f[3];
        double normal[3];
        for (int j = 0; j < 3; j++) {
            f[j] = sum_gradients(binding, states, state_count, j);
        }
        carry_normal(f, points->normals + 3 * (first + i), normal);
        write_row(out, i, normal);
    }
}
