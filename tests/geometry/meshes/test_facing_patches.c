// Patches where boxes and an L face each other: areas, centroids and moduli are those of
// rectangles.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/facing_patches.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/host/refusals.h"
#include "support/scenes/world_scenes.h"
#include "support/testing.h"

static const double CUBE[3] = {1.0, 1.0, 1.0};
static const double DISTANCE = 1e-3;

struct boxes {
    struct box_surface a, b;
    struct surface_view views[2];
};

static void make(struct boxes *s, const double a[3], const double b[3], const double at[3]) {
    box_surface_make(&s->a, a);
    box_surface_make(&s->b, b);
    for (int i = 0; i < 24; i++) {
        s->b.positions[i] += at[i % 3];
    }
    s->views[0] = (struct surface_view){8, s->a.positions, 12, s->a.triangles};
    s->views[1] = (struct surface_view){8, s->b.positions, 12, s->b.triangles};
}

/// A patch of a rectangle a x b, a <= b.
static void assert_rectangle(const struct facing_patch *patch, double a, double b,
                             const double center[3], const double normal[3]) {
    assert_near(patch->area, a * b, 1e-14, "area");
    assert_small(testing_max_difference(patch->center, center, 3), 1e-14, "center");
    assert_small(testing_max_difference(patch->normal, normal, 3), 1e-14, "normal");
    assert_near(patch->bending, a * a * b / 6.0, 1e-14, "bending");
    assert_near(patch->torsion, a * b * (a * a + b * b) / 12.0 / (0.5 * hypot(a, b)), 1e-14,
                "torsion");
}

/// Finds the patches and expects one; the other way round it has the opposite normal.
static void expect_rectangle(const struct boxes *s, double a, double b, const double center[3],
                             const double normal[3]) {
    struct memory memory;
    memory_init(&memory, NULL);
    struct facing_patches patches = {.count = 0};
    const double opposite[3] = {-normal[0], -normal[1], -normal[2]};
    assert_ok(facing_patches_find(&memory, &s->views[0], &s->views[1], DISTANCE, &patches));
    assert_int_equal(patches.count, 1);
    assert_rectangle(&patches.rows[0], a, b, center, normal);
    assert_ok(facing_patches_find(&memory, &s->views[1], &s->views[0], DISTANCE, &patches));
    assert_int_equal(patches.count, 1);
    assert_rectangle(&patches.rows[0], a, b, center, opposite);
    facing_patches_free(&memory, &patches);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void boxes_share_what_both_cover(void **state) {
    (void)state;
    struct boxes s;
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    make(&s, CUBE, CUBE, (const double[3]){1.0, 0.0, 0.0});
    expect_rectangle(&s, 1.0, 1.0, (const double[3]){0.5, 0.0, 0.0}, x);
    // A quarter and three tenths beyond, with a gap; then a smaller face within a larger one.
    make(&s, CUBE, CUBE, (const double[3]){1.0 + 0.5 * DISTANCE, 0.25, 0.3});
    expect_rectangle(&s, 0.7, 0.75, (const double[3]){0.5 + 0.25 * DISTANCE, 0.125, 0.15}, x);
    make(&s, CUBE, (const double[3]){0.2, 1.0, 0.5}, (const double[3]){0.1, 1.0, 0.05});
    expect_rectangle(&s, 0.2, 0.5, (const double[3]){0.1, 0.5, 0.05}, y);
}

static void nothing_is_shared_apart_or_along_edges(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    static const double places[4][3] = {
        {1.0 + 2e-3, 0.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}, {0.9, 0.0, 0.0}};
    struct facing_patches patches = {.count = 0};
    for (int i = 0; i < 4; i++) {
        struct boxes s;
        make(&s, CUBE, CUBE, places[i]);
        assert_ok(facing_patches_find(&memory, &s.views[0], &s.views[1], DISTANCE, &patches));
        assert_int_equal(patches.count, 0);
    }
    facing_patches_free(&memory, &patches);
}

/// In any pose the numbers are the same.
static void patches_turn_with_bodies(void **state) {
    (void)state;
    struct boxes s;
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    double center[3], normal[3];
    make(&s, CUBE, CUBE, (const double[3]){1.0, 0.25, 0.3});
    for (int i = 0; i < 8; i++) {
        double x[3];
        copy3(s.a.positions + 3 * (size_t)i, x);
        multiply3(turn, x, s.a.positions + 3 * (size_t)i);
        copy3(s.b.positions + 3 * (size_t)i, x);
        multiply3(turn, x, s.b.positions + 3 * (size_t)i);
    }
    multiply3(turn, (const double[3]){0.5, 0.125, 0.15}, center);
    multiply3(turn, (const double[3]){1.0, 0.0, 0.0}, normal);
    expect_rectangle(&s, 0.7, 0.75, center, normal);
}

/// An L of two steps, as a prism, with a box in its corner: two patches at right angles.
static void an_l_has_two_patches(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    // Counterclockwise seen from +z: (0,0) (2,0) (2,1) (1,1) (1,2) (0,2), z from 0 to 1.
    static const double corners[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const uint32_t caps[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    double positions[36];
    uint32_t triangles[60], *t = triangles;
    for (uint32_t i = 0; i < 12; i++) {
        positions[3 * i] = corners[i % 6][0];
        positions[3 * i + 1] = corners[i % 6][1];
        positions[3 * i + 2] = i < 6 ? 0.0 : 1.0;
    }
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t j = (i + 1) % 6;
        const uint32_t sides[6] = {i, j, j + 6, i, j + 6, i + 6};
        memcpy(t, sides, sizeof sides);
        t += 6;
    }
    for (int i = 0; i < 4; i++) {
        const uint32_t ends[6] = {caps[i][0] + 6, caps[i][1] + 6, caps[i][2] + 6,
                                  caps[i][0],     caps[i][2],     caps[i][1]};
        memcpy(t, ends, sizeof ends);
        t += 6;
    }
    const struct surface_view ell = {12, positions, 20, triangles};
    assert_ok(surface_check_closed(&ell, &memory));
    struct boxes s;
    make(&s, CUBE, CUBE, (const double[3]){1.5, 1.5, 0.5});
    struct facing_patches patches = {.count = 0};
    assert_ok(facing_patches_find(&memory, &ell, &s.views[1], DISTANCE, &patches));
    assert_int_equal(patches.count, 2);
    assert_rectangle(&patches.rows[0], 1.0, 1.0, (const double[3]){1.5, 1.0, 0.5},
                     (const double[3]){0.0, 1.0, 0.0});
    assert_rectangle(&patches.rows[1], 1.0, 1.0, (const double[3]){1.0, 1.5, 0.5},
                     (const double[3]){1.0, 0.0, 0.0});
    facing_patches_free(&memory, &patches);
}

static pbs_status find(struct memory *memory, const void *context) {
    const struct boxes *s = context;
    struct facing_patches patches = {.count = 0};
    const pbs_status status = facing_patches_find(memory, &s->views[0], &s->views[1], DISTANCE,
                                                  &patches);
    facing_patches_free(memory, &patches);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct boxes s;
    make(&s, CUBE, CUBE, (const double[3]){1.0, 0.0, 0.0});
    assert_refusals_are_statuses(find, &s, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_share_what_both_cover),
        cmocka_unit_test(nothing_is_shared_apart_or_along_edges),
        cmocka_unit_test(patches_turn_with_bodies),
        cmocka_unit_test(an_l_has_two_patches),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
