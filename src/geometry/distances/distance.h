// Closest points of a point and a triangle, of two edges, and of their degenerate cases, with the
// derivatives of the distance. Robust for slivers, parallel edges and edges of zero length. No
// distance exceeds the true one by more than rounding, so that no contact is missed.
//
// Sources: the distances of IPC (Li et al. 2020, section 4). Here they are computed as weighted
// sums of the nodes: distances of lines and planes lose all digits near parallelism. Derivatives
// follow from the envelope theorem and a Schur complement over the free parameters, with the same
// formula for all types.
//
// Theory: docs/theory/contact.md section 1.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_DISTANCES_DISTANCE_H
#define PBS_GEOMETRY_DISTANCES_DISTANCE_H

#include <stdint.h>

/// Kinds of pairs, with the nodes of the first and the second side. Pointers to unused nodes may be
/// null.
enum pair_kind {
    PAIR_POINT_TRIANGLE, ///< p | t0, t1, t2
    PAIR_EDGE_EDGE,      ///< a0, a1 | b0, b1
    PAIR_POINT_EDGE,     ///< p | e0, e1
    PAIR_POINT_POINT     ///< p | q
};

enum { PAIR_NODES = 4 };

/// Returns the number of nodes of a pair: 4, 4, 3, 2 in the order of pair_kind.
int pair_node_count(enum pair_kind kind);

/// Returns the number of nodes of the first side: 2 for an edge, 1 for a point.
static inline int pair_first_count(enum pair_kind kind) {
    return kind == PAIR_EDGE_EDGE ? 2 : 1;
}

/// The closest point of a side is the weighted mean of its nodes. Weights sum to 1 over the first
/// side and to -1 over the second side. Nodes outside the support have weight 0.
struct closest {
    double weight[PAIR_NODES];
    double r[3];     ///< sum weight_i x_i: vector from the second side's closest point to the first
                     ///< side's
    double squared;  ///< m^2: |r|^2; its gradient with respect to node i is 2 weight_i r
    uint8_t support; ///< bit i: node i contributes to the closest point of its side
};

struct closest closest_points(enum pair_kind kind, const double *const x[PAIR_NODES]);

/// Returns closest_points(kind, x).squared, with the same bits and less work.
double closest_squared(enum pair_kind kind, const double *const x[PAIR_NODES]);

/// Returns the number of free parameters of the closest points: 0 between vertices, 1 between
/// vertex and edge, 2 between vertex and face or between edges.
int closest_parameter_count(const struct closest *closest);

/// Computes the second derivatives of the squared distance at constant support, row-major over the
/// nodes of `kind` times 3 (12 x 12 at most):
///     2 [(w w^T) x I - C (J J^T)^-1 C^T],  C_ij = w_i J_j + g_ji r,
/// where J_j = dr/dq_j and g_ji = dw_i/dq_j for the free parameters q.
void closest_hessian(enum pair_kind kind, const double *const x[PAIR_NODES],
                     const struct closest *closest, double *hessian);

/// The positive part of minus the Hessian of the distance: (-hess d)^+ = sum_k coefficient_k
/// vector_k vector_k^T with orthonormal vectors. The Hessian of a repulsive potential f(d), f' < 0,
/// contains -hess d with the factor -f'. Empty between vertices and at distance 0.
struct closest_bending {
    int count; ///< at most 2
    double coefficient[2];
    double vector[2][PAIR_NODES][3];
};

/// Closed form. q_k is an orthonormal basis of the J_j, with weights ghat_k, rotated so that ghat_1
/// . ghat_2 = 0. Minus the Hessian of d is the sum over k of u v^T + v u^T + d v v^T with u = w x
/// q_k, v = ghat_k x n, minus a positive semidefinite rest that is orthogonal to all u and v.
void closest_bending(enum pair_kind kind, const double *const x[PAIR_NODES],
                     const struct closest *closest, struct closest_bending *out);

/// The Hessian of the distance at constant support: hess d = sum_k coefficient_k vector_k
/// vector_k^T with orthonormal vectors. Empty at distance 0.
struct closest_curvature {
    int count;          ///< at most 4
    int positive_count; ///< number of positive coefficients, which come first; the others are those
                        ///< of closest_bending, negated
    double coefficient[4];
    double vector[4][PAIR_NODES][3];
};

/// Closed form. Each plane {u, v} of closest_bending has one eigenvalue of either sign, with
/// product -|u|^2 |v|^2. Each direction q orthogonal to r and to all J_j gives the eigenvector w x
/// q with the eigenvalue |w|^2 / d.
void closest_curvature(enum pair_kind kind, const double *const x[PAIR_NODES],
                       const struct closest *closest, struct closest_curvature *out);

/// Removes the nodes outside the support from a pair of a point and anything: a point and a
/// triangle become a point and an edge, or two points. Writes the closest points of the smaller
/// pair, and node[i], the original index of its node i. Returns its kind.
enum pair_kind closest_reduce(enum pair_kind kind, const struct closest *closest,
                              struct closest *reduced, int node[PAIR_NODES]);

#endif
