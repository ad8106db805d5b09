// The constraint projection over a scene: activation, derivatives along the projected path, held
// axes, forces and friction, the same bits for any number of threads, no allocation once warm.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/plane_pose.h"
#include "contact/projection/projection.h"
#include "pbs/body.h"
#include "pbs/collider.h"
#include "support/host/refusals.h"
#include "support/random.h"
#include "support/testing.h"

static struct random random_numbers;

static double uniform(double low, double high) {
    return random_uniform(&random_numbers, low, high);
}

static struct obstacle obstacle_of(int32_t kind, bool hollow, double a, double b, double c) {
    struct obstacle o = {.shape = {.kind = kind, .hollow = hollow, .size = {a, b, c}}};
    identity33(o.pose.rotation);
    return o;
}

// The half-space whose surface has this normal and passes through `point`.
static struct obstacle plane(const double normal[3], const double point[3]) {
    struct obstacle o = obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0);
    o.pose = plane_pose(normal, point);
    return o;
}

static double distance_to(const struct obstacle *o, const double x[3]) {
    return shape_distance(&o->shape, &o->pose, x, NULL, NULL);
}

// A projection with its memory, for scenes of a few nodes that all collide.
struct fixture {
    struct memory memory;
    struct projection projection;
};

enum { MAX_NODES = 8 };
static const uint8_t all_collide[MAX_NODES] = {1, 1, 1, 1, 1, 1, 1, 1};

static void begin(struct fixture *f, const struct obstacle *obstacles, size_t obstacle_count,
                  size_t node_count, const uint8_t *held, const double *targets) {
    memory_init(&f->memory, NULL);
    f->projection = (struct projection){0};
    const struct projection_scene scene = {.obstacle_count = obstacle_count,
                                           .obstacles = obstacles,
                                           .node_count = node_count,
                                           .colliding = all_collide,
                                           .constrained_axes = held,
                                           .targets = targets,
                                           .scale = 2.0};
    assert_ok(projection_begin(&f->memory, &scene, &f->projection));
}

static void end(struct fixture *f) {
    projection_free(&f->memory, &f->projection);
    assert_int_equal(f->memory.bytes_in_use, 0);
}

// E'(x) = b . x + 1/2 x^T A x + k/3 |x|^2 sum x, with everything of order one.
struct energy {
    double b[3], a[9], k;
};

static struct energy random_energy(void) {
    struct energy e;
    random_fill(&random_numbers, -1.0, 1.0, e.b, 3);
    random_fill(&random_numbers, -1.0, 1.0, e.a, 9);
    for (int i = 0; i < 9; i++) {
        e.a[i] = e.a[i % 3 * 3 + i / 3];
    }
    e.k = uniform(0.2, 1.0);
    return e;
}

static double energy_value(const struct energy *e, const double x[3]) {
    double ax[3];
    multiply3(e->a, x, ax);
    return dot3(e->b, x) + 0.5 * dot3(x, ax) + e->k / 3.0 * dot3(x, x) * (x[0] + x[1] + x[2]);
}

static void energy_gradient(const struct energy *e, const double x[3], double g[3]) {
    const double sum = x[0] + x[1] + x[2], square = dot3(x, x);
    multiply3(e->a, x, g);
    for (int i = 0; i < 3; i++) {
        g[i] += e->b[i] + e->k / 3.0 * (2.0 * x[i] * sum + square);
    }
}

static void energy_hessian(const struct energy *e, const double x[3], double h[9]) {
    const double sum = x[0] + x[1] + x[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            h[3 * i + j] = e->a[3 * i + j] +
                           e->k / 3.0 * ((i == j ? 2.0 * sum : 0.0) + 2.0 * x[i] + 2.0 * x[j]);
        }
    }
}

// grad E(y) = J^T g'(P(y)).
static void projected_gradient(struct fixture *f, const struct energy *e, const double y[3],
                               double gradient[3]) {
    double x[3];
    assert_ok(projection_apply(NULL, &f->projection, y, x));
    energy_gradient(e, x, gradient);
    projection_pull_back(NULL, &f->projection, gradient);
}

// --- activation ---

// OPT section 3.2: touching and g'.n >= 0. Descent is along -g', so a gradient along the normal
// pushes in.
static void touching_pairs_are_active_by_the_sign_of_the_force(void **state) {
    (void)state;
    const struct obstacle floor = obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0);
    struct fixture f;
    begin(&f, &floor, 1, 4, NULL, NULL);
    // Pushed in, pulled off, no force at all, and above the ground.
    const double x[12] = {0, 0, 0, 1, 1e-12, 0, 2, -1e-13, 0, 3, 1e-9, 0};
    double g[12] = {5, 3, 0, 5, -3, 0, 5, 0, 0, 5, 3, 0};
    projection_activate(NULL, &f.projection, x, g);
    assert_int_equal(f.projection.active_count, 2);
    assert_int_equal(f.projection.active[0].node, 0);
    assert_int_equal(f.projection.active[1].node, 2);
    const double expected[12] = {5, 0, 0, 5, -3, 0, 5, 0, 0, 5, 3, 0};
    assert_small(testing_max_difference(g, expected, 12), 0.0, "projected gradient");
    assert_true(f.projection.slots[0].multiplier[0] == 3.0);
    // The active set does not change within the iteration: an active node stays on the surface from
    // either side, an inactive one may leave.
    const double y[12] = {0, 2, 0, 1, 2, 0, 2, -2, 0, 3, -2, 0};
    double p[12];
    assert_ok(projection_apply(NULL, &f.projection, y, p));
    const double landed[12] = {0, 0, 0, 1, 2, 0, 2, 0, 0, 3, 0, 0};
    assert_small(testing_max_difference(p, landed, 12), 0.0, "projected positions");
    end(&f);
}

