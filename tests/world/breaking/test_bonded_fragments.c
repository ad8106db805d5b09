// Fragments of bonded bodies through the public API: their motion, their numbers in saved worlds,
// cuts by planes and triangles, damage, and the fracture surface for drawing.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "world/refusal.h"

static const double NONE[3] = {0.0, 0.0, 0.0};
static const double X_AXIS[3] = {1.0, 0.0, 0.0};

static pbs_world *weightless_world(void) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memcpy(settings.gravity, NONE, sizeof NONE);
    settings.contact = PBS_CONTACT_PROJECTION;
    return new_world_from(&settings);
}

/// A row of spheres along x that turns about z, its centre at the origin.
static pbs_body add_row(pbs_world *world, struct bonded_parts *p, size_t count, double spin) {
    pbs_body body;
    bonded_block(p, count, 1, 1, (const double[3]){0.0, 0.0, spin});
    assert_ok(pbs_body_create_bonded(world, &p->d, &body));
    return body;
}

static size_t fragments_of(const pbs_world *world, pbs_body body, pbs_fragment *rows, size_t room) {
    size_t count = room;
    assert_ok(pbs_body_fragments(world, body, rows, sizeof *rows, &count));
    return count;
}

static size_t cut_at(pbs_world *world, pbs_body body, double x) {
    const double point[3] = {x, 0.0, 0.0};
    size_t cut = 99;
    assert_ok(pbs_body_cut_plane(world, body, point, X_AXIS, &cut));
    return cut;
}

// --- fragments ---

/// n spheres in a row, d apart, J each: about the middle J along the row and
/// n J + m d^2 n (n^2 - 1) / 12 across.
static void a_fragment_moves_as_its_particles_do(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    const pbs_body body = add_row(world, &p, 8, 3.0);
    const double mass = pbs_body_masses(world, body)[0];
    const double own = 0.4 * mass * 0.0025;
    pbs_fragment f[2];
    assert_int_equal(cut_at(world, body, 0.2), 1);
    assert_int_equal(fragments_of(world, body, f, 2), 2);
    for (int i = 0; i < 2; i++) {
        // Six spheres about x = -0.1, and two, the new ones, about 0.3.
        const double n = i == 0 ? 6.0 : 2.0;
        const double x = i == 0 ? -0.1 : 0.3;
        const double across = n * own + mass * 0.01 * n * (n * n - 1.0) / 12.0;
        assert_int_equal(f[i].parent, 0);
        assert_int_equal(f[i].particle_count, (size_t)n);
        assert_near(f[i].mass, n * mass, 1e-13, "mass");
        assert_near(f[i].center[0], x, 1e-15, "centre");
        assert_near(f[i].velocity[1], 3.0 * x, 1e-14, "velocity");
        assert_near(f[i].angular_velocity[2], 3.0, 1e-13, "spin");
        assert_near(f[i].inertia[0] / (n * own), 1.0, 1e-12, "inertia along");
        assert_near(f[i].inertia[4] / across, 1.0, 1e-12, "inertia across");
        assert_near(f[i].inertia[8] / across, 1.0, 1e-12, "inertia across");
        assert_small(fmax(fabs(f[i].inertia[1]), fabs(f[i].inertia[5])), 1e-15, "products");
    }
    pbs_world_destroy(world);
}

/// Steps break what is pulled apart, and each break makes one more fragment of a row.
static void every_break_of_a_row_is_a_fragment(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    pbs_body body;
    pbs_fragment f[6];
    bonded_block(&p, 6, 1, 1, NONE);
    p.d.tensile_strength = 2e4;
    for (size_t i = 0; i < 6; i++) {
        p.velocities[3 * i] = 30.0 * p.positions[3 * i];
    }
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    size_t broken = 0;
    for (int n = 0; n < 200; n++) {
        size_t events = 0;
        assert_ok(pbs_world_step(world, 1e-4));
        assert_ok(pbs_world_broken_bonds(world, NULL, sizeof(pbs_broken_bond), &events));
        broken += events;
        assert_int_equal(fragments_of(world, body, f, 6), broken + 1);
    }
    assert_true(broken > 0);
    double mass = 0.0;
    double momentum = 0.0;
    for (size_t i = 0; i <= broken; i++) {
        mass += f[i].mass;
        momentum += f[i].mass * f[i].velocity[0];
    }
    assert_near(mass, 6.0 * pbs_body_masses(world, body)[0], 1e-12, "mass");
    assert_near(momentum, 0.0, 1e-9, "momentum");
    pbs_world_destroy(world);
}

