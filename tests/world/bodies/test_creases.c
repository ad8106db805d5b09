// Sheets with creases: the remaining angle, energy, saving, undoing and refusals. The sheet has one
// hinge with an edge of 1 m and two triangles of 1/2 m^2. So a curvature of 1/m is an angle of 1
// rad, and the energy is D / 2 times the squared angle.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include "energy/shells/bending.h"
#include "world/refusal.h"

enum { VERTICES = 4 };

static const double positions[3 * VERTICES] = {0.0, 0.0, 0.0, 1.0, 0.0,  0.0,
                                               0.5, 1.0, 0.0, 0.5, -1.0, 0.0};
static const uint32_t triangles[6] = {0, 1, 2, 1, 0, 3};
static const double YIELD = 0.3, THICKNESS = 0.01, YOUNG = 1.2e7;
/// N m, for a Poisson ratio of 0.
static const double RIGIDITY = 1.0;

static pbs_shell_desc describe(double yield) {
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.vertex_count = VERTICES;
    d.positions = positions;
    d.triangle_count = 2;
    d.triangles = triangles;
    d.thickness = THICKNESS;
    d.young = YOUNG;
    d.poisson = 0.0;
    d.bending = PBS_BENDING_HINGE;
    d.yield_curvature = yield;
    return d;
}

static pbs_world *world_of(int32_t scheme) {
    pbs_world_desc settings;
    pbs_integrator_desc d;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&settings);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    use_integrator(world, &d);
    return world;
}

static pbs_body add(pbs_world *world, const pbs_shell_desc *d) {
    static const uint32_t held[] = {0, 1, 2};
    pbs_body body;
    assert_ok(pbs_body_create_shell(world, d, &body));
    assert_ok(pbs_body_pin(world, body, held, COUNT_OF(held), PBS_AXIS_ALL));
    return body;
}

/// Folds the sheet to an angle in one step.
static void fold(pbs_world *world, pbs_body body, double angle) {
    const uint32_t vertex = 3;
    const double target[3] = {0.5, -cos(angle), -sin(angle)};
    assert_ok(pbs_body_set_targets(world, body, &vertex, 1, target));
    assert_ok(pbs_world_step(world, 0.01));
}

static double crease_of(const pbs_world *world, pbs_body body) {
    const double *angles = pbs_body_rest_angles(world, body);
    assert_non_null(angles);
    assert_true(angles[0] == angles[3]);
    return angles[0];
}

/// Folded beyond the yield angle and back: the rest angle follows at that distance, and stays in
/// between. An angle and its sine and cosine are exact to rounding.
static void the_rest_angle_follows_at_the_yield_angle(void **state) {
    (void)state;
    // Where it is folded to, and the rest angle then.
    static const double rows[][2] = {{0.29, 0.0}, {0.8, 0.5}, {0.25, 0.5},  {1.6, 1.3},
                                     {1.1, 1.3},  {0.9, 1.2}, {-0.5, -0.2}, {0.0, -0.2},
                                     {2.9, 2.6},  {3.1, 2.8}};
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_shell_desc d = describe(YIELD);
    const pbs_body body = add(world, &d);
    assert_true(crease_of(world, body) == 0.0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fold(world, body, rows[i][0]);
        assert_near(crease_of(world, body), rows[i][1], 1e-9, "rest angle");
        const double bent = rows[i][0] - rows[i][1];
        assert_near(energy_of(world).elastic, 0.5 * RIGIDITY * bent * bent, 1e-6, "energy");
    }
    pbs_world_destroy(world);
}

/// Let go, a folded sheet opens to the angle that it was folded to less the yield angle.
static void a_fold_opens_to_its_crease(void **state) {
    (void)state;
    const uint32_t vertex = 3;
    for (int k = 1; k <= 5; k++) {
        const double angle = 0.5 * k;
        pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC);
        const pbs_shell_desc d = describe(YIELD);
        const pbs_body body = add(world, &d);
        for (int n = 1; n <= 5; n++) {
            fold(world, body, angle * n / 5);
        }
        assert_ok(pbs_body_unpin(world, body, &vertex, 1, PBS_AXIS_ALL));
        assert_ok(pbs_world_step(world, 0.01));
        assert_near(bending_angle(pbs_body_positions(world, body), NULL), angle - YIELD, 1e-5,
                    "angle left");
        assert_near(crease_of(world, body), angle - YIELD, 1e-9, "rest angle");
        pbs_world_destroy(world);
    }
}

/// Each step d beyond the yield angle y dissipates D / 2 ((y + d)^2 - y^2), D / 2 d^2 more than the
/// work D y d of the moment at the yield angle.
static void creasing_dissipates_its_work(void **state) {
    (void)state;
    for (int n = 10; n <= 40; n *= 2) {
        pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
        const pbs_shell_desc d = describe(YIELD);
        const pbs_body body = add(world, &d);
        fold(world, body, YIELD);
        // What is left of the speed of the scripted vertex is inertia, not dissipated.
        const double before = energy_of(world).dissipated;
        for (int k = 1; k <= n; k++) {
            fold(world, body, YIELD + 1.0 * k / n);
        }
        const double work = RIGIDITY * YIELD * 1.0, excess = 0.5 * RIGIDITY / n;
        assert_near(energy_of(world).dissipated - before, work + excess, 1e-9, "dissipated");
        pbs_world_destroy(world);
    }
}

