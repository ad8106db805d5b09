// Friction after the solve: momentum, the energy that it takes out and the impulse's bound; against
// obstacles that move, with axes that are held, and of points of affine bodies.
// SPDX-License-Identifier: MIT
#include "contact/friction/impulse_friction.h"

#include "base/matrix3/math3.h"
#include "contact/touching_scene.h"

#define EPSILON 0x1p-52

enum { NODES = 12, CONTACTS = 6 };

struct system {
    double mass[NODES], velocity[3 * NODES];
    uint8_t held[NODES];
    struct friction_motion motion;
    struct friction_contact contacts[CONTACTS];
};

static double kinetic(const struct system *s, const double frame[3]) {
    double sum = 0.0;
    for (size_t i = 0; i < 3 * (size_t)NODES; i++) {
        const double v = s->velocity[i] - frame[i % 3];
        sum += 0.5 * s->mass[i / 3] * v * v;
    }
    return sum;
}

/// m/s: of the first side along the surface, relative to the second.
static double slip_of(const struct system *s, const struct friction_contact *c, double slip[3]) {
    scale3(-1.0, c->moving, slip);
    for (int i = 0; i < c->count; i++) {
        add_scaled3(slip, c->weight[i], s->velocity + 3 * (size_t)c->node[i], slip);
    }
    add_scaled3(slip, -dot3(slip, c->normal), c->normal, slip);
    return norm3(slip);
}

/// Random masses from 0.1 to 10 kg and velocities; nothing is held.
static void system_init(struct system *s, struct random *random) {
    *s = (struct system){.held = {0}};
    for (int i = 0; i < NODES; i++) {
        s->mass[i] = pow(10.0, random_uniform(random, -1.0, 1.0));
    }
    random_fill(random, -1.0, 1.0, s->velocity, 3 * (size_t)NODES);
    s->motion = (struct friction_motion){s->mass, s->held, 0.01, s->velocity};
}

/// A vertex and 1 to 3 corners of nodes of their own, with weights that add up to 0.
static void contact_init(struct friction_contact *c, struct random *random) {
    size_t order[NODES];
    random_permutation(random, order, NODES);
    double sum = 0.0;
    *c = (struct friction_contact){.count = 2 + (int)random_index(random, 3),
                                   .force = random_uniform(random, 0.0, 200.0),
                                   .friction = random_uniform(random, 0.0, 1.0)};
    random_unit(random, c->normal);
    for (int i = 0; i < c->count; i++) {
        c->node[i] = (uint32_t)order[i];
        c->weight[i] = i == 0 ? 1.0 : -random_uniform(random, 0.1, 1.0);
        sum += i == 0 ? 0.0 : -c->weight[i];
    }
    for (int i = 1; i < c->count; i++) {
        c->weight[i] /= sum;
    }
}

static double mobility(const struct system *s, const struct friction_contact *c) {
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += c->weight[i] * c->weight[i] / s->mass[c->node[i]];
    }
    return sum;
}

// One contact at a time. Momentum to roundings of its parts; what is said to be taken out is what
// kinetic energy has lost, |slip|^2 / (2 sum w_i^2 / m_i) where it sticks; then nothing slides, and
// else the impulse is what Coulomb allows; it is against the slip, along the surface.
static void impulses_are_coulombs(void **state) {
    (void)state;
    static const double still[3] = {0.0, 0.0, 0.0};
    struct random random = random_seed(1);
    int sticking = 0, sliding = 0;
    for (int n = 0; n < testing_rounds(5000); n++) {
        struct system s;
        struct friction_contact *c = &s.contacts[0];
        double slip[3], momentum[3] = {0.0, 0.0, 0.0}, size = 0.0, before[3 * NODES];
        system_init(&s, &random);
        contact_init(c, &random);
        memcpy(before, s.velocity, sizeof before);
        const double speed = slip_of(&s, c, slip), energy = kinetic(&s, still);
        const double heat = impulse_friction(&s.motion, c, 1);
        for (size_t i = 0; i < 3 * (size_t)NODES; i++) {
            momentum[i % 3] += s.mass[i / 3] * (s.velocity[i] - before[i]);
            size += fabs(s.mass[i / 3] * s.velocity[i]);
        }
        assert_small(norm3(momentum), EPSILON * size, "momentum");
        assert_near(energy - kinetic(&s, still), heat, 64.0 * EPSILON * energy, "energy");
        assert_true(heat >= 0.0);
        const double impulse = norm3(c->impulse), limit = c->friction * c->force * s.motion.h;
        assert_small(impulse, limit * (1.0 + 4.0 * EPSILON), "bound of the impulse");
        assert_near(dot3(c->impulse, slip), -impulse * speed, 8.0 * EPSILON * impulse * speed,
                    "against the slip");
        assert_small(fabs(dot3(c->impulse, c->normal)), 8.0 * EPSILON * impulse / speed,
                     "along the surface");
        double rest[3];
        const double left = slip_of(&s, c, rest), m = mobility(&s, c);
        if (limit * m >= speed) {
            assert_small(left, 64.0 * EPSILON, "slip where it sticks");
            assert_near(heat, 0.5 * speed * speed / m, 16.0 * EPSILON * heat, "energy of sticking");
            sticking++;
        } else {
            assert_near(left, speed - limit * m, 64.0 * EPSILON, "slip that is left");
            assert_near(impulse, limit, 4.0 * EPSILON * limit, "impulse of sliding");
            sliding++;
        }
    }
    assert_true(sticking > 100 && sliding > 100);
}

