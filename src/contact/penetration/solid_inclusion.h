// Points inside solids, and the closest primitives of these solids' surfaces (OPT section 5.3;
// docs/theory/contact.md section 8): what a penalty pushes out again. Found anew at every state, as
// the energy depends on which these are. Knows points, tetrahedra and triangles; neither bodies nor
// energies.
//
// The list depends on the state alone: not on threads, nor on what was found before.
#ifndef PBS_CONTACT_PENETRATION_SOLID_INCLUSION_H
#define PBS_CONTACT_PENETRATION_SOLID_INCLUSION_H

#include "broad_phase/box_pairs.h"
#include "geometry/distances/distance.h"
#include "sparse/matrices/pairs.h"

/// One body: points that may be inside of others, the tetrahedra that others' points may be inside
/// of, and the surface of these. Points are numbered through all bodies. Arrays are read during
/// solid_inclusion_add only.
struct inclusion_input {
    uint32_t group; ///< bits
    uint32_t mask;  ///< bits: of the groups that it touches; both sides must agree
    bool touches_itself;
    size_t vertex_count;
    const uint32_t *vertices; ///< vertex_count, points
    size_t tet_count;         ///< 0: nothing is inside of it
    const uint32_t *tets;     ///< tet_count x 4, points, positive at rest
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3, points: the boundary of the tetrahedra
};

/// In place of a triangle: a face between tetrahedra.
#define SOLID_INNER_FACE UINT32_MAX

/// A vertex inside a body. Of a pair of the vertex and a triangle, an edge or another vertex, as
/// struct closest has it, with nothing in it that has no part.
struct solid_contact {
    uint32_t vertex;  ///< in the order in which vertices were added
    uint32_t part[2]; ///< the vertex's, and that of the solid around it, in the order of adding
    uint32_t tet, triangle; ///< around it; with the closest point, in the order of adding
    enum pair_kind kind;
    int point_count;
    uint32_t points[PAIR_NODES];
    struct closest closest; ///< r leads from the surface inward, to the vertex
    double distance;        ///< m, > 0
    double normal[3];       ///< r / |r|
};

struct solid_part;
struct inclusion_hit;

/// All zero is a valid empty one. Buffers grow, never shrink.
struct solid_inclusion {
    size_t contact_count;
    struct solid_contact *contacts; ///< found last, ascending by vertex, then by body around it
    size_t part_count, vertex_count, tet_count, triangle_count;
    struct solid_part *parts;
    uint32_t *vertices, *tets, *triangles;            ///< 1, 4, 3 points each
    uint32_t *vertex_part, *tet_part, *triangle_part; ///< of each
    const double *x;                                  ///< only within solid_inclusion_find
    struct box *point_boxes, *boxes;                  ///< scratch: of all primitives in turn
    struct bounding_tree vertex_tree, tet_tree, surface_tree;
    struct box_pair_list inside; ///< vertices and tetrahedra around them
    struct inclusion_hit *hits;  ///< vertices and bodies around them
    size_t point_limit;          ///< points are below it
    bool has_rings;              ///< for what touches itself, the following are listed:
    uint8_t *is_vertex;          ///< per point
    uint32_t *ring_start, *ring; ///< per vertex of a body: the points of its tetrahedra
    uint32_t *star_start, *star; ///< per point: its tetrahedra
    struct pairs pairs;          ///< scratch
    size_t contact_capacity, part_capacity, vertex_capacity, tet_capacity, triangle_capacity,
        vertex_part_capacity, tet_part_capacity, triangle_part_capacity, point_box_capacity,
        box_capacity, hit_capacity, is_vertex_capacity, ring_start_capacity, ring_capacity,
        star_start_capacity, star_capacity;
};

/// No bodies; memory stays.
void solid_inclusion_clear(struct solid_inclusion *s);
/// PBS_ERROR_MEMORY, PBS_ERROR_ARGUMENT (more than 32-bit indices can count): as before.
pbs_status solid_inclusion_add(struct memory *memory, const struct inclusion_input *input,
                               struct solid_inclusion *s);
void solid_inclusion_free(struct memory *memory, struct solid_inclusion *s);

/// contacts = all at x, point_count x 3: of each vertex and each body that it touches and is in a
/// tetrahedron of, the closest point of that body's surface (the lowest triangle of equals).
/// Tetrahedra that are turned inside out do not count, as they overlap their neighbours; of several
/// the contact names that which the vertex is deepest in (by the least barycentric coordinate; the
/// lowest of equals). Vertices exactly on the surface are not listed.
///
/// Of its own body a vertex touches what is not its neighbourhood, which are the tetrahedra with a
/// corner that is in a tetrahedron of the vertex. The closest point is then that of the surface of
/// the rest, which includes the faces between it and the neighbourhood; surface triangles with a
/// corner in a tetrahedron of the vertex are none of it.
/// PBS_ERROR_MEMORY leaves no contacts.
pbs_status solid_inclusion_find(struct memory *memory, struct tasks *tasks, const double *x,
                                size_t point_count, struct solid_inclusion *s);

#endif
