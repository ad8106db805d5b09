// Compares mass properties of boxes, balls and bodies with a cavity with closed forms, also far
// from the origin. Surfaces without volume are refused.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"
#include "geometry/meshes/mass_properties.h"
#include "support/host/refusals.h"
#include "support/random.h"

static const double pi = 3.14159265358979323846;

static struct surface_view view_of(const struct surface_mesh *mesh) {
    return (struct surface_view){mesh->vertex_count, mesh->positions, mesh->triangle_count,
                                 mesh->triangles};
}

static struct mass_properties measure(const struct surface_mesh *mesh) {
    const struct surface_view view = view_of(mesh);
    struct memory memory;
    struct mass_properties p;
    memory_init(&memory, NULL);
    assert_ok(surface_check_closed(&view, &memory));
    assert_int_equal(memory.bytes_in_use, 0);
    assert_ok(mass_properties_compute(&view, &p));
    return p;
}

static void move(struct surface_mesh *mesh, const double rotation[9], const double by[3]) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        double turned[3];
        multiply3(rotation, mesh->positions + 3 * i, turned);
        add3(turned, by, mesh->positions + 3 * i);
    }
}

/// R diag(d) R^T.
static void turned_diagonal(const double r[9], const double d[3], double out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) {
                out[3 * i + j] += r[3 * i + k] * d[k] * r[3 * j + k];
            }
        }
    }
}

/// A box of sides a, b, c has the moments V a^2 / 12. Coordinates of size s are rounded to s
/// epsilon, which moves the centre by as much and changes moments by V a s epsilon.
static void boxes_have_their_moments(void **state) {
    (void)state;
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    const double places[3][3] = {{0.0, 0.0, 0.0}, {3.0, -2.0, 1.0}, {1e4, 2e4, -3e4}};
    const double side[3] = {0.1, 0.06, 0.03};
    const double volume = side[0] * side[1] * side[2];
    for (int p = 0; p < 3; p++) {
        struct surface_mesh mesh;
        assert_true(surface_box(side[0], side[1], side[2], &mesh));
        move(&mesh, turn, places[p]);
        const struct mass_properties found = measure(&mesh);
        const double rounding = 4.0 * 2.2e-16 * (1.0 + norm3(places[p]));
        const double squares[3] = {volume * side[0] * side[0] / 12.0,
                                   volume * side[1] * side[1] / 12.0,
                                   volume * side[2] * side[2] / 12.0};
        double moments[9];
        turned_diagonal(turn, squares, moments);
        assert_near(found.volume, volume, volume * rounding / 0.03, "volume");
        assert_small(testing_max_difference(found.center, places[p], 3), rounding, "centre");
        assert_small(testing_max_difference(found.moments, moments, 9), volume * 0.1 * rounding,
                     "moments");
        surface_mesh_free(&mesh);
    }
}

/// Meshes inscribed in a ball of radius r converge to V = 4/3 pi r^3 and V r^2 / 5 with the square
/// of their edges: arcs of 2 pi / n lose (2 pi / n)^2 / 6 of an area, once around and once along.
/// An inverted ball inside a ball is a cavity.
static void balls_converge_and_cavities_count(void **state) {
    (void)state;
    double error_before = 0.0;
    for (size_t segments = 16; segments <= 64; segments *= 2) {
        struct surface_mesh ball;
        assert_true(surface_ball(2.0, segments, &ball));
        const struct mass_properties p = measure(&ball);
        const double volume = 4.0 / 3.0 * pi * 8.0;
        const double error = fabs(p.volume - volume) / volume;
        const double moment_error = fabs(p.moments[0] - volume * 4.0 / 5.0) / (volume * 0.8);
        assert_true(error < 20.0 / (double)(segments * segments));
        assert_true(moment_error < 40.0 / (double)(segments * segments));
        assert_true(segments == 16 || error < 0.3 * error_before);
        error_before = error;
        surface_mesh_free(&ball);
    }
    struct surface_mesh outer, inner;
    assert_true(surface_box(2.0, 2.0, 2.0, &outer));
    assert_true(surface_box(1.0, 1.0, 1.0, &inner));
    for (size_t t = 0; t < inner.triangle_count; t++) {
        const uint32_t first = inner.triangles[3 * t];
        inner.triangles[3 * t] = inner.triangles[3 * t + 1];
        inner.triangles[3 * t + 1] = first;
    }
    assert_true(surface_mesh_append(&outer, &inner));
    const struct mass_properties hollow = measure(&outer);
    assert_near(hollow.volume, 7.0, 1e-14, "volume");
    assert_near(hollow.moments[4], (8.0 * 4.0 - 1.0) / 12.0, 1e-14, "moment");
    surface_mesh_free(&outer);
    surface_mesh_free(&inner);
}

static void assert_refused(const struct surface_view *view, const char *sentence) {
    struct memory memory;
    memory_init(&memory, NULL);
    pbs_status status = surface_check_closed(view, &memory);
    if (status >= 0) {
        struct mass_properties p;
        status = mass_properties_compute(view, &p);
    }
    assert_status(status, PBS_ERROR_MESH);
    assert_message(sentence);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void swap_two(uint32_t *triangle) {
    const uint32_t first = triangle[0];
    triangle[0] = triangle[1];
    triangle[1] = first;
}

static void surfaces_that_enclose_nothing_are_refused(void **state) {
    (void)state;
    struct surface_mesh mesh;
    assert_true(surface_box(1.0, 2.0, 3.0, &mesh));
    struct surface_view view = view_of(&mesh);
    view.triangle_count = 11;
    assert_refused(&view, "has no other triangle; the surface must be closed");
    view.triangle_count = 12;
    swap_two(mesh.triangles + 15);
    assert_refused(&view, "must be as many; all triangles must be counterclockwise");
    swap_two(mesh.triangles + 15);
    for (size_t t = 0; t < 12; t++) {
        swap_two(mesh.triangles + 3 * t);
    }
    assert_refused(&view, "the surface encloses -6 m^3, must be positive");
    for (size_t i = 0; i < 8; i++) {
        mesh.positions[3 * i + 1] = 0.25 * mesh.positions[3 * i];
    }
    assert_refused(&view, "must be above");
    mesh.triangles[4] = 8;
    assert_refused(&view, "triangle 1: vertex index 8, must be below 8");
    mesh.triangles[4] = mesh.triangles[3];
    assert_refused(&view, "must have three vertices");
    mesh.positions[7] = NAN;
    assert_refused(&view, "vertex 2: y is nan, must be finite");
    surface_mesh_free(&mesh);
}

static pbs_status check(struct memory *memory, const void *context) {
    return surface_check_closed(context, memory);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct surface_mesh mesh;
    assert_true(surface_box(1.0, 2.0, 3.0, &mesh));
    const struct surface_view view = view_of(&mesh);
    assert_refusals_are_statuses(check, &view, 10);
    surface_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_their_moments),
        cmocka_unit_test(balls_converge_and_cavities_count),
        cmocka_unit_test(surfaces_that_enclose_nothing_are_refused),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
