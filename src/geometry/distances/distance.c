// Rounding: coordinates are subtracted before products are formed. Parallelism is measured by the
// cross product; where it is small, the closest of all candidates with an end point is used. Every
// candidate is the distance of two points of the primitives, so that rounding in its parameters can
// only make it slightly too large.
// SPDX-License-Identifier: MIT
#include "geometry/distances/distance.h"

#include <stdbool.h>

#include "base/matrix3/math3.h"

// An edge with a smaller squared length counts as a point, and a crossing with a smaller squared
// area is left to the end points. No quotient overflows, and the error is 1e-50 m.
static const double negligible = 1e-200;
// Squared sines of the angle between edges; for triangles, squared areas over the fourth power of
// the longest edge. Below nearly_parallel, the crossing of two lines or the projection to a plane
// is refined before it is used. Below parallel, its direction is rounding: it is only one candidate
// among the end points, and has no derivative.
static const double nearly_parallel = 1e-4, parallel = 1e-20;

enum { ALL_NODES = 15 };

int pair_node_count(enum pair_kind kind) {
    return kind == PAIR_POINT_EDGE ? 3 : kind == PAIR_POINT_POINT ? 2 : 4;
}

// --- closest points ---

// The point a + t (b - a) of an edge closest to p. r: vector from it to p.
struct on_edge {
    double t, squared, r[3];
};

ALWAYS_INLINE struct on_edge point_edge(const double p[3], const double a[3], const double b[3]) {
    struct on_edge c;
    double edge[3];
    subtract3(b, a, edge);
    subtract3(p, a, c.r);
    const double length = dot3(edge, edge), along = dot3(edge, c.r);
    c.t = along <= 0.0 || length <= negligible ? 0.0 : along >= length ? 1.0 : along / length;
    // At t = 1 the node b itself is used, since a + (b - a) may differ from it by rounding.
    const double *base = c.t == 1.0 ? b : a;
    const double inside = c.t == 1.0 ? 0.0 : c.t;
    subtract3(p, base, c.r);
    add_scaled3(c.r, -inside, edge, c.r);
    c.squared = dot3(c.r, c.r);
    return c;
}

ALWAYS_INLINE struct closest between_nodes(const double *const x[]) {
    struct closest c = {.weight = {1.0, -1.0}, .support = 3};
    subtract3(x[0], x[1], c.r);
    c.squared = dot3(c.r, c.r);
    return c;
}

// sign: 1 if the point is on the first side, -1 otherwise.
ALWAYS_INLINE struct closest from_edge(const struct on_edge *e, double sign, int p, int a, int b) {
    struct closest c = {.squared = e->squared};
    scale3(sign, e->r, c.r);
    c.weight[p] = sign;
    c.weight[a] = -sign * (1.0 - e->t);
    c.weight[b] = -sign * e->t;
    c.support = (uint8_t)(1 << p | (e->t < 1.0) << a | (e->t > 0.0) << b);
    return c;
}

// The projection of p to the plane of a triangle. inside: it is in the triangle. certain: the
// normal is more than rounding.
struct on_face {
    double weight[3], squared, r[3];
    bool inside, certain;
};

// Refines the weights in a sliver, whose error is rounding divided by the height. The error of the
// position across is only rounding, so the weight of the node opposite to the longest edge is kept.
// The weights along the longest edge are recomputed for it.
static void slide_along_longest(const double *const x[], struct on_face *c) {
    int across = 0;
    double longest = -1.0, along[3] = {0.0}, to[3], rest[3];
    for (int i = 0; i < 3; i++) {
        double edge[3];
        subtract3(x[1 + (i + 2) % 3], x[1 + (i + 1) % 3], edge);
        if (dot3(edge, edge) > longest) {
            longest = dot3(edge, edge);
            copy3(edge, along);
            across = i;
        }
    }
    const int from = (across + 1) % 3, end = (across + 2) % 3;
    subtract3(x[0], x[1 + from], to);
    subtract3(x[1 + across], x[1 + from], rest);
    add_scaled3(to, -c->weight[across], rest, to);
    c->weight[end] = dot3(to, along) / longest;
    c->weight[from] = 1.0 - c->weight[across] - c->weight[end];
    c->inside = c->weight[end] >= 0.0 && c->weight[from] >= 0.0;
}

