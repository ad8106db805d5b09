// See solid_inclusion.h. Boxes find vertices and tetrahedra that may hold them; what does is few,
// is listed by vertex, and has its surface searched vertex by vertex.
#include "contact/solid_inclusion.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "geometry/tet_inclusion.h"
#include "geometry/tree_search.h"

enum { HITS_PER_PIECE = 32 };

#define NO_TRIANGLE UINT32_MAX

struct solid_part {
    uint32_t group, mask;
    bool touches_itself;
    bool has_rest;
    size_t first_triangle, triangle_count;
    struct bounding_tree rest_tree; ///< over its triangles, if it touches itself and has_rest
};

/// A vertex inside something: where its pairs are in the list.
struct inclusion_hit {
    size_t begin, end;
};

// --- what there is ---

void solid_inclusion_clear(struct solid_inclusion *s) {
    s->contact_count = 0;
    s->is_rest_listed = false;
    s->rest_count = 0;
    s->part_count = s->vertex_count = s->tet_count = s->triangle_count = 0;
    s->vertex_tree.count = s->tet_tree.count = s->surface_tree.count = 0;
}

void solid_inclusion_free(struct memory *memory, struct solid_inclusion *s) {
    // Parts that were, and are not counted any more, have memory too.
    for (size_t i = 0; i < s->part_capacity; i++) {
        bounding_tree_free(memory, &s->parts[i].rest_tree);
    }
    void *const own[] = {s->contacts,  s->parts, s->vertices,    s->tets,
                         s->triangles, s->hits,  s->rest,        s->vertex_part,
                         s->tet_part,  s->boxes, s->point_boxes, s->triangle_part};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        memory_release(memory, own[i]);
    }
    bounding_tree_free(memory, &s->vertex_tree);
    bounding_tree_free(memory, &s->tet_tree);
    bounding_tree_free(memory, &s->surface_tree);
    box_pairs_free(memory, &s->inside);
    *s = (struct solid_inclusion){0};
}

static pbs_status reserve_parts(struct memory *memory, const struct inclusion_input *input,
                                struct solid_inclusion *s) {
    const size_t vertices = s->vertex_count + input->vertex_count;
    const size_t tets = s->tet_count + input->tet_count;
    const size_t triangles = s->triangle_count + input->triangle_count;
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->parts, &s->part_capacity, s->part_count + 1, sizeof *s->parts));
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->vertices, &s->vertex_capacity, vertices, sizeof *s->vertices));
    RETURN_IF_FAILED(memory_reserve(memory, &s->vertex_part, &s->vertex_part_capacity, vertices,
                                    sizeof *s->vertex_part));
    RETURN_IF_FAILED(memory_reserve(memory, &s->tets, &s->tet_capacity, 4 * tets, sizeof *s->tets));
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->tet_part, &s->tet_part_capacity, tets, sizeof *s->tet_part));
    RETURN_IF_FAILED(memory_reserve(memory, &s->triangles, &s->triangle_capacity, 3 * triangles,
                                    sizeof *s->triangles));
    RETURN_IF_FAILED(memory_reserve(memory, &s->rest, &s->rest_capacity,
                                    3 * (input->first_point + input->point_count),
                                    sizeof *s->rest));
    return memory_reserve(memory, &s->triangle_part, &s->triangle_part_capacity, triangles,
                          sizeof *s->triangle_part);
}

static void append(const uint32_t *points, uint32_t width, size_t added, uint32_t part,
                   uint32_t *list, uint32_t *parts, size_t *count) {
    if (added > 0) {
        memcpy(list + width * *count, points, width * added * sizeof *list);
    }
    for (size_t i = 0; i < added; i++) {
        parts[*count + i] = part;
    }
    *count += added;
}

