// What can touch, as contact sees it: points, edges and triangles of all bodies and obstacles in
// one list each. A point is a weighted sum of nodes, so that contact knows nothing of bodies;
// points of obstacles are placed by their script.
#ifndef PBS_CONTACT_SURFACES_COLLISION_MESH_H
#define PBS_CONTACT_SURFACES_COLLISION_MESH_H

#include "base/matrix3/math3.h"
#include "base/runtime/tasks.h"
#include "contact/surfaces/friction_table.h"
#include "sparse/matrices/pairs.h"

/// How a point moves.
enum collision_point_kind {
    POINT_NODE,    ///< as a node
    POINT_AFFINE,  ///< p + X a1 + Y a2 + Z a3 of four nodes that follow one another
    POINT_OBSTACLE ///< as the script says
};

/// Of points that do not turn.
#define COLLISION_NO_ROTATION UINT32_MAX

/// One body or obstacle: what all its points share.
struct collision_part {
    struct surface surface;
    double offset;    ///< m: its surface lies that far outside its points, and farther by radii
    double stiffness; ///< N/m: of barriers at its surface, where they are chosen body by body
    uint32_t group;   ///< bits
    uint32_t mask;    ///< bits: of the groups that it touches; both sides must agree
    bool touches_itself;
    bool has_exclusions; ///< of some of its points
    bool is_obstacle;
    uint32_t first_point; ///< of the mesh; set where the part is added
    uint32_t obstacle;    ///< which
};

/// Two points of one part that do not touch as long as bonds hold them together.
struct exclusion {
    uint32_t other; ///< the higher one
    uint32_t bonds; ///< that hold them; 0: they touch
    /// m, between the points: where they begin to, if that is less than both radii together.
    double distance;
};

/// All zero is a valid empty one. Arrays grow, never shrink.
struct collision_mesh {
    uint32_t part_count, point_count, edge_count, triangle_count;
    uint32_t isolated_point_count, isolated_edge_count;
    uint32_t exclusion_count, rotation_count;
    struct collision_part *parts;
    uint8_t *kind;           ///< per point, enum collision_point_kind
    uint32_t *part;          ///< per point
    uint32_t *node;          ///< per point: its (first) node; of an obstacle's: unused
    uint32_t *vertex;        ///< per point: its number in its body
    double *radius;          ///< per point, m: the surface lies that far outside it
    uint32_t *rotation;      ///< per point: of its sphere, which friction turns; or none
    uint32_t *rotation_node; ///< rotation_count: the node whose coordinates are the rotation
                             ///< vector times
    double *rotation_length; ///< rotation_count, m
    double *local;           ///< per point, 3: X, Y, Z of affine ones; of obstacles' in their frame
    uint32_t *exclusion_start;    ///< point_count + 1: the first of those whose lower point that is
    struct exclusion *exclusions; ///< of one point by ascending other ones
    uint32_t *edges;              ///< edge_count x 2, points
    double *edge_squares;         ///< per edge, m^2: rest length squared
    uint32_t *triangles;          ///< triangle_count x 3, points
    uint32_t *isolated_points;    ///< points of no edge: they touch each other and lone edges too
    uint32_t *isolated_edges;     ///< edges of no triangle: their sides can touch lone points
    size_t part_capacity, kind_capacity, point_part_capacity, node_capacity, vertex_capacity,
        radius_capacity, rotation_capacity, rotation_node_capacity, rotation_length_capacity,
        local_capacity, edge_capacity, edge_square_capacity, triangle_capacity,
        isolated_point_capacity, isolated_edge_capacity, exclusion_start_capacity,
        exclusion_capacity;
    struct pairs pairs; ///< scratch
};

/// A part to be added; arrays are read during the call only.
struct collision_part_input {
    struct collision_part part;
    enum collision_point_kind kind;
    size_t point_count;
    const uint32_t *vertices; ///< point_count: the number of each in its body; null: as they come
    const uint32_t *nodes;    ///< point_count: the (first) node of each; null for obstacles
    const double *radii;      ///< null, or point_count, m: besides the part's offset; those of an
                              ///< edge or a triangle are the same
    uint32_t first_rotation;  ///< the node that is the first point's rotation; the others' follow
    const double *rotation_lengths; ///< null (none turns), or point_count, m; 0: that does not turn
    const double *rest;  ///< point_count x 3, m: rest lengths of edges are taken from it; of
                         ///< obstacles' points: where they are in their frame
    const double *local; ///< point_count x 3: X, Y, Z of affine points; else unused
    size_t triangle_count;
    const uint32_t *triangles; ///< the part's own point indices
    size_t edge_count;
    const uint32_t *edges; ///< besides those of the triangles: the part's own point indices
    size_t bond_count;     ///< of parts without triangles and edges
    const uint32_t *bonds; ///< bond_count x 2: the part's own point indices
    const uint8_t *broken; ///< bond_count: 1: does not hold its points any more
    const double *release; ///< bond_count, m: of broken ones, as struct exclusion
};

void collision_mesh_clear(struct collision_mesh *mesh);
/// PBS_ERROR_MEMORY, PBS_ERROR_ARGUMENT (more than 32-bit indices can count) leave it empty.
pbs_status collision_mesh_add(struct memory *memory, const struct collision_part_input *input,
                              struct collision_mesh *mesh);
void collision_mesh_free(struct memory *memory, struct collision_mesh *mesh);

/// Of the lengths at rest, m; infinite without edges.
double collision_mesh_mean_edge(const struct collision_mesh *mesh);

/// Where the points are (point_count x 3) when the nodes are at x (or, of directions, by how much
/// they move). Leaves points of obstacles alone.
void collision_mesh_compute_points(struct tasks *tasks, const struct collision_mesh *mesh,
                                   const double *x, double *points);

/// The nodes that a point is a sum of, and its weights. Returns how many: 0, 1 or 4.
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

/// Adds factor times a force on a point to what acts on its nodes.
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

/// How far the surface lies outside a point, m.
static inline double collision_mesh_offset(const struct collision_mesh *mesh, uint32_t point) {
    return mesh->radius[point];
}

/// Null: none.
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

/// m: how far apart the sides must be that two points are of.
static inline double collision_mesh_pair_offset(const struct collision_mesh *mesh, uint32_t a,
                                                uint32_t b) {
    const double sum = mesh->radius[a] + mesh->radius[b];
    if (mesh->part[a] != mesh->part[b] || !mesh->parts[mesh->part[a]].has_exclusions) {
        return sum;
    }
    const struct exclusion *exclusion = collision_mesh_exclusion(mesh, a, b);
    return exclusion != NULL ? fmin(sum, exclusion->distance) : sum;
}

/// Of a bond that breaks: its points touch where they are `distance` apart, or by their radii if
/// that is less, once no other bond holds them. Returns the former distance of both.
double collision_mesh_release_exclusion(const struct collision_mesh *mesh, uint32_t a, uint32_t b,
                                        double distance);
/// Of a bond that did not break after all. distance: what collision_mesh_release_exclusion
/// returned.
void collision_mesh_restore_exclusion(const struct collision_mesh *mesh, uint32_t a, uint32_t b,
                                      double distance);

/// Whether the parts of two points may touch.
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
    return !(p->is_obstacle && q->is_obstacle) && (p->group & q->mask) != 0 &&
           (q->group & p->mask) != 0;
}

#endif
