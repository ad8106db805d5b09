// Finds which parts of a collision mesh touch, intersect, contain each other or are closer than a
// distance, one row for every two parts; and in which direction and how far one part must move to
// be clear of the other. It serves queries and placement of bodies; steps do not use it.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_OVERLAP_OVERLAP_H
#define PBS_CONTACT_OVERLAP_OVERLAP_H

#include "contact/barrier/contact_pair.h"

struct overlap {
    int32_t kind;             ///< PBS_OVERLAP_*
    struct contact_pair pair; ///< the closest primitives, or the first that intersect; for one part
                              ///< inside another: a point of each
    double normal[3];         ///< unit, from the second side to the first; 0 if there is none
    size_t first_crossing, crossing_count; ///< the range of crossings of both parts
};

/// An edge (query) of one part that intersects a triangle (primitive) of another.
struct overlap_crossing {
    uint32_t part[2]; ///< part of the edge, part of the triangle
    struct box_pair pair;
};

/// The range of a part in the lists of the mesh.
struct overlap_part {
    uint32_t first_point, point_count;
    uint32_t first_triangle, triangle_count;
    bool is_closed; ///< its triangles enclose a solid; set by the caller
    double outward; ///< closed parts: 1 if the triangles' normals point outward, -1 if inward
    double low[3], high[3], centre[3]; ///< m: bounding box and its centre
};

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct overlaps {
    struct overlap *rows; ///< sorted by the indices of the two parts, the smaller one first
    size_t count;
    struct overlap_crossing *crossings; ///< in the order of the rows
    size_t crossing_count;
    struct overlap_part *parts;
    uint32_t *order; ///< scratch: parts sorted by the lower ends of their boxes
    size_t row_capacity, crossing_capacity, part_capacity, order_capacity;
};

/// Fills parts with their ranges in the mesh. None is closed.
pbs_status overlaps_begin(struct memory *memory, const struct collision_mesh *mesh,
                          struct overlaps *out);
void overlaps_free(struct memory *memory, struct overlaps *out);

/// Finds the rows of all pairs of parts that collision filters allow and that overlap, touch or are
/// closer than `distance` (m, >= 0) for nodes at x. `only`: a part; finds its rows with all others
/// and itself. Obstacles are at the positions that barrier_contact_begin_motion set.
pbs_status overlaps_find(struct barrier_contact *contact, struct tasks *tasks, const double *x,
                         double distance, uint32_t only, struct overlaps *out);

/// The translation that separates the first part of a row from the second: `depth` metres along
/// `normal`, to reach gaps of `distance`.
struct overlap_push {
    double normal[3];
    double depth;
};

/// Returns the translation that clears the overlapping features. whole: the one that clears all of
/// one part from all of the other. That always ends an overlap, but is long if one part lies in a
/// hollow of the other. Must be called after overlaps_find, with the contact unchanged.
struct overlap_push overlaps_push(const struct barrier_contact *contact,
                                  const struct overlaps *overlaps, const struct overlap *row,
                                  double distance, bool whole);

#endif
