// Peridynamic bodies: particles, bonds and damage, weight and strength, plane bodies and bars,
// saved worlds and refusals.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "world/refusal.h"

enum { SIDE = 6, PARTICLES = SIDE * SIDE * SIDE };

static const double BOX[6] = {0.0, 0.0, 0.0, 0.6, 0.6, 0.6};

static pbs_peridynamic_desc describe(const double *box) {
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.box = box;
    d.spacing = 0.1;
    d.density = 2000.0;
    d.young = 1e6;
    d.contact_scale = 0.1;
    return d;
}

static pbs_world *weightless_world(void) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    return new_world_from(&settings);
}

static pbs_body add(pbs_world *world, const pbs_peridynamic_desc *d) {
    pbs_body body;
    assert_ok(pbs_body_create_peridynamic(world, d, &body));
    return body;
}

/// Moves all particles by a linear map, row-major.
static void deform(pbs_world *world, pbs_body body, const double map[9]) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *x = malloc(3 * count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) {
        multiply3(map, pbs_body_positions(world, body) + 3 * i, x + 3 * i);
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
    free(x);
}

static void a_box_is_filled(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_peridynamic_desc d = describe(BOX);
    const pbs_body body = add(world, &d);
    const double *x = pbs_body_positions(world, body);
    assert_int_equal(pbs_body_vertex_count(world, body), PARTICLES);
    for (size_t i = 0; i < PARTICLES; i++) {
        const size_t cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (size_t k = 0; k < 3; k++) {
            assert_near(x[3 * i + k], 0.05 + 0.1 * (double)cell[k], 1e-15, "place");
        }
    }
    const uint32_t *pairs = NULL;
    size_t count = 0;
    size_t expected = 0;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    for (size_t i = 0; i < PARTICLES; i++) {
        for (size_t j = i + 1; j < PARTICLES; j++) {
            double way[3];
            subtract3(x + 3 * j, x + 3 * i, way);
            expected += norm3(way) < 0.3001;
        }
    }
    assert_int_equal(count, expected);
    // Nothing breaks unless it is asked for.
    assert_true(isinf(pbs_body_critical_stretches(world, body)[0]));
    assert_null(pbs_body_tensile_strengths(world, body));
    assert_null(pbs_body_orientations(world, body));
    pbs_world_destroy(world);
}

/// A tetrahedron with legs 1 and the points of a lattice of .05: their cubes fill it within the
/// layers at its faces.
static void tetrahedra_are_filled(void **state) {
    (void)state;
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t tet[4] = {0, 1, 2, 3};
    pbs_world *world = weightless_world();
    pbs_peridynamic_desc d = describe(NULL);
    d.vertex_count = 4;
    d.vertices = vertices;
    d.tet_count = 1;
    d.tets = tet;
    d.spacing = 0.05;
    const pbs_body body = add(world, &d);
    const double *x = pbs_body_positions(world, body);
    size_t expected = 0;
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 20; j++) {
            for (int k = 0; k < 20; k++) {
                // (i + j + k + 3/2) / 20 <= 1, in whole numbers.
                expected += 2 * (i + j + k) + 3 <= 40;
            }
        }
    }
    const size_t count = pbs_body_vertex_count(world, body);
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        assert_true(x[3 * i] > 0.0 && x[3 * i + 1] > 0.0 && x[3 * i + 2] > 0.0);
        assert_true(x[3 * i] + x[3 * i + 1] + x[3 * i + 2] <= 1.0);
    }
    pbs_world_destroy(world);
}

/// Energy of a cube of so many particles along each edge, stretched by e in all directions, over
/// the continuum's: 9/2 K e^2 V with K = 2/3 E (Poisson's ratio 1/4).
static double energy_over_continuum(double cells, bool plain) {
    const double edge = 0.1 * cells;
    const double box[6] = {0.0, 0.0, 0.0, edge, edge, edge};
    const double e = 1e-6;
    const double map[9] = {1.0 + e, 0, 0, 0, 1.0 + e, 0, 0, 0, 1.0 + e};
    pbs_world *world = weightless_world();
    pbs_peridynamic_desc d = describe(box);
    d.no_calibration = plain;
    d.no_surface_correction = plain;
    deform(world, add(world, &d), map);
    const double energy = energy_of(world).elastic;
    pbs_world_destroy(world);
    return energy / (4.5 * (2.0 / 3.0) * 1e6 * e * e * edge * edge * edge);
}

