// Obstacles and forbidden states under every scheme: what ends a step is outside all obstacles and
// of finite energy, bodies settle, contact forces carry weights, friction is Coulomb's.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

static pbs_world *new_scene(const struct scheme_table *scheme, uint32_t divisions) {
    pbs_world_desc d;
    scene_settings(&d);
    d.divisions = divisions;
    pbs_world *world = new_world_from(&d);
    pbs_integrator *integrator = scheme_integrator(scheme->id);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    return world;
}

/// Explicit steps must resolve the fastest motion.
static int substeps_of(const struct scheme_table *scheme) {
    return scheme->stage_limit == 0 ? 16 : 1;
}

static pbs_solid_desc solid_of(double young, double damping, double drag) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.young = young;
    d.damping = damping;
    d.drag = drag;
    return d;
}

// --- outside, at the end of each step ---

enum { FLOOR, BALL, LIFT, OBSTACLES };

static pbs_collider add_obstacle(pbs_world *world, int kind) {
    pbs_collider_desc d;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = kind == BALL ? PBS_SHAPE_SPHERE : kind == LIFT ? PBS_SHAPE_BOX : PBS_SHAPE_HALF_SPACE;
    d.size[0] = kind == LIFT ? 1.0 : 0.2;
    d.size[1] = 0.1;
    d.size[2] = 1.0;
    d.position[1] = kind == BALL ? -0.2 : kind == LIFT ? -0.1 : 0.0;
    d.friction = 0.2;
    assert_ok(pbs_collider_create(world, &d, &collider));
    return collider;
}

/// Signed distance; height: of the lift's centre.
static double distance_to(int kind, double height, const double x[3]) {
    if (kind == BALL) {
        return sqrt(x[0] * x[0] + (x[1] + 0.2) * (x[1] + 0.2) + x[2] * x[2]) - 0.2;
    }
    if (kind == LIFT && (fabs(x[0]) > 1.0 || fabs(x[2]) > 1.0)) {
        return 1.0;
    }
    return kind == LIFT ? x[1] - height - 0.1 : x[1];
}

static double deepest(const pbs_world *world, pbs_body body, int kind, double height) {
    const double *x = pbs_body_positions(world, body);
    double least = INFINITY;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        least = fmin(least, distance_to(kind, height, x + 3 * i));
    }
    return least;
}

/// Half a second, in which the cube falls, hits and, with the lift, is hit. 1e-12 of the scene's
/// diagonal, which is above a metre.
static void steps_end_outside(const struct scheme_table *scheme, int kind) {
    const double corner[3] = {-0.1, 0.04, -0.12}, h = 1.0 / 60.0 / substeps_of(scheme);
    pbs_world *world = new_scene(scheme, 6);
    const pbs_solid_desc solid = solid_of(4e4, 0.005, 0.0);
    const pbs_body body = add_cube(world, 2, 0.2, corner, &solid);
    const pbs_collider obstacle = add_obstacle(world, kind);
    uint32_t touched = 0;
    double time = 0.0;
    for (int n = 0; n < 30 * substeps_of(scheme); n++) {
        time += h;
        const double height = kind == LIFT ? -0.1 + 0.5 * time : 0.0;
        const double position[3] = {0.0, height, 0.0}, orientation[4] = {0.0, 0.0, 0.0, 1.0};
        if (kind == LIFT) {
            assert_ok(pbs_collider_set_motion(world, obstacle, position, orientation));
        }
        const pbs_status status = pbs_world_step(world, h);
        assert_true(status == PBS_OK || status == PBS_DIVIDED);
        assert_small(-deepest(world, body, kind, height), 1e-12, scheme->name);
        touched += stats_of(world).contact.active;
        assert_true(stats_of(world).contact.active <= 27);
    }
    assert_true(touched > 0);
    pbs_world_destroy(world);
}

static void every_step_ends_outside(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        if (scheme_tables[i]->is_static) {
            continue; // has no motion
        }
        for (int kind = 0; kind < OBSTACLES; kind++) {
            steps_end_outside(scheme_tables[i], kind);
        }
    }
}

// --- rest ---

struct rest {
    double height;          ///< of the centre of mass, m
    double force, reaction; ///< N, means over the last second
    double weight;          ///< N
};

