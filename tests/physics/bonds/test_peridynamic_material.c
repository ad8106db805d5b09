// What peridynamic bodies are as a material: how fast waves of their lattice are, what a body that
// is strained or pulled bears, and that nothing of its momenta is lost. The numbers of the endless
// lattice are sums over a family that are taken here, of docs/theory/peridynamics.md sections 1 and
// 2 alone.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/world_testing.h"

static const double PI = 3.14159265358979323846;
static const double YOUNG = 30e9;
static const double DENSITY = 2500.0;
static const double SPACING = 1e-3;
static const double X[3] = {1.0, 0.0, 0.0};
static const double Y[3] = {0.0, 1.0, 0.0};

// --- the endless lattice ---

enum { SOLID_FAMILY = 122 };

/// The neighbours of a particle at a horizon of three spacings, and by which stress each pulls for
/// a stretch of 1: c nu V, Pa/m.
struct family {
    int32_t dimension; ///< PBS_PERIDYNAMIC_*
    size_t count;
    double way[SOLID_FAMILY][3], length[SOLID_FAMILY]; ///< m
    double pull[SOLID_FAMILY];
};

static int axes_of(int32_t dimension) {
    return dimension == PBS_PERIDYNAMIC_SOLID ? 3 : dimension == PBS_PERIDYNAMIC_BAR ? 1 : 2;
}

static double section_of(int32_t dimension) {
    return dimension == PBS_PERIDYNAMIC_SOLID ? 0.0
           : dimension == PBS_PERIDYNAMIC_BAR ? 4e-6
                                              : 2e-3;
}

static double volume_of(int32_t dimension) {
    const double section = dimension == PBS_PERIDYNAMIC_SOLID ? 1.0 : section_of(dimension);
    return section * pow(SPACING, axes_of(dimension));
}

/// The sum of c nu V l, Pa.
static double first_moment(const struct family *f) {
    double sum = 0.0;
    for (size_t i = 0; i < f->count; i++) {
        sum += f->pull[i] * f->length[i];
    }
    return sum;
}

/// The same of a continuous family, for which a stretch of all bonds alike costs what it costs the
/// elastic material: 18 K with K = 2/3 E, 6 E in plane stress, 2 E of a bar.
static double moment_of_continuum(int32_t dimension) {
    return dimension == PBS_PERIDYNAMIC_SOLID ? 12.0 * YOUNG
           : dimension == PBS_PERIDYNAMIC_BAR ? 2.0 * YOUNG
                                              : 6.0 * YOUNG;
}

/// Without calibration, by the integral of l over a continuous family.
static double micromodulus_of(int32_t dimension) {
    const double d = 3.0 * SPACING;
    const double section = section_of(dimension);
    const double integral = dimension == PBS_PERIDYNAMIC_SOLID ? PI * pow(d, 4.0)
                            : dimension == PBS_PERIDYNAMIC_BAR ? section * d * d
                                                               : PI * section * pow(d, 3.0) / 1.5;
    return moment_of_continuum(dimension) / integral;
}

/// As a lattice has it; calibrated with the first moment of the continuous one.
static struct family make_family(int32_t dimension, bool calibrated) {
    struct family f = {.dimension = dimension};
    const int deep = dimension == PBS_PERIDYNAMIC_SOLID ? 3 : 0;
    const int high = dimension == PBS_PERIDYNAMIC_BAR ? 0 : 3;
    const double c = micromodulus_of(dimension);
    for (int i = 0; i < 343; i++) {
        const int cell[3] = {i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3};
        const int square = cell[0] * cell[0] + cell[1] * cell[1] + cell[2] * cell[2];
        if (abs(cell[1]) > high || abs(cell[2]) > deep || square == 0 || square > 9) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            f.way[f.count][k] = SPACING * cell[k];
        }
        const double length = sqrt((double)square);
        f.length[f.count] = SPACING * length;
        f.pull[f.count++] = c * fmin(1.0, 3.5 - length) * volume_of(dimension);
    }
    const double scale = calibrated ? moment_of_continuum(dimension) / first_moment(&f) : 1.0;
    for (size_t i = 0; i < f.count; i++) {
        f.pull[i] *= scale;
    }
    return f;
}

