// pbs_world_overlaps reports exactly the pairs that would make a step fail, before the step.
// pbs_world_separate pushes overlapping bodies apart, or names those that it cannot.
// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/world_testing.h"

static const double H = 0.01;

static pbs_world_desc barrier_settings(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_BARRIER;
    d.contact_distance = 1e-3;
    d.contact_stiffness = 1e5;
    return d;
}

static pbs_world *new_barrier_world(void) {
    const pbs_world_desc d = barrier_settings();
    return new_world_from(&d);
}

static pbs_body add_box(pbs_world *world, const double sides[3], const double position[3]) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    memcpy(d.position, position, sizeof d.position);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static pbs_body add_unit_box(pbs_world *world, double x, double y, double z) {
    return add_box(world, (double[3]){0.1, 0.1, 0.1}, (double[3]){x, y, z});
}

static pbs_overlap_desc describe(void) {
    pbs_overlap_desc d;
    assert_ok(pbs_overlap_desc_init(&d, sizeof d));
    return d;
}

/// A surface in no world.
static pbs_overlap_desc describe_box(const struct box_surface *box) {
    pbs_overlap_desc d = describe();
    d.vertex_count = 8;
    d.positions = box->positions;
    d.triangle_count = 12;
    d.triangles = box->triangles;
    return d;
}

/// Six times the volume of a tetrahedron, m^3.
static double volume_of_four(const double *const x[4]) {
    double side[3][3], cross[3];
    for (int k = 0; k < 3; k++) {
        subtract3(x[k + 1], x[0], side[k]);
    }
    cross3(side[0], side[1], cross);
    return dot3(cross, side[2]);
}

enum { ROWS = 64 };

static size_t find(const pbs_world *world, const pbs_overlap_desc *d, pbs_overlap rows[ROWS]) {
    size_t count = ROWS;
    assert_ok(pbs_world_overlaps(world, d, rows, sizeof *rows, &count));
    return count;
}

static int32_t worst_kind(const pbs_overlap *rows, size_t count) {
    int32_t worst = -1;
    for (size_t i = 0; i < count; i++) {
        // No step refuses what lies inside.
        const int32_t kind = rows[i].kind == PBS_OVERLAP_INSIDE ? PBS_OVERLAP_CLOSE : rows[i].kind;
        worst = kind > worst ? kind : worst;
    }
    return worst;
}

// --- queries ---

/// Gaps are told to rounding, and a distance decides at the gap.
static void distances_decide_at_the_gap(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    const pbs_collider ground = add_ground(world);
    const pbs_body low = add_unit_box(world, 0.0, 0.0507, 0.0);
    const pbs_body high = add_unit_box(world, 0.02, 0.151, 0.03);
    pbs_overlap rows[ROWS];
    pbs_overlap_desc d = describe();
    d.distance = 1e-3;
    assert_int_equal(find(world, &d, rows), 2);
    assert_true(rows[0].bodies[0].id == low.id || rows[0].bodies[1].id == low.id);
    assert_true(rows[0].bodies[0].id == high.id || rows[0].bodies[1].id == high.id);
    assert_int_equal(rows[0].kind, PBS_OVERLAP_CLOSE);
    assert_near(rows[0].gap, 3e-4, 1e-16, "between the boxes, m");
    assert_near(fabs(rows[0].normal[1]), 1.0, 1e-12, "normal");
    assert_true(rows[1].bodies[0].id == low.id && rows[1].colliders[1].id == ground.id);
    assert_near(rows[1].gap, 7e-4, 1e-16, "over the ground, m");
    assert_int_equal(rows[1].vertex_counts[0], 1);
    assert_int_equal(rows[1].vertex_counts[1], 0);
    // Rounding of coordinates of 0.15 m.
    const double unsure = 1e-16;
    d.distance = 7e-4 - unsure;
    assert_int_equal(find(world, &d, rows), 1);
    d.distance = 3e-4 + unsure;
    assert_int_equal(find(world, &d, rows), 1);
    d.distance = 3e-4 - unsure;
    assert_int_equal(find(world, &d, rows), 0);
    d.distance = 0.0;
    assert_int_equal(find(world, &d, rows), 0);
    pbs_world_destroy(world);
}

/// Adds one collider, with a part of it at the origin of the lower cube of soft_pair.
static bool add_shape(pbs_world *world, int32_t shape, int32_t hollow, int32_t collision) {
    pbs_collider_desc d;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = shape;
    d.hollow = hollow;
    d.collision = collision;
    d.penalty_stiffness = 1e4;
    d.size[0] = 0.3;
    d.size[1] = shape == PBS_SHAPE_TORUS ? 0.1 : 0.3;
    d.size[2] = 0.3;
    return pbs_collider_create(world, &d, &collider) == PBS_OK;
}

