// pbs_world_advance: step control in worlds, and linearly implicit steps.
// SPDX-License-Identifier: MIT
#include "integrate/step_control/step_control.h"
#include "support/schemes/hardening_spring.h"
#include "support/world_testing.h"

// --- one particle on the spring of ATS figure 1, without its damping ---

static const struct hardening_spring spring = {100.0, 0.0};

enum { SPRING_BODY_TAG = 5 };

/// Admissible where x <= *user.
static int32_t hardening_energy(void *user, size_t stencil, const double *x, int32_t project,
                                double *value, double *gradient, double *hessian) {
    (void)stencil;
    (void)project;
    const double q = x[0];
    if (q > *(const double *)user) {
        return 1;
    }
    if (value != NULL) {
        *value = 50.0 * q * q + 25.0 * q * q * q * q;
    }
    if (gradient != NULL) {
        gradient[0] = -spring_force(&spring, q, 0.0);
        gradient[1] = gradient[2] = 0.0;
    }
    for (int i = 0; i < 9 && hessian != NULL; i++) {
        hessian[i] = i == 0 ? 100.0 + 300.0 * q * q : 0.0;
    }
    return 0;
}

static double no_wall = INFINITY;

static pbs_world *new_spring(double *wall, uint32_t divisions) {
    static const double position[3] = {-1.0, 0.0, 0.0};
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = 1e-5; // rounding of x alone is worth 1e-16 / h^2 newtons
    d.divisions = divisions;
    pbs_world *world = new_world_from(&d);
    pbs_custom_desc c;
    point_describe(&c, position, hardening_energy, wall);
    c.tag = SPRING_BODY_TAG;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    return world;
}

static double place(const pbs_world *world) {
    return pbs_body_positions(world, pbs_world_body_at(world, 0))[0];
}

static int32_t strong_energy(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    for (int i = 0; i < 9; i++) {
        if (hessian != NULL) {
            hessian[i] = 0.0;
        }
    }
    if (value != NULL) {
        *value = 1e165 * x[0];
    }
    if (gradient != NULL) {
        gradient[0] = 1e165;
        gradient[1] = gradient[2] = 0.0;
    }
    return 0;
}

// --- integrators ---

static pbs_integrator_desc describe(int32_t scheme, int32_t control, double tolerance) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.step_control.kind = control;
    d.linearized = control == PBS_STEP_FORCE_ERROR;
    d.step_control.tolerance = tolerance;
    d.step_control.max = 0.05;
    return d;
}

/// Every control with a scheme that it goes with, and tolerances that reject now and then in the
/// scenes below.
static const struct {
    int32_t scheme, control;
    double tolerance;
} controls[] = {
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FIXED, 0.0},
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FORCE_ERROR, 1e-5},
    {PBS_SCHEME_TRAPEZOIDAL, PBS_STEP_FORCE_ERROR, 1e-5},
    {PBS_SCHEME_NEWMARK, PBS_STEP_FORCE_ERROR, 1e-5},
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_SPEED_LIMIT, 0.02},
    {PBS_SCHEME_BDF2, PBS_STEP_SPEED_LIMIT, 0.02},
    {PBS_SCHEME_BDF2, PBS_STEP_STRETCH_LIMIT, 1e-3},
    {PBS_SCHEME_GENERALIZED_ALPHA, PBS_STEP_DOUBLING, 1e-4},
    {PBS_SCHEME_SECOND_ORDER_THETA, PBS_STEP_DOUBLING, 1e-4},
    {PBS_SCHEME_A_SEARCH, PBS_STEP_DOUBLING, 1e-4},
    {PBS_SCHEME_A_SEARCH, PBS_STEP_ALPHA, 1e-4},
    {PBS_SCHEME_ENERGY_BLENDING, PBS_STEP_ALPHA, 1e-3},
};

static pbs_integrator_desc control_at(size_t i) {
    return describe(controls[i].scheme, controls[i].control, controls[i].tolerance);
}

