// SPDX-License-Identifier: MIT
#include "contact/barrier/edge_factor.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/small_eigen.h"

typedef double per_point[CONTACT_POINTS][3];

// Threshold of IPC's mollifier, relative to the product of the squared rest lengths.
static const double PARALLEL_THRESHOLD = 1e-3;

// What multiplies a barrier by less than this is none. The force of a taper is its root, 1e-10 of
// that of the barrier.
static const double NEGLIGIBLE = 1e-20;

// Below this the sine of the angle has no significant digits, and every direction normal to the
// edges may be used.
static const double LEAST_SINE = 1e-12;

/// gradient = the derivative of t . (u x v) for the edges u from x0 to x1 and v from x2 to x3.
static void cross_gradient(const double u[3], const double v[3], const double t[3], per_point out) {
    cross3(v, t, out[1]);
    scale3(-1.0, out[1], out[0]);
    cross3(t, u, out[3]);
    scale3(-1.0, out[3], out[2]);
}

// --- two edges ---

/// Two edges, with the tapers towards their ends: at the points 0 and 1 of the first and 2 and 3 of
/// the second one.
struct edge_pair {
    double u[3], v[3], cross[3];
    double square;    ///< |u x v|^2
    double height[2]; ///< m: of each edge across the other
    struct barrier_value taper[PAIR_NODES];
};

/// The parameter of a contact's closest point along an edge, counted from the given end.
static double share_from(const struct active_contact *contact, int end) {
    return fabs(contact->weight[end ^ 1]);
}

static void describe(const struct active_contact *contact, const double *const x[PAIR_NODES],
                     struct edge_pair *out) {
    subtract3(x[1], x[0], out->u);
    subtract3(x[3], x[2], out->v);
    cross3(out->u, out->v, out->cross);
    out->square = dot3(out->cross, out->cross);
    out->height[0] = sqrt(out->square / dot3(out->v, out->v));
    out->height[1] = sqrt(out->square / dot3(out->u, out->u));
    for (int end = 0; end < PAIR_NODES; end++) {
        out->taper[end] = contact->taper_width > 0.0
                              ? taper_evaluate(share_from(contact, end) * out->height[end / 2],
                                               contact->taper_width)
                              : (struct barrier_value){1.0, 0.0, 0.0};
    }
}

/// Whether some taper changes, of edges that are not parallel.
static bool is_beside_end(const struct edge_pair *edges) {
    bool changes = false;
    for (int end = 0; end < PAIR_NODES; end++) {
        changes = changes || edges->taper[end].value < 1.0;
    }
    return changes && edges->square > 0.0;
}

/// out = the gradients of the parameters of the closest points along both edges, inside of these.
static void parameter_gradients(const struct active_contact *contact, const struct edge_pair *edges,
                                per_point out[2]) {
    const double uu = dot3(edges->u, edges->u) / edges->square;
    const double vv = dot3(edges->v, edges->v) / edges->square;
    const double uv = dot3(edges->u, edges->v) / edges->square;
    double r[3];
    scale3(contact->distance, contact->normal, r);
    for (int k = 0; k < CONTACT_POINTS; k++) {
        double of_u[3];
        double of_v[3];
        scale3(contact->weight[k], edges->u, of_u);
        scale3(contact->weight[k], edges->v, of_v);
        // The derivatives of r . u and r . v at constant parameters.
        double *const own = k < 2 ? of_u : of_v;
        add_scaled3(own, k % 2 == 0 ? -1.0 : 1.0, r, own);
        for (int i = 0; i < 3; i++) {
            out[0][k][i] = uv * of_v[i] - vv * of_u[i];
            out[1][k][i] = uu * of_v[i] - uv * of_u[i];
        }
    }
}

