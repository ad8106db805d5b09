// Bonded bodies of tetrahedra: how many particles and bonds of what size, and how stiff the whole
// is (docs/theory/bonds.md section 3).
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "world/refusal.h"

static void make_mesh(struct cubic_tets *mesh, size_t x, size_t y, size_t z, double h,
                      double jitter) {
    const size_t cells[3] = {x, y, z};
    assert_true(cubic_tets_make(mesh, cells, h, jitter));
}

static pbs_world *static_world(void) {
    pbs_world_desc settings;
    pbs_expert_desc expert;
    const double none[3] = {0.0, 0.0, 0.0};
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    expert_settings(&expert, &settings);
    memcpy(settings.gravity, none, sizeof none);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-11;
    expert.preconditioner = PBS_PRECONDITIONER_CHOLESKY;
    return new_world_from(&settings);
}

/// Two tetrahedra on a triangle: centroids, masses, and a beam of the triangle's area between them.
static void two_tetrahedra_are_two_spheres_and_a_beam(void **state) {
    (void)state;
    static const double x[15] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
                                 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -2.0};
    static const uint32_t tets[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    pbs_bonded_desc d;
    pbs_body body;
    assert_ok(pbs_bonded_desc_init(&d, sizeof d));
    d.vertex_count = 5;
    d.vertices = x;
    d.tet_count = 2;
    d.tets = tets;
    d.density = 300.0;
    d.young = 2e6;
    pbs_world *world = static_world();
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    assert_int_equal(pbs_body_vertex_count(world, body), 2);
    const double *p = pbs_body_positions(world, body);
    const double centroids[6] = {0.25, 0.25, 0.25, 0.25, 0.25, -0.5};
    assert_small(testing_max_difference(p, centroids, 6), 1e-16, "centroids");
    assert_near(pbs_body_masses(world, body)[0], 50.0, 1e-13, "mass");
    assert_near(pbs_body_masses(world, body)[1], 100.0, 1e-13, "mass");
    double moved[6];
    memcpy(moved, centroids, sizeof moved);
    moved[2] += 0.003;
    assert_ok(pbs_body_set_positions(world, body, moved, 2));
    // E A / l of half a square metre, 0.75 m long.
    assert_near(energy_of(world).elastic / (0.5 * 2e6 * 0.5 / 0.75 * 9e-6), 1.0, 1e-12, "beam");
    // The sphere of the first tetrahedron's volume: 2/5 m r^2.
    double w[6] = {0.0, 0.0, 10.0, 0.0, 0.0, 0.0};
    assert_ok(pbs_body_set_angular_velocities(world, body, w, 2));
    const double square = pow(0.75 / 6.0 / acos(-1.0), 2.0 / 3.0);
    assert_near(energy_of(world).kinetic / (0.5 * 0.4 * 50.0 * square * 100.0), 1.0, 1e-13, "spin");
    pbs_world_destroy(world);
}

// --- stiffness of the whole ---

struct moduli {
    double young, poisson;
};

