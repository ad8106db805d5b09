// Prescribed motion in worlds with barriers. Scripted colliders and vertices push free bodies at
// any speed, reach their targets and penetrate nothing. A motion that is blocked fails with a
// message and leaves the world unchanged. Nothing penetrates with any scheme. Also memory, and
// restores during contact.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/exact/intersection.h"
#include "geometry/shape.h"
#include "integrate/scheme.h"
#include "support/world_testing.h"

static pbs_world_desc barrier_settings(double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -gravity;
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

static void set_friction(pbs_world *world, pbs_body body, double friction) {
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = friction;
    assert_ok(pbs_body_set_contact(world, body, &contact));
}

static void set_velocity(pbs_world *world, pbs_body body, const double velocity[3]) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *v = malloc(3 * count * sizeof *v);
    for (size_t k = 0; k < 3 * count; k++) {
        v[k] = velocity[k % 3];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

// --- nothing meets ---

struct surface {
    const double *x;
    const uint32_t *triangles;
    size_t count;
};

static struct surface surface_of(const pbs_world *world, pbs_body body) {
    struct surface s = {.x = pbs_body_positions(world, body)};
    assert_ok(pbs_body_surface(world, body, &s.triangles, &s.count));
    return s;
}

/// The edges of one against the triangles of the other; of a surface against itself, where they
/// share no vertex.
static bool surfaces_meet(const struct surface *a, const struct surface *b) {
    for (size_t e = 0; e < 3 * a->count; e++) {
        const uint32_t p = a->triangles[e];
        const uint32_t q = a->triangles[e % 3 == 2 ? e - 2 : e + 1];
        for (size_t t = 0; t < b->count; t++) {
            const uint32_t *own = b->triangles + 3 * t;
            bool shared = false;
            const double *corners[3];
            for (int k = 0; k < 3; k++) {
                shared = shared || (a->x == b->x && (own[k] == p || own[k] == q));
                corners[k] = b->x + 3 * (size_t)own[k];
            }
            if (!shared &&
                segment_intersects_triangle(a->x + 3 * (size_t)p, a->x + 3 * (size_t)q, corners)) {
                return true;
            }
        }
    }
    return false;
}

static void assert_nothing_meets(const pbs_world *world) {
    for (size_t i = 0; i < pbs_world_body_count(world); i++) {
        for (size_t j = 0; j < pbs_world_body_count(world); j++) {
            const struct surface a = surface_of(world, pbs_world_body_at(world, i));
            const struct surface b = surface_of(world, pbs_world_body_at(world, j));
            if (surfaces_meet(&a, &b)) {
                fail_msg("bodies %zu and %zu meet", i, j);
            }
        }
    }
}

static void pose_of(const pbs_world *world, pbs_collider collider, struct pose *pose) {
    double q[4];
    assert_ok(pbs_collider_pose(world, collider, pose->translation, q));
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(pose->rotation, r, sizeof r);
}

/// The least signed distance of points all over a body's surface from a shape: corners, and 28
/// inside each triangle and on its sides.
static double clearance(const struct surface *s, const struct shape *shape,
                        const struct pose *pose) {
    double least = INFINITY;
    for (size_t t = 0; t < s->count; t++) {
        for (int i = 0; i <= 6; i++) {
            for (int j = 0; i + j <= 6; j++) {
                const double weights[3] = {i / 6.0, j / 6.0, (6 - i - j) / 6.0};
                double x[3] = {0.0, 0.0, 0.0};
                for (int k = 0; k < 3; k++) {
                    add_scaled3(x, weights[k], s->x + 3 * (size_t)s->triangles[3 * t + (size_t)k],
                                x);
                }
                least = fmin(least, shape_distance(shape, pose, x, NULL, NULL));
            }
        }
    }
    return least;
}

// --- colliders that push ---

static const double speeds[] = {0.1, 1.0, 10.0, 100.0};
static const double H = 0.01;

struct pusher {
    const char *name;
    int32_t shape;
    int32_t hollow;
    double size[3];
    double top;    ///< how far above its centre what pushes is
    double stride; ///< m: the longest way in a step
};

/// Cylinders are prisms of 64 sides inside the shape, so that a body comes 1 - cos(pi / 64) =
/// 0.0012 of the radius into it at the most; it pushes with its end. A torus is 64 sides around its
/// axis and 32 around its tube, 1 - cos(pi / 32) = 0.0048, so less than both together of its outer
/// radius; the box lies on its hole. What is small is not to go
/// farther in a step than it is large: the least energy is where it was for a body that may go back
/// round it.
static const struct pusher pushers[] = {
    {"box", PBS_SHAPE_BOX, 0, {0.2, 0.05, 0.2}, 0.05, 1.0},
    {"sphere", PBS_SHAPE_SPHERE, 0, {0.15, 0, 0}, 0.15, 0.1},
    {"capsule", PBS_SHAPE_CAPSULE, 0, {0.08, 0.1, 0}, 0.18, 0.1},
    {"cylinder", PBS_SHAPE_CYLINDER, 0, {0.2, 0.1, 0}, 0.1, 1.0},
    {"torus", PBS_SHAPE_TORUS, 0, {0.15, 0.14, 0}, 0.12, 0.1},
    {"half-space", PBS_SHAPE_HALF_SPACE, 0, {0, 0, 0}, 0.0, 1.0},
    {"room", PBS_SHAPE_BOX, 1, {0.3, 0.3, 0.3}, -0.3, 1.0},
    {"bowl", PBS_SHAPE_SPHERE, 1, {0.3, 0, 0}, -0.3, 1.0},
    {"hollow capsule", PBS_SHAPE_CAPSULE, 1, {0.3, 0.1, 0}, -0.4, 1.0},
    {"hollow cylinder", PBS_SHAPE_CYLINDER, 1, {0.3, 0.3, 0}, -0.3, 1.0},
};

/// One kilogram of rubber, 2 cm off, pushed along y, then turned, for six steps.
static void push(const struct pusher *p, double speed) {
    const pbs_world_desc d = barrier_settings(0.0);
    pbs_world *world = new_world_from(&d);
    const pbs_solid_desc solid = neo_hookean(1e5);
    const double bottom = p->top + (p->hollow && p->shape != PBS_SHAPE_BOX ? 0.1 : 0.02);
    const pbs_body body = add_cube(world, 2, 0.1, (double[]){-0.05, bottom, -0.05}, &solid);
    set_friction(world, body, 0.3);
    pbs_collider_desc c;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.shape = p->shape;
    c.hollow = p->hollow;
    memcpy(c.size, p->size, sizeof c.size);
    assert_ok(pbs_collider_create(world, &c, &collider));
    const struct shape shape = {
        .kind = p->shape, .hollow = p->hollow != 0, .size = {p->size[0], p->size[1], p->size[2]}};
    const double h = fmin(H, p->stride / speed);
    bool touched = false;
    for (int s = 1; s <= 6; s++) {
        const double position[3] = {0.0, speed * h * s, 0.0};
        const double angle = 0.02 * s;
        const double orientation[4] = {0.0, 0.6 * sin(angle), 0.8 * sin(angle), cos(angle)};
        assert_ok(pbs_collider_set_motion(world, collider, position, orientation));
        const pbs_status status = pbs_world_step(world, h);
        if (status != PBS_OK) {
            print_message("%s at %g m/s, step %d\n", p->name, speed, s);
        }
        assert_ok(status);
        struct pose pose;
        double q[4];
        pose_of(world, collider, &pose);
        assert_ok(pbs_collider_pose(world, collider, NULL, q));
        assert_same_bits(pose.translation, position, 3);
        assert_same_bits(q, orientation, 4);
        const struct surface surface = surface_of(world, body);
        const double inside = p->hollow                        ? 0.0
                              : p->shape == PBS_SHAPE_TORUS    ? 0.0061 * (p->size[0] + p->size[1])
                              : p->shape == PBS_SHAPE_CYLINDER ? 0.0013 * p->size[0]
                                                               : 0.0;
        assert_true(clearance(&surface, &shape, &pose) > -inside);
        assert_nothing_meets(world);
        assert_true(stats_of(world).contact.least_gap > 0.0);
        // It was pushed ahead, and not passed through: at the most it hangs down beside what is
        // narrower than itself, or goes through the hole of a ring, as at 100 m/s.
        for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
            double arm[3];
            subtract3(surface.x + 3 * v, position, arm);
            const bool is_beside = p->shape == PBS_SHAPE_TORUS ||
                                   (p->stride < 1.0 && fmax(fabs(arm[0]), fabs(arm[2])) > 0.05);
            assert_true(is_beside || arm[1] > p->top - 0.1);
        }
        touched = touched || stats_of(world).contact.active > 0;
    }
    assert_true(touched || 6.0 * speed * h < 0.15);
    pbs_world_destroy(world);
}

static void colliders_push_at_any_speed(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pushers); i++) {
        for (size_t k = 0; k < COUNT_OF(speeds); k++) {
            push(&pushers[i], speeds[k]);
        }
    }
}

