// The lists of what may touch against everything beside everything: all that comes within reach on
// the way is listed, once, in order, and nothing that may not touch; where lists hold.
// SPDX-License-Identifier: MIT
#include "contact/search/candidates.h"

#include <float.h>
#include <math.h>

#include "contact/touching_scene.h"

static struct memory memory;
static struct random numbers;

static int setup(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    numbers = random_seed(8);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(memory.bytes_in_use, 0);
    return 0;
}

static const size_t *counts_of(const struct collision_mesh *m, enum pair_kind kind,
                               size_t counts[2]) {
    const size_t all[PAIR_KINDS][2] = {
        [PAIR_POINT_TRIANGLE] = {m->point_count, m->triangle_count},
        [PAIR_EDGE_EDGE] = {m->edge_count, m->edge_count},
        [PAIR_POINT_EDGE] = {m->isolated_point_count, m->isolated_edge_count},
        [PAIR_POINT_POINT] = {m->isolated_point_count, m->isolated_point_count}};
    memcpy(counts, all[kind], sizeof all[kind]);
    return counts;
}

/// The points of a pair by its numbers in the lists. Returns how many the first side has.
static int points_of(const struct collision_mesh *m, enum pair_kind kind, size_t i, size_t j,
                     uint32_t points[4]) {
    switch (kind) {
    case PAIR_POINT_TRIANGLE:
        points[0] = (uint32_t)i;
        memcpy(points + 1, m->triangles + 3 * j, 3 * sizeof *points);
        return 1;
    case PAIR_EDGE_EDGE:
        memcpy(points, m->edges + 2 * i, 2 * sizeof *points);
        memcpy(points + 2, m->edges + 2 * j, 2 * sizeof *points);
        return 2;
    case PAIR_POINT_EDGE:
        points[0] = m->isolated_points[i];
        memcpy(points + 1, m->edges + 2 * (size_t)m->isolated_edges[j], 2 * sizeof *points);
        return 1;
    default:
        points[0] = m->isolated_points[i];
        points[1] = m->isolated_points[j];
        return 1;
    }
}

/// Whether a side lies inside a flat face that stays flat, such as the diagonals of boxes.
static bool is_inside_face(const struct collision_mesh *m, enum pair_kind kind, size_t i,
                           size_t j) {
    return kind == PAIR_POINT_TRIANGLE
               ? m->point_is_flat[i] != 0
               : kind == PAIR_EDGE_EDGE && (m->edge_is_flat[i] != 0 || m->edge_is_flat[j] != 0);
}

static bool is_wanted(const struct collision_mesh *m, const uint32_t *points, int first,
                      int count) {
    for (int a = 0; a < first; a++) {
        for (int b = first; b < count; b++) {
            if (points[a] == points[b]) {
                return false;
            }
        }
    }
    return collision_mesh_may_touch(m, points[0], points[first]);
}

static bool is_listed(const struct box_pair_list *list, size_t i, size_t j) {
    for (size_t k = 0; k < list->count; k++) {
        if (list->pairs[k].query == i && list->pairs[k].primitive == j) {
            return true;
        }
    }
    return false;
}

/// The gap of a pair at a time of the motion.
static double gap_at(const struct collision_mesh *m, const double *x, const double *motion,
                     double time, enum pair_kind kind, const uint32_t *points, int first) {
    double at[4][3];
    const double *p[PAIR_NODES] = {NULL};
    for (int k = 0; k < pair_node_count(kind); k++) {
        add_scaled3(x + 3 * (size_t)points[k], time, motion + 3 * (size_t)points[k], at[k]);
        p[k] = at[k];
    }
    return sqrt(closest_squared(kind, p)) - m->parts[m->part[points[0]]].offset -
           m->parts[m->part[points[first]]].offset;
}

static void scatter(struct touching_scene *s, double *x, double *motion, double size) {
    const size_t count = 3 * (size_t)s->contact.mesh.point_count;
    random_fill(&numbers, -1.0, 1.0, x, count);
    random_fill(&numbers, -size, size, motion, count);
}

struct tally {
    size_t within, beyond;
};

