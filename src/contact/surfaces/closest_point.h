// The closest admissible point to a given one, and how it moves when that one moves: the map P of
// OPT section 3.2 for a single node, made to hold when several obstacles meet. Keeps nothing.
// Theory: docs/theory/contact.md section 9.1.
#ifndef PBS_CONTACT_SURFACES_CLOSEST_POINT_H
#define PBS_CONTACT_SURFACES_CLOSEST_POINT_H

#include "geometry/shape.h"

enum { CLOSEST_POINT_MAX_ACTIVE = 3 };

/// One smooth piece of an obstacle's boundary.
struct contact_surface {
    struct shape shape;
    struct pose pose;
    uint32_t obstacle;
    double low[3], high[3]; ///< outside this box the surface neither touches nor is violated
};

/// Find x closest to y, equal to y in the held axes, phi = 0 on active surfaces, phi >= 0 on all.
struct closest_point {
    const struct contact_surface *surfaces;
    size_t surface_count;
    double scale;              ///< metres: what rounding is relative to
    double tolerance;          ///< metres: phi < -tolerance is violated
    uint32_t constrained_axes; ///< PBS_AXIS_* bits
    size_t active_count;       ///< at most CLOSEST_POINT_MAX_ACTIVE, with independent normals
    const uint32_t *active;
};

/// False when no such point was found; *worst is then a surface still violated. jacobian: dx/dy,
/// symmetric, zero in held axes. A surface that the free axes cannot leave is ignored.
bool closest_point_find(const struct closest_point *problem, const double y[3], double x[3],
                        double jacobian[9], uint32_t *worst);

/// False when x, in the box of a surface, is farther than `distance` from it on either side.
bool contact_surface_touches(const struct contact_surface *surface, const double x[3],
                             double distance);

/// Sets the held components of a to zero.
void remove_constrained(uint32_t constrained_axes, double a[3]);

/// An orthonormal basis of the free directions orthogonal to the `count` normals (their held
/// components zero). Returns its dimension, or -1 when the normals are not independent.
int tangent_basis(uint32_t constrained_axes, size_t count, double (*normals)[3],
                  double basis[3][3]);

/// projector = Z Z^T over the first `dimension` vectors of the basis.
void tangent_projector(int dimension, double basis[3][3], double projector[9]);

/// The coefficients c for which |a - sum c n| is least; the normals must be independent.
void normal_components(size_t count, double (*normals)[3], const double a[3], double *c);

#endif
