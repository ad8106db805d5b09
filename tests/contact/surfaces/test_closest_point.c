// Closest admissible points where several obstacles meet: feasible, closest among sampled feasible
// points, unchanged by projecting again, and moving as the Jacobian says.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/surfaces/closest_point.h"
#include "contact/plane_pose.h"
#include "pbs/body.h"
#include "pbs/collider.h"
#include "support/random.h"
#include "support/testing.h"

static const double scale = 10.0, tolerance = 1e-12;

static struct random random_numbers;

static double uniform(double low, double high) {
    return random_uniform(&random_numbers, low, high);
}

static void random_point(double reach, double x[3]) {
    random_fill(&random_numbers, -reach, reach, x, 3);
}

static struct contact_surface surface_of(int32_t kind, bool hollow, double size) {
    struct contact_surface s = {
        .shape = {.kind = kind, .hollow = hollow, .size = {size, size, size}}};
    identity33(s.pose.rotation);
    for (int i = 0; i < 3; i++) {
        s.low[i] = -INFINITY;
        s.high[i] = INFINITY;
    }
    return s;
}

// Solid behind a plane through `point`, with that normal.
static struct contact_surface plane(const double normal[3], const double point[3]) {
    struct contact_surface s = surface_of(PBS_SHAPE_HALF_SPACE, false, 0.0);
    s.pose = plane_pose(normal, point);
    return s;
}

static struct contact_surface ball(bool hollow, double radius, double x, double y, double z) {
    struct contact_surface s = surface_of(PBS_SHAPE_SPHERE, hollow, radius);
    s.pose.translation[0] = x;
    s.pose.translation[1] = y;
    s.pose.translation[2] = z;
    return s;
}

static struct closest_point problem_of(const struct contact_surface *surfaces, size_t count) {
    return (struct closest_point){
        .surfaces = surfaces, .surface_count = count, .scale = scale, .tolerance = tolerance};
}

static double distance_to(const struct contact_surface *s, const double x[3]) {
    return shape_distance(&s->shape, &s->pose, x, NULL, NULL);
}

static bool is_feasible(const struct closest_point *problem, const double x[3]) {
    for (size_t b = 0; b < problem->surface_count; b++) {
        if (distance_to(problem->surfaces + b, x) < -problem->tolerance) {
            return false;
        }
    }
    return true;
}

static double separation(const double a[3], const double b[3]) {
    double d[3];
    subtract3(a, b, d);
    return norm3(d);
}

// The facts of one projection; returns false where none was found.
static bool assert_projects(const struct closest_point *problem, const double y[3]) {
    double x[3], again[3], jacobian[9];
    uint32_t worst;
    if (!closest_point_find(problem, y, x, jacobian, &worst)) {
        return false;
    }
    assert_true(is_feasible(problem, x));
    assert_true(closest_point_find(problem, x, again, jacobian, &worst));
    assert_true(separation(x, again) <= 2.0 * problem->tolerance);
    // No feasible point nearby is closer to y.
    const double distance = separation(x, y);
    for (int i = 0; i < 200; i++) {
        double q[3], u[3];
        random_unit(&random_numbers, u);
        add_scaled3(x, uniform(0.0, 0.2) * distance, u, q);
        assert_true(!is_feasible(problem, q) || separation(q, y) >= distance - 1e-11);
    }
    return true;
}

