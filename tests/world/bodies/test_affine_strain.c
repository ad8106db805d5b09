// How stiff affine bodies are whose host does not say (docs/theory/affine_bodies.md section 4):
// bodies of any size look rigid under gravity, and a change of gravity moves none that lies still.
// SPDX-License-Identifier: MIT
#include "world/bodies/affine_strain.h"

#include "support/world_testing.h"

static const double EARTH = 9.81;

static pbs_world *world_with_gravity(double down) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -down;
    return new_world_from(&d);
}

/// A cube with its centre at that height. stiffness: 0: by gravity.
static pbs_body add_block(pbs_world *world, double side, double height, double stiffness) {
    const double sides[3] = {side, side, side};
    struct box_surface surface;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&surface, sides);
    box_surface_describe(&surface, &d);
    double low = surface.positions[1];
    for (size_t v = 1; v < 8; v++) {
        low = fmin(low, surface.positions[3 * v + 1]);
    }
    d.position[1] = height - low - 0.5 * side;
    d.stiffness = stiffness;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static double stiffness_of(const pbs_world *world, pbs_body body) {
    double stiffness = 0.0;
    assert_ok(pbs_body_parameter(world, body, PBS_PARAMETER_STIFFNESS, &stiffness, 1));
    return stiffness;
}

/// 200 times density, acceleration and diameter.
static double rigid(double side, double gravity) {
    return fmax(1e7, 200.0 * 1000.0 * gravity * sqrt(3.0) * side);
}

static double height_of(const pbs_world *world, pbs_body body, double *low) {
    const double *x = pbs_body_positions(world, body);
    double high = x[1];
    *low = x[1];
    for (size_t v = 1; v < 8; v++) {
        high = fmax(high, x[3 * v + 1]);
        *low = fmin(*low, x[3 * v + 1]);
    }
    return high - *low;
}

static double fastest(const pbs_world *world, pbs_body body) {
    const double *v = pbs_body_velocities(world, body);
    double largest = 0.0;
    for (size_t k = 0; k < 24; k++) {
        largest = fmax(largest, fabs(v[k]));
    }
    return largest;
}

static double determinant_of(const pbs_world *world, pbs_body body) {
    double position[3], map[9];
    assert_ok(pbs_body_transform(world, body, position, map));
    return map[0] * (map[4] * map[8] - map[5] * map[7]) -
           map[1] * (map[3] * map[8] - map[5] * map[6]) +
           map[2] * (map[3] * map[7] - map[4] * map[6]);
}

// --- looks rigid ---

/// Falls from half of its size, in steps of `share` of the time in which it falls its own length.
/// Landing strains it by sqrt(1 / (8 * 200 sqrt 3)) = 1.9 %, lying by less than 1/5000; a gap of
/// half a per cent of the size stays below it.
static void check_fall(double side, double h) {
    pbs_world *world = world_with_gravity(EARTH);
    (void)add_ground(world);
    const pbs_body body = add_block(world, side, side, 0.0);
    const double second = sqrt(side / EARTH);
    double least = 1.0, low;
    for (double t = 0.0; t < 15.0 * second; t += h) {
        assert_ok(pbs_world_step(world, h));
        least = fmin(least, determinant_of(world, body));
    }
    assert_true(least > 0.975);
    assert_near(determinant_of(world, body), 1.0, 1e-3, "determinant at rest");
    assert_near(height_of(world, body, &low) / side, 1.0, 1e-3, "height over size");
    assert_true(low > 0.0 && low < 0.01 * side);
    assert_small(fastest(world, body) / (side / second), 1e-3, "speed at rest");
    pbs_world_destroy(world);
}

static void blocks_of_any_size_land_rigid(void **state) {
    (void)state;
    for (double side = 1e-3; side < 2e3; side *= 10.0) {
        check_fall(side, sqrt(side / EARTH) / 19.0);
    }
    check_fall(100.0, 1.0 / 60.0);
    check_fall(1000.0, 1.0 / 24.0);
}

// --- the value ---

