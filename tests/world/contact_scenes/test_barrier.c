// Worlds with contact by barriers: nothing penetrates, contact carries weight and conserves
// momentum, and results are the same to the bit for any number of threads and after a restore.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"
#include "geometry/exact/intersection.h"
#include "support/numerics/hash.h"
#include "support/world_testing.h"

static const double GRAVITY = 9.8;

static pbs_world_desc barrier_settings(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
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

/// `count` cubes of 10 cm over one another, each turned a little further, over the ground.
static pbs_world *make_pile(const pbs_world_desc *d, size_t count, size_t cells, double young,
                            double friction) {
    pbs_world *world = new_world_from(d);
    const pbs_solid_desc solid = neo_hookean(young);
    add_ground(world);
    for (size_t i = 0; i < count; i++) {
        const double corner[3] = {0.02 * (double)i, 0.01 + 0.13 * (double)i, 0.01 * (double)i};
        const pbs_body body = add_cube(world, cells, 0.1, corner, &solid);
        const size_t vertices = pbs_body_vertex_count(world, body);
        double *x = malloc(3 * vertices * sizeof *x);
        memcpy(x, pbs_body_positions(world, body), 3 * vertices * sizeof *x);
        const double angle = 0.2 * (double)i;
        for (size_t v = 0; v < vertices; v++) {
            const double a = x[3 * v] - corner[0] - 0.05;
            const double b = x[3 * v + 2] - corner[2] - 0.05;
            x[3 * v] = corner[0] + 0.05 + a * cos(angle) - b * sin(angle);
            x[3 * v + 2] = corner[2] + 0.05 + a * sin(angle) + b * cos(angle);
        }
        assert_ok(pbs_body_set_positions(world, body, x, vertices));
        free(x);
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.friction = friction;
        assert_ok(pbs_body_set_contact(world, body, &contact));
    }
    return world;
}

/// No edge of any body meets a triangle of any, by an exact test over all pairs: each triangle's
/// sides count as edges.
static void assert_nothing_meets(const pbs_world *world) {
    for (size_t a = 0; a < pbs_world_body_count(world); a++) {
        for (size_t b = 0; b < pbs_world_body_count(world); b++) {
            const pbs_body body_a = pbs_world_body_at(world, a);
            const pbs_body body_b = pbs_world_body_at(world, b);
            const double *xa = pbs_body_positions(world, body_a);
            const double *xb = pbs_body_positions(world, body_b);
            const uint32_t *ta = NULL;
            const uint32_t *tb = NULL;
            size_t count_a = 0;
            size_t count_b = 0;
            assert_ok(pbs_body_surface(world, body_a, &ta, &count_a));
            assert_ok(pbs_body_surface(world, body_b, &tb, &count_b));
            for (size_t e = 0; e < 3 * count_a; e++) {
                const uint32_t p = ta[e];
                const uint32_t q = ta[e % 3 == 2 ? e - 2 : e + 1];
                for (size_t t = 0; t < count_b; t++) {
                    const uint32_t *own = tb + 3 * t;
                    const bool shared = a == b && (own[0] == p || own[1] == p || own[2] == p ||
                                                   own[0] == q || own[1] == q || own[2] == q);
                    const double *corners[3] = {xb + 3 * (size_t)own[0], xb + 3 * (size_t)own[1],
                                                xb + 3 * (size_t)own[2]};
                    if (!shared && segment_intersects_triangle(xa + 3 * (size_t)p,
                                                               xa + 3 * (size_t)q, corners)) {
                        fail_msg("bodies %zu and %zu meet", a, b);
                    }
                }
            }
        }
    }
}

static double lowest_vertex(const pbs_world *world) {
    double lowest = INFINITY;
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_body body = pbs_world_body_at(world, b);
        const double *x = pbs_body_positions(world, body);
        for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
            lowest = fmin(lowest, x[3 * v + 1]);
        }
    }
    return lowest;
}