/// What is listed may touch, names no common point, comes once and in order; everything that may
/// touch and comes within reach at any of nine times on the way (null: where it stands) is listed.
static void check_lists(const struct collision_mesh *m, const struct candidates *c, const double *x,
                        const double *motion, double reach, struct tally *tally) {
    size_t index = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        const struct box_pair_list *list = &c->lists[kind];
        size_t counts[2];
        uint32_t points[4];
        counts_of(m, (enum pair_kind)kind, counts);
        const int count = pair_node_count((enum pair_kind)kind);
        const bool is_self = kind == PAIR_EDGE_EDGE || kind == PAIR_POINT_POINT;
        for (size_t k = 0; k < list->count; k++, index++) {
            const struct box_pair pair = list->pairs[k];
            const int first = points_of(m, (enum pair_kind)kind, pair.query, pair.primitive,
                                        points);
            const struct candidate candidate = candidates_at(c, m, index);
            assert_true(is_wanted(m, points, first, count) &&
                        !is_inside_face(m, (enum pair_kind)kind, pair.query, pair.primitive));
            assert_true(!is_self || pair.query < pair.primitive);
            assert_true(k == 0 || pair.query > list->pairs[k - 1].query ||
                        (pair.query == list->pairs[k - 1].query &&
                         pair.primitive > list->pairs[k - 1].primitive));
            assert_true(candidate.kind == (enum pair_kind)kind && candidate.point_count == count &&
                        candidate.first == pair.query && candidate.second == pair.primitive);
            assert_memory_equal(candidate.points, points, (size_t)count * sizeof *points);
        }
        for (size_t i = 0; i < counts[0]; i++) {
            for (size_t j = is_self ? i + 1 : 0; j < counts[1]; j++) {
                const int first = points_of(m, (enum pair_kind)kind, i, j, points);
                double least = INFINITY;
                for (int t = 0; t < 9; t++) {
                    least = fmin(least, gap_at(m, x, motion != NULL ? motion : x,
                                               motion != NULL ? t / 8.0 : 0.0, (enum pair_kind)kind,
                                               points, first));
                }
                if (least < reach && is_wanted(m, points, first, count) &&
                    !is_inside_face(m, (enum pair_kind)kind, i, j)) {
                    assert_true(is_listed(list, i, j));
                    tally->within++;
                } else {
                    tally->beyond += !is_listed(list, i, j);
                }
            }
        }
    }
    assert_int_equal(index, candidates_count(c));
}

/// Points move as they like: the search knows nothing of bodies.
static void lists_have_all_within_reach(void **state) {
    (void)state;
    struct tally tally = {0, 0};
    for (int round = 0; round < 30; round++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
        const struct collision_mesh *m = &s.contact.mesh;
        struct candidates *c = &s.contact.candidates;
        double x[3 * 64], motion[3 * 64];
        scatter(&s, x, motion, 0.5);
        for (uint32_t p = 0; round % 2 == 1 && p < m->part_count; p++) {
            m->parts[p].group = 1u << random_index(&numbers, 3);
            m->parts[p].mask = (uint32_t)random_index(&numbers, 8);
            m->parts[p].touches_itself = random_index(&numbers, 2) == 0;
        }
        const double reach = random_uniform(&numbers, 0.01, 0.3);
        const double *const way = round % 3 == 0 ? NULL : motion;
        assert_ok(candidates_gather(&memory, NULL, m, x, way, reach, 0.0, c));
        check_lists(m, c, x, way, reach, &tally);
        barrier_contact_free(&s.contact);
    }
    assert_true(tally.within > 1000 && tally.beyond > 1000);
}

