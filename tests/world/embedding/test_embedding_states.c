// Embeddings as objects of a host: their two states, what happens when the body or the world is
// destroyed, and refusals.
// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "world/embedding/embedding_testing.h"

// --- states ---

/// A cube that flies at a constant velocity.
static void states_are_interpolated(void **state) {
    (void)state;
    static const double corner[3] = {0.0}, rest[6] = {0.1, 0.2, 0.3, 0.7, 0.2, 0.1};
    static const double velocity[3] = {1.0, -2.0, 4.0};
    pbs_world_desc wd;
    pbs_solid_desc d;
    pbs_world *world = NULL;
    double v[24], out[6];
    assert_ok(pbs_world_desc_init(&wd, sizeof wd));
    assert_ok(pbs_world_create(&wd, &world));
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    const pbs_body cube = add_cube(world, 1, 0.5, corner, &d);
    for (int i = 0; i < 24; i++) {
        v[i] = velocity[i % 3];
    }
    assert_ok(pbs_body_set_velocities(world, cube, v, 8));
    const pbs_embedding_desc ed = describe(cube, rest, 2);
    pbs_embedding *e = bind(world, &ed);
    read_all(e, PBS_CHANNEL_VELOCITY, 0.0, out);
    assert_small(norm3(out), 0.0, "velocity before time has passed");
    for (int step = 1; step <= 3; step++) {
        assert_ok(pbs_world_step(world, 0.25));
        assert_ok(pbs_embedding_update(e, world));
        for (int f = 0; f <= 4; f++) {
            const double time = 0.25 * (step - 1 + 0.25 * f);
            read_all(e, PBS_CHANNEL_POSITION, 0.25 * f, out);
            for (int k = 0; k < 6; k++) {
                assert_near(out[k], rest[k] + time * velocity[k % 3], 1e-14, "place");
            }
        }
        read_all(e, PBS_CHANNEL_VELOCITY, 1.0, out);
        for (int k = 0; k < 6; k++) {
            assert_near(out[k], velocity[k % 3], 1e-13, "velocity");
        }
    }
    // Twice at the same time: there is no way in between.
    assert_ok(pbs_embedding_update(e, world));
    double before[6];
    read_all(e, PBS_CHANNEL_POSITION, 0.0, before);
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    assert_same_bits(before, out, 6);
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// Parts of a read have the bits of the whole.
static void parts_can_be_read_apart(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    double rest[3 * POINTS], whole[3 * POINTS], part[3 * POINTS];
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 0.5, corner, NULL);
    struct random random = random_seed(9);
    random_fill(&random, -0.2, 0.7, rest, 3 * POINTS);
    const pbs_embedding_desc d = describe(cube, rest, POINTS);
    pbs_embedding *e = bind(world, &d);
    move_body(world, cube, &sheared);
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 0.3, whole);
    for (size_t first = 0; first < POINTS; first += 77) {
        const size_t count = POINTS - first < 77 ? POINTS - first : 77;
        assert_ok(pbs_embedding_read_f64(e, PBS_CHANNEL_POSITION, 0.3, first, count,
                                         part + 3 * first, 3 * sizeof *part));
    }
    assert_same_bits(part, whole, 3 * POINTS);
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// Points that pbs_embedding_point names are where the embedding has them, inside of the body.
static void bindings_are_points(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    double rest[3 * POINTS], out[3 * POINTS];
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 0.5, corner, NULL);
    struct random random = random_seed(10);
    random_fill(&random, 0.0, 0.5, rest, 3 * POINTS);
    const pbs_embedding_desc d = describe(cube, rest, POINTS);
    pbs_embedding *e = bind(world, &d);
    move_body(world, cube, &sheared);
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    for (size_t i = 0; i < POINTS; i++) {
        pbs_point point = {.struct_size = sizeof point};
        double x[3];
        assert_ok(pbs_embedding_point(e, i, &point));
        assert_ok(pbs_world_point_position(world, &point, x));
        assert_small(testing_max_difference(x, out + 3 * i, 3), 1e-15, "place");
    }
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

