// Notched concrete beams with softening bonds, loaded until almost broken through and compared with
// experiments (scenes/fracture/concrete_beam.h). Prints lines
//     bench concrete_beams point=NAME spacing_mm=... step=... cmod_mm=... load_N=...
//     bench concrete_beams case=NAME spacing_mm=... particles=... bonds=... steps=... newton=...
//     seconds=... peak_N=... peak_mm=... at_0.05_N=... at_0.1_N=... inside=...
//         number of load steps and iterations; the peak load, its opening, and the loads at two
//         later openings; inside: whether these three loads are within the measured bounds
// --figures DIRECTORY: writes the points to tables there instead of printing them. --small: one
// spacing per beam.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "common/program/command_line.h"
#include "scenes/fracture/concrete_beam.h"

struct settings {
    const char *name, *figures;
    double spacing, knee, initial; ///< mm; 0: default
    bool small;
};

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, pbs_last_error());
    exit(1);
}

enum { STEP_LIMIT = 500 };

/// Peak and last point of the load curve.
struct record {
    struct beam_state peak, before;
    double at[BEAM_BOUNDS];
    int steps;
    uint64_t newton;
};

static void note(const struct concrete_beam_case *of, const struct beam_state *state,
                 struct record *r) {
    for (size_t i = 0; i < BEAM_BOUNDS; i++) {
        const double opening = 1e-3 * of->after[i].opening;
        if (r->before.opening < opening && state->opening >= opening) {
            const double share = (opening - r->before.opening) /
                                 (state->opening - r->before.opening);
            r->at[i] = r->before.load + share * (state->load - r->before.load);
        }
    }
    r->peak = state->load > r->peak.load ? *state : r->peak;
    r->before = *state;
    r->steps++;
}

static bool is_inside(const struct beam_bounds *bounds, double load) {
    return load >= bounds->least && load <= bounds->most;
}

static void report(const struct concrete_beam *beam, double spacing, const struct record *r,
                   double seconds) {
    const struct concrete_beam_case *of = beam->of;
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    bool inside = is_inside(&of->peak, r->peak.load);
    if (pbs_body_bonds(beam->world, beam->body, &pairs, &bonds) < 0) {
        fail("bonds");
    }
    printf("bench concrete_beams case=%s spacing_mm=%g particles=%zu bonds=%zu steps=%d "
           "newton=%llu seconds=%.2f peak_N=%.1f peak_mm=%.4f",
           of->name, 1e3 * spacing, beam->columns * beam->rows, bonds, r->steps,
           (unsigned long long)r->newton, seconds, r->peak.load, 1e3 * r->peak.opening);
    for (size_t i = 0; i < BEAM_BOUNDS; i++) {
        printf(" at_%g_N=%.1f", of->after[i].opening, r->at[i]);
        inside = inside && is_inside(&of->after[i], r->at[i]);
    }
    printf(" inside=%d\n", inside);
    fflush(stdout);
}

/// Opens the output for points.
static FILE *open_points(const struct concrete_beam_case *of, double spacing, const char *figures) {
    char path[4096];
    if (figures == NULL) {
        return stdout;
    }
    (void)snprintf(path, sizeof path, "%s/concrete_%s_%g.csv", figures, of->name, 1e3 * spacing);
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        fail(path);
    }
    fprintf(out, "cmod_mm,load_N\n0,0\n");
    return out;
}

static void bend(struct concrete_beam *beam, double spacing, const char *figures,
                 struct record *r) {
    const struct concrete_beam_case *of = beam->of;
    struct beam_state state = {0.0, 0.0};
    pbs_stats stats = {.struct_size = sizeof stats};
    FILE *points = open_points(of, spacing, figures);
    while (state.opening < of->last && r->steps < STEP_LIMIT) {
        if (concrete_beam_push(beam, &state) < 0 || pbs_world_stats(beam->world, &stats) < 0) {
            fail(of->name);
        }
        r->newton += stats.newton.iterations;
        note(of, &state, r);
        if (figures != NULL) {
            fprintf(points, "%.5f,%.2f\n", 1e3 * state.opening, state.load);
        } else {
            printf("bench concrete_beams point=%s spacing_mm=%g step=%d cmod_mm=%.5f "
                   "load_N=%.2f\n",
                   of->name, 1e3 * spacing, r->steps, 1e3 * state.opening, state.load);
        }
    }
    if (points != stdout) {
        (void)fclose(points);
    }
}

static void run(const struct concrete_beam_case *of, double spacing, const struct settings *s) {
    struct concrete_beam beam;
    struct record r = {.steps = 0};
    pbs_peridynamic_desc d;
    if (pbs_peridynamic_desc_init(&d, sizeof d) < 0) {
        fail("peridynamics");
    }
    d.softening_knee = s->knee;
    d.softening_initial = s->initial;
    if (!concrete_beam_make(of, spacing, 1, &d, &beam)) {
        fail(of->name);
    }
    const double start = clock_seconds();
    bend(&beam, spacing, s->figures, &r);
    report(&beam, spacing, &r, clock_seconds() - start);
    concrete_beam_free(&beam);
}

int main(int argc, char **argv) {
    struct settings s = {.name = "all"};
    int exit_status = 0;
    const struct command_option options[] = {
        {"case", COMMAND_TEXT, &s.name, "NAME", "half_notched, offset_notch or all"},
        {"spacing", COMMAND_NUMBER, &s.spacing, "MM", "of particles; 0: two"},
        {"knee", COMMAND_NUMBER, &s.knee, "R", "softening_knee; 0: as it is"},
        {"initial", COMMAND_NUMBER, &s.initial, "F", "softening_initial; 0: the case's"},
        {"figures", COMMAND_TEXT, &s.figures, "DIRECTORY", "where tables of the points go"},
        {"small", COMMAND_FLAG, &s.small, NULL, "one coarse spacing each"},
    };
    if (!command_line_or_exit(argc, argv, "Beams of concrete in bending.", options,
                              sizeof options / sizeof *options, &exit_status)) {
        return exit_status;
    }
    // With these spacings the notch lies between two columns of particles.
    static const double spacings[CONCRETE_BEAMS][2] = {{0.003125, 0.0025}, {0.005, 0.0025}};
    for (size_t i = 0; i < CONCRETE_BEAMS; i++) {
        const struct concrete_beam_case *of = &concrete_beam_cases[i];
        const bool wanted = strcmp(s.name, "all") == 0 || strcmp(s.name, of->name) == 0;
        for (size_t k = 0; k < (s.small || s.spacing > 0.0 ? 1 : 2) && wanted; k++) {
            run(of, s.spacing > 0.0 ? 1e-3 * s.spacing : spacings[i][k], &s);
        }
    }
    return 0;
}
