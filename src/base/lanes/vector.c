// Every operation is cut into chunks whose size depends on the vector's length alone. A reduction
// keeps eight partial sums in a chunk (one per lane) and one sum per chunk; the sums of the chunks
// are added in order at the end.
// SPDX-License-Identifier: MIT
#include "base/lanes/vector.h"

#include <string.h>

#include "base/lanes/lanes.h"

enum {
    MAX_CHUNKS = 1024,   ///< the sums of the chunks are stored on the stack
    MIN_CHUNK = 4096,    ///< about a microsecond of work
    SERIAL_COUNT = 16384 ///< below this length, starting another thread costs more time than it
                         ///< saves
};

// An operation on [begin, begin + count) of its vectors. The kernel of a reduction returns its
// partial sum, other kernels return 0.
struct job {
    double (*kernel)(const struct job *job, size_t begin, size_t count);
    size_t count;
    size_t chunk;
    double a;
    const double *x;
    const double *y;
    double *out;
    double *totals; ///< one per chunk
};

static void run_chunk(void *context, size_t index) {
    const struct job *job = context;
    const size_t begin = index * job->chunk;
    const size_t rest = job->count - begin;
    job->totals[index] = job->kernel(job, begin, rest < job->chunk ? rest : job->chunk);
}

/// Runs the job on all chunks and returns their number. totals has space for MAX_CHUNKS.
static size_t run_chunks(struct tasks *tasks, struct job *job, double *totals) {
    const size_t share = (job->count / MAX_CHUNKS + LANES) / LANES * LANES;
    job->chunk = share > MIN_CHUNK ? share : MIN_CHUNK;
    job->totals = totals;
    const size_t chunk_count = (job->count + job->chunk - 1) / job->chunk;
    tasks_for(job->count < SERIAL_COUNT ? NULL : tasks, chunk_count, run_chunk, job);
    return chunk_count;
}

static double sum_chunks(struct tasks *tasks, struct job job) {
    double totals[MAX_CHUNKS];
    const size_t chunk_count = run_chunks(tasks, &job, totals);
    double sum = 0.0;
    for (size_t i = 0; i < chunk_count; i++) {
        sum += totals[i];
    }
    return sum;
}

static void apply_chunks(struct tasks *tasks, struct job job) {
    double totals[MAX_CHUNKS];
    run_chunks(tasks, &job, totals);
}

/// Loads the last, incomplete group of lanes, padded with zeros.
ALWAYS_INLINE lanes8 load_rest(const double *p, size_t count) {
    double padded[LANES] = {0.0};
    memcpy(padded, p, count * sizeof *p);
    return lanes_load(padded);
}

// --- reductions ---

PBS_MULTIVERSION
static double dot_kernel(const struct job *job, size_t begin, size_t count) {
    const double *x = job->x + begin;
    const double *y = job->y + begin;
    lanes8 total = lanes_set(0.0);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        total += lanes_load(x + i) * lanes_load(y + i);
    }
    if (i < count) {
        total += load_rest(x + i, count - i) * load_rest(y + i, count - i);
    }
    return lanes_sum(total);
}

double vector_dot(struct tasks *tasks, size_t count, const double *x, const double *y) {
    return sum_chunks(tasks, (struct job){.kernel = dot_kernel, .count = count, .x = x, .y = y});
}

double vector_norm(struct tasks *tasks, size_t count, const double *x) {
    return sqrt(vector_dot(tasks, count, x, x));
}

/// x: the masses; y: three coordinates per mass; count: number of nodes.
PBS_MULTIVERSION
static double weighted_square_kernel(const struct job *job, size_t begin, size_t count) {
    const double *mass = job->x + begin;
    const double *x = job->y + 3 * begin;
    lanes8 total = lanes_set(0.0);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        double square[LANES];
        for (size_t k = 0; k < LANES; k++) {
            const double *p = x + 3 * (i + k);
            square[k] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        }
        total += lanes_load(mass + i) * lanes_load(square);
    }
    for (size_t k = 0; i < count; i++, k++) {
        const double *p = x + 3 * i;
        total[k] += mass[i] * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
    return lanes_sum(total);
}

double vector_weighted_square(struct tasks *tasks, size_t node_count, const double *mass,
                              const double *x) {
    return sum_chunks(
        tasks,
        (struct job){.kernel = weighted_square_kernel, .count = node_count, .x = mass, .y = x});
}

/// Returns 0 if every entry is finite, NaN otherwise: x - x is 0 for finite x only.
PBS_MULTIVERSION
static double finite_kernel(const struct job *job, size_t begin, size_t count) {
    const double *x = job->x + begin;
    lanes8 total = lanes_set(0.0);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const lanes8 v = lanes_load(x + i);
        total += v - v;
    }
    if (i < count) {
        const lanes8 v = load_rest(x + i, count - i);
        total += v - v;
    }
    return lanes_sum(total);
}

bool vector_is_finite(struct tasks *tasks, size_t count, const double *x) {
    return sum_chunks(tasks, (struct job){.kernel = finite_kernel, .count = count, .x = x}) == 0.0;
}

bool vector_equals(size_t count, const double *x, const double *y) {
    for (size_t i = 0; i < count; i++) {
        if (x[i] != y[i]) {
            return false;
        }
    }
    return true;
}

// --- element-wise operations; out may be x or y ---

PBS_MULTIVERSION
static double combine_kernel(const struct job *job, size_t begin, size_t count) {
    const double *x = job->x + begin;
    const double *y = job->y + begin;
    double *out = job->out + begin;
    const double a = job->a;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes_store(out + i, lanes_load(x + i) + a * lanes_load(y + i));
    }
    for (; i < count; i++) {
        out[i] = x[i] + a * y[i];
    }
    return 0.0;
}

void vector_combine(struct tasks *tasks, size_t count, const double *x, double a, const double *y,
                    double *out) {
    apply_chunks(
        tasks,
        (struct job){.kernel = combine_kernel, .count = count, .a = a, .x = x, .y = y, .out = out});
}

void vector_add_scaled(struct tasks *tasks, size_t count, double a, const double *x, double *y) {
    vector_combine(tasks, count, y, a, x, y);
}

PBS_MULTIVERSION
static double scale_kernel(const struct job *job, size_t begin, size_t count) {
    double *out = job->out + begin;
    const double a = job->a;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes_store(out + i, a * lanes_load(out + i));
    }
    for (; i < count; i++) {
        out[i] = a * out[i];
    }
    return 0.0;
}

void vector_scale(struct tasks *tasks, size_t count, double a, double *x) {
    apply_chunks(tasks, (struct job){.kernel = scale_kernel, .count = count, .a = a, .out = x});
}

static double copy_kernel(const struct job *job, size_t begin, size_t count) {
    memmove(job->out + begin, job->x + begin, count * sizeof(double));
    return 0.0;
}

void vector_copy(struct tasks *tasks, size_t count, const double *x, double *out) {
    apply_chunks(tasks, (struct job){.kernel = copy_kernel, .count = count, .x = x, .out = out});
}

static double zero_kernel(const struct job *job, size_t begin, size_t count) {
    memset(job->out + begin, 0, count * sizeof(double));
    return 0.0;
}

void vector_zero(struct tasks *tasks, size_t count, double *x) {
    apply_chunks(tasks, (struct job){.kernel = zero_kernel, .count = count, .out = x});
}
