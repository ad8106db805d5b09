// See flat_faces.h.
// SPDX-License-Identifier: MIT
#include "contact/surfaces/flat_faces.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Two triangles are in one plane if the far corner of one is nearer to the plane of the other than
// this share of their longest side from the edge's first point: far below any gap that contact
// keeps, and far above the rounding errors of coordinates.
static const double FLATNESS = 1e-9;

/// The triangles at an edge.
struct edge_sides {
    uint32_t corner[2]; ///< the corners that are not on the edge
    uint8_t count;      ///< of triangles; more than two count as three
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
        if (side->count < 2) {
            side->corner[side->count] = triangle[(k + 2) % 3];
        }
        side->count = (uint8_t)(side->count + (side->count < 3));
    }
}

/// Whether the edge's two triangles are in one plane and on either side of it, whichever way round
/// they are named.
static bool is_flat(const struct face_surface *s, uint64_t edge, const struct edge_sides *side) {
    const double *const a = s->points + 3 * (size_t)(edge >> 32);
    const double *const b = s->points + 3 * (size_t)(uint32_t)edge;
    double along[3], left[3], right[3], normal[2][3];
    if (side->count != 2) {
        return false;
    }
    subtract3(b, a, along);
    subtract3(s->points + 3 * (size_t)side->corner[0], a, left);
    subtract3(s->points + 3 * (size_t)side->corner[1], a, right);
    cross3(along, left, normal[0]);
    cross3(right, along, normal[1]);
    const double longest = fmax(norm3(along), fmax(norm3(left), norm3(right)));
    return fabs(dot3(normal[0], right)) <= FLATNESS * longest * norm3(normal[0]) &&
           dot3(normal[0], normal[1]) > 0.0;
}

static void mark(const struct face_surface *s, const struct edge_sides *sides,
                 uint8_t *edge_is_flat, uint8_t *point_is_flat) {
    memset(point_is_flat, 0, s->point_count);
    for (size_t e = 0; e < s->edge_count; e++) {
        edge_is_flat[e] = is_flat(s, s->edges[e], &sides[e]);
        point_is_flat[s->edges[e] >> 32] = point_is_flat[(uint32_t)s->edges[e]] = 1;
    }
    for (size_t e = 0; e < s->edge_count; e++) {
        if (edge_is_flat[e] == 0) {
            point_is_flat[s->edges[e] >> 32] = point_is_flat[(uint32_t)s->edges[e]] = 0;
        }
    }
}

pbs_status flat_faces_find(struct memory *memory, const struct face_surface *surface,
                           uint8_t *edge_is_flat, uint8_t *point_is_flat) {
    struct edge_sides *const sides = memory_allocate(memory, surface->edge_count, sizeof *sides);
    if (sides == NULL) {
        return PBS_ERROR_MEMORY;
    }
    list_sides(surface, sides);
    mark(surface, sides, edge_is_flat, point_is_flat);
    memory_release(memory, sides);
    return PBS_OK;
}
