// The table of docs/theory/schemes.md section 3: what every scheme's error is on three oscillators,
// x'' = f(x) from x = 1, v = 0.3, at t = 5. Whoever drives schemes, a world or a system, runs over
// it.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_SCHEME_ROWS_H
#define PBS_SUPPORT_SCHEME_ROWS_H

#include "pbs/pbs.h"

enum oscillator {
    OSCILLATOR_LINEAR,   ///< f = -x
    OSCILLATOR_PENDULUM, ///< f = -sin x
    OSCILLATOR_CUBIC,    ///< f = -(x + x^3)
    OSCILLATOR_COUNT
};

struct scheme_row {
    int32_t scheme;
    int32_t start;                   ///< PBS_START_*, or -1: the scheme's own
    double parameters[2];            ///< where the scheme has any
    double errors[OSCILLATOR_COUNT]; ///< max(|dx|, |dv|) with 200 equal steps
    double slopes[OSCILLATOR_COUNT]; ///< from 400 to 800 steps; 0: none is promised
};

extern const struct scheme_row scheme_rows[];
extern const size_t scheme_row_count;

/// -dP/dx = f; df/dx; P.
double oscillator_force(enum oscillator problem, double x);
double oscillator_slope(enum oscillator problem, double x);
double oscillator_potential(enum oscillator problem, double x);

/// x and v at t = 5.
extern const double oscillator_exact[OSCILLATOR_COUNT][2];

/// Forces alone are not enough: alpha follows an energy.
bool scheme_row_needs_energy(const struct scheme_row *row);

/// The row's integrator, to be destroyed by the caller.
pbs_integrator *scheme_row_integrator(const struct scheme_row *row);

/// Checks error_of(integrator, problem, steps), max(|dx|, |dv|) at t = 5, against a row: within 1 %
/// of the table, slopes within 0.1 of 1 (0.15 on the cubic problem) or 0.03 of 2, as section 1.3
/// asks.
void assert_scheme_row(const struct scheme_row *row,
                       double (*error_of)(pbs_integrator *integrator, enum oscillator problem,
                                          int steps));

#endif
