// Damping by the rate of strain through schemes: a pair of particles on a damped spring that turns
// and stretches, beside its equation of motion, and bodies that turn without stretching.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

#include "base/matrix3/math3.h"

enum { TURNING = 3 };

static const double mass = 1.0, stiffness = 20.0, rest_length = 1.0, damping_time = 0.05;

struct pair {
    double x[6], v[6];
};

/// About its centre of mass, of length l, turning at w about z.
static struct pair pair_of(double l, double w) {
    return (struct pair){{-0.5 * l, 0.0, 0.0, 0.5 * l, 0.0, 0.0},
                         {0.0, -0.5 * l * w, 0.0, 0.0, 0.5 * l * w, 0.0}};
}

static pbs_world *pair_world(pbs_integrator *integrator, const struct pair *pair, double damping,
                             pbs_body *body) {
    const uint32_t ends[2] = {0, 1};
    const double masses[2] = {mass, mass};
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.tolerance = 1e-10;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_springs_desc d;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.no_gravity = 1;
    d.vertex_count = 2;
    d.positions = pair->x;
    d.velocities = pair->v;
    d.masses = masses;
    d.spring_count = 1;
    d.springs = ends;
    d.stiffness = stiffness;
    d.rest_lengths = &rest_length;
    d.damping = damping;
    assert_ok(pbs_body_create_springs(world, &d, body));
    return world;
}

/// r'' = -2/m (k (l - l0) + c l') r / l of the vector between the ends, and of the energy lost c
/// l'^2.
static void pair_rates(const double state[5], double rates[5]) {
    const double l = sqrt(state[0] * state[0] + state[1] * state[1]);
    const double along = (state[0] * state[2] + state[1] * state[3]) / l;
    const double pull = stiffness * (l - rest_length) + damping_time * stiffness * along;
    rates[0] = state[2];
    rates[1] = state[3];
    rates[2] = -2.0 / mass * pull * state[0] / l;
    rates[3] = -2.0 / mass * pull * state[1] / l;
    rates[4] = damping_time * stiffness * along * along;
}

/// By the classical Runge-Kutta method, to 1e-12.
static void pair_exact(const struct pair *pair, double time, double state[5]) {
    static const double into[4] = {0.0, 0.5, 0.5, 1.0}, share[4] = {1.0, 2.0, 2.0, 1.0};
    const int count = 20000;
    const double h = time / count;
    for (int i = 0; i < 2; i++) {
        state[i] = pair->x[3 + i] - pair->x[i];
        state[2 + i] = pair->v[3 + i] - pair->v[i];
    }
    state[4] = 0.0;
    for (int n = 0; n < count; n++) {
        double k[5] = {0.0}, at[5], sum[5] = {0.0};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 5; i++) {
                at[i] = state[i] + into[s] * h * k[i];
            }
            pair_rates(at, k);
            for (int i = 0; i < 5; i++) {
                sum[i] += share[s] * k[i];
            }
        }
        for (int i = 0; i < 5; i++) {
            state[i] += h / 6.0 * sum[i];
        }
    }
}

/// max(|dx|, |dv|) of the vector between the ends after a second. Every other step is longer, so
/// that histories are of other lengths than steps.
static double pair_error(pbs_integrator *integrator, int n, const double exact[5]) {
    const struct pair pair = pair_of(1.2, TURNING);
    pbs_body body;
    pbs_world *world = pair_world(integrator, &pair, damping_time, &body);
    for (int i = 0; i < n; i++) {
        assert_ok(pbs_world_step(world, (i % 2 == 0 ? 0.9 : 1.1) / n));
    }
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    double error = 0.0;
    for (int i = 0; i < 2; i++) {
        error = fmax(error, fabs(x[3 + i] - x[i] - exact[i]));
        error = fmax(error, fabs(v[3 + i] - v[i] - exact[2 + i]));
    }
    pbs_world_destroy(world);
    return error;
}

/// Strains, whose rates are formed by the recipes of positions, leave a scheme its order; but for
/// decoupled SDIRK2, whose first stage lies beside the motion by as much as its rate is wrong.
static void damping_keeps_the_order(void **state) {
    (void)state;
    const struct pair pair = pair_of(1.2, TURNING);
    double exact[5];
    pair_exact(&pair, 1.0, exact);
    for (size_t i = 0; i < scheme_row_count; i++) {
        const struct scheme_row *row = &scheme_rows[i];
        const double slope = row->slopes[OSCILLATOR_CUBIC];
        if (slope == 0.0) {
            continue;
        }
        pbs_integrator *integrator = scheme_row_integrator(row);
        const double found = log2(pair_error(integrator, 200, exact) /
                                  pair_error(integrator, 400, exact));
        char what[64];
        snprintf(what, sizeof what, "scheme %d", (int)row->scheme);
        if (row->scheme == PBS_SCHEME_DECOUPLED_SDIRK2) {
            assert_true(found > 1.0);
        } else {
            assert_near(found, slope, slope == 2.0 ? 0.01 : 0.05, what);
        }
        pbs_integrator_destroy(integrator);
    }
}

