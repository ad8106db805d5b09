// Compares the broad phase with a comparison of all pairs of boxes, on moving surfaces. Also tests
// what boxes, trees and lists guarantee: outward rounding, a unique order, independence of the
// number of threads, no allocation once warm, and a clean failure without memory.
// SPDX-License-Identifier: MIT
#include "broad_phase/bounding_tree.h"

#include <fenv.h>
#include <float.h>

#include "broad_phase/box_pairs.h"
#include "common/meshes/shapes.h"
#include "scenes/contact/moving_surface.h"
#include "scenes/contact/surface_pairs.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

static struct memory memory;

// --- boxes ---

static void assert_holds(const struct box *box, const double p[3]) {
    for (int k = 0; k < 3; k++) {
        assert_true((double)box->bound[k] <= p[k]);
        assert_true(-(double)box->bound[3 + k] >= p[k]);
    }
}

/// At most the next float outside the exact bound, or the smallest normal number at zero.
static void assert_tight(float bound, double wanted) {
    const float next = nextafterf(bound, FLT_MAX);
    assert_true((double)next > wanted || (bound == -FLT_MIN && fabs(wanted) < (double)FLT_MIN));
}

static double any_coordinate(struct random *random) {
    static const double specials[] = {0.0,   -0.0,   1.0,    -1.0, 1e-40, -1e-40, 1e-310,
                                      1e-38, -1e-38, 0x1p24, 1e30, 0.1,   -0.1,   -1e-310};
    return random_index(random, 2) == 0
               ? specials[random_index(random, COUNT_OF(specials))]
               : random_uniform(random, -1.0, 1.0) * exp2(random_uniform(random, -40.0, 40.0));
}

static void test_boxes_hold_what_they_bound(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static double x[3 * COUNT];
    static double step[3 * COUNT];
    static double radius[COUNT];
    static struct box boxes[COUNT];
    struct random random = random_seed(1);
    for (int i = 0; i < 3 * COUNT; i++) {
        x[i] = any_coordinate(&random);
        step[i] = any_coordinate(&random);
        radius[i / 3] = fabs(any_coordinate(&random));
    }
    struct point_sweep sweep = {.count = COUNT, .x = x, .step = step};
    boxes_of_points(NULL, &sweep, boxes);
    for (size_t p = 0; p < COUNT; p++) {
        for (int n = 0; n <= 4; n++) {
            double at[3];
            for (size_t k = 0; k < 3; k++) {
                at[k] = x[3 * p + k] + 0.25 * n * step[3 * p + k];
                assert_tight(boxes[p].bound[k], fmin(x[3 * p + k], x[3 * p + k] + step[3 * p + k]));
                assert_tight(boxes[p].bound[3 + k],
                             -fmax(x[3 * p + k], x[3 * p + k] + step[3 * p + k]));
            }
            assert_holds(boxes + p, at);
        }
    }
    sweep.step = NULL;
    sweep.inflation = 0.25;
    sweep.radius = radius;
    boxes_of_points(NULL, &sweep, boxes);
    for (size_t p = 0; p < COUNT; p++) {
        for (size_t k = 0; k < 3; k++) {
            const double r = radius[p] + 0.25;
            assert_true((double)boxes[p].bound[k] <= x[3 * p + k] - r);
            assert_true(-(double)boxes[p].bound[3 + k] >= x[3 * p + k] + r);
            assert_tight(boxes[p].bound[k], x[3 * p + k] - r);
        }
    }
}

static bool boxes_meet(const struct box *a, const struct box *b) {
    bool meet = true;
    for (int k = 0; k < 3; k++) {
        meet = meet && a->bound[k] <= -b->bound[3 + k] && b->bound[k] <= -a->bound[3 + k];
    }
    return meet;
}

// --- lists against brute force ---

struct list {
    struct box_pair *pairs;
    size_t count, capacity;
};

static void list_add(struct list *list, uint32_t query, uint32_t primitive) {
    assert_ok(memory_reserve(&memory, &list->pairs, &list->capacity, list->count + 1,
                             sizeof *list->pairs));
    list->pairs[list->count++] = (struct box_pair){query, primitive};
}

static bool share_a_point(const uint32_t *a, uint32_t a_width, const uint32_t *b,
                          uint32_t b_width) {
    for (uint32_t i = 0; i < a_width * b_width; i++) {
        if (a[i / b_width] == b[i % b_width]) {
            return true;
        }
    }
    return false;
}

