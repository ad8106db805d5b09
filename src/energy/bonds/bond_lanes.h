// Computes the energies of stretch, shear, bending and torsion of eight bonds, and their first and
// second derivatives with respect to positions and rotations in the world frame
// (docs/theory/bonds.md section 1, whose symbols are used here). The energies are those of BDEM
// section 4.2.2 with the corrections of docs/theory/bonds.md section 8.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_BONDS_BOND_LANES_H
#define PBS_ENERGY_BONDS_BOND_LANES_H

#include "base/lanes/arctangent.h"
#include "energy/deformation/tangent.h"

/// A bond shorter than this fraction of its rest length has no usable direction, and an infinite
/// energy.
#define BOND_LEAST_LENGTH 1e-3

/// Rest state, with both orientations the identity, and stiffnesses.
struct bond_rest {
    lanes8 direction[3];
    lanes8 length;   ///< l0
    lanes8 stretch;  ///< kn, N/m
    lanes8 shear;    ///< kt l0^2, N m
    lanes8 bending;  ///< kb, N m
    lanes8 twisting; ///< kw - kb, N m
};

struct bond_lanes {
    lanes8 length, inverse;
    lanes8 e[3];                ///< unit vector from i to j
    lanes8 relative[3], cosine; ///< q_j conj(q_i), the relative rotation: its vector part v (axis
                                ///< times sine of half the angle) and scalar part (cosine of half
                                ///< the angle)
    lanes8 half[3];             ///< k = v / (1 + cosine)
    lanes8 carried[3];          ///< c: the rest direction rotated by the mean rotation
    lanes8 along;               ///< e . c
    lanes8 across[3];           ///< e x c
    lanes8 twist;               ///< v . c
    lanes8 arm[3];              ///< y = c - twist k
    lanes8 shear;               ///< theta^2, or |e - c|^2
    lanes8 shear_slope, shear_curvature; ///< half the first, and the second derivative of `shear`
                                         ///< with respect to 1 - e . c
    mask8 valid; ///< longer than the least length, and relative rotation below 180 degrees
};

/// Derivatives with respect to D = p_j - p_i, and to the rotation vectors eta of i and j in the
/// world frame, q <- exp(eta) q.
struct bond_gradient {
    lanes8 d[3], i[3], j[3];
};

struct bond_hessian {
    lanes8 dd[9], di[9], dj[9], ii[9], ij[9], jj[9];
};

// --- measures ---

/// Evaluates a polynomial in w by Horner's rule.
ALWAYS_INLINE lanes8 bond_series(lanes8 w, const double *coefficients, int count) {
    lanes8 sum = lanes_set(coefficients[count - 1]);
    for (int k = count - 2; k >= 0; k--) {
        sum = sum * w + coefficients[k];
    }
    return sum;
}

/// Computes theta^2 and its derivatives as functions of w = 2 (1 - cos theta): by the series sum 2
/// w^n / (n^2 binomial(2 n, n)) for w <= 1/2, in closed form above.
ALWAYS_INLINE void shear_by_angle(lanes8 w, struct bond_lanes *b) {
    enum { TERMS = 18 };
    static const double series[TERMS] = {1.0,
                                         0.08333333333333333,
                                         0.011111111111111112,
                                         0.0017857142857142857,
                                         0.00031746031746031746,
                                         6.012506012506013e-05,
                                         1.1892869035726179e-05,
                                         2.428127428127428e-06,
                                         5.078436450985471e-07,
                                         1.082508822446903e-07,
                                         2.3430926892790107e-08,
                                         5.136127090629716e-09,
                                         1.1378496939241217e-09,
                                         2.54360579726424e-10,
                                         5.730422255905644e-11,
                                         1.2997429511882761e-11,
                                         2.9655454144759243e-12,
                                         6.801925593520176e-13};
    double first[TERMS];
    double second[TERMS - 1];
    for (int n = 0; n < TERMS; n++) {
        first[n] = (n + 1) * series[n];
    }
    for (int n = 1; n < TERMS; n++) {
        second[n - 1] = 4.0 * n * first[n];
    }
    const lanes8 sine = lanes_sqrt(dot_lanes(b->across, b->across));
    const lanes8 theta = atan2_lanes(sine, b->along);
    const mask8 far = lanes_both(w > 0.5, sine > 0.0);
    const lanes8 bottom = lanes_select(far, sine, lanes_set(1.0));
    b->shear = lanes_select(far, theta * theta, w * bond_series(w, series, TERMS));
    b->shear_slope = lanes_select(far, theta / bottom, bond_series(w, first, TERMS));
    b->shear_curvature = lanes_select(far,
                                      2.0 * (sine - theta * b->along) / (bottom * bottom * bottom),
                                      bond_series(w, second, TERMS - 1));
    b->valid = lanes_both(b->valid, lanes_either(w<0.5, sine> 1e-3));
}

