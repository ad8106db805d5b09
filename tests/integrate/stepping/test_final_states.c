// Schemes against prototypes that were written independently: final states to many more digits than
// their errors have.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

#include "integrate/final_states.h"

/// A stage leaves a force below the tolerance, which moves v by less than the tolerance times the
/// time, and x with it; what a deviation becomes on the stiffest of these orbits is less than ten
/// times as much.
static void final_states_are_those_of_the_prototypes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(final_states); i++) {
        const struct final_state *f = &final_states[i];
        const struct scheme_row row = {
            f->scheme, f->start, {f->parameters[0], f->parameters[1]}, {0}, {0}};
        pbs_integrator *integrator = scheme_row_integrator(&row);
        for (int k = 0; k < OSCILLATOR_COUNT * FINAL_COUNTS; k++) {
            const int problem = k / FINAL_COUNTS, n = final_counts[k % FINAL_COUNTS];
            struct oscillation o = oscillation_of((enum oscillator)problem);
            o.tolerance = 2e-11;
            pbs_world *world = oscillator_world(integrator, &o);
            for (int step = 0; step < n; step++) {
                assert_ok(pbs_world_step(world, 5.0 / n));
            }
            char what[64];
            snprintf(what, sizeof what, "scheme %d, problem %c, %d steps", (int)f->scheme,
                     'a' + problem, n);
            assert_small(oscillator_error(world, f->state[problem][k % FINAL_COUNTS]),
                         10.0 * 5.0 * o.tolerance, what);
            pbs_world_destroy(world);
        }
        pbs_integrator_destroy(integrator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(final_states_are_those_of_the_prototypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