/// Two triangles of 2 mm, whose edges cross at a gap of 0.1 mm: told whatever the distance asked
/// for, up to where no number holds its square.
static void gaps_of_edges_are_told_at_any_distance(void **state) {
    (void)state;
    const double x[2][9] = {
        {-1e-3, 0, 0, 1e-3, 0, 0, 0, -1e-3, 0},
        {0, 1e-4, -1e-3, 0, 1e-4, 1e-3, 0, 1e-3, 0},
    };
    const uint32_t triangle[3] = {0, 1, 2};
    pbs_world *const world = new_barrier_world();
    for (int i = 0; i < 2; i++) {
        pbs_shell_desc d;
        pbs_body body;
        assert_ok(pbs_shell_desc_init(&d, sizeof d));
        d.vertex_count = 3;
        d.positions = x[i];
        d.triangle_count = 1;
        d.triangles = triangle;
        assert_ok(pbs_body_create_shell(world, &d, &body));
    }
    const double distances[] = {2e-4, 1e-3, 1.0, 1e4, 1e150, 1e200};
    for (size_t i = 0; i < COUNT_OF(distances); i++) {
        pbs_overlap_desc d = describe();
        pbs_overlap row;
        size_t count = 1;
        d.distance = distances[i];
        assert_ok(pbs_world_overlaps(world, &d, &row, sizeof row, &count));
        assert_int_equal(count, 1);
        assert_near(row.gap, 1e-4, 1e-15, "gap, m");
    }
    pbs_world_destroy(world);
}

/// What pbs_world_overlaps finds does not depend on how the world resolves contact and how the
/// collider acts in it: the rows are those of a barrier world. Searches once went on for ever where
/// half-spaces and hollow shapes acted by penalties.
static void overlaps_are_the_same_in_every_kind_of_contact(void **state) {
    (void)state;
    static const int32_t kinds[] = {PBS_CONTACT_BARRIER, PBS_CONTACT_PROJECTION,
                                    PBS_CONTACT_PENALTY};
    static const int32_t shapes[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_SPHERE,   PBS_SHAPE_BOX,
                                     PBS_SHAPE_CAPSULE,    PBS_SHAPE_CYLINDER, PBS_SHAPE_TORUS};
    // The first cube touches every shape, the second one some.
    static const double corners[2][3] = {{0.05, 0.1, 0.05}, {0.2, -0.7, 0.1}};
    for (size_t s = 0; s < 2 * COUNT_OF(shapes); s++) {
        pbs_overlap first[ROWS];
        size_t expected = 0;
        int worlds = 0;
        for (size_t k = 0; k < 2 * COUNT_OF(kinds); k++) {
            pbs_world_desc settings;
            pbs_overlap rows[ROWS];
            pbs_separation separation = {.struct_size = sizeof separation};
            assert_ok(pbs_world_desc_init(&settings, sizeof settings));
            settings.contact = kinds[k / 2];
            pbs_world *world = new_world_from(&settings);
            add_cube(world, 2, 0.5, corners[0], NULL);
            add_cube(world, 1, 0.3, corners[1], NULL);
            if (add_shape(world, shapes[s / 2], s % 2, (int32_t)(k % 2))) {
                pbs_overlap_desc d = describe();
                d.distance = 0.01;
                const size_t count = find(world, &d, rows);
                expected = worlds == 0 ? count : expected;
                assert_int_equal(count, expected);
                for (size_t i = 0; i < count; i++) {
                    first[i] = worlds == 0 ? rows[i] : first[i];
                    assert_int_equal(rows[i].kind, first[i].kind);
                    // Not a number where surfaces intersect.
                    assert_memory_equal(&rows[i].gap, &first[i].gap, sizeof rows[i].gap);
                }
                (void)pbs_world_separate(world, NULL, &separation);
                worlds++;
            }
            pbs_world_destroy(world);
        }
        // Barriers take constraints only.
        assert_true(worlds >= 4);
    }
}