// --- the arithmetic arrives ---

/// The same steps as the formulas of docs/theory/step_control.md section 1, to what a solve of
/// 1e-12 leaves.
static void linearized_steps_are_those_of_the_paper(void **state) {
    (void)state;
    static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_TRAPEZOIDAL,
                                      PBS_SCHEME_NEWMARK};
    for (int i = 0; i < 3; i++) {
        pbs_world *world = new_spring(&no_wall, 0);
        pbs_integrator_desc d = describe(schemes[i], PBS_STEP_FIXED, 0.0);
        d.linearized = 1;
        use_integrator(world, &d);
        double x = -1.0, v = 0.0;
        for (int k = 0; k < 20; k++) {
            const double h = k % 3 == 0 ? 0.02 : 0.01;
            const struct spring_step step = spring_linear_step(&spring, i > 0, x, v, h);
            x = step.x;
            v = step.v;
            assert_ok(pbs_world_step(world, h));
            assert_near(place(world), x, 1e-11, "x");
            assert_int_equal(stats_of(world).linear.solves, 1);
        }
        pbs_world_destroy(world);
    }
}

/// Steps and rejections of the controller over the formulas.
static void force_error_controls_as_the_formulas_do(void **state) {
    (void)state;
    for (int newmark = 0; newmark < 2; newmark++) {
        pbs_world *world = new_spring(&no_wall, 0);
        const pbs_integrator_desc d = describe(newmark ? PBS_SCHEME_TRAPEZOIDAL
                                                       : PBS_SCHEME_IMPLICIT_EULER,
                                               PBS_STEP_FORCE_ERROR, 1e-4);
        use_integrator(world, &d);
        assert_ok(pbs_world_advance(world, 1.0));

        const struct step_control control = step_control_of(&d.step_control, 1);
        struct step_memory memory = {0};
        struct spring_step step = {.x = -1.0};
        uint32_t accepted = 0, rejected = 0;
        for (double t = 0.0; t < 1.0;) {
            const struct step_plan plan = step_control_plan(&control, &memory, 1.0 - t, 0.0, 0.0);
            const struct spring_step next = spring_linear_step(&spring, newmark, step.x, step.v,
                                                               plan.h);
            if (step_control_judge(&control, &memory, &plan, next.force_error) == STEP_REJECTED) {
                rejected++;
                continue;
            }
            accepted++;
            t = plan.last ? 1.0 : t + plan.h;
            step = next;
        }
        const pbs_stats stats = stats_of(world);
        assert_true(accepted > 10 && rejected > 0);
        assert_int_equal(stats.step_control.accepted, accepted);
        assert_int_equal(stats.step_control.rejected, rejected);
        assert_int_equal(stats.linear.solves, accepted + rejected);
        assert_int_equal(stats.total.steps, accepted);
        // Solves are good to 5 % of the tolerance a step; here they are exact but for rounding.
        assert_near(place(world), step.x, 1e-9, "x");
        assert_near(stats.step_control.error, step.force_error, 1e-9, "force error");
        assert_near(stats.step_control.next, memory.next, 1e-9, "next step");
        pbs_world_destroy(world);
    }
}