// The columns of J by central differences. Where the set of surfaces changes within the step J
// itself jumps, and where planes meet so sharply that their edge is far away rounding grows with
// it; there is nothing to compare.
static bool jacobian_matches(const struct closest_point *problem, const double y[3]) {
    const double h = 1e-5;
    double x[3], j[9], plus[3], minus[3], j_plus[9], j_minus[9];
    uint32_t worst;
    assert_true(closest_point_find(problem, y, x, j, &worst));
    if (norm3(x) > 20.0) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (problem->constrained_axes >> k & 1) {
            continue;
        }
        double to[3], from[3];
        copy3(y, to);
        copy3(y, from);
        to[k] += h;
        from[k] -= h;
        assert_true(closest_point_find(problem, to, plus, j_plus, &worst));
        assert_true(closest_point_find(problem, from, minus, j_minus, &worst));
        for (int e = 0; e < 9; e++) {
            if (fabs(j_plus[e] - j_minus[e]) > 1e3 * h) {
                return false;
            }
        }
        for (int i = 0; i < 3; i++) {
            // h times the change of J, at most 1e-2, at most 1e-7; rounding 1e-14 / h = 1e-9.
            assert_true(fabs((plus[i] - minus[i]) / (2.0 * h) - j[3 * i + k]) < 1e-6);
        }
    }
    return true;
}

// Wedges of two and three half-spaces at any angle, y up to twice the scene below them.
static void random_wedges(void **state) {
    (void)state;
    int found = 0, smooth = 0;
    for (int trial = 0; trial < 3000; trial++) {
        struct contact_surface planes[3];
        const size_t count = 2 + (size_t)(trial % 2);
        for (size_t b = 0; b < count; b++) {
            double n[3], p[3];
            random_unit(&random_numbers, n);
            random_point(1.0, p);
            planes[b] = plane(n, p);
        }
        const struct closest_point problem = problem_of(planes, count);
        double y[3];
        random_point(5.0, y);
        if (assert_projects(&problem, y)) {
            found++;
            smooth += jacobian_matches(&problem, y);
        }
    }
    // Three planes in general position always leave a wedge; nearly parallel normals are refused.
    assert_true(found >= 2995);
    assert_true(smooth > 2900);
}

// A bowl cut by floors, and a ball lying in it: curved and flat, convex and concave together.
static void random_bowls(void **state) {
    (void)state;
    int found = 0, smooth = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double n[3], p[3];
        random_unit(&random_numbers, n);
        random_point(0.3, p);
        const struct contact_surface surfaces[3] = {
            ball(true, 1.0, 0.0, 0.0, 0.0), plane(n, p),
            ball(false, 0.3, uniform(-0.5, 0.5), uniform(-0.5, 0.5), uniform(-0.5, 0.5))};
        const struct closest_point problem = problem_of(surfaces, 2 + (size_t)(trial % 2));
        double y[3];
        random_point(2.0, y);
        if (assert_projects(&problem, y)) {
            found++;
            smooth += jacobian_matches(&problem, y);
        }
    }
    assert_true(found == 2000);
    assert_true(smooth > 1900);
}

// For one surface the closest point is OPT's x - phi n, with its Jacobian.
static void one_surface_is_the_papers_formula(void **state) {
    (void)state;
    const struct contact_surface bowl = ball(true, 1.0, 0.0, 0.0, 0.0);
    const struct closest_point problem = problem_of(&bowl, 1);
    const double y[3] = {0.0, -2.0, 0.0};
    double x[3], j[9];
    uint32_t worst;
    assert_true(closest_point_find(&problem, y, x, j, &worst));
    assert_true(fabs(x[1] + 1.0) < 1e-15 && x[0] == 0.0);
    // Twice the radius away, tangential motion is halved.
    assert_true(fabs(j[0] - 0.5) < 1e-15 && fabs(j[8] - 0.5) < 1e-15 && fabs(j[4]) < 1e-15);
}