/// The sum of 1/2 k (e l)^2 with k = c nu V^2 / l, c = 18 K / (pi delta^4) (Silling 2000), nu what
/// of a particle lies inside the horizon; corrected for surfaces and the lattice nothing is missing
/// but what corrections leave, as a bond's is the mean of its ends': in proportion to the surface.
static void energy_is_that_of_the_continuum(void **state) {
    (void)state;
    const double h = 0.1;
    const double delta = 0.3;
    const double c = 18.0 * (2.0 / 3.0 * 1e6) / (acos(-1.0) * delta * delta * delta * delta);
    double sum = 0.0;
    for (int i = 0; i < PARTICLES; i++) {
        for (int j = 0; j < i; j++) {
            const double way[3] = {h * (i % SIDE - j % SIDE),
                                   h * (i / SIDE % SIDE - j / SIDE % SIDE),
                                   h * (i / SIDE / SIDE - j / SIDE / SIDE)};
            const double l = norm3(way);
            const double share = l < delta - 0.5 * h ? 1.0 : (delta + 0.5 * h - l) / h;
            sum += l < delta * (1.0 + 1e-9) ? 0.5 * c * share * pow(h, 6) * l : 0.0;
        }
    }
    const double continuum = 4.5 * (2.0 / 3.0) * 1e6 * 0.216;
    // Lengths of .3 and strains of 1e-6 leave 1e-9 of the extension, twice.
    assert_near(energy_over_continuum(6.0, true) / (sum / continuum), 1.0, 1e-8, "plain");
    const double missing[2] = {1.0 - energy_over_continuum(6.0, false),
                               1.0 - energy_over_continuum(12.0, false)};
    assert_true(missing[0] > 0.0 && missing[0] < 0.11);
    assert_true(missing[1] > 0.0 && missing[1] < 0.55 * missing[0]);
}

/// Two particles a spacing apart, which fly from each other: the bond breaks in the first step that
/// ends above its critical stretch, and the event says what it was.
static void a_bond_breaks_beyond_its_stretch(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.0, 0.2, 0.0, 0.0};
    const double velocities[6] = {-0.5, 0, 0, 0.5, 0, 0};
    pbs_world *world = weightless_world();
    pbs_peridynamic_desc d = describe(box);
    d.dimension = PBS_PERIDYNAMIC_BAR;
    d.section = 0.01;
    d.critical_stretch = 0.013;
    d.velocities = velocities;
    const pbs_body body = add(world, &d);
    double before = 0.0;
    for (int n = 0; n < 1000; n++) {
        assert_ok(pbs_world_step(world, 1e-5));
        const double *x = pbs_body_positions(world, body);
        const double stretch = (x[3] - x[0] - 0.1) / 0.1;
        pbs_broken_bond event;
        pbs_bond_load load;
        size_t count = 1;
        size_t bonds = 1;
        assert_ok(pbs_world_broken_bonds(world, &event, sizeof event, &count));
        assert_ok(pbs_body_bond_loads(world, body, &load, sizeof load, &bonds));
        if (count == 0) {
            assert_true(stretch <= 0.013);
            assert_near(load.stretch, stretch, 1e-13, "stretch");
            assert_near(load.normal_stress, 1e6 * stretch, 1e-6, "stress");
            before = energy_of(world).elastic;
            assert_near(0.5 * load.normal * stretch * 0.1, before, 1e-9 * before, "energy");
            continue;
        }
        assert_true(stretch > 0.013);
        assert_near(event.stretch, stretch, 1e-13, "stretch");
        assert_near(event.normal_stress, 1e6 * stretch, 1e-6, "stress");
        assert_true(event.energy > before && event.energy < 1.02 * before);
        assert_near(energy_of(world).dissipated, event.energy, 1e-12 * event.energy, "dissipated");
        assert_near(energy_of(world).elastic, 0.0, 0.0, "elastic");
        assert_int_equal(pbs_body_broken(world, body)[0], 1);
        assert_near(load.normal, 0.0, 0.0, "a broken bond bears nothing");
        assert_near(pbs_body_damage(world, body)[1], 1.0, 0.0, "damage");
        pbs_fragment fragments[2];
        size_t pieces = 2;
        assert_ok(pbs_body_fragments(world, body, fragments, sizeof *fragments, &pieces));
        assert_int_equal(pieces, 2);
        assert_near(norm3(fragments[1].angular_velocity), 0.0, 0.0, "a point does not spin");
        pbs_world_destroy(world);
        return;
    }
    fail_msg("the bond did not break");
}