/// Short ways that begin and end elsewhere, all of them moved together besides: as long as every
/// point is less than the skin from the ways of the wide lists, no box is looked at, and the lists
/// are as complete. A long way, which has lists of its own, leaves them what they are; a longer
/// reach, a point that is elsewhere and a new beginning have all looked at.
static void wide_lists_serve_what_moves_on(void **state) {
    (void)state;
    struct tally tally = {0, 0};
    const int rounds = testing_rounds(30);
    for (int round = 0; round < rounds; round++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
        const struct collision_mesh *m = &s.contact.mesh;
        struct candidates *c = &s.contact.candidates;
        const size_t count = 3 * (size_t)m->point_count;
        double x[3 * 64], motion[3 * 64], y[3 * 64], way[3 * 64], far[3 * 64];
        const double reach = random_uniform(&numbers, 1e-3, 0.1);
        // There is a lone particle.
        const double skin = fmin(c->list_margin, reach);
        assert_true(c->list_margin > 1e-3);
        scatter(&s, x, motion, round % 3 == 0 ? 0.0 : skin / sqrt(3.0));
        scatter(&s, y, far, 0.5);
        const double margin = random_uniform(&numbers, 0.0, 0.01);
        assert_ok(candidates_gather(&memory, NULL, m, x, motion, reach, margin, c));
        assert_int_equal(c->search_count, 1);
        for (int move = 0; move < 8; move++) {
            const double begin = random_uniform(&numbers, 0.0, 1.0);
            const double end = random_uniform(&numbers, 0.0, 1.0);
            // So little that places round by no more than wide lists are made for.
            const double together[3] = {random_uniform(&numbers, -0.5, 0.5), 0.0, 0.3};
            // A cube of it is within the ball, with the mean of all taken off.
            const double beside = 0.5 * skin / sqrt(3.0);
            for (size_t k = 0; k < count; k++) {
                y[k] = x[k] + begin * motion[k] + random_uniform(&numbers, -beside, beside) +
                       together[k % 3];
                way[k] = x[k] + end * motion[k] + random_uniform(&numbers, -beside, beside) - y[k];
            }
            const double *const taken = move % 3 == 0 ? NULL : way;
            assert_ok(candidates_gather(&memory, NULL, m, y, taken, reach, margin, c));
            assert_int_equal(c->search_count, move < 4 ? 1 : 2);
            check_lists(m, c, y, taken, reach, &tally);
            if (move == 3) {
                assert_ok(candidates_gather(&memory, NULL, m, y, far, reach, margin, c));
                assert_int_equal(c->search_count, 2);
                check_lists(m, c, y, far, reach, &tally);
            }
        }
        assert_ok(candidates_gather(&memory, NULL, m, y, NULL, 1.01 * reach, margin, c));
        assert_int_equal(c->search_count, 3);
        check_lists(m, c, y, NULL, 1.01 * reach, &tally);
        y[random_index(&numbers, count)] += 3.0 * skin + 2.0 * margin;
        assert_ok(candidates_gather(&memory, NULL, m, y, NULL, reach, margin, c));
        assert_int_equal(c->search_count, 4);
        check_lists(m, c, y, NULL, reach, &tally);
        assert_ok(candidates_begin(&memory, m, c));
        assert_ok(candidates_gather(&memory, NULL, m, y, NULL, reach, margin, c));
        assert_int_equal(c->search_count, 5);
        barrier_contact_free(&s.contact);
    }
    const size_t least = 333 * (size_t)rounds;
    assert_true(tally.within > least && tally.beyond > least);
}

