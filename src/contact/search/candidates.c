// See candidates.h.
// SPDX-License-Identifier: MIT
#include "contact/search/candidates.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Pairs of a Verlet list in one piece of a parallel loop.
enum { PAIRS_PER_PIECE = 4096 };

// Additional margin of a Verlet list, in mean edges of the finest part. Few pairs are that close
// without being in contact.
static const double LIST_MARGIN_EDGES = 0.03;

// Longest displacement, in list margins, for which Verlet lists are made. A scene that moves
// farther in one search leaves the margin in the next.
static const double LONGEST_LIST_MARGINS = 2.0;

// Number of points whose median serves as the centre.
enum { CENTRE_SAMPLES = 31 };

static pbs_status reserve_boxes(struct memory *memory, struct box **boxes, size_t *capacity,
                                size_t count) {
    return memory_reserve(memory, boxes, capacity, count, sizeof **boxes);
}

static pbs_status reserve(struct memory *memory, const struct collision_mesh *mesh,
                          struct candidates *c) {
    const size_t count = mesh->point_count;
    RETURN_IF_FAILED(point_paths_reserve(memory, mesh, &c->paths));
    RETURN_IF_FAILED(point_paths_reserve(memory, mesh, &c->verlet.paths));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->swept, &c->swept_capacity, count, sizeof *c->swept));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->radius, &c->radius_capacity, count, sizeof *c->radius));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->indices, &c->index_capacity, count, sizeof *c->indices));
    RETURN_IF_FAILED(reserve_boxes(memory, &c->point_boxes, &c->point_box_capacity, count));
    RETURN_IF_FAILED(
        reserve_boxes(memory, &c->edge_boxes, &c->edge_box_capacity, mesh->edge_count));
    RETURN_IF_FAILED(
        reserve_boxes(memory, &c->triangle_boxes, &c->triangle_box_capacity, mesh->triangle_count));
    RETURN_IF_FAILED(reserve_boxes(memory, &c->isolated_point_boxes,
                                   &c->isolated_point_box_capacity, mesh->isolated_point_count));
    RETURN_IF_FAILED(reserve_boxes(memory, &c->isolated_edge_boxes, &c->isolated_edge_box_capacity,
                                   mesh->isolated_edge_count));
    return memory_reserve(memory, &c->isolated_edge_points, &c->isolated_edge_point_capacity,
                          2 * (size_t)mesh->isolated_edge_count, sizeof *c->isolated_edge_points);
}

/// Sets the list margin from the part with the finest mesh, which has most pairs. Edge lengths are
/// averaged by the harmonic mean, in which many small edges outweigh a few large ones. Particles,
/// which have no edges, may be arbitrarily close.
static void set_list_margin(const struct collision_mesh *mesh, struct candidates *c) {
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
    c->list_margin = isfinite(finest) ? LIST_MARGIN_EDGES * finest : 0.0;
    c->has_particles = false;
    for (size_t i = 0; i < mesh->isolated_point_count; i++) {
        c->has_particles = c->has_particles ||
                           mesh->kind[mesh->isolated_points[i]] != POINT_OBSTACLE;
    }
}

/// Half of a part's reach counts for each of its points: two halves are at least the lesser reach.
static void set_radii(const struct collision_mesh *mesh, double reach, struct candidates *c) {
    for (size_t i = 0; i < mesh->point_count; i++) {
        const struct collision_part *part = &mesh->parts[mesh->part[i]];
        c->radius[i] = mesh->radius[i] + 0.5 * collision_part_reach(part, reach);
    }
}

/// Returns the least reach of the parts, m.
static double least_reach(const struct collision_mesh *mesh, double reach) {
    double least = reach;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        least = fmin(least, collision_part_reach(&mesh->parts[i], reach));
    }
    return least;
}

/// Returns the additional margin of a Verlet list for this least reach, m.
static double list_margin_for(const struct candidates *c, double reach) {
    return c->has_particles ? fmin(c->list_margin, reach) : c->list_margin;
}

