// Bonds of peridynamics: what a lattice of them amounts to beside the continuum, before and after
// calibration (the ratios of docs/theory/peridynamics.md, computed there by other means), surfaces,
// interfaces, and what is refused.
// SPDX-License-Identifier: MIT
#include "fracture/peridynamic.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

static const double PI = 3.14159265358979323846;

enum { SIDE = 9, PARTICLES = SIDE * SIDE * SIDE, MIDDLE = PARTICLES / 2 };

/// Particles on a lattice of `side` along each axis that the state has, and their bonds.
struct block {
    struct memory memory;
    double positions[3 * PARTICLES], volumes[PARTICLES], young[PARTICLES], energy[PARTICLES];
    struct peridynamic_input input;
    struct peridynamic_bonds bonds;
};

static struct block *begin(enum peridynamic_state kind, double spacings) {
    struct block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    memory_init(&b->memory, NULL);
    const int dimensions = kind == PERIDYNAMIC_SOLID ? 3 : kind == PERIDYNAMIC_BAR ? 1 : 2;
    const double h = 0.5e-3;
    const double section = dimensions == 3 ? 1.0 : dimensions == 2 ? 2e-3 : 3e-6;
    size_t count = 0;
    for (int i = 0; i < PARTICLES; i++) {
        const int cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        if ((dimensions < 3 && cell[2] > 0) || (dimensions < 2 && cell[1] > 0)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            b->positions[3 * count + (size_t)k] = h * cell[k];
        }
        b->volumes[count] = pow(h, dimensions) * section;
        b->young[count] = 30e9;
        b->energy[count] = 12.0;
        count++;
    }
    b->input = (struct peridynamic_input){.particle_count = count,
                                          .positions = b->positions,
                                          .volumes = b->volumes,
                                          .spacing = h,
                                          .horizon = spacings * h,
                                          .section = section,
                                          .state = kind,
                                          .young = b->young,
                                          .fracture_energy = b->energy,
                                          .partial_volumes = true};
    return b;
}

static void make(struct block *b) {
    peridynamic_free(&b->bonds, &b->memory);
    assert_ok(peridynamic_make(&b->memory, &b->input, &b->bonds));
}

static void end(struct block *b) {
    peridynamic_free(&b->bonds, &b->memory);
    assert_int_equal(b->memory.bytes_in_use, 0);
    free(b);
}

/// Energy per volume of a particle, half of what its bonds have, under the strain e (row-major),
/// over its square: for small ones a bond is stretched by n . e n.
static double energy_density(const struct block *b, size_t particle, const double e[9]) {
    double sum = 0.0;
    for (size_t k = 0; k < b->bonds.count; k++) {
        const uint32_t *pair = b->bonds.pairs + 2 * k;
        double stretch = 0.0;
        if (pair[0] != particle && pair[1] != particle) {
            continue;
        }
        for (int r = 0; r < 9; r++) {
            const double *p = b->positions + 3 * (size_t)pair[0];
            const double *q = b->positions + 3 * (size_t)pair[1];
            stretch += e[r] * (q[r / 3] - p[r / 3]) * (q[r % 3] - p[r % 3]);
        }
        stretch /= b->bonds.lengths[k];
        sum += 0.25 * b->bonds.stiffness[k] * stretch * stretch;
    }
    return sum / b->volumes[particle];
}

static size_t middle_of(const struct block *b) {
    return b->input.particle_count / 2;
}

static size_t neighbors_of(const struct block *b, size_t particle) {
    size_t count = 0;
    for (size_t k = 0; k < 2 * b->bonds.count; k++) {
        count += b->bonds.pairs[k] == particle;
    }
    return count;
}