static void numbers_are_part_of_a_saved_world(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    const pbs_body body = add_row(world, &p, 8, 0.0);
    // Small parts first: numbers that bonds alone do not tell.
    assert_int_equal(cut_at(world, body, -0.3), 1);
    assert_int_equal(cut_at(world, body, -0.2), 1);
    const uint32_t expected[8] = {1, 2, 0, 0, 0, 0, 0, 0};
    const pbs_world *restored = world;
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(pbs_body_particle_fragments(restored, body), expected, sizeof expected);
        const struct saved_world saved = save_world(world);
        assert_ok(pbs_world_restore(world, saved.data, saved.size));
        free(saved.data);
    }
    assert_int_equal(cut_at(world, body, 0.3), 1);
    const uint32_t later[8] = {1, 2, 0, 0, 0, 0, 0, 3};
    assert_memory_equal(pbs_body_particle_fragments(world, body), later, sizeof later);
    pbs_world_destroy(world);
}

// --- cuts ---

static void a_plane_cuts_what_it_divides(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    pbs_body body;
    bonded_block(&p, 4, 3, 2, NONE);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_int_equal(cut_at(world, body, 5.0), 0);
    assert_int_equal(cut_at(world, body, 0.01), 6);
    assert_int_equal(cut_at(world, body, 0.01), 0);
    // A normal is a direction, however long: 1e-300 has a square of zero.
    const double point[3] = {0.0, 0.01, 0.0};
    const double normal[3] = {0.0, 1e-300, 0.0};
    assert_ok(pbs_body_cut_plane(world, body, point, normal, NULL));
    assert_int_equal(fragments_of(world, body, NULL, 0), 4);
    for (size_t i = 0; i < 24; i++) {
        assert_true(pbs_body_damage(world, body)[i] == 0.0F);
    }
    pbs_world_destroy(world);
}

/// In front of a triangle, through it, touching its edge, and past it.
static void triangles_cut_what_they_meet(void **state) {
    (void)state;
    static const double y[4] = {0.3, 0.1, 0.0, -0.1};
    static const size_t expected[4] = {0, 1, 1, 0};
    for (int i = 0; i < 4; i++) {
        static struct bonded_parts p;
        pbs_world *world = weightless_world();
        const pbs_body body = add_row(world, &p, 4, 0.0);
        // Between the two in the middle; its lower edge at -y.
        const double corners[9] = {0.01, -0.2 + y[i], -1.0, 0.01, -0.2 + y[i],
                                   1.0,  0.01,        y[i], 0.0};
        const double touching[9] = {0.01, 0.0, -1.0, 0.01, 0.0, 1.0, 0.01, 1.0, 0.0};
        size_t cut = 99;
        assert_ok(pbs_body_cut_triangles(world, body, i == 2 ? touching : corners, 1, &cut));
        assert_int_equal(cut, expected[i]);
        assert_int_equal(pbs_body_broken(world, body)[1], expected[i] == 1 ? 2 : 0);
        assert_ok(pbs_body_cut_triangles(world, body, NULL, 0, NULL));
        pbs_world_destroy(world);
    }
}

