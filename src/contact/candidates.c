// The broad phase over all that can touch; see candidates.h.
#include "contact/candidates.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

// Points compared in one piece of a parallel loop.
enum { POINTS_PER_PIECE = 4096, PIECE_LIMIT = 1024 };

// States that rounding puts beyond a box by this part of its coordinates are still covered: the
// boxes of the search are rounded outward by more.
static const double ROUNDING = 1e-12;

static pbs_status reserve_boxes(struct memory *memory, struct box **boxes, size_t *capacity,
                                size_t count) {
    return memory_reserve(memory, boxes, capacity, count, sizeof **boxes);
}

static pbs_status reserve(struct memory *memory, const struct collision_mesh *mesh,
                          struct candidates *c) {
    const size_t count = mesh->point_count;
    RETURN_IF_FAILED(memory_reserve(memory, &c->low, &c->low_capacity, 3 * count, sizeof *c->low));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->high, &c->high_capacity, 3 * count, sizeof *c->high));
    RETURN_IF_FAILED(memory_reserve(memory, &c->relative, &c->relative_capacity, 3 * count,
                                    sizeof *c->relative));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->radius, &c->radius_capacity, count, sizeof *c->radius));
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
    memory_release(memory, c->low);
    memory_release(memory, c->high);
    memory_release(memory, c->relative);
    memory_release(memory, c->radius);
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

struct range_pass {
    const struct collision_mesh *mesh;
    const struct candidates *candidates;
    const double *x, *motion;
    double shift[3], end_shift[3]; ///< taken off at x and at x + motion
    double margin;
    bool covered[PIECE_LIMIT];
    size_t pieces;
};

static size_t piece_begin(const struct range_pass *pass, size_t piece) {
    return 3 * (pass->mesh->point_count * piece / pass->pieces);
}

static double start_of(const struct range_pass *pass, size_t k) {
    return pass->x[k] - pass->shift[k % 3];
}

static double end_of(const struct range_pass *pass, size_t k) {
    return pass->motion != NULL ? pass->x[k] + pass->motion[k] - pass->end_shift[k % 3]
                                : start_of(pass, k);
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

static void write_ranges(void *context, size_t piece) {
    struct range_pass *pass = context;
    for (size_t k = piece_begin(pass, piece); k < piece_begin(pass, piece + 1); k++) {
        const double end = end_of(pass, k);
        pass->candidates->low[k] = fmin(pass->x[k], end) - pass->margin;
        pass->candidates->high[k] = fmax(pass->x[k], end) + pass->margin;
        pass->candidates->relative[k] = end - pass->x[k];
    }
}

static void compare_ranges(void *context, size_t piece) {
    struct range_pass *pass = context;
    bool covered = true;
    for (size_t k = piece_begin(pass, piece); k < piece_begin(pass, piece + 1); k++) {
        const double start = start_of(pass, k);
        const double end = end_of(pass, k);
        const double slack = ROUNDING * fabs(pass->x[k]);
        covered &= fmin(start, end) >= pass->candidates->low[k] - slack &&
                   fmax(start, end) <= pass->candidates->high[k] + slack;
    }
    pass->covered[piece] = covered;
}

static void run_ranges(struct tasks *tasks, struct range_pass *pass, pbs_work_fn work) {
    pass->pieces = pass->mesh->point_count / POINTS_PER_PIECE + 1;
    pass->pieces = pass->pieces < PIECE_LIMIT ? pass->pieces : PIECE_LIMIT;
    tasks_for(tasks, pass->pieces, work, pass);
}

bool candidates_cover(struct tasks *tasks, const struct candidates *candidates,
                      const struct collision_mesh *mesh, const double *x, const double *motion) {
    struct range_pass pass = {.mesh = mesh, .candidates = candidates, .x = x, .motion = motion};
    if (!candidates->is_valid) {
        return false;
    }
    double mean[3];
    double motion_mean[3];
    candidates_mean(mesh, x, mean);
    candidates_mean(mesh, motion, motion_mean);
    subtract3(mean, candidates->mean, pass.shift);
    add3(pass.shift, motion_mean, pass.end_shift);
    run_ranges(tasks, &pass, compare_ranges);
    bool covered = true;
    for (size_t i = 0; i < pass.pieces; i++) {
        covered = covered && pass.covered[i];
    }
    return covered;
}

// --- the search ---

struct search {
    const struct collision_mesh *mesh;
    const struct candidates *candidates;
    double reach;
};

/// Points of a primitive.
struct side {
    const uint32_t *points;
    int count;
};

/// Where a point may be: a box about a middle.
struct place {
    double middle[3], half[3];
};

ALWAYS_INLINE struct place place_of(const struct candidates *c, uint32_t point,
                                    const double origin[3]) {
    const double *low = c->low + 3 * (size_t)point;
    const double *high = c->high + 3 * (size_t)point;
    struct place out;
    for (int k = 0; k < 3; k++) {
        out.middle[k] = 0.5 * (low[k] + high[k]) - origin[k];
        out.half[k] = 0.5 * (high[k] - low[k]);
    }
    return out;
}

/// The least that sign * normal . x can be over all places of a side's points.
ALWAYS_INLINE double least_along(const struct place *places, int count, const double normal[3],
                                 double sign) {
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        const double *half = places[i].half;
        const double here = sign * dot3(places[i].middle, normal) - half[0] * fabs(normal[0]) -
                            half[1] * fabs(normal[1]) - half[2] * fabs(normal[2]);
        least = here < least ? here : least;
    }
    return least;
}

