// Channels of bodies: their shapes, strides and refusals. Values in both precisions are compared
// with the calls that return them as arrays.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"
#include "support/world_testing.h"

#include "base/matrix3/math3.h"

// --- one body of each kind, in motion and deformed ---

enum kind { SOLID, SHELL, SPRINGS, AFFINE, BONDED, PERIDYNAMIC, KINDS };

/// Upper limits of the rows of a channel, and of the numbers of a row, in these tests.
enum { ROWS = 512, WIDTH = 9 };

struct scene {
    pbs_world *world;
    pbs_body bodies[KINDS];
};

static pbs_body add_springs(pbs_world *world) {
    const double positions[12] = {0, 3, 0, 0.1, 3, 0, 0.1, 3.1, 0, 0, 3, 0.2};
    const double masses[4] = {1.0, 1.0, 1.0, 1.0};
    const uint32_t springs[6] = {0, 1, 1, 2, 3, 0};
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = 3;
    d.springs = springs;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    return body;
}

static pbs_body add_box(pbs_world *world) {
    const double sides[3] = {0.1, 0.2, 0.3};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.position[1] = 4.0;
    d.angular_velocity[0] = 1.0;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// One bond breaks in the first step, and the host breaks another.
static pbs_body add_spheres(pbs_world *world) {
    static struct bonded_parts p;
    static double strengths[3 * BONDED_LIMIT];
    const uint32_t cut = 100;
    pbs_body body;
    bonded_block(&p, 5, 4, 3, (const double[3]){1.0, 0.5, 0.2});
    for (size_t i = 0; i < p.d.particle_count; i++) {
        p.positions[3 * i + 1] += 5.0;
    }
    for (size_t i = 0; i < p.d.bond_count; i++) {
        strengths[i] = i == 7 ? 1e-3 : 1e9;
    }
    p.d.bond_tensile_strengths = strengths;
    p.d.bond_radius = 0.02;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_body_break_bonds(world, body, &cut, 1));
    return body;
}

static pbs_body add_peridynamic(pbs_world *world) {
    const double box[6] = {0.0, 7.0, 0.0, 0.3, 7.3, 0.3};
    pbs_peridynamic_desc d;
    pbs_body body;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.box = box;
    d.spacing = 0.1;
    d.critical_stretch = 0.5;
    assert_ok(pbs_body_create_peridynamic(world, &d, &body));
    return body;
}

