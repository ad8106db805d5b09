// Cracks that advance within one step (fracture_passes), and the largest number of bonds that break
// at once (fracture_limit).
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

enum { HANGERS = 6 };
static const double STEP = 0.016;

/// A stiff row of spheres that hangs on a row above, each sphere by one bond. The first of these
/// bonds is the weakest. The load of a broken bond is taken over by the others.
struct row {
    pbs_world *world;
    pbs_body body;
    uint32_t hanger[HANGERS]; ///< bonds, from left to right
};

struct how {
    int32_t scheme;
    uint32_t passes, limit;
    int32_t threads, contact;
};

static struct row hang(const struct how *how) {
    static struct bonded_parts p;
    static double strengths[2 * 3 * HANGERS];
    const double none[3] = {0.0, 0.0, 0.0};
    pbs_world_desc settings;
    struct row s;
    uint32_t held[HANGERS];
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = how->contact;
    settings.gravity[1] = -9.81;
    settings.relative_tolerance = 1e-10;
    settings.threads = how->threads;
    settings.fracture_passes = how->passes;
    settings.fracture_limit = how->limit;
    s.world = new_world_from(&settings);
    use_scheme_of(s.world, how->scheme);
    bonded_block(&p, HANGERS, 2, 1, none);
    p.d.young = 1e7;
    p.d.density = 1000.0;
    p.d.bond_tensile_strengths = strengths;
    for (uint32_t b = 0; b < p.d.bond_count; b++) {
        const uint32_t low = p.bonds[2 * (size_t)b];
        const bool hangs = p.bonds[2 * (size_t)b + 1] == low + HANGERS;
        // 667 Pa each would bear if the row were rigid.
        strengths[b] = hangs ? (low == 0 ? 500.0 : 1100.0 + 10.0 * low) : 0.0;
        if (hangs) {
            s.hanger[low] = b;
        }
    }
    for (uint32_t i = 0; i < HANGERS; i++) {
        held[i] = HANGERS + i;
    }
    assert_ok(pbs_body_create_bonded(s.world, &p.d, &s.body));
    assert_ok(pbs_body_pin(s.world, s.body, held, HANGERS, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin_orientations(s.world, s.body, held, HANGERS));
    return s;
}

static size_t take_step(const struct row *s, pbs_broken_bond rows[HANGERS]) {
    size_t count = HANGERS;
    assert_ok(pbs_world_step(s->world, STEP));
    assert_ok(pbs_world_broken_bonds(s->world, rows, sizeof *rows, &count));
    return count;
}

/// All hangers that broke in this step are the ones from `first` on, in their order, at this time.
static void assert_unzipped(const struct row *s, const pbs_broken_bond *rows, size_t count,
                            size_t first, double time) {
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].bond, s->hanger[first + i]);
        assert_near(rows[i].time, time, 1e-15, "time");
    }
}

/// One after the other, as each but the first holds only while its neighbour does: in six steps, or
/// in the passes of one; what passes do not do is left to the steps that follow.
static void a_row_comes_off_in_as_many_passes_as_steps(void **state) {
    static const uint32_t passes[4] = {0, 1, 2, 100};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(passes); k++) {
        const struct how how = {PBS_SCHEME_IMPLICIT_EULER, passes[k], 0, 1, PBS_CONTACT_PROJECTION};
        const struct row s = hang(&how);
        size_t broken = 0;
        for (int n = 1; broken < HANGERS; n++) {
            pbs_broken_bond rows[HANGERS];
            const size_t left = HANGERS - broken;
            const size_t count = take_step(&s, rows);
            assert_int_equal(count, passes[k] + 1 < left ? passes[k] + 1 : left);
            assert_unzipped(&s, rows, count, broken, n * STEP);
            broken += count;
        }
        pbs_world_destroy(s.world);
    }
}

