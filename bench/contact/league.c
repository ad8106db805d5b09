// A league of random worlds (scenes/league/league.h): `league SEED COUNT` runs the worlds of COUNT
// seeds from SEED on, each in a process of its own, and prints a line for each and a summary:
//     bench league seed=7 bodies=3 kinds=SAH .. status=landed landed=120 failed=0 divided=2
//     crossings=0 momentum_error=.. momentum_group=0 momentum_step=.. momentum_at=..
//     momentum_excess=.. energy_gain=.. speed=.. newton_mean=.. newton_p50=.. newton_p95=..
//     newton_max=.. ms_mean=.. ms_p95=.. ms_max=.. [failed_at=.. code=.. message=".."] bench league
//     summary worlds=200 landed=.. failed=.. stuck=.. slow=.. crossed=.. changed=.. unmade=..
//     crashed=.. hung=.. momentum_off=.. energy_off=.. share=..
// status: landed (all steps, in time), failed (all landed in the end), stuck (ten failed steps in
// a row), slow (time ran out), crossed, changed (a failed step changed the world), unmade, crashed,
// hung (thirty times the time). momentum_error: league_balance.h; off above 1 %. energy_gain: off
// above 2 %; nan where something does work that cannot be read back. speed: over what a fall could
// give.
// The exit status is 0 where nothing crossed, changed, crashed or hung and the share of worlds that
// landed is that of --share at least.
// With --save, worlds are kept before the first step that failed or crossed, and --replay FILE
// steps such a file again; --world SEED runs one world with a line for each step.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/program/command_line.h"
#include "scenes/league/league_run.h"

static const double MOMENTUM_OFF = 0.01, ENERGY_OFF = 0.02;
static const double PATIENCE = 30.0; // a world is hung after so many times its seconds

struct settings {
    struct league_options options;
    struct league_limits limits;
    const char *folder; ///< where worlds are saved; null: nowhere
    bool each;          ///< a line for each step
};

// Sums over worlds. Exit statuses of their processes: what ended them, and bits for what was off.
enum { END_MASK = 15, MOMENTUM_BIT = 16, ENERGY_BIT = 32, CRASHED = 13, HUNG = 14 };

struct totals {
    size_t worlds, ends[16], momentum, energy;
};

// --- one world ---

static void print_step(void *context, const struct league *l, const struct league_balance *balance,
                       pbs_status status, double ms) {
    pbs_stats s = {.struct_size = sizeof s};
    pbs_energy e = {.struct_size = sizeof e};
    size_t group;
    (void)context;
    pbs_world_energy(l->world, &e);
    pbs_world_stats(l->world, &s);
    printf("bench league seed=%llu at=%.4f status=%s newton=%u divisions=%u parts=%u ms=%.2f "
           "gap=%.3e active=%u distance=%.3e gradient=%.3e tolerance=%.3e momentum_error=%.2e "
           "kinetic=%.6e energy=%.6e gain=%.3e",
           (unsigned long long)l->seed, pbs_world_time(l->world), pbs_status_name(status),
           s.newton.iterations, s.step.divisions, s.step.parts, ms, s.contact.least_gap,
           s.contact.active, s.contact.distance, s.newton.gradient_norm, s.newton.tolerance,
           league_momentum_error(balance, l, &group), e.kinetic, e.total + e.dissipated,
           league_energy_gain(balance));
    printf(status < 0 ? " message=\"%s\"\n" : "\n", pbs_last_error());
}

static void save_world(const struct settings *settings, const struct league *l,
                       const struct league_result *r) {
    char path[600];
    if (settings->folder == NULL || r->saved == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/league_%llu.pbs", settings->folder,
             (unsigned long long)l->seed);
    FILE *const file = fopen(path, "wb");
    if (file == NULL) {
        fprintf(stderr, "league: %s cannot be written\n", path);
        return;
    }
    fprintf(file, "pbs-league %llu %d\n", (unsigned long long)l->seed, l->options.small ? 1 : 0);
    fwrite(r->saved, 1, r->saved_size, file);
    fclose(file);
}