static void stiffness_follows_size_density_and_gravity(void **state) {
    (void)state;
    pbs_world *world = world_with_gravity(EARTH);
    const pbs_body small = add_block(world, 1.0, 1e4, 0.0);
    const pbs_body large = add_block(world, 100.0, 2e4, 0.0);
    const pbs_body given = add_block(world, 100.0, 3e4, 1e7);
    const double expected = rigid(100.0, EARTH);
    assert_near(stiffness_of(world, small), 1e7, 1e-6, "stiffness, Pa");
    assert_near(stiffness_of(world, large), expected, 1e-9 * expected, "stiffness, Pa");
    assert_near(stiffness_of(world, given), 1e7, 1e-6, "stiffness, Pa");
    const double twice[3] = {2.0 * EARTH, 0.0, 0.0};
    assert_ok(pbs_world_set_gravity(world, twice));
    assert_near(stiffness_of(world, large), 2.0 * expected, 1e-9 * expected, "stiffness, Pa");
    const double density = 3000.0;
    assert_ok(pbs_body_set_parameter(world, large, PBS_PARAMETER_DENSITY, &density, 1));
    assert_near(stiffness_of(world, large), 6.0 * expected, 1e-8 * expected, "stiffness, Pa");
    assert_near(stiffness_of(world, given), 1e7, 1e-6, "stiffness, Pa");
    pbs_world_destroy(world);
}

/// What falls on a body that gravity leaves alone is as fast as what falls on others.
static void gravity_of_one_body_counts_where_it_is_larger(void **state) {
    (void)state;
    pbs_world *world = world_with_gravity(EARTH);
    const pbs_body body = add_block(world, 100.0, 1e4, 0.0);
    const double expected = rigid(100.0, EARTH);
    assert_ok(pbs_body_set_gravity(world, body, 0.0, NULL));
    assert_near(stiffness_of(world, body), expected, 1e-9 * expected, "stiffness, Pa");
    const double added[3] = {0.0, 0.0, 3.0 * EARTH};
    assert_ok(pbs_body_set_gravity(world, body, 0.0, added));
    assert_near(stiffness_of(world, body), 3.0 * expected, 1e-8 * expected, "stiffness, Pa");
    pbs_world_destroy(world);
}

static void hosts_set_it_and_hand_it_back(void **state) {
    (void)state;
    pbs_world *world = world_with_gravity(EARTH);
    const pbs_body body = add_block(world, 100.0, 1e4, 0.0);
    const double expected = rigid(100.0, EARTH);
    const double soft = 3e5, none = 0.0;
    assert_ok(pbs_body_set_parameter(world, body, PBS_PARAMETER_STIFFNESS, &soft, 1));
    assert_near(stiffness_of(world, body), soft, 1e-9 * soft, "stiffness, Pa");
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(stiffness_of(world, body), soft, 1e-9 * soft, "stiffness, Pa");
    assert_ok(pbs_body_set_parameter(world, body, PBS_PARAMETER_STIFFNESS, &none, 1));
    assert_near(stiffness_of(world, body), expected, 1e-9 * expected, "stiffness, Pa");
    pbs_world_destroy(world);
}

/// The energies of a body stay finite beside any acceleration that a world takes.
static void absurd_gravity_stays_finite(void **state) {
    (void)state;
    pbs_world *world = world_with_gravity(1e300);
    const pbs_body body = add_block(world, 1e6, 1e9, 0.0);
    assert_true(isfinite(stiffness_of(world, body) * 1e18));
    pbs_world_destroy(world);
}

// --- gravity changes ---

/// The time in which such a block falls as far as it is long.
static double fall_time(double side, double gravity) {
    return sqrt(sqrt(3.0) * side / gravity);
}

static pbs_world *resting_block(double side, double gravity, double stiffness, pbs_body *body) {
    pbs_world *world = world_with_gravity(gravity);
    (void)add_ground(world);
    *body = add_block(world, side, 0.503 * side, stiffness);
    for (int n = 0; n < 200; n++) {
        assert_ok(pbs_world_step(world, 0.1 * fall_time(side, gravity)));
    }
    assert_small(fastest(world, *body), 1e-4 * sqrt(gravity * side), "speed at rest");
    return world;
}