static double centre_height(const pbs_world *world, pbs_body body, double *mass) {
    const double *x = pbs_body_positions(world, body), *m = pbs_body_masses(world, body);
    double sum = 0.0;
    *mass = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        sum += m[i] * x[3 * i + 1];
        *mass += m[i];
    }
    return sum / *mass;
}

static double contact_force(const pbs_world *world, pbs_body body) {
    float forces[27][3];
    double sum = 0.0;
    assert_ok(
        pbs_body_read_f32(world, body, PBS_CHANNEL_CONTACT_FORCE, forces[0], sizeof forces[0], 27));
    for (int i = 0; i < 27; i++) {
        sum += (double)forces[i][1];
    }
    return sum;
}

static double momentum_upwards(const pbs_world *world, pbs_body body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    return motion.momentum[1];
}

// Steps of 1/60 s over which forces are averaged. Where a scheme does not damp, those of single
// steps go from nothing to three times the weight; at the ends of the trapezoidal rule that is
// 3 / (2 n) of the weight.
enum { AVERAGED = 60 };

/// A cube that begins just above the ground, in a medium that brings it to rest. Its mean force is
/// without what has changed its momentum.
static struct rest settle(const struct scheme_table *scheme, double gap, int steps) {
    const double corner[3] = {0.0, gap, 0.0};
    const int substeps = substeps_of(scheme);
    pbs_world *world = new_scene(scheme, 4);
    const pbs_solid_desc solid = solid_of(4e4, 0.02, 8.0);
    const pbs_body body = add_cube(world, 2, 0.3, corner, &solid);
    const pbs_collider ground = add_ground(world);
    struct rest rest = {0};
    const double count = AVERAGED * substeps;
    double before = 0.0;
    for (int n = 0; n < steps * substeps; n++) {
        if (n == (steps - AVERAGED) * substeps) {
            before = momentum_upwards(world, body);
        }
        const pbs_status status = pbs_world_step(world, 1.0 / 60.0 / substeps);
        assert_true(status == PBS_OK || status == PBS_DIVIDED);
        if (n >= (steps - AVERAGED) * substeps) {
            const pbs_contact_force felt = contact_force_on(world, ground);
            rest.reaction -= felt.force[1] / count;
            rest.force += contact_force(world, body) / count;
        }
    }
    const double gained = (momentum_upwards(world, body) - before) * 60.0 / AVERAGED;
    rest.force -= gained;
    rest.reaction -= gained;
    double mass;
    rest.height = centre_height(world, body, &mass);
    rest.weight = 9.81 * mass;
    pbs_world_destroy(world);
    return rest;
}

/// Where implicit Euler brings it, a millimetre aside where a scheme does not damp, with
/// the force of its weight.
static void bodies_come_to_rest(void **state) {
    (void)state;
    const struct rest expected = settle(scheme_find(PBS_SCHEME_IMPLICIT_EULER), 0.0, 240);
    assert_near(expected.force, expected.weight, 1e-4 * expected.weight, "equilibrium");
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        const struct rest rest = settle(scheme, 0.01, 120);
        print_message("%s: %g of the weight\n", scheme->name, rest.force / rest.weight);
        assert_near(rest.height, expected.height, 1e-3, scheme->name);
        assert_near(rest.force, rest.weight, 1.5 / AVERAGED * rest.weight, scheme->name);
        assert_near(rest.reaction, rest.force, 1e-6 * rest.weight, scheme->name);
    }
}

// --- one particle: what every step must do ---

/// 0.2 kg on ground of friction mu, at x = y = z = 0.
static pbs_world *particle_world(const struct scheme_table *scheme, double mu, const double v[3]) {
    const double position[3] = {0.0, 0.0, 0.0}, mass = 0.2;
    pbs_world *world = new_scene(scheme, 0);
    pbs_custom_desc c;
    springs_describe(&c, 1, position, &mass, 0, NULL);
    c.velocities = v;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    pbs_collider_desc d;
    pbs_collider ground;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.friction = mu;
    assert_ok(pbs_collider_create(world, &d, &ground));
    return world;
}