/// The step that lands is that of a body whose bonds the host had cut before: whatever the scheme,
/// which keeps nothing of the forces of bonds that are no more, and with barriers as without.
static void what_lands_never_had_the_bonds(void **state) {
    static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_TRAPEZOIDAL,
                                      PBS_SCHEME_TR_BDF2, PBS_SCHEME_BDF2,
                                      PBS_SCHEME_GENERALIZED_ALPHA};
    (void)state;
    for (size_t k = 0; k < 2 * COUNT_OF(schemes); k++) {
        struct how how = {schemes[k / 2], 100, 0, 1,
                          k % 2 == 0 ? PBS_CONTACT_PROJECTION : PBS_CONTACT_BARRIER};
        const struct row s = hang(&how);
        how.passes = 0;
        const struct row cut = hang(&how);
        pbs_broken_bond rows[HANGERS];
        // A step before, in which nothing breaks yet.
        const double gentle = 1e-3;
        assert_ok(pbs_world_step(s.world, gentle));
        assert_ok(pbs_world_step(cut.world, gentle));
        assert_int_equal(pbs_body_broken(s.world, s.body)[s.hanger[0]], 0);
        const double total = energy_of(s.world).total;
        assert_int_equal(take_step(&s, rows), HANGERS);
        assert_ok(pbs_body_break_bonds(cut.world, cut.body, cut.hanger, HANGERS));
        assert_ok(pbs_world_step(cut.world, STEP));
        const size_t count = 3 * pbs_body_vertex_count(s.world, s.body);
        // What Newton's tolerance leaves of positions of 0.1 m, over the step for velocities.
        assert_small(testing_max_difference(pbs_body_positions(s.world, s.body),
                                            pbs_body_positions(cut.world, cut.body), count),
                     1e-11, "positions");
        assert_small(testing_max_difference(pbs_body_velocities(s.world, s.body),
                                            pbs_body_velocities(cut.world, cut.body), count),
                     1e-9, "velocities");
        // Bonds gave up what they held when the step began.
        double energy = 0.0;
        for (size_t i = 0; i < HANGERS; i++) {
            energy += rows[i].energy;
        }
        assert_near(energy_of(s.world).dissipated - energy_of(cut.world).dissipated, energy,
                    1e-9 * fabs(total), "dissipated");
        pbs_world_destroy(s.world);
        pbs_world_destroy(cut.world);
    }
}

/// Two spheres hang on two by one bond each, in two bodies of which the second has the weaker
/// bonds; then in two that are the same.
static void what_is_farthest_above_breaks_first(void **state) {
    (void)state;
    for (int same = 0; same < 2; same++) {
        static struct bonded_parts p;
        static const double spin[3] = {0.0, 0.0, 0.0};
        const uint32_t held = 1;
        pbs_world_desc settings;
        pbs_body bodies[2];
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.contact = PBS_CONTACT_PROJECTION;
        settings.gravity[1] = -9.81;
        settings.fracture_limit = 1;
        pbs_world *world = new_world_from(&settings);
        for (int i = 0; i < 2; i++) {
            bonded_block(&p, 1, 2, 1, spin);
            p.d.young = 1e7;
            p.d.tensile_strength = same || i == 0 ? 200.0 : 100.0;
            // With a warning, as they cannot bear the row above either.
            assert_status(pbs_body_create_bonded(world, &p.d, &bodies[i]), PBS_WEAK_BONDS);
            assert_ok(pbs_body_pin(world, bodies[i], &held, 1, PBS_AXIS_ALL));
        }
        for (int n = 0; n < 3; n++) {
            pbs_broken_bond row;
            size_t count = 1;
            assert_ok(pbs_world_step(world, STEP));
            assert_ok(pbs_world_broken_bonds(world, &row, sizeof row, &count));
            assert_int_equal(count, n < 2);
            assert_true(n == 2 || row.body.id == bodies[same ? n : 1 - n].id);
        }
        pbs_world_destroy(world);
    }
}

/// With passes and with fewer at once the same bonds break in the same order.
static void a_limit_counts_for_each_pass(void **state) {
    (void)state;
    const struct how how = {PBS_SCHEME_IMPLICIT_EULER, 100, 1, 1, PBS_CONTACT_PROJECTION};
    const struct row s = hang(&how);
    pbs_broken_bond rows[HANGERS];
    assert_int_equal(take_step(&s, rows), HANGERS);
    assert_unzipped(&s, rows, HANGERS, 0, STEP);
    pbs_world_destroy(s.world);
}

// --- the step as a whole ---