/// Density times the square of the speed of a plane wave, Pa. k: 1/m; 0: of a long wave.
static double lattice_modulus(const struct family *f, const double direction[3], double k,
                              const double polarization[3]) {
    double sum = 0.0;
    for (size_t i = 0; i < f->count; i++) {
        const double across = dot3(f->way[i], direction);
        const double along = dot3(f->way[i], polarization) / f->length[i];
        const double bent = k > 0.0 ? (1.0 - cos(k * across)) / (k * k) : 0.5 * across * across;
        sum += f->pull[i] * along * along * bent / f->length[i];
    }
    return sum;
}

// --- waves ---

static pbs_world *new_world_of(int32_t scheme, int32_t matrix) {
    pbs_world_desc settings;
    pbs_expert_desc expert;
    pbs_integrator_desc d;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    expert_settings(&expert, &settings);
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    expert.assembly = matrix;
    settings.relative_tolerance = 1e-9;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    use_integrator(world, &d);
    return world;
}

/// What describes a block of so many particles along x, y and z, the first half a spacing from the
/// origin along the axes that it has; box stays the caller's.
static pbs_peridynamic_desc describe_block(int32_t dimension, const size_t cells[3],
                                           double box[6]) {
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    for (int k = 0; k < 3; k++) {
        box[k] = 0.0;
        box[3 + k] = cells[k] > 1 ? SPACING * (double)cells[k] : 0.0;
    }
    d.dimension = dimension;
    d.box = box;
    d.spacing = SPACING;
    d.section = section_of(dimension);
    d.density = DENSITY;
    d.young = YOUNG;
    return d;
}

struct wave {
    int32_t dimension;
    bool calibrated;
    double direction[3], polarization[3];
    double length; ///< spacings
    size_t half;   ///< particles from the middle of the block to its surfaces
};

enum { WAVE_STEPS = 40 };

/// The square root of a half.
#define HALF 0.70710678118654752

/// rad/s, of a standing wave that begins with its largest speed everywhere, seen at the middle of a
/// block a quarter of a period later. What surfaces do has not come there by then.
static double measure_frequency(const struct wave *wave, double expected) {
    const int axes = axes_of(wave->dimension);
    const size_t side = 2 * wave->half + 1;
    const size_t cells[3] = {side, axes > 1 ? side : 1, axes > 2 ? side : 1};
    const size_t count = cells[0] * cells[1] * cells[2];
    const double k = 2.0 * PI / (wave->length * SPACING);
    // Displacements of a millionth of a spacing.
    const double speed = 1e-6 * SPACING * expected;
    double box[6];
    double *velocities = calloc(3 * count, sizeof *velocities);
    assert_non_null(velocities);
    for (size_t i = 0; i < count; i++) {
        const size_t cell[3] = {i % side, i / side % cells[1], i / side / cells[1]};
        double way[3];
        for (int a = 0; a < 3; a++) {
            way[a] = SPACING * ((double)cell[a] - (double)(cells[a] / 2));
        }
        scale3(speed * cos(k * dot3(way, wave->direction)), wave->polarization, velocities + 3 * i);
    }
    pbs_world *world = new_world_of(PBS_SCHEME_VELOCITY_VERLET, PBS_ASSEMBLY_AUTOMATIC);
    pbs_peridynamic_desc d = describe_block(wave->dimension, cells, box);
    d.particle_count = count;
    d.velocities = velocities;
    d.no_calibration = !wave->calibrated;
    pbs_body body;
    assert_ok(pbs_body_create_peridynamic(world, &d, &body));
    const double h = 0.5 * PI / expected / WAVE_STEPS;
    for (int n = 0; n < WAVE_STEPS; n++) {
        assert_ok(pbs_world_step(world, h));
        assert_int_equal(stats_of(world).step.explicit_steps, 1);
    }
    const double *end = pbs_body_velocities(world, body) + 3 * (count / 2);
    const double angle = acos(dot3(end, wave->polarization) / speed) / WAVE_STEPS;
    pbs_world_destroy(world);
    free(velocities);
    // Verlet's phase of a step is 2 asin(w h / 2).
    return 2.0 * sin(0.5 * angle) / h;
}