/// A cube all of whose vertices are scripted pushes another, which is pinned nowhere.
static void scripted_vertices_push_at_any_speed(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT_OF(speeds); k++) {
        const pbs_world_desc d = barrier_settings(0.0);
        pbs_world *world = new_world_from(&d);
        const pbs_solid_desc solid = neo_hookean(1e5);
        const pbs_body mover = add_cube(world, 1, 0.1, (double[]){0.0, 0.0, 0.0}, &solid);
        const pbs_body body = add_cube(world, 2, 0.1, (double[]){0.02, 0.11, 0.03}, &solid);
        set_friction(world, body, 0.3);
        double rest[24];
        double targets[24];
        uint32_t vertices[8];
        // As above: no farther than it is large.
        const double h = fmin(H, 0.1 / speeds[k]);
        memcpy(rest, pbs_body_positions(world, mover), sizeof rest);
        for (int s = 1; s <= 5; s++) {
            for (uint32_t i = 0; i < 24; i++) {
                vertices[i / 3] = i / 3;
                targets[i] = rest[i] + (i % 3 == 1 ? speeds[k] * h * s : 0.0);
            }
            assert_ok(pbs_body_set_targets(world, mover, vertices, 8, targets));
            assert_ok(pbs_world_step(world, h));
            assert_same_bits(pbs_body_positions(world, mover), targets, 24);
            assert_nothing_meets(world);
            assert_true(stats_of(world).contact.least_gap > 0.0);
            for (size_t v = 0; v < 27; v++) {
                const double *x = pbs_body_positions(world, body) + 3 * v;
                // At the most it hangs down beside the mover.
                const bool is_above = x[1] > targets[1] + 0.1;
                assert_true(is_above || fmax(fabs(x[0] - 0.05), fabs(x[2] - 0.05)) > 0.05);
            }
        }
        pbs_world_destroy(world);
    }
}

