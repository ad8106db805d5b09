// Read-back of the state in single precision, at any stride.
#include "world/readback/readback.h"

#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/world.h"

pbs_status float_rows_check(const struct float_rows *rows, size_t capacity, const char *things) {
    RETURN_IF_FAILED(check_pointer(rows->dst, "dst"));
    if ((uintptr_t)rows->dst % sizeof *rows->dst != 0) {
        return status_fail(PBS_ERROR_ARGUMENT, "dst is %p, must be aligned to 4 bytes",
                           (void *)rows->dst);
    }
    if (rows->stride < 12 || rows->stride % 4 != 0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "stride_bytes is %zu, must be a multiple of 4 and at least 12",
                           rows->stride);
    }
    return capacity >= rows->count
               ? PBS_OK
               : status_fail(PBS_ERROR_CAPACITY, "capacity is %zu %s, but the body has %zu",
                             capacity, things, rows->count);
}

static float *row_at(const struct float_rows *rows, size_t index) {
    return (float *)(void *)((char *)rows->dst + index * rows->stride);
}

void float_rows_write(const struct float_rows *rows, vector_of_row *vector, const void *context) {
    for (size_t i = 0; i < rows->count; i++) {
        double value[3];
        vector(context, i, value);
        for (int k = 0; k < 3; k++) {
            row_at(rows, i)[k] = (float)value[k];
        }
    }
}

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

static void normalise(float *out) {
    const double sum[3] = {(double)out[0], (double)out[1], (double)out[2]};
    const double length = norm3(sum);
    for (int k = 0; k < 3 && length > 0.0; k++) {
        out[k] = (float)(sum[k] / length);
    }
}

/// Normals are summed in the host's buffer, so nothing is allocated. Areas are relative to the
/// largest, so that they stay in the range of floats.
void float_rows_write_normals(const struct float_rows *rows, const struct drawn_surface *surface) {
    for (size_t i = 0; i < rows->count; i++) {
        memset(row_at(rows, i), 0, 3 * sizeof *rows->dst);
    }
    const double largest = largest_area(surface);
    for (size_t t = 0; t < surface->triangle_count && largest > 0.0; t++) {
        double area[3];
        triangle_area(surface, t, area);
        for (size_t a = 0; a < 3; a++) {
            float *out = row_at(rows, surface->triangles[3 * t + a]);
            for (int k = 0; k < 3; k++) {
                out[k] += (float)(area[k] / largest);
            }
        }
    }
    for (size_t i = 0; i < rows->count; i++) {
        normalise(row_at(rows, i));
    }
}

static void copy_row(const void *context, size_t row, double out[3]) {
    copy3((const double *)context + 3 * row, out);
}

pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                             size_t stride_bytes, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    const struct float_rows rows = {dst, stride_bytes, body->vertex_count};
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    RETURN_IF_FAILED(
        check_choice(channel, PBS_CHANNEL_POSITION, PBS_CHANNEL_CONTACT_FORCE, "channel"));
    RETURN_IF_FAILED(float_rows_check(&rows, capacity, "vertices"));
    const struct nodes *nodes = &w->scene.nodes;
    const double *const sources[] = {
        [PBS_CHANNEL_POSITION] = vertices_positions(nodes, body),
        [PBS_CHANNEL_VELOCITY] = vertices_velocities(nodes, body),
        [PBS_CHANNEL_NORMAL] = vertices_positions(nodes, body),
        [PBS_CHANNEL_CONTACT_FORCE] = vertices_contact_forces(nodes, body)};
    if (channel == PBS_CHANNEL_NORMAL) {
        const struct drawn_surface surface = {.triangle_count = body->triangle_count,
                                              .triangles = body->triangles,
                                              .position = copy_row,
                                              .context = sources[channel]};
        float_rows_write_normals(&rows, &surface);
    } else {
        float_rows_write(&rows, copy_row, sources[channel]);
    }
    return PBS_OK;
}