/// A list holds for states on the way, each point somewhat beside it, for what is between two of
/// them, and wherever all of them are moved together; it then has what comes within reach. It holds
/// no more once a point leaves, for numbers that are none, after a new beginning, and never before
/// a search.
static void lists_hold_within_their_margin(void **state) {
    (void)state;
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *m = &s.contact.mesh;
    struct candidates *c = &s.contact.candidates;
    const size_t count = 3 * (size_t)m->point_count;
    const double margin = 0.125;
    double x[3 * 64], motion[3 * 64], y[3 * 64], way[3 * 64];
    double common[3];
    scatter(&s, x, motion, 0.5);
    point_paths_mean_position(m, motion, common);
    assert_false(candidates_cover(NULL, c, m, x, NULL));
    assert_ok(candidates_gather(&memory, NULL, m, x, motion, 0.1, margin, c));
    for (int round = 0; round < testing_rounds(200); round++) {
        const double begin = random_uniform(&numbers, 0.0, 1.0);
        const double end = random_uniform(&numbers, 0.0, 1.0);
        const double together[3] = {random_uniform(&numbers, -9.0, 9.0), 0.0, 3.0};
        for (size_t k = 0; k < count; k++) {
            // The mean of what all are beside their ways is half a margin at most.
            const double from = x[k] + begin * motion[k];
            const double to = x[k] + end * motion[k];
            y[k] = from + random_uniform(&numbers, -0.5 * margin, 0.5 * margin) + together[k % 3];
            way[k] = to + random_uniform(&numbers, -0.5 * margin, 0.5 * margin) - y[k];
        }
        assert_true(candidates_cover(NULL, c, m, y, NULL));
        assert_true(candidates_cover(NULL, c, m, y, way));
        uint32_t points[4];
        for (size_t i = 0; i < m->edge_count; i++) {
            for (size_t j = i + 1; j < m->edge_count; j++) {
                const int first = points_of(m, PAIR_EDGE_EDGE, i, j, points);
                const bool wanted = is_wanted(m, points, first, 4) &&
                                    !is_inside_face(m, PAIR_EDGE_EDGE, i, j);
                for (int t = 0; t < 3 && wanted; t++) {
                    if (gap_at(m, y, way, t / 2.0, PAIR_EDGE_EDGE, points, first) < 0.1) {
                        assert_true(is_listed(&c->lists[PAIR_EDGE_EDGE], i, j));
                    }
                }
            }
        }
        // One point out: at the beginning or at the end of its way.
        const size_t out = random_index(&numbers, count);
        const double kept = y[out];
        const double side = random_index(&numbers, 2) == 0 ? -1.0 : 1.0;
        // Beyond its own range whatever of the mean's half margin and of its share in it (of at
        // most half the points' way) is taken off.
        const double beyond = side * (3.0 * margin + 2.0 * fabs(motion[out] - common[out % 3]));
        y[out] = kept + beyond;
        assert_false(candidates_cover(NULL, c, m, y, NULL));
        y[out] = kept;
        way[out] += beyond;
        assert_true(candidates_cover(NULL, c, m, y, NULL));
        assert_false(candidates_cover(NULL, c, m, y, way));
        y[out] = NAN;
        assert_false(candidates_cover(NULL, c, m, y, NULL));
    }
    assert_ok(candidates_begin(&memory, m, c));
    assert_false(candidates_cover(NULL, c, m, x, NULL));
    barrier_contact_free(&s.contact);
}

/// Two points that part by a margin each, so that the mean stays: within it by a hundredth the list
/// holds, beyond it by a hundredth it does not.
static void a_list_holds_to_its_margin(void **state) {
    (void)state;
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *m = &s.contact.mesh;
    struct candidates *c = &s.contact.candidates;
    const double margin = 0.125;
    double x[3 * 64];
    double still[3 * 64] = {0.0};
    uint32_t moved[2];
    int count = 0;
    for (uint32_t p = 0; p < m->point_count && count < 2; p++) {
        if (!m->parts[m->part[p]].is_obstacle) {
            moved[count++] = p;
        }
    }
    assert_int_equal(count, 2);
    scatter(&s, x, still, 0.0);
    assert_ok(candidates_gather(&memory, NULL, m, x, still, 0.1, margin, c));
    for (size_t axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 2; i++) {
            const double by = (i == 0 ? 0.99 : 1.01) * margin;
            double *const there = x + 3 * (size_t)moved[0] + axis;
            double *const here = x + 3 * (size_t)moved[1] + axis;
            *there += by;
            *here -= by;
            assert_true(candidates_cover(NULL, c, m, x, NULL) == (i == 0));
            *there -= by;
            *here += by;
        }
    }
    barrier_contact_free(&s.contact);
}

/// Lone points that may touch: two indices in the list of them.
static void find_lone_pair(const struct collision_mesh *m, size_t pair[2]) {
    for (size_t i = 0; i < m->isolated_point_count; i++) {
        for (size_t j = i + 1; j < m->isolated_point_count; j++) {
            if (collision_mesh_may_touch(m, m->isolated_points[i], m->isolated_points[j])) {
                pair[0] = i;
                pair[1] = j;
                return;
            }
        }
    }
    fail_msg("no two lone points that may touch");
}

