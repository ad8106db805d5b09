// Evaluates the bond of quaternion_bond.h. With q = (t, s): a = q_i + q_j, c is the rest direction
// rotated by a, and v the vector part of conj(q_j) q_i, the argument of the bending matrix C in the
// rest frame.
// SPDX-License-Identifier: MIT
#include "scenes/bonds/quaternion_bond.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Offsets of p_i, q_i, p_j, q_j.
enum { FROM = 0, TURN_FROM = 3, TO = 7, TURN_TO = 10 };

/// Adds the rows x columns matrix to the Hessian at (row, column).
static void add_block(double *hessian, int row, int column, int rows, int columns, double factor,
                      const double *block) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            hessian[BOND_COORDINATES * (row + i) + column + j] += factor * block[columns * i + j];
        }
    }
}

// --- stretch and shear ---

struct shear {
    double e[3], length, inverse;
    double a[4], square; ///< sum of both quaternions, and a . a
    double matrix[16];   ///< A: e . (a d0 conj(a)) = a . A a
    double c[3], x;      ///< the rotated rest direction, and e . c
    double x_way[3], x_turn[4];
};

static void fill_matrix(const double d[3], const double e[3], double out[16]) {
    double swirl[3];
    const double along = dot3(d, e);
    cross3(d, e, swirl);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[4 * i + j] = d[i] * e[j] + e[i] * d[j] - (i == j ? along : 0.0);
        }
        out[4 * i + 3] = swirl[i];
        out[12 + i] = swirl[i];
    }
    out[15] = along;
}

static bool measure_shear(const struct quaternion_bond *bond, const double *x, struct shear *s) {
    double way[3];
    double around[3];
    const double *d = bond->direction;
    subtract3(x + TO, x + FROM, way);
    s->length = norm3(way);
    s->inverse = 1.0 / s->length;
    scale3(s->inverse, way, s->e);
    s->square = 0.0;
    double cosine = 0.0;
    for (int i = 0; i < 4; i++) {
        s->a[i] = x[TURN_FROM + i] + x[TURN_TO + i];
        s->square += s->a[i] * s->a[i];
        cosine += x[TURN_FROM + i] * x[TURN_TO + i];
    }
    if (!(s->length > 1e-3 * bond->length && cosine > 0.0)) {
        return false;
    }
    cross3(s->a, d, around);
    const double plain = s->a[3] * s->a[3] - dot3(s->a, s->a);
    for (int i = 0; i < 3; i++) {
        s->c[i] = (plain * d[i] + 2.0 * dot3(s->a, d) * s->a[i] + 2.0 * s->a[3] * around[i]) /
                  s->square;
    }
    s->x = dot3(s->e, s->c);
    fill_matrix(d, s->e, s->matrix);
    for (int i = 0; i < 4; i++) {
        double sum = 0.0;
        for (int j = 0; j < 4; j++) {
            sum += s->matrix[4 * i + j] * s->a[j];
        }
        s->x_turn[i] = 2.0 * (sum - s->x * s->a[i]) / s->square;
    }
    for (int i = 0; i < 3; i++) {
        s->x_way[i] = s->inverse * (s->c[i] - s->x * s->e[i]);
    }
    return true;
}

/// Computes the derivative of a d0 conj(a) with respect to a, 3 x 4.
static void differentiate_carried(const double d[3], const double a[4], double out[12]) {
    const double wheel[9] = {0.0, -d[2], d[1], d[2], 0.0, -d[0], -d[1], d[0], 0.0};
    double around[3];
    cross3(a, d, around);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[4 * i + j] = -2.0 * d[i] * a[j] + 2.0 * a[i] * d[j] -
                             2.0 * a[3] * wheel[3 * i + j] + (i == j ? 2.0 * dot3(a, d) : 0.0);
        }
        out[4 * i + 3] = 2.0 * a[3] * d[i] + 2.0 * around[i];
    }
}

static void add_shear_gradient(const struct quaternion_bond *bond, const struct shear *s,
                               double kappa, double *gradient) {
    const double pull = bond->stiffness.stretch * (s->length - bond->length);
    for (int i = 0; i < 3; i++) {
        const double force = pull * s->e[i] - kappa * s->x_way[i];
        gradient[FROM + i] -= force;
        gradient[TO + i] += force;
    }
    for (int i = 0; i < 4; i++) {
        gradient[TURN_FROM + i] -= kappa * s->x_turn[i];
        gradient[TURN_TO + i] -= kappa * s->x_turn[i];
    }
}