/// Computes the measures of a bond. d: p_j - p_i; from, to: the orientations of i and j; angle:
/// shear by the angle instead of the chord.
ALWAYS_INLINE void bond_measure(const struct bond_rest *rest, const lanes8 d[3],
                                const lanes8 from[4], const lanes8 to[4], bool angle,
                                struct bond_lanes *b) {
    const lanes8 least = BOND_LEAST_LENGTH * rest->length;
    const lanes8 length = lanes_sqrt(dot_lanes(d, d));
    lanes8 cross[3];
    cross_lanes(from, to, cross);
    b->cosine = from[3] * to[3] + dot_lanes(from, to);
    b->valid = lanes_both(length > least, b->cosine > 0.0);
    // Broken bonds are still evaluated, with zero stiffness, so all values must stay finite in any
    // state.
    b->length = lanes_max(length, least);
    b->inverse = 1.0 / b->length;
    const lanes8 scale = 1.0 / (1.0 + lanes_max(b->cosine, lanes_set(0.0)));
    lanes8 sum[3];
    for (int i = 0; i < 3; i++) {
        b->e[i] = b->inverse * d[i];
        b->relative[i] = from[3] * to[i] - to[3] * from[i] + cross[i];
        b->half[i] = scale * b->relative[i];
        sum[i] = from[i] + to[i];
    }
    const lanes8 scalar = from[3] + to[3];
    const lanes8 plain = scalar * scalar - dot_lanes(sum, sum);
    const lanes8 projected = 2.0 * dot_lanes(sum, rest->direction);
    lanes8 around[3];
    cross_lanes(sum, rest->direction, around);
    lanes8 chord[3];
    for (int i = 0; i < 3; i++) {
        b->carried[i] = 0.5 * scale *
                        (plain * rest->direction[i] + projected * sum[i] +
                         2.0 * scalar * around[i]);
        chord[i] = b->e[i] - b->carried[i];
    }
    b->along = dot_lanes(b->e, b->carried);
    cross_lanes(b->e, b->carried, b->across);
    b->twist = dot_lanes(b->relative, b->carried);
    for (int i = 0; i < 3; i++) {
        b->arm[i] = b->carried[i] - b->twist * b->half[i];
    }
    b->shear = dot_lanes(chord, chord);
    b->shear_slope = lanes_set(1.0);
    b->shear_curvature = lanes_set(0.0);
    if (angle) {
        shear_by_angle(b->shear, b);
    }
}

/// Returns the energy; infinity in lanes that are not valid and not broken.
ALWAYS_INLINE lanes8 bond_energy(const struct bond_rest *rest, const struct bond_lanes *b) {
    const lanes8 extension = b->length - rest->length;
    const lanes8 energy = 0.5 * rest->stretch * extension * extension +
                          0.5 * rest->shear * b->shear +
                          2.0 * rest->bending * dot_lanes(b->relative, b->relative) +
                          2.0 * rest->twisting * b->twist * b->twist;
    const lanes8 none = lanes_select(rest->stretch > 0.0, lanes_set(INFINITY), lanes_set(0.0));
    return lanes_select(b->valid, energy, none);
}

// --- first derivatives ---