// Where several surfaces meet, what is active is what must push for equilibrium: an obtuse wedge
// lets go of the plane that the node slides away from though g'.n > 0, an acute one engages the
// plane that the node would slide into though g'.n < 0.
static void wedges_are_active_by_their_multipliers(void **state) {
    (void)state;
    const double origin[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    const double steep[3] = {sin(0.5), cos(0.5), 0}, overhang[3] = {sin(2.5), cos(2.5), 0};
    struct fixture f;
    const struct obstacle obtuse[2] = {plane(up, origin), plane(steep, origin)};
    begin(&f, obtuse, 2, 1, NULL, NULL);
    double g[3] = {-0.1, 1, 0};
    assert_true(dot3(g, steep) > 0.0);
    projection_activate(NULL, &f.projection, origin, g);
    assert_int_equal(f.projection.slots[0].active_count, 1);
    assert_int_equal(f.projection.slots[0].active[0], 0);
    assert_near(g[0], -0.1, 1e-15, "slides off along the ground");
    end(&f);
    const struct obstacle acute[2] = {plane(up, origin), plane(overhang, origin)};
    begin(&f, acute, 2, 1, NULL, NULL);
    double into[3] = {0.1, 1, 0};
    assert_true(dot3(into, overhang) < 0.0);
    projection_activate(NULL, &f.projection, origin, into);
    assert_int_equal(f.projection.slots[0].active_count, 2);
    assert_small(norm3(into), 1e-15, "gradient in the wedge");
    assert_true(f.projection.slots[0].multiplier[0] > 0.0);
    assert_true(f.projection.slots[0].multiplier[1] > 0.0);
    end(&f);
}

// On the edge of a solid box a node leaves past either face; only where the force pushes into both
// does it stay on one, the one that leaves it more to slide with.
static void edges_let_go_past_either_face(void **state) {
    (void)state;
    const struct obstacle table = obstacle_of(PBS_SHAPE_BOX, false, 0.5, 0.5, 0.5);
    const double x[3] = {0.5, 0.5, 0.1};
    struct fixture f;
    begin(&f, &table, 1, 1, NULL, NULL);
    double outwards[3] = {-0.1, 1, 0};
    projection_activate(NULL, &f.projection, x, outwards);
    assert_int_equal(f.projection.active_count, 0);
    assert_true(outwards[0] == -0.1 && outwards[1] == 1.0);
    double inwards[3] = {0.1, 1, 0};
    projection_activate(NULL, &f.projection, x, inwards);
    assert_int_equal(f.projection.active_count, 1);
    assert_true(inwards[0] == 0.0 && inwards[1] == 1.0);
    end(&f);
}

// What the hand of a held axis carries is no part of it, however much that is: the sliding node of
// the obtuse wedge above, held in z against 1e8 times its weight.
static void held_forces_do_not_choose_the_active_set(void **state) {
    (void)state;
    const double origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, steep[3] = {sin(0.5), cos(0.5), 0};
    const struct obstacle obtuse[2] = {plane(steep, origin), plane(up, origin)};
    const uint8_t held[1] = {PBS_AXIS_Z};
    struct fixture f;
    begin(&f, obtuse, 2, 1, held, origin);
    double g[3] = {-0.1, 1, 1e8};
    projection_activate(NULL, &f.projection, origin, g);
    assert_int_equal(f.projection.slots[0].active_count, 1);
    assert_int_equal(f.projection.slots[0].active[0], 1);
    assert_true(g[2] == 0.0);
    end(&f);
}

// The same edge under a wall that leans over it: along the wall the node would slide into the one
// face, but it leaves past the other, so the table does not hold it.
static void edges_under_a_wall_let_go_past_either_face(void **state) {
    (void)state;
    const double x[3] = {0.5, 0.5, 0.1}, leaning[3] = {-cos(0.1), -sin(0.1), 0};
    const struct obstacle scene[2] = {obstacle_of(PBS_SHAPE_BOX, false, 0.5, 0.5, 0.5),
                                      plane(leaning, x)};
    struct fixture f;
    begin(&f, scene, 2, 1, NULL, NULL);
    double g[3] = {-1, -0.5, 0};
    projection_activate(NULL, &f.projection, x, g);
    assert_int_equal(f.projection.slots[0].active_count, 1);
    assert_int_equal(f.projection.surfaces[f.projection.slots[0].active[0]].obstacle, 1);
    assert_true(g[0] > 0.0 && g[1] < 0.0); // descent is to the left, into the one, and up
    end(&f);
}

// Steepest descent under weight and a sideways pull: from the middle of a table, over its edge,
// down to the ground, and along it into a wall, where it ends with grad E = 0.
static void a_node_slides_off_a_table(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct obstacle scene[3] = {kind ? obstacle_of(PBS_SHAPE_CYLINDER, false, 0.5, 0.5, 0)
                                         : obstacle_of(PBS_SHAPE_BOX, false, 0.5, 0.5, 0.5),
                                    obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0),
                                    plane((const double[3]){-1, 0, 0}, (const double[3]){1, 0, 0})};
        scene[1].pose.translation[1] = -0.25;
        struct fixture f;
        double x[3] = {0, 0.5, 0}, g[3] = {0};
        begin(&f, scene, 3, 1, NULL, NULL);
        for (int i = 0; i < 200; i++) {
            const double before = x[1] - 0.4 * x[0];
            g[0] = -0.4;
            g[1] = 1.0;
            g[2] = 0.0;
            projection_activate(NULL, &f.projection, x, g);
            add_scaled3(x, -0.03, g, x);
            assert_ok(projection_apply(NULL, &f.projection, x, x));
            assert_true(norm3(g) == 0.0 || x[1] - 0.4 * x[0] < before);
        }
        assert_small(norm3(g), 1e-14, "gradient in the corner");
        assert_near(x[0], 1.0, 1e-14, "against the wall");
        assert_near(x[1], -0.25, 1e-14, "on the ground");
        end(&f);
    }
}

