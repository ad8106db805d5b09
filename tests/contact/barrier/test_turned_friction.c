// Friction of spheres with rotations, and what resists rolling and spinning: values, gradients and
// Hessians of one another, how duals follow directions, and what a rigid motion of everything does
// (docs/theory/bonds.md sections 6.3 and 6.4).
// SPDX-License-Identifier: MIT
#include "contact/barrier/barrier_contact.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

enum { BALLS = 2, FIRST_TURN = BALLS, FIRST_CORNER = 2 * BALLS, NODES = FIRST_CORNER + 3 };
enum { COORDINATES = 3 * NODES };

static struct memory memory;
static struct random numbers;

static const double radii[BALLS] = {0.1, 0.15};
static const double lengths[BALLS] = {0.06, 0.1};
static const double LENGTH = 0.01;
static const double WIDTH = 1e-3;
// Of WIDTH, the length of a direction.
static const double PART = 1e-4;

struct balls {
    struct barrier_contact contact;
    double origin[COORDINATES], x[COORDINATES];
};

static void add_parts(struct balls *s) {
    static const uint32_t balls[BALLS] = {0, 1};
    static const uint32_t corners[3] = {FIRST_CORNER, FIRST_CORNER + 1, FIRST_CORNER + 2};
    static const uint32_t triangle[3] = {0, 1, 2};
    const struct surface rough = {.friction = 0.5, .rolling = 0.3, .spinning = 0.2};
    const struct collision_part_input spheres = {
        .part = {.surface = rough, .group = 1, .mask = 1, .touches_itself = true},
        .kind = POINT_NODE,
        .point_count = BALLS,
        .nodes = balls,
        .radii = radii,
        .first_rotation = FIRST_TURN,
        .rotation_lengths = lengths,
        .rest = s->x};
    const struct collision_part_input sheet = {.part = {.group = 1, .mask = 1},
                                               .kind = POINT_NODE,
                                               .point_count = 3,
                                               .nodes = corners,
                                               .rest = s->x + 3 * (size_t)FIRST_CORNER,
                                               .triangle_count = 1,
                                               .triangles = triangle};
    assert_ok(collision_mesh_add(&memory, &spheres, &s->contact.mesh));
    assert_ok(collision_mesh_add(&memory, &sheet, &s->contact.mesh));
}

/// One sphere beside the other and over a triangle; friction of that, in a stage that has gone on
/// from it by about the width of friction.
static void make_balls(struct balls *s) {
    static const double x[COORDINATES] = {0.0,  0.12, 0.0, 0.25, 0.22, 0.03,  0.0,
                                          0.0,  0.0,  0.0, 0.0,  0.0,  -0.3,  0.01,
                                          -0.2, 0.1,  0.0, 0.5,  0.3,  -0.01, -0.4};
    *s = (struct balls){.contact = {.memory = &memory,
                                    .settings = {.barrier = {BARRIER_DISTANCE, 1e3, 0.05},
                                                 .slip_velocity = WIDTH / LENGTH}}};
    memcpy(s->x, x, sizeof x);
    add_parts(s);
    assert_ok(barrier_contact_reset(&s->contact));
    assert_ok(barrier_contact_lag_friction(&s->contact, NULL, s->x, false));
    assert_int_equal(s->contact.friction_count, 2);
    assert_int_equal(s->contact.rolling_count, 2);
    for (size_t k = 0; k < COORDINATES; k++) {
        s->origin[k] = s->x[k] + random_uniform(&numbers, -WIDTH, WIDTH);
        s->x[k] += random_uniform(&numbers, -WIDTH, WIDTH);
    }
    barrier_contact_begin_stage(&s->contact, s->origin, LENGTH);
}

/// Of friction alone.
static double friction_at(struct balls *s, const double *x, double *gradient) {
    struct contact_energy energy;
    double without[COORDINATES] = {0.0};
    memset(gradient, 0, COORDINATES * sizeof *gradient);
    assert_ok(barrier_contact_evaluate(&s->contact, NULL, x, false, without, &energy));
    assert_ok(barrier_contact_evaluate(&s->contact, NULL, x, true, gradient, &energy));
    for (size_t k = 0; k < COORDINATES; k++) {
        gradient[k] -= without[k];
    }
    return energy.friction;
}

