// The table of schemes and joints in docs/integrators.md, row by row: which schemes move joints, of
// which order, and which land where limits are met, bodies are struck and joints break.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include <math.h>
#include <stdio.h>

#include "base/matrix3/math3.h"
#include "integrate/scheme.h"

static const double G = 9.81;

/// What the page says of a scheme.
struct cells {
    char joints[32], order[32], limits[32], struck[32], breaking[32];
};

// --- the page ---

/// Finds the row `PBS_SCHEME_` + name of the table under "## Joints".
static void read_row(const char *name, struct cells *out) {
    FILE *const page = fopen("docs/integrators.md", "r");
    char line[1024], wanted[64];
    bool is_there = false, found = false;
    assert_non_null(page);
    snprintf(wanted, sizeof wanted, "| `%s` |", name);
    while (!found && fgets(line, sizeof line, page) != NULL) {
        is_there = is_there || strncmp(line, "## Joints", 9) == 0;
        found = is_there && strncmp(line, wanted, strlen(wanted)) == 0;
    }
    fclose(page);
    assert_true(found);
    assert_int_equal(sscanf(line + strlen(wanted), " %31[^|]| %31[^|]| %31[^|]| %31[^|]| %31[^|]|",
                            out->joints, out->order, out->limits, out->struck, out->breaking),
                     5);
}

static bool says(const char *cell, const char *word) {
    return strncmp(cell, word, strlen(word)) == 0;
}

// --- worlds ---

static pbs_world *joint_world(int32_t scheme, int32_t contact) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = contact;
    d.gravity[1] = -G;
    pbs_world *world = new_world_from(&d);
    use_scheme(world, scheme);
    return world;
}

static double largest_gap(const pbs_world *world) {
    double gap = 0.0;
    for (size_t i = 0; i < pbs_world_joint_count(world); i++) {
        const pbs_joint_state s = joint_state_of(world, pbs_world_joint_at(world, i));
        gap = s.broken ? gap : fmax(gap, s.gap);
    }
    return gap;
}

struct outcome {
    bool landed;
    double gap; ///< m, the largest after a step that said PBS_OK or PBS_DIVIDED
};

static struct outcome run(pbs_world *world, int steps, double h) {
    struct outcome out = {.landed = true};
    for (int i = 0; i < steps && out.landed; i++) {
        const pbs_status status = pbs_world_step(world, h);
        out.landed = status >= 0;
        if (status == PBS_OK || status == PBS_DIVIDED) {
            out.gap = fmax(out.gap, largest_gap(world));
        }
    }
    pbs_world_destroy(world);
    return out;
}

/// Whether a cell is true: "lands" of all steps, and what lands has no gap in any case.
static void assert_cell(const char *cell, const char *scheme, const char *what,
                        struct outcome outcome) {
    if (says(cell, "lands") && !outcome.landed) {
        fail_msg("%s does not land: %s", scheme, what);
    }
    assert_true(says(cell, "lands") || says(cell, "may fail"));
    assert_small(outcome.gap, 1e-6, scheme);
}

// --- set-ups ---

/// The angle of a particle on a rod of 1 m after 1 s, let go at 1 rad.
static double swing(int32_t scheme, int steps) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[1] = -G;
    d.relative_tolerance = 1e-9;
    d.velocity_tolerance = 0.0;
    pbs_world *world = new_world_from(&d);
    use_scheme(world, scheme);
    const double at[3] = {sin(1.0), -cos(1.0), 0.0};
    const pbs_body weight = add_free_particle(world, 1.0, at, NULL);
    hang_on_rod(world, at_vertex(weight, 0), 1.0);
    for (int i = 0; i < steps; i++) {
        assert_true(pbs_world_step(world, 1.0 / steps) >= 0);
        assert_small(largest_gap(world), 1e-6, "gap");
    }
    const double *x = pbs_body_positions(world, weight);
    const double angle = atan2(x[0], -x[1]);
    pbs_world_destroy(world);
    return angle;
}

