// SPDX-License-Identifier: MIT
#include "broad_phase/boxes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "broad_phase/box_lanes.h"

/// CHUNK: points or primitives per piece of a loop. POINTS: points that are rounded together.
enum { CHUNK = 1024, POINTS = 8 };

struct point_loop {
    const struct point_sweep *sweep;
    struct box *boxes;
};

struct primitive_loop {
    const struct box *of_points;
    const uint32_t *points;
    uint32_t width;
    size_t count;
    struct box *boxes;
};

static size_t chunk_end(size_t chunk, size_t count) {
    const size_t end = (chunk + 1) * CHUNK;
    return end < count ? end : count;
}

/// Returns the largest float that is not above a. If a is negative and rounds to zero, it returns
/// -FLT_MIN, which is also right if the host flushes denormal numbers. Written without branches,
/// because about half of all numbers need rounding.
ALWAYS_INLINE float round_down(double a) {
    const float nearest = (float)a;
    const int32_t is_above = (double)nearest > a;
    int32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    const int32_t next = bits + (bits < 0 ? is_above : -is_above);
    float below;
    memcpy(&below, &next, sizeof below);
    return nearest == 0.0F && is_above ? -FLT_MIN : below;
}

/// Computes the lower bounds and the negated upper bounds of up to POINTS points, three each.
ALWAYS_INLINE void bound_block(const struct point_sweep *sweep, size_t first, size_t count,
                               float low[3 * POINTS], float negated_high[3 * POINTS]) {
    double margin[3 * POINTS];
    double from[3 * POINTS] = {0.0};
    double to[3 * POINTS] = {0.0};
    for (size_t k = 0; k < 3 * POINTS; k++) {
        margin[k] = sweep->inflation;
    }
    for (size_t i = 0; i < 3 * count; i++) {
        from[i] = sweep->x[3 * first + i];
        to[i] = sweep->step ? from[i] + sweep->step[3 * first + i] : from[i];
        margin[i] += sweep->radius ? sweep->radius[first + i / 3] : 0.0;
    }
    for (size_t k = 0; k < 3 * POINTS; k++) {
        const double a = from[k];
        const double b = to[k];
        low[k] = round_down((a < b ? a : b) - margin[k]);
        negated_high[k] = round_down(-(a < b ? b : a) - margin[k]);
    }
}

static PBS_MULTIVERSION void bound_points(void *context, size_t chunk) {
    const struct point_loop *loop = context;
    const size_t end = chunk_end(chunk, loop->sweep->count);
    for (size_t p = chunk * CHUNK; p < end; p += POINTS) {
        const size_t count = end - p < POINTS ? end - p : POINTS;
        float low[3 * POINTS];
        float negated_high[3 * POINTS];
        bound_block(loop->sweep, p, count, low, negated_high);
        for (size_t i = 0; i < count; i++) {
            float *bound = loop->boxes[p + i].bound;
            for (size_t k = 0; k < 3; k++) {
                bound[k] = low[3 * i + k];
                bound[3 + k] = negated_high[3 * i + k];
            }
            bound[6] = bound[7] = 0.0F;
        }
    }
}

void boxes_of_points(struct tasks *tasks, const struct point_sweep *sweep, struct box *boxes) {
    struct point_loop loop = {sweep, boxes};
    tasks_for(tasks, (sweep->count + CHUNK - 1) / CHUNK, bound_points, &loop);
}

static void bound_primitives(void *context, size_t chunk) {
    const struct primitive_loop *loop = context;
    const size_t end = chunk_end(chunk, loop->count);
    for (size_t i = chunk * CHUNK; i < end; i++) {
        const uint32_t *points = loop->points + i * loop->width;
        struct box box = loop->of_points[points[0]];
        for (uint32_t k = 1; k < loop->width; k++) {
            box_unite(&box, loop->of_points + points[k]);
        }
        loop->boxes[i] = box;
    }
}

void boxes_of_primitives(struct tasks *tasks, const struct box *of_points, const uint32_t *points,
                         uint32_t width, size_t count, struct box *boxes) {
    struct primitive_loop loop = {of_points, points, width, count, boxes};
    tasks_for(tasks, (count + CHUNK - 1) / CHUNK, bound_primitives, &loop);
}

void box_of_points(const double *x, size_t count, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const double value = x[3 * i + (size_t)k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
}
