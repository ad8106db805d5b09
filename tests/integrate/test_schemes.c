// Schemes against the table of specs/integrators.md section 1.3.
#include "integrate/recipe.h"
#include "support/scheme_rows.h"
#include "support/world_testing.h"
#include "world/scene.h"

// --- oscillators: x'' = -P'(x), one node, motion along x ---

static int32_t oscillator(void *user, size_t stencil, const double *x, int32_t project,
                          double *value, double *gradient, double *hessian) {
    const enum oscillator problem = *(const enum oscillator *)user;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = oscillator_potential(problem, x[0]);
    }
    if (gradient != NULL) {
        gradient[0] = -oscillator_force(problem, x[0]);
        gradient[1] = gradient[2] = 0.0;
    }
    for (int i = 0; i < 9 && hessian != NULL; i++) {
        hessian[i] = i == 0 ? -oscillator_slope(problem, x[0]) : 0.0;
    }
    return 0;
}

/// newton_limit == 0: the default, to be met; otherwise stages may end there.
static pbs_world *oscillator_world(pbs_integrator *integrator, enum oscillator *problem,
                                   uint32_t newton_limit) {
    const double position[3] = {1.0, 0.0, 0.0}, velocity[3] = {0.3, 0.0, 0.0}, mass = 1.0;
    const uint32_t stencil = 0;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.tolerance = newton_limit > 0 ? 1e-6 : 1e-9; // moves x by less than h^2 1e-9 a step
    d.newton_limit = newton_limit > 0 ? newton_limit : d.newton_limit;
    d.allow_unconverged = newton_limit > 0;
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_custom_desc c;
    assert_ok(pbs_custom_desc_init(&c, sizeof c));
    c.width = 1;
    c.vertex_count = 1;
    c.positions = position;
    c.velocities = velocity;
    c.masses = &mass;
    c.stencil_count = 1;
    c.stencils = &stencil;
    c.evaluate = oscillator;
    c.user = problem;
    c.tag = 1;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    return world;
}

/// max(|dx|, |dv|) at t = 5 after n equal steps.
static double error_of(pbs_integrator *integrator, enum oscillator problem, int n) {
    pbs_world *world = oscillator_world(integrator, &problem, 0);
    const pbs_body body = pbs_world_body_at(world, 0);
    for (int i = 0; i < n; i++) {
        assert_ok(pbs_world_step(world, 5.0 / n));
    }
    const double error = fmax(
        fabs(pbs_body_positions(world, body)[0] - oscillator_exact[problem][0]),
        fabs(pbs_body_velocities(world, body)[0] - oscillator_exact[problem][1]));
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
    enum oscillator problem = OSCILLATOR_CUBIC;
    pbs_integrator integrator = {.choice.scheme = &scheme};
    pbs_world *world = oscillator_world(&integrator, &problem, 1);
    assert_status(pbs_world_step(world, 5.0), PBS_NOT_CONVERGED);
    assert_message("not converged after 1 Newton iterations");
    const pbs_stats stats = stats_of(world);
    assert_true(stats.gradient_norm < stats.tolerance);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_euler_is_the_first_row),
        cmocka_unit_test(every_scheme_is_complete),
        cmocka_unit_test(schemes_have_the_errors_of_the_table),
        cmocka_unit_test(an_unconverged_stage_is_not_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
