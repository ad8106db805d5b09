// Insets of boxes and of a turned one, of a ball, and what has none.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/inset_surface.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "support/host/refusals.h"
#include "support/scenes/world_scenes.h"
#include "support/testing.h"

static bool inset(const struct surface_view *surface, double distance, double *moved) {
    struct memory memory;
    bool possible = false;
    memory_init(&memory, NULL);
    assert_ok(inset_surface(&memory, surface, distance, moved, &possible));
    assert_int_equal(memory.bytes_in_use, 0);
    return possible;
}

/// The inset of a box is the box that is smaller by twice the distance, in any pose.
static void a_box_becomes_a_smaller_box(void **state) {
    (void)state;
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    struct box_surface box, smaller;
    double positions[24], moved[24];
    box_surface_make(&box, (const double[3]){1.0, 2.0, 0.5});
    box_surface_make(&smaller, (const double[3]){0.98, 1.98, 0.48});
    for (size_t i = 0; i < 8; i++) {
        multiply3(turn, box.positions + 3 * i, positions + 3 * i);
    }
    const struct surface_view surface = {8, positions, 12, box.triangles};
    assert_true(inset(&surface, 0.01, moved));
    for (size_t i = 0; i < 8; i++) {
        double x[3];
        multiply3(turn, smaller.positions + 3 * i, x);
        assert_small(testing_max_difference(x, moved + 3 * i, 3), 1e-14, "corner");
    }
}

static void thin_bodies_have_none(void **state) {
    (void)state;
    struct box_surface box;
    double moved[24];
    // 3 V / A is 0.0148 m.
    box_surface_make(&box, (const double[3]){1.0, 1.0, 0.01});
    const struct surface_view surface = {8, box.positions, 12, box.triangles};
    assert_true(inset(&surface, 0.002, moved));
    assert_false(inset(&surface, 0.004, moved));
}

/// Around a vertex where two tetrahedra meet no direction leads inside of both.
static void corners_of_two_solids_have_none(void **state) {
    (void)state;
    static const double positions[21] = {0, 0,  0, 1, 0, 0,  0, 1, 0, 0, 0,
                                         1, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    static const uint32_t triangles[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3,
                                           0, 4, 5, 0, 6, 4, 0, 5, 6, 4, 6, 5};
    const struct surface_view surface = {7, positions, 8, triangles};
    double moved[21];
    struct memory memory;
    memory_init(&memory, NULL);
    assert_ok(surface_check_closed(&surface, &memory));
    assert_false(inset(&surface, 0.001, moved));
}

static pbs_status inset_box(struct memory *memory, const void *context) {
    double moved[24];
    bool possible = false;
    return inset_surface(memory, context, 0.01, moved, &possible);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct box_surface box;
    box_surface_make(&box, (const double[3]){1.0, 2.0, 0.5});
    const struct surface_view surface = {8, box.positions, 12, box.triangles};
    assert_refusals_are_statuses(inset_box, &surface, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_becomes_a_smaller_box),
        cmocka_unit_test(thin_bodies_have_none),
        cmocka_unit_test(corners_of_two_solids_have_none),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
