// State in the form in which hosts draw it: single precision, any stride.
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/math3.h"
#include "world/check.h"
#include "world/world.h"

static float *vertex_at(float *dst, size_t stride, size_t index) {
    return (float *)(void *)((char *)dst + index * stride);
}

static void write_vectors(const double *source, size_t count, float *dst, size_t stride) {
    for (size_t i = 0; i < count; i++) {
        float *out = vertex_at(dst, stride, i);
        for (size_t k = 0; k < 3; k++) {
            out[k] = (float)source[3 * i + k];
        }
    }
}

/// Twice the area of a triangle as a vector along its normal.
static void triangle_area(const uint32_t v[3], const double *x, double area[3]) {
    double ab[3], ac[3];
    subtract3(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], ab);
    subtract3(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], ac);
    cross3(ab, ac, area);
}

static double largest_area(const struct body *body, const double *x) {
    double largest = 0.0;
    for (size_t t = 0; t < body->triangle_count; t++) {
        double area[3];
        triangle_area(body->triangles + 3 * t, x, area);
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

/// Normals are added up in the host's buffer: the world is not written, and nothing is allocated.
/// Areas are taken relative to the largest, so that floats keep their range.
static void write_normals(const struct body *body, const double *x, float *dst, size_t stride) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        memset(vertex_at(dst, stride, i), 0, 3 * sizeof *dst);
    }
    const double largest = largest_area(body, x);
    for (size_t t = 0; t < body->triangle_count && largest > 0.0; t++) {
        const uint32_t *v = body->triangles + 3 * t;
        double area[3];
        triangle_area(v, x, area);
        for (int a = 0; a < 3; a++) {
            float *out = vertex_at(dst, stride, v[a]);
            for (int k = 0; k < 3; k++) {
                out[k] += (float)(area[k] / largest);
            }
        }
    }
    for (size_t i = 0; i < body->vertex_count; i++) {
        normalise(vertex_at(dst, stride, i));
    }
}

pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                             size_t stride_bytes, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    RETURN_IF_FAILED(
        check_choice(channel, PBS_CHANNEL_POSITION, PBS_CHANNEL_CONTACT_FORCE, "channel"));
    if ((uintptr_t)dst % sizeof *dst != 0) {
        return status_fail(PBS_ERROR_ARGUMENT, "dst is %p, must be aligned to 4 bytes",
                           (void *)dst);
    }
    if (stride_bytes < 12 || stride_bytes % 4 != 0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "stride_bytes is %zu, must be a multiple of 4 and at least 12",
                           stride_bytes);
    }
    if (capacity < body->vertex_count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu vertices, but the body has %zu",
                           capacity, body->vertex_count);
    }
    const struct nodes *nodes = &w->scene.nodes;
    const double *const sources[] = {
        [PBS_CHANNEL_POSITION] = vertices_positions(nodes, body),
        [PBS_CHANNEL_VELOCITY] = vertices_velocities(nodes, body),
        [PBS_CHANNEL_NORMAL] = vertices_positions(nodes, body),
        [PBS_CHANNEL_CONTACT_FORCE] = vertices_contact_forces(nodes, body)};
    if (channel == PBS_CHANNEL_NORMAL) {
        write_normals(body, sources[channel], dst, stride_bytes);
    } else {
        write_vectors(sources[channel], body->vertex_count, dst, stride_bytes);
    }
    return PBS_OK;
}
