// Schemes against the table of specs/integrators.md section 1.3.
#include "integrate/recipe.h"
#include "support/world_testing.h"
#include "world/scene.h"

// --- oscillators: x'' = -P'(x), one node, motion along x ---

enum problem { LINEAR, PENDULUM, CUBIC, PROBLEM_COUNT };

static int32_t oscillator(void *user, size_t stencil, const double *x, int32_t project,
                          double *value, double *gradient, double *hessian) {
    const int problem = *(const int *)user;
    (void)stencil;
    (void)project;
    const double q = x[0], q2 = q * q;
    const double values[] = {0.5 * q2, 1.0 - cos(q), 0.5 * q2 + 0.25 * q2 * q2};
    const double slopes[] = {q, sin(q), q + q * q2};
    const double curvatures[] = {1.0, cos(q), 1.0 + 3.0 * q2};
    if (value != NULL) {
        *value = values[problem];
    }
    if (gradient != NULL) {
        gradient[0] = slopes[problem];
        gradient[1] = gradient[2] = 0.0;
    }
    for (int i = 0; i < 9 && hessian != NULL; i++) {
        hessian[i] = i == 0 ? curvatures[problem] : 0.0;
    }
    return 0;
}

/// newton_limit == 0: the default, to be met; otherwise stages may end there.
static pbs_world *oscillator_world(pbs_integrator *integrator, int *problem,
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
static double error_of(pbs_integrator *integrator, int problem, int n) {
    static const double exact[PROBLEM_COUNT][2] = {{-0.004015096936, 1.044022930302},
                                                   {-0.400573469282, 0.922534787676},
                                                   {1.004401176494, -0.268919396686}};
    pbs_world *world = oscillator_world(integrator, &problem, 0);
    const pbs_body body = pbs_world_body_at(world, 0);
    for (int i = 0; i < n; i++) {
        assert_ok(pbs_world_step(world, 5.0 / n));
    }
    const double error = fmax(fabs(pbs_body_positions(world, body)[0] - exact[problem][0]),
                              fabs(pbs_body_velocities(world, body)[0] - exact[problem][1]));
    pbs_world_destroy(world);
    return error;
}

// --- the table ---

struct row {
    int32_t scheme;
    int32_t start;                ///< PBS_START_*, or -1: the scheme's own
    double parameters[2];         ///< where the scheme has any
    double errors[PROBLEM_COUNT]; ///< with 200 steps
    double slopes[PROBLEM_COUNT]; ///< from 400 to 800 steps
};

#define ONCE                                                                                       \
    { 1.0, 1.0, 1.0 }
#define TWICE                                                                                      \
    { 2.0, 2.0, 2.0 }

static const struct row rows[] = {
    {PBS_SCHEME_IMPLICIT_EULER, -1, {0}, {6.324e-2, 4.000e-2, 2.130e-1}, ONCE},
    {PBS_SCHEME_VARIATIONAL_RIGHT_POINT, -1, {0}, {6.324e-2, 4.000e-2, 2.130e-1}, ONCE},
    {PBS_SCHEME_BDF2, PBS_START_IMPLICIT_EULER, {0}, {1.076e-3, 5.855e-4, 8.230e-3}, TWICE},
    {PBS_SCHEME_BDF2, PBS_START_TRAPEZOIDAL, {0}, {1.080e-3, 7.609e-4, 3.825e-3}, TWICE},
    {PBS_SCHEME_TRAPEZOIDAL, -1, {0}, {2.719e-4, 1.944e-4, 9.260e-4}, TWICE},
    {PBS_SCHEME_NEWMARK, -1, {0.25, 0.5}, {2.719e-4, 1.944e-4, 9.260e-4}, TWICE},
    {PBS_SCHEME_NEWMARK, -1, {0.3025, 0.6}, {6.146e-3, 3.671e-3, 2.377e-2}, ONCE},
    {PBS_SCHEME_IMPLICIT_MIDPOINT, -1, {0}, {2.719e-4, 1.562e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_VARIATIONAL_MIDPOINT, -1, {0}, {2.719e-4, 1.562e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {1.0}, {2.719e-4, 1.562e-4, 1.583e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {0.9}, {2.751e-4, 1.586e-4, 1.593e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {0.6}, {3.439e-4, 2.096e-4, 1.806e-3}, TWICE},
    {PBS_SCHEME_GENERALIZED_ALPHA, -1, {0.0}, {1.417e-3, 9.869e-4, 5.289e-3}, TWICE},
    {PBS_SCHEME_INNER_THETA, -1, {0.7}, {2.577e-2, 1.657e-2, 9.511e-2}, ONCE},
    {PBS_SCHEME_OUTER_THETA, -1, {0.7}, {2.577e-2, 1.654e-2, 9.460e-2}, ONCE},
    {PBS_SCHEME_SECOND_ORDER_THETA,
     PBS_START_FIRST_ORDER_THETA,
     {0.07},
     {3.106e-4, 2.211e-4, 1.070e-3},
     TWICE},
    {PBS_SCHEME_SECOND_ORDER_THETA,
     PBS_START_TRAPEZOIDAL,
     {0.07},
     {3.106e-4, 2.219e-4, 1.062e-3},
     TWICE},
    {PBS_SCHEME_FIRST_ORDER_THETA, -1, {0.07}, {2.711e-4, 1.985e-4, 1.627e-3}, {0}},
    {PBS_SCHEME_SDIRK2, -1, {0}, {1.319e-4, 8.493e-5, 6.122e-4}, TWICE},
    {PBS_SCHEME_TR_BDF2, -1, {0}, {1.319e-4, 9.418e-5, 4.521e-4}, TWICE},
    {PBS_SCHEME_SYMPLECTIC_EULER, -1, {0}, {1.210e-2, 1.449e-2, 1.713e-2}, ONCE},
};

static pbs_integrator *make_integrator(const struct row *row) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, row->scheme));
    d.start = row->start >= 0 ? row->start : d.start;
    memcpy(d.parameters, row->parameters, sizeof row->parameters);
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

/// Within 1 % of the table, slopes within 0.1 of 1 (0.15 on the cubic problem) or 0.03 of 2, as
/// section 1.3 asks; the first-order theta method so close to 1/2 has no slope yet.
static void schemes_have_the_errors_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        const char *const name = scheme_find(row->scheme)->name;
        pbs_integrator *integrator = make_integrator(row);
        for (int p = 0; p < PROBLEM_COUNT; p++) {
            assert_near(error_of(integrator, p, 200) / row->errors[p], 1.0, 0.01, name);
            const double slope = log2(error_of(integrator, p, 400) / error_of(integrator, p, 800));
            const double allowed = row->slopes[p] == 2.0 ? 0.03 : p == CUBIC ? 0.15 : 0.1;
            assert_true(row->slopes[p] > 0.0 || row->scheme == PBS_SCHEME_FIRST_ORDER_THETA);
            assert_near(row->slopes[p] > 0.0 ? slope : 0.0, row->slopes[p], allowed, name);
        }
        pbs_integrator_destroy(integrator);
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
    int problem = CUBIC;
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