static void cuts_are_no_damage_and_breaks_are(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    pbs_body body;
    bonded_block(&p, 4, 1, 1, NONE);
    p.d.tensile_strength = 1e4;
    p.velocities[9] = 1.0;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_int_equal(cut_at(world, body, -0.1), 1);
    for (int n = 0; n < 200 && pbs_body_broken(world, body)[2] == 0; n++) {
        assert_ok(pbs_world_step(world, 1e-4));
    }
    assert_memory_equal(pbs_body_broken(world, body), ((const uint8_t[]){2, 0, 1}), 3);
    // Of the third one of two bonds broke, of the fourth its only one; the first has none left.
    assert_memory_equal(pbs_body_damage(world, body), ((const float[]){0.0F, 0.0F, 0.5F, 1.0F}),
                        4 * sizeof(float));
    pbs_world_destroy(world);
}

// --- the surface ---

enum { SURFACE_LIMIT = 4096 };

static pbs_body add_tets(pbs_world *world, struct cubic_tets *mesh) {
    const size_t cells[3] = {3, 2, 2};
    pbs_bonded_desc d;
    pbs_body body;
    assert_true(cubic_tets_make(mesh, cells, 0.5, 0.0));
    bonded_describe_tets(mesh, &d);
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    return body;
}

static pbs_fracture_surface surface_of(const pbs_world *world, pbs_body body) {
    pbs_fracture_surface surface = {.struct_size = sizeof surface};
    assert_ok(pbs_body_fracture_surface(world, body, &surface));
    assert_true(surface.vertex_count <= SURFACE_LIMIT);
    return surface;
}

static void read_channel(const pbs_world *world, pbs_body body, int32_t channel, float *dst) {
    assert_ok(pbs_body_read_fracture_surface(world, body, channel, dst, 12, SURFACE_LIMIT));
}

/// A box of 1.5 by 1 by 1 m: bounds, area, and normals along the axes in the middle of faces.
static void a_box_is_drawn_as_a_box(void **state) {
    (void)state;
    static float x[3 * SURFACE_LIMIT], normals[3 * SURFACE_LIMIT];
    struct cubic_tets mesh;
    pbs_world *world = weightless_world();
    const pbs_body body = add_tets(world, &mesh);
    const pbs_fracture_surface surface = surface_of(world, body);
    // Two triangles for each side of a cell at the surface.
    assert_int_equal(surface.triangle_count, 2 * 2 * (6 + 6 + 4));
    read_channel(world, body, PBS_CHANNEL_POSITION, x);
    read_channel(world, body, PBS_CHANNEL_NORMAL, normals);
    double area = 0.0;
    for (size_t t = 0; t < surface.triangle_count; t++) {
        double corner[3][3], ab[3], ac[3], normal[3];
        for (size_t i = 0; i < 3; i++) {
            for (size_t k = 0; k < 3; k++) {
                corner[i][k] = (double)x[3 * surface.triangles[3 * t + i] + k];
                const double rest = mesh.vertices[3 * surface.origins[3 * t + i] + k];
                assert_near(corner[i][k], rest, 1e-6, "where it was");
                assert_true(corner[i][k] > -1e-6 && corner[i][k] < (k == 0 ? 1.5 : 1.0) + 1e-6);
            }
        }
        subtract3(corner[1], corner[0], ab);
        subtract3(corner[2], corner[0], ac);
        cross3(ab, ac, normal);
        area += 0.5 * norm3(normal);
        assert_int_equal(surface.cracked[t], 0);
        assert_true(surface.particles[t] < mesh.tet_count);
    }
    assert_near(area, 2.0 * (1.5 + 1.5 + 1.0), 1e-5, "area");
    size_t flat = 0;
    for (size_t v = 0; v < surface.vertex_count; v++) {
        const bool inside = x[3 * v + 1] > 0.1F && x[3 * v + 1] < 0.9F && x[3 * v + 2] > 0.1F &&
                            x[3 * v + 2] < 0.9F;
        if (inside) {
            assert_near((double)normals[3 * v], x[3 * v] < 0.75F ? -1.0 : 1.0, 1e-6, "normal");
            flat++;
        }
    }
    assert_int_equal(flat, 2);
    cubic_tets_free(&mesh);
    pbs_world_destroy(world);
}