/// Pressure breaks nothing.
static void pressed_bonds_hold(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    pbs_peridynamic_desc d = describe(BOX);
    d.critical_stretch = 1e-3;
    d.drag = 1.0;
    const pbs_body body = add(world, &d);
    const double map[9] = {0.98, 0, 0, 0, 0.98, 0, 0, 0, 0.98};
    deform(world, body, map);
    assert_ok(pbs_body_pin_all(world, body));
    assert_ok(pbs_world_step(world, 1e-4));
    size_t count = 0;
    assert_ok(pbs_world_broken_bonds(world, NULL, sizeof(pbs_broken_bond), &count));
    assert_int_equal(count, 0);
    pbs_world_destroy(world);
}

/// A cut between two planes of particles takes, of what a particle next to it reaches, what lies
/// beyond: none of it counts as damage, and what breaks afterwards does.
static void damage_begins_after_a_cut(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    pbs_peridynamic_desc d = describe(BOX);
    d.critical_stretch = 0.5;
    const pbs_body body = add(world, &d);
    const double point[3] = {0.3, 0, 0};
    const double normal[3] = {1, 0, 0};
    size_t cut = 0;
    assert_ok(pbs_body_cut_plane(world, body, point, normal, &cut));
    const double *x = pbs_body_positions(world, body);
    const uint32_t *pairs = NULL;
    size_t count = 0;
    size_t expected = 0;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    for (size_t i = 0; i < count; i++) {
        expected += (x[3 * (size_t)pairs[2 * i]] < 0.3) != (x[3 * (size_t)pairs[2 * i + 1]] < 0.3);
    }
    assert_int_equal(cut, expected);
    size_t pieces = 0;
    assert_ok(pbs_body_fragments(world, body, NULL, sizeof(pbs_fragment), &pieces));
    assert_int_equal(pieces, 2);
    for (size_t i = 0; i < PARTICLES; i++) {
        assert_near(pbs_body_damage(world, body)[i], 0.0, 0.0, "damage");
    }
    // Now all that is left breaks.
    const double map[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    deform(world, body, map);
    assert_ok(pbs_body_pin_all(world, body));
    assert_ok(pbs_world_step(world, 1e-4));
    for (size_t i = 0; i < PARTICLES; i++) {
        assert_near(pbs_body_damage(world, body)[i], 1.0, 1e-6, "damage");
    }
    pbs_world_destroy(world);
}

/// What a plane's particles are held on is held for good; the rest the host pins and lets go.
static void a_plane_stays_in_its_plane(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.4, 1.0, 0.5, 0.4};
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    const double gravity[3] = {1.0, -2.0, 3.0};
    memcpy(settings.gravity, gravity, sizeof gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&settings);
    pbs_peridynamic_desc d = describe(box);
    d.dimension = PBS_PERIDYNAMIC_PLANE_STRESS;
    d.section = 0.02;
    const pbs_body body = add(world, &d);
    const uint32_t first[1] = {7};
    assert_int_equal(pbs_body_vertex_count(world, body), 50);
    assert_ok(pbs_body_pin_all(world, body));
    assert_ok(pbs_body_unpin_all(world, body));
    assert_ok(pbs_body_pin(world, body, first, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_unpin(world, body, first, 1, PBS_AXIS_ALL));
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(world, 1e-3));
    }
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    for (size_t i = 0; i < 50; i++) {
        assert_near(v[3 * i], 1e-2, 1e-9, "x falls freely");
        assert_near(v[3 * i + 1], -2e-2, 1e-9, "y");
        assert_near(x[3 * i + 2], 0.4, 0.0, "z");
    }
    // A target scripts a vertex whose plane alone held it.
    const double target[3] = {0.5, 0.5, 0.4};
    assert_ok(pbs_body_set_targets(world, body, first, 1, target));
    assert_ok(pbs_world_step(world, 1e-3));
    assert_near(pbs_body_positions(world, body)[21], 0.5, 0.0, "target");
    // Nothing leaves it.
    const double above[3] = {0.5, 0.5, 0.5};
    double vectors[150];
    memcpy(vectors, pbs_body_positions(world, body), sizeof vectors);
    vectors[152 - 3] = 0.5;
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_body_set_positions(world, body, vectors, 50), PBS_ERROR_ARGUMENT);
    assert_message("positions of vertex 49: z is 0.5, but the body is in a plane where it is 0.4");
    assert_status(pbs_body_set_velocities(world, body, vectors, 50), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_targets(world, body, first, 1, above), PBS_ERROR_ARGUMENT);
    assert_message("targets of vertex 7");
    assert_true(pbs_world_hash(world) == hash);
    vectors[152 - 3] = 0.4;
    assert_ok(pbs_body_set_positions(world, body, vectors, 50));
    pbs_world_destroy(world);
}

