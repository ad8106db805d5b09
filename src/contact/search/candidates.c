// The broad phase over all that can touch; see candidates.h.
#include "contact/search/candidates.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Pairs that are chosen from wider lists in one piece of a parallel loop.
enum { PAIRS_PER_PIECE = 4096 };

// How much farther around wide lists hold, in edges of the finest part: few pairs lie closer
// together that do not touch.
static const double SKIN_EDGES = 0.03;

// The longest way, in skins, for which wide lists are made: whoever moves farther in one search
// leaves them in the next.
static const double LONGEST_SKINS = 2.0;

// Points whose median is the middle of all.
enum { MIDDLE_SAMPLES = 31 };

static pbs_status reserve_boxes(struct memory *memory, struct box **boxes, size_t *capacity,
                                size_t count) {
    return memory_reserve(memory, boxes, capacity, count, sizeof **boxes);
}

static pbs_status reserve(struct memory *memory, const struct collision_mesh *mesh,
                          struct candidates *c) {
    const size_t count = mesh->point_count;
    RETURN_IF_FAILED(point_ways_reserve(memory, mesh, &c->where));
    RETURN_IF_FAILED(point_ways_reserve(memory, mesh, &c->wide.where));
    RETURN_IF_FAILED(memory_reserve(memory, &c->ways, &c->way_capacity, count, sizeof *c->ways));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->numbers, &c->number_capacity, count, sizeof *c->numbers));
    RETURN_IF_FAILED(reserve_boxes(memory, &c->point_boxes, &c->point_box_capacity, count));
    RETURN_IF_FAILED(
        reserve_boxes(memory, &c->edge_boxes, &c->edge_box_capacity, mesh->edge_count));
    RETURN_IF_FAILED(
        reserve_boxes(memory, &c->triangle_boxes, &c->triangle_box_capacity, mesh->triangle_count));
    RETURN_IF_FAILED(reserve_boxes(memory, &c->lone_point_boxes, &c->lone_point_box_capacity,
                                   mesh->lone_point_count));
    RETURN_IF_FAILED(reserve_boxes(memory, &c->lone_edge_boxes, &c->lone_edge_box_capacity,
                                   mesh->lone_edge_count));
    return memory_reserve(memory, &c->lone_edge_points, &c->lone_edge_point_capacity,
                          2 * (size_t)mesh->lone_edge_count, sizeof *c->lone_edge_points);
}

/// By the finest part, whose pairs are the most: harmonic means, as many small edges weigh more
/// there than a few large ones. What has no edges, particles, may lie as close as it likes.
static void set_skin(const struct collision_mesh *mesh, struct candidates *c) {
    double finest = INFINITY;
    for (size_t i = 0; i < mesh->edge_count;) {
        const uint32_t part = mesh->part[mesh->edges[2 * i]];
        double inverse = 0.0;
        double count = 0.0;
        for (; i < mesh->edge_count && mesh->part[mesh->edges[2 * i]] == part; i++) {
            inverse += 1.0 / sqrt(mesh->edge_squares[i]);
            count += 1.0;
        }
        finest = fmin(finest, count / inverse);
    }
    c->skin = isfinite(finest) ? SKIN_EDGES * finest : 0.0;
    c->has_particles = false;
    for (size_t i = 0; i < mesh->lone_point_count; i++) {
        c->has_particles = c->has_particles || mesh->kind[mesh->lone_points[i]] != POINT_OBSTACLE;
    }
}

/// m: of wide lists for this reach.
static double skin_for(const struct candidates *c, double reach) {
    return c->has_particles ? fmin(c->skin, reach) : c->skin;
}

pbs_status candidates_begin(struct memory *memory, const struct collision_mesh *mesh,
                            struct candidates *c) {
    c->where.is_valid = c->wide.where.is_valid = false;
    RETURN_IF_FAILED(reserve(memory, mesh, c));
    set_skin(mesh, c);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        c->numbers[i] = i;
    }
    for (uint32_t i = 0; i < mesh->lone_edge_count; i++) {
        memcpy(c->lone_edge_points + 2 * (size_t)i, mesh->edges + 2 * (size_t)mesh->lone_edges[i],
               2 * sizeof *mesh->edges);
    }
    // Trees of another mesh are worth nothing.
    c->points.count = 0;
    c->edges.count = 0;
    c->triangles.count = 0;
    c->lone_points.count = 0;
    c->lone_edges.count = 0;
    return PBS_OK;
}