/// Moves each vertex by up to a thousandth of its position along each axis.
static void shake(pbs_world *world, pbs_body body, struct random *random) {
    const size_t count = pbs_body_vertex_count(world, body);
    double x[3 * ROWS];
    memcpy(x, pbs_body_positions(world, body), 3 * count * sizeof *x);
    for (size_t i = 0; i < 3 * count; i++) {
        x[i] += random_uniform(random, -0.001, 0.001) * x[i];
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
}

/// The solid lies on the ground and flows.
static struct scene make_scene(struct test_allocator *allocator) {
    struct scene s = {.world = new_world_with(allocator)};
    struct random random = random_seed(5);
    const double ground[3] = {0.0, 0.0, 0.0}, above[3] = {0.0, 2.0, 0.0};
    pbs_solid_desc soft;
    assert_ok(pbs_solid_desc_init(&soft, sizeof soft));
    soft.yield_stress = 10.0;
    s.bodies[SOLID] = add_cube(s.world, 3, 0.5, ground, &soft);
    s.bodies[SHELL] = add_sheet(s.world, 4, 0.5, above, NULL);
    s.bodies[SPRINGS] = add_springs(s.world);
    s.bodies[AFFINE] = add_box(s.world);
    s.bodies[BONDED] = add_spheres(s.world);
    s.bodies[PERIDYNAMIC] = add_peridynamic(s.world);
    add_ground(s.world);
    for (int k = 0; k < KINDS; k++) {
        if (k != AFFINE) {
            shake(s.world, s.bodies[k], &random);
        }
    }
    assert_ok(pbs_world_step(s.world, 1.0 / 240.0));
    return s;
}

// --- the same values by other calls ---

typedef void source(const pbs_world *w, pbs_body b, double *out);

static void copy(const double *from, size_t count, double *out) {
    memcpy(out, from, count * sizeof *out);
}

static void positions(const pbs_world *w, pbs_body b, double *out) {
    copy(pbs_body_positions(w, b), 3 * pbs_body_vertex_count(w, b), out);
}

static void velocities(const pbs_world *w, pbs_body b, double *out) {
    copy(pbs_body_velocities(w, b), 3 * pbs_body_vertex_count(w, b), out);
}

static void orientations(const pbs_world *w, pbs_body b, double *out) {
    copy(pbs_body_orientations(w, b), 4 * pbs_body_vertex_count(w, b), out);
}

static void angular_velocities(const pbs_world *w, pbs_body b, double *out) {
    copy(pbs_body_angular_velocities(w, b), 3 * pbs_body_vertex_count(w, b), out);
}

static void damage(const pbs_world *w, pbs_body b, double *out) {
    for (size_t i = 0; i < pbs_body_vertex_count(w, b); i++) {
        out[i] = (double)pbs_body_damage(w, b)[i];
    }
}

static void stress(const pbs_world *w, pbs_body b, double *out) {
    assert_ok(pbs_body_element_stress(w, b, out, ROWS));
}

static void plastic_strain(const pbs_world *w, pbs_body b, double *out) {
    assert_ok(pbs_body_element_plastic_strain(w, b, out, ROWS));
}

static void spring_strain(const pbs_world *w, pbs_body b, double *out) {
    assert_ok(pbs_body_spring_strains(w, b, out, ROWS));
}

static size_t loads(const pbs_world *w, pbs_body b, pbs_bond_load out[ROWS]) {
    size_t count = ROWS;
    assert_ok(pbs_body_bond_loads(w, b, out, sizeof *out, &count));
    return count;
}

static void bond_load(const pbs_world *w, pbs_body b, double *out) {
    pbs_bond_load all[ROWS];
    const size_t count = loads(w, b, all);
    for (size_t i = 0; i < count; i++) {
        copy((const double[4]){all[i].normal, all[i].shear, all[i].torsion, all[i].bending}, 4,
             out + 4 * i);
    }
}

static void bond_stress(const pbs_world *w, pbs_body b, double *out) {
    pbs_bond_load all[ROWS];
    const size_t count = loads(w, b, all);
    for (size_t i = 0; i < count; i++) {
        copy((const double[2]){all[i].normal_stress, all[i].shear_stress}, 2, out + 2 * i);
    }
}

static void bond_stretch(const pbs_world *w, pbs_body b, double *out) {
    pbs_bond_load all[ROWS];
    const size_t count = loads(w, b, all);
    for (size_t i = 0; i < count; i++) {
        out[i] = all[i].stretch;
    }
}

static size_t bond_count(const pbs_world *w, pbs_body b) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    assert_ok(pbs_body_bonds(w, b, &pairs, &count));
    return count;
}

static void broken(const pbs_world *w, pbs_body b, double *out) {
    for (size_t i = 0; i < bond_count(w, b); i++) {
        out[i] = pbs_body_broken(w, b)[i];
    }
}

static void strength(const pbs_world *w, pbs_body b, double *out) {
    for (size_t i = 0; i < bond_count(w, b); i++) {
        out[2 * i] = pbs_body_tensile_strengths(w, b)[i];
        out[2 * i + 1] = pbs_body_shear_strengths(w, b)[i];
    }
}

static void critical_stretch(const pbs_world *w, pbs_body b, double *out) {
    copy(pbs_body_critical_stretches(w, b), bond_count(w, b), out);
}

/// What each channel is: of which kinds of bodies (bits), and whose values (null: of no other
/// call).
struct fact {
    unsigned kinds;
    int32_t item; ///< of a shell, triangles in place of tetrahedra
    size_t width;
    source *values;
};

static const unsigned ALL = (1U << KINDS) - 1, STRESSED = 1U << SOLID | 1U << SHELL,
                      BONDS = 1U << BONDED | 1U << PERIDYNAMIC;

