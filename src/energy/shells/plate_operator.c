// Computes the operator R of a triangle. Numbers in parentheses are equations of
// docs/theory/shells.md.
// SPDX-License-Identifier: MIT
#include "energy/shells/plate_operator.h"

#include <string.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"

const uint8_t plate_hinge_nodes[PLATE_HINGES][4] = {{0, 1, 2, 3}, {1, 2, 0, 4},  {2, 0, 1, 5},
                                                    {0, 3, 1, 6}, {3, 1, 0, 7},  {1, 4, 2, 8},
                                                    {4, 2, 1, 9}, {2, 5, 0, 10}, {5, 0, 2, 11}};

// Singular values of the fit below this fraction of the largest are dropped: the five angles do not
// determine the corresponding curvatures.
#define LEAST_SINGULAR_VALUE 0.1

/// An edge, and the position of a third vertex: its foot along the edge from the start, and its
/// height above the edge.
struct side {
    double length, foot, height;
};

static struct side measure_side(const double p[3], const double q[3], const double r[3]) {
    double edge[3];
    double leg[3];
    double normal[3];
    subtract3(q, p, edge);
    subtract3(r, p, leg);
    cross3(edge, leg, normal);
    const double length = norm3(edge);
    return (struct side){length, dot3(leg, edge) / length, norm3(normal) / length};
}

/// Both triangles of a hinge, flattened. The frame has its origin at the edge's start, its first
/// axis along the edge, and its second axis pointing out of the left triangle.
struct flattened_hinge {
    struct side left, right;
};

static struct flattened_hinge flatten(const struct plate_patch *patch, int hinge) {
    const uint8_t *node = plate_hinge_nodes[hinge];
    const double *p = patch->rest[node[0]];
    const double *q = patch->rest[node[1]];
    return (struct flattened_hinge){measure_side(p, q, patch->rest[node[2]]),
                                    measure_side(p, q, patch->rest[node[3]])};
}

/// Computes the row that gives a hinge's angle on a surface of curvature K = (tt, nn, tn) in the
/// hinge's frame: (3).
static void quadratic_angle(const struct flattened_hinge *h, double row[3]) {
    const double length = h->left.length;
    row[0] = -0.5 * (h->left.foot * (length - h->left.foot) / h->left.height +
                     h->right.foot * (length - h->right.foot) / h->right.height);
    row[1] = 0.5 * (h->left.height + h->right.height);
    row[2] = h->right.foot - h->left.foot;
}

/// Computes the row for half the difference between the left and the right part of that angle: (4).
static void quadratic_difference(const struct flattened_hinge *h, double row[3]) {
    const double length = h->left.length;
    row[0] = 0.25 * (h->right.foot * (length - h->right.foot) / h->right.height -
                     h->left.foot * (length - h->left.foot) / h->left.height);
    row[1] = 0.25 * (h->left.height - h->right.height);
    row[2] = 0.5 * (length - h->left.foot - h->right.foot);
}

/// Transforms a row from the frame whose first axis is (x, y), of any length, to the frame in which
/// (x, y) is given.
static void rotate_row(const double row[3], double x, double y, double out[3]) {
    const double square = x * x + y * y;
    const double cc = x * x / square;
    const double ss = y * y / square;
    const double cs = x * y / square;
    out[0] = row[0] * cc + row[1] * ss - row[2] * cs;
    out[1] = row[0] * ss + row[1] * cc + row[2] * cs;
    out[2] = 2.0 * cs * (row[0] - row[1]) + row[2] * (cc - ss);
}

/// Lists the hinges at the five edges of the two triangles on edge k.
static void list_edges(int k, int hinge[5]) {
    hinge[0] = k;
    hinge[1] = (k + 1) % 3;
    hinge[2] = (k + 2) % 3;
    hinge[3] = 3 + 2 * k;
    hinge[4] = 4 + 2 * k;
}

/// Computes the directions of these edges with both triangles flattened into the plane.
static void edge_directions(const struct flattened_hinge *h, double direction[5][2]) {
    const double length = h->left.length;
    const double directions[5][2] = {{length, 0.0},
                                     {h->left.foot - length, -h->left.height},
                                     {-h->left.foot, h->left.height},
                                     {h->right.foot, h->right.height},
                                     {length - h->right.foot, -h->right.height}};
    memcpy(direction, directions, sizeof directions);
}

/// Computes out = d (B^T B)^+ B^T, `count` weights of the angles, where B has the given rows: (5).
static void apply_pseudo_inverse(double rows[5][3], int count, const double d[3], double out[5]) {
    double normal[9] = {0};
    double lambda[3];
    double q[9];
    double w[3] = {0};
    for (int j = 0; j < count; j++) {
        for (int ab = 0; ab < 9; ab++) {
            normal[ab] += rows[j][ab / 3] * rows[j][ab % 3];
        }
    }
    eigen3(normal, lambda, q);
    for (int v = 0; v < 3; v++) {
        const double column[3] = {q[v], q[3 + v], q[6 + v]};
        const double least = LEAST_SINGULAR_VALUE * LEAST_SINGULAR_VALUE * lambda[2];
        if (lambda[v] > least) {
            add_scaled3(w, dot3(d, column) / lambda[v], column, w);
        }
    }
    for (int j = 0; j < count; j++) {
        out[j] = dot3(w, rows[j]);
    }
}