/// A step that stops in its last pass has broken nothing, and is the same when it is tried again.
static void a_failed_pass_takes_all_back(void **state) {
    static const struct how how = {PBS_SCHEME_TR_BDF2, 100, 0, 1, PBS_CONTACT_PROJECTION};
    enum { MANY = 1000000 };
    (void)state;
    struct row s[2];
    int left[2] = {MANY, MANY};
    pbs_broken_bond rows[2][HANGERS];
    for (int i = 0; i < 2; i++) {
        s[i] = hang(&how);
        add_stopping_particle(s[i].world, &left[i]);
    }
    assert_int_equal(take_step(&s[1], rows[1]), HANGERS);
    left[0] = MANY - left[1] - 2;
    assert_status(pbs_world_step(s[0].world, STEP), PBS_ERROR_HOST);
    left[0] = MANY;
    size_t count = 0;
    assert_ok(pbs_world_broken_bonds(s[0].world, NULL, sizeof rows[0][0], &count));
    assert_int_equal(count, 0);
    for (size_t b = 0; b < HANGERS; b++) {
        assert_int_equal(pbs_body_broken(s[0].world, s[0].body)[s[0].hanger[b]], 0);
    }
    assert_near(energy_of(s[0].world).dissipated, 0.0, 0.0, "dissipated");
    assert_int_equal(take_step(&s[0], rows[0]), HANGERS);
    assert_unzipped(&s[0], rows[0], HANGERS, 0, STEP);
    assert_same_bits(pbs_body_positions(s[0].world, s[0].body),
                     pbs_body_positions(s[1].world, s[1].body), 6 * HANGERS);
    pbs_world_destroy(s[0].world);
    pbs_world_destroy(s[1].world);
}

/// Refuses one of its Hessians, which ends a minimisation as a state that is not admissible does.
struct refusal {
    int count, at;
};

static int32_t refuse_once(void *user, size_t stencil, const double *x, int32_t project,
                           double *value, double *gradient, double *hessian) {
    struct refusal *refusal = user;
    (void)stencil;
    (void)x;
    (void)project;
    if (value != NULL) {
        *value = 0.0;
    }
    for (int i = 0; i < 3 && gradient != NULL; i++) {
        gradient[i] = 0.0;
    }
    for (int i = 0; i < 9 && hessian != NULL; i++) {
        hessian[i] = 0.0;
    }
    refusal->count += hessian != NULL;
    return hessian != NULL && refusal->count == refusal->at ? 1 : 0;
}

static struct row hang_and_refuse(struct refusal *refusal) {
    const struct how how = {PBS_SCHEME_IMPLICIT_EULER, 100, 1, 1, PBS_CONTACT_PROJECTION};
    const struct row s = hang(&how);
    static const double position[3] = {5.0, 50.0, 0.0};
    pbs_world_desc settings = {.struct_size = sizeof settings};
    pbs_custom_desc d;
    pbs_body particle;
    assert_ok(pbs_world_settings(s.world, &settings));
    settings.divisions = 1;
    assert_ok(pbs_world_set_settings(s.world, &settings));
    point_describe(&d, position, refuse_once, refusal);
    assert_ok(pbs_body_create_custom(s.world, &d, &particle));
    return s;
}

/// A step that fails in a pass after others have broken bonds lands in halves: bonds that broke in
/// the whole of it are whole again, and break in the first half, at its time.
static void a_pass_that_fails_is_halved_without_what_it_broke(void **state) {
    (void)state;
    struct refusal none = {.at = -1};
    const struct row halves = hang_and_refuse(&none);
    pbs_broken_bond expected[HANGERS], rows[HANGERS];
    size_t expected_count = HANGERS;
    assert_ok(pbs_world_step(halves.world, 0.5 * STEP));
    assert_ok(pbs_world_broken_bonds(halves.world, expected, sizeof *expected, &expected_count));
    assert_int_equal(expected_count, HANGERS);
    assert_ok(pbs_world_step(halves.world, 0.5 * STEP));
    // How many Hessians the whole step takes; then the last of them is refused.
    struct refusal all = {.at = -1};
    const struct row whole = hang_and_refuse(&all);
    assert_ok(pbs_world_step(whole.world, STEP));
    struct refusal last = {.at = all.count};
    const struct row s = hang_and_refuse(&last);
    size_t count = HANGERS;
    assert_status(pbs_world_step(s.world, STEP), PBS_DIVIDED);
    assert_ok(pbs_world_broken_bonds(s.world, rows, sizeof *rows, &count));
    assert_int_equal(count, HANGERS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].bond, expected[i].bond);
        assert_near(rows[i].time, 0.5 * STEP, 1e-15, "time");
        assert_near(rows[i].energy, expected[i].energy, 1e-12, "energy");
    }
    assert_small(testing_max_difference(pbs_body_positions(s.world, s.body),
                                        pbs_body_positions(halves.world, halves.body), 6 * HANGERS),
                 1e-11, "positions");
    pbs_world_destroy(s.world);
    pbs_world_destroy(whole.world);
    pbs_world_destroy(halves.world);
}

