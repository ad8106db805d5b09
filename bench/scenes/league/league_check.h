// Looks for crossings in a random world without the contact code: edges against triangles by exact
// tests (contact/surface_check.h), vertices and spheres of particles against colliders, each other
// and the triangles of bodies by distances, and points inside closed surfaces by winding numbers.
// Needs the library's internal functions.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LEAGUE_CHECK_H
#define PBS_BENCH_LEAGUE_CHECK_H

#include "scenes/contact/surface_check.h"
#include "scenes/league/league.h"

struct league_findings {
    size_t crossings; ///< edges that meet triangles, points inside of what is solid, spheres that
                      ///< overlap; of two bodies whose joint lets them overlap none counts
    bool finite;      ///< all positions and velocities are
    char first[64];   ///< what the first crossing is of, without blanks
};

struct league_checker {
    struct surface_check surfaces;
};

void league_checker_init(struct league_checker *checker);
void league_checker_free(struct league_checker *checker);

/// With PBS_CONTACT_PROJECTION, which keeps vertices out of colliders to a tolerance only and
/// bodies not out of each other, there are no crossings to count.
pbs_status league_check(struct league_checker *checker, const struct league *league,
                        struct league_findings *out);

#endif