ALWAYS_INLINE struct on_face point_plane(const double *const x[]) {
    struct on_face c = {.inside = false};
    double u[3], v[3], w[3], to[3][3], n[3], m[3];
    subtract3(x[2], x[1], u);
    subtract3(x[3], x[1], v);
    subtract3(x[3], x[2], w);
    cross3(u, v, n);
    const double area = dot3(n, n);
    const double longest = fmax(dot3(u, u), fmax(dot3(v, v), dot3(w, w)));
    if (!(area > negligible)) {
        return c;
    }
    for (int i = 0; i < 3; i++) {
        subtract3(x[1 + i], x[0], to[i]);
    }
    double sum = 0.0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        cross3(to[(i + 1) % 3], to[(i + 2) % 3], m);
        c.weight[i] = dot3(n, m);
        inside = inside && c.weight[i] >= 0.0;
        sum += c.weight[i];
    }
    if (!inside || !(sum > 0.0)) {
        return c;
    }
    scale3(1.0 / sum, c.weight, c.weight);
    c.inside = true;
    c.certain = area > parallel * longest * longest;
    if (!(area > nearly_parallel * longest * longest)) {
        slide_along_longest(x, &c);
    }
    for (int k = 0; k < 3; k++) {
        c.r[k] = -to[0][k] - c.weight[1] * u[k] - c.weight[2] * v[k];
    }
    c.squared = dot3(c.r, c.r);
    return c;
}

ALWAYS_INLINE struct closest point_triangle(const double *const x[]) {
    const struct on_face face = point_plane(x);
    struct on_edge best = {.squared = INFINITY};
    int from = 1, to = 2;
    if (!face.inside || !face.certain) {
        // If p is outside the prism over the triangle, the closest point is on the boundary.
        best = point_edge(x[0], x[1], x[2]);
        const struct on_edge second = point_edge(x[0], x[2], x[3]);
        const struct on_edge third = point_edge(x[0], x[3], x[1]);
        if (second.squared < best.squared) {
            best = second;
            from = 2;
            to = 3;
        }
        if (third.squared < best.squared) {
            best = third;
            from = 3;
            to = 1;
        }
    }
    if (!face.inside || best.squared < face.squared) {
        return from_edge(&best, 1.0, 0, from, to);
    }
    struct closest c = {.weight = {1.0, -face.weight[0], -face.weight[1], -face.weight[2]},
                        .squared = face.squared,
                        .support = ALL_NODES};
    copy3(face.r, c.r);
    return c;
}

// The crossing of two lines seen along their common normal, at parameters s and t. inside: it is
// inside both edges. certain: the normal is more than rounding.
struct crossing {
    double s, t, squared, r[3];
    bool inside, certain;
};

ALWAYS_INLINE struct crossing cross_edges(const double *const x[]) {
    struct crossing c = {.inside = false};
    double u[3], v[3], between[3], n[3], m[3];
    subtract3(x[1], x[0], u);
    subtract3(x[3], x[2], v);
    subtract3(x[2], x[0], between);
    cross3(u, v, n);
    // u|^2 |v|^2 - (u.v)^2 would be pure rounding below a sine of 1e-8, and would overestimate
    // distances.
    const double area = dot3(n, n), lengths = dot3(u, u) * dot3(v, v);
    if (!(area > negligible)) {
        return c;
    }
    cross3(between, v, m);
    c.s = dot3(m, n) / area;
    cross3(between, u, m);
    c.t = dot3(m, n) / area;
    c.inside = c.s > 0.0 && c.s < 1.0 && c.t > 0.0 && c.t < 1.0;
    c.certain = area > parallel * lengths;
    if (c.inside && !(area > nearly_parallel * lengths)) {
        // The error of s and t is rounding divided by the sine. The best t for this s is
        // recomputed; the remaining error is the sine times that of s.
        double to[3];
        scale3(c.s, u, to);
        subtract3(to, between, to);
        c.t = dot3(to, v) / dot3(v, v);
        c.inside = c.t > 0.0 && c.t < 1.0;
    }
    for (int k = 0; k < 3; k++) {
        c.r[k] = c.s * u[k] - c.t * v[k] - between[k];
    }
    c.squared = dot3(c.r, c.r);
    return c;
}

