// A step that fails reports where and why, in its message and in pbs_stats: the body and vertex, or
// the pair, and what to change. In each scene only one answer is right.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

static const double UPRIGHT[4] = {0.0, 0.0, 0.0, 1.0};

static pbs_world_desc barrier_settings(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    fixed_barrier(&d);
    return d;
}

static pbs_solid_desc neo_hookean(double young) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.material = PBS_MATERIAL_NEO_HOOKEAN;
    d.young = young;
    return d;
}

static bool is_body(pbs_body a, pbs_body b) {
    return a.id == b.id;
}

/// No failure: null ids and zeros.
static void assert_no_failure(const pbs_world *world) {
    const pbs_stats stats = stats_of(world);
    assert_int_equal(stats.failure.kind, PBS_FAILURE_NONE);
    assert_int_equal(stats.failure.vertex, UINT32_MAX);
    assert_true(stats.failure.body.id == 0 && stats.failure.residual == 0.0);
    for (int s = 0; s < 2; s++) {
        assert_true(stats.failure.pair_bodies[s].id == 0);
        assert_true(stats.failure.pair_colliders[s].id == 0);
        assert_int_equal(stats.failure.pair_vertex_counts[s], 0);
    }
    assert_true(stats.failure.pair_gap == 0.0 && stats.failure.pair_force == 0.0);
    assert_true(stats.failure.joint.id == 0 && stats.failure.joint_gap == 0.0);
}

// --- residuals ---

/// A particle on two springs.
static pbs_body add_spring(pbs_world *world, const double v[9]) {
    static const double x[9] = {0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 1.0, 0.0};
    static const double masses[3] = {1.0, 1.0, 1.0};
    static const uint32_t springs[4] = {0, 2, 1, 2}, pinned[2] = {0, 1};
    const double rest[2] = {sqrt(2.0), sqrt(2.0)};
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 3;
    d.positions = x;
    d.velocities = v;
    d.masses = masses;
    d.spring_count = 2;
    d.springs = springs;
    d.rest_lengths = rest;
    d.stiffness = 1e6;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    assert_ok(pbs_body_pin(world, body, pinned, 2, PBS_AXIS_ALL));
    return body;
}

/// One at rest, one that flies: after one iteration only the second has a residual.
static void the_vertex_of_the_largest_residual_is_named(void **state) {
    (void)state;
    for (int lenient = 0; lenient < 2; lenient++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        expert_settings(&expert, &d);
        d.contact = PBS_CONTACT_PROJECTION;
        d.newton_limit = 1;
        d.divisions = 0;
        expert.initial_guess = PBS_GUESS_INERTIAL;
        expert.allow_unconverged = lenient;
        pbs_world *world = new_world_from(&d);
        const double v[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 30.0, 10.0, 5.0};
        add_spring(world, NULL);
        const pbs_body second = add_spring(world, v);
        assert_status(pbs_world_step(world, 0.05),
                      lenient ? PBS_NOT_CONVERGED : PBS_ERROR_CONVERGENCE);
        assert_message("not converged after 1 Newton iterations");
        assert_message("at vertex 2 of body 1");
        assert_message("raise newton_limit");
        const pbs_stats stats = stats_of(world);
        assert_int_equal(stats.failure.kind, PBS_FAILURE_RESIDUAL);
        assert_true(is_body(stats.failure.body, second));
        assert_int_equal(stats.failure.vertex, 2);
        // It is all of the residual.
        assert_near(stats.failure.residual, stats.newton.gradient_norm,
                    1e-9 * stats.newton.gradient_norm, "residual, N");
        assert_int_equal(stats.failure.pair_bodies[0].id, 0);
        pbs_world_destroy(world);
    }
}