pbs_status solid_inclusion_add(struct memory *memory, const struct inclusion_input *input,
                               struct solid_inclusion *s) {
    const size_t limit = INT32_MAX;
    if (s->vertex_count + input->vertex_count > limit || s->tet_count + input->tet_count > limit ||
        s->triangle_count + input->triangle_count > limit) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%zu vertices, %zu tetrahedra and %zu triangles that can touch, the "
                           "limit is %zu each",
                           s->vertex_count + input->vertex_count, s->tet_count + input->tet_count,
                           s->triangle_count + input->triangle_count, limit);
    }
    RETURN_IF_FAILED(reserve_parts(memory, input, s));
    const uint32_t part = (uint32_t)s->part_count++;
    s->parts[part] = (struct solid_part){.group = input->group,
                                         .mask = input->mask,
                                         .touches_itself = input->touches_itself,
                                         .has_rest = input->rest != NULL,
                                         .first_triangle = s->triangle_count,
                                         .triangle_count = input->triangle_count,
                                         .rest_tree = s->parts[part].rest_tree};
    if (input->rest != NULL && input->point_count > 0) {
        const size_t end = input->first_point + input->point_count;
        memcpy(s->rest + 3 * (size_t)input->first_point, input->rest,
               3 * input->point_count * sizeof *s->rest);
        s->rest_count = end > s->rest_count ? end : s->rest_count;
    }
    append(input->vertices, 1, input->vertex_count, part, s->vertices, s->vertex_part,
           &s->vertex_count);
    append(input->tets, 4, input->tet_count, part, s->tets, s->tet_part, &s->tet_count);
    append(input->triangles, 3, input->triangle_count, part, s->triangles, s->triangle_part,
           &s->triangle_count);
    s->vertex_tree.count = s->tet_tree.count = s->surface_tree.count = 0;
    s->is_rest_listed = false;
    s->contact_count = 0;
    return PBS_OK;
}

// --- which tetrahedra are around which vertices ---

static bool may_touch(const struct solid_inclusion *s, uint32_t i, uint32_t j) {
    const struct solid_part *a = &s->parts[i];
    const struct solid_part *b = &s->parts[j];
    return i == j ? a->touches_itself : (a->group & b->mask) != 0 && (b->group & a->mask) != 0;
}

static bool is_corner(const uint32_t *points, int count, uint32_t point) {
    bool found = false;
    for (int k = 0; k < count; k++) {
        found = found || points[k] == point;
    }
    return found;
}

static bool is_around(const struct solid_inclusion *s, uint32_t tet, uint32_t vertex,
                      double weight[4]) {
    const uint32_t *points = s->tets + 4 * (size_t)tet;
    const uint32_t point = s->vertices[vertex];
    if (!may_touch(s, s->vertex_part[vertex], s->tet_part[tet]) || is_corner(points, 4, point)) {
        return false;
    }
    const double *corners[4];
    for (int k = 0; k < 4; k++) {
        corners[k] = s->x + 3 * (size_t)points[k];
    }
    return tet_contains(corners, s->x + 3 * (size_t)point, weight);
}

static uint32_t keep(const void *context, const struct box_pair *pairs, size_t count) {
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        double weight[4];
        bits |= (uint32_t)is_around(context, pairs[i].primitive, pairs[i].query, weight) << i;
    }
    return bits;
}

/// Boxes of all primitives of a kind, and the tree over them.
static pbs_status update_tree(struct memory *memory, struct tasks *tasks, const uint32_t *points,
                              uint32_t width, size_t count, struct solid_inclusion *s,
                              struct bounding_tree *tree) {
    RETURN_IF_FAILED(memory_reserve(memory, &s->boxes, &s->box_capacity, count, sizeof *s->boxes));
    boxes_of_primitives(tasks, s->point_boxes, points, width, count, s->boxes);
    return bounding_tree_update(memory, tasks, s->boxes, count, NULL, 0, tree);
}

static pbs_status reserve_point_boxes(struct memory *memory, size_t count,
                                      struct solid_inclusion *s) {
    return memory_reserve(memory, &s->point_boxes, &s->point_box_capacity, count,
                          sizeof *s->point_boxes);
}

/// Trees of the surfaces, at rest, of bodies that touch themselves; once.
static pbs_status list_rest(struct memory *memory, struct tasks *tasks, struct solid_inclusion *s) {
    const struct point_sweep sweep = {.count = s->rest_count, .x = s->rest};
    if (s->is_rest_listed) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(reserve_point_boxes(memory, s->rest_count, s));
    boxes_of_points(tasks, &sweep, s->point_boxes);
    for (size_t i = 0; i < s->part_count; i++) {
        struct solid_part *part = &s->parts[i];
        part->rest_tree.count = 0;
        if (part->touches_itself && part->has_rest) {
            RETURN_IF_FAILED(update_tree(memory, tasks, s->triangles + 3 * part->first_triangle, 3,
                                         part->triangle_count, s, &part->rest_tree));
        }
    }
    s->is_rest_listed = true;
    return PBS_OK;
}

