// See solid_inclusion.h. A search of boxes gives candidate pairs of a vertex and a tetrahedron. The
// few pairs with actual inclusion are grouped by vertex and body, and each group searches the
// body's surface for the closest point.
// SPDX-License-Identifier: MIT
#include "contact/penetration/solid_inclusion.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "broad_phase/tree_search.h"
#include "geometry/meshes/tet_inclusion.h"
#include "geometry/meshes/tet_mesh.h"

enum { HITS_PER_PIECE = 32 };

struct solid_part {
    uint32_t group, mask;
    bool touches_itself;
};

/// A vertex inside a body: the range of its pairs in solid_inclusion.inside.
struct inclusion_hit {
    size_t begin, end;
};

// --- bodies ---

void solid_inclusion_clear(struct solid_inclusion *s) {
    s->contact_count = 0;
    s->point_limit = 0;
    s->has_rings = s->has_seeds = false;
    s->part_count = s->vertex_count = s->tet_count = s->triangle_count = 0;
    s->vertex_tree.count = s->tet_tree.count = s->surface_tree.count = 0;
}

void solid_inclusion_free(struct memory *memory, struct solid_inclusion *s) {
    void *const own[] = {s->contacts,      s->parts, s->vertices,     s->tets,     s->triangles,
                         s->hits,          s->boxes, s->point_boxes,  s->tet_part, s->vertex_part,
                         s->is_vertex,     s->ring,  s->ring_start,   s->star,     s->star_start,
                         s->triangle_part, s->seed,  s->seed_distance};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        memory_release(memory, own[i]);
    }
    bounding_tree_free(memory, &s->vertex_tree);
    bounding_tree_free(memory, &s->tet_tree);
    bounding_tree_free(memory, &s->surface_tree);
    box_pairs_free(memory, &s->inside);
    pairs_free(memory, &s->pairs);
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
                   uint32_t *list, uint32_t *parts, size_t *count, size_t *point_limit) {
    for (size_t k = 0; k < width * added; k++) {
        *point_limit = points[k] >= *point_limit ? (size_t)points[k] + 1 : *point_limit;
    }
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
           &s->vertex_count, &s->point_limit);
    append(input->tets, 4, input->tet_count, part, s->tets, s->tet_part, &s->tet_count,
           &s->point_limit);
    append(input->triangles, 3, input->triangle_count, part, s->triangles, s->triangle_part,
           &s->triangle_count, &s->point_limit);
    s->has_rings = s->has_seeds = false;
    s->vertex_tree.count = s->tet_tree.count = s->surface_tree.count = 0;
    s->contact_count = 0;
    return PBS_OK;
}

// --- where searches of the surface begin ---

/// Passes seeds on to points that are `distance` tetrahedra away from theirs. Returns whether there
/// are any.
static bool spread_seeds(struct solid_inclusion *s, uint32_t distance) {
    bool any = false;
    for (size_t t = 0; t < s->tet_count; t++) {
        const uint32_t *const points = s->tets + 4 * t;
        uint32_t from = points[0];
        for (int k = 1; k < 4; k++) {
            from = s->seed_distance[points[k]] < s->seed_distance[from] ? points[k] : from;
        }
        for (int k = 0; k < 4 && s->seed_distance[from] < distance; k++) {
            if (s->seed_distance[points[k]] == UINT32_MAX) {
                s->seed_distance[points[k]] = distance;
                s->seed[points[k]] = s->seed[from];
                any = true;
            }
        }
    }
    return any;
}

/// Finds the seeds once; they stay valid until bodies are added.
static pbs_status find_seeds(struct memory *memory, struct solid_inclusion *s) {
    if (s->has_seeds) {
        return PBS_OK;
    }
    const size_t count = s->point_limit;
    RETURN_IF_FAILED(memory_reserve(memory, &s->seed, &s->seed_capacity, count, sizeof *s->seed));
    RETURN_IF_FAILED(memory_reserve(memory, &s->seed_distance, &s->seed_distance_capacity, count,
                                    sizeof *s->seed_distance));
    for (size_t i = 0; i < count; i++) {
        s->seed[i] = s->seed_distance[i] = UINT32_MAX;
    }
    for (size_t k = 3 * s->triangle_count; k-- > 0;) {
        s->seed[s->triangles[k]] = (uint32_t)(k / 3);
        s->seed_distance[s->triangles[k]] = 0;
    }
    uint32_t distance = 1;
    while (spread_seeds(s, distance)) {
        distance++;
    }
    s->has_seeds = true;
    return PBS_OK;
}

// --- neighbourhoods, for self-contact ---

static bool tet_touches_itself(const struct solid_inclusion *s, size_t tet) {
    return s->parts[s->tet_part[tet]].touches_itself;
}

static size_t count_touching_themselves(const struct solid_inclusion *s) {
    size_t count = 0;
    for (size_t t = 0; t < s->tet_count; t++) {
        count += tet_touches_itself(s, t);
    }
    return count;
}