// At any contact: lambda >= 0, g' = grad E + sum lambda n, and moving along -grad E separates from
// the touching surfaces that are not active: the Karush-Kuhn-Tucker conditions but for grad E = 0.
static void active_sets_decompose_the_force(void **state) {
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        struct obstacle planes[4];
        const size_t count = 1 + random_index(&random_numbers, 4);
        const double origin[3] = {0, 0, 0};
        for (size_t b = 0; b < count; b++) {
            double n[3];
            random_unit(&random_numbers, n);
            planes[b] = plane(n, origin);
        }
        struct fixture f;
        begin(&f, planes, count, 1, NULL, NULL);
        double g[3], rest[3], sum[3];
        random_unit(&random_numbers, g);
        copy3(g, rest);
        projection_activate(NULL, &f.projection, origin, rest);
        const struct projection_slot *slot = f.projection.slots;
        copy3(rest, sum);
        for (size_t k = 0; k < slot->active_count; k++) {
            double n[3];
            const struct obstacle *o = planes + slot->active[k];
            shape_distance(&o->shape, &o->pose, origin, n, NULL);
            assert_true(slot->multiplier[k] >= 0.0);
            add_scaled3(sum, slot->multiplier[k], n, sum);
        }
        // Normals may be as dependent as 1e-5, which rounding of 1e-16 is divided by.
        assert_small(testing_max_difference(sum, g, 3), 1e-10, "decomposition of the force");
        for (size_t b = 0; b < count; b++) {
            double n[3];
            shape_distance(&planes[b].shape, &planes[b].pose, origin, n, NULL);
            assert_true(dot3(rest, n) <= 1e-10);
        }
        end(&f);
    }
}

// --- derivatives ---

// A smooth surface, or the edge where two meet, with a feasible point on it.
static size_t make_contact(int kind, struct obstacle obstacles[2], double x[3]) {
    double u[3];
    random_unit(&random_numbers, u);
    obstacles[0] = obstacle_of(PBS_SHAPE_SPHERE, kind == 1, 0.8, 0, 0);
    scale3(0.8, u, x);
    switch (kind) {
    case 2: // the side of a cylinder, turned
        obstacles[0] = obstacle_of(PBS_SHAPE_CYLINDER, false, 0.5, 0.6, 0);
        random_rotation(&random_numbers, obstacles[0].pose.rotation);
        multiply3(obstacles[0].pose.rotation, (const double[3]){0.3, 0.2, 0.4}, x);
        return 1;
    case 3: // a capsule's cap
        obstacles[0] = obstacle_of(PBS_SHAPE_CAPSULE, false, 0.5, 0.3, 0);
        x[0] = 0.3;
        x[1] = 0.7;
        x[2] = 0.0;
        return 1;
    case 4: // the circle where a bowl meets a floor through it
        obstacles[0].shape.hollow = true;
        obstacles[1] = obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0);
        obstacles[1].pose.translation[1] = -0.48;
        x[0] = 0.64;
        x[1] = -0.48;
        x[2] = 0.0;
        return 2;
    case 5: // the crease between two balls
        obstacles[0] = obstacle_of(PBS_SHAPE_SPHERE, false, 0.5, 0, 0);
        obstacles[0].pose.translation[0] = -0.3;
        obstacles[1] = obstacles[0];
        obstacles[1].pose.translation[0] = 0.3;
        x[0] = x[2] = 0.0;
        x[1] = 0.4;
        return 2;
    case 6: // the side of a cylinder cut by a slope, across both directions of its curvature
        obstacles[0] = obstacle_of(PBS_SHAPE_CYLINDER, false, 0.5, 0.6, 0);
        x[0] = 0.3;
        x[1] = 0.1;
        x[2] = 0.4;
        obstacles[1] = plane((const double[3]){0.36, 0.8, -0.48}, x);
        return 2;
    case 7: // the inner side of a ring, curved both ways
        obstacles[0] = obstacle_of(PBS_SHAPE_TORUS, false, 1.2, 0.5, 0);
        x[0] = 0.9;
        x[1] = 0.4;
        x[2] = 0.0;
        return 1;
    default: return 1;
    }
}

enum { CONTACT_KINDS = 8 };

