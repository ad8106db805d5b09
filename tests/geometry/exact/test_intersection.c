// Edges against triangles: cases with obvious answers, and lattices of integers, where a separating
// axis decides exactly. Whole surfaces are compared with a test of all pairs.
// SPDX-License-Identifier: MIT
#include "geometry/exact/intersection.h"

#include "common/meshes/shapes.h"
#include "scenes/contact/moving_surface.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

static struct memory memory;
static struct random numbers;

// --- one edge, one triangle ---

struct known {
    const char *what;
    double a[3], b[3];
    bool meets;
};

/// Against the triangle (0,0,0) (4,0,0) (0,4,0).
static const struct known known[] = {
    {"through the inside", {1, 1, -1}, {1, 1, 1}, true},
    {"past the long edge", {3, 3, -1}, {3, 3, 1}, false},
    {"too short to reach", {1, 1, 1}, {1, 1, 0.5}, false},
    {"ends inside", {1, 1, 1}, {1, 1, 0}, true},
    {"ends on an edge", {2, 0, 1}, {2, 0, 0}, true},
    {"ends on a corner", {0, 0, 1}, {0, 0, 0}, true},
    {"through an edge", {2, 2, -1}, {2, 2, 1}, true},
    {"through a corner", {4, 0, -1}, {4, 0, 1}, true},
    {"just past a corner", {0x1.0000000000001p2, 0, -1}, {4, 0, 1}, false},
    {"in the plane, inside", {1, 1, 0}, {1, 2, 0}, true},
    {"in the plane, across", {-1, 1, 0}, {5, 1, 0}, true},
    {"in the plane, outside", {-1, 5, 0}, {5, 5, 0}, false},
    {"in the plane, along an edge", {1, 0, 0}, {2, 0, 0}, true},
    {"in the plane, along an edge's line, apart", {5, 0, 0}, {6, 0, 0}, false},
    {"in the plane, along an edge's line, touching", {4, 0, 0}, {6, 0, 0}, true},
    {"in the plane, touching a corner across", {-1, 5, 0}, {1, 3, 0}, true},
    {"parallel above", {1, 1, 0x1p-290}, {2, 1, 0x1p-290}, false},
    {"a point inside", {1, 1, 0}, {1, 1, 0}, true},
    {"a point outside", {3, 3, 0}, {3, 3, 0}, false},
    {"a point above", {1, 1, 1}, {1, 1, 1}, false},
};