/// Far from the origin, where rounding takes the last digits of a margin: two points as far apart
/// as a list may leave out, give or take that rounding, come within reach by a margin each.
/// Whenever the list says that it holds, it has them; it does hold for what stays a thousandth of
/// the margin inside.
static void a_list_knows_its_rounding(void **state) {
    (void)state;
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *m = &s.contact.mesh;
    struct candidates *c = &s.contact.candidates;
    const double reach = 1e-3;
    const double margin = 2e-4;
    size_t pair[2] = {0};
    find_lone_pair(m, pair);
    const uint32_t points[4] = {m->isolated_points[pair[0]], m->isolated_points[pair[1]]};
    const double offset = m->parts[m->part[points[0]]].offset + m->parts[m->part[points[1]]].offset;
    size_t held = 0;
    size_t within = 0;
    const int rounds = testing_rounds(4000);
    for (int round = 0; round < rounds; round++) {
        const double away = round % 2 == 0 ? 1e4 : 1e6;
        const double digits = 4e-12 * away;
        double x[3 * 64], still[3 * 64] = {0.0}, n[3];
        scatter(&s, x, still, 0.0);
        for (size_t k = 0; k < 3 * (size_t)m->point_count; k++) {
            x[k] += away;
        }
        random_unit(&numbers, n);
        const double apart = reach + 2.0 * margin + random_uniform(&numbers, -digits, digits);
        add_scaled3(x + 3 * (size_t)points[0], apart + offset, n, x + 3 * (size_t)points[1]);
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, reach, margin, c));
        const double by = round % 4 < 2 ? margin + random_uniform(&numbers, -digits, digits)
                                        : 0.999 * margin;
        add_scaled3(x + 3 * (size_t)points[0], by, n, x + 3 * (size_t)points[0]);
        add_scaled3(x + 3 * (size_t)points[1], -by, n, x + 3 * (size_t)points[1]);
        const bool holds = candidates_cover(NULL, c, m, x, NULL);
        const bool is_near = gap_at(m, x, still, 0.0, PAIR_POINT_POINT, points, 1) < reach;
        assert_true(holds || round % 4 < 2);
        assert_true(!holds || !is_near || is_listed(&c->lists[PAIR_POINT_POINT], pair[0], pair[1]));
        held += holds;
        within += holds && is_near;
    }
    assert_true(held > (size_t)rounds / 2 && within > (size_t)rounds / 8);
    barrier_contact_free(&s.contact);
}

/// Whether the boxes of two sides are at most so far apart along every axis.
static bool boxes_meet(const double *x, const uint32_t *points, int first, int count,
                       double apart) {
    bool meet = true;
    for (size_t axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY};
        double high[2] = {-INFINITY, -INFINITY};
        for (int n = 0; n < count; n++) {
            const double at = x[3 * (size_t)points[n] + axis];
            low[n >= first] = fmin(low[n >= first], at);
            high[n >= first] = fmax(high[n >= first], at);
        }
        meet = meet && fmax(low[0] - high[1], low[1] - high[0]) <= apart;
    }
    return meet;
}

enum { LINE = 100, CUBE = 16, SWARM = CUBE * CUBE * CUBE };

/// A line of edges, or of lone points, along the first axis.
static void add_line(struct collision_mesh *m, uint32_t count, double spacing, bool has_edges) {
    uint32_t nodes[LINE], edges[2 * LINE];
    double rest[3 * LINE] = {0.0};
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = i;
        rest[3 * i] = i * spacing;
        edges[2 * i] = i;
        edges[2 * i + 1] = i + 1;
    }
    const struct collision_part_input input = {
        .part = {.group = 1, .mask = 1, .touches_itself = true},
        .point_count = count,
        .nodes = nodes,
        .rest = rest,
        .edge_count = has_edges ? count - 1 : 0,
        .edges = edges};
    assert_ok(collision_mesh_add(&memory, &input, m));
}