void candidates_free(struct memory *memory, struct candidates *c) {
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        box_pairs_free(memory, &c->lists[kind]);
        box_pairs_free(memory, &c->wide.lists[kind]);
        memory_release(memory, c->wide.apart[kind]);
    }
    bounding_tree_free(memory, &c->points);
    bounding_tree_free(memory, &c->edges);
    bounding_tree_free(memory, &c->triangles);
    bounding_tree_free(memory, &c->lone_points);
    bounding_tree_free(memory, &c->lone_edges);
    point_ways_free(memory, &c->where);
    point_ways_free(memory, &c->wide.where);
    memory_release(memory, c->ways);
    memory_release(memory, c->numbers);
    memory_release(memory, c->chosen);
    memory_release(memory, c->point_boxes);
    memory_release(memory, c->edge_boxes);
    memory_release(memory, c->triangle_boxes);
    memory_release(memory, c->lone_point_boxes);
    memory_release(memory, c->lone_edge_boxes);
    memory_release(memory, c->lone_edge_points);
    *c = (struct candidates){0};
}

// --- what the lists are made for ---

static double median_of(double *a, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const double moving = a[i];
        size_t k = i;
        for (; k > 0 && a[k - 1] > moving; k--) {
            a[k] = a[k - 1];
        }
        a[k] = moving;
    }
    return count > 0 ? a[count / 2] : 0.0;
}

/// In the midst of most points, wherever few others flew.
static void find_middle(const struct point_ways *where, size_t count, double middle[3]) {
    const size_t stride = count / MIDDLE_SAMPLES + 1;
    for (size_t k = 0; k < 3; k++) {
        double sample[MIDDLE_SAMPLES];
        size_t taken = 0;
        for (size_t i = 0; i < count; i += stride) {
            const double at = where->start[3 * i + k];
            sample[taken] = at;
            taken += isnan(at) ? 0 : 1;
        }
        middle[k] = median_of(sample, taken);
    }
}

/// Single precision has few digits: places are beside the middle.
static void round_ways(const struct point_ways *where, const struct collision_mesh *mesh,
                       struct candidates *c) {
    const size_t count = mesh->point_count;
    double middle[3];
    find_middle(where, count, middle);
    for (size_t i = 0; i < count; i++) {
        struct way *const way = c->ways + i;
        way->first[3] = (float)mesh->radius[i];
        way->last[3] = 0.0F;
        for (size_t k = 0; k < 3; k++) {
            const double first = where->start[3 * i + k] - middle[k];
            way->first[k] = (float)first;
            way->last[k] = (float)(first + where->motion[3 * i + k]);
        }
    }
}

// --- the search ---

struct search {
    const struct collision_mesh *mesh;
    struct separation separation;
};

/// The points of a pair, first side first.
typedef void name_points(const struct collision_mesh *mesh, struct box_pair pair,
                         uint32_t points[PAIR_NODES]);

/// Of up to eight pairs; the first one stands in for those that are missing.
ALWAYS_INLINE void name_eight(const struct collision_mesh *mesh, name_points *name,
                              const struct box_pair *pairs, size_t count,
                              uint32_t points[SEPARATION_PAIRS][PAIR_NODES]) {
    for (size_t i = 0; i < SEPARATION_PAIRS; i++) {
        name(mesh, pairs[i < count ? i : 0], points[i]);
    }
}

/// Pairs of at most BOX_PAIRS_ASKED that may touch and that nothing is seen to keep apart. Boxes of
/// primitives are fat: most that overlap are neighbours on one surface, which move together.
ALWAYS_INLINE uint32_t keep(const struct search *search, enum pair_kind kind, name_points *name,
                            const struct box_pair *pairs, size_t count) {
    const size_t second = kind == PAIR_POINT_TRIANGLE ? 1 : 2;
    uint32_t points[SEPARATION_PAIRS][PAIR_NODES];
    name_eight(search->mesh, name, pairs, count, points);
    uint32_t may = 0;
    for (size_t i = 0; i < count; i++) {
        may |= (uint32_t)collision_mesh_may_touch(search->mesh, points[i][0], points[i][second])
               << i;
    }
    return may == 0 ? 0 : may & separation_fails(&search->separation, kind, points);
}

_Static_assert((int)BOX_PAIRS_ASKED == (int)SEPARATION_PAIRS, "pairs are parted as they are met");

ALWAYS_INLINE void name_point_triangle(const struct collision_mesh *mesh, struct box_pair pair,
                                       uint32_t points[PAIR_NODES]) {
    points[0] = pair.query;
    memcpy(points + 1, mesh->triangles + 3 * (size_t)pair.primitive, 3 * sizeof *points);
}