static void test_known_cases(void **state) {
    (void)state;
    const double t[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    for (size_t n = 0; n < COUNT_OF(known); n++) {
        // In every order of corners and ends.
        for (int order = 0; order < 12; order++) {
            const double *corners[3];
            for (int k = 0; k < 3; k++) {
                corners[k] = t[(order + (order / 3 % 2 ? -k + 3 : k)) % 3];
            }
            const double *a = order < 6 ? known[n].a : known[n].b;
            const double *b = order < 6 ? known[n].b : known[n].a;
            if (segment_intersects_triangle(a, b, corners) != known[n].meets) {
                fail_msg("%s: expected %d", known[n].what, known[n].meets);
            }
        }
    }
}

typedef int64_t whole[3];

static void cross_whole(const whole a, const whole b, whole out) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static int64_t dot_whole(const whole a, const whole b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns whether all points of the segment are strictly on one side of the triangle along the
/// axis.
static bool separates(const whole axis, whole p[5]) {
    int64_t low[2] = {INT64_MAX, INT64_MAX};
    int64_t high[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        const int64_t at = dot_whole(axis, p[i]);
        low[i < 2] = at < low[i < 2] ? at : low[i < 2];
        high[i < 2] = at > high[i < 2] ? at : high[i < 2];
    }
    return high[0] < low[1] || high[1] < low[0];
}

/// p: ends of the segment, then corners of the triangle. Two convex sets are disjoint if and only
/// if the origin is outside the polytope of their differences. Then the normal of one of its faces
/// separates them. If the polytope is flat, the separating direction is the normal of its plane, or
/// lies in the plane, along the line or across it.
static bool meets_by_axes(whole p[5]) {
    whole edges[4];
    whole apart;
    for (int k = 0; k < 3; k++) {
        edges[0][k] = p[1][k] - p[0][k];
        edges[1][k] = p[3][k] - p[2][k];
        edges[2][k] = p[4][k] - p[3][k];
        edges[3][k] = p[2][k] - p[4][k];
        apart[k] = p[2][k] - p[0][k];
    }
    for (int i = 0; i < 4; i++) {
        const int64_t length = dot_whole(edges[i], edges[i]);
        const int64_t along = dot_whole(edges[i], apart);
        whole across;
        for (int k = 0; k < 3; k++) {
            across[k] = apart[k] * length - edges[i][k] * along;
        }
        if (separates(edges[i], p) || separates(across, p)) {
            return false;
        }
        for (int j = 0; j < i; j++) {
            whole normal;
            cross_whole(edges[i], edges[j], normal);
            if (separates(normal, p)) {
                return false;
            }
            for (int k = 0; k < 4; k++) {
                whole inside;
                cross_whole(normal, edges[k], inside);
                if (separates(inside, p)) {
                    return false;
                }
            }
        }
    }
    return !separates(apart, p);
}

/// A segment and a triangle on a lattice of points up to `size`, sometimes in one plane or on one
/// line.
static void any_case(int64_t size, whole p[5]) {
    const size_t kind = random_index(&numbers, 6);
    for (int i = 0; i < 15; i++) {
        p[i / 3][i % 3] = (int64_t)random_index(&numbers, (size_t)(2 * size + 1)) - size;
    }
    for (int i = 0; i < 5; i++) {
        p[i][2] = kind == 0 ? p[i][0] + p[i][1] : p[i][2];
        p[i][1] = kind == 1 ? 2 * p[i][0] : p[i][1];
        p[i][2] = kind == 1 ? -p[i][0] : p[i][2];
    }
}

/// Far from the origin and in small units, differences are still exact but determinants are not.
static void test_lattices(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 20, 200};
    static const double units[] = {1.0, 0x1p-33, 0x1p-60};
    int hits = 0;
    const int trials = 300000;
    for (int trial = 0; trial < trials; trial++) {
        whole p[5];
        double x[5][3];
        any_case(sizes[trial % 6], p);
        const double unit = units[trial % 3];
        const double offset = trial % 2 ? 0x1p51 * unit : 0.0;
        for (int i = 0; i < 15; i++) {
            x[i / 3][i % 3] = offset * (1 + i % 3) / 4 + (double)p[i / 3][i % 3] * unit;
        }
        const double *const corners[3] = {x[2], x[3], x[4]};
        const bool meets = meets_by_axes(p);
        assert_int_equal(segment_intersects_triangle(x[0], x[1], corners), meets);
        hits += meets;
    }
    assert_true(hits > trials / 10 && hits < trials * 9 / 10);
}

// --- whole surfaces ---

static struct edges_and_triangles view_of(const struct moving_surface *s) {
    return (struct edges_and_triangles){.point_count = s->point_count,
                                        .x = s->x,
                                        .edge_count = s->edge_count,
                                        .edges = s->edges,
                                        .triangle_count = s->triangle_count,
                                        .triangles = s->triangles};
}

static bool share_a_point(const uint32_t *e, const uint32_t *t) {
    for (int k = 0; k < 3; k++) {
        if (t[k] == e[0] || t[k] == e[1]) {
            return true;
        }
    }
    return false;
}

/// Tests all pairs, in the order of the list.
static void check_search(const struct edges_and_triangles *s,
                         const struct intersection_search *search) {
    size_t at = 0;
    for (uint32_t e = 0; e < s->edge_count; e++) {
        for (uint32_t t = 0; t < s->triangle_count; t++) {
            const uint32_t *edge = s->edges + 2 * (size_t)e;
            const uint32_t *triangle = s->triangles + 3 * (size_t)t;
            const double *const corners[3] = {s->x + 3 * (size_t)triangle[0],
                                              s->x + 3 * (size_t)triangle[1],
                                              s->x + 3 * (size_t)triangle[2]};
            if (!share_a_point(edge, triangle) &&
                segment_intersects_triangle(s->x + 3 * (size_t)edge[0], s->x + 3 * (size_t)edge[1],
                                            corners) &&
                (!s->is_forbidden || s->is_forbidden(s->context, e, t))) {
                assert_true(at < search->found.count && search->found.pairs[at].query == e &&
                            search->found.pairs[at].primitive == t);
                at++;
            }
        }
    }
    assert_int_equal(at, search->found.count);
}

/// Two balls, the second displaced by that much along x and slightly sideways. They count as
/// intersecting if a coordinate is beyond the exact range or is NaN.
static void test_far_and_not_finite_meets(void **state) {
    (void)state;
    static const double odd[] = {2e100, -1e170, 1e308, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 15 * COUNT_OF(odd); i++) {
        double x[5][3] = {{0, 0, 9}, {1, 0, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        const double *const t[3] = {x[2], x[3], x[4]};
        assert_false(segment_intersects_triangle(x[0], x[1], t));
        x[i % 15 / 3][i % 3] = odd[i / 15];
        assert_true(segment_intersects_triangle(x[0], x[1], t));
    }
}

static void make_balls(double apart, struct moving_surface *s) {
    struct surface_mesh first;
    struct surface_mesh second;
    assert_true(surface_ball(1.0, 12, &first));
    assert_true(surface_ball(1.0, 12, &second));
    positions_translate(second.positions, second.vertex_count, apart, 0.011, 0.007);
    assert_true(surface_mesh_append(&first, &second));
    moving_surface_make(&first, s);
    surface_mesh_free(&first);
    surface_mesh_free(&second);
}

static void test_balls_meet_when_they_are_close(void **state) {
    (void)state;
    static const double apart[] = {0.0, 0.5, 1.9, 2.1};
    for (size_t n = 0; n < COUNT_OF(apart); n++) {
        struct moving_surface s;
        struct intersection_search search = {0};
        make_balls(apart[n], &s);
        const struct edges_and_triangles view = view_of(&s);
        assert_ok(intersection_search(&memory, NULL, &view, &search));
        assert_int_equal(search.found.count > 0, apart[n] < 2.0);
        check_search(&view, &search);
        intersection_search_free(&memory, &search);
        moving_surface_free(&s);
    }
    assert_int_equal(memory.bytes_in_use, 0);
}

/// Surfaces that touch do intersect: a sheet's corner in another's interior, an edge on an edge.
static void test_touching_counts(void **state) {
    (void)state;
    double x[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 0, 1, 1, 3, 2, 1, 3};
    const uint32_t edges[] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3};
    const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    const struct edges_and_triangles view = {6, x, 6, edges, 2, triangles, NULL, NULL};
    struct intersection_search search = {0};
    assert_ok(intersection_search(&memory, NULL, &view, &search));
    assert_int_equal(search.found.count, 2);
    assert_int_equal(search.found.pairs[0].query, 3);
    assert_int_equal(search.found.pairs[0].primitive, 0);
    assert_int_equal(search.found.pairs[1].query, 5);
    x[11] = 0x1p-290;
    assert_ok(intersection_search(&memory, NULL, &view, &search));
    assert_int_equal(search.found.count, 0);
    intersection_search_free(&memory, &search);
}

static bool not_in_the_first_half(const void *context, uint32_t edge, uint32_t triangle) {
    const struct moving_surface *s = context;
    return edge >= s->edge_count / 2 || triangle >= s->triangle_count / 2;
}

static void test_threads_filters_and_memory(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    struct moving_surface s;
    struct intersection_search search = {0};
    make_balls(0.7, &s);
    moving_surface_shake(&s, 0.8, 4);
    for (size_t i = 0; i < 3 * s.point_count; i++) {
        s.x[i] += s.step[i];
    }
    struct edges_and_triangles view = view_of(&s);
    view.is_forbidden = not_in_the_first_half;
    view.context = &s;
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        struct tasks *tasks;
        assert_ok(tasks_create(&memory, NULL, threads[t], &tasks));
        const uint64_t calls = memory.call_count;
        assert_ok(intersection_search(&memory, tasks, &view, &search));
        assert_true(search.found.count > 100);
        assert_true(t == 0 || memory.call_count == calls);
        check_search(&view, &search);
        tasks_destroy(&memory, tasks);
    }
    intersection_search_free(&memory, &search);
    moving_surface_free(&s);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void test_every_refused_allocation_is_reported(void **state) {
    (void)state;
    struct test_allocator allocator;
    struct moving_surface s;
    make_balls(0.7, &s);
    const struct edges_and_triangles view = view_of(&s);
    bool has_failed = true;
    for (uint64_t k = 0; has_failed; k++) {
        struct memory short_memory;
        struct intersection_search search = {0};
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&short_memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        const pbs_status status = intersection_search(&short_memory, NULL, &view, &search);
        has_failed = test_allocator_has_failed(&allocator);
        assert_int_equal(status, has_failed ? PBS_ERROR_MEMORY : PBS_OK);
        intersection_search_free(&short_memory, &search);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    moving_surface_free(&s);
}

int main(void) {
    memory_init(&memory, NULL);
    numbers = random_seed(5);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_cases),
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_far_and_not_finite_meets),
        cmocka_unit_test(test_balls_meet_when_they_are_close),
        cmocka_unit_test(test_touching_counts),
        cmocka_unit_test(test_threads_filters_and_memory),
        cmocka_unit_test(test_every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