static void gradients_are_those_of_values(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(20); i++) {
        struct balls s;
        double gradient[COORDINATES];
        double scrap[COORDINATES];
        make_balls(&s);
        friction_at(&s, s.x, gradient);
        double most = 0.0;
        for (size_t k = 0; k < COORDINATES; k++) {
            const double at = s.x[k];
            const double step = 1e-3 * WIDTH;
            s.x[k] = at + step;
            const double up = friction_at(&s, s.x, scrap);
            s.x[k] = at - step;
            const double down = friction_at(&s, s.x, scrap);
            s.x[k] = at;
            most = fmax(most, fabs(gradient[k]));
            // Third derivatives are forces over squared widths.
            assert_near((up - down) / (2.0 * step), gradient[k], 1e-4 * fmax(most, 10.0),
                        "derivative");
        }
        assert_true(most > 1.0);
        barrier_contact_free(&s.contact);
    }
}

/// All nodes are rows in their order, in one domain.
static void make_layout(struct layout *layout, uint32_t *rows, uint32_t *starts) {
    for (uint32_t i = 0; i < NODES; i++) {
        rows[i] = i;
    }
    starts[0] = 0;
    starts[1] = NODES;
    *layout = (struct layout){
        .node_count = NODES, .domain_count = 1, .domain_start = starts, .row = rows, .node = rows};
}

/// The blocks, and the product with a motion, against differences of the gradient: of the whole
/// contact, as what differs are the barriers' Hessians alone, which are left out by difference.
static void hessians_are_those_of_gradients(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(20); i++) {
        struct balls s;
        struct layout layout;
        uint32_t rows[NODES];
        uint32_t starts[2];
        double direction[COORDINATES + 8] = {0.0};
        double products[2][COORDINATES + 8] = {{0.0}};
        double motions[2][COORDINATES] = {{0.0}};
        double ends[2][COORDINATES];
        make_balls(&s);
        make_layout(&layout, rows, starts);
        random_fill(&numbers, -1.0, 1.0, direction, COORDINATES);
        for (int with = 0; with < 2; with++) {
            assert_ok(barrier_contact_linearize(&s.contact, NULL, &layout, NULL, s.x, with == 1));
            struct contact_matrix c = {0};
            assert_ok(contact_matrix_build(s.contact.memory, &layout, s.contact.blocks.sets,
                                           CONTACT_STENCIL_LIMIT, &c));
            contact_matrix_add_domain(&c, 0, direction, products[with]);
            contact_matrix_free(s.contact.memory, &c);
            barrier_contact_add_motion(&s.contact, NULL, direction, motions[with]);
        }
        const double step = 1e-3 * WIDTH;
        for (int side = 0; side < 2; side++) {
            double x[COORDINATES];
            for (size_t k = 0; k < COORDINATES; k++) {
                x[k] = s.x[k] + (side == 0 ? -step : step) * direction[k];
            }
            friction_at(&s, x, ends[side]);
        }
        double most = 0.0;
        for (size_t k = 0; k < COORDINATES; k++) {
            most = fmax(most, fabs(products[1][k] - products[0][k]));
        }
        assert_true(most > 1e3);
        for (size_t k = 0; k < COORDINATES; k++) {
            const double product = products[1][k] - products[0][k];
            // Second derivatives jump at the width: a thousandth of it lies there in a few cases.
            assert_near((ends[1][k] - ends[0][k]) / (2.0 * step), product, 5e-3 * most,
                        "derivative");
            assert_near(motions[1][k] - motions[0][k], product, 1e-11 * most, "both ways");
        }
        barrier_contact_free(&s.contact);
    }
}

/// The largest error of the duals at x.
static double duals_error_at(struct balls *s, const double *x) {
    static const double nowhere[COORDINATES];
    barrier_contact_locate(&s->contact, NULL, x);
    barrier_contact_follow(&s->contact, nowhere);
    return s->contact.dual_error;
}