/// star: the tetrahedra of each point.
static pbs_status list_stars(struct memory *memory, struct solid_inclusion *s) {
    RETURN_IF_FAILED(pairs_reserve(memory, 4 * count_touching_themselves(s), &s->pairs));
    s->pairs.count = 0;
    for (size_t k = 0; k < 4 * s->tet_count; k++) {
        if (tet_touches_itself(s, k / 4)) {
            pairs_add(&s->pairs, s->tets[k], (uint32_t)(k / 4));
        }
    }
    pairs_sort(&s->pairs);
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->star, &s->star_capacity, s->pairs.count, sizeof *s->star));
    pairs_compress(&s->pairs, (uint32_t)s->point_limit, s->star_start, s->star);
    return PBS_OK;
}

/// ring: the points of each vertex's tetrahedra, including the vertex.
static pbs_status list_ring_points(struct memory *memory, struct solid_inclusion *s) {
    size_t most = 0;
    for (size_t k = 0; k < 4 * s->tet_count; k++) {
        most += tet_touches_itself(s, k / 4) && s->is_vertex[s->tets[k]] != 0 ? 4 : 0;
    }
    RETURN_IF_FAILED(pairs_reserve(memory, most, &s->pairs));
    s->pairs.count = 0;
    for (size_t k = 0; k < 4 * s->tet_count; k++) {
        if (tet_touches_itself(s, k / 4) && s->is_vertex[s->tets[k]] != 0) {
            for (size_t other = k - k % 4; other < k - k % 4 + 4; other++) {
                pairs_add(&s->pairs, s->tets[k], s->tets[other]);
            }
        }
    }
    pairs_sort(&s->pairs);
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->ring, &s->ring_capacity, s->pairs.count, sizeof *s->ring));
    pairs_compress(&s->pairs, (uint32_t)s->point_limit, s->ring_start, s->ring);
    return PBS_OK;
}

/// Builds the lists once; they stay valid until bodies are added.
static pbs_status list_rings(struct memory *memory, struct solid_inclusion *s) {
    if (s->has_rings || count_touching_themselves(s) == 0) {
        return PBS_OK;
    }
    const size_t count = s->point_limit;
    RETURN_IF_FAILED(
        memory_reserve(memory, &s->is_vertex, &s->is_vertex_capacity, count, sizeof *s->is_vertex));
    RETURN_IF_FAILED(memory_reserve(memory, &s->star_start, &s->star_start_capacity, count + 1,
                                    sizeof *s->star_start));
    RETURN_IF_FAILED(memory_reserve(memory, &s->ring_start, &s->ring_start_capacity, count + 1,
                                    sizeof *s->ring_start));
    memset(s->is_vertex, 0, count * sizeof *s->is_vertex);
    for (size_t i = 0; i < s->vertex_count; i++) {
        s->is_vertex[s->vertices[i]] = 1;
    }
    RETURN_IF_FAILED(list_stars(memory, s));
    RETURN_IF_FAILED(list_ring_points(memory, s));
    s->has_rings = true;
    return PBS_OK;
}

/// Whether two points of a body belong to a common tetrahedron. The first one must be a vertex.
static bool are_neighbours(const struct solid_inclusion *s, uint32_t point, uint32_t other) {
    uint32_t low = s->ring_start[point];
    uint32_t high = s->ring_start[point + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->ring[middle] == other) {
            return true;
        }
        low = s->ring[middle] < other ? middle + 1 : low;
        high = s->ring[middle] < other ? high : middle;
    }
    return false;
}

static bool has_neighbour(const struct solid_inclusion *s, uint32_t point, const uint32_t *points,
                          int count) {
    bool found = false;
    for (int k = 0; k < count; k++) {
        found = found || are_neighbours(s, point, points[k]);
    }
    return found;
}

// --- inclusion of vertices in tetrahedra ---

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
    return tet_contains(corners, s->x + 3 * (size_t)point, weight) &&
           !(s->vertex_part[vertex] == s->tet_part[tet] && has_neighbour(s, point, points, 4));
}

static uint32_t filter(const void *context, const struct box_pair *pairs, size_t count) {
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        double weight[4];
        bits |= (uint32_t)is_around(context, pairs[i].primitive, pairs[i].query, weight) << i;
    }
    return bits;
}

/// Computes the boxes of all primitives of a kind, and updates their tree.
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
                                         .filter = filter,
                                         .context = s};
    return box_pairs_find(memory, tasks, &query, &s->inside);
}