static void fixed_steps_are_steps(void **state) {
    (void)state;
    pbs_world *world = new_spring(&no_wall, 0), *other = new_spring(&no_wall, 0);
    pbs_integrator_desc d = describe(PBS_SCHEME_BDF2, PBS_STEP_FIXED, 0.0);
    d.step_control.max = 1.0 / 240.0;
    use_integrator(world, &d);
    use_integrator(other, &d);
    assert_ok(pbs_world_advance(world, 1.0 / 60.0));
    assert_int_equal(stats_of(world).step_control.accepted, 4);
    assert_true(stats_of(world).step_control.longest == 1.0 / 240.0);
    for (int i = 0; i < 4; i++) {
        assert_ok(pbs_world_step(other, 1.0 / 240.0));
    }
    assert_true(place(world) == place(other));
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

/// A rejected pair of halves leaves nothing behind, in the history of a two-step scheme either: who
/// tries 16 ms first and is refused goes on as who tried 8 ms first, to the bit. The second is not
/// refused anything, so that nothing which a rejection leaves is in both.
static void doubling_goes_back_to_where_it_was(void **state) {
    (void)state;
    static const struct {
        int32_t scheme;
        double tolerance; ///< m, between what halving 8 and halving 16 ms makes of the first step
    } rows[] = {{PBS_SCHEME_IMPLICIT_EULER, 5e-3},
                {PBS_SCHEME_BDF2, 2.5e-4},
                {PBS_SCHEME_GENERALIZED_ALPHA, 2.5e-4},
                {PBS_SCHEME_A_SEARCH, 5e-3}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double ends[2];
        uint32_t rejected[2];
        for (int k = 0; k < 2; k++) {
            pbs_world *world = new_spring(&no_wall, 0);
            pbs_integrator_desc d = describe(rows[i].scheme, PBS_STEP_DOUBLING, rows[i].tolerance);
            d.step_control.initial = k == 0 ? 0.016 : 0.008;
            d.step_control.growth = 1.0;
            use_integrator(world, &d);
            // So that there is a history.
            assert_ok(pbs_world_step(world, 0.004));
            assert_ok(pbs_world_step(world, 0.004));
            assert_ok(pbs_world_advance(world, 0.1));
            ends[k] = place(world);
            rejected[k] = stats_of(world).step_control.rejected;
            pbs_world_destroy(world);
        }
        assert_true(rejected[0] == 1 && rejected[1] == 0);
        assert_true(ends[0] == ends[1]);
    }
}

/// A step of a two-step scheme is at most twice the one before, the host's own among these: after
/// one of 1 ms, 50 ms take 2, 4, 8 and 16 ms and what is left. Others have no such bound.
static void two_step_schemes_grow_by_two(void **state) {
    (void)state;
    static const struct {
        int32_t scheme;
        uint32_t steps;
        double shortest, longest;
    } rows[] = {{PBS_SCHEME_IMPLICIT_EULER, 1, 0.05, 0.05}, {PBS_SCHEME_BDF2, 5, 0.002, 0.02}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_world *world = new_spring(&no_wall, 0);
        // No speed is near the limit.
        pbs_integrator_desc d = describe(rows[i].scheme, PBS_STEP_SPEED_LIMIT, 1e6);
        d.step_control.initial = d.step_control.max = 0.05;
        use_integrator(world, &d);
        assert_ok(pbs_world_step(world, 0.001));
        assert_ok(pbs_world_step(world, 0.001));
        assert_ok(pbs_world_advance(world, 0.05));
        const pbs_stats stats = stats_of(world);
        assert_int_equal(stats.step_control.accepted, rows[i].steps);
        assert_near(stats.step_control.shortest, rows[i].shortest, 1e-15, "shortest step, s");
        assert_near(stats.step_control.longest, rows[i].longest, 1e-15, "longest step, s");
        pbs_world_destroy(world);
    }
}

/// The distance from the exact motion falls with the tolerance; alpha itself stays far from 1.
static void deviations_of_alpha_control_the_error(void **state) {
    (void)state;
    double places[4], steps[4];
    for (int i = 0; i < 4; i++) {
        pbs_world *world = new_spring(&no_wall, 0);
        const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH, PBS_STEP_ALPHA,
                                               1e-3 * pow(0.1, i));
        use_integrator(world, &d);
        assert_ok(pbs_world_advance(world, 1.0));
        const pbs_stats stats = stats_of(world);
        assert_true(stats.step_control.error <= d.step_control.tolerance);
        assert_int_equal(stats.step_control.above_tolerance, 0);
        assert_true(fmax(fabs(stats.energy_control.alpha_low - 1.0),
                         fabs(stats.energy_control.alpha_high - 1.0)) > 0.09);
        places[i] = place(world);
        steps[i] = stats.step_control.accepted;
        pbs_world_destroy(world);
    }
    for (int i = 1; i < 4; i++) {
        assert_true(steps[i] > 1.5 * steps[i - 1]);
    }
    // SDIRK2 at 0.5 ms is good to 1e-4.
    pbs_world *world = new_spring(&no_wall, 0);
    pbs_integrator_desc d = describe(PBS_SCHEME_SDIRK2, PBS_STEP_FIXED, 0.0);
    d.step_control.max = 5e-4;
    use_integrator(world, &d);
    assert_ok(pbs_world_advance(world, 1.0));
    const double exact = place(world);
    pbs_world_destroy(world);
    assert_true(fabs(places[0] - exact) > 0.02);
    assert_near(places[1], exact, 0.01, "1e-4 m");
    assert_near(places[3], exact, 0.001, "1e-6 m");
}

