// See collision_mesh.h.
// SPDX-License-Identifier: MIT
#include "contact/surfaces/collision_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/tasks.h"
#include "contact/surfaces/flat_faces.h"

// Points in one piece of a parallel loop.
enum { POINTS_PER_PIECE = 4096 };

void collision_mesh_clear(struct collision_mesh *mesh) {
    mesh->part_count = 0;
    mesh->point_count = 0;
    mesh->edge_count = 0;
    mesh->triangle_count = 0;
    mesh->isolated_point_count = 0;
    mesh->isolated_edge_count = 0;
    mesh->exclusion_count = 0;
    mesh->rotation_count = 0;
    mesh->joined_count = 0;
    mesh->close_count = 0;
}

void collision_mesh_free(struct memory *memory, struct collision_mesh *mesh) {
    memory_release(memory, mesh->parts);
    memory_release(memory, mesh->kind);
    memory_release(memory, mesh->part);
    memory_release(memory, mesh->node);
    memory_release(memory, mesh->vertex);
    memory_release(memory, mesh->radius);
    memory_release(memory, mesh->rotation);
    memory_release(memory, mesh->rotation_node);
    memory_release(memory, mesh->rotation_length);
    memory_release(memory, mesh->local);
    memory_release(memory, mesh->edges);
    memory_release(memory, mesh->edge_squares);
    memory_release(memory, mesh->edge_is_flat);
    memory_release(memory, mesh->edge_triangles);
    memory_release(memory, mesh->point_is_flat);
    memory_release(memory, mesh->triangles);
    memory_release(memory, mesh->isolated_points);
    memory_release(memory, mesh->isolated_edges);
    memory_release(memory, mesh->exclusion_start);
    memory_release(memory, mesh->exclusions);
    memory_release(memory, mesh->joined);
    memory_release(memory, mesh->close);
    pairs_free(memory, &mesh->pairs);
    *mesh = (struct collision_mesh){0};
}

// --- adding a part ---

static pbs_status reserve_points(struct memory *memory, size_t count, struct collision_mesh *m) {
    RETURN_IF_FAILED(memory_reserve(memory, &m->kind, &m->kind_capacity, count, sizeof *m->kind));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->part, &m->point_part_capacity, count, sizeof *m->part));
    RETURN_IF_FAILED(memory_reserve(memory, &m->node, &m->node_capacity, count, sizeof *m->node));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->vertex, &m->vertex_capacity, count, sizeof *m->vertex));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->radius, &m->radius_capacity, count, sizeof *m->radius));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->rotation, &m->rotation_capacity, count, sizeof *m->rotation));
    RETURN_IF_FAILED(memory_reserve(memory, &m->point_is_flat, &m->point_flat_capacity, count,
                                    sizeof *m->point_is_flat));
    return memory_reserve(memory, &m->local, &m->local_capacity, 3 * count, sizeof *m->local);
}

static void append_points(const struct collision_part_input *input, struct collision_mesh *m) {
    for (size_t i = 0; i < input->point_count; i++) {
        const size_t at = m->point_count + i;
        m->kind[at] = (uint8_t)input->kind;
        m->part[at] = m->part_count;
        m->vertex[at] = input->vertices != NULL ? input->vertices[i] : (uint32_t)i;
        m->node[at] = input->nodes != NULL ? input->nodes[i] : 0;
        m->radius[at] = input->part.offset + (input->radii != NULL ? input->radii[i] : 0.0);
        for (size_t k = 0; k < 3; k++) {
            m->local[3 * at + k] = input->kind == POINT_AFFINE     ? input->local[3 * i + k]
                                   : input->kind == POINT_OBSTACLE ? input->rest[3 * i + k]
                                                                   : 0.0;
        }
    }
}

static pbs_status append_rotations(struct memory *memory, const struct collision_part_input *input,
                                   struct collision_mesh *m) {
    const size_t count = input->rotation_lengths != NULL ? input->point_count : 0;
    RETURN_IF_FAILED(memory_reserve(memory, &m->rotation_node, &m->rotation_node_capacity,
                                    m->rotation_count + count, sizeof *m->rotation_node));
    RETURN_IF_FAILED(memory_reserve(memory, &m->rotation_length, &m->rotation_length_capacity,
                                    m->rotation_count + count, sizeof *m->rotation_length));
    for (size_t i = 0; i < input->point_count; i++) {
        m->rotation[m->point_count + i] = COLLISION_NO_ROTATION;
        if (count > 0 && input->rotation_lengths[i] > 0.0) {
            m->rotation[m->point_count + i] = m->rotation_count;
            m->rotation_node[m->rotation_count] = input->first_rotation + (uint32_t)i;
            m->rotation_length[m->rotation_count++] = input->rotation_lengths[i];
        }
    }
    return PBS_OK;
}