static void assert_same_list(const struct list *expected, const struct box_pair_list *found) {
    assert_int_equal(found->count, expected->count);
    if (expected->count > 0) {
        assert_memory_equal(found->pairs, expected->pairs,
                            expected->count * sizeof *expected->pairs);
    }
}

static void check_edges(const struct surface_pairs *p) {
    const struct moving_surface *s = p->surface;
    struct list expected = {0};
    for (uint32_t i = 0; i < s->edge_count; i++) {
        for (uint32_t j = i + 1; j < s->edge_count; j++) {
            if (boxes_meet(p->edge_boxes + i, p->edge_boxes + j) &&
                !share_a_point(s->edges + 2 * (size_t)i, 2, s->edges + 2 * (size_t)j, 2)) {
                list_add(&expected, i, j);
            }
        }
    }
    assert_same_list(&expected, &p->edge_edge);
    memory_release(&memory, expected.pairs);
}

static void check_points(const struct surface_pairs *p) {
    const struct moving_surface *s = p->surface;
    struct list expected = {0};
    for (uint32_t i = 0; i < s->point_count; i++) {
        for (uint32_t j = 0; j < s->triangle_count; j++) {
            if (boxes_meet(p->point_boxes + i, p->triangle_boxes + j) &&
                !share_a_point(&i, 1, s->triangles + 3 * (size_t)j, 3)) {
                list_add(&expected, i, j);
            }
        }
    }
    assert_same_list(&expected, &p->point_triangle);
    memory_release(&memory, expected.pairs);
}

static void find(struct tasks *tasks, const struct moving_surface *s, bool build,
                 struct surface_pairs *pairs) {
    assert_ok(surface_pairs_bound(&memory, tasks, s, 0.01 * s->mean_edge, pairs));
    if (build) {
        assert_ok(surface_pairs_build(&memory, tasks, pairs));
    } else {
        surface_pairs_refit(tasks, pairs);
    }
    assert_ok(surface_pairs_find(&memory, tasks, pairs));
}

/// Built once, then refitted to motions of any length, and to the surface after the motion.
static void check_surface(struct moving_surface *s) {
    static const double motions[] = {0.0, 0.1, 2.0, 0.5, 0.0};
    struct surface_pairs pairs = {0};
    for (size_t m = 0; m < COUNT_OF(motions); m++) {
        moving_surface_shake(s, motions[m], m);
        find(NULL, s, m == 0, &pairs);
        check_edges(&pairs);
        check_points(&pairs);
        for (size_t i = 0; i < 3 * s->point_count; i++) {
            s->x[i] += m == 2 ? s->step[i] : 0.0;
        }
    }
    surface_pairs_free(&memory, &pairs);
}

static void make_generated(size_t kind, struct moving_surface *s) {
    struct surface_mesh mesh;
    if (kind == 0) {
        assert_true(surface_ball(1.0, 30, &mesh));
    } else if (kind == 1) {
        assert_true(surface_sheet(25, 20, 1.0, 1.0, &mesh));
    } else {
        assert_true(surface_stairs(9, 0.1, 0.2, 3.0, &mesh));
    }
    moving_surface_make(&mesh, s);
    surface_mesh_free(&mesh);
}

static void test_generated_surfaces(void **state) {
    (void)state;
    for (size_t kind = 0; kind < 3; kind++) {
        struct moving_surface s;
        make_generated(kind, &s);
        check_surface(&s);
        moving_surface_free(&s);
    }
    assert_int_equal(memory.bytes_in_use, 0);
}

static void test_real_surfaces(void **state) {
    (void)state;
    static const char *const names[] = {"dice_1k.msh", "octopus_1k.msh", "armadillo_4k.msh",
                                        "cliff.obj", "bunny_7k.msh"};
    const char *shared = getenv("PBS_SHARED_DATA");
    size_t present = 0;
    for (size_t m = 0; m < (testing_is_small() ? 2 : COUNT_OF(names)); m++) {
        char path[600];
        struct moving_surface s;
        snprintf(path, sizeof path, "%s/meshes/%s", shared ? shared : "../shared/data", names[m]);
        if (moving_surface_read(path, &s)) {
            check_surface(&s);
            moving_surface_free(&s);
            present++;
        }
    }
    if (present == 0) {
        printf("skipped: no meshes in ../shared/data (PBS_SHARED_DATA names the folder)\n");
        skip();
    }
}

