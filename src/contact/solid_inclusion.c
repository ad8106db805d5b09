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
};

/// A vertex inside something: where its pairs are in the list.
struct inclusion_hit {
    size_t begin, end;
};

// --- what there is ---

void solid_inclusion_clear(struct solid_inclusion *s) {
    s->contact_count = 0;
    s->part_count = s->vertex_count = s->tet_count = s->triangle_count = 0;
    s->vertex_tree.count = s->tet_tree.count = s->surface_tree.count = 0;
}

void solid_inclusion_free(struct memory *memory, struct solid_inclusion *s) {
    void *const own[] = {s->contacts,    s->parts, s->vertices,     s->tets,
                         s->triangles,   s->hits,  s->vertex_part,  s->tet_part,
                         s->point_boxes, s->boxes, s->triangle_part};
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
    s->parts[part] = (struct solid_part){input->group, input->mask, input->touches_itself};
    append(input->vertices, 1, input->vertex_count, part, s->vertices, s->vertex_part,
           &s->vertex_count);
    append(input->tets, 4, input->tet_count, part, s->tets, s->tet_part, &s->tet_count);
    append(input->triangles, 3, input->triangle_count, part, s->triangles, s->triangle_part,
           &s->triangle_count);
    s->vertex_tree.count = s->tet_tree.count = s->surface_tree.count = 0;
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
                      double *depth) {
    const uint32_t *points = s->tets + 4 * (size_t)tet;
    const uint32_t point = s->vertices[vertex];
    if (!may_touch(s, s->vertex_part[vertex], s->tet_part[tet]) || is_corner(points, 4, point)) {
        return false;
    }
    const double *corners[4];
    for (int k = 0; k < 4; k++) {
        corners[k] = s->x + 3 * (size_t)points[k];
    }
    return tet_contains(corners, s->x + 3 * (size_t)point, depth);
}

static uint32_t keep(const void *context, const struct box_pair *pairs, size_t count) {
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        double depth = 0.0;
        bits |= (uint32_t)is_around(context, pairs[i].primitive, pairs[i].query, &depth) << i;
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

static pbs_status find_inside(struct memory *memory, struct tasks *tasks, size_t point_count,
                              struct solid_inclusion *s) {
    const struct point_sweep sweep = {.count = point_count, .x = s->x};
    RETURN_IF_FAILED(memory_reserve(memory, &s->point_boxes, &s->point_box_capacity, point_count,
                                    sizeof *s->point_boxes));
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

static uint32_t deepest_tet(const struct solid_inclusion *s, const struct inclusion_hit *hit) {
    uint32_t best = 0;
    double most = -1.0;
    for (size_t k = hit->begin; k < hit->end; k++) {
        const struct box_pair *pair = &s->inside.pairs[k];
        double depth = 0.0;
        if (is_around(s, pair->primitive, pair->query, &depth) && depth > most) {
            best = pair->primitive;
            most = depth;
        }
    }
    return best;
}

// --- the closest point of the surface ---

struct surface_search {
    const struct solid_inclusion *s;
    uint32_t point, part;
    double squared; ///< of the closest found, m^2
    uint32_t triangle;
};

static void locate(const struct solid_inclusion *s, uint32_t point, uint32_t triangle,
                   const double *x[PAIR_NODES]) {
    const uint32_t *corners = s->triangles + 3 * (size_t)triangle;
    x[0] = s->x + 3 * (size_t)point;
    for (int k = 0; k < 3; k++) {
        x[1 + k] = s->x + 3 * (size_t)corners[k];
    }
}

static double approach(void *self, uint32_t triangle, double limit) {
    struct surface_search *search = self;
    const struct solid_inclusion *s = search->s;
    const double *x[PAIR_NODES];
    if (s->triangle_part[triangle] != search->part ||
        is_corner(s->triangles + 3 * (size_t)triangle, 3, search->point)) {
        return limit;
    }
    locate(s, search->point, triangle, x);
    const double squared = closest_squared(PAIR_POINT_TRIANGLE, x);
    if (squared < search->squared || (squared == search->squared && triangle < search->triangle)) {
        search->squared = squared;
        search->triangle = triangle;
    }
    return fmin(limit, search->squared);
}

static void describe(const struct solid_inclusion *s, struct solid_contact *out) {
    const uint32_t *corners = s->triangles + 3 * (size_t)out->triangle;
    const uint32_t all[PAIR_NODES] = {s->vertices[out->vertex], corners[0], corners[1], corners[2]};
    const double *x[PAIR_NODES];
    int node[PAIR_NODES] = {0};
    locate(s, all[0], out->triangle, x);
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

static void make_contact(const struct solid_inclusion *s, const struct inclusion_hit *hit,
                         struct solid_contact *out) {
    const uint32_t vertex = s->inside.pairs[hit->begin].query;
    const uint32_t tet = deepest_tet(s, hit);
    *out = (struct solid_contact){
        .vertex = vertex, .part = {s->vertex_part[vertex], s->tet_part[tet]}, .tet = tet};
    struct surface_search search = {.s = s,
                                    .point = s->vertices[vertex],
                                    .part = out->part[1],
                                    .squared = INFINITY,
                                    .triangle = NO_TRIANGLE};
    tree_search_nearest(&s->surface_tree, s->x + 3 * (size_t)search.point, INFINITY, approach,
                        &search);
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