static pbs_status append_triangles(struct memory *memory, const struct collision_part_input *input,
                                   struct collision_mesh *m) {
    const size_t count = m->triangle_count + input->triangle_count;
    RETURN_IF_FAILED(memory_reserve(memory, &m->triangles, &m->triangle_capacity, 3 * count,
                                    sizeof *m->triangles));
    for (size_t k = 0; k < 3 * input->triangle_count; k++) {
        m->triangles[3 * (size_t)m->triangle_count + k] = m->point_count + input->triangles[k];
    }
    m->triangle_count = (uint32_t)count;
    return PBS_OK;
}

static void list_edge(struct pairs *pairs, uint32_t a, uint32_t b) {
    pairs_add(pairs, a < b ? a : b, a < b ? b : a);
}

static void append_sorted_edges(const struct collision_part_input *input,
                                struct collision_mesh *m) {
    for (size_t i = 0; i < m->pairs.count; i++) {
        const uint32_t a = (uint32_t)(m->pairs.pair[i] >> 32);
        const uint32_t b = (uint32_t)m->pairs.pair[i];
        double side[3];
        subtract3(input->rest + 3 * (size_t)b, input->rest + 3 * (size_t)a, side);
        const size_t at = m->edge_count + i;
        m->edges[2 * at] = m->point_count + a;
        m->edges[2 * at + 1] = m->point_count + b;
        m->edge_squares[at] = dot3(side, side);
    }
    m->edge_count += (uint32_t)m->pairs.count;
}

/// Marks the edges and points inside flat faces of a part that moves as a whole. The pairs are the
/// edges of its triangles.
static pbs_status mark_flat(struct memory *memory, const struct collision_part_input *input,
                            struct collision_mesh *m) {
    const struct face_surface surface = {.point_count = input->point_count,
                                         .triangle_count = input->triangle_count,
                                         .edge_count = m->pairs.count,
                                         .points = input->rest,
                                         .triangles = input->triangles,
                                         .edges = m->pairs.pair};
    uint8_t *const edges = m->edge_is_flat + m->edge_count;
    uint8_t *const points = m->point_is_flat + m->point_count;
    if (input->kind != POINT_NODE && input->triangle_count > 0) {
        RETURN_IF_FAILED(flat_faces_find(memory, &surface, edges, points));
    } else {
        memset(edges, 0, m->pairs.count);
        memset(points, 0, input->point_count);
    }
    for (size_t k = 0; k < 2 * input->edge_count; k++) {
        points[input->edges[k]] = 0;
    }
    return PBS_OK;
}

/// The index of an edge in the sorted pairs, which it is in.
static size_t find_edge(const struct pairs *pairs, uint32_t a, uint32_t b) {
    const uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    size_t low = 0;
    for (size_t high = pairs->count; high - low > 1;) {
        const size_t middle = low + (high - low) / 2;
        *(pairs->pair[middle] <= key ? &low : &high) = middle;
    }
    return low;
}

/// Counts the triangles of each edge. The pairs are the edges.
static void count_triangles(const struct collision_part_input *input, struct collision_mesh *m) {
    uint8_t *const count = m->edge_triangles + m->edge_count;
    memset(count, 0, m->pairs.count);
    for (size_t k = 0; k < 3 * input->triangle_count; k++) {
        const size_t edge = find_edge(&m->pairs, input->triangles[k],
                                      input->triangles[k % 3 == 2 ? k - 2 : k + 1]);
        count[edge] = count[edge] < 2 ? count[edge] + 1 : 2;
    }
}

