// Compares the symmetric block product with the triad a = b + s c and with the product of the
// matrix with both triangles stored, alternately in one process, so that other load affects them
// alike. Prints a line per size and number of threads: bench spmv key=value ... gbps counts the
// data that the product must move: blocks and their indices once (twice between two domains), row
// starts, x read, y written. triad_gbps counts 24 bytes per element of arrays with the total size
// of the matrix. Both are the best of the rounds.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "base/runtime/clock.h"
#include "base/lanes/lanes.h"
#include "measure/bandwidth.h"
#include "scenes/linear/matrix_fixture.h"
#include "sparse/matrices/block3.h"

#define ROUNDS 60

struct full_matrix {
    const struct layout *layout;
    size_t *start;
    uint32_t *column;
    double *values;
};

struct bench {
    struct memory *memory;
    struct tasks *tasks;
    struct fixture fixture;
    struct full_matrix full;
    struct triad triad;
    double *x, *y;
};

static void *allocate(struct memory *memory, size_t count, size_t size) {
    void *block = memory_allocate(memory, count, size);
    if (!block) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    return block;
}

/// Builds the matrix with both triangles and the same row order, for the same kernel without the
/// scatter.
static void build_full(struct bench *bench) {
    const struct bsr *a = &bench->fixture.matrix;
    struct full_matrix *full = &bench->full;
    const size_t count = 2 * a->block_count - a->row_count;
    full->layout = a->layout;
    full->start = allocate(bench->memory, (size_t)a->row_count + 2, sizeof *full->start);
    full->column = allocate(bench->memory, count, sizeof *full->column);
    full->values = allocate(bench->memory, 9 * count + BSR_VALUE_PADDING, sizeof *full->values);
    size_t *fill = full->start + 1;
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            fill[i + 1]++;
            fill[a->column[k] + 1] += a->column[k] != i;
        }
    }
    for (uint32_t i = 0; i < a->row_count; i++) {
        fill[i + 1] += fill[i];
    }
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const uint32_t j = a->column[k];
            memcpy(full->values + 9 * fill[i], a->values + 9 * (size_t)k, 9 * sizeof(double));
            full->column[fill[i]++] = j;
            for (size_t e = 0; e < 9 && j != i; e++) {
                full->values[9 * fill[j] + e] = a->values[9 * (size_t)k + 3 * (e % 3) + e / 3];
            }
            if (j != i) {
                full->column[fill[j]++] = i;
            }
        }
    }
}

PBS_MULTIVERSION
static void full_piece(void *context, size_t domain) {
    const struct bench *bench = context;
    const struct full_matrix *full = &bench->full;
    for (uint32_t i = full->layout->domain_start[domain];
         i < full->layout->domain_start[domain + 1]; i++) {
        quad y0 = quad_set(0.0);
        quad y1 = quad_set(0.0);
        quad y2 = quad_set(0.0);
        for (size_t k = full->start[i]; k < full->start[i + 1]; k++) {
            const double *block = full->values + 9 * k;
            const quad xj = quad_load3(bench->x + 3 * (size_t)full->column[k]);
            y0 += quad_load(block) * xj;
            y1 += quad_load(block + 3) * xj;
            y2 += quad_load(block + 6) * xj;
        }
        const quad sum = {quad_sum3(y0), quad_sum3(y1), quad_sum3(y2), 0.0};
        quad_store3(bench->y + 3 * (size_t)i, sum);
    }
}

static double seconds_of(struct bench *bench, int what) {
    const double start = clock_seconds();
    if (what == 0) {
        bsr_multiply(bench->tasks, &bench->fixture.matrix, bench->x, bench->y);
    } else if (what == 1) {
        triad_run(bench->tasks, &bench->triad);
    } else {
        tasks_for(bench->tasks, bench->full.layout->domain_count, full_piece, bench);
    }
    return clock_seconds() - start;
}

static void measure(struct bench *bench, int32_t threads) {
    if (tasks_create(bench->memory, NULL, threads, &bench->tasks) != PBS_OK) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    double best[3] = {1e30, 1e30, 1e30};
    for (int round = 0; round < ROUNDS; round++) {
        for (int what = 0; what < 3; what++) {
            const double seconds = seconds_of(bench, what);
            best[what] = seconds < best[what] ? seconds : best[what];
        }
    }
    const struct bsr *a = &bench->fixture.matrix;
    const double gbps = 1e-9 * product_bytes(a) / best[0];
    const double triad = 1e-9 * triad_bytes(&bench->triad) / best[1];
    printf("bench spmv nodes=%u blocks=%zu domains=%u outer=%u threads=%d ms=%.3f gbps=%.2f "
           "triad_gbps=%.2f ratio=%.3f full_ms=%.3f full_over_symmetric=%.3f\n",
           a->row_count, a->block_count, a->layout->domain_count, a->incoming_start[a->row_count],
           threads, 1e3 * best[0], gbps, triad, gbps / triad, 1e3 * best[2], best[2] / best[0]);
    fflush(stdout);
    tasks_destroy(bench->memory, bench->tasks);
}

static void measure_size(struct memory *memory, uint32_t cells) {
    struct fixture_desc desc = fixture_hard(cells);
    desc.deformed = false;
    struct bench bench = {.memory = memory};
    if (fixture_build(memory, &desc, &bench.fixture) != PBS_OK) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    const struct bsr *a = &bench.fixture.matrix;
    build_full(&bench);
    if (triad_create(memory, 3 * a->block_count, &bench.triad) != PBS_OK) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
    bench.x = allocate(memory, 3 * (size_t)a->row_count, sizeof(double));
    bench.y = allocate(memory, 3 * (size_t)a->row_count, sizeof(double));
    memcpy(bench.x, bench.fixture.rhs, 3 * (size_t)a->row_count * sizeof(double));
    measure(&bench, 1);
    measure(&bench, 2);
    memory_release(memory, bench.full.start);
    memory_release(memory, bench.full.column);
    memory_release(memory, bench.full.values);
    triad_free(memory, &bench.triad);
    memory_release(memory, bench.x);
    memory_release(memory, bench.y);
    fixture_free(memory, &bench.fixture);
}

/// Usage: spmv [cells ...]; 32 cells are 35,937 nodes, 52 are 148,877.
int main(int argc, char **argv) {
    struct memory memory;
    memory_init(&memory, NULL);
    const uint32_t usual[] = {32, 52};
    const int count = argc > 1 ? argc - 1 : 2;
    for (int i = 0; i < count; i++) {
        measure_size(&memory, argc > 1 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : usual[i]);
    }
    return 0;
}
