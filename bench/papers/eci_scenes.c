// ECI's contact scenes with A-search, with BDF2 at the same step, and with BDF2 at a step with
// about the same total time as A-search: Newton iterations, processor time and remaining energy,
// for comparison with ECI's table 1. Uses one thread. Prints a line for each run, and one for each
// scene:
//
//     bench eci_scenes scene=ball_soft size=small scheme=a-search step=1/120 newton=396 ...
//     bench eci_scenes scene=ball_soft size=small time_ratio=3.1 newton_ratio=2.8 published=2.1/3.1
//
// `kept` is the energy above the rest state plus the friction work, relative to the start: at the
// end, and as the mean over all steps. Scenes that start at 0.95 of their energy, or whose energy
// decays, should keep less. The small scenes last some tenths of a second, so their ratios are
// those of one bounce. `met` counts the steps after which an edge intersects a triangle, by exact
// tests of all pairs.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/program/command_line.h"
#include "scenes/eci/eci_contact_check.h"

/// ECI table 1: seconds and Newton iterations; 0: not given.
static const struct published {
    double seconds, newton;             ///< A-search
    double equal_seconds, equal_newton; ///< BDF2 at the same step
    double steps;                       ///< steps of A-search, from duration and step size
} published[ECI_CONTACT_KINDS] = {
    [ECI_BALL_SOFT] = {75.0, 2681, 36.3, 868, 1200},
    [ECI_BALL_MEDIUM] = {68.3, 1683, 34.6, 423, 1200},
    [ECI_BALL_STIFF] = {94.2, 2391, 37.3, 326, 1200},
    [ECI_BALL_AFFINE] = {224.9, 8902, 48.4, 1221, 1200},
    [ECI_DICE] = {326.6, 4659, 307.3, 5744, 720},
    [ECI_STAIRS] = {530.9, 4534, 0, 0, 300},
    [ECI_TRAMPOLINE] = {7570.9, 13145, 0, 0, 360},
    [ECI_CHAIN] = {6612.0, 21683, 0, 0, 360},
    [ECI_SPLASH] = {1303.1, 5799, 0, 0, 360},
    [ECI_MEMBRANE] = {286.5, 954, 185.9, 442, 240},
};

struct settings {
    const char *meshes, *only;
    double duration, velocity_tolerance;
    int64_t preconditioner, divisor;
    bool full, equal_only, alone, step_rule, each_step;
};

struct run {
    bool failed;
    double seconds; ///< processor time
    double newton, linear, steps;
    double kept, mean_kept;
    double least_gap; ///< relative to the contact distance
    size_t met;       ///< steps after which surfaces intersected
};

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_step(const struct eci_contact *scene, const pbs_stats *stats) {
    printf("bench eci_scenes time=%.5f newton=%u linear=%u contacts=%u gap=%.3f alpha=%.4f "
           "reached=%.6f target=%.6f\n",
           pbs_world_time(scene->world), stats->newton.iterations, stats->linear.iterations,
           stats->contact.active, stats->contact.least_gap / scene->contact_distance,
           stats->energy_control.alpha_high, stats->energy_control.reached,
           stats->energy_control.target);
    fflush(stdout);
}

/// Returns the kept fraction of the energy. The world's potential energy is 0 at the start; that of
/// the rest state is negative.
static double kept_now(const struct eci_contact *scene, double lost, double start) {
    const double ground = scene->integrator.energy_control.ground;
    const double now = eci_contact_energy(scene) - scene->height_energy;
    return (now + lost - ground) / (start - ground);
}

static bool meets(const struct eci_contact *scene, struct surface_check *check) {
    size_t count = 0;
    return eci_contact_check(scene, check, &count) < 0 || count > 0;
}