/// out = the gradient of the height of an edge, 0 or 1, across the other one: the length of what
/// is left of it without its part along that.
static void height_gradient(const struct edge_pair *edges, int edge, per_point out) {
    const double *const own = edge == 0 ? edges->u : edges->v;
    const double *const other = edge == 0 ? edges->v : edges->u;
    const double along = dot3(own, other) / dot3(other, other);
    double across[3];
    add_scaled3(own, -along, other, across);
    const int first = 2 * edge;
    const int second = 2 - first;
    scale3(1.0 / edges->height[edge], across, out[first + 1]);
    scale3(-1.0, out[first + 1], out[first]);
    scale3(along, out[first + 1], out[second]);
    scale3(-along, out[first + 1], out[second + 1]);
}

/// out = the gradients of the distances q that the tapers are functions of.
static void end_gradients(const struct active_contact *contact, const struct edge_pair *edges,
                          per_point out[PAIR_NODES]) {
    per_point of_parameter[2];
    parameter_gradients(contact, edges, of_parameter);
    for (int edge = 0; edge < 2; edge++) {
        per_point of_height;
        height_gradient(edges, edge, of_height);
        for (int end = 2 * edge; end < 2 * edge + 2; end++) {
            const double turn = end % 2 == 0 ? edges->height[edge] : -edges->height[edge];
            for (int k = 0; k < CONTACT_POINTS; k++) {
                scale3(share_from(contact, end), of_height[k], out[end][k]);
                add_scaled3(out[end][k], turn, of_parameter[edge][k], out[end][k]);
            }
        }
    }
}

// --- the factor ---

/// Where one of the edges has no triangle, the ends of the other one touch nothing beside it. Nor
/// does the corner of the only triangle beside a border, whose own triangle that is.
static bool is_tapered(const struct collision_mesh *mesh, uint32_t first, uint32_t second) {
    const uint8_t fewer = mesh->edge_triangles[first] < mesh->edge_triangles[second]
                              ? mesh->edge_triangles[first]
                              : mesh->edge_triangles[second];
    const bool is_within_part = mesh->part[mesh->edges[2 * (size_t)first]] ==
                                mesh->part[mesh->edges[2 * (size_t)second]];
    return fewer >= (is_within_part ? 2 : 1);
}

static double threshold_of(const struct collision_mesh *mesh, uint32_t first, uint32_t second) {
    return PARALLEL_THRESHOLD * mesh->edge_squares[first] * mesh->edge_squares[second];
}

void edge_factor_set(const struct collision_mesh *mesh, double width,
                     const double *const x[PAIR_NODES], struct active_contact *contact) {
    struct edge_pair edges;
    contact->threshold = threshold_of(mesh, contact->first, contact->second);
    contact->taper_width = is_tapered(mesh, contact->first, contact->second) ? width : 0.0;
    describe(contact, x, &edges);
    contact->factor = mollifier_evaluate(edges.square, contact->threshold).value *
                      edges.taper[0].value * edges.taper[1].value * edges.taper[2].value *
                      edges.taper[3].value;
}

bool edge_factor_is_negligible(const struct collision_mesh *mesh, uint32_t first, uint32_t second,
                               double reach, const double *const x[PAIR_NODES]) {
    if (!is_tapered(mesh, first, second)) {
        return false;
    }
    double u[3];
    double v[3];
    double w[3];
    double cross[3];
    subtract3(x[1], x[0], u);
    subtract3(x[3], x[2], v);
    subtract3(x[0], x[2], w);
    cross3(u, v, cross);
    const double square = dot3(cross, cross);
    const double uu = dot3(u, u);
    const double vv = dot3(v, v);
    const double uv = dot3(u, v);
    const double uw = dot3(u, w);
    const double vw = dot3(v, w);
    // m < 2 s^2 / threshold, and phi < 3 (q / reach)^2 with the parameters times s^2.
    if (2.0 * square < NEGLIGIBLE * threshold_of(mesh, first, second)) {
        return true;
    }
    const double along[2] = {uv * vw - vv * uw, uu * vw - uv * uw};
    const double other[2] = {vv, uu};
    for (int edge = 0; edge < 2; edge++) {
        const double inside = fmin(along[edge], square - along[edge]);
        if (inside <= 0.0 ||
            3.0 * inside * inside < NEGLIGIBLE * reach * reach * square * other[edge]) {
            return true;
        }
    }
    return false;
}

