// The scenes of BDEM's table 1, implicit and explicit in one run. Prints lines
//     bench fracture scene=twist mode=implicit particles=17496 size=... young=... step=...
//     frames=... seconds_per_frame=... newton=... linear=... broken=... unfinished=...
//     bench fracture scene=twist mode=explicit particles=17496 stable_step=...
//     steps_per_frame=... seconds_per_frame=... mbonds_per_s=...
//     bench fracture scene=twist ratio=... explicit seconds a frame over implicit ones
//     paper_implicit=16.4 paper_explicit=162.0 paper_ratio=9.9
// Uses one thread unless --threads is given. The size of a body is chosen so that the stable step
// is that of the table (--size 0: the size of the example). Of an explicit frame only --steps steps
// are measured, as all steps cost the same. Contact is by barriers in implicit and by penalties in
// explicit steps.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "common/program/command_line.h"
#include "common/scenes/fracture_scene.h"

struct settings {
    const char *scene, *scheme;
    const char *figures;
    double detail, size, young;
    int64_t frames, steps, threads;
};

/// Seconds per frame in table 1.
static const struct {
    const char *scene;
    double is_implicit, is_explicit;
} table[] = {{"stretch", 24.1, 294.0},     {"twist", 16.4, 162.0},      {"drape", 432.5, 1200.9},
             {"soft-drape", 152.0, 704.4}, {"chocolate", 203.0, 657.8}, {"plate", 2198.6, 6825.2}};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &s->scene, "NAME", "one of the table's; all: each of them"},
        {"scheme", COMMAND_TEXT, &s->scheme, "NAME", "implicit-euler, bdf2 or tr-bdf2"},
        {"detail", COMMAND_NUMBER, &s->detail, "X", "particles relative to the table"},
        {"size", COMMAND_NUMBER, &s->size, "S", "metres; negative: the stable step is the table's"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Pa; 0: the table's"},
        {"steps", COMMAND_COUNT, &s->steps, "N", "explicit ones; 0: none"},
        {"figures", COMMAND_TEXT, &s->figures, "DIR",
         "in place of the table: seconds over stiffness and size of a beam that drapes, as .csv"},
        {"frames", COMMAND_COUNT, &s->frames, "N", "implicit ones"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads"},
    };
    return command_line_or_exit(argc, argv, "The scenes of BDEM's table 1.", options,
                                sizeof options / sizeof *options, exit_status);
}

static void make(const struct settings *s, const char *scene, bool is_explicit,
                 struct fracture_scene *out) {
    struct message message = {{0}};
    struct fracture_setup setup = {.scene = scene,
                                   .detail = s->detail,
                                   .size = s->size,
                                   .young = s->young,
                                   .threads = (int32_t)s->threads,
                                   .seed = 1};
    setup.scheme = is_explicit                         ? PBS_SCHEME_VELOCITY_VERLET
                   : strcmp(s->scheme, "bdf2") == 0    ? PBS_SCHEME_BDF2
                   : strcmp(s->scheme, "tr-bdf2") == 0 ? PBS_SCHEME_TR_BDF2
                                                       : PBS_SCHEME_IMPLICIT_EULER;
    if (!fracture_scene_make(&setup, out, &message)) {
        fprintf(stderr, "%s: %s\n", scene, message.text);
        exit(1);
    }
}

static size_t count_bonds(const struct fracture_scene *scene, size_t *broken) {
    const uint32_t *pairs = NULL;
    const uint8_t *flags = pbs_body_broken(scene->world, scene->body);
    size_t count = 0;
    pbs_body_bonds(scene->world, scene->body, &pairs, &count);
    for (size_t i = 0; i < count; i++) {
        *broken += flags[i] != 0;
    }
    return count;
}

static double run_implicit(const struct settings *s, const char *name) {
    struct fracture_scene scene;
    uint64_t newton = 0, linear = 0;
    size_t broken = 0, unfinished = 0;
    int64_t done = 0;
    make(s, name, false, &scene);
    const double start = clock_seconds();
    for (; done < s->frames; done++) {
        pbs_stats stats = {.struct_size = sizeof stats};
        const pbs_status status = fracture_scene_step(&scene);
        if (status < 0) {
            printf("bench fracture scene=%s frame=%lld failed: %s\n", name, (long long)done,
                   pbs_last_error());
            break;
        }
        unfinished += status == PBS_NOT_CONVERGED;
        pbs_world_stats(scene.world, &stats);
        newton += stats.newton.iterations;
        linear += stats.linear.iterations;
    }
    const double seconds = (clock_seconds() - start) / (double)(done > 0 ? done : 1);
    count_bonds(&scene, &broken);
    printf("bench fracture scene=%s mode=implicit particles=%zu size=%.3g young=%g step=%g "
           "frames=%lld seconds_per_frame=%.3f newton=%llu linear=%llu broken=%zu unfinished=%zu\n",
           name, scene.mesh.tet_count, scene.size, scene.young, scene.step, (long long)done,
           seconds, (unsigned long long)newton, (unsigned long long)linear, broken, unfinished);
    fflush(stdout);
    fracture_scene_free(&scene);
    return seconds;
}