/// The same by 1e4 steps of Runge and Kutta.
static double exact_swing(void) {
    double q = 1.0, v = 0.0;
    const double h = 1e-4;
    for (int i = 0; i < 10000; i++) {
        const double k1 = v, l1 = -G * sin(q);
        const double k2 = v + 0.5 * h * l1, l2 = -G * sin(q + 0.5 * h * k1);
        const double k3 = v + 0.5 * h * l2, l3 = -G * sin(q + 0.5 * h * k2);
        const double k4 = v + h * l3, l4 = -G * sin(q + h * k3);
        q += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    return q;
}

static double measured_order(int32_t scheme) {
    const double exact = exact_swing();
    return log2(fabs(swing(scheme, 200) - exact) / fabs(swing(scheme, 400) - exact));
}

/// An arm that a motor presses against the limit of its hinge.
static struct outcome press_against_limit(int32_t scheme, int32_t contact) {
    const double sides[3] = {1.0, 0.1, 0.1}, at[3] = {0.5, 0.0, 0.0};
    pbs_world *world = joint_world(scheme, contact);
    const pbs_body arm = add_box(world, sides, 10.0, at, 1e7);
    pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, in_space(0.0, 0.0, 0.0),
                                      on_body(arm, -0.5, 0.0, 0.0));
    pbs_joint joint;
    d.axis[1] = 0.0;
    d.axis[2] = 1.0;
    d.motor_velocity = 5.0;
    d.motor_force = 1500.0;
    d.upper = 0.8;
    assert_ok(pbs_joint_create(world, &d, &joint));
    return run(world, 60, 1.0 / 60.0);
}

/// Two boxes on balls, of which the second has a swing limit; it begins with the velocity and spin.
static struct outcome swing_against_limit(int32_t scheme, int32_t contact, bool limited,
                                          double speed) {
    const double side[3] = {0.2, 0.2, 0.2}, first[3] = {0.0, 3.0, 0.0},
                 second[3] = {0.15, 2.7, 0.0};
    pbs_world *world = joint_world(scheme, contact);
    const pbs_body a = add_box(world, side, 1.0, first, 1e7);
    const pbs_body b = add_box(world, side, 1.0, second, 1e7);
    join(world, PBS_JOINT_BALL, in_space(0.0, 3.1, 0.0), on_body(a, 0.0, 0.1, 0.0));
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, on_body(a, 0.0, -0.1, 0.0),
                                      on_body(b, -0.15, 0.2, 0.0));
    pbs_joint joint;
    d.axis[0] = 0.1;
    d.axis[1] = 1.0;
    d.axis[2] = 0.2;
    if (limited) {
        d.swing_limit = 0.5;
        d.twist_lower = -0.3;
        d.twist_upper = 0.4;
    }
    const double v[3] = {0.3 * speed, 0.0, 0.1 * speed}, w[3] = {speed, 2.0 * speed, 3.0 * speed};
    assert_ok(pbs_joint_create(world, &d, &joint));
    assert_ok(pbs_body_set_motion(world, b, v, w));
    return run(world, 100, 0.01);
}

static struct outcome worse(struct outcome a, struct outcome b) {
    return (struct outcome){a.landed && b.landed, fmax(a.gap, b.gap)};
}

static struct outcome meet_limits(int32_t scheme) {
    struct outcome out = {.landed = true};
    for (int32_t contact = 0; contact < 2; contact++) {
        out = worse(out, press_against_limit(scheme, contact));
        out = worse(out, swing_against_limit(scheme, contact, true, 0.0));
    }
    return out;
}

/// A chain of three bars that falls onto the ground.
static struct outcome fall_onto_ground(int32_t scheme) {
    const double sides[3] = {0.18, 0.04, 0.04};
    pbs_world *world = joint_world(scheme, PBS_CONTACT_BARRIER);
    pbs_body bars[3];
    for (int i = 0; i < 3; i++) {
        const double at[3] = {0.2 * i, 0.3, 0.0};
        bars[i] = add_box(world, sides, 0.3, at, 1e7);
        if (i > 0) {
            join(world, PBS_JOINT_BALL, on_body(bars[i - 1], 0.1, 0.0, 0.0),
                 on_body(bars[i], -0.1, 0.0, 0.0));
        }
    }
    add_ground(world);
    return run(world, 60, 1.0 / 60.0);
}