// Active surfaces are held on to from either side; together with violated ones too.
static void active_surfaces_are_equalities(void **state) {
    (void)state;
    const double up[3] = {0, 1, 0}, right[3] = {1, 0, 0}, origin[3] = {0, 0, 0};
    const struct contact_surface surfaces[2] = {plane(up, origin), plane(right, origin)};
    struct closest_point problem = problem_of(surfaces, 2);
    const uint32_t floor_and_wall[2] = {0, 1};
    problem.active = floor_and_wall;
    problem.active_count = 1;
    double x[3], j[9];
    uint32_t worst;
    assert_true(closest_point_find(&problem, (const double[3]){2, 3, 4}, x, j, &worst));
    assert_true(x[0] == 2.0 && fabs(x[1]) < 1e-15 && x[2] == 4.0);
    assert_true(j[0] == 1.0 && j[4] == 0.0 && j[8] == 1.0);
    assert_true(closest_point_find(&problem, (const double[3]){-2, 3, 4}, x, j, &worst));
    assert_true(fabs(x[0]) < 1e-15 && fabs(x[1]) < 1e-15 && fabs(x[2] - 4.0) < 1e-15);
    assert_true(fabs(j[0]) < 1e-15 && fabs(j[4]) < 1e-15 && fabs(j[8] - 1.0) < 1e-15);
    problem.active_count = 2;
    assert_true(closest_point_find(&problem, (const double[3]){2, 3, 4}, x, j, &worst));
    assert_true(fabs(x[0]) < 1e-15 && fabs(x[1]) < 1e-15);
}

// With an axis held, the node leaves the obstacle along the others; the held one does not move.
static void held_axes_win(void **state) {
    (void)state;
    int smooth = 0;
    for (int trial = 0; trial < 500; trial++) {
        const struct contact_surface obstacle = ball(trial % 2, 1.0, 0.0, 0.0, 0.0);
        struct closest_point problem = problem_of(&obstacle, 1);
        problem.constrained_axes = (uint32_t)(1 + trial / 2 % 6);
        double y[3], x[3], j[9];
        random_point(trial % 2 ? 1.5 : 0.8, y);
        double held_part[3] = {y[0], y[1], y[2]};
        remove_constrained(~problem.constrained_axes, held_part);
        // Beyond the ball's reach in the held axes, no free motion gets into the bowl.
        if (norm3(held_part) > 0.9 || separation(held_part, y) < 0.1) {
            continue;
        }
        uint32_t worst;
        assert_true(closest_point_find(&problem, y, x, j, &worst));
        assert_true(distance_to(&obstacle, x) >= -tolerance);
        for (int i = 0; i < 3; i++) {
            if (problem.constrained_axes >> i & 1) {
                assert_true(x[i] == y[i]);
                for (int k = 0; k < 3; k++) {
                    assert_true(j[3 * i + k] == 0.0 && j[3 * k + i] == 0.0);
                }
            }
        }
        smooth += jacobian_matches(&problem, y);
    }
    assert_true(smooth > 100);
    // The floor cannot be left sideways, so it is ignored.
    const double up[3] = {0, 1, 0}, origin[3] = {0, 0, 0};
    const struct contact_surface floor = plane(up, origin);
    struct closest_point problem = problem_of(&floor, 1);
    problem.constrained_axes = PBS_AXIS_Y;
    double x[3], j[9];
    uint32_t worst;
    assert_true(closest_point_find(&problem, (const double[3]){1, -2, 3}, x, j, &worst));
    assert_true(x[0] == 1.0 && x[1] == -2.0 && x[2] == 3.0);
}

// Where two balls are active the points are a circle, on which the closest one is known; not just
// any point of it where the distance is stationary.
static void closest_on_a_circle_is_the_near_side(void **state) {
    (void)state;
    const uint32_t both[2] = {0, 1};
    int found = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const double r0 = uniform(0.5, 1.0), r1 = uniform(0.5, 1.0);
        const double along = uniform(0.4, 0.9),
                     plane_at = 0.5 * (along + (r0 * r0 - r1 * r1) / along);
        const double square = r0 * r0 - plane_at * plane_at;
        const struct contact_surface balls[2] = {ball(trial % 2, r0, 0.0, 0.0, 0.0),
                                                 ball(trial / 2 % 2, r1, along, 0.0, 0.0)};
        struct closest_point problem = problem_of(balls, 2);
        problem.active = both;
        problem.active_count = 2;
        double y[3], x[3], j[9];
        uint32_t worst;
        random_point(1.5, y);
        const double radial = hypot(y[1], y[2]);
        if (square < 0.05 || radial < 0.05) {
            continue;
        }
        const double stretch = sqrt(square) / radial;
        const double expected[3] = {plane_at, stretch * y[1], stretch * y[2]};
        if (closest_point_find(&problem, y, x, j, &worst)) {
            found++;
            // Newton's last step is 1e-13; the sine between the balls' normals, along sqrt(square)
            // / (r0 r1) > 0.08, divides what it leaves.
            assert_true(separation(x, expected) < 1e-11);
        }
    }
    assert_true(found > 1000);
}

