// Steps that grow while barriers press: what the short steps before resolved of a hit may not go on
// in a long one as if it lasted that long.
#include "support/joint_testing.h"
#include "support/world_testing.h"

/// Returns the most energy, over that of before, of a box that hits the ground at 1 m/s by steps
/// of 1 / (240 shorter) s until barriers hold 3 % of the energy, and then by ones of 1/240 s.
static double most_energy(int32_t scheme, double shorter) {
    static const double sides[3] = {0.1, 0.1, 0.1}, at[3] = {0.0, 0.0515, 0.0};
    static const double down[3] = {0.0, -1.0, 0.0};
    const double step = 1.0 / 240.0;
    pbs_world_desc d;
    pbs_integrator_desc how;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    assert_ok(pbs_integrator_desc_init(&how, sizeof how, scheme));
    pbs_world *const world = new_world_from(&d);
    use_integrator(world, &how);
    add_ground(world);
    const pbs_body box = add_box(world, sides, 1.0, at, 1e7);
    assert_ok(pbs_body_set_motion(world, box, down, NULL));
    const double start = energy_of(world).total;
    for (int n = 0; energy_of(world).contact < 0.03 * start && n < 100; n++) {
        assert_ok(pbs_world_step(world, step / shorter));
    }
    double most = 0.0;
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(world, step));
        most = fmax(most, energy_of(world).total / start);
    }
    pbs_world_destroy(world);
    return most;
}

/// BDF2 went on with the change of velocity of the short step, times what the long one is longer:
/// it left with 26, 81 and 153 times the energy after steps of a quarter, an eighth and a
/// sixteenth.
static void long_steps_after_short_ones_gain_no_energy(void **state) {
    (void)state;
    static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER,
                                      PBS_SCHEME_TRAPEZOIDAL,
                                      PBS_SCHEME_OUTER_THETA,
                                      PBS_SCHEME_FIRST_ORDER_THETA,
                                      PBS_SCHEME_SECOND_ORDER_THETA,
                                      PBS_SCHEME_BDF2,
                                      PBS_SCHEME_NEWMARK,
                                      PBS_SCHEME_SDIRK2,
                                      PBS_SCHEME_TR_BDF2,
                                      PBS_SCHEME_DECOUPLED_SDIRK2};
    static const double shorter[] = {2.0, 4.0, 8.0, 16.0};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (size_t k = 0; k < COUNT_OF(shorter); k++) {
            // What the stop rule leaves: a hundredth.
            assert_true(most_energy(schemes[s], shorter[k]) <= 1.01);
        }
    }
}

/// Generalised-alpha rescales the acceleration of before by the ratio of the steps, and so the
/// force of the barrier: that came to 5636 times the energy after steps of half the length. As it
/// gains in hits at steps of one length too, by two thirds at most here, it is given a factor of 2.
static void rescaled_accelerations_are_not_those_of_barriers(void **state) {
    (void)state;
    static const double shorter[] = {2.0, 4.0, 8.0, 16.0};
    for (size_t k = 0; k < COUNT_OF(shorter); k++) {
        assert_true(most_energy(PBS_SCHEME_GENERALIZED_ALPHA, shorter[k]) < 2.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_steps_after_short_ones_gain_no_energy),
        cmocka_unit_test(rescaled_accelerations_are_not_those_of_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