pbs_status candidates_begin(struct memory *memory, const struct collision_mesh *mesh,
                            struct candidates *c) {
    c->paths.is_valid = c->verlet.paths.is_valid = false;
    RETURN_IF_FAILED(reserve(memory, mesh, c));
    set_list_margin(mesh, c);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        c->indices[i] = i;
    }
    for (uint32_t i = 0; i < mesh->isolated_edge_count; i++) {
        memcpy(c->isolated_edge_points + 2 * (size_t)i,
               mesh->edges + 2 * (size_t)mesh->isolated_edges[i], 2 * sizeof *mesh->edges);
    }
    // Trees of another mesh cannot be reused.
    c->points.count = 0;
    c->edges.count = 0;
    c->triangles.count = 0;
    c->isolated_points.count = 0;
    c->isolated_edges.count = 0;
    return PBS_OK;
}

void candidates_free(struct memory *memory, struct candidates *c) {
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        box_pairs_free(memory, &c->lists[kind]);
        box_pairs_free(memory, &c->verlet.lists[kind]);
        memory_release(memory, c->verlet.min_gap[kind]);
    }
    bounding_tree_free(memory, &c->points);
    bounding_tree_free(memory, &c->edges);
    bounding_tree_free(memory, &c->triangles);
    bounding_tree_free(memory, &c->isolated_points);
    bounding_tree_free(memory, &c->isolated_edges);
    point_paths_free(memory, &c->paths);
    point_paths_free(memory, &c->verlet.paths);
    memory_release(memory, c->swept);
    memory_release(memory, c->radius);
    memory_release(memory, c->indices);
    memory_release(memory, c->chosen);
    memory_release(memory, c->point_boxes);
    memory_release(memory, c->edge_boxes);
    memory_release(memory, c->triangle_boxes);
    memory_release(memory, c->isolated_point_boxes);
    memory_release(memory, c->isolated_edge_boxes);
    memory_release(memory, c->isolated_edge_points);
    *c = (struct candidates){0};
}

// --- paths in single precision ---

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

/// Computes a centre of most points that is robust against a few distant ones.
static void find_centre(const struct point_paths *paths, size_t count, double centre[3]) {
    const size_t stride = count / CENTRE_SAMPLES + 1;
    for (size_t k = 0; k < 3; k++) {
        double sample[CENTRE_SAMPLES];
        size_t sample_count = 0;
        for (size_t i = 0; i < count; i += stride) {
            const double at = paths->start[3 * i + k];
            sample[sample_count] = at;
            sample_count += isnan(at) ? 0 : 1;
        }
        centre[k] = median_of(sample, sample_count);
    }
}

/// Converts the paths to single precision, relative to the centre.
static void round_paths(const struct point_paths *paths, const struct collision_mesh *mesh,
                        struct candidates *c) {
    const size_t count = mesh->point_count;
    double centre[3];
    find_centre(paths, count, centre);
    for (size_t i = 0; i < count; i++) {
        struct swept_point *const point = c->swept + i;
        point->first[3] = (float)c->radius[i];
        point->last[3] = 0.0F;
        for (size_t k = 0; k < 3; k++) {
            const double first = paths->start[3 * i + k] - centre[k];
            point->first[k] = (float)first;
            point->last[k] = (float)(first + paths->motion[3 * i + k]);
        }
    }
}

// --- the search ---

struct search {
    const struct collision_mesh *mesh;
    struct separation separation;
};

/// The points of a pair, first side first.
typedef void points_of_pair(const struct collision_mesh *mesh, struct box_pair pair,
                            uint32_t points[PAIR_NODES]);

/// Lists the points of up to eight pairs. The first pair fills the missing ones.
ALWAYS_INLINE void points_of_eight(const struct collision_mesh *mesh, points_of_pair *get_points,
                                   const struct box_pair *pairs, size_t count,
                                   uint32_t points[SEPARATION_PAIRS][PAIR_NODES]) {
    for (size_t i = 0; i < SEPARATION_PAIRS; i++) {
        get_points(mesh, pairs[i < count ? i : 0], points[i]);
    }
}

