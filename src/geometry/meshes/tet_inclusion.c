// Most points are clearly outside of some face, which is decided in doubles. Exact signs are
// computed for the others only.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/tet_inclusion.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/exact/orientation.h"
#include "geometry/meshes/tet_mesh.h"

/// Smallest volume relative to the longest edge cubed.
static const double FLAT = 1e-14;
/// Relative to the sum of the absolute values of a determinant's products, a bound of its rounding
/// error.
static const double UNCERTAINTY = 1e-14;

struct determinant {
    double value, size;
};

/// Returns det(b - a, c - a, d - a) and the sum of the absolute values of its products.
static struct determinant determinant_of(const double *a, const double *b, const double *c,
                                         const double *d) {
    struct determinant out = {0.0, 0.0};
    double u[3], v[3], w[3];
    subtract3(b, a, u);
    subtract3(c, a, v);
    subtract3(d, a, w);
    for (int k = 0; k < 3; k++) {
        const double plus = u[(k + 1) % 3] * v[(k + 2) % 3];
        const double minus = u[(k + 2) % 3] * v[(k + 1) % 3];
        out.value += w[k] * (plus - minus);
        out.size += fabs(w[k]) * (fabs(plus) + fabs(minus));
    }
    return out;
}

static double longest_edge(const double *const corners[4]) {
    double longest = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            double edge[3];
            subtract3(corners[i], corners[j], edge);
            longest = fmax(longest, dot3(edge, edge));
        }
    }
    return sqrt(longest);
}

static int exact_side(const double *const corners[4], const uint8_t face[3], const double p[3]) {
    return orientation_of_four(corners[face[0]], corners[face[1]], corners[face[2]], p);
}

bool tet_contains(const double *const corners[4], const double p[3], double weight[4]) {
    bool is_uncertain[4];
    double part[4];
    for (int f = 0; f < 4; f++) {
        const uint8_t *face = tet_face_vertices[f];
        const struct determinant outside = determinant_of(corners[face[0]], corners[face[1]],
                                                          corners[face[2]], p);
        // Written so that NaN is outside.
        if (!(outside.value <= UNCERTAINTY * outside.size)) {
            return false;
        }
        is_uncertain[f] = !(outside.value < -UNCERTAINTY * outside.size);
        part[f] = fmax(-outside.value, 0.0);
    }
    for (int f = 0; f < 4; f++) {
        if (is_uncertain[f] && exact_side(corners, tet_face_vertices[f], p) > 0) {
            return false;
        }
    }
    const double volume = determinant_of(corners[0], corners[1], corners[2], corners[3]).value;
    const double longest = longest_edge(corners);
    if (!(volume > FLAT * longest * longest * longest)) {
        return false;
    }
    const double sum = (part[0] + part[1]) + (part[2] + part[3]);
    for (uint32_t i = 0; i < 4; i++) {
        weight[i] = part[tet_face_opposite(i)] / sum;
    }
    return true;
}