struct reader {
    const pbs_embedding *embedding;
    double first[3 * POINTS], last[3 * POINTS];
};

static void *read_often(void *context) {
    struct reader *reader = context;
    const pbs_embedding *e = reader->embedding;
    for (int i = 0; i < 100; i++) {
        double *out = i == 0 ? reader->first : reader->last;
        if (pbs_embedding_read_f64(e, PBS_CHANNEL_POSITION, 0.5, 0, POINTS, out, 3 * sizeof *out) <
            0) {
            out[0] = NAN;
        }
    }
    return NULL;
}

/// Threads read the states while the world steps, which nothing of them sees.
static void threads_read_while_the_world_steps(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    double rest[3 * POINTS], expected[3 * POINTS];
    static struct reader readers[2];
    pthread_t threads[2];
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 0.5, corner, NULL);
    struct random random = random_seed(11);
    random_fill(&random, -0.2, 0.7, rest, 3 * POINTS);
    const pbs_embedding_desc d = describe(cube, rest, POINTS);
    pbs_embedding *e = bind(world, &d);
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 0.5, expected);
    for (int i = 0; i < 2; i++) {
        readers[i].embedding = e;
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readers[i]), 0);
    }
    for (int step = 0; step < 5; step++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_same_bits(readers[i].first, expected, 3 * POINTS);
        assert_same_bits(readers[i].last, expected, 3 * POINTS);
    }
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

// --- lives ---

/// A restored world has the body again; a destroyed body and a destroyed world leave the states.
static void embeddings_outlive_bodies_and_worlds(void **state) {
    (void)state;
    static const double corner[3] = {0.0}, rest[3] = {0.1, 0.2, 0.3};
    double before[3], out[3];
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
    const pbs_embedding_desc d = describe(cube, rest, 1);
    pbs_embedding *e = bind(world, &d);
    struct saved_world saved = save_world(world);
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 1.0, before);
    assert_ok(pbs_body_destroy(world, cube));
    assert_status(pbs_embedding_update(e, world), PBS_ERROR_HANDLE);
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    assert_same_bits(out, before, 3);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    assert_small(testing_max_difference(out, rest, 3), 1e-15, "place at the save");
    read_all(e, PBS_CHANNEL_POSITION, 0.0, out);
    assert_same_bits(out, before, 3);
    read_all(e, PBS_CHANNEL_VELOCITY, 1.0, out);
    assert_small(norm3(out), 0.0, "velocity where time went back");
    free(saved.data);
    pbs_world_destroy(world);
    read_all(e, PBS_CHANNEL_POSITION, 0.0, out);
    assert_same_bits(out, before, 3);
    pbs_embedding_destroy(e);
}