/// Whether a side of the pair lies inside a flat face, whose border touches whatever it could touch
/// (docs/theory/contact.md section 2.6).
ALWAYS_INLINE bool is_inside_face(const struct collision_mesh *mesh, enum pair_kind kind,
                                  struct box_pair pair) {
    switch (kind) {
    case PAIR_POINT_TRIANGLE: return mesh->point_is_flat[pair.query];
    case PAIR_EDGE_EDGE:
        return mesh->edge_is_flat[pair.query] || mesh->edge_is_flat[pair.primitive];
    default: return false;
    }
}

/// Returns the mask of those pairs, BOX_PAIRS_BATCH at most, that collision filters allow and that
/// no plane separates. Boxes are loose bounds: most pairs with overlapping boxes are neighbours on
/// one surface that move together.
ALWAYS_INLINE uint32_t filter_pairs(const struct search *search, enum pair_kind kind,
                                    points_of_pair *get_points, const struct box_pair *pairs,
                                    size_t count) {
    const size_t second = kind == PAIR_POINT_TRIANGLE ? 1 : 2;
    uint32_t points[SEPARATION_PAIRS][PAIR_NODES];
    points_of_eight(search->mesh, get_points, pairs, count, points);
    uint32_t may = 0;
    for (size_t i = 0; i < count; i++) {
        const bool touches = !is_inside_face(search->mesh, kind, pairs[i]) &&
                             collision_mesh_may_touch(search->mesh, points[i][0],
                                                      points[i][second]);
        may |= (uint32_t)touches << i;
    }
    return may == 0 ? 0 : may & separation_fails(&search->separation, kind, points);
}

_Static_assert((int)BOX_PAIRS_BATCH == (int)SEPARATION_PAIRS, "pairs are parted as they are met");

ALWAYS_INLINE void points_of_point_triangle(const struct collision_mesh *mesh, struct box_pair pair,
                                            uint32_t points[PAIR_NODES]) {
    points[0] = pair.query;
    memcpy(points + 1, mesh->triangles + 3 * (size_t)pair.primitive, 3 * sizeof *points);
}

ALWAYS_INLINE void points_of_edges(const struct collision_mesh *mesh, struct box_pair pair,
                                   uint32_t points[PAIR_NODES]) {
    memcpy(points, mesh->edges + 2 * (size_t)pair.query, 2 * sizeof *points);
    memcpy(points + 2, mesh->edges + 2 * (size_t)pair.primitive, 2 * sizeof *points);
}

ALWAYS_INLINE void points_of_point_edge(const struct collision_mesh *mesh, struct box_pair pair,
                                        uint32_t points[PAIR_NODES]) {
    points[0] = points[1] = mesh->isolated_points[pair.query];
    memcpy(points + 2, mesh->edges + 2 * (size_t)mesh->isolated_edges[pair.primitive],
           2 * sizeof *points);
}

ALWAYS_INLINE void points_of_two_points(const struct collision_mesh *mesh, struct box_pair pair,
                                        uint32_t points[PAIR_NODES]) {
    points[0] = points[1] = mesh->isolated_points[pair.query];
    points[2] = points[3] = mesh->isolated_points[pair.primitive];
}

static uint32_t filter_point_triangle(const void *context, const struct box_pair *pairs,
                                      size_t count) {
    return filter_pairs(context, PAIR_POINT_TRIANGLE, points_of_point_triangle, pairs, count);
}

static uint32_t filter_edges(const void *context, const struct box_pair *pairs, size_t count) {
    return filter_pairs(context, PAIR_EDGE_EDGE, points_of_edges, pairs, count);
}

static uint32_t filter_point_edge(const void *context, const struct box_pair *pairs, size_t count) {
    return filter_pairs(context, PAIR_POINT_EDGE, points_of_point_edge, pairs, count);
}

static uint32_t filter_points(const void *context, const struct box_pair *pairs, size_t count) {
    return filter_pairs(context, PAIR_POINT_POINT, points_of_two_points, pairs, count);
}

static points_of_pair *const point_lists[PAIR_KINDS] = {
    [PAIR_POINT_TRIANGLE] = points_of_point_triangle,
    [PAIR_EDGE_EDGE] = points_of_edges,
    [PAIR_POINT_EDGE] = points_of_point_edge,
    [PAIR_POINT_POINT] = points_of_two_points};