/// Appends the edges of the triangles and the additional edges, each once. The additional ones are
/// isolated.
static pbs_status append_edges(struct memory *memory, const struct collision_part_input *input,
                               struct collision_mesh *m) {
    const size_t most = 3 * input->triangle_count + input->edge_count;
    RETURN_IF_FAILED(pairs_reserve(memory, most, &m->pairs));
    RETURN_IF_FAILED(memory_reserve(memory, &m->edges, &m->edge_capacity,
                                    2 * (m->edge_count + most), sizeof *m->edges));
    RETURN_IF_FAILED(memory_reserve(memory, &m->edge_squares, &m->edge_square_capacity,
                                    m->edge_count + most, sizeof *m->edge_squares));
    RETURN_IF_FAILED(memory_reserve(memory, &m->edge_is_flat, &m->edge_flat_capacity,
                                    m->edge_count + most, sizeof *m->edge_is_flat));
    RETURN_IF_FAILED(memory_reserve(memory, &m->edge_triangles, &m->edge_triangle_capacity,
                                    m->edge_count + most, sizeof *m->edge_triangles));
    RETURN_IF_FAILED(memory_reserve(memory, &m->isolated_edges, &m->isolated_edge_capacity,
                                    m->isolated_edge_count + input->edge_count,
                                    sizeof *m->isolated_edges));
    m->pairs.count = 0;
    for (size_t k = 0; k < 3 * input->triangle_count; k++) {
        list_edge(&m->pairs, input->triangles[k], input->triangles[k % 3 == 2 ? k - 2 : k + 1]);
    }
    pairs_sort(&m->pairs);
    RETURN_IF_FAILED(mark_flat(memory, input, m));
    count_triangles(input, m);
    append_sorted_edges(input, m);
    m->pairs.count = 0;
    for (size_t k = 0; k < input->edge_count; k++) {
        list_edge(&m->pairs, input->edges[2 * k], input->edges[2 * k + 1]);
    }
    pairs_sort(&m->pairs);
    for (size_t k = 0; k < m->pairs.count; k++) {
        m->edge_is_flat[m->edge_count + k] = 0;
        m->edge_triangles[m->edge_count + k] = 0;
        m->isolated_edges[m->isolated_edge_count++] = m->edge_count + (uint32_t)k;
    }
    append_sorted_edges(input, m);
    return PBS_OK;
}

/// Lists the isolated points of the part, whose edges start at first_edge.
static pbs_status append_isolated_points(struct memory *memory, uint32_t first_edge, size_t count,
                                         struct collision_mesh *m) {
    RETURN_IF_FAILED(memory_reserve(memory, &m->isolated_points, &m->isolated_point_capacity,
                                    m->isolated_point_count + count, sizeof *m->isolated_points));
    uint8_t *named = memory_allocate(memory, count, sizeof *named);
    if (named == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t k = 2 * (size_t)first_edge; k < 2 * (size_t)m->edge_count; k++) {
        named[m->edges[k] - m->point_count] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (named[i] == 0) {
            m->isolated_points[m->isolated_point_count++] = m->point_count + (uint32_t)i;
        }
    }
    memory_release(memory, named);
    return PBS_OK;
}

/// Inserts the exclusion of a bond into the sorted list of its lower point. Bonds between the same
/// two points share an entry.
static void insert_exclusion(struct collision_mesh *m, const struct collision_part_input *input,
                             size_t bond, uint32_t *count) {
    const uint32_t *end = input->bonds + 2 * bond;
    const uint32_t low = m->point_count + (end[0] < end[1] ? end[0] : end[1]);
    const uint32_t high = m->point_count + (end[0] < end[1] ? end[1] : end[0]);
    const bool broken = input->broken[bond] != 0;
    struct exclusion *const list = m->exclusions + m->exclusion_start[low];
    uint32_t at = 0;
    while (at < *count && list[at].other < high) {
        at++;
    }
    if (at == *count || list[at].other != high) {
        memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
        list[at] = (struct exclusion){.other = high, .distance = INFINITY};
        (*count)++;
    }
    list[at].bonds += broken ? 0 : 1;
    list[at].distance = broken ? fmin(list[at].distance, input->release[bond]) : list[at].distance;
}

/// Builds the exclusion lists of the part with capacity for one entry per bond, then compacts them.
static pbs_status append_bonds(struct memory *memory, const struct collision_part_input *input,
                               struct collision_mesh *m) {
    const size_t points = input->point_count;
    RETURN_IF_FAILED(memory_reserve(memory, &m->exclusions, &m->exclusion_capacity,
                                    m->exclusion_count + input->bond_count, sizeof *m->exclusions));
    uint32_t *const start = m->exclusion_start + m->point_count;
    uint32_t *count = memory_allocate(memory, points, sizeof *count);
    if (count == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t k = 0; k < input->bond_count; k++) {
        const uint32_t *end = input->bonds + 2 * k;
        count[end[0] < end[1] ? end[0] : end[1]]++;
    }
    for (size_t i = 0; i < points; i++) {
        start[i + 1] = start[i] + count[i];
        count[i] = 0;
    }
    for (size_t k = 0; k < input->bond_count; k++) {
        const uint32_t *end = input->bonds + 2 * k;
        insert_exclusion(m, input, k, &count[end[0] < end[1] ? end[0] : end[1]]);
    }
    for (size_t i = 0; i < points; i++) {
        const uint32_t from = start[i];
        start[i] = m->exclusion_count;
        memmove(m->exclusions + start[i], m->exclusions + from, count[i] * sizeof *m->exclusions);
        m->exclusion_count += count[i];
    }
    start[points] = m->exclusion_count;
    memory_release(memory, count);
    return PBS_OK;
}