/// Computes the directions n_i = (n + n x k) / 2 and n_j = (n - n x k) / 2 of the shear moments.
ALWAYS_INLINE void shear_moments(const struct bond_lanes *b, lanes8 of_i[3], lanes8 of_j[3]) {
    lanes8 cross[3];
    cross_lanes(b->across, b->half, cross);
    for (int i = 0; i < 3; i++) {
        of_i[i] = 0.5 * (b->across[i] + cross[i]);
        of_j[i] = 0.5 * (b->across[i] - cross[i]);
    }
}

/// Computes h, the restoring moment of bending and torsion on j.
ALWAYS_INLINE void bending_moment(const struct bond_rest *rest, const struct bond_lanes *b,
                                  lanes8 out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = 2.0 * (rest->bending * b->cosine * b->relative[i] +
                        rest->twisting * b->twist * b->arm[i]);
    }
}

ALWAYS_INLINE void bond_differentiate(const struct bond_rest *rest, const struct bond_lanes *b,
                                      struct bond_gradient *g) {
    const lanes8 pull = rest->stretch * (b->length - rest->length);
    const lanes8 shear = rest->shear * b->shear_slope;
    const lanes8 push = shear * b->inverse;
    lanes8 moment[3];
    bending_moment(rest, b, moment);
    shear_moments(b, g->i, g->j);
    for (int i = 0; i < 3; i++) {
        g->d[i] = pull * b->e[i] - push * (b->carried[i] - b->along * b->e[i]);
        g->i[i] = shear * g->i[i] - moment[i];
        g->j[i] = shear * g->j[i] + moment[i];
    }
}

/// Loads at the middle of eight bonds. Tension is positive, and so is a torsion of j about c.
struct bond_load_lanes {
    lanes8 normal, shear, torsion, bending;
    lanes8 energy;
};

ALWAYS_INLINE void bond_compute_load(const struct bond_rest *rest, const struct bond_lanes *b,
                                     struct bond_load_lanes *load) {
    lanes8 moment[3];
    lanes8 side[3];
    bending_moment(rest, b, moment);
    load->energy = bond_energy(rest, b);
    load->normal = rest->stretch * (b->length - rest->length);
    load->torsion = dot_lanes(moment, b->carried);
    for (int i = 0; i < 3; i++) {
        side[i] = b->carried[i] - b->along * b->e[i];
        moment[i] -= load->torsion * b->carried[i];
    }
    load->shear = rest->shear * b->shear_slope * b->inverse * lanes_sqrt(dot_lanes(side, side));
    load->bending = lanes_sqrt(dot_lanes(moment, moment));
}

/// struct bond_limit of eight bonds.
struct bond_limit_lanes {
    lanes8 normal, shear, lever;
};

/// Relative margin that exceeds the rounding errors of the sums below.
#define BOND_LIMIT_SLACK 1e-12

/// Returns the bonds above their limits (docs/theory/bonds.md section 4), or below them by no more
/// than the margin. Squares are compared to avoid square roots.
ALWAYS_INLINE mask8 bond_is_overloaded(const struct bond_rest *rest, const struct bond_lanes *b,
                                       const struct bond_limit_lanes *limit) {
    const double less = 1.0 - BOND_LIMIT_SLACK;
    const double more = 1.0 + BOND_LIMIT_SLACK;
    const lanes8 pull = rest->stretch * (b->length - rest->length);
    const lanes8 push = rest->shear * b->shear_slope * b->inverse;
    lanes8 moment[3];
    lanes8 side[3];
    bending_moment(rest, b, moment);
    const lanes8 torsion = dot_lanes(moment, b->carried);
    for (int i = 0; i < 3; i++) {
        side[i] = b->carried[i] - b->along * b->e[i];
        moment[i] -= torsion * b->carried[i];
    }
    const lanes8 normal_margin = less * limit->normal - pull - BOND_LIMIT_SLACK * lanes_abs(pull);
    const lanes8 moment_square = limit->lever * limit->lever * dot_lanes(moment, moment);
    const lanes8 shear_margin = less * limit->shear -
                                0.5 * more * limit->lever * lanes_abs(torsion);
    const lanes8 shear_square = push * push * dot_lanes(side, side);
    const mask8 fails_in_tension = lanes_either(
        normal_margin < 0.0, more * moment_square >= normal_margin * normal_margin);
    const mask8 fails_in_shear = lanes_either(shear_margin < 0.0,
                                              more * shear_square >= shear_margin * shear_margin);
    return lanes_either(fails_in_tension, fails_in_shear);
}