/// After a direction and a part of it the duals are those of the slip there, but for the second
/// order of the part: arms, spheres' rotations and triangles' corners are all followed.
static void duals_follow_directions(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(20); i++) {
        struct balls s;
        struct layout layout;
        uint32_t rows[NODES];
        uint32_t starts[2];
        double direction[COORDINATES];
        double left[2];
        make_balls(&s);
        make_layout(&layout, rows, starts);
        random_fill(&numbers, -1.0, 1.0, direction, COORDINATES);
        for (int half = 0; half < 2; half++) {
            double x[COORDINATES];
            double part[COORDINATES];
            for (size_t k = 0; k < COORDINATES; k++) {
                part[k] = (half == 0 ? PART : 0.5 * PART) * WIDTH * direction[k];
                x[k] = s.x[k] + part[k];
            }
            barrier_contact_begin_stage(&s.contact, s.origin, LENGTH);
            assert_ok(barrier_contact_linearize(&s.contact, NULL, &layout, NULL, s.x, true));
            barrier_contact_follow(&s.contact, part);
            assert_near(s.contact.dual_error, 0.0, 1e-14, "not known before");
            for (size_t k = 0; k < 2; k++) {
                assert_true(s.contact.frictions[k].dual.is_known);
                assert_true(s.contact.rollings[k].roll.is_known);
                assert_true(s.contact.rollings[k].spin.is_known);
            }
            assert_true(barrier_contact_is_settled(&s.contact));
            left[half] = duals_error_at(&s, x);
        }
        // Slips are of the order of WIDTH, so that errors are of the order of PART^2, more where a
        // slip is short.
        assert_true(left[0] < 0.01 * PART);
        assert_true(left[1] < 0.3 * left[0] + 1e-13);
        barrier_contact_free(&s.contact);
    }
}

/// A direction that is not gone leaves duals that are not those of the slip, and a Hessian that is
/// stiffer than the energy's; zero directions bring them back, as Newton's method for w alone.
static void duals_settle_where_directions_end(void **state) {
    (void)state;
    struct balls s;
    struct layout layout;
    uint32_t rows[NODES];
    uint32_t starts[2];
    double direction[COORDINATES];
    make_balls(&s);
    make_layout(&layout, rows, starts);
    random_fill(&numbers, -100.0 * WIDTH, 100.0 * WIDTH, direction, COORDINATES);
    assert_ok(barrier_contact_linearize(&s.contact, NULL, &layout, NULL, s.x, true));
    barrier_contact_follow(&s.contact, direction);
    assert_true(barrier_contact_is_settled(&s.contact));
    duals_error_at(&s, s.x);
    assert_false(barrier_contact_is_settled(&s.contact));
    duals_error_at(&s, s.x);
    assert_true(barrier_contact_is_settled(&s.contact));
    // As does forgetting them, at once.
    barrier_contact_follow(&s.contact, direction);
    barrier_contact_follow(&s.contact, NULL);
    assert_near(duals_error_at(&s, s.x), 0.0, 1e-14, "forgotten");
    // Without friction in the Hessian there is nothing to settle.
    assert_ok(barrier_contact_linearize(&s.contact, NULL, &layout, NULL, s.x, false));
    assert_near(duals_error_at(&s, s.x), 0.0, 0.0, "none");
    barrier_contact_free(&s.contact);
}

/// What moves on from the stage's origin as one rigid body, rotations included, rubs nowhere.
static void rigid_motions_rub_nothing(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(20); i++) {
        struct balls s;
        double gradient[COORDINATES];
        double turn[3];
        double way[3];
        double lagged[COORDINATES];
        make_balls(&s);
        // From the places that friction is of: arms and corners are those.
        for (size_t k = 0; k < COORDINATES; k++) {
            lagged[k] = s.origin[k];
        }
        barrier_contact_free(&s.contact);
        s.contact = (struct barrier_contact){.memory = &memory,
                                             .settings = {.barrier = {BARRIER_DISTANCE, 1e3, 0.05},
                                                          .slip_velocity = WIDTH / LENGTH}};
        add_parts(&s);
        assert_ok(barrier_contact_reset(&s.contact));
        assert_ok(barrier_contact_lag_friction(&s.contact, NULL, lagged, false));
        barrier_contact_begin_stage(&s.contact, lagged, LENGTH);
        random_fill(&numbers, -0.02, 0.02, turn, 3);
        random_fill(&numbers, -0.02, 0.02, way, 3);
        for (size_t n = 0; n < NODES; n++) {
            double moved[3];
            if (n >= FIRST_TURN && n < FIRST_CORNER) {
                scale3(lengths[n - FIRST_TURN], turn, moved);
            } else {
                cross3(turn, lagged + 3 * n, moved);
                add3(moved, way, moved);
            }
            add3(lagged + 3 * n, moved, s.x + 3 * n);
        }
        friction_at(&s, s.x, gradient);
        for (size_t k = 0; k < COORDINATES; k++) {
            assert_near(gradient[k], 0.0, 1e-9, "no force");
        }
        barrier_contact_free(&s.contact);
    }
}

static int set_up(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    numbers = random_seed(31);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return memory.bytes_in_use != 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_values),
        cmocka_unit_test(hessians_are_those_of_gradients),
        cmocka_unit_test(duals_follow_directions),
        cmocka_unit_test(duals_settle_where_directions_end),
        cmocka_unit_test(rigid_motions_rub_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
