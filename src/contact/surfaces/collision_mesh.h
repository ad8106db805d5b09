// The mesh of everything that can collide: the points, edges and triangles of all bodies and
// obstacles, one list each. A point of a body is a weighted sum of nodes, so contact does not
// depend on body types. Points of obstacles follow a prescribed motion.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SURFACES_COLLISION_MESH_H
#define PBS_CONTACT_SURFACES_COLLISION_MESH_H

#include "base/matrix3/math3.h"
#include "base/runtime/tasks.h"
#include "contact/surfaces/friction_table.h"
#include "sparse/matrices/pairs.h"

/// How a point moves.
enum collision_point_kind {
    POINT_NODE,    ///< with a node
    POINT_AFFINE,  ///< at p + X a1 + Y a2 + Z a3 of four consecutive nodes
    POINT_OBSTACLE ///< with the prescribed motion of its obstacle
};

/// Value of a rotation index: the point has no rotation.
#define COLLISION_NO_ROTATION UINT32_MAX

/// The properties of one body or obstacle, which all of its points share.
struct collision_part {
    struct surface surface;
    double offset;    ///< m: distance of its surface from its points, in addition to their radii
    double stiffness; ///< N/m: of barriers at its surface, if stiffness is chosen per body
    double load;      ///< N: its barriers' stiffness times their reach is at least this
    double solved_stiffness, solved_load; ///< those that the state at the start of a step was
                                          ///< solved with; 0: unknown, as the present ones
    double kept_stiffness, kept_load;     ///< those that step doubling goes back to
    double reach;   ///< m: barriers at its surface act below this gap; 0: below the common one
    uint32_t group; ///< collision group, bits
    uint32_t mask;  ///< groups that it collides with, bits; both parts must agree
    bool touches_itself;
    bool has_exclusions; ///< some of its points have exclusions
    bool is_close;       ///< it and some other part have an entry in `close`
    bool is_joined;      ///< some joint is or was between it and another, see collision_mesh_join
    bool is_obstacle;
    uint32_t first_point; ///< of the mesh; set by collision_mesh_add
    uint32_t obstacle;    ///< index of the obstacle
};

/// Two points of one part that do not collide while bonds join them.
struct exclusion {
    uint32_t other; ///< the point with the higher index
    uint32_t bonds; ///< number of intact bonds between them; 0: they collide
    /// m: distance of the points at zero gap, if that is less than the sum of their radii.
    double distance;
};

/// Two parts with joints between them do not collide; nor do they after the last joint broke until
/// they are let.
struct joined_parts {
    uint64_t key;    ///< of both parts
    uint32_t joints; ///< number of joints between them that are not broken
    /// m: distance of the two at zero gap, if that is less than the sum of their radii; negative:
    /// they do not collide.
    double distance;
};

/// Two parts whose barriers act below a gap of their own, as the host has placed them closer than
/// their reach.
struct close_parts {
    uint64_t key;      ///< of both parts
    double reach;      ///< m
    double least;      ///< m: scratch of those who change the reach
    bool carries_load; ///< scratch, too
};

/// A zero-initialised mesh is empty and valid. Arrays grow and never shrink.
struct collision_mesh {
    uint32_t part_count, point_count, edge_count, triangle_count;
    uint32_t isolated_point_count, isolated_edge_count;
    uint32_t exclusion_count, rotation_count;
    struct collision_part *parts;
    uint8_t *kind;           ///< per point, enum collision_point_kind
    uint32_t *part;          ///< per point
    uint32_t *node;          ///< per point: its (first) node; unused for obstacles
    uint32_t *vertex;        ///< per point: its index in its body
    double *radius;          ///< per point, m: distance of the surface from it
    uint32_t *rotation;      ///< per point: rotation of its sphere, on which friction acts, or
                             ///< COLLISION_NO_ROTATION
    uint32_t *rotation_node; ///< rotation_count: the rotation node; its coordinates are the
                             ///< rotation vector times rotation_length
    double *rotation_length; ///< rotation_count, m
    double *local; ///< point_count x 3: X, Y, Z of affine points; position of obstacles' points in
                   ///< their frame
    uint32_t *exclusion_start; ///< point_count + 1: the first exclusion whose lower point this is
    struct exclusion *exclusions; ///< sorted by `other` within a point
    uint32_t *edges;              ///< edge_count x 2, points
    double *edge_squares;         ///< per edge, m^2: rest length squared
    uint8_t *edge_is_flat;        ///< per edge: it lies inside a flat face that stays flat, and so
                                  ///< touches no other edge that its neighbours do not touch
    uint8_t *edge_triangles;      ///< per edge: the number of its triangles; 2: two or more
    uint8_t *point_is_flat;       ///< per point: all of its edges do, and so it touches no triangle
    uint32_t *triangles;          ///< triangle_count x 3, points
    uint32_t *isolated_points; ///< points of no edge, which also collide with each other and with
                               ///< isolated edges
    uint32_t *isolated_edges;  ///< edges of no triangle, which also collide with isolated points
    size_t part_capacity, kind_capacity, point_part_capacity, node_capacity, vertex_capacity,
        radius_capacity, rotation_capacity, rotation_node_capacity, rotation_length_capacity,
        local_capacity, edge_capacity, edge_square_capacity, edge_flat_capacity,
        edge_triangle_capacity, point_flat_capacity, triangle_capacity, isolated_point_capacity,
        isolated_edge_capacity, exclusion_start_capacity, exclusion_capacity;
    struct joined_parts *joined; ///< joined_count: sorted, each pair once
    size_t joined_count, joined_capacity;
    struct close_parts *close; ///< close_count: sorted, each pair once
    size_t close_count, close_capacity;
    struct pairs pairs; ///< scratch
};