// --- second derivatives ---

/// out += s (a b^T + b a^T).
ALWAYS_INLINE void add_symmetric_lanes(lanes8 s, const lanes8 a[3], const lanes8 b[3],
                                       lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] += s * (a[i] * b[j] + b[i] * a[j]);
        }
    }
}

/// out += s a b^T.
ALWAYS_INLINE void add_outer_lanes(lanes8 s, const lanes8 a[3], const lanes8 b[3], lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] += s * a[i] * b[j];
        }
    }
}

/// out = m k^: row i is the cross product of row i of m with k.
ALWAYS_INLINE void cross_rows_lanes(const lanes8 m[9], const lanes8 k[3], lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        cross_lanes(m + 3 * i, k, out + 3 * i);
    }
}

/// Computes H_DD.
ALWAYS_INLINE void bond_positions(const struct bond_rest *rest, const struct bond_lanes *b,
                                  bool project, lanes8 dd[9]) {
    lanes8 slack = rest->stretch * (1.0 - rest->length * b->inverse);
    if (project) {
        slack = lanes_max(slack, lanes_set(0.0));
    }
    const lanes8 bend = rest->shear * b->shear_slope * b->inverse * b->inverse;
    const lanes8 *e = b->e;
    lanes8 side[3];
    for (int i = 0; i < 3; i++) {
        side[i] = b->carried[i] - b->along * e[i];
    }
    const lanes8 across = slack + (project ? bend : bend * b->along);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const lanes8 both = project ? lanes_set(0.0) : e[i] * side[j] + side[i] * e[j];
            dd[3 * i + j] = (rest->stretch - across) * e[i] * e[j] + bend * both;
        }
        dd[4 * i] += across;
    }
}

/// Computes H_Di = Q + Q k^ and H_Dj = Q - Q k^, with Q = kappa / (2 L) (c^ - e n^T).
ALWAYS_INLINE void bond_couple(const struct bond_rest *rest, const struct bond_lanes *b,
                               struct bond_hessian *h) {
    const lanes8 factor = 0.5 * rest->shear * b->shear_slope * b->inverse;
    const lanes8 *c = b->carried;
    const lanes8 zero = lanes_set(0.0);
    const lanes8 carried_cross[9] = {zero, -c[2], c[1], c[2], zero, -c[0], -c[1], c[0], zero};
    lanes8 q[9];
    lanes8 turned[9];
    for (int i = 0; i < 9; i++) {
        q[i] = factor * (carried_cross[i] - b->e[i / 3] * b->across[i % 3]);
    }
    cross_rows_lanes(q, b->half, turned);
    for (int i = 0; i < 9; i++) {
        h->di[i] = q[i] + turned[i];
        h->dj[i] = q[i] - turned[i];
    }
}

/// Matrices that the blocks of rotations share: Y, Z = Y k^, W = k^T Z, and B (bending).
struct bond_rotations {
    lanes8 y[9], z[9], w[9], bending[9];
};

/// Computes Y, Z and W.
ALWAYS_INLINE void bond_mean_rotation(const struct bond_rest *rest, const struct bond_lanes *b,
                                      bool project, struct bond_rotations *r) {
    const lanes8 quarter = 0.25 * rest->shear * b->shear_slope;
    const lanes8 *c = b->carried;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const lanes8 both = project ? c[i] * c[j] : 0.5 * (b->e[i] * c[j] + c[i] * b->e[j]);
            r->y[3 * i + j] = -quarter * both;
        }
        r->y[4 * i] += project ? quarter : quarter * b->along;
    }
    cross_rows_lanes(r->y, b->half, r->z);
    // W = k^T Z = -k^ Z.
    const lanes8 *k = b->half;
    for (int j = 0; j < 3; j++) {
        r->w[j] = k[2] * r->z[3 + j] - k[1] * r->z[6 + j];
        r->w[3 + j] = k[0] * r->z[6 + j] - k[2] * r->z[j];
        r->w[6 + j] = k[1] * r->z[j] - k[0] * r->z[3 + j];
    }
}