ALWAYS_INLINE void name_edges(const struct collision_mesh *mesh, struct box_pair pair,
                              uint32_t points[PAIR_NODES]) {
    memcpy(points, mesh->edges + 2 * (size_t)pair.query, 2 * sizeof *points);
    memcpy(points + 2, mesh->edges + 2 * (size_t)pair.primitive, 2 * sizeof *points);
}

ALWAYS_INLINE void name_point_edge(const struct collision_mesh *mesh, struct box_pair pair,
                                   uint32_t points[PAIR_NODES]) {
    points[0] = points[1] = mesh->lone_points[pair.query];
    memcpy(points + 2, mesh->edges + 2 * (size_t)mesh->lone_edges[pair.primitive],
           2 * sizeof *points);
}

ALWAYS_INLINE void name_two_points(const struct collision_mesh *mesh, struct box_pair pair,
                                   uint32_t points[PAIR_NODES]) {
    points[0] = points[1] = mesh->lone_points[pair.query];
    points[2] = points[3] = mesh->lone_points[pair.primitive];
}

static uint32_t keep_point_triangle(const void *context, const struct box_pair *pairs,
                                    size_t count) {
    return keep(context, PAIR_POINT_TRIANGLE, name_point_triangle, pairs, count);
}

static uint32_t keep_edges(const void *context, const struct box_pair *pairs, size_t count) {
    return keep(context, PAIR_EDGE_EDGE, name_edges, pairs, count);
}

static uint32_t keep_point_edge(const void *context, const struct box_pair *pairs, size_t count) {
    return keep(context, PAIR_POINT_EDGE, name_point_edge, pairs, count);
}

static uint32_t keep_points(const void *context, const struct box_pair *pairs, size_t count) {
    return keep(context, PAIR_POINT_POINT, name_two_points, pairs, count);
}

static name_points *const namers[PAIR_KINDS] = {[PAIR_POINT_TRIANGLE] = name_point_triangle,
                                                [PAIR_EDGE_EDGE] = name_edges,
                                                [PAIR_POINT_EDGE] = name_point_edge,
                                                [PAIR_POINT_POINT] = name_two_points};

static uint32_t (*const keepers[PAIR_KINDS])(const void *context, const struct box_pair *pairs,
                                             size_t count) = {
    [PAIR_POINT_TRIANGLE] = keep_point_triangle,
    [PAIR_EDGE_EDGE] = keep_edges,
    [PAIR_POINT_EDGE] = keep_point_edge,
    [PAIR_POINT_POINT] = keep_points};

static pbs_status update_trees(struct memory *memory, struct tasks *tasks,
                               const struct collision_mesh *mesh, struct candidates *c) {
    boxes_of_primitives(tasks, c->point_boxes, mesh->edges, 2, mesh->edge_count, c->edge_boxes);
    boxes_of_primitives(tasks, c->point_boxes, mesh->triangles, 3, mesh->triangle_count,
                        c->triangle_boxes);
    boxes_of_primitives(tasks, c->point_boxes, mesh->lone_points, 1, mesh->lone_point_count,
                        c->lone_point_boxes);
    boxes_of_primitives(tasks, c->point_boxes, c->lone_edge_points, 2, mesh->lone_edge_count,
                        c->lone_edge_boxes);
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->point_boxes, mesh->point_count, NULL, 0,
                                          &c->points));
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->edge_boxes, mesh->edge_count,
                                          mesh->edges, 2, &c->edges));
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->triangle_boxes, mesh->triangle_count,
                                          mesh->triangles, 3, &c->triangles));
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->lone_point_boxes,
                                          mesh->lone_point_count, mesh->lone_points, 1,
                                          &c->lone_points));
    return bounding_tree_update(memory, tasks, c->lone_edge_boxes, mesh->lone_edge_count,
                                c->lone_edge_points, 2, &c->lone_edges);
}

static struct search search_of(const struct collision_mesh *mesh, const struct candidates *c,
                               const struct point_ways *where, double reach) {
    return (struct search){
        .mesh = mesh,
        .separation = {.ways = c->ways,
                       .reach = (float)(reach + 2.0 * (where->margin + where->rounding))}};
}

