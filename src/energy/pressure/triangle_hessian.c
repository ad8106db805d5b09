// The part of pressure's Hessian that one triangle adds; see pressure.h. Of a closed surface the
// volume's Hessian is the sum of blocks S_ab = [E_b - E_a]_x / 12 over its triangles, with the edge
// E_a opposite to corner a: they are those of forces that are the same for all three corners, a
// third of the triangle's area vector, made symmetric. So they depend on edges alone, not on where
// the origin is, and are as small as possible.
#include <math.h>
#include <string.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "energy/pressure/pressure.h"

/// The vectors d_ab = (E_b - E_a) / 12.
static void list_arms(const double x[9], double arms[3][3][3]) {
    double edges[3][3];
    for (size_t a = 0; a < 3; a++) {
        subtract3(x + 3 * ((a + 2) % 3), x + 3 * ((a + 1) % 3), edges[a]);
    }
    for (size_t a = 0; a < 3; a++) {
        for (size_t b = 0; b < 3; b++) {
            subtract3(edges[b], edges[a], arms[a][b]);
            scale3(1.0 / 12.0, arms[a][b], arms[a][b]);
        }
    }
}

static void add_exact(double arms[3][3][3], double factor, double out[81]) {
    for (size_t a = 0; a < 3; a++) {
        for (size_t b = 0; b < 3; b++) {
            const double *d = arms[a][b];
            const double cross[9] = {0.0, -d[2], d[1], d[2], 0.0, -d[0], -d[1], d[0], 0.0};
            for (size_t i = 0; i < 9; i++) {
                out[9 * (3 * a + i / 3) + 3 * b + i % 3] += factor * cross[i];
            }
        }
    }
}

/// The root of the 3 x 3 matrix G = B B^T, and its inverse on the matrix's range. B, 3 x 6, maps
/// motions in the triangle's plane to forces along its normal.
static void take_roots(const double gram[9], double root[9], double inverse[9]) {
    static const double LEAST = 1e-14; // of the largest eigenvalue: what is 0 but for rounding
    double values[3], vectors[9];
    eigen3(gram, values, vectors);
    memset(root, 0, 9 * sizeof *root);
    memset(inverse, 0, 9 * sizeof *inverse);
    for (size_t k = 0; k < 3; k++) {
        if (!(values[k] > LEAST * values[2])) {
            continue;
        }
        const double size = sqrt(values[k]);
        for (size_t i = 0; i < 9; i++) {
            const double product = vectors[3 * (i / 3) + k] * vectors[3 * (i % 3) + k];
            root[i] += size * product;
            inverse[i] += product / size;
        }
    }
}

/// Adds factor |S|: S couples motions along the normal with those in the plane alone, S = [0 B; B^T
/// 0], so that |S| is (B B^T)^(1/2) along the normal and B^T (B B^T)^(-1/2) B in the plane. Row a
/// of B is n x d_ab for each corner b.
static void add_magnitude(double arms[3][3][3], const double normal[3], double factor,
                          double out[81]) {
    double rows[3][9], gram[9], root[9], inverse[9];
    for (size_t a = 0; a < 3; a++) {
        for (size_t b = 0; b < 3; b++) {
            cross3(normal, arms[a][b], rows[a] + 3 * b);
        }
    }
    for (size_t i = 0; i < 9; i++) {
        gram[i] = 0.0;
        for (size_t k = 0; k < 9; k++) {
            gram[i] += rows[i / 3][k] * rows[i % 3][k];
        }
    }
    take_roots(gram, root, inverse);
    for (size_t i = 0; i < 81; i++) {
        const size_t row = i / 9, column = i % 9;
        double sum = root[3 * (row / 3) + column / 3] * normal[row % 3] * normal[column % 3];
        for (size_t k = 0; k < 9; k++) {
            sum += rows[k / 3][row] * inverse[k] * rows[k % 3][column];
        }
        out[i] += factor * sum;
    }
}

void pressure_triangle_hessian(const double x[9], double excess, bool project, double out[81]) {
    double arms[3][3][3], first[3], second[3], normal[3];
    memset(out, 0, 81 * sizeof *out);
    list_arms(x, arms);
    if (!project) {
        add_exact(arms, -excess, out);
        return;
    }
    // (A + |A|) / 2 of A = -excess S.
    add_exact(arms, -0.5 * excess, out);
    subtract3(x + 3, x, first);
    subtract3(x + 6, x, second);
    cross3(first, second, normal);
    const double area = norm3(normal);
    if (area > 0.0) {
        scale3(1.0 / area, normal, normal);
        add_magnitude(arms, normal, 0.5 * fabs(excess), out);
    }
}
