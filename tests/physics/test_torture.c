// The scenes of bench/scenes/torture/torture.h, small, at steps from 1/30 to 1/1000 s, speeds to
// 100 m/s, contact distances to 0.1 mm and cloth of 1 mm: after every step no edge meets a triangle
// (exact test), no tetrahedron is inverted and nothing is behind a plane. A step that does not land
// says why and leaves the world as it was. At moderate speeds every step lands. Where things cross
// thousands of contact distances in one step, whether Newton's method needs 20 iterations or the
// 500 that end it is a matter of rounding: of how many scenes it is, is not.
// SPDX-License-Identifier: MIT
#include "scenes/torture/torture.h"
#include "scenes/torture/torture_check.h"
#include "support/world_testing.h"

struct setting {
    double step, speed, distance; ///< s; m/s, 0: the scene's own; m
    int steps;
    int failures; ///< of that many scenes a step may fail
};

// Failures: in 4 to 11 runs, starting speeds or solvers a little different, 0.25, 1.8 and 0.7
// scenes failed on average in the settings that have any. By Poisson's law more than these fail in
// one run of five thousand.
static const struct setting settings[] = {
    {1.0 / 100.0, 0.0, 1e-3, 16, 0},   {1.0 / 30.0, 10.0, 1e-3, 4, 4},
    {1.0 / 30.0, 100.0, 1e-4, 3, 8},   {1.0 / 1000.0, 10.0, 1e-4, 8, 0},
    {1.0 / 1000.0, 100.0, 1e-3, 3, 5},
};

static const char *mesh_folder(void) {
    static char folder[512];
    const char *const shared = getenv("PBS_SHARED_DATA");
    snprintf(folder, sizeof folder, "%s/meshes", shared != NULL ? shared : "../shared/data");
    return folder;
}

static void assert_clean(struct surface_check *check, const struct torture *scene, int step) {
    struct torture_findings found;
    assert_ok(torture_check_run(check, scene, &found));
    if (!torture_findings_are_clean(&found)) {
        fail_msg("%s, step %d: %zu edges meet triangles, least det F %g, least height %g m",
                 scene->row->name, step, found.intersections, found.least_jacobian,
                 found.least_height);
    }
}

/// The step that just failed said so, and changed nothing.
static void assert_reported(const struct torture *scene, pbs_status status, const char *message,
                            uint64_t hash, uint64_t landed) {
    const pbs_stats stats = stats_of(scene->world);
    assert_int_equal(stats.status, status);
    assert_true(strlen(message) > 20);
    assert_true(stats.total.failed_steps == 1 && stats.total.steps == landed);
    assert_true(pbs_world_hash(scene->world) == hash);
    // An obstacle that was told to move has not.
    for (size_t i = 0; i < scene->mover_count; i++) {
        const struct torture_mover *const m = &scene->movers[i];
        if (m->collider.id != 0 && landed == 0) {
            double place[3];
            assert_ok(pbs_collider_pose(scene->world, m->collider, place, NULL));
            assert_same_bits(place, m->place, 3);
        }
    }
}

/// How many steps landed.
static int run(struct torture *scene, int setting, int steps) {
    struct surface_check check;
    surface_check_init(&check);
    assert_clean(&check, scene, 0);
    int landed = 0;
    pbs_status status = PBS_OK;
    for (; landed < steps && status == PBS_OK; landed += status == PBS_OK) {
        const uint64_t hash = pbs_world_hash(scene->world);
        char message[512];
        status = torture_step(scene);
        snprintf(message, sizeof message, "%s", pbs_last_error());
        if (status != PBS_OK) {
            print_message("%s, step %d of setting %d: %s\n", scene->row->name, landed, setting,
                          message);
            assert_reported(scene, status, message, hash, (uint64_t)landed);
        }
        assert_clean(&check, scene, landed + 1);
    }
    surface_check_free(&check);
    return landed;
}

/// Those of many elements take fewer steps, and none where each would take a second: the bench has
/// them all.
static int step_count(const struct torture_row *row, int setting) {
    static const char *const large[] = {"rings_affine", "rings_soft", "links_affine",
                                        "links_soft",   "chain_soft", "cloth_layers"};
    if (row->impossible) {
        return 1000;
    }
    for (size_t i = 0; i < COUNT_OF(large); i++) {
        if (strcmp(row->name, large[i]) == 0) {
            return setting > 0 ? 0 : testing_is_small() ? 1 : 5;
        }
    }
    return testing_is_small() ? 3 : settings[setting].steps;
}

static void run_all(int setting) {
    struct torture_options options;
    torture_options_init(&options);
    options.meshes = mesh_folder();
    options.step = settings[setting].step;
    options.speed = settings[setting].speed;
    options.world.contact_distance = settings[setting].distance;
    options.world.threads = 1;
    int left_out = 0;
    int failures = 0;
    for (size_t i = 0; i < torture_row_count; i++) {
        const struct torture_row *const row = &torture_rows[i];
        if (!torture_can(row, &options)) {
            left_out++;
            continue;
        }
        struct torture scene;
        assert_ok(torture_create(row, &options, &scene));
        const int steps = step_count(row, setting);
        const int landed = run(&scene, setting, steps);
        assert_true(!row->impossible || landed < steps);
        failures += !row->impossible && landed < steps;
        torture_free(&scene);
    }
    assert_true(failures <= settings[setting].failures);
    if (left_out > 0) {
        print_message("%d scenes left out: their meshes are not in ../shared/data "
                      "(PBS_SHARED_DATA names the folder)\n",
                      left_out);
    }
}

static void at_their_own_speed(void **state) {
    (void)state;
    run_all(0);
}

static void frames_at_10_m_s(void **state) {
    (void)state;
    run_all(1);
}

static void frames_at_100_m_s_and_a_tenth_of_a_millimetre(void **state) {
    (void)state;
    run_all(2);
}

static void milliseconds_at_10_m_s_and_a_tenth_of_a_millimetre(void **state) {
    (void)state;
    run_all(3);
}

static void milliseconds_at_100_m_s(void **state) {
    (void)state;
    run_all(4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_their_own_speed),
        cmocka_unit_test(frames_at_10_m_s),
        cmocka_unit_test(frames_at_100_m_s_and_a_tenth_of_a_millimetre),
        cmocka_unit_test(milliseconds_at_10_m_s_and_a_tenth_of_a_millimetre),
        cmocka_unit_test(milliseconds_at_100_m_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