/// All vertices are sent along, to a stretch of e along x: a body loses in a step what its damping
/// time over the step's length makes of twice its elastic energy, whatever it is made of. Strains
/// of second order, e / 2 of those of first order, are what the two differ by.
static void loss_when_stretched(pbs_world *world, pbs_body body, double damping, const char *what) {
    enum { MOST = 125 };
    const double e = 1e-5, h = 0.01;
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double targets[3 * MOST];
    uint32_t vertices[MOST];
    assert_in_range(count, 1, MOST);
    for (size_t i = 0; i < count; i++) {
        vertices[i] = (uint32_t)i;
        scale3(1.0, x + 3 * i, targets + 3 * i);
        targets[3 * i] *= 1.0 + e;
    }
    assert_ok(pbs_body_pin(world, body, vertices, count, PBS_AXIS_ALL));
    assert_ok(pbs_body_set_targets(world, body, vertices, count, targets));
    assert_ok(pbs_world_step(world, h));
    const pbs_energy energy = energy_of(world);
    assert_true(energy.elastic > 0.0);
    assert_near(energy.dissipated / (2.0 * damping / h * energy.elastic), 1.0, 10.0 * e, what);
    pbs_world_destroy(world);
}

static pbs_world *still_world(void) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.gravity[1] = 0.0;
    return new_world_from(&settings);
}

/// Stiffness and damping of a body come of the same thicknesses, areas and moduli.
static void bodies_lose_in_proportion_to_stiffness(void **state) {
    (void)state;
    const double origin[3] = {0.0, 0.0, 0.0}, damping = 0.02;
    pbs_world *world = still_world();
    pbs_shell_desc shell;
    assert_ok(pbs_shell_desc_init(&shell, sizeof shell));
    shell.thickness = 0.003;
    shell.poisson = 0.4;
    shell.damping = damping;
    pbs_body body = add_sheet(world, 4, 1.0, origin, &shell);
    loss_when_stretched(world, body, damping, "sheet");

    world = still_world();
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.poisson = 0.4;
    solid.damping = damping;
    body = add_cube(world, 2, 0.5, origin, &solid);
    loss_when_stretched(world, body, damping, "solid");

    world = still_world();
    const double x[9] = {0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 2.0, -0.5, 1.0}, masses[3] = {1.0, 1.0, 1.0};
    const double rest[2] = {sqrt(1.25), sqrt(3.0)};
    const uint32_t ends[4] = {0, 1, 1, 2};
    pbs_springs_desc springs;
    assert_ok(pbs_springs_desc_init(&springs, sizeof springs));
    springs.vertex_count = 3;
    springs.positions = x;
    springs.masses = masses;
    springs.spring_count = 2;
    springs.springs = ends;
    springs.rest_lengths = rest;
    springs.stiffness = 70.0;
    springs.damping = damping;
    assert_ok(pbs_body_create_springs(world, &springs, &body));
    loss_when_stretched(world, body, damping, "springs");
}

/// What damping takes out is c l'^2, to the order of the scheme.
static void losses_are_those_of_the_motion(void **state) {
    static const int32_t schemes[] = {
        PBS_SCHEME_BDF2,    PBS_SCHEME_TRAPEZOIDAL,       PBS_SCHEME_SDIRK2,
        PBS_SCHEME_TR_BDF2, PBS_SCHEME_IMPLICIT_MIDPOINT, PBS_SCHEME_GENERALIZED_ALPHA};
    const struct pair pair = pair_of(1.2, TURNING);
    double exact[5];
    (void)state;
    pair_exact(&pair, 1.0, exact);
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        double errors[2];
        for (int k = 0; k < 2; k++) {
            pbs_body body;
            pbs_integrator *integrator = scheme_integrator(schemes[i]);
            pbs_world *world = pair_world(integrator, &pair, damping_time, &body);
            const int n = k == 0 ? 200 : 400;
            for (int step = 0; step < n; step++) {
                assert_ok(pbs_world_step(world, 1.0 / n));
            }
            errors[k] = fabs(energy_of(world).dissipated - exact[4]);
            pbs_world_destroy(world);
            pbs_integrator_destroy(integrator);
        }
        assert_near(log2(errors[0] / errors[1]), 2.0, 0.01, "slope of the losses");
    }
}