static void throw_down(pbs_world *world, double speed) {
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_body body = pbs_world_body_at(world, b);
        const size_t count = pbs_body_vertex_count(world, body);
        double *v = calloc(3 * count, sizeof *v);
        for (size_t k = 0; k < count; k++) {
            v[3 * k + 1] = -speed;
        }
        assert_ok(pbs_body_set_velocities(world, body, v, count));
        free(v);
    }
}

/// Three cubes fall on each other and on the ground, at speeds from a fall of 3 cm to 30 m/s, in
/// steps from 1/30 to 1/240 s: no state has an intersection, and every gap is positive. The exact
/// Hessian needs more than 500 iterations for the fastest where linear solves are loose.
static void a_pile_never_interpenetrates(void **state) {
    (void)state;
    const struct {
        double h, speed;
        int steps, project;
    } cases[] = {{1.0 / 30.0, 0.0, 12, 1},
                 {1.0 / 240.0, 2.0, 30, 1},
                 {1.0 / 100.0, 30.0, 8, 1},
                 {1.0 / 100.0, 30.0, 8, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pbs_world_desc d = barrier_settings();
        pbs_expert_desc expert;
        expert_settings(&expert, &d);
        expert.project_hessian = cases[i].project;
        pbs_world *world = make_pile(&d, 3, 3, 1e5, 0.3);
        throw_down(world, cases[i].speed);
        for (int s = 0; s < cases[i].steps; s++) {
            assert_ok(pbs_world_step(world, cases[i].h));
            assert_true(stats_of(world).contact.least_gap > 0.0);
            assert_true(lowest_vertex(world) > 0.0);
            assert_nothing_meets(world);
        }
        pbs_world_destroy(world);
    }
}

/// Three cubes thrown at each other and at the ground.
static pbs_world *make_crash(const pbs_world_desc *d, double speed) {
    pbs_world *world = make_pile(d, 3, 3, 1e5, 0.0);
    throw_down(world, speed);
    return world;
}

static uint32_t iterations_of_a_crash(int32_t line_search, double speed) {
    pbs_world_desc d = barrier_settings();
    pbs_expert_desc expert;
    expert_settings(&expert, &d);
    expert.line_search = line_search;
    d.velocity_tolerance = 1e-3;
    pbs_world *world = make_crash(&d, speed);
    uint32_t iterations = 0;
    for (int s = 0; s < 12; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 100.0));
        iterations += stats_of(world).newton.iterations;
    }
    pbs_world_destroy(world);
    return iterations;
}

/// Semidefinite Hessians make full steps too short where cubes are crushed; a search that may go on
/// beyond them, and finds the pairs that are there, needs fewer.
static void searches_go_on_beyond_full_steps(void **state) {
    (void)state;
    uint32_t halving = 0;
    uint32_t wolfe = 0;
    for (double speed = 4.0; speed < 15.0; speed += 2.0) {
        halving += iterations_of_a_crash(PBS_LINE_SEARCH_BACKTRACKING, speed);
        wolfe += iterations_of_a_crash(PBS_LINE_SEARCH_WOLFE, speed);
    }
    print_message("%u iterations, %u where full steps are the longest\n", wolfe, halving);
    assert_true(100 * wolfe < 92 * halving);
}

/// The largest difference that ending by the length of steps makes to a crash, in tolerances.
static double error_of_short_steps(double speed, double tolerance) {
    const double h = 1.0 / 100.0;
    pbs_world_desc d = barrier_settings();
    pbs_expert_desc expert;
    expert_settings(&expert, &d);
    pbs_world *exact = make_crash(&d, speed);
    d.velocity_tolerance = tolerance;
    expert.velocity_rule = PBS_VELOCITY_STEP;
    pbs_world *ended = make_crash(&d, speed);
    double error = 0.0;
    for (int s = 0; s < 4; s++) {
        assert_ok(pbs_world_step(exact, h));
        assert_ok(pbs_world_step(ended, h));
    }
    for (size_t b = 0; b < pbs_world_body_count(exact); b++) {
        const pbs_body body = pbs_world_body_at(exact, b);
        const double *a = pbs_body_positions(exact, body);
        const double *c = pbs_body_positions(ended, pbs_world_body_at(ended, b));
        for (size_t k = 0; k < 3 * pbs_body_vertex_count(exact, body); k++) {
            error = fmax(error, fabs(a[k] - c[k]));
        }
    }
    pbs_world_destroy(exact);
    pbs_world_destroy(ended);
    return error / (tolerance * h);
}

