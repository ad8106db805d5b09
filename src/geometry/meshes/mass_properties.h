// Volume, centre and second moments of the body inside a closed surface of triangles, by the
// divergence theorem: each triangle spans a tetrahedron with one common point, of signed volume.
// Keeps nothing.
#ifndef PBS_GEOMETRY_MESHES_MASS_PROPERTIES_H
#define PBS_GEOMETRY_MESHES_MASS_PROPERTIES_H

#include "base/runtime/memory.h"

struct surface_view {
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3, counterclockwise seen from outside
};

/// Of a body of density one.
struct mass_properties {
    double volume;     ///< m^3
    double center[3];  ///< metres
    double moments[9]; ///< m^5: integral of (x - center) (x - center)^T, symmetric
};

/// Refuses (PBS_ERROR_MESH, with the triangle and edge in the message): indices out of range or
/// repeated in a triangle, positions that are not finite, edges that triangles do not run through
/// as often in one sense as in the other. Vertices of no triangle are fine.
pbs_status surface_check_closed(const struct surface_view *surface, struct memory *memory);

/// Refuses (PBS_ERROR_MESH) volumes that are negative, or no more than rounding beside the cube of
/// the surface's extent.
pbs_status mass_properties_measure(const struct surface_view *surface, struct mass_properties *out);

#endif