static const double ISOTROPIC[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double UNIAXIAL[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
static const double SHEAR[9] = {0, 0.5, 0, 0.5, 0, 0, 0, 0, 0};
static const double IN_PLANE[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};

// --- the continuum's numbers ---

/// LAMMPS's example of peridynamics says 1.6863e22 for K = 14.9 GPa and a horizon of 1.5 mm.
static void micromoduli_and_critical_stretches(void **state) {
    (void)state;
    struct peridynamic_input input = {.horizon = 1.5e-3, .section = 1.0};
    const double young = 1.5 * 14.9e9;
    assert_near(peridynamic_micromodulus(&input, young), 1.6863e22, 5e17, "c");
    // sqrt(5 G / (9 K d)); what a stretch of all bonds that much costs is G, see below.
    assert_near(peridynamic_critical_stretch(&input, young, 10.0),
                sqrt(50.0 / (9 * 14.9e9 * 1.5e-3)), 1e-15, "critical stretch");
    input.state = PERIDYNAMIC_PLANE_STRESS;
    input.section = 0.1;
    input.horizon = 1e-3;
    assert_near(peridynamic_micromodulus(&input, 1.0) * PI * 0.1 * 1e-9 / 9.0, 1.0, 1e-15,
                "plane stress");
    assert_near(peridynamic_critical_stretch(&input, 32e9, 3.0),
                sqrt(4 * PI * 3.0 / (9 * 32e9 * 1e-3)), 1e-15, "plane stress");
    input.state = PERIDYNAMIC_PLANE_STRAIN;
    assert_near(peridynamic_micromodulus(&input, 1.0) * 5 * PI * 0.1 * 1e-9 / 48.0, 1.0, 1e-15,
                "plane strain");
    assert_near(peridynamic_critical_stretch(&input, 190e9, 22130.0),
                sqrt(5 * PI * 22130.0 / (12 * 190e9 * 1e-3)), 1e-15, "plane strain");
    input.state = PERIDYNAMIC_BAR;
    assert_near(peridynamic_micromodulus(&input, 1.0) * 0.1 * 1e-6 / 2.0, 1.0, 1e-15, "bar");
    assert_near(peridynamic_critical_stretch(&input, 1e9, 3.0), 3e-3, 1e-15, "bar");
}

static void partial_volumes_fall_along_the_last_spacing(void **state) {
    (void)state;
    struct peridynamic_input input = {.horizon = 3.0, .spacing = 1.0, .partial_volumes = true};
    assert_true(peridynamic_partial_volume(&input, 2.5) == 1.0);
    assert_true(peridynamic_partial_volume(&input, 2.75) == 0.75);
    assert_true(peridynamic_partial_volume(&input, 3.0) == 0.5);
    input.partial_volumes = false;
    assert_true(peridynamic_partial_volume(&input, 3.0) == 1.0);
}

/// But for the rim: what of particles outside lies within the horizon is not counted, a layer an
/// eighth of a spacing thick. So 4 / 8 / 40 of the energy is missing, and 5 / 8 / 40 of the other.
static void a_fine_lattice_is_the_continuum(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const struct peridynamic_input input = {.horizon = 40.0,
                                                .spacing = 1.0,
                                                .state = (enum peridynamic_state)kind,
                                                .partial_volumes = true};
        const struct peridynamic_lattice lattice = peridynamic_lattice(&input);
        assert_near(lattice.energy, 1.0, 0.014, "energy");
        assert_near(lattice.fracture, 1.0, 0.017, "fracture energy");
    }
}

// --- the lattice's ---

/// K = 20 GPa and both Lame constants 12 GPa: 9 K / 2, (lambda + 2 mu) / 2 and mu / 2.
static void a_solid_of_horizon_three_before_calibration(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_SOLID, 3.0);
    make(b);
    assert_int_equal(neighbors_of(b, MIDDLE), 122);
    assert_near(energy_density(b, MIDDLE, ISOTROPIC) / 90e9, 0.900, 5e-4, "isotropic");
    assert_near(energy_density(b, MIDDLE, UNIAXIAL) / 18e9, 0.865, 5e-4, "uniaxial");
    assert_near(energy_density(b, MIDDLE, SHEAR) / 6e9, 0.953, 5e-4, "shear");
    const struct peridynamic_lattice lattice = peridynamic_lattice(&b->input);
    assert_int_equal(lattice.neighbors, 122);
    assert_near(lattice.energy, energy_density(b, MIDDLE, ISOTROPIC) / 90e9, 1e-12, "lattice");
    assert_near(lattice.fracture, 0.873, 5e-4, "fracture");
    b->input.partial_volumes = false;
    make(b);
    assert_near(energy_density(b, MIDDLE, ISOTROPIC) / 90e9, 1.12, 5e-3,
                "isotropic, whole volumes");
    assert_near(energy_density(b, MIDDLE, UNIAXIAL) / 18e9, 1.06, 5e-3, "uniaxial, whole volumes");
    assert_near(energy_density(b, MIDDLE, SHEAR) / 6e9, 1.22, 5e-3, "shear, whole volumes");
    assert_near(peridynamic_lattice(&b->input).fracture, 1.15, 5e-3, "fracture, whole volumes");
    end(b);
}