/// A step that is short as its linear system was hardly solved says nothing: of a mean over five
/// speeds, 4.7 tolerances, 9.9 were left with residuals of a tenth, which contact alone fills.
static void short_steps_mean_what_they_say(void **state) {
    (void)state;
    double sum = 0.0;
    for (double speed = 0.1; speed < 2.0; speed *= 2.0) {
        sum += error_of_short_steps(speed, 0.1);
    }
    print_message("%.2f tolerances\n", sum / 5.0);
    assert_true(sum / 5.0 < 7.0);
}

/// A heavy cube hits a light sheet that is held all over, from within the reach of its barrier: the
/// barrier's force would send the sheet ahead of the cube if it were free, so an explicit guess
/// meets nothing unless it knows that the sheet stays. At 10 m/s a step is longer than the cube.
static void what_is_held_is_not_passed(void **state) {
    (void)state;
    for (int32_t guess = PBS_GUESS_BEST; guess <= PBS_GUESS_EXPLICIT; guess++) {
        pbs_world_desc d = barrier_settings();
        pbs_expert_desc expert;
        expert_settings(&expert, &d);
        expert.initial_guess = guess;
        pbs_world *world = new_world_from(&d);
        pbs_shell_desc sheet;
        assert_ok(pbs_shell_desc_init(&sheet, sizeof sheet));
        sheet.density = 1.0;
        sheet.thickness = 1e-4;
        const double corner[3] = {-0.2, 0.0, -0.2};
        const pbs_body held = add_sheet(world, 4, 0.4, corner, &sheet);
        assert_ok(pbs_body_pin_all(world, held));
        const pbs_solid_desc solid = neo_hookean(1e6);
        const double above[3] = {-0.04, 0.5e-3, -0.04};
        const pbs_body cube = add_cube(world, 2, 0.1, above, &solid);
        double v[3 * 27];
        assert_int_equal(pbs_body_vertex_count(world, cube), 27);
        for (size_t k = 0; k < 3 * 27; k++) {
            v[k] = k % 3 == 1 ? -10.0 : 0.0;
        }
        assert_ok(pbs_body_set_velocities(world, cube, v, 27));
        for (int s = 0; s < 3; s++) {
            assert_ok(pbs_world_step(world, 1.0 / 30.0));
            const double *x = pbs_body_positions(world, cube);
            for (size_t i = 0; i < 27; i++) {
                assert_true(x[3 * i + 1] > 0.0);
            }
        }
        pbs_world_destroy(world);
    }
}

/// Two cubes half a contact distance apart: as one affine body they do not feel each other, for no
/// map of theirs makes them meet; as one solid they do.
static void affine_bodies_do_not_touch_themselves(void **state) {
    (void)state;
    struct tet_mesh mesh = {0};
    struct tet_mesh other = {0};
    assert_true(shape_cube_grid(1, &mesh) && shape_cube_grid(1, &other));
    positions_translate(other.positions, other.vertex_count, 1.0 + 0.5e-3, 0.0, 0.0);
    assert_true(tet_mesh_append(&mesh, &other));
    for (int affine = 0; affine < 2; affine++) {
        const pbs_world_desc d = barrier_settings();
        pbs_world *world = new_world_from(&d);
        pbs_body body = {0};
        pbs_solid_desc solid = neo_hookean(1e6);
        solid.vertex_count = mesh.vertex_count;
        solid.positions = mesh.positions;
        solid.tet_count = mesh.tet_count;
        solid.tets = mesh.tets;
        pbs_affine_desc stiff;
        assert_ok(pbs_affine_desc_init(&stiff, sizeof stiff));
        stiff.vertex_count = mesh.vertex_count;
        stiff.positions = mesh.positions;
        stiff.tet_count = mesh.tet_count;
        stiff.tets = mesh.tets;
        assert_ok(affine ? pbs_body_create_affine(world, &stiff, &body)
                         : pbs_body_create_solid(world, &solid, &body));
        assert_ok(pbs_world_step(world, 1e-3));
        assert_true((stats_of(world).contact.active == 0) == (affine == 1));
        pbs_world_destroy(world);
    }
    tet_mesh_free(&mesh);
    tet_mesh_free(&other);
}

