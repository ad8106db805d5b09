// Affine bodies that turn freely: a brick that starts close to its unstable axis, beside the
// table of docs/theory/affine_bodies.md section 4 and the rigid body of Euler's equations.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/svd3.h"
#include "support/world_testing.h"
#include "world/world.h"

static const double sides[3] = {0.1, 0.06, 0.03};
static const double spin[3] = {1.0, 20.0, 2.0};

struct outcome {
    double energy, momentum; ///< over those at the start
    double attitude;         ///< degrees from the rigid body's
    double stretch;          ///< largest singular value of A minus one, in all steps
};

/// Moments of inertia over the mass.
static void inertia(double out[3]) {
    for (int k = 0; k < 3; k++) {
        const double a = sides[(k + 1) % 3], b = sides[(k + 2) % 3];
        out[k] = (a * a + b * b) / 12.0;
    }
}

/// Rates of a rotation matrix (row-major) and of the angular velocity in the body's axes.
static void euler_rates(const double moment[3], const double state[12], double rate[12]) {
    const double *w = state + 9;
    const double cross[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    multiply33(state, cross, rate);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        rate[9 + k] = (moment[i] - moment[j]) * w[i] * w[j] / moment[k];
    }
}

/// The rigid body after `time`, by the classical Runge-Kutta method with steps of 10 microseconds.
static void rigid_rotation(double time, double rotation[9]) {
    double moment[3], state[12] = {0.0};
    const int count = (int)(time * 1e5 + 0.5);
    const double h = time / count;
    inertia(moment);
    identity33(state);
    copy3(spin, state + 9);
    for (int n = 0; n < count; n++) {
        static const double into[4] = {0.0, 0.5, 0.5, 1.0}, share[4] = {1.0, 2.0, 2.0, 1.0};
        double k[12] = {0.0}, at[12], sum[12] = {0.0};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 12; i++) {
                at[i] = state[i] + into[s] * h * k[i];
            }
            euler_rates(moment, at, k);
            for (int i = 0; i < 12; i++) {
                sum[i] += share[s] * k[i];
            }
        }
        for (int i = 0; i < 12; i++) {
            state[i] += h / 6.0 * sum[i];
        }
    }
    memcpy(rotation, state, 9 * sizeof *rotation);
}

static double angular_momentum(const pbs_world *world) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < world->scene.nodes.count; i++) {
        double arm[3];
        cross3(world->scene.nodes.x + 3 * i, world->scene.nodes.v + 3 * i, arm);
        add_scaled3(sum, world->scene.nodes.mass[i], arm, sum);
    }
    return norm3(sum);
}

/// The angle of the rotation that leads from one to the other, degrees: the squares of their
/// difference add to 8 sin^2(angle / 2).
static double angle_between(const double a[9], const double b[9]) {
    double square = 0.0;
    for (int i = 0; i < 9; i++) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return 2.0 * asin(fmin(1.0, sqrt(square / 8.0))) * 180.0 / 3.14159265358979323846;
}

static void note_stretch(const pbs_world *world, pbs_body body, struct outcome *out) {
    double matrix[9], u[9], s[3], v[9];
    assert_ok(pbs_body_transform(world, body, NULL, matrix));
    svd3(matrix, u, s, v);
    out->stretch = fmax(out->stretch, fmax(fabs(s[0] - 1.0), fabs(s[2] - 1.0)));
}

static struct outcome run(int32_t scheme, double stiffness, int steps_a_second) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-9;
    pbs_world *world = new_world_from(&settings);
    pbs_integrator_desc integrator;
    pbs_integrator *chosen = NULL;
    assert_ok(pbs_integrator_desc_init(&integrator, sizeof integrator, scheme));
    assert_ok(pbs_integrator_create(&integrator, &chosen));
    assert_ok(pbs_world_set_integrator(world, chosen));
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.stiffness = stiffness;
    copy3(spin, d.angular_velocity);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    const double energy = energy_of(world).total, momentum = angular_momentum(world);
    struct outcome out = {0};
    for (int n = 0; n < steps_a_second / 2; n++) {
        assert_ok(pbs_world_step(world, 1.0 / steps_a_second));
        note_stretch(world, body, &out);
    }
    double matrix[9], rotation[9], rigid[9];
    assert_ok(pbs_body_transform(world, body, NULL, matrix));
    polar3(matrix, rotation);
    rigid_rotation(0.5, rigid);
    out.energy = energy_of(world).total / energy;
    out.momentum = angular_momentum(world) / momentum;
    out.attitude = angle_between(rotation, rigid);
    pbs_world_destroy(world);
    pbs_integrator_destroy(chosen);
    return out;
}

/// Of the reference's table, for a stiffness of 1e8 Pa.
struct row {
    int32_t scheme;
    int steps_a_second;
    double energy, momentum, attitude;
};

