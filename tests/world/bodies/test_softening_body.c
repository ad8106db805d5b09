// Peridynamic bodies whose bonds soften before they break: strength and fracture energy of a bar,
// softening that stays after unloading, undoing, saving and refusals.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include "base/matrix3/math3.h"
#include "energy/springs/softening_law.h"
#include "world/refusal.h"
#include "world/snapshots/snapshot.h"

static const double STRENGTH = 3e6, YOUNG = 3e10, ENERGY = 100.0, SPACING = 5e-3;

static pbs_peridynamic_desc describe(int32_t dimension, const double *box) {
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.dimension = dimension;
    d.box = box;
    d.spacing = SPACING;
    d.section = dimension == PBS_PERIDYNAMIC_SOLID ? 0.0 : 0.02;
    d.density = 2400.0;
    d.young = YOUNG;
    d.fracture_energy = ENERGY;
    d.tensile_strength = STRENGTH;
    return d;
}

static pbs_world *world_of(int32_t scheme, int32_t threads, int32_t step_control) {
    pbs_world_desc settings;
    pbs_integrator_desc d;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.threads = threads;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.step_control.kind = step_control;
    d.step_control.max = 1e-5;
    d.step_control.tolerance = 1e-9;
    use_integrator(world, &d);
    return world;
}

static pbs_body add(pbs_world *world, const pbs_peridynamic_desc *d) {
    pbs_body body;
    assert_ok(pbs_body_create_peridynamic(world, d, &body));
    return body;
}

// --- strength ---

/// Pa: the virial stress at one particle along x.
static double stress_at(const pbs_world *world, pbs_body body, size_t particle, double volume) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    double sum = 0.0;
    assert_true(particle < count);
    assert_ok(pbs_body_bonds(world, body, &pairs, &bonds));
    pbs_bond_load *loads = calloc(bonds, sizeof *loads);
    assert_non_null(loads);
    assert_ok(pbs_body_bond_loads(world, body, loads, sizeof *loads, &bonds));
    for (size_t i = 0; i < bonds; i++) {
        if (pairs[2 * i] == particle || pairs[2 * i + 1] == particle) {
            double way[3];
            subtract3(x + 3 * (size_t)pairs[2 * i], x + 3 * (size_t)pairs[2 * i + 1], way);
            sum += 0.5 * loads[i].normal * way[0] * way[0] / norm3(way);
        }
    }
    free(loads);
    return sum / volume;
}

/// Stretched alike all bonds begin to soften together, where the stress is the strength:
/// calibration makes that exact, as it does energy.
static void alike_stretched_bonds_bear_the_strength(void **state) {
    (void)state;
    // Of section 4: the strain at which the continuum of that Poisson ratio has the stress.
    static const double shares[] = {0.5, 2.0 / 3.0, 0.625, 1.0};
    for (int32_t dimension = PBS_PERIDYNAMIC_SOLID; dimension <= PBS_PERIDYNAMIC_BAR; dimension++) {
        const double side = 7.0 * SPACING;
        const double box[6] = {0.0,
                               0.0,
                               0.0,
                               side,
                               dimension == PBS_PERIDYNAMIC_BAR ? 0.0 : side,
                               dimension == PBS_PERIDYNAMIC_SOLID ? side : 0.0};
        pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1, PBS_STEP_FIXED);
        pbs_peridynamic_desc d = describe(dimension, box);
        d.no_surface_correction = 1;
        const pbs_body body = add(world, &d);
        const size_t count = pbs_body_vertex_count(world, body);
        const double volume = dimension == PBS_PERIDYNAMIC_SOLID ? SPACING * SPACING * SPACING
                              : dimension == PBS_PERIDYNAMIC_BAR ? SPACING * 0.02
                                                                 : SPACING * SPACING * 0.02;
        double *x = malloc(3 * count * sizeof *x), *rest = malloc(3 * count * sizeof *rest);
        assert_true(x != NULL && rest != NULL);
        memcpy(rest, pbs_body_positions(world, body), 3 * count * sizeof *rest);
        for (int k = 0; k < 2; k++) {
            const double stretch = shares[dimension] * STRENGTH / YOUNG * (k == 0 ? 0.999 : 1.5);
            for (size_t i = 0; i < 3 * count; i++) {
                x[i] = (1.0 + stretch) * rest[i];
            }
            assert_ok(pbs_body_set_positions(world, body, x, count));
            const double stress = stress_at(world, body, count / 2, volume) / STRENGTH;
            if (k == 0) {
                // Lengths are those of the stretched ones.
                assert_near(stress, 0.999, 2e-4, "stress at the onset");
            } else {
                assert_true(stress > 0.9 && stress < 1.0);
            }
        }
        free(x);
        free(rest);
        pbs_world_destroy(world);
    }
}

