// What lies inside flat faces of a surface that keeps its shape.
// SPDX-License-Identifier: MIT
#include "contact/surfaces/flat_faces.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "sparse/matrices/pairs.h"
#include "support/host/refusals.h"
#include "support/random.h"
#include "support/testing.h"

enum { MOST_POINTS = 200, MOST_TRIANGLES = 400, MOST_EDGES = 3 * MOST_TRIANGLES };

struct surface {
    struct face_surface faces;
    double points[3 * MOST_POINTS];
    uint32_t triangles[3 * MOST_TRIANGLES];
    struct pairs pairs;
    uint8_t edge_is_flat[MOST_EDGES], point_is_flat[MOST_POINTS];
};

static struct memory memory;

static int setup(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(memory.bytes_in_use, 0);
    return 0;
}

/// The point at integer coordinates, each once.
static uint32_t point_at(struct surface *s, const int place[3]) {
    const double wanted[3] = {place[0], place[1], place[2]};
    size_t i = 0;
    while (i < s->faces.point_count && memcmp(s->points + 3 * i, wanted, sizeof wanted) != 0) {
        i++;
    }
    assert_true(i < MOST_POINTS);
    copy3(wanted, s->points + 3 * i);
    s->faces.point_count += i == s->faces.point_count;
    return (uint32_t)i;
}

/// A unit square across `axis`, seen from its positive side if `faces_up`.
static void add_square(struct surface *s, const int low[3], int axis, bool faces_up) {
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    uint32_t p[4];
    for (int k = 0; k < 4; k++) {
        int place[3] = {low[0], low[1], low[2]};
        place[(axis + 1) % 3] += corner[k][0];
        place[(axis + 2) % 3] += corner[k][1];
        p[k] = point_at(s, place);
    }
    const uint32_t up[6] = {p[0], p[1], p[2], p[0], p[2], p[3]};
    for (int k = 0; k < 6; k++) {
        s->triangles[3 * s->faces.triangle_count + (size_t)k] = up[faces_up ? k : 5 - k];
    }
    s->faces.triangle_count += 2;
}

/// The boundary of the cells that are set, of 4 x 4 x 4.
static void add_cells(struct surface *s, const uint8_t cells[4][4][4], bool outward) {
    for (int i = 0; i < 3 * 64; i++) {
        const int axis = i % 3;
        const int at[3] = {i / 3 % 4, i / 12 % 4, i / 48};
        if (cells[at[0]][at[1]][at[2]] == 0) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            int beyond[3] = {at[0], at[1], at[2]};
            int low[3] = {at[0], at[1], at[2]};
            beyond[axis] += side == 0 ? -1 : 1;
            low[axis] += side;
            const bool is_in = beyond[axis] >= 0 && beyond[axis] < 4;
            if (!is_in || cells[beyond[0]][beyond[1]][beyond[2]] == 0) {
                add_square(s, low, axis, (side == 1) == outward);
            }
        }
    }
}

/// An affine map that keeps orientation, far from the origin.
static void deform(struct surface *s, uint64_t seed) {
    struct random numbers = random_seed(seed);
    double map[9];
    do {
        random_fill(&numbers, -1.0, 1.0, map, 9);
    } while (determinant3(map) < 0.2);
    for (size_t i = 0; i < s->faces.point_count; i++) {
        double image[3];
        multiply3(map, s->points + 3 * i, image);
        for (int k = 0; k < 3; k++) {
            s->points[3 * i + (size_t)k] = image[k] + 50.0;
        }
    }
}

static void find(struct surface *s) {
    assert_ok(pairs_reserve(&memory, 3 * s->faces.triangle_count, &s->pairs));
    s->pairs.count = 0;
    for (size_t k = 0; k < 3 * s->faces.triangle_count; k++) {
        const uint32_t a = s->triangles[k], b = s->triangles[k % 3 == 2 ? k - 2 : k + 1];
        pairs_add(&s->pairs, a < b ? a : b, a < b ? b : a);
    }
    pairs_sort(&s->pairs);
    s->faces.points = s->points;
    s->faces.triangles = s->triangles;
    s->faces.edges = s->pairs.pair;
    s->faces.edge_count = s->pairs.count;
    assert_ok(flat_faces_find(&memory, &s->faces, s->edge_is_flat, s->point_is_flat));
    pairs_free(&memory, &s->pairs);
}