/// A free sheet of many edges that is crumpled by its own motion.
static pbs_body add_crumpling(pbs_world *world) {
    static const double corner[3] = {0.0, 0.0, 0.0};
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.thickness = THICKNESS;
    d.young = YOUNG;
    d.bending = PBS_BENDING_HINGE;
    d.yield_curvature = 0.05;
    const pbs_body body = add_sheet(world, 4, 1.0, corner, &d);
    const size_t count = pbs_body_vertex_count(world, body);
    double *v = calloc(count, 3 * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < count; i++) {
        const double *x = pbs_body_positions(world, body) + 3 * i;
        v[3 * i + 1] = 20.0 * (x[0] - 0.5) * (x[0] - 0.5) + 5.0 * x[2] * x[0];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
    return body;
}

/// Saved between creases, a world goes on with the same bits.
static void restored_worlds_crease_on_to_the_bit(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
    add_crumpling(world);
    for (int n = 0; n < 5; n++) {
        assert_ok(pbs_world_step(world, 2e-3));
    }
    const double before = energy_of(world).dissipated;
    assert_true(before > 0.0);
    struct saved_world saved = save_world(world);
    pbs_world *other = world_of(PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    for (int n = 0; n < 10; n++) {
        assert_true(pbs_world_hash(other) == pbs_world_hash(world));
        assert_ok(pbs_world_step(world, 2e-3));
        assert_ok(pbs_world_step(other, 2e-3));
    }
    assert_true(pbs_world_hash(other) == pbs_world_hash(world));
    assert_true(energy_of(world).dissipated > before);
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

/// A step that is stopped leaves no crease.
static void failed_steps_leave_no_crease(void **state) {
    (void)state;
    int evaluations = 100000;
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.step_control.max = 2e-3;
    use_integrator(world, &d);
    add_crumpling(world);
    add_stopping_particle(world, &evaluations);
    int needed = evaluations;
    assert_ok(pbs_world_advance(world, 0.01));
    needed -= evaluations;
    const uint64_t hash = pbs_world_hash(world);
    const double dissipated = energy_of(world).dissipated;
    assert_true(dissipated > 0.0);
    evaluations = needed / 2;
    assert_status(pbs_world_advance(world, 0.01), PBS_ERROR_HOST);
    evaluations = 100000;
    assert_true(pbs_world_hash(world) == hash);
    assert_true(energy_of(world).dissipated == dissipated);
    pbs_world_destroy(world);
}

/// The host's rest angles take the place of creases; none stand for the flat sheet.
static void rest_angles_replace_creases(void **state) {
    (void)state;
    static const double angles[6] = {0.7, 0.0, 0.0, 0.7, 0.0, 0.0};
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_shell_desc d = describe(YIELD);
    const pbs_body body = add(world, &d);
    fold(world, body, 1.0);
    assert_near(crease_of(world, body), 0.7, 1e-9, "creased");
    assert_ok(pbs_body_set_rest_angles(world, body, NULL, 2));
    assert_true(crease_of(world, body) == 0.0);
    assert_ok(pbs_body_set_rest_angles(world, body, angles, 2));
    fold(world, body, 0.9);
    assert_true(crease_of(world, body) == 0.7);
    pbs_world_destroy(world);
}

/// Elastic sheets in the same world keep their angles, and without creases there is nothing to
/// read.
static void elastic_sheets_keep_their_angles(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_shell_desc elastic = describe(0.0), creasing = describe(YIELD);
    const pbs_body first = add(world, &elastic), second = add(world, &creasing);
    fold(world, first, 1.0);
    fold(world, second, 1.0);
    assert_null(pbs_body_rest_angles(world, first));
    assert_null(pbs_body_rest_angles(world, (pbs_body){0}));
    assert_near(crease_of(world, second), 0.7, 1e-9, "creased");
    assert_near(energy_of(world).elastic, 0.5 * RIGIDITY * (1.0 + YIELD * YIELD), 1e-6, "energy");
    pbs_world_destroy(world);
}

static pbs_status create(pbs_world *world, void *context) {
    pbs_body body;
    return pbs_body_create_shell(world, context, &body);
}

static pbs_status one_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1e-3);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_shell_desc d = describe(YIELD);
    assert_ok(refuse_until_success(&allocator, world, create, &d, &refused));
    assert_true(refused > 5);
    assert_ok(refuse_until_success(&allocator, world, one_step, NULL, &refused));
    assert_true(refused > 30);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

SPOIL(negative, pbs_shell_desc *d, d->yield_curvature = -1.0)
SPOIL(infinite, pbs_shell_desc *d, d->yield_curvature = INFINITY)
SPOIL(plate, pbs_shell_desc *d, d->bending = PBS_BENDING_PLATE)

static void what_is_refused(void **state) {
    (void)state;
    static const struct refusal rows[] = {
        {negative, PBS_ERROR_ARGUMENT, "yield_curvature is -1"},
        {infinite, PBS_ERROR_ARGUMENT, "yield_curvature is inf"},
        {plate, PBS_ERROR_ARGUMENT, "must be 0 unless bending is PBS_BENDING_HINGE"},
    };
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_shell_desc d = describe(YIELD);
        pbs_body body;
        rows[i].spoil(&d);
        assert_status(pbs_body_create_shell(world, &d, &body), rows[i].status);
        assert_non_null(strstr(pbs_last_error(), rows[i].words));
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_angle_follows_at_the_yield_angle),
        cmocka_unit_test(a_fold_opens_to_its_crease),
        cmocka_unit_test(creasing_dissipates_its_work),
        cmocka_unit_test(restored_worlds_crease_on_to_the_bit),
        cmocka_unit_test(failed_steps_leave_no_crease),
        cmocka_unit_test(rest_angles_replace_creases),
        cmocka_unit_test(elastic_sheets_keep_their_angles),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("world/creases", tests, NULL, NULL);
}