// --- a bar that is pulled apart ---

enum { BAR = 40, GRIP = 3 };

/// A row of particles, both of whose ends are held; scattered by so little that it is known which
/// section is the weakest.
static pbs_body add_bar(pbs_world *world) {
    const double box[6] = {0.0, 0.0, 0.0, BAR * SPACING, 0.0, 0.0};
    pbs_peridynamic_desc d = describe(PBS_PERIDYNAMIC_BAR, box);
    uint32_t ends[2 * GRIP];
    d.weibull_modulus = 200.0;
    d.seed = 3;
    d.drag = 0.0;
    const pbs_body body = add(world, &d);
    for (uint32_t i = 0; i < GRIP; i++) {
        ends[i] = i;
        ends[GRIP + i] = BAR - GRIP + i;
    }
    assert_ok(pbs_body_pin(world, body, ends, 2 * GRIP, PBS_AXIS_ALL));
    return body;
}

/// Moves the right end by that much in the next step.
static void pull(pbs_world *world, pbs_body body, double way) {
    double targets[3 * GRIP];
    uint32_t ends[GRIP];
    for (uint32_t i = 0; i < GRIP; i++) {
        ends[i] = BAR - GRIP + i;
        memcpy(targets + 3 * (size_t)i, pbs_body_positions(world, body) + 3 * (size_t)ends[i],
               3 * sizeof *targets);
        targets[3 * i] += way;
    }
    assert_ok(pbs_body_set_targets(world, body, ends, GRIP, targets));
}

static double held(const pbs_world *world, pbs_body body) {
    double forces[3 * BAR], sum = 0.0;
    assert_ok(pbs_body_constraint_forces(world, body, forces, NULL, BAR));
    for (size_t i = BAR - GRIP; i < BAR; i++) {
        sum += forces[3 * i];
    }
    return sum;
}

static const double PULL = 1e-6;

static void pull_once(pbs_world *world, pbs_body body) {
    pull(world, body, PULL);
    assert_ok(pbs_world_step(world, 1.0));
}

/// The highest load is the strength times the section, all but what scatter and the softening of
/// short bonds before long ones take; the area under the curve is what a crack takes, and all of
/// it is dissipated when two halves are left.
static void a_bar_takes_strength_and_fracture_energy(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1, PBS_STEP_FIXED);
    const pbs_body body = add_bar(world);
    const double section = 0.02;
    double work = 0.0, before = 0.0, peak = 0.0;
    size_t fragments = 0;
    // The longest bonds break at 13 times energy over strength.
    for (int k = 0; k < 500 && fragments < 2; k++) {
        pull_once(world, body);
        const double load = held(world, body);
        work += 0.5 * PULL * (load + before);
        before = load;
        peak = fmax(peak, load);
        assert_ok(pbs_body_fragments(world, body, NULL, sizeof(pbs_fragment), &fragments));
    }
    assert_int_equal(fragments, 2);
    assert_near(peak / (STRENGTH * section), 0.99, 0.01, "strength");
    // Bonds beside the crack had begun to soften.
    assert_near(energy_of(world).dissipated / (ENERGY * section), 1.01, 0.01, "fracture energy");
    assert_near(work / (ENERGY * section), 1.01, 0.01, "work");
    assert_small(energy_of(world).elastic / (ENERGY * section), 1e-9, "left");
    assert_true(pbs_body_damage(world, body)[0] < 1e-3F);
    pbs_world_destroy(world);
}