/// Of axis, diagonal, pressure and shear in space, in plane stress and of a bar.
static const struct wave WAVES[] = {
    {PBS_PERIDYNAMIC_SOLID, false, {1, 0, 0}, {1, 0, 0}, 6.0, 8},
    {PBS_PERIDYNAMIC_SOLID, false, {1, 0, 0}, {1, 0, 0}, 10.0, 10},
    {PBS_PERIDYNAMIC_SOLID, false, {1, 0, 0}, {1, 0, 0}, 20.0, 13},
    {PBS_PERIDYNAMIC_SOLID, true, {1, 0, 0}, {0, 1, 0}, 16.0, 15},
    {PBS_PERIDYNAMIC_SOLID, true, {0, HALF, HALF}, {0, HALF, HALF}, 16.0, 13},
    {PBS_PERIDYNAMIC_PLANE_STRESS, true, {1, 0, 0}, {1, 0, 0}, 40.0, 20},
    {PBS_PERIDYNAMIC_PLANE_STRESS, true, {1, 0, 0}, {0, 1, 0}, 40.0, 30},
    {PBS_PERIDYNAMIC_PLANE_STRESS, true, {HALF, HALF, 0}, {HALF, HALF, 0}, 40.0, 20},
    {PBS_PERIDYNAMIC_BAR, true, {1, 0, 0}, {1, 0, 0}, 40.0, 20},
    {PBS_PERIDYNAMIC_BAR, false, {1, 0, 0}, {1, 0, 0}, 12.0, 12},
};

/// The lattice's frequency to 2e-5, of which 5e-6 are left of what surfaces do.
static void waves_have_the_speed_of_the_lattice(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(WAVES); i++) {
        const struct wave *w = &WAVES[i];
        if (w->dimension == PBS_PERIDYNAMIC_SOLID && w->half > 8 && testing_is_small()) {
            continue;
        }
        const struct family f = make_family(w->dimension, w->calibrated);
        const double k = 2.0 * PI / (w->length * SPACING);
        const double modulus = lattice_modulus(&f, w->direction, k, w->polarization);
        const double expected = k * sqrt(modulus / DENSITY);
        assert_near(measure_frequency(w, expected) / expected, 1.0, 2e-5, "speed");
    }
}

/// Of the lattice, which the test before has the library follow, beside the material: short waves
/// along an axis at a horizon of three spacings, without calibration, travel at 0.78, 0.87 and
/// 0.916 of the speed of pressure waves, long ones at sqrt(0.865); calibrated at sqrt(0.961), shear
/// at sqrt(1.059); waves of 40 spacings are as fast as long ones to 1 %. A bar has no shape to be
/// wrong about.
static void waves_beside_the_material(void **state) {
    (void)state;
    // K + 4/3 G and G at a Poisson ratio of 1/4.
    const double pressure = 1.2 * YOUNG;
    const double shear = 0.4 * YOUNG;
    const double lengths[] = {6.0, 10.0, 20.0};
    const double speeds[] = {0.78, 0.87, 0.916};
    const struct family plain = make_family(PBS_PERIDYNAMIC_SOLID, false);
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        const double k = 2.0 * PI / (lengths[i] * SPACING);
        assert_near(sqrt(lattice_modulus(&plain, X, k, X) / pressure), speeds[i],
                    i < 2 ? 5e-3 : 5e-4, "short waves");
    }
    assert_near(lattice_modulus(&plain, X, 0.0, X) / pressure, 0.865, 5e-4, "long waves");
    const struct family solid = make_family(PBS_PERIDYNAMIC_SOLID, true);
    assert_near(lattice_modulus(&solid, X, 0.0, X) / pressure, 0.961, 5e-4, "calibrated");
    assert_near(lattice_modulus(&solid, X, 0.0, Y) / shear, 1.059, 5e-4, "shear, calibrated");
    const struct family bar = make_family(PBS_PERIDYNAMIC_BAR, true);
    assert_near(lattice_modulus(&bar, X, 0.0, X) / YOUNG, 1.0, 1e-12, "bar");
    for (size_t i = 0; i < COUNT_OF(WAVES); i++) {
        const struct wave *w = &WAVES[i];
        const struct family f = make_family(w->dimension, w->calibrated);
        if (w->length == 40.0) {
            const double k = 2.0 * PI / (w->length * SPACING);
            assert_near(sqrt(lattice_modulus(&f, w->direction, k, w->polarization) /
                             lattice_modulus(&f, w->direction, 0.0, w->polarization)),
                        1.0, 0.01, "40 spacings");
        }
    }
}