/// It is h |alpha - 1| |dv|, with dv = h M^-1 (grad P(x_n) - grad P(x_{n+1})), and not that of
/// alpha.
static void the_deviation_of_alpha_is_from_one(void **state) {
    (void)state;
    pbs_world *world = new_spring(&no_wall, 0);
    const double h = 0.05;
    pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH, PBS_STEP_ALPHA, 1e3);
    d.step_control.initial = h;
    use_integrator(world, &d);
    double most = 0.0;
    for (int n = 0; n < 10; n++) {
        const double before = place(world);
        assert_ok(pbs_world_advance(world, h));
        const pbs_stats stats = stats_of(world);
        assert_int_equal(stats.step_control.accepted, 1);
        assert_true(stats.energy_control.alpha_low == stats.energy_control.alpha_high);
        const double change = h * fabs(spring_force(&spring, before, 0.0) -
                                       spring_force(&spring, place(world), 0.0));
        const double expected = h * fabs(stats.energy_control.alpha_low - 1.0) * change;
        // The solver leaves 1e-5 N of a force, which dv has in it.
        assert_near(stats.step_control.error, expected, 2e-5 * h * h + 1e-9 * expected,
                    "deviation");
        most = fmax(most, expected);
    }
    assert_true(most > 1e-3);
    pbs_world_destroy(world);
}

// --- time ---

static void advances_land_exactly_on_their_end(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_world *world = new_spring(&no_wall, 0);
        const pbs_integrator_desc d = control_at(i);
        use_integrator(world, &d);
        double time = 0.0;
        for (int k = 1; k < 8; k++) {
            const double duration = 0.1 / k + 1e-7 * k;
            assert_ok(pbs_world_advance(world, duration));
            time += duration;
            assert_true(pbs_world_time(world) == time);
            const pbs_stats stats = stats_of(world);
            assert_true(stats.step_control.longest <= d.step_control.max &&
                        stats.step_control.shortest > 0.0);
            assert_true(stats.step_control.shortest * stats.step_control.accepted <=
                        duration * (1.0 + 1e-12));
            assert_true(stats.step_control.longest * stats.step_control.accepted >=
                        duration * (1.0 - 1e-12));
        }
        pbs_world_destroy(world);
    }
}

static void a_short_advance_does_not_spoil_the_next(void **state) {
    (void)state;
    pbs_world *world = new_spring(&no_wall, 0);
    const pbs_integrator_desc d = describe(PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FORCE_ERROR, 1e-4);
    use_integrator(world, &d);
    assert_ok(pbs_world_advance(world, 0.5));
    const double next = stats_of(world).step_control.next;
    assert_true(next > 1e-4);
    assert_ok(pbs_world_advance(world, 1e-8));
    assert_true(stats_of(world).step_control.next == next);
    // A step does not ask the control, nor change it; another integrator forgets it.
    assert_ok(pbs_world_step(world, 1e-3));
    assert_true(stats_of(world).step_control.next == next);
    use_integrator(world, &d);
    assert_true(stats_of(world).step_control.next == 0.0);
    pbs_world_destroy(world);
}

