// A pile of affine rings, soft cubes and cloth (scene `mixed` of torture.h) that is dropped,
// stirred for 60 % of the time and then left at rest: ten thousand steps without growth of memory.
// Prints lines
//     bench soak step=1000 of=10000 stirred=1 bytes_in_use=.. resident_kb=.. calls=.. contacts=..
//     least_gap=.. kinetic=.. total=.. newton_per_step=.. seconds_per_step=.. failed=0
//     intersections=0
// calls: allocations and releases of the world since the preceding line; buffers grow when a step
// has more contacts than all before. least_gap: m, since the preceding line. Exact intersection
// tests are made at each line and each kick.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/program/command_line.h"
#include "scenes/random.h"
#include "scenes/torture/torture.h"
#include "scenes/torture/torture_check.h"

struct soak {
    struct torture scene;
    struct surface_check check;
    size_t failed, intersections, inverted;
    uint64_t calls, newton; ///< values at the preceding line
    double least_gap, seconds;
};

static pbs_stats stats_of(const struct torture *scene) {
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(scene->world, &stats);
    return stats;
}

static long resident_kilobytes(void) {
    long kilobytes = 0;
    char line[256];
    FILE *const file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes;
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(struct soak *soak) {
    struct torture_findings found;
    if (torture_check_run(&soak->check, &soak->scene, &found) < 0) {
        return;
    }
    soak->intersections += found.intersections;
    soak->inverted += torture_findings_are_clean(&found) ? 0 : 1;
}

/// Throws one body upwards, a different one each time.
static void stir(struct soak *soak, size_t kick) {
    const double velocity[3] = {noise(3 * kick), 2.0 + noise(3 * kick + 1), noise(3 * kick + 2)};
    torture_kick(&soak->scene, 5 * kick % soak->scene.body_count, velocity);
    check(soak);
}

static void print_line(struct soak *soak, size_t step, size_t steps, size_t every, bool stirred) {
    const pbs_stats stats = stats_of(&soak->scene);
    pbs_energy energy = {.struct_size = sizeof energy};
    check(soak);
    pbs_world_energy(soak->scene.world, &energy);
    printf("bench soak step=%zu of=%zu stirred=%d bytes_in_use=%zu resident_kb=%ld calls=%llu "
           "contacts=%u least_gap=%.3e kinetic=%.3e total=%.5f newton_per_step=%.2f "
           "seconds_per_step=%.5f failed=%zu intersections=%zu unclean=%zu\n",
           step, steps, stirred, stats.memory.bytes_in_use, resident_kilobytes(),
           (unsigned long long)(stats.memory.allocator_calls - soak->calls), stats.contact.active,
           soak->least_gap, energy.kinetic, energy.total,
           (double)(stats.total.newton_iterations - soak->newton) / (double)every,
           soak->seconds / (double)every, soak->failed, soak->intersections, soak->inverted);
    fflush(stdout);
    soak->calls = stats_of(&soak->scene).memory.allocator_calls;
    soak->newton = stats.total.newton_iterations;
    soak->least_gap = INFINITY;
    soak->seconds = 0.0;
}

static void run(struct soak *soak, size_t steps, size_t every) {
    for (size_t s = 1; s <= steps; s++) {
        const bool stirred = 10 * s <= 6 * steps;
        if (stirred && s % 50 == 0) {
            stir(soak, s / 50);
        }
        const double start = processor_seconds();
        const pbs_status status = torture_step(&soak->scene);
        soak->seconds += processor_seconds() - start;
        if (status != PBS_OK) {
            printf("bench soak step=%zu status=%s message=\"%s\"\n", s, pbs_status_name(status),
                   pbs_last_error());
            soak->failed++;
            if (soak->failed > 100) {
                return;
            }
        }
        soak->least_gap = fmin(soak->least_gap, stats_of(&soak->scene).contact.least_gap);
        if (s % every == 0) {
            print_line(soak, s, steps, every, stirred);
        }
    }
}

int main(int argc, char **argv) {
    struct torture_options o;
    torture_options_init(&o);
    int64_t steps = 10000, every = 1000, threads = 1;
    bool small = false;
    const struct command_option options[] = {
        {"steps", COMMAND_COUNT, &steps, "N", "how many"},
        {"every", COMMAND_COUNT, &every, "N", "steps between lines"},
        {"step", COMMAND_NUMBER, &o.step, "H", "s"},
        {"threads", COMMAND_COUNT, &threads, "N", "0: all"},
        {"small", COMMAND_FLAG, &small, NULL, "six bodies for eighteen"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "A pile for ten thousand steps.", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    const struct torture_row *row = NULL;
    struct soak soak = {.least_gap = INFINITY};
    o.full = !small;
    o.world.threads = (int32_t)threads;
    surface_check_init(&soak.check);
    if (!torture_find("mixed", &row) || torture_create(row, &o, &soak.scene) < 0) {
        printf("bench soak error=\"%s\"\n", pbs_last_error());
        status = 1;
    } else {
        run(&soak, (size_t)steps, every > 0 ? (size_t)every : 1);
        status = soak.failed + soak.intersections + soak.inverted > 0;
    }
    surface_check_free(&soak.check);
    torture_free(&soak.scene);
    return status;
}