// --- straining ---

/// A block of the lattice, particle by particle.
struct counted_block {
    const struct family *family;
    const size_t *cells;
    double *volumes; ///< of each family over that of a particle
};

/// The neighbour along that bond of the family; SIZE_MAX beyond the block.
static size_t neighbor_of(const struct counted_block *b, size_t particle, size_t bond) {
    const size_t cell[3] = {particle % b->cells[0], particle / b->cells[0] % b->cells[1],
                            particle / b->cells[0] / b->cells[1]};
    size_t at[3];
    for (int k = 0; k < 3; k++) {
        const long place = (long)cell[k] + lround(b->family->way[bond][k] / SPACING);
        if (place < 0 || place >= (long)b->cells[k]) {
            return SIZE_MAX;
        }
        at[k] = (size_t)place;
    }
    return at[0] + b->cells[0] * (at[1] + b->cells[1] * at[2]);
}

/// How much stiffer a bond is near a surface, docs/theory/peridynamics.md equation (3).
static double correction_of(const struct counted_block *b, size_t particle, size_t neighbor,
                            double whole) {
    return 2.0 * whole / (b->volumes[particle] + b->volumes[neighbor]);
}

/// Fills in volumes; returns that of a whole family.
static double count_volumes(const struct counted_block *b) {
    const struct family *f = b->family;
    double whole = 0.0;
    for (size_t k = 0; k < f->count; k++) {
        // The bond in the middle of the list is a spacing long: all of its neighbour counts.
        const double part = f->pull[k] / f->pull[f->count / 2];
        whole += part;
        for (size_t i = 0; i < b->cells[0] * b->cells[1] * b->cells[2]; i++) {
            b->volumes[i] += neighbor_of(b, i, k) != SIZE_MAX ? part : 0.0;
        }
    }
    return whole;
}

/// By how much a bond of the family is longer where x becomes (1 + strain) x, m.
static double extension_of(const struct family *f, size_t bond, const double strain[9]) {
    double way[3];
    multiply3(strain, f->way[bond], way);
    add3(way, f->way[bond], way);
    return norm3(way) - f->length[bond];
}

/// What half a bond of the family holds per volume, Pa.
static double share_of(const struct family *f, size_t bond, const double strain[9]) {
    const double extension = extension_of(f, bond, strain);
    return 0.25 * f->pull[bond] * extension * extension / f->length[bond];
}

/// J, of all bonds of a block.
static double block_energy(const struct family *f, const size_t cells[3], bool corrected,
                           const double strain[9]) {
    const size_t count = cells[0] * cells[1] * cells[2];
    const struct counted_block b = {f, cells, calloc(count, sizeof(double))};
    assert_non_null(b.volumes);
    const double whole = count_volumes(&b);
    double sum = 0.0;
    for (size_t k = 0; k < f->count; k++) {
        const double share = share_of(f, k, strain);
        for (size_t i = 0; i < count; i++) {
            const size_t other = neighbor_of(&b, i, k);
            if (other != SIZE_MAX) {
                sum += share * (corrected ? correction_of(&b, i, other, whole) : 1.0);
            }
        }
    }
    free(b.volumes);
    return sum * volume_of(f->dimension);
}

