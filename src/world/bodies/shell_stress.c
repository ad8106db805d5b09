// The stress of membranes: N = P F^T / J over the thickness, with P = mu F + (lambda ln J - mu) F
// C^-1 of energy/shells/membrane.h, C = F^T F, J = sqrt(det C); and of the limit of stretch, of
// which P is the sum of psi_i u_i v_i^T over the singular values of F.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/shells/membrane.h"
#include "energy/shells/stretch_limit.h"
#include "world/bodies/element_stress.h"

/// The columns of F, one after the other; the gradients are those of the second and the third
/// corner.
static void deformation_gradient(const uint32_t v[3], const double *x, const double gradients[4],
                                 double f[6]) {
    double edge[2][3];
    subtract3(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], edge[0]);
    subtract3(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], edge[1]);
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 3; i++) {
            f[3 * j + i] = edge[0][i] * gradients[j] + edge[1][i] * gradients[2 + j];
        }
    }
}

/// F C^-1 F^T is the projection onto the triangle's plane, 1 - n n^T. NaN if the triangle has no
/// area.
static void cauchy_stress(double mu, double lambda, const double f[6], double stress[9]) {
    double normal[3];
    cross3(f, f + 3, normal);
    const double j = norm3(normal);
    for (int ik = 0; ik < 9; ik++) {
        const int i = ik / 3;
        const int k = ik % 3;
        const double stretch = f[i] * f[k] + f[3 + i] * f[3 + k];
        const double plane = (i == k) - normal[i] / j * (normal[k] / j);
        stress[ik] = j > 0.0 ? (mu * stretch + (lambda * log(j) - mu) * plane) / j : NAN;
    }
}

/// Adds psi_i s_i u_i u_i^T / J, of s_i u_i = F v_i.
static void add_limit(const struct shell_body *shell, const double f[6], double stress[9]) {
    double s[2], axis[2];
    stretch_limit_measure(f, s, axis);
    const double modulus = stretch_limit_modulus(shell->young, shell->poisson);
    for (int k = 0; k < 2; k++) {
        const double slope = stretch_limit_stress(modulus, shell->stretch_limit, s[k]);
        const double v[2] = {k == 0 ? axis[0] : -axis[1], k == 0 ? axis[1] : axis[0]};
        for (int ij = 0; ij < 9 && slope > 0.0; ij++) {
            const double at_i = f[ij / 3] * v[0] + f[3 + ij / 3] * v[1];
            const double at_j = f[ij % 3] * v[0] + f[3 + ij % 3] * v[1];
            stress[ij] += slope / s[k] * at_i * at_j / (s[0] * s[1]);
        }
    }
}

static size_t count(const struct body *body) {
    return body->triangle_count;
}

static void measure(const struct body *body, const double *x, size_t triangle, double stress[9]) {
    const struct shell_body *shell = &body->shell;
    const uint32_t *v = body->triangles + 3 * triangle;
    double gradients[4], f[6], mu, lambda;
    membrane_rest_gradients(shell->rest, v, gradients);
    membrane_moduli(shell->young, shell->poisson, &mu, &lambda);
    deformation_gradient(v, x, gradients, f);
    cauchy_stress(mu, lambda, f, stress);
    if (shell->stretch_limit > 0.0) {
        add_limit(shell, f, stress);
    }
}

const struct element_stress shell_stress = {
    .item = PBS_ITEM_TRIANGLE, .count = count, .measure = measure};