/// Energy per area of the bonds through the plane halfway between two layers across x, of one
/// lattice cell of it, all stretched to where they break.
static double energy_through_a_plane(const struct block *b, double area) {
    const double h = b->input.spacing;
    const double cut = h * (SIDE / 2 + 0.5);
    const double *middle = b->positions + 3 * middle_of(b);
    double sum = 0.0;
    for (size_t k = 0; k < b->bonds.count; k++) {
        const double *p = b->positions + 3 * (size_t)b->bonds.pairs[2 * k];
        const double *q = b->positions + 3 * (size_t)b->bonds.pairs[2 * k + 1];
        // Those that begin in the row of the middle particle stand for all.
        const bool begins = fabs(p[1] - middle[1]) + fabs(p[2] - middle[2]) < 0.1 * h;
        const bool ends = fabs(q[1] - middle[1]) + fabs(q[2] - middle[2]) < 0.1 * h;
        const double extension = b->bonds.critical_stretch[k] * b->bonds.lengths[k];
        if ((p[0] < cut) != (q[0] < cut)) {
            sum += 0.25 * (begins + ends) * b->bonds.stiffness[k] * extension * extension;
        }
    }
    return sum / area;
}

/// Energies of stretching, and of all bonds through a plane at the critical stretch, are those of
/// the material for any horizon.
static void calibrated_lattices_have_the_materials_energies(void **state) {
    (void)state;
    const double reach[] = {1.0, 1.5, 2.015, 3.0, 3.0001, 3.6, 4.0};
    // Of a stretch of all bonds by one: 9 K / 2; E / (1 - nu); E / ((1 + nu) (1 - 2 nu)); E / 2.
    const double expected[] = {90e9, 45e9, 48e9, 15e9};
    for (int kind = 0; kind < 4; kind++) {
        for (size_t r = 0; r < COUNT_OF(reach); r++) {
            struct block *b = begin((enum peridynamic_state)kind, reach[r]);
            b->input.calibrates = true;
            make(b);
            const double *strain = kind == 0 ? ISOTROPIC : kind == 3 ? UNIAXIAL : IN_PLANE;
            const double h = b->input.spacing;
            const double area = kind == 0   ? h * h
                                : kind == 3 ? b->input.section
                                            : h * b->input.section;
            assert_near(energy_density(b, middle_of(b), strain) / expected[kind], 1.0, 1e-12,
                        "energy");
            assert_near(energy_through_a_plane(b, area) / 12.0, 1.0, 1e-12, "fracture energy");
            end(b);
        }
    }
}

/// Energy of a stretch of all bonds over that inside, of a face, the layers below it, an edge and a
/// corner.
static void softness_at_surfaces_and_its_correction(void **state) {
    (void)state;
    const size_t face = 4 + SIDE * 4;
    const size_t places[] = {face, face + SIDE * SIDE, face + 2 * SIDE * SIDE, 4, 0};
    const double expected[] = {0.607, 0.817, 0.993, 0.367, 0.220};
    struct block *b = begin(PERIDYNAMIC_SOLID, 3.0);
    make(b);
    double full = energy_density(b, MIDDLE, ISOTROPIC);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        assert_near(energy_density(b, places[i], ISOTROPIC) / full, expected[i], 5e-4, "softness");
    }
    const double stretch = b->bonds.critical_stretch[0];
    b->input.corrects_surfaces = true;
    make(b);
    // A bond takes the mean of both families, so that surfaces stay softer, by less, and the layers
    // next to where whole families begin become a little stiffer.
    assert_near(energy_density(b, face, ISOTROPIC) / full, 0.866, 5e-4, "face, corrected");
    assert_near(energy_density(b, 0, ISOTROPIC) / full, 0.594, 5e-4, "corner, corrected");
    assert_near(energy_density(b, MIDDLE, ISOTROPIC) / full, 1.006, 5e-4, "middle, corrected");
    assert_true(b->bonds.critical_stretch[0] == stretch);
    end(b);
}

/// In a row the numbers are plain: horizon 1, two neighbours inside and one at an end, so that a
/// bond at an end is 2 * 2 / (1 + 2) as stiff as one inside, which is E A / h.
static void correction_of_a_bar(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_BAR, 1.0);
    b->input.calibrates = true;
    b->input.corrects_surfaces = true;
    make(b);
    const double inside = 30e9 * b->input.section / b->input.spacing;
    assert_int_equal(b->bonds.count, SIDE - 1);
    for (size_t k = 0; k < b->bonds.count; k++) {
        const double factor = k == 0 || k == SIDE - 2 ? 4.0 / 3.0 : 1.0;
        assert_near(b->bonds.stiffness[k] / inside, factor, 1e-11, "stiffness of a bar");
    }
    end(b);
}