void edge_factor_add_gradient(const struct active_contact *contact,
                              const double *const x[PAIR_NODES], double gradient[PAIR_NODES][3]) {
    struct edge_pair edges;
    per_point of_square;
    per_point of_end[PAIR_NODES];
    describe(contact, x, &edges);
    const struct barrier_value m = mollifier_evaluate(edges.square, contact->threshold);
    const struct barrier_value *const taper = edges.taper;
    const double b = contact->barrier.value;
    const double tapers = taper[0].value * taper[1].value * taper[2].value * taper[3].value;
    if (edges.square < contact->threshold) {
        edges_cross_squared(x, of_square);
        for (int k = 0; k < PAIR_NODES; k++) {
            add_scaled3(gradient[k], b * m.first * tapers, of_square[k], gradient[k]);
        }
    }
    if (!is_beside_end(&edges)) {
        return;
    }
    end_gradients(contact, &edges, of_end);
    for (int end = 0; end < PAIR_NODES; end++) {
        double slope = b * m.value * taper[end].first;
        for (int k = 1; k < PAIR_NODES; k++) {
            slope *= taper[(end + k) % PAIR_NODES].value;
        }
        for (int k = 0; k < PAIR_NODES && slope != 0.0; k++) {
            add_scaled3(gradient[k], slope, of_end[end][k], gradient[k]);
        }
    }
}

// --- the Hessian ---

/// What the energy is a product of: functions of one variable each, with their gradients.
struct product {
    int count;
    struct barrier_value function[SMALL_EIGEN_ROWS];
    double gradient[SMALL_EIGEN_ROWS][3 * CONTACT_POINTS];
};

static void product_add(struct product *product, struct barrier_value function, per_point from) {
    product->function[product->count] = function;
    for (int k = 0; k < CONTACT_POINTS; k++) {
        copy3(from[k], product->gradient[product->count] + 3 * k);
    }
    product->count++;
}

/// Returns the derivative of the product with respect to the variables i and j.
static double second_derivative(const struct product *product, int i, int j) {
    double value = 1.0;
    for (int k = 0; k < product->count; k++) {
        const struct barrier_value *const f = &product->function[k];
        const bool is_either = k == i || k == j;
        value *= is_either ? i == j ? f->second : f->first : f->value;
    }
    return value;
}

static double dot_points(const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < 3 * CONTACT_POINTS; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// Replaces the vectors by orthonormal ones, or zero where they depend on those before, with
/// vector_j = sum_i new_i r_ij. A second pass removes what the first one leaves by rounding.
static void orthonormalise(int count, double vector[SMALL_EIGEN_ROWS][3 * CONTACT_POINTS],
                           double r[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS]) {
    for (int j = 0; j < count; j++) {
        double *const a = vector[j];
        const double whole = sqrt(dot_points(a, a));
        for (int i = 0; i < 2 * j; i++) {
            const double along = dot_points(vector[i % j], a);
            r[i % j][j] += along;
            for (int k = 0; k < 3 * CONTACT_POINTS; k++) {
                a[k] -= along * vector[i % j][k];
            }
        }
        const double left = sqrt(dot_points(a, a));
        const bool is_new = left > LEAST_SINE * whole;
        r[j][j] = is_new ? left : 0.0;
        for (int k = 0; k < 3 * CONTACT_POINTS; k++) {
            a[k] = is_new ? a[k] / left : 0.0;
        }
    }
}

/// out = r f r^T for the second derivatives f of the product.
static void transform_derivatives(const struct product *product,
                                  double r[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS],
                                  double out[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS]) {
    double f[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS];
    double half[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS] = {{0.0}};
    const int n = product->count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            f[i][j] = f[j][i] = second_derivative(product, i, j);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = i; k < n; k++) {
                half[i][j] += r[i][k] * f[k][j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            out[i][j] = 0.0;
            for (int k = j; k < n; k++) {
                out[i][j] += half[i][k] * r[j][k];
            }
        }
    }
}