/// At rest the ground carries the pile's weight, and the cubes' potentials are positive: 2 cubes of
/// 1 kg. What is left of the motion after 2 s of implicit Euler, whose damping is strong, bounds
/// the difference.
static void the_ground_carries_the_weight(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = make_pile(&d, 2, 2, 1e5, 0.5);
    for (int s = 0; s < 100; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 50.0));
    }
    const pbs_contact_force felt = contact_force_on(world, pbs_world_collider_at(world, 0));
    assert_near(felt.force[1], -2.0 * GRAVITY, 1e-3 * GRAVITY, "weight on the ground, N");
    assert_true(energy_of(world).contact > 0.0);
    assert_true(stats_of(world).contact.active > 0);
    assert_true(stats_of(world).contact.least_gap > 0.0 &&
                stats_of(world).contact.least_gap < d.contact_distance);
    pbs_world_destroy(world);
}

/// Two cubes fly into each other without gravity: contact and friction forces are equal and
/// opposite, so momentum changes by no more than each step's tolerance lets it, tolerance times h a
/// step and axis.
static void momentum_is_kept_in_a_collision(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    d.gravity[1] = 0.0;
    pbs_world *world = new_world_from(&d);
    const pbs_solid_desc solid = neo_hookean(1e5);
    const double corners[2][3] = {{0.0, 0.0, 0.0}, {0.03, 0.12, 0.02}};
    for (int b = 0; b < 2; b++) {
        const pbs_body body = add_cube(world, 3, 0.1, corners[b], &solid);
        const size_t count = pbs_body_vertex_count(world, body);
        double *v = calloc(3 * count, sizeof *v);
        for (size_t k = 0; k < count; k++) {
            v[3 * k + 1] = b == 0 ? 3.0 : -1.0;
            v[3 * k] = b == 0 ? 0.5 : 0.0;
        }
        assert_ok(pbs_body_set_velocities(world, body, v, count));
        free(v);
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.friction = 0.4;
        assert_ok(pbs_body_set_contact(world, body, &contact));
    }
    const double expected[3] = {0.5, 2.0, 0.0};
    bool touched = false;
    double allowed = 1e-12;
    for (int s = 0; s < 20; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 200.0));
        const pbs_stats stats = stats_of(world);
        touched = touched || stats.contact.active > 0;
        // The sum of a gradient over n nodes is at most sqrt(n) times its norm.
        allowed += sqrt((double)stats.scene.nodes) * stats.newton.tolerance / 200.0;
        double momentum[3] = {0.0, 0.0, 0.0};
        for (size_t b = 0; b < 2; b++) {
            const pbs_body body = pbs_world_body_at(world, b);
            const double *v = pbs_body_velocities(world, body);
            const double *m = pbs_body_masses(world, body);
            for (size_t k = 0; k < 3 * pbs_body_vertex_count(world, body); k++) {
                momentum[k % 3] += m[k / 3] * v[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            assert_near(momentum[k], expected[k], allowed, "momentum, kg m/s");
        }
    }
    assert_true(touched);
    pbs_world_destroy(world);
}

