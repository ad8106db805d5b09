// See body_forces.h.
// SPDX-License-Identifier: MIT
#include "minimize/objective/body_forces.h"

#include <math.h>

enum { RANGE_LIMIT = 2048 }; // nodes

static uint32_t body_of(const uint32_t *node_bodies, size_t node) {
    return node_bodies != NULL ? node_bodies[node] : 0;
}

/// Returns the end of the range that begins at a node.
static size_t range_end(const uint32_t *node_bodies, size_t node_count, size_t begin) {
    size_t end = begin + 1;
    while (end < node_count && end - begin < RANGE_LIMIT &&
           body_of(node_bodies, end) == body_of(node_bodies, begin)) {
        end++;
    }
    return end;
}

pbs_status body_ranges_build(struct memory *memory, const uint32_t *node_bodies, size_t node_count,
                             struct body_ranges *out) {
    *out = (struct body_ranges){.body_count = 1};
    size_t count = 0;
    for (size_t i = 0; i < node_count; i = range_end(node_bodies, node_count, i)) {
        count++;
    }
    out->ranges = memory_allocate(memory, count, sizeof *out->ranges);
    out->partial = memory_allocate(memory, count, sizeof *out->partial);
    if (out->ranges == NULL || out->partial == NULL) {
        body_ranges_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < node_count; i = out->ranges[out->count++].end) {
        const uint32_t body = body_of(node_bodies, i);
        out->ranges[out->count] = (struct body_range){
            .body = body, .begin = i, .end = range_end(node_bodies, node_count, i)};
        out->body_count = body + 1;
    }
    return PBS_OK;
}

void body_ranges_free(struct memory *memory, struct body_ranges *ranges) {
    memory_release(memory, ranges->ranges);
    memory_release(memory, ranges->partial);
    *ranges = (struct body_ranges){0};
}

struct sum_pass {
    const struct body_ranges *ranges;
    const double *x, *y;
};

static void add_products(void *context, size_t index) {
    const struct sum_pass *const pass = context;
    const struct body_range *const range = &pass->ranges->ranges[index];
    double sum = 0.0;
    for (size_t k = 3 * range->begin; k < 3 * range->end; k++) {
        sum += pass->x[k] * pass->y[k];
    }
    pass->ranges->partial[index] = sum;
}

static void add_squared_differences(void *context, size_t index) {
    const struct sum_pass *const pass = context;
    const struct body_range *const range = &pass->ranges->ranges[index];
    double sum = 0.0;
    for (size_t k = 3 * range->begin; k < 3 * range->end; k++) {
        const double difference = pass->x[k] - pass->y[k];
        sum += difference * difference;
    }
    pass->ranges->partial[index] = sum;
}

static void sum_by_body(struct tasks *tasks, struct sum_pass *pass, pbs_work_fn add, double *sums) {
    const struct body_ranges *const ranges = pass->ranges;
    tasks_for(tasks, ranges->count, add, pass);
    for (uint32_t b = 0; b < ranges->body_count; b++) {
        sums[b] = 0.0;
    }
    for (size_t i = 0; i < ranges->count; i++) {
        sums[ranges->ranges[i].body] += ranges->partial[i];
    }
}

void body_dot(struct tasks *tasks, const struct body_ranges *ranges, const double *x,
              const double *y, double *sums) {
    struct sum_pass pass = {ranges, x, y};
    sum_by_body(tasks, &pass, add_products, sums);
}

void body_distance_squared(struct tasks *tasks, const struct body_ranges *ranges, const double *x,
                           const double *y, double *sums) {
    struct sum_pass pass = {ranges, x, y};
    sum_by_body(tasks, &pass, add_squared_differences, sums);
}

double body_forces_acting(const struct body_forces *forces, uint32_t body) {
    return sqrt(fmax(forces->terms[body], fmax(forces->inertia[body], forces->coupling[body])));
}