/// Fraction of the stable step that worlds use by default.
static const double SHARE = 0.8;

static double run_explicit(const struct settings *s, const char *name) {
    struct fracture_scene scene;
    pbs_stats stats = {.struct_size = sizeof stats};
    size_t broken = 0;
    make(s, name, true, &scene);
    const double frame = scene.step;
    const size_t bonds = count_bonds(&scene, &broken);
    // The first step estimates the stable step and builds data that is built once.
    scene.step = 1e-6 * frame;
    fracture_scene_step(&scene);
    pbs_world_stats(scene.world, &stats);
    const double stable = stats.step.stable_step;
    scene.step = SHARE * (double)s->steps * stable;
    const double start = clock_seconds();
    if (fracture_scene_step(&scene) < 0) {
        printf("bench fracture scene=%s mode=explicit failed: %s\n", name, pbs_last_error());
        fracture_scene_free(&scene);
        return 0.0;
    }
    const double elapsed = clock_seconds() - start;
    pbs_world_stats(scene.world, &stats);
    const double steps = frame / (SHARE * stable);
    const double seconds = elapsed / (double)stats.step.explicit_steps * steps;
    printf("bench fracture scene=%s mode=explicit particles=%zu stable_step=%.3g "
           "steps_per_frame=%.0f seconds_per_frame=%.2f mbonds_per_s=%.2f\n",
           name, scene.mesh.tet_count, stable, steps, seconds,
           1e-6 * (double)bonds * steps / seconds);
    fflush(stdout);
    fracture_scene_free(&scene);
    return seconds;
}

static void run(const struct settings *s, size_t row) {
    const char *name = table[row].scene;
    const double first = s->frames > 0 ? run_implicit(s, name) : 0.0;
    const double second = s->steps > 0 ? run_explicit(s, name) : 0.0;
    if (first > 0.0 && second > 0.0) {
        printf("bench fracture scene=%s ratio=%.2f paper_implicit=%g paper_explicit=%g "
               "paper_ratio=%.1f\n",
               name, second / first, table[row].is_implicit, table[row].is_explicit,
               table[row].is_explicit / table[row].is_implicit);
    }
}

// --- figures 5 and 6 ---

static FILE *open_figure(const struct settings *s, const char *name, const char *head) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.csv", s->figures, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
    fprintf(file, "%s,implicit,explicit\n", head);
    return file;
}

static void add_row(const struct settings *s, FILE *file, double value) {
    const double first = run_implicit(s, "drape");
    fprintf(file, "%g,%g,%g\n", value, first, run_explicit(s, "drape"));
    fflush(file);
}

/// Runs a beam of 1 m: four thousand particles from soft to stiff, then from few to many particles.
static void run_figures(const struct settings *given) {
    struct settings s = *given;
    s.size = 1.0;
    s.detail = 0.25;
    FILE *file = open_figure(&s, "fracture_stiffness", "Young's modulus");
    for (double young = 1e5; young < 2e10; young *= 10.0) {
        s.young = young;
        add_row(&s, file, young);
    }
    fclose(file);
    file = open_figure(&s, "fracture_size", "particles");
    s.young = 1e7;
    for (double detail = 1.0 / 16.0; detail < 5.0; detail *= 2.0) {
        s.detail = detail;
        add_row(&s, file, 15984.0 * detail);
    }
    fclose(file);
}

int main(int argc, char **argv) {
    struct settings s = {.scene = "all",
                         .scheme = "implicit-euler",
                         .detail = 1.0,
                         .size = -1.0,
                         .frames = 5,
                         .steps = 200,
                         .threads = 1};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    if (s.figures != NULL) {
        run_figures(&s);
        return 0;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(s.scene, "all") == 0 || strcmp(s.scene, table[i].scene) == 0) {
            run(&s, i);
        }
    }
    return 0;
}