static uint64_t run_pile(int32_t threads, int steps) {
    pbs_world_desc d = barrier_settings();
    d.threads = threads;
    pbs_world *world = make_pile(&d, 3, 3, 1e5, 0.3);
    for (int s = 0; s < steps; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    const uint64_t hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    return hash;
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    const uint64_t one = run_pile(1, 12);
    assert_true(one == run_pile(2, 12) && one == run_pile(3, 12));
}

/// Whatever the world remembers from one step to the next, a restored one does the same without: at
/// every step of a pile that comes together at 3 m/s.
static void a_restored_pile_goes_on_alike(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = make_pile(&d, 3, 3, 1e5, 0.3);
    const pbs_body top = pbs_world_body_at(world, 2);
    const size_t count = 3 * pbs_body_vertex_count(world, top);
    double *v = calloc(count, sizeof *v);
    for (size_t k = 0; k < count; k++) {
        v[k] = k % 3 == 1 ? -3.0 : 0.5;
    }
    assert_ok(pbs_body_set_velocities(world, top, v, count / 3));
    free(v);
    for (int s = 0; s < 20; s++) {
        struct saved_world saved = save_world(world);
        pbs_world *other = new_world();
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        free(saved.data);
        assert_ok(pbs_world_step(world, 1.0 / 100.0));
        assert_ok(pbs_world_step(other, 1.0 / 100.0));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        assert_true(energy_of(world).contact == energy_of(other).contact);
        pbs_world_destroy(other);
    }
    assert_true(stats_of(world).contact.active > 0);
    pbs_world_destroy(world);
}

/// Two cubes that overlap, and one that reaches below the ground, are refused with their names, and
/// nothing has changed.
static void what_begins_touching_is_refused(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    const pbs_solid_desc solid = neo_hookean(1e5);
    pbs_world *world = new_world_from(&d);
    add_cube(world, 1, 0.1, (double[]){0.0, 0.1, 0.0}, &solid);
    const pbs_body second = add_cube(world, 1, 0.1, (double[]){0.03, 0.13, 0.02}, &solid);
    const uint64_t before = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("intersection");
    assert_true(pbs_world_hash(world) == before);
    assert_ok(pbs_body_destroy(world, second));
    assert_ok(pbs_world_step(world, 0.01));
    add_ground(world);
    add_cube(world, 1, 0.1, (double[]){1.0, -0.05, 0.0}, &solid);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("no gap");
    pbs_world_destroy(world);
}

/// Wherever the host puts things between steps, also an affine body by its pose, which once was not
/// looked at, so that the energy was that of the place before.
static void what_is_put_through_something_is_refused(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = new_world_from(&d);
    struct box_surface box;
    pbs_affine_desc affine;
    pbs_body body;
    box_surface_make(&box, (double[3]){0.1, 0.1, 0.1});
    box_surface_describe(&box, &affine);
    affine.position[1] = 0.1;
    add_ground(world);
    assert_ok(pbs_body_create_affine(world, &affine, &body));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_set_pose(world, body, (double[3]){0.0, 0.02, 0.0},
                                (double[4]){0.0, 0.0, 0.0, 1.0}));
    assert_true(isinf(energy_of(world).contact));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("no gap");
    assert_ok(pbs_body_set_pose(world, body, (double[3]){0.0, 0.2, 0.0},
                                (double[4]){0.0, 0.0, 0.0, 1.0}));
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

static uint64_t newton_iterations(double velocity_tolerance, int32_t rule, double *height) {
    pbs_world_desc d = barrier_settings();
    pbs_expert_desc expert;
    expert_settings(&expert, &d);
    d.velocity_tolerance = velocity_tolerance;
    expert.velocity_rule = rule;
    pbs_world *world = make_pile(&d, 2, 2, 1e5, 0.3);
    for (int s = 0; s < 20; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    *height = lowest_vertex(world);
    const uint64_t iterations = stats_of(world).total.newton_iterations;
    pbs_world_destroy(world);
    return iterations;
}

/// A stage that may end by how little velocities change ends sooner, and the less it asks the
/// sooner; where it ends is as good as the tolerance: 1 cm/s for 20 steps of 1/60 s is 3 mm.
static void small_steps_end_a_stage(void **state) {
    (void)state;
    double height[3];
    const uint64_t by_gradient = newton_iterations(0.0, PBS_VELOCITY_STEP_AND_GAIN, &height[0]);
    const uint64_t by_gain = newton_iterations(1e-2, PBS_VELOCITY_STEP_AND_GAIN, &height[1]);
    const uint64_t by_step = newton_iterations(1e-2, PBS_VELOCITY_STEP, &height[2]);
    assert_true(by_gain < by_gradient && by_step <= by_gain);
    assert_near(height[1], height[0], 20.0 * 1e-2 / 60.0, "lowest vertex, m");
    assert_near(height[2], height[0], 20.0 * 1e-2 / 60.0, "lowest vertex, m");
}

/// Bodies of groups that leave each other alone fall through one another, and still feel the
/// ground.
static void masks_are_heeded(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = make_pile(&d, 2, 1, 1e5, 0.0);
    for (uint32_t b = 0; b < 2; b++) {
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.group = 1u << b;
        contact.mask = ~0u ^ 2u >> b;
        assert_ok(pbs_body_set_contact(world, pbs_world_body_at(world, b), &contact));
    }
    for (int s = 0; s < 60; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    // Both rest on the ground: the upper one would be 10 cm up.
    const double *x = pbs_body_positions(world, pbs_world_body_at(world, 1));
    assert_true(x[1] < 0.02);
    assert_true(lowest_vertex(world) > 0.0);
    pbs_world_destroy(world);
}

/// Two triangles that make a tray of 40 cm at y = 0.
static const double tray_vertices[12] = {-0.2, 0.0, -0.2, 0.2,  0.0, -0.2,
                                         0.2,  0.0, 0.2,  -0.2, 0.0, 0.2};
static const uint32_t tray_triangles[6] = {0, 2, 1, 0, 3, 2};

static pbs_collider_desc tray(void) {
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = 4;
    d.vertices = tray_vertices;
    d.triangle_count = 2;
    d.triangles = tray_triangles;
    return d;
}

/// A cube lies on a mesh, a box, a cylinder's end, and, with an offset, that much higher: within
/// the contact distance of what carries it; and goes on alike when restored.
static void bodies_rest_on_solid_colliders(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const pbs_world_desc d = barrier_settings();
        pbs_world *world = new_world_from(&d);
        pbs_collider_desc collider = tray();
        if (i == 1 || i == 2) {
            assert_ok(pbs_collider_desc_init(&collider, sizeof collider));
            collider.shape = i == 1 ? PBS_SHAPE_BOX : PBS_SHAPE_CYLINDER;
            collider.size[0] = 0.2;
            collider.size[1] = 0.1;
            collider.size[2] = 0.2;
            collider.position[1] = -0.1;
        }
        pbs_collider id;
        assert_ok(pbs_collider_create(world, &collider, &id));
        const pbs_solid_desc solid = neo_hookean(1e5);
        const pbs_body body = add_cube(world, 2, 0.1, (double[]){-0.05, 0.012, -0.05}, &solid);
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.offset = i == 3 ? 0.005 : 0.0;
        contact.friction = 0.5;
        assert_ok(pbs_body_set_contact(world, body, &contact));
        for (int s = 0; s < 60; s++) {
            assert_ok(pbs_world_step(world, 1.0 / 50.0));
        }
        struct saved_world saved = save_world(world);
        pbs_world *other = new_world();
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        free(saved.data);
        assert_ok(pbs_world_step(world, 1.0 / 50.0));
        assert_ok(pbs_world_step(other, 1.0 / 50.0));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        const double gap = lowest_vertex(world) - contact.offset;
        assert_true(gap > 0.0 && gap < d.contact_distance);
        const pbs_contact_force felt = contact_force_on(world, id);
        assert_near(felt.force[1], -GRAVITY, 1e-3 * GRAVITY, "weight on the collider, N");
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

static void wrong_meshes_are_refused(void **state) {
    (void)state;
    static const uint32_t wrong[6] = {0, 4, 1, 0, 3, 2};
    static const uint32_t twice[6] = {0, 2, 0, 0, 3, 2};
    static const double spoilt[12] = {NAN};
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = new_world_from(&d);
    pbs_world *projected = new_world();
    for (int i = 0; i < 7; i++) {
        pbs_collider_desc collider = tray();
        collider.triangles = i == 0 ? wrong : i == 1 ? twice : i == 2 ? NULL : collider.triangles;
        collider.vertices = i == 3 ? spoilt : i == 4 ? NULL : collider.vertices;
        collider.vertex_count = i == 5 ? 0 : 4;
        pbs_collider id = {7};
        assert_status(pbs_collider_create(i == 6 ? projected : world, &collider, &id),
                      i < 2 ? PBS_ERROR_MESH : PBS_ERROR_ARGUMENT);
        assert_true(id.id == 7);
    }
    assert_int_equal(pbs_world_collider_count(world), 0);
    pbs_world_destroy(projected);
    pbs_world_destroy(world);
}

static void settings_are_checked(void **state) {
    (void)state;
    pbs_world *world = NULL;
    for (int i = 0; i < 12; i++) {
        pbs_world_desc d = barrier_settings();
        pbs_expert_desc expert;
        expert_settings(&expert, &d);
        expert.adaptive_stiffness = i == 10 ? 2 : 0;
        d.processor_independent = i == 11 ? 2 : 0;
        d.velocity_tolerance = i == 6 ? -2.0 : d.velocity_tolerance;
        expert.velocity_rule = i == 7 ? 2 : expert.velocity_rule;
        d.friction_iterations = i == 8 ? 0 : i == 9 ? 101 : 1;
        d.contact = i == 0 ? 7 : d.contact;
        d.contact_distance = i == 1 ? -1e-3 : d.contact_distance;
        d.contact_stiffness = i == 2 ? NAN : d.contact_stiffness;
        d.slip_velocity = i == 3 ? -1.0 : d.slip_velocity;
        expert.barrier = i == 4 ? 2 : expert.barrier;
        expert.method = i == 5 ? PBS_METHOD_PLAIN_NEWTON : expert.method;
        assert_status(pbs_world_create(&d, &world), PBS_ERROR_ARGUMENT);
    }
    const pbs_world_desc d = barrier_settings();
    world = make_pile(&d, 1, 1, 1e5, 0.0);
    const pbs_body body = pbs_world_body_at(world, 0);
    for (int i = 0; i < 6; i++) {
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.surface_material = i == 4 ? PBS_SURFACE_MATERIALS : 0;
        contact.reserved = i == 5 ? 1 : 0;
        contact.friction = i == 0 ? -1.0 : contact.friction;
        contact.offset = i == 1 ? NAN : contact.offset;
        contact.touches_itself = i == 2 ? 2 : contact.touches_itself;
        assert_status(pbs_body_set_contact(world, i == 3 ? (pbs_body){12345} : body, &contact),
                      i == 3 ? PBS_ERROR_HANDLE : PBS_ERROR_ARGUMENT);
    }
    assert_status(pbs_body_set_contact(world, body, NULL), PBS_ERROR_ARGUMENT);
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_world_set_friction(NULL, 0, 0, 0.1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_friction(world, PBS_SURFACE_MATERIALS, 0, 0.1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_friction(world, 0, PBS_SURFACE_MATERIALS, 0.1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_friction(world, 0, 0, -0.1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_friction(world, 0, 0, NAN), PBS_ERROR_ARGUMENT);
    assert_true(pbs_world_hash(world) == hash);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_never_interpenetrates),
        cmocka_unit_test(searches_go_on_beyond_full_steps),
        cmocka_unit_test(short_steps_mean_what_they_say),
        cmocka_unit_test(what_is_held_is_not_passed),
        cmocka_unit_test(affine_bodies_do_not_touch_themselves),
        cmocka_unit_test(the_ground_carries_the_weight),
        cmocka_unit_test(momentum_is_kept_in_a_collision),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_restored_pile_goes_on_alike),
        cmocka_unit_test(what_begins_touching_is_refused),
        cmocka_unit_test(what_is_put_through_something_is_refused),
        cmocka_unit_test(small_steps_end_a_stage),
        cmocka_unit_test(masks_are_heeded),
        cmocka_unit_test(bodies_rest_on_solid_colliders),
        cmocka_unit_test(wrong_meshes_are_refused),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