/// The input of collision_mesh_add. Arrays are read during the call only.
struct collision_part_input {
    struct collision_part part;
    enum collision_point_kind kind;
    size_t point_count;
    const uint32_t *vertices; ///< point_count: index of each in its body; null: 0, 1, 2, ..
    const uint32_t *nodes;    ///< point_count: the (first) node of each; null for obstacles
    const double *radii; ///< null, or point_count, m: in addition to the part's offset; equal for
                         ///< the points of an edge or a triangle
    uint32_t first_rotation; ///< rotation node of the first point; those of the other points follow
                             ///< it
    const double *rotation_lengths; ///< null: no point has a rotation; or point_count, m; 0: this
                                    ///< point has none
    const double *rest;  ///< point_count x 3, m: rest positions, which give the rest lengths of
                         ///< edges; for obstacles: positions in their frame
    const double *local; ///< point_count x 3: X, Y, Z of affine points; else unused
    size_t triangle_count;
    const uint32_t *triangles; ///< the part's own point indices
    size_t edge_count;
    const uint32_t *edges; ///< edges of no triangle: the part's own point indices
    size_t bond_count;     ///< only for parts without triangles and edges
    const uint32_t *bonds; ///< bond_count x 2: the part's own point indices
    const uint8_t *broken; ///< bond_count: nonzero if the bond is broken
    const double *release; ///< bond_count, m: for broken bonds, the distance of struct exclusion
};

void collision_mesh_clear(struct collision_mesh *mesh);
/// Adds a part. PBS_ERROR_MEMORY or PBS_ERROR_ARGUMENT (more primitives than 32-bit indices can
/// count) leave the mesh empty.
pbs_status collision_mesh_add(struct memory *memory, const struct collision_part_input *input,
                              struct collision_mesh *mesh);
void collision_mesh_free(struct memory *memory, struct collision_mesh *mesh);

/// A joint between two parts, by their indices. distance: of one that is broken, as in struct
/// joined_parts, of which the least counts; negative if it is not. collision_mesh_sort_joined must
/// follow the last one.
pbs_status collision_mesh_join(struct memory *memory, struct collision_mesh *mesh, uint32_t a,
                               uint32_t b, bool broken, double distance);
void collision_mesh_sort_joined(struct collision_mesh *mesh);
/// The entry of two parts, or null if there is none.
struct joined_parts *collision_mesh_joined(const struct collision_mesh *mesh, uint32_t a,
                                           uint32_t b);
/// Adds an entry; collision_mesh_sort_close must follow the last one. Of those of one pair the
/// least reach counts, and entries of no reach are removed.
pbs_status collision_mesh_add_close(struct memory *memory, struct collision_mesh *mesh, uint32_t a,
                                    uint32_t b, double reach);
void collision_mesh_sort_close(struct collision_mesh *mesh);
/// The entry of two parts, or null if there is none.
struct close_parts *collision_mesh_close(const struct collision_mesh *mesh, uint32_t a, uint32_t b);
static inline uint32_t close_part(const struct close_parts *close, int side) {
    return (uint32_t)(side == 0 ? close->key >> 32 : close->key);
}

/// The parts of an entry.
static inline uint32_t joined_part(const struct joined_parts *joined, int side) {
    return (uint32_t)(side == 0 ? joined->key >> 32 : joined->key);
}

/// Returns the mean rest length of edges, m; infinity without edges.
double collision_mesh_mean_edge(const struct collision_mesh *mesh);

/// points (point_count x 3) = positions of the points for nodes at x, or their displacements if x
/// is a direction. Does not write points of obstacles.
void collision_mesh_compute_points(struct tasks *tasks, const struct collision_mesh *mesh,
                                   const double *x, double *points);