// Two half-spaces that leave no room: no answer, and the culprit named.
static void no_room_is_reported(void **state) {
    (void)state;
    const double up[3] = {0, 1, 0}, down[3] = {0, -1, 0};
    const struct contact_surface jaws[2] = {plane(up, (const double[3]){0, 0.1, 0}),
                                            plane(down, (const double[3]){0, -0.1, 0})};
    const struct closest_point problem = problem_of(jaws, 2);
    double x[3], j[9];
    uint32_t worst = 7;
    assert_false(closest_point_find(&problem, (const double[3]){0, 0, 0}, x, j, &worst));
    assert_true(worst < 2);
}

// A closed box of six half-spaces, corners included, is projected exactly to its clamp.
static void room_of_half_spaces_is_a_clamp(void **state) {
    (void)state;
    struct contact_surface walls[6];
    for (int i = 0; i < 6; i++) {
        double n[3] = {0, 0, 0}, p[3];
        n[i / 2] = i % 2 ? 1.0 : -1.0;
        scale3(-1.0, n, p);
        walls[i] = plane(n, p);
    }
    const struct closest_point problem = problem_of(walls, 6);
    for (int trial = 0; trial < 1000; trial++) {
        double y[3], x[3], j[9];
        uint32_t worst;
        random_point(3.0, y);
        assert_true(closest_point_find(&problem, y, x, j, &worst));
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(x[i] - fmin(fmax(y[i], -1.0), 1.0)) < 1e-14);
            assert_true(fabs(j[4 * i] - (fabs(y[i]) < 1.0 ? 1.0 : 0.0)) < 1e-14);
        }
    }
}

static void tangent_bases_are_orthonormal(void **state) {
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        double normals[3][3], basis[3][3];
        const uint32_t held = (uint32_t)(trial % 8);
        const size_t count = (size_t)(trial / 8 % 4);
        int free_count = 3;
        for (int i = 0; i < 3; i++) {
            free_count -= held >> i & 1u ? 1 : 0;
            random_unit(&random_numbers, normals[i]);
            remove_constrained(held, normals[i]);
        }
        const int dimension = tangent_basis(held, count, normals, basis);
        if ((int)count > free_count) {
            assert_int_equal(dimension, -1);
            continue;
        }
        if (dimension < 0) {
            continue;
        }
        assert_int_equal(dimension, free_count - (int)count);
        for (int i = 0; i < dimension; i++) {
            for (int j = 0; j < dimension; j++) {
                assert_true(fabs(dot3(basis[i], basis[j]) - (i == j ? 1.0 : 0.0)) < 1e-14);
            }
            for (size_t b = 0; b < count; b++) {
                assert_true(fabs(dot3(basis[i], normals[b])) < 1e-14);
            }
        }
    }
}

int main(void) {
    random_numbers = random_seed(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_wedges),
        cmocka_unit_test(random_bowls),
        cmocka_unit_test(one_surface_is_the_papers_formula),
        cmocka_unit_test(active_surfaces_are_equalities),
        cmocka_unit_test(held_axes_win),
        cmocka_unit_test(closest_on_a_circle_is_the_near_side),
        cmocka_unit_test(no_room_is_reported),
        cmocka_unit_test(room_of_half_spaces_is_a_clamp),
        cmocka_unit_test(tangent_bases_are_orthonormal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