/// The largest speed in the steps after gravity has changed, over sqrt(g L).
static double unrest(pbs_world *world, pbs_body body, double side, double gravity, double h) {
    const double down[3] = {0.0, -gravity, 0.0};
    double largest = 0.0, low;
    assert_ok(pbs_world_set_gravity(world, down));
    for (int n = 0; n < 250; n++) {
        assert_ok(pbs_world_step(world, h));
        largest = fmax(largest, fastest(world, body));
    }
    assert_near(height_of(world, body, &low) / side, 1.0, 1e-3, "height over size");
    return largest / sqrt(gravity * side);
}

/// Over sqrt(g L): how fast the top of a block moves at most that is solved by implicit Euler and
/// gets the new weight at once, at the stiffness k of before. With its bottom held it has the
/// energy 4 k V e^2 and the kinetic one rho V (L e')^2 / 6, which make a frequency of sqrt(24 k /
/// rho) / L, and is strained by rho g L / (16 k); the first step is the fastest. The gap below
/// gives way, which makes it slower.
static double speed_of_load(double side, double before, double after, double h) {
    const double stiffness = rigid(side, before);
    const double strain = 1000.0 * fabs(after - before) * side / (16.0 * stiffness);
    const double frequency = sqrt(24.0 * stiffness / 1000.0) / side;
    const double turn = h * frequency;
    return strain * side * frequency * turn / (1.0 + turn * turn) / sqrt(after * side);
}

/// What a change of gravity moves in a block that lies is the gap to the ground, as it does with a
/// block of a hundred times the stiffness, and what the load strains. That the stiffness follows
/// adds to this, that is to a block whose stiffness stays, no more than that the strain, 1/5500
/// under the own weight, goes back as fast as the stiffness grows: its length in sqrt(D / g).
static void check_change(double before, double after) {
    const double side = 100.0;
    const double h = 0.02 * fall_time(side, fmax(before, after));
    pbs_body body, stiff, constant;
    pbs_world *world = resting_block(side, before, 0.0, &body);
    pbs_world *other = resting_block(side, before, 100.0 * rigid(side, EARTH), &stiff);
    pbs_world *third = resting_block(side, before, rigid(side, before), &constant);
    const double with_stiff = unrest(other, stiff, side, after, h);
    const double with_constant = unrest(third, constant, side, after, h);
    const double own = unrest(world, body, side, after, h);
    const double strain = fmax(1.0, after / before) / (3200.0 * sqrt(3.0));
    assert_small(own - with_stiff, speed_of_load(side, before, after, h),
                 "speed over that of a stiff block");
    assert_near(own, with_constant, strain / sqrt(sqrt(3.0)),
                "speed beside that of a block whose stiffness stays");
    assert_near(stiffness_of(world, body), rigid(side, after), 1e-9 * rigid(side, after),
                "stiffness, Pa");
    pbs_world_destroy(world);
    pbs_world_destroy(other);
    pbs_world_destroy(third);
}

/// The call itself changes no energy of a strained body; steps change its stiffness.
static void stiffness_of_a_strained_body_changes_slowly(void **state) {
    (void)state;
    const double side = 100.0, h = 0.02 * fall_time(side, 5.0 * EARTH);
    const double down[3] = {0.0, -5.0 * EARTH, 0.0};
    pbs_body body;
    pbs_world *world = resting_block(side, EARTH, 0.0, &body);
    const double energy = energy_of(world).elastic;
    double last = stiffness_of(world, body);
    assert_near(last, rigid(side, EARTH), 1e-9 * last, "stiffness, Pa");
    assert_ok(pbs_world_set_gravity(world, down));
    assert_near(energy_of(world).elastic, energy, 1e-12 * energy, "elastic energy, J");
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(world, h));
        const double now = stiffness_of(world, body);
        assert_near(log(now / last), 0.02, 1e-9, "growth in a step");
        last = now;
    }
    pbs_world_destroy(world);
}

static void no_change_of_gravity_moves_what_lies(void **state) {
    (void)state;
    check_change(EARTH, 5.0 * EARTH);
    check_change(5.0 * EARTH, EARTH);
}

