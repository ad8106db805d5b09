// Compares tree searches with a test of every primitive: the same nearest triangle at the same
// distance to the last bit, whatever the tree was built for and however it was refitted.
// SPDX-License-Identifier: MIT
#include "broad_phase/tree_search.h"

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/ray.h"
#include "support/random.h"
#include "support/testing.h"

enum { MOST = 5000 };

struct cloud {
    struct memory memory;
    size_t count;
    double x[9 * MOST];
    uint32_t triangles[3 * MOST];
    struct box points[3 * MOST], boxes[MOST];
    struct bounding_tree tree;
};

static struct cloud cloud;

static void bound(struct cloud *c) {
    const struct point_sweep sweep = {.count = 3 * c->count, .x = c->x};
    boxes_of_points(NULL, &sweep, c->points);
    boxes_of_primitives(NULL, c->points, c->triangles, 3, c->count, c->boxes);
}

/// Triangles of `size` around random points in a cube of 2 m. Rounded ones are on a grid of 1/4 m,
/// where boxes are flat and distances are equal.
static void scatter(struct cloud *c, struct random *random, double size, bool rounded) {
    for (size_t t = 0; t < c->count; t++) {
        double centre[3];
        random_fill(random, -1.0, 1.0, centre, 3);
        for (size_t k = 0; k < 9; k++) {
            const double x = centre[k % 3] + random_uniform(random, -size, size);
            c->x[9 * t + k] = rounded ? round(4.0 * x) / 4.0 : x;
        }
    }
}

static void make(struct cloud *c, struct random *random, size_t count, double size, bool rounded) {
    c->count = count;
    for (uint32_t i = 0; i < 3 * count; i++) {
        c->triangles[i] = i;
    }
    scatter(c, random, size, rounded);
    bound(c);
    assert_ok(bounding_tree_build(&c->memory, NULL, c->boxes, count, NULL, 0, &c->tree));
}

struct search {
    const struct cloud *cloud;
    struct ray ray;
    double point[3];
    double found; ///< m, or m^2
    uint32_t which;
    size_t visits;
};

static void keep_lesser(struct search *s, uint32_t primitive, double found) {
    if (found < s->found || (found == s->found && primitive < s->which)) {
        s->found = found;
        s->which = primitive;
    }
}

static double meet(void *self, uint32_t primitive, double limit) {
    struct search *s = self;
    const double *x = s->cloud->x + 9 * (size_t)primitive;
    const double *const corners[3] = {x, x + 3, x + 6};
    double distance = 0.0;
    double weight[3];
    s->visits++;
    if (ray_hits_triangle(&s->ray, corners, limit, &distance, weight)) {
        keep_lesser(s, primitive, distance);
    }
    return s->found;
}

static double approach(void *self, uint32_t primitive, double limit) {
    struct search *s = self;
    const double *x = s->cloud->x + 9 * (size_t)primitive;
    const double *const nodes[4] = {s->point, x, x + 3, x + 6};
    s->visits++;
    const double squared = closest_squared(PAIR_POINT_TRIANGLE, nodes);
    if (squared <= limit) {
        keep_lesser(s, primitive, squared);
    }
    return s->found;
}

static struct search search_of(const struct cloud *c, double limit) {
    return (struct search){.cloud = c, .found = limit, .which = UINT32_MAX};
}

static void assert_same(const struct search *a, const struct search *b) {
    assert_true(a->found == b->found && a->which == b->which);
}