/// A surface at random places beside a box, a soft cube, a ball and the ground: what is told before
/// it is created is what the step says after it is.
static void what_is_told_is_what_a_step_says(void **state) {
    (void)state;
    struct random random = random_seed(7);
    int refused = 0;
    struct box_surface box;
    box_surface_make(&box, (double[3]){0.08, 0.05, 0.06});
    const int count = testing_is_small() ? 20 : 120;
    for (int i = 0; i < count; i++) {
        pbs_world *world = new_barrier_world();
        add_ground(world);
        add_unit_box(world, 0.0, 0.06, 0.0);
        add_cube(world, 1, 0.1, (double[]){0.15, 0.01, -0.05}, NULL);
        pbs_collider_desc ball;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&ball, sizeof ball));
        ball.shape = PBS_SHAPE_SPHERE;
        ball.size[0] = 0.05;
        ball.position[0] = -0.15;
        ball.position[1] = 0.06;
        assert_ok(pbs_collider_create(world, &ball, &collider));
        pbs_overlap_desc d = describe_box(&box);
        double norm = 0.0;
        for (int k = 0; k < 4; k++) {
            d.orientation[k] = random_uniform(&random, -1.0, 1.0);
            norm += d.orientation[k] * d.orientation[k];
        }
        for (int k = 0; k < 4; k++) {
            d.orientation[k] /= sqrt(norm);
        }
        d.position[0] = random_uniform(&random, -0.25, 0.3);
        d.position[1] = random_uniform(&random, 0.03, 0.2);
        d.position[2] = random_uniform(&random, -0.1, 0.1);
        pbs_overlap rows[ROWS];
        const bool touches = worst_kind(rows, find(world, &d, rows)) > PBS_OVERLAP_CLOSE;
        pbs_affine_desc affine;
        pbs_body body;
        box_surface_describe(&box, &affine);
        memcpy(affine.position, d.position, sizeof affine.position);
        memcpy(affine.orientation, d.orientation, sizeof affine.orientation);
        assert_ok(pbs_body_create_affine(world, &affine, &body));
        const pbs_status status = pbs_world_step(world, 1e-4);
        assert_true(touches == (status == PBS_ERROR_INADMISSIBLE));
        assert_true(touches || status >= 0);
        refused += touches;
        // The same of the body, where it is and where it would be.
        pbs_overlap_desc own = describe();
        own.body = body;
        assert_true(touches == (worst_kind(rows, find(world, &own, rows)) > PBS_OVERLAP_CLOSE));
        own.position[1] = 5.0;
        assert_int_equal(find(world, &own, rows), 0);
        pbs_world_destroy(world);
    }
    // Places of both kinds are there.
    assert_true(refused > count / 10 && refused < count - count / 10);
}

static void what_lies_inside_is_told(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    const pbs_body outer = add_box(world, (double[3]){1.0, 1.0, 1.0}, (double[3]){0.0, 0.0, 0.0});
    const pbs_body inner = add_unit_box(world, 0.2, 0.1, 0.0);
    pbs_overlap rows[ROWS];
    pbs_overlap_desc d = describe();
    assert_int_equal(find(world, &d, rows), 1);
    assert_int_equal(rows[0].kind, PBS_OVERLAP_INSIDE);
    assert_true(rows[0].bodies[0].id == inner.id && rows[0].bodies[1].id == outer.id);
    assert_true(rows[0].gap == 0.0);
    d.body = inner;
    d.position[0] = 0.28;
    assert_int_equal(find(world, &d, rows), 1);
    assert_int_equal(rows[0].kind, PBS_OVERLAP_INTERSECTING);
    assert_true(rows[0].vertex_counts[0] + rows[0].vertex_counts[1] == 5);
    // A room is not solid.
    pbs_collider_desc room;
    pbs_collider collider;
    assert_ok(pbs_body_destroy(world, outer));
    assert_ok(pbs_collider_desc_init(&room, sizeof room));
    room.shape = PBS_SHAPE_BOX;
    room.hollow = 1;
    room.size[0] = room.size[1] = room.size[2] = 0.5;
    assert_ok(pbs_collider_create(world, &room, &collider));
    d = describe();
    assert_int_equal(find(world, &d, rows), 0);
    assert_ok(pbs_collider_destroy(world, collider));
    room.hollow = 0;
    assert_ok(pbs_collider_create(world, &room, &collider));
    assert_int_equal(find(world, &d, rows), 1);
    assert_int_equal(rows[0].kind, PBS_OVERLAP_INSIDE);
    assert_true(rows[0].colliders[1].id == collider.id);
    pbs_world_destroy(world);
}

/// A point is inside a tetrahedron, however flat, where all four parts that it divides that into
/// have its sign: points of its box, but for those within reach of its surface.
static void inside_is_where_volumes_say(void **state) {
    (void)state;
    struct random random = random_seed(3);
    int inside = 0, outside = 0;
    for (int trial = 0; trial < 20; trial++) {
        double x[12], low[3], high[3];
        static const uint32_t tets[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}};
        random_fill(&random, -1.0, 1.0, x, 12);
        for (int i = 0; i < 4; i++) {
            x[3 * i + 1] *= trial % 2 == 0 ? 1.0 : 0.2;
        }
        const double *const corners[4] = {x, x + 3, x + 6, x + 9};
        const double whole = volume_of_four(corners);
        if (fabs(whole) < 0.05) {
            continue;
        }
        pbs_world *world = new_barrier_world();
        pbs_solid_desc solid;
        pbs_body body;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.vertex_count = 4;
        solid.positions = x;
        solid.tet_count = 1;
        solid.tets = tets[whole < 0.0];
        assert_ok(pbs_body_create_solid(world, &solid, &body));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(fmin(x[k], x[3 + k]), fmin(x[6 + k], x[9 + k]));
            high[k] = fmax(fmax(x[k], x[3 + k]), fmax(x[6 + k], x[9 + k]));
        }
        for (int n = 0; n < 200; n++) {
            double p[3];
            bool holds = true;
            for (int k = 0; k < 3; k++) {
                p[k] = random_uniform(&random, low[k], high[k]);
            }
            for (int i = 0; i < 4; i++) {
                const double *parts[4] = {corners[0], corners[1], corners[2], corners[3]};
                parts[i] = p;
                holds = holds && volume_of_four(parts) / whole > 0.0;
            }
            pbs_overlap rows[ROWS];
            pbs_overlap_desc d = describe();
            d.vertex_count = 1;
            d.positions = p;
            const size_t count = find(world, &d, rows);
            if (count > 0 && rows[0].kind == PBS_OVERLAP_CLOSE) {
                continue;
            }
            assert_int_equal(count, holds);
            assert_true(!holds || rows[0].kind == PBS_OVERLAP_INSIDE);
            inside += holds;
            outside += !holds;
        }
        pbs_world_destroy(world);
    }
    assert_true(inside > 200 && outside > 200);
}