/// Groups the pairs by vertex and body; tetrahedra of a body are contiguous. Returns the number of
/// groups.
static size_t list_hits(struct solid_inclusion *s) {
    const struct box_pair *pairs = s->inside.pairs;
    size_t count = 0;
    for (size_t k = 0; k < s->inside.count; k++) {
        if (k == 0 || pairs[k].query != pairs[k - 1].query ||
            s->tet_part[pairs[k].primitive] != s->tet_part[pairs[k - 1].primitive]) {
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
        double w[4] = {0.0};
        (void)is_around(s, pair->primitive, pair->query, w);
        const double depth = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        if (depth > most) {
            best = pair->primitive;
            most = depth;
        }
    }
    return best;
}

// --- closest point of the surface ---

struct surface_search {
    const struct solid_inclusion *s;
    uint32_t point, tet, part;
    bool is_own;         ///< self-contact: the vertex belongs to the body
    double squared;      ///< m^2: squared distance of the closest face so far
    uint32_t triangle;   ///< UINT32_MAX: none
    uint32_t corners[3]; ///< of the closest face
};

static double squared_to(const struct surface_search *search, const uint32_t *corners) {
    const double *const x = search->s->x;
    const double *const nodes[PAIR_NODES] = {x + 3 * (size_t)search->point,
                                             x + 3 * (size_t)corners[0], x + 3 * (size_t)corners[1],
                                             x + 3 * (size_t)corners[2]};
    return closest_squared(PAIR_POINT_TRIANGLE, nodes);
}

static double closest_triangle(void *self, uint32_t triangle, double limit) {
    struct surface_search *search = self;
    const struct solid_inclusion *s = search->s;
    const uint32_t *corners = s->triangles + 3 * (size_t)triangle;
    if (s->triangle_part[triangle] != search->part) {
        return limit;
    }
    const double squared = squared_to(search, corners);
    const bool is_closer = squared < search->squared ||
                           (squared == search->squared && triangle < search->triangle);
    if (is_closer && !(search->is_own && has_neighbour(s, search->point, corners, 3))) {
        search->squared = squared;
        search->triangle = triangle;
    }
    return fmin(limit, search->squared);
}

/// Returns the corner of a tetrahedron that is the only one in the ring of a vertex; 4 if none or
/// several are.
static uint32_t only_neighbour(const struct solid_inclusion *s, uint32_t point, uint32_t tet) {
    const uint32_t *points = s->tets + 4 * (size_t)tet;
    uint32_t only = 4;
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        if (are_neighbours(s, point, points[k])) {
            only = k;
            count++;
        }
    }
    return count == 1 ? only : 4;
}

/// Finds the closest face that bounds the neighbourhood of a vertex: in a tetrahedron with exactly
/// one corner in the ring, the face opposite that corner.
static void search_inner_faces(struct surface_search *search) {
    const struct solid_inclusion *s = search->s;
    for (uint32_t i = s->ring_start[search->point]; i < s->ring_start[search->point + 1]; i++) {
        const uint32_t from = s->ring[i];
        for (uint32_t k = s->star_start[from]; k < s->star_start[from + 1]; k++) {
            const uint32_t only = only_neighbour(s, search->point, s->star[k]);
            if (only == 4) {
                continue;
            }
            const uint8_t *face = tet_face_vertices[tet_face_opposite(only)];
            const uint32_t *points = s->tets + 4 * (size_t)s->star[k];
            const uint32_t corners[3] = {points[face[0]], points[face[1]], points[face[2]]};
            const double squared = squared_to(search, corners);
            if (squared < search->squared) {
                search->squared = squared;
                memcpy(search->corners, corners, sizeof corners);
            }
        }
    }
}

/// Finds the closest face. A surface triangle wins a tie with an inner face. Returns false if there
/// is none.
static bool search_surface(struct surface_search *search) {
    const struct solid_inclusion *s = search->s;
    double limit = INFINITY;
    if (search->is_own) {
        search_inner_faces(search);
        limit = search->squared;
        search->squared = INFINITY;
    }
    // Without a bound to begin with the search would go through all that is near of other bodies.
    double reach = limit;
    for (int k = 0; k < 4; k++) {
        const uint32_t seed = s->seed[s->tets[4 * (size_t)search->tet + (size_t)k]];
        reach = seed != UINT32_MAX ? closest_triangle(search, seed, reach) : reach;
    }
    tree_search_nearest(&s->surface_tree, s->x + 3 * (size_t)search->point, reach, closest_triangle,
                        search);
    if (search->triangle != SOLID_INNER_FACE && !(search->squared > limit)) {
        memcpy(search->corners, s->triangles + 3 * (size_t)search->triangle,
               sizeof search->corners);
        return true;
    }
    search->triangle = SOLID_INNER_FACE;
    return search->is_own && limit < INFINITY;
}

static void describe(const struct surface_search *search, struct solid_contact *out) {
    const struct solid_inclusion *s = search->s;
    const uint32_t all[PAIR_NODES] = {search->point, search->corners[0], search->corners[1],
                                      search->corners[2]};
    const double *x[PAIR_NODES];
    int node[PAIR_NODES] = {0};
    for (int k = 0; k < PAIR_NODES; k++) {
        x[k] = s->x + 3 * (size_t)all[k];
    }
    const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, x);
    out->triangle = search->triangle;
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
                                    .tet = tet,
                                    .part = out->part[1],
                                    .is_own = out->part[0] == out->part[1],
                                    .squared = INFINITY,
                                    .triangle = SOLID_INNER_FACE};
    if (search_surface(&search)) {
        describe(&search, out);
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

/// Removes contacts of vertices on the surface, whose distance is 0.
static void remove_touching(size_t count, struct solid_inclusion *s) {
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
    RETURN_IF_FAILED(find_seeds(memory, s));
    RETURN_IF_FAILED(list_rings(memory, s));
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
    remove_touching(count, s);
    return PBS_OK;
}