/// Positions of a body become (1 + strain) x.
static void strain_body(pbs_world *world, pbs_body body, size_t count, const double strain[9]) {
    double *x = calloc(3 * count, sizeof *x);
    assert_non_null(x);
    memcpy(x, pbs_body_positions(world, body), 3 * count * sizeof *x);
    for (size_t i = 0; i < count; i++) {
        double way[3];
        multiply3(strain, x + 3 * i, way);
        add3(x + 3 * i, way, x + 3 * i);
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
    free(x);
}

/// What half of each bond of one particle holds, over its volume, Pa: by what the host can read.
static double energy_density(const pbs_world *world, pbs_body body, uint32_t particle,
                             const struct family *f) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    pbs_bond_load *loads = calloc(count, sizeof *loads);
    assert_non_null(loads);
    assert_ok(pbs_body_bond_loads(world, body, loads, sizeof *loads, &count));
    const double *x = pbs_body_positions(world, body);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        double way[3];
        subtract3(x + 3 * (size_t)pairs[2 * i + 1], x + 3 * (size_t)pairs[2 * i], way);
        if (pairs[2 * i] == particle || pairs[2 * i + 1] == particle) {
            const double extension = norm3(way) * loads[i].stretch / (1.0 + loads[i].stretch);
            sum += 0.25 * loads[i].normal * extension;
        }
    }
    free(loads);
    return sum / volume_of(f->dimension);
}

/// A body that is strained and turned by finite amounts holds what a count of its bonds says,
/// surfaces and their correction included.
static void strained_blocks_hold_what_their_bonds_do(void **state) {
    (void)state;
    const int32_t dimensions[] = {PBS_PERIDYNAMIC_SOLID, PBS_PERIDYNAMIC_PLANE_STRESS,
                                  PBS_PERIDYNAMIC_BAR};
    const size_t sides[][3] = {{9, 7, 11}, {13, 8, 1}, {15, 1, 1}};
    struct random random = {5};
    for (size_t i = 0; i < 3; i++) {
        for (int corrected = 0; corrected <= 1; corrected++) {
            const struct family f = make_family(dimensions[i], true);
            const size_t count = sides[i][0] * sides[i][1] * sides[i][2];
            double box[6], strain[9] = {0.0};
            for (int k = 0; k < 9; k++) {
                const bool inside = k / 3 < axes_of(f.dimension) && k % 3 < axes_of(f.dimension);
                strain[k] = inside ? random_uniform(&random, -0.1, 0.1) : 0.0;
            }
            pbs_world *world = new_world_of(PBS_SCHEME_VELOCITY_VERLET, PBS_ASSEMBLY_AUTOMATIC);
            pbs_peridynamic_desc d = describe_block(f.dimension, sides[i], box);
            d.no_surface_correction = !corrected;
            pbs_body body;
            assert_ok(pbs_body_create_peridynamic(world, &d, &body));
            strain_body(world, body, count, strain);
            const double expected = block_energy(&f, sides[i], corrected != 0, strain);
            assert_near(energy_of(world).elastic / expected, 1.0, 1e-12, "energy");
            pbs_world_destroy(world);
        }
    }
}

/// Small strains of a cube, whose middle is far from its surfaces: what stretches all axes alike
/// costs what it costs the material, one axis 0.961 of that and shear 1.059. Uncorrected the first
/// three layers at each face hold 0.607, 0.817 and 0.993, so that the cube holds as much as one of
/// so many layers less; corrected it lacks a fifth of that, and for each of the three less than
/// without.
static void calibrated_cubes_beside_the_material(void **state) {
    (void)state;
    enum { SIDE = 13 };
    const size_t cells[3] = {SIDE, SIDE, SIDE};
    const double e = 1e-4;
    const double strains[3][9] = {
        {e, 0, 0, 0, e, 0, 0, 0, e}, {e, 0, 0, 0, 0, 0, 0, 0, 0}, {0, e, 0, e, 0, 0, 0, 0, 0}};
    // 9 K / 2, (lambda + 2 mu) / 2 and 2 mu.
    const double material[] = {3.0 * YOUNG * e * e, 0.6 * YOUNG * e * e, 0.8 * YOUNG * e * e};
    const double shares[] = {1.0, 0.961, 1.059};
    const struct family f = make_family(PBS_PERIDYNAMIC_SOLID, true);
    for (size_t i = 0; i < COUNT_OF(strains); i++) {
        double box[6];
        pbs_world *world = new_world_of(PBS_SCHEME_VELOCITY_VERLET, PBS_ASSEMBLY_AUTOMATIC);
        const pbs_peridynamic_desc d = describe_block(PBS_PERIDYNAMIC_SOLID, cells, box);
        pbs_body body;
        assert_ok(pbs_body_create_peridynamic(world, &d, &body));
        strain_body(world, body, (size_t)SIDE * SIDE * SIDE, strains[i]);
        const double inside = energy_density(world, body, SIDE * SIDE * SIDE / 2, &f);
        assert_near(inside / material[i], shares[i], i == 0 ? 1e-10 : 5e-4, "middle");
        const double volume = SIDE * SIDE * SIDE * volume_of(PBS_PERIDYNAMIC_SOLID);
        const double whole = energy_of(world).elastic / (inside * volume);
        const double plain = block_energy(&f, cells, false, strains[i]) / (inside * volume);
        assert_true(plain < whole && whole < 1.0);
        if (i == 0) {
            assert_near(plain, pow(1.0 - 2.0 * (0.393 + 0.183 + 0.007) / SIDE, 3.0), 5e-3, "plain");
            assert_near((1.0 - whole) / (1.0 - plain), 0.19, 5e-3, "corrected");
        }
        pbs_world_destroy(world);
    }
}