// An energy whose force pushes the point x into all the obstacles.
static struct energy pushing_energy(const struct obstacle *obstacles, size_t count,
                                    const double x[3]) {
    struct energy e = random_energy();
    double g[3];
    energy_gradient(&e, x, g);
    for (size_t b = 0; b < count; b++) {
        double n[3];
        shape_distance(&obstacles[b].shape, &obstacles[b].pose, x, n, NULL);
        add_scaled3(e.b, 5.0, n, e.b);
    }
    return e;
}

// Fourth-order differences of grad E = J^T g'(P(y)) along tangent directions: the error is h^4 / 30
// times fifth derivatives of E on the surface, 10 / 0.3^4 and less; rounding is 1e-14 / h.
static void projected_hessian_matches_differences_of_the_gradient(void **state) {
    (void)state;
    const double h = 4e-4;
    for (int trial = 0; trial < 50 * CONTACT_KINDS; trial++) {
        struct obstacle obstacles[2];
        double x[3], gradient[3], hessian[9], qh[9], projected[9], direction[3], d[3];
        const size_t count = make_contact(trial % CONTACT_KINDS, obstacles, x);
        const struct energy e = pushing_energy(obstacles, count, x);
        struct fixture f;
        begin(&f, obstacles, count, 1, NULL, NULL);
        energy_gradient(&e, x, gradient);
        projection_activate(NULL, &f.projection, x, gradient);
        assert_int_equal(f.projection.slots[0].active_count, count);
        const struct projection_active *active = f.projection.active;
        energy_hessian(&e, x, hessian);
        multiply33(active->tangent, hessian, qh);
        multiply33(qh, active->tangent, projected);
        for (int i = 0; i < 9; i++) {
            projected[i] += active->curvature[i];
        }
        // C has no part along the normals, and is symmetric as conjugate gradients want it.
        multiply33(active->curvature, active->tangent, qh);
        for (int i = 0; i < 9; i++) {
            const double transposed = active->curvature[i % 3 * 3 + i / 3];
            assert_near(active->curvature[i], qh[i], 1e-12, "curvature along the normal");
            assert_near(active->curvature[i], transposed, 1e-12, "symmetry of the curvature");
        }
        random_unit(&random_numbers, direction);
        multiply3(active->tangent, direction, d);
        static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
        double difference[3] = {0, 0, 0}, exact[3], tangential[3];
        for (int i = 0; i < 4; i++) {
            double y[3], g[3];
            add_scaled3(x, h * (i < 2 ? i - 2 : i - 1), d, y);
            projected_gradient(&f, &e, y, g);
            add_scaled3(difference, weights[i] / h, g, difference);
        }
        multiply3(active->tangent, difference, tangential);
        multiply3(projected, d, exact);
        assert_small(testing_max_difference(tangential, exact, 3), 4e-10, "projected Hessian");
        end(&f);
    }
}

// phi'(a) = grad E(y) . d along line-search paths far from the start, active set fixed.
static void pulled_back_gradient_is_the_slope_of_the_path(void **state) {
    (void)state;
    const double h = 1e-4;
    int smooth = 0;
    for (int trial = 0; trial < 200 * CONTACT_KINDS; trial++) {
        struct obstacle obstacles[2];
        double x[3], g[3], d[3], value[4], slope[5];
        const size_t count = make_contact(trial % CONTACT_KINDS, obstacles, x);
        const struct energy e = pushing_energy(obstacles, count, x);
        struct fixture f;
        begin(&f, obstacles, count, 1, NULL, NULL);
        energy_gradient(&e, x, g);
        projection_activate(NULL, &f.projection, x, g);
        random_unit(&random_numbers, d);
        const double a = uniform(0.0, 0.3);
        for (int i = 0; i < 5; i++) {
            double y[3], p[3];
            add_scaled3(x, a + h * (i - 2), d, y);
            projected_gradient(&f, &e, y, g);
            slope[i] = dot3(g, d);
            assert_ok(projection_apply(NULL, &f.projection, y, p));
            if (i != 2) {
                value[i > 2 ? i - 1 : i] = energy_value(&e, p);
            }
        }
        const double difference = (value[0] - 8.0 * value[1] + 8.0 * value[2] - value[3]) /
                                  (12.0 * h);
        // A path may cross from a side to a cap; the slope jumps there and nowhere else.
        if (fabs(slope[4] - slope[0]) < 1000.0 * h) {
            smooth++;
            assert_small(fabs(difference - slope[2]), 1e-7, "slope of the path");
        }
        end(&f);
    }
    assert_true(smooth > 195 * CONTACT_KINDS);
}

// The path's gradient at its start is grad E there, though P moves nothing.
static void a_path_starts_with_the_projected_gradient(void **state) {
    (void)state;
    const struct obstacle floor = obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0);
    const double x[3] = {0.3, 0, 0.2};
    double y[3], at_start[3] = {1, 2, 3}, g[3] = {1, 2, 3};
    struct fixture f;
    begin(&f, &floor, 1, 1, NULL, NULL);
    projection_activate(NULL, &f.projection, x, at_start);
    assert_ok(projection_apply(NULL, &f.projection, x, y));
    assert_same_bits(x, y, 3);
    projection_pull_back(NULL, &f.projection, g);
    assert_small(testing_max_difference(g, at_start, 3), 1e-15, "gradient at the start");
    end(&f);
}

// --- projection of whole scenes ---

enum { CLOUD = 3000 };

struct cloud {
    double y[3 * CLOUD], x[3 * CLOUD], again[3 * CLOUD];
    uint8_t colliding[CLOUD], held[CLOUD];
    double targets[3 * CLOUD];
};

