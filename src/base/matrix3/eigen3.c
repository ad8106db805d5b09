// Calls the kernel of the widest vectors that the processor has, and solves the eigenproblem of
// single matrices with the narrowest kernel.
// SPDX-License-Identifier: MIT
#include "base/matrix3/eigen3.h"

#include "base/config.h"
#include "base/matrix3/matrix3_widths.h"

static const int upper[6] = {0, 1, 2, 4, 5, 8};

/// Copies one matrix to the first two lanes.
static void copy_to_lanes(const double a[9], double a8[6 * LANES]) {
    for (int i = 0; i < 6; i++) {
        a8[LANES * i] = a[upper[i]];
        a8[LANES * i + 1] = a[upper[i]];
    }
}

/// Swaps two eigenvalues that are not in ascending order, and their eigenvectors. One vector
/// changes its sign, so that Q stays a rotation.
static void sort_pair(double lambda[3], double q[9], int first, int second) {
    if (!(lambda[second] < lambda[first])) {
        return;
    }
    const double value = lambda[first];
    lambda[first] = lambda[second];
    lambda[second] = value;
    for (int i = 0; i < 9; i += 3) {
        const double column = q[i + first];
        q[i + first] = q[i + second];
        q[i + second] = -column;
    }
}

void eigen3(const double a[9], double lambda[3], double q[9]) {
    double a8[6 * LANES];
    double lambda8[3 * LANES];
    double q8[9 * LANES];
    copy_to_lanes(a, a8);
    eigen3_two(a8, lambda8, q8);
    for (int i = 0; i < 3; i++) {
        lambda[i] = lambda8[LANES * i];
    }
    for (int i = 0; i < 9; i++) {
        q[i] = q8[LANES * i];
    }
    sort_pair(lambda, q, 0, 1);
    sort_pair(lambda, q, 0, 2);
    sort_pair(lambda, q, 1, 2);
}

static void project(double *a) {
#if defined(PBS_HAS_CLONES)
    if (!has_avx512()) {
        const int width = has_avx2() ? 4 : 2;
        for (int i = 0; i < LANES; i += width) {
            (width == 4 ? eigen3_project_four : eigen3_project_two)(a + i);
        }
        return;
    }
#endif
    eigen3_project_eight(a);
}

void eigen3_project_lanes(lanes8 a[6]) {
    project((double *)a);
}

void eigen3_project(double a[9]) {
    double a8[6 * LANES];
    copy_to_lanes(a, a8);
    eigen3_project_two(a8);
    for (int i = 0; i < 6; i++) {
        a[upper[i]] = a8[LANES * i];
    }
    a[3] = a[1];
    a[6] = a[2];
    a[7] = a[5];
}