/// In each step, from the first on and whatever the steps are, the ground carries the weight and
/// friction takes mu g off the speed, until the particle stands; what is lost is its energy.
static void particles_slide_as_coulomb_says(void **state) {
    (void)state;
    const double g = 9.81, mu = 0.5, h = 0.01, start[3] = {0.8, 0.0, 0.6};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        pbs_world *world = particle_world(scheme, mu, start);
        const pbs_body body = pbs_world_body_at(world, 0);
        double time = 0.0;
        for (int n = 0; n < 40; n++) {
            const double step = n % 4 == 3 ? 0.5 * h : h;
            assert_ok(pbs_world_step(world, step));
            time += step;
            const double *v = pbs_body_velocities(world, body);
            const double speed = fmax(0.0, 1.0 - mu * g * time);
            const pbs_contact_force felt = contact_force_on(world, pbs_world_collider_at(world, 0));
            assert_near(felt.force[1], -0.2 * g, 1e-9, scheme->name);
            assert_int_equal(stats_of(world).contact.active, 1);
            assert_near(pbs_body_positions(world, body)[1], 0.0, 0.0, scheme->name);
            if (scheme->control == CONTROL_NONE) {
                assert_near(v[0], 0.8 * speed, 1e-9, scheme->name);
                assert_near(v[1], 0.0, 1e-9, scheme->name);
                assert_near(v[2], 0.6 * speed, 1e-9, scheme->name);
            }
        }
        const double lost = energy_of(world).dissipated;
        assert_near(lost, 0.1, scheme->history == 1 ? 1e-9 : 0.005, scheme->name);
        pbs_world_destroy(world);
    }
}

/// Thrown at the ground at a flat angle, bouncing or not as the scheme has it: all along, friction
/// is mu times the impulse that the ground gives, whichever stage of which step it was in. Seen
/// when the particle has been in the air, or on the ground, for ten steps: what is left of an
/// impulse then is a third to the power of ten.
static void impacts_have_their_friction(void **state) {
    (void)state;
    const double g = 9.81, mu = 0.3, h = 0.01, start[3] = {50.0, 0.0, 0.0};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        if (scheme->control != CONTROL_NONE) {
            continue; // v follows an energy
        }
        for (int phase = 0; phase < 8; phase++) {
            pbs_world *world = particle_world(scheme, mu, start);
            const pbs_body body = pbs_world_body_at(world, 0);
            const double position[3] = {0.0, 0.05 + 0.003 * phase, 0.0},
                         thrown[3] = {50.0, -2.0, 0.0};
            assert_ok(pbs_body_set_positions(world, body, position, 1));
            assert_ok(pbs_body_set_velocities(world, body, thrown, 1));
            uint32_t same = 0, touched = 0;
            for (int n = 0; (n < 60 || same < 10) && n < 200; n++) {
                assert_ok(pbs_world_step(world, h));
                const uint32_t touches = stats_of(world).contact.active;
                same = touches == touched ? same + 1 : 0;
                touched = touches;
            }
            const double *v = pbs_body_velocities(world, body);
            const double given = v[1] + 2.0 + g * pbs_world_time(world);
            assert_true(given > 2.0);
            // A scheme that has come to rest gives half of its last weight in the next step.
            assert_near((50.0 - v[0]) / mu, given, 1e-4 * given + g * h, scheme->name);
            pbs_world_destroy(world);
        }
    }
}

// --- friction of a body ---

/// A soft cube slides at 1 m/s; its base sticks and slips, so that mu g is what slows it down only
/// roughly; then it stands.
static void sliding_bodies_stop(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0}, mu = 0.5;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        const int substeps = scheme->stage_limit == 0 ? 40 : 1;
        pbs_world *world = new_scene(scheme, 2);
        double velocities[81] = {0.0};
        for (int k = 0; k < 27; k++) {
            velocities[3 * k] = 1.0;
        }
        pbs_solid_desc solid = solid_of(1e5, 0.01, 0.0);
        solid.initial_velocities = velocities;
        const pbs_body body = add_cube(world, 2, 0.2, corner, &solid);
        pbs_collider_desc d;
        pbs_collider ground;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        d.friction = mu;
        assert_ok(pbs_collider_create(world, &d, &ground));
        double v = 0.0;
        for (int n = 0; n < 50 * substeps; n++) {
            const pbs_status status = pbs_world_step(world, 0.01 / substeps);
            assert_true(status == PBS_OK || status == PBS_DIVIDED);
            v = 0.0;
            for (size_t k = 0; k < 27; k++) {
                v += pbs_body_velocities(world, body)[3 * k] * pbs_body_masses(world, body)[k] /
                     8.0;
            }
            if (n == 10 * substeps - 1) {
                assert_near(1.0 - v, mu * 0.981, 0.15 * mu * 0.981, scheme->name);
            }
        }
        assert_small(fabs(v), 0.03, scheme->name);
        pbs_world_destroy(world);
    }
}