static uint32_t (*const filters[PAIR_KINDS])(const void *context, const struct box_pair *pairs,
                                             size_t count) = {
    [PAIR_POINT_TRIANGLE] = filter_point_triangle,
    [PAIR_EDGE_EDGE] = filter_edges,
    [PAIR_POINT_EDGE] = filter_point_edge,
    [PAIR_POINT_POINT] = filter_points};

static pbs_status update_trees(struct memory *memory, struct tasks *tasks,
                               const struct collision_mesh *mesh, struct candidates *c) {
    boxes_of_primitives(tasks, c->point_boxes, mesh->edges, 2, mesh->edge_count, c->edge_boxes);
    boxes_of_primitives(tasks, c->point_boxes, mesh->triangles, 3, mesh->triangle_count,
                        c->triangle_boxes);
    boxes_of_primitives(tasks, c->point_boxes, mesh->isolated_points, 1, mesh->isolated_point_count,
                        c->isolated_point_boxes);
    boxes_of_primitives(tasks, c->point_boxes, c->isolated_edge_points, 2,
                        mesh->isolated_edge_count, c->isolated_edge_boxes);
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->point_boxes, mesh->point_count, NULL, 0,
                                          &c->points));
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->edge_boxes, mesh->edge_count,
                                          mesh->edges, 2, &c->edges));
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->triangle_boxes, mesh->triangle_count,
                                          mesh->triangles, 3, &c->triangles));
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, c->isolated_point_boxes,
                                          mesh->isolated_point_count, mesh->isolated_points, 1,
                                          &c->isolated_points));
    return bounding_tree_update(memory, tasks, c->isolated_edge_boxes, mesh->isolated_edge_count,
                                c->isolated_edge_points, 2, &c->isolated_edges);
}

static struct search search_of(const struct collision_mesh *mesh, const struct candidates *c,
                               const struct point_paths *paths, double excess) {
    return (struct search){
        .mesh = mesh,
        .separation = {.swept = c->swept,
                       .reach = (float)(excess + 2.0 * (paths->margin + paths->rounding))}};
}

/// lists = the pairs that come within the search's reach, from the current boxes, trees and rounded
/// paths.
static pbs_status find_pairs(struct memory *memory, struct tasks *tasks,
                             const struct search *search, const struct candidates *c,
                             struct box_pair_list *lists) {
    const struct collision_mesh *const mesh = search->mesh;
    const struct box_pair_query queries[PAIR_KINDS] = {
        [PAIR_POINT_TRIANGLE] = {.tree = &c->triangles,
                                 .boxes = c->point_boxes,
                                 .count = mesh->point_count,
                                 .order = &c->points,
                                 .points = c->indices,
                                 .width = 1},
        [PAIR_EDGE_EDGE] = {.tree = &c->edges,
                            .boxes = c->edge_boxes,
                            .count = mesh->edge_count,
                            .order = &c->edges,
                            .is_self = true,
                            .points = mesh->edges,
                            .width = 2},
        [PAIR_POINT_EDGE] = {.tree = &c->isolated_edges,
                             .boxes = c->isolated_point_boxes,
                             .count = mesh->isolated_point_count,
                             .order = &c->isolated_points},
        [PAIR_POINT_POINT] = {.tree = &c->isolated_points,
                              .boxes = c->isolated_point_boxes,
                              .count = mesh->isolated_point_count,
                              .order = &c->isolated_points,
                              .is_self = true},
    };
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        struct box_pair_query query = queries[kind];
        query.filter = filters[kind];
        query.context = search;
        RETURN_IF_FAILED(box_pairs_find(memory, tasks, &query, &lists[kind]));
    }
    return PBS_OK;
}

/// lists = the pairs that come within `excess` of their reach on the paths and within their margin,
/// by a search of all boxes.
static pbs_status search_boxes(struct memory *memory, struct tasks *tasks,
                               const struct collision_mesh *mesh, const struct point_paths *paths,
                               double excess, struct candidates *c, struct box_pair_list *lists) {
    const struct point_sweep sweep = {.count = mesh->point_count,
                                      .x = paths->start,
                                      .step = paths->motion_square == 0.0 ? NULL : paths->motion,
                                      .inflation = 0.5 * excess + paths->margin + paths->rounding,
                                      .radius = c->radius};
    round_paths(paths, mesh, c);
    boxes_of_points(tasks, &sweep, c->point_boxes);
    RETURN_IF_FAILED(update_trees(memory, tasks, mesh, c));
    const struct search search = search_of(mesh, c, paths, excess);
    c->search_count++;
    return find_pairs(memory, tasks, &search, c, lists);
}

