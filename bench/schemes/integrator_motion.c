// Compares schemes on the scenes of ECI section 5.1 without contact (figures 7 to 9): total energy
// and angular momentum over ten seconds of a rotating cube, soft and stiff, and of a twisted bar,
// at steps of 1/30 s, with BDF2 at 1/1500 s as reference. Newton iterations are printed with those
// of ECI's table 1.
//     bench integrator-motion scene=soft-cube scheme=a-search step=1/30 energy_low=..
//     energy_high=.. momentum_error=.. newton=.. eci_newton=..
// energy_*: extremes of the energy after the first second, relative to the initial energy; both are
// measured from the lowest potential. momentum_error: root mean square error of the angular
// momentum at the frames, relative to the root mean square of the reference. Writes
// DIR/SCENE_energy.csv and DIR/SCENE_momentum.csv, with a column for each run. Arguments: directory
// (build/bench), scenes as a string of 0, 1 and 2 ("012"), cells (0: as ECI), seconds (10), steps
// per second of the reference (1500).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/program/csv.h"
#include "scenes/eci/elastic_motion.h"

struct run_desc {
    const char *name;
    int32_t scheme;
    int steps_per_frame;
    double decay_time;               ///< s; 0: none
    double alpha_max;                ///< 0: the scheme's default
    double eci_newton[MOTION_COUNT]; ///< ECI table 1; 0: not given
};

static const struct run_desc runs[] = {
    {"bdf2-reference", PBS_SCHEME_BDF2, 50, 0.0, 0.0, {16143, 30000, 1632}},
    {"implicit-euler", PBS_SCHEME_IMPLICIT_EULER, 1, 0.0, 0.0, {0}},
    {"bdf2", PBS_SCHEME_BDF2, 1, 0.0, 0.0, {661, 822, 409}},
    {"bdf2-half-step", PBS_SCHEME_BDF2, 2, 0.0, 0.0, {1203, 1349, 0}},
    {"a-1", PBS_SCHEME_A_1, 1, 0.0, 0.0, {0}},
    {"a-search", PBS_SCHEME_A_SEARCH, 1, 0.0, 0.0, {902, 1500, 947}},
    {"a-search-decay", PBS_SCHEME_A_SEARCH, 1, 10.0, 0.0, {0}},
    {"a-search-wide", PBS_SCHEME_A_SEARCH, 1, 0.0, 2.0, {0}},
    {"energy-blending", PBS_SCHEME_ENERGY_BLENDING, 1, 0.0, 0.0, {0}},
    {"implicit-midpoint", PBS_SCHEME_IMPLICIT_MIDPOINT, 1, 0.0, 0.0, {0}},
};

enum { RUN_COUNT = sizeof runs / sizeof *runs };

static void print_run(const struct run_desc *run, int steps, enum elastic_motion_kind kind,
                      const struct motion_series *series, const struct motion_series *reference) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = MOTION_FRAME_RATE; i < series->frames; i++) {
        low = fmin(low, series->energy[i] / series->energy[0]);
        high = fmax(high, series->energy[i] / series->energy[0]);
    }
    printf("bench integrator-motion scene=%s scheme=%s step=1/%d frames=%zu energy_low=%.4f "
           "energy_high=%.4f momentum_error=%.3f newton=%.0f eci_newton=%.0f status=%s\n",
           elastic_motion_names[kind], run->name, MOTION_FRAME_RATE * steps, series->frames, low,
           high, motion_series_distance(series, reference), series->newton_iterations,
           run->eci_newton[kind], pbs_status_name(series->status));
    fflush(stdout);
}

/// Writes a column for time and one for each run; values missing from a failed run are NaN.
static bool write_table(const char *directory, const char *scene, const char *what,
                        const struct motion_series *all, size_t frames, bool momentum) {
    const char *names[RUN_COUNT + 1] = {"time"};
    double *values = calloc(frames * (RUN_COUNT + 1), sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (size_t r = 0; r < RUN_COUNT; r++) {
        names[r + 1] = runs[r].name;
        for (size_t i = 0; i < frames; i++) {
            const double *source = momentum ? all[r].momentum : all[r].energy;
            values[i * (RUN_COUNT + 1)] = (double)i / MOTION_FRAME_RATE;
            values[i * (RUN_COUNT + 1) + r + 1] = i < all[r].frames ? source[i] : NAN;
        }
    }
    char path[512];
    snprintf(path, sizeof path, "%s/%s_%s.csv", directory, scene, what);
    struct message message = {{0}};
    const bool written = csv_write(path, names, RUN_COUNT + 1, values, frames, &message);
    if (!written) {
        fprintf(stderr, "%s\n", message.text);
    }
    free(values);
    return written;
}

static bool run_scene(const char *directory, enum elastic_motion_kind kind, size_t cells,
                      size_t frames, int reference_steps) {
    struct motion_series all[RUN_COUNT] = {0};
    bool done = true;
    for (size_t r = 0; r < RUN_COUNT && done; r++) {
        const int steps = r == 0 ? reference_steps : runs[r].steps_per_frame;
        pbs_integrator_desc d;
        done = pbs_integrator_desc_init(&d, sizeof d, runs[r].scheme) >= 0;
        d.energy_control.decay_time = runs[r].decay_time;
        d.energy_control.alpha_max = runs[r].alpha_max > 0.0 ? runs[r].alpha_max
                                                             : d.energy_control.alpha_max;
        done = done && motion_series_run(kind, cells, 0, &d, steps, frames, &all[r]) >= 0;
        if (done) {
            print_run(&runs[r], steps, kind, &all[r], &all[0]);
        } else {
            fprintf(stderr, "%s: %s\n", runs[r].name, pbs_last_error());
        }
    }
    const char *const scene = elastic_motion_names[kind];
    done = done && write_table(directory, scene, "energy", all, frames, false) &&
           write_table(directory, scene, "momentum", all, frames, true);
    for (size_t r = 0; r < RUN_COUNT; r++) {
        motion_series_free(&all[r]);
    }
    return done;
}

int main(int argc, char **argv) {
    static const size_t eci_cells[MOTION_COUNT] = {10, 10, 8};
    const char *const directory = argc > 1 ? argv[1] : "build/bench";
    const char *const scenes = argc > 2 ? argv[2] : "012";
    const size_t cells = argc > 3 ? (size_t)atoi(argv[3]) : 0;
    const double seconds = argc > 4 ? atof(argv[4]) : 10.0;
    const int rate = argc > 5 ? atoi(argv[5]) : 1500;
    for (const char *c = scenes; *c != '\0'; c++) {
        const int kind = *c - '0';
        if (kind < 0 || kind >= MOTION_COUNT ||
            !run_scene(directory, (enum elastic_motion_kind)kind,
                       cells > 0 ? cells : eci_cells[kind],
                       (size_t)lround(seconds * MOTION_FRAME_RATE) + 1, rate / MOTION_FRAME_RATE)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