static double angular_momentum(const pbs_world *world, pbs_body body) {
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    const double *m = pbs_body_masses(world, body);
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        double arm[3];
        cross3(x + 3 * i, v + 3 * i, arm);
        add_scaled3(sum, m[i], arm, sum);
    }
    return norm3(sum);
}

/// What keeps the pair's stretch to 1e-6.
static bool is_calm(int32_t scheme) {
    return scheme == PBS_SCHEME_TRAPEZOIDAL || scheme == PBS_SCHEME_IMPLICIT_MIDPOINT ||
           scheme == PBS_SCHEME_TR_BDF2 || scheme == PBS_SCHEME_ENERGY_BLENDING;
}

/// Stretched so that it turns without change. Whatever a scheme makes of its angular momentum in
/// two seconds of 1 ms, damping hardly adds to it: 5e-6 where the scheme slows it down, so that its
/// stretch does change, and where that is kept to 1e-6, as much with damping.
static void a_pair_that_turns_is_left_alone(void **state) {
    (void)state;
    const double l = rest_length / (1.0 - 0.5 * mass * TURNING * TURNING / stiffness);
    const struct pair pair = pair_of(l, TURNING);
    for (size_t i = 0; i < scheme_row_count; i++) {
        double kept[2];
        for (int damped = 0; damped < 2; damped++) {
            pbs_body body;
            pbs_integrator *integrator = scheme_row_integrator(&scheme_rows[i]);
            pbs_world *world = pair_world(integrator, &pair, damped * damping_time, &body);
            const double start = angular_momentum(world, body);
            for (int n = 0; n < 2000; n++) {
                assert_ok(pbs_world_step(world, 0.001));
            }
            kept[damped] = angular_momentum(world, body) / start;
            pbs_world_destroy(world);
            pbs_integrator_destroy(integrator);
        }
        char what[64];
        snprintf(what, sizeof what, "scheme %d", (int)scheme_rows[i].scheme);
        assert_near(kept[1], kept[0], 5e-6, what);
        if (is_calm(scheme_rows[i].scheme)) {
            assert_near(kept[1], 1.0, 1e-6, what);
        }
    }
}

/// Velocities of a rotation about the centre.
static void spin_body(pbs_world *world, pbs_body body, double rate) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double *v = calloc(3 * count, sizeof *v);
    for (size_t i = 0; i < count; i++) {
        v[3 * i] = -rate * x[3 * i + 1];
        v[3 * i + 1] = rate * x[3 * i];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

static pbs_body add_spinning(pbs_world *world, int kind) {
    static const double corner[3] = {-0.15, -0.15, -0.15}, flat[3] = {-0.15, 0.0, -0.15};
    if (kind == 0) {
        pbs_solid_desc d;
        assert_ok(pbs_solid_desc_init(&d, sizeof d));
        d.damping = 0.005;
        return add_cube(world, 3, 0.3, corner, &d);
    }
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.damping = 0.005;
    d.thickness = 0.005;
    return add_sheet(world, 5, 0.3, flat, &d);
}

/// By the midpoint rule, which keeps what forces without torque do: angular momentum stays, while
/// the start's vibration is damped out of a solid and of a shell that turn by ten radians. The
/// solver's tolerance leaves 1e-9.
static void solids_and_shells_keep_their_spin(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        pbs_world_desc settings;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.contact = PBS_CONTACT_PROJECTION;
        settings.relative_tolerance = 1e-10;
        settings.gravity[1] = 0.0;
        pbs_world *world = new_world_from(&settings);
        pbs_integrator *integrator = scheme_integrator(PBS_SCHEME_IMPLICIT_MIDPOINT);
        assert_ok(pbs_world_set_integrator(world, integrator));
        const pbs_body body = add_spinning(world, kind);
        spin_body(world, body, 10.0);
        const double start = angular_momentum(world, body);
        const double energy = energy_of(world).total;
        for (int n = 0; n < 500; n++) {
            assert_ok(pbs_world_step(world, 0.002));
        }
        assert_near(angular_momentum(world, body) / start, 1.0, 1e-8, "angular momentum");
        const pbs_energy end = energy_of(world);
        assert_true(end.dissipated > 1e-4 * energy);
        assert_true(end.dissipated < 0.1 * energy);
        pbs_world_destroy(world);
        pbs_integrator_destroy(integrator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping_keeps_the_order),
        cmocka_unit_test(losses_are_those_of_the_motion),
        cmocka_unit_test(bodies_lose_in_proportion_to_stiffness),
        cmocka_unit_test(a_pair_that_turns_is_left_alone),
        cmocka_unit_test(solids_and_shells_keep_their_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