/// Back to where it was it bears less, and dissipates nothing more; pressed, it is whole.
static void an_unloaded_bar_remembers(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1, PBS_STEP_FIXED);
    const pbs_body body = add_bar(world);
    double first = 0.0, largest = 0.0;
    for (int k = 0; k < 30; k++) {
        pull_once(world, body);
        first = k == 0 ? held(world, body) : first;
    }
    const double load = held(world, body), dissipated = energy_of(world).dissipated;
    for (size_t i = 0; i < BAR; i++) {
        largest = fmax(largest, pbs_body_damage(world, body)[i]);
    }
    assert_true(largest > 0.1 && largest < 1.0);
    pull(world, body, -15.0 * PULL);
    assert_ok(pbs_world_step(world, 1.0));
    assert_near(held(world, body) / load, 0.5, 1e-4, "half way back");
    pull(world, body, -15.0 * PULL);
    assert_ok(pbs_world_step(world, 1.0));
    assert_small(fabs(held(world, body)) / load, 1e-4, "back");
    assert_near(energy_of(world).dissipated / dissipated, 1.0, 1e-4, "dissipated");
    // A step that crosses from tension to compression starts from the stiffness on one side, by
    // rounding either, and counts what falls from there. The next one has only one stiffness.
    pull(world, body, -PULL);
    assert_ok(pbs_world_step(world, 1.0));
    assert_near(held(world, body) / first, -1.0, 1e-4, "pressed");
    const double pressed = energy_of(world).dissipated;
    pull(world, body, -PULL);
    assert_ok(pbs_world_step(world, 1.0));
    assert_near(held(world, body) / first, -2.0, 1e-4, "pressed twice as far");
    assert_near(energy_of(world).dissipated / pressed, 1.0, 1e-4, "dissipated");
    pull(world, body, 32.0 * PULL);
    assert_ok(pbs_world_step(world, 1.0));
    assert_near(held(world, body) / load, 1.0, 1e-4, "loaded again");
    pbs_world_destroy(world);
}

// --- undone, saved, and with threads ---

/// A row whose halves fly apart.
static pbs_body add_bursting(pbs_world *world) {
    const double box[6] = {0.0, 0.0, 0.0, BAR * SPACING, 0.0, 0.0};
    double v[3 * BAR] = {0.0};
    const pbs_peridynamic_desc d = describe(PBS_PERIDYNAMIC_BAR, box);
    const pbs_body body = add(world, &d);
    for (size_t i = 0; i < BAR; i++) {
        v[3 * i] = i < BAR / 2 ? -2.0 : 2.0;
    }
    assert_ok(pbs_body_set_velocities(world, body, v, BAR));
    return body;
}

static const double FLIGHT = 4e-5;

