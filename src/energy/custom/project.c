// Cyclic Jacobi iteration. Tridiagonalisation would be faster, but Jacobi is short and accurate to
// rounding, and the matrices are small and seldom indefinite.
// SPDX-License-Identifier: MIT
#include "energy/custom/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double largest_entry(int size, const double *a) {
    double largest = 0.0;
    for (int i = 0; i < size * size; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

bool project_is_semidefinite(int size, const double *a) {
    double l[PROJECT_MAX_SIZE * PROJECT_MAX_SIZE];
    const double shift = 1e-13 * size * largest_entry(size, a);
    if (shift == 0.0) {
        return true;
    }
    for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[size * i + j] + (i == j ? shift : 0.0);
            for (int k = 0; k < j; k++) {
                sum -= l[size * i + k] * l[size * j + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            l[size * i + j] = i == j ? sqrt(sum) : sum / l[size * j + j];
        }
    }
    return true;
}

/// Multiplies columns p and q of m by the rotation (c, s).
static void rotate_columns(int size, double *m, int p, int q, double c, double s) {
    for (int k = 0; k < size; k++) {
        const double mp = m[size * k + p];
        const double mq = m[size * k + q];
        m[size * k + p] = c * mp - s * mq;
        m[size * k + q] = s * mp + c * mq;
    }
}

static void rotate_rows(int size, double *m, int p, int q, double c, double s) {
    for (int k = 0; k < size; k++) {
        const double mp = m[size * p + k];
        const double mq = m[size * q + k];
        m[size * p + k] = c * mp - s * mq;
        m[size * q + k] = s * mp + c * mq;
    }
}

/// Zeroes the entry (p, q) by a rotation, and applies the rotation to the eigenvectors.
static void annihilate(int size, double *a, double *vectors, int p, int q) {
    const double theta = (a[size * q + q] - a[size * p + p]) / (2.0 * a[size * p + q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    const double s = t * c;
    rotate_columns(size, a, p, q, c, s);
    rotate_rows(size, a, p, q, c, s);
    a[size * p + q] = 0.0;
    a[size * q + p] = 0.0;
    rotate_columns(size, vectors, p, q, c, s);
}

/// Sweeps once over all pairs (p, q). Returns false if no off-diagonal entry was above rounding.
static bool sweep(int size, double *a, double *vectors, double smallest) {
    bool any = false;
    for (int p = 0; p < size; p++) {
        for (int q = p + 1; q < size; q++) {
            if (fabs(a[size * p + q]) > smallest) {
                annihilate(size, a, vectors, p, q);
                any = true;
            }
        }
    }
    return any;
}

void project_symmetric(int size, double *a) {
    double vectors[PROJECT_MAX_SIZE * PROJECT_MAX_SIZE];
    const double norm = largest_entry(size, a);
    memset(vectors, 0, sizeof vectors);
    for (int i = 0; i < size; i++) {
        vectors[size * i + i] = 1.0;
    }
    // Convergence is quadratic, so a dozen sweeps suffice; the limit only guards against an endless
    // loop.
    const int sweep_limit = 30;
    for (int i = 0; i < sweep_limit && sweep(size, a, vectors, 0.125 * DBL_EPSILON * norm); i++) {
    }
    double values[PROJECT_MAX_SIZE];
    for (int i = 0; i < size; i++) {
        values[i] = fmax(a[size * i + i], 0.0);
    }
    for (int i = 0; i < size; i++) {
        for (int j = i; j < size; j++) {
            double sum = 0.0;
            for (int k = 0; k < size; k++) {
                sum += values[k] * vectors[size * i + k] * vectors[size * j + k];
            }
            a[size * i + j] = sum;
            a[size * j + i] = sum;
        }
    }
}