/// Searches with one ray and one point, by the tree and by testing all. Returns the number of
/// primitives that the tree visited.
static size_t compare(const struct cloud *c, struct random *random, int n, size_t *found) {
    double origin[3];
    double direction[3];
    random_fill(random, -2.0, 2.0, origin, 3);
    random_unit(random, direction);
    if (n % 4 == 1) {
        // Along an axis, in the planes of boxes.
        for (int k = 0; k < 3; k++) {
            origin[k] = round(4.0 * origin[k]) / 4.0;
            direction[k] = k == n / 4 % 3 ? (n % 8 < 4 ? -1.0 : 1.0) : 0.0;
        }
    } else if (n % 4 == 2 && c->count > 0) {
        // Towards a corner.
        subtract3(c->x + 3 * random_index(random, 3 * c->count), origin, direction);
    }
    const double limit = n % 3 == 0 ? INFINITY : random_uniform(random, 0.0, 1.5);
    struct search by_tree = search_of(c, limit);
    ray_make(origin, direction, &by_tree.ray);
    struct search by_all = by_tree;
    tree_search_ray(&c->tree, origin, by_tree.ray.direction, limit, meet, &by_tree);
    for (uint32_t t = 0; t < c->count; t++) {
        meet(&by_all, t, by_all.found);
    }
    assert_same(&by_tree, &by_all);
    *found += by_tree.which != UINT32_MAX;

    struct search near_tree = search_of(c, limit * limit);
    copy3(origin, near_tree.point);
    struct search near_all = near_tree;
    tree_search_nearest(&c->tree, origin, limit * limit, approach, &near_tree);
    for (uint32_t t = 0; t < c->count; t++) {
        approach(&near_all, t, near_all.found);
    }
    assert_same(&near_tree, &near_all);
    *found += near_tree.which != UINT32_MAX;
    return by_tree.visits + near_tree.visits;
}

/// From no triangle to several levels, large and small ones, in planes of a grid.
static void searches_find_what_is_nearest(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 500, 4097};
    struct random random = random_seed(11);
    memory_init(&cloud.memory, NULL);
    size_t found = 0;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        for (int kind = 0; kind < 3; kind++) {
            make(&cloud, &random, counts[i], kind == 0 ? 0.05 : 0.6, kind == 2);
            const int queries = testing_is_small() ? 20 : counts[i] > 1000 ? 150 : 400;
            for (int n = 0; n < queries; n++) {
                compare(&cloud, &random, n, &found);
            }
        }
    }
    assert_true(found > (testing_is_small() ? 100 : 1000));
    bounding_tree_free(&cloud.memory, &cloud.tree);
    assert_int_equal(cloud.memory.bytes_in_use, 0);
}

/// After arbitrary motion, and far from the origin, where floats are coarse.
static void refitted_trees_find_the_same(void **state) {
    (void)state;
    struct random random = random_seed(12);
    size_t found = 0;
    memory_init(&cloud.memory, NULL);
    make(&cloud, &random, 700, 0.1, false);
    for (int move = 0; move < 4; move++) {
        scatter(&cloud, &random, 0.2, move == 2);
        for (size_t k = 0; move == 3 && k < 9 * cloud.count; k++) {
            cloud.x[k] = 0.5 * cloud.x[k] + (k % 3 == 0 ? 0.5 : 0.0);
        }
        bound(&cloud);
        bounding_tree_refit(NULL, cloud.boxes, &cloud.tree);
        for (int n = 0; n < (testing_is_small() ? 20 : 300); n++) {
            compare(&cloud, &random, n, &found);
        }
    }
    assert_true(found > 30);
    bounding_tree_free(&cloud.memory, &cloud.tree);
}

/// The tree is efficient: it visits far fewer than a tenth of 4096 small triangles.
static void most_is_never_looked_at(void **state) {
    (void)state;
    struct random random = random_seed(13);
    size_t visits = 0;
    size_t found = 0;
    memory_init(&cloud.memory, NULL);
    make(&cloud, &random, 4096, 0.03, false);
    for (int n = 0; n < 200; n++) {
        visits += compare(&cloud, &random, n, &found);
    }
    assert_true(visits < 2 * 200 * 4096 / 20);
    bounding_tree_free(&cloud.memory, &cloud.tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_find_what_is_nearest),
        cmocka_unit_test(refitted_trees_find_the_same),
        cmocka_unit_test(most_is_never_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