/// A few long edges, of another part or the same, do not make wide lists of all short ones.
static void the_finest_part_sets_the_skin(void **state) {
    (void)state;
    struct collision_mesh m = {0};
    struct candidates c = {0};
    add_line(&m, LINE, 0.01, true);
    assert_ok(candidates_begin(&memory, &m, &c));
    const double own = c.list_margin;
    assert_true(own > 0.0 && own < 0.01);
    add_line(&m, 2, 1000.0, true);
    assert_ok(candidates_begin(&memory, &m, &c));
    assert_true(c.list_margin == own);
    collision_mesh_clear(&m);
    add_line(&m, LINE, 0.02, true);
    assert_ok(candidates_begin(&memory, &m, &c));
    assert_near(c.list_margin, 2.0 * own, 1e-12 * own, "twice as coarse");
    // The sum of 98 inverse lengths and one of a hundredth: the mean is 99 / 98.01 of it.
    m.edge_squares[7] *= 1e4;
    assert_ok(candidates_begin(&memory, &m, &c));
    assert_near(c.list_margin, 2.0 * own * 99.0 / 98.01, 1e-12 * own, "one long edge");
    candidates_free(&memory, &c);
    collision_mesh_free(&memory, &m);
}

/// Particles, which have no edges, beside a part of very long ones: none of their pairs is within
/// three times the reach, so the wide lists are empty.
static void particles_stay_few_pairs(void **state) {
    (void)state;
    struct collision_mesh m = {0};
    struct candidates c = {0};
    uint32_t *const nodes = malloc(SWARM * sizeof *nodes);
    double *const x = calloc(3 * (SWARM + 2), sizeof *x);
    for (uint32_t i = 0; i < SWARM; i++) {
        nodes[i] = i;
        x[3 * i] = 0.01 * (i % CUBE);
        x[3 * i + 1] = 0.01 * (i / CUBE % CUBE);
        x[3 * i + 2] = 0.01 * (i / (CUBE * CUBE));
    }
    const struct collision_part_input input = {
        .part = {.group = 1, .mask = 1, .touches_itself = true},
        .point_count = SWARM,
        .nodes = nodes,
        .rest = x};
    assert_ok(collision_mesh_add(&memory, &input, &m));
    add_line(&m, 2, 1000.0, true);
    x[3 * SWARM + 1] = x[3 * SWARM + 4] = -1.0;
    x[3 * SWARM + 3] = 1000.0;
    assert_ok(candidates_begin(&memory, &m, &c));
    assert_ok(candidates_gather(&memory, NULL, &m, x, NULL, 3e-3, 0.0, &c));
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        assert_int_equal(c.verlet.lists[kind].count, 0);
    }
    assert_ok(candidates_gather(&memory, NULL, &m, x, NULL, 0.0101, 0.0, &c));
    assert_int_equal(candidates_count(&c), 3 * CUBE * CUBE * (CUBE - 1));
    candidates_free(&memory, &c);
    collision_mesh_free(&memory, &m);
    free(nodes);
    free(x);
}

/// Two points that come from either side, each by nearly a skin: the wide lists have them, and what
/// is said of how far apart they were does not keep them out.
static void a_skin_from_either_side_is_served(void **state) {
    (void)state;
    size_t within = 0;
    const int rounds = testing_rounds(500);
    for (int round = 0; round < rounds; round++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
        const struct collision_mesh *m = &s.contact.mesh;
        struct candidates *c = &s.contact.candidates;
        const double reach = 1e-3;
        const double skin = fmin(c->list_margin, reach);
        size_t pair[2] = {0};
        find_lone_pair(m, pair);
        const uint32_t points[4] = {m->isolated_points[pair[0]], m->isolated_points[pair[1]]};
        const double offset = m->parts[m->part[points[0]]].offset +
                              m->parts[m->part[points[1]]].offset;
        double x[3 * 64], still[3 * 64], n[3];
        scatter(&s, x, still, 0.0);
        random_unit(&numbers, n);
        const double apart = reach + random_uniform(&numbers, 1.9, 2.0) * skin;
        add_scaled3(x + 3 * (size_t)points[0], apart + offset, n, x + 3 * (size_t)points[1]);
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, reach, 0.0, c));
        const double by = 0.99 * skin;
        add_scaled3(x + 3 * (size_t)points[0], by, n, x + 3 * (size_t)points[0]);
        add_scaled3(x + 3 * (size_t)points[1], -by, n, x + 3 * (size_t)points[1]);
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, reach, 0.0, c));
        assert_int_equal(c->search_count, 1);
        const bool is_near = gap_at(m, x, still, 0.0, PAIR_POINT_POINT, points, 1) < reach;
        assert_true(!is_near || is_listed(&c->lists[PAIR_POINT_POINT], pair[0], pair[1]));
        within += is_near;
        barrier_contact_free(&s.contact);
    }
    assert_true(within > (size_t)rounds / 5);
}