static const struct fact facts[] = {
    [PBS_CHANNEL_POSITION] = {ALL, PBS_ITEM_VERTEX, 3, positions},
    [PBS_CHANNEL_VELOCITY] = {ALL, PBS_ITEM_VERTEX, 3, velocities},
    [PBS_CHANNEL_NORMAL] = {ALL, PBS_ITEM_VERTEX, 3, NULL},
    [PBS_CHANNEL_CONTACT_FORCE] = {ALL, PBS_ITEM_VERTEX, 3, NULL},
    [PBS_CHANNEL_ORIENTATION] = {1U << BONDED, PBS_ITEM_VERTEX, 4, orientations},
    [PBS_CHANNEL_ANGULAR_VELOCITY] = {1U << BONDED, PBS_ITEM_VERTEX, 3, angular_velocities},
    [PBS_CHANNEL_DAMAGE] = {BONDS, PBS_ITEM_VERTEX, 1, damage},
    [PBS_CHANNEL_STRESS] = {STRESSED, PBS_ITEM_TET, 9, stress},
    [PBS_CHANNEL_VON_MISES] = {STRESSED, PBS_ITEM_TET, 1, NULL},
    [PBS_CHANNEL_PLASTIC_STRAIN] = {1U << SOLID, PBS_ITEM_TET, 1, plastic_strain},
    [PBS_CHANNEL_SPRING_STRAIN] = {1U << SPRINGS, PBS_ITEM_SPRING, 1, spring_strain},
    [PBS_CHANNEL_BOND_LOAD] = {BONDS, PBS_ITEM_BOND, 4, bond_load},
    [PBS_CHANNEL_BOND_STRESS] = {BONDS, PBS_ITEM_BOND, 2, bond_stress},
    [PBS_CHANNEL_BOND_STRETCH] = {BONDS, PBS_ITEM_BOND, 1, bond_stretch},
    [PBS_CHANNEL_BOND_BROKEN] = {BONDS, PBS_ITEM_BOND, 1, broken},
    [PBS_CHANNEL_BOND_STRENGTH] = {1U << BONDED, PBS_ITEM_BOND, 2, strength},
    [PBS_CHANNEL_CRITICAL_STRETCH] = {1U << PERIDYNAMIC, PBS_ITEM_BOND, 1, critical_stretch},
};

enum { CHANNELS = COUNT_OF(facts) };

static size_t item_count(const pbs_world *w, pbs_body b, int32_t item) {
    const uint32_t *indices = NULL;
    size_t count = 0;
    switch (item) {
    case PBS_ITEM_VERTEX: return pbs_body_vertex_count(w, b);
    case PBS_ITEM_TET: return pbs_body_tet_count(w, b);
    case PBS_ITEM_TRIANGLE: assert_ok(pbs_body_surface(w, b, &indices, &count)); return count;
    case PBS_ITEM_SPRING: assert_ok(pbs_body_springs(w, b, &indices, &count)); return count;
    default: return bond_count(w, b);
    }
}

/// Calls for each channel of each body.
static void for_each(const struct scene *s,
                     void (*visit)(const pbs_world *w, pbs_body b, int32_t channel, size_t width,
                                   size_t count)) {
    for (int32_t channel = 0; channel < CHANNELS; channel++) {
        for (int k = 0; k < KINDS; k++) {
            int32_t item = -77;
            size_t width = 0, count = 0;
            if ((facts[channel].kinds & 1U << k) != 0) {
                assert_ok(pbs_body_channel(s->world, s->bodies[k], channel, &item, &width, &count));
                visit(s->world, s->bodies[k], channel, width, count);
            }
        }
    }
}

// --- facts ---