/// Adds the positive part of the product's second derivatives at constant gradients.
static void add_positive(struct product *product, struct contact_hessian *hessian) {
    double r[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS] = {{0.0}};
    double a[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS];
    double q[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS];
    orthonormalise(product->count, product->gradient, r);
    transform_derivatives(product, r, a);
    small_eigen(product->count, a, q);
    for (int i = 0; i < product->count; i++) {
        if (!(a[i][i] > 0.0)) {
            continue;
        }
        double *const out = hessian->vector[hessian->count][0];
        for (int k = 0; k < 3 * CONTACT_POINTS; k++) {
            out[k] = 0.0;
            for (int j = 0; j < product->count; j++) {
                out[k] += q[j][i] * product->gradient[j][k];
            }
        }
        contact_hessian_add(hessian, a[i][i]);
    }
}

/// Finds three axes: normal to both edges, along the longer one, and normal to these two. Returns
/// false if both edges have length zero.
static bool find_axes(const struct edge_pair *edges, double axes[3][3]) {
    const double *const u = edges->u;
    const double *const v = edges->v;
    const double *const longer = dot3(u, u) >= dot3(v, v) ? u : v;
    const double length = norm3(longer);
    if (!(length > 0.0)) {
        return false;
    }
    scale3(1.0 / length, longer, axes[1]);
    if (norm3(edges->cross) > LEAST_SINE * norm3(u) * norm3(v)) {
        scale3(1.0 / norm3(edges->cross), edges->cross, axes[0]);
    } else {
        int least = fabs(axes[1][1]) < fabs(axes[1][0]) ? 1 : 0;
        least = fabs(axes[1][2]) < fabs(axes[1][least]) ? 2 : least;
        double e[3] = {0.0};
        e[least] = 1.0;
        cross3(axes[1], e, axes[0]);
        scale3(1.0 / norm3(axes[0]), axes[0], axes[0]);
    }
    cross3(axes[0], axes[1], axes[2]);
    return true;
}

/// Adds m as a function of s, and m_s (hess s)^+ to the Hessian.
static void add_mollifier(const struct active_contact *contact, const struct edge_pair *edges,
                          double axes[3][3], struct product *product,
                          struct contact_hessian *hessian) {
    const struct barrier_value m = mollifier_evaluate(edges->square, contact->threshold);
    double others = contact->barrier.value;
    for (int end = 0; end < PAIR_NODES; end++) {
        others *= edges->taper[end].value;
    }
    for (int k = 1; k < 3; k++) {
        // m_s hess s is m_s / s times the sum over the two directions normal to u x v.
        cross_gradient(edges->u, edges->v, axes[k], hessian->vector[hessian->count]);
        contact_hessian_add(hessian, 2.0 * m.first * others);
    }
    const struct barrier_value of_s = {m.value, 2.0 * sqrt(edges->square) * m.first,
                                       2.0 * m.first + 4.0 * edges->square * m.second};
    per_point gradient;
    cross_gradient(edges->u, edges->v, axes[0], gradient);
    product_add(product, of_s, gradient);
}

void edge_factor_hessian(const struct active_contact *contact, const double *const x[PAIR_NODES],
                         struct contact_hessian *hessian) {
    struct edge_pair edges;
    struct product product = {.count = 0};
    per_point gradient;
    per_point of_end[PAIR_NODES];
    double axes[3][3];
    describe(contact, x, &edges);
    if (!find_axes(&edges, axes)) {
        return;
    }
    for (int k = 0; k < CONTACT_POINTS; k++) {
        scale3(contact->weight[k], contact->normal, gradient[k]);
    }
    product_add(&product, contact->barrier, gradient);
    if (edges.square < contact->threshold) {
        add_mollifier(contact, &edges, axes, &product, hessian);
    }
    if (is_beside_end(&edges)) {
        end_gradients(contact, &edges, of_end);
        for (int end = 0; end < PAIR_NODES; end++) {
            if (edges.taper[end].value < 1.0) {
                product_add(&product, edges.taper[end], of_end[end]);
            }
        }
    }
    add_positive(&product, hessian);
}
