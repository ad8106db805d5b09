// Cost of distances and of continuous collision detection of pairs, and accuracy of the latter on
// queries with exact answers. Prints lines
//     bench contact_queries distance=point-triangle type=face ns=...   (closest points with known
//     support; values: only the squared distance; bending: the positive part of the Hessian) bench
//     contact_queries ccd=sim_rod-twist queries=... hits=... missed=0 late=0 false_positives=...
//     ratio=... published_ratio=... distances=... capped=... ns=...
// ratio: mean of the answered time over the exact time of impact; ns: of processor time per query,
// the least of several runs. ipc-toolkit needs 1000 to 5500 ns (its Tight-Inclusion and its
// additive detection).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/matrix3/math3.h"
#include "common/program/command_line.h"
#include "scenes/contact/collision_frames.h"
#include "scenes/contact/collision_queries.h"
#include "scenes/random.h"

enum { PAIRS = 4096, RUNS = 9 };

struct pairs {
    double x[PAIRS][4][3];
};

static volatile double sink;

/// Returns processor time, which is independent of other load of the machine.
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Draws random points in a cube of edge 2, so that all types of closest points occur in random
// order.
static void fill(struct pairs *pairs) {
    for (size_t i = 0; i < (size_t)12 * PAIRS; i++) {
        pairs->x[i / 12][i / 3 % 4][i % 3] = noise(i);
    }
}

enum measured { MEASURED_VALUE, MEASURED_POINTS, MEASURED_BENDING, MEASURED_KINDS };

static double sum_of(enum measured measured, enum pair_kind kind, const struct pairs *pairs) {
    double sum = 0.0;
    for (size_t n = 0; n < PAIRS; n++) {
        const double *const x[4] = {pairs->x[n][0], pairs->x[n][1], pairs->x[n][2], pairs->x[n][3]};
        if (measured == MEASURED_VALUE) {
            sum += closest_squared(kind, x);
            continue;
        }
        const struct closest closest = closest_points(kind, x);
        sum += closest.squared + closest.weight[1];
        if (measured == MEASURED_BENDING) {
            struct closest_bending bending;
            closest_bending(kind, x, &closest, &bending);
            sum += bending.count > 0 ? bending.vector[0][1][2] : 0.0;
        }
    }
    return sum;
}

static double least_ns(enum measured measured, enum pair_kind kind, const struct pairs *pairs) {
    double best = (double)INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start = seconds();
        sink = sum_of(measured, kind, pairs);
        best = fmin(best, seconds() - start);
    }
    return 1e9 * best / PAIRS;
}

static void measure_distances(struct pairs *pairs) {
    static const char *const names[] = {"point-triangle", "edge-edge", "point-edge", "point-point"};
    for (int kind = PAIR_POINT_TRIANGLE; kind <= PAIR_POINT_POINT; kind++) {
        fill(pairs);
        printf("bench contact_queries distance=%s ns_value=%.1f ns_points=%.1f ns_bending=%.1f\n",
               names[kind], least_ns(MEASURED_VALUE, (enum pair_kind)kind, pairs),
               least_ns(MEASURED_POINTS, (enum pair_kind)kind, pairs),
               least_ns(MEASURED_BENDING, (enum pair_kind)kind, pairs));
    }
}

static double nanoseconds(const struct collision_queries *queries) {
    double best = (double)INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start = seconds();
        double sum = 0.0;
        for (size_t i = 0; i < queries->count; i++) {
            sum += collision_query_answer(queries->query + i, NULL);
        }
        sink = sum;
        best = fmin(best, seconds() - start);
    }
    return 1e9 * best / (double)queries->count;
}

static void measure_file(const char *folder, const struct collision_query_file *file) {
    char path[1024];
    struct message message;
    struct collision_queries queries;
    snprintf(path, sizeof path, "%s/%s.txt", folder, file->name);
    if (!collision_queries_read(path, &queries, &message)) {
        printf("bench contact_queries ccd=%s skipped: %s\n", file->name, message.text);
        return;
    }
    const struct collision_score score = collision_queries_score(&queries);
    printf("bench contact_queries ccd=%s queries=%zu hits=%zu missed=%zu late=%zu too_close=%zu "
           "false_positives=%zu ratio=%.3f published_ratio=%.2f distances=%.1f capped=%llu "
           "ns=%.0f\n",
           file->name, queries.count, score.hits, score.missed, score.late, score.too_close,
           score.false_positives, score.ratio, file->published_ratio,
           (double)score.statistics.distances / (double)queries.count,
           (unsigned long long)score.statistics.capped, nanoseconds(&queries));
    collision_queries_free(&queries);
}

static void measure_step(const char *folder, const char *name) {
    char path[1024];
    struct message message;
    struct moving_surface surface;
    struct memory memory;
    snprintf(path, sizeof path, "%s/frames", folder);
    if (!collision_frame_read(path, name, &surface, &message)) {
        printf("bench contact_queries step=%s skipped: %s\n", name, message.text);
        return;
    }
    memory_init(&memory, NULL);
    struct collision_step best = collision_frame_bound(&memory, &surface);
    for (int run = 1; run < 3; run++) {
        const struct collision_step step = collision_frame_bound(&memory, &surface);
        best.broad_seconds = fmin(best.broad_seconds, step.broad_seconds);
        best.narrow_seconds = fmin(best.narrow_seconds, step.narrow_seconds);
    }
    printf("bench contact_queries step=%s pairs=%zu time=%.6g distances=%.4f broad_ms=%.1f "
           "narrow_ms=%.1f ns=%.1f\n",
           name, best.pairs, best.time, (double)best.statistics.distances / (double)best.pairs,
           1e3 * best.broad_seconds, 1e3 * best.narrow_seconds,
           1e9 * best.narrow_seconds / (double)best.pairs);
    moving_surface_free(&surface);
}

int main(int argc, char **argv) {
    const char *folder = "../shared/data/ccd";
    const struct command_option options[] = {
        {"queries", COMMAND_TEXT, &folder, "FOLDER", "where the queries with exact answers are"}};
    int status = 0;
    if (!command_line_or_exit(argc, argv, "measures distances and collision queries", options, 1,
                              &status)) {
        return status;
    }
    struct pairs *pairs = malloc(sizeof *pairs);
    if (pairs == NULL) {
        fprintf(stderr, "contact_queries: out of memory\n");
        return 1;
    }
    measure_distances(pairs);
    free(pairs);
    for (int i = 0; i < COLLISION_QUERY_FILES; i++) {
        measure_file(folder, &collision_query_files[i]);
    }
    for (int i = 0; i < COLLISION_FRAMES; i++) {
        measure_step(folder, collision_frame_names[i]);
    }
    return 0;
}
