// Specimens of bonded tetrahedra in a testing machine, compared with theory and experiments. Prints
// lines
//     bench fracture_cases case=disc cell_mm=... seed=... turn=... particles=... load=...
//     tension=... pressure=... seconds=...
//         stresses in the middle of a disc compressed between two lines, relative to the exact 2 P
//         / (pi D t) and -6 P / (pi D t), each reduced by 4 <z^2> / R^2 because the load is
//         distributed (Hondros 1959)
//     bench fracture_cases case=beam cell_mm=... seed=... particles=... whole_mm_per_kn=...
//     timoshenko=... opening_mm_per_kn=... exact=... crack_mm_per_kn=... exact=... kinetic=...
//     seconds=...
//         the half-notched beam before it breaks: deflection over load without the notch, with the
//         value of Timoshenko's beam, which has no local indentation; opening over load, and
//         additional deflection over load due to the notch, each with the value of linear elastic
//         fracture mechanics; kinetic over elastic energy
//     bench fracture_cases case=break strength=... cell_mm=... seed=... particles=... first=...
//     peak=... peak_opening_mm=... at_50=... at_100=... broken=... released=... steps=...
//     seconds=...
//         the same beam until it is broken through: loads in N at the first break, at the peak, and
//         at openings of 0.05 and 0.1 mm (0: broken through before); energy of broken bonds in J
//         per square metre of the plane above the notch. The beams of Gregoire et al. have 933 to
//         1114 N at 0.018 to 0.023 mm, then 637 to 896 N and 383 to 644 N
// --small: one coarse mesh per case; takes seconds in all.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "common/program/command_line.h"
#include "scenes/fracture/bonded_specimen.h"

struct settings {
    const char *name;
    bool small;
    double cell; ///< mm, cell size of the breaking beam; 0: two sizes
    int64_t seeds;
};

static const double PI = 3.14159265358979323846;

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, pbs_last_error());
    exit(1);
}

// --- the disc ---

static void run_disc(double cell, uint64_t seed, double turn) {
    const struct specimen_material rock = {.young = 50e9, .poisson = 0.2, .density = 2400.0};
    static const double centre[3] = {0.0, 0.0, 0.0};
    struct specimen s;
    double stress[9];
    const double start = clock_seconds();
    if (!specimen_disc(&rock, cell, seed, turn, &s) || specimen_push(&s, 1e-6) != PBS_OK ||
        specimen_stress(&s, centre, 1, 0.0045, stress) != PBS_OK) {
        fail("disc");
    }
    const double unit = 2.0 * s.load / (PI * 0.05 * s.thickness);
    printf("bench fracture_cases case=disc cell_mm=%g seed=%llu turn=%.3f particles=%zu "
           "load=%.1f tension=%.4f pressure=%.4f seconds=%.2f\n",
           1e3 * cell, (unsigned long long)seed, turn, s.count, s.load, stress[8] / unit,
           stress[0] / (-3.0 * unit), clock_seconds() - start);
    fflush(stdout);
    specimen_free(&s);
}

// --- the beam ---

static const struct specimen_material concrete = {.young = 37e9, .poisson = 0.2, .density = 2346.0};

static double elastic_beam(double cell, uint64_t seed, bool notch, double *opening, double *kinetic,
                           size_t *count) {
    struct specimen s;
    pbs_energy energy = {.struct_size = sizeof energy};
    if (!specimen_beam(&concrete, 1.0, cell, seed, notch, &s) ||
        specimen_push(&s, 1e-6) != PBS_OK || pbs_world_energy(s.world, &energy) != PBS_OK) {
        fail("beam");
    }
    const double compliance = s.push / s.load;
    *opening = specimen_opening(&s) / s.load;
    *kinetic = energy.kinetic / energy.elastic;
    *count = s.count;
    specimen_free(&s);
    return compliance;
}

static void run_beam(double cell, uint64_t seed) {
    double opening, kinetic;
    size_t count;
    const double start = clock_seconds();
    const double whole = elastic_beam(cell, seed, false, &opening, &kinetic, &count);
    const double notched = elastic_beam(cell, seed, true, &opening, &kinetic, &count);
    printf("bench fracture_cases case=beam cell_mm=%g seed=%llu particles=%zu "
           "whole_mm_per_kn=%.5f timoshenko=%.5f opening_mm_per_kn=%.5f exact=%.5f "
           "crack_mm_per_kn=%.5f exact=%.5f kinetic=%.1e seconds=%.2f\n",
           1e3 * cell, (unsigned long long)seed, count, 1e6 * whole,
           1e6 * specimen_timoshenko_compliance(&concrete), 1e6 * opening,
           1e6 * specimen_exact_opening(concrete.young), 1e6 * (notched - whole),
           1e6 * specimen_exact_crack_compliance(concrete.young, 0.025), kinetic,
           clock_seconds() - start);
    fflush(stdout);
}

// --- the beam until it breaks ---

/// Strengths of bonds: from the material's tensile strength, from its fracture energy, and randomly
/// scattered ones whose mean is fitted to the measured peak load.
static const struct strength {
    const char *name;
    double tensile, shear, fracture_energy, weibull_modulus;
    double increment; ///< m, increment of the push per step; 0: push until the next bond breaks,
                      ///< then hold while bonds break
} strengths[] = {{"tensile", 3.9e6, 3.9e6, 0.0, 0.0, 0.0},
                 {"energy", 0.0, 0.0, 143.2, 0.0, 0.0},
                 {"scattered", 12e6, 24e6, 0.0, 1.0, 6e-7}};