// --- bonds ---

static void mirror(struct block *b) {
    const size_t count = b->input.particle_count;
    for (size_t i = 0; i < count / 2; i++) {
        for (size_t k = 0; k < 3; k++) {
            double *p = &b->positions[3 * i + k];
            double *q = &b->positions[3 * (count - 1 - i) + k];
            const double kept = *p;
            *p = *q;
            *q = kept;
        }
    }
}

/// Particles in the opposite order have the same bonds, to the last bit of each number, corrected
/// surfaces included.
static void the_order_of_particles_does_not_matter(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_SOLID, 3.0);
    struct random random = random_seed(5);
    for (size_t i = 0; i < 3 * b->input.particle_count; i++) {
        b->positions[i] += 0.2 * b->input.spacing * random_uniform(&random, -1.0, 1.0);
    }
    b->input.corrects_surfaces = true;
    b->input.calibrates = true;
    make(b);
    struct peridynamic_bonds one = b->bonds;
    b->bonds = (struct peridynamic_bonds){0};
    mirror(b);
    make(b);
    assert_int_equal(one.count, b->bonds.count);
    // Bonds are sorted by their first particle, now the last: each is found among those of its own.
    uint32_t first[PARTICLES + 1] = {0};
    for (size_t k = 0; k < one.count; k++) {
        first[b->bonds.pairs[2 * k] + 1]++;
    }
    for (size_t i = 0; i < PARTICLES; i++) {
        first[i + 1] += first[i];
    }
    for (size_t k = 0; k < one.count; k++) {
        const uint32_t low = PARTICLES - 1 - one.pairs[2 * k + 1];
        const uint32_t high = PARTICLES - 1 - one.pairs[2 * k];
        size_t m = first[low];
        while (m < first[low + 1] && b->bonds.pairs[2 * m + 1] != high) {
            m++;
        }
        assert_true(m < first[low + 1]);
        assert_true(one.lengths[k] == b->bonds.lengths[m]);
        assert_true(one.stiffness[k] == b->bonds.stiffness[m]);
        assert_true(one.critical_stretch[k] == b->bonds.critical_stretch[m]);
    }
    peridynamic_free(&one, &b->memory);
    end(b);
}

/// Lengths times a: stiffness times a in a solid, stretches by 1 / sqrt(a). Powers of four, so that
/// both are exact.
static void scales(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_SOLID, 3.0);
    b->input.calibrates = true;
    b->input.corrects_surfaces = true;
    make(b);
    struct peridynamic_bonds one = b->bonds;
    b->bonds = (struct peridynamic_bonds){0};
    for (size_t i = 0; i < PARTICLES; i++) {
        b->volumes[i] *= 0x1p30;
        for (size_t k = 0; k < 3; k++) {
            b->positions[3 * i + k] *= 0x1p10;
        }
    }
    b->input.spacing *= 0x1p10;
    b->input.horizon *= 0x1p10;
    make(b);
    assert_int_equal(one.count, b->bonds.count);
    assert_memory_equal(one.pairs, b->bonds.pairs, 2 * one.count * sizeof *one.pairs);
    for (size_t k = 0; k < one.count; k++) {
        assert_true(b->bonds.lengths[k] == 0x1p10 * one.lengths[k]);
        assert_near(b->bonds.stiffness[k] / (0x1p10 * one.stiffness[k]), 1.0, 1e-15, "stiffness");
        assert_near(b->bonds.critical_stretch[k] * 0x1p5 / one.critical_stretch[k], 1.0, 1e-15,
                    "stretch");
    }
    peridynamic_free(&one, &b->memory);
    end(b);
}