static void a_restored_world_goes_on_with_the_change(void **state) {
    (void)state;
    pbs_body body;
    pbs_world *world = resting_block(100.0, EARTH, 0.0, &body);
    const double gravity[3] = {0.0, -3.0 * EARTH, 0.0};
    assert_ok(pbs_world_set_gravity(world, gravity));
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(world, 0.05));
    }
    const double between = stiffness_of(world, body);
    assert_true(between > rigid(100.0, EARTH) && between < rigid(100.0, 3.0 * EARTH));
    const struct saved_world saved = save_world(world);
    pbs_world *restored = new_world();
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    for (int n = 0; n < 100; n++) {
        assert_ok(pbs_world_step(world, 0.05));
        assert_ok(pbs_world_step(restored, 0.05));
        assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
    }
    const double end = rigid(100.0, 3.0 * EARTH);
    assert_near(stiffness_of(restored, body), end, 1e-9 * end, "stiffness, Pa");
    free(saved.data);
    pbs_world_destroy(restored);
    pbs_world_destroy(world);
}

// --- what lies on a body ---

static const double CRUMB = 2e-3;

/// A block of 0.3 m and 54 kg above four crumbs of 2 mm, which gravity alone makes as stiff as 1e7
/// Pa. The block presses with 33 MPa; a cube of k = 1e7 Pa resists with no more than 8 k / sqrt(27)
/// = 15 MPa, which it does at 1 / sqrt(3) of its height.
struct pressed {
    pbs_world *world;
    pbs_body block, crumbs[4];
};

/// Without friction crumbs under a load slip and fall over.
static void make_rough(pbs_world *world, pbs_body body) {
    pbs_contact_desc d;
    assert_ok(pbs_contact_desc_init(&d, sizeof d));
    d.friction = 0.5;
    assert_ok(pbs_body_set_contact(world, body, &d));
}

static pbs_body add_crumb(pbs_world *world, double x, double z, double stiffness) {
    const pbs_body crumb = add_block(world, CRUMB, 0.55 * CRUMB, stiffness);
    double position[3], orientation[4];
    assert_ok(pbs_body_pose(world, crumb, position, orientation));
    position[0] += x;
    position[2] += z;
    assert_ok(pbs_body_set_pose(world, crumb, position, orientation));
    make_rough(world, crumb);
    return crumb;
}

static struct pressed press(double stiffness) {
    struct pressed p = {.world = world_with_gravity(EARTH)};
    const double density = 2000.0;
    (void)add_ground(p.world);
    for (int i = 0; i < 4; i++) {
        p.crumbs[i] = add_crumb(p.world, i % 2 == 0 ? 0.1 : -0.1, i / 2 == 0 ? 0.1 : -0.1,
                                stiffness);
    }
    p.block = add_block(p.world, 0.3, 1.2 * CRUMB + 0.15, 0.0);
    assert_ok(pbs_body_set_parameter(p.world, p.block, PBS_PARAMETER_DENSITY, &density, 1));
    make_rough(p.world, p.block);
    return p;
}

/// A step that is divided lands as well.
static void step_or_divide(pbs_world *world, double h) {
    const pbs_status status = pbs_world_step(world, h);
    assert_true(status == PBS_OK || status == PBS_DIVIDED);
}

/// Stiffness is raised as long as the step ends with strains above 0.1, from which the follow-up
/// goes on to 0.05; that is about the share of its height by which a crumb gives way.
static void crumbs_carry_what_lies_on_them(void **state) {
    (void)state;
    struct pressed p = press(0.0);
    const double before = stiffness_of(p.world, p.crumbs[0]);
    const double start = energy_of(p.world).total;
    double low;
    for (int n = 0; n < 120; n++) {
        step_or_divide(p.world, 1.0 / 60.0);
        assert_true(energy_of(p.world).total <= start);
        for (int i = 0; i < 4; i++) {
            assert_true(determinant_of(p.world, p.crumbs[i]) > 0.85);
        }
    }
    (void)height_of(p.world, p.block, &low);
    assert_near(low / CRUMB, 1.0, 0.06, "height of the block over that of the crumbs");
    assert_small(fastest(p.world, p.block), 1e-5, "speed at rest");
    for (int i = 0; i < 4; i++) {
        assert_near(determinant_of(p.world, p.crumbs[i]), 1.0, 0.06, "volume of a crumb");
        assert_small(fastest(p.world, p.crumbs[i]), 1e-5, "speed at rest");
        assert_true(stiffness_of(p.world, p.crumbs[i]) > before);
    }
    pbs_world_destroy(p.world);
}

