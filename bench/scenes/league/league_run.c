// Runs random worlds; see league_run.h.
// SPDX-License-Identifier: MIT
#include "scenes/league/league_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes/league/league_parts.h"

struct run {
    struct league *league;
    struct league_result *result;
    struct league_checker checker;
    struct league_balance balance;
    size_t tries, capacity, failures_in_a_row;
    double *ms;
    uint32_t *newton;
    double seconds, allowed_speed;
    void *before; ///< the world before the step
    size_t before_size, before_capacity;
};

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_counts(const void *a, const void *b) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

static int compare_times(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void save(struct run *run) {
    size_t size = 0;
    pbs_world_save(run->league->world, NULL, &size);
    if (size > run->before_capacity) {
        free(run->before);
        run->before_capacity = 2 * size;
        run->before = malloc(run->before_capacity);
    }
    run->before_size = size;
    if (run->before == NULL || pbs_world_save(run->league->world, run->before, &size) < 0) {
        run->before_size = 0;
    }
}

/// Keeps the world before the first step at which something was wrong.
static void keep(struct run *run) {
    struct league_result *const out = run->result;
    if (out->saved == NULL && run->before_size > 0) {
        out->saved = malloc(run->before_size);
        if (out->saved != NULL) {
            memcpy(out->saved, run->before, run->before_size);
            out->saved_size = run->before_size;
        }
    }
}

static void note_failure(struct run *run, pbs_status status, uint64_t hash) {
    struct league_result *const out = run->result;
    out->status = status;
    if (out->failed++ == 0) {
        out->failed_at = out->landed;
        snprintf(out->message, sizeof out->message, "%s", pbs_last_error());
    }
    run->failures_in_a_row++;
    if (pbs_world_hash(run->league->world) != hash) {
        out->end = LEAGUE_CHANGED;
    } else if (run->failures_in_a_row == LEAGUE_STUCK) {
        out->end = LEAGUE_IS_STUCK;
    }
    keep(run);
}

/// Twice the speed of a fall by all the height that there is, on top of the fastest start: two
/// bodies of very different mass may part at twice the speed at which they meet.
static double allowed_speed(const struct league *l) {
    double height = 0.0, fastest = 0.0;
    for (size_t b = 0; b < l->body_count; b++) {
        pbs_motion motion = {.struct_size = sizeof motion};
        pbs_body_motion(l->world, l->bodies[b].id, &motion);
        height = fmax(height, l->bodies[b].upper[1]);
        for (size_t k = 0; k < 3; k++) {
            fastest = fmax(fastest, fabs(motion.velocity[k]));
        }
    }
    for (size_t c = 0; c < l->collider_count; c++) {
        const struct league_collider *const collider = &l->colliders[c];
        fastest = fmax(fastest, collider->rate * hypot(collider->travel[0], collider->travel[2]) +
                                    collider->turn * l->size);
    }
    return 2.0 * (2.0 * fastest + sqrt(2.0 * LEAGUE_GRAVITY * (height + l->size)));
}

/// Of what goes sideways or up.
static void note_speed(struct run *run) {
    const struct league *const l = run->league;
    for (size_t b = 0; b < l->body_count; b++) {
        pbs_motion motion = {.struct_size = sizeof motion};
        pbs_body_motion(l->world, l->bodies[b].id, &motion);
        const double *const v = motion.velocity, up = fmax(v[1], 0.0);
        const double speed = sqrt(v[0] * v[0] + up * up + v[2] * v[2]);
        run->result->fastest = fmax(run->result->fastest, speed / run->allowed_speed);
    }
}

static void note_landed(struct run *run, pbs_status status) {
    struct league_result *const out = run->result;
    struct league_findings found = {.finite = true};
    out->landed++;
    out->divided += status == PBS_DIVIDED ? 1 : 0;
    run->failures_in_a_row = 0;
    league_balance_after(&run->balance, run->league);
    note_speed(run);
    if (league_check(&run->checker, run->league, &found) >= 0 &&
        (found.crossings > 0 || !found.finite)) {
        out->crossings += found.crossings;
        out->finite = found.finite;
        snprintf(out->message, sizeof out->message, "%s at step %zu", found.first, out->landed);
        out->end = LEAGUE_CROSSED;
        keep(run);
    }
}

static void one_step(struct run *run, league_watch watch, void *context) {
    struct league *const l = run->league;
    const uint64_t hash = pbs_world_hash(l->world);
    save(run);
    league_balance_before(&run->balance, l);
    const double start = processor_seconds();
    const pbs_status status = league_step(l);
    const double seconds = processor_seconds() - start;
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(l->world, &stats);
    run->ms[run->tries] = 1e3 * seconds;
    run->newton[run->tries++] = stats.newton.iterations;
    run->seconds += seconds;
    if (status < 0) {
        note_failure(run, status, hash);
    } else {
        note_landed(run, status);
    }
    if (watch != NULL) {
        watch(context, l, &run->balance, status, 1e3 * seconds);
    }
}

static void summarize(struct run *run) {
    struct league_result *const out = run->result;
    const size_t n = run->tries;
    out->momentum_error = league_momentum_error(&run->balance, run->league, &out->momentum_group);
    out->momentum_step = run->balance.worst_step;
    out->momentum_excess = run->balance.excess;
    out->momentum_at = run->balance.worst_at;
    out->energy_gain = league_energy_gain(&run->balance);
    if (n == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out->newton_mean += (double)run->newton[i] / (double)n;
        out->ms_mean += run->ms[i] / (double)n;
    }
    qsort(run->newton, n, sizeof *run->newton, compare_counts);
    qsort(run->ms, n, sizeof *run->ms, compare_times);
    out->newton_p50 = run->newton[n / 2];
    out->newton_p95 = run->newton[n * 95 / 100];
    out->newton_max = run->newton[n - 1];
    out->ms_p95 = run->ms[n * 95 / 100];
    out->ms_max = run->ms[n - 1];
}

/// After a failed step the same one is tried again, as a host's loop would.
static void run_steps(struct run *run, const struct league_limits *limits, league_watch watch,
                      void *context) {
    struct league_result *const out = run->result;
    while (out->end == LEAGUE_LANDED && out->landed < limits->steps) {
        if (run->seconds >= limits->seconds) {
            out->end = LEAGUE_SLOW;
        } else {
            one_step(run, watch, context);
        }
    }
    if (out->end == LEAGUE_LANDED && out->failed > 0) {
        out->end = LEAGUE_FAILED;
    }
}

void league_run(struct league *league, const struct league_limits *limits, league_watch watch,
                void *context, struct league_result *out) {
    struct run run = {.league = league, .result = out};
    *out = (struct league_result){.finite = true};
    if (league->status < 0) {
        out->end = LEAGUE_UNMADE;
        out->status = league->status;
        snprintf(out->message, sizeof out->message, "%s", pbs_last_error());
        return;
    }
    run.capacity = limits->steps * LEAGUE_STUCK + LEAGUE_STUCK;
    run.ms = malloc(run.capacity * sizeof *run.ms);
    run.newton = malloc(run.capacity * sizeof *run.newton);
    if (run.ms != NULL && run.newton != NULL) {
        league_checker_init(&run.checker);
        league_balance_begin(&run.balance, league);
        run.allowed_speed = allowed_speed(league);
        run_steps(&run, limits, watch, context);
        summarize(&run);
        league_balance_free(&run.balance);
        league_checker_free(&run.checker);
    }
    free(run.ms);
    free(run.newton);
    free(run.before);
}

void league_result_free(struct league_result *result) {
    free(result->saved);
    result->saved = NULL;
}

const char *league_end_name(enum league_end end) {
    static const char *const names[] = {"landed",  "failed",  "stuck", "slow",
                                        "crossed", "changed", "unmade"};
    return names[end];
}