/// Computes phi, the rotation of the tangent plane at the middle of edge k relative to the
/// triangle, as a row of weights of the hinge angles: (6).
static void inner_rotation(const struct plate_patch *patch, int k, double phi[PLATE_HINGES]) {
    const struct flattened_hinge own = flatten(patch, k);
    int edges[5];
    int used[5];
    int count = 0;
    double direction[5][2];
    double rows[5][3];
    double d[3];
    double weight[5];
    list_edges(k, edges);
    edge_directions(&own, direction);
    for (int j = 0; j < 5; j++) {
        if (patch->hinges[edges[j]] == PLATE_HINGE_INNER) {
            const struct flattened_hinge other = flatten(patch, edges[j]);
            double row[3];
            quadratic_angle(&other, row);
            rotate_row(row, direction[j][0], direction[j][1], rows[count]);
            used[count] = edges[j];
            count++;
        }
    }
    quadratic_difference(&own, d);
    apply_pseudo_inverse(rows, count, d, weight);
    phi[k] = 0.5;
    for (int j = 0; j < count; j++) {
        phi[used[j]] += weight[j];
    }
}

/// Computes nu nu^T, entries (11, 22, 12), of the outward normals nu of the three edges in the
/// frame of edge 0.
static void edge_normals(const struct plate_patch *patch, double length[3], double normals[3][3]) {
    const struct side side = measure_side(patch->rest[0], patch->rest[1], patch->rest[2]);
    const double direction[3][2] = {
        {side.length, 0.0}, {side.foot - side.length, -side.height}, {-side.foot, side.height}};
    for (int k = 0; k < 3; k++) {
        const double *t = direction[k];
        const double square = t[0] * t[0] + t[1] * t[1];
        length[k] = sqrt(square);
        normals[k][0] = t[1] * t[1] / square;
        normals[k][1] = t[0] * t[0] / square;
        normals[k][2] = -t[0] * t[1] / square;
    }
}

/// Condenses the stiffness so that there is no moment about an edge with this normal: (8).
static void free_edge(const double normal[3], double stiffness[9]) {
    double moment[3];
    multiply3(stiffness, normal, moment);
    const double square = dot3(normal, moment);
    for (int ab = 0; ab < 9; ab++) {
        stiffness[ab] -= moment[ab / 3] * moment[ab % 3] / square;
    }
}

/// Computes the symmetric square root of a positive semidefinite matrix.
static void square_root(const double a[9], double root[9]) {
    double lambda[3];
    double q[9];
    eigen3(a, lambda, q);
    memset(root, 0, 9 * sizeof *root);
    for (int v = 0; v < 3; v++) {
        const double s = sqrt(fmax(lambda[v], 0.0));
        for (int ab = 0; ab < 9; ab++) {
            root[ab] += s * q[ab / 3 * 3 + v] * q[ab % 3 * 3 + v];
        }
    }
}

void plate_operator(const struct plate_patch *patch, double r[PLATE_ROWS * PLATE_HINGES]) {
    const struct side side = measure_side(patch->rest[0], patch->rest[1], patch->rest[2]);
    const double area = 0.5 * side.length * side.height;
    const double nu = patch->poisson;
    double stiffness[9] = {1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 2.0 * (1.0 - nu)};
    double curvature[PLATE_ROWS * PLATE_HINGES] = {0};
    double length[3];
    double normals[3][3];
    double root[9];
    edge_normals(patch, length, normals);
    for (int k = 0; k < 3; k++) {
        double phi[PLATE_HINGES] = {0};
        if (patch->hinges[k] == PLATE_HINGE_ABSENT) {
            free_edge(normals[k], stiffness);
        } else if (patch->hinges[k] == PLATE_HINGE_CLAMPED) {
            phi[k] = 1.0;
        } else {
            inner_rotation(patch, k, phi);
        }
        for (int ah = 0; ah < PLATE_ROWS * PLATE_HINGES; ah++) {
            curvature[ah] += length[k] / area * normals[k][ah / PLATE_HINGES] *
                             phi[ah % PLATE_HINGES];
        }
    }
    square_root(stiffness, root);
    const double scale = sqrt(patch->rigidity * area);
    for (int ah = 0; ah < PLATE_ROWS * PLATE_HINGES; ah++) {
        const double *row = root + ah / PLATE_HINGES * 3;
        const double *column = curvature + ah % PLATE_HINGES;
        r[ah] = scale * (row[0] * column[0] + row[1] * column[PLATE_HINGES] +
                         row[2] * column[2 * PLATE_HINGES]);
    }
}