// Many contacts that share nodes: each takes energy out, whatever those before it did, and all
// together what they say.
static void contacts_follow_one_another(void **state) {
    (void)state;
    static const double still[3] = {0.0, 0.0, 0.0};
    struct random random = random_seed(2);
    for (int n = 0; n < testing_rounds(1000); n++) {
        struct system s, alone;
        system_init(&s, &random);
        for (int i = 0; i < CONTACTS; i++) {
            contact_init(&s.contacts[i], &random);
        }
        alone = s;
        alone.motion.velocity = alone.velocity;
        double heat = 0.0;
        for (int i = 0; i < CONTACTS; i++) {
            const double before = kinetic(&alone, still);
            heat += impulse_friction(&alone.motion, &alone.contacts[i], 1);
            assert_true(kinetic(&alone, still) <= before * (1.0 + 64.0 * EPSILON));
        }
        const double all = impulse_friction(&s.motion, s.contacts, CONTACTS);
        assert_same_bits(&all, &heat, 1);
        assert_same_bits(s.velocity, alone.velocity, 3 * (size_t)NODES);
    }
}

// Obstacles have a velocity of their own and no mass that could yield. In their frame energy falls
// by what is said; a point takes up their velocity, and never more.
static void obstacles_take_points_along(void **state) {
    (void)state;
    struct random random = random_seed(3);
    int sticking = 0;
    for (int n = 0; n < testing_rounds(2000); n++) {
        struct system s;
        struct friction_contact *c = &s.contacts[0];
        double slip[3], rest[3];
        system_init(&s, &random);
        *c = (struct friction_contact){.count = 1,
                                       .node = {(uint32_t)(n % NODES)},
                                       .weight = {1.0},
                                       .force = random_uniform(&random, 0.0, 1000.0),
                                       .friction = 0.5};
        random_unit(&random, c->normal);
        random_fill(&random, -1.0, 1.0, c->moving, 3);
        const double speed = slip_of(&s, c, slip), energy = kinetic(&s, c->moving);
        const double heat = impulse_friction(&s.motion, c, 1);
        assert_near(energy - kinetic(&s, c->moving), heat, 64.0 * EPSILON * energy, "energy");
        // OPT section 5.2: v -= min(1, mu h F / (m |v_t|)) v_t.
        const double m = s.mass[n % NODES];
        const double part = fmin(1.0, c->friction * s.motion.h * c->force / (m * speed));
        assert_near(slip_of(&s, c, rest), (1.0 - part) * speed, 64.0 * EPSILON, "slip");
        sticking += part == 1.0;
    }
    assert_true(sticking > 100);
}

// A block on a slope of 20 degrees, mu = 0.5, going down at 2 m/s: it stops after v / (g (mu cos -
// sin)), to a step, and stays.
static void block_on_a_slope_stops(void **state) {
    (void)state;
    const double angle = 20.0 * acos(-1.0) / 180.0, g = 9.81, mu = 0.5, h = 1e-3;
    const double down[3] = {cos(angle), -sin(angle), 0.0};
    double mass = 2.0, velocity[3];
    const uint8_t held = 0;
    scale3(2.0, down, velocity);
    const struct friction_motion motion = {&mass, &held, h, velocity};
    const double expected = 2.0 / (g * (mu * cos(angle) - sin(angle)));
    double stopped = -1.0;
    for (int n = 1; n * h < 2.0 * expected; n++) {
        struct friction_contact c = {.count = 1,
                                     .weight = {1.0},
                                     .normal = {sin(angle), cos(angle), 0.0},
                                     .force = mass * g * cos(angle),
                                     .friction = mu};
        // What the slope bears has no part in it.
        add_scaled3(velocity, h * g * sin(angle), down, velocity);
        impulse_friction(&motion, &c, 1);
        if (stopped < 0.0 && norm3(velocity) < 1e-12) {
            stopped = n * h;
        }
        assert_true(stopped < 0.0 || norm3(velocity) < 1e-12);
    }
    assert_near(stopped, expected, 1.001 * h, "time to rest");
}