// --- pulling ---

enum { HELD = 6 }; ///< layers, so that what is not held has whole families along the pull

/// Young's modulus by what it takes to pull a block whose first and last layers are held along x,
/// Pa: stress over the strain of its middle.
static double measure_young(int32_t dimension, const size_t cells[3], bool corrected) {
    const double strain = 1e-6;
    const size_t count = cells[0] * cells[1] * cells[2];
    double box[6];
    pbs_world *world = new_world_of(PBS_SCHEME_QUASI_STATIC, PBS_ASSEMBLY_AUTOMATIC);
    pbs_peridynamic_desc d = describe_block(dimension, cells, box);
    d.no_surface_correction = !corrected;
    pbs_body body;
    assert_ok(pbs_body_create_peridynamic(world, &d, &body));
    const double *x = pbs_body_positions(world, body);
    double *rest = calloc(3 * count, sizeof *rest);
    double *forces = calloc(3 * count, sizeof *forces);
    assert_true(rest != NULL && forces != NULL);
    memcpy(rest, x, 3 * count * sizeof *rest);
    for (uint32_t i = 0; i < count; i++) {
        const size_t layer = i % cells[0];
        if (layer < HELD || layer >= cells[0] - HELD) {
            double target[3];
            memcpy(target, rest + 3 * (size_t)i, sizeof target);
            target[0] *= 1.0 + strain;
            assert_ok(pbs_body_pin(world, body, &i, 1, PBS_AXIS_X));
            assert_ok(pbs_body_set_targets(world, body, &i, 1, target));
        }
    }
    const uint32_t first = 0;
    assert_ok(pbs_body_pin(world, body, &first, 1, PBS_AXIS_Y | PBS_AXIS_Z));
    assert_ok(pbs_world_step(world, 1.0));
    assert_ok(pbs_body_constraint_forces(world, body, forces, NULL, count));
    x = pbs_body_positions(world, body);
    const size_t gauge[2] = {cells[0] / 2 - 3, cells[0] / 2 + 3};
    double force = 0.0, length[2] = {0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        const size_t layer = i % cells[0];
        force += layer >= cells[0] - HELD ? forces[3 * i] : 0.0;
        length[0] += layer == gauge[1] ? rest[3 * i] : layer == gauge[0] ? -rest[3 * i] : 0.0;
        length[1] += layer == gauge[1] ? x[3 * i] : layer == gauge[0] ? -x[3 * i] : 0.0;
    }
    const double area = (double)(cells[1] * cells[2]) * volume_of(dimension) / SPACING;
    pbs_world_destroy(world);
    free(rest);
    free(forces);
    return force / area / (length[1] / length[0] - 1.0);
}

/// A bar is the material's. Held layers are whole, so that its surfaces do nothing.
static void pulled_bars_are_the_materials(void **state) {
    (void)state;
    const size_t cells[3] = {40, 1, 1};
    for (int corrected = 0; corrected <= 1; corrected++) {
        assert_near(measure_young(PBS_PERIDYNAMIC_BAR, cells, corrected != 0) / YOUNG, 1.0, 1e-8,
                    "bar");
    }
}

/// Of the lattice along its axes, and how much thinner what is pulled becomes.
struct young {
    double modulus, poisson;
};