/// A cube that falls onto the ground beside one that rests, with one iteration.
static void the_contact_of_the_largest_residual_is_named(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    d.newton_limit = 2;
    d.contact_stiffness = 10.0;
    d.relative_tolerance = 1e-12;
    pbs_world *world = new_world_from(&d);
    const pbs_solid_desc solid = neo_hookean(1e5);
    add_cube(world, 1, 0.1, (double[]){1.0, 0.1, 0.0}, &solid);
    const pbs_body falling = add_cube(world, 1, 0.1, (double[]){0.0, 0.0101, 0.0}, &solid);
    const pbs_collider ground = add_ground(world);
    double v[24];
    for (int k = 0; k < 24; k++) {
        v[k] = k % 3 == 1 ? -20.0 : 0.0;
    }
    assert_ok(pbs_body_set_velocities(world, falling, v, 8));
    // Lower where x and z are large: that corner is pushed most.
    double x[24];
    memcpy(x, pbs_body_positions(world, falling), sizeof x);
    size_t lowest = 0;
    for (size_t i = 0; i < 8; i++) {
        x[3 * i + 1] -= 0.04 * x[3 * i] + 0.02 * x[3 * i + 2];
        lowest = x[3 * i + 1] < x[3 * lowest + 1] ? i : lowest;
    }
    assert_int_not_equal(lowest, 0);
    assert_ok(pbs_body_set_positions(world, falling, x, 8));
    const uint64_t before = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_CONVERGENCE);
    assert_true(pbs_world_hash(world) == before);
    const pbs_stats stats = stats_of(world);
    assert_true(is_body(stats.failure.body, falling));
    assert_in_range(stats.failure.vertex, 0, 7);
    // The lower four of the cube's corners, and the ground, which has no vertices.
    assert_true(is_body(stats.failure.pair_bodies[0], falling));
    assert_true(stats.failure.pair_colliders[1].id == ground.id);
    assert_int_equal(stats.failure.pair_vertex_counts[0], 1);
    assert_int_equal(stats.failure.pair_vertex_counts[1], 0);
    const uint32_t vertex = stats.failure.pair_vertices[0];
    assert_int_equal(vertex, lowest);
    assert_true(stats.failure.pair_gap > 0.0 && stats.failure.pair_gap < d.contact_distance);
    assert_true(stats.failure.pair_force > 0.0 && stats.failure.pair_stiffness > 0.0);
    assert_message("of body 1 and collider 0 have a gap of");
    assert_ok(pbs_body_set_velocities(world, falling, (double[24]){0.0}, 8));
    assert_ok(pbs_world_step(world, 1e-4));
    assert_no_failure(world);
    pbs_world_destroy(world);
}

/// Of an affine body, all of whose contacts push on the same nodes, the contact that pushes most,
/// and its vertex.
static void the_hardest_contact_of_an_affine_body_is_named(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    d.newton_limit = 2;
    d.contact_stiffness = 10.0;
    d.relative_tolerance = 1e-12;
    pbs_world *world = new_world_from(&d);
    struct box_surface box;
    pbs_affine_desc affine;
    pbs_body body;
    box_surface_make(&box, (double[3]){0.1, 0.1, 0.1});
    box_surface_describe(&box, &affine);
    const double tilt[2] = {0.0005, -0.001};
    affine.orientation[0] = tilt[0];
    affine.orientation[2] = tilt[1];
    affine.orientation[3] = sqrt(1.0 - tilt[0] * tilt[0] - tilt[1] * tilt[1]);
    affine.position[1] = 0.0505;
    affine.velocity[1] = -1.0;
    assert_ok(pbs_body_create_affine(world, &affine, &body));
    const pbs_collider ground = add_ground(world);
    const double *x = pbs_body_positions(world, body);
    size_t lowest = 0, near = 0;
    for (size_t i = 0; i < 8; i++) {
        lowest = x[3 * i + 1] < x[3 * lowest + 1] ? i : lowest;
        near += x[3 * i + 1] < d.contact_distance;
    }
    assert_true(lowest != 0 && near == 4);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_CONVERGENCE);
    const pbs_stats stats = stats_of(world);
    assert_true(is_body(stats.failure.body, body));
    assert_int_equal(stats.failure.vertex, lowest);
    assert_int_equal(stats.failure.pair_vertices[0], lowest);
    assert_true(stats.failure.pair_colliders[1].id == ground.id);
    assert_message("of body 0, where vertex");
    pbs_world_destroy(world);
}

/// A barrier is said to be too soft where a hundredth of the contact distance or less is left, and
/// only there: the same fall into one that is soft, and into one a hundred thousand times stiffer.
static void a_soft_barrier_is_told_from_a_stiff_one(void **state) {
    (void)state;
    for (int stiff = 0; stiff < 2; stiff++) {
        pbs_world_desc d = barrier_settings();
        d.newton_limit = 2;
        d.contact_stiffness = stiff ? 1e6 : 10.0;
        d.relative_tolerance = 1e-12;
        pbs_world *world = new_world_from(&d);
        struct box_surface box;
        pbs_affine_desc affine;
        pbs_body body;
        box_surface_make(&box, (double[3]){0.1, 0.1, 0.1});
        box_surface_describe(&box, &affine);
        affine.position[1] = 0.0505;
        affine.velocity[1] = -1.0;
        assert_ok(pbs_body_create_affine(world, &affine, &body));
        add_ground(world);
        assert_status(pbs_world_step(world, 0.01), PBS_ERROR_CONVERGENCE);
        const double gap = stats_of(world).failure.pair_gap / d.contact_distance;
        assert_true(stiff ? gap > 0.01 && gap < 1.0 : gap > 0.0 && gap < 0.01);
        assert_int_equal(strstr(pbs_last_error(), "raise contact_stiffness") != NULL, !stiff);
        assert_message("newton_limit");
        pbs_world_destroy(world);
    }
}