/// Groups, offsets, and particles without triangles.
static void placements_touch_as_they_say(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    const pbs_body box = add_unit_box(world, 0.0, 0.0, 0.0);
    const double particle[3] = {0.0, 0.0, 0.0};
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    pbs_overlap rows[ROWS];
    pbs_overlap_desc d = describe();
    d.vertex_count = 1;
    d.positions = particle;
    d.position[1] = 0.06;
    d.contact = &contact;
    assert_int_equal(find(world, &d, rows), 0);
    contact.offset = 0.011;
    assert_int_equal(find(world, &d, rows), 1);
    assert_int_equal(rows[0].kind, PBS_OVERLAP_TOUCHING);
    assert_near(rows[0].gap, -0.001, 1e-15, "gap, m");
    assert_true(rows[0].bodies[0].id == 0 && rows[0].bodies[1].id == box.id);
    assert_int_equal(rows[0].vertex_counts[0], 1);
    assert_int_equal(rows[0].vertex_counts[1], 3);
    assert_near(rows[0].normal[1], 1.0, 1e-12, "normal");
    contact.mask = 2;
    assert_int_equal(find(world, &d, rows), 0);
    // A body of the world asks with its own.
    const pbs_body other = add_unit_box(world, 0.05, 0.0, 0.0);
    d = describe();
    d.body = other;
    assert_int_equal(find(world, &d, rows), 1);
    assert_true(rows[0].bodies[0].id == other.id && rows[0].bodies[1].id == box.id);
    contact.offset = 0.0;
    assert_ok(pbs_body_set_contact(world, other, &contact));
    assert_int_equal(find(world, &d, rows), 0);
    pbs_world_destroy(world);
}

struct asking {
    pthread_t thread;
    const pbs_world *world;
    size_t counts[8];
};

static void *ask_often(void *argument) {
    struct asking *asking = argument;
    for (size_t i = 0; i < COUNT_OF(asking->counts); i++) {
        pbs_overlap_desc d;
        pbs_overlap_desc_init(&d, sizeof d);
        d.body = pbs_world_body_at(asking->world, i % 2);
        d.position[0] = 0.05 * (double)i;
        d.distance = 0.02;
        const pbs_status status = pbs_world_overlaps(asking->world, &d, NULL, sizeof(pbs_overlap),
                                                     &asking->counts[i]);
        asking->counts[i] = status < 0 ? SIZE_MAX : asking->counts[i];
    }
    return NULL;
}

static void threads_may_ask_at_the_same_time(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    d.threads = 2;
    pbs_world *world = new_world_from(&d);
    struct asking asking[5] = {{.world = world}};
    add_unit_box(world, 0.0, 0.0, 0.0);
    add_unit_box(world, 0.3, 0.0, 0.0);
    add_ground(world);
    ask_often(&asking[0]);
    for (size_t i = 1; i < COUNT_OF(asking); i++) {
        asking[i].world = world;
        assert_int_equal(pthread_create(&asking[i].thread, NULL, ask_often, &asking[i]), 0);
    }
    for (size_t i = 1; i < COUNT_OF(asking); i++) {
        pthread_join(asking[i].thread, NULL);
        assert_memory_equal(asking[i].counts, asking[0].counts, sizeof asking[i].counts);
    }
    // The ground, and the other box where they meet.
    assert_int_equal(asking[0].counts[0], 1);
    assert_int_equal(asking[0].counts[6], 2);
    pbs_world_destroy(world);
}

