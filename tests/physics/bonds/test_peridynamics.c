// Peridynamics beside LAMMPS, and a crack in a plate that is its own mirror image.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static const double PI = 3.14159265358979323846;

static pbs_world *explicit_world(int32_t threads) {
    pbs_world_desc settings;
    pbs_integrator_desc d;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.threads = threads;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_VELOCITY_VERLET));
    use_integrator(world, &d);
    return world;
}

// --- LAMMPS's block ---

enum { BLOCK = 27, BLOCK_PARTICLES = BLOCK * BLOCK * BLOCK };

static double block[3 * BLOCK_PARTICLES], block_velocities[3 * BLOCK_PARTICLES];

static pbs_world *make_block(pbs_body *body) {
    const double horizon = 1.5001e-3;
    for (size_t i = 0; i < BLOCK_PARTICLES; i++) {
        block[3 * i] = 0.0005 * (double)(i % BLOCK);
        block[3 * i + 1] = 0.0005 * (double)(i / BLOCK % BLOCK);
        block[3 * i + 2] = 0.0005 * (double)(i / BLOCK / BLOCK);
        block_velocities[3 * i] = 100.0 * (block[3 * i] - 0.0066);
    }
    pbs_world *world = explicit_world(1);
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.particle_count = BLOCK_PARTICLES;
    d.positions = block;
    d.velocities = block_velocities;
    d.spacing = 0.0005;
    d.horizon = horizon;
    d.density = 2200.0;
    // The deck gives the micromodulus c = 18 K / (pi delta^4), K = 2/3 E.
    d.young = 1.6863e22 * PI * pow(horizon, 4) / 12.0;
    d.no_calibration = 1;
    d.no_surface_correction = 1;
    assert_ok(pbs_body_create_peridynamic(world, &d, body));
    return world;
}

/// tests/data/lammps_block: a hundred steps of pair style peri/pmb. Coordinates of .013 m are
/// rounded by 1e-18 m in each of them, in both programs: 1e-9 of the largest displacement is 4e-16
/// m.
static void a_block_moves_as_in_lammps(void **state) {
    (void)state;
    pbs_body body;
    pbs_world *world = make_block(&body);
    for (int n = 0; n < 100; n++) {
        assert_ok(pbs_world_step(world, 1e-7));
    }
    const double *x = pbs_body_positions(world, body);
    double sums[2][3] = {{0.0}};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
        sums[0][i % 3] += fabs(x[i] - block[i]);
        sums[1][i % 3] += (x[i] - block[i]) * (x[i] - block[i]);
    }
    FILE *file = fopen("tests/data/lammps_block/block.csv", "r");
    assert_non_null(file);
    char line[256];
    size_t rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned particle = 0;
        double u[3];
        const bool is_sum = sscanf(line, "sum,%lf,%lf,%lf", u, u + 1, u + 2) == 3;
        const bool is_square = sscanf(line, "squares,%lf,%lf,%lf", u, u + 1, u + 2) == 3;
        for (size_t k = 0; k < 3 && (is_sum || is_square); k++) {
            assert_near(sums[is_square][k] / u[k], 1.0, 1e-9, "sum over all particles");
        }
        if (sscanf(line, "%u,%lf,%lf,%lf", &particle, u, u + 1, u + 2) == 4) {
            rows++;
            for (size_t k = 0; k < 3; k++) {
                const size_t at = 3 * (size_t)particle + k;
                assert_near(x[at] - block[at], u[k], 1e-9 * 4e-7, "displacement");
            }
        }
    }
    (void)fclose(file);
    assert_int_equal(rows, 210);
    pbs_world_destroy(world);
}

// --- a crack that is its own mirror image ---

enum { WIDE = 60, HIGH = 24, PLATE = WIDE * HIGH };

/// Rows of particles above and below y = 0, half a spacing off; a notch along y = 0 from the left
/// to the middle, and the outermost rows pulled apart.
static pbs_world *make_plate(int32_t threads, pbs_body *body) {
    static double x[3 * PLATE];
    const double h = 1e-3;
    const double velocity = 2.0;
    const double notch[18] = {-1.0, 0.0, -1.0, 0.5 * h * WIDE, 0.0, -1.0, 0.5 * h * WIDE, 0.0, 1.0,
                              -1.0, 0.0, -1.0, 0.5 * h * WIDE, 0.0, 1.0,  -1.0,           0.0, 1.0};
    for (size_t i = 0; i < PLATE; i++) {
        x[3 * i] = h * ((double)(i % WIDE) + 0.5);
        x[3 * i + 1] = h * ((double)(i / WIDE) + 0.5 - 0.5 * HIGH);
    }
    pbs_world *world = explicit_world(threads);
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.dimension = PBS_PERIDYNAMIC_PLANE_STRESS;
    d.section = 1e-3;
    d.particle_count = PLATE;
    d.positions = x;
    d.spacing = h;
    d.density = 2450.0;
    d.young = 32e9;
    d.fracture_energy = 3.0;
    assert_ok(pbs_body_create_peridynamic(world, &d, body));
    assert_ok(pbs_body_cut_triangles(world, *body, notch, 2, NULL));
    for (uint32_t i = 0; i < WIDE; i++) {
        const uint32_t row[2] = {i, PLATE - WIDE + i};
        double targets[6];
        memcpy(targets, x + 3 * (size_t)row[0], 3 * sizeof *x);
        memcpy(targets + 3, x + 3 * (size_t)row[1], 3 * sizeof *x);
        targets[1] -= velocity * 5e-5;
        targets[4] += velocity * 5e-5;
        assert_ok(pbs_body_set_targets(world, *body, row, 2, targets));
    }
    return world;
}

/// Every particle and its mirror image are where they are to the last bit, and as damaged, after
/// the crack ran to the right edge; momentum along y, of equal masses, is that of nothing. The same
/// bits with 1 and 3 threads.
static void a_crack_is_its_own_mirror_image(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        pbs_body body;
        pbs_world *world = make_plate(k == 0 ? 1 : 3, &body);
        assert_ok(pbs_world_step(world, 5e-5));
        const double *x = pbs_body_positions(world, body);
        const float *damage = pbs_body_damage(world, body);
        size_t damaged = 0;
        for (size_t j = 0; j < HIGH / 2; j++) {
            for (size_t i = 0; i < WIDE; i++) {
                const size_t low = j * WIDE + i;
                const size_t high = (HIGH - 1 - j) * WIDE + i;
                assert_near(x[3 * low], x[3 * high], 0.0, "x");
                assert_near(x[3 * low + 1], -x[3 * high + 1], 0.0, "y");
                assert_near(x[3 * low + 2], 0.0, 0.0, "z");
                assert_near(damage[low], damage[high], 1e-6, "damage");
                damaged += damage[low] > 0.3F;
            }
        }
        assert_true(damaged >= WIDE / 4);
        hashes[k] = pbs_world_hash(world);
        pbs_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_moves_as_in_lammps),
        cmocka_unit_test(a_crack_is_its_own_mirror_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