/// Degenerate inputs: all boxes at one point, on a line, or flat and long, and a box that overlaps
/// everything. The numbers of primitives are around those at which the tree gets another block or
/// level.
static void test_degenerate_boxes(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 600, 4097};
    struct random random = random_seed(2);
    for (size_t n = 0; n < 4 * COUNT_OF(counts); n++) {
        const size_t count = counts[n / 4];
        struct box *boxes = memory_allocate(&memory, count + 1, sizeof *boxes);
        assert_non_null(boxes);
        for (size_t i = 0; i < count; i++) {
            const float at = (float)random_index(&random, 50);
            const float length = i % 100 == 99 ? 1000.0F : (float)random_index(&random, 3);
            const struct box kinds[] = {{{0}},
                                        {{1.0F, at, 0.0F, -1.0F, -at, 0.0F}},
                                        {{at, -at, 2.0F, -at - length, at - length, -2.0F}},
                                        {{-length, 0.0F, at, -length, -0.5F, -at}}};
            boxes[i] = kinds[n % 4];
        }
        struct bounding_tree tree = {0};
        struct box_pair_list list = {0};
        struct list expected = {0};
        const struct box_pair_query query = {
            .tree = &tree, .boxes = boxes, .count = count, .is_self = true};
        assert_ok(bounding_tree_build(&memory, NULL, boxes, count, NULL, 0, &tree));
        assert_ok(box_pairs_find(&memory, NULL, &query, &list));
        const size_t most = count < 700 ? count : 0;
        for (uint32_t i = 0; i < most; i++) {
            for (uint32_t j = i + 1; j < most; j++) {
                if (boxes_meet(boxes + i, boxes + j)) {
                    list_add(&expected, i, j);
                }
            }
        }
        if (most == count) {
            assert_same_list(&expected, &list);
        } else if (n % 4 == 0) {
            assert_int_equal(list.count, count * (count - 1) / 2);
        }
        memory_release(&memory, expected.pairs);
        memory_release(&memory, boxes);
        bounding_tree_free(&memory, &tree);
        box_pairs_free(&memory, &list);
    }
    assert_int_equal(memory.bytes_in_use, 0);
}

/// Diverged Newton directions: overlaps of finite boxes are still found, and the search ends.
static void test_numbers_that_are_none(void **state) {
    (void)state;
    enum { COUNT = 700 };
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-320};
    static double x[3 * COUNT];
    static struct box boxes[COUNT];
    struct random random = random_seed(4);
    struct bounding_tree tree = {0};
    struct box_pair_list list = {0};
    for (size_t trial = 0; trial < 50; trial++) {
        random_fill(&random, -1.0, 1.0, x, 3 * (size_t)COUNT);
        for (size_t n = 0; n < 20 * trial; n++) {
            x[3 * random_index(&random, COUNT / 2) +
              random_index(&random, 3)] = odd[random_index(&random, COUNT_OF(odd))];
        }
        const struct point_sweep sweep = {.count = COUNT, .x = x, .inflation = 0.1};
        boxes_of_points(NULL, &sweep, boxes);
        assert_ok(bounding_tree_build(&memory, NULL, boxes, COUNT, NULL, 0, &tree));
        const struct box_pair_query query = {
            .tree = &tree, .boxes = boxes, .count = COUNT, .is_self = true};
        assert_ok(box_pairs_find(&memory, NULL, &query, &list));
        size_t at = 0;
        for (uint32_t i = COUNT / 2; i < COUNT; i++) {
            for (uint32_t j = i + 1; j < COUNT; j++) {
                if (boxes_meet(boxes + i, boxes + j)) {
                    while (at < list.count &&
                           (list.pairs[at].query != i || list.pairs[at].primitive != j)) {
                        at++;
                    }
                    assert_true(at < list.count);
                }
            }
        }
    }
    bounding_tree_free(&memory, &tree);
    box_pairs_free(&memory, &list);
}

// --- guarantees ---

static void copy_list(const struct box_pair_list *from, struct list *to) {
    for (size_t i = 0; i < from->count; i++) {
        list_add(to, from->pairs[i].query, from->pairs[i].primitive);
    }
}