static struct outcome strike(int32_t scheme) {
    struct outcome out = fall_onto_ground(scheme);
    for (int32_t contact = 0; contact < 2; contact++) {
        out = worse(out, swing_against_limit(scheme, contact, false, 3.0));
    }
    return out;
}

/// A chain of three bars whose upper joint breaks under the weight of what swings.
static struct outcome break_chain(int32_t scheme) {
    const double sides[3] = {0.18, 0.04, 0.04};
    struct outcome out = {.landed = true};
    for (int32_t contact = 0; contact < 2; contact++) {
        pbs_world *world = joint_world(scheme, contact);
        pbs_body bars[3];
        for (int i = 0; i < 3; i++) {
            const double at[3] = {0.1 + 0.2 * i, 0.0, 0.0};
            bars[i] = add_box(world, sides, 0.3, at, 1e7);
            pbs_joint_desc d = describe_joint(PBS_JOINT_BALL,
                                              i > 0 ? on_body(bars[i - 1], 0.1, 0.0, 0.0)
                                                    : in_space(0.0, 0.0, 0.0),
                                              on_body(bars[i], -0.1, 0.0, 0.0));
            pbs_joint joint;
            d.break_force = i == 0 ? 15.0 : d.break_force;
            assert_ok(pbs_joint_create(world, &d, &joint));
        }
        out = worse(out, run(world, 60, 0.01));
    }
    return out;
}

// --- the table ---

static void refuses(const struct scheme_table *scheme) {
    pbs_world *world = new_world();
    const double at[3] = {0.0, -1.0, 0.0};
    const pbs_body weight = add_free_particle(world, 1.0, at, NULL);
    hang_on_rod(world, at_vertex(weight, 0), 1.0);
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme->id));
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_true(pbs_world_set_integrator(world, integrator) < 0);
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
}

static void check(const char *name, const struct scheme_table *scheme) {
    struct cells cells;
    read_row(name, &cells);
    if (says(cells.joints, "refused")) {
        refuses(scheme);
        return;
    }
    if (!says(cells.order, "-")) {
        const double order = measured_order(scheme->id);
        print_message("%s: order %.2f\n", name, order);
        assert_near(order, atof(cells.order), 0.25, name);
    }
    assert_cell(cells.limits, name, "limits", meet_limits(scheme->id));
    assert_cell(cells.struck, name, "struck", strike(scheme->id));
    assert_cell(cells.breaking, name, "breaking", break_chain(scheme->id));
}

static void the_page_says_what_schemes_do_with_joints(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const struct scheme_table *scheme;
    } rows[] = {{"IMPLICIT_EULER", &scheme_implicit_euler},
                {"A_SEARCH", &scheme_a_search},
                {"A_1", &scheme_a_1},
                {"SPARSE_A_SEARCH", &scheme_sparse_a_search},
                {"BDF2", &scheme_bdf2},
                {"SECOND_ORDER_THETA", &scheme_second_order_theta},
                {"SDIRK2", &scheme_sdirk2},
                {"TR_BDF2", &scheme_tr_bdf2},
                {"DECOUPLED_SDIRK2", &scheme_decoupled_sdirk2},
                {"TRAPEZOIDAL", &scheme_trapezoidal},
                {"NEWMARK", &scheme_newmark},
                {"FIRST_ORDER_THETA", &scheme_first_order_theta},
                {"OUTER_THETA", &scheme_outer_theta},
                {"IMPLICIT_MIDPOINT", &scheme_implicit_midpoint},
                {"VARIATIONAL_MIDPOINT", &scheme_variational_midpoint},
                {"GENERALIZED_ALPHA", &scheme_generalized_alpha},
                {"INNER_THETA", &scheme_inner_theta},
                {"ENERGY_BLENDING", &scheme_energy_blending},
                {"SYMPLECTIC_EULER", &scheme_symplectic_euler},
                {"VELOCITY_VERLET", &scheme_velocity_verlet},
                {"VARIATIONAL_RIGHT_POINT", &scheme_variational_right_point},
                {"QUASI_STATIC", &scheme_quasi_static}};
    size_t count = 0;
    while (scheme_tables[count] != NULL) {
        count++;
    }
    assert_int_equal(count, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check(rows[i].name, rows[i].scheme);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_says_what_schemes_do_with_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