/// Halves of steps are looked at on their own; those that the control rejects leave nothing.
static void step_control_breaks_each_bond_once(void **state) {
    (void)state;
    const struct how how = {PBS_SCHEME_TR_BDF2, 100, 0, 1, PBS_CONTACT_PROJECTION};
    const struct row s = hang(&how);
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    pbs_broken_bond rows[HANGERS + 1];
    size_t count = HANGERS + 1;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_TR_BDF2));
    d.step_control.kind = PBS_STEP_DOUBLING;
    d.step_control.tolerance = 1e-6;
    d.step_control.max = 2.0 * STEP;
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(s.world, integrator));
    pbs_integrator_destroy(integrator);
    assert_ok(pbs_world_advance(s.world, 4.0 * STEP));
    assert_ok(pbs_world_broken_bonds(s.world, rows, sizeof *rows, &count));
    assert_true(stats_of(s.world).step_control.rejected > 0);
    assert_int_equal(count, HANGERS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pbs_body_broken(s.world, s.body)[rows[i].bond] != 0, true);
        assert_true(rows[i].time <= 4.0 * STEP && (i == 0 || rows[i].time >= rows[i - 1].time));
        for (size_t k = 0; k < i; k++) {
            assert_true(rows[i].bond != rows[k].bond);
        }
    }
    pbs_world_destroy(s.world);
}

static void threads_and_restores_change_nothing(void **state) {
    (void)state;
    const struct how how = {PBS_SCHEME_IMPLICIT_EULER, 1, 0, 1, PBS_CONTACT_BARRIER};
    const struct row s = hang(&how);
    pbs_broken_bond rows[HANGERS];
    assert_int_equal(take_step(&s, rows), 2);
    struct saved_world saved = save_world(s.world);
    assert_int_equal(take_step(&s, rows), 2);
    for (int32_t threads = 1; threads <= 3; threads++) {
        const struct how plain = {PBS_SCHEME_BDF2, 0, 0, threads, PBS_CONTACT_BARRIER};
        struct row other = hang(&plain);
        pbs_broken_bond own[HANGERS];
        assert_ok(pbs_world_restore(other.world, saved.data, saved.size));
        other.body = pbs_world_body_at(other.world, 0);
        assert_int_equal(take_step(&other, own), 2);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(own[i].bond, rows[i].bond);
            assert_same_bits(&own[i].time, &rows[i].time, 4);
        }
        assert_same_bits(pbs_body_positions(s.world, s.body),
                         pbs_body_positions(other.world, other.body), 6 * HANGERS);
        pbs_world_destroy(other.world);
    }
    free(saved.data);
    pbs_world_destroy(s.world);
}

static void too_many_passes_are_refused_in_words(void **state) {
    (void)state;
    pbs_world_desc settings;
    pbs_world *world = NULL;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    assert_int_equal(settings.fracture_passes, 0);
    assert_int_equal(settings.fracture_limit, 0);
    settings.fracture_passes = 1001;
    assert_status(pbs_world_create(&settings, &world), PBS_ERROR_ARGUMENT);
    assert_message("fracture_passes is 1001, must be 0 to 1000");
    assert_null(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_comes_off_in_as_many_passes_as_steps),
        cmocka_unit_test(what_lands_never_had_the_bonds),
        cmocka_unit_test(what_is_farthest_above_breaks_first),
        cmocka_unit_test(a_limit_counts_for_each_pass),
        cmocka_unit_test(a_failed_pass_takes_all_back),
        cmocka_unit_test(a_pass_that_fails_is_halved_without_what_it_broke),
        cmocka_unit_test(step_control_breaks_each_bond_once),
        cmocka_unit_test(threads_and_restores_change_nothing),
        cmocka_unit_test(too_many_passes_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