/// The stiffness goes back to what gravity wants, within the time that it takes to fall over the
/// diameter for each factor of e.
static void crumbs_forget_what_lay_on_them(void **state) {
    (void)state;
    struct pressed p = press(0.0);
    const double before = stiffness_of(p.world, p.crumbs[0]);
    for (int n = 0; n < 30; n++) {
        step_or_divide(p.world, 1.0 / 60.0);
    }
    const double raised = stiffness_of(p.world, p.crumbs[0]);
    assert_true(raised > 2.0 * before);
    assert_ok(pbs_body_destroy(p.world, p.block));
    const double time = fall_time(CRUMB, EARTH) * log(raised / before);
    for (int n = 0; n < 2 + (int)(60.0 * time); n++) {
        assert_ok(pbs_world_step(p.world, 1.0 / 60.0));
    }
    assert_near(stiffness_of(p.world, p.crumbs[0]), before, 1e-9 * before, "stiffness, Pa");
    pbs_world_destroy(p.world);
}

static void a_load_changes_no_stiffness_of_the_host(void **state) {
    (void)state;
    struct pressed p = press(1e9);
    for (int n = 0; n < 30; n++) {
        assert_true(pbs_world_step(p.world, 1.0 / 60.0) >= 0);
    }
    assert_near(stiffness_of(p.world, p.crumbs[0]), 1e9, 1e-3, "stiffness, Pa");
    pbs_world_destroy(p.world);
}

/// Among the limits some are too low for what is tried after the stiffness has been raised.
static void a_step_that_fails_changes_no_stiffness(void **state) {
    (void)state;
    struct pressed p = press(0.0);
    const double before = stiffness_of(p.world, p.crumbs[0]);
    pbs_world_desc d = settings_of(p.world);
    pbs_status status = PBS_ERROR_CONVERGENCE;
    d.divisions = 0;
    d.newton_limit = 1;
    for (; status < 0; d.newton_limit++) {
        assert_ok(pbs_world_set_settings(p.world, &d));
        status = pbs_world_step(p.world, 1.0 / 60.0);
        for (int i = 0; i < 4 && status < 0; i++) {
            assert_near(stiffness_of(p.world, p.crumbs[i]), before, 0.0, "stiffness, Pa");
        }
    }
    assert_true(d.newton_limit > 2 && stiffness_of(p.world, p.crumbs[0]) > before);
    pbs_world_destroy(p.world);
}

/// Writes the handles of a unit cube that is stretched by `stretch` along one axis.
static void stretch_handles(double stretch, double x[12]) {
    for (size_t k = 0; k < 12; k++) {
        x[k] = k % 4 == 3 ? 1.0 : 0.0;
    }
    x[3] = stretch;
}

/// The stress of a cube of radius 1 that is stretched along one axis, over V: 4 k (C - S).
static double stress_of(const struct body *body, const double x[12]) {
    return 4.0 * body->affine.stiffness * (x[3] * x[3] - 1.0 - body->affine.rest_strain[0]);
}