/// An advance that fails in its last step leaves everything as it was, and what follows is as if it
/// had never been made; with other threads, and where steps are taken back in between as well.
static void failed_advances_soften_nothing(void **state) {
    (void)state;
    for (int doubling = 0; doubling < 2; doubling++) {
        const int32_t control = doubling ? PBS_STEP_DOUBLING : PBS_STEP_FIXED;
        pbs_world *worlds[2];
        pbs_body bodies[2];
        int left[2] = {1000000, 1000000};
        for (int i = 0; i < 2; i++) {
            worlds[i] = world_of(PBS_SCHEME_TR_BDF2, i == 0 ? 1 : 3, control);
            bodies[i] = add_bursting(worlds[i]);
            add_stopping_particle(worlds[i], &left[i]);
        }
        const double first = energy_of(worlds[1]).total;
        assert_ok(pbs_world_advance(worlds[1], FLIGHT));
        assert_int_equal(stats_of(worlds[1]).step_control.rejected > 0, doubling);
        // What was taken back is not counted twice.
        const pbs_energy end = energy_of(worlds[1]);
        assert_true(end.dissipated > 0.1);
        assert_near((end.total + end.dissipated) / first, 1.0, doubling ? 1e-3 : 0.05, "energy");
        left[0] = 1000000 - left[1] - 3;
        const uint64_t hash = pbs_world_hash(worlds[0]);
        assert_status(pbs_world_advance(worlds[0], FLIGHT), PBS_ERROR_HOST);
        assert_true(pbs_world_hash(worlds[0]) == hash);
        left[0] = 1000000;
        assert_true(energy_of(worlds[0]).dissipated == 0.0);
        assert_ok(pbs_world_advance(worlds[0], FLIGHT));
        assert_memory_equal(pbs_body_positions(worlds[0], bodies[0]),
                            pbs_body_positions(worlds[1], bodies[1]), 3 * BAR * sizeof(double));
        assert_memory_equal(pbs_body_damage(worlds[0], bodies[0]),
                            pbs_body_damage(worlds[1], bodies[1]), BAR * sizeof(float));
        assert_true(energy_of(worlds[0]).dissipated == energy_of(worlds[1]).dissipated);
        pbs_world_destroy(worlds[0]);
        pbs_world_destroy(worlds[1]);
    }
}

static void saved_worlds_go_on_to_the_bit(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1, PBS_STEP_FIXED);
    pbs_world *restored = new_world();
    const pbs_body body = add_bar(world);
    for (int k = 0; k < 60; k++) {
        pull_once(world, body);
    }
    struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    const pbs_body other = pbs_world_body_at(restored, 0);
    assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
    assert_near(energy_of(world).elastic, energy_of(restored).elastic, 0.0, "elastic");
    for (int k = 0; k < 20; k++) {
        assert_memory_equal(pbs_body_damage(world, body), pbs_body_damage(restored, other),
                            BAR * sizeof(float));
        pull_once(world, body);
        pull_once(restored, other);
        assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
    }
    free(saved.data);
    pbs_world_destroy(restored);
    pbs_world_destroy(world);
}

/// Two numbers of a saved world: one after the other, or with a word between them that says that
/// the array of the second one is there.
struct saved_pair {
    double values[2];
    bool has_word;
};

static size_t write_pair(const struct saved_pair *pair, unsigned char bytes[20]) {
    const uint32_t present = 1;
    const size_t word = pair->has_word ? sizeof present : 0;
    memcpy(bytes, &pair->values[0], sizeof(double));
    memcpy(bytes + sizeof(double), &present, word);
    memcpy(bytes + sizeof(double) + word, &pair->values[1], sizeof(double));
    return 2 * sizeof(double) + word;
}

/// With the only two numbers like `set` replaced what was saved is refused.
static void refuse_instead(const struct saved_world *saved, const struct saved_pair *set,
                           const double wrong[2]) {
    const struct saved_pair other = {{wrong[0], wrong[1]}, set->has_word};
    unsigned char right_bytes[20], wrong_bytes[20];
    const size_t size = write_pair(set, right_bytes);
    (void)write_pair(&other, wrong_bytes);
    struct snapshot_header header;
    unsigned char *forged = malloc(saved->size);
    int found = 0;
    assert_non_null(forged);
    memcpy(forged, saved->data, saved->size);
    for (size_t at = sizeof header; at + size <= saved->size; at++) {
        if (memcmp(forged + at, right_bytes, size) == 0) {
            memcpy(forged + at, wrong_bytes, size);
            found++;
        }
    }
    assert_int_equal(found, 1);
    memcpy(&header, forged, sizeof header);
    header.checksum = checksum(forged + sizeof header, saved->size - sizeof header);
    memcpy(forged, &header, sizeof header);
    pbs_world *world = new_world();
    assert_status(pbs_world_restore(world, forged, saved->size), PBS_ERROR_FORMAT);
    pbs_world_destroy(world);
    free(forged);
}

