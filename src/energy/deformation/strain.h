// Strain measures of eight elements, written so that energies computed from them do not suffer
// cancellation near the rest state: psi is of the order of the squared strain there, and the
// minimiser compares energies to twelve digits. Theory: docs/theory/materials.md section 2.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DEFORMATION_STRAIN_H
#define PBS_ENERGY_DEFORMATION_STRAIN_H

#include "base/lanes/lanes.h"

/// cof F = dJ/dF = J F^-T.
ALWAYS_INLINE void cofactor_lanes(const lanes8 f[9], lanes8 c[9]) {
    c[0] = f[4] * f[8] - f[5] * f[7];
    c[1] = f[5] * f[6] - f[3] * f[8];
    c[2] = f[3] * f[7] - f[4] * f[6];
    c[3] = f[2] * f[7] - f[1] * f[8];
    c[4] = f[0] * f[8] - f[2] * f[6];
    c[5] = f[1] * f[6] - f[0] * f[7];
    c[6] = f[1] * f[5] - f[2] * f[4];
    c[7] = f[2] * f[3] - f[0] * f[5];
    c[8] = f[0] * f[4] - f[1] * f[3];
}

/// Returns J = det F from F and its cofactors.
ALWAYS_INLINE lanes8 determinant_lanes(const lanes8 f[9], const lanes8 c[9]) {
    return f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
}

/// |F|^2 = Ic.
ALWAYS_INLINE lanes8 squared_norm_lanes(const lanes8 f[9]) {
    lanes8 sum = f[0] * f[0];
    for (int i = 1; i < 9; i++) {
        sum += f[i] * f[i];
    }
    return sum;
}

/// Green strain E = (F^T F - 1) / 2, entries 00 01 02 11 12 22.
ALWAYS_INLINE void green_strain_lanes(const lanes8 f[9], lanes8 e[6]) {
    int k = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const lanes8 c = f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j];
            e[k++] = i == j ? 0.5 * (c - 1.0) : 0.5 * c;
        }
    }
}

/// tr E - (J - 1), of second order in the strain. From J^2 - 1 = 2 I + 4 II + 8 III (the invariants
/// of E) follows J - 1 = I + 2 II + 4 III - (J - 1)^2 / 2. For large strain the plain difference is
/// more accurate.
ALWAYS_INLINE lanes8 trace_excess_lanes(const lanes8 e[6], lanes8 j_minus_1) {
    const lanes8 first = e[0] + e[3] + e[5];
    const lanes8 m01 = e[0] * e[3] - e[1] * e[1];
    const lanes8 m02 = e[0] * e[5] - e[2] * e[2];
    const lanes8 m12 = e[3] * e[5] - e[4] * e[4];
    const lanes8 third = e[0] * m12 - e[1] * (e[1] * e[5] - e[4] * e[2]) +
                         e[2] * (e[1] * e[4] - e[3] * e[2]);
    const lanes8 fine = 0.5 * j_minus_1 * j_minus_1 - 2.0 * (m01 + m02 + m12) - 4.0 * third;
    return lanes_select(lanes_abs(first) < 0.5, fine, first - j_minus_1);
}

#endif