/// A point that flew away, at last so far that its square is infinite, gives the boxes of the
/// others nine times the reach at most: the reach, where rounding is as much four more of the reach
/// of the wide lists and one of each side's margin, and each side's skin. The lists do not fill
/// with all that may touch.
static void a_far_point_costs_the_others_little(void **state) {
    (void)state;
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *m = &s.contact.mesh;
    struct candidates *c = &s.contact.candidates;
    const double reach = 1e-3;
    double x[3 * 64], still[3 * 64];
    scatter(&s, x, still, 0.0);
    const uint32_t far = m->isolated_points[0];
    for (double away = 1e6; away < 1e161; away *= 1e7) {
        x[3 * (size_t)far] = away;
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, reach, 0.0, c));
        for (int kind = 0; kind < PAIR_KINDS; kind++) {
            for (size_t i = 0; i < c->lists[kind].count; i++) {
                uint32_t points[PAIR_NODES];
                const struct box_pair pair = c->lists[kind].pairs[i];
                const int first = points_of(m, (enum pair_kind)kind, pair.query, pair.primitive,
                                            points);
                const double offset = m->parts[m->part[points[0]]].offset +
                                      m->parts[m->part[points[first]]].offset;
                // Boxes of coordinates near 1 are rounded outwards, by an epsilon of float each.
                assert_true(boxes_meet(x, points, first, pair_node_count((enum pair_kind)kind),
                                       offset + 9.0 * reach + 8.0 * FLT_EPSILON));
            }
        }
    }
    barrier_contact_free(&s.contact);
}

/// A point that flew a million kilometres leaves the others the planes that keep them apart: what
/// is listed of them is within reach, but for what rounding is taken for, 1.4e-3 m on either side
/// (see what_stands_out_of_reach_is_parted of test_separation.c for another thousandth).
static void a_far_point_leaves_the_others_their_planes(void **state) {
    (void)state;
    const double reach = 0.05;
    for (int round = 0; round < testing_rounds(50); round++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
        const struct collision_mesh *m = &s.contact.mesh;
        struct candidates *c = &s.contact.candidates;
        double x[3 * 64], still[3 * 64];
        scatter(&s, x, still, 0.0);
        x[3 * random_index(&numbers, m->point_count) + (size_t)round % 3] = 1e9;
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, reach, 0.0, c));
        for (size_t i = 0; i < candidates_count(c); i++) {
            const struct candidate pair = candidates_at(c, m, i);
            bool is_near = true;
            for (int n = 0; n < pair.point_count; n++) {
                is_near = is_near && norm3(x + 3 * (size_t)pair.points[n]) < 10.0;
            }
            assert_true(!is_near || gap_at(m, x, still, 0.0, pair.kind, pair.points,
                                           pair_first_count(pair.kind)) < 1.07 * reach);
        }
        barrier_contact_free(&s.contact);
    }
}