/// Two worlds, one saved and restored in mid-crack and on three threads, go on to the bit.
static void breaking_worlds_go_on_to_the_bit(void **state) {
    (void)state;
    static double velocities[3 * PARTICLES];
    pbs_world *worlds[2];
    for (size_t i = 0; i < PARTICLES; i++) {
        const double away = (double)(i % SIDE) - 2.5;
        velocities[3 * i] = 1.5 * away;
        velocities[3 * i + 1] = 0.2 * away * (double)(i / SIDE % SIDE);
    }
    for (int k = 0; k < 2; k++) {
        pbs_world_desc settings;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.threads = k == 0 ? 1 : 3;
        worlds[k] = new_world_from(&settings);
        pbs_peridynamic_desc d = describe(BOX);
        d.velocities = velocities;
        d.critical_stretch = 0.05;
        d.weibull_modulus = 8.0;
        d.seed = 5;
        d.damping = 1e-5;
        add(worlds[k], &d);
    }
    size_t broken = 0;
    for (int n = 0; n < 12; n++) {
        for (int k = 0; k < 2; k++) {
            assert_ok(pbs_world_step(worlds[k], 1e-3));
        }
        size_t count = 0;
        assert_ok(pbs_world_broken_bonds(worlds[0], NULL, sizeof(pbs_broken_bond), &count));
        broken += count;
        if (n == 6) {
            struct saved_world saved = save_world(worlds[1]);
            assert_ok(pbs_world_restore(worlds[1], saved.data, saved.size));
            free(saved.data);
        }
        assert_true(pbs_world_hash(worlds[0]) == pbs_world_hash(worlds[1]));
    }
    assert_true(broken > 20);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

// --- any order of the particles ---

enum { EDGE = 14, BLOCK = EDGE * EDGE * EDGE };

/// number: particle of the lattice -> its number in the world.
static pbs_world *pulled_block(const uint32_t *number, pbs_body *body) {
    static double x[3 * BLOCK], v[3 * BLOCK];
    for (size_t i = 0; i < BLOCK; i++) {
        const double at[3] = {0.1 * (double)(i % EDGE), 0.1 * (double)(i / EDGE % EDGE),
                              0.1 * (double)(i / EDGE / EDGE)};
        memcpy(x + 3 * (size_t)number[i], at, sizeof at);
        v[3 * (size_t)number[i]] = 40.0 * (at[0] - 0.6);
    }
    pbs_integrator_desc settings;
    pbs_world *world = weightless_world();
    assert_ok(pbs_integrator_desc_init(&settings, sizeof settings, PBS_SCHEME_VELOCITY_VERLET));
    use_integrator(world, &settings);
    pbs_peridynamic_desc d = describe(NULL);
    d.particle_count = BLOCK;
    d.positions = x;
    d.velocities = v;
    d.critical_stretch = 0.02;
    *body = add(world, &d);
    return world;
}

/// Particles that are numbered at random move and break as those that come row by row, to the bit:
/// forces on them are summed exactly. And go on so after a restore in mid-crack.
static void no_numbering_shows(void **state) {
    (void)state;
    static uint32_t numbers[2][BLOCK];
    struct random random = random_seed(9);
    pbs_world *worlds[2];
    pbs_body bodies[2];
    for (uint32_t i = 0; i < BLOCK; i++) {
        const size_t other = random_index(&random, i + 1);
        numbers[0][i] = i;
        numbers[1][i] = numbers[1][other];
        numbers[1][other] = i;
    }
    for (int k = 0; k < 2; k++) {
        worlds[k] = pulled_block(numbers[k], &bodies[k]);
    }
    for (int n = 0; n < 30; n++) {
        for (int k = 0; k < 2; k++) {
            assert_ok(pbs_world_step(worlds[k], 1e-4));
        }
        if (n == 15) {
            struct saved_world saved = save_world(worlds[1]);
            assert_ok(pbs_world_restore(worlds[1], saved.data, saved.size));
            free(saved.data);
        }
    }
    const double *x[2] = {pbs_body_positions(worlds[0], bodies[0]),
                          pbs_body_positions(worlds[1], bodies[1])};
    const float *damage[2] = {pbs_body_damage(worlds[0], bodies[0]),
                              pbs_body_damage(worlds[1], bodies[1])};
    size_t damaged = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        assert_same_bits(x[0] + 3 * i, x[1] + 3 * (size_t)numbers[1][i], 3);
        assert_near(damage[0][i], damage[1][numbers[1][i]], 1e-6, "damage");
        damaged += damage[0][i] > 0.0F && damage[0][i] < 0.9F;
    }
    assert_true(damaged > BLOCK / 10);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// After bonds broke, an explicit step begins with the forces of all others to the bit: as one
/// does that has to evaluate them anew, since the host has set velocities.
static void what_broke_pulls_no_more(void **state) {
    (void)state;
    static uint32_t numbers[BLOCK];
    static double v[3 * BLOCK];
    pbs_world *worlds[2];
    pbs_body bodies[2];
    size_t steps = 0;
    for (uint32_t i = 0; i < BLOCK; i++) {
        numbers[i] = i;
    }
    for (int k = 0; k < 2; k++) {
        worlds[k] = pulled_block(numbers, &bodies[k]);
    }
    for (int n = 0; n < 30; n++) {
        size_t broken = 0;
        for (int k = 0; k < 2; k++) {
            assert_ok(pbs_world_step(worlds[k], 1e-4));
        }
        assert_ok(pbs_world_broken_bonds(worlds[0], NULL, sizeof(pbs_broken_bond), &broken));
        steps += broken > 0;
        memcpy(v, pbs_body_velocities(worlds[1], bodies[1]), sizeof v);
        assert_ok(pbs_body_set_velocities(worlds[1], bodies[1], v, BLOCK));
    }
    assert_true(steps > 10);
    assert_same_bits(pbs_body_positions(worlds[0], bodies[0]),
                     pbs_body_positions(worlds[1], bodies[1]), 3 * (size_t)BLOCK);
    assert_same_bits(pbs_body_velocities(worlds[0], bodies[0]),
                     pbs_body_velocities(worlds[1], bodies[1]), 3 * (size_t)BLOCK);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

// --- what is refused ---

static const double PLACES[9] = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 0};
static const double SAME[9] = {0, 0, 0, 0.1, 0, 0, 0.1, 0, 0};
static const double ASKEW[9] = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 1e-3};
static const double FAR[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
static const double INFINITE[9] = {0, 0, 0, INFINITY, 0, 0, 0.2, 0, 0};
static const double NEGATIVE[3] = {1e-3, -1e-3, 1e-3};
static const double MINUTE[3] = {1e-300, 1e-300, 1e-300};
static const double SMALL_BOX[6] = {0, 0, 0, 0.05, 0.3, 0.3};
static const double FLAT_BOX[6] = {0.0, 0.0, 0.0, 0.01, 1e30, 1e30};
static const double CORNERS[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t INVERTED[4] = {0, 2, 1, 3};

static void fill_tets(pbs_peridynamic_desc *d) {
    d->particle_count = 0;
    d->positions = NULL;
    d->vertex_count = 4;
    d->vertices = CORNERS;
    d->tet_count = 1;
    d->tets = INVERTED;
}

SPOIL(no_positions, pbs_peridynamic_desc *d, d->positions = NULL)
SPOIL(no_particles, pbs_peridynamic_desc *d, d->particle_count = 0)
SPOIL(one_place, pbs_peridynamic_desc *d, d->positions = SAME)
SPOIL(infinite_place, pbs_peridynamic_desc *d, d->positions = INFINITE)
SPOIL(far_apart, pbs_peridynamic_desc *d, d->positions = FAR)
SPOIL(out_of_plane, pbs_peridynamic_desc *d, d->positions = ASKEW; d->section = 1.0;
      d->dimension = PBS_PERIDYNAMIC_PLANE_STRAIN)
SPOIL(leaves_plane, pbs_peridynamic_desc *d, d->velocities = ASKEW; d->section = 1.0;
      d->dimension = PBS_PERIDYNAMIC_BAR)
SPOIL(no_such_dimension, pbs_peridynamic_desc *d, d->dimension = 4)
SPOIL(no_section, pbs_peridynamic_desc *d, d->dimension = PBS_PERIDYNAMIC_BAR)
SPOIL(section_of_solid, pbs_peridynamic_desc *d, d->section = 1.0)
SPOIL(no_spacing, pbs_peridynamic_desc *d, d->spacing = 0.0)
SPOIL(short_horizon, pbs_peridynamic_desc *d, d->horizon = 0.05)
SPOIL(nan_horizon, pbs_peridynamic_desc *d, d->horizon = NAN)
SPOIL(no_volume, pbs_peridynamic_desc *d, d->volumes = MINUTE)
SPOIL(negative_volume, pbs_peridynamic_desc *d, d->volumes = NEGATIVE)
SPOIL(negative_density, pbs_peridynamic_desc *d, d->particle_densities = NEGATIVE)
SPOIL(negative_mass, pbs_peridynamic_desc *d, d->density = -1.0)
SPOIL(negative_young, pbs_peridynamic_desc *d, d->particle_young = NEGATIVE)
SPOIL(nan_young, pbs_peridynamic_desc *d, d->young = NAN)
SPOIL(huge_young, pbs_peridynamic_desc *d, d->young = 1e308)
SPOIL(negative_energy, pbs_peridynamic_desc *d, d->particle_fracture_energies = NEGATIVE)
SPOIL(energy_twice, pbs_peridynamic_desc *d, d->fracture_energy = 1.0; d->critical_stretch = 0.1)
SPOIL(nan_stretch, pbs_peridynamic_desc *d, d->critical_stretch = NAN)
SPOIL(weibull, pbs_peridynamic_desc *d, d->weibull_modulus = 0.5)
SPOIL(negative_damping, pbs_peridynamic_desc *d, d->damping = -1.0)
SPOIL(negative_radius, pbs_peridynamic_desc *d, d->contact_radii = NEGATIVE)
SPOIL(filled_twice, pbs_peridynamic_desc *d, d->box = BOX)
SPOIL(narrow_box, pbs_peridynamic_desc *d, d->box = SMALL_BOX; d->positions = NULL;
      d->particle_count = 0)
SPOIL(flat_box, pbs_peridynamic_desc *d, d->box = FLAT_BOX; d->positions = NULL;
      d->particle_count = 0)
SPOIL(other_count, pbs_peridynamic_desc *d, d->box = BOX; d->positions = NULL)
SPOIL(huge_box, pbs_peridynamic_desc *d, d->box = BOX; d->positions = NULL; d->particle_count = 0;
      d->spacing = 1e-5)
SPOIL(inverted, pbs_peridynamic_desc *d, fill_tets(d))
SPOIL(tets_of_plane, pbs_peridynamic_desc *d, fill_tets(d);
      d->dimension = PBS_PERIDYNAMIC_PLANE_STRESS; d->section = 1.0)

static const struct refusal refusals[] = {
    {no_positions, PBS_ERROR_ARGUMENT, "positions"},
    {no_particles, PBS_ERROR_ARGUMENT, "particle_count"},
    {one_place, PBS_ERROR_MESH, "one place"},
    {infinite_place, PBS_ERROR_ARGUMENT, "positions"},
    {far_apart, PBS_ERROR_ARGUMENT, "horizon"},
    {out_of_plane, PBS_ERROR_MESH, "particle 2: z differs"},
    {leaves_plane, PBS_ERROR_MESH, "velocity along this axis"},
    {no_such_dimension, PBS_ERROR_ARGUMENT, "dimension"},
    {no_section, PBS_ERROR_ARGUMENT, "section"},
    {section_of_solid, PBS_ERROR_ARGUMENT, "section"},
    {no_spacing, PBS_ERROR_ARGUMENT, "spacing"},
    {short_horizon, PBS_ERROR_ARGUMENT, "horizon"},
    {nan_horizon, PBS_ERROR_ARGUMENT, "horizon"},
    {negative_volume, PBS_ERROR_ARGUMENT, "volumes of particle 1"},
    {no_volume, PBS_ERROR_ARGUMENT, "too small to compare the volumes of families"},
    {negative_density, PBS_ERROR_ARGUMENT, "particle_densities of particle 1"},
    {negative_mass, PBS_ERROR_ARGUMENT, "density"},
    {negative_young, PBS_ERROR_ARGUMENT, "particle_young of particle 1"},
    {nan_young, PBS_ERROR_ARGUMENT, "young"},
    {huge_young, PBS_ERROR_ARGUMENT, "young is 1e+308, must be positive and finite"},
    {negative_energy, PBS_ERROR_ARGUMENT, "particle_fracture_energies of particle 1"},
    {energy_twice, PBS_ERROR_ARGUMENT, "one of them"},
    {nan_stretch, PBS_ERROR_ARGUMENT, "critical_stretch"},
    {weibull, PBS_ERROR_ARGUMENT, "weibull_modulus"},
    {negative_damping, PBS_ERROR_ARGUMENT, "damping"},
    {negative_radius, PBS_ERROR_ARGUMENT, "contact_radii of particle 1"},
    {filled_twice, PBS_ERROR_ARGUMENT, "one of them"},
    {narrow_box, PBS_ERROR_MESH, "no particle"},
    {flat_box, PBS_ERROR_MESH, "no particle"},
    {other_count, PBS_ERROR_ARGUMENT, "particle_count is 3"},
    {huge_box, PBS_ERROR_ARGUMENT, "points"},
    {inverted, PBS_ERROR_MESH, "rest volume"},
    {tets_of_plane, PBS_ERROR_ARGUMENT, "not a solid"},
};

static void bad_descriptions_are_refused_in_words(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const pbs_body none = {77};
        pbs_body body = none;
        pbs_peridynamic_desc d = describe(NULL);
        d.particle_count = 3;
        d.positions = PLACES;
        refusals[i].spoil(&d);
        assert_int_equal(pbs_body_create_peridynamic(world, &d, &body), refusals[i].status);
        if (strstr(pbs_last_error(), refusals[i].words) == NULL) {
            fail_msg("refusal %zu says: %s", i, pbs_last_error());
        }
        assert_true(body.id == none.id);
    }
    pbs_world_destroy(world);
}

/// Weak layers and zones that hold are the host's to choose, bond by bond.
static void critical_stretches_are_the_hosts(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0};
    double stretches[3] = {0.1, INFINITY, 0.2};
    pbs_world *world = weightless_world();
    pbs_peridynamic_desc d = describe(box);
    d.dimension = PBS_PERIDYNAMIC_BAR;
    d.section = 0.01;
    const pbs_body body = add(world, &d);
    assert_ok(pbs_body_set_critical_stretches(world, body, stretches, 3));
    assert_memory_equal(pbs_body_critical_stretches(world, body), stretches, sizeof stretches);
    const double map[9] = {1.15, 0, 0, 0, 1, 0, 0, 0, 1};
    deform(world, body, map);
    assert_ok(pbs_body_pin_all(world, body));
    assert_ok(pbs_world_step(world, 1e-3));
    const uint8_t *broken = pbs_body_broken(world, body);
    assert_true(broken[0] == 1 && broken[1] == 0 && broken[2] == 0);
    assert_int_equal(pbs_body_set_critical_stretches(world, body, stretches, 2),
                     PBS_ERROR_ARGUMENT);
    assert_int_equal(pbs_body_set_critical_stretches(world, body, NULL, 3), PBS_ERROR_ARGUMENT);
    stretches[2] = NAN;
    assert_int_equal(pbs_body_set_critical_stretches(world, body, stretches, 3),
                     PBS_ERROR_ARGUMENT);
    assert_near(pbs_body_critical_stretches(world, body)[2], 0.2, 0.0, "nothing changed");
    assert_int_equal(pbs_body_set_critical_stretches(world, (pbs_body){9}, stretches, 3),
                     PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

/// A column of 0.6 m of 2000 kg/m^3 weighs 11.8 kPa, and bonds that break at 1e-3 bear 1 kPa.
static void weak_bodies_are_told(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_body body;
    pbs_peridynamic_desc d = describe(BOX);
    d.critical_stretch = 1e-3;
    assert_int_equal(pbs_body_create_peridynamic(world, &d, &body), PBS_WEAK_BONDS);
    assert_non_null(strstr(pbs_last_error(), "may break under its own weight"));
    d.critical_stretch = 1.0;
    assert_int_equal(pbs_body_create_peridynamic(world, &d, &body), PBS_OK);
    pbs_world_destroy(world);
}

/// A body that a host asked for and that was refused leaves nothing behind.
static pbs_status create(pbs_world *world, void *context) {
    pbs_body body;
    return pbs_body_create_peridynamic(world, context, &body);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    const double box[6] = {0, 0, 0, 0.3, 0.3, 0.3};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_peridynamic_desc d = describe(box);
    uint64_t refused = 0;
    d.fracture_energy = 1e3;
    assert_ok(refuse_until_success(&allocator, world, create, &d, &refused));
    assert_true(refused > 15);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_filled),
        cmocka_unit_test(tetrahedra_are_filled),
        cmocka_unit_test(energy_is_that_of_the_continuum),
        cmocka_unit_test(a_bond_breaks_beyond_its_stretch),
        cmocka_unit_test(pressed_bonds_hold),
        cmocka_unit_test(damage_begins_after_a_cut),
        cmocka_unit_test(a_plane_stays_in_its_plane),
        cmocka_unit_test(breaking_worlds_go_on_to_the_bit),
        cmocka_unit_test(no_numbering_shows),
        cmocka_unit_test(what_broke_pulls_no_more),
        cmocka_unit_test(bad_descriptions_are_refused_in_words),
        cmocka_unit_test(critical_stretches_are_the_hosts),
        cmocka_unit_test(weak_bodies_are_told),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