static pbs_status find_inside(struct memory *memory, struct tasks *tasks, size_t point_count,
                              struct solid_inclusion *s) {
    const struct point_sweep sweep = {.count = point_count, .x = s->x};
    RETURN_IF_FAILED(reserve_point_boxes(memory, point_count, s));
    boxes_of_points(tasks, &sweep, s->point_boxes);
    RETURN_IF_FAILED(update_tree(memory, tasks, s->tets, 4, s->tet_count, s, &s->tet_tree));
    RETURN_IF_FAILED(
        update_tree(memory, tasks, s->vertices, 1, s->vertex_count, s, &s->vertex_tree));
    const struct box_pair_query query = {.tree = &s->tet_tree,
                                         .boxes = s->boxes,
                                         .count = s->vertex_count,
                                         .order = &s->vertex_tree,
                                         .keep = keep,
                                         .context = s};
    return box_pairs_find(memory, tasks, &query, &s->inside);
}

/// Vertices that anything is around. Returns how many.
static size_t list_hits(struct solid_inclusion *s) {
    const struct box_pair *pairs = s->inside.pairs;
    size_t count = 0;
    for (size_t k = 0; k < s->inside.count; k++) {
        if (k == 0 || pairs[k].query != pairs[k - 1].query) {
            s->hits[count++].begin = k;
        }
        s->hits[count - 1].end = k + 1;
    }
    return count;
}

/// Where a vertex is deepest: the tetrahedron, and its barycentric coordinates there.
static uint32_t deepest_tet(const struct solid_inclusion *s, const struct inclusion_hit *hit,
                            double weight[4]) {
    uint32_t best = 0;
    double most = -1.0;
    for (size_t k = hit->begin; k < hit->end; k++) {
        const struct box_pair *pair = &s->inside.pairs[k];
        double w[4] = {0.0};
        (void)is_around(s, pair->primitive, pair->query, w);
        const double depth = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        if (depth > most) {
            best = pair->primitive;
            most = depth;
            memcpy(weight, w, sizeof w);
        }
    }
    return best;
}

// --- the closest point of the surface ---

struct surface_search {
    const struct solid_inclusion *s;
    const struct solid_part *solid;
    uint32_t point, part;
    bool is_own;     ///< the vertex is in its own body, whose rest is known
    double place[3]; ///< m, at rest: where in the material it is
    double squared;  ///< of the closest found, m^2
    uint32_t triangle;
};

/// A point and a triangle, at x or at rest.
static void locate(const struct solid_inclusion *s, const double *points, const double *point,
                   uint32_t triangle, const double *x[PAIR_NODES]) {
    const uint32_t *corners = s->triangles + 3 * (size_t)triangle;
    x[0] = point;
    for (int k = 0; k < 3; k++) {
        x[1 + k] = points + 3 * (size_t)corners[k];
    }
}

static double squared_to(const struct solid_inclusion *s, const double *points, const double *point,
                         uint32_t triangle) {
    const double *x[PAIR_NODES];
    locate(s, points, point, triangle, x);
    return closest_squared(PAIR_POINT_TRIANGLE, x);
}

/// Whether a triangle belongs to the surface that the vertex has come through.
static bool counts(const struct surface_search *search, uint32_t triangle) {
    const struct solid_inclusion *s = search->s;
    if (!search->is_own) {
        return !is_corner(s->triangles + 3 * (size_t)triangle, 3, search->point);
    }
    return squared_to(s, s->rest, search->place, triangle) <
           squared_to(s, s->rest, s->rest + 3 * (size_t)search->point, triangle);
}

static double keep_closer(struct surface_search *search, uint32_t triangle, double squared,
                          double limit) {
    if (squared < search->squared || (squared == search->squared && triangle < search->triangle)) {
        search->squared = squared;
        search->triangle = triangle;
    }
    return fmin(limit, search->squared);
}

static double approach_at_rest(void *self, uint32_t primitive, double limit) {
    struct surface_search *search = self;
    const uint32_t triangle = (uint32_t)search->solid->first_triangle + primitive;
    const struct solid_inclusion *s = search->s;
    return keep_closer(search, triangle, squared_to(s, s->rest, search->place, triangle), limit);
}

static double approach(void *self, uint32_t triangle, double limit) {
    struct surface_search *search = self;
    const struct solid_inclusion *s = search->s;
    if (s->triangle_part[triangle] != search->part) {
        return limit;
    }
    const double squared = squared_to(s, s->x, s->x + 3 * (size_t)search->point, triangle);
    return squared > limit || !counts(search, triangle)
               ? limit
               : keep_closer(search, triangle, squared, limit);
}

/// m^2: within which the closest triangle is. The first one at rest (OPT section 5.3); -1: the
/// vertex is below its own surface.
static double bound_from_rest(struct surface_search *search) {
    const struct solid_inclusion *s = search->s;
    tree_search_nearest(&search->solid->rest_tree, search->place, INFINITY, approach_at_rest,
                        search);
    const uint32_t first = search->triangle;
    search->squared = INFINITY;
    search->triangle = NO_TRIANGLE;
    return first != NO_TRIANGLE && counts(search, first)
               ? squared_to(s, s->x, s->x + 3 * (size_t)search->point, first)
               : -1.0;
}