// --- blocked ---

struct press {
    pbs_world *world;
    pbs_body body;
    pbs_collider plate;
};

/// A cube on the ground under a plate 12 cm up.
static struct press make_press(const pbs_world_desc *d) {
    struct press p = {.world = new_world_from(d)};
    const pbs_solid_desc solid = neo_hookean(1e6);
    add_ground(p.world);
    p.body = add_cube(p.world, 2, 0.1, (double[]){-0.05, 0.005, -0.05}, &solid);
    pbs_collider_desc c;
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.shape = PBS_SHAPE_BOX;
    c.size[0] = c.size[2] = 0.3;
    c.size[1] = 0.01;
    c.position[1] = 0.13;
    assert_ok(pbs_collider_create(p.world, &c, &p.plate));
    return p;
}

static pbs_status press_to(const struct press *p, double height) {
    const double position[3] = {0.0, height + 0.01, 0.0};
    const double orientation[4] = {0.0, 0.0, 0.0, 1.0};
    assert_ok(pbs_collider_set_motion(p->world, p->plate, position, orientation));
    return pbs_world_step(p->world, H);
}

/// The plate closes to half the cube's height, which is no more than hard work; below the ground
/// nothing is left for the cube to be in. That is said, the world is as it was, and the plate can
/// be taken back. A host that lets unconverged steps pass is told the same.
static void what_is_blocked_is_said(void **state) {
    (void)state;
    for (int lenient = 0; lenient < 2; lenient++) {
        pbs_world_desc d = barrier_settings(9.8);
        pbs_expert_desc expert;
        expert_settings(&expert, &d);
        expert.allow_unconverged = lenient;
        const struct press p = make_press(&d);
        for (int s = 1; s <= 8; s++) {
            assert_true(press_to(&p, 0.12 - 0.07 * s / 8.0) >= 0);
            assert_nothing_meets(p.world);
        }
        const double *x = pbs_body_positions(p.world, p.body);
        double kept[81];
        memcpy(kept, x, sizeof kept);
        assert_status(press_to(&p, -0.002), PBS_ERROR_CONVERGENCE);
        assert_message("blocked");
        assert_same_bits(pbs_body_positions(p.world, p.body), kept, 81);
        assert_ok(pbs_collider_set_motion(p.world, p.plate, (double[]){0.0, 0.06, 0.0},
                                          (double[]){0.0, 0.0, 0.0, 1.0}));
        assert_true(press_to(&p, 0.06) >= 0);
        assert_nothing_meets(p.world);
        for (size_t v = 0; v < 27; v++) {
            const double y = pbs_body_positions(p.world, p.body)[3 * v + 1];
            assert_true(y > 0.0 && y < 0.06);
        }
        pbs_world_destroy(p.world);
    }
}

