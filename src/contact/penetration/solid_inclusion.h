// Finds points inside solids, and the closest primitives of the solids' surfaces (OPT section 5.3;
// docs/theory/contact.md section 8), for a penalty that pushes the points out. The search is made
// at every state, as the energy depends on its result. Knows points, tetrahedra and triangles;
// neither bodies nor energies.
//
// The result depends on the state alone, not on threads or on earlier searches.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_PENETRATION_SOLID_INCLUSION_H
#define PBS_CONTACT_PENETRATION_SOLID_INCLUSION_H

#include "broad_phase/box_pairs.h"
#include "geometry/distances/distance.h"
#include "sparse/matrices/pairs.h"

/// One body: points that may be inside of other bodies, the tetrahedra that points of others may be
/// in, and the surface of these tetrahedra. Point indices refer to the points of all bodies. Arrays
/// are read during solid_inclusion_add only.
struct inclusion_input {
    uint32_t group; ///< collision group, bits
    uint32_t mask;  ///< groups that it collides with, bits; both parts must agree
    bool touches_itself;
    size_t vertex_count;
    const uint32_t *vertices; ///< vertex_count, points
    size_t tet_count;         ///< 0: no point can be inside of it
    const uint32_t *tets;     ///< tet_count x 4, points, positive at rest
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3, points: the boundary of the tetrahedra
};

/// Value of a triangle index: the closest face lies between two tetrahedra.
#define SOLID_INNER_FACE UINT32_MAX

/// A vertex inside a body, and the closest primitive: a triangle, an edge or a vertex. As in struct
/// closest, but points of weight zero are omitted.
struct solid_contact {
    uint32_t vertex;  ///< index in the order of adding
    uint32_t part[2]; ///< of the vertex, of the solid around it; indices in the order of adding
    uint32_t tet, triangle; ///< the one around it, the one with the closest point; in the order of
                            ///< adding
    enum pair_kind kind;
    int point_count;
    uint32_t points[PAIR_NODES];
    struct closest closest; ///< r points from the surface inward to the vertex
    double distance;        ///< m, > 0
    double normal[3];       ///< r / |r|
};

struct solid_part;
struct inclusion_hit;

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct solid_inclusion {
    size_t contact_count;
    struct solid_contact *contacts; ///< found last, sorted by vertex, then by the body around it
    size_t part_count, vertex_count, tet_count, triangle_count;
    struct solid_part *parts;
    uint32_t *vertices, *tets, *triangles;            ///< 1, 4, 3 points each
    uint32_t *vertex_part, *tet_part, *triangle_part; ///< part of each
    const double *x;                                  ///< valid only within solid_inclusion_find
    struct box *point_boxes, *boxes; ///< scratch, used for each kind of primitive in turn
    struct bounding_tree vertex_tree, tet_tree, surface_tree;
    struct box_pair_list inside; ///< pairs of a vertex and a tetrahedron around it
    struct inclusion_hit *hits;  ///< pairs of a vertex and a body around it
    size_t point_limit;          ///< every point index is below it
    bool has_seeds;              ///< the following lists are valid
    uint32_t *seed; ///< per point: a surface triangle of its body, with which searches begin;
                    ///< UINT32_MAX: its body has none
    uint32_t *seed_distance; ///< per point: how many tetrahedra that is away
    bool has_rings;          ///< the following lists are valid; they are needed for self-contact
    uint8_t *is_vertex;      ///< per point
    uint32_t *ring_start, *ring; ///< per vertex of a body: the points of its tetrahedra
    uint32_t *star_start, *star; ///< per point: its tetrahedra
    struct pairs pairs;          ///< scratch
    size_t contact_capacity, part_capacity, vertex_capacity, tet_capacity, triangle_capacity,
        vertex_part_capacity, tet_part_capacity, triangle_part_capacity, point_box_capacity,
        box_capacity, hit_capacity, seed_capacity, seed_distance_capacity, is_vertex_capacity,
        ring_start_capacity, ring_capacity, star_start_capacity, star_capacity;
};

/// Removes all bodies. Memory is not released.
void solid_inclusion_clear(struct solid_inclusion *s);
/// Adds a body. PBS_ERROR_MEMORY or PBS_ERROR_ARGUMENT (more primitives than 32-bit indices can
/// count) change nothing.
pbs_status solid_inclusion_add(struct memory *memory, const struct inclusion_input *input,
                               struct solid_inclusion *s);
void solid_inclusion_free(struct memory *memory, struct solid_inclusion *s);

/// contacts = all contacts at x (point_count x 3). A contact is a vertex in a tetrahedron of a body
/// that it may collide with, and the closest point of that body's surface; the triangle with the
/// lowest index if several are equally close. Inverted tetrahedra are ignored, as they overlap
/// their neighbours. Of several tetrahedra the contact names the one in which the vertex is
/// deepest, by its least barycentric coordinate; the lowest index if several are equal. Vertices
/// exactly on the surface are not listed.
///
/// In its own body a vertex collides with all tetrahedra outside its neighbourhood. The
/// neighbourhood is the set of tetrahedra that share a corner with a tetrahedron of the vertex. The
/// closest point is then on the surface of the remaining tetrahedra, which includes their faces
/// towards the neighbourhood but no surface triangle that has a corner in a tetrahedron of the
/// vertex. PBS_ERROR_MEMORY leaves no contacts.
pbs_status solid_inclusion_find(struct memory *memory, struct tasks *tasks, const double *x,
                                size_t point_count, struct solid_inclusion *s);

#endif