/// Computes B.
ALWAYS_INLINE void bond_relative_rotation(const struct bond_rest *rest, const struct bond_lanes *b,
                                          bool project, lanes8 out[9]) {
    const lanes8 same = project ? rest->bending
                                : rest->bending * b->cosine * b->cosine -
                                      rest->twisting * b->twist * b->twist;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = rest->twisting * b->arm[i] * b->arm[j] -
                             rest->bending * b->relative[i] * b->relative[j];
        }
        out[4 * i] += same;
    }
}

/// Adds the terms with n_i, n_j, n . k and h, which the semidefinite form omits.
ALWAYS_INLINE void bond_add_geometry(const struct bond_rest *rest, const struct bond_lanes *b,
                                     struct bond_hessian *h) {
    const lanes8 half = 0.5 * rest->shear * b->shear_slope;
    const lanes8 quarter = 0.5 * half;
    const lanes8 turned = quarter * dot_lanes(b->across, b->half);
    lanes8 of_i[3];
    lanes8 of_j[3];
    lanes8 moment[3];
    shear_moments(b, of_i, of_j);
    bending_moment(rest, b, moment);
    add_symmetric_lanes(-quarter, b->half, of_i, h->ii);
    add_symmetric_lanes(quarter, b->half, of_j, h->jj);
    add_outer_lanes(quarter, of_i, b->half, h->ij);
    add_outer_lanes(-quarter, b->half, of_j, h->ij);
    for (int i = 0; i < 3; i++) {
        h->ii[4 * i] += turned;
        h->jj[4 * i] -= turned;
        moment[i] *= 0.5;
    }
    h->ij[1] -= moment[2];
    h->ij[2] += moment[1];
    h->ij[3] += moment[2];
    h->ij[5] -= moment[0];
    h->ij[6] -= moment[1];
    h->ij[7] += moment[0];
}

/// Adds s g g^T with g the derivative of -e . c: the difference between the Hessians for angle and
/// chord.
ALWAYS_INLINE void bond_add_shear_curvature(const struct bond_rest *rest,
                                            const struct bond_lanes *b, struct bond_hessian *h) {
    const lanes8 s = 0.5 * rest->shear * b->shear_curvature;
    lanes8 d[3];
    lanes8 i[3];
    lanes8 j[3];
    shear_moments(b, i, j);
    for (int k = 0; k < 3; k++) {
        d[k] = -b->inverse * (b->carried[k] - b->along * b->e[k]);
    }
    add_outer_lanes(s, d, d, h->dd);
    add_outer_lanes(s, d, i, h->di);
    add_outer_lanes(s, d, j, h->dj);
    add_outer_lanes(s, i, i, h->ii);
    add_outer_lanes(s, i, j, h->ij);
    add_outer_lanes(s, j, j, h->jj);
}

/// Computes the Hessian. project: in its semidefinite form (docs/theory/bonds.md section 1.3).
ALWAYS_INLINE void bond_differentiate_twice(const struct bond_rest *rest,
                                            const struct bond_lanes *b, bool angle, bool project,
                                            struct bond_hessian *h) {
    struct bond_rotations r;
    bond_positions(rest, b, project, h->dd);
    bond_couple(rest, b, h);
    bond_mean_rotation(rest, b, project, &r);
    bond_relative_rotation(rest, b, project, r.bending);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int ij = 3 * i + j;
            const int ji = 3 * j + i;
            const lanes8 even = r.y[ij] + r.w[ij] + r.bending[ij];
            h->ii[ij] = even + (r.z[ij] + r.z[ji]);
            h->jj[ij] = even - (r.z[ij] + r.z[ji]);
            h->ij[ij] = r.y[ij] - r.w[ij] - r.bending[ij] + (r.z[ji] - r.z[ij]);
        }
    }
    if (!project) {
        bond_add_geometry(rest, b, h);
    }
    if (angle) {
        bond_add_shear_curvature(rest, b, h);
    }
}

#endif