static void pins_and_colliders_arrive_on_time(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_world *world = new_world();
        static const double positions[6] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0}, masses[2] = {1.0, 1.0};
        static const uint32_t stencil[2] = {0, 1}, pin = 0;
        pbs_custom_desc c;
        springs_describe(&c, 2, positions, masses, 1, stencil);
        pbs_body body;
        assert_ok(pbs_body_create_custom(world, &c, &body));
        pbs_integrator_desc d = control_at(i);
        d.step_control.max = 0.01;
        use_integrator(world, &d);
        const pbs_collider ground = add_ground(world);
        static const double target[3] = {0.03, 0.04, 0.0}, below[3] = {0.0, -3.0, 0.0};
        static const double upright[4] = {0.0, 0.0, 0.0, 1.0};
        assert_ok(pbs_body_pin(world, body, &pin, 1, PBS_AXIS_ALL));
        assert_ok(pbs_body_set_targets(world, body, &pin, 1, target));
        assert_ok(pbs_collider_set_motion(world, ground, below, upright));
        assert_ok(pbs_world_advance(world, 0.1));
        assert_true(stats_of(world).step_control.accepted >= 10);
        const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
        double position[3], orientation[4];
        assert_ok(pbs_collider_pose(world, ground, position, orientation));
        assert_true(position[1] == -3.0);
        for (int k = 0; k < 3; k++) {
            assert_true(x[k] == target[k]);
            // Constant over the advance, however many steps it took.
            assert_near(v[k], target[k] / 0.1, 1e-14, "velocity of the pin");
        }
        pbs_world_destroy(world);
    }
}

// --- failures ---

/// Beyond x = -0.5 there is nothing, so no advance gets there: the world stays where it was.
static void an_advance_that_fails_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        double wall = -0.5;
        pbs_world *world = new_spring(&wall, 2);
        pbs_integrator_desc d = control_at(i);
        d.step_control.min = 1e-3;
        use_integrator(world, &d);
        assert_true(pbs_world_advance(world, 0.01) >= 0);
        const struct saved_world before = save_world(world);
        const pbs_status status = pbs_world_advance(world, 1.0);
        // Minimising schemes end at the wall for ever.
        const bool stopped = status == PBS_ERROR_INADMISSIBLE || status == PBS_ERROR_CONVERGENCE;
        assert_true(stopped);
        assert_true(stats_of(world).total.failed_steps == 1);
        wall = INFINITY;
        assert_ok(pbs_world_advance(world, 1e-3));
        const uint64_t hash = pbs_world_hash(world);
        assert_ok(pbs_world_register_callback(world, SPRING_BODY_TAG, hardening_energy, &no_wall));
        assert_ok(pbs_world_restore(world, before.data, before.size));
        assert_ok(pbs_world_advance(world, 1e-3));
        assert_true(pbs_world_hash(world) == hash);
        free(before.data);
        pbs_world_destroy(world);
    }
}

/// A force whose square no double holds: what conjugate gradients cannot solve is no step.
static void unsolved_linear_systems_are_told(void **state) {
    (void)state;
    static const double position[3] = {0.0, 0.0, 0.0};
    pbs_world_desc world_desc;
    assert_ok(pbs_world_desc_init(&world_desc, sizeof world_desc));
    world_desc.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&world_desc);
    pbs_custom_desc c;
    point_describe(&c, position, strong_energy, NULL);
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    pbs_integrator_desc d = describe(PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FIXED, 0.0);
    d.linearized = 1;
    use_integrator(world, &d);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_CONVERGENCE);
    assert_message("the linearized step was not solved");
    pbs_world_destroy(world);
}

