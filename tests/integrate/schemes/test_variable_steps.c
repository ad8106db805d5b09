// Orders where the step changes (docs/theory/schemes.md section 2): coefficients follow the ratio
// of steps, generalised-alpha's acceleration its time, and no ratio is too large.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

#include "world/objects/scene.h"

enum { PATTERN_LIMIT = 8 };

/// Steps in proportion, repeated.
struct pattern {
    const char *name;
    int count;
    double step[PATTERN_LIMIT];
};

static const struct pattern patterns[] = {
    {"alternating", 2, {1.0, 2.0}},
    // 2^u with u between 0 and 1, so that ratios are between 1/2 and 2.
    {"irregular", 8, {1.31, 1.87, 1.02, 1.95, 1.54, 1.11, 1.72, 1.26}},
    {"every third halved", 4, {1.0, 1.0, 0.5, 0.5}},
    // Beyond what the coefficients of two-step schemes are stable for.
    {"growing by four", 3, {1.0, 4.0, 16.0}},
    {"growing by 2.3 and 8", 4, {1.0, 2.3, 5.29, 42.3}},
};

/// max(|dx|, |dv|) at t = 5 after so many repetitions of the pattern.
static double error_of(pbs_integrator *integrator, enum oscillator problem,
                       const struct pattern *pattern, int repetitions) {
    double sum = 0.0;
    for (int i = 0; i < pattern->count; i++) {
        sum += pattern->step[i];
    }
    // The shortest step is the first; x / c, for weights c down to 0.08 h^2, is that noisy.
    const double shortest = 5.0 * 0.5 / (sum * repetitions);
    struct oscillation o = oscillation_of(problem);
    o.tolerance += 1e-15 / (0.08 * shortest * shortest);
    pbs_world *world = oscillator_world(integrator, &o);
    for (int i = 0; i < repetitions * pattern->count; i++) {
        assert_ok(
            pbs_world_step(world, 5.0 * pattern->step[i % pattern->count] / (sum * repetitions)));
    }
    const double error = oscillator_error(world, oscillator_exact[problem]);
    pbs_world_destroy(world);
    return error;
}

static double slope_of(pbs_integrator *integrator, enum oscillator problem,
                       const struct pattern *pattern) {
    const int repetitions = 800 / pattern->count;
    return log2(error_of(integrator, problem, pattern, repetitions) /
                error_of(integrator, problem, pattern, 2 * repetitions));
}

/// As with equal steps; two-step schemes may start with a step of implicit Euler, once.
static void orders_survive_changes_of_the_step(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        if (scheme->id == PBS_SCHEME_FIRST_ORDER_THETA) {
            continue; // so close to 1/2 that its errors have no slope yet
        }
        pbs_integrator *integrator = scheme_integrator(scheme->id);
        for (size_t k = testing_is_small() ? i % COUNT_OF(patterns) : 0; k < COUNT_OF(patterns);
             k += testing_is_small() ? COUNT_OF(patterns) : 1) {
            for (int p = testing_is_small() ? OSCILLATOR_CUBIC : OSCILLATOR_PENDULUM;
                 p <= OSCILLATOR_CUBIC; p++) {
                char what[96];
                snprintf(what, sizeof what, "%s, %s, problem %c", scheme->name, patterns[k].name,
                         'a' + p);
                const double slope = slope_of(integrator, (enum oscillator)p, &patterns[k]);
                assert_small(scheme->order - slope, scheme->order == 2 ? 0.03 : 0.15, what);
            }
        }
        pbs_integrator_destroy(integrator);
    }
}

/// That of a scheme whose table was changed, under alternating steps.
static double changed_slope(const struct scheme_table *changed) {
    pbs_integrator *integrator = scheme_integrator(changed->id);
    integrator->choice.scheme = changed;
    const double slope = slope_of(integrator, OSCILLATOR_CUBIC, &patterns[0]);
    pbs_integrator_destroy(integrator);
    return slope;
}

/// What the reference measured where the acceleration is not moved to its new time.
static void generalized_alpha_needs_its_acceleration_rescaled(void **state) {
    (void)state;
    struct scheme_table kept = *scheme_find(PBS_SCHEME_GENERALIZED_ALPHA);
    kept.acceleration = ACCELERATION_STORED;
    assert_near(changed_slope(&kept), 1.0, 0.2, "slope");
}

static void ignore_ratio(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    struct step_view equal = *step;
    equal.h_before = step->h;
    scheme_find(PBS_SCHEME_BDF2)->stage(&equal, index, out);
}

static void two_step_schemes_need_the_ratio(void **state) {
    (void)state;
    struct scheme_table ignorant = *scheme_find(PBS_SCHEME_BDF2);
    ignorant.stage = ignore_ratio;
    assert_near(changed_slope(&ignorant), 1.0, 0.1, "slope");
}