static struct run take_steps(const struct settings *s, struct eci_contact *scene) {
    struct surface_check check;
    surface_check_init(&check);
    struct run out = {.least_gap = INFINITY};
    const double duration = s->duration > 0.0 ? fmin(s->duration, scene->duration)
                                              : scene->duration;
    const double start = eci_contact_energy(scene) - scene->height_energy;
    const double count = round(duration / scene->step);
    double lost = 0.0;
    while (out.steps < count && !out.failed) {
        const double before = processor_seconds();
        const pbs_status status = eci_contact_step(scene);
        out.seconds += processor_seconds() - before;
        pbs_stats stats = {.struct_size = sizeof stats};
        out.failed = status < 0 || pbs_world_stats(scene->world, &stats) < 0;
        if (out.failed) {
            printf("bench eci_scenes failed=\"%s\"\n", pbs_last_error());
            break;
        }
        out.steps++;
        out.newton += stats.newton.iterations;
        out.linear += stats.linear.iterations;
        out.least_gap = fmin(out.least_gap, stats.contact.least_gap / scene->contact_distance);
        lost += stats.step.dissipated;
        out.kept = kept_now(scene, lost, start);
        out.mean_kept += out.kept / count;
        out.met += meets(scene, &check);
        if (s->each_step) {
            print_step(scene, &stats);
        }
    }
    surface_check_free(&check);
    return out;
}

static struct run run(const struct settings *s, enum eci_contact_kind kind, int32_t scheme,
                      int divisor) {
    struct eci_contact scene = {0};
    struct eci_contact_options options;
    struct run out = {.failed = true};
    eci_contact_options_init(&options);
    options.meshes = s->meshes;
    options.full = s->full;
    options.scheme = scheme;
    options.step = 1.0 / (120.0 * divisor);
    options.world.threads = 1;
    options.expert.preconditioner = (int32_t)s->preconditioner;
    options.world.velocity_tolerance = s->velocity_tolerance;
    options.expert.velocity_rule = s->step_rule ? PBS_VELOCITY_STEP : PBS_VELOCITY_STEP_AND_GAIN;
    if (eci_contact_create(kind, &options, &scene) < 0) {
        printf("bench eci_scenes scene=%s failed=\"%s\"\n", eci_contact_name(kind),
               pbs_last_error());
    } else {
        out = take_steps(s, &scene);
        printf("bench eci_scenes scene=%s size=%s%s scheme=%s step=1/%d steps=%.0f seconds=%.2f "
               "newton=%.0f newton_per_step=%.2f linear_per_newton=%.1f ms_per_newton=%.2f "
               "kept=%.4f mean_kept=%.4f least_gap=%.3f met=%zu%s\n",
               eci_contact_name(kind), s->full ? "full" : "small",
               scene.generated ? " generated=1" : "",
               scheme == PBS_SCHEME_BDF2 ? "bdf2" : "a-search", 120 * divisor, out.steps,
               out.seconds, out.newton, out.newton / fmax(out.steps, 1.0),
               out.linear / fmax(out.newton, 1.0), 1e3 * out.seconds / fmax(out.newton, 1.0),
               out.kept, out.mean_kept, out.least_gap, out.met, out.failed ? " failed=1" : "");
        fflush(stdout);
    }
    eci_contact_free(&scene);
    return out;
}

/// Runs BDF2 at fractions of the step, and returns the run whose time is closest to `seconds`.
static struct run run_as_long(const struct settings *s, enum eci_contact_kind kind,
                              const struct run *equal, double seconds, int *divisor) {
    enum { TRIALS = 3 };
    struct run best = *equal;
    int at = (int)s->divisor;
    double cost = equal->seconds;
    *divisor = at;
    for (int i = 0; i < TRIALS; i++) {
        const int next = (int)fmax(1.0, round(at * seconds / fmax(cost, 1e-6)));
        if (next == at) {
            break;
        }
        const struct run trial = run(s, kind, PBS_SCHEME_BDF2, next);
        if (trial.failed) {
            break;
        }
        if (fabs(log(trial.seconds / seconds)) < fabs(log(best.seconds / seconds))) {
            best = trial;
            *divisor = next;
        }
        at = next;
        cost = trial.seconds;
    }
    return best;
}

