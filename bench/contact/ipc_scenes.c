// Runs the scenes of the IPC reference code with its potential, step and tolerance, and compares
// with results of that code. Scenes, positions and iterations are in the folder ipc_scenes of the
// shared data.
//     bench ipc_scenes scene=rodsTwist barrier=reference threads=1 steps=200 newton_per_step=...
//     peer_newton=... cpu_per_step=... ms_per_newton=... peer_ms_per_newton=... peer_over_ours=...
//     contact=... (of which search=... sweep=...) hessian=... solve=... line_search=...
//     bench ipc_scenes scene=rodsTwist threads=1 step=60 max_difference=... rms_difference=...
// Times are processor time with one thread, wall-clock time with more. The values from `contact` on
// are fractions of wall-clock time. Differences are those of nodes of elastic components, relative
// to the scene's diagonal. peer_ms_per_newton was measured with the reference code on one thread,
// over the steps in the file of iterations (mat40Twist: its first 103 steps).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/program/command_line.h"
#include "common/scenes/scene_world.h"

struct settings {
    const char *folder, *only;
    int64_t steps, threads, preconditioner;
    double stiffness, tolerance;
    bool each_step, own;
};

static const struct peer {
    const char *scene;
    double milliseconds; ///< per Newton iteration
} peers[] = {
    {"2cubesFall", 0.4},  {"cubeStack", 1.2},       {"masonryArch", 22.4},
    {"rodsTwist", 148.0}, {"sphereRollers", 211.0}, {"mat40Twist", 426.0},
    {"2matsFall", 871.0}, {"dolphinFunnel", 625.0},
};

enum { STEP_LIMIT = 1024 };

/// Newton iterations of the reference code, step by step.
struct iterations {
    size_t count;
    int values[STEP_LIMIT];
};

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool read_iterations(const char *folder, const char *scene, struct iterations *out) {
    char path[512], line[256];
    text_print(path, sizeof path, "%s/%s/ref_steps.csv", folder, scene);
    FILE *file = fopen(path, "r");
    out->count = 0;
    while (file != NULL && out->count < STEP_LIMIT && fgets(line, sizeof line, file) != NULL) {
        // The first line contains column names.
        const char *const comma = strchr(line, ',');
        if (comma != NULL && line[0] >= '0' && line[0] <= '9') {
            out->values[out->count++] = atoi(comma + 1);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return out->count > 0;
}

/// Reads the reference positions after a step, if the file exists.
static double *read_positions(const char *folder, const char *scene, size_t step, size_t count) {
    char path[512], line[256];
    text_print(path, sizeof path, "%s/%s/ref_positions_step%zu.txt", folder, scene, step);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    double *x = calloc(3 * count, sizeof *x);
    size_t read = 0;
    while (x != NULL && read < count && fgets(line, sizeof line, file) != NULL) {
        read += sscanf(line, "%lf %lf %lf", &x[3 * read], &x[3 * read + 1], &x[3 * read + 2]) == 3;
    }
    fclose(file);
    if (read < count) {
        free(x);
        return NULL;
    }
    return x;
}

static void print_differences(const struct scene_world *w, const struct settings *s,
                              int32_t threads) {
    const struct scene_file *const scene = w->scene;
    double *reference = read_positions(s->folder, scene->name, w->step_count, scene->node_count);
    if (reference == NULL) {
        return;
    }
    double largest = 0.0, sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < scene->component_count; i++) {
        const struct scene_component *const c = &scene->components[i];
        const double *const x = c->codimension == 3 ? pbs_body_positions(w->world, w->bodies[i])
                                                    : NULL;
        for (size_t k = 3 * c->node_begin; x != NULL && k < 3 * c->node_end; k++) {
            const double d = fabs(x[k - 3 * c->node_begin] - reference[k]);
            largest = fmax(largest, d);
            sum += d * d;
            count++;
        }
    }
    free(reference);
    printf(
        "bench ipc_scenes scene=%s threads=%d step=%zu max_difference=%.3e rms_difference=%.3e\n",
        scene->name, threads, w->step_count, largest / scene->diagonal,
        sqrt(sum / (double)count) / scene->diagonal);
    fflush(stdout);
}

/// Totals over the steps.
struct cost {
    double processor, clock, search, sweep, contact, hessian, factor, solve, line_search;
    double newton, linear, evaluations, contacts, searches, candidates;
    int peer_newton;
};

static void add(struct cost *cost, const pbs_stats *stats) {
    cost->clock += stats->time.total;
    cost->search += stats->time.contact_search;
    cost->sweep += stats->time.contact_sweep;
    cost->contact += stats->time.contact;
    cost->hessian += stats->time.hessian;
    cost->factor += stats->time.factor;
    cost->solve += stats->time.solve;
    cost->line_search += stats->time.search;
    cost->newton += stats->newton.iterations;
    cost->linear += stats->linear.iterations;
    cost->evaluations += stats->newton.evaluations;
    cost->contacts += stats->contact.active;
    cost->searches += stats->contact.searches;
    cost->candidates += (double)stats->contact.candidates;
}

static double peer_milliseconds(const char *scene) {
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        if (strcmp(peers[i].scene, scene) == 0) {
            return peers[i].milliseconds;
        }
    }
    return 0.0;
}