/// An oscillation does not grow, however steps do: no remnant of earlier states is amplified.
static void growing_steps_are_stable(void **state) {
    (void)state;
    const double growth[] = {2.3, 2.45, 4.0, 100.0};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        for (size_t k = 0; k < COUNT_OF(growth); k++) {
            pbs_integrator *integrator = scheme_integrator(scheme_tables[i]->id);
            struct oscillation o = oscillation_of(OSCILLATOR_LINEAR);
            pbs_world *world = oscillator_world(integrator, &o);
            double state_of[2], largest = 0.0;
            // Steps grow from 1e-3 to half a second, then start small again.
            const int length = (int)ceil(log(500.0) / log(growth[k]));
            for (int n = 0; n < 60; n++) {
                assert_ok(
                    pbs_world_step(world, fmin(1e-3 * pow(growth[k], n % (length + 1)), 0.5)));
                oscillator_state(world, state_of);
                largest = fmax(largest, hypot(state_of[0], state_of[1]));
            }
            assert_small(largest, 1.5, scheme_tables[i]->name);
            pbs_world_destroy(world);
            pbs_integrator_destroy(integrator);
        }
    }
}

/// A particle that was pushed for one step and then is free, under steps that become four times as
/// long each time: of the push, echoes in two-step schemes add up to four times itself and no more
/// (0.8
/// + 0.8^2 + ...), where coefficients without a limit would make thousands of it.
static void echoes_of_a_push_die_out(void **state) {
    (void)state;
    const double position[3] = {0.0, 0.0, 0.0}, mass = 1.0, none[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        if (scheme_tables[i]->is_static) {
            continue; // has no motion
        }
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PROJECTION;
        d.gravity[0] = 1.0;
        d.tolerance = 1e-9;
        pbs_world *world = new_world_from(&d);
        pbs_integrator *integrator = scheme_integrator(scheme_tables[i]->id);
        assert_ok(pbs_world_set_integrator(world, integrator));
        pbs_integrator_destroy(integrator);
        pbs_custom_desc c;
        springs_describe(&c, 1, position, &mass, 0, NULL);
        pbs_body body;
        assert_ok(pbs_body_create_custom(world, &c, &body));
        double h = 1e-3;
        assert_ok(pbs_world_step(world, h));
        const double push = pbs_body_velocities(world, body)[0];
        assert_ok(pbs_world_set_gravity(world, none));
        for (int n = 0; n < 14; n++) {
            h *= 4.0;
            assert_ok(pbs_world_step(world, h));
            assert_small(pbs_body_velocities(world, body)[0], 5.0 * push, scheme_tables[i]->name);
        }
        pbs_world_destroy(world);
    }
}

/// x'' = -100 x: its energy after steps of 0.01 s, with one of h s among them where that is not 0.
static double energy_about_step(int32_t scheme, double h) {
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    const double stiffness = 100.0, position = 1.0;
    d.stiffness = &stiffness;
    d.positions = &position;
    pbs_system *system = NULL;
    assert_ok(pbs_system_create(&d, &system));
    pbs_integrator *integrator = scheme_integrator(scheme);
    for (int i = 0; i < 6; i++) {
        if (i == 5 && h > 0.0) {
            assert_ok(pbs_system_step(system, integrator, h));
        }
        assert_ok(pbs_system_step(system, integrator, 0.01));
    }
    const double x = pbs_system_positions(system)[0], v = pbs_system_velocities(system)[0];
    pbs_integrator_destroy(integrator);
    pbs_system_destroy(system);
    return 0.5 * (stiffness * x * x + v * v);
}

/// What a step too short for its second differences leaves is no acceleration. A start afresh costs
/// at most a step's local error, (h omega)^3 = 1e-3.
static void accelerations_of_tiny_steps_are_not_used(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *const scheme = scheme_tables[i];
        if (!scheme_stores_acceleration(scheme) || scheme->control != CONTROL_NONE) {
            continue;
        }
        const double without = energy_about_step(scheme->id, 0.0);
        for (double h = 1e-5; h > 1e-12; h *= 0.1) {
            assert_small(energy_about_step(scheme->id, h) - without, 1e-3 * without, scheme->name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_survive_changes_of_the_step),
        cmocka_unit_test(generalized_alpha_needs_its_acceleration_rescaled),
        cmocka_unit_test(two_step_schemes_need_the_ratio),
        cmocka_unit_test(growing_steps_are_stable),
        cmocka_unit_test(echoes_of_a_push_die_out),
        cmocka_unit_test(accelerations_of_tiny_steps_are_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