static struct young lattice_young(const struct family *f) {
    const double c11 = lattice_modulus(f, X, 0.0, X);
    const double c12 = lattice_modulus(f, X, 0.0, Y); // central forces: c12 = c44
    return f->dimension == PBS_PERIDYNAMIC_SOLID
               ? (struct young){c11 - 2.0 * c12 * c12 / (c11 + c12), c12 / (c11 + c12)}
               : (struct young){c11 - c12 * c12 / c11, c12 / c11};
}

/// Were all of the block strained as its middle is: no less than what it takes, as the equilibrium
/// has the least energy. That of one more layer along the pull.
static double affine_young(const struct family *f, const size_t cells[3], bool corrected) {
    const double e = 1e-5;
    const double thinner = -lattice_young(f).poisson * e;
    const double strain[9] = {e, 0.0, 0.0, 0.0, thinner, 0.0, 0.0, 0.0, thinner};
    const size_t two[2][3] = {{14, cells[1], cells[2]}, {15, cells[1], cells[2]}};
    const double energy = block_energy(f, two[1], corrected, strain) -
                          block_energy(f, two[0], corrected, strain);
    return 2.0 * energy / (e * e * (double)(cells[1] * cells[2]) * volume_of(f->dimension));
}

/// The lattice's modulus, 0.996 of the material's in plane stress and 0.925 in space along an axis,
/// and what surfaces make of it: all strained alike their bonds have too much or too little, and
/// give way by less than a twentieth of that. The effect goes with the inverse of the thickness
/// (with edges its square besides): what is left without surfaces is the lattice's.
static void pulled_blocks_are_the_lattices(void **state) {
    (void)state;
    const struct family plane = make_family(PBS_PERIDYNAMIC_PLANE_STRESS, true);
    const struct family solid = make_family(PBS_PERIDYNAMIC_SOLID, true);
    assert_near(lattice_young(&plane).modulus / YOUNG, 0.996, 5e-4, "plane stress");
    assert_near(lattice_young(&solid).modulus / YOUNG, 0.925, 5e-4, "solid");
    for (int k = 0; k < (testing_is_small() ? 2 : 4); k++) {
        const struct family *f = k < 2 ? &plane : &solid;
        const bool corrected = k % 2 != 0;
        const double lattice = lattice_young(f).modulus;
        double found[3];
        for (size_t i = 0; i < 3; i++) {
            const size_t n = 8 + 4 * i;
            const size_t cells[3] = {2 * n + 24, n, f == &solid ? n : 1};
            found[i] = measure_young(f->dimension, cells, corrected);
            const double bound = affine_young(f, cells, corrected);
            assert_true(found[i] < bound && (bound > lattice) == corrected);
            assert_small((bound - found[i]) / fabs(bound - lattice), 0.05, "gives way");
        }
        // The parabola in 1 / n through 8, 12 and 16 at 0.
        const double endless = 2.0 * found[0] - 9.0 * found[1] + 8.0 * found[2];
        assert_near(endless / lattice, 1.0, 5e-4, "endless");
    }
}

// --- momenta ---

enum { TURNING = 10, TURNING_PARTICLES = TURNING * TURNING * TURNING };

struct momenta {
    double linear[3], angular[3];   ///< about the origin
    double linear_sum, angular_sum; ///< of the parts without their signs
};

static struct momenta momenta_of(const pbs_world *world, pbs_body body) {
    const double mass = DENSITY * SPACING * SPACING * SPACING;
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    long double sums[6] = {0.0L};
    struct momenta m = {.linear_sum = 0.0};
    for (size_t i = 0; i < TURNING_PARTICLES; i++) {
        double moment[3];
        cross3(x + 3 * i, v + 3 * i, moment);
        for (size_t k = 0; k < 3; k++) {
            sums[k] += v[3 * i + k];
            sums[3 + k] += moment[k];
        }
        m.linear_sum += mass * norm3(v + 3 * i);
        m.angular_sum += mass * norm3(moment);
    }
    for (size_t k = 0; k < 3; k++) {
        m.linear[k] = mass * (double)sums[k];
        m.angular[k] = mass * (double)sums[3 + k];
    }
    return m;
}

