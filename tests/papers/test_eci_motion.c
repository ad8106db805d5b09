// ECI section 5.1 without contact at a size for every day: what each scheme keeps of a cube that
// turns about a held edge, at 1/30 s, beside BDF2 at 1/1500 s. bench/integrator_motion runs the
// paper's sizes.
// SPDX-License-Identifier: MIT
#include "scenes/eci/elastic_motion.h"
#include "support/testing.h"

enum { CELLS = 3 };

static size_t frames;
static struct motion_series reference;

static pbs_integrator_desc describe(int32_t scheme) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    return d;
}

static void run(int32_t scheme, double decay_time, int steps_per_frame, struct motion_series *out) {
    pbs_integrator_desc d = describe(scheme);
    d.energy_control.decay_time = decay_time;
    assert_ok(motion_series_run(MOTION_SOFT_CUBE, CELLS, 1, &d, steps_per_frame, frames, out));
}

static int set_up(void **state) {
    (void)state;
    frames = testing_is_small() ? 46 : 151;
    run(PBS_SCHEME_BDF2, 0.0, 50, &reference);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    motion_series_free(&reference);
    return 0;
}

/// Of the energy at the start, over the frames after the first second.
static void extremes(const struct motion_series *s, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = MOTION_FRAME_RATE; i < s->frames; i++) {
        *low = fmin(*low, s->energy[i] / s->energy[0]);
        *high = fmax(*high, s->energy[i] / s->energy[0]);
    }
}

/// "Kept approximately constant total energy" (ECI figure 9): BDF2 damps little of what 1/1500 s
/// resolves.
static void the_reference_keeps_its_energy(void **state) {
    (void)state;
    double low, high;
    assert_int_equal(reference.frames, frames);
    extremes(&reference, &low, &high);
    assert_true(low > 0.98 && high < 1.0);
}

/// "Implicit Euler and BDF2 lead to significant energy and angular momentum loss": the cube hangs
/// below its edge, where the energy is under that of the start by more than all of its motion.
static void implicit_euler_and_bdf2_lose_the_rotation(void **state) {
    (void)state;
    struct motion_series euler, bdf2;
    run(PBS_SCHEME_IMPLICIT_EULER, 0.0, 1, &euler);
    run(PBS_SCHEME_BDF2, 0.0, 1, &bdf2);
    double low, high;
    extremes(&euler, &low, &high);
    assert_true(high < -1.0);
    extremes(&bdf2, &low, &high);
    assert_true(low < 0.0);
    assert_true(motion_series_distance(&euler, &reference) > 0.5);
    motion_series_free(&euler);
    motion_series_free(&bdf2);
}

/// A-search never exceeds its target, and both alpha-methods stay closer to the reference's angular
/// momentum than implicit Euler, BDF2 and blending at the same step.
static void alpha_methods_keep_it(void **state) {
    (void)state;
    static const int32_t others[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_BDF2,
                                     PBS_SCHEME_ENERGY_BLENDING};
    struct motion_series a_1, a_search;
    run(PBS_SCHEME_A_1, 0.0, 1, &a_1);
    run(PBS_SCHEME_A_SEARCH, 0.0, 1, &a_search);
    double low, high;
    extremes(&a_search, &low, &high);
    assert_true(high < 1.0 + 1e-9);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct motion_series other;
        run(others[i], 0.0, 1, &other);
        const double distance = motion_series_distance(&other, &reference);
        assert_true(motion_series_distance(&a_search, &reference) < distance);
        assert_true(motion_series_distance(&a_1, &reference) < distance);
        motion_series_free(&other);
    }
    motion_series_free(&a_1);
    motion_series_free(&a_search);
}

/// Where alpha may go to 2, the target is reached at every frame after the first second, within 1
/// %; up to 1.1, as ECI has it, the energy dips by a third.
static void wider_searches_stay_on_the_target(void **state) {
    (void)state;
    pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    d.energy_control.alpha_max = 2.0;
    struct motion_series s;
    assert_ok(motion_series_run(MOTION_SOFT_CUBE, CELLS, 1, &d, 1, frames, &s));
    double low, high;
    extremes(&s, &low, &high);
    assert_true(low > 0.99 && high < 1.01);
    motion_series_free(&s);
}

/// On the average of the frames the energy is where the target is, exp(-t / 10 s) of its start, to
/// what A-search loses between: energies dip by O(h omega), a quarter at h omega = 0.3 (measured in
/// docs/integrators.md, "Energy control"; here h omega is 0.5), and come back. It can stay above
/// for a while, as a step dissipates no more than implicit Euler does.
static void decay_follows_its_curve(void **state) {
    (void)state;
    const double decay_time = 10.0;
    struct motion_series s;
    run(PBS_SCHEME_A_SEARCH, decay_time, 1, &s);
    assert_int_equal(s.frames, frames);
    double sum = 0.0;
    for (size_t i = MOTION_FRAME_RATE; i < frames; i++) {
        sum += s.energy[i] / s.energy[0] * exp((double)i / MOTION_FRAME_RATE / decay_time);
    }
    assert_near(sum / (double)(frames - MOTION_FRAME_RATE), 1.0, 0.25, "energy over target");
    motion_series_free(&s);
}

/// "Implicit midpoint is unstable and explodes."
static void implicit_midpoint_explodes(void **state) {
    (void)state;
    struct motion_series s;
    run(PBS_SCHEME_IMPLICIT_MIDPOINT, 0.0, 1, &s);
    double low, high;
    extremes(&s, &low, &high);
    assert_true(s.frames < frames || high > 100.0);
    motion_series_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_keeps_its_energy),
        cmocka_unit_test(implicit_euler_and_bdf2_lose_the_rotation),
        cmocka_unit_test(alpha_methods_keep_it),
        cmocka_unit_test(wider_searches_stay_on_the_target),
        cmocka_unit_test(decay_follows_its_curve),
        cmocka_unit_test(implicit_midpoint_explodes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
