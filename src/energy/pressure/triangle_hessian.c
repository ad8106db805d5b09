// The part of pressure's Hessian that one triangle adds; see pressure.h. Of a closed surface the
// volume's Hessian is the sum of blocks S_ab = [E_b - E_a]_x / 12 over its triangles, with the edge
// E_a opposite to corner a: they are those of forces that are the same for all three corners, a
// third of the triangle's area vector, made symmetric. So they depend on edges alone, not on where
// the origin is, and are as small as possible.
// SPDX-License-Identifier: MIT
#include <string.h>

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

void pressure_triangle_hessian(const double x[9], double excess, double out[81]) {
    double arms[3][3][3];
    memset(out, 0, 81 * sizeof *out);
    list_arms(x, arms);
    add_exact(arms, -excess, out);
}