static void print_result(const struct league *l, const struct league_result *r) {
    char world[400] = "bodies=0";
    if (r->end != LEAGUE_UNMADE) {
        league_describe(l, world, sizeof world);
    }
    printf("bench league seed=%llu %s status=%s landed=%zu failed=%zu divided=%zu crossings=%zu "
           "momentum_error=%.2e momentum_group=%zu momentum_step=%.2e momentum_at=%zu "
           "momentum_excess=%.2f energy_gain=%.2e speed=%.2f newton_mean=%.2f newton_p50=%u "
           "newton_p95=%u "
           "newton_max=%u ms_mean=%.2f ms_p95=%.2f ms_max=%.1f",
           (unsigned long long)l->seed, world, league_end_name(r->end), r->landed, r->failed,
           r->divided, r->crossings, r->momentum_error, r->momentum_group, r->momentum_step,
           r->momentum_at, r->momentum_excess, r->energy_gain, r->fastest, r->newton_mean,
           r->newton_p50, r->newton_p95, r->newton_max, r->ms_mean, r->ms_p95, r->ms_max);
    if (r->message[0] != 0) {
        printf(" failed_at=%zu code=%s message=\"%s\"", r->failed_at, pbs_status_name(r->status),
               r->message);
    }
    printf("\n");
    fflush(stdout);
}

/// Runs a world, from saved bytes where there are any; returns what the totals count.
static int run_world(const struct settings *settings, uint64_t seed, const void *bytes,
                     size_t size) {
    struct league league;
    struct league_result result;
    league_create(seed, &settings->options, &league);
    if (bytes != NULL && league.status >= 0) {
        league.status = league_restore(&league, bytes, size);
    }
    league_run(&league, &settings->limits, settings->each ? print_step : NULL, NULL, &result);
    print_result(&league, &result);
    save_world(settings, &league, &result);
    const int counted = (int)result.end |
                        (result.momentum_error > MOMENTUM_OFF ? MOMENTUM_BIT : 0) |
                        (result.energy_gain > ENERGY_OFF ? ENERGY_BIT : 0);
    league_result_free(&result);
    league_free(&league);
    return counted;
}

// --- many ---

/// Waits for a process; ends it when it takes too long. Returns what the totals count.
static int wait_for(pid_t child, double seconds) {
    const double limit = PATIENCE * (isfinite(seconds) ? seconds : 1e6);
    const struct timespec pause = {.tv_nsec = 10000000};
    int status = 0;
    for (double waited = 0.0; waitpid(child, &status, WNOHANG) == 0; waited += 0.01) {
        if (waited > limit) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return HUNG;
        }
        nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
}

static int run_apart(const struct settings *settings, uint64_t seed) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int counted = run_world(settings, seed, NULL, 0);
        fflush(stdout);
        _exit(counted);
    }
    const int counted = child > 0 ? wait_for(child, settings->limits.seconds) : CRASHED;
    if (counted == CRASHED || counted == HUNG) {
        printf("bench league seed=%llu status=%s\n", (unsigned long long)seed,
               counted == HUNG ? "hung" : "crashed");
    }
    return counted;
}

static void count(struct totals *totals, int counted) {
    totals->worlds++;
    totals->ends[counted & END_MASK]++;
    totals->momentum += (counted & MOMENTUM_BIT) != 0;
    totals->energy += (counted & ENERGY_BIT) != 0;
}

static double share_of(const struct totals *t) {
    return t->worlds > 0 ? (double)t->ends[LEAGUE_LANDED] / (double)t->worlds : 1.0;
}

/// Whether what must hold in every world did.
static bool is_sound(const struct totals *t) {
    return t->ends[LEAGUE_CROSSED] + t->ends[LEAGUE_CHANGED] + t->ends[LEAGUE_UNMADE] +
               t->ends[CRASHED] + t->ends[HUNG] ==
           0;
}