static void test_threads_and_shape_of_the_tree_change_nothing(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    struct moving_surface s;
    struct surface_pairs pairs = {0};
    struct list edges = {0};
    struct list points = {0};
    make_generated(0, &s);
    moving_surface_shake(&s, 1.0, 5);
    find(NULL, &s, true, &pairs);
    copy_list(&pairs.edge_edge, &edges);
    copy_list(&pairs.point_triangle, &points);
    surface_pairs_free(&memory, &pairs);
    for (size_t t = 0; t < 2 * COUNT_OF(threads); t++) {
        struct tasks *tasks;
        assert_ok(tasks_create(&memory, NULL, threads[t / 2], &tasks));
        // Built for these boxes, and built for other boxes and refitted.
        moving_surface_shake(&s, t % 2 ? 30.0 : 1.0, 5);
        find(tasks, &s, true, &pairs);
        moving_surface_shake(&s, 1.0, 5);
        find(tasks, &s, false, &pairs);
        assert_same_list(&edges, &pairs.edge_edge);
        assert_same_list(&points, &pairs.point_triangle);
        surface_pairs_free(&memory, &pairs);
        tasks_destroy(&memory, tasks);
    }
    memory_release(&memory, edges.pairs);
    memory_release(&memory, points.pairs);
    moving_surface_free(&s);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void test_threads_build_one_tree(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static double x[3 * COUNT];
    static struct box boxes[COUNT];
    struct random random = random_seed(6);
    const struct point_sweep sweep = {.count = COUNT, .x = x, .inflation = 0.01};
    random_fill(&random, -1.0, 1.0, x, 3 * (size_t)COUNT);
    boxes_of_points(NULL, &sweep, boxes);
    struct bounding_tree alone = {0};
    assert_ok(bounding_tree_build(&memory, NULL, boxes, COUNT, NULL, 0, &alone));
    for (int32_t threads = 2; threads <= 8; threads *= 2) {
        struct tasks *tasks;
        struct bounding_tree tree = {0};
        assert_ok(tasks_create(&memory, NULL, threads, &tasks));
        assert_ok(bounding_tree_build(&memory, tasks, boxes, COUNT, NULL, 0, &tree));
        assert_memory_equal(tree.primitive, alone.primitive, COUNT * sizeof *tree.primitive);
        assert_same_bits(&tree.inner_area, &alone.inner_area, 1);
        bounding_tree_free(&memory, &tree);
        tasks_destroy(&memory, tasks);
    }
    bounding_tree_free(&memory, &alone);
}

static void test_warm_calls_allocate_nothing(void **state) {
    (void)state;
    struct moving_surface s;
    struct surface_pairs pairs = {0};
    make_generated(1, &s);
    moving_surface_shake(&s, 2.0, 1);
    find(NULL, &s, true, &pairs);
    const uint64_t calls = memory.call_count;
    for (int n = 0; n < 6; n++) {
        moving_surface_shake(&s, n == 5 ? 2.0 : 0.3 * n, 1);
        find(NULL, &s, n % 2 == 0, &pairs);
    }
    assert_int_equal(memory.call_count, calls);
    surface_pairs_free(&memory, &pairs);
    moving_surface_free(&s);
}

static void test_every_refused_allocation_is_reported(void **state) {
    (void)state;
    struct test_allocator allocator;
    struct moving_surface s;
    make_generated(2, &s);
    moving_surface_shake(&s, 3.0, 1);
    for (uint64_t k = 0;; k++) {
        struct memory short_memory;
        struct surface_pairs pairs = {0};
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&short_memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        pbs_status status = surface_pairs_bound(&short_memory, NULL, &s, 0.01, &pairs);
        status = status < 0 ? status : surface_pairs_build(&short_memory, NULL, &pairs);
        status = status < 0 ? status : surface_pairs_find(&short_memory, NULL, &pairs);
        const bool has_failed = test_allocator_has_failed(&allocator);
        assert_int_equal(status, has_failed ? PBS_ERROR_MEMORY : PBS_OK);
        surface_pairs_free(&short_memory, &pairs);
        assert_int_equal(allocator.blocks_in_use, 0);
        if (!has_failed) {
            break;
        }
    }
    moving_surface_free(&s);
}

static uint32_t filter_odd_sums(const void *context, const struct box_pair *pairs, size_t count) {
    uint32_t kept = 0;
    assert_true(count > 0 && count <= BOX_PAIRS_BATCH);
    for (size_t i = 0; i < count; i++) {
        const uint32_t sum = pairs[i].query + pairs[i].primitive;
        kept |= (uint32_t)(sum % 2 == *(const uint32_t *)context) << i;
    }
    return kept;
}

static void test_filters_and_single_queries(void **state) {
    (void)state;
    struct moving_surface s;
    struct surface_pairs pairs = {0};
    const uint32_t odd = 1;
    make_generated(0, &s);
    moving_surface_shake(&s, 1.0, 9);
    find(NULL, &s, true, &pairs);
    struct box_pair_list list = {0};
    const struct box_pair_query query = {.tree = &pairs.triangle_tree,
                                         .boxes = pairs.point_boxes,
                                         .count = s.point_count,
                                         .filter = filter_odd_sums,
                                         .context = &odd};
    assert_ok(box_pairs_find(&memory, NULL, &query, &list));
    size_t at = 0;
    for (uint32_t i = 0; i < s.point_count; i++) {
        static uint32_t hits[5000];
        static bool is_hit[5000];
        memset(is_hit, 0, sizeof is_hit);
        const size_t count = bounding_tree_query(&pairs.triangle_tree, pairs.point_boxes + i, hits,
                                                 COUNT_OF(hits));
        assert_true(count <= COUNT_OF(hits));
        assert_int_equal(
            bounding_tree_query(&pairs.triangle_tree, pairs.point_boxes + i, hits + 1, 0), count);
        for (size_t h = 0; h < count; h++) {
            assert_false(is_hit[hits[h]]);
            is_hit[hits[h]] = true;
        }
        for (uint32_t j = 0; j < s.triangle_count; j++) {
            const bool meet = boxes_meet(pairs.point_boxes + i, pairs.triangle_boxes + j);
            assert_int_equal(meet, is_hit[j]);
            if (meet && (i + j) % 2 == 1) {
                assert_true(at < list.count && list.pairs[at].query == i &&
                            list.pairs[at].primitive == j);
                at++;
            }
        }
    }
    assert_int_equal(at, list.count);
    box_pairs_free(&memory, &list);
    surface_pairs_free(&memory, &pairs);
    moving_surface_free(&s);
}

/// Empty lanes raise no floating-point exception that a host might have unmasked.
static void test_empty_lanes_raise_no_exception(void **state) {
    (void)state;
    struct box boxes[9];
    struct bounding_tree tree = {0};
    for (size_t i = 0; i < COUNT_OF(boxes); i++) {
        const float at = (float)i;
        boxes[i] = (struct box){{at, at, at, -at - 1.0F, -at - 1.0F, -at - 1.0F}};
    }
    feclearexcept(FE_ALL_EXCEPT);
    assert_ok(bounding_tree_build(&memory, NULL, boxes, COUNT_OF(boxes), NULL, 0, &tree));
    assert_int_equal(fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO), 0);
    bounding_tree_free(&memory, &tree);
}

