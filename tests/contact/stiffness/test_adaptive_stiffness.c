// The stiffness that barriers choose for themselves, against what the IPC reference code wrote for
// its own scenes.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "contact/stiffness/adaptive_stiffness.h"
#include "support/testing.h"

/// Diagonal, contact distance, mean mass of the vertices that move, and the stiffness that the
/// reference code suggests: 2cubesFall, 2matsFall, cubeStack, dolphinFunnel, masonryArch,
/// mat40Twist, rodsTwist, sphereRollers. Its energies are those of ours times h^2, so h is 1 here.
static const struct {
    double diagonal, reach, mass, stiffness;
} scenes[] = {
    {3.3166247903553998, 0.0033166247903553998, 124.99999999999997, 28409090.903409086},
    {1.1187022682470369, 0.0011187022682470368, 0.00030785898728431555, 614.98257091673975},
    {1.038621778022595, 0.0010386217780225951, 0.9763789407591368, 2262786.4154490037},
    {1.3037169651037837, 0.0013037169651037837, 0.0022413888147083992, 3296.7846160163144},
    {23.842726499431585, 1.1921363249715792e-06, 1693.856363029554, 1.0979808063641063e+24},
    {1.4142361896090767, 0.0014142361896090768, 0.0024999999999999927, 3124.9000025752107},
    {1.0560303135043063, 0.0010560303135043064, 0.0019047622805042688, 4270.0014364485714},
    {1.7277253641612689, 0.0017277253641612689, 0.29458919012361706, 246721.72736792755},
};

static struct stiffness_situation situation_of(size_t scene) {
    return (struct stiffness_situation){
        .barrier = {.form = BARRIER_SQUARED, .stiffness = 1e-30, .reach = scenes[scene].reach},
        .mean_mass = scenes[scene].mass,
        .step = 1.0,
        .least_gap = INFINITY};
}

/// To the digits that two ways of summing the masses agree in.
static void the_least_is_that_of_the_reference_code(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(scenes); i++) {
        const double expected = scenes[i].stiffness;
        struct stiffness_situation s = situation_of(i);
        assert_near(least_adaptive_stiffness(&s, scenes[i].diagonal), expected, 1e-12 * expected,
                    "least stiffness, J/m^4");
        // Energies over h^2.
        s.step = 1.0 / 50.0;
        assert_near(least_adaptive_stiffness(&s, scenes[i].diagonal), 2500.0 * expected,
                    2500.0 * 1e-12 * expected, "least stiffness, J/m^4");
    }
}

/// Of the plain distance d, in y = d / r, k = 1 and s = d^2: 4 s b''(s) = b''(d) - b'(d) / d, which
/// is 2 / y^2 - 2 ln(y) / y and what is smaller by y.
static void the_least_of_plain_distances(void **state) {
    (void)state;
    const struct stiffness_situation s = {
        .barrier = {.form = BARRIER_DISTANCE, .stiffness = 1e5, .reach = 1e-3},
        .mean_mass = 0.01,
        .step = 1.0 / 120.0};
    const double y = 1e-8 * 0.5 / 1e-3;
    const double expected = 1e11 * 0.01 * 14400.0 / (2.0 / (y * y) - 2.0 * log(y) / y);
    assert_near(least_adaptive_stiffness(&s, 0.5), expected, y * expected, "least stiffness, N/m");
    // At 1e-8 of such a diagonal there is no barrier.
    assert_true(isinf(least_adaptive_stiffness(&s, 1e6)));
}

/// What carries the forces counts, within a hundred times the least, and above the host's.
static void forces_are_balanced_within_a_range(void **state) {
    (void)state;
    struct stiffness_situation s = situation_of(0);
    struct adaptive_barrier adaptive = {.diagonal = scenes[0].diagonal};
    const double least = least_adaptive_stiffness(&s, adaptive.diagonal);
    s.balance = 0.5 * least;
    assert_true(adapt_stiffness(&s, &adaptive) == least);
    s.balance = 7.0 * least;
    assert_true(adapt_stiffness(&s, &adaptive) == 7.0 * least);
    s.balance = 1e3 * least;
    assert_true(adapt_stiffness(&s, &adaptive) == 100.0 * least);
    s.barrier.stiffness = 200.0 * least;
    assert_true(adapt_stiffness(&s, &adaptive) == 200.0 * least);
    // Forces that pull apart ask for nothing.
    s.barrier.stiffness = 1.0;
    s.balance = -least;
    assert_true(adapt_stiffness(&s, &adaptive) == least);
}

/// Gaps below 1e-9 of the diagonal double the stiffness as long as they shrink.
static void dangerous_gaps_double_it(void **state) {
    (void)state;
    struct stiffness_situation s = situation_of(0);
    struct adaptive_barrier adaptive = {.diagonal = scenes[0].diagonal};
    const double least = least_adaptive_stiffness(&s, adaptive.diagonal);
    const struct {
        double gap, times; ///< of the diagonal, and of the least stiffness then
    } steps[] = {{1e-6, 1},    {0.5e-9, 1},   {0.4e-9, 2},   {0.3e-9, 4},
                 {0.35e-9, 1}, {0.3e-9, 2},   {2e-9, 1},     {1.5e-9, 1},
                 {0.5e-9, 1},  {0.4e-9, 2},   {0.3e-9, 4},   {0.2e-9, 8},
                 {0.1e-9, 16}, {0.05e-9, 32}, {0.04e-9, 64}, {0.03e-9, 100}};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        s.least_gap = steps[i].gap * adaptive.diagonal;
        assert_near(adapt_stiffness(&s, &adaptive) / least, steps[i].times, 0.0, "times the least");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_is_that_of_the_reference_code),
        cmocka_unit_test(the_least_of_plain_distances),
        cmocka_unit_test(forces_are_balanced_within_a_range),
        cmocka_unit_test(dangerous_gaps_double_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