/// A step that ends with a strain above .1 is repeated with 16 times the stiffness, and the stress
/// at its start is the same, so that the energy at the start becomes less: k |C - S|^2 is the
/// square of the stress over the stiffness.
static void repeated_steps_keep_the_stress(void **state) {
    (void)state;
    static const struct {
        double start, end; ///< e, (stretch^2 - 1) / 2
        bool is_repeated;
    } rows[] = {{0.0, 0.2, true},  {0.01, 0.2, true},   {0.09, 0.2, true}, {0.15, 0.2, true},
                {0.2, -0.2, true}, {0.15, 0.09, false}, {0.0, 0.09, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct body body = {.affine = {.stiffness = 1e7, .volume = 1.0, .radius = 1.0}};
        double start[12];
        double end[12];
        stretch_handles(sqrt(1.0 + 2.0 * rows[i].start), start);
        stretch_handles(sqrt(1.0 + 2.0 * rows[i].end), end);
        const double stress = stress_of(&body, start);
        assert_int_equal(affine_strain_relieve(&body, start, end), rows[i].is_repeated);
        assert_near(body.affine.stiffness, rows[i].is_repeated ? 1.6e8 : 1e7, 1e-6,
                    "stiffness, Pa");
        assert_near(stress_of(&body, start), stress, 1e-6, "stress, Pa");
        assert_int_equal(affine_strain_end_relief(&body, true), rows[i].is_repeated);
        assert_near(body.affine.stiffness, 1e7, 0.0, "stiffness after a failed run, Pa");
        assert_near(body.affine.rest_strain[0], 0.0, 0.0, "strain at rest after a failed run");
    }
}

/// So is the stress where a landed step leaves more strain than is carried; a strain that is small
/// is none of the body's own.
static void stiffening_keeps_the_stress(void **state) {
    (void)state;
    const double none[3] = {0.0, 0.0, 0.0};
    struct body body = {.affine = {.stiffness = 1e7, .volume = 1.0, .radius = 1.0, .density = 1e3}};
    double x[12];
    stretch_handles(sqrt(1.0 + 2.0 * 0.15), x);
    const double stress = stress_of(&body, x);
    assert_true(affine_strain_follow(&body, x, none, 1e-3));
    assert_near(body.affine.stiffness, 3e7, 1.0, "stiffness, Pa");
    assert_near(stress_of(&body, x), stress, 1e-6, "stress, Pa");
    assert_near(body.affine.rest_strain[0], 0.3 - 0.1, 1e-12, "strain at rest");
    assert_false(affine_strain_follow(&body, x, none, 1e-3));
}

/// The strain that a load has left stays while a stress of more than a tenth of it does, and then
/// goes back by a factor of e in 10 sqrt(D / g).
static void strains_go_back_when_the_load_has_gone(void **state) {
    (void)state;
    const double gravity[3] = {0.0, -EARTH, 0.0}, left = -0.2;
    struct body body = {.gravity.scale = 1.0,
                        .affine = {.volume = 1.0, .radius = 1.0, .density = 1e3}};
    double x[12];
    body.affine.stiffness = affine_strain_stiffness(&body, gravity);
    body.affine.rest_strain[0] = left;
    stretch_handles(sqrt(1.0 + 1.2 * left), x);
    assert_false(affine_strain_follow(&body, x, gravity, 0.1));
    assert_near(body.affine.rest_strain[0], left, 0.0, "strain under a load");
    stretch_handles(sqrt(1.0 + 1.05 * left), x);
    assert_true(affine_strain_follow(&body, x, gravity, 0.1));
    assert_near(body.affine.rest_strain[0], left * exp(-0.1 / (10.0 * sqrt(2.0 / EARTH))), 1e-12,
                "strain without one");
}

// --- what falls on a body ---

/// A block of 1 m and 7.8 t/m^3 that comes down turned on a crumb of 10 cm and 200 kg/m^3, which
/// its edge squeezes within a step or two.
struct squeezed {
    pbs_world *world;
    pbs_body block, crumb;
};

static struct squeezed squeeze(int32_t scheme) {
    struct squeezed s = {.world = world_with_gravity(EARTH)};
    const double heavy = 7800.0, light = 200.0;
    const double position[3] = {0.0, 1.3, 0.0};
    const double orientation[4] = {0.0, 0.0, sin(0.4), cos(0.4)};
    use_scheme(s.world, scheme);
    (void)add_ground(s.world);
    s.crumb = add_block(s.world, 0.1, 0.06, 0.0);
    s.block = add_block(s.world, 1.0, 1.3, 0.0);
    assert_ok(pbs_body_set_pose(s.world, s.block, position, orientation));
    assert_ok(pbs_body_set_parameter(s.world, s.crumb, PBS_PARAMETER_DENSITY, &light, 1));
    assert_ok(pbs_body_set_parameter(s.world, s.block, PBS_PARAMETER_DENSITY, &heavy, 1));
    make_rough(s.world, s.block);
    make_rough(s.world, s.crumb);
    return s;
}

/// Where the stiffness grew little by little under the load, it pushed the block up again with .2
/// of the energy that it had fallen with.
static void crumbs_throw_nothing_back(void **state) {
    (void)state;
    for (int i = 0; i < 24; i++) {
        // Other schemes give some of the speed back in hits.
        struct squeezed s = squeeze(PBS_SCHEME_IMPLICIT_EULER);
        const double h = 0.01 * pow(1.05, i);
        double least = energy_of(s.world).total;
        for (int n = 0; n < (int)(2.0 / h); n++) {
            step_or_divide(s.world, h);
            const double now = energy_of(s.world).total;
            // Steps may leave 1e-4 of the forces, which here are up to ten times the weight.
            assert_true(now <= least + 1e-3 * 7800.0 * EARTH);
            least = fmin(least, now);
        }
        pbs_world_destroy(s.world);
    }
}

/// What a load has left goes back when it has gone, saved in between or not, and sets nothing in
/// motion; what is placed anew has none.
static void crumbs_recover(void **state) {
    (void)state;
    struct squeezed s = squeeze(PBS_SCHEME_IMPLICIT_EULER);
    double low;
    for (int n = 0; n < 60; n++) {
        assert_ok(pbs_world_step(s.world, 0.0173));
    }
    assert_ok(pbs_body_destroy(s.world, s.block));
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(s.world, 0.0173));
    }
    const double squeezed = fabs(determinant_of(s.world, s.crumb) - 1.0);
    assert_true(squeezed > 1e-3);
    const struct saved_world saved = save_world(s.world);
    pbs_world *placed = new_world();
    pbs_world *restored = new_world();
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    assert_ok(pbs_world_restore(placed, saved.data, saved.size));
    free(saved.data);
    const pbs_body crumb = pbs_world_body_at(placed, 0);
    double position[3], orientation[4];
    assert_ok(pbs_body_pose(placed, crumb, position, orientation));
    position[1] += 0.05;
    assert_ok(pbs_body_set_pose(placed, crumb, position, orientation));
    assert_near(energy_of(placed).elastic, 0.0, 1e-12, "elastic energy, J");
    for (int n = 0; n < 2000; n++) {
        assert_ok(pbs_world_step(s.world, 0.0173));
        assert_ok(pbs_world_step(restored, 0.0173));
        assert_true(pbs_world_hash(s.world) == pbs_world_hash(restored));
        // Over the length in the time of recovery, 10 sqrt(D / g), is .08 m/s.
        assert_true(fastest(s.world, s.crumb) < 0.08);
    }
    (void)height_of(s.world, s.crumb, &low);
    assert_near(determinant_of(s.world, s.crumb), 1.0, 1e-3, "volume of the crumb");
    pbs_world_destroy(placed);
    pbs_world_destroy(restored);
    pbs_world_destroy(s.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_size_land_rigid),
        cmocka_unit_test(stiffness_follows_size_density_and_gravity),
        cmocka_unit_test(gravity_of_one_body_counts_where_it_is_larger),
        cmocka_unit_test(hosts_set_it_and_hand_it_back),
        cmocka_unit_test(absurd_gravity_stays_finite),
        cmocka_unit_test(stiffness_of_a_strained_body_changes_slowly),
        cmocka_unit_test(no_change_of_gravity_moves_what_lies),
        cmocka_unit_test(a_restored_world_goes_on_with_the_change),
        cmocka_unit_test(crumbs_carry_what_lies_on_them),
        cmocka_unit_test(crumbs_forget_what_lay_on_them),
        cmocka_unit_test(a_load_changes_no_stiffness_of_the_host),
        cmocka_unit_test(a_step_that_fails_changes_no_stiffness),
        cmocka_unit_test(repeated_steps_keep_the_stress),
        cmocka_unit_test(stiffening_keeps_the_stress),
        cmocka_unit_test(strains_go_back_when_the_load_has_gone),
        cmocka_unit_test(crumbs_throw_nothing_back),
        cmocka_unit_test(crumbs_recover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
