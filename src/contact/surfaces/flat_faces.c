// See flat_faces.h.
#include "contact/surfaces/flat_faces.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Two triangles are in one plane if the far corner of one is nearer to the plane of the other than
// this share of their longest side from the edge's first point: far below any gap that contact
// keeps, and far above the rounding errors of coordinates.
static const double FLATNESS = 1e-9;

/// The triangles at an edge from point a to point b > a.
struct edge_sides {
    uint32_t corner[2]; ///< the corners that are not on the edge
    uint8_t count;      ///< of triangles; more than two count as three
    uint8_t forward;    ///< of these, those that name a before b
    uint8_t first_is_forward;
};

static size_t find_edge(const struct face_surface *s, uint32_t a, uint32_t b) {
    const uint64_t wanted = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    size_t low = 0, high = s->edge_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (s->edges[middle] <= wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void list_sides(const struct face_surface *s, struct edge_sides *sides) {
    for (size_t k = 0; k < 3 * s->triangle_count; k++) {
        const uint32_t *const triangle = s->triangles + k / 3 * 3;
        const uint32_t a = triangle[k % 3], b = triangle[(k + 1) % 3];
        struct edge_sides *const side = &sides[find_edge(s, a, b)];
        if (side->count == 0) {
            side->first_is_forward = a < b;
        }
        if (side->count < 2) {
            side->corner[side->count] = triangle[(k + 2) % 3];
        }
        side->forward = (uint8_t)(side->forward + (a < b && side->count < 3));
        side->count = (uint8_t)(side->count + (side->count < 3));
    }
}

enum edge_shape { EDGE_FLAT, EDGE_CONVEX, EDGE_OTHER };

/// The shape of an edge as the triangles' own orientations see it.
static enum edge_shape shape_of_edge(const struct face_surface *s, uint64_t edge,
                                     const struct edge_sides *side) {
    const double *const a = s->points + 3 * (size_t)(edge >> 32);
    const double *const b = s->points + 3 * (size_t)(uint32_t)edge;
    double along[3], left[3], right[3], normal[2][3];
    if (side->count != 2) {
        return EDGE_OTHER;
    }
    subtract3(b, a, along);
    subtract3(s->points + 3 * (size_t)side->corner[side->first_is_forward ? 0 : 1], a, left);
    subtract3(s->points + 3 * (size_t)side->corner[side->first_is_forward ? 1 : 0], a, right);
    cross3(along, left, normal[0]);
    cross3(right, along, normal[1]);
    const double longest = fmax(norm3(along), fmax(norm3(left), norm3(right)));
    const double height = dot3(normal[0], right) / norm3(normal[0]);
    if (fabs(height) <= FLATNESS * longest && dot3(normal[0], normal[1]) > 0.0) {
        return EDGE_FLAT;
    }
    return height < 0.0 ? EDGE_CONVEX : EDGE_OTHER;
}

/// Whether a surface is closed, named round one way and in one piece, if none of its edges bends
/// inward: Euler's number of such a piece is 2.
static bool is_one_piece(const struct face_surface *s, const uint8_t *is_used) {
    size_t used = 0;
    for (size_t i = 0; i < s->point_count; i++) {
        used += is_used[i];
    }
    return used + s->triangle_count == s->edge_count + 2;
}

static void read_edges(const struct face_surface *s, const struct edge_sides *sides,
                       uint8_t *is_used, uint8_t *edge_is_flat, uint8_t *point_is_flat,
                       bool *is_convex) {
    *is_convex = s->edge_count > 0;
    for (size_t e = 0; e < s->edge_count; e++) {
        const enum edge_shape shape = shape_of_edge(s, s->edges[e], &sides[e]);
        edge_is_flat[e] = shape == EDGE_FLAT;
        *is_convex = *is_convex && shape != EDGE_OTHER && sides[e].forward == 1;
        const uint32_t ends[2] = {(uint32_t)(s->edges[e] >> 32), (uint32_t)s->edges[e]};
        for (int k = 0; k < 2; k++) {
            point_is_flat[ends[k]] = edge_is_flat[e] &&
                                     (point_is_flat[ends[k]] || !is_used[ends[k]]);
            is_used[ends[k]] = 1;
        }
    }
    *is_convex = *is_convex && is_one_piece(s, is_used);
}

pbs_status flat_faces_find(struct memory *memory, const struct face_surface *surface,
                           uint8_t *edge_is_flat, uint8_t *point_is_flat, bool *is_convex) {
    struct edge_sides *const sides = memory_allocate(memory, surface->edge_count, sizeof *sides);
    uint8_t *const is_used = memory_allocate(memory, surface->point_count, sizeof *is_used);
    const bool has_memory = sides != NULL && is_used != NULL;
    if (has_memory) {
        memset(point_is_flat, 0, surface->point_count);
        list_sides(surface, sides);
        read_edges(surface, sides, is_used, edge_is_flat, point_is_flat, is_convex);
    }
    memory_release(memory, sides);
    memory_release(memory, is_used);
    return has_memory ? PBS_OK : PBS_ERROR_MEMORY;
}