/// The lower half is three times as stiff and tough, and one layer above never breaks.
static void interfaces_are_in_series_and_as_weak_as_the_weaker(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_PLANE_STRESS, 3.0);
    for (size_t i = 0; i < 4 * SIDE; i++) {
        b->young[i] *= 3.0;
        b->energy[i] *= 3.0;
    }
    for (size_t i = 7 * SIDE; i < 8 * SIDE; i++) {
        b->energy[i] = 0.0;
    }
    make(b);
    for (size_t k = 0; k < b->bonds.count; k++) {
        const uint32_t *pair = b->bonds.pairs + 2 * k;
        const bool low = pair[0] < 4 * SIDE;
        const bool high = pair[1] < 4 * SIDE;
        const double young = low && high ? 90e9 : low || high ? 45e9 : 30e9;
        const double energy = low && high ? 36.0 : 12.0;
        const bool never = pair[0] / SIDE == 7 || pair[1] / SIDE == 7;
        const double k_expected = peridynamic_micromodulus(&b->input, young) * b->volumes[0] *
                                  b->volumes[0] * b->bonds.partial_volumes[k] / b->bonds.lengths[k];
        const double s = peridynamic_critical_stretch(&b->input, young, energy);
        assert_near(b->bonds.stiffness[k] / k_expected, 1.0, 1e-15, "stiffness");
        assert_true(never ? isinf(b->bonds.critical_stretch[k]) != 0
                          : fabs(b->bonds.critical_stretch[k] / s - 1.0) < 1e-15);
    }
    end(b);
}

static void a_critical_stretch_for_all_and_for_none(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_PLANE_STRAIN, 2.0);
    b->input.critical_stretch = 0.04;
    b->energy[0] = 0.0;
    make(b);
    for (size_t k = 0; k < b->bonds.count; k++) {
        const double expected = b->bonds.pairs[2 * k] == 0 ? INFINITY : 0.04;
        assert_true(b->bonds.critical_stretch[k] == expected);
    }
    b->input.fracture_energy = NULL;
    make(b);
    assert_true(b->bonds.critical_stretch[0] == 0.04);
    b->input.critical_stretch = 0.0;
    make(b);
    assert_true(isinf(b->bonds.critical_stretch[0]) != 0);
    end(b);
}

// --- refusals ---

static void refuses_what_has_no_meaning(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_SOLID, 0.99);
    assert_status(peridynamic_make(&b->memory, &b->input, &b->bonds), PBS_ERROR_ARGUMENT);
    assert_message("0.99 spacings of 0.0005 m; must be 1 to 64");
    b->input.horizon = 65.0 * b->input.spacing;
    assert_status(peridynamic_make(&b->memory, &b->input, &b->bonds), PBS_ERROR_ARGUMENT);
    b->input.horizon = NAN;
    assert_status(peridynamic_make(&b->memory, &b->input, &b->bonds), PBS_ERROR_ARGUMENT);
    b->input.horizon = 1e-6;
    b->input.spacing = 1e-6;
    assert_status(peridynamic_make(&b->memory, &b->input, &b->bonds), PBS_ERROR_ARGUMENT);
    assert_message("the horizon of 1e-06 m reaches no neighbour of any of 729 particles");
    b->input.horizon = 1.5e-3;
    b->input.spacing = 0.5e-3;
    b->positions[3] = 0.0;
    assert_status(peridynamic_make(&b->memory, &b->input, &b->bonds), PBS_ERROR_MESH);
    assert_message("particles 0 and 1 are at one place");
    assert_null(b->bonds.pairs);
    end(b);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct block *b = begin(PERIDYNAMIC_PLANE_STRESS, 3.0);
    b->input.corrects_surfaces = true;
    for (uint64_t k = 0;; k++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&b->memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        const pbs_status status = peridynamic_make(&b->memory, &b->input, &b->bonds);
        const bool has_failed = test_allocator_has_failed(&allocator);
        assert_int_equal(status, has_failed ? PBS_ERROR_MEMORY : PBS_OK);
        assert_true(has_failed == (b->bonds.pairs == NULL));
        peridynamic_free(&b->bonds, &b->memory);
        assert_int_equal(b->memory.bytes_in_use, 0);
        if (!has_failed) {
            assert_int_equal(k, 11);
            break;
        }
    }
    end(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(micromoduli_and_critical_stretches),
        cmocka_unit_test(partial_volumes_fall_along_the_last_spacing),
        cmocka_unit_test(a_fine_lattice_is_the_continuum),
        cmocka_unit_test(a_solid_of_horizon_three_before_calibration),
        cmocka_unit_test(calibrated_lattices_have_the_materials_energies),
        cmocka_unit_test(softness_at_surfaces_and_its_correction),
        cmocka_unit_test(correction_of_a_bar),
        cmocka_unit_test(the_order_of_particles_does_not_matter),
        cmocka_unit_test(scales),
        cmocka_unit_test(interfaces_are_in_series_and_as_weak_as_the_weaker),
        cmocka_unit_test(a_critical_stretch_for_all_and_for_none),
        cmocka_unit_test(refuses_what_has_no_meaning),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