struct record {
    double first, peak, peak_opening, at[2], released;
    double opening, load; ///< state of the preceding step
    size_t broken;
    int steps;
};

/// Records the load at which the opening first reached 0.05 and 0.1 mm, interpolated between two
/// steps.
static void add_to_record(struct record *r, const struct specimen *s) {
    const double opening = specimen_opening(s);
    r->steps++;
    r->broken += s->broke;
    r->released += s->released;
    if (s->load > r->peak) {
        r->peak = s->load;
        r->peak_opening = opening;
    }
    for (int i = 0; i < 2; i++) {
        const double mark = 0.5e-4 * (i + 1);
        if (r->opening < mark && opening >= mark) {
            r->at[i] = r->load + (s->load - r->load) * (mark - r->opening) / (opening - r->opening);
        }
    }
    if (opening > r->opening) {
        r->opening = opening;
        r->load = s->load;
    }
}

enum { STEP_LIMIT = 500 };

/// Breaks the beam. The response is linear until the first bond breaks; then the push proceeds by
/// increments or from break to break.
static void break_beam(struct specimen *s, double increment, struct record *r) {
    double push = 1e-8;
    double utilisation = 0.0;
    *r = (struct record){.steps = 1};
    if (specimen_push(s, push) != PBS_OK || specimen_utilisation(s, &utilisation) != PBS_OK) {
        fail("push");
    }
    r->first = s->load / utilisation;
    push *= (1.0 + 1e-4) / utilisation;
    while (r->steps < STEP_LIMIT && r->opening < 1.2e-4) {
        if (specimen_push(s, push) != PBS_OK || specimen_utilisation(s, &utilisation) != PBS_OK) {
            fail("push");
        }
        add_to_record(r, s);
        if (s->load < 0.01 * r->peak) {
            break;
        }
        if (increment > 0.0) {
            push += increment;
        } else if (s->broke == 0) {
            push *= fmax(1.0, 1.0 / utilisation) * (1.0 + 1e-4);
        }
    }
}

static void run_break(const struct strength *row, double cell, uint64_t seed) {
    struct specimen_material m = concrete;
    struct specimen s;
    struct record r;
    const double start = clock_seconds();
    m.tensile_strength = row->tensile;
    m.shear_strength = row->shear;
    m.fracture_energy = row->fracture_energy;
    m.weibull_modulus = row->weibull_modulus;
    if (!specimen_beam(&m, 1.0, cell, seed, true, &s)) {
        fail("beam");
    }
    break_beam(&s, row->increment, &r);
    printf("bench fracture_cases case=break strength=%s cell_mm=%g seed=%llu particles=%zu "
           "first=%.0f peak=%.0f peak_opening_mm=%.4f at_50=%.0f at_100=%.0f broken=%zu "
           "released=%.1f steps=%d seconds=%.1f\n",
           row->name, 1e3 * cell, (unsigned long long)seed, s.count, r.first, r.peak,
           1e3 * r.peak_opening, r.at[0], r.at[1], r.broken, r.released / 0.00125, r.steps,
           clock_seconds() - start);
    fflush(stdout);
    specimen_free(&s);
}

int main(int argc, char **argv) {
    struct settings s = {.name = "all", .seeds = 3};
    int exit_status = 0;
    const struct command_option options[] = {
        {"case", COMMAND_TEXT, &s.name, "NAME", "disc, beam, break or all"},
        {"seeds", COMMAND_COUNT, &s.seeds, "N", "packings of each size"},
        {"cell", COMMAND_NUMBER, &s.cell, "MM", "of the beam that breaks; 0: 12.5 and 8.33"},
        {"small", COMMAND_FLAG, &s.small, NULL, "one packing of coarse cells"},
    };
    if (!command_line_or_exit(argc, argv, "Specimens of bonded tetrahedra.", options,
                              sizeof options / sizeof *options, &exit_status)) {
        return exit_status;
    }
    static const double disc_cells[2] = {0.004, 0.0025};
    static const double beam_cells[3] = {0.0125, 0.025 / 3.0, 0.00625};
    const uint64_t seeds = s.small ? 1 : (uint64_t)s.seeds;
    const bool all = strcmp(s.name, "all") == 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        for (int i = 0; i < (s.small ? 1 : 2) && (all || strcmp(s.name, "disc") == 0); i++) {
            run_disc(disc_cells[i], seed, 0.0);
            run_disc(disc_cells[i], seed, PI / 4.0);
        }
        for (int i = 0; i < (s.small ? 1 : 3) && (all || strcmp(s.name, "beam") == 0); i++) {
            run_beam(beam_cells[i], seed);
        }
        for (int i = 0; i < (s.small ? 1 : 6) && (all || strcmp(s.name, "break") == 0); i++) {
            if (s.cell <= 0.0) {
                run_break(&strengths[i / 2], beam_cells[i % 2], seed);
            } else if (i % 2 == 0) {
                run_break(&strengths[i / 2], 1e-3 * s.cell, seed);
            }
        }
    }
    return 0;
}
