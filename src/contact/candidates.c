// The broad phase over all that can touch; see candidates.h.
#include "contact/candidates.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

// Points compared in one piece of a parallel loop.
enum { POINTS_PER_PIECE = 4096, PIECE_LIMIT = 1024 };

// What rounding may do to a state, as a part of how far it is from the origin: lists hold so much
// beyond their margin, and are made for it.
static const double ROUNDING = 1e-12;

static pbs_status reserve_boxes(struct memory *memory, struct box **boxes, size_t *capacity,
                                size_t count) {
    return memory_reserve(memory, boxes, capacity, count, sizeof **boxes);
}

static pbs_status reserve(struct memory *memory, const struct collision_mesh *mesh,
                          struct candidates *c) {
    const size_t count = mesh->point_count;
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->start, &c->start_capacity, 3 * count, sizeof *c->start));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->motion, &c->motion_capacity, 3 * count, sizeof *c->motion));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->radius, &c->radius_capacity, count, sizeof *c->radius));
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

pbs_status candidates_begin(struct memory *memory, const struct collision_mesh *mesh,
                            struct candidates *c) {
    c->is_valid = false;
    RETURN_IF_FAILED(reserve(memory, mesh, c));
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        c->radius[i] = collision_mesh_offset(mesh, i);
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
    }
    bounding_tree_free(memory, &c->points);
    bounding_tree_free(memory, &c->edges);
    bounding_tree_free(memory, &c->triangles);
    bounding_tree_free(memory, &c->lone_points);
    bounding_tree_free(memory, &c->lone_edges);
    memory_release(memory, c->start);
    memory_release(memory, c->motion);
    memory_release(memory, c->radius);
    memory_release(memory, c->ways);
    memory_release(memory, c->numbers);
    memory_release(memory, c->point_boxes);
    memory_release(memory, c->edge_boxes);
    memory_release(memory, c->triangle_boxes);
    memory_release(memory, c->lone_point_boxes);
    memory_release(memory, c->lone_edge_boxes);
    memory_release(memory, c->lone_edge_points);
    *c = (struct candidates){0};
}

// --- where the lists hold ---

/// A state of all points beside the ways of the lists.
struct place_pass {
    const struct collision_mesh *mesh;
    const struct candidates *candidates;
    const double *x, *motion; ///< the state is x + motion; null: x
    double shift[3];          ///< taken off it
    double time;              ///< when it is looked for on the ways
    double along[PIECE_LIMIT];
    bool covered[PIECE_LIMIT];
    size_t pieces;
};

static size_t piece_begin(const struct place_pass *pass, size_t piece) {
    return pass->mesh->point_count * piece / pass->pieces;
}

/// Of a point from where its way begins.
ALWAYS_INLINE void way_to(const struct place_pass *pass, size_t i, double out[3]) {
    subtract3(pass->x + 3 * i, pass->shift, out);
    if (pass->motion != NULL) {
        add3(out, pass->motion + 3 * i, out);
    }
    subtract3(out, pass->candidates->start + 3 * i, out);
}

void candidates_mean(const struct collision_mesh *mesh, const double *x, double mean[3]) {
    double count = 0.0;
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; x != NULL && i < mesh->point_count; i++) {
        if (mesh->kind[i] != POINT_OBSTACLE) {
            add3(sum, x + 3 * i, sum);
            count += 1.0;
        }
    }
    scale3(1.0 / fmax(count, 1.0), sum, mean);
}

static void add_along(void *context, size_t piece) {
    struct place_pass *pass = context;
    double sum = 0.0;
    for (size_t i = piece_begin(pass, piece); i < piece_begin(pass, piece + 1); i++) {
        double way[3];
        way_to(pass, i, way);
        sum += dot3(way, pass->candidates->motion + 3 * i);
    }
    pass->along[piece] = sum;
}

static void compare_places(void *context, size_t piece) {
    struct place_pass *pass = context;
    // Half of the rounding is for what is done here.
    const double most = pass->candidates->margin + 0.5 * pass->candidates->rounding;
    bool covered = true;
    for (size_t i = piece_begin(pass, piece); i < piece_begin(pass, piece + 1); i++) {
        double way[3];
        way_to(pass, i, way);
        add_scaled3(way, -pass->time, pass->candidates->motion + 3 * i, way);
        covered &= dot3(way, way) <= most * most;
    }
    pass->covered[piece] = covered;
}

/// Whether there is a time at which no point of the state is farther than the margin from where its
/// way has it: the time that fits all of them best is tried.
static bool is_on_the_way(struct tasks *tasks, struct place_pass *pass) {
    pass->pieces = pass->mesh->point_count / POINTS_PER_PIECE + 1;
    pass->pieces = pass->pieces < PIECE_LIMIT ? pass->pieces : PIECE_LIMIT;
    if (pass->candidates->motion_square > 0.0) {
        double along = 0.0;
        tasks_for(tasks, pass->pieces, add_along, pass);
        for (size_t i = 0; i < pass->pieces; i++) {
            along += pass->along[i];
        }
        pass->time = fmax(0.0, fmin(along / pass->candidates->motion_square, 1.0));
    }
    tasks_for(tasks, pass->pieces, compare_places, pass);
    bool covered = true;
    for (size_t i = 0; i < pass->pieces; i++) {
        covered = covered && pass->covered[i];
    }
    return covered;
}

