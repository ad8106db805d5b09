// Closest points of a point and a triangle, of two edges, and of what these degenerate to, with all
// derivatives of their distance. Safe for slivers, parallel edges and edges without length; no
// distance is larger than the true one by more than rounding, so that no contact is missed.
// Sources: the distances of IPC (Li et al. 2020, section 4), here as weighted sums of the nodes
// rather than as distances of lines and planes, which lose all digits near parallelism; derivatives
// by the envelope theorem and a Schur complement over the free parameters, for all types at once.
// Theory: docs/theory/contact.md section 1.
#ifndef PBS_GEOMETRY_DISTANCES_DISTANCE_H
#define PBS_GEOMETRY_DISTANCES_DISTANCE_H

#include <stdint.h>

/// The nodes of a pair, first side first. Unused node pointers may be null.
enum pair_kind {
    PAIR_POINT_TRIANGLE, ///< p | t0, t1, t2
    PAIR_EDGE_EDGE,      ///< a0, a1 | b0, b1
    PAIR_POINT_EDGE,     ///< p | e0, e1
    PAIR_POINT_POINT     ///< p | q
};

enum { PAIR_NODES = 4 };

/// Nodes of a pair of this kind: 4, 4, 3, 2.
int pair_node_count(enum pair_kind kind);

/// How many of them are the first side's: 2 of an edge, 1 of a point.
static inline int pair_first_count(enum pair_kind kind) {
    return kind == PAIR_EDGE_EDGE ? 2 : 1;
}

/// The closest points of both sides are the weighted means of their nodes; weights sum to 1 over
/// the first side and to -1 over the second, and are 0 for nodes that have no part in them.
struct closest {
    double weight[PAIR_NODES];
    double r[3];     ///< sum weight_i x_i: from the second side's closest point to the first's
    double squared;  ///< |r|^2; its gradient for node i is 2 weight_i r
    uint8_t support; ///< bit i: node i has part in the closest point of its side
};

struct closest closest_points(enum pair_kind kind, const double *const x[PAIR_NODES]);

/// The same bits as closest_points(kind, x).squared, for less.
double closest_squared(enum pair_kind kind, const double *const x[PAIR_NODES]);

/// Parameters in which the closest points are free to slide: 0 between vertices, 1 between vertex
/// and edge, 2 between vertex and face or edge and edge.
int closest_parameter_count(const struct closest *closest);

/// The second derivatives of the squared distance where `support` does not change, row-major over
/// the nodes of `kind` times 3 (12 x 12 at most):
///     2 [(w w^T) x I - C (J J^T)^-1 C^T],  C_ij = w_i J_j + g_ji r,
/// where J_j = dr/dq_j and g_ji = dw_i/dq_j for the free parameters q.
void closest_hessian(enum pair_kind kind, const double *const x[PAIR_NODES],
                     const struct closest *closest, double *hessian);

/// The positive part of minus the second derivatives of the distance, which a repulsive potential
/// f(d), f' < 0, multiplies by -f':  (-hess d)^+ = sum_k coefficient_k vector_k vector_k^T over
/// unit vectors orthogonal to one another. Nothing is left of it between vertices and at distance
/// 0.
struct closest_bending {
    int count; ///< at most 2
    double coefficient[2];
    double vector[2][PAIR_NODES][3];
};

/// Closed form: with q_k an orthonormal basis of the J_j and ghat its weights, turned so that
/// ghat_1.ghat_2 = 0, minus the Hessian of d is the sum over k of u v^T + v u^T + d v v^T with
/// u = w x q_k, v = ghat_k x n, less a positive semidefinite rest orthogonal to all of them.
void closest_bending(enum pair_kind kind, const double *const x[PAIR_NODES],
                     const struct closest *closest, struct closest_bending *out);

/// All second derivatives of the distance where `support` does not change: hess d = sum_k
/// coefficient_k vector_k vector_k^T over unit vectors orthogonal to one another. Nothing at
/// distance 0.
struct closest_curvature {
    int count;          ///< at most 4
    int positive_count; ///< those come first, and behind them what closest_bending has, negated
    double coefficient[4];
    double vector[4][PAIR_NODES][3];
};

/// Closed form: each plane {u, v} of closest_bending has one eigenvalue of either sign, the product
/// of both is -|u|^2 |v|^2; each direction q orthogonal to r and to all J_j has w x q, with |w|^2 /
/// d.
void closest_curvature(enum pair_kind kind, const double *const x[PAIR_NODES],
                       const struct closest *closest, struct closest_curvature *out);

/// A pair of a point and anything without the nodes that have no part in it: a point and a triangle
/// become a point and an edge, or two points. Writes the closest points of the smaller pair, and
/// which nodes are its own. Returns its kind.
enum pair_kind closest_reduce(enum pair_kind kind, const struct closest *closest,
                              struct closest *reduced, int node[PAIR_NODES]);

#endif
