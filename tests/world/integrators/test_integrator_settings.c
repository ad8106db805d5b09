// Settings of integrators, as pbs_integrator_desc documents them. Those that a scheme, a step
// control or a call ignores change no bit of the motion. The others change it.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static void change_parameters(pbs_integrator_desc *d) {
    for (size_t i = 0; i < PBS_INTEGRATOR_PARAMETERS; i++) {
        d->parameters[i] = 0.75;
    }
}

static void change_start(pbs_integrator_desc *d) {
    d->start = PBS_START_TRAPEZOIDAL;
}

static void change_range(pbs_integrator_desc *d) {
    d->energy_control.alpha_min = 0.2;
    d->energy_control.alpha_max = 0.3;
}

static void change_choice(pbs_integrator_desc *d) {
    change_range(d);
    d->energy_control.alpha_choice = PBS_ALPHA_FIXED;
    d->energy_control.alpha = 0.5;
}

static void change_alpha(pbs_integrator_desc *d) {
    d->energy_control.alpha = 0.5;
}

static void change_target(pbs_integrator_desc *d) {
    change_range(d);
    d->energy_control.by_island = 1;
    d->energy_control.fraction = 0.5;
    d->energy_control.ground = -3.0;
    d->energy_control.decay_time = 0.1;
}

static void change_energy_control(pbs_integrator_desc *d) {
    change_choice(d);
    change_target(d);
}

static void change_proportions(pbs_integrator_desc *d) {
    d->step_control.exponent = 7.0;
    d->step_control.safety = 0.3;
}

static void change_rule(pbs_integrator_desc *d) {
    change_proportions(d);
    d->step_control.rule = PBS_STEP_RULE_HALVING;
    d->step_control.growth = 1.5;
}

static void change_lengths(pbs_integrator_desc *d) {
    change_rule(d);
    d->step_control.tolerance = 1e-6;
    d->step_control.initial = 1e-3;
    d->step_control.min = 1e-4;
}

static void change_step_control(pbs_integrator_desc *d) {
    change_lengths(d);
    d->step_control.kind = PBS_STEP_DOUBLING;
    d->step_control.max = 2e-3;
}

/// Who ignores what, and who does not; calls of pbs_world_step, or of pbs_world_advance.
static const struct {
    int32_t scheme, control;
    bool advances;
    void (*change)(pbs_integrator_desc *d);
    bool is_heard;
} rows[] = {
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FIXED, false, change_parameters, false},
    {PBS_SCHEME_OUTER_THETA, PBS_STEP_FIXED, false, change_parameters, true},
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FIXED, false, change_start, false},
    {PBS_SCHEME_BDF2, PBS_STEP_FIXED, false, change_start, true},
    {PBS_SCHEME_SDIRK2, PBS_STEP_FIXED, false, change_energy_control, false},
    {PBS_SCHEME_DECOUPLED_SDIRK2, PBS_STEP_FIXED, false, change_energy_control, true},
    // Its alpha is 1, but where the correction would gain energy: that is found by the target.
    {PBS_SCHEME_A_1, PBS_STEP_FIXED, false, change_target, true},
    {PBS_SCHEME_A_SEARCH, PBS_STEP_FIXED, false, change_target, true},
    {PBS_SCHEME_A_SEARCH, PBS_STEP_FIXED, false, change_alpha, false},
    {PBS_SCHEME_SPARSE_A_SEARCH, PBS_STEP_FIXED, false, change_alpha, false},
    {PBS_SCHEME_A_1, PBS_STEP_FIXED, false, change_alpha, true},
    {PBS_SCHEME_ENERGY_BLENDING, PBS_STEP_FIXED, false, change_choice, false},
    {PBS_SCHEME_ENERGY_BLENDING, PBS_STEP_FIXED, false, change_target, true},
    {PBS_SCHEME_BDF2, PBS_STEP_FIXED, false, change_step_control, false},
    {PBS_SCHEME_BDF2, PBS_STEP_FIXED, true, change_step_control, true},
    {PBS_SCHEME_BDF2, PBS_STEP_FIXED, true, change_lengths, false},
    {PBS_SCHEME_BDF2, PBS_STEP_SPEED_LIMIT, true, change_lengths, true},
    {PBS_SCHEME_BDF2, PBS_STEP_SPEED_LIMIT, true, change_rule, false},
    {PBS_SCHEME_BDF2, PBS_STEP_STRETCH_LIMIT, true, change_rule, true},
    {PBS_SCHEME_BDF2, PBS_STEP_DOUBLING, true, change_proportions, false},
    {PBS_SCHEME_BDF2, PBS_STEP_STRETCH_LIMIT, true, change_proportions, true},
};

/// v_x = 4 y / s.
static void shear(pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *const x = pbs_body_positions(world, body);
    double *const v = calloc(3 * count, sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < count; i++) {
        v[3 * i] = 4.0 * x[3 * i + 1];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

/// A world after four frames with the settings of a row.
static pbs_world *move(size_t row, bool changed) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, rows[row].scheme));
    d.step_control.kind = rows[row].control;
    d.step_control.max = 0.01;
    d.step_control.tolerance = d.step_control.kind == PBS_STEP_SPEED_LIMIT ? 0.02 : 1e-3;
    if (changed) {
        rows[row].change(&d);
    }
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    shear(world, pbs_world_body_at(world, 0));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    for (int frame = 0; frame < 4; frame++) {
        const double h = 1.0 / 60.0;
        assert_true((rows[row].advances ? pbs_world_advance(world, h) : pbs_world_step(world, h)) >=
                    0);
    }
    return world;
}

static void settings_are_heard_by_whom_they_concern(void **state) {
    (void)state;
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        pbs_world *one = move(row, false), *other = move(row, true);
        assert_int_equal(pbs_world_body_count(one), 1);
        const pbs_body a = pbs_world_body_at(one, 0), b = pbs_world_body_at(other, 0);
        const size_t size = 3 * pbs_body_vertex_count(one, a) * sizeof(double);
        const double *const x = pbs_body_positions(one, a), *const v = pbs_body_velocities(one, a);
        const bool differs = memcmp(x, pbs_body_positions(other, b), size) != 0 ||
                             memcmp(v, pbs_body_velocities(other, b), size) != 0;
        if (differs != rows[row].is_heard) {
            fail_msg("row %zu of the settings is %s", row, differs ? "heard" : "not heard");
        }
        pbs_world_destroy(one);
        pbs_world_destroy(other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_heard_by_whom_they_concern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
