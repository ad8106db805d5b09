// Where cracks run in peridynamic plates: a notched plate of glass under tension, where the crack
// branches, and Kalthoff and Winkler's plate of steel. bench/crack_paths runs them finer.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/crack_path.h"
#include "support/testing.h"

/// The crack leaves the notch after some 12 us, when waves from both sides have been there, and
/// branches between 65 and 70 mm (peridynamics and phase fields alike), known to within a horizon.
/// Its tip stays below Rayleigh's wave, and both halves of the plate are mirror images to the last
/// bit.
static void a_crack_branches(void **state) {
    (void)state;
    const struct cracked_plate_desc desc = {.kind = PLATE_GLASS, .spacing = 0.5e-3, .horizon = 3.0};
    struct cracked_plate plate;
    assert_ok(cracked_plate_make(&desc, &plate));
    const double horizon = 3.0 * desc.spacing;
    assert_ok(cracked_plate_step(&plate, 10e-6));
    assert_true(crack_path_of(&plate).tip == 0.0);
    assert_ok(cracked_plate_step(&plate, 10e-6));
    const struct crack_path before = crack_path_of(&plate);
    assert_true(before.tip > 0.05 && isinf(before.branch));
    assert_ok(cracked_plate_step(&plate, 25e-6));
    const struct crack_path after = crack_path_of(&plate);
    assert_true(after.branch > 0.065 - horizon && after.branch < 0.070 + horizon);
    assert_true(after.tip - before.tip < plate.rayleigh * 25e-6 + horizon);
    assert_true(after.is_symmetric);
    cracked_plate_free(&plate);
}

/// The plate is struck between its notches: mode II. The wave takes 10 us to the tips; cracks leave
/// them after 26 to 29 us at about 70 degrees, 65 to 75 in simulations.
static void a_struck_plate_cracks_at_seventy_degrees(void **state) {
    (void)state;
    const struct cracked_plate_desc desc = {
        .kind = PLATE_STEEL, .spacing = 1e-3, .horizon = 3.0, .threads = 2};
    struct cracked_plate plate;
    assert_ok(cracked_plate_make(&desc, &plate));
    assert_ok(cracked_plate_step(&plate, 15e-6));
    assert_true(crack_path_height(&plate) == 0.0);
    for (int part = 1; part < 6; part++) {
        assert_ok(cracked_plate_step(&plate, 15e-6));
    }
    const double angle = crack_path_angle(&plate);
    assert_true(angle > 65.0 && angle < 75.0);
    assert_true(crack_path_of(&plate).is_symmetric);
    cracked_plate_free(&plate);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crack_branches),
        cmocka_unit_test(a_struck_plate_cracks_at_seventy_degrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