static void bad_queries_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    const pbs_body body = add_unit_box(world, 0.0, 0.0, 0.0);
    add_unit_box(world, 0.05, 0.0, 0.03);
    struct box_surface box;
    box_surface_make(&box, (double[3]){1.0, 1.0, 1.0});
    const uint32_t wrong[3] = {0, 1, 8};
    pbs_overlap rows[ROWS];
    size_t count = ROWS;
    const uint64_t before = pbs_world_hash(world);
    pbs_overlap_desc good = describe_box(&box), d = good;
    assert_status(pbs_overlap_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_overlaps(NULL, &d, rows, sizeof *rows, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_overlaps(world, NULL, rows, sizeof *rows, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_overlaps(world, &d, rows, sizeof *rows, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_overlaps(world, &d, rows, 8, &count), PBS_ERROR_STRUCT_SIZE);
#define REFUSE(change, status, words)                                                              \
    do {                                                                                           \
        d = good;                                                                                  \
        change;                                                                                    \
        assert_status(pbs_world_overlaps(world, &d, rows, sizeof *rows, &count), status);          \
        assert_message(words);                                                                     \
        assert_int_equal(count, ROWS);                                                             \
    } while (0)
    REFUSE(d.distance = NAN, PBS_ERROR_ARGUMENT, "distance");
    REFUSE(d.distance = -1.0, PBS_ERROR_ARGUMENT, "distance");
    REFUSE(d.position[1] = INFINITY, PBS_ERROR_ARGUMENT, "position[1]");
    REFUSE(d.orientation[3] = 2.0, PBS_ERROR_ARGUMENT, "orientation");
    REFUSE(d.solid = 2, PBS_ERROR_ARGUMENT, "solid");
    REFUSE(d.positions = NULL, PBS_ERROR_ARGUMENT, "positions is null");
    REFUSE(d.triangles = NULL, PBS_ERROR_ARGUMENT, "triangles is null");
    REFUSE((d.triangle_count = 1, d.triangles = wrong), PBS_ERROR_ARGUMENT, "vertex index 8");
    REFUSE(d.triangle_count = SIZE_MAX, PBS_ERROR_ARGUMENT, "18446744073709551615");
    REFUSE(d.body = body, PBS_ERROR_ARGUMENT, "triangle_count is 12");
    REFUSE((d.body = body, d.triangle_count = 0, d.vertex_count = 7), PBS_ERROR_ARGUMENT,
           "vertex_count is 7");
    REFUSE((d.body.id = 12345, d.triangle_count = 0), PBS_ERROR_HANDLE, "world");
    count = 1;
    d = good;
    d.solid = 1;
    d.position[0] = 0.0;
    assert_status(pbs_world_overlaps(world, &d, rows, sizeof *rows, &count), PBS_ERROR_CAPACITY);
    assert_int_equal(count, 2);
    assert_ok(pbs_world_overlaps(world, &d, NULL, sizeof *rows, &count));
    assert_int_equal(count, 2);
    assert_int_equal(find(world, &d, rows), 2);
    assert_true(rows[0].bodies[0].id == body.id && rows[0].bodies[1].id == 0);
    assert_true(pbs_world_hash(world) == before);
    pbs_world_destroy(world);
}

// --- pushing apart ---

/// Nothing is closer than the distance, and a step begins.
static void assert_apart(pbs_world *world, double distance) {
    pbs_overlap rows[ROWS];
    pbs_overlap_desc d = describe();
    d.distance = distance;
    assert_int_equal(find(world, &d, rows), 0);
    assert_true(pbs_world_step(world, 1e-4) >= 0);
}

static pbs_separation separate(pbs_world *world) {
    pbs_separation out = {.struct_size = sizeof out};
    assert_ok(pbs_world_separate(world, NULL, &out));
    assert_true(out.overlap.bodies[0].id == 0 && out.overlap.colliders[0].id == 0);
    return out;
}

static double coordinate(const pbs_world *world, pbs_body body, size_t axis) {
    const size_t count = pbs_body_vertex_count(world, body);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += pbs_body_positions(world, body)[3 * i + axis];
    }
    return sum / (double)count;
}

/// Two boxes, two soft cubes, one of each: along the axis in which they overlap least, the lighter
/// one farther, and no more than it takes.
static void two_that_overlap_come_apart(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        pbs_world *world = new_barrier_world();
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        // Of three times the mass where the other is an affine box of 1000 kg/m^3.
        solid.density = kind == 2 ? 3000.0 : 1000.0;
        const pbs_body a = kind == 1
                               ? add_cube(world, 2, 0.1, (double[]){-0.05, -0.05, -0.05}, &solid)
                               : add_unit_box(world, 0.0, 0.0, 0.0);
        const pbs_body b = kind == 0
                               ? add_unit_box(world, 0.08, 0.01, 0.02)
                               : add_cube(world, 2, 0.1, (double[]){0.03, -0.04, -0.03}, &solid);
        const double v[24] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                              1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
        if (kind != 1) {
            assert_ok(pbs_body_set_velocities(world, a, v, 8));
        }
        assert_status(pbs_world_step(world, H), PBS_ERROR_INADMISSIBLE);
        const pbs_separation out = separate(world);
        assert_int_equal(out.moved_count, 2);
        // They overlap by 2 cm along x; the contact distance of 1 mm is added, and a hundredth.
        const double way = 0.021;
        const double share = kind == 2 ? 0.75 : 0.5;
        assert_near(coordinate(world, a, 0), -share * way, 0.02 * way, "the first's way, m");
        assert_near(coordinate(world, b, 0), 0.08 + (1.0 - share) * way, 0.02 * way,
                    "the second's way, m");
        assert_near(coordinate(world, b, 1), 0.01, 1e-15, "across, m");
        assert_near(out.longest_move, share * way, 0.02 * way, "longest, m");
        if (kind != 1) {
            assert_near(pbs_body_velocities(world, a)[0], 1.0, 1e-15, "velocity, m/s");
        }
        assert_apart(world, 1e-3);
        pbs_world_destroy(world);
    }
}

