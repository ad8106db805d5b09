// Notched beams of concrete whose bonds soften, by quasi-static steps: the loads that they bear are
// between those of the measured curves.
#include "scenes/concrete_beam.h"
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