static pbs_body add_turning_block(pbs_world *world) {
    static double velocities[3 * TURNING_PARTICLES];
    const size_t cells[3] = {TURNING, TURNING, TURNING};
    const double spin[3] = {2000.0, -3000.0, 1000.0};
    struct random random = {17};
    double box[6];
    for (size_t i = 0; i < TURNING_PARTICLES; i++) {
        const double x[3] = {SPACING * (double)(i % TURNING),
                             SPACING * (double)(i / TURNING % TURNING),
                             SPACING * (double)(i / TURNING / TURNING)};
        cross3(spin, x, velocities + 3 * i);
        for (size_t k = 0; k < 3; k++) {
            velocities[3 * i + k] += random_uniform(&random, -40.0, 40.0);
        }
    }
    pbs_peridynamic_desc d = describe_block(PBS_PERIDYNAMIC_SOLID, cells, box);
    d.particle_count = TURNING_PARTICLES;
    d.velocities = velocities;
    d.critical_stretch = 0.01;
    d.damping = 1e-8;
    pbs_body body;
    assert_ok(pbs_body_create_peridynamic(world, &d, &body));
    return body;
}

/// The largest change in so many steps, over the sums of the parts without their signs.
static void follow_momenta(pbs_world *world, pbs_body body, int steps, double h, double change[2]) {
    const struct momenta begin = momenta_of(world, body);
    change[0] = change[1] = 0.0;
    for (int n = 0; n < steps; n++) {
        assert_ok(pbs_world_step(world, h));
        const struct momenta now = momenta_of(world, body);
        double linear[3], angular[3];
        subtract3(now.linear, begin.linear, linear);
        subtract3(now.angular, begin.angular, angular);
        change[0] = fmax(change[0], norm3(linear) / begin.linear_sum);
        change[1] = fmax(change[1], norm3(angular) / begin.angular_sum);
    }
}

static size_t count_broken(const pbs_world *world, pbs_body body) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    size_t broken = 0;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    for (size_t i = 0; i < count; i++) {
        broken += pbs_body_broken(world, body)[i] != 0;
    }
    return broken;
}

/// A damped block that turns, shakes and breaks: two thousand of its 42,000 bonds. In explicit
/// steps what one particle gains another loses, to rounding.
static void explicit_steps_keep_momenta(void **state) {
    (void)state;
    pbs_world *world = new_world_of(PBS_SCHEME_VELOCITY_VERLET, PBS_ASSEMBLY_AUTOMATIC);
    const pbs_body body = add_turning_block(world);
    double change[2];
    follow_momenta(world, body, 200, 1e-7, change);
    assert_true(count_broken(world, body) > 2000);
    assert_small(change[0], 2e-16, "linear");
    assert_small(change[1], 1e-14, "angular");
    pbs_world_destroy(world);
}

/// Implicit ones to what the solver leaves, 1e-9 of the forces in each: linear momentum with every
/// scheme, angular with the midpoint, which has no error of its own there. With a matrix and
/// without.
static void implicit_steps_keep_momenta(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_NEWMARK,
                               PBS_SCHEME_VARIATIONAL_MIDPOINT};
    for (size_t i = 0; i < 2 * COUNT_OF(schemes); i++) {
        const int32_t scheme = schemes[i / 2];
        pbs_world *world = new_world_of(scheme,
                                        i % 2 == 0 ? PBS_ASSEMBLY_FULL : PBS_ASSEMBLY_MATRIX_FREE);
        const pbs_body body = add_turning_block(world);
        double change[2];
        follow_momenta(world, body, 20, 2e-7, change);
        assert_true(count_broken(world, body) > 100);
        assert_small(change[0], 1e-11, "linear");
        if (scheme == PBS_SCHEME_VARIATIONAL_MIDPOINT) {
            assert_small(change[1], 1e-8, "angular");
        }
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_the_speed_of_the_lattice),
        cmocka_unit_test(waves_beside_the_material),
        cmocka_unit_test(strained_blocks_hold_what_their_bonds_do),
        cmocka_unit_test(calibrated_cubes_beside_the_material),
        cmocka_unit_test(pulled_bars_are_the_materials),
        cmocka_unit_test(pulled_blocks_are_the_lattices),
        cmocka_unit_test(explicit_steps_keep_momenta),
        cmocka_unit_test(implicit_steps_keep_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
