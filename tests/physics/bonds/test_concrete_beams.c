// Notched beams of concrete whose bonds soften, by quasi-static steps: the loads that they bear are
// between those of the measured curves.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/concrete_beam.h"
#include "support/world_testing.h"

/// Particles of 5 mm where a notch is between two columns of them, otherwise of 3.125 mm.
static const double SPACINGS[CONCRETE_BEAMS] = {0.003125, 0.005};

static double at_opening(const struct beam_state *before, const struct beam_state *after,
                         double opening) {
    const double share = (opening - before->opening) / (after->opening - before->opening);
    return before->load + share * (after->load - before->load);
}

static void check_bounds(const struct beam_bounds *bounds, double load) {
    if (load < bounds->least || load > bounds->most) {
        fail_msg("%g N at %g mm, measured were %g to %g", load, bounds->opening, bounds->least,
                 bounds->most);
    }
}

/// m: the middle of what is damaged most in a row of particles.
static double crack_at(const struct concrete_beam *beam, double spacing, size_t row) {
    const float *damage = pbs_body_damage(beam->world, beam->body) + row * beam->columns;
    double sum = 0.0, moment = 0.0;
    for (size_t i = 0; i < beam->columns; i++) {
        const double weight = pow(damage[i], 4.0);
        sum += weight;
        moment += weight * spacing * ((double)i + 0.5);
    }
    return moment / sum;
}

/// From the notch to under the load, or, where that is aside, towards it and less and less so.
static void check_crack(const struct concrete_beam *beam, double spacing) {
    const struct concrete_beam_case *of = beam->of;
    const size_t first = (size_t)(of->notch_depth / spacing), last = beam->rows * 3 / 4;
    const double way = of->load - of->notch;
    double before = crack_at(beam, spacing, first);
    assert_near(before, of->notch, spacing, "at the notch");
    for (size_t row = first + 1; row < last; row++) {
        const double now = crack_at(beam, spacing, row);
        assert_true(way > 0.0 ? now > before : fabs(now - of->load) < 1e-3 * spacing);
        before = now;
    }
    // Of 50 mm it has turned by 22 at three quarters of the height.
    assert_near(before, of->notch + 0.44 * way, 0.06 * way + 1e-3 * spacing, "under the load");
}

static void check_beam(const struct concrete_beam_case *of, double spacing) {
    struct concrete_beam beam;
    struct beam_state before = {0.0, 0.0};
    double peak = 0.0;
    int steps = 0;
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    assert_true(concrete_beam_make(of, spacing, 1, &d, &beam));
    while (before.opening < 1.01e-3 * of->after[BEAM_BOUNDS - 1].opening) {
        struct beam_state after;
        assert_ok(concrete_beam_push(&beam, &after));
        for (int i = 0; i < BEAM_BOUNDS; i++) {
            const double opening = 1e-3 * of->after[i].opening;
            if (before.opening < opening && after.opening >= opening) {
                check_bounds(&of->after[i], at_opening(&before, &after, opening));
            }
        }
        peak = fmax(peak, after.load);
        before = after;
        steps++;
    }
    check_bounds(&of->peak, peak);
    check_crack(&beam, spacing);
    // The goal is 500.
    assert_true(steps < 100);
    concrete_beam_free(&beam);
}

static void beams_bear_what_was_measured(void **state) {
    (void)state;
    for (int i = 0; i < CONCRETE_BEAMS; i++) {
        check_beam(&concrete_beam_cases[i], SPACINGS[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_bear_what_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