/// Long sweeps do not require a rebuild; exchanged positions do, until the next build.
static void test_a_tree_needs_a_rebuild_when_its_primitives_separate(void **state) {
    (void)state;
    struct moving_surface s;
    struct surface_pairs pairs = {0};
    struct random random = random_seed(3);
    make_generated(0, &s);
    find(NULL, &s, true, &pairs);
    assert_false(bounding_tree_needs_rebuild(&pairs.triangle_tree));
    moving_surface_shake(&s, 5.0, 1);
    find(NULL, &s, false, &pairs);
    assert_false(bounding_tree_needs_rebuild(&pairs.triangle_tree));
    moving_surface_shake(&s, 0.0, 1);
    // Every triangle keeps its size and moves to the position of another.
    for (size_t t = 0; t < s.triangle_count; t++) {
        const size_t other = random_index(&random, s.triangle_count);
        for (size_t k = 0; k < 3; k++) {
            const uint32_t kept = s.triangles[3 * t + k];
            s.triangles[3 * t + k] = s.triangles[3 * other + k];
            s.triangles[3 * other + k] = kept;
        }
    }
    find(NULL, &s, false, &pairs);
    assert_true(bounding_tree_needs_rebuild(&pairs.triangle_tree));
    find(NULL, &s, true, &pairs);
    assert_false(bounding_tree_needs_rebuild(&pairs.triangle_tree));
    surface_pairs_free(&memory, &pairs);
    moving_surface_free(&s);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_hold_what_they_bound),
        cmocka_unit_test(test_generated_surfaces),
        cmocka_unit_test(test_real_surfaces),
        cmocka_unit_test(test_degenerate_boxes),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_threads_and_shape_of_the_tree_change_nothing),
        cmocka_unit_test(test_threads_build_one_tree),
        cmocka_unit_test(test_warm_calls_allocate_nothing),
        cmocka_unit_test(test_every_refused_allocation_is_reported),
        cmocka_unit_test(test_filters_and_single_queries),
        cmocka_unit_test(test_empty_lanes_raise_no_exception),
        cmocka_unit_test(test_a_tree_needs_a_rebuild_when_its_primitives_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