// --- schemes ---

/// A cube of which all vertices are scripted, beside the others.
static void move_mover(pbs_world *world, pbs_body mover, double time) {
    uint32_t vertices[8];
    double targets[24];
    for (uint32_t i = 0; i < 24; i++) {
        const uint32_t corner = i / 3;
        vertices[corner] = corner;
        targets[i] = 0.05 * (corner >> (2 - i % 3) & 1);
    }
    for (int i = 0; i < 8; i++) {
        targets[3 * i] += -0.06 + time * 0.3;
        targets[3 * i + 1] += 0.01;
        targets[3 * i + 2] += 0.025;
    }
    assert_ok(pbs_body_set_targets(world, mover, vertices, 8, targets));
}

/// Two cubes fall onto one another and the ground, a scripted one pushes the lower one aside, and a
/// sphere flies about far away: whatever the scheme, no step ends in an intersection, and none
/// fails.
static void every_scheme_keeps_things_apart(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        pbs_world_desc d = barrier_settings(9.8);
        d.divisions = 6;
        pbs_world *world = new_world_from(&d);
        pbs_integrator_desc desc;
        pbs_integrator *integrator = NULL;
        assert_ok(pbs_integrator_desc_init(&desc, sizeof desc, scheme->id));
        assert_ok(pbs_integrator_create(&desc, &integrator));
        const pbs_status taken = pbs_world_set_integrator(world, integrator);
        pbs_integrator_destroy(integrator);
        if (scheme->kicks) {
            assert_int_equal(taken, PBS_ERROR_ARGUMENT);
            assert_message("velocity-verlet does not support PBS_CONTACT_BARRIER");
            pbs_world_destroy(world);
            continue;
        }
        assert_ok(taken);
        const pbs_solid_desc solid = neo_hookean(5e4);
        add_ground(world);
        for (int b = 0; b < 2; b++) {
            const double corner[3] = {0.02 * b, 0.004 + 0.105 * b, 0.01 * b};
            const pbs_body body = add_cube(world, 2, 0.1, corner, &solid);
            set_friction(world, body, 0.3);
            set_velocity(world, body, (double[]){0.2 * b, -1.0 - b, 0.0});
        }
        const pbs_body mover = add_cube(world, 1, 0.05, (double[]){-0.06, 0.01, 0.025}, &solid);
        pbs_collider_desc c;
        pbs_collider sphere;
        assert_ok(pbs_collider_desc_init(&c, sizeof c));
        c.shape = PBS_SHAPE_SPHERE;
        c.size[0] = 0.1;
        c.position[1] = 2.0;
        assert_ok(pbs_collider_create(world, &c, &sphere));
        // Explicit steps must be shorter than 2 / sqrt(b'' / m). At half the reach b'' is 6.4 times
        // the stiffness, 1e5 N/m, and a vertex weighs 1/27 of its cube's kilogram in the mean:
        // 1/2100 s, and less where several contacts press it. With 1/1000 s a quarter of worlds
        // whose velocities differ by thousandths failed, with 1/2000 s a fifth, with this none
        // of 40.
        const bool is_explicit = scheme->stage_limit == 0;
        const double h = is_explicit ? 1.0 / 4000.0 : 1.0 / 100.0;
        for (int s = 1; s <= (is_explicit ? 60 : 15); s++) {
            const double position[3] = {0.5 * h * s, 2.0, 0.0};
            const double orientation[4] = {0.0, 0.0, 0.0, 1.0};
            assert_ok(pbs_collider_set_motion(world, sphere, position, orientation));
            move_mover(world, mover, h * s);
            const pbs_status status = pbs_world_step(world, h);
            if (status < 0) {
                fail_msg("%s, step %d: %s", scheme->name, s, pbs_last_error());
            }
            assert_nothing_meets(world);
            for (size_t b = 0; b < 2; b++) {
                const pbs_body body = pbs_world_body_at(world, b);
                for (size_t v = 0; v < 27; v++) {
                    assert_true(pbs_body_positions(world, body)[3 * v + 1] > 0.0);
                }
            }
        }
        assert_true(stats_of(world).contact.least_gap > 0.0);
        pbs_world_destroy(world);
    }
}