static const struct row rows[] = {
    {PBS_SCHEME_IMPLICIT_EULER, 120, 0.231, 0.484, 165.0},
    {PBS_SCHEME_IMPLICIT_EULER, 1200, 0.749, 0.869, 44.0},
    {PBS_SCHEME_BDF2, 120, 0.900, 0.952, 30.0},
    {PBS_SCHEME_BDF2, 1200, 0.9992, 0.9996, 0.3},
    {PBS_SCHEME_A_1, 120, 0.985, 0.969, 29.0},
    {PBS_SCHEME_A_1, 1200, 0.9999, 0.99995, 0.3},
    // The reference's search has 0.970, 0.985, 30 degrees and 1.0000, 1.0001, 0.4: its correction
    // has a rotation.
    {PBS_SCHEME_A_SEARCH, 120, 1.0028, 1.000, 14.0},
    {PBS_SCHEME_A_SEARCH, 1200, 1.0000, 1.0000, 0.1},
};

/// Energies and momenta within 2 % as the reference wants it, and their losses too where the
/// table has the digits (one in the last is allowed); angles within 2 % and half their last digit.
static void spins_are_those_of_the_table(void **state) {
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct row *row = &rows[r];
        const struct outcome found = run(row->scheme, 1e8, row->steps_a_second);
        const double last = row->attitude < 1.0 ? 0.05 : 0.5;
        assert_near(found.energy, row->energy, 0.02 * row->energy, "energy");
        assert_near(found.momentum, row->momentum, 0.02 * row->momentum, "angular momentum");
        assert_near(1.0 - found.energy, 1.0 - row->energy,
                    0.02 * (1.0 - row->energy) + (row->energy > 0.999 ? 1e-4 : 1e-3),
                    "lost energy");
        assert_near(found.attitude, row->attitude, 0.02 * row->attitude + last, "attitude");
    }
}

/// A body that turns at w stretches along an axis of moment S by S w^2 / (8 k V); the start at no
/// stretch swings to twice that. Schemes that do not damp add what they overshoot.
static void stretch_falls_with_stiffness(void **state) {
    (void)state;
    const double moment = 1000.0 * sides[0] * sides[0] / 12.0; // per volume
    const double expected = moment * (spin[1] * spin[1] + spin[2] * spin[2]) / 8.0;
    for (double stiffness = 1e5; stiffness <= 1e8; stiffness *= 10.0) {
        const struct outcome damped = run(PBS_SCHEME_IMPLICIT_EULER, stiffness, 120);
        assert_near(damped.stretch, expected / stiffness, 0.1 * expected / stiffness, "damped");
        const struct outcome lively = run(PBS_SCHEME_A_1, stiffness, 120);
        assert_true(lively.stretch < 3.0 * expected / stiffness);
    }
}

/// Where motion is stiff, SDIRK2's first stage, a short implicit Euler step, costs it an order:
/// half the step loses little less than half the energy. TR-BDF2 keeps both its orders, and a
/// hundredth of the losses (docs/integrators.md).
static void a_stiff_body_costs_sdirk2_an_order(void **state) {
    (void)state;
    double sdirk2[2];
    double tr_bdf2[2];
    for (int k = 0; k < 2; k++) {
        sdirk2[k] = 1.0 - run(PBS_SCHEME_SDIRK2, 1e8, 250 << k).energy;
        tr_bdf2[k] = 1.0 - run(PBS_SCHEME_TR_BDF2, 1e8, 250 << k).energy;
    }
    assert_true(sdirk2[0] < 2.2 * sdirk2[1]);
    assert_true(tr_bdf2[0] > 3.5 * tr_bdf2[1]);
    assert_true(sdirk2[1] > 100.0 * tr_bdf2[1]);
}

/// At 1e-10 of the reference force, which rounding of the stretch alone exceeds now and then, steps
/// land all the same: with what is left below the energy's rounding, or below that of the places.
static void tolerances_below_rounding_land(void **state) {
    static const struct {
        int32_t scheme;
        double h;
    } settings[] = {{PBS_SCHEME_IMPLICIT_EULER, 1.0 / 60.0},
                    {PBS_SCHEME_SDIRK2, 0.002},
                    {PBS_SCHEME_TR_BDF2, 0.001}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.relative_tolerance = 1e-10;
        d.gravity[1] = 0.0;
        pbs_world *world = new_world_from(&d);
        pbs_integrator_desc integrator;
        pbs_integrator *chosen = NULL;
        assert_ok(pbs_integrator_desc_init(&integrator, sizeof integrator, settings[i].scheme));
        assert_ok(pbs_integrator_create(&integrator, &chosen));
        assert_ok(pbs_world_set_integrator(world, chosen));
        struct box_surface box;
        pbs_affine_desc body;
        pbs_body brick;
        box_surface_make(&box, sides);
        box_surface_describe(&box, &body);
        body.stiffness = 1e8;
        copy3(spin, body.angular_velocity);
        assert_ok(pbs_body_create_affine(world, &body, &brick));
        for (int n = 0; n < 200; n++) {
            assert_ok(pbs_world_step(world, settings[i].h));
            assert_true(stats_of(world).newton.iterations < 60);
        }
        pbs_world_destroy(world);
        pbs_integrator_destroy(chosen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spins_are_those_of_the_table),
        cmocka_unit_test(stretch_falls_with_stiffness),
        cmocka_unit_test(a_stiff_body_costs_sdirk2_an_order),
        cmocka_unit_test(tolerances_below_rounding_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
