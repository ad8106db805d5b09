// Finds the admissible point closest to a given point, and its derivative: the map P of OPT section
// 3.2 for one node, extended to several obstacles at once. Stateless.
// Theory: docs/theory/contact.md section 9.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SURFACES_CLOSEST_POINT_H
#define PBS_CONTACT_SURFACES_CLOSEST_POINT_H

#include "geometry/shape.h"

enum { CLOSEST_POINT_MAX_ACTIVE = 3 };

/// One smooth piece of an obstacle's boundary.
struct contact_surface {
    struct shape shape;
    struct pose pose;
    uint32_t obstacle;
    double low[3], high[3]; ///< m: outside this box the surface is neither touched nor violated
};

/// The problem: find x closest to y, equal to y in constrained axes, with phi = 0 on active
/// surfaces and phi >= 0 on all surfaces.
struct closest_point {
    const struct contact_surface *surfaces;
    size_t surface_count;
    double scale;              ///< m: rounding errors are relative to this
    double tolerance;          ///< m: a surface is violated if phi < -tolerance
    uint32_t constrained_axes; ///< PBS_AXIS_* bits
    size_t active_count;       ///< at most CLOSEST_POINT_MAX_ACTIVE, with independent normals
    const uint32_t *active;
};

/// Returns false if no such point was found; *worst is then a surface that is still violated.
/// jacobian: dx/dy, symmetric, zero in constrained axes. A surface that the free axes cannot leave
/// is ignored.
bool closest_point_find(const struct closest_point *problem, const double y[3], double x[3],
                        double jacobian[9], uint32_t *worst);

/// Returns false if x is outside the surface's box, or farther than `distance` from it on either
/// side.
bool contact_surface_touches(const struct contact_surface *surface, const double x[3],
                             double distance);

/// Sets the components of a in constrained axes to zero.
void remove_constrained(uint32_t constrained_axes, double a[3]);

/// Computes an orthonormal basis of the free directions that are orthogonal to the `count` normals
/// (with zeros in constrained axes). Returns its dimension, or -1 if the normals are not
/// independent.
int tangent_basis(uint32_t constrained_axes, size_t count, double (*normals)[3],
                  double basis[3][3]);

/// projector = Z Z^T over the first `dimension` vectors of the basis.
void tangent_projector(int dimension, double basis[3][3], double projector[9]);

/// Computes the coefficients c that minimise |a - sum c n|. The normals must be independent.
void normal_components(size_t count, double (*normals)[3], const double a[3], double *c);

#endif