static void fill_cloud(struct cloud *c, double reach) {
    random_fill(&random_numbers, -reach, reach, c->y, COUNT_OF(c->y));
    random_fill(&random_numbers, -0.5, 0.5, c->targets, COUNT_OF(c->targets));
    for (size_t i = 0; i < CLOUD; i++) {
        c->colliding[i] = i % 3 != 0;
        c->held[i] = i % 7 == 0 ? (uint8_t)(i / 7 % 8) : 0;
    }
}

static struct projection_scene cloud_scene(const struct cloud *c, const struct obstacle *obstacles,
                                           size_t count) {
    return (struct projection_scene){count,   obstacles,  CLOUD, c->colliding,
                                     c->held, c->targets, 4.0};
}

// Rooms, bowls, pipes and furniture in them: no colliding node is left below a surface by more than
// 1e-13 of the scale, none that nothing acts on is moved, and projecting again changes nothing.
static void scenes_end_admissible_and_stay(void **state) {
    (void)state;
    static struct cloud c;
    struct obstacle scenes[3][4] = {{obstacle_of(PBS_SHAPE_BOX, true, 1.5, 1, 1.2),
                                     obstacle_of(PBS_SHAPE_SPHERE, false, 0.4, 0, 0),
                                     obstacle_of(PBS_SHAPE_BOX, false, 0.3, 0.2, 0.1)},
                                    {obstacle_of(PBS_SHAPE_SPHERE, true, 1.5, 0, 0),
                                     obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0),
                                     obstacle_of(PBS_SHAPE_CAPSULE, false, 0.2, 0.3, 0)},
                                    {obstacle_of(PBS_SHAPE_CYLINDER, true, 1.3, 1, 0),
                                     obstacle_of(PBS_SHAPE_CYLINDER, false, 0.3, 0.2, 0),
                                     obstacle_of(PBS_SHAPE_SPHERE, false, 0.3, 0, 0)}};
    for (int s = 0; s < 3; s++) {
        fill_cloud(&c, 2.5);
        for (int b = 0; b < 3; b++) {
            random_rotation(&random_numbers, scenes[s][b].pose.rotation);
            scenes[s][b].pose.translation[0] = 0.6 * (b - 1);
        }
        struct memory memory;
        struct projection p = {0};
        memory_init(&memory, NULL);
        struct projection_scene scene = cloud_scene(&c, scenes[s], 3);
        scene.constrained_axes = NULL;
        assert_ok(projection_begin(&memory, &scene, &p));
        assert_ok(projection_apply(NULL, &p, c.y, c.x));
        assert_ok(projection_apply(NULL, &p, c.x, c.again));
        for (size_t i = 0; i < CLOUD; i++) {
            bool violated = false;
            for (int b = 0; b < 3; b++) {
                violated |= distance_to(scenes[s] + b, c.y + 3 * i) < 0.0;
                assert_true(!c.colliding[i] ||
                            distance_to(scenes[s] + b, c.x + 3 * i) >= -1e-13 * scene.scale);
            }
            const double moved = testing_max_difference(c.x + 3 * i, c.y + 3 * i, 3);
            assert_true((moved > 0.0) == (violated && c.colliding[i]));
        }
        assert_small(testing_max_difference(c.x, c.again, 3 * CLOUD), 1e-14, "second projection");
        projection_free(&memory, &p);
    }
}

// What counts as below a surface is relative to the scale: rounding of coordinates of 1e5 is not.
static void far_away_scenes_project_too(void **state) {
    (void)state;
    struct random numbers = random_seed(3);
    for (int trial = 0; trial < 200; trial++) {
        double n[3], point[3], y[3], x[3];
        random_unit(&numbers, n);
        random_fill(&numbers, -1e5, 1e5, point, 3);
        random_unit(&numbers, y);
        add3(y, point, y);
        const struct obstacle slope = plane(n, point);
        struct fixture f;
        begin(&f, &slope, 1, 1, NULL, NULL);
        struct projection_scene scene = f.projection.scene;
        scene.scale = 1e5;
        assert_ok(projection_begin(&f.memory, &scene, &f.projection));
        assert_ok(projection_apply(NULL, &f.projection, y, x));
        assert_true(distance_to(&slope, x) >= -1e-13 * scene.scale);
        end(&f);
    }
}

// A point pushed past an edge or corner of a room comes to that edge, wherever the room is.
static void room_is_a_clamp_in_its_own_frame(void **state) {
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        struct obstacle room = obstacle_of(PBS_SHAPE_BOX, true, 0.5, 0.7, 0.9);
        random_rotation(&random_numbers, room.pose.rotation);
        random_fill(&random_numbers, -1.0, 1.0, room.pose.translation, 3);
        double local[3], y[3], x[3], back[3];
        random_fill(&random_numbers, -1.5, 1.5, local, 3);
        multiply3(room.pose.rotation, local, y);
        add3(y, room.pose.translation, y);
        struct fixture f;
        begin(&f, &room, 1, 1, NULL, NULL);
        assert_ok(projection_apply(NULL, &f.projection, y, x));
        subtract3(x, room.pose.translation, x);
        multiply_transposed3(room.pose.rotation, x, back);
        for (int i = 0; i < 3; i++) {
            const double size = room.shape.size[i];
            assert_near(back[i], fmin(fmax(local[i], -size), size), 1e-14, "clamp");
        }
        end(&f);
    }
}

