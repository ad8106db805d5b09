// A restored world finds the accelerations of steps that begin in contact with the same bits.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

/// A damped sheet that lies on the ground. The matrix of damping is that of the last step in a
/// world that goes on, and of none in one that was restored: a_n must not depend on it.
static void damped_sheets_go_on_as_if_never_saved(void **state) {
    (void)state;
    static const int32_t schemes[] = {PBS_SCHEME_TRAPEZOIDAL, PBS_SCHEME_NEWMARK,
                                      PBS_SCHEME_OUTER_THETA, PBS_SCHEME_TR_BDF2,
                                      PBS_SCHEME_GENERALIZED_ALPHA};
    const double corner[3] = {0.0, 2e-4, 0.0}, h = 1.0 / 100.0;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.gravity[1] = -9.81;
        pbs_world *world = new_world_from(&d), *other = new_world_from(&d);
        use_scheme(world, schemes[s]);
        pbs_shell_desc shell;
        assert_ok(pbs_shell_desc_init(&shell, sizeof shell));
        shell.damping = 0.01;
        add_sheet(world, 3, 0.3, corner, &shell);
        add_ground(world);
        for (int n = 0; n < 6; n++) {
            assert_true(pbs_world_step(world, h) >= 0);
        }
        assert_true(stats_of(world).contact.active > 0);
        struct saved_world saved = save_world(world);
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        free(saved.data);
        for (int n = 0; n < 4; n++) {
            assert_int_equal(pbs_world_step(world, h), pbs_world_step(other, h));
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        }
        pbs_world_destroy(world);
        pbs_world_destroy(other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_sheets_go_on_as_if_never_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