/// From x = 0 at 20 m/s the spring lets the particle go to 1.414; one linearized step of 0.1 s
/// would go to 1.6. Shorter ones are found.
static void forbidden_steps_are_shortened(void **state) {
    (void)state;
    static const double origin[3] = {0.0, 0.0, 0.0}, velocity[3] = {20.0, 0.0, 0.0};
    double wall = 1.5;
    pbs_world *world = new_spring(&wall, 0);
    const pbs_body body = pbs_world_body_at(world, 0);
    assert_ok(pbs_body_set_positions(world, body, origin, 1));
    assert_ok(pbs_body_set_velocities(world, body, velocity, 1));
    pbs_integrator_desc d = describe(PBS_SCHEME_TRAPEZOIDAL, PBS_STEP_FORCE_ERROR, 0.1);
    d.step_control.max = d.step_control.initial = 0.1;
    use_integrator(world, &d);
    assert_status(pbs_world_step(world, 0.1), PBS_ERROR_INADMISSIBLE);
    assert_message("linearized step");
    // What fails inside and is overcome leaves no words.
    assert_status(pbs_world_step(world, -2.0), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_world_advance(world, 0.1));
    assert_message("is -2");
    assert_true(stats_of(world).step_control.rejected > 0);
    assert_int_equal(stats_of(world).failure.kind, PBS_FAILURE_NONE);
    pbs_world_destroy(world);
}

/// A spring pressed to half its length gives way sideways: the matrix of a step of 0.1 s has a
/// negative eigenvalue there, that of 0.01 s has not, nor has a projected one.
static void indefinite_matrices_are_refused(void **state) {
    (void)state;
    static const double positions[6] = {0.0, 0.0, 0.0, 0.05, 0.0, 0.0}, masses[2] = {1.0, 1.0};
    static const double velocities[6] = {0.0, 1.0, 0.0, 0.0, -1.0, 0.0};
    static const uint32_t stencil[2] = {0, 1};
    for (int project = 0; project < 2; project++) {
        pbs_world_desc w;
        pbs_expert_desc expert;
        assert_ok(pbs_world_desc_init(&w, sizeof w));
        expert_settings(&expert, &w);
        w.contact = PBS_CONTACT_PROJECTION;
        w.divisions = 0;
        expert.project_hessian = project;
        pbs_world *world = new_world_from(&w);
        pbs_custom_desc c;
        springs_describe(&c, 2, positions, masses, 1, stencil);
        c.velocities = velocities;
        pbs_body body;
        assert_ok(pbs_body_create_custom(world, &c, &body));
        pbs_integrator_desc d = describe(PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FIXED, 0.0);
        d.linearized = 1;
        use_integrator(world, &d);
        if (project == 0) {
            assert_status(pbs_world_step(world, 0.1), PBS_ERROR_INADMISSIBLE);
            assert_message("not positive definite");
            assert_int_equal(stats_of(world).linear.indefinite_solves, 1);
            assert_ok(pbs_world_step(world, 0.01));
        } else {
            assert_ok(pbs_world_step(world, 0.1));
        }
        pbs_world_destroy(world);
    }
}

/// A linear solve that is cut short is no step. One corner is held: what falls needs no iteration.
static void unsolved_linear_steps_are_refused(void **state) {
    (void)state;
    pbs_world_desc w;
    pbs_expert_desc expert;
    scene_settings(&w);
    expert_settings(&expert, &w);
    expert.linear_limit = 2;
    expert.preconditioner = PBS_PRECONDITIONER_NONE;
    expert.project_hessian = 1;
    pbs_world *world = new_world_from(&w);
    const uint32_t held = 0;
    const double corner[3] = {0.0, 1.0, 0.0};
    const pbs_body cube = add_cube(world, 4, 0.4, corner, NULL);
    assert_ok(pbs_body_pin(world, cube, &held, 1, PBS_AXIS_ALL));
    pbs_integrator_desc d = describe(PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FIXED, 0.0);
    d.linearized = 1;
    use_integrator(world, &d);
    const uint64_t before = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 0.05), PBS_ERROR_CONVERGENCE);
    assert_message("2 iterations");
    assert_true(pbs_world_hash(world) == before);
    pbs_world_destroy(world);
}