// --- scripts ---

static pbs_collider add_plate(pbs_world *world, double y) {
    pbs_collider_desc c;
    pbs_collider plate;
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.shape = PBS_SHAPE_BOX;
    c.size[0] = c.size[2] = 0.3;
    c.size[1] = 0.01;
    c.position[1] = y;
    assert_ok(pbs_collider_create(world, &c, &plate));
    return plate;
}

/// Two plates that would meet, a cube between them and another one beside.
static void what_jams_the_script_is_named(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    const pbs_solid_desc solid = neo_hookean(1e6);
    pbs_world *world = new_world_from(&d);
    add_cube(world, 1, 0.1, (double[]){1.0, 0.0, 0.0}, &solid);
    const pbs_body pressed = add_cube(world, 1, 0.1, (double[]){-0.05, 0.0, -0.05}, &solid);
    const pbs_collider plates[2] = {add_plate(world, -0.02), add_plate(world, 0.12)};
    assert_ok(pbs_collider_set_motion(world, plates[0], (double[]){0.0, 0.05, 0.0}, UPRIGHT));
    assert_ok(pbs_collider_set_motion(world, plates[1], (double[]){0.0, 0.05, 0.0}, UPRIGHT));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_CONVERGENCE);
    assert_message("blocked");
    assert_message("body 1 and collider");
    const pbs_stats stats = stats_of(world);
    assert_int_equal(stats.failure.kind, PBS_FAILURE_BLOCKED);
    int bodies = 0, colliders = 0;
    for (int s = 0; s < 2; s++) {
        bodies += is_body(stats.failure.pair_bodies[s], pressed);
        colliders += stats.failure.pair_colliders[s].id == plates[0].id ||
                     stats.failure.pair_colliders[s].id == plates[1].id;
    }
    assert_true(bodies == 1 && colliders == 1);
    assert_true(stats.failure.pair_gap > 0.0 && stats.failure.pair_gap < d.contact_distance);
    pbs_world_destroy(world);
}

/// A target that turns the second body's tetrahedron inside out, or only flattens it.
static void the_element_that_a_target_inverts_is_named(void **state) {
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PROJECTION;
        d.divisions = 0;
        const pbs_solid_desc soft = neo_hookean(1e5);
        static const double x[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        static const uint32_t tet[4] = {0, 1, 2, 3}, held[4] = {0, 1, 2, 3};
        pbs_world *world = new_world_from(&d);
        add_cube(world, 1, 0.1, (double[]){3.0, 0.0, 0.0}, &soft);
        pbs_solid_desc solid = soft;
        solid.vertex_count = 4;
        solid.positions = x;
        solid.tet_count = 1;
        solid.tets = tet;
        pbs_body body;
        assert_ok(pbs_body_create_solid(world, &solid, &body));
        assert_ok(pbs_body_pin(world, body, held, 4, PBS_AXIS_ALL));
        const uint32_t top = 3;
        assert_ok(
            pbs_body_set_targets(world, body, &top, 1, (double[]){0.0, 0.0, flat ? 0.0 : -1.0}));
        assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
        assert_message("tetrahedron 0 of body 1");
        assert_message(flat ? "is flat" : "is inverted");
        const pbs_stats stats = stats_of(world);
        assert_int_equal(stats.failure.kind, PBS_FAILURE_ELEMENT);
        assert_true(is_body(stats.failure.body, body));
        assert_int_equal(stats.failure.vertex, 0);
        pbs_world_destroy(world);
    }
}

// --- hosts ---

struct moody {
    size_t stencil;
    int32_t reply;
};

static int32_t moody_energy(void *user, size_t stencil, const double *x, int32_t project,
                            double *value, double *gradient, double *hessian) {
    const struct moody *moody = user;
    (void)x;
    (void)project;
    if (value != NULL) {
        *value = 0.0;
    }
    if (gradient != NULL) {
        memset(gradient, 0, 3 * sizeof *gradient);
    }
    if (hessian != NULL) {
        memset(hessian, 0, 9 * sizeof *hessian);
    }
    return stencil == moody->stencil ? moody->reply : 0;
}