static void compare(const struct settings *s, enum eci_contact_kind kind) {
    const struct published *p = &published[kind];
    const struct run kept = run(s, kind, PBS_SCHEME_A_SEARCH, (int)s->divisor);
    if (s->alone) {
        return;
    }
    const struct run equal = run(s, kind, PBS_SCHEME_BDF2, (int)s->divisor);
    if (kept.failed || equal.failed) {
        return;
    }
    int divisor = (int)s->divisor;
    const struct run as_long = s->equal_only ? equal
                                             : run_as_long(s, kind, &equal, kept.seconds, &divisor);
    printf("bench eci_scenes scene=%s size=%s time_ratio=%.2f newton_ratio=%.2f "
           "newton_per_step=%.2f kept=%.4f bdf2_kept=%.4f as_long_step=1/%d as_long_time=%.2f "
           "as_long_newton=%.2f as_long_kept=%.4f",
           eci_contact_name(kind), s->full ? "full" : "small", kept.seconds / equal.seconds,
           kept.newton / equal.newton, kept.newton / kept.steps, kept.kept, equal.kept,
           120 * divisor, as_long.seconds / kept.seconds, as_long.newton / kept.newton,
           as_long.kept);
    if (p->equal_seconds > 0.0) {
        printf(" published_time_ratio=%.2f published_newton_ratio=%.2f",
               p->seconds / p->equal_seconds, p->newton / p->equal_newton);
    }
    printf(" published_newton_per_step=%.2f published_ms_per_newton=%.1f\n", p->newton / p->steps,
           1e3 * p->seconds / p->newton);
    fflush(stdout);
}

int main(int argc, char **argv) {
    struct settings s = {.meshes = "../shared/data/meshes",
                         .preconditioner = PBS_PRECONDITIONER_AUTOMATIC,
                         .velocity_tolerance = 0.01,
                         .divisor = 1};
    const struct command_option options[] = {
        {"meshes", COMMAND_TEXT, &s.meshes, "DIR", "bunny_7k.msh and the like"},
        {"scene", COMMAND_TEXT, &s.only, "NAME", "this scene alone"},
        {"full", COMMAND_FLAG, &s.full, NULL, "the paper's sizes; hours for all"},
        {"duration", COMMAND_NUMBER, &s.duration, "S", "at most so many seconds of each"},
        {"divisor", COMMAND_COUNT, &s.divisor, "N", "steps of 1/120 s over this"},
        {"tolerance", COMMAND_NUMBER, &s.velocity_tolerance, "V", "m/s, of Newton's steps"},
        {"equal-only", COMMAND_FLAG, &s.equal_only, NULL, "no BDF2 that takes as long as A-search"},
        {"alone", COMMAND_FLAG, &s.alone, NULL, "A-search alone, no BDF2"},
        {"step-rule", COMMAND_FLAG, &s.step_rule, NULL,
         "Newton's iterations end by the length of their steps alone, as the paper's"},
        {"preconditioner", COMMAND_COUNT, &s.preconditioner, "N", "PBS_PRECONDITIONER_*"},
        {"each-step", COMMAND_FLAG, &s.each_step, NULL, "a line for each step"},
    };
    int status = 0;
    enum eci_contact_kind only = ECI_CONTACT_KINDS;
    if (!command_line_or_exit(argc, argv, "runs ECI's scenes with A-search and with BDF2", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    if (s.divisor < 1 || (s.only != NULL && !eci_contact_find(s.only, &only))) {
        fprintf(stderr, "%s\n", s.divisor < 1 ? "--divisor: at least 1" : "no such scene");
        return 2;
    }
    for (int kind = 0; kind < ECI_CONTACT_KINDS; kind++) {
        if (only == ECI_CONTACT_KINDS || kind == (int)only) {
            compare(&s, (enum eci_contact_kind)kind);
        }
    }
    return 0;
}