/// Whether a plane across the line between the middles of two sides keeps them out of each other's
/// reach wherever their points may be. Boxes of primitives are fat: most that overlap are
/// neighbours on one surface, which this tells apart.
ALWAYS_INLINE bool stay_apart(const struct search *search, struct side a, struct side b) {
    const struct candidates *const c = search->candidates;
    const double *const origin = c->low + 3 * (size_t)a.points[0];
    struct place places[PAIR_NODES];
    double normal[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < a.count; i++) {
        places[i] = place_of(c, a.points[i], origin);
        add_scaled3(normal, 1.0 / a.count, places[i].middle, normal);
    }
    for (int i = 0; i < b.count; i++) {
        places[a.count + i] = place_of(c, b.points[i], origin);
        add_scaled3(normal, -1.0 / b.count, places[a.count + i].middle, normal);
    }
    const double gap = least_along(places, a.count, normal, 1.0) +
                       least_along(places + a.count, b.count, normal, -1.0);
    const double apart = search->reach + c->radius[a.points[0]] + c->radius[b.points[0]];
    return gap > norm3(normal) * (apart * (1.0 + ROUNDING) + ROUNDING * norm3(origin));
}

ALWAYS_INLINE bool keep(const struct search *search, struct side a, struct side b) {
    return collision_mesh_may_touch(search->mesh, a.points[0], b.points[0]) &&
           !stay_apart(search, a, b);
}

static struct side point_side(const uint32_t *point) {
    return (struct side){point, 1};
}

static struct side edge_side(const struct collision_mesh *mesh, uint32_t edge) {
    return (struct side){mesh->edges + 2 * (size_t)edge, 2};
}

static bool keep_point_triangle(const void *context, uint32_t point, uint32_t triangle) {
    const struct search *search = context;
    const struct side corners = {search->mesh->triangles + 3 * (size_t)triangle, 3};
    return keep(search, point_side(&point), corners);
}

static bool keep_edges(const void *context, uint32_t a, uint32_t b) {
    const struct search *search = context;
    return keep(search, edge_side(search->mesh, a), edge_side(search->mesh, b));
}

static bool keep_point_edge(const void *context, uint32_t point, uint32_t edge) {
    const struct search *search = context;
    return keep(search, point_side(&search->mesh->lone_points[point]),
                edge_side(search->mesh, search->mesh->lone_edges[edge]));
}

static bool keep_points(const void *context, uint32_t a, uint32_t b) {
    const struct search *search = context;
    return keep(search, point_side(&search->mesh->lone_points[a]),
                point_side(&search->mesh->lone_points[b]));
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
    const struct search search = {.mesh = mesh, .candidates = c, .reach = reach};
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
    struct range_pass pass = {
        .mesh = mesh, .candidates = c, .x = x, .motion = motion, .margin = margin};
    candidates_mean(mesh, x, c->mean);
    candidates_mean(mesh, motion, pass.end_shift);
    run_ranges(tasks, &pass, write_ranges);
    const struct point_sweep sweep = {.count = mesh->point_count,
                                      .x = x,
                                      .step = motion != NULL ? c->relative : NULL,
                                      .inflation = (0.5 * reach + margin) * (1.0 + ROUNDING),
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