static void held_axes_go_to_their_targets(void **state) {
    (void)state;
    const struct obstacle ball = obstacle_of(PBS_SHAPE_SPHERE, false, 0.5, 0, 0);
    const uint8_t held[3] = {PBS_AXIS_ALL, PBS_AXIS_X, 0};
    const double targets[9] = {0.1, 0, 0, 0.3, 9, 9, 9, 9, 9};
    const double y[9] = {7, 7, 7, 7, 0.2, 0, 0, 0.25, 0};
    struct fixture f;
    double x[9], g[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    begin(&f, &ball, 1, 3, held, targets);
    assert_ok(projection_apply(NULL, &f.projection, y, x));
    // Wholly held: at its target though inside. Held in x: out of the ball within the plane x =
    // 0.3. Free: straight out.
    const double expected[9] = {0.1, 0, 0, 0.3, 0.4, 0, 0, 0.5, 0};
    assert_small(testing_max_difference(x, expected, 9), 1e-15, "held positions");
    projection_pull_back(NULL, &f.projection, g);
    assert_true(g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0 && g[3] == 0.0);
    // On the circle of radius 0.4, from 0.2 inside: z moves by 0.4 / 0.2.
    assert_near(g[4], 0.0, 1e-14, "normal within the plane");
    assert_near(g[5], 2.0, 1e-13, "along the circle");
    // All three are listed for the Hessian, with the free directions as range of Q.
    double force[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    projection_activate(NULL, &f.projection, x, force);
    assert_int_equal(f.projection.active_count, 3);
    static const double traces[3] = {0.0, 1.0, 2.0};
    for (int i = 0; i < 3; i++) {
        const double *q = f.projection.active[i].tangent;
        assert_near(q[0] + q[4] + q[8], traces[i], 1e-14, "free directions");
    }
    // The force along x is the hand's, that along y the ball's: lambda n_y = 1 with n = (0.6, 0.8,
    // 0).
    assert_near(f.projection.slots[1].multiplier[0], 1.0 / 0.8, 1e-14, "multiplier of a held node");
    end(&f);
}

// A node that does not collide goes where it is held and nowhere else, and is inside of nothing.
static void held_nodes_that_do_not_collide_pass_through(void **state) {
    (void)state;
    const struct obstacle ball = obstacle_of(PBS_SHAPE_SPHERE, false, 0.5, 0, 0);
    const uint8_t held[3] = {PBS_AXIS_X, PBS_AXIS_X, PBS_AXIS_X}, colliding[3] = {0, 1, 1};
    const double targets[9] = {0.1, 0, 0, 0.1, 0, 0, 0.6, 0, 0};
    const double y[9] = {0, 0.2, 0, 0, 0.2, 0, 0, 0.2, 0}, at[9] = {0.1, 0.2, 0, 0.1, 0.2, 0, 0.6};
    struct fixture f;
    begin(&f, &ball, 1, 3, held, targets);
    struct projection_scene scene = f.projection.scene;
    scene.colliding = colliding;
    assert_ok(projection_begin(&f.memory, &scene, &f.projection));
    double x[9];
    assert_ok(projection_apply(NULL, &f.projection, y, x));
    assert_true(x[0] == 0.1 && x[1] == 0.2 && x[2] == 0.0);
    assert_near(x[4], sqrt(0.24), 1e-15, "out of the ball within the plane x = 0.1");
    assert_int_equal(projection_count_constrained_inside(&f.projection, at), 1);
    end(&f);
}

static void failures_are_reported_in_words(void **state) {
    (void)state;
    const double up[3] = {0, 1, 0}, down[3] = {0, -1, 0};
    const struct obstacle jaws[2] = {plane(up, (const double[3]){0, 0.1, 0}),
                                     plane(down, (const double[3]){0, -0.1, 0})};
    struct fixture f;
    double x[6] = {0, 5, 0, 1, 0, 0};
    begin(&f, jaws, 2, 2, NULL, NULL);
    assert_status(projection_apply(NULL, &f.projection, x, x), PBS_ERROR_INADMISSIBLE);
    assert_message("node 0: no point outside all obstacles");
    end(&f);
    begin(&f, jaws, 1, 2, NULL, NULL);
    for (int i = 3; i < 6; i++) {
        double bad[6] = {0, 5, 0, 1, 1, 1};
        bad[i] = i == 4 ? INFINITY : NAN;
        assert_status(projection_apply(NULL, &f.projection, bad, bad), PBS_ERROR_INADMISSIBLE);
        assert_message("node 1: position (");
    }
    const struct projection_scene scene = {.scale = 0.0};
    assert_status(projection_begin(&f.memory, &scene, &f.projection), PBS_ERROR_ARGUMENT);
    end(&f);
}

// --- after the solve ---

// A weight on the ground and one in the edge of two planes: the obstacles carry exactly g' / c.
static void forces_balance_the_gradient(void **state) {
    (void)state;
    const double weight = 0.25;
    const double left[3] = {-sqrt(0.5), sqrt(0.5), 0}, right[3] = {sqrt(0.5), sqrt(0.5), 0};
    const double origin[3] = {0, 0, 0};
    const struct obstacle groove[2] = {plane(left, origin), plane(right, origin)};
    struct fixture f;
    begin(&f, groove, 2, 1, NULL, NULL);
    double g[3] = {0, 10, 0};
    projection_activate(NULL, &f.projection, origin, g);
    // They are added to what is there.
    double on_node[3] = {7, 8, 9};
    projection_node_forces(&f.projection, weight, on_node);
    const double expected[3] = {7, 48, 9};
    assert_small(testing_max_difference(on_node, expected, 3), 1e-13, "forces");
    // A new scene has no forces from the old one's contacts.
    const struct projection_scene scene = f.projection.scene;
    assert_ok(projection_begin(&f.memory, &scene, &f.projection));
    assert_int_equal(f.projection.active_count, 0);
    projection_node_forces(&f.projection, weight, on_node);
    assert_small(testing_max_difference(on_node, expected, 3), 1e-13, "forces of a new scene");
    end(&f);
}

// A node on an obstacle with unit force: c = h^2 makes the impulse mu f h.
static double rub_once(const struct obstacle *o, double force, double mass, double h,
                       double velocity[3]) {
    struct fixture f;
    const double x[3] = {0, 0, 0}, c = h * h;
    double g[3] = {0, c * force, 0};
    begin(&f, o, 1, 1, NULL, NULL);
    projection_activate(NULL, &f.projection, x, g);
    const double loss = projection_friction(&f.projection, x, &mass, c, h, velocity);
    end(&f);
    return loss;
}

static void friction_slides_at_the_cone_and_sticks_below_it(void **state) {
    (void)state;
    struct obstacle floor = obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0);
    floor.friction = 0.5;
    const double mass = 2.0, force = 20.0, h = 0.1;
    // mu f h / m = 0.5 m/s.
    double fast[3] = {3, 7, 4}, slow[3] = {0.3, 7, 0.3};
    const double loss = rub_once(&floor, force, mass, h, fast);
    const double slid[3] = {2.7, 7, 3.6};
    assert_small(testing_max_difference(fast, slid, 3), 1e-15, "sliding");
    assert_near(loss, 0.5 * mass * (25.0 - 20.25), 1e-13, "loss by sliding");
    rub_once(&floor, force, mass, h, slow);
    assert_small(fabs(slow[0]) + fabs(slow[2]) + fabs(slow[1] - 7.0), 1e-15, "sticking");
    // No force, no friction; at rest, nothing to do.
    double free_velocity[3] = {3, 0, 0}, rest[3] = {0, 0, 0};
    assert_true(rub_once(&floor, 0.0, mass, h, free_velocity) == 0.0 && free_velocity[0] == 3.0);
    assert_true(rub_once(&floor, force, mass, h, rest) == 0.0 && norm3(rest) == 0.0);
}

static void friction_is_relative_to_a_moving_obstacle(void **state) {
    (void)state;
    struct obstacle belt = obstacle_of(PBS_SHAPE_HALF_SPACE, false, 0, 0, 0);
    belt.friction = 10.0;
    belt.pose.translation[0] = 2.0;
    belt.velocity[0] = 1.5;
    belt.angular_velocity[1] = 0.5;
    double v[3] = {0, 0, 0};
    rub_once(&belt, 20.0, 1.0, 0.1, v);
    // omega x r with r = (-2, 0, 0): (0, 0, 0.5 * 2).
    const double carried[3] = {1.5, 0, 1.0};
    assert_small(testing_max_difference(v, carried, 3), 1e-15, "carried along");
}

// At rest obstacles, any number of them, rub any velocity: kinetic energy falls by what is
// returned, normal velocities stay.
static void friction_never_adds_energy(void **state) {
    (void)state;
    const double origin[3] = {0, 0, 0}, h = 0.04;
    for (int trial = 0; trial < 1000; trial++) {
        struct obstacle planes[3];
        const size_t count = 1 + random_index(&random_numbers, 3);
        for (size_t b = 0; b < count; b++) {
            double n[3];
            random_unit(&random_numbers, n);
            planes[b] = plane(n, origin);
            planes[b].friction = uniform(0.0, 2.0);
        }
        const uint8_t held[1] = {(uint8_t)(trial % 2 ? PBS_AXIS_Y : 0)};
        struct fixture f;
        begin(&f, planes, count, 1, held, origin);
        double g[3], v[3], before[3], n[3];
        random_unit(&random_numbers, g);
        random_fill(&random_numbers, -30.0, 30.0, v, 3);
        copy3(v, before);
        projection_activate(NULL, &f.projection, origin, g);
        const double mass = uniform(0.1, 10.0);
        const double loss = projection_friction(&f.projection, origin, &mass, h * h, h, v);
        assert_true(loss >= 0.0);
        assert_near(0.5 * mass * (dot3(before, before) - dot3(v, v)), loss, 1e-10, "energy lost");
        assert_true(!held[0] || v[1] == before[1]);
        for (size_t k = 0; k < f.projection.slots[0].active_count && !held[0]; k++) {
            const struct obstacle *o = planes + f.projection.slots[0].active[k];
            shape_distance(&o->shape, &o->pose, origin, n, NULL);
            assert_near(dot3(n, v), dot3(n, before), 1e-9, "normal velocity");
        }
        end(&f);
    }
}

// --- the promises of the house ---

static void make_busy_scene(struct obstacle scene[4]) {
    scene[0] = obstacle_of(PBS_SHAPE_BOX, true, 1.2, 1.1, 1.0);
    scene[1] = obstacle_of(PBS_SHAPE_SPHERE, false, 0.5, 0, 0);
    scene[2] = obstacle_of(PBS_SHAPE_CYLINDER, true, 1.3, 1.2, 0);
    scene[3] = obstacle_of(PBS_SHAPE_CAPSULE, false, 0.2, 0.6, 0);
    for (int b = 0; b < 4; b++) {
        scene[b].friction = 0.1 * b;
        random_rotation(&random_numbers, scene[b].pose.rotation);
    }
}

// A cloud of nodes among these obstacles, and what is computed of it.
struct busy {
    struct cloud cloud;
    struct obstacle obstacles[4];
    struct projection_scene scene;
    struct memory memory;
    struct projection projection;
    double forces[3 * CLOUD];
};

static void make_busy(struct busy *b) {
    fill_cloud(&b->cloud, 1.5);
    make_busy_scene(b->obstacles);
    b->scene = cloud_scene(&b->cloud, b->obstacles, 4);
    memory_init(&b->memory, NULL);
    b->projection = (struct projection){0};
}

// One Newton iteration's worth of calls; out: positions, gradients and velocities behind each
// other.
static void run_all(struct tasks *tasks, struct busy *b, double *out) {
    static double mass[CLOUD];
    const struct cloud *const c = &b->cloud;
    struct projection *const p = &b->projection;
    double *x = out, *g = out + 3 * CLOUD, *v = out + 6 * CLOUD;
    assert_ok(projection_begin(&b->memory, &b->scene, p));
    assert_ok(projection_apply(tasks, p, c->y, x));
    for (size_t i = 0; i < 3 * CLOUD; i++) {
        g[i] = x[i] - c->y[i];
        v[i] = c->y[i];
        mass[i / 3] = 1.0;
    }
    projection_activate(tasks, p, x, g);
    for (size_t i = 0; i < 3 * CLOUD; i++) {
        x[i] += 0.1 * c->y[i];
    }
    assert_ok(projection_apply(tasks, p, x, x));
    projection_pull_back(tasks, p, g);
    memset(b->forces, 0, sizeof b->forces);
    projection_node_forces(p, 0.01, b->forces);
    projection_friction(p, x, mass, 0.01, 0.1, v);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static struct busy b;
    static double first[9 * CLOUD], other[9 * CLOUD];
    make_busy(&b);
    run_all(NULL, &b, first);
    assert_true(b.projection.active_count > 100);
    static double forces[3 * CLOUD];
    memcpy(forces, b.forces, sizeof forces);
    const size_t active_count = b.projection.active_count;
    for (int32_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
        struct tasks *tasks;
        assert_ok(tasks_create(&b.memory, NULL, threads, &tasks));
        run_all(tasks, &b, other);
        assert_same_bits(first, other, COUNT_OF(first));
        assert_same_bits(forces, b.forces, COUNT_OF(forces));
        assert_int_equal(active_count, b.projection.active_count);
        tasks_destroy(&b.memory, tasks);
    }
    projection_free(&b.memory, &b.projection);
}

static void a_warm_projection_allocates_nothing(void **state) {
    (void)state;
    static struct busy b;
    static double out[9 * CLOUD];
    make_busy(&b);
    run_all(NULL, &b, out);
    const uint64_t calls = b.memory.call_count;
    for (int i = 0; i < 3; i++) {
        run_all(NULL, &b, out);
    }
    assert_int_equal(b.memory.call_count, calls);
    projection_free(&b.memory, &b.projection);
}

static pbs_status begin_scene(struct memory *memory, const void *scene) {
    struct projection p = {0};
    const pbs_status status = projection_begin(memory, scene, &p);
    projection_free(memory, &p);
    return status;
}

static void every_failed_allocation_is_a_status(void **state) {
    (void)state;
    static struct busy b;
    make_busy(&b);
    assert_refusals_are_statuses(begin_scene, &b.scene, 20);
}

int main(void) {
    random_numbers = random_seed(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_pairs_are_active_by_the_sign_of_the_force),
        cmocka_unit_test(wedges_are_active_by_their_multipliers),
        cmocka_unit_test(edges_let_go_past_either_face),
        cmocka_unit_test(held_forces_do_not_choose_the_active_set),
        cmocka_unit_test(edges_under_a_wall_let_go_past_either_face),
        cmocka_unit_test(a_node_slides_off_a_table),
        cmocka_unit_test(active_sets_decompose_the_force),
        cmocka_unit_test(projected_hessian_matches_differences_of_the_gradient),
        cmocka_unit_test(pulled_back_gradient_is_the_slope_of_the_path),
        cmocka_unit_test(a_path_starts_with_the_projected_gradient),
        cmocka_unit_test(scenes_end_admissible_and_stay),
        cmocka_unit_test(far_away_scenes_project_too),
        cmocka_unit_test(room_is_a_clamp_in_its_own_frame),
        cmocka_unit_test(held_axes_go_to_their_targets),
        cmocka_unit_test(held_nodes_that_do_not_collide_pass_through),
        cmocka_unit_test(failures_are_reported_in_words),
        cmocka_unit_test(forces_balance_the_gradient),
        cmocka_unit_test(friction_slides_at_the_cone_and_sticks_below_it),
        cmocka_unit_test(friction_is_relative_to_a_moving_obstacle),
        cmocka_unit_test(friction_never_adds_energy),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_warm_projection_allocates_nothing),
        cmocka_unit_test(every_failed_allocation_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
