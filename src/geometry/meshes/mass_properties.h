// Volume, centre of mass and second moments of the body inside a closed triangle surface, by the
// divergence theorem: each triangle and a common point span a tetrahedron of signed volume. Has no
// state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_MASS_PROPERTIES_H
#define PBS_GEOMETRY_MESHES_MASS_PROPERTIES_H

#include "base/runtime/memory.h"

struct surface_view {
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3, counterclockwise seen from outside
};

/// Mass properties of a body of density one.
struct mass_properties {
    double volume;     ///< m^3
    double center[3];  ///< metres
    double moments[9]; ///< m^5: integral of (x - center) (x - center)^T, symmetric
};

/// Checks that the surface is closed. Returns PBS_ERROR_MESH, with the triangle and edge in the
/// message, for indices out of range or repeated in a triangle, positions that are not finite, and
/// edges that triangles do not use equally often in both directions. Unused vertices are allowed.
pbs_status surface_check_closed(const struct surface_view *surface, struct memory *memory);

/// Computes the mass properties. Returns PBS_ERROR_MESH for a volume that is negative, or within
/// rounding of zero relative to the cube of the surface's extent.
pbs_status mass_properties_compute(const struct surface_view *surface, struct mass_properties *out);

#endif