ALWAYS_INLINE struct closest edge_edge(const double *const x[]) {
    const struct crossing crossing = cross_edges(x);
    struct on_edge best = {.squared = INFINITY};
    int point = 0;
    if (!crossing.inside || !crossing.certain) {
        for (int i = 0; i < 4; i++) {
            const int other = i < 2 ? 2 : 0;
            const struct on_edge end = point_edge(x[i], x[other], x[other + 1]);
            if (end.squared < best.squared) {
                best = end;
                point = i;
            }
        }
    }
    if (!crossing.inside || best.squared < crossing.squared) {
        return point < 2 ? from_edge(&best, 1.0, point, 2, 3) : from_edge(&best, -1.0, point, 0, 1);
    }
    struct closest c = {.weight = {1.0 - crossing.s, crossing.s, crossing.t - 1.0, -crossing.t},
                        .squared = crossing.squared,
                        .support = ALL_NODES};
    copy3(crossing.r, c.r);
    return c;
}

ALWAYS_INLINE struct closest closest_of(enum pair_kind kind, const double *const x[]) {
    switch (kind) {
    case PAIR_POINT_TRIANGLE: return point_triangle(x);
    case PAIR_EDGE_EDGE: return edge_edge(x);
    case PAIR_POINT_EDGE: {
        const struct on_edge e = point_edge(x[0], x[1], x[2]);
        return from_edge(&e, 1.0, 0, 1, 2);
    }
    case PAIR_POINT_POINT:
    default: return between_nodes(x);
    }
}

struct closest closest_points(enum pair_kind kind, const double *const x[PAIR_NODES]) {
    return closest_of(kind, x);
}

double closest_squared(enum pair_kind kind, const double *const x[PAIR_NODES]) {
    return closest_of(kind, x).squared;
}

// --- derivatives ---

int closest_parameter_count(const struct closest *closest) {
    int nodes = 0;
    for (int i = 0; i < PAIR_NODES; i++) {
        nodes += closest->support >> i & 1;
    }
    return nodes - 2;
}

// The free parameters are the weights of all supporting nodes of a side except its first one, whose
// weight decreases accordingly. q: an orthonormal basis of the J_j; g: ghat = L^-1 g, the weights
// in this basis, where J = L q.
struct sliding {
    int count;
    double q[2][3];
    double g[2][PAIR_NODES];
};

static void add_parameter(const double *const x[], int first, int node, struct sliding *out) {
    double j[3], g[PAIR_NODES] = {0.0};
    subtract3(x[node], x[first], j);
    g[first] = -1.0;
    g[node] = 1.0;
    const double whole = dot3(j, j);
    for (int k = 0; k < out->count; k++) {
        const double along = dot3(j, out->q[k]);
        add_scaled3(j, -along, out->q[k], j);
        for (int i = 0; i < PAIR_NODES; i++) {
            g[i] -= along * out->g[k][i];
        }
    }
    const double squared = dot3(j, j), length = sqrt(squared);
    if (!(squared > parallel * whole)) {
        return;
    }
    scale3(1.0 / length, j, out->q[out->count]);
    for (int i = 0; i < PAIR_NODES; i++) {
        out->g[out->count][i] = g[i] / length;
    }
    out->count++;
}