// Held axes keep their velocity, to the bit, and yield nothing; where all are held nothing is done.
// What is held and moves takes others along.
static void held_axes_keep_their_velocity(void **state) {
    (void)state;
    static const double still[3] = {0.0, 0.0, 0.0};
    struct random random = random_seed(4);
    for (int n = 0; n < testing_rounds(2000); n++) {
        struct system s;
        struct friction_contact *c = &s.contacts[0];
        double before[3 * NODES], slip[3], after[3], along = 0.0;
        system_init(&s, &random);
        contact_init(c, &random);
        for (int i = 0; i < NODES; i++) {
            s.held[i] = (uint8_t)random_index(&random, 8);
        }
        memcpy(before, s.velocity, sizeof before);
        const double speed = slip_of(&s, c, slip), energy = kinetic(&s, still);
        const double heat = impulse_friction(&s.motion, c, 1);
        for (size_t i = 0; i < 3 * (size_t)NODES; i++) {
            if (((uint32_t)s.held[i / 3] >> i % 3 & 1u) != 0) {
                assert_true(s.velocity[i] == before[i]);
                // The impulse that what holds it takes up does work.
                for (int k = 0; k < c->count; k++) {
                    along += c->node[k] == i / 3 ? c->weight[k] * c->impulse[i % 3] * before[i]
                                                 : 0.0;
                }
            }
        }
        assert_true(heat >= 0.0);
        assert_near(energy - kinetic(&s, still), heat + along, 64.0 * EPSILON * energy, "energy");
        assert_small(norm3(c->impulse), c->friction * c->force * s.motion.h * (1.0 + 4.0 * EPSILON),
                     "bound of the impulse");
        // Along where it slid it slides no faster, and not backward.
        slip_of(&s, c, after);
        const double left = dot3(after, slip) / speed;
        assert_true(left >= -64.0 * EPSILON && left <= speed * (1.0 + 4.0 * EPSILON));

        memset(s.held, PBS_AXIS_ALL, sizeof s.held);
        memcpy(before, s.velocity, sizeof before);
        assert_true(impulse_friction(&s.motion, c, 1) == 0.0);
        assert_same_bits(before, s.velocity, 3 * (size_t)NODES);
        assert_true(norm3(c->impulse) == 0.0);
    }
}

static void nothing_to_rub_does_nothing(void **state) {
    (void)state;
    struct random random = random_seed(5);
    struct system s;
    struct friction_contact *c = &s.contacts[0];
    system_init(&s, &random);
    contact_init(c, &random);
    double before[3 * NODES];
    memcpy(before, s.velocity, sizeof before);
    c->force = 0.0;
    assert_true(impulse_friction(&s.motion, c, 1) == 0.0);
    assert_same_bits(before, s.velocity, 3 * (size_t)NODES);
    memset(s.velocity, 0, sizeof s.velocity);
    c->force = 1.0;
    assert_true(impulse_friction(&s.motion, c, 1) == 0.0);
    assert_true(impulse_friction(&s.motion, NULL, 0) == 0.0);
}

// Points of nodes, of an affine body and of an obstacle: the velocity over nodes is that over
// points, and every node comes once.
static void points_are_folded_to_nodes(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct random random = random_seed(6);
    struct touching_scene scene;
    touching_scene_make(&memory, &scene, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *mesh = &scene.contact.mesh;
    int widest = 0;
    for (int n = 0; n < 500; n++) {
        double velocity[SCENE_COORDINATES];
        double *points = calloc(3 * (size_t)mesh->point_count, sizeof *points);
        uint32_t chosen[4];
        double weights[4], expected[3] = {0.0, 0.0, 0.0}, found[3] = {0.0, 0.0, 0.0};
        struct friction_contact c = {.count = 0};
        assert_non_null(points);
        random_fill(&random, -1.0, 1.0, velocity, SCENE_COORDINATES);
        collision_mesh_compute_points(NULL, mesh, velocity, points);
        random_fill(&random, -1.0, 1.0, weights, 4);
        // A vertex, and three of one other part.
        const uint32_t sides[2] = {(uint32_t)random_index(&random, mesh->point_count),
                                   (uint32_t)random_index(&random, mesh->point_count)};
        for (int p = 0; p < 4; p++) {
            do {
                chosen[p] = (uint32_t)random_index(&random, mesh->point_count);
            } while (mesh->part[chosen[p]] != mesh->part[sides[p > 0]]);
            if (mesh->kind[chosen[p]] != POINT_OBSTACLE) {
                add_scaled3(expected, weights[p], points + 3 * (size_t)chosen[p], expected);
            }
        }
        friction_contact_set_nodes(mesh, chosen, weights, 4, &c);
        for (int i = 0; i < c.count; i++) {
            add_scaled3(found, c.weight[i], velocity + 3 * (size_t)c.node[i], found);
            for (int k = 0; k < i; k++) {
                assert_true(c.node[k] != c.node[i]);
            }
        }
        assert_small(testing_max_difference(found, expected, 3), 64.0 * EPSILON, "velocity");
        widest = c.count > widest ? c.count : widest;
        free(points);
    }
    assert_true(widest >= 4 && widest <= CONTACT_STENCIL_LIMIT);
    barrier_contact_free(&scene.contact);
    assert_int_equal(memory.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_are_coulombs),
        cmocka_unit_test(contacts_follow_one_another),
        cmocka_unit_test(obstacles_take_points_along),
        cmocka_unit_test(block_on_a_slope_stops),
        cmocka_unit_test(held_axes_keep_their_velocity),
        cmocka_unit_test(nothing_to_rub_does_nothing),
        cmocka_unit_test(points_are_folded_to_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