/// Cut through the middle and set in motion: each half is a box, and vertices move as points of
/// it.
static void halves_move_as_they_are_drawn(void **state) {
    (void)state;
    static float before[3 * SURFACE_LIMIT], after[3 * SURFACE_LIMIT], moved[3 * SURFACE_LIMIT];
    struct cubic_tets mesh;
    pbs_world *world = weightless_world();
    const pbs_body body = add_tets(world, &mesh);
    const size_t count = mesh.tet_count;
    double *spins = calloc(3 * count, sizeof *spins);
    double *velocities = calloc(3 * count, sizeof *velocities);
    assert_true(spins != NULL && velocities != NULL);
    const size_t cut = cut_at(world, body, 0.75);
    assert_true(cut > 0);
    assert_int_equal(fragments_of(world, body, NULL, 0), 2);
    const double h = 1e-6;
    for (size_t i = 0; i < count; i++) {
        // About the origin, as one.
        const double *p = pbs_body_positions(world, body) + 3 * i;
        spins[3 * i + 2] = 2.0;
        velocities[3 * i] = -2.0 * p[1];
        velocities[3 * i + 1] = 2.0 * p[0];
    }
    assert_ok(pbs_body_set_velocities(world, body, velocities, count));
    assert_ok(pbs_body_set_angular_velocities(world, body, spins, count));
    const pbs_fracture_surface surface = surface_of(world, body);
    size_t cracked = 0;
    for (size_t t = 0; t < surface.triangle_count; t++) {
        cracked += surface.cracked[t];
    }
    assert_int_equal(cracked, 2 * cut);
    read_channel(world, body, PBS_CHANNEL_POSITION, before);
    read_channel(world, body, PBS_CHANNEL_VELOCITY, moved);
    for (size_t v = 0; v < surface.vertex_count; v++) {
        assert_near((double)moved[3 * v], -2.0 * (double)before[3 * v + 1], 1e-6, "velocity");
        assert_near((double)moved[3 * v + 1], 2.0 * (double)before[3 * v], 1e-6, "velocity");
    }
    assert_ok(pbs_world_step(world, h));
    read_channel(world, body, PBS_CHANNEL_POSITION, after);
    assert_true(surface_of(world, body).vertex_count == surface.vertex_count);
    for (size_t i = 0; i < 3 * surface.vertex_count; i++) {
        assert_near((double)after[i], (double)before[i] + h * (double)moved[i], 3e-7, "place");
    }
    free(spins);
    free(velocities);
    cubic_tets_free(&mesh);
    pbs_world_destroy(world);
}

static void particles_alone_have_no_surface(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    const pbs_body body = add_row(world, &p, 3, 0.0);
    const pbs_fracture_surface surface = surface_of(world, body);
    assert_int_equal(surface.triangle_count, 0);
    assert_int_equal(surface.vertex_count, 0);
    assert_null(surface.triangles);
    pbs_world_destroy(world);
}

// --- memory ---

static pbs_status create_of_tets(pbs_world *world, void *context) {
    struct cubic_tets mesh;
    const size_t cells[3] = {1, 1, 1};
    pbs_bonded_desc d;
    assert_true(cubic_tets_make(&mesh, cells, 0.5, 0.0));
    bonded_describe_tets(&mesh, &d);
    d.tensile_strength = 1e5;
    const pbs_status status = pbs_body_create_bonded(world, &d, context);
    cubic_tets_free(&mesh);
    return status;
}

static pbs_status save_and_restore(pbs_world *world, void *context) {
    size_t size = 0;
    (void)context;
    pbs_status status = pbs_world_save(world, NULL, &size);
    void *saved = malloc(size);
    assert_non_null(saved);
    status = status >= 0 ? pbs_world_save(world, saved, &size) : status;
    status = status >= 0 ? pbs_world_restore(world, saved, size) : status;
    free(saved);
    return status;
}

