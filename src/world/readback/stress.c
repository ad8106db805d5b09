// Read-back of stress: the Cauchy stress sigma = P F^T / det F of each tetrahedron, P being the
// first Piola-Kirchhoff stress of its material.
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "energy/material.h"
#include "world/interface/check.h"
#include "world/world.h"

/// Writes the edges from the first vertex as columns.
static void edge_matrix(const uint32_t v[4], const double *x, double edges[9]) {
    const double *origin = x + 3 * (size_t)v[0];
    for (size_t j = 0; j < 3; j++) {
        for (size_t i = 0; i < 3; i++) {
            edges[3 * i + j] = x[3 * (size_t)v[j + 1] + i] - origin[i];
        }
    }
}

/// Computes F. The rest shape can be inverted, because no tetrahedron is flat at rest.
static void deformation_gradient(const struct solid_body *solid, size_t tet, const double *x,
                                 double f[9]) {
    double rest[9], inverse[9] = {0.0}, now[9];
    edge_matrix(solid->tets + 4 * tet, solid->rest, rest);
    edge_matrix(solid->tets + 4 * tet, x, now);
    invert33(rest, inverse);
    multiply33(now, inverse, f);
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

pbs_status pbs_body_element_stress(const pbs_world *w, pbs_body b, double *dst, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    const struct solid_body *solid = &body->solid;
    if (capacity < solid->tet_count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu tetrahedra, but the body has %zu",
                           capacity, solid->tet_count);
    }
    const double *x = w->scene.nodes.x + 3 * body->node_start;
    const struct material_table *material = material_find(solid->material);
    for (size_t t = 0; t < solid->tet_count; t++) {
        double mu, lambda, f[9];
        material->parameters(tet_value(&solid->young, t), tet_value(&solid->poisson, t), &mu,
                             &lambda);
        deformation_gradient(solid, t, x, f);
        cauchy_stress(material, mu, lambda, f, dst + 9 * t);
    }
    return PBS_OK;
}
