// Schemes against the table of docs/theory/schemes.md section 3.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"
#include "integrate/schemes/recipe.h"
#include "world/objects/scene.h"

/// max(|dx|, |dv|) at t = 5 after n equal steps.
static double error_of(pbs_integrator *integrator, enum oscillator problem, int n) {
    struct oscillation o = oscillation_of(problem);
    pbs_world *world = oscillator_world(integrator, &o);
    for (int i = 0; i < n; i++) {
        assert_ok(pbs_world_step(world, 5.0 / n));
    }
    const double error = oscillator_error(world, oscillator_exact[problem]);
    pbs_world_destroy(world);
    return error;
}

static void schemes_have_the_errors_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < scheme_row_count; i++) {
        assert_scheme_row(&scheme_rows[i], error_of);
    }
}

/// x~ = x_n + h v_n, c = h^2, b = h.
static void implicit_euler_is_the_first_row(void **state) {
    (void)state;
    const struct scheme_table *scheme = scheme_find(PBS_SCHEME_IMPLICIT_EULER);
    const struct step_view step = {.h = 0.25, .known = 1};
    struct stage_recipe stage = {0}, expected = {0};
    struct state_recipe finish = {0};
    expected.length = 0.25;
    expected.weight = 0.0625;
    expected.time = 1.0;
    expected.position_history.x[STATE_NOW] = 1.0;
    expected.velocity_history.v[STATE_NOW] = 1.0;
    assert_int_equal(scheme->stage_count(&step), 1);
    scheme->stage(&step, 0, &stage);
    scheme->finish(&step, &finish);
    assert_memory_equal(&stage, &expected, sizeof stage);
    assert_true(finish.position.x[STATE_STAGE_1] == 1.0);
    assert_true(finish.velocity.v[STATE_STAGE_1] == 1.0);
    assert_null(scheme_find(-1));
}

/// Every scheme has what the generic step calls, and starts by itself.
static void every_scheme_is_complete(void **state) {
    (void)state;
    for (const struct scheme_table *const *s = scheme_tables; *s != NULL; s++) {
        assert_non_null((*s)->name);
        assert_true(scheme_find((*s)->id) == *s);
        assert_true((*s)->stage_limit <= SCHEME_STAGE_LIMIT);
        assert_true((*s)->history >= 1 && (*s)->history <= 2);
        double parameters[SCHEME_PARAMETERS];
        for (int k = 0; k < SCHEME_PARAMETERS; k++) {
            const struct scheme_parameter *p = &(*s)->parameters[k];
            assert_true(p->value >= p->low && p->value <= p->high);
            parameters[k] = p->value;
        }
        const struct step_view step = {
            .h = 0.1, .known = 1, .parameters = parameters, .start = (*s)->start};
        const uint32_t stages = (*s)->stage_count(&step);
        assert_true(stages <= (*s)->stage_limit);
        for (uint32_t i = 0; i < stages; i++) {
            struct stage_recipe stage = {0};
            (*s)->stage(&step, i, &stage);
            assert_true(stage.length > 0.0 && stage.weight > 0.0);
            assert_true(stage.position_history.x[STATE_BEFORE] == 0.0);
        }
    }
}

static uint32_t two_stages(const struct step_view *step) {
    (void)step;
    return 2;
}

/// A first stage as implicit Euler's, and a second one so short that its guess is its solution.
static void hard_then_easy(const struct step_view *step, uint32_t i, struct stage_recipe *out) {
    recipe_length(out, i == 0 ? step->h : 1e-4 * step->h, 1.0);
    recipe_add_state(out, i == 0 ? STATE_NOW : STATE_STAGE_1, 1.0);
}

static void an_unconverged_stage_is_not_forgotten(void **state) {
    (void)state;
    const struct scheme_table scheme = {.name = "hard, then easy",
                                        .history = 1,
                                        .order = 1,
                                        .stage_limit = 2,
                                        .stage_count = two_stages,
                                        .stage = hard_then_easy,
                                        .finish = recipe_finish_second};
    struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
    o.tolerance = 1e-6;
    o.newton_limit = 1;
    pbs_integrator integrator = {.choice.scheme = &scheme};
    pbs_world *world = oscillator_world(&integrator, &o);
    assert_status(pbs_world_step(world, 5.0), PBS_NOT_CONVERGED);
    assert_message("not converged after 1 Newton iterations");
    const pbs_stats stats = stats_of(world);
    assert_true(stats.newton.gradient_norm < stats.newton.tolerance);
    pbs_world_destroy(world);
}

/// Where the particle is after one step of a scheme with this start.
static void first_step(int32_t scheme, int32_t start, double theta, double state[2]) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    struct oscillation o = oscillation_of(OSCILLATOR_LINEAR);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.start = start;
    d.parameters[0] = scheme == PBS_SCHEME_BDF2 ? d.parameters[0] : theta;
    assert_ok(pbs_integrator_create(&d, &integrator));
    pbs_world *world = oscillator_world(integrator, &o);
    assert_ok(pbs_world_step(world, 0.5));
    oscillator_state(world, state);
    pbs_world_destroy(world);
    pbs_integrator_destroy(integrator);
}

/// BDF2 has no theta; its start by first-order theta is with 0.07, as PBS_START_FIRST_ORDER_THETA
/// says. A hundredth in theta moves x by 1e-5.
static void starts_by_theta_are_with_the_documented_one(void **state) {
    double bdf2[2], same[2], other[2];
    (void)state;
    first_step(PBS_SCHEME_BDF2, PBS_START_FIRST_ORDER_THETA, 0.0, bdf2);
    first_step(PBS_SCHEME_FIRST_ORDER_THETA, PBS_START_IMPLICIT_EULER, 0.07, same);
    first_step(PBS_SCHEME_FIRST_ORDER_THETA, PBS_START_IMPLICIT_EULER, 0.08, other);
    assert_near(bdf2[0], same[0], 1e-9, "x");
    assert_near(bdf2[1], same[1], 1e-9, "v");
    assert_true(fabs(other[0] - same[0]) > 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_euler_is_the_first_row),
        cmocka_unit_test(every_scheme_is_complete),
        cmocka_unit_test(starts_by_theta_are_with_the_documented_one),
        cmocka_unit_test(schemes_have_the_errors_of_the_table),
        cmocka_unit_test(an_unconverged_stage_is_not_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