/// After a restore, a new body may have the id of one that was made after the save.
static void another_body_of_the_same_id_is_refused(void **state) {
    (void)state;
    static const double corner[3] = {0.0}, rest[3] = {0.1, 0.2, 0.3};
    pbs_world *world = new_world();
    struct saved_world saved = save_world(world);
    const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
    const pbs_embedding_desc d = describe(cube, rest, 1);
    pbs_embedding *e = bind(world, &d);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_status(pbs_embedding_update(e, world), PBS_ERROR_HANDLE);
    const pbs_body larger = add_cube(world, 2, 0.5, corner, NULL);
    if (larger.id == cube.id) {
        assert_status(pbs_embedding_update(e, world), PBS_ERROR_ARGUMENT);
        assert_message("27 vertices");
    }
    free(saved.data);
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

// --- refusals ---

static const double two_points[6] = {0.1, 0.2, 0.3, 0.2, 0.1, 0.1};
static const double unnumbered[6] = {0.1, 0.2, 0.3, 0.2, NAN, 0.1};
static const float two_floats[6] = {0.1F, 0.2F, 0.3F, 0.2F, 0.1F, 0.1F};
static const float endless[6] = {0.1F, 0.2F, 0.3F, 0.2F, 0.1F, INFINITY};
static const uint32_t beyond[3] = {0, 1, 2};

static void descriptions_are_refused(void **state) {
    (void)state;
    static const double corner[3] = {0.0}, sites[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    static const double masses[2] = {1.0, 1.0};
    static const uint32_t edges[2] = {0, 1};
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
    pbs_body custom;
    pbs_custom_desc cd;
    springs_describe(&cd, 2, sites, masses, 1, edges);
    assert_ok(pbs_body_create_custom(world, &cd, &custom));
    const pbs_embedding_desc good = describe(cube, two_points, 2);
    struct {
        pbs_embedding_desc d;
        pbs_status status;
        const char *words;
    } rows[13];
    size_t count = 0;
#define ROW(status_, words_, ...)                                                                  \
    do {                                                                                           \
        pbs_embedding_desc d = good;                                                               \
        __VA_ARGS__;                                                                               \
        rows[count].d = d;                                                                         \
        rows[count].status = status_;                                                              \
        rows[count++].words = words_;                                                              \
    } while (0)
    ROW(PBS_ERROR_STRUCT_SIZE, "struct_size", d.struct_size = 8);
    ROW(PBS_ERROR_ARGUMENT, "reserved", d.reserved = 1);
    ROW(PBS_ERROR_HANDLE, "body", d.body.id = 0);
    ROW(PBS_ERROR_ARGUMENT, "point_count", d.point_count = 0);
    ROW(PBS_ERROR_ARGUMENT, "both given", d.positions_f32 = two_floats);
    ROW(PBS_ERROR_ARGUMENT, "both null", d.positions = NULL);
    ROW(PBS_ERROR_ARGUMENT, "positions", d.positions = unnumbered);
    ROW(PBS_ERROR_ARGUMENT, "positions_f32", d.positions = NULL; d.positions_f32 = endless);
    ROW(PBS_ERROR_ARGUMENT, "normals_f32", d.normals_f32 = endless);
    ROW(PBS_ERROR_ARGUMENT, "normal_stride is 10", d.normal_stride = 10);
    ROW(PBS_ERROR_ARGUMENT, "at most 1073741824", d.normals_f32 = two_floats;
        d.normal_stride = SIZE_MAX - 7);
    ROW(PBS_ERROR_ARGUMENT, "triangles", d.triangle_count = 1; d.triangles = beyond);
    ROW(PBS_ERROR_ARGUMENT, "could be bound", d.body = custom);
#undef ROW
    assert_int_equal(count, COUNT_OF(rows));
    for (size_t i = 0; i < count; i++) {
        pbs_embedding *e = NULL;
        assert_status(pbs_embedding_create(world, &rows[i].d, &e), rows[i].status);
        assert_message(rows[i].words);
        assert_null(e);
    }
    pbs_embedding *e = NULL;
    assert_status(pbs_embedding_create(NULL, &good, &e), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_create(world, NULL, &e), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_create(world, &good, NULL), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

static void reads_are_refused(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 0.5, corner, NULL);
    const pbs_embedding_desc d = describe(cube, two_points, 2);
    pbs_embedding *e = bind(world, &d);
    double out[6] = {7.0};
    float *const single = (float *)(void *)out;
    const struct {
        int32_t channel;
        double fraction;
        size_t first, count, stride;
        const char *words;
    } rows[] = {
        {PBS_CHANNEL_CONTACT_FORCE, 1.0, 0, 2, 24, "channel"},
        {-1, 1.0, 0, 2, 24, "channel"},
        {PBS_CHANNEL_NORMAL, 1.0, 0, 2, 24, "neither normals_f32"},
        {PBS_CHANNEL_POSITION, 1.1, 0, 2, 24, "fraction is 1.1"},
        {PBS_CHANNEL_POSITION, NAN, 0, 2, 24, "fraction"},
        {PBS_CHANNEL_POSITION, 1.0, 1, 2, 24, "2 points from point 1 on"},
        {PBS_CHANNEL_POSITION, 1.0, SIZE_MAX, 2, 24, "points"},
        {PBS_CHANNEL_POSITION, 1.0, 0, 2, 20, "stride_bytes is 20"},
        {PBS_CHANNEL_POSITION, 1.0, 0, 2, 28, "stride_bytes is 28"},
        {PBS_CHANNEL_POSITION, 1.0, 0, 2, 0, "stride_bytes is 0"},
        {PBS_CHANNEL_POSITION, 1.0, 0, 2, SIZE_MAX - 7, "at most 1073741824"},
        {PBS_CHANNEL_POSITION, 1.0, 0, SIZE_MAX, 24, "points"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_status(pbs_embedding_read_f64(e, rows[i].channel, rows[i].fraction, rows[i].first,
                                             rows[i].count, out, rows[i].stride),
                      PBS_ERROR_ARGUMENT);
        assert_message(rows[i].words);
    }
    assert_near(out[0], 7.0, 0.0, "what no call has written");
    const int32_t position = PBS_CHANNEL_POSITION;
    assert_status(pbs_embedding_read_f32(e, position, 1.0, 0, 1, NULL, 12), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_read_f32(NULL, position, 1.0, 0, 1, single, 12),
                  PBS_ERROR_ARGUMENT);
    assert_status(
        pbs_embedding_read_f32(e, position, 1.0, 0, 1, (float *)(void *)((char *)out + 2), 12),
        PBS_ERROR_ARGUMENT);
    assert_message("aligned to 4 bytes");
    assert_ok(pbs_embedding_read_f32(e, position, 1.0, 2, 0, NULL, 0));
    pbs_point point = {.struct_size = sizeof point};
    assert_status(pbs_embedding_point(e, 2, &point), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_point(e, 0, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_point(NULL, 0, &point), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_update(e, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_embedding_update(NULL, world), PBS_ERROR_ARGUMENT);
    assert_int_equal(pbs_embedding_point_count(NULL), 0);
    pbs_embedding_destroy(NULL);
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

struct creation {
    pbs_embedding_desc d;
    pbs_embedding *out;
};

static pbs_status create_one(pbs_world *world, void *context) {
    struct creation *creation = context;
    return pbs_embedding_create(world, &creation->d, &creation->out);
}

/// Whatever allocation fails, nothing is left; updates and reads make none.
static void refused_memory_is_a_status(void **state) {
    (void)state;
    static const double corner[3] = {0.0}, sides[3] = {0.4, 0.2, 0.3};
    static const double rest[9] = {0.1, 0.2, 0.3, 0.2, 0.1, 0.1, 0.9, 0.9, 0.9};
    pbs_world *world = new_world();
    pbs_body bodies[3] = {add_cube(world, 1, 0.5, corner, NULL),
                          add_sheet(world, 1, 0.5, corner, NULL)};
    struct box_surface box;
    pbs_affine_desc ad;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &ad);
    assert_ok(pbs_body_create_affine(world, &ad, &bodies[2]));
    for (int b = 0; b < 3; b++) {
        struct test_allocator allocator;
        struct creation creation = {.d = describe(bodies[b], rest, 3)};
        uint64_t refused = 0;
        double out[9];
        test_allocator_init(&allocator);
        creation.d.allocator = test_allocator_hooks(&allocator);
        creation.d.triangles = beyond;
        creation.d.triangle_count = 1;
        assert_ok(refuse_until_success(&allocator, world, create_one, &creation, &refused));
        assert_true(refused > 5);
        const uint64_t calls = allocator.allocate_count;
        assert_ok(pbs_embedding_update(creation.out, world));
        read_all(creation.out, PBS_CHANNEL_NORMAL, 0.5, out);
        assert_true(allocator.allocate_count == calls);
        pbs_embedding_destroy(creation.out);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_interpolated),
        cmocka_unit_test(parts_can_be_read_apart),
        cmocka_unit_test(bindings_are_points),
        cmocka_unit_test(threads_read_while_the_world_steps),
        cmocka_unit_test(embeddings_outlive_bodies_and_worlds),
        cmocka_unit_test(another_body_of_the_same_id_is_refused),
        cmocka_unit_test(descriptions_are_refused),
        cmocka_unit_test(reads_are_refused),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