// --- Verlet lists ---

/// A parallel loop over the pairs of a Verlet list.
struct verlet_pass {
    const struct search *search;
    enum pair_kind kind;
    const struct box_pair *pairs;
    size_t count;
    float *min_gap;
    double limit;    ///< m: pairs with a larger min_gap are not chosen
    uint8_t *chosen; ///< per pair: whether it is chosen
};

static size_t verlet_piece_end(const struct verlet_pass *pass, size_t piece) {
    const size_t end = (piece + 1) * PAIRS_PER_PIECE;
    return end < pass->count ? end : pass->count;
}

static size_t verlet_piece_count(const struct verlet_pass *pass) {
    return (pass->count + PAIRS_PER_PIECE - 1) / PAIRS_PER_PIECE;
}

static void measure_piece(void *context, size_t piece) {
    const struct verlet_pass *const pass = context;
    const size_t end = verlet_piece_end(pass, piece);
    for (size_t i = piece * PAIRS_PER_PIECE; i < end; i += SEPARATION_PAIRS) {
        const size_t count = end - i < SEPARATION_PAIRS ? end - i : SEPARATION_PAIRS;
        uint32_t points[SEPARATION_PAIRS][PAIR_NODES];
        float min_gap[SEPARATION_PAIRS];
        points_of_eight(pass->search->mesh, point_lists[pass->kind], pass->pairs + i, count,
                        points);
        separation_gap(&pass->search->separation, pass->kind, points, min_gap);
        memcpy(pass->min_gap + i, min_gap, count * sizeof *min_gap);
    }
}

static pbs_status measure(struct memory *memory, struct tasks *tasks,
                          const struct collision_mesh *mesh, struct candidates *c) {
    const struct search search = {.mesh = mesh, .separation = {.swept = c->swept, .reach = 0.0F}};
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        const struct box_pair_list *const list = &c->verlet.lists[kind];
        RETURN_IF_FAILED(memory_reserve(memory, &c->verlet.min_gap[kind],
                                        &c->verlet.min_gap_capacity[kind], list->count,
                                        sizeof *c->verlet.min_gap[kind]));
        struct verlet_pass pass = {.search = &search,
                                   .kind = (enum pair_kind)kind,
                                   .pairs = list->pairs,
                                   .count = list->count,
                                   .min_gap = c->verlet.min_gap[kind]};
        tasks_for(tasks, verlet_piece_count(&pass), measure_piece, &pass);
    }
    return PBS_OK;
}

/// Builds a Verlet list with the additional margin, so that the next paths need no search of boxes.
static pbs_status build_verlet_list(struct memory *memory, struct tasks *tasks,
                                    const struct collision_mesh *mesh, const double *x,
                                    const double *motion, double reach, double margin,
                                    struct candidates *c) {
    struct verlet_list *const verlet = &c->verlet;
    const double least = least_reach(mesh, reach);
    point_paths_set(mesh, x, motion, margin + list_margin_for(c, least), least, &verlet->paths);
    // Paths with another start may have slightly larger rounding errors.
    verlet->reach = reach + 2.0 * (margin + 2.0 * verlet->paths.rounding);
    RETURN_IF_FAILED(
        search_boxes(memory, tasks, mesh, &verlet->paths, verlet->reach - reach, c, verlet->lists));
    RETURN_IF_FAILED(measure(memory, tasks, mesh, c));
    verlet->paths.is_valid = true;
    return PBS_OK;
}

// --- selection from Verlet lists ---

static void filter_batch(const struct verlet_pass *pass, const struct box_pair *pairs,
                         const size_t *index, size_t count) {
    const uint32_t passes = filters[pass->kind](pass->search, pairs, count);
    for (size_t k = 0; k < count; k++) {
        pass->chosen[index[k]] = passes >> k & 1U;
    }
}