/// Each overlaps with its neighbours by a fifth; the outer ones move by a fifth of an edge along
/// each axis, and no farther than twice that.
static void a_pile_that_overlaps_comes_apart(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int run = 0; run < 2; run++) {
        pbs_world_desc d = barrier_settings();
        d.threads = 1 + 3 * run;
        pbs_world *world = new_world_from(&d);
        for (int i = 0; i < 27; i++) {
            add_unit_box(world, 0.08 * (i % 3), 0.08 * (i / 3 % 3), 0.08 * (i / 9));
        }
        const pbs_separation out = separate(world);
        print_message("27 boxes: %u searches, longest move %g m\n", out.iterations,
                      out.longest_move);
        assert_true(out.longest_move < 2.0 * sqrt(3.0) * 0.021);
        hashes[run] = pbs_world_hash(world);
        assert_apart(world, 1e-3);
        pbs_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/// Deep inside, or through the surface of, colliders of every kind; and where the centre of one is
/// that of the other.
static void bodies_leave_colliders(void **state) {
    (void)state;
    static const int32_t shapes[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_SPHERE,   PBS_SHAPE_BOX,
                                     PBS_SHAPE_CAPSULE,    PBS_SHAPE_CYLINDER, PBS_SHAPE_TORUS};
    static const double depths[] = {0.0, 0.05, 0.14};
    for (size_t i = 0; i < COUNT_OF(shapes) * COUNT_OF(depths); i++) {
        pbs_world *world = new_barrier_world();
        pbs_collider_desc c;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&c, sizeof c));
        c.shape = shapes[i / COUNT_OF(depths)];
        c.size[0] = c.size[1] = c.size[2] = 0.1;
        c.size[1] = c.shape == PBS_SHAPE_TORUS ? 0.09 : 0.1;
        assert_ok(pbs_collider_create(world, &c, &collider));
        add_unit_box(world, 0.0, depths[i % COUNT_OF(depths)], 0.0);
        pbs_separate_desc d;
        assert_ok(pbs_separate_desc_init(&d, sizeof d));
        d.move_limit = 1.0;
        pbs_separation out = {.struct_size = sizeof out};
        const pbs_status status = pbs_world_separate(world, &d, &out);
        if (status < 0) {
            print_message("shape %d, depth %g: %s\n", c.shape, depths[i % COUNT_OF(depths)],
                          pbs_last_error());
        }
        assert_ok(status);
        // A centimetre deep in what is flat: the first push is the right one.
        if (i % COUNT_OF(depths) == 2 &&
            (c.shape == PBS_SHAPE_BOX || c.shape == PBS_SHAPE_CYLINDER)) {
            assert_int_equal(out.iterations, 2);
            assert_near(out.longest_move, 0.011, 2e-5, "way, m");
        }
        assert_apart(world, 1e-3);
        pbs_world_destroy(world);
    }
}

/// What has a thickness is pushed until that is clear too, down from a ceiling as up from the
/// ground, whichever of the two was made first: by depth, thickness and contact distance, at once.
static void thickness_counts(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double up = k % 2 == 0 ? 1.0 : -1.0, offset = 0.01;
        const bool box_first = k / 2 == 0;
        pbs_world *world = new_barrier_world();
        pbs_contact_desc contact;
        pbs_body box = {0};
        for (int i = 0; i < 2; i++) {
            if ((i == 0) == box_first) {
                box = add_unit_box(world, 0.0, 0.045 * up, 0.0);
            } else {
                const pbs_body wall = add_box(world, (double[3]){1.0, 0.2, 1.0},
                                              (double[3]){0.0, -0.1 * up, 0.0});
                assert_ok(pbs_body_pin_all(world, wall));
            }
        }
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.offset = offset;
        assert_ok(pbs_body_set_contact(world, box, &contact));
        const pbs_separation out = separate(world);
        assert_int_equal(out.iterations, 2);
        // 5 mm deep; a little is added so that the distance is kept in spite of rounding.
        assert_near(out.longest_move, 0.005 + offset + 1e-3, 2e-5, "way, m");
        pbs_world_destroy(world);
    }
}

/// One search finds the overlap and another that it is gone: so many, and no more, are done.
static void searches_are_as_many_as_allowed(void **state) {
    (void)state;
    for (uint32_t limit = 1; limit < 4; limit++) {
        pbs_world *world = new_barrier_world();
        add_ground(world);
        add_unit_box(world, 0.0, 0.04, 0.0);
        pbs_separate_desc d;
        assert_ok(pbs_separate_desc_init(&d, sizeof d));
        d.iteration_limit = limit;
        pbs_separation out = {.struct_size = sizeof out};
        const pbs_status status = pbs_world_separate(world, &d, &out);
        assert_int_equal(status, limit < 2 ? PBS_ERROR_INADMISSIBLE : PBS_OK);
        assert_int_equal(out.iterations, limit < 2 ? limit : 2);
        if (limit < 2) {
            assert_message("iteration_limit");
        }
        pbs_world_destroy(world);
    }
}

