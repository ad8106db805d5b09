// Steps a random world and tells what happened: crossings, momentum, energy, statuses, iterations
// and time.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LEAGUE_RUN_H
#define PBS_BENCH_LEAGUE_RUN_H

#include "scenes/league/league_balance.h"
#include "scenes/league/league_check.h"

enum { LEAGUE_STUCK = 10 }; ///< a world is stuck after so many failed steps in a row

struct league_limits {
    size_t steps;   ///< that must land
    double seconds; ///< of processor time in steps; infinite: none
};

enum league_end {
    LEAGUE_LANDED, ///< all steps landed, in time, without a crossing
    LEAGUE_FAILED, ///< all landed in the end, but some failed before
    LEAGUE_IS_STUCK,
    LEAGUE_SLOW,    ///< time ran out
    LEAGUE_CROSSED, ///< surfaces intersect, or numbers are not finite
    LEAGUE_CHANGED, ///< a failed step has changed the world
    LEAGUE_UNMADE   ///< the world could not be made
};

struct league_result {
    enum league_end end;
    size_t landed, failed, divided, crossings;
    bool finite;
    double momentum_error, momentum_step, momentum_excess; ///< see league_balance.h
    size_t momentum_group, momentum_at;
    double energy_gain;
    uint32_t newton_p50, newton_p95, newton_max;
    double newton_mean, ms_mean, ms_p95, ms_max;
    double fastest;    ///< speed of a body's centre over that of a fall from everything's height
    pbs_status status; ///< of the last failed step
    size_t failed_at;  ///< steps landed before the first that failed
    char message[400]; ///< of the first failed step, or what crossed
    void *saved;       ///< the world before the first step that failed or crossed; to be freed
    size_t saved_size;
};

typedef void (*league_watch)(void *context, const struct league *league,
                             const struct league_balance *balance, pbs_status status, double ms);

/// Runs from where the world is. watch: called after each step; null: not.
void league_run(struct league *league, const struct league_limits *limits, league_watch watch,
                void *context, struct league_result *out);
void league_result_free(struct league_result *result);

const char *league_end_name(enum league_end end);

#endif