static void print_totals(const struct totals *t) {
    const size_t *const ends = t->ends;
    printf("bench league summary worlds=%zu landed=%zu failed=%zu stuck=%zu slow=%zu crossed=%zu "
           "changed=%zu unmade=%zu crashed=%zu hung=%zu momentum_off=%zu energy_off=%zu "
           "share=%.3f\n",
           t->worlds, ends[LEAGUE_LANDED], ends[LEAGUE_FAILED], ends[LEAGUE_IS_STUCK],
           ends[LEAGUE_SLOW], ends[LEAGUE_CROSSED], ends[LEAGUE_CHANGED], ends[LEAGUE_UNMADE],
           ends[CRASHED], ends[HUNG], t->momentum, t->energy, share_of(t));
}

// --- replaying ---

static int replay(struct settings *settings, const char *path) {
    FILE *const file = fopen(path, "rb");
    unsigned long long seed = 0;
    int small = 0;
    char line[80];
    if (file == NULL || fgets(line, sizeof line, file) == NULL ||
        sscanf(line, "pbs-league %llu %d", &seed, &small) != 2) {
        fprintf(stderr, "league: %s is no world of the league\n", path);
        return 2;
    }
    const long start = ftell(file);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)(ftell(file) - start);
    fseek(file, start, SEEK_SET);
    unsigned char *const bytes = malloc(size + 1);
    const bool whole = bytes != NULL && fread(bytes, 1, size, file) == size;
    fclose(file);
    settings->options.small = small != 0;
    settings->each = true;
    const int counted = whole ? run_world(settings, seed, bytes, size) : LEAGUE_UNMADE;
    free(bytes);
    return counted == LEAGUE_LANDED ? 0 : 1;
}

/// Takes numbers before the options; returns how many there were.
static int take_numbers(int argc, char **argv, int64_t *numbers, int most) {
    int taken = 0;
    while (taken < most && taken + 1 < argc &&
           text_parse_integer(argv[taken + 1], strlen(argv[taken + 1]), &numbers[taken])) {
        taken++;
    }
    return taken;
}

int main(int argc, char **argv) {
    struct settings settings = {.limits = {.steps = 120, .seconds = 4.0}};
    int64_t numbers[2] = {1, 20}, steps = 120, world = 0;
    double least_share = 0.0;
    const char *file = NULL;
    const struct command_option options[] = {
        {"steps", COMMAND_COUNT, &steps, "N", "that each world is to land"},
        {"seconds", COMMAND_NUMBER, &settings.limits.seconds, "S", "of a world, processor time"},
        {"share", COMMAND_NUMBER, &least_share, "P", "of worlds that must land all steps"},
        {"save", COMMAND_TEXT, &settings.folder, "FOLDER", "keep worlds before a step that failed"},
        {"world", COMMAND_COUNT, &world, "SEED", "this world alone, a line for each step"},
        {"replay", COMMAND_TEXT, &file, "FILE", "go on from a world that was kept"},
        {"tolerance", COMMAND_NUMBER, &settings.options.tolerance, "T",
         "relative, without one of velocities; 0: defaults"},
        {"small", COMMAND_FLAG, &settings.options.small, NULL, "coarse meshes, as in the tests"},
    };
    int status = 0;
    const int taken = take_numbers(argc, argv, numbers, 2);
    argv[taken] = argv[0];
    if (!command_line_or_exit(argc - taken, argv + taken, "SEED COUNT: a league of random worlds.",
                              options, sizeof options / sizeof *options, &status)) {
        return status;
    }
    settings.limits.steps = (size_t)steps;
    if (file != NULL) {
        return replay(&settings, file);
    }
    if (world > 0) {
        settings.each = true;
        return run_world(&settings, (uint64_t)world, NULL, 0) == LEAGUE_LANDED ? 0 : 1;
    }
    struct totals totals = {0};
    for (int64_t i = 0; i < numbers[1]; i++) {
        count(&totals, run_apart(&settings, (uint64_t)(numbers[0] + i)));
    }
    print_totals(&totals);
    return is_sound(&totals) && share_of(&totals) >= least_share ? 0 : 1;
}