static void describe(const struct solid_inclusion *s, struct solid_contact *out) {
    const uint32_t *corners = s->triangles + 3 * (size_t)out->triangle;
    const uint32_t all[PAIR_NODES] = {s->vertices[out->vertex], corners[0], corners[1], corners[2]};
    const double *x[PAIR_NODES];
    int node[PAIR_NODES] = {0};
    locate(s, s->x, s->x + 3 * (size_t)all[0], out->triangle, x);
    const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, x);
    out->kind = closest_reduce(PAIR_POINT_TRIANGLE, &closest, &out->closest, node);
    out->point_count = pair_node_count(out->kind);
    for (int k = 0; k < out->point_count; k++) {
        out->points[k] = all[node[k]];
    }
    out->distance = sqrt(closest.squared);
    if (out->distance > 0.0) {
        scale3(1.0 / out->distance, closest.r, out->normal);
    }
}

/// Where in the material of a tetrahedron the vertex is.
static void place_at_rest(const struct solid_inclusion *s, uint32_t tet, const double weight[4],
                          double place[3]) {
    scale3(0.0, place, place);
    for (int k = 0; k < 4; k++) {
        add_scaled3(place, weight[k], s->rest + 3 * (size_t)s->tets[4 * (size_t)tet + (size_t)k],
                    place);
    }
}

static void make_contact(const struct solid_inclusion *s, const struct inclusion_hit *hit,
                         struct solid_contact *out) {
    const uint32_t vertex = s->inside.pairs[hit->begin].query;
    double weight[4] = {0.0};
    const uint32_t tet = deepest_tet(s, hit, weight);
    *out = (struct solid_contact){
        .vertex = vertex, .part = {s->vertex_part[vertex], s->tet_part[tet]}, .tet = tet};
    struct surface_search search = {.s = s,
                                    .solid = &s->parts[out->part[1]],
                                    .point = s->vertices[vertex],
                                    .part = out->part[1],
                                    .squared = INFINITY,
                                    .triangle = NO_TRIANGLE};
    double limit = INFINITY;
    search.is_own = out->part[0] == out->part[1] && search.solid->has_rest;
    if (search.is_own) {
        place_at_rest(s, tet, weight, search.place);
        limit = bound_from_rest(&search);
    }
    if (limit >= 0.0) {
        tree_search_nearest(&s->surface_tree, s->x + 3 * (size_t)search.point, limit, approach,
                            &search);
    }
    out->triangle = search.triangle;
    if (search.triangle != NO_TRIANGLE) {
        describe(s, out);
    }
}

struct contact_loop {
    struct solid_inclusion *s;
    size_t count;
};

static void make_piece(void *context, size_t piece) {
    const struct contact_loop *loop = context;
    const size_t begin = piece * HITS_PER_PIECE;
    for (size_t i = begin; i < begin + HITS_PER_PIECE && i < loop->count; i++) {
        make_contact(loop->s, &loop->s->hits[i], &loop->s->contacts[i]);
    }
}

/// Without vertices on the surface, whose distance is 0.
static void drop_idle(size_t count, struct solid_inclusion *s) {
    for (size_t i = 0; i < count; i++) {
        if (s->contacts[i].distance > 0.0) {
            s->contacts[s->contact_count++] = s->contacts[i];
        }
    }
}

pbs_status solid_inclusion_find(struct memory *memory, struct tasks *tasks, const double *x,
                                size_t point_count, struct solid_inclusion *s) {
    s->contact_count = 0;
    if (s->tet_count == 0 || s->vertex_count == 0) {
        return PBS_OK;
    }
    s->x = x;
    RETURN_IF_FAILED(list_rest(memory, tasks, s));
    RETURN_IF_FAILED(find_inside(memory, tasks, point_count, s));
    if (s->inside.count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(
        update_tree(memory, tasks, s->triangles, 3, s->triangle_count, s, &s->surface_tree));
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->hits, &s->hit_capacity, s->inside.count, sizeof *s->hits));
    const size_t count = list_hits(s);
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->contacts, &s->contact_capacity, count, sizeof *s->contacts));
    struct contact_loop loop = {s, count};
    tasks_for(tasks, (count + HITS_PER_PIECE - 1) / HITS_PER_PIECE, make_piece, &loop);
    drop_idle(count, s);
    return PBS_OK;
}
