// Which parts of a collision mesh touch, go through each other, lie inside each other or are closer
// than a distance, one row for each two parts; and along which direction, how far, one has to move
// to be clear of the other. For placing things: no step asks this.
#ifndef PBS_CONTACT_OVERLAP_OVERLAP_H
#define PBS_CONTACT_OVERLAP_OVERLAP_H

#include "contact/barrier/contact_pair.h"

struct overlap {
    int32_t kind;             ///< PBS_OVERLAP_*
    struct contact_pair pair; ///< the closest primitives, or the first that intersect; of one
                              ///< inside another, points of both
    double normal[3];         ///< unit, from the second side to the first; 0 where there is none
    size_t first_crossing, crossing_count; ///< of both parts
};

/// An edge (query) of one part through a triangle (primitive) of another.
struct overlap_crossing {
    uint32_t part[2]; ///< of the edge, of the triangle
    struct box_pair pair;
};

/// A part's own place in the lists of the mesh.
struct overlap_part {
    uint32_t first_point, point_count;
    uint32_t first_triangle, triangle_count;
    bool is_closed; ///< the inside of its triangles is solid: the caller's to say
    double outward; ///< of closed ones: 1 or -1, by which normals of triangles point outward
    double low[3], high[3], centre[3]; ///< m: box and its middle
};

/// All zero is a valid empty one. Buffers grow, never shrink.
struct overlaps {
    struct overlap *rows; ///< by the numbers of their parts, the smaller one first
    size_t count;
    struct overlap_crossing *crossings; ///< in the order of the rows
    size_t crossing_count;
    struct overlap_part *parts;
    uint32_t *order; ///< scratch: parts by where their boxes begin
    size_t row_capacity, crossing_capacity, part_capacity, order_capacity;
};

/// parts: where each lies in the mesh; none closed.
pbs_status overlaps_begin(struct memory *memory, const struct collision_mesh *mesh,
                          struct overlaps *out);
void overlaps_free(struct memory *memory, struct overlaps *out);

/// Rows for all pairs of parts that may touch and are closer than `distance` (m, >= 0), touch or
/// overlap when nodes are at x; of only one part with all others and itself where `only` is one.
/// Obstacles are where barrier_contact_begin_motion put them.
pbs_status overlaps_find(struct barrier_contact *contact, struct tasks *tasks, const double *x,
                         double distance, uint32_t only, struct overlaps *out);

/// How the first part of a row is to move beside the second: `depth` metres along `normal`, for
/// gaps of `distance`.
struct overlap_push {
    double normal[3];
    double depth;
};

/// What the features that overlap call for; or, where `whole`, what clears all of one from all of
/// the other, which always ends an overlap, but goes far where one lies in a hollow of the other.
/// After overlaps_find, while the contact is as it was.
struct overlap_push overlaps_push(const struct barrier_contact *contact,
                                  const struct overlaps *overlaps, const struct overlap *row,
                                  double distance, bool whole);

#endif