/// Neighbours on a flat sheet whose boxes overlap are no candidates where they are ten times as far
/// apart as the reach, also on a long way on which the sheet grows to twice its size. Edges of 0.3
/// m and diagonals, turned so that no box is a line: the nearest that share no point are 0.3 /
/// sqrt(2) apart.
static void neighbours_out_of_reach_are_left_out(void **state) {
    (void)state;
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.05);
    struct collision_mesh *m = &s.contact.mesh;
    for (uint32_t p = 0; p < m->part_count; p++) {
        m->parts[p].group = m->parts[p].mask = p == PART_SHEET ? 1 : 0;
    }
    const double nearest = 0.3 / sqrt(2.0);
    for (int round = 0; round < 20; round++) {
        double flat[3 * 64], x[3 * 64], r[9];
        collision_mesh_compute_points(NULL, m, s.x, flat);
        random_rotation(&numbers, r);
        for (uint32_t p = 0; p < m->point_count; p++) {
            multiply3(r, flat + 3 * (size_t)p, x + 3 * (size_t)p);
        }
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, 0.1 * nearest, 0.0,
                                    &s.contact.candidates));
        assert_int_equal(candidates_count(&s.contact.candidates), 0);
        assert_ok(
            candidates_gather(&memory, NULL, m, x, x, 0.1 * nearest, 0.0, &s.contact.candidates));
        assert_int_equal(candidates_count(&s.contact.candidates), 0);
        assert_ok(candidates_gather(&memory, NULL, m, x, NULL, 1.001 * nearest, 0.0,
                                    &s.contact.candidates));
        assert_true(candidates_count(&s.contact.candidates) > 0);
    }
    barrier_contact_free(&s.contact);
}

/// A stiff sheet of four squares in one plane under a triangle that spans it: its border meets the
/// triangle, its middle and the edges inside it do not. What deforms keeps its middle.
static void insides_of_faces_are_left_out(void **state) {
    (void)state;
    static const uint32_t triangle[3] = {0, 1, 2}, loose[3] = {4, 5, 6};
    static const double above[9] = {-9, -9, 0.01, 9, -9, 0.01, 0, 9, 0.01};
    double sheet[27], x[36];
    const uint32_t handles[9] = {0}, nodes[9] = {4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (int i = 0; i < 9; i++) {
        const double place[3] = {i % 3 - 1.0, i / 3 - 1.0, 0.0};
        memcpy(sheet + 3 * (size_t)i, place, sizeof place);
    }
    memcpy(x, sheet, sizeof sheet);
    memcpy(x + 27, above, sizeof above);
    for (int is_stiff = 0; is_stiff < 2; is_stiff++) {
        struct collision_mesh mesh = {0};
        struct candidates c = {0};
        const struct collision_part all = {.group = 1, .mask = 1};
        const struct collision_part_input flat = {.part = all,
                                                  .kind = is_stiff ? POINT_AFFINE : POINT_NODE,
                                                  .point_count = 9,
                                                  .nodes = is_stiff ? handles : nodes,
                                                  .rest = sheet,
                                                  .local = sheet,
                                                  .triangle_count = 8,
                                                  .triangles = sheet_triangles};
        const struct collision_part_input other = {.part = all,
                                                   .point_count = 3,
                                                   .nodes = loose,
                                                   .rest = above,
                                                   .triangle_count = 1,
                                                   .triangles = triangle};
        assert_ok(collision_mesh_add(&memory, &flat, &mesh));
        assert_ok(collision_mesh_add(&memory, &other, &mesh));
        assert_ok(candidates_begin(&memory, &mesh, &c));
        assert_ok(candidates_gather(&memory, NULL, &mesh, x, NULL, 0.1, 1e-3, &c));
        for (uint32_t i = 0; i < 9; i++) {
            assert_int_equal(is_listed(&c.lists[PAIR_POINT_TRIANGLE], i, 8), !(is_stiff && i == 4));
        }
        candidates_free(&memory, &c);
        collision_mesh_free(&memory, &mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(insides_of_faces_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_have_all_within_reach, setup, teardown),
        cmocka_unit_test_setup_teardown(wide_lists_serve_what_moves_on, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_hold_within_their_margin, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_holds_to_its_margin, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_knows_its_rounding, setup, teardown),
        cmocka_unit_test_setup_teardown(the_finest_part_sets_the_skin, setup, teardown),
        cmocka_unit_test_setup_teardown(particles_stay_few_pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_skin_from_either_side_is_served, setup, teardown),
        cmocka_unit_test_setup_teardown(a_far_point_costs_the_others_little, setup, teardown),
        cmocka_unit_test_setup_teardown(a_far_point_leaves_the_others_their_planes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(neighbours_out_of_reach_are_left_out, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