static struct sliding sliding_of(enum pair_kind kind, const double *const x[],
                                 const struct closest *closest) {
    struct sliding out = {.count = 0};
    const int sides[3] = {0, pair_first_count(kind), pair_node_count(kind)};
    for (int side = 0; side < 2; side++) {
        int first = -1;
        for (int i = sides[side]; i < sides[side + 1]; i++) {
            if ((closest->support >> i & 1) == 0) {
                continue;
            }
            if (first < 0) {
                first = i;
            } else {
                add_parameter(x, first, i, &out);
            }
        }
    }
    return out;
}

void closest_hessian(enum pair_kind kind, const double *const x[PAIR_NODES],
                     const struct closest *closest, double *hessian) {
    const int nodes = pair_node_count(kind), rows = 3 * nodes;
    const struct sliding sliding = sliding_of(kind, x, closest);
    const double *w = closest->weight;
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < rows; b++) {
            const int i = a / 3, j = b / 3, row = a % 3, column = b % 3;
            double sum = row == column ? w[i] * w[j] : 0.0;
            for (int k = 0; k < sliding.count; k++) {
                const double *q = sliding.q[k], *g = sliding.g[k];
                sum -= (w[i] * q[row] + g[i] * closest->r[row]) *
                       (w[j] * q[column] + g[j] * closest->r[column]);
            }
            hessian[rows * a + b] = 2.0 * sum;
        }
    }
}

