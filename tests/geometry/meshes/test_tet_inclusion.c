// Points in tetrahedra: with known barycentric coordinates; on faces, edges and corners, where only
// exact signs leave no gap between neighbours; and degenerate tetrahedra.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/tet_inclusion.h"

#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"
#include "geometry/meshes/tet_mesh.h"
#include "support/random.h"
#include "support/testing.h"

static bool contains(const double x[4][3], const double p[3], double weight[4]) {
    const double *const corners[4] = {x[0], x[1], x[2], x[3]};
    return tet_contains(corners, p, weight);
}

static double volume_of(const double x[4][3]) {
    double m[9];
    for (int i = 0; i < 3; i++) {
        subtract3(x[i + 1], x[0], m + 3 * (size_t)i);
    }
    return determinant3(m);
}

/// A random tetrahedron of positive volume, not flat.
static void random_tet(struct random *random, double x[4][3]) {
    do {
        random_fill(random, -1.0, 1.0, x[0], 12);
    } while (!(volume_of((const double(*)[3])x) > 0.05));
}

// The point has known barycentric coordinates. Rounding of its position, 1e-16 m, changes them by
// that divided by the smallest height, volume over the largest area: 0.05 / 4.
static void known_coordinates_are_found(void **state) {
    (void)state;
    struct random random = random_seed(1);
    int inside = 0;
    for (int n = 0; n < testing_rounds(20000); n++) {
        double x[4][3], weight[4], p[3] = {0.0, 0.0, 0.0}, sum = 0.0, least = INFINITY;
        random_tet(&random, x);
        for (int i = 0; i < 4; i++) {
            weight[i] = random_uniform(&random, -0.3, 1.0);
            sum += weight[i];
        }
        for (int i = 0; i < 4; i++) {
            add_scaled3(p, weight[i] / sum, x[i], p);
            least = fmin(least, weight[i] / sum);
        }
        if (fabs(least) < 1e-12 || !(sum > 0.1)) {
            continue;
        }
        double found_weight[4];
        const bool found = contains((const double(*)[3])x, p, found_weight);
        assert_true(found == (least > 0.0));
        if (found) {
            for (int i = 0; i < 4; i++) {
                assert_near(found_weight[i], weight[i] / sum, 1e-13, "coordinate");
            }
            inside++;
        }
    }
    assert_true(inside > testing_rounds(20000) / 10);
}

/// Returns the number of tetrahedra of a mesh that contain a point.
static size_t count_around(const struct tet_mesh *mesh, const double p[3]) {
    size_t count = 0;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const double *corners[4];
        for (size_t k = 0; k < 4; k++) {
            corners[k] = mesh->positions + 3 * (size_t)mesh->tets[4 * t + k];
        }
        double weight[4];
        count += tet_contains(corners, p, weight);
    }
    return count;
}

// A cube in a random orientation, and points as close to the faces, edges and corners between its
// tetrahedra as doubles allow: each is in at least one tetrahedron.
static void no_gap_is_between_neighbours(void **state) {
    (void)state;
    struct random random = random_seed(2);
    struct tet_mesh mesh = {0};
    assert_true(shape_cube_grid(3, &mesh));
    const struct tet_mesh_view view = {mesh.vertex_count, mesh.positions, mesh.tet_count,
                                       mesh.tets};
    assert_true(tet_signed_volume(&view, 0) > 0.0);
    size_t shared = 0;
    for (int n = 0; n < testing_rounds(2000); n++) {
        if (n % 50 == 1) {
            double axis[3];
            random_unit(&random, axis);
            positions_rotate(mesh.positions, mesh.vertex_count, axis,
                             random_uniform(&random, 0.0, 3.0));
        }
        // A point on a face, an edge or at a corner of a tetrahedron near the middle of the mesh.
        const size_t t = random_index(&random, mesh.tet_count);
        const int corners = 1 + (int)random_index(&random, 3);
        double p[3] = {0.0, 0.0, 0.0}, sum = 0.0, weight[3];
        bool border = false;
        for (int i = 0; i < corners; i++) {
            weight[i] = random_uniform(&random, 0.1, 1.0);
            sum += weight[i];
        }
        for (int i = 0; i < corners; i++) {
            const size_t v = mesh.tets[4 * t + (size_t)i];
            const size_t at[3] = {v % 4, v / 4 % 4, v / 16};
            for (int k = 0; k < 3; k++) {
                border = border || at[k] == 0 || at[k] == 3;
            }
            add_scaled3(p, weight[i] / sum, mesh.positions + 3 * v, p);
        }
        if (!border || corners == 1) {
            const size_t around = count_around(&mesh, p);
            assert_true(around >= 1);
            shared += around > 1;
        }
    }
    assert_true(shared > 10);
    tet_mesh_free(&mesh);
}

static void what_is_no_tetrahedron_contains_nothing(void **state) {
    (void)state;
    const double regular[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double inverted[4][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    const double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const double thin[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-15}};
    const double point[4][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const double unknown[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
    const double endless[4][3] = {{0, 0, 0}, {INFINITY, 0, 0}, {0, INFINITY, 0}, {0, 0, INFINITY}};
    const double p[3] = {0.1, 0.2, 0.3}, nowhere[3] = {0.1, NAN, 0.1};
    const double in_plane[3] = {0.3, 0.3, 0.0}, origin[3] = {0.0, 0.0, 0.0};
    double weight[4];
    assert_true(contains(regular, p, weight));
    assert_near(weight[0], 0.4, 1e-15, "coordinate of a corner");
    assert_true(contains(regular, origin, weight) && weight[0] == 1.0 && weight[3] == 0.0);
    assert_true(contains(regular, in_plane, weight) && weight[3] == 0.0);
    assert_false(contains(regular, nowhere, weight));
    assert_false(contains(inverted, p, weight));
    assert_false(contains(flat, in_plane, weight));
    assert_false(contains(thin, in_plane, weight));
    assert_false(contains(point, origin, weight));
    assert_false(contains(unknown, p, weight));
    assert_false(contains(endless, p, weight));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_coordinates_are_found),
        cmocka_unit_test(no_gap_is_between_neighbours),
        cmocka_unit_test(what_is_no_tetrahedron_contains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