static void channels_have_shapes(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct scene s = make_scene(&allocator);
    for (int32_t channel = 0; channel < CHANNELS; channel++) {
        const struct fact *fact = &facts[channel];
        for (int k = 0; k < KINDS; k++) {
            int32_t item = -77;
            size_t width = 77, count = 77;
            const pbs_status status = pbs_body_channel(s.world, s.bodies[k], channel, &item, &width,
                                                       &count);
            if ((fact->kinds & 1U << k) == 0) {
                assert_status(status, PBS_ERROR_ARGUMENT);
                assert_message("but not this body");
                assert_true(item == -77 && width == 77 && count == 77);
                continue;
            }
            assert_ok(status);
            assert_int_equal(item, fact->item == PBS_ITEM_TET && k == SHELL ? PBS_ITEM_TRIANGLE
                                                                            : fact->item);
            assert_int_equal(width, fact->width);
            assert_int_equal(count, item_count(s.world, s.bodies[k], item));
            assert_true(count > 0 && count <= ROWS && width <= WIDTH);
        }
    }
    pbs_world_destroy(s.world);
}

/// Rows with two numbers between them, which stay -77.
static void values_are_those_of_the_arrays(const pbs_world *w, pbs_body b, int32_t channel,
                                           size_t width, size_t count) {
    const size_t stride = width + 2;
    static double expected[ROWS * WIDTH], doubles[ROWS * (WIDTH + 2)];
    static float floats[ROWS * (WIDTH + 2)];
    for (size_t i = 0; i < COUNT_OF(doubles); i++) {
        doubles[i] = -77.0;
        floats[i] = -77.0F;
    }
    assert_ok(pbs_body_read_f64(w, b, channel, doubles, stride * sizeof *doubles, count));
    assert_ok(pbs_body_read_f32(w, b, channel, floats, stride * sizeof *floats, count));
    if (facts[channel].values != NULL) {
        facts[channel].values(w, b, expected);
    }
    bool moves = false;
    for (size_t i = 0; i < COUNT_OF(doubles); i++) {
        const size_t row = i / stride, k = i % stride;
        if (row >= count || k >= width) {
            assert_true(doubles[i] == -77.0 && floats[i] == -77.0F);
            continue;
        }
        moves = moves || doubles[i] != 0.0;
        if (facts[channel].values != NULL) {
            assert_true(doubles[i] == expected[row * width + k]);
        }
        // Normals are sums, of at most 8 triangles here, and floats are rounded to 2^-24.
        const double rounding = channel == PBS_CHANNEL_NORMAL ? 32.0 * 0x1p-24 : 0.0;
        if (isfinite(doubles[i])) {
            assert_near((double)floats[i], (double)(float)doubles[i], rounding, "float");
        } else {
            assert_true((double)floats[i] == doubles[i]);
        }
    }
    // Of some channel and body all values are 0: contact forces on all but the solid, say.
    const bool may_rest = channel == PBS_CHANNEL_NORMAL || channel == PBS_CHANNEL_CONTACT_FORCE ||
                          channel == PBS_CHANNEL_DAMAGE || channel == PBS_CHANNEL_BOND_BROKEN;
    assert_true(moves || may_rest);
}

static void both_precisions_have_the_values_of_the_arrays(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct scene s = make_scene(&allocator);
    for_each(&s, values_are_those_of_the_arrays);
    // Where values are 0 elsewhere, they are not on these bodies.
    assert_true(bonded_count_broken(s.world, s.bodies[BONDED]) == 2);
    pbs_world_destroy(s.world);
}

/// Contact holds the solid: the force on it is up.
static void contact_forces_are_read_in_doubles(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct scene s = make_scene(&allocator);
    double forces[3 * 64], sum = 0.0;
    assert_ok(
        pbs_body_read_f64(s.world, s.bodies[SOLID], PBS_CHANNEL_CONTACT_FORCE, forces, 24, 64));
    for (size_t i = 0; i < 64; i++) {
        sum += forces[3 * i + 1];
    }
    assert_true(sum > 0.0);
    pbs_world_destroy(s.world);
}

