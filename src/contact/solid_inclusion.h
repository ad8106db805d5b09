// Points inside solids, and the closest primitives of these solids' surfaces (OPT section 5.3;
// docs/theory/contact.md section 8): what a penalty pushes out again. Found anew at every state, as
// the energy depends on which these are. Knows points, tetrahedra and triangles; neither bodies nor
// energies.
//
// The list depends on the state alone: not on threads, nor on what was found before.
#ifndef PBS_CONTACT_SOLID_INCLUSION_H
#define PBS_CONTACT_SOLID_INCLUSION_H

#include "geometry/box_pairs.h"
#include "geometry/distance.h"

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
    /// point_count x 3, m: where the body's points, which are first_point and those that follow it,
    /// are at rest, and the body does not overlap itself. Null: it is not known.
    const double *rest;
    uint32_t first_point;
    size_t point_count;
};

/// A vertex inside a solid. Of a pair of the vertex and a triangle, an edge or another vertex, as
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
    struct solid_contact *contacts; ///< found last, ascending by vertex
    size_t part_count, vertex_count, tet_count, triangle_count;
    struct solid_part *parts;
    uint32_t *vertices, *tets, *triangles;            ///< 1, 4, 3 points each
    uint32_t *vertex_part, *tet_part, *triangle_part; ///< of each
    size_t rest_count;
    double *rest;                    ///< rest_count x 3, m: where it is known
    const double *x;                 ///< only within solid_inclusion_find
    struct box *point_boxes, *boxes; ///< scratch: of all primitives in turn
    struct bounding_tree vertex_tree, tet_tree, surface_tree;
    struct box_pair_list inside; ///< vertices and tetrahedra around them
    struct inclusion_hit *hits;  ///< vertices that any is around
    bool is_rest_listed;         ///< parts have trees of their surfaces at rest
    size_t rest_capacity, contact_capacity, part_capacity, vertex_capacity, tet_capacity,
        triangle_capacity, vertex_part_capacity, tet_part_capacity, triangle_part_capacity,
        point_box_capacity, box_capacity, hit_capacity;
};

/// No bodies; memory stays.
void solid_inclusion_clear(struct solid_inclusion *s);
/// PBS_ERROR_MEMORY, PBS_ERROR_ARGUMENT (more than 32-bit indices can count): as before.
pbs_status solid_inclusion_add(struct memory *memory, const struct inclusion_input *input,
                               struct solid_inclusion *s);
void solid_inclusion_free(struct memory *memory, struct solid_inclusion *s);

/// contacts = all at x, point_count x 3: of each vertex in a tetrahedron of its own body that is
/// not its own, or of a body that it touches, where it is deepest in one (by the least barycentric
/// coordinate; the lowest of equals) the closest point of that body's surface (the lowest triangle
/// of equals). Tetrahedra that are turned inside out do not count, as they overlap their
/// neighbours. Vertices exactly on the surface are not listed.
///
/// In its own body a vertex is at a place of the material. Of the surface, only triangles count
/// that are closer to that place than to the vertex, both at rest: not its own, nor those around
/// them, however deep it is. Where the closest of all, at rest, is not one of these, the vertex is
/// below its own surface, where elements between are turned inside out, and is not listed. Where
/// rest is not known, only triangles of which it is a corner do not count.
/// PBS_ERROR_MEMORY leaves no contacts.
pbs_status solid_inclusion_find(struct memory *memory, struct tasks *tasks, const double *x,
                                size_t point_count, struct solid_inclusion *s);

#endif