// --- memory ---

static uint64_t calls(const struct test_allocator *allocator) {
    return allocator->allocate_count + allocator->release_count;
}

static pbs_world *make_pile(pbs_world_desc *d) {
    pbs_world *world = new_world_from(d);
    const pbs_solid_desc solid = neo_hookean(1e5);
    add_ground(world);
    for (int b = 0; b < 2; b++) {
        const double corner[3] = {0.02 * b, 0.0008 + 0.1008 * b, 0.01 * b};
        const pbs_body body = add_cube(world, 2, 0.1, corner, &solid);
        set_friction(world, body, 0.3);
        set_velocity(world, body, (double[]){0.0, -0.5, 0.0});
    }
    return world;
}

/// Once a pile has been through its hardest step, the steps that follow call no allocator.
static void steady_steps_make_no_calls(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= 2; threads++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        pbs_world_desc d = barrier_settings(9.8);
        d.allocator = test_allocator_hooks(&allocator);
        d.threads = threads;
        pbs_world *world = make_pile(&d);
        for (int s = 0; s < 40; s++) {
            assert_ok(pbs_world_step(world, 1.0 / 100.0));
        }
        const uint64_t before = calls(&allocator);
        for (int s = 0; s < 40; s++) {
            assert_ok(pbs_world_step(world, 1.0 / 100.0));
            assert_true(stats_of(world).contact.active > 0);
        }
        assert_true(calls(&allocator) == before);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
}

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1.0 / 100.0);
}