static void print_cost(const struct scene_world *w, const struct settings *s,
                       const struct cost *cost, int32_t threads) {
    const double steps = (double)w->step_count, all = cost->clock;
    const double seconds = threads == 1 ? cost->processor : cost->clock;
    const double milliseconds = 1e3 * seconds / fmax(cost->newton, 1.0);
    const double peer = peer_milliseconds(w->scene->name);
    printf("bench ipc_scenes scene=%s barrier=%s threads=%d steps=%zu newton_per_step=%.2f "
           "peer_newton=%.2f "
           "seconds_per_step=%.5f clock_per_step=%.5f ms_per_newton=%.3f peer_ms_per_newton=%.1f "
           "peer_over_ours=%.2f contact=%.3f search=%.3f sweep=%.3f forces=%.3f hessian=%.3f "
           "factor=%.3f solve=%.3f line_search=%.3f linear_per_newton=%.1f "
           "evaluations_per_newton=%.2f searches_per_newton=%.2f candidates=%.0f contacts=%.0f\n",
           w->scene->name, s->own ? "own" : "reference", threads, w->step_count,
           cost->newton / steps, (double)cost->peer_newton / steps, seconds / steps,
           cost->clock / steps, milliseconds, peer, peer / milliseconds,
           (cost->search + cost->sweep + cost->contact) / all, cost->search / all,
           cost->sweep / all, cost->contact / all, cost->hessian / all, cost->factor / all,
           cost->solve / all, cost->line_search / all, cost->linear / fmax(cost->newton, 1.0),
           cost->evaluations / fmax(cost->newton, 1.0), cost->searches / fmax(cost->newton, 1.0),
           cost->candidates / steps, cost->contacts / steps);
    fflush(stdout);
}

static bool take_steps(struct scene_world *w, const struct settings *s, int32_t threads,
                       const struct iterations *peer) {
    struct cost cost = {0};
    const size_t wanted = s->steps > 0 ? (size_t)s->steps : peer->count;
    const size_t count = wanted < peer->count ? wanted : peer->count;
    while (w->step_count < count) {
        const double start = processor_seconds();
        const pbs_status status = scene_world_step(w);
        const double seconds = processor_seconds() - start;
        pbs_stats stats = {.struct_size = sizeof stats};
        if (status < 0 || pbs_world_stats(w->world, &stats) < 0) {
            printf("bench ipc_scenes scene=%s threads=%d step=%zu failed=\"%s\"\n", w->scene->name,
                   threads, w->step_count, pbs_last_error());
            fflush(stdout);
            return false;
        }
        add(&cost, &stats);
        cost.processor += seconds;
        cost.peer_newton += peer->values[w->step_count - 1];
        if (s->each_step) {
            printf("bench ipc_scenes scene=%s threads=%d step=%zu newton=%u peer_newton=%d "
                   "contacts=%u least_gap=%.3e seconds=%.4f\n",
                   w->scene->name, threads, w->step_count, stats.newton.iterations,
                   peer->values[w->step_count - 1], stats.contact.active, stats.contact.least_gap,
                   seconds);
        }
        print_differences(w, s, threads);
    }
    print_cost(w, s, &cost, threads);
    return true;
}

