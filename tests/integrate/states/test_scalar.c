// What the contact forces of a step's stages do, by the recipes alone.
// SPDX-License-Identifier: MIT
#include "integrate/states/scalar.h"

#include <float.h>
#include <math.h>

#include "pbs/integrator.h"
#include "support/testing.h"

static uint32_t shares_of(const struct scheme_table *scheme, double h, double h_before,
                          bool finds_start, struct contact_shares *out,
                          double recipe_share[SCHEME_STAGE_LIMIT]) {
    double parameters[SCHEME_PARAMETERS];
    for (int i = 0; i < SCHEME_PARAMETERS; i++) {
        parameters[i] = scheme->parameters[i].value;
    }
    const struct step_view view = {.h = h,
                                   .h_before = h_before,
                                   .known = scheme->history,
                                   .parameters = parameters,
                                   .start = scheme->start};
    const uint32_t count = scheme->stage_count(&view);
    *out = contact_shares(scheme, &view, count, finds_start);
    for (uint32_t i = 0; i < count; i++) {
        struct stage_recipe recipe = {.share = 1.0};
        scheme->stage(&view, i, &recipe);
        recipe_share[i] = recipe.share;
    }
    return count;
}

/// A handful of sums and quotients of numbers below 10.
static const double ROUNDING = 64.0 * DBL_EPSILON;

/// Where stages share a step, they share all of it; energy control counts their forces in the same
/// parts, but for blending, which moves with implicit Euler's contact forces and counts the losses
/// of the midpoint.
static void stages_share_the_whole_step(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        struct contact_shares shares;
        double energy[SCHEME_STAGE_LIMIT], sum = 0.0;
        const uint32_t count = shares_of(scheme, 0.02, 0.03, false, &shares, energy);
        for (uint32_t k = 0; k < count; k++) {
            sum += shares.stage[k];
            const double other = scheme->id == PBS_SCHEME_ENERGY_BLENDING ? 1.0 - energy[k]
                                                                          : energy[k];
            if (scheme->control != CONTROL_NONE) {
                assert_near(shares.stage[k], other, ROUNDING, scheme->name);
            }
        }
        assert_near(sum, count > 0 ? 1.0 : 0.0, ROUNDING, scheme->name);
    }
}

/// The weights of the methods' tableaus: SDIRK2 has 1 - g and g, g = 1 - sqrt(1/2); TR-BDF2 has w,
/// w and g, w = sqrt(2) / 4, where the first is of a_n, the last stage of the step before.
static void shares_are_the_weights_of_the_method(void **state) {
    (void)state;
    const struct {
        int32_t scheme;
        double first;
    } rows[] = {{PBS_SCHEME_SDIRK2, sqrt(0.5)}, {PBS_SCHEME_TR_BDF2, sqrt(2.0) / 4.0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct scheme_table *scheme = scheme_find(rows[i].scheme);
        struct contact_shares shares;
        double energy[SCHEME_STAGE_LIMIT];
        assert_int_equal(shares_of(scheme, 0.02, 0.03, false, &shares, energy), 2);
        assert_near(shares.stage[0], rows[i].first, ROUNDING, scheme->name);
    }
}

/// Where a_n is found anew, it has the weight of the method's tableau and the stages have theirs.
static void accelerations_that_are_found_have_their_share(void **state) {
    (void)state;
    const double g = 2.0 - sqrt(2.0), w = sqrt(2.0) / 4.0;
    const struct {
        int32_t scheme;
        uint32_t count;
        double start, stage[2];
    } rows[] = {{PBS_SCHEME_TR_BDF2, 2, w, {w, 0.5 * g}},
                {PBS_SCHEME_TRAPEZOIDAL, 1, 0.5, {0.5}},
                {PBS_SCHEME_NEWMARK, 1, 0.5, {0.5}}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct scheme_table *scheme = scheme_find(rows[i].scheme);
        struct contact_shares shares;
        double energy[SCHEME_STAGE_LIMIT];
        assert_true(scheme->keeps_impacts);
        assert_int_equal(shares_of(scheme, 0.02, 0.03, true, &shares, energy), rows[i].count);
        assert_near(shares.start, rows[i].start, ROUNDING, scheme->name);
        for (uint32_t k = 0; k < rows[i].count; k++) {
            assert_near(shares.stage[k], rows[i].stage[k], ROUNDING, scheme->name);
        }
    }
}

/// BDF2 at the ratio om = h / h_before takes om^2 / (1 + 2 om) of the last change of velocity
/// along, which goes on for ever: a force f needs impulses f (h - h_before om^2 / (1 + 2 om)) to
/// keep.
static void friction_of_two_step_schemes_is_shorter(void **state) {
    (void)state;
    const struct scheme_table *scheme = scheme_find(PBS_SCHEME_BDF2);
    const double ratios[] = {0.25, 1.0, 2.0};
    for (size_t i = 0; i < COUNT_OF(ratios); i++) {
        const double om = ratios[i], h = 0.02, h_before = h / om;
        struct contact_shares shares;
        double energy[SCHEME_STAGE_LIMIT];
        shares_of(scheme, h, h_before, false, &shares, energy);
        assert_near(shares.friction_time, h - h_before * om * om / (1.0 + 2.0 * om), ROUNDING * h,
                    "friction");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_share_the_whole_step),
        cmocka_unit_test(shares_are_the_weights_of_the_method),
        cmocka_unit_test(accelerations_that_are_found_have_their_share),
        cmocka_unit_test(friction_of_two_step_schemes_is_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
