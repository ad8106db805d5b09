// Pairs that could touch: everything that comes closer than a reach while all points move straight
// on from one state to another. A list stays good for every state on that way and a margin beside
// it, so that the line search and the next gradient need no new one.
#ifndef PBS_CONTACT_SEARCH_CANDIDATES_H
#define PBS_CONTACT_SEARCH_CANDIDATES_H

#include <string.h>

#include "broad_phase/box_pairs.h"
#include "contact/surfaces/collision_mesh.h"
#include "contact/search/point_paths.h"
#include "contact/search/separation.h"
#include "geometry/distances/distance.h"

enum { PAIR_KINDS = PAIR_POINT_POINT + 1 };

/// More pairs than any short way needs (Verlet 1967): as long as all stay where these hold, lists
/// are chosen from them and no box is looked at.
struct verlet_list {
    struct box_pair_list lists[PAIR_KINDS];
    /// Per pair, m: what its sides are kept apart on the ways below, or less.
    float *min_gap[PAIR_KINDS];
    size_t min_gap_capacity[PAIR_KINDS];
    struct point_paths paths; ///< they hold
    double reach;             ///< m: within which they have all pairs there
};

/// All zero is a valid empty one: it covers nothing. Buffers grow, never shrink.
struct candidates {
    /// By enum pair_kind. PAIR_POINT_TRIANGLE: point, triangle. PAIR_EDGE_EDGE: edges.
    /// PAIR_POINT_EDGE: index of a lone point, index of a lone edge. PAIR_POINT_POINT: indices of
    /// lone points.
    struct box_pair_list lists[PAIR_KINDS];
    struct point_paths paths; ///< the lists hold
    struct verlet_list verlet;
    double list_margin;        ///< m: so much farther around the wide lists hold, at most
    bool has_particles;        ///< then no farther than the reach: no edge says how close they lie
    uint64_t search_count;     ///< how often boxes were looked at
    struct swept_point *swept; ///< per point: those of the search at hand, rounded, and radius
    uint8_t *chosen;           ///< per pair of a wide list
    uint32_t *indices;         ///< 0, 1, 2, ..: points as primitives of one point
    struct box *point_boxes, *edge_boxes, *triangle_boxes, *isolated_point_boxes,
        *isolated_edge_boxes;
    uint32_t *isolated_edge_points;
    struct bounding_tree points, edges, triangles, isolated_points, isolated_edges;
    size_t swept_capacity, chosen_capacity, point_box_capacity, edge_box_capacity,
        triangle_box_capacity, isolated_point_box_capacity, isolated_edge_box_capacity,
        isolated_edge_point_capacity, index_capacity;
};

/// Another mesh, or one whose parts have changed: trees are built anew.
pbs_status candidates_begin(struct memory *memory, const struct collision_mesh *mesh,
                            struct candidates *candidates);

/// Lists all pairs that may touch and come within `reach` of one another (offsets besides) while
/// points move from x to x + motion, or stay where they are (null), with `margin` (m) around.
pbs_status candidates_gather(struct memory *memory, struct tasks *tasks,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion, double reach, double margin,
                             struct candidates *candidates);
void candidates_free(struct memory *memory, struct candidates *candidates);

/// Whether the lists hold while points move from x to x + motion (null: stay at x).
bool candidates_cover(struct tasks *tasks, const struct candidates *candidates,
                      const struct collision_mesh *mesh, const double *x, const double *motion);

size_t candidates_count(const struct candidates *candidates);

/// One of all, kind by kind.
struct candidate {
    enum pair_kind kind;
    int point_count;
    uint32_t points[PAIR_NODES]; ///< of the mesh
    uint32_t first, second;      ///< as the list has them
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

/// How far apart its sides must be, m.
static inline double candidate_offset(const struct collision_mesh *mesh,
                                      const struct candidate *candidate) {
    return collision_mesh_pair_offset(mesh, candidate->points[0],
                                      candidate->points[pair_first_count(candidate->kind)]);
}

#endif