/// Adds the Hessian of the energy -kappa e . c, which is linear in the second derivatives of e . c.
static void add_shear_hessian(const struct quaternion_bond *bond, const struct shear *s,
                              double kappa, double *hessian) {
    const double *e = s->e;
    double way[9];
    double mixed[12];
    double turn[16];
    double b[12];
    differentiate_carried(bond->direction, s->a, b);
    const double slack = bond->stiffness.stretch * (1.0 - bond->length * s->inverse);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double across = (i == j) - e[i] * e[j];
            // (c - x e) / L = x_way
            const double second = -s->inverse * (e[i] * s->x_way[j] + s->x_way[i] * e[j] +
                                                 s->inverse * s->x * across);
            way[3 * i + j] = bond->stiffness.stretch * e[i] * e[j] + slack * across -
                             kappa * second;
        }
        for (int j = 0; j < 4; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                const double across = (i == k) - e[i] * e[k];
                sum += across * (b[4 * k + j] - 2.0 * s->c[k] * s->a[j]);
            }
            mixed[4 * i + j] = -kappa * s->inverse / s->square * sum;
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            turn[4 * i + j] = -kappa * 2.0 / s->square *
                              (s->matrix[4 * i + j] - (i == j ? s->x : 0.0) -
                               s->a[i] * s->x_turn[j] - s->x_turn[i] * s->a[j]);
        }
    }
    static const int place[2] = {FROM, TO};
    static const int rotation[2] = {TURN_FROM, TURN_TO};
    double transposed[12];
    for (int i = 0; i < 12; i++) {
        transposed[i] = mixed[4 * (i % 3) + i / 3];
    }
    for (int m = 0; m < 2; m++) {
        for (int n = 0; n < 2; n++) {
            add_block(hessian, place[m], place[n], 3, 3, m == n ? 1.0 : -1.0, way);
            add_block(hessian, rotation[m], rotation[n], 4, 4, 1.0, turn);
            add_block(hessian, place[m], rotation[n], 3, 4, m == 0 ? -1.0 : 1.0, mixed);
            add_block(hessian, rotation[n], place[m], 4, 3, m == 0 ? -1.0 : 1.0, transposed);
        }
    }
}

// --- bending and torsion ---

/// Computes G in the particle's frame, 3 x 4: (s - t^, -t).
static void own_basis(const double q[4], double g[12]) {
    const double basis[12] = {q[3], q[2],  -q[1], -q[0], -q[2], q[3],
                              q[0], -q[1], q[1],  -q[0], q[3],  -q[2]};
    memcpy(g, basis, sizeof basis);
}

void quaternion_world_basis(const double q[4], double g[12]) {
    const double basis[12] = {q[3],  -q[2], q[1],  -q[0], q[2], q[3],
                              -q[0], -q[1], -q[1], q[0],  q[3], -q[2]};
    memcpy(g, basis, sizeof basis);
}

struct bend {
    double of_i[12], of_j[12]; ///< G of i and of j in their frames
    double matrix[9];          ///< C
    double moment[3];          ///< C v
    double energy;
};

static void measure_bend(const struct quaternion_bond *bond, const double *x, struct bend *b) {
    const struct bond_stiffness *k = &bond->stiffness;
    const double *d = bond->direction;
    double v[3] = {0.0, 0.0, 0.0};
    own_basis(x + TURN_FROM, b->of_i);
    own_basis(x + TURN_TO, b->of_j);
    for (int i = 0; i < 12; i++) {
        v[i / 4] += b->of_j[i] * x[TURN_FROM + i % 4];
    }
    for (int i = 0; i < 3; i++) {
        b->moment[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            b->matrix[3 * i + j] = (k->twisting - k->bending) * d[i] * d[j] +
                                   (i == j ? k->bending : 0.0);
            b->moment[i] += b->matrix[3 * i + j] * v[j];
        }
    }
    b->energy = 2.0 * dot3(v, b->moment);
}

static void add_bend_gradient(const struct bend *b, double *gradient) {
    for (int i = 0; i < 12; i++) {
        gradient[TURN_FROM + i % 4] += 4.0 * b->of_j[i] * b->moment[i / 4];
        gradient[TURN_TO + i % 4] -= 4.0 * b->of_i[i] * b->moment[i / 4];
    }
}

/// out = a^T C b.
static void couple(const double c[9], const double a[12], const double b[12], double out[16]) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double sum = 0.0;
            for (int k = 0; k < 9; k++) {
                sum += a[4 * (k / 3) + i] * c[k] * b[4 * (k % 3) + j];
            }
            out[4 * i + j] = sum;
        }
    }
}