static void forged_bonds_are_refused(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.0, 10 * SPACING, 0.0, 0.0};
    const double opening = softening_shape_of(0.15, 0.4).opening, onset = STRENGTH / YOUNG;
    pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1, PBS_STEP_FIXED);
    const pbs_peridynamic_desc d = describe(PBS_PERIDYNAMIC_BAR, box);
    add(world, &d);
    const struct saved_world saved = save_world(world);
    // The shape, the first onset after it, and what remains of the first bond after the distances
    // at which particles of broken bonds touch.
    const struct saved_pair shape = {{0.15, opening}, false}, first = {{opening, onset}, true},
                            remaining = {{0.0, 1.0}, true};
    const double wrong[][2] = {{0.0, opening}, {NAN, opening}, {0.95, opening}, {0.15, -0.1},
                               {opening, 0.0}, {opening, NAN}, {opening, 1.0},  {0.0, 1.5},
                               {0.0, -0.5},    {0.0, NAN}};
    for (int i = 0; i < 10; i++) {
        refuse_instead(&saved, i < 4 ? &shape : i < 7 ? &first : &remaining, wrong[i]);
    }
    free(saved.data);
    pbs_world_destroy(world);
}

// --- in motion ---

/// What holds the halves back softens: kinetic and elastic energy and what is dissipated stay what
/// they were, by explicit steps and by implicit ones.
static void energy_is_kept_in_motion(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_VELOCITY_VERLET, PBS_SCHEME_NEWMARK};
    for (int k = 0; k < 2; k++) {
        pbs_world *world = world_of(schemes[k], 1, PBS_STEP_FIXED);
        add_bursting(world);
        const double first = energy_of(world).total;
        for (int n = 0; n < 200; n++) {
            assert_ok(pbs_world_step(world, 2e-7));
            const pbs_energy e = energy_of(world);
            assert_near((e.total + e.dissipated) / first, 1.0, k == 0 ? 2e-3 : 2e-2, "energy");
        }
        assert_true(energy_of(world).dissipated > 0.3 * ENERGY * 0.02);
        pbs_world_destroy(world);
    }
}

// --- what is refused ---

SPOIL(negative_strength, pbs_peridynamic_desc *d, d->tensile_strength = -1.0)
SPOIL(nan_strength, pbs_peridynamic_desc *d, d->tensile_strength = NAN)
SPOIL(infinite_strength, pbs_peridynamic_desc *d, d->tensile_strength = INFINITY)
SPOIL(no_energy, pbs_peridynamic_desc *d, d->fracture_energy = 0.0)
SPOIL(too_strong, pbs_peridynamic_desc *d, d->tensile_strength = 1e8)
SPOIL(huge_strength, pbs_peridynamic_desc *d, d->tensile_strength = 1e300)
SPOIL(knee_of_one, pbs_peridynamic_desc *d, d->softening_knee = 1.0)
SPOIL(nan_knee, pbs_peridynamic_desc *d, d->softening_knee = NAN)
SPOIL(negative_initial, pbs_peridynamic_desc *d, d->softening_initial = -0.1)
SPOIL(large_initial, pbs_peridynamic_desc *d, d->softening_initial = 1.1)
SPOIL(early_stretch, pbs_peridynamic_desc *d, d->fracture_energy = 0.0;
      d->critical_stretch = 1.1 * STRENGTH / YOUNG)