/// Lists the nodes and weights of a point. Returns how many there are: 0, 1 or 4.
static inline int collision_mesh_nodes(const struct collision_mesh *mesh, uint32_t point,
                                       uint32_t nodes[4], double weights[4]) {
    const double *local = mesh->local + 3 * (size_t)point;
    switch (mesh->kind[point]) {
    case POINT_NODE:
        nodes[0] = mesh->node[point];
        weights[0] = 1.0;
        return 1;
    case POINT_AFFINE:
        for (uint32_t k = 0; k < 4; k++) {
            nodes[k] = mesh->node[point] + k;
            weights[k] = k == 0 ? 1.0 : local[k - 1];
        }
        return 4;
    default: return 0;
    }
}

/// Adds factor times a force on a point to the forces on its nodes.
static inline void collision_mesh_add_to_nodes(const struct collision_mesh *mesh, uint32_t point,
                                               double factor, const double force[3],
                                               double *node_forces) {
    uint32_t nodes[4];
    double weights[4];
    const int count = collision_mesh_nodes(mesh, point, nodes, weights);
    for (int k = 0; k < count; k++) {
        double *to = node_forces + 3 * (size_t)nodes[k];
        add_scaled3(to, weights[k] * factor, force, to);
    }
}

/// The distance of the surface from a point, m.
static inline double collision_mesh_offset(const struct collision_mesh *mesh, uint32_t point) {
    return mesh->radius[point];
}

/// Returns the exclusion of two points of one part, or null if there is none.
static inline struct exclusion *collision_mesh_exclusion(const struct collision_mesh *mesh,
                                                         uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b;
    const uint32_t high = a < b ? b : a;
    for (uint32_t i = mesh->exclusion_start[low]; i < mesh->exclusion_start[low + 1]; i++) {
        if (mesh->exclusions[i].other == high) {
            return &mesh->exclusions[i];
        }
    }
    return NULL;
}

/// The distance, m, at which the sides that two points belong to have zero gap.
static inline double collision_mesh_pair_offset(const struct collision_mesh *mesh, uint32_t a,
                                                uint32_t b) {
    const double sum = mesh->radius[a] + mesh->radius[b];
    const struct collision_part *p = &mesh->parts[mesh->part[a]];
    if (mesh->part[a] != mesh->part[b] && p->is_joined && mesh->parts[mesh->part[b]].is_joined) {
        const struct joined_parts *joined = collision_mesh_joined(mesh, mesh->part[a],
                                                                  mesh->part[b]);
        return joined != NULL ? fmin(sum, joined->distance) : sum;
    }
    if (mesh->part[a] != mesh->part[b] || !p->has_exclusions) {
        return sum;
    }
    const struct exclusion *exclusion = collision_mesh_exclusion(mesh, a, b);
    return exclusion != NULL ? fmin(sum, exclusion->distance) : sum;
}

/// The gap below which barriers at a part's surface act, m; common: that of all parts at most.
static inline double collision_part_reach(const struct collision_part *part, double common) {
    return part->reach > 0.0 && part->reach < common ? part->reach : common;
}

/// Removes a breaking bond from the exclusion of its points. Once no bond is left they collide: at
/// `distance`, or at the sum of their radii if that is less. Returns the previous distance of the
/// exclusion.
double collision_mesh_release_exclusion(const struct collision_mesh *mesh, uint32_t a, uint32_t b,
                                        double distance);
/// Undoes collision_mesh_release_exclusion. distance: the value that it returned.
void collision_mesh_restore_exclusion(const struct collision_mesh *mesh, uint32_t a, uint32_t b,
                                      double distance);

/// Whether groups, masks and exclusions let two points collide.
static inline bool collision_mesh_may_touch(const struct collision_mesh *mesh, uint32_t a,
                                            uint32_t b) {
    const uint32_t i = mesh->part[a];
    const uint32_t j = mesh->part[b];
    const struct collision_part *p = &mesh->parts[i];
    const struct collision_part *q = &mesh->parts[j];
    if (i == j && p->has_exclusions) {
        const struct exclusion *exclusion = collision_mesh_exclusion(mesh, a, b);
        return p->touches_itself && (exclusion == NULL || exclusion->bonds == 0);
    }
    if (i == j) {
        return p->touches_itself;
    }
    if ((p->is_obstacle && q->is_obstacle) || (p->group & q->mask) == 0 ||
        (q->group & p->mask) == 0) {
        return false;
    }
    const struct joined_parts *joined = p->is_joined && q->is_joined
                                            ? collision_mesh_joined(mesh, i, j)
                                            : NULL;
    return joined == NULL || joined->distance >= 0.0;
}

#endif
