// The broad phase of contact: lists the pairs of primitives that come closer than a reach while all
// points move along straight paths from one state to another. A list stays valid for every state on
// the paths and within a margin of them, so the line search and the next gradient need no new
// search.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SEARCH_CANDIDATES_H
#define PBS_CONTACT_SEARCH_CANDIDATES_H

#include <string.h>

#include "broad_phase/box_pairs.h"
#include "contact/surfaces/collision_mesh.h"
#include "contact/search/point_paths.h"
#include "contact/search/separation.h"
#include "geometry/distances/distance.h"

enum { PAIR_KINDS = PAIR_POINT_POINT + 1 };

/// A Verlet list (Verlet 1967): the pairs for a larger margin. While all points stay within that
/// margin of `paths`, candidates are selected from it without a search of boxes.
struct verlet_list {
    struct box_pair_list lists[PAIR_KINDS];
    /// Per pair, m: a lower bound of the gap of its sides on `paths`.
    float *min_gap[PAIR_KINDS];
    size_t min_gap_capacity[PAIR_KINDS];
    struct point_paths paths; ///< where the lists are valid
    double reach; ///< m: the lists contain all pairs within this gap, or within what is left
                  ///< of it beyond the common reach if theirs is less
};

/// A zero-initialised one covers no state. Buffers grow and never shrink.
struct candidates {
    /// By enum pair_kind. PAIR_POINT_TRIANGLE: point, triangle. PAIR_EDGE_EDGE: edges.
    /// PAIR_POINT_EDGE: indices of an isolated point and an isolated edge. PAIR_POINT_POINT:
    /// indices of isolated points.
    struct box_pair_list lists[PAIR_KINDS];
    struct point_paths paths; ///< where the lists are valid
    struct verlet_list verlet;
    double list_margin; ///< m: largest additional margin of the Verlet list
    bool has_particles; ///< limits that margin to the reach, since no edge length tells how densely
                        ///< particles lie
    uint64_t search_count;     ///< number of searches of boxes
    struct swept_point *swept; ///< per point: path and radius in single precision, for the current
                               ///< search
    double *radius;            ///< per point, m: its offset, and half of its part's reach
    uint8_t *chosen;           ///< per pair of a Verlet list: whether it is selected
    uint32_t *indices;         ///< 0, 1, 2, ..: every point as a primitive of one point
    struct box *point_boxes, *edge_boxes, *triangle_boxes, *isolated_point_boxes,
        *isolated_edge_boxes;
    uint32_t *isolated_edge_points;
    struct bounding_tree points, edges, triangles, isolated_points, isolated_edges;
    size_t swept_capacity, radius_capacity, chosen_capacity, point_box_capacity, edge_box_capacity,
        triangle_box_capacity, isolated_point_box_capacity, isolated_edge_box_capacity,
        isolated_edge_point_capacity, index_capacity;
};

/// Prepares for a mesh, or for one whose parts have changed. All lists and trees are rebuilt.
pbs_status candidates_begin(struct memory *memory, const struct collision_mesh *mesh,
                            struct candidates *candidates);

/// Lists all pairs that collision filters allow and whose gap, beyond offsets, gets below their
/// reach, that is `reach` or the lesser of their parts' if that is less, while points move from x
/// to x + motion (null: at x). The list stays valid within `margin` (m) of the paths.
pbs_status candidates_gather(struct memory *memory, struct tasks *tasks,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion, double reach, double margin,
                             struct candidates *candidates);
void candidates_free(struct memory *memory, struct candidates *candidates);

/// Whether the lists are valid for the motion from x to x + motion (null: at x).
bool candidates_cover(struct tasks *tasks, const struct candidates *candidates,
                      const struct collision_mesh *mesh, const double *x, const double *motion);

size_t candidates_count(const struct candidates *candidates);

/// One pair. Pairs are numbered kind by kind.
struct candidate {
    enum pair_kind kind;
    int point_count;
    uint32_t points[PAIR_NODES]; ///< of the mesh
    uint32_t first, second;      ///< indices as in the list
};

static inline struct candidate candidates_at(const struct candidates *candidates,
                                             const struct collision_mesh *mesh, size_t index) {
    int kind = 0;
    while (index >= candidates->lists[kind].count) {
        index -= candidates->lists[kind].count;
        kind++;
    }
    const struct box_pair pair = candidates->lists[kind].pairs[index];
    struct candidate out = {.kind = (enum pair_kind)kind,
                            .point_count = pair_node_count((enum pair_kind)kind),
                            .points = {pair.query},
                            .first = pair.query,
                            .second = pair.primitive};
    const size_t second = pair.primitive;
    switch (out.kind) {
    case PAIR_POINT_TRIANGLE:
        memcpy(out.points + 1, mesh->triangles + 3 * second, 3 * sizeof *out.points);
        break;
    case PAIR_EDGE_EDGE:
        memcpy(out.points, mesh->edges + 2 * (size_t)pair.query, 2 * sizeof *out.points);
        memcpy(out.points + 2, mesh->edges + 2 * second, 2 * sizeof *out.points);
        break;
    case PAIR_POINT_EDGE:
        out.points[0] = mesh->isolated_points[pair.query];
        memcpy(out.points + 1, mesh->edges + 2 * (size_t)mesh->isolated_edges[second],
               2 * sizeof *out.points);
        break;
    default:
        out.points[0] = mesh->isolated_points[pair.query];
        out.points[1] = mesh->isolated_points[second];
        break;
    }
    return out;
}

/// The distance of its sides at zero gap, m.
static inline double candidate_offset(const struct collision_mesh *mesh,
                                      const struct candidate *candidate) {
    return collision_mesh_pair_offset(mesh, candidate->points[0],
                                      candidate->points[pair_first_count(candidate->kind)]);
}

#endif