// --- bits and bytes ---

static pbs_world *new_scene(int index, size_t control, int32_t threads,
                            struct test_allocator *allocator) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.threads = threads;
    expert.project_hessian = 1;
    if (allocator != NULL) {
        d.allocator = test_allocator_hooks(allocator);
    }
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_world_register_callback(world, SPRING_TAG, spring_energy, NULL));
    if (index >= 0) {
        assert_ok(scene_fill(world, index));
        const pbs_integrator_desc settings = control_at(control);
        use_integrator(world, &settings);
    }
    return world;
}

static void advance(pbs_world *world, int count) {
    for (int i = 0; i < count; i++) {
        assert_ok(pbs_world_advance(world, 1.0 / 60.0));
    }
}

static int frames(void) {
    return testing_is_small() ? 4 : 16;
}

/// A duration of more than 1e9 of the longest steps is a mistake; nothing has moved.
static void endless_advances_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_world *world = new_spring(&no_wall, 0);
        const pbs_integrator_desc d = control_at(i);
        use_integrator(world, &d);
        const uint64_t before = pbs_world_hash(world);
        assert_status(pbs_world_advance(world, 1.01e9 * d.step_control.max), PBS_ERROR_ARGUMENT);
        assert_message("step_control.max");
        assert_true(pbs_world_hash(world) == before);
        pbs_world_destroy(world);
    }
}

static void threads_and_snapshots_change_no_bit(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        for (int index = 0; index < SCENE_COUNT; index++) {
            pbs_world *world = new_scene(index, i, 1, NULL);
            advance(world, frames());
            const struct saved_world saved = save_world(world);
            advance(world, frames());

            pbs_world *threaded = new_scene(index, i, 3, NULL);
            advance(threaded, 2 * frames());
            assert_true(pbs_world_hash(threaded) == pbs_world_hash(world));
            assert_true(stats_of(threaded).step_control.next == stats_of(world).step_control.next);
            pbs_world_destroy(threaded);

            pbs_world *restored = new_scene(-1, i, 2, NULL);
            assert_ok(pbs_world_restore(restored, saved.data, saved.size));
            advance(restored, frames());
            assert_true(pbs_world_hash(restored) == pbs_world_hash(world));
            assert_true(stats_of(restored).total.steps == stats_of(world).total.steps);
            free(saved.data);
            pbs_world_destroy(restored);
            pbs_world_destroy(world);
        }
    }
}

static void steady_advances_make_no_allocator_calls(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        pbs_world *world = new_scene(0, i, 1, &allocator);
        advance(world, 1);
        const uint64_t calls = allocator.allocate_count + allocator.release_count;
        advance(world, 3);
        assert_true(allocator.allocate_count + allocator.release_count == calls);
        pbs_world_destroy(world);
        assert_true(allocator.bytes_in_use == 0 && !allocator.was_misused);
    }
}

// --- bad settings ---