// --- forbidden states ---

static double least_volume(const struct cube_mesh *mesh, const double *x) {
    double least = INFINITY;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        double e[3][3];
        for (int a = 0; a < 3; a++) {
            for (int k = 0; k < 3; k++) {
                e[a][k] = x[3 * mesh->tets[4 * t + (size_t)a + 1] + (size_t)k] -
                          x[3 * mesh->tets[4 * t] + (size_t)k];
            }
        }
        least = fmin(least, e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                                e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
    }
    return least;
}

/// A cube of a logarithmic material thrown at the ground, with steps much too long: each one lands
/// in a state without inverted elements, or fails and changes nothing.
static void logarithms_are_never_inverted(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.1, 0.0};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        struct cube_mesh mesh;
        assert_true(cube_mesh_make(&mesh, 2, 0.3, corner));
        double velocities[81];
        for (int k = 0; k < 81; k++) {
            velocities[k] = k % 3 == 1 ? -8.0 : 0.0;
        }
        for (int variant = 0; variant < 4; variant++) {
            pbs_world *world = new_scene(scheme_tables[i], variant % 2 == 0 ? 0 : 4);
            pbs_solid_desc d;
            cube_mesh_describe(&mesh, &d);
            d.material = PBS_MATERIAL_NEO_HOOKEAN;
            d.initial_velocities = velocities;
            d.young = 2e4;
            // Where the step is expected to lead, the damping matrix may be of no use.
            d.damping = variant < 2 ? 0.0 : 0.002;
            pbs_body body;
            assert_ok(pbs_body_create_solid(world, &d, &body));
            add_ground(world);
            for (int n = 0; n < 12; n++) {
                const uint64_t hash = pbs_world_hash(world);
                const pbs_status status = pbs_world_step(world, 0.02);
                if (status < 0) {
                    assert_true(scheme_tables[i]->leaves_feasible);
                    assert_true(status == PBS_ERROR_INADMISSIBLE ||
                                status == PBS_ERROR_CONVERGENCE);
                    assert_true(pbs_world_hash(world) == hash);
                    break;
                }
                assert_true(least_volume(&mesh, pbs_body_positions(world, body)) > 0.0);
                assert_true(isfinite(energy_of(world).total));
            }
            pbs_world_destroy(world);
        }
        cube_mesh_free(&mesh);
    }
}

/// The springs of the scenes where they are longer than 4 cm; shorter is not admissible.
static int32_t limited_spring(void *user, size_t stencil, const double *x, int32_t project,
                              double *value, double *gradient, double *hessian) {
    const double d[3] = {x[0] - x[3], x[1] - x[4], x[2] - x[5]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 0.0016
               ? 1
               : spring_energy(user, stencil, x, project, value, gradient, hessian);
}

/// What a host's energy refuses is not where a step ends either.
static void refused_states_are_not_reached(void **state) {
    (void)state;
    const double positions[6] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0}, masses[2] = {1.0, 1.0};
    const double velocities[6] = {1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
    const uint32_t stencil[2] = {0, 1};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        pbs_world *world = new_scene(scheme_tables[i], 3);
        pbs_custom_desc c;
        springs_describe(&c, 2, positions, masses, 1, stencil);
        c.velocities = velocities;
        c.evaluate = limited_spring;
        c.no_gravity = 1;
        pbs_body body;
        assert_ok(pbs_body_create_custom(world, &c, &body));
        for (int n = 0; n < 10; n++) {
            const uint64_t hash = pbs_world_hash(world);
            const pbs_status status = pbs_world_step(world, 0.02);
            const double *x = pbs_body_positions(world, body);
            assert_true(status >= 0 || pbs_world_hash(world) == hash);
            assert_true(fabs(x[3] - x[0]) >= 0.04);
        }
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_ends_outside),
        cmocka_unit_test(bodies_come_to_rest),
        cmocka_unit_test(particles_slide_as_coulomb_says),
        cmocka_unit_test(impacts_have_their_friction),
        cmocka_unit_test(sliding_bodies_stop),
        cmocka_unit_test(logarithms_are_never_inverted),
        cmocka_unit_test(refused_states_are_not_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