static void choose_piece(void *context, size_t piece) {
    const struct verlet_pass *const pass = context;
    struct box_pair pairs[BOX_PAIRS_BATCH];
    size_t index[BOX_PAIRS_BATCH];
    size_t count = 0;
    for (size_t i = piece * PAIRS_PER_PIECE; i < verlet_piece_end(pass, piece); i++) {
        pass->chosen[i] = 0;
        if (pass->min_gap[i] > pass->limit) {
            continue;
        }
        pairs[count] = pass->pairs[i];
        index[count++] = i;
        if (count == BOX_PAIRS_BATCH) {
            filter_batch(pass, pairs, index, count);
            count = 0;
        }
    }
    if (count > 0) {
        filter_batch(pass, pairs, index, count);
    }
}

/// Selects from the Verlet list the pairs that no plane separates, for paths that deviate from its
/// own by at most `deviation`.
static pbs_status choose(struct memory *memory, struct tasks *tasks,
                         const struct collision_mesh *mesh, double deviation,
                         struct candidates *c) {
    const struct search search = search_of(mesh, c, &c->paths, 0.0);
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        const struct box_pair_list *const from = &c->verlet.lists[kind];
        struct box_pair_list *const list = &c->lists[kind];
        list->count = 0;
        RETURN_IF_FAILED(memory_reserve(memory, &list->pairs, &list->capacity, from->count,
                                        sizeof *list->pairs));
        RETURN_IF_FAILED(memory_reserve(memory, &c->chosen, &c->chosen_capacity, from->count,
                                        sizeof *c->chosen));
        struct verlet_pass pass = {.search = &search,
                                   .kind = (enum pair_kind)kind,
                                   .pairs = from->pairs,
                                   .count = from->count,
                                   .min_gap = c->verlet.min_gap[kind],
                                   .limit = search.separation.reach + 2.0 * deviation,
                                   .chosen = c->chosen};
        tasks_for(tasks, verlet_piece_count(&pass), choose_piece, &pass);
        for (size_t i = 0; i < from->count; i++) {
            if (c->chosen[i] != 0) {
                list->pairs[list->count++] = from->pairs[i];
            }
        }
    }
    return PBS_OK;
}

/// Selects the candidates from the Verlet list, which is rebuilt if it is not valid for the motion.
static pbs_status gather_from_verlet_list(struct memory *memory, struct tasks *tasks,
                                          const struct collision_mesh *mesh, const double *x,
                                          const double *motion, double reach,
                                          struct candidates *c) {
    const double margin = c->paths.margin;
    double deviation = point_paths_deviation(tasks, &c->verlet.paths, mesh, x, motion);
    if (!point_paths_within_margin(&c->verlet.paths, deviation) ||
        reach + 2.0 * (margin + c->paths.rounding) > c->verlet.reach) {
        RETURN_IF_FAILED(build_verlet_list(memory, tasks, mesh, x, motion, reach, margin, c));
        deviation = 0.0;
    }
    round_paths(&c->paths, mesh, c);
    return choose(memory, tasks, mesh, deviation, c);
}

pbs_status candidates_gather(struct memory *memory, struct tasks *tasks,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion, double reach, double margin,
                             struct candidates *c) {
    const double least = least_reach(mesh, reach);
    set_radii(mesh, reach, c);
    point_paths_set(mesh, x, motion, margin, least, &c->paths);
    if (c->paths.longest <= LONGEST_LIST_MARGINS * list_margin_for(c, least)) {
        RETURN_IF_FAILED(gather_from_verlet_list(memory, tasks, mesh, x, motion, reach, c));
    } else {
        RETURN_IF_FAILED(search_boxes(memory, tasks, mesh, &c->paths, 0.0, c, c->lists));
    }
    c->paths.is_valid = true;
    return PBS_OK;
}

bool candidates_cover(struct tasks *tasks, const struct candidates *candidates,
                      const struct collision_mesh *mesh, const double *x, const double *motion) {
    return point_paths_within_margin(
        &candidates->paths, point_paths_deviation(tasks, &candidates->paths, mesh, x, motion));
}

size_t candidates_count(const struct candidates *candidates) {
    size_t count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        count += candidates->lists[kind].count;
    }
    return count;
}