/// Doubles that floats cannot hold, and bonds that never break.
static void numbers_beyond_floats_are_infinite(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct scene s = make_scene(&allocator);
    const pbs_body body = s.bodies[PERIDYNAMIC];
    const size_t count = bond_count(s.world, body);
    double stretches[ROWS];
    float read[ROWS];
    for (size_t i = 0; i < count; i++) {
        stretches[i] = i == 0 ? 1e39 : i == 1 ? (double)INFINITY : 0.5;
    }
    assert_ok(pbs_body_set_critical_stretches(s.world, body, stretches, count));
    assert_ok(pbs_body_read_f32(s.world, body, PBS_CHANNEL_CRITICAL_STRETCH, read, 4, count));
    assert_true(isinf(read[0]) && isinf(read[1]) && read[2] == 0.5F);
    pbs_world_destroy(s.world);
}

static void read_both(const pbs_world *w, pbs_body b, int32_t channel, size_t width, size_t count) {
    static double doubles[ROWS * WIDTH];
    static float floats[ROWS * WIDTH];
    assert_ok(pbs_body_read_f64(w, b, channel, doubles, width * sizeof *doubles, count));
    assert_ok(pbs_body_read_f32(w, b, channel, floats, width * sizeof *floats, count));
}

static void reading_allocates_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct scene s = make_scene(&allocator);
    const uint64_t before = allocator.allocate_count;
    for_each(&s, read_both);
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(s.world);
}

// --- refusals ---

struct bad_read {
    enum kind kind;
    int32_t channel;
    size_t shift;            ///< bytes from an aligned place
    size_t stride, capacity; ///< the stride in bytes, of floats; doubles take twice as many
    pbs_status status;
    const char *words;
};

static const struct bad_read bad_reads[] = {
    {SOLID, -1, 0, 12, ROWS, PBS_ERROR_ARGUMENT, "channel is -1, must be 0 to 16"},
    {SOLID, CHANNELS, 0, 12, ROWS, PBS_ERROR_ARGUMENT, "channel is 17, must be 0 to 16"},
    {SPRINGS, PBS_CHANNEL_STRESS, 0, 36, ROWS, PBS_ERROR_ARGUMENT,
     "channel is 7, stress, which solids and shells have, but not this body"},
    {SHELL, PBS_CHANNEL_PLASTIC_STRAIN, 0, 4, ROWS, PBS_ERROR_ARGUMENT, "which solids have"},
    {SOLID, PBS_CHANNEL_BOND_LOAD, 0, 16, ROWS, PBS_ERROR_ARGUMENT,
     "which bonded and peridynamic bodies have"},
    {PERIDYNAMIC, PBS_CHANNEL_ORIENTATION, 0, 16, ROWS, PBS_ERROR_ARGUMENT,
     "which bonded bodies have"},
    {SOLID, PBS_CHANNEL_STRESS, 1, 36, ROWS, PBS_ERROR_ARGUMENT, "must be aligned to"},
    {SOLID, PBS_CHANNEL_STRESS, 2, 36, ROWS, PBS_ERROR_ARGUMENT, "must be aligned to"},
    {SOLID, PBS_CHANNEL_STRESS, 0, 32, ROWS, PBS_ERROR_ARGUMENT, "stride_bytes is"},
    {SOLID, PBS_CHANNEL_STRESS, 0, 0, ROWS, PBS_ERROR_ARGUMENT, "stride_bytes is 0"},
    // Rows so far apart were written in front of the buffer, or where there is no memory.
    {SOLID, PBS_CHANNEL_STRESS, 0, SIZE_MAX / 16 * 4, ROWS, PBS_ERROR_ARGUMENT,
     "at most 1073741824"},
    {SOLID, PBS_CHANNEL_STRESS, 0, ((size_t)1 << 30) + 4, SIZE_MAX, PBS_ERROR_ARGUMENT,
     "at most 1073741824"},
    {SOLID, PBS_CHANNEL_STRESS, 0, SIZE_MAX / 4, ROWS, PBS_ERROR_ARGUMENT, "must be a multiple of"},
    {SOLID, PBS_CHANNEL_STRESS, 0, 37, ROWS, PBS_ERROR_ARGUMENT, "must be a multiple of"},
    {BONDED, PBS_CHANNEL_ORIENTATION, 0, 12, ROWS, PBS_ERROR_ARGUMENT, "and at least"},
    {SOLID, PBS_CHANNEL_VON_MISES, 0, 4, 161, PBS_ERROR_CAPACITY,
     "capacity is 161 tetrahedra, but the body has 162"},
    {SHELL, PBS_CHANNEL_STRESS, 0, 36, 31, PBS_ERROR_CAPACITY,
     "capacity is 31 triangles, but the body has 32"},
    {SPRINGS, PBS_CHANNEL_SPRING_STRAIN, 0, 4, 0, PBS_ERROR_CAPACITY,
     "capacity is 0 springs, but the body has 3"},
    {BONDED, PBS_CHANNEL_BOND_LOAD, 0, 16, 132, PBS_ERROR_CAPACITY,
     "capacity is 132 bonds, but the body has 133"},
};