static pbs_status append_exclusions(struct memory *memory, const struct collision_part_input *input,
                                    struct collision_mesh *m) {
    const size_t end = m->point_count + input->point_count;
    RETURN_IF_FAILED(memory_reserve(memory, &m->exclusion_start, &m->exclusion_start_capacity,
                                    end + 1, sizeof *m->exclusion_start));
    for (size_t i = m->point_count; i <= end; i++) {
        m->exclusion_start[i] = m->exclusion_count;
    }
    return input->bond_count > 0 ? append_bonds(memory, input, m) : PBS_OK;
}

double collision_mesh_release_exclusion(const struct collision_mesh *mesh, uint32_t a, uint32_t b,
                                        double distance) {
    struct exclusion *exclusion = collision_mesh_exclusion(mesh, a, b);
    const double before = exclusion->distance;
    exclusion->distance = fmin(before, distance);
    exclusion->bonds--;
    return before;
}

void collision_mesh_restore_exclusion(const struct collision_mesh *mesh, uint32_t a, uint32_t b,
                                      double distance) {
    struct exclusion *exclusion = collision_mesh_exclusion(mesh, a, b);
    exclusion->distance = distance;
    exclusion->bonds++;
}

static pbs_status append(struct memory *memory, const struct collision_part_input *input,
                         struct collision_mesh *m) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->parts, &m->part_capacity, m->part_count + 1, sizeof *m->parts));
    RETURN_IF_FAILED(reserve_points(memory, m->point_count + input->point_count, m));
    append_points(input, m);
    RETURN_IF_FAILED(append_rotations(memory, input, m));
    RETURN_IF_FAILED(append_triangles(memory, input, m));
    const uint32_t first_edge = m->edge_count;
    RETURN_IF_FAILED(append_edges(memory, input, m));
    RETURN_IF_FAILED(append_isolated_points(memory, first_edge, input->point_count, m));
    RETURN_IF_FAILED(append_exclusions(memory, input, m));
    m->parts[m->part_count] = input->part;
    m->parts[m->part_count].first_point = m->point_count;
    m->parts[m->part_count++].has_exclusions = input->bond_count > 0;
    m->point_count += (uint32_t)input->point_count;
    return PBS_OK;
}

pbs_status collision_mesh_add(struct memory *memory, const struct collision_part_input *input,
                              struct collision_mesh *mesh) {
    const size_t edges = mesh->edge_count + 3 * input->triangle_count + input->edge_count;
    const size_t limit = UINT32_MAX / 4;
    pbs_status status = PBS_OK;
    if (mesh->point_count + input->point_count > limit || edges > limit) {
        status = status_fail(PBS_ERROR_ARGUMENT,
                             "%zu points and %zu edges that can touch, the limit is %zu each",
                             mesh->point_count + input->point_count, edges, limit);
    } else {
        status = append(memory, input, mesh);
    }
    if (status < 0) {
        collision_mesh_clear(mesh);
    }
    return status;
}

// --- parts that do not collide ---

static uint64_t pair_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/// Of one pair, those that keep it apart come first, then the least distances.
static int compare_joined(const void *a, const void *b) {
    const struct joined_parts *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->distance > y->distance) - (x->distance < y->distance);
}

pbs_status collision_mesh_join(struct memory *memory, struct collision_mesh *mesh, uint32_t a,
                               uint32_t b, bool broken, double distance) {
    RETURN_IF_FAILED(memory_reserve(memory, &mesh->joined, &mesh->joined_capacity,
                                    mesh->joined_count + 1, sizeof *mesh->joined));
    mesh->joined[mesh->joined_count++] = (struct joined_parts){
        .key = pair_key(a, b), .joints = broken ? 0 : 1, .distance = broken ? distance : -1.0};
    mesh->parts[a].is_joined = mesh->parts[b].is_joined = true;
    return PBS_OK;
}

void collision_mesh_sort_joined(struct collision_mesh *mesh) {
    size_t kept = 0;
    if (mesh->joined_count > 1) {
        qsort(mesh->joined, mesh->joined_count, sizeof *mesh->joined, compare_joined);
    }
    for (size_t i = 0; i < mesh->joined_count; i++) {
        if (kept > 0 && mesh->joined[kept - 1].key == mesh->joined[i].key) {
            mesh->joined[kept - 1].joints += mesh->joined[i].joints;
        } else {
            mesh->joined[kept++] = mesh->joined[i];
        }
    }
    mesh->joined_count = kept;
}