static void add_bend_hessian(const struct bend *b, double *hessian) {
    const double *y = b->moment;
    // Right multiplication by the quaternion (y, 0).
    const double right[16] = {0.0,  y[2],  -y[1], y[0], -y[2], 0.0,   y[0],  y[1],
                              y[1], -y[0], 0.0,   y[2], -y[0], -y[1], -y[2], 0.0};
    double block[16];
    double transposed[16];
    couple(b->matrix, b->of_j, b->of_j, block);
    add_block(hessian, TURN_FROM, TURN_FROM, 4, 4, 4.0, block);
    couple(b->matrix, b->of_i, b->of_i, block);
    add_block(hessian, TURN_TO, TURN_TO, 4, 4, 4.0, block);
    couple(b->matrix, b->of_j, b->of_i, block);
    for (int i = 0; i < 16; i++) {
        block[i] = right[i] - block[i];
    }
    for (int i = 0; i < 16; i++) {
        transposed[i] = block[4 * (i % 4) + i / 4];
    }
    add_block(hessian, TURN_FROM, TURN_TO, 4, 4, 4.0, block);
    add_block(hessian, TURN_TO, TURN_FROM, 4, 4, 4.0, transposed);
}

// --- the bond ---

bool quaternion_bond_evaluate(const struct quaternion_bond *bond, const double *x, double *value,
                              double *gradient, double *hessian) {
    const double kappa = bond->stiffness.shear * bond->length * bond->length;
    struct shear shear;
    struct bend bend;
    if (!measure_shear(bond, x, &shear)) {
        return false;
    }
    measure_bend(bond, x, &bend);
    if (value != NULL) {
        const double extension = shear.length - bond->length;
        double chord[3];
        subtract3(shear.e, shear.c, chord);
        *value = 0.5 * bond->stiffness.stretch * extension * extension +
                 0.5 * kappa * dot3(chord, chord) + bend.energy;
    }
    if (gradient != NULL) {
        memset(gradient, 0, BOND_COORDINATES * sizeof *gradient);
        add_shear_gradient(bond, &shear, kappa, gradient);
        add_bend_gradient(&bend, gradient);
    }
    if (hessian != NULL) {
        memset(hessian, 0, BOND_COORDINATES * BOND_COORDINATES * sizeof *hessian);
        add_shear_hessian(bond, &shear, kappa, hessian);
        add_bend_hessian(&bend, hessian);
    }
    return true;
}

/// Computes T, 12 x 14: the identity for positions, half of G for rotations.
static void fill_reduction(const double *x, double *t) {
    memset(t, 0, BOND_TURNS * BOND_COORDINATES * sizeof *t);
    for (int end = 0; end < 2; end++) {
        double g[12];
        quaternion_world_basis(x + 7 * end + 3, g);
        for (int i = 0; i < 3; i++) {
            t[BOND_COORDINATES * (6 * end + i) + 7 * end + i] = 1.0;
            for (int j = 0; j < 4; j++) {
                t[BOND_COORDINATES * (6 * end + 3 + i) + 7 * end + 3 + j] = 0.5 * g[4 * i + j];
            }
        }
    }
}

void quaternion_bond_reduce(const double *x, const double *gradient, const double *hessian,
                            double *reduced_gradient, double *reduced_hessian) {
    enum { N = BOND_COORDINATES, M = BOND_TURNS };
    double t[M * N];
    double half[M * N];
    fill_reduction(x, t);
    for (int i = 0; i < M; i++) {
        reduced_gradient[i] = 0.0;
        for (int k = 0; k < N; k++) {
            reduced_gradient[i] += t[N * i + k] * gradient[k];
        }
        for (int j = 0; j < N; j++) {
            half[N * i + j] = 0.0;
            for (int k = 0; k < N; k++) {
                half[N * i + j] += t[N * i + k] * hessian[N * k + j];
            }
        }
    }
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < M; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++) {
                sum += half[N * i + k] * t[N * j + k];
            }
            reduced_hessian[M * i + j] = sum;
        }
    }
    // A rotation moves q along the unit sphere: q'' = -q / 4 per squared unit of eta.
    for (int end = 0; end < 2; end++) {
        double radial = 0.0;
        for (int k = 0; k < 4; k++) {
            radial += x[7 * end + 3 + k] * gradient[7 * end + 3 + k];
        }
        for (int i = 3; i < 6; i++) {
            reduced_hessian[(M + 1) * (6 * end + i)] -= 0.25 * radial;
        }
    }
}