static pbs_body add_moody(pbs_world *world, struct moody *moody, int32_t concurrent) {
    static const double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0};
    static const double masses[3] = {1.0, 1.0, 1.0};
    static const uint32_t stencils[3] = {2, 1, 0};
    pbs_custom_desc d;
    pbs_body body;
    assert_ok(pbs_custom_desc_init(&d, sizeof d));
    d.width = 1;
    d.vertex_count = 3;
    d.positions = x;
    d.masses = masses;
    d.stencil_count = 3;
    d.stencils = stencils;
    d.evaluate = moody_energy;
    d.user = moody;
    d.concurrent = concurrent;
    d.tag = 1;
    assert_ok(pbs_body_create_custom(world, &d, &body));
    return body;
}

static void the_callback_that_refuses_is_named(void **state) {
    (void)state;
    for (int32_t k = 0; k < 4; k++) {
        struct moody calm = {.reply = 0}, moody = {.stencil = 1, .reply = k < 2 ? -1 : 1};
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PROJECTION;
        d.divisions = 0;
        pbs_world *world = new_world_from(&d);
        const pbs_solid_desc solid = neo_hookean(1e5);
        add_cube(world, 1, 0.1, (double[]){3.0, 0.0, 0.0}, &solid);
        add_moody(world, &calm, k % 2);
        const pbs_body body = add_moody(world, &moody, k % 2);
        assert_status(pbs_world_step(world, 0.01), k < 2 ? PBS_ERROR_HOST : PBS_ERROR_INADMISSIBLE);
        assert_message("of body 2");
        assert_message("stencil 1");
        const pbs_stats stats = stats_of(world);
        assert_int_equal(stats.failure.kind, PBS_FAILURE_HOST);
        assert_true(is_body(stats.failure.body, body));
        assert_int_equal(stats.failure.vertex, 1);
        moody.reply = 0;
        assert_ok(pbs_world_step(world, 0.01));
        assert_no_failure(world);
        pbs_world_destroy(world);
    }
}

// --- overlaps ---

/// Neither the beginning nor anything else than what the host did since the last step is blamed.
static void what_was_moved_into_what_is_said(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    const pbs_solid_desc solid = neo_hookean(1e5);
    pbs_world *world = new_world_from(&d);
    double x[24];
    add_ground(world);
    add_cube(world, 1, 0.1, (double[]){0.0, 0.1, 0.0}, &solid);
    const pbs_body moved = add_cube(world, 1, 0.1, (double[]){0.5, 0.1, 0.0}, &solid);
    assert_ok(pbs_world_step(world, 0.01));
    memcpy(x, pbs_body_positions(world, moved), sizeof x);
    for (int k = 0; k < 24; k += 3) {
        x[k] -= 0.45;
        x[k + 1] += 0.03;
        x[k + 2] += 0.02;
    }
    assert_ok(pbs_body_set_positions(world, moved, x, 8));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("of body 1");
    assert_message("of body 0");
    assert_message("was placed by pbs_body_set_positions");
    assert_null(strstr(pbs_last_error(), "created"));
    assert_null(strstr(pbs_last_error(), "begins"));
    const pbs_stats stats = stats_of(world);
    assert_int_equal(stats.failure.kind, PBS_FAILURE_OVERLAP);
    assert_true(is_body(stats.failure.pair_bodies[0], moved) ||
                is_body(stats.failure.pair_bodies[1], moved));
    assert_int_equal(stats.failure.pair_vertex_counts[0], 2);
    assert_int_equal(stats.failure.pair_vertex_counts[1], 3);
    // Sides are counted as they are named.
    assert_message(is_body(stats.failure.pair_bodies[0], moved) ? "; the first was placed"
                                                                : "; the second was placed");
    for (int k = 0; k < 24; k += 3) {
        x[k] += 0.45;
        x[k + 1] -= 0.15;
    }
    assert_ok(pbs_body_set_positions(world, moved, x, 8));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("no gap");
    assert_message("collider 0");
    assert_message(is_body(stats_of(world).failure.pair_bodies[0], moved)
                       ? "; the first was placed"
                       : "; the second was placed");
    assert_true(stats_of(world).failure.pair_gap < 0.0);
    pbs_world_destroy(world);
}

// --- joints ---

static pbs_body add_brick(pbs_world *world, double x, double height) {
    return add_box(world, (double[3]){0.2, height, height}, 1.0, (double[3]){x, 0.0, 0.0}, 1e7);
}

/// A ball joint between a place in space and a body's place in its own coordinates.
static pbs_joint add_ball(pbs_world *world, double x, double y, pbs_body body, double own) {
    pbs_joint_desc d;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_BALL;
    d.a = in_space(x, y, 0.0);
    d.b = on_body(body, own, 0.0, 0.0);
    assert_ok(pbs_joint_create(world, &d, &joint));
    return joint;
}