/// lists = what comes within `reach` on ways that are rounded, and that the trees' boxes are
/// around.
static pbs_status find_pairs(struct memory *memory, struct tasks *tasks,
                             const struct search *search, const struct candidates *c,
                             struct box_pair_list *lists) {
    const struct collision_mesh *const mesh = search->mesh;
    const struct box_pair_query queries[PAIR_KINDS] = {
        [PAIR_POINT_TRIANGLE] = {.tree = &c->triangles,
                                 .boxes = c->point_boxes,
                                 .count = mesh->point_count,
                                 .order = &c->points,
                                 .points = c->numbers,
                                 .width = 1},
        [PAIR_EDGE_EDGE] = {.tree = &c->edges,
                            .boxes = c->edge_boxes,
                            .count = mesh->edge_count,
                            .order = &c->edges,
                            .is_self = true,
                            .points = mesh->edges,
                            .width = 2},
        [PAIR_POINT_EDGE] = {.tree = &c->lone_edges,
                             .boxes = c->lone_point_boxes,
                             .count = mesh->lone_point_count,
                             .order = &c->lone_points},
        [PAIR_POINT_POINT] = {.tree = &c->lone_points,
                              .boxes = c->lone_point_boxes,
                              .count = mesh->lone_point_count,
                              .order = &c->lone_points,
                              .is_self = true},
    };
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        struct box_pair_query query = queries[kind];
        query.keep = keepers[kind];
        query.context = search;
        RETURN_IF_FAILED(box_pairs_find(memory, tasks, &query, &lists[kind]));
    }
    return PBS_OK;
}

/// lists = what comes within `reach` where they are to hold, by looking at all boxes.
static pbs_status look(struct memory *memory, struct tasks *tasks,
                       const struct collision_mesh *mesh, const struct point_ways *where,
                       double reach, struct candidates *c, struct box_pair_list *lists) {
    const struct point_sweep sweep = {.count = mesh->point_count,
                                      .x = where->start,
                                      .step = where->motion_square == 0.0 ? NULL : where->motion,
                                      .inflation = 0.5 * reach + where->margin + where->rounding,
                                      .radius = mesh->radius};
    round_ways(where, mesh, c);
    boxes_of_points(tasks, &sweep, c->point_boxes);
    RETURN_IF_FAILED(update_trees(memory, tasks, mesh, c));
    const struct search search = search_of(mesh, c, where, reach);
    c->search_count++;
    return find_pairs(memory, tasks, &search, c, lists);
}

// --- wide lists ---

/// What happens to the pairs of a wide list, in pieces.
struct wide_pass {
    const struct search *search;
    enum pair_kind kind;
    const struct box_pair *pairs;
    size_t count;
    float *apart;
    double limit;    ///< m: what is farther apart is not chosen
    uint8_t *chosen; ///< per pair
};

static size_t wide_piece_end(const struct wide_pass *pass, size_t piece) {
    const size_t end = (piece + 1) * PAIRS_PER_PIECE;
    return end < pass->count ? end : pass->count;
}

static size_t wide_piece_count(const struct wide_pass *pass) {
    return (pass->count + PAIRS_PER_PIECE - 1) / PAIRS_PER_PIECE;
}

static void measure_piece(void *context, size_t piece) {
    const struct wide_pass *const pass = context;
    const size_t end = wide_piece_end(pass, piece);
    for (size_t i = piece * PAIRS_PER_PIECE; i < end; i += SEPARATION_PAIRS) {
        const size_t count = end - i < SEPARATION_PAIRS ? end - i : SEPARATION_PAIRS;
        uint32_t points[SEPARATION_PAIRS][PAIR_NODES];
        float apart[SEPARATION_PAIRS];
        name_eight(pass->search->mesh, namers[pass->kind], pass->pairs + i, count, points);
        separation_gap(&pass->search->separation, pass->kind, points, apart);
        memcpy(pass->apart + i, apart, count * sizeof *apart);
    }
}

static pbs_status measure(struct memory *memory, struct tasks *tasks,
                          const struct collision_mesh *mesh, struct candidates *c) {
    const struct search search = {.mesh = mesh, .separation = {.ways = c->ways, .reach = 0.0F}};
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        const struct box_pair_list *const list = &c->wide.lists[kind];
        RETURN_IF_FAILED(memory_reserve(memory, &c->wide.apart[kind], &c->wide.apart_capacity[kind],
                                        list->count, sizeof *c->wide.apart[kind]));
        struct wide_pass pass = {.search = &search,
                                 .kind = (enum pair_kind)kind,
                                 .pairs = list->pairs,
                                 .count = list->count,
                                 .apart = c->wide.apart[kind]};
        tasks_for(tasks, wide_piece_count(&pass), measure_piece, &pass);
    }
    return PBS_OK;
}

/// Lists that hold farther around, so that the next ways need no look at boxes.
static pbs_status widen(struct memory *memory, struct tasks *tasks,
                        const struct collision_mesh *mesh, const double *x, const double *motion,
                        double reach, double margin, struct candidates *c) {
    struct wide_candidates *const wide = &c->wide;
    point_ways_set(mesh, x, motion, margin + skin_for(c, reach), reach, &wide->where);
    // Ways that begin elsewhere round by a little more.
    wide->reach = reach + 2.0 * (margin + 2.0 * wide->where.rounding);
    RETURN_IF_FAILED(look(memory, tasks, mesh, &wide->where, wide->reach, c, wide->lists));
    RETURN_IF_FAILED(measure(memory, tasks, mesh, c));
    wide->where.is_valid = true;
    return PBS_OK;
}

