// Runs the contact stress tests of scenes/torture/torture.h, and checks each state by exact tests
// that share no code with contact. Prints lines
//     bench torture scene=rod_twist step=0.01 speed=0.1 distance=0.001 thickness=0.001 threads=1
//     steps=150 of=150 failed=0 newton=312 newton_most=9 least_gap=.. least_jacobian=..
//     intersections=0 below_planes=0 seconds_per_step=.. [status=.. changed=0 expected=0
//     message=".."]
// A failed step ends its scene: `changed` is 1 if the step has changed the state, `expected` is 1
// if the scene must fail. --small: the sizes of tests/physics/test_torture.c.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/program/command_line.h"
#include "scenes/torture/torture.h"
#include "scenes/torture/torture_check.h"

struct run {
    size_t steps, wanted, failed, intersections, below, newton_most;
    uint64_t newton;
    double least_gap, least_jacobian, seconds;
    pbs_status status;
    bool changed;
    char message[512];
};

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Takes and times one step. Copies the message of a failure, as the next call would overwrite it.
static pbs_status take_step(struct run *run, struct torture *scene) {
    const uint64_t hash = pbs_world_hash(scene->world);
    const double start = processor_seconds();
    const pbs_status status = torture_step(scene);
    run->seconds += processor_seconds() - start;
    if (status == PBS_OK) {
        run->steps++;
    } else {
        run->failed++;
        run->status = status;
        snprintf(run->message, sizeof run->message, "%s", pbs_last_error());
        run->changed = pbs_world_hash(scene->world) != hash;
    }
    return status;
}

static bool check(struct run *run, struct surface_check *checker, const struct torture *scene) {
    struct torture_findings found;
    const pbs_status status = torture_check_run(checker, scene, &found);
    run->intersections += found.intersections;
    run->least_jacobian = fmin(run->least_jacobian, found.least_jacobian);
    run->below += found.least_height > 0.0 ? 0 : 1;
    return status >= 0 && torture_findings_are_clean(&found);
}

static void step_through(struct run *run, struct torture *scene, struct surface_check *checker,
                         bool each) {
    bool clean = check(run, checker, scene);
    while (clean && run->steps < run->wanted && run->failed == 0) {
        const pbs_status status = take_step(run, scene);
        pbs_stats stats = {.struct_size = sizeof stats};
        pbs_world_stats(scene->world, &stats);
        run->newton += stats.newton.iterations;
        run->newton_most = stats.newton.iterations > run->newton_most ? stats.newton.iterations
                                                                      : run->newton_most;
        if (status == PBS_OK) {
            run->least_gap = fmin(run->least_gap, stats.contact.least_gap);
        }
        clean = check(run, checker, scene);
        if (each) {
            printf("bench torture scene=%s at=%zu newton=%u gap=%.3e contacts=%u linear=%u\n",
                   scene->row->name, run->steps, stats.newton.iterations, stats.contact.least_gap,
                   stats.contact.active, stats.linear.iterations);
        }
    }
}

static void print_run(const struct run *run, const struct torture *scene) {
    const struct torture_options *const o = &scene->options;
    const double tries = (double)(run->steps + run->failed);
    printf("bench torture scene=%s step=%.5g speed=%g distance=%g thickness=%g threads=%d "
           "steps=%zu of=%zu failed=%zu newton=%llu newton_most=%zu least_gap=%.3e "
           "least_jacobian=%.4f intersections=%zu below_planes=%zu seconds_per_step=%.4f",
           scene->row->name, o->step, scene->speed, o->world.contact_distance, o->thickness,
           (int)o->world.threads, run->steps, run->wanted, run->failed,
           (unsigned long long)run->newton, run->newton_most, run->least_gap, run->least_jacobian,
           run->intersections, run->below, tries > 0.0 ? run->seconds / tries : 0.0);
    if (run->failed > 0) {
        printf(" status=%s changed=%d expected=%d message=\"%s\"", pbs_status_name(run->status),
               run->changed, scene->row->impossible, run->message);
    }
    printf("\n");
    fflush(stdout);
}

/// Runs a scene. Returns false if surfaces intersected, an element inverted, or a failed step
/// changed the state. A failed step alone is no reason.
static bool run_scene(const struct torture_row *row, const struct torture_options *options,
                      int64_t frames, bool each) {
    struct torture scene;
    struct surface_check checker;
    struct run run = {.least_gap = INFINITY, .least_jacobian = INFINITY};
    surface_check_init(&checker);
    bool held = torture_create(row, options, &scene) >= 0;
    if (!held) {
        printf("bench torture scene=%s error=\"%s\"\n", row->name, pbs_last_error());
    } else {
        const double seconds = frames > 0 ? (double)frames / 30.0 : row->seconds;
        run.wanted = (size_t)lround(fmax(1.0, seconds / options->step));
        step_through(&run, &scene, &checker, each);
        print_run(&run, &scene);
        held = run.intersections == 0 && run.below == 0 && run.least_jacobian > 0.0 && !run.changed;
    }
    surface_check_free(&checker);
    torture_free(&scene);
    return held;
}

int main(int argc, char **argv) {
    struct torture_options o;
    torture_options_init(&o);
    const char *only = NULL;
    const char *meshes = getenv("PBS_SHARED_DATA");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/meshes", meshes != NULL ? meshes : "../shared/data");
    o.meshes = folder;
    int64_t frames = 0, threads = 1, scheme = o.scheme;
    bool small = false, each = false;
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &only, "NAME", "one scene, or all whose name begins so"},
        {"meshes", COMMAND_TEXT, &o.meshes, "FOLDER", "where the meshes are"},
        {"step", COMMAND_NUMBER, &o.step, "H", "s"},
        {"speed", COMMAND_NUMBER, &o.speed, "V", "m/s, of what is thrown or scripted; 0: own"},
        {"thickness", COMMAND_NUMBER, &o.thickness, "T", "m, of cloth"},
        {"distance", COMMAND_NUMBER, &o.world.contact_distance, "D", "contact distance, m"},
        {"stiffness", COMMAND_NUMBER, &o.world.contact_stiffness, "K", "of contact, N/m"},
        {"frames", COMMAND_COUNT, &frames, "N", "thirtieths of a second; 0: own"},
        {"threads", COMMAND_COUNT, &threads, "N", "0: all"},
        {"scheme", COMMAND_COUNT, &scheme, "N", "PBS_SCHEME_*"},
        {"small", COMMAND_FLAG, &small, NULL, "the size of the tests"},
        {"each", COMMAND_FLAG, &each, NULL, "a line for each step"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "Scenes that have broken contact codes.", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    o.full = !small;
    o.scheme = (int32_t)scheme;
    o.world.threads = (int32_t)threads;
    bool held = true;
    for (size_t i = 0; i < torture_row_count; i++) {
        const struct torture_row *const row = &torture_rows[i];
        if (only != NULL && strncmp(row->name, only, strlen(only)) != 0) {
            continue;
        }
        if (!torture_can(row, &o)) {
            printf("bench torture scene=%s skipped=\"no meshes in %s\"\n", row->name, o.meshes);
            continue;
        }
        held = run_scene(row, &o, frames, each) && held;
    }
    return held ? 0 : 1;
}