static void refusals_in_the_first_step(void **state) {
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        allocator.fails_from_there = all == 1;
        pbs_world_desc d = barrier_settings(9.8);
        d.allocator = test_allocator_hooks(&allocator);
        pbs_world *world = make_pile(&d);
        pbs_world_desc plain = barrier_settings(9.8);
        pbs_world *other = make_pile(&plain);
        uint64_t refused = 0;
        assert_ok(refuse_until_success(&allocator, world, step, NULL, &refused));
        assert_true(refused > 50);
        assert_ok(step(other, NULL));
        assert_true(stats_of(world).contact.active > 0);
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        pbs_world_destroy(other);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

// --- linear solvers ---

/// Two plates press a stiff cube to two thirds in two steps, whatever solves the linear systems:
/// one that is content with half of the residual leaves the cube behind, which counts as blocked.
static void every_solver_lets_things_be_pressed(void **state) {
    (void)state;
    for (int32_t p = PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY; p <= PBS_PRECONDITIONER_CHOLESKY_FLOAT;
         p++) {
        pbs_world_desc d = barrier_settings(0.0);
        pbs_expert_desc expert;
        expert_settings(&expert, &d);
        expert.preconditioner = p;
        d.contact_distance = 1e-4;
        pbs_world *world = new_world_from(&d);
        const pbs_solid_desc solid = neo_hookean(1e7);
        add_cube(world, 6, 0.1, (double[]){-0.05, -0.05, -0.05}, &solid);
        pbs_collider plates[2];
        for (int i = 0; i < 2; i++) {
            pbs_collider_desc c;
            assert_ok(pbs_collider_desc_init(&c, sizeof c));
            c.shape = PBS_SHAPE_BOX;
            c.size[0] = c.size[2] = 0.2;
            c.size[1] = 0.01;
            c.position[1] = i == 0 ? -0.062 : 0.062;
            assert_ok(pbs_collider_create(world, &c, &plates[i]));
        }
        for (int s = 1; s <= 2; s++) {
            for (int i = 0; i < 2; i++) {
                const double y = 0.062 - 0.01 * s;
                assert_ok(pbs_collider_set_motion(world, plates[i],
                                                  (double[]){0.0, i == 0 ? -y : y, 0.0},
                                                  (double[]){0.0, 0.0, 0.0, 1.0}));
            }
            assert_ok(pbs_world_step(world, H));
            assert_nothing_meets(world);
        }
        pbs_world_destroy(world);
    }
}

// --- restores ---

static void restored_in_contact_goes_on_alike(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_BDF2, PBS_SCHEME_TRAPEZOIDAL};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        pbs_world_desc d = barrier_settings(9.8);
        pbs_world *world = make_pile(&d);
        use_scheme(world, schemes[i]);
        for (int s = 0; s < 6; s++) {
            assert_true(pbs_world_step(world, 1.0 / 100.0) >= 0);
        }
        assert_true(stats_of(world).contact.active > 0);
        struct saved_world saved = save_world(world);
        pbs_world *other = new_world();
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        assert_true(energy_of(world).contact == energy_of(other).contact);
        free(saved.data);
        for (int s = 0; s < 6; s++) {
            assert_true(pbs_world_step(world, 1.0 / 100.0) >= 0);
            assert_true(pbs_world_step(other, 1.0 / 100.0) >= 0);
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        }
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliders_push_at_any_speed),
        cmocka_unit_test(scripted_vertices_push_at_any_speed),
        cmocka_unit_test(what_is_blocked_is_said),
        cmocka_unit_test(every_scheme_keeps_things_apart),
        cmocka_unit_test(every_solver_lets_things_be_pressed),
        cmocka_unit_test(steady_steps_make_no_calls),
        cmocka_unit_test(refusals_in_the_first_step),
        cmocka_unit_test(restored_in_contact_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