bool candidates_cover(struct tasks *tasks, const struct candidates *candidates,
                      const struct collision_mesh *mesh, const double *x, const double *motion) {
    if (!candidates->is_valid) {
        return false;
    }
    struct place_pass pass = {.mesh = mesh, .candidates = candidates, .x = x};
    double mean[3];
    candidates_mean(mesh, x, mean);
    subtract3(mean, candidates->mean, pass.shift);
    if (!is_on_the_way(tasks, &pass)) {
        return false;
    }
    if (motion == NULL) {
        return true;
    }
    // What lies between two states at two times that are covered is covered: times and places by
    // which no point is too far from its way are a convex set.
    candidates_mean(mesh, motion, mean);
    add3(pass.shift, mean, pass.shift);
    pass.motion = motion;
    return is_on_the_way(tasks, &pass);
}

static void set_single_way(struct candidates *c, size_t point) {
    struct way *way = c->ways + point;
    way->first[3] = (float)c->radius[point];
    way->last[3] = 0.0F;
    for (size_t k = 0; k < 3; k++) {
        const double first = c->start[3 * point + k] - c->mean[k];
        way->first[k] = (float)first;
        way->last[k] = (float)(first + c->motion[3 * point + k]);
    }
}

/// The ways of all points, without what they have in common.
static void set_ways(const struct collision_mesh *mesh, const double *x, const double *motion,
                     double reach, struct candidates *c) {
    double mean[3];
    candidates_mean(mesh, x, c->mean);
    candidates_mean(mesh, motion, mean);
    double largest = 0.0;
    c->motion_square = 0.0;
    for (size_t i = 0; i < mesh->point_count; i++) {
        double *const start = c->start + 3 * i;
        double *const way = c->motion + 3 * i;
        double end[3];
        copy3(x + 3 * i, start);
        copy3(x + 3 * i, end);
        memset(way, 0, 3 * sizeof *way);
        if (motion != NULL) {
            subtract3(motion + 3 * i, mean, way);
            add3(end, motion + 3 * i, end);
        }
        c->motion_square += dot3(way, way);
        largest = fmax(largest, dot3(start, start) + dot3(end, end));
        set_single_way(c, i);
    }
    // Of what is so far away that rounding takes the reach, lists hold for no other place.
    c->rounding = fmin(ROUNDING * sqrt(largest), reach);
}

// --- the search ---

struct search {
    const struct collision_mesh *mesh;
    struct separation separation;
};

/// The points of a pair, first side first.
typedef void name_points(const struct collision_mesh *mesh, struct box_pair pair,
                         uint32_t points[PAIR_NODES]);

/// Pairs of at most BOX_PAIRS_ASKED that may touch and that nothing is seen to keep apart. Boxes of
/// primitives are fat: most that overlap are neighbours on one surface, which move together.
ALWAYS_INLINE uint32_t keep(const struct search *search, enum pair_kind kind, name_points *name,
                            const struct box_pair *pairs, size_t count) {
    const size_t second = kind == PAIR_POINT_TRIANGLE ? 1 : 2;
    uint32_t points[SEPARATION_PAIRS][PAIR_NODES];
    for (size_t i = 0; i < SEPARATION_PAIRS; i++) {
        name(search->mesh, pairs[i < count ? i : 0], points[i]);
    }
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

static pbs_status find_pairs(struct memory *memory, struct tasks *tasks,
                             const struct collision_mesh *mesh, double reach,
                             struct candidates *c) {
    const struct search search = {
        .mesh = mesh,
        .separation = {.ways = c->ways, .reach = (float)(reach + 2.0 * (c->margin + c->rounding))}};
    const struct box_pair_query queries[PAIR_KINDS] = {
        [PAIR_POINT_TRIANGLE] = {.tree = &c->triangles,
                                 .boxes = c->point_boxes,
                                 .count = mesh->point_count,
                                 .order = &c->points,
                                 .points = c->numbers,
                                 .width = 1,
                                 .keep = keep_point_triangle},
        [PAIR_EDGE_EDGE] = {.tree = &c->edges,
                            .boxes = c->edge_boxes,
                            .count = mesh->edge_count,
                            .order = &c->edges,
                            .is_self = true,
                            .points = mesh->edges,
                            .width = 2,
                            .keep = keep_edges},
        [PAIR_POINT_EDGE] = {.tree = &c->lone_edges,
                             .boxes = c->lone_point_boxes,
                             .count = mesh->lone_point_count,
                             .order = &c->lone_points,
                             .keep = keep_point_edge},
        [PAIR_POINT_POINT] = {.tree = &c->lone_points,
                              .boxes = c->lone_point_boxes,
                              .count = mesh->lone_point_count,
                              .order = &c->lone_points,
                              .is_self = true,
                              .keep = keep_points},
    };
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        struct box_pair_query query = queries[kind];
        query.context = &search;
        RETURN_IF_FAILED(box_pairs_find(memory, tasks, &query, &c->lists[kind]));
    }
    return PBS_OK;
}

pbs_status candidates_gather(struct memory *memory, struct tasks *tasks,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion, double reach, double margin,
                             struct candidates *c) {
    c->is_valid = false;
    c->margin = margin;
    set_ways(mesh, x, motion, reach, c);
    const struct point_sweep sweep = {.count = mesh->point_count,
                                      .x = x,
                                      .step = motion != NULL ? c->motion : NULL,
                                      .inflation = 0.5 * reach + margin + c->rounding,
                                      .radius = c->radius};
    boxes_of_points(tasks, &sweep, c->point_boxes);
    RETURN_IF_FAILED(update_trees(memory, tasks, mesh, c));
    RETURN_IF_FAILED(find_pairs(memory, tasks, mesh, reach, c));
    c->is_valid = true;
    return PBS_OK;
}

size_t candidates_count(const struct candidates *candidates) {
    size_t count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        count += candidates->lists[kind].count;
    }
    return count;
}
