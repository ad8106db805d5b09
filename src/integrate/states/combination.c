// See combination.h. A combination is flattened to a list of arrays with coefficients, which is
// then summed in chunks.
// SPDX-License-Identifier: MIT
#include "integrate/states/combination.h"

#include <string.h>

#include "base/config.h"

enum { CHUNK = 8192, SOURCE_LIMIT = 3 * STATE_COUNT };

struct sum {
    size_t source_count;
    double coefficient[SOURCE_LIMIT];
    const double *source[SOURCE_LIMIT];
    size_t count;
    double *out;
};

static void add_source(struct sum *sum, double coefficient, const double *source) {
    if (coefficient != 0.0) {
        sum->coefficient[sum->source_count] = coefficient;
        sum->source[sum->source_count] = source;
        sum->source_count++;
    }
}

PBS_MULTIVERSION
static void add_scaled(size_t count, double coefficient, const double *source, double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] += coefficient * source[i];
    }
}

PBS_MULTIVERSION
static void scale(size_t count, double coefficient, const double *source, double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = coefficient * source[i];
    }
}

static void sum_chunk(void *context, size_t index) {
    const struct sum *sum = context;
    const size_t begin = index * CHUNK;
    const size_t rest = sum->count - begin;
    const size_t count = rest < CHUNK ? rest : CHUNK;
    double *out = sum->out + begin;
    if (sum->source_count == 0) {
        memset(out, 0, count * sizeof *out);
        return;
    }
    scale(count, sum->coefficient[0], sum->source[0] + begin, out);
    for (size_t i = 1; i < sum->source_count; i++) {
        add_scaled(count, sum->coefficient[i], sum->source[i] + begin, out);
    }
}

void combination_evaluate(struct tasks *tasks, const struct combination *combination,
                          const struct kinematics states[STATE_COUNT], size_t count, double *out) {
    struct sum sum = {.count = count, .out = out};
    for (int i = 0; i < STATE_COUNT; i++) {
        add_source(&sum, combination->x[i], states[i].x);
        add_source(&sum, combination->v[i], states[i].v);
        add_source(&sum, combination->a[i], states[i].a);
    }
    tasks_for(tasks, (count + CHUNK - 1) / CHUNK, sum_chunk, &sum);
}