static size_t count_set(const uint8_t *set, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += set[i];
    }
    return sum;
}

/// A block of 2 x 3 x 4 cells under any affine map: of its edges those on the block's twelve stay,
/// 4 (2 + 3 + 4); inside each face of a x b cells are (a - 1)(b - 1) points. It does not matter
/// which way round the triangles are named.
static void boxes_have_flat_faces(void **state) {
    (void)state;
    uint8_t cells[4][4][4] = {{{0}}};
    for (int i = 0; i < 24; i++) {
        cells[i % 2][i / 2 % 3][i / 6] = 1;
    }
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct surface s = {.faces = {.point_count = 0}};
        add_cells(&s, (const uint8_t(*)[4][4])cells, seed % 2 == 0);
        deform(&s, seed);
        find(&s);
        assert_int_equal(s.faces.edge_count - count_set(s.edge_is_flat, s.faces.edge_count), 36);
        assert_int_equal(count_set(s.point_is_flat, s.faces.point_count),
                         2 * (1 * 2 + 1 * 3 + 2 * 3));
    }
}

/// An edge that bends inward is not flat; nor is one with a single triangle, one with three, and
/// one with a fold.
static void what_is_not_flat(void **state) {
    (void)state;
    const uint8_t corner[4][4][4] = {{{1, 1}}, {{1}}};
    const uint8_t one[4][4][4] = {{{1}}};
    struct surface s = {.faces = {.point_count = 0}};
    add_cells(&s, corner, true);
    deform(&s, 3);
    find(&s);
    // The diagonals of 14 squares, and the seams between two of one plane: two on either side of
    // the angle, one on each of its long backs.
    assert_int_equal(count_set(s.edge_is_flat, s.faces.edge_count), 14 + 2 + 2 + 1 + 1);

    s = (struct surface){.faces = {.point_count = 0}};
    add_cells(&s, one, true);
    find(&s);
    assert_int_equal(count_set(s.edge_is_flat, s.faces.edge_count), 6);
    s.faces.triangle_count--;
    find(&s);
    assert_int_equal(count_set(s.edge_is_flat, s.faces.edge_count), 5);
    s.faces.triangle_count++;
    memcpy(s.triangles + 3 * s.faces.triangle_count, s.triangles, 3 * sizeof *s.triangles);
    s.faces.triangle_count++;
    find(&s);
    assert_int_equal(count_set(s.edge_is_flat, s.faces.edge_count), 5);

    // Two triangles in one plane that lie on the same side of their edge.
    const double fold[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const uint32_t folded[] = {0, 1, 2, 1, 0, 3};
    s = (struct surface){.faces = {.point_count = 4, .triangle_count = 2}};
    memcpy(s.points, fold, sizeof fold);
    memcpy(s.triangles, folded, sizeof folded);
    find(&s);
    assert_int_equal(count_set(s.edge_is_flat, s.faces.edge_count), 0);
}

/// A bump on a face is one as soon as contact could see it, and none where coordinates end.
static void flat_means_to_rounding(void **state) {
    (void)state;
    const double heights[] = {0.0, 1e-13, -1e-13, 1e-8, -1e-8, 1e-3};
    uint8_t cells[4][4][4] = {{{0}}};
    for (int i = 0; i < 4; i++) {
        cells[i % 2][i / 2][0] = 1;
    }
    for (size_t k = 0; k < 6; k++) {
        struct surface s = {.faces = {.point_count = 0}};
        add_cells(&s, (const uint8_t(*)[4][4])cells, true);
        const uint32_t middle = point_at(&s, (const int[3]){1, 1, 1});
        s.points[3 * middle + 2] += heights[k];
        find(&s);
        assert_int_equal(s.point_is_flat[middle], fabs(heights[k]) < 1e-9);
    }
}

static pbs_status find_and_free(struct memory *own, const void *context) {
    const struct face_surface *const faces = context;
    uint8_t edges[3], points[3];
    return flat_faces_find(own, faces, edges, points);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    static const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    static const uint64_t edges[3] = {1, 2, (uint64_t)1 << 32 | 2};
    const struct face_surface faces = {3, 1, 3, points, triangle, edges};
    assert_refusals_are_statuses(find_and_free, &faces, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(boxes_have_flat_faces, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_flat, setup, teardown),
        cmocka_unit_test_setup_teardown(flat_means_to_rounding, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_memory_is_a_status, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