static const struct refusal refusals[] = {
    {negative_strength, PBS_ERROR_ARGUMENT, "tensile_strength"},
    {nan_strength, PBS_ERROR_ARGUMENT, "tensile_strength"},
    {infinite_strength, PBS_ERROR_ARGUMENT, "tensile_strength"},
    {no_energy, PBS_ERROR_ARGUMENT, "give a fracture_energy"},
    {too_strong, PBS_ERROR_ARGUMENT, "shorter horizon"},
    {huge_strength, PBS_ERROR_ARGUMENT, "shorter horizon"},
    {knee_of_one, PBS_ERROR_ARGUMENT, "softening_knee"},
    {nan_knee, PBS_ERROR_ARGUMENT, "softening_knee"},
    {negative_initial, PBS_ERROR_ARGUMENT, "softening_initial"},
    {large_initial, PBS_ERROR_ARGUMENT, "softening_initial"},
    {early_stretch, PBS_ERROR_ARGUMENT, "snaps back"},
};

static void bad_descriptions_are_refused_in_words(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.0, 10 * SPACING, 0.0, 0.0};
    pbs_world *world = new_world();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        pbs_body body = {0};
        pbs_peridynamic_desc d = describe(PBS_PERIDYNAMIC_BAR, box);
        refusals[i].spoil(&d);
        assert_int_equal(pbs_body_create_peridynamic(world, &d, &body), refusals[i].status);
        if (strstr(pbs_last_error(), refusals[i].words) == NULL) {
            fail_msg("refusal %zu says: %s", i, pbs_last_error());
        }
    }
    const pbs_peridynamic_desc d = describe(PBS_PERIDYNAMIC_BAR, box);
    const pbs_body body = add(world, &d);
    size_t count = 0;
    const uint32_t *pairs = NULL;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    double *stretches = malloc(count * sizeof *stretches);
    assert_non_null(stretches);
    memcpy(stretches, pbs_body_critical_stretches(world, body), count * sizeof *stretches);
    // What never breaks does not soften.
    stretches[0] = INFINITY;
    assert_ok(pbs_body_set_critical_stretches(world, body, stretches, count));
    stretches[1] = 1.01 * STRENGTH / YOUNG;
    assert_status(pbs_body_set_critical_stretches(world, body, stretches, count),
                  PBS_ERROR_ARGUMENT);
    assert_message("snaps back");
    free(stretches);
    pbs_world_destroy(world);
}

static pbs_status create_and_step(pbs_world *world, void *context) {
    pbs_body body;
    pbs_status status = pbs_body_create_peridynamic(world, context, &body);
    if (status < 0) {
        return status;
    }
    status = pbs_world_step(world, 1e-6);
    if (status < 0) {
        assert_ok(pbs_body_destroy(world, body));
    }
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.0, 10 * SPACING, 0.0, 0.0};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_peridynamic_desc d = describe(PBS_PERIDYNAMIC_BAR, box);
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, create_and_step, &d, &refused));
    assert_true(refused > 30);
    pbs_world_destroy(world);
}

static void softening_takes_no_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    add_bursting(world);
    assert_ok(pbs_world_step(world, 2e-7));
    const double before = energy_of(world).dissipated;
    assert_ok(pbs_world_step(world, 2e-7));
    const uint64_t calls = allocator.allocate_count;
    for (int n = 0; n < 40; n++) {
        assert_ok(pbs_world_step(world, 2e-7));
    }
    assert_int_equal(allocator.allocate_count, calls);
    assert_true(energy_of(world).dissipated > before);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_stretched_bonds_bear_the_strength),
        cmocka_unit_test(a_bar_takes_strength_and_fracture_energy),
        cmocka_unit_test(an_unloaded_bar_remembers),
        cmocka_unit_test(failed_advances_soften_nothing),
        cmocka_unit_test(saved_worlds_go_on_to_the_bit),
        cmocka_unit_test(forged_bonds_are_refused),
        cmocka_unit_test(energy_is_kept_in_motion),
        cmocka_unit_test(bad_descriptions_are_refused_in_words),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(softening_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