static void spoil_control(pbs_integrator_desc *d) {
    d->step_control.kind = 99;
}
static void spoil_rule(pbs_integrator_desc *d) {
    d->step_control.rule = -1;
}
static void spoil_linearized(pbs_integrator_desc *d) {
    d->linearized = 2;
}
static void forget_linearized(pbs_integrator_desc *d) {
    d->linearized = 0;
}
static void forget_longest(pbs_integrator_desc *d) {
    d->step_control.max = 0.0;
}
static void spoil_longest(pbs_integrator_desc *d) {
    d->step_control.max = INFINITY;
}
static void forget_tolerance(pbs_integrator_desc *d) {
    d->step_control.tolerance = 0.0;
}
static void spoil_tolerance(pbs_integrator_desc *d) {
    d->step_control.tolerance = NAN;
}
static void spoil_shortest(pbs_integrator_desc *d) {
    d->step_control.min = 0.06;
}
static void spoil_first(pbs_integrator_desc *d) {
    d->step_control.initial = -1.0;
}
static void spoil_exponent(pbs_integrator_desc *d) {
    d->step_control.exponent = -3.0;
}
static void spoil_safety(pbs_integrator_desc *d) {
    d->step_control.safety = 1.5;
}
static void spoil_growth(pbs_integrator_desc *d) {
    d->step_control.growth = 0.5;
}
static void linearize_bdf2(pbs_integrator_desc *d) {
    d->scheme = PBS_SCHEME_BDF2;
}
static void grow_bdf2(pbs_integrator_desc *d) {
    d->scheme = PBS_SCHEME_BDF2;
    d->linearized = 0;
    d->step_control.kind = PBS_STEP_DOUBLING;
    d->step_control.growth = 2.1;
}
static void ask_for_alpha(pbs_integrator_desc *d) {
    d->step_control.kind = PBS_STEP_ALPHA;
}

static void fix_alpha(pbs_integrator_desc *d) {
    d->scheme = PBS_SCHEME_A_1;
    d->linearized = 0;
    d->step_control.kind = PBS_STEP_ALPHA;
    d->energy_control.alpha_choice = PBS_ALPHA_FIXED;
}

static void bad_settings_are_refused(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(pbs_integrator_desc *d);
        const char *words;
    } rows[] = {
        {spoil_control, "step_control.kind"},
        {spoil_rule, "step_control.rule"},
        {spoil_linearized, "linearized"},
        {forget_linearized, "linearized steps only"},
        {forget_longest, "step_control.max"},
        {spoil_longest, "step_control.max"},
        {forget_tolerance, "step_control.toler"},
        {spoil_tolerance, "step_control.tolerance"},
        {spoil_shortest, "step_control.min"},
        {spoil_first, "step_control.initial"},
        {spoil_exponent, "step_control.exponent"},
        {spoil_safety, "step_control.safety"},
        {spoil_growth, "step_control.growth"},
        {linearize_bdf2, "implicit Euler, trapezoidal or"},
        {grow_bdf2, "step_control.growth"},
        {ask_for_alpha, "no energy control"},
        {fix_alpha, "needs a search"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_integrator_desc d = describe(PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FORCE_ERROR, 1e-3);
        rows[i].spoil(&d);
        pbs_integrator *integrator = NULL;
        assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
        assert_message(rows[i].words);
    }
    pbs_world *world = new_world();
    const double durations[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(durations); i++) {
        assert_status(pbs_world_advance(world, durations[i]), PBS_ERROR_ARGUMENT);
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearized_steps_are_those_of_the_paper),
        cmocka_unit_test(force_error_controls_as_the_formulas_do),
        cmocka_unit_test(fixed_steps_are_steps),
        cmocka_unit_test(doubling_goes_back_to_where_it_was),
        cmocka_unit_test(two_step_schemes_grow_by_two),
        cmocka_unit_test(deviations_of_alpha_control_the_error),
        cmocka_unit_test(the_deviation_of_alpha_is_from_one),
        cmocka_unit_test(advances_land_exactly_on_their_end),
        cmocka_unit_test(a_short_advance_does_not_spoil_the_next),
        cmocka_unit_test(pins_and_colliders_arrive_on_time),
        cmocka_unit_test(an_advance_that_fails_changes_nothing),
        cmocka_unit_test(unsolved_linear_systems_are_told),
        cmocka_unit_test(forbidden_steps_are_shortened),
        cmocka_unit_test(indefinite_matrices_are_refused),
        cmocka_unit_test(unsolved_linear_steps_are_refused),
        cmocka_unit_test(endless_advances_are_refused),
        cmocka_unit_test(threads_and_snapshots_change_no_bit),
        cmocka_unit_test(steady_advances_make_no_allocator_calls),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