// --- the choice among wide lists ---

static void ask(const struct wide_pass *pass, const struct box_pair *pairs, const size_t *index,
                size_t count) {
    const uint32_t wanted = keepers[pass->kind](pass->search, pairs, count);
    for (size_t k = 0; k < count; k++) {
        pass->chosen[index[k]] = wanted >> k & 1U;
    }
}

static void choose_piece(void *context, size_t piece) {
    const struct wide_pass *const pass = context;
    struct box_pair pairs[BOX_PAIRS_ASKED];
    size_t index[BOX_PAIRS_ASKED];
    size_t count = 0;
    for (size_t i = piece * PAIRS_PER_PIECE; i < wide_piece_end(pass, piece); i++) {
        pass->chosen[i] = 0;
        if (pass->apart[i] > pass->limit) {
            continue;
        }
        pairs[count] = pass->pairs[i];
        index[count++] = i;
        if (count == BOX_PAIRS_ASKED) {
            ask(pass, pairs, index, count);
            count = 0;
        }
    }
    if (count > 0) {
        ask(pass, pairs, index, count);
    }
}

/// Of the wide lists, what nothing keeps apart on ways that are `away` from theirs at most.
static pbs_status choose(struct memory *memory, struct tasks *tasks,
                         const struct collision_mesh *mesh, double reach, double away,
                         struct candidates *c) {
    const struct search search = search_of(mesh, c, &c->where, reach);
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        const struct box_pair_list *const from = &c->wide.lists[kind];
        struct box_pair_list *const list = &c->lists[kind];
        list->count = 0;
        RETURN_IF_FAILED(memory_reserve(memory, &list->pairs, &list->capacity, from->count,
                                        sizeof *list->pairs));
        RETURN_IF_FAILED(memory_reserve(memory, &c->chosen, &c->chosen_capacity, from->count,
                                        sizeof *c->chosen));
        struct wide_pass pass = {.search = &search,
                                 .kind = (enum pair_kind)kind,
                                 .pairs = from->pairs,
                                 .count = from->count,
                                 .apart = c->wide.apart[kind],
                                 .limit = search.separation.reach + 2.0 * away,
                                 .chosen = c->chosen};
        tasks_for(tasks, wide_piece_count(&pass), choose_piece, &pass);
        for (size_t i = 0; i < from->count; i++) {
            if (c->chosen[i] != 0) {
                list->pairs[list->count++] = from->pairs[i];
            }
        }
    }
    return PBS_OK;
}

/// Chooses from the wide lists, from new ones where they do not hold.
static pbs_status gather_from_wide(struct memory *memory, struct tasks *tasks,
                                   const struct collision_mesh *mesh, const double *x,
                                   const double *motion, double reach, struct candidates *c) {
    const double margin = c->where.margin;
    double away = point_ways_distance(tasks, &c->wide.where, mesh, x, motion);
    if (!point_ways_hold(&c->wide.where, away) ||
        reach + 2.0 * (margin + c->where.rounding) > c->wide.reach) {
        RETURN_IF_FAILED(widen(memory, tasks, mesh, x, motion, reach, margin, c));
        away = 0.0;
    }
    round_ways(&c->where, mesh, c);
    return choose(memory, tasks, mesh, reach, away, c);
}

pbs_status candidates_gather(struct memory *memory, struct tasks *tasks,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion, double reach, double margin,
                             struct candidates *c) {
    point_ways_set(mesh, x, motion, margin, reach, &c->where);
    if (c->where.longest <= LONGEST_SKINS * skin_for(c, reach)) {
        RETURN_IF_FAILED(gather_from_wide(memory, tasks, mesh, x, motion, reach, c));
    } else {
        RETURN_IF_FAILED(look(memory, tasks, mesh, &c->where, reach, c, c->lists));
    }
    c->where.is_valid = true;
    return PBS_OK;
}

bool candidates_cover(struct tasks *tasks, const struct candidates *candidates,
                      const struct collision_mesh *mesh, const double *x, const double *motion) {
    return point_ways_hold(&candidates->where,
                           point_ways_distance(tasks, &candidates->where, mesh, x, motion));
}

size_t candidates_count(const struct candidates *candidates) {
    size_t count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        count += candidates->lists[kind].count;
    }
    return count;
}