struct joined_parts *collision_mesh_joined(const struct collision_mesh *mesh, uint32_t a,
                                           uint32_t b) {
    const uint64_t key = pair_key(a, b);
    size_t low = 0, high = mesh->joined_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mesh->joined[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < mesh->joined_count && mesh->joined[low].key == key ? &mesh->joined[low] : NULL;
}

// --- parts that are close ---

static int compare_close(const void *a, const void *b) {
    const struct close_parts *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->reach > y->reach) - (x->reach < y->reach);
}

static bool close_are_sorted(const struct collision_mesh *mesh) {
    bool sorted = true;
    for (size_t i = 1; i < mesh->close_count; i++) {
        sorted = sorted && compare_close(&mesh->close[i - 1], &mesh->close[i]) <= 0;
    }
    return sorted;
}

pbs_status collision_mesh_add_close(struct memory *memory, struct collision_mesh *mesh, uint32_t a,
                                    uint32_t b, double reach) {
    RETURN_IF_FAILED(memory_reserve(memory, &mesh->close, &mesh->close_capacity,
                                    mesh->close_count + 1, sizeof *mesh->close));
    mesh->close[mesh->close_count++] = (struct close_parts){.key = pair_key(a, b), .reach = reach};
    return PBS_OK;
}

void collision_mesh_sort_close(struct collision_mesh *mesh) {
    size_t kept = 0;
    // The C library's function may allocate memory, which nothing does in a step like the last one.
    if (!close_are_sorted(mesh)) {
        qsort(mesh->close, mesh->close_count, sizeof *mesh->close, compare_close);
    }
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        mesh->parts[i].is_close = false;
    }
    for (size_t i = 0; i < mesh->close_count; i++) {
        const struct close_parts entry = mesh->close[i];
        if (entry.reach > 0.0 && (kept == 0 || mesh->close[kept - 1].key != entry.key)) {
            mesh->parts[close_part(&entry, 0)].is_close = true;
            mesh->parts[close_part(&entry, 1)].is_close = true;
            mesh->close[kept++] = entry;
        }
    }
    mesh->close_count = kept;
}

struct close_parts *collision_mesh_close(const struct collision_mesh *mesh, uint32_t a,
                                         uint32_t b) {
    const uint64_t key = pair_key(a, b);
    size_t low = 0, high = mesh->close_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mesh->close[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < mesh->close_count && mesh->close[low].key == key ? &mesh->close[low] : NULL;
}

// --- positions ---

struct point_pass {
    const struct collision_mesh *mesh;
    const double *x;
    double *points;
};

static void compute_affine_point(const double *nodes, const double local[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = nodes[k] + local[0] * nodes[3 + k] + local[1] * nodes[6 + k] +
                 local[2] * nodes[9 + k];
    }
}

static void compute_piece(void *context, size_t piece) {
    const struct point_pass *point_pass = context;
    const struct collision_mesh *m = point_pass->mesh;
    const size_t begin = piece * POINTS_PER_PIECE;
    const size_t end = begin + POINTS_PER_PIECE < m->point_count ? begin + POINTS_PER_PIECE
                                                                 : m->point_count;
    for (size_t i = begin; i < end; i++) {
        const double *node = point_pass->x + 3 * (size_t)m->node[i];
        if (m->kind[i] == POINT_NODE) {
            memcpy(point_pass->points + 3 * i, node, 3 * sizeof *node);
        } else if (m->kind[i] == POINT_AFFINE) {
            compute_affine_point(node, m->local + 3 * i, point_pass->points + 3 * i);
        }
    }
}

void collision_mesh_compute_points(struct tasks *tasks, const struct collision_mesh *mesh,
                                   const double *x, double *points) {
    struct point_pass point_pass = {mesh, x, points};
    tasks_for(tasks, (mesh->point_count + POINTS_PER_PIECE - 1) / POINTS_PER_PIECE, compute_piece,
              &point_pass);
}

double collision_mesh_mean_edge(const struct collision_mesh *mesh) {
    double sum = 0.0;
    for (size_t i = 0; i < mesh->edge_count; i++) {
        sum += sqrt(mesh->edge_squares[i]);
    }
    return mesh->edge_count > 0 ? sum / (double)mesh->edge_count : INFINITY;
}