/// Fragments and surfaces are made where the body is; cuts and what they change need no more.
static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    pbs_body body;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(refuse_until_success(&allocator, world, create_of_tets, &body, &refused));
    assert_true(refused > 25);
    const uint64_t before = allocator.allocate_count;
    assert_true(cut_at(world, body, 0.25) > 0);
    assert_int_equal(fragments_of(world, body, NULL, 0), 2);
    assert_int_equal(allocator.allocate_count, before);
    assert_ok(refuse_until_success(&allocator, world, save_and_restore, NULL, &refused));
    assert_true(refused > 20);
    assert_int_equal(fragments_of(world, body, NULL, 0), 2);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

// --- refusals ---

static void wrong_calls_are_refused_in_words(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    const pbs_body body = add_row(world, &p, 4, 0.0);
    const pbs_body other = add_cube(world, 1, 1.0, NONE, NULL);
    const double bad[9] = {0.0, 0.0, NAN};
    pbs_fragment row;
    pbs_fracture_surface surface = {.struct_size = sizeof surface};
    float x[3];
    size_t count = 0;
    cut_at(world, body, 0.0);
    assert_status(pbs_body_fragments(world, body, &row, sizeof row, &count), PBS_ERROR_CAPACITY);
    assert_message("count is 0 fragments, but there are 2");
    assert_int_equal(count, 2);
    assert_status(pbs_body_fragments(world, body, &row, 8, &count), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_body_fragments(world, body, &row, sizeof row, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_fragments(world, other, &row, sizeof row, &count), PBS_ERROR_ARGUMENT);
    assert_message("the body has no bonds: it has no fragments");
    assert_null(pbs_body_particle_fragments(world, other));
    assert_null(pbs_body_damage(world, other));
    assert_status(pbs_body_cut_plane(world, body, NULL, X_AXIS, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_cut_plane(world, body, NONE, bad, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_cut_plane(world, body, NONE, NONE, NULL), PBS_ERROR_ARGUMENT);
    assert_message("normal is zero");
    assert_status(pbs_body_cut_plane(world, other, NONE, X_AXIS, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_cut_triangles(world, body, bad, 1, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_cut_triangles(world, body, NULL, 1, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_fracture_surface(world, other, &surface), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_fracture_surface(world, body, NULL), PBS_ERROR_ARGUMENT);
    surface.struct_size = 4;
    assert_status(pbs_body_fracture_surface(world, body, &surface), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_body_read_fracture_surface(world, body, PBS_CHANNEL_CONTACT_FORCE, x, 12, 1),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_read_fracture_surface(world, body, PBS_CHANNEL_POSITION, NULL, 12, 1),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_read_fracture_surface(world, other, PBS_CHANNEL_POSITION, x, 12, 1),
                  PBS_ERROR_ARGUMENT);
    assert_ok(pbs_body_destroy(world, body));
    assert_status(pbs_body_fragments(world, body, &row, sizeof row, &count), PBS_ERROR_HANDLE);
    assert_status(pbs_body_cut_plane(world, body, NONE, X_AXIS, NULL), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fragment_moves_as_its_particles_do),
        cmocka_unit_test(every_break_of_a_row_is_a_fragment),
        cmocka_unit_test(numbers_are_part_of_a_saved_world),
        cmocka_unit_test(a_plane_cuts_what_it_divides),
        cmocka_unit_test(triangles_cut_what_they_meet),
        cmocka_unit_test(cuts_are_no_damage_and_breaks_are),
        cmocka_unit_test(a_box_is_drawn_as_a_box),
        cmocka_unit_test(halves_move_as_they_are_drawn),
        cmocka_unit_test(particles_alone_have_no_surface),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(wrong_calls_are_refused_in_words),
    };
    return cmocka_run_group_tests_name("world/bonded_fragments", tests, NULL, NULL);
}