/// A corner in the middle of a large face: out of what is solid, not deeper into it.
static void a_corner_leaves_by_the_face_it_came_through(void **state) {
    (void)state;
    static const double x[12] = {0.03, 0.09, 0.01,  0.06, 0.2, 0.04,
                                 0.06, 0.2,  -0.02, 0.0,  0.2, 0.01};
    static const uint32_t tets[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}};
    pbs_world *world = new_barrier_world();
    pbs_collider_desc c;
    pbs_collider collider;
    pbs_solid_desc d;
    pbs_body body;
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.shape = PBS_SHAPE_BOX;
    c.size[0] = c.size[1] = c.size[2] = 0.1;
    assert_ok(pbs_collider_create(world, &c, &collider));
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.positions = x;
    d.tet_count = 1;
    d.tets = tets[0];
    if (pbs_body_create_solid(world, &d, &body) < 0) {
        d.tets = tets[1];
        assert_ok(pbs_body_create_solid(world, &d, &body));
    }
    const pbs_separation out = separate(world);
    assert_int_equal(out.iterations, 2);
    assert_near(out.longest_move, 0.011, 2e-5, "way, m");
    assert_near(pbs_body_positions(world, body)[1], 0.101, 2e-5, "height, m");
    pbs_world_destroy(world);
}

/// A finer body that dips into a bowl of triangles comes out of its wall, not out of the bowl.
static void a_little_overlap_stays_local(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    // A channel of five faces, open above.
    static const double x[36] = {-0.3, 0.3, -0.3, -0.1, 0.0, -0.3, 0.1, 0.0, -0.3, 0.3, 0.3, -0.3,
                                 -0.3, 0.3, 0.3,  -0.1, 0.0, 0.3,  0.1, 0.0, 0.3,  0.3, 0.3, 0.3};
    static const uint32_t triangles[18] = {0, 4, 1, 1, 4, 5, 1, 5, 2, 2, 5, 6, 2, 6, 3, 3, 6, 7};
    pbs_collider_desc c;
    pbs_collider channel;
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.shape = PBS_SHAPE_MESH;
    c.vertex_count = 8;
    c.vertices = x;
    c.triangle_count = 6;
    c.triangles = triangles;
    assert_ok(pbs_collider_create(world, &c, &channel));
    const pbs_body cube = add_cube(world, 4, 0.1, (double[]){-0.05, -0.01, -0.05}, NULL);
    const pbs_separation out = separate(world);
    assert_near(coordinate(world, cube, 1), 0.051, 2e-5, "height, m");
    assert_true(out.longest_move < 0.012);
    assert_apart(world, 1e-3);
    pbs_world_destroy(world);
}

/// What rests apart stays to the bit; what is held stays too.
static void what_need_not_move_stays(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    add_ground(world);
    const pbs_body held = add_unit_box(world, 0.0, 0.06, 0.0);
    const pbs_body free_one = add_unit_box(world, 0.0, 0.14, 0.0);
    add_unit_box(world, 1.0, 0.0515, 0.0);
    assert_ok(pbs_body_pin_all(world, held));
    double before[24];
    memcpy(before, pbs_body_positions(world, held), sizeof before);
    const pbs_separation out = separate(world);
    assert_int_equal(out.moved_count, 1);
    assert_same_bits(pbs_body_positions(world, held), before, 24);
    assert_near(coordinate(world, free_one, 1), 0.161, 1e-4, "height, m");
    const uint64_t hash = pbs_world_hash(world);
    assert_int_equal(separate(world).moved_count, 0);
    assert_true(pbs_world_hash(world) == hash);
    assert_apart(world, 1e-3);
    pbs_world_destroy(world);
}

static void assert_stuck(pbs_world *world, const pbs_separate_desc *d, uint64_t first,
                         uint64_t second, const char *words) {
    pbs_separation out = {.struct_size = sizeof out};
    const uint64_t before = pbs_world_hash(world);
    assert_status(pbs_world_separate(world, d, &out), PBS_ERROR_INADMISSIBLE);
    assert_message(words);
    assert_true(pbs_world_hash(world) == before);
    assert_true(out.moved_count == 0 && out.longest_move == 0.0);
    uint64_t ids[2];
    for (int k = 0; k < 2; k++) {
        ids[k] = out.overlap.bodies[k].id != 0 ? out.overlap.bodies[k].id
                                               : out.overlap.colliders[k].id;
    }
    assert_true((ids[0] == first || second == 0) || ids[1] == first);
    assert_true((ids[1] == second || second == 0) || ids[0] == second);
}

