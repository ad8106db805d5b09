// Specimens of bonded tetrahedra in a testing machine, beside what theory says of them. Lines
//     bench fracture_cases case=disc cell_mm=... seed=... particles=... load=... tension=...
//     pressure=... seconds=...
//         stresses in the middle of a disc pressed between two lines over the exact 2 P / (pi D t)
//         and -6 P / (pi D t); both less by 4 <z^2> / R^2 as the load is spread (Hondros 1959)
//     bench fracture_cases case=beam cell_mm=... seed=... particles=... opening_mm_per_kn=...
//     exact=... crack_mm_per_kn=... exact=... kinetic=... seconds=...
//         the half-notched beam before it breaks: opening over load, what the notch adds to the
//         deflection over load, both by linear elastic fracture mechanics, and kinetic over elastic
//         energy
// --small: one packing of coarse cells each, a second in all.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "common/command_line.h"
#include "scenes/bonded_specimen.h"

struct settings {
    const char *name;
    bool small;
    int64_t seeds;
};

static const double PI = 3.14159265358979323846;

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, pbs_last_error());
    exit(1);
}

// --- the disc ---

static void run_disc(double cell, uint64_t seed) {
    const struct specimen_material rock = {.young = 50e9, .poisson = 0.2, .density = 2400.0};
    static const double centre[3] = {0.0, 0.0, 0.0};
    struct specimen s;
    double stress[9];
    const double start = clock_seconds();
    if (!specimen_disc(&rock, cell, seed, &s) || specimen_push(&s, 1e-6) != PBS_OK ||
        specimen_stress(&s, centre, 1, 0.0045, stress) != PBS_OK) {
        fail("disc");
    }
    const double unit = 2.0 * s.load / (PI * 0.05 * s.thickness);
    printf("bench fracture_cases case=disc cell_mm=%g seed=%llu particles=%zu load=%.1f "
           "tension=%.4f pressure=%.4f seconds=%.2f\n",
           1e3 * cell, (unsigned long long)seed, s.count, s.load, stress[8] / unit,
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
           "opening_mm_per_kn=%.5f exact=%.5f crack_mm_per_kn=%.5f exact=%.5f kinetic=%.1e "
           "seconds=%.2f\n",
           1e3 * cell, (unsigned long long)seed, count, 1e6 * opening,
           1e6 * specimen_exact_opening(concrete.young), 1e6 * (notched - whole),
           1e6 * specimen_exact_crack_compliance(concrete.young), kinetic, clock_seconds() - start);
    fflush(stdout);
}

int main(int argc, char **argv) {
    struct settings s = {.name = "all", .seeds = 3};
    int exit_status = 0;
    const struct command_option options[] = {
        {"case", COMMAND_TEXT, &s.name, "NAME", "disc, beam or all"},
        {"seeds", COMMAND_COUNT, &s.seeds, "N", "packings of each size"},
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
            run_disc(disc_cells[i], seed);
        }
        for (int i = 0; i < (s.small ? 1 : 3) && (all || strcmp(s.name, "beam") == 0); i++) {
            run_beam(beam_cells[i], seed);
        }
    }
    return 0;
}