static void bad_reads_are_refused(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct scene s = make_scene(&allocator);
    static double doubles[ROWS * WIDTH + 1];
    static unsigned char untouched[sizeof doubles];
    memset(untouched, 0x55, sizeof untouched);
    memcpy(doubles, untouched, sizeof untouched);
    for (size_t i = 0; i < COUNT_OF(bad_reads); i++) {
        const struct bad_read *row = &bad_reads[i];
        const pbs_body body = s.bodies[row->kind];
        void *dst = (char *)doubles + row->shift;
        assert_status(
            pbs_body_read_f32(s.world, body, row->channel, dst, row->stride, row->capacity),
            row->status);
        assert_message(row->words);
        assert_status(
            pbs_body_read_f64(s.world, body, row->channel, dst, 2 * row->stride, row->capacity),
            row->status);
        assert_message(row->words);
        assert_memory_equal(doubles, untouched, sizeof untouched);
    }
    // A place for floats need not be one for doubles.
    void *odd = (char *)doubles + 4;
    assert_status(pbs_body_read_f64(s.world, s.bodies[SOLID], PBS_CHANNEL_STRESS, odd, 72, ROWS),
                  PBS_ERROR_ARGUMENT);
    assert_message("must be aligned to 8 bytes");
    assert_memory_equal(doubles, untouched, sizeof untouched);
    pbs_world_destroy(s.world);
}

static void null_pointers_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const double corner[3] = {0.0, 0.0, 0.0};
    const pbs_body body = add_cube(world, 1, 1.0, corner, NULL);
    const int32_t channel = PBS_CHANNEL_STRESS;
    int32_t item = -77;
    size_t width = 77, count = 77;
    float floats[54];
    double doubles[54];
    assert_status(pbs_body_read_f32(NULL, body, channel, floats, 36, 6), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_read_f64(NULL, body, channel, doubles, 72, 6), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_read_f32(world, body, channel, NULL, 36, 6), PBS_ERROR_ARGUMENT);
    assert_message("dst is null");
    assert_status(pbs_body_read_f64(world, body, channel, NULL, 72, 6), PBS_ERROR_ARGUMENT);
    assert_message("dst is null");
    assert_status(pbs_body_channel(NULL, body, channel, &item, &width, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_channel(world, body, channel, NULL, &width, &count), PBS_ERROR_ARGUMENT);
    assert_message("item is null");
    assert_status(pbs_body_channel(world, body, channel, &item, NULL, &count), PBS_ERROR_ARGUMENT);
    assert_message("width is null");
    assert_status(pbs_body_channel(world, body, channel, &item, &width, NULL), PBS_ERROR_ARGUMENT);
    assert_message("count is null");
    assert_true(item == -77 && width == 77 && count == 77);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_have_shapes),
        cmocka_unit_test(both_precisions_have_the_values_of_the_arrays),
        cmocka_unit_test(contact_forces_are_read_in_doubles),
        cmocka_unit_test(numbers_beyond_floats_are_infinite),
        cmocka_unit_test(reading_allocates_nothing),
        cmocka_unit_test(bad_reads_are_refused),
        cmocka_unit_test(null_pointers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