ALWAYS_INLINE double dot_weights(const double *a, const double *b) {
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

// Rotates both directions in their plane until their weights are orthogonal.
static void rotate_sliding(struct sliding *s) {
    const double across = dot_weights(s->g[0], s->g[1]);
    const double difference = dot_weights(s->g[0], s->g[0]) - dot_weights(s->g[1], s->g[1]);
    // Cosine and sine of half the angle of (difference, 2 across), without atan2.
    const double length = sqrt(difference * difference + 4.0 * across * across);
    if (across == 0.0 || !(length > 0.0)) {
        return;
    }
    const double larger = sqrt(0.5 * (1.0 + fabs(difference) / length));
    const double smaller = fabs(across) / (length * larger);
    const double cosine = difference >= 0.0 ? larger : smaller;
    const double sine = copysign(difference >= 0.0 ? smaller : larger, across);
    for (int i = 0; i < PAIR_NODES; i++) {
        const double a = s->g[0][i], b = s->g[1][i];
        s->g[0][i] = cosine * a + sine * b;
        s->g[1][i] = cosine * b - sine * a;
    }
    for (int i = 0; i < 3; i++) {
        const double a = s->q[0][i], b = s->q[1][i];
        s->q[0][i] = cosine * a + sine * b;
        s->q[1][i] = cosine * b - sine * a;
    }
}

/// Computes the sliding directions, rotated so that their weights are orthogonal.
static struct sliding rotated_sliding(enum pair_kind kind, const double *const x[],
                                      const struct closest *closest) {
    struct sliding sliding = sliding_of(kind, x, closest);
    if (sliding.count == 2) {
        rotate_sliding(&sliding);
    }
    return sliding;
}

/// -hess d in the plane of u / |u| and v / |v|: the matrix [[0, |u||v|], [|u||v|, d |v|^2]].
struct sliding_plane {
    double off;    ///< |u||v|
    double length; ///< |v|
    double lambda; ///< the positive eigenvalue
    double norm;   ///< 1 / length of its eigenvector (off, lambda)
};

ALWAYS_INLINE struct sliding_plane plane_of(const double *g, double a, double d) {
    struct sliding_plane p;
    const double c = dot_weights(g, g);
    p.length = sqrt(c);
    p.off = sqrt(a) * p.length;
    p.lambda = 0.5 * (d * c + sqrt(d * d * c * c + 4.0 * a * c));
    p.norm = 1.0 / sqrt(p.off * p.off + p.lambda * p.lambda);
    return p;
}

/// vector = along_u (w x q) + along_v (ghat x r), a vector of the plane.
ALWAYS_INLINE void in_plane(const struct closest *closest, const struct sliding *sliding, int k,
                            double along_u, double along_v, double (*vector)[3]) {
    for (int i = 0; i < PAIR_NODES; i++) {
        for (int e = 0; e < 3; e++) {
            vector[i][e] = along_u * closest->weight[i] * sliding->q[k][e] +
                           along_v * sliding->g[k][i] * closest->r[e];
        }
    }
}

void closest_bending(enum pair_kind kind, const double *const x[PAIR_NODES],
                     const struct closest *closest, struct closest_bending *out) {
    out->count = 0;
    if (!(closest->squared > 0.0)) {
        return;
    }
    const struct sliding sliding = rotated_sliding(kind, x, closest);
    const double d = sqrt(closest->squared), a = dot_weights(closest->weight, closest->weight);
    for (int k = 0; k < sliding.count; k++) {
        const struct sliding_plane p = plane_of(sliding.g[k], a, d);
        in_plane(closest, &sliding, k, p.norm * p.length, p.norm * p.lambda / (p.length * d),
                 out->vector[k]);
        out->coefficient[k] = p.lambda;
    }
    out->count = sliding.count;
}

/// Computes unit vectors orthogonal to r and to all sliding directions. Returns their number.
static int directions_across(const struct closest *closest, double d, const struct sliding *sliding,
                             double across[2][3]) {
    double normal[3];
    scale3(1.0 / d, closest->r, normal);
    if (sliding->count == 0) {
        tangents3(normal, across);
    } else if (sliding->count == 1) {
        cross3(normal, sliding->q[0], across[0]);
    }
    return 2 - sliding->count;
}

void closest_curvature(enum pair_kind kind, const double *const x[PAIR_NODES],
                       const struct closest *closest, struct closest_curvature *out) {
    out->count = out->positive_count = 0;
    if (!(closest->squared > 0.0)) {
        return;
    }
    const struct sliding sliding = rotated_sliding(kind, x, closest);
    const double d = sqrt(closest->squared), a = dot_weights(closest->weight, closest->weight);
    double across[2][3] = {{0.0}};
    const int across_count = directions_across(closest, d, &sliding, across);
    for (int k = 0; k < across_count; k++) {
        for (int i = 0; i < PAIR_NODES; i++) {
            scale3(closest->weight[i] / sqrt(a), across[k], out->vector[k][i]);
        }
        out->coefficient[k] = a / d;
    }
    out->positive_count = across_count + sliding.count;
    out->count = out->positive_count + sliding.count;
    for (int k = 0; k < sliding.count; k++) {
        const struct sliding_plane p = plane_of(sliding.g[k], a, d);
        const int positive = across_count + k, negative = out->positive_count + k;
        // The other eigenvector is (lambda, -off).
        in_plane(closest, &sliding, k, p.norm * p.lambda / sqrt(a), -p.norm * sqrt(a) / d,
                 out->vector[positive]);
        in_plane(closest, &sliding, k, p.norm * p.length, p.norm * p.lambda / (p.length * d),
                 out->vector[negative]);
        out->coefficient[positive] = p.off * p.off / p.lambda;
        out->coefficient[negative] = -p.lambda;
    }
}

enum pair_kind closest_reduce(enum pair_kind kind, const struct closest *closest,
                              struct closest *reduced, int node[PAIR_NODES]) {
    int count = 0;
    *reduced = (struct closest){.squared = closest->squared};
    copy3(closest->r, reduced->r);
    for (int i = 0; i < pair_node_count(kind); i++) {
        if ((closest->support >> i & 1) != 0) {
            node[count] = i;
            reduced->weight[count] = closest->weight[i];
            reduced->support |= (uint8_t)(1 << count);
            count++;
        }
    }
    return count == 4 ? PAIR_POINT_TRIANGLE : count == 3 ? PAIR_POINT_EDGE : PAIR_POINT_POINT;
}