/// No room between two plates, neither may move, farther than allowed, a sheet through itself.
static void what_cannot_be_is_named(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    pbs_collider_desc c;
    pbs_collider plates[2];
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.hollow = 1;
    c.shape = PBS_SHAPE_BOX;
    c.size[0] = c.size[2] = 1.0;
    c.size[1] = 0.04;
    assert_ok(pbs_collider_create(world, &c, &plates[0]));
    pbs_body box = add_unit_box(world, 0.0, 0.0, 0.0);
    pbs_separate_desc d;
    assert_ok(pbs_separate_desc_init(&d, sizeof d));
    d.move_limit = 100.0;
    assert_stuck(world, &d, box.id, plates[0].id, "space between other bodies");
    pbs_world_destroy(world);

    world = new_barrier_world();
    const pbs_collider ground = add_ground(world);
    box = add_unit_box(world, 0.0, 0.02, 0.0);
    assert_ok(pbs_body_pin_all(world, box));
    assert_stuck(world, NULL, box.id, ground.id, "neither of them can be moved");
    assert_ok(pbs_body_unpin_all(world, box));
    d.move_limit = 0.01;
    assert_stuck(world, &d, box.id, ground.id, "move_limit");
    pbs_world_destroy(world);

    world = new_barrier_world();
    const pbs_body sheet = add_sheet(world, 4, 0.4, (double[]){0.0, 0.0, 0.0}, NULL);
    double x[75];
    memcpy(x, pbs_body_positions(world, sheet), sizeof x);
    // A corner goes up through the middle from below.
    memcpy(x, (double[3]){0.33, 0.05, 0.33}, 3 * sizeof *x);
    for (int v = 1; v < 25; v++) {
        x[3 * v + 1] = x[3 * v] + x[3 * v + 2] < 0.15 ? -0.05 : 0.0;
    }
    assert_ok(pbs_body_set_positions(world, sheet, x, 25));
    assert_stuck(world, NULL, sheet.id, sheet.id, "intersects itself");
    pbs_world_destroy(world);
}

static pbs_status separate_quietly(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_separate(world, NULL, NULL);
}

static pbs_status ask(pbs_world *world, void *context) {
    size_t count = 0;
    return pbs_world_overlaps(world, context, NULL, sizeof(pbs_overlap), &count);
}

static void refused_memory_changes_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world_desc d = barrier_settings();
    d.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = new_world_from(&d);
    add_ground(world);
    add_unit_box(world, 0.0, 0.04, 0.0);
    add_unit_box(world, 0.08, 0.06, 0.01);
    struct box_surface box;
    box_surface_make(&box, (double[3]){0.1, 0.1, 0.1});
    pbs_overlap_desc query = describe_box(&box);
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, ask, &query, &refused));
    assert_true(refused > 5);
    assert_ok(refuse_until_success(&allocator, world, separate_quietly, NULL, &refused));
    assert_true(refused > 5);
    assert_apart(world, 1e-3);
    pbs_world_destroy(world);
}

static void bad_separations_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_barrier_world();
    pbs_separate_desc d, good;
    assert_ok(pbs_separate_desc_init(&good, sizeof good));
    assert_status(pbs_separate_desc_init(NULL, sizeof good), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_separate(NULL, NULL, NULL), PBS_ERROR_ARGUMENT);
    d = good, d.distance = NAN;
    assert_status(pbs_world_separate(world, &d, NULL), PBS_ERROR_ARGUMENT);
    d = good, d.move_limit = -1.0;
    assert_status(pbs_world_separate(world, &d, NULL), PBS_ERROR_ARGUMENT);
    d = good, d.iteration_limit = 0;
    assert_status(pbs_world_separate(world, &d, NULL), PBS_ERROR_ARGUMENT);
    pbs_separation out = {.struct_size = 4};
    assert_status(pbs_world_separate(world, NULL, &out), PBS_ERROR_STRUCT_SIZE);
    // An empty world is apart.
    assert_int_equal(separate(world).moved_count, 0);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_decide_at_the_gap),
        cmocka_unit_test(gaps_of_edges_are_told_at_any_distance),
        cmocka_unit_test(overlaps_are_the_same_in_every_kind_of_contact),
        cmocka_unit_test(what_is_told_is_what_a_step_says),
        cmocka_unit_test(what_lies_inside_is_told),
        cmocka_unit_test(inside_is_where_volumes_say),
        cmocka_unit_test(placements_touch_as_they_say),
        cmocka_unit_test(threads_may_ask_at_the_same_time),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(two_that_overlap_come_apart),
        cmocka_unit_test(a_pile_that_overlaps_comes_apart),
        cmocka_unit_test(bodies_leave_colliders),
        cmocka_unit_test(thickness_counts),
        cmocka_unit_test(searches_are_as_many_as_allowed),
        cmocka_unit_test(a_corner_leaves_by_the_face_it_came_through),
        cmocka_unit_test(a_little_overlap_stays_local),
        cmocka_unit_test(what_need_not_move_stays),
        cmocka_unit_test(what_cannot_be_is_named),
        cmocka_unit_test(refused_memory_changes_nothing),
        cmocka_unit_test(bad_separations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
