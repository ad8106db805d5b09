// Scaling of the drop of a solid cube on the ground with threads and mesh size, at one step per
// frame (1/24 s). Prints lines
//     bench threads tets=105456 threads=2 seconds=... speedup=... same_bits=1
//     bench size dof=... newton=... seconds_per_newton=... exponent=...   (exponent: growth of the
//     cost per Newton iteration since the preceding size)
// Arguments: cells of the scene with varying threads (26; 0: omitted), largest number of cells of
// the series of sizes (69).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenes/engine_scenes.h"

enum { STEPS = 24, THREAD_RUNS = 3 };

struct run {
    double seconds; // all steps
    double newton;
    double linear;
    uint64_t hash;
};

static struct run run_drop(size_t cells, int32_t threads, int steps) {
    const struct cube_scene scene = {.cells = cells, .young = 2e5, .ground = true};
    pbs_world_desc settings;
    pbs_world_desc_init(&settings, sizeof settings);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.threads = threads;
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    struct run run = {0};
    pbs_status status = cube_scene_create(&scene, &settings, &world, &body, &mesh);
    for (int step = 0; step < steps && status >= 0; step++) {
        status = pbs_world_step(world, 1.0 / 24.0);
        pbs_stats stats = {.struct_size = sizeof stats};
        pbs_world_stats(world, &stats);
        if (step > 0) { // the first step builds the pattern
            run.seconds += stats.time.total;
            run.newton += stats.newton.iterations;
            run.linear += stats.linear.iterations;
        }
    }
    if (status < 0) {
        fprintf(stderr, "drop of %zu cells: %s\n", cells, pbs_last_error());
        exit(1);
    }
    run.hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
    return run;
}

static void bench_threads(size_t cells) {
    struct run best[2] = {{.seconds = INFINITY}, {.seconds = INFINITY}};
    for (int repeat = 0; repeat < THREAD_RUNS; repeat++) {
        for (int32_t threads = 1; threads <= 2; threads++) {
            const struct run run = run_drop(cells, threads, STEPS);
            if (run.seconds < best[threads - 1].seconds) {
                best[threads - 1] = run;
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        printf(
            "bench threads tets=%zu threads=%d seconds=%.3f newton=%.0f linear=%.0f speedup=%.2f "
            "same_bits=%d\n",
            6 * cells * cells * cells, i + 1, best[i].seconds, best[i].newton, best[i].linear,
            best[0].seconds / best[i].seconds, best[i].hash == best[0].hash);
    }
}

static void bench_sizes(size_t largest) {
    static const size_t cells[] = {14, 22, 31, 47, 69};
    double first_cost = 0.0, first_size = 0.0;
    for (size_t i = 0; i < sizeof cells / sizeof *cells && cells[i] <= largest; i++) {
        const double size = 3.0 * pow((double)cells[i] + 1.0, 3.0);
        const struct run run = run_drop(cells[i], 1, STEPS);
        const double cost = run.seconds / run.newton;
        if (i == 0) {
            first_cost = cost;
            first_size = size;
        }
        printf(
            "bench size dof=%.0f newton=%.0f linear=%.0f seconds_per_newton=%.5f exponent=%.3f\n",
            size, run.newton, run.linear, cost,
            i == 0 ? 0.0 : log(cost / first_cost) / log(size / first_size));
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    const size_t cells = argc > 1 ? (size_t)atoi(argv[1]) : 26;
    if (cells > 0) {
        bench_threads(cells);
    }
    bench_sizes(argc > 2 ? (size_t)atoi(argv[2]) : 69);
    return 0;
}