static void run(const struct scene_file *scene, const struct settings *s, int32_t threads,
                const struct iterations *peer) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    struct scene_world w;
    pbs_status status = scene_world_settings(scene, &d, &expert);
    d.threads = threads;
    expert.preconditioner = (int32_t)s->preconditioner;
    d.contact_stiffness *= s->stiffness;
    d.velocity_tolerance *= s->tolerance;
    if (s->own) {
        // Chosen for the same stiffness close to the contact distance (docs/theory/contact.md
        // section 2.1).
        expert.barrier = PBS_BARRIER_DISTANCE;
        expert.adaptive_stiffness = 0;
        d.contact_stiffness *= 8.0 * d.contact_distance * d.contact_distance;
        expert.project_hessian = 0;
    }
    if (status >= 0) {
        status = scene_world_create(scene, &d, &w);
    }
    if (status < 0) {
        printf("bench ipc_scenes scene=%s failed=\"%s\"\n", scene->name, pbs_last_error());
        return;
    }
    take_steps(&w, s, threads, peer);
    scene_world_destroy(&w);
}

static void run_scene(const char *name, const struct settings *s) {
    char path[512];
    struct scene_file scene;
    struct message message = {"no file of iterations"};
    struct iterations peer;
    text_print(path, sizeof path, "%s/%s/scene.txt", s->folder, name);
    if (!scene_file_read(path, &scene, &message) || !read_iterations(s->folder, name, &peer)) {
        printf("bench ipc_scenes scene=%s skipped=\"%s\"\n", name, message.text);
        return;
    }
    for (int32_t threads = 1; threads <= 2; threads++) {
        if (s->threads == 0 || s->threads == threads) {
            run(&scene, s, threads, &peer);
        }
    }
    scene_file_free(&scene);
}

int main(int argc, char **argv) {
    struct settings s = {.folder = "../shared/data/ipc_scenes",
                         .preconditioner = PBS_PRECONDITIONER_AUTOMATIC,
                         .stiffness = 1.0,
                         .tolerance = 1.0};
    const struct command_option options[] = {
        {"folder", COMMAND_TEXT, &s.folder, "DIR", "where the scenes are"},
        {"scene", COMMAND_TEXT, &s.only, "NAME", "this scene alone"},
        {"steps", COMMAND_COUNT, &s.steps, "N", "at most so many steps; 0: as the reference"},
        {"threads", COMMAND_COUNT, &s.threads, "N", "1 or 2; 0: both"},
        {"preconditioner", COMMAND_COUNT, &s.preconditioner, "N", "PBS_PRECONDITIONER_*"},
        {"stiffness", COMMAND_NUMBER, &s.stiffness, "F", "times the scene's contact stiffness"},
        {"tolerance", COMMAND_NUMBER, &s.tolerance, "F", "times the scene's tolerance"},
        {"own", COMMAND_FLAG, &s.own, NULL, "our barrier and Hessian in place of the reference's"},
        {"each-step", COMMAND_FLAG, &s.each_step, NULL, "a line for each step"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "runs the scenes of the IPC reference code", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        if (s.only == NULL || strcmp(s.only, peers[i].scene) == 0) {
            run_scene(peers[i].scene, &s);
        }
    }
    return 0;
}
