// The Cauchy stress sigma = P F^T / det F of each tetrahedron, P being the first Piola-Kirchhoff
// stress of its material and F the elastic part of the deformation.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/materials/solid_plasticity.h"
#include "world/bodies/element_stress.h"

/// Writes the edges from the first vertex as columns.
static void edge_matrix(const uint32_t v[4], const double *x, double edges[9]) {
    const double *origin = x + 3 * (size_t)v[0];
    for (size_t j = 0; j < 3; j++) {
        for (size_t i = 0; i < 3; i++) {
            edges[3 * i + j] = x[3 * (size_t)v[j + 1] + i] - origin[i];
        }
    }
}

/// Computes the elastic part of F. The rest shape can be inverted, because no tetrahedron is flat
/// at rest.
static void deformation_gradient(const struct solid_body *solid, size_t tet, const double *x,
                                 double f[9]) {
    double rest[9], inverse[9] = {0.0}, now[9];
    edge_matrix(solid->tets + 4 * tet, solid->rest, rest);
    edge_matrix(solid->tets + 4 * tet, x, now);
    invert33(rest, inverse);
    multiply33(now, inverse, f);
    if (solid->plastic != NULL) {
        double whole[9];
        memcpy(whole, f, sizeof whole);
        multiply33(whole, solid->plastic + PLASTIC_VALUES * tet, f);
    }
}

/// Computes the Cauchy stress; NaN if the tetrahedron is flat or inverted.
static void cauchy_stress(const struct material_table *material, double mu, double lambda,
                          const double f[9], double stress[9]) {
    const double volume_ratio = determinant3(f);
    double p[9];
    material->point(mu, lambda, f, false, p, NULL);
    for (int i = 0; i < 9; i++) {
        const double product = dot3(p + 3 * (i / 3), f + 3 * (i % 3));
        stress[i] = volume_ratio > 0.0 ? product / volume_ratio : NAN;
    }
}

static size_t count(const struct body *body) {
    return body->solid.tet_count;
}

static void measure(const struct body *body, const double *x, size_t tet, double stress[9]) {
    const struct solid_body *solid = &body->solid;
    const struct material_table *material = material_find(solid->material);
    double mu, lambda, f[9];
    material->parameters(tet_value(&solid->young, tet), tet_value(&solid->poisson, tet), &mu,
                         &lambda);
    deformation_gradient(solid, tet, x, f);
    cauchy_stress(material, mu, lambda, f, stress);
}

const struct element_stress solid_stress = {
    .item = PBS_ITEM_TET, .count = count, .measure = measure};
