// See scheme_rows.h.
// SPDX-License-Identifier: MIT
#include "support/schemes/scheme_rows.h"

#include "support/testing.h"

const double oscillator_exact[OSCILLATOR_COUNT][2] = {{-0.004015096936, 1.044022930302},
                                                      {-0.400573469282, 0.922534787676},
                                                      {1.004401176494, -0.268919396686}};

double oscillator_force(enum oscillator problem, double x) {
    const double forces[] = {-x, -sin(x), -(x + x * x * x)};
    return forces[problem];
}

double oscillator_slope(enum oscillator problem, double x) {
    const double slopes[] = {-1.0, -cos(x), -(1.0 + 3.0 * x * x)};
    return slopes[problem];
}

double oscillator_potential(enum oscillator problem, double x) {
    const double x2 = x * x, half = sin(0.5 * x);
    // 1 - cos x without its cancellation: noise in energies is what minimisers stop at.
    const double values[] = {0.5 * x2, 2.0 * half * half, 0.5 * x2 + 0.25 * x2 * x2};
    return values[problem];
}

#define ONCE                                                                                       \
    { 1.0, 1.0, 1.0 }
#define TWICE                                                                                      \
    { 2.0, 2.0, 2.0 }

const struct scheme_row scheme_rows[] = {
    {PBS_SCHEME_IMPLICIT_EULER, -1, {0}, {6.324e-2, 4.000e-2, 2.130e-1}, ONCE},
    {PBS_SCHEME_VARIATIONAL_RIGHT_POINT, -1, {0}, {6.324e-2, 4.000e-2, 2.130e-1}, ONCE},
    {PBS_SCHEME_BDF2, PBS_START_IMPLICIT_EULER, {0}, {1.076e-3, 5.855e-4, 8.230e-3}, TWICE},
    {PBS_SCHEME_BDF2, PBS_START_TRAPEZOIDAL, {0}, {1.080e-3, 7.609e-4, 3.825e-3}, TWICE},
    {PBS_SCHEME_TRAPEZOIDAL, -1, {0}, {2.719e-4, 1.944e-4, 9.260e-4}, TWICE},
    {PBS_SCHEME_NEWMARK, -1, {0.25, 0.5}, {2.719e-4, 1.944e-4, 9.260e-4}, TWICE},
    {PBS_SCHEME_NEWMARK, -1, {0.3025, 0.6}, {6.146e-3, 3.671e-3, 2.377e-2}, ONCE},
    {PBS_SCHEME_IMPLICIT_MIDPOINT, -1, {0}, {2.719e-4, 1.562e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_VARIATIONAL_MIDPOINT, -1, {0}, {2.719e-4, 1.562e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {1.0}, {2.719e-4, 1.562e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {0.9}, {2.751e-4, 1.586e-4, 1.593e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {0.6}, {3.439e-4, 2.096e-4, 1.806e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {0.0}, {1.417e-3, 9.869e-4, 5.289e-3}, TWICE},
    {PBS_SCHEME_INNER_THETA, -1, {0.7}, {2.577e-2, 1.657e-2, 9.511e-2}, ONCE},
    {PBS_SCHEME_OUTER_THETA, -1, {0.7}, {2.577e-2, 1.654e-2, 9.460e-2}, ONCE},
    {PBS_SCHEME_SECOND_ORDER_THETA,
     PBS_START_FIRST_ORDER_THETA,
     {0.07},
     {3.106e-4, 2.211e-4, 1.070e-3},
     TWICE},
    {PBS_SCHEME_SECOND_ORDER_THETA,
     PBS_START_TRAPEZOIDAL,
     {0.07},
     {3.106e-4, 2.219e-4, 1.062e-3},
     TWICE},
    {PBS_SCHEME_FIRST_ORDER_THETA, -1, {0.07}, {2.711e-4, 1.985e-4, 1.627e-3}, {0}},
    {PBS_SCHEME_SDIRK2, -1, {0}, {1.319e-4, 8.493e-5, 6.122e-4}, TWICE},
    {PBS_SCHEME_TR_BDF2, -1, {0}, {1.319e-4, 9.418e-5, 4.521e-4}, TWICE},
    {PBS_SCHEME_SYMPLECTIC_EULER, -1, {0}, {1.210e-2, 1.449e-2, 1.713e-2}, ONCE},
    {PBS_SCHEME_A_1, -1, {0}, {1.056e-2, 1.339e-2, 2.219e-2}, ONCE},
    {PBS_SCHEME_A_SEARCH, -1, {0}, {1.433e-2, 1.808e-2, 1.795e-2}, ONCE},
    {PBS_SCHEME_SPARSE_A_SEARCH, -1, {0}, {1.457e-2, 1.828e-2, 1.697e-2}, ONCE},
    {PBS_SCHEME_DECOUPLED_SDIRK2, -1, {0}, {1.319e-4, 8.496e-5, 6.074e-4}, TWICE},
    {PBS_SCHEME_ENERGY_BLENDING, -1, {0}, {2.719e-4, 1.499e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_VELOCITY_VERLET, -1, {1.0}, {1.135e-4, 7.983e-5, 3.529e-4}, TWICE},
};

const size_t scheme_row_count = COUNT_OF(scheme_rows);

bool scheme_row_needs_energy(const struct scheme_row *row) {
    return row->scheme >= PBS_SCHEME_A_SEARCH && row->scheme <= PBS_SCHEME_ENERGY_BLENDING;
}

pbs_integrator *scheme_row_integrator(const struct scheme_row *row) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, row->scheme));
    d.start = row->start >= 0 ? row->start : d.start;
    memcpy(d.parameters, row->parameters, sizeof row->parameters);
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

void assert_scheme_row(const struct scheme_row *row,
                       double (*error_of)(pbs_integrator *integrator, enum oscillator problem,
                                          int steps)) {
    pbs_integrator *integrator = scheme_row_integrator(row);
    for (int p = 0; p < OSCILLATOR_COUNT; p++) {
        char what[64];
        snprintf(what, sizeof what, "scheme %d on problem %c", (int)row->scheme, 'a' + p);
        assert_near(error_of(integrator, (enum oscillator)p, 200) / row->errors[p], 1.0, 0.01,
                    what);
        if (row->slopes[p] > 0.0) {
            const double slope = log2(error_of(integrator, (enum oscillator)p, 400) /
                                      error_of(integrator, (enum oscillator)p, 800));
            const double first = p == OSCILLATOR_CUBIC ? 0.15 : 0.1;
            assert_near(slope, row->slopes[p], row->slopes[p] == 2.0 ? 0.03 : first, what);
        }
    }
    pbs_integrator_destroy(integrator);
}