static void assert_open(const pbs_world *world, pbs_joint joint, double low, double high) {
    const pbs_stats stats = stats_of(world);
    assert_true(stats.failure.joint.id == joint.id);
    assert_true(stats.failure.joint_gap >= low && stats.failure.joint_gap <= high);
}

/// A joint is to pull a body through a pinned wall, 1.8 m from the body and 3 m before the place
/// that it is joined to: at the wall the gap is 3.1 m at least. Other joints, which hold, are not
/// named.
static void a_joint_across_a_wall_is_named(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    d.gravity[1] = 0.0;
    d.newton_limit = 60;
    pbs_world *world = new_world_from(&d);
    const pbs_body drawn = add_brick(world, 0.0, 0.2), swinging = add_brick(world, -3.0, 0.2);
    const pbs_body wall = add_brick(world, 2.0, 2.0);
    assert_ok(pbs_body_pin_all(world, wall));
    add_ball(world, -3.1, 0.0, swinging, -0.1);
    const pbs_joint open = add_ball(world, 5.0, 0.0, drawn, 0.0);
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_CONVERGENCE);
    assert_message("joint 1 (of pbs_world_joint_at) has the largest gap");
    assert_message("see what keeps the joint open");
    assert_open(world, open, 3.0, 5.1);
    assert_true(pbs_world_hash(world) == hash);
    assert_ok(pbs_joint_destroy(world, open));
    assert_ok(pbs_world_step(world, 0.01));
    assert_no_failure(world);
    pbs_world_destroy(world);
}

/// One point joined to two places that are 0.2 m apart is half way, or nearer to one of them.
static void a_joint_against_another_is_named(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    pbs_world *world = new_world_from(&d);
    const pbs_body body = add_brick(world, 0.0, 0.2);
    const pbs_joint joints[2] = {add_ball(world, 0.1, 0.0, body, 0.1),
                                 add_ball(world, 0.3, 0.0, body, 0.1)};
    assert_status(pbs_world_step(world, 0.01), PBS_NOT_CONVERGED);
    assert_message("it contradicts other joints or pinned vertices");
    const pbs_joint named = stats_of(world).failure.joint;
    assert_true(named.id == joints[0].id || named.id == joints[1].id);
    assert_open(world, named, 0.05, 0.2);
    assert_ok(pbs_joint_destroy(world, joints[1]));
    assert_ok(pbs_world_step(world, 0.01));
    assert_no_failure(world);
    pbs_world_destroy(world);
}

/// The same where contact is no potential: a hinge is to turn six times in one step.
static void a_limit_out_of_reach_is_named(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_brick(world, 0.0, 0.2);
    pbs_joint_desc d;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_HINGE;
    d.a = in_space(-0.1, 0.0, 0.0);
    d.b = on_body(body, -0.1, 0.0, 0.0);
    d.axis[2] = 1.0;
    d.lower = d.upper = 40.0;
    assert_ok(pbs_joint_create(world, &d, &joint));
    const pbs_status status = pbs_world_step(world, 0.01);
    assert_true(status == PBS_ERROR_CONVERGENCE || status == PBS_NOT_CONVERGED);
    assert_message("joint 0 (of pbs_world_joint_at)");
    assert_open(world, joint, 1e-6, INFINITY);
    pbs_world_destroy(world);
}

// --- sizes ---

/// Once printed as -1.
static void sizes_are_printed_as_sizes(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = new_world_from(&d);
    pbs_collider_desc c;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.shape = PBS_SHAPE_MESH;
    c.vertex_count = SIZE_MAX;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("vertex_count is 18446744073709551615, must be 1 to ");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vertex_of_the_largest_residual_is_named),
        cmocka_unit_test(the_contact_of_the_largest_residual_is_named),
        cmocka_unit_test(the_hardest_contact_of_an_affine_body_is_named),
        cmocka_unit_test(a_soft_barrier_is_told_from_a_stiff_one),
        cmocka_unit_test(what_jams_the_script_is_named),
        cmocka_unit_test(the_element_that_a_target_inverts_is_named),
        cmocka_unit_test(the_callback_that_refuses_is_named),
        cmocka_unit_test(what_was_moved_into_what_is_said),
        cmocka_unit_test(a_joint_across_a_wall_is_named),
        cmocka_unit_test(a_joint_against_another_is_named),
        cmocka_unit_test(a_limit_out_of_reach_is_named),
        cmocka_unit_test(sizes_are_printed_as_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