/// The slope of y over x by least squares, of particles whose height is between both.
static double slope(size_t count, const double *x, size_t i, const double *y, size_t j,
                    const double *height, double low, double high) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (size_t k = 0; k < count; k++) {
        if (height[3 * k + 2] > low && height[3 * k + 2] < high) {
            n += 1.0;
            sx += x[3 * k + i];
            sy += y[3 * k + j];
            sxx += x[3 * k + i] * x[3 * k + i];
            sxy += x[3 * k + i] * y[3 * k + j];
        }
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// A block of n x n x 2 n cells, stretched by its end layers, which may contract and turn: strains
/// of the middle half and the force, which is what work over the way says.
static struct moduli stretch(size_t n, double young, double shear_modulus) {
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_body body;
    const double strain = 1e-6;
    make_mesh(&mesh, n, n, 2 * n, 1.0, 0.1);
    bonded_describe_tets(&mesh, &d);
    d.young = young;
    d.shear_modulus = shear_modulus;
    pbs_world *world = static_world();
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    const size_t count = pbs_body_vertex_count(world, body);
    double *rest = calloc(3 * count, sizeof *rest);
    double *moved = calloc(3 * count, sizeof *moved);
    memcpy(rest, pbs_body_positions(world, body), 3 * count * sizeof *rest);
    // The whole is stretched, then all but the ends finds its place.
    const double top = 2.0 * (double)n;
    for (size_t i = 0; i < 3 * count; i++) {
        moved[i] = rest[i] * (i % 3 == 2 ? 1.0 + strain : 1.0);
    }
    assert_ok(pbs_body_set_positions(world, body, moved, count));
    uint32_t centre = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double z = rest[3 * i + 2];
        if (z < 0.2 || z > top - 0.2) {
            assert_ok(pbs_body_pin(world, body, &i, 1, PBS_AXIS_Z));
        }
        const double off[3] = {rest[3 * i] - 0.5 * (double)n, rest[3 * i + 1] - 0.5 * (double)n,
                               z - 0.6};
        const double best[3] = {rest[3 * centre] - 0.5 * (double)n,
                                rest[3 * centre + 1] - 0.5 * (double)n, rest[3 * centre + 2] - 0.6};
        centre = norm3(off) < norm3(best) ? i : centre;
    }
    // One particle in the middle of an end keeps the whole from moving and turning sideways.
    assert_ok(pbs_body_pin(world, body, &centre, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin_orientations(world, body, &centre, 1));
    assert_ok(pbs_world_step(world, 1e6));
    memcpy(moved, pbs_body_positions(world, body), 3 * count * sizeof *moved);
    for (size_t i = 0; i < 3 * count; i++) {
        moved[i] -= rest[i];
    }
    const double low = 0.5 * (double)n;
    const double high = 1.5 * (double)n;
    const double along = slope(count, rest, 2, moved, 2, rest, low, high);
    const double across = 0.5 * (slope(count, rest, 0, moved, 0, rest, low, high) +
                                 slope(count, rest, 1, moved, 1, rest, low, high));
    // The work of the force is twice the energy; it acts at centroids an eighth of a cell inside.
    const double force = 2.0 * energy_of(world).elastic / (strain * (top - 0.25));
    struct moduli result = {force / (along * (double)(n * n)), -across / along};
    free(rest);
    free(moved);
    cubic_tets_free(&mesh);
    pbs_world_destroy(world);
    return result;
}

/// Of one jitter; others change the modulus by 1 % and Poisson's ratio by 0.003.
static void blocks_are_as_stiff_as_the_table_says(void **state) {
    (void)state;
    static const double rows[3][3] = {
        {1.0, 1.033, 0.002}, {0.4, 0.619, 0.212}, {0.1, 0.213, 0.418}};
    for (int i = 0; i < (testing_is_small() ? 1 : 3); i++) {
        const struct moduli found = stretch(6, 1e7, rows[i][0] * 1e7);
        assert_near(found.young / (1e7 * rows[i][1]), 1.0, 0.01, "Young's modulus");
        assert_near(found.poisson, rows[i][2], 0.003, "Poisson's ratio");
    }
}

/// Between rows of the table too.
static void moduli_of_the_whole_can_be_asked_for(void **state) {
    (void)state;
    static const double poisson[2] = {0.12, 0.3};
    for (int i = 0; i < (testing_is_small() ? 1 : 2); i++) {
        double young = 0.0;
        double shear = 0.0;
        assert_ok(pbs_bonded_moduli(5e5, poisson[i], &young, &shear));
        const struct moduli found = stretch(6, young, shear);
        // Straight lines between rows are off by what the table's curve bends.
        assert_near(found.young / 5e5, 1.0, 0.015, "Young's modulus");
        assert_near(found.poisson, poisson[i], 0.005, "Poisson's ratio");
    }
    double young = 0.0;
    double shear = 0.0;
    assert_ok(pbs_bonded_moduli(1.0, 0.0, &young, &shear));
    assert_true(shear / young > 0.99 && shear / young < 1.02);
    assert_ok(pbs_bonded_moduli(1.0, 0.42, &young, &shear));
    assert_true(shear / young > 0.09 && shear / young < 0.1);
    assert_status(pbs_bonded_moduli(1.0, 0.43, &young, &shear), PBS_ERROR_ARGUMENT);
    assert_message("macro_poisson is 0.43");
    assert_status(pbs_bonded_moduli(1.0, NAN, &young, &shear), PBS_ERROR_ARGUMENT);
    assert_status(pbs_bonded_moduli(0.0, 0.2, &young, &shear), PBS_ERROR_ARGUMENT);
    assert_status(pbs_bonded_moduli(1.0, 0.2, NULL, &shear), PBS_ERROR_ARGUMENT);
}

/// macro_young in a description is that function.
static void descriptions_may_ask_for_moduli(void **state) {
    (void)state;
    struct cubic_tets mesh;
    double energy[2];
    make_mesh(&mesh, 2, 2, 2, 0.5, 0.1);
    for (int i = 0; i < 2; i++) {
        pbs_bonded_desc d;
        pbs_body body;
        bonded_describe_tets(&mesh, &d);
        d.macro_young = i == 0 ? 3e5 : 0.0;
        d.macro_poisson = i == 0 ? 0.27 : 0.0;
        if (i == 1) {
            assert_ok(pbs_bonded_moduli(3e5, 0.27, &d.young, &d.shear_modulus));
        }
        pbs_world *world = static_world();
        assert_ok(pbs_body_create_bonded(world, &d, &body));
        double x[3 * 96];
        assert_int_equal(pbs_body_vertex_count(world, body), 96);
        memcpy(x, pbs_body_positions(world, body), sizeof x);
        x[10] += 0.01;
        assert_ok(pbs_body_set_positions(world, body, x, 96));
        energy[i] = energy_of(world).elastic;
        pbs_world_destroy(world);
    }
    assert_true(energy[0] > 0.0);
    assert_same_bits(&energy[0], &energy[1], 1);
    cubic_tets_free(&mesh);
}

// --- refusals ---

static const double some[3] = {1.0, 1.0, 1.0};
static const uint32_t pair[2] = {0, 1};

SPOIL(with_positions, pbs_bonded_desc *d, d->positions = some)
SPOIL(with_bonds, pbs_bonded_desc *d, d->bonds = pair)
SPOIL(wrong_count, pbs_bonded_desc *d, d->particle_count = 3)
SPOIL(no_vertices, pbs_bonded_desc *d, d->vertices = NULL)
SPOIL(inverted, pbs_bonded_desc *d, static const uint32_t t[4] = {0, 2, 1, 3}; d->tets = t;
      d->tet_count = 1)
SPOIL(no_density, pbs_bonded_desc *d, d->density = 0.0)
SPOIL(bad_modulus, pbs_bonded_desc *d, d->macro_young = -1.0)
SPOIL(bad_poisson, pbs_bonded_desc *d, d->macro_young = 1.0; d->macro_poisson = 0.5)
SPOIL(no_tets, pbs_bonded_desc *d, d->tets = NULL)
SPOIL(only_moduli, pbs_bonded_desc *d, d->tets = NULL; d->vertices = NULL; d->macro_young = 1.0)

static const struct refusal refusals[] = {
    {with_positions, PBS_ERROR_ARGUMENT, "tets is given, and so are arrays of particles"},
    {with_bonds, PBS_ERROR_ARGUMENT, "tets is given, and so are arrays of particles"},
    {wrong_count, PBS_ERROR_ARGUMENT, "particle_count is 3"},
    {no_vertices, PBS_ERROR_ARGUMENT, "vertices is null"},
    {inverted, PBS_ERROR_MESH, "tetrahedron 0: rest volume"},
    {no_density, PBS_ERROR_ARGUMENT, "density is 0"},
    {bad_modulus, PBS_ERROR_ARGUMENT, "macro_young is -1"},
    {bad_poisson, PBS_ERROR_ARGUMENT, "macro_poisson is 0.5"},
    {no_tets, PBS_ERROR_ARGUMENT, "vertices is given, but tets is null"},
    {only_moduli, PBS_ERROR_ARGUMENT, "macro_young is given, but tets is null"},
};

static void wrong_descriptions_are_refused_in_words(void **state) {
    (void)state;
    struct cubic_tets mesh;
    make_mesh(&mesh, 1, 1, 1, 1.0, 0.0);
    pbs_world *world = static_world();
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        pbs_bonded_desc d;
        pbs_body body = {0};
        bonded_describe_tets(&mesh, &d);
        refusals[i].spoil(&d);
        assert_status(pbs_body_create_bonded(world, &d, &body), refusals[i].status);
        assert_message(refusals[i].words);
        assert_true(body.id == 0);
    }
    pbs_world_destroy(world);
    cubic_tets_free(&mesh);
}

static pbs_status create(pbs_world *world, void *context) {
    pbs_bonded_desc d;
    pbs_body body;
    bonded_describe_tets(context, &d);
    return pbs_body_create_bonded(world, &d, &body);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    struct cubic_tets mesh;
    uint64_t refused = 0;
    make_mesh(&mesh, 1, 1, 1, 1.0, 0.0);
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(refuse_until_success(&allocator, world, create, &mesh, &refused));
    assert_true(refused > 15);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
    cubic_tets_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tetrahedra_are_two_spheres_and_a_beam),
        cmocka_unit_test(blocks_are_as_stiff_as_the_table_says),
        cmocka_unit_test(moduli_of_the_whole_can_be_asked_for),
        cmocka_unit_test(descriptions_may_ask_for_moduli),
        cmocka_unit_test(wrong_descriptions_are_refused_in_words),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
